// Helmholtz's equation on a rectangle of cells by multigrid.
//
// Method   Conjugate gradients around a symmetric V(1, 1) cycle [Tatebe1993]: red-black sweeps, red first on the way
//          down and black first on the way up, constant prolongation and its transpose. A coarse cell has the mass
//          of the cells that it covers, a coarse face the sum of the fine ones over the distance of its cells,
//          down to a single cell, where the mean is found. Sides are halved rounding up, so any size works; the
//          last cell of a row may then be narrower.
// Differs  from multigrid.c, its relative in a box: two dimensions, a mass in each cell, coefficients of any size,
//          periodic edges. Cycles are cheaper: after black only red has a residual, and on the way up black
//          is computed from red, so half of all transfers fall away (see HhLevel.colors).
// Source   [Trottenberg2001].
// Checked  tests/unit/test_helmholtz.c, tests/physics/check_linear.c
// Cost     bench/bench_linear.c: memory per cell and time to 1e-4.

#include "linear/helmholtz_internal.h"
#include <math.h>

// ---- Layout ----------------------------------------------------------------------------------------------

static HhLevel level_make(const HelmholtzDef* def, int nx, int nz)
{
    bool is_odd = (def->edge[0] == HELMHOLTZ_PERIODIC && nx % 2 && nx > 1) ||
                  (def->edge[2] == HELMHOLTZ_PERIODIC && nz % 2 && nz > 1);
    HhLevel l = { .nx = nx, .nz = nz, .half = (nx + 1) / 2, .last_x = 1.0f, .last_z = 1.0f };
    l.row = (l.half + 7) / 8 * 8 + HH_PAD;
    l.colors = is_odd ? 2 : 1;
    return l;
}

static void lay_field(TarnLayout* layout, char* base, const HhLevel* l, float* out[2])
{
    size_t floats = (size_t)l->row * (size_t)(l->nz + 2) + 2 * HH_PAD;
    for (int c = 0; c < 2; ++c) {
        float* field = tarn__layout_place(layout, base, floats, sizeof(float));
        if (field) out[c] = field + l->row + HH_PAD;
    }
}

// Width of the last coarse cell, in fine ones.
static float last_width(int n, float last)
{
    return n % 2 ? last : 1.0f + last;
}

static size_t lay_out(const HelmholtzDef* def, Helmholtz* h)
{
    TarnLayout layout = { 0 };
    char* base = (char*)h;
    tarn__layout_add(&layout, sizeof(Helmholtz));
    HhLevel l = level_make(def, def->nx, def->nz);
    int n = 0;
    for (;; ++n) {
        lay_field(&layout, base, &l, l.p);
        lay_field(&layout, base, &l, l.f);
        lay_field(&layout, base, &l, l.mass);
        for (int a = 0; a < 2; ++a) lay_field(&layout, base, &l, l.a[a]);
        if (h) h->level[n] = l;
        if ((l.nx == 1 && l.nz == 1) || n == HH_MAX_LEVELS - 1) break;
        HhLevel coarse = level_make(def, (l.nx + 1) / 2, (l.nz + 1) / 2);
        coarse.last_x = 0.5f * last_width(l.nx, l.last_x);
        coarse.last_z = 0.5f * last_width(l.nz, l.last_z);
        l = coarse;
    }
    float* cg[3][2] = { 0 };
    l = level_make(def, def->nx, def->nz);
    for (int a = 0; a < 3; ++a) lay_field(&layout, base, &l, cg[a]);
    double* sums = tarn__layout_place(&layout, base, (size_t)def->nz, sizeof(double));
    if (h) {
        h->n_levels = n + 1;
        memcpy(h->x, cg[0], sizeof h->x);
        memcpy(h->d, cg[1], sizeof h->d);
        memcpy(h->q, cg[2], sizeof h->q);
        h->sums = sums;
    }
    return layout.size;
}

size_t tarn__helmholtz_size(const HelmholtzDef* def)
{
    return lay_out(def, NULL);
}

Helmholtz* tarn__helmholtz_place(TarnContext* ctx, const HelmholtzDef* def, void* memory)
{
    memset(memory, 0, lay_out(def, NULL));
    Helmholtz* h = memory;
    lay_out(def, h);
    h->ctx = ctx;
    h->def = *def;
    h->kernels = TARN_KERNELS_PICK(ctx->isa, tarn__helmholtz_kernels);
    return h;
}

// ---- Ghosts ----------------------------------------------------------------------------------------------

static bool is_periodic(const Helmholtz* h, int axis)
{
    return h->def.edge[2 * axis] == HELMHOLTZ_PERIODIC;
}

// Cell i of row k, i from -1 to nx.
static float* cell(const HhLevel* l, float* const field[2], int i, int k)
{
    int color = (i + k) & 1;
    return field[color] + (ptrdiff_t)l->row * k + (i - (i & 1)) / 2;
}

// Copies around periodic edges, made before each half sweep. With an odd number of cells a copy has the other color
// than its original.
static void set_ghosts(const Helmholtz* h, const HhLevel* l, float* const field[2])
{
    for (int k = 0; k < l->nz && is_periodic(h, 0); ++k) {
        *cell(l, field, -1, k) = *cell(l, field, l->nx - 1, k);
        *cell(l, field, l->nx, k) = *cell(l, field, 0, k);
    }
    size_t bytes = (size_t)l->half * sizeof(float);
    for (int c = 0; c < 2 && is_periodic(h, 1); ++c) {
        const float* from = field[(c + l->nz) & 1];
        ptrdiff_t far = (ptrdiff_t)l->row * l->nz;
        memcpy(field[c] + far, from, bytes);
        memcpy(field[c] - l->row, from + far - l->row, bytes);
    }
}

// ---- Work in blocks of rows ------------------------------------------------------------------------------

typedef struct Job {
    Helmholtz* h;
    const HhLevel *l, *coarse;
    void (*run)(const struct Job* job, int k0, int k1);
    int rows; // to work on
    int color;
    bool from_zero;
    const float* from; // of the caller
    float* to;
    int stride;
    float scale;
    float* const* field; // of two colors
} Job;

static void run_block(int n, void* data)
{
    const Job* job = data;
    int k0 = n * HH_ROWS, k1 = k0 + HH_ROWS < job->rows ? k0 + HH_ROWS : job->rows;
    job->run(job, k0, k1);
}

static void run_rows(Job* job)
{
    if (job->l->nx * job->l->nz <= 4096) // not worth a worker
        job->run(job, 0, job->rows);
    else
        tarn__parallel_for(job->h->ctx, (job->rows + HH_ROWS - 1) / HH_ROWS, run_block, job);
}

static double run_sum(Job* job)
{
    run_rows(job);
    return tarn__sum(job->h->sums, job->l->nz);
}

static void relax_rows(const Job* job, int k0, int k1)
{
    job->h->kernels->relax(job->l, job->color, job->from_zero, k0, k1);
}
static void restrict_rows(const Job* job, int k0, int k1)
{
    job->h->kernels->restrict_to(job->l, job->coarse, k0, k1);
}
static void prolong_rows(const Job* job, int k0, int k1)
{
    job->h->kernels->prolong(job->l, job->coarse, k0, k1);
}
static void apply_rows(const Job* job, int k0, int k1)
{
    Helmholtz* h = job->h;
    h->kernels->apply(job->l, h->d, h->q, h->sums, k0, k1);
}
static void advance_rows(const Job* job, int k0, int k1)
{
    Helmholtz* h = job->h;
    h->kernels->advance(job->l, job->scale, h->x, h->d, h->q, h->sums, k0, k1);
}
static void dot_rows(const Job* job, int k0, int k1)
{
    job->h->kernels->dot(job->l, job->h->sums, k0, k1);
}
static void turn_rows(const Job* job, int k0, int k1)
{
    job->h->kernels->turn(job->l, job->scale, job->h->d, k0, k1);
}
static void coarsen_rows(const Job* job, int k0, int k1)
{
    job->h->kernels->coarsen(job->l, job->coarse, k0, k1);
}
static void close_rows(const Job* job, int k0, int k1)
{
    job->h->kernels->close_faces(job->l, k0, k1);
}
static void split_rows(const Job* job, int k0, int k1)
{
    job->h->kernels->split(job->l, job->from, job->stride, job->scale, job->field, k0, k1);
}
static void split_rhs_rows(const Job* job, int k0, int k1)
{
    split_rows(job, k0, k1);
    job->h->kernels->clear_closed(job->l, job->field, k0, k1);
}
static void join_rows(const Job* job, int k0, int k1)
{
    job->h->kernels->join(job->l, job->field, job->scale, job->to, job->stride, k0, k1);
}
static void largest_rows(const Job* job, int k0, int k1)
{
    for (int k = k0; k < k1; ++k)
        job->h->sums[k] =
            (double)job->h->kernels->largest(job->l, job->from, job->stride, k, k + 1);
}

// ---- Coefficients ----------------------------------------------------------------------------------------

static Job job_of(Helmholtz* h, int level, void (*run)(const Job*, int, int))
{
    const HhLevel* l = &h->level[level];
    return (Job){ .h = h, .l = l, .coarse = l + 1, .run = run, .rows = l->nz };
}

static void split_field(Helmholtz* h, const float* from, int stride, float* const to[2])
{
    Job job = job_of(h, 0, split_rows);
    job.from = from, job.stride = stride, job.scale = 1.0f, job.field = to;
    run_rows(&job);
}

// One side's faces of the rim, for loops along it: first, step along it in cells.
typedef struct Rim {
    int axis, n; // faces
    int i, k;    // the first
} Rim;

static Rim rim_of(const HhLevel* l, int side)
{
    int axis = side / 2, far = side % 2;
    return (Rim){ axis, axis ? l->nx : l->nz, axis == 0 && far ? l->nx : 0,
                  axis && far ? l->nz : 0 };
}
static float* rim_face(const HhLevel* l, const Rim* r, int j)
{
    return cell(l, l->a[r->axis], r->i + (r->axis ? j : 0), r->k + (r->axis ? 0 : j));
}

// Of the finest grid. Behind an open edge, half a cell away, there is 0, as in all ghosts that are no copies.
static void set_rims(const Helmholtz* h, const float* ax, const float* az, int stride)
{
    const HhLevel* l = &h->level[0];
    for (int side = 0; side < 4; ++side) {
        Rim r = rim_of(l, side), first = rim_of(l, side & ~1);
        const float* from = (r.axis ? az : ax) + (ptrdiff_t)r.k * stride + r.i;
        ptrdiff_t along = r.axis ? 1 : stride;
        for (int j = 0; j < r.n; ++j) {
            float* a = rim_face(l, &r, j);
            if (h->def.edge[side] == HELMHOLTZ_OPEN)
                *a = 2.0f * fmaxf(0.0f, from[j * along]);
            else if (!is_periodic(h, r.axis) || (r.axis ? l->nz : l->nx) == 1)
                *a = 0.0f;
            else
                *a = *rim_face(l, &first, j);
        }
    }
}

// What the distance of the last two cells, which may be narrower, makes of the coefficient: 1 when it is not so.
static float last_share(int n, float last)
{
    float fine = n % 2 ? 0.5f * (1.0f + last) : 1.0f;
    return 2.0f * fine / (1.0f + 0.5f * last_width(n, last));
}
// The same around a periodic edge, and from the last cell to an open one.
static float wrap_share(int n, float last)
{
    return (1.0f + last) / (1.0f + 0.5f * last_width(n, last));
}
static float open_share(int n, float last)
{
    return 2.0f * last / last_width(n, last);
}

// Rim and last faces of a coarser grid, after kernels->coarsen, which knows only cells of equal size.
static void mend_coarse(const Helmholtz* h, const HhLevel* l, const HhLevel* coarse)
{
    for (int side = 0; side < 4; ++side) {
        Rim r = rim_of(coarse, side), fine = rim_of(l, side), first = rim_of(coarse, side & ~1);
        int n = r.axis ? l->nz : l->nx, n_along = r.axis ? l->nx : l->nz, far = side % 2;
        float last = r.axis ? l->last_z : l->last_x;
        bool is_single = (n + 1) / 2 == 1, is_open = h->def.edge[side] == HELMHOLTZ_OPEN;
        Rim inner = r; // the last face that is not of the rim
        *(r.axis ? &inner.k : &inner.i) -= 1;
        for (int j = 0; j < r.n; ++j) {
            float* a = rim_face(coarse, &r, j);
            if (far && !is_single) *rim_face(coarse, &inner, j) *= last_share(n, last);
            if (far && is_open) {
                float b = 2 * j + 1 < n_along ? *rim_face(l, &fine, 2 * j + 1) : 0.0f;
                *a = 0.5f * (*rim_face(l, &fine, 2 * j) + b) * open_share(n, last);
            } else if (is_open) {
                if (n == 1) *a *= 2.0f; // not halved: one cell is as wide as before
            } else if (!is_periodic(h, r.axis) || is_single) {
                *a = 0.0f;
            } else {
                *a = far ? *rim_face(coarse, &first, j) : *a * wrap_share(n, last);
            }
        }
    }
}

void tarn__helmholtz_set(Helmholtz* h, const float* mass, const float* ax, const float* az,
                         int stride)
{
    const HhLevel* l = &h->level[0];
    split_field(h, mass, stride, l->mass);
    split_field(h, ax, stride, l->a[0]);
    split_field(h, az, stride, l->a[1]);
    set_ghosts(h, l, l->mass);
    Job close = job_of(h, 0, close_rows);
    run_rows(&close);
    for (int k = 0; k < l->nz; ++k)
        *cell(l, l->mass, l->nx, k) = 0.0f; // copies have no mass of their own
    set_rims(h, ax, az, stride);
    for (int n = 0; n < h->n_levels - 1; ++n) {
        Job coarsen = job_of(h, n, coarsen_rows);
        coarsen.rows = coarsen.coarse->nz;
        run_rows(&coarsen);
        mend_coarse(h, coarsen.l, coarsen.coarse);
    }
}

static void clear(const HhLevel* l, float* const field[2])
{
    size_t bytes = (size_t)l->row * (size_t)(l->nz + 2) * sizeof(float);
    for (int c = 0; c < 2; ++c) memset(field[c] - l->row - HH_PAD, 0, bytes);
}

// ---- Cycle -----------------------------------------------------------------------------------------------

static void relax(Helmholtz* h, int level, int color, bool from_zero)
{
    Job job = job_of(h, level, relax_rows);
    job.color = color, job.from_zero = from_zero;
    if (!from_zero) set_ghosts(h, job.l, job.l->p);
    run_rows(&job);
}

// p = M f with M symmetric and positive.
static void cycle(Helmholtz* h)
{
    int last = h->n_levels - 1;
    for (int n = 0; n < last; ++n) {
        if (h->level[n].colors == 2) clear(&h->level[n], h->level[n].p);
        relax(h, n, 0, true);
        relax(h, n, 1, false);
        set_ghosts(h, &h->level[n], h->level[n].p);
        Job down = job_of(h, n, restrict_rows);
        down.rows = down.coarse->nz;
        run_rows(&down);
    }
    relax(h, last, 0, true); // one cell
    for (int n = last - 1; n >= 0; --n) {
        Job up = job_of(h, n, prolong_rows);
        run_rows(&up);
        relax(h, n, 1, false);
        relax(h, n, 0, false);
    }
}

// ---- Solve -----------------------------------------------------------------------------------------------

// The power of two that brings x near 1.
static float scale_of(float x)
{
    float scale = 1.0f;
    while (x * scale > 2.0f && scale > 0x1p-125f) scale *= 0.5f;
    while (x * scale < 0.5f && scale < 0x1p125f) scale *= 2.0f;
    return scale;
}

static double iterate(Helmholtz* h, double start, float tolerance, int max_cycles, int* cycles)
{
    const HhLevel* l = &h->level[0];
    double bound = (double)tolerance * (double)tolerance * start, now = start, before = 0.0;
    clear(l, h->x);
    clear(l, h->d);
    for (*cycles = 0; now > bound && *cycles < max_cycles;) {
        cycle(h);
        ++*cycles;
        Job dot = job_of(h, 0, dot_rows), turn = job_of(h, 0, turn_rows),
            apply = job_of(h, 0, apply_rows), advance = job_of(h, 0, advance_rows);
        double rz = run_sum(&dot);
        turn.scale = before > 0.0 ? (float)(rz / before) : 0.0f;
        before = rz;
        run_rows(&turn);
        set_ghosts(h, l, h->d);
        double dq = run_sum(&apply);
        if (!(rz > 0.0 && dq > 0.0)) break; // no digits left
        advance.scale = (float)(rz / dq);
        now = run_sum(&advance);
    }
    return now;
}

void tarn__helmholtz_solve(Helmholtz* h, const float* rhs, float* d, int stride, float tolerance,
                           int max_cycles, HelmholtzResult* out)
{
    *out = (HelmholtzResult){ .is_converged = true };
    const HhLevel* l = &h->level[0];
    Job largest = job_of(h, 0, largest_rows), load = job_of(h, 0, split_rhs_rows),
        store = job_of(h, 0, join_rows);
    largest.from = rhs, largest.stride = stride;
    run_rows(&largest);
    double most = 0.0;
    for (int k = 0; k < l->nz; ++k) most = h->sums[k] > most ? h->sums[k] : most;
    store.to = d, store.stride = stride, store.field = h->x;
    if (!(most > 0.0)) {
        clear(l, h->x);
        run_rows(&store); // scale 0: zeros
        return;
    }
    float scale = scale_of((float)most);
    load.from = rhs, load.stride = stride, load.scale = scale, load.field = l->f;
    run_rows(&load);
    Job square = job_of(h, 0, advance_rows); // f - 0 q
    double start = run_sum(&square);
    double now = iterate(h, start, tolerance, max_cycles, &out->cycles);
    store.scale = 1.0f / scale;
    run_rows(&store);
    out->residual = (float)sqrt(now / start);
    out->is_converged = now <= (double)tolerance * (double)tolerance * start;
}
