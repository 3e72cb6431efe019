// The pipe solver: rain on a wet mountain with erosion, water alone, snapshots.

#include "bench/bench.h"
#include <math.h>
#include <stdlib.h>

typedef struct PipesBench {
    TarnContext* ctx;
    TarnPipes* pipes;
    void* buffer;
    size_t size;
} PipesBench;

// Slopes slip every eighth substep, so eight are one measurement.
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

static void add_row(BenchRun* run, const char* name, int workers, double seconds, double cells,
                    double bytes)
{
    BenchRow row = { .workers = workers,
                     .ms = 1e3 * seconds,
                     .rate = cells / seconds,
                     .unit = "cell",
                     .bytes_per_element = bytes,
                     .bandwidth_gbs = -1.0,
                     .roofline = -1.0 };
    snprintf(row.name, sizeof row.name, "%s", name);
    bench_add(run, row);
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
        add_row(run, name, workers, seconds, cells, (double)bytes / cells);
        drop_pipes(&b);
    }
}

static void save_state(void* data)
{
    PipesBench* b = data;
    tarn_pipes_save(b->pipes, b->buffer, b->size, &b->size);
}
static void load_state(void* data)
{
    PipesBench* b = data;
    if (tarn_pipes_load(b->pipes, b->buffer, b->size) != TARN_OK)
        fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b->ctx));
}

static void bench_snapshots(BenchRun* run)
{
    if (!bench_wants(run, "pipes.save.512") && !bench_wants(run, "pipes.load.512")) return;
    PipesBench b = { 0 };
    make_pipes(&b, 1, 512, true);
    tarn_pipes_save(b.pipes, NULL, 0, &b.size);
    b.buffer = malloc(b.size);
    double cells = 512.0 * 512.0, each = (double)b.size / cells;
    add_row(run, "pipes.save.512", 1, bench_best(20, save_state, &b), cells, each);
    add_row(run, "pipes.load.512", 1, bench_best(20, load_state, &b), cells, each);
    free(b.buffer);
    drop_pipes(&b);
}

void bench_pipes(BenchRun* run)
{
    bench_steps(run, "pipes.erosion.256", 256, true);
    bench_steps(run, "pipes.erosion.512", 512, true);
    bench_steps(run, "pipes.erosion.1024", 1024, true);
    bench_steps(run, "pipes.erosion.2048", 2048, true);
    bench_steps(run, "pipes.water.1024", 1024, false);
    bench_snapshots(run);
}
