// Height-field meshes: shores, skirts, foam, and the water of the solvers.

#include "height_common.h"

// ---- Shores --------------------------------------------------------------------------------------

// Water around a cone: how far shore vertices are off its circle, and the area off theory.
static double island_errors(float cell, double* area_error)
{
    TarnHeightMesh* heights = make(ctx, 128, 2);
    TarnMesh mesh = make_buffers(128, 2);
    Lake lake = { .island = 6.3f, .middle = { 15.2f, 16.1f } };
    TarnHeightMeshSource s = source_of_lake(&lake, 32.0f, cell);
    s.camera = (TarnVec3){ 16.0f, 2.0f, 16.0f };
    assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
    double area = check_surface(&s, 128, 2, &mesh), worst = 0.0;
    double radius = (double)lake.island;
    *area_error = fabs(area - (32.0 * 32.0 - 3.14159265358979 * radius * radius));
    for (int v = 0; v < mesh.n_vertices; ++v) {
        if (depth_of(&mesh, (uint32_t)v) != 0.0f) continue;
        double x = (double)mesh.position[v].x - (double)lake.middle.x;
        double z = (double)mesh.position[v].z - (double)lake.middle.y;
        double off = fabs(sqrt(x * x + z * z) - radius);
        worst = off > worst ? off : worst;
    }
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
    return worst;
}

static void an_island_is_round(void** state)
{
    (void)state;
    double area_error[3];
    for (int n = 0; n < 3; ++n) {
        float cell = 1.0f / (float)(1 << n);
        double off = island_errors(cell, &area_error[n]);
        if (off > 1e-3 * (double)cell) print_error("cell %g: %g m off\n", (double)cell, off);
        assert_true(off <= 1e-3 * (double)cell);
    }
    // Chords of the circle: their area is short by the square of the cell.
    double order = 0.5 * log2(area_error[0] / area_error[2]);
    if (order < 1.8 || order > 2.3)
        print_error("%g, %g, %g m^2: order %g\n", area_error[0], area_error[1], area_error[2],
                    order);
    assert_true(order > 1.8 && order < 2.3);
}

static void a_beach_is_straight(void** state)
{
    (void)state;
    TarnHeightMesh* heights = make(ctx, 32, 4);
    TarnMesh mesh = make_buffers(32, 4);
    Lake lake = { .beach = 33.37f };
    TarnHeightMeshSource s = source_of_lake(&lake, 40.0f, 0.5f);
    for (int n = 0; n < 8; ++n) {
        s.camera = (TarnVec3){ uniform(20.0f, 45.0f), 1.0f, uniform(0.0f, 40.0f) };
        assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
        double area = check_surface(&s, 32, 4, &mesh);
        assert_true(fabs(area - 40.0 * (double)lake.beach) < 0.02);
        for (int v = 0; v < mesh.n_vertices; ++v)
            if (depth_of(&mesh, (uint32_t)v) == 0.0f)
                assert_true(fabsf(mesh.position[v].x - lake.beach) < 2e-3f);
    }
    // Thin water left out: the shore is where it is 0.2 m deep.
    s.dry_depth = 0.2f;
    assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
    assert_true(fabs(total_area(&mesh) - 40.0 * ((double)lake.beach - 2.0)) < 0.02);
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
}

// A cone in a lake of the shallow-water solver: its shore, as it draws it, comes closer with the square.
static double solver_island_error(int n)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = def.nz = n;
    def.dx = 20.0f / (float)n;
    def.has_level = true;
    def.level = 0.0f;
    float* bed = malloc((size_t)n * (size_t)n * sizeof *bed);
    for (int c = 0; c < n * n; ++c) {
        float x = ((float)(c % n) + 0.5f) * def.dx - 10.2f,
              z = ((float)(c / n) + 0.5f) * def.dx - 9.7f;
        bed[c] = 0.2f * (5.0f - sqrtf(x * x + z * z));
    }
    def.bed = bed;
    TarnShallow* water;
    assert_ok(tarn_shallow_create(ctx, &def, &water));
    TarnHeightMesh* heights = make(ctx, 128, 2);
    TarnMesh mesh = make_buffers(128, 2);
    TarnHeightMeshSource s = tarn_height_mesh_source_of_shallow(water);
    assert_true(s.has_shore);
    s.camera = (TarnVec3){ 10.0f, 1.0f, 10.0f };
    assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
    check_surface(&s, 128, 2, &mesh);
    double worst = 0.0;
    int n_shore = 0;
    for (int v = 0; v < mesh.n_vertices; ++v) {
        if (depth_of(&mesh, (uint32_t)v) != 0.0f) continue;
        double x = (double)mesh.position[v].x - 10.2, z = (double)mesh.position[v].z - 9.7;
        double off = fabs(sqrt(x * x + z * z) - 5.0);
        worst = off > worst ? off : worst;
        n_shore++;
    }
    assert_true(n_shore > n / 2);
    free(bed);
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
    tarn_shallow_destroy(water);
    return worst;
}

static void the_shore_of_a_solver_is_met(void** state)
{
    (void)state;
    double e[3] = { solver_island_error(25), solver_island_error(50), solver_island_error(100) };
    double order = 0.5 * log2(e[0] / e[2]);
    if (order < 1.6) print_error("%g, %g, %g m: order %g\n", e[0], e[1], e[2], order);
    assert_true(order > 1.6 && e[1] < e[0] && e[2] < e[1]);
}

// Every second place dry, at random: the worst for neighbors and for room.
static void any_shore_holds_together(void** state)
{
    (void)state;
    for (int n = 0; n < 20; ++n) {
        Lake lake = { .speckle = 0.05f + 0.045f * (float)n };
        TarnHeightMesh* heights = make(ctx, 20, 3);
        TarnMesh mesh = make_buffers(20, 3);
        TarnHeightMeshSource s = source_of_lake(&lake, uniform(10.0f, 60.0f), 0.5f);
        s.camera = (TarnVec3){ uniform(-5.0f, 65.0f), 1.0f, uniform(-5.0f, 65.0f) };
        assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
        check_surface(&s, 20, 3, &mesh);
        s.skirt = 1.0f;
        assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
        drop_buffers(&mesh);
        tarn_height_mesh_destroy(heights);
    }
}

static void what_is_not_a_number_is_land(void** state)
{
    (void)state;
    TarnHeightMesh* heights = make(ctx, 32, 3);
    TarnMesh mesh = make_buffers(32, 3);
    for (int n = 0; n < 3; ++n) {
        Lake lake = { .wave = 0.2f, .hole = n == 2 ? 1e3f : 5.0f, .middle = { 20.0f, 20.0f } };
        TarnHeightMeshSource s = source_of_lake(&lake, 40.0f, 0.5f);
        s.camera = (TarnVec3){ 18.0f, 1.0f, 20.0f };
        s.has_shore = n != 1;
        assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
        for (int v = 0; v < mesh.n_vertices; ++v) {
            assert_true(tarn__is_finite3(mesh.position[v]) && tarn__is_finite3(mesh.normal[v]));
            assert_true(tarn__is_finite3(mesh.velocity[v]));
            assert_true(tarn__is_finite(depth_of(&mesh, (uint32_t)v)));
        }
        double area = total_area(&mesh), wanted = n == 2 ? 0.0 : 1600.0 - 3.14159265 * 25.0;
        assert_true(fabs(area - wanted) < 0.5);
    }
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
}

// ---- Skirts and foam -----------------------------------------------------------------------------

static void skirts_hang_all_around(void** state)
{
    (void)state;
    TarnHeightMesh* heights = make(ctx, 32, 3);
    TarnMesh mesh = make_buffers(32, 3);
    Lake lake = { .wave = 0.2f, .beach = 33.0f };
    TarnHeightMeshSource s = source_of_lake(&lake, 40.0f, 0.5f);
    s.camera = (TarnVec3){ 30.0f, 1.0f, 8.0f };
    assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
    int bare = mesh.n_vertices, bare_triangles = mesh.n_triangles;
    s.skirt = 2.0f;
    assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
    TarnMeshStats stats;
    assert_ok(tarn_mesh_stats(ctx, &mesh, &stats));
    assert_int_equal(stats.crowded_edges + stats.flipped_edges + stats.degenerate, 0);
    assert_true(mesh.n_vertices > bare && mesh.n_triangles > bare_triangles);
    // Open edges are at the shore or at the lower ends, none at the top of an edge of the rectangle.
    int n_open, n_low = 0;
    Edge* edges = open_edges(&mesh, &n_open);
    for (int e = 0; e < n_open; ++e) {
        bool is_low = edges[e].high >= (uint32_t)bare;
        bool is_shore =
            depth_of(&mesh, edges[e].low) == 0.0f && depth_of(&mesh, edges[e].high) == 0.0f;
        assert_true(is_low || is_shore);
        n_low += is_low;
    }
    assert_true(n_low > 50);
    free(edges);
    // They face outwards, and are as long as the edges that are in water.
    double area = 0.0;
    for (int t = bare_triangles; t < mesh.n_triangles; ++t) {
        const uint32_t* i = mesh.index + 3 * (size_t)t;
        TarnVec3 a = mesh.position[i[0]], b = mesh.position[i[1]], c = mesh.position[i[2]];
        TarnVec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
        TarnVec3 out = vec3_sub(a, (TarnVec3){ 20.0f, 0.0f, 20.0f });
        assert_true(n.x * out.x + n.z * out.z > 0.0f);
        area += 0.5 * (double)vec3_length(n);
    }
    assert_true(fabs(area - 2.0 * (40.0 + 33.0 + 33.0)) < 0.1);
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
}

static void foam_is_bilinear(void** state)
{
    (void)state;
    TarnHeightMesh* heights = make(ctx, 16, 2);
    TarnMesh mesh = make_buffers(16, 2);
    Lake lake = { .wave = 0.1f };
    TarnHeightMeshSource s = source_of_lake(&lake, 8.0f, 0.5f);
    s.camera = (TarnVec3){ 4.0f, 1.0f, 4.0f };
    float foam[8 * 9]; // one column is not part of it
    for (int c = 0; c < 8 * 9; ++c)
        foam[c] = c % 9 == 8 ? NAN : 0.05f * (float)(c % 9) + 0.06f * (float)(c / 9);
    s.foam = (TarnView2){ foam, 8, 8, 9 };
    assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
    for (int v = 0; v < mesh.n_vertices; ++v) {
        float x = tarn_clampf(mesh.position[v].x - 0.5f, 0.0f, 7.0f);
        float z = tarn_clampf(mesh.position[v].z - 0.5f, 0.0f, 7.0f);
        float got = mesh.attribute[v * ATTRIBUTES + TARN_HEIGHT_MESH_FOAM];
        assert_true(fabsf(got - (0.05f * x + 0.06f * z)) < 1e-5f);
    }
    foam[30] = NAN, foam[40] = INFINITY, foam[50] = -3.0f;
    assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
    for (int v = 0; v < mesh.n_vertices; ++v) {
        float got = mesh.attribute[v * ATTRIBUTES + TARN_HEIGHT_MESH_FOAM];
        assert_true(got >= 0.0f && got <= 1.0f);
    }
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
}

// ---- Sources -------------------------------------------------------------------------------------

static void sources_of_solvers(void** state)
{
    (void)state;
    TarnWaveDef def = small_def();
    def.level = 2.5f;
    TarnWave* wave = make_wave(ctx, def, GROUND_BED_FN);
    TarnHeightMeshSource s = tarn_height_mesh_source_of_wave(wave), moved;
    assert_true(s.has_shore && s.level == 2.5f && s.cell == def.dx);
    assert_true(s.max.x == s.min.x + 100.0f * def.dx && s.max.y == s.min.y + 40.0f * def.dx);
    // Vertices of coarse rings stay where they are when the window moves.
    assert_ok(tarn_wave_shift(wave, 3, -5));
    moved = tarn_height_mesh_source_of_wave(wave);
    assert_true(moved.min.x > s.min.x && moved.min.y < s.min.y);
    assert_true(moved.anchor.x == s.anchor.x && moved.anchor.y == s.anchor.y);
    tarn_wave_destroy(wave);

    TarnPipesDef pipes_def = tarn_pipes_default_def();
    pipes_def.nx = 200, pipes_def.nz = 100, pipes_def.has_level = true, pipes_def.level = 20.0f;
    TarnPipes* pipes;
    assert_ok(tarn_pipes_create(ctx, &pipes_def, &pipes));
    s = tarn_height_mesh_source_of_pipes(pipes);
    s.camera = (TarnVec3){ 3.0f, 2.0f, 3.0f };
    TarnHeightMesh* heights = make(ctx, 64, 5);
    TarnMesh mesh = make_buffers(64, 5);
    assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
    double width = (double)(s.max.x - s.min.x), length = (double)(s.max.y - s.min.y);
    double area = check_surface(&s, 64, 5, &mesh);
    if (fabs(area / (width * length) - 1.0) >= 1e-5)
        print_error("%g of %g m^2\n", area, width * length);
    assert_true(fabs(area / (width * length) - 1.0) < 1e-5);
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
    tarn_pipes_destroy(pipes);
    s = tarn_height_mesh_source_of_wave(NULL);
    assert_null(s.surface.query);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_island_is_round),
        TEST(a_beach_is_straight),
        TEST(the_shore_of_a_solver_is_met),
        TEST(any_shore_holds_together),
        TEST(what_is_not_a_number_is_land),
        TEST(skirts_hang_all_around),
        TEST(foam_is_bilinear),
        TEST(sources_of_solvers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
