// The motion of particles, eight at a time.
//
// With one push f over the step the linear equation dv/dt = f - k v is solved exactly: a parabola without
// drag, an exponential with it, for any length of the step. What depends on the place (attractors, flows)
// is taken at x + v dt / 2, which makes the same formula a leapfrog: drift, kick, drift. A million
// particles are 60 MB of traffic, so memory is what counts here and arithmetic is free.

#include "base/kernels.h"
#include "particles/particles_internal.h"

typedef struct Vec8 {
    TarnF8 x, y, z;
} Vec8;

TARN_INLINE bool is_any(TarnI8 mask)
{
    uint64_t part[4];
    memcpy(part, &mask, sizeof part);
    return ((part[0] | part[1]) | (part[2] | part[3])) != 0;
}

// The pull of strength at radius: linear inside, 1 / r^2 outside. Where a step would be too long for it
// (omega dt > 0.2) the linear core is wider, so that leapfrog goes on to hold the energy: with 1 a
// particle that falls in was flung out hundreds of times as far, with 0.2 it comes back to within a fifth.
TARN_INLINE Vec8 attract(const TarnAttractorDef* a, Vec8 at, TarnF8 stiffest, Vec8 f)
{
    TarnF8 dx = at.x - a->position.x, dy = at.y - a->position.y, dz = at.z - a->position.z;
    TarnF8 r2 = (dx * dx + dy * dy) + dz * dz;
    TarnF8 q = f8_max(r2, f8_set(a->radius * a->radius));
    TarnF8 c = (a->strength * a->radius * a->radius) / (q * f8_sqrt(q));
    c = f8_max(f8_min(c, stiffest), -stiffest);
    c = f8_select(f8_less(r2, f8_set(a->reach * a->reach)), c, f8_set(0.0f));
    float in = 1.0f - (a->swirl < 0.0f ? -a->swirl : a->swirl);
    return (Vec8){ f.x + c * (a->swirl * dz - in * dx), f.y - c * (in * dy),
                   f.z - c * (a->swirl * dx + in * dz) };
}

TARN_INLINE Vec8 push_on(const ParticleMove* m, int i, Vec8 x, Vec8 v, TarnF8 dt)
{
    Vec8 f = { f8_set(m->push.x), f8_set(m->push.y), f8_set(m->push.z) };
    if (m->flow_x != NULL) {
        f = (Vec8){ f.x + f8_load(m->flow_x + i), f.y + f8_load(m->flow_y + i),
                    f.z + f8_load(m->flow_z + i) };
    }
    TarnF8 half = 0.5f * dt;
    Vec8 mid = { x.x + half * v.x, x.y + half * v.y, x.z + half * v.z };
    TarnF8 stiffest = 0.04f / (dt * dt);
    for (int a = 0; a < m->n_attractors; ++a) f = attract(&m->attractors[a], mid, stiffest, f);
    return f;
}

TARN_INLINE TarnI8 is_out(TarnF8 x, float lo, float hi)
{
    return f8_less(x, f8_set(lo)) | f8_less(f8_set(hi), x);
}

// Rare: some of these eight died or were too fast.
static void settle(ParticleMove* m, int i, int n, TarnI8 is_old, TarnI8 has_left, TarnI8 is_fast)
{
    for (int l = 0; l < n; ++l) {
        if (is_fast[l]) {
            float vx = m->vx[i + l], vy = m->vy[i + l], vz = m->vz[i + l];
            float s = m->max_speed / __builtin_sqrtf((vx * vx + vy * vy) + vz * vz);
            m->vx[i + l] = vx * s, m->vy[i + l] = vy * s, m->vz[i + l] = vz * s;
            m->is_clamped = true;
        }
        int fate = is_old[l] ? FATE_DIED : has_left[l] ? FATE_LEFT : 0;
        m->fate[i + l] = (uint8_t)fate;
        m->n_dead += fate != 0;
    }
}

typedef struct Bounds {
    Vec8 lo, hi;
} Bounds;

TARN_INLINE void widen(Bounds* b, Vec8 x)
{
    b->lo = (Vec8){ f8_min(x.x, b->lo.x), f8_min(x.y, b->lo.y), f8_min(x.z, b->lo.z) };
    b->hi = (Vec8){ f8_max(x.x, b->hi.x), f8_max(x.y, b->hi.y), f8_max(x.z, b->hi.z) };
}

TARN_INLINE void move_eight(ParticleMove* m, int i, int n, Bounds* bounds, bool is_plain)
{
    int t = m->timing_step == 0 ? 0 : i;
    TarnF8 dt = f8_load(m->dt + t), a1 = f8_load(m->a1 + t), a2 = f8_load(m->a2 + t);
    Vec8 x = { f8_load(m->x + i), f8_load(m->y + i), f8_load(m->z + i) };
    Vec8 v = { f8_load(m->vx + i), f8_load(m->vy + i), f8_load(m->vz + i) };
    if (bounds != NULL && n == TARN_LANES) widen(bounds, x);
    Vec8 f = { f8_set(m->push.x), f8_set(m->push.y), f8_set(m->push.z) };
    if (!is_plain) f = push_on(m, i, x, v, dt);
    x = (Vec8){ x.x + (a1 * v.x + a2 * f.x), x.y + (a1 * v.y + a2 * f.y),
                x.z + (a1 * v.z + a2 * f.z) };
    if (m->has_drag) {
        TarnF8 keep = f8_load(m->keep + t);
        v = (Vec8){ keep * v.x, keep * v.y, keep * v.z };
    }
    v = (Vec8){ v.x + a1 * f.x, v.y + a1 * f.y, v.z + a1 * f.z };
    TarnF8 age = f8_load(m->age + i) + dt;
    f8_store(m->x + i, x.x), f8_store(m->y + i, x.y), f8_store(m->z + i, x.z);
    if (!is_plain || m->has_drag || m->push.x != 0.0f) f8_store(m->vx + i, v.x);
    f8_store(m->vy + i, v.y);
    if (!is_plain || m->has_drag || m->push.z != 0.0f) f8_store(m->vz + i, v.z);
    f8_store(m->age + i, age);
    if (bounds != NULL && n == TARN_LANES) widen(bounds, x);

    TarnI8 is_old = ~f8_less(age, f8_load(m->lifetime + i));
    TarnI8 has_left = is_out(x.x, m->box_min.x, m->box_max.x) |
                      is_out(x.y, m->box_min.y, m->box_max.y) |
                      is_out(x.z, m->box_min.z, m->box_max.z);
    TarnF8 v2 = (v.x * v.x + v.y * v.y) + v.z * v.z;
    TarnI8 is_fast = f8_less(f8_set(m->max_speed * m->max_speed), v2);
    if (is_any(is_old | has_left | is_fast)) settle(m, i, n, is_old, has_left, is_fast);
}

// The last few of a pool, before and after: the lanes behind them hold no particles.
static void widen_rest(ParticleMove* m, int i, int n)
{
    for (int p = i; p < n; ++p) {
        const float at[3] = { m->x[p], m->y[p], m->z[p] };
        for (int d = 0; d < 3; ++d) {
            m->lo[d] = at[d] < m->lo[d] ? at[d] : m->lo[d];
            m->hi[d] = at[d] > m->hi[d] ? at[d] : m->hi[d];
        }
    }
}

TARN_INLINE void move_all(ParticleMove* m, int n, bool is_plain, bool has_bounds)
{
    Bounds b = { { f8_set(m->lo[0]), f8_set(m->lo[1]), f8_set(m->lo[2]) },
                 { f8_set(m->hi[0]), f8_set(m->hi[1]), f8_set(m->hi[2]) } };
    int whole = n - n % TARN_LANES;
    for (int i = 0; i < whole; i += TARN_LANES) {
        move_eight(m, i, TARN_LANES, has_bounds ? &b : NULL, is_plain);
    }
    if (has_bounds) {
        m->lo[0] = -f8_max_lane(-b.lo.x), m->lo[1] = -f8_max_lane(-b.lo.y);
        m->lo[2] = -f8_max_lane(-b.lo.z), m->hi[0] = f8_max_lane(b.hi.x);
        m->hi[1] = f8_max_lane(b.hi.y), m->hi[2] = f8_max_lane(b.hi.z);
    }
    if (whole == n) return;
    if (has_bounds) widen_rest(m, whole, n);
    move_eight(m, whole, n - whole, NULL, is_plain);
    if (has_bounds) widen_rest(m, whole, n);
}

static void move(ParticleMove* m, int n)
{
    bool is_plain = m->n_attractors == 0 && m->flow_x == NULL;
    if (is_plain && !m->has_bounds)
        move_all(m, n, true, false);
    else if (is_plain)
        move_all(m, n, true, true);
    else if (!m->has_bounds)
        move_all(m, n, false, false);
    else
        move_all(m, n, false, true);
}

const ParticleKernels TARN_KERNEL(tarn__particle_kernels) = { move };
