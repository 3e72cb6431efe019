// Spray: what is refused, drops that fall, full pools, snapshots, windows, the ledger of a world.

#include "test_common.h"
#include "tarn/world.h"

static TarnSpray* make(int max_drops)
{
    TarnSprayDef def = tarn_spray_default_def();
    TarnSpray* spray;
    def.nx = def.nz = 16, def.dx = 0.5f, def.max_drops = max_drops, def.max_foam = 256;
    assert_ok(tarn_spray_create(ctx, &def, &spray));
    assert_true(tarn_spray_memory(&def) > 0);
    return spray;
}

static TarnThrow throw_up(double volume)
{
    return (TarnThrow){ .position = { 4, 1, 4 },
                        .half = { 0.2f, 0.2f, 0.2f },
                        .velocity = { 1, 4, 0 },
                        .volume = volume,
                        .kind = TARN_THROW_FALL };
}

static void refuses(void** state)
{
    (void)state;
    TarnSprayDef def = tarn_spray_default_def();
    TarnSpray* spray;
    def.nx = 1;
    assert_int_equal(tarn_spray_create(ctx, &def, &spray), TARN_ERR_ARG);
    assert_null(spray);
    assert_non_null(strstr(tarn_last_error(ctx), "spray.nx"));
    assert_int_equal(tarn_spray_memory(&def), 0);
    spray = make(64);
    assert_int_equal(tarn_spray_step(spray, NULL, -1.0f, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_spray_step(spray, NULL, NAN, NULL), TARN_ERR_ARG);
    TarnThrow bad[] = { throw_up(-1), throw_up(NAN), throw_up(1), throw_up(1), throw_up(1) };
    bad[2].velocity.y = INFINITY, bad[3].kind = 7, bad[4].power = -1.0f;
    for (int i = 0; i < 5; ++i) assert_int_equal(tarn_spray_throw(spray, 1, &bad[i]), TARN_ERR_ARG);
    assert_int_equal(tarn_spray_add_foam(spray, (TarnVec2){ 0, 0 }, -1, 1), TARN_ERR_ARG);
    assert_int_equal(tarn_spray_add_rain(spray, (TarnVec2){ NAN, 0 }), TARN_ERR_ARG);
    assert_int_equal(tarn_spray_shift(spray, 1 << 24, 0), TARN_ERR_ARG);
    TarnSprayParams params = tarn_spray_default_params();
    params.radius = 0.0f;
    assert_int_equal(tarn_spray_set_params(spray, &params), TARN_ERR_ARG);
    assert_true(tarn_spray_ledger(spray).held == 0.0);
    tarn_spray_destroy(spray);
}

// Without a water to pour into, drops come from the sea and go there.
static void drops_fall_into_the_sea(void** state)
{
    (void)state;
    TarnSpray* spray = make(4096);
    TarnThrow t = throw_up(0.25);
    assert_ok(tarn_spray_throw(spray, 1, &t));
    assert_true(tarn_spray_ledger(spray).held == 0.25);
    for (int s = 0; s < 60; ++s) assert_ok(tarn_spray_step(spray, NULL, 1.0f / 60.0f, NULL));
    assert_true(tarn_spray_drops(spray).n > 0);
    for (int s = 0; s < 600; ++s) assert_ok(tarn_spray_step(spray, NULL, 1.0f / 60.0f, NULL));
    TarnSprayLedger l = tarn_spray_ledger(spray);
    assert_true(l.error == 0.0 && l.to_sea > 0.2499 && l.held < 1e-4);
    assert_int_equal(tarn_spray_drops(spray).n, 0);
    tarn_spray_destroy(spray);
}

// With no room for drops the volume waits, and is poured with the next ones that land.
static void full_pools_lose_nothing(void** state)
{
    (void)state;
    TarnSpray* spray = make(16);
    TarnThrow t = throw_up(2.0);
    TarnStepReport report;
    for (int n = 0; n < 8; ++n) assert_ok(tarn_spray_throw(spray, 1, &t));
    assert_ok(tarn_spray_step(spray, NULL, 1.0f / 60.0f, &report));
    assert_int_equal(tarn_spray_drops(spray).n, 16);
    assert_true(fabs(tarn_spray_ledger(spray).held - 16.0) < 1e-9);
    assert_ok(tarn_spray_step(spray, NULL, 10.0f, &report));
    assert_true(tarn_spray_ledger(spray).error == 0.0);
    tarn_spray_destroy(spray);
}

static float ledge(float x, float z, void* user)
{
    (void)z, (void)user;
    return x < 4.0f ? 3.0f : 0.0f;
}

typedef struct Falls {
    TarnWorld* world;
    TarnShallow* shallow;
    TarnSpray* spray;
} Falls;

static Falls make_falls(void)
{
    Falls f;
    TarnWorldDef world = tarn_world_default_def();
    assert_ok(tarn_world_create(ctx, &world, &f.world));
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = 40, def.nz = 16, def.dx = 0.25f, def.bed_fn = ledge, def.fall_drop = 1.0f;
    assert_ok(tarn_world_add_shallow(f.world, &def, &f.shallow));
    TarnSprayDef spray = tarn_spray_default_def();
    spray.nx = 20, spray.nz = 8, spray.dx = 0.5f, spray.max_drops = 8192, spray.max_foam = 1024;
    assert_ok(tarn_world_add_spray(f.world, &spray, &f.spray));
    assert_ok(tarn_world_set_on(f.world, f.spray, f.shallow));
    assert_ok(tarn_shallow_add_water(f.shallow, (TarnVec2){ 2, 2 }, 1.5f, 3.0f, NULL));
    return f;
}

static void step_falls(const Falls* f, int n)
{
    for (int s = 0; s < n; ++s) assert_ok(tarn_world_step(f->world, 1.0f / 60.0f, NULL));
}

static double world_error(const TarnWorld* world)
{
    TarnLedger ledger;
    assert_ok(tarn_world_ledger(world, &ledger, NULL, 0));
    return fabs(ledger.error);
}

// Water and drops together: not a grain is missing at any time.
static void a_waterfall_loses_nothing(void** state)
{
    (void)state;
    Falls f = make_falls();
    for (int s = 0; s < 20; ++s) {
        step_falls(&f, 15);
        assert_true(world_error(f.world) == 0.0);
        assert_true(tarn_shallow_ledger(f.shallow).error == 0.0);
    }
    TarnSprayLedger l = tarn_spray_ledger(f.spray);
    assert_true(l.caught > 1.0 && l.landed > 0.9);
    double all = tarn_shallow_ledger(f.shallow).volume + l.held;
    assert_float_equal(all, 3.0, 1e-4);
    tarn_world_destroy(f.world);
}

// One coupling for all waters: what is thrown comes down again, on those that count grains to the last one.
static void any_water(void** state)
{
    (void)state;
    static const char* const kinds[] = { "shallow", "pipes", "wave", "ripple" };
    for (int k = 0; k < 4; ++k) {
        const TarnSolverClass* kind = tarn_solver_class_find(ctx, kinds[k]);
        TarnWorld* world;
        TarnWorldDef def = tarn_world_default_def();
        void* water;
        union {
            TarnShallowDef shallow;
            TarnPipesDef pipes;
            TarnWaveDef wave;
            TarnRippleDef ripple;
        } on;
        assert_ok(tarn_world_create(ctx, &def, &world));
        kind->init_def(&on);
        if (k == 0) on.shallow.level = 1.0f, on.shallow.has_level = true;
        if (k == 1) on.pipes.level = 1.0f, on.pipes.has_level = true;
        assert_ok(tarn_world_add(world, kind, NULL, &on, &water));
        TarnSprayDef spray_def = tarn_spray_default_def();
        TarnSpray* spray;
        spray_def.nx = spray_def.nz = 16, spray_def.dx = 0.5f, spray_def.max_drops = 4096;
        assert_ok(tarn_world_add_spray(world, &spray_def, &spray));
        assert_ok(tarn_world_set_on(world, spray, water));
        TarnSurface surface = kind->surface(water);
        assert_true((surface.grain > 0.0) == (k < 2));
        for (int s = 0; s < 200; ++s) {
            TarnThrow t = throw_up(0.0123); // no whole number of grains
            t.position.y += tarn_surface_height(surface, 4, 4);
            if (s % 20 == 0) assert_ok(tarn_spray_throw(spray, 1, &t));
            assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));
        }
        TarnSprayLedger l = tarn_spray_ledger(spray);
        assert_true(l.error == 0.0 && l.landed > 0.05 && fabs(l.caught - 0.123) < 1e-5);
        if (k < 2)
            assert_true(world_error(world) == 0.0 && tarn_spray_grain(spray) == surface.grain);
        tarn_world_destroy(world);
    }
}

// Without spray what falls arrives below in the next step, and nothing is lost either.
static void falls_without_spray(void** state)
{
    (void)state;
    Falls f = make_falls();
    assert_ok(tarn_world_remove(f.world, f.spray));
    step_falls(&f, 200);
    assert_true(tarn_shallow_ledger(f.shallow).error == 0.0 && world_error(f.world) < 2e-8);
    assert_true(tarn_surface_height(tarn_shallow_surface(f.shallow), 8.0f, 2.0f) > 0.001f);
    tarn_world_destroy(f.world);
}

static void snapshots(void** state)
{
    (void)state;
    Falls a = make_falls(), b = make_falls();
    step_falls(&a, 70);
    size_t size;
    assert_int_equal(tarn_spray_save(a.spray, NULL, 0, &size), TARN_ERR_CAPACITY);
    assert_int_equal(tarn_world_save(a.world, NULL, 0, &size), TARN_ERR_CAPACITY);
    void* buffer = malloc(size);
    assert_ok(tarn_world_save(a.world, buffer, size, &size));
    assert_ok(tarn_world_load(b.world, buffer, size));
    assert_true(tarn_world_hash(a.world) == tarn_world_hash(b.world));
    step_falls(&a, 40);
    step_falls(&b, 40);
    assert_true(tarn_world_hash(a.world) == tarn_world_hash(b.world));
    free(buffer);
    tarn_world_destroy(a.world);
    tarn_world_destroy(b.world);
}

// Damage with a good hash is refused or loads something sane, and never half of it.
static void damaged_snapshots(void** state)
{
    (void)state;
    Falls f = make_falls();
    step_falls(&f, 60);
    size_t size;
    tarn_spray_save(f.spray, NULL, 0, &size);
    uint8_t *good = malloc(size), *bad = malloc(size);
    assert_ok(tarn_spray_save(f.spray, good, size, &size));
    uint64_t hash = tarn_spray_hash(f.spray);
    for (int n = 0; n < 300; ++n) {
        memcpy(bad, good, size);
        for (int i = 0; i < 4; ++i)
            bad[TARN_SNAPSHOT_HEADER + pick((int)size - TARN_SNAPSHOT_HEADER)] ^=
                (uint8_t)(1 + pick(255));
        seal(bad, size);
        if (tarn_spray_load(f.spray, bad, size) != TARN_OK) {
            assert_true(tarn_spray_hash(f.spray) == hash);
        } else {
            assert_ok(tarn_spray_step(f.spray, NULL, 1.0f / 60.0f, NULL));
            assert_ok(tarn_spray_load(f.spray, good, size));
        }
    }
    free(good);
    free(bad);
    tarn_world_destroy(f.world);
}

// Foam stays where it is while the grid goes with its water.
static void windows_move(void** state)
{
    (void)state;
    TarnWorld* world;
    TarnWorldDef def = tarn_world_default_def();
    assert_ok(tarn_world_create(ctx, &def, &world));
    TarnShallowDef water = tarn_shallow_default_def();
    TarnShallow* shallow;
    water.nx = water.nz = 64, water.dx = 0.5f, water.level = 1.0f, water.has_level = true;
    assert_ok(tarn_world_add_shallow(world, &water, &shallow));
    TarnSprayDef spray_def = tarn_spray_default_def();
    TarnSpray* spray;
    spray_def.nx = spray_def.nz = 32, spray_def.dx = 1.0f;
    assert_ok(tarn_world_add_spray(world, &spray_def, &spray));
    assert_ok(tarn_world_set_on(world, spray, shallow));
    assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));
    assert_ok(tarn_spray_add_foam(spray, (TarnVec2){ 20.5f, 16.5f }, 0.4f, 1.0f));
    assert_ok(tarn_shallow_shift(shallow, 12, -4));
    assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));
    TarnVec2 at = tarn_spray_origin(spray);
    assert_true(at.x == 6.0f && at.y == -2.0f);
    TarnView2 foam = tarn_spray_foam(spray);
    assert_true(foam.data[(20 - 6) + foam.stride * (16 + 2)] > 0.9f);
    tarn_world_destroy(world);
}

// A bore throws, a lake at rest does not.
static void lakes_are_calm(void** state)
{
    (void)state;
    Falls f = make_falls();
    assert_ok(tarn_world_remove(f.world, f.shallow));
    TarnShallowDef def = tarn_shallow_default_def();
    TarnShallow* lake;
    def.nx = 40, def.nz = 16, def.dx = 0.25f, def.level = 2.0f, def.has_level = true,
    def.bed_fn = ledge;
    assert_ok(tarn_world_add_shallow(f.world, &def, &lake));
    assert_ok(tarn_world_set_on(f.world, f.spray, lake));
    step_falls(&f, 60);
    assert_true(tarn_spray_ledger(f.spray).thrown == 0.0 && tarn_spray_drops(f.spray).n == 0);
    tarn_world_destroy(f.world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(refuses),
        TEST(drops_fall_into_the_sea),
        TEST(full_pools_lose_nothing),
        TEST(a_waterfall_loses_nothing),
        TEST(any_water),
        TEST(falls_without_spray),
        TEST(snapshots),
        TEST(damaged_snapshots),
        TEST(windows_move),
        TEST(lakes_are_calm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
