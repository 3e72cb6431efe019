// Checks of bodies in waves: Archimedes, and that the coupling conserves volume and is stable.

#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

typedef struct Pool {
    TarnWorld* world;
    TarnWave* wave;
} Pool;

// A closed basin of 6.4 m, 2 m deep, waves of 3 m/s.
static Pool make_pool(CheckRun* run, int n, float depth)
{
    Pool pool;
    TarnWorldDef def = tarn_world_default_def();
    TarnWaveDef wave = tarn_wave_default_def();
    wave.nx = wave.nz = n;
    wave.dx = 6.4f / (float)n;
    wave.depth = depth;
    wave.speed = 3.0f;
    wave.use_bodies = true;
    if (tarn_world_create(run->ctx, &def, &pool.world) != TARN_OK ||
        tarn_world_add_wave(pool.world, &wave, &pool.wave) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    return pool;
}

static TarnBodyId add(CheckRun* run, Pool* pool, TarnShape shape, float density, TarnVec3 at,
                      bool is_driven)
{
    TarnBodyDef def = tarn_body_default_def();
    def.shape = shape;
    def.density = density;
    def.state.position = at;
    def.is_driven = is_driven;
    TarnBodyId id;
    if (tarn_world_add_body(pool->world, &def, &id) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    return id;
}

static TarnBodyState state_of(const Pool* pool, TarnBodyId id)
{
    TarnBodyState state;
    tarn_bodies_get_state(tarn_world_bodies(pool->world), id, &state);
    return state;
}

static void run_for(Pool* pool, double seconds)
{
    int steps = (int)lround(seconds * 60.0);
    for (int n = 0; n < steps; ++n) tarn_world_step(pool->world, 1.0f / 60.0f, NULL);
}

// Depth of a floating sphere: d^2 (3 R - d) = 4 r R^3, by bisection.
static double sphere_draft(double r)
{
    double lo = 0.0, hi = 2.0;
    for (int n = 0; n < 60; ++n) {
        double d = 0.5 * (lo + hi);
        if (d * d * (3.0 - d) < 4.0 * r)
            lo = d;
        else
            hi = d;
    }
    return lo;
}

// Depth below the surface around it at rest, over the height of the body.
static void check_archimedes(CheckRun* run)
{
    const float ratios[] = { 0.25f, 0.5f, 0.75f };
    for (int r = 0; r < 3; ++r) {
        for (int is_box = 0; is_box < 2; ++is_box) {
            Pool pool = make_pool(run, 128, 2.0f);
            TarnShape shape = is_box ? tarn_shape_box(0.5f, 0.25f, 0.5f) : tarn_shape_sphere(0.4f);
            TarnBodyId id =
                add(run, &pool, shape, 1000.0f * ratios[r], (TarnVec3){ 3.2f, 0.3f, 3.21f }, false);
            run_for(&pool, 40.0);
            TarnBodyState s = state_of(&pool, id);
            double surface = (double)tarn_surface_height(tarn_world_surface(pool.world),
                                                         s.position.x, s.position.z);
            double half = is_box ? 0.25 : 0.4, draft = surface - ((double)s.position.y - half);
            double expected =
                is_box ? 0.5 * (double)ratios[r] : 0.4 * sphere_draft((double)ratios[r]);
            char name[64];
            snprintf(name, sizeof name, "float.archimedes.%s.%g", is_box ? "box" : "sphere",
                     (double)ratios[r]);
            check_add(run, name, draft, expected, 0.02);
            tarn_world_destroy(pool.world);
        }
    }
}

// A body as heavy as water, let go under water, stays where it is.
static void check_neutral(CheckRun* run)
{
    for (int is_box = 0; is_box < 2; ++is_box) {
        Pool pool = make_pool(run, 128, 3.0f);
        TarnShape shape = is_box ? tarn_shape_box(0.3f, 0.2f, 0.4f) : tarn_shape_sphere(0.4f);
        TarnBodyId id = add(run, &pool, shape, 1000.0f, (TarnVec3){ 3.17f, -1.5f, 3.23f }, false);
        run_for(&pool, 10.0);
        TarnVec3 p = state_of(&pool, id).position;
        double moved = sqrt(pow((double)p.x - 3.17, 2) + pow((double)p.y + 1.5, 2) +
                            pow((double)p.z - 3.23, 2));
        check_add(run, is_box ? "float.neutral.box_moved_m" : "float.neutral.sphere_moved_m", moved,
                  0.0, 0.01);
        tarn_world_destroy(pool.world);
    }
}

// A driven sphere goes in and out again: the water is as before, and was all there in between.
static void check_in_out(CheckRun* run)
{
    Pool pool = make_pool(run, 128, 2.0f);
    TarnBodyId id =
        add(run, &pool, tarn_shape_sphere(0.5f), 500.0f, (TarnVec3){ 3.2f, 1.0f, 3.2f }, true);
    double worst = 0.0, volume = 4.0 / 3.0 * pi * 0.125, deepest = 0.0;
    for (int n = 0; n < 1200; ++n) {
        double t = n / 60.0, w = t < 10.0 ? 2.0 * pi / 5.0 : 0.0; // two dives, then rest in the air
        TarnBodyState s = { .position = { 3.2f, (float)(cos(w * t)), 3.2f },
                            .rotation = { 0, 0, 0, 1 } };
        s.velocity.y = (float)(-w * sin(w * t));
        tarn_bodies_set_state(tarn_world_bodies(pool.world), id, &s);
        tarn_world_step(pool.world, 1.0f / 60.0f, NULL);
        worst = fmax(worst, fabs(tarn_wave_volume(pool.wave)) / volume);
        deepest = fmax(deepest, tarn_wave_ledger(pool.wave).displaced);
    }
    TarnView2 u = tarn_wave_height(pool.wave);
    double mean = 0.0;
    for (int c = 0; c < u.nx * u.nz; ++c)
        mean += (double)u.data[c % u.nx + (ptrdiff_t)u.stride * (c / u.nx)];
    check_add(run, "float.in_out.volume_error", worst, 0.0, 1e-4);
    check_add(run, "float.in_out.displaced_m3", deepest, volume, 0.05);
    check_add(run, "float.in_out.mean_height_m", mean / (u.nx * u.nz), 0.0, 1e-6);
    check_add(run, "float.in_out.level_lift_m", (double)tarn_wave_level(pool.wave), 0.0, 1e-6);
    tarn_world_destroy(pool.world);
}

// A stone in a bathtub lifts the level by its volume over the area.
static void check_bathtub(CheckRun* run)
{
    Pool pool = make_pool(run, 128, 2.0f);
    add(run, &pool, tarn_shape_box(0.4f, 0.4f, 0.4f), 2500.0f, (TarnVec3){ 3.2f, 1.0f, 3.2f },
        false);
    run_for(&pool, 40.0);
    double level = (double)tarn_surface_height(tarn_world_surface(pool.world), 0.5f, 0.5f);
    check_add(run, "float.bathtub.level_m", level, 0.512 / (6.4 * 6.4), 0.03);
    tarn_world_destroy(pool.world);
}

// With no waves made and no drag a box heaves at sqrt(g / draft).
static void check_heave(CheckRun* run)
{
    Pool pool = make_pool(run, 128, 3.0f);
    TarnWaveParams params = tarn_wave_default_params();
    params.wave_gain = 0.0f;
    params.body_drag = params.body_damping = 0.0f;
    tarn_wave_set_params(pool.wave, &params);
    TarnBodyId id = add(run, &pool, tarn_shape_box(0.5f, 0.5f, 0.5f), 500.0f,
                        (TarnVec3){ 3.2f, 0.05f, 3.2f }, false);
    double last = 0.05, first_crossing = -1.0, crossing = 0.0;
    int count = 0;
    double level = 0.5 / (6.4 * 6.4); // what the floating box itself lifts
    last -= level;
    for (int n = 1; n < 900; ++n) {
        tarn_world_step(pool.world, 1.0f / 60.0f, NULL);
        double y = (double)state_of(&pool, id).position.y - level;
        if (last > 0.0 && y <= 0.0) {
            crossing = (n - 1 + last / (last - y)) / 60.0;
            if (first_crossing < 0.0)
                first_crossing = crossing;
            else
                ++count;
        }
        last = y;
    }
    check_add(run, "float.heave.period_s", (crossing - first_crossing) / count, 1.4185034, 0.02);
    tarn_world_destroy(pool.world);
}

// A heavy sphere sinks at the speed where drag and weight balance.
static void check_terminal(CheckRun* run)
{
    Pool pool = make_pool(run, 128, 60.0f);
    TarnWaveParams params = tarn_wave_default_params();
    params.body_damping = 0.0f;
    tarn_wave_set_params(pool.wave, &params);
    TarnBodyId id =
        add(run, &pool, tarn_shape_sphere(0.1f), 2000.0f, (TarnVec3){ 3.2f, -0.5f, 3.2f }, false);
    run_for(&pool, 10.0);
    check_add(run, "float.terminal.speed", -(double)state_of(&pool, id).velocity.y, 2.3592281,
              0.01);
    tarn_world_destroy(pool.world);
}

// Light bodies of any size are not flung, at any frame rate.
static void check_light(CheckRun* run)
{
    const float steps[] = { 1.0f / 60.0f, 1.0f / 15.0f, 0.5f };
    for (int d = 0; d < 3; ++d) {
        Pool pool = make_pool(run, 128, 2.0f);
        TarnBodyId ids[3];
        ids[0] = add(run, &pool, tarn_shape_box(1.0f, 0.1f, 1.0f), 10.0f,
                     (TarnVec3){ 1.6f, 0.1f, 1.6f }, false);
        ids[1] =
            add(run, &pool, tarn_shape_sphere(0.1f), 20.0f, (TarnVec3){ 4.8f, -1.5f, 4.8f }, false);
        ids[2] =
            add(run, &pool, tarn_shape_sphere(0.5f), 5.0f, (TarnVec3){ 4.8f, 0.2f, 1.6f }, false);
        double high = 0.0;
        for (int n = 0; n < (int)(20.0f / steps[d]); ++n) {
            tarn_world_step(pool.world, steps[d], NULL);
            for (int b = 0; b < 3; ++b)
                high = fmax(high, (double)state_of(&pool, ids[b]).position.y);
        }
        char name[64];
        snprintf(name, sizeof name, "float.light.highest_m.dt%.3f", (double)steps[d]);
        check_add(run, name, high, 0.0, 1.5);
        snprintf(name, sizeof name, "float.light.rest_speed.dt%.3f", (double)steps[d]);
        check_add(run, name, fabs((double)state_of(&pool, ids[0]).velocity.y), 0.0, 0.05);
        tarn_world_destroy(pool.world);
    }
}

// A body that ploughs through at 50 mph: the water stays finite and calms down.
static void check_fast(CheckRun* run)
{
    Pool pool = make_pool(run, 128, 2.0f);
    TarnBodyId id = add(run, &pool, tarn_shape_box(0.5f, 0.3f, 0.3f), 500.0f,
                        (TarnVec3){ 3.2f, 0.0f, 3.2f }, true);
    double high = 0.0;
    for (int n = 0; n < 600; ++n) {
        double t = n / 60.0, x = 3.2 + 2.5 * sin(9.0 * t);
        TarnBodyState s = { .position = { (float)x, 0.0f, 3.2f },
                            .rotation = { 0, 0, 0, 1 },
                            .velocity = { (float)(22.5 * cos(9.0 * t)), 0, 0 } };
        tarn_bodies_set_state(tarn_world_bodies(pool.world), id, &s);
        tarn_world_step(pool.world, 1.0f / 60.0f, NULL);
        TarnView2 u = tarn_wave_height(pool.wave);
        for (int c = 0; c < u.nx * u.nz; ++c)
            high = fmax(high, fabs((double)u.data[c % u.nx + (ptrdiff_t)u.stride * (c / u.nx)]));
    }
    check_add(run, "float.fast.highest_wave_m", high, 0.0, 3.0);
    check_add(run, "float.fast.volume_error", tarn_wave_volume(pool.wave), 0.0, 1e-4);
    tarn_world_destroy(pool.world);
}

void check_floating(CheckRun* run, const char* group)
{
    static const struct {
        const char* name;
        void (*fn)(CheckRun*);
    } parts[] = {
        { "float.archimedes", check_archimedes }, { "float.neutral", check_neutral },
        { "float.in_out", check_in_out },         { "float.bathtub", check_bathtub },
        { "float.heave", check_heave },           { "float.terminal", check_terminal },
        { "float.light", check_light },           { "float.fast", check_fast },
    };
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; ++p) {
        if (strcmp(parts[p].name, group) == 0) parts[p].fn(run);
    }
}
