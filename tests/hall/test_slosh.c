// The proof that the hall takes a solver that it has never heard of: the sloshing plane lives in this folder, and no file of
// src, apps or render names it (check_unnamed.sh). It steps, saves, hashes, resets, floats a ball and is read from JSON.

#include "slosh.h"
#include "../unit/hall_common.h"

static int begin_slosh(void** state)
{
    begin(state);
    return tarn_solver_register(ctx, tarn_slosh_class()) == TARN_OK ? 0 : -1;
}
#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_slosh, end)

static TarnSlosh* trough(TarnWorld* world, float x)
{
    TarnSloshDef def = tarn_slosh_default_def();
    TarnSlosh* slosh;
    def.origin = (TarnVec2){ x - 1.0f, -0.5f };
    assert_ok(tarn_world_add_slosh(world, &def, &slosh));
    return slosh;
}

static void set_damping(TarnSlosh* slosh, float damping)
{
    TarnSloshParams params = tarn_slosh_params(slosh);
    params.damping = damping;
    assert_ok(tarn_slosh_set_params(slosh, &params));
}

static void knock(TarnSlosh* slosh)
{
    TarnSurfacePush push = { .radius = 0.1f, .from_radius = 0.1f, .volume = 0.02f, .dt = frame };
    push.center = (TarnVec2){ tarn_slosh_def(slosh)->origin.x + 1.9f, 0.1f };
    push.from = (TarnVec2){ tarn_slosh_def(slosh)->origin.x + 0.1f, 0.0f };
    assert_ok(tarn_surface_push(tarn_slosh_surface(slosh), &push, NULL));
}

static void test_listed(void** state)
{
    (void)state;
    int n = 0;
    while (tarn_solver_class_at(NULL, n)) ++n;
    assert_ptr_equal(tarn_solver_class_at(ctx, n), tarn_slosh_class());
    assert_ptr_equal(tarn_solver_class_find(ctx, "slosh"), tarn_slosh_class());
    assert_null(tarn_solver_class_find(NULL, "slosh"));
    assert_int_equal(tarn_slosh_class()->n_stats, 3);
}

// The first sloshing mode of a basin: w^2 = g k tanh(k h).
static void test_period(void** state)
{
    (void)state;
    TarnWorld* world = new_world(2);
    TarnSlosh* slosh = trough(world, 0.0f);
    set_damping(slosh, 0.0f);
    knock(slosh);
    float start = tarn_slosh_slope(slosh).x, before = start, highest = 0.0f;
    double first = 0.0, last = 0.0;
    int crossings = 0;
    assert_true(start > 0.01f);
    for (int s = 0; s < 1200; ++s) {
        run(world, 1);
        float now = tarn_slosh_slope(slosh).x;
        if (before <= 0.0f && now > 0.0f) {
            last = tarn_world_time(world) - (double)(now / (now - before)) * (double)frame;
            if (crossings++ == 0) first = last;
        }
        if (s > 1000 && now > highest) highest = now;
        before = now;
    }
    double k = 3.141592653589793 / 2.0, period = (last - first) / (crossings - 1);
    double expected = 6.283185307179586 / sqrt(9.81 * k * tanh(k * 0.5));
    if (fabs(period / expected - 1.0) > 0.001) fail_msg("%g s, not %g s", period, expected);
    assert_float_equal(highest / start, 1.0, 0.01); // nothing is lost
    assert_float_equal(tarn_slosh_volume(slosh), 1.0, 1e-7);
    tarn_world_destroy(world);
}

static void test_state(void** state)
{
    (void)state;
    TarnWorld* world = new_world(4);
    TarnSlosh *slosh = trough(world, 0.0f), *second = trough(world, 20.0f);
    add_small(world, "wave", 40.0f);
    assert_string_equal(tarn_world_name_of(world, second), "slosh2");
    assert_ptr_equal(tarn_world_slosh(world, 1), second);
    assert_int_equal(tarn_world_slosh_count(world), 2);
    uint64_t calm = tarn_slosh_hash(slosh);
    knock(slosh);
    run(world, 10);
    size_t size;
    uint8_t* snapshot = save(world, &size);
    uint64_t hash = tarn_world_hash(world);
    run(world, 20);
    uint64_t future = tarn_world_hash(world);
    assert_ok(tarn_world_remove(world, slosh));
    run(world, 3);
    assert_ok(tarn_world_load(world, snapshot, size));
    assert_true(tarn_world_hash(world) == hash);
    run(world, 20);
    assert_true(tarn_world_hash(world) == future);
    for (size_t n = 0; n < size; n += 13) { // damaged anywhere
        snapshot[n] ^= 4;
        assert_int_not_equal(tarn_world_load(world, snapshot, size), TARN_OK);
        snapshot[n] ^= 4;
    }
    assert_true(tarn_world_hash(world) == future);
    tarn_slosh_reset(slosh);
    assert_true(tarn_slosh_hash(slosh) == calm);
    free(snapshot);
    tarn_world_destroy(world);
}

// Any dt, any push: finite, and water stays in the box.
static void test_absurd(void** state)
{
    (void)state;
    TarnWorld* world = new_world(2);
    TarnSlosh* slosh = trough(world, 0.0f);
    TarnSurface surface = tarn_slosh_surface(slosh);
    for (int n = 0; n < 200; ++n) {
        float huge = ldexpf(n % 2 ? 1.0f : -1.0f, n % 50);
        TarnSurfacePush push = {
            { huge > 1e6f ? 1e6f : 0.3f, 0 }, { 0, 0 }, 1, 1, 0, { 0, 0, 0 }, 0.1f
        };
        push.volume = fabsf(huge) < 1e12f ? huge : 1e12f;
        push.impulse = (TarnVec3){ huge, -huge, huge };
        assert_ok(tarn_surface_push(surface, &push, NULL));
        TarnSurfacePour pour = {
            { 0.4f, 0.1f }, 0.2f, fabsf(huge) < 1e12f ? huge : 0.0f, { 0, 0, 0 }
        };
        TarnSurfaceTaken taken;
        assert_ok(tarn_surface_pour(surface, &pour, &taken));
        assert_ok(tarn_slosh_step(slosh, n % 3 ? 10.0f : 1e-6f, NULL));
        assert_true(tarn_slosh_volume(slosh) > 0.0 && tarn_slosh_depth(slosh) <= 1000.1f);
        assert_null(nonfinite_part(world));
    }
    const float bad[] = { NAN, -1.0f, INFINITY, 10.1f };
    uint64_t hash = tarn_slosh_hash(slosh);
    for (int i = 0; i < 4; ++i)
        assert_result(tarn_slosh_step(slosh, bad[i], NULL), TARN_ERR_ARG, "0 to 10");
    assert_true(tarn_slosh_hash(slosh) == hash);
    tarn_world_destroy(world);
}

// By the generic coupling: a ball of 0.4 times the density of water floats with that share in it, and its waves tilt the plane.
static void test_floating_ball(void** state)
{
    (void)state;
    TarnWorld* world = new_world(2);
    TarnSlosh* slosh = trough(world, 0.0f);
    set_damping(slosh, 1.0f);
    TarnBodyDef def = tarn_body_default_def();
    TarnBodyId ball;
    def.shape = tarn_shape_sphere(0.1f);
    def.density = 400.0f;
    def.state.position = (TarnVec3){ 0.5f, 0.8f, 0.0f };
    def.state.velocity = (TarnVec3){ -2.0f, 0.0f, 0.0f }; // its drag takes the water along
    assert_ok(tarn_world_add_body(world, &def, &ball));
    float steepest = 0.0f;
    for (int s = 0; s < 900; ++s) {
        run(world, 1);
        steepest = fmaxf(steepest, fabsf(tarn_slosh_slope(slosh).x));
    }
    TarnBodyForce force;
    float mass, volume;
    assert_ok(tarn_bodies_get_force(tarn_world_bodies(world), ball, &force));
    assert_ok(tarn_bodies_get_mass(tarn_world_bodies(world), ball, &mass, &volume));
    assert_float_equal(force.force.y, mass * 9.81f, 0.02f * mass * 9.81f); // Archimedes
    assert_float_equal(force.submerged_volume / volume, 0.4f, 0.02f);
    assert_true(steepest > 1e-4f); // it pushed the water
    tarn_world_destroy(world);
}

static void test_ledger(void** state)
{
    (void)state;
    TarnWorld* world = new_world(2);
    TarnSlosh* slosh = trough(world, 0.0f);
    TarnEmitterDef def = tarn_emitter_default_def();
    def.kind = TARN_EMITTER_SOURCE, def.flow = 0.06f;
    assert_ok(tarn_world_add_emitter(world, &def, NULL));
    run(world, 60);
    TarnLedger ledger;
    assert_ok(tarn_world_ledger(world, &ledger, NULL, 0));
    assert_float_equal(ledger.held, 1.06, 1e-5);
    assert_float_equal(ledger.error, 0.0, 1e-12);
    assert_float_equal(tarn_slosh_depth(slosh), 0.53f, 1e-5f);
    def.kind = TARN_EMITTER_RAIN;
    assert_int_equal(tarn_world_add_emitter(world, &def, NULL), TARN_ERR_ARG);
    tarn_world_destroy(world);
}

static void test_scene(void** state)
{
    (void)state;
    static const TarnSceneOverride overrides[] = { { "trough.damping", "0.5" },
                                                   { "solvers[0].depth", "0.7" } };
    static const TarnSceneOverride bad[] = { { "trough.damping", "-1" }, { "trough.dampng", "1" } };
    TarnScene* scene;
    assert_ok(tarn_scene_create_from_file(ctx, SLOSH_JSON, overrides, 2, &scene));
    TarnSlosh* slosh = tarn_world_find(tarn_scene_world(scene), "trough");
    assert_non_null(slosh);
    assert_float_equal(tarn_slosh_params(slosh).damping, 0.5f, 0.0f);
    assert_float_equal(tarn_slosh_def(slosh)->depth, 0.7f, 0.0f);
    assert_float_equal(tarn_slosh_params(slosh).tilt.x, 0.05f, 0.0f);
    run(tarn_scene_world(scene), 60);
    assert_true(tarn_slosh_poured(slosh) > 0.009);
    tarn_scene_destroy(scene);
    for (int i = 0; i < 2; ++i)
        assert_int_equal(tarn_scene_create_from_file(ctx, SLOSH_JSON, &bad[i], 1, &scene),
                         TARN_ERR_ARG);
    const char text[] = "{\"tarn\":1,\"solvers\":[{\"kind\":\"slosh\",\"depth\":1e9}]}";
    assert_result(tarn_scene_create(ctx, text, sizeof text - 1, "t.json", NULL, 0, &scene),
                  TARN_ERR_DATA, "depth");
    TarnContext* other = make_context(1, TARN_ISA_AUTO); // that does not know it
    assert_int_equal(tarn_scene_create_from_file(other, SLOSH_JSON, NULL, 0, &scene),
                     TARN_ERR_DATA);
    tarn_context_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_listed), TEST(test_period), TEST(test_state),         TEST(test_absurd),
        TEST(test_ledger), TEST(test_scene),  TEST(test_floating_ball),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
