// tarn/lattice.h: lattice Boltzmann. Wind tunnels, smoke around obstacles, free surfaces, in 2-D and 3-D.
//
//     f_i(x + e_i, t + 1) = f_i(x, t) + collision_i          density = sum f_i, momentum = sum f_i e_i
//
// Each cell holds the amounts of fluid that move along the directions of a lattice: nine in 2-D (D2Q9, nz = 1), nineteen
// in 3-D (D3Q19). A step is local: amounts meet in a cell, relax, and move on to the neighbors. It is weakly
// compressible: speeds must stay well below the speed of sound of the lattice, so it takes several substeps per frame.
// You give meters, seconds, m/s and a viscosity; the solver chooses its step in time from `speed`, the fastest flow you
// expect, and its stats say which Reynolds number the cells really resolve. It cannot do shocks or sound. For smoke
// without obstacles and for moving boxes see tarn/gas.h. Method, limits, cost: docs/solvers/lattice.md
#pragma once

#include "tarn/base.h"
#include "tarn/flow.h"
#include "tarn/member.h"
#include "tarn/shape.h"
#include "tarn/solids.h"
#include "tarn/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnLattice TarnLattice;

typedef enum TarnLatticeStorage {
    TARN_LATTICE_FLOAT32,
    TARN_LATTICE_FLOAT16, // half the memory; computes in 32 bits
} TarnLatticeStorage;
typedef enum TarnLatticeCollision {
    TARN_LATTICE_REGULARISED, // robust: only density, momentum and stress survive a collision
    TARN_LATTICE_BGK,         // one relaxation time
    TARN_LATTICE_TRT, // two relaxation times: walls are where they should be for any viscosity
} TarnLatticeCollision;
// What happens at a face of the box. Where two faces meet, the kind that comes later in this list counts, but inflow counts
// before slip.
typedef enum TarnLatticeFace {
    TARN_LATTICE_PERIODIC, // what leaves enters at the opposite face; both faces must be periodic
    TARN_LATTICE_OUTFLOW,  // constant pressure
    TARN_LATTICE_INFLOW,   // flow_x0 ... flow_z1 of the params
    TARN_LATTICE_SLIP,     // a wall without friction
    TARN_LATTICE_WALL,     // a wall that moves along itself with flow_x0 ...; at rest by default
} TarnLatticeFace;
typedef enum TarnLatticeObstacles {
    TARN_LATTICE_NO_OBSTACLES, // solids are ignored
    TARN_LATTICE_HALF_WAY,     // walls are half-way between cells: staircases
    TARN_LATTICE_INTERPOLATED, // walls are where the solid's surface is
} TarnLatticeObstacles;
typedef enum TarnLatticeProfile {
    TARN_LATTICE_UNIFORM,   // the same speed everywhere
    TARN_LATTICE_PARABOLIC, // zero at the rims of the face, flow_* in its middle
    TARN_LATTICE_GROUND,    // grows with the height above the lower rim, to the power of 1/7: wind
} TarnLatticeProfile;

// Start from tarn_lattice_default_def(). Ranges and defaults: tarn describe lattice.
typedef struct TarnLatticeDef {
    uint32_t cookie;     // set by tarn_lattice_default_def; leave it alone
    int nx, ny, nz;      // cells; nx is a multiple of 8; nz 1: 2-D
    float dx;            // [m]
    TarnVec3 center;     // of the box [m]
    float speed;         // fastest flow expected [m/s]
    float lattice_speed; // cells that this flow crosses per substep
    float length;        // of the Reynolds number [m]; 0: the height of the box
    int storage;         // TarnLatticeStorage
    int obstacles;       // TarnLatticeObstacles
    int face_x0, face_x1, face_y0, face_y1, face_z0, face_z1; // TarnLatticeFace
    bool use_flow;        // keeps velocities, for the Flow, views and pictures: 12 bytes per cell
    bool use_smoke;       // smoke or dye
    bool use_temperature; // heat, which rises, by a second lattice
    bool use_fuel;        // fuel, which burns
    bool use_surface;     // a liquid with a free surface; cells that no fill wets begin empty
    int max_sources, max_fills;
    int max_links; // between cells and obstacles; 0: as many as a few solids in the box have
    int seed;      // seed of everything random
} TarnLatticeDef;

// Parameters that may change every frame.
typedef struct TarnLatticeParams {
    int collision; // TarnLatticeCollision
    float
        viscosity; // kinematic [m^2/s]; cells too coarse for it resolve a larger one (see the stats)
    float smagorinsky; // strength of the eddies too small for cells, about 0.17; 0: none
    float density;     // [kg/m^3], for forces on solids and bodies
    TarnVec3 gravity;  // [m/s^2]: makes heat rise and liquids fall
    TarnVec3 force;    // acceleration everywhere [m/s^2]: drives a channel
    // Velocity at a face of kind inflow, and of a wall that moves [m/s]; a wall ignores the part across it.
    TarnVec3 flow_x0, flow_x1, flow_y0, flow_y1, flow_z0, flow_z1;
    int profile;           // TarnLatticeProfile of all inflows
    float turbulence;      // of inflows, as a share of their speed
    float turbulence_size; // size of its eddies [m]
    float sponge; // cells in front of outflows in which viscosity rises, so that nothing comes back
    float smoke_decay;         // [1/s]
    float diffusivity;         // of heat [m^2/s]
    float buoyancy;            // lift of warm fluid: 1 is that of an ideal gas
    float ambient_temperature; // [K]
    float cooling;             // [1/s]
    // Temperature of a face above ambient, if heat_x0 ... is set [K]; else no heat passes it.
    bool heat_x0, heat_x1, heat_y0, heat_y1, heat_z0, heat_z1;
    float heat_at_x0, heat_at_x1, heat_at_y0, heat_at_y1, heat_at_z0, heat_at_z1;
    float ignition;        // temperature above ambient at which fuel burns [K]
    float burn_rate;       // share of the fuel that burns per second
    float burn_heat;       // temperature gained by burning 1 of fuel [K]
    float burn_smoke;      // smoke gained by burning 1 of fuel
    float surface_tension; // [N/m]
    bool use_bubbles;      // enclosed gas keeps its amount: it is compressed, and rises
    int max_substeps;      // per step; time beyond them is dropped and reported
} TarnLatticeParams;

TARN_API const TarnParamTable* tarn_lattice_def_table(void);
TARN_API const TarnParamTable* tarn_lattice_params_table(void);
TARN_DEFAULT_DEF(TarnLatticeDef, tarn_lattice);
TARN_API TarnLatticeParams tarn_lattice_default_params(void);

// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_lattice_memory(const TarnLatticeDef* def);
// Creates a lattice with fluid at rest, or with use_surface an empty one. TARN_ERR_ARG: a value is out of range.
// TARN_ERR_MEMORY. On failure *out is NULL and nothing stays allocated.
TARN_API TarnResult tarn_lattice_create(TarnContext* ctx, const TarnLatticeDef* def,
                                        TarnLattice** out);
TARN_API void tarn_lattice_destroy(TarnLattice* lattice); // NULL is fine
TARN_API TarnResult tarn_lattice_set_params(TarnLattice* lattice, const TarnLatticeParams* params);
TARN_API TarnLatticeParams tarn_lattice_params(const TarnLattice* lattice);
TARN_API const TarnLatticeDef* tarn_lattice_def(const TarnLattice* lattice);
// Sets the obstacles; NULL: none. The set is not owned; call tarn_solids_advance before each step. A solid's push is
// added to it (tarn_solids_get_push).
TARN_API TarnResult tarn_lattice_set_solids(TarnLattice* lattice, TarnSolids* solids);

// ---- Sources and fills ---------------------------------------------------------------------------

// A volume that emits smoke, heat, fuel or liquid.
typedef struct TarnLatticeSourceDef {
    uint32_t cookie;                // set by tarn_lattice_source_default_def; leave it alone
    TarnShape shape;                // default: a sphere
    TarnMotion motion;              // its pose
    float smoke, temperature, fuel; // values inside; temperature is above ambient [K]
    float rate;                     // how fast the fluid inside takes these on [1/s]; 0: at once
    bool is_liquid; // with use_surface: keeps the volume full of liquid, which leaves it at `flow`
    TarnVec3 flow;  // velocity of that liquid [m/s]
    float start, stop; // seconds of the lattice
} TarnLatticeSourceDef;
// A volume that is full of liquid when it is added, and after a reset. Needs use_surface.
typedef struct TarnLatticeFillDef {
    uint32_t cookie;   // set by tarn_lattice_fill_default_def; leave it alone
    TarnShape shape;   // default: a box
    TarnMotion motion; // pose, and velocity of the liquid
} TarnLatticeFillDef;
typedef struct TarnLatticeSourceId {
    uint64_t value;
} TarnLatticeSourceId; // 0: the null id
typedef struct TarnLatticeFillId {
    uint64_t value;
} TarnLatticeFillId; // 0: the null id
TARN_API const TarnParamTable* tarn_lattice_source_def_table(void);
TARN_API const TarnParamTable* tarn_lattice_fill_def_table(void);
TARN_DEFAULT_DEF(TarnLatticeSourceDef, tarn_lattice_source);
TARN_DEFAULT_DEF(TarnLatticeFillDef, tarn_lattice_fill);
// Add, change and remove sources and fills. out may be NULL. TARN_ERR_ARG: a value is out of range, or an id is stale or
// belongs to another lattice. TARN_ERR_CAPACITY: all max_sources or max_fills are in use. Removing a fill leaves the
// liquid where it is.
TARN_API TarnResult tarn_lattice_add_source(TarnLattice* lattice, const TarnLatticeSourceDef* def,
                                            TarnLatticeSourceId* out);
TARN_API TarnResult tarn_lattice_set_source(TarnLattice* lattice, TarnLatticeSourceId id,
                                            const TarnLatticeSourceDef* def);
TARN_API TarnResult tarn_lattice_remove_source(TarnLattice* lattice, TarnLatticeSourceId id);
TARN_API TarnResult tarn_lattice_add_fill(TarnLattice* lattice, const TarnLatticeFillDef* def,
                                          TarnLatticeFillId* out);
TARN_API TarnResult tarn_lattice_remove_fill(TarnLattice* lattice, TarnLatticeFillId id);

// Writes velocity [m/s] and kinematic pressure (pressure / density) [m^2/s^2] at n points.
typedef void TarnLatticeFieldFn(int n, const float* x, const float* y, const float* z,
                                TarnVec3* velocity, float* pressure, void* user);
// Sets the flow of all cells to the equilibrium of a velocity and a pressure, both 0 before the call. The function is
// called on the calling thread, for up to 256 points at a time, twice for each cell (all are checked before one is
// changed), and must depend on its arguments only. TARN_ERR_DATA: it returned a value that is not finite, or too fast
// for lattice.speed; nothing has changed.
TARN_API TarnResult tarn_lattice_set_flow(TarnLattice* lattice, TarnLatticeFieldFn* fn, void* user);

// ---- Stepping and reading ------------------------------------------------------------------------

// Advances by dt [s], 0 to 10, in whole substeps of tarn_lattice_substep; what is left over is kept for the next call,
// so results do not depend on how time is divided. It allocates nothing and gives the same bits for any number of
// workers. TARN_STEP_TIME_CUT: max_substeps were not enough. TARN_STEP_CLAMPED: cells were faster than the lattice can
// be, and were slowed down. TARN_STEP_CAPACITY_FULL: more than 254 solids are in the box, or max_links is too small.
TARN_API TarnResult tarn_lattice_step(TarnLattice* lattice, float dt, TarnStepReport* report);
// Returns to fluid at rest, or the fills, and time 0; sources stay. NULL is fine.
TARN_API void tarn_lattice_reset(TarnLattice* lattice);
TARN_API double tarn_lattice_substep(const TarnLattice* lattice); // [s]
TARN_API double tarn_lattice_time(const TarnLattice* lattice);    // [s]

// Fields at the centers of cells. Valid until the next step, edit or destroy; data NULL: not used.
typedef struct TarnLatticeView {
    TarnVec3 origin;                    // the corner of cell (0, 0, 0) [m]
    float dx;                           // [m]
    TarnView3 u, v, w;                  // [m/s]; with use_flow
    TarnView3 smoke, temperature, fuel; // temperature is above ambient [K]
    TarnView3 fill; // share of each cell that is liquid, 0 to 1; with use_surface
} TarnLatticeView;
TARN_API TarnLatticeView tarn_lattice_view(const TarnLattice* lattice);
// Density, as a multiple of that at rest, and velocity [m/s] of one cell, from its populations. False: there is no such
// cell, or no fluid in it. density may be NULL.
TARN_API bool tarn_lattice_cell(const TarnLattice* lattice, int i, int j, int k, float* density,
                                TarnVec3* velocity);
TARN_API TarnFlow tarn_lattice_flow(const TarnLattice* lattice);
// The surface of the liquid seen from above; without use_surface there is none, and the depth is 0
// everywhere.
TARN_API TarnSurface tarn_lattice_surface(const TarnLattice* lattice);
// Force on a solid in the last step [N], and torque about its position [N m]; in 2-D for a slice one meter thick.
TARN_API TarnResult tarn_lattice_force(const TarnLattice* lattice, TarnSolidId solid,
                                       TarnVec3* force, TarnVec3* torque);

typedef struct TarnLatticeStats {
    double substep;             // [s]
    double tau;                 // relaxation time of the lattice
    double viscosity;           // that the cells resolve [m^2/s]
    double reynolds;            // resolved: speed length / viscosity
    double reynolds_asked;      // with the viscosity of the params
    double max_speed;           // [m/s]
    double mass;                // of all cells, in cells at rest density
    double volume;              // of the liquid, or of all fluid cells [m^3]
    double kinetic_energy;      // per density [m^5/s^2]
    double smoke_sum, heat_sum; // [m^3], [K m^3]
    int fluid_cells, links;     // cells that collide; links to obstacles
    int bubbles;                // regions of enclosed gas
    int limited;                // cells slowed down in the last step
} TarnLatticeStats;
TARN_API TarnLatticeStats tarn_lattice_stats(const TarnLattice* lattice); // computed by the call

// Returns a hash of the state. Equal hashes mean equal futures, given the same solids.
TARN_API uint64_t tarn_lattice_hash(const TarnLattice* lattice);
// Save and load as tarn_wave_save and tarn_wave_load. After a load, sources and fills are those of the snapshot, under
// their ids. Solids belong to the host: load those first. Nothing is allocated. Rollback: docs/determinism.md
TARN_API TarnResult tarn_lattice_save(const TarnLattice* lattice, void* buffer, size_t capacity,
                                      size_t* size);
TARN_API TarnResult tarn_lattice_load(TarnLattice* lattice, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnLattice, lattice)

#ifdef __cplusplus
}
#endif
