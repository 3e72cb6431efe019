// A gas that follows a target, by shifts and by translation; the budget of its detail; flows blended.

#include "test_common.h"
#include "base/maths.h"
#include "gas/gas_internal.h"
#include "tests/sanitized.h"
#include "tarn/budget.h"

static TarnGasDef moving_def(int follow)
{
    TarnGasDef def = tarn_gas_default_def();
    def.nx = 24, def.ny = 16, def.nz = 32;
    def.dx = 0.1f;
    def.follow = follow;
    def.use_density = def.use_temperature = true;
    return def;
}

static TarnGas* make_gas(const TarnGasDef* def)
{
    TarnGas* gas;
    TarnResult result = tarn_gas_create(ctx, def, &gas);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(ctx));
    assert_int_equal(result, TARN_OK);
    return gas;
}

// ---- Shifts --------------------------------------------------------------------------------------

// A value for each place of a field in the world, in cells of its lattice.
static float mark(int field, int i, int j, int k)
{
    uint64_t place = (uint64_t)(uint32_t)(i + 1000) << 40 | (uint64_t)(uint32_t)(j + 1000) << 20 |
                     (uint64_t)(uint32_t)(k + 1000);
    return tarn__random01(3, (uint64_t)field, place);
}

static float* field_of(const TarnGas* gas, int f)
{
    if (f < 3) return gas->velocity[f];
    return f == 3 ? gas->scalar[GAS_DENSITY] : gas->scalar[GAS_TEMPERATURE];
}

// Is the field what stands still in the world, seen from the box at `at`, with ambient air in cells that the
// box did not hold when it was at `was`?
static void assert_still(const TarnGas* gas, const int at[3], const int was[3])
{
    const float fresh[5] = { 1.0f, 2.0f, -3.0f, 0.0f, 0.0f };
    for (int f = 0; f < 5; ++f) {
        int n[3] = { 24 + (f == 0), 16 + (f == 1), 32 + (f == 2) };
        for (int k = 0; k < n[2]; ++k) {
            for (int j = 0; j < n[1]; ++j) {
                for (int i = 0; i < n[0]; ++i) {
                    int w[3] = { i + at[0], j + at[1], k + at[2] };
                    bool is_old = true;
                    for (int a = 0; a < 3; ++a) is_old &= w[a] >= was[a] && w[a] < was[a] + n[a];
                    float want = is_old ? mark(f, w[0], w[1], w[2]) : fresh[f];
                    float got = field_of(gas, f)[tarn__grid3_at(&gas->grid, i, j, k)];
                    if (got != want) print_error("field %d at %d %d %d\n", f, i, j, k);
                    assert_true(got == want);
                }
            }
        }
    }
}

static void paint(TarnGas* gas, const int at[3])
{
    for (int f = 0; f < 5; ++f) {
        for (int k = 0; k <= 32; ++k) {
            for (int j = 0; j <= 16; ++j) {
                for (int i = 0; i <= 24; ++i)
                    field_of(gas, f)[tarn__grid3_at(&gas->grid, i, j, k)] =
                        mark(f, i + at[0], j + at[1], k + at[2]);
            }
        }
    }
}

static void test_shift(void** state)
{
    (void)state;
    TarnGasDef def = moving_def(TARN_GAS_SHIFT);
    def.center = (TarnVec3){ 3.0f, -2.0f, 1.0f };
    TarnGas* gas = make_gas(&def);
    TarnGasParams params = tarn_gas_default_params();
    params.wind = (TarnVec3){ 1.0f, 2.0f, -3.0f };
    assert_ok(tarn_gas_set_params(gas, &params));
    const int ways[][3] = { { 1, 0, 0 },     { -1, 0, 0 },   { 0, 1, 0 },    { 0, -2, 0 },
                            { 0, 0, 5 },     { 0, 0, -3 },   { 2, -1, 4 },   { -7, 3, -2 },
                            { 23, 0, 0 },    { 24, 0, 0 },   { 0, -16, 31 }, { 400, 0, 0 },
                            { 0, 0, -9999 }, { -13, 7, 30 }, { 4, 4, -4 } };
    int at[3] = { 0, 0, 0 };
    for (int n = 0; n < 15; ++n) {
        int was[3] = { at[0], at[1], at[2] };
        paint(gas, at);
        for (int a = 0; a < 3; ++a) at[a] += ways[n][a];
        TarnVec3 to = { 3.0f + 0.1f * (float)at[0], -2.0f + 0.1f * (float)at[1],
                        1.0f + 0.1f * (float)at[2] };
        assert_ok(tarn_gas_move(gas, to, (TarnVec3){ 0, 0, 0 }));
        tarn__gas_follow(gas, 0.01f);
        assert_still(gas, at, was);
        assert_true(vec3_length(vec3_sub(tarn_gas_center(gas), to)) < 0.01f);
        assert_true(vec3_length(gas->frame_velocity) == 0.0f); // never both
        // Without a new target it stays.
        tarn__gas_follow(gas, 0.01f);
        assert_still(gas, at, was);
    }
    tarn_gas_destroy(gas);
}

// Small ways leave it where it is, long journeys do not add up errors, trembling does not wipe it.
static void test_lattice(void** state)
{
    (void)state;
    TarnGasDef def = moving_def(TARN_GAS_SHIFT);
    TarnGas* gas = make_gas(&def);
    for (int n = 0; n < (is_short_run() ? 2000 : 20000); ++n) {
        float x = 0.037f * (float)n, s = sinf(0.01f * (float)n);
        TarnVec3 to = { x, 30.0f * s, -0.5f * x };
        assert_ok(tarn_gas_move(gas, to, (TarnVec3){ 0, 0, 0 }));
        tarn__gas_follow(gas, 0.01f);
        TarnVec3 off = vec3_sub(tarn_gas_center(gas), to);
        assert_true(fabsf(off.x) < 0.0752f && fabsf(off.y) < 0.0752f && fabsf(off.z) < 0.0752f);
        double cells = ((double)gas->origin.x + 1.2) / (double)def.dx;
        assert_true(fabs(cells - floor(cells + 0.5)) < 1e-3);
    }
    TarnVec3 center = tarn_gas_center(gas);
    for (int n = 0; n < 100; ++n) {
        TarnVec3 to = { center.x + (n % 2 ? 0.045f : 0.055f), center.y, center.z };
        assert_ok(tarn_gas_move(gas, to, (TarnVec3){ 0, 0, 0 }));
        tarn__gas_follow(gas, 0.01f);
        assert_true(tarn_gas_center(gas).x == center.x);
    }
    tarn_gas_destroy(gas);
}

static void test_bad_moves(void** state)
{
    (void)state;
    TarnGasDef def = moving_def(TARN_GAS_SHIFT);
    def.edge_y0 = TARN_GAS_CLOSED;
    TarnGas* gas = make_gas(&def);
    const float bad[] = { NAN, INFINITY, -INFINITY, 1.1e6f, -1e30f };
    TarnVec3 still = { 0, 0, 0 };
    for (int n = 0; n < 15; ++n) {
        TarnVec3 wrong = still;
        (&wrong.x)[n / 5] = bad[n % 5];
        assert_result(tarn_gas_move(gas, wrong, still), TARN_ERR_ARG, "center");
        assert_result(tarn_gas_move(gas, still, wrong), TARN_ERR_ARG, "velocity");
    }
    assert_false(gas->is_moving);
    // A floor stays where it is.
    assert_ok(tarn_gas_move(gas, (TarnVec3){ 1, 5, -2 }, still));
    tarn__gas_follow(gas, 0.01f);
    assert_true(vec3_length(vec3_sub(tarn_gas_center(gas), (TarnVec3){ 1, 0, -2 })) < 1e-5f);
    assert_int_equal(tarn_gas_move(NULL, still, still), TARN_ERR_ARG);
    tarn_gas_destroy(gas);
}

static void test_translation(void** state)
{
    (void)state;
    TarnGasDef def = moving_def(TARN_GAS_TRANSLATE);
    TarnGas* gas = make_gas(&def);
    int at[3] = { 0, 0, 0 };
    paint(gas, at);
    TarnVec3 to = { 0.4f, -0.25f, 0.333f };
    assert_ok(tarn_gas_move(gas, to, (TarnVec3){ 4, -2.5f, 3.33f }));
    for (int s = 0; s < 4; ++s) {
        gas->way_begin = 0.25f * (float)s;
        gas->way_end = 0.25f * (float)(s + 1);
        tarn__gas_follow(gas, 0.025f);
        assert_true(vec3_length(vec3_sub(gas->frame_velocity, vec3_scale(to, 10.0f))) < 1e-4f);
        tarn__gas_moved(gas, 0.025f);
    }
    assert_still(gas, at, at); // the advection moves the air, not this
    assert_true(vec3_length(vec3_sub(tarn_gas_center(gas), to)) < 1e-6f);
    tarn__gas_follow(gas, 0.025f);
    tarn__gas_moved(gas, 0.025f);
    assert_true(vec3_length(gas->frame_velocity) == 0.0f);
    // Beyond the box there is nothing to carry along.
    assert_ok(tarn_gas_move(gas, (TarnVec3){ 100.0f, 0.0f, 0.0f }, (TarnVec3){ 0, 0, 0 }));
    tarn__gas_follow(gas, 0.025f);
    assert_true(vec3_length(gas->frame_velocity) == 0.0f);
    assert_true(fabsf(tarn_gas_center(gas).x - 100.0f) < 1e-4f);
    assert_true(gas->scalar[GAS_DENSITY][tarn__grid3_at(&gas->grid, 5, 5, 5)] == 0.0f);
    tarn_gas_destroy(gas);
}

// ---- All of it, stepped ---------------------------------------------------------------------------

typedef struct Flight {
    TarnGas* gas;
    TarnSolids* solids;
    TarnSolidId body;
    TarnGasJetId jet;
} Flight;

static Flight make_flight(TarnContext* where, int follow, int obstacles)
{
    Flight f;
    TarnGasDef def = moving_def(follow);
    def.obstacles = obstacles;
    assert_int_equal(tarn_gas_create(where, &def, &f.gas), TARN_OK);
    TarnSolidsDef solids = tarn_solids_default_def();
    assert_int_equal(tarn_solids_create(where, &solids, &f.solids), TARN_OK);
    TarnSolidDef body = tarn_solid_default_def();
    body.shape.kind = TARN_SHAPE_CAPSULE;
    body.shape.size = (TarnVec3){ 0.2f, 0.2f, 0.0f };
    body.motion.angular_velocity = (TarnVec3){ 0.5f, 3.0f, 1.0f };
    assert_int_equal(tarn_solids_add(f.solids, &body, &f.body), TARN_OK);
    TarnSolidDef rail = tarn_solid_default_def(); // stays, and is along the way
    TarnSolidId id;
    rail.shape.kind = TARN_SHAPE_BOX;
    rail.shape.size = (TarnVec3){ 4.0f, 0.13f, 0.17f };
    rail.motion.position = (TarnVec3){ 1.0f, -0.41f, -0.33f };
    assert_int_equal(tarn_solids_add(f.solids, &rail, &id), TARN_OK);
    if (obstacles) assert_int_equal(tarn_gas_set_solids(f.gas, f.solids), TARN_OK);
    TarnGasJetDef jet = tarn_gas_jet_default_def();
    assert_int_equal(tarn_gas_add_jet(f.gas, &jet, &f.jet), TARN_OK);
    TarnGasSourceDef source = tarn_gas_source_default_def();
    assert_int_equal(tarn_gas_add_source(f.gas, &source, NULL), TARN_OK);
    return f;
}

static void fly(Flight* f, TarnVec3 to, TarnVec3 velocity, float dt)
{
    TarnMotion m = { to, { 0, 0, 0, 1 }, velocity, { 0.5f, 3.0f, 1.0f } };
    assert_int_equal(tarn_solids_advance(f->solids, dt), TARN_OK);
    assert_int_equal(tarn_solids_move(f->solids, f->body, &m), TARN_OK);
    assert_int_equal(tarn_gas_move_jet(f->gas, f->jet, &m), TARN_OK);
    assert_int_equal(tarn_gas_move(f->gas, to, velocity), TARN_OK);
    assert_int_equal(tarn_gas_step(f->gas, dt, NULL), TARN_OK);
}

static void land(Flight* f)
{
    tarn_gas_destroy(f->gas);
    tarn_solids_destroy(f->solids);
}

// The same bits for any number of workers and both instruction sets.
static void test_same_bits(void** state)
{
    (void)state;
    const int workers[] = { 1, 2, 3, 8, 1 };
    for (int kind = 0; kind < 6; ++kind) {
        uint64_t first = 0;
        for (int n = 0; n < 5; n += is_short_run() ? 2 : 1) {
            TarnContext* where =
                make_context(workers[n], n == 4 ? TARN_ISA_BASELINE : TARN_ISA_AUTO);
            Flight f = make_flight(where, kind % 2, kind / 2);
            for (int s = 1; s <= (is_short_run() ? 6 : 12); ++s) {
                float t = 0.02f * (float)s;
                fly(&f, (TarnVec3){ 9.0f * t, sinf(3.0f * t), -2.0f * t }, (TarnVec3){ 9, 2, -2 },
                    s % 4 ? 0.02f : 0.09f);
            }
            uint64_t hash = tarn_gas_hash(f.gas);
            if (n == 0) first = hash;
            assert_true(hash == first);
            land(&f);
            tarn_context_destroy(where);
        }
    }
}

static void fly_on(Flight* f, int from, int to)
{
    for (int s = from; s < to; ++s) {
        float t = 0.02f * (float)s;
        fly(f, (TarnVec3){ 9.0f * t, sinf(3.0f * t), -2.0f * t }, (TarnVec3){ 9, 2, -2 }, 0.02f);
    }
}

// In another gas, loaded in flight: the same from there on. Its solids are there before it.
static void test_resume(void** state)
{
    (void)state;
    for (int kind = 0; kind < 6; ++kind) {
        Flight a = make_flight(ctx, kind % 2, kind / 2), b = make_flight(ctx, kind % 2, kind / 2);
        size_t size, solids_size;
        fly_on(&a, 1, 9);
        assert_int_equal(tarn_gas_save(a.gas, NULL, 0, &size), TARN_ERR_CAPACITY);
        assert_int_equal(tarn_solids_save(a.solids, NULL, 0, &solids_size), TARN_ERR_CAPACITY);
        void *saved = malloc(size), *solids = malloc(solids_size);
        assert_ok(tarn_gas_save(a.gas, saved, size, &size));
        assert_ok(tarn_solids_save(a.solids, solids, solids_size, &solids_size));
        fly_on(&b, 20, 22); // somewhere else
        assert_ok(tarn_solids_load(b.solids, solids, solids_size));
        assert_ok(tarn_gas_load(b.gas, saved, size));
        assert_true(tarn_gas_hash(a.gas) == tarn_gas_hash(b.gas));
        fly_on(&a, 9, 14);
        fly_on(&b, 9, 14);
        if (tarn_gas_hash(a.gas) != tarn_gas_hash(b.gas)) print_error("kind %d\n", kind);
        assert_true(tarn_gas_hash(a.gas) == tarn_gas_hash(b.gas));
        free(saved);
        free(solids);
        land(&a);
        land(&b);
    }
}

static bool is_finite_all(const TarnGas* gas)
{
    for (int f = 0; f < 5; ++f) {
        for (int k = 0; k < 32; ++k) {
            for (int j = 0; j < 16; ++j) {
                for (int i = 0; i < 24; ++i)
                    if (!tarn__is_finite(field_of(gas, f)[tarn__grid3_at(&gas->grid, i, j, k)]))
                        return false;
            }
        }
    }
    return true;
}

// Wild paths, jumps, speeds and steps: everything stays finite, and the box is where it was sent.
static void test_storm(void** state)
{
    (void)state;
    for (int kind = 0; kind < 6; ++kind) {
        Flight f = make_flight(ctx, kind % 2, kind / 2);
        TarnGasParams params = tarn_gas_default_params();
        for (int s = 0; s < (is_short_run() ? 20 : 40); ++s) {
            float wide = pick(6) == 0 ? 1e4f : 2.0f, fast = scale(0.1f, 900.0f);
            TarnVec3 to = { uniform(-wide, wide), uniform(-wide, wide), uniform(-wide, wide) };
            TarnVec3 v = { uniform(-fast, fast), uniform(-fast, fast), uniform(-fast, fast) };
            params.wind = (TarnVec3){ uniform(-50, 50), uniform(-50, 50), uniform(-50, 50) };
            params.iterations = 1 + pick(4);
            assert_ok(tarn_gas_set_params(f.gas, &params));
            TarnGasJetDef jet = tarn_gas_jet_default_def();
            jet.radius = scale(1e-3f, 100.0f);
            jet.length = scale(1e-3f, 100.0f);
            jet.speed = scale(0.1f, 1000.0f);
            jet.rate = pick(2) ? scale(0.01f, 1e5f) : 0.0f;
            jet.wobble = uniform(0.0f, 1.5f);
            jet.pulse_period = pick(2) ? scale(1e-3f, 10.0f) : 0.0f;
            assert_ok(tarn_gas_set_jet(f.gas, f.jet, &jet));
            fly(&f, to, v, pick(5) == 0 ? 10.0f : pick(5) == 0 ? 0.0f : scale(1e-6f, 0.1f));
            assert_true(is_finite_all(f.gas));
        }
        land(&f);
    }
}

// ---- The budget ----------------------------------------------------------------------------------

// A host whose step costs this much with everything; the noise is a share.
static float cost_of(const TarnBudget* b, float grid, float particles, float noise, int n)
{
    float share = 1.0f / (float)(1 << (3 * b->level)) / (float)b->update_every;
    float ms = grid * share + particles * b->emission;
    return ms * (1.0f + noise * (2.0f * tarn__random01(5, 0, (uint64_t)n) - 1.0f));
}

static void test_budget_settles(void** state)
{
    (void)state;
    // Loads from far too much to nothing, calm and noisy: few changes, and the cost ends where it should.
    for (int n = 0; n < 40; ++n) {
        float grid = 0.5f * (float)(n % 20), particles = 0.2f * (float)(n % 7);
        float noise = n < 20 ? 0.0f : 0.5f;
        TarnBudget b = tarn_budget_default(4.0f);
        int late = 0;
        for (int s = 0; s < 60 * 60; ++s) {
            bool is_new =
                tarn_budget_update(&b, cost_of(&b, grid, particles, noise, s), 1.0f / 60.0f);
            late += is_new && s > 20 * 60;
        }
        if (late > (noise > 0.0f ? 6 : 0))
            print_error("load %g and %g: %d changes late\n", (double)grid, (double)particles, late);
        assert_true(late <= (noise > 0.0f ? 6 : 0));
        bool is_cheapest = b.setting == 2 + 2 + 1, is_whole = b.setting == 0;
        float steady = cost_of(&b, grid, particles, 0.0f, 0);
        assert_true(is_cheapest || is_whole || steady < 1.2f * 4.0f);
        assert_true(b.emission >= 0.25f && b.emission <= 1.0f && b.update_every <= 3 &&
                    b.level <= 1);
    }
}

static void test_budget_reacts(void** state)
{
    (void)state;
    TarnBudget b = tarn_budget_default(4.0f);
    for (int s = 0; s < 300; ++s) tarn_budget_update(&b, 3.5f, 1.0f / 60.0f);
    assert_int_equal(b.changes, 0);
    int steps = 0, last = b.setting;
    float since = 10.0f;
    while (b.setting == 0) {
        tarn_budget_update(&b, 9.0f, 1.0f / 60.0f);
        assert_true(++steps < 120); // two seconds
    }
    assert_true(b.emission == 0.5f && b.update_every == 1 && b.level == 0); // particles first
    for (int s = 0; s < 60 * 20; ++s) {
        since += 1.0f / 60.0f;
        bool is_new = tarn_budget_update(&b, 9.0f, 1.0f / 60.0f);
        if (is_new) {
            assert_int_equal(b.setting, last + 1); // one at a time
            assert_true(since > 0.99f);            // never sooner
            since = 0.0f;
        }
        last = b.setting;
    }
    assert_int_equal(b.setting, 5);
    assert_true(b.level == 1 && b.update_every == 3 && b.emission == 0.25f);
    for (int s = 0; s < 60 * 40; ++s) tarn_budget_update(&b, 1.0f, 1.0f / 60.0f);
    assert_int_equal(b.setting, 0);
    assert_true(b.level == 0 && b.update_every == 1 && b.emission == 1.0f);
}

static void test_budget_bad_input(void** state)
{
    (void)state;
    TarnBudget b = tarn_budget_default(NAN);
    assert_true(b.target_ms == 1.0f);
    TarnBudget before = b;
    assert_false(tarn_budget_update(NULL, 1.0f, 0.1f));
    const float bad[] = { NAN, INFINITY, -INFINITY, -1.0f };
    for (int n = 0; n < 4; ++n) {
        assert_false(tarn_budget_update(&b, bad[n], 0.1f));
        assert_false(tarn_budget_update(&b, 1.0f, bad[n]));
    }
    assert_true(b.mean_ms == before.mean_ms && b.since == before.since && b.changes == 0);
    b.setting = 1 << 30, b.max_level = -5, b.max_skip = -5, b.min_emission = NAN;
    for (int s = 0; s < 1000; ++s) tarn_budget_update(&b, s % 2 ? 0.0f : 50.0f, 0.1f);
    assert_true(b.setting >= 0 && b.setting < 20 && b.level == 0 && b.update_every == 1);
    assert_true(b.emission > 0.0f && b.emission <= 1.0f);
}

// ---- Flows blended -------------------------------------------------------------------------------

typedef struct Ball {
    float x; // of its center
    TarnVec3 velocity;
} Ball;

static void query_ball(const void* self, int n, const float* x, const float* y, const float* z,
                       const TarnFlowSamples* out)
{
    const Ball* ball = self;
    for (int i = 0; i < n; ++i) {
        float dx = x[i] - ball->x, r = sqrtf(dx * dx + y[i] * y[i] + z[i] * z[i]);
        float p = tarn_clampf(2.0f - r, 0.0f, 1.0f);
        if (out->velocity) out->velocity[i] = p > 0.0f ? ball->velocity : (TarnVec3){ 0, 0, 0 };
        if (out->presence) out->presence[i] = p;
        if (out->density) out->density[i] = 3.0f * p;
        if (out->temperature) out->temperature[i] = 100.0f;
    }
}

static void test_blend(void** state)
{
    (void)state;
    enum { N = 1000 };
    static float x[N], y[N], z[N], p[N], d[N], t[N], p1[N], d1[N];
    static TarnVec3 v[N], v1[N];
    Ball a = { 0.0f, { 1, 2, 3 } }, b = { 2.5f, { -1, 0, 5 } };
    TarnFlowBlend blend = { .flows = { { &a, query_ball } }, .n = 1 };
    TarnFlow flow = tarn_flow_blend(&blend);
    for (int i = 0; i < N; ++i) x[i] = uniform(-3, 5), y[i] = uniform(-2, 2), z[i] = uniform(-2, 2);
    x[7] = NAN;
    TarnFlowSamples one = { v1, p1, d1, NULL }, all = { v, p, d, t };
    // One flow, also twice or thrice: as it is itself.
    query_ball(&a, N, x, y, z, &one);
    for (int n = 1; n <= 3; ++n) {
        blend.n = n;
        blend.flows[n - 1] = blend.flows[0];
        assert_ok(tarn_flow_query(flow, N, x, y, z, &all));
        for (int i = 0; i < N; ++i) {
            if (i == 7) continue;
            assert_true(vec3_length(vec3_sub(v[i], v1[i])) < 1e-5f);
            assert_true(fabsf(p[i] - tarn_minf(1.0f, (float)n * p1[i])) < 1e-5f);
            assert_true(d[i] <= 3.0f + 1e-4f);
        }
    }
    // Two: never faster than the faster one, and between them where they overlap.
    blend.flows[1] = (TarnFlow){ &b, query_ball };
    blend.flows[2] = (TarnFlow){ NULL, NULL };
    assert_ok(tarn_flow_query(flow, N, x, y, z, &all));
    int both = 0;
    for (int i = 0; i < N; ++i) {
        if (i == 7) continue;
        assert_true(p[i] >= 0.0f && p[i] <= 1.0f);
        assert_true(v[i].x >= -1.00001f && v[i].x <= 1.00001f);
        both += v[i].x > -0.9f && v[i].x < 0.9f && p[i] > 0.0f;
        if (p[i] > 0.0f) assert_true(fabsf(t[i] - 100.0f) < 1e-3f);
    }
    assert_true(both > 10);
    blend.n = 0;
    assert_ok(tarn_flow_query(flow, N, x, y, z, &all));
    assert_true(p[3] == 0.0f && v[3].x == 0.0f);
    blend.n = 1000; // no farther than there are places
    memset(blend.flows, 0, sizeof blend.flows);
    assert_ok(tarn_flow_query(flow, N, x, y, z, &all));
    assert_null(tarn_flow_blend(NULL).query);
    TarnFlowSamples none = { 0 };
    assert_ok(tarn_flow_query(flow, N, x, y, z, &none));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_shift),         TEST_ALONE(test_lattice),
        TEST_ALONE(test_bad_moves),     TEST_ALONE(test_translation),
        TEST(test_same_bits),           TEST_ALONE(test_storm),
        TEST_ALONE(test_resume),        TEST_ALONE(test_budget_settles),
        TEST_ALONE(test_budget_reacts), TEST_ALONE(test_budget_bad_input),
        TEST_ALONE(test_blend),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
