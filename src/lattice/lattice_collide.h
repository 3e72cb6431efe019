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
#define UNROLL _Pragma("GCC unroll 19")
#endif

// Halves are scaled so that the smallest normal one stands for 2^-29. In registers they keep that scale, which is a power of two
// and changes no digit: moments are scaled back, and what leaves a cell is scaled once for all directions.
static const float half_scale = 0x1p15f, half_unit = 0x1p-15f;

typedef struct Cells { // populations of a group of cells, as they are stored
    Lanes rest, up[LATTICE_PAIRS], down[LATTICE_PAIRS];
} Cells;
typedef struct
    Places { // where a row loads and stores them, in bytes; cell: its first one, as an element of a slot
    ptrdiff_t rest, up[LATTICE_PAIRS], down[LATTICE_PAIRS], cell;
} Places;
typedef struct Moments {
    Lanes rho, x, y, z; // density - 1, momentum
} Moments;

// The populations, moved by i cells. Compilers that see the sum keep a counter for each of 19 directions, and most of them in
// memory: that took as long as the arithmetic.
TARN_INLINE char* moved(void* f, int i, const bool is_half)
{
    char* from = (char*)f + (ptrdiff_t)i * (is_half ? 2 : 4);
    __asm__("" : "+r"(from));
    return from;
}
TARN_INLINE Lanes load(const char* from, ptrdiff_t at, const bool is_half, unsigned bits)
{
    const void* p = from + at;
    return is_half ? lanes_load_halves(p, bits) : lanes_load(p, bits);
}
TARN_INLINE void store(char* from, ptrdiff_t at, Lanes v, const bool is_half, unsigned bits)
{
    void* p = from + at;
    if (is_half)
        lanes_store_halves(p, v, bits);
    else
        lanes_store(p, v, bits);
}

TARN_INLINE void set_places(const LatticeKind* kind, const LatticeGrid* g, const bool is_half,
                            bool is_odd, int j, int k, Places* at)
{
    const ptrdiff_t size = is_half ? 2 : 4;
    at->cell = lattice_at(g, 0, j, k);
    at->rest = at->cell * size;
    for (int p = 0; p < kind->pairs; ++p) {
        const signed char* e = kind->e[p];
        ptrdiff_t to = e[0] + g->row * e[1] + g->slab * e[2], stride = (ptrdiff_t)g->stride;
        ptrdiff_t odd = stride * (2 * p + 1), even = stride * (2 * p + 2);
        at->up[p] = (at->cell + (is_odd ? odd : even)) * size;
        at->down[p] = (at->cell + to + (is_odd ? even : odd)) * size;
    }
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
// The same; the first in a sum begins it.
TARN_INLINE void gather(bool is_first, int e, Lanes* sum, Lanes v)
{
    if (is_first)
        *sum = v;
    else
        add_along(e, sum, v);
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

// Density - 1, momentum and, with has_stress, the stress of a group of cells. One pair of directions at a time is in registers.
TARN_INLINE Moments sums_of(const LatticeKind* kind, void* f, const Places* at, int i,
                            const bool is_half, const bool has_stress, unsigned bits, Stress* out)
{
    const char* from = moved(f, i, is_half);
    Lanes zero = lanes_set(0.0f);
    Moments m = { zero, zero, zero, zero };
    Stress s = { zero, zero, zero, zero, zero, zero };
    UNROLL for (int p = 0; p < kind->pairs; ++p)
    {
        const signed char* e = kind->e[p];
        Lanes up = load(from, at->up[p], is_half, bits);
        Lanes down = load(from, at->down[p], is_half, bits);
        Lanes d = up - down, both = up + down;
        const int plane = kind->dims == 3 ? 3 : 2; // the first pair in the plane xy
        gather(p == 0, 1, &m.rho, both);
        gather(p == 0, e[0], &m.x, d);
        gather(p == 1, e[1], &m.y, d);
        gather(p == 2 && e[2], e[2], &m.z, d);
        if (!has_stress) continue;
        gather(p == 0, e[0] * e[0], &s.xx, both);
        gather(p == 1, e[1] * e[1], &s.yy, both);
        gather(p == 2 && e[2], e[2] * e[2], &s.zz, both);
        gather(p == plane, e[0] * e[1], &s.xy, both);
        gather(p == 5, e[0] * e[2], &s.xz, both);
        gather(p == 7, e[1] * e[2], &s.yz, both);
    }
    m.rho += load(from, at->rest, is_half, bits);
    if (is_half) {
        m.rho = m.rho * half_unit;
        m.x = m.x * half_unit, m.y = m.y * half_unit, m.z = m.z * half_unit;
        s.xx = s.xx * half_unit, s.yy = s.yy * half_unit, s.zz = s.zz * half_unit;
        s.xy = s.xy * half_unit, s.xz = s.xz * half_unit, s.yz = s.yz * half_unit;
    }
    *out = s;
    return m;
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
// the viscosity where the relaxation time is meant. stress2: squared, over the squared density.
TARN_INLINE Lanes eddy_tau(float eddy, Lanes tau, Lanes stress2)
{
    return 0.5f * (tau + lanes_sqrt(tau * tau + eddy * lanes_sqrt(stress2)));
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

// A row is done in pieces, in loops so short that the CPU has several groups of cells at work: moments, of regularised
// collisions the rates of relaxation, which wait for roots and divisions, then what leaves the cells.
enum { PIECE = 128 };
typedef struct Piece {
    // Density - 1 and velocity; of regularised collisions at last the part that all directions share, and the odd one
    // along axes
    _Alignas(64) float rho[PIECE];
    float u[3][PIECE];
    // Stress beyond the equilibrium, then what leaves; else rates of even and odd parts, force
    float more[6][PIECE];
    float rate[PIECE];        // squared stress over squared density, then the rate
    float diagonal[6][PIECE]; // odd parts along the diagonals of planes
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
TARN_INLINE void set_rates(const LatticeKind* kind, const LatticePass* pass, const Around* a,
                           const Stress* sums, Lanes rho, Lanes inverse, const Lanes u[3], int i,
                           Piece* piece)
{
    Lanes tau = a->tau;
    if (pass->eddy > 0.0f) {
        Stress s = stress_beyond(kind, *sums, rho, u);
        Lanes squared = lanes_min(stress_square(kind, &s), lanes_set(4.0f));
        tau = eddy_tau(pass->eddy, tau, squared * (inverse * inverse));
    }
    Lanes even = 1.0f / tau, odd = even;
    if (pass->magic > 0.0f) odd = 1.0f / (pass->magic / (tau - 0.5f) + 0.5f);
    lanes_store(piece->more[EVEN_RATE] + i, even, ALL_LANES);
    lanes_store(piece->more[ODD_RATE] + i, odd, ALL_LANES);
    for (int d = 0; d < 3; ++d) lanes_store(piece->more[FORCE + d] + i, a->force[d], ALL_LANES);
}

// Of regularised collisions: density, velocity and stress beyond the equilibrium of a group of cells. Cells with a stress that
// no smooth flow has are not within the limits.
TARN_INLINE LaneMask set_state(const LatticeKind* kind, const bool is_half, const LatticePass* pass,
                               const Places* at, int i, int j, int k, bool has_force, unsigned bits,
                               int to, Piece* piece)
{
    Stress s;
    Moments m = sums_of(kind, pass->f, at, i, is_half, true, bits, &s);
    Lanes inverse = 1.0f / (m.rho + 1.0f), u[3];
    Around a = { 0 };
    if (has_force) a = around_of(pass, i, j, k, at->cell + i, bits);
    velocity_of(&m, &a, has_force, inverse, u);
    s = stress_beyond(kind, s, m.rho, u);
    Lanes squared = stress_square(kind, &s);
    lanes_store(piece->rho + to, m.rho, ALL_LANES);
    for (int d = 0; d < kind->dims; ++d) lanes_store(piece->u[d] + to, u[d], ALL_LANES);
    lanes_store(piece->more[XX] + to, s.xx, ALL_LANES);
    lanes_store(piece->more[YY] + to, s.yy, ALL_LANES);
    lanes_store(piece->more[XY] + to, s.xy, ALL_LANES);
    lanes_store(piece->rate + to, squared * (inverse * inverse), ALL_LANES);
    LaneMask good = is_within(pass, m.rho, u) & lanes_less(squared, lanes_set(max_stress2));
    if (kind->dims == 2) return good;
    lanes_store(piece->more[ZZ] + to, s.zz, ALL_LANES);
    lanes_store(piece->more[XZ] + to, s.xz, ALL_LANES);
    lanes_store(piece->more[YZ] + to, s.yz, ALL_LANES);
    return good;
}

TARN_INLINE void set_rate(const LatticePass* pass, Lanes tau, int i, Piece* piece)
{
    if (pass->eddy > 0.0f) tau = eddy_tau(pass->eddy, tau, lanes_load(piece->rate + i, ALL_LANES));
    lanes_store(piece->rate + i, 1.0f / tau, ALL_LANES);
}

// What leaves along the diagonals of a plane of the axes a and b: odd is what both have without them, P a quarter of the stress and K
// of its part beyond the equilibrium. Moments of third order are those of stress that the flow carries
// [Malaspinas2015]. Without them a stream of 0.1 cells per substep is unstable below tau 0.506: ripples of 2.6 cells
// grow by 1.6 % per substep at 0.5001. Adds them to the sums of their axes.
TARN_INLINE void set_plane(int plane, Lanes a_odd, Lanes b_odd, Lanes ua, Lanes ub, Lanes Paa,
                           Lanes Pbb, Lanes Kab, int i, Piece* piece, Lanes* a_sum, Lanes* b_sum)
{
    Lanes twice = Kab + Kab, abb = ua * Pbb + ub * twice, aab = ub * Paa + ua * twice;
    lanes_store(piece->diagonal[2 * plane] + i, a_odd + abb, ALL_LANES);
    lanes_store(piece->diagonal[2 * plane + 1] + i, b_odd + aab, ALL_LANES);
    *a_sum = plane == 0 ? abb : *a_sum + abb;
    *b_sum = plane < 2 ? aab : *b_sum + aab;
}

// What leaves a group of cells, times the weight 1/36 of diagonals; odd parts along axes times their own.
TARN_INLINE void set_regular(const LatticeKind* kind, const bool is_half, const Lanes F[3],
                             bool has_force, int i, Piece* piece)
{
    const bool is_solid = kind->dims == 3;
    const float unit = is_half ? half_scale : 1.0f, part = 0.25f * unit;
    Lanes rho = lanes_load(piece->rho + i, ALL_LANES), zero = lanes_set(0.0f);
    Lanes u = lanes_load(piece->u[0] + i, ALL_LANES), v = lanes_load(piece->u[1] + i, ALL_LANES);
    Lanes w = is_solid ? lanes_load(piece->u[2] + i, ALL_LANES) : zero;
    Lanes xx = lanes_load(piece->more[XX] + i, ALL_LANES);
    Lanes yy = lanes_load(piece->more[YY] + i, ALL_LANES), zz = zero;
    // Its trace is compression: relaxed at once, as with tau 1, sound dies away within cells. Left in, it rings near tau 1/2.
    Lanes mean = 0.5f * (xx + yy);
    if (is_solid) {
        zz = lanes_load(piece->more[ZZ] + i, ALL_LANES);
        mean = (xx + yy + zz) * (1.0f / 3.0f);
    }
    Lanes rate = lanes_load(piece->rate + i, ALL_LANES), keep = part - part * rate;
    Lanes full = part * rho + part, x = full * u, y = full * v, z = full * w;
    Stress P = { keep * (xx - mean) + x * u,
                 keep * (yy - mean) + y * v,
                 zero,
                 keep * lanes_load(piece->more[XY] + i, ALL_LANES),
                 zero,
                 zero };
    if (is_solid) {
        P.zz = keep * (zz - mean) + z * w;
        P.xz = keep * lanes_load(piece->more[XZ] + i, ALL_LANES);
        P.yz = keep * lanes_load(piece->more[YZ] + i, ALL_LANES);
    }
    Lanes out[3] = { x, y, z };
    if (has_force) // velocities have half of it already
        for (int d = 0; d < 3; ++d) out[d] += (0.5f * part) * F[d];
    const float third = 1.0f / 3.0f, axis = 12.0f * kind->w[0];
    Lanes odd[3] = { third * out[0], third * out[1], third * out[2] }, sum[3];
    set_plane(0, odd[0], odd[1], u, v, P.xx, P.yy, P.xy, i, piece, &sum[0], &sum[1]);
    if (is_solid) {
        set_plane(1, odd[0], odd[2], u, w, P.xx, P.zz, P.xz, i, piece, &sum[0], &sum[2]);
        set_plane(2, odd[1], odd[2], v, w, P.yy, P.zz, P.yz, i, piece, &sum[1], &sum[2]);
    }
    for (int d = 0; d < kind->dims; ++d)
        lanes_store(piece->u[d] + i, axis * out[d] - 2.0f * sum[d], ALL_LANES);
    P.xy += x * v, P.xz += x * w, P.yz += y * w;
    if (has_force) { // the stress of the force
        Lanes push = part - (0.5f * part) * rate;
        P.xx += push * (2.0f * u * F[0]), P.xy += push * (u * F[1] + v * F[0]);
        P.yy += push * (2.0f * v * F[1]), P.xz += push * (u * F[2] + w * F[0]);
        P.zz += push * (2.0f * w * F[2]), P.yz += push * (v * F[2] + w * F[1]);
    }
    Lanes trace = is_solid ? P.xx + P.yy + P.zz : P.xx + P.yy;
    lanes_store(piece->rho + i, (unit / 36.0f) * rho - (1.0f / 6.0f) * trace, ALL_LANES);
    lanes_store(piece->more[XX] + i, 0.5f * P.xx, ALL_LANES);
    lanes_store(piece->more[YY] + i, 0.5f * P.yy, ALL_LANES);
    lanes_store(piece->more[XY] + i, P.xy, ALL_LANES);
    if (!is_solid) return;
    lanes_store(piece->more[ZZ] + i, 0.5f * P.zz, ALL_LANES);
    lanes_store(piece->more[XZ] + i, P.xz, ALL_LANES);
    lanes_store(piece->more[YZ] + i, P.yz, ALL_LANES);
}

// Asks for the lines of 64 bytes that the next row needs: more streams than the CPU follows by itself.
TARN_INLINE void expect_row(const LatticeKind* kind, const LatticePass* pass, const Places* at,
                            int i, const bool is_half)
{
    const char* next = moved(pass->f, i + (int)pass->grid.row, is_half);
    __builtin_prefetch(next + at->rest, 1, 3);
    UNROLL for (int p = 0; p < kind->pairs; ++p)
    {
        __builtin_prefetch(next + at->up[p], 1, 3);
        __builtin_prefetch(next + at->down[p], 1, 3);
    }
}

// Moments of a group of cells, from which the piece is filled. Lanes that are not within the limits are not set.
TARN_INLINE LaneMask set_moments(const LatticeKind* kind, const bool is_half,
                                 const LatticeMode mode, const LatticePass* pass, const Places* at,
                                 int i, int j, int k, bool has_force, unsigned bits, int to,
                                 Piece* piece)
{
    Stress s;
    const bool has_stress = mode == LATTICE_GENERAL;
    Moments m = sums_of(kind, pass->f, at, i, is_half, has_stress, bits, &s);
    Lanes inverse = 1.0f / (m.rho + 1.0f), u[3];
    Around a = { 0 };
    if (mode != LATTICE_PLAIN) a = around_of(pass, i, j, k, at->cell + i, bits);
    velocity_of(&m, &a, mode != LATTICE_PLAIN && has_force, inverse, u);
    if (mode == LATTICE_GENERAL) set_rates(kind, pass, &a, &s, m.rho, inverse, u, to, piece);
    lanes_store(piece->rho + to, m.rho, ALL_LANES);
    for (int d = 0; d < kind->dims; ++d) lanes_store(piece->u[d] + to, u[d], ALL_LANES);
    return is_within(pass, m.rho, u);
}

// ---- What leaves ------------------------------------------------------------------------------------

typedef struct Leaving { // of a group of cells: what all directions share
    Lanes base, odd3, u[3], uF, F[3], even_rate, odd_rate, even_push, odd_push;
    float keep;
} Leaving;

TARN_INLINE Leaving unscaled_leaving(const LatticeKind* kind, const LatticeMode mode, float omega,
                                     const Piece* piece, int i)
{
    Leaving v = { .base = lanes_load(piece->rho + i, ALL_LANES), .u = { { 0 } } };
    for (int d = 0; d < kind->dims; ++d) v.u[d] = lanes_load(piece->u[d] + i, ALL_LANES);
    Lanes rho = v.base, u2 = square(v.u[0], v.u[1], v.u[2]);
    if (mode == LATTICE_PLAIN) {
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
                               float omega, const Piece* piece, int i)
{
    Leaving v = unscaled_leaving(kind, mode, omega, piece, i);
    if (!is_half) return v;
    v.base = v.base * half_scale;
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
    if (mode == LATTICE_PLAIN) return v->keep * rest + kind->rest * v->base;
    return rest - v->even_rate * (rest - kind->rest * v->base) -
           (kind->rest * 3.0f) * v->even_push * v->uF;
}

// The two populations of a pair after a regularised collision, from what set_regular left.
TARN_INLINE void leave_regular(const LatticeKind* kind, const Piece* piece, int i, int p, Lanes* up,
                               Lanes* down)
{
    const signed char* e = kind->e[p];
    Lanes even = lanes_load(piece->rho + i, ALL_LANES), odd;
    for (int d = 0; d < 3; ++d)
        if (e[d]) even += lanes_load(piece->more[d] + i, ALL_LANES);
    if (p < kind->dims) {
        even = (36.0f * kind->w[p]) * even;
        odd = lanes_load(piece->u[p] + i, ALL_LANES);
    } else {
        int plane = e[2] == 0 ? 0 : e[1] == 0 ? 1 : 2;
        const int sign = plane == 0 ? e[0] : plane == 1 ? e[0] : e[1];
        Lanes shear = lanes_load(piece->more[XY + plane] + i, ALL_LANES);
        odd = lanes_load(piece->diagonal[2 * plane + 1] + i, ALL_LANES);
        add_along(sign, &even, shear);
        add_along(sign, &odd, lanes_load(piece->diagonal[2 * plane] + i, ALL_LANES));
    }
    *up = even + odd, *down = even - odd;
}
