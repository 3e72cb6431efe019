// Bodies in any Surface, and in several waters at once: forces of a frame add up, two ponds are as good as
// one alone to the bit, nothing is allocated, any number of workers gives the same bits, and what is refused.

#include "surface_common.h"

// ---- Set-up --------------------------------------------------------------------------------------

static TarnBodies* make_bodies(TarnContext* where)
{
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* bodies;
    assert_ok(tarn_bodies_create(where, &def, &bodies));
    return bodies;
}

static TarnBodyId add(TarnBodies* bodies, TarnShape shape, float density, TarnVec3 at)
{
    TarnBodyDef def = tarn_body_default_def();
    def.shape = shape, def.density = density, def.state.position = at;
    TarnBodyId id;
    assert_ok(tarn_bodies_add(bodies, &def, &id));
    return id;
}

static TarnBodyState state_of(const TarnBodies* bodies, TarnBodyId id)
{
    TarnBodyState s = { 0 };
    assert_ok(tarn_bodies_get_state(bodies, id, &s));
    return s;
}
static TarnBodyForce force_of(const TarnBodies* bodies, TarnBodyId id)
{
    TarnBodyForce f = { 0 };
    assert_ok(tarn_bodies_get_force(bodies, id, &f));
    return f;
}

static bool is_same_state(TarnBodyState a, TarnBodyState b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

// ---- One water -----------------------------------------------------------------------------------

// All shapes, at rest on a level surface: the force is the weight of what they displace.
static void test_buoyancy(void** state)
{
    (void)state;
    static const TarnVec3 points[6] = { { 0.4f, 0, 0 },  { -0.4f, 0, 0 }, { 0, 0.3f, 0 },
                                        { 0, -0.3f, 0 }, { 0, 0, 0.5f },  { 0, 0, -0.5f } };
    const TarnShape shapes[4] = { tarn_shape_sphere(0.4f), tarn_shape_box(0.5f, 0.2f, 0.3f),
                                  tarn_shape_capsule(0.2f, 0.4f), tarn_shape_hull(points, 6) };
    Host host = { .level = 1.0f, .depth = 100.0f };
    TarnSurface surface = { .self = &host, .query = host_query };
    TarnFloatParams params = tarn_float_default_params();
    params.added_mass = 0.0f;
    for (int s = 0; s < 4; ++s) {
        TarnBodies* bodies = make_bodies(ctx);
        TarnBodyId deep_id = add(bodies, shapes[s], 500.0f, (TarnVec3){ 0.0f, -5.0f, 0.0f });
        TarnBodyId half = add(bodies, shapes[s], 500.0f, (TarnVec3){ 9.0f, 1.0f, 3.0f });
        TarnBodyId high = add(bodies, shapes[s], 500.0f, (TarnVec3){ 0.0f, 5.0f, 0.0f });
        float mass, volume;
        assert_ok(tarn_bodies_get_mass(bodies, deep_id, &mass, &volume));
        assert_ok(tarn_couple_surface_bodies(&surface, &params, bodies, 1e-4f));
        double lift = 1000.0 * 9.81 * (double)volume;
        assert_true(fabs((double)force_of(bodies, deep_id).force.y / lift - 1.0) < 1e-3);
        assert_true(fabs((double)force_of(bodies, half).force.y / lift - 0.5) < 0.01);
        TarnBodyForce none = force_of(bodies, high);
        assert_true(none.force.y == 0.0f && none.submerged_volume == 0.0f);
        tarn_bodies_destroy(bodies);
    }
}

// A slope pushes downhill with the weight of the displaced water; a current takes a body along; dry land
// carries nothing; a bed under a column ends the water.
static void test_slope_current_land(void** state)
{
    (void)state;
    Host host = { .level = 0.0f, .slope_x = 0.1f, .depth = 100.0f };
    TarnSurface surface = { .self = &host, .query = host_query };
    TarnFloatParams params = tarn_float_default_params();
    params.added_mass = 0.0f;
    TarnBodies* bodies = make_bodies(ctx);
    TarnBodyId id = add(bodies, tarn_shape_sphere(0.3f), 1000.0f, (TarnVec3){ 2.0f, -3.0f, 1.0f });
    float mass, volume;
    assert_ok(tarn_bodies_get_mass(bodies, id, &mass, &volume));
    assert_ok(tarn_couple_surface_bodies(&surface, &params, bodies, 1e-4f));
    double weight = 9810.0 * (double)volume;
    assert_true(fabs((double)force_of(bodies, id).force.x / weight + 0.1) < 1e-3);
    host.slope_x = 0.0f;
    host.velocity = (TarnVec3){ 2.0f, 0.0f, -1.0f };
    for (int n = 0; n < 1200; ++n) {
        assert_ok(tarn_couple_surface_bodies(&surface, &params, bodies, frame));
        assert_ok(tarn_bodies_step(bodies, frame, NULL));
    }
    TarnVec3 v = state_of(bodies, id).velocity;
    assert_true(fabs((double)v.x - 2.0) < 0.02 && fabs((double)v.z + 1.0) < 0.02);
    host.depth = 0.0f;
    assert_ok(tarn_couple_surface_bodies(&surface, &params, bodies, frame));
    assert_true(force_of(bodies, id).submerged_volume == 0.0f);
    TarnBodyState s = state_of(bodies, id);
    s.position.y = -1.0f, s.velocity = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    assert_ok(tarn_bodies_set_state(bodies, id, &s));
    host.depth = 1.0f; // the bed goes through its middle
    assert_ok(tarn_couple_surface_bodies(&surface, &params, bodies, frame));
    assert_true(fabs((double)force_of(bodies, id).submerged_volume / (double)volume - 0.5) < 0.02);
    tarn_bodies_destroy(bodies);
}

// A body that drifts with the current leaves the water alone; one that moves through it, or dives, does not.
static void test_what_pushes(void** state)
{
    (void)state;
    Host host = { .depth = 100.0f, .velocity = { 3.0f, 0.0f, 0.0f } };
    TarnSurface surface = host_surface(&host);
    TarnFloatParams params = tarn_float_default_params();
    TarnBodies* bodies = make_bodies(ctx);
    TarnBodyId id = add(bodies, tarn_shape_box(0.5f, 0.2f, 0.5f), 500.0f, (TarnVec3){ 0, 0, 0 });
    TarnBodyState s = state_of(bodies, id);
    s.velocity.x = 3.0f;
    assert_ok(tarn_bodies_set_state(bodies, id, &s));
    assert_ok(tarn_couple_surface_bodies(&surface, &params, bodies, frame));
    assert_int_equal(host.pushes, 0);
    s.velocity.x = 0.0f; // the current goes by: from its stern to its bow, and the drag
    assert_ok(tarn_bodies_set_state(bodies, id, &s));
    assert_ok(tarn_couple_surface_bodies(&surface, &params, bodies, frame));
    assert_in_range(host.pushes, 2, 3);
    host.pushes = 0, host.velocity.x = 0.0f;
    s.velocity.y = -2.0f;
    assert_ok(tarn_bodies_set_state(bodies, id, &s));
    assert_ok(tarn_couple_surface_bodies(&surface, &params, bodies, frame));
    assert_int_equal(host.pushes, 1);
    host.pushes = 0, params.push = 0.0f;
    assert_ok(tarn_couple_surface_bodies(&surface, &params, bodies, frame));
    assert_int_equal(host.pushes, 0);
    tarn_bodies_destroy(bodies);
}

// Water that is pushed loses nothing: shallow water and pipes to the last grain.
static void test_volume(void** state)
{
    (void)state;
    TarnShallow* shallow = small_shallow(ctx, (TarnVec2){ 0.0f, 0.0f }, false);
    TarnPipes* pipes = small_pipes(ctx, (TarnVec2){ 0.0f, 0.0f });
    TarnWave* wave = small_wave(ctx, (TarnVec2){ 0.0f, 0.0f }, false);
    TarnSurface surfaces[3] = { tarn_shallow_surface(shallow), tarn_pipes_surface(pipes),
                                tarn_wave_surface(wave) };
    TarnBodies* bodies[3];
    double shallow_volume = tarn_shallow_ledger(shallow).volume;
    for (int w = 0; w < 3; ++w) {
        bodies[w] = make_bodies(ctx);
        add(bodies[w], tarn_shape_box(0.6f, 0.3f, 0.4f), 700.0f, (TarnVec3){ 6.0f, 4.0f, 4.0f });
        add(bodies[w], tarn_shape_sphere(0.4f), 300.0f, (TarnVec3){ 3.0f, 0.8f, 3.0f });
    }
    for (int n = 0; n < 300; ++n) {
        for (int w = 0; w < 3; ++w) {
            assert_ok(tarn_couple_surface_bodies(&surfaces[w], NULL, bodies[w], frame));
            assert_ok(tarn_bodies_step(bodies[w], frame, NULL));
        }
        assert_ok(tarn_shallow_step(shallow, frame, NULL));
        assert_ok(tarn_pipes_step(pipes, frame, NULL));
        assert_ok(tarn_wave_step(wave, frame, NULL));
        assert_true(tarn_shallow_ledger(shallow).volume == shallow_volume);
        assert_true(tarn_pipes_ledger(pipes).water_error == 0.0);
        assert_true(fabs(tarn_wave_volume(wave)) < 1e-5);
    }
    for (int w = 0; w < 3; ++w) tarn_bodies_destroy(bodies[w]);
    tarn_shallow_destroy(shallow);
    tarn_pipes_destroy(pipes);
    tarn_wave_destroy(wave);
}

// ---- Several waters ------------------------------------------------------------------------------

enum { A_WAVE, A_SHALLOW, ANY_WAVE, ANY_SHALLOW, ANY_PIPES, PONDS };

typedef struct Pond {
    int kind;
    TarnWave* wave;
    TarnShallow* shallow;
    TarnPipes* pipes;
} Pond;

static Pond make_pond(TarnContext* where, int kind, TarnVec2 at)
{
    Pond p = { .kind = kind };
    if (kind == A_WAVE || kind == ANY_WAVE) p.wave = small_wave(where, at, kind == A_WAVE);
    if (kind == A_SHALLOW || kind == ANY_SHALLOW)
        p.shallow = small_shallow(where, at, kind == A_SHALLOW);
    if (kind == ANY_PIPES) p.pipes = small_pipes(where, at);
    return p;
}
static void end_pond(Pond* p)
{
    tarn_wave_destroy(p->wave);
    tarn_shallow_destroy(p->shallow);
    tarn_pipes_destroy(p->pipes);
}
static TarnSurface surface_of(const Pond* p)
{
    return p->wave      ? tarn_wave_surface(p->wave)
           : p->shallow ? tarn_shallow_surface(p->shallow)
                        : tarn_pipes_surface(p->pipes);
}
static void couple(Pond* p, TarnBodies* bodies)
{
    TarnSurface surface = surface_of(p);
    if (p->kind == A_WAVE)
        assert_ok(tarn_couple_wave_bodies(p->wave, bodies, frame));
    else if (p->kind == A_SHALLOW)
        assert_ok(tarn_couple_shallow_bodies(p->shallow, bodies, frame));
    else
        assert_ok(tarn_couple_surface_bodies(&surface, NULL, bodies, frame));
}
static void advance(Pond* p)
{
    if (p->wave) assert_ok(tarn_wave_step(p->wave, frame, NULL));
    if (p->shallow) assert_ok(tarn_shallow_step(p->shallow, frame, NULL));
    if (p->pipes) assert_ok(tarn_pipes_step(p->pipes, frame, NULL));
}
static uint64_t hash_of(const Pond* p)
{
    return p->wave      ? tarn_wave_hash(p->wave)
           : p->shallow ? tarn_shallow_hash(p->shallow)
                        : tarn_pipes_hash(p->pipes);
}

// A boat in each of two ponds does what it does in a pond alone, to the bit; and so does the water.
static void test_two_ponds(void** state)
{
    (void)state;
    const TarnVec2 at[2] = { { 0.0f, 0.0f }, { 40.0f, 7.0f } };
    for (int first = 0; first < PONDS; ++first) {
        for (int second = 0; second < PONDS; ++second) {
            Pond both[2] = { make_pond(ctx, first, at[0]), make_pond(ctx, second, at[1]) };
            Pond alone[2] = { make_pond(ctx, first, at[0]), make_pond(ctx, second, at[1]) };
            TarnBodies *all = make_bodies(ctx), *own[2] = { make_bodies(ctx), make_bodies(ctx) };
            TarnBodyId in_all[2], in_own[2];
            for (int p = 0; p < 2; ++p) {
                TarnVec3 boat = { at[p].x + 5.0f, 2.4f, at[p].y + 4.1f };
                TarnShape shape = tarn_shape_box(0.7f, 0.25f, 0.4f);
                in_all[p] = add(all, shape, 450.0f, boat);
                in_own[p] = add(own[p], shape, 450.0f, boat);
            }
            for (int n = 0; n < 90; ++n) {
                tarn_bodies_begin_forces(all);
                for (int p = 0; p < 2; ++p) couple(&both[p], all);
                for (int p = 0; p < 2; ++p) couple(&alone[p], own[p]);
                for (int p = 0; p < 2; ++p) {
                    advance(&both[p]), advance(&alone[p]);
                    assert_ok(tarn_bodies_step(own[p], frame, NULL));
                }
                assert_ok(tarn_bodies_step(all, frame, NULL));
            }
            for (int p = 0; p < 2; ++p) {
                assert_true(is_same_state(state_of(all, in_all[p]), state_of(own[p], in_own[p])));
                assert_true(force_of(all, in_all[p]).submerged_volume > 0.0f);
                assert_true(hash_of(&both[p]) == hash_of(&alone[p]));
                end_pond(&both[p]), end_pond(&alone[p]);
                tarn_bodies_destroy(own[p]);
            }
            tarn_bodies_destroy(all);
        }
    }
}

// Without the call each coupling replaces what the last one gave.
static void test_replace_or_add(void** state)
{
    (void)state;
    Host one = { .level = 1.0f, .depth = 100.0f }, two = one;
    two.level = -50.0f;
    TarnSurface here = { .self = &one, .query = host_query };
    TarnSurface below = { .self = &two, .query = host_query };
    TarnBodies* bodies = make_bodies(ctx);
    TarnBodyId id = add(bodies, tarn_shape_sphere(0.3f), 500.0f, (TarnVec3){ 0, 0, 0 });
    assert_ok(tarn_couple_surface_bodies(&here, NULL, bodies, frame));
    float lift = force_of(bodies, id).force.y;
    assert_true(lift > 0.0f);
    assert_ok(tarn_couple_surface_bodies(&below, NULL, bodies, frame));
    assert_true(force_of(bodies, id).force.y == 0.0f);
    tarn_bodies_begin_forces(bodies);
    assert_ok(tarn_couple_surface_bodies(&here, NULL, bodies, frame));
    assert_ok(tarn_couple_surface_bodies(&below, NULL, bodies, frame));
    assert_true(force_of(bodies, id).force.y == lift);
    tarn_bodies_begin_forces(bodies);
    assert_true(force_of(bodies, id).force.y == 0.0f);
    tarn_bodies_begin_forces(NULL);
    tarn_bodies_destroy(bodies);
}

// Many stiff waters at one place: each is stable with what the others have done, so that a light raft is
// not thrown however many there are.
static void test_overlapping(void** state)
{
    (void)state;
    Host host = { .depth = 100.0f };
    TarnSurface surface = { .self = &host, .query = host_query };
    for (int waters = 1; waters <= 6; ++waters) {
        TarnBodies* bodies = make_bodies(ctx);
        TarnBodyId id =
            add(bodies, tarn_shape_box(2.0f, 0.1f, 2.0f), 50.0f, (TarnVec3){ 0, 0.02f, 0 });
        float most = 0.0f;
        for (int n = 0; n < 120; ++n) {
            tarn_bodies_begin_forces(bodies);
            for (int w = 0; w < waters; ++w)
                assert_ok(tarn_couple_surface_bodies(&surface, NULL, bodies, 0.1f));
            assert_ok(tarn_bodies_step(bodies, 0.1f, NULL));
            most = fmaxf(most, fabsf(state_of(bodies, id).velocity.y));
        }
        assert_true(most < 0.1f * 9.81f); // never more than a frame of free fall
        tarn_bodies_destroy(bodies);
    }
}

// A pond above a tank of liquid: the body feels both.
static void test_water_and_liquid(void** state)
{
    (void)state;
    TarnSolidsDef solids_def = tarn_solids_default_def();
    TarnLiquidDef def = tarn_liquid_default_def();
    TarnSolids* solids;
    TarnLiquid* liquid;
    TarnBodies* bodies = make_bodies(ctx);
    def.dimensions = 3, def.spacing = 0.08f, def.max_particles = 20000;
    def.box_min = (TarnVec3){ -0.8f, 0.0f, -0.4f }, def.box_max = (TarnVec3){ 0.8f, 1.6f, 0.4f };
    def.walls = TARN_LIQUID_BOX;
    assert_ok(tarn_solids_create(ctx, &solids_def, &solids));
    assert_ok(tarn_liquid_create(ctx, &def, &liquid));
    assert_ok(tarn_liquid_set_solids(liquid, solids));
    TarnBodyId id = add(bodies, tarn_shape_box(0.2f, 0.2f, 0.2f), 900.0f, (TarnVec3){ 0, 0.4f, 0 });
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape =
        tarn_shape_box_between(def.box_min, (TarnVec3){ 0.8f, 0.8f, 0.4f }, &fill.pose.position);
    assert_ok(tarn_couple_solids_prepare(solids, bodies));
    assert_ok(tarn_liquid_fill(liquid, &fill, NULL));
    Host host = { .level = 0.4f, .depth = 100.0f };
    TarnSurface surface = { .self = &host, .query = host_query };
    double both = 0.0, water = 0.0;
    for (int n = 0; n < 30; ++n) {
        TarnStepReport report;
        assert_ok(tarn_solids_advance(solids, frame));
        tarn_bodies_begin_forces(bodies);
        assert_ok(tarn_couple_surface_bodies(&surface, NULL, bodies, frame));
        water = (double)force_of(bodies, id).force.y;
        assert_ok(tarn_couple_liquid_bodies(liquid, bodies, frame, &report));
        both = (double)force_of(bodies, id).force.y;
        if (n >= 5) assert_true(water > 0.0 && both > water + 50.0);
        assert_ok(tarn_bodies_set_state(
            bodies, id,
            &(TarnBodyState){ .position = { 0, 0.4f, 0 }, .rotation = { 0, 0, 0, 1 } }));
    }
    tarn_bodies_destroy(bodies);
    tarn_liquid_destroy(liquid);
    tarn_solids_destroy(solids);
}

// ---- Contract ------------------------------------------------------------------------------------

static void test_bad_calls(void** state)
{
    (void)state;
    Host host = { .depth = 1.0f };
    TarnSurface surface = host_surface(&host);
    TarnBodies* bodies = make_bodies(ctx);
    add(bodies, tarn_shape_sphere(0.3f), 500.0f, (TarnVec3){ 0, 0, 0 });
    assert_ok(tarn_couple_surface_bodies(&surface, NULL, bodies, frame));
    uint64_t hash = tarn_bodies_hash(bodies);
    TarnFloatParams params = tarn_float_default_params();
    assert_int_equal(tarn_couple_surface_bodies(&surface, NULL, NULL, frame), TARN_ERR_ARG);
    assert_result(tarn_couple_surface_bodies(NULL, NULL, bodies, frame), TARN_ERR_ARG, "surface");
    assert_result(tarn_couple_surface_bodies(&(TarnSurface){ 0 }, NULL, bodies, frame),
                  TARN_ERR_ARG, "surface");
    const float bad[] = { NAN, INFINITY, -1.0f, 1e30f };
    for (int n = 0; n < 4; ++n) {
        assert_result(tarn_couple_surface_bodies(&surface, NULL, bodies, bad[n]), TARN_ERR_ARG,
                      "dt");
        const TarnParamTable* table = tarn_float_params_table();
        for (int p = 0; p < table->count; ++p) {
            params = tarn_float_default_params();
            poke(&table->params[p], &params, 0, (double)bad[n]);
            assert_result(tarn_couple_surface_bodies(&surface, &params, bodies, frame),
                          TARN_ERR_ARG, table->params[p].name);
        }
    }
    assert_true(tarn_bodies_hash(bodies) == hash);
    tarn_bodies_destroy(bodies);
}

static uint64_t run_pool(int workers, TarnIsa isa, bool counts)
{
    TarnContext* where = make_context(workers, isa);
    if (where == NULL) return 0;
    TarnPipes* pipes = small_pipes(where, (TarnVec2){ 0.0f, 0.0f });
    TarnShallow* shallow = small_shallow(where, (TarnVec2){ 6.0f, 0.0f }, false);
    TarnWave* wakes = small_wave(where, (TarnVec2){ 3.0f, 0.0f }, false);
    TarnSurfacePatchwork work = { .base = tarn_pipes_surface(pipes),
                                  .patches = { tarn_shallow_surface(shallow) },
                                  .n = 1,
                                  .rim = 1.0f };
    TarnSurfaceSum sum = { .members = { tarn_surface_patchwork(&work), tarn_wave_surface(wakes) },
                           .level = { 0.0f, deep },
                           .n = 2,
                           .rim = 1.0f };
    TarnSurface surface = tarn_surface_sum(&sum);
    TarnBodies* bodies = make_bodies(where);
    for (int n = 0; n < 24; ++n) {
        TarnShape shape = n % 3 == 0   ? tarn_shape_sphere(0.2f)
                          : n % 3 == 1 ? tarn_shape_box(0.3f, 0.1f, 0.2f)
                                       : tarn_shape_capsule(0.15f, 0.3f);
        add(bodies, shape, 300.0f + 40.0f * (float)n,
            (TarnVec3){ 1.0f + 0.7f * (float)(n % 12), 2.3f, 2.0f + 3.0f * (float)(n / 12) });
    }
    int calls = memory.calls;
    for (int n = 0; n < 120; ++n) {
        assert_int_equal(tarn_couple_surface_bodies(&surface, NULL, bodies, frame), TARN_OK);
        assert_int_equal(tarn_pipes_step(pipes, frame, NULL), TARN_OK);
        assert_int_equal(tarn_shallow_step(shallow, frame, NULL), TARN_OK);
        assert_int_equal(tarn_wave_step(wakes, frame, NULL), TARN_OK);
        assert_int_equal(tarn_bodies_step(bodies, frame, NULL), TARN_OK);
    }
    if (counts) assert_int_equal(memory.calls, calls);
    uint64_t hash = tarn_bodies_hash(bodies) ^ tarn_pipes_hash(pipes) ^ tarn_shallow_hash(shallow) ^
                    tarn_wave_hash(wakes);
    tarn_bodies_destroy(bodies);
    tarn_pipes_destroy(pipes);
    tarn_shallow_destroy(shallow);
    tarn_wave_destroy(wakes);
    tarn_context_destroy(where);
    return hash;
}

static void test_same_bits(void** state)
{
    (void)state;
    uint64_t one = run_pool(1, TARN_ISA_BASELINE, true);
    assert_true(run_pool(4, TARN_ISA_BASELINE, false) == one);
    uint64_t wide = run_pool(3, TARN_ISA_AVX2, false);
    assert_true(wide == 0 || wide == one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_buoyancy),    TEST_ALONE(test_slope_current_land),
        TEST_ALONE(test_what_pushes), TEST_ALONE(test_volume),
        TEST_ALONE(test_two_ponds),   TEST_ALONE(test_replace_or_add),
        TEST_ALONE(test_overlapping), TEST_ALONE(test_water_and_liquid),
        TEST_ALONE(test_bad_calls),   TEST(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
