// Inside src only: the state of a liquid, for the driver (liquid*.c), the methods (one file each) and
// couplings.
//
// A substep of the driver (liquid_step.c):
//     tarn__neighbors_find     finds neighbors; the arrays are sorted already
//     find_contacts            solids and walls near each particle
//     prepare                  what regions and warmth do
//     method->solve(l, dt)     new velocities: all physics is here
//     look                     after the last substep, while the lists are there
//     move                     x += dt v, nothing through a solid
//     settle                   reaction on solids, events, what is removed
//     sources, tarn__neighbors_sort, permute
// Between steps the arrays are in the order of their cells (driver->n_sorted of them), and lists and
// contacts mean nothing: their memory serves other purposes.
#pragma once

#include "tarn/liquid_regions.h"
#include "base/base.h"
#include "base/maths.h"
#include "particles/neighbors.h"
#include "particles/smoothing.h"
#include "particles/solids_internal.h"

enum {
    LIQUID_BLOCK = 256,   // particles per block of work, and of contacts
    LIQUID_SLOTS_2D = 24, // neighbors kept per particle
    LIQUID_SLOTS_3D = 48,
    LIQUID_PACKED_2D = 16,   // that there is memory for, where lists are packed
    LIQUID_PAD = 16,         // readable elements behind every array; the first is the ghost
    LIQUID_MAX_CONTACTS = 4, // of one particle
    LIQUID_PLACES = LIQUID_BLOCK * 5 / 4, // for contacts, per block; of lean liquids LIQUID_BLOCK
    LIQUID_WALL_SLOT = -1,                // contact.solid of the walls of the box
};
static const float liquid_support = 2.0f;   // in spacings
static const float liquid_ghost_at = 1e9f;  // where the ghost is [m]
static const float liquid_max_place = 1e6f; // coordinates stay within [m]
static const float liquid_max_kept = 1e20f; // pressures and what methods keep
// Share of a spacing that particles keep away from solids in the sweep.
static const float liquid_skin = 0.25f;

typedef struct LiquidMethod LiquidMethod;

// A SolidContact without the velocity.
typedef struct LiquidPlace {
    int solid;
    float distance;
    TarnVec3 normal, arm;
} LiquidPlace;

// What a contact did to the particle in a substep, for the reaction on the solid.
typedef struct LiquidContact {
    LiquidPlace at;
    TarnVec3 impulse; // on the particle, set by the method [N s]
} LiquidContact;

struct TarnLiquid {
    TarnContext* ctx;
    size_t memory;
    TarnLiquidDef def;
    TarnLiquidParams params;
    TarnLiquidKindDef kinds[TARN_LIQUID_KINDS];
    float mass[TARN_LIQUID_KINDS]; // of a particle of each kind [kg]
    const LiquidMethod* method;
    bool is_lean; // a lean method in 2-D
    TarnSolids* solids;
    double time;
    uint32_t next_id;
    float support; // radius of the kernels [m]

    // Particles, in the order of the last sort. Element n is the ghost: far away, at rest.
    int n;
    float *x, *y, *z; // in 2-D z is an array of zeros; it may be the same as vz and memory_b
    float *vx, *vy, *vz;
    float* density;  // [kg/m^3] as reported; methods write it in solve
    float* pressure; // [Pa] as reported; methods write it in solve
    float* temperature;
    uint32_t *id, *user;
    uint8_t *kind, *group, *flags;
    float* memory_a;  // one value per particle that a method carries on (warm start), sorted along
    float* memory_b;  // another
    uint32_t* inside; // bit per region that it is in

    Neighbors neighbors;

    // Contacts of particle p: contacts[contact_begin[p] + 0 .. contact_count[p]-1], nearest first, with
    // impulse 0 when solve begins. Where they lie in memory depends on the workers, which one belongs to
    // whom does not. There are `places` for each block of LIQUID_BLOCK particles; where they run out
    // each particle keeps at least its nearest, and n_contacts_lost counts the others.
    LiquidContact* contacts;
    // By contact: velocity of the surface, or NULL if the method asks the solid, and what it keeps instead of it.
    TarnVec3* contact_velocity;
    float* contact_slope;
    int places;
    int* contact_begin;
    uint8_t* contact_count;
    int n_contacts_lost;

    // Scratch of the methods: floats per particle as method->scratch says, each array n + LIQUID_PAD
    // long (LIQUID_PAD zeros or finite values behind). pair_scratch: one float per slot, and
    // LIQUID_PAD floats behind. The arrays lie one behind the other in memory, so that from scratch[k] on
    // four of them are also one array of four floats per particle.
    float* scratch[32];
    float* pair_scratch;

    Smoothing smoothing[N_SMOOTHINGS]; // kernels of radius support, made when first asked for: see
                                       // tarn__liquid_smoothing. Zeros at creation
    struct PressureGrid* grid;         // of methods that need one
    float solids_at;                   // fraction of this frame's way that the solids are at
    int turn;                          // counts substeps: methods that sweep take turns
    int iterations;                    // of the last solve
    uint32_t flags_of_step;            // TARN_STEP_*
    TarnStepLimit limited;             // of the step, its first
    // ... the driver's own: sources, regions, events, look, splashes (liquid_driver.h)
    struct LiquidDriver* driver;
};

struct LiquidMethod {
    const char* name;
    int scratch;     // float arrays of n values that it needs, at most 32
    bool forgets;    // memory_a and memory_b stay 0
    bool is_soft;    // its stiffness may turn out to be too small: TARN_STEP_COMPRESSED
    bool needs_grid; // for the pressure, pressure_grid.h
    // Scratch arrays that it uses along with the grid, in 2-D and 3-D. The grid lies in all others.
    int beside_grid[2];
    // Contacts have a slope and no velocity. In 2-D lists are packed, as few have more than 16 neighbors, and z, vz and memory_b, which the method leaves alone,
    // are one array of zeros.
    bool is_lean;
    bool needs_lists; // else only sorted cells (neighbors.cell_begin) are made
    // Slower than this, as the root of the mean square of all, liquid is made still [sqrt(gravity spacing)]; 0: never.
    float still_speed;
    // Viscosity below this is left out, as the method's own smoothing hides it [spacings^2/s]; 0: 0.02.
    float least_viscosity;
    // Longest substep that is stable now [s], given what is left of the step.
    float (*stable_dt)(const TarnLiquid* l, float left);
    // Neighbors and contacts are ready. Changes velocities by all that acts in dt: pressure, viscosity,
    // tension, gravity; writes density and pressure, contacts[].impulse, iterations, flags_of_step.
    // Frozen particles (flags) keep velocity 0 and act as a wall.
    void (*solve)(TarnLiquid* l, float dt);
};

extern const LiquidMethod tarn__liquid_constraint, tarn__liquid_dfsph, tarn__liquid_pcisph,
    tarn__liquid_wcsph, tarn__liquid_sph, tarn__liquid_lennard_jones;

// A kernel of the liquid's support. Not from within blocks of a parallel-for.
const Smoothing* tarn__liquid_smoothing(TarnLiquid* l, int kind);

// Parts that methods combine (liquid_parts.c), each in place on the velocities, gather form. They may
// overwrite pair_scratch and the first LIQUID_PARTS_SCRATCH scratch arrays: call them before the method
// puts its own there (gravity and contacts use none). method->scratch must be at least that many. Lean liquids have
// LIQUID_LEAN_SCRATCH of them, and neighbors.order is free for the sums of blocks.
enum { LIQUID_PARTS_SCRATCH = 15, LIQUID_LEAN_SCRATCH = 13, LIQUID_CALM_SCRATCH = 16 };
void tarn__liquid_gravity(TarnLiquid* l, float dt); // gravity, drag in air of lone particles
void tarn__liquid_viscosity(TarnLiquid* l,
                            float dt); // implicit, any value; keeps momentum and spin
float tarn__liquid_viscous_dt(const TarnLiquid* l,
                              float left);            // longest substep for thick liquids [s]
void tarn__liquid_tension(TarnLiquid* l, float dt);   // surface tension and cohesion
void tarn__liquid_vorticity(TarnLiquid* l, float dt); // confinement
bool tarn__liquid_has_bodies(const TarnLiquid* l);    // solids that give way
void tarn__liquid_calm(TarnLiquid* l, float dt);  // of single particles; needs LIQUID_CALM_SCRATCH
void tarn__liquid_still(TarnLiquid* l, float dt); // the same of liquid that is about to rest
// Velocity of the surface at a contact, by its place in contacts.
TarnVec3 tarn__liquid_contact_velocity(const TarnLiquid* l, int contact);
// Normal velocity at contacts not into the solid, and friction: for methods without contacts of their
// own. Adds to contacts[].impulse.
void tarn__liquid_contacts(TarnLiquid* l, float dt);
// Where a particle ends that a method puts somewhere else before the motion: not through a solid.
TarnVec3 tarn__liquid_put(const TarnLiquid* l, int p, TarnVec3 to);
// Distance of a wall contact counts as a half space full of liquid: share of the kernel it fills and the
// gradient of that share, over all contacts of a particle (1 - prod(1 - share_i)).
float tarn__liquid_wall_share(const TarnLiquid* l, const Smoothing* s, int p, TarnVec3* gradient);

// Takes particles out by their indices, in rising order.
void tarn__liquid_take(TarnLiquid* l, int n, const int* indices);
// Particles that a source has given so far; -1: the id is stale. A paused one gives none.
int64_t tarn__liquid_given(const TarnLiquid* l, TarnLiquidSourceId id);
void tarn__liquid_pause_source(TarnLiquid* l, TarnLiquidSourceId id, bool is_paused);
