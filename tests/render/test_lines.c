// Lines on top of a picture: they are where they belong, in their color, and bad ones are left out.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "tarn/render.h"
#include "tarn/tarn.h"
#include <math.h>
#include <string.h>

enum { W = 160, H = 90 };
static uint8_t plain[W * H * 3], lined[W * H * 3];

static int differing(int x0, int x1)
{
    int n = 0;
    for (int y = 0; y < H; ++y)
        for (int x = x0; x < x1; ++x)
            n += memcmp(plain + 3 * (y * W + x), lined + 3 * (y * W + x), 3) != 0;
    return n;
}

static void draws_lines(void** state)
{
    TarnContextDef def = tarn_context_default_def();
    TarnContext* ctx;
    TarnRenderer* r;
    (void)state;
    assert_int_equal(tarn_context_create(&def, &ctx), TARN_OK);
    if (tarn_renderer_create(ctx, W, H, &r) != TARN_OK) {
        tarn_context_destroy(ctx);
        skip();
    }
    TarnFrameBody ball = { .shape = tarn_shape_sphere(0.2f),
                           .rotation = { 0, 0, 0, 1 },
                           .color = { 0.5f, 0.5f, 0.5f } };
    TarnFrame frame = {
        .bodies = &ball, .n_bodies = 1, .box_min = { -1, -1, -1 }, .box_max = { 1, 1, 1 }
    };
    tarn_frame_defaults(&frame);
    frame.camera = (TarnCamera){ { 0, 0, 5 }, { 0, 0, 0 }, 0.5f };
    assert_int_equal(tarn_renderer_draw(r, &frame, plain), TARN_OK);
    // A vertical red line at a quarter of the width, one that is not finite, one behind the eye.
    float x = -0.5f * tanf(0.25f) * 5.0f * (float)W / (float)H;
    TarnVec3 points[] = { { x, -1, 0 }, { x, 1, 0 }, { NAN, 0, 0 },
                          { 0, 0, 0 },  { 0, 0, 7 }, { 1, 0, 8 } };
    uint8_t bytes[] = { 255, 0, 0, 255, 0, 255, 0, 255, 0, 255, 0, 255 };
    uint32_t colors[3];
    memcpy(colors, bytes, sizeof colors);
    frame.lines = (TarnFrameLines){ .points = points, .colors = colors, .n = 3, .width = 32.0f };
    assert_int_equal(tarn_renderer_draw(r, &frame, lined), TARN_OK);
    assert_true(differing(W / 4 - 4, W / 4 + 4) > 60);
    assert_int_equal(differing(W / 4 + 6, W), 0);
    assert_int_equal(differing(0, W / 4 - 6), 0);
    const uint8_t* p = lined + 3 * (H / 2 * W + W / 4);
    assert_true(p[0] > 200 && p[1] < 90 && p[2] < 90);
    frame.lines.points = NULL;
    assert_int_equal(tarn_renderer_draw(r, &frame, lined), TARN_ERR_ARG);
    tarn_renderer_destroy(r);
    tarn_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(draws_lines) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
