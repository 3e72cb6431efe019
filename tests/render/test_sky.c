// Skies: each kind of light, fog, lamps, pictures with alpha, and values that are refused.

#include "gas_fixture.h"

static TarnFrameBody ball_at(TarnVec3 p, float radius)
{
    return (TarnFrameBody){ .shape = tarn_shape_sphere(radius),
                            .position = p,
                            .rotation = { 0, 0, 0, 1 },
                            .color = { 0.6f, 0.6f, 0.6f } };
}

// A ball in the studio, seen from the side.
static TarnFrame ball_frame(TarnFrameBody* ball)
{
    *ball = ball_at(vec3(0, 0.5f, 0), 0.3f);
    return (TarnFrame){ .bodies = ball,
                        .n_bodies = 1,
                        .camera = { .eye = { 0, 0.8f, 4 }, .target = { 0, 0.5f, 0 }, .fov = 0.6f },
                        .sky = { .kind = TARN_SKY_DAY, .sun = { 0.5f, 1, 0.5f } },
                        .box_min = { -1, 0, -1 },
                        .box_max = { 1, 1, 1 },
                        .clarity = 1.0f };
}

static double mean_of(const uint8_t* rgb)
{
    double sum = 0.0;
    for (int i = 0; i < 3 * PIXELS; ++i) sum += rgb[i];
    return sum / (3 * PIXELS);
}

static void test_kinds(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnFrameBody ball;
    TarnFrame frame = ball_frame(&ball);
    static uint8_t pictures[TARN_SKY_NONE + 1][PIXELS * 3];
    double mean[TARN_SKY_NONE + 1];
    frame.sky.background = vec3(0.1f, 0.5f, 0.1f);
    for (int k = TARN_SKY_DAY; k <= TARN_SKY_NONE; ++k) {
        frame.sky.kind = (TarnSky)k;
        draw(f, &frame, pictures[k]);
        mean[k] = mean_of(pictures[k]);
        for (int other = TARN_SKY_DAY; other < k; ++other)
            assert_true(mean_difference(pictures[k], pictures[other]) > 2.0);
        draw(f, &frame, f->a); // the same again
        assert_memory_equal(f->a, pictures[k], sizeof f->a);
    }
    for (int k = TARN_SKY_DAY; k <= TARN_SKY_NONE; ++k)
        assert_true(k == TARN_SKY_NIGHT || mean[TARN_SKY_NIGHT] < 0.5 * mean[k]);
    const uint8_t *dusk = pictures[TARN_SKY_DUSK], *day = pictures[TARN_SKY_DAY]; // upper left
    assert_true(dusk[0] > dusk[2] && day[0] < day[2]);
    const uint8_t* none = pictures[TARN_SKY_NONE];
    assert_true(none[1] > none[0] + 40 && none[1] > none[2] + 40);
    for (int c = 0; c < 3; ++c) assert_int_equal(none[c] / 3, none[3 * (WIDTH - 1) + c] / 3);
}

static void test_sun_and_exposure(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnFrameBody ball;
    TarnFrame frame = ball_frame(&ball);
    const TarnVec3 left = vec3(-0.2f, 0.55f, 0.2f), right = vec3(0.2f, 0.55f, 0.2f);
    for (int side = -1; side < 2; side += 2) {
        frame.sky.sun = vec3(2.0f * (float)side, 1, 0.3f);
        draw(f, &frame, f->a);
        double a = brightness(color_at(&frame, f->a, left, 1));
        double b = brightness(color_at(&frame, f->a, right, 1));
        assert_true(side > 0 ? b > a + 20.0 : a > b + 20.0);
    }
    frame.sky.exposure = 0.5f;
    draw(f, &frame, f->b);
    assert_true(mean_of(f->b) < mean_of(f->a) - 15.0);
    frame.sky.exposure = 1.0f; // as 0, which chooses it
    draw(f, &frame, f->b);
    assert_memory_equal(f->a, f->b, sizeof f->a);
}

// Far things approach the color of the haze: exp(-fog * distance) of them is left.
static void test_fog(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnFrameBody balls[2] = { ball_at(vec3(-0.5f, 0.5f, 0), 0.3f),
                               ball_at(vec3(9, 0.5f, -30), 3) };
    balls[0].color = balls[1].color = vec3(0.7f, 0.02f, 0.02f);
    TarnFrameBody none;
    TarnFrame frame = ball_frame(&none);
    frame.n_bodies = 0, frame.solids = balls, frame.n_solids = 2; // bodies have a white band
    double red[2][3];                                             // near, far; by fog
    const float fogs[3] = { 0.0f, 0.03f, 3.0f };
    for (int i = 0; i < 3; ++i) {
        frame.sky.fog = fogs[i];
        draw(f, &frame, f->a);
        for (int b = 0; b < 2; ++b) {
            Color c = color_at(&frame, f->a, balls[b].position, 1);
            red[b][i] = c.r - c.b;
        }
    }
    assert_true(red[0][0] > 60.0 && red[1][0] > 60.0);
    double near_lost = red[0][0] - red[0][1], far_lost = red[1][0] - red[1][1];
    assert_true(near_lost > 5.0 && far_lost > 2.0 * near_lost); // 4 m: 11 % of fog; 35 m: 65 %
    Color near = color_at(&frame, f->a, balls[0].position, 1);
    Color far = color_at(&frame, f->a, balls[1].position, 1);
    assert_true(fabs(near.r - far.r) < 3.0 && fabs(near.g - far.g) < 3.0);
    assert_true(far.b > far.r + 20.0); // the haze of a day is blue
}

// A lamp shines, and lights what is beside it, on the side that faces it.
static void test_lamps(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnFrameBody balls[2];
    TarnFrame frame = ball_frame(balls);
    balls[0] = ball_at(vec3(-0.5f, 0.5f, 0), 0.3f);
    balls[1] = ball_at(vec3(0.5f, 0.5f, 0), 0.1f);
    frame.n_bodies = 2;
    frame.sky.kind = TARN_SKY_NIGHT;
    draw(f, &frame, f->a);
    balls[1].glow = vec3(8, 4, 1);
    draw(f, &frame, f->b);
    Color lamp = color_at(&frame, f->b, balls[1].position, 1);
    assert_true(lamp.r > 240.0 && lamp.r > lamp.b + 20.0);
    const TarnVec3 facing = vec3(-0.28f, 0.52f, 0.2f), away = vec3(-0.75f, 0.52f, 0.15f);
    double more = brightness(color_at(&frame, f->b, facing, 1)) -
                  brightness(color_at(&frame, f->a, facing, 1));
    double less =
        brightness(color_at(&frame, f->b, away, 1)) - brightness(color_at(&frame, f->a, away, 1));
    assert_true(more > 10.0 && more > less + 5.0);
}

static void test_alpha(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnFrameBody ball;
    TarnFrame frame = ball_frame(&ball);
    static uint8_t rgba[PIXELS * 4];
    frame.sky.kind = TARN_SKY_NONE;
    frame.sky.hides_floor = true;
    assert_int_equal(tarn_renderer_draw_rgba(f->renderer, &frame, rgba), TARN_OK);
    for (int i = 0; i < PIXELS; ++i) assert_int_equal(rgba[4 * i + 3], 255);
    frame.sky.is_transparent = true;
    assert_int_equal(tarn_renderer_draw_rgba(f->renderer, &frame, rgba), TARN_OK);
    draw(f, &frame, f->a);
    // The ball covers a disc of 22 pixels: 1500 of them.
    int clear = 0, full = 0, between = 0;
    for (int i = 0; i < PIXELS; ++i) {
        int alpha = rgba[4 * i + 3];
        clear += alpha == 0, full += alpha == 255, between += alpha > 0 && alpha < 255;
        for (int c = 0; c < 3 && alpha == 255; ++c) // as drawn
            assert_int_equal(rgba[4 * i + c], f->a[3 * i + c]);
    }
    int at = WIDTH * (HEIGHT / 2) + WIDTH / 2;
    assert_int_equal(rgba[4 * at + 3], 255); // the ball
    assert_int_equal(rgba[3], 0);            // a corner
    assert_true(clear > PIXELS - 2000 && full > 1200 && between < 400);
    assert_true(between > 10); // smooth edges
}

static void test_bad_skies(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnFrameBody ball;
    TarnFrame frame = ball_frame(&ball), good = frame;
    frame.sky.kind = (TarnSky)7;
    refuse(f, &frame, "frame.sky.kind is 7; allowed: 0 to 6");
    frame = good, frame.sky.exposure = -1.0f;
    refuse(f, &frame, "frame.sky.exposure is -1; allowed: 0 to 1000");
    frame = good, frame.sky.fog = NAN;
    refuse(f, &frame, "frame.sky.fog");
    frame = good, frame.sky.background.y = 2.0f;
    refuse(f, &frame, "frame.sky.background is (0, 2, 0); allowed: 0 to 1");
    frame = good, frame.sky.is_transparent = true;
    refuse(f, &frame, "is_transparent needs the kind TARN_SKY_NONE");
    frame = good, ball.glow.z = -1.0f;
    refuse(f, &frame, "frame.bodies[0].glow");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds), cmocka_unit_test(test_sun_and_exposure),
        cmocka_unit_test(test_fog),   cmocka_unit_test(test_lamps),
        cmocka_unit_test(test_alpha), cmocka_unit_test(test_bad_skies),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
