// Gradient noise and its sums.
//
// Method   gradients from counter-based random numbers at lattice points, blended with the quintic
//          of [Perlin2002]. Ridges after [Musgrave1994]: (1 - |n|)^2, each octave weighted by the
//          one before. Octaves are turned against each other, so that their lattices never line up.
// Bits     only + - * / and sqrt in double: the same on every machine.

#include "grid/noise.h"
#include "base/base.h"
#include <math.h>

typedef struct Sample {
    double value, dx, dz; // and its slope
} Sample;

// The numbers of tarn__random, with what is common to a stream computed once.
static uint64_t scramble(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}
static const uint64_t golden = 0x9e3779b97f4a7c15u;

// The gradient at a lattice point: a unit vector.
static void gradient(uint64_t stream, int64_t i, int64_t k, double* gx, double* gz)
{
    uint64_t index = (uint64_t)(uint32_t)i << 32 | (uint32_t)k;
    uint32_t bits = (uint32_t)(scramble(stream + golden * (index + 1)) >> 32);
    double x = ((double)(int32_t)(bits >> 16) - 32767.5) / 32768.0;
    double z = ((double)(int32_t)(bits & 0xffff) - 32767.5) / 32768.0; // never 0: it has a length
    double inv = 1.0 / sqrt(x * x + z * z);
    *gx = x * inv, *gz = z * inv;
}

static Sample sample(uint64_t seed, uint64_t stream, double x, double z)
{
    // Beyond 2^52 cells a double has no fraction left; the ground is never sampled that far out.
    const double far = 4503599627370496.0;
    if (!(x > -far && x < far && z > -far && z < far)) return (Sample){ 0.0, 0.0, 0.0 };
    double fx = floor(x), fz = floor(z), u = x - fx, v = z - fz;
    int64_t i = (int64_t)fx, k = (int64_t)fz;
    uint64_t base = scramble(seed + golden * (stream + 1));
    double n[4], gx[4], gz[4];
    for (int c = 0; c < 4; ++c) {
        gradient(base, i + (c & 1), k + (c >> 1), &gx[c], &gz[c]);
        n[c] = gx[c] * (u - (c & 1)) + gz[c] * (v - (c >> 1));
    }
    double su = u * u * u * (u * (u * 6.0 - 15.0) + 10.0),
           du = 30.0 * u * u * (u - 1.0) * (u - 1.0);
    double sv = v * v * v * (v * (v * 6.0 - 15.0) + 10.0),
           dv = 30.0 * v * v * (v - 1.0) * (v - 1.0);
    double low = n[0] + su * (n[1] - n[0]), high = n[2] + su * (n[3] - n[2]);
    double low_gx = gx[0] + su * (gx[1] - gx[0]), high_gx = gx[2] + su * (gx[3] - gx[2]);
    double low_gz = gz[0] + su * (gz[1] - gz[0]), high_gz = gz[2] + su * (gz[3] - gz[2]);
    const double scale = 1.4; // brings the common range to about -1 to 1
    return (Sample){
        .value = scale * (low + sv * (high - low)),
        .dx = scale * (low_gx + sv * (high_gx - low_gx) +
                       du * (n[1] - n[0] + sv * (n[3] - n[2] - n[1] + n[0]))),
        .dz = scale * (low_gz + sv * (high_gz - low_gz) + dv * (high - low)),
    };
}

double tarn__noise(uint64_t seed, uint64_t stream, double x, double z)
{
    return sample(seed, stream, x, z).value;
}

// Twice as fine, turned by the angle of the 3-4-5 triangle, and moved off the origin.
static void next_octave(double* x, double* z)
{
    double turned = 2.0 * (0.8 * *x + 0.6 * *z) + 17.31;
    *z = 2.0 * (0.8 * *z - 0.6 * *x) - 9.73;
    *x = turned;
}

double tarn__noise_fractal(const Noise* noise, double x, double z)
{
    double sum = 0.0, total = 0.0, height = 1.0;
    for (int o = 0; o < noise->octaves; ++o) {
        sum += height * sample(noise->seed, noise->stream + (uint64_t)o, x, z).value;
        total += height;
        height *= noise->gain;
        next_octave(&x, &z);
    }
    return sum / total;
}

double tarn__noise_worn(const Noise* noise, double x, double z)
{
    double sum = 0.0, total = 0.0, height = 1.0, slope_x = 0.0, slope_z = 0.0;
    double c = 1.0, s = 0.0; // the turn so far, to bring slopes back
    for (int o = 0; o < noise->octaves; ++o) {
        Sample n = sample(noise->seed, noise->stream + (uint64_t)o, x, z);
        slope_x += c * n.dx - s * n.dz;
        slope_z += s * n.dx + c * n.dz;
        sum += height * n.value / (1.0 + 0.6 * (slope_x * slope_x + slope_z * slope_z));
        total += height;
        height *= noise->gain;
        double turned = 0.8 * c - 0.6 * s;
        s = 0.8 * s + 0.6 * c;
        c = turned;
        next_octave(&x, &z);
    }
    return 1.6 * sum / total;
}

double tarn__noise_ridged(const Noise* noise, double x, double z)
{
    double sum = 0.0, total = 0.0, height = 1.0, weight = 1.0;
    for (int o = 0; o < noise->octaves; ++o) {
        double n = sample(noise->seed, noise->stream + (uint64_t)o, x, z).value;
        double crest = 1.0 - fabs(n);
        crest = crest > 0.0 ? crest * crest * weight : 0.0;
        sum += height * crest;
        total += height;
        weight = crest < 0.5 ? 2.0 * crest : 1.0; // valleys stay smooth
        height *= noise->gain;
        next_octave(&x, &z);
    }
    return sum / total;
}
