// The wave solver under everything at once: storms over every kind of edge and ground, for any number
// of workers and both instruction sets; long runs without damping; snapshots, good and damaged; memory
// that runs out.

#include "tests/robust/damaged.h"
#include "tests/sanitized.h"
#include "tests/unit/test_common.h"
#include "base/param.h"
#include <limits.h>
#include <pthread.h>

// ---- Memory --------------------------------------------------------------------------------------

static void test_no_allocation(void** state)
{
    (void)state;
    TarnContext* where = make_context(3, TARN_ISA_AUTO);
    TarnWaveDef def = small_def();
    def.use_bodies = true;
    TarnWave* wave = make_wave(where, def, GROUND_BED_FN);
    size_t size;
    uint8_t* snapshot = save_wave(wave, &size);
    int calls = memory.calls;
    random_at = 0;
    for (int n = 0; n < 50; ++n) {
        disturb(wave, 1.0f);
        step(wave, scale(1e-4f, 1.0f));
        int di = pick(5) - 2, dk = pick(5) - 2;
        assert_ok(tarn_wave_shift(wave, di, dk));
        tarn_surface_height(tarn_wave_surface(wave), 1.0f, 1.0f);
        tarn_wave_volume(wave);
        tarn_wave_hash(wave);
        assert_ok(tarn_wave_save(wave, snapshot, size, &size));
        if (n % 10 == 0) assert_ok(tarn_wave_load(wave, snapshot, size));
    }
    tarn_wave_reset(wave);
    assert_int_equal(memory.calls, calls);
    free(snapshot);
    tarn_wave_destroy(wave);
    tarn_context_destroy(where);
}

// A context with everything in it, as far as memory goes. Destroys all and returns the result.
static TarnResult create_all(void)
{
    TarnContextDef context_def = counted_def(2, TARN_ISA_AUTO);
    TarnWaveDef def = small_def();
    TarnBodiesDef bodies_def = tarn_bodies_default_def();
    TarnWorldDef world_def = tarn_world_default_def();
    TarnContext* where;
    TarnWave *wave = NULL, *second = NULL;
    TarnBodies* bodies = NULL;
    TarnWorld* world = NULL;
    TarnResult result = tarn_context_create(&context_def, &where);
    if (result == TARN_OK) result = tarn_wave_create(where, &def, &wave);
    if (result == TARN_OK) result = tarn_bodies_create(where, &bodies_def, &bodies);
    if (result == TARN_OK) result = tarn_world_create(where, &world_def, &world);
    if (result == TARN_OK) result = tarn_world_add_wave(world, &def, &second);
    if (result == TARN_ERR_MEMORY) assert_null(second);
    if (result == TARN_ERR_MEMORY && where)
        assert_non_null(strstr(tarn_last_error(where), "memory"));
    tarn_world_destroy(world);
    tarn_bodies_destroy(bodies);
    tarn_wave_destroy(wave);
    tarn_context_destroy(where);
    return result;
}

static void test_failing_allocations(void** state)
{
    (void)state;
    size_t before = memory.bytes;
    int n = 1, n_failed = 0;
    for (TarnResult result = TARN_ERR_MEMORY; result != TARN_OK; ++n) {
        memory.fail_at = memory.calls + n;
        result = create_all();
        assert_true(result == TARN_OK || result == TARN_ERR_MEMORY);
        n_failed += result != TARN_OK;
        assert_true(memory.bytes == before && n < 100);
    }
    assert_in_range(n_failed, 6, 20); // context, pool, wave, bodies, world, its bodies, its wave
}

// ---- Storms --------------------------------------------------------------------------------------

enum { VARIANTS = 5 };
static const struct {
    int workers;
    TarnIsa isa;
} variants[VARIANTS] = { { 1, TARN_ISA_BASELINE },
                         { 1, TARN_ISA_AVX2 },
                         { 2, TARN_ISA_AVX512 },
                         { 3, TARN_ISA_BASELINE },
                         { 8, TARN_ISA_AUTO } };

static void random_params(TarnWave* wave)
{
    const TarnParamTable* table = tarn_wave_params_table();
    TarnWaveParams params;
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        double share = uniform(0.0f, 1.0f);
        poke(p, &params, 0, p->min + (p->max - p->min) * share * share * share);
    }
    assert_ok(tarn_wave_set_params(wave, &params));
}

static int n_clamped, n_limited; // steps of storms that had to be limited

// After a check for wild heights: what changes fast is within the limit.
static void assert_limited(const TarnWave* wave)
{
    for (int c = 0; c < wave->def.nx * wave->def.nz; ++c) {
        size_t at = wave_cell(wave, c % wave->def.nx, c / wave->def.nx);
        float u = wave->u[at], prev = wave->prev[at];
        bool is_fast = fabsf(u - prev) > 1.01f * wave_limit; // the level may be put right after it
        assert_true(!is_fast || fmaxf(fabsf(u), fabsf(prev)) < 1.01f * wave_limit);
    }
    ++n_limited;
}

// Everything at once: the same for the same def and seed, whatever the context.
static TarnWave* storm(TarnContext* where, TarnWaveDef def, Ground ground, int seed)
{
    static float height[80 * 37]; // as much as is allowed, up and down: this must be limited
    for (int c = 0; c < 80 * 37; ++c)
        height[c] = tarn__random(3, 3, (uint64_t)c) % 2 ? 1e5f : -1e5f;
    if (seed % 8 == 5) def.height = height;
    TarnWave* wave = make_wave(where, def, ground);
    bool is_fixed = def.edge_x0 == TARN_EDGE_PERIODIC || def.edge_z0 == TARN_EDGE_PERIODIC;
    float largest = seed % 3 ? 1000.0f : 0.3f;
    random_at = (uint64_t)seed * 1000;
    for (int n = 0; n < 12; ++n) {
        for (int d = pick(4); d > 0; --d) disturb(wave, largest);
        if (pick(4) == 0) random_params(wave);
        if (pick(4) == 0) {
            TarnResult expected = is_fixed ? TARN_ERR_ARG : TARN_OK;
            int di = pick(31) - 15, dk = pick(31) - 15;
            assert_int_equal(tarn_wave_shift(wave, di, dk), expected);
        }
        bool is_clamped = step(wave, scale(1e-4f, 0.5f)).flags & TARN_STEP_CLAMPED;
        n_clamped += is_clamped;
        if (is_clamped && wave->ticks % WAVE_CHECK_EVERY == 0) assert_limited(wave);
    }
    return wave;
}

// The def of storm n: all edges with all edges, both Laplacians, all grounds, sponges of all widths.
static TarnWaveDef storm_def(int n, Ground* ground)
{
    const int pairs[10][2] = { { 0, 0 }, { 0, 1 }, { 1, 0 }, { 1, 1 }, { 2, 2 },
                               { 0, 3 }, { 3, 0 }, { 1, 3 }, { 3, 1 }, { 3, 3 } };
    const int *x = pairs[n % 10], *z = pairs[n / 10 % 10];
    const int sponges[] = { 32, 8, 3, 1, 0, 256 };
    const float courants[] = { 0.99f, 0.9f, 0.4f };
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = 70 + n % 7, def.nz = 37;
    set_edges(&def, x[0], x[1], z[0], z[1]);
    def.laplacian = n / 100 % 2;
    def.sponge_cells = sponges[n / 3 % 6];
    def.courant = courants[n / 7 % 3];
    *ground = (Ground)(n / 2 % GROUNDS);
    return def;
}

// Waves die down: what is left after a while is small against what there was. Slow currents between
// ponds last longest.
static void assert_calms_down(TarnWave* wave)
{
    TarnWaveParams params = tarn_wave_default_params();
    params.damping = 2.0f;
    assert_ok(tarn_wave_set_params(wave, &params));
    float before = highest(wave), speed = 0.0f;
    for (double end = tarn_wave_time(wave) + 15.0; tarn_wave_time(wave) < end;) step(wave, 1.0f);
    for (int c = 0; c < wave->def.nx * wave->def.nz; ++c) {
        size_t at = wave_cell(wave, c % wave->def.nx, c / wave->def.nx);
        speed = fmaxf(speed, fabsf(wave->u[at] - wave->prev[at]) / wave->dt);
    }
    assert_true(speed <= 1e-4f + before * (wave->depth ? 0.03f : 1e-3f));
    assert_true(highest(wave) <= 1e-4f + 3.0f * before);
}

// After the storm: everything is finite, can be saved and loaded, goes on in the same way elsewhere, and calms down
// there.
static void check_aftermath(TarnContext* elsewhere, TarnWave* wave, const TarnWaveDef* def,
                            Ground ground)
{
    assert_sane(wave);
    size_t size;
    uint8_t* snapshot = save_wave(wave, &size);
    TarnWave* copy = make_wave(elsewhere, *def, ground);
    assert_int_equal(tarn_wave_load(copy, snapshot, size), TARN_OK);
    assert_true(tarn_wave_hash(wave) == tarn_wave_hash(copy));
    step(wave, 0.2f), step(copy, 0.2f);
    assert_true(tarn_wave_hash(wave) == tarn_wave_hash(copy));
    assert_calms_down(copy);
    assert_sane(copy);
    tarn_wave_destroy(copy);
    free(snapshot);
}

static void test_storms(void** state)
{
    (void)state;
    TarnContext* where[VARIANTS];
    for (int v = 0; v < VARIANTS; ++v)
        where[v] = make_context(variants[v].workers, variants[v].isa);
    TarnContext* fast = make_context(1, TARN_ISA_AUTO); // for the long way to calm water
    for (int n = 0; n < 200; n += is_short_run() ? 3 : 1) {
        Ground ground;
        TarnWaveDef def = storm_def(n, &ground);
        uint64_t first = 0;
        for (int v = 0; v < VARIANTS; ++v) {
            if (where[v] == NULL) continue; // not on this machine
            TarnWave* wave = storm(where[v], def, ground, n);
            uint64_t hash = tarn_wave_hash(wave);
            if (v == 0) first = hash;
            if (hash != first) print_error("storm %d, variant %d is not the same\n", n, v);
            assert_true(hash == first);
            if (v == 0) check_aftermath(fast, wave, &def, ground);
            tarn_wave_destroy(wave);
        }
    }
    for (int v = 0; v < VARIANTS; ++v) tarn_context_destroy(where[v]);
    tarn_context_destroy(fast);
    assert_true(n_clamped > 0 && n_limited > 0); // some were wild enough
}

static void* run_alone(void* wave)
{
    for (int n = 0; n < 300; ++n) {
        tarn_wave_add_drop(wave, (TarnVec2){ 0.01f * (float)n, 1.0f }, 0.2f, 0.05f);
        tarn_wave_step(wave, frame, NULL);
    }
    return NULL;
}

static void test_two_at_once(void** state)
{
    (void)state;
    TarnContext* where[4];
    TarnWave* wave[4];
    for (int n = 0; n < 4; ++n) { // 0 alone; 1 and 2, 3 and 0's context at once
        where[n] = make_context(n == 0 ? 1 : 2, TARN_ISA_AUTO);
        wave[n] = make_wave(where[n == 3 ? 2 : n], small_def(), GROUND_BED);
    }
    run_alone(wave[0]);
    pthread_t thread[3];
    for (int n = 0; n < 3; ++n) {
        assert_int_equal(pthread_create(&thread[n], NULL, run_alone, wave[n + 1]), 0);
    }
    for (int n = 0; n < 3; ++n) pthread_join(thread[n], NULL);
    for (int n = 1; n < 4; ++n) assert_true(tarn_wave_hash(wave[n]) == tarn_wave_hash(wave[0]));
    for (int n = 0; n < 4; ++n) tarn_wave_destroy(wave[n]);
    for (int n = 0; n < 4; ++n) tarn_context_destroy(where[n]);
}

// ---- Long runs without damping -------------------------------------------------------------------

// Noise of 5 cm, and nothing to damp it. Returns the highest wave at the end.
static float run_noise(TarnWaveDef def, Ground ground, int n_steps, float shortest, float longest)
{
    static float height[100 * 40];
    random_at = 5;
    for (int c = 0; c < 100 * 40; ++c) height[c] = uniform(-0.05f, 0.05f);
    def.height = height;
    TarnWave* wave = make_wave(ctx, def, ground);
    TarnWaveParams params = tarn_wave_default_params();
    params.damping = 0.0f;
    assert_ok(tarn_wave_set_params(wave, &params));
    double time = 0.0;
    for (int n = 0; n < n_steps; ++n) {
        TarnStepReport report = step(wave, uniform(shortest, longest));
        time += report.time_advanced;
        assert_true(fabs(tarn_wave_time(wave) - time) < 1e-9 * time);
    }
    assert_sane(wave);
    float peak = highest(wave);
    tarn_wave_destroy(wave);
    return peak;
}

// Frames of very different lengths must not pump energy in.
static void test_uneven_frames(void** state)
{
    (void)state;
    const float times[][2] = { { 1.0f / 66, 1.0f / 54 },  { 1.0f / 90, 1.0f / 40 },
                               { 1.0f / 240, 1.0f / 20 }, { 1e-4f, 0.15f },
                               { 1e-5f, 2e-3f },          { 0.1f, 0.3f } };
    for (int n = 0; n < 6 * 4; ++n) {
        TarnWaveDef def = small_def();
        def.laplacian = n / 6 % 2;
        Ground ground = n / 12 ? GROUND_WALLS : GROUND_FLAT;
        int n_steps = is_short_run() ? 60 : 1500;
        float peak = run_noise(def, ground, n_steps, times[n % 6][0], times[n % 6][1]);
        if (peak > 0.2f) print_error("frames %d: %g m\n", n, peak);
        assert_true(peak <= 0.2f && peak > 0.01f);
    }
}

// Open edges take energy away, whatever is in front of them and however long the step.
static void test_open_edges(void** state)
{
    (void)state;
    const int sponges[] = { 0, 1, 3, 16 };
    const int edges[][4] = { { 3, 3, 3, 3 }, { 0, 3, 3, 0 }, { 2, 2, 3, 3 }, { 3, 1, 1, 3 } };
    for (int n = 0; n < 4 * 4 * 2 * GROUNDS; ++n) {
        const int* e = edges[n / 4 % 4];
        TarnWaveDef def = small_def();
        def.nx = 50, def.nz = 40;
        set_edges(&def, e[0], e[1], e[2], e[3]);
        def.sponge_cells = sponges[n % 4];
        def.laplacian = n / 16 % 2;
        def.courant = 0.99f;
        int n_steps = is_short_run() ? 6 : 60; // of 16 of the longest substeps
        float peak = run_noise(def, (Ground)(n / 32), n_steps, 1.0f, 1.0f);
        if (peak > 0.2f) print_error("edges %d: %g m\n", n, peak);
        assert_true(peak <= 0.2f);
    }
    // The worst place: a cell in an open corner, with walls around.
    uint8_t wall[50 * 40];
    memset(wall, 1, sizeof wall);
    wall[0] = wall[49] = wall[50 * 39] = wall[50 * 39 + 48] = wall[50 * 39 + 49] = 0;
    for (int n = 0; n < 8; ++n) {
        TarnWaveDef def = small_def();
        def.nx = 50, def.nz = 40, def.wall = wall;
        set_edges(&def, 3, 3, 3, 3);
        def.sponge_cells = sponges[n % 4], def.laplacian = n / 4;
        assert_true(run_noise(def, GROUND_FLAT, is_short_run() ? 30 : 300, 1.0f, 1.0f) <= 0.1f);
    }
}

// A bed that is level is as good as none, in front of every kind of edge.
static void test_level_bed(void** state)
{
    (void)state;
    for (int n = 0; n < 4 * 2; ++n) {
        float bed[4000];
        for (int c = 0; c < 4000; ++c) bed[c] = -1.0f;
        TarnWaveDef def = small_def();
        set_edges(&def, n % 4, n % 4, n % 4, n % 4);
        def.laplacian = n / 4;
        TarnWave* plain = make_wave(ctx, def, GROUND_FLAT);
        def.bed = bed;
        TarnWave* wave = make_wave(ctx, def, GROUND_FLAT);
        for (int s = 0; s < 60; ++s) {
            TarnVec2 at = { 0.08f * (float)s, 0.5f };
            if (s < 20) assert_ok(tarn_wave_add_drop(plain, at, 0.2f, 0.1f));
            if (s < 20) assert_ok(tarn_wave_add_drop(wave, at, 0.2f, 0.1f));
            steps(plain, 1), steps(wave, 1);
        }
        for (int c = 0; c < 4000; ++c) {
            float want = height_of(plain, c % 100, c / 100);
            assert_float_equal(height_of(wave, c % 100, c / 100), want, 2e-4);
        }
        tarn_wave_destroy(plain);
        tarn_wave_destroy(wave);
    }
}

// ---- Snapshots -----------------------------------------------------------------------------------

// A ring of the highest waves that are allowed runs together: higher ones are no damage.
static void test_highest_waves(void** state)
{
    (void)state;
    TarnWaveDef def = small_def();
    float height[4000];
    for (int c = 0; c < 4000; ++c) {
        float r = hypotf((float)(c % 100) - 50.0f, (float)(c / 100) - 20.0f);
        height[c] = r > 11.0f && r < 17.0f ? 1e5f : 0.0f;
    }
    def.height = height;
    TarnWave *wave = make_wave(ctx, def, GROUND_FLAT), *copy = make_wave(ctx, def, GROUND_FLAT);
    float peak = 0.0f;
    for (int s = 0; s < 200; ++s) {
        step(wave, 2e-3f);
        peak = fmaxf(peak, highest(wave));
        size_t size;
        uint8_t* snapshot = save_wave(wave, &size);
        assert_ok(tarn_wave_load(copy, snapshot, size));
        free(snapshot);
    }
    assert_true(peak > 2e5f);
    tarn_wave_destroy(wave);
    tarn_wave_destroy(copy);
}

LOADS(TarnWave, wave)

static void test_damaged_snapshots(void** state)
{
    (void)state;
    TarnWaveDef def = small_def();
    def.nx = 20, def.nz = 18, def.use_bodies = true;
    TarnWave* wave = make_wave(ctx, def, GROUND_BED);
    size_t size;
    assert_ok(tarn_wave_add_drop(wave, (TarnVec2){ 0.4f, 0.4f }, 0.2f, 0.1f));
    steps(wave, 3);
    uint8_t *good = save_wave(wave, &size), *bad = malloc(size + 1);
    memcpy(bad, good, size);
    assert_result(tarn_wave_save(wave, bad, size - 1, &size), TARN_ERR_CAPACITY, "larger");
    steps(wave, 3);
    uint64_t hash = tarn_wave_hash(wave);
    assert_damage_refused((Loader){ wave, load_object, hash_object }, good, size);

    // Values that no run makes, under good hashes. Order: 6 doubles, 2 floats, 4 ints, params, 3 bytes
    // for each of the two tiles, fields.
    const double wide[] = { NAN, INFINITY, -1e30 };
    const float wrong[] = { NAN, INFINITY, 1e30f };
    const int32_t whole[] = { INT_MIN, INT_MAX, -(1 << 24) };
    size_t ints = TARN_SNAPSHOT_HEADER + 6 * 8 + 2 * 4, params = ints + 4 * 4;
    size_t tiles = params + sizeof(TarnWaveParams), fields = tiles + 3 * 2;
    assert_true((size - fields) % 20 == 0);
    for (size_t at = TARN_SNAPSHOT_HEADER; at < size;) {
        bool is_wide = at < ints - 2 * 4, is_tile = at >= tiles && at < fields;
        bool is_whole = at >= ints && at < params;
        size_t width = is_wide ? 8 : is_tile ? 1 : 4;
        for (int w = 0; w < 3; ++w) {
            const void* value = is_wide    ? (const void*)&wide[w]
                                : is_whole ? (const void*)&whole[w]
                                           : (const void*)&wrong[w];
            memcpy(bad, good, size);
            memcpy(bad + at, is_tile ? (const void*)"\x05\xff\x80" + w : value, width);
            seal(bad, size);
            if (tarn_wave_load(wave, bad, size) != TARN_ERR_DATA)
                print_error("at %zu: value %d\n", at, w);
            assert_result(tarn_wave_load(wave, bad, size), TARN_ERR_DATA, "");
            assert_true(tarn_wave_hash(wave) == hash);
        }
        at += width;
    }
    memcpy(bad, good, size);
    seal(bad, size); // the seal itself is right
    assert_ok(tarn_wave_load(wave, bad, size));
    assert_true(tarn_wave_hash(wave) != hash);
    free(good);
    free(bad);
    tarn_wave_destroy(wave);
}

static void test_other_defs(void** state)
{
    (void)state;
    TarnWaveDef def = small_def();
    TarnWave *wave = make_wave(ctx, def, GROUND_WALLS), *other;
    size_t size;
    uint8_t* snapshot = save_wave(wave, &size);
    const TarnParamTable* table = tarn_wave_def_table();
    for (int i = 0; i <= table->count; ++i) {
        const TarnParam* p = &table->params[i];
        TarnWaveDef changed = def;
        if (i < table->count) {
            double old = tarn__param_get(p, &def, 0);
            poke(p, &changed, 0,
                 p->type == TARN_PARAM_BOOL ? !old
                 : old == p->max            ? old - 1
                 : old + 1 <= p->max        ? old + 1
                                            : 0.5 * old);
            if (changed.edge_x0 == TARN_EDGE_PERIODIC) changed.edge_x1 = TARN_EDGE_PERIODIC;
        }
        other = make_wave(ctx, changed, i < table->count ? GROUND_WALLS : GROUND_FLAT);
        uint64_t hash = tarn_wave_hash(other);
        assert_result(tarn_wave_load(other, snapshot, size), TARN_ERR_DATA, "another def");
        assert_true(tarn_wave_hash(other) == hash);
        tarn_wave_destroy(other);
    }
    other = make_wave(ctx, def, GROUND_BED); // walls and beds come with the snapshot
    assert_ok(tarn_wave_load(other, snapshot, size));
    assert_true(tarn_wave_hash(other) == tarn_wave_hash(wave));
    for (int c = 0; c < 4000; ++c) {
        assert_true(tarn_wave_is_wall(other, c % 100, c / 100) ==
                    tarn_wave_is_wall(wave, c % 100, c / 100));
    }
    free(snapshot);
    tarn_wave_destroy(other);
    tarn_wave_destroy(wave);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_no_allocation),
                                        TEST(test_failing_allocations),
                                        TEST(test_storms),
                                        TEST(test_two_at_once),
                                        TEST_ALONE(test_uneven_frames),
                                        TEST_ALONE(test_open_edges),
                                        TEST_ALONE(test_level_bed),
                                        TEST_ALONE(test_highest_waves),
                                        TEST_ALONE(test_damaged_snapshots),
                                        TEST_ALONE(test_other_defs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
