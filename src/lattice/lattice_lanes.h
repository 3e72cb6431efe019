// The lanes of collisions, for kernel files only: sixteen where the CPU has registers of 512 bits, else eight. Sixteen
// halves are widened by one instruction instead of two, which is what collisions in 16 bits wait for. Each lane computes
// what scalar code computes, so the bits do not depend on their number.
//
// A group of cells has a bit per lane. Rows are multiples of eight cells: of the last group of a row, and of rows with cells
// that do not collide, not all bits are set, and the other lanes are neither loaded nor stored.
#pragma once

#include "lattice/half8.h"

#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__) && defined(__AVX512DQ__)
#include <immintrin.h>

enum { LANES = 16, ALL_LANES = 0xffff };
typedef float Lanes __attribute__((vector_size(64)));
typedef int32_t LaneMask __attribute__((vector_size(64))); // all ones or all zeros in each lane

TARN_INLINE Lanes lanes_set(float s)
{
    return (Lanes)_mm512_set1_ps(s);
}
TARN_INLINE LaneMask lanes_mask(unsigned bits)
{
    return (LaneMask)_mm512_movm_epi32((__mmask16)bits);
}
TARN_INLINE unsigned lanes_bits(LaneMask mask)
{
    return _mm512_movepi32_mask((__m512i)mask);
}
TARN_INLINE LaneMask lanes_less(Lanes a, Lanes b) // false for NaN, as in base/simd.h
{
    return a < b;
}
TARN_INLINE Lanes lanes_select(LaneMask mask, Lanes yes, Lanes no)
{
    return (Lanes)_mm512_mask_blend_ps((__mmask16)lanes_bits(mask), (__m512)no, (__m512)yes);
}
TARN_INLINE Lanes lanes_min(Lanes a, Lanes b)
{
    return (Lanes)_mm512_min_ps((__m512)a, (__m512)b);
}
TARN_INLINE Lanes lanes_max(Lanes a, Lanes b)
{
    return (Lanes)_mm512_max_ps((__m512)a, (__m512)b);
}
TARN_INLINE Lanes lanes_sqrt(Lanes a)
{
    return (Lanes)_mm512_sqrt_ps((__m512)a);
}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored                                                                     \
    "-Wsign-conversion" // without -O these intrinsics are macros of gcc, with masks of -1
TARN_INLINE Lanes lanes_max_abs(Lanes a, Lanes b) // of finite numbers
{
    return (Lanes)_mm512_range_ps((__m512)a, (__m512)b, 0xb);
}
TARN_INLINE __m256i lanes_halves(Lanes v)
{
    return _mm512_cvtps_ph((__m512)v, _MM_FROUND_TO_NEAREST_INT);
}
#pragma GCC diagnostic pop
TARN_INLINE float lanes_max_lane(Lanes v)
{
    return _mm512_reduce_max_ps((__m512)v);
}
TARN_INLINE Lanes lanes_load(const float* p, unsigned bits)
{
    if (__builtin_constant_p(bits) && bits == ALL_LANES) return (Lanes)_mm512_loadu_ps(p);
    return (Lanes)_mm512_maskz_loadu_ps((__mmask16)bits, p);
}
TARN_INLINE void lanes_store(float* p, Lanes v, unsigned bits)
{
    if (__builtin_constant_p(bits) && bits == ALL_LANES)
        _mm512_storeu_ps(p, (__m512)v);
    else
        _mm512_mask_storeu_ps(p, (__mmask16)bits, (__m512)v);
}
TARN_INLINE Lanes lanes_load_halves(const uint16_t* p, unsigned bits)
{
    if (__builtin_constant_p(bits) && bits == ALL_LANES)
        return (Lanes)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i*)(const void*)p));
    return (Lanes)_mm512_cvtph_ps(_mm256_maskz_loadu_epi16((__mmask16)bits, p));
}
TARN_INLINE void lanes_store_halves(uint16_t* p, Lanes v, unsigned bits)
{
    __m256i h = lanes_halves(v);
    if (__builtin_constant_p(bits) && bits == ALL_LANES)
        _mm256_storeu_si256((__m256i*)(void*)p, h);
    else
        _mm256_mask_storeu_epi16(p, (__mmask16)bits, h);
}
#else
enum { LANES = TARN_LANES, ALL_LANES = 0xff };
typedef TarnF8 Lanes;
typedef TarnI8 LaneMask;

TARN_INLINE Lanes lanes_set(float s)
{
    return f8_set(s);
}
TARN_INLINE LaneMask lanes_mask(unsigned bits)
{
    const TarnI8 bit = { 1, 2, 4, 8, 16, 32, 64, 128 };
    return i8_equal(i8_set((int32_t)bits) & bit, bit);
}
TARN_INLINE unsigned lanes_bits(LaneMask mask)
{
    return i8_mask_bits(mask);
}
TARN_INLINE LaneMask lanes_less(Lanes a, Lanes b)
{
    return f8_less(a, b);
}
TARN_INLINE Lanes lanes_select(LaneMask mask, Lanes yes, Lanes no)
{
    return f8_select(mask, yes, no);
}
TARN_INLINE Lanes lanes_min(Lanes a, Lanes b)
{
    return f8_min(a, b);
}
TARN_INLINE Lanes lanes_max(Lanes a, Lanes b)
{
    return f8_max(a, b);
}
TARN_INLINE Lanes lanes_sqrt(Lanes a)
{
    return f8_sqrt(a);
}
TARN_INLINE Lanes lanes_max_abs(Lanes a, Lanes b)
{
    return f8_max(f8_abs(a), f8_abs(b));
}
TARN_INLINE float lanes_max_lane(Lanes v)
{
    return f8_max_lane(v);
}
// A row is a multiple of eight cells, so all lanes may be loaded, and what is there stored again.
TARN_INLINE Lanes lanes_load(const float* p, unsigned bits)
{
    (void)bits;
    return f8_load(p);
}
TARN_INLINE void lanes_store(float* p, Lanes v, unsigned bits)
{
    if (__builtin_constant_p(bits) && bits == ALL_LANES)
        f8_store(p, v);
    else
        f8_store(p, f8_select(lanes_mask(bits), v, f8_load(p)));
}
TARN_INLINE Lanes lanes_load_halves(const uint16_t* p, unsigned bits)
{
    (void)bits;
    return half8_load(p);
}
TARN_INLINE void lanes_store_halves(uint16_t* p, Lanes v, unsigned bits)
{
    if (__builtin_constant_p(bits) && bits == ALL_LANES)
        half8_store(p, v);
    else
        half8_store(p, f8_select(lanes_mask(bits), v, half8_load(p)));
}
#endif

TARN_INLINE Lanes lanes_abs(Lanes a)
{
    return (Lanes)((LaneMask)a & 0x7fffffff);
}
