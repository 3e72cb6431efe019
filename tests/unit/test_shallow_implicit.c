// The implicit gravity step: what is reported, memory, workers and instruction sets, snapshots, sleep, windows, gates, bodies.
// Its physics: physics/check_shallow_implicit.c.

#include "shallow_common.h"
#include "tarn/body.h"
#include "tarn/coupling.h"

static TarnShallowDef implicit_def(void)
{
    TarnShallowDef def = water_def();
    def.gravity_step = TARN_GRAVITY_IMPLICIT;
    def.bed_fn = water_hills;
    def.level = 0.5f;
    def.has_level = true;
    return def;
}

static void splash(TarnShallow* water)
{
    assert_ok(tarn_shallow_add_water(water, water_middle, 2.0f, 10.0f, NULL));
}

// ---- Reports -----------------------------------------------------------------------------------------------

static void test_report(void** state)
{
    (void)state;
    TarnShallowDef def = implicit_def();
    TarnShallow* water = make_water(&def);
    splash(water);
    TarnStepReport report = advance(water, 0.1f); // nothing flows yet: any step is stable
    assert_true(report.substeps == 1 && report.flags == 0 && report.time_advanced == 0.1f);
    assert_closed(water, 1e4);
    tarn_shallow_destroy(water);

    def.max_cycles = 1, def.tolerance = 1e-6f;
    water = make_water(&def);
    splash(water);
    double before = tarn_shallow_ledger(water).volume;
    report = advance(water, 0.1f);
    assert_true(report.flags == TARN_STEP_NOT_CONVERGED);
    for (int n = 0; n < 50; ++n) advance(water, 0.1f);
    assert_true(tarn_shallow_ledger(water).volume == before); // whatever the solve left over
    assert_water_sane(water);
    tarn_shallow_destroy(water);
}

static void test_memory(void** state)
{
    (void)state;
    TarnShallowDef def = implicit_def(), plain = def;
    plain.gravity_step = TARN_GRAVITY_EXPLICIT;
    size_t size = tarn_shallow_memory(&def), alive = memory.bytes;
    assert_true(size > tarn_shallow_memory(&plain) + 100 * 40 * 50);
    TarnShallow* water = make_water(&def);
    assert_true(memory.bytes - alive == size);
    splash(water);
    int calls = memory.calls;
    for (int n = 0; n < 20; ++n) advance(water, 0.1f);
    assert_int_equal(memory.calls, calls);
    tarn_shallow_destroy(water);
}

// Calm water, and any other, is the same for steps of any length: none blows up.
static void test_any_dt(void** state)
{
    (void)state;
    static const float steps[] = { 1e-6f, 1e-3f, 0.1f, 1.0f, 10.0f };
    for (int n = 0; n < 5; ++n) {
        for (int a = 0; a < 4; ++a) {
            TarnShallowDef def = implicit_def();
            def.advection = a;
            TarnShallow* water = make_water(&def);
            splash(water);
            double before = tarn_shallow_ledger(water).volume;
            for (int s = 0; s < (is_short_run() ? 4 : 30); ++s) advance(water, steps[n]);
            assert_water_sane(water);
            assert_true(tarn_shallow_ledger(water).volume == before);
            tarn_shallow_destroy(water);
        }
    }
}

// ---- The same bits -----------------------------------------------------------------------------------------

static uint64_t hash_in(TarnContext* where, int edge, int advection)
{
    TarnShallowDef def = implicit_def();
    def.nx = 203, def.nz = 149;
    def.advection = advection;
    set_water_edges(&def, edge, edge, edge == TARN_SHALLOW_PERIODIC ? edge : 0,
                    edge == TARN_SHALLOW_PERIODIC ? edge : 0);
    TarnShallow* water = make_water_in(where, &def);
    splash(water);
    for (int n = 0; n < (is_short_run() ? 3 : 12); ++n) advance(water, 0.1f);
    uint64_t hash = tarn_shallow_hash(water);
    tarn_shallow_destroy(water);
    return hash;
}

static void test_workers(void** state)
{
    (void)state;
    for (int edge = 0; edge < 5; ++edge) {
        uint64_t hash = hash_in(ctx, edge, edge % 4);
        for (int workers = 1; workers <= 4; ++workers) {
            TarnContext* where =
                make_context(workers, workers % 2 ? TARN_ISA_BASELINE : TARN_ISA_AUTO);
            assert_true(hash_in(where, edge, edge % 4) == hash);
            tarn_context_destroy(where);
        }
    }
}

static void test_snapshot(void** state)
{
    (void)state;
    TarnShallowDef def = implicit_def();
    TarnShallow *a = make_water(&def), *b = make_water(&def);
    splash(a);
    for (int n = 0; n < 7; ++n) advance(a, 0.1f);
    size_t size;
    uint8_t* snapshot = save_water(a, &size);
    assert_ok(tarn_shallow_load(b, snapshot, size));
    for (int n = 0; n < 30; ++n) {
        advance(a, 0.1f);
        advance(b, 0.1f);
        assert_true(tarn_shallow_hash(a) == tarn_shallow_hash(b));
    }
    def.gravity_step = TARN_GRAVITY_EXPLICIT;
    TarnShallow* other = make_water(&def);
    assert_int_equal(tarn_shallow_load(other, snapshot, size), TARN_ERR_DATA);
    free(snapshot);
    tarn_shallow_destroy(a), tarn_shallow_destroy(b), tarn_shallow_destroy(other);
}

// ---- Sleep, windows, gates -----------------------------------------------------------------------------------

static void test_sleep(void** state)
{
    (void)state;
    TarnShallowDef def = implicit_def();
    TarnShallow* water = make_water(&def);
    TarnStepReport report = { 0 };
    for (int n = 0; n < 80; ++n) report = advance(water, 0.1f);
    assert_int_equal(report.tiles_awake, 0);
    splash(water); // in one tile: all of them wake
    report = advance(water, 0.1f);
    assert_int_equal(report.tiles_awake, report.tiles_total);
    float moved = 0.0f; // far off, in the first step
    for (int k = 0; k < 40; ++k)
        moved = fmaxf(moved, fabsf(view_value(tarn_shallow_velocity_x(water), 70, k)));
    assert_true(moved > 0.0f);
    tarn_shallow_destroy(water);
}

static void test_window(void** state)
{
    (void)state;
    TarnShallowDef def = implicit_def();
    set_water_edges(&def, TARN_SHALLOW_ABSORBING, TARN_SHALLOW_OPEN, TARN_SHALLOW_ABSORBING,
                    TARN_SHALLOW_FALL);
    def.sponge_cells = 8;
    TarnShallow* water = make_water(&def);
    splash(water);
    for (int n = 0; n < 60; ++n) {
        advance(water, 0.1f);
        assert_ok(tarn_shallow_shift(water, n % 3 - 1, n % 2));
        assert_closed(water, 1e5);
    }
    assert_water_sane(water);
    tarn_shallow_destroy(water);
}

// Two lakes with a gate between them: it holds, opens, and they find their level.
static void test_gate(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    def.gravity_step = TARN_GRAVITY_IMPLICIT;
    TarnShallow* water = make_water(&def);
    TarnShallowGateDef gate = tarn_shallow_default_gate();
    gate.a = (TarnVec2){ 24.5f, 0.0f }, gate.b = (TarnVec2){ 26.0f, 20.0f }, gate.top = 5.0f;
    assert_ok(tarn_shallow_add_gate(water, &gate, NULL));
    assert_ok(tarn_shallow_fill(water, (TarnVec2){ 0 }, (TarnVec2){ 24.5f, 20.0f }, 2.0f));
    double before = tarn_shallow_ledger(water).volume;
    for (int n = 0; n < 50; ++n) advance(water, 0.1f);
    assert_true(depth_of(water, 10, 10) == 2.0f && depth_of(water, 90, 10) == 0.0f);
    assert_ok(tarn_shallow_set_gate(water, 0, 1.0f));
    for (int n = 0; n < (is_short_run() ? 60 : 3000); ++n) advance(water, 0.1f);
    float gap = fabsf(depth_of(water, 10, 10) - depth_of(water, 90, 10));
    assert_true(gap < (is_short_run() ? 2.0f : 0.01f)); // at first it has only begun to flow
    assert_true(tarn_shallow_ledger(water).volume == before);
    tarn_shallow_destroy(water);
}

// ---- Bodies --------------------------------------------------------------------------------------------------

// How far a box on deep water still rises and sinks after 40 s, at steps at which waves cross half a cell, or one.
static float heave(int gravity_step)
{
    TarnShallowDef def = water_def();
    def.nx = def.nz = 64;
    def.dx = 1.0f;
    def.level = 30.0f, def.has_level = true, def.max_depth = 40.0f;
    def.gravity_step = gravity_step;
    def.use_bodies = true;
    TarnShallow* water = make_water(&def);
    double before = tarn_shallow_ledger(water).volume;
    TarnBodiesDef bodies_def = tarn_bodies_default_def();
    TarnBodies* bodies;
    assert_ok(tarn_bodies_create(ctx, &bodies_def, &bodies));
    TarnBodyDef body = tarn_body_default_def();
    body.shape = tarn_shape_box(3.0f, 1.0f, 3.0f); // half sizes
    body.density = 500.0f;
    body.state.position = (TarnVec3){ 32.0f, 30.5f, 32.0f };
    TarnBodyId id;
    assert_ok(tarn_bodies_add(bodies, &body, &id));
    float low = 1e9f, high = -1e9f;
    int frames = is_short_run() ? 60 : 1800;
    for (int n = 0; n < frames; ++n) {
        assert_ok(tarn_couple_shallow_bodies(water, bodies, 1.0f / 30.0f));
        advance(water, 1.0f / 30.0f);
        assert_ok(tarn_bodies_step(bodies, 1.0f / 30.0f, NULL));
        TarnBodyState s;
        tarn_bodies_get_state(bodies, id, &s);
        if (n >= frames * 2 / 3) low = fminf(low, s.position.y), high = fmaxf(high, s.position.y);
    }
    if (!is_short_run()) assert_true(fabsf(0.5f * (low + high) - 30.0f) < 0.02f); // Archimedes
    assert_true(tarn_shallow_ledger(water).volume == before);
    assert_water_sane(water);
    tarn_bodies_destroy(bodies);
    tarn_shallow_destroy(water);
    return high - low;
}

static void test_body(void** state)
{
    (void)state;
    float expected = heave(TARN_GRAVITY_EXPLICIT), found = heave(TARN_GRAVITY_IMPLICIT);
    if (is_short_run()) return; // it takes 40 s to see how they fade
    if (!(found < expected)) print_error("%g m, explicit %g m\n", (double)found, (double)expected);
    assert_true(found < expected); // it damps more
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_report), TEST_ALONE(test_memory),   TEST_ALONE(test_any_dt),
        TEST(test_workers),      TEST_ALONE(test_snapshot), TEST_ALONE(test_sleep),
        TEST_ALONE(test_window), TEST_ALONE(test_gate),     TEST_ALONE(test_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
