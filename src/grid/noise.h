// Noise that every machine hears alike: gradient noise on an endless plane and sums of it.
#pragma once

#include <stdint.h>

typedef struct Noise {
    uint64_t seed,
        stream;  // one stream per use, so that two sums have nothing to do with each other
    int octaves; // each half as long as the one before
    double gain; // height of an octave against the one before
} Noise;

// Gradient noise of [Perlin2002] with lattice distance 1, about -1 to 1; 0 at lattice points.
double tarn__noise(uint64_t seed, uint64_t stream, double x, double z);
// Sum of octaves, divided by the sum of their heights: about -1 to 1.
double tarn__noise_fractal(const Noise* noise, double x, double z);
// The same with octaves that fade where those before are steep, as if slopes were washed smooth and
// flats kept their detail.
double tarn__noise_worn(const Noise* noise, double x, double z);
// Ridged multifractal [Musgrave1994]: sharp crests, smooth valleys; 0 to 1.
double tarn__noise_ridged(const Noise* noise, double x, double z);
