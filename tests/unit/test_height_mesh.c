// Height-field meshes: rings without cracks, cameras anywhere, shores, skirts, no pops, what comes from outside.

#include "test_common.h"
#include "base/maths.h"

// ---- Surfaces of a host --------------------------------------------------------------------------

typedef struct Lake {
    float wave;      // amplitude [m]
    float island;    // radius of a cone in the middle [m]; 0: none
    float beach;     // the shore of a tilted beach lies at this x [m]; 0: none
    float hole;      // radius around the middle in which nothing is a number [m]; 0: none
    TarnVec2 middle; // of the island
    float speckle;   // share of places that are dry, at random [-]
} Lake;

static float lake_height(const Lake* lake, float x, float z)
{
    return lake->wave * sinf(0.31f * x + 0.2f) * cosf(0.23f * z);
}
static float lake_depth(const Lake* lake, float x, float z)
{
    float depth = 3.0f, dx = x - lake->middle.x, dz = z - lake->middle.y;
    if (lake->island > 0.0f) depth = 0.3f * (sqrtf(dx * dx + dz * dz) - lake->island);
    if (lake->beach > 0.0f) depth = 0.1f * (lake->beach - x);
    if (lake->speckle > 0.0f) {
        int32_t at[2] = { (int32_t)floorf(7.3f * x), (int32_t)floorf(7.3f * z) };
        uint64_t key = tarn_hash(at, sizeof at, 5);
        if ((float)(key >> 40) * 0x1p-24f < lake->speckle) depth = 0.0f;
    }
    return depth > 0.0f ? depth : 0.0f;
}
static void lake_query(const void* self, int n, const float* x, const float* z,
                       const TarnSurfaceSamples* out)
{
    const Lake* lake = self;
    for (int p = 0; p < n; ++p) {
        float dx = x[p] - lake->middle.x, dz = z[p] - lake->middle.y;
        bool is_bad = lake->hole > 0.0f && dx * dx + dz * dz < lake->hole * lake->hole;
        if (out->height) out->height[p] = is_bad ? NAN : lake_height(lake, x[p], z[p]);
        if (out->depth) out->depth[p] = is_bad ? NAN : lake_depth(lake, x[p], z[p]);
        if (out->normal) out->normal[p] = (TarnVec3){ 0.0f, is_bad ? NAN : 1.0f, 0.0f };
        if (out->velocity) out->velocity[p] = (TarnVec3){ x[p], is_bad ? INFINITY : 0.0f, z[p] };
    }
}

static TarnHeightMeshSource source_of_lake(const Lake* lake, float width, float cell)
{
    TarnHeightMeshSource source = tarn_height_mesh_default_source();
    source.surface = (TarnSurface){ lake, lake_query };
    source.min = (TarnVec2){ 0.0f, 0.0f };
    source.max = (TarnVec2){ width, width };
    source.cell = cell;
    return source;
}

// ---- Meshes --------------------------------------------------------------------------------------

enum { ATTRIBUTES = 3 }; // one more than there are

static TarnHeightMesh* make(TarnContext* where, int cells, int levels)
{
    TarnHeightMeshDef def = tarn_height_mesh_default_def();
    def.cells = cells, def.levels = levels;
    TarnHeightMesh* made;
    assert_ok(tarn_height_mesh_create(where, &def, &made));
    return made;
}

static TarnMesh make_buffers(int cells, int levels)
{
    TarnHeightMeshDef def = tarn_height_mesh_default_def();
    def.cells = cells, def.levels = levels;
    TarnMesh mesh = { .n_attributes = ATTRIBUTES };
    tarn_height_mesh_most(&def, &mesh.max_vertices, &mesh.max_triangles);
    assert_true(mesh.max_vertices > 0 && mesh.max_triangles > 0);
    size_t n = (size_t)mesh.max_vertices;
    mesh.position = malloc(n * sizeof *mesh.position);
    mesh.normal = malloc(n * sizeof *mesh.normal);
    mesh.velocity = malloc(n * sizeof *mesh.velocity);
    mesh.attribute = malloc(n * ATTRIBUTES * sizeof *mesh.attribute);
    mesh.index = malloc((size_t)mesh.max_triangles * 3 * sizeof *mesh.index);
    return mesh;
}
static void drop_buffers(TarnMesh* mesh)
{
    free(mesh->position);
    free(mesh->normal);
    free(mesh->velocity);
    free(mesh->attribute);
    free(mesh->index);
}

static float depth_of(const TarnMesh* mesh, uint32_t v)
{
    return mesh->attribute[v * ATTRIBUTES + TARN_HEIGHT_MESH_DEPTH];
}

// Area seen from above; negative: the triangle faces down.
static double plan_area(const TarnMesh* mesh, int t)
{
    const uint32_t* i = mesh->index + 3 * (size_t)t;
    const TarnVec3 *a = &mesh->position[i[0]], *b = &mesh->position[i[1]],
                   *c = &mesh->position[i[2]];
    double ux = (double)b->x - (double)a->x, uz = (double)b->z - (double)a->z;
    double vx = (double)c->x - (double)a->x, vz = (double)c->z - (double)a->z;
    return 0.5 * (uz * vx - ux * vz);
}
static double total_area(const TarnMesh* mesh)
{
    double sum = 0.0;
    for (int t = 0; t < mesh->n_triangles; ++t) sum += plan_area(mesh, t);
    return sum;
}

typedef struct Edge {
    uint32_t low, high;
} Edge;

static int by_ends(const void* a, const void* b)
{
    const Edge *e = a, *f = b;
    if (e->low != f->low) return e->low < f->low ? -1 : 1;
    return (e->high > f->high) - (e->high < f->high);
}

// Edges of one triangle only.
static Edge* open_edges(const TarnMesh* mesh, int* n_open)
{
    size_t n = 3 * (size_t)mesh->n_triangles, kept = 0;
    Edge* edges = malloc((n + 1) * sizeof *edges);
    for (size_t e = 0; e < n; ++e) {
        uint32_t a = mesh->index[e], b = mesh->index[e % 3 == 2 ? e - 2 : e + 1];
        edges[e] = (Edge){ a < b ? a : b, a < b ? b : a };
    }
    qsort(edges, n, sizeof *edges, by_ends);
    for (size_t e = 0, next; e < n; e = next) {
        for (next = e + 1; next < n && by_ends(&edges[e], &edges[next]) == 0; ++next) {}
        if (next == e + 1) edges[kept++] = edges[e];
    }
    *n_open = (int)kept;
    return edges;
}

static bool is_outline(const TarnHeightMeshSource* s, TarnVec3 a, TarnVec3 b)
{
    return (a.x == s->min.x && b.x == s->min.x) || (a.x == s->max.x && b.x == s->max.x) ||
           (a.z == s->min.y && b.z == s->min.y) || (a.z == s->max.y && b.z == s->max.y);
}

// Far enough from the camera to be the rim of the last ring, and on one line along an axis.
static bool is_reach(const TarnHeightMeshSource* s, int cells, int levels, TarnVec3 a, TarnVec3 b)
{
    double size = (double)s->cell * (double)(1 << (levels - 1)), x = (double)s->camera.x;
    double z = (double)s->camera.z, half = 0.5 * cells * size;
    x = x < (double)s->min.x ? (double)s->min.x : x > (double)s->max.x ? (double)s->max.x : x;
    z = z < (double)s->min.y ? (double)s->min.y : z > (double)s->max.y ? (double)s->max.y : z;
    bool is_x = a.x == b.x && fabs((double)a.x - x) >= half - 1.01 * size;
    return is_x || (a.z == b.z && fabs((double)a.z - z) >= half - 1.01 * size);
}

// Orientation, neighbors, and open edges only where the water ends. The area that is covered.
static double check_surface(const TarnHeightMeshSource* s, int cells, int levels,
                            const TarnMesh* mesh)
{
    TarnMeshStats stats;
    assert_ok(tarn_mesh_stats(ctx, mesh, &stats));
    assert_int_equal(stats.crowded_edges, 0);
    assert_int_equal(stats.flipped_edges, 0);
    assert_int_equal(stats.degenerate, 0);
    double hair = 1e-6 * (double)s->cell * (double)s->cell;
    int n_down = 0, n_odd = 0, n_open;
    for (int t = 0; t < mesh->n_triangles; ++t) n_down += plan_area(mesh, t) < -hair;
    assert_int_equal(n_down, 0);
    Edge* edges = open_edges(mesh, &n_open);
    for (int e = 0; e < n_open; ++e) {
        TarnVec3 a = mesh->position[edges[e].low], b = mesh->position[edges[e].high];
        bool is_shore =
            depth_of(mesh, edges[e].low) == 0.0f && depth_of(mesh, edges[e].high) == 0.0f;
        bool is_end = is_outline(s, a, b) || is_reach(s, cells, levels, a, b);
        if (!is_end && !is_shore && n_odd++ == 0)
            print_error("open edge from %g, %g to %g, %g\n", (double)a.x, (double)a.z, (double)b.x,
                        (double)b.z);
    }
    free(edges);
    assert_int_equal(n_odd, 0);
    return total_area(mesh);
}

// Of the rectangle and the square of the last ring.
static double covered_area(const TarnHeightMeshSource* s, int cells, int levels)
{
    double size = (double)s->cell * (double)(1 << (levels - 1)), half = 0.5 * cells * size;
    double eye[2] = { (double)s->camera.x, (double)s->camera.z }, area = 1.0;
    double lo[2] = { (double)s->min.x, (double)s->min.y },
           hi[2] = { (double)s->max.x, (double)s->max.y };
    double anchor[2] = { (double)s->anchor.x, (double)s->anchor.y };
    for (int a = 0; a < 2; ++a) {
        double e = eye[a] < lo[a] ? lo[a] : eye[a] > hi[a] ? hi[a] : eye[a];
        double middle = anchor[a] + 2.0 * size * floor((e - anchor[a]) / (2.0 * size) + 0.5);
        double from = middle - half > lo[a] ? middle - half : lo[a];
        double to = middle + half < hi[a] ? middle + half : hi[a];
        area *= to - from;
    }
    return area;
}

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

// Height of the mesh under a point; false: there is none.
static bool height_under(const TarnMesh* mesh, double x, double z, double* y)
{
    for (int t = 0; t < mesh->n_triangles; ++t) {
        const uint32_t* i = mesh->index + 3 * (size_t)t;
        double w[3], px[3], pz[3], py[3], sum = 0.0;
        for (int j = 0; j < 3; ++j) {
            px[j] = (double)mesh->position[i[j]].x - x, pz[j] = (double)mesh->position[i[j]].z - z;
            py[j] = (double)mesh->position[i[j]].y;
        }
        for (int j = 0; j < 3; ++j) {
            int a = (j + 1) % 3, b = (j + 2) % 3;
            w[j] = pz[a] * px[b] - px[a] * pz[b];
            sum += w[j];
        }
        if (!(sum > 0.0) || w[0] < 0.0 || w[1] < 0.0 || w[2] < 0.0) continue;
        *y = (w[0] * py[0] + w[1] * py[1] + w[2] * py[2]) / sum;
        return true;
    }
    return false;
}

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
        float reach = (0.7f * 32.0f - 2.0f) * def.dx; // beyond nodes may glide
        float x = tarn_clampf(s.camera.x + uniform(-reach, reach), s.min.x, s.max.x);
        float z = tarn_clampf(s.camera.z + uniform(-reach, reach), s.min.y, s.max.y);
        double y;
        assert_true(height_under(&mesh, (double)x, (double)z, &y));
        double off = fabs(y - (double)tarn_surface_height(s.surface, x, z));
        worst = off > worst ? off : worst;
    }
    if (worst > 1e-6) print_error("%g m off\n", worst);
    assert_true(worst <= 1e-6);
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
        double y;
        assert_true(height_under(mesh, probes->x[n], probes->z[n], &y));
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
    Lake lake = { .wave = 1.0f };
    TarnHeightMeshSource s = source_of_lake(&lake, 61.3f, 0.5f);
    s.anchor = (TarnVec2){ 0.2f, 0.1f };
    random_at = 3;
    Probes probes = spread_probes(61.3f);
    double worst = 0.0, glide = 0.0;
    for (int l = 0; l < LEVELS; ++l) {
        float size = 0.5f * (float)(1 << l);
        for (int n = 0; n < 5; ++n) {
            float at = s.anchor.x + (2.0f * (float)pick((int)(20.0f / size) + 1) + 1.0f) * size;
            bool is_x = pick(2);
            s.camera = (TarnVec3){ uniform(5.0f, 55.0f), 1.0f, uniform(5.0f, 55.0f) };
            *(is_x ? &s.camera.x : &s.camera.z) = at - 1e-4f;
            look(heights, &s, &mesh, &probes);
            *(is_x ? &s.camera.x : &s.camera.z) = at + 1e-4f;
            double moved = look(heights, &s, &mesh, &probes);
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
    uint64_t hash = hash_with(1, TARN_ISA_BASELINE), avx2 = hash_with(2, TARN_ISA_AVX2);
    assert_true(hash == hash_with(2, TARN_ISA_BASELINE) && hash == hash_with(3, TARN_ISA_AUTO));
    assert_true(hash == hash_with(8, TARN_ISA_AUTO) && (avx2 == 0 || avx2 == hash));
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
    tarn_height_mesh_most(&def, &most[0], &most[1]);
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
    assert_result(tarn_height_mesh_run(heights, &s, &mesh), TARN_ERR_ARG, "below 0");
    assert_int_equal(tarn_height_mesh_run(NULL, &s, &mesh), TARN_ERR_ARG);
    assert_true(mesh.n_vertices == 5 && mesh.n_triangles == 7);
    tarn_height_mesh_destroy(heights);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(any_camera_over_any_rectangle),
        TEST(a_basin_is_covered_exactly),
        TEST(all_vertices_lie_on_the_surface),
        TEST(what_floats_lies_on_what_is_drawn),
        TEST(no_pops_when_rings_take_steps),
        TEST(no_pops_on_a_long_way),
        TEST(an_island_is_round),
        TEST(a_beach_is_straight),
        TEST(the_shore_of_a_solver_is_met),
        TEST(any_shore_holds_together),
        TEST(what_is_not_a_number_is_land),
        TEST(skirts_hang_all_around),
        TEST(foam_is_bilinear),
        TEST(sources_of_solvers),
        TEST(same_bits_for_any_workers),
        TEST(too_little_room_loses_nothing),
        TEST(memory_is_what_was_said),
        TEST(bad_sources_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
