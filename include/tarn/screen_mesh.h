// tarn/screen_mesh.h: the surface of particles as seen by one camera.
//
// Screen-space meshes (Mueller, Schirm, Duthaler 2007): particles are drawn into a depth map on a grid of
// nodes over the picture, the map is smoothed within its silhouettes, and is turned into triangles in world
// space. The cost depends on the picture, and the mesh is fine near the camera and coarse far away, but it is
// only right from this camera. Where a near part of the liquid hides a far one, the two are not connected,
// and the far one extends a little behind the near one. The mesh is open: it ends at silhouettes and at the
// edges of the picture, and has no volume. For closed meshes, shadows and other viewpoints use
// tarn/particle_surface.h.
#pragma once

#include "tarn/base.h"
#include "tarn/mesh.h"
#include "tarn/particle_surface.h"

#ifdef __cplusplus
extern "C" {
#endif

// Column-major matrices as in GL: clip = projection * view * world, and the camera looks along -z. A view may
// rotate, translate, mirror and scale uniformly. A projection may be perspective or orthographic, off-center,
// and rotated in the picture; its third row (depth) is not used, so any depth convention works.
typedef struct TarnScreenCamera {
    float view[16], projection[16];
    int width, height; // size of the picture [pixels]
} TarnScreenCamera;

typedef struct TarnScreenMesh TarnScreenMesh;

// The largest sizes to expect, which memory is reserved for: about 107 bytes per node and 68 per particle.
typedef struct TarnScreenMeshDef {
    uint32_t cookie; // set by tarn_screen_mesh_default_def; leave it alone
    int max_particles;
    int max_width, max_height; // size of the picture [pixels]
    int spacing;               // distance between nodes [pixels]; larger is coarser and faster
} TarnScreenMeshDef;

typedef struct TarnScreenMeshParams {
    uint32_t cookie; // set by tarn_screen_mesh_default_params; leave it alone
    float radius;    // of a particle [m]; on screen it is at least one node
    float max_step;  // nodes whose depths differ by more are not connected, in radii
    int filter;      // half width of the depth filter [nodes]; larger is smoother
    int iterations;  // smoothing passes over the silhouettes
    int layers;      // 1: the front only; 2: also the back of the liquid, for its thickness
    float nearest;   // particles that come closer to the camera are skipped [m]
} TarnScreenMeshParams;

TARN_API const TarnParamTable* tarn_screen_mesh_def_table(void);
TARN_API const TarnParamTable* tarn_screen_mesh_params_table(void);
TARN_DEFAULT_DEF(TarnScreenMeshDef, tarn_screen_mesh);
TARN_DEFAULT(TarnScreenMeshParams, tarn_screen_mesh_default_params, tarn_screen_mesh_init_params);
// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_screen_mesh_memory(const TarnScreenMeshDef* def);
TARN_API TarnResult tarn_screen_mesh_create(TarnContext* ctx, const TarnScreenMeshDef* def,
                                            TarnScreenMesh** out);
TARN_API void tarn_screen_mesh_destroy(TarnScreenMesh* screen); // NULL is fine

// Meshes what this camera sees, in world space, front layer first; *n_front (may be NULL) is the number of
// triangles in that layer. Front triangles are counter-clockwise as the camera sees them and back triangles
// clockwise; a mirroring camera swaps the two. Normals come from the smoothed depths, velocities and
// attributes from the visible particle. It allocates nothing. Errors as tarn_marching_run; TARN_ERR_ARG also
// for an invalid camera.
TARN_API TarnResult tarn_screen_mesh_run(TarnScreenMesh* screen, const TarnPoints* points,
                                         const TarnScreenCamera* camera,
                                         const TarnScreenMeshParams* params, TarnMesh* mesh,
                                         int* n_front);

#ifdef __cplusplus
}
#endif
