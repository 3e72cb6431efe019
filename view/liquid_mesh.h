// Meshes of liquids for pictures.
#pragma once

#include "tarn/screen_mesh.h"
#include "tarn/view.h"

// What makes them, and the mesh of now, in buffers that only grow.
typedef struct LiquidMesh {
    TarnMesh mesh;
    TarnDrawingBlock positions, normals, indices; // of the mesh
    TarnDrawingBlock places;                      // x, y, z of the particles that it is made of
    TarnParticleSurface* surface;
    TarnScreenMesh* screen;
    TarnParticleSurfaceDef surface_def; // of the two
    TarnScreenMeshDef screen_def;
    TarnParticleSurfaceParams
        params; // of the surface, set before the first one; cookie 0: the default
} LiquidMesh;

// The closed surface of the particles. TARN_ERR_MEMORY, or what the mesher says.
TarnResult tarn__view_mesh_surface(TarnContext* ctx, LiquidMesh* m, const TarnFrameLiquid* l);
// What a camera sees of it in a picture of this size.
TarnResult tarn__view_mesh_screen(TarnContext* ctx, LiquidMesh* m, const TarnFrameLiquid* l,
                                  const TarnCamera* camera, int width, int height);
void tarn__view_mesh_free(TarnContext* ctx, LiquidMesh* m);
