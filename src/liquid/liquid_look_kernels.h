// Inside liquid_look*.c only: what a particle sees around it.
#pragma once

#include "base/kernels.h"
#include "liquid/liquid_driver.h"

// Sums over the neighbors j of a particle, with the weight w = 1 - (r / support)^2.
typedef struct LookSums {
    float w;
    float ox, oy, oz; // w times the offset to j, in supports
} LookSums;

typedef struct LookKernels {
    LookSums (*around)(const TarnLiquid* l, int p);
} LookKernels;
TARN_KERNELS(LookKernels, tarn__look_kernels);
