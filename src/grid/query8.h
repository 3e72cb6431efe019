// Inside src only: parts of surface queries, eight points at a time, for the kernels of every solver.
#pragma once

#include "base/simd.h"

// Into 0 .. last, periodic over `wrap` if that is not 0. Comparisons send NaN to the start.
TARN_INLINE TarnF8 to_range(TarnF8 f, float last, float wrap)
{
    if (wrap > 0.0f) {
        TarnF8 far = f8_set(1e6f), turns = f8_max(f8_min(f * (1.0f / wrap), far), -far);
        f = f - wrap * f8_floor(turns);
    }
    f = f8_max(f, f8_set(0.0f));
    return f8_min(f, f8_set(last));
}

TARN_INLINE TarnF8 gather(const float* field, TarnI8 c)
{
    return (TarnF8){ field[c[0]], field[c[1]], field[c[2]], field[c[3]],
                     field[c[4]], field[c[5]], field[c[6]], field[c[7]] };
}

// Cells c and c + 1 of a field: half as many loads, because two cells side by side are one of 64 bits.
TARN_INLINE void gather_two(const float* field, TarnI8 c, TarnF8* here, TarnF8* next)
{
    typedef double Pairs __attribute__((vector_size(16)));
    TarnF4 pairs[4];
    for (int m = 0; m < 4; ++m) {
        double even, odd;
        memcpy(&even, field + c[2 * m], sizeof even);
        memcpy(&odd, field + c[2 * m + 1], sizeof odd);
        pairs[m] = (TarnF4)(Pairs){ even, odd };
    }
    *here = f8_join(__builtin_shufflevector(pairs[0], pairs[1], 0, 2, 4, 6),
                    __builtin_shufflevector(pairs[2], pairs[3], 0, 2, 4, 6));
    *next = f8_join(__builtin_shufflevector(pairs[0], pairs[1], 1, 3, 5, 7),
                    __builtin_shufflevector(pairs[2], pairs[3], 1, 3, 5, 7));
}
