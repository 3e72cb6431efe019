// What happens to particles around the physics: walls, solids, regions, warmth, events, the Flow plug.

#include "liquid_common.h"

// ---- Walls ---------------------------------------------------------------------------------------

// Throws particles about for a while.
static void storm(TarnLiquid* l, int n_steps)
{
    for (int s = 0; s < n_steps; ++s) {
        TarnVec3 push = { uniform(-30, 30), uniform(-30, 30), uniform(-30, 30) };
        assert_ok(tarn_liquid_push_group(l, -1, push));
        step_liquid(l, uniform(1e-3f, 0.05f));
    }
}

static void test_walls(void** state)
{
    (void)state;
    for (int n = 0; n < 6; ++n) {
        TarnLiquidDef def = tank_def(2 + n % 2);
        def.walls = n / 2;
        TarnLiquid* l = make_falling(&def);
        int filled = fill_box(l, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 1, 0.4f, 1 });
        storm(l, 20);
        assert_sane_liquid(l);
        TarnLiquidLedger ledger = tarn_liquid_ledger(l);
        if (def.walls == TARN_LIQUID_BOX) assert_int_equal(l->n, filled);
        if (def.walls != TARN_LIQUID_BOX) assert_true(ledger.left > 0);
        assert_true(ledger.drained == 0 && ledger.removed == 0);
        tarn_liquid_destroy(l);
    }
}

static void stand_by(TarnLiquid* l, float dt)
{
    (void)l;
    (void)dt;
}

// Without contacts only the motion itself knows the floor: what is alone bounces, what is not does not.
static void test_lone_drops_bounce(void** state)
{
    (void)state;
    for (int is_crowd = 0; is_crowd < 2; ++is_crowd) {
        TarnLiquidDef def = tank_def(2);
        TarnLiquid* l = make_falling(&def);
        LiquidMethod drifting = falling;
        drifting.solve = stand_by;
        l->method = &drifting;
        fill_box(l, (TarnVec3){ 0.5f, 0, 0 }, (TarnVec3){ is_crowd ? 0.9f : 0.56f, 0.05f, 0 });
        if (is_crowd) fill_box(l, (TarnVec3){ 0.5f, 0.05f, 0 }, (TarnVec3){ 0.9f, 0.2f, 0 });
        assert_ok(tarn_liquid_push_group(l, -1, (TarnVec3){ 1, -8, 0 }));
        step_liquid(l, 0.01f);
        int low = 0;
        for (int p = 0; p < l->n; ++p) low = l->y[p] < l->y[low] ? p : low;
        assert_float_equal(l->y[low], 0.25f * def.spacing, 1e-6f);
        float up = is_crowd && l->neighbors.count[low] > 3 ? 0.0f : 8.0f * liquid_wall_restitution;
        assert_float_equal(l->vy[low], up, 1e-5f);
        assert_true(l->vx[low] < 1.0f); // friction
        tarn_liquid_destroy(l);
    }
}

// ---- Solids --------------------------------------------------------------------------------------

// A thin plate as fast as a car drives particles before it; none stays behind.
static void test_fast_plate(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        TarnLiquidDef def = tank_def(dims);
        def.walls = TARN_LIQUID_BOX;
        def.box_max = (TarnVec3){ 40, 1, 1 };
        TarnLiquid* l = make_falling(&def);
        TarnSolids* solids = make_solids(ctx);
        TarnSolidId plate =
            add_box(solids, (TarnVec3){ 0.1f, 0.5f, 0.5f }, (TarnVec3){ 0.005f, 2, 2 }, 0, 0);
        assert_ok(tarn_solids_set_velocity(solids, plate, (TarnVec3){ 22.4f, 0, 0 },
                                           (TarnVec3){ 0, 0, 0 }));
        assert_ok(tarn_liquid_set_solids(l, solids));
        int n = fill_box(l, (TarnVec3){ 0.3f, 0, 0 }, (TarnVec3){ 1, 0.5f, 0.5f });
        float x = 0.1f;
        for (int s = 0; s < 90; ++s) {
            assert_ok(tarn_solids_advance(solids, frame));
            x += 22.4f * frame;
            run_liquid(l, 1);
            for (int p = 0; p < l->n; ++p) assert_true(l->x[p] > x);
        }
        assert_int_equal(l->n, n);
        tarn_liquid_destroy(l);
        tarn_solids_destroy(solids);
    }
}

// What the solid feels is what the particles lose.
static void test_reaction(void** state)
{
    (void)state;
    TarnLiquidDef def = tank_def(3);
    def.walls = TARN_LIQUID_OPEN;
    TarnLiquid* l = make_falling(&def);
    TarnSolids* solids = make_solids(ctx);
    TarnSolidId floor_id = add_box(solids, (TarnVec3){ 0.5f, 0.1f, 0.5f },
                                   (TarnVec3){ 2.0f, 0.1f, 2.0f }, TARN_TOUCH_BOUNCE, 0);
    assert_ok(tarn_liquid_set_solids(l, solids));
    int n = fill_box(l, (TarnVec3){ 0.3f, 0.2f, 0.3f }, (TarnVec3){ 0.7f, 0.9f, 0.7f });
    assert_ok(tarn_liquid_push_group(l, -1, (TarnVec3){ 0, -20, 0 })); // more than contacts see
    double mass = (double)tarn_liquid_particle_mass(l, 0) * n, impulse = 0.0;
    for (int s = 0; s < 20; ++s) {
        TarnSolidPush push;
        double before = tarn_liquid_stats(l).momentum[1];
        assert_ok(tarn_solids_advance(solids, frame));
        run_liquid(l, 1);
        assert_ok(tarn_solids_get_push(solids, floor_id, &push));
        double gained = tarn_liquid_stats(l).momentum[1] - before + mass * 9.81 * (double)frame;
        assert_float_equal((double)push.impulse.y, -gained, 1e-3 * mass);
        impulse -= (double)push.impulse.y;
        if (s > 10) assert_true(push.touching > 0 && push.touching <= n);
    }
    assert_true(impulse > 20.0 * mass); // the fall was stopped
    assert_int_equal(l->n, n);
    tarn_liquid_destroy(l);
    tarn_solids_destroy(solids);
}

// ---- Regions -------------------------------------------------------------------------------------

static TarnRegionId add_region(TarnLiquid* l, int action, TarnVec3 min, TarnVec3 max)
{
    TarnRegionDef def = tarn_region_default_def();
    TarnRegionId id;
    def.action = action;
    def.shape = tarn_shape_box_between(min, max, &def.pose.position);
    def.user = 77;
    def.push = (TarnVec3){ 30.0f, 0.0f, 0.0f };
    def.rate = 50.0f;
    def.temperature = -100.0f;
    assert_ok(tarn_liquid_add_region(l, &def, &id));
    return id;
}

static int count_events(const TarnLiquid* l, int kind)
{
    int n, of_kind = 0;
    const TarnLiquidEvent* events = tarn_liquid_events(l, &n);
    for (int e = 0; e < n; ++e) of_kind += events[e].kind == kind;
    return of_kind;
}

static void test_sense(void** state)
{
    (void)state;
    TarnLiquidDef def = tank_def(2);
    TarnLiquid* l = make_falling(&def);
    TarnRegionId low =
        add_region(l, TARN_REGION_SENSE, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 1, 0.3f, 1 });
    assert_ok(tarn_liquid_want_events(l, 1u << TARN_LIQUID_ENTER | 1u << TARN_LIQUID_LEAVE));
    int filled = fill_box(l, (TarnVec3){ 0, 0.5f, 0 }, (TarnVec3){ 1, 0.6f, 0 });
    int entered = 0;
    for (int s = 0; s < 40; ++s) {
        run_liquid(l, 1);
        int n, inside = 0;
        const TarnLiquidEvent* events = tarn_liquid_events(l, &n);
        for (int e = 0; e < n; ++e) {
            assert_true(events[e].kind == TARN_LIQUID_ENTER && events[e].user == 77);
            assert_true(events[e].region.value == low.value && events[e].position.y <= 0.3f);
        }
        entered += n;
        for (int p = 0; p < l->n; ++p) inside += l->y[p] <= 0.3f;
        assert_int_equal(tarn_liquid_region_count(l, low), inside);
    }
    assert_int_equal(entered, filled);
    assert_ok(tarn_liquid_push_group(l, -1, (TarnVec3){ 0, 3, 0 }));
    int left = 0;
    for (int s = 0; s < 12; ++s) {
        run_liquid(l, 1);
        left += count_events(l, TARN_LIQUID_LEAVE);
    }
    assert_int_equal(left, filled);
    assert_int_equal(tarn_liquid_region_count(l, low), 0);
    assert_ok(tarn_liquid_remove_region(l, low));
    assert_int_equal(tarn_liquid_region_count(l, low), -1);
    tarn_liquid_destroy(l);
}

static void test_delete_push_drag(void** state)
{
    (void)state;
    TarnLiquidDef def = tank_def(3);
    def.walls = TARN_LIQUID_BOX;
    TarnLiquid* l = make_falling(&def);
    TarnVec3 all_min = { -1, -1, -1 }, all_max = { 2, 2, 2 };
    int filled = fill_box(l, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.5f, 0.5f, 0.5f });
    TarnRegionId push = add_region(l, TARN_REGION_PUSH, all_min, all_max);
    run_liquid(l, 1); // who is in it is known after this step
    float before = l->vx[0];
    run_liquid(l, 1);
    assert_float_equal(l->vx[0] - before, 30.0f * frame, 1e-4f);
    assert_ok(tarn_liquid_remove_region(l, push));
    TarnRegionId drag = add_region(l, TARN_REGION_DRAG, all_min, all_max);
    run_liquid(l, 1);
    before = 30.0f - l->vx[0];
    run_liquid(l, 1);
    assert_float_equal((30.0f - l->vx[0]) / before, 1.0f / (1.0f + 50.0f * frame), 1e-3f);
    assert_ok(tarn_liquid_remove_region(l, drag));
    TarnRegionDef sink = tarn_region_default_def();
    sink.action = TARN_REGION_DELETE;
    sink.shape = tarn_shape_sphere(10.0f);
    sink.start = 10.0f; // not yet
    TarnRegionId id;
    assert_ok(tarn_liquid_add_region(l, &sink, &id));
    assert_ok(tarn_liquid_want_events(l, 1u << TARN_LIQUID_DRAINED));
    run_liquid(l, 5);
    assert_int_equal(l->n, filled);
    sink.start = 0.0f, sink.kind = 1; // not of this kind
    assert_ok(tarn_liquid_set_region(l, id, &sink));
    run_liquid(l, 1);
    assert_int_equal(l->n, filled);
    sink.kind = 0;
    assert_ok(tarn_liquid_set_region(l, id, &sink));
    run_liquid(l, 1);
    assert_int_equal(l->n, 0);
    assert_int_equal(count_events(l, TARN_LIQUID_DRAINED), filled);
    assert_true(tarn_liquid_ledger(l).drained == (uint64_t)filled);
    assert_int_equal(tarn_liquid_region_count(l, id), 0);
    assert_sane_liquid(l);
    tarn_liquid_destroy(l);
}

static double warmth(const TarnLiquid* l)
{
    double sum = 0.0;
    for (int p = 0; p < l->n; ++p) sum += (double)l->temperature[p];
    return sum;
}

static void test_warmth(void** state)
{
    (void)state;
    TarnLiquidDef def = tank_def(2);
    TarnLiquid* l = make_falling(&def);
    TarnLiquidKindDef kind = tarn_liquid_kind_default_def();
    kind.freezing_point = -50.0f, kind.boiling_point = 90.0f, kind.conduction = 20.0f;
    assert_ok(tarn_liquid_set_kind(l, 0, &kind));
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape = tarn_shape_box_between((TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.5f, 0.5f, 0 },
                                        &fill.pose.position),
    fill.temperature = 80.0f;
    assert_ok(tarn_liquid_fill(l, &fill, NULL));
    fill.pose.position.x = 0.75f, fill.temperature = 0.0f;
    assert_ok(tarn_liquid_fill(l, &fill, NULL));
    TarnLiquidParams params = tarn_liquid_params(l);
    params.gravity = (TarnVec3){ 0, 0, 0 };
    assert_ok(tarn_liquid_set_params(l, &params));
    double before = warmth(l);
    run_liquid(l, 60);
    assert_true(fabs(warmth(l) / before - 1.0) < 1e-4); // shared, not lost
    for (int p = 0; p < l->n; ++p) {
        float from = fabsf(l->x[p] - 0.5f);
        assert_true(l->temperature[p] >= 0.0f && l->temperature[p] <= 80.001f);
        if (from < 0.1f) assert_true(l->temperature[p] > 10.0f && l->temperature[p] < 70.0f);
    }
    // Colder than its freezing point it stands still, also when pushed.
    TarnRegionId cold =
        add_region(l, TARN_REGION_HEAT, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 1, 1, 1 });
    run_liquid(l, 60);
    assert_ok(tarn_liquid_push_group(l, -1, (TarnVec3){ 1, 1, 0 }));
    float x = l->x[0], y = l->y[0];
    run_liquid(l, 3);
    assert_true(l->flags[0] & TARN_LIQUID_FROZEN && l->x[0] == x && l->y[0] == y);
    assert_true(l->vx[0] == 0.0f && l->temperature[0] < -50.0f);
    assert_ok(tarn_liquid_remove_region(l, cold));
    // Hotter than its boiling point it is gone.
    TarnRegionDef hot = tarn_region_default_def();
    hot.action = TARN_REGION_HEAT, hot.rate = 100.0f, hot.temperature = 500.0f;
    hot.shape =
        tarn_shape_box_between((TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.3f, 1, 1 }, &hot.pose.position);
    assert_ok(tarn_liquid_add_region(l, &hot, NULL));
    assert_ok(tarn_liquid_want_events(l, 1u << TARN_LIQUID_BOILED));
    int n = l->n, boiled = 0;
    for (int s = 0; s < 30; ++s) {
        run_liquid(l, 1);
        boiled += count_events(l, TARN_LIQUID_BOILED);
    }
    assert_true(boiled > 0 && l->n == n - boiled);
    assert_true(tarn_liquid_ledger(l).boiled == (uint64_t)boiled);
    assert_sane_liquid(l);
    tarn_liquid_destroy(l);
}

static void test_freeze(void** state)
{
    (void)state;
    TarnLiquidDef def = tank_def(3);
    TarnLiquid* l = make_falling(&def);
    fill_box(l, (TarnVec3){ 0, 0.4f, 0 }, (TarnVec3){ 0.5f, 0.6f, 0.5f });
    TarnRegionId ice =
        add_region(l, TARN_REGION_FREEZE, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 1, 1, 1 });
    run_liquid(l, 2);
    float y = l->y[5];
    run_liquid(l, 10);
    assert_true(l->y[5] == y && l->vy[5] == 0.0f && l->flags[5] & TARN_LIQUID_FROZEN);
    assert_ok(tarn_liquid_remove_region(l, ice));
    run_liquid(l, 10); // its kind does not freeze by itself
    assert_true(l->y[5] < y && !(l->flags[5] & TARN_LIQUID_FROZEN));
    tarn_liquid_destroy(l);
}

// ---- Events --------------------------------------------------------------------------------------

static void test_hits(void** state)
{
    (void)state;
    TarnLiquidDef def = tank_def(2);
    TarnLiquid* l = make_falling(&def);
    TarnSolids* solids = make_solids(ctx);
    TarnSolidId shelf = add_box(solids, (TarnVec3){ 0.25f, 0.3f, 0 }, (TarnVec3){ 0.2f, 0.02f, 1 },
                                TARN_TOUCH_BOUNCE, 5);
    assert_ok(tarn_liquid_set_solids(l, solids));
    assert_ok(tarn_liquid_want_events(l, 1u << TARN_LIQUID_HIT));
    TarnVec3 at[2] = { { 0.25f, 0.6f, 0 }, { 0.75f, 0.6f, 0 } };
    uint32_t first;
    assert_ok(tarn_liquid_add(l, 2, at, NULL, 0, 0, &first));
    int on_shelf = 0, on_floor = 0;
    for (int s = 0; s < 120; ++s) {
        assert_ok(tarn_solids_advance(solids, frame));
        run_liquid(l, 1);
        int n;
        const TarnLiquidEvent* events = tarn_liquid_events(l, &n);
        for (int e = 0; e < n; ++e) {
            bool is_shelf = events[e].solid.value == shelf.value;
            assert_int_equal(events[e].id, is_shelf ? first : first + 1);
            assert_int_equal(events[e].user, is_shelf ? 5 : 0);
            assert_true(is_shelf || events[e].solid.value == 0);
            on_shelf += is_shelf, on_floor += !is_shelf;
        }
    }
    assert_true(on_shelf == 1 && on_floor == 1); // once, not in every frame
    for (int p = 0; p < l->n; ++p) assert_true(l->flags[p] & TARN_LIQUID_TOUCHING);
    tarn_liquid_destroy(l);
    tarn_solids_destroy(solids);
}

static void test_drain_and_full_buffer(void** state)
{
    (void)state;
    TarnLiquidDef def = tank_def(2);
    def.max_events = 7;
    TarnLiquid* l = make_falling(&def);
    TarnSolids* solids = make_solids(ctx);
    TarnSolidId drain =
        add_box(solids, (TarnVec3){ 0.5f, 0, 0 }, (TarnVec3){ 1, 0.05f, 1 }, TARN_TOUCH_KILL, 9);
    assert_ok(tarn_liquid_set_solids(l, solids));
    assert_ok(tarn_liquid_want_events(l, 1u << TARN_LIQUID_DRAINED));
    int filled = fill_box(l, (TarnVec3){ 0, 0.5f, 0 }, (TarnVec3){ 1, 0.6f, 0 });
    int most = 0;
    for (int s = 0; s < 60; ++s) {
        int n;
        assert_ok(tarn_solids_advance(solids, frame));
        run_liquid(l, 1);
        const TarnLiquidEvent* events = tarn_liquid_events(l, &n);
        for (int e = 0; e < n; ++e)
            assert_true(events[e].solid.value == drain.value && events[e].user == 9);
        most = n > most ? n : most;
    }
    assert_true(l->n == 0 && most == 7);
    assert_true(tarn_liquid_ledger(l).drained == (uint64_t)filled);
    assert_sane_liquid(l);
    tarn_liquid_destroy(l);
    tarn_solids_destroy(solids);
}

// ---- Crowds --------------------------------------------------------------------------------------

static void test_one_point(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        TarnLiquidDef def = tank_def(dims);
        def.walls = TARN_LIQUID_BOX;
        TarnLiquid* l = make_falling(&def);
        static TarnVec3 at[3000], v[3000];
        for (int i = 0; i < 3000; ++i) {
            at[i] = (TarnVec3){ 0.5f, 0.5f, 0.5f };
            v[i] = (TarnVec3){ 1e30f, i % 2 ? 3e38f : -1.0f, 0.0f };
        }
        assert_ok(tarn_liquid_add(l, 3000, at, v, 0, 0, NULL));
        const float dts[] = { 1e-6f, 1.0f, 1e-3f, 0.1f };
        for (int s = 0; s < 12; ++s) step_liquid(l, dts[s % 4]);
        assert_sane_liquid(l);
        assert_int_equal(l->n, 3000);
        int same = 0;
        for (int p = 1; p < l->n; ++p)
            same += l->x[p] == l->x[p - 1] && l->y[p] == l->y[p - 1] && l->z[p] == l->z[p - 1];
        assert_true(same < 300); // they came apart
        tarn_liquid_destroy(l);
    }
}

// ---- Flow ----------------------------------------------------------------------------------------

static void test_flow(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        TarnLiquidDef def = tank_def(dims);
        TarnLiquid* l = make_falling(&def);
        TarnLiquidParams params = tarn_liquid_params(l);
        params.gravity = (TarnVec3){ 0, 0, 0 };
        assert_ok(tarn_liquid_set_params(l, &params));
        TarnLiquidFill fill = tarn_liquid_fill_default();
        fill.shape = tarn_shape_box_between((TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.6f, 0.6f, 0.6f },
                                            &fill.pose.position);
        fill.velocity = (TarnVec3){ 0.0f, 1.0f, 0.0f }, fill.temperature = 3.0f;
        assert_ok(tarn_liquid_fill(l, &fill, NULL));
        const float x[] = { 0.3f, 0.9f, NAN, 0.3f, 1e30f };
        const float y[] = { 0.3f, 0.9f, 0.3f, 0.59f, 0.0f };
        const float z[] = { 0.3f, 0.9f, 0.3f, 0.3f, 0.0f };
        TarnVec3 velocity[5];
        float presence[5], density[5], temperature[5];
        TarnFlowSamples out = { velocity, presence, density, temperature };
        for (int is_sorted = 0; is_sorted < 2; ++is_sorted) {
            assert_ok(tarn_flow_query(tarn_liquid_flow(l), 5, x, y, z, &out));
            assert_float_equal(velocity[0].y, 1.0f, 1e-4f);
            assert_float_equal(temperature[0], 3.0f, 1e-3f);
            assert_float_equal(density[0], 1000.0f, 0.5f);
            assert_true(presence[0] == 1.0f && presence[3] > 0.3f && presence[3] <= 1.0f);
            for (int i = 1; i < 5; i += i == 2 ? 2 : 1)
                assert_true(presence[i] == 0.0f && velocity[i].y == 0.0f && density[i] == 0.0f);
            step_liquid(l, 1e-3f); // sorts; nothing moves far
        }
        tarn_liquid_destroy(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_walls),      TEST(test_lone_drops_bounce),
        TEST(test_fast_plate), TEST(test_reaction),
        TEST(test_sense),      TEST(test_delete_push_drag),
        TEST(test_warmth),     TEST(test_freeze),
        TEST(test_hits),       TEST(test_drain_and_full_buffer),
        TEST(test_one_point),  TEST(test_flow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
