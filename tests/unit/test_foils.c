// Sails and keels: coefficients against theory, terminal speed downwind, reaching across the wind, momentum, energy, the
// scene `sailboat`, nonsense and arguments.

#include "test_common.h"
#include "base/maths.h"
#include "tarn/coupling.h"
#include "tarn/scene.h"
#include "tarn/world.h"

static const float degree = 0.017453292f;

static TarnBodies* make_bodies(bool has_gravity)
{
    TarnBodiesDef def = tarn_bodies_default_def();
    def.max_bodies = 4;
    if (!has_gravity) def.gravity = (TarnVec3){ 0, 0, 0 };
    TarnBodies* bodies;
    assert_ok(tarn_bodies_create(ctx, &def, &bodies));
    return bodies;
}

static TarnBodyId add_box(TarnBodies* bodies, TarnVec3 half, float density, TarnVec3 at)
{
    TarnBodyDef def = tarn_body_default_def();
    def.shape = tarn_shape_box(half.x, half.y, half.z);
    def.density = density, def.state.position = at;
    TarnBodyId id;
    assert_ok(tarn_bodies_add(bodies, &def, &id));
    return id;
}

static TarnBodyState state_of(TarnBodies* bodies, TarnBodyId id)
{
    TarnBodyState s;
    assert_ok(tarn_bodies_get_state(bodies, id, &s));
    return s;
}

// ---- Coefficients ----------------------------------------------------------------------------------

static void test_coefficients(void** state)
{
    (void)state;
    const float aspects[3] = { 1.0f, 4.0f, 50.0f };
    for (int n = 0; n < 3; ++n) {
        TarnFoilDef foil = tarn_foil_default_def();
        float lift, drag, other, best = 0.0f, at = 0.0f;
        foil.aspect = aspects[n];
        // Prandtl's lifting line near 0, a plate across the flow at 90 degrees, the same plate from behind.
        float slope = 6.2831853f / (1.0f + 2.0f / aspects[n]);
        assert_ok(tarn_foil_coefficients(&foil, 1.0f * degree, &lift, &drag));
        assert_true(fabsf(lift / (slope * degree) - 1.0f) < 0.01f);
        float induced = lift * lift / (3.1415927f * aspects[n]);
        assert_true(fabsf(drag - (foil.drag + induced)) < 1e-5f);
        assert_ok(tarn_foil_coefficients(&foil, 90.0f * degree, &lift, &drag));
        assert_true(fabsf(lift) < 1e-5f && fabsf(drag - (1.17f + foil.drag)) < 1e-4f);
        for (float a = 0.0f; a < 180.0f; a += 0.5f) {
            assert_ok(tarn_foil_coefficients(&foil, a * degree, &lift, &drag));
            assert_ok(tarn_foil_coefficients(&foil, -a * degree, &other, NULL));
            assert_true(fabsf(lift + other) < 1e-5f && drag >= foil.drag - 1e-6f);
            if (lift > best) best = lift, at = a;
        }
        assert_true(fabsf(at - 20.0f) < 4.0f); // the stall
    }
    TarnFoilDef foil = tarn_foil_default_def();
    assert_int_equal(tarn_foil_coefficients(NULL, 0.0f, NULL, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_foil_coefficients(&foil, NAN, NULL, NULL), TARN_ERR_ARG);
    foil.aspect = 0.0f;
    assert_int_equal(tarn_foil_coefficients(&foil, 0.0f, NULL, NULL), TARN_ERR_ARG);
}

// ---- Boats -----------------------------------------------------------------------------------------

static void flat_query(const void* self, int n, const float* x, const float* z,
                       const TarnSurfaceSamples* out)
{
    (void)self, (void)x, (void)z;
    for (int i = 0; i < n; ++i) {
        if (out->height) out->height[i] = 0.0f;
        if (out->normal) out->normal[i] = (TarnVec3){ 0, 1, 0 };
        if (out->velocity) out->velocity[i] = (TarnVec3){ 0, 0, 0 };
        if (out->depth) out->depth[i] = 20.0f;
    }
}

static const TarnVec3 hull = { 2.0f, 0.4f, 0.8f };

// A boat on still water of the host for some seconds; its sail and, if it has one, its keel in flows of the host.
static TarnBodyState go(TarnVec3 wind, const TarnFoilDef* sail, const TarnFoilDef* keel,
                        float seconds)
{
    TarnBodies* bodies = make_bodies(true);
    TarnBodyId id = add_box(bodies, hull, 250.0f, (TarnVec3){ 0, 0.2f, 0 });
    TarnSurface water = { .self = &flat_query, .query = flat_query };
    TarnVec3 still = { 0, 0, 0 };
    TarnFloatParams params = tarn_float_default_params();
    for (int n = 0; n < (int)(seconds * 60.0f); ++n) {
        tarn_bodies_begin_forces(bodies);
        assert_ok(tarn_couple_flow_foil(tarn_flow_uniform(&wind), sail, bodies, id, frame, NULL));
        if (keel)
            assert_ok(
                tarn_couple_flow_foil(tarn_flow_uniform(&still), keel, bodies, id, frame, NULL));
        assert_ok(tarn_couple_surface_bodies(&water, &params, bodies, frame));
        assert_ok(tarn_bodies_step(bodies, frame, NULL));
    }
    TarnBodyState s = state_of(bodies, id);
    tarn_bodies_destroy(bodies);
    return s;
}

// Downwind the drag of the sail meets that of the hull: 1/2 rho_a C A (W - v)^2 = rho_w (c V + 1/2 C_D A_x v) v.
static void test_downwind(void** state)
{
    (void)state;
    TarnFoilDef sail = tarn_foil_default_def();
    TarnFloatParams water = tarn_float_default_params();
    float drag;
    sail.sheet = 90.0f * degree, sail.area = 9.0f;
    assert_ok(tarn_foil_coefficients(&sail, 90.0f * degree, NULL, &drag));
    double draft = 2.0 * (double)hull.y * 0.25,
           v_wet = draft * 4.0 * (double)hull.x * (double)hull.z;
    double front = draft * 2.0 * (double)hull.z, lo = 0.0, hi = 10.0;
    for (int n = 0; n < 60; ++n) {
        double v = 0.5 * (lo + hi), push = 0.6 * (double)drag * 9.0 * (10.0 - v) * (10.0 - v);
        double brake =
            1000.0 * ((double)water.damping * v_wet + 0.5 * (double)water.drag * front * v) * v;
        if (push > brake)
            lo = v;
        else
            hi = v;
    }
    TarnBodyState s = go((TarnVec3){ 10, 0, 0 }, &sail, NULL, 40.0f);
    print_message("downwind: %.4f m/s, theory %.4f m/s\n", (double)s.velocity.x, lo);
    assert_true(fabs((double)s.velocity.x / lo - 1.0) < 0.02);
    assert_true(fabsf(s.velocity.z) < 0.02f);
}

// Wind from abeam: with a keel the boat goes ahead and heels to leeward, without one it is blown aside.
static void test_beam_reach(void** state)
{
    (void)state;
    TarnFoilDef sail = tarn_foil_default_def(), keel = sail;
    sail.area = 9.0f, sail.position.y = 1.2f;
    keel.sheet = 0.0f, keel.area = 1.0f, keel.density = 1000.0f, keel.position.y = -0.8f;
    TarnBodyState with = go((TarnVec3){ 0, 0, 8 }, &sail, &keel, 15.0f);
    TarnBodyState without = go((TarnVec3){ 0, 0, 8 }, &sail, NULL, 15.0f);
    TarnVec3 nose = quat_rotate(with.rotation, (TarnVec3){ 1, 0, 0 });
    TarnVec3 mast = quat_rotate(with.rotation, (TarnVec3){ 0, 1, 0 });
    print_message(
        "beam reach: (%.2f, %.2f) m, without a keel (%.2f, %.2f) m, nose %.2f, heel %.3f\n",
        (double)with.position.x, (double)with.position.z, (double)without.position.x,
        (double)without.position.z, (double)nose.x, (double)mast.z);
    assert_true(with.position.x > 5.0f && fabsf(with.position.z) < 0.25f * with.position.x);
    assert_true(without.position.z > 2.0f * with.position.z && without.position.z > 1.0f);
    assert_true(mast.z > 0.01f && mast.y > 0.9f);
    // From the other side it goes the same way, a mirror image.
    TarnBodyState mirror = go((TarnVec3){ 0, 0, -8 }, &sail, &keel, 15.0f);
    assert_true(fabsf(mirror.position.x - with.position.x) < 0.05f * with.position.x);
    assert_true(fabsf(mirror.position.z + with.position.z) < 0.1f);
}

// What the body gains is what the foil says it gave, step by step.
static void test_momentum(void** state)
{
    (void)state;
    TarnBodies* bodies = make_bodies(false);
    TarnBodyId id = add_box(bodies, hull, 50.0f, (TarnVec3){ 0, 0, 0 });
    TarnFoilDef sail = tarn_foil_default_def();
    TarnVec3 wind = { -6, 0, 7 }, sum = { 0, 0, 0 };
    float mass, volume;
    sail.position = (TarnVec3){ 0.3f, 1.0f, 0 };
    assert_ok(tarn_bodies_get_mass(bodies, id, &mass, &volume));
    for (int n = 0; n < 200; ++n) {
        TarnFoilState s, look;
        assert_ok(tarn_foil_state(tarn_flow_uniform(&wind), &sail, bodies, id, &look));
        assert_ok(tarn_couple_flow_foil(tarn_flow_uniform(&wind), &sail, bodies, id, frame, &s));
        assert_true(look.boom == s.boom && look.speed == s.speed && s.chord * s.span > 9.99f);
        assert_true(vec3_length(vec3_sub(look.force, s.force)) <
                    0.05f * vec3_length(look.force) + 1.0f);
        sum = vec3_add(sum, vec3_scale(s.force, frame));
        assert_ok(tarn_bodies_step(bodies, frame, NULL));
    }
    TarnVec3 gained = vec3_scale(state_of(bodies, id).velocity, mass);
    assert_true(vec3_length(sum) > 100.0f);
    assert_true(vec3_length(vec3_sub(gained, sum)) < 1e-3f * vec3_length(sum));
    tarn_bodies_destroy(bodies);
}

// Lift is across the flow and drag along it: in the frame of the wind a body only slows down, whatever its mass and dt.
static void test_energy(void** state)
{
    (void)state;
    const float steps[3] = { 1.0f / 240.0f, 1.0f / 60.0f, 0.13f }, densities[3] = { 1, 30, 3000 };
    for (int n = 0; n < 9; ++n) {
        TarnBodies* bodies = make_bodies(false);
        TarnBodyId id = add_box(bodies, (TarnVec3){ 0.2f, 0.2f, 0.2f }, densities[n / 3],
                                (TarnVec3){ 0, 0, 0 });
        TarnFoilDef sail = tarn_foil_default_def();
        TarnVec3 wind = { -30, 5, 40 };
        float before = INFINITY;
        for (int i = 0; i < 60; ++i) {
            TarnVec3 u = vec3_sub(wind, state_of(bodies, id).velocity);
            float now = vec3_length(u);
            assert_true(now <= before * 1.0001f);
            before = now;
            assert_ok(tarn_couple_flow_foil(tarn_flow_uniform(&wind), &sail, bodies, id,
                                            steps[n % 3], NULL));
            assert_ok(tarn_bodies_step(bodies, steps[n % 3], NULL));
        }
        assert_true(before < 50.5f);
        tarn_bodies_destroy(bodies);
    }
}

// ---- The scene -------------------------------------------------------------------------------------

static void test_scene(void** state)
{
    (void)state;
    const TarnSceneOverride calm[] = { { "wind.velocity", "0,0,0" } };
    for (int is_calm = 0; is_calm < 2; ++is_calm) {
        TarnScene* scene;
        assert_ok(tarn_scene_create_from_file(ctx, TARN_SCENES_DIR "/sailboat.json", calm, is_calm,
                                              &scene));
        TarnWorld* world = tarn_scene_world(scene);
        TarnBodies* bodies = tarn_world_bodies(world);
        TarnBodyId boat = tarn_bodies_at(bodies, 0);
        TarnBodyState begin = state_of(bodies, boat);
        for (int n = 0; n < 480; ++n) assert_ok(tarn_world_step(world, frame, NULL));
        TarnBodyState s = state_of(bodies, boat);
        TarnVec3 mast = quat_rotate(s.rotation, (TarnVec3){ 0, 1, 0 });
        float ahead = s.position.x - begin.position.x;
        if (is_calm)
            assert_true(fabsf(ahead) < 0.5f && mast.y > 0.995f);
        else { // across the wind, less than a tenth of its way aside, 5 to 30 degrees over to leeward
            assert_true(ahead > 6.0f && fabsf(s.position.z) < 0.1f * ahead);
            assert_true(mast.z > 0.087f && mast.z < 0.5f);
        }
        tarn_scene_destroy(scene);
    }
}

// ---- Nonsense and arguments ------------------------------------------------------------------------

static void bad_query(const void* self, int n, const float* x, const float* y, const float* z,
                      const TarnFlowSamples* out)
{
    (void)self, (void)x, (void)y, (void)z;
    for (int i = 0; i < n; ++i) {
        if (out->velocity) out->velocity[i] = (TarnVec3){ i % 2 ? NAN : 1e38f, INFINITY, -1e30f };
        if (out->presence) out->presence[i] = i % 3 ? 1e30f : NAN;
        if (out->density) out->density[i] = i % 2 ? INFINITY : 1e5f;
    }
}

static void test_arguments(void** state)
{
    (void)state;
    TarnBodies* bodies = make_bodies(true);
    TarnBodyId id = add_box(bodies, hull, 50.0f, (TarnVec3){ 0, 0, 0 }), null = { 0 };
    TarnVec3 wind = { 5, 0, 5 };
    TarnFlow flow = tarn_flow_uniform(&wind), none = { 0 }, bad = { &wind, bad_query };
    TarnFoilDef foil = tarn_foil_default_def(), zero = { 0 }, wrong = foil;
    TarnFoilState s;
    assert_int_equal(tarn_couple_flow_foil(flow, &foil, NULL, id, frame, &s), TARN_ERR_ARG);
    assert_result(tarn_couple_flow_foil(none, &foil, bodies, id, frame, &s), TARN_ERR_ARG, "flow");
    assert_result(tarn_couple_flow_foil(flow, NULL, bodies, id, frame, &s), TARN_ERR_ARG, "NULL");
    assert_result(tarn_couple_flow_foil(flow, &zero, bodies, id, frame, &s), TARN_ERR_ARG,
                  "default");
    assert_result(tarn_couple_flow_foil(flow, &foil, bodies, null, frame, &s), TARN_ERR_ARG,
                  "stale");
    assert_result(tarn_couple_flow_foil(flow, &foil, bodies, id, NAN, &s), TARN_ERR_ARG, "dt");
    assert_result(tarn_couple_flow_foil(flow, &foil, bodies, id, 11.0f, &s), TARN_ERR_ARG, "dt");
    assert_int_equal(tarn_foil_state(flow, &foil, bodies, id, NULL), TARN_ERR_ARG);
    wrong.area = -1.0f;
    assert_result(tarn_couple_flow_foil(flow, &wrong, bodies, id, frame, &s), TARN_ERR_ARG, "area");
    wrong = foil, wrong.sheet = NAN;
    assert_result(tarn_foil_state(flow, &wrong, bodies, id, &s), TARN_ERR_ARG, "sheet");
    TarnVec3 force, torque;
    assert_ok(tarn_bodies_get_added_force(bodies, id, &force, &torque));
    assert_true(vec3_length(force) == 0.0f && vec3_length(torque) == 0.0f);
    int calls = memory.calls;
    for (int n = 0; n < 60; ++n) {
        foil.sheet = n % 2 ? 0.0f : 1.5f, foil.area = n % 3 ? 1e4f : 0.001f;
        assert_ok(tarn_couple_flow_foil(bad, &foil, bodies, id, n % 5 ? frame : 10.0f, &s));
        assert_ok(tarn_bodies_step(bodies, frame, NULL));
        assert_true(tarn__is_finite3(s.force) && isfinite(s.boom) && isfinite(s.attack));
    }
    assert_int_equal(memory.calls, calls);
    TarnBodyState end = state_of(bodies, id);
    assert_true(tarn__is_finite3(end.position) && vec3_length(end.velocity) < 1001.0f);
    tarn_bodies_destroy(bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_coefficients), TEST(test_downwind), TEST(test_beam_reach), TEST(test_momentum),
        TEST(test_energy),       TEST(test_scene),    TEST(test_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
