// tarn/mesh.h: triangle meshes in buffers of the host, and marching cubes that fills them.
//
// Everything that makes a mesh (marching cubes here, tarn/particle_surface.h, tarn/screen_mesh.h,
// tarn/height_mesh.h) fills a TarnMesh, everything that takes one (tarn/mesh_file.h, the renderer, an
// engine) reads it. Vertices are shared: an edge between two triangles is two vertices, not four.
//
//     TarnMesh mesh = { .position = p, .normal = n, .index = t, .max_vertices = 65536, .max_triangles = 131072 };
//     TarnResult result = tarn_marching_run(marching, &field, &params, &mesh);
//     if (result == TARN_ERR_CAPACITY) // mesh.n_vertices and mesh.n_triangles say how much is needed
//
// The same bits for any number of workers. It does not simplify, unwrap or keep meshes over time.
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnMesh {
    // Buffers of the host. Those that are NULL are not written, and need no room: with none of them a run
    // counts.
    TarnVec3* position; // [m]
    TarnVec3* normal;   // unit length, out of the fluid
    TarnVec3* velocity; // of the fluid [m/s]
    float* attribute;   // n_attributes values per vertex, one vertex after the other
    uint32_t* index;    // 3 per triangle, counter-clockwise seen from outside
    int n_attributes;   // that there is room for; those that the source does not have are 0
    int max_vertices, max_triangles; // that there is room for
    // What is in them. After TARN_ERR_CAPACITY: what would be needed, and no buffer is touched.
    int n_vertices, n_triangles;
    const char* const* attribute_names; // n_attributes, for files; NULL: attribute_0, ...
} TarnMesh;

// What a mesh is made of. A closed, well oriented surface has no open, crowded or flipped edges and a volume
// above 0.
typedef struct TarnMeshStats {
    double area;       // [m^2]
    double volume;     // enclosed [m^3]; of use if it is closed
    int edges;         // used by at least one triangle
    int open_edges;    // used by one triangle only
    int crowded_edges; // used by more than two
    int flipped_edges; // used by two in the same direction
    int euler;         // vertices in use - edges + triangles: 2 for each sphere, 0 for each torus
    int parts;         // that hang together
    int degenerate;    // triangles with two equal vertices
    double min_angle;  // smallest of all triangles [radians]
} TarnMeshStats;
// Takes memory of ctx for the time of the call. TARN_ERR_DATA: an index that no vertex has.
TARN_API TarnResult tarn_mesh_stats(TarnContext* ctx, const TarnMesh* mesh, TarnMeshStats* out);
// Of everything that is in it, the same on every machine. Not after TARN_ERR_CAPACITY: then nothing is in it.
TARN_API uint64_t tarn_mesh_hash(const TarnMesh* mesh);

// ---- Fields --------------------------------------------------------------------------------------

// A scalar at the nodes of a grid, and what else a vertex shall have, between nodes linear.
typedef struct TarnField3 {
    TarnView3 value; // at node (i, j, k), which is at origin + (i, j, k) * dx
    TarnVec3 origin;
    float dx;              // [m]
    TarnView3 velocity[3]; // x, y, z [m/s], of the size of value; data NULL: none
    const TarnView3* attribute;
    int n_attributes;
} TarnField3;

// The same where a surface is only: blocks of 8 x 8 x 8 nodes. Between the last nodes of a block and the
// first of the next there are cells as everywhere.
enum { TARN_BLOCK_SIDE = 8, TARN_BLOCK_NODES = 512 };
typedef struct TarnBlocks {
    int n_blocks;
    const int32_t (
        *place)[3];     // the block's first node is node 8 * place of the grid. Sorted by z, y, x
    const float* value; // TARN_BLOCK_NODES per block, x fastest
    const float* velocity;  // x, y, z: 3 * TARN_BLOCK_NODES per block; NULL: none
    const float* attribute; // n_attributes * TARN_BLOCK_NODES per block
    int n_attributes;
    float outside; // value of nodes in no block
    TarnVec3 origin;
    float dx; // [m]
} TarnBlocks;

// ---- Marching cubes ------------------------------------------------------------------------------

typedef struct TarnMarching TarnMarching;

// How large fields may be; memory is for that, about 2 bytes per node of a dense field and 5.9 KiB per block.
typedef struct TarnMarchingDef {
    uint32_t cookie; // leave alone
    int nx, ny, nz;  // nodes of the largest TarnField3; 0: none will come
    int max_blocks;  // of the largest TarnBlocks; 0: none will come
} TarnMarchingDef;

typedef struct TarnMarchingParams {
    uint32_t cookie;     // leave alone
    float iso;           // value at the surface
    bool is_fluid_above; // fluid has higher values (a density); else lower ones (a distance)
    // Fluid at the edges of a dense grid gets a face there; else the mesh is open. Around blocks is
    // `outside`.
    bool is_closed;
    // Triangles that are slivers because the surface passes close to a node are taken out: vertices nearer to
    // a node than this share of a cell become one, if the topology allows it and nothing folds. 0: off, up to
    // 0.45; 0.3 leaves an eighth of them, and takes three to five times as long.
    float snap;
} TarnMarchingParams;

TARN_API const TarnParamTable* tarn_marching_def_table(void);
TARN_API const TarnParamTable* tarn_marching_params_table(void);
TARN_DEFAULT_DEF(TarnMarchingDef, tarn_marching);
TARN_DEFAULT(TarnMarchingParams, tarn_marching_default_params, tarn_marching_init_params);
TARN_API size_t tarn_marching_memory(const TarnMarchingDef* def); // 0: not valid
TARN_API TarnResult tarn_marching_create(TarnContext* ctx, const TarnMarchingDef* def,
                                         TarnMarching** out);
TARN_API void tarn_marching_destroy(TarnMarching* marching); // NULL is fine

// The surface of the trilinear field: watertight, and of its topology also where a face or the inside of a
// cell is ambiguous. A node that is not a number is not fluid, one at iso neither. Vertices keep 1/1024 of a
// cell from nodes, so that no triangle is a line. No allocation. How it works: docs/meshes/marching_cubes.md
// TARN_ERR_CAPACITY: the buffers of the mesh are too small; nothing was written, and n_vertices and
// n_triangles say what is needed.
TARN_API TarnResult tarn_marching_run(TarnMarching* marching, const TarnField3* field,
                                      const TarnMarchingParams* params, TarnMesh* mesh);
TARN_API TarnResult tarn_marching_run_blocks(TarnMarching* marching, const TarnBlocks* blocks,
                                             const TarnMarchingParams* params, TarnMesh* mesh);

#ifdef __cplusplus
}
#endif
