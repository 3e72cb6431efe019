// Curl noise: what is the same for all points. The noise itself is in curl_kernels.c.

#include "grid/curl.h"
#include <math.h>

const CurlKernels* tarn__curl_kernels(TarnIsa isa)
{
    return TARN_KERNELS_PICK(isa, tarn__curl_kernels);
}

// A random direction for the lattice of an octave, from points in a cube: none is too short.
static void pick_direction(int seed, int octave, double out[3])
{
    double length = 0.0;
    for (int a = 0; a < 3; ++a) {
        uint64_t index = (uint64_t)(octave * 3 + a);
        out[a] = (double)tarn__random01((uint64_t)(uint32_t)seed, 0x6375726c, index) - 0.5;
        length += out[a] * out[a];
    }
    length = sqrt(length) + 1e-3;
    for (int a = 0; a < 3; ++a) out[a] /= length;
}

Curl tarn__curl(float speed, float size, int octaves, float gain, float change, TarnVec3 wind,
                int seed, double time)
{
    Curl curl = { .octaves = octaves };
    double power = 0.0, part = 1.0, waves = 1.0 / (double)size, rate = (double)change;
    for (int o = 0; o < octaves; ++o, part *= (double)gain) power += part * part;
    double each = (double)speed / sqrt(power);
    const double along[3] = { (double)wind.x, (double)wind.y, (double)wind.z };
    for (int o = 0; o < octaves; ++o) {
        CurlOctave* octave = &curl.octave[o];
        octave->waves = (float)waves;
        octave->speed = (float)each;
        octave->seed = tarn__random((uint64_t)(uint32_t)seed, 0x63756c32, (uint64_t)o);
        double direction[3];
        pick_direction(seed, o, direction);
        for (int a = 0; a < 3; ++a) {
            double place = (direction[a] * rate - along[a] * waves) * time;
            const double period = 4294967296.0; // hashes repeat after it
            place -= period * floor(place / period);
            if (!(place >= 0.0 && place < period))
                place = 0.0; // a little below 0 rounds to the period
            double whole = floor(place);
            octave->fraction[a] = (float)(place - whole);
            octave->whole[a] = (int32_t)(uint32_t)whole;
        }
        each *= (double)gain;
        waves *= 2.0;
        rate *= 2.0 * (double)gain; // small eddies turn over at a rate given by their speed
    }
    return curl;
}
