// Inside src/linear only: faces with weights, and the parts that solids cut off.
#pragma once

#include "linear/multigrid_internal.h"

// A solve of the caller's fields. The right-hand side may have any size: it is scaled by a power of two, so that
// squares of residuals and products with p stay in the range of a float.
typedef struct MgSolve {
    Multigrid* mg;
    const float* rhs;
    float* p;
    float scale, per_scale; // rhs * scale is about 1
    float mean;             // of rhs
    float shift;            // of p
    float tolerance;
    int max_cycles;
    double start; // sum of squares of f, that is of the residual of p = 0
    double bound; // to come below
} MgSolve;

void tarn__mg_load_rhs(MgSolve* s);                // f = -rhs, scaled, without its mean
void tarn__mg_keep_p(MgSolve* s);                  // p of the finest grid, in the caller's
void tarn__mg_restore_p(MgSolve* s, bool is_zero); // and back
// By conjugate gradients; the answer is in p of the finest grid.
void tarn__mg_solve_weighted(MgSolve* s, bool has_guess, MultigridResult* out);
// Takes the mean off of each part without an open face, and clears solids.
void tarn__mg_level_parts(Multigrid* mg, float* const field[2]);
