// What carries the particles of a world: the flows of its carriers, and wind and curl noise where none of them
// is. The budget, which decides how much detail all of it has.

#include "world/world_internal.h"
#include "base/maths.h"
#include "base/param.h"

// Particles see all carriers, and wind and curl noise where none of them is, through one flow.
static void query_all(const void* self, int n, const float* x, const float* y, const float* z,
                      const TarnFlowSamples* out)
{
    const TarnWorld* world = self;
    enum { BLOCK = 64 };
    TarnFlow carriers = tarn_flow_blend(&world->flows), noise = tarn_curl_noise_flow(&world->noise);
    for (int first = 0; first < n; first += BLOCK) {
        int m = n - first < BLOCK ? n - first : BLOCK;
        TarnVec3 turbulence[BLOCK];
        const float *px = x + first, *py = y + first, *pz = z + first;
        TarnFlowSamples part = { out->velocity ? out->velocity + first : NULL,
                                 out->presence ? out->presence + first : NULL,
                                 out->density ? out->density + first : NULL,
                                 out->temperature ? out->temperature + first : NULL };
        TarnFlowSamples own = { .velocity = turbulence };
        carriers.query(carriers.self, m, px, py, pz, &part);
        for (int i = 0; i < m; ++i) turbulence[i] = (TarnVec3){ 0, 0, 0 };
        if (world->has_noise) noise.query(noise.self, m, px, py, pz, &own);
        for (int i = 0; i < m; ++i) {
            if (world->has_wind) turbulence[i] = vec3_add(turbulence[i], world->wind_now);
            float p = part.presence ? part.presence[i] : 0.0f;
            if (part.velocity)
                part.velocity[i] =
                    vec3_add(vec3_scale(part.velocity[i], p), vec3_scale(turbulence[i], 1.0f - p));
            if (part.presence) part.presence[i] = 1.0f;
        }
    }
}

// A flow that the host has set is left alone while the world has none for the particles.
static void set_flows(TarnWorld* world)
{
    world->flows.n = 0;
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        bool is_one = member->class && member->is_carrier && member->class->flow;
        if (is_one) world->flows.flows[world->flows.n++] = member->class->flow(member->solver);
    }
    bool is_outside = world->has_noise || world->has_wind,
         has_any = world->flows.n > 0 || is_outside;
    TarnFlow flow = { 0 };
    if (is_outside)
        flow = (TarnFlow){ world, query_all };
    else if (has_any)
        flow = tarn_flow_blend(&world->flows);
    if (!has_any && !world->has_carriers) return;
    world->has_carriers = has_any;
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        if (member->class && member->class->set_flow) member->class->set_flow(member->solver, flow);
    }
}

void tarn__world_refresh(TarnWorld* world)
{
    bool is_flat = false;
    world->uses_solids = world->has_noise;
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        if (member->class == NULL) continue;
        world->uses_solids |= member->class->join != NULL;
        is_flat |= member->class->is_flat && member->class->is_flat(member->solver);
    }
    for (int slot = 0; is_flat && slot < world->def.max_bodies; ++slot)
        tarn__bodies_make_planar(world->bodies, slot);
    tarn__world_stack(world);
    tarn__air_refresh(world);
    set_flows(world);
}

TarnResult tarn_world_set_curl_noise(TarnWorld* world, const TarnCurlNoise* noise)
{
    if (world == NULL) return TARN_ERR_ARG;
    if (noise != NULL) {
        TARN_TRY(tarn_param_validate(world->ctx, tarn_curl_noise_table(), noise));
        if (tarn_curl_noise_flow(noise).query == NULL)
            return tarn__fail(
                world->ctx, TARN_ERR_ARG,
                "curl_noise: the cookie is not set; start from tarn_curl_noise_default()");
        world->noise = *noise;
        world->noise.time = world->time;
        world->noise.solids = world->solids;
    }
    world->has_noise = noise != NULL;
    tarn__world_refresh(world);
    return TARN_OK;
}

// ---- Budget ----------------------------------------------------------------------------------------

static void apply_budget(TarnWorld* world)
{
    TarnDetail detail = { world->budget.level, world->budget.update_every, world->budget.emission };
    for (int m = 0; m < world->def.max_solvers; ++m) {
        const Member* member = &world->members[m];
        if (member->class && member->class->set_detail)
            member->class->set_detail(member->solver, &detail);
    }
}

TarnResult tarn_world_set_budget(TarnWorld* world, const TarnBudget* budget)
{
    if (world == NULL) return TARN_ERR_ARG;
    if (budget != NULL &&
        !(budget->level >= 0 && budget->update_every >= 1 && budget->update_every <= 100 &&
          budget->emission >= 0.0f && budget->emission <= 1.0f))
        return tarn__fail(
            world->ctx, TARN_ERR_ARG,
            "budget: level %d, update_every %d, emission %g; allowed: 0 or more, 1 to "
            "100, 0 to 1; start from tarn_budget_default()",
            budget->level, budget->update_every, (double)budget->emission);
    world->has_budget = budget != NULL;
    world->budget = budget ? *budget : tarn_budget_default(1.0f);
    apply_budget(world);
    return TARN_OK;
}

TarnResult tarn_world_note_cost(TarnWorld* world, float step_ms, float dt)
{
    if (world == NULL) return TARN_ERR_ARG;
    if (world->has_budget && tarn_budget_update(&world->budget, step_ms, dt)) apply_budget(world);
    return TARN_OK;
}

const TarnBudget* tarn_world_budget(const TarnWorld* world)
{
    return world && world->has_budget ? &world->budget : NULL;
}
