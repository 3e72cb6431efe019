// Worlds of any mix of solvers: names, numbers, room, what comes and goes, and neighbors that do not notice one another.

#include "hall_common.h"

static bool is_whole(TarnWorld* world) // all of it is finite
{
    const char* part = nonfinite_part(world);
    if (part) print_error("not finite: %s\n", part);
    return part == NULL;
}

// ---- Who is there --------------------------------------------------------------------------------

// Three ponds, two rivers, pipes, liquids in 2-D and in 3-D, particles, gases: in any order.
static const char* const mix[] = {
    "gas",     "wave", "liquid", "shallow",   "wave",   "pipes",
    "shallow", "wave", "gas",    "particles", "liquid", "particles"
};
enum { MIX = sizeof mix / sizeof *mix };

static TarnWorld* mixed_world(TarnContext* context, void* solvers[MIX])
{
    TarnWorld* world = new_world_in(context, 16);
    for (int n = 0; n < MIX; ++n) {
        const TarnSolverClass* of = tarn_solver_class_find(context, mix[n]);
        AnyDef def = small_def(of, 6.0f * (float)n);
        if (n == 10) ((TarnLiquidDef*)def.bytes)->dimensions = 2;
        assert_int_equal(tarn_world_add(world, of, NULL, def.bytes, &solvers[n]), TARN_OK);
        if (n != 10) stir(world, solvers[n], 6.0f * (float)n, n);
    }
    return world;
}

static void test_names_and_numbers(void** state)
{
    (void)state;
    static const char* const names[MIX] = { "gas",   "wave",      "liquid",   "shallow",
                                            "wave2", "pipes",     "shallow2", "wave3",
                                            "gas2",  "particles", "liquid2",  "particles2" };
    void* solvers[MIX];
    TarnWorld* world = mixed_world(ctx, solvers);
    assert_int_equal(tarn_world_count(world, NULL), MIX);
    assert_int_equal(tarn_world_wave_count(world), 3);
    assert_int_equal(tarn_world_shallow_count(world), 2);
    assert_int_equal(tarn_world_pipes_count(world), 1);
    assert_int_equal(tarn_world_liquid_count(world), 2);
    assert_int_equal(tarn_world_particles_count(world), 2);
    assert_int_equal(tarn_world_gas_count(world), 2);
    assert_int_equal(tarn_world_fire_count(world), 0);
    for (int n = 0; n < MIX; ++n) {
        assert_string_equal(tarn_world_name_of(world, solvers[n]), names[n]);
        assert_int_equal(tarn_world_number(world, solvers[n]), n + 1);
        assert_ptr_equal(tarn_world_find(world, names[n]), solvers[n]);
        assert_ptr_equal(tarn_world_get(world, NULL, n), solvers[n]);
        assert_string_equal(tarn_world_class_of(world, solvers[n])->name, mix[n]);
    }
    assert_ptr_equal(tarn_world_wave(world, 0), solvers[1]);
    assert_ptr_equal(tarn_world_wave(world, 1), solvers[4]);
    assert_ptr_equal(tarn_world_wave(world, 2), solvers[7]);
    assert_null(tarn_world_wave(world, 3));
    assert_null(tarn_world_wave(world, -1));
    assert_null(tarn_world_get(world, NULL, MIX));
    assert_null(tarn_world_get(NULL, NULL, 0));
    assert_null(tarn_world_find(world, "wave4"));
    assert_null(tarn_world_find(world, NULL));
    int not_one = 0;
    assert_null(tarn_world_class_of(world, &not_one));
    assert_null(tarn_world_name_of(world, NULL));
    assert_int_equal(tarn_world_number(world, &not_one), 0);
    run(world, 5);
    assert_true(is_whole(world));

    // Names that were given.
    assert_ok(tarn_world_set_name(world, solvers[4], "north_Pond"));
    assert_ptr_equal(tarn_world_find(world, "north_Pond"), solvers[4]);
    assert_null(tarn_world_find(world, "wave2"));
    assert_ok(tarn_world_set_name(world, solvers[4], "north_Pond")); // its own
    assert_result(tarn_world_set_name(world, solvers[7], "north_Pond"), TARN_ERR_ARG, "already");
    static const char* const bad[] = { NULL,  "",     "two words",
                                       "a.b", "a[0]", "a_name_that_is_longer_than_31_ch" };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
        assert_result(tarn_world_set_name(world, solvers[7], bad[i]), TARN_ERR_ARG, "letters");
    assert_result(tarn_world_set_name(world, &not_one, "x"), TARN_ERR_ARG, "not in this world");
    assert_string_equal(tarn_world_name_of(world, solvers[7]), "wave3");
    AnyDef def = small_def(tarn_wave_class(), 0.0f);
    assert_result(tarn_world_add(world, tarn_wave_class(), "wave3", def.bytes, NULL), TARN_ERR_ARG,
                  "already");
    void* fourth = add_named(world, tarn_wave_class(), NULL, 80.0f);
    assert_string_equal(tarn_world_name_of(world, fourth), "wave2"); // the first that is free
    tarn_world_destroy(world);
}

static void test_room(void** state)
{
    (void)state;
    TarnWorld* world = new_world(3);
    AnyDef def = small_def(tarn_wave_class(), 0.0f);
    for (int n = 0; n < 3; ++n)
        assert_ok(tarn_world_add(world, tarn_wave_class(), NULL, def.bytes, NULL));
    size_t before = memory.bytes;
    void* solver = &before;
    assert_result(tarn_world_add(world, tarn_wave_class(), NULL, def.bytes, &solver),
                  TARN_ERR_CAPACITY, "max_solvers");
    assert_null(solver);
    assert_true(memory.bytes == before);
    assert_result(tarn_world_add(world, NULL, NULL, def.bytes, NULL), TARN_ERR_ARG, "class");
    assert_result(tarn_world_add(world, tarn_wave_class(), NULL, NULL, NULL), TARN_ERR_ARG, "def");
    assert_result(tarn_world_add(NULL, tarn_wave_class(), NULL, def.bytes, NULL), TARN_ERR_ARG, "");
    tarn_world_destroy(world);

    TarnWorldDef most = tarn_world_default_def();
    most.max_solvers = 65;
    assert_result(tarn_world_create(ctx, &most, &world), TARN_ERR_ARG, "max_solvers");
    most.max_solvers = 64;
    assert_ok(tarn_world_create(ctx, &most, &world));
    for (int n = 0; n < 64; ++n) add_small(world, n % 2 ? "wave" : "gas", 5.0f * (float)n);
    run(world, 1);
    size_t size;
    uint8_t* snapshot = save(world, &size);
    uint64_t hash = tarn_world_hash(world);
    run(world, 1);
    assert_ok(tarn_world_load(world, snapshot, size));
    assert_true(tarn_world_hash(world) == hash);
    free(snapshot);
    tarn_world_destroy(world);
}

// Particles are carried by each of many gases, the last one as well as the first.
static void test_many_carriers(void** state)
{
    (void)state;
    enum { GASES = 24 };
    TarnWorld* world = new_world(GASES + 1);
    TarnParticles* dust = add_small(world, "particles", 0.0f);
    TarnParticlesParams params = tarn_particles_params(dust);
    params.drag = 0.0f, params.flow_drag = 50.0f, params.flow_gravity = 0.0f;
    params.gravity = (TarnVec3){ 0, 0, 0 };
    assert_ok(tarn_particles_set_params(dust, &params));
    for (int n = 0; n < GASES; ++n) {
        AnyDef def = small_def(tarn_gas_class(), 10.0f * (float)n);
        TarnGasDef* gas_def = (TarnGasDef*)def.bytes;
        TarnGas* gas;
        gas_def->edge_x0 = gas_def->edge_x1 = TARN_GAS_WIND;
        assert_ok(tarn_world_add_gas(world, gas_def, &gas));
        TarnGasParams air = tarn_gas_params(gas);
        air.wind = (TarnVec3){ 1, 0, 0 };
        air.wind_rate = 100.0f;
        assert_ok(tarn_gas_set_params(gas, &air));
        TarnVec3 at = { 10.0f * (float)n, 2.0f, 0.0f };
        assert_int_equal(tarn_particles_add(dust, 1, &at, NULL, NULL, 0.01f, 0), 1);
    }
    run(world, 30);
    TarnParticlesView view = tarn_particles_view(dust);
    assert_int_equal(view.n, GASES);
    for (int i = 0; i < view.n; ++i) assert_true(view.vx[i] > 0.5f);
    tarn_world_destroy(world);
}

// ---- Coming and going ----------------------------------------------------------------------------

// What was taken out is kept until it is forgotten; then the memory is what it was.
static void test_remove_and_forget(void** state)
{
    (void)state;
    const TarnSolverClass* of;
    for (int n = 0; (of = tarn_solver_class_at(ctx, n)) != NULL; ++n) {
        TarnWorld* world = new_world(8);
        void* others[2] = { add_small(world, "liquid", -20.0f),
                            add_small(world, "particles", -20.0f) };
        run(world, 1);
        size_t before = memory.bytes;
        uint64_t hash = tarn_world_hash(world);
        void* solver = add_named(world, of, "new_one", 0.0f);
        assert_int_equal(tarn_world_number(world, solver), 3);
        assert_true(memory.bytes > before);
        assert_true(tarn_world_hash(world) != hash);
        assert_ok(tarn_world_remove(world, solver));
        assert_true(memory.bytes > before);
        assert_null(tarn_world_find(world, "new_one"));
        assert_int_equal(tarn_world_count(world, NULL), 2);
        assert_result(tarn_world_remove(world, solver), TARN_ERR_ARG, "not in this world");
        if (of->join == NULL || strcmp(of->name, "fire") != 0)
            assert_true(tarn_world_hash(world) == hash);
        tarn_world_forget(world);
        assert_true(memory.bytes == before);
        run(world, 2);
        solver = add_named(world, of, "new_one", 0.0f); // its number is free again
        assert_int_equal(tarn_world_number(world, solver), 3);
        run(world, 2);
        assert_ok(tarn_world_remove(world, others[0]));
        assert_ok(tarn_world_remove(world, others[1]));
        assert_int_equal(tarn_world_number(world, solver), 3); // it keeps its number
        run(world, 2);
        tarn_world_forget(world);
        run(world, 2);
        assert_true(is_whole(world));
        tarn_world_destroy(world);
    }
    tarn_world_forget(NULL);
}

// At most as many are kept as the world has room for: the oldest go.
static void test_kept(void** state)
{
    (void)state;
    TarnWorld* world = new_world(3);
    size_t empty = memory.bytes, full = 0;
    for (int n = 0; n < 20; ++n) {
        void* solver = add_small(world, "wave", 0.0f);
        assert_ok(tarn_world_remove(world, solver));
        if (n == 2) full = memory.bytes;
        if (n > 2) assert_true(memory.bytes == full);
    }
    tarn_world_forget(world);
    assert_true(memory.bytes == empty);
    tarn_world_destroy(world);
}

// No memory for any of the blocks of a solver: nothing stays, nothing changes.
static void test_no_memory(void** state)
{
    (void)state;
    const TarnSolverClass* of;
    for (int n = 0; (of = tarn_solver_class_at(ctx, n)) != NULL; ++n) {
        TarnWorld* world = new_world(8);
        add_small(world, "liquid", -20.0f);
        add_small(world, "particles", -20.0f);
        AnyDef def = small_def(of, 0.0f);
        uint64_t hash = tarn_world_hash(world);
        size_t before = memory.bytes;
        int fails = 0;
        TarnResult result;
        do {
            memory.calls = 0, memory.fail_at = ++fails;
            void* solver = &def;
            result = tarn_world_add(world, of, NULL, def.bytes, &solver);
            memory.fail_at = 0;
            if (result == TARN_OK) break;
            assert_int_equal(result, TARN_ERR_MEMORY);
            assert_null(solver);
            assert_true(memory.bytes == before && tarn_world_hash(world) == hash);
        } while (fails < 100);
        assert_true(fails > 1 && result == TARN_OK);
        tarn_world_destroy(world);
    }
}

// ---- Together and alone ----------------------------------------------------------------------------

static void test_workers(void** state)
{
    (void)state;
    uint64_t expected = 0, before = 0;
    for (int workers = 1; workers <= 4; ++workers) {
        TarnContext* context = make_context(workers, TARN_ISA_AUTO);
        void* solvers[MIX];
        TarnWorld* world = mixed_world(context, solvers);
        add_ball(world, 6.0f, 0.5f, 0.0f);
        add_ball(world, 12.0f, 1.5f, 0.0f);
        uint64_t start = tarn_world_hash(world);
        run(world, 20);
        uint64_t hash = tarn_world_hash(world);
        if (workers == 1) expected = hash, before = start;
        assert_true(hash == expected && start == before && hash != start);
        tarn_world_destroy(world);
        tarn_context_destroy(context);
    }
}

// Far apart, each solver goes on to the bit as if it were alone, whatever its class.
static void test_neighbors(void** state)
{
    (void)state;
    const TarnSolverClass* of;
    for (int n = 0; (of = tarn_solver_class_at(ctx, n)) != NULL; ++n) {
        if (strcmp(of->name, "fire") == 0) continue; // it needs others
        TarnWorld *alone = new_world(16), *crowd = new_world(16);
        void* solvers[2] = { add_named(alone, of, NULL, 0.0f), add_named(crowd, of, NULL, 0.0f) };
        add_small(crowd, "wave", 200.0f);
        stir(crowd, tarn_world_get(crowd, NULL, 1), 200.0f, 3);
        add_small(crowd, "shallow", 220.0f);
        add_small(crowd, "pipes", 240.0f);
        add_small(crowd, "liquid", 260.0f);
        stir(crowd, tarn_world_get(crowd, NULL, 4), 260.0f, 3);
        add_small(crowd, "gas", 280.0f);
        stir(crowd, tarn_world_get(crowd, NULL, 5), 280.0f, 3);
        add_small(crowd, "particles", 300.0f);
        stir(crowd, tarn_world_get(crowd, NULL, 6), 300.0f, 3);
        for (int i = 0; i < 2; ++i) {
            TarnWorld* world = i ? crowd : alone;
            stir(world, solvers[i], 0.0f, 1);
            add_ball(world, 0.2f, 1.3f, -0.1f);
        }
        add_ball(crowd, 200.0f, 0.3f, 0.0f);
        for (int s = 0; s < (is_short_run() ? 10 : 40); ++s) {
            run(alone, 1);
            run(crowd, 1);
            if (of->hash(solvers[0]) != of->hash(solvers[1]))
                fail_msg("%s knows its neighbors after %d steps", of->name, s + 1);
            TarnBodyState a, b;
            TarnBodies *one = tarn_world_bodies(alone), *two = tarn_world_bodies(crowd);
            assert_ok(tarn_bodies_get_state(one, tarn_bodies_at(one, 0), &a));
            assert_ok(tarn_bodies_get_state(two, tarn_bodies_at(two, 0), &b));
            if (memcmp(&a, &b, sizeof a) != 0)
                fail_msg("the ball in %s knows the neighbors after %d steps", of->name, s + 1);
        }
        tarn_world_destroy(alone);
        tarn_world_destroy(crowd);
    }
}

// A step of many solvers allocates nothing.
static void test_no_allocation(void** state)
{
    (void)state;
    void* solvers[MIX];
    TarnWorld* world = mixed_world(ctx, solvers);
    add_ball(world, 6.0f, 0.5f, 0.0f);
    run(world, 2);
    int calls = memory.calls;
    run(world, 10);
    tarn_world_hash(world);
    TarnLedger ledger;
    assert_ok(tarn_world_ledger(world, &ledger, NULL, 0));
    assert_int_equal(memory.calls, calls);
    tarn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_names_and_numbers),
        TEST_ALONE(test_room),
        TEST_ALONE(test_many_carriers),
        TEST_ALONE(test_remove_and_forget),
        TEST_ALONE(test_kept),
        TEST_ALONE(test_no_memory),
        TEST(test_workers),
        TEST_ALONE(test_neighbors),
        TEST_ALONE(test_no_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
