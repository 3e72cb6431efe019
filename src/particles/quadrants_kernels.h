// The loop of Sprinkle's neighbor search, once per instruction set.
#pragma once

#include "base/kernels.h"
#include "particles/quadrants.h"

typedef struct QuadrantKernels {
    // Quadrant and place (two signed bytes, x in the lower) of each particle of a grid that does not wrap.
    void (*keys)(const Quadrants* q, const float* x, const float* y, int n, int* key_of,
                 uint16_t* place);
    // Lists of the particles of the quadrants begin .. end - 1; returns how many had too many and adds up
    // all counts.
    int (*find)(const Quadrants* q, const float* x, const float* y, int begin, int end, int* total);
} QuadrantKernels;

TARN_KERNELS(QuadrantKernels, tarn__quadrant_kernels);
