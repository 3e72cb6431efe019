// Gases: defs, memory, bad arguments, sources, time, levels, symmetry, fire, the Flow.
// Storms and snapshots: robust/test_gas_storms.c. Obstacles and windows have files of their own.

#include "gas_common.h"
#include <limits.h>

// ---- Defs ----------------------------------------------------------------------------------------

static void assert_bad_def(const TarnGasDef* def, const char* word)
{
    TarnGas* out = (TarnGas*)&memory;
    int calls = memory.calls;
    assert_result(tarn_gas_create(ctx, def, &out), TARN_ERR_ARG, word);
    assert_null(out);
    assert_true(memory.calls == calls && tarn_gas_memory(def) == 0);
}

static void test_bad_defs(void** state)
{
    (void)state;
    const TarnParamTable* table = tarn_gas_def_table();
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        bool is_whole = p->type == TARN_PARAM_INT || p->type == TARN_PARAM_ENUM;
        double bad[] = { p->min - 1, p->max * 2 + 1, -1e9, 1e9, NAN, INFINITY, -INFINITY };
        char word[64];
        snprintf(word, sizeof word, "gas.%s: ", p->name);
        for (int n = 0; n < (is_whole ? 3 : 7) && p->type != TARN_PARAM_BOOL; ++n) {
            if (is_whole && (bad[n] > INT_MAX || bad[n] < INT_MIN)) continue;
            TarnGasDef def = small_gas();
            poke(p, &def, p->type == TARN_PARAM_VEC3 ? n % 3 : 0, bad[n]);
            assert_bad_def(&def, word);
        }
    }
    TarnGasDef def = small_gas();
    def.ny = 20;
    assert_bad_def(&def, "gas.ny: 20 is not a multiple of 8; use 24");
    def = small_gas();
    def.use_temperature = false;
    assert_bad_def(&def, "gas.use_fuel");
    def = small_gas();
    def.use_density = false;
    assert_bad_def(&def, "gas.use_color");
    def = small_gas();
    def.pressure = TARN_GAS_SPECTRAL;
    def.nx = 56;
    assert_bad_def(&def, "gas.nx: 56 has prime factors");
    def.nx = 48;
    def.obstacles = TARN_GAS_DIRECT;
    assert_bad_def(&def, "gas.obstacles");
    def = small_gas();
    def.nx = def.ny = def.nz = 1024;
    assert_bad_def(&def, "2^28");
    assert_bad_def(NULL, "tarn_gas_default_def");
    def = small_gas();
    TarnGas* out;
    assert_int_equal(tarn_gas_create(NULL, &def, &out), TARN_ERR_ARG);
    assert_result(tarn_gas_create(ctx, &def, NULL), TARN_ERR_ARG, "out");
    def.cookie ^= 1;
    assert_bad_def(&def, "tarn_gas_default_def");
}

static void test_memory(void** state)
{
    (void)state;
    const int sizes[][3] = { { 8, 8, 8 }, { 8, 16, 24 }, { 64, 64, 64 }, { 40, 8, 8 } };
    for (int n = 0; n < 4 * 16; ++n) {
        TarnGasDef def = tarn_gas_default_def();
        def.nx = sizes[n / 16][0], def.ny = sizes[n / 16][1], def.nz = sizes[n / 16][2];
        def.use_fuel = def.use_color = n & 1;
        def.levels = n & 2 ? 3 : 1;
        def.pressure = n & 4 ? TARN_GAS_SPECTRAL : TARN_GAS_MULTIGRID;
        def.obstacles = n & 4 ? TARN_GAS_NO_OBSTACLES : n & 8 ? TARN_GAS_DIRECT : TARN_GAS_ITERATED;
        size_t before = memory.bytes, said = tarn_gas_memory(&def);
        int calls = memory.calls;
        TarnGas* gas = make_gas(ctx, def);
        assert_true(memory.bytes - before == said && memory.calls == calls + 1);
        double per_cell = (double)said / ((double)def.nx * def.ny * def.nz);
        if (def.nx == 64 && (n & 15) == 0) assert_true(per_cell <= 96.0); // with obstacles
        gas_steps(gas, is_short_run() && def.nx == 64 ? 1 : 2);
        tarn_gas_destroy(gas);
        assert_true(memory.bytes == before);
    }
    const int cubes[] = { 48, 96, 128,
                          256 }; // density, temperature; rims count for more in small boxes
    for (int n = 0; n < 4; ++n) {
        TarnGasDef def = tarn_gas_default_def();
        def.nx = def.ny = def.nz = cubes[n];
        if (n == 0) def.obstacles = TARN_GAS_NO_OBSTACLES;
        assert_true((double)tarn_gas_memory(&def) / pow(cubes[n], 3) <= 96.0);
    }
    tarn_gas_destroy(NULL);
    tarn_gas_reset(NULL);
    memory.fail_at = memory.calls + 1;
    TarnGasDef def = small_gas();
    TarnGas* gas = (TarnGas*)&memory;
    assert_result(tarn_gas_create(ctx, &def, &gas), TARN_ERR_MEMORY,
                  "out of memory for 24 x 32 x 16 cells");
    assert_null(gas);
    memory.fail_at = 0;
}

// ---- Bad arguments -------------------------------------------------------------------------------

#define assert_bad(call, code, word)                                                               \
    do {                                                                                           \
        assert_result(call, code, word);                                                           \
        assert_true(tarn_gas_hash(gas) == hash);                                                   \
    } while (0)

static void test_bad_arguments(void** state)
{
    (void)state;
    TarnGas* gas = make_gas(ctx, small_gas());
    kindle(gas);
    gas_steps(gas, 3);
    uint64_t hash = tarn_gas_hash(gas);
    const float dts[] = { NAN, INFINITY, -INFINITY, -1e-9f, 10.001f };
    for (int n = 0; n < 5; ++n) {
        TarnStepReport report = { .substeps = 99 };
        assert_bad(tarn_gas_step(gas, dts[n], &report), TARN_ERR_ARG, "dt");
        assert_int_equal(report.substeps, 0);
        TarnVec3 at = { 0 };
        if (n < 4) assert_bad(tarn_gas_burst(gas, at, dts[n], 1, 1, 1, 1), TARN_ERR_ARG, "burst");
        assert_bad(tarn_gas_burst(gas, (TarnVec3){ 0, n < 3 ? dts[n] : NAN, 0 }, 1, 1, 1, 1, 1),
                   TARN_ERR_ARG, "burst");
    }
    const TarnParamTable* table = tarn_gas_params_table();
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        if (p->type == TARN_PARAM_BOOL) continue;
        TarnGasParams params = tarn_gas_default_params();
        char word[64];
        snprintf(word, sizeof word, "gas.%s: ", p->name);
        poke(p, &params, 0, p->max * 2 + 1);
        assert_bad(tarn_gas_set_params(gas, &params), TARN_ERR_ARG, word);
        poke(p, &params, 0, p->min - 1);
        assert_bad(tarn_gas_set_params(gas, &params), TARN_ERR_ARG, word);
        if (p->type != TARN_PARAM_FLOAT && p->type != TARN_PARAM_VEC3) continue;
        for (int d = 0; d < 3; ++d) { // no number, or none that ends
            poke(p, &params, p->type == TARN_PARAM_VEC3 ? d : 0, (double)dts[d]);
            assert_bad(tarn_gas_set_params(gas, &params), TARN_ERR_ARG, word);
        }
    }
    assert_int_equal(tarn_gas_set_params(NULL, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_gas_step(NULL, 0.1f, NULL), TARN_ERR_ARG);
    assert_bad(tarn_gas_set_level(gas, 2), TARN_ERR_ARG, "set_level");
    assert_bad(tarn_gas_set_level(gas, -1), TARN_ERR_ARG, "set_level");
    float* values = calloc(24 * 32 * 16, sizeof(float));
    TarnVec3* velocities = calloc(24 * 32 * 16, sizeof(TarnVec3));
    values[777] = NAN;
    velocities[12287].z = INFINITY;
    assert_bad(tarn_gas_set_fields(gas, NULL, values, NULL, NULL), TARN_ERR_DATA, "density");
    assert_bad(tarn_gas_set_fields(gas, NULL, NULL, values, NULL), TARN_ERR_DATA, "temperature");
    assert_bad(tarn_gas_set_fields(gas, NULL, NULL, NULL, values), TARN_ERR_DATA, "fuel");
    assert_bad(tarn_gas_set_fields(gas, velocities, NULL, NULL, NULL), TARN_ERR_DATA, "velocity");
    free(values);
    free(velocities);
    tarn_gas_destroy(gas);
}

static void test_sources(void** state)
{
    (void)state;
    TarnGasDef small = small_gas();
    small.max_sources = 2;
    TarnGas *gas = make_gas(ctx, small), *other = make_gas(ctx, small);
    TarnGasSourceDef def = tarn_gas_source_default_def();
    TarnGasSourceId a, b, c = { 99 };
    assert_ok(tarn_gas_add_source(gas, &def, &a));
    assert_ok(tarn_gas_add_source(gas, &def, &b));
    assert_result(tarn_gas_add_source(gas, &def, &c), TARN_ERR_CAPACITY, "gas.max_sources");
    assert_true(c.value == 0);
    assert_ok(tarn_gas_remove_source(gas, a));
    assert_result(tarn_gas_remove_source(gas, a), TARN_ERR_ARG, "stale");
    assert_result(tarn_gas_move_source(other, b, &def.motion), TARN_ERR_ARG, "another gas");
    assert_ok(tarn_gas_add_source(gas, &def, &c));
    assert_true(c.value != a.value);
    assert_result(tarn_gas_set_source(gas, a, &def), TARN_ERR_ARG, "stale");
    uint64_t hash = tarn_gas_hash(gas);
    def.stop = 1.0f, def.start = 2.0f;
    assert_bad(tarn_gas_set_source(gas, b, &def), TARN_ERR_ARG, "gas_source.stop");
    def.stop = 3.0f;
    def.motion.rotation.w = NAN;
    assert_bad(tarn_gas_set_source(gas, b, &def), TARN_ERR_ARG, "rotation");
    def.motion.rotation.w = 1.0f;
    def.cookie = 0;
    assert_bad(tarn_gas_set_source(gas, b, &def), TARN_ERR_ARG, "tarn_gas_source_default_def");
    const TarnParamTable* table = tarn_gas_source_def_table();
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        bool is_real = p->type == TARN_PARAM_FLOAT || p->type == TARN_PARAM_VEC3;
        const double bad[] = { p->min - 1, p->max * 2 + 1, NAN, INFINITY, -INFINITY };
        char word[64];
        snprintf(word, sizeof word, "gas_source.%s", p->name);
        for (int n = 0; n < (is_real ? 5 : 2) && p->type != TARN_PARAM_BOOL; ++n) {
            def = tarn_gas_source_default_def();
            poke(p, &def, p->type == TARN_PARAM_VEC3 ? n % 3 : 0, bad[n]);
            assert_bad(tarn_gas_set_source(gas, b, &def), TARN_ERR_ARG, word);
        }
    }
    tarn_gas_destroy(gas);
    tarn_gas_destroy(other);
}

// A box that is poured at once holds exactly what it makes, where it is, and nothing elsewhere.
static void test_pour(void** state)
{
    (void)state;
    TarnGasDef small = small_gas();
    small.obstacles = TARN_GAS_NO_OBSTACLES;
    TarnGas* gas = make_gas(ctx, small);
    TarnGasSourceDef def = tarn_gas_source_default_def();
    def.shape.kind = TARN_SHAPE_BOX;
    def.shape.size = (TarnVec3){ 0.3f, 0.2f, 0.4f };
    def.softness = 0.0f;
    def.density = 2.0f, def.temperature = 0.0f;
    assert_ok(tarn_gas_add_source(gas, &def, NULL));
    tarn__gas_sources(gas, 0.01f);
    assert_float_equal(tarn_gas_stats(gas).density_sum, 2.0 * 8.0 * 0.3 * 0.2 * 0.4, 1e-5);
    // With a rate it gets there exponentially, however the time is cut.
    tarn_gas_reset(gas);
    TarnGasSourceId id;
    TarnGas* other = make_gas(ctx, small);
    def.rate = 3.0f;
    assert_ok(tarn_gas_add_source(other, &def, &id));
    for (int n = 0; n < 10; ++n) tarn__gas_sources(other, 0.05f);
    double share = 1.0 - exp(-1.5);
    assert_float_equal(tarn_gas_stats(other).density_sum, share * 2.0 * 8.0 * 0.3 * 0.2 * 0.4,
                       1e-5);
    tarn_gas_destroy(other);
    tarn_gas_destroy(gas);
}

// ---- Time ----------------------------------------------------------------------------------------

static void test_time(void** state)
{
    (void)state;
    TarnGas* gas = make_gas(ctx, small_gas());
    TarnGasParams params = tarn_gas_default_params();
    params.max_step = 0.02f, params.max_substeps = 5;
    assert_ok(tarn_gas_set_params(gas, &params));
    TarnStepReport report;
    assert_ok(tarn_gas_step(gas, 0.05f, &report));
    assert_true(report.substeps == 3 && report.flags == 0);
    assert_float_equal(tarn_gas_time(gas), 0.05, 1e-6);
    assert_ok(tarn_gas_step(gas, 1.0f, &report));
    assert_true(report.substeps == 5 && report.flags == TARN_STEP_TIME_CUT);
    assert_float_equal(report.time_advanced, 0.1, 1e-6);
    uint64_t hash = tarn_gas_hash(gas);
    assert_ok(tarn_gas_step(gas, 0.0f, &report));
    assert_true(report.substeps == 0 && tarn_gas_hash(gas) == hash);
    // Every third step the time that was held is advanced at once.
    params.update_every = 3;
    assert_ok(tarn_gas_set_params(gas, &params));
    double time = tarn_gas_time(gas), advanced = 0.0;
    for (int n = 0; n < 6; ++n) {
        assert_ok(tarn_gas_step(gas, 0.01f, &report));
        advanced += report.time_advanced;
        assert_float_equal(time + advanced, tarn_gas_time(gas), 1e-6);
        assert_true((report.substeps > 0) == (n % 3 == 2));
        assert_float_equal(tarn_gas_time(gas), time + 0.03 * ((n + 1) / 3), 1e-6);
    }
    tarn_gas_destroy(gas);
}

// ---- What it computes ----------------------------------------------------------------------------

// With the exact pressure a plume in the middle stays its own mirror image; multigrid has red and black
// cells, which mirrors exchange.
static void test_symmetry(void** state)
{
    (void)state;
    enum { N = 32 };
    TarnGasDef def = tarn_gas_default_def();
    def.nx = def.ny = def.nz = N;
    def.pressure = TARN_GAS_SPECTRAL;
    def.obstacles = TARN_GAS_NO_OBSTACLES;
    TarnGas* gas = make_gas(ctx, def);
    TarnGasSourceDef source = tarn_gas_source_default_def();
    source.motion.position.y = -1.0f;
    source.shape.size.x = 0.5f, source.temperature = 100.0f;
    assert_ok(tarn_gas_add_source(gas, &source, NULL));
    gas_steps(gas, 30);
    double off = 0.0, most = 0.0;
    const float* d = gas->scalar[GAS_DENSITY];
    for (int c = 0; c < N * N * N; ++c) {
        int i = c % N, j = c / N % N, k = c / N / N;
        double here = (double)d[tarn__grid3_at(&gas->grid, i, j, k)];
        off = fmax(off, fabs(here - (double)d[tarn__grid3_at(&gas->grid, N - 1 - i, j, k)]));
        off = fmax(off, fabs(here - (double)d[tarn__grid3_at(&gas->grid, i, j, N - 1 - k)]));
        most = fmax(most, fabs((double)gas->velocity[1][tarn__grid3_at(&gas->grid, i, j, k)]));
    }
    assert_true(most > 0.5);
    if (off > 1e-5) print_error("off by %g\n", off);
    assert_true(off <= 1e-5);
    tarn_gas_destroy(gas);
}

static void test_fire(void** state)
{
    (void)state;
    TarnGasDef def = small_gas();
    def.obstacles = TARN_GAS_NO_OBSTACLES;
    for (int e = 0; e < 6; ++e) (&def.edge_x0)[e] = TARN_GAS_CLOSED;
    for (int is_hot = 0; is_hot < 2; ++is_hot) {
        TarnGas* gas = make_gas(ctx, def);
        TarnGasParams params = tarn_gas_default_params();
        params.ignition = 300.0f, params.burn_smoke = 0.5f, params.keeps_density = false;
        assert_ok(tarn_gas_set_params(gas, &params));
        assert_ok(tarn_gas_burst(gas, (TarnVec3){ 0, 0, 0 }, 0.4f, 0.0f, is_hot ? 1000.0f : 200.0f,
                                 1.0f, 0.0f));
        double fuel = gas->kernels->sum(&gas->grid, gas->scalar[GAS_FUEL], 0, 16);
        gas_steps(gas, 20);
        double left = gas->kernels->sum(&gas->grid, gas->scalar[GAS_FUEL], 0, 16);
        double smoke = gas->kernels->sum(&gas->grid, gas->scalar[GAS_DENSITY], 0, 16);
        assert_true(is_hot ? left < 0.6 * fuel : left > 0.97 * fuel);
        assert_true(is_hot ? smoke > 0.1 * fuel : smoke == 0.0);
        assert_true(tarn_gas_stats(gas).max_temperature <= 1700.0);
        assert_gas_sane(gas);
        tarn_gas_destroy(gas);
    }
}

static void lift(int n, const float* x, const float* y, const float* z, double time,
                 TarnVec3* acceleration, void* user)
{
    (void)x, (void)z, (void)time;
    for (int i = 0; i < n; ++i)
        acceleration[i] = (TarnVec3){ y[i] > 0.0f ? NAN : 1.0f, 0.0f, 0.0f };
    *(int*)user += n;
}

static void test_force(void** state)
{
    (void)state;
    TarnGas* gas = make_gas(ctx, small_gas());
    int points = 0;
    assert_ok(tarn_gas_set_force(gas, lift, &points));
    gas_steps(gas, 5);
    assert_int_equal(points, 5 * 24 * 32 * 16);
    assert_true(gas->velocity[0][tarn__grid3_at(&gas->grid, 12, 4, 8)] > 0.0f);
    assert_gas_sane(gas);
    assert_ok(tarn_gas_set_force(gas, NULL, NULL));
    gas_steps(gas, 1);
    assert_int_equal(points, 5 * 24 * 32 * 16);
    tarn_gas_destroy(gas);
}

// Down and up again: the same box, about the same smoke, no divergence.
static void test_levels(void** state)
{
    (void)state;
    TarnGasDef def = small_gas();
    def.levels = 3;
    TarnGas* gas = make_gas(ctx, def);
    kindle(gas);
    gas_steps(gas, 20);
    TarnGasView before = tarn_gas_view(gas);
    double smoke = tarn_gas_stats(gas).density_sum, speed = tarn_gas_stats(gas).max_speed;
    const int levels[] = { 1, 2, 0, 2, 1, 0 };
    for (int n = 0; n < 6; ++n) {
        assert_ok(tarn_gas_set_level(gas, levels[n]));
        assert_int_equal(tarn_gas_level(gas), levels[n]);
        TarnGasView view = tarn_gas_view(gas);
        assert_true(view.density.nx == 24 >> levels[n] && view.v.ny == (32 >> levels[n]) + 1);
        assert_float_equal(view.dx, def.dx * (float)(1 << levels[n]), 1e-6);
        assert_memory_equal(&view.origin, &before.origin, sizeof view.origin);
        TarnGasStats stats = tarn_gas_stats(gas);
        assert_float_equal(stats.density_sum, smoke, 0.05 * smoke);
        assert_true(stats.divergence <= 0.02 * stats.divergence_before + 1e-3);
        assert_true(stats.max_speed <= 1.2 * speed);
        assert_gas_sane(gas);
    }
    gas_steps(gas, 3);
    tarn_gas_destroy(gas);
}

// ---- The Flow ------------------------------------------------------------------------------------

static void test_flow(void** state)
{
    (void)state;
    TarnGasDef def = small_gas();
    TarnGas* gas = make_gas(ctx, def);
    size_t n = 24 * 32 * 16;
    TarnVec3* v = calloc(n, sizeof *v);
    float* d = calloc(n, sizeof *d);
    for (size_t c = 0; c < n; ++c) { // linear fields are sampled without error
        float x = (float)(c % 24), y = (float)(c / 24 % 32), z = (float)(c / 768);
        v[c] = (TarnVec3){ 0.1f * x + 0.2f * y, 0.05f * z, 0.3f * x - 0.1f * y };
        d[c] = 0.01f * x + 0.02f * y + 0.03f * z;
    }
    assert_ok(tarn_gas_set_fields(gas, v, d, d, NULL));
    TarnFlow flow = tarn_gas_flow(gas);
    float x[11], y[11], z[11], presence[11], density[11], temperature[11];
    TarnVec3 velocity[11];
    TarnFlowSamples out = { velocity, presence, density, temperature };
    for (int p = 0; p < 11; ++p)
        x[p] = uniform(-0.6f, 0.6f), y[p] = uniform(-1, 1), z[p] = uniform(-0.3f, 0.3f);
    x[3] = NAN, y[5] = 5.0f, z[7] = -INFINITY, x[9] = 1.2f;
    assert_ok(tarn_flow_query(flow, 11, x, y, z, &out));
    for (int p = 0; p < 11; ++p) {
        bool is_out = p == 3 || p == 5 || p == 7 || p == 9;
        float i = x[p] / 0.1f + 11.5f, j = y[p] / 0.1f + 15.5f, k = z[p] / 0.1f + 7.5f;
        if (is_out) i = j = k = 0.0f;
        assert_float_equal(presence[p], is_out ? 0.0f : 1.0f, 1e-6);
        assert_float_equal(velocity[p].x, 0.1f * i + 0.2f * j, 1e-4);
        assert_float_equal(velocity[p].y, 0.05f * k, 1e-4);
        assert_float_equal(velocity[p].z, 0.3f * i - 0.1f * j, 1e-4);
        assert_float_equal(density[p], 0.01f * i + 0.02f * j + 0.03f * k, 1e-4);
        assert_float_equal(temperature[p], density[p], 1e-6);
    }
    // The rim: half way through the blend it is one half.
    x[0] = 1.2f - 0.2f, y[0] = z[0] = 0.0f;
    assert_ok(tarn_flow_query(flow, 1, x, y, z, &out));
    assert_float_equal(presence[0], 0.5f, 1e-4);
    x[0] =
        -1.2f + 0.01f; // a closed face: the air there carries like everywhere, and nothing beyond
    assert_ok(tarn_flow_query(flow, 1, x, y, z, &out));
    assert_float_equal(presence[0], 1.0f, 1e-6);
    x[0] = -1.2f - 0.01f;
    assert_ok(tarn_flow_query(flow, 1, x, y, z, &out));
    assert_float_equal(presence[0], 0.0f, 0.0f);
    free(v);
    free(d);
    tarn_gas_destroy(gas);
}

// A burst pushes the air away from it on all sides.
static void test_burst(void** state)
{
    (void)state;
    TarnGasDef def = small_gas();
    for (int e = 0; e < 6; ++e) (&def.edge_x0)[e] = TARN_GAS_OPEN;
    TarnGas* gas = make_gas(ctx, def);
    assert_ok(tarn_gas_burst(gas, (TarnVec3){ 0, 0, 0 }, 0.3f, 1.0f, 0.0f, 0.0f, 0.05f));
    gas_steps(gas, 1);
    const Grid3* g = &gas->grid;
    assert_true(gas->velocity[0][tarn__grid3_at(g, 18, 16, 8)] > 0.1f);
    assert_true(gas->velocity[0][tarn__grid3_at(g, 6, 16, 8)] < -0.1f);
    assert_true(gas->velocity[1][tarn__grid3_at(g, 12, 24, 8)] > 0.05f);
    assert_float_equal(tarn_gas_stats(gas).net_flux, 0.05 * 60.0, 0.03);
    gas_steps(gas, 1); // once only
    assert_float_equal(tarn_gas_stats(gas).net_flux, 0.0, 0.03);
    tarn_gas_destroy(gas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bad_defs), TEST(test_memory), TEST(test_bad_arguments), TEST(test_sources),
        TEST(test_pour),     TEST(test_time),   TEST(test_symmetry),      TEST(test_fire),
        TEST(test_force),    TEST(test_levels), TEST(test_flow),          TEST(test_burst),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
