// Elementary functions on eight lanes, for kernel files. One source of truth: the scalar functions
// in maths.c run these very operations in a single lane, so their bits are equal by construction.
//
// Everything below "Cores" works on TarnDv, one native register of doubles (two, or four with
// AVX2), takes floats widened to double and returns a double that is rounded once to float.
// Double spares the care that float code needs: no float is subnormal there, squares and
// quotients of floats do not overflow, and an error of 2^-43 is invisible after the rounding.
//
// Made from  polynomials of least relative error (weighted Remez exchange with 60 digits in
//            mpmath, then rounded to double; the error stands beside each), reductions by
//            symmetry. Large angles: Payne and Hanek's method, see tarn__reduce_large.
// Checked    tests/unit/test_maths.c. All 2^32 floats were tried once, scalar, SSE2 and AVX2: equal
//            bits, largest error (0.5 is perfect) sin, cos, tan 0.5000012, exp 0.5000004,
//            log 0.5000001, tanh 0.500001 ulp; atan2 and pow 0.5000003 in 3e8 random pairs.
#pragma once

#include "base/maths.h"

#if defined(__AVX2__)
#define TARN_DV_LANES 4
#else
#define TARN_DV_LANES 2
#endif

typedef double TarnDv __attribute__((vector_size(8 * TARN_DV_LANES)));
typedef float TarnFv __attribute__((vector_size(4 * TARN_DV_LANES)));
typedef int64_t TarnMv __attribute__((vector_size(8 * TARN_DV_LANES)));  // mask of a comparison
typedef uint64_t TarnUv __attribute__((vector_size(8 * TARN_DV_LANES))); // bits

#define TARN_DV_SIGN  0x8000000000000000u

// Adding it rounds to an integer (to even), found in the low bits and, after subtracting it, as a
// double. |x| < 2^51. A conversion would be slow in SSE2 and undefined for large values.
#define TARN_DV_ROUND 0x1.8p52

// clang-format off
TARN_INLINE TarnDv dv_set(double s) { return s - (TarnDv){ 0.0 }; } // exact for any s
TARN_INLINE TarnDv dv_select(TarnMv mask, TarnDv yes, TarnDv no)
{
    return (TarnDv)((mask & (TarnMv)yes) | (~mask & (TarnMv)no));
}
TARN_INLINE TarnDv dv_abs(TarnDv x) { return (TarnDv)((TarnUv)x & ~TARN_DV_SIGN); }
TARN_INLINE TarnUv dv_sign(TarnDv x) { return (TarnUv)x & TARN_DV_SIGN; }
TARN_INLINE TarnDv dv_flip(TarnDv x, TarnUv sign) { return (TarnDv)((TarnUv)x ^ sign); }

// Limits that, unlike those of maths.h, keep NaN.
TARN_INLINE TarnDv dv_at_least(TarnDv x, double lo) { return dv_select(x < lo, dv_set(lo), x); }
TARN_INLINE TarnDv dv_at_most(TarnDv x, double hi) { return dv_select(x > hi, dv_set(hi), x); }
// clang-format on

// c[0] + c[1] x + ... + c[n - 1] x^(n - 1), n > 1. Even and odd terms apart: two short chains
// of operations instead of one long one.
TARN_INLINE TarnDv dv_poly(TarnDv x, const double* c, int n)
{
    TarnDv x2 = x * x, p = dv_set(c[n - 1]), q = dv_set(c[n - 2]);
    for (int i = n - 3; i >= 1; i -= 2) {
        p = p * x2 + c[i];
        q = q * x2 + c[i - 1];
    }
    return n % 2 ? (p * x2 + c[0]) + q * x : q + p * x;
}

// ---- Cores: angles -----------------------------------------------------------------------------

// sin r = r (1 + r^2 S(r^2)) and cos r = 1 + r^2 C(r^2) for |r| <= pi/4; 2^-47 and 2^-43
static const double tarn__sin_poly[5] = { -0.16666666666630314, 0.0083333333250711419,
                                          -0.00019841263724956445, 2.7555338863696803e-06,
                                          -2.476039630629503e-08 };
static const double tarn__cos_poly[5] = { -0.49999999999488859, 0.041666666553335008,
                                          -0.0013888880654411527, 2.4798959670113018e-05,
                                          -2.7174712679777188e-07 };
// atan t = t (1 + t^2 A(t^2)) for |t| <= tan(pi/8); 2^-45
static const double tarn__atan_poly[8] = { -0.33333333331662485,  0.199999996804435,
                                           -0.14285693334642388,  0.11110443730445349,
                                           -0.090790576393637315, 0.075679781179416511,
                                           -0.05889012544474384,  0.030864536714629145 };

#define TARN_PI        0x1.921fb54442d18p+1
#define TARN_PIO2_HIGH 0x1.921fb544p+0 // 33 bits: times a quadrant below 2^20 it is exact
#define TARN_PIO2_LOW  0x1.0b4611a626331p-34

// Sine and cosine of the remainder of x after whole quadrants; q holds those, modulo 4.
TARN_INLINE void dv_sincos_parts(TarnDv x, TarnDv* s, TarnDv* c, TarnUv* q)
{
    TarnDv t = x * (2.0 / TARN_PI) + TARN_DV_ROUND;
    TarnDv n = t - TARN_DV_ROUND;
    TarnDv r = (x - n * TARN_PIO2_HIGH) - n * TARN_PIO2_LOW;
    *q = (TarnUv)t;

    TarnMv is_small = dv_abs(x) < 0x1p20;
    int64_t all_small = is_small[0];
    for (int l = 1; l < TARN_DV_LANES; ++l) all_small &= is_small[l];
    if (__builtin_expect(!all_small, 0)) {
        for (int l = 0; l < TARN_DV_LANES; ++l) {
            double rest;
            if (is_small[l]) continue;
            (*q)[l] = tarn__reduce_large(x[l], &rest);
            r[l] = rest;
        }
    }
    TarnDv r2 = r * r;
    *s = r * (1.0 + r2 * dv_poly(r2, tarn__sin_poly, 5)); // in this form -0 keeps its sign
    *c = 1.0 + r2 * dv_poly(r2, tarn__cos_poly, 5);
}

// The sine q quadrants further on.
TARN_INLINE TarnDv dv_turn(TarnDv s, TarnDv c, TarnUv q)
{
    return dv_flip(dv_select((TarnMv)(0 - (q & 1)), c, s), (q & 2) << 62);
}

TARN_INLINE TarnDv dv_sin(TarnDv x)
{
    TarnDv s, c;
    TarnUv q;
    dv_sincos_parts(x, &s, &c, &q);
    return dv_turn(s, c, q);
}

TARN_INLINE TarnDv dv_cos(TarnDv x)
{
    TarnDv s, c;
    TarnUv q;
    dv_sincos_parts(x, &s, &c, &q);
    return dv_turn(s, c, q + 1);
}

TARN_INLINE TarnDv dv_tan(TarnDv x)
{
    TarnDv s, c;
    TarnUv q;
    dv_sincos_parts(x, &s, &c, &q);
    TarnMv odd = (TarnMv)(0 - (q & 1));
    return dv_select(odd, dv_flip(c, (TarnUv)odd & TARN_DV_SIGN), s) / dv_select(odd, s, c);
}

// The angle is folded into [0, pi/4], then, if above pi/8, turned back by pi/4. Infinity becomes
// 2^400 and a divisor of zero 2^-400: far outside of float, and all quotients come out right.
TARN_INLINE TarnDv dv_atan2(TarnDv y, TarnDv x)
{
    TarnDv ax = dv_at_most(dv_abs(x), 0x1p400), ay = dv_at_most(dv_abs(y), 0x1p400);
    TarnMv is_steep = ay > ax;
    TarnDv less = dv_select(is_steep, ax, ay), more = dv_select(is_steep, ay, ax);
    TarnMv is_middle = less > more * 0.41421356237309503; // tan(pi/8)
    TarnDv up = dv_select(is_middle, less - more, less);
    TarnDv down = dv_select(is_middle, less + more, more);
    TarnDv t = up / dv_at_least(down, 0x1p-400);
    TarnDv t2 = t * t;
    TarnDv a = t * (1.0 + t2 * dv_poly(t2, tarn__atan_poly, 8));
    a = dv_select(is_middle, TARN_PI / 4 + a, a);
    a = dv_select(is_steep, TARN_PI / 2 - a, a);
    a = dv_select((TarnMv)(0 - (dv_sign(x) >> 63)), TARN_PI - a, a); // for x = -0 too
    a = dv_flip(a, dv_sign(y));
    return dv_select((x == x) & (y == y), a, x + y);
}

// ---- Cores: exponentials -----------------------------------------------------------------------

// 2^f = 1 + f E(f) for |f| <= 1/2; 2^-43 of f E(f)
static const double tarn__exp2_poly[9] = { 0.69314718055993774,    0.24022650695814068,
                                           0.055504108665734769,   0.0096181291590573172,
                                           0.0013333557983812448,  0.00015403456127875177,
                                           1.5252811946094744e-05, 1.3255162119604944e-06,
                                           1.0178079694585916e-07 };
// log((1 + s)/(1 - s)) = s (2 + s^2 L(s^2)) for |s| <= 3 - sqrt(8); 2^-52
static const double tarn__log_poly[6] = { 0.66666666666587449, 0.40000000052162837,
                                          0.28571417146580197, 0.22223370574380033,
                                          0.18123675786670976, 0.16819452065565782 };

#define TARN_LN2   0x1.62e42fefa39efp-1
#define TARN_LOG2E 0x1.71547652b82fep+0

// 2^z = scale (1 + returned), the returned with full relative accuracy. |z| < 1000.
TARN_INLINE TarnDv dv_exp2_parts(TarnDv z, TarnDv* scale)
{
    TarnDv t = z + TARN_DV_ROUND;
    TarnDv f = z - (t - TARN_DV_ROUND);
    *scale = (TarnDv)(((TarnUv)t + 1023) << 52);
    return f * dv_poly(f, tarn__exp2_poly, 9);
}

// Beyond 2^-200 and 2^200 a float is 0 or infinite anyway.
TARN_INLINE TarnDv dv_exp2(TarnDv z)
{
    TarnDv scale, p = dv_exp2_parts(dv_at_most(dv_at_least(z, -200.0), 200.0), &scale);
    return scale + scale * p;
}

TARN_INLINE TarnDv dv_exp(TarnDv x)
{
    return dv_exp2(x * TARN_LOG2E);
}

// With e = exp(2|x|) - 1: e / (e + 2), then the sign. From |x| = 9.02 on this rounds to 1.
TARN_INLINE TarnDv dv_tanh(TarnDv x)
{
    TarnDv scale, p = dv_exp2_parts(dv_at_most(dv_abs(x), 20.0) * (2.0 * TARN_LOG2E), &scale);
    TarnDv e = scale * p + (scale - 1.0);
    return dv_flip(e / (e + 2.0), dv_sign(x));
}

// x = 2^k m with m in [sqrt(1/2), sqrt(2)). Returns log(m). x > 0 and finite, garbage otherwise.
TARN_INLINE TarnDv dv_log_parts(TarnDv x, TarnDv* k)
{
    const uint64_t low = 0x3fe6a09e00000000, one = 0x3ff0000000000000; // sqrt(1/2) and 1
    TarnUv b = (TarnUv)x + (one - low);
    TarnDv m = (TarnDv)((b & 0x000fffffffffffff) + low);
    *k = (TarnDv)((b >> 52) | 0x4330000000000000) - (0x1p52 + 1023.0);
    TarnDv s = (m - 1.0) / (m + 1.0), s2 = s * s;
    return s * (2.0 + s2 * dv_poly(s2, tarn__log_poly, 6));
}

// What log has at the ends of (0, infinity), where dv_log_parts does not reach.
TARN_INLINE TarnDv dv_log_ends(TarnDv x, TarnDv log)
{
    log = dv_select(x == 0.0, dv_set(-INFINITY), log);
    return dv_select(x == INFINITY, dv_set(INFINITY), log);
}

TARN_INLINE TarnDv dv_log(TarnDv x)
{
    TarnDv k, l = dv_log_parts(x, &k);
    return dv_select(x >= 0.0, dv_log_ends(x, k * TARN_LN2 + l), dv_set(NAN));
}

// 2^(y log2|x|), which gives the right zeros and infinities by itself. Left to do: the sign, NaN
// for a finite x < 0 with a y that is no integer, and that x = 1 or y = 0 give 1 even beside NaN.
TARN_INLINE TarnDv dv_pow(TarnDv x, TarnDv y)
{
    TarnDv ax = dv_abs(x), k, l = dv_log_parts(ax, &k);
    TarnDv z = y * dv_log_ends(ax, k + l * TARN_LOG2E);
    z = dv_select(ax == 1.0, dv_set(0.0), z); // not 0 times infinity
    TarnDv p = dv_exp2(z);

    TarnDv ay = dv_at_most(dv_abs(y), 0x1p25); // all larger floats are even integers as well
    TarnDv t = ay + TARN_DV_ROUND;
    TarnMv is_integer = t - TARN_DV_ROUND == ay;
    p = dv_flip(p, ((TarnUv)t << 63) & (TarnUv)is_integer & dv_sign(x)); // odd: the sign of x

    TarnMv is_nan = (x < 0.0) & (x > -INFINITY) & ~is_integer;
    is_nan |= (x != x) | (y != y);
    p = dv_select(is_nan, dv_set(NAN), p);
    return dv_select((x == 1.0) | (y == 0.0), dv_set(1.0), p);
}

// ---- Eight lanes: cut in registers, rounded to float, all NaN made equal -----------------------

TARN_INLINE TarnF8 f8_canonical(TarnF8 v)
{
    return f8_select(v == v, v, f8_from_bits(i8_set(0x7fc00000)));
}

TARN_INLINE TarnF8 f8_map(TarnDv (*core)(TarnDv), TarnF8 x)
{
    TarnFv v[TARN_LANES / TARN_DV_LANES];
    memcpy(v, &x, sizeof v);
    for (int i = 0; i < TARN_LANES / TARN_DV_LANES; ++i)
        v[i] = __builtin_convertvector(core(__builtin_convertvector(v[i], TarnDv)), TarnFv);
    memcpy(&x, v, sizeof v);
    return f8_canonical(x);
}

TARN_INLINE TarnF8 f8_map2(TarnDv (*core)(TarnDv, TarnDv), TarnF8 x, TarnF8 y)
{
    TarnFv v[TARN_LANES / TARN_DV_LANES], w[TARN_LANES / TARN_DV_LANES];
    memcpy(v, &x, sizeof v);
    memcpy(w, &y, sizeof w);
    for (int i = 0; i < TARN_LANES / TARN_DV_LANES; ++i)
        v[i] = __builtin_convertvector(
            core(__builtin_convertvector(v[i], TarnDv), __builtin_convertvector(w[i], TarnDv)),
            TarnFv);
    memcpy(&x, v, sizeof v);
    return f8_canonical(x);
}

// clang-format off
TARN_INLINE TarnF8 f8_sin(TarnF8 x) { return f8_map(dv_sin, x); }
TARN_INLINE TarnF8 f8_cos(TarnF8 x) { return f8_map(dv_cos, x); }
TARN_INLINE TarnF8 f8_tan(TarnF8 x) { return f8_map(dv_tan, x); }
TARN_INLINE TarnF8 f8_atan2(TarnF8 y, TarnF8 x) { return f8_map2(dv_atan2, y, x); }
TARN_INLINE TarnF8 f8_exp(TarnF8 x) { return f8_map(dv_exp, x); }
TARN_INLINE TarnF8 f8_log(TarnF8 x) { return f8_map(dv_log, x); }
TARN_INLINE TarnF8 f8_pow(TarnF8 x, TarnF8 y) { return f8_map2(dv_pow, x, y); }
TARN_INLINE TarnF8 f8_tanh(TarnF8 x) { return f8_map(dv_tanh, x); }
// clang-format on
