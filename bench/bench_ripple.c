// Dispersive waves: steps, queries, snapshots.

#include "bench/bench.h"
#include <stdlib.h>

typedef struct RippleBench {
    TarnContext* ctx;
    TarnRipple* ripple;
} RippleBench;

static void make(RippleBench* b, int workers, const TarnRippleDef* def)
{
    b->ctx = bench_context(workers);
    if (tarn_ripple_create(b->ctx, def, &b->ripple) != TARN_OK) {
        fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b->ctx));
        exit(1);
    }
    for (int i = 0; i < 40; ++i)
        tarn_ripple_add_drop(
            b->ripple, (TarnVec2){ 20.0f + (float)(i % 7) * 9.0f, 10.0f + (float)i }, 2.0f, 0.2f);
}

static void drop(RippleBench* b)
{
    tarn_ripple_destroy(b->ripple);
    tarn_context_destroy(b->ctx);
}

static void one_step(void* data)
{
    tarn_ripple_step(((RippleBench*)data)->ripple, 1.0f / 60.0f, NULL);
}

static void bench_steps(BenchRun* run, const char* name, int n, bool has_land)
{
    if (!bench_wants(run, name)) return;
    TarnRippleDef def = tarn_ripple_default_def();
    double cells = (double)n * n;
    uint8_t* land = has_land ? calloc((size_t)cells, 1) : NULL;
    for (int i = 0; land && i < n; ++i) land[i * n + n / 2] = 1;
    def.n = n, def.land = land;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        RippleBench b = { 0 };
        make(&b, workers, &def);
        double seconds = bench_best(run->is_quick ? 20 : 200, one_step, &b);
        bench_rate(run, name, workers, seconds, cells, "cell",
                   (double)tarn_ripple_memory(&def) / cells, 0.0);
        drop(&b);
    }
    free(land);
}

static TarnResult save(const void* object, void* buffer, size_t capacity, size_t* size)
{
    return tarn_ripple_save(object, buffer, capacity, size);
}
static TarnResult load(void* object, const void* buffer, size_t size)
{
    return tarn_ripple_load(object, buffer, size);
}

void bench_ripple(BenchRun* run)
{
    bench_steps(run, "ripple.step.256", 256, false);
    bench_steps(run, "ripple.step.512", 512, false);
    bench_steps(run, "ripple.step.1024", 1024, false);
    bench_steps(run, "ripple.land.512", 512, true);
    TarnRippleDef def = tarn_ripple_default_def();
    def.n = 512;
    if (bench_wants(run, "ripple.query.100000")) {
        RippleBench b = { 0 };
        make(&b, 1, &def);
        bench_queries(run, "ripple.query.100000", tarn_ripple_surface(b.ripple), 128.0f);
        drop(&b);
    }
    if (bench_wants_snapshot(run, "ripple")) {
        RippleBench b = { 0 };
        make(&b, 1, &def);
        bench_snapshot(run, "ripple", 512.0 * 512.0, b.ripple, save, load);
        drop(&b);
    }
}
