// tarn/mesh.h: triangle meshes in the host's buffers, and marching cubes, which fills them.
//
// Everything that makes a mesh (marching cubes here, tarn/particle_surface.h, tarn/screen_mesh.h,
// tarn/height_mesh.h) fills a TarnMesh, and everything that takes one (tarn/mesh_file.h, the renderer, an
// engine) reads it. Vertices are shared between triangles.
//
//     TarnMesh mesh = { .position = p, .normal = n, .index = t,
//                       .max_vertices = 65536, .max_triangles = 131072 };
//     TarnResult result = tarn_marching_run(marching, &field, &params, &mesh);
//     if (result == TARN_ERR_CAPACITY) // mesh.n_vertices and mesh.n_triangles are the sizes needed
//
// Results are the same bits for any number of workers. Meshes are not simplified, unwrapped or tracked over
// time.
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnMesh {
    // Buffers of the host. Those that are NULL are skipped; if all are NULL, a run only counts.
    TarnVec3* position; // [m]
    TarnVec3* normal;   // unit length, pointing out of the fluid
    TarnVec3* velocity; // of the fluid [m/s]
    float* attribute;   // n_attributes values for each vertex, vertex by vertex
    uint32_t* index;    // 3 per triangle, counter-clockwise seen from outside
    int n_attributes; // values per vertex in attribute; those the source does not have are set to 0
    int max_vertices, max_triangles; // capacity of the buffers
    // Contents of the buffers. After TARN_ERR_CAPACITY: the sizes needed, with the buffers untouched.
    int n_vertices, n_triangles;
    const char* const* attribute_names; // n_attributes names, for files; NULL: attribute_0, ...
} TarnMesh;

// Properties of a mesh. A closed, consistently oriented surface has no open, crowded or flipped edges and a
// positive volume.
typedef struct TarnMeshStats {
    double area;       // [m^2]
    double volume;     // enclosed volume [m^3]; meaningful if the mesh is closed
    int edges;         // edges used by at least one triangle
    int open_edges;    // edges used by one triangle only
    int crowded_edges; // edges used by more than two triangles
    int flipped_edges; // edges used by two triangles in the same direction
    int euler;         // vertices in use - edges + triangles: 2 for each sphere, 0 for each torus
    int parts;         // connected components
    int degenerate;    // triangles with two equal vertices
    double min_angle;  // smallest angle of all triangles [radians]
} TarnMeshStats;
// Computes the properties of a mesh, using temporary memory of ctx. TARN_ERR_DATA: an index refers to no
// vertex. TARN_ERR_MEMORY.
TARN_API TarnResult tarn_mesh_stats(TarnContext* ctx, const TarnMesh* mesh, TarnMeshStats* out);
// Returns a hash of the contents, the same on every machine. Do not use it after TARN_ERR_CAPACITY, when
// there are no contents.
TARN_API uint64_t tarn_mesh_hash(const TarnMesh* mesh);

// ---- Fields --------------------------------------------------------------------------------------

// A scalar field on the nodes of a grid, with optional velocity and attributes for the vertices. All are
// interpolated linearly between nodes.
typedef struct TarnField3 {
    TarnView3 value; // node (i, j, k) is at origin + (i, j, k) * dx
    TarnVec3 origin;
    float dx;              // [m]
    TarnView3 velocity[3]; // x, y, z components [m/s], of the same size as value; data NULL: none
    const TarnView3* attribute;
    int n_attributes;
} TarnField3;

// A sparse field: only the blocks of 8 x 8 x 8 nodes near the surface. The cells between the last nodes of a
// block and the first nodes of the next one are meshed too.
enum { TARN_BLOCK_SIDE = 8, TARN_BLOCK_NODES = 512 };
typedef struct TarnBlocks {
    int n_blocks;
    const int32_t (
        *place)[3];         // first node of each block, in multiples of 8 nodes; sorted by z, y, x
    const float* value;     // TARN_BLOCK_NODES per block, x fastest
    const float* velocity;  // x, y, z: 3 * TARN_BLOCK_NODES per block; NULL: none
    const float* attribute; // n_attributes * TARN_BLOCK_NODES per block
    int n_attributes;
    float outside; // value of nodes outside all blocks
    TarnVec3 origin;
    float dx; // [m]
} TarnBlocks;

// ---- Marching cubes ------------------------------------------------------------------------------

typedef struct TarnMarching TarnMarching;

// The largest fields to expect, which memory is reserved for: about 2 bytes per node of a dense field and 5.9
// KiB per block.
typedef struct TarnMarchingDef {
    uint32_t cookie; // set by tarn_marching_default_def; leave it alone
    int nx, ny, nz;  // nodes of the largest TarnField3; 0: dense fields are not used
    int max_blocks;  // blocks of the largest TarnBlocks; 0: sparse fields are not used
} TarnMarchingDef;

typedef struct TarnMarchingParams {
    uint32_t cookie;     // set by tarn_marching_default_params; leave it alone
    float iso;           // value at the surface
    bool is_fluid_above; // fluid has values above iso (a density); otherwise below (a distance)
    // Closes the mesh where fluid touches the edge of a dense grid; otherwise the mesh is open there. Blocks
    // are surrounded by `outside` instead.
    bool is_closed;
    // Removes sliver triangles: vertices closer to a node than this share of a cell are merged, unless that
    // would change the topology or fold the mesh. 0 (off) to 0.45; 0.3 leaves an eighth of the slivers and
    // takes three to five times as long.
    float snap;
} TarnMarchingParams;

TARN_API const TarnParamTable* tarn_marching_def_table(void);
TARN_API const TarnParamTable* tarn_marching_params_table(void);
TARN_DEFAULT_DEF(TarnMarchingDef, tarn_marching);
TARN_DEFAULT(TarnMarchingParams, tarn_marching_default_params, tarn_marching_init_params);
// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_marching_memory(const TarnMarchingDef* def);
TARN_API TarnResult tarn_marching_create(TarnContext* ctx, const TarnMarchingDef* def,
                                         TarnMarching** out);
TARN_API void tarn_marching_destroy(TarnMarching* marching); // NULL is fine

// Meshes the isosurface of the trilinear field. The mesh is watertight and has the topology of that surface
// even where a face or the inside of a cell is ambiguous. Nodes that are NaN or exactly iso are not fluid.
// Vertices stay at least 1/1024 of a cell away from nodes, so no triangle degenerates. It allocates nothing.
// Method: docs/meshes/marching_cubes.md TARN_ERR_CAPACITY: the buffers of the mesh are too small; nothing was
// written, and n_vertices and n_triangles are the sizes needed. TARN_ERR_ARG: a value is out of range, or the
// field is larger than the def allows.
TARN_API TarnResult tarn_marching_run(TarnMarching* marching, const TarnField3* field,
                                      const TarnMarchingParams* params, TarnMesh* mesh);
TARN_API TarnResult tarn_marching_run_blocks(TarnMarching* marching, const TarnBlocks* blocks,
                                             const TarnMarchingParams* params, TarnMesh* mesh);

#ifdef __cplusplus
}
#endif
