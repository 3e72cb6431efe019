// Inside src only: the state of a window of dispersive waves.
#pragma once

#include "tarn/ripple.h"
#include "base/kernels.h"
#include "base/maths.h"
#include "linear/fft.h"

// Rows kx and -kx of a spectrum, advanced together: Z' = c Z - i (p Z + q conj Z(-k)).
typedef struct RippleRows {
    int n;
    float *re, *im, *mirror_re, *mirror_im; // the same pointers where a row is its own mirror
    const float *c, *p, *q;
    const float* rise;         // K, for the rates; NULL: not asked for
    float *rate, *mirror_rate; // real part of the spectrum of d eta/dt
    float *rate_im, *mirror_rate_im;
    float* work; // 4 (n + 8)
} RippleRows;

typedef struct RippleQuery {
    const float *eta, *was, *phi;
    int n;
    float x0, z0, per_cell, level, depth, per_dt;
} RippleQuery;

typedef struct RippleKernels {
    void (*advance)(const RippleRows* rows);
    void (*fade)(float* row, const float* keep_x, float keep, int n); // times both
    void (*query)(const RippleQuery* q, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out);
} RippleKernels;
TARN_KERNELS(RippleKernels, tarn__ripple_kernels);

struct TarnRipple {
    TarnContext* ctx;
    size_t memory;
    TarnRippleDef def; // land NULL
    TarnRippleParams params;
    const RippleKernels* kernels;
    Fft* fft;
    int shift_i, shift_k;
    double time;
    float dt;       // of the last step [s]; 0: there was none
    float made_for; // dt that the coefficients are for [s]
    float *eta, *was, *phi;
    float *spec_re, *spec_im;
    float *c, *p, *q; // n / 2 + 1 rows of n
    // Of heights and of potentials, n each: rate of the rim at each column [1/s], and exp(-rate dt); rows have the same
    float *sponge[2], *keep[2];
    float* work; // of rows, one set per pair of rows in a block
    float *rise, *rate,
        *rate_im;  // with land only: K, and the spectrum of d eta/dt; then d eta/dt itself
    float* lift;   // with land only: d eta/dt [m/s]
    uint8_t* land; // NULL: none
};

enum { RIPPLE_BLOCK = 8 };              // pairs of rows per block
static const float ripple_limit = 1e5f; // of heights [m]

TARN_INLINE size_t ripple_cells(const TarnRipple* r)
{
    return (size_t)r->def.n * (size_t)r->def.n;
}
TARN_INLINE size_t ripple_cell(const TarnRipple* r, int i, int k)
{
    return (size_t)k * (size_t)r->def.n + (size_t)i;
}
void tarn__ripple_make_coefficients(TarnRipple* r, float dt);
