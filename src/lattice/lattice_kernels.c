// Collisions and streaming in one pass over the cells, in place.
//
// Method   Esoteric pull [Lehmann2022]: in a step, a cell loads and stores the same places, half of them its own and half
//          in the neighbors that its pairs of directions point to; slots change with the parity of the step. No
//          other cell touches them in the same step, so any order of cells gives the same bits. Populations are stored without
//          their weights. Regularised collisions [Latt2006] are computed from moments: density, momentum and stress
//          determine what leaves a cell, those of third order by recursion [Malaspinas2015]. Eddy viscosity as in
//          [Hou1996], with tau solved exactly; forces as in [Guo2002]; two relaxation times [Ginzburg2008].
// Checked  tests/physics/check_lattice.c, tests/unit/test_lattice.c.
// Lanes    Sixteen where the CPU has them (lattice_lanes.h): in 16 bits the arithmetic, not the memory, is what takes time.
// Cost     bench/bench_lattice.c: the bandwidth of the memory is the bound, 2 x 4 bytes per population.

#include "lattice/lattice_collide.h"

// Collides a group of cells. What leaves along a direction goes to where the opposite one was loaded.
TARN_INLINE void leave_cells(const LatticeKind* kind, const bool is_half, const LatticeMode mode,
                             const LatticePass* pass, float omega, const Places* at, int i,
                             unsigned bits, const Piece* piece, int cell)
{
    Leaving v = leaving_of(kind, is_half, mode, omega, piece, cell);
    char* from = moved(pass->f, i, is_half);
    Lanes rest = load(from, at->rest, is_half, bits);
    store(from, at->rest, leave_rest(kind, mode, &v, rest), is_half, bits);
    UNROLL for (int p = 0; p < kind->pairs; ++p)
    {
        Lanes up = load(from, at->up[p], is_half, bits);
        Lanes down = load(from, at->down[p], is_half, bits);
        leave_pair(mode, &v, kind->e[p], kind->w[p], &up, &down);
        store(from, at->down[p], up, is_half, bits);
        store(from, at->up[p], down, is_half, bits);
    }
}
// The same for regularised collisions, which need no populations from before.
TARN_INLINE void leave_regular_cells(const LatticeKind* kind, const bool is_half, void* f,
                                     const Places* at, int i, unsigned bits, const Piece* piece,
                                     int cell)
{
    char* from = moved(f, i, is_half);
    store(from, at->rest, (36.0f * kind->rest) * lanes_load(piece->rho + cell, ALL_LANES), is_half,
          bits);
    UNROLL for (int p = 0; p < kind->pairs; ++p)
    {
        Lanes up, down;
        leave_regular(kind, piece, cell, p, &up, &down);
        store(from, at->down[p], up, is_half, bits);
        store(from, at->up[p], down, is_half, bits);
    }
}

// ---- Limits ---------------------------------------------------------------------------------------

// Cells that are too fast, too dense or too strained are brought to the equilibrium of what is allowed. Rare.
static __attribute__((noinline)) void limit_cells(const LatticeKind* kind, bool is_half,
                                                  const LatticePass* pass, const Places* at, int i,
                                                  int j, int k, unsigned bad)
{
    Cells c = { 0 };
    Stress none;
    Moments m = sums_of(kind, pass->f, at, i, is_half, false, bad, &none);
    Around a = around_of(pass, i, j, k, at->cell + i, bad);
    const Lanes most = lanes_set(0.99f * max_rho), max2 = lanes_set(pass->max_speed2);
    LaneMask is_tame = lanes_less(lanes_abs(m.rho), lanes_set(1e15f)) &
                       lanes_less(lanes_abs(m.x), lanes_set(1e15f)) &
                       lanes_less(lanes_abs(m.y), lanes_set(1e15f)) &
                       lanes_less(lanes_abs(m.z), lanes_set(1e15f));
    Lanes zero = lanes_set(0.0f), u[3], rho = lanes_max(lanes_min(m.rho, most), -most);
    rho = lanes_select(is_tame, rho, zero);
    velocity_of(&m, &a, true, 1.0f / (rho + 1.0f), u);
    Lanes slow = 0.99f * lanes_sqrt(max2 / lanes_max(square(u[0], u[1], u[2]), max2));
    for (int d = 0; d < 3; ++d) u[d] = lanes_select(is_tame, u[d] * slow, zero);
    // The populations are those before half of the force is added.
    Lanes v[3];
    for (int d = 0; d < 3; ++d) v[d] = u[d] - 0.5f * a.force[d] / (rho + 1.0f);
    set_equilibrium(kind, is_half, rho, v[0], v[1], v[2], &c);
    char* from = moved(pass->f, i, is_half);
    store(from, at->rest, c.rest, is_half, bad);
    for (int p = 0; p < kind->pairs; ++p) {
        store(from, at->up[p], c.up[p], is_half, bad);
        store(from, at->down[p], c.down[p], is_half, bad);
    }
}

TARN_INLINE ptrdiff_t place_of(const Places* at, int slot)
{
    int p = (slot - 1) / 2;
    return slot == 0 ? at->rest : slot % 2 ? at->up[p] : at->down[p];
}

// Halves that became infinite are the largest ones. Rare.
static __attribute__((noinline)) void limit_halves(const LatticeKind* kind, const LatticePass* pass,
                                                   const Places* at, int i0, int i1)
{
    for (int s = 0; s < kind->slots; ++s) {
        void* row = (char*)pass->f + place_of(at, s);
        uint16_t* h = row;
        for (int i = i0; i < i1; ++i)
            if ((h[i] & 0x7c00) == 0x7c00) h[i] = (uint16_t)((h[i] & 0x8000) | 0x7bff);
    }
}

// Of all populations of some cells: the highest bit is set where adding 1 to the exponent of one flips its sign.
typedef uint16_t Flips __attribute__((vector_size(32)));
TARN_INLINE Flips flips_of(const LatticeKind* kind, const LatticePass* pass, const Places* at,
                           int i, const size_t bytes)
{
    const char* from = moved(pass->f, i, true);
    Flips flips = { 0 };
    UNROLL for (int s = 0; s < kind->slots; ++s)
    {
        Flips h = { 0 };
        memcpy(&h, from + place_of(at, s), bytes);
        flips |= (h + 0x400) ^ h;
    }
    return flips;
}

// What BGK and two relaxation times throw over the equilibrium may be beyond the largest half. Regularised collisions
// stay below it: density, momentum and stress are limited. Looking at halves afterwards takes half as long as at floats before.
TARN_INLINE bool has_infinite(const LatticeKind* kind, const LatticePass* pass, const Places* at,
                              int i0, int i1)
{
    Flips flips = { 0 };
    int i = i0;
    for (; i + 16 <= i1; i += 16) flips |= flips_of(kind, pass, at, i, 32);
    if (i < i1) flips |= flips_of(kind, pass, at, i, 16); // rows are multiples of eight cells
    unsigned any = 0;
    for (int l = 0; l < 16; ++l) any |= flips[l];
    return (any & 0x8000u) != 0;
}

// ---- Rows ------------------------------------------------------------------------------------------

typedef struct Row {
    int nx, j, k, r;
    const uint8_t* bytes; // bits of its cells; NULL: all collide
    Places at;
    bool has_force;
} Row;

TARN_INLINE const uint8_t* bytes_of(const LatticePass* pass, int r)
{
    return pass->cells + (ptrdiff_t)(pass->grid.nx >> 3) * r;
}

// The bits of the group of cells from i on.
TARN_INLINE unsigned bits_of(const Row* row, int i)
{
    bool is_cut = LANES > 8 && i + 8 == row->nx;
    if (row->bytes == NULL) return is_cut ? 0xff : ALL_LANES;
    unsigned bits = row->bytes[i >> 3];
    return LANES == 8 || is_cut ? bits : bits | (unsigned)row->bytes[(i >> 3) + 1] << 8;
}

// Does one of n cells from i on collide?
TARN_INLINE bool has_cells(const Row* row, int i, int n)
{
    int end = i + n < row->nx ? i + n : row->nx;
    bool has = row->bytes == NULL;
    for (int b = i >> 3; b < (end + 7) >> 3 && !has; ++b) has = row->bytes[b] != 0;
    return has;
}

// Moments of a group of cells; returns which are within the limits.
TARN_INLINE LaneMask settle(const LatticeKind* kind, const bool is_half, const LatticeMode mode,
                            const LatticePass* pass, const Row* row, int i, unsigned bits, int to,
                            Piece* piece)
{
    if (mode == LATTICE_REGULAR)
        return set_state(kind, is_half, pass, &row->at, i, row->j, row->k, row->has_force, bits, to,
                         piece);
    return set_moments(kind, is_half, mode, pass, &row->at, i, row->j, row->k, row->has_force, bits,
                       to, piece);
}

// What leaves the cells of a piece, of regularised collisions.
TARN_INLINE void set_leaving(const LatticeKind* kind, const bool is_half, const LatticePass* pass,
                             const Row* row, int i0, int i1, Piece* piece)
{
    for (int i = i0; i < i1; i += LANES) {
        unsigned bits = bits_of(row, i);
        if (bits == 0) continue;
        Around a = around_of(pass, i, row->j, row->k, row->at.cell + i, bits);
        set_rate(pass, a.tau, i - i0, piece);
    }
    for (int i = i0; i < i1; i += LANES) {
        unsigned bits = bits_of(row, i);
        if (bits == 0) continue;
        Around a = { 0 };
        if (row->has_force) a = around_of(pass, i, row->j, row->k, row->at.cell + i, bits);
        set_regular(kind, is_half, a.force, row->has_force, i - i0, piece);
    }
}

// The cells of a piece that are beyond a limit, and their moments anew. One copy for all lattices: it is rare.
static __attribute__((noinline)) void limit_piece(const LatticeKind* kind, bool is_half,
                                                  LatticeMode mode, const LatticePass* pass,
                                                  const Row* row, int i0, int i1, Piece* piece,
                                                  LatticeLimit* limit)
{
    for (int i = i0; i < i1; i += LANES) {
        unsigned bits = bits_of(row, i);
        if (bits == 0) continue;
        for (int again = 0; again < 2; ++again) {
            LaneMask good = settle(kind, is_half, mode, pass, row, i, bits, i - i0, piece);
            unsigned bad = ~lanes_bits(good) & bits;
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
    LaneMask all = lanes_mask(ALL_LANES);
    for (int i = i0; i < i1; i += LANES) {
        if ((i & (is_half ? 31 : 15)) == 0 && has_cells(row, i, is_half ? 32 : 16))
            expect_row(kind, pass, &row->at, i, is_half);
        unsigned bits = bits_of(row, i);
        if (bits == ALL_LANES)
            all &= settle(kind, is_half, mode, pass, row, i, ALL_LANES, i - i0, &piece);
        else if (bits != 0)
            all &=
                ~lanes_mask(bits) | settle(kind, is_half, mode, pass, row, i, bits, i - i0, &piece);
    }
    if (lanes_bits(all) != ALL_LANES)
        limit_piece(kind, is_half, mode, pass, row, i0, i1, &piece, limit);
    if (mode == LATTICE_REGULAR) set_leaving(kind, is_half, pass, row, i0, i1, &piece);
    const float omega = 1.0f / pass->tau;
    for (int i = i0; i < i1; i += LANES) {
        unsigned bits = bits_of(row, i);
        if (mode == LATTICE_REGULAR && bits == ALL_LANES)
            leave_regular_cells(kind, is_half, pass->f, &row->at, i, ALL_LANES, &piece, i - i0);
        else if (mode == LATTICE_REGULAR && bits != 0)
            leave_regular_cells(kind, is_half, pass->f, &row->at, i, bits, &piece, i - i0);
        else if (bits == ALL_LANES)
            leave_cells(kind, is_half, mode, pass, omega, &row->at, i, ALL_LANES, &piece, i - i0);
        else if (bits != 0)
            leave_cells(kind, is_half, mode, pass, omega, &row->at, i, bits, &piece, i - i0);
    }
    if (is_half && mode != LATTICE_REGULAR && has_infinite(kind, pass, &row->at, i0, i1))
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
        Row row;
        row.nx = g->nx, row.j = r % g->ny, row.k = r / g->ny, row.r = r;
        row.bytes = of == LATTICE_ROW_MIXED ? bytes_of(pass, r) : NULL;
        row.has_force = has_force;
        set_places(kind, g, is_half, pass->is_odd, row.j, row.k, &row.at);
        for (int i = 0; i < g->nx; i += PIECE) {
            int end = i + PIECE < g->nx ? i + PIECE : g->nx;
            collide_piece(kind, is_half, mode, pass, &row, i, end, limit);
        }
    }
}

// Density and velocity that the next step finds, of cells that collide.
TARN_INLINE void read_row(const LatticeKind* kind, const bool is_half, const LatticePass* pass,
                          int j, int k, const LatticeRowOut* out)
{
    const LatticeGrid* g = &pass->grid;
    Row row = { .nx = g->nx, .r = j + g->ny * k };
    set_places(kind, g, is_half, pass->is_odd, j, k, &row.at);
    if (pass->kinds && pass->kinds[row.r] == LATTICE_ROW_MIXED) row.bytes = bytes_of(pass, row.r);
    for (int i = 0; i < g->nx; i += LANES) {
        unsigned bits = bits_of(&row, i);
        if (bits == 0) continue;
        Stress none;
        Moments m = sums_of(kind, pass->f, &row.at, i, is_half, false, bits, &none);
        Around a = around_of(pass, i, j, k, row.at.cell + i, bits);
        Lanes inverse = 1.0f / (lanes_max(m.rho, lanes_set(-0.9f)) + 1.0f);
        const Lanes from[3] = { m.x, m.y, m.z };
        if (out->rho) lanes_store(out->rho + i, m.rho, bits);
        for (int d = 0; d < 3; ++d) {
            if (out->u[d])
                lanes_store(out->u[d] + i, (from[d] + 0.5f * a.force[d]) * inverse, bits);
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
