// Rows of dispersive waves, eight at a time: the advance in Fourier space, the rim, queries.

#include "waves/ripple_internal.h"
#include "base/simd.h"
#include "waves/spot8.h"

TARN_INLINE TarnF8 reverse(TarnF8 v)
{
    return (TarnF8){ v[7], v[6], v[5], v[4], v[3], v[2], v[1], v[0] };
}

// The old values of a row, with the first one again behind the last: element -j is then at n - j.
static void copy_row(const float* from, int n, float* to)
{
    memcpy(to, from, (size_t)n * sizeof *to);
    to[n] = from[0];
}

static void advance_row(const RippleRows* r, const float* zr, const float* zi, const float* mr,
                        const float* mi, float* out_re, float* out_im, float* rate, float* rate_im)
{
    for (int j = 0; j < r->n; j += 8) {
        TarnF8 re = f8_load(zr + j), im = f8_load(zi + j);
        TarnF8 conj_re = reverse(f8_load(mr + r->n - j - 7));
        TarnF8 conj_im = -reverse(f8_load(mi + r->n - j - 7));
        TarnF8 c = f8_load(r->c + j), p = f8_load(r->p + j), q = f8_load(r->q + j);
        f8_store(out_re + j, c * re + (p * im + q * conj_im));
        f8_store(out_im + j, c * im - (p * re + q * conj_re));
        if (rate == NULL) continue;
        // phi' = c phi - d eta with d = p + q; eta = (Z + Zc) / 2, phi = (Z - Zc) / 2i.
        TarnF8 rise = f8_load(r->rise + j), d = p + q, half = f8_set(0.5f);
        TarnF8 eta_re = half * (re + conj_re), eta_im = half * (im + conj_im);
        TarnF8 phi_re = half * (im - conj_im), phi_im = half * (conj_re - re);
        f8_store(rate + j, rise * (c * phi_re - d * eta_re));
        f8_store(rate_im + j, rise * (c * phi_im - d * eta_im));
    }
}

static void advance(const RippleRows* r)
{
    size_t row = (size_t)r->n + 8;
    float *zr = r->work, *zi = zr + row, *mr = zi + row, *mi = mr + row;
    copy_row(r->re, r->n, zr), copy_row(r->im, r->n, zi);
    copy_row(r->mirror_re, r->n, mr), copy_row(r->mirror_im, r->n, mi);
    advance_row(r, zr, zi, mr, mi, r->re, r->im, r->rate, r->rate_im);
    if (r->mirror_re == r->re) return;
    advance_row(r, mr, mi, zr, zi, r->mirror_re, r->mirror_im, r->mirror_rate, r->mirror_rate_im);
}

static void fade(float* row, const float* keep_x, float keep, int n)
{
    for (int i = 0; i < n; i += 8)
        f8_store(row + i, f8_load(row + i) * (f8_load(keep_x + i) * keep));
}

// ---- Queries -------------------------------------------------------------------------------------

// Slopes of a field along x and z [per cell]: central differences at the centers, blended between them.
TARN_INLINE void slopes(const float* field, int n, const Spot* s, TarnF8* along_x, TarnF8* along_z)
{
    TarnF8 v[4][4]; // rows -1 to 2, columns -1 to 2
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 4; ++i) v[k][i] = gather(field, s->c + ((k - 1) * n + i - 1));
    TarnF8 x[2], z[2];
    for (int e = 0; e < 2; ++e) {
        TarnF8 a = v[1 + e][2] - v[1 + e][0], b = v[1 + e][3] - v[1 + e][1];
        TarnF8 c = v[2 + e][1] - v[e][1], d = v[2 + e][2] - v[e][2];
        x[e] = a + s->wx * (b - a);
        z[e] = c + s->wx * (d - c);
    }
    *along_x = 0.5f * (x[0] + s->wz * (x[1] - x[0]));
    *along_z = 0.5f * (z[0] + s->wz * (z[1] - z[0]));
}

// One cell from the edges, where the rim has calmed the water: so that differences need no tests.
TARN_INLINE Spot spot_at(int n, TarnF8 gx, TarnF8 gz)
{
    TarnF8 fx = f8_max(to_range(gx, (float)n - 2.001f, 0.0f), f8_set(1.0f));
    TarnF8 fz = f8_max(to_range(gz, (float)n - 2.001f, 0.0f), f8_set(1.0f));
    return spot_in(fx, fz, n, n - 1, n - 1);
}

static void query(const RippleQuery* q, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    for (int at = 0; at < n; at += 8) {
        int lanes = n - at < 8 ? n - at : 8;
        TarnF8 gx = load_places(x + at, lanes, q->x0, q->per_cell);
        TarnF8 gz = load_places(z + at, lanes, q->z0, q->per_cell);
        Spot s = spot_at(q->n, gx, gz);
        TarnF8 eta = blend(q->eta, q->n, &s), slope_x, slope_z;
        SpotSamples to;
        f8_store(to.height, eta);
        if (out->normal) {
            slopes(q->eta, q->n, &s, &slope_x, &slope_z);
            f8_store(to.slope_x, slope_x * q->per_cell);
            f8_store(to.slope_z, slope_z * q->per_cell);
        }
        if (out->velocity) {
            slopes(q->phi, q->n, &s, &slope_x, &slope_z);
            f8_store(to.velocity[0], slope_x * q->per_cell);
            f8_store(to.velocity[1], (eta - blend(q->was, q->n, &s)) * q->per_dt);
            f8_store(to.velocity[2], slope_z * q->per_cell);
        }
        write_samples(&to, at, lanes, q->level, q->depth, out);
    }
}

const RippleKernels TARN_KERNEL(tarn__ripple_kernels) = { advance, fade, query };
