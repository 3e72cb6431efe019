// Complex numbers of eight lanes, and the butterflies that all transforms share. For kernels only.
#pragma once

#include "base/simd.h"
#include "linear/turn.h"

typedef struct C8 {
    TarnF8 re, im;
} C8;

TARN_INLINE C8 c8_plus(C8 a, C8 b)
{
    return (C8){ a.re + b.re, a.im + b.im };
}
TARN_INLINE C8 c8_minus(C8 a, C8 b)
{
    return (C8){ a.re - b.re, a.im - b.im };
}
TARN_INLINE C8 c8_times(C8 a, float s)
{
    return (C8){ a.re * s, a.im * s };
}
TARN_INLINE C8 c8_minus_i(C8 a) // times -i
{
    return (C8){ a.im, -a.re };
}
TARN_INLINE C8 c8_turn(C8 a, Turn t) // by exp(-i angle)
{
    return (C8){ a.re * t.c + a.im * t.s, a.im * t.c - a.re * t.s };
}

// ---- Butterflies: in place, in natural order ----------------------------------------------------------------

TARN_INLINE void c8_butterfly2(C8* a0, C8* a1)
{
    C8 b = *a1;
    *a1 = c8_minus(*a0, b), *a0 = c8_plus(*a0, b);
}

TARN_INLINE void c8_butterfly4(C8* a0, C8* a1, C8* a2, C8* a3)
{
    C8 e = c8_plus(*a0, *a2), f = c8_minus(*a0, *a2);
    C8 g = c8_plus(*a1, *a3), h = c8_minus(*a1, *a3);
    *a0 = c8_plus(e, g), *a2 = c8_minus(e, g);
    *a1 = (C8){ f.re + h.im, f.im - h.re };
    *a3 = (C8){ f.re - h.im, f.im + h.re };
}

// By exp(-i pi / 4) and its cube: two products instead of four.
static const float COS_EIGHTH = 0.707106781f; // of a turn
TARN_INLINE C8 c8_eighth(C8 a)
{
    return (C8){ (a.re + a.im) * COS_EIGHTH, (a.im - a.re) * COS_EIGHTH };
}
TARN_INLINE C8 c8_three_eighths(C8 a)
{
    return (C8){ (a.im - a.re) * COS_EIGHTH, (a.re + a.im) * -COS_EIGHTH };
}

TARN_INLINE void c8_butterfly8(C8 a[8])
{
    c8_butterfly4(&a[0], &a[2], &a[4], &a[6]);
    c8_butterfly4(&a[1], &a[3], &a[5], &a[7]);
    C8 e[4] = { a[0], a[2], a[4], a[6] };
    C8 o[4] = { a[1], c8_eighth(a[3]), c8_minus_i(a[5]), c8_three_eighths(a[7]) };
    for (int k = 0; k < 4; ++k) a[k] = c8_plus(e[k], o[k]), a[k + 4] = c8_minus(e[k], o[k]);
}
