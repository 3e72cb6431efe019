// Inside src only: curl noise at many points, eight at a time.
#pragma once

#include "base/base.h"
#include "base/kernels.h"

enum { CURL_MAX_OCTAVES = 8 };

typedef struct CurlOctave {
    float waves;       // lattice distances per meter
    float speed;       // root mean square [m/s]
    float fraction[3]; // where the lattice is now, in lattice distances: the part below one,
    int32_t whole[3];  // and the rest
    uint32_t seed;
} CurlOctave;
typedef struct Curl {
    CurlOctave octave[CURL_MAX_OCTAVES];
    int octaves;
} Curl;

typedef struct CurlKernels {
    // Each output is written. Points that are not finite get some finite value.
    void (*velocity)(const Curl* curl, int n, const float* x, const float* y, const float* z,
                     float* vx, float* vy, float* vz);
    void (*potential)(const Curl* curl, int n, const float* x, const float* y, const float* z,
                      float* px, float* py, float* pz); // velocity is its curl [m^2/s]
} CurlKernels;
TARN_KERNELS(CurlKernels, tarn__curl_kernels);
const CurlKernels* tarn__curl_kernels(TarnIsa isa);

// speed: root mean square of all octaves together. size: of the largest eddies. The lattice goes with `wind`
// [m/s], and `change` [1/s] times its own length to one side, another for each octave.
Curl tarn__curl(float speed, float size, int octaves, float gain, float change, TarnVec3 wind,
                int seed, double time);
