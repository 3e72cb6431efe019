// Particle systems under everything at once: random parameters, emitters, attractors, mad flows, moving
// solids and any dt, for any number of workers and both instruction sets; snapshots, good and damaged;
// memory that runs out.

#include "tests/robust/damaged.h"
#include "tarn/particles.h"
#include "tests/sanitized.h"

enum { POOL = 2500, N_EMITTERS = 8, N_ATTRACTORS = 4 };

// A host's flow that lies: numbers that are none, and far too large ones.
static void mad_flow(const void* self, int n, const float* x, const float* y, const float* z,
                     const TarnFlowSamples* out)
{
    (void)self, (void)z;
    for (int i = 0; i < n; ++i) {
        int what = (int)(fabsf(x[i]) * 7.0f) % 5;
        float v = what == 0 ? NAN : what == 1 ? INFINITY : what == 2 ? -3e38f : y[i];
        out->velocity[i] = (TarnVec3){ v, 1.0f, what == 3 ? NAN : 2.0f };
        out->presence[i] = what == 4 ? 1e30f : what == 1 ? NAN : 0.7f;
    }
}

// ---- A system with everything --------------------------------------------------------------------

typedef struct Storm {
    TarnParticles* set;
    TarnSolids* solids;
    TarnSolidId solid[6];
    TarnParticleEmitterId emitter[N_EMITTERS];
    TarnAttractorId attractor[N_ATTRACTORS];
} Storm;

static TarnVec3 any_vec(float size)
{
    float x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
    return (TarnVec3){ x, y, z };
}

static TarnMotion any_motion(void)
{
    TarnMotion m = { .position = any_vec(5.0f) };
    TarnVec3 q = any_vec(1.0f);
    float length = sqrtf(q.x * q.x + q.y * q.y + q.z * q.z + 0.3f);
    m.rotation = (TarnQuat){ q.x / length, q.y / length, q.z / length, sqrtf(0.3f) / length };
    m.velocity = any_vec(scale(0.1f, 100.0f));
    m.angular_velocity = any_vec(scale(0.1f, 5.0f));
    return m;
}

static TarnParticleEmitterDef any_emitter(void)
{
    TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
    def.shape.kind = pick(TARN_SHAPE_CYLINDER + 1);
    def.is_flared = pick(2);
    def.shape.size = (TarnVec3){ scale(1e-3f, 10.0f), scale(1e-3f, 10.0f), scale(1e-3f, 10.0f) };
    def.motion = any_motion();
    def.rate = pick(3) ? scale(0.1f, 1e5f) : 0.0f;
    def.burst = pick(2) ? pick(2000) : 0;
    def.burst_period = pick(2) ? scale(1e-3f, 2.0f) : 0.0f;
    def.speed = scale(1e-3f, 1e4f), def.speed_jitter = uniform(0, 1);
    def.spread = uniform(0, 3.1f), def.inherit = uniform(0, 1);
    def.lifetime = scale(2e-3f, 100.0f), def.lifetime_jitter = uniform(0, 1);
    def.limit = pick(3) ? 0 : 1 + pick(3000);
    def.is_recycling = pick(2);
    def.kind_of_particle = pick(256);
    return def;
}

static TarnAttractorDef any_attractor(void)
{
    TarnAttractorDef def = tarn_attractor_default_def();
    def.position = any_vec(10.0f);
    def.strength = (pick(2) ? -1.0f : 1.0f) * scale(0.1f, 1e5f);
    def.radius = scale(1e-3f, 100.0f), def.reach = scale(1.0f, 1e6f), def.swirl = uniform(-1, 1);
    return def;
}

static void any_params(TarnParticles* set)
{
    TarnParticlesParams params = tarn_particles_default_params();
    params.gravity = any_vec(scale(1e-3f, 1e4f));
    params.wind = any_vec(scale(1e-3f, 1e4f));
    params.drag = pick(3) ? scale(1e-6f, 1e4f) : 0.0f;
    params.radius = pick(3) ? scale(1e-4f, 0.5f) : 0.0f;
    params.restitution = uniform(0, 1), params.friction = uniform(0, 1);
    params.use_collisions = pick(5) != 0;
    float size = scale(5.0f, 1e6f);
    params.box_min = (TarnVec3){ -size, -size, -size };
    params.box_max = (TarnVec3){ size, size, size };
    assert_ok(tarn_particles_set_params(set, &params));
}

static void add_solids(Storm* storm, TarnContext* where)
{
    TarnSolidsDef def = tarn_solids_default_def();
    assert_ok(tarn_solids_create(where, &def, &storm->solids));
    for (int s = 0; s < 6; ++s) {
        TarnSolidDef solid = tarn_solid_default_def();
        solid.shape.kind = TARN_SHAPE_SPHERE + s % 4;
        solid.shape.size = (TarnVec3){ scale(0.1f, 5.0f), scale(0.1f, 5.0f), scale(0.1f, 5.0f) };
        solid.motion = any_motion();
        solid.touch = s % 4 == 3   ? TARN_TOUCH_KILL
                      : s % 4 == 2 ? TARN_TOUCH_STICK
                                   : TARN_TOUCH_BOUNCE;
        solid.restitution = uniform(0, 1), solid.friction = uniform(0, 1);
        assert_ok(tarn_solids_add(storm->solids, &solid, &storm->solid[s]));
    }
}

static Storm make_storm(TarnContext* where)
{
    Storm storm = { 0 };
    TarnParticlesDef def = tarn_particles_default_def();
    def.max_particles = POOL, def.max_emitters = N_EMITTERS, def.max_attractors = N_ATTRACTORS;
    def.max_events = 300, def.max_speed = 2000.0f;
    assert_ok(tarn_particles_create(where, &def, &storm.set));
    add_solids(&storm, where);
    assert_ok(tarn_particles_set_solids(storm.set, storm.solids));
    assert_ok(tarn_particles_set_events(storm.set, 15, NULL, NULL));
    return storm;
}

static void drop_storm(Storm* storm)
{
    tarn_particles_destroy(storm->set);
    tarn_solids_destroy(storm->solids);
}

static void disturb_storm(Storm* storm)
{
    TarnParticles* set = storm->set;
    TarnParticleEmitterDef emitter = any_emitter();
    TarnAttractorDef attractor = any_attractor();
    TarnMotion motion = any_motion();
    int e = pick(N_EMITTERS), a = pick(N_ATTRACTORS), s = pick(6), what = pick(12);
    if (what < 3) {
        tarn_particles_remove_emitter(set, storm->emitter[e]); // stale at first: refused
        assert_ok(tarn_particles_add_emitter(set, &emitter, &storm->emitter[e]));
    } else if (what == 3) {
        tarn_particles_set_emitter(set, storm->emitter[e], &emitter);
    } else if (what < 6) {
        tarn_particles_move_emitter(set, storm->emitter[e], &motion);
    } else if (what == 6) {
        tarn_particles_remove_attractor(set, storm->attractor[a]);
        if (pick(2)) assert_ok(tarn_particles_add_attractor(set, &attractor, &storm->attractor[a]));
    } else if (what == 7) {
        any_params(set);
    } else if (what == 8) {
        tarn_particles_set_flow(set, (TarnFlow){ NULL, pick(2) ? mad_flow : NULL });
    } else if (what == 9) {
        assert_ok(tarn_solids_move(storm->solids, storm->solid[s], &motion));
    } else {
        TarnVec3 x[50], v[50];
        for (int i = 0; i < 50; ++i) { // many in one point
            x[i] = i % 2 ? any_vec(20.0f) : (TarnVec3){ 1.0f, 1.0f, 1.0f };
            v[i] = any_vec(i % 5 ? 10.0f : 1e30f);
        }
        tarn_particles_add(set, 50, x, v, NULL, 0.1f, 1);
    }
}

static void assert_storm_sound(const TarnParticles* set)
{
    TarnParticlesView v = tarn_particles_view(set);
    TarnParticlesLedger l = tarn_particles_ledger(set);
    TarnParticlesParams p = tarn_particles_params(set);
    assert_true(v.n <= POOL && l.alive == (uint64_t)v.n);
    assert_true(l.added == l.alive + l.died + l.left + l.killed + l.recycled);
    for (int i = 0; i < v.n; ++i) {
        double speed =
            sqrt((double)v.vx[i] * v.vx[i] + (double)v.vy[i] * v.vy[i] + (double)v.vz[i] * v.vz[i]);
        assert_true(speed <= 2000.1); // NaN fails
        assert_true(v.x[i] >= p.box_min.x && v.x[i] <= p.box_max.x);
        assert_true(v.y[i] >= p.box_min.y && v.y[i] <= p.box_max.y);
        assert_true(v.z[i] >= p.box_min.z && v.z[i] <= p.box_max.z);
        assert_true(v.age[i] >= 0.0f && v.age[i] < v.lifetime[i]);
    }
    int n;
    const TarnParticleEvent* events = tarn_particles_events(set, &n);
    for (int e = 0; e < n; ++e) {
        assert_true(isfinite(events[e].position.x) && isfinite(events[e].velocity.x));
        assert_in_range(events[e].kind, TARN_PARTICLE_DIED, TARN_PARTICLE_KILLED);
    }
}

static uint64_t run_storm(TarnContext* where, uint64_t seed, int steps)
{
    random_at = seed * 1000000;
    Storm storm = make_storm(where);
    uint64_t hash = 0;
    for (int n = 0; n < steps; ++n) {
        for (int d = pick(4); d > 0; --d) disturb_storm(&storm);
        float dt = pick(20) == 0 ? 0.0f : pick(15) == 0 ? scale(0.1f, 1.0f) : scale(1e-6f, 0.1f);
        TarnStepReport report;
        assert_ok(tarn_solids_advance(storm.solids, dt));
        assert_ok(tarn_particles_step(storm.set, dt, &report));
        assert_true(report.time_advanced == (double)dt);
        if (dt > 0.0f) assert_storm_sound(storm.set);
        hash = tarn_hash(&(uint64_t){ tarn_particles_hash(storm.set) }, 8, hash);
    }
    drop_storm(&storm);
    return hash;
}

static void test_storms(void** state)
{
    (void)state;
    int rounds = is_sanitized ? 2 : 3, steps = is_sanitized ? 30 : 80;
    for (int r = 0; r < rounds; ++r) {
        uint64_t hash = run_storm(ctx, (uint64_t)r, steps);
        TarnContext* many = make_context(2 + r % 3, r % 2 ? TARN_ISA_BASELINE : TARN_ISA_AUTO);
        assert_true(run_storm(many, (uint64_t)r, steps) == hash);
        tarn_context_destroy(many);
    }
}

// ---- Snapshots -----------------------------------------------------------------------------------

LOADS(TarnParticles, particles)

static uint8_t* save_set(const TarnParticles* set, size_t* size)
{
    assert_int_equal(tarn_particles_save(set, NULL, 0, size), TARN_ERR_CAPACITY);
    uint8_t* snapshot = malloc(*size);
    assert_ok(tarn_particles_save(set, snapshot, *size, size));
    return snapshot;
}

static TarnParticles* make_small(void)
{
    TarnParticlesDef def = tarn_particles_default_def();
    def.max_particles = 60, def.max_emitters = 3, def.max_attractors = 2;
    TarnParticles* set;
    assert_ok(tarn_particles_create(ctx, &def, &set));
    for (int e = 0; e < 2; ++e) {
        TarnParticleEmitterDef emitter = tarn_particle_emitter_default_def();
        emitter.rate = 40.0f, emitter.is_recycling = e == 0, emitter.limit = 20;
        assert_ok(tarn_particles_add_emitter(set, &emitter, NULL));
    }
    TarnAttractorDef attractor = tarn_attractor_default_def();
    assert_ok(tarn_particles_add_attractor(set, &attractor, NULL));
    for (int s = 0; s < 20; ++s) assert_ok(tarn_particles_step(set, 0.05f, NULL));
    return set;
}

static void test_damaged_snapshots(void** state)
{
    (void)state;
    TarnParticles* set = make_small();
    size_t size;
    uint8_t* good = save_set(set, &size);
    assert_damage_refused((Loader){ set, load_object, hash_object }, good, size);
    // Honest hashes around any four wrong bytes: refused with nothing changed, or a state that runs.
    uint8_t* bad = malloc(size);
    const uint32_t values[] = { 0, 1, 0x7fc00000, 0xff800000, 0xffffffff, 0x7fffffff, 0x3f800000 };
    int n_loaded = 0, n_refused = 0;
    for (size_t at = TARN_SNAPSHOT_HEADER; at + 4 <= size; at += is_sanitized ? 13 : 3) {
        memcpy(bad, good, size);
        memcpy(bad + at, &values[at % 7], 4);
        seal(bad, size);
        assert_ok(tarn_particles_load(set, good, size));
        uint64_t hash = tarn_particles_hash(set);
        TarnResult result = tarn_particles_load(set, bad, size);
        n_loaded += result == TARN_OK, n_refused += result != TARN_OK;
        if (result != TARN_OK) {
            assert_true(result == TARN_ERR_DATA && tarn_particles_hash(set) == hash);
            continue;
        }
        for (int s = 0; s < 3; ++s) assert_ok(tarn_particles_step(set, 0.5f, NULL));
        TarnParticlesView v = tarn_particles_view(set);
        for (int i = 0; i < v.n; ++i) assert_true(isfinite(v.x[i]) && isfinite(v.vy[i]));
    }
    assert_true(n_loaded > 20 && n_refused > 20);
    free(bad);
    free(good);
    tarn_particles_destroy(set);
}

// ---- Memory --------------------------------------------------------------------------------------

static void test_no_allocation(void** state)
{
    (void)state;
    TarnContext* where = make_context(3, TARN_ISA_AUTO);
    random_at = 0;
    Storm storm = make_storm(where);
    size_t size = 0, capacity = 1 << 20;
    uint8_t* snapshot = malloc(capacity);
    int calls = memory.calls;
    for (int n = 0; n < 60; ++n) {
        disturb_storm(&storm);
        assert_ok(tarn_solids_advance(storm.solids, 0.02f));
        assert_ok(tarn_particles_step(storm.set, 0.02f, NULL));
        tarn_particles_hash(storm.set);
        assert_ok(tarn_particles_save(storm.set, snapshot, capacity, &size));
        if (n % 10 == 0) assert_ok(tarn_particles_load(storm.set, snapshot, size));
    }
    tarn_particles_reset(storm.set);
    assert_int_equal(memory.calls, calls);
    free(snapshot);
    drop_storm(&storm);
    tarn_context_destroy(where);
}

static void test_failing_allocation(void** state)
{
    (void)state;
    TarnParticlesDef def = tarn_particles_default_def();
    TarnParticles* out = (TarnParticles*)&memory;
    memory.fail_at = memory.calls + 1;
    assert_result(tarn_particles_create(ctx, &def, &out), TARN_ERR_MEMORY, "memory");
    assert_null(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_storms),
        TEST_ALONE(test_damaged_snapshots),
        TEST(test_no_allocation),
        TEST_ALONE(test_failing_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
