// tarn/ocean.h: the open sea. Waves of a wind and a swell, to the horizon, at any time.
//
//     h(x, t) = sum over k of h(k, t) exp(i k x),   h(k, t) = a(k) exp(-i w t) + conj(a(-k)) exp(i w t)
//
// Amplitudes a(k) are random, their variance is that of a measured spectrum in real units, and each wave runs at its
// own speed (deep water, finite depth, capillary). Fourier transforms give height, displacement, slopes and velocity on
// 1 to 4 square tiles, the cascades, whose wavelengths do not overlap. Crests are sharpened by moving points sideways.
//
// Everything but foam is a function of time alone: any time can be asked for directly, and two machines with one clock
// agree to the bit. The sea does not react: bodies float in it, but make no waves. It has no shores; tarn/coupling.h
// lets its waves run into shallow water. Method, limits, cost: docs/solvers/ocean.md
#pragma once

#include "tarn/base.h"
#include "tarn/member.h"
#include "tarn/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnOcean TarnOcean;

typedef enum TarnOceanSpectrum {
    TARN_OCEAN_PHILLIPS,          // waves in balance with the wind, the simplest
    TARN_OCEAN_PIERSON_MOSKOWITZ, // a wind that has blown for days over a whole ocean
    TARN_OCEAN_JONSWAP,           // a wind that has blown over a limited fetch
    TARN_OCEAN_TMA,               // JONSWAP in water of finite depth
} TarnOceanSpectrum;

typedef enum TarnOceanSpreading {
    TARN_OCEAN_COS2, // cos^2 of the angle to the wind, none against it
    TARN_OCEAN_COS2S, // cos^2s of half the angle; s as measured: narrow at the peak, wide for short waves
    TARN_OCEAN_DONELAN_BANNER, // sech^2
} TarnOceanSpreading;

typedef enum TarnOceanMethod {
    TARN_OCEAN_FFT,      // all waves of the spectrum
    TARN_OCEAN_GERSTNER, // `waves` of them, fitted to the spectrum
    TARN_OCEAN_SINES,    // the same without displacement
} TarnOceanMethod;

enum { TARN_OCEAN_MAX_CASCADES = 4, TARN_OCEAN_MAX_WAVES = 256 };

// Start from tarn_ocean_default_def(). Ranges and defaults are in the parameter table (tarn describe ocean).
typedef struct TarnOceanDef {
    uint32_t cookie;    // set by tarn_ocean_default_def; leave it alone
    int method;         // TarnOceanMethod
    int size;           // samples along each side of a cascade: 64, 128, 256, 512 or 1024
    int cascades;       // 1 to 4
    float length;       // side of the largest cascade [m]; 0: 12 wavelengths of the highest waves
    int waves;          // of the methods gerstner and sines
    float level;        // y of calm water [m]
    float depth;        // of the water [m]; beyond half a wavelength it does not matter
    float gravity;      // [m/s^2]
    int beaufort;       // 0 to 12 sets wind and fetch; -1: those below are used
    float wind;         // speed 10 m above the water [m/s]
    float fetch;        // distance over which the wind has blown [m]
    float direction;    // in which the wind blows, from +x towards +z [radians]
    int spectrum;       // TarnOceanSpectrum
    int spreading;      // TarnOceanSpreading
    float swell_height; // significant height of waves from a distant storm [m]; 0: none
    float swell_period; // [s]
    float swell_direction; // in which they run, from +x towards +z [radians]
    float loop;            // everything but foam repeats after this time [s]; 0: never
    int seed;              // of the random phases
    bool use_velocity;     // computes the velocity of the surface, which floating bodies need
    bool use_foam;         // keeps foam, and what pictures need for the normals of sharpened crests
    int warm_steps;        // steps of 0.25 s that build foam at creation and after a seek
} TarnOceanDef;

// Parameters that may change every frame.
typedef struct TarnOceanParams {
    float choppiness; // displacement of points towards crests, as a share of the linear theory's
    float foam;       // covered area, as a multiple of what is measured at this wind
    float foam_time;  // after which foam has faded to a third [s]
    float foam_drift; // speed of foam, as a share of the wind's
} TarnOceanParams;

TARN_API const TarnParamTable* tarn_ocean_def_table(void);
TARN_API const TarnParamTable* tarn_ocean_params_table(void);
TARN_DEFAULT_DEF(TarnOceanDef, tarn_ocean);
TARN_API TarnOceanParams tarn_ocean_default_params(void);

// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_ocean_memory(const TarnOceanDef* def);
// Creates a sea at time 0. TARN_ERR_ARG: a value is out of range. TARN_ERR_MEMORY. On failure *out is NULL.
TARN_API TarnResult tarn_ocean_create(TarnContext* ctx, const TarnOceanDef* def, TarnOcean** out);
TARN_API void tarn_ocean_destroy(TarnOcean* ocean); // NULL is fine

// Sets the parameters; waves change at once, foam from the next step on. TARN_ERR_ARG: a value is out of range; nothing
// has changed.
TARN_API TarnResult tarn_ocean_set_params(TarnOcean* ocean, const TarnOceanParams* params);
TARN_API TarnOceanParams tarn_ocean_params(const TarnOcean* ocean);

// Advances by dt [s], 0 to 10. Allocates nothing; same bits for any number of workers. report may be NULL.
// TARN_ERR_ARG: dt is out of range.
TARN_API TarnResult tarn_ocean_step(TarnOcean* ocean, float dt, TarnStepReport* report);
// Goes to any time [s], within +-1e9: all waves are the same as after steps to that time, to the bit. Foam is built
// anew by warm_steps steps before it. TARN_ERR_ARG: time is out of range.
TARN_API TarnResult tarn_ocean_seek(TarnOcean* ocean, double time);
TARN_API double tarn_ocean_time(const TarnOcean* ocean);
TARN_API void tarn_ocean_reset(TarnOcean* ocean); // back to time 0; NULL is fine

// ---- Reading ------------------------------------------------------------------------------------

// What the spectrum says, without randomness.
typedef struct TarnOceanState {
    float wind, fetch; // [m/s], [m], also when the Beaufort number set them
    float
        significant_height; // mean of the highest third of the waves, 4 sqrt(m0), of wind and swell [m]
    float peak_period;      // of the wind's highest waves [s]
    float peak_length;      // their wavelength [m]
    double variance;        // m0, of the heights of all waves that the cascades hold [m^2]
} TarnOceanState;
TARN_API TarnOceanState tarn_ocean_state(const TarnOcean* ocean);

// The surface: queries find the point that was displaced to x, z. The water is everywhere.
TARN_API TarnSurface tarn_ocean_surface(const TarnOcean* ocean);

// One cascade, for drawing: sample (i, k) of n x n, x fastest, is the point that is at rest at (i, k) * length / n and
// repeats every `length`. The sea is the sum of all. Valid until the next step or seek.
typedef struct TarnOceanCascade {
    int n;
    float length;       // [m]
    float k_min, k_max; // wave numbers of its waves [1/m]
    // Sample (i, k) of the next three is at [stride * i + row * k].
    int stride, row;
    const float* moved;    // displacement along x, y, z [m]
    const float* slopes;   // dy/dx, dy/dz at rest
    const float* velocity; // along x, y, z [m/s]; NULL: not computed
    // d(dx)/dx, d(dz)/dz and d(dx)/dz of the displacement, n * n each; NULL without foam
    const float *fold_xx, *fold_zz, *fold_xz;
    const float*
        foam; // 0 to 1; NULL: none. Sample (i, k) is at rest at (i, k) * length / n + foam_at
    TarnVec2 foam_at;     // [m]
    float slope_variance; // of dy/dx and dy/dz together
} TarnOceanCascade;
// TARN_ERR_ARG: there is no such cascade.
TARN_API TarnResult tarn_ocean_cascade(const TarnOcean* ocean, int index, TarnOceanCascade* out);

// One wave: height amplitude cos(kx x + kz z - w t + phase). Of the methods gerstner and sines all of them, in any
// order, so that a shader or another program can compute the same sea.
typedef struct TarnOceanWave {
    float amplitude; // [m]
    float kx, kz;    // wave number [1/m]
    float frequency; // w [radians/s]
    float phase;     // at time 0 [radians]
} TarnOceanWave;
// Writes up to capacity of the highest waves with wave numbers below k_max, by falling amplitude. Returns how many.
TARN_API int tarn_ocean_waves(const TarnOcean* ocean, float k_max, TarnOceanWave* out,
                              int capacity);

TARN_API const TarnOceanDef* tarn_ocean_def(const TarnOcean* ocean);

// ---- State --------------------------------------------------------------------------------------

TARN_API uint64_t tarn_ocean_hash(const TarnOcean* ocean);
// Writes the state to buffer. *size is the number of bytes needed, also when TARN_ERR_CAPACITY is returned.
TARN_API TarnResult tarn_ocean_save(const TarnOcean* ocean, void* buffer, size_t capacity,
                                    size_t* size);
// Loads a state into a sea created with the same def. On failure nothing has changed. TARN_ERR_DATA: the state is
// damaged or belongs to another def. TARN_ERR_VERSION: another version of the format.
TARN_API TarnResult tarn_ocean_load(TarnOcean* ocean, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnOcean, ocean)

#ifdef __cplusplus
}
#endif
