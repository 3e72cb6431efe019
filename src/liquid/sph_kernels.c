// Loops of the pressure methods over neighbors.
//
// Density and gradients take eight neighbors of one particle at a time. The loops of the pressure
// solves, which run several times per substep and are bound by memory, read one stored number per
// neighbor and take a neighbor as registers of four floats, with four sums on the way at a time.
// (Storing whole gradients took twice the memory and 1.5 times as long.) Gather only: a particle
// writes to itself.

#include "base/kernels.h"
#include "liquid/sph_lanes.h"

static void pack(const SphSweep* s, int begin, int end)
{
    sph_pack_some(s->l, s->inverse_mass, s->packed, begin, end);
}

TARN_INLINE float dot3(TarnF4 a, TarnF4 b)
{
    TarnF4 p = a * b;
    return (p[0] + p[1]) + p[2];
}

// Adds a change of velocity, not more than the limit.
TARN_INLINE void add_change(const SphSweep* s, int i, TarnF4 dv)
{
    TarnLiquid* l = s->l;
    float size2 = dot3(dv, dv);
    float k = size2 > s->limit * s->limit ? s->limit / sqrtf(size2) : 1.0f;
    if (!(size2 < 1e30f)) k = 0.0f;
    l->vx[i] += k * dv[0];
    l->vy[i] += k * dv[1];
    if (l->def.dimensions == 3) l->vz[i] += k * dv[2];
}

// ---- Density -----------------------------------------------------------------------------------------

// Of the neighbors.
TARN_INLINE float density_of(const SphSweep* s, int i, int kind)
{
    const Neighbors* nb = &s->l->neighbors;
    const int* j = nb->list + (size_t)i * (size_t)nb->slots;
    SphLanes here = sph_lanes(s->packed + SPH_PACK * (size_t)i);
    TarnF8 sum = f8_set(0.0f);
    for (int k = 0; k < nb->count[i]; k += TARN_LANES) {
        SphLanes d = sph_minus(here, sph_gather(s->packed, j + k));
        sum += sph_value(kind, f8_sqrt(sph_dot(d, d)) * s->shape.inverse_h);
    }
    return s->shape.w * sph_sum8(sum);
}

static void density(const SphSweep* s, int begin, int end)
{
    float self = s->w_self;
    float* out = s->l->density;
    if (s->shape.kind == SMOOTHING_CUBIC) {
        for (int i = begin; i < end; ++i) out[i] = self + density_of(s, i, SMOOTHING_CUBIC);
    } else if (s->shape.kind == SMOOTHING_WENDLAND) {
        for (int i = begin; i < end; ++i) out[i] = self + density_of(s, i, SMOOTHING_WENDLAND);
    } else {
        for (int i = begin; i < end; ++i) out[i] = self + density_of(s, i, SMOOTHING_SPIKY);
    }
}

// ---- Gradients ---------------------------------------------------------------------------------------

// XSPH, while the neighbors are at hand: v += mingle times the sum of the differences of velocity, times
// the kernel's values and the mass that a pair has in common, which are w.
TARN_INLINE void mingle_of(const SphSweep* s, int i, const float* w, float all)
{
    TarnLiquid* l = s->l;
    const Neighbors* nb = &l->neighbors;
    const int* j = nb->list + (size_t)i * (size_t)nb->slots;
    const float* v = s->packed + SPH_VELOCITY;
    TarnF4 here = f4_load(v + SPH_PACK * (size_t)i);
    TarnF4 a = f4_set(0.0f), b = a, c = a, d = a;
    int n = nb->count[i];
    for (int k = 0; k < n; k += 4, j += 4, w += 4) {
        a += (f4_load(v + SPH_PACK * (size_t)j[0]) - here) * f4_set(w[0]);
        b += (f4_load(v + SPH_PACK * (size_t)j[1]) - here) * f4_set(w[1]);
        c += (f4_load(v + SPH_PACK * (size_t)j[2]) - here) * f4_set(w[2]);
        d += (f4_load(v + SPH_PACK * (size_t)j[3]) - here) * f4_set(w[3]);
    }
    float m = s->mingle; // where far too many are at one place it stops at their mean
    m = m * all > 1.0f ? 1.0f / all : m;
    add_change(s, i, ((a + b) + (c + d)) * f4_set(m));
}

TARN_INLINE void gradients_of(const SphSweep* s, int i, int kind)
{
    const TarnLiquid* l = s->l;
    float values[LIQUID_SLOTS_3D];
    const Neighbors* nb = &l->neighbors;
    const int* j = nb->list + (size_t)i * (size_t)nb->slots;
    float* pairs = s->pairs + (size_t)i * (size_t)nb->slots;
    SphLanes here = sph_lanes(s->packed + SPH_PACK * (size_t)i);
    TarnF8 none = f8_set(0.0f), sum = none, all = none, squares = none;
    SphLanes own = { none, none, none, none };
    float slope = s->shape.dw * s->shape.inverse_h;
    for (int k = 0; k < nb->count[i]; k += TARN_LANES) {
        SphLanes d = sph_minus(here, sph_gather(s->packed, j + k));
        TarnF8 q = f8_sqrt(sph_dot(d, d)) * s->shape.inverse_h;
        TarnF8 g = slope * sph_slope(kind, q);
        SphLanes gradient = { d.x * g, d.y * g, d.z * g, none };
        TarnF8 value = sph_value(kind, q);
        TarnF8 common = 2.0f * here.w / f8_max(here.w + d.w, f8_set(1e-30f));
        sum += value;
        f8_store(values + k, value * common);
        all += value * common;
        own = (SphLanes){ own.x + gradient.x, own.y + gradient.y, own.z + gradient.z, none };
        squares += sph_dot(gradient, gradient) * d.w;
        f8_store(pairs + k, g);
    }
    TarnF4 sums = sph_sums(own.x, own.y, own.z, sum);
    l->density[i] = s->w_self + s->shape.w * sums[3];
    if (s->mingle > 0.0f && here.w[0] > 0.0f) mingle_of(s, i, values, sph_sum8(all));
    sums[3] = 0.0f;
    f4_store(s->own + 4 * (size_t)i, sums);
    s->factor[i] = sph_sum8(squares);
}

// A wall is liquid of the same pressure that moves with the solid: its particles press on i, and i on them. Both
// count, in the forces and in the growth of density: with the wall once in the growth and twice in the forces,
// errors and forces did not belong together, and iterations in deep water went astray. The wall's gradient is
// left in the impulse of the contact, which has no other use until the solve is over.
TARN_INLINE void add_walls(const SphSweep* s, int i)
{
    const TarnLiquid* l = s->l;
    LiquidContact* c = l->contacts + l->contact_begin[i];
    float slope[LIQUID_MAX_CONTACTS],
        share = tarn__liquid_wall_parts(l, s->smoothing, s->wall_offset, s->wall_steeper, i, slope);
    TarnF4 own = f4_load(s->own + 4 * (size_t)i), wall = f4_set(0.0f);
    for (int k = 0; k < l->contact_count[i]; ++k) {
        c[k].impulse = vec3_scale(c[k].at.normal, slope[k]);
        wall += (TarnF4){ c[k].impulse.x, c[k].impulse.y, c[k].impulse.z,
                          vec3_dot(c[k].impulse, c[k].at.velocity) };
    }
    l->density[i] += share;
    f4_store(s->own + 4 * (size_t)i, own + 2.0f * wall);
}

// Of the walls alone, once.
TARN_INLINE TarnF4 wall_gradient(const TarnLiquid* l, int i)
{
    const LiquidContact* c = l->contacts + l->contact_begin[i];
    TarnF4 sum = f4_set(0.0f);
    for (int k = 0; k < l->contact_count[i]; ++k)
        sum += (TarnF4){ c[k].impulse.x, c[k].impulse.y, c[k].impulse.z, 0.0f };
    return sum;
}

// What disorder makes of the density. A kernel of two spacings finds particles in disorder denser than a lattice of the same
// area, and their densities have slopes; of a lattice there are none.
TARN_INLINE float disorder_of(const SphSweep* s, float c, TarnF4 slope)
{
    if (!(s->disorder > 0.0f && c > 1.0f - SPH_GAP)) return 0.0f;
    return tarn_minf(s->disorder * dot3(slope, slope), SPH_MAX_DISORDER);
}

static void gradients(const SphSweep* s, int begin, int end)
{
    const TarnLiquid* l = s->l;
    bool is_cubic = s->shape.kind == SMOOTHING_CUBIC;
    float least = 1e-3f * s->shape.dw * s->shape.dw; // of a particle that is almost alone
    for (int i = begin; i < end; ++i) {
        if (is_cubic)
            gradients_of(s, i, SMOOTHING_CUBIC);
        else
            gradients_of(s, i, SMOOTHING_WENDLAND);
        if (l->contact_count[i] > 0) add_walls(s, i);
        // What its own pressure takes from the error, through its own way and its neighbors'. Particles on top of one
        // another have the same rows: what one of them does, each does again. With steps that are not as many times
        // shorter, iterations over heaps diverge, and 200 particles that began in one point never calmed down.
        TarnF4 own = f4_load(s->own + 4 * (size_t)i);
        float m = s->packed[SPH_PACK * (size_t)i + 3];
        float sum = s->factor[i] + dot3(own, own) * m;
        l->density[i] -= disorder_of(s, l->density[i], own);
        float crowd = tarn_maxf(l->density[i], 1.0f);
        s->factor[i] =
            1.0f / (s->gain * s->dt * crowd * (sum + least * s->inverse_mass[l->kind[i]]));
    }
}

// ---- The pressure solve ------------------------------------------------------------------------------

// Sum of the gradients times a value of each neighbor.
TARN_INLINE TarnF4 weigh(const SphSweep* s, int i, const float* value)
{
    const Neighbors* nb = &s->l->neighbors;
    const int* j = nb->list + (size_t)i * (size_t)nb->slots;
    const float *g = s->pairs + (size_t)i * (size_t)nb->slots, *x = s->packed;
    TarnF4 here = f4_load(x + SPH_PACK * (size_t)i);
    TarnF4 a = f4_set(0.0f), b = a, c = a, d = a;
    int n = nb->count[i];
    for (int k = 0; k < n; k += 4, j += 4, g += 4) { // lists are padded with the ghost
        a += (here - f4_load(x + SPH_PACK * (size_t)j[0])) * f4_set(g[0] * value[j[0]]);
        b += (here - f4_load(x + SPH_PACK * (size_t)j[1])) * f4_set(g[1] * value[j[1]]);
        c += (here - f4_load(x + SPH_PACK * (size_t)j[2])) * f4_set(g[2] * value[j[2]]);
        d += (here - f4_load(x + SPH_PACK * (size_t)j[3])) * f4_set(g[3] * value[j[3]]);
    }
    return (a + b) + (c + d);
}

// One neighbor's part of the sum of the gradients times the velocities; the fourth means nothing.
TARN_INLINE TarnF4 flux_of(TarnF4 here, const float* there, float g)
{
    return (here - f4_load(there)) * (f4_load(there + SPH_VELOCITY) * f4_set(g));
}
TARN_INLINE float flux(const SphSweep* s, int i)
{
    const Neighbors* nb = &s->l->neighbors;
    const int* j = nb->list + (size_t)i * (size_t)nb->slots;
    const float *g = s->pairs + (size_t)i * (size_t)nb->slots, *x = s->packed;
    TarnF4 here = f4_load(x + SPH_PACK * (size_t)i);
    TarnF4 a = f4_set(0.0f), b = a, c = a, d = a;
    int n = nb->count[i];
    for (int k = 0; k < n; k += 4, j += 4, g += 4) {
        a += flux_of(here, x + SPH_PACK * (size_t)j[0], g[0]);
        b += flux_of(here, x + SPH_PACK * (size_t)j[1], g[1]);
        c += flux_of(here, x + SPH_PACK * (size_t)j[2], g[2]);
        d += flux_of(here, x + SPH_PACK * (size_t)j[3], g[3]);
    }
    TarnF4 sum = (a + b) + (c + d);
    return (sum[0] + sum[1]) + sum[2];
}

// In the density solve velocities are displacements, and begin with 0.
static void push(const SphSweep* s, int begin, int end)
{
    const TarnLiquid* l = s->l;
    for (int i = begin; i < end; ++i) {
        TarnF4 own = f4_load(s->own + 4 * (size_t)i), v = f4_set(0.0f);
        if (!s->is_shift) v = (TarnF4){ l->vx[i], l->vy[i], l->vz[i], 0.0f };
        float* here = s->packed + SPH_PACK * (size_t)i;
        TarnF4 force = own * f4_set(s->p[i]) + weigh(s, i, s->p);
        v -= force * f4_set(s->push_gain * here[3]);
        v[3] = 0.0f;
        f4_store(here + SPH_VELOCITY, v);
    }
}

// One projected step with momentum; returns the square of what counts of the error: what will be pressed, and
// what is pushed apart by a pressure that has had its time. Where the error is larger than `-idle` the
// pressure may be needed, although it is 0 now: a column in free fall has no error but at its foot.
TARN_INLINE double next_pressure(const SphSweep* s, int i, float e, float gain)
{
    bool inside = tarn__sph_is_inside(s, i);
    float now = s->p[i], least = inside ? -s->max_p : 0.0f;
    float p = tarn_minf(tarn_maxf(now + gain * e, least), s->max_p), before = s->p_last[i];
    s->p_last[i] = p;
    s->p_next[i] = tarn_maxf(p + s->momentum * (p - before), least);
    s->active[i] = inside || now > 0.0f || s->weigh_pressed * e > -1.0f ? 1.0f : 0.0f;
    s->residual[i] = s->active[i] * e;
    float apart = tarn_maxf(tarn_minf(-e, now / (2.0f * gain)), 0.0f);
    float w = s->weigh_pressed * (inside ? fabsf(e) : tarn_maxf(e, 0.0f)) + s->weigh_apart * apart;
    return (double)(w * w);
}

// What the density solve takes back of a density that is not 1: less and less from the inside to the surface,
// where it must stay below.
TARN_INLINE float taken(const SphSweep* s, int i)
{
    float excess = s->l->density[i] - 1.0f;
    if (excess < 0.0f && !tarn__sph_is_inside(s, i)) return excess;
    if (excess < -SPH_CLOSE) excess = -SPH_CLOSE * (SPH_GAP + excess) / (SPH_GAP - SPH_CLOSE);
    return tarn_minf(s->take * excess, s->max_take);
}

static void error(const SphSweep* s, int begin, int end)
{
    const TarnLiquid* l = s->l;
    double sum = 0.0, squares = 0.0;
    for (int i = begin; i < end; ++i) {
        TarnF4 own = f4_load(s->own + 4 * (size_t)i);
        TarnF4 v = f4_load(s->packed + SPH_PACK * (size_t)i + SPH_VELOCITY);
        float e = dot3(own, v) - flux(s, i);
        if (s->is_shift)
            e += taken(s, i);
        else // the surface may close
            e = s->dt * (e - own[3]) + tarn_minf(l->density[i] - 1.0f + SPH_GAP, 0.0f);
        sum += next_pressure(s, i, e, s->relax * s->factor[i]);
        squares += (double)(s->p[i] * s->p[i]);
    }
    s->sums[(size_t)begin / 2] = sum;
    s->sums[(size_t)begin / 2 + 1] = squares;
}

// The pressure that the forces of the solve really are, from their virial: with uneven neighborhoods a few
// percent off p, which counts where tension takes up most of it. A wall is liquid of pressure p.
static void virial(const SphSweep* s, int begin, int end)
{
    const TarnLiquid* l = s->l;
    const Neighbors* nb = &l->neighbors;
    for (int i = begin; i < end; ++i) {
        const int* j = nb->list + (size_t)i * (size_t)nb->slots;
        const float* g = s->pairs + (size_t)i * (size_t)nb->slots;
        SphLanes here = sph_lanes(s->packed + SPH_PACK * (size_t)i);
        TarnF8 sum = f8_set(0.0f);
        for (int k = 0; k < nb->count[i]; k += TARN_LANES) {
            SphLanes d = sph_minus(here, sph_gather(s->packed, j + k));
            sum += (s->p[i] + f8_gather_at(s->p, j + k)) * (f8_load(g + k) * sph_dot(d, d));
        }
        bool has_wall = l->contact_count[i] > 0;
        l->pressure[i] += has_wall ? s->p[i] : sph_sum8(sum) * (-0.5f / (float)l->def.dimensions);
    }
}

// ---- Prediction (pcisph) -----------------------------------------------------------------------------

// What the share that walls fill grows by while the particle goes its way.
static float predicted_walls(const SphSweep* s, int i, const float* v)
{
    const TarnLiquid* l = s->l;
    const LiquidContact* c = l->contacts + l->contact_begin[i];
    float open = 1.0f, open_now = 1.0f;
    for (int k = 0; k < l->contact_count[i]; ++k) {
        TarnVec3 u = vec3_sub((TarnVec3){ v[0], v[1], v[2] }, c[k].at.velocity);
        float distance = c[k].at.distance + s->wall_offset;
        open_now *= 1.0f - tarn__smoothing_wall(s->smoothing, distance);
        distance += s->dt * vec3_dot(u, c[k].at.normal);
        open *= 1.0f - tarn__smoothing_wall(s->smoothing, distance);
    }
    return open_now - open;
}

// Of the growth of density until the particles are there, if they go straight on, and its growth at the speed
// of now, the smaller. Straight ways of particles that swing in their cages are too long: the first alone
// would see a density that never comes, and heat a pool in 3-D until it boils. Walls count twice, see add_walls.
typedef struct Ahead {
    float now, then; // what the neighbors add to c; now only if asked for
    float growth;    // its rate [1/s]
} Ahead;
TARN_INLINE Ahead look_ahead(const SphSweep* s, int i, bool wants_now)
{
    const Neighbors* nb = &s->l->neighbors;
    const int* j = nb->list + (size_t)i * (size_t)nb->slots;
    const float *own = s->packed + SPH_PACK * (size_t)i,
                *pairs = s->pairs + (size_t)i * (size_t)nb->slots;
    SphLanes here = sph_lanes(own), v = sph_lanes(own + SPH_VELOCITY);
    TarnF8 now = f8_set(0.0f), then = now, growth = now;
    for (int k = 0; k < nb->count[i]; k += TARN_LANES) {
        SphLanes d = sph_minus(here, sph_gather(s->packed, j + k));
        SphLanes u = sph_minus(v, sph_gather(s->packed + SPH_VELOCITY, j + k));
        if (wants_now)
            now += sph_value(SMOOTHING_CUBIC, f8_sqrt(sph_dot(d, d)) * s->shape.inverse_h);
        growth += f8_load(pairs + k) * sph_dot(d, u);
        d = (SphLanes){ d.x + s->dt * u.x, d.y + s->dt * u.y, d.z + s->dt * u.z, u.w };
        then += sph_value(SMOOTHING_CUBIC, f8_sqrt(sph_dot(d, d)) * s->shape.inverse_h);
    }
    return (Ahead){ s->shape.w * sph_sum8(now), s->shape.w * sph_sum8(then), sph_sum8(growth) };
}

static void predicted(const SphSweep* s, int begin, int end)
{
    const TarnLiquid* l = s->l;
    double sum = 0.0, squares = 0.0;
    for (int i = begin; i < end; ++i) {
        bool has_wall = l->contact_count[i] > 0;
        bool wants_now =
            has_wall || s->disorder > 0.0f; // else c is that of the neighbors, and known
        Ahead a = wants_now ? look_ahead(s, i, true) : look_ahead(s, i, false);
        float far = a.then - (wants_now ? a.now : l->density[i] - s->w_self);
        float straight = s->dt * a.growth;
        if (has_wall) {
            const float* there = s->packed + SPH_PACK * (size_t)i + SPH_VELOCITY;
            far += 2.0f * predicted_walls(s, i, there);
            straight += s->dt * (2.0f * dot3(wall_gradient(l, i), f4_load(there)) -
                                 s->own[4 * (size_t)i + 3]);
        }
        float e = tarn_minf(far, straight) + tarn_minf(l->density[i] - 1.0f + SPH_GAP, 0.0f);
        float delta = tarn_minf(s->delta[l->kind[i]], s->relax * s->factor[i]);
        sum += next_pressure(s, i, e, delta);
        squares += (double)(s->p[i] * s->p[i]);
    }
    s->sums[(size_t)begin / 2] = sum;
    s->sums[(size_t)begin / 2 + 1] = squares;
}

// ---- Explicit forces (sph, wcsph) --------------------------------------------------------------------

// What XSPH changes, from the sum of differences of velocity and of their weights, the fourth: where far too many
// are at one place it stops at their mean.
TARN_INLINE TarnF4 mingled(const SphSweep* s, TarnF4 sum, float inverse_mass)
{
    float m = -2.0f * s->mingle * inverse_mass, all = -m * sum[3];
    return sum * f4_set(all > 1.0f ? m / all : m);
}

// The pressure of a neighbor is the fourth of its velocity (explicit methods only).
TARN_INLINE void forces_range(const SphSweep* s, int begin, int end, bool is_spiky, bool mingles)
{
    const TarnLiquid* l = s->l;
    const Neighbors* nb = &l->neighbors;
    TarnF8 none = f8_set(0.0f), one = f8_set(1.0f);
    float h = 1.0f / s->shape.inverse_h, near = 0.01f * h * h;
    for (int i = begin; i < end; ++i) {
        const int* j = nb->list + (size_t)i * (size_t)nb->slots;
        const float* own = s->packed + SPH_PACK * (size_t)i;
        if (!(own[3] > 0.0f)) continue; // frozen
        SphLanes here = sph_lanes(own), v = sph_lanes(own + SPH_VELOCITY);
        TarnF8 x = none, y = none, z = none;
        SphLanes mean = { none, none, none, none };
        for (int k = 0; k < nb->count[i]; k += TARN_LANES) {
            SphLanes d = sph_minus(here, sph_gather(s->packed, j + k));
            SphLanes u = sph_minus(v, sph_gather(s->packed + SPH_VELOCITY, j + k));
            TarnF8 r2 = sph_dot(d, d), q = f8_sqrt(r2) * s->shape.inverse_h;
            TarnF8 rest = f8_max(one - q, none);
            TarnF8 g = is_spiky ? (-3.0f * (rest * rest)) / f8_max(q, f8_set(1.0f / 64.0f))
                                : sph_slope(SMOOTHING_WENDLAND, q);
            // Half the mass in common, 1 / (here.w + d.w), over the distance squared: one division for both.
            TarnF8 wide = r2 + near;
            TarnF8 common = 1.0f / f8_max(wide * (here.w + d.w), f8_set(1e-30f));
            // Pairs that come closer are slowed down, as by a pressure.
            TarnF8 closing = f8_max(-sph_dot(u, d), none);
            g = g * ((v.w + u.w) + s->viscous * common * closing);
            x += d.x * g;
            y += d.y * g;
            z += d.z * g;
            if (!mingles) continue;
            TarnF8 w = sph_value(SMOOTHING_CUBIC, q) * (common * wide); // XSPH
            mean = (SphLanes){ mean.x + u.x * w, mean.y + u.y * w, mean.z + u.z * w, mean.w + w };
        }
        TarnF4 dv = sph_sums(x, y, z, none) * f4_set(-s->gain * own[3] * s->slope);
        if (mingles) dv += mingled(s, sph_sums(mean.x, mean.y, mean.z, mean.w), own[3]);
        if (l->contact_count[i] > 0) // a wall is liquid of the same pressure
            dv -= wall_gradient(l, i) * f4_set(2.0f * s->gain * own[3] * s->p[i]);
        add_change(s, i, dv);
    }
}

static void forces(const SphSweep* s, int begin, int end)
{
    bool is_spiky = s->shape.kind == SMOOTHING_SPIKY, mingles = s->mingle > 0.0f;
    if (is_spiky && mingles)
        forces_range(s, begin, end, true, true);
    else if (is_spiky)
        forces_range(s, begin, end, true, false);
    else if (mingles)
        forces_range(s, begin, end, false, true);
    else
        forces_range(s, begin, end, false, false);
}

// ---- Lattices that are drawn out ---------------------------------------------------------------------

// Do the neighbors mirror one another and crowd along some axes? Weights fall with the distance. Where all
// directions count the same, dims times the sum of the squares of their tensor is the square of its trace.
TARN_INLINE bool is_drawn_lattice(const SphSweep* s, int i)
{
    const Neighbors* nb = &s->l->neighbors;
    const int* j = nb->list + (size_t)i * (size_t)nb->slots;
    SphLanes here = sph_lanes(s->packed + SPH_PACK * (size_t)i);
    TarnF8 none = f8_set(0.0f), one = f8_set(1.0f), all = none;
    TarnF8 x = none, y = none, z = none, xx = none, yy = none, zz = none;
    TarnF8 xy = none, yz = none, zx = none;
    for (int k = 0; k < nb->count[i]; k += TARN_LANES) {
        SphLanes d = sph_minus(here, sph_gather(s->packed, j + k));
        TarnF8 q = f8_sqrt(sph_dot(d, d)) * s->shape.inverse_h, p = f8_max(one - q, none);
        TarnF8 w = p * p, per_m = w * s->shape.inverse_h / f8_max(q, f8_set(1.0f / 4096.0f));
        d = (SphLanes){ d.x * per_m, d.y * per_m, d.z * per_m, w };
        all += w;
        x += d.x, y += d.y, z += d.z;
        xx += d.x * d.x, yy += d.y * d.y, zz += d.z * d.z;
        xy += d.x * d.y, yz += d.y * d.z, zx += d.z * d.x;
    }
    TarnF4 left = sph_sums(x, y, z, all);
    if (dot3(left, left) >= s->mirrored * s->mirrored * left[3] * left[3]) return false;
    TarnF4 on = sph_sums(xx, yy, zz, none), off = sph_sums(xy, yz, zx, none);
    float trace = on[0] + on[1] + on[2];
    float squares = dot3(on, on) + 2.0f * dot3(off, off);
    return (float)s->l->def.dimensions * squares > (1.0f + SPH_CROWDED) * (trace * trace);
}

// Particles on a lattice that is drawn out along its rows stay on it, since a mirror image of each neighbor pushes
// back, until the rows are farther apart than the kernel reaches and each takes the place of a whole liquid:
// the drop of [Monaghan1994] gained 14 to 24 % of area. So such particles go aside, by chance, until
// their neighbors no longer mirror one another. Others never do, nor does a lattice at rest.
static void unlock(const SphSweep* s, int begin, int end)
{
    TarnLiquid* l = s->l;
    float* at[3] = { l->x, l->y, l->z };
    int turn = (int)((int64_t)(l->time / (double)s->dt) % s->turns);
    for (int i = begin + turn; i < end; i += s->turns) {
        if (!(s->p[i] > 0.0f) || l->contact_count[i] > 0 || l->density[i] < 1.0f - SPH_GAP)
            continue;
        if (l->flags[i] & TARN_LIQUID_FROZEN) continue;
        if (l->density[i] < SPH_HEAP && !is_drawn_lattice(s, i)) continue;
        for (int a = 0; a < l->def.dimensions; ++a) {
            float r = tarn__random01((uint64_t)l->def.seed, 7 + (uint64_t)a, l->id[i]);
            at[a][i] += s->aside * (2.0f * r - 1.0f);
        }
    }
}

// ---- Lennard-Jones -----------------------------------------------------------------------------------

// Balls that are closer than least_r2 push, and count, as if they were so far apart. XSPH is part of the loop.
static void attract(const SphSweep* s, int begin, int end)
{
    TarnLiquid* l = s->l;
    const Neighbors* nb = &l->neighbors;
    TarnF8 none = f8_set(0.0f);
    float h2 = 1.0f / (s->shape.inverse_h * s->shape.inverse_h);
    for (int i = begin; i < end; ++i) {
        const int* j = nb->list + (size_t)i * (size_t)nb->slots;
        const float* own = s->packed + SPH_PACK * (size_t)i;
        SphLanes here = sph_lanes(own), v = sph_lanes(own + SPH_VELOCITY);
        TarnF8 x = none, y = none, z = none, virial = none, sum = none;
        SphLanes mean = { none, none, none, none };
        for (int k = 0; k < nb->count[i]; k += TARN_LANES) {
            SphLanes there = sph_gather(s->packed, j + k), d = sph_minus(here, there);
            SphLanes u = sph_minus(v, sph_gather(s->packed + SPH_VELOCITY, j + k));
            // No farther than the support, too: the fourth power of the ghost's distance is so small a number
            // that the processor takes half of all the time for it.
            TarnF8 r2 = sph_dot(d, d),
                   r = f8_sqrt(f8_min(f8_max(r2, f8_set(s->least_r2)), f8_set(h2)));
            TarnF8 per_r = 1.0f / r, per_r2 = per_r * per_r, a = s->r0_2 * per_r2;
            TarnF8 f = s->strength * ((a * a - a) - s->shift) * per_r;
            f -= s->damping * (sph_dot(u, d) * per_r2);
            // Force = acceleration times the mass in common, 2 / (1/m_i + 1/m_j). Two that are frozen have none.
            TarnF8 ease = here.w + there.w, common = 1.0f / f8_max(ease, f8_set(1e-30f));
            common = f8_select(f8_less(none, ease), common, none);
            f = f8_select(f8_less(r2, f8_set(h2)), (2.0f * f) * common, none);
            TarnF8 value = sph_value(SMOOTHING_CUBIC, r * s->shape.inverse_h), w = value * common;
            x += d.x * f;
            y += d.y * f;
            z += d.z * f;
            virial += r2 * f;
            sum += value;
            mean = (SphLanes){ mean.x + u.x * w, mean.y + u.y * w, mean.z + u.z * w, mean.w + w };
        }
        TarnF4 force = sph_sums(x, y, z, virial);
        TarnF4 mixed = mingled(s, sph_sums(mean.x, mean.y, mean.z, mean.w), own[3]);
        add_change(s, i, force * f4_set(s->dt * own[3]) + mixed);
        l->pressure[i] += s->slope * force[3];
        l->density[i] = s->w_self + s->shape.w * sph_sum8(sum);
    }
}

// ---- A glance at all ---------------------------------------------------------------------------------

static void survey(const TarnLiquid* l, int begin, int end, SphGlance* out)
{
    TarnVec3 g = l->params.gravity;
    TarnF8 most = f8_set(0.0f), squares = most, falls = most;
    float inverse[TARN_LIQUID_KINDS], v2 = 0.0f, fall = 0.0f, head = 0.0f;
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k) inverse[k] = 1.0f / l->kinds[k].density;
    int i = begin;
    for (; i + TARN_LANES <= end; i += TARN_LANES) {
        TarnF8 x = f8_load(l->vx + i), y = f8_load(l->vy + i), z = f8_load(l->vz + i);
        TarnF8 square = x * x + y * y + z * z;
        most = f8_max(square, most);
        squares += square;
        falls += f8_load(l->x + i) * g.x + f8_load(l->y + i) * g.y + f8_load(l->z + i) * g.z;
    }
    out->fastest2 = f8_max_lane(most);
    for (; i < end; ++i) {
        float square = l->vx[i] * l->vx[i] + l->vy[i] * l->vy[i] + l->vz[i] * l->vz[i];
        out->fastest2 = tarn_maxf(square, out->fastest2);
        v2 += square;
        fall += l->x[i] * g.x + l->y[i] * g.y + l->z[i] * g.z;
    }
    for (i = begin; i < end; ++i) head += tarn_maxf(l->pressure[i], 0.0f) * inverse[l->kind[i]];
    out->speed2 = (double)(sph_sum8(squares) + v2);
    out->fall = (double)(sph_sum8(falls) + fall);
    out->head = (double)head;
}

const SphKernels TARN_KERNEL(tarn__sph_kernels) = {
    .pack = pack,
    .density = density,
    .gradients = gradients,
    .push = push,
    .error = error,
    .virial = virial,
    .predicted = predicted,
    .forces = forces,
    .unlock = unlock,
    .attract = attract,
    .survey = survey,
};
