// Inside src/mesh only: what the files of the height-field mesh share.
//
// A node is a place of a ring's grid. A point is a node that is a vertex of its own, or a place where the
// shore cuts an edge. The other nodes have glided to a neighbor: they name the node they have become.
#pragma once

#include "base/base.h"
#include "tarn/height_mesh.h"

enum {
    HEIGHT_MAX_LEVELS = 16,
    HEIGHT_BATCH = 512,     // points of one query, about
    HEIGHT_CUTS_BATCH = 256 // cut edges of one query
};
// Sides of the rectangle that a point lies on, or that a column or a row has been moved to.
enum { HEIGHT_X0 = 1, HEIGHT_X1 = 2, HEIGHT_Z0 = 4, HEIGHT_Z1 = 8 };

typedef struct HeightLevel {
    int64_t first_i, first_k; // cells of this level from the anchor to its first node
    int i0, i1, k0, k1;       // nodes over the rectangle; even
    int hole_i0, hole_i1;     // nodes between which the finer level lies; equal: nowhere
    int hole_k0, hole_k1;
    double glide_from,
        glide_to;  // distances from the camera at which nodes begin to glide, and arrive [m]
    bool is_last;  // no coarser one around it
    double *x, *z; // of columns and rows, moved into the rectangle [m]
    uint8_t *side_x, *side_z; // that they have been moved to
} HeightLevel;

// Some rows of nodes and of the cells above them, the same for any number of workers.
typedef struct HeightBlock {
    int level, k0, k1;  // rows of nodes [k0, k1)
    int first_point;    // of those that its nodes may take
    int n_points;       // that they took
    int first_triangle; // room for two per cell
    int n_whole,
        n_mixed;   // of its triangles: in water, from the front; cut by the shore, from the back
    int n_cut;     // triangles that the mixed ones become
    int n_hanging; // edges with a skirt
    int used, hanging; // points that are vertices, and of these with a skirt
    int vertex, skirt_vertex, triangle, skirt_triangle; // where its own begin in the mesh
} HeightBlock;

struct TarnHeightMesh {
    TarnContext* ctx;
    TarnHeightMeshDef def;
    size_t bytes;
    HeightLevel level[HEIGHT_MAX_LEVELS];
    HeightBlock* blocks;
    int n_blocks, n_nodes, max_cuts, max_table;
    int32_t* point; // of each node; below 0: ~ the node that it has become
    // Of points: first those of nodes, then those of cut edges.
    float *x, *z, *height, *depth;
    TarnVec3 *normal, *velocity;
    uint8_t *side, *is_wet, *is_used, *is_hanging;
    int32_t *vertex, *skirt_vertex; // in the mesh
    int32_t* triangle;              // points, 3 each
    // Cut edges, found by their points.
    int32_t *wet_end, *dry_end;
    int32_t* table; // of hashes: 1 + edge, 0: free
    uint32_t table_mask;
    int n_cuts;
    HeightBlock* cut_blocks; // for their numbers only
    int n_cut_blocks;
    // Of the running call.
    const TarnHeightMeshSource* source;
    TarnMesh* mesh;
    int first_level;           // that is not wholly collapsed into the next
    double eye_x, eye_z, away; // camera in the rectangle, and what else counts as distance [m]
};

// One past the room for the triangles of a block.
TARN_INLINE int tarn__height_last(const TarnHeightMesh* h, const HeightBlock* block)
{
    return block->first_triangle + 2 * h->def.cells * (block->k1 - block->k0);
}

// height_mesh_rings.c
void tarn__height_place_levels(TarnHeightMesh* h);
void tarn__height_make_points(int block, void* data);    // parallel over blocks
void tarn__height_make_triangles(int block, void* data); // parallel over blocks
void tarn__height_sample(const TarnHeightMesh* h, int first, int n);

// height_mesh_shore.c
void tarn__height_find_cuts(TarnHeightMesh* h);
void tarn__height_make_cuts(int block, void* data); // parallel over HEIGHT_CUTS_BATCH of them
// The part of a triangle that is in water, one or two triangles; returns how many.
int tarn__height_cut(const TarnHeightMesh* h, const int32_t corner[3], int32_t out[2][3]);
bool tarn__height_is_wet(const TarnHeightMeshSource* source, float height, float depth);

// height_mesh_write.c
void tarn__height_count(TarnHeightMesh* h); // numbers of everything, totals in the mesh
void tarn__height_write(TarnHeightMesh* h);
