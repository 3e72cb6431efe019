// The wave solver: active and calm water, queries, snapshots, bodies.

#include "bench/bench.h"
#include <math.h>
#include <stdlib.h>

// 12 bytes per cell and step must cross the memory bus: u and prev in, prev out.
static const double bytes_per_cell_step = 12.0;

typedef struct WaveBench {
    TarnContext* ctx;
    TarnWave* wave;
    int substeps; // per step
    TarnBodies* bodies;
} WaveBench;

static void make_wave(WaveBench* b, int workers, TarnWaveDef def, bool is_active)
{
    b->ctx = bench_context(workers);
    size_t cells = (size_t)def.nx * (size_t)def.nz;
    float* height = NULL;
    if (is_active) {
        height = malloc(cells * sizeof(float));
        for (size_t c = 0; c < cells; ++c)
            height[c] = 0.05f * sinf(0.05f * (float)(c % (size_t)def.nx)) *
                        cosf(0.03f * (float)(c / (size_t)def.nx));
        def.height = height;
    }
    if (tarn_wave_create(b->ctx, &def, &b->wave) != TARN_OK) {
        fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b->ctx));
        exit(1);
    }
    free(height);
    TarnWaveParams params = tarn_wave_default_params();
    params.damping = 0.0f; // stay awake
    tarn_wave_set_params(b->wave, &params);
}

static void drop_wave(WaveBench* b)
{
    tarn_wave_destroy(b->wave);
    tarn_bodies_destroy(b->bodies);
    tarn_context_destroy(b->ctx);
}

static void one_step(void* data)
{
    WaveBench* b = data;
    TarnStepReport report;
    tarn_wave_step(b->wave, 1e-2f * (float)b->substeps, &report);
    if (report.substeps != b->substeps)
        fprintf(stderr, "tarn: bench: %d substeps\n", report.substeps);
}

static TarnWaveDef bench_def(int n)
{
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = def.nz = n;
    def.speed = 3.0f;
    def.dx = 0.05f; // one substep of 1e-2 s is stable
    return def;
}

static void bench_steps(BenchRun* run, const char* name, TarnWaveDef def, bool is_active,
                        int substeps)
{
    if (!bench_wants(run, name)) return;
    double cells = (double)def.nx * (double)def.nz;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        WaveBench b = { .substeps = substeps };
        make_wave(&b, workers, def, is_active);
        int repeats = (int)(6e8 / cells) + (run->is_quick ? 5 : 30);
        double seconds = bench_best(repeats > 2000 ? 2000 : repeats, one_step, &b);
        bench_rate(run, name, workers, seconds, cells * substeps, "cell",
                   (double)tarn_wave_memory(&def) / cells, is_active ? bytes_per_cell_step : 0.0);
        drop_wave(&b);
    }
}

// Random points over 512 x 512 cells.
static void bench_points(BenchRun* run)
{
    if (!bench_wants(run, "wave.query.100k")) return;
    WaveBench b = { .substeps = 1 };
    make_wave(&b, 1, bench_def(512), true);
    one_step(&b);
    bench_queries(run, "wave.query.100k", tarn_wave_surface(b.wave), 25.6f);
    drop_wave(&b);
}

static TarnResult save(const void* object, void* buffer, size_t capacity, size_t* size)
{
    return tarn_wave_save(object, buffer, capacity, size);
}
static TarnResult load(void* object, const void* buffer, size_t size)
{
    return tarn_wave_load(object, buffer, size);
}

static void bench_snapshots(BenchRun* run)
{
    if (!bench_wants_snapshot(run, "wave")) return;
    WaveBench b = { .substeps = 1 };
    make_wave(&b, 1, bench_def(512), true);
    one_step(&b);
    bench_snapshot(run, "wave", 512.0 * 512.0, b.wave, save, load);
    drop_wave(&b);
}

static void couple(void* data)
{
    WaveBench* b = data;
    tarn_couple_wave_bodies(b->wave, b->bodies, 1.0f / 60.0f);
}

// The same with the generic coupling for any surface.
static void couple_any(void* data)
{
    WaveBench* b = data;
    TarnSurface surface = tarn_wave_surface(b->wave);
    tarn_couple_surface_bodies(&surface, NULL, b->bodies, 1.0f / 60.0f);
}

// 64 boxes of 0.5 m afloat in a 512 x 512 pool: the coupling alone.
static void bench_bodies(BenchRun* run, const char* name, bool is_any)
{
    if (!bench_wants(run, name)) return;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        WaveBench b = { .substeps = 1 };
        TarnWaveDef def = bench_def(512);
        def.use_bodies = !is_any;
        make_wave(&b, workers, def, true);
        TarnBodiesDef bodies_def = tarn_bodies_default_def();
        if (tarn_bodies_create(b.ctx, &bodies_def, &b.bodies) != TARN_OK) exit(1);
        for (int n = 0; n < 64; ++n) {
            TarnBodyDef body = tarn_body_default_def();
            body.shape = tarn_shape_box(0.25f, 0.25f, 0.25f);
            body.state.position =
                (TarnVec3){ 1.6f + 3.2f * (float)(n % 8), 0.0f, 1.6f + 3.2f * (float)(n / 8) };
            if (is_any) body.state.velocity = (TarnVec3){ 1.0f, 0.0f, 0.0f }; // all of them push
            TarnBodyId id;
            tarn_bodies_add(b.bodies, &body, &id);
        }
        double best = bench_best(100, is_any ? couple_any : couple, &b);
        bench_rate(run, name, workers, best, 64.0, "body", -1.0, 0.0);
        drop_wave(&b);
    }
}

void bench_wave(BenchRun* run)
{
    static const struct {
        const char* name;
        int n;
        TarnLaplacian laplacian;
        bool is_active;
        int substeps; // per step; two share one pass over a large grid
    } pools[] = {
        { "wave.five.4096", 4096, TARN_LAPLACIAN_FIVE, true, 1 },
        { "wave.nine.4096", 4096, TARN_LAPLACIAN_NINE, true, 1 },
        { "wave.five.4096.pair", 4096, TARN_LAPLACIAN_FIVE, true, 2 },
        { "wave.nine.4096.pair", 4096, TARN_LAPLACIAN_NINE, true, 2 },
        { "wave.five.512", 512, TARN_LAPLACIAN_FIVE, true, 1 },
        { "wave.nine.512", 512, TARN_LAPLACIAN_NINE, true, 1 },
        { "wave.nine.256", 256, TARN_LAPLACIAN_NINE, true, 1 },
        { "wave.calm.4096", 4096, TARN_LAPLACIAN_NINE, false, 1 },
    };
    for (size_t p = 0; p < sizeof pools / sizeof pools[0]; ++p) {
        TarnWaveDef def = bench_def(pools[p].n);
        def.laplacian = pools[p].laplacian;
        bench_steps(run, pools[p].name, def, pools[p].is_active, pools[p].substeps);
    }
    TarnWaveDef open = bench_def(1024);
    open.edge_x0 = open.edge_x1 = open.edge_z0 = open.edge_z1 = TARN_EDGE_ABSORBING;
    bench_steps(run, "wave.open.1024", open, true, 1);
    bench_points(run);
    bench_snapshots(run);
    bench_bodies(run, "wave.couple.64", false);
    bench_bodies(run, "wave.couple_any.64", true);
}
