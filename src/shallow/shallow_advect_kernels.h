// Inside src/shallow only: what the inner loops of the advection need to know, and their table.
#pragma once

#include "base/kernels.h"
#include "shallow/shallow_internal.h"

// Fields and numbers of one substep; the fields point at cell (0, 0).
typedef struct ShallowCarry {
    const float *h, *u, *w; // now
    float *out_u, *out_w;   // carried along
    float *fix_u, *fix_w;   // and corrected; MacCormack only
    int stride, nx, nz;
    bool wraps_x, wraps_z; // periodic: no edge there
    int scratch_row;       // floats
    float k;               // dt / dx [s/m]
    float dry;             // thinner water stands still [m]
} ShallowCarry;

// Cells [i0, i1) x [k0, k1), a run of tiles within one row of tiles, at most SHALLOW_STRIP wide.
typedef void ShallowCarryFn(const ShallowCarry* carry, int i0, int i1, int k0, int k1,
                            float* scratch);

typedef struct ShallowAdvectKernels {
    ShallowCarryFn* carry;   // u, w to out_u, out_w
    ShallowCarryFn* correct; // these to fix_u, fix_w; needs out_u, out_w one cell around the run
} ShallowAdvectKernels;

TARN_KERNELS(ShallowAdvectKernels, tarn__shallow_advect_kernels);
