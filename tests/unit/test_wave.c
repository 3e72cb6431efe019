// The wave solver: defs, memory, bad arguments, time, volume, walls, reading, moving windows, sleep.
// Storms and snapshots: robust/test_wave_storms.c.

#include "test_common.h"
#include "tarn/coupling.h"
#include <limits.h>

static const TarnVec2 middle = { 2.5f, 1.0f };

// ---- Defs ----------------------------------------------------------------------------------------

static void assert_bad_def(const TarnWaveDef* def, TarnResult code, const char* word)
{
    TarnWave* out = (TarnWave*)&memory;
    int calls = memory.calls;
    assert_result(tarn_wave_create(ctx, def, &out), code, word);
    assert_null(out);
    assert_true(memory.calls == calls && tarn_wave_memory(def) == 0);
}

static void test_bad_defs(void** state)
{
    (void)state;
    const TarnParamTable* table = tarn_wave_def_table();
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        bool is_whole = p->type == TARN_PARAM_INT || p->type == TARN_PARAM_ENUM;
        double bad[] = { p->min - 1, p->max * 2 + 1, -1e9, 1e9, NAN, INFINITY, -INFINITY };
        char word[64];
        snprintf(word, sizeof word, "wave.%s: ", p->name);
        for (int n = 0; n < (is_whole ? 4 : 7) && p->type != TARN_PARAM_BOOL; ++n) {
            TarnWaveDef def = small_def();
            poke(p, &def, p->type == TARN_PARAM_VEC2 ? n % 2 : 0, bad[n]);
            assert_bad_def(&def, TARN_ERR_ARG, word);
        }
    }
    for (int edge = 0; edge < 4; ++edge) {
        TarnWaveDef def = small_def();
        *(&def.edge_x0 + edge) = TARN_EDGE_PERIODIC;
        assert_bad_def(&def, TARN_ERR_ARG, edge < 2 ? "edge_x0, edge_x1" : "edge_z0, edge_z1");
    }
    const float wrong[] = { NAN, INFINITY, -INFINITY, 1.1e5f, -1e30f };
    for (int n = 0; n < 10; ++n) {
        TarnWaveDef def = small_def();
        float values[4000] = { 0 };
        values[n * 444 + 3] = wrong[n % 5];
        if (n < 5)
            def.bed = values;
        else
            def.height = values;
        assert_bad_def(&def, TARN_ERR_DATA, n < 5 ? "wave.bed" : "wave.height");
    }
    TarnWaveDef def = small_def();
    TarnWave* out;
    assert_int_equal(tarn_wave_create(NULL, &def, &out), TARN_ERR_ARG);
    assert_result(tarn_wave_create(ctx, &def, NULL), TARN_ERR_ARG, "out");
    assert_bad_def(NULL, TARN_ERR_ARG, "tarn_wave_default_def");
    def.cookie ^= 1;
    assert_bad_def(&def, TARN_ERR_ARG, "tarn_wave_default_def");
}

// ---- Memory --------------------------------------------------------------------------------------

static void test_memory(void** state)
{
    (void)state;
    const int sizes[][2] = { { 2, 2 }, { 100, 40 }, { 3, 500 }, { 512, 512 }, { 1023, 517 } };
    uint8_t* wall = calloc(1023 * 517, 1);
    float* bed = calloc(1023 * 517, sizeof(float));
    for (int n = 0; n < 5 * 8; ++n) {
        TarnWaveDef def = tarn_wave_default_def();
        def.nx = sizes[n / 8][0], def.nz = sizes[n / 8][1];
        def.wall = n & 1 ? wall : NULL, def.bed = n & 2 ? bed : NULL, def.use_bodies = n & 4;
        size_t before = memory.bytes, said = tarn_wave_memory(&def);
        int calls = memory.calls;
        TarnWave* wave;
        assert_ok(tarn_wave_create(ctx, &def, &wave));
        assert_true(memory.bytes - before == said && memory.calls == calls + 1);
        double per_cell = (double)said / ((double)def.nx * def.nz);
        if (def.nx >= 512) assert_true(per_cell <= (def.use_bodies ? 32.0 : 16.0));
        tarn_wave_destroy(wave);
        assert_true(memory.bytes == before);
    }
    tarn_wave_destroy(NULL);
    free(wall);
    free(bed);
}

// ---- Bad arguments -------------------------------------------------------------------------------

#define assert_bad(call, word)                                                                     \
    do {                                                                                           \
        assert_result(call, TARN_ERR_ARG, word);                                                   \
        assert_true(tarn_wave_hash(wave) == hash);                                                 \
    } while (0)

static void test_bad_arguments(void** state)
{
    (void)state;
    TarnWave* wave = make_wave(ctx, small_def(), GROUND_BED);
    assert_ok(tarn_wave_add_drop(wave, middle, 0.3f, 0.1f));
    steps(wave, 5);
    uint64_t hash = tarn_wave_hash(wave);
    const float far_out[] = { NAN, INFINITY, -INFINITY, 1.1e6f, -1e30f };
    for (int n = 0; n < 10; ++n) {
        TarnVec2 bad = n < 5 ? (TarnVec2){ far_out[n], 1 } : (TarnVec2){ 1, far_out[n - 5] };
        assert_bad(tarn_wave_add_drop(wave, bad, 0.1f, 0.1f), "position");
        assert_bad(tarn_wave_add_stroke(wave, bad, middle, 0.1f, 0.1f), "position");
        assert_bad(tarn_wave_add_stroke(wave, middle, bad, 0.1f, 0.1f), "position");
        assert_bad(tarn_wave_add_line(wave, bad, middle, 0.1f, 0.1f), "position");
        assert_bad(tarn_wave_add_line(wave, middle, bad, 0.1f, 0.1f), "position");
    }
    const float radii[] = { NAN, INFINITY, -INFINITY, 0.0f, -0.0f, -1.0f, 1.1e6f };
    for (int n = 0; n < 7; ++n) {
        assert_bad(tarn_wave_add_drop(wave, middle, radii[n], 0.1f), "radius");
        assert_bad(tarn_wave_add_stroke(wave, middle, middle, radii[n], 0.1f), "radius");
    }
    const float heights[] = { NAN, INFINITY, -INFINITY, 1000.1f, -1e30f };
    for (int n = 0; n < 5; ++n) {
        assert_bad(tarn_wave_add_drop(wave, middle, 0.1f, heights[n]), "height");
        assert_bad(tarn_wave_add_stroke(wave, middle, middle, 0.1f, heights[n]), "height");
        assert_bad(tarn_wave_add_line(wave, middle, middle, heights[n], 0.1f), "height");
        assert_bad(tarn_wave_drive_edge(wave, 0, heights[n], 0.1f), "height");
    }
    const float dts[] = { NAN, INFINITY, -INFINITY, -1e-9f, 10.001f };
    for (int n = 0; n < 5; ++n) {
        TarnStepReport report = { .substeps = 99 };
        assert_bad(tarn_wave_add_line(wave, middle, middle, 0.1f, dts[n]), "dt");
        assert_bad(tarn_wave_drive_edge(wave, 0, 0.1f, dts[n]), "dt");
        assert_bad(tarn_wave_step(wave, dts[n], &report), "dt");
        assert_int_equal(report.substeps, 0);
    }
    const int whole[] = { INT_MIN, INT_MAX, -(1 << 24), 1 << 24 };
    for (int n = 0; n < 4; ++n) {
        assert_bad(tarn_wave_drive_edge(wave, whole[n], 0.1f, 0.1f), "edge");
        assert_bad(tarn_wave_shift(wave, whole[n], 0), "tarn_wave_shift");
        assert_bad(tarn_wave_shift(wave, 1, whole[n]), "tarn_wave_shift");
    }
    assert_bad(tarn_wave_drive_edge(wave, 4, 0.1f, 0.1f), "edge 4");
    assert_bad(tarn_wave_drive_edge(wave, -1, 0.1f, 0.1f), "edge -1");
    const TarnParamTable* table = tarn_wave_params_table();
    for (int i = 0; i < table->count * 5; ++i) {
        TarnWaveParams params = tarn_wave_default_params();
        const double bad[] = { NAN, INFINITY, -INFINITY, -1.0, 1e6 };
        poke(&table->params[i / 5], &params, 0, bad[i % 5]);
        assert_bad(tarn_wave_set_params(wave, &params), table->params[i / 5].name);
    }
    assert_bad(tarn_wave_set_params(wave, NULL), "");
    // Nothing of these touches the water: far away, of no height, of no time, by no cells.
    TarnVec2 away = { -1e6f, 1e6f };
    assert_ok(tarn_wave_add_drop(wave, away, 1e3f, 1e3f));
    assert_ok(tarn_wave_add_stroke(wave, away, away, 1e-30f, 1e3f));
    assert_ok(tarn_wave_add_line(wave, away, away, 1e3f, 10.0f));
    assert_ok(tarn_wave_shift(wave, 0, 0));
    assert_ok(tarn_wave_step(wave, 0.0f, NULL));
    assert_true(tarn_wave_hash(wave) == hash);
    // No solver.
    size_t size;
    assert_int_equal(tarn_wave_step(NULL, 0.1f, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_wave_add_drop(NULL, middle, 1, 1), TARN_ERR_ARG);
    assert_int_equal(tarn_wave_add_stroke(NULL, middle, middle, 1, 1), TARN_ERR_ARG);
    assert_int_equal(tarn_wave_add_line(NULL, middle, middle, 1, 1), TARN_ERR_ARG);
    assert_int_equal(tarn_wave_drive_edge(NULL, 0, 1, 1), TARN_ERR_ARG);
    assert_int_equal(tarn_wave_shift(NULL, 1, 1), TARN_ERR_ARG);
    assert_int_equal(tarn_wave_set_params(NULL, &wave->params), TARN_ERR_ARG);
    assert_int_equal(tarn_wave_save(NULL, NULL, 0, &size), TARN_ERR_ARG);
    assert_int_equal(tarn_wave_save(wave, NULL, 0, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_wave_load(NULL, "x", 1), TARN_ERR_ARG);
    tarn_wave_destroy(wave);
}

// ---- Time ----------------------------------------------------------------------------------------

static void test_time(void** state)
{
    (void)state;
    const float dts[] = { 0.0f, 1e-9f, 1e-6f, 1.0f / 240, 1.0f / 60, 0.1f, 0.2f, 1.0f, 10.0f };
    for (int n = 0; n < 9; ++n) {
        TarnWave* wave = make_wave(ctx, small_def(), GROUND_FLAT);
        assert_ok(tarn_wave_add_drop(wave, middle, 0.3f, 0.1f));
        uint64_t hash = tarn_wave_hash(wave);
        double time = 0.0, dt = dts[n], stable = step(wave, 0.0f).stable_dt;
        for (int s = 0; s < 10; ++s) {
            TarnStepReport r = step(wave, dts[n]);
            time += r.time_advanced;
            assert_true(r.stable_dt == stable && r.substeps >= 0 && r.substeps <= 16);
            bool is_cut = dt > 16.0 * stable * 1.0001;
            assert_int_equal(r.flags, is_cut ? TARN_STEP_TIME_CUT : 0);
            assert_float_equal(r.time_advanced, is_cut ? 16.0 * stable : dt, 1e-6 * dt);
            if (dt > stable / 64)
                assert_int_equal(r.substeps, is_cut ? 16 : (int)ceil(dt / stable));
        }
        assert_true(fabs(tarn_wave_time(wave) - time) <= 1e-12 * time);
        assert_true((tarn_wave_hash(wave) == hash) == (dt == 0.0));
        tarn_wave_destroy(wave);
    }
    // Saved up: many steps too short to compute come to the same as one, to rounding.
    TarnWave *a = make_wave(ctx, small_def(), GROUND_FLAT),
             *b = make_wave(ctx, small_def(), GROUND_FLAT);
    assert_ok(tarn_wave_add_drop(a, middle, 0.3f, 0.1f));
    assert_ok(tarn_wave_add_drop(b, middle, 0.3f, 0.1f));
    int n_substeps = 0;
    for (int s = 0; s < 20000; ++s) n_substeps += step(a, 1e-5f).substeps;
    for (int s = 0; s < 200; ++s) step(b, 0.001f);
    assert_in_range(n_substeps, 100, 64 * 18);
    assert_float_equal(tarn_wave_time(a), 0.2, 1e-6);
    for (int i = 0; i < 100; ++i) {
        assert_float_equal(height_of(a, i, 20), height_of(b, i, 20), 2e-4);
    }
    // Short frames, then a long one: nothing is lost. A step of no time does nothing, also in between.
    for (int s = 0; s < 300; ++s) step(a, 0.001f);
    TarnStepReport r = step(a, 0.15f);
    assert_true(r.flags == 0 && r.substeps >= 13 && fabs(r.time_advanced - 0.15) < 1e-8);
    for (int s = 0; s < 20; ++s) {
        step(a, 0.0137f);
        uint64_t hash = tarn_wave_hash(a);
        assert_int_equal(step(a, 0.0f).substeps, 0);
        assert_true(tarn_wave_hash(a) == hash);
    }
    tarn_wave_destroy(a);
    tarn_wave_destroy(b);
}

// ---- Volume and walls ----------------------------------------------------------------------------

// How much a drop or a stroke moves [m^3], and the largest change of a cell.
static double moved_volume(const TarnWave* wave, float* largest)
{
    double sum = 0.0;
    *largest = highest(wave);
    for (int c = 0; c < 4000; ++c) sum += 0.5 * (double)fabsf(height_of(wave, c % 100, c / 100));
    return sum * 0.05 * 0.05;
}

static void test_volume(void** state)
{
    (void)state;
    for (int ground = 0; ground < GROUNDS; ++ground) {
        TarnWave* wave = make_wave(ctx, small_def(), (Ground)ground);
        random_at = 77;
        for (int n = 0; n < 300; ++n) {
            TarnVec2 a = { uniform(-0.2f, 5.2f), uniform(-0.2f, 2.2f) };
            TarnVec2 b = { uniform(-1.0f, 6.0f), uniform(-1.0f, 3.0f) };
            float radius = scale(0.02f, 1.5f), height = scale(0.01f, 10.0f), largest;
            tarn_wave_reset(wave);
            if (n % 2)
                assert_ok(tarn_wave_add_drop(wave, a, radius, height));
            else
                assert_ok(tarn_wave_add_stroke(wave, a, b, radius, -height));
            double moved = moved_volume(wave, &largest);
            assert_true(fabs(tarn_wave_volume(wave)) <= 1e-6 * moved);
            assert_true(largest <= 2.001f * height); // no spikes where the ring has little room
        }
        tarn_wave_reset(wave);
        assert_ok(tarn_wave_add_drop(wave, middle, 0.3f, 1.0f));
        for (int n = 0; n < 1000; ++n) { // sources are counted
            float height = 0.1f * sinf(0.1f * (float)n);
            TarnVec2 a = { 1.0f, 0.0f }, b = { 2.0f, 2.0f };
            if (n < 100) assert_ok(tarn_wave_add_line(wave, a, b, height, frame));
            if (n < 100) assert_ok(tarn_wave_drive_edge(wave, n % 4, height, frame));
            steps(wave, 1);
            TarnWaveLedger ledger = tarn_wave_ledger(wave);
            if (!(fabs(ledger.surface - ledger.sourced) <= 1e-5))
                print_error("%d %d: %g\n", ground, n, ledger.surface - ledger.sourced);
            assert_true(fabs(ledger.surface - ledger.sourced) <= 1e-5 && ledger.displaced == 0.0);
        }
        assert_sane(wave);
        tarn_wave_destroy(wave);
    }
}

// Much too much of it: the ledger counts what really went in.
static void test_full_sources(void** state)
{
    (void)state;
    TarnWave* wave = make_wave(ctx, small_def(), GROUND_FLAT);
    for (int n = 0; n < 5; ++n) assert_ok(tarn_wave_drive_edge(wave, 0, 1000.0f, 10.0f));
    for (int n = 0; n < 5; ++n)
        assert_ok(tarn_wave_add_line(wave, middle, middle, -1000.0f, 10.0f));
    TarnWaveLedger ledger = tarn_wave_ledger(wave);
    assert_true(fabs(ledger.surface - ledger.sourced) <= 1e-6 * fabs(ledger.surface));
    assert_true(highest(wave) == 1e5f);
    tarn_wave_destroy(wave);
}

// A crooked wall of cells that touch with their corners only; it also closes around a periodic edge.
// Not one bit gets through. Between closed edges the level is put right now and then, for all the
// water there is, so there it is counted before that happens.
static void test_no_leak(void** state)
{
    (void)state;
    const int sides[3] = { TARN_EDGE_REFLECTING, TARN_EDGE_FIXED, TARN_EDGE_ABSORBING };
    for (int n = 0; n < 3 * 4 * 4; ++n) {
        TarnWaveDef def = small_def();
        uint8_t wall[4000] = { 0 };
        for (int k = 0; k < 40; ++k) wall[40 + abs(k - 20) + 100 * k] = 1;
        set_edges(&def, sides[n % 3], sides[n % 3], n / 3 % 4, n / 3 % 4);
        def.laplacian = n / 12 % 2;
        def.speed = n / 24 ? 3.0f : 0.0f;
        def.wall = wall;
        TarnWave* wave = make_wave(ctx, def, GROUND_FLAT);
        bool is_closed = n % 3 == 0 && n / 3 % 2 == 0;
        for (int s = 0; s < (is_closed ? 30 : 150); ++s) {
            TarnVec2 at = { 1.2f, 0.1f * (float)s };
            if (s < 20) assert_ok(tarn_wave_add_drop(wave, at, 0.3f, 1.0f));
            steps(wave, 1);
        }
        float here = 0.0f, there = 0.0f;
        for (int c = 0; c < 4000; ++c) {
            float u = fabsf(height_of(wave, c % 100, c / 100));
            bool is_here = c % 100 < 40 + abs(c / 100 - 20);
            here = fmaxf(here, is_here ? u : 0.0f);
            there = fmaxf(there, is_here ? 0.0f : u);
        }
        if (!(here > 1e-3f && there == 0.0f)) print_error("%d: %g %g\n", n, here, there);
        assert_true(here > 1e-3f && there == 0.0f);
        assert_sane(wave);
        tarn_wave_destroy(wave);
    }
}

// Everything turned around the periodic grid by some cells gives the same, turned.
static void test_periodic_walls(void** state)
{
    (void)state;
    const int turn_i = 37, turn_k = 11;
    uint8_t wall[2][4000];
    float height[2][4000];
    for (int laplacian = 0; laplacian < 2; ++laplacian) {
        TarnWave* wave[2];
        for (int c = 0; c < 4000; ++c) {
            int there = (c % 100 + turn_i) % 100 + (c / 100 + turn_k) % 40 * 100;
            wall[0][c] = wall[1][there] = tarn__random(4, 4, (uint64_t)c) % 6 == 0;
            height[0][c] = height[1][there] = tarn__random01(4, 5, (uint64_t)c);
        }
        for (int n = 0; n < 2; ++n) {
            TarnWaveDef def = small_def();
            set_edges(&def, 2, 2, 2, 2);
            def.laplacian = laplacian;
            def.wall = wall[n], def.height = height[n];
            wave[n] = make_wave(ctx, def, GROUND_FLAT);
            steps(wave[n], 20);
            assert_sane(wave[n]);
        }
        for (int c = 0; c < 4000; ++c) {
            int i = (c % 100 + turn_i) % 100, k = (c / 100 + turn_k) % 40;
            assert_true(height_of(wave[0], c % 100, c / 100) == height_of(wave[1], i, k));
        }
        tarn_wave_destroy(wave[0]);
        tarn_wave_destroy(wave[1]);
    }
}

// ---- Reading -------------------------------------------------------------------------------------

static void test_getters(void** state)
{
    (void)state;
    TarnWaveDef def = small_def();
    def.origin = (TarnVec2){ -1.0f, 7.0f }, def.level = 3.0f;
    uint8_t wall[4000] = { 0 };
    float height[4000];
    for (int c = 0; c < 4000; ++c) height[c] = 0.01f * (float)(c % 100) - 0.002f * (float)(c / 100);
    wall[5 + 100 * 7] = 9;
    def.wall = wall, def.height = height;
    TarnWave* wave = make_wave(ctx, def, GROUND_FLAT);
    TarnView2 view = tarn_wave_height(wave);
    assert_true(view.nx == 100 && view.nz == 40 && view.stride >= 100);
    for (int c = 0; c < 4000; ++c) {
        float want = c == 705 ? 0.0f : height[c];
        assert_true(view.data[c % 100 + view.stride * (c / 100)] == want);
        assert_true(tarn_wave_is_wall(wave, c % 100, c / 100) == (c == 705));
    }
    assert_true(tarn_wave_is_wall(wave, -1, 0) && tarn_wave_is_wall(wave, 0, 40));
    assert_true(tarn_wave_is_wall(wave, 100, 0) && tarn_wave_is_wall(wave, 0, INT_MIN));
    assert_true(tarn_wave_bed_depth(wave, 0, 0) == 1.0f && tarn_wave_bed_depth(wave, 5, 7) == 0.0f);
    assert_true(tarn_wave_bed_depth(wave, INT_MIN, INT_MAX) == 1.0f);
    assert_true(tarn_wave_origin(wave).x == -1.0f && tarn_wave_origin(wave).y == 7.0f);
    assert_true(tarn_wave_level(wave) == 3.0f && tarn_wave_time(wave) == 0.0);
    const TarnWaveDef* kept = tarn_wave_def(wave);
    assert_true(kept->nx == 100 && !kept->wall && !kept->bed && !kept->height);
    TarnWaveParams params = tarn_wave_default_params();
    params.damping = 0.125f;
    assert_ok(tarn_wave_set_params(wave, &params));
    assert_true(tarn_wave_params(wave).damping == 0.125f);

    TarnSurface surface = tarn_wave_surface(wave); // a plane: exact between centers, too
    float x[6] = { 1.525f, 1.55f, 1.53f, -50.0f, 50.0f, NAN },
          z[6] = { 8.025f, 8.05f, 8.06f, 7.5f, 7.5f, 7.5f };
    float y[6], depth[6];
    TarnVec3 normal[6], velocity[6];
    TarnSurfaceSamples out = { y, normal, velocity, depth };
    assert_int_equal(tarn_surface_query(surface, 6, x, z, &out), TARN_OK);
    for (int p = 0; p < 3; ++p) {
        float want = 3.0f + 0.2f * (x[p] + 0.975f) - 0.04f * (z[p] - 7.025f);
        assert_float_equal(y[p], want, 2e-6);
        assert_float_equal(depth[p], want - 2.0f, 2e-6);
        assert_float_equal(normal[p].x / normal[p].y, -0.2, 1e-4);
        assert_float_equal(normal[p].z / normal[p].y, 0.04, 1e-4);
        assert_true(velocity[p].x == 0.0f && velocity[p].y == 0.0f && velocity[p].z == 0.0f);
        assert_true(y[p] == tarn_surface_height(surface, x[p], z[p]));
    }
    assert_float_equal(y[3], 3.0 - 0.04 * 0.475, 2e-6); // the nearest edge
    assert_float_equal(y[4], 3.0 + 0.99 - 0.04 * 0.475, 2e-6);
    assert_true(y[5] == y[3]);
    steps(wave, 30);
    const float odd[] = { NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f, 0.0f };
    for (int p = 0; p < 49; ++p) {
        assert_int_equal(tarn_surface_query(surface, 1, &odd[p / 7], &odd[p % 7], &out), TARN_OK);
        assert_true(tarn__is_finite(y[0]) && tarn__is_finite3(normal[0]) && normal[0].y > 0.0f);
        assert_true(tarn__is_finite3(velocity[0]) && depth[0] >= 0.0f && tarn__is_finite(depth[0]));
    }
    assert_int_equal(tarn_surface_query(surface, 0, NULL, NULL, &out), TARN_OK);
    assert_int_equal(tarn_surface_query(surface, 2, x, z, &(TarnSurfaceSamples){ 0 }), TARN_OK);
    assert_int_equal(tarn_surface_query(surface, -1, x, z, &out), TARN_ERR_ARG);
    assert_int_equal(tarn_surface_query(surface, 1, NULL, z, &out), TARN_ERR_ARG);
    assert_int_equal(tarn_surface_query(surface, 1, x, NULL, &out), TARN_ERR_ARG);
    assert_int_equal(tarn_surface_query(surface, 1, x, z, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_surface_query((TarnSurface){ 0 }, 1, x, z, &out), TARN_ERR_ARG);
    assert_true(tarn_surface_height((TarnSurface){ 0 }, 1.0f, 1.0f) == 0.0f);

    def.height = NULL; // reset is as new, but for the params
    TarnWave* fresh = make_wave(ctx, def, GROUND_FLAT);
    assert_ok(tarn_wave_set_params(fresh, &params));
    tarn_wave_reset(wave);
    assert_true(tarn_wave_hash(wave) == tarn_wave_hash(fresh));
    assert_int_equal(step(wave, frame).tiles_awake, 0);
    tarn_wave_destroy(wave);
    tarn_wave_destroy(fresh);
}

// ---- Moving windows ------------------------------------------------------------------------------

static void test_window(void** state)
{
    (void)state;
    for (int n = 0; n < 4 * GROUNDS; ++n) {
        const int ways[4][2] = { { 3, 0 }, { -7, 5 }, { 0, -40 }, { 200, 3 } };
        int di = ways[n % 4][0], dk = ways[n % 4][1];
        Ground ground = (Ground)(n / 4);
        TarnWaveDef def = small_def();
        set_edges(&def, 3, 3, 3, 3);
        TarnWave *wave = make_wave(ctx, def, ground), *old = make_wave(ctx, def, ground);
        for (int w = 0; w < 2; ++w) {
            random_at = 5;
            for (int s = 0; s < 20; ++s) disturb(w ? wave : old, 0.1f), steps(w ? wave : old, 1);
        }
        assert_ok(tarn_wave_shift(wave, di, dk));
        assert_float_equal(tarn_wave_origin(wave).x, 0.05f * (float)di, 1e-6);
        assert_float_equal(tarn_wave_origin(wave).y, 0.05f * (float)dk, 1e-6);
        for (int c = 0; c < 4000; ++c) {
            int i = c % 100, k = c / 100, oi = i + di, ok = k + dk;
            bool is_old = oi >= 0 && oi < 100 && ok >= 0 && ok < 40;
            float x = 0.05f * ((float)oi + 0.5f), z = 0.05f * ((float)ok + 0.5f);
            float depth = tarn_wave_bed_depth(old, oi, ok); // clamped: the border
            if (!is_old && ground == GROUND_BED_FN) depth = -hills(x, z, NULL);
            assert_float_equal(tarn_wave_bed_depth(wave, i, k), depth, 1e-5);
            if (is_old)
                assert_true(tarn_wave_is_wall(wave, i, k) == tarn_wave_is_wall(old, oi, ok));
            int s = def.sponge_cells; // there the sponge comes over the water
            bool is_inside = i >= s && i < 100 - s && k >= s && k < 40 - s;
            float before = is_old ? height_of(old, oi, ok) : 0.0f, now = height_of(wave, i, k);
            assert_true(is_inside ? now == before
                                  : fabsf(now) <= fabsf(before) && now * before >= 0.0f);
        }
        steps(wave, 5);
        assert_sane(wave);
        assert_ok(tarn_wave_shift(wave, -di, -dk)); // and back
        assert_true(tarn_wave_origin(wave).x == 0.0f && tarn_wave_origin(wave).y == 0.0f);
        for (int c = 0; c < 4000 && ground == GROUND_BED_FN && n % 4 > 1; ++c) {
            assert_float_equal(
                tarn_wave_bed_depth(wave, c % 100, c / 100),
                -hills(0.05f * ((float)(c % 100) + 0.5f), 0.05f * ((float)(c / 100) + 0.5f), NULL),
                1e-5);
        }
        assert_sane(wave);
        tarn_wave_destroy(wave);
        tarn_wave_destroy(old);
    }
}

// ---- Sleep ---------------------------------------------------------------------------------------

static void touch(TarnWave* wave, int kind)
{
    TarnVec2 a = { 12.8f, 6.4f }, b = { 12.9f, 6.4f };
    if (kind == 0) assert_ok(tarn_wave_add_drop(wave, a, 0.1f, 0.1f));
    if (kind == 1) assert_ok(tarn_wave_add_stroke(wave, a, b, 0.1f, 0.1f));
    if (kind == 2) assert_ok(tarn_wave_add_line(wave, a, b, 0.1f, frame));
    if (kind >= 3 && kind < 7) assert_ok(tarn_wave_drive_edge(wave, kind - 3, 0.01f, frame));
    if (kind == 7) assert_ok(tarn_wave_shift(wave, 1, 0));
    if (kind != 8) return;
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodyDef body = tarn_body_default_def();
    TarnBodies* bodies;
    TarnBodyId id;
    body.shape = tarn_shape_sphere(0.3f);
    body.state.position = (TarnVec3){ 12.8f, -0.1f, 6.4f };
    body.is_driven = true;
    assert_ok(tarn_bodies_create(ctx, &def, &bodies));
    assert_ok(tarn_bodies_add(bodies, &body, &id));
    assert_ok(tarn_couple_wave_bodies(wave, bodies, frame));
    tarn_bodies_destroy(bodies);
}

static void test_sleep(void** state)
{
    (void)state;
    TarnWaveDef def = tarn_wave_default_def(); // 512 x 256 cells: 8 x 16 tiles
    def.nx = 512, def.use_bodies = true;
    for (int kind = 0; kind < 9; ++kind) {
        TarnWave* wave = make_wave(ctx, def, GROUND_FLAT);
        TarnWaveParams params = tarn_wave_default_params();
        params.damping = 20.0f;
        assert_ok(tarn_wave_set_params(wave, &params));
        TarnStepReport r = step(wave, frame);
        assert_true(r.tiles_awake == 0 && r.tiles_total == 128);
        touch(wave, kind);
        r = step(wave, frame);
        // Along x edges two columns, along z edges two rows, in the middle 3 x 3 or 4 x 4, or all.
        int most = kind == 3 || kind == 4 ? 32 : kind == 5 || kind == 6 ? 16 : kind == 7 ? 128 : 16;
        if (r.tiles_awake <= 0 || r.tiles_awake > most)
            print_error("%d: %d awake\n", kind, r.tiles_awake);
        assert_true(r.tiles_awake > 0 && r.tiles_awake <= most);
        int n = 0;
        for (; n < 4000 && r.tiles_awake > 0; ++n) r = step(wave, frame);
        assert_true(r.tiles_awake == 0);
        TarnWaveLedger ledger = tarn_wave_ledger(wave);
        if (kind != 7)
            assert_true(n > 20 && fabs(ledger.surface - ledger.displaced - ledger.sourced) < 1e-4);
        float before = highest(wave);
        steps(wave, 100);
        assert_true(highest(wave) == before); // nothing moves while all sleep
        tarn_wave_destroy(wave);
    }
    def.sleep_speed = 0.0f; // never
    TarnWave* wave = make_wave(ctx, def, GROUND_FLAT);
    assert_ok(tarn_wave_add_drop(wave, (TarnVec2){ 1, 1 }, 0.1f, 0.1f));
    steps(wave, 200);
    assert_int_equal(step(wave, frame).tiles_awake, 128);
    tarn_wave_destroy(wave);
}

// Sleep shows in no result: around a periodic edge as elsewhere, and what sleeps does not change a bit.
static void test_sleep_shows_nowhere(void** state)
{
    (void)state;
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = 512;
    set_edges(&def, 2, 2, 2, 2);
    TarnWave* wave = make_wave(ctx, def, GROUND_FLAT);
    def.sleep_speed = 0.0f;
    TarnWave* awake = make_wave(ctx, def, GROUND_FLAT);
    assert_ok(tarn_wave_add_drop(wave, (TarnVec2){ 1, 1 }, 0.3f, 0.1f));
    assert_ok(tarn_wave_add_drop(awake, (TarnVec2){ 1, 1 }, 0.3f, 0.1f));
    float across_x = 0.0f, across_z = 0.0f;
    for (int s = 0; s < 60; ++s) {
        assert_in_range(step(wave, frame).tiles_awake, 1, 100);
        steps(awake, 1);
        across_x = fmaxf(across_x, height_of(wave, 500, 20));
        across_z = fmaxf(across_z, height_of(wave, 20, 250));
    }
    assert_true(across_x > 1e-3f && across_z > 1e-3f);
    for (int c = 0; c < 512 * 256; ++c) {
        assert_float_equal(height_of(wave, c % 512, c / 512), height_of(awake, c % 512, c / 512),
                           1e-6);
    }
    TarnWaveParams params = tarn_wave_default_params();
    params.damping = 20.0f;
    assert_ok(tarn_wave_set_params(wave, &params));
    while (step(wave, frame).tiles_awake > 0) {}
    float before = height_of(wave, 30, 30);
    assert_ok(tarn_wave_add_drop(wave, (TarnVec2){ 12, 6 }, 0.3f, 0.1f));
    for (int s = 0; s < 5; ++s) { // swaps of both heights
        step(wave, 0.5f * frame);
        assert_true(height_of(wave, 30, 30) == before);
    }
    tarn_wave_destroy(wave);
    tarn_wave_destroy(awake);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_bad_defs),      TEST(test_memory),

                                        TEST(test_bad_arguments), TEST(test_time),
                                        TEST(test_volume),        TEST(test_full_sources),
                                        TEST(test_no_leak),       TEST(test_periodic_walls),
                                        TEST(test_getters),       TEST(test_window),
                                        TEST(test_sleep),         TEST(test_sleep_shows_nowhere) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
