// Screen-space meshes: discs of single particles, layers that do not connect, the filter, cameras, level of
// detail, orientation, bits, and what comes from outside.

#include "test_common.h"
#include "mesh/screen_mesh_inside.h"

enum { MAX_POINTS = 4096, MAX_VERTICES = 300000, MAX_TRIANGLES = 600000 };
static float at[3][MAX_POINTS], speed[3][MAX_POINTS], shade[2 * MAX_POINTS];
static TarnVec3 position[MAX_VERTICES], normal[MAX_VERTICES], velocity[MAX_VERTICES];
static float attribute[2 * MAX_VERTICES];
static uint32_t indices[3 * MAX_TRIANGLES];

// ---- What is drawn -------------------------------------------------------------------------------

static TarnMesh empty_mesh(void)
{
    return (TarnMesh){ .position = position,
                       .normal = normal,
                       .velocity = velocity,
                       .attribute = attribute,
                       .n_attributes = 2,
                       .index = indices,
                       .max_vertices = MAX_VERTICES,
                       .max_triangles = MAX_TRIANGLES };
}
static TarnPoints points_of(int n)
{
    return (TarnPoints){ .n = n,
                         .x = at[0],
                         .y = at[1],
                         .z = at[2],
                         .vx = speed[0],
                         .vy = speed[1],
                         .vz = speed[2],
                         .attribute = shade,
                         .n_attributes = 2 };
}
static void put(int p, float x, float y, float z)
{
    at[0][p] = x, at[1][p] = y, at[2][p] = z;
    for (int a = 0; a < 3; ++a) speed[a][p] = (float)(10 * p + a);
    shade[2 * p] = (float)p, shade[2 * p + 1] = -(float)p;
}

// A camera at `eye` that looks along -z of the world, half as wide as far in both directions of a square.
static TarnScreenCamera straight(int width, int height)
{
    TarnScreenCamera c = { .width = width, .height = height };
    for (int a = 0; a < 4; ++a) c.view[5 * a] = 1.0f;
    c.projection[0] = 2.0f * (float)height / (float)width, c.projection[5] = 2.0f;
    c.projection[10] = -1.0f, c.projection[11] = -1.0f, c.projection[14] = -0.1f;
    return c;
}
static TarnScreenCamera flat(int width, int height, float half) // orthographic, half a height [m]
{
    TarnScreenCamera c = straight(width, height);
    memset(c.projection, 0, sizeof c.projection);
    c.projection[0] = (float)height / (float)width / half, c.projection[5] = 1.0f / half;
    c.projection[10] = -0.01f, c.projection[15] = 1.0f;
    return c;
}
// From `eye` towards the origin, y up.
static TarnScreenCamera around(TarnVec3 eye, int width, int height)
{
    TarnScreenCamera c = straight(width, height);
    TarnVec3 back = vec3_normalize(eye);
    TarnVec3 right = vec3_normalize(vec3_cross((TarnVec3){ 0.0f, 1.0f, 0.0f }, back));
    TarnVec3 up = vec3_cross(back, right), axes[3] = { right, up, back };
    for (int a = 0; a < 3; ++a) {
        c.view[a] = axes[a].x, c.view[a + 4] = axes[a].y, c.view[a + 8] = axes[a].z;
        c.view[a + 12] = -vec3_dot(axes[a], eye);
    }
    return c;
}

// Pixels, and the depth, of a point of the world.
static TarnVec3 project(const TarnScreenCamera* c, TarnVec3 p)
{
    double eye[4], clip[4];
    const double world[4] = { (double)p.x, (double)p.y, (double)p.z, 1.0 };
    for (int r = 0; r < 4; ++r) {
        eye[r] = 0.0;
        for (int k = 0; k < 4; ++k) eye[r] += (double)c->view[r + 4 * k] * world[k];
    }
    for (int r = 0; r < 4; ++r) {
        clip[r] = 0.0;
        for (int k = 0; k < 4; ++k) clip[r] += (double)c->projection[r + 4 * k] * eye[k];
    }
    return (TarnVec3){ (float)(c->width * (0.5 + 0.5 * clip[0] / clip[3])),
                       (float)(c->height * (0.5 + 0.5 * clip[1] / clip[3])), (float)-eye[2] };
}

static TarnScreenMesh* make_in(TarnContext* where, int spacing)
{
    TarnScreenMeshDef def = tarn_screen_mesh_default_def();
    def.max_particles = MAX_POINTS, def.spacing = spacing;
    def.max_width = 400, def.max_height = 300;
    TarnScreenMesh* screen;
    assert_int_equal(tarn_screen_mesh_create(where, &def, &screen), TARN_OK);
    return screen;
}
static TarnScreenMeshParams plain(float radius)
{
    TarnScreenMeshParams p = tarn_screen_mesh_default_params();
    p.radius = radius;
    return p;
}

// Twice the signed area of a triangle in the picture.
static double turn(const TarnScreenCamera* c, const TarnMesh* mesh, int t)
{
    TarnVec3 v[3];
    for (int k = 0; k < 3; ++k) v[k] = project(c, mesh->position[mesh->index[3 * t + k]]);
    double ux = (double)v[1].x - (double)v[0].x, uy = (double)v[1].y - (double)v[0].y;
    double wx = (double)v[2].x - (double)v[0].x, wy = (double)v[2].y - (double)v[0].y;
    return ux * wy - uy * wx;
}

// Everything that must hold for any mesh: finite, in front of the camera, sound edges, triangles of the front
// counter-clockwise and of the back clockwise (in a mirrored picture the other way), normals of length 1.
static void assert_sound(const TarnScreenCamera* c, const TarnMesh* mesh, int n_front)
{
    TarnMeshStats stats;
    assert_ok(tarn_mesh_stats(ctx, mesh, &stats));
    assert_int_equal(stats.crowded_edges, 0);
    assert_int_equal(stats.flipped_edges, 0);
    assert_int_equal(stats.degenerate, 0);
    int n_bad = 0, n_turned = 0;
    const float* p4 = c->projection;
    double way = p4[0] * p4[5] - p4[1] * p4[4] < 0.0f ? -1.0 : 1.0;
    for (int v = 0; v < mesh->n_vertices; ++v) {
        TarnVec3 p = mesh->position[v], n = mesh->normal[v];
        n_bad += !tarn__is_finite3(p) || !(project(c, p).z > 0.0f);
        n_bad += !(fabsf(vec3_length(n) - 1.0f) < 1e-4f);
        n_bad += !tarn__is_finite3(mesh->velocity[v]);
    }
    for (int t = 0; t < mesh->n_triangles; ++t) {
        double area = way * turn(c, mesh, t);
        n_turned += t < n_front ? !(area > -1e-2) : !(area < 1e-2);
    }
    assert_int_equal(n_bad, 0);
    assert_int_equal(n_turned, 0);
}

static int run(TarnScreenMesh* screen, int n, const TarnScreenCamera* c,
               const TarnScreenMeshParams* params, TarnMesh* mesh)
{
    int n_front;
    TarnPoints points = points_of(n);
    *mesh = empty_mesh();
    assert_ok(tarn_screen_mesh_run(screen, &points, c, params, mesh, &n_front));
    assert_sound(c, mesh, n_front);
    return n_front;
}

// A pool with waves and drops over it.
static int pool(void)
{
    int n = 0;
    for (int k = 0; k < 20; ++k) {
        for (int j = 0; j < 6; ++j) {
            for (int i = 0; i < 30; ++i, ++n) {
                float x = 0.1f * (float)(i - 15), z = 0.1f * (float)(k - 10);
                put(n, x + 0.03f * uniform(-1.0f, 1.0f),
                    0.1f * (float)j + 0.1f * sinf(3.0f * x) * cosf(2.0f * z), z);
            }
        }
    }
    for (int d = 0; d < 60; ++d, ++n)
        put(n, uniform(-1.5f, 1.5f), uniform(0.6f, 1.4f), uniform(-1.0f, 1.0f));
    return n;
}

// ---- Discs ---------------------------------------------------------------------------------------

enum { RIM = 360 };
static TarnVec3 rim[RIM]; // the outline of a sphere in the picture

static void draw_rim(const TarnScreenCamera* c, TarnVec3 center, float r)
{
    bool is_flat = c->projection[11] == 0.0f;
    TarnVec3 axis = is_flat ? (TarnVec3){ 0.0f, 0.0f, 1.0f } : vec3_normalize(center);
    TarnVec3 side = vec3_normalize(vec3_cross(axis, (TarnVec3){ 0.31f, 0.9f, 0.2f }));
    TarnVec3 other = vec3_cross(axis, side);
    // The circle along which rays from the eye touch it.
    float near = is_flat ? 0.0f : r * r / vec3_length(center), ring = sqrtf(r * r - near * near);
    for (int i = 0; i < RIM; ++i) {
        float angle = (float)i * 6.2831853f / RIM;
        TarnVec3 out = vec3_add(vec3_scale(side, cosf(angle)), vec3_scale(other, sinf(angle)));
        TarnVec3 p = vec3_add(center, vec3_scale(out, ring));
        rim[i] = project(c, vec3_sub(p, vec3_scale(axis, near)));
    }
}

static double distance_to(TarnVec3 p, TarnVec3 a, TarnVec3 b) // in the picture
{
    float ux = b.x - a.x, uy = b.y - a.y, px = p.x - a.x, py = p.y - a.y;
    float t = tarn_clampf((px * ux + py * uy) / (ux * ux + uy * uy), 0.0f, 1.0f);
    return hypot((double)(px - t * ux), (double)(py - t * uy));
}

static bool is_open(const TarnMesh* mesh, uint32_t a, uint32_t b)
{
    for (int e = 0; e < 3 * mesh->n_triangles; ++e) {
        uint32_t from = mesh->index[e], to = mesh->index[e % 3 == 2 ? e - 2 : e + 1];
        if (from == b && to == a) return false;
    }
    return true;
}

// The largest distance between the rim and the edge of the mesh [pixels].
static double worst_of_rim(const TarnScreenCamera* c, const TarnMesh* mesh)
{
    double least[RIM], worst = 0.0;
    for (int i = 0; i < RIM; ++i) least[i] = 1e9;
    for (int e = 0; e < 3 * mesh->n_triangles; ++e) {
        uint32_t from = mesh->index[e], to = mesh->index[e % 3 == 2 ? e - 2 : e + 1];
        if (!is_open(mesh, from, to)) continue;
        TarnVec3 a = project(c, mesh->position[from]), b = project(c, mesh->position[to]);
        double own = 1e9;
        for (int i = 0; i < RIM; ++i) {
            least[i] = fmin(least[i], distance_to(rim[i], a, b));
            own = fmin(own, distance_to(a, rim[i], rim[(i + 1) % RIM]));
        }
        worst = fmax(worst, own);
    }
    for (int i = 0; i < RIM; ++i) worst = fmax(worst, least[i]);
    return worst;
}

// Area of the mesh in the picture over that of the rim.
static double area_share(const TarnScreenCamera* c, const TarnMesh* mesh)
{
    double full = 0.0, drawn = 0.0;
    for (int i = 0; i < RIM; ++i) {
        TarnVec3 a = rim[i], b = rim[(i + 1) % RIM];
        full += (double)a.x * (double)b.y - (double)a.y * (double)b.x;
    }
    for (int t = 0; t < mesh->n_triangles; ++t) drawn += turn(c, mesh, t);
    return drawn / fabs(full);
}

static void single_particle_is_a_disc(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    const TarnScreenCamera cameras[2] = { straight(400, 300), flat(400, 300, 1.0f) };
    const TarnVec3 centers[] = { { 0.0f, 0.0f, -4.0f },
                                 { 1.9f, 1.3f, -4.0f },
                                 { -0.33f, 0.21f, -1.1f } };
    TarnMesh mesh;
    for (int k = 0; k < 6; ++k) {
        TarnVec3 center = centers[k % 3];
        const TarnScreenCamera* c = &cameras[k / 3];
        if (k == 4) center = (TarnVec3){ -0.7f, 0.6f, -4.0f };
        float r = k % 3 == 2 ? 0.25f : 0.2f;
        TarnScreenMeshParams params = plain(r);
        params.filter = 0;
        put(0, center.x, center.y, center.z);
        run(screen, 1, c, &params, &mesh);
        TarnMeshStats stats;
        assert_ok(tarn_mesh_stats(ctx, &mesh, &stats));
        assert_int_equal(stats.parts, 1);
        assert_int_equal(stats.euler, 1); // a disc
        draw_rim(c, center, r);
        double worst = worst_of_rim(c, &mesh), area = area_share(c, &mesh);
        if (worst > 1.0 || fabs(area - 1.0) > 0.02)
            print_error("case %d: rim off by %g px, area %g\n", k, worst, area);
        assert_true(worst <= 1.0 && fabs(area - 1.0) <= 0.02);
        for (int v = 0; v < mesh.n_vertices; ++v) { // on the sphere, and its normals
            TarnVec3 out = vec3_sub(mesh.position[v], center);
            assert_true(fabsf(vec3_length(out) - r) < 0.02f * r);
            assert_int_equal((int)mesh.velocity[v].y, 1);
        }
    }
    tarn_screen_mesh_destroy(screen);
}

// ---- Layers --------------------------------------------------------------------------------------

// The largest step in depth along an edge of a triangle.
static float longest_step(const TarnScreenCamera* c, const TarnMesh* mesh)
{
    float most = 0.0f;
    for (int e = 0; e < 3 * mesh->n_triangles; ++e) {
        uint32_t from = mesh->index[e], to = mesh->index[e % 3 == 2 ? e - 2 : e + 1];
        float d = project(c, mesh->position[from]).z - project(c, mesh->position[to]).z;
        most = tarn_maxf(most, fabsf(d));
    }
    return most;
}

static void what_is_behind_is_not_connected_and_complete(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    TarnScreenCamera c = straight(400, 300);
    TarnScreenMeshParams params = plain(0.3f);
    params.max_step = 2.0f;
    TarnMesh mesh;
    TarnMeshStats stats;
    put(0, 0.0f, 0.0f, -4.0f);
    put(1, 0.35f, 0.1f, -6.0f); // 6.7 radii behind, half hidden
    run(screen, 2, &c, &params, &mesh);
    assert_ok(tarn_mesh_stats(ctx, &mesh, &stats));
    assert_int_equal(stats.parts, 2);
    assert_true(longest_step(&c, &mesh) < 2.0f * 0.3f);
    // Together they cover what both cover: no gap between them, at any node.
    int n_seen[2] = { 0, 0 };
    for (int v = 0; v < mesh.n_vertices; ++v) ++n_seen[mesh.velocity[v].x > 5.0f];
    assert_true(n_seen[0] > 200 && n_seen[1] > 60);
    put(1, 0.35f, 0.1f, -4.3f); // one radius behind
    run(screen, 2, &c, &params, &mesh);
    assert_ok(tarn_mesh_stats(ctx, &mesh, &stats));
    assert_int_equal(stats.parts, 1);
    tarn_screen_mesh_destroy(screen);
}

// Does a triangle of the mesh cover the middle of each pixel that the two discs cover?
static void nothing_shows_between_near_and_far(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    TarnScreenCamera c = straight(400, 300);
    TarnScreenMeshParams params = plain(0.3f);
    TarnMesh mesh;
    put(0, 0.0f, 0.0f, -4.0f); // in front of a wall of particles
    int n = 1;
    for (int j = -7; j <= 7; ++j)
        for (int i = -7; i <= 7; ++i) put(n++, 0.25f * (float)i, 0.25f * (float)j, -8.0f);
    run(screen, n, &c, &params, &mesh);
    static uint8_t covered[300][400];
    memset(covered, 0, sizeof covered);
    for (int t = 0; t < mesh.n_triangles; ++t) {
        TarnVec3 v[3];
        for (int k = 0; k < 3; ++k) v[k] = project(&c, position[indices[3 * t + k]]);
        int x0 = (int)fminf(fminf(v[0].x, v[1].x), v[2].x),
            y0 = (int)fminf(fminf(v[0].y, v[1].y), v[2].y);
        for (int y = y0 - 1; y <= y0 + 5; ++y) {
            for (int x = x0 - 1; x <= x0 + 5; ++x) {
                bool is_in = x >= 0 && x < 400 && y >= 0 && y < 300;
                for (int k = 0; k < 3; ++k) {
                    TarnVec3 a = v[k], b = v[(k + 1) % 3];
                    float px = (float)x + 0.5f - a.x, py = (float)y + 0.5f - a.y;
                    is_in = is_in && (b.x - a.x) * py - (b.y - a.y) * px >= -1e-3f;
                }
                if (is_in) covered[y][x] = 1;
            }
        }
    }
    for (int y = 110; y < 190; ++y) // around the disc, whose radius is 22 pixels
        for (int x = 160; x < 240; ++x) assert_true(covered[y][x]);
    tarn_screen_mesh_destroy(screen);
}

static void back_is_behind_and_turned(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    for (int k = 0; k < 2; ++k) {
        TarnScreenCamera c = k ? flat(400, 300, 1.0f) : straight(400, 300);
        TarnScreenMeshParams params = plain(0.3f);
        params.layers = 2;
        params.filter = 0;
        put(0, 0.2f, -0.1f, -4.0f);
        TarnMesh mesh;
        int n_front = run(screen, 1, &c, &params, &mesh);
        assert_true(n_front > 0 && abs(mesh.n_triangles - 2 * n_front) < n_front / 10);
        float front = 1e9f, back = 0.0f;
        for (int v = 0; v < mesh.n_vertices; ++v) {
            float z = project(&c, position[v]).z;
            front = tarn_minf(front, z), back = tarn_maxf(back, z);
        }
        assert_true(fabsf(front - 3.7f) < 0.01f && fabsf(back - 4.3f) < 0.01f);
        for (int t = 0; t < mesh.n_triangles; ++t) { // out of the sphere in both
            TarnVec3 n = normal[indices[3 * t]];
            TarnVec3 out = vec3_sub(position[indices[3 * t]], (TarnVec3){ 0.2f, -0.1f, -4.0f });
            assert_true(vec3_dot(n, out) > 0.2f);
        }
    }
    tarn_screen_mesh_destroy(screen);
}

// ---- The filter ----------------------------------------------------------------------------------

// Depths of vertices in the middle of the picture, from column to column: lowest and highest.
static void depths_between(const TarnScreenCamera* c, const TarnMesh* mesh, float x0, float x1,
                           float* low, float* high)
{
    *low = 1e9f, *high = 0.0f;
    for (int v = 0; v < mesh->n_vertices; ++v) {
        TarnVec3 p = project(c, mesh->position[v]);
        if (p.x < x0 || p.x > x1 || p.y < 100.0f || p.y > 200.0f) continue;
        *low = tarn_minf(*low, p.z), *high = tarn_maxf(*high, p.z);
    }
}

static void filter_flattens_bumps_and_keeps_steps(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    TarnScreenCamera c = flat(400, 300, 1.0f);
    TarnScreenMeshParams params = plain(0.06f);
    TarnMesh mesh;
    int n = 0;
    // A wall of particles, its right half nearer by 10 radii; bumps of the spheres between them.
    for (int j = -15; j <= 15; ++j) {
        for (int i = -20; i < 20; ++i)
            put(n++, 0.06f * ((float)i + 0.5f), 0.06f * (float)j, i < 0 ? -5.0f : -4.4f);
    }
    float low[2], high[2], rough[2], smooth[2];
    for (int pass = 0; pass < 2; ++pass) {
        params.filter = pass ? 14 : 0;
        run(screen, n, &c, &params, &mesh);
        depths_between(&c, &mesh, 120.0f, 190.0f, &low[0], &high[0]);
        depths_between(&c, &mesh, 215.0f, 280.0f, &low[1], &high[1]);
        for (int h = 0; h < 2; ++h) (pass ? smooth : rough)[h] = high[h] - low[h];
        // The step is there, as high as ever, and both sides are in their place.
        assert_true(low[0] > 4.9f && high[0] < 5.0f && low[1] > 4.3f && high[1] < 4.4f);
    }
    for (int h = 0; h < 2; ++h) {
        if (!(smooth[h] < 0.2f * rough[h]))
            print_error("side %d: %g of %g\n", h, (double)smooth[h], (double)rough[h]);
        assert_true(rough[h] > 0.01f && smooth[h] < 0.2f * rough[h]);
    }
    // Nothing lies between the two sides but the edge of the near one, which is as deep as its particles.
    for (int v = 0; v < mesh.n_vertices; ++v) {
        TarnVec3 p = project(&c, position[v]);
        assert_true(p.z < 4.47f || p.z > 4.9f);
    }
    tarn_screen_mesh_destroy(screen);
}

static void pool_at_a_grazing_angle_stays_whole(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    TarnScreenCamera c = straight(400, 300);
    TarnScreenMeshParams params = plain(0.1f);
    params.filter = 14;
    int n = 0; // a layer 1 m below the eye, to 12 m away, where a node is 0.5 m of it
    for (int k = 0; k < 130; ++k)
        for (int i = -15; i <= 15; ++i) put(n++, 0.1f * (float)i, -1.0f, -2.0f - 0.08f * (float)k);
    TarnMesh mesh;
    TarnMeshStats stats;
    run(screen, n, &c, &params, &mesh);
    assert_ok(tarn_mesh_stats(ctx, &mesh, &stats));
    if (stats.parts > 1) print_error("%d parts\n", stats.parts);
    assert_int_equal(stats.parts, 1);
    tarn_screen_mesh_destroy(screen);
}

// ---- Cameras -------------------------------------------------------------------------------------

// Nodes lie on whole multiples of the spacing in the picture: what was unprojected projects back there.
static void nodes_project_back_to_their_pixels(const TarnScreenCamera* c, const TarnMesh* mesh)
{
    int n_on = 0;
    for (int v = 0; v < mesh->n_vertices; ++v) {
        TarnVec3 p = project(c, mesh->position[v]);
        float dx = p.x / 2.0f - roundf(p.x / 2.0f), dy = p.y / 2.0f - roundf(p.y / 2.0f);
        n_on += fabsf(dx) < 2e-3f && fabsf(dy) < 2e-3f;
        assert_true(p.x > -0.5f && p.x < (float)c->width + 2.5f && p.y > -0.5f &&
                    p.y < (float)c->height + 2.5f);
    }
    if (10 * n_on < 8 * mesh->n_vertices) print_error("%d of %d\n", n_on, mesh->n_vertices);
    assert_true(10 * n_on >= 8 * mesh->n_vertices);
}

// Turns the picture, shifts it, mirrors it, scales the view, moves the eye by the projection.
static TarnScreenCamera odd_camera(int kind)
{
    TarnScreenCamera c = around((TarnVec3){ 3.0f, 2.5f, 4.0f }, 400, 300);
    float* p = c.projection;
    if (kind == 1)
        c = around((TarnVec3){ 300.0f, 250.0f, 400.0f }, 400, 300), p[0] *= 90.0f, p[5] *= 90.0f;
    if (kind == 2) p[8] = 0.2f, p[9] = -0.1f; // off-center
    if (kind == 3)
        p[4] = -p[5], p[1] = p[0] * 4.0f / 3.0f, p[0] = p[5] = 0.0f, p[4] *= 0.75f; // turned
    if (kind == 4) p[5] = -p[5];                                                    // upside down
    if (kind == 5) {
        for (int i = 0; i < 16; ++i)
            if (i % 4 != 3) c.view[i] *= 7.0f;
    }
    if (kind == 6) p[12] = 0.2f, p[15] = 0.5f; // the eye half a meter back, and aside
    if (kind == 7) c.width = 333, c.height = 251;
    if (kind == 8) {
        TarnScreenCamera o = flat(400, 300, 2.0f);
        memcpy(p, o.projection, sizeof o.projection);
        p[12] = 0.3f;
    }
    return c;
}

static void cameras_of_all_kinds(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    int n = pool();
    for (int kind = 0; kind < 9; ++kind) {
        TarnScreenCamera c = odd_camera(kind);
        TarnScreenMeshParams params = plain(0.1f);
        params.layers = 2;
        params.iterations = 0;
        TarnMesh mesh;
        int n_front = run(screen, n, &c, &params, &mesh);
        if (n_front < 1000) print_error("camera %d: %d triangles\n", kind, n_front);
        assert_true(n_front > 1000);
        nodes_project_back_to_their_pixels(&c, &mesh);
        double facing = 0.0; // normals of the front look at the eye, those of the back away
        for (int t = 0; t < mesh.n_triangles; ++t) {
            TarnVec3 v = position[indices[3 * t]];
            TarnVec3 tip = vec3_add(v, vec3_scale(normal[indices[3 * t]], 0.1f));
            double nearer = (double)project(&c, v).z - (double)project(&c, tip).z;
            facing += t < n_front ? nearer : -nearer;
        }
        assert_true(facing / mesh.n_triangles > 0.02);
    }
    tarn_screen_mesh_destroy(screen);
}

static void detail_falls_with_distance(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    TarnScreenMeshParams params = plain(0.1f);
    TarnMesh mesh;
    int n = pool(), before = 1 << 28;
    for (int d = 0; d < 5; ++d) {
        float away = 4.0f * (float)(1 << d);
        TarnScreenCamera c = around((TarnVec3){ 0.6f * away, 0.5f * away, 0.62f * away }, 400, 300);
        run(screen, n, &c, &params, &mesh);
        assert_true(mesh.n_triangles > 0 && mesh.n_triangles < before * 2 / 5);
        before = mesh.n_triangles;
    }
    tarn_screen_mesh_destroy(screen);
}

// Smaller than a node, wherever it is: no drop is lost.
static void far_drops_do_not_flicker(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 4);
    TarnScreenCamera c = straight(400, 300);
    TarnScreenMeshParams params = plain(0.01f);
    for (int t = 0; t < 200; ++t) {
        TarnMesh mesh;
        put(0, uniform(-8.0f, 8.0f), uniform(-6.0f, 6.0f), -40.0f);
        run(screen, 1, &c, &params, &mesh);
        assert_true(mesh.n_triangles >= 2 && mesh.n_triangles <= 24);
    }
    tarn_screen_mesh_destroy(screen);
}

// ---- Bits, memory, capacity ----------------------------------------------------------------------

static uint64_t hash_with(int workers, TarnIsa isa)
{
    TarnContext* where = make_context(workers, isa);
    if (!where) return 0;
    TarnScreenMesh* screen = make_in(where, 2);
    TarnScreenCamera c = around((TarnVec3){ 1.5f, 1.2f, 2.0f }, 399, 300);
    TarnScreenMeshParams params = plain(0.1f);
    params.layers = 2;
    random_at = 0;
    TarnPoints points = points_of(pool());
    TarnMesh mesh = empty_mesh();
    uint64_t hash = 0;
    for (int frames = 0; frames < 2; ++frames) { // the second over what the first left
        assert_int_equal(tarn_screen_mesh_run(screen, &points, &c, &params, &mesh, NULL), TARN_OK);
        hash = tarn_mesh_hash(&mesh);
    }
    tarn_screen_mesh_destroy(screen);
    tarn_context_destroy(where);
    return hash;
}

static void bits_are_the_same_for_workers_and_instruction_sets(void** state)
{
    (void)state;
    uint64_t one = hash_with(1, TARN_ISA_BASELINE);
    for (int w = 0; w < 4; ++w) {
        static const int workers[] = { 1, 2, 3, 8 };
        assert_true(hash_with(workers[w], TARN_ISA_BASELINE) == one);
        uint64_t avx2 = hash_with(workers[w], TARN_ISA_AVX2);
        assert_true(avx2 == one || avx2 == 0);
    }
}

static void too_little_room_says_how_much(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    TarnScreenCamera c = around((TarnVec3){ 3.0f, 2.5f, 4.0f }, 400, 300);
    TarnScreenMeshParams params = plain(0.1f);
    TarnPoints points = points_of(pool());
    TarnMesh mesh;
    run(screen, points.n, &c, &params, &mesh);
    int vertices = mesh.n_vertices, triangles = mesh.n_triangles, calls = memory.calls;
    for (int k = 0; k < 3; ++k) {
        mesh = empty_mesh();
        memset(position, 0x5a, sizeof position), memset(indices, 0x5a, sizeof indices);
        mesh.max_vertices = k == 0 ? vertices - 1 : vertices;
        mesh.max_triangles = k == 1 ? triangles - 1 : triangles;
        TarnResult result = tarn_screen_mesh_run(screen, &points, &c, &params, &mesh, NULL);
        assert_int_equal(result, k == 2 ? TARN_OK : TARN_ERR_CAPACITY);
        assert_int_equal(mesh.n_vertices, vertices);
        assert_int_equal(mesh.n_triangles, triangles);
        bool is_touched = indices[0] != 0x5a5a5a5au;
        assert_true(is_touched == (k == 2));
    }
    assert_int_equal(memory.calls, calls); // a run takes no memory
    // Buffers that are not there are not written, and the counts are the same.
    mesh = (TarnMesh){ .max_vertices = vertices, .max_triangles = triangles };
    assert_ok(tarn_screen_mesh_run(screen, &points, &c, &params, &mesh, NULL));
    assert_int_equal(mesh.n_vertices, vertices);
    tarn_screen_mesh_destroy(screen);
}

static void memory_is_as_told(void** state)
{
    (void)state;
    TarnScreenMeshDef def = tarn_screen_mesh_default_def();
    size_t before = memory.bytes, told = tarn_screen_mesh_memory(&def);
    TarnScreenMesh* screen;
    assert_ok(tarn_screen_mesh_create(ctx, &def, &screen));
    assert_int_equal(memory.bytes - before, told);
    tarn_screen_mesh_destroy(screen);
    tarn_screen_mesh_destroy(NULL);
    memory.fail_at = memory.calls + 1;
    assert_result(tarn_screen_mesh_create(ctx, &def, &screen), TARN_ERR_MEMORY, "no memory");
    assert_null(screen);
}

// ---- What comes from outside ---------------------------------------------------------------------

static void bad_defs_are_refused(void** state)
{
    (void)state;
    TarnScreenMesh* screen;
    TarnScreenMeshDef def = { 0 };
    assert_result(tarn_screen_mesh_create(ctx, &def, &screen), TARN_ERR_ARG, "default_def");
    assert_result(tarn_screen_mesh_create(ctx, NULL, &screen), TARN_ERR_ARG, "default_def");
    def = tarn_screen_mesh_default_def();
    def.spacing = 0;
    assert_result(tarn_screen_mesh_create(ctx, &def, &screen), TARN_ERR_ARG, "spacing");
    def.spacing = 1, def.max_width = def.max_height = 16384;
    assert_result(tarn_screen_mesh_create(ctx, &def, &screen), TARN_ERR_ARG, "nodes");
    assert_int_equal(tarn_screen_mesh_memory(&def), 0);
}

static void bad_runs_are_refused(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    TarnScreenMeshParams good = plain(0.1f), params;
    TarnPoints points = points_of(1);
    TarnMesh mesh = empty_mesh();
    put(0, 0.0f, 0.0f, -2.0f);
    const TarnScreenCamera right = straight(400, 300);
    TarnScreenCamera c;
#define REFUSED(change, word)                                                                      \
    c = right, params = good, points = points_of(1), mesh = empty_mesh(), change;                  \
    assert_result(tarn_screen_mesh_run(screen, &points, &c, &params, &mesh, NULL), TARN_ERR_ARG,   \
                  word)
    REFUSED(c.width = 0, "width");
    REFUSED(c.height = 301, "max_height");
    REFUSED(c.view[5] = NAN, "view[5]");
    REFUSED(c.projection[0] = INFINITY, "projection[0]");
    REFUSED(c.view[0] = 0.0f, "length 0");
    REFUSED(c.view[0] = 2.0f, "alike");
    REFUSED(c.view[4] = 0.5f, "alike");
    REFUSED(c.view[3] = 0.5f, "last row");
    REFUSED(c.projection[0] = 0.0f, "no width");
    REFUSED(c.projection[4] = 1.0f, "shear");
    REFUSED(c.projection[11] = 1.0f, "-z");
    REFUSED(c.projection[3] = 1.0f, "last row");
    REFUSED(memset(c.projection, 0, sizeof c.projection), "-z");
    REFUSED(params.radius = 0.0f, "radius");
    REFUSED(params.layers = 3, "layers");
    REFUSED(params.cookie = 0, "default_params");
    REFUSED(points.n = -1, "max_particles");
    REFUSED(points.attribute = NULL, "n_attributes");
    REFUSED(mesh.max_vertices = -1, "max_vertices");
#undef REFUSED
    c = right, points = points_of(1), points.n = MAX_POINTS + 1;
    assert_result(tarn_screen_mesh_run(screen, &points, &c, &good, &mesh, NULL), TARN_ERR_CAPACITY,
                  "max_particles");
    assert_result(tarn_screen_mesh_run(screen, NULL, &c, &good, &mesh, NULL), TARN_ERR_ARG, "NULL");
    assert_int_equal(tarn_screen_mesh_run(NULL, &points, &c, &good, &mesh, NULL), TARN_ERR_ARG);
    tarn_screen_mesh_destroy(screen);
}

static void nothing_makes_an_empty_mesh(void** state)
{
    (void)state;
    TarnScreenMesh* screen = make_in(ctx, 2);
    TarnScreenMeshParams params = plain(0.1f);
    TarnScreenCamera c = straight(400, 300);
    TarnMesh mesh;
    run(screen, 0, &c, &params, &mesh);
    assert_int_equal(mesh.n_vertices, 0);
    const float odd[] = { NAN, INFINITY, -INFINITY, 3e38f, 1.0f };
    int n = 0;
    for (int k = 0; k < 5; ++k) // behind the eye, across the near plane, beside, no numbers
        for (int a = 0; a < 3; ++a)
            put(n++, a == 0 ? odd[k] : 0.0f, a == 1 ? odd[k] : 0.0f, a == 2 ? odd[k] : -0.1f);
    run(screen, n, &c, &params, &mesh);
    assert_int_equal(mesh.n_vertices, 0);
    TarnPoints none = { .n = 5 }; // at the eye
    assert_ok(tarn_screen_mesh_run(screen, &none, &c, &params, &mesh, NULL));
    assert_int_equal(mesh.n_vertices, 0);
    tarn_screen_mesh_destroy(screen);
}

// Clouds of any size in pictures of any size, sane in every case.
static void storms(void** state)
{
    (void)state;
    for (int t = 0; t < 60; ++t) {
        TarnScreenMesh* screen = make_in(ctx, 1 + pick(6));
        int width = 1 + pick(pick(2) ? 8 : 400), height = 1 + pick(pick(2) ? 8 : 300);
        TarnScreenCamera c =
            pick(3) ? around((TarnVec3){ uniform(1, 4), uniform(-3, 3), 2 }, width, height)
                    : flat(width, height, scale(0.1f, 100.0f));
        if (pick(2)) c.projection[0] *= scale(1e-2f, 1e2f);
        TarnScreenMeshParams params = plain(scale(1e-3f, 3.0f));
        params.max_step = scale(1.0f, 100.0f);
        params.filter = pick(SCREEN_MAX_FILTER + 1);
        params.iterations = pick(10);
        params.layers = 1 + pick(2);
        params.near = scale(1e-4f, 1.0f);
        int n = 1 + pick(400);
        float size = scale(1e-2f, 1e3f);
        for (int p = 0; p < n; ++p)
            put(p, uniform(-size, size), uniform(-size, size), uniform(-size, size));
        TarnMesh mesh;
        run(screen, n, &c, &params, &mesh);
        tarn_screen_mesh_destroy(screen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(single_particle_is_a_disc),
        TEST(what_is_behind_is_not_connected_and_complete),
        TEST(nothing_shows_between_near_and_far),
        TEST(back_is_behind_and_turned),
        TEST(filter_flattens_bumps_and_keeps_steps),
        TEST(pool_at_a_grazing_angle_stays_whole),
        TEST(cameras_of_all_kinds),
        TEST(detail_falls_with_distance),
        TEST(far_drops_do_not_flicker),
        TEST(bits_are_the_same_for_workers_and_instruction_sets),
        TEST(too_little_room_says_how_much),
        TEST(memory_is_as_told),
        TEST(bad_defs_are_refused),
        TEST(bad_runs_are_refused),
        TEST(nothing_makes_an_empty_mesh),
        TEST(storms),
    };
    return cmocka_run_group_tests_name("screen_mesh", tests, NULL, NULL);
}
