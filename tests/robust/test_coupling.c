// Bodies in water, as rough as it gets: every shape, from a millimeter to a kilometer, thrown, driven
// through walls, teleported, piled up, removed, with steps of any length.

#include "tests/robust/rough_bodies.h"
#include "tarn/coupling.h"

static const float dts[] = { 1.0f / 60.0f, 1.0f / 240.0f, 1e-3f, 0.1f, 0.5f, 1e-6f };

// ---- Set-up --------------------------------------------------------------------------------------

static double most; // that was displaced so far [m^3]

static TarnBodies* make_bodies(TarnContext* where)
{
    most = 0.0;
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* bodies;
    assert_ok(tarn_bodies_create(where, &def, &bodies));
    return bodies;
}

static TarnBodyId add_body(TarnBodies* bodies, TarnShape shape, float density, bool is_driven,
                           TarnVec3 position)
{
    TarnBodyDef def = tarn_body_default_def();
    def.shape = shape, def.density = density, def.is_driven = is_driven;
    def.state.position = position;
    TarnBodyId id;
    TarnResult result = tarn_bodies_add(bodies, &def, &id);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(ctx));
    assert_int_equal(result, TARN_OK);
    return id;
}

static void move(TarnBodies* bodies, TarnBodyId id, TarnVec3 position, TarnVec3 velocity)
{
    TarnBodyState s;
    assert_ok(tarn_bodies_get_state(bodies, id, &s));
    s.position = position, s.velocity = velocity;
    assert_ok(tarn_bodies_set_state(bodies, id, &s));
}

static const Arena arena = { 1.8f, 0.9f, 2.5f, 1.5f, -2.0f, 1.0f, 9e3f, 2.0f };

// Between closed edges not a drop is lost.
static void assert_ledger(const TarnWave* wave)
{
    TarnWaveLedger ledger = tarn_wave_ledger(wave);
    most = fmax(most, ledger.displaced);
    double off = fabs(ledger.surface - ledger.displaced), limit = 1e-5 * fmax(most, 1e-3);
    if (off > limit) print_error("%g m^3 off of %g displaced\n", off, most);
    assert_true(off <= limit);
}

static TarnWaveDef basin(void)
{
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = 72, def.nz = 37, def.use_bodies = true;
    return def;
}

static void frame_of(TarnWave* wave, TarnBodies* bodies, float dt)
{
    assert_ok(tarn_couple_wave_bodies(wave, bodies, dt));
    assert_ok(tarn_wave_step(wave, dt, NULL));
    assert_ok(tarn_bodies_step(bodies, dt, NULL));
}

// ---- Bad arguments -------------------------------------------------------------------------------

static void test_bad_arguments(void** state)
{
    (void)state;
    TarnWave* wave = make_wave(ctx, basin(), GROUND_BED);
    TarnBodies* bodies = make_bodies(ctx);
    add_body(bodies, tarn_shape_sphere(0.3f), 500.0f, false, (TarnVec3){ 1.8f, 0.0f, 0.9f });
    for (int n = 0; n < 10; ++n) frame_of(wave, bodies, frame);
    uint64_t hash = tarn_wave_hash(wave), bodies_hash = tarn_bodies_hash(bodies);
    const float bad[] = { NAN, INFINITY, -INFINITY, -1e-9f, 10.001f, 1e30f };
    for (int n = 0; n < 6; ++n) {
        assert_result(tarn_couple_wave_bodies(wave, bodies, bad[n]), TARN_ERR_ARG, "dt");
    }
    assert_int_equal(tarn_couple_wave_bodies(NULL, bodies, frame), TARN_ERR_ARG);
    assert_int_equal(tarn_couple_wave_bodies(wave, NULL, frame), TARN_ERR_ARG);
    TarnWave* plain = make_wave(ctx, small_def(), GROUND_FLAT);
    uint64_t plain_hash = tarn_wave_hash(plain);
    assert_result(tarn_couple_wave_bodies(plain, bodies, frame), TARN_ERR_ARG, "use_bodies");
    assert_true(tarn_wave_hash(plain) == plain_hash);
    assert_true(tarn_wave_hash(wave) == hash && tarn_bodies_hash(bodies) == bodies_hash);
    const float odd[] = { 0.0f, 1e-45f, 1e-30f, 1e-9f, 10.0f }; // these are fine
    for (int n = 0; n < 5; ++n) {
        frame_of(wave, bodies, odd[n]);
        assert_sane(wave);
        assert_finite_bodies(bodies);
    }
    tarn_wave_destroy(plain);
    tarn_wave_destroy(wave);
    tarn_bodies_destroy(bodies);
}

static void test_no_allocation(void** state)
{
    (void)state;
    TarnWave* wave = make_wave(ctx, basin(), GROUND_WALLS);
    TarnBodies* bodies = make_bodies(ctx);
    for (int n = 0; n < SHAPES; ++n) {
        add_body(bodies, make_shape(n, 0), 500.0f, n % 2,
                 (TarnVec3){ 0.7f * (float)n, 0.0f, 0.9f });
    }
    int calls = memory.calls;
    for (int n = 0; n < 60; ++n) frame_of(wave, bodies, dts[n % 6]);
    assert_int_equal(memory.calls, calls);
    tarn_wave_destroy(wave);
    tarn_bodies_destroy(bodies);
}

// ---- Storms --------------------------------------------------------------------------------------

// One or several bodies of one shape and size: thrown about, teleported, driven, added and removed.
static uint64_t storm(TarnContext* where, int n, bool is_checked)
{
    TarnWaveDef def = basin();
    int kind = n % SHAPES, size = n / SHAPES % SIZES;
    bool is_closed = n % 3 != 2;
    if (is_closed && n % 2) set_edges(&def, 2, 2, 0, 0);
    if (!is_closed) set_edges(&def, 3, 1, n % 2, 3);
    TarnWave* wave = make_wave(where, def, (Ground)(n % 4 == 3 ? n / 4 % GROUNDS : 0));
    TarnBodies* bodies = make_bodies(where);
    random_at = (uint64_t)n * 1000;
    for (int f = 0; f < 24; ++f) {
        if (f % 8 == 0) {
            float density = pick(3) ? scale(100.0f, 8000.0f) : pick(2) ? 1.0f : 1e5f;
            TarnShape shape = make_shape(kind, pick(3) ? size : pick(5));
            TarnBodyId id =
                add_body(bodies, shape, density, pick(2), (TarnVec3){ 1.8f, 0.5f, 0.9f });
            throw_body(bodies, id, &arena);
        }
        for (int b = 0; b < tarn_bodies_count(bodies); ++b) {
            if (pick(3) == 0) throw_body(bodies, tarn_bodies_at(bodies, b), &arena);
        }
        if (f % 11 == 10) assert_ok(tarn_bodies_remove(bodies, tarn_bodies_at(bodies, 0)));
        frame_of(wave, bodies, dts[pick(6)]);
        if (is_checked) assert_sane(wave), assert_finite_bodies(bodies);
        if (is_checked && is_closed) assert_ledger(wave);
    }
    uint64_t hash = tarn_wave_hash(wave) ^ tarn_bodies_hash(bodies);
    tarn_wave_destroy(wave);
    tarn_bodies_destroy(bodies);
    return hash;
}

static void test_storms(void** state)
{
    (void)state;
    const struct {
        int workers;
        TarnIsa isa;
    } variants[] = { { 1, TARN_ISA_BASELINE },
                     { 1, TARN_ISA_AVX2 },
                     { 3, TARN_ISA_AUTO },
                     { 8, TARN_ISA_BASELINE } };
    TarnContext* where[4];
    for (int v = 0; v < 4; ++v) where[v] = make_context(variants[v].workers, variants[v].isa);
    int rounds = is_short_run() ? 1 : 2; // each has all shapes of all sizes
    for (int n = 0; n < rounds * SHAPES * SIZES; ++n) {
        uint64_t first = storm(where[0], n, true);
        for (int v = 1; v < 4; ++v) {
            if (where[v] && storm(where[v], n, false) != first) {
                print_error("storm %d, variant %d is not the same\n", n, v);
                fail();
            }
        }
    }
    for (int v = 0; v < 4; ++v) tarn_context_destroy(where[v]);
}

// Any water and any body: what the water does to it stays finite.
static void test_any_parameters(void** state)
{
    (void)state;
    for (int n = 0; n < (is_short_run() ? 80 : 400); ++n) {
        random_at = (uint64_t)n * 100;
        TarnWaveDef def = basin();
        def.nx = 20, def.nz = 18;
        def.dx = scale(1e-3f, 10.0f), def.gravity = scale(1e-3f, 1e3f),
        def.depth = scale(0.01f, 1e3f);
        def.speed = pick(2) ? scale(0.01f, 1e4f) : 0.0f;
        TarnWave* wave = make_wave(ctx, def, GROUND_FLAT);
        TarnBodies* bodies = make_bodies(ctx);
        TarnWaveParams p = tarn_wave_default_params();
        p.density = scale(1.0f, 1e5f), p.body_drag = scale(0.01f, 100.0f);
        p.body_damping = scale(0.01f, 100.0f), p.max_push = scale(0.01f, 1e3f);
        p.wave_gain = uniform(0.0f, 1.0f), p.calm_time = scale(0.1f, 100.0f);
        assert_ok(tarn_wave_set_params(wave, &p));
        float half = 0.5f * 20.0f * def.dx;
        int kind = pick(SHAPES), size = pick(SIZES);
        float density = scale(1.0f, 1e5f);
        TarnBodyId id = add_body(bodies, make_shape(kind, size), density, pick(2),
                                 (TarnVec3){ half, 0.0f, half });
        for (int f = 0; f < 12; ++f) {
            TarnVec3 at = { half, uniform(-1.0f, 1.0f) * half, half };
            float speed = pick(3) ? 1.0f : 570.0f;
            TarnVec3 v = { uniform(-speed, speed), uniform(-speed, speed), uniform(-speed, speed) };
            if (pick(3) == 0) move(bodies, id, at, v);
            if (pick(4) == 0) disturb(wave, 1000.0f);
            frame_of(wave, bodies, pick(4) ? scale(1e-4f, 0.1f) : scale(1e-30f, 10.0f));
            assert_sane(wave);
            assert_finite_bodies(bodies);
        }
        tarn_wave_destroy(wave);
        tarn_bodies_destroy(bodies);
    }
}

// ---- One thing at a time -------------------------------------------------------------------------

static void test_dropped(void** state)
{
    (void)state;
    for (int kind = 0; kind < SHAPES; ++kind) {
        for (int density = 200; density <= 3200; density *= 4) {
            TarnWave* wave = make_wave(ctx, basin(), GROUND_FLAT);
            TarnBodies* bodies = make_bodies(ctx);
            TarnVec3 at = { 1.8f, 1.0f, 0.9f };
            TarnBodyId id = add_body(bodies, make_shape(kind, 0), (float)density, false, at);
            TarnBodyForce force = { 0 };
            double lift = 0.0;
            for (int n = 0; n < 400; ++n) {
                frame_of(wave, bodies, frame);
                assert_ledger(wave);
                assert_ok(tarn_bodies_get_force(bodies, id, &force));
                if (n >= 200) lift += (double)force.force.y / 200.0;
            }
            TarnBodyState s;
            float mass, volume;
            assert_ok(tarn_bodies_get_state(bodies, id, &s));
            assert_ok(tarn_bodies_get_mass(bodies, id, &mass, &volume));
            assert_sane(wave);
            bool is_light = density < 1000;
            assert_true(is_light == (s.position.y > -1.0f)); // there is no floor
            assert_true(force.submerged_volume <= 1.0001f * volume);
            if (is_light) assert_true(fabs(lift / (9.81 * (double)mass) - 1.0) < 0.05);
            if (!is_light) assert_true(force.submerged_volume > 0.98f * volume);
            tarn_wave_destroy(wave);
            tarn_bodies_destroy(bodies);
        }
    }
}

static void test_through_walls(void** state)
{
    (void)state;
    TarnWaveDef def = basin();
    uint8_t wall[72 * 37] = { 0 };
    for (int k = 0; k < 37; ++k) wall[30 + 72 * k] = wall[31 + 72 * k] = 1;
    for (int kind = 0; kind < SHAPES; ++kind) {
        def.wall = wall;
        TarnWave* wave = make_wave(ctx, def, GROUND_FLAT);
        TarnBodies* bodies = make_bodies(ctx);
        TarnVec3 at = { -3.0f, -0.1f, 0.9f }, speed = { 4.0f, 0.0f, 0.0f };
        TarnBodyId id = add_body(bodies, make_shape(kind, 0), 500.0f, true, at);
        for (int n = 0; n < 150; ++n) { // in at one side, through the wall, out at the other
            at.x += speed.x * frame;
            move(bodies, id, at, speed);
            frame_of(wave, bodies, frame);
            assert_ledger(wave);
        }
        assert_sane(wave);
        assert_finite_bodies(bodies);
        assert_true(tarn_wave_ledger(wave).displaced == 0.0);
        TarnBodyForce force;
        assert_ok(tarn_bodies_get_force(bodies, id, &force));
        assert_true(force.submerged_volume == 0.0f && force.force.y == 0.0f);
        for (int n = 0; n < 60; ++n) frame_of(wave, bodies, frame);
        assert_float_equal(tarn_wave_level(wave), 0.0, 1e-5);
        for (size_t c = 0; c < 72 * 37; ++c) { // all pushed in has been taken out again
            size_t cell = wave_cell(wave, (int)(c % 72), (int)(c / 72));
            assert_true(wave->displaced[cell] == 0.0f);
        }
        tarn_wave_destroy(wave);
        tarn_bodies_destroy(bodies);
    }
}

static void test_removed_in_water(void** state)
{
    (void)state;
    for (int kind = 0; kind < SHAPES; ++kind) {
        TarnWave* wave = make_wave(ctx, basin(), GROUND_FLAT);
        TarnBodies* bodies = make_bodies(ctx);
        TarnVec3 at = { 1.8f, 0.0f, 0.9f };
        TarnBodyId id = add_body(bodies, make_shape(kind, 0), 500.0f, false, at);
        for (int n = 0; n < 60; ++n) frame_of(wave, bodies, frame);
        assert_ledger(wave);
        assert_true(most > 1e-3);
        assert_ok(tarn_bodies_remove(bodies, id));
        for (int n = 0; n < 300; ++n) {
            frame_of(wave, bodies, frame);
            assert_ledger(wave);
        }
        assert_true(tarn_wave_ledger(wave).displaced == 0.0);
        assert_true(highest(wave) < 0.1f); // and the water lies down again
        assert_sane(wave);
        tarn_wave_destroy(wave);
        tarn_bodies_destroy(bodies);
    }
}

static void test_many_in_one_place(void** state)
{
    (void)state;
    TarnWave* wave = make_wave(ctx, basin(), GROUND_FLAT);
    TarnBodies* bodies = make_bodies(ctx);
    for (int n = 0; n < 64; ++n) {
        TarnVec3 at = { 1.8f + 0.01f * (float)(n % 8), 0.0f, 0.9f + 0.01f * (float)(n / 8) };
        add_body(bodies, make_shape(n % SHAPES, n % 3 ? 0 : 3), 600.0f, n % 2, at);
    }
    for (int n = 0; n < 100; ++n) {
        for (int b = 0; b < 64; b += 2)
            throw_body(bodies, tarn_bodies_at(bodies, (b + n) % 64), &arena);
        frame_of(wave, bodies, dts[n % 5]);
        assert_sane(wave);
        assert_finite_bodies(bodies);
        assert_ledger(wave);
    }
    tarn_wave_destroy(wave);
    tarn_bodies_destroy(bodies);
}

// Fully under water and straight down: no column changes, so no hole opens behind it.
static void test_no_hole(void** state)
{
    (void)state;
    for (int kind = 0; kind < SHAPES; ++kind) {
        TarnWaveDef def = basin();
        def.depth = 3.0f;
        TarnWave* wave = make_wave(ctx, def, GROUND_FLAT);
        TarnBodies* bodies = make_bodies(ctx);
        TarnVec3 at = { 1.8f, -0.5f, 0.9f }, speed = { 0.0f, -1.0f, 0.0f };
        TarnBodyId id = add_body(bodies, make_shape(kind, 0), 500.0f, true, at);
        for (int n = 0; n < 90; ++n) {
            at.y += speed.y * frame;
            move(bodies, id, at, speed);
            frame_of(wave, bodies, frame);
            assert_true(highest(wave) <= 1e-3f);
        }
        assert_true(tarn_wave_ledger(wave).displaced > 1e-3);
        tarn_wave_destroy(wave);
        tarn_bodies_destroy(bodies);
    }
}

// From a bead to an island: water slows the spin of each at the same rate.
static void test_spin(void** state)
{
    (void)state;
    for (float r = 1e-3f; r < 900.0f; r *= 3.0f) {
        TarnWaveDef def = basin();
        def.dx = 0.3f * r, def.depth = fminf(10.0f * r, 1e4f);
        TarnWave* wave = make_wave(ctx, def, GROUND_FLAT);
        TarnBodies* bodies = make_bodies(ctx);
        TarnVec3 at = { 10.0f * r, -3.0f * r, 5.0f * r };
        TarnBodyId id = add_body(bodies, tarn_shape_sphere(r), 1000.0f, false, at);
        TarnBodyState s;
        TarnBodyForce force;
        float mass, volume;
        assert_ok(tarn_bodies_get_state(bodies, id, &s));
        s.angular_velocity.y = 2.0f;
        assert_ok(tarn_bodies_set_state(bodies, id, &s));
        assert_ok(tarn_couple_wave_bodies(wave, bodies, 1e-3f));
        assert_ok(tarn_bodies_get_force(bodies, id, &force));
        assert_ok(tarn_bodies_get_mass(bodies, id, &mass, &volume));
        float rate = -force.torque.y / (2.0f * 0.4f * mass * r * r);
        if (fabsf(rate / 0.8f - 1.0f) > 0.03f) print_error("radius %g m: %g 1/s\n", r, rate);
        assert_true(fabsf(rate / 0.8f - 1.0f) <=
                    0.03f); // body_damping twice: its own and the drag's
        tarn_wave_destroy(wave);
        tarn_bodies_destroy(bodies);
    }
}

static void test_save_with_bodies(void** state)
{
    (void)state;
    TarnWave *wave = make_wave(ctx, basin(), GROUND_BED),
             *copy = make_wave(ctx, basin(), GROUND_BED);
    TarnBodies* bodies[2];
    for (int b = 0; b < 2; ++b) {
        bodies[b] = make_bodies(ctx);
        for (int n = 0; n < SHAPES; ++n) {
            TarnVec3 at = { 0.6f * (float)n, 0.2f, 0.9f };
            add_body(bodies[b], make_shape(n, 0), 500.0f, false, at);
        }
    }
    for (int n = 0; n < 50; ++n) frame_of(wave, bodies[0], frame);
    size_t size, bodies_size;
    uint8_t *snapshot = save_wave(wave, &size), buffer[20000];
    assert_ok(tarn_bodies_save(bodies[0], buffer, sizeof buffer, &bodies_size));
    assert_ok(tarn_wave_load(copy, snapshot, size));
    assert_ok(tarn_bodies_load(bodies[1], buffer, bodies_size));
    for (int n = 0; n < 50; ++n) {
        frame_of(wave, bodies[0], frame);
        frame_of(copy, bodies[1], frame);
        assert_true(tarn_wave_hash(wave) == tarn_wave_hash(copy));
        assert_true(tarn_bodies_hash(bodies[0]) == tarn_bodies_hash(bodies[1]));
    }
    tarn_wave_reset(wave); // bodies that are in it push anew
    for (int n = 0; n < 20; ++n) {
        frame_of(wave, bodies[0], frame);
        assert_ledger(wave);
    }
    assert_true(tarn_wave_ledger(wave).displaced > 1e-3);
    free(snapshot);
    tarn_wave_destroy(wave);
    tarn_wave_destroy(copy);
    tarn_bodies_destroy(bodies[0]);
    tarn_bodies_destroy(bodies[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST_ALONE(test_bad_arguments),
                                        TEST_ALONE(test_no_allocation),
                                        TEST(test_storms),
                                        TEST_ALONE(test_any_parameters),
                                        TEST_ALONE(test_dropped),
                                        TEST_ALONE(test_through_walls),
                                        TEST_ALONE(test_removed_in_water),
                                        TEST_ALONE(test_many_in_one_place),
                                        TEST_ALONE(test_no_hole),
                                        TEST_ALONE(test_spin),
                                        TEST_ALONE(test_save_with_bodies) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
