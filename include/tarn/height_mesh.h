// tarn/height_mesh.h: the surface of height-field water as triangles, from any TarnSurface.
//
// Square rings of triangles around the camera, each twice as coarse as the one inside, without cracks and
// without popping: vertices glide along the edges of the coarser ring to its vertices before they reach it,
// and are one with them when they arrive. Every vertex lies on the surface that tarn_surface_query gives;
// near the camera, with cells of the solver's size at its places, all of the mesh does: what floats lies on
// what is drawn. Water ends at the shore.
//
//     TarnHeightMeshSource source = tarn_height_mesh_source_of_shallow(water);
//     source.camera = eye;
//     TarnResult result = tarn_height_mesh_run(heights, &source, &mesh);
//
// It does not see islands and ponds that are smaller than its cells where it draws them, and ends where the
// last ring or the rectangle does. How, limits, cost: docs/meshes/height_mesh.md
#pragma once

#include "tarn/base.h"
#include "tarn/mesh.h"
#include "tarn/pipes.h"
#include "tarn/shallow.h"
#include "tarn/surface.h"
#include "tarn/wave.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnHeightMesh TarnHeightMesh;

typedef struct TarnHeightMeshDef {
    uint32_t cookie; // leave alone
    int cells;       // quads along one side of a ring, a multiple of 4
    int levels;      // rings; the outermost reaches cells * cell * 2^(levels - 1) across
} TarnHeightMeshDef;

// What to mesh. Start from tarn_height_mesh_default_source() or tarn_height_mesh_source_of_*.
typedef struct TarnHeightMeshSource {
    uint32_t cookie; // leave alone
    TarnSurface surface;
    TarnVec2 min, max; // x and z of the water's rectangle [m]; nothing is made outside
    float cell;        // size of the finest quads [m]: that of the solver's cells, or half
    TarnVec2
        anchor; // x and z of some vertex of the grid [m]: the center of a solver's cell. Keep it
    TarnVec3 camera; // rings lie around it; outside of the rectangle, around the nearest point
    float level;     // y from which the height of the camera counts [m]
    float
        altitude_weight; // share of this height that makes the mesh coarser, as distance does. 0: none
    bool has_shore;      // it is cut where the depth becomes dry_depth; else all is water
    float dry_depth;     // water as thin as this is land [m]
    float skirt;         // how far faces hang down at the edges of the rectangle [m]; 0: none
    // Foam, 0 to 1, at the cells of a grid over the rectangle; data NULL: none.
    TarnView2 foam;
} TarnHeightMeshSource;
// Attributes of its vertices, in this order; as many as the mesh has room for.
enum { TARN_HEIGHT_MESH_DEPTH, TARN_HEIGHT_MESH_FOAM, TARN_HEIGHT_MESH_ATTRIBUTES };

TARN_API const TarnParamTable* tarn_height_mesh_def_table(void);
TARN_API const TarnParamTable* tarn_height_mesh_source_table(void); // of its numbers
TARN_DEFAULT_DEF(TarnHeightMeshDef, tarn_height_mesh);
TARN_DEFAULT(TarnHeightMeshSource, tarn_height_mesh_default_source, tarn_height_mesh_init_source);
// Rectangle, cells, places, level and shore of a solver; the camera is left to set. Ask again when its
// window has moved.
TARN_DEFAULT_FROM(TarnHeightMeshSource, tarn_height_mesh_source_of_wave,
                  tarn_height_mesh_init_source_of_wave, const TarnWave*);
TARN_DEFAULT_FROM(TarnHeightMeshSource, tarn_height_mesh_source_of_shallow,
                  tarn_height_mesh_init_source_of_shallow, const TarnShallow*);
TARN_DEFAULT_FROM(TarnHeightMeshSource, tarn_height_mesh_source_of_pipes,
                  tarn_height_mesh_init_source_of_pipes, const TarnPipes*);

TARN_API size_t tarn_height_mesh_memory(const TarnHeightMeshDef* def); // 0: not valid
// Room that is enough for any run, however jagged the shore; calm water needs a third. 0: not valid.
TARN_API void tarn_height_mesh_max_size(const TarnHeightMeshDef* def, int* max_vertices,
                                        int* max_triangles);
TARN_API TarnResult tarn_height_mesh_create(TarnContext* ctx, const TarnHeightMeshDef* def,
                                            TarnHeightMesh** out);
TARN_API void tarn_height_mesh_destroy(TarnHeightMesh* mesh); // NULL is fine
// Asks the surface from several threads at once. Points whose height is not a number are land. No allocation.
// Errors as tarn_marching_run. Triangles of the finest ring come first; skirts last.
TARN_API TarnResult tarn_height_mesh_run(TarnHeightMesh* heights,
                                         const TarnHeightMeshSource* source, TarnMesh* mesh);

#ifdef __cplusplus
}
#endif
