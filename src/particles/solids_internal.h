// Inside src only: what liquids and particle systems ask of solids.
#pragma once

#include "tarn/solids.h"
#include "base/base.h"

// A solid is known by its slot here. Slots are few and in a fixed order.
typedef struct SolidContact {
    int solid;         // slot
    float distance;    // of the particle's center from the surface, negative inside [m]
    TarnVec3 normal;   // unit, out of the solid; in 2-D normal.z == 0
    TarnVec3 velocity; // of the surface at the nearest point [m/s]
    TarnVec3 arm;      // from the solid's position to the nearest point [m]
} SolidContact;

// How a solid answers to impulses. A coupling sets it for bodies; others do not move.
typedef struct SolidMass {
    float inverse_mass;       // [1/kg], 0: does not react
    float inverse_inertia[9]; // world axes, row by row [1/(kg m^2)]
    TarnVec3 acceleration;    // by all that is no liquid [m/s^2], [rad/s^2]
    TarnVec3 angular_acceleration;
} SolidMass;

// ---- Reading ------------------------------------------------------------------------------------

int tarn__solids_capacity(const TarnSolids* solids);
bool tarn__solids_is_used(const TarnSolids* solids, int slot);
TarnSolidId tarn__solids_id(const TarnSolids* solids, int slot);
uint16_t tarn__solids_owner(const TarnSolids* solids);           // of its ids
int tarn__solids_slot(const TarnSolids* solids, TarnSolidId id); // -1: stale
float tarn__solids_friction(const TarnSolids* solids, int slot);
float tarn__solids_restitution(const TarnSolids* solids, int slot);
int tarn__solids_touch(const TarnSolids* solids, int slot); // TarnTouch
const TarnSolidDef* tarn__solids_def(const TarnSolids* solids, int slot);
// Pose at the fraction t of this frame's way, and velocity.
TarnMotion tarn__solids_motion(const TarnSolids* solids, int slot, float t);
bool tarn__solids_is_body(const TarnSolids* solids, int slot);  // does it stand for a body?
bool tarn__solids_is_sheet(const TarnSolids* solids, int slot); // is it an open mesh?
const SolidMass* tarn__solids_mass(const TarnSolids* solids, int slot);
// Velocity that constraints start from: motion.velocity, plus what a coupling predicted.
void tarn__solids_get_velocity(const TarnSolids* solids, int slot, TarnVec3* velocity,
                               TarnVec3* angular_velocity);

// Slots whose bounds (over their way of this frame) touch a box, ascending; returns how many, at
// most capacity. The broad phase for a block of particles.
int tarn__solids_near(const TarnSolids* solids, TarnVec3 box_min, TarnVec3 box_max, int* slots,
                      int capacity);

// Contacts of one particle with the given slots, closer than reach, nearest first, at most max.
// Poses are those at the fraction t (0 start .. 1 end) of this frame's way. dims 2: z = 0, flat
// normals.
int tarn__solids_contacts(const TarnSolids* solids, const int* slots, int n_slots, float t,
                          int dims, TarnVec3 position, float reach, SolidContact* out, int max);

// The way of one particle from a to b while the solids go from fraction t0 to t1 of their way:
// returns the end, kept at least `radius` outside all of the given slots, never through one,
// however thin. *hit: the slot it met first or -1, with the normal there and the fraction of the
// way in hit_at (any may be NULL). If there is no room at all the particle stays where the solid it
// met carries it. The slots need to be those near the straight way only: once something turns or
// carries the particle away from it, all solids of the set are looked at. A particle that starts at
// a surface slides along it, which is no hit.
TarnVec3 tarn__solids_sweep(const TarnSolids* solids, const int* slots, int n_slots, float t0,
                            float t1, int dims, TarnVec3 a, TarnVec3 b, float radius, int* hit,
                            TarnVec3* hit_normal, float* hit_at);

// A random point of the surface at the fraction t of this frame's way, out of up to 300 numbers of the
// stream from `first` on. False: it is too far away to use.
typedef struct SurfacePoint {
    TarnVec3 position, normal, velocity; // [m], unit, [m/s]
} SurfacePoint;
bool tarn__solids_surface(const TarnSolids* solids, int slot, float t, uint64_t seed,
                          uint64_t stream, uint64_t first, SurfacePoint* out);
// The first slot whose def has this user number, -1: none.
int tarn__solids_by_user(const TarnSolids* solids, uint32_t user);

// ---- For couplings ------------------------------------------------------------------------------

void tarn__solids_set_body(TarnSolids* solids, int slot); // it stands for a body
void tarn__solids_set_mass(TarnSolids* solids, int slot, const SolidMass* mass);
// Velocity as constraints shall see it when the frame begins.
void tarn__solids_predict(TarnSolids* solids, int slot, TarnVec3 velocity,
                          TarnVec3 angular_velocity);
// Takes back both: whoever comes next meets a solid that moves along its way and answers to nothing.
void tarn__solids_release(TarnSolids* solids, int slot);
// What their accelerations add to the velocities of those that react in a substep of dt [s].
void tarn__solids_accelerate(TarnSolids* solids, float dt);
// Adds to what tarn_solids_get_push tells, and to the velocity of a solid that reacts. Called by the liquid in a fixed order.
void tarn__solids_add_push(TarnSolids* solids, int slot, const double impulse[3],
                           const double angular_impulse[3], int touching);
// What a liquid measures of how deep a solid is in it [m^3], see liquid_bodies.c; since the last advance or predict.
// No part of the state.
void tarn__solids_add_wet(TarnSolids* solids, int slot, double volume);
double tarn__solids_wet(const TarnSolids* solids, int slot);
