// Snapshots of worlds follow what is in them. Each change below is made after one snapshot and before another; both load
// afterwards, and each goes on to the bit as it did the first time.

#include "hall_common.h"
#include "tests/sanitized.h"

// ---- Changes -------------------------------------------------------------------------------------

// The world that is changed: one solver of each class, bodies, solids, emitters, something of each list.
typedef struct Hall {
    TarnWorld* world;
    TarnBodyId ball, carrier;
    TarnSolidId block;
    TarnEmitterId rain;
} Hall;

static void add_parts(TarnWorld* world, void* solver, float x)
{
    const TarnSolverClass* of = tarn_world_class_of(world, solver);
    for (int l = 0; l < of->n_lists; ++l) {
        const TarnListClass* list = &of->lists[l];
        _Alignas(16) unsigned char def[TARN_LIST_MAX_DEF];
        uint64_t id;
        list->init(def);
        give(list->table(), def, "position", (double)x, 1.0, 0.0);
        assert_ok(list->add(solver, def, &id));
        assert_true(id != 0);
    }
}

static Hall make_hall(TarnContext* context)
{
    Hall hall = { .world = all_in_one(context, 24) };
    for (int n = 0; n < tarn_world_count(hall.world, NULL); ++n)
        add_parts(hall.world, tarn_world_get(hall.world, NULL, n), 10.0f * (float)n);
    hall.ball = add_ball(hall.world, 0.3f, 0.4f, 0.2f);
    hall.block = add_block(hall.world, 40.0f);
    TarnBodyDef body = tarn_body_default_def();
    body.shape = tarn_shape_box(0.2f, 0.2f, 0.2f);
    body.is_driven = true;
    body.state.position = (TarnVec3){ 30.0f, 3.0f, 0.0f };
    assert_int_equal(tarn_world_add_body(hall.world, &body, &hall.carrier), TARN_OK);
    TarnEmitterDef rain = tarn_emitter_default_def();
    rain.kind = TARN_EMITTER_RAIN, rain.rate = 30.0f;
    rain.a = (TarnVec2){ -2, -2 }, rain.b = (TarnVec2){ 2, 2 };
    assert_int_equal(tarn_world_add_emitter(hall.world, &rain, &hall.rain), TARN_OK);
    return hall;
}

static void add_body(Hall* h)
{
    add_ball(h->world, -0.5f, 0.6f, -0.4f);
}
static void remove_body(Hall* h)
{
    assert_ok(tarn_bodies_remove(tarn_world_bodies(h->world), h->ball));
}
static void replace_body(Hall* h)
{
    remove_body(h);
    add_ball(h->world, 0.1f, 0.9f, 0.7f);
}
static void remove_all_bodies(Hall* h)
{
    TarnBodies* bodies = tarn_world_bodies(h->world);
    while (tarn_bodies_count(bodies) > 0)
        assert_ok(tarn_bodies_remove(bodies, tarn_bodies_at(bodies, 0)));
}
static void add_solid(Hall* h)
{
    add_block(h->world, 30.5f);
}
static void remove_solid(Hall* h)
{
    assert_ok(tarn_solids_remove(tarn_world_solids(h->world), h->block));
}
static void add_emitter(Hall* h)
{
    TarnEmitterDef def = tarn_emitter_default_def();
    assert_ok(tarn_world_add_emitter(h->world, &def, NULL));
}
static void remove_emitter(Hall* h)
{
    assert_ok(tarn_world_remove_emitter(h->world, h->rain));
}
static void drive_body(Hall* h)
{
    TarnDriverDef def = tarn_driver_default_def();
    def.kind = TARN_DRIVER_SHAKE;
    def.amplitude = (TarnVec3){ 0.2f, 0, 0 }, def.period = 0.5f;
    assert_ok(tarn_world_set_driver(h->world, h->carrier, &def));
}
static void drive_solid(Hall* h)
{
    TarnDriverDef def = tarn_driver_default_def();
    def.kind = TARN_DRIVER_SPIN, def.turn = 2.0f;
    assert_ok(tarn_world_set_solid_driver(h->world, h->block, &def));
}
static void attach_source(Hall* h)
{
    TarnLiquid* liquid = tarn_world_liquid(h->world, 0);
    TarnLiquidSourceDef def = tarn_liquid_source_default_def();
    TarnLiquidSourceId id;
    def.position = (TarnVec3){ 0, -0.3f, 0 }, def.direction = (TarnVec3){ 0, -1, 0 };
    def.radius = 0.3f, def.speed = 2.0f;
    assert_ok(tarn_liquid_add_source(liquid, &def, &id));
    assert_ok(tarn_world_attach(h->world, liquid, "sources", id.value, &def, h->carrier,
                                TARN_THROTTLE_STEADY));
    assert_ok(tarn_world_throttle(h->world, h->carrier, TARN_THROTTLE_STEADY, 0.5f));
}
static void follow_body(Hall* h)
{
    TarnWindowDef def = tarn_window_default_def();
    def.kind = TARN_WINDOW_BODY, def.body = h->ball, def.slack = 0.01f;
    assert_ok(tarn_world_set_window(h->world, tarn_world_gas(h->world, 0), &def));
}
static void rename_solver(Hall* h)
{
    assert_ok(tarn_world_set_name(h->world, tarn_world_wave(h->world, 0), "pond"));
}
static void stop_carrying(Hall* h)
{
    assert_ok(tarn_world_set_carrier(h->world, tarn_world_gas(h->world, 0), false));
}
static void turn_noise_on(Hall* h)
{
    TarnCurlNoise noise = tarn_curl_noise_default(ctx);
    noise.speed = 3.0f;
    assert_ok(tarn_world_set_curl_noise(h->world, &noise));
}

static const struct {
    const char* name;
    void (*make)(Hall* hall);
} changes[] = {
    { "a body is added", add_body },
    { "a body is removed", remove_body },
    { "a body takes the place of another", replace_body },
    { "all bodies are removed", remove_all_bodies },
    { "a solid is added", add_solid },
    { "a solid is removed", remove_solid },
    { "an emitter is added", add_emitter },
    { "an emitter is removed", remove_emitter },
    { "a body gets a driver", drive_body },
    { "a solid gets a driver", drive_solid },
    { "a body carries a source", attach_source },
    { "a gas follows a body", follow_body },
    { "a solver gets a name", rename_solver },
    { "a gas carries no particles", stop_carrying },
    { "curl noise carries particles", turn_noise_on },
};

// ---- Back and forth --------------------------------------------------------------------------------

typedef struct Moment {
    uint8_t* snapshot;
    size_t size;
    uint64_t hash, future;
} Moment;

// How far a world goes on after a snapshot; sanitizers look at code paths, which the first steps take.
static int future_steps(void)
{
    return is_short_run() ? 2 : 6;
}

static Moment take(TarnWorld* world) // and goes on
{
    Moment m = { 0 };
    m.snapshot = save(world, &m.size);
    m.hash = tarn_world_hash(world);
    run(world, future_steps());
    m.future = tarn_world_hash(world);
    return m;
}

static void load_moment(TarnWorld* world, const Moment* m, const char* what)
{
    int calls = memory.calls;
    size_t bytes = memory.bytes;
    if (tarn_world_load(world, m->snapshot, m->size) != TARN_OK)
        fail_msg("%s: %s", what, tarn_last_error(ctx));
    if (memory.calls - calls > 2) fail_msg("%s: %d blocks for a load", what, memory.calls - calls);
    if (memory.bytes > bytes) fail_msg("%s: a load kept memory", what);
    if (tarn_world_hash(world) != m->hash) fail_msg("%s: another hash once loaded", what);
}

static void go_back(TarnWorld* world, const Moment* m, const char* what)
{
    load_moment(world, m, what);
    run(world, future_steps());
    if (tarn_world_hash(world) != m->future) fail_msg("%s: another future", what);
}

// From before to after and back again, in any order.
static void to_and_fro(TarnWorld* world, const Moment* before, const Moment* after,
                       const char* what)
{
    assert_true(after->hash != before->hash || after->future != before->future);
    for (int round = is_short_run() ? 1 : 0; round < 2; ++round) {
        go_back(world, before, what);
        go_back(world, after, what);
        go_back(world, after, what);
        go_back(world, before, what);
    }
    free(before->snapshot);
    free(after->snapshot);
}

static void test_changes(void** state)
{
    (void)state;
    for (size_t c = 0; c < sizeof changes / sizeof *changes; ++c) {
        Hall hall = make_hall(ctx);
        run(hall.world, 4);
        Moment before = take(hall.world);
        go_back(hall.world, &before, changes[c].name);
        changes[c].make(&hall);
        run(hall.world, 2);
        Moment after = take(hall.world);
        to_and_fro(hall.world, &before, &after, changes[c].name);
        tarn_world_destroy(hall.world);
    }
}

// The parts of each list of each class.
static void test_parts(void** state)
{
    (void)state;
    Hall hall = make_hall(ctx);
    TarnWorld* world = hall.world;
    run(world, 3);
    for (int n = 0; n < tarn_world_count(world, NULL); ++n) {
        void* solver = tarn_world_get(world, NULL, n);
        const TarnSolverClass* of = tarn_world_class_of(world, solver);
        for (int l = 0; l < of->n_lists; ++l) {
            const TarnListClass* list = &of->lists[l];
            _Alignas(16) unsigned char def[TARN_LIST_MAX_DEF];
            uint64_t first, second, third;
            list->init(def);
            give(list->table(), def, "position", 10.0 * n, 1.2, 0.0);
            assert_ok(list->add(solver, def, &first));
            Moment before = take(world);
            assert_ok(list->add(solver, def, &second));
            run(world, 2);
            Moment after = take(world);
            if (list->remove) assert_ok(list->remove(solver, first));
            run(world, 2);
            Moment last = take(world);
            go_back(world, &before, list->name);
            if (list->set) {
                assert_ok(list->set(solver, first, def)); // valid then: valid again
                assert_int_equal(list->set(solver, second, def), TARN_ERR_ARG);
                assert_int_equal(list->set(solver, 0, def), TARN_ERR_ARG);
            }
            assert_ok(list->add(solver, def, &third)); // the same calls get the same ids
            assert_true(third == second);
            go_back(world, &last, list->name);
            if (list->set) assert_ok(list->set(solver, second, def));
            to_and_fro(world, &before, &after, list->name);
            free(last.snapshot);
        }
    }
    tarn_world_destroy(world);
}

// Solvers of each class come and go.
static void test_solvers(void** state)
{
    (void)state;
    const TarnSolverClass* of;
    for (int n = 0; (of = tarn_solver_class_at(ctx, n)) != NULL; ++n) {
        Hall hall = make_hall(ctx);
        TarnWorld* world = hall.world;
        run(world, 2);
        Moment without = take(world);
        go_back(world, &without, of->name);
        void* solver = add_named(world, of, "guest", 90.0f);
        int number = tarn_world_number(world, solver);
        stir(world, solver, 90.0f, 2);
        run(world, 2);
        Moment with = take(world);
        go_back(world, &without, of->name); // the one that was added since goes
        assert_null(tarn_world_find(world, "guest"));
        assert_int_equal(tarn_world_number(world, solver), 0);
        go_back(world, &with, of->name); // and comes back
        assert_ptr_equal(tarn_world_find(world, "guest"), solver);
        assert_int_equal(tarn_world_number(world, solver), number);
        assert_ok(tarn_world_remove(world, solver)); // the host takes it out
        run(world, 1);
        go_back(world, &with, of->name);
        assert_ptr_equal(tarn_world_find(world, "guest"), solver);
        to_and_fro(world, &without, &with, of->name);
        tarn_world_destroy(world);
    }
}

// Rollback over spawns: the same calls again after each load, and the same hash each time.
static void test_rollback(void** state)
{
    (void)state;
    const TarnSolverClass* of;
    for (int n = 0; (of = tarn_solver_class_at(ctx, n)) != NULL; ++n) {
        Hall hall = make_hall(ctx);
        TarnWorld* world = hall.world;
        run(world, 2);
        Moment start = take(world);
        uint64_t expected = 0;
        for (int round = 0; round < 20; ++round) { // more than the world keeps of what it took out
            load_moment(world, &start, of->name);  // what follows is the future that is compared
            void* old = tarn_world_get(world, NULL, n);
            if (strcmp(of->name, "fire") != 0 && strcmp(of->name, "liquid") != 0 &&
                strcmp(of->name, "particles") != 0) // a fire holds on to those
                assert_ok(tarn_world_remove(world, old));
            void* guest = add_named(world, of, "guest", 90.0f);
            stir(world, guest, 90.0f, 1);
            add_ball(world, 90.0f, 1.5f, 0.0f);
            run(world, is_short_run() ? 1 : 3);
            if (round == 0) expected = tarn_world_hash(world);
            if (tarn_world_hash(world) != expected)
                fail_msg("%s: another hash in round %d", of->name, round);
        }
        go_back(world, &start, of->name);
        free(start.snapshot);
        tarn_world_destroy(world);
    }
}

// One that was forgotten is missed, by number, name and kind, and nothing is changed.
static void test_forgotten(void** state)
{
    (void)state;
    Hall hall = make_hall(ctx);
    TarnWorld* world = hall.world;
    run(world, 2);
    Moment before = take(world);
    assert_ok(tarn_world_remove(world, tarn_world_pipes(world, 0)));
    tarn_world_forget(world);
    run(world, 2);
    uint64_t hash = tarn_world_hash(world);
    size_t bytes = memory.bytes;
    TarnResult result = tarn_world_load(world, before.snapshot, before.size);
    assert_result(result, TARN_ERR_DATA, "solver 3 ('pipes', a pipes)");
    assert_true(tarn_world_hash(world) == hash && memory.bytes == bytes);
    Moment now = take(world); // it goes on
    go_back(world, &now, "without the one that is gone");
    // Made once more with the same def and in the same place, it can be loaded again.
    add_named(world, tarn_pipes_class(), NULL, 20.0f);
    go_back(world, &before, "made again");
    // One of another def is no stand-in.
    assert_ok(tarn_world_remove(world, tarn_world_pipes(world, 0)));
    tarn_world_forget(world);
    add_named(world, tarn_pipes_class(), NULL, 21.0f);
    result = tarn_world_load(world, before.snapshot, before.size);
    assert_result(result, TARN_ERR_DATA, "solver 3");
    free(before.snapshot);
    free(now.snapshot);
    tarn_world_destroy(world);
}

// Cosmetic ones are in no hash and in no snapshot, and a load leaves them as they are.
static void test_cosmetic(void** state)
{
    (void)state;
    const TarnSolverClass* of;
    for (int n = 0; (of = tarn_solver_class_at(ctx, n)) != NULL; ++n) {
        if (strcmp(of->name, "fire") == 0) continue; // it changes others
        Hall plain = make_hall(ctx), hall = make_hall(ctx);
        TarnWorld* world = hall.world;
        void* smoke = add_named(world, of, "smoke", 400.0f);
        assert_false(tarn_world_is_cosmetic(world, smoke));
        assert_true(tarn_world_hash(world) != tarn_world_hash(plain.world));
        assert_ok(tarn_world_set_cosmetic(world, smoke, true));
        assert_ok(tarn_world_set_carrier(world, smoke, false));
        assert_true(tarn_world_is_cosmetic(world, smoke));
        assert_true(tarn_world_hash(world) == tarn_world_hash(plain.world));
        size_t size, without;
        uint8_t *snapshot = save(world, &size), *other = save(plain.world, &without);
        assert_int_equal(size, without);
        assert_memory_equal(snapshot, other, size);
        stir(world, smoke, 400.0f, 1);
        run(world, 5);
        run(plain.world, 5);
        if (tarn_world_hash(world) != tarn_world_hash(plain.world))
            fail_msg("a cosmetic %s is in the hash", of->name);
        uint64_t state_of_smoke = of->hash(smoke);
        assert_ok(tarn_world_load(world, snapshot, size));
        assert_ptr_equal(tarn_world_find(world, "smoke"), smoke);
        assert_true(of->hash(smoke) == state_of_smoke);
        assert_ok(tarn_world_load(plain.world, snapshot, size)); // where there is none
        run(world, 3);
        run(plain.world, 3);
        assert_true(tarn_world_hash(world) == tarn_world_hash(plain.world));
        free(snapshot);
        free(other);
        tarn_world_destroy(world);
        tarn_world_destroy(plain.world);
    }
    assert_false(tarn_world_is_cosmetic(NULL, NULL));
    assert_int_equal(tarn_world_set_cosmetic(NULL, NULL, true), TARN_ERR_ARG);
}

// A second world built the same way stands for another process: its ids differ, and what bodies carry, windows and
// spouts find theirs.
static void test_elsewhere(void** state)
{
    (void)state;
    Hall a = make_hall(ctx), b = make_hall(ctx);
    attach_source(&a);
    follow_body(&a);
    drive_body(&a);
    drive_solid(&a);
    attach_source(&b); // as in the other, so that the same parts are there
    run(a.world, 4);
    assert_true(a.ball.value != b.ball.value); // owners differ
    Moment there = take(a.world);
    go_back(b.world, &there, "another world");
    TarnLiquidLedger ledger = tarn_liquid_ledger(tarn_world_liquid(a.world, 0)), same;
    same = tarn_liquid_ledger(tarn_world_liquid(b.world, 0));
    assert_true(ledger.added == same.added);
    run(a.world, 20);
    run(b.world, 20);
    assert_true(tarn_world_hash(a.world) == tarn_world_hash(b.world));
    ledger = tarn_liquid_ledger(tarn_world_liquid(a.world, 0));
    assert_true(ledger.added > same.added); // the source that is carried did run
    TarnBodyState state_a, state_b;
    assert_ok(tarn_bodies_get_state(tarn_world_bodies(a.world), a.carrier, &state_a));
    assert_ok(tarn_bodies_get_state(tarn_world_bodies(b.world), b.carrier, &state_b));
    assert_memory_equal(&state_a, &state_b, sizeof state_a);
    TarnVec3 target;
    assert_true(tarn_world_window_target(b.world, tarn_world_gas(b.world, 0), &target));
    free(there.snapshot);
    tarn_world_destroy(a.world);
    tarn_world_destroy(b.world);
}

// ---- Damage --------------------------------------------------------------------------------------

static void seal_one(uint8_t* at, size_t size)
{
    uint64_t payload = size - TARN_SNAPSHOT_HEADER;
    uint64_t hash = tarn_hash(at + TARN_SNAPSHOT_HEADER, payload, 0);
    memcpy(at + 32, &payload, 8);
    memcpy(at + 40, &hash, 8);
    hash = tarn_hash(at, 48, 1);
    memcpy(at + 48, &hash, 8);
}

// The parts refuse one after the other; those that were loaded before come back, in whichever the damage is.
static void test_damaged_parts(void** state)
{
    (void)state;
    Hall hall = make_hall(ctx);
    TarnWorld* world = hall.world;
    run(world, 3);
    Moment good = take(world);
    uint64_t hash = tarn_world_hash(world);
    size_t bytes = memory.bytes;
    uint8_t* bad = malloc(good.size);
    int parts = 0;
    for (size_t at = TARN_SNAPSHOT_HEADER; at + TARN_SNAPSHOT_HEADER < good.size; ++at) {
        if (memcmp(good.snapshot + at, "TARNSNAP", 8) != 0) continue;
        static const size_t places[] = { 0, 9, 13, 20, 27, 33, 41, 50, TARN_SNAPSHOT_HEADER + 3 };
        ++parts;
        for (size_t i = 0; i < sizeof places / sizeof *places; ++i) { // of its header, and behind
            memcpy(bad, good.snapshot, good.size);
            bad[at + places[i]] ^= 0x41;
            seal_one(bad, good.size); // the outer one is whole
            if (tarn_world_load(world, bad, good.size) == TARN_OK)
                fail_msg("part %d: damage at %zu went unseen", parts, places[i]);
            if (tarn_world_hash(world) != hash)
                fail_msg("part %d, damage at %zu: the world has changed", parts, places[i]);
        }
    }
    assert_true(parts >= 2 + tarn_world_count(world, NULL));
    size_t stride = is_short_run() ? 61 : 7;
    for (size_t n = 0; n < good.size;
         n += n < 4000 ? stride : 9973) { // each kind of place, and the ends
        memcpy(bad, good.snapshot, good.size);
        bad[n] ^= (uint8_t)(1u << n % 8);
        assert_int_not_equal(tarn_world_load(world, bad, good.size), TARN_OK);
        assert_int_not_equal(tarn_world_load(world, good.snapshot, n), TARN_OK);
        assert_true(tarn_world_hash(world) == hash && memory.bytes == bytes);
    }
    memory.calls = 0;
    for (int fails = 1; fails <= 2; ++fails) { // no memory for the first block, for the second
        memory.fail_at = fails, memory.calls = 0;
        assert_result(tarn_world_load(world, good.snapshot, good.size), TARN_ERR_MEMORY, "memory");
        memory.fail_at = 0;
        assert_true(tarn_world_hash(world) == hash && memory.bytes == bytes);
    }
    go_back(world, &good, "after the damage");
    free(bad);
    free(good.snapshot);
    tarn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_changes),   TEST(test_parts),    TEST(test_solvers),   TEST(test_rollback),
        TEST(test_forgotten), TEST(test_cosmetic), TEST(test_elsewhere), TEST(test_damaged_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
