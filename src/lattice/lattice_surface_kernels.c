// Exchange of mass between interface cells and what is around them, eight cells of the list at a time (lattice_surface.c has the
// method).

#include "lattice/lattice_surface_kernels.h"
#include "lattice/half8.h"

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed" // sanitizers inline less, and loops stay loops
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 18")
#endif

static const float too_full = 1.001f, too_empty = -0.001f; // of the density

typedef struct Eight { // cells of the list
    int32_t c[TARN_LANES];
    bool is_run; // one after the other
} Eight;

TARN_INLINE TarnF8 gather_floats(const float* from, const Eight* at)
{
    return at->is_run ? f8_load(from + at->c[0]) : f8_gather_at(from, at->c);
}

TARN_INLINE TarnF8 gather(const void* f, ptrdiff_t offset, const Eight* at, const bool is_half)
{
    if (!is_half) return gather_floats((const float*)f + offset, at);
    const uint16_t* h = (const uint16_t*)f + offset;
    const int32_t* c = at->c;
    TarnH8 v;
    if (at->is_run)
        memcpy(&v, h + c[0], sizeof v);
    else
        v = (TarnH8){ h[c[0]], h[c[1]], h[c[2]], h[c[3]], h[c[4]], h[c[5]], h[c[6]], h[c[7]] };
    return half8_widen(v) * 0x1p-15f;
}

TARN_INLINE void scatter(void* f, ptrdiff_t at, const int32_t* c, unsigned bits, TarnF8 v,
                         const bool is_half)
{
    float values[TARN_LANES];
    TarnH8 halves = { 0 };
    f8_store(values, v);
    if (is_half) halves = half8_narrow_limited(v * 0x1p15f);
    for (; bits; bits &= bits - 1) {
        int lane = __builtin_ctz(bits);
        if (is_half)
            ((uint16_t*)f)[at + c[lane]] = halves[lane];
        else
            ((float*)f)[at + c[lane]] = values[lane];
    }
}

// What the neighbors of the cells are: of those along x in a row, with its cell below it, the types are the bytes of one word.
typedef struct Around {
    TarnI8 rows[9]; // row y + 1 + 3 (z + 1); only those that the lattice has
} Around;

TARN_INLINE Around around(const LatticeKind* kind, const LatticeExchange* x, const Eight* at)
{
    Around a;
    for (int row = 0; row < 9; ++row) {
        int y = row % 3 - 1, z = row / 3 - 1;
        if (kind->dims == 2 && z != 0) continue;
        const uint8_t* from = x->type + (y * x->row + z * x->slab) - 1;
        for (int l = 0; l < TARN_LANES; ++l) {
            int32_t word;
            memcpy(&word, from + at->c[l], sizeof word);
            a.rows[row][l] = word;
        }
    }
    return a;
}

TARN_INLINE TarnI8 type_along(const Around* a, const signed char* e, int sign)
{
    int row = sign * e[1] + 1 + 3 * (sign * e[2] + 1);
    return a->rows[row] >> (8 * (sign * e[0] + 1)) & 0xff;
}

TARN_INLINE TarnF8 clamp(TarnF8 v, float lo, float hi)
{
    return f8_min(f8_max(v, f8_set(lo)), f8_set(hi));
}

TARN_INLINE void add_sign(int e, TarnF8* sum, TarnF8 v)
{
    if (e) *sum = e > 0 ? *sum + v : *sum - v;
}

// Velocity of what the last step left in the cells, and what it sent along each way.
TARN_INLINE void left_in(const LatticeKind* kind, const bool is_half, const LatticeExchange* x,
                         const Eight* at, TarnF8 rest, TarnF8 sent[2 * LATTICE_PAIRS], TarnF8 u[3])
{
    TarnF8 rho = rest, zero = f8_set(0.0f);
    u[0] = u[1] = u[2] = zero;
    UNROLL for (int way = 0; way < 2 * kind->pairs; ++way)
    {
        const signed char* e = kind->e[way / 2];
        int sign = way & 1 ? -1 : 1;
        sent[way] = gather(x->f, x->sent[way], at, is_half);
        rho += sent[way];
        for (int d = 0; d < 3; ++d) add_sign(sign * e[d], &u[d], sent[way]);
    }
    rho = clamp(rho, -0.6f, 0.6f);
    for (int d = 0; d < 3; ++d) u[d] = clamp(u[d] / (1.0f + rho), -0.35f, 0.35f);
}

// The pressure of the gas holds where the surface is: by how much the density differs that gas returns. What comes back from
// gas makes it hold half-way to the cells of gas, as walls are half-way, so for a full cell it is right as it is; less full, the
// surface is lower, along axes with gas on one side only. Without this, a pool feels its level in whole cells.
TARN_INLINE TarnF8 by_height(const LatticeKind* kind, const LatticeExchange* x,
                             const Around* beside, TarnF8 fill)
{
    TarnF8 sum = f8_set(0.0f), zero = sum, height = fill - 1.0f;
    TarnI8 sides = i8_set(0);
    for (int d = 0; d < kind->dims; ++d) {
        const signed char e[3] = { d == 0, d == 1, d == 2 };
        TarnI8 up = i8_equal(type_along(beside, e, 1), i8_set(LATTICE_GAS));
        TarnI8 down = i8_equal(type_along(beside, e, -1), i8_set(LATTICE_GAS));
        TarnF8 at = f8_select(up & ~down, height, f8_select(down & ~up, -height, zero));
        sum += x->force[d] * at;
        sides += (up ^ down) & 1;
    }
    TarnF8 share = f8_select(i8_equal(sides, i8_set(3)), f8_set(1.0f / 3.0f),
                             f8_select(i8_equal(sides, i8_set(2)), f8_set(0.5f), f8_set(1.0f)));
    return -3.0f * share * sum;
}

TARN_INLINE void exchange_cells(const LatticeKind* kind, const bool is_half,
                                const LatticeExchange* x, const Eight* at, TarnF8 gas,
                                float mass_out[TARN_LANES], float next_out[TARN_LANES],
                                uint8_t marks[TARN_LANES])
{
    TarnF8 sent[2 * LATTICE_PAIRS], u[3], rho = gather(x->f, 0, at, is_half);
    left_in(kind, is_half, x, at, rho, sent, u);
    TarnF8 mass = gather_floats(x->mass, at) + x->spread, fill = gather_floats(x->fill, at);
    const Around beside = around(kind, x, at);
    gas = gas + by_height(kind, x, &beside, fill);
    TarnF8 base = 2.0f * (gas - 1.5f * (1.0f + gas) * (u[0] * u[0] + u[1] * u[1] + u[2] * u[2]));
    TarnI8 has_gas = i8_set(0), has_fluid = has_gas;
    // Along `way` from the neighbor, along way ^ 1 to it.
    UNROLL for (int way = 0; way < 2 * kind->pairs; ++way)
    {
        const signed char* e = kind->e[way / 2];
        TarnF8 got = gather(x->f, x->gets[way], at, is_half);
        TarnI8 type = type_along(&beside, e, way & 1 ? 1 : -1);
        TarnI8 is_gas = i8_equal(type, i8_set(LATTICE_GAS));
        TarnI8 is_fluid = i8_equal(type, i8_set(LATTICE_FLUID));
        TarnI8 is_interface = i8_equal(type, i8_set(LATTICE_INTERFACE));
        unsigned gas_bits = i8_mask_bits(is_gas);
        if (gas_bits) { // both equilibria of the pair, less what was sent
            TarnF8 eu = f8_set(0.0f);
            for (int d = 0; d < 3; ++d) add_sign(e[d], &eu, u[d]);
            TarnF8 back = kind->w[way / 2] * (base + 9.0f * (1.0f + gas) * eu * eu) - sent[way ^ 1];
            scatter(x->f, x->gets[way], at->c, gas_bits, back, is_half);
            got = f8_select(is_gas, back, got);
            has_gas |= is_gas;
        }
        rho += got;
        has_fluid |= is_fluid;
        TarnF8 share =
            f8_from_bits(is_fluid & f8_bits(f8_set(1.0f))); // walls send back what they get
        if (i8_mask_bits(is_interface))
            share = f8_select(is_interface, 0.5f * (fill + gather_floats(x->fill - x->to[way], at)),
                              share);
        mass += share * (got - sent[way ^ 1]);
    }
    TarnF8 density = 1.0f + clamp(rho, -0.6f, 0.6f);
    mass = clamp(mass, -4.0f, 4.0f);
    f8_store(mass_out, mass);
    f8_store(next_out, clamp(mass / density, 0.0f, 1.0f));
    // Without gas beside it, it is inside. Without fluid it would hang in the air, for only a cell that runs over moves the
    // surface on: it dissolves, and its mass goes to the others.
    TarnI8 fills = f8_less(too_full * density, mass) | (~has_gas & f8_less(0.1f * density, mass));
    TarnI8 dries = f8_less(mass, too_empty * density) | ~has_fluid;
    TarnI8 mark = (fills & LATTICE_TO_FLUID) | (~fills & dries & LATTICE_TO_GAS);
    for (int l = 0; l < TARN_LANES; ++l) marks[l] = (uint8_t)mark[l];
}

TARN_INLINE void exchange(const LatticeKind* kind, const bool is_half, const LatticeExchange* x,
                          const int32_t* cells, const float* gas, int n, uint8_t* marks)
{
    for (int from = 0; from < n; from += TARN_LANES) {
        Eight at = { .is_run = true };
        float mass[TARN_LANES], next[TARN_LANES];
        uint8_t mark[TARN_LANES];
        int lanes = n - from < TARN_LANES ? n - from : TARN_LANES;
        for (int l = 0; l < TARN_LANES; ++l) { // beyond the end: the last cell again
            at.c[l] = cells[from + (l < lanes ? l : lanes - 1)];
            at.is_run = at.is_run && at.c[l] == at.c[0] + l;
        }
        exchange_cells(kind, is_half, x, &at, f8_load(gas + from), mass, next, mark);
        for (int l = 0; l < lanes; ++l) {
            x->mass[at.c[l]] = mass[l], x->next[at.c[l]] = next[l];
            marks[from + l] = mark[l];
        }
    }
}

#define EXCHANGE(name, kind, is_half)                                                              \
    static void name(const LatticeExchange* x, const int32_t* cells, const float* gas, int n,      \
                     uint8_t* marks)                                                               \
    {                                                                                              \
        exchange(&kind, is_half, x, cells, gas, n, marks);                                         \
    }
EXCHANGE(flat_float, lattice_d2q9, false)
EXCHANGE(flat_half, lattice_d2q9, true)
EXCHANGE(solid_float, lattice_d3q19, false)
EXCHANGE(solid_half, lattice_d3q19, true)

const LatticeSurfaceKernels TARN_KERNEL(tarn__lattice_surface_kernels) = {
    .exchange = { { flat_float, flat_half }, { solid_float, solid_half } },
};
