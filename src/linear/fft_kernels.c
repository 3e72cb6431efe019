// Transforms of eight lines at a time.
//
// Lanes are neighboring columns, so that a complex FFT (Stockham, radix 16, 8, 4) runs over vectors without shuffles, its
// twiddles broadcast from tables. A length of 256 takes two steps over memory, 1024 three. Radix 16 is two layers of
// radix 4 on what fits in registers and the nearest cache lines.

#include "linear/fft_internal.h"

// A complex number of each lane.
typedef struct C8 {
    TarnF8 re, im;
} C8;

TARN_INLINE C8 plus(C8 a, C8 b)
{
    return (C8){ a.re + b.re, a.im + b.im };
}
TARN_INLINE C8 minus(C8 a, C8 b)
{
    return (C8){ a.re - b.re, a.im - b.im };
}
TARN_INLINE C8 turn(C8 a, float c, float s) // by exp(-i angle)
{
    return (C8){ a.re * c + a.im * s, a.im * c - a.re * s };
}
TARN_INLINE C8 minus_i(C8 a)
{
    return (C8){ a.im, -a.re };
}

// ---- Butterflies: in place, in natural order ----------------------------------------------------------------

TARN_INLINE void butterfly4(C8* a0, C8* a1, C8* a2, C8* a3)
{
    C8 e = plus(*a0, *a2), f = minus(*a0, *a2);
    C8 g = plus(*a1, *a3), h = minus(*a1, *a3);
    *a0 = plus(e, g), *a2 = minus(e, g);
    *a1 = (C8){ f.re + h.im, f.im - h.re };
    *a3 = (C8){ f.re - h.im, f.im + h.re };
}

static const float R = 0.707106781f;                     // cos(pi / 4)
static const float C1 = 0.923879533f, S1 = 0.382683432f; // of pi / 8

// By exp(-i pi / 4) and its cube: two products instead of four.
TARN_INLINE C8 eighth(C8 a)
{
    return (C8){ (a.re + a.im) * R, (a.im - a.re) * R };
}
TARN_INLINE C8 three_eighths(C8 a)
{
    return (C8){ (a.im - a.re) * R, (a.re + a.im) * -R };
}

TARN_INLINE void butterfly8(C8 a[16])
{
    butterfly4(&a[0], &a[2], &a[4], &a[6]);
    butterfly4(&a[1], &a[3], &a[5], &a[7]);
    C8 e[4] = { a[0], a[2], a[4], a[6] };
    C8 o[4] = { a[1], eighth(a[3]), minus_i(a[5]), three_eighths(a[7]) };
    for (int k = 0; k < 4; ++k) a[k] = plus(e[k], o[k]), a[k + 4] = minus(e[k], o[k]);
}

TARN_INLINE void butterfly16(C8 a[16])
{
    for (int j = 0; j < 4; ++j) butterfly4(&a[j], &a[j + 4], &a[j + 8], &a[j + 12]);
    // a[j + 4 k] by exp(-2 pi i j k / 16)
    a[5] = turn(a[5], C1, S1), a[6] = eighth(a[6]), a[7] = turn(a[7], S1, C1);
    a[9] = eighth(a[9]), a[10] = minus_i(a[10]), a[11] = three_eighths(a[11]);
    a[13] = turn(a[13], S1, C1), a[14] = three_eighths(a[14]), a[15] = turn(a[15], -C1, -S1);
    for (int k = 0; k < 4; ++k) {
        butterfly4(&a[4 * k], &a[4 * k + 1], &a[4 * k + 2], &a[4 * k + 3]);
    }
    C8 b[16];
    for (int k = 0; k < 16; ++k) b[k] = a[4 * (k % 4) + k / 4];
    for (int k = 0; k < 16; ++k) a[k] = b[k];
}

// ---- Stockham -----------------------------------------------------------------------------------------------

// One step: radix * m elements left to transform, in s interleaved sequences.
TARN_INLINE void step(FftLines from, FftLines to, int m, int s, const Turn* w, int radix)
{
    ptrdiff_t from_leg = from.step * s * m, to_leg = to.step * s;
    for (int p = 0; p < m; ++p) {
        for (int q = 0; q < s; ++q) {
            C8 a[16];
            const float *re = from.re + from.step * (q + s * p),
                        *im = from.im + from.step * (q + s * p);
            for (int j = 0; j < radix; ++j)
                a[j] = (C8){ f8_load(re + j * from_leg), f8_load(im + j * from_leg) };
            if (radix == 4) butterfly4(&a[0], &a[1], &a[2], &a[3]);
            if (radix == 8) butterfly8(a);
            if (radix == 16) butterfly16(a);
            float *to_re = to.re + to.step * (q + s * radix * p),
                  *to_im = to.im + to.step * (q + s * radix * p);
            f8_store(to_re, a[0].re), f8_store(to_im, a[0].im);
            for (int j = 1; j < radix; ++j) {
                C8 v = m > 1 ? turn(a[j], w[j - 1].c, w[j - 1].s) : a[j];
                f8_store(to_re + j * to_leg, v.re), f8_store(to_im + j * to_leg, v.im);
            }
        }
        w += radix - 1;
    }
}
static void step4(FftLines from, FftLines to, int m, int s, const Turn* w)
{
    step(from, to, m, s, w, 4);
}
static void step8(FftLines from, FftLines to, int m, int s, const Turn* w)
{
    step(from, to, m, s, w, 8);
}
static void step16(FftLines from, FftLines to, int m, int s, const Turn* w)
{
    step(from, to, m, s, w, 16);
}
static void last4(FftLines from, FftLines to, int s)
{
    step(from, to, 1, s, NULL, 4);
}
static void last8(FftLines from, FftLines to, int s)
{
    step(from, to, 1, s, NULL, 8);
}
static void last16(FftLines from, FftLines to, int s)
{
    step(from, to, 1, s, NULL, 16);
}

static void lines(const FftTables* t, FftLines from, FftLines to, float* scratch)
{
    int n = t->n, m = n, s = 1;
    for (int i = 0; i < t->n_stages - 1; ++i) {
        float* buffer = scratch + (i % 2 ? 16 * n : 0);
        FftLines next = { buffer, buffer + 8 * n, 8 };
        int radix = t->radix[i];
        m /= radix;
        if (radix == 4) step4(from, next, m, s, t->twiddle[i]);
        if (radix == 8) step8(from, next, m, s, t->twiddle[i]);
        if (radix == 16) step16(from, next, m, s, t->twiddle[i]);
        s *= radix;
        from = next;
    }
    int radix = t->radix[t->n_stages - 1];
    if (radix == 4) last4(from, to, s);
    if (radix == 8) last8(from, to, s);
    if (radix == 16) last16(from, to, s);
}

static void store_rows(int n, const float* from, float* to, ptrdiff_t row)
{
    for (int i = 0; i < n; i += 8) {
        TarnF8 r[8];
        for (int a = 0; a < 8; ++a) r[a] = f8_load(from + 8 * (i + a));
        f8_transpose(r);
        for (int a = 0; a < 8; ++a) f8_store(to + a * row + i, r[a]);
    }
}

// ---- Two real fields ----------------------------------------------------------------------------------------

static void pair(int n, FftLines a, FftLines b, FftLines to)
{
    for (int i = 0; i < n; ++i) {
        ptrdiff_t at = a.step * i;
        f8_store(to.re + to.step * i, f8_load(a.re + at) - f8_load(b.im + at));
        f8_store(to.im + to.step * i, f8_load(a.im + at) + f8_load(b.re + at));
    }
}

TARN_INLINE TarnF8 reverse(TarnF8 v)
{
    return __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0);
}
// Of elements at and back, which are each other's mirrors.
TARN_INLINE void split_one(FftField a, FftField b, ptrdiff_t at, ptrdiff_t back)
{
    float fr = a.re[at], fi = a.im[at], gr = a.re[back], gi = a.im[back];
    a.re[at] = a.re[back] = 0.5f * (fr + gr);
    b.re[at] = b.re[back] = 0.5f * (fi + gi);
    a.im[at] = 0.5f * (fi - gi), a.im[back] = 0.5f * (gi - fi);
    b.im[at] = 0.5f * (gr - fr), b.im[back] = 0.5f * (fr - gr);
}
// a(k) = (f(k) + conj f(-k)) / 2 and b(k) = (f(k) - conj f(-k)) / 2i
static void split(int n, int k, FftField a, FftField b)
{
    ptrdiff_t row = (ptrdiff_t)k * n, mirror = (ptrdiff_t)((n - k) % n) * n;
    split_one(a, b, row, mirror);
    if (row == mirror) {
        for (int i = 1; i <= n / 2; ++i) split_one(a, b, row + i, row + n - i);
        return;
    }
    int i = 1;
    for (; i + 8 <= n; i += 8) {
        ptrdiff_t at = row + i, back = mirror + n - i - 7;
        TarnF8 fr = f8_load(a.re + at), fi = f8_load(a.im + at);
        TarnF8 gr = reverse(f8_load(a.re + back)), gi = reverse(f8_load(a.im + back));
        TarnF8 ar = 0.5f * (fr + gr), ai = 0.5f * (fi - gi);
        TarnF8 br = 0.5f * (fi + gi), bi = 0.5f * (gr - fr);
        f8_store(a.re + at, ar), f8_store(a.im + at, ai);
        f8_store(b.re + at, br), f8_store(b.im + at, bi);
        f8_store(a.re + back, reverse(ar)), f8_store(a.im + back, reverse(-ai));
        f8_store(b.re + back, reverse(br)), f8_store(b.im + back, reverse(-bi));
    }
    for (; i < n; ++i) split_one(a, b, row + i, mirror + n - i);
}

const FftKernels TARN_KERNEL(tarn__fft_kernels) = { lines, store_rows, pair, split };
