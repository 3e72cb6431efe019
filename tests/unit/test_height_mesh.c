// Height-field meshes: rings without cracks, cameras anywhere, no pops, what comes from outside.

#include "height_common.h"

// ---- Rings ---------------------------------------------------------------------------------------

static void any_camera_over_any_rectangle(void** state)
{
    (void)state;
    random_at = 1;
    for (int trial = 0; trial < 300; ++trial) {
        int cells = 16 + 4 * pick(5), levels = 1 + pick(5);
        Lake lake = { .wave = 0.3f };
        TarnHeightMeshSource s = source_of_lake(&lake, 1.0f, scale(0.2f, 2.0f));
        s.min = (TarnVec2){ uniform(-20.0f, 20.0f), uniform(-20.0f, 20.0f) };
        s.max = (TarnVec2){ s.min.x + s.cell * scale(1.01f, 250.0f),
                            s.min.y + s.cell * scale(1.01f, 250.0f) };
        s.anchor = (TarnVec2){ uniform(-9.0f, 9.0f), uniform(-9.0f, 9.0f) };
        if (pick(3) == 0) s.anchor = s.min;
        if (pick(3) == 0) s.anchor = (TarnVec2){ s.max.x + 0.5f * s.cell, s.min.y };
        s.camera =
            (TarnVec3){ uniform(-90.0f, 200.0f), uniform(0.0f, 40.0f), uniform(-90.0f, 200.0f) };
        if (pick(2)) s.camera.x = uniform(s.min.x, s.max.x), s.camera.z = uniform(s.min.y, s.max.y);
        s.altitude_weight = pick(2) ? 0.0f : uniform(0.0f, 2.0f);
        TarnHeightMesh* heights = make(ctx, cells, levels);
        TarnMesh mesh = make_buffers(cells, levels);
        assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
        double area = check_surface(&s, cells, levels, &mesh);
        double wanted = covered_area(&s, cells, levels);
        if (!(fabs(area - wanted) <= 1e-5 * wanted))
            print_error("trial %d, %d cells, %d levels: %g of %g m^2\n", trial, cells, levels, area,
                        wanted);
        assert_true(fabs(area - wanted) <= 1e-5 * wanted);
        drop_buffers(&mesh);
        tarn_height_mesh_destroy(heights);
    }
}

static void a_basin_is_covered_exactly(void** state)
{
    (void)state;
    TarnHeightMesh* heights = make(ctx, 32, 4);
    TarnMesh mesh = make_buffers(32, 4);
    Lake lake = { .wave = 0.0f };
    TarnHeightMeshSource s = source_of_lake(&lake, 50.0f, 0.5f);
    s.anchor = (TarnVec2){ 0.25f, 0.25f };
    const float far = 1e9f;
    const TarnVec3 cameras[] = { { 25.0f, 2.0f, 25.0f }, { 0.0f, 0.0f, 0.0f },
                                 { 49.9f, 1.0f, 3.0f },  { -30.0f, 5.0f, 70.0f },
                                 { 1e6f, 0.0f, 1e6f },   { 10.0f, 1e6f, 9.0f },
                                 { far, far, -far },     { -far, -far, far } };
    for (int has_shore = 0; has_shore < 2; ++has_shore) {
        for (size_t c = 0; c < sizeof cameras / sizeof cameras[0]; ++c) {
            s.camera = cameras[c];
            s.has_shore = has_shore;
            s.altitude_weight = c % 2 ? 1.0f : 0.0f;
            assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
            assert_true(fabs(check_surface(&s, 32, 4, &mesh) / 2500.0 - 1.0) < 1e-6);
        }
    }
    // Far from the origin a float has 6 cm left.
    s.min.x += 1e6f, s.max.x += 1e6f, s.camera = (TarnVec3){ 1e6f + 20.0f, 2.0f, 30.0f };
    s.anchor.x += 1e6f;
    assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
    assert_true(fabs(check_surface(&s, 32, 4, &mesh) / 2500.0 - 1.0) < 1e-6);
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
}

// ---- On the surface ------------------------------------------------------------------------------

static void all_vertices_lie_on_the_surface(void** state)
{
    (void)state;
    TarnHeightMesh* heights = make(ctx, 32, 4);
    TarnMesh mesh = make_buffers(32, 4);
    Lake lake = { .wave = 0.5f, .island = 7.0f, .middle = { 30.0f, 20.0f } };
    TarnHeightMeshSource s = source_of_lake(&lake, 60.0f, 0.3f);
    s.camera = (TarnVec3){ 22.2f, 2.0f, 31.4f };
    assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
    int n_bad = 0, n_shore = 0;
    for (int v = 0; v < mesh.n_vertices; ++v) {
        TarnVec3 p = mesh.position[v];
        float depth = depth_of(&mesh, (uint32_t)v);
        n_shore += depth == 0.0f;
        n_bad += p.y != lake_height(&lake, p.x, p.z);
        n_bad += depth != 0.0f && depth != lake_depth(&lake, p.x, p.z);
        n_bad += mesh.velocity[v].x != p.x || mesh.velocity[v].z != p.z;
        n_bad += mesh.normal[v].y != 1.0f || mesh.attribute[v * ATTRIBUTES + 2] != 0.0f;
    }
    assert_int_equal(n_bad, 0);
    assert_true(n_shore > 30);
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
}

// Around the camera the mesh is that of the solver, triangle by triangle.
static void what_floats_lies_on_what_is_drawn(void** state)
{
    (void)state;
    TarnWaveDef def = small_def();
    def.origin = (TarnVec2){ -1.3f, 0.7f };
    TarnWave* wave = make_wave(ctx, def, GROUND_FLAT);
    assert_ok(tarn_wave_add_drop(wave, (TarnVec2){ 1.2f, 1.9f }, 0.3f, 0.2f));
    steps(wave, 20);
    TarnHeightMesh* heights = make(ctx, 64, 3);
    TarnMesh mesh = make_buffers(64, 3);
    TarnHeightMeshSource s = tarn_height_mesh_source_of_wave(wave);
    assert_false(s.has_shore);
    double worst = 0.0;
    for (int n = 0; n < 60; ++n) {
        if (n % 10 == 0) {
            s.camera = (TarnVec3){ uniform(-1.0f, 3.3f), 1.0f, uniform(0.9f, 2.5f) };
            assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
        }
        float reach = (0.7f * 32.0f - 3.0f) * def.dx; // beyond nodes may glide
        float x = tarn_clampf(s.camera.x + uniform(-reach, reach), s.min.x, s.max.x);
        float z = tarn_clampf(s.camera.z + uniform(-reach, reach), s.min.y, s.max.y);
        double y = NAN;
        assert_true(height_under(&mesh, (double)x, (double)z, &y));
        double off = fabs(y - (double)tarn_surface_height(s.surface, x, z));
        worst = off > worst ? off : worst;
    }
    if (worst > 1e-6) print_error("%g m off\n", worst);
    assert_true(worst <= 1e-6); // false for NaN, too
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
    tarn_wave_destroy(wave);
}

// ---- Moving cameras ------------------------------------------------------------------------------

enum { PROBES = 40 };
typedef struct Probes {
    double x[PROBES], z[PROBES], y[PROBES];
} Probes;

static Probes spread_probes(float width)
{
    Probes p;
    for (int n = 0; n < PROBES; ++n)
        p.x[n] = (double)uniform(0.0f, width), p.z[n] = (double)uniform(0.0f, width);
    return p;
}

// How far the mesh moved under the probes since the last call.
static double look(TarnHeightMesh* heights, const TarnHeightMeshSource* s, TarnMesh* mesh,
                   Probes* probes)
{
    assert_ok(tarn_height_mesh_run(heights, s, mesh));
    double most = 0.0;
    for (int n = 0; n < PROBES; ++n) {
        double y = -100.0; // of land
        height_under(mesh, probes->x[n], probes->z[n], &y);
        double moved = fabs(y - probes->y[n]);
        most = moved > most ? moved : most;
        probes->y[n] = y;
    }
    return most;
}

// Rings take steps when the camera passes odd multiples of their cells; nothing is seen of it.
static void no_pops_when_rings_take_steps(void** state)
{
    (void)state;
    enum { CELLS = 32, LEVELS = 4 };
    TarnHeightMesh* heights = make(ctx, CELLS, LEVELS);
    TarnMesh mesh = make_buffers(CELLS, LEVELS);
    Lake lake = { .wave = 1.0f, .island = 8.0f, .middle = { 33.0f, 22.0f } };
    TarnHeightMeshSource s = source_of_lake(&lake, 61.3f, 0.5f);
    s.anchor = (TarnVec2){ 0.2f, 0.1f };
    random_at = 3;
    Probes probes = spread_probes(61.3f);
    double worst = 0.0, glide = 0.0, shore = 0.0;
    for (int l = 0; l < LEVELS; ++l) {
        float size = 0.5f * (float)(1 << l);
        for (int n = 0; n < 5; ++n) {
            float at = s.anchor.x + (2.0f * (float)pick((int)(20.0f / size) + 1) + 1.0f) * size;
            bool is_x = pick(2);
            s.camera = (TarnVec3){ uniform(5.0f, 55.0f), 1.0f, uniform(5.0f, 55.0f) };
            *(is_x ? &s.camera.x : &s.camera.z) = at - 1e-4f;
            look(heights, &s, &mesh, &probes);
            double area = total_area(&mesh);
            *(is_x ? &s.camera.x : &s.camera.z) = at + 1e-4f;
            double moved = look(heights, &s, &mesh, &probes);
            shore = fmax(shore, fabs(total_area(&mesh) - area));
            worst = moved > worst ? moved : worst;
            *(is_x ? &s.camera.x : &s.camera.z) = at + 1.0f; // for comparison
            moved = look(heights, &s, &mesh, &probes);
            glide = moved > glide ? moved : glide;
        }
    }
    if (worst > 1e-4) print_error("popped by %g m\n", worst);
    assert_true(worst <= 1e-4 &&
                glide > 100.0 * worst); // waves of 1 m: the mesh does change on the way
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
}

// Along a way from far outside over the water and up, the mesh changes in proportion to the steps.
static void no_pops_on_a_long_way(void** state)
{
    (void)state;
    TarnHeightMesh* heights = make(ctx, 24, 4);
    TarnMesh mesh = make_buffers(24, 4);
    Lake lake = { .wave = 1.0f };
    TarnHeightMeshSource s = source_of_lake(&lake, 40.0f, 0.5f);
    s.altitude_weight = 0.5f;
    Probes probes = spread_probes(40.0f);
    const TarnVec3 way[] = { { -60.0f, 0.0f, 20.0f },
                             { 20.0f, 0.0f, 17.0f },
                             { 21.0f, 80.0f, 60.0f } };
    for (int leg = 0; leg < 2; ++leg) {
        for (int n = 0; n < 40; ++n) {
            float t = (float)n / 40.0f;
            TarnVec3 a = way[leg], along = vec3_sub(way[leg + 1], a);
            s.camera = vec3_add(a, vec3_scale(along, t));
            look(heights, &s, &mesh, &probes);
            s.camera = vec3_add(a, vec3_scale(along, t + 1e-5f)); // a millimeter
            double moved = look(heights, &s, &mesh, &probes);
            if (moved > 2e-3) print_error("leg %d, %d: moved by %g m\n", leg, n, moved);
            assert_true(moved <= 2e-3);
            assert_true(mesh.n_triangles <= 2 * (24 * 24 + 3 * (3 * 24 * 24 / 4)));
        }
    }
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
}

// Where rings begin to glide into the next, and where they have: the camera rises, or goes away.
static void no_pops_when_rings_vanish(void** state)
{
    (void)state;
    TarnHeightMesh* heights = make(ctx, 24, 4);
    TarnMesh mesh = make_buffers(24, 4);
    Lake lake = { .wave = 1.0f };
    TarnHeightMeshSource s = source_of_lake(&lake, 40.0f, 0.5f);
    s.altitude_weight = 0.5f;
    Probes probes = spread_probes(40.0f);
    for (int n = 0; n < 12; ++n) {
        float size = 0.5f * (float)(1 << n / 4), half = 12.0f * size;
        float away = n % 2 ? 0.5f * half + 2.51f * size : half - 1.0001f * size;
        bool is_up = n % 4 < 2;
        for (int side = -1; side <= 1; side += 2) {
            float at = away + 1e-4f * (float)side;
            s.camera = (TarnVec3){ is_up ? 18.0f : -at, is_up ? 2.0f * at : 0.0f, 21.0f };
            double moved = look(heights, &s, &mesh, &probes);
            if (side > 0 && moved > 1e-3) print_error("%d: moved by %g m\n", n, moved);
            assert_true(side < 0 || moved <= 1e-3);
        }
    }
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
}

// ---- Anything goes -------------------------------------------------------------------------------

// A surface that answers with anything at all.
static void wild_query(const void* self, int n, const float* x, const float* z,
                       const TarnSurfaceSamples* out)
{
    static const float odd[8] = { NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 0.0f, 1e-40f, -1.0f };
    for (int p = 0; p < n; ++p) {
        const float at[3] = { x[p], z[p], *(const float*)self };
        uint64_t key = tarn_hash(at, sizeof at, 3);
        float v = key % 3 ? (float)(key >> 40) * 1e-6f : odd[key >> 8 & 7];
        float w = key % 5 ? (float)(key >> 44) * 1e-5f : odd[key >> 12 & 7];
        if (out->height) out->height[p] = v;
        if (out->depth) out->depth[p] = w;
        if (out->normal) out->normal[p] = (TarnVec3){ v, w, v };
        if (out->velocity) out->velocity[p] = (TarnVec3){ w, v, w };
    }
}

static float any_sign(float lo, float hi)
{
    float v = scale(lo, hi);
    return pick(2) ? v : -v;
}

static void any_numbers_are_survived(void** state)
{
    (void)state;
    enum { CELLS = 16, LEVELS = 16 };
    TarnHeightMesh* heights = make(ctx, CELLS, LEVELS);
    TarnMesh mesh = make_buffers(CELLS, LEVELS);
    random_at = 9;
    int n_triangles = 0;
    for (int trial = 0; trial < 60; ++trial) {
        TarnHeightMeshSource s = tarn_height_mesh_default_source();
        s.cell = scale(1e-3f, 1e4f);
        s.min = (TarnVec2){ any_sign(1e-3f, 5e6f), any_sign(1e-3f, 5e6f) };
        s.max = (TarnVec2){ s.min.x + scale(2.0f * s.cell + 2.0f, 4e6f),
                            s.min.y + scale(2.0f * s.cell + 2.0f, 4e6f) };
        s.anchor = (TarnVec2){ any_sign(1e-3f, 1e7f), any_sign(1e-3f, 1e7f) };
        s.camera =
            (TarnVec3){ any_sign(1e-3f, 1e9f), any_sign(1e-3f, 1e9f), any_sign(1e-3f, 1e9f) };
        s.altitude_weight = uniform(0.0f, 10.0f) * (float)pick(2);
        s.has_shore = pick(4) > 0;
        s.dry_depth = pick(2) ? 0.0f : scale(1e-6f, 1e3f);
        s.skirt = pick(2) ? 0.0f : scale(1e-6f, 1e5f);
        float salt = uniform(0.0f, 1.0f);
        s.surface = (TarnSurface){ .self = &salt, .query = wild_query };
        assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
        int n_bad = 0;
        for (int v = 0; v < mesh.n_vertices; ++v) {
            n_bad += !tarn__is_finite3(mesh.position[v]) || !tarn__is_finite3(mesh.normal[v]);
            n_bad += !tarn__is_finite3(mesh.velocity[v]) ||
                     !tarn__is_finite(depth_of(&mesh, (uint32_t)v));
        }
        for (int t = 0; t < 3 * mesh.n_triangles; ++t)
            n_bad += mesh.index[t] >= (uint32_t)mesh.n_vertices;
        TarnMeshStats stats;
        assert_ok(tarn_mesh_stats(ctx, &mesh, &stats));
        assert_int_equal(n_bad + stats.crowded_edges + stats.flipped_edges + stats.degenerate, 0);
        n_triangles += mesh.n_triangles;
    }
    assert_true(n_triangles > 10000);
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
}

// ---- Bits, memory, bad input ---------------------------------------------------------------------

static uint64_t hash_with(int workers, TarnIsa isa)
{
    TarnContext* own = make_context(workers, isa);
    if (own == NULL) return 0;
    TarnWaveDef def = small_def();
    TarnWave* wave = make_wave(own, def, GROUND_BED);
    assert_ok(tarn_wave_add_drop(wave, (TarnVec2){ 2.0f, 1.0f }, 0.3f, 0.1f));
    steps(wave, 10);
    TarnHeightMesh* heights = make(own, 64, 3);
    TarnMesh mesh = make_buffers(64, 3);
    TarnHeightMeshSource s = tarn_height_mesh_source_of_wave(wave);
    s.camera = (TarnVec3){ 1.7f, 0.5f, 0.9f };
    s.cell = 0.5f * def.dx;
    s.skirt = 0.3f;
    uint64_t hash = 0;
    for (int n = 0; n < 3; ++n) {
        s.camera.x += 0.3f;
        assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
        assert_true(mesh.n_triangles > 5000);
        hash ^= tarn_mesh_hash(&mesh) * (uint64_t)(2 * n + 1);
    }
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
    tarn_wave_destroy(wave);
    tarn_context_destroy(own);
    return hash;
}

static void same_bits_for_any_workers(void** state)
{
    (void)state;
    uint64_t hash = hash_with(1, TARN_ISA_BASELINE);
    assert_true(hash == hash_with(2, TARN_ISA_BASELINE) && hash == hash_with(3, TARN_ISA_AUTO));
    assert_true(hash == hash_with(8, TARN_ISA_AUTO));
    for (int isa = TARN_ISA_AVX2; isa < TARN_ISA_COUNT; ++isa) {
        uint64_t wide = hash_with(2, (TarnIsa)isa);
        assert_true(wide == 0 || wide == hash);
    }
}

static void too_little_room_loses_nothing(void** state)
{
    (void)state;
    TarnHeightMesh* heights = make(ctx, 32, 3);
    TarnMesh mesh = make_buffers(32, 3);
    Lake lake = { .island = 6.0f, .middle = { 20.0f, 20.0f } };
    TarnHeightMeshSource s = source_of_lake(&lake, 40.0f, 0.5f);
    s.camera = (TarnVec3){ 15.0f, 1.0f, 20.0f };
    s.skirt = 1.0f;
    int calls = memory.calls;
    assert_ok(tarn_height_mesh_run(heights, &s, &mesh));
    assert_int_equal(memory.calls, calls);
    TarnMesh small = mesh;
    uint64_t hash = tarn_mesh_hash(&mesh);
    for (int n = 0; n < 3; ++n) {
        small.max_vertices = n == 0 ? mesh.n_vertices - 1 : n == 1 ? mesh.n_vertices : 0;
        small.max_triangles = n == 1 ? mesh.n_triangles - 1 : n == 0 ? mesh.n_triangles : 0;
        assert_result(tarn_height_mesh_run(heights, &s, &small), TARN_ERR_CAPACITY, "enlarge");
        assert_int_equal(small.n_vertices, mesh.n_vertices);
        assert_int_equal(small.n_triangles, mesh.n_triangles);
        assert_true(tarn_mesh_hash(&mesh) == hash); // the buffers, too
    }
    small.max_vertices = mesh.n_vertices, small.max_triangles = mesh.n_triangles;
    assert_ok(tarn_height_mesh_run(heights, &s, &small));
    // Without buffers nothing is written.
    TarnMesh none = { .max_vertices = 1 << 20, .max_triangles = 1 << 20 };
    assert_ok(tarn_height_mesh_run(heights, &s, &none));
    assert_int_equal(none.n_triangles, mesh.n_triangles);
    drop_buffers(&mesh);
    tarn_height_mesh_destroy(heights);
}

static void memory_is_what_was_said(void** state)
{
    (void)state;
    TarnHeightMeshDef def = tarn_height_mesh_default_def();
    size_t before = memory.bytes;
    TarnHeightMesh* heights;
    assert_ok(tarn_height_mesh_create(ctx, &def, &heights));
    assert_true(memory.bytes - before == tarn_height_mesh_memory(&def));
    tarn_height_mesh_destroy(heights);
    tarn_height_mesh_destroy(NULL);
    memory.fail_at = memory.calls + 1;
    assert_result(tarn_height_mesh_create(ctx, &def, &heights), TARN_ERR_MEMORY, "fewer cells");
    assert_null(heights);
    memory.fail_at = 0;
    def.cells = 18;
    assert_result(tarn_height_mesh_create(ctx, &def, &heights), TARN_ERR_ARG, "multiple of 4");
    def.cells = 12;
    assert_result(tarn_height_mesh_create(ctx, &def, &heights), TARN_ERR_ARG, "cells");
    assert_true(tarn_height_mesh_memory(&def) == 0);
    int most[2] = { 1, 1 };
    tarn_height_mesh_max_size(&def, &most[0], &most[1]);
    assert_true(most[0] == 0 && most[1] == 0);
    def = tarn_height_mesh_default_def();
    def.cookie = 0;
    assert_result(tarn_height_mesh_create(ctx, &def, &heights), TARN_ERR_ARG, "default_def");
    assert_result(tarn_height_mesh_create(ctx, NULL, &heights), TARN_ERR_ARG, "default_def");
    assert_int_equal(tarn_height_mesh_create(NULL, &def, &heights), TARN_ERR_ARG);
}

static void bad_sources_are_refused(void** state)
{
    (void)state;
    TarnHeightMesh* heights = make(ctx, 16, 2);
    TarnMesh mesh = { .n_vertices = 5, .n_triangles = 7 };
    Lake lake = { .wave = 0.1f };
    const TarnHeightMeshSource good = source_of_lake(&lake, 8.0f, 0.5f);
    TarnHeightMeshSource s = good;
    const TarnParamTable* table = tarn_height_mesh_source_table();
    const double bad[] = { NAN, INFINITY, -INFINITY, 1e30 };
    for (int p = 0; p < table->count; ++p) {
        if (table->params[p].type == TARN_PARAM_BOOL) continue;
        for (size_t b = 0; b < sizeof bad / sizeof bad[0]; ++b) {
            s = good;
            poke(&table->params[p], &s, 0, bad[b]);
            assert_result(tarn_height_mesh_run(heights, &s, &mesh), TARN_ERR_ARG,
                          table->params[p].name);
        }
    }
    s = good, s.cookie = 0;
    assert_result(tarn_height_mesh_run(heights, &s, &mesh), TARN_ERR_ARG, "default_source");
    s = good, s.surface.query = NULL;
    assert_result(tarn_height_mesh_run(heights, &s, &mesh), TARN_ERR_ARG, "surface");
    s = good, s.max.x = s.min.x;
    assert_result(tarn_height_mesh_run(heights, &s, &mesh), TARN_ERR_ARG, "rectangle");
    s = good, s.foam = (TarnView2){ &s.cell, 4, 4, 3 };
    assert_result(tarn_height_mesh_run(heights, &s, &mesh), TARN_ERR_ARG, "foam");
    s = good;
    assert_result(tarn_height_mesh_run(heights, &s, NULL), TARN_ERR_ARG, "mesh");
    mesh.max_vertices = -1;
    assert_result(tarn_height_mesh_run(heights, &s, &mesh), TARN_ERR_ARG, "negative");
    assert_int_equal(tarn_height_mesh_run(NULL, &s, &mesh), TARN_ERR_ARG);
    assert_true(mesh.n_vertices == 5 && mesh.n_triangles == 7);
    tarn_height_mesh_destroy(heights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(any_camera_over_any_rectangle),   TEST(a_basin_is_covered_exactly),
        TEST(all_vertices_lie_on_the_surface), TEST(what_floats_lies_on_what_is_drawn),
        TEST(no_pops_when_rings_take_steps),   TEST(no_pops_on_a_long_way),
        TEST(no_pops_when_rings_vanish),       TEST(any_numbers_are_survived),
        TEST(same_bits_for_any_workers),       TEST(too_little_room_loses_nothing),
        TEST(memory_is_what_was_said),         TEST(bad_sources_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
