// Inside src/mesh only: marching cubes on bricks of 8 x 8 x 8 nodes.
//
// A dense grid is cut into bricks, sparse blocks are bricks already; from there on both are the same. A brick
// owns its nodes, the edges from them to the next node along each axis, and the cells above them. Which nodes
// are fluid is a bit each, a slice of a brick one word of 64: row y is byte y, node x bit x.
#pragma once

#include "tarn/mesh.h"
#include "base/base.h"
#include "base/kernels.h"
#include <string.h>

enum {
    BRICK_SIDE = 8,
    // A brick's values with one node around it below and two above, for gradients: x, y, z in -1 .. 9.
    TILE_ROW = 16,
    TILE_SLAB = 256,
    TILE_FLOATS = 11 * TILE_SLAB,
    // Numbers of the vertices on the edges of a brick's cells: x, y, z in 0 .. 8, one box per axis.
    IDS_ROW = 9,
    IDS_SLAB = 81,
    IDS_AXIS = 729,
    // A cell that is not in the table.
    MARCHING_SLOW = 255,
    MARCHING_MAX_EXTRA = 12,
    MARCHING_MAX_TRIANGLES = 40,
    MARCHING_FIRST_EXTRA = 12, // vertices of a cell from here on are not on edges
};
// Values beyond are as good as infinite; their squares still are floats.
#define MARCHING_BIG    1e18f
// Vertices keep this share of an edge from its nodes: no two of them are in one place, no triangle is a line.
#define MARCHING_MARGIN 0x1p-10f

// Corner c of a cell is at (c & 1, c >> 1 & 1, c >> 2). Edge e runs along axis e / 4.
typedef struct MarchingCase {
    uint8_t n_triangles; // MARCHING_SLOW: ambiguous, see tarn__marching_cell
    uint8_t n_indices;
    uint16_t at[15]; // places of vertices among the brick's numbers, from the cell's low corner
} MarchingCase;

// What an ambiguous cell becomes.
typedef struct MarchingCell {
    int n_extra, n_triangles;
    float extra[MARCHING_MAX_EXTRA][3]; // in the cell, 0 .. 1
    uint8_t triangle[MARCHING_MAX_TRIANGLES][3];
} MarchingCell;

typedef struct MarchingBrick {
    uint64_t cross[24]; // edges that the surface crosses: 8 slices of those along x, then y, then z
    uint16_t before[24]; // vertices of this brick before those of that word
    int n_edge_vertices, n_vertices, n_triangles;
    int first_vertex, first_triangle;
    bool has_merged; // a node of it took in vertices: see MarchingTaken
} MarchingBrick;

// What nodes of a brick took in, if they did. Directions: +x, +y, +z, -x, -y, -z.
typedef struct MarchingTaken {
    uint64_t node[BRICK_SIDE];    // those that did
    uint64_t edge[6][BRICK_SIDE]; // with the vertex on the edge there; the first stands for all
    uint16_t gone[8]; // triangles that vanished in this brick and those below, bit by axis
} MarchingTaken;

typedef struct MarchingKernels MarchingKernels;

struct TarnMarching {
    TarnContext* ctx;
    const MarchingKernels* kernels;
    size_t memory;
    TarnMarchingDef def;
    MarchingCase* cases;       // 256
    uint8_t (*case_edges)[16]; // the same by edges of the cell
    uint64_t (*bits)[BRICK_SIDE];
    uint8_t* state; // of a brick: all bits 0, all bits 1, mixed
    MarchingBrick* bricks;
    MarchingTaken* taken; // of a brick
    int32_t* active;      // bricks that have something
    int32_t* rows;        // rows of them along x, each by its first
    uint64_t* keys;       // sparse: place of a brick, sorted; see marching_key
    int32_t* block;       // sparse: its values, or -1: all outside
    uint8_t* reach;       // sparse: of a block, see tarn__marching_reach

    // The run.
    const TarnField3* field;  // dense
    const TarnBlocks* blocks; // sparse; one of the two is NULL
    const TarnMesh* mesh;
    float iso;
    bool is_fluid_above;
    float snap;
    TarnVec3 origin;
    float dx;
    int shift;      // 1: a ring of nodes that are not fluid around a dense grid
    int n_nodes[3]; // dense, with the ring
    int per[3];     // dense: bricks along each axis
    int n_bricks, n_active;
    uint64_t outside; // bits of what is in no brick
};

enum { BRICK_EMPTY, BRICK_FULL, BRICK_MIXED };

// ---- Bricks and their neighbors -----------------------------------------------------------------

// Sparse bricks are found by their place: z, y, x with 21 bits each.
enum { MARCHING_MAX_PLACE = 1 << 20 };
TARN_INLINE uint64_t marching_key(int x, int y, int z)
{
    uint64_t ux = (uint64_t)(x + MARCHING_MAX_PLACE), uy = (uint64_t)(y + MARCHING_MAX_PLACE);
    return (uint64_t)(z + MARCHING_MAX_PLACE) << 42 | uy << 21 | ux;
}

// Neighbors of bricks that are asked for in order: where each was found last.
typedef struct MarchingCursor {
    int at[27];
    bool is_set;
} MarchingCursor;

// Neighbor (dx, dy, dz), each -1 .. 1, is near[13 + dx + 3 dy + 9 dz]; -1: there is none.
typedef struct MarchingNear {
    int at[27];
    int first[3]; // node of the grid that is the brick's first, the ring is at -1
} MarchingNear;
enum { NEAR_SELF = 13 };
// is_all false: only those that are nowhere lower.
void tarn__marching_near(const TarnMarching* m, int brick, bool is_all, MarchingCursor* cursor,
                         MarchingNear* near);

// Fluid is below 0, everything is finite.
TARN_INLINE float marching_level(const TarnMarching* m, float value)
{
    float w = m->is_fluid_above ? m->iso - value : value - m->iso;
    w = w < MARCHING_BIG ? w : MARCHING_BIG; // what is not a number is not fluid
    return w > -MARCHING_BIG ? w : -MARCHING_BIG;
}
// Of the corners of the cell at (x, y, z) in a brick.
void tarn__marching_corners(const TarnMarching* m, const MarchingNear* near, int x, int y, int z,
                            float level[8]);
// How many nodes of a dense grid are left from a brick's first on, along an axis; sparse: many.
TARN_INLINE int marching_nodes_left(const TarnMarching* m, const MarchingNear* near, int axis)
{
    return m->field ? m->n_nodes[axis] - m->shift - near->first[axis] : 1 << 20;
}

// A vertex's number: those before it in its brick are counted.
TARN_INLINE uint32_t marching_rank(const MarchingBrick* b, int word, int c)
{
    uint64_t below = ((uint64_t)1 << c) - 1;
    return (uint32_t)b->first_vertex + b->before[word] +
           (uint32_t)__builtin_popcountll(b->cross[word] & below);
}

TARN_INLINE int tile_at(int x, int y, int z) // there is room for stray stores to the left of a row
{
    return (z + 1) * TILE_SLAB + (y + 1) * TILE_ROW + x + 6;
}

// Unit length; without a gradient out of the fluid along an axis.
TarnVec3 tarn__marching_normal(TarnVec3 gradient, int axis, bool is_up);
// Writes a vertex that is inside of a cell. nodes: of the brick's tile, from its first on.
void tarn__marching_extra(const TarnMarching* m, const MarchingNear* near, const float* nodes,
                          const int cell[3], const float at[3], int vertex);
// Velocity and attributes at nodes: linear between two, or, in a cell, between eight.
void tarn__marching_carry_edge(const TarnMarching* m, const MarchingNear* near, const int from[3],
                               int axis, float t, int vertex);
void tarn__marching_carry_cell(const TarnMarching* m, const MarchingNear* near, const int cell[3],
                               const float at[3], int vertex);

// ---- Cells --------------------------------------------------------------------------------------

void tarn__marching_make_cases(MarchingCase cases[256], uint8_t case_edges[256][16]);
// The surface of the trilinear function in a cell, whose topology needs the values.
void tarn__marching_cell(const float level[8], MarchingCell* out);

// ---- Sparse blocks ------------------------------------------------------------------------------

// Places below a block, bit x + 2 y + 4 z, into whose cells the surface reaches if there is no block.
uint8_t tarn__marching_reach(const TarnMarching* m, int block);
// Lists bricks: all blocks, and those places.
void tarn__marching_list(TarnMarching* m);

// ---- Slivers ------------------------------------------------------------------------------------

// Decides which nodes take in the vertices near them, and counts anew.
void tarn__marching_snap(TarnMarching* m);
// Numbers of the vertices that were taken in, as far as edges of a brick's cells have them; moves those that stand
// for several. id: IDS_AXIS for each axis.
void tarn__marching_snap_emit(const TarnMarching* m, const MarchingNear* near, const float* nodes,
                              uint32_t* id);

typedef struct MarchingSnapKernels {
    // Of a brick, whose neighbors do not decide meanwhile.
    void (*decide)(const TarnMarching* m, const MarchingNear* near, const float* tile,
                   MarchingTaken* taken);
} MarchingSnapKernels;
TARN_KERNELS(MarchingSnapKernels, tarn__marching_snap_kernels);

// ---- Kernels ------------------------------------------------------------------------------------

struct MarchingKernels {
    // Bits of n rows of eight nodes, to bytes that lie `stride` apart.
    void (*classify)(const float* value, int n, float iso, bool is_fluid_above, uint8_t* out,
                     size_t stride);
    // Counts what a brick will have.
    void (*count)(const TarnMarching* m, const MarchingNear* near, MarchingBrick* out);
    // Values of a brick and around it, TILE_FLOATS.
    void (*load)(const TarnMarching* m, const MarchingNear* near, float* tile);
    // Writes it into the mesh.
    void (*emit)(const TarnMarching* m, const MarchingNear* near, const MarchingBrick* brick);
};
TARN_KERNELS(MarchingKernels, tarn__marching_kernels);
