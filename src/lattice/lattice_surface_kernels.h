// Inside src/lattice only: interface cells of the free surface, eight at a time.
#pragma once

#include "lattice/lattice_kernels.h"

typedef enum LatticeCell { // what a cell holds
    LATTICE_GAS,
    LATTICE_INTERFACE,
    LATTICE_FLUID,
    LATTICE_SOLID,    // in a solid, or outside of the box
    LATTICE_TO_FLUID, // during a conversion: from interface
    LATTICE_TO_GAS,
} LatticeCell;

typedef struct LatticeExchange {
    void* f;
    ptrdiff_t row, slab;               // of LatticeGrid
    ptrdiff_t to[2 * LATTICE_PAIRS];   // to the neighbor along a way: 2 pair + (0: up, 1: down)
    ptrdiff_t sent[2 * LATTICE_PAIRS]; // where the last step left what goes along it
    ptrdiff_t gets[2 * LATTICE_PAIRS]; // where the next one loads what comes along it
    const uint8_t* type;               // LatticeCell
    const float* fill;
    float *mass, *next; // next: the fill that the exchange leads to
    float spread;       // added to each mass
    float force[3];     // acceleration, of gravity and others
} LatticeExchange;

// Mass and what gas returns, of n interface cells. gas: density - 1 that its pressure stands for, beside each of them; the last
// value once more up to the next multiple of eight. marks:
// LATTICE_TO_FLUID, LATTICE_TO_GAS or 0.
typedef void LatticeExchangeFn(const LatticeExchange* x, const int32_t* cells, const float* gas,
                               int n, uint8_t* marks);
typedef struct LatticeSurfaceKernels {
    LatticeExchangeFn* exchange[2][2]; // [is 3-D][is stored in 16 bits]
} LatticeSurfaceKernels;
TARN_KERNELS(LatticeSurfaceKernels, tarn__lattice_surface_kernels);
