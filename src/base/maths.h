// Elementary functions with the same bits on every machine, and small vector helpers.
//
// The C library's sin, exp or pow differ from one library to the next in the last bit, and one bit
// is enough to part two simulations. These use only + - * /, comparisons and integer operations,
// in double, and round once to float. Eight lanes at a time: maths8.h, with the same bits.
//
// Accuracy  error below 0.5001 ulp for every finite float (two-argument functions: for every pair
//           tried); tests/unit/test_maths.c measures it.
// Special   values follow C99 Annex F: signed zeros, infinities, subnormals in and out. A NaN
//           result is always 0x7fc00000. No errno; the floating-point flags mean nothing.
#pragma once

#include <math.h>
#include "base/simd.h"
#include "tarn/base.h"

float tarn_sin(float x); // [rad], right for all finite x
float tarn_cos(float x);
float tarn_tan(float x);
void tarn_sincos(float x, float* s, float* c); // both for little more than the price of one
float tarn_atan2(float y, float x);            // [-pi, pi], the angle of the point (x, y)
float tarn_exp(float x);
float tarn_log(float x); // natural
float tarn_pow(float x, float y);
float tarn_tanh(float x);

// For maths8.h: x = quadrant * pi/2 + r with |r| <= pi/4 (plus a rounding), for floats from 2^20
// on; r is NaN for infinities and NaN. Returns the quadrant modulo 4.
unsigned tarn__reduce_large(double x, double* r);

// Of two the second is taken when the comparison fails, for NaN too, as in simd.h.
// clang-format off
TARN_INLINE float tarn_minf(float a, float b) { return a < b ? a : b; }
TARN_INLINE float tarn_maxf(float a, float b) { return a > b ? a : b; }
// clang-format on

// Into [lo, hi]; NaN gives lo.
TARN_INLINE float tarn_clampf(float x, float lo, float hi)
{
    return tarn_minf(tarn_maxf(x, lo), hi);
}

// ---- Vectors -----------------------------------------------------------------------------------

TARN_INLINE TarnVec3 vec3_add(TarnVec3 a, TarnVec3 b)
{
    return (TarnVec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}
TARN_INLINE TarnVec3 vec3_sub(TarnVec3 a, TarnVec3 b)
{
    return (TarnVec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}
TARN_INLINE TarnVec3 vec3_scale(TarnVec3 a, float s)
{
    return (TarnVec3){ a.x * s, a.y * s, a.z * s };
}
TARN_INLINE float vec3_dot(TarnVec3 a, TarnVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
TARN_INLINE TarnVec3 vec3_cross(TarnVec3 a, TarnVec3 b)
{
    return (TarnVec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}

// Lengths are taken in double: squares of floats neither overflow nor vanish there.
TARN_INLINE double vec3__length(TarnVec3 a)
{
    double x = a.x, y = a.y, z = a.z;
    return sqrt(x * x + y * y + z * z);
}
TARN_INLINE float vec3_length(TarnVec3 a)
{
    return (float)vec3__length(a);
}

// The zero vector, and one that is not finite, gives zero.
TARN_INLINE TarnVec3 vec3_normalize(TarnVec3 a)
{
    double n = vec3__length(a);
    if (!(n > 0.0 && n < INFINITY)) return (TarnVec3){ 0.0f, 0.0f, 0.0f };
    return (TarnVec3){ (float)(a.x / n), (float)(a.y / n), (float)(a.z / n) };
}

// ---- Rotations: unit quaternions ---------------------------------------------------------------

// First b, then a.
TARN_INLINE TarnQuat quat_multiply(TarnQuat a, TarnQuat b)
{
    return (TarnQuat){ a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
                       a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
                       a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
                       a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z };
}

TARN_INLINE TarnVec3 quat_rotate(TarnQuat q, TarnVec3 v)
{
    TarnVec3 axis = { q.x, q.y, q.z };
    TarnVec3 t = vec3_scale(vec3_cross(axis, v), 2.0f);
    return vec3_add(vec3_add(v, vec3_scale(t, q.w)), vec3_cross(axis, t));
}
TARN_INLINE TarnVec3 quat_rotate_inverse(TarnQuat q, TarnVec3 v)
{
    return quat_rotate((TarnQuat){ -q.x, -q.y, -q.z, q.w }, v);
}

// Zero or not finite gives no rotation.
TARN_INLINE TarnQuat quat_normalize(TarnQuat q)
{
    double x = q.x, y = q.y, z = q.z, w = q.w;
    double n = sqrt(x * x + y * y + z * z + w * w);
    if (!(n > 0.0 && n < INFINITY)) return (TarnQuat){ 0.0f, 0.0f, 0.0f, 1.0f };
    return (TarnQuat){ (float)(x / n), (float)(y / n), (float)(z / n), (float)(w / n) };
}

// Right-handed turn by angle [rad]; the axis may have any length, zero gives no rotation.
TARN_INLINE TarnQuat quat_from_axis_angle(TarnVec3 axis, float angle)
{
    float s, c;
    tarn_sincos(0.5f * angle, &s, &c);
    TarnVec3 n = vec3_normalize(axis);
    if (!(vec3_dot(n, n) > 0.0f)) c = 1.0f;
    return quat_normalize((TarnQuat){ n.x * s, n.y * s, n.z * s, c });
}
