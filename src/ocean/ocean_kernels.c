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
TARN_INLINE TarnF8 join(TarnF4 low, TarnF4 high)
{
    return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
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
// The same with two fields side by side.
TARN_INLINE void add_two(const float* first, const float* second, const Places* p, TarnF8 sum[8])
{
    for (int l = 0; l < 8; ++l) {
        TarnF8 corner[4];
        for (int c = 0; c < 4; ++c)
            corner[c] = join(f4_load(first + p->at[c][l]), f4_load(second + p->at[c][l]));
        TarnF8 low = corner[0] + (corner[1] - corner[0]) * p->share_x[l];
        TarnF8 high = corner[2] + (corner[3] - corner[2]) * p->share_x[l];
        sum[l] += low + (high - low) * p->share_z[l];
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

typedef struct Eight {     // points whose places at rest are known
    TarnF8 rest_x, rest_z; // from there to the points asked for, by the long waves
    Places places[TARN_OCEAN_MAX_CASCADES];
} Eight;

// Finds the points at rest that are displaced to x, z by fixed-point steps with the long waves.
TARN_INLINE void find(const OceanTiles* s, TarnF8 x, TarnF8 z, Eight* to)
{
    TarnF8 px = x, pz = z;
    Places p;
    for (int step = 0; step < 3; ++step) {
        TarnF4 moved[8] = { { 0.0f } };
        for (int t = 0; t < s->n_coarse; ++t) {
            place(&s->tile[t], px, pz, &p);
            add_samples(s->tile[t].moved, &p, moved);
        }
        first_and_third(moved, &px, &pz);
        px = x - px, pz = z - pz;
    }
    for (int t = 0; t < s->n; ++t) place(&s->tile[t], px, pz, &to->places[t]);
    to->rest_x = x - px, to->rest_z = z - pz;
}

// Asks for what will be read there: tiles together are larger than the nearer caches.
TARN_INLINE void ask_for(const OceanTiles* s, const Eight* eight, bool has_velocity)
{
    for (int t = 0; t < s->n; ++t) {
        const OceanTile* tile = &s->tile[t];
        const Places* p = &eight->places[t];
        for (int l = 0; l < 8; ++l) {
            for (int c = 0; c < 4; c += 2) {
                if (t >= s->n_coarse) __builtin_prefetch(tile->moved + p->at[c][l]);
                __builtin_prefetch(tile->slopes + p->at[c][l]);
                if (has_velocity && tile->velocity)
                    __builtin_prefetch(tile->velocity + p->at[c][l]);
            }
        }
    }
}
// The same for the first step of find.
TARN_INLINE void ask_ahead(const OceanTiles* s, TarnF8 x, TarnF8 z)
{
    Places p;
    for (int t = 0; t < s->n_coarse; ++t) {
        place(&s->tile[t], x, z, &p);
        for (int l = 0; l < 8; ++l) {
            __builtin_prefetch(s->tile[t].moved + p.at[0][l]);
            __builtin_prefetch(s->tile[t].moved + p.at[2][l]);
        }
    }
}

// Adds up all waves at the places found, and writes n points. What is left between the point found and the one asked
// for, which short waves add, is followed along the slope.
TARN_INLINE void write_eight(const OceanTiles* s, const Eight* eight, int i, int n,
                             const TarnSurfaceSamples* out)
{
    TarnF8 sum[8] = { { 0.0f } };
    TarnF4 velocity[8] = { { 0.0f } };
    for (int t = 0; t < s->n; ++t) {
        const OceanTile* tile = &s->tile[t];
        add_two(tile->moved, tile->slopes, &eight->places[t], sum);
        if (out->velocity && tile->velocity)
            add_samples(tile->velocity, &eight->places[t], velocity);
    }
    f8_transpose(sum);
    // Slopes of the displaced surface, from the tangents (1 + a, sx, c) and (c, sz, 1 + b). Where it folds they are
    // those just before.
    TarnF8 a = 1.0f + sum[6], b = 1.0f + sum[7], c = sum[3], most = f8_set(4.0f);
    TarnF8 area = f8_max(a * b - c * c, f8_set(0.1f));
    TarnF8 sx = f8_max(f8_min((sum[4] * b - sum[5] * c) / area, most), -most);
    TarnF8 sz = f8_max(f8_min((sum[5] * a - sum[4] * c) / area, most), -most);
    TarnF8 height = sum[1] + sx * (eight->rest_x - sum[0]) + sz * (eight->rest_z - sum[2]);
    TarnF8 level = s->level + height, depth = f8_max(s->depth + height, f8_set(0.0f));
    for (int l = 0; out->height && l < n; ++l) out->height[i + l] = level[l];
    for (int l = 0; out->depth && l < n; ++l) out->depth[i + l] = depth[l];
    for (int l = 0; out->velocity && l < n; ++l)
        out->velocity[i + l] = (TarnVec3){ velocity[l][0], velocity[l][1], velocity[l][2] };
    if (out->normal == NULL) return;
    TarnF8 up = 1.0f / f8_sqrt(1.0f + sx * sx + sz * sz), nx = -sx * up, nz = -sz * up;
    for (int l = 0; l < n; ++l) out->normal[i + l] = (TarnVec3){ nx[l], up[l], nz[l] };
}
TARN_INLINE TarnF8 clamped(const float* at, int i, int n)
{
    TarnF8 v, most = f8_set(1e6f);
    if (i + 8 <= n) return f8_max(f8_min(f8_load(at + i), most), -most);
    for (int l = 0; l < 8; ++l) v[l] = tarn_clampf(at[i + l < n ? i + l : n - 1], -1e6f, 1e6f);
    return v;
}
// Eight points are searched for while the samples of those before are on their way.
static void query(const OceanTiles* s, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    Eight eight[2];
    for (int i = 0; i < n + 8; i += 8) {
        Eight *now = &eight[(i / 8) & 1], *last = &eight[(i / 8 + 1) & 1];
        if (i < n) {
            if (i + 8 < n) ask_ahead(s, clamped(x, i + 8, n), clamped(z, i + 8, n));
            find(s, clamped(x, i, n), clamped(z, i, n), now);
            ask_for(s, now, out->velocity != NULL);
        }
        if (i > 0) write_eight(s, last, i - 8, n - (i - 8) < 8 ? n - (i - 8) : 8, out);
    }
}

const OceanKernels TARN_KERNEL(tarn__ocean_kernels) = { evolve, fill, quads, foam, query };
