// Checks of particle systems: parabolas, drag, rates, bounces, orbits, the ledger,
// and the promises of the header.

#include "check.h"
#include "tarn/particles.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static void stop_run(CheckRun* run)
{
    fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
    exit(1);
}

static TarnParticles* make(CheckRun* run, int max_particles, TarnVec3 gravity, float drag)
{
    TarnParticlesDef def = tarn_particles_default_def();
    TarnParticlesParams params = tarn_particles_default_params();
    TarnParticles* set;
    def.max_particles = max_particles;
    params.gravity = gravity;
    params.drag = drag;
    if (tarn_particles_create(run->ctx, &def, &set) != TARN_OK ||
        tarn_particles_set_params(set, &params) != TARN_OK)
        stop_run(run);
    return set;
}

static void add_one(TarnParticles* set, TarnVec3 x, TarnVec3 v)
{
    tarn_particles_add(set, 1, &x, &v, NULL, 0.01f, 0);
}

static void advance(CheckRun* run, TarnParticles* set, double time, double dt)
{
    int n = (int)(time / dt + 0.5);
    for (int s = 0; s < n; ++s) {
        if (tarn_particles_step(set, (float)(time / n), NULL) != TARN_OK) stop_run(run);
    }
}

// ---- Ballistic -----------------------------------------------------------------------------------

// 4 s of flight against the parabola; returns the largest error of a coordinate.
static double fly(CheckRun* run, double dt, double x[3])
{
    TarnParticles* set = make(run, 10, (TarnVec3){ 0.5f, -9.81f, -0.25f }, 0.0f);
    add_one(set, (TarnVec3){ 1.0f, 2.0f, 3.0f }, (TarnVec3){ 10.0f, 20.0f, -5.0f });
    advance(run, set, 4.0, dt);
    TarnParticlesView v = tarn_particles_view(set);
    const double exact[3] = { 1.0 + 40.0 + 8.0 * 0.5, 2.0 + 80.0 - 8.0 * (double)9.81f,
                              3.0 - 20.0 - 8.0 * 0.25 };
    x[0] = (double)v.x[0], x[1] = (double)v.y[0], x[2] = (double)v.z[0];
    double worst = 0.0;
    for (int d = 0; d < 3; ++d) worst = fmax(worst, fabs(x[d] - exact[d]));
    tarn_particles_destroy(set);
    return worst;
}

// What is left is rounding: n equal steps of floats near 20 may err by n * 1e-6 m/s in the speed.
static void check_ballistic(CheckRun* run)
{
    const double dts[] = { 4.0, 1.0, 0.1, 1.0 / 30.0, 1.0 / 60.0 };
    double worst = 0.0, apart = 0.0, first[3], x[3];
    fly(run, dts[0], first);
    for (int n = 0; n < 5; ++n) {
        worst = fmax(worst, fly(run, dts[n], x));
        for (int d = 0; d < 3; ++d) apart = fmax(apart, fabs(x[d] - first[d]));
    }
    check_add(run, "particles.ballistic.parabola", worst, 0.0, 3e-4);
    check_add(run, "particles.ballistic.any_dt", apart, 0.0, 3e-4);
    check_add(run, "particles.ballistic.1000Hz", fly(run, 0.001, x), 0.0, 5e-3);
}

// ---- Drag ----------------------------------------------------------------------------------------

static void check_drag(CheckRun* run)
{
    const double dts[] = { 0.001, 1.0 / 60.0, 0.3, 3.0 };
    double worst_v = 0.0, worst_x = 0.0;
    for (int n = 0; n < 4; ++n) {
        double k = (double)0.7f, g = (double)9.81f, t = 3.0;
        TarnParticles* set = make(run, 10, (TarnVec3){ 0.0f, -9.81f, 0.0f }, 0.7f);
        TarnParticlesParams params = tarn_particles_params(set);
        params.wind = (TarnVec3){ 4.0f, 0.0f, 0.0f };
        tarn_particles_set_params(set, &params);
        add_one(set, (TarnVec3){ 0 }, (TarnVec3){ -6.0f, 12.0f, 0.0f });
        advance(run, set, t, dts[n]);
        TarnParticlesView v = tarn_particles_view(set);
        double e = exp(-k * t), end = -g / k;
        worst_v = fmax(worst_v, fabs((double)v.vx[0] - (4.0 - 10.0 * e)));
        worst_v = fmax(worst_v, fabs((double)v.vy[0] - (end + (12.0 - end) * e)));
        worst_x = fmax(worst_x, fabs((double)v.x[0] - (4.0 * t - 10.0 * (1.0 - e) / k)));
        worst_x = fmax(worst_x, fabs((double)v.y[0] - (end * t + (12.0 - end) * (1.0 - e) / k)));
        tarn_particles_destroy(set);
    }
    check_add(run, "particles.drag.speed", worst_v, 0.0, 1e-4);
    check_add(run, "particles.drag.place", worst_x, 0.0, 3e-4);
    TarnParticles* set = make(run, 10, (TarnVec3){ 0.0f, -9.81f, 0.0f }, 2.0f);
    add_one(set, (TarnVec3){ 0.0f, 100.0f, 0.0f }, (TarnVec3){ 0 });
    advance(run, set, 20.0, 1.0 / 60.0);
    check_add(run, "particles.drag.terminal", -(double)tarn_particles_view(set).vy[0],
              (double)9.81f / 2.0, 5e-6);
    tarn_particles_destroy(set);
    // A stiff drag is no stability limit.
    set = make(run, 10, (TarnVec3){ 0.0f, -9.81f, 0.0f }, 1e4f);
    add_one(set, (TarnVec3){ 0 }, (TarnVec3){ 900.0f, 0.0f, 0.0f });
    advance(run, set, 1.0, 0.5);
    check_add(run, "particles.drag.stiff", (double)tarn_particles_view(set).x[0], 0.09, 1e-4);
    tarn_particles_destroy(set);
}

// ---- Rate ----------------------------------------------------------------------------------------

// Frames of 1 to 300 ms in a fixed disorder. After each, as many were made as time and rate say.
static void check_rate(CheckRun* run)
{
    const float rates[] = { 0.77f, 24.0f, 333.3f, 50000.0f };
    double worst = 0.0, clump = 0.0;
    for (int n = 0; n < 4; ++n) {
        TarnParticles* set = make(run, 500000, (TarnVec3){ 0 }, 0.0f);
        TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
        def.rate = rates[n], def.lifetime = 1e6f, def.speed_jitter = def.spread = 0.0f;
        def.speed = 1.0f;
        tarn_particles_add_emitter(set, &def, NULL);
        unsigned dice = 1;
        while (tarn_particles_time(set) < 9.0) {
            dice = dice * 1664525u + 1013904223u;
            if (tarn_particles_step(set, 0.001f * (float)(1 + dice % 300), NULL) != TARN_OK)
                stop_run(run);
            double want = floor((double)rates[n] * tarn_particles_time(set) + 1e-7);
            worst = fmax(worst, fabs((double)tarn_particles_ledger(set).added - want));
        }
        // Along the jet they are evenly spaced: place k / rate behind the first.
        TarnParticlesView v = tarn_particles_view(set);
        double time = tarn_particles_time(set);
        for (int i = 0; i < v.n; ++i) {
            double born = (double)(v.id[i] + 1) / (double)rates[n];
            clump = fmax(clump, fabs((double)v.y[i] - (time - born)));
        }
        tarn_particles_destroy(set);
    }
    check_add(run, "particles.rate.count_error", worst, 0.0, 0.0);
    check_add(run, "particles.rate.spacing_error", clump, 0.0, 5e-5);
}

// ---- Bounce --------------------------------------------------------------------------------------

static TarnSolids* make_floor(CheckRun* run, float restitution, float friction)
{
    TarnSolidsDef set_def = tarn_solids_default_def();
    TarnSolids* solids;
    if (tarn_solids_create(run->ctx, &set_def, &solids) != TARN_OK) stop_run(run);
    TarnSolidDef def = tarn_solid_default_def();
    def.shape.kind = TARN_SHAPE_BOX;
    def.shape.size = (TarnVec3){ 50.0f, 0.5f, 50.0f };
    def.motion.position.y = -0.5f;
    def.restitution = restitution, def.friction = friction;
    TarnSolidId id;
    if (tarn_solids_add(solids, &def, &id) != TARN_OK) stop_run(run);
    return solids;
}

static void step_with(CheckRun* run, TarnParticles* set, TarnSolids* solids, float dt)
{
    if (tarn_solids_advance(solids, dt) != TARN_OK || tarn_particles_step(set, dt, NULL) != TARN_OK)
        stop_run(run);
}

// Energy over g is the height that the next bounce reaches: falls by e^2 per bounce.
static void check_heights(CheckRun* run, const char* name, float e, double dt)
{
    TarnSolids* solids = make_floor(run, e, 0.0f);
    TarnParticles* set = make(run, 10, (TarnVec3){ 0.0f, -9.81f, 0.0f }, 0.0f);
    tarn_particles_set_solids(set, solids);
    tarn_particles_set_events(set, 1u << TARN_PARTICLE_HIT, NULL, NULL);
    add_one(set, (TarnVec3){ 0.0f, 2.01f, 0.0f }, (TarnVec3){ 0 });
    int bounces = 0;
    while (bounces < 5 && tarn_particles_time(set) < 20.0) {
        step_with(run, set, solids, (float)dt);
        int n;
        tarn_particles_events(set, &n);
        bounces += n;
    }
    TarnParticlesView v = tarn_particles_view(set);
    double vy = (double)v.vy[0], top = (double)v.y[0] - 0.01 + 0.5 * vy * vy / (double)9.81f;
    check_add(run, name, top, 2.0 * pow((double)e, 10.0), 1e-4);
    tarn_particles_destroy(set);
    tarn_solids_destroy(solids);
}

// How far a particle slides down a slope of 20 degrees in 1 s; gravity is turned, not the floor.
static void check_slope(CheckRun* run, const char* name, float friction, double way)
{
    TarnSolids* solids = make_floor(run, 0.0f, friction);
    TarnVec3 g = { 9.81f * 0.342020f, -9.81f * 0.939693f, 0.0f };
    TarnParticles* set = make(run, 10, g, 0.0f);
    tarn_particles_set_solids(set, solids);
    add_one(set, (TarnVec3){ 0.0f, 0.01f, 0.0f }, (TarnVec3){ 0 });
    for (int s = 0; s < 60; ++s) step_with(run, set, solids, 1.0f / 60.0f);
    check_add(run, name, (double)tarn_particles_view(set).x[0], way, way > 0.0 ? 0.02 : 1e-4);
    tarn_particles_destroy(set);
    tarn_solids_destroy(solids);
}

static void check_bounce(CheckRun* run)
{
    check_heights(run, "particles.bounce.0.8.60Hz", 0.8f, 1.0 / 60.0);
    check_heights(run, "particles.bounce.0.8.13Hz", 0.8f, 1.0 / 13.0);
    check_heights(run, "particles.bounce.0.9.250Hz", 0.9f, 1.0 / 250.0);
    check_heights(run, "particles.bounce.1.0.30Hz", 1.0f, 1.0 / 30.0);

    // Sliding: friction f acts as f / (1 - f), v^2 / (2 mu g) to a halt.
    TarnSolids* solids = make_floor(run, 0.0f, 0.25f);
    TarnParticles* set = make(run, 10, (TarnVec3){ 0.0f, -9.81f, 0.0f }, 0.0f);
    tarn_particles_set_solids(set, solids);
    add_one(set, (TarnVec3){ 0.0f, 0.01f, 0.0f }, (TarnVec3){ 4.0f, 0.0f, 0.0f });
    for (int s = 0; s < 180; ++s) step_with(run, set, solids, 1.0f / 60.0f);
    TarnParticlesView v = tarn_particles_view(set);
    check_add(run, "particles.bounce.slide", (double)v.x[0], 8.0 / (9.81 / 3.0), 5e-3);
    check_add(run, "particles.bounce.halt", fabs((double)v.vx[0]) + fabs((double)v.vy[0]), 0.0,
              1e-4);
    // On a slope of 20 degrees (0.36) that friction 1/3 cannot hold, and 0.5 can.
    tarn_particles_destroy(set);
    tarn_solids_destroy(solids);
    check_slope(run, "particles.bounce.slope_slides", 0.25f,
                0.5 * 9.81 * (0.342020 - 0.939693 / 3.0));
    check_slope(run, "particles.bounce.slope_holds", 0.5f, 0.0);
}

// ---- Attractors ----------------------------------------------------------------------------------

// A circular orbit at r = 2 around a pull of 8 m/s^2 at radius 1: v^2 = 8 / r = 4, period 2 pi r / v.
// Then an ellipse for a hundred turns: energy.
static void check_attractor(CheckRun* run)
{
    TarnParticles* set = make(run, 10, (TarnVec3){ 0 }, 0.0f);
    TarnAttractorDef def = tarn_attractor_default_def();
    def.strength = 8.0f, def.radius = 1.0f;
    if (tarn_particles_add_attractor(set, &def, NULL) != TARN_OK) stop_run(run);
    add_one(set, (TarnVec3){ 2.0f, 0.0f, 0.0f }, (TarnVec3){ 0.0f, 2.0f, 0.0f });
    add_one(set, (TarnVec3){ 3.0f, 0.0f, 0.0f }, (TarnVec3){ 0.0f, 1.4f, 0.0f });
    TarnParticlesView v = tarn_particles_view(set);
    double angle = 0.0, last = 0.0, period = 2.0 * pi, worst_r = 0.0, drift = 0.0, e0 = 0.0;
    const double dt = 1.0 / 60.0;
    int n = (int)(100.0 * period / dt);
    for (int s = 0; s < n; ++s) {
        advance(run, set, dt, dt);
        double now = atan2((double)v.y[0], (double)v.x[0]), turn = now - last;
        angle += turn < -pi ? turn + 2.0 * pi : turn;
        last = now;
        worst_r = fmax(worst_r, fabs(hypot((double)v.x[0], (double)v.y[0]) - 2.0));
        double vx = (double)v.vx[1], vy = (double)v.vy[1];
        double e = 0.5 * (vx * vx + vy * vy) - 8.0 / hypot((double)v.x[1], (double)v.y[1]);
        if (s == 0) e0 = e;
        drift = fmax(drift, fabs(e / e0 - 1.0));
    }
    check_add(run, "particles.attractor.period", n * dt / (angle / (2.0 * pi)), period, 3e-4);
    check_add(run, "particles.attractor.radius", worst_r, 0.0, 5e-4);
    check_add(run, "particles.attractor.energy", drift, 0.0, 2e-4);
    tarn_particles_destroy(set);
}

// ---- Ledger --------------------------------------------------------------------------------------

static void check_ledger(CheckRun* run)
{
    TarnSolids* solids = make_floor(run, 0.5f, 0.1f);
    TarnSolidDef drain = tarn_solid_default_def();
    drain.shape.kind = TARN_SHAPE_SPHERE, drain.shape.size.x = 1.0f, drain.touch = TARN_TOUCH_KILL;
    drain.motion.position.x = 2.0f;
    TarnSolidId drain_id;
    if (tarn_solids_add(solids, &drain, &drain_id) != TARN_OK) stop_run(run);
    TarnParticles* set = make(run, 3000, (TarnVec3){ 0.0f, -9.81f, 0.0f }, 0.1f);
    TarnParticlesParams params = tarn_particles_params(set);
    params.box_max.x = 4.0f;
    tarn_particles_set_params(set, &params);
    tarn_particles_set_solids(set, solids);
    for (int e = 0; e < 3; ++e) {
        TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
        def.shape.kind = TARN_SHAPE_DISC, def.rate = 700.0f, def.spread = 0.8f;
        def.motion.position.y = 0.5f, def.lifetime = 1.0f + (float)e;
        def.limit = e == 0 ? 500 : 0, def.is_recycling = e == 0;
        tarn_particles_add_emitter(set, &def, NULL);
    }
    double open = 0.0;
    for (int s = 0; s < 600; ++s) {
        step_with(run, set, solids, 0.001f * (float)(1 + (s * 37) % 60));
        TarnParticlesLedger l = tarn_particles_ledger(set);
        uint64_t gone = l.died + l.left + l.killed + l.recycled;
        open = fmax(open, fabs((double)(int64_t)(l.added - gone - l.alive)));
        open = fmax(open, fabs((double)l.alive - tarn_particles_view(set).n));
    }
    TarnParticlesLedger l = tarn_particles_ledger(set);
    check_add(run, "particles.ledger.open", open, 0.0, 0.0);
    check_add(run, "particles.ledger.all_kinds",
              l.died > 0 && l.left > 0 && l.killed > 0 && l.recycled > 0, 1.0, 0.0);
    tarn_particles_destroy(set);
    tarn_solids_destroy(solids);
}

void check_particles(CheckRun* run, const char* group)
{
    static const struct {
        const char* name;
        void (*fn)(CheckRun*);
    } parts[] = {
        { "particles.ballistic", check_ballistic }, { "particles.drag", check_drag },
        { "particles.rate", check_rate },           { "particles.bounce", check_bounce },
        { "particles.attractor", check_attractor }, { "particles.ledger", check_ledger }
    };
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; ++p) {
        if (strcmp(group, parts[p].name) == 0) parts[p].fn(run);
    }
}
