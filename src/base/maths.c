// Scalar elementary functions: one lane of the cores in maths8.h. See there for the method.
//
// Cost  ns per call on an AMD EPYC, gcc 12 -O3, calls back to back: sin, cos, exp, log 9; tan,
//       tanh, sincos 10; atan2 16; pow 25; with an angle above 2^20 14. If each call waits for the
//       one before: sin 20, pow 44.

#include "base/maths8.h"

TARN_INLINE float rounded(double x)
{
    float f = (float)x;
    return f == f ? f : NAN; // the canonical one, 0x7fc00000
}

// clang-format off
float tarn_sin(float x) { return rounded(dv_sin((TarnDv){ x })[0]); }
float tarn_cos(float x) { return rounded(dv_cos((TarnDv){ x })[0]); }
float tarn_tan(float x) { return rounded(dv_tan((TarnDv){ x })[0]); }
float tarn_atan2(float y, float x) { return rounded(dv_atan2((TarnDv){ y }, (TarnDv){ x })[0]); }
float tarn_exp(float x) { return rounded(dv_exp((TarnDv){ x })[0]); }
float tarn_log(float x) { return rounded(dv_log((TarnDv){ x })[0]); }
float tarn_pow(float x, float y) { return rounded(dv_pow((TarnDv){ x }, (TarnDv){ y })[0]); }
float tarn_tanh(float x) { return rounded(dv_tanh((TarnDv){ x })[0]); }
// clang-format on

void tarn_sincos(float x, float* s, float* c)
{
    TarnDv sine, cosine;
    TarnUv q;
    dv_sincos_parts((TarnDv){ x }, &sine, &cosine, &q);
    *s = rounded(dv_turn(sine, cosine, q)[0]);
    *c = rounded(dv_turn(sine, cosine, q + 1)[0]);
}

// The bits of 2/pi behind the point, after 32 zeros.
static const uint32_t two_over_pi[8] = { 0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                         0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab };

// Payne and Hanek: x = m 2^e with an integer m < 2^24. Of m 2^e (2/pi) only the part modulo 4 is
// wanted, so of 2/pi only 96 bits from weight 2^(1-e) on: what stands higher makes whole turns,
// what stands lower changes the result by less than 2^-70. The nearest that a float comes to a
// multiple of pi/2 is 2^-29, so 40 good bits remain.
unsigned tarn__reduce_large(double x, double* r)
{
    if (!(x > -INFINITY && x < INFINITY)) {
        *r = NAN;
        return 0;
    }
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    unsigned e = (unsigned)(bits >> 52 & 0x7ff) - (1023 + 23);
    uint64_t m = (bits >> 29 & 0x7fffff) | 0x800000;

    unsigned first = e + 30; // bit in the table, from 27 to 134
    const uint32_t* w = two_over_pi + first / 32;
    uint32_t a[3];
    for (int i = 0; i < 3; ++i)
        a[i] = (uint32_t)(((uint64_t)w[i] << 32 | w[i + 1]) >> (32 - first % 32));
    uint64_t low = m * a[2];
    uint64_t high = (m * a[0] << 32) + m * a[1] + (low >> 32); // in units of 2^-62, modulo 4

    uint64_t q = (high + (1ull << 61)) >> 62; // to the nearest quadrant
    high -= q << 62;
    double rest = (double)(int64_t)high + (double)(uint32_t)low * 0x1p-32;
    rest *= 0x1p-62 * (TARN_PI / 2);
    *r = x < 0.0 ? -rest : rest;
    return (unsigned)(x < 0.0 ? 4 - q : q) & 3;
}
