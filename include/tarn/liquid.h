// tarn/liquid.h: liquids made of particles: splashes, fountains, pouring, mixing, honey.
//
//     dv/dt = -grad p / rho + nu lap v + gravity        div v = 0
//
// One driver with six methods, in 2-D (the plane z = 0, x right, y up) and in 3-D:
//
//     constraint     each particle is a velocity constraint (its density must not grow), solved with
//                    impulses like contacts of rigid bodies, as in Sprinkle. One step per frame, split
//                    into two or three where the liquid is fast; calm, best for games, the default
//     dfsph          divergence-free SPH: the most accurate, with a small density error
//     pcisph         predictive-corrective SPH
//     wcsph          weakly compressible SPH: many small steps, simple, good for waves and impacts
//     sph            Mueller's method of 2003: soft and springy, very cheap per step
//     lennard_jones  balls that attract and repel each other: droplets, goo
//
// A particle represents spacing^dimensions of liquid. Several kinds of liquid with their own density,
// viscosity and color share one pool and separate by buoyancy. Walls and obstacles are in tarn/solids.h,
// floating bodies in tarn/body.h and tarn/coupling.h. There is no air: bubbles collapse, and separated drops
// are in free fall. Methods, limits, cost: docs/solvers/liquid.md
#pragma once

#include "tarn/base.h"
#include "tarn/member.h"
#include "tarn/flow.h"
#include "tarn/particles.h"
#include "tarn/shape.h"
#include "tarn/solids.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnLiquid TarnLiquid;

typedef enum TarnLiquidMethod {
    TARN_LIQUID_CONSTRAINT,
    TARN_LIQUID_DFSPH,
    TARN_LIQUID_PCISPH,
    TARN_LIQUID_WCSPH,
    TARN_LIQUID_SPH,
    TARN_LIQUID_LENNARD_JONES,
} TarnLiquidMethod;

typedef enum TarnLiquidWalls {
    TARN_LIQUID_OPEN, // no walls: particles that leave the box are removed
    TARN_LIQUID_TANK, // walls at all faces of the box but the top, where liquid can leave
    TARN_LIQUID_BOX,  // walls all around
    // No walls and no end: liquid runs as far as solids let it. Particles are removed 1000 km from the origin
    // only. The box merely says where liquid is expected: cameras frame it, wcsph and sph derive their
    // stiffness from it. Positions are floats: 10 km from the origin they are 1 mm apart, at 100 km 8 mm.
    TARN_LIQUID_UNBOUNDED,
} TarnLiquidWalls;

// How much a neighbor at a share d of the radius counts in the density of the constraint method.
typedef enum TarnLiquidKernel {
    TARN_LIQUID_KERNEL_SQUARE, // (1 - d)^2
    TARN_LIQUID_KERNEL_TALK,   // 1 - d, as in the talk about Sprinkle: docs/sprinkle.md
} TarnLiquidKernel;

enum { TARN_LIQUID_KINDS = 8 }; // kinds of liquid in one pool

// Start from tarn_liquid_default_def(). Ranges and defaults: tarn describe liquid.
typedef struct TarnLiquidDef {
    uint32_t cookie; // set by tarn_liquid_default_def; leave it alone
    int dimensions;  // 2 or 3
    int method;      // TarnLiquidMethod
    int kernel;      // TarnLiquidKernel, for constraint
    int max_particles;
    float spacing;             // between particles at rest [m]; smaller is finer and costs more
    float thickness;           // thickness along z of the slice that a 2-D liquid represents [m]
    TarnVec3 box_min, box_max; // [m]; z is ignored in 2-D
    int walls;                 // TarnLiquidWalls
    int max_sources, max_regions;
    int max_events;   // most events kept per step; more are counted and dropped
    int max_splashes; // most ballistic drops around the liquid; 0: none
    bool use_look;    // computes size, orientation and edges for drawing, 20 bytes per particle
    int seed;         // seed of everything random
} TarnLiquidDef;

// Parameters that may change every frame. Some apply to certain methods only, as noted.
typedef struct TarnLiquidParams {
    TarnVec3 gravity; // [m/s^2]
    // constraint: sweeps in 1/15 s, and at least one in each substep; more compress less
    int iterations;
    float warm_start; // constraint: share of the last pressure that the solve starts with, 0 to 1
    float stiffness;  // constraint: share of the density error removed in 1/60 s, 0 to 1
    // constraint: largest distance by which that removal pushes neighbors apart, in spacings per substep.
    // Compressed liquid keeps this speed when it expands, as energy that it did not have, so smaller values
    // splash less.
    float max_push;
    float max_error;    // dfsph, pcisph: mean density error at which the solve stops, 0.001 = 0.1 %
    int max_iterations; // dfsph, pcisph: most iterations per substep
    // wcsph: speed of sound [m/s]; 0: ten times the largest speed expected from the box and gravity
    float sound_speed;
    float pressure;             // sph: stiffness [m^2/s^2]; 0: derived from the box and gravity
    float artificial_viscosity; // wcsph: calms shocks
    float attraction;           // lennard_jones: largest acceleration between a pair [m/s^2]
    float viscosity;            // kinematic, added to that of each kind [m^2/s]
    float xsph;      // sph methods: share of the neighbors' mean velocity in the motion, 0 to 1
    float vorticity; // vorticity confinement: keeps small eddies alive, 0 to 1
    float surface_tension; // [N/m]
    float cohesion;        // attraction at the surface, as a share of gravity: holds drops together
    float friction;        // at the walls of the box; 0 to 1 (no slip)
    float drag;            // air drag of single particles [1/s]
    TarnVec3 wind;         // [m/s]
    float courant;         // sph methods: spacings that the fastest particle may move in a substep
                           // (dfsph, pcisph: all but one of 200, and those 2.5 times that)
    int max_substeps;      // per tarn_liquid_step; time beyond these is dropped and reported
    float max_speed;       // faster particles are slowed down to this [m/s]
    // Look (use_look) and splashes:
    float splash_rate;  // drops per second from a particle that splashes; 0: none
    float splash_speed; // upward speed above which particles splash [m/s]
    float look_time;    // time over which orientation and size are smoothed [s]
} TarnLiquidParams;

// One kind of liquid. Kind 0 is water by default; set other kinds before adding particles of them.
typedef struct TarnLiquidKindDef {
    uint32_t cookie;      // set by tarn_liquid_kind_default_def; leave it alone
    float density;        // [kg/m^3]
    float viscosity;      // kinematic [m^2/s]: water 1e-6, oil 1e-4, honey 5e-3
    float cohesion;       // added to that of the params
    TarnVec3 color;       // linear 0..1
    float freezing_point; // colder particles freeze and stand still; above ambient [K]
    float boiling_point;  // hotter particles are removed, with an event; above ambient [K]
    float conduction;     // rate at which neighbors exchange heat [1/s]
} TarnLiquidKindDef;

TARN_API const TarnParamTable* tarn_liquid_def_table(void);
TARN_API const TarnParamTable* tarn_liquid_params_table(void);
TARN_API const TarnParamTable* tarn_liquid_kind_def_table(void);
TARN_DEFAULT_DEF(TarnLiquidDef, tarn_liquid);
TARN_API TarnLiquidParams tarn_liquid_default_params(void);
TARN_DEFAULT_DEF(TarnLiquidKindDef, tarn_liquid_kind);

// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_liquid_memory(const TarnLiquidDef* def);
// Creates an empty liquid. TARN_ERR_ARG: a value is out of range. TARN_ERR_MEMORY. On failure *out is NULL
// and nothing stays allocated.
TARN_API TarnResult tarn_liquid_create(TarnContext* ctx, const TarnLiquidDef* def,
                                       TarnLiquid** out);
TARN_API void tarn_liquid_destroy(TarnLiquid* liquid); // NULL is fine
TARN_API TarnResult tarn_liquid_set_params(TarnLiquid* liquid, const TarnLiquidParams* params);
TARN_API TarnLiquidParams tarn_liquid_params(const TarnLiquid* liquid);
TARN_API TarnResult tarn_liquid_set_kind(TarnLiquid* liquid, int kind,
                                         const TarnLiquidKindDef* def);
TARN_API TarnResult tarn_liquid_get_kind(const TarnLiquid* liquid, int kind,
                                         TarnLiquidKindDef* out);
// Sets the obstacles; NULL: none. The set is not owned and must outlive the liquid, which adds its pushes to
// it.
TARN_API TarnResult tarn_liquid_set_solids(TarnLiquid* liquid, TarnSolids* solids);

// ---- Filling -------------------------------------------------------------------------------------

// A volume to fill with particles. Start from tarn_liquid_fill_default().
typedef struct TarnLiquidFill {
    uint32_t cookie;   // set by tarn_liquid_fill_default; leave it alone
    TarnShape shape;   // default: a box
    TarnPose pose;     // position and rotation; a 2-D liquid ignores z and uses the cross-section
    TarnVec3 velocity; // of the particles [m/s]
    int kind;          // kind of liquid, 0 to TARN_LIQUID_KINDS - 1
    int group;         // 0 to 255, for the host
    float jitter;      // random offset of the particles, as a share of the spacing
    float temperature; // above ambient [K]
} TarnLiquidFill;
TARN_API const TarnParamTable* tarn_liquid_fill_table(void);
TARN_DEFAULT(TarnLiquidFill, tarn_liquid_fill_default, tarn_liquid_init_fill);
// Fills the part of the volume that is free of solids with a lattice of particles, one per
// spacing^dimensions. *added (may be NULL) is their number. TARN_ERR_CAPACITY: not all of them fit; nothing
// is added.
TARN_API TarnResult tarn_liquid_fill(TarnLiquid* liquid, const TarnLiquidFill* fill, int* added);
// Adds single particles. velocity NULL: at rest. TARN_ERR_CAPACITY: not all of them fit. TARN_ERR_DATA: a
// value is not finite or out of range. On failure nothing is added.
TARN_API TarnResult tarn_liquid_add(TarnLiquid* liquid, int n, const TarnVec3* position,
                                    const TarnVec3* velocity, int kind, int group,
                                    uint32_t* first_id);
TARN_API TarnResult tarn_liquid_remove(TarnLiquid* liquid, uint32_t id);
TARN_API int tarn_liquid_remove_group(TarnLiquid* liquid, int group); // returns how many
// Adds to the velocity [m/s] of all particles of a group; -1: of all groups.
TARN_API TarnResult tarn_liquid_push_group(TarnLiquid* liquid, int group, TarnVec3 velocity);
TARN_API TarnResult tarn_liquid_set_user(TarnLiquid* liquid, uint32_t id, uint32_t user);
// Returns the current index of a particle in the view; -1 if there is no such particle.
TARN_API int tarn_liquid_find(const TarnLiquid* liquid, uint32_t id);

// ---- Stepping ------------------------------------------------------------------------------------

// Advances by dt [s], 0 to 10: constraint in substeps of at most 1/60 s, the sph methods in as many as
// stability requires. Time beyond max_substeps is dropped: TARN_STEP_TIME_CUT is set and
// report->time_advanced < dt. TARN_STEP_COMPRESSED: sph or wcsph is too soft for what happens; raise `pressure` or
// `sound_speed`. It allocates nothing and gives the same bits for any number of workers.
// TARN_ERR_ARG: dt is out of range.
TARN_API TarnResult tarn_liquid_step(TarnLiquid* liquid, float dt, TarnStepReport* report);
// Removes all particles and sets the time to 0; sources, regions and kinds stay. NULL is fine.
TARN_API void tarn_liquid_reset(TarnLiquid* liquid);

// ---- Reading -------------------------------------------------------------------------------------

enum {
    TARN_LIQUID_FROZEN = 1,    // it is frozen and stands still
    TARN_LIQUID_EDGE = 2,      // at the free surface              (use_look)
    TARN_LIQUID_UP = 4,        // at an upward-facing surface        (use_look)
    TARN_LIQUID_BUBBLE = 8,    // drawn as a bubble                 (use_look)
    TARN_LIQUID_TOUCHING = 16, // it touches a solid or a wall
};
// All particles. Valid until the next step, edit or destroy. Their order changes; their ids do not.
typedef struct TarnLiquidView {
    int n;
    const float *x, *y, *z;    // [m]; z is 0 in 2-D
    const float *vx, *vy, *vz; // [m/s]
    const float* density;      // [kg/m^3]
    const float* pressure;     // [Pa], of the last substep
    const float* temperature;  // above ambient [K]
    const uint32_t* id;        // never reused
    const uint32_t* user;      // set by the host (tarn_liquid_set_user)
    const uint8_t *kind, *group, *flags;
    // With use_look, otherwise NULL. The orientation is along the edge, smoothed over time; in 3-D it is the
    // surface normal instead.
    const float* size;                        // 0 for a lone drop to 1 inside
    const float *along_x, *along_y, *along_z; // unit
    const float* stretch; // 1 is round; larger is longer along the edge or the motion
} TarnLiquidView;
TARN_API TarnLiquidView tarn_liquid_view(const TarnLiquid* liquid);
TARN_API const TarnLiquidDef* tarn_liquid_def(const TarnLiquid* liquid);
// Returns the splashes around the liquid; NULL without max_splashes.
TARN_API const TarnParticles* tarn_liquid_splashes(const TarnLiquid* liquid);
TARN_API TarnFlow tarn_liquid_flow(const TarnLiquid* liquid);
TARN_API double tarn_liquid_time(const TarnLiquid* liquid);                   // [s]
TARN_API float tarn_liquid_particle_mass(const TarnLiquid* liquid, int kind); // [kg]

typedef struct TarnLiquidStats {
    // rho / rho_rest - 1, at least 0. constraint: as its last solve found it, before the motion
    double mean_compression, max_compression;
    double neighbors;           // per particle
    int iterations;             // of the pressure solve in the last substep (both solves of dfsph)
    double kinetic_energy;      // [J]
    double momentum[3];         // [kg m/s]
    double angular_momentum[3]; // about the origin [kg m^2/s]
    double max_speed;           // [m/s]
    int overflowed;             // particles with more neighbors than are stored
} TarnLiquidStats;
TARN_API TarnLiquidStats tarn_liquid_stats(const TarnLiquid* liquid); // computed by the call
// Counts particles: added = alive + removed + drained + left + boiled.
typedef struct TarnLiquidLedger {
    uint64_t added, alive;
    uint64_t removed; // by the host
    uint64_t drained; // removed by regions and solids
    uint64_t left;    // left the box; unbounded: got 1000 km away
    uint64_t boiled;
    uint64_t refused; // not emitted by sources because the pool was full
} TarnLiquidLedger;
TARN_API TarnLiquidLedger tarn_liquid_ledger(const TarnLiquid* liquid);

// Returns a hash of the state. Equal hashes mean equal futures, given the same solids.
TARN_API uint64_t tarn_liquid_hash(const TarnLiquid* liquid);
// Save and load as tarn_wave_save and tarn_wave_load. After a load, sources and regions are those of the
// snapshot, under their ids. Solids have their own snapshots. Nothing is allocated. Rollback:
// docs/determinism.md
TARN_API TarnResult tarn_liquid_save(const TarnLiquid* liquid, void* buffer, size_t capacity,
                                     size_t* size);
TARN_API TarnResult tarn_liquid_load(TarnLiquid* liquid, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnLiquid, liquid)

#ifdef __cplusplus
}
#endif
