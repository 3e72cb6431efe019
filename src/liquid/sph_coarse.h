// Inside src only: the coarse part of the pressure solve of dfsph and pcisph (sph_coarse.c).
#pragma once

#include "liquid/sph_kernels.h"

enum {
    SPH_COARSE_ENTRIES =
        14, // of a row that are stored: its own, and half of those of its neighbors
    SPH_COARSE_SCRATCH = 13, // arrays of one float per particle that it needs
};

// Pressures that are even within cells of a few spacings, and what they do to the errors of these cells.
typedef struct SphCoarse {
    int dims, entries;
    float origin[3], per_m;           // cell (0, 0, 0) [m], cells per meter
    int cells[3];                     // one on every side is empty
    int step[SPH_COARSE_ENTRIES];     // from a cell to the other cell of an entry
    int n;                            // cells with particles under pressure
    int* used;                        // which, in rising order
    int* cell;                        // of each particle; -1: none
    int* order;                       // particles by layers of cells along the last axis
    int layers, *layer_begin;         // in `order`; only while rows are added up
    float* entry[SPH_COARSE_ENTRIES]; // by cell [1/Pa]
    float* count;                     // particles, by cell
    float* inverse;                   // of entry[0], where it is used
    float *x, *r, *z, *d, *q;         // of the solve, by cell; x: pressures [Pa]
    float share;                      // of x that is added
    double lacking;                   // what the last solve returned
    int idle;                         // solves that found as much lacking as the one before
} SphCoarse;

// Cells and entries for the particles that are active now. n is 0 where there are none, or too few.
void tarn__sph_coarse_make(SphCoarse* c, const SphSweep* s, float* const* scratch);
// Pressures of the cells that take the residuals of the active particles away. Returns the sum of the squares of what
// they would change over the particles.
double tarn__sph_coarse_solve(SphCoarse* c, const SphSweep* s);
// Before they are added: if as much is lacking as the last time, less is added from now on, and the second time it no
// longer helps.
bool tarn__sph_coarse_helps(SphCoarse* c, double lacking);
// Adds them to s->p of the active particles, and forgets the momentum.
void tarn__sph_coarse_add(const SphCoarse* c, const SphSweep* s);
