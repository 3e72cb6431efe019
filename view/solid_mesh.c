// Meshes of solids that are no plain shapes: convex shapes face by face, distance grids and functions by surface nets,
// terrain as a grid, hollow spheres as a bowl.

#include "viewer.h"
#include <math.h>
#include <string.h>

enum { MAX_CORNERS = 72, NET_SIDE = 40, TERRAIN_SIDE = 160 };

// ---- A growing mesh --------------------------------------------------------------------------------

// A mesh that grows; once memory has run out, what follows is left out and the mesh is not used.
typedef struct Maker {
    TarnContext* ctx;
    SolidMesh* mesh;
    TarnResult result;
} Maker;

static int add_vertex(Maker* m, float x, float y, float z) // -1: no memory
{
    SolidMesh* to = m->mesh;
    TarnResult result = tarn_drawing_reserve(m->ctx, &to->vertices,
                                             ((size_t)to->n_vertices + 1) * sizeof(TarnVec3));
    if (result != TARN_OK) m->result = result;
    if (m->result != TARN_OK) return -1;
    ((TarnVec3*)to->vertices.data)[to->n_vertices] = (TarnVec3){ x, y, z };
    return to->n_vertices++;
}

static void add_triangle(Maker* m, int a, int b, int c)
{
    SolidMesh* to = m->mesh;
    if (a < 0 || b < 0 || c < 0) return;
    TarnResult result = tarn_drawing_reserve(m->ctx, &to->triangles,
                                             3 * ((size_t)to->n_triangles + 1) * sizeof(int));
    if (result != TARN_OK) m->result = result;
    if (m->result != TARN_OK) return;
    int* at = (int*)to->triangles.data + 3 * to->n_triangles++;
    at[0] = a, at[1] = b, at[2] = c;
}

// ---- Convex shapes -----------------------------------------------------------------------------------

typedef struct Corner {
    double x, y, z;
} Corner;

// Clips a face by a plane [Sutherland1974].
static int cut(Corner* face, int n, const TarnPlane* plane)
{
    Corner out[MAX_CORNERS];
    int count = 0;
    TarnVec3 p = plane->normal;
    for (int i = 0; i < n; ++i) {
        Corner a = face[i], b = face[(i + 1) % n];
        double da = p.x * a.x + p.y * a.y + p.z * a.z - (double)plane->offset;
        double db = p.x * b.x + p.y * b.y + p.z * b.z - (double)plane->offset;
        if (da <= 0.0 && count < MAX_CORNERS) out[count++] = a;
        if ((da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0)) {
            double t = da / (da - db);
            Corner c = { a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z) };
            if (count < MAX_CORNERS) out[count++] = c;
        }
    }
    memcpy(face, out, (size_t)count * sizeof *out);
    return count;
}

static void mesh_of_convex(Maker* m, const TarnSolidDef* def)
{
    const double far = 200.0; // an open shape ends there [m]
    for (int i = 0; i < def->shape.n_planes; ++i) {
        TarnVec3 p = def->shape.planes[i].normal;
        double l = sqrt((double)p.x * p.x + (double)p.y * p.y + (double)p.z * p.z);
        double nx = p.x / l, ny = p.y / l, nz = p.z / l, d = def->shape.planes[i].offset / l;
        bool is_up = fabs(ny) > 0.9;
        double ux = is_up ? 0.0 : nz, uy = is_up ? -nz : 0.0, uz = is_up ? ny : -nx;
        double ul = sqrt(ux * ux + uy * uy + uz * uz);
        ux /= ul, uy /= ul, uz /= ul;
        double vx = ny * uz - nz * uy, vy = nz * ux - nx * uz, vz = nx * uy - ny * ux;
        Corner face[MAX_CORNERS];
        int n = 4;
        for (int c = 0; c < 4; ++c) {
            double a = c == 0 || c == 3 ? -far : far, b = c < 2 ? -far : far;
            face[c] = (Corner){ nx * d + ux * a + vx * b, ny * d + uy * a + vy * b,
                                nz * d + uz * a + vz * b };
        }
        for (int j = 0; j < def->shape.n_planes && n >= 3; ++j)
            if (j != i) n = cut(face, n, &def->shape.planes[j]);
        int first = m->mesh->n_vertices;
        for (int c = 0; n >= 3 && c < n; ++c)
            add_vertex(m, (float)face[c].x, (float)face[c].y, (float)face[c].z);
        for (int c = 2; c < n; ++c) add_triangle(m, first, first + c - 1, first + c);
    }
}

// ---- Distances: surface nets -------------------------------------------------------------------------

typedef struct Net {
    int n[3];
    float dx;
    TarnVec3 origin;
    float* value; // at the nodes
    int* vertex;  // of the cells, -1: none
} Net;

static size_t node(const Net* net, int i, int j, int k)
{
    return (size_t)i + (size_t)net->n[0] * ((size_t)j + (size_t)net->n[1] * (size_t)k);
}

// The vertex of a cell: the mean of where its edges cross the surface.
static void net_vertex(Net* net, Maker* m, int i, int j, int k)
{
    float sum[3] = { 0 };
    int n = 0;
    for (int e = 0; e < 12; ++e) {
        int axis = e / 4, c[3];
        c[axis] = 0, c[(axis + 1) % 3] = e & 1, c[(axis + 2) % 3] = (e >> 1) & 1;
        float a = net->value[node(net, i + c[0], j + c[1], k + c[2])];
        float at[3] = { (float)c[0], (float)c[1], (float)c[2] };
        ++c[axis];
        float b = net->value[node(net, i + c[0], j + c[1], k + c[2])];
        if ((a < 0.0f) == (b < 0.0f)) continue;
        at[axis] += a / (a - b);
        for (int x = 0; x < 3; ++x) sum[x] += at[x];
        ++n;
    }
    if (n == 0) return;
    float s = net->dx / (float)n;
    net->vertex[node(net, i, j, k)] = add_vertex(m, net->origin.x + (float)i * net->dx + s * sum[0],
                                                 net->origin.y + (float)j * net->dx + s * sum[1],
                                                 net->origin.z + (float)k * net->dx + s * sum[2]);
}

// A quad between the four cells around an edge that crosses the surface.
static void net_quad(const Net* net, Maker* m, int axis, const int at[3])
{
    int to[3] = { at[0], at[1], at[2] }, u = (axis + 1) % 3, v = (axis + 2) % 3, q[4];
    ++to[axis];
    if (at[u] == 0 || at[v] == 0 || to[axis] >= net->n[axis]) return;
    bool is_in = net->value[node(net, at[0], at[1], at[2])] < 0.0f;
    if (is_in == (net->value[node(net, to[0], to[1], to[2])] < 0.0f)) return;
    for (int c = 0; c < 4; ++c) {
        int cell[3] = { at[0], at[1], at[2] };
        cell[u] -= c == 1 || c == 2 ? 0 : 1;
        cell[v] -= c >= 2 ? 0 : 1;
        q[c] = net->vertex[node(net, cell[0], cell[1], cell[2])];
    }
    add_triangle(m, q[0], q[is_in ? 1 : 2], q[is_in ? 2 : 1]);
    add_triangle(m, q[0], q[is_in ? 2 : 3], q[is_in ? 3 : 2]);
}

static void mesh_of_net(Net* net, Maker* m)
{
    for (int k = 0; k + 1 < net->n[2]; ++k)
        for (int j = 0; j + 1 < net->n[1]; ++j)
            for (int i = 0; i + 1 < net->n[0]; ++i) net_vertex(net, m, i, j, k);
    for (int k = 0; k + 1 < net->n[2]; ++k)
        for (int j = 0; j + 1 < net->n[1]; ++j)
            for (int i = 0; i + 1 < net->n[0]; ++i)
                for (int axis = 0; axis < 3; ++axis)
                    net_quad(net, m, axis, (const int[3]){ i, j, k });
}

static void fill_net(Net* net, const TarnSolidDef* def)
{
    bool is_grid = def->shape.kind == TARN_SHAPE_DISTANCE;
    for (int k = 0; k < net->n[2]; ++k)
        for (int j = 0; j < net->n[1]; ++j)
            for (int i = 0; i < net->n[0]; ++i) {
                TarnVec3 p = { net->origin.x + (float)i * net->dx,
                               net->origin.y + (float)j * net->dx,
                               net->origin.z + (float)k * net->dx };
                size_t at = (size_t)i +
                            (size_t)def->shape.nx * ((size_t)j + (size_t)def->shape.ny * (size_t)k);
                float d =
                    is_grid ? def->shape.distances[at] : def->shape.distance(p, def->shape.user);
                net->value[node(net, i, j, k)] = def->is_inside_out ? -d : d;
            }
}

static void mesh_of_distances(Maker* m, const TarnSolidDef* def)
{
    Net net = { .n = { def->shape.nx, def->shape.ny, def->shape.nz },
                .dx = def->shape.dx,
                .origin = def->shape.origin };
    if (def->shape.kind == TARN_SHAPE_FUNCTION) {
        net.n[0] = net.n[1] = net.n[2] = NET_SIDE;
        net.dx = 2.1f * def->shape.radius / (NET_SIDE - 1);
        float half = -1.05f * def->shape.radius;
        net.origin = (TarnVec3){ half, half, half };
    }
    size_t n = (size_t)net.n[0] * (size_t)net.n[1] * (size_t)net.n[2];
    net.value = tarn__alloc(m->ctx, n * sizeof *net.value);
    net.vertex = tarn__alloc(m->ctx, n * sizeof *net.vertex);
    if (net.value == NULL || net.vertex == NULL) {
        m->result = tarn__fail(m->ctx, TARN_ERR_MEMORY, "view: no memory for the mesh of a solid");
    } else {
        fill_net(&net, def);
        for (size_t c = 0; c < n; ++c) net.vertex[c] = -1;
        mesh_of_net(&net, m);
    }
    tarn__free(m->ctx, net.value, n * sizeof *net.value);
    tarn__free(m->ctx, net.vertex, n * sizeof *net.vertex);
}

// ---- Terrain, bowls ------------------------------------------------------------------------------------

static void mesh_of_terrain(Maker* m, const TarnSolidDef* def)
{
    const TarnView2* h = &def->shape.heights;
    int side = h->nx > h->nz ? h->nx : h->nz, step = (side + TERRAIN_SIDE - 1) / TERRAIN_SIDE;
    int nx = (h->nx - 1) / step + 1, nz = (h->nz - 1) / step + 1, first = m->mesh->n_vertices;
    for (int k = 0; k < nz; ++k)
        for (int i = 0; i < nx; ++i) {
            float y = h->data[(size_t)(i * step) + (size_t)h->stride * (size_t)(k * step)];
            add_vertex(m, def->shape.origin.x + ((float)(i * step) + 0.5f) * def->shape.dx,
                       isfinite(y) ? y : 0.0f,
                       def->shape.origin.z + ((float)(k * step) + 0.5f) * def->shape.dx);
        }
    for (int k = 0; k + 1 < nz; ++k)
        for (int i = 0; i + 1 < nx; ++i) {
            int a = first + i + nx * k, b = a + nx;
            add_triangle(m, a, b, b + 1);
            add_triangle(m, a, b + 1, a + 1);
        }
}

static void mesh_of_bowl(Maker* m, float radius) // the lower half of a sphere
{
    enum { AROUND = 64, UP = 20 };
    const float pi = 3.14159265f;
    for (int b = 0; b <= UP; ++b)
        for (int a = 0; a < AROUND; ++a) {
            float theta = -0.5f * pi * (float)b / UP, phi = 2.0f * pi * (float)a / AROUND;
            add_vertex(m, radius * cosf(theta) * sinf(phi), radius * sinf(theta),
                       radius * cosf(theta) * cosf(phi));
        }
    for (int b = 0; b < UP; ++b)
        for (int a = 0; a < AROUND; ++a) {
            int c = AROUND * b + a, d = AROUND * b + (a + 1) % AROUND;
            add_triangle(m, c, d, d + AROUND);
            add_triangle(m, c, d + AROUND, c + AROUND);
        }
}

static void mesh_of_cylinder(Maker* m, TarnVec3 size)
{
    enum { AROUND = 48 };
    int low = add_vertex(m, 0.0f, -size.y, 0.0f), high = add_vertex(m, 0.0f, size.y, 0.0f);
    int first = m->mesh->n_vertices;
    for (int a = 0; a < AROUND; ++a) {
        float angle = 6.2831853f * (float)a / AROUND;
        float x = size.x * sinf(angle), z = size.x * cosf(angle);
        add_vertex(m, x, -size.y, z);
        add_vertex(m, x, size.y, z);
    }
    for (int a = 0; a < AROUND; ++a) {
        int b = first + 2 * a, c = first + 2 * ((a + 1) % AROUND);
        add_triangle(m, b, c, c + 1);
        add_triangle(m, b, c + 1, b + 1);
        add_triangle(m, low, c, b);
        add_triangle(m, high, b + 1, c + 1);
    }
}

TarnResult tarn__view_mesh_solid(TarnContext* ctx, const TarnSolidDef* def, SolidMesh* out)
{
    Maker maker = { ctx, out, TARN_OK }, *m = &maker;
    switch (def->shape.kind) {
    case TARN_SHAPE_CONVEX:
        mesh_of_convex(m, def);
        break;
    case TARN_SHAPE_DISTANCE:
    case TARN_SHAPE_FUNCTION:
        mesh_of_distances(m, def);
        break;
    case TARN_SHAPE_TERRAIN:
        mesh_of_terrain(m, def);
        break;
    case TARN_SHAPE_CYLINDER:
        mesh_of_cylinder(m, def->shape.size);
        break;
    default:
        if (def->is_inside_out) mesh_of_bowl(m, def->shape.size.x);
    }
    return maker.result;
}
