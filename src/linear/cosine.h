// Sine and cosine transforms along the axes of a 3-D field, and Poisson's equation in a box by them.
#pragma once

#include "linear/multigrid.h" // PoissonDef

typedef enum CosineKind {
    COSINE_II,  // cells, even at both walls: cos(pi l (i + 1/2) / n)
    COSINE_III, // its inverse
    SINE_I,     // faces 1 .. n-1, odd at both walls: sin(pi l i / n); own inverse
    COSINE_IV,  // cells, even at -, odd at +: cos(pi (l + 1/2) (i + 1/2) / n); own inverse
    SINE_II,    // cells, odd at both walls: sin(pi (l + 1) (i + 1/2) / n)
    SINE_III,   // its inverse
    SINE_IV,    // cells, odd at -, even at +
} CosineKind;

typedef struct CosinePlan CosinePlan;
// For fields of this grid; n of each axis = 2^a 3^b 5^c. 0: not such a number.
size_t tarn__cosine_size(const Grid3* grid);
CosinePlan* tarn__cosine_place(TarnContext* ctx, const Grid3* grid, void* memory);
// In place along one axis (0 x, 1 y, 2 z), orthonormal, so that the inverse has no factor. Ghosts are neither read nor
// written; SINE_I leaves element 0, the face at the wall, as it is.
void tarn__cosine(CosinePlan* plan, float* field, int axis, CosineKind kind);
// lap p = rhs with unit spacing, exact to rounding: p = rhs is fine. The mean of rhs is taken off where no face is
// open. Weights are not supported. Ghosts of p are set as the edges say. Beyond 1e28 rhs may overflow.
void tarn__poisson_spectral(CosinePlan* plan, const PoissonDef* def, const float* rhs, float* p);
