// Lattices as a class: how worlds, scenes and tools reach tarn/lattice.h.

#include "registry/registry.h"
#include "lattice/lattice_internal.h"
#include "tarn/coupling.h"
#include "tarn/lattice.h"

CLASS_CALLS(TarnLattice, lattice)

static bool lattice_has_bodies(const void* solver)
{
    return tarn_lattice_def(solver)->obstacles != TARN_LATTICE_NO_OBSTACLES;
}
static TarnResult lattice_join(void* solver, const TarnAround* around)
{
    if (!lattice_has_bodies(solver)) return TARN_OK;
    return tarn_lattice_set_solids(solver, around->solids);
}

// If time is dropped only the lattice lags behind: its report says so, but counts as fully advanced.
static TarnResult lattice_step(void* solver, const TarnAround* around, float dt,
                               TarnStepReport* report)
{
    if (lattice_has_bodies(solver) && around->bodies)
        TARN_TRY(tarn_couple_lattice_bodies(solver, around->bodies, dt, report));
    else
        TARN_TRY(tarn_lattice_step(solver, dt, report));
    report->time_advanced = dt;
    report->stable_dt = 10.0;
    return TARN_OK;
}

// ---- Sources and fills ---------------------------------------------------------------------------

LIST_CALLS(lattice, TarnLatticeSource, source, lattice_source)

static uint64_t source_renew(const void* solver, uint64_t id)
{
    return tarn__handles_renew(&((const TarnLattice*)solver)->source_ids, id);
}
static void carry_source(void* def, const TarnCarrier* carrier)
{
    TarnLatticeSourceDef* source = def;
    float share = carrier->throttle;
    source->motion = tarn_motion_carried(&carrier->motion, &source->motion);
    source->smoke *= share, source->temperature *= share, source->fuel *= share;
}

static void fill_init(void* def)
{
    *(TarnLatticeFillDef*)def = tarn_lattice_fill_default_def();
}
static TarnResult fill_add(void* solver, const void* def, uint64_t* id)
{
    TarnLatticeFillId made = { 0 };
    TarnResult result = tarn_lattice_add_fill(solver, def, &made);
    *id = made.value;
    return result;
}
static TarnResult fill_remove(void* solver, uint64_t id)
{
    return tarn_lattice_remove_fill(solver, (TarnLatticeFillId){ id });
}
static uint64_t fill_renew(const void* solver, uint64_t id)
{
    return tarn__handles_renew(&((const TarnLattice*)solver)->fill_ids, id);
}

static const TarnListClass lists[] = {
    { .name = "sources",
      .table = tarn_lattice_source_def_table,
      .init = lattice_source_init,
      .add = lattice_source_add,
      .set = lattice_source_set,
      .remove = lattice_source_remove,
      .carry = carry_source,
      .renew = source_renew },
    { .name = "fills",
      .table = tarn_lattice_fill_def_table,
      .init = fill_init,
      .add = fill_add,
      .remove = fill_remove,
      .renew = fill_renew },
};

// ---- Plugs -----------------------------------------------------------------------------------------

static TarnFlow lattice_flow(const void* solver)
{
    return tarn_lattice_flow(solver);
}
static TarnSurface lattice_surface(const void* solver)
{
    return tarn_lattice_surface(solver);
}
// The tank of a liquid holds bodies; its faces are walls. Air has no basin.
static void lattice_basin(const void* solver, TarnBasin* out)
{
    const TarnLatticeDef* def = tarn_lattice_def(solver);
    float x = 0.5f * (float)def->nx * def->dx, y = 0.5f * (float)def->ny * def->dx,
          z = 0.5f * (float)def->nz * def->dx;
    *out = (TarnBasin){ .min = { def->center.x - x, def->center.z - z },
                        .max = { def->center.x + x, def->center.z + z },
                        .floor = def->use_surface ? def->center.y - y : -1e4f };
    for (int side = 0; side < 4; ++side)
        out->is_closed[side] = def->use_surface && (side < 2 || def->nz > 1);
}
static bool lattice_is_flat(const void* solver)
{
    return tarn_lattice_def(solver)->nz == 1;
}

// ---- Stats -----------------------------------------------------------------------------------------

static double reynolds(const void* solver)
{
    return tarn_lattice_stats(solver).reynolds;
}
static double viscosity(const void* solver)
{
    return tarn_lattice_stats(solver).viscosity;
}
static double tau(const void* solver)
{
    return tarn_lattice_stats(solver).tau;
}
static double substep(const void* solver)
{
    return tarn_lattice_substep(solver);
}
static double speed(const void* solver)
{
    return tarn_lattice_stats(solver).max_speed;
}
static double mass(const void* solver)
{
    return tarn_lattice_stats(solver).mass;
}
static double volume(const void* solver)
{
    return tarn_lattice_stats(solver).volume;
}
static double energy(const void* solver)
{
    return tarn_lattice_stats(solver).kinetic_energy;
}
static double smoke(const void* solver)
{
    return tarn_lattice_stats(solver).smoke_sum;
}
static double heat_sum(const void* solver)
{
    return tarn_lattice_stats(solver).heat_sum;
}
static double links(const void* solver)
{
    return tarn_lattice_stats(solver).links;
}
static double limited(const void* solver)
{
    return tarn_lattice_stats(solver).limited;
}
static double bubbles(const void* solver)
{
    return tarn_lattice_stats(solver).bubbles;
}
// Of the solid in the box with the lowest number.
static TarnVec3 first_force(const TarnLattice* l)
{
    TarnVec3 force = { 0.0f, 0.0f, 0.0f };
    if (l->n_solids > 0 && l->solids)
        tarn_lattice_force(l, tarn__solids_id(l->solids, l->solids_in[0].slot), &force, NULL);
    return force;
}
static double drag(const void* solver)
{
    return (double)first_force(solver).x;
}
static double lift(const void* solver)
{
    return (double)first_force(solver).y;
}

static const TarnStat stats[] = {
    { "substep", "s", "Step in time of the lattice.", substep },
    { "tau", "", "Relaxation time of the lattice; close to 0.5 is the limit of stability.", tau },
    { "viscosity", "m^2/s", "Viscosity that the cells resolve.", viscosity },
    { "reynolds", "", "Reynolds number that the cells resolve.", reynolds },
    { "speed", "m/s", "Largest speed.", speed },
    { "mass", "cells", "Mass of all cells, in cells at rest.", mass },
    { "volume", "m^3", "Volume of the liquid, or of all fluid cells.", volume },
    { "energy", "m^5/s^2", "Kinetic energy per density.", energy },
    { "smoke", "m^3", "Integral of the smoke.", smoke },
    { "heat_sum", "K m^3", "Integral of the temperature above ambient.", heat_sum },
    { "drag", "N", "Force along x on the first solid in the box.", drag },
    { "lift", "N", "Force along y on the first solid in the box.", lift },
    { "links", "", "Links between cells and obstacles.", links },
    { "bubbles", "", "Regions of enclosed gas.", bubbles },
    { "limited", "cells", "Cells slowed down in the last step.", limited },
};

static const TarnSolverClass lattice_class = {
    CLASS_FIELDS(lattice),
    .about = "Lattice Boltzmann: wind tunnels, vortex streets, smoke in cities, splashing liquids.",
    .phase = TARN_PHASE_GASES,
    .step = lattice_step,
    .join = lattice_join,
    .stats = stats,
    .n_stats = COUNT_OF(stats),
    .lists = lists,
    .n_lists = COUNT_OF(lists),
    .flow = lattice_flow,
    .surface = lattice_surface,
    .floats_bodies = true,
    .has_bodies = lattice_has_bodies,
    .basin = lattice_basin,
    .carries_particles = true,
    .flow_density = 1.2f,
    .is_flat = lattice_is_flat,
};

const TarnSolverClass* tarn_lattice_class(void)
{
    return &lattice_class;
}
