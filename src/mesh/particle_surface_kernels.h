// The loops of particle surfaces, once per instruction set.
#pragma once

#include "mesh/particle_surface_internal.h"

typedef struct ParticleShapeKernels {
    // Kernels of the particles begin .. end - 1 of the sorted order. Returns the largest distance from where
    // a particle was sorted to the end of its kernel.
    float (*shape)(const TarnParticleSurface* s, int begin, int end);
} ParticleShapeKernels;
extern const ParticleShapeKernels tarn__particle_shape_kernels__baseline;
extern const ParticleShapeKernels tarn__particle_shape_kernels__avx2; // only with TARN_HAS_AVX2

typedef struct ParticleFieldKernels {
    void (*evaluate)(const TarnParticleSurface* s, int block); // all nodes of a block
} ParticleFieldKernels;
extern const ParticleFieldKernels tarn__particle_field_kernels__baseline;
extern const ParticleFieldKernels tarn__particle_field_kernels__avx2; // only with TARN_HAS_AVX2
