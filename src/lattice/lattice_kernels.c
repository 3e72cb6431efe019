// Collisions and streaming in one pass over the cells, in place.
//
// Method   Esoteric pull [Lehmann2022]: in a step, a cell loads and stores the same places, half of them its own and half
//          in the neighbors that its pairs of directions point to; slots change with the parity of the step. No
//          other cell touches them in the same step, so any order of cells gives the same bits. Populations are stored without their weights. Regularised collisions [Latt2006]
//          are computed from moments: density, momentum and stress determine what leaves a cell. Eddy viscosity
//          as in [Hou1996], with tau solved exactly; forces as in [Guo2002]; two relaxation times [Ginzburg2008].
// Checked  tests/physics/check_lattice.c, tests/unit/test_lattice.c.
// Cost     bench/bench_lattice.c: the bandwidth of the memory is the bound, 2 x 4 bytes per population.

#include "lattice/lattice_kernels.h"
#include "lattice/half8.h"

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

typedef struct Cells { // populations of eight cells, as they are stored
    TarnF8 rest, up[LATTICE_PAIRS], down[LATTICE_PAIRS];
} Cells;
typedef struct Places { // elements where a row loads and stores them
    ptrdiff_t rest, up[LATTICE_PAIRS], down[LATTICE_PAIRS];
} Places;
typedef struct Moments {
    TarnF8 rho, x, y, z; // density - 1, momentum
} Moments;

TARN_INLINE TarnF8 load(const void* f, ptrdiff_t at, const bool is_half)
{
    if (is_half) return half8_load((const uint16_t*)f + at);
    return f8_load((const float*)f + at);
}
TARN_INLINE void store(void* f, ptrdiff_t at, TarnF8 v, const bool is_half)
{
    if (is_half)
        half8_store((uint16_t*)f + at, v);
    else
        f8_store((float*)f + at, v);
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
TARN_INLINE TarnF8 along(const signed char* e, TarnF8 x, TarnF8 y, TarnF8 z)
{
    TarnF8 sum = e[2] ? z : e[1] ? y : x;
    if (e[0] && (e[1] || e[2])) sum = e[0] > 0 ? sum + x : sum - x;
    if (e[1] && e[2]) sum = e[1] > 0 ? sum + y : sum - y;
    return sum;
}
TARN_INLINE void add_along(int e, TarnF8* sum, TarnF8 v)
{
    if (e) *sum = e > 0 ? *sum + v : *sum - v;
}

TARN_INLINE Moments moments_of(const LatticeKind* kind, const bool is_half, const Cells* c)
{
    TarnF8 zero = f8_set(0.0f), rho = zero;
    Moments m = { zero, zero, zero, zero };
    UNROLL for (int p = 0; p < kind->pairs; ++p)
    {
        const signed char* e = kind->e[p];
        TarnF8 d = c->up[p] - c->down[p];
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

TARN_INLINE TarnF8 square(TarnF8 x, TarnF8 y, TarnF8 z)
{
    return x * x + (y * y + z * z);
}

// Equilibrium at density 1 + rho and velocity u, in the lanes of a mask.
TARN_INLINE void set_equilibrium(const LatticeKind* kind, const bool is_half, TarnI8 mask,
                                 TarnF8 rho, TarnF8 x, TarnF8 y, TarnF8 z, Cells* c)
{
    TarnF8 full = rho + 1.0f, base = rho - 1.5f * full * square(x, y, z);
    if (is_half) full = full * half_scale, base = base * half_scale;
    c->rest = f8_select(mask, kind->rest * base, c->rest);
    UNROLL for (int p = 0; p < kind->pairs; ++p)
    {
        TarnF8 eu = along(kind->e[p], x, y, z), odd = 3.0f * full * eu;
        TarnF8 even = base + 1.5f * odd * eu;
        c->up[p] = f8_select(mask, kind->w[p] * (even + odd), c->up[p]);
        c->down[p] = f8_select(mask, kind->w[p] * (even - odd), c->down[p]);
    }
}

// ---- Stress, eddies, forces ----------------------------------------------------------------------

typedef struct Stress {
    TarnF8 xx, yy, zz, xy, xz, yz;
} Stress;

TARN_INLINE Stress stress_of(const LatticeKind* kind, const bool is_half, const Cells* c)
{
    TarnF8 zero = f8_set(0.0f);
    Stress s = { zero, zero, zero, zero, zero, zero };
    UNROLL for (int p = 0; p < kind->pairs; ++p)
    {
        const signed char* e = kind->e[p];
        TarnF8 both = c->up[p] + c->down[p];
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
TARN_INLINE Stress stress_beyond(const LatticeKind* kind, Stress s, TarnF8 rho, const TarnF8 u[3])
{
    TarnF8 full = rho + 1.0f, third = rho * (1.0f / 3.0f);
    TarnF8 x = full * u[0], y = full * u[1];
    s.xx = s.xx - (third + x * u[0]);
    s.yy = s.yy - (third + y * u[1]);
    s.xy = s.xy - x * u[1];
    if (kind->dims == 2) return s;
    s.zz = s.zz - (third + full * u[2] * u[2]);
    s.xz = s.xz - x * u[2];
    s.yz = s.yz - y * u[2];
    return s;
}

TARN_INLINE TarnF8 stress_square(const LatticeKind* kind, const Stress* s)
{
    TarnF8 sum = s->xx * s->xx + s->yy * s->yy + 2.0f * (s->xy * s->xy);
    if (kind->dims == 2) return sum;
    return sum + (s->zz * s->zz + 2.0f * (s->xz * s->xz + s->yz * s->yz));
}

// tau of the molecular viscosity and of the eddies: the quadratic equation for tau, solved [Hou1996]. Their paper has
// the viscosity where the relaxation time is meant.
TARN_INLINE TarnF8 eddy_tau(float eddy, TarnF8 tau, TarnF8 stress2, TarnF8 inverse_rho)
{
    return 0.5f * (tau + f8_sqrt(tau * tau + eddy * f8_sqrt(stress2) * inverse_rho));
}

typedef struct Around { // what differs along a row
    TarnF8 tau, force[3];
} Around;

TARN_INLINE Around around_of(const LatticePass* pass, int i, int j, int k, ptrdiff_t c)
{
    Around a = { .tau = f8_set(pass->tau) };
    if (pass->sponge) {
        const LatticeGrid* g = &pass->grid;
        float side = pass->sponge[g->nx + j] + pass->sponge[g->nx + g->ny + k];
        a.tau = a.tau + (f8_load(pass->sponge + i) + side);
    }
    for (int d = 0; d < 3; ++d) a.force[d] = f8_set(pass->force[d]);
    if (pass->heat) {
        TarnF8 heat = f8_load(pass->heat + c);
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

TARN_INLINE TarnI8 is_within(const LatticePass* pass, TarnF8 rho, const TarnF8 u[3])
{
    return f8_less(square(u[0], u[1], u[2]), f8_set(pass->max_speed2)) &
           f8_less(f8_abs(rho), f8_set(max_rho));
}

TARN_INLINE void velocity_of(const Moments* m, const Around* a, bool has_force, TarnF8 inverse,
                             TarnF8 u[3])
{
    u[0] = m->x, u[1] = m->y, u[2] = m->z;
    for (int d = 0; d < 3; ++d) u[d] = (has_force ? u[d] + 0.5f * a->force[d] : u[d]) * inverse;
}

// Rates of relaxation of eight cells.
TARN_INLINE void set_rates(const LatticeKind* kind, const bool is_half, const LatticePass* pass,
                           const Around* a, const Cells* c, TarnF8 rho, TarnF8 inverse,
                           const TarnF8 u[3], int i, Piece* piece)
{
    TarnF8 tau = a->tau;
    if (pass->eddy > 0.0f) {
        Stress s = stress_beyond(kind, stress_of(kind, is_half, c), rho, u);
        tau = eddy_tau(pass->eddy, tau, f8_min(stress_square(kind, &s), f8_set(4.0f)), inverse);
    }
    TarnF8 even = 1.0f / tau, odd = even;
    if (pass->magic > 0.0f) odd = 1.0f / (pass->magic / (tau - 0.5f) + 0.5f);
    f8_store(piece->more[EVEN_RATE] + i, even);
    f8_store(piece->more[ODD_RATE] + i, odd);
    for (int d = 0; d < 3; ++d) f8_store(piece->more[FORCE + d] + i, a->force[d]);
}

// Momentum and stress that leave eight cells. A stress that no smooth flow has is dropped.
TARN_INLINE TarnI8 set_regular(const LatticeKind* kind, const bool is_half, const LatticePass* pass,
                               const Around* a, const Cells* c, const Moments* m, TarnF8 inverse,
                               const TarnF8 u[3], bool has_force, int i, Piece* piece)
{
    Stress s = stress_beyond(kind, stress_of(kind, is_half, c), m->rho, u);
    TarnF8 square_s = stress_square(kind, &s), tau = a->tau;
    TarnI8 is_tame = f8_less(square_s, f8_set(max_stress2));
    if (pass->eddy > 0.0f)
        tau = eddy_tau(pass->eddy, tau, f8_min(square_s, f8_set(max_stress2)), inverse);
    TarnF8 rate = 1.0f / tau, keep = f8_select(is_tame, 1.0f - rate, f8_set(0.0f));
    const TarnF8* F = a->force;
    TarnF8 full = m->rho + 1.0f, x = full * u[0], y = full * u[1], z = full * u[2];
    Stress P = { keep * s.xx + x * u[0], keep * s.yy + y * u[1], keep * s.zz + z * u[2],
                 keep * s.xy + x * u[1], keep * s.xz + x * u[2], keep * s.yz + y * u[2] };
    TarnF8 out[3] = { m->x, m->y, m->z };
    if (has_force) { // the stress of the force, and all of its momentum
        TarnF8 push = 1.0f - 0.5f * rate;
        P.xx += push * (2.0f * u[0] * F[0]), P.xy += push * (u[0] * F[1] + u[1] * F[0]);
        P.yy += push * (2.0f * u[1] * F[1]), P.xz += push * (u[0] * F[2] + u[2] * F[0]);
        P.zz += push * (2.0f * u[2] * F[2]), P.yz += push * (u[1] * F[2] + u[2] * F[1]);
        for (int d = 0; d < 3; ++d) out[d] += F[d];
    }
    TarnF8 trace = kind->dims == 3 ? P.xx + P.yy + P.zz : P.xx + P.yy;
    f8_store(piece->rho + i, m->rho - 1.5f * trace);
    for (int d = 0; d < kind->dims; ++d) f8_store(piece->u[d] + i, 3.0f * out[d]);
    f8_store(piece->more[XX] + i, 4.5f * P.xx);
    f8_store(piece->more[YY] + i, 4.5f * P.yy);
    f8_store(piece->more[XY] + i, 9.0f * P.xy);
    if (kind->dims == 2) return is_tame;
    f8_store(piece->more[ZZ] + i, 4.5f * P.zz);
    f8_store(piece->more[XZ] + i, 9.0f * P.xz);
    f8_store(piece->more[YZ] + i, 9.0f * P.yz);
    return is_tame;
}

TARN_INLINE void load_cells(const LatticeKind* kind, const void* f, const Places* at, ptrdiff_t i,
                            const bool is_half, Cells* c)
{
    c->rest = load(f, at->rest + i, is_half);
    UNROLL for (int p = 0; p < kind->pairs; ++p)
    {
        c->up[p] = load(f, at->up[p] + i, is_half);
        c->down[p] = load(f, at->down[p] + i, is_half);
    }
}

// Moments of eight cells, from which the piece is filled. Lanes that are not within the limits are not set.
TARN_INLINE TarnI8 set_moments(const LatticeKind* kind, const bool is_half, const LatticeMode mode,
                               const LatticePass* pass, const Places* at, int i, int j, int k,
                               bool has_force, int to, Piece* piece)
{
    Cells c;
    load_cells(kind, pass->f, at, i, is_half, &c);
    Moments m = moments_of(kind, is_half, &c);
    TarnF8 inverse = 1.0f / (m.rho + 1.0f), u[3];
    Around a = { 0 };
    if (mode != LATTICE_PLAIN) a = around_of(pass, i, j, k, at->rest + i);
    velocity_of(&m, &a, mode != LATTICE_PLAIN && has_force, inverse, u);
    TarnI8 good = is_within(pass, m.rho, u);
    if (mode == LATTICE_REGULAR)
        return good &
               set_regular(kind, is_half, pass, &a, &c, &m, inverse, u, has_force, to, piece);
    if (mode == LATTICE_GENERAL)
        set_rates(kind, is_half, pass, &a, &c, m.rho, inverse, u, to, piece);
    f8_store(piece->rho + to, m.rho);
    for (int d = 0; d < kind->dims; ++d) f8_store(piece->u[d] + to, u[d]);
    return good;
}

// ---- What leaves ------------------------------------------------------------------------------------

typedef struct Leaving { // of eight cells: what all directions share
    TarnF8 base, odd3, u[3], uF, F[3], even_rate, odd_rate, even_push, odd_push;
    Stress s;
    float keep;
} Leaving;

TARN_INLINE Leaving unscaled_leaving(const LatticeKind* kind, const LatticeMode mode,
                                     const LatticePass* pass, const Piece* piece, int i)
{
    Leaving v = { .base = f8_load(piece->rho + i), .u = { { 0 } } };
    for (int d = 0; d < kind->dims; ++d) v.u[d] = f8_load(piece->u[d] + i);
    if (mode == LATTICE_REGULAR) {
        v.s.xx = f8_load(piece->more[XX] + i), v.s.yy = f8_load(piece->more[YY] + i);
        v.s.xy = f8_load(piece->more[XY] + i);
        if (kind->dims == 2) return v;
        v.s.zz = f8_load(piece->more[ZZ] + i), v.s.xz = f8_load(piece->more[XZ] + i);
        v.s.yz = f8_load(piece->more[YZ] + i);
        return v;
    }
    TarnF8 rho = v.base, u2 = square(v.u[0], v.u[1], v.u[2]);
    if (mode == LATTICE_PLAIN) {
        float omega = 1.0f / pass->tau;
        v.keep = 1.0f - omega;
        v.odd3 = (3.0f * omega) * (rho + 1.0f);
        v.base = omega * rho - 0.5f * v.odd3 * u2;
        return v;
    }
    v.odd3 = 3.0f * (rho + 1.0f);
    v.base = rho - 0.5f * v.odd3 * u2;
    v.even_rate = f8_load(piece->more[EVEN_RATE] + i);
    v.odd_rate = f8_load(piece->more[ODD_RATE] + i);
    v.even_push = 1.0f - 0.5f * v.even_rate, v.odd_push = 1.0f - 0.5f * v.odd_rate;
    for (int d = 0; d < 3; ++d) v.F[d] = f8_load(piece->more[FORCE + d] + i);
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
                            const float w, TarnF8* up, TarnF8* down)
{
    if (mode == LATTICE_REGULAR) {
        TarnF8 even = v->base, odd = along(e, v->u[0], v->u[1], v->u[2]);
        if (e[0]) even += v->s.xx;
        if (e[1]) even += v->s.yy;
        if (e[2]) even += v->s.zz;
        add_along(e[0] * e[1], &even, v->s.xy);
        add_along(e[0] * e[2], &even, v->s.xz);
        add_along(e[1] * e[2], &even, v->s.yz);
        *up = w * (even + odd), *down = w * (even - odd);
        return;
    }
    TarnF8 eu = along(e, v->u[0], v->u[1], v->u[2]);
    if (mode == LATTICE_PLAIN) {
        TarnF8 odd = (w * v->odd3) * eu, even = w * v->base + odd * (1.5f * eu);
        *up = v->keep * *up + (even + odd), *down = v->keep * *down + (even - odd);
        return;
    }
    TarnF8 eF = along(e, v->F[0], v->F[1], v->F[2]);
    TarnF8 odd = v->odd3 * eu, even = v->base + 1.5f * odd * eu;
    TarnF8 sum = 0.5f * (*up + *down), half = 0.5f * (*up - *down);
    TarnF8 to_even =
        v->even_rate * (w * even - sum) + w * v->even_push * (9.0f * eu * eF - 3.0f * v->uF);
    TarnF8 to_odd = v->odd_rate * (w * odd - half) + w * v->odd_push * (3.0f * eF);
    *up = *up + (to_even + to_odd), *down = *down + (to_even - to_odd);
}

TARN_INLINE TarnF8 leave_rest(const LatticeKind* kind, const LatticeMode mode, const Leaving* v,
                              TarnF8 rest)
{
    if (mode == LATTICE_REGULAR) return kind->rest * v->base;
    if (mode == LATTICE_PLAIN) return v->keep * rest + kind->rest * v->base;
    return rest - v->even_rate * (rest - kind->rest * v->base) -
           (kind->rest * 3.0f) * v->even_push * v->uF;
}

TARN_INLINE TarnI8 mask_of(unsigned bits)
{
    const TarnI8 bit = { 1, 2, 4, 8, 16, 32, 64, 128 };
    return i8_equal(i8_set((int32_t)bits) & bit, bit);
}

// What BGK and two relaxation times throw over the equilibrium may be beyond the largest half. Regularised collisions
// stay below it: density, momentum and stress are limited.
typedef struct Largest { // of what was stored
    TarnF8 up, down;
} Largest;

TARN_INLINE bool needs_largest(const bool is_half, const LatticeMode mode)
{
    return is_half && mode != LATTICE_REGULAR;
}

// Collides eight cells. What leaves along a direction goes to where the opposite one was loaded; cells whose bit is
// not set keep what is there.
TARN_INLINE void leave_cells(const LatticeKind* kind, const bool is_half, const LatticeMode mode,
                             const bool is_mixed, const LatticePass* pass, const Places* at, int i,
                             unsigned bits, const Piece* piece, int from, Largest* largest)
{
    Leaving v = leaving_of(kind, is_half, mode, pass, piece, from);
    TarnI8 mask = is_mixed ? mask_of(bits) : i8_set(-1);
    void* f = pass->f;
    bool has_old = is_mixed || mode != LATTICE_REGULAR;
    TarnF8 rest = has_old ? load(f, at->rest + i, is_half) : f8_set(0.0f);
    TarnF8 out = leave_rest(kind, mode, &v, rest);
    store(f, at->rest + i, is_mixed ? f8_select(mask, out, rest) : out, is_half);
    if (needs_largest(is_half, mode)) largest->up = half8_max_abs(largest->up, out);
    UNROLL for (int p = 0; p < kind->pairs; ++p)
    {
        TarnF8 up = { 0 }, down = { 0 }, old_up = up, old_down = up;
        if (has_old) {
            old_up = up = load(f, at->up[p] + i, is_half);
            old_down = down = load(f, at->down[p] + i, is_half);
        }
        leave_pair(mode, &v, kind->e[p], kind->w[p], &up, &down);
        if (needs_largest(is_half, mode)) {
            largest->up = half8_max_abs(largest->up, up);
            largest->down = half8_max_abs(largest->down, down);
        }
        store(f, at->down[p] + i, is_mixed ? f8_select(mask, up, old_down) : up, is_half);
        store(f, at->up[p] + i, is_mixed ? f8_select(mask, down, old_up) : down, is_half);
    }
}

// ---- Limits ---------------------------------------------------------------------------------------

// Cells that are too fast, too dense or too strained are brought to the equilibrium of what is allowed. Rare.
static __attribute__((noinline)) void limit_cells(const LatticeKind* kind, bool is_half,
                                                  const LatticePass* pass, const Places* at, int i,
                                                  int j, int k, unsigned bad)
{
    Cells c;
    load_cells(kind, pass->f, at, i, is_half, &c);
    Moments m = moments_of(kind, is_half, &c);
    Around a = around_of(pass, i, j, k, at->rest + i);
    const TarnF8 most = f8_set(0.99f * max_rho), max2 = f8_set(pass->max_speed2);
    TarnI8 is_tame = f8_less(f8_abs(m.rho), f8_set(1e15f)) & f8_less(f8_abs(m.x), f8_set(1e15f)) &
                     f8_less(f8_abs(m.y), f8_set(1e15f)) & f8_less(f8_abs(m.z), f8_set(1e15f));
    TarnF8 zero = f8_set(0.0f), u[3], rho = f8_max(f8_min(m.rho, most), -most);
    rho = f8_select(is_tame, rho, zero);
    velocity_of(&m, &a, true, 1.0f / (rho + 1.0f), u);
    TarnF8 slow = 0.99f * f8_sqrt(max2 / f8_max(square(u[0], u[1], u[2]), max2));
    for (int d = 0; d < 3; ++d) u[d] = f8_select(is_tame, u[d] * slow, zero);
    // The populations are those before half of the force is added.
    TarnF8 v[3];
    for (int d = 0; d < 3; ++d) v[d] = u[d] - 0.5f * a.force[d] / (rho + 1.0f);
    set_equilibrium(kind, is_half, mask_of(bad), rho, v[0], v[1], v[2], &c);
    store(pass->f, at->rest + i, c.rest, is_half);
    for (int p = 0; p < kind->pairs; ++p) {
        store(pass->f, at->up[p] + i, c.up[p], is_half);
        store(pass->f, at->down[p] + i, c.down[p], is_half);
    }
}

// Halves that became infinite are the largest ones. Rare.
static __attribute__((noinline)) void limit_halves(const LatticeKind* kind, const LatticePass* pass,
                                                   const Places* at, int i0, int i1)
{
    uint16_t* f = pass->f;
    for (int s = 0; s < kind->slots; ++s) {
        uint16_t* h = f + (s == 0 ? at->rest : s % 2 ? at->up[(s - 1) / 2] : at->down[(s - 1) / 2]);
        for (int i = i0; i < i1; ++i)
            if ((h[i] & 0x7c00) == 0x7c00) h[i] = (uint16_t)((h[i] & 0x8000) | 0x7bff);
    }
}

// ---- Rows ------------------------------------------------------------------------------------------

typedef struct Row {
    int j, k, r;
    const uint8_t* bytes; // bits of its cells; NULL: all collide
    Places at;
    bool has_force;
} Row;

// The cells of a piece that are beyond a limit, and their moments anew. One copy for all lattices: it is rare.
static __attribute__((noinline)) void limit_piece(const LatticeKind* kind, bool is_half,
                                                  LatticeMode mode, const LatticePass* pass,
                                                  const Row* row, int i0, int i1, Piece* piece,
                                                  LatticeLimit* limit)
{
    for (int i = i0; i < i1; i += TARN_LANES) {
        unsigned bits = row->bytes ? row->bytes[i >> 3] : 0xff;
        if (bits == 0) continue;
        for (int again = 0; again < 2; ++again) {
            TarnI8 good = set_moments(kind, is_half, mode, pass, &row->at, i, row->j, row->k,
                                      row->has_force, i - i0, piece);
            unsigned bad = ~i8_mask_bits(good) & bits;
            if (bad == 0 || again) break;
            if (limit->first < 0) limit->first = i + __builtin_ctz(bad) + pass->grid.nx * row->r;
            limit->n += __builtin_popcount(bad);
            limit_cells(kind, is_half, pass, &row->at, i, row->j, row->k, bad);
        }
    }
}

TARN_INLINE void collide_piece(const LatticeKind* kind, const bool is_half, const LatticeMode mode,
                               const LatticePass* pass, const Row* row, int i0, int i1,
                               LatticeLimit* limit)
{
    Piece piece;
    TarnI8 all = i8_set(-1);
    Largest largest = { f8_set(0.0f), f8_set(0.0f) };
    for (int i = i0; i < i1; i += TARN_LANES) {
        unsigned bits = row->bytes ? row->bytes[i >> 3] : 0xff;
        if (bits == 0) continue;
        TarnI8 good = set_moments(kind, is_half, mode, pass, &row->at, i, row->j, row->k,
                                  row->has_force, i - i0, &piece);
        all &= bits == 0xff ? good : good | ~mask_of(bits);
    }
    if (i8_mask_bits(all) != 0xff)
        limit_piece(kind, is_half, mode, pass, row, i0, i1, &piece, limit);
    for (int i = i0; i < i1; i += TARN_LANES) {
        unsigned bits = row->bytes ? row->bytes[i >> 3] : 0xff;
        if (bits == 0xff)
            leave_cells(kind, is_half, mode, false, pass, &row->at, i, bits, &piece, i - i0,
                        &largest);
        else if (bits != 0)
            leave_cells(kind, is_half, mode, true, pass, &row->at, i, bits, &piece, i - i0,
                        &largest);
    }
    if (needs_largest(is_half, mode) &&
        f8_max_lane(half8_max_abs(largest.up, largest.down)) > half8_max)
        limit_halves(kind, pass, &row->at, i0, i1);
}

TARN_INLINE void collide_rows(const LatticeKind* kind, const bool is_half, const LatticeMode mode,
                              const LatticePass* pass, int r0, int r1, LatticeLimit* limit)
{
    const LatticeGrid* g = &pass->grid;
    bool has_force = pass->heat != NULL;
    for (int d = 0; d < 3; ++d) has_force |= pass->force[d] != 0.0f;
    for (int r = r0; r < r1; ++r) {
        int of = pass->kinds ? pass->kinds[r] : LATTICE_ROW_FULL;
        if (of == LATTICE_ROW_EMPTY) continue;
        Row row = { .j = r % g->ny, .k = r / g->ny, .r = r, .has_force = has_force };
        row.at = places_of(kind, g, pass->is_odd, row.j, row.k);
        if (of == LATTICE_ROW_MIXED) row.bytes = pass->cells + (ptrdiff_t)(g->nx >> 3) * r;
        for (int i = 0; i < g->nx; i += PIECE) {
            int end = i + PIECE < g->nx ? i + PIECE : g->nx;
            collide_piece(kind, is_half, mode, pass, &row, i, end, limit);
        }
    }
}

// Density and velocity that the next step finds.
TARN_INLINE void read_row(const LatticeKind* kind, const bool is_half, const LatticePass* pass,
                          int j, int k, const LatticeRowOut* out)
{
    const LatticeGrid* g = &pass->grid;
    Places at = places_of(kind, g, pass->is_odd, j, k);
    for (int i = 0; i < g->nx; i += TARN_LANES) {
        Cells c;
        load_cells(kind, pass->f, &at, i, is_half, &c);
        Moments m = moments_of(kind, is_half, &c);
        Around a = around_of(pass, i, j, k, at.rest + i);
        TarnF8 inverse = 1.0f / (f8_max(m.rho, f8_set(-0.9f)) + 1.0f);
        const TarnF8 from[3] = { m.x, m.y, m.z };
        if (out->rho) f8_store(out->rho + i, m.rho);
        for (int d = 0; d < 3; ++d) {
            if (out->u[d]) f8_store(out->u[d] + i, (from[d] + 0.5f * a.force[d]) * inverse);
        }
    }
}

#define ROWS(name, kind, is_half, mode)                                                            \
    static void name(const LatticePass* pass, int r0, int r1, LatticeLimit* limit)                 \
    {                                                                                              \
        collide_rows(&kind, is_half, mode, pass, r0, r1, limit);                                   \
    }
#define KIND(name, kind, is_half)                                                                  \
    ROWS(name##_plain, kind, is_half, LATTICE_PLAIN)                                               \
    ROWS(name##_general, kind, is_half, LATTICE_GENERAL)                                           \
    ROWS(name##_regular, kind, is_half, LATTICE_REGULAR)                                           \
    static void name##_read(const LatticePass* pass, int j, int k, const LatticeRowOut* out)       \
    {                                                                                              \
        read_row(&kind, is_half, pass, j, k, out);                                                 \
    }
KIND(flat_float, lattice_d2q9, false)
KIND(flat_half, lattice_d2q9, true)
KIND(solid_float, lattice_d3q19, false)
KIND(solid_half, lattice_d3q19, true)

const LatticeKernels TARN_KERNEL(tarn__lattice_kernels) = {
    .collide = { { { flat_float_plain, flat_float_general, flat_float_regular },
                   { flat_half_plain, flat_half_general, flat_half_regular } },
                 { { solid_float_plain, solid_float_general, solid_float_regular },
                   { solid_half_plain, solid_half_general, solid_half_regular } } },
    .read = { { flat_float_read, flat_half_read }, { solid_float_read, solid_half_read } },
};
