// Which nodes take in the vertices near them: the part of marching_snap.c that takes the time.
//
// A brick is looked at through a window: its nodes and those around it, -1 .. 9 along each axis. What is asked of a vertex is stored where its edge begins, so that a triangle costs three loads.

#include "mesh/marching_internal.h"
#include "base/kernels.h"
#include "base/maths.h"

enum {
    ROW = 11,
    SLAB = 121,
    PLACES = 1331,            // of the window, denser than a tile: it lies on the stack
    FIRST = SLAB + ROW + 1,   // place of the brick's first node
    FIRST_NODE = 3 * PLACES,  // keys of vertices: edges, nodes that took some in,
    FIRST_EXTRA = 4 * PLACES, // and vertices inside of cells
    N_KEYS = FIRST_EXTRA + 8 * MARCHING_MAX_EXTRA,
    MAX_AROUND = 8 * MARCHING_MAX_TRIANGLES,
    MAX_CUTS = 1000, // along one axis
};
static const int strides[3] = { 1, ROW, SLAB };
static const int tile_strides[3] = { 1, TILE_ROW, TILE_SLAB };

typedef struct Window {
    const TarnMarching* m;
    const float* w;      // value of the first node
    int lo[3], hi[3];    // nodes that exist
    bool is_inner;       // all of them do, and none is in the ring
    uint16_t fluid[121]; // rows y + 11 z from -1 on, node x is bit x + 1
    uint16_t* key; // of an edge: what its vertex is now. Edges and nodes by their places in a tile
    float* t;      // of an edge: where its vertex is
    uint8_t* near; // of a node: edges with a vertex near it, +x +y +z -x -y -z
    uint8_t* slot; // of a key: where it was in the last rim that had it
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

// Edges that are cut, by their low nodes.
typedef struct Cuts {
    int n[3];
    int16_t at[3][MAX_CUTS + TARN_LANES];
} Cuts;

TARN_INLINE void list_bits(unsigned bits, int row, int axis, Cuts* out)
{
    int n = out->n[axis];
    for (; bits; bits &= bits - 1) out->at[axis][n++] = (int16_t)(row + __builtin_ctz(bits) - 1);
    out->n[axis] = n;
}

static void list_cuts(const Window* v, Cuts* out)
{
    const unsigned there = bits_between(v->lo[0], v->hi[0]) & 1023;
    const unsigned both = there & bits_between(v->lo[0], v->hi[0]) >> 1;
    out->n[0] = out->n[1] = out->n[2] = 0;
    for (int z = -1; z < 9; ++z) {
        for (int y = -1; y < 9; ++y) {
            const uint16_t* row = &v->fluid[y + 1 + 11 * (z + 1)];
            unsigned x_cut = (row[0] ^ row[0] >> 1) & both, y_cut = (row[0] ^ row[1]) & there;
            unsigned z_cut = (row[0] ^ row[11]) & there;
            if ((x_cut | y_cut | z_cut) == 0) continue;
            if (!v->is_inner) {
                if (y < v->lo[1] || y >= v->hi[1] || z < v->lo[2] || z >= v->hi[2]) continue;
                if (y + 1 >= v->hi[1]) y_cut = 0;
                if (z + 1 >= v->hi[2]) z_cut = 0;
            }
            int at = ROW * y + SLAB * z;
            list_bits(x_cut, at, 0, out), list_bits(y_cut, at, 1, out);
            list_bits(z_cut, at, 2, out);
        }
    }
}

static int along(int at, int axis) // a place's coordinate
{
    int p = at + FIRST;
    return (axis == 0 ? p % ROW : axis == 1 ? p / ROW % 11 : p / SLAB) - 1;
}
TARN_INLINE int in_tile(int at) // the same node there, from the first on
{
    return along(at, 0) + TILE_ROW * along(at, 1) + TILE_SLAB * along(at, 2);
}

// Vertices on the way to the ring sit at the last node of the grid.
static void close_cuts(const Window* v, int axis, const int16_t* at, int n, float* t)
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
TARN_INLINE void place_cuts(Window* v, Cuts* cuts, int axis)
{
    const int step = strides[axis], n = cuts->n[axis];
    int16_t* at = cuts->at[axis];
    float t[MAX_CUTS + TARN_LANES];
    for (int l = 0; l < TARN_LANES; ++l) at[n + l] = 0;
    const float* high = v->w + tile_strides[axis];
    for (int i = 0; i < n; i += TARN_LANES) {
        int32_t tile[TARN_LANES];
        for (int l = 0; l < TARN_LANES; ++l) tile[l] = in_tile(at[i + l]);
        TarnF8 w0 = f8_gather_at(v->w, tile), w1 = f8_gather_at(high, tile);
        TarnF8 place = f8_max(w0 / (w0 - w1), f8_set(MARCHING_MARGIN));
        f8_store(t + i, f8_min(place, f8_set(1.0f - MARCHING_MARGIN)));
    }
    close_cuts(v, axis, at, n, t);
    const float snap = v->m->snap;
    for (int i = 0; i < n; ++i) {
        int node = at[i] + FIRST, edge = axis * PLACES + node;
        bool is_low = t[i] < snap, is_high = !is_low && 1.0f - t[i] < snap;
        v->t[edge] = t[i];
        v->key[edge] = (uint16_t)edge;
        v->slot[edge] = 0;
        v->near[node] = (uint8_t)(v->near[node] | is_low << axis);
        v->near[node + step] = (uint8_t)(v->near[node + step] | is_high << (3 + axis));
    }
}

// Of a node and one of six directions: the edge there.
TARN_INLINE int edge_at(int node, int d)
{
    int axis = d < 3 ? d : d - 3;
    return axis * PLACES + node - (d < 3 ? 0 : strides[axis]);
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
    v->slot[FIRST_NODE + node] = 0;
}

// What the nodes of a neighbor took in, as far as it is in the window.
static void take_over(Window* v, const MarchingTaken* of, const int d[3])
{
    uint64_t wanted = d[0] < 0   ? 0x8080808080808080u
                      : d[0] > 0 ? 0x0101010101010101u
                                 : ~(uint64_t)0;
    wanted &= d[1] < 0 ? (uint64_t)255 << 56 : d[1] > 0 ? 255u : ~(uint64_t)0;
    for (int z = d[2] < 0 ? 7 : 0; z < (d[2] > 0 ? 1 : 8); ++z) {
        for (uint64_t word = of->node[z] & wanted; word; word &= word - 1) {
            int c = __builtin_ctzll(word);
            int x[3] = { (c & 7) + 8 * d[0], (c >> 3) + 8 * d[1], z + 8 * d[2] };
            int node = FIRST + x[0] + ROW * x[1] + SLAB * x[2];
            unsigned near = v->near[node];
            take_in(v, node, near);
        }
    }
}

// ---- Triangles around a node --------------------------------------------------------------------

// Those with one vertex that shall become another are the rim.
typedef struct Around {
    int n, n_rim, n_other;
    unsigned own;                              // directions of vertices seen that shall become one
    uint16_t from[MAX_AROUND], to[MAX_AROUND]; // keys of the rim
    uint16_t other[MAX_AROUND];                // and of the third ones of triangles with two
    uint8_t direction[MAX_AROUND];             // of the rim's triangles: where the vertex is,
    float place[6][MAX_AROUND + TARN_LANES];   // and where they begin and end
    int gone[8];                               // triangles that would vanish, by cell
} Around;

// A cell around the node: it is c below it, bit by axis.
typedef struct Cell {
    int c, at;    // place of its low corner
    unsigned own; // edges with vertices that shall become one
    const float (*extra)[3];
} Cell;

// Of the edges of a cell: low corner and axis; the fourth is for lanes.
static const float edge_low[12][4] = { { 0, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }, { 0, 1, 1 },
                                       { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0, 1 }, { 1, 0, 1 },
                                       { 0, 0, 0 }, { 1, 0, 0 }, { 0, 1, 0 }, { 1, 1, 0 } };
static const float edge_axis[3][4] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
enum { Y_EDGES = PLACES, Z_EDGES = 2 * PLACES };
static const int edge_place[12] = {
    0,       ROW,         SLAB,           ROW + SLAB,
    Y_EDGES, Y_EDGES + 1, Y_EDGES + SLAB, Y_EDGES + 1 + SLAB,
    Z_EDGES, Z_EDGES + 1, Z_EDGES + ROW,  Z_EDGES + 1 + ROW,
};

TARN_INLINE int key_of(const Window* v, const Cell* cell, int corner)
{
    if (cell->extra && corner >= MARCHING_FIRST_EXTRA)
        return FIRST_EXTRA + MARCHING_MAX_EXTRA * cell->c + corner - MARCHING_FIRST_EXTRA;
    return v->key[cell->at + edge_place[corner]];
}

// Place of a corner from the node on.
TARN_INLINE TarnF4 place_of(const Window* v, const int n[3], const Cell* cell, int corner, int key)
{
    TarnF4 below = { (float)(cell->c & 1), (float)(cell->c >> 1 & 1), (float)(cell->c >> 2), 0 };
    if (cell->extra && corner >= MARCHING_FIRST_EXTRA) {
        const float* x = cell->extra[corner - MARCHING_FIRST_EXTRA];
        return (TarnF4){ x[0], x[1], x[2], 0 } - below;
    }
    if (key >= FIRST_NODE) {
        int by = key - FIRST_NODE - FIRST, x = along(by, 0), y = along(by, 1), z = along(by, 2);
        if ((x | y | z) >= 0) {
            TarnVec3 at = middle_of(v, key - FIRST_NODE);
            return (TarnF4){ at.x + (float)(x - n[0]), at.y + (float)(y - n[1]),
                             at.z + (float)(z - n[2]), 0 };
        }
    }
    float t = v->t[cell->at + edge_place[corner]];
    return (f4_load(edge_low[corner]) - below) + t * f4_load(edge_axis[corner >> 2]);
}

TARN_INLINE void add_rim(const Window* v, const int n[3], const Cell* cell, const uint8_t* corner,
                         const int key[3], int own, Around* out)
{
    int r = out->n_rim++, i = own == 2 ? 0 : own + 1, j = own == 0 ? 2 : own - 1;
    int axis = corner[own] >> 2;
    out->from[r] = (uint16_t)key[i];
    out->to[r] = (uint16_t)key[j];
    out->direction[r] = (uint8_t)(axis + 3 * (cell->c >> axis & 1));
    TarnF4 place = place_of(v, n, cell, corner[i], key[i]);
    for (int a = 0; a < 3; ++a) out->place[a][r] = place[a];
}

// Returns its edges, if it counts.
TARN_INLINE unsigned add_triangle(const Window* v, const int n[3], const Cell* cell,
                                  const uint8_t* corner, Around* out)
{
    unsigned edges = 1u << corner[0] | 1u << corner[1] | 1u << corner[2], own = edges & cell->own;
    if (own == 0) return 0;
    int key[3];
    for (int i = 0; i < 3; ++i) key[i] = key_of(v, cell, corner[i]);
    if (key[0] == key[1] || key[1] == key[2] || key[2] == key[0]) return 0;
    ++out->n;
    if ((own & (own - 1)) == 0) {
        int first = __builtin_ctz(own);
        add_rim(v, n, cell, corner, key, corner[0] == first ? 0 : corner[1] == first ? 1 : 2, out);
        return edges;
    }
    ++out->gone[cell->c];
    if (own == edges) return edges;
    int third = !(own >> corner[0] & 1) ? 0 : !(own >> corner[1] & 1) ? 1 : 2;
    out->other[out->n_other++] = (uint16_t)key[third];
    return edges;
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

static unsigned add_slow(const Window* v, const int n[3], const Cell* fast, const int x[3],
                         Around* out)
{
    float level[8];
    for (int c = 0; c < 8; ++c) {
        bool is_in_ring = false;
        int at = 0;
        for (int a = 0; a < 3; ++a) {
            int y = x[a] + (c >> a & 1);
            at += tile_strides[a] * y;
            is_in_ring =
                is_in_ring || (v->m->shift && !v->is_inner && (y <= v->lo[a] || y >= v->hi[a] - 1));
        }
        level[c] = is_in_ring ? MARCHING_BIG : v->w[at];
    }
    MarchingCell solved;
    tarn__marching_cell(level, &solved);
    Cell cell = *fast;
    cell.extra = (const float(*)[3])solved.extra;
    unsigned seen = 0;
    for (int t = 0; t < solved.n_triangles; ++t)
        seen |= add_triangle(v, n, &cell, solved.triangle[t], out);
    return seen;
}

static void find_around(const Window* v, const int n[3], unsigned near, Around* out)
{
    out->n = out->n_rim = out->n_other = 0, out->own = 0;
    for (int c = 0; c < 8; ++c) {
        out->gone[c] = 0;
        Cell cell = { .c = c, .own = own_edges(c, near), .extra = NULL };
        int x[3] = { n[0] - (c & 1), n[1] - (c >> 1 & 1), n[2] - (c >> 2) };
        if (cell.own == 0 || !has_cell(v, x)) continue;
        cell.at = FIRST + x[0] + ROW * x[1] + SLAB * x[2];
        const uint16_t* row = &v->fluid[x[1] + 1 + 11 * (x[2] + 1)];
        unsigned s = (unsigned)x[0] + 1, seen = 0;
        unsigned fluid = (row[0] >> s & 3u) | (row[1] >> s & 3u) << 2 | (row[11] >> s & 3u) << 4 |
                         (row[12] >> s & 3u) << 6;
        int n_triangles = v->m->cases[fluid].n_triangles;
        const uint8_t* corner = v->m->case_edges[fluid];
        if (n_triangles == MARCHING_SLOW)
            seen = add_slow(v, n, &cell, x, out);
        else
            for (int t = 0; t < n_triangles; ++t)
                seen |= add_triangle(v, n, &cell, corner + 3 * t, out);
        seen &= cell.own; // at most one along each axis
        out->own |= (unsigned)((seen & 15) != 0) << (c & 1 ? 3 : 0) |
                    (unsigned)((seen >> 4 & 15) != 0) << (c & 2 ? 4 : 1) |
                    (unsigned)(seen >> 8 != 0) << (c & 4 ? 5 : 2);
    }
}

// ---- May a node take in its vertices? ----------------------------------------------------------------

// Triangles of the rim around one place.
typedef struct Fan8 {
    TarnF8 normal[3];
    TarnF8 shape; // twice the area over the square of the longest side: 0.87 at best
} Fan8;

TARN_INLINE Fan8 fan8(const Around* around, int at, const TarnF8 top[3])
{
    TarnF8 a[3], b[3], d[3];
    for (int i = 0; i < 3; ++i) {
        TarnF8 from = f8_load(around->place[i] + at), to = f8_load(around->place[3 + i] + at);
        a[i] = from - top[i], b[i] = to - top[i], d[i] = to - from;
    }
    Fan8 fan = { .normal = { a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                             a[0] * b[1] - a[1] * b[0] } };
    const TarnF8* n = fan.normal;
    TarnF8 aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    TarnF8 bb = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    TarnF8 dd = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    TarnF8 nn = n[0] * n[0] + n[1] * n[1] + n[2] * n[2];
    TarnF8 longest = f8_max(f8_max(aa, bb), dd);
    fan.shape = f8_select(f8_less(f8_set(0.0f), longest), f8_sqrt(nn) / longest, f8_set(0.0f));
    return fan;
}

// Where the vertices are now that shall become one, of up to eight triangles.
static void places_of_own(const Window* v, const Around* around, int node, int first, int n,
                          TarnF8 out[3])
{
    float place[3][TARN_LANES] = { 0 };
    for (int l = 0; l < n && l < TARN_LANES; ++l) {
        int d = around->direction[first + l];
        float t = v->t[edge_at(node, d)];
        place[d < 3 ? d : d - 3][l] = d < 3 ? t : -1.0f + t;
    }
    for (int a = 0; a < 3; ++a) out[a] = f8_load(place[a]);
}

// Would a triangle of the rim turn over, or become a sliver that it is not?
TARN_INLINE bool is_spoiled(const Window* v, const Around* around, int node, TarnVec3 middle,
                            TarnVec3 gradient)
{
    const TarnF8 top[3] = { f8_set(middle.x), f8_set(middle.y), f8_set(middle.z) };
    for (int i = 0; i < around->n_rim; i += TARN_LANES) {
        int left = around->n_rim - i;
        unsigned lanes = left < TARN_LANES ? (1u << left) - 1 : 255;
        Fan8 then = fan8(around, i, top);
        const TarnF8* n = then.normal;
        TarnF8 turn = n[0] * gradient.x + n[1] * gradient.y + n[2] * gradient.z;
        if (~i8_mask_bits(f8_less(f8_set(0.0f), turn)) & lanes) return true;
        unsigned thin = i8_mask_bits(f8_less(then.shape, f8_set(0.02f))) & lanes;
        if (thin == 0) continue;
        TarnF8 own[3];
        places_of_own(v, around, node, i, left, own);
        if (i8_mask_bits(f8_less(then.shape, fan8(around, i, own).shape)) & thin) return true;
    }
    return false;
}

// Where a key begins an edge of the rim; n_rim: nowhere.
TARN_INLINE int find_in_rim(const Window* v, const Around* around, int key)
{
    int r = v->slot[key];
    return r < around->n_rim && around->from[r] == key ? r : around->n_rim;
}

// Is the rim one ring of at least three that meets no vertex twice, and what is in it a disc? Finds on the way
// where the rim's edges end.
TARN_INLINE bool is_disc(const Window* v, Around* around)
{
    int rim = around->n_rim, at = 0, length = 0;
    if (rim < 3 || rim > 255) return false; // slots are bytes
    for (int r = rim - 1; r >= 0; --r) v->slot[around->from[r]] = (uint8_t)r;
    do { // of two that begin at the same vertex one is never met
        int next = find_in_rim(v, around, around->to[at]);
        if (next == rim) return false;
        for (int a = 0; a < 3; ++a) around->place[3 + a][at] = around->place[a][next];
        at = next;
        ++length;
    } while (at != 0 && length < rim);
    if (at != 0 || length != rim) return false;
    int vertices = __builtin_popcount(around->own) + rim;
    for (int i = 0; i < around->n_other; ++i) { // nearly all are at the rim
        bool is_known = find_in_rim(v, around, around->other[i]) < rim;
        for (int o = 0; o < i && !is_known; ++o) is_known = around->other[o] == around->other[i];
        vertices += !is_known;
    }
    // Each inner edge has two triangles, each of the rim one.
    return 2 * vertices - (3 * around->n + rim) + 2 * around->n == 2;
}

static void decide_node(Window* v, const int n[3], Around* around)
{
    int node = FIRST + n[0] + ROW * n[1] + SLAB * n[2];
    unsigned near = v->near[node];
    TarnVec3 middle = middle_of(v, node);
    find_around(v, n, near, around);
    if (!is_disc(v, around)) return;
    const float* w = v->w + n[0] + TILE_ROW * n[1] + TILE_SLAB * n[2];
    TarnVec3 gradient = { w[1] - w[-1], w[TILE_ROW] - w[-TILE_ROW], w[TILE_SLAB] - w[-TILE_SLAB] };
    if (is_spoiled(v, around, node, middle, vec3_normalize(gradient))) return;
    take_in(v, node, near);
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
    uint16_t key[3 * PLACES];
    uint8_t slot[N_KEYS];
    float t[3 * PLACES];
    uint8_t near_edges[PLACES];
    Around around;
    Cuts cuts;
    memset(slot + FIRST_EXTRA, 0, (N_KEYS - FIRST_EXTRA) * sizeof *slot);
    memset(near_edges, 0, sizeof near_edges);
    memset(taken, 0, sizeof *taken);
    Window v = { .m = m, .w = tile + tile_at(0, 0, 0), .key = key, .t = t };
    v.near = near_edges, v.slot = slot, v.taken = taken;
    find_fluid(&v, near);
    list_cuts(&v, &cuts);
    place_cuts(&v, &cuts, 0), place_cuts(&v, &cuts, 1), place_cuts(&v, &cuts, 2);
    for (int b = 0; b < 27; ++b) {
        int at = near->at[b];
        if (b == NEAR_SELF || at < 0 || !m->bricks[at].has_merged) continue;
        take_over(&v, &m->taken[at], (int[3]){ b % 3 - 1, b / 3 % 3 - 1, b / 9 - 1 });
    }
    const uint64_t ones = 0x0101010101010101u;
    for (int r = 0; r < 64; ++r) {
        uint64_t row; // a byte of a node has one bit at most if it shares none with itself less one
        memcpy(&row, near_edges + FIRST + ROW * (r & 7) + SLAB * (r >> 3), sizeof row);
        uint64_t less = ((row | 128 * ones) - ones) & 127 * ones, several = row & less;
        while (several) {
            int x = __builtin_ctzll(several) >> 3;
            decide_node(&v, (int[3]){ x, r & 7, r >> 3 }, &around);
            several &= ~((uint64_t)255 << 8 * x);
        }
    }
}

const MarchingSnapKernels TARN_KERNEL(tarn__marching_snap_kernels) = { decide };
