// Inside src/shallow only: signs and limited slopes, eight at a time, for the explicit sweep and the implicit step.
#pragma once

#include "base/kernels.h"

TARN_INLINE TarnF8 sign_of(TarnF8 a)
{
    return f8_from_bits(f8_bits(a) & (int32_t)0x80000000u);
}
TARN_INLINE TarnF8 with_sign(TarnF8 a, TarnF8 sign) // a, negated where sign is negative
{
    return f8_from_bits(f8_bits(a) ^ f8_bits(sign));
}
// The smaller of two slopes, zero where they disagree (minmod): b within [0, a] or [a, 0].
TARN_INLINE TarnF8 smaller_slope(TarnF8 a, TarnF8 b)
{
    TarnF8 zero = f8_set(0.0f);
    return f8_min(f8_max(b, f8_min(zero, a)), f8_max(zero, a));
}
