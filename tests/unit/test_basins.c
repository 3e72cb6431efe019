// Bodies in several basins: grounds, closed and open edges, floors, walls inside, grounds given as depths.

#include "test_common.h"
#include "base/maths.h"
#include "bodies/bodies.h"
#include "world/world_internal.h"

// The basin of a solver as a world gives it to the bodies.
static BodyBasin basin_of_wave(const TarnWave* wave)
{
    TarnBasin basin;
    tarn_wave_class()->basin(wave, &basin);
    return tarn__world_basin(&basin);
}

static TarnBodies* make_bodies(int max_bodies)
{
    TarnBodiesDef def = tarn_bodies_default_def();
    def.max_bodies = max_bodies;
    TarnBodies* bodies;
    assert_ok(tarn_bodies_create(ctx, &def, &bodies));
    return bodies;
}

static TarnBodyId add_body(TarnBodies* bodies, TarnShape shape, TarnVec3 at, TarnVec3 velocity)
{
    TarnBodyDef def = tarn_body_default_def();
    def.shape = shape;
    def.state.position = at;
    def.state.velocity = velocity;
    TarnBodyId id;
    assert_ok(tarn_bodies_add(bodies, &def, &id));
    return id;
}

static TarnBodyState state_of(TarnBodies* bodies, TarnBodyId id)
{
    TarnBodyState s;
    assert_ok(tarn_bodies_get_state(bodies, id, &s));
    return s;
}

static void run(TarnBodies* bodies, int frames)
{
    for (int n = 0; n < frames; ++n) assert_ok(tarn_bodies_step(bodies, frame, NULL));
}

// 20 m wide, from x on.
static BodyBasin make_basin(float x, TarnView2 ground)
{
    return (BodyBasin){ .nx = 20, .nz = 20, .dx = 1.0f, .origin = { x, -10.0f }, .ground = ground };
}

static float low_ground[400], high_ground[400], depths[400];

static TarnView2 level_ground(float* heights, float y)
{
    for (int c = 0; c < 400; ++c) heights[c] = y;
    return (TarnView2){ heights, 20, 20, 20 };
}

static const TarnVec3 still = { 0, 0, 0 };

static void test_two_grounds(void** state)
{
    (void)state;
    TarnBodies* bodies = make_bodies(8);
    BodyBasin basins[4] = { make_basin(0.0f, level_ground(low_ground, 1.0f)),
                            make_basin(30.0f, level_ground(high_ground, 5.0f)),
                            make_basin(60.0f, level_ground(depths, 4.0f)),
                            make_basin(90.0f, (TarnView2){ 0 }) };
    basins[2].is_depth = true, basins[2].level = 7.0f;
    basins[3].floor = -2.0f;
    tarn__bodies_set_basins(bodies, basins, 4);
    TarnShape crate = tarn_shape_box(0.5f, 0.5f, 0.5f);
    TarnBodyId id[5];
    const float x[5] = { 10.0f, 40.0f, 70.0f, 100.0f, 25.0f };
    for (int n = 0; n < 5; ++n) id[n] = add_body(bodies, crate, (TarnVec3){ x[n], 6, 0 }, still);
    run(bodies, 240);
    const float rest[4] = { 1.5f, 5.5f, 3.5f, -1.5f };
    for (int n = 0; n < 4; ++n) {
        TarnBodyState s = state_of(bodies, id[n]);
        assert_true(fabsf(s.position.y - rest[n]) < 2e-3f);
        assert_true(vec3_length(s.velocity) < 1e-3f);
    }
    assert_true(state_of(bodies, id[4]).position.y < -50.0f); // between the basins there is nothing
    // Across the edge of a basin the center decides.
    TarnBodyId edge = add_body(bodies, crate, (TarnVec3){ 20.2f, 1.6f, 0 }, still);
    TarnBodyId safe = add_body(bodies, crate, (TarnVec3){ 19.8f, 1.6f, 5 }, still);
    run(bodies, 120);
    assert_true(state_of(bodies, edge).position.y < -5.0f);
    assert_true(fabsf(state_of(bodies, safe).position.y - 1.5f) < 5e-3f);
    tarn_bodies_destroy(bodies);
}

// Closed edges hold what is inside at any speed; open ones let it go, and what is outside does not see them.
static void test_edges(void** state)
{
    (void)state;
    TarnBodies* bodies = make_bodies(8);
    BodyBasin basins[2] = { make_basin(0.0f, level_ground(low_ground, 0.0f)),
                            make_basin(20.0f, level_ground(high_ground, 0.0f)) };
    for (int e = 0; e < 4; ++e) basins[0].is_closed[e] = true;
    tarn__bodies_set_basins(bodies, basins, 2);
    TarnShape ball = tarn_shape_sphere(0.4f), crate = tarn_shape_box(0.4f, 0.3f, 0.5f);
    TarnBodyId held[4], gone, outside;
    for (int n = 0; n < 4; ++n) {
        TarnVec3 way = { n == 0   ? -900.0f
                         : n == 1 ? 900.0f
                                  : 0.0f,
                         0.0f,
                         n == 2   ? -900.0f
                         : n == 3 ? 900.0f
                                  : 0.0f };
        TarnVec3 at = { 5.0f + 3.0f * (float)n, 1.0f, -6.0f + 4.0f * (float)n };
        held[n] = add_body(bodies, n % 2 ? ball : crate, at, way);
    }
    gone = add_body(bodies, ball, (TarnVec3){ 30, 1, 5 }, (TarnVec3){ 30, 0, 0 });
    outside = add_body(bodies, ball, (TarnVec3){ 22, 1, -5 }, (TarnVec3){ -10, 0, 0 });
    run(bodies, 30);
    for (int n = 0; n < 4; ++n) {
        TarnVec3 p = state_of(bodies, held[n]).position;
        assert_true(p.x > 0.2f && p.x < 19.8f && p.z > -9.8f && p.z < 9.8f);
    }
    assert_true(state_of(bodies, gone).position.x > 40.0f);
    assert_true(state_of(bodies, outside).position.x < 19.0f);
    tarn_bodies_destroy(bodies);
}

// A pond on a roof: what is under it passes, what is in it stays.
static void test_thickness(void** state)
{
    (void)state;
    TarnBodies* bodies = make_bodies(4);
    BodyBasin basins[2] = { make_basin(0.0f, level_ground(low_ground, 0.0f)),
                            make_basin(0.0f, level_ground(high_ground, 10.0f)) };
    basins[1].thickness = 1.0f;
    for (int e = 0; e < 4; ++e) basins[1].is_closed[e] = true;
    tarn__bodies_set_basins(bodies, basins, 2);
    TarnShape crate = tarn_shape_box(0.5f, 0.5f, 0.5f);
    TarnBodyId below = add_body(bodies, crate, (TarnVec3){ 5, 3, 0 }, still);
    TarnBodyId above = add_body(bodies, crate, (TarnVec3){ 5, 12, 0 }, (TarnVec3){ 0, -500, 0 });
    TarnBodyId leaves = add_body(bodies, crate, (TarnVec3){ 17, 2, 4 }, (TarnVec3){ 40, 0, 0 });
    run(bodies, 1); // through the ground, if nothing held it
    assert_true(state_of(bodies, above).position.y > 10.3f);
    TarnBodyState calm = { .position = { 5, 11, 0 }, .rotation = { 0, 0, 0, 1 } };
    assert_ok(tarn_bodies_set_state(bodies, above, &calm));
    run(bodies, 120);
    assert_true(fabsf(state_of(bodies, below).position.y - 0.5f) < 2e-3f);
    assert_true(fabsf(state_of(bodies, above).position.y - 10.5f) < 2e-3f);
    assert_true(state_of(bodies, leaves).position.x > 20.0f);
    tarn_bodies_destroy(bodies);
}

// Basins are no part of a state: hashes and snapshots do not know them.
static void test_not_in_state(void** state)
{
    (void)state;
    TarnBodies* bodies = make_bodies(2);
    add_body(bodies, tarn_shape_sphere(1.0f), (TarnVec3){ 5, 3, 0 }, still);
    uint64_t hash = tarn_bodies_hash(bodies);
    BodyBasin basin = make_basin(0.0f, level_ground(low_ground, 0.0f));
    tarn__bodies_set_basins(bodies, &basin, 1);
    assert_true(tarn_bodies_hash(bodies) == hash);
    BodyBasin many[BODY_MAX_BASINS + 3];
    for (int b = 0; b < BODY_MAX_BASINS + 3; ++b) many[b] = basin;
    tarn__bodies_set_basins(bodies, many, BODY_MAX_BASINS + 3); // too many: no overrun
    run(bodies, 2);
    tarn_bodies_destroy(bodies);
}

// The bed of waves carries what has sunk, and so does an island.
static float hill(float x, float z, void* user)
{
    (void)user;
    float r2 = x * x + z * z;
    return -3.0f + 4.0f / (1.0f + 0.05f * r2);
}

static void test_wave_bed(void** state)
{
    (void)state;
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = def.nz = 40, def.dx = 1.0f, def.origin = (TarnVec2){ -20.0f, -20.0f };
    def.bed_fn = hill;
    TarnWave* wave;
    assert_ok(tarn_wave_create(ctx, &def, &wave));
    TarnBodies* bodies = make_bodies(4);
    TarnBodyId top = add_body(bodies, tarn_shape_sphere(0.5f), (TarnVec3){ 0, 4, 0 }, still);
    TarnBodyId low = add_body(bodies, tarn_shape_box(1, 0.5f, 1), (TarnVec3){ 18, 4, 15 }, still);
    for (int n = 0; n < 300; ++n) {
        BodyBasin basin = basin_of_wave(wave);
        tarn__bodies_set_basins(bodies, &basin, 1);
        run(bodies, 1);
    }
    TarnVec3 a = state_of(bodies, top).position, b = state_of(bodies, low).position;
    assert_true(fabsf(a.y - (hill(a.x, a.z, NULL) + 0.5f)) < 0.1f);
    assert_true(fabsf(b.y - (hill(b.x, b.z, NULL) + 0.5f)) < 0.1f);
    tarn_bodies_destroy(bodies);
    tarn_wave_destroy(wave);
}

// Walls and islands inside a basin: they stop boats at any speed, boats slide along them, and crates lie on top.
static void test_walls(void** state)
{
    (void)state;
    static uint8_t wall[40 * 40];
    for (int c = 0; c < 1600; ++c) {
        int i = c % 40, k = c / 40;
        wall[c] = ((i == 25 || (i == 26 && k % 2)) && k > 5 && k < 35) ||
                  (i >= 8 && i < 13 && k >= 30 && k < 33);
    }
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = def.nz = 40, def.dx = 1.0f, def.origin = (TarnVec2){ -20.0f, -20.0f };
    def.depth = 3.0f, def.wall = wall;
    TarnWave* wave;
    assert_ok(tarn_wave_create(ctx, &def, &wave));
    BodyBasin basin = basin_of_wave(wave);
    TarnShape crate = tarn_shape_box(0.8f, 0.4f, 0.6f), ball = tarn_shape_sphere(0.5f);
    for (int v = 0; v < 8; ++v) {
        TarnBodies* bodies = make_bodies(1);
        tarn__bodies_set_basins(bodies, &basin, 1);
        const float speeds[4] = { 5.0f, 20.0f, 100.0f, 900.0f };
        TarnBodyId id =
            add_body(bodies, v % 2 ? ball : crate, (TarnVec3){ -2.0f - 0.7f * (float)v, -1, 0.3f },
                     (TarnVec3){ speeds[v / 2], 0, 3 });
        for (int n = 0; n < 60; ++n) {
            run(bodies, 1);
            assert_true(state_of(bodies, id).position.x < 5.0f);
        }
        tarn_bodies_destroy(bodies);
    }
    // Along the wall, pressed against it, over many seams of cells: as fast as friction lets it.
    TarnBodiesDef flat = tarn_bodies_default_def();
    flat.gravity = (TarnVec3){ 4.0f, 0, 0 };
    TarnBodies* bodies;
    assert_ok(tarn_bodies_create(ctx, &flat, &bodies));
    tarn__bodies_set_basins(bodies, &basin, 1);
    TarnBodyId id = add_body(bodies, tarn_shape_box(0.2f, 0.4f, 1.5f),
                             (TarnVec3){ 4.8f, -1.0f, -10.0f }, (TarnVec3){ 0, 0, 9 });
    run(bodies, 90); // v = 9 - 0.3 * 4 t, z = -10 + 9 t - 0.6 t^2
    TarnBodyState s = state_of(bodies, id);
    assert_true(fabsf(s.position.x - 4.8f) < 5e-3f);
    assert_true(fabsf(s.velocity.z - 7.2f) < 0.1f && fabsf(s.position.z - 2.15f) < 0.1f);
    tarn_bodies_destroy(bodies);
    // On top of the island, and on the bed beside it.
    bodies = make_bodies(2);
    tarn__bodies_set_basins(bodies, &basin, 1);
    TarnBodyId top = add_body(bodies, crate, (TarnVec3){ -9.5f, 3.0f, 11.5f }, still);
    TarnBodyId beside = add_body(bodies, crate, (TarnVec3){ -9.5f, 3.0f, 8.0f }, still);
    run(bodies, 240);
    assert_true(fabsf(state_of(bodies, top).position.y - 2.4f) < 3e-3f);
    assert_true(fabsf(state_of(bodies, beside).position.y + 2.6f) < 3e-3f);
    tarn_bodies_destroy(bodies);
    tarn_wave_destroy(wave);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_two_grounds),  TEST(test_edges),    TEST(test_thickness),
        TEST(test_not_in_state), TEST(test_wave_bed), TEST(test_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
