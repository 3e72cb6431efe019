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
static void evolve(const OceanSpectrum* s, int begin, int end, float dt, float* re, float* im,
                   float* rate_re, float* rate_im)
{
    const TarnF8 magic = f8_set(12582912.0f); // adding it rounds to whole turns
    for (int i = begin; i < end; i += 8) {
        TarnF8 turns = f8_load(s->turns + i), phase = f8_load(s->base + i) + turns * dt;
        phase = phase - ((phase + magic) - magic);
        TarnF8 size = f8_abs(phase);
        TarnF8 c = sine(0.25f - size), up = sine(0.25f - f8_abs(size - 0.25f));
        TarnF8 sn = f8_by_sign(phase, -up, up);
        TarnF8 p = f8_load(s->wave[0] + i), q = f8_load(s->wave[1] + i);
        TarnF8 u = f8_load(s->wave[2] + i), v = f8_load(s->wave[3] + i);
        f8_store(re + i, p * c + q * sn);
        f8_store(im + i, u * c + v * sn);
        if (rate_re == NULL) continue;
        TarnF8 w = turns * 6.283185307f;
        f8_store(rate_re + i, w * (q * c - p * sn));
        f8_store(rate_im + i, w * (v * c - u * sn));
    }
}

// ---- Spectra of fields ---------------------------------------------------------------------------

// Two real fields A and B with spectra a h and b h are one transform of (a + i b) h. With the unit vector u = k / |k|
// and the choppiness c:
//
//     0  height 1               dx        i c ux         1 - c ux
//     1  dz     i c uz          dy/dx     i kx           -kx + i c uz
//     2  dy/dz  i kz            d(dx)/dz  -c kx uz       i (kz - c kx uz)
//     3  d(dx)/dx  -c kx ux     d(dz)/dz  -c kz uz       -c (kx ux + i kz uz)
//     4  of the rates: vy 1     vx        i ux           1 - ux
//     5  of the rates: vz i uz                           i uz
//
// The sign of the displacement moves points towards crests; Tessendorf's notes print the other one for this transform.
TARN_INLINE void fill_as(const OceanFill* f, float* re, float* im, int transform)
{
    int n = f->n;
    TarnF8 iz, kz;
    for (int l = 0; l < 8; ++l)
        iz[l] = (float)(f->first + l < n / 2 ? f->first + l : f->first + l - n);
    kz = iz * f->dk;
    TarnF8 c = f8_set(f->choppiness), folds = f8_set(f->has_folds ? f->choppiness : 0.0f);
    for (int i = 0; i < n; ++i) {
        float ix = (float)(i < n / 2 ? i : i - n), kx = ix * f->dk;
        ptrdiff_t at = (ptrdiff_t)i * n + f->first;
        TarnF8 inverse = f8_load(f->inverse_k + at), ux = ix * inverse, uz = iz * inverse;
        TarnF8 r = f8_load(f->re + at), m = f8_load(f->im + at), a, b;
        switch (transform) {
        case 0:
        case 4:
            a = 1.0f - (transform == 0 ? c * ux : ux);
            f8_store(re + 8 * i, a * r), f8_store(im + 8 * i, a * m);
            break;
        case 1:
        case 3:
            a = transform == 1 ? f8_set(-kx) : -c * kx * ux;
            b = transform == 1 ? c * uz : -c * kz * uz;
            f8_store(re + 8 * i, a * r - b * m), f8_store(im + 8 * i, a * m + b * r);
            break;
        default:
            b = transform == 2 ? kz - folds * kx * uz : uz;
            f8_store(re + 8 * i, -b * m), f8_store(im + 8 * i, b * r);
        }
    }
}
static void fill(const OceanFill* f, int transform, float* re, float* im)
{
    switch (transform) {
    case 0:
        fill_as(f, re, im, 0);
        return;
    case 1:
        fill_as(f, re, im, 1);
        return;
    case 2:
        fill_as(f, re, im, 2);
        return;
    case 3:
        fill_as(f, re, im, 3);
        return;
    case 4:
        fill_as(f, re, im, 4);
        return;
    default:
        fill_as(f, re, im, 5);
    }
}

// ---- Samples -------------------------------------------------------------------------------------

static void samples(const OceanSamples* s, int row)
{
    TarnF8 none = f8_set(0.0f);
    float* to = s->to + (ptrdiff_t)row * s->row;
    for (int i = 0; i < s->n; i += 8) {
        ptrdiff_t at = (ptrdiff_t)row * s->n + i;
        TarnF8 v[2 * OCEAN_TRANSFORMS];
        for (int p = 0; p < 2 * OCEAN_TRANSFORMS; ++p)
            v[p] = s->plane[p] ? f8_load(s->plane[p] + at) : none;
        TarnF8 each[8] = { v[1], v[0], v[2], v[3], v[4], v[9], v[8], v[10] };
        f8_transpose(each);
        for (int l = 0; l < 8; ++l) f8_store(to + OCEAN_SAMPLE * (i + l), each[l]);
        if (s->fold) f8_store(s->fold + at, (1.0f + v[6]) * (1.0f + v[7]) - v[5] * v[5]);
    }
    memcpy(to + OCEAN_SAMPLE * s->n, to, OCEAN_SAMPLE * sizeof(float));
    if (row == 0) memcpy(to + (ptrdiff_t)s->n * s->row, to, (size_t)s->row * sizeof(float));
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
TARN_INLINE void approach(const OceanTile* tile, Eight* e)
{
    Turned turned;
    TarnF4 moved[8];
    Places p;
    place(tile, e->x - e->rest_x, e->z - e->rest_z, &p);
    read_moved(tile, &p, moved, &turned);
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
TARN_INLINE void write_eight(const OceanTiles* s, const Eight* eight, int i, int n,
                             const TarnSurfaceSamples* out)
{
    TarnF8 sum[8];
    Turned turned;
    Places places[TARN_OCEAN_MAX_CASCADES];
    for (int t = 0; t < s->n; ++t)
        place(&s->tile[t], eight->x - eight->rest_x, eight->z - eight->rest_z, &places[t]);
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
    for (int begin = 0; begin < n; begin += 8 * BATCH) {
        int groups = (n - begin + 7) / 8 < BATCH ? (n - begin + 7) / 8 : BATCH;
        for (int g = 0; g < groups; ++g)
            eight[g] = (Eight){ .x = clamped(x, begin + 8 * g, n),
                                .z = clamped(z, begin + 8 * g, n),
                                .a = f8_set(1.0f),
                                .d = f8_set(1.0f) };
        for (int t = 0; t < s->n_coarse; ++t)
            for (int g = 0; g < groups; ++g) approach(&s->tile[t], &eight[g]);
        for (int g = 0; g < groups; ++g) {
            int i = begin + 8 * g;
            write_eight(s, &eight[g], i, n - i < 8 ? n - i : 8, out);
        }
    }
}

const OceanKernels TARN_KERNEL(tarn__ocean_kernels) = { evolve, fill, samples, foam, query };
