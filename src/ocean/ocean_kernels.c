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

// Four vectors as eight quads.
TARN_INLINE void store_quads(float* to, TarnF8 a, TarnF8 b, TarnF8 c, TarnF8 d)
{
    TarnF8 ab = __builtin_shufflevector(a, b, 0, 8, 1, 9, 4, 12, 5, 13);
    TarnF8 ab2 = __builtin_shufflevector(a, b, 2, 10, 3, 11, 6, 14, 7, 15);
    TarnF8 cd = __builtin_shufflevector(c, d, 0, 8, 1, 9, 4, 12, 5, 13);
    TarnF8 cd2 = __builtin_shufflevector(c, d, 2, 10, 3, 11, 6, 14, 7, 15);
    TarnF8 q0 = __builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13); // of samples 0 and 4
    TarnF8 q1 = __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15);
    TarnF8 q2 = __builtin_shufflevector(ab2, cd2, 0, 1, 8, 9, 4, 5, 12, 13);
    TarnF8 q3 = __builtin_shufflevector(ab2, cd2, 2, 3, 10, 11, 6, 7, 14, 15);
    f8_store(to, __builtin_shufflevector(q0, q1, 0, 1, 2, 3, 8, 9, 10, 11));
    f8_store(to + 8, __builtin_shufflevector(q2, q3, 0, 1, 2, 3, 8, 9, 10, 11));
    f8_store(to + 16, __builtin_shufflevector(q0, q1, 4, 5, 6, 7, 12, 13, 14, 15));
    f8_store(to + 24, __builtin_shufflevector(q2, q3, 4, 5, 6, 7, 12, 13, 14, 15));
}

static void quads(const OceanQuads* q, int row)
{
    TarnF8 none = f8_set(0.0f);
    for (int i = 0; i < q->n; i += 8) {
        ptrdiff_t at = (ptrdiff_t)row * q->n + i;
        TarnF8 v[2 * OCEAN_TRANSFORMS];
        for (int p = 0; p < 2 * OCEAN_TRANSFORMS; ++p)
            v[p] = q->plane[p] ? f8_load(q->plane[p] + at) : none;
        store_quads(q->moved + 4 * at, v[1], v[0], v[2], v[5]);
        store_quads(q->slopes + 4 * at, v[3], v[4], v[6], v[7]);
        if (q->velocity) store_quads(q->velocity + 4 * at, v[9], v[8], v[10], none);
        if (q->fold) f8_store(q->fold + at, (1.0f + v[6]) * (1.0f + v[7]) - v[5] * v[5]);
    }
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
    int32_t at[4][8];
    float share_x[8], share_z[8];
} Places;

TARN_INLINE TarnI8 below(TarnF8 x, TarnF8* rest) // |x| < 2^31
{
    TarnI8 whole = __builtin_convertvector(x, TarnI8);
    TarnF8 back = __builtin_convertvector(whole, TarnF8);
    whole += f8_less(x, back); // down, not towards zero
    *rest = x - __builtin_convertvector(whole, TarnF8);
    return whole;
}
TARN_INLINE void place(const OceanTile* t, TarnF8 x, TarnF8 z, Places* p)
{
    TarnF8 far = f8_set(1e9f), rest_x, rest_z;
    TarnI8 i = below(f8_max(f8_min(x * t->per_meter, far), -far), &rest_x);
    TarnI8 k = below(f8_max(f8_min(z * t->per_meter, far), -far), &rest_z);
    int mask = t->n - 1;
    TarnI8 i0 = (i & mask) * 4, i1 = ((i + 1) & mask) * 4;
    TarnI8 k0 = (k & mask) * (4 * t->n), k1 = ((k + 1) & mask) * (4 * t->n);
    i8_store(p->at[0], k0 + i0), i8_store(p->at[1], k0 + i1);
    i8_store(p->at[2], k1 + i0), i8_store(p->at[3], k1 + i1);
    f8_store(p->share_x, rest_x), f8_store(p->share_z, rest_z);
}
// Adds the samples of eight points.
TARN_INLINE void add_samples(const float* quad, const Places* p, TarnF4 sum[8])
{
    for (int l = 0; l < 8; ++l) {
        TarnF4 a = f4_load(quad + p->at[0][l]), b = f4_load(quad + p->at[1][l]);
        TarnF4 c = f4_load(quad + p->at[2][l]), d = f4_load(quad + p->at[3][l]);
        TarnF4 low = a + (b - a) * p->share_x[l], high = c + (d - c) * p->share_x[l];
        sum[l] += low + (high - low) * p->share_z[l];
    }
}

typedef struct Sums {
    TarnF4 moved[8], slopes[8], velocity[8];
} Sums;

// Finds the points at rest that are displaced to x, z by fixed-point steps with the long waves, and adds up all waves
// there.
TARN_INLINE void find(const OceanTiles* s, TarnF8 x, TarnF8 z, bool has_velocity, Sums* sums,
                      TarnF8* rest_x, TarnF8* rest_z)
{
    TarnF8 px = x, pz = z;
    Places p;
    for (int step = 0; step < 3; ++step) {
        TarnF4 moved[8] = { { 0.0f } };
        for (int t = 0; t < s->n_coarse; ++t) {
            place(&s->tile[t], px, pz, &p);
            add_samples(s->tile[t].moved, &p, moved);
        }
        for (int l = 0; l < 8; ++l) px[l] = moved[l][0], pz[l] = moved[l][2];
        px = x - px, pz = z - pz;
    }
    *sums = (Sums){ { { 0.0f } }, { { 0.0f } }, { { 0.0f } } };
    for (int t = 0; t < s->n; ++t) {
        place(&s->tile[t], px, pz, &p);
        add_samples(s->tile[t].moved, &p, sums->moved);
        add_samples(s->tile[t].slopes, &p, sums->slopes);
        if (has_velocity && s->tile[t].velocity)
            add_samples(s->tile[t].velocity, &p, sums->velocity);
    }
    *rest_x = x - px, *rest_z = z - pz;
}

// What is left between the point found and the one asked for, which short waves add, is followed along the slope.
static void write_one(const OceanTiles* s, TarnF4 moved, TarnF4 slopes, TarnF4 velocity,
                      float rest_x, float rest_z, int i, const TarnSurfaceSamples* out)
{
    // Slopes of the displaced surface, from the tangents (1 + a, sx, c) and (c, sz, 1 + b). Where it folds they are
    // those just before.
    float a = 1.0f + slopes[2], b = 1.0f + slopes[3], c = moved[3];
    float area = tarn_maxf(a * b - c * c, 0.1f);
    float sx = tarn_clampf((slopes[0] * b - slopes[1] * c) / area, -4.0f, 4.0f);
    float sz = tarn_clampf((slopes[1] * a - slopes[0] * c) / area, -4.0f, 4.0f);
    float height = moved[1] + sx * (rest_x - moved[0]) + sz * (rest_z - moved[2]);
    if (out->height) out->height[i] = s->level + height;
    if (out->normal) {
        float scale = 1.0f / sqrtf(1.0f + sx * sx + sz * sz);
        out->normal[i] = (TarnVec3){ -sx * scale, scale, -sz * scale };
    }
    if (out->velocity) out->velocity[i] = (TarnVec3){ velocity[0], velocity[1], velocity[2] };
    if (out->depth) out->depth[i] = tarn_maxf(s->depth + height, 0.0f);
}
// Asks for what the next eight points read first: their tiles together are larger than the nearer caches.
TARN_INLINE void ask_ahead(const OceanTiles* s, TarnF8 x, TarnF8 z, bool has_velocity)
{
    Places p;
    for (int t = 0; t < s->n; ++t) {
        const OceanTile* tile = &s->tile[t];
        place(tile, x, z, &p);
        for (int l = 0; l < 8; ++l) {
            for (int c = 0; c < 4; c += 2) {
                __builtin_prefetch(tile->moved + p.at[c][l]);
                __builtin_prefetch(tile->slopes + p.at[c][l]);
                if (has_velocity && tile->velocity) __builtin_prefetch(tile->velocity + p.at[c][l]);
            }
        }
    }
}
TARN_INLINE TarnF8 clamped(const float* at, int i, int n)
{
    TarnF8 v;
    for (int l = 0; l < 8; ++l) v[l] = tarn_clampf(at[i + l < n ? i + l : n - 1], -1e6f, 1e6f);
    return v;
}
static void query(const OceanTiles* s, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    for (int i = 0; i < n; i += 8) {
        TarnF8 ax = clamped(x, i, n), az = clamped(z, i, n), rest_x, rest_z;
        if (i + 8 < n)
            ask_ahead(s, clamped(x, i + 8, n), clamped(z, i + 8, n), out->velocity != NULL);
        Sums sums;
        find(s, ax, az, out->velocity != NULL, &sums, &rest_x, &rest_z);
        for (int l = 0; l < 8 && i + l < n; ++l)
            write_one(s, sums.moved[l], sums.slopes[l], sums.velocity[l], rest_x[l], rest_z[l],
                      i + l, out);
    }
}

const OceanKernels TARN_KERNEL(tarn__ocean_kernels) = { evolve, fill, quads, foam, query };
