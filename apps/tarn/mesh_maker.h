// The surface of a world's liquid or water as a mesh, whatever it is made of, in buffers that grow as needed.
#pragma once

#include "command.h"
#include "tarn/height_mesh.h"
#include "tarn/particle_surface.h"
#include "tarn/world.h"

typedef struct MeshMakerDef {
    int method;               // TarnParticleSurfaceMethod; -1: the default
    double cell;              // of the mesh [m]; 0: the library's default, or a cell of the water
    const Overrides* surface; // of TarnParticleSurfaceParams
    bool is_z_up;             // for programs in which z is up
    const char* solver;       // name of the solver to mesh; NULL: the first that has a surface
} MeshMakerDef;

typedef struct MeshMaker {
    TarnContext* ctx;
    MeshMakerDef def;
    const void* solver;           // whose surface it is
    TarnParticleSurface* surface; // of a liquid
    TarnHeightMesh* heights;      // of water
    TarnParticleSurfaceDef surface_def;
    TarnMesh mesh; // of the last run
} MeshMaker;

// Returns an exit code; unless it is EXIT_OK, the error has been reported.
int mesh_maker_open(MeshMaker* maker, TarnContext* ctx, TarnWorld* world, const MeshMakerDef* def);
// Meshes the current surface. Returns false after reporting an error.
bool mesh_maker_run(MeshMaker* maker, TarnWorld* world);
void mesh_maker_close(MeshMaker* maker); // fine on zeroed memory
// Makes room; the old content is lost. Returns false after reporting an error.
bool mesh_reserve(TarnMesh* mesh, int max_vertices, int max_triangles);
void mesh_free(TarnMesh* mesh);
