// Inner loops of spray: drops that fly, and foam that drifts, eight at a time.

#include "spray/spray_internal.h"

// Implicit drag towards the wind: it slows down any speed, never turns it round. The mean of both speeds moves a drop, so
// that without drag its parabola is exact. What is so fine that it is slowed down within a quarter of a second hangs in
// the air, which carries it: mist is a cloud of that.
static void fly(const SprayMove* m)
{
    TarnF8 dt = f8_set(m->dt), half = f8_set(0.5f * m->dt), fall = f8_set(m->gravity * m->dt);
    TarnF8 limit = f8_set(spray_fastest), far = f8_set(spray_reach);
    for (int p = 0; p < m->n; p += TARN_LANES) {
        TarnF8 drag = f8_load(m->drag + p), slow = drag * drag * 0.0625f;
        TarnF8 k = drag * dt, keep = 1.0f / (1.0f + k), blow = k * keep;
        TarnF8 sink = fall * keep / (1.0f + slow * slow);
        float* v[3] = { m->vx + p, m->vy + p, m->vz + p };
        float* x[3] = { m->x + p, m->y + p, m->z + p };
        const float wind[3] = { m->wind.x, m->wind.y, m->wind.z };
        for (int a = 0; a < 3; ++a) {
            TarnF8 old = f8_load(v[a]), next = old * keep + blow * wind[a];
            if (a == 1) next -= sink;
            next = f8_min(f8_max(next, -limit), limit);
            TarnF8 to = f8_load(x[a]) + (old + next) * half;
            f8_store(v[a], next);
            f8_store(x[a], f8_min(f8_max(to, -far), far));
        }
        f8_store(m->age + p, f8_load(m->age + p) + dt);
    }
}

// Velocity of the water along x or z, between cells linear; places in cells.
TARN_INLINE TarnF8 speed_at(const TarnSpray* s, TarnF8 x, TarnF8 z, bool is_z)
{
    int nx = s->def.nx, nz = s->def.nz;
    TarnF8 zero = f8_set(0.0f), v;
    x = f8_min(f8_max(x, zero), f8_set((float)(nx - 1)));
    z = f8_min(f8_max(z, zero), f8_set((float)(nz - 1)));
    for (int l = 0; l < TARN_LANES; ++l) {
        int a = (int)x[l], b = (int)z[l], a1 = a + 1 < nx ? a + 1 : a, b1 = b + 1 < nz ? b + 1 : b;
        float sx = x[l] - (float)a, sz = z[l] - (float)b;
        const TarnVec3 *near = s->cells.velocity + spray_at(s, 0, b),
                       *far = s->cells.velocity + spray_at(s, 0, b1);
        float p = is_z ? near[a].z : near[a].x, q = is_z ? near[a1].z : near[a1].x;
        float r = is_z ? far[a].z : far[a].x, t = is_z ? far[a1].z : far[a1].x;
        float lo = p + sx * (q - p), hi = r + sx * (t - r);
        v[l] = lo + sz * (hi - lo);
    }
    return v;
}

// Weights of Catmull and Rom for the four values around a place between the second and the third.
TARN_INLINE void cubic(float t, float w[4])
{
    float t2 = t * t, t3 = t2 * t;
    w[0] = 0.5f * ((2.0f * t2 - t3) - t), w[1] = 0.5f * (3.0f * t3 - 5.0f * t2) + 1.0f;
    w[2] = 0.5f * ((4.0f * t2 - 3.0f * t3) + t), w[3] = 0.5f * (t3 - t2);
}

TARN_INLINE int inside(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

// A row of the foam, carried along for dt: value'(x) = value(x - u dt). Cubic between cells, but never beyond the four
// values around.
static void advect(const TarnSpray* s, int k, float* out)
{
    int nx = s->def.nx, nz = s->def.nz;
    float way = s->dt / s->def.dx;
    for (int i = 0; i < nx; i += TARN_LANES) {
        TarnF8 u, w, x0, z0 = f8_set((float)k), zero = f8_set(0.0f);
        for (int l = 0; l < TARN_LANES; ++l) {
            int at = i + l < nx ? i + l : nx - 1;
            TarnVec3 v = s->cells.velocity[spray_at(s, at, k)];
            x0[l] = (float)at, u[l] = v.x, w[l] = v.z;
        }
        TarnF8 xm = x0 - u * (0.5f * way), zm = z0 - w * (0.5f * way); // midpoint
        u = speed_at(s, xm, zm, false), w = speed_at(s, xm, zm, true);
        TarnF8 fx = f8_min(f8_max(x0 - u * way, zero), f8_set((float)(nx - 1)));
        TarnF8 fz = f8_min(f8_max(z0 - w * way, zero), f8_set((float)(nz - 1)));
        for (int l = 0; l < TARN_LANES && i + l < nx; ++l) {
            int a = (int)fx[l], b = (int)fz[l];
            float wx[4], wz[4], sum = 0.0f, low = 0.0f, high = 0.0f;
            cubic(fx[l] - (float)a, wx);
            cubic(fz[l] - (float)b, wz);
            for (int r = 0; r < 4; ++r) {
                const float* row = s->foam + (size_t)inside(b - 1 + r, nz) * (size_t)nx;
                float q[4];
                for (int c = 0; c < 4; ++c) q[c] = row[inside(a - 1 + c, nx)];
                sum += wz[r] * ((wx[0] * q[0] + wx[1] * q[1]) + (wx[2] * q[2] + wx[3] * q[3]));
                if (r != 1 && r != 2) continue;
                low = r == 1 ? tarn_minf(q[1], q[2]) : tarn_minf(low, tarn_minf(q[1], q[2]));
                high = r == 1 ? tarn_maxf(q[1], q[2]) : tarn_maxf(high, tarn_maxf(q[1], q[2]));
            }
            out[i + l] = tarn_clampf(sum, low, high);
        }
    }
}

const SprayKernels TARN_KERNEL(tarn__spray_kernels) = { fly, advect };
