// For lattice_kernels.c only: the arithmetic of a collision, for groups of cells (lattice_lanes.h). First their moments and
// what follows from them, then what leaves them.
#pragma once

#include "lattice/lattice_kernels.h"
#include "lattice/lattice_lanes.h"

#if defined(__clang__)
// Where the lattice is not a constant (limits; sanitizers, which inline less: base/simd.h) loops stay loops.
#pragma clang diagnostic ignored "-Wpass-failed"
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 9")
#endif

// Halves are scaled so that the smallest normal one stands for 2^-29. In registers they keep that scale, which is a power of two
// and changes no digit: moments are scaled back, and what leaves a cell is scaled once for all directions.
static const float half_scale = 0x1p15f, half_unit = 0x1p-15f;

typedef struct Cells { // populations of a group of cells, as they are stored
    Lanes rest, up[LATTICE_PAIRS], down[LATTICE_PAIRS];
} Cells;
typedef struct Places { // elements where a row loads and stores them
    ptrdiff_t rest, up[LATTICE_PAIRS], down[LATTICE_PAIRS];
} Places;
typedef struct Moments {
    Lanes rho, x, y, z; // density - 1, momentum
} Moments;

TARN_INLINE Lanes load(const void* f, ptrdiff_t at, const bool is_half, unsigned bits)
{
    if (is_half) return lanes_load_halves((const uint16_t*)f + at, bits);
    return lanes_load((const float*)f + at, bits);
}
TARN_INLINE void store(void* f, ptrdiff_t at, Lanes v, const bool is_half, unsigned bits)
{
    if (is_half)
        lanes_store_halves((uint16_t*)f + at, v, bits);
    else
        lanes_store((float*)f + at, v, bits);
}

TARN_INLINE Places places_of(const LatticeKind* kind, const LatticeGrid* g, bool is_odd, int j,
                             int k)
{
    Places at = { .rest = lattice_at(g, 0, j, k) };
    for (int p = 0; p < kind->pairs; ++p) {
        const signed char* e = kind->e[p];
        ptrdiff_t to = e[0] + g->row * e[1] + g->slab * e[2], stride = (ptrdiff_t)g->stride;
        ptrdiff_t odd = stride * (2 * p + 1), even = stride * (2 * p + 2);
        at.up[p] = at.rest + (is_odd ? odd : even);
        at.down[p] = at.rest + to + (is_odd ? even : odd);
    }
    return at;
}

// e . v for a direction of the table, whose last component is positive.
TARN_INLINE Lanes along(const signed char* e, Lanes x, Lanes y, Lanes z)
{
    Lanes sum = e[2] ? z : e[1] ? y : x;
    if (e[0] && (e[1] || e[2])) sum = e[0] > 0 ? sum + x : sum - x;
    if (e[1] && e[2]) sum = e[1] > 0 ? sum + y : sum - y;
    return sum;
}
TARN_INLINE void add_along(int e, Lanes* sum, Lanes v)
{
    if (e) *sum = e > 0 ? *sum + v : *sum - v;
}

TARN_INLINE Moments moments_of(const LatticeKind* kind, const bool is_half, const Cells* c)
{
    Lanes zero = lanes_set(0.0f), rho = zero;
    Moments m = { zero, zero, zero, zero };
    UNROLL for (int p = 0; p < kind->pairs; ++p)
    {
        const signed char* e = kind->e[p];
        Lanes d = c->up[p] - c->down[p];
        rho += c->up[p] + c->down[p];
        add_along(e[0], &m.x, d);
        add_along(e[1], &m.y, d);
        add_along(e[2], &m.z, d);
    }
    m.rho = rho + c->rest;
    if (is_half) {
        m.rho = m.rho * half_unit;
        m.x = m.x * half_unit, m.y = m.y * half_unit, m.z = m.z * half_unit;
    }
    return m;
}

TARN_INLINE Lanes square(Lanes x, Lanes y, Lanes z)
{
    return x * x + (y * y + z * z);
}

// Equilibrium at density 1 + rho and velocity u.
TARN_INLINE void set_equilibrium(const LatticeKind* kind, const bool is_half, Lanes rho, Lanes x,
                                 Lanes y, Lanes z, Cells* c)
{
    Lanes full = rho + 1.0f, base = rho - 1.5f * full * square(x, y, z);
    if (is_half) full = full * half_scale, base = base * half_scale;
    c->rest = kind->rest * base;
    UNROLL for (int p = 0; p < kind->pairs; ++p)
    {
        Lanes eu = along(kind->e[p], x, y, z), odd = 3.0f * full * eu;
        Lanes even = base + 1.5f * odd * eu;
        c->up[p] = kind->w[p] * (even + odd);
        c->down[p] = kind->w[p] * (even - odd);
    }
}

// ---- Stress, eddies, forces ----------------------------------------------------------------------

typedef struct Stress {
    Lanes xx, yy, zz, xy, xz, yz;
} Stress;

TARN_INLINE Stress stress_of(const LatticeKind* kind, const bool is_half, const Cells* c)
{
    Lanes zero = lanes_set(0.0f);
    Stress s = { zero, zero, zero, zero, zero, zero };
    UNROLL for (int p = 0; p < kind->pairs; ++p)
    {
        const signed char* e = kind->e[p];
        Lanes both = c->up[p] + c->down[p];
        if (e[0]) s.xx += both;
        if (e[1]) s.yy += both;
        if (e[2]) s.zz += both;
        add_along(e[0] * e[1], &s.xy, both);
        add_along(e[0] * e[2], &s.xz, both);
        add_along(e[1] * e[2], &s.yz, both);
    }
    if (is_half) {
        s.xx = s.xx * half_unit, s.yy = s.yy * half_unit, s.zz = s.zz * half_unit;
        s.xy = s.xy * half_unit, s.xz = s.xz * half_unit, s.yz = s.yz * half_unit;
    }
    return s;
}

// Less that of the equilibrium.
TARN_INLINE Stress stress_beyond(const LatticeKind* kind, Stress s, Lanes rho, const Lanes u[3])
{
    Lanes full = rho + 1.0f, third = rho * (1.0f / 3.0f);
    Lanes x = full * u[0], y = full * u[1];
    s.xx = s.xx - (third + x * u[0]);
    s.yy = s.yy - (third + y * u[1]);
    s.xy = s.xy - x * u[1];
    if (kind->dims == 2) return s;
    s.zz = s.zz - (third + full * u[2] * u[2]);
    s.xz = s.xz - x * u[2];
    s.yz = s.yz - y * u[2];
    return s;
}

TARN_INLINE Lanes stress_square(const LatticeKind* kind, const Stress* s)
{
    Lanes sum = s->xx * s->xx + s->yy * s->yy + 2.0f * (s->xy * s->xy);
    if (kind->dims == 2) return sum;
    return sum + (s->zz * s->zz + 2.0f * (s->xz * s->xz + s->yz * s->yz));
}

// tau of the molecular viscosity and of the eddies: the quadratic equation for tau, solved [Hou1996]. Their paper has
// the viscosity where the relaxation time is meant.
TARN_INLINE Lanes eddy_tau(float eddy, Lanes tau, Lanes stress2, Lanes inverse_rho)
{
    return 0.5f * (tau + lanes_sqrt(tau * tau + eddy * lanes_sqrt(stress2) * inverse_rho));
}

typedef struct Around { // what differs along a row
    Lanes tau, force[3];
} Around;

TARN_INLINE Around around_of(const LatticePass* pass, int i, int j, int k, ptrdiff_t c,
                             unsigned bits)
{
    Around a = { .tau = lanes_set(pass->tau) };
    if (pass->sponge) {
        const LatticeGrid* g = &pass->grid;
        float side = pass->sponge[g->nx + j] + pass->sponge[g->nx + g->ny + k];
        a.tau = a.tau + (lanes_load(pass->sponge + i, bits) + side);
    }
    for (int d = 0; d < 3; ++d) a.force[d] = lanes_set(pass->force[d]);
    if (pass->heat) {
        Lanes heat = lanes_load(pass->heat + c, bits);
        for (int d = 0; d < 3; ++d) a.force[d] += pass->lift[d] * heat;
    }
    return a;
}

// ---- Moments of a piece of a row --------------------------------------------------------------------

// A row is done in pieces, twice: first the moments of its cells and what follows from them, then what leaves the
// cells. So nothing waits for a division, and one pair of directions at a time is in registers.
enum { PIECE = 128 };
typedef struct Piece {
    _Alignas(64) float rho[PIECE]; // density - 1
    float u[3][PIECE];             // velocity; of regularised collisions the momentum that leaves
    // Of regularised collisions the stress that leaves; else the rates of even and odd parts, and the force
    float more[6][PIECE];
} Piece;
enum { XX, YY, ZZ, XY, XZ, YZ, EVEN_RATE = 0, ODD_RATE, FORCE };

static const float max_rho = 0.6f;      // density is kept within 1 +- this
static const float max_stress2 = 0.25f; // no smooth flow has more

TARN_INLINE LaneMask is_within(const LatticePass* pass, Lanes rho, const Lanes u[3])
{
    return lanes_less(square(u[0], u[1], u[2]), lanes_set(pass->max_speed2)) &
           lanes_less(lanes_abs(rho), lanes_set(max_rho));
}

TARN_INLINE void velocity_of(const Moments* m, const Around* a, bool has_force, Lanes inverse,
                             Lanes u[3])
{
    u[0] = m->x, u[1] = m->y, u[2] = m->z;
    for (int d = 0; d < 3; ++d) u[d] = (has_force ? u[d] + 0.5f * a->force[d] : u[d]) * inverse;
}

// Rates of relaxation of a group of cells.
TARN_INLINE void set_rates(const LatticeKind* kind, const bool is_half, const LatticePass* pass,
                           const Around* a, const Cells* c, Lanes rho, Lanes inverse,
                           const Lanes u[3], int i, Piece* piece)
{
    Lanes tau = a->tau;
    if (pass->eddy > 0.0f) {
        Stress s = stress_beyond(kind, stress_of(kind, is_half, c), rho, u);
        tau =
            eddy_tau(pass->eddy, tau, lanes_min(stress_square(kind, &s), lanes_set(4.0f)), inverse);
    }
    Lanes even = 1.0f / tau, odd = even;
    if (pass->magic > 0.0f) odd = 1.0f / (pass->magic / (tau - 0.5f) + 0.5f);
    lanes_store(piece->more[EVEN_RATE] + i, even, ALL_LANES);
    lanes_store(piece->more[ODD_RATE] + i, odd, ALL_LANES);
    for (int d = 0; d < 3; ++d) lanes_store(piece->more[FORCE + d] + i, a->force[d], ALL_LANES);
}

// Momentum and stress that leave a group of cells. A stress that no smooth flow has is dropped.
TARN_INLINE LaneMask set_regular(const LatticeKind* kind, const bool is_half,
                                 const LatticePass* pass, const Around* a, const Cells* c,
                                 const Moments* m, Lanes inverse, const Lanes u[3], bool has_force,
                                 int i, Piece* piece)
{
    Stress s = stress_beyond(kind, stress_of(kind, is_half, c), m->rho, u);
    Lanes square_s = stress_square(kind, &s), tau = a->tau;
    LaneMask is_tame = lanes_less(square_s, lanes_set(max_stress2));
    if (pass->eddy > 0.0f)
        tau = eddy_tau(pass->eddy, tau, lanes_min(square_s, lanes_set(max_stress2)), inverse);
    Lanes rate = 1.0f / tau, keep = lanes_select(is_tame, 1.0f - rate, lanes_set(0.0f));
    const Lanes* F = a->force;
    Lanes full = m->rho + 1.0f, x = full * u[0], y = full * u[1], z = full * u[2];
    // Its trace is compression: relaxed at once, as with tau 1, sound dies away within cells. Left in, it rings near tau 1/2.
    Lanes mean = kind->dims == 3 ? (s.xx + s.yy + s.zz) * (1.0f / 3.0f) : 0.5f * (s.xx + s.yy);
    s.xx = s.xx - mean, s.yy = s.yy - mean;
    if (kind->dims == 3) s.zz = s.zz - mean;
    Stress P = { keep * s.xx + x * u[0], keep * s.yy + y * u[1], keep * s.zz + z * u[2],
                 keep * s.xy + x * u[1], keep * s.xz + x * u[2], keep * s.yz + y * u[2] };
    Lanes out[3] = { m->x, m->y, m->z };
    if (has_force) { // the stress of the force, and all of its momentum
        Lanes push = 1.0f - 0.5f * rate;
        P.xx += push * (2.0f * u[0] * F[0]), P.xy += push * (u[0] * F[1] + u[1] * F[0]);
        P.yy += push * (2.0f * u[1] * F[1]), P.xz += push * (u[0] * F[2] + u[2] * F[0]);
        P.zz += push * (2.0f * u[2] * F[2]), P.yz += push * (u[1] * F[2] + u[2] * F[1]);
        for (int d = 0; d < 3; ++d) out[d] += F[d];
    }
    Lanes trace = kind->dims == 3 ? P.xx + P.yy + P.zz : P.xx + P.yy;
    lanes_store(piece->rho + i, m->rho - 1.5f * trace, ALL_LANES);
    for (int d = 0; d < kind->dims; ++d) lanes_store(piece->u[d] + i, 3.0f * out[d], ALL_LANES);
    lanes_store(piece->more[XX] + i, 4.5f * P.xx, ALL_LANES);
    lanes_store(piece->more[YY] + i, 4.5f * P.yy, ALL_LANES);
    lanes_store(piece->more[XY] + i, 9.0f * P.xy, ALL_LANES);
    if (kind->dims == 2) return is_tame;
    lanes_store(piece->more[ZZ] + i, 4.5f * P.zz, ALL_LANES);
    lanes_store(piece->more[XZ] + i, 9.0f * P.xz, ALL_LANES);
    lanes_store(piece->more[YZ] + i, 9.0f * P.yz, ALL_LANES);
    return is_tame;
}

TARN_INLINE void load_cells(const LatticeKind* kind, const void* f, const Places* at, ptrdiff_t i,
                            const bool is_half, unsigned bits, Cells* c)
{
    c->rest = load(f, at->rest + i, is_half, bits);
    UNROLL for (int p = 0; p < kind->pairs; ++p)
    {
        c->up[p] = load(f, at->up[p] + i, is_half, bits);
        c->down[p] = load(f, at->down[p] + i, is_half, bits);
    }
}

// Asks for what the next row needs: more streams than the CPU follows by itself.
TARN_INLINE void expect_row(const LatticeKind* kind, const LatticePass* pass, const Places* at,
                            int i, const bool is_half)
{
    if (is_half && (i & 31) != 0) return; // the line of 64 bytes has been asked for
    ptrdiff_t size = is_half ? 2 : 4;
    const char* f = (const char*)pass->f + (i + pass->grid.row) * size;
    __builtin_prefetch(f + at->rest * size, 1, 3);
    UNROLL for (int p = 0; p < kind->pairs; ++p)
    {
        __builtin_prefetch(f + at->up[p] * size, 1, 3);
        __builtin_prefetch(f + at->down[p] * size, 1, 3);
    }
}

// Moments of a group of cells, from which the piece is filled. Lanes that are not within the limits are not set.
TARN_INLINE LaneMask set_moments(const LatticeKind* kind, const bool is_half,
                                 const LatticeMode mode, const LatticePass* pass, const Places* at,
                                 int i, int j, int k, bool has_force, unsigned bits, int to,
                                 Piece* piece)
{
    Cells c = { 0 };
    load_cells(kind, pass->f, at, i, is_half, bits, &c);
    expect_row(kind, pass, at, i, is_half);
    Moments m = moments_of(kind, is_half, &c);
    Lanes inverse = 1.0f / (m.rho + 1.0f), u[3];
    Around a = { 0 };
    if (mode != LATTICE_PLAIN) a = around_of(pass, i, j, k, at->rest + i, bits);
    velocity_of(&m, &a, mode != LATTICE_PLAIN && has_force, inverse, u);
    LaneMask good = is_within(pass, m.rho, u);
    if (mode == LATTICE_REGULAR)
        return good &
               set_regular(kind, is_half, pass, &a, &c, &m, inverse, u, has_force, to, piece);
    if (mode == LATTICE_GENERAL)
        set_rates(kind, is_half, pass, &a, &c, m.rho, inverse, u, to, piece);
    lanes_store(piece->rho + to, m.rho, ALL_LANES);
    for (int d = 0; d < kind->dims; ++d) lanes_store(piece->u[d] + to, u[d], ALL_LANES);
    return good;
}

// ---- What leaves ------------------------------------------------------------------------------------

typedef struct Leaving { // of a group of cells: what all directions share
    Lanes base, odd3, u[3], uF, F[3], even_rate, odd_rate, even_push, odd_push;
    Stress s;
    float keep;
} Leaving;

TARN_INLINE Leaving unscaled_leaving(const LatticeKind* kind, const LatticeMode mode,
                                     const LatticePass* pass, const Piece* piece, int i)
{
    Leaving v = { .base = lanes_load(piece->rho + i, ALL_LANES), .u = { { 0 } } };
    for (int d = 0; d < kind->dims; ++d) v.u[d] = lanes_load(piece->u[d] + i, ALL_LANES);
    if (mode == LATTICE_REGULAR) {
        v.s.xx = lanes_load(piece->more[XX] + i, ALL_LANES),
        v.s.yy = lanes_load(piece->more[YY] + i, ALL_LANES);
        v.s.xy = lanes_load(piece->more[XY] + i, ALL_LANES);
        if (kind->dims == 2) return v;
        v.s.zz = lanes_load(piece->more[ZZ] + i, ALL_LANES),
        v.s.xz = lanes_load(piece->more[XZ] + i, ALL_LANES);
        v.s.yz = lanes_load(piece->more[YZ] + i, ALL_LANES);
        return v;
    }
    Lanes rho = v.base, u2 = square(v.u[0], v.u[1], v.u[2]);
    if (mode == LATTICE_PLAIN) {
        float omega = 1.0f / pass->tau;
        v.keep = 1.0f - omega;
        v.odd3 = (3.0f * omega) * (rho + 1.0f);
        v.base = omega * rho - 0.5f * v.odd3 * u2;
        return v;
    }
    v.odd3 = 3.0f * (rho + 1.0f);
    v.base = rho - 0.5f * v.odd3 * u2;
    v.even_rate = lanes_load(piece->more[EVEN_RATE] + i, ALL_LANES);
    v.odd_rate = lanes_load(piece->more[ODD_RATE] + i, ALL_LANES);
    v.even_push = 1.0f - 0.5f * v.even_rate, v.odd_push = 1.0f - 0.5f * v.odd_rate;
    for (int d = 0; d < 3; ++d) v.F[d] = lanes_load(piece->more[FORCE + d] + i, ALL_LANES);
    v.uF = v.u[0] * v.F[0] + (v.u[1] * v.F[1] + v.u[2] * v.F[2]);
    return v;
}

TARN_INLINE Leaving leaving_of(const LatticeKind* kind, const bool is_half, const LatticeMode mode,
                               const LatticePass* pass, const Piece* piece, int i)
{
    Leaving v = unscaled_leaving(kind, mode, pass, piece, i);
    if (!is_half) return v;
    v.base = v.base * half_scale;
    if (mode == LATTICE_REGULAR) {
        for (int d = 0; d < kind->dims; ++d) v.u[d] = v.u[d] * half_scale;
        v.s.xx = v.s.xx * half_scale, v.s.yy = v.s.yy * half_scale, v.s.zz = v.s.zz * half_scale;
        v.s.xy = v.s.xy * half_scale, v.s.xz = v.s.xz * half_scale, v.s.yz = v.s.yz * half_scale;
        return v;
    }
    v.odd3 = v.odd3 * half_scale;
    if (mode == LATTICE_PLAIN) return v;
    v.uF = v.uF * half_scale;
    for (int d = 0; d < 3; ++d) v.F[d] = v.F[d] * half_scale;
    return v;
}

// The two populations of a pair after the collision.
TARN_INLINE void leave_pair(const LatticeMode mode, const Leaving* v, const signed char* e,
                            const float w, Lanes* up, Lanes* down)
{
    if (mode == LATTICE_REGULAR) {
        Lanes even = v->base, odd = along(e, v->u[0], v->u[1], v->u[2]);
        if (e[0]) even += v->s.xx;
        if (e[1]) even += v->s.yy;
        if (e[2]) even += v->s.zz;
        add_along(e[0] * e[1], &even, v->s.xy);
        add_along(e[0] * e[2], &even, v->s.xz);
        add_along(e[1] * e[2], &even, v->s.yz);
        *up = w * (even + odd), *down = w * (even - odd);
        return;
    }
    Lanes eu = along(e, v->u[0], v->u[1], v->u[2]);
    if (mode == LATTICE_PLAIN) {
        Lanes odd = (w * v->odd3) * eu, even = w * v->base + odd * (1.5f * eu);
        *up = v->keep * *up + (even + odd), *down = v->keep * *down + (even - odd);
        return;
    }
    Lanes eF = along(e, v->F[0], v->F[1], v->F[2]);
    Lanes odd = v->odd3 * eu, even = v->base + 1.5f * odd * eu;
    Lanes sum = 0.5f * (*up + *down), half = 0.5f * (*up - *down);
    Lanes to_even =
        v->even_rate * (w * even - sum) + w * v->even_push * (9.0f * eu * eF - 3.0f * v->uF);
    Lanes to_odd = v->odd_rate * (w * odd - half) + w * v->odd_push * (3.0f * eF);
    *up = *up + (to_even + to_odd), *down = *down + (to_even - to_odd);
}

TARN_INLINE Lanes leave_rest(const LatticeKind* kind, const LatticeMode mode, const Leaving* v,
                             Lanes rest)
{
    if (mode == LATTICE_REGULAR) return kind->rest * v->base;
    if (mode == LATTICE_PLAIN) return v->keep * rest + kind->rest * v->base;
    return rest - v->even_rate * (rest - kind->rest * v->base) -
           (kind->rest * 3.0f) * v->even_push * v->uF;
}
