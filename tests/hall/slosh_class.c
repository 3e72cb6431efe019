// The sloshing plane as a class: how worlds, scenes and tools reach slosh.h.

#include "slosh.h"
#include "registry/emission.h"
#include "registry/registry.h"

CLASS_CALLS(TarnSlosh, slosh)

static TarnResult slosh_step(void* solver, const TarnAround* around, float dt,
                             TarnStepReport* report)
{
    (void)around; // bodies float in its surface; the world sees to that
    return tarn_slosh_step(solver, dt, report);
}

static TarnSurface slosh_surface(const void* solver)
{
    return tarn_slosh_surface(solver);
}

// Walls all around, and a level floor.
static void slosh_basin(const void* solver, TarnBasin* out)
{
    const TarnSloshDef* def = tarn_slosh_def(solver);
    *out = (TarnBasin){ .min = def->origin,
                        .max = { def->origin.x + def->size.x, def->origin.y + def->size.y },
                        .is_closed = { true, true, true, true },
                        .floor = def->floor };
}

static void slosh_holding(const void* solver, TarnHolding* out)
{
    double poured = tarn_slosh_poured(solver), volume = tarn_slosh_volume(solver);
    *out = (TarnHolding){ .held = volume, .brought = volume - poured, .edits = poured };
}

static double slope_x(const void* solver)
{
    return (double)tarn_slosh_slope(solver).x;
}
static double slope_z(const void* solver)
{
    return (double)tarn_slosh_slope(solver).y;
}
static double depth(const void* solver)
{
    return (double)tarn_slosh_depth(solver);
}
static const TarnStat stats[] = {
    { "slope_x", "", "Slope of the surface along x.", slope_x },
    { "slope_z", "", "Slope of the surface along z.", slope_z },
    { "depth", "m", "Mean depth of the water.", depth },
};

// Drops and sources bring water; negative ones take it.
static void slosh_emit(void* solver, const TarnEmission* e)
{
    TarnSurfacePour pour = { .center = e->def->a,
                             .radius = e->def->radius,
                             .volume = emission_volume(e) };
    if (pour.volume != 0.0f) tarn_surface_pour(tarn_slosh_surface(solver), &pour, NULL);
}

static const TarnSolverClass slosh_class = {
    CLASS_FIELDS(slosh),
    .about = "A box of water whose surface tilts as a plane: buckets, troughs, tank trucks.",
    .phase = TARN_PHASE_WATERS,
    .step = slosh_step,
    .stats = stats,
    .n_stats = COUNT_OF(stats),
    .surface = slosh_surface,
    .basin = slosh_basin,
    .holding = slosh_holding,
    .emitters = 1u << TARN_EMITTER_DROP | 1u << TARN_EMITTER_SOURCE,
    .emit = slosh_emit,
};

const TarnSolverClass* tarn_slosh_class(void)
{
    return &slosh_class;
}
