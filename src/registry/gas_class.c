// Gases as a class: how worlds, scenes and tools reach tarn/gas.h.

#include "registry/registry.h"
#include "gas/gas_internal.h"
#include "tarn/gas.h"

CLASS_CALLS(TarnGas, gas)

static TarnResult gas_join(void* solver, const TarnAround* around)
{
    if (tarn_gas_def(solver)->obstacles == TARN_GAS_NO_OBSTACLES) return TARN_OK;
    return tarn_gas_set_solids(solver, around->solids);
}

// If time is dropped only the gas lags behind: its report says so, but counts as fully advanced.
static TarnResult gas_step(void* solver, const TarnAround* around, float dt, TarnStepReport* report)
{
    (void)around;
    TARN_TRY(tarn_gas_step(solver, dt, report));
    report->time_advanced = dt;
    report->stable_dt = 10.0;
    return TARN_OK;
}

// ---- Sources and jets ------------------------------------------------------------------------------

LIST_CALLS(gas, TarnGasSource, source, gas_source)
LIST_CALLS(gas, TarnGasJet, jet, gas_jet)

static uint64_t source_renew(const void* solver, uint64_t id)
{
    return tarn__handles_renew(&((const TarnGas*)solver)->source_ids, id);
}
static uint64_t jet_renew(const void* solver, uint64_t id)
{
    return tarn__handles_renew(&((const TarnGas*)solver)->jet_ids, id);
}

static void carry_source(void* def, const TarnCarrier* carrier)
{
    TarnGasSourceDef* source = def;
    float share = carrier->throttle;
    source->motion = tarn_motion_carried(&carrier->motion, &source->motion);
    source->density *= share, source->temperature *= share;
    source->fuel *= share, source->speed *= share;
}

static void carry_jet(void* def, const TarnCarrier* carrier)
{
    TarnGasJetDef* jet = def;
    jet->motion = tarn_motion_carried(&carrier->motion, &jet->motion);
    jet->speed *= carrier->throttle;
}

static const TarnListClass lists[] = {
    { .name = "sources",
      .table = tarn_gas_source_def_table,
      .init = gas_source_init,
      .add = gas_source_add,
      .set = gas_source_set,
      .remove = gas_source_remove,
      .carry = carry_source,
      .renew = source_renew },
    { .name = "jets",
      .table = tarn_gas_jet_def_table,
      .init = gas_jet_init,
      .add = gas_jet_add,
      .set = gas_jet_set,
      .remove = gas_jet_remove,
      .carry = carry_jet,
      .renew = jet_renew },
};

// ---- Plugs ---------------------------------------------------------------------------------------

static TarnFlow gas_flow(const void* solver)
{
    return tarn_gas_flow(solver);
}
static TarnResult gas_follow(void* solver, TarnVec3 center, TarnVec3 velocity)
{
    return tarn_gas_move(solver, center, velocity);
}

static void gas_set_detail(void* solver, const TarnDetail* detail)
{
    int most = tarn_gas_def(solver)->levels - 1,
        level = detail->level < most ? detail->level : most;
    TarnGasParams params = tarn_gas_params(solver);
    params.update_every = detail->update_every;
    tarn_gas_set_params(solver, &params);
    if (tarn_gas_level(solver) != level) tarn_gas_set_level(solver, level);
}

// ---- Stats ---------------------------------------------------------------------------------------

static double center_x(const void* solver)
{
    return (double)tarn_gas_center(solver).x;
}
static double center_y(const void* solver)
{
    return (double)tarn_gas_center(solver).y;
}
static double center_z(const void* solver)
{
    return (double)tarn_gas_center(solver).z;
}
static double speed(const void* solver)
{
    return tarn_gas_stats(solver).max_speed;
}
static double heat(const void* solver)
{
    return tarn_gas_stats(solver).max_temperature;
}
static double density(const void* solver)
{
    return tarn_gas_stats(solver).density_sum;
}
static double cycles(const void* solver)
{
    return tarn_gas_stats(solver).cycles;
}
static double residual(const void* solver)
{
    return tarn_gas_stats(solver).residual;
}
static double heat_sum(const void* solver)
{
    return tarn_gas_stats(solver).heat_sum;
}
static double cells_x(const void* solver)
{
    return tarn_gas_view(solver).u.nx - 1; // faces
}
static double cells_y(const void* solver)
{
    return tarn_gas_view(solver).u.ny;
}
static double cells_z(const void* solver)
{
    return tarn_gas_view(solver).u.nz;
}
static double cell_size(const void* solver)
{
    return (double)tarn_gas_view(solver).dx;
}
static double divergence(const void* solver)
{
    return tarn_gas_stats(solver).divergence;
}

static const TarnStat stats[] = {
    { "x", "m", "x of the center of the box.", center_x },
    { "y", "m", "y of the center of the box.", center_y },
    { "z", "m", "z of the center of the box.", center_z },
    { "nx", "", "Cells along x at the current level of detail.", cells_x },
    { "ny", "", "Cells along y.", cells_y },
    { "nz", "", "Cells along z.", cells_z },
    { "dx", "m", "Cell size.", cell_size },
    { "speed", "m/s", "Largest speed of the gas.", speed },
    { "heat", "K", "Highest temperature above ambient.", heat },
    { "heat_sum", "K m^3", "Integral of the temperature above ambient.", heat_sum },
    { "density", "m^3", "Integral of the density: the volume of smoke at density 1.", density },
    { "cycles", "", "Multigrid cycles in the last step.", cycles },
    { "residual", "", "Residual of the pressure solve, relative to the one at its start.",
      residual },
    { "divergence", "1/s", "Divergence left after the projection.", divergence },
};

static const TarnSolverClass gas_class = {
    CLASS_FIELDS(gas),
    .about = "Smoke, fire and wind on a grid: chimneys, explosions, jets, dust.",
    .phase = TARN_PHASE_GASES,
    .step = gas_step,
    .join = gas_join,
    .stats = stats,
    .n_stats = COUNT_OF(stats),
    .lists = lists,
    .n_lists = COUNT_OF(lists),
    .flow = gas_flow,
    .carries_particles = true,
    .pushes_bodies = true,
    .flow_density = 1.2f,
    .follow = gas_follow,
    .set_detail = gas_set_detail,
};

const TarnSolverClass* tarn_gas_class(void)
{
    return &gas_class;
}
