// The machine's memory bandwidth, measured with the three kinds of loops that solvers use. The best of them is
// the bound that rooflines refer to.

#include "bench/bench.h"
#include "base/base.h"
#include <stdio.h>

enum { MEMORY_FLOATS = 32 << 20, MEMORY_BLOCKS = 256 }; // 128 MB per array, beyond every cache

typedef struct Streams {
    TarnContext* ctx;
    float *a, *b, *c;
    TarnBlockFn* kernel;
} Streams;

static void range(int block, size_t* from, size_t* to)
{
    *from = (size_t)block * (MEMORY_FLOATS / MEMORY_BLOCKS);
    *to = *from + MEMORY_FLOATS / MEMORY_BLOCKS;
}

static void copy_block(int block, void* data)
{
    Streams* s = data;
    size_t from, to;
    range(block, &from, &to);
    memcpy(s->a + from, s->b + from, (to - from) * sizeof(float));
}
static void triad_block(int block, void* data)
{
    Streams* s = data;
    size_t from, to;
    range(block, &from, &to);
    for (size_t n = from; n < to; n += TARN_LANES) {
        f8_store(s->a + n, f8_load(s->b + n) + 0.5f * f8_load(s->c + n));
    }
}
static void scale_block(int block, void* data)
{
    Streams* s = data;
    size_t from, to;
    range(block, &from, &to);
    for (size_t n = from; n < to; n += TARN_LANES) f8_store(s->a + n, 0.999f * f8_load(s->a + n));
}

static void sweep_all(void* data)
{
    Streams* s = data;
    tarn__parallel_for(s->ctx, MEMORY_BLOCKS, s->kernel, s);
}

static const struct {
    const char* name;
    TarnBlockFn* kernel;
    int streams;
} loops[] = {
    { "memory.copy", copy_block, 2 },
    { "memory.triad", triad_block, 3 },
    { "memory.scale", scale_block, 2 },
};

// Bytes as the program counts them: each stream once.
double bench_bandwidth(BenchRun* run, int workers)
{
    if (run->bandwidth[workers] > 0.0) return run->bandwidth[workers];
    Streams s = { .ctx = bench_context(workers) };
    size_t size = MEMORY_FLOATS * sizeof(float);
    float** arrays[3] = { &s.a, &s.b, &s.c };
    for (int n = 0; n < 3; ++n) {
        *arrays[n] = tarn__alloc(s.ctx, size);
        if (*arrays[n] == NULL)
            fprintf(stderr, "tarn: bench: not enough memory for the bandwidth test\n");
    }
    double best = 0.0;
    for (int l = 0; l < 3 && s.a && s.b && s.c; ++l) {
        s.kernel = loops[l].kernel;
        double seconds = bench_best(run->is_quick ? 5 : 15, sweep_all, &s);
        double bytes = (double)size * loops[l].streams;
        if (bytes / seconds > best) best = bytes / seconds;
        BenchRow row = { .workers = workers,
                         .ms = 1e3 * seconds,
                         .rate = bytes / seconds,
                         .unit = "byte",
                         .bytes_per_element = -1.0,
                         .roofline = -1.0,
                         .bandwidth_gbs = 1e-9 * bytes / seconds };
        snprintf(row.name, sizeof row.name, "%s", loops[l].name);
        bench_add(run, row);
    }
    for (int n = 0; n < 3; ++n) tarn__free(s.ctx, *arrays[n], size);
    tarn_context_destroy(s.ctx);
    run->bandwidth[workers] = 1e-9 * best;
    return run->bandwidth[workers];
}

void bench_memory(BenchRun* run)
{
    if (!bench_wants(run, "memory")) return;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) bench_bandwidth(run, workers);
}
