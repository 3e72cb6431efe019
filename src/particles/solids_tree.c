// Triangle meshes as solids: building. The tree of boxes, who is beside whom, normals at points,
// whether the mesh is closed. All in the shape memory, sorted without a heap. Asking:
// solids_mesh.c.

#include "particles/solids_parts.h"

enum { LEAF = 4 };

static float component(TarnVec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// ---- Where things lie ---------------------------------------------------------------------------

static int node_count(int n_triangles) // at most: a leaf holds two or more, unless it is all
{
    return n_triangles;
}

typedef struct MeshLayout {
    size_t points, triangles, beside, normals, nodes, size;
} MeshLayout;

static MeshLayout lay_out(int n_points, int n_triangles)
{
    size_t np = (size_t)n_points, nt = (size_t)n_triangles;
    TarnLayout l = { 0 };
    MeshLayout at;
    at.points = tarn__layout_add(&l, np * sizeof(TarnVec3));
    at.triangles = tarn__layout_add(&l, nt * 3 * sizeof(int));
    at.beside = tarn__layout_add(&l, nt * 3 * sizeof(int));
    at.normals = tarn__layout_add(&l, np * sizeof(TarnVec3));
    at.nodes = tarn__layout_add(&l, (size_t)node_count(n_triangles) * sizeof(SolidNode));
    at.size = l.size;
    return at;
}

size_t tarn__mesh_size(int n_points, int n_triangles)
{
    return lay_out(n_points, n_triangles).size;
}

typedef struct HalfEdge {
    int low, high, index; // points, and 3 * triangle + side
} HalfEdge;

size_t tarn__mesh_scratch(int n_points, int n_triangles)
{
    return (size_t)n_points * 2 * sizeof(int) + (size_t)n_triangles * 3 * sizeof(HalfEdge) + 128;
}

void tarn__mesh_bind(char* data, Solid* solid)
{
    MeshLayout at = lay_out(solid->def.shape.n_points, solid->def.shape.n_triangles);
    solid->def.shape.points = (const TarnVec3*)(data + at.points);
    solid->def.shape.triangles = (const int*)(data + at.triangles);
    solid->beside = (const int*)(data + at.beside);
    solid->normals = (const TarnVec3*)(data + at.normals);
    solid->nodes = (const SolidNode*)(data + at.nodes);
}

// ---- Building -----------------------------------------------------------------------------------

typedef struct Builder {
    const TarnVec3* points;
    int* triangles;
    SolidNode* nodes;
    int n_nodes;
} Builder;

static float middle(const Builder* b, int t, int axis)
{
    const int* c = b->triangles + 3 * (size_t)t;
    return component(b->points[c[0]], axis) + component(b->points[c[1]], axis) +
           component(b->points[c[2]], axis);
}

static void swap_triangles(Builder* b, int i, int k)
{
    int keep[3];
    memcpy(keep, b->triangles + 3 * (size_t)i, sizeof keep);
    memcpy(b->triangles + 3 * (size_t)i, b->triangles + 3 * (size_t)k, sizeof keep);
    memcpy(b->triangles + 3 * (size_t)k, keep, sizeof keep);
}

// The n / 2 triangles of lowest middle come first. Equal ones are shared out evenly by Hoare's
// scheme.
static void split_median(Builder* b, int first, int n, int axis)
{
    int lo = first, hi = first + n - 1, want = first + n / 2;
    while (lo < hi) {
        float pivot = middle(b, lo + (hi - lo) / 2, axis);
        int i = lo, k = hi;
        while (i <= k) {
            while (middle(b, i, axis) < pivot) ++i;
            while (middle(b, k, axis) > pivot) --k;
            if (i <= k) swap_triangles(b, i++, k--);
        }
        if (want <= k)
            hi = k;
        else if (want >= i)
            lo = i;
        else
            return;
    }
}

static void build_node(Builder* b, int node, int first, int n)
{
    TarnVec3 low = { 1e30f, 1e30f, 1e30f }, high = { -1e30f, -1e30f, -1e30f };
    for (int c = 3 * first; c < 3 * (first + n); ++c) {
        low = solid__lower(b->points[b->triangles[c]], low);
        high = solid__upper(b->points[b->triangles[c]], high);
    }
    b->nodes[node] = (SolidNode){ low, high, first, n };
    if (n <= LEAF) return;
    TarnVec3 size = vec3_sub(high, low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    split_median(b, first, n, axis);
    int child = b->n_nodes;
    b->n_nodes += 2;
    b->nodes[node].first = child;
    b->nodes[node].n = 0;
    build_node(b, child, first, n / 2); // halves each time: 24 levels for 2^24 triangles
    build_node(b, child + 1, first + n / 2, n - n / 2);
}

static int compare_points(const TarnVec3* points, int a, int b)
{
    for (int axis = 0; axis < 3; ++axis) {
        float u = component(points[a], axis), v = component(points[b], axis);
        if (u != v) return u < v ? -1 : 1;
    }
    return a < b ? -1 : a > b;
}

// Heap sort: no extra memory, no bad cases.
static void sort_points(const TarnVec3* points, int* order, int n)
{
    for (int end = n, start = n / 2; end > 1;) {
        if (start > 0) {
            --start;
        } else {
            int last = order[--end];
            order[end] = order[0];
            order[0] = last;
        }
        for (int root = start, child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && compare_points(points, order[child], order[child + 1]) < 0)
                ++child;
            if (compare_points(points, order[root], order[child]) >= 0) break;
            int keep = order[root];
            order[root] = order[child];
            order[child] = keep;
        }
    }
}

static int compare_edges(const HalfEdge* a, const HalfEdge* b)
{
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high < b->high ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void sort_edges(HalfEdge* edges, int n)
{
    for (int end = n, start = n / 2; end > 1;) {
        if (start > 0) {
            --start;
        } else {
            HalfEdge last = edges[--end];
            edges[end] = edges[0];
            edges[0] = last;
        }
        for (int root = start, child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end && compare_edges(&edges[child], &edges[child + 1]) < 0) ++child;
            if (compare_edges(&edges[root], &edges[child]) >= 0) break;
            HalfEdge keep = edges[root];
            edges[root] = edges[child];
            edges[child] = keep;
        }
    }
}

// For each point the first one in the same place.
static void weld(const TarnVec3* points, int n, int* order, int* same)
{
    for (int i = 0; i < n; ++i) order[i] = i;
    sort_points(points, order, n);
    for (int i = 0; i < n; ++i) {
        TarnVec3 p = points[order[i]];
        TarnVec3 q = points[order[i > 0 ? i - 1 : 0]];
        bool is_same = i > 0 && p.x == q.x && p.y == q.y && p.z == q.z;
        same[order[i]] = is_same ? same[order[i - 1]] : order[i];
    }
}

// Who is beside whom, where an edge has one triangle on each side and both are turned alike.
static void join(const int* triangles, int n_triangles, const int* same, HalfEdge* edges,
                 int* beside)
{
    int n = 3 * n_triangles;
    for (int i = 0; i < n; ++i) {
        int a = same[triangles[i]], b = same[triangles[i - i % 3 + (i + 1) % 3]];
        edges[i] = (HalfEdge){ a < b ? a : b, a < b ? b : a, i };
        beside[i] = -1;
    }
    sort_edges(edges, n);
    for (int i = 0; i < n;) {
        int end = i + 1;
        while (end < n && edges[end].low == edges[i].low && edges[end].high == edges[i].high) ++end;
        int a = edges[i].index, b = edges[end - 1].index;
        bool is_pair = end == i + 2 && edges[i].low != edges[i].high &&
                       same[triangles[a]] != same[triangles[b]]; // they run against each other
        if (is_pair) {
            beside[a] = b / 3;
            beside[b] = a / 3;
        }
        i = end;
    }
}

static void add_normals(const Solid* s, const int* same, TarnVec3* normals)
{
    for (int p = 0; p < s->def.shape.n_points; ++p) normals[p] = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    for (int i = 0; i < 3 * s->def.shape.n_triangles; ++i) {
        const int* c = s->def.shape.triangles + (i - i % 3);
        TarnVec3 at = s->def.shape.points[c[i % 3]];
        TarnVec3 u = vec3_normalize(vec3_sub(s->def.shape.points[c[(i + 1) % 3]], at));
        TarnVec3 v = vec3_normalize(vec3_sub(s->def.shape.points[c[(i + 2) % 3]], at));
        float angle = tarn_atan2(vec3_length(vec3_cross(u, v)), vec3_dot(u, v));
        int p = same[c[i % 3]];
        normals[p] = vec3_add(normals[p], vec3_scale(solid__face_normal(s, i / 3), angle));
    }
    for (int p = 0; p < s->def.shape.n_points; ++p) normals[p] = normals[same[p]];
}

// Twice the volume is enough: which way the triangles are turned as a whole.
static double signed_volume(const Solid* s)
{
    double sum = 0.0;
    for (int t = 0; t < s->def.shape.n_triangles; ++t) {
        const int* c = s->def.shape.triangles + 3 * (size_t)t;
        TarnVec3 a = s->def.shape.points[c[0]], b = s->def.shape.points[c[1]],
                 d = s->def.shape.points[c[2]];
        sum += (double)a.x * ((double)b.y * d.z - (double)b.z * d.y) +
               (double)a.y * ((double)b.z * d.x - (double)b.x * d.z) +
               (double)a.z * ((double)b.x * d.y - (double)b.y * d.x);
    }
    return sum;
}

static float largest_area(const Solid* s)
{
    float largest = 0.0f;
    for (int t = 0; t < s->def.shape.n_triangles; ++t) {
        const int* c = s->def.shape.triangles + 3 * (size_t)t;
        TarnVec3 a = s->def.shape.points[c[0]];
        TarnVec3 ab = vec3_sub(s->def.shape.points[c[1]], a),
                 ac = vec3_sub(s->def.shape.points[c[2]], a);
        largest = tarn_maxf(largest, vec3_length(vec3_cross(ab, ac)));
    }
    return largest;
}

static int count_nodes(int n_triangles) // of the tree that build_node makes
{
    if (n_triangles <= LEAF) return 1;
    return 1 + count_nodes(n_triangles / 2) + count_nodes(n_triangles - n_triangles / 2);
}

void tarn__mesh_finish(Solid* s)
{
    s->is_closed = true;
    for (int i = 0; i < 3 * s->def.shape.n_triangles; ++i)
        s->is_closed = s->is_closed && s->beside[i] >= 0;
    s->n_nodes = count_nodes(s->def.shape.n_triangles);
    s->largest_area = largest_area(s);
    s->low = s->nodes[0].low;
    s->high = s->nodes[0].high;
}

TarnResult tarn__mesh_build(TarnContext* ctx, const TarnSolidDef* def, char* data, Solid* solid)
{
    MeshLayout at = lay_out(def->shape.n_points, def->shape.n_triangles);
    int* order = (int*)(data + at.size);
    int* same = order + def->shape.n_points;
    HalfEdge* edges = (HalfEdge*)(same + def->shape.n_points);
    Builder b = { (const TarnVec3*)(data + at.points), (int*)(data + at.triangles),
                  (SolidNode*)(data + at.nodes), 1 };
    memcpy(data + at.points, def->shape.points, (size_t)def->shape.n_points * sizeof(TarnVec3));
    memcpy(b.triangles, def->shape.triangles, (size_t)def->shape.n_triangles * 3 * sizeof(int));
    memset(b.nodes, 0, (size_t)node_count(def->shape.n_triangles) * sizeof(SolidNode));
    build_node(&b, 0, 0, def->shape.n_triangles);
    tarn__mesh_bind(data, solid);
    weld(b.points, def->shape.n_points, order, same);
    join(b.triangles, def->shape.n_triangles, same, edges, (int*)(data + at.beside));
    add_normals(solid, same, (TarnVec3*)(data + at.normals));
    tarn__mesh_finish(solid);
    if (solid->is_closed && !(signed_volume(solid) > 0.0)) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "solid.triangles: the closed mesh is turned inside out; give each "
                          "triangle counter-clockwise seen from outside, or use is_inside_out");
    }
    if (!solid->is_closed && def->is_inside_out) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "solid.is_inside_out: the mesh is open and has no inside; close it, or "
                          "leave it a shell");
    }
    return TARN_OK;
}

// ---- From snapshots -----------------------------------------------------------------------------

// The shape of the tree follows from the number of triangles, so nothing of it is believed.
static bool is_node_good(const uint8_t* nodes, int node, int first, int n, int* n_nodes)
{
    SolidNode at;
    memcpy(&at, nodes + (size_t)node * sizeof at, sizeof at);
    if (!tarn__all_within(&at.low, 3, 1e6f) || !tarn__all_within(&at.high, 3, 1e6f)) return false;
    if (n <= LEAF) return at.first == first && at.n == n;
    int child = *n_nodes;
    *n_nodes += 2;
    return at.first == child && at.n == 0 && is_node_good(nodes, child, first, n / 2, n_nodes) &&
           is_node_good(nodes, child + 1, first + n / 2, n - n / 2, n_nodes);
}

static bool are_ints_between(const uint8_t* ints, size_t n, int lo, int hi)
{
    for (size_t i = 0; i < n; ++i) {
        int value;
        memcpy(&value, ints + i * sizeof value, sizeof value); // any alignment
        if (value < lo || value > hi) return false;
    }
    return true;
}

bool tarn__mesh_check_saved(const TarnSolidDef* def, const uint8_t* data)
{
    const float most = 1e9f; // of normals: angles of all triangles at a point
    int n_triangles = def->shape.n_triangles, n_nodes = 1;
    int none = def->is_inside_out ? 0 : -1; // an open mesh has no inside
    MeshLayout at = lay_out(def->shape.n_points, n_triangles);
    size_t np = (size_t)def->shape.n_points, nt = (size_t)n_triangles;
    return tarn__all_within(data + at.points, 3 * np, 1e6f) &&
           tarn__all_within(data + at.normals, 3 * np, most) &&
           are_ints_between(data + at.triangles, 3 * nt, 0, def->shape.n_points - 1) &&
           are_ints_between(data + at.beside, 3 * nt, none, n_triangles - 1) &&
           is_node_good(data + at.nodes, 0, 0, n_triangles, &n_nodes);
}
