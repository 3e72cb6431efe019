// Screen-space meshes: discs of single particles, layers that do not connect, the filter.

#include "screen_common.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(single_particle_is_a_disc),
        TEST(what_is_behind_is_not_connected_and_complete),
        TEST(nothing_shows_between_near_and_far),
        TEST(back_is_behind_and_turned),
        TEST(filter_flattens_bumps_and_keeps_steps),
        TEST(pool_at_a_grazing_angle_stays_whole),
    };
    return cmocka_run_group_tests_name("screen_mesh", tests, NULL, NULL);
}
