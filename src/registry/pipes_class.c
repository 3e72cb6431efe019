// Pipes as a class: how worlds, scenes and tools reach tarn/pipes.h.

#include "registry/emission.h"
#include "registry/registry.h"
#include "tarn/pipes.h"

CLASS_CALLS(TarnPipes, pipes)

static TarnResult pipes_step(void* solver, const TarnAround* around, float dt,
                             TarnStepReport* report)
{
    (void)around;
    return tarn_pipes_step(solver, dt, report);
}

// ---- Plugs ---------------------------------------------------------------------------------------

static TarnSurface pipes_surface(const void* solver)
{
    return tarn_pipes_surface(solver);
}

static void pipes_basin(const void* solver, TarnBasin* out)
{
    const TarnPipesDef* def = tarn_pipes_def(solver);
    const int wall = TARN_PIPES_CLOSED;
    TarnVec2 at = tarn_pipes_origin(solver);
    *out = (TarnBasin){ .min = at,
                        .max = { at.x + (float)def->nx * def->dx, at.y + (float)def->nz * def->dx },
                        .is_closed = { def->edge_x0 == wall, def->edge_x1 == wall,
                                       def->edge_z0 == wall, def->edge_z1 == wall },
                        .floor = -1e4f,
                        .dx = def->dx,
                        .ground = tarn_pipes_ground(solver) };
}

static void pipes_holding(const void* solver, TarnHolding* out)
{
    TarnPipesLedger l = tarn_pipes_ledger(solver);
    const double flows[] = { l.initial, l.rain, l.evaporated, l.edges };
    *out = (TarnHolding){
        .held = l.volume, .edits = l.sources, .error = l.water_error, .is_exact = true
    };
    for (int i = 0; i < COUNT_OF(flows); ++i)
        *(flows[i] > 0.0 ? &out->brought : &out->taken) += flows[i] > 0.0 ? flows[i] : -flows[i];
}

// ---- Stats ---------------------------------------------------------------------------------------

static double water(const void* solver)
{
    return tarn_pipes_ledger(solver).volume;
}
static double water_in(const void* solver)
{
    TarnPipesLedger l = tarn_pipes_ledger(solver);
    return l.volume - l.initial;
}
static double ground(const void* solver)
{
    return tarn_pipes_ledger(solver).ground;
}
static double sediment(const void* solver)
{
    return tarn_pipes_ledger(solver).sediment;
}
static double carried_out(const void* solver)
{
    return tarn_pipes_ledger(solver).carried_out;
}

static const TarnStat stats[] = {
    { "water", "m^3", "Volume of water in the grid.", water },
    { "water_in", "m^3", "Volume of water that came in since the start, minus what went out.",
      water_in },
    { "ground", "m^3", "Volume of rock and soil above y = 0.", ground },
    { "sediment", "m^3", "Volume of ground suspended in the water.", sediment },
    { "carried_out", "m^3", "Volume of ground that left through the edges.", carried_out },
};

static void pipes_emit(void* solver, const TarnEmission* e)
{
    float volume = emission_volume(e);
    if (volume != 0.0f) tarn_pipes_add_water(solver, e->def->a, e->def->radius, volume, NULL);
}

static const char* pipes_instead(int kind)
{
    return kind == TARN_EMITTER_RAIN ? "use the solver's parameter rain [mm/h] instead" : NULL;
}

static const TarnSolverClass pipes_class = {
    CLASS_FIELDS(pipes),
    .about = "Water in virtual pipes, and erosion: lakes, rivers and the land that they carve.",
    .phase = TARN_PHASE_WATERS,
    .step = pipes_step,
    .stats = stats,
    .n_stats = COUNT_OF(stats),
    .surface = pipes_surface,
    .basin = pipes_basin,
    .holding = pipes_holding,
    .emitters = 1u << TARN_EMITTER_DROP | 1u << TARN_EMITTER_SOURCE,
    .emit = pipes_emit,
    .instead = pipes_instead,
};

const TarnSolverClass* tarn_pipes_class(void)
{
    return &pipes_class;
}
