// Shallow water under everything at once: any depth, any cliff, any step, every edge and span, gates
// that flap, sources without measure; for any number of workers and both instruction sets. After each
// step everything is finite, no depth is negative and the ledger closes. Damaged snapshots.

#include "tests/robust/damaged.h"
#include "tests/sanitized.h"
#include "tests/unit/shallow_common.h"

enum { VARIANTS = 5 };
static const struct {
    int workers;
    TarnIsa isa;
} variants[VARIANTS] = { { 1, TARN_ISA_BASELINE },
                         { 1, TARN_ISA_AVX2 },
                         { 2, TARN_ISA_AVX512 },
                         { 3, TARN_ISA_BASELINE },
                         { 8, TARN_ISA_AUTO } };

enum { MOST = 130 * 60 };
static float storm_bed[MOST], storm_depth[MOST];

// ---- Setting up ----------------------------------------------------------------------------------

// How wild the ground and the water of a storm are [m].
static float storm_size(int n)
{
    const float sizes[4] = { 1.0f, 30.0f, 1000.0f, 1e4f };
    return sizes[n % 4];
}

static void storm_ground(const TarnShallowDef* def, int n)
{
    float size = storm_size(n);
    for (int c = 0; c < def->nx * def->nz; ++c) {
        int i = c % def->nx, k = c / def->nx;
        float smooth = size * 0.2f * sinf(0.2f * (float)i) * cosf(0.3f * (float)k);
        storm_bed[c] = pick(9) == 0 ? size * uniform(-1.0f, 1.0f) : smooth; // cliffs and pits
        storm_depth[c] = pick(3) == 0 ? uniform(0.0f, size) : 0.0f;
        if (pick(5) == 0) storm_depth[c] = scale(1e-9f, 1.0f); // films of any thickness
    }
}

static TarnShallowDef storm_def(int n)
{
    static const int pairs[12][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 3 }, { 4, 4 }, { 0, 1 },
                                      { 3, 0 }, { 2, 3 }, { 1, 3 }, { 2, 0 }, { 4, 4 }, { 1, 2 } };
    const int *x = pairs[n % 12], *z = pairs[n / 5 % 12];
    const float cells[4] = { 0.5f, 0.01f, 100.0f, 3.0f };
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = 66 + n % 61, def.nz = 19 + n % 37;
    def.dx = cells[n / 3 % 4];
    set_water_edges(&def, x[0], x[1], z[0], z[1]);
    def.advection = n % 5 == 4 ? TARN_ADVECTION_MOMENTUM : n % 5;
    def.gravity_step = n % 4 == 1 ? TARN_GRAVITY_IMPLICIT : TARN_GRAVITY_EXPLICIT;
    def.implicitness = n % 3 ? 0.6f : 0.5f;
    def.sponge_cells = n / 2 % 2 ? 16 : 0;
    def.sleep_speed = n % 3 == 0 ? 0.0f : def.sleep_speed;
    def.level = uniform(-0.5f, 0.5f) * storm_size(n);
    def.has_level = n % 7 == 0;
    def.use_discharge = n % 2 == 1;
    if (n % 6 == 5) def.velocity = (TarnVec2){ 300.0f, -50.0f };
    return def;
}

static void random_water_params(TarnShallow* water)
{
    const TarnParamTable* table = tarn_shallow_params_table();
    TarnShallowParams params = tarn_shallow_default_params();
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        for (int c = 0; c < tarn__param_components(p->type); ++c) {
            double share = uniform(0.0f, 1.0f), odd = uniform(0.0f, 1.0f);
            if (odd > 0.3) share = share * share * share * share * share;
            if (p->min < 0.0) share = 0.5 + (pick(2) ? 0.5 : -0.5) * share;
            poke(p, &params, c, p->min + (p->max - p->min) * share);
        }
    }
    assert_ok(tarn_shallow_set_params(water, &params));
}

static void random_span(TarnShallow* water, float size)
{
    const TarnShallowDef* def = tarn_shallow_def(water);
    int side = pick(4), kind = pick(8);
    bool is_periodic =
        side < 2 ? def->edge_x0 == TARN_SHALLOW_PERIODIC : def->edge_z0 == TARN_SHALLOW_PERIODIC;
    if (is_periodic || kind == TARN_SHALLOW_PERIODIC) return;
    float length = def->dx * (float)(side < 2 ? def->nz : def->nx);
    float value = kind == TARN_SHALLOW_LEVEL   ? uniform(-size, size)
                  : kind == TARN_SHALLOW_DEPTH ? uniform(0.0f, size)
                                               : scale(1e-3f, 1e4f);
    TarnShallowSpanDef span = span_of(side, kind, value);
    span.from = uniform(-0.2f, 0.8f) * length;
    span.to = span.from + uniform(0.1f, 1.0f) * length;
    if (pick(2) && (kind == TARN_SHALLOW_ABSORBING || kind == TARN_SHALLOW_LEVEL))
        span.wave_height = scale(1e-3f, 10.0f), span.wave_period = scale(0.1f, 100.0f);
    float times[3] = { 0.0f, uniform(0.1f, 1.0f), uniform(1.0f, 100.0f) };
    float values[3] = { value, 0.0f, 0.5f * value };
    if (pick(3) == 0) span.times = times, span.values = values, span.n_times = 3;
    assert_ok(tarn_shallow_add_span(water, &span, NULL));
}

// ---- Disturbing ----------------------------------------------------------------------------------

static TarnVec2 random_place(const TarnShallow* water)
{
    const TarnShallowDef* def = tarn_shallow_def(water);
    TarnVec2 o = tarn_shallow_origin(water);
    float x = uniform(-0.2f, 1.2f), z = uniform(-0.2f, 1.2f);
    return (TarnVec2){ o.x + x * def->dx * (float)def->nx, o.y + z * def->dx * (float)def->nz };
}

static void random_edit(TarnShallow* water, float size)
{
    const TarnShallowDef* def = tarn_shallow_def(water);
    TarnVec2 a = random_place(water), b = random_place(water);
    float radius = scale(0.3f * def->dx, 50.0f * def->dx);
    float volume = scale(1e-6f, size * 1e3f * def->dx * def->dx);
    float height = uniform(-0.3f, 0.3f) * size, level = uniform(-1.0f, 1.0f) * size;
    TarnVec2 velocity = { uniform(-100.0f, 100.0f), uniform(-100.0f, 100.0f) };
    int kind = pick(12), di = pick(9) - 4, dk = pick(9) - 4, gate = pick(8);
    if (pick(2)) volume = -volume;
    if (kind < 2) assert_ok(tarn_shallow_add_water(water, a, radius, volume, NULL));
    if (kind == 2) assert_ok(tarn_shallow_fill(water, a, b, level));
    if (kind == 3) assert_ok(tarn_shallow_dig(water, a, radius, height));
    if (kind == 4) assert_ok(tarn_shallow_add_velocity(water, a, radius, velocity));
    if (kind == 9) assert_ok(tarn_shallow_set_velocity(water, a, b, velocity));
    bool is_bounded =
        def->edge_x0 != TARN_SHALLOW_PERIODIC && def->edge_z0 != TARN_SHALLOW_PERIODIC;
    if (kind == 5 && is_bounded) assert_ok(tarn_shallow_shift(water, di, dk));
    if (kind == 6) random_water_params(water);
    if (kind == 7) random_span(water, size);
    if (kind == 8 && tarn_shallow_gate_count(water) < 8) {
        TarnShallowGateDef def8 = tarn_shallow_default_gate();
        def8.a = a, def8.b = b, def8.top = level;
        def8.opening = uniform(0.0f, 1.0f);
        TarnResult result = tarn_shallow_add_gate(water, &def8, NULL); // may be too thin
        assert_true(result == TARN_OK || result == TARN_ERR_ARG);
    }
    if (kind > 8 && gate < tarn_shallow_gate_count(water))
        assert_ok(
            tarn_shallow_set_gate(water, gate, pick(2) ? uniform(0.0f, 1.0f) : (float)pick(2)));
}

static void assert_finite_discharge(const TarnShallow* water)
{
    TarnView2 views[2] = { tarn_shallow_discharge_x(water), tarn_shallow_discharge_z(water) };
    for (int v = 0; v < 2; ++v) {
        for (int c = 0; c < views[v].nx * views[v].nz; ++c)
            assert_true(tarn__is_finite(view_value(views[v], c % views[v].nx, c / views[v].nx)));
    }
}

static int n_clamped, n_cut; // steps of storms that had to be limited

// Most water that was ever there or passed: what the ledger's rounding is measured by [m^3].
static double ledger_scale(const TarnShallow* water, double scale_before)
{
    TarnShallowLedger l = tarn_shallow_ledger(water);
    double sum = l.volume + l.initial + fabs(l.edges) + fabs(l.sources) + fabs(l.rain) +
                 fabs(l.evaporated) + fabs(l.window);
    return sum > scale_before ? sum : scale_before;
}

// The same for the same number, whatever the context.
static TarnShallow* storm(TarnContext* where, int n, int n_steps)
{
    random_at = (uint64_t)n * 100000;
    TarnShallowDef def = storm_def(n);
    float size = storm_size(n);
    storm_ground(&def, n);
    def.bed = storm_bed;
    if (!def.has_level) def.depth = storm_depth;
    TarnShallow* water = make_water_in(where, &def);
    if (n % 4) random_water_params(water);
    double most = 0.0;
    for (int s = 0; s < n_steps; ++s) {
        for (int e = pick(4); e > 0; --e) random_edit(water, size);
        most = ledger_scale(water, most);
        TarnStepReport report;
        float dt = pick(4) == 0 ? 10.0f : pick(8) == 0 ? 0.0f : scale(1e-6f, 1.0f);
        assert_int_equal(tarn_shallow_step(water, dt, &report), TARN_OK);
        n_clamped += (report.flags & TARN_STEP_CLAMPED) != 0;
        n_cut += (report.flags & TARN_STEP_TIME_CUT) != 0;
        most = ledger_scale(water, most);
        assert_water_sane(water);
        assert_finite_discharge(water);
        assert_closed(water, 1e3 * most); // deeper than max_depth: to a millionth
        assert_true(report.time_advanced >= 0.0 && report.time_advanced <= (double)dt * 1.000001);
    }
    return water;
}

// After the storm: it can be saved, goes on, and goes on in the same way after loading.
static void check_aftermath(TarnShallow* water)
{
    size_t size;
    uint8_t* snapshot = save_water(water, &size);
    uint64_t then = tarn_shallow_hash(water), hashes[2];
    for (int n = 0; n < 2; ++n) {
        for (int s = 0; s < 3; ++s) assert_int_equal(tarn_shallow_step(water, 0.2f, NULL), TARN_OK);
        hashes[n] = tarn_shallow_hash(water);
        assert_int_equal(tarn_shallow_load(water, snapshot, size), TARN_OK);
        assert_true(tarn_shallow_hash(water) == then);
    }
    assert_true(hashes[0] == hashes[1]);
    free(snapshot);
}

static void test_storms(void** state)
{
    (void)state;
    TarnContext* where[VARIANTS];
    for (int v = 0; v < VARIANTS; ++v)
        where[v] = make_context(variants[v].workers, variants[v].isa);
    int storms = is_short_run() ? 20 : 120;
    for (int i = 0; i < storms; ++i) {
        int n = 17 * i % 120; // a few of them have something of each kind, too
        uint64_t first = 0;
        for (int v = 0; v < VARIANTS; ++v) {
            if (where[v] == NULL || (v > 1 && n % 4 != 0))
                continue; // not on this machine; time is short
            TarnShallow* water = storm(where[v], n, 25);
            uint64_t hash = tarn_shallow_hash(water);
            if (v == 0) first = hash;
            if (hash != first) print_error("storm %d, variant %d is not the same\n", n, v);
            assert_true(hash == first);
            if (v == 0) check_aftermath(water);
            tarn_shallow_destroy(water);
        }
    }
    for (int v = 0; v < VARIANTS; ++v) tarn_context_destroy(where[v]);
    assert_true(n_clamped > 0 && n_cut > 0); // some were wild enough
}

// ---- One thing at its worst ----------------------------------------------------------------------

// A column of 10 km on a cliff of 10 km above a pit, in cells of any size.
static void test_cliff(void** state)
{
    (void)state;
    for (int n = 0; n < 16; ++n) {
        TarnShallowDef def = water_def();
        float bed[4000], depth[4000] = { 0 };
        for (int c = 0; c < 4000; ++c) bed[c] = c % 100 < 50 ? 1e4f : -1e4f;
        for (int c = 0; c < 4000; ++c)
            if (c % 100 > 44 && c % 100 < 50) depth[c] = 1e4f;
        def.dx = n / 4 % 2 ? 0.05f : 20.0f;
        def.bed = bed, def.depth = depth;
        def.advection = n % 4;
        TarnShallow* water = make_water(&def);
        set_drag(water, n / 8 ? 0.0f : 0.003f);
        double volume = tarn_shallow_ledger(water).volume;
        for (int s = 0; s < (is_short_run() ? 30 : 100); ++s) {
            advance(water, s % 3 ? 0.1f : 10.0f);
            assert_water_sane(water);
            assert_closed(water, volume);
        }
        assert_true(fabs(tarn_shallow_ledger(water).volume - volume) <= 1e-9 * volume);
        tarn_shallow_destroy(water);
    }
}

// Rain of a kilometer per hour on mountains, ten minutes of it, then sun that dries it all.
static void test_flood(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    def.bed_fn = water_hills;
    TarnShallow* water = make_water(&def);
    TarnShallowParams params = tarn_shallow_default_params();
    params.rain = (float)fmin(1e6, tarn_param_find(tarn_shallow_params_table(), "rain")->max);
    assert_ok(tarn_shallow_set_params(water, &params));
    for (int s = 0; s < (is_short_run() ? 120 : 600); ++s) {
        advance(water, s % 2 ? 1.0f : 0.05f);
        assert_water_sane(water);
    }
    assert_closed(water, 1e3 * tarn_shallow_ledger(water).rain); // far deeper than max_depth
    params.evaporation =
        (float)fmin(1e6, tarn_param_find(tarn_shallow_params_table(), "evaporation")->max);
    params.rain = 0.0f;
    assert_ok(tarn_shallow_set_params(water, &params));
    for (int s = 0; s < (is_short_run() ? 200 : 2000); ++s) advance(water, 1.0f);
    assert_water_sane(water);
    assert_closed(water, 1e3 * tarn_shallow_ledger(water).rain); // far deeper than max_depth
    tarn_shallow_destroy(water);
}

// ---- Snapshots -----------------------------------------------------------------------------------

LOADS(TarnShallow, shallow)

static void test_damaged_snapshots(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    def.nx = 20, def.nz = 18;
    def.bed_fn = water_hills;
    def.level = 0.5f, def.has_level = true;
    TarnShallow* water = make_water(&def);
    TarnShallowSpanDef span = span_of(TARN_SIDE_X0, TARN_SHALLOW_DISCHARGE, 1.0f);
    TarnShallowGateDef gate = tarn_shallow_default_gate();
    gate.a = (TarnVec2){ 4, 0 }, gate.b = (TarnVec2){ 5, 9 }, gate.top = 3.0f;
    float times[3] = { 0, 1, 2 }, values[3] = { 0, 1, 0 };
    assert_ok(tarn_shallow_add_span(water, &span, NULL));
    span.times = times, span.values = values, span.n_times = 3;
    assert_ok(tarn_shallow_add_span(water, &span, NULL));
    assert_ok(tarn_shallow_add_gate(water, &gate, NULL));
    advance_frames(water, 5);
    size_t size;
    uint8_t* good = save_water(water, &size);
    advance_frames(water, 5);
    assert_damage_refused((Loader){ water, load_object, hash_object }, good, size);
    free(good);
    tarn_shallow_destroy(water);
}

// Any bytes under good hashes: loaded or refused; what is loaded runs.
static void test_wrong_snapshots(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    def.nx = 20, def.nz = 18;
    def.level = 0.5f, def.has_level = true;
    TarnShallow* water = make_water(&def);
    TarnShallowSpanDef span = span_of(TARN_SIDE_X0, TARN_SHALLOW_DISCHARGE, 1.0f);
    TarnShallowGateDef gate = tarn_shallow_default_gate();
    gate.a = (TarnVec2){ 4, 0 }, gate.b = (TarnVec2){ 5, 9 }, gate.top = 3.0f;
    assert_ok(tarn_shallow_add_span(water, &span, NULL));
    assert_ok(tarn_shallow_add_gate(water, &gate, NULL));
    advance_frames(water, 5);
    size_t size;
    uint8_t *good = save_water(water, &size), *bad = malloc(size);
    const uint32_t words[6] = { 0x7fc00000u, 0x7f800000u, 0xff7fffffu,
                                0x7fffffffu, 0x80000000u, 0xffffffffu };
    int n_refused = 0;
    for (size_t at = TARN_SNAPSHOT_HEADER; at + 4 <= size; at += 4) {
        for (int w = 0; w < 6; ++w) {
            memcpy(bad, good, size);
            memcpy(bad + at, &words[w], 4);
            seal(bad, size);
            TarnResult result = tarn_shallow_load(water, bad, size);
            assert_true(result == TARN_OK || result == TARN_ERR_DATA);
            n_refused += result != TARN_OK;
            if (result != TARN_OK) continue;
            TarnStepReport report;
            assert_ok(tarn_shallow_step(water, 0.05f, &report));
            assert_water_sane(water);
        }
    }
    assert_true(n_refused > 1000);
    free(good);
    free(bad);
    tarn_shallow_destroy(water);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_storms), TEST_ALONE(test_cliff),
                                        TEST_ALONE(test_flood), TEST_ALONE(test_damaged_snapshots),
                                        TEST_ALONE(test_wrong_snapshots) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
