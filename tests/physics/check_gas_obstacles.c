// Checks of what stands in a gas and of boxes that move: leaks, potential flow, pistons, closed rooms; flow
// that stays uniform, puffs that stay in place.

#include "check.h"
#include "base/maths.h"
#include "gas/gas_obstacles.h"
#include <stdlib.h>
#include <string.h>

static const float frame = 1.0f / 60.0f;

static void must(CheckRun* run, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: check: %s: %s\n", tarn_result_name(result), tarn_last_error(run->ctx));
    exit(1);
}

// A box of n^3 cells in [-1, 1]^3 with nothing going on in it.
static TarnGasDef cube_def(int n, int obstacles, int edge)
{
    TarnGasDef def = tarn_gas_default_def();
    def.nx = def.ny = def.nz = n;
    def.dx = 2.0f / (float)n;
    def.obstacles = obstacles;
    def.use_density = def.use_temperature = true;
    for (int e = 0; e < 6; ++e) (&def.edge_x0)[e] = edge;
    return def;
}

static TarnGasParams calm(void)
{
    TarnGasParams params = tarn_gas_default_params();
    params.buoyancy = 0.0f;
    params.vorticity = 0.0f;
    params.cooling = 0.0f;
    params.tolerance = 1e-5f;
    params.max_cycles = 40;
    params.keeps_density = false;
    return params;
}

static TarnGas* make_gas(CheckRun* run, const TarnGasDef* def, const TarnGasParams* params)
{
    TarnGas* gas;
    must(run, tarn_gas_create(run->ctx, def, &gas));
    must(run, tarn_gas_set_params(gas, params));
    return gas;
}

static TarnSolids* make_solids(CheckRun* run)
{
    TarnSolidsDef def = tarn_solids_default_def();
    TarnSolids* set;
    must(run, tarn_solids_create(run->ctx, &def, &set));
    return set;
}

static TarnSolidId add_solid(CheckRun* run, TarnSolids* set, int kind, TarnVec3 size, TarnVec3 at,
                             TarnVec3 velocity)
{
    TarnSolidDef def = tarn_solid_default_def();
    TarnSolidId id;
    def.shape.kind = kind;
    def.shape.size = size;
    def.motion.position = at;
    def.motion.velocity = velocity;
    must(run, tarn_solids_add(set, &def, &id));
    return id;
}

// The same velocity in every cell.
static void fill_velocity(CheckRun* run, TarnGas* gas, TarnVec3 velocity)
{
    size_t n = (size_t)gas->grid.nx * (size_t)gas->grid.ny * (size_t)gas->grid.nz;
    TarnVec3* values = malloc(n * sizeof *values);
    for (size_t c = 0; c < n; ++c) values[c] = velocity;
    must(run, tarn_gas_set_fields(gas, values, NULL, NULL, NULL));
    free(values);
}

static void fill_puff(CheckRun* run, TarnGas* gas, TarnVec3 at, float radius, float warmth)
{
    const Grid3* g = &gas->grid;
    size_t n = (size_t)g->nx * (size_t)g->ny * (size_t)g->nz;
    float *density = malloc(n * sizeof(float)), *heat = malloc(n * sizeof(float));
    for (size_t c = 0; c < n; ++c) {
        int i = (int)(c % (size_t)g->nx), j = (int)(c / (size_t)g->nx % (size_t)g->ny);
        int k = (int)(c / ((size_t)g->nx * (size_t)g->ny));
        TarnVec3 p = gas_point(gas, (float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f);
        TarnVec3 r = vec3_sub(p, at);
        density[c] = (float)exp(-(double)vec3_dot(r, r) / ((double)radius * (double)radius));
        heat[c] = warmth * density[c];
    }
    must(run, tarn_gas_set_fields(gas, NULL, density, heat, NULL));
    free(density);
    free(heat);
}

// ---- Leaks ---------------------------------------------------------------------------------------

typedef enum Scene { SPHERE, PLATE, PISTON, SCENES } Scene;
static const char* const scene_names[SCENES] = { "sphere", "plate", "piston" };

// Half a second of a ball or a plate thinner than a cell in a wind of 1 m/s along x, or of a piston of 1 m/s in
// a closed tube with one end open. Returns the largest speed through a surface.
static double leak_of(CheckRun* run, Scene scene, int obstacles, int iterations, double* ahead)
{
    TarnGasDef def = cube_def(32, obstacles, scene == PISTON ? TARN_GAS_CLOSED : TARN_GAS_WIND);
    if (scene == PISTON) def.edge_x0 = def.edge_x1 = TARN_GAS_OPEN;
    TarnGasParams params = calm();
    params.iterations = iterations;
    if (scene != PISTON) params.wind.x = 1.0f;
    TarnGas* gas = make_gas(run, &def, &params);
    TarnSolids* set = make_solids(run);
    TarnVec3 still = { 0, 0, 0 }, go = { 1, 0, 0 }, wall = { 0.1f, 2, 2 }, from = { -0.5f, 0, 0 };
    if (scene == SPHERE)
        add_solid(run, set, TARN_SHAPE_SPHERE, (TarnVec3){ 0.4f, 0, 0 }, still, still);
    else if (scene == PLATE)
        add_solid(run, set, TARN_SHAPE_BOX, (TarnVec3){ 0.005f, 0.4f, 0.4f },
                  (TarnVec3){ 0.01f, 0, 0 }, still);
    else
        add_solid(run, set, TARN_SHAPE_BOX, wall, from, go);
    must(run, tarn_gas_set_solids(gas, set));
    fill_velocity(run, gas, params.wind);
    for (int n = 0; n < 30; ++n) {
        must(run, tarn_solids_advance(set, frame));
        must(run, tarn_gas_step(gas, frame, NULL));
    }
    double leak = tarn_gas_stats(gas).leak;
    TarnVec3 v, p = { 0.6f, 0.1f, -0.2f };
    TarnFlowSamples out = { .velocity = &v };
    must(run, tarn_flow_query(tarn_gas_flow(gas), 1, &p.x, &p.y, &p.z, &out));
    if (ahead) *ahead = (double)v.x;
    tarn_gas_destroy(gas);
    tarn_solids_destroy(set);
    return leak;
}

static void check_leaks(CheckRun* run)
{
    char name[64];
    const double allowed[SCENES][4] = { { 0.1, 0.03, 0.012, 0.006 },
                                        { 0.25, 0.11, 0.07, 0.05 },
                                        { 0.06, 0.022, 0.014, 0.01 } };
    for (Scene scene = SPHERE; scene < SCENES; ++scene) {
        double leak[5], ahead = 0.0;
        for (int n = 1; n <= 4; ++n) {
            leak[n] = leak_of(run, scene, TARN_GAS_ITERATED, n, &ahead);
            snprintf(name, sizeof name, "gas.obstacles.%s.leak.iterated_%d", scene_names[scene], n);
            check_add(run, name, leak[n], 0.0, allowed[scene][n - 1]);
        }
        if (scene == PISTON)
            check_add(run, "gas.obstacles.piston.ahead.iterated_4", ahead, 1.0, 0.1);
        snprintf(name, sizeof name, "gas.obstacles.%s.leak.shrinks", scene_names[scene]);
        check_add(run, name, leak[2] < leak[1] && leak[3] < leak[2] && leak[4] < leak[3], 1.0, 0.0);
        double direct = leak_of(run, scene, TARN_GAS_DIRECT, 1, &ahead);
        snprintf(name, sizeof name, "gas.obstacles.%s.leak.direct", scene_names[scene]);
        check_add(run, name, direct, 0.0, 1e-4);
        if (scene == PISTON) check_add(run, "gas.obstacles.piston.ahead.direct", ahead, 1.0, 0.01);
    }
}

// ---- Potential flow ------------------------------------------------------------------------------

// A wind that starts at once around a ball is potential flow: u = U (1 + R^3 / 2 r^3) at the equator, 1.5 U at
// the surface. The walls of the box are images of the ball and add a few percent.
static void check_potential(CheckRun* run, int obstacles, int iterations, const char* what,
                            double tolerance)
{
    TarnGasDef def = cube_def(64, obstacles, TARN_GAS_WIND);
    TarnGasParams params = calm();
    params.iterations = iterations;
    params.wind.x = 1.0f;
    TarnGas* gas = make_gas(run, &def, &params);
    TarnSolids* set = make_solids(run);
    const float radius = 0.32f;
    TarnVec3 still = { 0, 0, 0 };
    add_solid(run, set, TARN_SHAPE_SPHERE, (TarnVec3){ radius, 0, 0 }, still, still);
    must(run, tarn_gas_set_solids(gas, set));
    fill_velocity(run, gas, params.wind);
    must(run, tarn_gas_step(gas, 1e-3f, NULL));
    double most = 0.0, square = 0.0;
    int n = 0;
    for (int k = 0; k < 64; ++k) {
        for (int j = 0; j < 64; ++j) {
            for (int i = 1; i < 64; ++i) {
                ptrdiff_t c = tarn__grid3_at(&gas->grid, i, j, k);
                TarnVec3 p = gas_point(gas, (float)i, (float)j + 0.5f, (float)k + 0.5f);
                double r = (double)vec3_length(p), x = (double)p.x,
                       cube = pow((double)radius / r, 3.0);
                if (r < (double)radius + 0.5 * (double)gas->dx || r > 0.8) continue;
                double u = (double)gas->velocity[0][c];
                double exact = 1.0 + 0.5 * cube * (1.0 - 3.0 * x * x / (r * r));
                if (u > most) most = u;
                square += (u - exact) * (u - exact);
                ++n;
            }
        }
    }
    char name[64];
    snprintf(name, sizeof name, "gas.obstacles.potential.max_speed.%s", what);
    check_add(run, name, most, 1.5, tolerance);
    snprintf(name, sizeof name, "gas.obstacles.potential.rms.%s", what);
    check_add(run, name, sqrt(square / n), 0.0, tolerance);
    tarn_gas_destroy(gas);
    tarn_solids_destroy(set);
}

// ---- A closed room -------------------------------------------------------------------------------

// Smoke in a room of plates in a wind, stirred by a jet. Returns the share that is outside after two seconds.
static double smoke_outside(CheckRun* run, int obstacles, float thickness, float speed,
                            TarnQuat turn)
{
    TarnGasDef def = cube_def(32, obstacles, TARN_GAS_WIND);
    TarnGasParams params = calm();
    params.wind = (TarnVec3){ 1.0f, 0.3f, 0.2f };
    params.tolerance = 1e-3f;
    TarnGas* gas = make_gas(run, &def, &params);
    TarnSolids* set = make_solids(run);
    float half = 0.5f * thickness;
    for (int s = 0; s < 6; ++s) {
        float size[3] = { 0.5f + half, 0.5f + half, 0.5f + half }, at[3] = { 0, 0, 0 };
        size[s / 2] = half;
        at[s / 2] = s % 2 ? 0.5f : -0.5f;
        TarnSolidDef plate = tarn_solid_default_def();
        TarnSolidId id;
        plate.shape.kind = TARN_SHAPE_BOX;
        plate.shape.size = (TarnVec3){ size[0], size[1], size[2] };
        plate.motion.rotation = turn;
        plate.motion.position = quat_rotate(turn, (TarnVec3){ at[0], at[1], at[2] });
        must(run, tarn_solids_add(set, &plate, &id));
    }
    must(run, tarn_gas_set_solids(gas, set));
    TarnGasJetDef jet = tarn_gas_jet_default_def();
    jet.radius = 0.1f;
    jet.length = 0.3f;
    jet.speed = speed;
    jet.motion.position.y = -0.3f;
    must(run, tarn_gas_add_jet(gas, &jet, NULL));
    fill_velocity(run, gas, params.wind);
    fill_puff(run, gas, (TarnVec3){ 0, 0, 0 }, 0.15f, 0.0f);
    for (int n = 0; n < (run->is_quick ? 60 : 120); ++n) {
        must(run, tarn_solids_advance(set, frame));
        must(run, tarn_gas_step(gas, frame, NULL));
    }
    double inside = 0.0, outside = 0.0;
    for (int k = 0; k < 32; ++k) {
        for (int c = 0; c < 1024; ++c) {
            TarnVec3 p =
                gas_point(gas, (float)(c % 32) + 0.5f, (float)(c / 32) + 0.5f, (float)k + 0.5f);
            p = quat_rotate_inverse(turn, p);
            float far = tarn_maxf(fabsf(p.x), tarn_maxf(fabsf(p.y), fabsf(p.z)));
            double d =
                (double)gas->scalar[GAS_DENSITY][tarn__grid3_at(&gas->grid, c % 32, c / 32, k)];
            if (far < 0.5f)
                inside += d;
            else
                outside += d;
        }
    }
    tarn_gas_destroy(gas);
    tarn_solids_destroy(set);
    return outside / (inside + outside);
}

static void check_room(CheckRun* run)
{
    const TarnQuat straight = { 0, 0, 0, 1 };
    const TarnQuat skew = quat_from_axis_angle((TarnVec3){ 1.0f, 2.0f, -0.7f }, 0.6f);
    const struct {
        const char* what;
        float thickness, speed;
        TarnQuat turn;
    } rooms[] = { { "thick", 0.19f, 2.0f, straight },
                  { "thin", 0.01f, 2.0f, straight },
                  { "thin_skew", 0.01f, 2.0f, skew },
                  { "thin_fast", 0.01f, 8.0f, straight } };
    for (int n = 0; n < 8; ++n) {
        bool is_direct = n % 2;
        if (run->is_quick && n / 2 != 2) continue;
        double out = smoke_outside(run, is_direct ? TARN_GAS_DIRECT : TARN_GAS_ITERATED,
                                   rooms[n / 2].thickness, rooms[n / 2].speed, rooms[n / 2].turn);
        char name[64];
        snprintf(name, sizeof name, "gas.obstacles.room.%s.%s", rooms[n / 2].what,
                 is_direct ? "direct" : "iterated");
        check_add(run, name, out, 0.0, 5e-6);
    }
}

// ---- Moving boxes --------------------------------------------------------------------------------

static const char* const follow_names[2] = { "shift", "translate" };

// Largest deviation from a uniform wind while the box goes one way at 50 mph, for half a second.
static double deviation(CheckRun* run, int follow, int edge, TarnVec3 way, TarnVec3 wind)
{
    TarnGasDef def = cube_def(16, TARN_GAS_NO_OBSTACLES, edge);
    def.follow = follow;
    TarnGasParams params = calm();
    params.wind = wind;
    TarnGas* gas = make_gas(run, &def, &params);
    fill_velocity(run, gas, wind);
    TarnVec3 at = { 0, 0, 0 };
    double worst = 0.0;
    for (int n = 0; n < 30; ++n) {
        at = vec3_add(at, vec3_scale(way, frame));
        must(run, tarn_gas_move(gas, at, way));
        must(run, tarn_gas_step(gas, frame, NULL));
        const float want[3] = { wind.x, wind.y, wind.z };
        for (int c = 0; c < 16 * 16 * 16 * 3; ++c) {
            int axis = c % 3, i = c / 3 % 16, j = c / 48 % 16, k = c / 768;
            double u = (double)gas->velocity[axis][tarn__grid3_at(&gas->grid, i, j, k)];
            worst = fmax(worst, fabs(u - (double)want[axis]));
        }
    }
    tarn_gas_destroy(gas);
    return worst;
}

static void check_uniform(CheckRun* run)
{
    const TarnVec3 ways[] = {
        { 22.4f, 0, 0 }, { -22.4f, 0, 0 }, { 0, 22.4f, 0 }, { 0, -22.4f, 0 },
        { 0, 0, 22.4f }, { 0, 0, -22.4f }, { 13, -13, 13 }, { -5, 17, -13.6f }
    };
    const TarnVec3 winds[] = { { 0, 0, 0 }, { 3, -2, 1 } };
    for (int follow = 0; follow < 2; ++follow) {
        double worst = 0.0;
        for (int n = 0; n < 32; ++n) {
            int edge = n & 1 ? TARN_GAS_OPEN : TARN_GAS_WIND;
            if (run->is_quick && n / 4 % 3 != 0) continue;
            worst = fmax(worst, deviation(run, follow, edge, ways[n / 4], winds[n / 2 % 2]));
        }
        char name[64];
        snprintf(name, sizeof name, "gas.moving.uniform.%s", follow_names[follow]);
        check_add(run, name, worst, 0.0, 1e-4);
    }
}

typedef struct Puff {
    double mass, peak;
    double at[3]; // its middle in the world [m]
} Puff;

static Puff measure_puff(const TarnGas* gas)
{
    Puff puff = { 0 };
    const Grid3* g = &gas->grid;
    for (int k = 0; k < g->nz; ++k) {
        for (int j = 0; j < g->ny; ++j) {
            for (int i = 0; i < g->nx; ++i) {
                double d = (double)gas->scalar[GAS_DENSITY][tarn__grid3_at(g, i, j, k)];
                TarnVec3 p = gas_point(gas, (float)i + 0.5f, (float)j + 0.5f, (float)k + 0.5f);
                puff.mass += d;
                puff.peak = fmax(puff.peak, d);
                puff.at[0] += d * (double)p.x, puff.at[1] += d * (double)p.y,
                    puff.at[2] += d * (double)p.z;
            }
        }
    }
    for (int a = 0; a < 3; ++a) puff.at[a] /= puff.mass;
    return puff;
}

// A puff in still air while a box of 12.8 m passes at 50 mph: it has to stay in place.
static void check_in_place(CheckRun* run)
{
    for (int follow = 0; follow < 2; ++follow) {
        TarnGasDef def = cube_def(64, TARN_GAS_NO_OBSTACLES, TARN_GAS_OPEN);
        def.nx = 128, def.ny = def.nz = 32;
        def.dx = 0.1f;
        def.follow = follow;
        def.center.x = -4.0f;
        TarnGasParams params = calm();
        TarnGas* gas = make_gas(run, &def, &params);
        fill_puff(run, gas, (TarnVec3){ 0.03f, 0.02f, 0.01f }, 0.5f, 0.0f);
        Puff before = measure_puff(gas);
        TarnVec3 at = def.center, way = { 22.4f, 0, 0 };
        for (int n = 0; n < 20; ++n) {
            at = vec3_add(at, vec3_scale(way, frame));
            must(run, tarn_gas_move(gas, at, way));
            must(run, tarn_gas_step(gas, frame, NULL));
        }
        Puff after = measure_puff(gas);
        double way_off = 0.0;
        for (int a = 0; a < 3; ++a) way_off = fmax(way_off, fabs(after.at[a] - before.at[a]));
        char name[64];
        snprintf(name, sizeof name, "gas.moving.puff_in_place.%s", follow_names[follow]);
        check_add(run, name, way_off, 0.0, follow == TARN_GAS_SHIFT ? 1e-6 : 0.05);
        snprintf(name, sizeof name, "gas.moving.puff_peak.%s", follow_names[follow]);
        check_add(run, name, after.peak, before.peak, follow == TARN_GAS_SHIFT ? 0.0 : 0.15);
        snprintf(name, sizeof name, "gas.moving.puff_mass.%s", follow_names[follow]);
        check_add(run, name, after.mass, before.mass, follow == TARN_GAS_SHIFT ? 1e-9 : 0.05);
        tarn_gas_destroy(gas);
    }
}

// A warm puff rises in a box that stands, and in one that moves along at walking speed.
static Puff rise(CheckRun* run, int follow, TarnVec3 way)
{
    TarnGasDef def = cube_def(48, TARN_GAS_NO_OBSTACLES, TARN_GAS_OPEN);
    def.dx = 0.1f;
    def.follow = follow;
    TarnGasParams params = calm();
    params.buoyancy = 1.0f;
    params.tolerance = 1e-3f;
    TarnGas* gas = make_gas(run, &def, &params);
    fill_puff(run, gas, (TarnVec3){ 0.3f, -0.8f, 0 }, 0.5f, 60.0f);
    TarnVec3 at = def.center;
    for (int n = 0; n < 60; ++n) {
        at = vec3_add(at, vec3_scale(way, frame));
        if (way.x != 0.0f) must(run, tarn_gas_move(gas, at, way));
        must(run, tarn_gas_step(gas, frame, NULL));
    }
    Puff puff = measure_puff(gas);
    tarn_gas_destroy(gas);
    return puff;
}

static void check_rising(CheckRun* run)
{
    Puff still = rise(run, TARN_GAS_SHIFT, (TarnVec3){ 0, 0, 0 });
    double risen = still.at[1] + 0.8;
    check_add(run, "gas.moving.rising.risen_still", risen > 0.2, 1.0, 0.0);
    for (int follow = 0; follow < 2; ++follow) {
        Puff moved = rise(run, follow, (TarnVec3){ 0.83f, 0.11f, -0.37f });
        char name[64];
        snprintf(name, sizeof name, "gas.moving.rising.peak.%s", follow_names[follow]);
        check_add(run, name, moved.peak, still.peak, 0.05);
        snprintf(name, sizeof name, "gas.moving.rising.height.%s", follow_names[follow]);
        check_add(run, name, moved.at[1] + 0.8, risen, 0.05);
        snprintf(name, sizeof name, "gas.moving.rising.aside.%s", follow_names[follow]);
        check_add(run, name, fmax(fabs(moved.at[0] - still.at[0]), fabs(moved.at[2] - still.at[2])),
                  0.0, 0.02);
    }
}

void check_gas_obstacles(CheckRun* run, const char* group)
{
    if (strcmp(group, "gas.moving") == 0) {
        check_uniform(run);
        check_in_place(run);
        check_rising(run);
        return;
    }
    check_leaks(run);
    check_potential(run, TARN_GAS_DIRECT, 1, "direct", 0.06);
    if (!run->is_quick) check_potential(run, TARN_GAS_ITERATED, 4, "iterated_4", 0.1);
    check_room(run);
}
