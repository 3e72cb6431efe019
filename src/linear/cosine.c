// Sine and cosine transforms of 3-D fields, and Poisson's equation in a box by them.
//
// Method   [Long2009] solves the flow in a box by transforms whose waves satisfy the walls. Here they
//          diagonalize the seven-point operator itself: with cells at half steps its eigenvectors are cosines II
//          between closed faces, sines II between open ones, and the kinds IV between one of each; the
//          eigenvalues 2 cos - 2 add up over the axes. A projection is then exact to rounding.
//          The last axis is transformed, divided and transformed back while its lines are in the cache.
// Differs  from the paper: discrete eigenvalues instead of squared wave numbers, which leave a divergence.
// Checked  tests/unit/test_cosine.c against sums over all elements; tests/physics/check_linear.c
// Cost     bench/bench_linear.c; kernels in cosine_kernels.c

#include "linear/cosine_internal.h"
#include <math.h>

struct CosinePlan {
    TarnContext* ctx;
    const CosineKernels* kernels;
    Grid3 grid;
    CosineAxis axis[3];
    float* wave[3];     // eigenvalues of tarn__poisson_spectral; sixteen more than elements
    float* work;        // of COSINE_CHUNKS pieces of work
    size_t work_floats; // of each
};

// ---- Tables ------------------------------------------------------------------------------------------------

static void fill_axis(CosineAxis* axis)
{
    int64_t n = axis->n;
    for (int l = 0; l < 2 * n; ++l) axis->root[l] = tarn__turn(l, 2 * n);
    for (int l = 0; l < n; ++l) {
        axis->quarter[l] = tarn__turn(l, 4 * n);
        axis->eighth[l] = n % 2 ? tarn__turn(2 * l + 1, 8 * n) : tarn__turn(8 * l + 1, 16 * n);
    }
}

// ---- Plan --------------------------------------------------------------------------------------------------

static bool is_smooth(int n)
{
    if (n < 1) return false;
    while (n % 2 == 0) n /= 2;
    while (n % 3 == 0) n /= 3;
    while (n % 5 == 0) n /= 5;
    return n == 1;
}

static size_t lay_out(const Grid3* grid, CosinePlan* plan)
{
    TarnLayout layout = { 0 };
    char* base = (char*)plan;
    int n[3] = { grid->nx, grid->ny, grid->nz }, longest = 0;
    tarn__layout_add(&layout, sizeof(CosinePlan));
    for (int a = 0; a < 3; ++a) {
        size_t tables = tarn__layout_add(&layout, (size_t)n[a] * 4 * sizeof(Turn));
        size_t wave = tarn__layout_add(&layout, ((size_t)n[a] + COSINE_LINES) * sizeof(float));
        if (n[a] > longest) longest = n[a];
        if (plan == NULL) continue;
        Turn* table = (Turn*)(void*)(base + tables);
        plan->axis[a] = (CosineAxis){ n[a], table, table + 2 * n[a], table + 3 * n[a] };
        plan->wave[a] = (float*)(void*)(base + wave);
    }
    size_t floats = (size_t)longest * 64; // two lines of complex vectors, twice as long for sine I
    size_t work = tarn__layout_add(&layout, floats * COSINE_CHUNKS * sizeof(float));
    if (plan) {
        plan->work = (float*)(void*)(base + work);
        plan->work_floats = floats;
    }
    return layout.size;
}

size_t tarn__cosine_size(const Grid3* grid)
{
    bool is_fit = is_smooth(grid->nx) && is_smooth(grid->ny) && is_smooth(grid->nz);
    return is_fit ? lay_out(grid, NULL) : 0;
}

CosinePlan* tarn__cosine_place(TarnContext* ctx, const Grid3* grid, void* memory)
{
    memset(memory, 0, lay_out(grid, NULL));
    CosinePlan* plan = memory;
    lay_out(grid, plan);
    plan->ctx = ctx;
    plan->grid = *grid;
    plan->kernels = TARN_KERNELS_PICK(ctx->isa, tarn__cosine_kernels);
    for (int a = 0; a < 3; ++a) fill_axis(&plan->axis[a]);
    return plan;
}

// ---- Lines -------------------------------------------------------------------------------------------------

typedef struct Work {
    CosinePlan* plan;
    float* field;
    int axis, n_groups, n_chunks;
    CosineKind kind;
    bool is_poisson; // divide, and back again
} Work;

static void run_group(const Work* work, CosineLines* lines, int group)
{
    CosinePlan* plan = work->plan;
    const Grid3* g = &plan->grid;
    const CosineAxis* axis = &plan->axis[work->axis];
    int32_t rows[COSINE_LINES];
    if (work->axis == 0) {
        int first = group * COSINE_LINES, n = g->ny * g->nz - first;
        lines->n_lanes = n < COSINE_LINES ? n : COSINE_LINES;
        for (int l = 0; l < COSINE_LINES; ++l) {
            int row = first + (l < lines->n_lanes ? l : 0);
            rows[l] = (int32_t)tarn__grid3_at(g, 0, row % g->ny, row / g->ny);
        }
        lines->x_rows = rows;
        plan->kernels->transform(axis, lines, work->kind);
        return;
    }
    int across = (g->nx + COSINE_LINES - 1) / COSINE_LINES;
    int i = group % across * COSINE_LINES, other = group / across;
    lines->n_lanes = g->nx - i < COSINE_LINES ? g->nx - i : COSINE_LINES;
    lines->step = work->axis == 1 ? g->row : g->slab;
    lines->first = i + (ptrdiff_t)(work->axis == 1 ? g->slab : g->row) * other;
    if (work->is_poisson)
        plan->kernels->poisson(axis, lines, work->kind, plan->wave[2], plan->wave[0] + i,
                               plan->wave[1][other]);
    else
        plan->kernels->transform(axis, lines, work->kind);
}

static void run_chunk(int chunk, void* data)
{
    const Work* work = data;
    CosinePlan* plan = work->plan;
    float* scratch = plan->work + (size_t)chunk * plan->work_floats;
    CosineLines lines = { .field = work->field,
                          .work = { scratch, scratch + plan->work_floats / 2 } };
    int first = (int)((int64_t)work->n_groups * chunk / work->n_chunks);
    int end = (int)((int64_t)work->n_groups * (chunk + 1) / work->n_chunks);
    for (int group = first; group < end; ++group) run_group(work, &lines, group);
}

static void run(CosinePlan* plan, float* field, int axis, CosineKind kind, bool is_poisson)
{
    const Grid3* g = &plan->grid;
    Work work = { plan, field, axis, 0, COSINE_CHUNKS, kind, is_poisson };
    int across = (g->nx + COSINE_LINES - 1) / COSINE_LINES;
    work.n_groups = axis == 0   ? (g->ny * g->nz + COSINE_LINES - 1) / COSINE_LINES
                    : axis == 1 ? across * g->nz
                                : across * g->ny;
    if (work.n_groups < work.n_chunks) work.n_chunks = work.n_groups;
    tarn__parallel_for(plan->ctx, work.n_chunks, run_chunk, &work);
}

void tarn__cosine(CosinePlan* plan, float* field, int axis, CosineKind kind)
{
    run(plan, field, axis, kind, false);
}

// ---- Poisson -------------------------------------------------------------------------------------------------

static CosineKind kind_of(const uint8_t* edge)
{
    bool is_open0 = edge[0] == POISSON_OPEN, is_open1 = edge[1] == POISSON_OPEN;
    if (is_open0) return is_open1 ? SINE_II : SINE_IV;
    return is_open1 ? COSINE_IV : COSINE_II;
}

// 2 cos(a) - 2 = -4 sin(a / 2)^2, with a = pi l / n, pi (l + 1) / n or pi (l + 1/2) / n.
static void fill_waves(float* wave, int n, CosineKind kind)
{
    for (int l = 0; l < n; ++l) {
        int64_t twice = kind == COSINE_II ? 2 * l : kind == SINE_II ? 2 * l + 2 : 2 * l + 1;
        double c, s;
        tarn__turn_double(twice, 8 * (int64_t)n, &c, &s);
        wave[l] = (float)(-4.0 * s * s);
    }
}

typedef struct Copy {
    const Grid3* grid;
    const float* from;
    float* to;
} Copy;

static void copy_slab(int k, void* data)
{
    const Copy* copy = data;
    const Grid3* g = copy->grid;
    for (int j = 0; j < g->ny; ++j) {
        ptrdiff_t at = tarn__grid3_at(g, 0, j, k);
        memcpy(copy->to + at, copy->from + at, (size_t)g->nx * sizeof(float));
    }
}

void tarn__poisson_spectral(CosinePlan* plan, const PoissonDef* def, const float* rhs, float* p)
{
    const Grid3* g = &plan->grid;
    CosineKind kind[3];
    int n[3] = { g->nx, g->ny, g->nz };
    for (int a = 0; a < 3; ++a) {
        kind[a] = kind_of(def->edge + 2 * a);
        fill_waves(plan->wave[a], n[a], kind[a]);
    }
    Copy copy = { g, rhs, p };
    if (rhs != p) tarn__parallel_for(plan->ctx, g->nz, copy_slab, &copy);
    for (int a = 0; a < 2; ++a) run(plan, p, a, kind[a], false);
    run(plan, p, 2, kind[2], true);
    for (int a = 1; a >= 0; --a) run(plan, p, a, tarn__cosine_inverse(kind[a]), false);
    tarn__poisson_ghosts(def, g, p);
}
