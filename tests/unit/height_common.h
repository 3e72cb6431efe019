// What the tests of height-field meshes share: surfaces of a host, buffers, and what a mesh must be. Include it
// first.
#pragma once

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

static inline float lake_height(const Lake* lake, float x, float z)
{
    return lake->wave * sinf(0.31f * x + 0.2f) * cosf(0.23f * z);
}
static inline float lake_depth(const Lake* lake, float x, float z)
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
static inline void lake_query(const void* self, int n, const float* x, const float* z,
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

static inline TarnHeightMeshSource source_of_lake(const Lake* lake, float width, float cell)
{
    TarnHeightMeshSource source = tarn_height_mesh_default_source();
    source.surface = (TarnSurface){ .self = lake, .query = lake_query };
    source.min = (TarnVec2){ 0.0f, 0.0f };
    source.max = (TarnVec2){ width, width };
    source.cell = cell;
    return source;
}

// ---- Meshes --------------------------------------------------------------------------------------

enum { ATTRIBUTES = 3 }; // one more than there are

static inline TarnHeightMesh* make(TarnContext* where, int cells, int levels)
{
    TarnHeightMeshDef def = tarn_height_mesh_default_def();
    def.cells = cells, def.levels = levels;
    TarnHeightMesh* made;
    assert_ok(tarn_height_mesh_create(where, &def, &made));
    return made;
}

static inline TarnMesh make_buffers(int cells, int levels)
{
    TarnHeightMeshDef def = tarn_height_mesh_default_def();
    def.cells = cells, def.levels = levels;
    TarnMesh mesh = { .n_attributes = ATTRIBUTES };
    tarn_height_mesh_max_size(&def, &mesh.max_vertices, &mesh.max_triangles);
    assert_true(mesh.max_vertices > 0 && mesh.max_triangles > 0);
    size_t n = (size_t)mesh.max_vertices;
    mesh.position = malloc(n * sizeof *mesh.position);
    mesh.normal = malloc(n * sizeof *mesh.normal);
    mesh.velocity = malloc(n * sizeof *mesh.velocity);
    mesh.attribute = malloc(n * ATTRIBUTES * sizeof *mesh.attribute);
    mesh.index = malloc((size_t)mesh.max_triangles * 3 * sizeof *mesh.index);
    return mesh;
}
static inline void drop_buffers(TarnMesh* mesh)
{
    free(mesh->position);
    free(mesh->normal);
    free(mesh->velocity);
    free(mesh->attribute);
    free(mesh->index);
}

static inline float depth_of(const TarnMesh* mesh, uint32_t v)
{
    return mesh->attribute[v * ATTRIBUTES + TARN_HEIGHT_MESH_DEPTH];
}

// Area seen from above; negative: the triangle faces down.
static inline double plan_area(const TarnMesh* mesh, int t)
{
    const uint32_t* i = mesh->index + 3 * (size_t)t;
    const TarnVec3 *a = &mesh->position[i[0]], *b = &mesh->position[i[1]],
                   *c = &mesh->position[i[2]];
    double ux = (double)b->x - (double)a->x, uz = (double)b->z - (double)a->z;
    double vx = (double)c->x - (double)a->x, vz = (double)c->z - (double)a->z;
    return 0.5 * (uz * vx - ux * vz);
}
static inline double total_area(const TarnMesh* mesh)
{
    double sum = 0.0;
    for (int t = 0; t < mesh->n_triangles; ++t) sum += plan_area(mesh, t);
    return sum;
}

typedef struct Edge {
    uint32_t low, high;
} Edge;

static inline int by_ends(const void* a, const void* b)
{
    const Edge *e = a, *f = b;
    if (e->low != f->low) return e->low < f->low ? -1 : 1;
    return (e->high > f->high) - (e->high < f->high);
}

// Edges of one triangle only.
static inline Edge* open_edges(const TarnMesh* mesh, int* n_open)
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

static inline bool is_outline(const TarnHeightMeshSource* s, TarnVec3 a, TarnVec3 b)
{
    return (a.x == s->min.x && b.x == s->min.x) || (a.x == s->max.x && b.x == s->max.x) ||
           (a.z == s->min.y && b.z == s->min.y) || (a.z == s->max.y && b.z == s->max.y);
}

// Far enough from the camera to be the rim of the last ring, and on one line along an axis.
static inline bool is_reach(const TarnHeightMeshSource* s, int cells, int levels, TarnVec3 a,
                            TarnVec3 b)
{
    double size = (double)s->cell * (double)(1 << (levels - 1)), x = (double)s->camera.x;
    double z = (double)s->camera.z, half = 0.5 * cells * size;
    x = x < (double)s->min.x ? (double)s->min.x : x > (double)s->max.x ? (double)s->max.x : x;
    z = z < (double)s->min.y ? (double)s->min.y : z > (double)s->max.y ? (double)s->max.y : z;
    bool is_x = a.x == b.x && fabs((double)a.x - x) >= half - 1.01 * size;
    return is_x || (a.z == b.z && fabs((double)a.z - z) >= half - 1.01 * size);
}

// Away from the shore no triangle is only a line, seen from above: that would be a crack, filled.
static inline bool is_line(const TarnMesh* mesh, int t)
{
    const uint32_t* i = mesh->index + 3 * (size_t)t;
    double longest = 0.0;
    for (int j = 0; j < 3; ++j) {
        TarnVec3 a = mesh->position[i[j]], b = mesh->position[i[(j + 1) % 3]];
        double x = (double)a.x - (double)b.x, z = (double)a.z - (double)b.z;
        longest = fmax(longest, x * x + z * z);
        if (depth_of(mesh, i[j]) == 0.0f) return false;
    }
    return longest > 0.0 && plan_area(mesh, t) < 1e-7 * longest;
}

// Orientation, neighbors, and open edges only where the water ends. The area that is covered.
static inline double check_surface(const TarnHeightMeshSource* s, int cells, int levels,
                                   const TarnMesh* mesh)
{
    TarnMeshStats stats;
    assert_ok(tarn_mesh_stats(ctx, mesh, &stats));
    assert_int_equal(stats.crowded_edges, 0);
    assert_int_equal(stats.flipped_edges, 0);
    assert_int_equal(stats.degenerate, 0);
    double hair = 1e-6 * (double)s->cell * (double)s->cell;
    int n_down = 0, n_odd = 0, n_open, n_lines = 0;
    for (int t = 0; t < mesh->n_triangles; ++t) {
        n_down += plan_area(mesh, t) < -hair;
        n_lines += is_line(mesh, t);
    }
    assert_int_equal(n_down, 0);
    assert_int_equal(n_lines, 0);
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
static inline double covered_area(const TarnHeightMeshSource* s, int cells, int levels)
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

// Height of the mesh under a point; false: there is none.
static inline bool height_under(const TarnMesh* mesh, double x, double z, double* y)
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
