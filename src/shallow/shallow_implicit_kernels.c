// The loops of the implicit gravity step, eight cells at a time. The equations are in shallow_implicit.c.

#include "base/kernels.h"
#include "shallow/shallow_implicit.h"
#include "shallow/shallow_slopes.h"

TARN_INLINE TarnF8 clamped(TarnF8 x, TarnF8 lo, TarnF8 hi)
{
    return f8_min(f8_max(x, lo), hi);
}

// Share of a slope that a face gets: half a cell less what passes, the flow across included (as the growth of
// oblique waves asks for).
TARN_INLINE TarnF8 slope_share(const ShallowGravity* g, TarnF8 speed, float across)
{
    return f8_max(0.5f - (0.5f * g->k) * (f8_abs(speed) + across), f8_set(0.0f));
}

// ---- Surface that the flow carries along ------------------------------------------------------------------

// Surface at a face, less that of the cell here, times the way of the water out of the cell. rise: of the surface from
// here to the cell beyond the face; near: from the cell behind to here; far: on beyond.
TARN_INLINE TarnF8 carried_out(const ShallowGravity* g, TarnF8 out, float across, TarnF8 rise,
                               TarnF8 near, TarnF8 far)
{
    TarnF8 share = slope_share(g, out, across), zero = f8_set(0.0f);
    // Falls count to the depth of a cell, as in the drive.
    TarnF8 step = clamped(rise, f8_set(-g->steep), f8_set(g->steep));
    TarnF8 from_here = share * smaller_slope(step, near);
    TarnF8 from_there = step - share * smaller_slope(step, far);
    return (g->k * out) * f8_select(f8_less(zero, out), from_here, from_there);
}

TARN_INLINE TarnF8 surface_rise(const float* h, const float* b, ptrdiff_t to)
{
    return (f8_load(b + to) - f8_load(b)) + (f8_load(h + to) - f8_load(h));
}

// Along one axis: by is the way to the next cell, across the fastest speed along the other axis.
TARN_INLINE TarnF8 carried_along(const ShallowGravity* g, const float* h, const float* b,
                                 const float* speed, ptrdiff_t by, float across)
{
    TarnF8 ahead = surface_rise(h, b, by), behind = -surface_rise(h, b, -by);
    TarnF8 far_ahead = surface_rise(h + by, b + by, by);
    TarnF8 far_behind = -surface_rise(h - by, b - by, -by);
    TarnF8 high = carried_out(g, f8_load(speed + by), across, ahead, behind, far_ahead);
    TarnF8 low = carried_out(g, -f8_load(speed), across, -behind, -ahead, -far_behind);
    return high + low;
}

static void carry(const ShallowGravity* gravity, int k0, int k1)
{
    const ShallowGravity g = *gravity;
    for (int k = k0; k < k1; ++k) {
        for (int i = 0; i < g.nx; i += TARN_LANES) {
            ptrdiff_t c = (ptrdiff_t)g.stride * k + i;
            TarnF8 x = carried_along(&g, g.h + c, g.b + c, g.u + c, 1, g.w_far);
            TarnF8 z = carried_along(&g, g.h + c, g.b + c, g.w + c, g.stride, g.u_far);
            f8_store(g.h1 + c, -g.carry * (x + z));
        }
    }
}

// ---- Faces ------------------------------------------------------------------------------------------------

// Depth that can flow over a face from one side: upwind with a limited slope, and at most twice what stands above
// the sill; 0 where that is dry.
TARN_INLINE TarnF8 depth_from(const ShallowGravity* g, TarnF8 far, TarnF8 here, TarnF8 there,
                              TarnF8 rise, TarnF8 share)
{
    TarnF8 zero = f8_set(0.0f);
    TarnF8 over = here - f8_max(zero, rise);
    TarnF8 depth = here + share * smaller_slope(there - here, here - far);
    depth = f8_max(zero, f8_min(depth, over + over));
    return f8_select(f8_less(f8_set(g->dry), over), depth, zero);
}

// Faces of eight cells towards -x or -z. by: to the cell behind the face; along: to the next face of the other axis.
TARN_INLINE void face(const ShallowGravity* g, ptrdiff_t c, ptrdiff_t by, ptrdiff_t along,
                      const float* own, const float* other, float across, float wind, float* a,
                      float* depth_k, float* next)
{
    TarnF8 zero = f8_set(0.0f);
    const float *h = g->h + c, *b = g->b + c, *t = g->h1 + c, *v = other + c;
    TarnF8 l = f8_load(h - by), r = f8_load(h), speed = f8_load(own + c);
    TarnF8 rise = f8_load(b) - f8_load(b - by), step = rise + (r - l);
    TarnF8 share = slope_share(g, speed, across);
    TarnF8 from_l = depth_from(g, f8_load(h - 2 * by), l, r, rise, share);
    TarnF8 from_r = depth_from(g, f8_load(h + by), r, l, -rise, share);
    // Where the flow comes from; without one, where the surface is higher; in calm water from both.
    TarnF8 way = f8_select(f8_less(zero, f8_abs(speed)), speed, -step);
    TarnF8 depth = f8_select(f8_less(zero, way), from_l,
                             f8_select(f8_less(way, zero), from_r, 0.5f * (from_l + from_r)));
    TarnF8 fall = clamped(step, -g->steep - l, g->steep + r);
    TarnI8 is_fall = f8_less(zero, f8_abs(fall - step));
    TarnF8 drive = fall + (1.0f - g->theta) * (f8_load(t) - f8_load(t - by));
    TarnF8 mean =
        0.25f * ((f8_load(v - by) + f8_load(v)) + (f8_load(v + along - by) + f8_load(v + along)));
    TarnF8 twice = l + r, fast = f8_sqrt(speed * speed + mean * mean);
    TarnI8 is_open = f8_less(zero, depth);
    // Drag and damping: times keep / twice.
    TarnF8 brake = twice * g->resist + (2.0f * g->drag_dt) * fast;
    TarnF8 keep = f8_select(is_open, twice / f8_select(is_open, brake, f8_set(1.0f)), zero);
    f8_store(next + c, keep * ((speed + wind) - g->gravity_k * drive));
    f8_store(depth_k + c, g->k * depth);
    TarnF8 alpha = (g->theta * g->theta * g->gravity_k) * (g->k * depth) * keep;
    f8_store(a + c, f8_select(is_fall, zero, alpha));
}

static void faces(const ShallowGravity* gravity, int k0, int k1)
{
    const ShallowGravity g = *gravity;
    ptrdiff_t up = g.stride;
    for (int k = k0; k < k1 + (k1 == g.nz); ++k) {
        for (int i = 0; i < g.nx + 1 && k < g.nz; i += TARN_LANES)
            face(&g, up * k + i, 1, up, g.u, g.w, g.w_far, g.wind_x, g.ax, g.gx, g.u1);
        for (int i = 0; i < g.nx; i += TARN_LANES)
            face(&g, up * k + i, up, 1, g.w, g.u, g.u_far, g.wind_z, g.az, g.gz, g.w1);
    }
}

// What passes the faces of eight cells in a substep, without the part of the new surface.
TARN_INLINE TarnF8 passing(const ShallowGravity* g, const float* depth_k, const float* old,
                           const float* next, ptrdiff_t c)
{
    return f8_load(depth_k + c) *
           (g->theta * f8_load(next + c) + (1.0f - g->theta) * f8_load(old + c));
}

static void right(const ShallowGravity* gravity, int k0, int k1)
{
    const ShallowGravity g = *gravity;
    for (int k = k0; k < k1; ++k) {
        for (int i = 0; i < g.nx; i += TARN_LANES) {
            ptrdiff_t c = (ptrdiff_t)g.stride * k + i;
            TarnF8 x = passing(&g, g.gx, g.u, g.u1, c) - passing(&g, g.gx, g.u, g.u1, c + 1);
            TarnF8 z = passing(&g, g.gz, g.w, g.w1, c) - passing(&g, g.gz, g.w, g.w1, c + g.stride);
            f8_store(g.d + c, x + z);
            f8_store(g.h1 + c, f8_set(1.0f));
        }
    }
}

// ---- After the solve -------------------------------------------------------------------------------------

TARN_INLINE void speed(const ShallowGravity* g, ptrdiff_t c, ptrdiff_t by, const float* a,
                       const float* old, float* depth_k, float* next)
{
    TarnF8 zero = f8_set(0.0f);
    TarnF8 depth = f8_load(depth_k + c), v = f8_load(next + c);
    TarnI8 is_open = f8_less(zero, depth);
    TarnF8 pull = f8_load(a + c) / f8_select(is_open, g->theta * depth, f8_set(1.0f));
    v -= pull * (f8_load(g->d + c) - f8_load(g->d + c - by));
    v = clamped(v, f8_set(-g->max_speed), f8_set(g->max_speed));
    TarnF8 flow = g->theta * v + (1.0f - g->theta) * f8_load(old + c);
    // Where it comes from in the end, it must stand above the sill.
    TarnF8 rise = f8_load(g->b + c) - f8_load(g->b + c - by);
    TarnF8 up = f8_by_sign(flow, f8_load(g->h + c), f8_load(g->h + c - by));
    TarnF8 over = up - f8_max(zero, with_sign(rise, sign_of(flow)));
    is_open &= f8_less(f8_set(g->dry), over);
    TarnF8 size = (f8_abs(depth * flow) + g->snap) - g->snap; // whole grains
    f8_store(next + c, f8_select(is_open, v, zero));
    f8_store(depth_k + c, f8_select(is_open, with_sign(size, sign_of(flow)), zero));
}

static void speeds(const ShallowGravity* gravity, int k0, int k1)
{
    const ShallowGravity g = *gravity;
    ptrdiff_t up = g.stride;
    for (int k = k0; k < k1 + (k1 == g.nz); ++k) {
        for (int i = 0; i < g.nx + 1 && k < g.nz; i += TARN_LANES)
            speed(&g, up * k + i, 1, g.ax, g.u, g.gx, g.u1);
        for (int i = 0; i < g.nx; i += TARN_LANES) speed(&g, up * k + i, up, g.az, g.w, g.gz, g.w1);
    }
}

// Nine tenths of its water is the most that a cell gives, as in the explicit substep.
static void shares(const ShallowGravity* gravity, int k0, int k1)
{
    const ShallowGravity g = *gravity;
    TarnF8 zero = f8_set(0.0f);
    for (int k = k0; k < k1; ++k) {
        for (int i = 0; i < g.nx; i += TARN_LANES) {
            ptrdiff_t c = (ptrdiff_t)g.stride * k + i;
            TarnF8 x = f8_max(zero, f8_load(g.gx + c + 1)) + f8_max(zero, -f8_load(g.gx + c));
            TarnF8 z =
                f8_max(zero, f8_load(g.gz + c + g.stride)) + f8_max(zero, -f8_load(g.gz + c));
            TarnF8 most = 0.9f * f8_load(g.h + c), out = x + z, one = f8_set(1.0f);
            TarnI8 is_less = f8_less(most, out);
            f8_store(g.d + c, f8_select(is_less, most / f8_select(is_less, out, one), one));
        }
    }
}

// Rounded down to whole grains where it is less.
TARN_INLINE TarnF8 less_depth(const ShallowGravity* g, TarnF8 depth, TarnF8 share)
{
    TarnF8 size = f8_abs(depth) * share, whole = (size + g->snap) - g->snap;
    whole = f8_select(f8_less(size, whole), whole - g->grain, whole);
    TarnI8 is_less = f8_less(share, f8_set(1.0f));
    return f8_select(is_less, with_sign(f8_max(whole, f8_set(0.0f)), sign_of(depth)), depth);
}

// What passes a face; its share is that of the cell it comes from.
TARN_INLINE TarnF8 passing_face(const ShallowGravity* g, const float* depth, ptrdiff_t c,
                                ptrdiff_t by, TarnF8* share)
{
    TarnF8 flow = f8_load(depth + c);
    *share = f8_by_sign(flow, f8_load(g->d + c), f8_load(g->d + c - by));
    return less_depth(g, flow, *share);
}

static void depths(const ShallowGravity* gravity, int k0, int k1)
{
    const ShallowGravity g = *gravity;
    ptrdiff_t up = g.stride;
    for (int k = k0; k < k1; ++k) {
        for (int i = 0; i < g.nx; i += TARN_LANES) {
            ptrdiff_t c = up * k + i;
            TarnF8 share_x, share_z, other;
            TarnF8 x = passing_face(&g, g.gx, c, 1, &share_x);
            TarnF8 z = passing_face(&g, g.gz, c, up, &share_z);
            TarnF8 x1 = passing_face(&g, g.gx, c + 1, 1, &other);
            TarnF8 z1 = passing_face(&g, g.gz, c + up, up, &other);
            f8_store(g.h1 + c, f8_load(g.h + c) - ((x1 - x) + (z1 - z)));
            f8_store(g.u1 + c, f8_load(g.u1 + c) * share_x);
            f8_store(g.w1 + c, f8_load(g.w1 + c) * share_z);
        }
    }
}

TARN_INLINE void add_lanes(float* to, TarnF8 flow, int n)
{
    for (int lane = 0; lane < n && lane < TARN_LANES; ++lane) to[lane] += flow[lane];
}

static void add_flux(const ShallowGravity* gravity, int k0, int k1, float* x, float* z)
{
    const ShallowGravity g = *gravity;
    ptrdiff_t up = g.stride;
    TarnF8 share;
    for (int k = k0; k < k1 + (k1 == g.nz); ++k) {
        for (int i = 0; i < g.nx + 1 && k < g.nz; i += TARN_LANES)
            add_lanes(x + up * k + i, passing_face(&g, g.gx, up * k + i, 1, &share), g.nx + 1 - i);
        for (int i = 0; i < g.nx; i += TARN_LANES)
            add_lanes(z + up * k + i, passing_face(&g, g.gz, up * k + i, up, &share), g.nx - i);
    }
}

static float passed(const ShallowGravity* g, float depth, float share)
{
    return less_depth(g, f8_set(depth), f8_set(share))[0];
}

const ShallowGravityKernels TARN_KERNEL(tarn__shallow_gravity_kernels) = {
    carry, faces, right, speeds, shares, depths, add_flux, passed,
};
