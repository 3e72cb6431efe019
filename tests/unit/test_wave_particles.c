// Wave particles: what ends them, what joins them, their clock, what hulls shed, and waves that rise instead of popping up.

#include "test_common.h"
#include "tarn/coupling.h"
#include "tarn/wave_particles.h"

static TarnWaveParticlesDef closed_pond(int max_particles)
{
    TarnWaveParticlesDef def = tarn_wave_particles_default_def();
    def.nx = def.nz = 64, def.dx = 0.1f, def.radius = 0.4f, def.radii = 1;
    def.max_particles = max_particles;
    return def;
}

// No damping, walls that keep everything, and nothing too small.
static TarnWaveParticles* make(const TarnWaveParticlesDef* def, float least, float restitution)
{
    TarnWaveParticles* waves;
    TarnWaveParticlesParams params = tarn_wave_particles_default_params();
    params.damping = 0.0f, params.choppiness = 0.0f, params.max_height = 1.0f;
    params.least = least, params.restitution = restitution;
    assert_ok(tarn_wave_particles_create(ctx, def, &waves));
    assert_ok(tarn_wave_particles_set_params(waves, &params));
    return waves;
}

static double sum_of_amplitudes(const TarnWaveParticles* waves)
{
    double sum = 0.0;
    for (int i = 0; i < tarn_wave_particles_count(waves); ++i) {
        TarnWaveParticle p;
        assert_ok(tarn_wave_particles_get(waves, i, &p));
        sum += (double)p.amplitude;
    }
    return sum;
}

static void run(TarnWaveParticles* waves, int steps, float dt)
{
    for (int s = 0; s < steps; ++s) assert_ok(tarn_wave_particles_step(waves, dt, NULL));
}

// A particle ends when what a split or a wall would leave of it is below `least`, and not before.
static void weak_particles_end(void** state)
{
    (void)state;
    TarnWaveParticlesDef def = closed_pond(1000);
    TarnWaveParticle front = {
        .position = { 3, 3 }, .direction = { 1, 0 }, .amplitude = 0.1f, .angle = 0.0f
    };
    TarnWaveParticles* waves = make(&def, 0.03f, 0.5f);
    assert_ok(tarn_wave_particles_add(waves, &front, 1));
    run(waves, 4, 1.0f); // one wall is 3.4 m away, the other 6.4 m farther: 1.1 m/s
    TarnWaveParticle p;
    assert_int_equal(tarn_wave_particles_count(waves), 1);
    assert_ok(tarn_wave_particles_get(waves, 0, &p));
    assert_true(p.amplitude == 0.05f && p.direction.x == -1.0f);
    run(waves, 6, 1.0f); // the second wall would leave 0.025
    assert_int_equal(tarn_wave_particles_count(waves), 0);
    tarn_wave_particles_destroy(waves);

    front.angle = 0.3f;
    for (int is_weak = 0; is_weak < 2; ++is_weak) {
        waves = make(&def, is_weak ? 0.034f : 0.033f, 1.0f);
        assert_ok(tarn_wave_particles_add(waves, &front, 1));
        run(waves, 1, 1.0f); // half a radius apart after 0.67 m
        assert_int_equal(tarn_wave_particles_count(waves), is_weak ? 0 : 3);
        tarn_wave_particles_destroy(waves);
    }
}

// Where there is no room, particles that are close and run the same way become one with the sum of their amplitudes.
static void crowds_are_merged(void** state)
{
    (void)state;
    TarnWaveParticlesDef def = closed_pond(64);
    TarnWaveParticles* waves = make(&def, 1e-6f, 1.0f);
    for (int i = 0; i < 64; ++i) { // in four crowds of sixteen
        TarnWaveParticle p = { .position = { 1.01f + 0.001f * (float)(i % 16), 1.0f },
                               .direction = { 1.0f, 0.5f },
                               .amplitude = 0.01f };
        p.position.y = 1.01f + (float)(i / 16);
        assert_ok(tarn_wave_particles_add(waves, &p, 1));
    }
    TarnWaveParticle more = { .position = { 3, 3 }, .direction = { 0, 1 }, .amplitude = 0.02f };
    assert_ok(tarn_wave_particles_add(waves, &more, 1)); // there is no room for it
    assert_int_equal(tarn_wave_particles_count(waves), 64);
    double before = sum_of_amplitudes(waves);
    TarnStepReport report;
    assert_ok(tarn_wave_particles_step(waves, 0.01f, &report));
    assert_true(report.flags & TARN_STEP_CAPACITY_FULL);
    assert_int_equal(tarn_wave_particles_count(waves), 4);
    assert_true(fabs(sum_of_amplitudes(waves) - before) < 1e-6);
    assert_ok(tarn_wave_particles_step(waves, 0.01f, &report));
    assert_false(report.flags & TARN_STEP_CAPACITY_FULL);
    tarn_wave_particles_destroy(waves);
}

// Where none are alike the smallest end, until a quarter is free.
static void the_smallest_end_first(void** state)
{
    (void)state;
    TarnWaveParticlesDef def = closed_pond(64);
    TarnWaveParticles* waves = make(&def, 1e-6f, 1.0f);
    for (int i = 0; i < 65; ++i) {
        TarnWaveParticle p = { .position = { 0.3f + 0.7f * (float)(i % 8), 0.3f },
                               .direction = { 1.0f, 0.0f },
                               .amplitude = i % 4 ? 0.1f : 0.001f };
        p.position.y += 0.7f * (float)(i / 8 % 8);
        assert_ok(tarn_wave_particles_add(waves, &p, 1));
    }
    run(waves, 1, 0.01f);
    assert_int_equal(tarn_wave_particles_count(waves), 48);
    for (int i = 0; i < 48; ++i) {
        TarnWaveParticle p;
        assert_ok(tarn_wave_particles_get(waves, i, &p));
        assert_true(p.amplitude == 0.1f);
    }
    tarn_wave_particles_destroy(waves);
}

// After days the clock is as fine as at the beginning: the same particles come to the same places, to the bit.
static void time_is_rebased(void** state)
{
    (void)state;
    TarnWaveParticlesDef def = closed_pond(1000);
    TarnWaveParticles *young = make(&def, 1e-6f, 1.0f), *old = make(&def, 1e-6f, 1.0f);
    run(old, 20000, 10.0f); // two and a half days; every second step begins an epoch
    assert_true(tarn_wave_particles_time(old) == 200000.0);
    for (int i = 0; i < 2; ++i) {
        TarnWaveParticles* waves = i ? old : young;
        assert_ok(tarn_wave_particles_add_drop(waves, (TarnVec2){ 3.1f, 2.7f }, 0.3f, 0.05f));
        run(waves, 13, 1.0f / 7.0f);
    }
    assert_true(tarn_wave_particles_count(young) > 30);
    assert_int_equal(tarn_wave_particles_count(young), tarn_wave_particles_count(old));
    for (int i = 0; i < tarn_wave_particles_count(young); ++i) {
        TarnWaveParticle a, b;
        assert_ok(tarn_wave_particles_get(young, i, &a));
        assert_ok(tarn_wave_particles_get(old, i, &b));
        assert_memory_equal(&a, &b, sizeof a);
    }
    assert_memory_equal(tarn_wave_particles_height(young).data,
                        tarn_wave_particles_height(old).data, 64 * 64 * sizeof(float));
    tarn_wave_particles_destroy(young);
    tarn_wave_particles_destroy(old);
}

// The bow of a towed box sheds crests of the volume that it sweeps, and its stern troughs of as much.
static void hulls_shed_what_they_sweep(void** state)
{
    (void)state;
    TarnWaveParticlesDef def = closed_pond(1000);
    TarnWaveParticles* waves = make(&def, 1e-6f, 1.0f);
    TarnBodies* bodies;
    TarnBodiesDef bodies_def = tarn_bodies_default_def();
    assert_ok(tarn_bodies_create(ctx, &bodies_def, &bodies));
    TarnBodyDef box = tarn_body_default_def();
    box.shape = tarn_shape_box(0.8f, 0.2f, 0.5f); // 1 m wide, half of 0.4 m under water
    box.state.position = (TarnVec3){ 3.2f, 0.0f, 3.2f };
    box.state.velocity = (TarnVec3){ 0.3f, 0.0f, 0.0f };
    TarnBodyId id;
    assert_ok(tarn_bodies_add(bodies, &box, &id));
    double r = (double)def.radius, period = 0.5 * r / (double)tarn_wave_particles_speed(waves, 0);
    assert_ok(tarn_couple_wave_particles_bodies(waves, NULL, bodies, (float)(1.5 * period)));
    double crest = 0.0, trough = 0.0;
    for (int i = 0; i < tarn_wave_particles_count(waves); ++i) {
        TarnWaveParticle p;
        assert_ok(tarn_wave_particles_get(waves, i, &p));
        (p.amplitude > 0.0f ? (crest += (double)p.amplitude * r * r)
                            : (trough -= (double)p.amplitude * r * r));
        assert_true(p.amplitude * p.direction.x > 0.0f);
    }
    double swept = 0.3 * 1.0 * 0.2 * period; // speed, width, draft, one tick
    assert_true(fabs(crest / swept - 1.0) < 0.01 && fabs(trough / crest - 1.0) < 1e-4);
    tarn_bodies_destroy(bodies);
    tarn_wave_particles_destroy(waves);
}

// No frame changes the surface by more than a share of the wave: a drop that is added rises while it travels half a
// radius, and one too small to split sinks as long before it ends.
static void waves_rise_and_sink(void** state)
{
    (void)state;
    TarnWaveParticlesDef def = closed_pond(1000);
    TarnWaveParticles* waves = make(&def, 0.034f, 1.0f); // it ends after 0.67 m
    TarnWaveParticle p = {
        .position = { 3, 3 }, .direction = { 1, 0 }, .amplitude = 0.1f, .angle = 0.3f
    };
    assert_ok(tarn_wave_particles_add(waves, &p, 1));
    double highest = 0.0, jump = 0.0, before = 0.0, r2 = (double)(def.radius * def.radius);
    for (int s = 0; s < 60; ++s) {
        run(waves, 1, 1.0f / 60.0f);
        double now = tarn_wave_particles_volume(waves) / r2;
        jump = fmax(jump, fabs(now - before));
        highest = fmax(highest, now), before = now;
    }
    assert_int_equal(tarn_wave_particles_count(waves), 0);
    assert_true(fabs(highest - 0.1) < 1e-6);
    assert_true(jump < 0.012); // half a radius takes 11 frames
    tarn_wave_particles_destroy(waves);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(weak_particles_end), TEST(crowds_are_merged),          TEST(the_smallest_end_first),
        TEST(time_is_rebased),    TEST(hulls_shed_what_they_sweep), TEST(waves_rise_and_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
