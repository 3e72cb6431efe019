// The ledger of a world: liquid that falls into waters, spouts that draw it out again, and what is on its way.

#include "hall_common.h"

static const char* const waters[] = { "wave", "shallow", "pipes" };
enum { WATERS = 3 };

static TarnLedgerEntry entry_of(const TarnWorld* world, const char* name)
{
    TarnLedger all;
    TarnLedgerEntry entries[8];
    assert_ok(tarn_world_ledger(world, &all, entries, 8));
    for (int n = 0; n < all.n; ++n)
        if (strcmp(entries[n].name, name) == 0) return entries[n];
    fail_msg("%s holds nothing", name);
    return (TarnLedgerEntry){ 0 };
}

// A block of liquid over a water that is 4 m wide, falling and moving along x.
static TarnWorld* falling(const char* water, float vx)
{
    TarnWorld* world = new_world(4);
    add_small(world, water, 0.0f);
    AnyDef def = small_def(tarn_liquid_class(), 0.0f);
    TarnLiquidDef* liquid_def = (TarnLiquidDef*)def.bytes;
    TarnLiquid* liquid;
    liquid_def->walls = TARN_LIQUID_OPEN;
    liquid_def->box_min = (TarnVec3){ -4.0f, -4.0f, -4.0f };
    liquid_def->box_max = (TarnVec3){ 4.0f, 8.0f, 4.0f };
    assert_ok(tarn_world_add_liquid(world, liquid_def, &liquid));
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape = tarn_shape_box_between((TarnVec3){ -0.5f, 1.5f, -0.5f },
                                        (TarnVec3){ 0.5f, 2.5f, 0.5f }, &fill.pose.position);
    fill.velocity = (TarnVec3){ vx, -1.0f, 0.0f };
    assert_ok(tarn_liquid_fill(liquid, &fill, NULL));
    return world;
}

static double volume_to_the_top(TarnWorld* world)
{
    TarnView2 h = tarn_wave_height(tarn_world_wave(world, 0));
    double highest = 0.0;
    for (int k = 0; k < h.nz; ++k)
        for (int i = 0; i < h.nx; ++i)
            highest = fmax(highest, fabs((double)h.data[i + h.stride * k]));
    return highest * 4.0 * 4.0;
}

static void test_falling_drops(void** state)
{
    (void)state;
    for (int w = 0; w < WATERS; ++w) {
        TarnWorld* world = falling(waters[w], 0.0f);
        double start = entry_of(world, "liquid").held, before = entry_of(world, waters[w]).held;
        TarnLedger all;
        double most =
            1.0; // waves are exact to the rounding of their heights: of the volume up to the highest
        assert_true(start > 0.5);
        for (int s = 0; s < 120; ++s) {
            run(world, 1);
            assert_ok(tarn_world_ledger(world, &all, NULL, 0));
            if (strcmp(waters[w], "wave") == 0) most = fmax(most, volume_to_the_top(world));
            if (!(fabs(all.error) <= 1e-6 * most))
                fail_msg("%s: %g of %g m^3 missing", waters[w], all.error, most);
            if (!(fabs(all.transit) <= 0.1)) fail_msg("%s: transit %g", waters[w], all.transit);
        }
        TarnLedgerEntry liquid = entry_of(world, "liquid"), water = entry_of(world, waters[w]);
        if (!(liquid.held < 0.05 * start)) fail_msg("%s: %g m^3 left", waters[w], liquid.held);
        if (!(liquid.given > 0.9 * start))
            fail_msg("%s: %g of %g m^3 handed over", waters[w], liquid.given, start);
        assert_float_equal(water.got + all.transit, liquid.given, 1e-6);
        assert_float_equal(water.held - before, water.got, 1e-5);
        assert_true(liquid.error == 0.0);
        if (water.is_exact) assert_true(water.error == 0.0);
        assert_null(nonfinite_part(world));
        tarn_world_destroy(world);
    }
}

// Drops that come along x push the water that way.
static void test_momentum(void** state)
{
    (void)state;
    double flow[2];
    for (int way = 0; way < 2; ++way) {
        TarnWorld* world = falling("shallow", way ? -3.0f : 3.0f);
        run(world, 24); // before the bore comes back from the wall
        TarnView2 u = tarn_shallow_velocity_x(tarn_world_shallow(world, 0));
        flow[way] = 0.0;
        for (int k = 0; k < u.nz; ++k)
            for (int i = 0; i < u.nx; ++i) flow[way] += (double)u.data[i + u.stride * k];
        tarn_world_destroy(world);
    }
    if (!(flow[0] > 0.5 && flow[1] < -0.5)) fail_msg("flows %g and %g", flow[0], flow[1]);
}

// A spout gives what it takes, and rests when the water is dry.
static void test_spout(void** state)
{
    (void)state;
    TarnWorld* world = new_world(4);
    TarnShallowDef def = tarn_shallow_default_def();
    TarnShallow* pond;
    def.nx = def.nz = 16, def.dx = 0.25f, def.origin = (TarnVec2){ -2, -2 };
    def.has_level = true, def.level = 0.02f;
    assert_ok(tarn_world_add_shallow(world, &def, &pond));
    TarnLiquid* liquid = add_small(world, "liquid", 40.0f);
    TarnLiquidSourceDef source = tarn_liquid_source_default_def();
    TarnLiquidSourceId id;
    source.position = (TarnVec3){ 40.0f, 2.0f, 0.0f }, source.direction = (TarnVec3){ 0, -1, 0 };
    source.radius = 0.4f, source.speed = 2.0f;
    assert_ok(tarn_liquid_add_source(liquid, &source, &id));
    TarnSpoutDef spout = { .liquid = liquid, .source = id.value, .water = pond, .radius = 4.0f };
    assert_ok(tarn_world_add_spout(world, &spout));
    double start = entry_of(world, "shallow").held;
    TarnLedger all;
    for (int s = 0; s < 240; ++s) {
        run(world, 1);
        assert_ok(tarn_world_ledger(world, &all, NULL, 0));
        if (!(fabs(all.error) <= 1e-6)) fail_msg("%g m^3 missing in step %d", all.error, s);
    }
    TarnLedgerEntry water = entry_of(world, "shallow"), drops = entry_of(world, "liquid");
    assert_true(water.given > 0.5 * start && water.held < 0.5 * start);
    assert_true(water.error == 0.0 && drops.error == 0.0);
    assert_true(fabs(drops.got - water.given) <= fabs(all.transit) + 1e-9);
    uint64_t added = tarn_liquid_ledger(liquid).added;
    run(world, 60);
    assert_true(tarn_liquid_ledger(liquid).added <= added + 40); // it is dry: the source rests
    spout.radius = -1.0f;
    assert_result(tarn_world_add_spout(world, &spout), TARN_ERR_ARG, "radius");
    spout.radius = 1.0f, spout.source = 12345;
    assert_result(tarn_world_add_spout(world, &spout), TARN_ERR_ARG, "stale");
    spout.water = liquid;
    assert_result(tarn_world_add_spout(world, &spout), TARN_ERR_UNSUPPORTED, "spout");
    assert_int_equal(tarn_world_ledger(NULL, &all, NULL, 0), TARN_ERR_ARG);
    tarn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_falling_drops), TEST(test_momentum),
                                        TEST(test_spout) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
