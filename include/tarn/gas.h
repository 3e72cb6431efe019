// tarn/gas.h: smoke, fire and jets of air on a grid that can follow what emits them.
//
//     du/dt = -(u . grad) u - grad p + buoyancy + forces        div u = expansion
//     dq/dt = -(u . grad) q - decay q                           q: density, temperature, fuel, color
//
// A box of cells with velocities on their faces, as in the smoke of Dark Void: MacCormack advection, pressure
// by multigrid or cosine transforms, obstacles by iterated orthogonal projection or in the pressure equation.
// The box can follow a target through the world at any speed; what it leaves behind is carried by particles
// (tarn/particles.h), which a gas moves through its Flow. It cannot do shocks, sound, or the free surface of
// a liquid. Method, limits, cost: docs/solvers/gas.md
#pragma once

#include "tarn/base.h"
#include "tarn/member.h"
#include "tarn/flow.h"
#include "tarn/shape.h"
#include "tarn/solids.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnGas TarnGas;

typedef enum TarnGasAdvection {
    TARN_GAS_SEMI_LAGRANGIAN, // smooth, cheap
    TARN_GAS_MACCORMACK,      // keeps detail; limited so that nothing overshoots
} TarnGasAdvection;
typedef enum TarnGasPressure {
    TARN_GAS_MULTIGRID, // iterates to a tolerance
    TARN_GAS_SPECTRAL,  // exact in a box, by cosine transforms
    // The solver of Long and Reinhard (2009): velocities are transformed to waves, where viscosity and
    // pressure are solved; stable for any viscosity. Needs a closed box without obstacles and expansion
    TARN_GAS_TRANSFORM,
} TarnGasPressure;
typedef enum TarnGasObstacles {
    TARN_GAS_NO_OBSTACLES, // solids are ignored
    TARN_GAS_ITERATED,     // iterated orthogonal projection: obstacle, pressure, obstacle, ...
    TARN_GAS_DIRECT,       // in the pressure equation; multigrid only, about 60 bytes per cell more
} TarnGasObstacles;
typedef enum TarnGasStep {
    TARN_GAS_SPLIT, // advection, then pressure: first order in time, fast flow loses energy
    // Advection-reflection: second order in time, twice the cost, 12 bytes per cell more; multigrid or
    // spectral only
    TARN_GAS_REFLECTION,
} TarnGasStep;
typedef enum TarnGasEdge {
    TARN_GAS_CLOSED, // a frictionless wall
    TARN_GAS_OPEN,   // air flows in and out freely
    TARN_GAS_WIND,   // the flow through it is the wind
    TARN_GAS_FLOW,   // the flow through it is prescribed: flow_x0 ... flow_z1 of the params
} TarnGasEdge;
typedef enum TarnGasFollow {
    TARN_GAS_SHIFT,     // by whole cells: what is at rest in the world is not changed
    TARN_GAS_TRANSLATE, // smoothly, in the frame of the target, which blurs a little
} TarnGasFollow;

// Start from tarn_gas_default_def(). Ranges and defaults: tarn describe gas.
typedef struct TarnGasDef {
    uint32_t cookie; // set by tarn_gas_default_def; leave it alone
    int nx, ny, nz;  // cells; multiples of 8
    float dx;        // [m]
    TarnVec3 center; // of the box [m]
    bool use_density, use_temperature, use_fuel, use_color;
    int pressure;                                             // TarnGasPressure
    int obstacles;                                            // TarnGasObstacles
    int step;                                                 // TarnGasStep
    int follow;                                               // TarnGasFollow
    int edge_x0, edge_x1, edge_y0, edge_y1, edge_z0, edge_z1; // TarnGasEdge
    int max_sources, max_jets;
    int levels; // grids it can switch between, 1: only the finest; level l has cells of 2^l dx
    int seed;   // seed of everything random
} TarnGasDef;

// Parameters that may change every frame.
typedef struct TarnGasParams {
    int advection;             // TarnGasAdvection of velocity and all fields
    TarnVec3 gravity;          // [m/s^2]
    float buoyancy;            // 1: that of an ideal gas at ambient temperature; 0: none
    float ambient_temperature; // [K]
    float smoke_weight; // weight of density 1, as a share of that of air; larger makes smoke sink
    TarnVec3 wind;      // velocity of the surrounding air [m/s]
    float wind_turn;    // rate at which the wind turns, counter-clockwise seen from above [rad/s]
    float wind_rate;    // rate at which the gas in the box takes on the wind [1/s]
    // Velocity at an edge of kind TARN_GAS_FLOW [m/s]: across the edge it is the flow in or out, along the
    // edge the velocity of incoming air.
    TarnVec3 flow_x0, flow_x1, flow_y0, flow_y1, flow_z0, flow_z1;
    float drag;            // rate at which motion relative to the wind decays [1/s]
    float viscosity;       // kinematic [m^2/s]
    float vorticity;       // confinement: restores small eddies, 0 to 1
    float turbulence;      // speed of the curl noise added where there is density [m/s]
    float turbulence_size; // size of the largest eddies of that noise [m]
    float density_decay;   // [1/s]
    float cooling;         // linear [1/s]
    float fire_cooling;    // cooling at max_temperature [K/s]; falls with the fourth power below
    float max_temperature; // of flames, above ambient [K]
    float ignition;        // temperature above ambient at which fuel burns [K]
    float burn_rate;       // share of the fuel that burns per second; fuel below 0.1 counts as 0.1
    float burn_heat;       // temperature gained by burning 1 of fuel [K]
    float burn_smoke;      // density gained by burning 1 of fuel
    float expansion;       // volume added by burning 1 of fuel in a cell, in cells
    // Residual of the pressure, relative to the first, at which multigrid stops. Rounding of floats ends a
    // solve earlier, at about 1.2e-7 n with n cells along the longest side, or n^2 / 2.7e7 for a single wave
    // of that length.
    float tolerance;
    int max_cycles;     // most multigrid cycles per projection
    int iterations;     // of iterated orthogonal projection, 1 to 4; more leak less
    bool keeps_density; // in closed boxes, preserves the integral of the density exactly
    float blend;        // width of the rim at open faces over which the Flow fades out [cells]
    float max_step;     // longer steps are split into substeps [s]
    int max_substeps;   // time beyond these is dropped and reported
    float max_speed;    // faster gas is slowed down to this [m/s]
    int update_every;   // calls of tarn_gas_step per update of the grid; 1: every step
} TarnGasParams;

TARN_API const TarnParamTable* tarn_gas_def_table(void);
TARN_API const TarnParamTable* tarn_gas_params_table(void);
TARN_DEFAULT_DEF(TarnGasDef, tarn_gas);
TARN_API TarnGasParams tarn_gas_default_params(void);

// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_gas_memory(const TarnGasDef* def);
// Creates a gas. TARN_ERR_ARG: a value is out of range. TARN_ERR_MEMORY. On failure *out is NULL and nothing
// stays allocated.
TARN_API TarnResult tarn_gas_create(TarnContext* ctx, const TarnGasDef* def, TarnGas** out);
TARN_API void tarn_gas_destroy(TarnGas* gas); // NULL is fine
TARN_API TarnResult tarn_gas_set_params(TarnGas* gas, const TarnGasParams* params);
TARN_API TarnGasParams tarn_gas_params(const TarnGas* gas);
TARN_API const TarnGasDef* tarn_gas_def(const TarnGas* gas);
// Sets the obstacles; NULL: none. The set is neither owned nor changed; call tarn_solids_advance before each
// step.
TARN_API TarnResult tarn_gas_set_solids(TarnGas* gas, const TarnSolids* solids);

// ---- Sources and jets ----------------------------------------------------------------------------

// A volume that emits smoke, heat and fuel.
typedef struct TarnGasSourceDef {
    uint32_t cookie;                  // set by tarn_gas_source_default_def; leave it alone
    TarnShape shape;                  // default: a sphere
    TarnMotion motion;                // pose, and velocity that the gas inside inherits
    float softness;                   // share of the size over which it fades in; 0: a hard edge
    float density, temperature, fuel; // values inside; temperature is above ambient [K]
    TarnVec3 color;                   // linear 0..1
    float rate;                       // how fast the gas inside takes these on [1/s]; 0: at once
    float speed;                      // speed of the gas that leaves it, along local +y [m/s]
    float inherit;     // share of motion and speed that the gas inside takes on, 0 to 1
    float expansion;   // volume added per second, in multiples of its own: explosions [1/s]
    float noise;       // share by which it flickers in place and time, 0 to 1
    float start, stop; // seconds of the gas
} TarnGasSourceDef;

// A nozzle or fan: pushes the gas in a cylinder along its axis, as part of the pressure solve.
typedef struct TarnGasJetDef {
    uint32_t cookie;      // set by tarn_gas_jet_default_def; leave it alone
    TarnMotion motion;    // pose; the jet blows along local +y
    float radius, length; // of the cylinder, which starts at the position [m]
    float speed;          // speed that the gas is brought to, added to the motion's velocity [m/s]
    float rate;           // how fast the gas takes on that speed [1/s]; 0: at once
    float wobble;         // half angle by which the direction wanders [rad]
    float flutter;        // share by which the speed wanders, 0 to 1
    float frequency;      // of wobble and flutter [Hz]
    float pulse_period;   // time between pulses [s]; 0: steady
    float pulse_share;    // share of the period in which it blows
    float start, stop;    // seconds of the gas
} TarnGasJetDef;

typedef struct TarnGasSourceId {
    uint64_t value;
} TarnGasSourceId; // 0: the null id
typedef struct TarnGasJetId {
    uint64_t value;
} TarnGasJetId; // 0: the null id
TARN_API const TarnParamTable* tarn_gas_source_def_table(void);
TARN_API const TarnParamTable* tarn_gas_jet_def_table(void);
TARN_DEFAULT_DEF(TarnGasSourceDef, tarn_gas_source);
TARN_DEFAULT_DEF(TarnGasJetDef, tarn_gas_jet);
// Add, change, move and remove sources and jets. out may be NULL. TARN_ERR_ARG: a value is out of range, or
// an id is stale or belongs to another gas. TARN_ERR_CAPACITY: all max_sources or max_jets are in use.
TARN_API TarnResult tarn_gas_add_source(TarnGas* gas, const TarnGasSourceDef* def,
                                        TarnGasSourceId* out);
TARN_API TarnResult tarn_gas_set_source(TarnGas* gas, TarnGasSourceId id,
                                        const TarnGasSourceDef* def);
TARN_API TarnResult tarn_gas_move_source(TarnGas* gas, TarnGasSourceId id,
                                         const TarnMotion* motion);
TARN_API TarnResult tarn_gas_remove_source(TarnGas* gas, TarnGasSourceId id);
TARN_API TarnResult tarn_gas_add_jet(TarnGas* gas, const TarnGasJetDef* def, TarnGasJetId* out);
TARN_API TarnResult tarn_gas_set_jet(TarnGas* gas, TarnGasJetId id, const TarnGasJetDef* def);
TARN_API TarnResult tarn_gas_move_jet(TarnGas* gas, TarnGasJetId id, const TarnMotion* motion);
TARN_API TarnResult tarn_gas_remove_jet(TarnGas* gas, TarnGasJetId id);
// Writes an acceleration [m/s^2] at n points, which is added in each substep. Workers call it for up to 256
// points at a time; it must depend on its arguments only.
typedef void TarnGasForceFn(int n, const float* x, const float* y, const float* z, double time,
                            TarnVec3* acceleration, void* user);
// Sets the force function; NULL: none.
TARN_API TarnResult tarn_gas_set_force(TarnGas* gas, TarnGasForceFn* force, void* user);
// Sets off an explosion: hot, burning or dusty gas in a ball, which expands by `volume` [m^3] during the next
// step.
TARN_API TarnResult tarn_gas_burst(TarnGas* gas, TarnVec3 center, float radius, float density,
                                   float temperature, float fuel, float volume);

// ---- Moving and detail ---------------------------------------------------------------------------

// Sets where the center of the box will be at the end of the next step [m], and its velocity then [m/s]. Call
// it before each step while the box moves. Ambient air enters it. Along an axis with a closed edge the box
// does not move.
TARN_API TarnResult tarn_gas_move(TarnGas* gas, TarnVec3 center, TarnVec3 velocity);
TARN_API TarnVec3 tarn_gas_center(const TarnGas* gas); // current center of the box
// Switches to a coarser or finer grid over the same box: level 0 is that of the def, level l has cells of 2^l
// dx. Velocities are resampled and projected. TARN_ERR_ARG: the def has no such level.
TARN_API TarnResult tarn_gas_set_level(TarnGas* gas, int level);
TARN_API int tarn_gas_level(const TarnGas* gas);

// ---- Stepping and reading ------------------------------------------------------------------------

// Advances by dt [s], 0 to 10. It allocates nothing and gives the same bits for any number of workers. With
// update_every above 1, report->time_advanced is 0 in steps that only save up their time, and the sum in the
// one that updates the grid. TARN_STEP_NOT_CONVERGED: max_cycles were not enough for the tolerance, and more
// would help; a solve that ends at the rounding of floats is not flagged (see residual of the stats).
// TARN_STEP_TIME_CUT: max_substeps were not enough. TARN_STEP_CAPACITY_FULL: there are more than 254 solids
// in the box, or more than 16 expanding sources. TARN_ERR_ARG: dt is out of range.
TARN_API TarnResult tarn_gas_step(TarnGas* gas, float dt, TarnStepReport* report);
// Returns to calm, clear air and time 0; sources and jets stay. NULL is fine.
TARN_API void tarn_gas_reset(TarnGas* gas);

// The fields of the current level. Valid until the next step, edit or destroy. Velocities are on faces: u(i,
// j, k) is on the -x face of cell (i, j, k). For velocities at any point use the Flow.
typedef struct TarnGasView {
    TarnVec3 origin;                      // the corner of cell (0, 0, 0) [m]
    float dx;                             // [m]
    TarnView3 u, v, w;                    // [m/s], one more along their own axis
    TarnView3 density, temperature, fuel; // data NULL: not used
    TarnView3 pressure;                   // of the last step, multiplied by dt / dx [m/s]
    TarnView3 red, green, blue;           // multiplied by density; data NULL: not used
} TarnGasView;
TARN_API TarnGasView tarn_gas_view(const TarnGas* gas);
// Sets fields of the current level: nx * ny * nz values each, x fastest; NULL leaves a field as it is.
// Velocities are at cell centers and are projected in the next step. TARN_ERR_DATA: a value is not finite or
// out of range; nothing has changed.
TARN_API TarnResult tarn_gas_set_fields(TarnGas* gas, const TarnVec3* velocity,
                                        const float* density, const float* temperature,
                                        const float* fuel);
// Sets velocities on faces of the current level, in the order of tarn_gas_view: u has (nx + 1) ny nz values,
// v nx (ny + 1) nz, w nx ny (nz + 1), x fastest, without gaps; NULL leaves a component as it is. Faces on
// closed and wind edges keep what the edge prescribes. The velocities are projected in the next step.
// TARN_ERR_DATA: a value is beyond +-1e4 m/s; nothing has changed.
TARN_API TarnResult tarn_gas_set_face_velocities(TarnGas* gas, const float* u, const float* v,
                                                 const float* w);
// Sets the velocities [m/s] of all faces with centers in the region lo to hi [m] from a function of position;
// +-INFINITY: the whole box. The function is called on the calling thread, for up to 256 points at a time and
// twice for each face (all are checked before one is changed), and must depend on its arguments only.
// TARN_ERR_DATA: it returned a value beyond +-1e4 m/s; nothing has changed.
typedef void TarnGasVelocityFn(int n, const float* x, const float* y, const float* z,
                               TarnVec3* velocity, void* user);
TARN_API TarnResult tarn_gas_set_velocity(TarnGas* gas, TarnVec3 lo, TarnVec3 hi,
                                          TarnGasVelocityFn* fn, void* user);
TARN_API TarnFlow tarn_gas_flow(const TarnGas* gas);
TARN_API double tarn_gas_time(const TarnGas* gas); // [s]

typedef struct TarnGasStats {
    int cycles;      // multigrid cycles of all projections in the last step
    double residual; // of the last solve, relative to its start
    double divergence_before,
        divergence;  // largest |div u - expansion| before and after the last projection [1/s]
    double net_flux; // out of the box through its faces [m^3/s]
    double leak;     // largest normal speed of the air relative to a solid at its surface [m/s]
    double kinetic_energy; // per density of air [m^5/s^2]
    double density_sum;    // [m^3 of density 1]
    double heat_sum;       // [K m^3]
    double max_speed, max_temperature;
    int solid_cells;
} TarnGasStats;
TARN_API TarnGasStats tarn_gas_stats(const TarnGas* gas); // computed by the call

// Returns a hash of the state. Equal hashes mean equal futures, given the same solids and force function.
TARN_API uint64_t tarn_gas_hash(const TarnGas* gas);
// Save and load as tarn_wave_save and tarn_wave_load. After a load, sources and jets are those of the
// snapshot, under their ids. Solids belong to the host: load those first. Nothing is allocated. Rollback:
// docs/determinism.md
TARN_API TarnResult tarn_gas_save(const TarnGas* gas, void* buffer, size_t capacity, size_t* size);
TARN_API TarnResult tarn_gas_load(TarnGas* gas, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnGas, gas)

#ifdef __cplusplus
}
#endif
