// Gases: whole steps of a plume, particles through a grid, queries.
//
//     gas.plume.64, .128  the setup that other codes were measured with: a closed unit cube from rest, dt 1/60; a
//                         box at the bottom sets density and temperature to 1 in every step, 5 T upwards,
//                         MacCormack for all, divergence to 5e-3. Goal: 20 and 200 ms on one worker
//                         (mantaflow: 206 and 2795 ms, Jet: 684 and 6194 ms)
//     gas.plume.64.reflection  the same with the reflected step
//     gas.particles.500k  128 x 32 x 128 cells and 500,000 particles in their flow. [Cruz2010] reports 19 frames
//                         per second on a GPU, with drawing
//     gas.flow.100k       queries of the Flow at random places

#include "bench/bench.h"
#include <stdlib.h>

typedef struct GasBench {
    TarnContext* ctx;
    TarnGas* gas;
    TarnParticles* particles;
    float *x, *y, *z;
    TarnVec3* velocity;
    float* presence;
} GasBench;

enum { POINTS = 100000, DRIFTING = 500000, WARM_UP = 30 };

static void must(const GasBench* b, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b->ctx));
    exit(1);
}

static void one_step(void* data)
{
    GasBench* b = data;
    must(b, tarn_gas_step(b->gas, 1.0f / 60.0f, NULL));
    if (b->particles) must(b, tarn_particles_step(b->particles, 1.0f / 60.0f, NULL));
}

// A plume in a closed box of nx x ny x nz cells, 1 m along x.
static GasBench make_plume(int workers, int nx, int ny, int nz, int step)
{
    GasBench b = { .ctx = bench_context(workers) };
    TarnGasDef def = tarn_gas_default_def();
    def.nx = nx, def.ny = ny, def.nz = nz;
    def.dx = 1.0f / (float)nx;
    def.center = (TarnVec3){ 0.5f, 0.5f * (float)ny / (float)nx, 0.5f * (float)nz / (float)nx };
    for (int e = 0; e < 6; ++e) (&def.edge_x0)[e] = TARN_GAS_CLOSED;
    def.obstacles = TARN_GAS_NO_OBSTACLES;
    def.step = step;
    must(&b, tarn_gas_create(b.ctx, &def, &b.gas));
    TarnGasParams params = tarn_gas_default_params();
    params.gravity = (TarnVec3){ 0.0f, -5.0f, 0.0f };
    params.ambient_temperature = 1.0f;
    params.vorticity = params.cooling = params.fire_cooling = 0.0f;
    params.keeps_density = false;
    params.tolerance = 5e-3f;
    must(&b, tarn_gas_set_params(b.gas, &params));
    TarnGasSourceDef source = tarn_gas_source_default_def();
    source.shape.kind = TARN_SHAPE_BOX;
    source.shape.size = (TarnVec3){ 0.1f, 0.05f, 0.1f };
    source.motion.position = (TarnVec3){ 0.5f, 0.1f, def.center.z };
    source.softness = 0.0f;
    source.temperature = 1.0f;
    must(&b, tarn_gas_add_source(b.gas, &source, NULL));
    return b;
}

static void drop(GasBench* b)
{
    tarn_particles_destroy(b->particles);
    tarn_gas_destroy(b->gas);
    tarn_context_destroy(b->ctx);
    free(b->x);
    free(b->velocity);
}

static void bench_plume(BenchRun* run, const char* name, int n, int step)
{
    if (!bench_wants(run, name)) return;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        GasBench b = make_plume(workers, n, n, n, step);
        for (int s = 0; s < WARM_UP; ++s) one_step(&b);
        double cells = (double)n * n * n,
               held = (double)tarn_gas_memory(tarn_gas_def(b.gas)) / cells;
        double seconds = bench_best(run->is_quick ? 5 : 30, one_step, &b);
        bench_rate(run, name, workers, seconds, cells, "cell", held, 0.0);
        TarnGasStats stats = tarn_gas_stats(b.gas);
        BenchRow* row = &run->rows[run->n_rows - 1];
        snprintf(row->note, sizeof row->note, "%d cycles, divergence to %.1e of before",
                 stats.cycles, stats.divergence / stats.divergence_before);
        drop(&b);
    }
}

static void add_particles(GasBench* b)
{
    TarnParticlesDef def = tarn_particles_default_def();
    def.max_particles = DRIFTING;
    must(b, tarn_particles_create(b->ctx, &def, &b->particles));
    TarnParticlesParams params = tarn_particles_default_params();
    params.flow_drag = 20.0f;
    params.flow_gravity = 0.0f;
    must(b, tarn_particles_set_params(b->particles, &params));
    must(b, tarn_particles_set_flow(b->particles, tarn_gas_flow(b->gas)));
    TarnParticleEmitterDef emitter = tarn_particle_emitter_default_def();
    emitter.shape.kind = TARN_SHAPE_BOX;
    emitter.shape.size = (TarnVec3){ 0.4f, 0.1f, 0.4f };
    emitter.motion.position = (TarnVec3){ 0.5f, 0.125f, 0.5f };
    emitter.rate = (float)DRIFTING * 6.0f; // all within ten steps
    emitter.lifetime = 1e3f;
    emitter.speed = 0.0f;
    must(b, tarn_particles_add_emitter(b->particles, &emitter, NULL));
}

static void bench_drift(BenchRun* run)
{
    const char* name = "gas.particles.500k";
    if (!bench_wants(run, name)) return;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        GasBench b = make_plume(workers, 128, 32, 128, TARN_GAS_SPLIT);
        add_particles(&b);
        for (int s = 0; s < WARM_UP; ++s) one_step(&b);
        double seconds = bench_best(run->is_quick ? 5 : 30, one_step, &b);
        int n = tarn_particles_view(b.particles).n;
        bench_rate(run, name, workers, seconds, n, "particle", 0.0, 0.0);
        BenchRow* row = &run->rows[run->n_rows - 1];
        snprintf(row->note, sizeof row->note, "%d particles and the grid: %.0f frames per second",
                 n, 1.0 / seconds);
        drop(&b);
    }
}

static void query(void* data)
{
    GasBench* b = data;
    TarnFlowSamples out = { .velocity = b->velocity, .presence = b->presence };
    must(b, tarn_flow_query(tarn_gas_flow(b->gas), POINTS, b->x, b->y, b->z, &out));
}

static void bench_queries_of_flow(BenchRun* run)
{
    const char* name = "gas.flow.100k";
    if (!bench_wants(run, name)) return;
    GasBench b = make_plume(1, 64, 64, 64, TARN_GAS_SPLIT);
    for (int s = 0; s < WARM_UP; ++s) one_step(&b);
    b.x = malloc(4 * POINTS * sizeof(float));
    b.y = b.x + POINTS, b.z = b.y + POINTS, b.presence = b.z + POINTS;
    b.velocity = malloc(POINTS * sizeof *b.velocity);
    uint32_t seed = 1;
    for (int p = 0; p < 3 * POINTS; ++p) {
        seed = seed * 1664525u + 1013904223u;
        b.x[p] = (float)(seed >> 8) * 0x1p-24f;
    }
    bench_rate(run, name, 1, bench_best(run->is_quick ? 10 : 50, query, &b), POINTS, "query", 0.0,
               0.0);
    drop(&b);
}

void bench_gas(BenchRun* run)
{
    bench_plume(run, "gas.plume.64", 64, TARN_GAS_SPLIT);
    bench_plume(run, "gas.plume.64.reflection", 64, TARN_GAS_REFLECTION);
    bench_plume(run, "gas.plume.128", 128, TARN_GAS_SPLIT);
    bench_drift(run);
    bench_queries_of_flow(run);
}
