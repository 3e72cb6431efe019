// Eight lanes everywhere. The only file that knows about vector registers.
//
// The compilers' vector extensions map TarnF8 on one AVX register or on two of SSE, NEON or
// WebAssembly. Every operation is per lane and rounds as the scalar one does, so a lane computes
// exactly what scalar code computes, on every target. Min, max and select are comparisons: of
// (a < b ? a : b) the second is taken when the comparison fails, for NaN too.
#pragma once

#include <stdint.h>
#include <string.h>

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi" // passing 32-byte vectors: all callers are inlined
#endif

#define TARN_LANES 8
#ifdef TARN_SANITIZED // with checks around every access, all of it inlined takes half a minute per file to compile
#define TARN_INLINE static inline __attribute__((unused))
#else
#define TARN_INLINE static inline __attribute__((always_inline, unused))
#endif

typedef float TarnF8 __attribute__((vector_size(32)));
typedef int32_t TarnI8 __attribute__((vector_size(32)));
typedef uint32_t TarnU8 __attribute__((vector_size(32)));
typedef double TarnD4 __attribute__((vector_size(32)));
typedef float TarnF4 __attribute__((vector_size(16))); // a point or a velocity, in one load
typedef int32_t TarnI4 __attribute__((vector_size(16)));

TARN_INLINE TarnF8 f8_set(float s)
{
    return (TarnF8){ s, s, s, s, s, s, s, s };
}
TARN_INLINE TarnI8 i8_set(int32_t s)
{
    return (TarnI8){ s, s, s, s, s, s, s, s };
}

// Unaligned loads and stores; aligned data costs nothing extra.
TARN_INLINE TarnF8 f8_load(const float* p)
{
    TarnF8 v;
    memcpy(&v, p, sizeof v);
    return v;
}
TARN_INLINE void f8_store(float* p, TarnF8 v)
{
    memcpy(p, &v, sizeof v);
}

TARN_INLINE TarnF4 f4_set(float s)
{
    return (TarnF4){ s, s, s, s };
}
TARN_INLINE TarnF4 f4_load(const float* p)
{
    TarnF4 v;
    memcpy(&v, p, sizeof v);
    return v;
}
TARN_INLINE void f4_store(float* p, TarnF4 v)
{
    memcpy(p, &v, sizeof v);
}

// The two halves of eight lanes: registers of WebAssembly. (gcc without AVX takes them through memory; memcpy is better.)
TARN_INLINE TarnF4 f8_low(TarnF8 v)
{
    return __builtin_shufflevector(v, v, 0, 1, 2, 3);
}
TARN_INLINE TarnF4 f8_high(TarnF8 v)
{
    return __builtin_shufflevector(v, v, 4, 5, 6, 7);
}
TARN_INLINE TarnF8 f8_join(TarnF4 low, TarnF4 high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

TARN_INLINE TarnF8 f8_from_bits(TarnI8 v)
{
    return (TarnF8)v;
}
TARN_INLINE TarnI8 f8_bits(TarnF8 v)
{
    return (TarnI8)v;
}

// Comparisons give all ones or all zeros in each lane, false for NaN. (Without AVX gcc compares
// vectors of 32 bytes one lane at a time, hence the halves.)
#if defined(__AVX__) || defined(__clang__)
TARN_INLINE TarnI8 f8_less(TarnF8 a, TarnF8 b)
{
    return a < b;
}
#else
TARN_INLINE TarnI8 f8_less(TarnF8 a, TarnF8 b)
{
    TarnF4 fa[2], fb[2];
    TarnI4 less[2];
    TarnI8 mask;
    memcpy(fa, &a, sizeof fa);
    memcpy(fb, &b, sizeof fb);
    for (int h = 0; h < 2; ++h) less[h] = fa[h] < fb[h];
    memcpy(&mask, less, sizeof mask);
    return mask;
}
#endif

// By the sign bit: of a negative number, -0 too, the first is taken.
#if defined(__AVX__)
TARN_INLINE TarnF8 f8_by_sign(TarnF8 sign, TarnF8 negative, TarnF8 positive)
{
    return (TarnF8)__builtin_ia32_blendvps256(positive, negative, sign);
}
#else
TARN_INLINE TarnF8 f8_by_sign(TarnF8 sign, TarnF8 negative, TarnF8 positive)
{
    TarnI8 mask = (TarnI8)sign >> 31;
    return (TarnF8)((mask & (TarnI8)negative) | (~mask & (TarnI8)positive));
}
#endif
#if defined(__AVX__) // the same in one instruction each
TARN_INLINE TarnF8 f8_select(TarnI8 mask, TarnF8 yes, TarnF8 no)
{
    return (TarnF8)__builtin_ia32_blendvps256(no, yes, (TarnF8)mask);
}
TARN_INLINE TarnF8 f8_min(TarnF8 a, TarnF8 b)
{
    return (TarnF8)__builtin_ia32_minps256(a, b);
}
TARN_INLINE TarnF8 f8_max(TarnF8 a, TarnF8 b)
{
    return (TarnF8)__builtin_ia32_maxps256(a, b);
}
#else
TARN_INLINE TarnF8 f8_select(TarnI8 mask, TarnF8 yes, TarnF8 no)
{
    return (TarnF8)((mask & (TarnI8)yes) | (~mask & (TarnI8)no));
}
#if defined(__wasm_simd128__) // pmin(b, a) is (a < b ? a : b); one instruction, as in SSE
TARN_INLINE TarnF8 f8_min(TarnF8 a, TarnF8 b)
{
    return f8_join(__builtin_wasm_pmin_f32x4(f8_low(b), f8_low(a)),
                   __builtin_wasm_pmin_f32x4(f8_high(b), f8_high(a)));
}
TARN_INLINE TarnF8 f8_max(TarnF8 a, TarnF8 b)
{
    return f8_join(__builtin_wasm_pmax_f32x4(f8_low(b), f8_low(a)),
                   __builtin_wasm_pmax_f32x4(f8_high(b), f8_high(a)));
}
#else
TARN_INLINE TarnF8 f8_min(TarnF8 a, TarnF8 b)
{
    return f8_select(f8_less(a, b), a, b);
}
TARN_INLINE TarnF8 f8_max(TarnF8 a, TarnF8 b)
{
    return f8_select(f8_less(b, a), a, b);
}
#endif
#endif
TARN_INLINE TarnF8 f8_abs(TarnF8 a)
{
    return (TarnF8)((TarnI8)a & 0x7fffffff);
}

TARN_INLINE TarnF8 f8_sqrt(TarnF8 a) // correctly rounded, as sqrtf
{
#if defined(__AVX__)
    return (TarnF8)__builtin_ia32_sqrtps256(a);
#elif defined(__wasm_simd128__)
    return f8_join(__builtin_wasm_sqrt_f32x4(f8_low(a)), __builtin_wasm_sqrt_f32x4(f8_high(a)));
#else
    for (int l = 0; l < TARN_LANES; ++l) a[l] = __builtin_sqrtf(a[l]);
    return a;
#endif
}

// The largest whole number that is not above a, for |a| < 2^31; of -0 it is 0.
TARN_INLINE TarnF8 f8_floor(TarnF8 a)
{
#if defined(__AVX__)
    return (TarnF8)__builtin_ia32_roundps256(a, 1) + 0.0f;
#elif defined(__wasm_simd128__)
    return f8_join(__builtin_wasm_floor_f32x4(f8_low(a)), __builtin_wasm_floor_f32x4(f8_high(a))) +
           0.0f;
#else
    TarnF8 whole = __builtin_convertvector(__builtin_convertvector(a, TarnI8), TarnF8);
    return whole + __builtin_convertvector(f8_less(a, whole), TarnF8); // true is -1
#endif
}

// 1 / sqrt(a), to 5e-6 of it, for a fifth of the time of a root and a division; finite for 0 and for all squares of
// lengths. Whole numbers and products only, so the same bits everywhere.
TARN_INLINE TarnF8 f8_inverse_sqrt(TarnF8 a)
{
    TarnF8 y = f8_from_bits(i8_set(0x5f375a86) - (f8_bits(a) >> 1)), half = a * 0.5f;
    y = y * (f8_set(1.5f) - half * y * y);
    return y * (f8_set(1.5f) - half * y * y);
}

// Largest lane. Max has no rounding, so any order gives the same; NaN lanes lose.
TARN_INLINE float f8_max_lane(TarnF8 v)
{
    float m = v[0];
    for (int l = 1; l < TARN_LANES; ++l) m = v[l] > m ? v[l] : m;
    return m;
}

// Four floats as doubles, for sums. (Conversions of eight at once compile to one lane at a time.)
TARN_INLINE TarnD4 d4_load(const float* p)
{
    float v __attribute__((vector_size(16)));
    memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, TarnD4);
}
// The fixed order of a horizontal sum: pairs.
TARN_INLINE double d4_sum(TarnD4 v)
{
    return (v[0] + v[1]) + (v[2] + v[3]);
}

// Row and column of eight vectors exchanged.
TARN_INLINE void f8_transpose(TarnF8 r[8])
{
    TarnF8 a[8], b[8];
    for (int i = 0; i < 4; ++i) {
        TarnF8 lo = r[2 * i], hi = r[2 * i + 1];
        a[2 * i] = __builtin_shufflevector(lo, hi, 0, 8, 1, 9, 4, 12, 5, 13);
        a[2 * i + 1] = __builtin_shufflevector(lo, hi, 2, 10, 3, 11, 6, 14, 7, 15);
    }
    for (int h = 0; h < 2; ++h) {
        for (int i = 0; i < 2; ++i) {
            TarnF8 lo = a[4 * h + i], hi = a[4 * h + i + 2];
            b[4 * h + 2 * i] = __builtin_shufflevector(lo, hi, 0, 1, 8, 9, 4, 5, 12, 13);
            b[4 * h + 2 * i + 1] = __builtin_shufflevector(lo, hi, 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int i = 0; i < 4; ++i) {
        r[i] = __builtin_shufflevector(b[i], b[i + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        r[i + 4] = __builtin_shufflevector(b[i], b[i + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

// ---- Sums over lanes, in a fixed order --------------------------------------------------------------

TARN_INLINE float f8_sum(TarnF8 v)
{
    TarnF4 s = f8_low(v) + f8_high(v);
    return (s[0] + s[2]) + (s[1] + s[3]);
}
// The sums of four, each in that order.
TARN_INLINE TarnF4 f8_sums(TarnF8 a, TarnF8 b, TarnF8 c, TarnF8 d)
{
    TarnF4 va = f8_low(a) + f8_high(a), vb = f8_low(b) + f8_high(b);
    TarnF4 vc = f8_low(c) + f8_high(c), vd = f8_low(d) + f8_high(d);
    TarnF4 ab0 = __builtin_shufflevector(va, vb, 0, 4, 1, 5);
    TarnF4 ab2 = __builtin_shufflevector(va, vb, 2, 6, 3, 7);
    TarnF4 cd0 = __builtin_shufflevector(vc, vd, 0, 4, 1, 5);
    TarnF4 cd2 = __builtin_shufflevector(vc, vd, 2, 6, 3, 7);
    TarnF4 ab = ab0 + ab2, cd = cd0 + cd2; // a0 + a2, b0 + b2, a1 + a3, b1 + b3
    return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) +
           __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

// ---- Integers, gathers, compression ------------------------------------------------------------

TARN_INLINE TarnI8 i8_load(const int32_t* p)
{
    TarnI8 v;
    memcpy(&v, p, sizeof v);
    return v;
}
TARN_INLINE void i8_store(int32_t* p, TarnI8 v)
{
    memcpy(p, &v, sizeof v);
}
TARN_INLINE TarnI8 i8_lanes(void) // 0 .. 7
{
    return (TarnI8){ 0, 1, 2, 3, 4, 5, 6, 7 };
}

#if defined(__AVX__) || defined(__clang__) // the halves as in f8_less
TARN_INLINE TarnI8 i8_equal(TarnI8 a, TarnI8 b)
{
    return a == b;
}
#else
TARN_INLINE TarnI8 i8_equal(TarnI8 a, TarnI8 b)
{
    TarnI4 ia[2], ib[2], equal[2];
    TarnI8 mask;
    memcpy(ia, &a, sizeof ia);
    memcpy(ib, &b, sizeof ib);
    for (int h = 0; h < 2; ++h) equal[h] = ia[h] == ib[h];
    memcpy(&mask, equal, sizeof mask);
    return mask;
}
#endif

// The sign bits of the lanes, lane 0 in bit 0.
TARN_INLINE unsigned i8_mask_bits(TarnI8 mask)
{
#if defined(__AVX__)
    return (unsigned)__builtin_ia32_movmskps256((TarnF8)mask);
#elif defined(__SSE2__)
    TarnF4 half[2];
    memcpy(half, &mask, sizeof half);
    return (unsigned)__builtin_ia32_movmskps(half[0]) | (unsigned)__builtin_ia32_movmskps(half[1])
                                                            << 4;
#elif defined(__wasm_simd128__)
    TarnF8 v = (TarnF8)mask;
    return (unsigned)__builtin_wasm_bitmask_i32x4((TarnI4)f8_low(v)) |
           (unsigned)__builtin_wasm_bitmask_i32x4((TarnI4)f8_high(v)) << 4;
#else
    unsigned bits = 0;
    for (int l = 0; l < TARN_LANES; ++l) bits |= ((uint32_t)mask[l] >> 31) << l;
    return bits;
#endif
}

// base[index] for each lane.
TARN_INLINE TarnF8 f8_gather(const float* base, TarnI8 index)
{
    TarnF8 v;
    for (int l = 0; l < TARN_LANES; ++l) v[l] = base[index[l]];
    return v;
}
// The same with the indices in memory: half the time, less than the gather instruction takes too.
TARN_INLINE TarnF8 f8_gather_at(const float* base, const int32_t* index)
{
    return (TarnF8){ base[index[0]], base[index[1]], base[index[2]], base[index[3]],
                     base[index[4]], base[index[5]], base[index[6]], base[index[7]] };
}

// The lanes whose bit is set, one after the other; returns how many. Writes up to eight values, of which
// those beyond the returned number mean nothing.
extern const uint32_t tarn__compress_lanes[256];
extern const int8_t tarn__compress_bytes[16][16];
TARN_INLINE int i8_compress(int32_t* out, TarnI8 v, unsigned bits)
{
#if defined(__AVX2__)
    // The permutation looks at the three lowest bits of each place only.
    TarnI8 lanes = i8_set((int32_t)tarn__compress_lanes[bits]) >> (4 * i8_lanes());
    i8_store(out, (TarnI8)__builtin_ia32_permvarsi256(v, lanes));
    return __builtin_popcount(bits);
#elif defined(__wasm_simd128__)
    typedef int8_t B16 __attribute__((vector_size(16)));
    B16 half[2], places;
    int32_t* to = out;
    memcpy(half, &v, sizeof half);
    for (int h = 0; h < 2; ++h, bits >>= 4) {
        memcpy(&places, tarn__compress_bytes[bits & 15u], sizeof places);
        half[h] = __builtin_wasm_swizzle_i8x16(half[h], places);
        memcpy(to, &half[h], sizeof half[h]);
        to += __builtin_popcount(bits & 15u);
    }
    return (int)(to - out);
#else
    int n = 0;
    for (int l = 0; l < TARN_LANES; ++l) {
        out[n] = v[l];
        n += (int)(bits >> l & 1u);
    }
    return n;
#endif
}
TARN_INLINE int f8_compress(float* out, TarnF8 v, unsigned bits)
{
    int32_t whole[TARN_LANES];
    int n = i8_compress(whole, (TarnI8)v, bits);
    memcpy(out, whole, sizeof whole);
    return n;
}
