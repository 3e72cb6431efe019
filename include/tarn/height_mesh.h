// tarn/height_mesh.h: the surface of height-field water as triangles, from any TarnSurface.
//
// Square rings of triangles around the camera, each twice as coarse as the one inside it, without cracks or
// popping: vertices slide along the edges of the next coarser ring and coincide with its vertices when they
// reach it. Every vertex lies on the surface that tarn_surface_query returns. Near the camera, with quads
// that match the solver's cells, so does the whole mesh, so that floating things sit on what is drawn. The
// water is cut at the shore.
//
//     TarnHeightMeshSource source = tarn_height_mesh_source_of_shallow(water);
//     source.camera = eye;
//     TarnResult result = tarn_height_mesh_run(heights, &source, &mesh);
//
// Islands and ponds smaller than the local quads are missed, and the mesh ends with the last ring or the
// rectangle. Method, limits, cost: docs/meshes/height_mesh.md
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
    uint32_t cookie; // set by tarn_height_mesh_default_def; leave it alone
    int cells;       // quads along one side of a ring; a multiple of 4
    int levels;      // number of rings; the outermost is cells * cell * 2^(levels - 1) wide
} TarnHeightMeshDef;

// What to mesh. Start from tarn_height_mesh_default_source() or tarn_height_mesh_source_of_*.
typedef struct TarnHeightMeshSource {
    uint32_t cookie; // set by tarn_height_mesh_default_source; leave it alone
    TarnSurface surface;
    TarnVec2 min, max; // x and z of the water's rectangle [m]; nothing is meshed outside it
    float cell;        // size of the finest quads [m]: that of the solver's cells, or half of it
    TarnVec2
        anchor; // x and z of any grid vertex [m], such as the center of a cell; keep it constant
    TarnVec3 camera; // center of the rings [m]; outside the rectangle, the nearest point of it is
    float level;     // y from which the camera's height is measured [m]
    // Share of that height that coarsens the mesh, as distance does; 0: none.
    float altitude_weight;
    bool has_shore;  // cuts the mesh where the depth falls to dry_depth; otherwise all is water
    float dry_depth; // thinner water counts as land [m]
    float skirt;     // how far faces hang down at the edges of the rectangle [m]; 0: none
    TarnView2 foam;  // 0 to 1, in the cells of a grid over the rectangle; data NULL: none
} TarnHeightMeshSource;
// Attributes of the vertices, in this order, as far as the mesh has room for them.
enum { TARN_HEIGHT_MESH_DEPTH, TARN_HEIGHT_MESH_FOAM, TARN_HEIGHT_MESH_ATTRIBUTES };

TARN_API const TarnParamTable* tarn_height_mesh_def_table(void);
TARN_API const TarnParamTable* tarn_height_mesh_source_table(void); // of the plain fields
TARN_DEFAULT_DEF(TarnHeightMeshDef, tarn_height_mesh);
TARN_DEFAULT(TarnHeightMeshSource, tarn_height_mesh_default_source, tarn_height_mesh_init_source);
// Make a source with the rectangle, cells, level and shore of a solver; set the camera yourself. Make it again
// when the solver's window has moved.
TARN_DEFAULT_FROM(TarnHeightMeshSource, tarn_height_mesh_source_of_wave,
                  tarn_height_mesh_init_source_of_wave, const TarnWave*);
TARN_DEFAULT_FROM(TarnHeightMeshSource, tarn_height_mesh_source_of_shallow,
                  tarn_height_mesh_init_source_of_shallow, const TarnShallow*);
TARN_DEFAULT_FROM(TarnHeightMeshSource, tarn_height_mesh_source_of_pipes,
                  tarn_height_mesh_init_source_of_pipes, const TarnPipes*);

// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_height_mesh_memory(const TarnHeightMeshDef* def);
// Writes buffer sizes that suffice for any run, however jagged the shore; calm water needs a third.
// 0, 0 if the def is invalid.
TARN_API void tarn_height_mesh_max_size(const TarnHeightMeshDef* def, int* max_vertices,
                                        int* max_triangles);
TARN_API TarnResult tarn_height_mesh_create(TarnContext* ctx, const TarnHeightMeshDef* def,
                                            TarnHeightMesh** out);
TARN_API void tarn_height_mesh_destroy(TarnHeightMesh* mesh); // NULL is fine
// Meshes the water, finest ring first and skirts last. It queries the surface from several threads at once;
// points whose height is NaN count as land. It allocates nothing. Errors as tarn_marching_run.
TARN_API TarnResult tarn_height_mesh_run(TarnHeightMesh* heights,
                                         const TarnHeightMeshSource* source, TarnMesh* mesh);

#ifdef __cplusplus
}
#endif
