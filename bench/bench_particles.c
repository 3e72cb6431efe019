// Particle systems: ballistic, with drag and wind, in a flow, bouncing on solids; a fountain with births
// and deaths; snapshots.

#include "bench/bench.h"
#include "tarn/particles.h"
#include <math.h>
#include <stdlib.h>

typedef struct ParticleBench {
    TarnContext* ctx;
    TarnParticles* set;
    TarnSolids* solids;
    float dt;
} ParticleBench;

static void stop(const ParticleBench* b)
{
    fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b->ctx));
    exit(1);
}

static float spread_out(int i, int axis) // in [0, 1), a lattice that is even in all directions
{
    const double steps[] = { 0.8191725133961645, 0.6710436067037893, 0.5497004779019703 };
    double at = (double)i * steps[axis];
    return (float)(at - floor(at));
}

// A cloud of n particles over 100 m, at rest.
static void make_cloud(ParticleBench* b, int workers, int n, float drag)
{
    b->ctx = bench_context(workers);
    b->dt = 1.0f / 60.0f;
    TarnParticlesDef def = tarn_particles_default_def();
    def.max_particles = n;
    TarnParticlesParams params = tarn_particles_default_params();
    params.drag = drag;
    params.wind = (TarnVec3){ drag > 0.0f ? 2.0f : 0.0f, 0.0f, 0.0f };
    params.gravity.y = drag > 0.0f ? -9.81f : -0.01f; // they must survive the measurement
    if (tarn_particles_create(b->ctx, &def, &b->set) != TARN_OK ||
        tarn_particles_set_params(b->set, &params) != TARN_OK)
        stop(b);
    for (int i = 0; i < n; ++i) {
        TarnVec3 x = { 100.0f * spread_out(i, 0), 100.0f * spread_out(i, 1),
                       100.0f * spread_out(i, 2) };
        if (tarn_particles_add(b->set, 1, &x, NULL, NULL, 0.01f, 0) != 1) stop(b);
    }
}

static void drop(ParticleBench* b)
{
    tarn_particles_destroy(b->set);
    tarn_solids_destroy(b->solids);
    tarn_context_destroy(b->ctx);
}

static void one_step(void* data)
{
    ParticleBench* b = data;
    if (b->solids) tarn_solids_advance(b->solids, b->dt);
    if (tarn_particles_step(b->set, b->dt, NULL) != TARN_OK) stop(b);
}

static double bytes_held(int n)
{
    TarnParticlesDef def = tarn_particles_default_def();
    def.max_particles = n;
    return (double)tarn_particles_memory(&def) / n;
}

// Traffic: position, velocity and age are read and written, the lifetime is read.
enum { TRAFFIC = 4 * (7 + 7 + 1), TRAFFIC_BALLISTIC = 4 * (5 + 7 + 1) };

static void bench_cloud(BenchRun* run, const char* name, int n, float drag)
{
    if (!bench_wants(run, name)) return;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        ParticleBench b = { 0 };
        make_cloud(&b, workers, n, drag);
        double seconds = bench_best(run->is_quick ? 20 : 100, one_step, &b);
        bench_rate(run, name, workers, seconds, n, "particle", bytes_held(n),
                   drag > 0.0f ? TRAFFIC : TRAFFIC_BALLISTIC);
        drop(&b);
    }
}

// A quarter of a million particles are born and die per second; a million are alive.
static void bench_fountain(BenchRun* run, const char* name)
{
    if (!bench_wants(run, name)) return;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        ParticleBench b = { .ctx = bench_context(workers), .dt = 1.0f / 60.0f };
        TarnParticlesDef def = tarn_particles_default_def();
        def.max_particles = 1100000;
        TarnParticleEmitterDef emitter = tarn_particle_emitter_default_def();
        emitter.shape.kind = TARN_SHAPE_DISC;
        emitter.is_flared = true;
        emitter.rate = 250000.0f, emitter.lifetime = 4.0f, emitter.speed = 25.0f;
        if (tarn_particles_create(b.ctx, &def, &b.set) != TARN_OK ||
            tarn_particles_add_emitter(b.set, &emitter, NULL) != TARN_OK)
            stop(&b);
        for (int s = 0; s < 280; ++s) one_step(&b); // as many die as are born
        double seconds = bench_best(run->is_quick ? 20 : 100, one_step, &b);
        bench_rate(run, name, workers, seconds, tarn_particles_view(b.set).n, "particle",
                   bytes_held(def.max_particles), 0.0);
        drop(&b);
    }
}

static void whirl(const void* self, int n, const float* x, const float* y, const float* z,
                  const TarnFlowSamples* out)
{
    (void)self, (void)y;
    for (int i = 0; i < n; ++i) {
        out->velocity[i] = (TarnVec3){ 0.1f * (z[i] - 50.0f), 0.0f, 0.1f * (50.0f - x[i]) };
        out->presence[i] = 1.0f;
    }
}

static void bench_flow(BenchRun* run, const char* name, int n)
{
    if (!bench_wants(run, name)) return;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        ParticleBench b = { 0 };
        make_cloud(&b, workers, n, 1.0f);
        tarn_particles_set_flow(b.set, (TarnFlow){ NULL, whirl });
        double seconds = bench_best(run->is_quick ? 20 : 100, one_step, &b);
        bench_rate(run, name, workers, seconds, n, "particle", bytes_held(n), 0.0);
        drop(&b);
    }
}

// A floor and three spheres among 100,000 particles. All of them have come down after a while, so this
// is measured over the fall, hits and the first rest: the mean of 300 steps, best of some runs.
static void add_solids(ParticleBench* b)
{
    TarnSolidsDef def = tarn_solids_default_def();
    if (tarn_solids_create(b->ctx, &def, &b->solids) != TARN_OK) stop(b);
    for (int s = 0; s < 4; ++s) {
        TarnSolidDef solid = tarn_solid_default_def();
        TarnSolidId id;
        solid.shape = s == 0 ? tarn_shape_box(100.0f, 1.0f, 100.0f) : tarn_shape_sphere(10.0f);
        solid.motion.position = s == 0 ? (TarnVec3){ 50.0f, -1.0f, 50.0f }
                                       : (TarnVec3){ 25.0f * (float)s, 10.0f, 25.0f * (float)s };
        solid.restitution = 0.5f;
        if (tarn_solids_add(b->solids, &solid, &id) != TARN_OK) stop(b);
    }
    tarn_particles_set_solids(b->set, b->solids);
}

static void bench_bounce(BenchRun* run, const char* name, int n)
{
    if (!bench_wants(run, name)) return;
    enum { STEPS = 300 };
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        double best = 1e30;
        for (int r = 0; r < (run->is_quick ? 1 : 3); ++r) {
            ParticleBench b = { 0 };
            make_cloud(&b, workers, n, 0.1f);
            add_solids(&b);
            double begin = bench_seconds();
            for (int s = 0; s < STEPS; ++s) one_step(&b);
            double seconds = (bench_seconds() - begin) / STEPS;
            best = seconds < best ? seconds : best;
            drop(&b);
        }
        bench_rate(run, name, workers, best, n, "particle", bytes_held(n), 0.0);
    }
}

static TarnResult save(const void* object, void* buffer, size_t capacity, size_t* size)
{
    return tarn_particles_save(object, buffer, capacity, size);
}
static TarnResult load(void* object, const void* buffer, size_t size)
{
    return tarn_particles_load(object, buffer, size);
}

static void bench_snapshots(BenchRun* run)
{
    if (!bench_wants_snapshot(run, "particles")) return;
    ParticleBench b = { 0 };
    make_cloud(&b, 1, 512 * 512, 0.0f);
    bench_snapshot(run, "particles", 512.0 * 512.0, b.set, save, load);
    drop(&b);
}

void bench_particles(BenchRun* run)
{
    bench_cloud(run, "particles.ballistic.100000", 100000, 0.0f);
    bench_cloud(run, "particles.ballistic.1000000", 1000000, 0.0f);
    bench_fountain(run, "particles.fountain.1000000");
    bench_cloud(run, "particles.drag.1000000", 1000000, 0.5f);
    bench_flow(run, "particles.flow.1000000", 1000000);
    bench_bounce(run, "particles.bounce.100000", 100000);
    bench_snapshots(run);
}
