// Flows that push bodies: who is pushed and who is not, sums of forces, queries, bits, memory, a boat with a sail.
// Physics: tests/physics/check_push.c.

#include "test_common.h"
#include <stdatomic.h>
#include "base/maths.h"
#include "tarn/coupling.h"

static TarnBodies* make_bodies_in(TarnContext* where, int max_bodies, bool has_gravity)
{
    TarnBodiesDef def = tarn_bodies_default_def();
    def.max_bodies = max_bodies;
    if (!has_gravity) def.gravity = (TarnVec3){ 0, 0, 0 };
    TarnBodies* bodies;
    assert_int_equal(tarn_bodies_create(where, &def, &bodies), TARN_OK);
    return bodies;
}

static TarnBodyId add_body(TarnBodies* bodies, TarnShape shape, float density, TarnVec3 at)
{
    TarnBodyDef def = tarn_body_default_def();
    def.shape = shape, def.density = density, def.state.position = at;
    TarnBodyId id;
    assert_int_equal(tarn_bodies_add(bodies, &def, &id), TARN_OK);
    return id;
}

static TarnBodyState state_of(TarnBodies* bodies, TarnBodyId id)
{
    TarnBodyState s;
    assert_int_equal(tarn_bodies_get_state(bodies, id, &s), TARN_OK);
    return s;
}

static TarnVec3 pushed(TarnBodies* bodies, TarnBodyId id)
{
    TarnVec3 force, torque;
    assert_int_equal(tarn_bodies_get_added_force(bodies, id, &force, &torque), TARN_OK);
    return force;
}

// ---- A jet, with a count of its queries -------------------------------------------------------------

typedef struct Jet {
    TarnVec3 velocity;
    float x0, x1, density; // present between these [m]; [kg/m^3]
    bool is_bad;           // answers nonsense
    atomic_int calls, points;
} Jet;

static void jet_query(const void* self, int n, const float* x, const float* y, const float* z,
                      const TarnFlowSamples* out)
{
    Jet* jet = (Jet*)(uintptr_t)self;
    (void)y, (void)z;
    ++jet->calls;
    jet->points += n;
    for (int i = 0; i < n; ++i) {
        bool is_in = x[i] > jet->x0 && x[i] < jet->x1;
        if (out->velocity) out->velocity[i] = is_in ? jet->velocity : (TarnVec3){ 0, 0, 0 };
        if (out->presence) out->presence[i] = is_in ? 1.0f : 0.0f;
        if (out->density) out->density[i] = is_in ? jet->density : 0.0f;
        if (jet->is_bad && out->velocity)
            out->velocity[i] = (TarnVec3){ i % 3 ? NAN : INFINITY, 1e38f, -1e38f };
        if (jet->is_bad && out->density) out->density[i] = i % 2 ? NAN : INFINITY;
        if (jet->is_bad && out->presence) out->presence[i] = i % 5 ? 1e30f : NAN;
    }
}

static void test_who(void** state)
{
    (void)state;
    TarnBodies* bodies = make_bodies_in(ctx, 64, false);
    Jet jet = { .velocity = { 0, 0, 9 }, .x0 = -2.0f, .x1 = 2.0f };
    TarnFlow flow = { &jet, jet_query };
    TarnFlowPush push = tarn_flow_push_default();
    TarnShape box = tarn_shape_box(0.3f, 0.3f, 0.3f);
    TarnBodyId in = add_body(bodies, box, 200.0f, (TarnVec3){ 0, 0, 0 }), out[40], driven;
    for (int n = 0; n < 40; ++n)
        out[n] = add_body(bodies, box, 10.0f, (TarnVec3){ 10.0f + (float)n, 0, 0 });
    TarnBodyDef def = tarn_body_default_def();
    def.is_driven = true, def.state.position = (TarnVec3){ 1, 0, 0 };
    assert_ok(tarn_bodies_add(bodies, &def, &driven));
    assert_ok(tarn_couple_flow_bodies(flow, &push, bodies, frame));
    assert_true(pushed(bodies, in).z > 0.0f && fabsf(pushed(bodies, in).x) < 1e-4f);
    assert_true(vec3_length(pushed(bodies, driven)) == 0.0f);
    for (int n = 0; n < 40; ++n) assert_true(vec3_length(pushed(bodies, out[n])) == 0.0f);
    assert_true(jet.calls <= 64 / 8 + 1); // one for eight bodies, and the one that is in it
    assert_true(jet.points <= 41 * 15 + 36);
    // The flow's own density counts, and forces add up.
    TarnVec3 once = pushed(bodies, in);
    jet.density = 1.2f;
    assert_ok(tarn_couple_flow_bodies(flow, &push, bodies, 0.0f));
    assert_true(fabsf(pushed(bodies, in).z / once.z - 2.0f) < 0.1f);
    tarn_bodies_clear_forces(bodies);
    jet.density = 12.0f;
    assert_ok(tarn_couple_flow_bodies(flow, &push, bodies, 0.0f));
    assert_true(pushed(bodies, in).z > 8.0f * once.z);
    tarn_bodies_destroy(bodies);
}

// Half of a plate is in the wind: it begins to turn. A body of one freedom has that one only.
static void test_torque_and_freedom(void** state)
{
    (void)state;
    TarnBodies* bodies = make_bodies_in(ctx, 4, false);
    Jet jet = { .velocity = { 0, 0, 9 }, .x0 = 0.0f, .x1 = 2.0f };
    TarnFlow flow = { &jet, jet_query };
    TarnFlowPush push = tarn_flow_push_default();
    TarnBodyId id = add_body(bodies, tarn_shape_box(1, 1, 0.05f), 20.0f, (TarnVec3){ 0, 0, 0 });
    TarnBodyDef def = tarn_body_default_def();
    def.freedom = TARN_BODY_HINGE, def.axis = (TarnVec3){ 0, 1, 0 };
    def.shape = tarn_shape_box(1, 1, 0.05f), def.state.position.y = 5.0f;
    TarnBodyId door;
    assert_ok(tarn_bodies_add(bodies, &def, &door));
    for (int n = 0; n < 6; ++n) {
        assert_ok(tarn_couple_flow_bodies(flow, &push, bodies, frame));
        assert_ok(tarn_bodies_step(bodies, frame, NULL));
    }
    TarnBodyState a = state_of(bodies, id), b = state_of(bodies, door);
    assert_true(a.angular_velocity.y < -0.1f && a.velocity.z > 0.1f); // the side at +x goes along z
    assert_true(b.angular_velocity.y < -0.01f && vec3_length(b.velocity) == 0.0f);
    assert_true(b.angular_velocity.x == 0.0f && b.angular_velocity.z == 0.0f);
    tarn_bodies_destroy(bodies);
}

// A stack of other forces: with gravity, and with a wind that just holds a box up, it hovers.
static void test_hover(void** state)
{
    (void)state;
    TarnBodies* bodies = make_bodies_in(ctx, 4, true);
    TarnVec3 wind = { 0, 20, 0 };
    TarnFlowPush push = tarn_flow_push_default();
    push.skin = 0.0f;
    float density = 1.2f * 400.0f / (2.0f * 9.81f * 0.4f); // q A = m g for a cube of 0.4 m
    TarnBodyId id =
        add_body(bodies, tarn_shape_box(0.2f, 0.2f, 0.2f), density, (TarnVec3){ 0, 0, 0 });
    for (int n = 0; n < 600; ++n) {
        assert_ok(tarn_couple_flow_bodies(tarn_flow_uniform(&wind), &push, bodies, frame));
        assert_ok(tarn_bodies_step(bodies, frame, NULL));
    }
    assert_true(fabsf(state_of(bodies, id).velocity.y) < 0.01f);
    assert_true(fabsf(state_of(bodies, id).position.y) < 0.1f);
    tarn_bodies_destroy(bodies);
}

// ---- A sail -----------------------------------------------------------------------------------------

// A boat whose upper half is a sail, on waves: wind from behind drives it over the water, and it stays upright.
static void test_sail(void** state)
{
    (void)state;
    static const TarnVec3 boat[8] = {
        { -2, -0.3f, -0.8f }, { 2, -0.3f, -0.8f }, { -2, -0.3f, 0.8f },    { 2, -0.3f, 0.8f },
        { 0, 1.6f, -0.7f },   { 0, 1.6f, 0.7f },   { 0.05f, 1.6f, -0.7f }, { 0.05f, 1.6f, 0.7f },
    };
    float way[2];
    for (int has_wind = 0; has_wind < 2; ++has_wind) {
        TarnWaveDef def = tarn_wave_default_def();
        def.nx = 120, def.nz = 40, def.dx = 0.5f, def.origin = (TarnVec2){ -10, -10 };
        def.depth = 3.0f, def.use_bodies = true;
        TarnWave* wave;
        assert_ok(tarn_wave_create(ctx, &def, &wave));
        TarnBodies* bodies = make_bodies_in(ctx, 2, true);
        TarnBodyId id =
            add_body(bodies, tarn_shape_hull(boat, 8), 150.0f, (TarnVec3){ 0, 0.3f, 0 });
        TarnVec3 wind = { has_wind ? 10.0f : 0.0f, 0, 0 };
        TarnFlowPush push = tarn_flow_push_default();
        for (int n = 0; n < 900; ++n) {
            assert_ok(tarn_couple_wave_bodies(wave, bodies, frame));
            assert_ok(tarn_couple_flow_bodies(tarn_flow_uniform(&wind), &push, bodies, frame));
            assert_ok(tarn_wave_step(wave, frame, NULL));
            assert_ok(tarn_bodies_step(bodies, frame, NULL));
        }
        TarnBodyState s = state_of(bodies, id);
        way[has_wind] = s.position.x;
        TarnVec3 up = quat_rotate(s.rotation, (TarnVec3){ 0, 1, 0 });
        assert_true(up.y > 0.9f && fabsf(s.position.y) < 1.0f && fabsf(s.position.z) < 0.5f);
        assert_true(s.velocity.x < 10.0f);
        tarn_bodies_destroy(bodies);
        tarn_wave_destroy(wave);
    }
    assert_true(fabsf(way[0]) < 0.1f && way[1] > 2.0f);
}

// ---- Bits, memory, arguments ------------------------------------------------------------------------

static uint64_t fly(TarnContext* where, bool is_bad)
{
    TarnBodies* bodies = make_bodies_in(where, 128, true);
    TarnVec3 wind = { 7, 3, -5 };
    Jet jet = { .velocity = { -20, 30, 4 }, .x0 = -3.0f, .x1 = 8.0f, .density = 5.0f };
    jet.is_bad = is_bad;
    TarnFlowPush push = tarn_flow_push_default();
    static const TarnVec3 wedge[4] = {
        { -1, 0, 0 }, { 1, 0, -0.5f }, { 0, 1, 0 }, { 0.2f, 0.1f, 1 }
    };
    for (int n = 0; n < 100; ++n) {
        TarnShape shape = n % 4 == 0   ? tarn_shape_sphere(0.3f)
                          : n % 4 == 1 ? tarn_shape_box(0.4f, 0.02f, 0.3f)
                          : n % 4 == 2 ? tarn_shape_capsule(0.1f, 0.6f)
                                       : tarn_shape_hull(wedge, 4);
        add_body(bodies, shape, n % 3 ? 1.0f : 80.0f,
                 (TarnVec3){ (float)(n % 10), 3.0f * (float)(n / 50), 2.0f * (float)(n / 10) });
    }
    int calls = memory.calls;
    for (int n = 0; n < 40; ++n) {
        assert_int_equal(
            tarn_couple_flow_bodies((TarnFlow){ &jet, jet_query }, &push, bodies, frame), TARN_OK);
        assert_int_equal(tarn_couple_flow_bodies(tarn_flow_uniform(&wind), &push, bodies, frame),
                         TARN_OK);
        assert_int_equal(tarn_bodies_step(bodies, frame, NULL), TARN_OK);
    }
    assert_int_equal(memory.calls, calls);
    for (int n = 0; n < 100; ++n) {
        TarnBodyState s = state_of(bodies, tarn_bodies_at(bodies, n));
        assert_true(tarn__is_finite3(s.position) && vec3_length(s.velocity) < 1001.0f);
    }
    uint64_t hash = tarn_bodies_hash(bodies);
    tarn_bodies_destroy(bodies);
    return hash;
}

static void test_bits(void** state)
{
    (void)state;
    uint64_t expected = fly(ctx, false);
    const int workers[3] = { 2, 3, 8 };
    for (int w = 0; w < 3; ++w) {
        TarnContext* where = make_context(workers[w], TARN_ISA_AUTO);
        assert_true(fly(where, false) == expected);
        tarn_context_destroy(where);
    }
    fly(ctx, true); // nonsense in the samples leaves the bodies finite
}

static void test_arguments(void** state)
{
    (void)state;
    TarnBodies* bodies = make_bodies_in(ctx, 2, true);
    TarnVec3 wind = { 1, 0, 0 };
    TarnFlow flow = tarn_flow_uniform(&wind), none = { 0 };
    TarnFlowPush push = tarn_flow_push_default(), bad = push, zero = { 0 };
    assert_int_equal(tarn_couple_flow_bodies(flow, &push, NULL, frame), TARN_ERR_ARG);
    assert_result(tarn_couple_flow_bodies(none, &push, bodies, frame), TARN_ERR_ARG, "flow");
    assert_result(tarn_couple_flow_bodies(flow, NULL, bodies, frame), TARN_ERR_ARG, "NULL");
    assert_result(tarn_couple_flow_bodies(flow, &zero, bodies, frame), TARN_ERR_ARG, "default");
    assert_result(tarn_couple_flow_bodies(flow, &push, bodies, -1.0f), TARN_ERR_ARG, "dt");
    assert_result(tarn_couple_flow_bodies(flow, &push, bodies, NAN), TARN_ERR_ARG, "dt");
    bad.density = -1.0f;
    assert_result(tarn_couple_flow_bodies(flow, &bad, bodies, frame), TARN_ERR_ARG, "density");
    bad = push, bad.offset = NAN;
    assert_result(tarn_couple_flow_bodies(flow, &bad, bodies, frame), TARN_ERR_ARG, "offset");
    assert_ok(tarn_couple_flow_bodies(flow, &push, bodies, frame)); // no bodies: nothing to do
    tarn_bodies_destroy(bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_who),   TEST_ALONE(test_torque_and_freedom),
        TEST_ALONE(test_hover), TEST_ALONE(test_sail),
        TEST(test_bits),        TEST_ALONE(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
