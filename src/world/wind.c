// The air and the water of a world as flows, its wind, and how flows push its bodies.

#include "world/world_internal.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"
#include "tarn/coupling.h"

enum { BATCH = 64 };

static const float water_density = 1000.0f; // [kg/m^3]

// ---- Wind ----------------------------------------------------------------------------------------

static const TarnParam wind_params[] = {
    P_VEC3(TarnWindDef, velocity, "m/s", -200, 200, 0, 0, 0, "Velocity of the air between gusts."),
    P_FLOAT(TarnWindDef, gusts, "", 0, 1, 0, "Share of the velocity by which the wind varies."),
    P_FLOAT(TarnWindDef, gust_period, "s", 0.1, 1e4, 6, "Mean time between gusts."),
};
static const TarnParamTable wind_table = PARAM_TABLE("wind", TarnWindDef, wind_params);

const TarnParamTable* tarn_wind_def_table(void)
{
    return &wind_table;
}

void tarn_wind_init_def(TarnWindDef* out, size_t size)
{
    TarnWindDef def = { 0 };
    tarn_param_defaults(&wind_table, &def);
    TARN_INIT_DEF(TarnWindDef, out, size, &def);
}

// Sine of a time in periods, which may be many.
static float swing(double periods)
{
    return tarn_sin((float)(6.283185307179586 * (periods - floor(periods))));
}

// Two swings whose periods have no common multiple (the golden ratio): gusts never repeat.
void tarn__wind_update(TarnWorld* world)
{
    if (!world->has_wind) return;
    double periods = world->time / (double)world->wind.gust_period;
    float gust = 0.5f * (swing(periods) + swing(1.6180339887498949 * periods));
    world->wind_now = vec3_scale(world->wind.velocity, 1.0f + world->wind.gusts * gust);
}

TarnResult tarn_world_set_wind(TarnWorld* world, const TarnWindDef* wind)
{
    if (world == NULL) return TARN_ERR_ARG;
    if (wind != NULL) {
        TARN_TRY(TARN_CHECK_DEF(world->ctx, "wind", "tarn/world.h", TarnWindDef,
                                tarn_wind_default_def, wind));
        TARN_TRY(tarn_param_validate(world->ctx, &wind_table, wind));
        world->wind = *wind;
    }
    world->has_wind = wind != NULL;
    tarn__world_refresh(world);
    return TARN_OK;
}

// ---- Water as a flow -----------------------------------------------------------------------------

// Adds the height fields that a point is in: the water of the first one counts.
static void find_fields(const TarnWorld* world, int n, const float* x, const float* y,
                        const float* z, TarnVec3* velocity, float* presence)
{
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        float height[BATCH], depth[BATCH];
        TarnVec3 v[BATCH];
        if (member->class == NULL || member->class->surface == NULL) continue;
        TarnSurface surface = member->class->surface(member->solver);
        surface.query(surface.self, n, x, z,
                      &(TarnSurfaceSamples){ height, NULL, velocity ? v : NULL, depth });
        for (int i = 0; i < n; ++i) {
            bool is_in = presence[i] == 0.0f && y[i] < height[i] && y[i] > height[i] - depth[i] &&
                         tarn_surface_covers(surface, x[i], z[i]);
            if (is_in && velocity) velocity[i] = v[i];
            if (is_in) presence[i] = 1.0f;
        }
    }
}

static void find_water(const TarnWorld* world, int n, const float* x, const float* y,
                       const float* z, const TarnFlowSamples* out)
{
    TarnVec3 velocity[BATCH], v[BATCH];
    float presence[BATCH], density[BATCH], p[BATCH], rho[BATCH];
    for (int i = 0; i < n; ++i)
        presence[i] = density[i] = 0.0f, velocity[i] = (TarnVec3){ 0, 0, 0 };
    find_fields(world, n, x, y, z, velocity, presence);
    for (int i = 0; i < n; ++i) density[i] = water_density * presence[i];
    for (int m = 0; m < world->def.max_solvers; ++m) { // and liquids, where no field is
        const TarnSolverClass* c = world->members[m].class;
        if (c == NULL || c->flow == NULL || c->pushes_bodies) continue;
        TarnFlow flow = c->flow(world->members[m].solver);
        flow.query(flow.self, n, x, y, z, &(TarnFlowSamples){ v, p, rho, NULL });
        for (int i = 0; i < n; ++i) {
            if (!(presence[i] == 0.0f && p[i] > 0.0f)) continue;
            velocity[i] = v[i], presence[i] = p[i], density[i] = rho[i];
        }
    }
    for (int i = 0; i < n; ++i) {
        if (out->velocity) out->velocity[i] = velocity[i];
        if (out->presence) out->presence[i] = presence[i];
        if (out->density) out->density[i] = density[i];
        if (out->temperature) out->temperature[i] = 0.0f;
    }
}

// The same arrays from a place on; those that are not asked for stay so.
static TarnFlowSamples from_on(const TarnFlowSamples* s, int first)
{
    return (TarnFlowSamples){ s->velocity ? s->velocity + first : NULL,
                              s->presence ? s->presence + first : NULL,
                              s->density ? s->density + first : NULL,
                              s->temperature ? s->temperature + first : NULL };
}

typedef void FindFn(const TarnWorld* world, int n, const float* x, const float* y, const float* z,
                    const TarnFlowSamples* out);
static void find_in_batches(FindFn* find, const TarnWorld* world, int n, const float* x,
                            const float* y, const float* z, const TarnFlowSamples* out)
{
    for (int first = 0; first < n; first += BATCH) {
        int m = n - first < BATCH ? n - first : BATCH;
        TarnFlowSamples part = from_on(out, first);
        find(world, m, x + first, y + first, z + first, &part);
    }
}

static void query_water(const void* self, int n, const float* x, const float* y, const float* z,
                        const TarnFlowSamples* out)
{
    find_in_batches(find_water, self, n, x, y, z, out);
}

TarnFlow tarn_world_water(const TarnWorld* world)
{
    return (TarnFlow){ world, world ? query_water : NULL };
}

// ---- Air as a flow -------------------------------------------------------------------------------

// The wind is where no gas is and no water.
static void find_wind(const TarnWorld* world, int n, const float* x, const float* y, const float* z,
                      const TarnFlowSamples* out)
{
    float wet[BATCH], gas[BATCH], p[BATCH];
    for (int i = 0; i < n; ++i) wet[i] = gas[i] = 0.0f;
    find_fields(world, n, x, y, z, NULL, wet);
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const TarnSolverClass* c = world->members[m].class;
        if (c == NULL || c->flow == NULL || !c->pushes_bodies) continue;
        TarnFlow flow = c->flow(world->members[m].solver);
        flow.query(flow.self, n, x, y, z, &(TarnFlowSamples){ .presence = p });
        for (int i = 0; i < n; ++i) gas[i] += p[i];
    }
    for (int i = 0; i < n; ++i) {
        bool is_in = wet[i] == 0.0f && tarn__is_finite3((TarnVec3){ x[i], y[i], z[i] });
        float presence = is_in ? tarn_clampf(1.0f - gas[i], 0.0f, 1.0f) : 0.0f;
        if (out->velocity)
            out->velocity[i] = presence > 0.0f ? world->wind_now : (TarnVec3){ 0, 0, 0 };
        if (out->presence) out->presence[i] = presence;
        if (out->density) out->density[i] = 0.0f;
        if (out->temperature) out->temperature[i] = 0.0f;
    }
}

static void query_wind(const void* self, int n, const float* x, const float* y, const float* z,
                       const TarnFlowSamples* out)
{
    find_in_batches(find_wind, self, n, x, y, z, out);
}

// After members or the wind have changed.
void tarn__air_refresh(TarnWorld* world)
{
    world->air.n = 0;
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const TarnSolverClass* c = world->members[m].class;
        if (c && c->flow && c->pushes_bodies)
            world->air.flows[world->air.n++] = c->flow(world->members[m].solver);
    }
    if (world->has_wind) world->air.flows[world->air.n++] = (TarnFlow){ world, query_wind };
    tarn__wind_update(world);
}

TarnFlow tarn_world_air(const TarnWorld* world)
{
    return world ? tarn_flow_blend(&world->air) : (TarnFlow){ 0 };
}

// ---- Pushes --------------------------------------------------------------------------------------

TarnResult tarn_world_set_push(TarnWorld* world, const void* solver, const TarnFlowPush* push)
{
    Member* member;
    TARN_TRY(tarn__world_member_or_fail(world, solver, &member));
    if (push != NULL) {
        if (member->class->flow == NULL)
            return tarn__fail(world->ctx, TARN_ERR_UNSUPPORTED,
                              "%s: a %s offers no flow that could push bodies", member->name,
                              member->class->name);
        TARN_TRY(TARN_CHECK_DEF(world->ctx, "push", "tarn/push.h", TarnFlowPush,
                                tarn_flow_push_default, push));
        TARN_TRY(tarn_param_validate(world->ctx, tarn_flow_push_table(), push));
        member->push = *push;
    }
    member->has_push = push != NULL;
    return TARN_OK;
}

// Jets and blasts of gases, then the wind.
TarnResult tarn__flows_push(TarnWorld* world, float dt)
{
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        const TarnSolverClass* c = member->class;
        if (c == NULL || c->flow == NULL || !(c->pushes_bodies || member->has_push)) continue;
        TarnFlowPush push = tarn_flow_push_default();
        push.density = c->flow_density;
        if (member->has_push) push = member->push;
        if (push.density == 0.0f) continue;
        TARN_TRY(tarn_couple_flow_bodies(c->flow(member->solver), &push, world->bodies, dt));
    }
    if (!world->has_wind) return TARN_OK;
    TarnFlowPush push = tarn_flow_push_default();
    TarnFlow wind = { world, query_wind };
    return tarn_couple_flow_bodies(wind, &push, world->bodies, dt);
}
