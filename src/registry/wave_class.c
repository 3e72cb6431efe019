// Waves as a class: how worlds, scenes and tools reach tarn/wave.h.

#include "registry/emission.h"
#include "registry/registry.h"
#include "base/maths.h"
#include "tarn/coupling.h"
#include "tarn/wave.h"
#include "waves/wave_internal.h"
#include <math.h>

CLASS_CALLS(TarnWave, wave)

static TarnResult wave_step(void* solver, const TarnAround* around, float dt,
                            TarnStepReport* report)
{
    if (tarn_wave_def(solver)->use_bodies)
        TARN_TRY(tarn_couple_wave_bodies(solver, around->bodies, dt));
    return tarn_wave_step(solver, dt, report);
}

// ---- Plugs ---------------------------------------------------------------------------------------

static TarnSurface wave_surface(const void* solver)
{
    return tarn_wave_surface(solver);
}
static bool wave_has_bodies(const void* solver)
{
    return tarn_wave_def(solver)->use_bodies;
}
static TarnResult wave_shift(void* solver, int di, int dk)
{
    return tarn_wave_shift(solver, di, dk);
}

static bool is_wall(int edge)
{
    return edge == TARN_EDGE_REFLECTING || edge == TARN_EDGE_FIXED;
}

// A bed is kept as depths below the level of calm water, walls as land.
static void wave_basin(const void* solver, TarnBasin* out)
{
    const TarnWave* wave = solver;
    const TarnWaveDef* def = &wave->def;
    TarnVec2 at = tarn_wave_origin(wave);
    *out = (TarnBasin){ .min = at,
                        .max = { at.x + (float)def->nx * def->dx, at.y + (float)def->nz * def->dx },
                        .is_closed = { is_wall(def->edge_x0), is_wall(def->edge_x1),
                                       is_wall(def->edge_z0), is_wall(def->edge_z1) },
                        .floor = def->level - def->depth,
                        .dx = def->dx,
                        .rest_level = def->level };
    out->depth = tarn_wave_bed_depths(wave);
}

// Waves only know their volume above the rest level: that is what they hold. What leaves through open edges
// and damping zones, or with a window, or was there at the start, is not counted and appears as error.
// Between closed edges that is rounding.
static void wave_holding(const void* solver, TarnHolding* out)
{
    const TarnWave* wave = solver;
    const TarnWaveDef* def = &wave->def;
    const int edges[] = { def->edge_x0, def->edge_x1, def->edge_z0, def->edge_z1 };
    TarnWaveLedger ledger = tarn_wave_ledger(wave);
    bool is_closed = wave->began_calm && wave->shift_i == 0 && wave->shift_k == 0;
    for (int e = 0; e < COUNT_OF(edges); ++e)
        is_closed &= edges[e] == TARN_EDGE_REFLECTING || edges[e] == TARN_EDGE_PERIODIC;
    *out = (TarnHolding){ .held = ledger.surface - ledger.displaced, .edits = ledger.sourced };
    double missing = out->held - out->edits;
    if (is_closed)
        out->error = missing;
    else
        *(missing > 0.0 ? &out->brought : &out->taken) = missing > 0.0 ? missing : -missing;
}

static bool wave_tiles(const void* solver, TarnTiles* out)
{
    const TarnWave* wave = solver;
    *out = (TarnTiles){ .awake = wave->awake,
                        .nx = wave->tiles_x,
                        .nz = wave->tiles_z,
                        .cells_x = WAVE_TILE_X,
                        .cells_z = WAVE_TILE_Z,
                        .origin = tarn_wave_origin(solver),
                        .dx = tarn_wave_def(solver)->dx };
    return tarn_wave_def(solver)->sleep_speed > 0.0f;
}

// ---- Stats ---------------------------------------------------------------------------------------

static double volume(const void* solver)
{
    return tarn_wave_volume(solver);
}
static double level(const void* solver)
{
    return (double)tarn_wave_level(solver);
}
static double height_min(const void* solver)
{
    TarnView2 u = tarn_wave_height(solver);
    return (double)tarn__view_lowest(u, u.data[0]);
}
static double height_max(const void* solver)
{
    TarnView2 u = tarn_wave_height(solver);
    return (double)tarn__view_highest(u, u.data[0]);
}

static const TarnStat stats[] = {
    { "volume", "m^3", "Volume of water above the rest level, not counting what bodies displace.",
      volume },
    { "level", "m", "Height y of the calm surface.", level },
    { "height_min", "m", "Deepest trough relative to the calm surface.", height_min },
    { "height_max", "m", "Highest crest relative to the calm surface.", height_max },
};

// ---- Emitters ------------------------------------------------------------------------------------

static TarnResult drop(void* solver, TarnVec2 center, float radius, float height)
{
    return tarn_wave_add_drop(solver, center, radius, height);
}
static TarnResult stroke(void* solver, TarnVec2 a, TarnVec2 b, float radius, float height)
{
    return tarn_wave_add_stroke(solver, a, b, radius, height);
}

// Height at the middle of the substep: a sine that fades in over its first period and, before stop,
// fades out over its last.
static float swing(const TarnEmission* e)
{
    const TarnEmitterDef* def = e->def;
    double t = 0.5 * (e->from + e->to);
    double turns = (t - e->begin) / def->period, left = (def->stop - t) / def->period;
    double s = turns < left ? turns : left;
    double ramp = s >= 1.0 ? 1.0 : s * s * (3.0 - 2.0 * s);
    double phase = 6.283185307179586 * (turns - floor(turns));
    return (float)(ramp * def->height) * tarn_sin((float)phase);
}

static void wave_emit(void* solver, const TarnEmission* e)
{
    const TarnEmitterDef* def = e->def;
    float dt = (float)(e->to - e->from);
    switch (def->kind) {
    case TARN_EMITTER_DROP:
        if (e->is_first) tarn_wave_add_drop(solver, def->a, def->radius, def->height);
        break;
    case TARN_EMITTER_RAIN:
        tarn__emission_rain(e, solver, drop);
        break;
    case TARN_EMITTER_STROKE:
        tarn__emission_stroke(e, solver, 1.5f * tarn_wave_def(solver)->dx, stroke);
        break;
    case TARN_EMITTER_LINE:
        tarn_wave_add_line(solver, def->a, def->b, swing(e), dt);
        break;
    default:
        tarn_wave_drive_edge(solver, def->edge, swing(e), dt);
    }
}

static const TarnSolverClass wave_class = {
    CLASS_FIELDS(wave),
    .about = "Heightfield waves: pools, ponds, harbors, wakes.",
    .phase = TARN_PHASE_WATERS,
    .step = wave_step,
    .stats = stats,
    .n_stats = COUNT_OF(stats),
    .surface = wave_surface,
    .floats_bodies = true,
    .has_bodies = wave_has_bodies,
    .basin = wave_basin,
    .shift = wave_shift,
    .holding = wave_holding,
    .tiles = wave_tiles,
    .emitters = 1u << TARN_EMITTER_DROP | 1u << TARN_EMITTER_RAIN | 1u << TARN_EMITTER_STROKE |
                1u << TARN_EMITTER_LINE | 1u << TARN_EMITTER_MAKER,
    .emit = wave_emit,
};

const TarnSolverClass* tarn_wave_class(void)
{
    return &wave_class;
}
