// Poisson's equation on a box of cells by multigrid: lap p = rhs, with unit spacing.
//
// Used by gases for their pressure. The method is described in multigrid.c. Fields are pointers to cell (0,
// 0, 0) of a Grid3 of the same size. Any size works; sides that can be halved often are fast, odd ones are
// not: 2^n and 3 2^n are best. Numbers of any size are fine: what is solved is scaled, and what comes out is
// finite.
#pragma once

#include "grid/grid3.h"

typedef enum PoissonEdge {
    POISSON_CLOSED, // no flux through the face: dp/dn = 0
    POISSON_OPEN,   // p = 0 on the face
} PoissonEdge;

typedef struct PoissonDef {
    int nx, ny, nz;
    uint8_t edge[6];  // PoissonEdge of -x, +x, -y, +y, -z, +z
    bool has_weights; // each face counts with a weight from 0 (solid) to 1 (open)
} PoissonDef;

typedef struct Multigrid Multigrid;
typedef struct MultigridResult {
    int cycles;
    float residual;    // L2, over that of p = 0
    bool is_converged; // it is within the tolerance
    bool is_exhausted; // it is not, and more cycles do not help: floats have no more digits to give
} MultigridResult;

// Adds what it needs to a layout, as the solvers do with their own arrays (see TarnLayout); the address of
// the struct is where it lies in the block.
size_t tarn__multigrid_size(const PoissonDef* def);
Multigrid* tarn__multigrid_place(TarnContext* ctx, const PoissonDef* def, void* memory);
// Weights of faces in the places of velocities (Grid3): u(i) is the face towards -x of cell i. Those on the
// rim are not read. Below 0.001 a face is closed, above 1 it counts as 1; NULL: all are 1, as it is made. A
// cell all of whose faces are 0, the rim aside, is solid and gets p = 0. Makes the coarser grids.
void tarn__multigrid_set_weights(Multigrid* mg, const float* wx, const float* wy, const float* wz);
// p holds a first guess, or 0, and gets the answer; ghosts of p are set as the edges say. The mean of rhs is
// taken off where there is no open face, for each part that solids cut off. is_full: a full cycle first (then
// the guess is not used), else V-cycles only; a guess that is worse than none is not used either. With
// weights is_full means no guess. The same bits for any number of workers. Floats end before small tolerances
// do, with n cells along the longest side: noise can be solved to some 1.2e-7 n, one long wave to n^2 / 2.7e7
// (tarn check gas.tolerance). A cycle that no longer helps is the last; is_exhausted tells.
void tarn__multigrid_solve(Multigrid* mg, const float* rhs, float* p, float tolerance,
                           int max_cycles, bool is_full, MultigridResult* out);

// Ghosts of p beyond the six faces: mirrored at closed ones, with the other sign at open ones.
void tarn__poisson_ghosts(const PoissonDef* def, const Grid3* grid, float* p);
