// Free bodies and solids: every kind of solid carries every kind of body, ramps, rims, posts, bowls, paddles, moving
// floors, stacks, thin walls at speed.

#include "test_common.h"
#include "base/maths.h"
#include "bodies/bodies_internal.h"
#include "tarn/coupling.h"

typedef struct Place {
    TarnSolids* solids;
    TarnBodies* bodies;
} Place;

static Place make_place(int max_bodies)
{
    TarnSolidsDef solids = tarn_solids_default_def();
    TarnBodiesDef bodies = tarn_bodies_default_def();
    bodies.max_bodies = max_bodies;
    solids.shape_memory = (size_t)16 << 20;
    Place place;
    assert_ok(tarn_solids_create(ctx, &solids, &place.solids));
    assert_ok(tarn_bodies_create(ctx, &bodies, &place.bodies));
    assert_ok(tarn_couple_bodies_solids(place.bodies, place.solids));
    return place;
}

static void leave(Place* place)
{
    tarn_bodies_destroy(place->bodies);
    tarn_solids_destroy(place->solids);
}

static void run(Place* place, int frames)
{
    for (int n = 0; n < frames; ++n) {
        assert_ok(tarn_solids_advance(place->solids, frame));
        assert_ok(tarn_bodies_step(place->bodies, frame, NULL));
    }
}

static TarnBodyId add_body(Place* place, TarnShape shape, TarnVec3 at, TarnVec3 velocity)
{
    TarnBodyDef def = tarn_body_default_def();
    def.shape = shape, def.state.position = at, def.state.velocity = velocity;
    def.friction = 0.5f, def.restitution = 0.0f;
    TarnBodyId id;
    assert_ok(tarn_bodies_add(place->bodies, &def, &id));
    return id;
}

static TarnBodyState state_of(Place* place, TarnBodyId id)
{
    TarnBodyState s;
    assert_ok(tarn_bodies_get_state(place->bodies, id, &s));
    return s;
}

static float lowest(Place* place, TarnBodyId id) // y of its lowest point
{
    const TarnBody* body =
        tarn__bodies_slot(place->bodies, tarn__bodies_slot_of(place->bodies, id));
    return body->state.position.y - tarn__body_reach(body, (TarnVec3){ 0, -1, 0 });
}

static const TarnVec3 still = { 0, 0, 0 };

// ---- Solids ---------------------------------------------------------------------------------------

static const TarnVec3 box_points[8] = { { -1, -1, -1 }, { 1, -1, -1 }, { -1, 1, -1 }, { 1, 1, -1 },
                                        { -1, -1, 1 },  { 1, -1, 1 },  { -1, 1, 1 },  { 1, 1, 1 } };
static const int box_triangles[36] = { 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5, 0, 1, 5, 0, 5, 4,
                                       2, 6, 7, 2, 7, 3, 0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6 };
static TarnVec3 scaled[8];
static TarnPlane planes[6];
static float samples[61 * 61 * 61], heights[64];
static TarnVec3 half_of;

static float box_distance(TarnVec3 p, void* user)
{
    const TarnVec3* h = user;
    TarnVec3 o = { fabsf(p.x) - h->x, fabsf(p.y) - h->y, fabsf(p.z) - h->z };
    float most = fmaxf(o.x, fmaxf(o.y, o.z));
    if (most <= 0.0f) return most;
    TarnVec3 out = { fmaxf(o.x, 0.0f), fmaxf(o.y, 0.0f), fmaxf(o.z, 0.0f) };
    return vec3_length(out);
}

enum { KINDS = 6 }; // of tables: ways to describe one and the same box
static const char* const names[KINDS] = {
    "box", "convex", "mesh", "distance", "function", "terrain"
};

// A box of these half extents; terrain is endless at its top.
static TarnSolidDef table_def(int kind, TarnVec3 half)
{
    TarnSolidDef def = tarn_solid_default_def();
    half_of = half;
    def.friction = 0.5f, def.restitution = 0.0f;
    switch (kind) {
    case 0:
        def.shape.kind = TARN_SHAPE_BOX, def.shape.size = half;
        break;
    case 1:
        for (int n = 0; n < 6; ++n) {
            float sign = n % 2 ? 1.0f : -1.0f;
            planes[n].normal =
                (TarnVec3){ n / 2 == 0 ? sign : 0, n / 2 == 1 ? sign : 0, n / 2 == 2 ? sign : 0 };
            planes[n].offset = n / 2 == 0 ? half.x : n / 2 == 1 ? half.y : half.z;
        }
        def.shape.kind = TARN_SHAPE_CONVEX, def.shape.planes = planes, def.shape.n_planes = 6;
        break;
    case 2:
        for (int n = 0; n < 8; ++n) {
            TarnVec3 p = box_points[n];
            scaled[n] = (TarnVec3){ p.x * half.x, p.y * half.y, p.z * half.z };
        }
        def.shape.kind = TARN_SHAPE_MESH, def.shape.points = scaled, def.shape.n_points = 8;
        def.shape.triangles = box_triangles, def.shape.n_triangles = 12;
        break;
    case 3: { // cells of half / 20 or so
        def.shape.kind = TARN_SHAPE_DISTANCE;
        def.shape.dx = half.x / 20.0f;
        def.shape.nx = def.shape.ny = def.shape.nz = 61;
        def.shape.origin =
            (TarnVec3){ -30.0f * def.shape.dx, -30.0f * def.shape.dx, -30.0f * def.shape.dx };
        for (int c = 0; c < 61 * 61 * 61; ++c) {
            TarnVec3 p = { def.shape.origin.x + def.shape.dx * (float)(c % 61),
                           def.shape.origin.y + def.shape.dx * (float)(c / 61 % 61),
                           def.shape.origin.z + def.shape.dx * (float)(c / (61 * 61)) };
            samples[c] = box_distance(p, &half);
        }
        def.shape.distances = samples;
        break;
    }
    case 4:
        def.shape.kind = TARN_SHAPE_FUNCTION, def.shape.distance = box_distance,
        def.shape.user = &half_of;
        def.shape.radius = 1.01f * vec3_length(half);
        break;
    default:
        for (int c = 0; c < 64; ++c) heights[c] = half.y;
        def.shape.kind = TARN_SHAPE_TERRAIN, def.shape.dx = 1.0f,
        def.shape.heights = (TarnView2){ heights, 8, 8, 8 };
        def.shape.origin = (TarnVec3){ -4.0f, 0.0f, -4.0f };
    }
    return def;
}

enum { SHAPES = 4 };
static const TarnVec3 wedge[6] = { { -0.4f, -0.2f, -0.3f }, { 0.4f, -0.2f, -0.3f },
                                   { -0.4f, -0.2f, 0.3f },  { 0.4f, -0.2f, 0.3f },
                                   { 0.0f, 0.3f, -0.2f },   { 0.1f, 0.3f, 0.2f } };
static TarnShape make_shape(int n)
{
    return n == 0   ? tarn_shape_sphere(0.25f)
           : n == 1 ? tarn_shape_box(0.3f, 0.2f, 0.25f)
           : n == 2 ? tarn_shape_capsule(0.15f, 0.3f)
                    : tarn_shape_hull(wedge, 6);
}

static TarnQuat turn_z(float angle)
{
    return (TarnQuat){ 0.0f, 0.0f, sinf(0.5f * angle), cosf(0.5f * angle) };
}

// ---- Rest -----------------------------------------------------------------------------------------

// Every shape comes to rest on every kind of table, at the right height.
static void test_rest(void** state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        Place place = make_place(8);
        TarnSolidDef def = table_def(kind, (TarnVec3){ 2.0f, 0.5f, 2.0f });
        if (kind != 5) def.motion.position.y = 0.0f;
        assert_ok(tarn_solids_add(place.solids, &def, NULL));
        TarnBodyId id[SHAPES];
        for (int n = 0; n < SHAPES; ++n) {
            TarnVec3 at = { -1.0f + 2.0f * (float)(n % 2), 1.2f, -1.0f + 2.0f * (float)(n / 2) };
            id[n] = add_body(&place, make_shape(n), at, still);
        }
        TarnBodyState tilt = state_of(&place, id[2]); // the capsule falls over
        tilt.rotation = turn_z(1.0f);
        assert_ok(tarn_bodies_set_state(place.bodies, id[2], &tilt));
        run(&place, 300);
        TarnVec3 before[SHAPES];
        for (int n = 0; n < SHAPES; ++n) before[n] = state_of(&place, id[n]).position;
        run(&place, 60);
        for (int n = 0; n < SHAPES; ++n) {
            TarnBodyState s = state_of(&place, id[n]);
            float low = lowest(&place, id[n]) - 0.5f;
            float moved = vec3_length(vec3_sub(s.position, before[n]));
            bool is_round = n == 0 || n == 2; // may roll on a little
            if (fabsf(low) > 2e-3f || moved > (is_round ? 0.02f : 1e-4f))
                print_error("%s, shape %d: %g m over it, moved %g m\n", names[kind], n, (double)low,
                            (double)moved);
            assert_true(fabsf(low) < 2e-3f);
            assert_true(moved < (is_round ? 0.02f : 1e-4f));
        }
        leave(&place);
    }
}

// Plates so thin that what bodies sink in is nearer to their other side.
static void test_thin_plates(void** state)
{
    (void)state;
    const int kinds[4] = { 0, 1, 2, 4 };
    for (int n = 0; n < 4 * SHAPES; ++n) {
        Place place = make_place(1);
        TarnSolidDef def = table_def(kinds[n / SHAPES], (TarnVec3){ 2.0f, 1e-3f, 2.0f });
        assert_ok(tarn_solids_add(place.solids, &def, NULL));
        TarnBodyId id = add_body(&place, make_shape(n % SHAPES), (TarnVec3){ 0, 0.6f, 0 },
                                 (TarnVec3){ 0.5f, -5, 0 });
        run(&place, 240);
        if (fabsf(lowest(&place, id)) > 2e-3f)
            print_error("%s, shape %d: %g\n", names[kinds[n / SHAPES]], n % SHAPES,
                        (double)lowest(&place, id));
        assert_true(fabsf(lowest(&place, id)) < 2e-3f);
        leave(&place);
    }
}

// Friction holds a crate on slopes below its angle, and lets it slide at the right rate above it.
static void test_ramp(void** state)
{
    (void)state;
    for (int kind = 0; kind < KINDS - 1; ++kind) {
        for (int is_steep = 0; is_steep < 2; ++is_steep) {
            Place place = make_place(2);
            float angle = is_steep ? 0.60f : 0.42f; // the friction of 0.5 has 0.4636
            TarnSolidDef def = table_def(kind, (TarnVec3){ 6.0f, 0.6f, 6.0f });
            def.motion.rotation = turn_z(angle);
            assert_ok(tarn_solids_add(place.solids, &def, NULL));
            TarnVec3 up = { -sinf(angle), cosf(angle), 0.0f };
            TarnBodyId id = add_body(&place, tarn_shape_box(0.3f, 0.2f, 0.25f),
                                     vec3_scale(up, 0.8f + 1e-3f), still);
            TarnBodyState s = state_of(&place, id);
            s.rotation = turn_z(angle);
            assert_ok(tarn_bodies_set_state(place.bodies, id, &s));
            run(&place, 30);
            TarnBodyState a = state_of(&place, id);
            run(&place, 30);
            TarnBodyState b = state_of(&place, id);
            float away = vec3_dot(up, b.position) - 0.8f;
            float gain = 0.5f * 9.81f * (sinf(angle) - 0.5f * cosf(angle));
            float faster = vec3_length(b.velocity) - vec3_length(a.velocity);
            float moved = vec3_length(vec3_sub(b.position, a.position));
            bool is_right = is_steep ? fabsf(faster / gain - 1.0f) < 0.05f : moved < 1e-3f;
            if (!is_right || fabsf(away) > 2e-3f)
                print_error("%s at %g: moved %g, faster by %g, not %g, %g over it\n", names[kind],
                            (double)angle, (double)moved, (double)faster, (double)gain,
                            (double)away);
            assert_true(is_right && fabsf(away) < 2e-3f);
            leave(&place);
        }
    }
}

// A crate whose center is over a shelf stays there, one whose center is not falls. Also on posts.
static void test_rims(void** state)
{
    (void)state;
    for (int kind = 0; kind < KINDS - 1; ++kind) {
        Place place = make_place(4);
        TarnSolidDef def = table_def(kind, (TarnVec3){ 1.0f, 0.3f, 1.0f });
        assert_ok(tarn_solids_add(place.solids, &def, NULL));
        TarnShape crate = tarn_shape_box(0.4f, 0.4f, 0.3f);
        TarnBodyId stays = add_body(&place, crate, (TarnVec3){ 0.9f, 0.72f, -0.5f }, still);
        TarnBodyId falls = add_body(&place, crate, (TarnVec3){ -1.1f, 0.72f, 0.5f }, still);
        run(&place, 240);
        TarnBodyState s = state_of(&place, stays);
        bool is_right = fabsf(s.position.y - 0.7f) < 3e-3f && vec3_length(s.velocity) < 2e-3f &&
                        fabsf(s.position.x - 0.9f) < 5e-3f &&
                        state_of(&place, falls).position.y < -2.0f;
        if (!is_right)
            print_error("%s: at %g, %g with %g m/s; the other at %g\n", names[kind],
                        (double)s.position.x, (double)s.position.y, (double)vec3_length(s.velocity),
                        (double)state_of(&place, falls).position.y);
        assert_true(is_right);
        leave(&place);

        place = make_place(
            2); // four posts under a large crate, and one under the middle of a smaller one
        for (int n = 0; n < 5; ++n) {
            def = table_def(kind, (TarnVec3){ 0.1f, 0.1f, 0.1f });
            def.motion.position =
                n == 4 ? (TarnVec3){ 5, 0, 0 }
                       : (TarnVec3){ n % 2 ? 0.5f : -0.5f, 0.0f, n / 2 ? 0.5f : -0.5f };
            assert_ok(tarn_solids_add(place.solids, &def, NULL));
        }
        TarnBodyId large =
            add_body(&place, tarn_shape_box(1.0f, 0.3f, 1.0f), (TarnVec3){ 0.1f, 0.42f, 0 }, still);
        TarnBodyId small =
            add_body(&place, tarn_shape_box(0.4f, 0.2f, 0.4f), (TarnVec3){ 5, 0.31f, 0 }, still);
        run(&place, 240);
        s = state_of(&place, large);
        TarnBodyState t = state_of(&place, small);
        is_right = fabsf(s.position.y - 0.4f) < 3e-3f && vec3_length(s.velocity) < 2e-3f &&
                   fabsf(t.position.y - 0.3f) < 3e-3f;
        if (!is_right)
            print_error("%s posts: at %g with %g m/s, at %g\n", names[kind], (double)s.position.y,
                        (double)vec3_length(s.velocity), (double)t.position.y);
        assert_true(is_right);
        leave(&place);
    }
}

// A ball rolls to and fro in a bowl and ends at its bottom; crates lie in the corner of a room.
static void test_inside_out(void** state)
{
    (void)state;
    Place place = make_place(8);
    TarnSolidDef bowl = tarn_solid_default_def(), room = bowl;
    bowl.shape.kind = TARN_SHAPE_SPHERE, bowl.shape.size.x = 2.0f, bowl.is_inside_out = true;
    bowl.friction = 0.5f;
    room.shape.kind = TARN_SHAPE_BOX, room.shape.size = (TarnVec3){ 2, 2, 2 },
    room.is_inside_out = true;
    room.friction = 0.5f, room.restitution = 0.0f;
    assert_ok(tarn_solids_add(place.solids, &bowl, NULL));
    TarnBodyId ball =
        add_body(&place, tarn_shape_sphere(0.3f), (TarnVec3){ 1.2f, -0.5f, 0.0f }, still);
    TarnBodyId crate =
        add_body(&place, tarn_shape_box(0.3f, 0.3f, 0.3f), (TarnVec3){ -0.5f, -1, 0.3f }, still);
    for (int n = 0; n < 900; ++n) {
        run(&place, 1);
        TarnVec3 p = state_of(&place, ball).position, q = state_of(&place, crate).position;
        assert_true(vec3_length(p) < 1.705f && vec3_length(q) < 1.9f);
    }
    assert_true(vec3_length(state_of(&place, crate).velocity) < 0.02f);
    leave(&place);

    place = make_place(8);
    assert_ok(tarn_solids_add(place.solids, &room, NULL));
    TarnBodyId id[3];
    for (int n = 0; n < 3; ++n)
        id[n] = add_body(&place, make_shape(n), (TarnVec3){ 1.0f - (float)n, -1.5f, 1.2f },
                         (TarnVec3){ 3, 0, 4 });
    run(&place, 400);
    for (int n = 0; n < 3; ++n) {
        TarnBodyState s = state_of(&place, id[n]);
        assert_true(fabsf(lowest(&place, id[n]) + 2.0f) < 3e-3f);
        assert_true(s.position.x < 1.9f && s.position.z < 1.9f && s.position.x > -1.9f);
        assert_true(vec3_length(s.velocity) < 0.05f);
    }
    leave(&place);
}

// ---- Moving solids ----------------------------------------------------------------------------------

// A paddle of each kind drives balls and crates before it; a moving floor carries a crate along; a lift lifts.
static void test_moving(void** state)
{
    (void)state;
    for (int kind = 0; kind < KINDS - 1; ++kind) {
        Place place = make_place(4);
        TarnSolidDef def = table_def(kind, (TarnVec3){ 0.4f, 0.2f, 0.4f });
        def.motion.position = (TarnVec3){ 0, 0, 0 };
        def.motion.velocity = (TarnVec3){ 6, 0, 0 };
        assert_ok(tarn_solids_add(place.solids, &def, NULL));
        TarnBodyId ball =
            add_body(&place, tarn_shape_sphere(0.2f), (TarnVec3){ 1.5f, 0, 0 }, still);
        TarnBodyId crate =
            add_body(&place, tarn_shape_box(0.2f, 0.2f, 0.2f), (TarnVec3){ 1, 0, 0.2f }, still);
        run(&place, 18); // the paddle is at 1.8
        TarnBodyState a = state_of(&place, ball), b = state_of(&place, crate);
        if (!(a.velocity.x > 5.9f && b.velocity.x > 5.5f))
            print_error("%s: %g and %g m/s\n", names[kind], (double)a.velocity.x,
                        (double)b.velocity.x);
        assert_true(a.velocity.x > 5.9f && a.position.x > 2.3f);
        assert_true(b.velocity.x > 5.5f && b.position.x > 2.3f);
        leave(&place);

        place = make_place(4);
        def = table_def(kind, (TarnVec3){ 2.0f, 0.5f, 2.0f });
        def.motion.velocity = (TarnVec3){ 1.0f, 0.5f, 0 };
        assert_ok(tarn_solids_add(place.solids, &def, NULL));
        TarnBodyId rider =
            add_body(&place, tarn_shape_box(0.3f, 0.2f, 0.3f), (TarnVec3){ 0, 0.7f, 0 }, still);
        run(&place, 120);
        TarnBodyState c = state_of(&place, rider);
        bool is_right = fabsf(c.velocity.x - 1.0f) < 0.01f && fabsf(c.velocity.y - 0.5f) < 0.01f &&
                        fabsf(c.position.y - 1.7f) < 0.01f && c.position.x > 1.8f;
        if (!is_right)
            print_error("%s: rider at %g, %g with %g, %g\n", names[kind], (double)c.position.x,
                        (double)c.position.y, (double)c.velocity.x, (double)c.velocity.y);
        assert_true(is_right);
        leave(&place);
    }
}

// ---- Stacks and speed -------------------------------------------------------------------------------

static void test_stack(void** state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        Place place = make_place(8);
        TarnSolidDef def = table_def(kind, (TarnVec3){ 2.0f, 0.5f, 2.0f });
        assert_ok(tarn_solids_add(place.solids, &def, NULL));
        TarnBodyId id[5];
        for (int n = 0; n < 5; ++n)
            id[n] = add_body(&place, tarn_shape_box(0.25f, 0.25f, 0.25f),
                             (TarnVec3){ 0.01f * (float)n, 0.75f + 0.501f * (float)n, 0 }, still);
        run(&place, 600);
        for (int n = 0; n < 5; ++n) {
            TarnBodyState s = state_of(&place, id[n]);
            assert_true(fabsf(s.position.y - (0.75f + 0.5f * (float)n)) < 0.01f);
            assert_true(fabsf(s.position.x - 0.01f * (float)n) < 0.01f);
            assert_true(vec3_length(s.velocity) < 2e-3f);
        }
        leave(&place);
    }
}

// Nothing gets through a wall of 2 cm, or through a sheet without thickness.
static void test_thin_walls(void** state)
{
    (void)state;
    static const TarnVec3 sheet[4] = { { 0, -5, -5 }, { 0, 5, -5 }, { 0, 5, 5 }, { 0, -5, 5 } };
    static const int sheet_triangles[6] = { 0, 1, 2, 0, 2, 3 };
    const float speeds[4] = { 10.0f, 40.0f, 150.0f, 900.0f };
    for (int kind = 0; kind < 5; ++kind) {
        if (kind == 3) continue; // a grid of distances that thin has no inside
        for (int v = 0; v < 4 * SHAPES; ++v) {
            Place place = make_place(1);
            TarnSolidDef def = table_def(kind, (TarnVec3){ 0.01f, 5.0f, 5.0f });
            if (kind == 4) { // no function: the sheet
                def = tarn_solid_default_def();
                def.shape.kind = TARN_SHAPE_MESH, def.shape.points = sheet, def.shape.n_points = 4;
                def.shape.triangles = sheet_triangles, def.shape.n_triangles = 2;
            }
            assert_ok(tarn_solids_add(place.solids, &def, NULL));
            TarnBodyId id = add_body(&place, make_shape(v % SHAPES), (TarnVec3){ -3, 0.3f, 0.2f },
                                     (TarnVec3){ speeds[v / SHAPES], 2.0f, 0.0f });
            for (int n = 0; n < 40; ++n) {
                run(&place, 1);
                TarnVec3 p = state_of(&place, id).position;
                if (p.x > 0.0f)
                    print_error("%s, shape %d at %g m/s, frame %d: %g\n", names[kind], v % SHAPES,
                                (double)speeds[v / SHAPES], n, (double)p.x);
                assert_true(p.x < 0.0f);
            }
            leave(&place);
        }
    }
}

// What passes over an edge at speed is not stopped by it.
static void test_passing(void** state)
{
    (void)state;
    for (int kind = 0; kind < KINDS - 1; ++kind) {
        Place place = make_place(1);
        TarnSolidDef def = table_def(kind, (TarnVec3){ 1.0f, 0.3f, 1.0f });
        assert_ok(tarn_solids_add(place.solids, &def, NULL));
        TarnBodyId id = add_body(&place, tarn_shape_box(0.2f, 0.2f, 0.2f),
                                 (TarnVec3){ -3.05f, 0.63f, 0 }, (TarnVec3){ 30, 0, 0 });
        run(&place, 10);
        if (state_of(&place, id).velocity.x < 29.9f)
            print_error("%s: %g\n", names[kind], (double)state_of(&place, id).velocity.x);
        assert_true(state_of(&place, id).velocity.x > 29.9f);
        leave(&place);
    }
}

// A shelf without an inside carries from above and is a ceiling from below.
static void test_sheet(void** state)
{
    (void)state;
    static const TarnVec3 p[4] = { { -2, 0, -2 }, { -2, 0, 2 }, { 2, 0, 2 }, { 2, 0, -2 } };
    static const int triangles[6] = { 0, 1, 2, 0, 2, 3 };
    for (int is_thick = 0; is_thick < 2; ++is_thick) {
        Place place = make_place(SHAPES + 1);
        TarnSolidDef def = tarn_solid_default_def();
        def.shape.kind = TARN_SHAPE_MESH, def.shape.points = p, def.shape.n_points = 4;
        def.shape.triangles = triangles, def.shape.n_triangles = 2;
        def.shape.thickness = is_thick ? 0.05f : 0.0f, def.restitution = 0.0f;
        assert_ok(tarn_solids_add(place.solids, &def, NULL));
        TarnBodyId id[SHAPES];
        for (int n = 0; n < SHAPES; ++n)
            id[n] = add_body(&place, make_shape(n),
                             (TarnVec3){ n % 2 ? 1.0f : -1.0f, 0.7f, n / 2 ? 1.0f : -1.0f }, still);
        TarnBodyId below = add_body(&place, tarn_shape_box(0.2f, 0.2f, 0.2f),
                                    (TarnVec3){ 0, -0.5f, 0 }, (TarnVec3){ 0, 8, 0 });
        float highest = -1.0f;
        for (int n = 0; n < 240; ++n) {
            run(&place, 1);
            highest = fmaxf(highest, state_of(&place, below).position.y);
        }
        for (int n = 0; n < SHAPES; ++n)
            assert_true(fabsf(lowest(&place, id[n]) - def.shape.thickness) < 3e-3f);
        assert_true(fabsf(highest + 0.2f + def.shape.thickness) < 0.02f);
        assert_true(state_of(&place, below).position.y < -10.0f);
        leave(&place);
    }
}

// A blade that turns hits what is in its way, and everything stays in the drum around it.
static void test_turning(void** state)
{
    (void)state;
    Place place = make_place(8);
    TarnSolidDef drum = tarn_solid_default_def(), blade = drum;
    drum.shape.kind = TARN_SHAPE_BOX, drum.shape.size = (TarnVec3){ 2, 1, 2 },
    drum.is_inside_out = true;
    blade.shape.kind = TARN_SHAPE_BOX, blade.shape.size = (TarnVec3){ 1.8f, 0.3f, 0.05f };
    blade.motion.position.y = -0.7f, blade.motion.angular_velocity.y = 4.0f;
    assert_ok(tarn_solids_add(place.solids, &drum, NULL));
    assert_ok(tarn_solids_add(place.solids, &blade, NULL));
    TarnBodyId id[6];
    for (int n = 0; n < 6; ++n)
        id[n] =
            add_body(&place, n % 2 ? tarn_shape_sphere(0.15f) : tarn_shape_box(0.15f, 0.1f, 0.1f),
                     (TarnVec3){ -1.0f + 0.4f * (float)n, -0.7f, n % 2 ? 0.9f : -0.9f }, still);
    float way[6] = { 0 };
    for (int n = 0; n < 600; ++n) {
        run(&place, 1);
        for (int b = 0; b < 6; ++b) {
            TarnBodyState s = state_of(&place, id[b]);
            assert_true(fabsf(s.position.x) < 2.0f && fabsf(s.position.z) < 2.0f);
            assert_true(s.position.y > -1.0f);
            way[b] += frame * vec3_length(s.velocity);
        }
    }
    for (int b = 0; b < 6; ++b) assert_true(way[b] > 1.0f);
    leave(&place);
}

// ---- The rest ---------------------------------------------------------------------------------------

// Solids that stand for bodies do not push them, drains are not there, and no set is none.
static void test_left_out(void** state)
{
    (void)state;
    Place place = make_place(4);
    TarnSolidDef drain = table_def(0, (TarnVec3){ 2, 0.5f, 2 });
    drain.touch = TARN_TOUCH_KILL;
    assert_ok(tarn_solids_add(place.solids, &drain, NULL));
    TarnBodyId id =
        add_body(&place, tarn_shape_box(0.3f, 0.3f, 0.3f), (TarnVec3){ 0, 3, 0 }, still);
    for (int n = 0; n < 60; ++n) {
        assert_ok(tarn_solids_advance(place.solids, frame));
        assert_ok(tarn_couple_solids_bodies(place.solids, place.bodies, frame));
        assert_ok(tarn_bodies_step(place.bodies, frame, NULL));
    }
    assert_true(fabsf(state_of(&place, id).velocity.y + 9.81f) < 0.01f);
    TarnSolidDef floor = table_def(0, (TarnVec3){ 50, 0.5f, 50 });
    floor.motion.position.y = -20.0f;
    assert_ok(tarn_solids_add(place.solids, &floor, NULL));
    assert_ok(tarn_couple_bodies_solids(place.bodies, NULL));
    run(&place, 120);
    assert_true(state_of(&place, id).position.y < -21.0f);
    assert_int_equal(tarn_couple_bodies_solids(NULL, place.solids), TARN_ERR_ARG);
    leave(&place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_rest),     TEST(test_ramp),        TEST(test_rims),       TEST(test_inside_out),
        TEST(test_moving),   TEST(test_stack),       TEST(test_thin_walls), TEST(test_passing),
        TEST(test_left_out), TEST(test_thin_plates), TEST(test_sheet),      TEST(test_turning),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
