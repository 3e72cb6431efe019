// Inside src/ocean only: inner loops.
#pragma once

#include "base/kernels.h"
#include "tarn/ocean.h"
#include "base/base.h"

// Waves of one cascade: n values of kx for each of eight kz from 0 on, then those of the next eight, up to n / 2. The
// other half of kz is the complex conjugate of -k.
typedef struct OceanSpectrum {
    int n;
    const float* wave[4]; // h(k, t) = (wave0 + i wave2) cos + (wave1 + i wave3) sin
    const float* turns;   // w / 2 pi [1/s]
    const float* base;    // turns at the beginning of the block of time, 0 to 1
    const float* inverse; // 1 / |k| in units of dk, 0 at k = 0
    float dt;             // since then [s]
    bool has_folds, has_rates;
} OceanSpectrum;

TARN_INLINE size_t ocean_at(int n, int ix, int iz) // iz >= 0; ix may be negative
{
    return ((size_t)(iz / 8) * (size_t)n + (size_t)((ix + n) % n)) * 8 + (size_t)(iz % 8);
}

enum { OCEAN_TRANSFORMS = 6, OCEAN_BASES = 8 };

// How bases become two fields per transform: docs/solvers/ocean.md, Fields.
typedef struct OceanJoin {
    int n, first; // of kz
    float dk;     // 2 pi / length [1/m]
    float choppiness;
    bool has_folds, has_rates;
} OceanJoin;

// A sample is dx, dy, dz, dy/dx, dy/dz, vx, vy, vz: all that queries need, in one place.
enum { OCEAN_SLOPES = 3, OCEAN_VELOCITY = 5, OCEAN_SAMPLE = 8 };

typedef struct OceanSamples {
    int n, row; // floats of a row of samples
    // Rows of n + 1 samples, and n + 1 rows: the first ones again, so that queries need not go around
    float* to;
    float *xx, *zz, *xz;       // d(dx)/dx, d(dz)/dz, d(dx)/dz; NULL: not wanted
    float* fold;               // determinant of the displacement; NULL: not wanted
    bool has_rates, is_choppy; // else velocity and sideways displacement are 0
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
    // Bases of eight kz from first on; FftRelated.
    void (*fill)(const OceanSpectrum* s, int first, float* const* base);
    void (*combine)(const OceanJoin* j, float* const* base, float* const* tiles);
    // All rows of eight columns from first on.
    void (*samples)(const OceanSamples* s, int first, float* const* field);
    void (*foam)(const OceanFoam* f, int row, const float* fold, float* foam);
    void (*query)(const OceanTiles* tiles, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out);
} OceanKernels;
TARN_KERNELS(OceanKernels, tarn__ocean_kernels);
