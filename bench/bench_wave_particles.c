// Wave particles: steps with many of them, the shedding of bodies, queries.

#include "bench/bench.h"
#include <math.h>
#include <stdlib.h>

typedef struct WavesBench {
    TarnContext* ctx;
    TarnWaveParticles* waves;
    TarnBodies* bodies;
} WavesBench;

// As many particles as asked for, on curved fronts all over a pond with walls: some split and some are reflected in each
// step, and what splits beyond the limit is merged.
static void make(WavesBench* b, int workers, const TarnWaveParticlesDef* def, int n)
{
    b->ctx = bench_context(workers);
    if (tarn_wave_particles_create(b->ctx, def, &b->waves) != TARN_OK) {
        fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b->ctx));
        exit(1);
    }
    TarnWaveParticlesParams params = tarn_wave_particles_default_params();
    params.damping = 0.0f, params.restitution = 1.0f;
    tarn_wave_particles_set_params(b->waves, &params);
    float side = (float)def->nx * def->dx;
    for (int i = 0; i < n; ++i) {
        float angle = 2.399963f * (float)i, way = side * sqrtf((float)(i % 997) / 997.0f);
        TarnWaveParticle p = { .position = { fmodf(way * 1.37f + 0.01f * (float)i, side),
                                             fmodf(way * 2.11f + 0.017f * (float)i, side) },
                               .direction = { cosf(angle), sinf(angle) },
                               .amplitude = i % 2 ? 0.01f : -0.01f,
                               .angle = 0.002f,
                               .distance = 10.0f,
                               .radius = i % def->radii };
        tarn_wave_particles_add(b->waves, &p, 1);
    }
}

static void drop(WavesBench* b)
{
    tarn_wave_particles_destroy(b->waves);
    tarn_bodies_destroy(b->bodies);
    tarn_context_destroy(b->ctx);
}

static void one_step(void* data)
{
    tarn_wave_particles_step(((WavesBench*)data)->waves, 1.0f / 60.0f, NULL);
}

static void one_shed(void* data)
{
    WavesBench* b = data;
    tarn_couple_wave_particles_bodies(b->waves, NULL, b->bodies, 0.2f);
    tarn_wave_particles_reset(b->waves);
}

static void bench_steps(BenchRun* run, const char* name, int particles, int radii)
{
    if (!bench_wants(run, name)) return;
    TarnWaveParticlesDef def = tarn_wave_particles_default_def();
    def.nx = def.nz = 512, def.radii = radii, def.max_particles = particles + particles / 4;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        WavesBench b = { 0 };
        make(&b, workers, &def, particles);
        double seconds = bench_best(run->is_quick ? 20 : 100, one_step, &b);
        bench_rate(run, name, workers, seconds, particles, "particle",
                   (double)tarn_wave_particles_memory(&def) / (512.0 * 512.0), 0.0);
        bench_note(run, "512 x 512 cells, %d radii, %d particles left; bytes per cell", radii,
                   tarn_wave_particles_count(b.waves));
        drop(&b);
    }
}

static void bench_shed(BenchRun* run)
{
    const char* name = "wave_particles.shed.300";
    if (!bench_wants(run, name)) return;
    TarnWaveParticlesDef def = tarn_wave_particles_default_def();
    WavesBench b = { 0 };
    make(&b, 1, &def, 0);
    TarnBodiesDef bodies = tarn_bodies_default_def();
    bodies.max_bodies = 300;
    tarn_bodies_create(b.ctx, &bodies, &b.bodies);
    for (int i = 0; i < 300; ++i) {
        TarnBodyDef body = tarn_body_default_def();
        body.shape = i % 2 ? tarn_shape_sphere(0.15f) : tarn_shape_box(0.2f, 0.1f, 0.15f);
        body.state.position =
            (TarnVec3){ 0.5f + 0.7f * (float)(i % 17), 0, 0.5f + 0.65f * (float)(i / 17) };
        body.state.velocity = (TarnVec3){ 0.3f, 0, 0.2f };
        tarn_bodies_add(b.bodies, &body, NULL);
    }
    double seconds = bench_best(run->is_quick ? 20 : 100, one_shed, &b);
    bench_rate(run, name, 1, seconds, 300.0, "body", 0.0, 0.0);
    drop(&b);
}

void bench_wave_particles(BenchRun* run)
{
    bench_steps(run, "wave_particles.step.50000", 50000, 1);
    bench_steps(run, "wave_particles.radii.50000", 50000, 3);
    bench_shed(run);
    if (bench_wants(run, "wave_particles.query.100000")) {
        TarnWaveParticlesDef def = tarn_wave_particles_default_def();
        WavesBench b = { 0 };
        def.nx = def.nz = 512;
        make(&b, 1, &def, 10000);
        one_step(&b);
        bench_queries(run, "wave_particles.query.100000", tarn_wave_particles_surface(b.waves),
                      25.6f);
        drop(&b);
    }
}
