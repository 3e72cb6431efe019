// Slivers: where the surface passes close to a node, its vertices on the edges of that node become one.
//
// Method   A node takes in the vertices nearer to it than `snap` if what is left stays the same surface: the
//          triangles around them must be a disc, and its rim a ring of at least three that meets no vertex
//          twice. The ring with one vertex in its middle is a disc again, so open edges, orientation and Euler
//          characteristic stay. All triangles in question are in the eight cells around the node.
//          Nodes that share a cell decide one after the other: eight passes over nodes of equal parity.
// Differs  from [Raman2008], who snap the values and need a table of 3^8 cases.
// Checked  tests/unit/test_marching_snap.c, `tarn check mesh.random`.

#include "mesh/marching_inside.h"
#include "base/maths.h"

enum { SNAP_CHUNK = 8, FIRST_EXTRA_KEY = 81, FIRST_NODE_KEY = 177, KEYS = 204, MAX_AROUND = 256 };

// A brick with its values.
typedef struct View {
    const TarnMarching* m;
    const MarchingNear* near;
    const float* nodes; // from the brick's first node on
} View;

// A cut edge, and the end that its vertex is near.
typedef struct Cut {
    int node[3], axis; // low end
    float t;
} Cut;

static bool exists(const View* v, const int n[3])
{
    if (!v->m->field) return true;
    for (int a = 0; a < 3; ++a) {
        int at = n[a] + v->near->first[a] + v->m->shift;
        if (at < 0 || at >= v->m->n_nodes[a]) return false;
    }
    return true;
}
static bool is_in_ring(const View* v, const int n[3])
{
    for (int a = 0; a < 3 && v->m->shift; ++a) {
        int at = n[a] + v->near->first[a];
        if (at < 0 || at >= v->m->n_nodes[a] - 2) return true;
    }
    return false;
}
static float level_of(const View* v, const int n[3])
{
    if (is_in_ring(v, n)) return MARCHING_BIG;
    return v->nodes[n[0] + TILE_ROW * n[1] + TILE_SLAB * n[2]];
}

// The same place as the vertex that is written; both ends exist.
static float place_on(const View* v, const int node[3], int axis)
{
    int high[3] = { node[0] + (axis == 0), node[1] + (axis == 1), node[2] + (axis == 2) };
    if (is_in_ring(v, node)) return 1.0f - MARCHING_MARGIN;
    if (is_in_ring(v, high)) return MARCHING_MARGIN;
    float w0 = level_of(v, node), w1 = level_of(v, high);
    return tarn_minf(tarn_maxf(w0 / (w0 - w1), MARCHING_MARGIN), 1.0f - MARCHING_MARGIN);
}

static bool is_merged(const View* v, const int n[3])
{
    int brick = v->near->at[NEAR_SELF + (n[0] >> 3) + 3 * (n[1] >> 3) + 9 * (n[2] >> 3)];
    if (brick < 0) return false;
    const uint64_t* word = &v->m->snaps[brick].merged[n[2] & 7];
    return __atomic_load_n(word, __ATOMIC_RELAXED) >> (8 * (n[1] & 7) + (n[0] & 7)) & 1;
}

// The end that a vertex is near to: 0 the low one, 1 the high one, -1 none.
static int near_end(const View* v, float t)
{
    return t < v->m->snap ? 0 : 1.0f - t < v->m->snap ? 1 : -1;
}

// Vertices near a node, those on edges to higher nodes first; the first stands for all.
static int vertices_near(const View* v, const int n[3], Cut out[6])
{
    int count = 0;
    bool is_fluid = level_of(v, n) < 0.0f;
    for (int d = 0; d < 6; ++d) {
        int axis = d % 3, other[3] = { n[0], n[1], n[2] };
        other[axis] += d < 3 ? 1 : -1;
        if (!exists(v, other) || (level_of(v, other) < 0.0f) == is_fluid) continue;
        const int* low = d < 3 ? n : other;
        float t = place_on(v, low, axis);
        if (near_end(v, t) != (d < 3 ? 0 : 1)) continue;
        out[count++] = (Cut){ { low[0], low[1], low[2] }, axis, t };
    }
    return count;
}

// ---- The triangles of a cell ----------------------------------------------------------------------

// Corners of triangles are edges of the cell, 4 axis + u + 2 v, or, from 12 on, vertices inside.
static bool find_cell(const View* v, const int at[3], MarchingCell* out)
{
    float level[8];
    int fluid = 0;
    for (int c = 0; c < 8; ++c) {
        int n[3] = { at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2) };
        if (!exists(v, n)) return false;
        level[c] = level_of(v, n);
        fluid |= (level[c] < 0.0f) << c;
    }
    const MarchingCase* row = &v->m->cases[fluid];
    if (row->n_triangles == MARCHING_SLOW) {
        tarn__marching_cell(level, out);
        return true;
    }
    out->n_extra = 0, out->n_triangles = row->n_triangles;
    for (int i = 0; i < row->n_indices; ++i) {
        int axis = row->at[i] / IDS_AXIS, rest = row->at[i] % IDS_AXIS;
        int x = rest % IDS_ROW, y = rest / IDS_ROW % IDS_ROW, z = rest / IDS_SLAB;
        int u = axis == 0 ? y : x, w = axis == 2 ? y : z;
        out->triangle[i / 3][i % 3] = (uint8_t)(4 * axis + u + 2 * w);
    }
    return true;
}

static Cut cut_of(const View* v, const int cell[3], int edge)
{
    int axis = edge / 4, u = edge & 1, w = edge >> 1 & 1;
    Cut cut = { { cell[0], cell[1], cell[2] }, axis, 0.0f };
    cut.node[axis == 0 ? 1 : 0] += u;
    cut.node[axis == 2 ? 1 : 2] += w;
    cut.t = place_on(v, cut.node, axis);
    return cut;
}

// The node that took a vertex in, into n; false: none did.
static bool taken_by(const View* v, const Cut* cut, int n[3])
{
    int end = near_end(v, cut->t);
    if (end < 0) return false;
    for (int a = 0; a < 3; ++a) n[a] = cut->node[a] + (a == cut->axis ? end : 0);
    return is_merged(v, n);
}

// ---- May a node take in its vertices? ----------------------------------------------------------------

// Triangles around a node. Keys: edges, vertices in cells, nodes that took vertices in.
typedef struct Around {
    int n;
    uint8_t key[MAX_AROUND][3];
    bool is_own[MAX_AROUND][3]; // one of those that shall become one
} Around;

static int key_of(const View* v, const int n[3], const int cell[3], int cell_number, int corner,
                  bool* is_own)
{
    *is_own = false;
    if (corner >= MARCHING_FIRST_EXTRA)
        return FIRST_EXTRA_KEY + 12 * cell_number + corner - MARCHING_FIRST_EXTRA;
    Cut cut = cut_of(v, cell, corner);
    int by[3], end = near_end(v, cut.t), place = 0, weight = 1;
    if (taken_by(v, &cut, by)) {
        for (int a = 0; a < 3; ++a, weight *= 3) place += weight * (by[a] - n[a] + 1);
        return FIRST_NODE_KEY + place;
    }
    *is_own = end >= 0;
    for (int a = 0; a < 3; ++a, weight *= 3) {
        place += weight * (cut.node[a] - n[a] + 1);
        *is_own = *is_own && cut.node[a] + (a == cut.axis ? end : 0) == n[a];
    }
    return 3 * place + cut.axis;
}

static void add_around(const View* v, const int n[3], int cell_number, Around* out)
{
    int at[3] = { n[0] - (cell_number & 1), n[1] - (cell_number >> 1 & 1),
                  n[2] - (cell_number >> 2) };
    MarchingCell cell;
    if (!find_cell(v, at, &cell)) return;
    for (int t = 0; t < cell.n_triangles; ++t) {
        uint8_t* key = out->key[out->n];
        bool* own = out->is_own[out->n];
        for (int c = 0; c < 3; ++c)
            key[c] = (uint8_t)key_of(v, n, at, cell_number, cell.triangle[t][c], &own[c]);
        bool is_flat = key[0] == key[1] || key[1] == key[2] || key[2] == key[0];
        if (!is_flat && (own[0] || own[1] || own[2])) ++out->n;
    }
}

static bool can_merge(const View* v, const int n[3])
{
    Around around = { .n = 0 };
    for (int c = 0; c < 8; ++c) add_around(v, n, c, &around);
    int16_t next[KEYS];
    bool seen[KEYS] = { false };
    for (int i = 0; i < KEYS; ++i) next[i] = -1;
    int vertices = 0, rim = 0, start = -1;
    for (int t = 0; t < around.n; ++t) {
        const uint8_t* key = around.key[t];
        const bool* own = around.is_own[t];
        for (int c = 0; c < 3; ++c) {
            vertices += !seen[key[c]];
            seen[key[c]] = true;
            int b = (c + 1) % 3, e = (c + 2) % 3;
            if (!own[c] || own[b] || own[e]) continue;
            if (next[key[b]] >= 0) return false; // the rim meets a vertex twice
            next[key[b]] = key[e];
            start = key[b], ++rim;
        }
    }
    int length = 0;
    for (int at = start; at >= 0 && length <= rim; ++length) {
        at = next[at];
        if (at == start) {
            ++length;
            break;
        }
    }
    // Each inner edge has two triangles, each of the rim one.
    return rim >= 3 && length == rim && 2 * vertices - (3 * around.n + rim) + 2 * around.n == 2;
}

// ---- Passes over bricks -----------------------------------------------------------------------------

typedef struct Pass {
    TarnMarching* m;
    int parity;
} Pass;

static void find_wanted(const View* v, MarchingSnap* snap)
{
    *snap = (MarchingSnap){ { 0 }, { 0 } };
    for (int c = 0; c < TARN_BLOCK_NODES; ++c) {
        int n[3] = { c & 7, c >> 3 & 7, c >> 6 };
        Cut cuts[6];
        if (!exists(v, n) || is_in_ring(v, n) || vertices_near(v, n, cuts) < 2) continue;
        snap->wanted[n[2]] |= (uint64_t)1 << (c & 63);
    }
}

static void merge_nodes(const View* v, MarchingSnap* snap, int parity)
{
    for (int z = 0; z < 8; ++z) {
        for (uint64_t word = snap->wanted[z]; word; word &= word - 1) {
            int c = __builtin_ctzll(word), n[3] = { c & 7, c >> 3, z }, own = 0;
            for (int a = 0; a < 3; ++a) own |= ((n[a] + v->near->first[a]) & 1) << a;
            if (own == parity && can_merge(v, n))
                __atomic_fetch_or(&snap->merged[z], (uint64_t)1 << c, __ATOMIC_RELAXED);
        }
    }
}

// Is a vertex not taken in, or the one that stands for those that are?
static bool is_kept(const View* v, const Cut* cut)
{
    int by[3];
    if (!taken_by(v, cut, by)) return true;
    Cut all[6];
    vertices_near(v, by, all);
    return all[0].axis == cut->axis && memcmp(all[0].node, cut->node, sizeof cut->node) == 0;
}

// What an edge or a vertex inside of a cell has become: corners of the cell that took it in are 100 on.
static int class_of(const View* v, const int cell[3], int corner)
{
    if (corner >= MARCHING_FIRST_EXTRA) return corner;
    Cut cut = cut_of(v, cell, corner);
    int by[3];
    if (!taken_by(v, &cut, by)) return corner;
    return 100 + (by[0] - cell[0]) + 2 * (by[1] - cell[1]) + 4 * (by[2] - cell[2]);
}
static bool is_left(const View* v, const int cell[3], const uint8_t corner[3])
{
    int a = class_of(v, cell, corner[0]), b = class_of(v, cell, corner[1]);
    int c = class_of(v, cell, corner[2]);
    return a != b && b != c && c != a;
}

static void count_anew(const View* v, MarchingBrick* brick)
{
    int extra = brick->n_vertices - brick->n_edge_vertices, n = 0;
    for (int w = 0; w < 24; ++w) {
        brick->before[w] = (uint16_t)n;
        uint64_t cross = brick->n_edge_vertices > 0 ? brick->cross[w] : 0; // else never written
        for (uint64_t word = cross; word; word &= word - 1) {
            int c = __builtin_ctzll(word);
            Cut cut = { { c & 7, c >> 3, w & 7 }, w >> 3, 0.0f };
            cut.t = place_on(v, cut.node, cut.axis);
            if (!is_kept(v, &cut)) cross &= ~((uint64_t)1 << c);
        }
        brick->cross[w] = cross;
        n += __builtin_popcountll(cross);
    }
    brick->n_edge_vertices = n;
    brick->n_vertices = n + extra;
    brick->n_triangles = 0;
    for (int c = 0; c < TARN_BLOCK_NODES; ++c) {
        int at[3] = { c & 7, c >> 3 & 7, c >> 6 };
        MarchingCell cell;
        if (!find_cell(v, at, &cell)) continue;
        for (int t = 0; t < cell.n_triangles; ++t)
            brick->n_triangles += is_left(v, at, cell.triangle[t]);
    }
}

enum { WANTED = -1, COUNT = 8 }; // passes before and after those of parities 0 .. 7

static void pass_chunk(int task, void* data)
{
    const Pass* p = data;
    TarnMarching* m = p->m;
    MarchingCursor cursor = { .is_set = false };
    MarchingNear near;
    float tile[TILE_FLOATS] __attribute__((aligned(64)));
    for (int b = task * SNAP_CHUNK; b < (task + 1) * SNAP_CHUNK && b < m->n_bricks; ++b) {
        MarchingSnap* snap = &m->snaps[b];
        if (m->bricks[b].n_vertices == 0 && m->bricks[b].n_triangles == 0) {
            if (p->parity == WANTED) *snap = (MarchingSnap){ { 0 }, { 0 } };
            continue;
        }
        tarn__marching_near(m, b, true, &cursor, &near);
        m->kernels->load(m, &near, tile);
        View v = { m, &near, tile + tile_at(0, 0, 0) };
        if (p->parity == WANTED)
            find_wanted(&v, snap);
        else if (p->parity == COUNT)
            count_anew(&v, &m->bricks[b]);
        else
            merge_nodes(&v, snap, p->parity);
    }
}

void tarn__marching_snap(TarnMarching* m)
{
    for (int parity = WANTED; parity <= COUNT; ++parity) {
        Pass pass = { m, parity };
        tarn__parallel_for(m->ctx, (m->n_bricks + SNAP_CHUNK - 1) / SNAP_CHUNK, pass_chunk, &pass);
    }
}

// ---- Writing ----------------------------------------------------------------------------------------

static uint32_t number_of(const View* v, const Cut* cut)
{
    const int* n = cut->node;
    int at = v->near->at[NEAR_SELF + (n[0] >> 3) + 3 * (n[1] >> 3) + 9 * (n[2] >> 3)];
    const MarchingBrick* b = &v->m->bricks[at];
    int word = 8 * cut->axis + (n[2] & 7), c = 8 * (n[1] & 7) + (n[0] & 7);
    uint64_t below = b->cross[word] & (((uint64_t)1 << c) - 1);
    return (uint32_t)(b->first_vertex + b->before[word] + __builtin_popcountll(below));
}

// In the middle of those it stands for; all else as at the node.
static void write_merged(const View* v, const int n[3], const Cut* cuts, int count, int vertex)
{
    const TarnMarching* m = v->m;
    float at[3] = { 0, 0, 0 };
    for (int i = 0; i < count; ++i)
        for (int a = 0; a < 3; ++a)
            at[a] += ((float)(cuts[i].node[a] - n[a]) + (a == cuts[i].axis ? cuts[i].t : 0.0f)) /
                     (float)count;
    if (m->mesh->position) {
        const float* origin = &m->origin.x;
        float* to = &m->mesh->position[vertex].x;
        for (int a = 0; a < 3; ++a)
            to[a] = origin[a] + m->dx * ((float)(v->near->first[a] + n[a]) + at[a]);
    }
    if (m->mesh->normal) {
        const float* w = v->nodes + n[0] + TILE_ROW * n[1] + TILE_SLAB * n[2];
        TarnVec3 g = { w[1] - w[-1], w[TILE_ROW] - w[-TILE_ROW], w[TILE_SLAB] - w[-TILE_SLAB] };
        bool is_up = (level_of(v, n) < 0.0f) == (cuts[0].node[cuts[0].axis] == n[cuts[0].axis]);
        m->mesh->normal[vertex] = tarn__marching_normal(g, cuts[0].axis, is_up);
    }
    if (m->mesh->velocity || (m->mesh->attribute && m->mesh->n_attributes > 0)) {
        float t = cuts[0].node[cuts[0].axis] == n[cuts[0].axis] ? 0.0f : 1.0f;
        tarn__marching_carry_edge(m, v->near, cuts[0].node, cuts[0].axis, t, vertex);
    }
}

static void write_vertices(const View* v, const MarchingBrick* brick)
{
    int vertex = brick->first_vertex;
    for (int w = 0; w < 24; ++w) {
        for (uint64_t word = brick->n_edge_vertices > 0 ? brick->cross[w] : 0; word;
             word &= word - 1, ++vertex) {
            int c = __builtin_ctzll(word), by[3];
            Cut cut = { { c & 7, c >> 3, w & 7 }, w >> 3, 0.0f }, all[6];
            cut.t = place_on(v, cut.node, cut.axis);
            if (taken_by(v, &cut, by)) write_merged(v, by, all, vertices_near(v, by, all), vertex);
        }
    }
}

static uint32_t index_of(const View* v, const int cell[3], int corner, int first_extra)
{
    if (corner >= MARCHING_FIRST_EXTRA)
        return (uint32_t)(first_extra + corner - MARCHING_FIRST_EXTRA);
    Cut cut = cut_of(v, cell, corner), all[6];
    int by[3];
    if (!taken_by(v, &cut, by)) return number_of(v, &cut);
    vertices_near(v, by, all);
    return number_of(v, &all[0]);
}

void tarn__marching_snap_emit(const TarnMarching* m, const MarchingNear* near, const float* nodes,
                              const MarchingBrick* brick)
{
    View v = { m, near, nodes };
    write_vertices(&v, brick);
    uint32_t* index = m->mesh->index ? m->mesh->index + 3 * (size_t)brick->first_triangle : NULL;
    int extra = brick->first_vertex + brick->n_edge_vertices;
    for (int c = 0; c < TARN_BLOCK_NODES; ++c) {
        int at[3] = { c & 7, c >> 3 & 7, c >> 6 };
        MarchingCell cell;
        if (!find_cell(&v, at, &cell)) continue;
        for (int x = 0; x < cell.n_extra; ++x)
            tarn__marching_extra(m, near, nodes, at, cell.extra[x], extra + x);
        for (int t = 0; t < cell.n_triangles && index; ++t) {
            if (!is_left(&v, at, cell.triangle[t])) continue;
            for (int i = 0; i < 3; ++i) *index++ = index_of(&v, at, cell.triangle[t][i], extra);
        }
        extra += cell.n_extra;
    }
}
