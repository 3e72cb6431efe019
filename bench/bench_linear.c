// Poisson's equation in a box: multigrid from zero to a residual of 1e-3, with and without a solid sphere, and
// by cosine transforms. Helmholtz's equation in the plane.

#include "bench/bench.h"
#include "linear/cosine.h"
#include "linear/fft.h"
#include "linear/helmholtz.h"
#include <stdlib.h>
#include <string.h>
#if defined(TARN_HAS_FFTW)
#include "bench/peers/fftw.h"
#endif

typedef struct LinearBench {
    TarnContext* ctx;
    PoissonDef def;
    Grid3 grid;
    Multigrid* multigrid;
    CosinePlan* cosine;
    size_t size;
    void* memory;
    float *rhs, *p, *w[3];
    MultigridResult result;
} LinearBench;

static void* block(size_t size)
{
    void* memory = aligned_alloc(64, (size + 63) / 64 * 64);
    memset(memory, 0, size);
    return memory;
}
static float* field(const Grid3* g)
{
    return (float*)block(tarn__grid3_floats(g) * sizeof(float)) + tarn__grid3_first(g);
}
static void drop_field(const Grid3* g, float* f)
{
    if (f) free(f - tarn__grid3_first(g));
}

// Noise, as the divergence after advection is rough too.
static LinearBench make(int n, int workers)
{
    LinearBench b = { .ctx = bench_context(workers), .def = { .nx = n, .ny = n, .nz = n } };
    b.grid = tarn__grid3(n, n, n);
    b.rhs = field(&b.grid), b.p = field(&b.grid);
    uint32_t random = 1;
    for (int k = 0; k < n; ++k) {
        for (int j = 0; j < n; ++j) {
            for (int i = 0; i < n; ++i) {
                random = random * 1664525u + 1013904223u;
                b.rhs[tarn__grid3_at(&b.grid, i, j, k)] = (float)(random >> 8) * 0x1p-23f - 1.0f;
            }
        }
    }
    return b;
}
static void drop(LinearBench* b)
{
    drop_field(&b->grid, b->rhs), drop_field(&b->grid, b->p);
    for (int a = 0; a < 3; ++a) drop_field(&b->grid, b->w[a]);
    free(b->memory);
    tarn_context_destroy(b->ctx);
}

static void add_sphere(LinearBench* b)
{
    int n = b->grid.nx;
    for (int a = 0; a < 3; ++a) {
        b->w[a] = field(&b->grid);
        for (int k = 0; k < n; ++k) {
            for (int j = 0; j < n; ++j) {
                for (int i = 0; i < n; ++i) { // in half cells from the center
                    int x = 2 * i + (a != 0) - n, y = 2 * j + (a != 1) - n,
                        z = 2 * k + (a != 2) - n;
                    bool is_solid = 4 * (x * x + y * y + z * z) < n * n;
                    b->w[a][tarn__grid3_at(&b->grid, i, j, k)] = is_solid ? 0.0f : 1.0f;
                }
            }
        }
    }
}

static void solve(void* data)
{
    LinearBench* b = data;
    tarn__multigrid_solve(b->multigrid, b->rhs, b->p, 1e-3f, 30, true, &b->result);
}
static void weigh(void* data)
{
    LinearBench* b = data;
    tarn__multigrid_set_weights(b->multigrid, b->w[0], b->w[1], b->w[2]);
}
static void transform(void* data)
{
    LinearBench* b = data;
    tarn__poisson_spectral(b->cosine, &b->def, b->rhs, b->p);
}

static void bench_multigrid(BenchRun* run, int n, bool has_sphere)
{
    char name[48], weights[48];
    snprintf(name, sizeof name, "linear.multigrid.%s%d", has_sphere ? "sphere." : "", n);
    snprintf(weights, sizeof weights, "linear.weights.%d", n);
    bool wants_weights = has_sphere && bench_wants(run, weights);
    if (!bench_wants(run, name) && !wants_weights) return;
    double cells = (double)n * n * n;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        LinearBench b = make(n, workers);
        b.def.has_weights = has_sphere;
        if (has_sphere) add_sphere(&b);
        b.size = tarn__multigrid_size(&b.def);
        b.memory = block(b.size);
        b.multigrid = tarn__multigrid_place(b.ctx, &b.def, b.memory);
        int repeats = run->is_quick ? 5 : n > 64 ? 20 : 100;
        if (wants_weights)
            bench_rate(run, weights, workers, bench_best(repeats, weigh, &b), cells, "cell", -1.0,
                       0.0);
        if (has_sphere) weigh(&b);
        if (bench_wants(run, name)) {
            bench_rate(run, name, workers, bench_best(repeats, solve, &b), cells, "cell",
                       (double)b.size / cells, 0.0);
            BenchRow* row = &run->rows[run->n_rows - 1];
            snprintf(row->note, sizeof row->note, "%d cycles, residual %.1e", b.result.cycles,
                     (double)b.result.residual);
        }
        drop(&b);
    }
}

static void bench_cosine(BenchRun* run, int n)
{
    char name[48];
    snprintf(name, sizeof name, "linear.cosine.%d", n);
    if (!bench_wants(run, name)) return;
    double cells = (double)n * n * n;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        LinearBench b = make(n, workers);
        b.size = tarn__cosine_size(&b.grid);
        b.memory = block(b.size);
        b.cosine = tarn__cosine_place(b.ctx, &b.grid, b.memory);
        bench_rate(run, name, workers, bench_best(run->is_quick ? 5 : 30, transform, &b), cells,
                   "cell", (double)b.size / cells, 0.0);
        drop(&b);
    }
}

// ---- Fourier transforms of a square complex field, with FFTW's measured plan where it is built in -------------------

typedef struct FftBench {
    Fft* fft;
    FftField from, to, more;
} FftBench;

static void inverse(void* data)
{
    FftBench* b = data;
    tarn__fft_inverse(b->fft, 1, &b->from, &b->to);
}

// The least that a cosine transform by the FFT would cost, without reordering and turning its elements: two real planes
// through the FFT, beside two planes through the cosine transforms.
static void forward_real(void* data)
{
    FftBench* b = data;
    const float* from[2] = { b->from.re, b->from.im };
    FftField to[2] = { b->to, b->more };
    tarn__fft_forward_real(b->fft, 2, from, to);
}
typedef struct PlaneBench {
    CosinePlan* plan;
    float* field[2];
} PlaneBench;

static void cosine_planes(void* data)
{
    const PlaneBench* b = data;
    for (int f = 0; f < 2; ++f)
        for (int axis = 0; axis < 2; ++axis) tarn__cosine(b->plan, b->field[f], axis, COSINE_II);
}
static void bench_planes(BenchRun* run, int n)
{
    char cosine[48], fft[48];
    snprintf(cosine, sizeof cosine, "linear.cosine.plane.%d", n);
    snprintf(fft, sizeof fft, "linear.fft.real.%d", n);
    double cells = 2.0 * n * n;
    int repeats = run->is_quick ? 20 : 300;
    TarnContext* ctx = bench_context(1);
    if (bench_wants(run, cosine)) {
        Grid3 grid = tarn__grid3(n, n, 1);
        size_t size = tarn__cosine_size(&grid);
        void* memory = block(size);
        PlaneBench b = { tarn__cosine_place(ctx, &grid, memory), { field(&grid), field(&grid) } };
        bench_rate(run, cosine, 1, bench_best(repeats, cosine_planes, &b), cells, "cell",
                   (double)size / cells, 0.0);
        free(memory), drop_field(&grid, b.field[0]), drop_field(&grid, b.field[1]);
    }
    if (bench_wants(run, fft)) {
        size_t bytes = (size_t)n * (size_t)n * sizeof(float), size = tarn__fft_size(n, 0);
        float* planes[6];
        for (int i = 0; i < 6; ++i) planes[i] = block(bytes);
        void* memory = block(size);
        FftBench b = { tarn__fft_place(ctx, n, 0, memory),
                       { planes[0], planes[1] },
                       { planes[2], planes[3] },
                       { planes[4], planes[5] } };
        bench_rate(run, fft, 1, bench_best(repeats, forward_real, &b), cells, "cell",
                   (double)size / cells, 0.0);
        for (int i = 0; i < 6; ++i) free(planes[i]);
        free(memory);
    }
    tarn_context_destroy(ctx);
}

#if defined(TARN_HAS_FFTW)
static void run_peer(void* data)
{
    peer_fftw_run(data);
}
static void bench_peer_fft(BenchRun* run, int n)
{
    char name[48];
    snprintf(name, sizeof name, "linear.fftw.%d", n);
    if (!bench_wants(run, name)) return;
    PeerFftw* peer = peer_fftw_create(n);
    bench_rate(run, name, 1, bench_best(run->is_quick ? 20 : 500, run_peer, peer), (double)n * n,
               "cell", -1.0, 0.0);
    peer_fftw_destroy(peer);
}
#endif

static void bench_fft(BenchRun* run, int n)
{
    char name[48];
    snprintf(name, sizeof name, "linear.fft.%d", n);
    double cells = (double)n * n;
    size_t bytes = (size_t)n * (size_t)n * sizeof(float), size = tarn__fft_size(n, 0);
    for (int workers = 1; workers <= run->max_workers && bench_wants(run, name); workers *= 2) {
        TarnContext* ctx = bench_context(workers);
        void* memory = block(size);
        FftBench b = { tarn__fft_place(ctx, n, 0, memory),
                       { block(bytes), block(bytes) },
                       { block(bytes), block(bytes) },
                       { NULL, NULL } };
        for (int c = 0; c < n * n; ++c) b.from.re[c] = (float)(c % 1000) * 1e-3f;
        bench_rate(run, name, workers, bench_best(run->is_quick ? 20 : 500, inverse, &b), cells,
                   "cell", (double)size / cells, 0.0);
        free(memory), free(b.from.re), free(b.from.im), free(b.to.re), free(b.to.im);
        tarn_context_destroy(ctx);
    }
#if defined(TARN_HAS_FFTW)
    bench_peer_fft(run, n);
#endif
}

// ---- Helmholtz's equation in the plane: new coefficients, then a solve to 1e-4 ---------------------------

typedef struct SheetBench {
    Helmholtz* h;
    float *a, *rhs, *d;
    int n;
    HelmholtzResult result;
} SheetBench;

static void solve_sheet(void* data)
{
    SheetBench* b = data;
    tarn__helmholtz_set(b->h, NULL, b->a, b->a, b->n);
    tarn__helmholtz_solve(b->h, b->rhs, b->d, b->n, 1e-4f, 30, &b->result);
}

static void bench_helmholtz(BenchRun* run, int n)
{
    char name[48];
    snprintf(name, sizeof name, "linear.helmholtz.%d", n);
    if (!bench_wants(run, name)) return;
    double cells = (double)n * n;
    size_t bytes = (size_t)n * (size_t)n * sizeof(float);
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        TarnContext* ctx = bench_context(workers);
        HelmholtzDef def = { .nx = n, .nz = n };
        size_t size = tarn__helmholtz_size(&def);
        void* memory = block(size);
        SheetBench b = { tarn__helmholtz_place(ctx, &def, memory),
                         block(bytes),
                         block(bytes),
                         block(bytes),
                         n,
                         { 0 } };
        uint32_t random = 1;
        for (int c = 0; c < n * n; ++c) {
            random = random * 1664525u + 1013904223u;
            b.rhs[c] = (float)(random >> 8) * 0x1p-23f - 1.0f;
            b.a[c] = 9.81f; // water of 100 m over cells of 1 m at 1/10 s
        }
        bench_rate(run, name, workers, bench_best(run->is_quick ? 5 : 20, solve_sheet, &b), cells,
                   "cell", (double)size / cells, 0.0);
        BenchRow* row = &run->rows[run->n_rows - 1];
        snprintf(row->note, sizeof row->note, "%d cycles, residual %.1e", b.result.cycles,
                 (double)b.result.residual);
        free(memory), free(b.a), free(b.rhs), free(b.d);
        tarn_context_destroy(ctx);
    }
}

void bench_linear(BenchRun* run)
{
    bench_multigrid(run, 64, false);
    bench_multigrid(run, 128, false);
    bench_multigrid(run, 64, true);
    bench_multigrid(run, 128, true);
    bench_cosine(run, 64);
    bench_cosine(run, 128);
    bench_planes(run, 256);
    bench_fft(run, 256);
    bench_fft(run, 512);
    bench_fft(run, 1024);
    bench_helmholtz(run, 512);
    bench_helmholtz(run, 1024);
}
