// Slivers: where the surface passes close to a node, its vertices on the edges of that node become one.
//
// Method   A node takes in the vertices nearer to it than `snap` if what is left stays the same surface: the
//          triangles around them must be a disc, and its rim a ring of at least three that meets no vertex
//          twice. The ring with one vertex in its middle is a disc again, so open edges, orientation and Euler
//          characteristic stay. All triangles in question are in the eight cells around the node.
//          Nodes that share a cell decide one after the other: in a brick in order, and bricks side by side in
//          different passes, by the parity of their places. What would fold, or make a new sliver, stays.
// Differs  from [Raman2008], who snap the values and need a table of 3^8 cases.
// Checked  tests/unit/test_marching_snap.c, `tarn check mesh.random`.

#include "mesh/marching_inside.h"
#include "base/maths.h"

enum { SNAP_CHUNK = 32, FIRST_EXTRA_KEY = 81, FIRST_NODE_KEY = 177, KEYS = 204, MAX_AROUND = 256 };

// A brick with its values.
typedef struct View {
    const TarnMarching* m;
    const MarchingNear* near;
    const float* nodes;                     // from the brick's first node on
    int lo[3], hi[3];                       // nodes that exist
    bool is_inner;                          // all of them do, and none is in the ring
    uint16_t fluid[11][11], merged[11][11]; // rows (z, y) from -1 on, node x is bit x + 1
    uint8_t
        end[3][TILE_SLAB * 10]; // of the edge from a node on, as near_end says it, when asked first
} View;
enum { END_UNKNOWN, END_NONE, END_LOW, END_HIGH };

// Bits of the nodes lo .. hi - 1, x from -1 on.
static unsigned bits_between(int lo, int hi)
{
    int a = lo < -1 ? 0 : lo + 1, b = hi > 10 ? 11 : hi + 1;
    return b > a ? ((1u << b) - 1) & ~((1u << a) - 1) : 0;
}

static unsigned merged_row(const View* v, int y, int z)
{
    unsigned part[3];
    for (int x = 0; x < 3; ++x) {
        int brick = v->near->at[x + 3 * ((y + 8) >> 3) + 9 * ((z + 8) >> 3)];
        part[x] = brick < 0 ? 0 : (unsigned)(v->m->merged[brick][z & 7] >> 8 * (y & 7)) & 255;
    }
    return part[0] >> 7 | part[1] << 1 | (part[2] & 3) << 9;
}

static void look_at(const TarnMarching* m, const MarchingNear* near, const float* nodes, View* v)
{
    v->m = m, v->near = near, v->nodes = nodes;
    v->is_inner = true;
    for (int a = 0; a < 3; ++a) {
        v->lo[a] = m->field ? -m->shift - near->first[a] : -1;
        v->hi[a] = m->field ? v->lo[a] + m->n_nodes[a] : 10;
        v->is_inner = v->is_inner && v->lo[a] + m->shift <= -1 && v->hi[a] - m->shift >= 10;
    }
    memset(v->end, END_UNKNOWN, sizeof v->end);
    const int* s = v->hi; // of the field itself, without the ring
    unsigned x_bits = bits_between(v->lo[0] + m->shift, s[0] - m->shift);
    for (int z = -1; z < 10; ++z) {
        for (int y = -1; y < 10; ++y) {
            bool is_there = y >= v->lo[1] + m->shift && y < s[1] - m->shift &&
                            z >= v->lo[2] + m->shift && z < s[2] - m->shift;
            const float* row = nodes + TILE_ROW * y + TILE_SLAB * z - 1;
            unsigned bits = 0;
            for (int x = 0; x < 11; ++x) bits |= (unsigned)(row[x] < 0.0f) << x;
            v->fluid[z + 1][y + 1] = (uint16_t)(is_there ? bits & x_bits : 0);
            v->merged[z + 1][y + 1] = (uint16_t)merged_row(v, y, z);
        }
    }
}
static bool is_fluid(const View* v, const int n[3])
{
    return v->fluid[n[2] + 1][n[1] + 1] >> (n[0] + 1) & 1;
}
static bool is_merged(const View* v, const int n[3])
{
    return v->merged[n[2] + 1][n[1] + 1] >> (n[0] + 1) & 1;
}

// A cut edge.
typedef struct Cut {
    int node[3], axis; // low end
} Cut;

static bool exists(const View* v, const int n[3])
{
    if (v->is_inner) return true;
    for (int a = 0; a < 3; ++a)
        if (n[a] < v->lo[a] || n[a] >= v->hi[a]) return false;
    return true;
}
static bool is_in_ring(const View* v, const int n[3])
{
    if (v->is_inner) return false;
    for (int a = 0; a < 3 && v->m->shift; ++a)
        if (n[a] <= v->lo[a] || n[a] >= v->hi[a] - 1) return true;
    return false;
}
// Of a row: nodes with a vertex beside them, and cells that are cut. What is beyond the grid counts as not fluid
// here, so that there are too many at its edges.
static unsigned nodes_beside(const View* v, int y, int z)
{
    unsigned row = v->fluid[z + 1][y + 1];
    unsigned beside = (row ^ row << 1) | (row ^ row >> 1) | (row ^ v->fluid[z + 1][y]) |
                      (row ^ v->fluid[z + 1][y + 2]) | (row ^ v->fluid[z][y + 1]) |
                      (row ^ v->fluid[z + 2][y + 1]);
    return beside >> 1 & 255;
}
static unsigned cells_cut(const View* v, int y, int z)
{
    unsigned a = v->fluid[z + 1][y + 1], b = v->fluid[z + 1][y + 2], c = v->fluid[z + 2][y + 1];
    unsigned d = v->fluid[z + 2][y + 2], any = a | b | c | d, all = a & b & c & d;
    return ((any | any >> 1) & ~(all & all >> 1)) >> 1 & 255;
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

// The end that a vertex is near to: 0 the low one, 1 the high one, -1 none.
static int near_end(View* v, const Cut* cut)
{
    const int* n = cut->node;
    uint8_t* known = &v->end[cut->axis][(n[2] + 1) * TILE_SLAB + (n[1] + 1) * TILE_ROW + n[0] + 1];
    if (*known == END_UNKNOWN) {
        float t = place_on(v, n, cut->axis);
        *known = t < v->m->snap ? END_LOW : 1.0f - t < v->m->snap ? END_HIGH : END_NONE;
    }
    return *known == END_LOW ? 0 : *known == END_HIGH ? 1 : -1;
}

// Vertices near a node, those on edges to higher nodes first; the first stands for all.
static int vertices_near(View* v, const int n[3], Cut out[6])
{
    int count = 0;
    bool fluid = is_fluid(v, n);
    for (int d = 0; d < 6; ++d) {
        int axis = d % 3, other[3] = { n[0], n[1], n[2] };
        other[axis] += d < 3 ? 1 : -1;
        if (is_fluid(v, other) == fluid || !exists(v, other)) continue;
        const int* low = d < 3 ? n : other;
        Cut cut = { { low[0], low[1], low[2] }, axis };
        if (near_end(v, &cut) == (d < 3 ? 0 : 1)) out[count++] = cut;
    }
    return count;
}

// ---- The triangles of a cell ----------------------------------------------------------------------

// Corners of triangles are edges of the cell, 4 axis + u + 2 v, or, from 12 on, vertices inside.
static bool find_cell(const View* v, const int at[3], MarchingCell* out)
{
    if (!exists(v, at) || !exists(v, (int[3]){ at[0] + 1, at[1] + 1, at[2] + 1 })) return false;
    unsigned fluid = 0;
    for (int r = 0; r < 4; ++r) // rows along x
        fluid |= (v->fluid[at[2] + 1 + (r >> 1)][at[1] + 1 + (r & 1)] >> (at[0] + 1) & 3u) << 2 * r;
    const MarchingCase* row = &v->m->cases[fluid];
    if (row->n_triangles != MARCHING_SLOW) {
        out->n_extra = 0, out->n_triangles = row->n_triangles;
        memcpy(out->triangle, v->m->case_edges[fluid], 15);
        return true;
    }
    float level[8];
    for (int c = 0; c < 8; ++c)
        level[c] = level_of(v, (int[3]){ at[0] + (c & 1), at[1] + (c >> 1 & 1), at[2] + (c >> 2) });
    tarn__marching_cell(level, out);
    return true;
}

static Cut cut_of(const int cell[3], int edge)
{
    int axis = edge / 4, u = edge & 1, w = edge >> 1 & 1;
    Cut cut = { { cell[0], cell[1], cell[2] }, axis };
    cut.node[axis == 0 ? 1 : 0] += u;
    cut.node[axis == 2 ? 1 : 2] += w;
    return cut;
}

// The node that took a vertex in, into n; false: none did.
static bool taken_by(View* v, const Cut* cut, int n[3])
{
    int end = near_end(v, cut);
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
    TarnVec3 at[MAX_AROUND][3]; // from the node on [cells]
} Around;

static TarnVec3 offset_of(const View* v, const int n[3], const Cut* cut)
{
    float at[3];
    for (int a = 0; a < 3; ++a) at[a] = (float)(cut->node[a] - n[a]);
    at[cut->axis] += place_on(v, cut->node, cut->axis);
    return (TarnVec3){ at[0], at[1], at[2] };
}

static int key_of(View* v, const int n[3], const int cell[3], int cell_number, int corner)
{
    if (corner >= MARCHING_FIRST_EXTRA)
        return FIRST_EXTRA_KEY + 12 * cell_number + corner - MARCHING_FIRST_EXTRA;
    Cut cut = cut_of(cell, corner);
    int by[3], place = 0, weight = 1;
    bool is_taken = taken_by(v, &cut, by);
    const int* at = is_taken ? by : cut.node;
    for (int a = 0; a < 3; ++a, weight *= 3) place += weight * (at[a] - n[a] + 1);
    return is_taken ? FIRST_NODE_KEY + place : 3 * place + cut.axis;
}

// Where the vertex is that stands for several.
static TarnVec3 middle_of(const View* v, const int n[3], const Cut* cuts, int count)
{
    TarnVec3 sum = { 0, 0, 0 };
    for (int i = 0; i < count; ++i) sum = vec3_add(sum, offset_of(v, n, &cuts[i]));
    return vec3_scale(sum, 1.0f / (float)count);
}

// Of a vertex, also if a node took it in. What that one took in is not known if it lies below the brick.
static TarnVec3 place_of(View* v, const int n[3], Cut cut)
{
    int by[3];
    Cut all[6];
    if (!taken_by(v, &cut, by) || by[0] < 0 || by[1] < 0 || by[2] < 0) return offset_of(v, n, &cut);
    TarnVec3 at = middle_of(v, by, all, vertices_near(v, by, all));
    TarnVec3 step = { (float)(by[0] - n[0]), (float)(by[1] - n[1]), (float)(by[2] - n[2]) };
    return vec3_add(at, step);
}

// Edges of a cell around the node with vertices that shall become one: they are at the cell's corner that is the
// node, which has the cell's number.
static unsigned own_edges(const int n[3], int cell_number, const Cut* cuts, int count)
{
    unsigned own = 0;
    for (int i = 0; i < count; ++i) {
        int axis = cuts[i].axis, is_below = cuts[i].node[axis] != n[axis];
        if ((cell_number >> axis & 1) != is_below) continue;
        int u = axis == 0 ? cell_number >> 1 & 1 : cell_number & 1;
        int w = axis == 2 ? cell_number >> 1 & 1 : cell_number >> 2;
        own |= 1u << (4 * axis + u + 2 * w);
    }
    return own;
}

static void add_triangle(View* v, const int n[3], int cell_number, const int at[3],
                         const MarchingCell* cell, int t, unsigned own_mask, Around* out)
{
    const uint8_t* corner = cell->triangle[t];
    uint8_t* key = out->key[out->n];
    bool* own = out->is_own[out->n];
    for (int c = 0; c < 3; ++c)
        own[c] = own_mask >> corner[c] & 1; // vertices inside are from bit 12 on
    if (!own[0] && !own[1] && !own[2]) return;
    for (int c = 0; c < 3; ++c) key[c] = (uint8_t)key_of(v, n, at, cell_number, corner[c]);
    if (key[0] == key[1] || key[1] == key[2] || key[2] == key[0]) return;
    for (int c = 0; c < 3 && own[0] + own[1] + own[2] == 1; ++c) { // others will vanish
        if (corner[c] >= MARCHING_FIRST_EXTRA) {
            const float* x = cell->extra[corner[c] - MARCHING_FIRST_EXTRA];
            out->at[out->n][c] =
                (TarnVec3){ (float)(at[0] - n[0]) + x[0], (float)(at[1] - n[1]) + x[1],
                            (float)(at[2] - n[2]) + x[2] };
        } else
            out->at[out->n][c] = place_of(v, n, cut_of(at, corner[c]));
    }
    ++out->n;
}

static void find_around(View* v, const int n[3], const Cut* cuts, int count, Around* out)
{
    out->n = 0;
    for (int c = 0; c < 8; ++c) {
        int at[3] = { n[0] - (c & 1), n[1] - (c >> 1 & 1), n[2] - (c >> 2) };
        unsigned own_mask = own_edges(n, c, cuts, count);
        MarchingCell cell;
        if (own_mask == 0 || !find_cell(v, at, &cell)) continue;
        for (int t = 0; t < cell.n_triangles; ++t)
            add_triangle(v, n, c, at, &cell, t, own_mask, out);
    }
}

// Twice the area over the square of the longest side: 0.87 at best, about the least angle of slivers.
static float shape_of(const TarnVec3 p[3], TarnVec3* normal)
{
    TarnVec3 a = vec3_sub(p[1], p[0]), b = vec3_sub(p[2], p[0]), d = vec3_sub(p[2], p[1]);
    *normal = vec3_cross(a, b);
    float longest = tarn_maxf(tarn_maxf(vec3_dot(a, a), vec3_dot(b, b)), vec3_dot(d, d));
    return longest > 0.0f ? sqrtf(vec3_dot(*normal, *normal)) / longest : 0.0f;
}

// Would a triangle of the rim turn over, or become a sliver that it is not?
static bool is_spoiled(const Around* around, TarnVec3 middle, TarnVec3 gradient)
{
    for (int t = 0; t < around->n; ++t) {
        const bool* own = around->is_own[t];
        if (own[0] + own[1] + own[2] != 1) continue;
        TarnVec3 p[3], normal;
        for (int c = 0; c < 3; ++c) p[c] = own[c] ? middle : around->at[t][c];
        float shape = shape_of(p, &normal);
        if (vec3_dot(normal, gradient) <= 0.0f) return true;
        if (shape < 0.02f && shape < shape_of(around->at[t], &normal)) return true;
    }
    return false;
}

static TarnVec3 gradient_at(const View* v, const int n[3])
{
    const float* w = v->nodes + n[0] + TILE_ROW * n[1] + TILE_SLAB * n[2];
    return (TarnVec3){ w[1] - w[-1], w[TILE_ROW] - w[-TILE_ROW], w[TILE_SLAB] - w[-TILE_SLAB] };
}

static bool can_merge(View* v, const int n[3], const Cut* cuts, int count)
{
    Around around;
    find_around(v, n, cuts, count, &around);
    TarnVec3 gradient = vec3_normalize(gradient_at(v, n));
    if (is_spoiled(&around, middle_of(v, n, cuts, count), gradient)) return false;
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
    int parity; // of the bricks that decide; COUNT: all of them count
} Pass;
enum { COUNT = 8 };

static void merge_nodes(View* v, uint64_t merged[BRICK_SIDE])
{
    for (int r = 0; r < 64; ++r) {
        for (unsigned row = nodes_beside(v, r & 7, r >> 3); row; row &= row - 1) {
            int n[3] = { __builtin_ctz(row), r & 7, r >> 3 };
            Cut cuts[6];
            if (!exists(v, n) || is_in_ring(v, n)) continue;
            int count = vertices_near(v, n, cuts);
            if (count < 2 || !can_merge(v, n, cuts, count)) continue;
            merged[n[2]] |= (uint64_t)1 << (8 * n[1] + n[0]);
            v->merged[n[2] + 1][n[1] + 1] |= (uint16_t)(1u << (n[0] + 1));
        }
    }
}

static int parity_of(const TarnMarching* m, int brick)
{
    if (!m->field) {
        uint64_t key = m->keys[brick];
        return (int)((key & 1) | (key >> 21 & 1) << 1 | (key >> 42 & 1) << 2);
    }
    const int* n = m->per;
    return (brick % n[0] & 1) | (brick / n[0] % n[1] & 1) << 1 | (brick / n[0] / n[1] & 1) << 2;
}

// Is a vertex not taken in, or the one that stands for those that are?
static bool is_kept(View* v, const Cut* cut)
{
    int by[3];
    if (!taken_by(v, cut, by)) return true;
    Cut all[6];
    vertices_near(v, by, all);
    return all[0].axis == cut->axis && memcmp(all[0].node, cut->node, sizeof cut->node) == 0;
}

// What an edge or a vertex inside of a cell has become: corners of the cell that took it in are 100 on.
static int class_of(View* v, const int cell[3], int corner)
{
    if (corner >= MARCHING_FIRST_EXTRA) return corner;
    Cut cut = cut_of(cell, corner);
    int by[3];
    if (!taken_by(v, &cut, by)) return corner;
    return 100 + (by[0] - cell[0]) + 2 * (by[1] - cell[1]) + 4 * (by[2] - cell[2]);
}
static bool is_left(View* v, const int cell[3], const uint8_t corner[3])
{
    int a = class_of(v, cell, corner[0]), b = class_of(v, cell, corner[1]);
    int c = class_of(v, cell, corner[2]);
    return a != b && b != c && c != a;
}

static void count_anew(View* v, MarchingBrick* brick)
{
    int extra = brick->n_vertices - brick->n_edge_vertices, n = 0;
    for (int w = 0; w < 24; ++w) {
        brick->before[w] = (uint16_t)n;
        uint64_t cross = brick->n_edge_vertices > 0 ? brick->cross[w] : 0; // else never written
        for (uint64_t word = cross; word; word &= word - 1) {
            int c = __builtin_ctzll(word);
            Cut cut = { { c & 7, c >> 3, w & 7 }, w >> 3 };
            if (!is_kept(v, &cut)) cross &= ~((uint64_t)1 << c);
        }
        brick->cross[w] = cross;
        n += __builtin_popcountll(cross);
    }
    brick->n_edge_vertices = n;
    brick->n_vertices = n + extra;
    brick->n_triangles = 0;
    for (int r = 0; r < 64; ++r) {
        for (unsigned row = cells_cut(v, r & 7, r >> 3); row; row &= row - 1) {
            int at[3] = { __builtin_ctz(row), r & 7, r >> 3 };
            MarchingCell cell;
            if (!find_cell(v, at, &cell)) continue;
            for (int t = 0; t < cell.n_triangles; ++t)
                brick->n_triangles += is_left(v, at, cell.triangle[t]);
        }
    }
}

static void pass_chunk(int task, void* data)
{
    const Pass* p = data;
    TarnMarching* m = p->m;
    MarchingCursor cursor = { .is_set = false };
    MarchingNear near;
    View v;
    float tile[TILE_FLOATS] __attribute__((aligned(64)));
    for (int b = task * SNAP_CHUNK; b < (task + 1) * SNAP_CHUNK && b < m->n_bricks; ++b) {
        if (m->bricks[b].n_vertices == 0 && m->bricks[b].n_triangles == 0) continue;
        if (p->parity != COUNT && parity_of(m, b) != p->parity) continue;
        tarn__marching_near(m, b, true, &cursor, &near);
        m->kernels->load(m, &near, tile);
        look_at(m, &near, tile + tile_at(0, 0, 0), &v);
        if (p->parity == COUNT)
            count_anew(&v, &m->bricks[b]);
        else
            merge_nodes(&v, m->merged[b]);
    }
}

void tarn__marching_snap(TarnMarching* m)
{
    memset(m->merged, 0, (size_t)m->n_bricks * sizeof *m->merged);
    for (int parity = 0; parity <= COUNT; ++parity) {
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
static void write_merged(View* v, const int n[3], const Cut* cuts, int count, int vertex)
{
    const TarnMarching* m = v->m;
    if (m->mesh->position) {
        TarnVec3 at = middle_of(v, n, cuts, count);
        const int* base = v->near->first;
        m->mesh->position[vertex] =
            (TarnVec3){ m->origin.x + m->dx * ((float)(base[0] + n[0]) + at.x),
                        m->origin.y + m->dx * ((float)(base[1] + n[1]) + at.y),
                        m->origin.z + m->dx * ((float)(base[2] + n[2]) + at.z) };
    }
    if (m->mesh->normal) {
        TarnVec3 g = gradient_at(v, n);
        bool is_up = is_fluid(v, n) == (cuts[0].node[cuts[0].axis] == n[cuts[0].axis]);
        m->mesh->normal[vertex] = tarn__marching_normal(g, cuts[0].axis, is_up);
    }
    if (m->mesh->velocity || (m->mesh->attribute && m->mesh->n_attributes > 0)) {
        float t = cuts[0].node[cuts[0].axis] == n[cuts[0].axis] ? 0.0f : 1.0f;
        tarn__marching_carry_edge(m, v->near, cuts[0].node, cuts[0].axis, t, vertex);
    }
}

static void write_vertices(View* v, const MarchingBrick* brick)
{
    int vertex = brick->first_vertex;
    for (int w = 0; w < 24; ++w) {
        for (uint64_t word = brick->n_edge_vertices > 0 ? brick->cross[w] : 0; word;
             word &= word - 1, ++vertex) {
            int c = __builtin_ctzll(word), by[3];
            Cut cut = { { c & 7, c >> 3, w & 7 }, w >> 3 }, all[6];
            if (taken_by(v, &cut, by)) write_merged(v, by, all, vertices_near(v, by, all), vertex);
        }
    }
}

static uint32_t index_of(View* v, const int cell[3], int corner, int first_extra)
{
    if (corner >= MARCHING_FIRST_EXTRA)
        return (uint32_t)(first_extra + corner - MARCHING_FIRST_EXTRA);
    Cut cut = cut_of(cell, corner), all[6];
    int by[3];
    if (!taken_by(v, &cut, by)) return number_of(v, &cut);
    vertices_near(v, by, all);
    return number_of(v, &all[0]);
}

// Returns the end of what was written.
static uint32_t* write_cell(View* v, const int at[3], int* extra, uint32_t* index)
{
    MarchingCell cell;
    if (!find_cell(v, at, &cell)) return index;
    for (int x = 0; x < cell.n_extra; ++x)
        tarn__marching_extra(v->m, v->near, v->nodes, at, cell.extra[x], *extra + x);
    for (int t = 0; t < cell.n_triangles && index; ++t) {
        if (!is_left(v, at, cell.triangle[t])) continue;
        for (int i = 0; i < 3; ++i) *index++ = index_of(v, at, cell.triangle[t][i], *extra);
    }
    *extra += cell.n_extra;
    return index;
}

void tarn__marching_snap_emit(const TarnMarching* m, const MarchingNear* near, const float* nodes,
                              const MarchingBrick* brick)
{
    View v;
    look_at(m, near, nodes, &v);
    write_vertices(&v, brick);
    uint32_t* index = m->mesh->index ? m->mesh->index + 3 * (size_t)brick->first_triangle : NULL;
    int extra = brick->first_vertex + brick->n_edge_vertices;
    for (int r = 0; r < 64; ++r)
        for (unsigned row = cells_cut(&v, r & 7, r >> 3); row; row &= row - 1)
            index = write_cell(&v, (int[3]){ __builtin_ctz(row), r & 7, r >> 3 }, &extra, index);
}
