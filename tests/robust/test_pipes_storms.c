// The pipe solver under everything at once: storms over any ground with any parameters, for any number of
// workers and both instruction sets; snapshots, good and damaged; nothing allocated on the way.

#include "tests/robust/damaged.h"
#include "tests/unit/test_common.h"
#include "base/param.h"
#include "waves/pipes_internal.h"

enum { VARIANTS = 5, MOST_CELLS = 90 * 90 };
static const struct {
    int workers;
    TarnIsa isa;
} variants[VARIANTS] = { { 1, TARN_ISA_BASELINE },
                         { 1, TARN_ISA_AVX2 },
                         { 2, TARN_ISA_AVX512 },
                         { 3, TARN_ISA_BASELINE },
                         { 8, TARN_ISA_AUTO } };

static TarnPipesDef storm_def(int n)
{
    static float bed[MOST_CELLS], soil[MOST_CELLS], depth[MOST_CELLS];
    TarnPipesDef def = tarn_pipes_default_def();
    random_at = (uint64_t)n * 100000;
    def.nx = 2 + pick(70), def.nz = 2 + pick(80);
    def.dx = scale(0.05f, 100.0f);
    def.max_depth = scale(1.0f, 1000.0f);
    def.soil = 0.3f * def.max_depth * uniform(0.0f, 1.0f);
    def.use_erosion = n % 4 != 3;
    def.pipe_area = n % 5 == 4 ? scale(0.01f, 100.0f) : 0.0f;
    def.courant = n % 3 ? 0.8f : 0.99f;
    def.max_substeps = 1 + pick(20);
    for (int edge = 0; edge < 4; ++edge) *(&def.edge_x0 + edge) = pick(2);
    float high = n % 7 ? scale(0.1f, 10.0f) * def.dx : 60.0f * def.max_depth; // cliffs, too
    high = fminf(high, 60.0f * def.max_depth);
    for (int c = 0; c < def.nx * def.nz; ++c) {
        bed[c] = uniform(-high, high);
        soil[c] = uniform(0.0f, def.max_depth);
        depth[c] = pick(3) ? 0.0f : uniform(0.0f, n % 2 ? 0.9f : 0.02f) * def.max_depth;
    }
    def.bed = bed;
    if (n % 3 == 0) def.soil_map = soil;
    if (n % 2 == 0) def.depth = depth;
    def.has_level = n % 5 == 1;
    return def;
}

static void random_params(TarnPipes* pipes)
{
    const TarnParamTable* table = tarn_pipes_params_table();
    TarnPipesParams params = tarn_pipes_default_params();
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        double share = uniform(0.0f, 1.0f);
        share = share * share * share;
        if (pick(3)) poke(p, &params, 0, p->min + (p->max - p->min) * share * share);
    }
    assert_ok(tarn_pipes_set_params(pipes, &params));
}

static float deepest_seen; // of a storm [m]

static TarnPipes* storm(TarnContext* where, int n, TarnPipesDef def)
{
    deepest_seen = 0.0f;
    TarnPipes* pipes;
    TarnResult result = tarn_pipes_create(where, &def, &pipes);
    if (result != TARN_OK) print_error("storm %d: %s\n", n, tarn_last_error(where));
    assert_int_equal(result, TARN_OK);
    random_at = (uint64_t)n * 1000;
    float sizes[2] = { (float)def.nx * def.dx, (float)def.nz * def.dx };
    for (int s = 0; s < 25; ++s) {
        if (pick(4) == 0) random_params(pipes);
        TarnVec2 at = { uniform(-0.2f, 1.2f) * sizes[0], uniform(-0.2f, 1.2f) * sizes[1] };
        float volume = def.dx * def.dx * scale(0.01f, 100.0f) * (pick(3) ? 1.0f : -1.0f);
        assert_ok(tarn_pipes_add_water(pipes, at, scale(0.3f, 20.0f) * def.dx, volume, NULL));
        float left = scale(1e-5f, 10.0f); // one substep after the other, to see each
        for (int sub = 0; sub < 20 && left > 0.0f; ++sub) {
            float dt = fminf(left, 10.0f);
            TarnStepReport report;
            assert_ok(tarn_pipes_step(pipes, 0.0f, &report));
            dt = fminf(dt, (float)report.stable_dt * (sub % 3 ? 0.9f : 2.5f));
            assert_ok(tarn_pipes_step(pipes, dt, NULL));
            deepest_seen = fmaxf(deepest_seen, pipes->deepest);
            left -= dt;
        }
    }
    return pipes;
}

static int n_exact; // storms in which the water never came near max_depth

static void assert_sane_pipes(const TarnPipes* pipes, int n)
{
    int n_bad = 0;
    float deepest = 0.0f;
    for (int k = 0; k < pipes->def.nz; ++k) {
        for (int i = 0; i < pipes->def.nx; ++i) {
            size_t c = pipes_cell(pipes, i, k);
            n_bad += !tarn__is_finite(pipes->fx[c]) || !tarn__is_finite(pipes->fz[c]);
            n_bad += !tarn__is_finite(pipes->d[c]) || pipes->d[c] < 0.0f;
            n_bad += abs(pipes->ground[c]) > 1 << 30;
            n_bad += pipes->height[c] != (float)pipes->ground[c] * pipes->grain;
            if (pipes->s) n_bad += !(pipes->s[c] >= 0.0f && pipes->soil[c] >= 0.0f);
            deepest = fmaxf(deepest, pipes->d[c]);
        }
    }
    if (n_bad) print_error("storm %d: %d bad cells\n", n, n_bad);
    assert_int_equal(n_bad, 0);
    assert_true(deepest == pipes->deepest);
    TarnPipesLedger l = tarn_pipes_ledger(pipes);
    bool is_exact = l.water_error == 0.0 && l.ground_error == 0.0;
    if (!is_exact && deepest_seen <= 0.9f * pipes->def.max_depth)
        print_error("storm %d: water %g ground %g, deepest %g of %g\n", n, l.water_error,
                    l.ground_error, (double)deepest, (double)pipes->def.max_depth);
    if (deepest_seen <= 0.9f * pipes->def.max_depth) {
        assert_true(is_exact);
        ++n_exact;
    }
    assert_true(fabs(l.water_error) <= 1e-5 * (l.volume + l.rain + 1.0));
}

static uint8_t* save_pipes(const TarnPipes* pipes, size_t* size)
{
    assert_int_equal(tarn_pipes_save(pipes, NULL, 0, size), TARN_ERR_CAPACITY);
    uint8_t* snapshot = malloc(*size);
    assert_ok(tarn_pipes_save(pipes, snapshot, *size, size));
    return snapshot;
}

static void check_copy(TarnContext* where, TarnPipes* pipes, const TarnPipesDef* def)
{
    size_t size;
    uint8_t* snapshot = save_pipes(pipes, &size);
    TarnPipes* copy;
    assert_int_equal(tarn_pipes_create(where, def, &copy), TARN_OK);
    TarnResult result = tarn_pipes_load(copy, snapshot, size);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(where));
    assert_int_equal(result, TARN_OK);
    assert_true(tarn_pipes_hash(pipes) == tarn_pipes_hash(copy));
    for (int s = 0; s < 5; ++s) {
        assert_ok(tarn_pipes_step(pipes, 0.1f, NULL));
        assert_ok(tarn_pipes_step(copy, 0.1f, NULL));
    }
    assert_true(tarn_pipes_hash(pipes) == tarn_pipes_hash(copy));
    tarn_pipes_destroy(copy);
    free(snapshot);
}

static void test_storms(void** state)
{
    (void)state;
    TarnContext* where[VARIANTS];
    for (int v = 0; v < VARIANTS; ++v)
        where[v] = make_context(variants[v].workers, variants[v].isa);
    for (int n = 0; n < 120; ++n) {
        uint64_t first = 0;
        for (int v = 0; v < VARIANTS; ++v) {
            if (where[v] == NULL) continue; // not on this machine
            TarnPipesDef def = storm_def(n);
            TarnPipes* pipes = storm(where[v], n, def);
            uint64_t hash = tarn_pipes_hash(pipes);
            if (v == 0) first = hash;
            if (hash != first) print_error("storm %d, variant %d is not the same\n", n, v);
            assert_true(hash == first);
            if (v == 0) {
                assert_sane_pipes(pipes, n);
                check_copy(where[0], pipes, &def);
            }
            tarn_pipes_destroy(pipes);
        }
    }
    for (int v = 0; v < VARIANTS; ++v) tarn_context_destroy(where[v]);
    assert_in_range(n_exact, 40, 120);
}

static void test_no_allocation(void** state)
{
    (void)state;
    TarnContext* where = make_context(3, TARN_ISA_AUTO);
    TarnPipesDef def = storm_def(2);
    TarnPipes* pipes;
    assert_int_equal(tarn_pipes_create(where, &def, &pipes), TARN_OK);
    size_t size;
    uint8_t* snapshot = save_pipes(pipes, &size);
    int calls = memory.calls;
    for (int s = 0; s < 20; ++s) {
        assert_ok(tarn_pipes_step(pipes, 0.3f, NULL));
        tarn_surface_height(tarn_pipes_surface(pipes), 1.0f, 1.0f);
        tarn_pipes_ledger(pipes);
        tarn_pipes_hash(pipes);
        assert_ok(tarn_pipes_save(pipes, snapshot, size, &size));
        if (s % 7 == 0) assert_ok(tarn_pipes_load(pipes, snapshot, size));
    }
    tarn_pipes_reset(pipes);
    assert_int_equal(memory.calls, calls);
    free(snapshot);
    tarn_pipes_destroy(pipes);
    tarn_context_destroy(where);
}

// ---- Snapshots -----------------------------------------------------------------------------------

enum { SMALL_NX = 12, SMALL_NZ = 9, SMALL_FIELD = SMALL_NX * SMALL_NZ * 4 };

static TarnPipes* small_pipes(void)
{
    TarnPipesDef def = tarn_pipes_default_def();
    def.nx = SMALL_NX, def.nz = SMALL_NZ;
    TarnPipes* pipes;
    assert_ok(tarn_pipes_create(ctx, &def, &pipes));
    assert_ok(tarn_pipes_add_water(pipes, (TarnVec2){ 40, 40 }, 20.0f, 500.0f, NULL));
    for (int s = 0; s < 7; ++s) assert_ok(tarn_pipes_step(pipes, 0.2f, NULL));
    return pipes;
}

LOADS(TarnPipes, pipes)

static void test_damaged_snapshots(void** state)
{
    (void)state;
    TarnPipes* pipes = small_pipes();
    size_t size;
    uint8_t *good = save_pipes(pipes, &size), *bad = malloc(size + 1);
    assert_result(tarn_pipes_save(pipes, bad, size - 1, &size), TARN_ERR_CAPACITY, "larger");
    for (int s = 0; s < 3; ++s) assert_ok(tarn_pipes_step(pipes, 0.2f, NULL));
    assert_damage_refused((Loader){ pipes, load_object, hash_object }, good, size);
    free(good);
    free(bad);
    tarn_pipes_destroy(pipes);
}

// A value that no run makes, under good hashes.
static void assert_refused(TarnPipes* pipes, const uint8_t* good, size_t size, size_t place,
                           const void* value, size_t bytes)
{
    uint8_t* bad = malloc(size);
    uint64_t hash = tarn_pipes_hash(pipes);
    memcpy(bad, good, size);
    memcpy(bad + place, value, bytes);
    seal(bad, size);
    assert_result(tarn_pipes_load(pipes, bad, size), TARN_ERR_DATA, "no run can produce");
    assert_true(tarn_pipes_hash(pipes) == hash);
    free(bad);
}

static void test_hostile_snapshots(void** state)
{
    (void)state;
    TarnPipes* pipes = small_pipes();
    size_t size;
    uint8_t* good = save_pipes(pipes, &size);
    // Order: 5 doubles, 8 counts, parameters, ground, depth, flows, sediment, soil.
    size_t params = TARN_SNAPSHOT_HEADER + 5 * 8 + 8 * 8, ground = params + sizeof(TarnPipesParams);
    const float wrong[] = { NAN, INFINITY, -INFINITY, 1e30f };
    for (int n = 0; n < 4; ++n) {
        const size_t places[] = { params + 4, ground + SMALL_FIELD + 16,
                                  ground + 2 * SMALL_FIELD + 40, size - 4, size - SMALL_FIELD - 4 };
        for (int p = 0; p < 5; ++p) assert_refused(pipes, good, size, places[p], &wrong[n], 4);
        double wide = n == 3 ? -1.0 : (double)wrong[n];
        assert_refused(pipes, good, size, TARN_SNAPSHOT_HEADER + 8 * (size_t)n, &wide, 8);
    }
    int32_t high = INT32_MAX;
    int64_t many = INT64_MAX;
    float half = 0.5f * pipes->grain;
    assert_refused(pipes, good, size, ground, &high, 4);
    assert_refused(pipes, good, size, params - 8, &many, 8);
    assert_refused(pipes, good, size, ground + SMALL_FIELD, &half, 4);
    // Any bytes under good hashes: refused or loaded, and then it still runs.
    uint8_t* bad = malloc(size);
    for (int n = 0; n < 3000; ++n) {
        memcpy(bad, good, size);
        random_at = (uint64_t)n * 50;
        for (int b = 1 + pick(4); b > 0; --b)
            bad[TARN_SNAPSHOT_HEADER + pick((int)(size - TARN_SNAPSHOT_HEADER))] =
                (uint8_t)pick(256);
        seal(bad, size);
        if (tarn_pipes_load(pipes, bad, size) == TARN_OK)
            assert_ok(tarn_pipes_step(pipes, 0.3f, NULL));
    }
    free(good);
    free(bad);
    tarn_pipes_destroy(pipes);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_storms), TEST(test_no_allocation),
                                        TEST_ALONE(test_damaged_snapshots),
                                        TEST_ALONE(test_hostile_snapshots) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
