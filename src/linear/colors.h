// Inside src/linear only: rows whose red and black cells lie in arrays of their own, and sums over lanes.
#pragma once

#include "base/simd.h"

TARN_INLINE double sum_lanes(TarnF8 v)
{
    double even = ((double)v[0] + (double)v[2]) + ((double)v[4] + (double)v[6]);
    double odd = ((double)v[1] + (double)v[3]) + ((double)v[5] + (double)v[7]);
    return even + odd;
}

// Sixteen cells of a row in natural order, into the two colors. s: parity of color 0.
TARN_INLINE void deal(const float natural[16], int s, float* color0, float* color1)
{
    float even[8], odd[8];
    for (int m = 0; m < 8; ++m) even[m] = natural[2 * m], odd[m] = natural[2 * m + 1];
    memcpy(s ? color1 : color0, even, sizeof even);
    memcpy(s ? color0 : color1, odd, sizeof odd);
}
TARN_INLINE void gather_row(const float* color0, const float* color1, int s, float natural[16])
{
    const float *even = s ? color1 : color0, *odd = s ? color0 : color1;
    for (int m = 0; m < 8; ++m) natural[2 * m] = even[m], natural[2 * m + 1] = odd[m];
}
