// Ripples on flowing water as a class: how worlds, scenes and tools reach tarn/flow_ripples.h.

#include "registry/registry.h"
#include "tarn/flow_ripples.h"

CLASS_CALLS(TarnFlowRipples, flow_ripples)

static TarnResult step(void* solver, const TarnAround* around, float dt, TarnStepReport* report)
{
    return tarn_flow_ripples_step(solver, &around->base, dt, report);
}
static TarnSurface surface(const void* solver)
{
    return tarn_flow_ripples_surface(solver);
}
static bool has_bodies(const void* solver)
{
    (void)solver;
    return false;
}
static void basin(const void* solver, TarnBasin* out)
{
    const TarnFlowRipplesDef* def = tarn_flow_ripples_def(solver);
    *out = (TarnBasin){ .min = def->origin,
                        .max = { def->origin.x + (float)def->nx * def->dx,
                                 def->origin.y + (float)def->nz * def->dx },
                        .floor = -1e4f,
                        .dx = def->dx / (float)def->detail };
}

static double strongest(const void* solver)
{
    return (double)tarn__view_highest(tarn_flow_ripples_strength(solver), 0.0f);
}
static const TarnStat stats[] = {
    { "strength", "m", "Root mean square of the ripples where they are highest.", strongest },
};

static const TarnSolverClass flow_ripples_class = {
    CLASS_FIELDS(flow_ripples),
    .about = "Small waves that are carried along by the water they lie on: rivers, floods, lakes.",
    .phase = TARN_PHASE_WATERS,
    .step = step,
    .stats = stats,
    .n_stats = COUNT_OF(stats),
    .surface = surface,
    .has_bodies = has_bodies,
    .basin = basin,
};

const TarnSolverClass* tarn_flow_ripples_class(void)
{
    return &flow_ripples_class;
}
