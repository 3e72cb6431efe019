// Helmholtz's equation on a rectangle of cells by multigrid, with a coefficient at each face:
//
//     mass_c d_c + sum over the four faces of a_f (d_c - d_neighbor) = rhs_c
//
// Used by shallow water for its implicit gravity step. The method is described in helmholtz.c. Any size
// works, odd ones too; rhs of any size does: it is scaled.
#pragma once

#include "base/base.h"

typedef enum HelmholtzEdge {
    HELMHOLTZ_CLOSED,   // no flux through the rim: its coefficients are not read
    HELMHOLTZ_OPEN,     // d = 0 on the rim, half a cell away: its coefficients count twice
    HELMHOLTZ_PERIODIC, // joined to the opposite edge, which must be periodic too
} HelmholtzEdge;

typedef struct HelmholtzDef {
    int nx, nz;
    uint8_t edge[4]; // HelmholtzEdge of -x, +x, -z, +z
} HelmholtzDef;

typedef struct Helmholtz Helmholtz;
typedef struct HelmholtzResult {
    int cycles;
    float residual;    // L2, over that of d = 0, as the gradients carry it along
    bool is_converged; // it is within the tolerance
} HelmholtzResult;

// Bytes, and the solver placed in them, as the solvers do with their own arrays (see TarnLayout).
size_t tarn__helmholtz_size(const HelmholtzDef* def);
Helmholtz* tarn__helmholtz_place(TarnContext* ctx, const HelmholtzDef* def, void* memory);
// Fields point at cell (0, 0) and have stride floats from row to row. ax(i, k) belongs to the face towards -x
// of cell (i, k), az to that towards -z; the rim at +x and +z is column nx and row nz, read at open edges
// only. Coefficients are >= 0. A cell whose mass is not above 0 is closed: d = 0 there, and nothing passes
// its faces. mass NULL: 1 everywhere. Makes the coarser grids.
void tarn__helmholtz_set(Helmholtz* h, const float* mass, const float* ax, const float* az,
                         int stride);
// d may be the same field as rhs. Only cells of the grid are written. A rhs of 0 gives exactly 0. The same
// bits for any number of workers.
void tarn__helmholtz_solve(Helmholtz* h, const float* rhs, float* d, int stride, float tolerance,
                           int max_cycles, HelmholtzResult* out);
