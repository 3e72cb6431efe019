// Checks of spray: amounts that do not depend on step and cells, falls, momentum, foam in an eddy, walls, the ledger.

#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void must(CheckRun* run, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
    exit(1);
}

typedef struct Water {
    TarnWorld* world;
    TarnShallow* shallow;
    TarnSpray* spray;
} Water;

// Shallow water with spray on it, in a world.
static Water make(CheckRun* run, TarnShallowDef* def, const TarnSprayDef* spray,
                  const TarnSprayParams* params)
{
    Water w = { 0 };
    TarnWorldDef world = tarn_world_default_def();
    world.max_step = 0.1f; // a step is one of spray
    must(run, tarn_world_create(run->ctx, &world, &w.world));
    must(run, tarn_world_add_shallow(w.world, def, &w.shallow));
    must(run, tarn_world_add_spray(w.world, spray, &w.spray));
    must(run, tarn_spray_set_params(w.spray, params));
    must(run, tarn_world_set_on(w.world, w.spray, w.shallow));
    return w;
}

static void steps(CheckRun* run, const Water* w, float seconds, float dt)
{
    int n = (int)(seconds / dt + 0.5f);
    for (int s = 0; s < n; ++s) must(run, tarn_world_step(w->world, dt, NULL));
}

static double ledger_error(const Water* w)
{
    TarnLedger ledger;
    tarn_world_ledger(w->world, &ledger, NULL, 0);
    return fabs(ledger.error);
}

// ---- A bore: as much is thrown for any step and any cells ------------------------------------------

// A dam of 2 m breaks over water 0.5 m deep in a flume of 60 x 8 m; what its bore has thrown after 3 s.
static double bore_thrown(CheckRun* run, float dx, float dt, double* error)
{
    int nx = (int)(60.0f / dx + 0.5f), nz = (int)(8.0f / dx + 0.5f);
    float* depth = malloc((size_t)nx * (size_t)nz * sizeof *depth);
    for (int c = 0; c < nx * nz; ++c)
        depth[c] = ((float)(c % nx) + 0.5f) * dx < 20.0f ? 2.0f : 0.5f;
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = nx, def.nz = nz, def.dx = dx, def.depth = depth;
    TarnSprayDef spray = tarn_spray_default_def();
    spray.nx = 60, spray.nz = 8, spray.dx = 1.0f, spray.max_drops = 100000;
    TarnSprayParams params = tarn_spray_default_params();
    params.radius = 0.03f, params.fine = 0.0f, params.mist = 0.0f, params.walls = 0.0f;
    Water w = make(run, &def, &spray, &params);
    steps(run, &w, 3.0f, dt);
    double thrown = tarn_spray_ledger(w.spray).thrown;
    *error = ledger_error(&w);
    tarn_world_destroy(w.world);
    free(depth);
    return thrown;
}

static void check_amount(CheckRun* run)
{
    double error[4], base = bore_thrown(run, 0.5f, 1.0f / 60.0f, &error[0]);
    check_add(run, "spray.amount.dx", bore_thrown(run, 0.25f, 1.0f / 60.0f, &error[1]), base, 0.15);
    check_add(run, "spray.amount.dt", bore_thrown(run, 0.5f, 1.0f / 120.0f, &error[2]), base, 0.03);
    check_add(run, "spray.amount.dt_long", bore_thrown(run, 0.5f, 1.0f / 30.0f, &error[3]), base,
              0.03);
    check_add(run, "spray.amount.ledger", fmax(fmax(error[0], error[1]), fmax(error[2], error[3])),
              0.0, 0.0);
}

// ---- A waterfall -----------------------------------------------------------------------------------

static float ledge(float x, float z, void* user)
{
    (void)z, (void)user;
    return x < 10.0f ? 5.0f : 0.0f;
}

// What comes in above falls over the edge and arrives below; and after it has begun to, as long as a fall of 5 m takes.
static void check_fall(CheckRun* run)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = 96, def.nz = 8, def.dx = 0.25f, def.bed_fn = ledge, def.fall_drop = 1.0f;
    def.edge_x1 = TARN_SHALLOW_FALL;
    TarnSprayDef spray = tarn_spray_default_def();
    spray.nx = 48, spray.nz = 4, spray.dx = 0.5f;
    TarnSprayParams params = tarn_spray_default_params();
    params.crests = params.walls = params.fine = params.mist = 0.0f;
    Water w = make(run, &def, &spray, &params);
    TarnShallowSpanDef in = tarn_shallow_default_span();
    in.side = TARN_SIDE_X0, in.kind = TARN_SHALLOW_DISCHARGE, in.value = 2.0f;
    must(run, tarn_shallow_add_span(w.shallow, &in, NULL));
    double begun = -1.0, landed = -1.0;
    for (int s = 0; s < 60 * 60; ++s) {
        must(run, tarn_world_step(w.world, 1.0f / 60.0f, NULL));
        TarnSprayLedger l = tarn_spray_ledger(w.spray);
        if (begun < 0.0 && l.caught > 0.0) begun = tarn_world_time(w.world);
        if (landed < 0.0 && l.landed > 0.0) landed = tarn_world_time(w.world);
    }
    TarnSprayLedger before = tarn_spray_ledger(w.spray);
    double out_before = tarn_shallow_ledger(w.shallow).edges;
    steps(run, &w, 10.0f, 1.0f / 60.0f);
    TarnSprayLedger after = tarn_spray_ledger(w.spray);
    double net = tarn_shallow_ledger(w.shallow).edges - out_before;
    check_add(run, "spray.fall.over_edge", (after.caught - before.caught) / 10.0, 2.0, 0.01);
    check_add(run, "spray.fall.arrives", (after.landed - before.landed) / 10.0, 2.0, 0.02);
    check_add(run, "spray.fall.in_out", net / 10.0, 0.0, 0.04);
    check_add(run, "spray.fall.time", landed - begun, sqrt(2.0 * 5.0 / 9.81), 0.05);
    check_add(run, "spray.fall.ledger", ledger_error(&w), 0.0, 0.0);
    tarn_world_destroy(w.world);
}

// ---- Momentum ----------------------------------------------------------------------------------------

static double momentum_x(const TarnShallow* water) // [N s]
{
    TarnView2 u = tarn_shallow_velocity_x(water), h = tarn_shallow_depth(water);
    double sum = 0.0, dx = (double)tarn_shallow_def(water)->dx;
    for (int k = 0; k < h.nz; ++k) {
        for (int i = 1; i < h.nx; ++i) {
            const float* d = h.data + (size_t)h.stride * (size_t)k + i;
            sum += 500.0 * dx * dx *
                   (double)((d[0] + d[-1]) * u.data[(size_t)u.stride * (size_t)k + (size_t)i]);
        }
    }
    return sum;
}

// Half a cubic meter at 3 m/s falls into a lake: its momentum is there when it has landed.
static void check_momentum(CheckRun* run)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = def.nz = 64, def.dx = 0.5f, def.level = 1.0f, def.has_level = true;
    TarnSprayDef spray = tarn_spray_default_def();
    spray.nx = spray.nz = 32;
    TarnSprayParams params = tarn_spray_default_params();
    params.crests = params.walls = params.fine = params.mist = params.jitter = 0.0f;
    Water w = make(run, &def, &spray, &params);
    TarnThrow t = { .position = { 14.0f, 2.0f, 16.0f },
                    .half = { 0.5f, 0.2f, 0.5f },
                    .velocity = { 3.0f, 0.0f, 0.0f },
                    .volume = 0.5,
                    .kind = TARN_THROW_FALL };
    must(run, tarn_spray_throw(w.spray, 1, &t));
    steps(run, &w, 0.7f, 1.0f / 240.0f);
    TarnSprayLedger l = tarn_spray_ledger(w.spray);
    check_add(run, "spray.momentum.landed", l.landed, 0.5, 1e-5);
    check_add(run, "spray.momentum.water", momentum_x(w.shallow), 1500.0, 0.05);
    check_add(run, "spray.momentum.volume", tarn_shallow_ledger(w.shallow).sources, 0.5, 1e-5);
    tarn_world_destroy(w.world);
}

// ---- Foam --------------------------------------------------------------------------------------------

// A disc that turns like a wheel once in 10 s.
static void wheel(const void* self, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    (void)self;
    const float turn = 0.62831853f;
    for (int i = 0; i < n; ++i) {
        if (out->height) out->height[i] = 0.0f;
        if (out->depth) out->depth[i] = 5.0f;
        if (out->velocity)
            out->velocity[i] = (TarnVec3){ -turn * (z[i] - 32.0f), 0.0f, turn * (x[i] - 32.0f) };
    }
}

static void foam_center(const TarnSpray* spray, double* x, double* z, double* peak)
{
    TarnView2 foam = tarn_spray_foam(spray);
    double sum = 0.0;
    *x = *z = *peak = 0.0;
    for (int k = 0; k < foam.nz; ++k) {
        for (int i = 0; i < foam.nx; ++i) {
            double f = (double)foam.data[(size_t)foam.stride * (size_t)k + (size_t)i];
            sum += f, *x += f * (i + 0.5), *z += f * (k + 0.5);
            *peak = fmax(*peak, f);
        }
    }
    *x /= sum, *z /= sum;
}

static void check_eddy(CheckRun* run)
{
    TarnSprayDef def = tarn_spray_default_def();
    TarnSpray* spray;
    def.nx = def.nz = 64;
    must(run, tarn_spray_create(run->ctx, &def, &spray));
    TarnSprayParams params = tarn_spray_default_params();
    params.foam_life = 1e4f;
    must(run, tarn_spray_set_params(spray, &params));
    for (int n = 1; n <= 8; ++n) // a heap, which goes 75 m
        must(run, tarn_spray_add_foam(spray, (TarnVec2){ 44.0f, 32.0f }, (float)n, 0.1f));
    TarnSprayAround around = { .water = { .query = wheel } };
    double x0, z0, x1, z1, peak0, peak1;
    foam_center(spray, &x0, &z0, &peak0);
    for (int s = 0; s < 600; ++s) must(run, tarn_spray_step(spray, &around, 1.0f / 60.0f, NULL));
    foam_center(spray, &x1, &z1, &peak1);
    check_add(run, "spray.eddy.returns", hypot(x1 - x0, z1 - z0), 0.0, 0.75);
    check_add(run, "spray.eddy.peak", peak1, peak0, 0.2);
    // A drop that lands leaves particles, which come back too.
    tarn_spray_reset(spray);
    must(run, tarn_spray_set_params(spray, &params));
    TarnThrow t = { .position = { 44.0f, 0.05f, 32.0f },
                    .half = { 0.3f, 0.01f, 0.3f },
                    .volume = 0.05,
                    .kind = TARN_THROW_FALL };
    params.foam = 20.0f;
    must(run, tarn_spray_set_params(spray, &params));
    must(run, tarn_spray_throw(spray, 1, &t));
    TarnParticlesView foam = { 0 };
    for (int s = 0; s < 60 && foam.n == 0; ++s) {
        must(run, tarn_spray_step(spray, &around, 1.0f / 60.0f, NULL));
        foam = tarn_spray_foam_particles(spray);
    }
    for (int s = 0; s < 60; ++s) must(run, tarn_spray_step(spray, &around, 1.0f / 60.0f, NULL));
    foam = tarn_spray_foam_particles(spray);
    double fx = foam.n > 0 ? (double)foam.x[0] : 0.0, fz = foam.n > 0 ? (double)foam.z[0] : 0.0;
    for (int s = 0; s < 600; ++s) must(run, tarn_spray_step(spray, &around, 1.0f / 60.0f, NULL));
    foam = tarn_spray_foam_particles(spray);
    double off = foam.n > 0 ? hypot((double)foam.x[0] - fx, (double)foam.z[0] - fz) : 1e9;
    check_add(run, "spray.eddy.particle", off, 0.0, 0.05);
    tarn_spray_destroy(spray);
}

// ---- Walls, ledger ------------------------------------------------------------------------------------

// Water is thrown at all walls of a basin; none of it leaves.
static void check_walls(CheckRun* run)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = def.nz = 32, def.dx = 0.5f, def.level = 0.5f, def.has_level = true;
    TarnSprayDef spray = tarn_spray_default_def();
    spray.nx = spray.nz = 16;
    TarnSprayParams params = tarn_spray_default_params();
    Water w = make(run, &def, &spray, &params);
    double before = tarn_shallow_ledger(w.shallow).volume;
    for (int n = 0; n < 40; ++n) {
        float a = (float)n * 0.785398f;
        TarnThrow t = { .position = { 8.0f, 1.0f, 8.0f },
                        .half = { 0.2f, 0.2f, 0.2f },
                        .velocity = { 15.0f * cosf(a), 6.0f, 15.0f * sinf(a) },
                        .volume = 0.01,
                        .kind = TARN_THROW_FALL };
        must(run, tarn_spray_throw(w.spray, 1, &t));
        steps(run, &w, 0.1f, 1.0f / 60.0f);
    }
    steps(run, &w, 4.0f, 1.0f / 60.0f);
    TarnSprayLedger l = tarn_spray_ledger(w.spray);
    check_add(run, "spray.walls.left", l.left, 0.0, 0.0);
    check_add(run, "spray.walls.kept", tarn_shallow_ledger(w.shallow).volume + l.held - before, 0.4,
              1e-9);
    tarn_world_destroy(w.world);
}

// A river over three ledges into a basin, for ten minutes: not a grain is lost. A grain is 2^-20 m deep, 6e-8 m^3.
static float stairs(float x, float z, void* user)
{
    (void)z, (void)user;
    return x < 6.0f ? 6.0f : x < 12.0f ? 4.0f : x < 18.0f ? 2.0f : 0.0f;
}
static void check_ledger(CheckRun* run)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = 96, def.nz = 24, def.dx = 0.25f, def.bed_fn = stairs, def.fall_drop = 0.8f;
    TarnSprayDef spray = tarn_spray_default_def();
    spray.nx = 48, spray.nz = 12, spray.dx = 0.5f, spray.max_drops = 20000;
    TarnSprayParams params = tarn_spray_default_params();
    Water w = make(run, &def, &spray, &params);
    TarnShallowSpanDef in = tarn_shallow_default_span();
    in.side = TARN_SIDE_X0, in.kind = TARN_SHALLOW_DISCHARGE, in.value = 3.0f;
    must(run, tarn_shallow_add_span(w.shallow, &in, NULL));
    double most = 0.0;
    for (int minute = 0; minute < (run->is_quick ? 1 : 10); ++minute) {
        steps(run, &w, run->is_quick ? 20.0f : 60.0f, 1.0f / 60.0f);
        most = fmax(most, ledger_error(&w));
    }
    check_add(run, "spray.ledger.shallow", tarn_shallow_ledger(w.shallow).error, 0.0, 0.0);
    check_add(run, "spray.ledger.all", most, 0.0, 0.0);
    check_add(run, "spray.ledger.passed", tarn_spray_ledger(w.spray).landed > 1.0, 1.0, 0.0);
    tarn_world_destroy(w.world);
}

// Water is thrown over a wall that stands in the lake, and against a block that floats in place: it stays outside of both,
// comes down on this side of the wall, and none of it is lost.
static void check_solids(CheckRun* run)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = def.nz = 64, def.dx = 0.5f, def.level = 0.5f, def.has_level = true;
    TarnSprayDef spray = tarn_spray_default_def();
    spray.nx = spray.nz = 32;
    TarnSprayParams params = tarn_spray_default_params();
    params.fine = params.mist = 0.0f;
    Water w = make(run, &def, &spray, &params);
    TarnSolidDef wall = tarn_solid_default_def();
    wall.shape = tarn_shape_box(0.05f, 20.0f, 40.0f);
    wall.motion.position = (TarnVec3){ 20.0f, 0.0f, 16.0f };
    must(run, tarn_solids_add(tarn_world_solids(w.world), &wall, NULL));
    TarnBodyDef block = tarn_body_default_def();
    block.shape = tarn_shape_box(1.0f, 2.0f, 1.0f);
    block.state.position = (TarnVec3){ 8.0f, 1.0f, 16.0f };
    block.is_driven = true;
    must(run, tarn_world_add_body(w.world, &block, NULL));
    double before = tarn_shallow_ledger(w.shallow).volume, beyond = 0.0, inside = 0.0, on_top = 0.0;
    for (int s = 0; s < 360; ++s) {
        TarnThrow t = { .position = { 14.0f, 1.5f, 16.0f },
                        .half = { 0.2f, 0.2f, 0.2f },
                        .velocity = { s & 1 ? 15.0f : -8.0f, 4.0f, 0.0f },
                        .volume = 0.005,
                        .kind = TARN_THROW_FALL };
        if (s < 120) must(run, tarn_spray_throw(w.spray, 1, &t));
        must(run, tarn_world_step(w.world, 1.0f / 60.0f, NULL));
        TarnParticlesView v = tarn_spray_drops(w.spray);
        for (int p = 0; p < v.n; ++p) {
            beyond += v.x[p] > 20.0f;
            inside += fabsf(v.x[p] - 8.0f) < 0.99f && fabsf(v.y[p] - 1.0f) < 1.99f &&
                      fabsf(v.z[p] - 16.0f) < 0.99f;
            on_top += fabsf(v.x[p] - 8.0f) < 1.1f && fabsf(v.z[p] - 16.0f) < 1.1f && v.y[p] < 3.1f;
        }
    }
    TarnSprayLedger l = tarn_spray_ledger(w.spray);
    check_add(run, "spray.solids.beyond", beyond, 0.0, 0.0);
    check_add(run, "spray.solids.inside", inside, 0.0, 0.0);
    check_add(run, "spray.solids.met", on_top > 10.0, 1.0, 0.0); // some ran down the block
    check_add(run, "spray.solids.ran_off", tarn_spray_drops(w.spray).n, 0.0, 0.0);
    check_add(run, "spray.solids.kept", tarn_shallow_ledger(w.shallow).volume + l.held - before,
              l.caught, 1e-9);
    check_add(run, "spray.solids.ledger", ledger_error(&w), 0.0, 0.0);
    tarn_world_destroy(w.world);
}

void check_spray(CheckRun* run, const char* group)
{
    if (strcmp(group, "spray.amount") == 0) check_amount(run);
    if (strcmp(group, "spray.fall") == 0) check_fall(run);
    if (strcmp(group, "spray.momentum") == 0) check_momentum(run);
    if (strcmp(group, "spray.eddy") == 0) check_eddy(run);
    if (strcmp(group, "spray.walls") == 0) check_walls(run);
    if (strcmp(group, "spray.ledger") == 0) check_ledger(run);
    if (strcmp(group, "spray.solids") == 0) check_solids(run);
}
