// Rows of wave particles: filters of splats, and queries, eight columns or points at a time.

#include "waves/wave_particles_internal.h"
#include "base/simd.h"
#include "waves/spot8.h"

// Filters along z into four rows with their padding, then along x. Bump and displacement across are the same to both sides,
// slope and displacement along change their sign: taps are taken in pairs.
static void filter_row(const WaveRow* row)
{
    const WaveLevel* level = row->level;
    int reach = level->reach, stride = level->stride;
    const float *bump = level->bump + reach, *slope = level->slope + reach;
    const float *along = level->along + reach, *across = level->across + reach;
    float* work[4];
    for (int f = 0; f < 4; ++f) work[f] = row->work + (size_t)f * (size_t)stride;
    for (int i = 0; i < stride; i += 8) {
        TarnF8 mid = f8_load(row->rows[reach] + i - WP_PAD);
        TarnF8 sums[4] = { mid * bump[0], f8_set(0.0f), f8_set(0.0f), mid * across[0] };
        for (int t = 1; t <= reach; ++t) {
            // A filter gathers from where a splat would scatter: what lies before counts as what comes after.
            TarnF8 lo = f8_load(row->rows[reach - t] + i - WP_PAD);
            TarnF8 hi = f8_load(row->rows[reach + t] + i - WP_PAD);
            TarnF8 even = lo + hi, odd = lo - hi;
            sums[0] += even * bump[t];
            sums[1] += odd * slope[t];
            sums[2] += odd * along[t];
            sums[3] += even * across[t];
        }
        for (int f = 0; f < 4; ++f) f8_store(work[f] + i, sums[f]);
    }
    for (int i = 0; i < level->nx; i += 8) {
        int at = i + WP_PAD;
        TarnF8 zero = f8_set(0.0f), mid = f8_load(work[0] + at);
        TarnF8 out[5] = { mid * bump[0], zero, f8_load(work[2] + at) * across[0], zero,
                          f8_load(work[1] + at) * bump[0] };
        for (int t = 1; t <= reach; ++t) {
            TarnF8 lo = f8_load(work[0] + at - t), hi = f8_load(work[0] + at + t);
            out[0] += (lo + hi) * bump[t];
            out[1] += (f8_load(work[3] + at - t) - f8_load(work[3] + at + t)) * along[t];
            out[2] += (f8_load(work[2] + at - t) + f8_load(work[2] + at + t)) * across[t];
            out[3] += (lo - hi) * slope[t];
            out[4] += (f8_load(work[1] + at - t) + f8_load(work[1] + at + t)) * bump[t];
        }
        int n = level->nx - i < 8 ? level->nx - i : 8;
        for (int f = 0; f < 5; ++f) {
            if (n == 8)
                f8_store(row->out[f] + i, out[f]);
            else
                memcpy(row->out[f] + i, &out[f], (size_t)n * sizeof(float));
        }
    }
}

// Cubic at a quarter and at three quarters of a cell, along z by the weights of the rows, then along x.
static void refine_row(const float* const rows[4], const float weights[4], int nx_coarse, int nx,
                       float* work, float* out)
{
    int padded = (nx_coarse + 7) / 8 * 8;
    float* line = work + 8;
    for (int i = 0; i < padded; i += 8) {
        TarnF8 v[4];
        for (int t = 0; t < 4; ++t) v[t] = f8_load(rows[t] + i); // up to seven beyond the row's end
        TarnF8 sum = v[0] * weights[0] + v[1] * weights[1] + v[2] * weights[2] + v[3] * weights[3];
        f8_store(line + i, sum);
    }
    line[-1] = line[-2] = line[0];
    for (int i = nx_coarse; i < nx_coarse + 2; ++i) line[i] = line[nx_coarse - 1];
    for (int i = 0; i + 1 < nx; i += 2) {
        const float* at = line + i / 2;
        out[i] +=
            weights[0] * at[1] + weights[1] * at[0] + weights[2] * at[-1] + weights[3] * at[-2];
        out[i + 1] +=
            weights[0] * at[-1] + weights[1] * at[0] + weights[2] * at[1] + weights[3] * at[2];
    }
    if (nx % 2) {
        const float* at = line + nx / 2;
        out[nx - 1] +=
            weights[0] * at[1] + weights[1] * at[0] + weights[2] * at[-1] + weights[3] * at[-2];
    }
}

// ---- Queries -------------------------------------------------------------------------------------

TARN_INLINE Spot spot_at(const WaveQueryGrid* q, TarnF8 x, TarnF8 z)
{
    TarnF8 fx = to_range(x, (float)(q->nx - 1), 0.0f), fz = to_range(z, (float)(q->nz - 1), 0.0f);
    return spot_in(fx, fz, q->nx, q->nx - 1, q->nz - 1);
}

// Slopes at the displaced place: those at the undisturbed one through the inverse of 1 + dD/dX, of which the
// diagonal counts; the lateral part is small for waves with long crests.
TARN_INLINE TarnF8 steepen(const float* slope, const float* shift, int row, const Spot* s, int step,
                           float gain)
{
    TarnF8 stretch = (gather(shift, s->c + step) - gather(shift, s->c)) * gain + 1.0f;
    return blend(slope, row, s) / f8_max(stretch, f8_set(0.3f));
}

static void query(const WaveQueryGrid* q, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    for (int at = 0; at < n; at += 8) {
        int lanes = n - at < 8 ? n - at : 8;
        TarnF8 gx = load_places(x + at, lanes, q->x0, q->per_cell);
        TarnF8 gz = load_places(z + at, lanes, q->z0, q->per_cell);
        Spot s = spot_at(q, gx, gz);
        float chop = q->choppiness * q->per_cell;
        for (int i = 0; chop > 0.0f && i < 3; ++i) // X = x - D(X)
            s = spot_at(q, gx - blend(q->shift_x, q->nx, &s) * chop,
                        gz - blend(q->shift_z, q->nx, &s) * chop);
        TarnF8 height = blend(q->height, q->nx, &s);
        SpotSamples to;
        f8_store(to.height, height);
        if (out->normal) {
            f8_store(to.slope_x, steepen(q->slope_x, q->shift_x, q->nx, &s, 1, chop));
            f8_store(to.slope_z, steepen(q->slope_z, q->shift_z, q->nx, &s, q->nx, chop));
        }
        if (out->velocity) {
            f8_store(to.velocity[0],
                     (blend(q->shift_x, q->nx, &s) - blend(q->was_x, q->nx, &s)) * q->per_dt);
            f8_store(to.velocity[1], (height - blend(q->was_height, q->nx, &s)) * q->per_dt);
            f8_store(to.velocity[2],
                     (blend(q->shift_z, q->nx, &s) - blend(q->was_z, q->nx, &s)) * q->per_dt);
        }
        write_samples(&to, at, lanes, q->level, q->depth, out);
    }
}

const WaveParticlesKernels TARN_KERNEL(tarn__wave_particles_kernels) = { filter_row, refine_row,
                                                                         query };
