// Which nodes take in the vertices near them: the part of marching_snap.c that takes the time.
//
// A brick is looked at through a window: its nodes and those around it, -1 .. 9 along each axis, with the places
// of the tile. What is asked of a vertex is stored where its edge begins, so that a triangle costs three loads.

#include "mesh/marching_inside.h"
#include "base/kernels.h"
#include "base/maths.h"

enum {
    FIRST = TILE_SLAB + TILE_ROW + 6, // tile_at(0, 0, 0)
    FIRST_NODE = 3 * TILE_FLOATS,     // keys of vertices: edges, nodes that took some in,
    FIRST_EXTRA = 4 * TILE_FLOATS,    // and vertices inside of cells
    MAX_AROUND = 8 * MARCHING_MAX_TRIANGLES,
    MAX_CUTS = 1000, // along one axis
};
static const int strides[3] = { 1, TILE_ROW, TILE_SLAB };

typedef struct Window {
    const TarnMarching* m;
    const float* w;      // value of the first node
    int lo[3], hi[3];    // nodes that exist
    bool is_inner;       // all of them do, and none is in the ring
    uint16_t fluid[121]; // rows y + 11 z from -1 on, node x is bit x + 1
    uint16_t* key; // of an edge: what its vertex is now. Edges and nodes by their places in a tile
    float* t;      // of an edge: where its vertex is
    TarnVec3* middle;     // of a node that took some in: where they are, from it on [cells]
    uint8_t* near;        // of a node: edges with a vertex near it, +x +y +z -x -y -z
    MarchingTaken* taken; // of the brick
} Window;

// ---- The window ---------------------------------------------------------------------------------

// Bits of the nodes lo .. hi - 1, x from -1 on.
static unsigned bits_between(int lo, int hi)
{
    int a = lo < -1 ? 0 : lo + 1, b = hi > 10 ? 11 : hi + 1;
    return b > a ? ((1u << b) - 1) & ~((1u << a) - 1) : 0;
}

static void find_fluid(Window* v, const MarchingNear* near)
{
    const TarnMarching* m = v->m;
    const int s = m->shift;
    v->is_inner = true;
    for (int a = 0; a < 3; ++a) {
        v->lo[a] = m->field ? -s - near->first[a] : -1;
        v->hi[a] = m->field ? v->lo[a] + m->n_nodes[a] : 10;
        v->is_inner = v->is_inner && v->lo[a] + s <= -1 && v->hi[a] - s >= 10;
    }
    const unsigned of_field = bits_between(v->lo[0] + s, v->hi[0] - s); // without the ring
    const TarnF8 zero = f8_set(0.0f);
    for (int z = -1; z < 10; ++z) {
        for (int y = -1; y < 10; ++y) {
            const float* row = v->w + TILE_ROW * y + TILE_SLAB * z;
            unsigned bits = i8_mask_bits(f8_less(f8_load(row - 1), zero)) |
                            i8_mask_bits(f8_less(f8_load(row + 2), zero)) << 3;
            bool is_there = v->is_inner || (y >= v->lo[1] + s && y < v->hi[1] - s &&
                                            z >= v->lo[2] + s && z < v->hi[2] - s);
            v->fluid[y + 1 + 11 * (z + 1)] = (uint16_t)(is_there ? bits & of_field : 0);
        }
    }
}

// Lists edges along an axis that are cut, by their low nodes.
TARN_INLINE int list_cuts(const Window* v, int axis, int32_t* out)
{
    const int next = axis == 1 ? 1 : 11;
    int n = 0;
    unsigned there = bits_between(v->lo[0], v->hi[0]) & 1023;
    if (axis == 0) there &= bits_between(v->lo[0], v->hi[0]) >> 1;
    for (int z = -1; z < 9; ++z) {
        for (int y = -1; y < 9; ++y) {
            const uint16_t* row = &v->fluid[y + 1 + 11 * (z + 1)];
            unsigned cut = (axis == 0 ? row[0] ^ row[0] >> 1 : row[0] ^ row[next]) & there;
            if (cut == 0) continue;
            if (!v->is_inner && (y < v->lo[1] || y + (axis == 1) >= v->hi[1] || z < v->lo[2] ||
                                 z + (axis == 2) >= v->hi[2]))
                continue;
            for (; cut; cut &= cut - 1)
                out[n++] = TILE_ROW * y + TILE_SLAB * z + __builtin_ctz(cut) - 1;
        }
    }
    return n;
}

static int along(int at, int axis) // a place's coordinate
{
    return ((at + FIRST) >> 4 * axis & 15) - (axis == 0 ? 6 : 1);
}

// Vertices on the way to the ring sit at the last node of the grid.
static void close_cuts(const Window* v, int axis, const int32_t* at, int n, float* t)
{
    for (int i = 0; i < n && v->m->shift && !v->is_inner; ++i) {
        bool is_low = false, is_high = false;
        for (int a = 0; a < 3; ++a) {
            int x = along(at[i], a), y = x + (a == axis);
            is_low = is_low || x <= v->lo[a] || x >= v->hi[a] - 1;
            is_high = is_high || y <= v->lo[a] || y >= v->hi[a] - 1;
        }
        if (is_low || is_high) t[i] = is_low ? 1.0f - MARCHING_MARGIN : MARCHING_MARGIN;
    }
}

// Where vertices are, as they will be written, and which node they are near to.
TARN_INLINE void place_cuts(Window* v, int axis)
{
    const int step = strides[axis];
    int32_t at[MAX_CUTS + TARN_LANES];
    float t[MAX_CUTS + TARN_LANES];
    int n = list_cuts(v, axis, at);
    for (int l = 0; l < TARN_LANES; ++l) at[n + l] = 0;
    for (int i = 0; i < n; i += TARN_LANES) {
        TarnF8 w0 = f8_gather_at(v->w, at + i), w1 = f8_gather_at(v->w + step, at + i);
        TarnF8 place = f8_max(w0 / (w0 - w1), f8_set(MARCHING_MARGIN));
        f8_store(t + i, f8_min(place, f8_set(1.0f - MARCHING_MARGIN)));
    }
    close_cuts(v, axis, at, n, t);
    const float snap = v->m->snap;
    for (int i = 0; i < n; ++i) {
        int node = at[i] + FIRST, edge = axis * TILE_FLOATS + node;
        bool is_low = t[i] < snap, is_high = !is_low && 1.0f - t[i] < snap;
        v->t[edge] = t[i];
        v->key[edge] = (uint16_t)edge;
        v->near[node] = (uint8_t)(v->near[node] | is_low << axis);
        v->near[node + step] = (uint8_t)(v->near[node + step] | is_high << (3 + axis));
    }
}

// Of a node and one of six directions: the edge there.
TARN_INLINE int edge_at(int node, int d)
{
    int axis = d < 3 ? d : d - 3;
    return axis * TILE_FLOATS + node - (d < 3 ? 0 : strides[axis]);
}

// Where the vertex is that stands for several, from their node on.
TARN_INLINE TarnVec3 middle_of(const Window* v, int node)
{
    float sum[3] = { 0, 0, 0 };
    unsigned near = v->near[node];
    for (unsigned left = near; left; left &= left - 1) {
        int d = __builtin_ctz(left), axis = d < 3 ? d : d - 3;
        float t = v->t[edge_at(node, d)];
        sum[axis] += d < 3 ? t : -1.0f + t;
    }
    float scale = 1.0f / (float)__builtin_popcount(near);
    return (TarnVec3){ sum[0] * scale, sum[1] * scale, sum[2] * scale };
}

TARN_INLINE void take_in(Window* v, int node, unsigned near)
{
    for (unsigned left = near; left; left &= left - 1)
        v->key[edge_at(node, __builtin_ctz(left))] = (uint16_t)(FIRST_NODE + node);
}

// What the nodes of a neighbor took in, as far as it is in the window. What one took in that lies below the brick
// is not known to the last, so that its middle is not.
static void take_over(Window* v, const MarchingTaken* of, const int d[3])
{
    uint64_t wanted = d[0] < 0   ? 0x8080808080808080u
                      : d[0] > 0 ? 0x0101010101010101u
                                 : ~(uint64_t)0;
    wanted &= d[1] < 0 ? (uint64_t)255 << 56 : d[1] > 0 ? 255u : ~(uint64_t)0;
    bool is_below = d[0] < 0 || d[1] < 0 || d[2] < 0;
    for (int z = d[2] < 0 ? 7 : 0; z < (d[2] > 0 ? 1 : 8); ++z) {
        for (uint64_t word = of->node[z] & wanted; word; word &= word - 1) {
            int c = __builtin_ctzll(word);
            int x[3] = { (c & 7) + 8 * d[0], (c >> 3) + 8 * d[1], z + 8 * d[2] };
            int node = FIRST + x[0] + TILE_ROW * x[1] + TILE_SLAB * x[2];
            unsigned near = v->near[node];
            take_in(v, node, near);
            if (!is_below) v->middle[node] = middle_of(v, node);
        }
    }
}

// ---- Triangles around a node --------------------------------------------------------------------

// Those of one vertex that becomes another: their other two make the rim.
typedef struct Around {
    int n, n_rim, n_other;
    unsigned own;                              // vertices seen that shall become one, by edge
    uint16_t from[MAX_AROUND], to[MAX_AROUND]; // keys of the rim
    uint16_t other[MAX_AROUND];                // and of what triangles with two of one's own have
    float now[9][MAX_AROUND + 8], then[9][MAX_AROUND + 8]; // corners of those at the rim
    int gone[8];                                           // triangles that vanish, by cell
} Around;

// A cell around the node: it is c below it, bit by axis.
typedef struct Cell {
    int c, at; // place of its low corner
    unsigned own;
    const float (*extra)[3];
} Cell;

static const uint8_t edge_low[12][3] = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0, 1, 1 },
                                         { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 }, { 1, 0, 1 },
                                         { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } };
enum { X = TILE_FLOATS, Z = 2 * TILE_FLOATS };
static const int edge_place[12] = {
    0, TILE_ROW, TILE_SLAB,    TILE_ROW + TILE_SLAB, X, X + 1, X + TILE_SLAB, X + 1 + TILE_SLAB,
    Z, Z + 1,    Z + TILE_ROW, Z + 1 + TILE_ROW,
};

TARN_INLINE int key_of(const Window* v, const Cell* cell, int corner)
{
    if (corner >= MARCHING_FIRST_EXTRA)
        return FIRST_EXTRA + MARCHING_MAX_EXTRA * cell->c + corner - MARCHING_FIRST_EXTRA;
    return v->key[cell->at + edge_place[corner]];
}

// Place of a corner from the node on.
TARN_INLINE void find_place(const Window* v, int node, const Cell* cell, int corner, int key,
                            float out[3])
{
    if (corner >= MARCHING_FIRST_EXTRA) {
        const float* x = cell->extra[corner - MARCHING_FIRST_EXTRA];
        for (int a = 0; a < 3; ++a) out[a] = (float)-(cell->c >> a & 1) + x[a];
        return;
    }
    if (key >= FIRST_NODE) {
        int by = key - FIRST_NODE - FIRST, from = node - FIRST;
        int x[3] = { along(by, 0), along(by, 1), along(by, 2) };
        if (x[0] >= 0 && x[1] >= 0 && x[2] >= 0) {
            TarnVec3 middle = v->middle[key - FIRST_NODE];
            out[0] = middle.x + (float)(x[0] - along(from, 0));
            out[1] = middle.y + (float)(x[1] - along(from, 1));
            out[2] = middle.z + (float)(x[2] - along(from, 2));
            return;
        }
    }
    for (int a = 0; a < 3; ++a) out[a] = (float)(edge_low[corner][a] - (cell->c >> a & 1));
    out[corner >> 2] += v->t[cell->at + edge_place[corner]];
}

TARN_INLINE void add_triangle(const Window* v, int node, const Cell* cell, const uint8_t* corner,
                              const float middle[3], Around* out)
{
    unsigned bit[3] = { cell->own >> corner[0] & 1, cell->own >> corner[1] & 1,
                        cell->own >> corner[2] & 1 };
    unsigned n_own = bit[0] + bit[1] + bit[2];
    if (n_own == 0) return;
    int key[3];
    for (int i = 0; i < 3; ++i) key[i] = key_of(v, cell, corner[i]);
    if (key[0] == key[1] || key[1] == key[2] || key[2] == key[0]) return;
    ++out->n;
    for (int i = 0; i < 3; ++i) // by direction: the axis of the edge, and where the cell is
        out->own |= bit[i] << (corner[i] / 4 + 3 * (cell->c >> corner[i] / 4 & 1));
    if (n_own > 1) {
        ++out->gone[cell->c];
        for (int i = 0; i < 3; ++i)
            if (!bit[i]) out->other[out->n_other++] = (uint16_t)key[i];
        return;
    }
    int own = bit[0] ? 0 : bit[1] ? 1 : 2, r = out->n_rim++;
    out->from[r] = (uint16_t)key[own == 2 ? 0 : own + 1];
    out->to[r] = (uint16_t)key[own == 0 ? 2 : own - 1];
    for (int i = 0; i < 3; ++i) {
        float place[3];
        find_place(v, node, cell, corner[i], key[i], place);
        for (int a = 0; a < 3; ++a) {
            out->now[3 * i + a][r] = place[a];
            out->then[3 * i + a][r] = i == own ? middle[a] : place[a];
        }
    }
}

// Edges of cell c around a node with vertices near it: they are at the cell's corner that is the node.
TARN_INLINE unsigned own_edges(int c, unsigned near)
{
    unsigned x = near >> (c & 1 ? 3 : 0) & 1, y = near >> (c & 2 ? 4 : 1) & 1;
    unsigned z = near >> (c & 4 ? 5 : 2) & 1;
    return x << (c >> 1) | y << (4 + (c & 1) + 2 * (c >> 2)) | z << (8 + (c & 3));
}

static bool has_cell(const Window* v, const int x[3])
{
    for (int a = 0; a < 3 && !v->is_inner; ++a)
        if (x[a] < v->lo[a] || x[a] + 1 >= v->hi[a]) return false;
    return true;
}

static void add_slow(const Window* v, int node, const Cell* fast, const int x[3],
                     const float middle[3], Around* out)
{
    float level[8];
    for (int c = 0; c < 8; ++c) {
        bool is_in_ring = false;
        int at = 0;
        for (int a = 0; a < 3; ++a) {
            int y = x[a] + (c >> a & 1);
            at += strides[a] * y;
            is_in_ring =
                is_in_ring || (v->m->shift && !v->is_inner && (y <= v->lo[a] || y >= v->hi[a] - 1));
        }
        level[c] = is_in_ring ? MARCHING_BIG : v->w[at];
    }
    MarchingCell solved;
    tarn__marching_cell(level, &solved);
    Cell cell = *fast;
    cell.extra = (const float(*)[3])solved.extra;
    for (int t = 0; t < solved.n_triangles; ++t)
        add_triangle(v, node, &cell, solved.triangle[t], middle, out);
}

static void find_around(const Window* v, const int n[3], int node, unsigned near,
                        const float middle[3], Around* out)
{
    out->n = out->n_rim = out->n_other = 0, out->own = 0;
    for (int c = 0; c < 8; ++c) {
        out->gone[c] = 0;
        Cell cell = { .c = c, .own = own_edges(c, near) };
        int x[3] = { n[0] - (c & 1), n[1] - (c >> 1 & 1), n[2] - (c >> 2) };
        if (cell.own == 0 || !has_cell(v, x)) continue;
        cell.at = FIRST + x[0] + TILE_ROW * x[1] + TILE_SLAB * x[2];
        const uint16_t* row = &v->fluid[x[1] + 1 + 11 * (x[2] + 1)];
        unsigned s = (unsigned)x[0] + 1;
        unsigned fluid = (row[0] >> s & 3u) | (row[1] >> s & 3u) << 2 | (row[11] >> s & 3u) << 4 |
                         (row[12] >> s & 3u) << 6;
        int n_triangles = v->m->cases[fluid].n_triangles;
        const uint8_t* corner = v->m->case_edges[fluid];
        if (n_triangles == MARCHING_SLOW)
            add_slow(v, node, &cell, x, middle, out);
        else
            for (int t = 0; t < n_triangles; ++t)
                add_triangle(v, node, &cell, corner + 3 * t, middle, out);
    }
}

// ---- May a node take in its vertices? ----------------------------------------------------------------

// Twice the area over the square of the longest side: 0.87 at best, about the least angle of slivers.
TARN_INLINE TarnF8 shape8(float p[9][MAX_AROUND + 8], int at, TarnF8 normal[3])
{
    TarnF8 a[3], b[3], d[3];
    for (int i = 0; i < 3; ++i) {
        TarnF8 p0 = f8_load(p[i] + at), p1 = f8_load(p[3 + i] + at), p2 = f8_load(p[6 + i] + at);
        a[i] = p1 - p0, b[i] = p2 - p0, d[i] = p2 - p1;
    }
    normal[0] = a[1] * b[2] - a[2] * b[1];
    normal[1] = a[2] * b[0] - a[0] * b[2];
    normal[2] = a[0] * b[1] - a[1] * b[0];
    TarnF8 aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    TarnF8 bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    TarnF8 dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    TarnF8 nn = normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2];
    TarnF8 longest = f8_max(f8_max(aa, bb), dd);
    return f8_select(f8_less(f8_set(0.0f), longest), f8_sqrt(nn) / longest, f8_set(0.0f));
}

// Would a triangle of the rim turn over, or become a sliver that it is not?
TARN_INLINE bool is_spoiled(Around* around, TarnVec3 gradient)
{
    for (int i = 0; i < around->n_rim; i += TARN_LANES) {
        int left = around->n_rim - i;
        unsigned lanes = left < TARN_LANES ? (1u << left) - 1 : 255;
        TarnF8 n[3], before[3];
        TarnF8 shape = shape8(around->then, i, n);
        TarnF8 turn = n[0] * gradient.x + n[1] * gradient.y + n[2] * gradient.z;
        if (~i8_mask_bits(f8_less(f8_set(0.0f), turn)) & lanes) return true;
        unsigned thin = i8_mask_bits(f8_less(shape, f8_set(0.02f))) & lanes;
        if (thin && i8_mask_bits(f8_less(shape, shape8(around->now, i, before))) & thin)
            return true;
    }
    return false;
}

// Is the rim one ring of at least three that meets no vertex twice, and what is in it a disc?
TARN_INLINE bool is_disc(const Around* around)
{
    int rim = around->n_rim, at = 0, length = 0;
    if (rim < 3) return false;
    do { // to the first that begins where this one ends: if two do, one of them is never met
        int next = 0;
        while (next < rim && around->from[next] != around->to[at]) ++next;
        if (next == rim) return false;
        at = next, ++length;
    } while (at != 0 && length <= rim);
    if (at != 0 || length != rim) return false;
    int vertices = __builtin_popcount(around->own) + rim;
    for (int i = 0; i < around->n_other; ++i) { // nearly all are at the rim
        bool is_known = false;
        for (int r = 0; r < rim && !is_known; ++r) is_known = around->from[r] == around->other[i];
        for (int o = 0; o < i && !is_known; ++o) is_known = around->other[o] == around->other[i];
        vertices += !is_known;
    }
    // Each inner edge has two triangles, each of the rim one.
    return 2 * vertices - (3 * around->n + rim) + 2 * around->n == 2;
}

static void decide_node(Window* v, const int n[3], Around* around)
{
    int node = FIRST + n[0] + TILE_ROW * n[1] + TILE_SLAB * n[2];
    unsigned near = v->near[node];
    TarnVec3 middle = middle_of(v, node);
    const float at[3] = { middle.x, middle.y, middle.z };
    find_around(v, n, node, near, at, around);
    if (!is_disc(around)) return;
    const float* w = v->w + node - FIRST;
    TarnVec3 gradient = { w[1] - w[-1], w[TILE_ROW] - w[-TILE_ROW], w[TILE_SLAB] - w[-TILE_SLAB] };
    if (is_spoiled(around, vec3_normalize(gradient))) return;
    take_in(v, node, near);
    v->middle[node] = middle;
    MarchingTaken* taken = v->taken;
    taken->node[n[2]] |= (uint64_t)1 << (8 * n[1] + n[0]);
    for (unsigned left = near; left; left &= left - 1)
        taken->edge[__builtin_ctz(left)][n[2]] |= (uint64_t)1 << (8 * n[1] + n[0]);
    for (int c = 0; c < 8; ++c) { // in which brick the cell is
        int below = (c & 1 && n[0] == 0) | (c & 2 && n[1] == 0) << 1 | (c & 4 && n[2] == 0) << 2;
        taken->gone[below] = (uint16_t)(taken->gone[below] + around->gone[c]);
    }
}

static void decide(const TarnMarching* m, const MarchingNear* near, const float* tile,
                   MarchingTaken* taken)
{
    uint16_t key[3 * TILE_FLOATS];
    float t[3 * TILE_FLOATS];
    TarnVec3 middle[TILE_FLOATS];
    uint8_t near_edges[TILE_FLOATS];
    Around around;
    memset(near_edges, 0, sizeof near_edges);
    memset(taken, 0, sizeof *taken);
    Window v = { .m = m, .w = tile + FIRST, .key = key, .t = t };
    v.middle = middle, v.near = near_edges, v.taken = taken;
    find_fluid(&v, near);
    place_cuts(&v, 0), place_cuts(&v, 1), place_cuts(&v, 2);
    for (int b = 0; b < 27; ++b) {
        int at = near->at[b];
        if (b == NEAR_SELF || at < 0 || !m->bricks[at].has_merged) continue;
        take_over(&v, &m->taken[at], (int[3]){ b % 3 - 1, b / 3 % 3 - 1, b / 9 - 1 });
    }
    for (int r = 0; r < 64; ++r) {
        int n[3] = { 0, r & 7, r >> 3 };
        const uint8_t* row = near_edges + FIRST + TILE_ROW * n[1] + TILE_SLAB * n[2];
        uint64_t any;
        memcpy(&any, row, sizeof any);
        if (any == 0) continue;
        for (n[0] = 0; n[0] < 8; ++n[0])
            if (row[n[0]] & (row[n[0]] - 1)) decide_node(&v, n, &around);
    }
}

const MarchingSnapKernels TARN_KERNEL(tarn__marching_snap_kernels) = { decide };
