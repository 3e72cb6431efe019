// Array forms of maths8.h. Kernel files of solvers use maths8.h in their own loops; this table is
// for plain arrays and for the test, which compares it with the scalar functions bit by bit.
//
// Cost  ns per element, baseline (SSE2) and AVX2, gcc 12 -O3 on an AMD EPYC: sin, cos 4.0 and 1.8,
//       tan 4.6 and 2.1, exp 3.6 and 1.7, log 4.4 and 1.7, tanh 4.0 and 1.9, atan2 8.0 and 3.1,
//       pow 12.4 and 4.7. A lane with an angle above 2^20 costs 8 more.

#include "base/maths_kernels.h"
#include "base/kernels.h"
#include "base/maths8.h"

TARN_INLINE void each(TarnDv (*core)(TarnDv), const float* x, float* out, int n)
{
    for (int i = 0; i < n; i += TARN_LANES) f8_store(out + i, f8_map(core, f8_load(x + i)));
}

TARN_INLINE void each2(TarnDv (*core)(TarnDv, TarnDv), const float* x, const float* y, float* out,
                       int n)
{
    for (int i = 0; i < n; i += TARN_LANES)
        f8_store(out + i, f8_map2(core, f8_load(x + i), f8_load(y + i)));
}

// clang-format off
static void sin8(const float* x, float* out, int n) { each(dv_sin, x, out, n); }
static void cos8(const float* x, float* out, int n) { each(dv_cos, x, out, n); }
static void tan8(const float* x, float* out, int n) { each(dv_tan, x, out, n); }
static void exp8(const float* x, float* out, int n) { each(dv_exp, x, out, n); }
static void log8(const float* x, float* out, int n) { each(dv_log, x, out, n); }
static void tanh8(const float* x, float* out, int n) { each(dv_tanh, x, out, n); }
// clang-format on

static void atan28(const float* y, const float* x, float* out, int n)
{
    each2(dv_atan2, y, x, out, n);
}

static void pow8(const float* x, const float* y, float* out, int n)
{
    each2(dv_pow, x, y, out, n);
}

const TarnMathKernels TARN_KERNEL(tarn__math_kernels) = { sin8, cos8,  tan8,   exp8,
                                                          log8, tanh8, atan28, pow8 };
