// Bodies in shallow water and on its ground: triangles of shapes, contacts with a height field, bits,
// snapshots, arguments, memory. Physics: tests/physics/check_afloat.c.

#include "shallow_common.h"
#include "bodies/bodies.h"
#include "base/maths.h"
#include "tarn/coupling.h"

// ---- Set-up --------------------------------------------------------------------------------------

static TarnBodies* make_bodies_in(TarnContext* where, int max_bodies)
{
    TarnBodiesDef def = tarn_bodies_default_def();
    def.max_bodies = max_bodies;
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
    assert_ok(tarn_bodies_get_state(bodies, id, &s));
    return s;
}

enum { KINDS = 4 };
static TarnShape make_shape(int kind)
{
    static const TarnVec3 wedge[6] = { { -1.0f, -0.5f, -0.4f }, { 1.0f, -0.5f, -0.4f },
                                       { -1.0f, -0.5f, 0.4f },  { 1.0f, -0.5f, 0.4f },
                                       { 0.0f, 0.5f, -0.3f },   { 0.1f, 0.5f, 0.3f } };
    return kind == 0   ? tarn_shape_sphere(0.4f)
           : kind == 1 ? tarn_shape_box(0.5f, 0.3f, 0.4f)
           : kind == 2 ? tarn_shape_capsule(0.25f, 0.6f)
                       : tarn_shape_hull(wedge, 6);
}

static TarnShallowDef lake_def(void)
{
    TarnShallowDef def = water_def();
    def.bed_fn = water_hills;
    def.level = 0.5f, def.has_level = true;
    def.use_bodies = true;
    return def;
}

static void set_ground(TarnBodies* bodies, const TarnShallow* water)
{
    assert_ok(tarn_bodies_set_ground(bodies, tarn_shallow_bed(water), tarn_shallow_origin(water),
                                     tarn_shallow_def(water)->dx));
}

static void frame_of(TarnShallow* water, TarnBodies* bodies, float dt)
{
    assert_ok(tarn_couple_shallow_bodies(water, bodies, dt));
    advance(water, dt);
    set_ground(bodies, water);
    assert_ok(tarn_bodies_step(bodies, dt, NULL));
}

static void add_some(TarnBodies* bodies)
{
    for (int n = 0; n < 8; ++n) {
        TarnVec3 at = { 6.0f + 5.0f * (float)n, 3.0f, 10.0f + 3.0f * (float)(n % 3 - 1) };
        TarnBodyId id = add_body(bodies, make_shape(n % KINDS), n % 2 ? 400.0f : 900.0f, at);
        TarnBodyState s = state_of(bodies, id);
        s.velocity = (TarnVec3){ 3.0f, 0.0f, -1.0f };
        s.angular_velocity = (TarnVec3){ 0.5f, 1.0f, -0.3f };
        assert_ok(tarn_bodies_set_state(bodies, id, &s));
    }
}

// ---- Triangles -----------------------------------------------------------------------------------

static void test_triangles(void** state)
{
    (void)state;
    TarnBodies* bodies = make_bodies_in(ctx, 8);
    for (int kind = 0; kind < KINDS; ++kind) {
        TarnBodyId id = add_body(bodies, make_shape(kind), 500.0f, (TarnVec3){ 5.0f, 1.0f, -3.0f });
        TarnBodyState s = state_of(bodies, id);
        s.rotation = (TarnQuat){ 0.3f, -0.5f, 0.2f, 0.7f };
        assert_ok(tarn_bodies_set_state(bodies, id, &s));
        const TarnBody* body = tarn__bodies_slot(bodies, kind);
        BodyTriangle t[BODY_MAX_SURFACE];
        int n = tarn__body_surface(body, t);
        assert_true(n >= 8 && n <= BODY_MAX_SURFACE);
        double volume = 0.0, sum[3] = { 0.0 }, area = 0.0;
        for (int i = 0; i < n; ++i) {
            const TarnVec3* p = t[i].p;
            TarnVec3 normal = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
            double out = (double)vec3_dot(p[0], normal) / 6.0;
            assert_true(out > 0.0); // the center of mass is inside
            volume += out;
            sum[0] += (double)normal.x, sum[1] += (double)normal.y, sum[2] += (double)normal.z;
            area += (double)vec3_length(normal);
        }
        assert_true(fabs(volume / (double)body->volume - 1.0) < 1e-5);
        for (int axis = 0; axis < 3; ++axis) assert_true(fabs(sum[axis]) < 1e-5 * area);
    }
    tarn_bodies_destroy(bodies);
}

// ---- Ground --------------------------------------------------------------------------------------

enum { SIZE = 40 };
static float heights[SIZE * SIZE];

static TarnView2 make_ground(float slope, float rock)
{
    for (int c = 0; c < SIZE * SIZE; ++c) {
        int i = c % SIZE, k = c / SIZE;
        heights[c] = slope * 0.5f * (float)i + (i == 20 && k == 20 ? rock : 0.0f);
    }
    return (TarnView2){ heights, SIZE, SIZE, SIZE };
}

// The friction of a body at rest is that of a slope of 0.3.
static void test_slopes(void** state)
{
    (void)state;
    const float slopes[] = { 0.0f, 0.2f, 0.5f };
    for (int n = 0; n < 3; ++n) {
        TarnBodies* bodies = make_bodies_in(ctx, 4);
        TarnView2 view = make_ground(slopes[n], 0.0f);
        assert_ok(tarn_bodies_set_ground(bodies, view, (TarnVec2){ 0.0f, 0.0f }, 0.5f));
        TarnBodyId id = add_body(bodies, tarn_shape_box(0.5f, 0.2f, 0.5f), 500.0f,
                                 (TarnVec3){ 10.0f, 10.0f * slopes[n] + 0.6f, 10.0f });
        for (int s = 0; s < 90; ++s) assert_ok(tarn_bodies_step(bodies, frame, NULL));
        TarnBodyState a = state_of(bodies, id);
        for (int s = 0; s < 60; ++s) assert_ok(tarn_bodies_step(bodies, frame, NULL));
        TarnBodyState b = state_of(bodies, id);
        if (slopes[n] < 0.3f) {
            assert_true(vec3_length(vec3_sub(a.position, b.position)) < 2e-3f);
        } else { // a = g (sin - mu cos)
            float angle = atanf(slopes[n]), gain = 9.81f * (sinf(angle) - 0.3f * cosf(angle));
            float speed = vec3_length(b.velocity) - vec3_length(a.velocity);
            assert_true(fabsf(speed / gain - 1.0f) < 0.05f);
            assert_true(b.position.x < a.position.x);
        }
        float away = (b.position.y - (b.position.x - 0.25f) * slopes[n]) /
                     sqrtf(1.0f + slopes[n] * slopes[n]);
        assert_true(fabsf(away - 0.2f) < 5e-3f); // it lies on the slope
        tarn_bodies_destroy(bodies);
    }
}

// A rock in the middle, far from all corners, holds a barge up.
static void test_rock(void** state)
{
    (void)state;
    TarnBodies* bodies = make_bodies_in(ctx, 4);
    TarnView2 view = make_ground(0.0f, 1.0f);
    assert_ok(tarn_bodies_set_ground(bodies, view, (TarnVec2){ 0.0f, 0.0f }, 0.5f));
    TarnBodyId id = add_body(bodies, tarn_shape_box(3.0f, 0.25f, 2.0f), 500.0f,
                             (TarnVec3){ 10.3f, 1.6f, 10.2f });
    for (int s = 0; s < 300; ++s) assert_ok(tarn_bodies_step(bodies, frame, NULL));
    assert_true(state_of(bodies, id).position.y > 0.5f);
    tarn_bodies_destroy(bodies);
}

static void test_nothing_falls_through(void** state)
{
    (void)state;
    TarnView2 view = make_ground(0.0f, 0.0f);
    for (int c = 0; c < SIZE * SIZE; ++c) {
        heights[c] = 2.0f * sinf(0.7f * (float)(c % SIZE)) * cosf(0.5f * (float)(c / SIZE));
    }
    TarnBodies* bodies = make_bodies_in(ctx, 64);
    assert_ok(tarn_bodies_set_ground(bodies, view, (TarnVec2){ 0.0f, 0.0f }, 0.5f));
    for (int n = 0; n < 64; ++n) {
        TarnBodyId id = add_body(bodies, make_shape(n % KINDS), 500.0f,
                                 (TarnVec3){ uniform(1.0f, 19.0f), 6.0f, uniform(1.0f, 19.0f) });
        TarnBodyState s = state_of(bodies, id);
        float speed = n % 2 ? 20.0f : 400.0f;
        s.velocity = (TarnVec3){ uniform(-speed, speed), -speed, uniform(-speed, speed) };
        assert_ok(tarn_bodies_set_state(bodies, id, &s));
    }
    for (int s = 0; s < 600; ++s) {
        assert_ok(tarn_bodies_step(bodies, s % 3 ? frame : 0.05f, NULL));
        for (int n = 0; n < 64; ++n) {
            TarnBodyState b = state_of(bodies, tarn_bodies_at(bodies, n));
            assert_true(tarn__is_finite3(b.position) && b.position.y > -2.1f);
        }
    }
    tarn_bodies_destroy(bodies);
}

static void test_ground_arguments(void** state)
{
    (void)state;
    TarnBodies* bodies = make_bodies_in(ctx, 4);
    TarnView2 view = make_ground(0.0f, 0.0f), bad = view;
    TarnVec2 zero = { 0.0f, 0.0f };
    assert_int_equal(tarn_bodies_set_ground(NULL, view, zero, 0.5f), TARN_ERR_ARG);
    bad.stride = 3;
    assert_result(tarn_bodies_set_ground(bodies, bad, zero, 0.5f), TARN_ERR_ARG, "stride");
    assert_result(tarn_bodies_set_ground(bodies, view, zero, 0.0f), TARN_ERR_ARG, "dx");
    assert_result(tarn_bodies_set_ground(bodies, view, zero, NAN), TARN_ERR_ARG, "dx");
    assert_result(tarn_bodies_set_ground(bodies, view, (TarnVec2){ INFINITY, 0.0f }, 0.5f),
                  TARN_ERR_ARG, "origin");
    // None of these took effect: a body falls as if there were no ground. Nor does none at all.
    TarnBodyId id = add_body(bodies, make_shape(0), 500.0f, (TarnVec3){ 10.0f, 0.5f, 10.0f });
    uint64_t hash = tarn_bodies_hash(bodies);
    assert_ok(tarn_bodies_set_ground(bodies, view, zero, 0.5f));
    assert_ok(tarn_bodies_set_ground(bodies, (TarnView2){ 0 }, zero, 0.0f));
    assert_true(tarn_bodies_hash(bodies) == hash);
    for (int s = 0; s < 60; ++s) assert_ok(tarn_bodies_step(bodies, frame, NULL));
    assert_true(state_of(bodies, id).position.y < -3.0f);
    tarn_bodies_destroy(bodies);
}

// ---- Coupling ------------------------------------------------------------------------------------

static void test_coupling_arguments(void** state)
{
    (void)state;
    TarnShallow* plain = make_lake(1.0f);
    TarnShallowDef def = lake_def();
    TarnShallow* water = make_water(&def);
    TarnBodies* bodies = make_bodies_in(ctx, 4);
    assert_int_equal(tarn_couple_shallow_bodies(NULL, bodies, frame), TARN_ERR_ARG);
    assert_int_equal(tarn_couple_shallow_bodies(water, NULL, frame), TARN_ERR_ARG);
    assert_result(tarn_couple_shallow_bodies(plain, bodies, frame), TARN_ERR_ARG, "use_bodies");
    const float bad[] = { -1.0f, 10.1f, NAN, INFINITY };
    uint64_t hash = tarn_shallow_hash(water);
    for (int n = 0; n < 4; ++n)
        assert_result(tarn_couple_shallow_bodies(water, bodies, bad[n]), TARN_ERR_ARG, "dt");
    assert_ok(tarn_couple_shallow_bodies(water, bodies, frame)); // no bodies: nothing happens
    assert_true(tarn_shallow_hash(water) == hash);
    tarn_shallow_destroy(plain);
    tarn_shallow_destroy(water);
    tarn_bodies_destroy(bodies);
}

static void test_no_allocation(void** state)
{
    (void)state;
    TarnShallowDef def = lake_def();
    TarnShallow* water = make_water(&def);
    TarnBodies* bodies = make_bodies_in(ctx, 16);
    add_some(bodies);
    int calls = memory.calls;
    for (int n = 0; n < 30; ++n) frame_of(water, bodies, frame);
    assert_int_equal(memory.calls, calls);
    tarn_shallow_destroy(water);
    tarn_bodies_destroy(bodies);
}

// The same bits for any number of workers and all instruction sets.
static void test_same_bits(void** state)
{
    (void)state;
    uint64_t expected[2] = { 0, 0 };
    const struct {
        int workers;
        TarnIsa isa;
    } ways[] = {
        { 1, TARN_ISA_BASELINE }, { 1, TARN_ISA_AVX2 }, { 1, TARN_ISA_AVX512 },
        { 2, TARN_ISA_AUTO },     { 5, TARN_ISA_AUTO },
    };
    for (int w = 0; w < 5; ++w) {
        TarnContext* where = make_context(ways[w].workers, ways[w].isa);
        if (where == NULL) continue;
        TarnShallowDef def = lake_def();
        TarnShallow* water = make_water_in(where, &def);
        TarnBodies* bodies = make_bodies_in(where, 16);
        add_some(bodies);
        for (int n = 0; n < 120; ++n) frame_of(water, bodies, frame);
        uint64_t hash[2] = { tarn_shallow_hash(water), tarn_bodies_hash(bodies) };
        if (w == 0) memcpy(expected, hash, sizeof hash);
        assert_true(hash[0] == expected[0] && hash[1] == expected[1]);
        tarn_shallow_destroy(water);
        tarn_bodies_destroy(bodies);
        tarn_context_destroy(where);
    }
}

static void test_snapshots(void** state)
{
    (void)state;
    TarnShallowDef def = lake_def();
    TarnShallow *water = make_water(&def), *copy = make_water(&def);
    TarnBodies* bodies[2] = { make_bodies_in(ctx, 16), make_bodies_in(ctx, 16) };
    add_some(bodies[0]), add_some(bodies[1]);
    for (int n = 0; n < 50; ++n) frame_of(water, bodies[0], frame);
    size_t size, bodies_size;
    uint8_t buffer[20000];
    assert_int_equal(tarn_shallow_save(water, NULL, 0, &size), TARN_ERR_CAPACITY);
    uint8_t* snapshot = malloc(size);
    assert_ok(tarn_shallow_save(water, snapshot, size, &size));
    assert_ok(tarn_bodies_save(bodies[0], buffer, sizeof buffer, &bodies_size));
    assert_ok(tarn_shallow_load(copy, snapshot, size));
    assert_ok(tarn_bodies_load(bodies[1], buffer, bodies_size));
    for (int n = 0; n < 60; ++n) {
        frame_of(water, bodies[0], frame);
        frame_of(copy, bodies[1], frame);
        assert_true(tarn_shallow_hash(water) == tarn_shallow_hash(copy));
        assert_true(tarn_bodies_hash(bodies[0]) == tarn_bodies_hash(bodies[1]));
    }
    free(snapshot);
    tarn_shallow_destroy(water), tarn_shallow_destroy(copy);
    tarn_bodies_destroy(bodies[0]), tarn_bodies_destroy(bodies[1]);
}

static double loaded_volume(const TarnShallow* water)
{
    double sum = 0.0;
    for (int k = 0; k < water->def.nz; ++k) {
        for (int i = 0; i < water->def.nx; ++i)
            sum += (double)water->load[shallow_cell(water, i, k)];
    }
    return sum * (double)water->def.dx * (double)water->def.dx;
}

// While a body is in the water the floor has its volume; when it goes nothing is left.
static void test_load(void** state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        TarnShallowDef def = water_def();
        def.level = 4.0f, def.has_level = true, def.use_bodies = true;
        def.dx = 0.2f;
        TarnShallow* water = make_water(&def);
        TarnBodies* bodies = make_bodies_in(ctx, 4);
        TarnBodyId id =
            add_body(bodies, make_shape(kind), 1000.0f, (TarnVec3){ 9.03f, 2.0f, 4.1f });
        float mass, volume;
        assert_ok(tarn_bodies_get_mass(bodies, id, &mass, &volume));
        for (int n = 0; n < 90; ++n) frame_of(water, bodies, frame);
        assert_true(fabs(loaded_volume(water) / (double)volume - 1.0) < 0.05);
        assert_ok(tarn_bodies_remove(bodies, id));
        for (int n = 0; n < 90; ++n) frame_of(water, bodies, frame);
        assert_true(loaded_volume(water) == 0.0);
        for (int t = 0; t < water->tiles_x * water->tiles_z; ++t)
            assert_int_equal(water->pressed[t], 0);
        tarn_shallow_destroy(water);
        tarn_bodies_destroy(bodies);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST_ALONE(test_triangles),
                                        TEST_ALONE(test_slopes),
                                        TEST_ALONE(test_rock),
                                        TEST_ALONE(test_nothing_falls_through),
                                        TEST_ALONE(test_ground_arguments),
                                        TEST_ALONE(test_coupling_arguments),
                                        TEST_ALONE(test_no_allocation),
                                        TEST(test_same_bits),
                                        TEST_ALONE(test_snapshots),
                                        TEST_ALONE(test_load) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
