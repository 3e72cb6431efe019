// The loops of marching cubes over bricks: bits of nodes, counts, vertices eight at a time, triangles.

#include "mesh/marching_internal.h"
#include "base/kernels.h"
#include "base/maths.h"

static const uint64_t every_row = 0x0101010101010101u;

// ---- Bits ---------------------------------------------------------------------------------------

static void classify(const float* value, int n, float iso, bool is_fluid_above, uint8_t* out,
                     size_t stride)
{
    TarnF8 level = f8_set(iso);
    if (is_fluid_above) {
        for (int r = 0; r < n; ++r)
            out[(size_t)r * stride] = (uint8_t)i8_mask_bits(f8_less(level, f8_load(value + 8 * r)));
    } else {
        for (int r = 0; r < n; ++r)
            out[(size_t)r * stride] = (uint8_t)i8_mask_bits(f8_less(f8_load(value + 8 * r), level));
    }
}

// Bits of the corners of all cells: of nodes (x, y, z), (x + 1, y, z), (x, y + 1, z), (x + 1, y + 1, z).
typedef struct Corners {
    uint64_t c[9][4];
} Corners;

TARN_INLINE const uint64_t* bits_of(const TarnMarching* m, int brick, const uint64_t* none)
{
    if (brick < 0) return none;
    if (m->field) return m->bits[brick];
    int block = m->block[brick];
    return block < 0 ? none : m->bits[block];
}

TARN_INLINE void find_corners(const TarnMarching* m, const MarchingNear* near, Corners* out)
{
    uint64_t none[8];
    for (int z = 0; z < 8; ++z) none[z] = m->outside;
    for (int level = 0; level < 2; ++level) {
        const int* at = near->at + NEAR_SELF + 9 * level;
        const uint64_t *o = bits_of(m, at[0], none), *x = bits_of(m, at[1], none);
        const uint64_t *y = bits_of(m, at[3], none), *xy = bits_of(m, at[4], none);
        for (int z = 0; z < (level == 0 ? 8 : 1); ++z) {
            uint64_t* c = out->c[8 * level + z];
            uint64_t up = o[z] >> 8 | y[z] << 56, beside = x[z] >> 8 | xy[z] << 56;
            c[0] = o[z];
            c[1] = (o[z] >> 1 & 127 * every_row) | (x[z] & every_row) << 7;
            c[2] = up;
            c[3] = (up >> 1 & 127 * every_row) | (beside & every_row) << 7;
        }
    }
}

// Which edges along x and y, and how many slices of those along z, end inside a dense grid.
typedef struct Inside {
    uint64_t x, y;
    int slices;
} Inside;

TARN_INLINE int edges_left(const TarnMarching* m, const MarchingNear* near, int axis)
{
    int n = marching_nodes_left(m, near, axis) - 1;
    return n < 0 ? 0 : n < 8 ? n : 8;
}
TARN_INLINE Inside inside_of(const TarnMarching* m, const MarchingNear* near)
{
    int x = edges_left(m, near, 0), y = edges_left(m, near, 1);
    return (Inside){ ((1u << x) - 1) * every_row,
                     y == 8 ? ~(uint64_t)0 : ((uint64_t)1 << 8 * y) - 1, edges_left(m, near, 2) };
}

TARN_INLINE uint64_t cells_cut(const Corners* k, int z, Inside in)
{
    const uint64_t *a = k->c[z], *b = k->c[z + 1];
    uint64_t any = a[0] | a[1] | a[2] | a[3] | b[0] | b[1] | b[2] | b[3];
    uint64_t all = a[0] & a[1] & a[2] & a[3] & b[0] & b[1] & b[2] & b[3];
    return z < in.slices ? any & ~all & in.x & in.y : 0;
}

TARN_INLINE int case_of(const Corners* k, int z, int c)
{
    const uint64_t *a = k->c[z], *b = k->c[z + 1];
    uint64_t low =
        (a[0] >> c & 1) | (a[1] >> c & 1) << 1 | (a[2] >> c & 1) << 2 | (a[3] >> c & 1) << 3;
    uint64_t high =
        (b[0] >> c & 1) | (b[1] >> c & 1) << 1 | (b[2] >> c & 1) << 2 | (b[3] >> c & 1) << 3;
    return (int)(low | high << 4);
}

// ---- Counts -------------------------------------------------------------------------------------

static void count(const TarnMarching* m, const MarchingNear* near, MarchingBrick* out)
{
    Corners k;
    find_corners(m, near, &k);
    Inside in = inside_of(m, near);
    uint64_t any = 0;
    for (int z = 0; z < 8; ++z) {
        const uint64_t* c = k.c[z];
        any |= out->cross[z] = (c[0] ^ c[1]) & in.x;
        any |= out->cross[8 + z] = (c[0] ^ c[2]) & in.y;
        any |= out->cross[16 + z] = z < in.slices ? c[0] ^ k.c[z + 1][0] : 0;
    }
    int n = 0;
    for (int w = 0; w < 24 && any; ++w) {
        out->before[w] = (uint16_t)n;
        n += __builtin_popcountll(out->cross[w]);
    }
    out->n_edge_vertices = out->n_vertices = n;
    int triangles = 0;
    for (int z = 0; z < 8; ++z) {
        for (uint64_t cut = cells_cut(&k, z, in); cut; cut &= cut - 1) {
            int c = __builtin_ctzll(cut);
            int of_case = m->cases[case_of(&k, z, c)].n_triangles;
            if (of_case == MARCHING_SLOW) {
                float level[8];
                MarchingCell cell;
                tarn__marching_corners(m, near, c & 7, c >> 3, z, level);
                tarn__marching_cell(level, &cell);
                of_case = cell.n_triangles;
                out->n_vertices += cell.n_extra;
            }
            triangles += of_case;
        }
    }
    out->n_triangles = triangles;
}

// ---- Values around a brick ----------------------------------------------------------------------

TARN_INLINE TarnF8 level8(const TarnMarching* m, TarnF8 value) // as marching_level
{
    TarnF8 w = m->is_fluid_above ? m->iso - value : value - m->iso;
    w = f8_min(w, f8_set(MARCHING_BIG));
    return f8_max(w, f8_set(-MARCHING_BIG));
}

// Beyond the nodes lo .. hi - 1 of a line the values go on as they went: differences are one-sided there.
TARN_INLINE void extend(float* line, int stride, int lo, int hi)
{
    int inward = hi - lo > 1 ? stride : 0;
    for (int x = lo - 1; x >= -1; --x)
        line[x * stride] = 2.0f * line[(x + 1) * stride] - line[(x + 1) * stride + inward];
    for (int x = hi; x <= 9; ++x)
        line[x * stride] = 2.0f * line[(x - 1) * stride] - line[(x - 1) * stride - inward];
}

typedef struct Span {
    int lo, hi; // nodes of a tile that are in the grid, along an axis
} Span;

static void load_row(const TarnMarching* m, const float* row, Span x, float* to)
{
    if (x.hi - x.lo >= 8) { // two loads that overlap
        TarnF8 a = level8(m, f8_load(row + x.lo)), b = level8(m, f8_load(row + x.hi - 8));
        f8_store(to + x.lo, a);
        f8_store(to + x.hi - 8, b);
    } else {
        for (int i = x.lo; i < x.hi; ++i) to[i] = marching_level(m, row[i]);
    }
    if (x.lo > -1 || x.hi < 10) extend(to, 1, x.lo, x.hi);
}

// The same for whole rows that lie `stride` apart; row is that of node 0.
TARN_INLINE void extend_rows(float* row, int stride, int lo, int hi)
{
    int inward = hi - lo > 1 ? stride : 0;
    for (int half = -6; half < 10; half += TARN_LANES) {
        float* line = row + half;
        for (int x = lo - 1; x >= -1; --x) {
            const float* last = line + (x + 1) * stride;
            f8_store(line + x * stride, 2.0f * f8_load(last) - f8_load(last + inward));
        }
        for (int x = hi; x <= 9; ++x) {
            const float* last = line + (x - 1) * stride;
            f8_store(line + x * stride, 2.0f * f8_load(last) - f8_load(last - inward));
        }
    }
}

static void load_dense(const TarnMarching* m, const MarchingNear* near, float* tile)
{
    const TarnView3 v = m->field->value;
    const int n[3] = { v.nx, v.ny, v.nz };
    Span s[3];
    for (int a = 0; a < 3; ++a) {
        int lo = -near->first[a], hi = n[a] - near->first[a];
        s[a] = (Span){ lo > -1 ? lo : -1, hi < 10 ? hi : 10 };
    }
    for (int z = s[2].lo; z < s[2].hi; ++z) {
        for (int y = s[1].lo; y < s[1].hi; ++y) {
            ptrdiff_t at = (ptrdiff_t)(near->first[2] + z) * v.slab +
                           (ptrdiff_t)(near->first[1] + y) * v.row + near->first[0];
            load_row(m, v.data + at, s[0], tile + tile_at(0, y, z));
        }
        if (s[1].lo > -1 || s[1].hi < 10)
            extend_rows(tile + tile_at(0, 0, z), TILE_ROW, s[1].lo, s[1].hi);
    }
    if (s[2].lo == -1 && s[2].hi == 10) return;
    for (int y = -1; y <= 9; ++y) extend_rows(tile + tile_at(0, y, 0), TILE_SLAB, s[2].lo, s[2].hi);
}

// Rows of blocks side by side; of one that is not there all rows are `none`.
TARN_INLINE const float* row_of(const TarnMarching* m, int brick, const float* none, int y, int z)
{
    int block = brick < 0 ? -1 : m->block[brick];
    if (block < 0) return none;
    return m->blocks->value + (size_t)block * TARN_BLOCK_NODES + 8 * (y & 7) + 64 * (z & 7);
}

static void load_blocks(const TarnMarching* m, const MarchingNear* near, float* tile)
{
    float none[8];
    for (int x = 0; x < 8; ++x) none[x] = m->blocks->outside;
    for (int z = -1; z <= 9; ++z) {
        for (int y = -1; y <= 9; ++y) {
            const int* at = near->at + 3 * ((y + 8) >> 3) + 9 * ((z + 8) >> 3);
            const float* low = row_of(m, at[0], none, y, z);
            const float* own = row_of(m, at[1], none, y, z);
            const float* high = row_of(m, at[2], none, y, z);
            TarnF8 sides = { low[7], high[0], high[1], 0, 0, 0, 0, 0 };
            float* to = tile + tile_at(0, y, z);
            sides = level8(m, sides);
            f8_store(to, level8(m, f8_load(own)));
            to[-1] = sides[0], to[8] = sides[1], to[9] = sides[2];
        }
    }
}

static void load(const TarnMarching* m, const MarchingNear* near, float* tile)
{
    if (m->field)
        load_dense(m, near, tile);
    else
        load_blocks(m, near, tile);
}

// ---- Vertices -----------------------------------------------------------------------------------

typedef struct Emit {
    const TarnMarching* m;
    const MarchingNear* near;
    float tile[TILE_FLOATS] __attribute__((aligned(64)));
    int32_t at[512 + 8]; // of the vertices of an axis: low nodes, x + 16 y + 256 z
    float t[512 + 8];    // and where they are on their edges
    uint32_t id[3 * IDS_AXIS];
} Emit;

// The brick's first node.
TARN_INLINE const float* nodes_of(const Emit* e)
{
    return e->tile + tile_at(0, 0, 0);
}

TARN_INLINE TarnF8 difference(const float* tile, const int32_t* at, int step)
{
    return f8_gather_at(tile + step, at) - f8_gather_at(tile - step, at);
}

TARN_INLINE void store3(float* to, TarnF8 x, TarnF8 y, TarnF8 z, int n)
{
    for (int l = 0; l < n; ++l) to[3 * l] = x[l], to[3 * l + 1] = y[l], to[3 * l + 2] = z[l];
}

// Gradients at both nodes by central differences, between them linear.
TARN_INLINE void normals8(const Emit* e, const int32_t* at, int axis, int step, TarnF8 w0,
                          TarnF8 w1, TarnF8 t, TarnVec3* out, int n)
{
    static const int strides[3] = { 1, TILE_ROW, TILE_SLAB };
    const float* w = nodes_of(e);
    TarnF8 g[3];
    for (int a = 0; a < 3; ++a) {
        TarnF8 low, high;
        if (a == axis) {
            low = w1 - f8_gather_at(w - step, at);
            high = f8_gather_at(w + 2 * step, at) - w0;
        } else {
            low = difference(w, at, strides[a]);
            high = difference(w + step, at, strides[a]);
        }
        g[a] = low + t * (high - low);
    }
    TarnF8 squares = g[0] * g[0] + g[1] * g[1] + g[2] * g[2];
    TarnF8 scale = 1.0f / f8_sqrt(squares);
    store3(&out->x, g[0] * scale, g[1] * scale, g[2] * scale, n);
    unsigned good =
        i8_mask_bits(f8_less(f8_set(1e-30f), squares) & f8_less(squares, f8_set(1e38f)));
    for (int l = 0; l < n && good != 255; ++l) {
        if (!(good >> l & 1))
            out[l] =
                tarn__marching_normal((TarnVec3){ g[0][l], g[1][l], g[2][l] }, axis, w0[l] < 0.0f);
    }
}

TARN_INLINE void vertices_along(Emit* e, int axis, int step, int n, int first)
{
    const TarnMarching* m = e->m;
    const TarnMesh* mesh = m->mesh;
    const int* base = e->near->first;
    const float* w = nodes_of(e);
    for (int i = 0; i < n; i += TARN_LANES) {
        const int32_t* at = e->at + i;
        int lanes = n - i < TARN_LANES ? n - i : TARN_LANES;
        TarnF8 w0 = f8_gather_at(w, at), w1 = f8_gather_at(w + step, at);
        TarnF8 t = f8_max(w0 / (w0 - w1), f8_set(MARCHING_MARGIN));
        t = f8_min(t, f8_set(1.0f - MARCHING_MARGIN));
        f8_store(e->t + i, t);
        if (mesh->position) {
            TarnI8 place = i8_load(at);
            TarnF8 p[3];
            p[0] = __builtin_convertvector((place & 15) + base[0], TarnF8);
            p[1] = __builtin_convertvector((place >> 4 & 15) + base[1], TarnF8);
            p[2] = __builtin_convertvector((place >> 8) + base[2], TarnF8);
            p[axis] += t;
            store3(&mesh->position[first + i].x, m->origin.x + m->dx * p[0],
                   m->origin.y + m->dx * p[1], m->origin.z + m->dx * p[2], lanes);
        }
        if (mesh->normal) normals8(e, at, axis, step, w0, w1, t, mesh->normal + first + i, lanes);
    }
}

// A ring of nodes lies around a closed grid: vertices on the way there sit at the last node of the grid.
static void close_edges(Emit* e, int axis, int n, int first)
{
    const TarnMarching* m = e->m;
    const int limit = m->n_nodes[axis] - 2; // nodes of the field along the axis
    for (int i = 0; i < n; ++i) {
        int node = (e->at[i] >> 4 * axis & 15) + e->near->first[axis];
        if (node >= 0 && node < limit - 1) continue;
        e->t[i] = node < 0 ? 1.0f - MARCHING_MARGIN : MARCHING_MARGIN;
        const float* origin = &m->origin.x;
        if (m->mesh->position)
            (&m->mesh->position[first + i].x)[axis] =
                origin[axis] + m->dx * ((float)node + e->t[i]);
        if (m->mesh->normal)
            m->mesh->normal[first + i] =
                tarn__marching_normal((TarnVec3){ 0, 0, 0 }, axis, node >= 0);
    }
}

static void carry_along(const Emit* e, int axis, int n, int first)
{
    for (int i = 0; i < n; ++i) {
        int at = e->at[i], from[3] = { at & 15, at >> 4 & 15, at >> 8 };
        tarn__marching_carry_edge(e->m, e->near, from, axis, e->t[i], first + i);
    }
}

static void emit_vertices(Emit* e, const MarchingBrick* b)
{
    const TarnMesh* mesh = e->m->mesh;
    bool is_carrying = mesh->velocity || (mesh->attribute && mesh->n_attributes > 0);
    uint32_t id = (uint32_t)b->first_vertex;
    for (int axis = 0; axis < 3; ++axis) {
        int n = 0, first = (int)id;
        for (int z = 0; z < 8; ++z) {
            int ids = IDS_AXIS * axis + IDS_SLAB * z;
            for (uint64_t word = b->cross[8 * axis + z]; word; word &= word - 1) {
                int c = __builtin_ctzll(word);
                e->at[n++] = TILE_SLAB * z + c + (c & 56);
                e->id[ids + c + (c >> 3)] = id++;
            }
        }
        if (n == 0) continue;
        for (int l = 0; l < TARN_LANES; ++l) e->at[n + l] = e->at[n - 1]; // for the last eight
        if (axis == 0)
            vertices_along(e, 0, 1, n, first);
        else if (axis == 1)
            vertices_along(e, 1, TILE_ROW, n, first);
        else
            vertices_along(e, 2, TILE_SLAB, n, first);
        if (e->m->shift) close_edges(e, axis, n, first);
        if (is_carrying) carry_along(e, axis, n, first);
    }
}

// ---- Numbers of vertices that belong to the next bricks -----------------------------------------

// Of the brick (dx, dy, dz) further on, those nodes whose x is 0 if dx is 1, and so on.
static void borrow(Emit* e, int dx, int dy, int dz)
{
    int brick = e->near->at[NEAR_SELF + dx + 3 * dy + 9 * dz];
    if (brick < 0) return;
    const MarchingBrick* b = &e->m->bricks[brick];
    if (b->n_edge_vertices == 0) return; // its words were never written
    uint64_t wanted = (dx ? every_row : ~(uint64_t)0) & (dy ? 255u : ~(uint64_t)0);
    for (int axis = 0; axis < 3; ++axis) {
        if ((axis == 0 && dx) || (axis == 1 && dy) || (axis == 2 && dz)) continue;
        for (int z = 0; z < (dz ? 1 : 8); ++z) {
            int word = 8 * axis + z;
            int ids = IDS_AXIS * axis + IDS_SLAB * (z + 8 * dz) + IDS_ROW * 8 * dy + 8 * dx;
            for (uint64_t bits = b->cross[word] & wanted; bits; bits &= bits - 1) {
                int c = __builtin_ctzll(bits);
                e->id[ids + c + (c >> 3)] = marching_rank(b, word, c);
            }
        }
    }
}

// ---- Triangles ----------------------------------------------------------------------------------

// Those whose vertices became one are left out: they are written over, or, at the brick's end, not written.
// Returns the end of what was written.
TARN_INLINE uint32_t* emit_triangle(uint32_t* index, const uint32_t* end, uint32_t a, uint32_t b,
                                    uint32_t c)
{
    if (index == end) return index;
    index[0] = a, index[1] = b, index[2] = c;
    return index + 3 * ((a != b) & (b != c) & (c != a));
}

// Returns the end of what was written; *vertex is the first number that is free.
static uint32_t* emit_slow(const Emit* e, const int at[3], int ids, int* vertex, uint32_t* index,
                           const uint32_t* end)
{
    float level[8];
    MarchingCell cell;
    tarn__marching_corners(e->m, e->near, at[0], at[1], at[2], level);
    tarn__marching_cell(level, &cell);
    for (int x = 0; x < cell.n_extra; ++x)
        tarn__marching_extra(e->m, e->near, nodes_of(e), at, cell.extra[x], *vertex + x);
    for (int t = 0; t < cell.n_triangles && index; ++t) {
        uint32_t id[3];
        for (int i = 0; i < 3; ++i) {
            int v = cell.triangle[t][i], axis = v / 4, u = v & 1, w = v >> 1 & 1;
            int place = axis == 0   ? IDS_ROW * u + IDS_SLAB * w
                        : axis == 1 ? u + IDS_SLAB * w
                                    : u + IDS_ROW * w;
            id[i] = v < MARCHING_FIRST_EXTRA ? e->id[IDS_AXIS * axis + ids + place]
                                             : (uint32_t)(*vertex + v - MARCHING_FIRST_EXTRA);
        }
        index = emit_triangle(index, end, id[0], id[1], id[2]);
    }
    *vertex += cell.n_extra;
    return index;
}

TARN_INLINE void emit_triangles(const Emit* e, const MarchingBrick* b, bool is_snapped)
{
    const TarnMarching* m = e->m;
    Corners k;
    find_corners(m, e->near, &k);
    Inside in = inside_of(m, e->near);
    int extra = b->first_vertex + b->n_edge_vertices;
    uint32_t* index = m->mesh->index ? m->mesh->index + 3 * (size_t)b->first_triangle : NULL;
    const uint32_t* end = index ? index + 3 * (size_t)b->n_triangles : NULL;
    for (int z = 0; z < 8; ++z) {
        for (uint64_t cut = cells_cut(&k, z, in); cut; cut &= cut - 1) {
            int c = __builtin_ctzll(cut), ids = IDS_SLAB * z + c + (c >> 3);
            const MarchingCase* row = &m->cases[case_of(&k, z, c)];
            const uint32_t* id = e->id + ids;
            const uint16_t* at = row->at;
            if (row->n_triangles == MARCHING_SLOW) {
                index = emit_slow(e, (int[3]){ c & 7, c >> 3, z }, ids, &extra, index, end);
            } else if (index && is_snapped) {
                for (int i = 0; i < row->n_indices; i += 3)
                    index = emit_triangle(index, end, id[at[i]], id[at[i + 1]], id[at[i + 2]]);
            } else if (index) {
                for (int i = 0; i < row->n_indices; ++i) index[i] = id[at[i]];
                index += row->n_indices;
            }
        }
    }
}

static void emit(const TarnMarching* m, const MarchingNear* near, const MarchingBrick* brick)
{
    Emit e;
    e.m = m, e.near = near;
    load(m, near, e.tile);
    emit_vertices(&e, brick);
    for (int d = 1; d < 7; ++d) borrow(&e, d & 1, d >> 1 & 1, d >> 2);
    if (m->snap > 0.0f) {
        tarn__marching_snap_emit(m, near, nodes_of(&e), e.id);
        emit_triangles(&e, brick, true);
    } else
        emit_triangles(&e, brick, false);
}

const MarchingKernels TARN_KERNEL(tarn__marching_kernels) = { classify, count, load, emit };
