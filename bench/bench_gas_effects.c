// Effects of a game, whole steps: solids, jets, the grid that follows, particles in its flow.
//
//     gas.jetpack.48   48^3 cells around a body on an erratic path at up to 50 mph, two jets, two emitters
//                      of 24,000 particles. Goal: 13 ms on two workers, the figure of [Cruz2010] on a GPU
//     gas.gun.32       32^3 cells around a falling, turning body, three emitters of 10,000. Goal: 5 ms
//     gas.obstacles.48 finding and enforcing one moving body on 48^3 cells

#include "bench/bench.h"
#include "gas/gas_obstacles.h"
#include <stdlib.h>
#include <string.h>

typedef struct Effect {
    TarnContext* ctx;
    TarnGas* gas;
    TarnSolids* solids;
    TarnParticles* particles;
    TarnSolidId body;
    TarnGasJetId jets[2];
    int n_jets;
    TarnParticleEmitterId emitters[3];
    TarnVec3 places[3]; // of the emitters and jets on the body
    int n_emitters;
    bool is_gun;
    int frame;
    TarnVec3 last;
} Effect;

static const float dt = 1.0f / 60.0f;

static void must(const Effect* e, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(e->ctx));
    exit(1);
}

// Where the body is: on a path of three waves, or falling and turning.
static TarnMotion motion_at(Effect* e, int frame)
{
    float t = dt * (float)frame;
    TarnMotion m = { .rotation = { 0.0f, 0.0f, 0.0f, 1.0f } };
    if (e->is_gun) {
        m.angular_velocity = (TarnVec3){ 1.5f, 0.4f, 0.8f };
        m.rotation = quat_from_axis_angle(m.angular_velocity, 1.7f * t);
        m.position = (TarnVec3){ 0.2f * t, -0.8f * t, 0.0f };
    } else {
        m.position = (TarnVec3){ 9.0f * tarn_sin(1.9f * t), 4.0f * tarn_sin(2.7f * t),
                                 9.0f * tarn_cos(1.3f * t) };
        TarnVec3 axis = { tarn_sin(0.7f * t), 0.0f, tarn_cos(0.9f * t) };
        m.rotation = quat_from_axis_angle(axis, 0.5f * tarn_sin(3.0f * t));
    }
    m.velocity = frame > 0 ? vec3_scale(vec3_sub(m.position, e->last), 1.0f / dt) : m.velocity;
    e->last = m.position;
    return m;
}

static TarnMotion on_body(const TarnMotion* body, TarnVec3 place, bool is_down)
{
    TarnMotion m = *body;
    TarnVec3 arm = quat_rotate(body->rotation, place);
    m.position = vec3_add(body->position, arm);
    m.velocity = vec3_add(body->velocity, vec3_cross(body->angular_velocity, arm));
    TarnQuat down = { 1.0f, 0.0f, 0.0f, 0.0f }; // half a turn about x
    if (is_down) m.rotation = quat_multiply(body->rotation, down);
    return m;
}

static void one_step(void* data)
{
    Effect* e = data;
    TarnMotion body = motion_at(e, ++e->frame);
    must(e, tarn_solids_advance(e->solids, dt));
    must(e, tarn_solids_move(e->solids, e->body, &body));
    must(e, tarn_gas_move(e->gas, body.position, body.velocity));
    for (int j = 0; j < e->n_jets; ++j) {
        TarnMotion m = on_body(&body, e->places[j], true);
        must(e, tarn_gas_move_jet(e->gas, e->jets[j], &m));
    }
    must(e, tarn_gas_step(e->gas, dt, NULL));
    for (int n = 0; n < e->n_emitters; ++n) {
        TarnMotion m = on_body(&body, e->places[n], !e->is_gun);
        must(e, tarn_particles_move_emitter(e->particles, e->emitters[n], &m));
    }
    must(e, tarn_particles_step(e->particles, dt, NULL));
}

static void make_particles(Effect* e, int each)
{
    TarnParticlesDef def = tarn_particles_default_def();
    def.max_particles = each * e->n_emitters;
    must(e, tarn_particles_create(e->ctx, &def, &e->particles));
    TarnParticlesParams params = tarn_particles_default_params();
    params.drag = 2.0f;
    params.flow_drag = 20.0f;
    must(e, tarn_particles_set_params(e->particles, &params));
    must(e, tarn_particles_set_flow(e->particles, tarn_gas_flow(e->gas)));
    TarnParticleEmitterDef emitter = tarn_particle_emitter_default_def();
    emitter.shape = e->is_gun ? tarn_shape_sphere(0.15f) : tarn_shape_disc(0.05f);
    emitter.is_flared = true;
    emitter.rate = (float)each; // full after a second
    emitter.lifetime = 1.2f;
    emitter.limit = each;
    emitter.is_recycling = true;
    emitter.speed = e->is_gun ? 0.3f : 8.0f;
    emitter.spread = 0.2f;
    for (int n = 0; n < e->n_emitters; ++n)
        must(e, tarn_particles_add_emitter(e->particles, &emitter, &e->emitters[n]));
}

static Effect make_effect(int workers, bool is_gun)
{
    Effect e = { .ctx = bench_context(workers), .is_gun = is_gun };
    TarnGasDef def = tarn_gas_default_def();
    def.nx = def.ny = def.nz = is_gun ? 32 : 48;
    def.dx = 0.1f;
    def.use_density = false;
    TarnMotion start = motion_at(&e, 0);
    def.center = start.position;
    must(&e, tarn_gas_create(e.ctx, &def, &e.gas));
    TarnSolidsDef solids = tarn_solids_default_def();
    must(&e, tarn_solids_create(e.ctx, &solids, &e.solids));
    TarnSolidDef body = tarn_solid_default_def();
    body.shape = tarn_shape_capsule(0.25f, 0.6f);
    body.motion = start;
    must(&e, tarn_solids_add(e.solids, &body, &e.body));
    must(&e, tarn_gas_set_solids(e.gas, e.solids));
    const TarnVec3 nozzles[3] = { { -0.2f, -0.1f, 0.35f }, { 0.2f, -0.1f, 0.35f }, { 0, 0, 0 } };
    const TarnVec3 limbs[3] = { { 0.0f, 0.9f, 0.0f }, { 0.2f, -0.7f, 0.1f }, { 0.0f, 0.1f, 0.3f } };
    memcpy(e.places, is_gun ? limbs : nozzles, sizeof e.places);
    e.n_emitters = is_gun ? 3 : 2;
    e.n_jets = is_gun ? 0 : 2;
    for (int j = 0; j < e.n_jets; ++j) {
        TarnGasJetDef jet = tarn_gas_jet_default_def();
        jet.radius = 0.12f;
        jet.length = 0.6f;
        jet.speed = 15.0f;
        must(&e, tarn_gas_add_jet(e.gas, &jet, &e.jets[j]));
    }
    make_particles(&e, is_gun ? 10000 : 24000);
    return e;
}

static void drop(Effect* e)
{
    tarn_particles_destroy(e->particles);
    tarn_gas_destroy(e->gas);
    tarn_solids_destroy(e->solids);
    tarn_context_destroy(e->ctx);
}

static void bench_effect(BenchRun* run, const char* name, bool is_gun)
{
    if (!bench_wants(run, name)) return;
    for (int workers = 1; workers <= run->max_workers && workers <= 2; workers *= 2) {
        Effect e = make_effect(workers, is_gun);
        for (int n = 0; n < 75; ++n) one_step(&e); // the pools are full
        double seconds = bench_best(run->is_quick ? 15 : 60, one_step, &e);
        int n = is_gun ? 32 : 48;
        double cells = (double)n * n * n;
        double held = (double)tarn_gas_memory(tarn_gas_def(e.gas)) / cells;
        bench_rate(run, name, workers, seconds, cells, "cell", held, 0.0);
        BenchRow* row = &run->rows[run->n_rows - 1];
        snprintf(row->note, sizeof row->note, "with %d particles, %d cycles of multigrid",
                 tarn_particles_view(e.particles).n, tarn_gas_stats(e.gas).cycles);
        drop(&e);
    }
}

static void find_and_enforce(void* data)
{
    Effect* e = data;
    TarnMotion body = motion_at(e, ++e->frame % 3); // near the middle, and never where it was
    body.velocity = (TarnVec3){ 1.0f, 0.0f, 0.0f };
    must(e, tarn_solids_place(e->solids, e->body, &body));
    tarn__gas_find_obstacles(e->gas, dt);
    tarn__gas_enforce_obstacles(e->gas);
}

static void bench_obstacles(BenchRun* run)
{
    const char* name = "gas.obstacles.48";
    if (!bench_wants(run, name)) return;
    for (int workers = 1; workers <= run->max_workers && workers <= 2; workers *= 2) {
        Effect e = make_effect(workers, false);
        double seconds = bench_best(run->is_quick ? 30 : 200, find_and_enforce, &e);
        bench_rate(run, name, workers, seconds, 48.0 * 48.0 * 48.0, "cell", 0.0, 0.0);
        drop(&e);
    }
}

void bench_gas_effects(BenchRun* run)
{
    bench_obstacles(run);
    bench_effect(run, "gas.jetpack.48", false);
    bench_effect(run, "gas.gun.32", true);
}
