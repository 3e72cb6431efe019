// Worlds with liquid, particles and solids: snapshots, workers, drivers of solids, what bodies carry, fires,
// engines, arguments. Built from scenes, because that is the shortest way to say what is in them.

#include "scene_common.h"
#include "tarn/show.h"
#include "base/snapshot.h"
#include "tarn/coupling.h"

static char* save(const TarnWorld* world, size_t* size)
{
    assert_int_equal(tarn_world_save(world, NULL, 0, size), TARN_ERR_CAPACITY);
    char* buffer = malloc(*size);
    assert_int_equal(tarn_world_save(world, buffer, *size, size), TARN_OK);
    return buffer;
}

static TarnBodyId body_at(TarnWorld* world, int n)
{
    return tarn_bodies_at(tarn_world_bodies(world), n);
}

static TarnBodyState state_of(TarnWorld* world, int n)
{
    TarnBodyState s;
    assert_int_equal(tarn_bodies_get_state(tarn_world_bodies(world), body_at(world, n), &s),
                     TARN_OK);
    return s;
}

static TarnMotion solid_motion(TarnWorld* world, int n)
{
    TarnSolids* solids = tarn_world_solids(world);
    TarnSolidDef def;
    assert_int_equal(tarn_solids_get(solids, tarn_solids_at(solids, n), &def), TARN_OK);
    return def.motion;
}

// ---- Snapshots -----------------------------------------------------------------------------------

static void test_save_and_load(void** state)
{
    (void)state;
    TarnScene *a = create(splashing), *b = create(splashing);
    TarnWorld *wa = tarn_scene_world(a), *wb = tarn_scene_world(b);
    assert_true(tarn_world_hash(wa) == tarn_world_hash(wb));
    step(wa, 1.0f / 60, 40);
    size_t size;
    char* snapshot = save(wa, &size);
    uint64_t hash = tarn_world_hash(wa);
    step(wa, 1.0f / 60, 40);
    uint64_t future = tarn_world_hash(wa);
    assert_true(future != hash);

    assert_int_equal(tarn_world_load(wb, snapshot, size), TARN_OK); // into one that never ran
    assert_true(tarn_world_hash(wb) == hash);
    step(wb, 1.0f / 60, 40);
    assert_true(tarn_world_hash(wb) == future);
    assert_int_equal(tarn_world_load(wa, snapshot, size), TARN_OK); // back in time
    assert_true(tarn_world_hash(wa) == hash);
    step(wa, 1.0f / 60, 40);
    assert_true(tarn_world_hash(wa) == future);
    free(snapshot);
    tarn_scene_destroy(a);
    tarn_scene_destroy(b);
}

// Whatever a file holds: it loads or it is refused, and then nothing has changed.
static void test_damaged_snapshots(void** state)
{
    (void)state;
    TarnScene* scene = create(splashing);
    TarnWorld* world = tarn_scene_world(scene);
    step(world, 1.0f / 60, 5);
    size_t size;
    char* good = save(world, &size);
    char* bad = malloc(size);
    step(world, 1.0f / 60, 3);
    uint64_t hash = tarn_world_hash(world);
    int n_refused = 0;
    for (int n = 0; n < 300; n += is_short_run() ? 5 : 1) {
        memcpy(bad, good, size);
        size_t at =
            TARN_SNAPSHOT_HEADER + tarn__random(1, 2, (uint64_t)n) % (n < 150 ? 1500 : size - 60);
        bad[at] = (char)(bad[at] ^ (1 + tarn__random(1, 3, (uint64_t)n) % 255));
        uint64_t payload = size - TARN_SNAPSHOT_HEADER, sum;
        sum = tarn_hash(bad + TARN_SNAPSHOT_HEADER, payload, 0);
        memcpy(bad + 40, &sum, 8);
        sum = tarn_hash(bad, 48, 1);
        memcpy(bad + 48, &sum, 8);
        if (tarn_world_load(world, bad, size) != TARN_OK) {
            assert_true(tarn_world_hash(world) == hash);
            ++n_refused;
        } else {
            step(world, 1.0f / 60, 1);
            assert_true(is_finite_world(world));
            assert_int_equal(tarn_world_load(world, good, size), TARN_OK);
            step(world, 1.0f / 60, 3);
            assert_true(tarn_world_hash(world) == hash);
        }
    }
    assert_true(n_refused > (is_short_run() ? 20 : 100)); // a third
    free(bad);
    free(good);
    tarn_scene_destroy(scene);
}

static void test_same_for_any_workers(void** state)
{
    (void)state;
    uint64_t hash[3];
    const int workers[3] = { 1, 2, 5 };
    TarnContext* first = ctx;
    for (int i = 0; i < 3; ++i) {
        ctx = make_context(workers[i], i == 1 ? TARN_ISA_BASELINE : TARN_ISA_AUTO);
        TarnScene* scene = create(splashing);
        step(tarn_scene_world(scene), 1.0f / 60, 40);
        hash[i] = tarn_world_hash(tarn_scene_world(scene));
        tarn_scene_destroy(scene);
        tarn_context_destroy(ctx);
    }
    ctx = first;
    assert_true(hash[0] == hash[1] && hash[0] == hash[2]);
}

static void test_no_allocation(void** state)
{
    (void)state;
    TarnScene* scene = create(splashing);
    TarnWorld* world = tarn_scene_world(scene);
    int before = memory.calls;
    step(world, 1.0f / 60, 20);
    step(world, 1.0f, 1);
    assert_int_equal(memory.calls, before);
    assert_true(is_finite_world(world));
    tarn_scene_destroy(scene);
}

// ---- Drivers -------------------------------------------------------------------------------------

static void test_solid_drivers(void** state)
{
    (void)state;
    TarnScene* scene = create(splashing);
    TarnWorld* world = tarn_scene_world(scene);
    step(world, 1.0f / 60, 60); // 1 s
    TarnMotion spin = solid_motion(world, 0), shake = solid_motion(world, 1),
               slide = solid_motion(world, 2), cannon = state_of(world, 2);
    float angle = 4.0f * (1.0f - 0.25f); // half a second of ramp
    assert_float_equal(fabsf(spin.rotation.z), fabsf(sinf(0.5f * angle)), 1e-4);
    assert_float_equal(spin.angular_velocity.z, 4, 1e-5);
    assert_float_equal(shake.position.x, 0.1 * sin(2 * 3.14159265 * 2), 1e-4);
    assert_float_equal(shake.velocity.x, 0.1 * 2 * 3.14159265 * 2, 1e-3);
    // 2 m/s over half a meter: a way of 4 lengths in a second ends where it began.
    assert_float_equal(slide.position.x, 0.5, 1e-3);
    assert_float_equal(fabsf(slide.velocity.x), 2, 1e-4);
    assert_float_equal(cannon.rotation.z, sinf(0.1f), 1e-5);
    tarn_scene_destroy(scene);
}

// Steps of any length end at the same pose.
static void test_drivers_are_functions_of_time(void** state)
{
    (void)state;
    TarnScene *a = create(splashing), *b = create(splashing);
    step(tarn_scene_world(a), 1.0f / 60, 30);
    step(tarn_scene_world(b), 1.0f / 10, 5);
    for (int n = 0; n < 3; ++n) {
        TarnMotion ma = solid_motion(tarn_scene_world(a), n),
                   mb = solid_motion(tarn_scene_world(b), n);
        assert_float_equal(ma.position.x, mb.position.x, 1e-4);
        assert_float_equal(ma.rotation.z, mb.rotation.z, 1e-4);
    }
    tarn_scene_destroy(a);
    tarn_scene_destroy(b);
}

static void refuse_driver(TarnWorld* world, TarnSolidId solid, TarnDriverDef def, const char* word)
{
    assert_int_equal(tarn_world_set_solid_driver(world, solid, &def), TARN_ERR_ARG);
    if (strstr(tarn_last_error(ctx), word) == NULL) fail_msg("%s", tarn_last_error(ctx));
}

static void test_driver_arguments(void** state)
{
    (void)state;
    TarnScene* scene = create(splashing);
    TarnWorld* world = tarn_scene_world(scene);
    TarnSolidId solid = tarn_solids_at(tarn_world_solids(world), 3);
    TarnDriverDef def = tarn_driver_default_def();
    def.kind = TARN_DRIVER_CIRCLE;
    refuse_driver(world, solid, def, "spin, shake");
    def.kind = TARN_DRIVER_SPIN;
    refuse_driver(world, (TarnSolidId){ 0 }, def, "stale");
    def.axis = (TarnVec3){ 0, 0, 0 };
    refuse_driver(world, solid, def, "must not be zero");
    def = tarn_driver_default_def();
    def.kind = TARN_DRIVER_SHAKE;
    def.amplitude.x = 900;
    def.period = 0.01f;
    refuse_driver(world, solid, def, "amplitude");
    def = tarn_driver_default_def();
    def.kind = TARN_DRIVER_SLIDE;
    def.start = 2;
    def.stop = 1;
    refuse_driver(world, solid, def, "before driver.start");
    def.stop = 3;
    assert_int_equal(tarn_world_set_solid_driver(world, solid, &def), TARN_OK);
    def.kind = TARN_DRIVER_NONE;
    assert_int_equal(tarn_world_set_solid_driver(world, solid, &def), TARN_OK);
    // A driver of a free body must be thrust.
    def.kind = TARN_DRIVER_SPIN;
    assert_int_equal(tarn_world_set_driver(world, body_at(world, 0), &def), TARN_ERR_ARG);
    tarn_solids_remove(tarn_world_solids(world), solid); // and the world goes on
    step(world, 1.0f / 60, 3);
    tarn_scene_destroy(scene);
}

// ---- Bodies, carried things, fires ---------------------------------------------------------------

static void test_bodies_are_planar(void** state)
{
    (void)state;
    TarnScene* scene = create(splashing);
    TarnWorld* world = tarn_scene_world(scene);
    TarnBodies* bodies = tarn_world_bodies(world);
    int freedom;
    tarn_bodies_get_freedom(bodies, body_at(world, 0), &freedom, NULL);
    assert_int_equal(freedom, TARN_BODY_PLANAR);
    tarn_bodies_get_freedom(bodies, body_at(world, 1), &freedom, NULL);
    assert_int_equal(freedom, TARN_BODY_HINGE);
    TarnVec3 wheel = state_of(world, 1).position;
    step(world, 1.0f / 60, 60);
    TarnBodyState crate = state_of(world, 0);
    assert_true(crate.position.z == 0.0f && crate.velocity.z == 0.0f && crate.rotation.x == 0.0f);
    TarnVec3 still = state_of(world, 1).position;
    assert_memory_equal(&wheel, &still, sizeof wheel);
    // The walls of the liquid hold it, however fast it is.
    crate.velocity = (TarnVec3){ -300.0f, 20.0f, 0.0f };
    assert_int_equal(tarn_bodies_set_state(bodies, body_at(world, 0), &crate), TARN_OK);
    step(world, 1.0f / 60, 30);
    crate = state_of(world, 0);
    assert_true(crate.position.x > -2.0f && crate.position.x < 2.0f && crate.position.y > 0.0f);
    tarn_scene_destroy(scene);
}

// A body's solid is there before the first step, has the body's color, and goes with the body.
static void test_solids_of_bodies(void** state)
{
    (void)state;
    TarnScene* scene = create(splashing);
    TarnWorld* world = tarn_scene_world(scene);
    TarnBodies* bodies = tarn_world_bodies(world);
    assert_int_equal(tarn_solids_count(tarn_world_solids(world)), 5 + 3);
    TarnSolidId crate = tarn_couple_solid_of(bodies, body_at(world, 0));
    TarnSolidId wheel = tarn_couple_solid_of(bodies, body_at(world, 1));
    assert_true(crate.value != 0 && wheel.value != 0);
    assert_true(tarn_couple_body_of(bodies, wheel).value == body_at(world, 1).value);
    assert_float_equal(tarn_scene_solid_color(scene, crate).y, 1, 0);
    assert_true(tarn_scene_solid_is_hidden(scene, crate)); // the body itself is drawn
    assert_false(tarn_scene_body_is_hidden(scene, body_at(world, 0)));
    assert_false(tarn_scene_solid_is_hidden(scene, wheel)); // and here its blades
    assert_true(tarn_scene_body_is_hidden(scene, body_at(world, 1)));
    TarnSolids* solids = tarn_world_solids(world);
    assert_float_equal(tarn_scene_solid_color(scene, tarn_solids_at(solids, 2)).x, 1, 0);
    assert_true(tarn_scene_solid_is_hidden(scene, tarn_solids_at(solids, 4)));
    tarn_bodies_remove(bodies, body_at(world, 0));
    step(world, 1.0f / 60, 1);
    assert_int_equal(tarn_solids_count(solids), 5 + 2);
    tarn_scene_destroy(scene);
}

// The cannon turns, and the jet with it; the crate falls, and its smoke with it.
static void test_carried(void** state)
{
    (void)state;
    TarnScene* scene = create(splashing);
    TarnWorld* world = tarn_scene_world(scene);
    uint64_t before = tarn_liquid_ledger(tarn_world_liquid(world, 0)).added;
    step(world, 1.0f / 60, 30);
    TarnLiquidView view = tarn_liquid_view(tarn_world_liquid(world, 0));
    assert_true(tarn_liquid_ledger(tarn_world_liquid(world, 0)).added > before + 30);
    int n_near = 0;
    TarnBodyState cannon = state_of(world, 2);
    for (int i = 0; i < view.n; ++i) {
        float dx = view.x[i] - cannon.position.x, dy = view.y[i] - cannon.position.y;
        n_near += dx > 0.25f && dx < 0.5f && fabsf(dy) < 0.3f && view.vx[i] > 2.0f;
    }
    assert_true(n_near > 4);
    TarnParticlesView smoke = tarn_particles_view(tarn_world_particles(world, 0));
    TarnVec3 crate = state_of(world, 0).position;
    float nearest = 10.0f;
    for (int i = 0; i < smoke.n; ++i) {
        float d = fabsf(smoke.x[i] - crate.x) + fabsf(smoke.y[i] - crate.y - 0.2f);
        if (smoke.age[i] < 0.05f && smoke.kind[i] == 0 && d < nearest) nearest = d;
    }
    assert_true(nearest < 0.4f);
    // What is carried stays when its body goes.
    tarn_bodies_remove(tarn_world_bodies(world), body_at(world, 2));
    step(world, 1.0f / 60, 5);
    TarnLiquidSourceDef source = tarn_liquid_source_default_def();
    TarnLiquid* liquid = tarn_world_liquid(world, 0);
    assert_int_equal(tarn_world_attach(world, liquid, "sources", 0, &source, body_at(world, 0), 0),
                     TARN_ERR_ARG);
    assert_int_equal(tarn_world_attach(world, liquid, "sources", 1, &source, (TarnBodyId){ 0 }, 0),
                     TARN_ERR_ARG);
    assert_int_equal(tarn_world_attach(world, liquid, "springs", 1, &source, body_at(world, 0), 0),
                     TARN_ERR_ARG);
    assert_int_equal(tarn_world_attach(world, liquid, "regions", 1, &source, body_at(world, 0), 0),
                     TARN_ERR_UNSUPPORTED);
    tarn_scene_destroy(scene);
}

static void test_fires(void** state)
{
    (void)state;
    TarnScene* scene = create(splashing);
    TarnWorld* world = tarn_scene_world(scene);
    assert_int_equal(tarn_world_fire_count(world), 2);
    assert_float_equal(tarn_fire_strength(tarn_world_fire(world, 0)), 1, 0);
    step(world, 1.0f / 60, 60);
    assert_float_equal(tarn_fire_strength(tarn_world_fire(world, 0)), 0,
                       0); // it stood in the water
    assert_float_equal(tarn_fire_strength(tarn_world_fire(world, 1)), 1,
                       0); // and this one high above
    TarnParticlesView view = tarn_particles_view(tarn_world_particles(world, 0));
    int flames[2] = { 0, 0 };
    step(world, 1.0f / 60, 60);
    view = tarn_particles_view(tarn_world_particles(world, 0));
    for (int i = 0; i < view.n; ++i)
        if (view.kind[i] == 1 && view.age[i] < 0.2f) ++flames[view.x[i] > 0.5f];
    assert_int_equal(flames[0], 0);
    assert_true(flames[1] > 10);
    assert_float_equal(tarn_fire_strength(tarn_world_fire(world, 5)), 0, 0);
    TarnFireDef def = tarn_fire_default_def();
    def.water = -1.0f;
    assert_int_equal(tarn_world_add_fire(world, &def, NULL), TARN_ERR_ARG);
    tarn_scene_destroy(scene);
    scene = create(HEAD "\"solvers\":[{\"kind\":\"particles\"}]}");
    def = tarn_fire_default_def();
    assert_int_equal(tarn_world_add_fire(tarn_scene_world(scene), &def, NULL),
                     TARN_ERR_UNSUPPORTED);
    tarn_scene_destroy(scene);
}

// ---- Engines -------------------------------------------------------------------------------------

static TarnResult lift(TarnBodies* bodies, float dt, void* user)
{
    ++*(int*)user;
    for (int n = 0; n < tarn_bodies_count(bodies); ++n) {
        TarnBodyState s;
        tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, n), &s);
        s.position.y += dt;
        if (!tarn_bodies_is_driven(bodies, tarn_bodies_at(bodies, n)))
            tarn_bodies_set_state(bodies, tarn_bodies_at(bodies, n), &s);
    }
    return TARN_OK;
}

static void test_engine(void** state)
{
    (void)state;
    TarnScene* scene = create(splashing);
    TarnWorld* world = tarn_scene_world(scene);
    int calls = 0;
    float y = state_of(world, 0).position.y;
    assert_int_equal(tarn_world_set_body_engine(world, lift, &calls), TARN_OK);
    TarnVec3 force, up = { 0, 1, 0 }, none = { 0, 0, 0 };
    tarn_bodies_add_force(tarn_world_bodies(world), body_at(world, 0), up, none);
    step(world, 1.0f / 60, 6);
    assert_int_equal(calls, 6);
    TarnBodiesDef box =
        tarn_bodies_def(tarn_world_bodies(world)); // the tank, where engines build walls
    assert_float_equal(box.box_min.x, -2.0f, 0);
    assert_float_equal(box.box_min.y, 0.0f, 0);
    assert_float_equal(box.box_max.x, 2.0f, 0);
    assert_float_equal(state_of(world, 0).position.y, y + 0.1, 1e-4);
    tarn_bodies_get_added_force(tarn_world_bodies(world), body_at(world, 0), &force, NULL);
    assert_float_equal(force.y, 0, 0); // the world cleared it
    assert_int_equal(tarn_world_set_body_engine(world, NULL, NULL), TARN_OK);
    step(world, 1.0f / 60, 1);
    assert_int_equal(calls, 6);
    tarn_scene_destroy(scene);
}

// ---- Arguments -----------------------------------------------------------------------------------

static void test_arguments(void** state)
{
    (void)state;
    TarnWorldDef def = tarn_world_default_def();
    TarnWorld* world;
    assert_int_equal(tarn_world_create(ctx, &def, &world), TARN_OK);
    assert_null(tarn_world_liquid(world, 0));
    assert_null(tarn_world_particles(world, 0));
    assert_int_equal(tarn_solids_count(tarn_world_solids(world)), 0);
    assert_int_equal(tarn_world_add_liquid(world, NULL, NULL), TARN_ERR_ARG);
    TarnLiquidDef liquid = tarn_liquid_default_def();
    liquid.max_particles = 100;
    assert_int_equal(tarn_world_add_liquid(world, &liquid, NULL), TARN_OK);
    assert_int_equal(tarn_world_add_liquid(world, &liquid, NULL), TARN_OK); // as many as you like
    TarnWaveDef wave = tarn_wave_default_def();
    wave.nx = wave.nz = 16;
    wave.use_bodies = true; // beside a liquid
    assert_int_equal(tarn_world_add_wave(world, &wave, NULL), TARN_OK);
    assert_int_equal(tarn_world_liquid_count(world), 2);
    step(world, 1.0f / 60, 3);
    tarn_world_destroy(world);
    assert_int_equal(tarn_world_add_liquid(NULL, &liquid, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_world_add_particles(NULL, NULL, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_world_add_solid(NULL, NULL, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_world_set_body_engine(NULL, NULL, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_world_fire_count(NULL), 0);
}

// The n-th allocation fails, for every n: an error, and nothing stays behind.
static void test_failing_memory(void** state)
{
    (void)state;
    size_t before = memory.bytes;
    for (int n = 1; n < 200; ++n) {
        TarnScene* scene;
        memory.calls = 0;
        memory.fail_at = n;
        TarnResult result = create_with(splashing, strlen(splashing), NULL, 0, &scene);
        memory.fail_at = 0;
        if (result == TARN_OK) {
            tarn_scene_destroy(scene);
            assert_int_equal(memory.bytes, before);
            assert_true(n > 10);
            return;
        }
        assert_int_equal(result, TARN_ERR_MEMORY);
        assert_int_equal(memory.bytes, before);
    }
    fail_msg("it never had enough memory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST_ALONE(test_save_and_load),
        UNIT_TEST_ALONE(test_damaged_snapshots),
        cmocka_unit_test(test_same_for_any_workers),
        UNIT_TEST_ALONE(test_no_allocation),
        UNIT_TEST_ALONE(test_solid_drivers),
        UNIT_TEST_ALONE(test_drivers_are_functions_of_time),
        UNIT_TEST_ALONE(test_driver_arguments),
        UNIT_TEST_ALONE(test_bodies_are_planar),
        UNIT_TEST_ALONE(test_solids_of_bodies),
        UNIT_TEST_ALONE(test_carried),
        UNIT_TEST_ALONE(test_fires),
        UNIT_TEST_ALONE(test_engine),
        UNIT_TEST_ALONE(test_arguments),
        UNIT_TEST_ALONE(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
