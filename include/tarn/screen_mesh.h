// tarn/screen_mesh.h: the surface of particles as one camera sees it.
//
// Screen-space meshes (Mueller, Schirm, Duthaler 2007): particles become a map of depths on nodes of the
// picture, the map is smoothed up to its silhouettes, and becomes triangles in world space. It costs what
// the picture costs, is fine near the camera and coarse far away by itself, and is wrong from any other
// side. Where a near part of the liquid hides a far one they are not connected, and the far one goes on
// a little behind. It is an open mesh: it ends at silhouettes and at the edges of the picture, and has
// no volume. For closed meshes, for shadows and for views from elsewhere: tarn/particle_surface.h.
#pragma once

#include "tarn/base.h"
#include "tarn/mesh.h"
#include "tarn/particle_surface.h"

#ifdef __cplusplus
extern "C" {
#endif

// Column-major, as GL has them: clip = projection * view * world; the camera looks along -z. A view may turn,
// move, mirror, and scale all axes alike. A projection may be perspective or orthographic, off-center
// and turned in the picture; of its third row, the depth, nothing is used, so any convention does.
typedef struct TarnScreenCamera {
    float view[16], projection[16];
    int width, height; // of the picture [pixels]
} TarnScreenCamera;

typedef struct TarnScreenMesh TarnScreenMesh;

// How large things may be; memory is for that: about 107 bytes per node and 68 per particle.
typedef struct TarnScreenMeshDef {
    uint32_t cookie; // leave alone
    int max_particles;
    int max_width, max_height; // of the picture [pixels]
    int spacing;               // of the nodes [pixels]
} TarnScreenMeshDef;

typedef struct TarnScreenMeshParams {
    uint32_t cookie; // leave alone
    float radius;   // of a particle [m]; what would be smaller than a node is drawn as large as one
    float max_step; // depths of neighboring nodes that differ by more are not connected, in radii
    int filter;     // half width of the smoothing of depths [nodes]
    int iterations; // of the smoothing of silhouettes
    int layers;     // 1: what is seen; 2: and the liquid's back, for its thickness
    float nearest;  // particles that reach nearer to the camera are left out [m]
} TarnScreenMeshParams;

TARN_API const TarnParamTable* tarn_screen_mesh_def_table(void);
TARN_API const TarnParamTable* tarn_screen_mesh_params_table(void);
TARN_DEFAULT_DEF(TarnScreenMeshDef, tarn_screen_mesh);
TARN_DEFAULT(TarnScreenMeshParams, tarn_screen_mesh_default_params, tarn_screen_mesh_init_params);
TARN_API size_t tarn_screen_mesh_memory(const TarnScreenMeshDef* def); // 0: not valid
TARN_API TarnResult tarn_screen_mesh_create(TarnContext* ctx, const TarnScreenMeshDef* def,
                                            TarnScreenMesh** out);
TARN_API void tarn_screen_mesh_destroy(TarnScreenMesh* screen); // NULL is fine

// World-space triangles of what this camera sees, the front layer first; *n_front (may be NULL) says how many
// of mesh->n_triangles it has. Triangles of the front are counter-clockwise as the camera sees them, those of
// the back clockwise (if the camera mirrors, the other way). Normals come from the smoothed depths, velocity
// and attributes from the particle that is seen. No allocation. Errors as tarn_marching_run; TARN_ERR_ARG
// also for a camera that is none.
TARN_API TarnResult tarn_screen_mesh_run(TarnScreenMesh* screen, const TarnPoints* points,
                                         const TarnScreenCamera* camera,
                                         const TarnScreenMeshParams* params, TarnMesh* mesh,
                                         int* n_front);

#ifdef __cplusplus
}
#endif
