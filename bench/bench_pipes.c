// The pipe solver: rain on a wet mountain with erosion, water alone, snapshots.

#include "bench/bench.h"
#include <math.h>
#include <stdlib.h>

typedef struct PipesBench {
    TarnContext* ctx;
    TarnPipes* pipes;
} PipesBench;

// Slopes slip every eighth substep, so a measurement covers eight.
enum { STEPS = 8 };

static float* make_bed(int n)
{
    float* bed = malloc((size_t)n * (size_t)n * sizeof(float));
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i) {
            float x = 6.2831853f * (float)i / (float)n, z = 6.2831853f * (float)k / (float)n;
            float hills = sinf(2.0f * x) * cosf(3.0f * z) + 0.5f * sinf(7.0f * x + 5.0f * z) +
                          0.2f * cosf(31.0f * x - 17.0f * z);
            bed[i + n * k] = 100.0f * hills;
        }
    }
    return bed;
}

static void make_pipes(PipesBench* b, int workers, int n, bool use_erosion)
{
    b->ctx = bench_context(workers);
    TarnPipesDef def = tarn_pipes_default_def();
    float* bed = make_bed(n);
    def.nx = def.nz = n;
    def.use_erosion = use_erosion;
    def.bed = bed;
    def.has_level = true;
    def.level = -60.0f; // lakes
    TarnPipesParams params = tarn_pipes_default_params();
    params.rain = 3000.0f;
    params.evaporation = 10.0f;
    if (tarn_pipes_create(b->ctx, &def, &b->pipes) != TARN_OK ||
        tarn_pipes_set_params(b->pipes, &params) != TARN_OK) {
        fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b->ctx));
        exit(1);
    }
    free(bed);
    for (int s = 0; s < 40; ++s) tarn_pipes_step(b->pipes, 0.1f, NULL); // everything is wet
}

static void drop_pipes(PipesBench* b)
{
    tarn_pipes_destroy(b->pipes);
    tarn_context_destroy(b->ctx);
}

static void some_steps(void* data)
{
    PipesBench* b = data;
    for (int s = 0; s < STEPS; ++s) {
        TarnStepReport report;
        tarn_pipes_step(b->pipes, 0.1f, &report);
        if (report.substeps != 1) fprintf(stderr, "tarn: bench: %d substeps\n", report.substeps);
    }
}

static void bench_steps(BenchRun* run, const char* name, int n, bool use_erosion)
{
    if (!bench_wants(run, name)) return;
    double cells = (double)n * (double)n;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        PipesBench b = { 0 };
        make_pipes(&b, workers, n, use_erosion);
        int repeats = (int)(1e7 / cells) + (run->is_quick ? 3 : 12);
        double seconds = bench_best(repeats > 200 ? 200 : repeats, some_steps, &b) / STEPS;
        size_t bytes = tarn_pipes_memory(tarn_pipes_def(b.pipes));
        bench_rate(run, name, workers, seconds, cells, "cell", (double)bytes / cells, 0.0);
        drop_pipes(&b);
    }
}

static TarnResult save(const void* object, void* buffer, size_t capacity, size_t* size)
{
    return tarn_pipes_save(object, buffer, capacity, size);
}
static TarnResult load(void* object, const void* buffer, size_t size)
{
    return tarn_pipes_load(object, buffer, size);
}

static void bench_snapshots(BenchRun* run)
{
    if (!bench_wants_snapshot(run, "pipes")) return;
    PipesBench b = { 0 };
    make_pipes(&b, 1, 512, true);
    bench_snapshot(run, "pipes", 512.0 * 512.0, b.pipes, save, load);
    drop_pipes(&b);
}

static void bench_points(BenchRun* run)
{
    if (!bench_wants(run, "pipes.query.100k")) return;
    PipesBench b = { 0 };
    make_pipes(&b, 1, 512, false);
    bench_queries(run, "pipes.query.100k", tarn_pipes_surface(b.pipes),
                  512.0f * tarn_pipes_def(b.pipes)->dx);
    drop_pipes(&b);
}

void bench_pipes(BenchRun* run)
{
    bench_steps(run, "pipes.erosion.256", 256, true);
    bench_steps(run, "pipes.erosion.512", 512, true);
    bench_steps(run, "pipes.erosion.1024", 1024, true);
    bench_steps(run, "pipes.erosion.2048", 2048, true);
    bench_steps(run, "pipes.water.1024", 1024, false);
    bench_points(run);
    bench_snapshots(run);
}
