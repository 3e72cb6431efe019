// Absurd bodies, solids, basins and flows: every state stays finite, and the bits do not depend on the workers.

#include "tests/unit/test_common.h"
#include "base/maths.h"
#include "bodies/bodies.h"
#include "tarn/coupling.h"

static float far_away(TarnVec3 p, void* user)
{
    (void)user;
    return fabsf(p.x) + fabsf(p.z) > 3.0f ? NAN : p.y; // breaks its contract
}

static void add_solids(TarnSolids* solids)
{
    for (int n = 0; n < 16; ++n) {
        TarnSolidDef def = tarn_solid_default_def();
        def.shape.kind = n % 4 == 3 ? TARN_SHAPE_FUNCTION : TARN_SHAPE_SPHERE + n % 3;
        def.shape.size = (TarnVec3){ scale(1e-3f, 1e3f), scale(1e-3f, 1e3f), scale(1e-3f, 1e3f) };
        def.is_inside_out = n % 5 == 0 && n % 4 != 3;
        def.shape.distance = far_away, def.shape.radius = 10.0f;
        def.motion.position = (TarnVec3){ uniform(-5, 5), uniform(-5, 5), uniform(-5, 5) };
        def.motion.velocity = (TarnVec3){ uniform(-900, 900), 0, uniform(-50, 50) };
        def.motion.angular_velocity = (TarnVec3){ 0, uniform(-190, 190), uniform(-3, 3) };
        def.friction = uniform(0, 1), def.restitution = uniform(0, 1);
        tarn_solids_add(solids, &def, NULL); // one that is refused is left out
    }
}

static uint64_t storm(int workers)
{
    TarnContext* where = make_context(workers, TARN_ISA_AUTO);
    TarnSolidsDef solids_def = tarn_solids_default_def();
    TarnBodiesDef bodies_def = tarn_bodies_default_def();
    TarnSolids* solids;
    TarnBodies* bodies;
    random_at = 0;
    assert_int_equal(tarn_solids_create(where, &solids_def, &solids), TARN_OK);
    assert_int_equal(tarn_bodies_create(where, &bodies_def, &bodies), TARN_OK);
    assert_int_equal(tarn_couple_bodies_solids(bodies, solids), TARN_OK);
    add_solids(solids);
    for (int n = 0; n < 48; ++n) {
        TarnBodyDef def = tarn_body_default_def();
        TarnBodyId id;
        float a = scale(2e-3f, 100.0f), b = scale(2e-3f, 100.0f), c = scale(2e-3f, 100.0f);
        def.shape = n % 3 == 0   ? tarn_shape_sphere(a)
                    : n % 3 == 1 ? tarn_shape_box(a, b, c)
                                 : tarn_shape_capsule(a, b);
        def.density = scale(1.0f, 1e5f), def.freedom = n % 3;
        def.state.position = (TarnVec3){ uniform(-9, 9), uniform(-9, 9), uniform(-9, 9) };
        def.state.velocity = (TarnVec3){ uniform(-500, 500), uniform(-500, 500), uniform(-9, 9) };
        assert_int_equal(tarn_bodies_add(bodies, &def, &id), TARN_OK);
    }
    TarnVec3 wind = { 9000, -300, 40 };
    TarnFlowPush push = tarn_flow_push_default();
    int calls = memory.calls;
    for (int n = 0; n < 60; ++n) {
        float dt = n % 7 == 0 ? 10.0f : n % 5 == 0 ? 1e-30f : 1.0f / 60.0f;
        push.density = scale(1e-3f, 1e5f);
        assert_int_equal(tarn_solids_advance(solids, dt), TARN_OK);
        assert_int_equal(tarn_couple_flow_bodies(tarn_flow_uniform(&wind), &push, bodies, dt),
                         TARN_OK);
        assert_int_equal(tarn_bodies_step(bodies, dt, NULL), TARN_OK);
        for (int b = 0; b < 48; ++b) {
            TarnBodyState s;
            assert_int_equal(tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, b), &s), TARN_OK);
            assert_true(tarn__is_finite3(s.position) && vec3_length(s.velocity) < 1001.0f);
            assert_true(tarn__is_finite3(s.angular_velocity));
        }
    }
    assert_int_equal(memory.calls, calls);
    uint64_t hash = tarn_bodies_hash(bodies);
    tarn_bodies_destroy(bodies);
    tarn_solids_destroy(solids);
    tarn_context_destroy(where);
    return hash;
}

static void test_storm(void** state)
{
    (void)state;
    uint64_t expected = storm(1);
    assert_true(storm(2) == expected && storm(5) == expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_storm) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
