// Poisson's equation in a box of cells by multigrid.
//
// Method   Cell-centered, seven points, coarsened by 2 while all sides are even. Red-black sweeps with
//          over-relaxation [Yavneh1996], mean of eight as restriction, constant prolongation, coarse grids
//          discretized anew. V(2, 2), with three sweeps on coarser grids, or first a full cycle. Conjugate gradients around a symmetric cycle
//          where faces have weights, which converges whatever the solids do to the coarse grids.
// Differs  from OpenCurrent (Cohen, Molemaker), the solver of the Dark Void talk: constant instead of
//          trilinear prolongation. In red-black order, the same down and up, it converges faster in 3-D and costs a
//          third. Sweeps of a pass are fused, see multigrid_cycle.c.
// Source   [Trottenberg2001].
// Checked  tests/unit/test_multigrid.c, tests/physics/check_linear.c
// Cost     bench/bench_linear.c: memory per cell and time to 1e-3.

#include "linear/multigrid_cycle.h"
#include "linear/multigrid_weights.h"
#include "base/maths.h"

// ---- Layout ----------------------------------------------------------------------------------------------

static size_t level_floats(const MgLevel* l)
{
    return (size_t)l->slab * (size_t)(l->nz + 2) + 2 * GRID3_PAD;
}

static MgLevel level_make(const PoissonDef* def, int nx, int ny, int nz)
{
    MgLevel l = { .nx = nx, .ny = ny, .nz = nz, .half = (nx + 1) / 2 };
    l.row = (l.half + 7) / 8 * 8 + GRID3_PAD;
    l.slab = l.row * (ny + 2);
    memcpy(l.edge, def->edge, sizeof l.edge);
    return l;
}

// An array by color, with a zeroed rim; base NULL: only its size counts.
static void lay_field(TarnLayout* layout, char* base, const MgLevel* l, float* out[2])
{
    for (int c = 0; c < 2; ++c) {
        size_t at = tarn__layout_add(layout, level_floats(l) * sizeof(float));
        if (base) out[c] = (float*)(void*)(base + at) + l->slab + l->row + GRID3_PAD;
    }
}
static float* lay_floats(TarnLayout* layout, char* base, size_t n)
{
    size_t at = tarn__layout_add(layout, n * sizeof(float));
    return base ? (float*)(void*)(base + at) : NULL;
}

static void lay_level(TarnLayout* layout, char* base, MgLevel* l, bool has_weights)
{
    lay_field(layout, base, l, l->p);
    lay_field(layout, base, l, l->f);
    if (has_weights) {
        for (int a = 0; a < 3; ++a) lay_field(layout, base, l, l->w[a]);
        lay_field(layout, base, l, l->diag);
        return;
    }
    size_t row = (size_t)l->row;
    l->gain = lay_floats(layout, base, row * 2 * MG_SIDES);
    l->sides_x = lay_floats(layout, base, row * 2);
    l->inside = lay_floats(layout, base, row * 2);
}

static size_t lay_out(const PoissonDef* def, Multigrid* mg)
{
    TarnLayout layout = { 0 };
    char* base = (char*)mg;
    tarn__layout_add(&layout, sizeof(Multigrid));
    int nx = def->nx, ny = def->ny, nz = def->nz, n = 0;
    for (;; ++n, nx /= 2, ny /= 2, nz /= 2) {
        MgLevel l = level_make(def, nx, ny, nz);
        lay_level(&layout, base, &l, def->has_weights);
        if (mg) mg->level[n] = l;
        if (n == MG_MAX_LEVELS - 1 || nx % 2 || ny % 2 || nz % 2) break;
    }
    size_t sums = tarn__layout_add(&layout, (size_t)def->nz * 2 * sizeof(double));
    size_t part = 0, part_size = 0;
    MgLevel l = level_make(def, def->nx, def->ny, def->nz);
    float* cg[3][2] = { 0 };
    if (def->has_weights) {
        for (int a = 0; a < 3; ++a) lay_field(&layout, base, &l, cg[a]);
        size_t cells = (size_t)def->nx * (size_t)def->ny * (size_t)def->nz;
        part = tarn__layout_add(&layout, cells * sizeof(int32_t));
        part_size = tarn__layout_add(&layout, (cells / 2 + 1) * sizeof(int32_t));
    }
    if (mg) {
        mg->n_levels = n + 1;
        mg->sums = (double*)(void*)(base + sums);
        mg->part = def->has_weights ? (int32_t*)(void*)(base + part) : NULL;
        mg->part_size = def->has_weights ? (int32_t*)(void*)(base + part_size) : NULL;
        memcpy(mg->x, cg[0], sizeof mg->x);
        memcpy(mg->d, cg[1], sizeof mg->d);
        memcpy(mg->q, cg[2], sizeof mg->q);
    }
    return layout.size;
}

size_t tarn__multigrid_size(const PoissonDef* def)
{
    return lay_out(def, NULL);
}

// ---- Making ------------------------------------------------------------------------------------------------

// Smallest eigenvalue of the equation along n cells between two edges. next: the smallest but for 0.
static double least_wave(int n, const uint8_t* edge, double* next)
{
    bool is_open0 = edge[0] == POISSON_OPEN, is_open1 = edge[1] == POISSON_OPEN;
    double angle = 3.14159265358979 / (double)n;
    if (is_open0 != is_open1) angle *= 0.5;
    double s = (double)tarn_sin((float)(0.5 * angle));
    *next = n > 1 || is_open0 || is_open1 ? 4.0 * s * s : INFINITY;
    return is_open0 || is_open1 ? 4.0 * s * s : 0.0;
}

// The over-relaxation that smooths best ([Yavneh1996], three equal directions); on the coarsest grid the one that
// solves best [Young1954], by the slowest of its waves, and as many sweeps as it takes.
static void set_omega(MgLevel* l, bool is_coarsest)
{
    l->omega = 1.146f;
    if (!is_coarsest) return;
    int n[3] = { l->nx, l->ny, l->nz };
    double least = 0.0, next = INFINITY;
    for (int a = 0; a < 3; ++a) {
        double other;
        least += least_wave(n[a], l->edge + 2 * a, &other);
        if (other < next) next = other;
    }
    if (least == 0.0) least = next < 6.0 ? next : 6.0;
    double rho = 1.0 - least / 6.0;
    l->omega = (float)(2.0 / (1.0 + sqrt(1.0 - rho * rho)));
    double left = 1.0;
    for (l->sweeps = 2; left > 1e-4 && l->sweeps < 1000; ++l->sweeps)
        left *= (double)(l->omega - 1.0f) * (double)(l->omega - 1.0f);
}

static void fill_tables(MgLevel* l)
{
    for (int s = 0; s < 2; ++s) {
        for (int m = 0; m < l->half; ++m) {
            int i = 2 * m + s;
            if (i >= l->nx) continue;
            int x = tarn__mg_sides(l->nx, i, l->edge);
            l->sides_x[s * l->row + m] = (float)x;
            l->inside[s * l->row + m] = 1.0f;
            for (int yz = 0; yz < MG_SIDES; ++yz)
                l->gain[(2 * yz + s) * l->row + m] = x + yz > 0 ? l->omega / (float)(x + yz) : 0.0f;
        }
    }
}

Multigrid* tarn__multigrid_place(TarnContext* ctx, const PoissonDef* def, void* memory)
{
    memset(memory, 0, lay_out(def, NULL));
    Multigrid* mg = memory;
    lay_out(def, mg);
    mg->ctx = ctx;
    mg->def = *def;
    mg->grid = tarn__grid3(def->nx, def->ny, def->nz);
    mg->kernels = TARN_KERNELS_PICK(ctx->isa, tarn__multigrid_kernels);
    for (int n = 0; n < mg->n_levels; ++n) {
        set_omega(&mg->level[n], n == mg->n_levels - 1);
        if (!def->has_weights) fill_tables(&mg->level[n]);
    }
    mg->n_sealed = 1;
    for (int e = 0; e < 6; ++e)
        if (def->edge[e] == POISSON_OPEN) mg->n_sealed = 0;
    mg->is_single = true;
    mg->n_air = (int64_t)def->nx * def->ny * def->nz;
    if (def->has_weights) tarn__multigrid_set_weights(mg, NULL, NULL, NULL);
    return mg;
}

// ---- Solving -----------------------------------------------------------------------------------------------

static void sum_rhs(int k, void* data)
{
    MgSolve* s = data;
    const Grid3* g = &s->mg->grid;
    double sum = 0.0, largest = 0.0;
    for (int j = 0; j < g->ny; ++j) {
        const float* f = s->rhs + tarn__grid3_at(g, 0, j, k);
        TarnD4 total[2] = { { 0.0, 0.0, 0.0, 0.0 }, { 0.0, 0.0, 0.0, 0.0 } };
        TarnF8 most = f8_set(0.0f);
        int i = 0;
        for (; i + 8 <= g->nx; i += 8) {
            most = f8_max(f8_abs(f8_load(f + i)), most);
            total[0] += d4_load(f + i), total[1] += d4_load(f + i + 4);
        }
        sum += d4_sum(total[0] + total[1]);
        if ((double)f8_max_lane(most) > largest) largest = (double)f8_max_lane(most);
        for (; i < g->nx; ++i) {
            sum += (double)f[i];
            if (fabs((double)f[i]) > largest) largest = fabs((double)f[i]);
        }
    }
    s->mg->sums[k] = sum;
    s->mg->sums[g->nz + k] = largest;
}
static void largest_rhs(int k, void* data) // whatever solids hold
{
    MgSolve* s = data;
    s->mg->sums[k] = 0.0;
    s->mg->sums[s->mg->grid.nz + k] = s->mg->kernels->largest_air(&s->mg->level[0], s->rhs, k);
}

static void split_rhs(int k, void* data)
{
    MgSolve* s = data;
    const MgLevel* l = &s->mg->level[0];
    s->mg->kernels->split(l, s->rhs, -s->scale, s->mean, l->f, k);
}
void tarn__mg_load_rhs(MgSolve* s)
{
    tarn__parallel_for(s->mg->ctx, s->mg->grid.nz, split_rhs, s);
    if (s->mg->def.has_weights) tarn__mg_level_parts(s->mg, s->mg->level[0].f);
}
static void square_rhs(int k, void* data)
{
    MgSolve* s = data;
    s->mg->sums[k] = s->mg->kernels->square_f(&s->mg->level[0], k);
}
static void zero_p(int k, void* data)
{
    MgSolve* s = data;
    const MgLevel* l = &s->mg->level[0];
    for (int c = 0; c < 2; ++c) {
        float* p = l->p[c] + (ptrdiff_t)l->slab * k - GRID3_PAD;
        memset(p, 0, (size_t)l->slab * sizeof(float));
    }
}
static void load_p(int k, void* data)
{
    MgSolve* s = data;
    const MgLevel* l = &s->mg->level[0];
    s->mg->kernels->split(l, s->p, s->scale, 0.0f, l->p, k);
}

// ---- The answer ----

static void sum_p(int k, void* data)
{
    MgSolve* s = data;
    const MgLevel* l = &s->mg->level[0];
    double sum = 0.0;
    for (int j = 0; j < l->ny; ++j) {
        for (int c = 0; c < 2; ++c) {
            const float* p = l->p[c] + (ptrdiff_t)l->row * j + (ptrdiff_t)l->slab * k;
            TarnD4 total[2] = { { 0.0, 0.0, 0.0, 0.0 }, { 0.0, 0.0, 0.0, 0.0 } };
            for (int m = 0; m < l->half; m += 8)
                total[0] += d4_load(p + m), total[1] += d4_load(p + m + 4);
            sum += d4_sum(total[0] + total[1]);
        }
    }
    s->mg->sums[k] = sum;
}
static void store_p(int k, void* data)
{
    MgSolve* s = data;
    const MgLevel* l = &s->mg->level[0];
    const Grid3* g = &s->mg->grid;
    s->mg->kernels->join(l, l->p, s->per_scale, s->shift, s->p, g->row, g->slab, k);
}

void tarn__mg_keep_p(MgSolve* s)
{
    tarn__parallel_for(s->mg->ctx, s->mg->grid.nz, store_p, s);
}
void tarn__mg_restore_p(MgSolve* s, bool is_zero)
{
    tarn__parallel_for(s->mg->ctx, s->mg->grid.nz, is_zero ? zero_p : load_p, s);
}

// The power of two that brings x near 1.
static float scale_of(double x)
{
    float scale = 1.0f;
    while (x * (double)scale > 2.0 && scale > 0x1p-125f) scale *= 0.5f;
    while (x * (double)scale < 0.5 && scale < 0x1p125f) scale *= 2.0f;
    return scale;
}

// Mirrored at closed faces, and with the other sign at open ones, so that p is 0 on the face. Corners are
// nobody's neighbor and stay what they are.
void tarn__poisson_ghosts(const PoissonDef* def, const Grid3* g, float* p)
{
    float sign[6];
    for (int e = 0; e < 6; ++e) sign[e] = def->edge[e] == POISSON_OPEN ? -1.0f : 1.0f;
    for (int k = 0; k < g->nz; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            float* row = p + tarn__grid3_at(g, 0, j, k);
            row[-1] = sign[0] * row[0];
            row[g->nx] = sign[1] * row[g->nx - 1];
        }
        for (int i = 0; i < g->nx; ++i) {
            p[tarn__grid3_at(g, i, -1, k)] = sign[2] * p[tarn__grid3_at(g, i, 0, k)];
            p[tarn__grid3_at(g, i, g->ny, k)] = sign[3] * p[tarn__grid3_at(g, i, g->ny - 1, k)];
        }
    }
    for (int j = 0; j < g->ny; ++j) {
        for (int i = 0; i < g->nx; ++i) {
            p[tarn__grid3_at(g, i, j, -1)] = sign[4] * p[tarn__grid3_at(g, i, j, 0)];
            p[tarn__grid3_at(g, i, j, g->nz)] = sign[5] * p[tarn__grid3_at(g, i, j, g->nz - 1)];
        }
    }
}

static void solve_box(MgSolve* s, bool is_full, MultigridResult* out)
{
    Multigrid* mg = s->mg;
    double now = is_full ? tarn__mg_first_full(mg) : tarn__mg_first(mg);
    if (!(now <= s->start)) { // the guess is worse than none
        tarn__mg_slabs(mg, zero_p, s);
        now = tarn__mg_first(mg);
    }
    out->cycles = is_full ? 1 : 0;
    while (!(now <= s->bound) && out->cycles < s->max_cycles) {
        double before = now;
        now = tarn__mg_cycle(mg);
        ++out->cycles;
        if (!(now < 0.5 * before)) break; // rounding: floats have no more digits to give
    }
    out->residual = (float)sqrt(now / s->start);
    out->is_converged = now <= s->bound;
    if (mg->n_sealed) s->shift = (float)(tarn__mg_slabs(mg, sum_p, s) / (double)mg->n_air);
}

// Reads rhs once for its size and mean. Returns false if there is nothing to solve.
static bool prepare(MgSolve* s)
{
    Multigrid* mg = s->mg;
    int nz = mg->grid.nz;
    bool has_weights = mg->def.has_weights;
    double sum = tarn__mg_slabs(mg, has_weights ? largest_rhs : sum_rhs, s), largest = 0.0;
    for (int k = 0; k < nz; ++k)
        if (mg->sums[nz + k] > largest) largest = mg->sums[nz + k];
    if (!(largest > 0.0)) return false;
    s->scale = scale_of(largest), s->per_scale = 1.0f / s->scale;
    if (mg->n_sealed && !has_weights) s->mean = (float)(sum / (double)mg->n_air);
    tarn__mg_load_rhs(s);
    s->start = tarn__mg_slabs(mg, square_rhs, s);
    s->bound = (double)s->tolerance * (double)s->tolerance * s->start;
    return s->start > 1e-13 * (double)mg->n_air; // of a constant rounding leaves less
}

// The residual that a long wave is left with, and more: p is n^2 / pi^2 of the right-hand side, and rounds.
static double rounding_of(const Grid3* g)
{
    double n = g->nx > g->ny ? g->nx : g->ny;
    n = n > g->nz ? n : g->nz;
    return 1e-5 + n * n / 1e7;
}

void tarn__multigrid_solve(Multigrid* mg, const float* rhs, float* p, float tolerance,
                           int max_cycles, bool is_full, MultigridResult* out)
{
    MultigridResult unused;
    if (out == NULL) out = &unused;
    *out = (MultigridResult){ .is_converged = true };
    MgSolve s = { .mg = mg, .rhs = rhs, .p = p, .tolerance = tolerance, .max_cycles = max_cycles };
    s.per_scale = 1.0f;
    if (prepare(&s)) {
        if (!is_full) tarn__mg_slabs(mg, load_p, &s);
        if (mg->def.has_weights)
            tarn__mg_solve_weighted(&s, !is_full, out);
        else
            solve_box(&s, is_full, out);
        out->is_exhausted = !out->is_converged && out->cycles < max_cycles &&
                            (double)out->residual <= rounding_of(&mg->grid);
    } else {
        tarn__mg_slabs(mg, zero_p, &s);
    }
    tarn__mg_slabs(mg, store_p, &s);
    tarn__poisson_ghosts(&mg->def, &mg->grid, p);
}
