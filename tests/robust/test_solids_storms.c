// Solids under everything at once: particles thrown at moving, turning, thin and hollow shapes.
// Nothing gets inside, nothing gets through, nothing is lost. What is inside is told by formulas of
// this file, not by the code under test.

#include "tests/robust/damaged.h"
#include "tests/unit/test_common.h"
#include "base/maths.h"
#include "particles/solids_internal.h"
#include "tests/sanitized.h"

// Rounds are this many times fewer in a short run.
#define LESS (is_short_run() ? 20 : 1)

// ---- Set-up -------------------------------------------------------------------------------------

static TarnVec3 uniform3(float size)
{
    float x = uniform(-size, size), y = uniform(-size, size);
    return (TarnVec3){ x, y, uniform(-size, size) };
}
static TarnQuat uniform_rotation(int dims)
{
    TarnVec3 v = uniform3(1.0f);
    if (dims == 2) v.x = v.y = 0.0f;
    return quat_normalize((TarnQuat){ v.x, v.y, v.z, uniform(-1.0f, 1.0f) });
}

static TarnSolids* make_set(void)
{
    TarnSolidsDef def = tarn_solids_default_def();
    TarnSolids* set;
    assert_ok(tarn_solids_create(ctx, &def, &set));
    return set;
}
static TarnSolidId add(TarnSolids* set, TarnSolidDef def)
{
    TarnSolidId id;
    assert_ok(tarn_solids_add(set, &def, &id));
    return id;
}
static TarnSolidDef box(TarnVec3 at, TarnVec3 half)
{
    TarnSolidDef def = tarn_solid_default_def();
    def.shape.size = half;
    def.motion.position = at;
    return def;
}

// One frame of a particle as the solvers do it: who is near the way, then the way.
static TarnVec3 go(const TarnSolids* set, int dims, TarnVec3 a, TarnVec3 b, float r)
{
    int slots[64];
    TarnVec3 low = { fminf(a.x, b.x) - r, fminf(a.y, b.y) - r, fminf(a.z, b.z) - r };
    TarnVec3 high = { fmaxf(a.x, b.x) + r, fmaxf(a.y, b.y) + r, fmaxf(a.z, b.z) + r };
    int n = tarn__solids_near(set, low, high, slots, 64);
    TarnVec3 end = tarn__solids_sweep(set, slots, n, 0.0f, 1.0f, dims, a, b, r, NULL, NULL, NULL);
    assert_true(tarn__is_finite3(end));
    if (dims == 2) assert_true(end.z == 0.0f);
    return end;
}

static TarnMotion motion_of(const TarnSolids* set, TarnSolidId id)
{
    TarnSolidDef def;
    assert_ok(tarn_solids_get(set, id, &def));
    return def.motion;
}
static TarnVec3 local(const TarnMotion* m, TarnVec3 p)
{
    return quat_rotate_inverse(m->rotation, vec3_sub(p, m->position));
}
static TarnVec3 world(const TarnMotion* m, TarnVec3 q)
{
    return vec3_add(quat_rotate(m->rotation, q), m->position);
}

// ---- One shape of any kind ----------------------------------------------------------------------

static double away_from_box(TarnVec3 q, TarnVec3 h)
{
    double x = fabs(q.x) - h.x, y = fabs(q.y) - h.y, z = fabs(q.z) - h.z;
    double most = fmax(x, fmax(y, z));
    if (most <= 0.0) return most;
    return sqrt(fmax(x, 0) * fmax(x, 0) + fmax(y, 0) * fmax(y, 0) + fmax(z, 0) * fmax(z, 0));
}
static double away_from_capsule(TarnVec3 q, TarnVec3 size)
{
    double y = q.y - fmin(fmax(q.y, -size.y), size.y);
    return sqrt((double)q.x * q.x + y * y + (double)q.z * q.z) - size.x;
}
static double away_from_cylinder(TarnVec3 q, TarnVec3 size)
{
    double x = sqrt((double)q.x * q.x + (double)q.z * q.z) - size.x, y = fabs(q.y) - size.y;
    return fmin(fmax(x, y), 0.0) + hypot(fmax(x, 0.0), fmax(y, 0.0));
}
static double away_from_torus(TarnVec3 q) // radii 1 and 0.3
{
    double ring = sqrt((double)q.x * q.x + (double)q.z * q.z) - 1.0;
    return sqrt(ring * ring + (double)q.y * q.y) - 0.3;
}
static float torus(TarnVec3 q, void* user)
{
    (void)user;
    return (float)away_from_torus(q);
}

typedef enum Form { SPHERE, BOX, CAPSULE, CYLINDER, CONVEX, MESH, GRID, FUNCTION, FORMS } Form;
static const int kind_of[FORMS] = { TARN_SHAPE_SPHERE,   TARN_SHAPE_BOX,     TARN_SHAPE_CAPSULE,
                                    TARN_SHAPE_CYLINDER, TARN_SHAPE_CONVEX,  TARN_SHAPE_MESH,
                                    TARN_SHAPE_DISTANCE, TARN_SHAPE_FUNCTION };

static const TarnVec3 corners[8] = { { -1, -1, -1 }, { 1, -1, -1 }, { -1, 1, -1 }, { 1, 1, -1 },
                                     { -1, -1, 1 },  { 1, -1, 1 },  { -1, 1, 1 },  { 1, 1, 1 } };
static const int cube[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 4, 2, 2, 4, 6,
                              1, 3, 5, 3, 7, 5, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7 };

// Boxes as planes and as meshes, a torus as a grid and as a function.
static TarnSolidDef make_form(Form form, TarnVec3 size)
{
    enum { N = 48 };
    static TarnVec3 points[8];
    static TarnPlane planes[6];
    static float values[N * N * N];
    TarnSolidDef def = tarn_solid_default_def();
    def.shape.size = size;
    def.shape.kind = kind_of[form];
    for (int c = 0; c < 8; ++c)
        points[c] =
            (TarnVec3){ corners[c].x * size.x, corners[c].y * size.y, corners[c].z * size.z };
    const float h[3] = { size.x, size.y, size.z };
    for (int i = 0; i < 6; ++i) {
        float n[3] = { 0, 0, 0 }, length = 0.5f + (float)i;
        n[i / 2] = i % 2 ? -length : length;
        planes[i] = (TarnPlane){ { n[0], n[1], n[2] }, length * h[i / 2] };
    }
    def.shape.planes = planes, def.shape.n_planes = 6;
    def.shape.points = points, def.shape.n_points = 8;
    def.shape.triangles = cube, def.shape.n_triangles = 12;
    def.shape.distance = torus, def.shape.radius = 1.31f;
    if (form == GRID) {
        def.shape.dx = 3.0f / (N - 1);
        def.shape.origin = (TarnVec3){ -1.5f, -1.5f, -1.5f };
        def.shape.nx = def.shape.ny = def.shape.nz = N;
        def.shape.distances = values;
        for (int c = 0; c < N * N * N; ++c) {
            TarnVec3 q = { (float)(c % N), (float)(c / N % N), (float)(c / (N * N)) };
            values[c] = torus(vec3_add(vec3_scale(q, def.shape.dx), def.shape.origin), NULL);
        }
    }
    return def;
}

static double away(Form form, TarnVec3 q, TarnVec3 size)
{
    if (form == SPHERE)
        return sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z) - size.x;
    if (form == CAPSULE) return away_from_capsule(q, size);
    if (form == CYLINDER) return away_from_cylinder(q, size);
    if (form == GRID || form == FUNCTION) return away_from_torus(q);
    return away_from_box(q, size);
}

// Thrown at one solid that flies and spins: it always ends outside, at its distance.
static void storm_form(Form form, int dims, bool is_inside_out, int rounds)
{
    int n_moved = 0;
    double worst = 1e30;
    for (int round = 0; round < rounds; ++round) {
        TarnVec3 size = { scale(0.1f, 2.0f), scale(0.1f, 2.0f), scale(0.1f, 2.0f) };
        if (!is_inside_out && pick(2)) size.x = 0.005f; // thin
        TarnSolidDef def = make_form(form, size);
        def.is_inside_out = is_inside_out;
        def.motion.position = uniform3(5.0f);
        def.motion.rotation = uniform_rotation(dims);
        def.motion.velocity = uniform3(pick(2) ? 2.0f : 40.0f);
        def.motion.angular_velocity = uniform3(pick(3) ? 8.0f : 60.0f);
        TarnVec3* w = &def.motion.angular_velocity;
        if (dims == 2) {
            def.motion.position.z = def.motion.velocity.z = w->x = w->y = 0.0f;
            if (form == GRID || form == FUNCTION) // the section of a torus: a disc with a hole
                def.motion.rotation = quat_multiply(def.motion.rotation,
                                                    (TarnQuat){ 0.70710678f, 0, 0, 0.70710678f });
        }
        TarnSolids* set = make_set();
        TarnSolidId id = add(set, def);
        assert_ok(tarn_solids_advance(set, frame));
        TarnMotion end = motion_of(set, id);
        float r = scale(0.002f, 0.05f), sign = is_inside_out ? -1.0f : 1.0f;
        for (int i = 0; i < 200; ++i) {
            TarnVec3 a = uniform3(is_inside_out ? 1.0f : 3.0f),
                     step = uniform3(pick(2) ? 0.1f : 3.0f);
            if (is_inside_out) a = (TarnVec3){ a.x * size.x, a.y * size.y, a.z * size.z };
            if (dims == 2 && !(form == GRID || form == FUNCTION)) a.z = 0.0f;
            if (dims == 2 && (form == GRID || form == FUNCTION)) a.y = 0.0f;
            if (sign * away(form, a, size) < 1.001 * r) continue;
            a = world(&def.motion, a);
            if (dims == 2) a.z = step.z = 0.0f;
            TarnVec3 b = go(set, dims, a, vec3_add(a, step), r);
            double d = sign * away(form, local(&end, b), size) / r;
            worst = fmin(worst, d);
            n_moved += memcmp(&a, &b, sizeof a) != 0;
            double least = form == GRID ? 0.9 - 0.004 / r : 0.9; // what its samples miss of a torus
            if (d < least)
                print_error("form %d: %g of r %g at (%g %g %g)\n", form, d, r, b.x, b.y, b.z);
            assert_true(d >= least);
        }
        tarn_solids_destroy(set);
    }
    assert_true(n_moved > rounds * 5);
}

static void test_forms(void** state)
{
    (void)state;
    random_at = 1;
    for (Form form = SPHERE; form < FORMS; ++form) {
        int rounds = (form >= GRID ? 60 : 250) / LESS;
        storm_form(form, 3, false, rounds);
        storm_form(form, 2, false, rounds);
        storm_form(form, 3, true, rounds);
        storm_form(form, 2, true, rounds);
    }
}

// ---- Plates -------------------------------------------------------------------------------------

static const TarnVec3 plate_points[4] = { { -8, 0, -8 }, { 8, 0, -8 }, { 8, 0, 8 }, { -8, 0, 8 } };
static const int plate_triangles[6] = { 0, 2, 1, 0, 3, 2 };

// A paper-thin plate, flying and turning; whoever is above stays above.
static void storm_plate(int kind, int dims)
{
    for (int round = 0; round < 200 / LESS; ++round) {
        TarnSolidDef def = tarn_solid_default_def();
        def.shape.kind = kind;
        def.shape.size = (TarnVec3){ 8.0f, 0.0005f, 8.0f };
        def.shape.points = plate_points, def.shape.n_points = 4;
        def.shape.triangles = plate_triangles, def.shape.n_triangles = 2;
        def.motion.position = uniform3(1.0f);
        def.motion.rotation = uniform_rotation(dims);
        def.motion.velocity = uniform3(20.0f);
        def.motion.angular_velocity = uniform3(round % 2 ? 10.0f : 100.0f);
        if (dims == 2) {
            def.motion.angular_velocity.x = def.motion.angular_velocity.y = 0.0f;
            def.motion.position.z = def.motion.velocity.z = 0.0f;
        }
        TarnSolids* set = make_set();
        TarnSolidId id = add(set, def);
        TarnVec3 p[100];
        float side[100], r = scale(0.001f, 0.03f);
        for (int i = 0; i < 100; ++i) {
            p[i] = uniform3(1.0f);
            p[i].y = (i % 2 ? 1.0f : -1.0f) * (r + fabsf(p[i].y) + 0.0005f);
            if (dims == 2) p[i].z = 0.0f;
            side[i] = p[i].y;
            p[i] = world(&def.motion, p[i]);
        }
        for (int step = 0; step < 4; ++step) {
            assert_ok(tarn_solids_advance(set, frame));
            TarnMotion end = motion_of(set, id);
            for (int i = 0; i < 100; ++i) {
                TarnVec3 v = uniform3(0.3f);
                if (side[i] == 0.0f) continue;
                if (dims == 2) v.z = 0.0f;
                p[i] = go(set, dims, p[i], vec3_add(p[i], v), r);
                TarnVec3 q = local(&end, p[i]);
                bool is_off = vec3_length(q) > 7.5f; // may have gone around the rim
                if (!is_off && !(q.y * side[i] > 0.0f))
                    print_error("kind %d: y %g from %g, r %g\n", kind, q.y, side[i], r);
                assert_true(is_off || q.y * side[i] > 0.0f);
                if (is_off) side[i] = 0.0f;
            }
        }
        tarn_solids_destroy(set);
    }
}

static void test_plates(void** state)
{
    (void)state;
    random_at = 2;
    storm_plate(TARN_SHAPE_BOX, 3);
    storm_plate(TARN_SHAPE_BOX, 2);
    storm_plate(TARN_SHAPE_MESH, 3);
    storm_plate(TARN_SHAPE_MESH, 2);
}

// ---- Cups ---------------------------------------------------------------------------------------

typedef enum Cup { CUP_BOXES, CUP_MESH, CUP_CONVEX, CUP_BOX } Cup;

static const float cup = 0.3f; // half of the room inside [m]

// Six plates of 1 cm, an open shell with a lid, or a room cut out of everything; all move as one.
static int make_cup(TarnSolids* set, Cup kind, TarnSolidId* ids, TarnVec3* at)
{
    TarnVec3 half = { cup, cup, cup };
    if (kind == CUP_BOXES) {
        for (int i = 0; i < 6; ++i) {
            float x[3] = { 0, 0, 0 }, h[3] = { cup + 0.01f, cup + 0.01f, cup + 0.01f };
            x[i / 2] = (i % 2 ? -1.0f : 1.0f) * (cup + 0.005f);
            h[i / 2] = 0.005f;
            at[i] = (TarnVec3){ x[0], x[1], x[2] };
            ids[i] = add(set, box(at[i], (TarnVec3){ h[0], h[1], h[2] }));
        }
        return 6;
    }
    TarnSolidDef def = make_form(kind == CUP_MESH ? MESH : kind == CUP_CONVEX ? CONVEX : BOX, half);
    at[0] = (TarnVec3){ 0, 0, 0 };
    if (kind == CUP_MESH) { // the shell lacks a corner of its top, and a box covers that
        def.shape.n_triangles = 11;
        at[1] = (TarnVec3){ 0, cup + 0.05f, 0 };
        ids[1] = add(set, box(at[1], (TarnVec3){ cup + 0.05f, 0.05f, cup + 0.05f }));
    } else {
        def.is_inside_out = true;
    }
    ids[0] = add(set, def);
    return kind == CUP_MESH ? 2 : 1;
}

static void carry(TarnSolids* set, int n, const TarnSolidId* ids, const TarnVec3* at,
                  const TarnMotion* m)
{
    for (int i = 0; i < n; ++i) {
        TarnMotion part = *m;
        part.position = world(m, at[i]);
        assert_ok(tarn_solids_move(set, ids[i], &part));
    }
}

static void shake(Cup kind, int dims, int n_particles, int frames)
{
    enum { MOST = 10000 };
    static TarnVec3 p[MOST];
    TarnSolids* set = make_set();
    TarnSolidId ids[6];
    TarnVec3 at[6];
    int parts = make_cup(set, kind, ids, at);
    float r = 0.006f;
    for (int i = 0; i < n_particles; ++i) {
        p[i] = uniform3(cup - 1.01f * r);
        if (dims == 2) p[i].z = 0.0f;
    }
    TarnMotion m = { .rotation = { 0, 0, 0, 1 } };
    double nearest = 1e30;
    for (int s = 0; s < frames; ++s) {
        float angle = 2.0f * sinf(0.15f * (float)s), before = 2.0f * sinf(0.15f * (float)(s - 1));
        TarnVec3 was = m.position;
        m.position = (TarnVec3){ 0.3f * sinf(0.4f * (float)s), 0.2f * sinf(0.33f * (float)s),
                                 dims == 2 ? 0.0f : 0.25f * sinf(0.27f * (float)s) };
        m.velocity = vec3_scale(vec3_sub(m.position, was), 60.0f);
        m.angular_velocity = (TarnVec3){ 0, 0, (angle - before) * 60.0f };
        m.rotation = quat_from_axis_angle((TarnVec3){ 0, 0, 1 }, angle);
        assert_ok(tarn_solids_advance(set, frame));
        carry(set, parts, ids, at, &m);
        for (int i = 0; i < n_particles; ++i) {
            TarnVec3 v = uniform3(i % 4 ? 0.02f : 0.3f); // up to 18 m/s
            if (dims == 2) v.z = 0.0f;
            p[i] = go(set, dims, p[i], vec3_add(p[i], v), r);
            double d =
                -away_from_box(local(&m, p[i]), (TarnVec3){ cup, cup, dims == 2 ? 1e9f : cup });
            nearest = fmin(nearest, d);
            if (d < 0.0)
                print_error("cup %d: frame %d, particle %d is %g m out\n", (int)kind, s, i, -d);
            assert_true(d >= 0.0);
        }
    }
    assert_true(nearest > 0.5 * r);
    tarn_solids_destroy(set);
}

static void test_cups(void** state)
{
    (void)state;
    random_at = 3;
    shake(CUP_BOXES, 3, (is_long_run() ? 10000 : 2000) / LESS, 600);
    for (Cup kind = CUP_BOXES; kind <= CUP_BOX; ++kind) {
        shake(kind, 2, 500 / LESS, 300);
        shake(kind, 3, 500 / LESS, 300);
    }
}

// ---- Walls, paddles, presses --------------------------------------------------------------------

// 50 mph through a cloud of particles at rest: all of them are pushed along.
static void test_wall_at_50_mph(void** state)
{
    (void)state;
    random_at = 4;
    for (int dims = 2; dims <= 3; ++dims) {
        TarnSolids* set = make_set();
        TarnSolidDef def = box((TarnVec3){ -1, 0, 0 }, (TarnVec3){ 0.005f, 50, 50 });
        def.motion.velocity.x = 22.352f;
        TarnSolidId id = add(set, def);
        TarnVec3 p[2000];
        for (int i = 0; i < 2000; ++i) {
            p[i] = uniform3(5.0f);
            p[i].x = uniform(-0.9f, 9.0f);
            if (dims == 2) p[i].z = 0.0f;
        }
        for (int s = 0; s < 60; ++s) {
            assert_ok(tarn_solids_advance(set, frame));
            float front = motion_of(set, id).position.x + 0.005f;
            for (int i = 0; i < 2000; ++i) {
                TarnVec3 v = uniform3(0.02f);
                if (dims == 2) v.z = 0.0f;
                p[i] = go(set, dims, p[i], vec3_add(p[i], v), 0.01f);
                assert_true(p[i].x > front + 0.0089f);
            }
        }
        tarn_solids_destroy(set);
    }
}

// A paddle of 1 cm from wall to wall of a hollow drum parts it in two; it turns up to ten times per
// second.
static void test_paddle(void** state)
{
    (void)state;
    random_at = 5;
    for (int dims = 2; dims <= 3; ++dims) {
        for (int turns = 1; turns <= 10; turns += 3) {
            TarnSolids* set = make_set();
            TarnSolidDef drum = tarn_solid_default_def();
            drum.shape.kind = TARN_SHAPE_SPHERE;
            drum.is_inside_out = true;
            drum.shape.size.x = 0.5f;
            add(set, drum);
            TarnSolidDef def = box((TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.55f, 0.005f, 0.55f });
            def.motion.angular_velocity.z = 6.2831853f * (float)turns;
            TarnSolidId id = add(set, def);
            enum { N = 1000 };
            TarnVec3 p[N];
            float side[N], r = 0.008f;
            for (int i = 0; i < N; ++i) {
                p[i] = uniform3(0.25f);
                if (dims == 2) p[i].z = 0.0f;
                if (fabsf(p[i].y) < 0.02f) p[i].y = 0.02f;
                side[i] = p[i].y;
            }
            for (int s = 0; s < 60 / (LESS > 1 ? 2 : 1); ++s) {
                assert_ok(tarn_solids_advance(set, frame));
                TarnMotion m = motion_of(set, id);
                int n_through = 0, n_out = 0;
                for (int i = 0; i < N; ++i) {
                    TarnVec3 v = uniform3(0.05f);
                    if (dims == 2) v.z = 0.0f;
                    p[i] = go(set, dims, p[i], vec3_add(p[i], v), r);
                    n_out += vec3_length(p[i]) > 0.5f;
                    n_through += !(local(&m, p[i]).y * side[i] > 0.0f);
                }
                if (n_out || n_through)
                    print_error("dims %d, %d turns, frame %d: %d out, %d through\n", dims, turns, s,
                                n_out, n_through);
                assert_int_equal(n_out, 0);
                assert_int_equal(n_through, 0);
            }
            tarn_solids_destroy(set);
        }
    }
}

// A press closes on particles in a tank until there is no room left, opens, and closes again:
// whatever happens under it, the tank holds them all, and above the press there is nothing.
static void test_press(void** state)
{
    (void)state;
    random_at = 6;
    TarnSolids* set = make_set();
    TarnSolidDef tank = box((TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.5f, 0.5f, 0.5f });
    tank.is_inside_out = true;
    add(set, tank);
    TarnSolidId press = add(set, box((TarnVec3){ 0, 0.3f, 0 }, (TarnVec3){ 0.6f, 0.1f, 0.6f }));
    enum { N = 500 };
    TarnVec3 p[N];
    for (int i = 0; i < N; ++i) {
        p[i] = uniform3(0.49f);
        p[i].y = uniform(-0.49f, 0.1f);
    }
    for (int s = 0; s < 240; ++s) {
        TarnMotion m = motion_of(set, press);
        m.velocity.y = s % 120 < 60 ? -0.8f : 0.8f; // 0.2 m into the floor, and back
        assert_ok(tarn_solids_set_velocity(set, press, m.velocity, m.angular_velocity));
        assert_ok(tarn_solids_advance(set, frame));
        for (int i = 0; i < N; ++i) {
            p[i] = go(set, 3, p[i], vec3_add(p[i], uniform3(0.02f)), 0.01f);
            assert_true(fabsf(p[i].x) < 0.5f && fabsf(p[i].y) < 0.5f && fabsf(p[i].z) < 0.5f);
        }
    }
    tarn_solids_destroy(set);
}

// ---- Corners, crowds, nonsense ------------------------------------------------------------------

// Several boxes, balls and capsules at random, overlapping and not: whoever starts outside of all
// ends so if nothing moves.
static void test_heaps(void** state)
{
    (void)state;
    random_at = 7;
    int n_all = 0, n_near = 0;
    for (int round = 0; round < 300 / LESS; ++round) {
        int dims = 2 + round % 2, n = 2 + pick(12);
        TarnSolids* set = make_set();
        TarnSolidDef def[14];
        Form form[14];
        for (int k = 0; k < n; ++k) {
            form[k] = (Form)pick(6);
            def[k] = make_form(
                form[k], (TarnVec3){ scale(0.02f, 1.0f), scale(0.02f, 1.0f), scale(0.1f, 1.0f) });
            def[k].motion.position = uniform3(1.0f);
            def[k].motion.rotation = uniform_rotation(dims);
            if (dims == 2) def[k].motion.position.z = 0.0f;
            add(set, def[k]);
        }
        float r = scale(0.002f, 0.05f);
        for (int i = 0; i < 300; ++i) {
            TarnVec3 a = uniform3(2.0f), step = uniform3(1.0f);
            if (dims == 2) a.z = step.z = 0.0f;
            bool is_good = true;
            for (int k = 0; k < n; ++k) {
                is_good = is_good && away(form[k], local(&def[k].motion, a), def[k].shape.size) > r;
            }
            if (!is_good) continue;
            TarnVec3 b = go(set, dims, a, vec3_add(a, step), r);
            ++n_all;
            bool is_near = false;
            for (int k = 0; k < n; ++k) {
                double d = away(form[k], local(&def[k].motion, b), def[k].shape.size);
                is_near = is_near || d < 0.9 * r;
                if (d < 0.2 * r)
                    print_error("round %d: kind %d %g of r\n", round, (int)form[k], d / r);
                assert_true(d > 0.2 * r); // in a slit narrower than the particle
            }
            n_near += is_near;
        }
        tarn_solids_destroy(set);
    }
    assert_true(n_all > 10000 / LESS && n_near < n_all / 100);
}

static float any(void) // a number of any size, either sign
{
    float x = pick(5) ? scale(1e-6f, 1e6f) : 0.0f;
    return pick(2) ? x : -x;
}

// Whatever finite numbers come: finite answers.
static void test_nonsense(void** state)
{
    (void)state;
    random_at = 8;
    for (int round = 0; round < 100 / LESS; ++round) {
        TarnSolids* set = make_set();
        for (int k = 0; k < 3; ++k) {
            TarnVec3 size = { scale(1e-5f, 1e6f), scale(1e-5f, 1e6f), scale(1e-5f, 1e6f) };
            TarnSolidDef def = make_form((Form)(pick(6) == 5 ? FUNCTION : pick(6)), size);
            def.is_inside_out = pick(3) == 0;
            def.motion.position = (TarnVec3){ any(), any(), any() };
            def.motion.rotation = uniform_rotation(3);
            def.motion.velocity = uniform3(1000.0f);
            def.motion.angular_velocity = uniform3(200.0f);
            add(set, def);
        }
        assert_ok(tarn_solids_advance(set, scale(1e-6f, 10.0f)));
        int slots[3] = { 0, 1, 2 };
        for (int i = 0; i < 20; ++i) {
            TarnVec3 a = { any(), any(), any() }, b = { any(), any(), any() };
            float t = uniform(0.0f, 1.0f), r = scale(1e-6f, 10.0f);
            SolidContact c[4];
            int n = tarn__solids_contacts(set, slots, 3, t, 2 + i % 2, a, scale(1e-3f, 1e6f), c, 4);
            for (int k = 0; k < n; ++k) {
                assert_true(tarn__is_finite(c[k].distance) && tarn__is_finite3(c[k].normal));
                assert_true(fabsf(vec3_length(c[k].normal) - 1.0f) < 1e-4f);
                assert_true(tarn__is_finite3(c[k].velocity) && tarn__is_finite3(c[k].arm));
            }
            TarnVec3 p = tarn__solids_sweep(set, slots, 3, t, pick(2) ? 1.0f : t, 2 + i % 2, a, b,
                                            r, NULL, NULL, NULL);
            assert_true(tarn__is_finite3(p));
        }
        tarn_solids_destroy(set);
    }
}

// ---- Snapshots ----------------------------------------------------------------------------------

LOADS(TarnSolids, solids)

static void test_damaged_snapshots(void** state)
{
    (void)state;
    TarnSolids* set = make_set();
    for (int k = 0; k < 3; ++k) {
        TarnSolidDef def = make_form((Form)(k + 3), (TarnVec3){ 1, 1, 1 });
        def.motion.velocity.x = (float)k;
        def.motion.angular_velocity.y = 3.0f;
        add(set, def);
    }
    assert_ok(tarn_solids_advance(set, frame));
    size_t size;
    assert_int_equal(tarn_solids_save(set, NULL, 0, &size), TARN_ERR_CAPACITY);
    uint8_t* good = malloc(size);
    assert_ok(tarn_solids_save(set, good, size, &size));
    assert_ok(tarn_solids_advance(set, frame));
    assert_damage_refused((Loader){ set, load_object, hash_object }, good, size);
    for (size_t at = TARN_SNAPSHOT_HEADER; at + 4 <= size; at += 4) { // a NaN, honestly sealed
        uint8_t* bad = malloc(size);
        uint64_t hash = tarn_solids_hash(set);
        uint32_t nan = 0x7fc00000u;
        memcpy(bad, good, size);
        memcpy(bad + at, &nan, 4);
        seal(bad, size);
        if (tarn_solids_load(set, bad, size) != TARN_OK) assert_true(tarn_solids_hash(set) == hash);
        TarnSolidDef def;
        for (int k = 0; k < 3; ++k) {
            assert_ok(tarn_solids_get(set, tarn_solids_at(set, k), &def));
            assert_true(tarn__is_finite3(def.motion.position) &&
                        tarn__is_finite3(def.motion.velocity));
        }
        free(bad);
    }
    free(good);
    tarn_solids_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_forms),          TEST(test_plates),   TEST(test_cups),
        TEST(test_wall_at_50_mph), TEST(test_paddle),   TEST(test_press),
        TEST(test_heaps),          TEST(test_nonsense), TEST(test_damaged_snapshots)
    };
    return cmocka_run_group_tests_name("solids_storms", tests, NULL, NULL);
}
