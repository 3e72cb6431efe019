// tarn/curl_noise.h: turbulence without a simulation.
//
//     v = curl psi,  psi a sum of noises
//
// A velocity without divergence, from noise: dust, leaves, embers, fog, insects. It costs nothing but
// what is asked for, knows no past, and flows around solids [Bridson2007]. A Flow like any other.
// It has no momentum: nothing pushes it. For smoke that reacts use tarn/gas.h.
#pragma once

#include "tarn/base.h"
#include "tarn/flow.h"
#include "tarn/solids.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TARN_CURL_NOISE_OCTAVES = 8 };

// Start from tarn_curl_noise_default(). It is all there is: no object to create. Change it between steps.
typedef struct TarnCurlNoise {
    uint32_t cookie; // set by tarn_curl_noise_default, leave alone
    float speed;     // root mean square, of all octaves together [m/s]
    float size;      // of the largest whirls [m]
    int octaves;     // each half as large as the one before
    float gain;      // speed of an octave over that of the one before
    float change;    // how fast whirls of the first octave are replaced by others [1/s]
    TarnVec3 wind;   // that carries the whirls along, and is added [m/s]
    float reach; // distance from solids within which the flow bends around them [m]; 0: size / 4
    int seed;
    double time;              // [s], the host's: add dt per step
    const TarnSolids* solids; // NULL: none. Not owned
    int isa;                  // TarnIsa: which kernels; set by tarn_curl_noise_default
} TarnCurlNoise;

TARN_API const TarnParamTable* tarn_curl_noise_table(void); // of the plain fields
// NULL: slower kernels.
TARN_DEFAULT_FROM(TarnCurlNoise, tarn_curl_noise_default, tarn_curl_noise_init, const TarnContext*);
// Keeps the pointer. query NULL: the noise did not come from tarn_curl_noise_default, or a value is out of
// range. Values that leave their range later count as the nearest in it.
TARN_API TarnFlow tarn_curl_noise_flow(const TarnCurlNoise* noise);

#ifdef __cplusplus
}
#endif
