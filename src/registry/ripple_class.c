// Dispersive waves as a class: how worlds, scenes and tools reach tarn/ripple.h.

#include "registry/emission.h"
#include "registry/registry.h"
#include "tarn/ripple.h"

CLASS_CALLS(TarnRipple, ripple)

static TarnResult step(void* solver, const TarnAround* around, float dt, TarnStepReport* report)
{
    (void)around;
    return tarn_ripple_step(solver, dt, report);
}
static TarnSurface surface(const void* solver)
{
    return tarn_ripple_surface(solver);
}
static bool has_bodies(const void* solver)
{
    return tarn_ripple_def(solver)->use_bodies;
}
static TarnResult shift(void* solver, int di, int dk)
{
    return tarn_ripple_shift(solver, di, dk);
}

static void basin(const void* solver, TarnBasin* out)
{
    const TarnRippleDef* def = tarn_ripple_def(solver);
    TarnVec2 at = tarn_ripple_origin(solver);
    float wide = (float)def->n * def->dx;
    *out = (TarnBasin){ .min = at,
                        .max = { at.x + wide, at.y + wide },
                        .floor = def->level - def->depth,
                        .dx = def->dx,
                        .rest_level = def->level };
}

// ---- Stats and emitters ----------------------------------------------------------------------------

static double volume(const void* solver)
{
    return tarn_ripple_volume(solver);
}
static double height_min(const void* solver)
{
    return (double)tarn__view_lowest(tarn_ripple_height(solver), 0.0f);
}
static double height_max(const void* solver)
{
    return (double)tarn__view_highest(tarn_ripple_height(solver), 0.0f);
}
static const TarnStat stats[] = {
    { "volume", "m^3", "Volume of water above the rest level.", volume },
    { "height_min", "m", "Deepest trough relative to the calm surface.", height_min },
    { "height_max", "m", "Highest crest relative to the calm surface.", height_max },
};

static TarnResult drop(void* solver, TarnVec2 center, float radius, float height)
{
    return tarn_ripple_add_drop(solver, center, radius, height);
}
static TarnResult stroke(void* solver, TarnVec2 a, TarnVec2 b, float radius, float height)
{
    return tarn_ripple_add_stroke(solver, a, b, radius, height);
}

static void emit(void* solver, const TarnEmission* e)
{
    const TarnEmitterDef* def = e->def;
    if (def->kind == TARN_EMITTER_DROP && e->is_first)
        drop(solver, def->a, def->radius, def->height);
    if (def->kind == TARN_EMITTER_RAIN) tarn__emission_rain(e, solver, drop);
    if (def->kind == TARN_EMITTER_STROKE)
        tarn__emission_stroke(e, solver, 1.5f * tarn_ripple_def(solver)->dx, stroke);
}

static const TarnSolverClass ripple_class = {
    CLASS_FIELDS(ripple),
    .about =
        "Dispersive waves in a moving window: Kelvin wakes, rings, on their own or on an ocean.",
    .phase = TARN_PHASE_WATERS,
    .step = step,
    .stats = stats,
    .n_stats = COUNT_OF(stats),
    .surface = surface,
    .has_bodies = has_bodies,
    .basin = basin,
    .shift = shift,
    .emitters = 1u << TARN_EMITTER_DROP | 1u << TARN_EMITTER_RAIN | 1u << TARN_EMITTER_STROKE,
    .emit = emit,
};

const TarnSolverClass* tarn_ripple_class(void)
{
    return &ripple_class;
}
