// Properties of a mesh: area, volume, edges, parts; for tests, checks and hosts.

#include "mesh/mesh_check.h"
#include "base/maths.h"
#include <math.h>
#include <stdlib.h>

static TarnVec3 minus(TarnVec3 a, TarnVec3 b)
{
    return (TarnVec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

// Twice the area of a triangle, and six times the volume of the tetrahedron it spans with the origin.
static void measure(TarnVec3 a, TarnVec3 b, TarnVec3 c, double* area2, double* volume6)
{
    double ux = (double)b.x - a.x, uy = (double)b.y - a.y, uz = (double)b.z - a.z;
    double vx = (double)c.x - a.x, vy = (double)c.y - a.y, vz = (double)c.z - a.z;
    double nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    *area2 = sqrt(nx * nx + ny * ny + nz * nz);
    *volume6 = nx * a.x + ny * a.y + nz * a.z;
}

// The angle between two sides, by its tangent.
static double angle(TarnVec3 u, TarnVec3 v)
{
    double x = (double)u.y * v.z - (double)u.z * v.y, y = (double)u.z * v.x - (double)u.x * v.z;
    double z = (double)u.x * v.y - (double)u.y * v.x;
    double along = (double)u.x * v.x + (double)u.y * v.y + (double)u.z * v.z;
    return (double)tarn_atan2((float)sqrt(x * x + y * y + z * z), (float)along);
}

static void measure_all(const TarnMesh* mesh, TarnMeshStats* out)
{
    double area2 = 0, volume6 = 0, least = 4;
    for (int t = 0; t < mesh->n_triangles; ++t) {
        const uint32_t* i = mesh->index + 3 * (size_t)t;
        TarnVec3 p[3] = { mesh->position[i[0]], mesh->position[i[1]], mesh->position[i[2]] };
        double a, v;
        measure(p[0], p[1], p[2], &a, &v);
        area2 += a;
        volume6 += v;
        out->degenerate += i[0] == i[1] || i[1] == i[2] || i[2] == i[0];
        for (int c = 0; c < 3; ++c) {
            double at = angle(minus(p[(c + 1) % 3], p[c]), minus(p[(c + 2) % 3], p[c]));
            if (at < least) least = at;
        }
    }
    out->area = 0.5 * area2;
    out->volume = volume6 / 6.0;
    out->min_angle = mesh->n_triangles > 0 ? least : 0;
}

static int compare_edges(const void* a, const void* b)
{
    const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

// Low vertex, high vertex, direction: 31 + 31 + 1 bits, so that equal edges sort side by side.
static void list_edges(const TarnMesh* mesh, uint64_t* edges)
{
    size_t n = 3 * (size_t)mesh->n_triangles;
    for (size_t e = 0; e < n; ++e) {
        uint32_t a = mesh->index[e], b = mesh->index[e % 3 == 2 ? e - 2 : e + 1];
        uint64_t low = a < b ? a : b, high = a < b ? b : a;
        edges[e] = low << 32 | high << 1 | (a < b ? 1u : 0u);
    }
    qsort(edges, n, sizeof *edges, compare_edges);
}

static void count_edges(const uint64_t* edges, size_t n, TarnMeshStats* out)
{
    for (size_t first = 0, last; first < n; first = last) {
        for (last = first + 1; last < n && edges[last] >> 1 == edges[first] >> 1; ++last) {}
        ++out->edges;
        if (last - first == 1)
            ++out->open_edges;
        else if (last - first > 2)
            ++out->crowded_edges;
        else if (edges[first] == edges[first + 1])
            ++out->flipped_edges;
    }
}

static uint32_t root_of(uint32_t* parent, uint32_t i)
{
    while (parent[i] != i) {
        parent[i] = parent[parent[i]];
        i = parent[i];
    }
    return i;
}

// Vertices that triangles use, and the sets of them that triangles connect.
static int count_parts(const TarnMesh* mesh, uint32_t* parent, TarnMeshStats* out)
{
    const uint32_t unused = UINT32_MAX;
    size_t n = 3 * (size_t)mesh->n_triangles;
    for (int v = 0; v < mesh->n_vertices; ++v) parent[v] = unused;
    for (size_t e = 0; e < n; ++e) parent[mesh->index[e]] = mesh->index[e];
    for (size_t e = 0; e < n; ++e) {
        uint32_t a = root_of(parent, mesh->index[e - e % 3]), b = root_of(parent, mesh->index[e]);
        parent[a > b ? a : b] = a > b ? b : a;
    }
    int used = 0;
    for (int v = 0; v < mesh->n_vertices; ++v) {
        used += parent[v] != unused;
        out->parts += parent[v] == (uint32_t)v;
    }
    return used;
}

TarnResult tarn__mesh_check(TarnContext* ctx, const TarnMesh* mesh)
{
    if (mesh->n_vertices < 0 || mesh->n_triangles < 0)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "mesh: %d vertices and %d triangles; neither may be negative",
                          mesh->n_vertices, mesh->n_triangles);
    if (mesh->n_triangles > 0 && (!mesh->position || !mesh->index))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "mesh: position or index is NULL, but there are triangles");
    for (size_t e = 0; e < 3 * (size_t)mesh->n_triangles; ++e) {
        if (mesh->index[e] >= (uint32_t)mesh->n_vertices)
            return tarn__fail(
                ctx, TARN_ERR_DATA,
                "mesh: triangle %zu refers to vertex %u, but there are %d vertices, counted from 0",
                e / 3, mesh->index[e], mesh->n_vertices);
    }
    return TARN_OK;
}

TarnResult tarn__mesh_accepts(TarnContext* ctx, const char* who, const TarnMesh* mesh)
{
    if (!mesh) return tarn__fail(ctx, TARN_ERR_ARG, "%s: mesh is NULL", who);
    if (mesh->max_vertices < 0 || mesh->max_triangles < 0 || mesh->n_attributes < 0)
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "%s: mesh.max_vertices is %d, max_triangles %d, n_attributes %d; none may be negative",
            who, mesh->max_vertices, mesh->max_triangles, mesh->n_attributes);
    return TARN_OK;
}

TarnResult tarn__mesh_room(TarnContext* ctx, const char* who, TarnMesh* mesh, int n_vertices,
                           int n_triangles)
{
    bool has_vertices = mesh->position || mesh->normal || mesh->velocity || mesh->attribute;
    mesh->n_vertices = n_vertices;
    mesh->n_triangles = n_triangles;
    if ((!has_vertices || n_vertices <= mesh->max_vertices) &&
        (!mesh->index || n_triangles <= mesh->max_triangles))
        return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_CAPACITY,
                      "%s: %d vertices and %d triangles, but the mesh has room for %d and %d; "
                      "enlarge its buffers",
                      who, n_vertices, n_triangles, mesh->max_vertices, mesh->max_triangles);
}

TarnResult tarn_mesh_stats(TarnContext* ctx, const TarnMesh* mesh, TarnMeshStats* out)
{
    if (!mesh || !out) return tarn__fail(ctx, TARN_ERR_ARG, "mesh_stats: mesh or out is NULL");
    TARN_TRY(tarn__mesh_check(ctx, mesh));
    size_t n_edges = 3 * (size_t)mesh->n_triangles;
    TarnLayout layout = { 0 }; // edges may be too many for 32 bits where indices are not
    tarn__layout_place(&layout, NULL, n_edges + 1, sizeof(uint64_t));
    size_t bytes = layout.size;
    size_t parent_bytes = ((size_t)mesh->n_vertices + 1) * sizeof(uint32_t);
    uint64_t* edges = tarn__alloc(ctx, bytes);
    uint32_t* parent = tarn__alloc(ctx, parent_bytes);
    TarnResult result = TARN_OK;
    if (edges && parent) {
        *out = (TarnMeshStats){ 0 };
        measure_all(mesh, out);
        list_edges(mesh, edges);
        count_edges(edges, n_edges, out);
        out->euler = count_parts(mesh, parent, out) - out->edges + mesh->n_triangles;
    } else
        result =
            tarn__fail(ctx, TARN_ERR_MEMORY, "mesh_stats: out of memory for %zu edges", n_edges);
    tarn__free(ctx, edges, bytes);
    tarn__free(ctx, parent, parent_bytes);
    return result;
}

uint64_t tarn_mesh_hash(const TarnMesh* mesh)
{
    if (!mesh) return 0;
    size_t v = (size_t)mesh->n_vertices;
    const int counts[2] = { mesh->n_vertices, mesh->n_triangles };
    uint64_t hash = tarn_hash(counts, sizeof counts, 0);
    if (mesh->position) hash = tarn_hash(mesh->position, v * sizeof *mesh->position, hash);
    if (mesh->normal) hash = tarn_hash(mesh->normal, v * sizeof *mesh->normal, hash);
    if (mesh->velocity) hash = tarn_hash(mesh->velocity, v * sizeof *mesh->velocity, hash);
    if (mesh->attribute)
        hash = tarn_hash(mesh->attribute, v * (size_t)mesh->n_attributes * sizeof(float), hash);
    if (mesh->index)
        hash = tarn_hash(mesh->index, 3 * (size_t)mesh->n_triangles * sizeof *mesh->index, hash);
    return hash;
}
