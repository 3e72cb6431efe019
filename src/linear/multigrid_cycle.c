// Multigrid cycles: several half sweeps in one pass over memory.
//
// Method   A pass is a list of stages: prolongation, half sweeps, residual with restriction. Stage s of slab k
//          needs stage s - 1 of slabs k - 1 to k + 1, so stages run behind one another through the slabs, each
//          one slab later, and a slab stays in the cache for all of them. With several workers the slabs are
//          cut in blocks: first each block does what needs no other, a trapezoid in slabs and stages, then
//          the gaps between blocks are filled stage by stage. A half sweep reads the other color only, so
//          any order gives the same bits.
//          On the finest grid smoothing after one cycle and before the next is one run of sweeps, so that a
//          cycle is a single pass there.
// Checked  tests/unit/test_multigrid.c
// Cost     bench/bench_linear.c

#include "linear/multigrid_cycle.h"

typedef struct Pass {
    Multigrid* mg;
    int level, n_stages, n_blocks;
    uint8_t kind[MG_MAX_STAGES];
    int shift[MG_MAX_STAGES]; // slabs behind the first
    int stage;                // of the gaps
    bool has_norm;
} Pass;

static void add(Pass* pass, MgKind kind)
{
    int s = pass->n_stages++;
    int shift = s ? pass->shift[s - 1] + 1 : 0;
    if (kind == MG_RESTRICT) shift = (shift + 1) & ~1; // slabs go in pairs
    pass->kind[s] = (uint8_t)kind;
    pass->shift[s] = shift;
}
static void add_sweeps(Pass* pass, int n, MgKind first, MgKind second)
{
    for (int s = 0; s < n; ++s) add(pass, first), add(pass, second);
}

static void zero_slab(const MgLevel* l, int k)
{
    size_t bytes = (size_t)l->slab * sizeof(float);
    for (int c = 0; c < 2; ++c) memset(l->p[c] + (ptrdiff_t)l->slab * k - GRID3_PAD, 0, bytes);
}

static void run_stage(const Pass* pass, int s, int k)
{
    Multigrid* mg = pass->mg;
    const MgLevel* l = &mg->level[pass->level];
    switch ((MgKind)pass->kind[s]) {
    case MG_ZERO:
        zero_slab(l, k);
        break;
    case MG_PROLONG:
        mg->kernels->prolong(l, l + 1, k);
        break;
    case MG_RED:
        mg->kernels->relax(l, 0, k);
        break;
    case MG_BLACK:
        mg->kernels->relax(l, 1, k);
        break;
    case MG_RESTRICT: // both slabs when the second is there
        if (k & 1) mg->kernels->restrict_to(l, l + 1, k / 2, pass->has_norm ? mg->sums : NULL);
        break;
    case MG_NORM:
        mg->sums[k] = mg->kernels->residual(l, k);
        break;
    }
}

static int cut(const Pass* pass, int block) // an even slab
{
    int nz = pass->mg->level[pass->level].nz;
    return block == pass->n_blocks ? nz : (int)((int64_t)nz * block / pass->n_blocks) & ~1;
}

static void run_block(int block, void* data)
{
    const Pass* pass = data;
    int first = cut(pass, block), end = cut(pass, block + 1), last = pass->n_stages - 1;
    for (int t = first; t < end + pass->shift[last]; ++t) {
        for (int s = 0; s <= last; ++s) {
            int shift = pass->shift[s], k = t - shift;
            int lo = block ? first + shift : 0;
            int hi = block < pass->n_blocks - 1 ? end - shift : end;
            if (k >= lo && k < hi) run_stage(pass, s, k);
        }
    }
}

static void run_gap(int n, void* data)
{
    const Pass* pass = data;
    int shift = pass->shift[pass->stage], wide = 2 * shift;
    run_stage(pass, pass->stage, cut(pass, n / wide + 1) - shift + n % wide);
}

static void run(Pass* pass)
{
    Multigrid* mg = pass->mg;
    int deepest = pass->shift[pass->n_stages - 1], nz = mg->level[pass->level].nz;
    int most = nz / (2 * deepest + 2); // blocks that are still longer than what their gaps take
    pass->n_blocks = mg->ctx->workers < most ? mg->ctx->workers : most;
    if (pass->n_blocks <= 1) {
        pass->n_blocks = 1;
        run_block(0, pass);
        return;
    }
    tarn__parallel_for(mg->ctx, pass->n_blocks, run_block, pass);
    for (int s = 1; s < pass->n_stages; ++s) {
        pass->stage = s;
        tarn__parallel_for(mg->ctx, 2 * pass->shift[s] * (pass->n_blocks - 1), run_gap, pass);
    }
}

// ---- Cycles --------------------------------------------------------------------------------------------

// Sweeps that are as good as a solution: the over-relaxation of the coarsest grid is chosen for its size.
static void solve_coarsest(Multigrid* mg, bool from_zero)
{
    int level = mg->n_levels - 1;
    int sweeps = mg->level[level].sweeps;
    for (int half = 0; half < 2; ++half) { // there and back: symmetric
        MgKind first = half ? MG_BLACK : MG_RED, second = half ? MG_RED : MG_BLACK;
        for (int s = 0; s < sweeps; s += 4) {
            Pass pass = { .mg = mg, .level = level };
            if (from_zero && half == 0 && s == 0) add(&pass, MG_ZERO);
            add_sweeps(&pass, sweeps - s < 4 ? sweeps - s : 4, first, second);
            run(&pass);
        }
    }
}

// Before and after what comes from below. Coarser grids cost a seventh together, and with three sweeps there the
// factor of long waves is 0.06 instead of 0.10.
static int sweeps_of(int level)
{
    return level ? 3 : 2;
}

// From zero. is_symmetric: back through the colors on the way up.
static void coarse_cycle(Multigrid* mg, int level, bool is_symmetric)
{
    for (int l = level; l < mg->n_levels - 1; ++l) {
        Pass pass = { .mg = mg, .level = l };
        add(&pass, MG_ZERO);
        add_sweeps(&pass, sweeps_of(l), MG_RED, MG_BLACK);
        add(&pass, MG_RESTRICT);
        run(&pass);
    }
    solve_coarsest(mg, true);
    for (int l = mg->n_levels - 2; l >= level; --l) {
        Pass pass = { .mg = mg, .level = l };
        add(&pass, MG_PROLONG);
        add_sweeps(&pass, sweeps_of(l), is_symmetric ? MG_BLACK : MG_RED,
                   is_symmetric ? MG_RED : MG_BLACK);
        run(&pass);
    }
}

// What comes from the coarser grid before the sweeps.
typedef enum Up { UP_NOT, UP_ADD, UP_FROM_ZERO } Up;

static double sweep_and_restrict(Multigrid* mg, int level, Up up, int sweeps)
{
    Pass pass = { .mg = mg, .level = level, .has_norm = level == 0 };
    if (up == UP_FROM_ZERO) add(&pass, MG_ZERO);
    if (up != UP_NOT) add(&pass, MG_PROLONG);
    add_sweeps(&pass, sweeps, MG_RED, MG_BLACK);
    add(&pass, level < mg->n_levels - 1 ? MG_RESTRICT : MG_NORM);
    run(&pass);
    return level == 0 ? tarn__sum(mg->sums, mg->level[0].nz) : 0.0;
}

double tarn__mg_first(Multigrid* mg)
{
    return sweep_and_restrict(mg, 0, UP_NOT, 2);
}

double tarn__mg_cycle(Multigrid* mg)
{
    if (mg->n_levels == 1) {
        solve_coarsest(mg, false);
        return sweep_and_restrict(mg, 0, UP_NOT, 1);
    }
    coarse_cycle(mg, 1, false);
    return sweep_and_restrict(mg, 0, UP_ADD, 4);
}

static void restrict_block(int K, void* data)
{
    const Pass* pass = data;
    const MgLevel* l = &pass->mg->level[pass->level];
    pass->mg->kernels->restrict_f(l, l + 1, K);
}

double tarn__mg_first_full(Multigrid* mg)
{
    int last = mg->n_levels - 1;
    for (int l = 0; l < last; ++l) {
        Pass pass = { .mg = mg, .level = l };
        tarn__parallel_for(mg->ctx, mg->level[l].nz / 2, restrict_block, &pass);
    }
    solve_coarsest(mg, true);
    if (last == 0) return sweep_and_restrict(mg, 0, UP_NOT, 1);
    for (int l = last - 1; l > 0; --l) {
        sweep_and_restrict(mg, l, UP_FROM_ZERO, sweeps_of(l));
        coarse_cycle(mg, l + 1, false);
        Pass pass = { .mg = mg, .level = l };
        add(&pass, MG_PROLONG);
        add_sweeps(&pass, sweeps_of(l), MG_RED, MG_BLACK);
        run(&pass);
    }
    return sweep_and_restrict(mg, 0, UP_FROM_ZERO, 4);
}

void tarn__mg_precondition(Multigrid* mg)
{
    coarse_cycle(mg, 0, true);
}

// ---- Slabs -----------------------------------------------------------------------------------------------

double tarn__mg_slabs(Multigrid* mg, TarnBlockFn* fn, void* data)
{
    int nz = mg->level[0].nz;
    tarn__parallel_for(mg->ctx, nz, fn, data);
    return tarn__sum(mg->sums, nz);
}
