// Gases: the light in smoke, and what the pictures show.

#include "gas_fixture.h"

// ---- Light -----------------------------------------------------------------------------------------

// A volume with its cells as they are, without GL.
static GasVolume volume_of(float* cells, const TarnVec3* heat)
{
    GasVolume v = { .nx = N, .ny = N, .nz = N, .hi = { 1, 1, 1 }, .dx = 1.0f / N, .glow = 1.0f };
    v.ambient = 300.0f;
    v.heat = heat;
    v.has_heat = true;
    v.cells = cells;
    return v;
}

// Behind a slab exp(-depth) of the light is left, before it all of it, and beside it too.
static void test_light_behind_a_slab(void** state)
{
    Fixture* f = *state;
    static float cells[2 * CELLS];
    static TarnVec3 heat[HEAT_TEXELS];
    tarn__heat_table(heat);
    memset(cells, 0, sizeof cells);
    for (int k = 0; k < N; ++k)
        for (int i = 0; i < N; ++i)
            for (int j = N / 2; j < N / 2 + 3; ++j) cells[2 * (i + N * (j + N * k))] = 10.0f;
    GasVolume v = volume_of(cells, heat);
    GasLight l = { 0 };
    GasBounds b = { vec3(0, 0, 0), vec3(1, 1, 1), 1.0f / N };
    assert_int_equal(tarn__gas_light_begin(f->ctx, &l, &b), TARN_OK);
    tarn__gas_light_add(&l, &v);
    tarn__gas_light_finish(&l, vec3(0, 1, 0));
    float below[4], above[4];
    tarn__gas_light_at(&l, vec3(0.5f, 0.1f, 0.5f), below);
    tarn__gas_light_at(&l, vec3(0.5f, 0.9f, 0.5f), above);
    assert_true(fabsf(below[0] - expf(-30.0f / N)) < 1e-3f);
    assert_true(fabsf(above[0] - 1.0f) < 1e-5f);
    assert_true(below[1] < above[1] && below[2] > above[2]); // sky from above, ground from below
    assert_true(below[3] == 0.0f);                           // no fire
    // Slanted light, mirrored: the same mirrored.
    float left[4], right[4];
    tarn__gas_light_begin(f->ctx, &l, &b);
    tarn__gas_light_add(&l, &v);
    tarn__gas_light_finish(&l, vec3(0.6f, 0.8f, 0));
    tarn__gas_light_at(&l, vec3(0.2f, 0.2f, 0.5f), left);
    tarn__gas_light_begin(f->ctx, &l, &b);
    tarn__gas_light_add(&l, &v);
    tarn__gas_light_finish(&l, vec3(-0.6f, 0.8f, 0));
    tarn__gas_light_at(&l, vec3(0.8f, 0.2f, 0.5f), right);
    assert_true(fabsf(left[0] - right[0]) < 1e-4f);
    assert_true(left[0] > expf(-2.0f * 30.0f / N) && left[0] < 0.5f);
    tarn__gas_light_free(f->ctx, &l);
}

// A hot cell is a lamp where it is, and lights what is near more than what is far.
static void test_fire_is_a_lamp(void** state)
{
    Fixture* f = *state;
    static float cells[2 * CELLS];
    static TarnVec3 heat[HEAT_TEXELS];
    tarn__heat_table(heat);
    memset(cells, 0, sizeof cells);
    cells[2 * (6 + N * (12 + N * 12)) + 1] = 1500.0f;
    GasVolume v = volume_of(cells, heat);
    GasLight l = { 0 };
    GasBounds b = { vec3(0, 0, 0), vec3(1, 1, 1), 1.0f / N };
    tarn__gas_light_begin(f->ctx, &l, &b);
    tarn__gas_light_add(&l, &v);
    tarn__gas_light_finish(&l, vec3(0, 1, 0));
    assert_int_equal(l.n_fires, 1);
    assert_true(fabsf(l.fires[0].place.x - 6.5f / N) < 1e-4f);
    assert_true(l.fires[0].color.x > l.fires[0].color.z);
    float near[4], far[4];
    tarn__gas_light_at(&l, vec3(0.35f, 0.52f, 0.52f), near);
    tarn__gas_light_at(&l, vec3(0.9f, 0.52f, 0.52f), far);
    assert_true(near[3] > 3.0f * far[3] && far[3] > 0.0f);
    for (int i = 0; i < 2 * MAX_FIRES; ++i) { // more than there are places: none is lost
        Fire fire = { .place = vec3((float)i, 0, 0), .color = vec3(1, 1, 1), .radius = 0.1f };
        tarn__gas_light_fire(&l, &fire);
    }
    float sum = 0.0f;
    for (int i = 0; i < l.n_fires; ++i) sum += l.fires[i].color.x;
    assert_int_equal(l.n_fires, MAX_FIRES);
    assert_true(sum > 2.0f * MAX_FIRES);
    tarn__gas_light_free(f->ctx, &l);
}

// ---- Pictures of gases -----------------------------------------------------------------------------

static void test_white_and_dark_smoke(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    puff(&f->one, middle, 0.2f, 1.0f, 0.0f);
    TarnFrameGas g = gas_of(&f->one);
    TarnFrame frame = frame_of(&g, 1);
    TarnVec3 aside = vec3(-0.3f, 0.0f, 1.2f);
    g.opacity = 0.0f;
    draw(f, &frame, f->a);
    Color clear = color_at(&frame, f->a, middle, 3), floor = color_at(&frame, f->a, aside, 3);
    g.opacity = 60.0f;
    frame.sky.sun = vec3_sub(frame.camera.eye, frame.camera.target);
    draw(f, &frame, f->b);
    Color white = color_at(&frame, f->b, middle, 3);
    g.color = vec3(0.02f, 0.02f, 0.02f);
    frame = frame_of(&g, 1);
    draw(f, &frame, f->b);
    Color dark = color_at(&frame, f->b, middle, 3), beside = color_at(&frame, f->b, aside, 3);
    assert_true(brightness(dark) < 0.5 * brightness(clear));
    assert_true(brightness(white) > 2.0 * brightness(dark));
    assert_true(fabs(white.r - white.b) < 45.0);
    assert_true(fabs(brightness(beside) - brightness(floor)) < 6.0); // elsewhere nothing changes
    // More smoke hides more.
    g.opacity = 2.0f;
    draw(f, &frame, f->b);
    double thin = brightness(color_at(&frame, f->b, middle, 3));
    assert_true(thin < brightness(clear) - 3.0 && thin > brightness(dark) + 20.0);
}

static void test_empty_gas_changes_nothing(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    puff(&f->one, middle, 0.2f, 1.0f, 0.0f);
    memset(&f->two, 0, sizeof f->two);
    TarnFrameGas g[2] = { gas_of(&f->one), gas_of(&f->two) };
    TarnFrame frame = frame_of(g, 1);
    draw(f, &frame, f->a);
    frame.n_gases = 2;
    draw(f, &frame, f->b);
    assert_memory_equal(f->a, f->b, sizeof f->a);
    frame.gases = &g[1], frame.n_gases = 1;
    draw(f, &frame, f->a);
    g[1].view.density.data = g[1].view.temperature.data = NULL;
    draw(f, &frame, f->b);
    assert_memory_equal(f->a, f->b, sizeof f->a);
}

// The side away from the sun is darker, and the floor where the shadow falls.
static void test_shadows(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    puff(&f->one, middle, 0.22f, 1.0f, 0.0f);
    TarnFrameGas g = gas_of(&f->one);
    TarnFrame frame = frame_of(&g, 1);
    TarnVec3 forward = vec3_unit(vec3_sub(frame.camera.target, frame.camera.eye));
    TarnVec3 right = vec3_unit(vec3_cross(forward, vec3(0, 1, 0)));
    frame.sky.sun = vec3_sub(vec3(0, 0.8f, 0), right);
    TarnVec3 sunny = vec3_sub(middle, vec3_scale(right, 0.14f));
    TarnVec3 shady = vec3_add(middle, vec3_scale(right, 0.14f));
    TarnVec3 shadow =
        vec3_sub(middle, vec3_scale(vec3_unit(frame.sky.sun), 0.6f / vec3_unit(frame.sky.sun).y));
    draw(f, &frame, f->a);
    g.opacity = 0.0f;
    draw(f, &frame, f->b);
    assert_true(brightness(color_at(&frame, f->a, sunny, 2)) >
                brightness(color_at(&frame, f->a, shady, 2)) + 25.0);
    assert_true(fabsf(shadow.y) < 1e-4f);
    assert_true(brightness(color_at(&frame, f->a, shadow, 2)) <
                brightness(color_at(&frame, f->b, shadow, 2)) - 30.0);
}

static void test_hotter_is_brighter_and_bluer(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnFrameGas g = gas_of(&f->one);
    TarnFrame frame = frame_of(&g, 1);
    frame.sky.sun.y = -frame.sky.sun.y; // at night
    Color seen[4];
    const float kelvin[4] = { 0.0f, 700.0f, 1100.0f, 2600.0f };
    for (int i = 0; i < 4; ++i) {
        puff(&f->one, middle, 0.1f, 0.0f, kelvin[i]);
        draw(f, &frame, f->a);
        seen[i] = color_at(&frame, f->a, middle, 2);
    }
    for (int i = 1; i < 4; ++i) assert_true(brightness(seen[i]) > brightness(seen[i - 1]) + 5.0);
    assert_true(seen[1].r > seen[1].g + 10.0 && seen[1].r > seen[1].b + 10.0); // dark red
    assert_true(seen[2].r > seen[2].g && seen[2].g > seen[2].b + 30.0);        // orange
    assert_true(seen[3].b / seen[3].r > seen[2].b / seen[2].r + 0.1);
    // It lights the floor beneath it.
    TarnVec3 below = vec3(0.5f, 0.0f, 0.75f);
    Color lit = color_at(&frame, f->a, below, 2);
    puff(&f->one, middle, 0.1f, 0.0f, 0.0f);
    draw(f, &frame, f->b);
    assert_true(lit.r > color_at(&frame, f->b, below, 2).r + 10.0);
}

// What is opaque hides smoke behind it, and is hidden by smoke before it.
static void test_bodies_and_smoke(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    puff(&f->one, middle, 0.2f, 1.0f, 0.0f);
    TarnFrameGas g = gas_of(&f->one);
    g.color = vec3(0.02f, 0.02f, 0.02f);
    TarnFrame frame = frame_of(&g, 1);
    TarnVec3 to = vec3_unit(vec3_sub(frame.camera.eye, middle));
    frame.sky.sun = vec3_add(to, vec3(0, 0.3f, 0));
    TarnFrameBody body = { .shape = { .kind = TARN_SHAPE_SPHERE, .size = { 0.15f, 0.0f, 0.0f } },
                           .rotation = { 0, 0, 0, 1 },
                           .color = { 0.8f, 0.1f, 0.1f } };
    frame.bodies = &body, frame.n_bodies = 1;
    for (int side = 0; side < 2; ++side) {
        body.position = vec3_add(middle, vec3_scale(to, side ? -0.5f : 0.5f));
        g.opacity = 60.0f;
        draw(f, &frame, f->a);
        g.opacity = 0.0f;
        draw(f, &frame, f->b);
        double with = brightness(color_at(&frame, f->a, body.position, 2));
        double without = brightness(color_at(&frame, f->b, body.position, 2));
        if (side)
            assert_true(with < 0.6 * without);
        else
            assert_true(fabs(with - without) < 6.0);
    }
}

// A body between the sun and one half of a cloud darkens that half, not the other; nothing else changes it.
static void test_bodies_shade_smoke(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    puff(&f->one, middle, 0.3f, 1.0f, 0.0f);
    TarnFrameGas g = gas_of(&f->one);
    TarnFrame frame = frame_of(&g, 1);
    TarnVec3 to = vec3_sub(frame.camera.eye, middle);
    TarnVec3 right = vec3_unit(vec3_cross(vec3(0, 1, 0), to));
    frame.sky.sun = vec3_add(vec3_unit(vec3(to.x, 0, to.z)), vec3(0, 2.5f, 0));
    TarnVec3 sun = vec3_unit(frame.sky.sun);
    TarnVec3 front = vec3_add(middle, vec3_scale(vec3_unit(to), 0.24f));
    TarnVec3 left_half = vec3_sub(front, vec3_scale(right, 0.15f));
    TarnVec3 right_half = vec3_add(front, vec3_scale(right, 0.15f));
    TarnFrameBody body = { .shape = { .kind = TARN_SHAPE_SPHERE, .size = { 0.11f, 0.0f, 0.0f } },
                           .rotation = { 0, 0, 0, 1 },
                           .color = { 0.8f, 0.1f, 0.1f } };
    frame.bodies = &body, frame.n_bodies = 1;
    body.position = vec3_sub(middle, vec3_scale(sun, 0.48f)); // behind: as if it were not there
    draw(f, &frame, f->a);
    body.position = vec3_add(right_half, vec3_scale(sun, 0.48f));
    draw(f, &frame, f->b);
    double shaded = brightness(color_at(&frame, f->a, right_half, 3)) -
                    brightness(color_at(&frame, f->b, right_half, 3));
    double beside = brightness(color_at(&frame, f->a, left_half, 3)) -
                    brightness(color_at(&frame, f->b, left_half, 3));
    assert_true(shaded > 20.0);
    assert_true(fabs(beside) < 2.0);
}

// Two boxes in one place, half as dense each: the same picture as one.
static void test_boxes_add_up(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    puff(&f->one, middle, 0.2f, 1.0f, 1200.0f);
    puff(&f->two, middle, 0.2f, 0.5f, 0.0f);
    TarnFrameGas one = gas_of(&f->one), many[6];
    one.glow = 0.0f;
    TarnFrame frame = frame_of(&one, 1);
    draw(f, &frame, f->a);
    for (int i = 0; i < 6; ++i) many[i] = gas_of(&f->two), many[i].glow = 0.0f;
    frame.gases = many, frame.n_gases = 2;
    draw(f, &frame, f->b);
    assert_true(mean_difference(f->a, f->b) < 0.3);
    for (int i = 0; i < 6; ++i) many[i].opacity /= 3.0f;
    frame.n_gases = 6; // in two groups
    draw(f, &frame, f->b);
    assert_true(mean_difference(f->a, f->b) < 1.0);
    draw(f, &frame, f->a); // the same frame, the same bytes
    assert_memory_equal(f->a, f->b, sizeof f->a);
}

// Colors of its own: red smoke is red.
static void test_colors(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    puff(&f->one, middle, 0.2f, 1.5f, 0.0f);
    for (int c = 0; c < CELLS; ++c) {
        f->one.color[0][c] = 0.8f * f->one.density[c];
        f->one.color[1][c] = f->one.color[2][c] = 0.1f * f->one.density[c];
    }
    TarnFrameGas g = gas_of(&f->one);
    TarnFrame frame = frame_of(&g, 1);
    draw(f, &frame, f->a);
    g.view.red = view_of(f->one.color[0]);
    g.view.green = view_of(f->one.color[1]);
    g.view.blue = view_of(f->one.color[2]);
    draw(f, &frame, f->b);
    Color gray = color_at(&frame, f->a, middle, 3), red = color_at(&frame, f->b, middle, 3);
    assert_true(fabs(gray.r - gray.g) < 25.0);
    assert_true(red.r > red.g + 50.0 && red.r > red.b + 50.0);
}

// Strides, values that are not numbers, thin and huge fields: a picture, without holes.
static void test_any_field(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    puff(&f->one, middle, 0.3f, 1.0f, 1500.0f);
    const float bad[] = { NAN, INFINITY, -INFINITY, -3.0f, 1e30f, 3e38f, 1e-40f };
    for (int c = 0; c < CELLS; c += 11) {
        f->one.density[c] = bad[c % 7];
        f->one.temperature[c] = bad[(c + 3) % 7];
    }
    TarnFrameGas g = gas_of(&f->one);
    TarnFrame frame = frame_of(&g, 1);
    draw(f, &frame, f->a);
    assert_int_equal(count_black(f->a), 0);
    g.opacity = 1e8f;
    draw(f, &frame, f->a);
    g.opacity = 30.0f;
    g.view.density.nx = g.view.temperature.nx = 1; // one column of cells
    draw(f, &frame, f->a);
    assert_int_equal(count_black(f->a), 0);
    frame.camera.eye = vec3(0.02f, 0.6f, 0.5f); // inside
    frame.camera.target = vec3(1.0f, 0.55f, 0.5f);
    draw(f, &frame, f->a);
    frame.sky.sun = vec3(0, 1, 0); // along an axis
    draw(f, &frame, f->a);
    TarnFrameGas two[2] = { gas_of(&f->one),
                            gas_of(&f->one) }; // far apart, and smaller than a number
    two[1].view.origin = vec3(9e5f, 1.0f, -2e5f);
    frame.gases = two, frame.n_gases = 2;
    draw(f, &frame, f->a);
    two[1].view.dx = 1e-5f;
    frame.gases = &two[1], frame.n_gases = 1;
    draw(f, &frame, f->a);
}

// ---- Bad frames ------------------------------------------------------------------------------------

static void test_bad_frames(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    puff(&f->one, middle, 0.2f, 1.0f, 0.0f);
    const TarnFrameGas good = gas_of(&f->one);
    TarnFrameGas g = good;
    TarnFrame frame = frame_of(&g, 1);
    draw(f, &frame, f->a);
    g.view.dx = NAN;
    refuse(f, &frame, "dx");
    g = good, g.view.origin.y = INFINITY;
    refuse(f, &frame, "origin");
    g = good, g.view.density.row = N - 1;
    refuse(f, &frame, "density");
    g = good, g.view.temperature.nz = N - 1;
    refuse(f, &frame, "temperature");
    g = good, g.view.density.nx = 0;
    refuse(f, &frame, "density");
    g = good, g.opacity = -1.0f;
    refuse(f, &frame, "opacity");
    g = good, g.glow = NAN;
    refuse(f, &frame, "glow");
    g = good, g.box_max.x = g.box_min.x;
    refuse(f, &frame, "box_min");
    g = good, frame.n_gases = MAX_GASES + 1;
    refuse(f, &frame, "n_gases");
    frame.n_gases = 1, frame.gases = NULL;
    refuse(f, &frame, "n_gases");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_light_behind_a_slab),
        cmocka_unit_test(test_fire_is_a_lamp),
        cmocka_unit_test(test_white_and_dark_smoke),
        cmocka_unit_test(test_empty_gas_changes_nothing),
        cmocka_unit_test(test_shadows),
        cmocka_unit_test(test_hotter_is_brighter_and_bluer),
        cmocka_unit_test(test_bodies_and_smoke),
        cmocka_unit_test(test_bodies_shade_smoke),
        cmocka_unit_test(test_boxes_add_up),
        cmocka_unit_test(test_colors),
        cmocka_unit_test(test_any_field),
        cmocka_unit_test(test_bad_frames),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
