// Spray as a class: how worlds, scenes and tools reach tarn/spray.h.

#include "registry/emission.h"
#include "registry/registry.h"
#include "spray/spray_internal.h"

CLASS_CALLS(TarnSpray, spray)

static TarnResult step(void* solver, const TarnAround* around, float dt, TarnStepReport* report)
{
    TarnSprayAround here = { .water = around->water,
                             .base = around->base,
                             .bodies = around->bodies,
                             .solids = around->solids };
    memcpy(here.is_closed, around->is_closed, sizeof here.is_closed);
    return tarn_spray_step(solver, &here, dt, report);
}
static void catches(void* solver, int n, const TarnThrow* throws)
{
    tarn__spray_catch_all(solver, n, throws);
}
static bool has_bodies(const void* solver)
{
    (void)solver;
    return false;
}
static TarnResult shift(void* solver, int di, int dk)
{
    return tarn_spray_shift(solver, di, dk);
}
static void basin(const void* solver, TarnBasin* out)
{
    const TarnSprayDef* def = tarn_spray_def(solver);
    TarnVec2 at = tarn_spray_origin(solver);
    *out = (TarnBasin){ .min = at,
                        .max = { at.x + (float)def->nx * def->dx, at.y + (float)def->nz * def->dx },
                        .floor = -1e4f,
                        .dx = def->dx };
}
static void holding(const void* solver, TarnHolding* out)
{
    TarnSprayLedger l = tarn_spray_ledger(solver);
    *out = (TarnHolding){ .held = l.held,
                          .brought = l.from_sea,
                          .taken = l.to_sea + l.left,
                          .edits = l.thrown + l.caught - l.landed,
                          .error = l.error,
                          .is_exact = true };
}

static TarnResult rain_drop(void* solver, TarnVec2 center, float radius, float height)
{
    (void)radius, (void)height;
    return tarn_spray_add_rain(solver, center);
}
static void emit(void* solver, const TarnEmission* e)
{
    tarn__emission_rain(e, solver, rain_drop);
}

static double drops(const void* solver)
{
    return (double)tarn_spray_drops(solver).n;
}
static double foam(const void* solver)
{
    return (double)tarn_spray_foam_particles(solver).n;
}
static double air(const void* solver)
{
    return tarn_spray_ledger(solver).held;
}
static double thrown(const void* solver)
{
    TarnSprayLedger l = tarn_spray_ledger(solver);
    return l.thrown + l.caught + l.from_sea;
}
static double power(const void* solver)
{
    TarnView2 view = tarn_spray_power(solver);
    double sum = 0.0;
    for (int c = 0; c < view.nx * view.nz; ++c) sum += (double)view.data[c];
    return sum;
}
static const TarnStat stats[] = {
    { "drops", "", "Drops in the air.", drops },
    { "foam", "", "Particles of foam on the water.", foam },
    { "air", "m^3", "Volume of water in the air.", air },
    { "thrown", "m^3", "Volume of water thrown since the start.", thrown },
    { "power", "W", "Power that breaking and falling water lost in the last step.", power },
};

static const TarnSolverClass spray_class = {
    CLASS_FIELDS(spray),
    .about =
        "White water: splash, fine drops, mist and foam of breaking waves, waterfalls and bodies.",
    .phase = TARN_PHASE_EFFECTS,
    .step = step,
    .stats = stats,
    .n_stats = COUNT_OF(stats),
    .has_bodies = has_bodies,
    .basin = basin,
    .shift = shift,
    .catches = catches,
    .holding = holding,
    .emitters = 1u << TARN_EMITTER_RAIN,
    .emit = emit,
};

const TarnSolverClass* tarn_spray_class(void)
{
    return &spray_class;
}
