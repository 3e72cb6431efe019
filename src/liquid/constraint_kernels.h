// Inside the constraint method only: what its files share. The loops are compiled once per instruction
// set.
#pragma once

#include "base/kernels.h"
#include "liquid/liquid_internal.h"

// A particle's row: the constraint "my density does not grow".
enum {
    ROW_GRADIENT =
        0, // sum of the gradients over neighbors and walls, times its inverse root of mass
    ROW_INVERSE = 3, // 1 / effective mass, 0: no constraint
    ROW_BIAS = 4,    // [1/s] that the density has to fall by, negative: may rise by
    ROW_WALL = 5,    // slopes of the shares of the three nearest contacts [1/m]
    ROW_FLOATS = 8,
};
enum {
    CONSTRAINT_MAX_WALLS = 3,   // contacts whose solid counts as liquid, the nearest
    CONSTRAINT_MAX_BODIES = 64, // that react; more are as if they were heavy
    CONSTRAINT_FLOATS = 4,      // of a place: one load
};

// A solid that reacts. Its velocity is the same for all rows of a sweep.
typedef struct ConstraintBody {
    int solid, contacts;
    TarnVec3 v, spin;   // now [m/s], [rad/s]
    TarnVec3 v0, spin0; // before the impulses
    SolidMass mass;
} ConstraintBody;

// What a solve knows. Velocities are u = v * root of mass, so that masses appear in the gradients
// only and equal and opposite impulses are equal and opposite changes of u.
typedef struct ConstraintWork {
    TarnLiquid* l;
    int dims, slots;
    float dt;        // of the inner step [s]
    float inverse_h; // of the radius of the kernel [1/m]
    float weight; // of a neighbor at distance 0, and of the particle itself; at rest the sum is 1
    float slope;  // weight / h [1/m]
    float wall;   // of a space full of wall
    float stiffness;      // share of the error to be removed in the inner step
    float max_rate;       // of its removal [1/s]
    float skin, max_push; // [m], [m/s]
    float wall_area;      // impulse on a wall by p / rho of a particle next to it [kg s]
    bool is_last;         // sweep: with friction
    float inverse_root[TARN_LIQUID_KINDS]; // of the mass [1/sqrt(kg)]
    // CONSTRAINT_FLOATS per particle: x, y, z (in 2-D lambda instead, [J]), inverse root of mass (0: frozen)
    float* place;
    float* u;      // in 2-D two per particle, in 3-D four of which the last means nothing
    float* row;    // ROW_FLOATS per particle
    float* pairs;  // gradients: slots * dims per particle
    float* lambda; // accumulated impulse of each row [J s]
    float* ratio;  // density over that at rest
    ConstraintBody* bodies;
    const uint8_t* body_of; // 1 + body of a solid's slot, 0: does not react; NULL: none does
    int n_bodies;
} ConstraintWork;

typedef struct ConstraintKernels {
    // Gradients, effective mass, bias and u of the particles begin .. end - 1. lambda is [J] here. The last
    // group of a list is filled up with the particle itself: lists have to be new.
    void (*set_up)(const ConstraintWork* work, int begin, int end);
    // One pass over the rows, up or down.
    void (*solve)(const ConstraintWork* work, int begin, int end, bool is_down);
} ConstraintKernels;

TARN_KERNELS(ConstraintKernels, tarn__constraint_kernels);

// ---- constraint_contacts.c ---------------------------------------------------------------------------

// What the solids near a particle add to its row: they count as liquid.
typedef struct ConstraintWalls {
    float share;       // of the density
    TarnVec3 gradient; // [1/m]
    float mass;        // that bodies add to the effective mass
} ConstraintWalls;
ConstraintWalls tarn__constraint_walls(const ConstraintWork* work, int p);
// Rate of the density by walls that move [1/s].
float tarn__constraint_wall_rate(const ConstraintWork* work, int p);
// The rows of its contacts: not through the surface, and friction in the last sweep.
void tarn__constraint_contacts(const ConstraintWork* work, int p, float lambda);
// After an inner step: impulses of the pressure, distances.
void tarn__constraint_settle(const ConstraintWork* work, int p);
// Finds the solids that react; body_of has room for every slot. And their velocities after a sweep.
void tarn__constraint_find_bodies(ConstraintWork* work, uint8_t* body_of);
void tarn__constraint_meet_bodies(ConstraintWork* work); // as the grid left them
void tarn__constraint_move_bodies(ConstraintWork* work);
