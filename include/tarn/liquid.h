// tarn/liquid.h: liquids made of particles. Splashes, fountains, pouring, mixing, honey.
//
//     dv/dt = -grad p / rho + nu lap v + gravity        div v = 0
//
// One driver, six methods, in 2-D (the plane z = 0, x right, y up) and in 3-D:
//
//     constraint     each particle is a velocity constraint "my density does not grow", solved by
//                    impulses like the contacts of rigid bodies, as in Sprinkle. A step per frame,
//                    cut in a few inner ones where it is deep; calm, the default: what games want
//     dfsph          divergence-free SPH: the most accurate, small density error
//     pcisph         predictive-corrective SPH
//     wcsph          weakly compressible SPH: many small steps, simple, good for waves and impacts
//     sph            Mueller's of 2003: soft and springy, very cheap per step
//     lennard_jones  balls that attract and repel: droplets, goo
//
// A particle stands for spacing^dimensions of liquid. Several kinds of liquid with their own density,
// viscosity and color share one pool and part by buoyancy. Walls and obstacles are tarn/solids.h,
// bodies that float tarn/body.h with tarn/coupling.h. It cannot do air: bubbles collapse, and what
// separates is in free fall. Methods, limits, cost: docs/solvers/liquid.md
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
    TARN_LIQUID_OPEN, // no walls: what leaves the box is removed
    TARN_LIQUID_TANK, // walls at all faces of the box but the top, where it may leave
    TARN_LIQUID_BOX,  // walls all around
} TarnLiquidWalls;

enum { TARN_LIQUID_KINDS = 8 }; // of liquid in one pool

// Start from tarn_liquid_default_def(). Ranges and defaults: tarn describe liquid.
typedef struct TarnLiquidDef {
    uint32_t cookie; // set by tarn_liquid_default_def, leave alone
    int dimensions;  // 2 or 3
    int method;      // TarnLiquidMethod
    int max_particles;
    float spacing;             // between particles at rest [m]
    float thickness;           // of the slice that a 2-D liquid stands for, along z [m]
    TarnVec3 box_min, box_max; // [m]; z is not looked at in 2-D
    int walls;                 // TarnLiquidWalls
    int max_sources, max_regions;
    int max_events;   // kept per step; more are counted and dropped
    int max_splashes; // ballistic drops around it (0: none)
    bool use_look;    // keep what drawing wants: size, orientation, edges (20 bytes per particle)
    int seed;         // of everything random
} TarnLiquidDef;

// What may change every frame. Each method reads what it knows (the table says which).
typedef struct TarnLiquidParams {
    TarnVec3 gravity; // [m/s^2]
    int iterations; // of constraint in 1/60 s; half as many more where a step is cut in inner ones
    float warm_start; // share of the last step's impulses that constraint begins with, 0 to 1
    float stiffness;  // share of the density error that constraint removes in 1/60 s, 0 to 1
    float
        max_push; // farthest that this removal drives neighbors apart, in spacings per inner step.
                  // The speed stays with a pressed liquid as it opens: energy that it did not have
    float max_error;    // mean density error at which dfsph and pcisph stop, 0.001 = 0.1 %
    int max_iterations; // of dfsph and pcisph per substep
    float
        sound_speed; // of wcsph [m/s]; 0: ten times the fastest to be expected from the box and gravity
    float pressure;             // stiffness of sph [m^2/s^2]; 0: from the box and gravity
    float artificial_viscosity; // of wcsph
    float attraction;           // of lennard_jones: pair acceleration at its strongest [m/s^2]
    float viscosity;            // kinematic, of all kinds, added to the kind's own [m^2/s]
    float xsph;      // share of its neighbors' mean velocity that a particle moves with, 0 to 1
    float vorticity; // keeps small whirls alive, 0 to 1
    float surface_tension; // [N/m]
    float cohesion; // pull between particles of a surface, a share of gravity: drops hold together
    float friction; // at walls of the box, 0 to 1
    float drag;     // of single particles in air [1/s]
    TarnVec3 wind;  // [m/s]
    float courant;  // spacings that the fastest particle may go in a substep of an sph method
    int max_substeps; // per tarn_liquid_step; time beyond is dropped and reported
    float max_speed;  // faster particles are slowed to it [m/s]
    // Look (use_look) and splashes.
    float splash_rate;  // drops per second from a particle that qualifies; 0: none
    float splash_speed; // slowest upward speed that makes splashes [m/s]
    float look_time;    // how slowly orientation and size follow [s]
} TarnLiquidParams;

// One kind of liquid. Kind 0 is water by default; set others before adding particles of them.
typedef struct TarnLiquidKindDef {
    uint32_t cookie;      // set by tarn_liquid_kind_default_def, leave alone
    float density;        // [kg/m^3]
    float viscosity;      // kinematic [m^2/s]: water 1e-6, oil 1e-4, honey 5e-3
    float cohesion;       // added to that of the params
    TarnVec3 color;       // linear 0..1
    float freezing_point; // colder particles stand still [K over the ambient]
    float boiling_point;  // hotter ones are gone (an event)
    float conduction;     // rate at which neighbors share their warmth [1/s]
} TarnLiquidKindDef;

TARN_API const TarnParamTable* tarn_liquid_def_table(void);
TARN_API const TarnParamTable* tarn_liquid_params_table(void);
TARN_API const TarnParamTable* tarn_liquid_kind_def_table(void);
TARN_DEFAULT_DEF(TarnLiquidDef, tarn_liquid);
TARN_API TarnLiquidParams tarn_liquid_default_params(void);
TARN_DEFAULT_DEF(TarnLiquidKindDef, tarn_liquid_kind);

TARN_API size_t tarn_liquid_memory(const TarnLiquidDef* def); // 0: not valid
TARN_API TarnResult tarn_liquid_create(TarnContext* ctx, const TarnLiquidDef* def,
                                       TarnLiquid** out);
TARN_API void tarn_liquid_destroy(TarnLiquid* liquid); // NULL is fine
TARN_API TarnResult tarn_liquid_set_params(TarnLiquid* liquid, const TarnLiquidParams* params);
TARN_API TarnLiquidParams tarn_liquid_params(const TarnLiquid* liquid);
TARN_API TarnResult tarn_liquid_set_kind(TarnLiquid* liquid, int kind,
                                         const TarnLiquidKindDef* def);
TARN_API TarnResult tarn_liquid_get_kind(const TarnLiquid* liquid, int kind,
                                         TarnLiquidKindDef* out);
// Obstacles. NULL: none. Not owned; it must live as long as the liquid. Pushes are added to it.
TARN_API TarnResult tarn_liquid_set_solids(TarnLiquid* liquid, TarnSolids* solids);

// ---- Filling -------------------------------------------------------------------------------------

// Where and what. Start from tarn_liquid_fill_default().
typedef struct TarnLiquidFill {
    uint32_t cookie;   // leave alone
    TarnShape shape;   // Default a box
    TarnPose pose;     // where it is. In 2-D its section counts, whatever its z
    TarnVec3 velocity; // [m/s]
    int kind;          // of liquid, 0 to TARN_LIQUID_KINDS - 1
    int group;         // 0 to 255, the host's
    float jitter;      // random offset, share of the spacing
    float temperature; // [K over the ambient]
} TarnLiquidFill;
TARN_API const TarnParamTable* tarn_liquid_fill_table(void);
TARN_DEFAULT(TarnLiquidFill, tarn_liquid_fill_default, tarn_liquid_init_fill);
// Fills the part of it that is free of solids on a lattice, one particle per spacing^dimensions.
// *added may be NULL. TARN_ERR_CAPACITY: not all fit (nothing is added).
TARN_API TarnResult tarn_liquid_fill(TarnLiquid* liquid, const TarnLiquidFill* fill, int* added);
// Particles one by one. velocity NULL: at rest. TARN_ERR_CAPACITY, TARN_ERR_DATA: nothing is added.
TARN_API TarnResult tarn_liquid_add(TarnLiquid* liquid, int n, const TarnVec3* position,
                                    const TarnVec3* velocity, int kind, int group,
                                    uint32_t* first_id);
TARN_API TarnResult tarn_liquid_remove(TarnLiquid* liquid, uint32_t id);
TARN_API int tarn_liquid_remove_group(TarnLiquid* liquid, int group); // returns how many
// Adds to the velocity of all particles of a group (-1: all) [m/s].
TARN_API TarnResult tarn_liquid_push_group(TarnLiquid* liquid, int group, TarnVec3 velocity);
TARN_API TarnResult tarn_liquid_set_user(TarnLiquid* liquid, uint32_t id, uint32_t user);
// Index in the view now, -1: there is no such particle.
TARN_API int tarn_liquid_find(const TarnLiquid* liquid, uint32_t id);

// ---- Stepping ------------------------------------------------------------------------------------

// Advance by dt [s], 0 to 10. constraint takes it in steps of at most 1/30 s, the sph methods in as many
// as stability asks for, up to max_substeps; time beyond is dropped, TARN_STEP_TIME_CUT is set and
// report->time_advanced < dt. No allocation. The same bits for any number of workers.
TARN_API TarnResult tarn_liquid_step(TarnLiquid* liquid, float dt, TarnStepReport* report);
// No particles, time 0; sources, regions and kinds stay. NULL is fine.
TARN_API void tarn_liquid_reset(TarnLiquid* liquid);

// ---- Reading -------------------------------------------------------------------------------------

enum {
    TARN_LIQUID_FROZEN = 1,    // stands still
    TARN_LIQUID_EDGE = 2,      // at the free surface              (use_look)
    TARN_LIQUID_UP = 4,        // at the surface, and that faces up (use_look)
    TARN_LIQUID_BUBBLE = 8,    // drawn as a bubble                 (use_look)
    TARN_LIQUID_TOUCHING = 16, // a solid or a wall
};
// Valid until the next step, edit or destroy. The order changes; ids do not.
typedef struct TarnLiquidView {
    int n;
    const float *x, *y, *z;    // [m]; z is 0 in 2-D
    const float *vx, *vy, *vz; // [m/s]
    const float* density;      // [kg/m^3]
    const float* pressure;     // [Pa], of the last substep
    const float* temperature;  // [K over the ambient]
    const uint32_t* id;        // never used twice
    const uint32_t* user;      // the host's
    const uint8_t *kind, *group, *flags;
    // With use_look, else NULL. Orientation is along the edge, smoothed over time; in 3-D it is the
    // direction of the surface's normal instead.
    const float* size;                        // 0 for a lone drop to 1 inside
    const float *along_x, *along_y, *along_z; // unit
    const float* stretch;                     // 1 round, larger: long along the edge or the way
} TarnLiquidView;
TARN_API TarnLiquidView tarn_liquid_view(const TarnLiquid* liquid);
TARN_API const TarnLiquidDef* tarn_liquid_def(const TarnLiquid* liquid);
// The splashes around it; NULL without max_splashes.
TARN_API const TarnParticles* tarn_liquid_splashes(const TarnLiquid* liquid);
TARN_API TarnFlow tarn_liquid_flow(const TarnLiquid* liquid);
TARN_API double tarn_liquid_time(const TarnLiquid* liquid);                   // [s]
TARN_API float tarn_liquid_particle_mass(const TarnLiquid* liquid, int kind); // [kg]

typedef struct TarnLiquidStats {
    double mean_compression, max_compression; // rho / rho_rest - 1, not below 0
    double neighbors;                         // per particle
    int iterations;             // of the pressure solve in the last substep (both solves of dfsph)
    double kinetic_energy;      // [J]
    double momentum[3];         // [kg m/s]
    double angular_momentum[3]; // about the origin [kg m^2/s]
    double max_speed;           // [m/s]
    int overflowed;             // particles with more neighbors than are kept
} TarnLiquidStats;
TARN_API TarnLiquidStats tarn_liquid_stats(const TarnLiquid* liquid); // computed when asked for
typedef struct TarnLiquidLedger { // particles: added = alive + removed + sunk + left + boiled
    uint64_t added, alive;
    uint64_t removed; // by the host
    uint64_t sunk;    // by regions and solids
    uint64_t left;    // the box
    uint64_t boiled;
    uint64_t refused; // of sources while the pool was full
} TarnLiquidLedger;
TARN_API TarnLiquidLedger tarn_liquid_ledger(const TarnLiquid* liquid);

// Equal hashes: equal futures, with the same solids.
TARN_API uint64_t tarn_liquid_hash(const TarnLiquid* liquid);
// As tarn_wave_save and _load. Sources and regions are those of the snapshot afterwards, under their ids. Solids
// have snapshots of their own. No allocation. Rollback: docs/determinism.md
TARN_API TarnResult tarn_liquid_save(const TarnLiquid* liquid, void* buffer, size_t capacity,
                                     size_t* size);
TARN_API TarnResult tarn_liquid_load(TarnLiquid* liquid, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnLiquid, liquid)

#ifdef __cplusplus
}
#endif
