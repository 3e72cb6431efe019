// Bodies in shallow water, as rough as it gets: every shape, from a millimeter to a kilometer, thrown,
// driven through hills, teleported, piled up, removed, with steps of any length.

#include "tests/robust/rough_bodies.h"
#include "tests/sanitized.h"
#include "tests/unit/shallow_common.h"
#include "tarn/coupling.h"

static const float dts[] = { 1.0f / 60.0f, 1.0f / 240.0f, 1e-3f, 0.05f, 0.1f, 0.5f, 1e-6f, 0.0f };

static bool has_been_deep; // this sea

static TarnShallow* make_sea(bool has_hills)
{
    TarnShallowDef def = water_def();
    if (has_hills) def.bed_fn = water_hills;
    def.level = 0.7f, def.has_level = true, def.use_bodies = true;
    has_been_deep = false;
    return make_water(&def);
}

static TarnBodies* make_bodies(void)
{
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* bodies;
    assert_ok(tarn_bodies_create(ctx, &def, &bodies));
    return bodies;
}

static TarnBodyId add_body(TarnBodies* bodies, TarnShape shape, float density, bool is_driven)
{
    TarnBodyDef def = tarn_body_default_def();
    def.shape = shape, def.density = density, def.is_driven = is_driven;
    TarnBodyId id;
    TarnResult result = tarn_bodies_add(bodies, &def, &id);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(ctx));
    assert_int_equal(result, TARN_OK);
    return id;
}

static const Arena arena = { 25.0f, 10.0f, 30.0f, 15.0f, -2.0f, 3.0f, 300.0f, 3.0f };

static void assert_sane_water(const TarnShallow* water, double volume)
{
    int n_bad = 0;
    float deepest = 0.0f;
    for (int k = 0; k < water->def.nz; ++k) {
        for (int i = 0; i < water->def.nx; ++i) {
            size_t c = shallow_cell(water, i, k);
            deepest = fmaxf(deepest, water->h[c]);
            n_bad += !tarn__is_finite(water->u[c]) || !tarn__is_finite(water->w[c]);
            n_bad += !(water->h[c] >= 0.0f) || !tarn__is_finite(water->h[c]);
            n_bad += !(water->load[c] >= 0.0f && water->load[c] <= water->def.max_depth);
            n_bad += !tarn__is_finite(water->calm[c]);
            n_bad += water->b[c] != water->ground[c] + water->load[c];
        }
    }
    assert_int_equal(n_bad, 0);
    // Not a grain is lost between closed edges, unless an island at 900 m/s heaps the water up higher
    // than the solver counts.
    if (deepest > 0.5f * water->def.max_depth) has_been_deep = true;
    double off = fabs(counted_volume(water) - volume);
    assert_true(has_been_deep ? off <= 1e-6 * volume : off == 0.0);
}

static void frame_of(TarnShallow* water, TarnBodies* bodies, float dt)
{
    assert_ok(tarn_couple_shallow_bodies(water, bodies, dt));
    assert_ok(tarn_shallow_step(water, dt, NULL));
    assert_ok(tarn_bodies_set_ground(bodies, tarn_shallow_bed(water), tarn_shallow_origin(water),
                                     water->def.dx));
    assert_ok(tarn_bodies_step(bodies, dt, NULL));
}

static void test_storms(void** state)
{
    (void)state;
    for (int size = 0; size < SIZES; ++size) {
        for (int kind = 0; kind < SHAPES; ++kind) {
            TarnShallow* water = make_sea(kind % 2 == 0);
            TarnBodies* bodies = make_bodies();
            double volume = counted_volume(water);
            for (int b = 0; b < 3; ++b)
                add_body(bodies, make_shape(kind, size), scale(1.0f, 9e3f), b == 1);
            for (int n = 0; n < (is_short_run() ? 15 : 40); ++n) { // 15: each is thrown once
                if (n % 5 == 0) throw_body(bodies, tarn_bodies_at(bodies, n % 3), &arena);
                frame_of(water, bodies, dts[pick(8)]);
                assert_sane_water(water, volume);
                assert_finite_bodies(bodies);
            }
            tarn_shallow_destroy(water);
            tarn_bodies_destroy(bodies);
        }
    }
}

static void test_any_parameters(void** state)
{
    (void)state;
    TarnShallow* water = make_sea(true);
    TarnBodies* bodies = make_bodies();
    double volume = counted_volume(water);
    for (int b = 0; b < 10; ++b) add_body(bodies, make_shape(b % SHAPES, 0), 500.0f, b % 3 == 2);
    for (int n = 0; n < 200; ++n) {
        TarnShallowParams p = tarn_shallow_default_params();
        p.body_drag = pick(3) ? scale(1e-3f, 100.0f) : 0.0f;
        p.body_lift = pick(3) ? scale(1e-3f, 100.0f) : 0.0f;
        p.body_damping = pick(3) ? scale(1e-3f, 100.0f) : 0.0f;
        p.body_push = uniform(0.0f, 1.0f);
        p.max_push = scale(0.01f, 1e3f);
        p.density = scale(1.0f, 1e5f);
        assert_ok(tarn_shallow_set_params(water, &p));
        throw_body(bodies, tarn_bodies_at(bodies, n % 10), &arena);
        frame_of(water, bodies, dts[pick(8)]);
        assert_sane_water(water, volume);
        assert_finite_bodies(bodies);
    }
    tarn_shallow_destroy(water);
    tarn_bodies_destroy(bodies);
}

// Piled up in one place, then gone: the floor is as before.
static void test_many_in_one_place(void** state)
{
    (void)state;
    TarnShallow* water = make_sea(false);
    TarnBodies* bodies = make_bodies();
    double volume = counted_volume(water);
    for (int n = 0; n < 64; ++n) {
        TarnBodyId id = add_body(bodies, make_shape(n % SHAPES, n % 3 ? 0 : 4), 600.0f, n % 2);
        TarnBodyState s;
        assert_ok(tarn_bodies_get_state(bodies, id, &s));
        s.position =
            (TarnVec3){ 25.0f + 0.01f * (float)(n % 8), 0.5f, 10.0f + 0.01f * (float)(n / 8) };
        assert_ok(tarn_bodies_set_state(bodies, id, &s));
    }
    for (int n = 0; n < 60; ++n) {
        frame_of(water, bodies, dts[n % 4]);
        assert_sane_water(water, volume);
        assert_finite_bodies(bodies);
    }
    while (tarn_bodies_count(bodies) > 0)
        assert_ok(tarn_bodies_remove(bodies, tarn_bodies_at(bodies, 0)));
    for (int n = 0; n < (is_short_run() ? 60 : 600); ++n) frame_of(water, bodies, frame);
    assert_sane_water(water, volume);
    for (int k = 0; k < water->def.nz; ++k) {
        for (int i = 0; i < water->def.nx; ++i)
            assert_true(water->load[shallow_cell(water, i, k)] == 0.0f);
    }
    tarn_shallow_destroy(water);
    tarn_bodies_destroy(bodies);
}

// Terrain that is dug away and heaped up under bodies, and a window that moves on.
static void test_moving_ground(void** state)
{
    (void)state;
    TarnShallow* water = make_sea(true);
    TarnBodies* bodies = make_bodies();
    for (int b = 0; b < 10; ++b) {
        throw_body(bodies, add_body(bodies, make_shape(b % SHAPES, 0), 500.0f, false), &arena);
    }
    for (int n = 0; n < 200; ++n) {
        TarnVec2 at = { uniform(0.0f, 50.0f), uniform(0.0f, 20.0f) };
        assert_ok(tarn_shallow_dig(water, at, uniform(0.5f, 5.0f), uniform(-1.0f, 1.0f)));
        if (n % 20 == 19) assert_ok(tarn_shallow_shift(water, pick(5) - 2, pick(5) - 2));
        if (n % 10 == 0) throw_body(bodies, tarn_bodies_at(bodies, n / 10 % 10), &arena);
        frame_of(water, bodies, dts[n % 5]);
        assert_sane_water(water, counted_volume(water));
        assert_finite_bodies(bodies);
        TarnShallowLedger l = tarn_shallow_ledger(water);
        double sum = l.initial + l.edges + l.sources + l.rain + l.evaporated + l.window;
        assert_true(fabs(l.volume - sum) <= 1e-6 * l.initial);
    }
    tarn_shallow_destroy(water);
    tarn_bodies_destroy(bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_storms), TEST(test_any_parameters),
                                        TEST(test_many_in_one_place), TEST(test_moving_ground) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
