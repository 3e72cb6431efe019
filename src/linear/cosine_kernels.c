// Transforms of sixteen lines at a time.
//
// Two real lines make one complex one, eight such fill the lanes, and a complex FFT (Stockham, radix 4, 2, 3, 5)
// runs over vectors: no shuffles in it, and any length. Its twiddles are broadcast from tables. Radix 8 was tried:
// within 5 % of radix 4 for lines of 64 to 256.
//
//   cosine II, III   even and odd elements reordered, one FFT of length n, a turn by pi l / (2 n) [Makhoul1980]
//   sine II, III     the same of (-1)^i x, backwards
//   cosine IV        n even: n / 2 complex numbers from both ends, turned before and after; the real and the
//                    imaginary lines go one after the other. n odd: an FFT of length n for even and one for odd l
//   sine IV          cosine IV of (-1)^i x, backwards
//   sine I           odd extension, length 2 n

#include "base/kernels.h"
#include "linear/complex8.h"
#include "linear/cosine_internal.h"
#include <math.h>

// Vectors of real and imaginary parts.
typedef struct Line {
    float *re, *im;
} Line;

TARN_INLINE C8 get(Line a, int i)
{
    return (C8){ f8_load(a.re + 8 * i), f8_load(a.im + 8 * i) };
}
TARN_INLINE void put(Line a, int i, C8 v)
{
    f8_store(a.re + 8 * i, v.re);
    f8_store(a.im + 8 * i, v.im);
}
// ---- FFT -----------------------------------------------------------------------------------------------------

TARN_INLINE void butterfly3(C8 a[5])
{
    C8 sum = c8_plus(a[1], a[2]);
    C8 side = c8_minus_i(c8_times(c8_minus(a[1], a[2]), 0.866025404f)); // sin(pi / 3)
    C8 mid = c8_minus(a[0], c8_times(sum, 0.5f));
    a[0] = c8_plus(a[0], sum);
    a[1] = c8_plus(mid, side), a[2] = c8_minus(mid, side);
}
TARN_INLINE void butterfly5(C8 a[5])
{
    const float c1 = 0.309016994f, c2 = -0.809016994f; // cos and sin of 2 pi / 5 and 4 pi / 5
    const float s1 = 0.951056516f, s2 = 0.587785252f;
    C8 p = c8_plus(a[1], a[4]), m = c8_minus(a[1], a[4]);
    C8 q = c8_plus(a[2], a[3]), r = c8_minus(a[2], a[3]);
    C8 u = c8_plus(a[0], c8_plus(c8_times(p, c1), c8_times(q, c2)));
    C8 v = c8_plus(a[0], c8_plus(c8_times(p, c2), c8_times(q, c1)));
    C8 du = c8_minus_i(c8_plus(c8_times(m, s1), c8_times(r, s2)));
    C8 dv = c8_minus_i(c8_minus(c8_times(m, s2), c8_times(r, s1)));
    a[0] = c8_plus(a[0], c8_plus(p, q));
    a[1] = c8_plus(u, du), a[4] = c8_minus(u, du);
    a[2] = c8_plus(v, dv), a[3] = c8_minus(v, dv);
}

// One step of Stockham's scheme: n = radix * m elements left to transform, in s interleaved sequences. per:
// entries of the table of roots from one root of order n to the next.
TARN_INLINE void step(Line from, Line to, int m, int s, const Turn* root, int per, int radix)
{
    for (int p = 0; p < m; ++p) {
        for (int q = 0; q < s; ++q) {
            C8 a[5];
            for (int j = 0; j < radix; ++j) a[j] = get(from, q + s * (p + m * j));
            if (radix == 2) c8_butterfly2(&a[0], &a[1]);
            if (radix == 3) butterfly3(a);
            if (radix == 4) c8_butterfly4(&a[0], &a[1], &a[2], &a[3]);
            if (radix == 5) butterfly5(a);
            put(to, q + s * radix * p, a[0]);
            for (int j = 1; j < radix; ++j)
                put(to, q + s * (radix * p + j), p ? c8_turn(a[j], root[p * j * per]) : a[j]);
        }
    }
}

// From a, with b as scratch; returns the one that has the answer. roots: entries of a whole turn.
static Line fft(Line a, Line b, int n, const Turn* root, int roots)
{
    for (int s = 1; n > 1;) {
        int radix = n % 4 == 0 ? 4 : n % 2 == 0 ? 2 : n % 3 == 0 ? 3 : 5;
        int m = n / radix, per = roots / n;
        if (radix == 4) step(a, b, m, s, root, per, 4);
        if (radix == 2) step(a, b, m, s, root, per, 2);
        if (radix == 3) step(a, b, m, s, root, per, 3);
        if (radix == 5) step(a, b, m, s, root, per, 5);
        Line swap = a;
        a = b, b = swap;
        s *= radix, n = m;
    }
    return a;
}
static Line inverse_fft(Line a, Line b, int n, const Turn* root, int roots)
{
    Line out = fft((Line){ a.im, a.re }, (Line){ b.im, b.re }, n, root, roots);
    return (Line){ out.im, out.re };
}

// ---- Kinds: from line a in natural order to the one that is returned ---------------------------------------

TARN_INLINE C8 alternate(C8 v, int i, bool is_sine)
{
    return is_sine && (i & 1) ? c8_times(v, -1.0f) : v;
}
TARN_INLINE Line other(Line is, Line a, Line b)
{
    return is.re == a.re ? b : a;
}

static Line second(const CosineAxis* t, Line a, Line b, bool is_sine)
{
    int n = t->n;
    for (int i = 0; i < n; ++i)
        put(b, i & 1 ? n - 1 - i / 2 : i / 2, alternate(get(a, i), i, is_sine));
    Line z = fft(b, a, n, t->root, 2 * n), out = other(z, a, b);
    float scale = 0.5f * sqrtf(2.0f / (float)n);
    for (int l = 0; l < n; ++l) {
        C8 v = get(z, l), w = get(z, l ? n - l : 0); // 2 (real line) = v + conj w, and so on
        C8 real = { v.re + w.re, v.im - w.im }, imag = { v.im + w.im, w.re - v.re };
        C8 x = { c8_turn(real, t->quarter[l]).re, c8_turn(imag, t->quarter[l]).re };
        put(out, is_sine ? n - 1 - l : l, c8_times(x, l ? scale : scale * sqrtf(0.5f)));
    }
    return out;
}

static Line third(const CosineAxis* t, Line a, Line b, bool is_sine)
{
    int n = t->n;
    float scale = sqrtf(0.5f / (float)n);
    C8 none = { f8_set(0.0f), f8_set(0.0f) };
    for (int l = 0; l < n; ++l) {
        C8 x = get(a, is_sine ? n - 1 - l : l);
        C8 y = l ? get(a, is_sine ? l - 1 : n - l) : none;
        Turn w = { t->quarter[l].c * scale, t->quarter[l].s * scale };
        if (l == 0) w = (Turn){ scale * sqrtf(2.0f), 0.0f };
        C8 re = { w.c * x.re + w.s * y.re, w.s * x.re - w.c * y.re };
        C8 im = { w.c * x.im + w.s * y.im, w.s * x.im - w.c * y.im };
        put(b, l, (C8){ re.re - im.im, re.im + im.re });
    }
    Line z = inverse_fft(b, a, n, t->root, 2 * n), out = other(z, a, b);
    for (int i = 0; i < n; ++i)
        put(out, i, alternate(get(z, i & 1 ? n - 1 - i / 2 : i / 2), i, is_sine));
    return out;
}

// The sixteen lines are real here, and half as long as complex ones: eight of them after the other eight.
static Line fourth_even(const CosineAxis* t, Line a, Line b, bool is_sine)
{
    int n = t->n, h = n / 2;
    float scale = sqrtf(2.0f / (float)n), odd = is_sine ? -1.0f : 1.0f;
    for (int part = 0; part < 2; ++part) {
        float* x = part ? a.im : a.re;
        Line z = { b.re, b.im }, spare = { b.re + 8 * h, b.im + 8 * h };
        for (int m = 0; m < h; ++m) { // n - 1 - 2 m is odd
            C8 v = { f8_load(x + 8 * (2 * m)), odd * f8_load(x + 8 * (n - 1 - 2 * m)) };
            put(z, m, c8_turn(v, t->eighth[m]));
        }
        z = fft(z, spare, h, t->root, 2 * n);
        for (int l = 0; l < h; ++l) {
            C8 y = c8_times(c8_turn(get(z, l), t->eighth[l]), scale);
            int lo = is_sine ? n - 1 - 2 * l : 2 * l, hi = n - 1 - lo;
            f8_store(x + 8 * lo, y.re);
            f8_store(x + 8 * hi, -y.im);
        }
    }
    return a;
}
static Line fourth_odd(const CosineAxis* t, Line a, Line b, bool is_sine)
{
    int n = t->n;
    float scale = sqrtf(2.0f / (float)n);
    for (int part = 0; part < 2; ++part) {
        float *x = part ? a.im : a.re, *out = x + 8 * n;
        for (int parity = 0; parity < 2; ++parity) { // even l, then odd
            Line z = { b.re, b.im }, spare = { b.re + 8 * n, b.im + 8 * n };
            for (int i = 0; i < n; ++i) {
                C8 v = alternate((C8){ f8_load(x + 8 * i), f8_set(0.0f) }, i, is_sine);
                v = c8_turn(v, t->quarter[i]);
                put(z, i, parity ? c8_turn(v, t->root[i]) : v);
            }
            z = fft(z, spare, n, t->root, 2 * n);
            for (int l = parity; l < n; l += 2) {
                C8 v = c8_turn(get(z, l / 2), t->eighth[l]);
                f8_store(out + 8 * (is_sine ? n - 1 - l : l), scale * v.re);
            }
        }
        memcpy(x, out, (size_t)n * 8 * sizeof(float));
    }
    return a;
}

static Line first_sine(const CosineAxis* t, Line a, Line b)
{
    int n = t->n;
    C8 none = { f8_set(0.0f), f8_set(0.0f) }, wall = get(a, 0);
    put(b, 0, none), put(b, n, none);
    for (int i = 1; i < n; ++i) {
        C8 v = get(a, i);
        put(b, i, v), put(b, 2 * n - i, c8_times(v, -1.0f));
    }
    Line z = fft(b, a, 2 * n, t->root, 2 * n), out = other(z, a, b);
    float scale = 0.5f * sqrtf(2.0f / (float)n);
    put(out, 0, wall);
    for (int l = 1; l < n; ++l) {
        C8 v = get(z, l);
        put(out, l, (C8){ -scale * v.im, scale * v.re });
    }
    return out;
}

static Line transform_lines(const CosineAxis* t, Line a, Line b, CosineKind kind)
{
    switch (kind) {
    case COSINE_II:
        return second(t, a, b, false);
    case COSINE_III:
        return third(t, a, b, false);
    case SINE_II:
        return second(t, a, b, true);
    case SINE_III:
        return third(t, a, b, true);
    case SINE_I:
        return first_sine(t, a, b);
    case COSINE_IV:
    case SINE_IV:
        break;
    }
    bool is_sine = kind == SINE_IV;
    return t->n % 2 ? fourth_odd(t, a, b, is_sine) : fourth_even(t, a, b, is_sine);
}

// ---- Lines of a field ---------------------------------------------------------------------------------------

// Eight rows to vectors or back. The last elements of a row one at a time: what follows it is not ours.
static void load_rows(const CosineLines* lines, int first, int n, float* to)
{
    const int32_t* row = lines->x_rows + first;
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        TarnF8 r[8];
        for (int a = 0; a < 8; ++a) r[a] = f8_load(lines->field + row[a] + i);
        f8_transpose(r);
        for (int a = 0; a < 8; ++a) f8_store(to + 8 * (i + a), r[a]);
    }
    for (; i < n; ++i)
        for (int a = 0; a < 8; ++a) to[8 * i + a] = lines->field[row[a] + i];
}
static void store_rows(const CosineLines* lines, int first, int n, const float* from)
{
    const int32_t* row = lines->x_rows + first;
    int most = lines->n_lanes - first < 8 ? lines->n_lanes - first : 8, i = 0;
    for (; i + 8 <= n; i += 8) {
        TarnF8 r[8];
        for (int a = 0; a < 8; ++a) r[a] = f8_load(from + 8 * (i + a));
        f8_transpose(r);
        for (int a = 0; a < most; ++a) f8_store(lines->field + row[a] + i, r[a]);
    }
    for (; i < n; ++i)
        for (int a = 0; a < most; ++a) lines->field[row[a] + i] = from[8 * i + a];
}

static Line load(const CosineLines* lines, int n)
{
    Line a = { lines->work[0], lines->work[0] + 16 * n };
    if (lines->x_rows) {
        load_rows(lines, 0, n, a.re);
        load_rows(lines, 8, n, a.im);
        return a;
    }
    for (int i = 0; i < n; ++i) {
        const float* from = lines->field + lines->first + i * lines->step;
        float lanes[16] = { 0.0f };
        if (lines->n_lanes == 16) {
            put(a, i, (C8){ f8_load(from), f8_load(from + 8) });
            continue;
        }
        for (int l = 0; l < lines->n_lanes; ++l) lanes[l] = from[l];
        put(a, i, (C8){ f8_load(lanes), f8_load(lanes + 8) });
    }
    return a;
}
static void store(const CosineLines* lines, int n, Line a)
{
    if (lines->x_rows) {
        store_rows(lines, 0, n, a.re);
        store_rows(lines, 8, n, a.im);
        return;
    }
    for (int i = 0; i < n; ++i) {
        float* to = lines->field + lines->first + i * lines->step;
        C8 v = get(a, i);
        float lanes[16];
        if (lines->n_lanes == 16) {
            f8_store(to, v.re), f8_store(to + 8, v.im);
            continue;
        }
        f8_store(lanes, v.re), f8_store(lanes + 8, v.im);
        for (int l = 0; l < lines->n_lanes; ++l) to[l] = lanes[l];
    }
}

static Line spare_of(const CosineLines* lines, int n)
{
    return (Line){ lines->work[1], lines->work[1] + 16 * n };
}

static void transform(const CosineAxis* t, const CosineLines* lines, CosineKind kind)
{
    Line a = load(lines, t->n), b = spare_of(lines, t->n);
    store(lines, t->n, transform_lines(t, a, b, kind));
}

TARN_INLINE TarnF8 divide(TarnF8 v, TarnF8 wave)
{
    TarnI8 is_wave = f8_less(wave, f8_set(-1e-12f)); // the constant has none: its mean becomes 0
    return f8_select(is_wave, v / f8_select(is_wave, wave, f8_set(1.0f)), f8_set(0.0f));
}

static void poisson(const CosineAxis* t, const CosineLines* lines, CosineKind kind,
                    const float* along, const float* across, float at)
{
    Line a = load(lines, t->n), b = spare_of(lines, t->n);
    Line z = transform_lines(t, a, b, kind);
    TarnF8 lanes[2] = { f8_load(across) + at, f8_load(across + 8) + at };
    for (int l = 0; l < t->n; ++l) {
        C8 v = get(z, l);
        put(z, l, (C8){ divide(v.re, lanes[0] + along[l]), divide(v.im, lanes[1] + along[l]) });
    }
    store(lines, t->n, transform_lines(t, z, other(z, a, b), tarn__cosine_inverse(kind)));
}

const CosineKernels TARN_KERNEL(tarn__cosine_kernels) = { transform, poisson };
