// Shallow water as a class: how worlds, scenes and tools reach tarn/shallow.h.

#include "registry/emission.h"
#include "registry/registry.h"
#include "shallow/shallow_internal.h"
#include "tarn/coupling.h"
#include "tarn/shallow.h"

CLASS_CALLS(TarnShallow, shallow)

static TarnResult shallow_step(void* solver, const TarnAround* around, float dt,
                               TarnStepReport* report)
{
    const TarnOcean* sea = around->world ? tarn_world_ocean(around->world, 0) : NULL;
    if (sea != NULL) TARN_TRY(tarn_couple_ocean_shallow(sea, solver));
    if (tarn_shallow_def(solver)->use_bodies)
        TARN_TRY(tarn_couple_shallow_bodies(solver, around->bodies, dt));
    return tarn_shallow_step(solver, dt, report);
}

// ---- Plugs ---------------------------------------------------------------------------------------

static TarnSurface shallow_surface(const void* solver)
{
    return tarn_shallow_surface(solver);
}
static bool shallow_has_bodies(const void* solver)
{
    return tarn_shallow_def(solver)->use_bodies;
}
static TarnResult shallow_shift(void* solver, int di, int dk)
{
    return tarn_shallow_shift(solver, di, dk);
}

// Terrain can be dug, and windows move to deeper valleys: bodies rest on the ground itself.
static void shallow_basin(const void* solver, TarnBasin* out)
{
    const TarnShallowDef* def = tarn_shallow_def(solver);
    const int wall = TARN_SHALLOW_REFLECTING;
    TarnVec2 at = tarn_shallow_origin(solver);
    *out = (TarnBasin){ .min = at,
                        .max = { at.x + (float)def->nx * def->dx, at.y + (float)def->nz * def->dx },
                        .is_closed = { def->edge_x0 == wall, def->edge_x1 == wall,
                                       def->edge_z0 == wall, def->edge_z1 == wall },
                        .floor = -1e4f,
                        .dx = def->dx,
                        .ground = tarn_shallow_bed(solver) };
}

static void shallow_holding(const void* solver, TarnHolding* out)
{
    TarnShallowLedger l = tarn_shallow_ledger(solver);
    const double flows[] = { l.initial, l.edges, l.rain, l.evaporated, l.window };
    *out =
        (TarnHolding){ .held = l.volume, .edits = l.sources, .error = l.error, .is_exact = true };
    for (int i = 0; i < COUNT_OF(flows); ++i)
        *(flows[i] > 0.0 ? &out->brought : &out->taken) += flows[i] > 0.0 ? flows[i] : -flows[i];
}

static int shallow_throws(void* solver, int capacity, TarnThrow* out)
{
    return tarn__shallow_take_throws(solver, capacity, out);
}

static bool shallow_tiles(const void* solver, TarnTiles* out)
{
    const TarnShallow* water = solver;
    *out = (TarnTiles){ .awake = water->awake,
                        .nx = water->tiles_x,
                        .nz = water->tiles_z,
                        .cells_x = SHALLOW_TILE_X,
                        .cells_z = SHALLOW_TILE_Z,
                        .origin = tarn_shallow_origin(solver),
                        .dx = tarn_shallow_def(solver)->dx };
    return tarn_shallow_def(solver)->sleep_speed > 0.0f;
}

// ---- Stats ---------------------------------------------------------------------------------------

static double water(const void* solver)
{
    return tarn_shallow_ledger(solver).volume;
}
static double water_in(const void* solver)
{
    TarnShallowLedger l = tarn_shallow_ledger(solver);
    return l.volume - l.initial;
}
static double depth_max(const void* solver)
{
    return (double)tarn__view_highest(tarn_shallow_depth(solver), 0.0f);
}

static const TarnStat stats[] = {
    { "water", "m^3", "Volume of water in the grid.", water },
    { "water_in", "m^3", "Volume of water that came in since the start, minus what went out.",
      water_in },
    { "depth_max", "m", "Largest depth.", depth_max },
};

// ---- Emitters ------------------------------------------------------------------------------------

static double part(double t, double begin, double period) // 0 before, 1 after
{
    double s = (t - begin) / period;
    return s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
}

// A gate that begins to close before it is fully open closes from its current position.
static float opening(const TarnEmission* e, double t)
{
    double stop = e->def->stop, period = e->def->period;
    double opened = part(t < stop ? t : stop, e->begin, period);
    double closed = t > stop ? part(t, stop, period) : 0.0;
    return (float)(opened > closed ? opened - closed : 0.0);
}

static void shallow_emit(void* solver, const TarnEmission* e)
{
    const TarnEmitterDef* def = e->def;
    float share = (float)((e->to - e->from) / def->period);
    double rise = part(e->to, e->begin, def->period) - part(e->from, e->begin, def->period);
    switch (def->kind) {
    case TARN_EMITTER_GATE: // an open gate is left alone, so that the water behind it may sleep
        if (def->gate < tarn_shallow_gate_count(solver) &&
            tarn_shallow_gate_opening(solver, def->gate) != opening(e, e->to))
            tarn_shallow_set_gate(solver, def->gate, opening(e, e->to));
        break;
    case TARN_EMITTER_DIG:
        if (rise > 0.0) tarn_shallow_dig(solver, def->a, def->radius, (float)(def->height * rise));
        break;
    case TARN_EMITTER_JET: {
        TarnVec2 push = { share * def->velocity.x, share * def->velocity.y };
        tarn_shallow_add_velocity(solver, def->a, def->radius, push);
        break;
    }
    default: {
        float volume = emission_volume(e);
        if (volume != 0.0f) tarn_shallow_add_water(solver, def->a, def->radius, volume, NULL);
    }
    }
}

static const char* shallow_instead(int kind)
{
    if (kind == TARN_EMITTER_RAIN) return "use the solver's parameter rain [mm/h] instead";
    if (kind == TARN_EMITTER_MAKER) return "use a span with a wave_height to send waves in";
    return NULL;
}

static const TarnSolverClass shallow_class = {
    CLASS_FIELDS(shallow),
    .about = "Shallow water that flows over terrain: rivers, floods, beaches, dam breaks.",
    .phase = TARN_PHASE_WATERS,
    .step = shallow_step,
    .stats = stats,
    .n_stats = COUNT_OF(stats),
    .surface = shallow_surface,
    .floats_bodies = true,
    .has_bodies = shallow_has_bodies,
    .basin = shallow_basin,
    .shift = shallow_shift,
    .throws = shallow_throws,
    .holding = shallow_holding,
    .tiles = shallow_tiles,
    .emitters = 1u << TARN_EMITTER_DROP | 1u << TARN_EMITTER_SOURCE | 1u << TARN_EMITTER_GATE |
                1u << TARN_EMITTER_DIG | 1u << TARN_EMITTER_JET,
    .emit = shallow_emit,
    .instead = shallow_instead,
};

const TarnSolverClass* tarn_shallow_class(void)
{
    return &shallow_class;
}
