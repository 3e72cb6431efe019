// tarn/particle_surface.h: the surface of a liquid of particles, as a field and as a mesh.
//
// Three ways to a scalar field, in blocks of 8 x 8 x 8 nodes near the surface only:
//
//     density       the sum of a kernel around each particle: cheap, bumpy
//     zhu_bridson   distance to the mean of the particles around, minus their mean radius: smoother
//     anisotropic   kernels stretched along the surface by the covariance of the neighbors (Yu & Turk 2013):
//                   flat where the liquid is flat, thin sheets hold together, drops stay round. The default
//
// tarn_particle_surface_update makes the field of now, tarn_particle_surface_mesh its mesh, closed. Nothing
// is kept from the frame before, and the grid stands still in the world. Any points will do; flat liquids (z
// is 0) give a slab one spacing thick. It does not track vertices over time and keeps the volume to a few
// percent only. Steps, limits, cost: docs/meshes/particle_surface.md
#pragma once

#include "tarn/base.h"
#include "tarn/liquid.h"
#include "tarn/mesh.h"

#ifdef __cplusplus
extern "C" {
#endif

// Points with what they carry; arrays that are NULL are 0, x and y must be there. Points that are not finite,
// or farther than 2^23 cells from the world's origin, are left out; what they carry counts as 0 where it is
// not finite.
typedef struct TarnPoints {
    int n;
    const float *x, *y, *z;    // [m]
    const float *vx, *vy, *vz; // [m/s]
    const float* attribute;    // n_attributes per point, one point after the other
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
    uint32_t cookie; // leave alone
    int max_particles;
    int max_blocks; // of the field; 0: guessed from max_particles
    float spacing;  // between particles at rest [m]
    float cell;     // size of a cell of the field, in spacings
    bool use_velocity;
    int n_attributes; // that vertices take over from points
} TarnParticleSurfaceDef;

typedef struct TarnParticleSurfaceParams {
    uint32_t cookie; // leave alone
    int method;      // TarnParticleSurfaceMethod
    float radius;    // support of the kernels, in spacings: more is smoother, and costs more
    float level;     // how far calm liquid reaches beyond its particles' centers, in spacings
    float smoothing; // how far particles move to the mean of their neighbors before (anisotropic)
    float stretch;   // longest by shortest axis of a kernel at most (anisotropic)
    float snap;      // as in TarnMarchingParams
} TarnParticleSurfaceParams;

TARN_API const TarnParamTable* tarn_particle_surface_def_table(void);
TARN_API const TarnParamTable* tarn_particle_surface_params_table(void);
TARN_DEFAULT_DEF(TarnParticleSurfaceDef, tarn_particle_surface);
TARN_DEFAULT(TarnParticleSurfaceParams, tarn_particle_surface_default_params,
             tarn_particle_surface_init_params);
TARN_API size_t tarn_particle_surface_memory(const TarnParticleSurfaceDef* def); // 0: not valid
TARN_API TarnResult tarn_particle_surface_create(TarnContext* ctx,
                                                 const TarnParticleSurfaceDef* def,
                                                 TarnParticleSurface** out);
TARN_API void tarn_particle_surface_destroy(TarnParticleSurface* surface); // NULL is fine
TARN_API TarnResult tarn_particle_surface_set_params(TarnParticleSurface* surface,
                                                     const TarnParticleSurfaceParams* params);
TARN_API TarnParticleSurfaceParams tarn_particle_surface_params(const TarnParticleSurface* surface);

// The field of these points. No allocation. The same bits for any number of workers. TARN_ERR_CAPACITY: more
// points or blocks than the def has room for; the field is as it was, and *needed_blocks (may be NULL) says
// how many blocks it takes (0: too many points), or, of more than a hundred times the room, how many are
// enough.
TARN_API TarnResult tarn_particle_surface_update(TarnParticleSurface* surface,
                                                 const TarnPoints* points, int* needed_blocks);
// Below 0 in the liquid, about a distance [m]. Good until the next update.
TARN_API TarnBlocks tarn_particle_surface_blocks(const TarnParticleSurface* surface);
// Its mesh, closed. Errors as tarn_marching_run.
TARN_API TarnResult tarn_particle_surface_mesh(TarnParticleSurface* surface, TarnMesh* mesh);

#ifdef __cplusplus
}
#endif
