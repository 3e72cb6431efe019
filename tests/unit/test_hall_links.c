// What ties the solvers of a world together: channels, spouts, what bodies carry, windows and emitters; and what becomes of
// it when a solver leaves, becomes cosmetic, or is asked for what it cannot do.

#include "hall_common.h"
#include "registry/registry.h"
#include <float.h>
#include <time.h>

static double ledger_error(const TarnWorld* world)
{
    TarnLedger all;
    assert_ok(tarn_world_ledger(world, &all, NULL, 0));
    return all.error;
}

// A world loads what it saved, and is the same afterwards.
static void assert_loads_itself(TarnWorld* world)
{
    size_t size;
    uint8_t* snapshot = save(world, &size);
    uint64_t hash = tarn_world_hash(world);
    assert_ok(tarn_world_load(world, snapshot, size));
    assert_true(tarn_world_hash(world) == hash);
    free(snapshot);
}

static TarnChannelDef channel_between(void* from, float x0, void* to, float x1)
{
    TarnChannelDef def = tarn_channel_default_def();
    def.from = from, def.to = to;
    def.from_place = (TarnVec2){ x0, 0.0f }, def.to_place = (TarnVec2){ x1, 0.0f };
    def.flow = 0.5f;
    return def;
}

// ---- Solvers that leave --------------------------------------------------------------------------

// The ledger still closes, the world loads what it saved, and a solver that gets the number of the one that left
// gets nothing of its water.
static void test_leaving(void** state)
{
    (void)state;
    static const char* const kinds[] = { "wave", "shallow", "pipes" };
    for (int way = 0; way < 2; ++way) {
        for (int k = 0; k < 3; ++k) {
            TarnWorld* world = new_world(4);
            void* ends[2] = { add_small(world, kinds[k], 0.0f), add_small(world, "pipes", 10.0f) };
            TarnChannelDef def = channel_between(ends[0], 0.0f, ends[1], 10.0f);
            assert_ok(tarn_world_add_channel(world, &def));
            run(world, 30);
            assert_true(fabs(ledger_error(world)) <= 1e-6);
            size_t size, later_size;
            uint8_t* before = save(world, &size);
            uint64_t hash = tarn_world_hash(world);
            assert_ok(tarn_world_remove(world, ends[way]));
            if (!(fabs(ledger_error(world)) <= 1e-6))
                fail_msg("%s: %g m^3 missing once an end left", kinds[k], ledger_error(world));
            uint8_t* later = save(world, &later_size);
            uint64_t later_hash = tarn_world_hash(world);
            run(world, 5);
            assert_ok(tarn_world_load(world, later, later_size));
            assert_true(tarn_world_hash(world) == later_hash);
            assert_ok(tarn_world_load(world, before, size));
            assert_true(tarn_world_hash(world) == hash && fabs(ledger_error(world)) <= 1e-6);
            run(world, 5); // the channel is back
            assert_ok(tarn_world_remove(world, ends[way]));
            TarnPipes* other = add_small(world, "pipes", way ? 10.0f : 0.0f);
            assert_int_equal(tarn_world_number(world, other), way + 1);
            double held = tarn_pipes_ledger(other).volume;
            run(world, 10);
            assert_true(tarn_pipes_ledger(other).volume == held);
            assert_true(fabs(ledger_error(world)) <= 1e-6);
            free(before);
            free(later);
            tarn_world_destroy(world);
        }
    }
}

// What a body carried of a solver goes with it, and does not touch one that gets its number.
static void test_carried_leaves(void** state)
{
    (void)state;
    TarnWorld* world = new_world(2);
    TarnGas* gas = add_small(world, "gas", 0.0f);
    TarnBodyId ball = add_ball(world, 0.0f, 2.0f, 0.0f);
    TarnGasJetDef jet = tarn_gas_jet_default_def();
    TarnGasJetId id;
    assert_ok(tarn_gas_add_jet(gas, &jet, &id));
    assert_ok(tarn_world_attach(world, gas, "jets", id.value, &jet, ball, 0));
    run(world, 2);
    assert_ok(tarn_world_remove(world, gas));
    add_small(world, "wave", 0.0f); // it has no lists at all
    run(world, 2);
    assert_loads_itself(world);
    tarn_world_destroy(world);
}

// A solver that became cosmetic after the snapshot comes back with it; its channels stay out of snapshots meanwhile.
static void test_cosmetic_since(void** state)
{
    (void)state;
    TarnWorld* world = new_world(4);
    void *from = add_small(world, "shallow", 0.0f), *to = add_small(world, "wave", 10.0f);
    TarnChannelDef def = channel_between(from, 0.0f, to, 10.0f);
    assert_ok(tarn_world_add_channel(world, &def));
    run(world, 10);
    size_t size, cosmetic_size;
    uint8_t* whole = save(world, &size);
    uint64_t hash = tarn_world_hash(world);
    assert_ok(tarn_world_set_cosmetic(world, to, true));
    run(world, 10);
    uint8_t* part = save(world, &cosmetic_size);
    uint64_t part_hash = tarn_world_hash(world);
    run(world, 10);
    assert_ok(tarn_world_load(world, part, cosmetic_size));
    assert_true(tarn_world_hash(world) == part_hash);
    assert_true(fabs(ledger_error(world)) <= 1e-6);
    assert_ok(tarn_world_load(world, whole, size));
    assert_true(tarn_world_hash(world) == hash && !tarn_world_is_cosmetic(world, to));
    assert_true(tarn_world_number(world, to) == 2 && fabs(ledger_error(world)) <= 1e-6);
    free(whole);
    free(part);
    tarn_world_destroy(world);
}

// The driver of a solid that is gone is in no hash: a load does not bring it back.
static void test_driver_of_no_solid(void** state)
{
    (void)state;
    TarnWorld* world = new_world(2);
    TarnSolidId block = add_block(world, 0.0f);
    TarnDriverDef driver = tarn_driver_default_def();
    driver.kind = TARN_DRIVER_SPIN;
    assert_ok(tarn_world_set_solid_driver(world, block, &driver));
    assert_ok(tarn_solids_remove(tarn_world_solids(world), block));
    assert_loads_itself(world);
    tarn_world_destroy(world);
}

// ---- Room ----------------------------------------------------------------------------------------

// Solids of the host do not take the room of those that stand for bodies, and a body without room leaves no trace.
static void test_room_for_bodies(void** state)
{
    (void)state;
    TarnWorldDef def = tarn_world_default_def();
    TarnWorld* world;
    def.max_solids = 2, def.max_bodies = 3, def.max_solvers = 2, def.solid_memory = 0;
    assert_ok(tarn_world_create(ctx, &def, &world));
    add_small(world, "liquid", 0.0f);
    TarnSolidDef block = tarn_solid_default_def();
    for (int n = 0; n < 2; ++n) assert_ok(tarn_world_add_solid(world, &block, NULL));
    assert_result(tarn_world_add_solid(world, &block, NULL), TARN_ERR_CAPACITY, "world.max_solids");
    add_ball(world, 0.0f, 1.0f, 0.0f);
    uint64_t hash = tarn_world_hash(world);
    static const TarnVec3 gem[] = { { 1, 0, 0 }, { -1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
    TarnBodyDef hull = tarn_body_default_def();
    TarnBodyId id;
    hull.shape = tarn_shape_hull(gem, 4); // its planes need memory
    assert_result(tarn_world_add_body(world, &hull, &id), TARN_ERR_CAPACITY, "shape_memory");
    assert_true(id.value == 0 && tarn_world_hash(world) == hash);
    for (int n = 0; n < 2; ++n) add_ball(world, 1.0f, 1.0f + (float)n, 0.0f);
    run(world, 2);
    tarn_world_destroy(world);
}

// ---- Places --------------------------------------------------------------------------------------

// A lake in high mountains: bodies stay where they are, and the world loads what it saved.
static void test_high_lake(void** state)
{
    (void)state;
    float bed[256];
    for (int c = 0; c < 256; ++c) bed[c] = 2e4f;
    TarnWorld* world = new_world(2);
    AnyDef def = small_def(tarn_shallow_class(), 0.0f);
    TarnShallowDef* lake = (TarnShallowDef*)def.bytes;
    lake->bed = bed, lake->max_depth = 64.0f, lake->level = 2e4f + 1.0f;
    assert_ok(tarn_world_add_shallow(world, lake, NULL));
    TarnBodyId ball = add_ball(world, 0.0f, 2e4f + 1.0f, 0.0f);
    run(world, 30);
    TarnBodyState at;
    assert_ok(tarn_bodies_get_state(tarn_world_bodies(world), ball, &at));
    assert_true(fabsf(at.position.y - 2e4f - 1.0f) < 1.0f);
    size_t size;
    uint8_t* snapshot = save(world, &size);
    assert_ok(tarn_world_load(world, snapshot, size));
    free(snapshot);
    tarn_world_destroy(world);
}

// A fire whose liquid was forgotten stays as it is, whatever takes the memory of the liquid.
static void test_fire_alone(void** state)
{
    (void)state;
    TarnWorld* world = new_world(4);
    TarnLiquid* liquid = add_small(world, "liquid", 0.0f);
    add_small(world, "particles", 0.0f);
    TarnFire* fire = add_small(world, "fire", 0.0f);
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape = tarn_shape_box(1.0f, 0.5f, 1.0f);
    fill.pose.position.y = 0.5f;
    assert_ok(tarn_liquid_fill(liquid, &fill, NULL));
    run(world, 2);
    float strength = tarn_fire_strength(fire);
    assert_true(strength < 1.0f && strength > 0.0f);
    assert_ok(tarn_world_remove(world, liquid));
    tarn_world_forget(world);
    TarnLiquid* other = add_small(world, "liquid", 0.0f); // often at the same address
    run(world, 10);
    assert_true(tarn_fire_strength(fire) == strength);
    assert_ok(tarn_world_remove(world, other));
    tarn_world_forget(world);
    add_small(world, "wave", 0.0f);
    run(world, 10);
    assert_true(tarn_fire_strength(fire) == strength);
    tarn_world_destroy(world);
}

// ---- Bad input -----------------------------------------------------------------------------------

static void test_bad_channels(void** state)
{
    (void)state;
    static const float bad[] = { NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX };
    TarnWorld *world = new_world(4), *elsewhere = new_world(2);
    void *from = add_small(world, "wave", 0.0f), *to = add_small(world, "shallow", 10.0f);
    void *gas = add_small(world, "gas", 20.0f), *foreign = add_small(elsewhere, "wave", 0.0f);
    uint64_t hash = tarn_world_hash(world);
    const TarnChannelDef good = channel_between(from, 0.0f, to, 10.0f);
    const struct {
        const char* field;
        size_t offset;
    } numbers[] = {
        { "channel.from_place", offsetof(TarnChannelDef, from_place) },
        { "channel.from_place", offsetof(TarnChannelDef, from_place) + sizeof(float) },
        { "channel.to_place", offsetof(TarnChannelDef, to_place) },
        { "channel.to_place", offsetof(TarnChannelDef, to_place) + sizeof(float) },
        { "channel.from_radius", offsetof(TarnChannelDef, from_radius) },
        { "channel.to_radius", offsetof(TarnChannelDef, to_radius) },
        { "channel.flow", offsetof(TarnChannelDef, flow) },
        { "channel.velocity", offsetof(TarnChannelDef, velocity) },
        { "channel.velocity", offsetof(TarnChannelDef, velocity) + sizeof(float) },
        { "channel.velocity", offsetof(TarnChannelDef, velocity) + 2 * sizeof(float) },
    };
    for (size_t f = 0; f < sizeof numbers / sizeof *numbers; ++f) {
        for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b) {
            TarnChannelDef def = good;
            memcpy((char*)&def + numbers[f].offset, &bad[b], sizeof(float));
            assert_result(tarn_world_add_channel(world, &def), TARN_ERR_ARG, numbers[f].field);
            assert_non_null(strstr(tarn_last_error(ctx), "allowed"));
        }
    }
    for (int way = 0; way < 2; ++way) {
        const char* field = way ? "channel.to" : "channel.from";
        TarnChannelDef def = good;
        void** end = way ? &def.to : &def.from;
        *end = NULL;
        assert_result(tarn_world_add_channel(world, &def), TARN_ERR_ARG, field);
        *end = foreign;
        assert_result(tarn_world_add_channel(world, &def), TARN_ERR_ARG, field);
        assert_non_null(strstr(tarn_last_error(ctx), "tarn_world_add"));
        *end = gas;
        assert_result(tarn_world_add_channel(world, &def), TARN_ERR_UNSUPPORTED, field);
        assert_non_null(strstr(tarn_last_error(ctx), "pour"));
    }
    TarnChannelDef def = good;
    def.to = def.from;
    assert_result(tarn_world_add_channel(world, &def), TARN_ERR_ARG, "channel.to");
    assert_non_null(strstr(tarn_last_error(ctx), "another water"));
    def = good, def.cookie = 0;
    assert_result(tarn_world_add_channel(world, &def), TARN_ERR_ARG, "tarn_channel_default_def");
    assert_result(tarn_world_add_channel(world, NULL), TARN_ERR_ARG, "channel");
    assert_int_equal(tarn_world_add_channel(NULL, &good), TARN_ERR_ARG);
    assert_true(tarn_world_hash(world) == hash);
    for (int n = 0; n < 32; ++n) assert_ok(tarn_world_add_channel(world, &good));
    assert_result(tarn_world_add_channel(world, &good), TARN_ERR_CAPACITY, "32 channels");
    run(world, 2);
    tarn_world_destroy(world);
    tarn_world_destroy(elsewhere);
}

static void test_bad_spouts(void** state)
{
    (void)state;
    static const float bad[] = { NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX };
    TarnWorld *world = new_world(4), *elsewhere = new_world(2);
    void *water = add_small(world, "wave", 0.0f), *gas = add_small(world, "gas", 20.0f);
    TarnLiquid *liquid = add_small(world, "liquid", 0.0f),
               *foreign = add_small(elsewhere, "liquid", 0.0f);
    TarnLiquidSourceDef source = tarn_liquid_source_default_def();
    TarnLiquidSourceId id, other;
    assert_ok(tarn_liquid_add_source(liquid, &source, &id));
    assert_ok(tarn_liquid_add_source(foreign, &source, &other));
    const TarnSpoutDef good = { liquid, id.value, water, { 0, 0 }, 1.0f };
    uint64_t hash = tarn_world_hash(world);
    for (size_t b = 0; b < sizeof bad / sizeof *bad; ++b) {
        TarnSpoutDef def = good;
        def.place.x = bad[b];
        assert_result(tarn_world_add_spout(world, &def), TARN_ERR_ARG, "spout.place");
        def = good, def.place.y = bad[b];
        assert_result(tarn_world_add_spout(world, &def), TARN_ERR_ARG, "spout.place");
        def = good, def.radius = bad[b];
        assert_result(tarn_world_add_spout(world, &def), TARN_ERR_ARG, "spout.radius");
        assert_non_null(strstr(tarn_last_error(ctx), "allowed"));
    }
    const struct {
        void *liquid, *water;
        uint64_t source;
        TarnResult result;
        const char* field;
    } ends[] = {
        { NULL, water, id.value, TARN_ERR_ARG, "spout.liquid" },
        { foreign, water, other.value, TARN_ERR_ARG, "spout.liquid" },
        { gas, water, id.value, TARN_ERR_UNSUPPORTED, "spout.liquid" },
        { water, water, id.value, TARN_ERR_UNSUPPORTED, "spout.liquid" },
        { liquid, NULL, id.value, TARN_ERR_ARG, "spout.water" },
        { liquid, foreign, id.value, TARN_ERR_ARG, "spout.water" },
        { liquid, gas, id.value, TARN_ERR_UNSUPPORTED, "spout.water" },
        { liquid, liquid, id.value, TARN_ERR_UNSUPPORTED, "spout.water" },
        { liquid, water, 0, TARN_ERR_ARG, "spout.source" },
        { liquid, water, other.value, TARN_ERR_ARG, "spout.source" },
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i) {
        TarnSpoutDef def = good;
        def.liquid = ends[i].liquid, def.water = ends[i].water, def.source = ends[i].source;
        assert_result(tarn_world_add_spout(world, &def), ends[i].result, ends[i].field);
        assert_non_null(strstr(tarn_last_error(ctx), "; use"));
    }
    assert_result(tarn_world_add_spout(world, NULL), TARN_ERR_ARG, "spout");
    assert_true(tarn_world_hash(world) == hash);
    assert_ok(tarn_world_add_spout(world, &good));
    tarn_world_destroy(world);
    tarn_world_destroy(elsewhere);
}

// ---- Windows -------------------------------------------------------------------------------------

// Two grids in one world follow two bodies that go apart, a third stands; each target is in the middle of its own.
static void test_two_windows(void** state)
{
    (void)state;
    static const char* const kinds[] = { "wave", "shallow", "gas" };
    for (int k = 0; k < 3; ++k) {
        TarnWorld* world = new_world(4);
        void* grids[3];
        TarnBodyId balls[2];
        for (int n = 0; n < 3; ++n) {
            const TarnSolverClass* of = tarn_solver_class_find(ctx, kinds[k]);
            AnyDef def = small_def(of, 20.0f * (float)n);
            static const char* const edges[] = { "edge_x0", "edge_x1", "edge_z0", "edge_z1" };
            for (int e = 0; k < 2 && e < 4; ++e)
                assert_ok(
                    tarn_param_set_text(ctx, of->def_table(), def.bytes, edges[e], "absorbing"));
            assert_ok(tarn_world_add(world, of, NULL, def.bytes, &grids[n]));
        }
        for (int n = 0; n < 2; ++n) {
            TarnBodyDef def = tarn_body_default_def();
            def.shape = tarn_shape_sphere(0.2f), def.is_driven = true;
            def.state.position = (TarnVec3){ 20.0f * (float)n, 2.0f, 0.0f };
            def.state.velocity = (TarnVec3){ n ? 3.0f : -2.0f, 0.0f, n ? 0.0f : 1.0f };
            assert_ok(tarn_world_add_body(world, &def, &balls[n]));
            TarnWindowDef window = tarn_window_default_def();
            window.kind = TARN_WINDOW_BODY, window.body = balls[n];
            assert_ok(tarn_world_set_window(world, grids[n], &window));
        }
        for (int s = 0; s < 120; ++s) {
            for (int n = 0; n < 2; ++n) { // the host moves them
                TarnBodyState at;
                assert_ok(tarn_bodies_get_state(tarn_world_bodies(world), balls[n], &at));
                at.position.x += at.velocity.x * frame, at.position.z += at.velocity.z * frame;
                assert_ok(tarn_bodies_set_state(tarn_world_bodies(world), balls[n], &at));
            }
            run(world, 1);
        }
        for (int n = 0; n < 3; ++n) {
            const TarnSolverClass* of = tarn_world_class_of(world, grids[n]);
            TarnBasin b = { 0 };
            TarnVec3 middle, target, start = { 20.0f * (float)n, 2.0f, 0.0f };
            if (of->basin) {
                of->basin(grids[n], &b);
                middle = (TarnVec3){ 0.5f * (b.min.x + b.max.x), 2.0f, 0.5f * (b.min.y + b.max.y) };
            } else {
                middle = tarn_gas_center(grids[n]);
            }
            bool is_moving = tarn_world_window_target(world, grids[n], &target);
            assert_true(is_moving == (n < 2));
            if (!is_moving) target = start;
            float off = fabsf(middle.x - target.x) + fabsf(middle.z - target.z);
            if (!(off < 0.8f))
                fail_msg("%s %d is at %g %g, its target at %g %g", kinds[k], n, (double)middle.x,
                         (double)middle.z, (double)target.x, (double)target.z);
            if (is_moving) assert_true(fabsf(target.x - start.x) > 3.0f);
        }
        assert_null(nonfinite_part(world));
        tarn_world_destroy(world);
    }
}

// ---- Emitters ------------------------------------------------------------------------------------

// An emitter with a number disturbs that solver alone; without one, the first that understands it; a number that
// nobody has, or of a solver that does not, is refused.
static void test_numbered_emitters(void** state)
{
    (void)state;
    TarnWorld* world = new_world(6);
    add_small(world, "gas", 0.0f); // number 1: it knows no emitters
    TarnWave* waves[3];
    for (int n = 0; n < 3; ++n) waves[n] = add_small(world, "wave", 0.0f);
    TarnEmitterDef def = tarn_emitter_default_def();
    TarnEmitterId id;
    def.kind = TARN_EMITTER_LINE, def.a = (TarnVec2){ -1, 0 }, def.b = (TarnVec2){ 1, 0 };
    for (int number = 0; number <= 6; ++number) {
        def.solver = number;
        if (number == 1 || number > 4) {
            const char* word = number == 1 ? "not supported by gas" : "no solver of this world";
            assert_result(tarn_world_add_emitter(world, &def, &id), TARN_ERR_ARG, word);
            continue;
        }
        for (int n = 0; n < 3; ++n) tarn_wave_reset(waves[n]);
        assert_ok(tarn_world_add_emitter(world, &def, &id));
        run(world, 10);
        int target = number == 0 ? 0 : number - 2;
        for (int n = 0; n < 3; ++n) {
            float peak = tarn__view_highest(tarn_wave_height(waves[n]), 0.0f);
            if ((peak > 1e-4f) != (n == target))
                fail_msg("number %d: wave %d is %g m high", number, n + 1, (double)peak);
        }
        assert_ok(tarn_world_remove_emitter(world, id));
    }
    def.solver = 7;
    assert_result(tarn_world_add_emitter(world, &def, &id), TARN_ERR_ARG, "0 to 6");
    def.solver = -1;
    assert_result(tarn_world_add_emitter(world, &def, &id), TARN_ERR_ARG, "emitter.solver");
    tarn_world_destroy(world);
}

// ---- Time of the phases --------------------------------------------------------------------------

static double now_ms(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

// Off: zeros. On: the phases make up most of the step, and the state is the same to the bit.
static void test_phase_times(void** state)
{
    (void)state;
    uint64_t hashes[2];
    for (int is_on = 0; is_on < 2; ++is_on) {
        TarnContextDef def = counted_def(1, TARN_ISA_AUTO);
        def.measure_phases = is_on;
        TarnContext* context;
        assert_int_equal(tarn_context_create(&def, &context), TARN_OK);
        TarnWorld* world = all_in_one(context, 24);
        double phases = 0.0, whole = 0.0;
        for (int s = 0; s < 30; ++s) {
            TarnStepReport report;
            double start = now_ms();
            assert_int_equal(tarn_world_step(world, frame, &report), TARN_OK);
            whole += now_ms() - start;
            for (int p = 0; p < TARN_PHASES; ++p) {
                assert_true(report.phase_ms[p] >= 0.0f && (is_on || report.phase_ms[p] == 0.0f));
                phases += (double)report.phase_ms[p];
            }
        }
        // What is beside the phases is a few calls; a busy machine may stop us in any of them.
        if (is_on && !(phases > 0.5 * whole && phases <= 1.001 * whole + 0.01))
            fail_msg("phases take %g of %g ms", phases, whole);
        hashes[is_on] = tarn_world_hash(world);
        tarn_world_destroy(world);
        tarn_context_destroy(context);
    }
    assert_true(hashes[0] == hashes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_leaving),           TEST(test_carried_leaves),
        TEST(test_cosmetic_since),    TEST(test_driver_of_no_solid),
        TEST(test_room_for_bodies),   TEST(test_high_lake),
        TEST(test_fire_alone),        TEST(test_bad_channels),
        TEST(test_bad_spouts),        TEST(test_two_windows),
        TEST(test_numbered_emitters), TEST(test_phase_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
