// Liquids: dam breaks in 2-D and 3-D with every method.
//
// 2-D: a block of 1.6 x 2.0 m at the left wall of a box of 4 x 4 m, g 10, steps of 1/60 s; the mean of steps
// 60 to 360 (one to six seconds), the time in which it crosses the box, breaks and settles; of 200,000 particles steps
// 30 to 60. 3-D: a cube of
// 1 m at x = 0 of a tank of 3 x 2 x 1 m, g 9.81. Times cover everything: sort, neighbors, contacts,
// solve, motion. Rates count particles times frames of 1/60 s, for sph particles times substeps. Notes:
// neighbors per particle, mean compression, and how much faster than one worker it was. dfsph, pcisph,
// wcsph and sph take seconds for a frame of 50,000 in 2-D: there only frames 2 to 4 are measured. The rows `rest` let
// constraint run until it is still, and report the loss of the ideal mean height. Rows `unbounded` compare an
// unbounded liquid with a box of the same content: the dam break in a trough of solids, with 1 % more
// particles strewn over 200 km around it, and a long strip of liquid with one in pieces.

#include "bench/bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct LiquidBench {
    TarnContext* ctx;
    TarnLiquid* liquid;
    TarnSolids* solids; // NULL: none
    double ideal;       // mean height of a level pool of the same volume [m]
    int n;
} LiquidBench;

static const char* const names[] = { "constraint", "dfsph", "pcisph",
                                     "wcsph",      "sph",   "lennard_jones" };

static void stop_unless(const LiquidBench* b, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b->ctx));
    exit(1);
}

static LiquidBench make_with(int method, int kernel, int dims, float spacing, int workers)
{
    LiquidBench b = { .ctx = bench_context(workers) };
    TarnLiquidDef def = tarn_liquid_default_def();
    def.dimensions = dims;
    def.method = method;
    def.kernel = kernel;
    def.spacing = spacing;
    def.max_particles = dims == 3 ? 62000 : (int)(3.4f / (spacing * spacing));
    def.walls = TARN_LIQUID_BOX;
    def.box_min = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    def.box_max = dims == 3 ? (TarnVec3){ 3.0f, 2.0f, 1.0f } : (TarnVec3){ 4.0f, 4.0f, 0.0f };
    TarnLiquidFill fill = tarn_liquid_fill_default();
    TarnVec3 top = dims == 3 ? (TarnVec3){ 1.0f, 1.0f, 1.0f } : (TarnVec3){ 1.6f, 2.0f, 0.0f };
    fill.shape = tarn_shape_box_between(def.box_min, top, &fill.pose.position);
    stop_unless(&b, tarn_liquid_create(b.ctx, &def, &b.liquid));
    stop_unless(&b, tarn_liquid_fill(b.liquid, &fill, &b.n));
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

static LiquidBench make(int method, int dims, float spacing, int workers)
{
    return make_with(method, TARN_LIQUID_KERNEL_SQUARE, dims, spacing, workers);
}

static void drop(LiquidBench* b)
{
    tarn_liquid_destroy(b->liquid);
    tarn_solids_destroy(b->solids);
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

// Seconds of some steps that are run several times from the same state: of each step its shortest. One run alone is
// up to a half longer where it comes first, or where the machine does something else for a while.
static double run_again(LiquidBench* b, int steps, float dt, int* substeps)
{
    enum { RUNS = 3 };
    const double enough = 12.0; // [s], all runs together
    size_t size = 0;
    tarn_liquid_save(b->liquid, NULL, 0, &size);
    void* state = malloc(size);
    double* shortest = malloc((size_t)steps * sizeof *shortest);
    if (state == NULL || shortest == NULL) exit(1);
    tarn_liquid_save(b->liquid, state, size, &size);
    double sum = 0.0, all = 0.0;
    *substeps = 0;
    for (int r = 0; r < RUNS && (r == 0 || all / r * (r + 1) <= enough); ++r) {
        if (r > 0) tarn_liquid_load(b->liquid, state, size);
        *substeps = 0;
        for (int s = 0; s < steps; ++s) {
            int n;
            double took = run_steps(b, 1, dt, &n);
            all += took;
            *substeps += n;
            shortest[s] = r == 0 || took < shortest[s] ? took : shortest[s];
        }
    }
    for (int s = 0; s < steps; ++s) sum += shortest[s];
    free(shortest);
    free(state);
    return sum;
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
        m.seconds = run_again(&b, to - from, dt, &substeps) / (to - from);
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

// The dam break as LiquidFun runs it: mean of steps 60 to 359 on one worker, and the height lost once it is still.
// LiquidFun is not in Debian, so it does not run here: the row repeats its two figures as they were stated with the
// goals of the method, faster and with more iterations, for the same box, block and steps.
static void bench_peer(BenchRun* run)
{
    const char* name = "liquid.peer.2d.20000";
    if (run->filter == NULL || strstr(run->filter, "peer") == NULL || !bench_wants(run, name))
        return; // only where it is asked for
    LiquidBench b = make(TARN_LIQUID_CONSTRAINT, 2, 0.01265f, 1);
    const float dt = 1.0f / 60.0f;
    int substeps, none;
    double one;
    run_steps(&b, 60, dt, &none);
    Measured m = { .frames = 1.0 };
    m.seconds = run_again(&b, 300, dt, &substeps) / 300.0;
    m.substeps = substeps / 300.0;
    run_steps(&b, 1200 - 360, dt, &none);
    add_row(run, name, 1, &b, m, &one);
    bench_note(run,
               "%.1f %% of the height lost; LiquidFun (stated, not run): 17 ms 59 %%, 29 ms 47 %%",
               100.0 * height_loss(&b));
    drop(&b);
}

// A coarse dam break with each kernel, and with as many sweeps per step as the talk about Sprinkle shows, 1, 2 and 4 (4
// iterations are one sweep in 1/60 s), without warm start as there: ms of steps 60 to 359, compression over the first
// 360 steps, the height lost after 15 s.
static void bench_sprinkle(BenchRun* run, const char* name, int kernel, int iterations,
                           bool has_warm_start)
{
    if (!bench_wants(run, name)) return;
    const float dt = 1.0f / 60.0f;
    LiquidBench b = make_with(TARN_LIQUID_CONSTRAINT, kernel, 2, 0.05f, 1);
    TarnLiquidParams params = tarn_liquid_params(b.liquid);
    params.iterations = iterations;
    if (!has_warm_start) params.warm_start = 0.0f;
    tarn_liquid_set_params(b.liquid, &params);
    int last = run->is_quick ? 90 : 360, substeps, all = 0;
    double seconds = 0.0, mean = 0.0, worst = 0.0, one;
    for (int s = 0; s < last; ++s) {
        double took = run_steps(&b, 1, dt, &substeps);
        if (s >= 60) seconds += took / (last - 60), all += substeps;
        double compression = tarn_liquid_stats(b.liquid).mean_compression;
        mean += compression / last;
        worst = compression > worst ? compression : worst;
    }
    run_steps(&b, run->is_quick ? 0 : 900 - last, dt, &substeps);
    Measured m = { .seconds = seconds, .frames = 1.0, .substeps = (double)all / (last - 60) };
    add_row(run, name, 1, &b, m, &one);
    bench_note(run, "compressed %.1f %%, in the worst step %.1f %%, height lost %.1f %%",
               100.0 * mean, 100.0 * worst, 100.0 * height_loss(&b));
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

// ---- Unbounded -----------------------------------------------------------------------------------

// A random number from -1 to 1.
static float next_random(uint32_t* state)
{
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 8388608.0f - 1.0f;
}

// One particle for each hundred, anywhere within 100 km along each axis but not below the trough.
static void strew(LiquidBench* b, int dims)
{
    uint32_t state = 1;
    for (int i = 0; i < b->n / 100; ++i) {
        TarnVec3 at = { 1e5f * next_random(&state), 1e5f * fabsf(next_random(&state)), 0.0f };
        if (dims == 3) at.z = 1e5f * next_random(&state);
        stop_unless(b, tarn_liquid_add(b->liquid, 1, &at, NULL, 0, 0, NULL));
    }
}

// Floor and walls around a box, 0.2 m thick.
static void add_trough(LiquidBench* b, TarnVec3 size)
{
    const float t = 0.1f;
    TarnVec3 half = { 0.5f * size.x, 0.5f * size.y, 0.5f * size.z };
    if (size.z == 0.0f) half.z = 1.0f; // 2-D: the plane z = 0 is what counts
    const TarnVec3 walls[][2] = {
        { { half.x + 2 * t, t, half.z + 2 * t }, { half.x, -t, half.z } },
        { { t, half.y, half.z + 2 * t }, { -t, half.y, half.z } },
        { { t, half.y, half.z + 2 * t }, { size.x + t, half.y, half.z } },
        { { half.x, half.y, t }, { half.x, half.y, -t } },
        { { half.x, half.y, t }, { half.x, half.y, size.z + t } },
    };
    for (int w = 0; w < (size.z > 0.0f ? 5 : 3); ++w) {
        TarnSolidDef wall = tarn_solid_default_def();
        wall.shape = tarn_shape_box(walls[w][0].x, walls[w][0].y, walls[w][0].z);
        wall.motion.position = walls[w][1];
        stop_unless(b, tarn_solids_add(b->solids, &wall, NULL));
    }
}

// The dam break in a trough.
static LiquidBench make_trough(int dims, bool is_unbounded, int workers)
{
    LiquidBench b = { .ctx = bench_context(workers) };
    TarnLiquidDef def = tarn_liquid_default_def();
    def.dimensions = dims;
    def.spacing = dims == 3 ? 1.0f / 39.0f : 0.01265f;
    def.max_particles = dims == 3 ? 62000 : 21000;
    def.walls = is_unbounded ? TARN_LIQUID_UNBOUNDED : TARN_LIQUID_OPEN;
    def.box_min = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    def.box_max = dims == 3 ? (TarnVec3){ 3.0f, 2.0f, 1.0f } : (TarnVec3){ 4.0f, 4.0f, 0.0f };
    TarnSolidsDef solids_def = tarn_solids_default_def();
    TarnLiquidFill fill = tarn_liquid_fill_default();
    TarnVec3 top = dims == 3 ? (TarnVec3){ 1.0f, 1.0f, 1.0f } : (TarnVec3){ 1.6f, 2.0f, 0.0f };
    fill.shape = tarn_shape_box_between(def.box_min, top, &fill.pose.position);
    stop_unless(&b, tarn_solids_create(b.ctx, &solids_def, &b.solids));
    add_trough(&b, def.box_max);
    stop_unless(&b, tarn_liquid_create(b.ctx, &def, &b.liquid));
    stop_unless(&b, tarn_liquid_fill(b.liquid, &fill, &b.n));
    stop_unless(&b, tarn_liquid_set_solids(b.liquid, b.solids));
    if (is_unbounded) strew(&b, dims);
    return b;
}

// A strip of 5000 x 4 spacings in 2-D, of 1000 x 8 x 8 in 3-D, along a diagonal, at rest without gravity. If it
// is not long it is cut in pieces of 100 spacings that lie side by side, without touching.
static LiquidBench make_strip(int dims, bool is_long, int workers)
{
    LiquidBench b = { .ctx = bench_context(workers) };
    TarnLiquidDef def = tarn_liquid_default_def();
    def.dimensions = dims;
    def.spacing = 0.02f;
    def.max_particles = dims == 3 ? 66000 : 21000;
    def.walls = TARN_LIQUID_UNBOUNDED;
    stop_unless(&b, tarn_liquid_create(b.ctx, &def, &b.liquid));
    int length = dims == 3 ? 1000 : 5000, side = dims == 3 ? 8 : 4, layers = dims == 3 ? 8 : 1;
    int piece = is_long ? length : 100;
    const float step = 0.70710678f * def.spacing, apart = 2.0f * (float)side * def.spacing + 0.06f;
    for (b.n = 0; b.n < length * side * layers; ++b.n) {
        int i = b.n % length, j = b.n / length % side;
        float u = (float)(i % piece), v = (float)j;
        TarnVec3 at = { (u - v) * step + (float)(i / piece) * apart, (u + v) * step,
                        (float)(b.n / (length * side)) * def.spacing };
        stop_unless(&b, tarn_liquid_add(b.liquid, 1, &at, NULL, 0, 0, NULL));
    }
    TarnLiquidParams params = tarn_liquid_params(b.liquid);
    params.gravity.y = 0.0f;
    tarn_liquid_set_params(b.liquid, &params);
    return b;
}

typedef LiquidBench MakeFn(int dims, bool is_far, int workers);

// Both by turns, a few steps each, so that they see the same machine: the row is of the far one.
static void bench_unbounded(BenchRun* run, const char* name, MakeFn* make_pair, int dims)
{
    enum { FROM = 30, TURNS = 15, STEPS = 10 };
    if (!bench_wants(run, name)) return;
    const float dt = 1.0f / 60.0f;
    LiquidBench b[2] = { make_pair(dims, false, 1), make_pair(dims, true, 1) };
    double seconds[2] = { 0.0, 0.0 }, substeps[2] = { 0.0, 0.0 }, one;
    int turns = run->is_quick ? 2 : TURNS, count;
    for (int i = 0; i < 2; ++i) run_steps(&b[i], FROM, dt, &count);
    for (int t = 0; t < 2 * turns; ++t) {
        seconds[t % 2] += run_steps(&b[t % 2], STEPS, dt, &count) / (STEPS * turns);
        substeps[t % 2] += (double)count / (STEPS * turns);
    }
    Measured m = { seconds[1], 1.0, substeps[1] };
    add_row(run, name, 1, &b[1], m, &one);
    bench_note(run, "%.1f substeps, a box of the same content %.2f ms and %.1f, ratio %.2f",
               substeps[1], 1e3 * seconds[0], substeps[0], seconds[1] / seconds[0]);
    drop(&b[0]);
    drop(&b[1]);
}

void bench_liquid(BenchRun* run)
{
    const float fine = 0.008f; // 50,000 particles
    bench_frames(run, "liquid.constraint.2d.20000", TARN_LIQUID_CONSTRAINT, 2, 0.01265f, 60, 360);
    bench_frames(run, "liquid.constraint.2d.50000", TARN_LIQUID_CONSTRAINT, 2, fine, 60, 360);
    bench_frames(run, "liquid.constraint.3d.59319", TARN_LIQUID_CONSTRAINT, 3, 1.0f / 39.0f, 30,
                 180);
    bench_frames(run, "liquid.constraint.2d.200000", TARN_LIQUID_CONSTRAINT, 2, 0.004f, 30, 60);
    bench_rest(run, "liquid.constraint.2d.20000.rest", 2, 0.01265f, 20);
    bench_rest(run, "liquid.constraint.2d.50000.rest", 2, fine, 20);
    bench_rest(run, "liquid.constraint.3d.59319.rest", 3, 1.0f / 39.0f, 15);
    bench_unbounded(run, "liquid.unbounded.2d.20000", make_trough, 2);
    bench_unbounded(run, "liquid.unbounded.3d.59319", make_trough, 3);
    bench_unbounded(run, "liquid.unbounded.2d.strip", make_strip, 2);
    bench_unbounded(run, "liquid.unbounded.3d.strip", make_strip, 3);
    bench_peer(run);
    bench_sprinkle(run, "liquid.sprinkle.1", TARN_LIQUID_KERNEL_SQUARE, 4, false);
    bench_sprinkle(run, "liquid.sprinkle.2", TARN_LIQUID_KERNEL_SQUARE, 8, false);
    bench_sprinkle(run, "liquid.sprinkle.4", TARN_LIQUID_KERNEL_SQUARE, 16, false);
    bench_sprinkle(run, "liquid.sprinkle.square", TARN_LIQUID_KERNEL_SQUARE, 4, true);
    bench_sprinkle(run, "liquid.sprinkle.talk", TARN_LIQUID_KERNEL_TALK, 4, true);
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
