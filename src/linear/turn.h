// Sine and cosine of fractions of a turn, for the tables of transforms.
#pragma once

#include "base/simd.h"
#include <stdbool.h>

typedef struct Turn {
    float c, s; // cosine and sine of an angle
} Turn;

// Cosine and sine of a turn times num / den, from the first eighth of it, by series in double: their
// bits are the same on every machine.
TARN_INLINE void tarn__turn_double(int64_t num, int64_t den, double* c, double* s)
{
    const double two_pi = 6.283185307179586476925;
    num %= den;
    int64_t quarter = 4 * num / den; // in quarters, then eighths
    int64_t rest = 4 * num - quarter * den;
    bool is_swapped = 2 * rest > den;
    double x = 0.25 * two_pi * (double)(is_swapped ? den - rest : rest) / (double)den;
    double cs = 0.0, sn = 0.0;
    for (int n = 20; n > 0; n -= 2) {
        cs = (1.0 + cs) * (-x * x / (double)(n * (n - 1)));
        sn = (1.0 + sn) * (-x * x / (double)(n * (n + 1)));
    }
    cs += 1.0, sn = x * (1.0 + sn);
    if (is_swapped) {
        double swap = cs;
        cs = sn, sn = swap;
    }
    *c = quarter == 0 ? cs : quarter == 1 ? -sn : quarter == 2 ? -cs : sn;
    *s = quarter == 0 ? sn : quarter == 1 ? cs : quarter == 2 ? -sn : -cs;
}
TARN_INLINE Turn tarn__turn(int64_t num, int64_t den)
{
    double c, s;
    tarn__turn_double(num, den, &c, &s);
    return (Turn){ (float)c, (float)s };
}
