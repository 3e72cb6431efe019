// The view from under water, and the water line on the lens.

#include "render/renderer.h"
#include "tarn/tarn.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { WIDTH = 160, HEIGHT = 90, PIXELS = WIDTH * HEIGHT, CELLS = 64 };

typedef struct Fixture {
    TarnContext* ctx;
    TarnRenderer* renderer;      // NULL where there is no GL
    float height[CELLS * CELLS]; // of a pool of 12.8 m, calm at 0
    float ground[CELLS * CELLS], depth[CELLS * CELLS];
    TarnFrameWater water;
    uint8_t a[PIXELS * 3], b[PIXELS * 3];
} Fixture;

static const float dx = 0.2f, side = CELLS * 0.2f;

static TarnFrame pool(Fixture* f, float depth)
{
    memset(f->height, 0, sizeof f->height);
    TarnFrameWater* w = &f->water;
    TarnFrame frame = { .waters = w, .n_waters = 1 };
    *w = (TarnFrameWater){ 0 };
    w->height = (TarnView2){ f->height, CELLS, CELLS, CELLS };
    w->dx = dx;
    w->bed_level = -depth;
    for (int i = 0; i < 4; ++i) w->has_rim[i] = true;
    tarn_frame_defaults(&frame);
    frame.clarity = 5.0f;
    return frame;
}

static TarnFrame lake(Fixture* f, float depth)
{
    for (int c = 0; c < CELLS * CELLS; ++c) f->ground[c] = -depth, f->depth[c] = depth;
    TarnFrameWater* w = &f->water;
    TarnFrame frame = { .waters = w, .n_waters = 1 };
    *w = (TarnFrameWater){ 0 };
    w->dx = dx;
    w->land.ground = (TarnView2){ f->ground, CELLS, CELLS, CELLS };
    w->land.depth = (TarnView2){ f->depth, CELLS, CELLS, CELLS };
    tarn_frame_defaults(&frame);
    frame.clarity = 5.0f;
    return frame;
}

static void look(TarnFrame* frame, TarnVec3 eye, TarnVec3 along, float fov)
{
    frame->camera = (TarnCamera){ eye, vec3_add(eye, vec3_scale(along, 4.0f)), fov };
}

static void draw(Fixture* f, const TarnFrame* frame, uint8_t* to)
{
    if (!f->renderer) skip();
    TarnResult result = tarn_renderer_draw(f->renderer, frame, to);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(f->ctx));
    assert_int_equal(result, TARN_OK);
}

static double mean_of(const uint8_t* rgb, int channel)
{
    double sum = 0.0;
    for (int i = 0; i < PIXELS; ++i) sum += rgb[3 * i + channel];
    return sum / PIXELS;
}

static double difference(const uint8_t* a, const uint8_t* b)
{
    double sum = 0.0;
    for (int i = 0; i < PIXELS * 3; ++i) sum += abs(a[i] - b[i]);
    return sum / (PIXELS * 3);
}

// ---- Light ---------------------------------------------------------------------------------------

static void check_depths(Fixture* f, bool is_land)
{
    double last_bright = 1e9, last_red = 1e9;
    for (int i = 0; i < 3; ++i) {
        TarnFrame frame = is_land ? lake(f, 12.0f) : pool(f, 12.0f);
        float y = -0.6f - 3.0f * (float)i;
        look(&frame, vec3(0.5f * side, y, 0.5f * side), vec3(1.0f, -0.1f, 0.0f), 0.5f);
        draw(f, &frame, f->a);
        double red = mean_of(f->a, 0), blue = mean_of(f->a, 2);
        double sum = red + mean_of(f->a, 1) + blue, share = red / (blue + 1.0);
        assert_true(sum < last_bright - 6.0);
        assert_true(share <= last_red + 0.01);
        assert_true(blue > red + 15.0);
        last_bright = sum;
        last_red = share;
    }
}

static void test_deeper_is_darker_and_bluer(void** state)
{
    check_depths(*state, false);
}

static void test_deeper_is_darker_and_bluer_over_land(void** state)
{
    check_depths(*state, true);
}

// Straight up, the sky fills a circle of 48.6 degrees around the zenith, and nothing outside of it.
static void test_snells_window(void** state)
{
    Fixture* f = *state;
    TarnFrame frame = pool(f, 6.0f);
    frame.clarity = 40.0f;
    const float fov = 2.2f;
    look(&frame, vec3(0.5f * side, -1.0f, 0.5f * side), vec3(0.0f, 1.0f, 0.002f), fov);
    draw(f, &frame, f->a);
    float focal = 0.5f * HEIGHT / tanf(0.5f * fov), sum = 0.0f;
    const int rays = 24;
    int n_found = 0;
    for (int n = 0; n < rays; ++n) { // from outside: tiles, where blue has little over green
        float c = cosf(6.2831853f * (float)n / rays), s = sinf(6.2831853f * (float)n / rays);
        float r = 40.0f;
        for (; r > 8.0f; r -= 0.25f) {
            const uint8_t* p =
                f->a + 3 * ((int)(0.5f * WIDTH + r * c) + WIDTH * (int)(0.5f * HEIGHT + r * s));
            if (p[2] > p[1] + 24) break;
        }
        if (r < 20.0f) continue; // clouds at the horizon are as pale as tiles
        sum += atanf(r / focal) * 57.29578f;
        ++n_found;
    }
    assert_true(n_found > rays / 2);
    sum /= (float)n_found;
    assert_true(sum > 46.5f && sum < 50.5f);
}

// Outside of the window the surface shows what lies below: a red ball twice.
static void test_total_reflection(void** state)
{
    Fixture* f = *state;
    TarnFrame frame = pool(f, 4.0f);
    frame.clarity = 40.0f;
    look(&frame, vec3(2.0f, -1.0f, 0.5f * side), vec3(1.0f, 0.0f, 0.0f), 1.2f);
    TarnFrameBody ball = { .shape = { .kind = TARN_SHAPE_SPHERE, .size = { 0.5f, 0, 0 } },
                           .position = { 6.0f, -1.2f, 0.5f * side },
                           .rotation = { 0, 0, 0, 1 },
                           .color = { 0.9f, 0.02f, 0.02f } };
    frame.bodies = &ball;
    frame.n_bodies = 1;
    draw(f, &frame, f->a);
    int upper = 0, lower = 0;
    for (int y = 0; y < HEIGHT; ++y)
        for (int x = 0; x < WIDTH; ++x) {
            const uint8_t* p = f->a + 3 * (x + WIDTH * y);
            bool is_red = p[0] > p[1] + 30 && p[0] > p[2] + 30;
            if (is_red && y < HEIGHT * 2 / 5) ++upper;
            if (is_red && y >= HEIGHT * 2 / 5) ++lower;
        }
    assert_true(lower > 60);
    assert_true(upper > 15);
}

// ---- The water line --------------------------------------------------------------------------------

// The share of the picture that is under water grows as the camera sinks, little by little.
static void check_line(Fixture* f, bool is_land)
{
    const int steps = 9;
    double last = -1.0, most = 0.0, total = 0.0;
    int n_half = 0;
    const float lens = is_land ? 0.011f : 0.026f; // its half height, with what it is lifted
    for (int i = 0; i <= steps; ++i) {
        TarnFrame frame = is_land ? lake(f, 5.0f) : pool(f, 5.0f);
        float y = lens * (1.0f - 2.0f * (float)i / (float)steps);
        look(&frame, vec3(3.0f, y, 0.5f * side), vec3(1.0f, 0.0f, 0.0f), 0.9f);
        draw(f, &frame, f->a);
        double under = 0.0;
        for (int c = 0; c < PIXELS; ++c) // the sky is brighter and less blue-green than the water
            under += f->a[3 * c] < 90 ? 1.0 / PIXELS : 0.0;
        if (i > 0) {
            double d = difference(f->a, f->b);
            most = fmax(most, d);
            total += d;
            assert_true(under > last - 0.02);
            n_half += under > 0.05 && under < 0.95;
        }
        last = under;
        memcpy(f->b, f->a, sizeof f->a);
    }
    assert_true(last > 0.9);
    assert_true(n_half > steps / 4);
    assert_true(most < 0.25 * total); // no single step makes much of the whole change
}

static void test_line_moves_steadily(void** state)
{
    check_line(*state, false);
}

static void test_line_moves_steadily_over_land(void** state)
{
    check_line(*state, true);
}

// At the line both pictures are drawn, and below it one; a lake in between shares their targets.
static void test_same_time_same_bytes(void** state)
{
    Fixture* f = *state;
    for (int n = 0; n < 4; ++n) {
        TarnFrame frame = pool(f, 3.0f);
        frame.time = 1.5;
        look(&frame, vec3(3.0f, n < 2 ? 0.0f : -0.5f, 3.0f), vec3(0.7f, -0.1f, 0.7f), 0.9f);
        draw(f, &frame, n % 2 ? f->b : f->a);
        TarnFrame other = lake(f, 4.0f);
        if (n % 2 == 0)
            draw(f, &other, f->b);
        else
            assert_memory_equal(f->a, f->b, sizeof f->a);
    }
}

// A camera that moves by half a pixel a frame over and under ripples sees much the same.
static void test_slow_move_is_calm(void** state)
{
    Fixture* f = *state;
    for (int i = 0; i < 2; ++i) {
        double last = 0.0;
        for (int n = 0; n < 4; ++n) {
            TarnFrame frame = pool(f, 3.0f);
            for (int c = 0; c < CELLS * CELLS; ++c)
                f->height[c] =
                    0.03f * sinf(1.1f * (float)(c % CELLS)) * cosf(0.7f * (float)(c / CELLS));
            frame.time = 2.0 + n / 60.0;
            float turn = 0.5f + 0.003f * (float)n;
            look(&frame, vec3(2.0f, i ? -1.2f : 1.5f, 2.0f),
                 vec3(cosf(turn), i ? 0.05f : -0.25f, sinf(turn)), 0.9f);
            draw(f, &frame, n & 1 ? f->b : f->a);
            if (n == 0) continue;
            double d = difference(f->a, f->b);
            assert_true(d < 6.0);                                                 // of 255
            if (n > 1) assert_true(d < 2.0 * last + 0.5 && d > 0.4 * last - 0.5); // no pop
            last = d;
        }
    }
}

// A window that follows something over open water moves by whole cells, and nobody sees it.
static void test_window_moves_unseen(void** state)
{
    Fixture* f = *state;
    double change[2];
    for (int has_sea = 0; has_sea < 2; ++has_sea) {
        for (int n = 0; n < 2; ++n) {
            TarnFrame frame = lake(f, 3.0f);
            for (int i = 0; i < CELLS; ++i) // a wave that stands where it stands
                for (int k = 0; k < CELLS; ++k)
                    f->depth[i + CELLS * k] += 0.02f * sinf(0.9f * (float)(i + n));
            f->water.origin.x = dx * (float)n;
            f->water.land.has_sea = has_sea != 0;
            look(&frame, vec3(2.0f, 1.5f, 0.5f * side), vec3(1.0f, -0.2f, 0.1f), 0.9f);
            draw(f, &frame, n ? f->b : f->a);
        }
        change[has_sea] = difference(f->a, f->b);
    }
    assert_true(change[1] < 0.25);
    assert_true(change[0] > 3.0 * change[1]); // the edge of a block is seen
}

// ---- Odd cases -------------------------------------------------------------------------------------

static int count_black(const uint8_t* rgb) // what a NaN in a shader would be
{
    int n = 0;
    for (int i = 0; i < PIXELS; ++i) n += rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2] < 3;
    return n;
}

static void test_odd_places(void** state)
{
    Fixture* f = *state;
    TarnFrame frame = pool(f, 3.0f);
    const TarnVec3 eyes[] = {
        { 5.0f, 0.0f, 5.0f },    // on the surface
        { 0.0f, -1.0f, 0.0f },   // in the corner
        { -3.0f, -1.0f, 5.0f },  // beside the pool, in the ground: that is no water
        { 5.0f, -2.999f, 5.0f }, // on the floor
        { 5.0f, -40.0f, 5.0f },  // below it
    };
    for (int i = 0; i < (int)(sizeof eyes / sizeof *eyes); ++i) {
        look(&frame, eyes[i], vec3(0.6f, 0.2f, 0.7f), 1.0f);
        draw(f, &frame, f->a);
        assert_int_equal(count_black(f->a), 0);
    }
    frame = pool(f, 3.0f);
    for (int c = 0; c < CELLS * CELLS; c += 7) f->height[c] = c & 1 ? NAN : 1e30f;
    look(&frame, vec3(5.0f, -1.0f, 5.0f), vec3(0.6f, 0.2f, 0.7f), 1.0f);
    draw(f, &frame, f->a);
    assert_int_equal(count_black(f->a), 0);
    frame.mode = TARN_RENDER_BARS;
    draw(f, &frame, f->a);
    frame = lake(f, 3.0f);
    for (int c = 0; c < CELLS * CELLS; c += 7) f->depth[c] = NAN;
    look(&frame, vec3(5.0f, -1.0f, 5.0f), vec3(0.6f, 0.2f, 0.7f), 1.0f);
    draw(f, &frame, f->a);
    assert_true(count_black(f->a) < 3);
}

static int set_up(void** state)
{
    Fixture* f = calloc(1, sizeof *f);
    TarnContextDef def = tarn_context_default_def();
    if (!f || tarn_context_create(&def, &f->ctx) != TARN_OK) return 1;
    TarnResult result = tarn_renderer_create(f->ctx, WIDTH, HEIGHT, &f->renderer);
    if (result != TARN_OK && result != TARN_ERR_UNSUPPORTED) return 1;
    *state = f;
    return 0;
}

static int tear_down(void** state)
{
    Fixture* f = *state;
    tarn_renderer_destroy(f->renderer);
    tarn_context_destroy(f->ctx);
    free(f);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deeper_is_darker_and_bluer),
        cmocka_unit_test(test_deeper_is_darker_and_bluer_over_land),
        cmocka_unit_test(test_snells_window),
        cmocka_unit_test(test_total_reflection),
        cmocka_unit_test(test_line_moves_steadily),
        cmocka_unit_test(test_line_moves_steadily_over_land),
        cmocka_unit_test(test_same_time_same_bytes),
        cmocka_unit_test(test_slow_move_is_calm),
        cmocka_unit_test(test_window_moves_unseen),
        cmocka_unit_test(test_odd_places),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
