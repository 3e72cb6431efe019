// Inside src/linear only: the tables of transforms and what their kernels work on.
#pragma once

#include "base/kernels.h"
#include "linear/cosine.h"
#include "linear/turn.h"

enum { COSINE_MAX_FACTORS = 20, COSINE_CHUNKS = 16, COSINE_LINES = 16 };

// Tables of one length; axes of the same length share them.
typedef struct CosineAxis {
    int n;
    Turn* root;    // 2 pi l / (2 n), l < 2 n
    Turn* quarter; // pi l / (2 n), l < n
    Turn* eighth;  // pi (l + 1/8) / n, l < n / 2; n odd: pi (l + 1/2) / (2 n), l < n
} CosineAxis;

// Sixteen lines at a time, as eight complex ones: line a is the real part and line b the imaginary one.
typedef struct CosineLines {
    float* field;
    const int32_t*
        x_rows; // NULL: lanes lie side by side along x. Else: where the sixteen rows begin
    ptrdiff_t first, step; // of element 0, and from one to the next; lanes side by side only
    int n_lanes;           // of sixteen that are written
    float* work[2];        // 4 n vectors each: real parts, imaginary parts
} CosineLines;

typedef struct CosineKernels {
    void (*transform)(const CosineAxis* axis, const CosineLines* lines, CosineKind kind);
    // There, divided by the eigenvalue of each wave, and back. along: of this axis, across: of the lanes, at: of the
    // third axis. All are negative or 0.
    void (*poisson)(const CosineAxis* axis, const CosineLines* lines, CosineKind kind,
                    const float* along, const float* across, float at);
} CosineKernels;
TARN_KERNELS(CosineKernels, tarn__cosine_kernels);

TARN_INLINE CosineKind tarn__cosine_inverse(CosineKind kind)
{
    if (kind == COSINE_II) return COSINE_III;
    if (kind == COSINE_III) return COSINE_II;
    if (kind == SINE_II) return SINE_III;
    return kind == SINE_III ? SINE_II : kind;
}
