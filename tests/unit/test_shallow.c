// The shallow-water solver: defs, memory, bad arguments, time, reading, snapshots, the same bits for
// all workers. Edges and edits: test_shallow_edits.c. Storms: robust/test_shallow_storms.c.

#include "shallow_common.h"

// ---- Defs ----------------------------------------------------------------------------------------

static void test_defaults(void** state)
{
    (void)state;
    TarnShallowDef def = tarn_shallow_default_def();
    assert_true(tarn_shallow_memory(&def) > 0);
    assert_int_equal(def.advection, TARN_ADVECTION_MOMENTUM);
    assert_true(def.gravity == 9.81f && !def.bed && !def.depth && !def.bed_fn);
    const TarnParamTable* tables[4] = { tarn_shallow_def_table(), tarn_shallow_params_table(),
                                        tarn_shallow_span_table(), tarn_shallow_gate_table() };
    const char* structs[4] = { "TarnShallowDef", "TarnShallowParams", "TarnShallowSpanDef",
                               "TarnShallowGateDef" };
    TarnShallowParams params = tarn_shallow_default_params();
    TarnShallowSpanDef span = tarn_shallow_default_span();
    TarnShallowGateDef gate = tarn_shallow_default_gate();
    const void* objects[4] = { &def, &params, &span, &gate };
    for (int t = 0; t < 4; ++t) {
        assert_string_equal(tables[t]->struct_name, structs[t]);
        assert_ok(tarn_param_validate(ctx, tables[t], objects[t]));
        for (int i = 0; i < tables[t]->count; ++i) {
            const TarnParam* p = &tables[t]->params[i];
            assert_true(p->name && p->unit && p->help && p->help[0] && p->min < p->max);
            for (int c = 0; c < tarn__param_components(p->type); ++c) {
                double value = tarn__param_get(p, objects[t], c);
                assert_true(value == (double)(float)p->value[c]);
            }
        }
    }
    const char* words[] = { "none", "semi_lagrangian", "maccormack", "momentum" };
    const TarnParam* p = tarn_param_find(tables[0], "advection");
    for (int n = 0; n < 4; ++n) assert_string_equal(p->names[n], words[n]);
    const char* edges[] = { "reflecting", "open", "fall", "absorbing", "periodic" };
    p = tarn_param_find(tables[0], "edge_x0");
    for (int n = 0; n < 5; ++n) assert_string_equal(p->names[n], edges[n]);
    assert_true(p->max == 4.0); // the others are for spans
}

static void assert_bad_def(const TarnShallowDef* def, TarnResult code, const char* word)
{
    TarnShallow* out = (TarnShallow*)&memory;
    int calls = memory.calls;
    assert_result(tarn_shallow_create(ctx, def, &out), code, word);
    assert_null(out);
    assert_true(memory.calls == calls && (code == TARN_ERR_DATA || tarn_shallow_memory(def) == 0));
}

static void test_bad_defs(void** state)
{
    (void)state;
    const TarnParamTable* table = tarn_shallow_def_table();
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        bool is_whole = p->type == TARN_PARAM_INT || p->type == TARN_PARAM_ENUM;
        double bad[] = { p->min - 1, p->max * 2 + 1, -1e9, 1e9, NAN, INFINITY, -INFINITY };
        char word[64];
        snprintf(word, sizeof word, "shallow.%s: ", p->name);
        for (int n = 0; n < (is_whole ? 4 : 7) && p->type != TARN_PARAM_BOOL; ++n) {
            TarnShallowDef def = water_def();
            poke(p, &def, p->type == TARN_PARAM_VEC2 ? n % 2 : 0, bad[n]);
            assert_bad_def(&def, TARN_ERR_ARG, word);
        }
    }
    for (int edge = 0; edge < 4; ++edge) {
        TarnShallowDef def = water_def();
        *(&def.edge_x0 + edge) = TARN_SHALLOW_PERIODIC;
        assert_bad_def(&def, TARN_ERR_ARG, edge < 2 ? "edge_x" : "edge_z");
        *(&def.edge_x0 + edge) = TARN_SHALLOW_DISCHARGE; // is for spans, and the message says so
        assert_bad_def(&def, TARN_ERR_ARG, "discharge is for spans");
    }
    const float wrong[] = { NAN, INFINITY, -INFINITY, -1e30f, 1e30f, -0.001f };
    for (int n = 0; n < 11; ++n) {
        TarnShallowDef def = water_def();
        float values[4000] = { 0 };
        values[n * 333 + 3] = wrong[n % 6];
        if (n % 2 == 0 && n % 6 < 5)
            def.bed = values;
        else
            def.depth = values;
        assert_bad_def(&def, TARN_ERR_DATA, def.bed ? "bed" : "depth");
    }
    TarnShallowDef def = water_def();
    TarnShallow* out;
    assert_int_equal(tarn_shallow_create(NULL, &def, &out), TARN_ERR_ARG);
    assert_result(tarn_shallow_create(ctx, &def, NULL), TARN_ERR_ARG, "out");
    assert_bad_def(NULL, TARN_ERR_ARG, "tarn_shallow_default_def");
    def.cookie ^= 1;
    assert_bad_def(&def, TARN_ERR_ARG, "tarn_shallow_default_def");
    assert_true(tarn_shallow_memory(NULL) == 0);
}

static float nan_ground(float x, float z, void* user)
{
    (void)z;
    return x > *(float*)user ? NAN : 0.0f;
}

static void test_bad_ground_function(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    float limit = 30.0f;
    def.bed_fn = nan_ground;
    def.bed_user = &limit;
    TarnShallow* water = make_water(&def);
    assert_water_sane(water); // flat there
    limit = -1e9f;
    assert_ok(tarn_shallow_shift(water, 7, 5));
    assert_water_sane(water);
    tarn_shallow_destroy(water);
}

// ---- Memory --------------------------------------------------------------------------------------

static void test_memory(void** state)
{
    (void)state;
    const int sizes[][2] = { { 4, 4 }, { 100, 40 }, { 5, 500 }, { 512, 512 }, { 1023, 517 } };
    for (int n = 0; n < 5 * 8; ++n) {
        TarnShallowDef def = tarn_shallow_default_def();
        def.nx = sizes[n / 8][0], def.nz = sizes[n / 8][1];
        def.advection = n % 4, def.use_bodies = n & 4;
        size_t before = memory.bytes, said = tarn_shallow_memory(&def);
        int calls = memory.calls;
        TarnShallow* water = make_water(&def);
        assert_true(memory.bytes - before == said && memory.calls == calls + 1);
        tarn_shallow_destroy(water);
        assert_true(memory.bytes == before);
    }
    for (int n = 0; n < 8; ++n) { // the promise
        TarnShallowDef def = tarn_shallow_default_def();
        def.nx = def.nz = 1024;
        def.advection = n % 4, def.use_bodies = n & 4;
        double per_cell = (double)tarn_shallow_memory(&def) / (1024.0 * 1024.0);
        if (per_cell > (def.use_bodies ? 60.0 : 48.0)) print_error("%g bytes per cell\n", per_cell);
        assert_true(per_cell <= (def.use_bodies ? 60.0 : 48.0));
    }
    tarn_shallow_destroy(NULL);
    memory.fail_at = memory.calls + 1;
    TarnShallowDef def = water_def();
    TarnShallow* out = (TarnShallow*)&memory;
    assert_result(tarn_shallow_create(ctx, &def, &out), TARN_ERR_MEMORY, "memory");
    assert_null(out);
}

static void test_no_allocation(void** state)
{
    (void)state;
    TarnContext* where = make_context(3, TARN_ISA_AUTO);
    for (int advection = 0; advection < 4; ++advection) {
        TarnShallowDef def = water_def();
        def.advection = advection;
        def.bed_fn = water_hills;
        def.level = 0.5f, def.has_level = true;
        TarnShallow* water = make_water_in(where, &def);
        TarnShallowSpanDef span = span_of(TARN_SIDE_X0, TARN_SHALLOW_DISCHARGE, 1.0f);
        TarnShallowGateDef gate = tarn_shallow_default_gate();
        gate.a = (TarnVec2){ 20, 0 }, gate.b = (TarnVec2){ 22, 20 }, gate.top = 3.0f;
        size_t size;
        assert_int_equal(tarn_shallow_save(water, NULL, 0, &size), TARN_ERR_CAPACITY);
        size += 65536;
        uint8_t* snapshot = malloc(size);
        float* surface = malloc(4000 * sizeof(float));
        int calls = memory.calls;
        assert_int_equal(tarn_shallow_add_span(water, &span, NULL), TARN_OK);
        assert_int_equal(tarn_shallow_add_gate(water, &gate, NULL), TARN_OK);
        for (int n = 0; n < 40; ++n) {
            float x = uniform(0.0f, 50.0f), z = uniform(0.0f, 20.0f);
            tarn_shallow_add_water(water, (TarnVec2){ x, z }, 3.0f, 5.0f, NULL);
            tarn_shallow_dig(water, (TarnVec2){ x, z }, 3.0f, 0.2f);
            tarn_shallow_fill(water, (TarnVec2){ x, z }, (TarnVec2){ x + 2, z + 2 }, 1.0f);
            tarn_shallow_add_velocity(water, (TarnVec2){ x, z }, 3.0f, (TarnVec2){ 1, 1 });
            tarn_shallow_set_gate(water, 0, uniform(0.0f, 1.0f));
            tarn_shallow_shift(water, n % 3 - 1, n % 5 - 2);
            assert_int_equal(tarn_shallow_step(water, 0.05f, NULL), TARN_OK);
            tarn_surface_height(tarn_shallow_surface(water), x, z);
            tarn_shallow_hash(water);
            tarn_shallow_ledger(water);
            tarn_shallow_drawn_surface(water, surface);
            size_t used;
            assert_int_equal(tarn_shallow_save(water, snapshot, size, &used), TARN_OK);
            if (n % 10 == 0) assert_int_equal(tarn_shallow_load(water, snapshot, used), TARN_OK);
        }
        tarn_shallow_reset(water);
        assert_int_equal(memory.calls, calls);
        free(snapshot);
        free(surface);
        tarn_shallow_destroy(water);
    }
    tarn_context_destroy(where);
}

// ---- Bad arguments -------------------------------------------------------------------------------

#define assert_bad(call, word)                                                                     \
    do {                                                                                           \
        assert_result(call, TARN_ERR_ARG, word);                                                   \
        assert_true(tarn_shallow_hash(water) == hash);                                             \
    } while (0)

static void add_busy_parts(TarnShallow* water)
{
    TarnShallowSpanDef span = span_of(TARN_SIDE_X0, TARN_SHALLOW_DISCHARGE, 1.0f);
    TarnShallowGateDef gate = tarn_shallow_default_gate();
    gate.a = (TarnVec2){ 20, 0 }, gate.b = (TarnVec2){ 22, 20 }, gate.top = 3.0f;
    assert_ok(tarn_shallow_add_span(water, &span, NULL));
    assert_ok(tarn_shallow_add_gate(water, &gate, NULL));
}

static TarnShallow* make_busy(void)
{
    TarnShallowDef def = water_def();
    def.bed_fn = water_hills;
    def.level = 0.5f, def.has_level = true;
    TarnShallow* water = make_water(&def);
    add_busy_parts(water);
    assert_ok(tarn_shallow_add_water(water, water_middle, 4.0f, 20.0f, NULL));
    advance_frames(water, 10);
    return water;
}

static void test_bad_places(void** state)
{
    (void)state;
    TarnShallow* water = make_busy();
    uint64_t hash = tarn_shallow_hash(water);
    const float far_out[] = { NAN, INFINITY, -INFINITY, 1e30f, -1e30f };
    TarnVec2 one = { 1.0f, 1.0f };
    for (int n = 0; n < 10; ++n) {
        TarnVec2 bad = n < 5 ? (TarnVec2){ far_out[n], 1 } : (TarnVec2){ 1, far_out[n - 5] };
        assert_bad(tarn_shallow_add_water(water, bad, 1.0f, 1.0f, NULL), "center");
        assert_bad(tarn_shallow_dig(water, bad, 1.0f, 1.0f), "center");
        assert_bad(tarn_shallow_add_velocity(water, bad, 1.0f, one), "center");
        assert_bad(tarn_shallow_add_velocity(water, one, 1.0f, bad), "velocity");
        assert_bad(tarn_shallow_fill(water, bad, one, 1.0f), "");
        assert_bad(tarn_shallow_fill(water, one, bad, 1.0f), "");
    }
    const float radii[] = { NAN, INFINITY, -INFINITY, 0.0f, -0.0f, -1.0f, 1e30f };
    for (int n = 0; n < 7; ++n) {
        assert_bad(tarn_shallow_add_water(water, one, radii[n], 1.0f, NULL), "radius");
        assert_bad(tarn_shallow_dig(water, one, radii[n], 1.0f), "radius");
        assert_bad(tarn_shallow_add_velocity(water, one, radii[n], one), "radius");
    }
    for (int n = 0; n < 5; ++n) {
        double done = 99.0;
        assert_bad(tarn_shallow_add_water(water, one, 1.0f, far_out[n], &done), "volume");
        assert_true(done == 0.0);
        assert_bad(tarn_shallow_dig(water, one, 1.0f, far_out[n]), "height");
        assert_bad(tarn_shallow_fill(water, one, one, far_out[n]), "level");
        assert_bad(tarn_shallow_set_span(water, 0, far_out[n]), "");
        assert_bad(tarn_shallow_set_gate(water, 0, far_out[n]), "opening");
    }
    assert_bad(tarn_shallow_set_gate(water, 0, -0.01f), "opening");
    assert_bad(tarn_shallow_set_gate(water, 0, 1.01f), "opening");
    tarn_shallow_destroy(water);
}

static void test_bad_arguments(void** state)
{
    (void)state;
    TarnShallow* water = make_busy();
    uint64_t hash = tarn_shallow_hash(water);
    const float dts[] = { NAN, INFINITY, -INFINITY, -1e-9f, 10.001f };
    for (int n = 0; n < 5; ++n) {
        TarnStepReport report = { .substeps = 99 };
        assert_bad(tarn_shallow_step(water, dts[n], &report), "dt");
        assert_int_equal(report.substeps, 0);
    }
    const int whole[] = { INT_MIN, INT_MAX, -(1 << 24), 1 << 24, -1, 64 };
    float bed[4] = { 0 };
    for (int n = 0; n < 6; ++n) {
        assert_bad(tarn_shallow_set_span(water, whole[n], 1.0f), "");
        assert_bad(tarn_shallow_set_gate(water, whole[n], 1.0f), "");
        assert_true(tarn_shallow_gate_opening(water, whole[n]) == -1.0f);
        if (n < 4) assert_bad(tarn_shallow_shift(water, whole[n], 0), "tarn_shallow_shift");
        if (n < 4) assert_bad(tarn_shallow_shift(water, 1, whole[n]), "tarn_shallow_shift");
        if (whole[n] == 64) continue;
        assert_bad(tarn_shallow_set_bed(water, whole[n], 0, 2, 2, bed), "");
        assert_bad(tarn_shallow_set_bed(water, 0, whole[n], 2, 2, bed), "");
        assert_bad(tarn_shallow_set_bed(water, 0, 0, whole[n], 2, bed), "");
        assert_bad(tarn_shallow_set_bed(water, 0, 0, 2, whole[n], bed), "");
    }
    assert_bad(tarn_shallow_set_bed(water, 99, 0, 2, 2, bed), "");
    assert_bad(tarn_shallow_set_bed(water, 0, 39, 2, 2, bed), "");
    assert_bad(tarn_shallow_set_bed(water, 0, 0, 2, 2, NULL), "bed");
    bed[3] = NAN;
    assert_result(tarn_shallow_set_bed(water, 0, 0, 2, 2, bed), TARN_ERR_DATA, "bed");
    assert_true(tarn_shallow_hash(water) == hash);
    const TarnParamTable* table = tarn_shallow_params_table();
    for (int i = 0; i < table->count * 5; ++i) {
        const TarnParam* p = &table->params[i / 5];
        const double bad[] = { NAN, INFINITY, -INFINITY, p->min - 1.0, p->max * 2.0 + 1.0 };
        TarnShallowParams params = tarn_shallow_default_params();
        poke(p, &params, p->type == TARN_PARAM_VEC2 ? i % 2 : 0, bad[i % 5]);
        assert_bad(tarn_shallow_set_params(water, &params), p->name);
    }
    assert_bad(tarn_shallow_set_params(water, NULL), "");
    // Nothing of these touches the water: far away, of no height, of no time, by no cells.
    TarnVec2 away = { -1e5f, 1e5f }, none = { 0.0f, 0.0f };
    double done = 1.0;
    assert_ok(tarn_shallow_add_water(water, away, 100.0f, 10.0f, &done));
    assert_true(done == 0.0);
    assert_ok(tarn_shallow_dig(water, away, 100.0f, 10.0f));
    assert_ok(tarn_shallow_add_velocity(water, away, 100.0f, (TarnVec2){ 1, 1 }));
    assert_ok(tarn_shallow_add_velocity(water, water_middle, 1.0f, none));
    assert_ok(tarn_shallow_fill(water, away, away, 1.0f));
    assert_ok(tarn_shallow_shift(water, 0, 0));
    assert_ok(tarn_shallow_step(water, 0.0f, NULL));
    assert_true(tarn_shallow_hash(water) == hash);
    tarn_shallow_destroy(water);
}

static void test_no_solver(void** state)
{
    (void)state;
    size_t size;
    TarnVec2 p = { 1, 1 };
    float bed = 0.0f;
    int n;
    TarnShallowParams params = tarn_shallow_default_params();
    TarnShallowSpanDef span = tarn_shallow_default_span();
    TarnShallowGateDef gate = tarn_shallow_default_gate();
    assert_int_equal(tarn_shallow_step(NULL, 0.1f, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_set_params(NULL, &params), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_add_span(NULL, &span, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_set_span(NULL, 0, 1.0f), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_add_gate(NULL, &gate, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_set_gate(NULL, 0, 1.0f), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_add_water(NULL, p, 1, 1, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_fill(NULL, p, p, 1), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_dig(NULL, p, 1, 1), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_set_bed(NULL, 0, 0, 1, 1, &bed), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_add_velocity(NULL, p, 1, p), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_shift(NULL, 1, 1), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_drawn_surface(NULL, &bed), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_shore(NULL, NULL, NULL, 0, NULL, 0, &n, &n), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_save(NULL, NULL, 0, &size), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_load(NULL, "x", 1), TARN_ERR_ARG);
    tarn_shallow_reset(NULL);
    TarnShallow* water = make_lake(1.0f);
    assert_int_equal(tarn_shallow_save(water, NULL, 0, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_drawn_surface(water, NULL), TARN_ERR_ARG);
    tarn_shallow_destroy(water);
}

// ---- Time ----------------------------------------------------------------------------------------

static void test_time(void** state)
{
    (void)state;
    const float dts[] = { 0.0f, 1e-9f, 1e-6f, 1.0f / 240, 1.0f / 60, 0.1f, 1.0f, 10.0f };
    for (int n = 0; n < 8; ++n) {
        TarnShallow* water = make_lake(1.0f);
        assert_ok(tarn_shallow_add_water(water, water_middle, 4.0f, 20.0f, NULL));
        uint64_t hash = tarn_shallow_hash(water);
        double time = 0.0, dt = dts[n];
        for (int s = 0; s < 10; ++s) {
            TarnStepReport r = advance(water, dts[n]);
            time += r.time_advanced;
            assert_true(r.substeps >= 0 && r.substeps <= tarn_shallow_def(water)->max_substeps);
            assert_true(isfinite(r.stable_dt) && r.stable_dt > 0.0);
            bool is_cut = r.flags & TARN_STEP_TIME_CUT;
            if (is_cut) assert_true(r.time_advanced < dt && r.substeps == 16);
            if (!is_cut) assert_float_equal(r.time_advanced, dt, 1e-6 * dt);
            if (dt <= 0.1) assert_int_equal(r.flags, 0);
            if (dt > 0.01 && !is_cut)
                assert_true(r.time_advanced / r.substeps < 1.01 * r.stable_dt);
        }
        assert_true(fabs(tarn_shallow_time(water) - time) <= 1e-12 * time);
        assert_true((tarn_shallow_hash(water) == hash) == (dt == 0.0));
        tarn_shallow_destroy(water);
    }
}

// ---- Reading -------------------------------------------------------------------------------------

static void test_getters(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    float bed[4000], depth[4000];
    for (int c = 0; c < 4000; ++c) {
        bed[c] = 0.01f * (float)(c % 100);
        depth[c] = 2.0f - 0.005f * (float)(c % 100) + 0.002f * (float)(c / 100);
    }
    def.origin = (TarnVec2){ -10.0f, 7.0f };
    def.bed = bed, def.depth = depth;
    TarnShallow* water = make_water(&def);
    float grain = def.max_depth / 16777216.0f;
    TarnView2 v = tarn_shallow_depth(water), b = tarn_shallow_bed(water);
    TarnView2 u = tarn_shallow_velocity_x(water), w = tarn_shallow_velocity_z(water);
    assert_true(v.nx == 100 && v.nz == 40 && v.stride >= 100 && b.nx == 100 && b.nz == 40);
    assert_true(u.nx == 101 && u.nz == 40 && w.nx == 100 && w.nz == 41);
    for (int c = 0; c < 4000; ++c) {
        assert_true(fabsf(view_value(v, c % 100, c / 100) - depth[c]) <= grain);
        assert_true(fabsf(view_value(b, c % 100, c / 100) - bed[c]) <= grain);
    }
    assert_true(tarn_shallow_origin(water).x == -10.0f && tarn_shallow_origin(water).y == 7.0f);
    assert_true(tarn_shallow_time(water) == 0.0);
    const TarnShallowDef* kept = tarn_shallow_def(water);
    assert_true(kept->nx == 100 && !kept->bed && !kept->depth);
    TarnShallowParams params = tarn_shallow_default_params();
    params.drag = 0.125f;
    assert_ok(tarn_shallow_set_params(water, &params));
    assert_true(tarn_shallow_params(water).drag == 0.125f);
    assert_true(tarn_shallow_span_count(water) == 0 && tarn_shallow_gate_count(water) == 0);
    TarnShallowLedger l = tarn_shallow_ledger(water);
    assert_true(l.volume == l.initial && l.edges == 0.0 && l.sources == 0.0 && l.rain == 0.0);
    assert_true(fabs(l.volume - counted_volume(water)) <= 1e-9 * l.volume);
    tarn_shallow_destroy(water);
}

// At the centers of cells a query gives the cell's values; between them a plane is a plane.
static void test_surface(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    float depth[4000];
    for (int c = 0; c < 4000; ++c)
        depth[c] = 2.0f + 0.01f * (float)(c % 100) - 0.02f * (float)(c / 100);
    def.depth = depth;
    TarnShallow* water = make_water(&def);
    TarnSurface surface = tarn_shallow_surface(water);
    float x[3] = { 20.25f, 20.4f, 33.3f }, z[3] = { 10.25f, 10.6f, 5.1f }, y[3], d[3];
    TarnVec3 normal[3], velocity[3];
    TarnSurfaceSamples out = { y, normal, velocity, d };
    assert_int_equal(tarn_surface_query(surface, 3, x, z, &out), TARN_OK);
    for (int p = 0; p < 3; ++p) {
        float want = 2.0f + 0.02f * (x[p] - 0.25f) - 0.04f * (z[p] - 0.25f);
        assert_float_equal(y[p], want, 1e-4);
        assert_float_equal(d[p], want, 1e-4);
        assert_float_equal(normal[p].x / normal[p].y, -0.02, 1e-3);
        assert_float_equal(normal[p].z / normal[p].y, 0.04, 1e-3);
        assert_true(velocity[p].x == 0.0f && velocity[p].z == 0.0f);
        assert_true(y[p] == tarn_surface_height(surface, x[p], z[p]));
    }
    advance_frames(water, 30);
    float drawn[4000];
    assert_ok(tarn_shallow_drawn_surface(water, drawn));
    TarnView2 u = tarn_shallow_velocity_x(water), w = tarn_shallow_velocity_z(water);
    for (int c = 0; c < 4000; ++c) {
        int i = c % 100, k = c / 100;
        float cx = 0.5f * ((float)i + 0.5f), cz = 0.5f * ((float)k + 0.5f);
        float level = bed_of(water, i, k) + depth_of(water, i, k);
        assert_int_equal(tarn_surface_query(surface, 1, &cx, &cz, &out), TARN_OK);
        assert_float_equal(drawn[c], level, 1e-6);
        assert_float_equal(y[0], level, 2e-6);
        assert_float_equal(d[0], depth_of(water, i, k), 2e-6);
        float vx = 0.5f * (view_value(u, i, k) + view_value(u, i + 1, k));
        float vz = 0.5f * (view_value(w, i, k) + view_value(w, i, k + 1));
        assert_float_equal(velocity[0].x, vx, 1e-5);
        assert_float_equal(velocity[0].z, vz, 1e-5);
    }
    const float odd[] = { NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f, 0.0f };
    for (int p = 0; p < 49; ++p) {
        assert_int_equal(tarn_surface_query(surface, 1, &odd[p / 7], &odd[p % 7], &out), TARN_OK);
        assert_true(tarn__is_finite(y[0]) && tarn__is_finite3(normal[0]) && normal[0].y > 0.0f);
        assert_true(tarn__is_finite3(velocity[0]) && d[0] >= 0.0f && tarn__is_finite(d[0]));
    }
    tarn_shallow_destroy(water);
}

// A round pond in a cone: one closed line around it.
static void test_round_pond(void** state)
{
    (void)state;
    enum { N = 120 };
    static float bed[N * N];
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = def.nz = N;
    def.dx = 0.25f;
    for (int c = 0; c < N * N; ++c) {
        float x = 0.25f * ((float)(c % N) + 0.5f) - 15.1f,
              z = 0.25f * ((float)(c / N) + 0.5f) - 14.9f;
        bed[c] = 0.2f * (hypotf(x, z) - 10.0f); // the shore of level 0 is 10 m from the middle
    }
    def.bed = bed;
    def.has_level = true, def.level = 0.0f;
    TarnShallow* water = make_water(&def);
    void* work = malloc(tarn_shallow_shore_work(water));
    int n_points, n_lines, ends[8];
    assert_int_equal(tarn_shallow_shore(water, work, NULL, 0, NULL, 0, &n_points, &n_lines),
                     TARN_ERR_CAPACITY);
    assert_true(n_points > 100 && n_points < 10000 && n_lines == 1);
    TarnVec3* p = malloc((size_t)n_points * sizeof *p);
    assert_ok(tarn_shallow_shore(water, work, p, n_points, ends, 8, &n_points, &n_lines));
    assert_true(n_lines == 1 && ends[0] == n_points);
    assert_memory_equal(&p[0], &p[n_points - 1], sizeof *p);
    double length = 0.0, area = 0.0;
    for (int n = 1; n < n_points; ++n) {
        double ax = (double)p[n - 1].x - 15.1, az = (double)p[n - 1].z - 14.9;
        double bx = (double)p[n].x - 15.1, bz = (double)p[n].z - 14.9;
        length += hypot(bx - ax, bz - az);
        area += 0.5 * (ax * bz - az * bx);
        assert_true(fabs(hypot(bx, bz) - 10.0) <= 0.025 && fabsf(p[n].y) < 0.02f);
    }
    assert_true(fabs(length / (2.0 * 3.14159265358979 * 10.0) - 1.0) < 0.01);
    // Seen from above x goes right and z comes down: water on the left is against the clock there.
    assert_true(area < 0.0 && fabs(area / (3.14159265358979 * 100.0) + 1.0) < 0.01);
    free(p);
    free(work);
    tarn_shallow_destroy(water);
}

// ---- State ---------------------------------------------------------------------------------------

static void test_reset(void** state)
{
    (void)state;
    TarnShallow* water = make_busy();
    TarnShallowDef def = water_def();
    def.bed_fn = water_hills;
    def.level = 0.5f, def.has_level = true;
    TarnShallow* fresh = make_water(&def);
    add_busy_parts(fresh);
    tarn_shallow_reset(fresh); // the gate's water is where a reset puts it
    tarn_shallow_set_gate(water, 0, 1.0f);
    advance_frames(water, 5);
    tarn_shallow_reset(water);
    assert_true(tarn_shallow_time(water) == 0.0 && tarn_shallow_origin(water).x == 0.0f);
    assert_true(tarn_shallow_gate_opening(water, 0) == 0.0f);
    assert_true(tarn_shallow_span_count(water) == 1 && tarn_shallow_gate_count(water) == 1);
    assert_closed(water, 1000.0);
    for (int c = 0; c < 4000; ++c) {
        assert_true(depth_of(water, c % 100, c / 100) == depth_of(fresh, c % 100, c / 100));
        assert_true(bed_of(water, c % 100, c / 100) == bed_of(fresh, c % 100, c / 100));
    }
    assert_true(tarn_shallow_hash(water) == tarn_shallow_hash(fresh));
    advance_frames(water, 20);
    advance_frames(fresh, 20);
    assert_true(tarn_shallow_hash(water) == tarn_shallow_hash(fresh));
    tarn_shallow_destroy(water);
    tarn_shallow_destroy(fresh);
}

static void test_save_and_load(void** state)
{
    (void)state;
    TarnShallow *water = make_busy(), *copy;
    TarnShallowDef def = water_def();
    def.bed_fn = water_hills;
    def.level = 0.5f, def.has_level = true;
    copy = make_water(&def); // ground, spans and gates come with the snapshot
    assert_ok(tarn_shallow_dig(water, water_middle, 3.0f, 1.0f));
    assert_ok(tarn_shallow_set_gate(water, 0, 0.5f));
    assert_ok(tarn_shallow_shift(water, 2, -3));
    set_drag(water, 0.01f);
    advance_frames(water, 7);
    size_t size, again;
    uint8_t* snapshot = save_water(water, &size);
    assert_result(tarn_shallow_save(water, snapshot, size - 1, &again), TARN_ERR_CAPACITY, "");
    assert_true(again == size);
    assert_ok(tarn_shallow_save(water, snapshot, size, &again));
    assert_ok(tarn_shallow_load(copy, snapshot, size));
    assert_true(tarn_shallow_hash(copy) == tarn_shallow_hash(water));
    assert_true(tarn_shallow_params(copy).drag == 0.01f && tarn_shallow_time(copy) > 0.0);
    assert_true(tarn_shallow_span_count(copy) == 1 && tarn_shallow_gate_count(copy) == 1);
    for (int n = 0; n < 100; ++n) {
        if (n == 50) assert_ok(tarn_shallow_set_gate(water, 0, 1.0f));
        if (n == 50) assert_ok(tarn_shallow_set_gate(copy, 0, 1.0f));
        advance(water, 0.03f), advance(copy, 0.03f);
    }
    assert_true(tarn_shallow_hash(copy) == tarn_shallow_hash(water));
    TarnShallowLedger a = tarn_shallow_ledger(water), b = tarn_shallow_ledger(copy);
    assert_memory_equal(&a, &b, sizeof a);
    // Another def: refused, nothing changed.
    def.dx = 0.25f;
    TarnShallow* other = make_water(&def);
    uint64_t hash = tarn_shallow_hash(other);
    assert_result(tarn_shallow_load(other, snapshot, size), TARN_ERR_DATA, "another def");
    assert_true(tarn_shallow_hash(other) == hash);
    free(snapshot);
    tarn_shallow_destroy(other);
    tarn_shallow_destroy(water);
    tarn_shallow_destroy(copy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_defaults),
        TEST_ALONE(test_bad_defs),
        TEST_ALONE(test_bad_ground_function),
        TEST_ALONE(test_memory),
        TEST(test_no_allocation),
        TEST_ALONE(test_bad_places),
        TEST_ALONE(test_bad_arguments),
        TEST_ALONE(test_no_solver),
        TEST_ALONE(test_time),
        TEST_ALONE(test_getters),
        TEST_ALONE(test_surface),
        TEST_ALONE(test_round_pond),
        TEST_ALONE(test_reset),
        TEST_ALONE(test_save_and_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
