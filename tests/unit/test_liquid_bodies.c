// Bodies in liquids of particles: they float at their depth, hover, sink, stack and are not flung; driven ones
// push and are not moved; solids follow bodies that come, go and jump; what is refused, and how.

#include "counting.h"
#include <math.h>
#include "base/base.h"
#include "tarn/coupling.h"
#include "tests/sanitized.h"

static const float frame = 1.0f / 60.0f;

typedef struct Tank {
    TarnSolids* solids;
    TarnLiquid* liquid;
    TarnBodies* bodies;
} Tank;

// A tank of 1.6 x 1.6 (x 0.8) m with water 0.8 m deep.
static Tank make_tank(int dimensions, int method, float spacing)
{
    Tank tank;
    TarnSolidsDef solids = tarn_solids_default_def();
    TarnLiquidDef liquid = tarn_liquid_default_def();
    TarnBodiesDef bodies = tarn_bodies_default_def();
    liquid.dimensions = dimensions;
    liquid.method = method;
    liquid.spacing = spacing;
    liquid.max_particles = 20000;
    liquid.box_min = (TarnVec3){ -0.8f, 0.0f, -0.4f };
    liquid.box_max = (TarnVec3){ 0.8f, 1.6f, 0.4f };
    liquid.walls = TARN_LIQUID_BOX;
    bodies.max_bodies = 16;
    bodies.box_min = liquid.box_min;
    bodies.box_max = liquid.box_max;
    assert_int_equal(tarn_solids_create(ctx, &solids, &tank.solids), TARN_OK);
    assert_int_equal(tarn_liquid_create(ctx, &liquid, &tank.liquid), TARN_OK);
    assert_int_equal(tarn_bodies_create(ctx, &bodies, &tank.bodies), TARN_OK);
    assert_int_equal(tarn_liquid_set_solids(tank.liquid, tank.solids), TARN_OK);
    return tank;
}

static void fill_tank(Tank* tank)
{
    TarnLiquidFill fill = tarn_liquid_fill_default();
    assert_int_equal(tarn_couple_solids_prepare(tank->solids, tank->bodies), TARN_OK);
    fill.shape = tarn_shape_box_between((TarnVec3){ -0.8f, 0.0f, -0.4f },
                                        (TarnVec3){ 0.8f, 0.8f, 0.4f }, &fill.pose.position);
    assert_int_equal(tarn_liquid_fill(tank->liquid, &fill, NULL), TARN_OK);
}

static void destroy_tank(Tank* tank)
{
    tarn_bodies_destroy(tank->bodies);
    tarn_liquid_destroy(tank->liquid);
    tarn_solids_destroy(tank->solids);
}

static TarnBodyId put(Tank* tank, TarnShape shape, float density, float x, float y)
{
    TarnBodyDef def = tarn_body_default_def();
    TarnBodyId id;
    def.shape = shape;
    def.density = density;
    def.state.position = (TarnVec3){ x, y, 0.0f };
    def.freedom =
        tarn_liquid_def(tank->liquid)->dimensions == 2 ? TARN_BODY_PLANAR : TARN_BODY_FREE;
    assert_int_equal(tarn_bodies_add(tank->bodies, &def, &id), TARN_OK);
    return id;
}

static TarnBodyState state_of(const Tank* tank, TarnBodyId id)
{
    TarnBodyState s;
    assert_int_equal(tarn_bodies_get_state(tank->bodies, id, &s), TARN_OK);
    return s;
}

// One frame as tarn/coupling.h says.
static void step(Tank* tank, int n)
{
    for (int i = 0; i < n; ++i) {
        TarnStepReport report;
        assert_int_equal(tarn_solids_advance(tank->solids, frame), TARN_OK);
        assert_int_equal(tarn_couple_liquid_bodies(tank->liquid, tank->bodies, frame, &report),
                         TARN_OK);
        assert_int_equal(tarn_bodies_step(tank->bodies, (float)report.time_advanced, NULL),
                         TARN_OK);
    }
}

// A short run (tests/sanitized.h) ends after twenty frames, before it is known where a body comes to rest.
static bool ends_early(Tank* tank)
{
    if (!is_short_run()) return false;
    step(tank, 20);
    destroy_tank(tank);
    return true;
}

static float mean_of(Tank* tank, TarnBodyId id, int frames)
{
    double sum = 0.0;
    for (int i = 0; i < frames; ++i) {
        step(tank, 1);
        sum += state_of(tank, id).position.y;
    }
    return (float)(sum / frames);
}

// Level of the water far from the bodies [m]: the volume is known, so it follows from what they displace.
static float level_with(float displaced_area)
{
    return 0.8f + displaced_area / 1.6f;
}

// ---- Floating --------------------------------------------------------------------------------------

// A box of half the liquid's density floats half out of it, and so does a ball in 2-D, where a body counts as
// its section.
static void test_floats_at_its_depth(void** state)
{
    (void)state;
    Tank tank = make_tank(2, TARN_LIQUID_CONSTRAINT, 0.025f);
    TarnBodyId box = put(&tank, tarn_shape_box(0.2f, 0.15f, 0.5f), 500, -0.4f, 0.95f);
    TarnBodyId ball = put(&tank, tarn_shape_sphere(0.15f), 500, 0.4f, 0.95f);
    fill_tank(&tank);
    if (ends_early(&tank)) return;
    step(&tank, 240);
    float level = level_with(0.5f * (0.4f * 0.3f + 3.14159f * 0.15f * 0.15f));
    float y_box = mean_of(&tank, box, 60), y_ball = mean_of(&tank, ball, 60);
    print_message("box of half density: %.3f m over the level, ball %.3f m\n", y_box - level,
                  y_ball - level);
    assert_float_equal(y_box, level, 0.035); // the surface itself is known to about a spacing
    assert_float_equal(y_ball, level, 0.035);
    TarnBodyForce force;
    float mass, sum = 0.0f, wet = 0.0f;
    tarn_bodies_get_mass(tank.bodies, box, &mass, NULL);
    for (int i = 0; i < 120; ++i) {
        step(&tank, 1);
        tarn_bodies_get_force(tank.bodies, box, &force);
        sum += force.force.y / 120.0f;
        wet += force.submerged_volume / (mass / 500.0f) / 120.0f;
    }
    print_message("%.3f of the box is under water\n", wet);
    assert_float_equal(sum, 9.81f * mass, 0.05f * 9.81f * mass); // it carries the weight
    assert_float_equal(wet, 0.5f, 0.05f);
    destroy_tank(&tank);
}

// A body of the liquid's own density stays where it is put, in the middle of the water.
static void hover(int dimensions)
{
    Tank tank = make_tank(dimensions, TARN_LIQUID_CONSTRAINT, dimensions == 2 ? 0.025f : 0.05f);
    TarnBodyId id = put(&tank, tarn_shape_box(0.12f, 0.12f, 0.12f), 1000, 0.0f, 0.4f);
    fill_tank(&tank);
    if (ends_early(&tank)) return;
    step(&tank, 180);
    float y = state_of(&tank, id).position.y, later = mean_of(&tank, id, 60);
    print_message("%d-D, density of the liquid: from 0.4 m to %.3f m in 3 s, %.3f m in the next\n",
                  dimensions, y, later);
    TarnBodyForce force;
    tarn_bodies_get_force(tank.bodies, id, &force);
    assert_true(y > 0.25f && y < 0.6f);
    assert_true(fabsf(later - y) < 0.05f);
    assert_true(force.submerged_volume > 0.85f * 0.24f * 0.24f * 0.24f);
    destroy_tank(&tank);
}

static void test_hovers(void** state)
{
    (void)state;
    hover(2);
    hover(3);
}

// Foam of density 20 deep under water comes up, and is not shot out of it.
static void rise(int dimensions, int method, float spacing)
{
    Tank tank = make_tank(dimensions, method, spacing);
    TarnBodyId id = put(&tank, tarn_shape_box(0.1f, 0.1f, 0.1f), 20, 0.0f, 0.3f);
    fill_tank(&tank);
    if (ends_early(&tank)) return;
    float highest = 0.0f, fastest = 0.0f;
    for (int i = 0; i < 240; ++i) {
        step(&tank, 1);
        TarnBodyState s = state_of(&tank, id);
        highest = s.position.y > highest ? s.position.y : highest;
        float speed = sqrtf(s.velocity.x * s.velocity.x + s.velocity.y * s.velocity.y);
        fastest = speed > fastest ? speed : fastest;
    }
    print_message("%d-D, method %d, density 20: highest %.2f m, fastest %.2f m/s, ends at %.2f m\n",
                  dimensions, method, highest, fastest, state_of(&tank, id).position.y);
    assert_true(highest < 1.45f && fastest < 4.5f);
    assert_true(state_of(&tank, id).position.y > 0.75f);
    destroy_tank(&tank);
}

static void test_light_is_not_flung(void** state)
{
    (void)state;
    rise(2, TARN_LIQUID_CONSTRAINT, 0.025f);
    rise(3, TARN_LIQUID_CONSTRAINT, 0.05f);
    rise(2, TARN_LIQUID_DFSPH, 0.04f); // without bodies in its solve: 11 m/s
    rise(2, TARN_LIQUID_PCISPH, 0.04f);
    rise(3, TARN_LIQUID_DFSPH, 0.08f);
}

static void test_sinks(void** state)
{
    (void)state;
    Tank tank = make_tank(2, TARN_LIQUID_CONSTRAINT, 0.03f);
    TarnBodyId id = put(&tank, tarn_shape_box(0.1f, 0.1f, 0.5f), 3000, 0.0f, 1.0f);
    fill_tank(&tank);
    if (ends_early(&tank)) return;
    step(&tank, 120);
    assert_true(state_of(&tank, id).position.y < 0.2f);
    destroy_tank(&tank);
}

// Two light boxes on a raft: all of them stay up, and on each other.
static void test_stack_floats(void** state)
{
    (void)state;
    Tank tank = make_tank(2, TARN_LIQUID_CONSTRAINT, 0.025f);
    TarnBodyId raft = put(&tank, tarn_shape_box(0.4f, 0.08f, 0.5f), 300, 0.0f, 0.85f);
    TarnBodyId low = put(&tank, tarn_shape_box(0.1f, 0.1f, 0.5f), 150, 0.0f, 1.035f);
    TarnBodyId high = put(&tank, tarn_shape_box(0.08f, 0.08f, 0.5f), 150, 0.0f, 1.22f);
    fill_tank(&tank);
    if (ends_early(&tank)) return;
    step(&tank, 240);
    TarnBodyState r = state_of(&tank, raft), l = state_of(&tank, low), h = state_of(&tank, high);
    assert_true(r.position.y > 0.72f);
    assert_true(fabsf(r.rotation.z) < 0.035f); // level within 4 degrees
    assert_true(l.position.y > r.position.y + 0.1f);
    assert_true(h.position.y > l.position.y + 0.1f);
    destroy_tank(&tank);
}

// ---- Driven, hinged --------------------------------------------------------------------------------

static void test_driven_pushes_and_stays(void** state)
{
    (void)state;
    Tank tank = make_tank(2, TARN_LIQUID_CONSTRAINT, 0.03f);
    TarnBodyDef def = tarn_body_default_def();
    TarnBodyId id;
    def.shape = tarn_shape_box(0.1f, 0.3f, 0.5f);
    def.is_driven = true;
    def.state.position = (TarnVec3){ -0.6f, 0.3f, 0.0f };
    assert_int_equal(tarn_bodies_add(tank.bodies, &def, &id), TARN_OK);
    fill_tank(&tank);
    step(&tank, 30);
    assert_float_equal(state_of(&tank, id).position.x, -0.6, 0);
    assert_float_equal(state_of(&tank, id).position.y, 0.3, 0);
    double before = tarn_liquid_stats(tank.liquid).momentum[0];
    TarnBodyState s = state_of(&tank, id);
    s.velocity.x = 1.0f;
    for (int i = 0; i < 15; ++i) {
        s.position.x += frame;
        assert_int_equal(tarn_bodies_set_state(tank.bodies, id, &s), TARN_OK);
        step(&tank, 1);
    }
    assert_true(tarn_liquid_stats(tank.liquid).momentum[0] > before + 20.0); // it pushed
    TarnBodyForce force;
    tarn_bodies_get_force(tank.bodies, id, &force);
    assert_true(force.force.x < 0.0f); // and was pushed back
    destroy_tank(&tank);
}

// A jet on one side of a bar on a hinge turns it, and it goes nowhere.
static void test_hinge_turns(void** state)
{
    (void)state;
    Tank tank = make_tank(2, TARN_LIQUID_CONSTRAINT, 0.03f);
    TarnBodyDef def = tarn_body_default_def();
    TarnBodyId id;
    def.shape = tarn_shape_box(0.4f, 0.04f, 0.5f);
    def.density = 2000;
    def.freedom = TARN_BODY_HINGE;
    def.state.position = (TarnVec3){ 0.0f, 0.8f, 0.0f };
    assert_int_equal(tarn_bodies_add(tank.bodies, &def, &id), TARN_OK);
    TarnLiquidSourceDef jet = tarn_liquid_source_default_def();
    TarnLiquidSourceId source;
    jet.position = (TarnVec3){ 0.3f, 1.4f, 0.0f };
    jet.direction = (TarnVec3){ 0.0f, -1.0f, 0.0f };
    jet.radius = 0.06f;
    jet.speed = 3.0f;
    assert_int_equal(tarn_liquid_add_source(tank.liquid, &jet, &source), TARN_OK);
    step(&tank, 60);
    TarnBodyState s = state_of(&tank, id);
    assert_true(s.angular_velocity.z < -0.2f || fabsf(s.rotation.z) > 0.1f);
    assert_float_equal(s.position.y, 0.8, 0);
    assert_float_equal(s.position.x, 0, 0);
    destroy_tank(&tank);
}

// ---- Bodies come, go and jump ------------------------------------------------------------------------

static void test_solids_follow(void** state)
{
    (void)state;
    Tank tank = make_tank(2, TARN_LIQUID_CONSTRAINT, 0.05f);
    fill_tank(&tank);
    assert_int_equal(tarn_solids_count(tank.solids), 0);
    TarnBodyId a = put(&tank, tarn_shape_sphere(0.1f), 500, -0.4f, 1.1f);
    TarnBodyId b = put(&tank, tarn_shape_capsule(0.08f, 0.1f), 500, 0.4f, 1.1f);
    assert_true(tarn_couple_solid_of(tank.bodies, a).value == 0);
    step(&tank, 2);
    TarnSolidId sa = tarn_couple_solid_of(tank.bodies, a),
                sb = tarn_couple_solid_of(tank.bodies, b);
    assert_int_equal(tarn_solids_count(tank.solids), 2);
    assert_true(tarn_couple_body_of(tank.bodies, sb).value == b.value);
    tarn_bodies_remove(tank.bodies, a);
    TarnBodyId c = put(&tank, tarn_shape_box(0.1f, 0.1f, 0.5f), 500, -0.4f, 1.1f); // takes its slot
    step(&tank, 1);
    assert_int_equal(tarn_solids_count(tank.solids), 2);
    assert_true(tarn_couple_solid_of(tank.bodies, c).value != sa.value);
    TarnSolidDef def;
    assert_int_equal(tarn_solids_get(tank.solids, tarn_couple_solid_of(tank.bodies, c), &def),
                     TARN_OK);
    assert_int_equal(def.shape.kind, TARN_SHAPE_BOX);
    // A jump through the water does not sweep it along.
    TarnBodyState s = state_of(&tank, c);
    s.position = (TarnVec3){ 0.5f, 0.3f, 0.0f };
    s.velocity = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    tarn_bodies_set_state(tank.bodies, c, &s);
    step(&tank, 1);
    assert_true(tarn_liquid_stats(tank.liquid).max_speed < 15.0);
    tarn_bodies_remove(tank.bodies, b);
    tarn_bodies_remove(tank.bodies, c);
    step(&tank, 1);
    assert_int_equal(tarn_solids_count(tank.solids), 0);
    destroy_tank(&tank);
}

static void test_hull(void** state)
{
    (void)state;
    const TarnVec3 points[] = { { 0.3f, 0, 0 },  { -0.2f, 0.1f, 0.2f }, { -0.2f, 0.1f, -0.2f },
                                { 0, -0.2f, 0 }, { 0, 0.2f, 0.1f },     { 0, 0.2f, -0.1f } };
    Tank tank = make_tank(3, TARN_LIQUID_CONSTRAINT, 0.06f);
    TarnBodyId id = put(&tank, tarn_shape_hull(points, 6), 300, 0.0f, 0.9f);
    fill_tank(&tank);
    if (ends_early(&tank)) return;
    step(&tank, 120);
    assert_true(state_of(&tank, id).position.y > 0.6f);
    destroy_tank(&tank);
}

// ---- The same for any method ---------------------------------------------------------------------------

static void test_all_methods(void** state)
{
    (void)state;
    const int methods[] = { TARN_LIQUID_DFSPH, TARN_LIQUID_WCSPH, TARN_LIQUID_SPH };
    for (int m = 0; m < 3; ++m) {
        Tank tank = make_tank(2, methods[m], 0.05f);
        TarnBodyId light = put(&tank, tarn_shape_box(0.15f, 0.15f, 0.5f), 300, -0.35f, 0.9f);
        TarnBodyId heavy = put(&tank, tarn_shape_box(0.1f, 0.1f, 0.5f), 3000, 0.4f, 0.95f);
        fill_tank(&tank);
        if (ends_early(&tank)) continue;
        step(&tank, 120);
        float up = state_of(&tank, light).position.y, down = state_of(&tank, heavy).position.y;
        print_message("all, method %d: light at %.2f m, heavy at %.2f m\n", methods[m], up, down);
        assert_true(up > 0.65f && up < 1.3f);
        assert_true(down < 0.3f);
        destroy_tank(&tank);
    }
}

// ---- Arguments -------------------------------------------------------------------------------------------

static bool no_span(float x, float z, TarnVec3 position, TarnQuat rotation, float* lo, float* hi,
                    void* user)
{
    (void)x, (void)z, (void)position, (void)rotation, (void)lo, (void)hi, (void)user;
    return false;
}

static void test_arguments(void** state)
{
    (void)state;
    Tank tank = make_tank(2, TARN_LIQUID_CONSTRAINT, 0.05f);
    TarnStepReport report;
    assert_int_equal(tarn_couple_liquid_bodies(NULL, tank.bodies, frame, &report), TARN_ERR_ARG);
    assert_int_equal(tarn_couple_liquid_bodies(tank.liquid, NULL, frame, &report), TARN_ERR_ARG);
    assert_int_equal(tarn_couple_liquid_bodies(tank.liquid, tank.bodies, -1.0f, &report),
                     TARN_ERR_ARG);
    assert_int_equal(tarn_couple_liquid_bodies(tank.liquid, tank.bodies, NAN, &report),
                     TARN_ERR_ARG);
    assert_int_equal(tarn_couple_liquid_bodies(tank.liquid, tank.bodies, 0.0f, NULL), TARN_OK);
    tarn_liquid_set_solids(tank.liquid, NULL);
    assert_int_equal(tarn_couple_liquid_bodies(tank.liquid, tank.bodies, frame, &report),
                     TARN_ERR_ARG);
    assert_non_null(strstr(tarn_last_error(ctx), "tarn_liquid_set_solids"));
    tarn_liquid_set_solids(tank.liquid, tank.solids);

    TarnBodyDef def = tarn_body_default_def();
    TarnBodyId id;
    def.shape = (TarnShape){ .kind = TARN_SHAPE_SPAN, .span = no_span, .radius = 1, .volume = 1 };
    assert_int_equal(tarn_bodies_add(tank.bodies, &def, &id), TARN_OK);
    assert_int_equal(tarn_couple_liquid_bodies(tank.liquid, tank.bodies, frame, &report), TARN_OK);
    assert_true(tarn_liquid_time(tank.liquid) > 0.0); // it is left out, and the liquid goes on
    assert_int_equal(tarn_couple_solid_of(tank.bodies, id).value, 0);
    assert_int_equal(tarn_couple_solids_bodies(tank.solids, tank.bodies, frame), TARN_OK);
    TarnSolidDef shape = tarn_solid_default_def(); // with a shape of its own it is there
    assert_int_equal(tarn_couple_solid_shape(tank.solids, tank.bodies, id, &shape), TARN_OK);
    assert_int_equal(tarn_couple_liquid_bodies(tank.liquid, tank.bodies, frame, &report), TARN_OK);
    assert_true(tarn_couple_solid_of(tank.bodies, id).value != 0);
    assert_int_equal(tarn_couple_solid_shape(tank.solids, tank.bodies, (TarnBodyId){ 0 }, &shape),
                     TARN_ERR_ARG);
    assert_int_equal(tarn_couple_solid_shape(tank.solids, tank.bodies, id, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_couple_solids_prepare(NULL, tank.bodies), TARN_ERR_ARG);
    destroy_tank(&tank);
}

static void test_set_is_full(void** state)
{
    (void)state;
    Tank tank = make_tank(2, TARN_LIQUID_CONSTRAINT, 0.05f);
    TarnSolidsDef small = tarn_solids_default_def();
    TarnSolids* solids;
    small.max_solids = 1;
    assert_int_equal(tarn_solids_create(ctx, &small, &solids), TARN_OK);
    put(&tank, tarn_shape_sphere(0.1f), 500, -0.4f, 1.1f);
    put(&tank, tarn_shape_sphere(0.1f), 500, 0.4f, 1.1f);
    assert_int_equal(tarn_couple_solids_prepare(solids, tank.bodies), TARN_ERR_CAPACITY);
    tarn_solids_destroy(solids);
    destroy_tank(&tank);
}

// The same bits for any number of workers.
static void test_workers(void** state)
{
    (void)state;
    uint64_t hash[2];
    TarnContext* first = ctx;
    for (int i = 0; i < 2; ++i) {
        ctx = make_context(i == 0 ? 1 : 3, i == 0 ? TARN_ISA_AUTO : TARN_ISA_BASELINE);
        Tank tank = make_tank(2, TARN_LIQUID_CONSTRAINT, 0.03f);
        put(&tank, tarn_shape_box(0.2f, 0.1f, 0.5f), 200, -0.3f, 0.7f);
        put(&tank, tarn_shape_sphere(0.12f), 900, 0.3f, 1.1f);
        fill_tank(&tank);
        step(&tank, 60);
        hash[i] = tarn_bodies_hash(tank.bodies) ^ tarn_liquid_hash(tank.liquid);
        destroy_tank(&tank);
        tarn_context_destroy(ctx);
    }
    ctx = first;
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST_ALONE(test_floats_at_its_depth),
        UNIT_TEST_ALONE(test_hovers),
        UNIT_TEST_ALONE(test_light_is_not_flung),
        UNIT_TEST_ALONE(test_sinks),
        UNIT_TEST_ALONE(test_stack_floats),
        UNIT_TEST_ALONE(test_driven_pushes_and_stays),
        UNIT_TEST_ALONE(test_hinge_turns),
        UNIT_TEST_ALONE(test_solids_follow),
        UNIT_TEST_ALONE(test_hull),
        UNIT_TEST_ALONE(test_all_methods),
        UNIT_TEST_ALONE(test_arguments),
        UNIT_TEST_ALONE(test_set_is_full),
        cmocka_unit_test(test_workers),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
