// Particle systems: defs, memory, bad arguments, emission, shapes, limits, events, flows, attractors,
// solids, snapshots. Storms: robust/test_particles_storms.c, exact solutions: physics/check_particles.c.

#include "test_common.h"
#include "tarn/particles.h"
#include <limits.h>

static TarnParticles* make(TarnContext* where, int max_particles)
{
    TarnParticlesDef def = tarn_particles_default_def();
    TarnParticles* set;
    def.max_particles = max_particles;
    assert_ok(tarn_particles_create(where, &def, &set));
    return set;
}

static void set_gravity(TarnParticles* set, float g)
{
    TarnParticlesParams params = tarn_particles_params(set);
    params.gravity = (TarnVec3){ 0.0f, g, 0.0f };
    assert_ok(tarn_particles_set_params(set, &params));
}

static void run(TarnParticles* set, int n, float dt)
{
    for (int s = 0; s < n; ++s) assert_ok(tarn_particles_step(set, dt, NULL));
}

// All ids differ, the ledger closes, everything is finite and within its life.
static void assert_sound(const TarnParticles* set)
{
    TarnParticlesView v = tarn_particles_view(set);
    TarnParticlesLedger l = tarn_particles_ledger(set);
    assert_true(l.alive == (uint64_t)v.n);
    assert_true(l.added == l.alive + l.died + l.left + l.killed + l.recycled);
    uint8_t* seen = calloc((size_t)l.added + 1, 1);
    for (int i = 0; i < v.n; ++i) {
        assert_true(v.id[i] < l.added && !seen[v.id[i]]);
        seen[v.id[i]] = 1;
        assert_true(isfinite(v.x[i]) && isfinite(v.y[i]) && isfinite(v.z[i]));
        assert_true(isfinite(v.vx[i]) && isfinite(v.vy[i]) && isfinite(v.vz[i]));
        assert_true(v.age[i] >= 0.0f && v.age[i] < v.lifetime[i]);
    }
    free(seen);
}

// ---- Defs and arguments --------------------------------------------------------------------------

// Every value of a table, out of its range in every way, through one function.
typedef TarnResult TryFn(void* object, void* user);
static void assert_table_guards(const TarnParamTable* table, const void* good, TryFn* fn,
                                void* user)
{
    char object[512], word[96];
    assert_true(table->struct_size <= sizeof object);
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        bool is_whole = p->type == TARN_PARAM_INT || p->type == TARN_PARAM_ENUM;
        double bad[] = { p->min - 1, p->max * 2 + 1, -2e9, 2e9, NAN, INFINITY, -INFINITY };
        snprintf(word, sizeof word, "%s.%s: ", table->name, p->name);
        for (int n = 0; n < (is_whole ? 4 : 7) && p->type != TARN_PARAM_BOOL; ++n) {
            if (is_whole && (bad[n] > INT_MAX || bad[n] < INT_MIN)) continue;
            if (bad[n] >= p->min && bad[n] <= p->max) continue;
            memcpy(object, good, table->struct_size);
            poke(p, object, p->type == TARN_PARAM_VEC3 ? n % 3 : 0, bad[n]);
            assert_result(fn(object, user), TARN_ERR_ARG, word);
        }
    }
}

static TarnResult try_create(void* def, void* user)
{
    TarnParticles* out = user;
    int calls = memory.calls;
    TarnResult result = tarn_particles_create(ctx, def, &out);
    assert_true(out == NULL && memory.calls == calls && tarn_particles_memory(def) == 0);
    return result;
}
static TarnResult try_params(void* params, void* set)
{
    return tarn_particles_set_params(set, params);
}
static TarnResult try_emitter(void* def, void* set)
{
    TarnParticleEmitterId id = { 1 };
    TarnResult result = tarn_particles_add_emitter(set, def, &id);
    assert_true(id.value == 0);
    return result;
}
static TarnResult try_attractor(void* def, void* set)
{
    TarnAttractorId id = { 1 };
    TarnResult result = tarn_particles_add_attractor(set, def, &id);
    assert_true(id.value == 0);
    return result;
}

static void test_tables(void** state)
{
    (void)state;
    TarnParticles* set = make(ctx, 100);
    uint64_t hash = tarn_particles_hash(set);
    TarnParticlesDef def = tarn_particles_default_def();
    TarnParticlesParams params = tarn_particles_default_params();
    TarnParticleEmitterDef emitter = tarn_particle_emitter_default_def();
    TarnAttractorDef attractor = tarn_attractor_default_def();
    assert_table_guards(tarn_particles_def_table(), &def, try_create, set);
    assert_table_guards(tarn_particles_params_table(), &params, try_params, set);
    assert_table_guards(tarn_particle_emitter_def_table(), &emitter, try_emitter, set);
    assert_table_guards(tarn_attractor_def_table(), &attractor, try_attractor, set);
    params.box_min.y = params.box_max.y;
    assert_result(tarn_particles_set_params(set, &params), TARN_ERR_ARG, "along y");
    emitter.start = 2.0f, emitter.stop = 1.0f;
    assert_result(try_emitter(&emitter, set), TARN_ERR_ARG, "before start");
    emitter = tarn_particle_emitter_default_def();
    emitter.burst_period = 1e-4f;
    assert_result(try_emitter(&emitter, set), TARN_ERR_ARG, "burst_period");
    def.cookie ^= 1, emitter.cookie ^= 1, attractor.cookie ^= 1;
    assert_result(try_create(&def, set), TARN_ERR_ARG, "tarn_particles_default_def");
    assert_result(try_emitter(&emitter, set), TARN_ERR_ARG, "tarn_particle_emitter_default_def");
    assert_result(try_attractor(&attractor, set), TARN_ERR_ARG, "tarn_attractor_default_def");
    assert_result(try_create(NULL, set), TARN_ERR_ARG, "tarn_particles_default_def");
    assert_true(tarn_particles_hash(set) == hash);
    tarn_particles_destroy(set);
}

static void test_memory(void** state)
{
    (void)state;
    const int sizes[] = { 1, 100, 65536, 1000000 };
    for (int n = 0; n < 4; ++n) {
        TarnParticlesDef def = tarn_particles_default_def();
        def.max_particles = sizes[n];
        size_t before = memory.bytes, said = tarn_particles_memory(&def);
        int calls = memory.calls;
        TarnParticles* set;
        assert_ok(tarn_particles_create(ctx, &def, &set));
        assert_true(memory.bytes - before == said && memory.calls == calls + 1);
        if (sizes[n] >= 65536) assert_true((double)said / sizes[n] <= 64.0);
        tarn_particles_destroy(set);
    }
    tarn_particles_destroy(NULL);
    tarn_particles_reset(NULL);
}

static void test_bad_arguments(void** state)
{
    (void)state;
    TarnParticles *set = make(ctx, 100), *other = make(ctx, 100);
    TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
    TarnAttractorDef pull = tarn_attractor_default_def();
    TarnParticleEmitterId id, alien;
    TarnAttractorId pull_id, alien_pull;
    assert_ok(tarn_particles_add_emitter(set, &def, &id));
    assert_ok(tarn_particles_add_emitter(other, &def, &alien));
    assert_ok(tarn_particles_add_attractor(set, &pull, &pull_id));
    assert_ok(tarn_particles_add_attractor(other, &pull, &alien_pull));
    uint64_t hash = tarn_particles_hash(set);
    const float dts[] = { NAN, INFINITY, -INFINITY, -1e-9f, 10.001f };
    for (int n = 0; n < 5; ++n)
        assert_result(tarn_particles_step(set, dts[n], NULL), TARN_ERR_ARG, "dt");
    const TarnParticleEmitterId wrong[] = { { 0 }, alien, { id.value + 1 }, { UINT64_MAX } };
    const char* const why[] = { "null id", "another particle system", "stale",
                                "another particle system" };
    for (int n = 0; n < 4; ++n) {
        assert_result(tarn_particles_remove_emitter(set, wrong[n]), TARN_ERR_ARG, why[n]);
        assert_result(tarn_particles_move_emitter(set, wrong[n], &def.motion), TARN_ERR_ARG,
                      why[n]);
        assert_result(tarn_particles_set_emitter(set, wrong[n], &def), TARN_ERR_ARG, why[n]);
    }
    assert_result(tarn_particles_remove_attractor(set, alien_pull), TARN_ERR_ARG, why[1]);
    assert_result(tarn_particles_set_attractor(set, (TarnAttractorId){ 0 }, &pull), TARN_ERR_ARG,
                  "null id");
    for (int n = 0; n < 13; ++n) {
        TarnMotion m = def.motion;
        (&m.position.x)[n] = n % 2 ? NAN : 1e30f;
        assert_result(tarn_particles_move_emitter(set, id, &m), TARN_ERR_ARG, "motion");
        TarnParticleEmitterDef bad = def;
        bad.motion = m;
        assert_result(tarn_particles_set_emitter(set, id, &bad), TARN_ERR_ARG, "motion");
        assert_result(tarn_particles_add_emitter(set, &bad, NULL), TARN_ERR_ARG, "motion");
    }
    assert_result(tarn_particles_move_emitter(set, id, NULL), TARN_ERR_ARG, "motion");
    assert_result(tarn_particles_set_events(set, 16, NULL, NULL), TARN_ERR_ARG, "wanted");
    assert_true(tarn_particles_hash(set) == hash);
    assert_ok(tarn_particles_remove_emitter(set, id));
    assert_result(tarn_particles_remove_emitter(set, id), TARN_ERR_ARG, "stale");
    assert_ok(tarn_particles_remove_attractor(set, pull_id));
    assert_result(tarn_particles_remove_attractor(set, pull_id), TARN_ERR_ARG, "stale");
    for (int n = 0; n < 16; ++n) assert_ok(tarn_particles_add_emitter(set, &def, &id));
    assert_result(tarn_particles_add_emitter(set, &def, &id), TARN_ERR_CAPACITY, "max_emitters");
    for (int n = 0; n < 8; ++n) assert_ok(tarn_particles_add_attractor(set, &pull, NULL));
    assert_result(tarn_particles_add_attractor(set, &pull, NULL), TARN_ERR_CAPACITY,
                  "max_attractors");
    tarn_particles_destroy(set);
    tarn_particles_destroy(other);
}

static void test_add(void** state)
{
    (void)state;
    TarnParticles* set = make(ctx, 5);
    TarnVec3 x[8] = { { 0 } }, v[8] = { { 0 } };
    float life[8] = { 1, 1, 1, 1, 1, 1, 1, 1 };
    x[1].y = NAN, x[2].z = 1e30f, v[3].x = INFINITY, life[4] = 0.0f, life[5] = NAN;
    v[6] = (TarnVec3){ 3e38f, 3e38f, 0 };
    assert_int_equal(tarn_particles_add(set, 8, x, v, life, 0.1f, 7), 3);
    TarnParticlesView view = tarn_particles_view(set);
    assert_true(view.n == 3 && view.kind[0] == 7 && view.radius[1] == 0.1f);
    assert_float_equal(hypot((double)view.vx[1], (double)view.vy[1]), 1000.0, 0.01);
    assert_int_equal(tarn_particles_add(set, 1, x, NULL, NULL, NAN, 0), 0);
    assert_int_equal(tarn_particles_add(set, 1, x, NULL, NULL, 0.0f, 256), 0);
    assert_int_equal(tarn_particles_add(set, -1, x, NULL, NULL, 0.0f, 0), 0);
    assert_int_equal(tarn_particles_add(set, 1, x, NULL, NULL, 0.0f, 0), 1);
    x[1] = x[2] = x[0];
    assert_int_equal(tarn_particles_add(set, 3, x, NULL, NULL, 0.0f, 0), 1);
    assert_true(tarn_particles_ledger(set).refused == 2);
    set_gravity(set, 0.0f);
    run(set, 100, 1.0f); // those without a lifetime live on
    assert_int_equal(tarn_particles_view(set).n, 2);
    assert_true(tarn_particles_ledger(set).died + tarn_particles_ledger(set).left == 3);
    assert_sound(set);
    tarn_particles_destroy(set);
}

// ---- Emission ------------------------------------------------------------------------------------

static void test_counts(void** state)
{
    (void)state;
    random_at = 0;
    const float rates[] = { 0.3f, 7.0f, 60.0f, 12345.0f };
    for (int n = 0; n < 4; ++n) {
        TarnParticles* set = make(ctx, 100000);
        TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
        def.rate = rates[n], def.lifetime = 1e6f;
        def.start = 0.5f, def.stop = 3.25f;
        assert_ok(tarn_particles_add_emitter(set, &def, NULL));
        while (tarn_particles_time(set) < 4.0) {
            assert_ok(tarn_particles_step(set, scale(1e-3f, 0.5f), NULL));
            double on = fmin(tarn_particles_time(set), 3.25) - 0.5;
            int want = on > 0.0 ? (int)(on * (double)rates[n] + 1e-9) : 0;
            assert_int_equal(tarn_particles_view(set).n, want);
        }
        tarn_particles_destroy(set);
    }
}

static void test_bursts(void** state)
{
    (void)state;
    random_at = 0;
    for (int n = 0; n < 2; ++n) {
        TarnParticles* set = make(ctx, 1000);
        TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
        def.rate = 0.0f, def.lifetime = 1e6f, def.start = 0.25f, def.stop = 5.0f;
        def.burst = 10, def.burst_period = n == 0 ? 0.0f : 0.5f;
        assert_ok(tarn_particles_add_emitter(set, &def, NULL));
        while (tarn_particles_time(set) < 6.0) {
            assert_ok(tarn_particles_step(set, scale(1e-3f, 1.0f), NULL));
            double t = fmin(tarn_particles_time(set), 5.0);
            int bursts = t <= 0.25 ? 0 : n == 0 ? 1 : (int)ceil((t - 0.25) / 0.5);
            assert_int_equal(tarn_particles_view(set).n, 10 * bursts);
        }
        tarn_particles_destroy(set);
    }
}

static int by_value(const void* a, const void* b)
{
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

// A fast emitter with slow frames leaves an even trail, and what flies on for the rest of the frame does
// so too: no clumps, for any frame time.
static void test_even_trail(void** state)
{
    (void)state;
    random_at = 0;
    TarnParticles* set = make(ctx, 1000);
    TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
    def.rate = 100.0f, def.speed = 0.0f, def.inherit = 0.0f, def.lifetime = 1e3f;
    TarnParticleEmitterId id;
    assert_ok(tarn_particles_add_emitter(set, &def, &id));
    float at = 0.0f;
    for (int n = 0; n < 40; ++n) {
        float dt = scale(0.01f, 0.4f);
        at += 30.0f * dt;
        TarnMotion m = def.motion;
        m.position.x = at;
        assert_ok(tarn_particles_move_emitter(set, id, &m));
        assert_ok(tarn_particles_step(set, dt, NULL));
    }
    TarnParticlesView v = tarn_particles_view(set);
    assert_in_range(v.n, 200, 1000);
    double t = tarn_particles_time(set);
    float x[1000];
    memcpy(x, v.x, (size_t)v.n * sizeof(float));
    qsort(x, (size_t)v.n, sizeof x[0], by_value);
    for (int i = 1; i < v.n; ++i) assert_float_equal(x[i] - x[i - 1], 0.3f, 2e-4f);
    for (int i = 0; i < v.n; ++i) { // each fell since its own birth
        double age = t - (double)v.x[i] / 30.0;
        assert_float_equal((double)v.age[i], age, 1e-4);
        assert_float_equal((double)v.y[i], -0.5 * 9.81 * age * age, 1e-3 * (1.0 + age * age));
    }
    tarn_particles_destroy(set);
}

static void test_shapes(void** state)
{
    (void)state;
    for (int run = TARN_SHAPE_POINT; run <= TARN_SHAPE_CYLINDER + 1; ++run) {
        bool is_flared = run > TARN_SHAPE_CYLINDER;
        int kind = is_flared ? TARN_SHAPE_DISC : run;
        TarnParticles* set = make(ctx, 4000);
        set_gravity(set, 0.0f);
        TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
        def.shape.kind = kind, def.rate = 0.0f, def.burst = 4000, def.lifetime = 1e3f;
        def.is_flared = is_flared;
        def.shape.size = (TarnVec3){ 2.0f, 3.0f, 4.0f }, def.speed = 10.0f, def.spread = 0.5f;
        def.motion.position = (TarnVec3){ 5.0f, 6.0f, 7.0f };
        assert_ok(tarn_particles_add_emitter(set, &def, NULL));
        assert_ok(tarn_particles_step(set, 1e-6f, NULL));
        TarnParticlesView v = tarn_particles_view(set);
        assert_int_equal(v.n, 4000);
        double sum[3] = { 0 }, far = 0.0, most = 0.0, slow = 1e9, fast = 0.0, n_ends = 0.0;
        for (int i = 0; i < v.n; ++i) {
            double x = v.x[i] - 5.0, y = v.y[i] - 6.0, z = v.z[i] - 7.0;
            double r = sqrt(x * x + y * y + z * z);
            double speed =
                sqrt((double)(v.vx[i] * v.vx[i] + v.vy[i] * v.vy[i] + v.vz[i] * v.vz[i]));
            double angle = acos(fmin(1.0, (double)v.vy[i] / speed));
            far = fmax(far, r), slow = fmin(slow, speed), fast = fmax(fast, speed);
            sum[0] += x, sum[1] += y, sum[2] += z;
            if (kind == TARN_SHAPE_SPHERE && r > 0.1) // outwards
                assert_float_equal((x * v.vx[i] + y * v.vy[i] + z * v.vz[i]) / (r * speed), 1.0,
                                   1e-3);
            else if (kind != TARN_SHAPE_SPHERE)
                most = fmax(most, angle);
            if (kind == TARN_SHAPE_LINE) assert_true(fabs(y) + fabs(z) < 1e-4);
            if (kind == TARN_SHAPE_DISC) assert_true(fabs(y) < 1e-4);
            if (is_flared) assert_float_equal(angle, 0.25 * r, 2e-3);
            double around = sqrt(x * x + z * z), over = fmax(fabs(y) - 3.0, 0.0);
            if (kind == TARN_SHAPE_CYLINDER) assert_true(around <= 2.001 && over < 1e-3);
            if (kind == TARN_SHAPE_CAPSULE) {
                assert_true(hypot(around, over) <= 2.001);
                n_ends += over > 0.0;
            }
            if (kind == TARN_SHAPE_BOX)
                assert_true(fabs(x) <= 2.001 && fabs(y) <= 3.001 && fabs(z) <= 4.001);
        }
        const double reach[] = { 0.0, 2.0, 2.0, 2.0, sqrt(4.0 + 9.0 + 16.0), 5.0, sqrt(13.0) };
        if (kind == TARN_SHAPE_CAPSULE) // even: 4/3 r^3 of 4/3 r^3 + 2 r^2 half, here 4/13
            assert_float_equal(n_ends / 4000.0, 4.0 / 13.0, 0.025);
        assert_true(far <= reach[kind] + 1e-3 && far >= 0.85 * reach[kind]);
        for (int d = 0; d < 3; ++d) assert_true(fabs(sum[d] / v.n) < 0.15);
        if (kind != TARN_SHAPE_SPHERE) assert_true(most <= 0.5005 && most > 0.45);
        assert_true(slow >= 8.999 && slow < 9.1 && fast <= 11.001 && fast > 10.9); // jitter 0.1
        tarn_particles_destroy(set);
    }
}

// Turned and moving: particles leave along the turned axis, with what they inherit.
static void test_carried(void** state)
{
    (void)state;
    TarnParticles* set = make(ctx, 100);
    set_gravity(set, 0.0f);
    TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
    def.speed = 4.0f, def.speed_jitter = def.spread = 0.0f, def.inherit = 0.5f;
    def.motion.rotation = (TarnQuat){ 0.0f, 0.0f, -0.70710678f, 0.70710678f }; // +y to +x
    def.motion.velocity = (TarnVec3){ 0.0f, 6.0f, 2.0f };
    assert_ok(tarn_particles_add_emitter(set, &def, NULL));
    run(set, 10, 0.05f);
    TarnParticlesView v = tarn_particles_view(set);
    assert_in_range(v.n, 48, 51);
    for (int i = 0; i < v.n; ++i) {
        assert_float_equal(v.vx[i], 4.0f, 1e-4f);
        assert_float_equal(v.vy[i], 3.0f, 1e-4f);
        assert_float_equal(v.vz[i], 1.0f, 1e-4f);
        assert_float_equal(v.x[i], 4.0f * v.age[i], 1e-4f);
    }
    tarn_particles_destroy(set);
}

static void test_limits(void** state)
{
    (void)state;
    for (int n = 0; n < 4; ++n) {
        bool is_recycling = n % 2, is_pool = n / 2; // limited by itself, or by the pool
        TarnParticles* set = make(ctx, is_pool ? 50 : 1000);
        TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
        def.rate = 1000.0f, def.lifetime = 1e3f, def.limit = is_pool ? 0 : 50;
        def.is_recycling = is_recycling;
        assert_ok(tarn_particles_add_emitter(set, &def, NULL));
        TarnStepReport report;
        for (int s = 0; s < 31; ++s) assert_ok(tarn_particles_step(set, 0.01f, &report));
        TarnParticlesView v = tarn_particles_view(set);
        TarnParticlesLedger l = tarn_particles_ledger(set);
        assert_int_equal(v.n, 50);
        assert_sound(set);
        assert_true(is_recycling == (l.recycled > 0) &&
                    (l.refused > 0) == (is_pool && !is_recycling));
        assert_true(((report.flags & TARN_STEP_CAPACITY_FULL) != 0) == (l.refused > 0));
        for (int i = 0; i < v.n; ++i) { // the oldest went, or nobody came
            if (is_recycling)
                assert_true(v.id[i] >= l.added - 50 && v.age[i] < 0.0502f);
            else
                assert_true(v.id[i] < 50 && v.age[i] > 0.25f);
        }
        tarn_particles_destroy(set);
    }
}

// Emitters that go leave their particles alone, and the next one in their place does not own them.
static void test_orphans(void** state)
{
    (void)state;
    TarnParticles* set = make(ctx, 1000);
    TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
    def.rate = 0.0f, def.burst = 30, def.limit = 40, def.is_recycling = true, def.lifetime = 10.0f;
    TarnParticleEmitterId first, second;
    assert_ok(tarn_particles_add_emitter(set, &def, &first));
    run(set, 1, 0.01f);
    assert_ok(tarn_particles_remove_emitter(set, first));
    assert_ok(tarn_particles_add_emitter(set, &def, &second));
    run(set, 1, 0.01f);
    assert_int_equal(tarn_particles_view(set).n, 60);
    assert_true(tarn_particles_ledger(set).recycled == 0);
    run(set, 120, 0.1f);
    assert_int_equal(tarn_particles_view(set).n, 0);
    assert_sound(set);
    tarn_particles_reset(set);
    assert_true(tarn_particles_time(set) == 0.0 && tarn_particles_ledger(set).added == 0);
    run(set, 1, 0.01f);
    assert_int_equal(tarn_particles_view(set).n, 30);
    tarn_particles_destroy(set);
}

// ---- Events --------------------------------------------------------------------------------------

typedef struct Seen {
    int n[4];
    int n_added;
} Seen;

static void on_event(TarnParticles* set, const TarnParticleEvent* event, void* user)
{
    Seen* seen = user;
    seen->n[event->kind]++;
    assert_result(tarn_particles_step(set, 0.1f, NULL), TARN_ERR_ARG, "event");
    if (event->kind != TARN_PARTICLE_DIED || event->kind_of_particle != 3) return;
    seen->n_added += tarn_particles_add(set, 1, &event->position, &event->velocity, NULL, 0.1f, 4);
}

static void test_events(void** state)
{
    (void)state;
    TarnParticles* set = make(ctx, 1000);
    TarnParticlesParams params = tarn_particles_params(set);
    params.gravity = (TarnVec3){ 0 };
    params.box_max = (TarnVec3){ 1.0f, 1.0f, 1.0f };
    assert_ok(tarn_particles_set_params(set, &params));
    Seen seen = { 0 };
    uint32_t wanted = 1u << TARN_PARTICLE_DIED | 1u << TARN_PARTICLE_LEFT;
    assert_ok(tarn_particles_set_events(set, wanted, on_event, &seen));
    for (int i = 0; i < 300; ++i) {
        TarnVec3 x = { 0 }, v = { i % 3 == 0 ? 10.0f : 0.0f, 0, 0 };
        float life = 0.5f + 0.001f * (float)i;
        assert_int_equal(tarn_particles_add(set, 1, &x, &v, &life, 0.1f, i % 3 == 1 ? 3 : 0), 1);
    }
    int n_events = 0, n;
    for (int s = 0; s < 100; ++s) {
        run(set, 1, 0.01f);
        const TarnParticleEvent* events = tarn_particles_events(set, &n);
        for (int e = 0; e < n; ++e)
            assert_true(events[e].kind != TARN_PARTICLE_LEFT || events[e].position.x > 1.0f);
        n_events += n;
    }
    assert_true(seen.n[TARN_PARTICLE_DIED] == 200 && seen.n[TARN_PARTICLE_LEFT] == 100);
    assert_true(seen.n_added == 100 && n_events == 300 && tarn_particles_view(set).n == 100);
    assert_sound(set);
    tarn_particles_destroy(set);
}

static void test_too_many_events(void** state)
{
    (void)state;
    TarnParticlesDef def = tarn_particles_default_def();
    def.max_events = 10;
    TarnParticles* set;
    assert_ok(tarn_particles_create(ctx, &def, &set));
    assert_ok(tarn_particles_set_events(set, 15, NULL, NULL));
    TarnVec3 x = { 0 };
    float life = 0.1f;
    for (int i = 0; i < 25; ++i) tarn_particles_add(set, 1, &x, NULL, &life, 0.1f, 0);
    TarnStepReport report;
    assert_ok(tarn_particles_step(set, 1.0f, &report));
    int n;
    const TarnParticleEvent* events = tarn_particles_events(set, &n);
    assert_true(n == 10 && events[0].id == 0 && events[9].id == 9); // in order
    assert_true(tarn_particles_ledger(set).lost_events == 15);
    assert_true((report.flags & TARN_STEP_CAPACITY_FULL) != 0);
    tarn_particles_destroy(set);
}

// ---- Flows and attractors ------------------------------------------------------------------------

// Turns about the y axis at 2 rad/s below y = 10; mad above.
static void spin(const void* self, int n, const float* x, const float* y, const float* z,
                 const TarnFlowSamples* out)
{
    (void)self;
    for (int i = 0; i < n; ++i) {
        bool is_mad = y[i] > 10.0f;
        out->velocity[i] = is_mad ? (TarnVec3){ NAN, 1e30f, -INFINITY }
                                  : (TarnVec3){ 2.0f * z[i], 0.0f, -2.0f * x[i] };
        out->presence[i] = is_mad ? (i % 2 ? NAN : 1e30f) : 1.0f;
    }
}

static void test_flow(void** state)
{
    (void)state;
    TarnParticles* set = make(ctx, 1000);
    TarnParticlesParams params = tarn_particles_params(set);
    params.gravity = (TarnVec3){ 0 };
    params.drag = 1e4f; // follows the flow
    params.wind = (TarnVec3){ 0.0f, 0.0f, 3.0f };
    assert_ok(tarn_particles_set_params(set, &params));
    assert_ok(tarn_particles_set_flow(set, (TarnFlow){ NULL, spin }));
    TarnVec3 x[2] = { { 1.0f, 0.0f, 0.0f }, { 1.0f, 20.0f, 0.0f } };
    assert_int_equal(tarn_particles_add(set, 2, x, NULL, NULL, 0.1f, 0), 2);
    run(set, 60, 1.0f / 60.0f);
    TarnParticlesView v = tarn_particles_view(set);
    double angle = atan2(-(double)v.z[0], (double)v.x[0]),
           r = hypot((double)v.x[0], (double)v.z[0]);
    assert_float_equal(r, 1.0, 0.01); // half way, not at the start: Euler would be at 1.03
    assert_float_equal(angle, 2.0, 0.02);
    assert_float_equal(v.z[1], 3.0, 0.01); // where the flow is mad there is wind
    tarn_particles_destroy(set);
}

static void test_attractors(void** state)
{
    (void)state;
    TarnParticles* set = make(ctx, 100);
    set_gravity(set, 0.0f);
    TarnAttractorDef def = tarn_attractor_default_def();
    def.strength = 4.0f, def.radius = 2.0f, def.reach = 10.0f;
    TarnAttractorId id;
    assert_ok(tarn_particles_add_attractor(set, &def, &id));
    TarnVec3 x[4] = { { 1, 0, 0 }, { 0, 4, 0 }, { 0, 0, 11 }, { 0, 0, 0 } };
    assert_int_equal(tarn_particles_add(set, 4, x, NULL, NULL, 0.1f, 0), 4);
    run(set, 1, 1e-3f);
    TarnParticlesView v = tarn_particles_view(set);
    assert_float_equal(v.vx[0], -2e-3f, 1e-6f); // half the strength at half the radius
    assert_float_equal(v.vy[1], -1e-3f, 1e-6f); // a quarter at twice
    assert_true(v.vz[2] == 0.0f && v.vx[3] == 0.0f && v.vy[3] == 0.0f);
    def.swirl = 1.0f;
    assert_ok(tarn_particles_set_attractor(set, id, &def));
    run(set, 1, 1e-3f);
    assert_float_equal(v.vx[0], -2e-3f, 1e-6f);
    assert_float_equal(v.vz[0], -2e-3f, 1e-6f); // around +y
    // However strong, nothing is flung out.
    def.swirl = 0.0f, def.strength = 1e5f, def.radius = 0.01f, def.reach = 1e6f;
    assert_ok(tarn_particles_set_attractor(set, id, &def));
    for (int s = 0; s < 2000; ++s) {
        run(set, 1, 1.0f / 30.0f);
        for (int i = 0; i < 4; ++i)
            assert_true(fabsf(v.x[i]) + fabsf(v.y[i]) + fabsf(v.z[i]) < 20.0f);
    }
    tarn_particles_destroy(set);
}

// ---- Solids --------------------------------------------------------------------------------------

static TarnSolids* make_floor(int touch, float restitution, float friction, TarnSolidId* id)
{
    TarnSolidsDef set_def = tarn_solids_default_def();
    TarnSolids* solids;
    assert_ok(tarn_solids_create(ctx, &set_def, &solids));
    TarnSolidDef def = tarn_solid_default_def();
    def.shape.kind = TARN_SHAPE_BOX;
    def.shape.size = (TarnVec3){ 50.0f, 0.5f, 50.0f };
    def.motion.position.y = -0.5f;
    def.touch = touch, def.restitution = restitution, def.friction = friction;
    assert_ok(tarn_solids_add(solids, &def, id));
    return solids;
}

static void test_touch(void** state)
{
    (void)state;
    for (int touch = TARN_TOUCH_BOUNCE; touch <= TARN_TOUCH_KILL; ++touch) {
        TarnSolidId id;
        TarnSolids* solids = make_floor(touch, 0.0f, 1.0f, &id);
        TarnParticles* set = make(ctx, 1000);
        assert_ok(tarn_particles_set_solids(set, solids));
        assert_ok(tarn_particles_set_events(set, 15, NULL, NULL));
        for (int i = 0; i < 100; ++i) {
            TarnVec3 x = { (float)(i % 10), 1.0f + 0.1f * (float)i, (float)(i / 10) };
            TarnVec3 v = { 1.0f, 0.0f, 0.5f };
            assert_int_equal(tarn_particles_add(set, 1, &x, &v, NULL, 0.1f, 0), 1);
        }
        int n_hits = 0, n_killed = 0;
        for (int s = 0; s < 300; ++s) {
            assert_ok(tarn_solids_advance(solids, 1.0f / 60.0f));
            run(set, 1, 1.0f / 60.0f);
            int n;
            const TarnParticleEvent* events = tarn_particles_events(set, &n);
            for (int e = 0; e < n; ++e) {
                n_hits += events[e].kind == TARN_PARTICLE_HIT;
                n_killed += events[e].kind == TARN_PARTICLE_KILLED;
                assert_true(events[e].solid.value == id.value && events[e].normal.y > 0.999f);
                assert_true(events[e].velocity.y < -4.0f && fabsf(events[e].position.y) < 0.02f);
            }
        }
        TarnParticlesView v = tarn_particles_view(set);
        assert_int_equal(n_hits, touch == TARN_TOUCH_KILL ? 0 : 100); // resting is no hit
        assert_int_equal(n_killed, touch == TARN_TOUCH_KILL ? 100 : 0);
        assert_int_equal(v.n, touch == TARN_TOUCH_KILL ? 0 : 100);
        for (int i = 0; i < v.n; ++i) {
            assert_float_equal(v.y[i], 0.01f, 2e-3f);
            assert_true(fabsf(v.vx[i]) + fabsf(v.vy[i]) + fabsf(v.vz[i]) < 1e-3f);
        }
        assert_sound(set);
        if (touch == TARN_TOUCH_STICK) { // they ride along, and fall when the solid goes
            assert_ok(tarn_solids_set_velocity(solids, id, (TarnVec3){ 1, 2, 0 }, (TarnVec3){ 0 }));
            float x0 = v.x[5];
            for (int s = 0; s < 60; ++s) {
                assert_ok(tarn_solids_advance(solids, 1.0f / 60.0f));
                run(set, 1, 1.0f / 60.0f);
            }
            assert_float_equal(v.y[5], 2.01f, 5e-3f);
            assert_float_equal(v.x[5], x0 + 1.0f, 5e-3f);
            assert_ok(tarn_solids_remove(solids, id));
            run(set, 60, 1.0f / 60.0f);
            assert_true(v.y[5] < 0.0f);
        }
        tarn_particles_destroy(set);
        tarn_solids_destroy(solids);
    }
}

// Nothing gets through a floor, however fast and however long the step; a paddle takes them along.
static void test_no_leak(void** state)
{
    (void)state;
    random_at = 0;
    TarnSolidId id;
    TarnSolids* solids = make_floor(TARN_TOUCH_BOUNCE, 0.5f, 0.2f, &id);
    TarnParticles* set = make(ctx, 1000);
    assert_ok(tarn_particles_set_solids(set, solids));
    for (int i = 0; i < 500; ++i) {
        TarnVec3 x = { uniform(-5, 5), uniform(0.1f, 20), uniform(-5, 5) };
        TarnVec3 v = { 0, uniform(-800, 10), 0 };
        tarn_particles_add(set, 1, &x, &v, NULL, 0.1f, 0);
    }
    for (int s = 0; s < 200; ++s) {
        float dt = scale(1e-3f, 0.5f);
        assert_ok(tarn_solids_advance(solids, dt));
        run(set, 1, dt);
        TarnParticlesView v = tarn_particles_view(set);
        for (int i = 0; i < v.n; ++i) assert_true(v.y[i] > 0.0f);
    }
    assert_true(tarn_particles_ledger(set).killed == 0 && tarn_particles_view(set).n > 400);
    tarn_particles_destroy(set);
    tarn_solids_destroy(solids);
}

// In a hollow ball, stirred by a thin paddle at two turns per second, for any dt.
static void test_stirred(void** state)
{
    (void)state;
    random_at = 0;
    TarnSolidsDef set_def = tarn_solids_default_def();
    TarnSolids* solids;
    assert_ok(tarn_solids_create(ctx, &set_def, &solids));
    TarnSolidDef bowl = tarn_solid_default_def(), paddle = tarn_solid_default_def();
    TarnSolidId id;
    bowl.shape.kind = TARN_SHAPE_SPHERE, bowl.shape.size.x = 5.0f, bowl.is_inside_out = true;
    bowl.restitution = 0.9f;
    assert_ok(tarn_solids_add(solids, &bowl, &id));
    paddle.shape.kind = TARN_SHAPE_BOX, paddle.shape.size = (TarnVec3){ 3.0f, 2.0f, 0.02f };
    paddle.motion.angular_velocity = (TarnVec3){ 0.0f, 12.0f, 0.0f };
    assert_ok(tarn_solids_add(solids, &paddle, &id));
    TarnParticles* set = make(ctx, 1000);
    assert_ok(tarn_particles_set_solids(set, solids));
    for (int i = 0; i < 300; ++i) {
        TarnVec3 x = { uniform(-2, 2), uniform(-2, 2), uniform(0.1f, 3) }, v = { 0 };
        v.x = uniform(-50, 50), v.y = uniform(-50, 50);
        assert_int_equal(tarn_particles_add(set, 1, &x, &v, NULL, 0.1f, 0), 1);
    }
    double fastest = 0.0;
    for (int s = 0; s < 120; ++s) {
        float dt = scale(1e-3f, 0.1f);
        assert_ok(tarn_solids_advance(solids, dt));
        run(set, 1, dt);
        TarnParticlesView v = tarn_particles_view(set);
        assert_int_equal(v.n, 300);
        for (int i = 0; i < v.n; ++i) {
            double x = (double)v.x[i], y = (double)v.y[i], z = (double)v.z[i];
            assert_true(x * x + y * y + z * z < 25.01);
            fastest = fmax(fastest, hypot((double)v.vx[i], (double)v.vz[i]));
        }
    }
    assert_true(fastest > 20.0); // the paddle hits
    tarn_particles_destroy(set);
    tarn_solids_destroy(solids);
}

// ---- State ---------------------------------------------------------------------------------------

static TarnParticles* make_fountain(TarnContext* where)
{
    TarnParticles* set = make(where, 5000);
    TarnParticlesParams params = tarn_particles_params(set);
    params.drag = 0.3f;
    params.wind = (TarnVec3){ 2.0f, 0.0f, 0.0f };
    assert_ok(tarn_particles_set_params(set, &params));
    for (int e = 0; e < 3; ++e) {
        TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
        def.shape.kind = TARN_SHAPE_BOX + e;
        def.rate = 2000.0f + 500.0f * (float)e;
        def.lifetime = 0.8f, def.lifetime_jitter = 0.6f;
        def.burst = 20, def.burst_period = 0.3f;
        def.limit = e == 0 ? 700 : 0, def.is_recycling = e != 1;
        assert_ok(tarn_particles_add_emitter(set, &def, NULL));
    }
    TarnAttractorDef pull = tarn_attractor_default_def();
    pull.position = (TarnVec3){ 1.0f, 2.0f, 0.0f };
    assert_ok(tarn_particles_add_attractor(set, &pull, NULL));
    return set;
}

static void test_snapshots(void** state)
{
    (void)state;
    TarnParticles *set = make_fountain(ctx), *other = make(ctx, 5000), *small = make(ctx, 4999);
    run(set, 40, 0.02f);
    size_t size;
    assert_int_equal(tarn_particles_save(set, NULL, 0, &size), TARN_ERR_CAPACITY);
    uint8_t* snapshot = malloc(size);
    assert_result(tarn_particles_save(set, snapshot, size - 1, &size), TARN_ERR_CAPACITY, "bytes");
    assert_ok(tarn_particles_save(set, snapshot, size, &size));
    uint64_t hash = tarn_particles_hash(set);
    assert_ok(tarn_particles_load(other, snapshot, size));
    assert_true(tarn_particles_hash(other) == hash);
    run(set, 40, 0.017f);
    run(other, 40, 0.017f);
    assert_true(tarn_particles_hash(other) == tarn_particles_hash(set));
    assert_true(tarn_particles_hash(other) != hash);
    assert_sound(other);
    assert_ok(tarn_particles_load(set, snapshot, size)); // back in time
    assert_true(tarn_particles_hash(set) == hash);
    assert_result(tarn_particles_load(small, snapshot, size), TARN_ERR_DATA, "another def");
    free(snapshot);
    tarn_particles_destroy(set);
    tarn_particles_destroy(other);
    tarn_particles_destroy(small);
}

static void test_same_bits(void** state)
{
    (void)state;
    uint64_t hash = 0;
    for (int n = 0; n < 6; ++n) {
        TarnContext* where =
            make_context(1 + 2 * (n / 2), n % 2 ? TARN_ISA_BASELINE : TARN_ISA_AUTO);
        TarnParticles* set = make_fountain(where);
        run(set, 60, 0.02f);
        assert_true(n == 0 || tarn_particles_hash(set) == hash);
        hash = tarn_particles_hash(set);
        tarn_particles_destroy(set);
        tarn_context_destroy(where);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_tables),     TEST_ALONE(test_memory),     TEST_ALONE(test_bad_arguments),
        TEST_ALONE(test_add),        TEST_ALONE(test_counts),     TEST_ALONE(test_bursts),
        TEST_ALONE(test_even_trail), TEST_ALONE(test_shapes),     TEST_ALONE(test_carried),
        TEST_ALONE(test_limits),     TEST_ALONE(test_orphans),    TEST_ALONE(test_events),
        TEST_ALONE(test_flow),       TEST_ALONE(test_attractors), TEST_ALONE(test_too_many_events),
        TEST_ALONE(test_touch),      TEST_ALONE(test_no_leak),    TEST_ALONE(test_stirred),
        TEST_ALONE(test_snapshots),  TEST(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
