// Inside src/linear only: the tables of Fourier transforms and what their kernels work on.
#pragma once

#include "base/kernels.h"
#include "linear/fft.h"
#include "linear/turn.h"

enum { FFT_MAX_STAGES = 3 };

typedef struct FftTables {
    int n, n_stages;
    int radix[FFT_MAX_STAGES];     // 4, 8 or 16; their product is n
    Turn* twiddle[FFT_MAX_STAGES]; // of butterfly p: radix - 1 powers of its root
} FftTables;

// n vectors of eight lanes; each is step floats after the one before.
typedef struct FftLines {
    float *re, *im;
    ptrdiff_t step;
} FftLines;

typedef struct FftKernels {
    // Transforms eight lanes, with two lines of n vectors as scratch; `to` may be `from` or the second of these.
    void (*lines)(const FftTables* tables, FftLines from, FftLines to, float* scratch);
    // Stores n vectors as eight rows of n floats that lie row floats apart.
    void (*store_rows)(int n, const float* from, float* to, ptrdiff_t row);
    // a + i b of two Hermitian spectra, eight lanes of n rows.
    void (*pair)(int n, FftLines a, FftLines b, FftLines to);
    // The spectra of two real fields from that of field a + i field b, which is in a: rows kx = k <= n / 2 and n - k.
    void (*split)(int n, int k, FftField a, FftField b);
} FftKernels;
TARN_KERNELS(FftKernels, tarn__fft_kernels);
