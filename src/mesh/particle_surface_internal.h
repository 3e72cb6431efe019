// Inside src only: what the files of particle_surface share. particle_surface.c reads as the method.
#pragma once

#include "tarn/particle_surface.h"
#include "base/base.h"
#include "particles/neighbors.h"

enum {
    SURFACE_PAD = 8,          // readable behind the last particle
    SURFACE_SHAPE_TASK = 512, // particles
    SURFACE_MAX_ATTRIBUTES = 16,
    // Blocks lie within this many of the world's origin along each axis: three places make one key of 63
    // bits, and beyond 2^23 nodes floats do not tell a vertex from the next.
    SURFACE_MAX_PLACE = 1 << 20,
};

// The kernel of a particle: weight * (1 - q)^3 with q = d^T A d, 0 from q = 1 on. Its bounds belong to it:
// in the plane dz it reaches width * sqrt(1 - (dz / ez)^2) along y around slope * dz.
typedef struct SurfaceParticle {
    float x, y, z, weight;
    float xx, xy, xz, yy, yz, zz; // A [1/m^2]
    float ex, ey, ez;             // half of the box around it [m]
    float width, slope;
    float inv_ez; // 64 bytes
} SurfaceParticle;

// What the params come to.
typedef struct SurfaceShape {
    int method;
    float support;         // of a round kernel [m]
    float look;            // how far a particle looks for neighbors [m]
    float smoothing;       // share of the way
    float least, most;     // axes of a kernel, in supports
    float lone;            // that of a particle without neighbors
    float inner;           // that of one deep inside
    float stretch;         // longest by shortest axis
    float full;            // sum of the weights of neighbors inside of the liquid
    float inv_variance;    // 1 / variance of neighbors along each axis there [1/m^2]
    float weight;          // of a round kernel: its integral is spacing^3
    float sheet;           // share of it that particles of a thin sheet have
    float iso, scale;      // density, anisotropic: value = (iso - sqrt(sum)) * scale
    float ball;            // zhu_bridson: value = distance to the mean - ball [m]
    float outside, inside; // values far from the surface
} SurfaceShape;

struct TarnParticleSurface {
    TarnContext* ctx;
    TarnParticleSurfaceDef def; // with max_blocks filled in
    TarnParticleSurfaceParams params;
    size_t memory, neighbors_at; // bytes; where the layout of nb begins
    SurfaceShape shape;
    float dx;      // [m]
    int n_carried; // floats per particle and node beside the value: velocity, attributes
    int n;         // particles in use
    float reach;   // from where a particle was sorted to the end of its kernel, at most [m]
    Neighbors nb;
    int* source;                  // index among the points
    float *raw_x, *raw_y, *raw_z; // as they come
    float *x, *y, *z;             // in the order of the cells
    float *px, *py, *pz;          // smoothed
    float *ex, *ey, *ez;          // half of the kernels' boxes
    SurfaceParticle* particles;
    float* carried;   // n_carried per particle
    uint8_t* is_deep; // of each cell: it and those around it are full
    int* task_count;
    float* task_reach;
    // Blocks.
    uint64_t *table, *keys, *keys_scratch; // a hash table; the keys of the field, sorted
    int table_size;
    int n_blocks;
    float outside; // of the field
    int32_t (*place)[3];
    float *value, *velocity, *attribute;
    uint8_t* has_mean; // a bit per node
    TarnMarching* marching;
};

// particle_shape.c
// The level is where the surface of a flat pool shall lie; the others follow from that.
SurfaceShape tarn__surface_shape(const TarnParticleSurfaceDef* def,
                                 const TarnParticleSurfaceParams* params);
void tarn__surface_shape_particles(TarnParticleSurface* s);

// particle_blocks.c
// The blocks that kernels reach, sorted, in keys; returns how many there are, which may be more than there
// is room for: then keys means nothing. (More than a hundred times as many: how many are enough.)
int tarn__surface_find_blocks(TarnParticleSurface* s);
void tarn__surface_evaluate(TarnParticleSurface* s);
// Values of what is carried in a block: velocity first, then attributes.
float* tarn__surface_mean(const TarnParticleSurface* s, int block, int m);

TARN_INLINE uint64_t surface_key(int x, int y, int z)
{
    uint64_t at = SURFACE_MAX_PLACE;
    return (at + (uint64_t)(int64_t)z) << 42 | (at + (uint64_t)(int64_t)y) << 21 |
           (at + (uint64_t)(int64_t)x);
}
TARN_INLINE void surface_place(uint64_t key, int32_t out[3])
{
    for (int a = 0; a < 3; ++a) out[a] = (int32_t)(key >> 21 * a & 0x1fffffu) - SURFACE_MAX_PLACE;
}

// Cells of nb that the interval [lo, hi] meets along an axis: `count` from `first` on, going around where the
// axis wraps.
void tarn__surface_cells(const Neighbors* nb, int axis, double lo, double hi, int* first,
                         int* count);
