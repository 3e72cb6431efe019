// Meshes of liquids for pictures.
#pragma once

#include "tarn/particle_surface.h"
#include "tarn/render.h"
#include "tarn/screen_mesh.h"

// What makes them, and the mesh of now, in buffers that only grow.
typedef struct LiquidMesh {
    TarnMesh mesh;
    float* places; // x, y, z of the particles that it is made of
    int room;
    TarnParticleSurface* surface;
    TarnScreenMesh* screen;
    TarnParticleSurfaceDef surface_def; // of the two
    TarnScreenMeshDef screen_def;
    TarnParticleSurfaceParams
        params; // of the surface, set before the first one; cookie 0: the usual
} LiquidMesh;

// The closed surface of the particles. TARN_ERR_MEMORY, or what the mesher says.
TarnResult liquid_mesh_surface(LiquidMesh* m, TarnContext* ctx, const TarnFrameLiquid* l);
// What a camera sees of it in a picture of this size.
TarnResult liquid_mesh_screen(LiquidMesh* m, TarnContext* ctx, const TarnFrameLiquid* l,
                              const TarnCamera* camera, int width, int height);
void liquid_mesh_free(LiquidMesh* m);
