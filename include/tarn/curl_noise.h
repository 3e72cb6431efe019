// tarn/curl_noise.h: turbulence without a simulation.
//
//     v = curl psi,  psi a sum of noises
//
// A divergence-free velocity field from noise, for dust, leaves, embers, fog and insects. It costs only what
// is queried, has no state, flows around solids [Bridson2007], and is a Flow like any other. It has no
// momentum and cannot be pushed: for smoke that reacts use tarn/gas.h.
#pragma once

#include "tarn/base.h"
#include "tarn/flow.h"
#include "tarn/solids.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { TARN_CURL_NOISE_OCTAVES = 8 };

// The noise is this struct; there is no object to create. Start from tarn_curl_noise_default(). It may change
// between steps.
typedef struct TarnCurlNoise {
    uint32_t cookie; // set by tarn_curl_noise_default; leave it alone
    float speed;     // root mean square speed of all octaves together [m/s]
    float size;      // of the largest eddies [m]
    int octaves;     // each has eddies half as large as the one before
    float gain;      // speed of an octave relative to the one before
    float change;    // how often eddies of the first octave are replaced [1/s]
    TarnVec3 wind;   // carries the eddies along and is added to the velocity [m/s]
    float reach; // distance from solids within which the flow bends around them [m]; 0: size / 4
    int seed;
    double time;              // [s]; add dt in each step
    const TarnSolids* solids; // not owned; NULL: none
    int isa;                  // TarnIsa of the kernels; set by tarn_curl_noise_default
} TarnCurlNoise;

TARN_API const TarnParamTable* tarn_curl_noise_table(void); // of the plain fields
// Returns defaults with the kernels of a context; without one (NULL) slower kernels are used.
TARN_DEFAULT_FROM(TarnCurlNoise, tarn_curl_noise_default, tarn_curl_noise_init, const TarnContext*);
// Returns the noise as a flow; it keeps the pointer. The query is NULL if the noise did not come from
// tarn_curl_noise_default or a value is out of range. Values that leave their range later are clamped.
TARN_API TarnFlow tarn_curl_noise_flow(const TarnCurlNoise* noise);

#ifdef __cplusplus
}
#endif
