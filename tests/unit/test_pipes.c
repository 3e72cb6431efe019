// The pipe solver: defs, memory, bad arguments, time, ledgers, reading, reset, slow rates. Storms, workers
// and snapshots: robust/test_pipes_storms.c.

#include "test_common.h"
#include "waves/pipes_internal.h"

enum { NX = 50, NZ = 37, CELLS = NX * NZ };

static TarnPipesDef pipes_def(void)
{
    TarnPipesDef def = tarn_pipes_default_def();
    def.nx = NX, def.nz = NZ, def.dx = 2.0f;
    return def;
}

static TarnPipes* make_pipes(TarnPipesDef def)
{
    TarnPipes* pipes;
    assert_ok(tarn_pipes_create(ctx, &def, &pipes));
    return pipes;
}

static float value_at(TarnView2 view, int i, int k)
{
    return view.data[i + (ptrdiff_t)view.stride * k];
}

static void fill_hills(float* bed)
{
    for (int c = 0; c < CELLS; ++c)
        bed[c] = 10.0f * sinf(0.2f * (float)(c % NX)) + 6.0f * cosf(0.3f * (float)(c / NX)) + 20.0f;
}

static void assert_closed(const TarnPipes* pipes)
{
    TarnPipesLedger l = tarn_pipes_ledger(pipes);
    assert_true(l.water_error == 0.0 && l.ground_error == 0.0);
}

// ---- Defs ----------------------------------------------------------------------------------------

static void assert_bad_def(const TarnPipesDef* def, TarnResult code, const char* word)
{
    TarnPipes* out = (TarnPipes*)&memory;
    int calls = memory.calls;
    assert_result(tarn_pipes_create(ctx, def, &out), code, word);
    assert_null(out);
    assert_true(memory.calls == calls && tarn_pipes_memory(def) == 0);
}

static void test_bad_defs(void** state)
{
    (void)state;
    const TarnParamTable* table = tarn_pipes_def_table();
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        bool is_whole = p->type == TARN_PARAM_INT || p->type == TARN_PARAM_ENUM;
        double bad[] = { p->min - 1, p->max * 2 + 1, -1e9, 1e9, NAN, INFINITY, -INFINITY };
        char word[64];
        snprintf(word, sizeof word, "pipes.%s: ", p->name);
        for (int n = 0; n < (is_whole ? 4 : 7) && p->type != TARN_PARAM_BOOL; ++n) {
            TarnPipesDef def = pipes_def();
            poke(p, &def, p->type == TARN_PARAM_VEC2 ? n % 2 : 0, bad[n]);
            assert_bad_def(&def, TARN_ERR_ARG, word);
        }
    }
    const float wrong[] = { NAN, INFINITY, -INFINITY, 1e4f, -1e4f, -1e30f };
    for (int n = 0; n < 18; ++n) {
        TarnPipesDef def = pipes_def();
        float values[CELLS] = { 0 };
        values[n * 100 + 3] = wrong[n % 6];
        if (n < 6) def.bed = values;
        if (n >= 6 && n < 12) def.soil_map = values;
        if (n >= 12) def.depth = values;
        const char* word = n < 6 ? "pipes.bed" : n < 12 ? "pipes.soil_map" : "pipes.depth";
        assert_bad_def(&def, TARN_ERR_DATA, word);
    }
    TarnPipesDef def = pipes_def();
    TarnPipes* out;
    def.soil = 200.0f;
    assert_bad_def(&def, TARN_ERR_ARG, "raise max_depth");
    def.use_erosion = false; // it is ground then
    assert_int_equal(tarn_pipes_create(ctx, &def, &out), TARN_OK);
    tarn_pipes_destroy(out);
    def.soil = 8000.0f;
    assert_bad_def(&def, TARN_ERR_ARG, "60 times max_depth");
    def = pipes_def();
    def.has_level = true, def.level = 60.1f * 128.0f;
    assert_bad_def(&def, TARN_ERR_ARG, "raise max_depth");
    def = pipes_def();
    assert_int_equal(tarn_pipes_create(NULL, &def, &out), TARN_ERR_ARG);
    assert_result(tarn_pipes_create(ctx, &def, NULL), TARN_ERR_ARG, "out");
    assert_bad_def(NULL, TARN_ERR_ARG, "tarn_pipes_default_def");
    def.cookie ^= 1;
    assert_bad_def(&def, TARN_ERR_ARG, "tarn_pipes_default_def");
}

// ---- Memory --------------------------------------------------------------------------------------

static void test_memory(void** state)
{
    (void)state;
    const int sizes[][2] = { { 2, 2 }, { 100, 40 }, { 3, 500 }, { 512, 512 }, { 1023, 517 } };
    for (int n = 0; n < 5 * 2; ++n) {
        TarnPipesDef def = tarn_pipes_default_def();
        def.nx = sizes[n / 2][0], def.nz = sizes[n / 2][1];
        def.use_erosion = n % 2;
        size_t before = memory.bytes, said = tarn_pipes_memory(&def);
        int calls = memory.calls;
        TarnPipes* pipes = make_pipes(def);
        assert_true(memory.bytes - before == said && memory.calls == calls + 1);
        double per_cell = (double)said / ((double)def.nx * def.nz);
        if (def.nx >= 512) assert_true(per_cell <= (def.use_erosion ? 64.0 : 40.0));
        assert_ok(tarn_pipes_step(pipes, 0.1f, NULL));
        assert_int_equal(memory.calls, calls + 1);
        tarn_pipes_destroy(pipes);
        assert_true(memory.bytes == before);
    }
    memory.fail_at = memory.calls + 1;
    TarnPipesDef def = pipes_def();
    TarnPipes* none;
    assert_result(tarn_pipes_create(ctx, &def, &none), TARN_ERR_MEMORY, "memory");
    assert_null(none);
    tarn_pipes_destroy(NULL);
    tarn_pipes_reset(NULL);
}

// ---- Bad arguments -------------------------------------------------------------------------------

#define assert_bad(call, word)                                                                     \
    do {                                                                                           \
        assert_result(call, TARN_ERR_ARG, word);                                                   \
        assert_true(tarn_pipes_hash(pipes) == hash);                                               \
    } while (0)

static void test_bad_arguments(void** state)
{
    (void)state;
    TarnPipes* pipes = make_pipes(pipes_def());
    const TarnVec2 middle = { 50.0f, 37.0f };
    assert_ok(tarn_pipes_add_water(pipes, middle, 10.0f, 100.0f, NULL));
    for (int s = 0; s < 5; ++s) assert_ok(tarn_pipes_step(pipes, 0.1f, NULL));
    uint64_t hash = tarn_pipes_hash(pipes);
    const float far_out[] = { NAN, INFINITY, -INFINITY, 1.1e7f, -1e30f };
    double done = 1.0;
    for (int n = 0; n < 5; ++n) {
        TarnVec2 x = { far_out[n], 1 }, z = { 1, far_out[n] };
        assert_bad(tarn_pipes_add_water(pipes, x, 1.0f, 1.0f, &done), "center");
        assert_bad(tarn_pipes_add_water(pipes, z, 1.0f, 1.0f, &done), "center");
        assert_bad(tarn_pipes_add_water(pipes, middle, far_out[n], 1.0f, &done), "radius");
        float volume = n == 3 ? 2e15f : far_out[n];
        assert_bad(tarn_pipes_add_water(pipes, middle, 1.0f, volume, &done), "volume");
        assert_true(done == 0.0);
        TarnStepReport report = { .substeps = 99 };
        float dt = n == 3 ? 10.01f : n == 4 ? -1e-9f : far_out[n];
        assert_bad(tarn_pipes_step(pipes, dt, &report), "dt");
        assert_int_equal(report.substeps, 0);
    }
    assert_bad(tarn_pipes_add_water(pipes, middle, 0.0f, 1.0f, NULL), "radius");
    const TarnParamTable* table = tarn_pipes_params_table();
    for (int i = 0; i < table->count * 5; ++i) {
        TarnPipesParams params = tarn_pipes_default_params();
        const double bad[] = { NAN, INFINITY, -INFINITY, -1.0, 1e7 };
        poke(&table->params[i / 5], &params, 0, bad[i % 5]);
        assert_bad(tarn_pipes_set_params(pipes, &params), table->params[i / 5].name);
    }
    assert_bad(tarn_pipes_set_params(pipes, NULL), "");
    TarnVec2 away = { -1e7f, 1e7f }; // nothing there
    assert_ok(tarn_pipes_add_water(pipes, away, 1e3f, 1e6f, &done));
    assert_ok(tarn_pipes_step(pipes, 0.0f, NULL));
    assert_true(done == 0.0 && tarn_pipes_hash(pipes) == hash);
    size_t size;
    assert_int_equal(tarn_pipes_step(NULL, 0.1f, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_pipes_add_water(NULL, middle, 1, 1, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_pipes_set_params(NULL, &pipes->params), TARN_ERR_ARG);
    assert_int_equal(tarn_pipes_velocity(NULL, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_pipes_velocity(pipes, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_pipes_save(NULL, NULL, 0, &size), TARN_ERR_ARG);
    assert_int_equal(tarn_pipes_save(pipes, NULL, 0, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_pipes_load(NULL, "x", 1), TARN_ERR_ARG);
    tarn_pipes_destroy(pipes);
}

// ---- Time ----------------------------------------------------------------------------------------

static void test_time(void** state)
{
    (void)state;
    const float dts[] = { 0.0f, 1e-30f, 1e-9f, 1e-3f, 1.0f / 60, 0.1f, 1.0f, 10.0f };
    float depth[CELLS];
    for (int c = 0; c < CELLS; ++c) depth[c] = 5.0f;
    for (int n = 0; n < 8; ++n) {
        TarnPipesDef def = pipes_def();
        def.depth = depth;
        def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_PIPES_CLOSED;
        TarnPipes* pipes = make_pipes(def);
        double stable = 0.8 * 2.0 / sqrt(2.0 * 9.81 * 5.0), dt = dts[n], time = 0.0;
        for (int s = 0; s < 5; ++s) {
            TarnStepReport r;
            assert_ok(tarn_pipes_step(pipes, dts[n], &r));
            bool is_cut = dt > 16.0 * stable;
            assert_int_equal(r.flags, is_cut ? TARN_STEP_TIME_CUT : 0);
            assert_int_equal(r.substeps, is_cut ? 16 : (int)ceil(dt / stable));
            assert_float_equal(r.time_advanced, is_cut ? 16.0 * stable : dt, 1e-5 * dt);
            assert_float_equal(r.stable_dt, stable, 1e-5 * stable);
            time += r.time_advanced;
        }
        assert_float_equal(tarn_pipes_time(pipes), time, 1e-12 * time);
        assert_closed(pipes);
        tarn_pipes_destroy(pipes);
    }
    // A very short step stops no flow.
    TarnPipes* pipes = make_pipes(pipes_def());
    assert_ok(tarn_pipes_add_water(pipes, (TarnVec2){ 50, 37 }, 10.0f, 300.0f, NULL));
    for (int s = 0; s < 5; ++s) assert_ok(tarn_pipes_step(pipes, 0.1f, NULL));
    float before = value_at(tarn_pipes_discharge_x(pipes), 30, 18);
    assert_ok(tarn_pipes_step(pipes, 1e-7f, NULL));
    assert_true(before > 0.01f);
    assert_float_equal(value_at(tarn_pipes_discharge_x(pipes), 30, 18), before, 1e-4 * before);
    tarn_pipes_destroy(pipes);
}

// ---- Water ---------------------------------------------------------------------------------------

static void test_sources(void** state)
{
    (void)state;
    TarnPipes* pipes = make_pipes(pipes_def());
    TarnVec2 middle = { 50.0f, 37.0f }, corner = { 0.0f, 0.0f };
    double done;
    assert_ok(tarn_pipes_add_water(pipes, middle, 10.0f, 123.4f, &done));
    assert_float_equal(done, 123.4, 1e-4);
    assert_ok(tarn_pipes_add_water(pipes, corner, 10.0f, 10.0f, &done)); // all of it, in a quarter
    assert_float_equal(done, 10.0, 1e-4);
    assert_ok(tarn_pipes_add_water(pipes, middle, 1e-3f, 1.0f, &done)); // a point is a cell
    assert_float_equal(done, 1.0, 1e-4);
    assert_float_equal(tarn_pipes_ledger(pipes).volume, 134.4, 1e-3);
    assert_ok(tarn_pipes_add_water(pipes, middle, 1e3f, -1e6f, &done)); // no more than there is
    assert_float_equal(done, -134.4, 1e-3);
    assert_true(tarn_pipes_ledger(pipes).volume == 0.0);
    assert_ok(tarn_pipes_add_water(pipes, middle, 10.0f, 1e15f, &done)); // no more than fits
    assert_true(done > 0.0 && value_at(tarn_pipes_depth(pipes), 25, 18) == 128.0f);
    assert_closed(pipes);
    for (int s = 0; s < 50; ++s) assert_ok(tarn_pipes_step(pipes, 0.1f, NULL));
    assert_closed(pipes);
    tarn_pipes_destroy(pipes);
}

// Less than a grain of rain and sun per step: they add up all the same.
static void test_weather(void** state)
{
    (void)state;
    TarnPipesDef def = pipes_def();
    def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_PIPES_CLOSED;
    TarnPipes* pipes = make_pipes(def);
    TarnPipesParams params = tarn_pipes_default_params();
    params.rain = 10.0f;
    assert_ok(tarn_pipes_set_params(pipes, &params));
    double area = 4.0 * CELLS;
    int steps = is_short_run() ? 3600 : 36000; // half an hour
    double hours = 0.05 * steps / 3600.0, off = 2e-5 * area;
    for (int s = 0; s < steps; ++s) assert_ok(tarn_pipes_step(pipes, 0.05f, NULL));
    assert_float_equal(tarn_pipes_ledger(pipes).rain, 10e-3 * hours * area, off);
    params.rain = 0.0f, params.evaporation = 6.0f;
    assert_ok(tarn_pipes_set_params(pipes, &params));
    for (int s = 0; s < steps; ++s) assert_ok(tarn_pipes_step(pipes, 0.05f, NULL));
    assert_float_equal(tarn_pipes_ledger(pipes).evaporated, -6e-3 * hours * area, off);
    params.evaporation = 1e5f;
    assert_ok(tarn_pipes_set_params(pipes, &params));
    for (int s = 0; s < 10; ++s) assert_ok(tarn_pipes_step(pipes, 0.5f, NULL));
    assert_true(tarn_pipes_ledger(pipes).volume == 0.0);
    assert_closed(pipes);
    tarn_pipes_destroy(pipes);
}

// Water runs down a plane and out of its lower end; steep water at the speed that steep_drag leaves it.
static void test_slope(void** state)
{
    (void)state;
    for (int n = 0; n < 4; ++n) { // downhill to each edge
        float bed[CELLS];
        for (int c = 0; c < CELLS; ++c) {
            int i = n == 0 ? c % NX : NX - 1 - c % NX, k = n == 2 ? c / NX : NZ - 1 - c / NX;
            bed[c] = 0.3f * 2.0f * (float)(n < 2 ? i : k);
        }
        TarnPipesDef def = pipes_def();
        def.bed = bed, def.use_erosion = false;
        for (int edge = 0; edge < 4; ++edge)
            *(&def.edge_x0 + edge) = edge == n ? TARN_PIPES_OPEN : TARN_PIPES_CLOSED;
        TarnPipes* pipes = make_pipes(def);
        TarnPipesParams params = tarn_pipes_default_params();
        params.rain = 2000.0f, params.drag = 0.0f, params.friction = 0.0f;
        assert_ok(tarn_pipes_set_params(pipes, &params));
        for (int s = 0; s < 6000; ++s) assert_ok(tarn_pipes_step(pipes, 0.2f, NULL));
        TarnPipesLedger l = tarn_pipes_ledger(pipes);
        assert_true(l.edges < -0.8 * l.rain && l.water_error == 0.0);
        static TarnVec2 velocity[CELLS];
        assert_ok(tarn_pipes_velocity(pipes, velocity));
        float d = value_at(tarn_pipes_depth(pipes), NX / 2, NZ / 2);
        TarnVec2 v = velocity[NX / 2 + NX * (NZ / 2)];
        float speed = n == 0 ? -v.x : n == 1 ? v.x : n == 2 ? -v.y : v.y;
        assert_true(d > 1e-3f);
        assert_float_equal(speed / sqrtf(9.81f * d / 2.5f), 1.0, 0.05);
        tarn_pipes_destroy(pipes);
    }
}

// ---- Ground --------------------------------------------------------------------------------------

// So slow that a cell loses less than a hundredth of a grain per step: the sum is right all the same.
static void test_slow_erosion(void** state)
{
    (void)state;
    double carved[2];
    for (int n = 0; n < 2; ++n) {
        float bed[CELLS];
        for (int c = 0; c < CELLS; ++c) bed[c] = 0.2f * (float)(c % NX);
        TarnPipesDef def = pipes_def();
        def.bed = bed;
        TarnPipes* pipes = make_pipes(def);
        TarnPipesParams params = tarn_pipes_default_params();
        params.rain = 500.0f, params.creep = 0.0f, params.deposit_rate = 0.0f;
        params.erosion_speed = n ? 100.0f : 5.0f;
        params.soil_rate = 0.5f;
        assert_ok(tarn_pipes_set_params(pipes, &params));
        for (int s = 0; s < 6000; ++s) assert_ok(tarn_pipes_step(pipes, 0.05f, NULL));
        TarnPipesLedger l = tarn_pipes_ledger(pipes);
        carved[n] = l.sediment + l.carried_out;
        assert_closed(pipes);
        double grains = carved[n] / (4.0 * (double)pipes->grain) / CELLS / 6000.0;

        assert_true(n == 1 || (grains < 1e-2 && grains > 1e-3)); // per cell and step
        tarn_pipes_destroy(pipes);
    }
    assert_float_equal(carved[1] / carved[0], 20.0, 0.4);
}

// Soil goes first, hard rock below it stays.
static void test_layers(void** state)
{
    (void)state;
    float bed[CELLS];
    for (int c = 0; c < CELLS; ++c) bed[c] = 0.4f * (float)(c % NX);
    double lowest[2];
    for (int n = 0; n < 2; ++n) {
        TarnPipesDef def = pipes_def();
        def.bed = bed, def.soil = 0.1f;
        TarnPipes* pipes = make_pipes(def);
        TarnPipesParams params = tarn_pipes_default_params();
        params.rain = 1000.0f, params.creep = params.slip_rate = 0.0f;
        params.rock_rate = n ? 0.5f : 0.0f, params.capacity = 0.2f;
        assert_ok(tarn_pipes_set_params(pipes, &params));
        for (int s = 0; s < 4000; ++s) assert_ok(tarn_pipes_step(pipes, 0.1f, NULL));
        lowest[n] = 0.0;
        int n_bare = 0;
        for (int c = 0; c < CELLS; ++c) {
            double rock = (double)value_at(tarn_pipes_ground(pipes), c % NX, c / NX) -
                          (double)value_at(tarn_pipes_soil(pipes), c % NX, c / NX);
            lowest[n] = fmin(lowest[n], rock - (double)bed[c]);
            n_bare += value_at(tarn_pipes_soil(pipes), c % NX, c / NX) == 0.0f;
        }
        assert_true(n_bare > 100);
        assert_closed(pipes);
        tarn_pipes_destroy(pipes);
    }
    assert_float_equal(lowest[0], 0.0, 1e-4); // not scratched
    assert_true(lowest[1] < -0.01);
}

// Muddy water that dries leaves all it carried.
static void test_drying(void** state)
{
    (void)state;
    float bed[CELLS];
    fill_hills(bed);
    TarnPipesDef def = pipes_def();
    def.bed = bed;
    TarnPipes* pipes = make_pipes(def);
    TarnPipesParams params = tarn_pipes_default_params();
    params.rain = 2000.0f;
    assert_ok(tarn_pipes_set_params(pipes, &params));
    for (int s = 0; s < 500; ++s) assert_ok(tarn_pipes_step(pipes, 0.1f, NULL));
    assert_true(tarn_pipes_ledger(pipes).sediment > 1.0);
    params.rain = 0.0f, params.evaporation = 1e5f;
    assert_ok(tarn_pipes_set_params(pipes, &params));
    for (int s = 0; s < 2000; ++s) assert_ok(tarn_pipes_step(pipes, 0.1f, NULL));
    TarnPipesLedger l = tarn_pipes_ledger(pipes);
    assert_true(l.volume == 0.0 && l.sediment == 0.0);
    assert_closed(pipes);
    tarn_pipes_destroy(pipes);
}

// ---- Reading -------------------------------------------------------------------------------------

static void test_getters(void** state)
{
    (void)state;
    float bed[CELLS], depth[CELLS];
    for (int c = 0; c < CELLS; ++c) {
        bed[c] = 0.5f * (float)(c % NX) - 0.25f * (float)(c / NX);
        depth[c] = 30.0f - bed[c] - 2.0f;
    }
    TarnPipesDef def = pipes_def();
    def.origin = (TarnVec2){ -10.0f, 20.0f };
    def.bed = bed, def.depth = depth;
    TarnPipes* pipes = make_pipes(def);
    const TarnPipesDef* kept = tarn_pipes_def(pipes);
    assert_true(kept->nx == NX && !kept->bed && !kept->depth && !kept->soil_map);
    assert_true(tarn_pipes_origin(pipes).x == -10.0f && tarn_pipes_time(pipes) == 0.0);
    for (int c = 0; c < CELLS; ++c) {
        assert_float_equal(value_at(tarn_pipes_ground(pipes), c % NX, c / NX), bed[c] + 2.0f, 1e-5);
        assert_float_equal(value_at(tarn_pipes_depth(pipes), c % NX, c / NX), depth[c], 1e-5);
        assert_true(value_at(tarn_pipes_soil(pipes), c % NX, c / NX) == 2.0f);
        assert_true(value_at(tarn_pipes_sediment(pipes), c % NX, c / NX) == 0.0f);
    }
    assert_int_equal(tarn_pipes_discharge_x(pipes).nx, NX + 1);
    assert_int_equal(tarn_pipes_discharge_z(pipes).nz, NZ + 1);
    float x[5] = { 11.3f, -50.0f, 500.0f, NAN, 40.0f },
          z[5] = { 33.7f, 30.0f, 30.0f, 30.0f, 55.0f };
    float y[5], deep[5];
    TarnVec3 normal[5], velocity[5];
    TarnSurfaceSamples out = { y, normal, velocity, deep };
    assert_int_equal(tarn_surface_query(tarn_pipes_surface(pipes), 5, x, z, &out), TARN_OK);
    for (int p = 0; p < 5; ++p) {
        assert_float_equal(y[p], 30.0, 2e-5);
        assert_float_equal(normal[p].y, 1.0, 1e-5);
        assert_true(velocity[p].x == 0.0f && velocity[p].y == 0.0f && velocity[p].z == 0.0f);
    }
    assert_float_equal(deep[0],
                       28.0 - (0.5 * (11.3 + 10.0 - 1.0) - 0.25 * (33.7 - 20.0 - 1.0)) / 2.0, 1e-4);
    tarn_pipes_destroy(pipes);
    def.use_erosion = false;
    pipes = make_pipes(def);
    assert_null(tarn_pipes_soil(pipes).data);
    assert_null(tarn_pipes_sediment(pipes).data);
    tarn_pipes_destroy(pipes);
}

static void test_reset(void** state)
{
    (void)state;
    float bed[CELLS];
    fill_hills(bed);
    TarnPipesDef def = pipes_def();
    def.bed = bed;
    TarnPipes* pipes = make_pipes(def);
    TarnPipesParams params = tarn_pipes_default_params();
    params.rain = 1000.0f;
    assert_ok(tarn_pipes_set_params(pipes, &params));
    for (int s = 0; s < 300; ++s) assert_ok(tarn_pipes_step(pipes, 0.1f, NULL));
    TarnPipesLedger before = tarn_pipes_ledger(pipes);
    tarn_pipes_reset(pipes);
    TarnPipesLedger after = tarn_pipes_ledger(pipes);
    assert_true(after.volume == 0.0 && after.sediment == 0.0 && after.rain == 0.0);
    assert_float_equal(after.ground, before.ground + before.sediment, 1e-9 * before.ground);
    assert_true(tarn_pipes_time(pipes) == 0.0);
    assert_closed(pipes);
    for (int s = 0; s < 300; ++s) assert_ok(tarn_pipes_step(pipes, 0.1f, NULL));
    assert_closed(pipes);
    tarn_pipes_destroy(pipes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bad_defs), TEST(test_memory),  TEST(test_bad_arguments), TEST(test_time),
        TEST(test_sources),  TEST(test_weather), TEST(test_slope),         TEST(test_slow_erosion),
        TEST(test_layers),   TEST(test_drying),  TEST(test_getters),       TEST(test_reset)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
