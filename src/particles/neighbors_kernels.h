// The loops of the neighbor search, once per instruction set.
#pragma once

#include "base/kernels.h"
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

TARN_KERNELS(NeighborKernels, tarn__neighbor_kernels);
