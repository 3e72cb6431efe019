// Inside src/ocean, and for couplings: the sea itself.
#pragma once

#include "linear/fft.h"
#include "ocean/ocean_kernels.h"

// A sea of wind and swell as spectra.
typedef struct OceanSea {
    float gravity, depth;
    float wind, fetch, direction;
    int spectrum, spreading;
    double alpha, peak; // level and peak frequency [radians/s] of the wind's waves
    double swell_scale; // of a spectrum with peak swell_peak and height 1
    double swell_peak;  // [radians/s]
    float swell_direction;
} OceanSea;

OceanSea tarn__ocean_sea(const TarnOceanDef* def);
double tarn__ocean_m0(const OceanSea* sea); // variance of all waves [m^2]
// Variance per area of wave numbers [m^4]; the wind's waves alone, or all of them.
double tarn__ocean_density(const OceanSea* sea, double kx, double kz);
double tarn__ocean_frequency(const OceanSea* sea, double k); // [radians/s], with surface tension
double tarn__ocean_wave_number(const OceanSea* sea, double frequency); // of gravity waves [1/m]
// A wave of a fit by n: its frequency and direction.
void tarn__ocean_fit(const OceanSea* sea, int seed, int n, int wave, double* frequency,
                     float* direction);

typedef struct OceanCascade {
    float length, k_min, k_max;
    float* wave[4];
    float *turns, *base;
    int64_t block;  // of time that base is of
    float* sample;  // OceanSamples.to
    float* fold[3]; // d(dx)/dz, d(dx)/dx, d(dz)/dz; NULL without foam
    int n_groups;   // of eight kz with waves in the band
    float* foam;
    double variance, slope_variance;
    bool is_calm; // no waves in its band
} OceanCascade;

enum { OCEAN_LONG = 192 };

struct TarnOcean {
    TarnContext* ctx;
    size_t memory;
    TarnOceanDef def;
    TarnOceanParams params;
    const OceanKernels* kernels;
    Fft* fft;
    OceanSea sea;
    double time;
    int row;                   // floats of a row of samples
    int n_bases, n_transforms; // FftRelated
    int n_foams;               // cascades that have foam
    OceanCascade cascade[TARN_OCEAN_MAX_CASCADES];
    float *inverse, *fold;
    float* tiles[OCEAN_TRANSFORMS];
    void* fft_memory;
    TarnOceanWave long_wave[OCEAN_LONG]; // long for the depth, for couplings
    int n_long;
};

enum { OCEAN_BLOCK_SECONDS = 16, OCEAN_ROWS = 16 }; // rows per piece of work

typedef struct OceanMode {
    float re, im; // of a(k): h(k, t) = a(k) exp(-i w t) + conj(a(-k)) exp(i w t)
} OceanMode;

void tarn__ocean_make_waves(TarnOcean* ocean); // amplitudes of all cascades
// a(k) and a(-k); iz >= 0.
void tarn__ocean_modes(const TarnOcean* ocean, const OceanCascade* cascade, int ix, int iz,
                       OceanMode* a, OceanMode* b);
// All fields of all cascades at ocean->time. Foam ages by dt [s]; negative: it is left alone.
void tarn__ocean_evaluate(TarnOcean* ocean, float dt);
double tarn__ocean_looped(const TarnOcean* ocean); // its time within the loop [s]
OceanTiles tarn__ocean_tiles(const TarnOcean* ocean);
// Where foam is at a time: whole turns of the cascade are taken off [m].
TarnVec2 tarn__ocean_foam_at(const TarnOcean* ocean, const OceanCascade* cascade);
