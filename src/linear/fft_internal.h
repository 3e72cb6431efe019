// Inside src/linear only: the tables of Fourier transforms and what their kernels work on.
#pragma once

#include "base/kernels.h"
#include "linear/fft.h"
#include "linear/turn.h"

enum { FFT_MAX_STAGES = 5, FFT_GROUP = 16 };

typedef struct FftTables {
    int n, n_stages;
    int radix[FFT_MAX_STAGES];     // 4 or 8; their product is n
    Turn* twiddle[FFT_MAX_STAGES]; // of butterfly p: radix - 1 powers of its root
} FftTables;

// n vectors of eight lanes; each is step floats after the one before.
typedef struct FftLines {
    float *re, *im;
    ptrdiff_t step;
} FftLines;

typedef struct FftKernels {
    // Transforms two groups of eight lanes, with three pieces of 16 n floats as scratch. `to` may be `from`.
    void (*lines)(const FftTables* tables, const FftLines from[2], const FftLines to[2],
                  float* const work[3]);
    // The same, and stores the sixteen lanes as rows, which lie to->step floats apart.
    void (*lines_to_rows)(const FftTables* tables, const FftLines from[2], const FftLines* to,
                          float* const work[3]);
    // a + i b of two Hermitian spectra, eight lanes of n rows.
    void (*pair)(int n, FftLines a, FftLines b, FftLines to);
    // The spectra of two real fields from that of field a + i field b, which is in a: rows kx = k <= n / 2 and n - k.
    void (*split)(int n, int k, FftField a, FftField b);
} FftKernels;
TARN_KERNELS(FftKernels, tarn__fft_kernels);
