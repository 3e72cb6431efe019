// Transforms of eight or sixteen lines at a time.
//
// Lanes are neighboring columns, so that a complex FFT (Stockham, radix 4 and 8) runs over vectors without shuffles, its
// twiddles broadcast from tables. Two groups of eight lanes go together, which makes whole cache lines. Each fourth
// element is transformed by itself, so that also lines of 1024 stay in the nearest cache, and a step of radix 4 joins
// the parts. Radix 16 was tried: with sixteen registers it takes twice the time.

#include "linear/complex8.h"
#include "linear/fft_internal.h"

TARN_INLINE void butterfly(C8 a[8], int radix)
{
    if (radix == 4)
        c8_butterfly4(&a[0], &a[1], &a[2], &a[3]);
    else
        c8_butterfly8(a);
}

// ---- Stockham -----------------------------------------------------------------------------------------------
// A step has radix * m elements left to transform, in s interleaved sequences. In between, an element is a vector of
// real parts and one of imaginary parts, side by side.

TARN_INLINE C8 get(const float* p)
{
    return (C8){ f8_load(p), f8_load(p + 8) };
}
TARN_INLINE void put(float* p, C8 v)
{
    f8_store(p, v.re), f8_store(p + 8, v.im);
}

// s = 1. All groups of lanes before the next row: two of them share its cache line.
TARN_INLINE void first(const FftLines* from, int groups, int part, float* const* to, int m,
                       const Turn* w, int radix)
{
    ptrdiff_t row = FFT_PARTS * from->step, leg = row * m, begin = part * from->step;
    for (int p = 0; p < m; ++p) {
        for (int h = 0; h < groups; ++h) {
            const float *re = from[h].re + begin + p * row, *im = from[h].im + begin + p * row;
            float* out = to[h] + 16 * radix * p;
            C8 a[8];
            for (int j = 0; j < radix; ++j)
                a[j] = (C8){ f8_load(re + j * leg), f8_load(im + j * leg) };
            butterfly(a, radix);
            put(out, a[0]);
            for (int j = 1; j < radix; ++j) put(out + 16 * j, c8_turn(a[j], w[j - 1]));
        }
        w += radix - 1;
    }
}

TARN_INLINE void middle(const float* from, float* to, int m, int s, const Turn* w, int radix)
{
    ptrdiff_t from_leg = 16 * s * m, to_leg = 16 * s;
    for (int p = 0; p < m; ++p) {
        for (int q = 0; q < s; ++q) {
            C8 a[8];
            for (int j = 0; j < radix; ++j) a[j] = get(from + j * from_leg);
            butterfly(a, radix);
            put(to, a[0]);
            for (int j = 1; j < radix; ++j) put(to + j * to_leg, c8_turn(a[j], w[j - 1]));
            from += 16, to += 16;
        }
        to += to_leg * (radix - 1);
        w += radix - 1;
    }
}

// m = 1: all twiddles are 1.
TARN_INLINE void last(const float* from, float* to, int s, int radix)
{
    for (int q = 0; q < s; ++q) {
        C8 a[8];
        for (int j = 0; j < radix; ++j) a[j] = get(from + 16 * (q + s * j));
        butterfly(a, radix);
        for (int j = 0; j < radix; ++j) put(to + 16 * (q + s * j), a[j]);
    }
}

// ---- Four parts of every fourth element, and what joins them ------------------------------------------------

static void one_part(const FftTables* t, const FftLines* from, int groups, int part,
                     float* const work[5])
{
    int left = t->part / t->radix[0], gap = t->radix[0], end = t->n_stages - 1;
    if (gap == 4)
        first(from, groups, part, work + 2, left, t->twiddle[0], 4);
    else
        first(from, groups, part, work + 2, left, t->twiddle[0], 8);
    float *begun[2] = { work[2], work[3] }, *spare = work[4];
    for (int h = 0; h < groups; ++h) {
        float* now = begun[h];
        int m = left, s = gap;
        for (int i = 1; i < end; ++i) {
            m /= t->radix[i];
            if (t->radix[i] == 4)
                middle(now, spare, m, s, t->twiddle[i], 4);
            else
                middle(now, spare, m, s, t->twiddle[i], 8);
            s *= t->radix[i];
            float* swap = now;
            now = spare, spare = swap;
        }
        float* to = work[h] + 16 * t->part * part;
        if (t->radix[end] == 4)
            last(now, to, t->part / 4, 4);
        else
            last(now, to, t->part / 8, 8);
    }
}

// Elements q, q + part, q + 2 part and q + 3 part of the whole.
TARN_INLINE void join(const FftTables* t, const float* parts, int q, C8 a[4])
{
    const Turn* w = t->join + 3 * q;
    a[0] = get(parts + 16 * q);
    for (int j = 1; j < FFT_PARTS; ++j)
        a[j] = c8_turn(get(parts + 16 * (q + t->part * j)), w[j - 1]);
    c8_butterfly4(&a[0], &a[1], &a[2], &a[3]);
}

static void lines(const FftTables* t, int groups, const FftLines* from, const FftLines* to,
                  float* const work[5])
{
    for (int part = 0; part < FFT_PARTS; ++part) one_part(t, from, groups, part, work);
    ptrdiff_t row = to->step, leg = to->step * t->part;
    for (int q = 0; q < t->part; ++q) {
        for (int h = 0; h < groups; ++h) {
            float *re = to[h].re + q * row, *im = to[h].im + q * row;
            C8 a[4];
            join(t, work[h], q, a);
            for (int j = 0; j < FFT_PARTS; ++j) {
                f8_store(re + j * leg, a[j].re);
                f8_store(im + j * leg, a[j].im);
            }
        }
    }
}

static void lines_to_tiles(const FftTables* t, const FftLines* from, float* to,
                           float* const work[5])
{
    for (int part = 0; part < FFT_PARTS; ++part) one_part(t, from, 2, part, work);
    for (int q = 0; q < t->part; q += 8) {
        for (int h = 0; h < 2; ++h) {
            TarnF8 re[FFT_PARTS][8], im[FFT_PARTS][8];
            for (int i = 0; i < 8; ++i) {
                C8 a[4];
                join(t, work[h], q + i, a);
                for (int j = 0; j < FFT_PARTS; ++j) re[j][i] = a[j].re, im[j][i] = a[j].im;
            }
            for (int j = 0; j < FFT_PARTS; ++j) {
                f8_transpose(re[j]), f8_transpose(im[j]);
                float* tile = to + ((ptrdiff_t)(q + t->part * j) / 8 * t->n + 8 * h) * 16;
                for (int l = 0; l < 8; ++l) put(tile + 16 * l, (C8){ re[j][l], im[j][l] });
            }
        }
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

const FftKernels TARN_KERNEL(tarn__fft_kernels) = { lines, lines_to_tiles, pair, split };
