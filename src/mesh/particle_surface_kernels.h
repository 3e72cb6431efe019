// The loops of particle surfaces, once per instruction set.
#pragma once

#include "base/kernels.h"
#include "mesh/particle_surface_internal.h"

typedef struct ParticleShapeKernels {
    // Kernels of the particles begin .. end - 1 of the sorted order. Returns the largest distance from where
    // a particle was sorted to the end of its kernel.
    float (*shape)(const TarnParticleSurface* s, int begin, int end);
} ParticleShapeKernels;
TARN_KERNELS(ParticleShapeKernels, tarn__particle_shape_kernels);

typedef struct ParticleFieldKernels {
    void (*evaluate)(const TarnParticleSurface* s, int block); // all nodes of a block
} ParticleFieldKernels;
TARN_KERNELS(ParticleFieldKernels, tarn__particle_field_kernels);
