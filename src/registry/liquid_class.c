// Liquids of particles as a class: how worlds, scenes and tools reach tarn/liquid.h.

#include "registry/registry.h"
#include "base/maths.h"
#include "liquid/liquid_driver.h"
#include "liquid/liquid_internal.h"
#include "tarn/coupling.h"
#include "tarn/liquid.h"

CLASS_CALLS(TarnLiquid, liquid)

static TarnResult liquid_join(void* solver, const TarnAround* around)
{
    return tarn_liquid_set_solids(solver, around->solids);
}
static TarnResult liquid_step(void* solver, const TarnAround* around, float dt,
                              TarnStepReport* report)
{
    return tarn_couple_liquid_bodies(solver, around->bodies, dt, report);
}

// ---- Sources and regions ---------------------------------------------------------------------------

LIST_CALLS(liquid, TarnLiquidSource, source, liquid_source)
LIST_CALLS(liquid, TarnRegion, region, region)

static void carry_source(void* def, const TarnCarrier* carrier)
{
    TarnLiquidSourceDef* source = def;
    TarnMotion local = { source->position, { 0, 0, 0, 1 }, source->velocity, { 0, 0, 0 } };
    TarnMotion now = tarn_motion_carried(&carrier->motion, &local);
    source->position = now.position;
    source->velocity = now.velocity;
    source->direction = quat_rotate(carrier->motion.rotation, source->direction);
    source->speed *= carrier->throttle;
}

static double particle_volume(const TarnLiquid* liquid) // [m^3]
{
    return (double)(tarn_liquid_particle_mass(liquid, 0) / liquid->kinds[0].density);
}
static double source_given(const void* solver, uint64_t id)
{
    return (double)tarn__liquid_given(solver, (TarnLiquidSourceId){ id }) * particle_volume(solver);
}
static void source_pause(void* solver, uint64_t id, bool is_paused)
{
    tarn__liquid_pause_source(solver, (TarnLiquidSourceId){ id }, is_paused);
}
static uint64_t source_renew(const void* solver, uint64_t id)
{
    return tarn__handles_renew(&((const TarnLiquid*)solver)->driver->source_ids, id);
}

static const TarnListClass lists[] = {
    { .name = "sources",
      .table = tarn_liquid_source_def_table,
      .init = liquid_source_init,
      .add = liquid_source_add,
      .set = liquid_source_set,
      .remove = liquid_source_remove,
      .carry = carry_source,
      .given = source_given,
      .pause = source_pause,
      .renew = source_renew },
    { .name = "regions",
      .table = tarn_region_def_table,
      .init = region_init,
      .add = region_add,
      .set = region_set,
      .remove = region_remove },
};

// ---- Plugs ---------------------------------------------------------------------------------------

static TarnFlow liquid_flow(const void* solver)
{
    return tarn_liquid_flow(solver);
}
static bool liquid_is_flat(const void* solver)
{
    return tarn_liquid_def(solver)->dimensions == 2;
}

// Its walls hold bodies too. In 2-D there are no walls along z.
static void liquid_basin(const void* solver, TarnBasin* out)
{
    const TarnLiquidDef* def = tarn_liquid_def(solver);
    bool is_flat = def->dimensions == 2;
    bool is_closed = def->walls == TARN_LIQUID_TANK || def->walls == TARN_LIQUID_BOX;
    const float far_away = 1e4f;
    *out = (TarnBasin){ .min = { def->box_min.x, is_flat ? -far_away : def->box_min.z },
                        .max = { def->box_max.x, is_flat ? far_away : def->box_max.z },
                        .is_closed = { is_closed, is_closed, is_closed && !is_flat,
                                       is_closed && !is_flat },
                        .floor = is_closed ? def->box_min.y : -far_away };
    if (def->walls != TARN_LIQUID_UNBOUNDED) return;
    out->min = (TarnVec2){ -far_away, -far_away };
    out->max = (TarnVec2){ far_away, far_away };
}

static void liquid_holding(const void* solver, TarnHolding* out)
{
    TarnLiquidLedger l = tarn_liquid_ledger(solver);
    double volume = particle_volume(solver);
    *out = (TarnHolding){ .held = (double)l.alive * volume,
                          .taken = (double)(l.drained + l.left + l.boiled) * volume,
                          .edits = ((double)l.added - (double)l.removed) * volume,
                          .is_exact = true };
}

static void take_drops(void* self, int n, const int* indices)
{
    tarn__liquid_take(self, n, indices);
}

static bool liquid_drops(void* solver, TarnDrops* out)
{
    TarnLiquid* liquid = solver;
    TarnLiquidView v = tarn_liquid_view(liquid);
    if (liquid->def.dimensions == 2) return false; // a slice has no place in a height field
    *out = (TarnDrops){ .self = liquid,
                        .n = v.n,
                        .x = v.x,
                        .y = v.y,
                        .z = v.z,
                        .vx = v.vx,
                        .vy = v.vy,
                        .vz = v.vz,
                        .volume = (float)particle_volume(liquid),
                        .radius = liquid->def.spacing,
                        .density = liquid->kinds[0].density,
                        .take = take_drops };
    return true;
}

// ---- Stats ---------------------------------------------------------------------------------------

static double particles(const void* solver)
{
    return tarn_liquid_view(solver).n;
}
static double compression(const void* solver)
{
    return tarn_liquid_stats(solver).mean_compression;
}
static double max_compression(const void* solver)
{
    return tarn_liquid_stats(solver).max_compression;
}
static double neighbors(const void* solver)
{
    return tarn_liquid_stats(solver).neighbors;
}
static double drained(const void* solver) // by drains and regions, and over open edges
{
    TarnLiquidLedger l = tarn_liquid_ledger(solver);
    return (double)(l.drained + l.left);
}
static double kinetic_energy(const void* solver)
{
    return tarn_liquid_stats(solver).kinetic_energy;
}
static double max_speed(const void* solver)
{
    return tarn_liquid_stats(solver).max_speed;
}
static double top(const void* solver)
{
    TarnLiquidView view = tarn_liquid_view(solver);
    float highest = view.n > 0 ? view.y[0] : 0.0f;
    for (int i = 1; i < view.n; ++i) highest = view.y[i] > highest ? view.y[i] : highest;
    return (double)highest;
}

static const TarnStat stats[] = {
    { "particles", "", "Number of particles.", particles },
    { "compression", "", "Mean density relative to the rest density, minus 1.", compression },
    { "max_compression", "", "Compression of the most compressed particle.", max_compression },
    { "neighbors", "", "Neighbors per particle.", neighbors },
    { "drained", "", "Particles removed by drains, regions and open edges.", drained },
    { "kinetic_energy", "J", "Kinetic energy of all particles.", kinetic_energy },
    { "max_speed", "m/s", "Speed of the fastest particle.", max_speed },
    { "top", "m", "Height y of the highest particle.", top },
};

static const TarnSolverClass liquid_class = {
    CLASS_FIELDS(liquid),
    .about = "Particle liquids in 2-D and 3-D: splashes, pouring, tanks, honey, oil on water.",
    .phase = TARN_PHASE_LIQUIDS,
    .step = liquid_step,
    .join = liquid_join,
    .stats = stats,
    .n_stats = COUNT_OF(stats),
    .lists = lists,
    .n_lists = COUNT_OF(lists),
    .flow = liquid_flow,
    .floats_bodies = true,
    .is_flat = liquid_is_flat,
    .basin = liquid_basin,
    .drops = liquid_drops,
    .holding = liquid_holding,
};

const TarnSolverClass* tarn_liquid_class(void)
{
    return &liquid_class;
}
