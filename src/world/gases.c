// The gases of a world: boxes of smoke that follow bodies, and how they carry the particles.

#include "world/world_internal.h"
#include "base/maths.h"
#include "base/param.h"

// ---- Adding ----------------------------------------------------------------------------------------

TarnResult tarn_world_add_gas(TarnWorld* world, const TarnGasDef* def, TarnGas** out)
{
    TarnGas* gas;
    if (out) *out = NULL;
    if (world == NULL) return TARN_ERR_ARG;
    if (world->n_gases == TARN_WORLD_MAX_GASES)
        return tarn__fail(world->ctx, TARN_ERR_CAPACITY, "this world has %d gases, all it can hold",
                          world->n_gases);
    TARN_TRY(tarn_gas_create(world->ctx, def, &gas));
    TarnGasParams params = tarn_gas_params(gas);
    params.gravity = (TarnVec3){ 0.0f, -world->def.gravity, 0.0f };
    TarnResult result = tarn_gas_set_params(gas, &params);
    if (result == TARN_OK) result = tarn__world_make_solids(world);
    if (result == TARN_OK && def->obstacles != TARN_GAS_NO_OBSTACLES)
        result = tarn_gas_set_solids(gas, world->solids);
    if (result != TARN_OK) {
        tarn_gas_destroy(gas);
        return result;
    }
    world->gases[world->n_gases++] = (WorldGas){ .gas = gas };
    tarn__world_set_flow(world);
    if (out) *out = gas;
    return TARN_OK;
}

TarnResult tarn_world_add_gas_preset(TarnWorld* world, int preset, float size, TarnVec3 place,
                                     TarnGas** out)
{
    TarnGasDef def;
    TarnGasParams params;
    TarnGasSourceDef source;
    TarnGasJetDef jet;
    TarnGas* gas;
    if (out) *out = NULL;
    if (world == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_gas_preset_at(world->ctx, preset, size, place, &def, &params, &source, &jet));
    TARN_TRY(tarn_world_add_gas(world, &def, &gas));
    params.gravity = tarn_gas_params(gas).gravity;
    TarnResult result = tarn_gas_set_params(gas, &params);
    if (result == TARN_OK) result = tarn_gas_add_source(gas, &source, NULL);
    if (result == TARN_OK && jet.speed > 0.0f) result = tarn_gas_add_jet(gas, &jet, NULL);
    if (result != TARN_OK) { // as if it had never been added
        world->n_gases -= 1;
        tarn__world_set_flow(world);
        tarn_gas_destroy(gas);
        return result;
    }
    if (out) *out = gas;
    return TARN_OK;
}

int tarn_world_gas_count(const TarnWorld* world)
{
    return world ? world->n_gases : 0;
}
TarnGas* tarn_world_gas(TarnWorld* world, int n)
{
    return world && n >= 0 && n < world->n_gases ? world->gases[n].gas : NULL;
}

TarnResult tarn_world_follow(TarnWorld* world, int n, TarnBodyId body, TarnVec3 offset)
{
    if (world == NULL) return TARN_ERR_ARG;
    if (n < 0 || n >= world->n_gases)
        return tarn__fail(world->ctx, TARN_ERR_ARG,
                          "gas: %d is none of the %d gases of this world; they count from 0", n,
                          world->n_gases);
    if (body.value != 0 && tarn__world_slot_of(world, body) < 0)
        return tarn__fail(world->ctx, TARN_ERR_ARG,
                          "body: the id is stale or of another set; use one of this world");
    if (!tarn__all_within(&offset, 3, 1e5f))
        return tarn__fail(world->ctx, TARN_ERR_ARG, "offset: not finite, or beyond 1e5 m");
    world->gases[n].body = body;
    world->gases[n].offset = offset;
    return TARN_OK;
}

// ---- What carries the particles --------------------------------------------------------------------

// All gases, and curl noise where none of them is. Particles see the blend through one flow.
static void query_all(const void* self, int n, const float* x, const float* y, const float* z,
                      const TarnFlowSamples* out)
{
    const TarnWorld* world = self;
    enum { BLOCK = 64 };
    TarnFlow gases = tarn_flow_blend(&world->flows), noise = tarn_curl_noise_flow(&world->noise);
    for (int first = 0; first < n; first += BLOCK) {
        int m = n - first < BLOCK ? n - first : BLOCK;
        TarnVec3 turbulence[BLOCK];
        const float *px = x + first, *py = y + first, *pz = z + first;
        TarnFlowSamples part = { out->velocity ? out->velocity + first : NULL,
                                 out->presence ? out->presence + first : NULL,
                                 out->density ? out->density + first : NULL,
                                 out->temperature ? out->temperature + first : NULL };
        TarnFlowSamples own = { .velocity = turbulence };
        gases.query(gases.self, m, px, py, pz, &part);
        noise.query(noise.self, m, px, py, pz, &own);
        for (int i = 0; i < m; ++i) {
            float p = part.presence ? part.presence[i] : 0.0f;
            if (part.velocity)
                part.velocity[i] =
                    vec3_add(vec3_scale(part.velocity[i], p), vec3_scale(turbulence[i], 1.0f - p));
            if (part.presence) part.presence[i] = 1.0f;
        }
    }
}

void tarn__world_set_flow(TarnWorld* world)
{
    world->flows.n = world->n_gases;
    for (int n = 0; n < world->n_gases; ++n)
        world->flows.flows[n] = tarn_gas_flow(world->gases[n].gas);
    if (world->particles == NULL || (world->n_gases == 0 && !world->has_noise)) return;
    TarnFlow flow =
        world->has_noise ? (TarnFlow){ world, query_all } : tarn_flow_blend(&world->flows);
    tarn_particles_set_flow(world->particles, flow);
}

TarnResult tarn_world_set_curl_noise(TarnWorld* world, const TarnCurlNoise* noise)
{
    if (world == NULL) return TARN_ERR_ARG;
    if (noise != NULL) {
        TARN_TRY(tarn_param_validate(world->ctx, tarn_curl_noise_table(), noise));
        if (tarn_curl_noise_flow(noise).query == NULL)
            return tarn__fail(world->ctx, TARN_ERR_ARG,
                              "curl_noise: start from tarn_curl_noise_default(), the cookie is "
                              "missing");
        TARN_TRY(tarn__world_make_solids(world));
        world->noise = *noise;
        world->noise.time = world->time;
        world->noise.solids = world->solids;
    } else if (world->has_noise && world->particles && world->n_gases == 0) {
        TARN_TRY(tarn_particles_set_flow(world->particles, (TarnFlow){ 0 }));
    }
    world->has_noise = noise != NULL;
    tarn__world_set_flow(world);
    return TARN_OK;
}

// ---- Budget ----------------------------------------------------------------------------------------

static TarnResult apply_budget(TarnWorld* world)
{
    for (int n = 0; n < world->n_gases; ++n) {
        TarnGas* gas = world->gases[n].gas;
        int most = tarn_gas_def(gas)->levels - 1, level = world->budget.level;
        TarnGasParams params = tarn_gas_params(gas);
        params.update_every = world->budget.update_every;
        TARN_TRY(tarn_gas_set_params(gas, &params));
        if (tarn_gas_level(gas) != (level < most ? level : most))
            TARN_TRY(tarn_gas_set_level(gas, level < most ? level : most));
    }
    if (world->particles == NULL) return TARN_OK;
    return tarn_particles_throttle(world->particles, world->budget.emission);
}

TarnResult tarn_world_set_budget(TarnWorld* world, const TarnGasBudget* budget)
{
    if (world == NULL) return TARN_ERR_ARG;
    if (budget != NULL &&
        !(budget->level >= 0 && budget->update_every >= 1 && budget->update_every <= 100 &&
          budget->emission >= 0.0f && budget->emission <= 1.0f))
        return tarn__fail(
            world->ctx, TARN_ERR_ARG,
            "budget: level %d, update_every %d, emission %g; allowed: 0 or more, 1 to "
            "100, 0 to 1; start from tarn_gas_budget_default()",
            budget->level, budget->update_every, (double)budget->emission);
    world->has_budget = budget != NULL;
    world->budget = budget ? *budget : tarn_gas_budget_default(1.0f);
    return apply_budget(world);
}

TarnResult tarn_world_note_cost(TarnWorld* world, float step_ms, float dt)
{
    if (world == NULL) return TARN_ERR_ARG;
    if (!world->has_budget) return TARN_OK;
    return tarn_gas_budget_update(&world->budget, step_ms, dt) ? apply_budget(world) : TARN_OK;
}

const TarnGasBudget* tarn_world_budget(const TarnWorld* world)
{
    return world && world->has_budget ? &world->budget : NULL;
}

// ---- Step ------------------------------------------------------------------------------------------

// Solids have gone to where they are at the end of the substep; the box goes with its body.
static TarnResult follow(TarnWorld* world, const WorldGas* g)
{
    int slot = g->body.value ? tarn__bodies_slot_of(world->bodies, g->body) : -1;
    if (slot < 0) return TARN_OK;
    const TarnBody* body = tarn__bodies_slot(world->bodies, slot);
    return tarn_gas_move(g->gas, vec3_add(body->state.position, g->offset), body->state.velocity);
}

TarnResult tarn__world_step_gases(TarnWorld* world, float dt, TarnStepReport* report)
{
    if (world->has_noise) world->noise.time = world->time;
    if (world->n_gases == 0) return TARN_OK;
    tarn__carry_gas_parts(world);
    for (int n = 0; n < world->n_gases; ++n) {
        TarnStepReport one = { 0 };
        TARN_TRY(follow(world, &world->gases[n]));
        TARN_TRY(tarn_gas_step(world->gases[n].gas, dt, &one));
        report->flags |= one.flags; // where time is cut the gas itself lags, no one else
        tarn__report_drop(report, one.time_dropped, one.time_limit);
        tarn__report_limit(report, &one.limited);
        if (one.substeps > report->substeps) report->substeps = one.substeps;
    }
    report->stable_dt = 10.0;
    return TARN_OK;
}
