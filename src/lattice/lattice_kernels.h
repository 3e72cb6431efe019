// Inside src/lattice only: passes over rows of cells that run for every instruction set.
#pragma once

#include "base/kernels.h"
#include "lattice/lattice_tables.h"

// Where the populations lie. Cell (i, j, k) is c = first + i + row j + slab k, and population s of it f[s stride + c].
// Cells beyond nx, ny and nz hold what crosses the faces. One column and one row serve the ghosts of both sides:
// those at -1 are written by directions that go down, those at nx and ny by directions that go up.
typedef struct LatticeGrid {
    int nx, ny, nz;
    ptrdiff_t row, slab, first;
    size_t stride; // elements of one slot
} LatticeGrid;

TARN_INLINE ptrdiff_t lattice_at(const LatticeGrid* g, int i, int j, int k)
{
    return g->first + i + g->row * j + g->slab * k;
}

typedef enum LatticeMode {
    LATTICE_PLAIN,   // BGK with one viscosity and no force
    LATTICE_GENERAL, // BGK and two relaxation times, with forces, sponge and eddies
    LATTICE_REGULAR, // regularised, with the same
    LATTICE_MODES
} LatticeMode;

enum { LATTICE_ROW_FULL, LATTICE_ROW_MIXED, LATTICE_ROW_EMPTY }; // of rows of cells

// One step of collisions. All values are in lattice units.
typedef struct LatticePass {
    LatticeGrid grid;
    void* f;
    bool is_odd;          // parity of the step
    float tau;            // relaxation time
    float magic;          // of two relaxation times; 0: BGK
    float eddy;           // 18 sqrt(2) C^2 of Smagorinsky's model; 0: none
    float force[3];       // density of force, everywhere
    const float* heat;    // per cell, in the layout of a slot; NULL: none
    float lift[3];        // force for heat 1
    const float* sponge;  // added to tau along x, then y, then z: nx + ny + nz values; NULL: none
    const uint8_t* kinds; // LATTICE_ROW_* of row j + ny k; NULL: all are full
    const uint8_t* cells; // of mixed rows: a bit per cell that collides, nx / 8 bytes per row
    float max_speed2;
} LatticePass;

// What was limited: cells, and the first of them as i + nx (j + ny k), or -1.
typedef struct LatticeLimit {
    int n, first;
} LatticeLimit;

// Density - 1 and velocity of a row of cells, nx values each.
typedef struct LatticeRowOut {
    float *rho, *u[3]; // each may be NULL
} LatticeRowOut;

typedef void LatticeCollideFn(const LatticePass* pass, int r0, int r1, LatticeLimit* limit);
typedef void LatticeReadFn(const LatticePass* pass, int j, int k, const LatticeRowOut* out);
typedef struct LatticeKernels { // [is 3-D][is stored in 16 bits]
    LatticeCollideFn* collide[2][2][LATTICE_MODES];
    LatticeReadFn* read[2][2];
} LatticeKernels;
TARN_KERNELS(LatticeKernels, tarn__lattice_kernels);
