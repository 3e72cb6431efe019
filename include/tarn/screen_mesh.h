// tarn/screen_mesh.h: the surface of particles as one camera sees it (Mueller, Schirm, Duthaler: Screen Space
// Meshes, 2007). Fast, fine near the camera and coarse far away by itself; wrong from any other side.
#pragma once

#include "tarn/base.h"
#include "tarn/mesh.h"
#include "tarn/particle_surface.h"

#ifdef __cplusplus
extern "C" {
#endif

// Column-major, as GL has them: clip = projection * view * world; the camera looks along -z.
typedef struct TarnScreenCamera {
    float view[16], projection[16];
    int width, height; // of the picture [pixels]
} TarnScreenCamera;

typedef struct TarnScreenMesh TarnScreenMesh;

typedef struct TarnScreenMeshDef {
    int max_particles;
    int max_width, max_height; // of the picture [pixels]
    int spacing;               // of the nodes [pixels]
    uint32_t cookie;
} TarnScreenMeshDef;

typedef struct TarnScreenMeshParams {
    float radius;   // of a particle [m]
    float max_step; // depths that differ by more are not connected, in radii
    int filter;     // half width of the smoothing of depths [nodes]
    int iterations; // of the smoothing of silhouettes
    int layers;     // 1: what is seen; 2: and the liquid's back, for its thickness
    uint32_t cookie;
} TarnScreenMeshParams;

TARN_API const TarnParamTable* tarn_screen_mesh_def_table(void);
TARN_API const TarnParamTable* tarn_screen_mesh_params_table(void);
TARN_API TarnScreenMeshDef tarn_screen_mesh_default_def(void);
TARN_API TarnScreenMeshParams tarn_screen_mesh_default_params(void);
TARN_API size_t tarn_screen_mesh_memory(const TarnScreenMeshDef* def); // 0: not valid
TARN_API TarnResult tarn_screen_mesh_create(TarnContext* ctx, const TarnScreenMeshDef* def,
                                            TarnScreenMesh** out);
TARN_API void tarn_screen_mesh_destroy(TarnScreenMesh* mesh); // NULL is fine

// World-space triangles of what this camera sees, the front layer first; *n_front (may be NULL) says how many
// of mesh->n_triangles it has. Normals from the smoothed depths. No allocation. Errors as tarn_marching_run.
TARN_API TarnResult tarn_screen_mesh_run(TarnScreenMesh* screen, const TarnPoints* points,
                                         const TarnScreenCamera* camera,
                                         const TarnScreenMeshParams* params, TarnMesh* mesh,
                                         int* n_front);

#ifdef __cplusplus
}
#endif
