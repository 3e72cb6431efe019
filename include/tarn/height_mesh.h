// tarn/height_mesh.h: the surface of height-field water as triangles, from any TarnSurface.
//
// Square rings of triangles around the camera, each twice as coarse as the one inside, without cracks and
// without popping: vertices glide to the places of the coarser ring before they reach it. Water ends exactly at
// the shore. Heights, normals and velocities are those of tarn_surface_query: what floats lies on what is drawn.
#pragma once

#include "tarn/base.h"
#include "tarn/mesh.h"
#include "tarn/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnHeightMesh TarnHeightMesh;

typedef struct TarnHeightMeshDef {
    int cells;  // quads along one side of a ring, a multiple of 4
    int levels; // rings; the outermost reaches cells * cell * 2^(levels - 1) across
    uint32_t cookie;
} TarnHeightMeshDef;

// What to mesh. Start from tarn_height_mesh_default_source().
typedef struct TarnHeightMeshSource {
    TarnSurface surface;
    TarnVec2 min, max; // x and z of the water's rectangle [m]; nothing is made outside
    float cell;        // size of the finest quads [m]: that of the solver's cells, or half
    TarnVec3 camera;   // rings lie around it
    bool has_shore;    // it is cut where the depth becomes 0; else all of the rectangle is water
    float skirt;       // how far faces hang down at the edges of the rectangle [m]; 0: none
    // Foam, 0 to 1, at the cells of a grid over the rectangle; data NULL: none.
    TarnView2 foam;
    uint32_t cookie;
} TarnHeightMeshSource;
// Attributes of its vertices, in this order; as many as the mesh has room for.
enum { TARN_HEIGHT_MESH_DEPTH, TARN_HEIGHT_MESH_FOAM, TARN_HEIGHT_MESH_ATTRIBUTES };

TARN_API const TarnParamTable* tarn_height_mesh_def_table(void);
TARN_API const TarnParamTable* tarn_height_mesh_source_table(void); // of its numbers
TARN_API TarnHeightMeshDef tarn_height_mesh_default_def(void);
TARN_API TarnHeightMeshSource tarn_height_mesh_default_source(void);
TARN_API size_t tarn_height_mesh_memory(const TarnHeightMeshDef* def); // 0: not valid
TARN_API TarnResult tarn_height_mesh_create(TarnContext* ctx, const TarnHeightMeshDef* def,
                                            TarnHeightMesh** out);
TARN_API void tarn_height_mesh_destroy(TarnHeightMesh* mesh); // NULL is fine
// No allocation. Errors as tarn_marching_run.
TARN_API TarnResult tarn_height_mesh_run(TarnHeightMesh* heights,
                                         const TarnHeightMeshSource* source, TarnMesh* mesh);

#ifdef __cplusplus
}
#endif
