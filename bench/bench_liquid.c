// Liquids: dam breaks in 2-D and 3-D with every method.
//
// 2-D: a block of 1.6 x 2.0 m at the left wall of a box of 4 x 4 m, g 10, steps of 1/60 s; the mean of steps
// 60 to 360 (one to six seconds), the time in which it crosses the box, breaks and settles. 3-D: a cube of
// 1 m at x = 0 of a tank of 3 x 2 x 1 m, g 9.81. Times cover everything: sort, neighbors, contacts,
// solve, motion. Rates count particles times frames of 1/60 s, for sph particles times substeps. Notes:
// neighbors per particle, mean compression, and how much faster than one worker it was. dfsph, pcisph,
// wcsph and sph take seconds for a frame of 50,000 in 2-D: there only frames 2 to 4 are measured. The rows `rest` let
// constraint run until it is still, and report the loss of the ideal mean height.

#include "bench/bench.h"
#include <math.h>
#include <stdlib.h>

typedef struct LiquidBench {
    TarnContext* ctx;
    TarnLiquid* liquid;
    double ideal; // mean height of a level pool of the same volume [m]
    int n;
} LiquidBench;

static const char* const names[] = { "constraint", "dfsph", "pcisph",
                                     "wcsph",      "sph",   "lennard_jones" };

static LiquidBench make(int method, int dims, float spacing, int workers)
{
    LiquidBench b = { .ctx = bench_context(workers) };
    TarnLiquidDef def = tarn_liquid_default_def();
    def.dimensions = dims;
    def.method = method;
    def.spacing = spacing;
    def.max_particles = dims == 3 ? 62000 : (int)(3.4f / (spacing * spacing));
    def.walls = TARN_LIQUID_BOX;
    def.box_min = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    def.box_max = dims == 3 ? (TarnVec3){ 3.0f, 2.0f, 1.0f } : (TarnVec3){ 4.0f, 4.0f, 0.0f };
    TarnLiquidFill fill = tarn_liquid_fill_default();
    TarnVec3 top = dims == 3 ? (TarnVec3){ 1.0f, 1.0f, 1.0f } : (TarnVec3){ 1.6f, 2.0f, 0.0f };
    fill.shape = tarn_shape_box_between(def.box_min, top, &fill.pose.position);
    if (tarn_liquid_create(b.ctx, &def, &b.liquid) != TARN_OK ||
        tarn_liquid_fill(b.liquid, &fill, &b.n) != TARN_OK) {
        fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b.ctx));
        exit(1);
    }
    TarnLiquidParams params = tarn_liquid_params(b.liquid);
    params.gravity.y = dims == 3 ? -9.81f : -10.0f;
    params.iterations = 4;
    params.max_error = 0.001f;
    params.max_substeps = 1000;
    tarn_liquid_set_params(b.liquid, &params);
    double volume = b.n * pow((double)spacing, dims);
    b.ideal = 0.5 * volume / (dims == 3 ? 3.0 : 4.0);
    return b;
}

static void drop(LiquidBench* b)
{
    tarn_liquid_destroy(b->liquid);
    tarn_context_destroy(b->ctx);
}

// Seconds of a run of steps; *substeps: of all of them.
static double run_steps(LiquidBench* b, int steps, float dt, int* substeps)
{
    double start = bench_seconds();
    *substeps = 0;
    for (int s = 0; s < steps; ++s) {
        TarnStepReport report;
        tarn_liquid_step(b->liquid, dt, &report);
        *substeps += report.substeps;
    }
    return bench_seconds() - start;
}

static double height_loss(const LiquidBench* b)
{
    TarnLiquidView view = tarn_liquid_view(b->liquid);
    double sum = 0.0;
    for (int p = 0; p < view.n; ++p) sum += (double)view.y[p];
    return 1.0 - sum / view.n / b->ideal;
}

typedef struct Measured {
    double seconds;  // of what the row's ms are of
    double frames;   // in it
    double substeps; // in it
} Measured;

// one: seconds with one worker, kept here from row to row.
static void add_row(BenchRun* run, const char* name, int workers, const LiquidBench* b, Measured m,
                    double* one)
{
    TarnLiquidStats stats = tarn_liquid_stats(b->liquid);
    const TarnLiquidDef* def = tarn_liquid_def(b->liquid);
    BenchRow row = { .workers = workers,
                     .ms = 1e3 * m.seconds,
                     .rate = b->n * m.frames / m.seconds,
                     .unit = "particle",
                     .bytes_per_element = (double)tarn_liquid_memory(def) / def->max_particles,
                     .roofline = -1.0,
                     .bandwidth_gbs = -1.0 };
    snprintf(row.name, sizeof row.name, "%s", name);
    char more[32] = "";
    if (workers > 1) snprintf(more, sizeof more, ", %.2f times one", *one / m.seconds);
    if (workers == 1) *one = m.seconds;
    snprintf(row.note, sizeof row.note, "%.1f neighbors, %.1f substeps, compressed %.1f %%%s",
             stats.neighbors, m.substeps, 100.0 * stats.mean_compression, more);
    bench_add(run, row);
}

// Mean of some steps of 1/60 s.
static void bench_frames(BenchRun* run, const char* name, int method, int dims, float spacing,
                         int from, int to)
{
    if (!bench_wants(run, name)) return;
    const float dt = 1.0f / 60.0f;
    double one = 0.0;
    if (run->is_quick) to = from + (to - from + 9) / 10;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        LiquidBench b = make(method, dims, spacing, workers);
        int substeps, none;
        run_steps(&b, from, dt, &none);
        Measured m = { .frames = 1.0 };
        m.seconds = run_steps(&b, to - from, dt, &substeps) / (to - from);
        m.substeps = (double)substeps / (to - from);
        add_row(run, name, workers, &b, m, &one);
        drop(&b);
    }
}

// Until it is still, with all workers: the mean of all frames, and the height lost.
static void bench_rest(BenchRun* run, const char* name, int dims, float spacing, int seconds)
{
    if (!bench_wants(run, name) || run->is_quick) return;
    LiquidBench b = make(TARN_LIQUID_CONSTRAINT, dims, spacing, run->max_workers);
    int frames = 60 * seconds, substeps;
    double one = 0.0;
    Measured m = { .frames = 1.0 };
    m.seconds = run_steps(&b, frames, 1.0f / 60.0f, &substeps) / frames;
    m.substeps = (double)substeps / frames;
    add_row(run, name, run->max_workers, &b, m, &one);
    bench_note(run, "after %d s: compressed %.1f %%, height lost %.1f %%", seconds,
               100.0 * tarn_liquid_stats(b.liquid).mean_compression, 100.0 * height_loss(&b));
    drop(&b);
}

// One density-and-force step of sph.
static void bench_sph_step(BenchRun* run)
{
    const char* name = "liquid.sph.3d.19683";
    if (!bench_wants(run, name)) return;
    double one = 0.0;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        LiquidBench b = make(TARN_LIQUID_SPH, 3, 1.0f / 27.0f, workers);
        const float dt = 2e-4f; // one substep
        int substeps;
        run_steps(&b, 20, dt, &substeps);
        double best = 1e30;
        for (int r = 0; r < (run->is_quick ? 10 : 100); ++r) {
            double seconds = run_steps(&b, 1, dt, &substeps) / substeps;
            best = seconds < best ? seconds : best;
        }
        Measured m = { .seconds = best, .frames = 1.0, .substeps = 1.0 };
        add_row(run, name, workers, &b, m, &one);
        drop(&b);
    }
}

// Seconds per simulated second of dfsph: the row's ms are those of a second.
static void bench_dfsph(BenchRun* run, const char* name, int side)
{
    if (!bench_wants(run, name)) return;
    double one = 0.0;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        LiquidBench b = make(TARN_LIQUID_DFSPH, 3, 1.0f / (float)side, workers);
        int steps = run->is_quick ? 2 : 60, substeps;
        Measured m = { .frames = 60.0 };
        m.seconds = run_steps(&b, steps, 1.0f / 60.0f, &substeps) * 60.0 / steps;
        m.substeps = 60.0 * substeps / steps;
        add_row(run, name, workers, &b, m, &one);
        drop(&b);
    }
}

void bench_liquid(BenchRun* run)
{
    const float fine = 0.008f; // 50,000 particles
    bench_frames(run, "liquid.constraint.2d.20000", TARN_LIQUID_CONSTRAINT, 2, 0.01265f, 60, 360);
    bench_frames(run, "liquid.constraint.2d.50000", TARN_LIQUID_CONSTRAINT, 2, fine, 60, 360);
    bench_frames(run, "liquid.constraint.3d.59319", TARN_LIQUID_CONSTRAINT, 3, 1.0f / 39.0f, 30,
                 180);
    bench_rest(run, "liquid.constraint.2d.20000.rest", 2, 0.01265f, 20);
    bench_rest(run, "liquid.constraint.2d.50000.rest", 2, fine, 20);
    bench_rest(run, "liquid.constraint.3d.59319.rest", 3, 1.0f / 39.0f, 15);
    bench_sph_step(run);
    bench_dfsph(run, "liquid.dfsph.3d.19683", 27);
    bench_dfsph(run, "liquid.dfsph.3d.59319", 39);
    for (int m = TARN_LIQUID_DFSPH; m <= TARN_LIQUID_LENNARD_JONES; ++m) {
        char name[48];
        snprintf(name, sizeof name, "liquid.%s.2d.50000", names[m]);
        bool is_slow = m != TARN_LIQUID_LENNARD_JONES;
        bench_frames(run, name, m, 2, fine, is_slow ? 2 : 10, is_slow ? 4 : 20);
    }
}
