// Slivers: where the surface passes close to a node, its vertices on the edges of that node become one.
//
// Method   A node takes in the vertices nearer to it than `snap` if what is left stays the same surface: the
//          triangles around them must be a disc, and its rim a ring of at least three that meets no vertex
//          twice. The ring with one vertex in its middle is a disc again, so open edges, orientation and Euler
//          characteristic stay. All triangles in question are in the eight cells around the node.
//          Nodes that share a cell decide one after the other: in a brick in order, and bricks by the parity of
//          their places. Rows of bricks side by side decide in different passes; a row is one task, because
//          bricks side by side in it share lines of cache. What would fold, or make a new sliver, stays.
//          A brick decides in marching_snap_kernels.c. After that, vertices and triangles that are left are
//          bits and sums; triangles that vanished are those with the same number twice.
// Differs  from [Raman2008], who snap the values and need a table of 3^8 cases.
// Checked  tests/unit/test_marching_snap.c, `tarn check mesh.random`.
// Cost     `tarn bench mesh.snap`.

#include "mesh/marching_internal.h"
#include "base/maths.h"

enum { COUNT_CHUNK = 64, ROW_PARITIES = 4 };

// ---- Decisions ----------------------------------------------------------------------------------

// Rows of bricks along x whose places along y and z have the same parities; none of them touches another.
typedef struct Pass {
    TarnMarching* m;
    const MarchingSnapKernels* kernels;
    const int32_t* row; // rows of the pass: the first of their active bricks
} Pass;

// Place of a brick's row, and along it.
static uint64_t row_of(const TarnMarching* m, int brick)
{
    if (!m->field) return m->keys[brick] >> 21;
    uint64_t row = (uint64_t)(brick / m->per[0]), ny = (uint64_t)m->per[1];
    return row % ny | row / ny << 21;
}
static int along_row(const TarnMarching* m, int brick)
{
    return m->field ? brick % m->per[0] : (int)(m->keys[brick] & 2097151);
}

// Lists the bricks that have something, and rows of them by parity: begin of each parity's.
static void list_rows(TarnMarching* m, int begin[ROW_PARITIES + 1])
{
    int n[ROW_PARITIES] = { 0 };
    m->n_active = 0;
    for (int b = 0; b < m->n_bricks; ++b)
        if (m->bricks[b].n_vertices > 0 || m->bricks[b].n_triangles > 0)
            m->active[m->n_active++] = b;
    for (int pass = 0; pass < 2; ++pass) { // counts, then writes
        uint64_t last = ~(uint64_t)0;
        for (int a = 0; a < m->n_active; ++a) {
            uint64_t row = row_of(m, m->active[a]);
            if (row == last) continue;
            last = row;
            int parity = (int)((row & 1) | (row >> 21 & 1) << 1);
            if (pass == 1) m->rows[n[parity]] = a;
            ++n[parity];
        }
        begin[0] = 0;
        for (int p = 0; p < ROW_PARITIES && pass == 0; ++p)
            begin[p + 1] = begin[p] + n[p], n[p] = begin[p];
    }
}

static void decide_brick(const Pass* p, int b, MarchingCursor* cursor)
{
    TarnMarching* m = p->m;
    MarchingTaken* taken = &m->taken[b];
    MarchingNear near;
    float tile[TILE_FLOATS] __attribute__((aligned(64)));
    tarn__marching_near(m, b, true, cursor, &near);
    m->kernels->load(m, &near, tile);
    p->kernels->decide(m, &near, tile, taken);
    uint64_t any = 0;
    for (int z = 0; z < 8; ++z) any |= taken->node[z];
    m->bricks[b].has_merged = any != 0;
}

// A row: every other brick, then those between.
static void decide_row(int task, void* data)
{
    const Pass* p = data;
    const TarnMarching* m = p->m;
    int first = p->row[task];
    uint64_t row = row_of(m, m->active[first]);
    for (int parity = 0; parity < 2; ++parity) {
        MarchingCursor cursor = { .is_set = false };
        for (int a = first; a < m->n_active && row_of(m, m->active[a]) == row; ++a)
            if ((along_row(m, m->active[a]) & 1) == parity) decide_brick(p, m->active[a], &cursor);
    }
}

// ---- What is left -------------------------------------------------------------------------------

// Of a slice of nodes that took in the vertex one step down an axis: those for which another one stands.
static uint64_t dropped_below(const TarnMarching* m, int brick, int axis, int z)
{
    if (brick < 0 || !m->bricks[brick].has_merged) return 0;
    const uint64_t(*edge)[BRICK_SIDE] = (const uint64_t(*)[BRICK_SIDE])m->taken[brick].edge;
    uint64_t before = 0;
    for (int d = 0; d < 3 + axis; ++d) before |= edge[d][z];
    return edge[3 + axis][z] & before;
}
static uint64_t dropped_above(const TarnMarching* m, int brick, int axis, int z)
{
    if (!m->bricks[brick].has_merged) return 0;
    const uint64_t(*edge)[BRICK_SIDE] = (const uint64_t(*)[BRICK_SIDE])m->taken[brick].edge;
    uint64_t before = 0;
    for (int d = 0; d < axis; ++d) before |= edge[d][z];
    return edge[axis][z] & before;
}

// Edges whose vertices are no more, by their low nodes.
static uint64_t dropped_edges(const TarnMarching* m, const MarchingNear* near, int axis, int z)
{
    const uint64_t every_row = 0x0101010101010101u;
    int own = near->at[NEAR_SELF];
    uint64_t low = dropped_above(m, own, axis, z);
    if (axis == 0)
        return low | (dropped_below(m, own, 0, z) >> 1 & 127 * every_row) |
               (dropped_below(m, near->at[NEAR_SELF + 1], 0, z) & every_row) << 7;
    if (axis == 1)
        return low | dropped_below(m, own, 1, z) >> 8 |
               dropped_below(m, near->at[NEAR_SELF + 3], 1, z) << 56;
    return low | (z < 7 ? dropped_below(m, own, 2, z + 1)
                        : dropped_below(m, near->at[NEAR_SELF + 9], 2, 0));
}

static void count_anew(const TarnMarching* m, const MarchingNear* near, MarchingBrick* brick)
{
    bool is_same = true;
    for (int d = 0; d < 8; ++d) {
        int at = near->at[NEAR_SELF + (d & 1) + 3 * (d >> 1 & 1) + 9 * (d >> 2)];
        if (at < 0 || !m->bricks[at].has_merged) continue;
        brick->n_triangles -= m->taken[at].gone[d];
        is_same = false;
    }
    if (is_same || brick->n_edge_vertices == 0) return; // of the latter words were never written
    int n = 0;
    for (int w = 0; w < 24; ++w) {
        brick->before[w] = (uint16_t)n;
        if (brick->cross[w]) brick->cross[w] &= ~dropped_edges(m, near, w >> 3, w & 7);
        n += __builtin_popcountll(brick->cross[w]);
    }
    brick->n_vertices -= brick->n_edge_vertices - n;
    brick->n_edge_vertices = n;
}

static void count_chunk(int task, void* data)
{
    TarnMarching* m = data;
    MarchingCursor cursor = { .is_set = false };
    MarchingNear near;
    for (int a = task * COUNT_CHUNK; a < (task + 1) * COUNT_CHUNK && a < m->n_active; ++a) {
        tarn__marching_near(m, m->active[a], false, &cursor, &near);
        count_anew(m, &near, &m->bricks[m->active[a]]);
    }
}

void tarn__marching_snap(TarnMarching* m)
{
    int begin[ROW_PARITIES + 1];
    list_rows(m, begin);
    Pass pass = { .m = m, .kernels = TARN_KERNELS_PICK(m->ctx->isa, tarn__marching_snap_kernels) };
    for (int p = 0; p < ROW_PARITIES; ++p) {
        pass.row = m->rows + begin[p];
        tarn__parallel_for(m->ctx, begin[p + 1] - begin[p], decide_row, &pass);
    }
    tarn__parallel_for(m->ctx, (m->n_active + COUNT_CHUNK - 1) / COUNT_CHUNK, count_chunk, m);
}

// ---- Writing ------------------------------------------------------------------------------------

// A node that took in vertices.
typedef struct Merged {
    int n[3];      // in the brick that writes, 0 .. 8
    unsigned near; // directions of what it took in
} Merged;

// The edge in a direction: its low node, and the axis.
static int edge_of(const Merged* q, int d, int low[3])
{
    int axis = d < 3 ? d : d - 3;
    for (int a = 0; a < 3; ++a) low[a] = q->n[a] - (d >= 3 && a == axis);
    return axis;
}

static bool is_in_ring(const TarnMarching* m, const MarchingNear* near, const int n[3])
{
    for (int a = 0; a < 3 && m->shift; ++a) {
        int at = near->first[a] + n[a];
        if (at < 0 || at >= m->n_nodes[a] - 2) return true;
    }
    return false;
}

// The same place as that of the vertex before; the node itself is in no ring.
static float place_on(const TarnMarching* m, const MarchingNear* near, const float* nodes,
                      const int low[3], int axis)
{
    int high[3] = { low[0] + (axis == 0), low[1] + (axis == 1), low[2] + (axis == 2) };
    if (is_in_ring(m, near, low)) return 1.0f - MARCHING_MARGIN;
    if (is_in_ring(m, near, high)) return MARCHING_MARGIN;
    float w0 = nodes[low[0] + TILE_ROW * low[1] + TILE_SLAB * low[2]];
    float w1 = nodes[high[0] + TILE_ROW * high[1] + TILE_SLAB * high[2]];
    return tarn_minf(tarn_maxf(w0 / (w0 - w1), MARCHING_MARGIN), 1.0f - MARCHING_MARGIN);
}

static TarnVec3 middle_of(const TarnMarching* m, const MarchingNear* near, const float* nodes,
                          const Merged* q)
{
    float sum[3] = { 0, 0, 0 };
    for (unsigned left = q->near; left; left &= left - 1) {
        int low[3], d = __builtin_ctz(left), axis = edge_of(q, d, low);
        float t = place_on(m, near, nodes, low, axis);
        sum[axis] += d < 3 ? t : -1.0f + t;
    }
    float scale = 1.0f / (float)__builtin_popcount(q->near);
    return (TarnVec3){ sum[0] * scale, sum[1] * scale, sum[2] * scale };
}

// In the middle of those it stands for; all else as at the node.
static void move_vertex(const TarnMarching* m, const MarchingNear* near, const float* nodes,
                        const Merged* q, uint32_t vertex)
{
    const int *n = q->n, *base = near->first;
    int low[3], d = __builtin_ctz(q->near), axis = edge_of(q, d, low);
    const float* w = nodes + n[0] + TILE_ROW * n[1] + TILE_SLAB * n[2];
    if (m->mesh->position) {
        TarnVec3 at = middle_of(m, near, nodes, q);
        m->mesh->position[vertex] =
            (TarnVec3){ m->origin.x + m->dx * ((float)(base[0] + n[0]) + at.x),
                        m->origin.y + m->dx * ((float)(base[1] + n[1]) + at.y),
                        m->origin.z + m->dx * ((float)(base[2] + n[2]) + at.z) };
    }
    if (m->mesh->normal) {
        TarnVec3 g = { w[1] - w[-1], w[TILE_ROW] - w[-TILE_ROW], w[TILE_SLAB] - w[-TILE_SLAB] };
        m->mesh->normal[vertex] = tarn__marching_normal(g, axis, (w[0] < 0.0f) == (d < 3));
    }
    if (m->mesh->velocity || (m->mesh->attribute && m->mesh->n_attributes > 0))
        tarn__marching_carry_edge(m, near, low, axis, d < 3 ? 0.0f : 1.0f, (int)vertex);
}

static void write_node(const TarnMarching* m, const MarchingNear* near, const float* nodes,
                       const Merged* q, uint32_t* id)
{
    int low[3], axis = edge_of(q, __builtin_ctz(q->near), low);
    int brick = near->at[NEAR_SELF + (low[0] >> 3) + 3 * (low[1] >> 3) + 9 * (low[2] >> 3)];
    int c = 8 * (low[1] & 7) + (low[0] & 7);
    uint32_t vertex = marching_rank(&m->bricks[brick], 8 * axis + (low[2] & 7), c);
    if (brick == near->at[NEAR_SELF]) move_vertex(m, near, nodes, q, vertex);
    for (unsigned left = q->near; left; left &= left - 1) {
        axis = edge_of(q, __builtin_ctz(left), low);
        if (low[axis] < 0 || low[axis] > 7) continue;
        id[IDS_AXIS * axis + IDS_SLAB * low[2] + IDS_ROW * low[1] + low[0]] = vertex;
    }
}

void tarn__marching_snap_emit(const TarnMarching* m, const MarchingNear* near, const float* nodes,
                              uint32_t* id)
{
    for (int b = 0; b < 8; ++b) { // the brick and those that are nowhere lower
        const int d[3] = { b & 1, b >> 1 & 1, b >> 2 };
        int at = near->at[NEAR_SELF + d[0] + 3 * d[1] + 9 * d[2]];
        if (at < 0 || !m->bricks[at].has_merged) continue;
        const MarchingTaken* taken = &m->taken[at];
        uint64_t wanted =
            (d[0] ? 0x0101010101010101u : ~(uint64_t)0) & (d[1] ? 255u : ~(uint64_t)0);
        for (int z = 0; z < (d[2] ? 1 : 8); ++z) {
            for (uint64_t word = taken->node[z] & wanted; word; word &= word - 1) {
                int c = __builtin_ctzll(word);
                Merged q = { { (c & 7) + 8 * d[0], (c >> 3) + 8 * d[1], z + 8 * d[2] }, 0 };
                for (int e = 0; e < 6; ++e) q.near |= (unsigned)(taken->edge[e][z] >> c & 1) << e;
                write_node(m, near, nodes, &q, id);
            }
        }
    }
}
