// Worlds that save and load: what was once refused, forgotten or changed by it. Storms: tests/robust/test_round_trip.c.

#include "test_common.h"

static TarnScene* open_scene(const char* name, const TarnSceneOverride* overrides, int n)
{
    char path[512];
    TarnScene* scene;
    snprintf(path, sizeof path, "%s/%s.json", TARN_SCENES_DIR, name);
    assert_ok(tarn_scene_create_from_file(ctx, path, overrides, n, &scene));
    return scene;
}

static uint8_t* save_world(const TarnWorld* world, size_t* size)
{
    tarn_world_save(world, NULL, 0, size);
    uint8_t* snapshot = malloc(*size);
    assert_ok(tarn_world_save(world, snapshot, *size, size));
    return snapshot;
}

static void step_world(TarnWorld* world, int n)
{
    for (int i = 0; i < n; ++i) assert_ok(tarn_world_step(world, frame, NULL));
}

// Loaded into a second scene: the same hash, and the same after some steps.
static void assert_same_future(const char* name, const TarnSceneOverride* overrides, int n,
                               int steps_before, int steps_after)
{
    TarnScene *a = open_scene(name, overrides, n), *b = open_scene(name, overrides, n);
    size_t size;
    step_world(tarn_scene_world(a), steps_before);
    uint8_t* snapshot = save_world(tarn_scene_world(a), &size);
    assert_ok(tarn_world_load(tarn_scene_world(b), snapshot, size));
    assert_true(tarn_world_hash(tarn_scene_world(a)) == tarn_world_hash(tarn_scene_world(b)));
    for (int s = 0; s < steps_after; ++s) {
        step_world(tarn_scene_world(a), 1);
        step_world(tarn_scene_world(b), 1);
        assert_true(tarn_world_hash(tarn_scene_world(a)) == tarn_world_hash(tarn_scene_world(b)));
    }
    free(snapshot);
    tarn_scene_destroy(a);
    tarn_scene_destroy(b);
}

// The air meets solids where they were at its last update, not where they are when it is loaded.
static void test_skipped_updates(void** state)
{
    (void)state;
    const TarnSceneOverride skip[] = { { "gas2.update_every", "2" } };
    assert_same_future("crossing_grids", skip, 1, 25, 4);
}

// Nothing has been looked for yet: it is not when it is loaded, either.
static void test_new_gas(void** state)
{
    (void)state;
    enum { N = 16 };
    static TarnVec3 velocity[N * N * N];
    static float density[N * N * N];
    TarnGasDef def = tarn_gas_default_def();
    TarnSolidsDef set = tarn_solids_default_def();
    TarnSolidDef ball = tarn_solid_default_def();
    TarnSolids* solids;
    TarnGas *a, *b;
    size_t size;
    def.nx = def.ny = def.nz = N, def.dx = 0.1f, def.obstacles = TARN_GAS_ITERATED;
    ball.shape.size.x = 0.3f, ball.motion.position = def.center;
    assert_ok(tarn_solids_create(ctx, &set, &solids));
    assert_ok(tarn_solids_add(solids, &ball, NULL));
    assert_ok(tarn_gas_create(ctx, &def, &a));
    assert_ok(tarn_gas_create(ctx, &def, &b));
    assert_ok(tarn_gas_set_solids(a, solids));
    assert_ok(tarn_gas_set_solids(b, solids));
    for (int c = 0; c < N * N * N; ++c) {
        velocity[c] = (TarnVec3){ uniform(-3, 3), uniform(-3, 3), uniform(-3, 3) };
        density[c] = uniform(0, 1);
    }
    assert_ok(tarn_gas_set_fields(a, velocity, density, NULL, NULL));
    tarn_gas_save(a, NULL, 0, &size);
    uint8_t* snapshot = malloc(size);
    assert_ok(tarn_gas_save(a, snapshot, size, &size));
    assert_ok(tarn_gas_load(b, snapshot, size));
    assert_true(tarn_gas_hash(a) == tarn_gas_hash(b));
    assert_ok(tarn_gas_step(a, frame, NULL));
    assert_ok(tarn_gas_step(b, frame, NULL));
    assert_true(tarn_gas_hash(a) == tarn_gas_hash(b));
    free(snapshot);
    tarn_gas_destroy(a);
    tarn_gas_destroy(b);
    tarn_solids_destroy(solids);
}

// Grids so small that a body feels the boundary faces.
static void test_small_grids(void** state)
{
    (void)state;
    static const char* const sizes[] = { "4", "5", "6" };
    for (int n = 0; n < 3; ++n) {
        const TarnSceneOverride small[] = { { "shallow.nx", sizes[n] } };
        assert_same_future("boat_fast", small, 1, 20, 10);
    }
}

// Two frozen particles have no mass in common: no force of nothing over nothing.
static void test_frozen_drops(void** state)
{
    (void)state;
    const TarnSceneOverride frozen[] = { { "liquid.kinds[0].freezing_point", "1" },
                                         { "liquid.spacing", "0.04" } };
    assert_same_future("lennard_jones_drops", frozen, 2, 6, 2);
}

// The host moves the window between two steps; the box of the bodies follows with the next one.
static void test_shifted_window(void** state)
{
    (void)state;
    TarnScene *a = open_scene("floating_bodies", NULL, 0),
              *b = open_scene("floating_bodies", NULL, 0);
    TarnWorld *first = tarn_scene_world(a), *second = tarn_scene_world(b);
    size_t size;
    step_world(first, 3);
    assert_ok(tarn_wave_shift(tarn_world_wave(first, 0), 3, -2));
    uint8_t* snapshot = save_world(first, &size);
    assert_ok(tarn_world_load(second, snapshot, size));
    assert_true(tarn_world_hash(first) == tarn_world_hash(second));
    step_world(first, 3);
    step_world(second, 3);
    assert_true(tarn_world_hash(first) == tarn_world_hash(second));
    free(snapshot);
    tarn_scene_destroy(a);
    tarn_scene_destroy(b);
}

// ---- Bodies and their solids ------------------------------------------------------------------------

enum { WITH_LIQUID, WITH_PARTICLES, WITH_GAS, KINDS };

static TarnWorld* make_world(int kind, TarnBodyId bodies[2])
{
    TarnWorldDef def = tarn_world_default_def();
    TarnWorld* world;
    assert_ok(tarn_world_create(ctx, &def, &world));
    TarnLiquidDef liquid = tarn_liquid_default_def();
    TarnParticlesDef particles = tarn_particles_default_def();
    TarnGasDef gas = tarn_gas_default_def();
    liquid.spacing = 0.1f, liquid.max_particles = 400;
    liquid.box_min = (TarnVec3){ -1, 0, -0.3f }, liquid.box_max = (TarnVec3){ 1, 2, 0.3f };
    gas.nx = gas.ny = gas.nz = 16, gas.obstacles = TARN_GAS_ITERATED;
    if (kind == WITH_LIQUID) assert_ok(tarn_world_add_liquid(world, &liquid, NULL));
    if (kind == WITH_PARTICLES) assert_ok(tarn_world_add_particles(world, &particles, NULL));
    if (kind == WITH_GAS) assert_ok(tarn_world_add_gas(world, &gas, NULL));
    for (int n = 0; n < 2; ++n) {
        TarnBodyDef body = tarn_body_default_def();
        body.shape = tarn_shape_box(0.1f, 0.1f, 0.1f);
        body.state.position = (TarnVec3){ n - 0.5f, 1.0f, 0.0f };
        assert_ok(tarn_world_add_body(world, &body, &bodies[n]));
    }
    return world;
}

// Also with a step between, and added again: the solids go with the bodies at once.
static void test_removed_body(void** state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        TarnBodyId bodies[2];
        TarnWorld* world = make_world(kind, bodies);
        size_t size;
        step_world(world, 2);
        assert_ok(tarn_bodies_remove(tarn_world_bodies(world), bodies[0]));
        assert_int_equal(tarn_solids_count(tarn_world_solids(world)), 1);
        uint8_t* snapshot = save_world(world, &size);
        uint64_t hash = tarn_world_hash(world);
        assert_ok(tarn_world_load(world, snapshot, size));
        assert_true(tarn_world_hash(world) == hash);
        step_world(world, 2);
        assert_ok(tarn_world_load(world, snapshot, size));
        assert_true(tarn_world_hash(world) == hash);
        free(snapshot);
        // A snapshot that is refused leaves a world as it is that has just lost a body.
        assert_ok(tarn_bodies_remove(tarn_world_bodies(world), bodies[1]));
        hash = tarn_world_hash(world);
        assert_result(tarn_world_load(world, "rubbish", 7), TARN_ERR_DATA, "not a Tarn snapshot");
        assert_true(tarn_world_hash(world) == hash);
        tarn_world_destroy(world);
    }
}

// A body as light as foam under a force without measure: its velocity is predicted beyond any range.
static void test_predicted_velocity(void** state)
{
    (void)state;
    TarnBodyId bodies[2];
    TarnWorld* world = make_world(WITH_LIQUID, bodies);
    size_t size;
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape = tarn_shape_box_between((TarnVec3){ -1, 0, -0.3f }, (TarnVec3){ 1, 0.5f, 0.3f },
                                        &fill.pose.position);
    assert_ok(tarn_liquid_fill(tarn_world_liquid(world, 0), &fill, NULL));
    assert_ok(tarn_bodies_add_force(tarn_world_bodies(world), bodies[0],
                                    (TarnVec3){ 5e6f, 0.0f, 0.0f }, (TarnVec3){ 0, 0, 0 }));
    step_world(world, 1);
    uint8_t* snapshot = save_world(world, &size);
    assert_ok(tarn_world_load(world, snapshot, size));
    free(snapshot);
    tarn_world_destroy(world);
}

// ---- What is refused changes nothing ----------------------------------------------------------------

static void test_refused_calls(void** state)
{
    (void)state;
    TarnWorldDef def = tarn_world_default_def();
    TarnWorld* world;
    TarnBodyDef body = tarn_body_default_def();
    TarnBodyId id;
    assert_ok(tarn_world_create(ctx, &def, &world));
    body.shape = tarn_shape_sphere(0.3f);
    assert_ok(tarn_world_add_body(world, &body, &id));
    uint64_t hash = tarn_world_hash(world);
    TarnSolidDef solid = tarn_solid_default_def();
    solid.shape.size.x = -1.0f;
    TarnLiquidDef liquid = tarn_liquid_default_def();
    liquid.spacing = -1.0f;
    TarnParticlesDef particles = tarn_particles_default_def();
    particles.max_particles = -5;
    TarnGasDef gas = tarn_gas_default_def();
    gas.nx = 7;
    TarnBudget budget = tarn_budget_default(1.0f);
    budget.update_every = 0;
    TarnCurlNoise noise = tarn_curl_noise_default(ctx);
    noise.size = -1.0f;
    for (int n = 0; n < 2; ++n) {
        assert_result(tarn_world_add_solid(world, &solid, NULL), TARN_ERR_ARG, "size");
        assert_result(tarn_world_add_solid(world, NULL, NULL), TARN_ERR_ARG, "");
        assert_result(tarn_world_add_liquid(world, &liquid, NULL), TARN_ERR_ARG, "spacing");
        assert_result(tarn_world_add_particles(world, &particles, NULL), TARN_ERR_ARG, "particles");
        assert_result(tarn_world_add_gas(world, &gas, NULL), TARN_ERR_ARG, "nx");
        assert_result(tarn_world_set_curl_noise(world, &noise), TARN_ERR_ARG, "size");
        assert_result(tarn_world_set_budget(world, &budget), TARN_ERR_ARG, "update_every");
        assert_null(tarn_world_budget(world));
        assert_int_equal(tarn_solids_count(tarn_world_solids(world)), n);
        assert_true(tarn_world_hash(world) == hash);
        step_world(world, 1); // nothing points to solids that are gone
        if (n == 1) break;
        solid.shape.size.x = 0.2f;
        assert_ok(tarn_world_add_solid(world, &solid, NULL));
        solid.shape.size.x = -1.0f;
        hash = tarn_world_hash(world);
    }
    tarn_world_destroy(world);
}

// A fire that finds no room for its smoke takes its flames and its region back, without a trace.
static void test_refused_fire(void** state)
{
    (void)state;
    TarnWorldDef def = tarn_world_default_def();
    TarnWorld* world;
    assert_ok(tarn_world_create(ctx, &def, &world));
    TarnLiquidDef liquid = tarn_liquid_default_def();
    liquid.spacing = 0.2f;
    TarnParticlesDef particles = tarn_particles_default_def();
    particles.max_emitters = 1;
    assert_ok(tarn_world_add_liquid(world, &liquid, NULL));
    assert_ok(tarn_world_add_particles(world, &particles, NULL));
    TarnFireDef fire = tarn_fire_default_def();
    uint64_t hash = tarn_world_hash(world);
    assert_result(tarn_world_add_fire(world, &fire, NULL), TARN_ERR_CAPACITY, "max_emitters");
    assert_true(tarn_world_hash(world) == hash);
    tarn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_skipped_updates),    TEST(test_new_gas),        TEST(test_small_grids),
        TEST(test_frozen_drops),       TEST(test_shifted_window), TEST(test_removed_body),
        TEST(test_predicted_velocity), TEST(test_refused_calls),  TEST(test_refused_fire),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
