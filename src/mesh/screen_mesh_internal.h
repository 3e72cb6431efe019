// Inside src/mesh/screen_*.c only: the camera in its plain form, what lies on nodes, the passes.
//
// Everything works on k: the depth of the front layer, minus the depth of the back one. So near is small in
// both, an empty node is +infinity, and one code makes both layers.
#pragma once

#include "tarn/screen_mesh.h"
#include "base/base.h"
#include "base/kernels.h"
#include "base/maths.h"
#include <math.h>

enum {
    SCREEN_TILE_X = 32, // nodes: a word of bits
    SCREEN_TILE_Y = 16,
    SCREEN_TILE = SCREEN_TILE_X * SCREEN_TILE_Y,
    SCREEN_MARGIN = 32,     // floats beside a row: as far as the smoothing looks
    SCREEN_MAX_FILTER = 62, // 2 (1 + 2 + 4 + 8 + 16)
    SCREEN_LEVELS = 16,
    SCREEN_BUCKETS = 1024,     // of depth
    SCREEN_BATCH = 1024,       // particles of a task
    SCREEN_MAX_NODES = 1 << 24 // with 5 vertices each, in two layers, below 2^31
};

// A camera without its matrices. A point is right * x + up * y + ahead * z from the eye, z is its depth. Its
// place among the nodes is center + scale * (x, y) / z, without / z if it is orthographic.
typedef struct ScreenView {
    TarnVec3 right, up, ahead, eye;
    float scale_x, scale_y;   // nodes
    float center_x, center_y; // [nodes]
    bool is_perspective;
    bool is_mirrored; // right x up points ahead
} ScreenView;

typedef struct ScreenParticle {
    float x, y, z, r;       // [m], of the view
    int16_t i0, i1, j0, j1; // nodes around its outline, the ends included
    int32_t index;          // of the host
    int32_t cell;           // of the sort; -1: left out
} ScreenParticle;

// Vertices of a row of nodes, in this order.
enum { SCREEN_NODES, SCREEN_FRONT_X, SCREEN_FRONT_Y, SCREEN_BACK_X, SCREEN_BACK_Y, SCREEN_CLASSES };

typedef struct ScreenRow {
    int first[SCREEN_CLASSES]; // vertex of each class in the mesh
    int first_outline;         // of the front vertices in the arrays of outlines
    int first_triangle;
    int n[SCREEN_CLASSES];
    int n_triangles; // of the cells above the row
} ScreenRow;

// Bits of a row are words with one word beside; bit i of cut_x is the edge from node i to i + 1, of cut_y that
// to the node above. Front vertices lie on cut edges with a liquid end, back vertices where both are.
typedef struct ScreenLayer {
    float* k;
    int32_t* seen;
    uint32_t *present, *cut_x, *cut_y;
    uint32_t *front_x, *front_y, *back_x, *back_y;
    uint16_t *rank_x, *rank_y; // front vertices before the word, in their row
    ScreenRow* rows;
    int n_vertices, n_triangles, n_outline;
} ScreenLayer;

struct TarnScreenMesh {
    TarnContext* ctx;
    size_t memory;
    TarnScreenMeshDef def;
    const struct ScreenDepthKernels* depth;
    const struct ScreenOutlineKernels* outlines;
    const struct ScreenShapeKernels* shape;
    // Of the run.
    TarnScreenMeshParams params;
    ScreenView view;
    const TarnPoints* points;
    TarnMesh* mesh;
    int nx, ny, words, stride, word_stride; // nodes, words of a row; from row to row
    int tiles_x, tiles_y;
    int n_levels, level_first[SCREEN_LEVELS], level_x[SCREEN_LEVELS], level_y[SCREEN_LEVELS];
    int n_cells;
    float step;        // [m]
    float sign;        // +1 front, -1 back
    float depth_slack; // a bucket of depth [m]
    int reach;         // of the running pass of smoothing [nodes]
    bool is_double;    // two of its taps, not one
    ScreenLayer layer[2];
    ScreenLayer* now;
    // Scratch.
    float *u, *v; // slope of each column and row of nodes
    float* smoothed;
    uint8_t *clear_x, *clear_y; // connected edges on both sides of a node
    ScreenParticle *particles, *sorted;
    int32_t *order, *bucket;
    int32_t* cell_first;
    float* batch_range; // least and largest depth of each batch
    // Outlines: place of front vertices [nodes], k, the sorted particle whose outline it is or -1, the
    // two next along it or -1, and 4 * near node + the direction of the edge: +x, -x, +y, -y.
    float *out_x, *out_y, *out_k, *next_x, *next_y, *next_k;
    int32_t *owner, *partner, *anchor;
};

// A call is a piece of the work that no other call touches: a batch of particles, a tile or a row of nodes.
typedef struct ScreenDepthKernels {
    void (*transform)(const TarnScreenMesh* s, int batch);
    void (*splat)(const TarnScreenMesh* s, int tile);
    void (*cut)(const TarnScreenMesh* s, int row);
    void (*heal)(const TarnScreenMesh* s, int row);
    void (*keep_healed)(const TarnScreenMesh* s, int row);
    void (*smooth_x)(const TarnScreenMesh* s, int row);
    void (*smooth_y)(const TarnScreenMesh* s, int row);
} ScreenDepthKernels;
TARN_KERNELS(ScreenDepthKernels, tarn__screen_depth_kernels);

typedef struct ScreenOutlineKernels {
    void (*outline)(const TarnScreenMesh* s, int tile);
} ScreenOutlineKernels;
TARN_KERNELS(ScreenOutlineKernels, tarn__screen_outline_kernels);

typedef struct ScreenShapeKernels {
    void (*count)(const TarnScreenMesh* s, int row);
    void (*triangles)(const TarnScreenMesh* s, int row);
    void (*vertices)(const TarnScreenMesh* s, int row);
} ScreenShapeKernels;
TARN_KERNELS(ScreenShapeKernels, tarn__screen_shape_kernels);

// TARN_ERR_ARG: no camera that a mesh can be made for. spacing: of the nodes [pixels].
TarnResult tarn__screen_view(TarnContext* ctx, const TarnScreenCamera* camera, int spacing,
                             ScreenView* out);
// Particles in the order of their cells, in a cell by depth.
void tarn__screen_sort(TarnScreenMesh* s);

// ---- Places --------------------------------------------------------------------------------------

TARN_INLINE size_t screen_node(const TarnScreenMesh* s, int i, int j)
{
    return (size_t)j * (size_t)s->stride + (size_t)i;
}
TARN_INLINE size_t screen_word(const TarnScreenMesh* s, int w, int j)
{
    return (size_t)j * (size_t)s->word_stride + (size_t)w;
}
// Of a row of bits: bit i becomes that of node i + 1.
TARN_INLINE uint32_t screen_next(const uint32_t* word)
{
    return word[0] >> 1 | word[1] << 31;
}
TARN_INLINE uint32_t screen_before(const uint32_t* word)
{
    return word[0] << 1 | word[-1] >> 31;
}
TARN_INLINE bool screen_bit(const uint32_t* row, int i)
{
    return (row[i >> 5] >> (i & 31) & 1u) != 0;
}

typedef struct ScreenRange {
    int begin, end; // in the sorted particles
} ScreenRange;

// Lists of particles that may touch a tile, large particles first. A particle is in the list of the cell in
// which it begins, of a level whose cells are larger than it: so four cells per level are all.
TARN_INLINE int screen_ranges(const TarnScreenMesh* s, int tile, ScreenRange* out)
{
    int n = 0, tx = tile % s->tiles_x, ty = tile / s->tiles_x;
    for (int l = s->n_levels - 1; l >= 0; --l) {
        for (int c = 0; c < 4; ++c) {
            int x = (tx >> l) - (c & 1), y = (ty >> l) - (c >> 1);
            if (x < 0 || y < 0) continue;
            const int32_t* first = s->cell_first + s->level_first[l] + y * s->level_x[l] + x;
            if (first[0] < first[1]) out[n++] = (ScreenRange){ first[0], first[1] };
        }
    }
    return n;
}
