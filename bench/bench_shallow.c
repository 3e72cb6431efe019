// The shallow-water solver: wet terrain with every advection, calm lakes, a dry valley, queries.

#include "bench/bench.h"
#include <math.h>
#include <stdlib.h>

// 28 bytes per cell and substep must cross the memory bus: h, u, w and ground in, h, u, w out.
static const double bytes_per_cell_step = 28.0;

typedef struct ShallowBench {
    TarnContext* ctx;
    TarnShallow* water;
    TarnBodies* bodies;
} ShallowBench;

// Hills under water that moves everywhere.
static void make_shallow(ShallowBench* b, int workers, TarnShallowDef def, bool is_active)
{
    b->ctx = bench_context(workers);
    size_t cells = (size_t)def.nx * (size_t)def.nz;
    float *bed = malloc(cells * sizeof(float)), *depth = malloc(cells * sizeof(float));
    for (size_t c = 0; c < cells; ++c) {
        float i = (float)(c % (size_t)def.nx), k = (float)(c / (size_t)def.nx);
        float wave = is_active ? 0.3f * sinf(0.11f * i) * sinf(0.07f * k) : 0.0f;
        bed[c] = 0.6f * sinf(0.05f * i) * cosf(0.04f * k);
        depth[c] = 2.0f + wave - bed[c];
    }
    def.bed = bed;
    def.depth = depth;
    if (tarn_shallow_create(b->ctx, &def, &b->water) != TARN_OK) {
        fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b->ctx));
        exit(1);
    }
    free(bed);
    free(depth);
}

static void drop_shallow(ShallowBench* b)
{
    tarn_shallow_destroy(b->water);
    tarn_bodies_destroy(b->bodies);
    tarn_context_destroy(b->ctx);
}

static void one_step(void* data)
{
    ShallowBench* b = data;
    TarnStepReport report;
    tarn_shallow_step(b->water, 0.01f, &report);
    if (report.substeps != 1) fprintf(stderr, "tarn: bench: %d substeps\n", report.substeps);
}

static TarnShallowDef bench_def(int n)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = def.nz = n;
    def.dx = 0.5f; // one substep of 1e-2 s is stable
    return def;
}

static void bench_steps(BenchRun* run, const char* name, TarnShallowDef def, bool is_active)
{
    if (!bench_wants(run, name)) return;
    double cells = (double)def.nx * (double)def.nz;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        ShallowBench b = { 0 };
        make_shallow(&b, workers, def, is_active);
        for (int s = 0; !is_active && s < 64; ++s) one_step(&b); // to sleep
        int repeats = (int)(1e8 / cells) + (run->is_quick ? 3 : 20);
        double seconds = bench_best(repeats > 1000 ? 1000 : repeats, one_step, &b);
        bench_rate(run, name, workers, seconds, cells, "cell",
                   (double)tarn_shallow_memory(&def) / cells,
                   is_active ? bytes_per_cell_step : 0.0);
        drop_shallow(&b);
    }
}

static void one_tenth(void* data)
{
    ShallowBench* b = data;
    tarn_shallow_step(b->water, 0.1f, NULL);
}

static void one_long_step(void* data)
{
    ShallowBench* b = data;
    TarnStepReport report;
    tarn_shallow_step(b->water, 0.1f, &report);
    if (report.substeps != 1 || report.flags != 0)
        fprintf(stderr, "tarn: bench: %d substeps, flags %u\n", report.substeps, report.flags);
}

// 100 m of water over cells of 1 m with a swell of 1 m: implicit steps of 1/10 s, and for comparison the explicit
// solver, which needs six substeps for the same time.
static void bench_implicit(BenchRun* run, const char* name, int n, int gravity_step)
{
    if (!bench_wants(run, name)) return;
    double cells = (double)n * n;
    float* depth = malloc((size_t)n * (size_t)n * sizeof(float));
    for (int c = 0; c < n * n; ++c)
        depth[c] = 100.0f + sinf(0.11f * (float)(c % n)) * sinf(0.07f * (float)(c / n));
    TarnShallowDef def = bench_def(n);
    def.dx = 1.0f;
    def.max_depth = 128.0f;
    def.depth = depth;
    def.gravity_step = gravity_step;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        ShallowBench b = { .ctx = bench_context(workers) };
        if (tarn_shallow_create(b.ctx, &def, &b.water) != TARN_OK) exit(1);
        bool is_implicit = gravity_step == TARN_GRAVITY_IMPLICIT;
        double seconds =
            bench_best(run->is_quick ? 3 : 12, is_implicit ? one_long_step : one_tenth, &b);
        bench_rate(run, name, workers, seconds, cells, "cell",
                   (double)tarn_shallow_memory(&def) / cells, 0.0);
        drop_shallow(&b);
    }
    free(depth);
}

// Random points over 512 x 512 cells.
static void bench_points(BenchRun* run)
{
    if (!bench_wants(run, "shallow.query.100k")) return;
    ShallowBench b = { 0 };
    make_shallow(&b, 1, bench_def(512), true);
    one_step(&b);
    bench_queries(run, "shallow.query.100k", tarn_shallow_surface(b.water), 256.0f);
    drop_shallow(&b);
}

static TarnResult save(const void* object, void* buffer, size_t capacity, size_t* size)
{
    return tarn_shallow_save(object, buffer, capacity, size);
}
static TarnResult load(void* object, const void* buffer, size_t size)
{
    return tarn_shallow_load(object, buffer, size);
}

static void bench_snapshots(BenchRun* run)
{
    if (!bench_wants_snapshot(run, "shallow")) return;
    ShallowBench b = { 0 };
    make_shallow(&b, 1, bench_def(512), true);
    one_step(&b);
    bench_snapshot(run, "shallow", 512.0 * 512.0, b.water, save, load);
    drop_shallow(&b);
}

static void couple(void* data)
{
    ShallowBench* b = data;
    tarn_couple_shallow_bodies(b->water, b->bodies, 1.0f / 60.0f);
}

// 64 boxes of 2 m afloat on 512 x 512 cells of 0.5 m: the coupling alone.
static void bench_bodies(BenchRun* run)
{
    if (!bench_wants(run, "shallow.couple.64")) return;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        ShallowBench b = { 0 };
        TarnShallowDef def = bench_def(512);
        def.use_bodies = true;
        make_shallow(&b, workers, def, true);
        TarnBodiesDef bodies_def = tarn_bodies_default_def();
        if (tarn_bodies_create(b.ctx, &bodies_def, &b.bodies) != TARN_OK) exit(1);
        for (int n = 0; n < 64; ++n) {
            TarnBodyDef body = tarn_body_default_def();
            body.shape = tarn_shape_box(1.0f, 1.0f, 1.0f);
            body.state.position =
                (TarnVec3){ 16.0f + 32.0f * (float)(n % 8), 2.0f, 16.0f + 32.0f * (float)(n / 8) };
            TarnBodyId id;
            tarn_bodies_add(b.bodies, &body, &id);
        }
        bench_rate(run, "shallow.couple.64", workers, bench_best(100, couple, &b), 64.0, "body",
                   -1.0, 0.0);
        drop_shallow(&b);
    }
}

void bench_shallow(BenchRun* run)
{
    static const char* const names[] = { "none", "semi_lagrangian", "maccormack" };
    bench_steps(run, "shallow.step.256", bench_def(256), true);
    bench_steps(run, "shallow.step.1024", bench_def(1024), true);
    bench_steps(run, "shallow.step.4096", bench_def(4096), true);
    for (int a = 0; a < 3; ++a) {
        TarnShallowDef def = bench_def(512);
        def.advection = a;
        char name[48];
        snprintf(name, sizeof name, "shallow.%s.512", names[a]);
        bench_steps(run, name, def, true);
    }
    bench_steps(run, "shallow.calm.1024", bench_def(1024), false);
    bench_implicit(run, "shallow.implicit.512", 512, TARN_GRAVITY_IMPLICIT);
    bench_implicit(run, "shallow.implicit.1024", 1024, TARN_GRAVITY_IMPLICIT);
    bench_implicit(run, "shallow.explicit_deep.1024", 1024, TARN_GRAVITY_EXPLICIT);
    bench_points(run);
    bench_snapshots(run);
    bench_bodies(run);
}
