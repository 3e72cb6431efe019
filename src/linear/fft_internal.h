// Inside src/linear only: the tables of Fourier transforms and what their kernels work on.
#pragma once

#include "base/kernels.h"
#include "linear/fft.h"
#include "linear/turn.h"

enum { FFT_MAX_STAGES = 4, FFT_PARTS = 4 };

typedef struct FftTables {
    int n, part, n_stages;         // part: n / FFT_PARTS
    int radix[FFT_MAX_STAGES];     // 4 or 8; their product is part
    Turn* twiddle[FFT_MAX_STAGES]; // of butterfly p: radix - 1 powers of its root
    Turn* join;                    // of element q < part: FFT_PARTS - 1 powers of its root
} FftTables;

// n vectors of eight lanes; each is step floats after the one before.
typedef struct FftLines {
    float *re, *im;
    ptrdiff_t step;
} FftLines;

typedef struct FftKernels {
    // Transforms one or two groups of eight lanes. Scratch: two pieces of 16 n floats, three of 16 part. `to` may be
    // `from`.
    void (*lines)(const FftTables* tables, int groups, const FftLines* from, const FftLines* to,
                  float* const work[5]);
    // Two groups whose sixteen lanes become rows of tiles, see fft.h: `to` is the first of these rows.
    void (*lines_to_tiles)(const FftTables* tables, const FftLines* from, float* to,
                           float* const work[5]);
    // a + i b of two Hermitian spectra, eight lanes of n rows.
    void (*pair)(int n, FftLines a, FftLines b, FftLines to);
    // The spectra of two real fields from that of field a + i field b, which is in a: rows kx = k <= n / 2 and n - k.
    void (*split)(int n, int k, FftField a, FftField b);
} FftKernels;
TARN_KERNELS(FftKernels, tarn__fft_kernels);
