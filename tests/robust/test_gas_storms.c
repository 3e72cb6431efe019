// Gases under everything at once: any parameters, sources, jets, solids, fields and steps, for any number of
// workers and both instruction sets; snapshots, good and damaged; memory.

#include "tests/robust/damaged.h"
#include "tests/sanitized.h"
#include "tests/unit/gas_common.h"
#include "base/maths.h"

LOADS(TarnGas, gas)

static TarnGasDef any_gas(void)
{
    TarnGasDef def = tarn_gas_default_def();
    def.nx = 8 * (1 + pick(3)), def.ny = 8 * (1 + pick(3)), def.nz = 8 * (1 + pick(3));
    def.dx = scale(0.01f, 1.0f);
    def.use_density = pick(4) != 0, def.use_temperature = pick(4) != 0;
    def.use_fuel = def.use_temperature && pick(2), def.use_color = def.use_density && pick(2);
    def.pressure = pick(3) == 0 ? TARN_GAS_SPECTRAL : TARN_GAS_MULTIGRID;
    def.obstacles = pick(def.pressure == TARN_GAS_SPECTRAL ? 2 : 3);
    def.step = pick(2);
    def.follow = pick(2);
    def.levels = 1 + pick(3);
    for (int axis = 0; axis < 3; ++axis) { // the coarsest has 8 cells or more
        int* n = axis == 0 ? &def.nx : axis == 1 ? &def.ny : &def.nz;
        if (def.levels == 3 && *n < 32) *n = 32;
    }
    int closed = pick(4); // often all around
    for (int e = 0; e < 6; ++e) (&def.edge_x0)[e] = closed == 0 ? TARN_GAS_CLOSED : pick(4);
    if (closed == 0 && pick(2)) { // the whole solver by transforms
        def.pressure = TARN_GAS_TRANSFORM;
        def.obstacles = TARN_GAS_NO_OBSTACLES;
        def.step = TARN_GAS_SPLIT;
        def.use_fuel = false;
    }
    return def;
}

// Every number anywhere in its range.
static void randomize(const TarnParamTable* table, void* object)
{
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        int n = p->type == TARN_PARAM_VEC3 ? 3 : 1;
        for (int c = 0; c < n; ++c) {
            double t = pick(4) == 0 ? (double)pick(2) : (double)uniform(0, 1);
            double v = p->min + t * (p->max - p->min);
            if (p->type == TARN_PARAM_FLOAT && pick(2)) v = p->value[0];
            if (p->type == TARN_PARAM_INT || p->type == TARN_PARAM_ENUM ||
                p->type == TARN_PARAM_BOOL)
                v = floor(v + 0.5);
            while (p->allowed && !(p->allowed >> (int)v & 1u)) v = v < p->max ? v + 1.0 : 0.0;
            poke(p, object, c, p->scale != 0.0 ? v * p->scale : v); // angles in radians
        }
    }
}

static void disturb_gas(TarnGas* gas)
{
    float size = gas->def.dx * 16.0f;
    TarnVec3 at = { uniform(-size, size), uniform(-size, size), uniform(-size, size) };
    if (pick(3) == 0) {
        TarnGasParams params = tarn_gas_default_params();
        randomize(tarn_gas_params_table(), &params);
        params.max_cycles = 1 + pick(8), params.max_substeps = 1 + pick(3),
        params.update_every = 1 + pick(2);
        assert_ok(tarn_gas_set_params(gas, &params));
    }
    if (pick(4) == 0) {
        TarnGasSourceDef def = tarn_gas_source_default_def();
        randomize(tarn_gas_source_def_table(), &def);
        def.start = 0.0f, def.stop = 1e9f;
        def.motion.position = at;
        TarnVec3* half = &def.shape.size; // not nothing
        half->x = fmaxf(half->x, 1e-4f), half->y = fmaxf(half->y, 1e-4f);
        half->z = fmaxf(half->z, 1e-4f);
        TarnResult result = tarn_gas_add_source(gas, &def, NULL);
        assert_true(result == TARN_OK || result == TARN_ERR_CAPACITY);
    }
    if (pick(4) == 0) {
        TarnGasJetDef def = tarn_gas_jet_default_def();
        randomize(tarn_gas_jet_def_table(), &def);
        def.start = 0.0f, def.stop = 1e9f;
        def.motion.position = at;
        TarnResult result = tarn_gas_add_jet(gas, &def, NULL);
        if (result != TARN_OK && result != TARN_ERR_CAPACITY)
            print_error("%s\n", tarn_last_error(gas->ctx));
        assert_true(result == TARN_OK || result == TARN_ERR_CAPACITY);
    }
    if (pick(5) == 0)
        (void)tarn_gas_burst(gas, at, scale(0.1f, 10.0f) * size, uniform(0, 100),
                             uniform(-1e4f, 1e4f), uniform(0, 100), scale(1e-6f, 1e5f));
    if (pick(4) == 0) {
        TarnVec3 v = { uniform(-50, 50), uniform(-50, 50), uniform(-50, 50) };
        (void)tarn_gas_move(gas, vec3_add(tarn_gas_center(gas), vec3_scale(v, 0.01f)), v);
    }
    if (pick(8) == 0) assert_ok(tarn_gas_set_level(gas, pick(gas->def.levels)));
}

static void wild_fields(TarnGas* gas)
{
    size_t n = (size_t)gas->grid.nx * (size_t)gas->grid.ny * (size_t)gas->grid.nz;
    TarnVec3* v = malloc(n * sizeof *v);
    float* s = malloc(n * sizeof *s);
    for (size_t c = 0; c < n; ++c) {
        v[c] = (TarnVec3){ uniform(-1e30f, 1e30f), uniform(-10, 10), uniform(-1e-30f, 1e-30f) };
        s[c] = uniform(-1e6f, 1e6f);
    }
    float* const* q = gas->scalar;
    assert_ok(tarn_gas_set_fields(gas, v, q[0] ? s : NULL, q[1] ? s : NULL, q[2] ? s : NULL));
    free(v);
    free(s);
}

// Solids jump and race through the box, or stand in it.
static void disturb_solids(TarnSolids* solids, TarnSolidId id, float size, float dt)
{
    TarnMotion m = { .rotation = { 0, 0, 0, 1 } };
    float fast = pick(3) == 0 ? scale(1.0f, 1000.0f) : size;
    m.position = (TarnVec3){ uniform(-size, size), uniform(-size, size), uniform(-size, size) };
    m.velocity = (TarnVec3){ uniform(-fast, fast), uniform(-fast, fast), uniform(-fast, fast) };
    m.angular_velocity = (TarnVec3){ uniform(-9, 9), uniform(-9, 9), uniform(-9, 9) };
    assert_int_equal(tarn_solids_advance(solids, dt), TARN_OK);
    if (pick(2)) assert_int_equal(tarn_solids_move(solids, id, &m), TARN_OK);
    if (pick(4) == 0) assert_int_equal(tarn_solids_place(solids, id, &m), TARN_OK);
}

static void storm(TarnGas* gas, TarnSolids* solids, TarnSolidId id, int seed, int steps)
{
    random_at = (uint64_t)seed * 100000 + 5000;
    for (int n = 0; n < steps; ++n) {
        disturb_gas(gas);
        if (n == steps / 2) wild_fields(gas);
        float dt = pick(8) == 0 ? uniform(0, 10) : scale(1e-6f, 0.1f);
        disturb_solids(solids, id, gas->def.dx * 8.0f, dt);
        assert_ok(tarn_gas_step(gas, dt, NULL));
        assert_gas_sane(gas);
    }
}

// Two solids, one of which moves.
static TarnSolids* make_solids(TarnContext* where, float size, TarnSolidId* moving)
{
    TarnSolidsDef def = tarn_solids_default_def();
    TarnSolids* solids;
    TarnSolidId id;
    assert_int_equal(tarn_solids_create(where, &def, &solids), TARN_OK);
    TarnSolidDef solid = tarn_solid_default_def();
    solid.shape.size = (TarnVec3){ 0.3f * size, 0.2f * size, 0.2f * size };
    assert_int_equal(tarn_solids_add(solids, &solid, &id), TARN_OK);
    solid.shape.kind = TARN_SHAPE_BOX;
    solid.motion.velocity = (TarnVec3){ size, 0.3f * size, 0.0f };
    solid.motion.angular_velocity = (TarnVec3){ 0.0f, 2.0f, 1.0f };
    assert_int_equal(tarn_solids_add(solids, &solid, &id), TARN_OK);
    if (moving) *moving = id;
    return solids;
}

static void test_storms(void** state)
{
    (void)state;
    const int workers[] = { 1, 2, 3, 8 };
    int seeds = is_short_run() ? 8 : 24;
    for (int seed = 0; seed < seeds; ++seed) {
        uint64_t hash = 0;
        int runs = seed < (is_short_run() ? 2 : 8) ? 5 : 2; // the last of them with the baseline
        for (int w = 0; w < runs; ++w) {
            TarnContext* where =
                make_context(workers[w % 4], w == runs - 1 ? TARN_ISA_BASELINE : TARN_ISA_AUTO);
            random_at = (uint64_t)seed * 100000;
            TarnGas* gas = make_gas(where, any_gas());
            TarnSolidId id;
            TarnSolids* solids = make_solids(where, gas->def.dx * 8.0f, &id);
            if (seed % 3 != 0 && gas->solid) assert_ok(tarn_gas_set_solids(gas, solids));
            storm(gas, solids, id, seed, 14);
            if (w == 0) hash = tarn_gas_hash(gas);
            if (tarn_gas_hash(gas) != hash) print_error("seed %d, run %d\n", seed, w);
            assert_true(tarn_gas_hash(gas) == hash);
            tarn_gas_destroy(gas);
            tarn_solids_destroy(solids);
            tarn_context_destroy(where);
        }
    }
}

// ---- Memory --------------------------------------------------------------------------------------

static void test_no_allocation(void** state)
{
    (void)state;
    TarnContext* where = make_context(3, TARN_ISA_AUTO);
    for (int n = 0; n < 2; ++n) {
        TarnGasDef def = small_gas();
        def.pressure = n;
        TarnGas* gas = make_gas(where, def);
        TarnSolids* solids = make_solids(where, 1.0f, NULL);
        assert_ok(tarn_gas_set_solids(gas, solids));
        kindle(gas);
        size_t size;
        assert_int_equal(tarn_gas_save(gas, NULL, 0, &size), TARN_ERR_CAPACITY);
        uint8_t* snapshot = malloc(size);
        int calls = memory.calls;
        for (int s = 0; s < 6; ++s) {
            assert_ok(tarn_solids_advance(solids, 0.02f));
            assert_ok(
                tarn_gas_move(gas, (TarnVec3){ 0, 0.06f * (float)s, 0 }, (TarnVec3){ 0, 4, 0 }));
            gas_steps(gas, 1);
            assert_ok(tarn_gas_save(gas, snapshot, size, &size));
            assert_ok(tarn_gas_load(gas, snapshot, size));
            assert_ok(tarn_gas_set_level(gas, 1));
            assert_ok(tarn_gas_set_level(gas, 0));
            (void)tarn_gas_stats(gas);
        }
        tarn_gas_reset(gas);
        assert_int_equal(memory.calls, calls);
        free(snapshot);
        tarn_gas_destroy(gas);
        tarn_solids_destroy(solids);
    }
    tarn_context_destroy(where);
}

// ---- Snapshots -----------------------------------------------------------------------------------

static uint8_t* save_gas(const TarnGas* gas, size_t* size)
{
    assert_int_equal(tarn_gas_save(gas, NULL, 0, size), TARN_ERR_CAPACITY);
    uint8_t* snapshot = malloc(*size);
    assert_ok(tarn_gas_save(gas, snapshot, *size, size));
    return snapshot;
}

// What is loaded goes on exactly as what was saved.
static void test_snapshots(void** state)
{
    (void)state;
    for (int run = 0; run < 4; ++run) {
        int level = run % 2;
        TarnGasDef def = small_gas(); // closed ones remember their energy and density
        for (int e = 0; e < 6 && run >= 2; ++e) (&def.edge_x0)[e] = TARN_GAS_CLOSED;
        TarnSolids* solids = make_solids(ctx, 1.0f, NULL);
        TarnGas *gas = make_gas(ctx, def), *other = make_gas(ctx, def);
        assert_ok(tarn_gas_set_solids(gas, solids));
        assert_ok(tarn_gas_set_solids(other, solids));
        kindle(gas);
        assert_ok(tarn_gas_set_level(gas, level));
        for (int n = 0; n < 8; ++n) {
            assert_ok(tarn_solids_advance(solids, 1.0f / 60.0f));
            gas_steps(gas, 1);
        }
        assert_ok(tarn_gas_burst(gas, (TarnVec3){ 0, 0, 0 }, 0.3f, 1, 100, 0, 0.1f));
        assert_true((gas->energy > 0.0) == (run >= 2));
        size_t size;
        uint8_t* snapshot = save_gas(gas, &size);
        gas_steps(other, 2);
        assert_ok(tarn_gas_load(other, snapshot, size));
        assert_true(tarn_gas_hash(other) == tarn_gas_hash(gas));
        assert_int_equal(tarn_gas_level(other), level);
        for (int n = 0; n < 5; ++n) {
            assert_ok(tarn_solids_advance(solids, 1.0f / 60.0f));
            gas_steps(gas, 1);
            gas_steps(other, 1);
            assert_true(tarn_gas_hash(other) == tarn_gas_hash(gas));
        }
        free(snapshot);
        tarn_gas_destroy(gas);
        tarn_gas_destroy(other);
        tarn_solids_destroy(solids);
    }
}

static void test_damage(void** state)
{
    (void)state;
    TarnGasDef def = tarn_gas_default_def();
    def.nx = def.ny = def.nz = 8;
    def.max_sources = def.max_jets = 2;
    def.use_temperature = false;
    TarnGas* gas = make_gas(ctx, def);
    TarnGasSourceDef source = tarn_gas_source_default_def();
    assert_ok(tarn_gas_add_source(gas, &source, NULL));
    gas_steps(gas, 2);
    size_t size;
    uint8_t* snapshot = save_gas(gas, &size);
    gas_steps(gas, 1);
    Loader loader = { gas, load_object, hash_object };
    assert_damage_refused(loader, snapshot, size);
    // Good hashes over wrong values: each is refused or harmless.
    uint8_t* bad = malloc(size);
    for (int n = 0; n < 2000; ++n) {
        memcpy(bad, snapshot, size);
        size_t at =
            TARN_SNAPSHOT_HEADER + tarn__random(3, 1, (uint64_t)n) % (size - TARN_SNAPSHOT_HEADER);
        if (n % 2) at = TARN_SNAPSHOT_HEADER + (size_t)n % 900;
        bad[at] ^= (uint8_t)(1u << n % 8);
        seal(bad, size);
        if (tarn_gas_load(gas, bad, size) != TARN_OK) continue;
        assert_ok(tarn_gas_step(gas, 1.0f / 60.0f, NULL));
        assert_gas_sane(gas);
    }
    free(bad);
    free(snapshot);
    tarn_gas_destroy(gas);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_storms), TEST(test_no_allocation),
                                        TEST_ALONE(test_snapshots), TEST_ALONE(test_damage) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
