// tarn/gas.h: smoke, fire and jets of air on a grid that can follow what makes them.
//
//     du/dt = -(u . grad) u - grad p + buoyancy + forces        div u = expansion
//     dq/dt = -(u . grad) q - decay q                           q: density, temperature, fuel, color
//
// A box of cells with velocities on their faces, as in the smoke of Dark Void: MacCormack advection,
// pressure by multigrid or by cosine transforms, obstacles by iterated orthogonal projection or in the
// equations themselves. The box may follow a target through the world at any speed; what it leaves
// behind is carried by particles (tarn/particles.h, which a gas moves through its Flow).
// It cannot do shocks or sound, and a free surface of a liquid. Method, limits, cost: docs/solvers/gas.md
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
    TARN_GAS_MACCORMACK,      // keeps detail; limited, so that nothing overshoots
} TarnGasAdvection;
typedef enum TarnGasPressure {
    TARN_GAS_MULTIGRID, // to a tolerance
    TARN_GAS_SPECTRAL,  // exact in a box, by cosine transforms
    TARN_GAS_TRANSFORM, // the whole solver of Long and Reinhard: velocities become waves, on which viscosity and
    // pressure work; stable for any viscosity. A closed box, no obstacles, no expansion
} TarnGasPressure;
typedef enum TarnGasObstacles {
    TARN_GAS_NO_OBSTACLES, // solids are not looked at
    TARN_GAS_ITERATED,     // iterated orthogonal projection: obstacle, pressure, obstacle, ...
    TARN_GAS_DIRECT, // the pressure equation knows them; multigrid only; some 60 bytes per cell more
} TarnGasObstacles;
typedef enum TarnGasStep {
    TARN_GAS_SPLIT,      // advection, then pressure: first order in time, fast flow loses energy
    TARN_GAS_REFLECTION, // advection-reflection: second order in time, twice the cost, 12 bytes per
    // cell more. Multigrid or spectral
} TarnGasStep;
typedef enum TarnGasEdge {
    TARN_GAS_CLOSED, // a wall without friction
    TARN_GAS_OPEN,   // air comes and goes
    TARN_GAS_WIND,   // the flow through it is that of the ambient air
    TARN_GAS_FLOW,   // the flow through it is its own: flow_x0 ... flow_z1 of the params
} TarnGasEdge;
typedef enum TarnGasFollow {
    TARN_GAS_SHIFT,     // by whole cells: what stands still in the world is not touched
    TARN_GAS_TRANSLATE, // smoothly, in the frame of the target: it blurs a little
} TarnGasFollow;

// Start from tarn_gas_default_def(). Ranges and defaults: tarn describe gas.
typedef struct TarnGasDef {
    uint32_t cookie; // set by tarn_gas_default_def, leave alone
    int nx, ny, nz;  // cells, multiples of 8
    float dx;        // [m]
    TarnVec3 center; // of the box [m]
    bool use_density, use_temperature, use_fuel, use_color;
    int pressure;                                             // TarnGasPressure
    int obstacles;                                            // TarnGasObstacles
    int step;                                                 // TarnGasStep
    int follow;                                               // TarnGasFollow
    int edge_x0, edge_x1, edge_y0, edge_y1, edge_z0, edge_z1; // TarnGasEdge
    int max_sources, max_jets;
    int levels; // coarser grids it can switch to, 1: none; level l has cells of 2^l dx
    int seed;   // of everything random
} TarnGasDef;

// What may change every frame.
typedef struct TarnGasParams {
    int advection;             // TarnGasAdvection, of velocity and all that it carries
    TarnVec3 gravity;          // [m/s^2]
    float buoyancy;            // 1: as of an ideal gas at ambient temperature; 0: none
    float ambient_temperature; // [K]
    float smoke_weight;        // of density 1, as a share of the weight of the air: smoke sinks
    TarnVec3 wind;             // velocity of the ambient air [m/s]
    float wind_turn; // rate at which the wind turns, counter-clockwise seen from above [rad/s]
    float wind_rate; // rate at which the air in the box takes on the wind [1/s]
    // Velocity of the air at an edge of kind TARN_GAS_FLOW [m/s]: across the edge it is the flow through it, in
    // or out; along the edge it is what incoming air brings.
    TarnVec3 flow_x0, flow_x1, flow_y0, flow_y1, flow_z0, flow_z1;
    float drag;            // rate at which motion dies, relative to the wind [1/s]
    float viscosity;       // kinematic [m^2/s]
    float vorticity;       // confinement: puts small whirls back, 0 to 1
    float turbulence;      // speed of curl noise that is mixed in where there is density [m/s]
    float turbulence_size; // its largest whirls [m]
    float density_decay;   // [1/s]
    float cooling;         // linear [1/s]
    float fire_cooling;    // of what glows: K per second at max_temperature, with the fourth power
    float max_temperature; // of flames, over the ambient [K]
    float ignition;        // fuel burns above it [K over the ambient]
    float burn_rate;       // share of the fuel that burns per second; of less than 0.1 that of 0.1
    float burn_heat;       // temperature that burning 1 of fuel gives [K]
    float burn_smoke;      // density that burning 1 of fuel gives
    float expansion;       // volume that burning 1 of fuel in a cell adds, in cells
    // Residual of the pressure over its first, at which multigrid stops. Floats end at some 1.2e-7 n with n cells
    // along the longest side, and n^2 / 2.7e7 for a single wave that long: the solve then ends there.
    float tolerance;
    int max_cycles;     // of multigrid per projection
    int iterations;     // of iterated orthogonal projection, 1 to 4
    bool keeps_density; // closed boxes: the sum of the density is kept, not only nearly
    float
        blend; // width of the rim, where not closed, in which the Flow fades into the ambient [cells]
    float max_step;   // longer steps are cut [s]
    int max_substeps; // time beyond is dropped and reported
    float max_speed;  // faster air is slowed to it [m/s]
    int update_every; // steps of tarn_gas_step per update of the grid, 1: each
} TarnGasParams;

TARN_API const TarnParamTable* tarn_gas_def_table(void);
TARN_API const TarnParamTable* tarn_gas_params_table(void);
TARN_DEFAULT_DEF(TarnGasDef, tarn_gas);
TARN_API TarnGasParams tarn_gas_default_params(void);

TARN_API size_t tarn_gas_memory(const TarnGasDef* def); // bytes that create allocates; 0: not valid
// TARN_ERR_ARG: a value out of range. On failure *out is NULL and nothing stays allocated.
TARN_API TarnResult tarn_gas_create(TarnContext* ctx, const TarnGasDef* def, TarnGas** out);
TARN_API void tarn_gas_destroy(TarnGas* gas); // NULL is fine
TARN_API TarnResult tarn_gas_set_params(TarnGas* gas, const TarnGasParams* params);
TARN_API TarnGasParams tarn_gas_params(const TarnGas* gas);
TARN_API const TarnGasDef* tarn_gas_def(const TarnGas* gas);
// Obstacles. NULL: none. Not owned, and not changed; tarn_solids_advance comes before each step.
TARN_API TarnResult tarn_gas_set_solids(TarnGas* gas, const TarnSolids* solids);

// ---- Sources and jets ----------------------------------------------------------------------------

// A volume that makes smoke, heat, fuel.
typedef struct TarnGasSourceDef {
    uint32_t cookie;                  // set by tarn_gas_source_default_def, leave alone
    TarnShape shape;                  // Default a sphere
    TarnMotion motion;                // pose; velocity that the gas inside gets a share of
    float softness;                   // share of the size over which it fades in, 0: hard
    float density, temperature, fuel; // what it makes inside; temperature in K over the ambient
    TarnVec3 color;                   // linear 0..1
    float rate;                       // how fast the gas inside takes these on [1/s]; 0: at once
    float speed;                      // of what leaves it, along local +y [m/s]
    float inherit;     // share of the motion and the speed that the gas inside takes on, 0 to 1
    float expansion;   // air it makes per second, in volumes of its own: explosions [1/s]
    float noise;       // share by which it flickers in place and time, 0 to 1
    float start, stop; // seconds of the gas
} TarnGasSourceDef;

// A nozzle or fan: pushes the air in a cylinder along its axis, in the pressure loop.
typedef struct TarnGasJetDef {
    uint32_t cookie;      // set by tarn_gas_jet_default_def, leave alone
    TarnMotion motion;    // pose; the jet blows along local +y
    float radius, length; // of the cylinder, which begins at the position [m]
    float speed;          // that the air in it is brought to, besides the motion's velocity [m/s]
    float rate;           // how fast [1/s]; 0: at once
    float wobble;         // half angle by which the direction wanders [rad]
    float flutter;        // share by which the speed wanders, 0 to 1
    float frequency;      // of both [Hz]
    float pulse_period;   // [s], 0: steady
    float pulse_share;    // of the period in which it blows
    float start, stop;    // seconds of the gas
} TarnGasJetDef;

typedef struct TarnGasSourceId {
    uint64_t value;
} TarnGasSourceId; // 0 is none
typedef struct TarnGasJetId {
    uint64_t value;
} TarnGasJetId; // 0 is none
TARN_API const TarnParamTable* tarn_gas_source_def_table(void);
TARN_API const TarnParamTable* tarn_gas_jet_def_table(void);
TARN_DEFAULT_DEF(TarnGasSourceDef, tarn_gas_source);
TARN_DEFAULT_DEF(TarnGasJetDef, tarn_gas_jet);
// TARN_ERR_ARG: a value out of range, or an id that is stale or of another gas. TARN_ERR_CAPACITY:
// max_sources or max_jets are in use. out may be NULL.
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
// Acceleration [m/s^2] at n points, added in each substep. Any worker, up to 256 points at a time; it must
// depend on its arguments only. NULL: none.
typedef void TarnGasForceFn(int n, const float* x, const float* y, const float* z, double time,
                            TarnVec3* acceleration, void* user);
TARN_API TarnResult tarn_gas_set_force(TarnGas* gas, TarnGasForceFn* force, void* user);
// An explosion: hot, burning or dusty air in a ball, that expands by `volume` [m^3] during the next step.
TARN_API TarnResult tarn_gas_burst(TarnGas* gas, TarnVec3 center, float radius, float density,
                                   float temperature, float fuel, float volume);

// ---- Moving and detail ---------------------------------------------------------------------------

// Where the center of the box shall be at the end of the next step, and its velocity then [m, m/s].
// Call it before each step while it moves. What comes in is ambient air. Along an axis with a closed edge the
// box stays where it is.
TARN_API TarnResult tarn_gas_move(TarnGas* gas, TarnVec3 center, TarnVec3 velocity);
TARN_API TarnVec3 tarn_gas_center(const TarnGas* gas); // of the box as it is now
// Coarser or finer, over the same box: 0 is that of the def, l has cells of 2^l dx. Velocities are resampled
// and projected. TARN_ERR_ARG: not a level of the def.
TARN_API TarnResult tarn_gas_set_level(TarnGas* gas, int level);
TARN_API int tarn_gas_level(const TarnGas* gas);

// ---- Stepping and reading ------------------------------------------------------------------------

// Advance by dt [s], 0 to 10. With update_every above 1 report->time_advanced is 0 in the steps that only hold
// their time, and what all of them held in the one that updates the grid. TARN_STEP_NOT_CONVERGED: max_cycles were
// not enough for the tolerance, and more would help; a solve that ends at the rounding of floats is not flagged
// (residual of the stats). TARN_STEP_TIME_CUT:
// max_substeps were not. TARN_STEP_CAPACITY_FULL: more than 254 solids in the box, or 16 sources that expand. No allocation. The same bits for any number of workers.
TARN_API TarnResult tarn_gas_step(TarnGas* gas, float dt, TarnStepReport* report);
TARN_API void
tarn_gas_reset(TarnGas* gas); // still, clear air, time 0; sources and jets stay. NULL is fine

// Valid until the next step, edit or destroy. Cells; velocities are those at cell centers only when asked for
// through the Flow: here they are on faces, u(i, j, k) on the face towards -x of cell (i, j, k).
typedef struct TarnGasView {
    TarnVec3 origin;                      // the corner of cell (0, 0, 0) [m]
    float dx;                             // [m]
    TarnView3 u, v, w;                    // [m/s], one more along their own axis
    TarnView3 density, temperature, fuel; // data NULL: not used
    TarnView3 pressure;                   // of the last step, times its dt / dx [m/s]
    TarnView3 red, green, blue;           // times density; data NULL: not used
} TarnGasView;
TARN_API TarnGasView tarn_gas_view(const TarnGas* gas);
// Writes: n = nx * ny * nz values each, x fastest, of the level as it is; NULL: left as it is. TARN_ERR_DATA:
// a value that is not finite (nothing is changed). Velocities at cell centers; they are projected in the next step.
TARN_API TarnResult tarn_gas_set_fields(TarnGas* gas, const TarnVec3* velocity,
                                        const float* density, const float* temperature,
                                        const float* fuel);
// Velocities on faces, of the level as it is, in the order of tarn_gas_view: u has (nx + 1) ny nz values, v
// nx (ny + 1) nz, w nx ny (nz + 1), x fastest, without gaps. NULL: left as it is. Faces on closed and wind edges
// keep what the edge prescribes. They are projected in the next step. TARN_ERR_DATA: a value that is not
// within +-1e4 m/s (nothing is changed).
TARN_API TarnResult tarn_gas_set_face_velocities(TarnGas* gas, const float* u, const float* v,
                                                 const float* w);
// The same from a function of the place, for all faces with their centers in the region lo to hi [m] of the
// world; +-INFINITY: the whole box. It is asked for up to 256 points at a time, on the calling thread, twice for
// each face (all are checked before one is changed): it must depend on its arguments only. Velocities [m/s].
typedef void TarnGasVelocityFn(int n, const float* x, const float* y, const float* z,
                               TarnVec3* velocity, void* user);
TARN_API TarnResult tarn_gas_set_velocity(TarnGas* gas, TarnVec3 lo, TarnVec3 hi,
                                          TarnGasVelocityFn* fn, void* user);
TARN_API TarnFlow tarn_gas_flow(const TarnGas* gas);
TARN_API double tarn_gas_time(const TarnGas* gas); // [s]

typedef struct TarnGasStats {
    int cycles;      // of multigrid in the last step, all projections
    double residual; // of the last solve, over its first
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
TARN_API TarnGasStats tarn_gas_stats(const TarnGas* gas); // computed when asked for

// Equal hashes: equal futures, with the same solids and force function.
TARN_API uint64_t tarn_gas_hash(const TarnGas* gas);
// As tarn_wave_save and _load. Sources and jets are those of the snapshot afterwards, under their ids. Solids are
// the host's: load those first. No allocation. Rollback: docs/determinism.md
TARN_API TarnResult tarn_gas_save(const TarnGas* gas, void* buffer, size_t capacity, size_t* size);
TARN_API TarnResult tarn_gas_load(TarnGas* gas, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnGas, gas)

#ifdef __cplusplus
}
#endif
