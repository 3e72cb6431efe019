// Inside the constraint method only: what its files share. The loops are compiled once per instruction
// set.
#pragma once

#include "base/kernels.h"
#include "liquid/constraint_talk.h"
#include "liquid/liquid_internal.h"

enum {
    CONSTRAINT_MAX_WALLS = 3,   // contacts whose solid counts as liquid, the nearest
    CONSTRAINT_MAX_BODIES = 64, // that react; more are as if they were heavy
    CONSTRAINT_MOVED = 2,       // mark of a particle that was put apart
    CONSTRAINT_NEAR_MOVED = 1,  // and of its neighbors
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
    int dims;
    float dt, per_dt; // of the substep [s], [1/s]
    float inverse_h;  // of the radius of the kernel [1/m]
    float weight; // of a neighbor at distance 0, and of the particle itself; at rest the sum is 1
    float slope_of_kernel; // weight / h [1/m]
    bool is_talk;          // the kernel is 1 - r / h, see constraint_talk.h
    float wall;            // of a space full of wall
    float stiffness;       // share of the error to be removed in the inner step
    float max_rate;        // of its removal [1/s]
    float skin, max_push;  // [m], [m/s]
    float wall_area;       // impulse on a wall by p / rho of a particle next to it [kg s]
    bool is_last;          // sweep: with friction
    float inverse_root[TARN_LIQUID_KINDS], mass_root[TARN_LIQUID_KINDS]; // of the mass [sqrt(kg)]
    bool is_mixed;   // masses differ, or some particles are frozen
    float push_from; // density error from which on particles are put apart without velocity
    float push_more; // and how far below it
    float* place;    // x, y of each particle; in 3-D x, y, z and the inverse root of its mass
    float* u;        // velocity times root of mass: 2 floats, in 3-D 4 of which the last is 0
    // Sum of the gradients over the root of mass, and 1 / A: 4 per particle. In 2-D the third is the inverse root of its
    // mass, 0: frozen.
    float* row;
    // In the memory of what the liquid reports, until the end of the solve: pressure and density.
    float* lambda; // accumulated impulse of each row [J s]; before the rows marks of clumps
    float* ratio;  // density over that at rest
    ConstraintBody* bodies;
    const uint8_t* body_of; // 1 + body of a solid's slot, 0: does not react; NULL: none does
    int n_bodies;
} ConstraintWork;

typedef struct ConstraintKernels {
    // Densities of the particles begin .. end - 1, with what walls add. The slope of the share of each of its nearest
    // contacts [1/m] is in contact_slope.
    void (*weigh)(const ConstraintWork* work, int begin, int end);
    // One pass over those that are too dense, and those that were moved: neighbors are put apart. True: some
    // were. lambda marks them.
    bool (*put_apart)(const ConstraintWork* work, int begin, int end);
    // One pass over the rows, up or down.
    void (*solve)(const ConstraintWork* work, int begin, int end, bool is_down);
} ConstraintKernels;

TARN_KERNELS(ConstraintKernels, tarn__constraint_kernels);

TARN_INLINE float* constraint_place(const ConstraintWork* w, int p)
{
    return w->place + (w->dims == 3 ? 4 : 2) * (size_t)p;
}
TARN_INLINE float* constraint_u(const ConstraintWork* w, int p)
{
    return w->u + (w->dims == 3 ? 4 : 2) * (size_t)p;
}
TARN_INLINE float constraint_root(const ConstraintWork* w, int p)
{
    return w->dims == 3 ? w->place[4 * (size_t)p + 3] : w->row[4 * (size_t)p + 2];
}
TARN_INLINE TarnVec3 constraint_velocity(const ConstraintWork* w, int p)
{
    const float* u = constraint_u(w, p);
    float root = constraint_root(w, p);
    return (TarnVec3){ u[0] * root, u[1] * root, w->dims == 3 ? u[2] * root : 0.0f };
}

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
// After the sweeps: impulses of the pressure.
void tarn__constraint_settle(const ConstraintWork* work, int p);
// Finds the solids that react; body_of has room for every slot. And their velocities after a sweep.
void tarn__constraint_find_bodies(ConstraintWork* work, uint8_t* body_of);
void tarn__constraint_meet_bodies(ConstraintWork* work); // as the grid left them
void tarn__constraint_move_bodies(ConstraintWork* work);
