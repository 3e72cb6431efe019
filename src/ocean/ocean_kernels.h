// Inside src/ocean only: inner loops.
#pragma once

#include "base/kernels.h"
#include "tarn/ocean.h"
#include "base/base.h"

// Waves of one cascade, n x n with kz fastest.
typedef struct OceanSpectrum {
    int n;
    const float* wave[4]; // h(k, t) = (wave0 + i wave2) cos + (wave1 + i wave3) sin
    const float* turns;   // w / 2 pi [1/s]
    const float* base;    // turns at the beginning of the block of time, 0 to 1
} OceanSpectrum;

enum { OCEAN_TRANSFORMS = 6, OCEAN_FOLD = 5 }; // the first of three fields that foam needs

// How one transform, of two fields, is made from h(k, t): docs/solvers/ocean.md, Fields.
typedef struct OceanFill {
    int n, first; // of kz
    float dk;     // 2 pi / length [1/m]
    float choppiness;
    const float* inverse_k; // 1 / |k| in units of dk, 0 at k = 0
    const float *re, *im;
    bool has_folds; // the third transform has a second field
} OceanFill;

// A sample is dx, dy, dz, dy/dx, dy/dz, vx, vy, vz: all that queries need, in one place.
enum { OCEAN_SLOPES = 3, OCEAN_VELOCITY = 5, OCEAN_SAMPLE = 8 };

typedef struct OceanSamples {
    int n, row;                               // floats of a row of samples
    const float* plane[2 * OCEAN_TRANSFORMS]; // real fields
    float*
        to; // rows of n + 1 samples, and n + 1 rows: the first ones again, so that queries need not go around
    float* fold; // determinant of the displacement; NULL: not wanted
} OceanSamples;

typedef struct OceanFoam {
    int n, shift_i, shift_k; // whole samples
    float share_i, share_k;  // and the rest, 0 to 1
    float limit, gain;       // foam forms where the determinant is below the limit
    float keep;              // of the foam that is there
} OceanFoam;

// One cascade as queries read it.
typedef struct OceanTile {
    int n;
    float per_meter;     // samples
    int row;             // floats
    const float* sample; // OceanSamples.to
} OceanTile;
typedef struct OceanTiles {
    OceanTile tile[TARN_OCEAN_MAX_CASCADES];
    int n, n_coarse; // those that move points noticeably
    float level, depth;
} OceanTiles;

typedef struct OceanKernels {
    void (*evolve)(const OceanSpectrum* s, int begin, int end, float dt, float* re, float* im,
                   float* rate_re, float* rate_im); // rates may be NULL
    void (*fill)(const OceanFill* f, int transform, float* re, float* im);
    void (*samples)(const OceanSamples* s, int row);
    void (*foam)(const OceanFoam* f, int row, const float* fold, float* foam);
    void (*query)(const OceanTiles* tiles, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out);
} OceanKernels;
TARN_KERNELS(OceanKernels, tarn__ocean_kernels);
