// The sweep of the shallow-water equations, eight cells at a time.
//
// Depths lie at cell centers, speeds on the faces between them. One substep is
//     h~ = h - theta k h (u_e - u_w + w_n - w_s)     k = dt / dx
//     h' = h - k (Fe - Fw + Fn - Fs)                 F = h~_up u
//     u' = u + (momentum brought in) / hbar' - g k (eta'_e - eta'_w) - drag
// with the new depths in the last line, which makes gravity waves symplectic. F and the speeds that it
// carries are taken upwind with a limited slope (minmod), which is second order at best and first at fronts,
// and momentum is conserved over a flat bed: bores and jumps
// come out right [Stelling2003], [Doyen2014]. Every flux is a whole number of grains, so adding it
// to a depth is exact and no water is lost to rounding.
//
// The squeezed depth h~ keeps waves on a flow from growing. With h in its place a substep multiplies waves by
// a matrix of determinant a^2 and trace 2 a - (c k kappa)^2, where a stands for the flow: waves downstream
// grow by about exp(c u kappa^2 dt^2 / 2), however short the substep. With theta 1 the trace is a (2 - (c k
// kappa)^2) and waves keep |a| <= 1. Without advection of momentum it takes 1/2, and 0 where speeds have been
// carried before. The shares of slopes are those of Lax and Wendroff for the speed in both directions
// together: 1/2 - k (|u| + w_max) / 2 at x faces. `tarn check shallow.growth` does this analysis.
//
// At shores speeds go on where no water passes (shore_speed), and running water climbs (twice_over_sill):
// with faces at rest there each cell that floods or dries costs a part of the momentum.
//
// Two-term sums only, or sums of such pairs: mirrored and transposed input gives mirrored and
// transposed output, bit for bit.

#include "base/kernels.h"
#include "shallow/shallow_kernels.h"
#include "shallow/shallow_slopes.h"

// What a flow carries across a face: the value upwind of it and a share of its limited slope. q: two
// values on either side. The slopes are taken along the flow, so that either direction is the same.
TARN_INLINE TarnF8 carried(TarnF8 q0, TarnF8 q1, TarnF8 q2, TarnF8 q3, TarnF8 flow, TarnF8 share)
{
    TarnF8 upwind = f8_by_sign(flow, q2, q1), far = f8_by_sign(flow, q3, q0);
    TarnF8 ahead = f8_by_sign(flow, q1, q2) - upwind;
    return upwind + share * smaller_slope(ahead, upwind - far);
}

// What a cell would hold if its water were only squeezed, as its faces move for theta dt, and not carried.
TARN_INLINE TarnF8 squeezed(const ShallowSweep* s, TarnF8 h, TarnF8 u_left, TarnF8 u_right,
                            TarnF8 w_below, TarnF8 w_above)
{
    return h - h * (s->squeeze_k * ((u_right - u_left) + (w_above - w_below)));
}

// Twice what stands above the sill of a face, the higher ground of both cells, on the side that water comes
// from. A beach is a slope and no stair, so running water climbs half a rise at the face; but no wall
// for which its speed is too small (u^2 / 2 g).
TARN_INLINE TarnF8 twice_over_sill(const ShallowSweep* s, TarnF8 l, TarnF8 r, TarnF8 rise,
                                   TarnF8 speed)
{
    TarnF8 climb = f8_max(f8_set(0.0f), with_sign(rise, sign_of(speed)));
    TarnF8 over = f8_by_sign(speed, r, l) - climb;
    return (over + over) + f8_min(climb, s->climb * (speed * speed));
}
// Never more than half of that, in either direction: tells water that knows of no shore, at little cost.
TARN_INLINE TarnF8 surely_over_sill(TarnF8 l, TarnF8 r, TarnF8 rise)
{
    return f8_min(l, r) - f8_abs(rise);
}

// Depth that passes a face in one substep, from squeezed depths. Over a sill no more than twice what stands
// above it, so that the flow ends smoothly where the sill falls dry. share: of the slope, at speed 0.
TARN_INLINE TarnF8 face_depth(const ShallowSweep* s, TarnF8 h0, TarnF8 h1, TarnF8 h2, TarnF8 h3,
                              TarnF8 rise, TarnF8 speed, float share)
{
    TarnF8 travel = f8_abs(speed) * s->k;
    // Half a slope to the face, less what passes during the substep: second order in time.
    TarnF8 depth = carried(h0, h1, h2, h3, speed, share - 0.5f * travel);
    TarnF8 over = surely_over_sill(h1, h2, rise);
    if (i8_mask_bits(f8_less(over + over, depth)))
        depth = f8_min(depth, twice_over_sill(s, h1, h2, rise, speed));
    // The size is rounded, then gets its sign: mirrored flows stay mirrored.
    depth = f8_max(f8_set(0.0f), depth);
    return with_sign((depth * travel + s->snap) - s->snap, sign_of(speed));
}

// Momentum that a flux carries across, twice.
TARN_INLINE TarnF8 carried_momentum(const ShallowSweep* s, TarnF8 q0, TarnF8 q1, TarnF8 q2,
                                    TarnF8 q3, TarnF8 twice_flux)
{
    return twice_flux * carried(q0, q1, q2, q3, twice_flux, f8_set(s->share));
}

// The speed of a face at the shore. Water flows if it stands above the sill, deep enough to count as wet. A
// face that no water passes goes along with the next one in the water: so water that leaves the shore behind
// is not held back by a face at rest, and water that floods a cell does not start from rest. Slightly less,
// or two such faces would hand their speeds to each other forever. next: if it flows; before, after: of the
// faces on either side.
TARN_INLINE TarnF8 shore_speed(const ShallowSweep* s, TarnF8 l, TarnF8 r, TarnF8 rise, TarnF8 next,
                               TarnF8 before, TarnF8 after)
{
    TarnF8 beside = 0.9375f * f8_select(f8_less(r, l), before, after);
    TarnI8 is_shore = f8_less(f8_max(f8_set(s->dry), f8_min(l, r)), f8_max(l, r));
    TarnI8 is_open = f8_less(f8_set(2.0f * s->dry), twice_over_sill(s, l, r, rise, next));
    return f8_select(is_open, next, f8_select(is_shore, beside, f8_set(0.0f)));
}

// The speed of a face from its momentum: what it had (twice the old depth times speed) and what fluxes
// brought, gravity with the new depths l and r, drag. rise: of the ground; around: four times the
// speed of the water on both sides, whatever its direction; old: the speeds, `along` apart.
TARN_INLINE TarnF8 new_speed(const ShallowSweep* s, TarnF8 twice_momentum, TarnF8 around, TarnF8 l,
                             TarnF8 r, TarnF8 rise, float wind, const float* old, ptrdiff_t along)
{
    TarnF8 step = rise + (r - l);                             // of the surface
    step = f8_min(f8_max(step, -s->steep - l), s->steep + r); // falls
    if (s->fall > 0.0f) { // the water below counts as if it stood at the edge
        step =
            f8_select(f8_less(rise, f8_set(-s->fall)) & f8_less(rise + r, f8_set(0.0f)), -l, step);
        step = f8_select(f8_less(f8_set(s->fall), rise) & f8_less(l, rise), r, step);
    }
    TarnF8 twice_depth = l + r;
    TarnF8 kick = wind - s->gravity_k * step;
    // Between dry cells this is 0 / 0, which the comparisons below make 0.
    TarnF8 next = (twice_momentum + twice_depth * kick) /
                  (twice_depth * s->resist + s->half_drag_dt * around);
    next = f8_min(f8_max(next, f8_set(-s->max_speed)), f8_set(s->max_speed));
    TarnI8 is_open = f8_less(f8_set(s->dry), surely_over_sill(l, r, rise));
    if (i8_mask_bits(is_open) == 0xff) return next;
    return shore_speed(s, l, r, rise, next, f8_load(old - along), f8_load(old + along));
}

// Rows of a strip lie pages apart, where the machine's own prefetching loses the thread. These fetch the
// rows to come, a few lines with each vector: all of a row at once would clog the way to memory.
TARN_INLINE void fetch(const float* row, ptrdiff_t stride)
{
    __builtin_prefetch(row + 6 * stride);
}
TARN_INLINE void fetch_to_write(float* row, ptrdiff_t stride)
{
    __builtin_prefetch(row + 4 * stride, 1);
}

// ---- Rows --------------------------------------------------------------------------------------

// Scratch rows of one run; all are indexed by column i. Several rows are kept of what the next
// rows need too.
typedef struct Rows {
    // Squeezed depth of rows k - 1 to k + 2.
    float *squeezed_below, *squeezed, *squeezed_above, *squeezed_far;
    float *fx, *fx_below;            // flux through the faces at -x, of row k and k - 1
    float *fz_below, *fz, *fz_above; // through the faces at -z of rows k - 1, k, k + 1
    float *h, *h_below;              // new depth of row k and k - 1
    float *fast, *fast_below;        // twice the speed in cells of row k and k - 1
    // Momentum carried, twice:
    float* u_center;                  // u in x, at the centers of row k
    float *u_corner, *u_corner_above; // u in z, at the corners at -x -z of row k, k + 1
    float* w_corner;                  // w in x, at the corners of row k
    float *w_center, *w_center_below; // w in z, at the centers of row k, k - 1
} Rows;

static Rows make_rows(float* scratch, int length, int i0)
{
    float* row[SHALLOW_ROWS];
    for (int r = 0; r < SHALLOW_ROWS; ++r) row[r] = scratch + r * length + 16 - i0;
    return (Rows){ row[0],  row[1],  row[2],  row[3],  row[4],  row[5],  row[6],
                   row[7],  row[8],  row[9],  row[10], row[11], row[12], row[13],
                   row[14], row[15], row[16], row[17], row[18] };
}

static void next_row(Rows* r)
{
    float* t = r->squeezed_below;
    r->squeezed_below = r->squeezed, r->squeezed = r->squeezed_above;
    r->squeezed_above = r->squeezed_far, r->squeezed_far = t;
    t = r->fx;
    r->fx = r->fx_below, r->fx_below = t;
    t = r->fz_below;
    r->fz_below = r->fz, r->fz = r->fz_above, r->fz_above = t;
    t = r->h;
    r->h = r->h_below, r->h_below = t;
    t = r->fast;
    r->fast = r->fast_below, r->fast_below = t;
    t = r->u_corner;
    r->u_corner = r->u_corner_above, r->u_corner_above = t;
    t = r->w_center;
    r->w_center = r->w_center_below, r->w_center_below = t;
}

// Behind edges that are not periodic the depth is what the edge says, not what the flow makes of it.
static bool is_outside(int i, int n, bool is_held)
{
    return is_held && (i < 0 || i >= n);
}
static void hold_ghosts(const ShallowSweep* s, float* out, int i0, int i1, int k)
{
    const float* h = s->h + (ptrdiff_t)k * s->stride;
    for (int i = -SHALLOW_GHOSTS; i0 == 0 && s->holds_x0 && i < 0; ++i) out[i] = h[i];
    for (int i = s->nx; i1 >= s->nx && s->holds_x0 && i < s->nx + SHALLOW_GHOSTS; ++i)
        out[i] = h[i];
}

// Squeezed depths of row k, from one vector left of the run on.
static void squeeze_row(const ShallowSweep* sweep, float* out, int i0, int i1, int k)
{
    const ShallowSweep s = *sweep;
    ptrdiff_t up = s.stride;
    const float *h = s.h + k * up, *u = s.u + k * up, *w = s.w + k * up;
    bool is_held = is_outside(k, s.nz, s.holds_z0);
    for (int i = i0 - TARN_LANES; i < i1 + 2; i += TARN_LANES) {
        TarnF8 here = f8_load(h + i);
        f8_store(out + i, is_held ? here
                                  : squeezed(&s, here, f8_load(u + i), f8_load(u + i + 1),
                                             f8_load(w + i), f8_load(w + i + up)));
    }
    hold_ghosts(sweep, out, i0, i1, k);
}

// Flux through the upper faces of row k.
static void flux_z_row(const ShallowSweep* sweep, const Rows* r, int i0, int i1, int k)
{
    const ShallowSweep s = *sweep;
    ptrdiff_t up = s.stride;
    const float *b = s.b + k * up, *w = s.w + k * up;
    for (int i = i0 - TARN_LANES; i < i1; i += TARN_LANES) {
        f8_store(r->fz_above + i,
                 face_depth(&s, f8_load(r->squeezed_below + i), f8_load(r->squeezed + i),
                            f8_load(r->squeezed_above + i), f8_load(r->squeezed_far + i),
                            f8_load(b + i + up) - f8_load(b + i), f8_load(w + i + up), s.share_z));
    }
}

// Squeezed depths of row k + 2, flux through the upper faces of row k and through its faces at -x. Vectors
// begin where rows are aligned.
static void flux_row(const ShallowSweep* sweep, const Rows* rows, int i0, int i1, int k)
{
    ShallowSweep s = *sweep;
    const Rows r = *rows;
    if (is_outside(k + 2, s.nz, s.holds_z0)) s.squeeze_k = 0.0f;
    ptrdiff_t up = s.stride;
    const float *h = s.h + (k + 2) * up, *b = s.b + k * up, *u = s.u + k * up, *w = s.w + k * up;
    for (int i = i0 - TARN_LANES; i < i1 + 2; i += TARN_LANES) {
        fetch(h + i, up);
        fetch(u + i + 2 * up, up);
        fetch(w + i + 3 * up, up);
        fetch(b + i + up, up);
        TarnF8 far =
            squeezed(&s, f8_load(h + i), f8_load(u + i + 2 * up), f8_load(u + i + 2 * up + 1),
                     f8_load(w + i + 2 * up), f8_load(w + i + 3 * up));
        f8_store(r.squeezed_far + i, far);
        TarnF8 ground = f8_load(b + i), here = f8_load(r.squeezed + i);
        f8_store(r.fz_above + i,
                 face_depth(&s, f8_load(r.squeezed_below + i), here, f8_load(r.squeezed_above + i),
                            far, f8_load(b + i + up) - ground, f8_load(w + i + up), s.share_z));
        f8_store(r.fx + i, face_depth(&s, f8_load(r.squeezed + i - 2), f8_load(r.squeezed + i - 1),
                                      here, f8_load(r.squeezed + i + 1),
                                      ground - f8_load(b + i - 1), f8_load(u + i), s.share_x));
    }
    hold_ghosts(sweep, r.squeezed_far, i0, i1, k + 2);
}

// What arrives of a flux in a cell with this surface: nothing that falls into it over an edge. inward: the flux, positive
// towards the cell; beyond: the ground that it comes from.
TARN_INLINE TarnI8 falls_in(const ShallowSweep* s, TarnF8 ground, TarnF8 depth, TarnF8 beyond,
                            TarnF8 inward)
{
    return f8_less(f8_set(s->fall), beyond - ground) & f8_less(ground + depth, beyond) &
           f8_less(f8_set(0.0f), inward);
}

// The new depths of row k, and the momentum carried through its centers, from one vector left of the run on.
static void depth_row(const ShallowSweep* sweep, const Rows* rows, int i0, int i1, int k,
                      bool has_momentum)
{
    const ShallowSweep s = *sweep;
    const Rows r = *rows;
    ptrdiff_t up = s.stride;
    const float *h = s.h + k * up, *u = s.u + k * up, *w = s.w + k * up;
    for (int i = i0 - TARN_LANES; i < i1; i += TARN_LANES) {
        TarnF8 here = f8_load(h + i), w_below = f8_load(w + i), w_above = f8_load(w + i + up);
        TarnF8 u_left = f8_load(u + i), u_right = f8_load(u + i + 1);
        TarnF8 fx = f8_load(r.fx + i), fx_next = f8_load(r.fx + i + 1);
        TarnF8 fz = f8_load(r.fz + i), fz_above = f8_load(r.fz_above + i);
        TarnF8 along_x = u_left + u_right, along_z = w_below + w_above;
        TarnF8 in_x = fx, out_x = fx_next, in_z = fz, out_z = fz_above;
        if (s.fall > 0.0f) {
            const float* b = s.b + k * up + i;
            TarnF8 ground = f8_load(b), none = f8_set(0.0f);
            in_x = f8_select(falls_in(&s, ground, here, f8_load(b - 1), fx), none, fx);
            out_x = f8_select(falls_in(&s, ground, here, f8_load(b + 1), -fx_next), none, fx_next);
            in_z = f8_select(falls_in(&s, ground, here, f8_load(b - up), fz), none, fz);
            out_z =
                f8_select(falls_in(&s, ground, here, f8_load(b + up), -fz_above), none, fz_above);
        }
        f8_store(r.h + i, here - ((out_x - in_x) + (out_z - in_z)));
        f8_store(r.fast + i, f8_sqrt(along_x * along_x + along_z * along_z));
        if (!has_momentum) continue;
        // Where water runs together a bore stands: the pressure of its roller, after von Neumann and
        // Richtmyer, spreads it over a few cells and keeps still water behind it still.
        TarnF8 squeeze = f8_min((u_right - u_left) + (w_above - w_below), f8_set(0.0f));
        TarnF8 roller = s.bore_k * here * (squeeze * squeeze);
        f8_store(r.u_center + i, roller + carried_momentum(&s, f8_load(u + i - 1), u_left, u_right,
                                                           f8_load(u + i + 2), fx + fx_next));
        f8_store(r.w_center + i,
                 roller + carried_momentum(&s, f8_load(w + i - up), w_below, w_above,
                                           f8_load(w + i + 2 * up), fz + fz_above));
    }
}

// The momentum carried through corners: w in x at the lower ones of row k, u in z at the upper ones.
static void corner_row(const ShallowSweep* sweep, const Rows* rows, int i0, int i1, int k)
{
    const ShallowSweep s = *sweep;
    const Rows r = *rows;
    ptrdiff_t up = s.stride;
    const float *u = s.u + k * up, *w = s.w + k * up;
    for (int i = i0; i < i1 + 1; i += TARN_LANES) {
        f8_store(r.w_corner + i,
                 carried_momentum(&s, f8_load(w + i - 2), f8_load(w + i - 1), f8_load(w + i),
                                  f8_load(w + i + 1), f8_load(r.fx_below + i) + f8_load(r.fx + i)));
        f8_store(r.u_corner_above + i,
                 carried_momentum(&s, f8_load(u + i - up), f8_load(u + i), f8_load(u + i + up),
                                  f8_load(u + i + 2 * up),
                                  f8_load(r.fz_above + i - 1) + f8_load(r.fz_above + i)));
    }
}

// The first n lanes.
TARN_INLINE TarnI8 inside(int n)
{
    return (TarnI8){ 0, 1, 2, 3, 4, 5, 6, 7 } < n;
}

// Extremes of a run, lane by lane, until its last row is done.
typedef struct Extremes {
    TarnF8 h, u_min, u_max, w_min, w_max;
} Extremes;

static ShallowExtremes lanes_joined(const Extremes* x)
{
    return (ShallowExtremes){ f8_max_lane(x->h), -f8_max_lane(-x->u_min), f8_max_lane(x->u_max),
                              -f8_max_lane(-x->w_min), f8_max_lane(x->w_max) };
}

static void speed_u_row(const ShallowSweep* sweep, const Rows* rows, int i0, int i1, int k,
                        bool has_momentum, Extremes* run)
{
    const ShallowSweep s = *sweep;
    const Rows r = *rows;
    ptrdiff_t row = (ptrdiff_t)k * s.stride;
    const float *h = s.h + row, *u = s.u + row, *b = s.b + row;
    float *h1 = s.h1 + row, *u1 = s.u1 + row;
    Extremes x = *run;
    for (int i = i0; i < i1; i += TARN_LANES) {
        TarnF8 q = f8_load(u + i), l = f8_load(r.h + i - 1), here = f8_load(r.h + i);
        TarnF8 twice = (has_momentum ? f8_load(h + i - 1) + f8_load(h + i) : l + here) * q;
        if (has_momentum) {
            TarnF8 in = f8_load(r.u_center + i - 1), out = f8_load(r.u_center + i);
            if (s.fall > 0.0f) { // what falls takes its momentum along
                TarnF8 fx = f8_load(r.fx + i), none = f8_set(0.0f);
                in = f8_select(falls_in(&s, f8_load(b + i - 1), f8_load(h + i - 1),
                                        f8_load(b + i - 2), f8_load(r.fx + i - 1)),
                               f8_max(fx, none) * q, in);
                out = f8_select(falls_in(&s, f8_load(b + i), f8_load(h + i), f8_load(b + i + 1),
                                         -f8_load(r.fx + i + 1)),
                                f8_min(fx, none) * q, out);
            }
            twice += (in - out) + (f8_load(r.u_corner + i) - f8_load(r.u_corner_above + i));
        }
        TarnF8 rise = f8_load(b + i) - f8_load(b + i - 1);
        TarnF8 around = f8_load(r.fast + i - 1) + f8_load(r.fast + i);
        TarnF8 next = new_speed(&s, twice, around, l, here, rise, s.wind_x, u + i, 1);
        fetch_to_write(h1 + i, s.stride);
        fetch_to_write(u1 + i, s.stride);
        f8_store(h1 + i, here);
        f8_store(u1 + i, next);
        if (i == 0 && s.holds_x0) next[0] = 0.0f;
        if (i + TARN_LANES > s.nx) { // beyond the edge nothing matters
            here = f8_select(inside(s.nx - i), here, f8_set(0.0f));
            next = f8_select(inside(s.nx - i), next, f8_set(0.0f));
        }
        x.h = f8_max(x.h, here);
        x.u_min = f8_min(x.u_min, next), x.u_max = f8_max(x.u_max, next);
    }
    *run = x;
}

static void speed_w_row(const ShallowSweep* sweep, const Rows* rows, int i0, int i1, int k,
                        bool has_momentum, Extremes* run)
{
    const ShallowSweep s = *sweep;
    const Rows r = *rows;
    ptrdiff_t up = s.stride, row = k * up;
    const float *h = s.h + row, *w = s.w + row, *b = s.b + row;
    float* w1 = s.w1 + row;
    Extremes x = *run;
    for (int i = i0; i < i1; i += TARN_LANES) {
        TarnF8 q = f8_load(w + i), l = f8_load(r.h_below + i), here = f8_load(r.h + i);
        TarnF8 twice = (has_momentum ? f8_load(h + i - up) + f8_load(h + i) : l + here) * q;
        if (has_momentum) {
            TarnF8 in = f8_load(r.w_center_below + i), out = f8_load(r.w_center + i);
            if (s.fall > 0.0f) {
                TarnF8 fz = f8_load(r.fz + i), none = f8_set(0.0f);
                in = f8_select(falls_in(&s, f8_load(b + i - up), f8_load(h + i - up),
                                        f8_load(b + i - 2 * up), f8_load(r.fz_below + i)),
                               f8_max(fz, none) * q, in);
                out = f8_select(falls_in(&s, f8_load(b + i), f8_load(h + i), f8_load(b + i + up),
                                         -f8_load(r.fz_above + i)),
                                f8_min(fz, none) * q, out);
            }
            twice += (in - out) + (f8_load(r.w_corner + i) - f8_load(r.w_corner + i + 1));
        }
        TarnF8 rise = f8_load(b + i) - f8_load(b + i - up);
        TarnF8 around = f8_load(r.fast_below + i) + f8_load(r.fast + i);
        TarnF8 next = new_speed(&s, twice, around, l, here, rise, s.wind_z, w + i, up);
        fetch_to_write(w1 + i, s.stride);
        f8_store(w1 + i, next);
        if (k == 0 && s.holds_z0) continue;
        if (i + TARN_LANES > s.nx) next = f8_select(inside(s.nx - i), next, f8_set(0.0f));
        x.w_min = f8_min(x.w_min, next), x.w_max = f8_max(x.w_max, next);
    }
    *run = x;
}

// ---- Sweep -------------------------------------------------------------------------------------

static int padded_end(int i0, int i1)
{
    return i0 + (i1 - i0 + TARN_LANES - 1) / TARN_LANES * TARN_LANES;
}

// Ready for flux_row at row k0 - 1: squeezed depths up to row k0, flux through the lower faces of row k0 - 1.
static Rows first_rows(const ShallowSweep* s, int i0, int end, int k0, float* scratch)
{
    Rows r = make_rows(scratch, s->scratch_row, i0);
    for (int k = k0 - 3; k < k0; ++k) {
        squeeze_row(s, r.squeezed_far, i0, end, k);
        next_row(&r);
    }
    squeeze_row(s, r.squeezed_far, i0, end, k0);
    flux_z_row(s, &r, i0, end, k0 - 2);
    next_row(&r);
    return r;
}

static ShallowExtremes sweep(const ShallowSweep* s, int i0, int i1, int k0, int k1, float* scratch)
{
    bool has_momentum = s->has_momentum;
    int end = padded_end(i0, i1);
    Rows r = first_rows(s, i0, end, k0, scratch);
    Extremes x = { 0 };
    // The row below the run is computed, too, but not written: its neighbors do that.
    for (int k = k0 - 1; k < k1; ++k) {
        flux_row(s, &r, i0, end, k);
        depth_row(s, &r, i0, end, k, has_momentum);
        if (has_momentum) corner_row(s, &r, i0, end, k);
        if (k >= k0) speed_u_row(s, &r, i0, end, k, has_momentum, &x);
        if (k >= k0) speed_w_row(s, &r, i0, end, k, has_momentum, &x);
        next_row(&r);
    }
    return lanes_joined(&x);
}

// The squeezed depth of a single cell, in all lanes.
static TarnF8 squeezed_cell(const ShallowSweep* s, ptrdiff_t c)
{
    int k = (int)((c + SHALLOW_GHOSTS + SHALLOW_GHOSTS * (ptrdiff_t)s->stride) / s->stride) -
            SHALLOW_GHOSTS;
    int i = (int)(c - (ptrdiff_t)k * s->stride);
    TarnF8 h = f8_set(s->h[c]);
    if (is_outside(i, s->nx, s->holds_x0) || is_outside(k, s->nz, s->holds_z0)) return h;
    return squeezed(s, h, f8_set(s->u[c]), f8_set(s->u[c + 1]), f8_set(s->w[c]),
                    f8_set(s->w[c + s->stride]));
}

static float one_face_depth(const ShallowSweep* s, const float* speed, ptrdiff_t c,
                            ptrdiff_t across)
{
    TarnF8 rise = f8_set(s->b[c]) - f8_set(s->b[c - across]);
    return face_depth(s, squeezed_cell(s, c - 2 * across), squeezed_cell(s, c - across),
                      squeezed_cell(s, c), squeezed_cell(s, c + across), rise, f8_set(speed[c]),
                      across == 1 ? s->share_x : s->share_z)[0];
}

static void add_row(float* to, const float* row, int i0, int i1)
{
    for (int i = i0; i < i1; ++i) to[i] += row[i];
}

static void add_flux(const ShallowSweep* s, int i0, int i1, int k0, int k1, float* x, float* z,
                     float* scratch)
{
    int end = padded_end(i0, i1);
    Rows r = first_rows(s, i0, end, k0, scratch);
    for (int k = k0 - 1; k < k1; ++k) {
        flux_row(s, &r, i0, end, k);
        if (k >= k0) add_row(x + (ptrdiff_t)k * s->stride, r.fx, i0, i1);
        if (k >= k0) add_row(z + (ptrdiff_t)k * s->stride, r.fz, i0, i1);
        next_row(&r);
    }
}

static ShallowExtremes extremes(const float* h, const float* u, const float* w, int stride, int n,
                                int rows)
{
    Extremes x = { 0 };
    for (int k = 0; k < rows; ++k, h += stride, u += stride, w += stride) {
        for (int i = 0; i < n; i += TARN_LANES) {
            TarnF8 a = f8_load(h + i), b = f8_load(u + i), c = f8_load(w + i);
            if (i + TARN_LANES > n) {
                TarnI8 mask = inside(n - i);
                TarnF8 zero = f8_set(0.0f);
                a = f8_select(mask, a, zero), b = f8_select(mask, b, zero);
                c = f8_select(mask, c, zero);
            }
            x.h = f8_max(x.h, a);
            x.u_min = f8_min(x.u_min, b), x.u_max = f8_max(x.u_max, b);
            x.w_min = f8_min(x.w_min, c), x.w_max = f8_max(x.w_max, c);
        }
    }
    return lanes_joined(&x);
}

static double sum(const float* h, int stride, int n, int rows)
{
    TarnD4 even = { 0 }, odd = { 0 };
    double rest = 0.0;
    for (int k = 0; k < rows; ++k, h += stride) {
        int i = 0;
        for (; i + 8 <= n; i += 8) {
            even += d4_load(h + i);
            odd += d4_load(h + i + 4);
        }
        for (; i < n; ++i) rest += (double)h[i];
    }
    return d4_sum(even + odd) + rest;
}

const ShallowKernels TARN_KERNEL(tarn__shallow_kernels) = { sweep, one_face_depth, add_flux,
                                                            extremes, sum };
