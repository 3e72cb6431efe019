// Inner loops of spray: drops that fly, and foam that drifts, eight at a time.

#include "spray/spray_internal.h"

// Implicit drag towards the wind: it slows down any speed, never turns it round. The mean of both speeds moves a drop, so
// that without drag its parabola is exact.
static void fly(const SprayMove* m)
{
    TarnF8 dt = f8_set(m->dt), half = f8_set(0.5f * m->dt), fall = f8_set(m->gravity * m->dt);
    TarnF8 limit = f8_set(spray_fastest), far = f8_set(spray_reach);
    for (int p = 0; p < m->n; p += TARN_LANES) {
        TarnF8 k = f8_load(m->drag + p) * dt, keep = 1.0f / (1.0f + k), blow = k * keep;
        float* v[3] = { m->vx + p, m->vy + p, m->vz + p };
        float* x[3] = { m->x + p, m->y + p, m->z + p };
        const float wind[3] = { m->wind.x, m->wind.y, m->wind.z };
        for (int a = 0; a < 3; ++a) {
            TarnF8 old = f8_load(v[a]), next = old * keep + blow * wind[a];
            if (a == 1) next -= fall * keep;
            next = f8_min(f8_max(next, -limit), limit);
            TarnF8 to = f8_load(x[a]) + (old + next) * half;
            f8_store(v[a], next);
            f8_store(x[a], f8_min(f8_max(to, -far), far));
        }
        f8_store(m->age + p, f8_load(m->age + p) + dt);
    }
}

// A row of a field, carried along for dt times sign: value'(x) = value(x - sign u dt), between cells linear.
// low, high: of the values between which it was taken; NULL: not asked for.
static void advect(const TarnSpray* s, const float* from, float sign, int k, float* out, float* low,
                   float* high)
{
    int nx = s->def.nx, nz = s->def.nz;
    float way = sign * s->dt / s->def.dx;
    for (int i = 0; i < nx; i += TARN_LANES) {
        float x[TARN_LANES], z[TARN_LANES];
        for (int l = 0; l < TARN_LANES; ++l) {
            int at = i + l < nx ? i + l : nx - 1;
            TarnVec3 v = s->cells.velocity[spray_at(s, at, k)];
            x[l] = (float)at - v.x * way, z[l] = (float)k - v.z * way;
        }
        TarnF8 zero = f8_set(0.0f);
        TarnF8 fx = f8_min(f8_max(f8_load(x), zero), f8_set((float)(nx - 1)));
        TarnF8 fz = f8_min(f8_max(f8_load(z), zero), f8_set((float)(nz - 1)));
        TarnI8 ix = __builtin_convertvector(fx, TarnI8), iz = __builtin_convertvector(fz, TarnI8);
        TarnF8 sx = fx - __builtin_convertvector(ix, TarnF8), sz = fz - __builtin_convertvector(iz, TarnF8);
        for (int l = 0; l < TARN_LANES && i + l < nx; ++l) {
            int a = ix[l], b = iz[l], a1 = a + 1 < nx ? a + 1 : a, b1 = b + 1 < nz ? b + 1 : b;
            const float *near = from + (size_t)b * (size_t)nx, *far = from + (size_t)b1 * (size_t)nx;
            float lo = near[a] + sx[l] * (near[a1] - near[a]);
            float hi = far[a] + sx[l] * (far[a1] - far[a]);
            out[i + l] = lo + sz[l] * (hi - lo);
            if (low == NULL) continue;
            low[i + l] = tarn_minf(tarn_minf(near[a], near[a1]), tarn_minf(far[a], far[a1]));
            high[i + l] = tarn_maxf(tarn_maxf(near[a], near[a1]), tarn_maxf(far[a], far[a1]));
        }
    }
}

const SprayKernels TARN_KERNEL(tarn__spray_kernels) = { fly, advect };
