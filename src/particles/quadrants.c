// Sprinkle's neighbor search: cells with quadrants and 8-bit coordinates.
//
// Method   [Gustafsson2014], the part on finding neighbors.
// Differs  the grid has no bounds (it wraps, as in neighbors.c); particles are sorted by cell and quadrant
//          instead of being kept in fixed arrays per cell.
// Checked  tests/unit/test_neighbors.c: the same neighbors as neighbors.c.
// Cost     bench/bench_neighbors.c, beside the other.

#include "particles/quadrants.h"
#include "particles/quadrants_kernels.h"
#include <math.h>

enum { FIND_BLOCK = 128 }; // quadrants

void tarn__quadrants_lay_out(Quadrants* q, TarnLayout* layout, char* base, int slots,
                             int max_particles, float support)
{
    tarn__neighbors_lay_out(&q->nb, layout, base, 2, slots, slots, max_particles, support);
    // Rounding up to whole cells adds a row and a column of quadrants, at worst 2 n + 4.
    size_t quadrants = 2 * (size_t)q->nb.max_cells + 5, n = (size_t)max_particles + 16;
    size_t begin = tarn__layout_add(layout, quadrants * sizeof(int));
    size_t x8 = tarn__layout_add(layout, n), y8 = tarn__layout_add(layout, n);
    q->cells_x = 1;
    q->quadrant_begin = base ? (int*)(void*)(base + begin) : NULL;
    q->x8 = base ? (int8_t*)(base + x8) : NULL;
    q->y8 = base ? (int8_t*)(base + y8) : NULL;
}

static int quadrants_of(const Quadrants* q)
{
    return 4 * q->cells_x * ((q->nb.cells[1] + 1) / 2);
}

static const QuadrantKernels* kernels(const TarnContext* ctx)
{
    // With AVX-512 20,000 particles take 1.27 ms instead of 1.20 (tarn bench neighbors.quadrants).
    return TARN_KERNELS_PICK_NO_MASKS(ctx->isa, tarn__quadrant_kernels);
}

// From the middle of the cell: the lower half counts from -128 to -1, the upper one from 0 to 127.
static unsigned place_along(const Neighbors* nb, int axis, float at, int quadrant)
{
    double v = ((double)at - (double)nb->origin[axis]) * nb->cells_per_m;
    int steps = (int)((v - floor(v)) * 128.0);
    return (unsigned)((steps < 127 ? steps : 127) - (quadrant & 1 ? 0 : 128)) & 255u;
}

// As the kernel, where the grid wraps. The lowest bit of a coordinate tells the half of the cell.
static void keys_wrapped(const Quadrants* q, const float* x, const float* y, int n, uint16_t* place)
{
    const Neighbors* nb = &q->nb;
    for (int i = 0; i < n; ++i) {
        int at[3];
        tarn__neighbors_cell(nb, x[i], y[i], 0.0f, at);
        int cell = (at[1] >> 1) * q->cells_x + (at[0] >> 1);
        nb->cell_of[i] = 4 * cell + 2 * (at[1] & 1) + (at[0] & 1);
        place[i] =
            (uint16_t)(place_along(nb, 0, x[i], at[0]) | place_along(nb, 1, y[i], at[1]) << 8);
    }
}

void tarn__quadrants_sort(TarnContext* ctx, Quadrants* q, int n, const float* x, const float* y)
{
    Neighbors* nb = &q->nb;
    tarn__neighbors_grid(ctx, nb, n, x, y, NULL);
    q->cells_x = (nb->cells[0] + 1) / 2;
    uint16_t* place = (uint16_t*)(void*)nb->list; // made anew after a sort
    if (nb->wraps[0] || nb->wraps[1])
        keys_wrapped(q, x, y, n, place);
    else
        kernels(ctx)->keys(q, x, y, n, nb->cell_of, place);
    int quadrants = quadrants_of(q), *begin = q->quadrant_begin, sum = 0;
    memset(begin, 0, (size_t)quadrants * sizeof(int));
    for (int i = 0; i < n; ++i) begin[nb->cell_of[i]]++;
    for (int c = 0; c < quadrants; ++c) begin[c] = sum += begin[c];
    begin[quadrants] = sum;
    for (int i = n - 1; i >= 0; --i) {
        int to = --begin[nb->cell_of[i]];
        nb->order[to] = i;
        q->x8[to] = (int8_t)(place[i] & 255);
        q->y8[to] = (int8_t)(place[i] >> 8);
    }
}

typedef struct Find {
    Quadrants* q;
    const QuadrantKernels* kernels;
    const float *x, *y;
    int quadrants;
} Find;

static void find_block(int block, void* data)
{
    const Find* f = data;
    int begin = block * FIND_BLOCK, end = begin + FIND_BLOCK;
    if (end > f->quadrants) end = f->quadrants;
    int* out = f->q->nb.cell_begin + 2 * block; // not used otherwise
    out[1] = 0;
    out[0] = f->kernels->find(f->q, f->x, f->y, begin, end, &out[1]);
}

void tarn__quadrants_find(TarnContext* ctx, Quadrants* q, const float* x, const float* y)
{
    Find f = { q, kernels(ctx), x, y, quadrants_of(q) };
    int blocks = (f.quadrants + FIND_BLOCK - 1) / FIND_BLOCK;
    if (q->nb.n == 0) blocks = 0;
    tarn__parallel_for(ctx, blocks, find_block, &f);
    int64_t total = 0;
    q->nb.overflowed = 0;
    for (int b = 0; b < blocks; ++b) {
        q->nb.overflowed += q->nb.cell_begin[2 * b];
        total += q->nb.cell_begin[2 * b + 1];
    }
    q->nb.mean = q->nb.n > 0 ? (double)total / q->nb.n : 0.0;
}
