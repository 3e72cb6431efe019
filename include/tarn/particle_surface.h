// tarn/particle_surface.h: the surface of a particle liquid, as a scalar field and as a mesh.
//
// Three methods build the field, stored in blocks of 8 x 8 x 8 nodes near the surface only:
//
//     density       sum of a kernel around each particle: cheap, bumpy
//     zhu_bridson   distance to the mean of nearby particles minus their mean radius: smoother
//     anisotropic   kernels stretched along the surface by the covariance of the neighbors (Yu & Turk 2013):
//                   flat where the liquid is flat, thin sheets hold together, drops stay round; the default
//
// tarn_particle_surface_update builds the field and tarn_particle_surface_mesh its closed mesh. Nothing is
// kept from one frame to the next, and the grid is fixed in the world. Any points will do; 2-D liquids (z is
// 0) give a slab one spacing thick. Vertices are not tracked over time, and the volume is preserved to a few
// percent only. Method, limits, cost: docs/meshes/particle_surface.md
#pragma once

#include "tarn/base.h"
#include "tarn/liquid.h"
#include "tarn/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Points with velocities and attributes. x and y are required; other arrays may be NULL and count as 0.
// Points that are not finite, or farther than 2^23 cells from the world's origin, are skipped; velocities and
// attributes that are not finite count as 0.
typedef struct TarnPoints {
    int n;
    const float *x, *y, *z;    // [m]
    const float *vx, *vy, *vz; // [m/s]
    const float* attribute;    // n_attributes values for each point, point by point
    int n_attributes;
} TarnPoints;
TARN_API TarnPoints tarn_liquid_points(const TarnLiquidView* view); // without attributes

typedef enum TarnParticleSurfaceMethod {
    TARN_PARTICLE_SURFACE_DENSITY,
    TARN_PARTICLE_SURFACE_ZHU_BRIDSON,
    TARN_PARTICLE_SURFACE_ANISOTROPIC,
} TarnParticleSurfaceMethod;

typedef struct TarnParticleSurface TarnParticleSurface;

typedef struct TarnParticleSurfaceDef {
    uint32_t cookie; // set by tarn_particle_surface_default_def; leave it alone
    int max_particles;
    int max_blocks;    // capacity of the field; 0: estimated from max_particles
    float spacing;     // between particles at rest [m]
    float cell;        // cell size of the field, in spacings; smaller is finer and costs more
    bool use_velocity; // vertices get velocities
    int n_attributes;  // number of attributes that vertices get from points
} TarnParticleSurfaceDef;

typedef struct TarnParticleSurfaceParams {
    uint32_t cookie; // set by tarn_particle_surface_default_params; leave it alone
    int method;      // TarnParticleSurfaceMethod
    float radius;    // radius of the kernels, in spacings; larger is smoother and costs more
    float level;     // distance of a calm surface from the outermost particle centers, in spacings
    float
        smoothing; // anisotropic: how far particles move toward the mean of their neighbors, 0 to 1
    float stretch; // anisotropic: largest ratio of the longest to the shortest axis of a kernel
    float snap;    // as in TarnMarchingParams
} TarnParticleSurfaceParams;

TARN_API const TarnParamTable* tarn_particle_surface_def_table(void);
TARN_API const TarnParamTable* tarn_particle_surface_params_table(void);
TARN_DEFAULT_DEF(TarnParticleSurfaceDef, tarn_particle_surface);
TARN_DEFAULT(TarnParticleSurfaceParams, tarn_particle_surface_default_params,
             tarn_particle_surface_init_params);
// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_particle_surface_memory(const TarnParticleSurfaceDef* def);
TARN_API TarnResult tarn_particle_surface_create(TarnContext* ctx,
                                                 const TarnParticleSurfaceDef* def,
                                                 TarnParticleSurface** out);
TARN_API void tarn_particle_surface_destroy(TarnParticleSurface* surface); // NULL is fine
TARN_API TarnResult tarn_particle_surface_set_params(TarnParticleSurface* surface,
                                                     const TarnParticleSurfaceParams* params);
TARN_API TarnParticleSurfaceParams tarn_particle_surface_params(const TarnParticleSurface* surface);

// Builds the field of these points. It allocates nothing and gives the same bits for any number of workers.
// TARN_ERR_CAPACITY: there are more points or blocks than the def has room for; the field is unchanged, and
// *needed_blocks (may be NULL) is the number of blocks needed, or an upper bound if that is more than a
// hundred times the room, or 0 if there are too many points.
TARN_API TarnResult tarn_particle_surface_update(TarnParticleSurface* surface,
                                                 const TarnPoints* points, int* needed_blocks);
// Returns the field: roughly a signed distance [m], negative inside the liquid. Valid until the next update.
TARN_API TarnBlocks tarn_particle_surface_blocks(const TarnParticleSurface* surface);
// Meshes the field; the mesh is closed. Errors as tarn_marching_run.
TARN_API TarnResult tarn_particle_surface_mesh(TarnParticleSurface* surface, TarnMesh* mesh);

#ifdef __cplusplus
}
#endif
