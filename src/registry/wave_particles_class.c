// Wave particles as a class: how worlds, scenes and tools reach tarn/wave_particles.h.

#include "registry/emission.h"
#include "registry/registry.h"
#include "base/maths.h"
#include "tarn/coupling.h"
#include "tarn/wave_particles.h"
#include "waves/wave_particles_internal.h"
#include <math.h>

CLASS_CALLS(TarnWaveParticles, wave_particles)
LIST_CALLS(wave_particles, TarnWavePartition, partition, wave_partition)

static TarnResult step(void* solver, const TarnAround* around, float dt, TarnStepReport* report)
{
    if (tarn_wave_particles_def(solver)->use_bodies)
        TARN_TRY(tarn_couple_wave_particles_bodies(solver, &around->water, around->bodies, dt));
    return tarn_wave_particles_step(solver, dt, report);
}

static TarnSurface surface(const void* solver)
{
    return tarn_wave_particles_surface(solver);
}
static bool has_bodies(const void* solver)
{
    return tarn_wave_particles_def(solver)->use_bodies;
}
static TarnResult shift(void* solver, int di, int dk)
{
    return tarn_wave_particles_shift(solver, di, dk);
}

static void basin(const void* solver, TarnBasin* out)
{
    const TarnWaveParticlesDef* def = tarn_wave_particles_def(solver);
    TarnVec2 at = tarn_wave_particles_origin(solver);
    const int edges[] = { def->edge_x0, def->edge_x1, def->edge_z0, def->edge_z1 };
    *out = (TarnBasin){ .min = at,
                        .max = { at.x + (float)def->nx * def->dx, at.y + (float)def->nz * def->dx },
                        .floor = def->level - def->depth,
                        .dx = def->dx,
                        .rest_level = def->level };
    for (int e = 0; e < 4; ++e) out->is_closed[e] = edges[e] == TARN_WAVE_PARTICLES_WALL;
}

// ---- Stats and emitters ----------------------------------------------------------------------------

static double particles(const void* solver)
{
    return tarn_wave_particles_count(solver);
}
static double volume(const void* solver)
{
    return tarn_wave_particles_volume(solver);
}
static double height_min(const void* solver)
{
    return (double)tarn__view_lowest(tarn_wave_particles_height(solver), 0.0f);
}
static double height_max(const void* solver)
{
    return (double)tarn__view_highest(tarn_wave_particles_height(solver), 0.0f);
}
static const TarnStat stats[] = {
    { "particles", "", "Wave particles.", particles },
    { "volume", "m^3", "Volume of all bumps, troughs counting as negative.", volume },
    { "height_min", "m", "Deepest trough relative to the calm surface.", height_min },
    { "height_max", "m", "Highest crest relative to the calm surface.", height_max },
};

static TarnResult drop(void* solver, TarnVec2 center, float radius, float height)
{
    return tarn_wave_particles_add_drop(solver, center, radius, height);
}

// A crest at each start of a period, and a trough half a period later.
static void line(TarnWaveParticles* waves, const TarnEmission* e)
{
    const TarnEmitterDef* def = e->def;
    double n0 = ceil(2.0 * (e->from - e->begin) / def->period),
           n1 = ceil(2.0 * (e->to - e->begin) / def->period);
    int radius = 0;
    double length = 9.81 * def->period * def->period / 6.283185307; // of a wave of this period
    const TarnWaveParticlesDef* d = tarn_wave_particles_def(waves);
    while (radius + 1 < d->radii && length > 2.8 * (double)d->radius * (1 << radius)) ++radius;
    for (double n = n0; n < n1 && n < n0 + 8.0; n += 1.0) {
        float height = fmod(n, 2.0) == 0.0 ? def->height : -def->height;
        tarn_wave_particles_add_front(waves, def->a, def->b, radius, height);
    }
}

static void emit(void* solver, const TarnEmission* e)
{
    const TarnEmitterDef* def = e->def;
    if (def->kind == TARN_EMITTER_DROP && e->is_first)
        tarn_wave_particles_add_drop(solver, def->a, def->radius, def->height);
    if (def->kind == TARN_EMITTER_RAIN) tarn__emission_rain(e, solver, drop);
    if (def->kind == TARN_EMITTER_LINE) line(solver, e);
}

static uint64_t renew_partition(const void* solver, uint64_t id)
{
    return tarn__handles_renew(&((const TarnWaveParticles*)solver)->partition_ids, id);
}

static const TarnListClass lists[] = { {
    .name = "walls",
    .table = tarn_wave_partition_def_table,
    .init = wave_partition_init,
    .add = wave_partition_add,
    .set = wave_partition_set,
    .remove = wave_partition_remove,
    .renew = renew_partition,
} };

static const TarnSolverClass wave_particles_class = {
    CLASS_FIELDS(wave_particles),
    .about = "Waves that travel as particles: ponds full of floating and moving things.",
    .phase = TARN_PHASE_WATERS,
    .step = step,
    .stats = stats,
    .n_stats = COUNT_OF(stats),
    .lists = lists,
    .n_lists = COUNT_OF(lists),
    .surface = surface,
    .has_bodies = has_bodies,
    .basin = basin,
    .shift = shift,
    .emitters = 1u << TARN_EMITTER_DROP | 1u << TARN_EMITTER_RAIN | 1u << TARN_EMITTER_LINE,
    .emit = emit,
};

const TarnSolverClass* tarn_wave_particles_class(void)
{
    return &wave_particles_class;
}
