// Liquids in 2-D: each part of how they look, edges, kinds, solids.

#define PICTURE_WIDTH 320
#include "tests/render/liquid_frames.h"

// A pool with a wave on it, drops over it, and the look that a solver gives.
static void wavy(Cloud* c, float s)
{
    pool(c, 2, s, 0.6f, 0);
    int n = 0;
    for (int i = 0; i < c->n; ++i) {
        if (c->y[i] > 0.45f + 0.08f * sinf(4.0f * c->x[i])) continue;
        c->x[n] = c->x[i], c->y[n] = c->y[i];
        ++n;
    }
    c->n = n;
    for (int i = 0; i < 12; ++i) add(c, 0.3f + 0.12f * (float)i, 0.75f, 0, 0);
}

static void test_each_part_of_the_look(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    const float s = 0.03f;
    wavy(&f->liquid, s);
    f->sprites.n = 0;
    for (int i = 0; i < 40; ++i) {
        add(&f->sprites, 0.2f + 0.04f * (float)i, 0.70f + 0.2f * random01((uint32_t)i), 0, 0);
        f->sprites.radius[i] = 0.012f;
    }
    TarnFrameLiquid l = liquid_of(&f->liquid, 2, s);
    l.splashes = sprites_of(&f->sprites);
    TarnFrame frame = frame_of(&l);
    draw(f, &frame, f->a);
    assert_int_equal(count_black(f->a), 0);
    l.look = TARN_SPRINKLE_ALL;
    draw(f, &frame, f->b);
    assert_memory_equal(f->a, f->b, sizeof f->a); // 0 is all of it
    for (int bit = 0; bit < 7; ++bit) {
        l.look = TARN_SPRINKLE_ALL & ~(1u << bit);
        draw(f, &frame, f->b);
        int changed = 0;
        for (int i = 0; i < PIXELS; ++i) changed += memcmp(f->a + 3 * i, f->b + 3 * i, 3) != 0;
        if (changed < 20) print_error("bit %d changes %d pixels\n", bit, changed);
        assert_true(changed >= 20);
        bool is_small = bit == 6 || bit == 5 || bit == 4; // bubbles, splashes, edges
        if (is_small) assert_true(changed < PIXELS / 4);
    }
}

// From the air down: a bright line at the surface, then blue water.
static void test_flat_water_has_a_bright_edge(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    const float s = 0.03f;
    pool(&f->liquid, 2, s, 0.5f, 0);
    TarnFrameLiquid l = liquid_of(&f->liquid, 2, s);
    TarnFrame frame = frame_of(&l);
    draw(f, &frame, f->a);
    l.look = TARN_SPRINKLE_ALL & ~TARN_SPRINKLE_EDGES & ~TARN_SPRINKLE_BUBBLES;
    draw(f, &frame, f->b);
    int px, surface, deep;
    flat_pixel(&frame, 1.0f, 0.5f, &px, &surface);
    flat_pixel(&frame, 1.0f, 0.25f, &px, &deep);
    double bright = 0.0, without = 0.0;
    for (int y = surface - 8; y < surface + 8; ++y) { // whole rows: the painting varies
        Color c = mean_in(f->a, 40, y, 280, y + 1), d = mean_in(f->b, 40, y, 280, y + 1);
        if (c.g - d.g > bright - without) bright = c.g, without = d.g;
    }
    Color water = mean_in(f->a, 60, deep - 5, 260, deep + 5);
    assert_true(bright > without + 25.0);
    assert_true(bright > water.g + 25.0);
    assert_true(water.b > water.r + 40.0);
    // The surface lies where the particles end, within a spacing.
    l.view.n = 0;
    l.look = 0;
    draw(f, &frame, f->b);
    int top = 0;
    while (top < HEIGHT &&
           memcmp(f->a + 3 * (px + WIDTH * top), f->b + 3 * (px + WIDTH * top), 3) == 0)
        ++top;
    int spacing = (int)(s / 1.06f * HEIGHT) + 2;
    assert_in_range(top, surface - spacing, surface + spacing);
}

static void test_flat_kinds_and_solids(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    const float s = 0.03f;
    f->liquid.n = 0;
    fill(&f->liquid, vec3(0, 0, 0), vec3(1, 0.5f, 0), s, 0.3f, 0);
    fill(&f->liquid, vec3(1, 0, 0), vec3(2, 0.5f, 0), s, 0.3f, 1);
    TarnFrameLiquid l = liquid_of(&f->liquid, 2, s);
    TarnFrame frame = frame_of(&l);
    draw(f, &frame, f->a);
    int px, py;
    flat_pixel(&frame, 0.5f, 0.25f, &px, &py);
    Color water = mean_in(f->a, px - 20, py - 8, px + 20, py + 8);
    flat_pixel(&frame, 1.5f, 0.25f, &px, &py);
    Color honey = mean_in(f->a, px - 20, py - 8, px + 20, py + 8);
    assert_true(water.b > water.r + 40.0);
    assert_true(honey.r > honey.b + 60.0);

    // A block given as distances, a crate and a polygon cover what is behind them, and nothing else.
    enum { N = 64 };
    float distance[N * N];
    for (int k = 0; k < N; ++k)
        for (int i = 0; i < N; ++i) {
            float x = -0.2f + 2.4f * (float)i / (N - 1), y = -0.2f + 2.4f * (float)k / (N - 1);
            distance[i + N * k] = fmaxf(fabsf(x - 0.5f), fabsf(y - 0.8f)) - 0.1f;
        }
    l.solid = (TarnView2){ distance, N, N, N };
    l.solid_origin = (TarnVec2){ -0.2f, -0.2f };
    l.solid_dx = 2.4f / (N - 1);
    const TarnVec3 corners[4] = {
        { -0.1f, -0.1f, 0 }, { 0.1f, -0.1f, 0 }, { 0, 0.12f, -0.1f }, { 0, 0.12f, 0.1f }
    };
    const int triangles[12] = { 0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3 };
    TarnFrameBody box = { .shape = { .kind = TARN_SHAPE_BOX, .size = { 0.1f, 0.1f, 0.1f } },
                          .position = { 1.0f, 0.8f, 0 },
                          .rotation = { 0, 0, 0, 1 },
                          .color = { 0.6f, 0.04f, 0.04f } };
    TarnFrameBody mesh = { .shape = tarn_shape_mesh(corners, 4, triangles, 4),
                           .position = { 1.5f, 0.8f, 0 },
                           .rotation = { 0, 0, 0, 1 },
                           .color = { 0.6f, 0.04f, 0.04f } };
    frame.solids = &box;
    frame.n_solids = 1;
    frame.bodies = &mesh;
    frame.n_bodies = 1;
    draw(f, &frame, f->b);
    for (int i = 0; i < 3; ++i) {
        flat_pixel(&frame, 0.5f + 0.5f * (float)i, 0.8f, &px, &py);
        Color before = mean_in(f->a, px - 5, py - 5, px + 5, py + 5);
        Color after = mean_in(f->b, px - 5, py - 5, px + 5, py + 5);
        assert_true(fabs(after.r - before.r) + fabs(after.g - before.g) + fabs(after.b - before.b) >
                    40.0);
        flat_pixel(&frame, 0.75f + 0.5f * (float)i, 0.8f, &px, &py);
        before = mean_in(f->a, px - 3, py - 3, px + 3, py + 3);
        after = mean_in(f->b, px - 3, py - 3, px + 3, py + 3);
        assert_true(fabs(after.r - before.r) < 12.0);
    }
    // A mesh among the solids gives its color to the part of the distances that lies around it.
    mesh.position.x = 0.5f;
    frame.solids = &mesh;
    frame.n_bodies = 0;
    draw(f, &frame, f->b);
    flat_pixel(&frame, 0.5f, 0.8f, &px, &py);
    Color red = mean_in(f->b, px - 5, py - 5, px + 5, py + 5);
    assert_true(red.r > 2.5 * red.g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_part_of_the_look),
        cmocka_unit_test(test_flat_water_has_a_bright_edge),
        cmocka_unit_test(test_flat_kinds_and_solids),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
