// The loops of the neighbor search, once per instruction set.
#pragma once

#include "particles/neighbors.h"

typedef struct NeighborKernels {
    // Smallest and largest of the values, which are finite; n >= 1.
    void (*bounds)(const float* v, int n, float* min, float* max);
    // Cell of each particle begin .. end - 1 in a grid that does not wrap.
    void (*cells)(const Neighbors* nb, const float* x, const float* y, const float* z, int begin,
                  int end, int* cell_of);
    // Lists of the particles begin .. end - 1; returns how many had too many and adds up all counts.
    int (*find)(const Neighbors* nb, const float* x, const float* y, const float* z, int begin,
                int end, int* total);
} NeighborKernels;

extern const NeighborKernels tarn__neighbor_kernels__baseline;
extern const NeighborKernels tarn__neighbor_kernels__avx2; // only with TARN_HAS_AVX2
