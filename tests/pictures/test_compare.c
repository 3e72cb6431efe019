// The measure of pictures: the same and noisy ones pass, what a player would see does not.

#include "picture.h"
#include "tarn/tarn.h"
#include "tarn/render.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { WIDTH = 160, HEIGHT = 90, BYTES = WIDTH * HEIGHT * 3, CELLS = 64 };

typedef struct Fixture {
    uint8_t good[BYTES], changed[BYTES];
    uint8_t no_ball[BYTES]; // drawn without the ball
} Fixture;

static Difference difference(Fixture* f)
{
    Picture a = { WIDTH, HEIGHT, f->changed }, b = { WIDTH, HEIGHT, f->good };
    Look x, y;
    Difference d;
    assert_true(look_create(&a, &x) && look_create(&b, &y));
    assert_true(look_compare(&x, &y, NULL, &d));
    look_free(&x);
    look_free(&y);
    return d;
}

static bool is_within(const char* what, Difference d) // the limits of compare_pictures
{
    print_message("%s: mean %.3f, 99 %% below %.2f, worst tile %.2f\n", what, d.mean, d.most,
                  d.tile);
    return d.mean <= 0.5 && d.most <= 3.0 && d.tile <= 4.0;
}

static uint8_t clamp_byte(int x)
{
    return (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
}

static void test_same(void** state)
{
    Fixture* f = *state;
    memcpy(f->changed, f->good, BYTES);
    Difference d = difference(f);
    assert_true(d.mean == 0.0 && d.most == 0.0 && d.tile == 0.0);
}

static void test_noise_passes(void** state)
{
    Fixture* f = *state;
    uint32_t r = 1;
    for (int i = 0; i < BYTES; ++i) { // up to 3 steps of 255 in each color
        r = r * 1664525u + 1013904223u;
        f->changed[i] = clamp_byte(f->good[i] + (int)((r >> 16) % 7) - 3);
    }
    assert_true(is_within("noise", difference(f)));
}

static void test_shift_fails(void** state)
{
    Fixture* f = *state;
    for (int i = 0; i < BYTES; ++i) f->changed[i] = f->good[i % (3 * WIDTH) < 3 ? i : i - 3];
    assert_false(is_within("shifted by a pixel", difference(f)));
}

static void test_darkening_fails(void** state)
{
    Fixture* f = *state;
    for (int i = 0; i < BYTES; ++i) f->changed[i] = clamp_byte(f->good[i] * 97 / 100);
    assert_false(is_within("darker by 3 %", difference(f)));
}

static void test_missing_body_fails(void** state)
{
    Fixture* f = *state;
    memcpy(f->changed, f->no_ball, BYTES);
    Difference d = difference(f);
    assert_false(is_within("without the ball", d));
    assert_true(d.tile_x > 40 && d.tile_x < 110 && d.tile_y > 20 && d.tile_y < 75); // where it is
}

// Calm water would hide a shift; this has rings.
static void draw(TarnContext* ctx, TarnRenderer* renderer, bool has_ball, uint8_t* rgb)
{
    static float heights[CELLS * CELLS];
    for (int c = 0; c < CELLS * CELLS; ++c) {
        float x = (float)(c % CELLS - 20), z = (float)(c / CELLS - 30), r = sqrtf(x * x + z * z);
        heights[c] = 0.05f * cosf(0.6f * r) * expf(-0.06f * r);
    }
    TarnFrameBody ball = { .shape = { .kind = TARN_SHAPE_SPHERE,
                                      .size = { 0.22f, 0, 0 } }, // a hundredth of the picture
                           .position = { 3.2f, 0.1f, 3.2f },
                           .rotation = { 0, 0, 0, 1 },
                           .color = { 0.8f, 0.1f, 0.05f } };
    TarnFrameWater water = { .height = { heights, CELLS, CELLS, CELLS },
                             .dx = 0.1f,
                             .bed_level = -1.0f };
    TarnFrame frame = {
        .waters = &water, .n_waters = 1, .bodies = &ball, .n_bodies = has_ball ? 1 : 0
    };
    for (int e = 0; e < 4; ++e) water.has_rim[e] = true;
    tarn_frame_defaults(&frame);
    TarnResult result = tarn_renderer_draw(renderer, &frame, rgb);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(ctx));
    assert_int_equal(result, TARN_OK);
}

static void test_sizes_differ(void** state)
{
    Fixture* f = *state;
    Picture a = { WIDTH, HEIGHT, f->good }, b = { HEIGHT, WIDTH, f->good };
    Look x, y;
    Difference d;
    assert_true(look_create(&a, &x) && look_create(&b, &y));
    assert_false(look_compare(&x, &y, NULL, &d));
    look_free(&x);
    look_free(&y);
}

int main(void)
{
    static Fixture f;
    TarnContextDef def = tarn_context_default_def();
    TarnContext* ctx;
    TarnRenderer* renderer;
    if (tarn_context_create(&def, &ctx) != TARN_OK) return 1;
    if (tarn_renderer_create(ctx, WIDTH, HEIGHT, &renderer) != TARN_OK) {
        printf("skipped: %s\n", tarn_last_error(ctx));
        tarn_context_destroy(ctx);
        return 77;
    }
    draw(ctx, renderer, true, f.good);
    draw(ctx, renderer, false, f.no_ball);
    tarn_renderer_destroy(renderer);
    tarn_context_destroy(ctx);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_same, &f),
        cmocka_unit_test_prestate(test_noise_passes, &f),
        cmocka_unit_test_prestate(test_shift_fails, &f),
        cmocka_unit_test_prestate(test_darkening_fails, &f),
        cmocka_unit_test_prestate(test_missing_body_fails, &f),
        cmocka_unit_test_prestate(test_sizes_differ, &f),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
