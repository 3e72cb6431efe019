// Inside src/lattice only: fields that the flow carries.
#pragma once

#include "lattice/lattice_kernels.h"

typedef struct LatticeCarry {
    LatticeGrid grid;
    int dims;
    const float *from, *first; // the field; after the first pass, what it gave
    const float* u[3];         // [cells per step], as they are in memory times scale
    float scale, reach;        // reach: longest way [cells]
    float* to;
} LatticeCarry;

// Of cells [i0, i1) of a row, eight at a time. Back: the value at the foot of the way. Mend: MacCormack's correction.
typedef void LatticeCarryFn(const LatticeCarry* job, int i0, int i1, int j, int k);
typedef struct LatticeSmokeKernels {
    LatticeCarryFn *back[2], *mend[2]; // [is 3-D]
} LatticeSmokeKernels;
TARN_KERNELS(LatticeSmokeKernels, tarn__lattice_smoke_kernels);
