// Inner loops of the sea: waves at a time, spectra of fields, samples, foam, queries.

#include "ocean/ocean_kernels.h"
#include "base/maths.h"

// ---- Waves at a time -----------------------------------------------------------------------------

// sin(2 pi x), |x| <= 1/4, by its series: below 1e-7.
TARN_INLINE TarnF8 sine(TarnF8 x)
{
    TarnF8 y = x * 6.283185307f, y2 = y * y;
    TarnF8 p = y2 * -2.5052108e-8f + 2.7557319e-6f;
    p = p * y2 - 1.9841270e-4f;
    p = p * y2 + 8.3333333e-3f;
    p = p * y2 - 1.6666667e-1f;
    return y + y * y2 * p;
}

// A phase is base + turns dt. Blocks of time keep dt short, so that floats suffice for hours of waves.
TARN_INLINE void evolve(const OceanSpectrum* s, ptrdiff_t at, float* height, float* rate)
{
    const TarnF8 magic = f8_set(12582912.0f); // adding it rounds to whole turns
    TarnF8 turns = f8_load(s->turns + at), phase = f8_load(s->base + at) + turns * s->dt;
    phase = phase - ((phase + magic) - magic);
    TarnF8 size = f8_abs(phase);
    TarnF8 c = sine(0.25f - size), up = sine(0.25f - f8_abs(size - 0.25f));
    TarnF8 sn = f8_by_sign(phase, -up, up);
    TarnF8 p = f8_load(s->wave[0] + at), q = f8_load(s->wave[1] + at);
    TarnF8 u = f8_load(s->wave[2] + at), v = f8_load(s->wave[3] + at);
    f8_store(height, p * c + q * sn);
    f8_store(height + 8, u * c + v * sn);
    if (rate == NULL) return;
    TarnF8 w = turns * 6.283185307f;
    f8_store(rate, w * (q * c - p * sn));
    f8_store(rate + 8, w * (v * c - u * sn));
}

// ---- Spectra of fields ---------------------------------------------------------------------------

// All fields are spectra of a few bases times factors of kz, which is the same along a line of kx. In units of dk, with
// h(k, t), its rate r = dh/dt, the choppiness c and 1/k that of both components:
//
//     bases   0 h   1 kx h   2 h/k   3 kx h/k   4 kx^2 h/k (foam)   then r, r/k, kx r/k (velocity)
//
//     transform   A                            B
//     0           height        base 0         dx        i c base 3
//     1           dz     i c kz base 2         dy/dx     i dk base 1
//     2           dy/dz  i dk kz base 0        d(dx)/dz  -c dk kz base 3
//     3           d(dx)/dx  -c dk base 4       d(dz)/dz  -c dk kz^2 base 2
//     4           vy               r           vx        i kx r/k
//     5           vz      i kz   r/k
//
// The sign of the displacement moves points towards crests; Tessendorf's notes print the other one for this transform.
TARN_INLINE void fill_as(const OceanSpectrum* s, int first, float* const* base, bool has_folds,
                         bool has_rates)
{
    int n = s->n;
    float* const* rate = base + (has_folds ? 5 : 4);
    for (int i = 0; i < n; ++i) {
        ptrdiff_t at = (ptrdiff_t)first * n + 8 * i, e = 16 * i;
        float ix = (float)(i < n / 2 ? i : i - n);
        TarnF8 inverse = f8_load(s->inverse + at), both = inverse * ix;
        evolve(s, at, base[0] + e, has_rates ? rate[0] + e : NULL);
        for (int part = 0; part < 16; part += 8) { // real and imaginary
            TarnF8 h = f8_load(base[0] + e + part);
            f8_store(base[1] + e + part, h * ix);
            f8_store(base[2] + e + part, h * inverse);
            f8_store(base[3] + e + part, h * both);
            if (has_folds) f8_store(base[4] + e + part, h * both * ix);
            if (!has_rates) continue;
            TarnF8 r = f8_load(rate[0] + e + part);
            f8_store(rate[1] + e + part, r * inverse);
            f8_store(rate[2] + e + part, r * both);
        }
    }
}
static void fill(const OceanSpectrum* s, int first, float* const* base)
{
    if (s->has_folds && s->has_rates)
        fill_as(s, first, base, true, true);
    else if (s->has_folds)
        fill_as(s, first, base, true, false);
    else if (s->has_rates)
        fill_as(s, first, base, false, true);
    else
        fill_as(s, first, base, false, false);
}

// Eight x of one kz.
typedef struct C8 {
    TarnF8 re, im;
} C8;

TARN_INLINE C8 times(C8 a, float s)
{
    return (C8){ a.re * s, a.im * s };
}
TARN_INLINE C8 times_i(C8 a, float s)
{
    return (C8){ a.im * -s, a.re * s };
}
// A + i B at kz, and conj A + i conj B at -kz.
TARN_INLINE void emit(float* to, float* mirror, C8 a, C8 b)
{
    f8_store(to, a.re - b.im), f8_store(to + 8, a.im + b.re);
    f8_store(mirror, a.re + b.im), f8_store(mirror + 8, b.re - a.im);
}

typedef struct Lines { // eight x of eight kz of all bases
    TarnF8 re[OCEAN_BASES][8], im[OCEAN_BASES][8];
} Lines;

TARN_INLINE C8 line(const Lines* lines, int b, int l)
{
    return (C8){ lines->re[b][l], lines->im[b][l] };
}

TARN_INLINE void combine_as(const OceanJoin* j, float* const* base, float* const* tiles,
                            bool has_folds, bool has_rates)
{
    int n = j->n, folds = has_folds ? 1 : 0, n_bases = 4 + folds + (has_rates ? 3 : 0);
    float c = j->choppiness, dk = j->dk, none[16];
    C8 zero = { f8_set(0.0f), f8_set(0.0f) };
    for (int g = 0; g < n / 8; ++g) {
        Lines lines;
        for (int b = 0; b < n_bases; ++b) {
            const float* from = base[b] + 128 * g;
            for (int i = 0; i < 8; ++i) {
                lines.re[b][i] = f8_load(from + 16 * i);
                lines.im[b][i] = f8_load(from + 16 * i + 8);
            }
            f8_transpose(lines.re[b]), f8_transpose(lines.im[b]);
        }
        for (int l = 0; l < 8; ++l) {
            int row = j->first + l;
            float iz = (float)row, kz = iz * dk;
            ptrdiff_t at = ((ptrdiff_t)g * n + row) * 16, back = ((ptrdiff_t)g * n + n - row) * 16;
            C8 h = line(&lines, 0, l), k = line(&lines, 2, l), x = line(&lines, 3, l);
#define TO(t) tiles[t] + at, row > 0 ? tiles[t] + back : none
            emit(TO(0), h, times_i(x, c));
            emit(TO(1), times_i(k, c * iz), times_i(line(&lines, 1, l), dk));
            emit(TO(2), times_i(h, kz), has_folds ? times(x, -c * kz) : zero);
            if (has_folds) emit(TO(3), times(line(&lines, 4, l), -c * dk), times(k, -c * kz * iz));
            if (!has_rates) continue;
            int r = 4 + folds, t = 3 + folds;
            emit(TO(t), line(&lines, r, l), times_i(line(&lines, r + 2, l), 1.0f));
            emit(TO(t + 1), times_i(line(&lines, r + 1, l), iz), zero);
#undef TO
        }
    }
}
static void combine(const OceanJoin* j, float* const* base, float* const* tiles)
{
    if (j->has_folds && j->has_rates)
        combine_as(j, base, tiles, true, true);
    else if (j->has_folds)
        combine_as(j, base, tiles, true, false);
    else if (j->has_rates)
        combine_as(j, base, tiles, false, true);
    else
        combine_as(j, base, tiles, false, false);
}

// ---- Samples -------------------------------------------------------------------------------------

static void samples(const OceanSamples* s, int first, float* const* field)
{
    TarnF8 none = f8_set(0.0f);
    int rates = s->xx ? 4 : 3;
    for (int k = 0; k < s->n; ++k) {
        const float *a = field[0] + 16 * k, *b = field[1] + 16 * k, *c = field[2] + 16 * k;
        TarnF8 each[8] = { none, f8_load(a), none, f8_load(b + 8), f8_load(c), none, none, none };
        if (s->is_choppy) each[0] = f8_load(a + 8), each[2] = f8_load(b);
        if (s->has_rates) {
            const float *d = field[rates] + 16 * k, *e = field[rates + 1] + 16 * k;
            each[5] = f8_load(d + 8), each[6] = f8_load(d), each[7] = f8_load(e);
        }
        f8_transpose(each);
        float *row = s->to + (ptrdiff_t)k * s->row, *to = row + OCEAN_SAMPLE * first;
        for (int l = 0; l < 8; ++l) f8_store(to + OCEAN_SAMPLE * l, each[l]);
        if (first == 0) f8_store(row + OCEAN_SAMPLE * s->n, each[0]);
        if (s->xx == NULL) continue;
        const float* f = field[3] + 16 * k;
        TarnF8 xz = f8_load(c + 8), xx = f8_load(f), zz = f8_load(f + 8);
        ptrdiff_t at = (ptrdiff_t)k * s->n + first;
        f8_store(s->xx + at, xx), f8_store(s->zz + at, zz), f8_store(s->xz + at, xz);
        if (s->fold) f8_store(s->fold + at, (1.0f + xx) * (1.0f + zz) - xz * xz);
    }
    float* last = s->to + (ptrdiff_t)s->n * s->row;
    memcpy(last + OCEAN_SAMPLE * first, s->to + OCEAN_SAMPLE * first,
           8 * OCEAN_SAMPLE * sizeof(float));
    if (first == 0) memcpy(last + OCEAN_SAMPLE * s->n, s->to, OCEAN_SAMPLE * sizeof(float));
}

// ---- Foam ----------------------------------------------------------------------------------------

// Foam is kept in a frame that drifts, so that drifting does not blur it.
static void foam(const OceanFoam* f, int row, const float* fold, float* to)
{
    int n = f->n, k = (row + f->shift_k) & (n - 1), k1 = (k + 1) & (n - 1);
    const float *near = fold + (ptrdiff_t)k * n, *far = fold + (ptrdiff_t)k1 * n;
    float* out = to + (ptrdiff_t)row * n;
    for (int i = 0; i < n; ++i) {
        int a = (i + f->shift_i) & (n - 1), b = (a + 1) & (n - 1);
        float low = near[a] + (near[b] - near[a]) * f->share_i;
        float high = far[a] + (far[b] - far[a]) * f->share_i;
        float j = low + (high - low) * f->share_k;
        float made = tarn_clampf((f->limit - j) * f->gain, 0.0f, 1.0f), kept = out[i] * f->keep;
        kept = kept > 1e-6f ? kept : 0.0f;
        out[i] = made > kept ? made : kept;
    }
}

// ---- Queries -------------------------------------------------------------------------------------

// Eight points at a time, so that the loads of one do not wait for those of another.
typedef struct Places { // between four samples
    int32_t at[8];      // of the first
    float share_x[8], share_z[8];
} Places;

TARN_INLINE TarnI8 below(TarnF8 x, TarnF8* rest) // |x| < 2^31
{
    TarnF8 whole = f8_floor(x);
    *rest = x - whole;
    return __builtin_convertvector(whole, TarnI8);
}
TARN_INLINE void place(const OceanTile* t, TarnF8 x, TarnF8 z, Places* p)
{
    TarnF8 far = f8_set(1e9f), rest_x, rest_z;
    TarnI8 i = below(f8_max(f8_min(x * t->per_meter, far), -far), &rest_x);
    TarnI8 k = below(f8_max(f8_min(z * t->per_meter, far), -far), &rest_z);
    i8_store(p->at, (k & (t->n - 1)) * t->row + (i & (t->n - 1)) * OCEAN_SAMPLE);
    f8_store(p->share_x, rest_x), f8_store(p->share_z, rest_z);
}
// What a point needs is asked for before it is used: the caches are slower than the sums.
TARN_INLINE void ask_for(const OceanTile* t, const Places* p)
{
    for (int l = 0; l < 8; ++l) {
        const float *near = t->sample + p->at[l], *far = near + t->row;
        __builtin_prefetch(near), __builtin_prefetch(near + 2 * OCEAN_SAMPLE - 1);
        __builtin_prefetch(far), __builtin_prefetch(far + 2 * OCEAN_SAMPLE - 1);
    }
}
TARN_INLINE TarnF8 join(TarnF4 low, TarnF4 high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

// Derivatives of the displacement of eight points within the cells that they are in: the first is that of x, the third
// that of z.
typedef struct Turned {
    TarnF4 along_x[8], along_z[8];
} Turned;

// Displacements of eight points.
TARN_INLINE void read_moved(const OceanTile* t, const Places* p, TarnF4 moved[8], Turned* to)
{
    for (int l = 0; l < 8; ++l) {
        const float *near = t->sample + p->at[l], *far = near + t->row;
        TarnF4 a = f4_load(near), ab = f4_load(near + OCEAN_SAMPLE) - a;
        TarnF4 c = f4_load(far), cd = f4_load(far + OCEAN_SAMPLE) - c;
        TarnF4 low = a + ab * p->share_x[l], across = (c + cd * p->share_x[l]) - low;
        moved[l] = low + across * p->share_z[l];
        to->along_x[l] = (ab + (cd - ab) * p->share_z[l]) * t->per_meter;
        to->along_z[l] = across * t->per_meter;
    }
}
// Whole samples of eight points, of all cascades.
TARN_INLINE void add_samples(const OceanTiles* s, const Places* places, TarnF8 sum[8], Turned* to)
{
    for (int l = 0; l < 8; ++l) {
        TarnF8 all = f8_set(0.0f);
        TarnF4 along_x = f4_set(0.0f), along_z = f4_set(0.0f);
        for (int i = 0; i < s->n; ++i) {
            const OceanTile* t = &s->tile[i];
            const Places* p = &places[i];
            const float *near = t->sample + p->at[l], *far = near + t->row;
            TarnF8 a = f8_load(near), ab = f8_load(near + OCEAN_SAMPLE) - a;
            TarnF8 c = f8_load(far), cd = f8_load(far + OCEAN_SAMPLE) - c;
            TarnF8 low = a + ab * p->share_x[l], across = (c + cd * p->share_x[l]) - low;
            all += low + across * p->share_z[l];
            TarnF4 first = f8_low(ab), more = f8_low(cd) - first;
            along_x += (first + more * p->share_z[l]) * t->per_meter;
            along_z += f8_low(across) * t->per_meter;
        }
        sum[l] = all, to->along_x[l] = along_x, to->along_z[l] = along_z;
    }
}
TARN_INLINE void first_and_third(const TarnF4 of[8], TarnF8* first, TarnF8* third)
{
    TarnF8 u =
        __builtin_shufflevector(join(of[0], of[4]), join(of[1], of[5]), 0, 2, 8, 10, 4, 6, 12, 14);
    TarnF8 v =
        __builtin_shufflevector(join(of[2], of[6]), join(of[3], of[7]), 0, 2, 8, 10, 4, 6, 12, 14);
    *first = __builtin_shufflevector(u, v, 0, 2, 8, 10, 4, 6, 12, 14);
    *third = __builtin_shufflevector(u, v, 1, 3, 9, 11, 5, 7, 13, 15);
}

typedef struct Eight {     // points on the way to their places at rest
    TarnF8 x, z;           // asked for
    TarnF8 rest_x, rest_z; // from the place at rest to there, by the long waves
    TarnF8 a, b, c, d; // derivatives of the place by that at rest: x by x, x by z, z by x, z by z
} Eight;

// Finds points at rest that the long waves displace to x, z: a step of Newton's method for each cascade, the longest
// waves first, from the point that those before have led to.
TARN_INLINE void approach(const OceanTile* tile, const Places* p, Eight* e)
{
    Turned turned;
    TarnF4 moved[8];
    read_moved(tile, p, moved, &turned);
    TarnF8 dx, dz, ax, az, bx, bz;
    first_and_third(moved, &dx, &dz);
    first_and_third(turned.along_x, &ax, &az);
    first_and_third(turned.along_z, &bx, &bz);
    e->a = e->a + ax, e->b = e->b + bx, e->c = e->c + az, e->d = e->d + bz;
    TarnF8 inverse = 1.0f / f8_max(e->a * e->d - e->b * e->c, f8_set(0.3f));
    e->rest_x = e->rest_x + (dx * e->d - dz * e->b) * inverse;
    e->rest_z = e->rest_z + (dz * e->a - dx * e->c) * inverse;
}

// Eight points of three parts each. Each but the last is stored with a part of the next one, which comes after it.
TARN_INLINE void write_vectors(TarnVec3* to, int n, TarnF8 x, TarnF8 y, TarnF8 z)
{
    TarnF8 r[8] = { x, y, z, z, z, z, z, z };
    f8_transpose(r);
    for (int l = 0; l + 1 < n; ++l) f4_store(&to[l].x, f8_low(r[l]));
    to[n - 1] = (TarnVec3){ x[n - 1], y[n - 1], z[n - 1] };
}
TARN_INLINE void write_floats(float* to, int n, TarnF8 v)
{
    if (n == 8) f8_store(to, v);
    for (int l = 0; n < 8 && l < n; ++l) to[l] = v[l];
}

// Adds up all waves at the places found, and writes n points. What is left between the point found and the one asked
// for, which short waves add, is followed along the slope.
TARN_INLINE void write_eight(const OceanTiles* s, const Places* places, const Eight* eight, int i,
                             int n, const TarnSurfaceSamples* out)
{
    TarnF8 sum[8];
    Turned turned;
    add_samples(s, places, sum, &turned);
    f8_transpose(sum);
    // Slopes of the displaced surface, from the tangents (a, dy/dx, c) and (b, dy/dz, d). Where it folds they are those
    // just before.
    TarnF8 a, b, c, d, most = f8_set(4.0f);
    first_and_third(turned.along_x, &a, &c);
    first_and_third(turned.along_z, &b, &d);
    a = a + 1.0f, d = d + 1.0f;
    TarnF8 inverse = 1.0f / f8_max(a * d - b * c, f8_set(0.1f));
    TarnF8 sx = f8_max(f8_min((sum[3] * d - sum[4] * c) * inverse, most), -most);
    TarnF8 sz = f8_max(f8_min((sum[4] * a - sum[3] * b) * inverse, most), -most);
    TarnF8 height = sum[1] + sx * (eight->rest_x - sum[0]) + sz * (eight->rest_z - sum[2]);
    if (out->height) write_floats(out->height + i, n, s->level + height);
    if (out->depth) write_floats(out->depth + i, n, f8_max(s->depth + height, f8_set(0.0f)));
    if (out->velocity) write_vectors(out->velocity + i, n, sum[5], sum[6], sum[7]);
    if (out->normal == NULL) return;
    TarnF8 up = 1.0f / f8_sqrt(1.0f + sx * sx + sz * sz);
    write_vectors(out->normal + i, n, -sx * up, up, -sz * up);
}
TARN_INLINE TarnF8 clamped(const float* at, int i, int n)
{
    TarnF8 v, most = f8_set(1e6f);
    if (i + 8 <= n) return f8_max(f8_min(f8_load(at + i), most), -most);
    for (int l = 0; l < 8; ++l) v[l] = tarn_clampf(at[i + l < n ? i + l : n - 1], -1e6f, 1e6f);
    return v;
}
enum { BATCH = 4 }; // groups of eight points, so that they need not wait for each other's loads

static void query(const OceanTiles* s, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    Eight eight[BATCH];
    Places places[BATCH][TARN_OCEAN_MAX_CASCADES];
    for (int begin = 0; begin < n; begin += 8 * BATCH) {
        int groups = (n - begin + 7) / 8 < BATCH ? (n - begin + 7) / 8 : BATCH;
        for (int g = 0; g < groups; ++g)
            eight[g] = (Eight){ .x = clamped(x, begin + 8 * g, n),
                                .z = clamped(z, begin + 8 * g, n),
                                .a = f8_set(1.0f),
                                .d = f8_set(1.0f) };
        for (int t = 0; t <= s->n_coarse; ++t) {
            int from = t < s->n_coarse ? t : 0, to = t < s->n_coarse ? t + 1 : s->n;
            for (int g = 0; g < groups; ++g) {
                const Eight* e = &eight[g];
                for (int i = from; i < to; ++i) {
                    place(&s->tile[i], e->x - e->rest_x, e->z - e->rest_z, &places[g][i]);
                    ask_for(&s->tile[i], &places[g][i]);
                }
            }
            for (int g = 0; t < s->n_coarse && g < groups; ++g)
                approach(&s->tile[t], &places[g][t], &eight[g]);
        }
        for (int g = 0; g < groups; ++g) {
            int i = begin + 8 * g;
            write_eight(s, places[g], &eight[g], i, n - i < 8 ? n - i : 8, out);
        }
    }
}

const OceanKernels TARN_KERNEL(tarn__ocean_kernels) = { fill, combine, samples, foam, query };
