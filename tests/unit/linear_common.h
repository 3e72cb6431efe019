// Fields for the tests of transforms and of multigrid. Include it first.
#pragma once

#include "counting.h"
#include <math.h>
#include <stdio.h>
#include "base/base.h"
#include "linear/cosine.h"

static const double PI = 3.14159265358979323846;

typedef struct Field {
    Grid3 grid;
    float* base;
    float* at; // cell (0, 0, 0)
} Field;

// Every float around the cells is marked, so that stray writes show.
static const float MARK = -77.25f;

static inline Field field_make(int nx, int ny, int nz)
{
    Field f = { .grid = tarn__grid3(nx, ny, nz) };
    size_t n = tarn__grid3_floats(&f.grid);
    f.base = aligned_alloc(64, (n * sizeof(float) + 63) / 64 * 64);
    for (size_t c = 0; c < n; ++c) f.base[c] = MARK;
    f.at = f.base + tarn__grid3_first(&f.grid);
    return f;
}
static inline void field_free(Field* f)
{
    free(f->base);
}
static inline float* cell(const Field* f, int i, int j, int k)
{
    return f->at + tarn__grid3_at(&f->grid, i, j, k);
}

#define EACH_CELL(f, i, j, k)                                                                      \
    for (int k = 0; k < (f)->grid.nz; ++k)                                                         \
        for (int j = 0; j < (f)->grid.ny; ++j)                                                     \
            for (int i = 0; i < (f)->grid.nx; ++i)

static inline void field_set(Field* f, float value)
{
    EACH_CELL(f, i, j, k) * cell(f, i, j, k) = value;
}
static inline void field_copy(Field* to, const Field* from)
{
    EACH_CELL(to, i, j, k) * cell(to, i, j, k) = *cell(from, i, j, k);
}
static uint64_t random_at;
static inline float random_between(float lo, float hi)
{
    return lo + (hi - lo) * tarn__random01(5, 9, random_at++);
}
static inline void field_random(Field* f)
{
    EACH_CELL(f, i, j, k) * cell(f, i, j, k) = random_between(-1.0f, 1.0f);
}
static inline double field_mean(const Field* f)
{
    double sum = 0.0;
    EACH_CELL(f, i, j, k) sum += (double)*cell(f, i, j, k);
    return sum / ((double)f->grid.nx * f->grid.ny * f->grid.nz);
}
static inline double field_norm(const Field* f)
{
    double sum = 0.0;
    EACH_CELL(f, i, j, k) sum += pow((double)*cell(f, i, j, k), 2.0);
    return sqrt(sum);
}
static inline double field_distance(const Field* a, const Field* b) // over the norm of b
{
    double sum = 0.0;
    EACH_CELL(a, i, j, k) sum += pow((double)*cell(a, i, j, k) - (double)*cell(b, i, j, k), 2.0);
    return sqrt(sum) / field_norm(b);
}
static inline uint64_t field_hash(const Field* f)
{
    uint64_t hash = 0;
    for (int k = 0; k < f->grid.nz; ++k)
        for (int j = 0; j < f->grid.ny; ++j)
            hash = tarn_hash(cell(f, 0, j, k), (size_t)f->grid.nx * sizeof(float), hash);
    return hash;
}
// Nothing but cells and, if asked for, the ghosts beyond the six faces has been written.
static inline bool is_rim_marked(const Field* f, bool has_ghosts)
{
    const Grid3* g = &f->grid;
    size_t n = tarn__grid3_floats(g);
    char* is_ours = calloc(n, 1);
    int r = has_ghosts ? 1 : 0, n_bad = 0;
    for (int k = -r; k < g->nz + r; ++k) {
        for (int j = -r; j < g->ny + r; ++j) {
            for (int i = -r; i < g->nx + r; ++i) {
                int beyond = (i < 0 || i >= g->nx) + (j < 0 || j >= g->ny) + (k < 0 || k >= g->nz);
                if (beyond <= r) is_ours[cell(f, i, j, k) - f->base] = 1;
            }
        }
    }
    for (size_t c = 0; c < n; ++c) n_bad += !is_ours[c] && f->base[c] != MARK;
    free(is_ours);
    return n_bad == 0;
}

// |rhs - lap p| over |rhs|, by the ghosts of p, in double. The mean of rhs is taken off if asked for.
static inline double residual_of(const Field* p, const Field* rhs, bool is_closed)
{
    double mean = is_closed ? field_mean(rhs) : 0.0, sum = 0.0, all = 0.0;
    ptrdiff_t row = p->grid.row, slab = p->grid.slab;
    EACH_CELL(p, i, j, k)
    {
        const float* c = cell(p, i, j, k);
        double lap = (double)c[-1] + (double)c[1] + (double)c[-row] + (double)c[row] +
                     (double)c[-slab] + (double)c[slab] - 6.0 * (double)c[0];
        double f = (double)*cell(rhs, i, j, k) - mean;
        sum += (f - lap) * (f - lap), all += f * f;
    }
    return sqrt(sum / all);
}

// ---- Solvers in blocks of memory with a canary behind them --------------------------------------------

typedef struct Block {
    char* memory;
    size_t size;
} Block;
static inline Block block_make(size_t size)
{
    Block b = { aligned_alloc(64, (size + 127) / 64 * 64), size };
    memset(b.memory, 0x5b, (size + 127) / 64 * 64);
    return b;
}
static inline void block_free(Block* b)
{
    for (int c = 0; c < 64; ++c) assert_int_equal(b->memory[b->size + (size_t)c], 0x5b);
    free(b->memory);
}

static inline PoissonDef box(int nx, int ny, int nz, unsigned open) // a bit per face
{
    PoissonDef def = { .nx = nx, .ny = ny, .nz = nz };
    for (int e = 0; e < 6; ++e) def.edge[e] = open >> e & 1u ? POISSON_OPEN : POISSON_CLOSED;
    return def;
}
static const int SHAPES[][3] = { { 8, 8, 8 },   { 8, 16, 24 },  { 40, 8, 8 },
                                 { 12, 20, 6 }, { 15, 9, 25 },  { 1, 10, 3 },
                                 { 27, 2, 5 },  { 48, 48, 48 }, { 64, 16, 32 } };
enum { N_SHAPES = (int)(sizeof SHAPES / sizeof SHAPES[0]) };
