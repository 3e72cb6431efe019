// For kernel files of liquids: eight neighbors at a time out of packed particles, and sums in a fixed
// order.
#pragma once

#include "base/simd.h"
#include "liquid/sph_kernels.h"

// Particles as loops over neighbors read them: place and inverse mass, velocity and room for one more.
TARN_INLINE void sph_pack_some(const TarnLiquid* l, const float* inverse_mass, float* packed,
                               int begin, int end)
{
    for (int i = begin; i < end; ++i) {
        bool is_frozen = (l->flags[i] & TARN_LIQUID_FROZEN) != 0;
        float m = is_frozen ? 0.0f : inverse_mass[l->kind[i]];
        float* out = packed + SPH_PACK * (size_t)i;
        f4_store(out, (TarnF4){ l->x[i], l->y[i], l->z[i], m });
        f4_store(out + SPH_VELOCITY, (TarnF4){ l->vx[i], l->vy[i], l->vz[i], 0.0f });
    }
}

typedef struct SphLanes {
    TarnF8 x, y, z, w;
} SphLanes;

#if defined(__AVX__)
TARN_INLINE TarnF8 sph_join(const float* low, const float* high)
{
    return __builtin_shufflevector(f4_load(low), f4_load(high), 0, 1, 2, 3, 4, 5, 6, 7);
}
// Four floats each of eight particles that have `wide` of them. With AVX both halves of a register turn at once.
TARN_INLINE SphLanes sph_gather_wide(const float* base, const int* j, size_t wide)
{
    TarnF8 a = sph_join(base + wide * (size_t)j[0], base + wide * (size_t)j[4]);
    TarnF8 b = sph_join(base + wide * (size_t)j[1], base + wide * (size_t)j[5]);
    TarnF8 c = sph_join(base + wide * (size_t)j[2], base + wide * (size_t)j[6]);
    TarnF8 d = sph_join(base + wide * (size_t)j[3], base + wide * (size_t)j[7]);
    TarnF8 ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    TarnF8 cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    TarnF8 ab_z = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    TarnF8 cd_z = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    return (SphLanes){ __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13),
                       __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15),
                       __builtin_shufflevector(ab_z, cd_z, 0, 1, 8, 9, 4, 5, 12, 13),
                       __builtin_shufflevector(ab_z, cd_z, 2, 3, 10, 11, 6, 7, 14, 15) };
}
#else
TARN_INLINE void sph_turn4(const float* base, const int* j, size_t wide, TarnF4 out[4][2], int half)
{
    TarnF4 a = f4_load(base + wide * (size_t)j[0]), b = f4_load(base + wide * (size_t)j[1]);
    TarnF4 c = f4_load(base + wide * (size_t)j[2]), d = f4_load(base + wide * (size_t)j[3]);
    TarnF4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5);
    TarnF4 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    TarnF4 ab_z = __builtin_shufflevector(a, b, 2, 6, 3, 7);
    TarnF4 cd_z = __builtin_shufflevector(c, d, 2, 6, 3, 7);
    out[0][half] = __builtin_shufflevector(ab, cd, 0, 1, 4, 5);
    out[1][half] = __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
    out[2][half] = __builtin_shufflevector(ab_z, cd_z, 0, 1, 4, 5);
    out[3][half] = __builtin_shufflevector(ab_z, cd_z, 2, 3, 6, 7);
}
TARN_INLINE SphLanes sph_gather_wide(const float* base, const int* j, size_t wide)
{
    TarnF4 turned[4][2];
    sph_turn4(base, j, wide, turned, 0);
    sph_turn4(base, j + 4, wide, turned, 1);
    SphLanes lanes;
    memcpy(&lanes, turned, sizeof lanes);
    return lanes;
}
#endif
// Of eight packed particles.
TARN_INLINE SphLanes sph_gather(const float* base, const int* j)
{
    return sph_gather_wide(base, j, SPH_PACK);
}

// ((v0 + v1) + (v2 + v3)) + ((v4 + v5) + (v6 + v7)), the fixed order.
TARN_INLINE float sph_sum8(TarnF8 v)
{
    TarnF4 pairs =
        __builtin_shufflevector(v, v, 0, 2, 4, 6) + __builtin_shufflevector(v, v, 1, 3, 5, 7);
    return (pairs[0] + pairs[1]) + (pairs[2] + pairs[3]);
}
// Pairs of lanes of two registers: a01 a23 b01 b23 a45 a67 b45 b67.
TARN_INLINE TarnF8 sph_pairs(TarnF8 a, TarnF8 b)
{
    return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
           __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
}
// Four such sums at once, in the same order: a third of the instructions.
TARN_INLINE TarnF4 sph_sums(TarnF8 x, TarnF8 y, TarnF8 z, TarnF8 w)
{
    TarnF8 fours = sph_pairs(sph_pairs(x, y), sph_pairs(z, w));
    return __builtin_shufflevector(fours, fours, 0, 1, 2, 3) +
           __builtin_shufflevector(fours, fours, 4, 5, 6, 7);
}

TARN_INLINE SphLanes sph_lanes(const float* at)
{
    return (SphLanes){ f8_set(at[0]), f8_set(at[1]), f8_set(at[2]), f8_set(at[3]) };
}
// a - b; the fourth is that of b.
TARN_INLINE SphLanes sph_minus(SphLanes a, SphLanes b)
{
    return (SphLanes){ a.x - b.x, a.y - b.y, a.z - b.z, b.w };
}
TARN_INLINE TarnF8 sph_dot(SphLanes a, SphLanes b)
{
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

// Kernel of c at q: f(q). The last is spiky.
TARN_INLINE TarnF8 sph_value(int kind, TarnF8 q)
{
    TarnF8 none = f8_set(0.0f), p = f8_max(1.0f - q, none);
    if (kind == SMOOTHING_CUBIC) { // one piece inside the other, without a branch
        TarnF8 core = f8_max(0.5f - q, none);
        return 2.0f * (p * p * p) - 8.0f * (core * core * core);
    }
    if (kind == SMOOTHING_WENDLAND) return ((p * p) * (p * p)) * (4.0f * q + 1.0f);
    return p * p * p;
}
// f'(q) / q, where q is at least a 4096th.
TARN_INLINE TarnF8 sph_slope(int kind, TarnF8 q)
{
    TarnF8 none = f8_set(0.0f), p = f8_max(1.0f - q, none);
    if (kind == SMOOTHING_CUBIC) {
        TarnF8 core = f8_max(0.5f - q, none);
        return (24.0f * (core * core) - 6.0f * (p * p)) / f8_max(q, f8_set(1.0f / 4096.0f));
    }
    if (kind == SMOOTHING_WENDLAND) return -20.0f * (p * p * p);
    TarnF8 a = f8_max(1.0f - q * q, none);
    return -6.0f * (a * a);
}
