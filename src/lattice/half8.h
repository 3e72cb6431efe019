// Sixteen-bit floats for storage: IEEE half precision, rounded to nearest even. With the conversion instructions of the
// CPU and without them the bits are the same, for every number; those beyond the largest half become infinite.
#pragma once

#include "base/simd.h"

typedef uint16_t TarnH8 __attribute__((vector_size(16)));

TARN_INLINE TarnF8 half8_widen(TarnH8 h)
{
#if defined(__F16C__)
    typedef short S8 __attribute__((vector_size(16)));
    return (TarnF8)__builtin_ia32_vcvtph2ps256((S8)h);
#else
    TarnI8 bits;
    for (int l = 0; l < TARN_LANES; ++l) bits[l] = h[l];
    TarnI8 sign = (bits & 0x8000) << 16;
    // The exponent is moved by a product, which also makes subnormal halves normal.
    TarnF8 value = f8_from_bits((bits & 0x7fff) << 13) * f8_set(0x1p112f);
    return f8_from_bits(f8_bits(value) | sign);
#endif
}

static const float half8_max = 65504.0f; // the largest one

TARN_INLINE TarnH8 half8_narrow(TarnF8 v)
{
#if defined(__F16C__)
    return (TarnH8)__builtin_ia32_vcvtps2ph256(v, 0);
#else
    TarnI8 sign = f8_bits(v) & (int32_t)0x80000000;
    TarnI8 whole = f8_bits(f8_min(f8_abs(v), f8_set(65536.0f)));
    // Normal halves: round at bit 13. Subnormal ones: an addition puts their last bit where the sum is rounded.
    TarnI8 normal = (whole - (112 << 23) + 0xfff + (whole >> 13 & 1)) >> 13;
    TarnI8 small = f8_bits(f8_from_bits(whole) + f8_set(0.5f)) - 0x3f000000;
    TarnI8 is_small = f8_less(f8_from_bits(whole), f8_set(0x1p-14f));
    TarnI8 half = ((is_small & small) | (~is_small & normal)) | (sign >> 16 & 0x8000);
    TarnH8 out;
    for (int l = 0; l < TARN_LANES; ++l) out[l] = (uint16_t)half[l];
    return out;
#endif
}

TARN_INLINE TarnH8 half8_narrow_limited(TarnF8 v) // to the largest one
{
    return half8_narrow(f8_max(f8_min(v, f8_set(half8_max)), f8_set(-half8_max)));
}

TARN_INLINE TarnF8 half8_load(const uint16_t* p)
{
    TarnH8 h;
    memcpy(&h, p, sizeof h);
    return half8_widen(h);
}
TARN_INLINE void half8_store(uint16_t* p, TarnF8 v)
{
    TarnH8 h = half8_narrow(v);
    memcpy(p, &h, sizeof h);
}
