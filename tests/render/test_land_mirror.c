// What water over land mirrors: things outside of the picture, thin things, and waters at two levels.

#include "land_frames.h"

enum { CELLS = 64 };
static const TarnVec3 red = { 0.9f, 0.02f, 0.02f };

// A lake over the whole block, 3 m deep, with its surface at y = 0.
static Scene lake(void)
{
    Scene s = scene_create(CELLS, CELLS, 1.0f);
    for (int c = 0; c < CELLS * CELLS; ++c) s.ground[c] = -3.0f, s.depth[c] = 3.0f;
    return s;
}

static TarnFrameBody box(TarnVec3 at, float x, float y, float z)
{
    return (TarnFrameBody){
        .shape = tarn_shape_box(x, y, z), .position = at, .rotation = { 0, 0, 0, 1 }, .color = red
    };
}

static TarnFrame lake_frame(Scene* s, const TarnFrameBody* body)
{
    TarnFrame frame = frame_of(s);
    frame.bodies = body;
    frame.n_bodies = 1;
    frame.camera = (TarnCamera){ { 32.0f, 5.0f, 62.0f }, { 32.0f, -2.0f, 40.0f }, 0.6f };
    return frame;
}

static bool is_red(const uint8_t* p)
{
    return p[0] > p[1] + 25 && p[0] > p[2] + 10;
}

static int count_red(const uint8_t* rgb)
{
    int n = 0;
    for (int i = 0; i < PIXELS; ++i) n += is_red(rgb + 3 * i);
    return n;
}

static float top_edge(const TarnFrame* frame, float distance) // y that the upper edge shows there
{
    const TarnCamera* c = &frame->camera;
    float down = atan2f(c->eye.y - c->target.y, c->eye.z - c->target.z);
    return c->eye.y + distance * tanf(0.5f * c->fov - down);
}

// A sign that hangs above the upper edge of the picture is seen in the water.
static void test_mirrors_what_is_outside(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    Scene s = lake();
    TarnFrameBody sign = box(vec3(32.0f, 9.0f, 24.0f), 6.0f, 2.5f, 0.3f);
    TarnFrame frame = lake_frame(&s, &sign);
    assert_true(sign.position.y - 2.5f > top_edge(&frame, 38.0f) + 0.3f);
    draw(f, &frame, f->a);
    int n = count_red(f->a);
    print_message("%d red pixels in the water\n", n);
    assert_true(n > 500);
    frame.n_bodies = 0;
    draw(f, &frame, f->a);
    assert_int_equal(count_red(f->a), 0);
    scene_destroy(&s);
}

static int redness(const uint8_t* p)
{
    return 2 * p[0] - p[1] - p[2];
}

static bool is_redder(const Fixture* f, int x, int y) // with the body than without it
{
    return redness(pixel_at(f->a, x, y)) > redness(pixel_at(f->b, x, y)) + 12;
}

// The image of a bar over the water is as whole as the bar, though it is hardly wider than a pixel.
static void test_thin_things_have_no_stripes(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    const float turns[3] = { 0.0f, 0.06f, 0.3f }; // half of the angle about the line of sight
    Scene s = lake();
    for (int t = 0; t < 3; ++t) {
        TarnFrameBody bar = box(vec3(32.0f, 2.2f, 40.0f), 3.2f, 0.07f, 0.07f);
        bar.rotation = (TarnQuat){ 0.0f, 0.0f, sinf(turns[t]), cosf(turns[t]) };
        TarnFrame frame = lake_frame(&s, &bar);
        draw(f, &frame, f->a);
        frame.n_bodies = 0;
        draw(f, &frame, f->b);
        int wide = 0, holes = 0;
        for (int x = 0; x < WIDTH; ++x) {
            int n = 0; // runs of red: the bar, and its image
            for (int y = 1; y < HEIGHT; ++y) n += is_redder(f, x, y) && !is_redder(f, x, y - 1);
            wide += n > 0;
            holes += n == 1;
        }
        print_message("turned by %.2f: %d of %d columns without an image\n", 2.0 * (double)turns[t],
                      holes, wide);
        assert_true(wide > 50);
        assert_true(holes < wide / 10);
    }
    scene_destroy(&s);
}

// Fire that hangs above the upper edge, of particles, is seen in the water, and lies before the land behind it.
static void test_mirrors_particles(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    enum { N = 60 };
    float x[N], y[N], z[N], still[N], age[N], life[N], radius[N];
    uint8_t kind[N];
    uint32_t id[N];
    for (int i = 0; i < N; ++i) {
        x[i] = 32.0f + 0.8f * (float)(i % 8 - 4), y[i] = 9.0f + 0.5f * (float)(i / 8 - 4);
        z[i] = 24.0f, still[i] = 0.0f, age[i] = 0.1f, life[i] = 1.0f, radius[i] = 1.0f;
        kind[i] = TARN_FRAME_FIRE, id[i] = (uint32_t)i;
    }
    TarnFrameParticles fire = { .view = { N, x, y, z, still, still, still, age, life, radius, id,
                                          kind } };
    for (int has_hill = 0; has_hill < 2; ++has_hill) {
        Scene s = lake();
        for (int c = 0; c < CELLS * CELLS && has_hill; ++c)
            if (c / CELLS < 12) s.ground[c] = 12.0f, s.depth[c] = 0.0f;
        TarnFrame frame = lake_frame(&s, NULL);
        frame.n_bodies = 0;
        draw(f, &frame, f->b);
        frame.particles = &fire, frame.n_particles = 1;
        draw(f, &frame, f->a);
        int n = 0;
        for (int i = 0; i < PIXELS; ++i) n += is_redder(f, i % WIDTH, i / WIDTH);
        print_message("%d pixels of fire in the water\n", n);
        assert_true(n > 500);
        for (int row = 35; row < 90; ++row) { // left of it, the hill or the sky
            const uint8_t* p = pixel_at(f->a, WIDTH / 4, row);
            assert_true((p[2] < p[0] + 35) == (has_hill == 1));
        }
        scene_destroy(&s);
    }
}

// Two lakes, one 4 m above the other, each mirrors a sign that hangs over it outside of the picture.
static void test_each_level_has_its_mirror(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    Scene s = lake();
    for (int c = 0; c < CELLS * CELLS; ++c) {
        float up = c % CELLS < 30 ? 4.0f : 0.0f;
        s.ground[c] = up - 2.0f;
        s.depth[c] = 2.0f;
        if (abs(c % CELLS - 32) < 3) s.ground[c] = 4.5f, s.depth[c] = 0.0f; // a dam
    }
    TarnFrameBody signs[2] = { box(vec3(22.0f, 14.5f, 20.0f), 3.0f, 2.0f, 0.3f),
                               box(vec3(42.0f, 14.5f, 20.0f), 3.0f, 2.0f, 0.3f) };
    TarnFrame frame = lake_frame(&s, signs);
    frame.n_bodies = 2;
    frame.camera = (TarnCamera){ { 32.0f, 10.0f, 62.0f }, { 32.0f, 3.0f, 40.0f }, 0.7f };
    assert_true(signs[0].position.y - 2.0f > top_edge(&frame, 42.0f) + 0.3f);
    draw(f, &frame, f->a);
    double sum[2] = { 0 }, n[2] = { 0 };
    for (int i = 0; i < PIXELS; ++i) {
        int side = i % WIDTH >= WIDTH / 2;
        if (!is_red(f->a + 3 * i)) continue;
        n[side] += 1.0;
        sum[side] += i / WIDTH;
    }
    print_message("%.0f and %.0f red pixels, in rows %.1f and %.1f\n", n[0], n[1], sum[0] / n[0],
                  sum[1] / n[1]);
    assert_true(n[0] > 150.0 && n[1] > 150.0);
    // Where a plane mirror shows the middle of each sign.
    for (int side = 0; side < 2; ++side) {
        float down = atan2f(7.0f, 22.0f), level = side ? 0.0f : 4.0f;
        float angle = atan2f(10.0f + 14.5f - 2.0f * level, 42.0f) - down;
        double row = 0.5 * HEIGHT * (1.0 + (double)(tanf(angle) / tanf(0.35f)));
        print_message("expected in row %.1f\n", row);
        assert_true(fabs(sum[side] / n[side] - row) < 4.0);
    }
    scene_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mirrors_what_is_outside),
        cmocka_unit_test(test_thin_things_have_no_stripes),
        cmocka_unit_test(test_mirrors_particles),
        cmocka_unit_test(test_each_level_has_its_mirror),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
