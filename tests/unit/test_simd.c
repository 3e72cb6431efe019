// Operations on eight lanes give in each lane what scalar code gives, for NaN, infinities and both zeros too. Plain main:
// it runs as WebAssembly as well, whose instructions simd.h chooses itself.

#include "base/simd.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

static int failures;

static void check(bool is_good, const char* what, float a, float b)
{
    if (is_good) return;
    if (++failures < 20) printf("%s of %a and %a is wrong\n", what, (double)a, (double)b);
}

static uint32_t bits_of(float v)
{
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}
static bool same(float a, float b)
{
    return bits_of(a) == bits_of(b);
}

// Each value of the list in every lane, beside each other value.
static void check_pairs(const float* values, int n)
{
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            float x[TARN_LANES], y[TARN_LANES];
            unsigned less = 0, equal = 0;
            for (int l = 0; l < TARN_LANES; ++l) {
                x[l] = values[(i + l) % n], y[l] = values[(k + 3 * l) % n];
                less |= (x[l] < y[l] ? 1u : 0u) << l;
                equal |= (same(x[l], y[l]) ? 1u : 0u) << l;
            }
            TarnF8 a = f8_load(x), b = f8_load(y);
            TarnF8 low = f8_min(a, b), high = f8_max(a, b), by_sign = f8_by_sign(a, b, a);
            TarnF8 chosen = f8_select(f8_less(a, b), a, b);
            check(i8_mask_bits(f8_less(a, b)) == less, "less", x[0], y[0]);
            check(i8_mask_bits(i8_equal(f8_bits(a), f8_bits(b))) == equal, "equal", x[0], y[0]);
            for (int l = 0; l < TARN_LANES; ++l) {
                float p = x[l], q = y[l];
                check(same(low[l], p < q ? p : q), "min", p, q);
                check(same(high[l], q < p ? p : q), "max", p, q);
                check(same(by_sign[l], bits_of(p) >> 31 ? q : p), "by_sign", p, q);
                check(same(chosen[l], p < q ? p : q), "select", p, q);
            }
        }
    }
}

static void check_singles(const float* values, int n)
{
    for (int i = 0; i < n; ++i) {
        TarnF8 v = f8_set(values[i]), root = f8_sqrt(v), size = f8_abs(v);
        float exact = sqrtf(values[i]);
        check(isnan(exact) ? isnan(root[3]) : same(root[3], exact), "sqrt", values[i], 0.0f);
        check(same(size[7], fabsf(values[i])), "abs", values[i], 0.0f);
        if (!(fabsf(values[i]) < 2147483648.0f)) continue;
        check(same(f8_floor(v)[5], floorf(values[i]) + 0.0f), "floor", values[i], 0.0f);
    }
}

static void check_compress(void)
{
    const TarnI8 v = { 10, 11, 12, 13, 14, 15, 16, 17 };
    for (unsigned mask = 0; mask < 256; ++mask) {
        int32_t out[TARN_LANES] = { 0 }, n = 0;
        int count = i8_compress(out, v, mask);
        for (int l = 0; l < TARN_LANES; ++l) {
            if (!(mask >> l & 1u)) continue;
            check(out[n] == 10 + l, "compress", (float)mask, (float)l);
            ++n;
        }
        check(count == n, "the number of lanes", (float)mask, (float)n);
    }
}

int main(void)
{
    const float values[] = { 0.0f,        -0.0f,       1.0f,        -1.0f,       0.3f,   -0.3f,
                             2.5f,        -2.5f,       16384.5f,    -7e5f,       1e-42f, -1e-42f,
                             3e38f,       -3e38f,      INFINITY,    -INFINITY,   NAN,    8388609.0f,
                             -8388609.0f, 1e6f + 0.5f, 0.99999994f, -0.99999994f };
    int n = (int)(sizeof values / sizeof *values);
    check_pairs(values, n);
    check_singles(values, n);
    check_compress();
    printf("%d wrong\n", failures);
    return failures ? 1 : 0;
}
