// Smoke, fire and jets of air on a grid: parameters, creation, views. The step is in gas_step.c.
//
// Method   Stable fluids [Stam1999] on a staggered grid, with MacCormack advection [Selle2008], multigrid
//          or cosine transforms for the pressure, and obstacles by iterated orthogonal projection
//          [Molemaker2008], as in Dark Void [Cruz2010] [Cohen2010].
// Differs  [Cruz2010] stores velocities in the frame of the moving grid; here they are absolute, so that a
//          frame that accelerates needs no force. MacCormack's error is subtracted and limited by the
//          eight samples of the first foot (the appendix of [Cruz2010] has the sign and the limits wrong).
// Checked  tests/physics/check_gas.c, tests/unit/test_gas.c, tests/robust/test_gas_storms.c.
// Cost     bench/bench_gas.c, docs/performance.md.

#include "gas/gas_kernels.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"

static const char* const pressure_names[] = { "multigrid", "spectral", "transform", NULL };
static const char* const obstacle_names[] = { "none", "iterated", "direct", NULL };
static const char* const step_names[] = { "split", "reflection", NULL };
static const char* const follow_names[] = { "shift", "translate", NULL };
static const char* const edge_names[] = { "closed", "open", "wind", "flow", NULL };
static const char* const advection_names[] = { "semi_lagrangian", "maccormack", NULL };

#define D TarnGasDef
static const TarnParam def_params[] = {
    P_INT(D, nx, "cells", 8, 1024, 48, "Cells along x, a multiple of 8."),
    P_INT(D, ny, "cells", 8, 1024, 48, "Cells along y, a multiple of 8."),
    P_INT(D, nz, "cells", 8, 1024, 48, "Cells along z, a multiple of 8."),
    P_FLOAT(D, dx, "m", 1e-3, 100, 0.1, "Size of a cell."),
    P_VEC3(D, center, "m", -1e5, 1e5, 0, 0, 0, "Center of the box."),
    P_BOOL(D, use_density, 1, "Enables density: smoke and dust, which are drawn."),
    P_BOOL(D, use_temperature, 1, "Enables temperature: heat, which rises and glows."),
    P_BOOL(D, use_fuel, 0, "Enables fuel, which burns; needs use_temperature."),
    P_BOOL(D, use_color, 0, "Enables colors of the density; needs use_density."),
    P_ENUM(D, pressure, pressure_names, 3, TARN_GAS_MULTIGRID, "How the pressure is solved."),
    P_ENUM(D, obstacles, obstacle_names, 3, TARN_GAS_ITERATED,
           "How solids act: not at all, by iterated projection, or in the pressure equation."),
    P_ENUM(D, step, step_names, 2, TARN_GAS_SPLIT,
           "Time integration; split is first order, reflection is second order and costs about "
           "twice as much."),
    P_ENUM(D, follow, follow_names, 2, TARN_GAS_SHIFT,
           "How the box moves: by whole cells, or smoothly, which blurs a little."),
    P_ENUM(D, edge_x0, edge_names, 4, TARN_GAS_OPEN,
           "Boundary condition at the -x face of the box."),
    P_ENUM(D, edge_x1, edge_names, 4, TARN_GAS_OPEN,
           "Boundary condition at the +x face of the box."),
    P_ENUM(D, edge_y0, edge_names, 4, TARN_GAS_OPEN,
           "Boundary condition at the -y face of the box."),
    P_ENUM(D, edge_y1, edge_names, 4, TARN_GAS_OPEN,
           "Boundary condition at the +y face of the box."),
    P_ENUM(D, edge_z0, edge_names, 4, TARN_GAS_OPEN,
           "Boundary condition at the -z face of the box."),
    P_ENUM(D, edge_z1, edge_names, 4, TARN_GAS_OPEN,
           "Boundary condition at the +z face of the box."),
    P_INT(D, max_sources, "", 0, 1024, 16, "Most sources."),
    P_INT(D, max_jets, "", 0, 1024, 16, "Most jets."),
    P_INT(D, levels, "", 1, GAS_MAX_LEVELS, 1,
          "Number of grids it can switch between, each half as fine as the one before."),
    P_INT(D, seed, "", 0, 2147483647, 1, "Seed of everything random."),
};
#undef D
#define P TarnGasParams
static const TarnParam params_params[] = {
    P_ENUM(P, advection, advection_names, 2, TARN_GAS_MACCORMACK,
           "How velocity and all fields are advected."),
    P_VEC3(P, gravity, "m/s^2", -1e3, 1e3, 0, -9.81, 0, "Gravity."),
    P_FLOAT(P, buoyancy, "", -100, 100, 1, "Lift of warm gas; 1 is that of an ideal gas."),
    P_FLOAT(P, ambient_temperature, "K", 1, 1e4, 293, "Temperature of the surrounding air."),
    P_FLOAT(P, smoke_weight, "", -10, 10, 0,
            "Weight of density 1, as a share of that of air; larger values make smoke sink."),
    P_VEC3(P, wind, "m/s", -300, 300, 0, 0, 0, "Velocity of the surrounding air."),
    P_ANGLE(P, wind_turn, "deg/s", -573, 573, 0,
            "Rate at which the wind turns, counter-clockwise seen from above."),
    P_FLOAT(P, wind_rate, "1/s", 0, 1e3, 0, "How fast the gas in the box takes on the wind."),
    P_VEC3(P, flow_x0, "m/s", -300, 300, 0, 0, 0,
           "Velocity at the -x face, if gas.edge_x0 is flow."),
    P_VEC3(P, flow_x1, "m/s", -300, 300, 0, 0, 0,
           "Velocity at the +x face, if gas.edge_x1 is flow."),
    P_VEC3(P, flow_y0, "m/s", -300, 300, 0, 0, 0,
           "Velocity at the -y face, if gas.edge_y0 is flow."),
    P_VEC3(P, flow_y1, "m/s", -300, 300, 0, 0, 0,
           "Velocity at the +y face, if gas.edge_y1 is flow."),
    P_VEC3(P, flow_z0, "m/s", -300, 300, 0, 0, 0,
           "Velocity at the -z face, if gas.edge_z0 is flow."),
    P_VEC3(P, flow_z1, "m/s", -300, 300, 0, 0, 0,
           "Velocity at the +z face, if gas.edge_z1 is flow."),
    P_FLOAT(P, drag, "1/s", 0, 1e3, 0, "How fast motion relative to the wind decays."),
    P_FLOAT(P, viscosity, "m^2/s", 0, 100, 0, "Kinematic viscosity."),
    P_FLOAT(P, vorticity, "", 0, 1, 0.1,
            "Vorticity confinement; larger values restore more small eddies."),
    P_FLOAT(P, turbulence, "m/s", 0, 100, 0,
            "Speed of the curl noise added where there is density."),
    P_FLOAT(P, turbulence_size, "m", 1e-3, 1e3, 1, "Size of the largest eddies of that noise."),
    P_FLOAT(P, density_decay, "1/s", 0, 1e3, 0, "How fast density fades."),
    P_FLOAT(P, cooling, "1/s", 0, 1e3, 0.2, "How fast heat fades."),
    P_FLOAT(P, fire_cooling, "K/s", 0, 1e6, 1500,
            "Cooling rate at max_temperature; it falls with the fourth power of the temperature "
            "below."),
    P_FLOAT(P, max_temperature, "K", 1, 1e4, 1700, "Temperature of flames above ambient."),
    P_FLOAT(P, ignition, "K", -1e4, 1e4, 400, "Temperature above ambient at which fuel burns."),
    P_FLOAT(P, burn_rate, "1/s", 0, 1e3, 3, "Share of the fuel that burns per second."),
    P_FLOAT(P, burn_heat, "K", 0, 1e5, 2500, "Temperature gained by burning 1 of fuel."),
    P_FLOAT(P, burn_smoke, "", 0, 100, 0.6, "Density gained by burning 1 of fuel."),
    P_FLOAT(P, expansion, "", 0, 100, 0.5, "Cells of volume added by burning 1 of fuel in a cell."),
    P_FLOAT(P, tolerance, "", 1e-6, 1, 1e-3,
            "Residual at which multigrid stops, unless it reaches the rounding of floats first; "
            "smaller is more accurate and slower."),
    P_INT(P, max_cycles, "", 1, 100, 8, "Most multigrid cycles per projection."),
    P_INT(P, iterations, "", 1, 4, 2,
          "Iterations of the iterated orthogonal projection around obstacles; more leak less."),
    P_BOOL(P, keeps_density, 1, "In closed boxes, preserves the integral of the density."),
    P_FLOAT(P, blend, "cells", 0.01, 100, 4, "Width of the rim over which the Flow fades out."),
    P_FLOAT(P, max_step, "s", 1e-4, 1, 0.034, "Longer steps are split into substeps."),
    P_INT(P, max_substeps, "", 1, 1000, 4, "Most substeps per step; time beyond them is dropped."),
    P_FLOAT(P, max_speed, "m/s", 0.01, 1e4, 300, "Faster gas is slowed down to this."),
    P_INT(P, update_every, "steps", 1, 100, 1, "Steps per update of the grid; larger is cheaper."),
};
#undef P
static const TarnParamTable def_table = PARAM_TABLE("gas", TarnGasDef, def_params);
static const TarnParamTable params_table = PARAM_TABLE("gas", TarnGasParams, params_params);

const TarnParamTable* tarn_gas_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_gas_params_table(void)
{
    return &params_table;
}
void tarn_gas_init_def(TarnGasDef* out, size_t size)
{
    TarnGasDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnGasDef, out, size, &def);
}
TarnGasParams tarn_gas_default_params(void)
{
    TarnGasParams params = { 0 };
    tarn_param_defaults(&params_table, &params);
    return params;
}

// ---- Create ------------------------------------------------------------------------------------

static bool is_smooth(int n) // 2^a 3^b 5^c, for cosine transforms
{
    for (int p = 2; p <= 5; ++p) {
        while (n % p == 0) n /= p;
    }
    return n == 1;
}

static TarnResult check_sizes(TarnContext* ctx, const TarnGasDef* def)
{
    const int n[3] = { def->nx, def->ny, def->nz };
    const char* const names[3] = { "nx", "ny", "nz" };
    for (int axis = 0; axis < 3; ++axis) {
        if (n[axis] % 8 != 0)
            return tarn__fail(ctx, TARN_ERR_ARG, "gas.%s: %d is not a multiple of 8; use %d",
                              names[axis], n[axis], (n[axis] + 7) / 8 * 8);
        if (def->pressure != TARN_GAS_MULTIGRID && !is_smooth(n[axis]))
            return tarn__fail(ctx, TARN_ERR_ARG,
                              "gas.%s: %d has prime factors other than 2, 3 and 5, which "
                              "gas.pressure spectral and transform do not support; use multigrid",
                              names[axis], n[axis]);
    }
    if ((int64_t)def->nx * def->ny * def->nz > 1 << 28)
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "gas.nx, ny, nz: %d x %d x %d are more than 2^28 cells; use a coarser grid", def->nx,
            def->ny, def->nz);
    return TARN_OK;
}

static TarnResult check_transform(TarnContext* ctx, const TarnGasDef* def)
{
    bool is_closed = true;
    for (int e = 0; e < 6; ++e) is_closed &= (&def->edge_x0)[e] == TARN_GAS_CLOSED;
    if (is_closed && def->obstacles == TARN_GAS_NO_OBSTACLES && !def->use_fuel) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "gas.pressure: transform needs a box with all edges closed, without "
                      "obstacles and fuel; close gas.edge_*, or use spectral or multigrid");
}

static TarnResult check_def(TarnContext* ctx, const TarnGasDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "gas", "tarn/gas.h", TarnGasDef, tarn_gas_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &def_table, def));
    TARN_TRY(check_sizes(ctx, def));
    if (def->use_fuel && !def->use_temperature)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "gas.use_fuel: fuel needs gas.use_temperature to burn");
    if (def->use_color && !def->use_density)
        return tarn__fail(ctx, TARN_ERR_ARG, "gas.use_color: colors need gas.use_density; set it");
    if (def->pressure == TARN_GAS_TRANSFORM) TARN_TRY(check_transform(ctx, def));
    if (def->pressure == TARN_GAS_TRANSFORM && def->step == TARN_GAS_REFLECTION)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "gas.step: reflection needs gas.pressure multigrid or spectral; "
                          "transform has no pressure to reflect");
    if (def->pressure == TARN_GAS_SPECTRAL && def->obstacles == TARN_GAS_DIRECT)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "gas.obstacles: direct needs gas.pressure multigrid; use iterated");
    return TARN_OK;
}

static GasLevel level_of(const TarnGasDef* def, int l)
{
    GasLevel level = { .grid = tarn__grid3(def->nx >> l, def->ny >> l, def->nz >> l),
                       .dx = def->dx * (float)(1 << l) };
    level.poisson = (PoissonDef){ .nx = level.grid.nx,
                                  .ny = level.grid.ny,
                                  .nz = level.grid.nz,
                                  .has_weights = def->obstacles == TARN_GAS_DIRECT };
    for (int e = 0; e < 6; ++e) {
        bool is_open = (&def->edge_x0)[e] == TARN_GAS_OPEN;
        level.poisson.edge[e] = is_open ? POISSON_OPEN : POISSON_CLOSED;
    }
    return level;
}

static bool has_scalar(const TarnGasDef* def, int s)
{
    const bool has[GAS_SCALARS] = { def->use_density, def->use_temperature, def->use_fuel,
                                    def->use_color,   def->use_color,       def->use_color };
    return has[s];
}

// Pointers to cell (0, 0, 0) of every field, in the order in which they lie in memory.
enum { FIELDS = 3 + GAS_SCALARS + 3 + 3 + 3 + 3 + 1 };
static int list_fields(TarnGas* gas, const TarnGasDef* def, float** out[FIELDS])
{
    int n = 0;
    for (int a = 0; a < 3; ++a) out[n++] = &gas->velocity[a];
    for (int a = 0; a < 3; ++a) out[n++] = &gas->next[a];
    for (int a = 0; a < 3; ++a) out[n++] = &gas->first[a];
    for (int a = 0; a < 3; ++a) out[n++] = &gas->way[a];
    for (int a = 0; a < 3 && def->step == TARN_GAS_REFLECTION; ++a) out[n++] = &gas->start[a];
    out[n++] = &gas->pressure;
    for (int s = 0; s < GAS_SCALARS; ++s) {
        if (has_scalar(def, s)) out[n++] = &gas->scalar[s];
    }
    return n;
}

// The solver of the pressure of a level: placed, or with gas NULL only counted.
static void lay_out_solver(TarnLayout* layout, const TarnGasDef* def, TarnGas* gas, int l)
{
    GasLevel level = level_of(def, l);
    bool is_spectral = def->pressure != TARN_GAS_MULTIGRID;
    size_t at = tarn__layout_add(layout, is_spectral ? tarn__cosine_size(&level.grid)
                                                     : tarn__multigrid_size(&level.poisson));
    if (gas == NULL) return;
    gas->levels[l] = level;
    void* memory = (char*)gas + at;
    if (is_spectral)
        gas->levels[l].cosine = tarn__cosine_place(gas->ctx, &level.grid, memory);
    else
        gas->levels[l].multigrid = tarn__multigrid_place(gas->ctx, &level.poisson, memory);
}

static size_t lay_out(const TarnGasDef* def, TarnGas* gas)
{
    TarnLayout layout = { 0 };
    tarn__layout_add(&layout, sizeof(TarnGas));
    TarnGas none = { 0 };
    float** fields[FIELDS];
    TarnGas* placed = gas ? gas : &none;
    int n = list_fields(placed, def, fields);
    Grid3 grid = tarn__grid3(def->nx, def->ny, def->nz);
    char* base = (char*)gas;
    for (int f = 0; f < n; ++f) {
        size_t at = tarn__layout_add(&layout, tarn__grid3_floats(&grid) * sizeof(float));
        if (gas) *fields[f] = (float*)(base + at) + tarn__grid3_first(&grid);
    }
    placed->sources =
        tarn__layout_place(&layout, base, (size_t)def->max_sources, sizeof *placed->sources);
    placed->jets = tarn__layout_place(&layout, base, (size_t)def->max_jets, sizeof *placed->jets);
    tarn__handles_place(&placed->source_ids, &layout, base, def->max_sources);
    tarn__handles_place(&placed->jet_ids, &layout, base, def->max_jets);
    size_t at_sums = tarn__layout_add(&layout, (size_t)(def->nz + 1) * 3 * sizeof(double));
    size_t obstacles = tarn__gas_obstacle_bytes(def);
    size_t at_obstacles = tarn__layout_add(&layout, obstacles);
    for (int l = 0; l < def->levels; ++l) lay_out_solver(&layout, def, gas, l);
    if (gas == NULL) return layout.size;
    gas->sums = (double*)(base + at_sums);
    gas->obstacle_memory = obstacles > 0 ? base + at_obstacles : NULL;
    return layout.size;
}

// All levels share the arrays; where cell (0, 0, 0) lies in them depends on the size of the ghosts.
void tarn__gas_use_level(TarnGas* gas, int level)
{
    float** fields[FIELDS];
    int n = list_fields(gas, &gas->def, fields);
    ptrdiff_t was = (ptrdiff_t)tarn__grid3_first(&gas->grid);
    ptrdiff_t is = (ptrdiff_t)tarn__grid3_first(&gas->levels[level].grid);
    for (int f = 0; f < n; ++f) *fields[f] += is - was;
    gas->next_scalar = gas->first[2];
    gas->divergence = gas->first[0];
    gas->expansion = gas->first[1];
    gas->level = level;
    gas->grid = gas->levels[level].grid;
    gas->dx = gas->levels[level].dx;
    gas->has_expansion = gas->has_guess = false;
}

static TarnVec3 corner_of(const TarnGasDef* def)
{
    TarnVec3 half = { 0.5f * (float)def->nx, 0.5f * (float)def->ny, 0.5f * (float)def->nz };
    return vec3_sub(def->center, vec3_scale(half, def->dx));
}

size_t tarn_gas_memory(const TarnGasDef* def)
{
    return check_def(NULL, def) == TARN_OK ? lay_out(def, NULL) : 0;
}

TarnResult tarn_gas_create(TarnContext* ctx, const TarnGasDef* def, TarnGas** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "tarn_gas_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    size_t size = lay_out(def, NULL);
    TarnGas* gas = tarn__alloc(ctx, size);
    if (gas == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY,
                          "gas: out of memory for %d x %d x %d cells (%zu bytes)", def->nx, def->ny,
                          def->nz, size);
    tarn__handles_begin(&gas->source_ids, "gas_source", "gas", "tarn_gas_add_source");
    tarn__handles_begin(&gas->jet_ids, "gas_jet", "gas", "tarn_gas_add_jet");
    gas->ctx = ctx;
    gas->memory = size;
    gas->def = *def;
    gas->params = tarn_gas_default_params();
    gas->kernels = TARN_KERNELS_PICK(ctx->isa, tarn__gas_kernels);
    gas->advect_kernels = TARN_KERNELS_PICK(ctx->isa, tarn__gas_advect_kernels);
    lay_out(def, gas);
    gas->grid = gas->levels[0].grid;
    tarn__gas_use_level(gas, 0);
    gas->origin = corner_of(def);
    gas->target = def->center;
    tarn__gas_place_obstacles(gas, gas->obstacle_memory);
    *out = gas;
    return TARN_OK;
}

void tarn_gas_destroy(TarnGas* gas)
{
    if (gas != NULL) tarn__free(gas->ctx, gas, gas->memory);
}

TarnResult tarn_gas_set_params(TarnGas* gas, const TarnGasParams* params)
{
    if (gas == NULL || params == NULL) return TARN_ERR_ARG;
    if (params->tolerance >= 0.0f && params->tolerance < 1e-6f)
        return tarn__fail(gas->ctx, TARN_ERR_ARG,
                          "gas.tolerance: %g is out of range; allowed: 1e-06 to 1. Floats cannot "
                          "reach less; for an exact pressure use gas.pressure spectral",
                          (double)params->tolerance);
    TARN_TRY(tarn_param_validate(gas->ctx, &params_table, params));
    gas->params = *params;
    return TARN_OK;
}
TarnGasParams tarn_gas_params(const TarnGas* gas)
{
    return gas->params;
}
const TarnGasDef* tarn_gas_def(const TarnGas* gas)
{
    return &gas->def;
}

TarnResult tarn_gas_set_force(TarnGas* gas, TarnGasForceFn* force, void* user)
{
    if (gas == NULL) return TARN_ERR_ARG;
    gas->force = force;
    gas->force_user = user;
    return TARN_OK;
}

bool tarn__gas_is_closed(const TarnGas* gas)
{
    for (int e = 0; e < 6; ++e) {
        if ((&gas->def.edge_x0)[e] != TARN_GAS_CLOSED) return false;
    }
    return true;
}

void tarn_gas_reset(TarnGas* gas)
{
    if (gas == NULL) return;
    float** fields[FIELDS];
    int n = list_fields(gas, &gas->def, fields);
    ptrdiff_t first = (ptrdiff_t)tarn__grid3_first(&gas->grid);
    size_t bytes = tarn__grid3_floats(&gas->levels[0].grid) * sizeof(float);
    for (int f = 0; f < n; ++f) memset(*fields[f] - first, 0, bytes);
    gas->has_guess = gas->has_expansion = false;
    gas->time = gas->carry = gas->held = 0.0;
    gas->steps = 0;
    gas->substeps = 0;
    gas->density_owed = gas->energy = 0.0;
    gas->n_bursts = 0;
    gas->last = (TarnGasStats){ 0 };
}

// ---- Reading -----------------------------------------------------------------------------------

static TarnView3 view_of(const TarnGas* gas, const float* field, int axis)
{
    const Grid3* g = &gas->grid;
    if (field == NULL) return (TarnView3){ 0 };
    return (TarnView3){
        field, g->nx + (axis == 0), g->ny + (axis == 1), g->nz + (axis == 2), g->row, g->slab
    };
}

TarnGasView tarn_gas_view(const TarnGas* gas)
{
    return (TarnGasView){ .origin = gas->origin,
                          .dx = gas->dx,
                          .u = view_of(gas, gas->velocity[0], 0),
                          .v = view_of(gas, gas->velocity[1], 1),
                          .w = view_of(gas, gas->velocity[2], 2),
                          .density = view_of(gas, gas->scalar[GAS_DENSITY], -1),
                          .temperature = view_of(gas, gas->scalar[GAS_TEMPERATURE], -1),
                          .fuel = view_of(gas, gas->scalar[GAS_FUEL], -1),
                          .pressure = view_of(gas, gas->pressure, -1),
                          .red = view_of(gas, gas->scalar[GAS_RED], -1),
                          .green = view_of(gas, gas->scalar[GAS_GREEN], -1),
                          .blue = view_of(gas, gas->scalar[GAS_BLUE], -1) };
}

double tarn_gas_time(const TarnGas* gas)
{
    return gas->time;
}
