// Multigrid with a weight on each face: solids inside of the box.
//
// Method   A coarse face has the mean weight of the four fine ones that it covers. A thin wall inside of a coarse
//          cell is not seen there, so cycles alone may stall or diverge. They serve as preconditioner of
//          conjugate gradients instead [Tatebe1993] [McAdams2010]: the cycle is symmetric, and positive
//          whatever the coarse weights are, so gradients always converge and such walls cost iterations only.
//          The true residual is taken at the end; if rounding has parted it from the one that gradients
//          carry along, they start again from there.
//          Parts of the air without an open face are found by union of runs along x, and each has its own mean
//          taken off.
// Differs  from McAdams et al.: no extra sweeps in the band near solids. tests/unit/test_multigrid.c has the
//          factors without.
// Checked  tests/unit/test_multigrid.c
// Cost     bench/bench_linear.c

#include "linear/multigrid_cycle.h"
#include "linear/multigrid_weights.h"
#include <math.h>

// ---- Weights -----------------------------------------------------------------------------------------------

typedef struct Fill {
    Multigrid* mg;
    const float* w[3];
    int level;
} Fill;

static void weigh_slab(int k, void* data)
{
    const Fill* fill = data;
    for (int a = 0; a < 3; ++a) fill->mg->kernels->weigh(&fill->mg->level[0], a, fill->w[a], k);
}
static void coarsen_slab(int k, void* data)
{
    const Fill* fill = data;
    const MgLevel *l = &fill->mg->level[fill->level], *fine = l - 1;
    fill->mg->kernels->coarsen(fine, l, k);
}
static void diagonal_slab(int k, void* data)
{
    const Fill* fill = data;
    fill->mg->kernels->diagonal(&fill->mg->level[fill->level], k);
}

// ---- Parts -------------------------------------------------------------------------------------------------

typedef struct Parts {
    Multigrid* mg;
    int32_t n;      // so far
    uint8_t* whole; // per row: all of it is one run
} Parts;

static int32_t find(int32_t* parent, int32_t c)
{
    while (parent[c] != c) c = parent[c] = parent[parent[c]];
    return c;
}
static void join_parts(Parts* parts, int32_t a, int32_t b) // the lower index becomes the root
{
    int32_t* parent = parts->mg->part;
    a = find(parent, a), b = find(parent, b);
    if (a == b) return;
    if (a < b)
        parent[b] = a;
    else
        parent[a] = b;
    --parts->n;
}

// Nothing but air that is joined along x?
static bool is_whole(const MgLevel* l, ptrdiff_t at, int s)
{
    if (l->nx % 2) return false; // nobody needs speed there
    float least = 1.0f;
    for (int color = 0; color < 2; ++color) {
        const float *w = l->w[0][color] + at, *diag = l->diag[color] + at;
        bool is_first = color == s; // the face of the rim
        for (int m = is_first; m < l->half; ++m) least = w[m] < least ? w[m] : least;
        if (is_first) least = diag[0] < least ? diag[0] : least; // others have a face
    }
    return least > 0.0f;
}
static bool has_face(const MgLevel* l, int axis, ptrdiff_t at)
{
    float most = 0.0f;
    for (int color = 0; color < 2; ++color) {
        const float* w = l->w[axis][color] + at;
        for (int m = 0; m < l->half; ++m) most = w[m] > most ? w[m] : most;
    }
    return most > 0.0f;
}

// A row cell by cell. Where a cell and its left neighbor are both joined with the row before, and that row
// is joined along x there, the second union would say nothing new.
static void union_cells(Parts* parts, int j, int k)
{
    Multigrid* mg = parts->mg;
    const MgLevel* l = &mg->level[0];
    ptrdiff_t at = (ptrdiff_t)l->row * j + (ptrdiff_t)l->slab * k;
    int32_t first = l->nx * (j + l->ny * k), back[2] = { l->nx, l->nx * l->ny };
    ptrdiff_t back_at[2] = { l->row, l->slab };
    bool was[2] = { false, false };
    for (int i = 0; i < l->nx; ++i) {
        int color = (i + j + k) & 1;
        ptrdiff_t m = at + i / 2;
        int32_t c = first + i;
        if (!(l->diag[color][m] > 0.0f)) {
            mg->part[c] = -1;
            was[0] = was[1] = false;
            continue;
        }
        bool is_run = l->w[0][color][m] > 0.0f;
        mg->part[c] = is_run ? mg->part[c - 1] : c;
        parts->n += !is_run;
        ++mg->n_air;
        for (int a = 0; a < 2; ++a) {
            bool is_joined = l->w[a + 1][color][m] > 0.0f;
            bool is_known =
                is_joined && was[a] && is_run && l->w[0][1 - color][m - back_at[a]] > 0.0f;
            if (is_joined && !is_known) join_parts(parts, c, c - back[a]);
            was[a] = is_joined;
        }
    }
}

static void union_row(Parts* parts, int j, int k)
{
    Multigrid* mg = parts->mg;
    const MgLevel* l = &mg->level[0];
    ptrdiff_t at = (ptrdiff_t)l->row * j + (ptrdiff_t)l->slab * k;
    int row = j + l->ny * k, back[2] = { 1, l->ny };
    int32_t first = l->nx * row;
    parts->whole[row] = is_whole(l, at, (j + k) & 1);
    bool can_skip = parts->whole[row] && (j == 0 || parts->whole[row - 1]) &&
                    (k == 0 || parts->whole[row - l->ny]);
    if (!can_skip) {
        union_cells(parts, j, k);
        return;
    }
    for (int i = 0; i < l->nx; ++i) mg->part[first + i] = first;
    mg->n_air += l->nx;
    ++parts->n;
    for (int a = 0; a < 2; ++a)
        if (has_face(l, a + 1, at)) join_parts(parts, first, first - l->nx * back[a]);
}

// Scratch for what is known of parts: four bytes per cell, and a part has two cells or more.
static void* part_scratch(const Multigrid* mg)
{
    const MgLevel* l = &mg->level[0];
    return mg->q[0] - (l->slab + l->row + GRID3_PAD);
}

static void mark_open(const Multigrid* mg, int32_t* is_open, int axis, int side)
{
    int n[3] = { mg->grid.nx, mg->grid.ny, mg->grid.nz };
    int32_t step[3] = { 1, n[0], n[0] * n[1] };
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    int32_t first = side ? step[axis] * (n[axis] - 1) : 0;
    for (int u = 0; u < n[a]; ++u) {
        for (int v = 0; v < n[b]; ++v) {
            int32_t part = mg->part[first + u * step[a] + v * step[b]];
            if (part >= 0) is_open[mg->is_single ? 0 : part] = 1;
        }
    }
}

// Afterwards part holds a number of the part for each cell that needs its mean taken off, else -1.
static void find_parts(Multigrid* mg)
{
    const MgLevel* l = &mg->level[0];
    Parts parts = { mg, 0, part_scratch(mg) };
    mg->n_air = 0;
    for (int k = 0; k < l->nz; ++k)
        for (int j = 0; j < l->ny; ++j) union_row(&parts, j, k);
    mg->is_single = parts.n == 1;
    int32_t cells = l->nx * l->ny * l->nz, n = 0;
    for (int32_t c = 0; c < cells && !mg->is_single; ++c) { // parents come first
        if (mg->part[c] >= 0) mg->part[c] = mg->part[c] == c ? n++ : mg->part[mg->part[c]];
    }
    int32_t* is_open = part_scratch(mg); // then: the number among sealed ones, or -1
    memset(is_open, 0, (size_t)parts.n * sizeof(int32_t));
    for (int e = 0; e < 6; ++e)
        if (mg->def.edge[e] == POISSON_OPEN) mark_open(mg, is_open, e / 2, e % 2);
    mg->n_sealed = 0;
    for (int32_t p = 0; p < parts.n; ++p) is_open[p] = is_open[p] ? -1 : mg->n_sealed++;
    if (mg->is_single || mg->n_sealed == 0) return;
    memset(mg->part_size, 0, (size_t)mg->n_sealed * sizeof(int32_t));
    for (int32_t c = 0; c < cells; ++c) {
        if (mg->part[c] < 0) continue;
        mg->part[c] = is_open[mg->part[c]];
        if (mg->part[c] >= 0) ++mg->part_size[mg->part[c]];
    }
}

void tarn__multigrid_set_weights(Multigrid* mg, const float* wx, const float* wy, const float* wz)
{
    TARN_ASSERT(mg->ctx, mg->def.has_weights);
    Fill fill = { .mg = mg, .w = { wx, wy, wz } };
    tarn__parallel_for(mg->ctx, mg->level[0].nz, weigh_slab, &fill);
    for (int n = 0; n < mg->n_levels; ++n) {
        fill.level = n;
        if (n) tarn__parallel_for(mg->ctx, mg->level[n].nz, coarsen_slab, &fill);
        tarn__parallel_for(mg->ctx, mg->level[n].nz, diagonal_slab, &fill);
    }
    find_parts(mg);
}

// ---- Means of parts ------------------------------------------------------------------------------------------

typedef struct Mean {
    Multigrid* mg;
    float* const* field;
    float shift;
} Mean;

static void sum_slab(int k, void* data)
{
    const Mean* mean = data;
    mean->mg->sums[k] = mean->mg->kernels->sum_air(&mean->mg->level[0], mean->field, k);
}
static void shift_slab(int k, void* data)
{
    const Mean* mean = data;
    mean->mg->kernels->shift_air(&mean->mg->level[0], mean->field, mean->shift, k);
}

// Adds up the field of each part, or takes the means off.
static void each_part(const Multigrid* mg, float* const field[2], double* sums, bool is_shift)
{
    const MgLevel* l = &mg->level[0];
    const int32_t* part = mg->part;
    for (int k = 0; k < l->nz; ++k) {
        for (int j = 0; j < l->ny; ++j, part += l->nx) {
            ptrdiff_t at = (ptrdiff_t)l->row * j + (ptrdiff_t)l->slab * k;
            for (int i = 0; i < l->nx; ++i) {
                if (part[i] < 0) continue;
                float* f = field[(i + j + k) & 1] + at + i / 2;
                if (is_shift)
                    *f -= (float)sums[part[i]];
                else
                    sums[part[i]] += (double)*f;
            }
        }
    }
}

// Of a field that is 0 in solids; 0 unless the air is one part without an open face.
static float single_mean(Multigrid* mg, float* const field[2])
{
    Mean mean = { mg, field, 0.0f };
    if (mg->n_sealed == 0 || !mg->is_single) return 0.0f;
    return (float)(tarn__mg_slabs(mg, sum_slab, &mean) / (double)mg->n_air);
}

static void level_many(Multigrid* mg, float* const field[2])
{
    if (mg->n_sealed == 0 || mg->is_single) return;
    double* sums = part_scratch(mg);
    memset(sums, 0, (size_t)mg->n_sealed * sizeof *sums);
    each_part(mg, field, sums, false);
    for (int n = 0; n < mg->n_sealed; ++n) sums[n] /= (double)mg->part_size[n];
    each_part(mg, field, sums, true);
}

void tarn__mg_level_parts(Multigrid* mg, float* const field[2])
{
    Mean mean = { mg, field, 0.0f };
    tarn__parallel_for(mg->ctx, mg->level[0].nz, shift_slab, &mean); // clears solids
    mean.shift = single_mean(mg, field);
    if (mean.shift != 0.0f) tarn__parallel_for(mg->ctx, mg->level[0].nz, shift_slab, &mean);
    level_many(mg, field);
}

// ---- Conjugate gradients -------------------------------------------------------------------------------------

typedef struct Gradients {
    Multigrid* mg;
    float a, b, shift;
} Gradients;

static void apply_slab(int k, void* data)
{
    Multigrid* mg = ((Gradients*)data)->mg;
    mg->sums[k] = mg->kernels->apply(&mg->level[0], mg->d, mg->q, k);
}
static void advance_slab(int k, void* data)
{
    const Gradients* g = data;
    Multigrid* mg = g->mg;
    mg->sums[k] = mg->kernels->advance(&mg->level[0], g->a, mg->x, mg->d, mg->q, k);
}
static void turn_slab(int k, void* data)
{
    const Gradients* g = data;
    g->mg->kernels->turn(&g->mg->level[0], g->b, g->mg->d, k);
}
static void dot_slab(int k, void* data)
{
    const Gradients* g = data;
    Multigrid* mg = g->mg;
    mg->sums[k] = mg->kernels->dot(&mg->level[0], g->shift, k);
}
static void residual_slab(int k, void* data)
{
    Multigrid* mg = ((Gradients*)data)->mg;
    mg->sums[k] = mg->kernels->residual(&mg->level[0], k);
}

static void copy_field(const Multigrid* mg, float* const to[2], float* const from[2])
{
    const MgLevel* l = &mg->level[0];
    ptrdiff_t first = l->slab + l->row + GRID3_PAD;
    size_t bytes = (size_t)l->slab * (size_t)(l->nz + 2) * sizeof(float);
    for (int c = 0; c < 2; ++c) memcpy(to[c] - first, from[c] - first, bytes);
}

static void clear_field(const Multigrid* mg, float* const field[2])
{
    const MgLevel* l = &mg->level[0];
    size_t bytes = (size_t)l->slab * (size_t)(l->nz + 2) * sizeof(float);
    for (int c = 0; c < 2; ++c) memset(field[c] - (l->slab + l->row + GRID3_PAD), 0, bytes);
}

// x is in p. f becomes the residual and p is free for the cycles.
static void start_from(Gradients* g, bool is_zero)
{
    Multigrid* mg = g->mg;
    clear_field(mg, mg->x);
    clear_field(mg, mg->d);
    if (is_zero) return;
    copy_field(mg, mg->d, mg->level[0].p);
    tarn__mg_slabs(mg, apply_slab, g);
    g->a = 1.0f;
    tarn__mg_slabs(mg, advance_slab, g);
}

// Returns the sum of squares that the recurrence has come to.
static double descend(Gradients* g, const MgSolve* s, double now, int* cycles)
{
    Multigrid* mg = g->mg;
    enum { PATIENCE = 8 }; // steps in which it must halve; with rounding it wanders about
    double before = 0.0, goal = 0.5 * now;
    int left = PATIENCE;
    g->b = 0.0f;
    while (!(now <= s->bound) && *cycles < s->max_cycles && left > 0) {
        tarn__mg_precondition(mg);
        // A constant in a part without an open face means nothing to the equation, but rounding feeds it and
        // the step along d would take it for something to mend.
        level_many(mg, mg->level[0].p);
        g->shift = single_mean(mg, mg->level[0].p);
        double rz = tarn__mg_slabs(mg, dot_slab, g);
        if (!(rz > 0.0)) break;
        g->b = before > 0.0 ? (float)(rz / before) : 0.0f;
        before = rz;
        tarn__mg_slabs(mg, turn_slab, g);
        double curve = tarn__mg_slabs(mg, apply_slab, g);
        if (!(curve > 0.0)) break;
        g->a = (float)(rz / curve);
        if (!(g->a < 1e30f)) break;
        now = tarn__mg_slabs(mg, advance_slab, g);
        ++*cycles;
        --left;
        if (now <= goal) goal = 0.5 * now, left = PATIENCE;
    }
    return now;
}

// The residual of the answer itself counts. If it is above the bound and has come down a good deal, gradients start
// again from there; a new start may also fail at what floats can tell apart, then the answer before is taken.
void tarn__mg_solve_weighted(MgSolve* s, bool has_guess, MultigridResult* out)
{
    Multigrid* mg = s->mg;
    Gradients g = { .mg = mg };
    MgLevel* l = &mg->level[0];
    double now = s->start;
    if (has_guess) {
        Mean air = { mg, l->p, 0.0f };
        tarn__parallel_for(mg->ctx, l->nz, shift_slab, &air); // nothing in solids
        now = tarn__mg_slabs(mg, residual_slab, &g);
        has_guess = now <= s->start;
        if (!has_guess) now = s->start; // worse than none
    }
    for (int restart = 0;; ++restart) {
        double before = now;
        start_from(&g, restart == 0 && !has_guess);
        double told = descend(&g, s, now, &out->cycles);
        copy_field(mg, l->p, mg->x);
        // In few steps, and far above rounding, the residual they carry along is the true one to three digits.
        bool is_true = restart == 0 && out->cycles <= 8 && told > 1e-8 * s->start;
        if (is_true && told <= s->bound) {
            now = told;
            break;
        }
        tarn__mg_load_rhs(s);
        now = tarn__mg_first(mg); // with sweeps: gradients that end early leave it rough
        if (!(now <= before)) {
            tarn__mg_restore_p(s, restart == 0 && !has_guess);
            now = before;
            break;
        }
        if (now <= s->bound || out->cycles >= s->max_cycles || !(now < 0.25 * before)) break;
        tarn__mg_keep_p(s);
    }
    tarn__mg_level_parts(mg, l->p);
    out->residual = (float)sqrt(now / s->start);
    out->is_converged = now <= s->bound;
}
