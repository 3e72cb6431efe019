// Solids: distances and normals of every shape against formulas and brute force, sections for 2-D,
// walls of corners.

#include "solids_common.h"

// ---- Distances ----------------------------------------------------------------------------------

typedef double Exact(TarnVec3 q, const void* data);

static double from_sphere(TarnVec3 q, const void* size)
{
    return vec3__length(q) - ((const TarnVec3*)size)->x;
}
static double from_box(TarnVec3 q, const void* size)
{
    const TarnVec3* h = size;
    double x = fabs(q.x) - h->x, y = fabs(q.y) - h->y, z = fabs(q.z) - h->z;
    double most = fmax(x, fmax(y, z));
    if (most <= 0.0) return most;
    return sqrt(fmax(x, 0) * fmax(x, 0) + fmax(y, 0) * fmax(y, 0) + fmax(z, 0) * fmax(z, 0));
}
static double from_capsule(TarnVec3 q, const void* size)
{
    const TarnVec3* h = size;
    double y = q.y - fmin(fmax(q.y, -h->y), h->y);
    return sqrt((double)q.x * q.x + y * y + (double)q.z * q.z) - h->x;
}

static double from_cylinder(TarnVec3 q, const void* size)
{
    const TarnVec3* h = size;
    double x = sqrt((double)q.x * q.x + (double)q.z * q.z) - h->x, y = fabs(q.y) - h->y;
    return fmin(fmax(x, y), 0.0) + hypot(fmax(x, 0.0), fmax(y, 0.0));
}

// Under any pose and both sides out: the distance, and a normal that leads straight to the surface.
static void check_distances(TarnSolidDef def, Exact* exact, const void* data, double tolerance)
{
    for (int round = 0; round < 40; ++round) {
        def.is_inside_out = round % 2;
        def.motion.position = uniform3(10.0f);
        def.motion.rotation = uniform_rotation();
        double sign = def.is_inside_out ? -1.0 : 1.0;
        TarnSolids* set = make_set();
        add(set, def);
        for (int i = 0; i < 200; ++i) {
            TarnVec3 q = uniform3(i % 2 ? 1.0f : 3.0f);
            TarnVec3 p = vec3_add(quat_rotate(def.motion.rotation, q), def.motion.position);
            double want = sign * exact(q, data);
            // Walls of a room are asked one by one: outside of it the farthest counts.
            if (def.is_inside_out && want < 0.0) continue;
            SolidContact c = nearest_of(set, 3, p);
            assert_near(c.distance, want, tolerance);
            assert_near(vec3__length(c.normal), 1.0, 1e-5);
            TarnVec3 foot = vec3_sub(
                q, quat_rotate_inverse(def.motion.rotation, vec3_scale(c.normal, c.distance)));
            assert_near(exact(foot, data), 0.0, 2.0 * tolerance);
            assert_near3(
                c.arm, vec3_sub(vec3_sub(p, vec3_scale(c.normal, c.distance)), def.motion.position),
                1e-5);
        }
        tarn_solids_destroy(set);
    }
}

static void test_round_and_flat(void** state)
{
    (void)state;
    random_at = 1;
    for (int i = 0; i < 5; ++i) {
        TarnVec3 size = { scale(0.05f, 2.0f), scale(0.05f, 2.0f), scale(0.05f, 2.0f) };
        check_distances(make(TARN_SHAPE_SPHERE, size), from_sphere, &size, 2e-6);
        check_distances(make(TARN_SHAPE_BOX, size), from_box, &size, 2e-6);
        check_distances(make(TARN_SHAPE_CAPSULE, size), from_capsule, &size, 2e-6);
    }
    for (int i = 0; i < 5; ++i) {
        TarnVec3 size = { scale(0.05f, 2.0f), scale(0.05f, 2.0f), 1.0f };
        check_distances(make(TARN_SHAPE_CYLINDER, size), from_cylinder, &size, 3e-6);
    }
}

typedef struct Polytope {
    TarnPlane planes[MAX_PLANES];
    double normal[MAX_PLANES][3], offset[MAX_PLANES]; // the same planes, of length 1
    int n;
} Polytope;

static double over_plane(const Polytope* c, int i, const double x[3])
{
    const double* n = c->normal[i];
    return n[0] * x[0] + n[1] * x[1] + n[2] * x[2] - c->offset[i];
}

// Inside: the nearest plane. Outside: the nearest point by Dykstra's projections.
static double from_polytope(TarnVec3 q, const void* data)
{
    const Polytope* c = data;
    double most = -1e30, x[3] = { q.x, q.y, q.z }, add[MAX_PLANES] = { 0 };
    for (int i = 0; i < c->n; ++i) most = fmax(most, over_plane(c, i, x));
    if (most <= 0.0) return most;
    double moved = 1.0; // in the last round, there and back: once it is nothing, it stays so
    for (int round = 0; round < 3000 && moved > 1e-13; ++round) {
        moved = 0.0;
        for (int i = 0; i < c->n; ++i) {
            double step = fmax(over_plane(c, i, x), -add[i]);
            add[i] += step;
            moved += fabs(step);
            for (int a = 0; a < 3; ++a) x[a] -= step * c->normal[i][a];
        }
    }
    double d[3] = { q.x - x[0], q.y - x[1], q.z - x[2] };
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static void test_convex(void** state)
{
    (void)state;
    random_at = 2;
    for (int i = 0; i < 4; ++i) {
        Polytope c = { .n = 4 + 4 * i };
        for (int k = 0; k < c.n; ++k) { // around the origin, some of them idle
            c.planes[k].normal = uniform3(1.0f);
            c.planes[k].offset = vec3_length(c.planes[k].normal) * uniform(0.3f, 1.0f);
            double l = vec3__length(c.planes[k].normal);
            c.normal[k][0] = c.planes[k].normal.x / l;
            c.normal[k][1] = c.planes[k].normal.y / l;
            c.normal[k][2] = c.planes[k].normal.z / l;
            c.offset[k] = c.planes[k].offset / l;
        }
        TarnSolidDef def = make(TARN_SHAPE_CONVEX, (TarnVec3){ 1, 1, 1 });
        def.shape.planes = c.planes;
        def.shape.n_planes = c.n;
        def.motion.position = uniform3(1.0f);
        TarnSolids* set = make_set();
        add(set, def);
        for (int k = 0; k < 300; ++k) {
            TarnVec3 q = uniform3(2.0f);
            SolidContact s = nearest_of(set, 3, vec3_add(q, def.motion.position));
            double want = from_polytope(q, &c);
            assert_near(s.distance, want, 1e-4 + 1e-3 * fabs(want));
        }
        tarn_solids_destroy(set);
    }
    // One plane is the ground everywhere.
    TarnPlane ground = { { 0, 2, 0 }, 1.0f };
    TarnSolidDef def = make(TARN_SHAPE_CONVEX, (TarnVec3){ 1, 1, 1 });
    def.shape.planes = &ground;
    def.shape.n_planes = 1;
    TarnSolids* set = make_set();
    add(set, def);
    SolidContact c = nearest_of(set, 3, (TarnVec3){ 1e5f, 3.0f, -7.0f });
    assert_near(c.distance, 2.5, 1e-6);
    assert_near3(c.normal, (TarnVec3){ 0, 1, 0 }, 1e-6);
    tarn_solids_destroy(set);
}

// ---- Meshes -------------------------------------------------------------------------------------

typedef struct D3 {
    double x, y, z;
} D3;
static D3 d3(TarnVec3 a, TarnVec3 b)
{
    return (D3){ (double)a.x - b.x, (double)a.y - b.y, (double)a.z - b.z };
}
static double dot3(D3 a, D3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static D3 cross3(D3 a, D3 b)
{
    return (D3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

// Distance to a triangle by trying all its features, and the solid angle under which it is seen.
static double from_triangle(const TarnVec3 p[3], TarnVec3 q, double* angle)
{
    double best = 1e30;
    for (int e = 0; e < 3; ++e) {
        D3 u = d3(p[(e + 1) % 3], p[e]), v = d3(q, p[e]);
        double s = fmin(fmax(dot3(u, v) / dot3(u, u), 0.0), 1.0);
        D3 w = { v.x - s * u.x, v.y - s * u.y, v.z - s * u.z };
        best = fmin(best, sqrt(dot3(w, w)));
    }
    D3 n = cross3(d3(p[1], p[0]), d3(p[2], p[0]));
    bool is_over = true;
    for (int e = 0; e < 3; ++e)
        is_over = is_over && dot3(cross3(n, d3(p[(e + 1) % 3], p[e])), d3(q, p[e])) >= 0.0;
    if (is_over) best = fmin(best, fabs(dot3(n, d3(q, p[0]))) / sqrt(dot3(n, n)));
    D3 a = d3(p[0], q), b = d3(p[1], q), c = d3(p[2], q);
    double la = sqrt(dot3(a, a)), lb = sqrt(dot3(b, b)), lc = sqrt(dot3(c, c));
    *angle = 2.0 * atan2(dot3(a, cross3(b, c)),
                         la * lb * lc + dot3(a, b) * lc + dot3(b, c) * la + dot3(c, a) * lb);
    return best;
}

static double from_mesh(TarnVec3 q, const void* data)
{
    const TarnSolidDef* def = data;
    double best = 1e30, around = 0.0, angle;
    for (int t = 0; t < def->shape.n_triangles; ++t) {
        TarnVec3 p[3];
        for (int i = 0; i < 3; ++i) p[i] = def->shape.points[def->shape.triangles[3 * t + i]];
        best = fmin(best, from_triangle(p, q, &angle));
        around += angle;
    }
    return fabs(around) > 6.28 ? -best : best; // 4 pi inside, 0 outside
}

static void test_mesh(void** state)
{
    (void)state;
    random_at = 3;
    TarnSolidDef def = ring_mesh();
    check_distances(def, from_mesh, &def, 5e-6);
    // An open one is a shell: the same from both sides, and as thick as it says.
    TarnSolids* set = make_set();
    def.shape.n_triangles -= 5;
    def.shape.thickness = 0.05f;
    add(set, def);
    for (int i = 0; i < 500; ++i) {
        TarnVec3 q = uniform3(1.5f);
        assert_near(nearest_of(set, 3, q).distance, fabs(from_mesh(q, &def)) - 0.05, 5e-6);
    }
    assert_false(set->solid[0].is_closed);
    tarn_solids_destroy(set);
}

// The same mesh with points of its own for each triangle is still closed.
static void test_mesh_seams(void** state)
{
    (void)state;
    static TarnVec3 points[RINGS * SIDES * 6];
    static int triangles[RINGS * SIDES * 6];
    TarnSolidDef def = ring_mesh();
    for (int i = 0; i < 3 * def.shape.n_triangles; ++i) {
        points[i] = def.shape.points[def.shape.triangles[i]];
        triangles[i] = i;
    }
    def.shape.n_points = 3 * def.shape.n_triangles;
    def.shape.points = points;
    def.shape.triangles = triangles;
    TarnSolids* set = make_set();
    add(set, def);
    assert_true(set->solid[0].is_closed);
    for (int i = 0; i < 500; ++i) {
        TarnVec3 q = uniform3(1.5f);
        assert_near(nearest_of(set, 3, q).distance, from_mesh(q, &def), 5e-6);
    }
    tarn_solids_destroy(set);
}

// A hollow cube of triangles, from inside: three walls in a corner, one in the middle of a side,
// and the slanted views of the other half of a side do not count.
static void test_mesh_walls(void** state)
{
    (void)state;
    static const TarnVec3 points[8] = { { -1, -1, -1 }, { 1, -1, -1 }, { -1, 1, -1 }, { 1, 1, -1 },
                                        { -1, -1, 1 },  { 1, -1, 1 },  { -1, 1, 1 },  { 1, 1, 1 } };
    static const int triangles[36] = { 0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 4, 2, 2, 4, 6,
                                       1, 3, 5, 3, 7, 5, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7 };
    TarnSolidDef def = make(TARN_SHAPE_MESH, (TarnVec3){ 1, 1, 1 });
    def.shape.points = points, def.shape.n_points = 8;
    def.shape.triangles = triangles, def.shape.n_triangles = 12;
    def.is_inside_out = true;
    TarnSolids* set = make_set();
    add(set, def);
    SolidContact c[8];
    int slot = 0;
    TarnVec3 corner = { 0.95f, -0.93f, 0.96f }, side = { 0.1f, -0.95f, 0.12f };
    assert_int_equal(tarn__solids_contacts(set, &slot, 1, 1, 3, corner, 0.1f, c, 8), 3);
    assert_near3(c[0].normal, (TarnVec3){ 0, 0, -1 }, 1e-5);
    assert_near3(c[1].normal, (TarnVec3){ -1, 0, 0 }, 1e-5);
    assert_near3(c[2].normal, (TarnVec3){ 0, 1, 0 }, 1e-5);
    assert_near(c[2].distance, 0.07, 1e-6);
    assert_int_equal(tarn__solids_contacts(set, &slot, 1, 1, 3, side, 0.3f, c, 8), 1);
    assert_int_equal(
        tarn__solids_contacts(set, &slot, 1, 1, 2, (TarnVec3){ 0.95f, 0.96f, 0 }, 0.1f, c, 8), 2);
    tarn_solids_destroy(set);
}

// ---- Fields -------------------------------------------------------------------------------------

static float bumpy(TarnVec3 q, void* user) // slopes below 1
{
    return vec3_length(q) - 1.0f + 0.1f * sinf(3.0f * q.x) * *(float*)user;
}

static void test_function(void** state)
{
    (void)state;
    random_at = 4;
    float strength = 1.0f;
    TarnSolidDef def = make(TARN_SHAPE_FUNCTION, (TarnVec3){ 1, 1, 1 });
    def.shape.distance = bumpy;
    def.shape.user = &strength;
    def.shape.radius = 1.2f;
    TarnSolids* set = make_set();
    add(set, def);
    for (int i = 0; i < 500; ++i) {
        TarnVec3 q = vec3_scale(vec3_normalize(uniform3(1.0f)), uniform(0.5f, 1.25f));
        SolidContact c = nearest_of(set, 3, q);
        double h = 1e-3, x = 0.3 * cos(3.0 * q.x), l = vec3__length(q);
        TarnVec3 n =
            vec3_normalize((TarnVec3){ (float)(q.x / l + x), (float)(q.y / l), (float)(q.z / l) });
        assert_near(c.distance, bumpy(q, &strength), 1e-6);
        assert_near3(c.normal, n, h);
    }
    assert_near(nearest_of(set, 3, (TarnVec3){ 0, 5, 0 }).distance, 3.8, 1e-5); // to its sphere
    tarn_solids_destroy(set);
}

static double from_slope(TarnVec3 q, const void* data)
{
    (void)data;
    return 0.6 * q.x + 0.8 * q.y - 0.1;
}

static void test_grid(void** state)
{
    (void)state;
    random_at = 5;
    static float values[9 * 8 * 7];
    TarnSolidDef def = make(TARN_SHAPE_DISTANCE, (TarnVec3){ 1, 1, 1 });
    def.shape.nx = 9, def.shape.ny = 8, def.shape.nz = 7;
    def.shape.dx = 0.25f;
    def.shape.origin = (TarnVec3){ -1, -0.9f, -0.7f };
    def.shape.distances = values;
    for (int c = 0; c < 9 * 8 * 7; ++c) {
        TarnVec3 q = { (float)(c % 9), (float)(c / 9 % 8), (float)(c / 72) };
        values[c] = (float)from_slope(vec3_add(vec3_scale(q, 0.25f), def.shape.origin), NULL);
    }
    TarnSolids* set = make_set();
    add(set, def);
    for (int i = 0; i < 500; ++i) { // linear fields are read exactly
        TarnVec3 q = { uniform(-1, 1), uniform(-0.9f, 0.85f), uniform(-0.7f, 0.8f) };
        SolidContact c = nearest_of(set, 3, q);
        assert_near(c.distance, from_slope(q, NULL), 1e-6);
        assert_near3(c.normal, (TarnVec3){ 0.6f, 0.8f, 0 }, 1e-5);
    }
    // Outside nothing is solid, and never nearer than the box.
    assert_near(nearest_of(set, 3, (TarnVec3){ -3, -0.9f, 0 }).distance, 2.0, 1e-5);
    tarn_solids_destroy(set);
}

static void test_terrain(void** state)
{
    (void)state;
    random_at = 6;
    static float heights[20 * 16];
    for (int c = 0; c < 20 * 16; ++c) heights[c] = uniform(0.0f, 1.0f);
    TarnSolidDef def = make(TARN_SHAPE_TERRAIN, (TarnVec3){ 1, 1, 1 });
    def.shape.heights = (TarnView2){ heights, 18, 16, 20 };
    def.shape.dx = 0.5f;
    def.shape.origin = (TarnVec3){ -2, 0, 3 };
    TarnSolids* set = make_set();
    add(set, def);
    for (int i = 0; i < 500; ++i) {
        int a = pick(17), b = pick(15);
        float u = uniform(0.01f, 0.99f), v = uniform(0.01f, 0.99f);
        const float* h = heights + a + 20 * b;
        double y =
            (1 - u) * (1 - v) * h[0] + u * (1 - v) * h[1] + (1 - u) * v * h[20] + u * v * h[21];
        double sx = ((1 - v) * (h[1] - h[0]) + v * (h[21] - h[20])) / 0.5;
        double sz = ((1 - u) * (h[20] - h[0]) + u * (h[21] - h[1])) / 0.5;
        double ny = 1.0 / sqrt(1.0 + sx * sx + sz * sz), over = uniform(-1.0f, 1.0f);
        TarnVec3 q = { -2.0f + ((float)a + 0.5f + u) * 0.5f, (float)(y + over),
                       3.0f + ((float)b + 0.5f + v) * 0.5f };
        SolidContact c = nearest_of(set, 3, q);
        assert_near(c.distance, over * ny, 2e-5);
        assert_near3(c.normal, (TarnVec3){ (float)(-sx * ny), (float)ny, (float)(-sz * ny) }, 2e-4);
    }
    assert_near(nearest_of(set, 3, (TarnVec3){ -50, 5, 3 }).distance, 5.0 - heights[0],
                1e-5); // goes on level
    // Thrown across at any speed: never under ground.
    for (int i = 0; i < 5000; ++i) {
        TarnVec3 p = { uniform(-2, 7), uniform(1.1f, 2.0f), uniform(3, 11) }, step = uniform3(6.0f);
        int slot = 0;
        for (int k = 0; k < 3; ++k) {
            p = tarn__solids_sweep(set, &slot, 1, 0, 1, 3, p, vec3_add(p, step), 0.02f, NULL, NULL,
                                   NULL);
            assert_true(nearest_of(set, 3, p).distance > 0.0f);
        }
    }
    tarn_solids_destroy(set);
}

// ---- Sections -----------------------------------------------------------------------------------

static void test_sections(void** state)
{
    (void)state;
    TarnSolids* set = make_set();
    TarnSolidDef ball = make(TARN_SHAPE_SPHERE, (TarnVec3){ 1, 0, 0 });
    ball.motion.position.z = 0.6f; // cut at a circle of 0.8
    TarnSolidId id = add(set, ball);
    SolidContact c = nearest_of(set, 2, (TarnVec3){ 3, 4, 7 });
    assert_near(c.distance, 4.2, 1e-6);
    assert_near3(c.normal, (TarnVec3){ 0.6f, 0.8f, 0 }, 1e-6);
    assert_ok(tarn_solids_remove(set, id));
    // A box on its corner: a square turned by 45 degrees about x is cut in a taller rectangle.
    TarnSolidDef box = make(TARN_SHAPE_BOX, (TarnVec3){ 1, 1, 1 });
    box.motion.rotation = quat_from_axis_angle((TarnVec3){ 1, 0, 0 }, 0.78539816f);
    add(set, box);
    c = nearest_of(set, 2, (TarnVec3){ 0.2f, 2.0f, 0 });
    assert_near(c.distance, 2.0 - sqrt(2.0), 1e-5);
    assert_near3(c.normal, (TarnVec3){ 0, 1, 0 }, 1e-5);
    c = nearest_of(set, 2, (TarnVec3){ 1.3f, 1.41421356f + 0.4f, 0 });
    assert_near(c.distance, 0.5, 1e-5); // from its corner
    assert_near3(c.normal, (TarnVec3){ 0.6f, 0.8f, 0 }, 1e-5);
    tarn_solids_destroy(set);
    // A coin that lies in the plane is cut in a disc, however thin it is.
    set = make_set();
    TarnSolidDef coin = make(TARN_SHAPE_CYLINDER, (TarnVec3){ 1, 0.01f, 0 });
    coin.motion.rotation = quat_from_axis_angle((TarnVec3){ 1, 0, 0 }, 1.5707963f);
    add(set, coin);
    c = nearest_of(set, 2, (TarnVec3){ 0.3f, 0.4f, 0 });
    assert_near(c.distance, -0.5, 1e-5);
    assert_near3(c.normal, (TarnVec3){ 0.6f, 0.8f, 0 }, 1e-5);
    tarn_solids_destroy(set);
}

// Inside a room each wall at hand is told, outside of a box one nearest point.
static void test_corners(void** state)
{
    (void)state;
    TarnSolids* set = make_set();
    TarnSolidDef def = make(TARN_SHAPE_BOX, (TarnVec3){ 1, 2, 3 });
    def.is_inside_out = true;
    TarnSolidId id = add(set, def);
    SolidContact c[8];
    int slot = 0;
    TarnVec3 p = { 0.97f, -1.98f, 2.99f };
    assert_int_equal(tarn__solids_contacts(set, &slot, 1, 0, 3, p, 0.1f, c, 8), 3);
    assert_near3(c[0].normal, (TarnVec3){ 0, 0, -1 }, 0);
    assert_near3(c[1].normal, (TarnVec3){ 0, 1, 0 }, 0);
    assert_near3(c[2].normal, (TarnVec3){ -1, 0, 0 }, 0);
    assert_near(c[1].distance, 0.02, 1e-6);
    assert_int_equal(tarn__solids_contacts(set, &slot, 1, 0, 3, p, 0.1f, c, 2), 2);
    assert_near(c[0].distance, 0.01, 1e-6);
    assert_near(c[1].distance, 0.02, 1e-6);
    assert_int_equal(
        tarn__solids_contacts(set, &slot, 1, 0, 2, (TarnVec3){ 0.97f, -1.98f, 0 }, 0.1f, c, 8), 2);
    assert_ok(tarn_solids_remove(set, id));
    // In a can its bottom and its side.
    def = make(TARN_SHAPE_CYLINDER, (TarnVec3){ 1, 2, 0 });
    def.is_inside_out = true;
    id = add(set, def);
    p = (TarnVec3){ 0.582f, -1.98f, 0.776f };
    assert_int_equal(tarn__solids_contacts(set, &slot, 1, 0, 3, p, 0.1f, c, 8), 2);
    assert_near3(c[0].normal, (TarnVec3){ 0, 1, 0 }, 0);
    assert_near3(c[1].normal, (TarnVec3){ -0.6f, 0, -0.8f }, 1e-5);
    assert_near(c[0].distance, 0.02, 1e-6);
    assert_near(c[1].distance, 0.03, 1e-5);
    assert_ok(tarn_solids_remove(set, id));
    def = make(TARN_SHAPE_BOX, (TarnVec3){ 1, 2, 3 });
    add(set, def);
    assert_int_equal(
        tarn__solids_contacts(set, &slot, 1, 0, 3, (TarnVec3){ 1.03f, 2.04f, 0 }, 0.1f, c, 8), 1);
    assert_near(c[0].distance, 0.05, 1e-6);
    assert_near3(c[0].normal, (TarnVec3){ 0.6f, 0.8f, 0 }, 1e-4);
    tarn_solids_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_round_and_flat), TEST(test_convex),   TEST(test_mesh), TEST(test_mesh_seams),
        TEST(test_mesh_walls),     TEST(test_function), TEST(test_grid), TEST(test_terrain),
        TEST(test_sections),       TEST(test_corners),
    };
    return cmocka_run_group_tests_name("solids_shapes", tests, NULL, NULL);
}
