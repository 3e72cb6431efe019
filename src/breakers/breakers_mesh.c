// Sheets as a mesh. Rows are joined where the same point of the line emitted both nodes; between two such pairs there
// are two triangles, or a fan where points were inserted or removed in between. The middle surface that this gives is
// doubled, the copy moved inwards by the thickness, and both are joined along the rims.

#include "breakers/breakers_internal.h"
#include <math.h>

// A node in the air is named by its place in the ring, a root by max_nodes plus its number.
static uint32_t name_of(const TarnBreakers* b, const Row* r, bool is_root, int i)
{
    uint32_t n = r->first + (uint32_t)i;
    return is_root ? (uint32_t)b->def.max_nodes + n : n % (uint32_t)b->def.max_nodes;
}
static const Node* node_of(const TarnBreakers* b, uint32_t name)
{
    uint32_t most = (uint32_t)b->def.max_nodes;
    return name < most ? &b->nodes[name] : &b->roots[name - most];
}

// ---- Directed edges of the middle surface ------------------------------------------------------------

typedef struct Weave {
    TarnBreakers* b;
    uint32_t mask; // of the slots of the table that are in use
    int n;         // triangles
} Weave;

static uint64_t edge_key(uint32_t from, uint32_t to)
{
    return ((uint64_t)from << 32 | to) + 1;
}

// The slot of an edge, or the free one where it belongs.
static MeshEdge* edge_slot(const Weave* w, uint32_t from, uint32_t to)
{
    uint64_t key = edge_key(from, to), h = key * 0x9e3779b97f4a7c15u;
    for (uint32_t i = (uint32_t)(h >> 40) & w->mask;; i = (i + 1) & w->mask) {
        MeshEdge* slot = &w->b->edges[i];
        if (slot->key == 0 || slot->key == key) return slot;
    }
}

// Keeps the surface one: a triangle whose place is taken, where lines have met or parted, is left out.
static void add_triangle(Weave* w, uint32_t a, uint32_t c, uint32_t d)
{
    TarnBreakers* b = w->b;
    const uint32_t at[4] = { a, c, d, a };
    if (a == c || c == d || d == a || w->n == b->max_triangles) return;
    for (int i = 0; i < 3; ++i) {
        if (node_of(b, at[i])->flags & NODE_GONE) return;
        if (edge_slot(w, at[i], at[i + 1])->key != 0) return;
    }
    for (int i = 0; i < 3; ++i) {
        *edge_slot(w, at[i], at[i + 1]) = (MeshEdge){ edge_key(at[i], at[i + 1]), w->n, -1 };
        b->triangles[3 * w->n + i] = at[i];
    }
    ++w->n;
}

// ---- Rows ----------------------------------------------------------------------------------------------

typedef struct Seam { // between a row and the one in front of it
    Weave* w;
    const Row *behind, *front;
    bool is_root; // the one behind
} Seam;

static uint32_t behind_at(const Seam* s, int i)
{
    return name_of(s->w->b, s->behind, s->is_root, i % s->behind->n);
}
static uint32_t front_at(const Seam* s, int i)
{
    return name_of(s->w->b, s->front, false, i % s->front->n);
}

// From the pair (i0, j0) to the pair (i1, j1): one step on each side is two triangles; further nodes on a side are a
// fan around the other side's node. D.6's connection shapes.
static void sew(const Seam* s, int i0, int j0, int i1, int j1)
{
    int i = i0, j = j0;
    while (i < i1 || j < j1) {
        // The side that is behind in its share of the way goes on.
        bool is_behind = j == j1 || (i < i1 && (i - i0) * (j1 - j0) <= (j - j0) * (i1 - i0));
        if (is_behind) {
            add_triangle(s->w, behind_at(s, i), behind_at(s, i + 1), front_at(s, j));
            ++i;
        } else {
            add_triangle(s->w, behind_at(s, i), front_at(s, j + 1), front_at(s, j));
            ++j;
        }
    }
}

static uint32_t key_at(const TarnBreakers* b, uint32_t name)
{
    return node_of(b, name)->key;
}

enum { LONGEST_END = 2 }; // nodes beyond the last pair that are joined to it

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void join_rows(Weave* w, const Row* behind, bool is_root, const Row* front)
{
    const Seam s = { w, behind, front, is_root };
    int i0 = -1, j0 = -1, first_i = -1, first_j = -1, from = 0;
    for (int i = 0; i < behind->n; ++i) {
        uint32_t key = key_at(w->b, behind_at(&s, i));
        int j = from;
        while (j < front->n && key_at(w->b, front_at(&s, j)) != key) ++j;
        if (j == front->n) continue;
        if (i0 >= 0)
            sew(&s, i0, j0, i, j);
        else
            first_i = i, first_j = j;
        i0 = i, j0 = j, from = j + 1;
    }
    if (i0 < 0) return;
    if (behind->is_closed && front->is_closed) { // around the loop
        sew(&s, i0, j0, behind->n + first_i, front->n + first_j);
        return;
    }
    int more_i = least(behind->n - 1 - i0, LONGEST_END);
    int more_j = least(front->n - 1 - j0, LONGEST_END);
    sew(&s, i0, j0, i0 + more_i, j0 + more_j);
    sew(&s, first_i - least(first_i, LONGEST_END), first_j - least(first_j, LONGEST_END), first_i,
        first_j);
}

static void weave_all(Weave* w)
{
    TarnBreakers* b = w->b;
    for (uint32_t n = b->row_head; n < b->row_end; ++n) {
        const Row* r = breakers_row(b, n);
        for (int k = 0; k < 2; ++k)
            if (breakers_has_row(b, r->next[k]))
                join_rows(w, r, false, breakers_row(b, r->next[k]));
    }
    for (int n = 0; n < b->n_root_rows; ++n) {
        const Row* r = &b->root_rows[n];
        for (int k = 0; k < 2; ++k)
            if (breakers_has_row(b, r->next[k])) join_rows(w, r, true, breakers_row(b, r->next[k]));
    }
}

// ---- Vertices --------------------------------------------------------------------------------------------

static uint32_t corner(const Weave* w, int t, int i)
{
    return w->b->triangles[3 * t + i % 3];
}
static bool is_rim(const Weave* w, int t, int i) // the edge from corner i to the next
{
    return w->b->open[t] >> i & 1;
}
// Looks for the rims once: the table is large, and they are asked for several times.
static int find_rims(Weave* w)
{
    int n = 0;
    for (int t = 0; t < w->n; ++t) {
        w->b->open[t] = 0;
        for (int i = 0; i < 3; ++i) {
            bool is_open = edge_slot(w, corner(w, t, i + 1), corner(w, t, i))->key == 0;
            w->b->open[t] |= (uint8_t)(is_open << i);
            n += is_open;
        }
    }
    return n;
}

static void add_normal(TarnBreakers* b, const uint32_t t[3])
{
    TarnVec3 p = node_of(b, t[0])->at;
    TarnVec3 n = vec3_cross(vec3_sub(node_of(b, t[1])->at, p), vec3_sub(node_of(b, t[2])->at, p));
    for (int i = 0; i < 3; ++i) b->normal[t[i]] = vec3_add(b->normal[t[i]], n);
}

// One edge for all triangles of a fan around a corner, turned to from triangle to triangle: the rim that it begins with,
// or, all around the node, the edge of its first triangle.
static MeshEdge* fan_of(const Weave* w, int t, int i)
{
    uint32_t name = corner(w, t, i);
    int start = t, first = t;
    MeshEdge* edge = edge_slot(w, name, corner(w, t, i + 1));
    for (;;) {
        uint32_t next = corner(w, t, i + 1);
        const MeshEdge* across = edge_slot(w, next, name);
        if (across->key == 0) return edge_slot(w, name, next);
        t = across->triangle;
        for (i = 0; corner(w, t, i) != name;) ++i;
        if (t == start) return edge;
        if (t < first) first = t, edge = edge_slot(w, name, corner(w, t, i + 1));
    }
}

// Numbers the vertices of all corners; returns how many there are. Corners of a node share one, unless parts of the
// sheet touch in that node alone: then each part has its own, because a rim could not pass between them otherwise.
static int number_vertices(Weave* w)
{
    TarnBreakers* b = w->b;
    int n = 0;
    for (int i = 0; i < 3 * w->n; ++i) {
        uint32_t name = b->triangles[i];
        b->vertex[name] = -1;
        b->rims[name] = 0;
        b->normal[name] = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    }
    for (int i = 0; i < 3 * w->n; ++i)
        if (is_rim(w, i / 3, i % 3) && b->rims[b->triangles[i]] < 2) ++b->rims[b->triangles[i]];
    for (int i = 0; i < 3 * w->n; ++i) {
        uint32_t name = b->triangles[i];
        int32_t* id = b->rims[name] < 2 ? &b->vertex[name] : &fan_of(w, i / 3, i % 3)->vertex;
        if (*id < 0) *id = n++;
        b->corner[i] = *id;
    }
    for (int t = 0; t < w->n; ++t) add_normal(b, b->triangles + 3 * t);
    return n;
}

// ---- The mesh --------------------------------------------------------------------------------------------

static void write_vertex(const TarnBreakers* b, TarnMesh* mesh, uint32_t name, int n, float thick,
                         bool is_top)
{
    const Node* node = node_of(b, name);
    TarnVec3 up = vec3_normalize(b->normal[name]);
    if (!(vec3_dot(up, up) > 0.5f)) up = (TarnVec3){ 0.0f, 1.0f, 0.0f };
    if (mesh->position)
        mesh->position[n] = is_top ? node->at : vec3_sub(node->at, vec3_scale(up, thick));
    if (mesh->normal) mesh->normal[n] = is_top ? up : vec3_scale(up, -1.0f);
    if (mesh->velocity) mesh->velocity[n] = node->v;
    const float values[TARN_BREAKERS_ATTRIBUTES] = { node->age, node->arc, node->thick };
    for (int a = 0; mesh->attribute && a < mesh->n_attributes; ++a)
        mesh->attribute[(size_t)n * (size_t)mesh->n_attributes + (size_t)a] =
            a < TARN_BREAKERS_ATTRIBUTES ? values[a] : 0.0f;
}

static void write_triangle(TarnMesh* mesh, int* n, int a, int c, int d)
{
    uint32_t* to = mesh->index + 3 * (size_t)(*n)++;
    to[0] = (uint32_t)a, to[1] = (uint32_t)c, to[2] = (uint32_t)d;
}

// Tops come first, in the order of their numbers, then as many bottoms.
static void write_mesh(const Weave* w, TarnMesh* mesh, int tops)
{
    const TarnBreakers* b = w->b;
    const float rim = 0.35f, least_thick = 1e-4f; // share of the thickness along rims; [m]
    int n = 0, written = 0;
    for (int i = 0; i < 3 * w->n; ++i) {
        uint32_t name = b->triangles[i];
        if (b->corner[i] != written) continue;
        float thick = node_of(b, name)->thick * (b->rims[name] ? rim : 1.0f);
        thick = tarn_maxf(thick, least_thick);
        write_vertex(b, mesh, name, written, thick, true);
        write_vertex(b, mesh, name, tops + written, thick, false);
        ++written;
    }
    for (int t = 0; t < w->n && mesh->index; ++t) {
        const int32_t* v = b->corner + 3 * t;
        write_triangle(mesh, &n, v[0], v[1], v[2]);
        write_triangle(mesh, &n, tops + v[0], tops + v[2], tops + v[1]);
        for (int i = 0; i < 3; ++i) {
            if (!is_rim(w, t, i)) continue;
            int from = v[i], to = v[(i + 1) % 3];
            write_triangle(mesh, &n, to, from, tops + from);
            write_triangle(mesh, &n, to, tops + from, tops + to);
        }
    }
}

TarnResult tarn_breakers_mesh(TarnBreakers* b, TarnMesh* mesh)
{
    if (b == NULL) return TARN_ERR_ARG;
    if (mesh == NULL) return tarn__fail(b->ctx, TARN_ERR_ARG, "tarn_breakers_mesh: mesh is NULL");
    if (mesh->n_attributes < 0 || mesh->n_attributes > 64)
        return tarn__fail(b->ctx, TARN_ERR_ARG,
                          "tarn_breakers_mesh: n_attributes is %d; allowed: 0 to 64",
                          mesh->n_attributes);
    Weave w = { .b = b };
    int most = breakers_in_air(b) + b->n_roots, slots = 64; // six edges for each node
    while (slots < 12 * most && slots < b->edge_slots) slots *= 2;
    w.mask = (uint32_t)slots - 1;
    for (int i = 0; i < slots; ++i) b->edges[i].key = 0;
    weave_all(&w);
    int rims = find_rims(&w), tops = number_vertices(&w);
    mesh->n_vertices = 2 * tops;
    mesh->n_triangles = 2 * w.n + 2 * rims;
    bool is_count =
        !mesh->position && !mesh->normal && !mesh->velocity && !mesh->attribute && !mesh->index;
    if (is_count) return TARN_OK;
    if (mesh->n_vertices > mesh->max_vertices || mesh->n_triangles > mesh->max_triangles)
        return TARN_ERR_CAPACITY;
    write_mesh(&w, mesh, tops);
    return TARN_OK;
}
