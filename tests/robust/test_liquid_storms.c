// Liquids under everything at once: particles on top of one another, all in one point, at any speed,
// any parameters, any dt, moving solids; for any number of workers and both instruction sets. And
// afterwards they come to rest again. Snapshots, good and damaged; nothing allocated on the way.

#include "tests/robust/damaged.h"
#include "tests/sanitized.h"
#include "tests/unit/test_common.h"
#include "base/param.h"

enum { N_METHODS = TARN_LIQUID_LENNARD_JONES + 1 };
enum { VARIANTS = 5, MOST = 400 };
static const struct {
    int workers;
    TarnIsa isa;
} variants[VARIANTS] = { { 1, TARN_ISA_BASELINE },
                         { 1, TARN_ISA_AVX2 },
                         { 2, TARN_ISA_AVX512 },
                         { 3, TARN_ISA_BASELINE },
                         { 8, TARN_ISA_AUTO } };

static TarnLiquidDef storm_def(int n)
{
    TarnLiquidDef def = tarn_liquid_default_def();
    random_at = (uint64_t)n * 100000;
    def.method = n % N_METHODS;
    def.dimensions = 2 + n / N_METHODS % 2;
    def.max_particles = MOST;
    def.spacing = scale(0.005f, 0.5f);
    def.thickness = scale(0.1f, 2.0f);
    float size = def.spacing * uniform(8.0f, 30.0f);
    def.box_min = (TarnVec3){ -size, 0.0f, -size };
    def.box_max = (TarnVec3){ size, size, size };
    def.walls = pick(4);
    def.use_look = pick(2);
    def.max_splashes = pick(2) * 64;
    return def;
}

static void random_params(TarnLiquid* liquid)
{
    const TarnParamTable* table = tarn_liquid_params_table();
    TarnLiquidParams params = tarn_liquid_default_params();
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        double share = (double)uniform(0.0f, 1.0f);
        share = share * share * share;
        if (pick(3) == 0) poke(p, &params, 0, p->min + (p->max - p->min) * share * share);
    }
    params.max_substeps = 1 + pick(6); // of thousands that it might ask for
    params.iterations = 1 + pick(6);
    params.max_iterations = 1 + pick(10);
    assert_ok(tarn_liquid_set_params(liquid, &params));
}

static void pour_in(TarnLiquid* liquid, int n, int how)
{
    const TarnLiquidDef* def = tarn_liquid_def(liquid);
    TarnVec3 at[64], v[64];
    float d = def->spacing, top = def->box_max.y;
    TarnVec3 spot = { uniform(def->box_min.x, def->box_max.x), uniform(0.0f, top),
                      def->dimensions == 3 ? uniform(def->box_min.z, def->box_max.z) : 0.0f };
    for (int i = 0; i < n; ++i) {
        float wide = how == 0 ? 0.0f : how == 1 ? 1e-3f * d : how == 2 ? 0.5f * d : 5.0f * d;
        at[i] = (TarnVec3){ spot.x + uniform(-wide, wide), spot.y + uniform(-wide, wide),
                            def->dimensions == 3 ? spot.z + uniform(-wide, wide) : 0.0f };
        float fast = pick(4) ? 1.0f : pick(2) ? 100.0f : 1e6f;
        v[i] = (TarnVec3){ uniform(-fast, fast), uniform(-fast, fast),
                           def->dimensions == 3 ? uniform(-fast, fast) : 0.0f };
    }
    TarnResult result = tarn_liquid_add(liquid, n, at, v, pick(3), pick(4), NULL);
    assert_true(result == TARN_OK || result == TARN_ERR_CAPACITY);
}

static void assert_finite(const TarnLiquid* liquid)
{
    TarnLiquidView v = tarn_liquid_view(liquid);
    assert_true(tarn__all_within(v.x, (size_t)v.n, 1e6f) &&
                tarn__all_within(v.y, (size_t)v.n, 1e6f));
    assert_true(tarn__all_within(v.z, (size_t)v.n, 1e6f));
    assert_true(tarn__all_within(v.vx, (size_t)v.n, 1e6f) &&
                tarn__all_within(v.vy, (size_t)v.n, 1e6f) &&
                tarn__all_within(v.vz, (size_t)v.n, 1e6f));
    assert_true(tarn__all_within(v.density, (size_t)v.n, 3e38f) &&
                tarn__all_within(v.pressure, (size_t)v.n, 3e38f));
    TarnLiquidLedger l = tarn_liquid_ledger(liquid);
    assert_true(l.added == l.alive + l.removed + l.drained + l.left + l.boiled);
    assert_int_equal((int)l.alive, v.n);
    if (tarn_liquid_def(liquid)->walls == TARN_LIQUID_BOX) assert_int_equal((int)l.left, 0);
}

static uint64_t storm(int n, int variant)
{
    TarnContextDef context = tarn_context_default_def();
    context.workers = variants[variant].workers;
    context.isa = variants[variant].isa;
    TarnContext* own;
    if (tarn_context_create(&context, &own) != TARN_OK) return 0; // not on this machine
    TarnLiquidDef def = storm_def(n);
    TarnLiquid* liquid;
    TarnSolids* solids;
    TarnSolidsDef solids_def = tarn_solids_default_def();
    assert_ok(tarn_solids_create(own, &solids_def, &solids));
    assert_ok(tarn_liquid_create(own, &def, &liquid));
    assert_ok(tarn_liquid_set_solids(liquid, solids));
    TarnSolidDef wheel = tarn_solid_default_def();
    wheel.shape.kind = TARN_SHAPE_BOX;
    wheel.shape.size = (TarnVec3){ 5.0f * def.spacing, 0.5f * def.spacing, 20.0f * def.spacing };
    wheel.motion.position.y = 0.5f * def.box_max.y;
    wheel.motion.angular_velocity.z = uniform(-30.0f, 30.0f);
    TarnSolidId id;
    assert_ok(tarn_solids_add(solids, &wheel, &id));
    for (int s = 0; s < 40; ++s) {
        if (s % 10 == 0) random_params(liquid);
        if (s % 3 == 0) pour_in(liquid, 1 + pick(40), pick(4));
        float dt = pick(3) ? 1.0f / 60.0f : pick(2) ? scale(1e-6f, 1.0f) : 0.0f;
        assert_ok(tarn_solids_advance(solids, dt));
        assert_ok(tarn_liquid_step(liquid, dt, NULL));
        assert_finite(liquid);
    }
    uint64_t hash = tarn_liquid_hash(liquid);
    tarn_liquid_destroy(liquid);
    tarn_solids_destroy(solids);
    tarn_context_destroy(own);
    return hash;
}

static void test_storms(void** state)
{
    (void)state;
    int storms = is_sanitized ? 12 : 60;
    for (int n = 0; n < storms; ++n) {
        uint64_t first = storm(n, 0);
        for (int v = 1; v < VARIANTS; ++v) {
            if (is_sanitized && v != 3) continue;
            uint64_t hash = storm(n, v);
            if (hash != 0 && hash != first) print_error("storm %d differs in variant %d\n", n, v);
            assert_true(hash == 0 || hash == first);
        }
    }
}

static double mean_speed(const TarnLiquid* liquid) // root of the mean square [m/s]
{
    double mass = tarn_liquid_view(liquid).n * (double)tarn_liquid_particle_mass(liquid, 0);
    return sqrt(2.0 * tarn_liquid_stats(liquid).kinetic_energy / mass);
}

// All in one point, at huge speeds, or within two millimeters: finite at once, and with its own parameters calm after a while.
static void test_calm_again(void** state)
{
    (void)state;
    for (int method = 0; method < N_METHODS; ++method) {
        for (int how = 0; how < 3; ++how) {
            TarnLiquidDef def = tarn_liquid_default_def();
            def.dimensions = 2;
            def.method = method;
            def.max_particles = 300;
            def.spacing = 0.05f;
            def.box_min = (TarnVec3){ 0.0f, 0.0f, 0.0f },
            def.box_max = (TarnVec3){ 1.0f, 2.0f, 0.0f };
            def.walls = TARN_LIQUID_BOX;
            TarnLiquid* liquid;
            assert_ok(tarn_liquid_create(ctx, &def, &liquid));
            TarnLiquidParams params = tarn_liquid_default_params();
            params.max_substeps = 1000;
            assert_ok(tarn_liquid_set_params(liquid, &params));
            TarnVec3 at[200], v[200];
            random_at = 77;
            for (int i = 0; i < 200; ++i) {
                at[i] = (TarnVec3){ 0.5f, 0.5f, 0.0f };
                if (how == 1) at[i] = (TarnVec3){ uniform(0.1f, 0.9f), uniform(0.1f, 0.9f), 0.0f };
                if (how == 2) {
                    at[i].x += uniform(-1e-3f, 1e-3f);
                    at[i].y += uniform(-1e-3f, 1e-3f);
                }
                v[i] = (TarnVec3){ 0.0f, 0.0f, 0.0f };
                if (how == 1) v[i] = (TarnVec3){ uniform(-1e5f, 1e5f), uniform(-1e5f, 1e5f), 0.0f };
            }
            assert_ok(tarn_liquid_add(liquid, 200, at, v, 0, 0, NULL));
            int steps = is_sanitized ? 30 : 1200, calm = 0; // calm for two seconds: it stays so
            double mean = 0.0;
            for (int s = 1; s <= steps && calm < 5; ++s) {
                assert_ok(tarn_liquid_step(liquid, 1.0f / 60.0f, NULL));
                if (s % 30 != 0) continue;
                assert_finite(liquid);
                mean = mean_speed(liquid);
                calm = mean <= 0.3 ? calm + 1 : 0;
            }
            assert_int_equal(tarn_liquid_view(liquid).n, 200);
            if (!is_sanitized && mean > 0.3)
                print_error("method %d, way %d: still %g m/s\n", method, how, mean);
            assert_true(is_sanitized || mean <= 0.3);
            tarn_liquid_destroy(liquid);
        }
    }
}

// ---- Snapshots -----------------------------------------------------------------------------------

LOADS(TarnLiquid, liquid)

static TarnLiquid* small_liquid(int method)
{
    TarnLiquidDef def = tarn_liquid_default_def();
    def.dimensions = 2;
    def.method = method;
    def.max_particles = 60;
    def.spacing = 0.1f;
    def.use_look = true;
    def.max_splashes = 8;
    TarnLiquid* liquid;
    assert_ok(tarn_liquid_create(ctx, &def, &liquid));
    random_at = 5;
    pour_in(liquid, 40, 3);
    for (int s = 0; s < 5; ++s) assert_ok(tarn_liquid_step(liquid, 0.01f, NULL));
    return liquid;
}

static void test_damaged_snapshots(void** state)
{
    (void)state;
    for (int method = 0; method < N_METHODS; method += is_sanitized ? 3 : 1) {
        TarnLiquid* liquid = small_liquid(method);
        size_t size;
        assert_int_equal(tarn_liquid_save(liquid, NULL, 0, &size), TARN_ERR_CAPACITY);
        uint8_t* good = malloc(size);
        assert_ok(tarn_liquid_save(liquid, good, size, &size));
        assert_damage_refused((Loader){ liquid, load_object, hash_object }, good, size);
        // Any bytes under good hashes: refused or loaded, and then it still runs.
        uint8_t* bad = malloc(size);
        int tries = is_sanitized ? 300 : 2000;
        for (int n = 0; n < tries; ++n) {
            memcpy(bad, good, size);
            random_at = (uint64_t)n * 50;
            for (int b = 1 + pick(4); b > 0; --b)
                bad[TARN_SNAPSHOT_HEADER + pick((int)(size - TARN_SNAPSHOT_HEADER))] =
                    (uint8_t)pick(256);
            seal(bad, size);
            if (tarn_liquid_load(liquid, bad, size) != TARN_OK) continue;
            assert_ok(tarn_liquid_step(liquid, 0.005f, NULL));
            assert_finite(liquid);
        }
        free(good);
        free(bad);
        tarn_liquid_destroy(liquid);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_storms), TEST_ALONE(test_calm_again),
                                        TEST_ALONE(test_damaged_snapshots) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
