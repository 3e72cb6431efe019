// tarn/body.h: rigid bodies that float, sink and push water.
//
// A body is a convex shape; its pose and velocity go in, and force, torque and submerged volume come out. The
// host's engine moves its own bodies: add them as driven, set their states each frame and read the forces.
// For demos and games without an engine, tarn_bodies_step moves the free ones: gravity, floor, walls,
// contacts between bodies and with solids of any kind (tarn_couple_bodies_solids). It is small and robust but
// not a physics engine: its only joints are hinges fixed in the world, and it can stack a few bodies at most.
// Bridges to physics engines: bridges/.
//
// A body cannot pass through ground, walls or solids, however thin, up to its speed limit of 1000 m/s,
// because its path is swept with the largest ball that fits inside it. Two fast bodies may pass through each
// other. Convex, mesh, distance and function solids that carry bodies should be at least 2 mm thick; use an
// open mesh for thinner ones.
#pragma once

#include "tarn/base.h"
#include "tarn/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef TarnMotion TarnBodyState;

// Which motions a body can make. Other components of a velocity are dropped.
typedef enum TarnBodyFreedom {
    TARN_BODY_FREE,
    TARN_BODY_PLANAR, // moves along x and y and rotates about z only, for 2-D games
    TARN_BODY_HINGE,  // only rotates about `axis` through its position: wheels, flaps, gates
} TarnBodyFreedom;

typedef struct TarnBodyDef {
    uint32_t cookie; // set by tarn_body_default_def; leave it alone
    TarnShape shape;
    TarnBodyState state;
    float density; // [kg/m^3], 1 to 1e5; water has 1000. Default 500
    // Moved by the host (tarn_bodies_set_state), not by tarn_bodies_step. Its density still matters: forces
    // are kept stable for a body of this mass.
    bool is_driven;
    float friction;    // at contacts, 0 to 1. Default 0.3
    float restitution; // at contacts, 0 to 1. Default 0.2
    int freedom;       // TarnBodyFreedom. Default TARN_BODY_FREE
    TarnVec3 axis;     // axis of a hinge, in world axes, any length but 0. Default (0, 0, 1)
} TarnBodyDef;

// What water did to a body in the last call of a coupling, or since tarn_bodies_begin_forces. Apply it at the
// center of mass.
typedef struct TarnBodyForce {
    TarnVec3 force;         // buoyancy and drag, without gravity [N]
    TarnVec3 torque;        // about the center of mass [N m]
    float submerged_volume; // [m^3]
} TarnBodyForce;

typedef struct TarnBodyId {
    uint64_t value;
} TarnBodyId; // 0: the null id

// A set of bodies, in a box whose sides and floor are walls; the top is open.
typedef struct TarnBodiesDef {
    uint32_t cookie;           // set by tarn_bodies_default_def; leave it alone
    int max_bodies;            // 1 to 4096. Default 64
    TarnVec3 gravity;          // [m/s^2]. Default (0, -9.81, 0)
    TarnVec3 box_min, box_max; // corners of the box [m]. Default +-1e4
} TarnBodiesDef;

typedef struct TarnBodies TarnBodies;

TARN_DEFAULT_DEF(TarnBodiesDef, tarn_bodies);
TARN_DEFAULT_DEF(TarnBodyDef, tarn_body);
// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_bodies_memory(const TarnBodiesDef* def);
TARN_API TarnResult tarn_bodies_create(TarnContext* ctx, const TarnBodiesDef* def,
                                       TarnBodies** out);
TARN_API void tarn_bodies_destroy(TarnBodies* bodies); // NULL is fine

// Adds a body. TARN_ERR_ARG: an invalid shape or a value out of range. TARN_ERR_CAPACITY: there are
// max_bodies already.
TARN_API TarnResult tarn_bodies_add(TarnBodies* bodies, const TarnBodyDef* def, TarnBodyId* out);
// All calls return TARN_ERR_ARG for an id that is stale or belongs to another set.
TARN_API TarnResult tarn_bodies_remove(TarnBodies* bodies, TarnBodyId id);
TARN_API TarnResult tarn_bodies_get_state(const TarnBodies* bodies, TarnBodyId id,
                                          TarnBodyState* out);
TARN_API TarnResult tarn_bodies_set_state(TarnBodies* bodies, TarnBodyId id,
                                          const TarnBodyState* state);
TARN_API TarnResult tarn_bodies_get_force(const TarnBodies* bodies, TarnBodyId id,
                                          TarnBodyForce* out);
// Clears the forces, after which those of all couplings add up, each kept stable given the earlier ones. Call
// it once per frame before the first coupling if bodies are in several waters, or in water and a liquid.
// Without it, each coupling replaces the forces of the last.
TARN_API void tarn_bodies_begin_forces(TarnBodies* bodies); // NULL is fine
// Adds a force [N] and a torque [N m] for the next step, such as thrust, wind or a rope.
TARN_API TarnResult tarn_bodies_add_force(TarnBodies* bodies, TarnBodyId id, TarnVec3 force,
                                          TarnVec3 torque);
TARN_API TarnResult tarn_bodies_get_mass(const TarnBodies* bodies, TarnBodyId id, float* mass,
                                         float* volume);
TARN_API TarnResult tarn_bodies_get_freedom(const TarnBodies* bodies, TarnBodyId id, int* freedom,
                                            TarnVec3* axis); // axis may be NULL
// Writes friction and restitution, for engines that replace tarn_bodies_step; either may be NULL.
TARN_API TarnResult tarn_bodies_get_surface(const TarnBodies* bodies, TarnBodyId id,
                                            float* friction, float* restitution);
TARN_API bool tarn_bodies_is_driven(const TarnBodies* bodies,
                                    TarnBodyId id); // false for stale ids, too
// Writes what tarn_bodies_add_force added since the last step, for such engines. After their step they must
// call tarn_bodies_clear_forces, as tarn_bodies_step does itself.
TARN_API TarnResult tarn_bodies_get_added_force(const TarnBodies* bodies, TarnBodyId id,
                                                TarnVec3* force, TarnVec3* torque);
TARN_API void tarn_bodies_clear_forces(TarnBodies* bodies);       // NULL is fine
TARN_API TarnBodiesDef tarn_bodies_def(const TarnBodies* bodies); // gravity, box
TARN_API int tarn_bodies_count(const TarnBodies* bodies);
// Returns the id of the n-th body in a fixed order, or the null id unless 0 <= n < count.
TARN_API TarnBodyId tarn_bodies_at(const TarnBodies* bodies, int n);
TARN_API const TarnShape* tarn_bodies_shape(const TarnBodies* bodies, TarnBodyId id); // NULL: stale
// Writes the faces of a hull as triangles, for drawing: three point indices each, counter-clockwise seen from
// outside. Returns the number of triangles; writes as many as fit into capacity ints. out may be NULL.
TARN_API int tarn_bodies_hull_triangles(const TarnBodies* bodies, TarnBodyId id, int* out,
                                        int capacity);

// Sets the ground that free bodies rest and slide on, in addition to the floor of the box: value (i, k) is
// the height y [m] at x, z = origin + ((i, k) + 0.5) * dx, interpolated linearly and flat beyond the edges.
// The heights are not copied and must stay alive while bodies are stepped; call this again when the view or
// the origin changes. data NULL: no ground, the default. It is not part of hashes and snapshots.
TARN_API TarnResult tarn_bodies_set_ground(TarnBodies* bodies, TarnView2 heights, TarnVec2 origin,
                                           float dx);

// Moves the free bodies by dt [s], 0 to 10, under the forces of couplings, added forces, gravity and
// contacts. A long dt is split into substeps of at most 1/60 s, at most 8; the rest is dropped and reported.
// It allocates nothing. TARN_ERR_ARG: dt is out of range.
TARN_API TarnResult tarn_bodies_step(TarnBodies* bodies, float dt, TarnStepReport* report);

// Returns a hash of the state. Equal hashes mean equal futures, given the same ground.
TARN_API uint64_t tarn_bodies_hash(const TarnBodies* bodies);
// Writes the whole set to buffer: bodies with shapes, states and ids, contacts, the box. *size is the number
// of bytes needed, also when TARN_ERR_CAPACITY is returned.
TARN_API TarnResult tarn_bodies_save(const TarnBodies* bodies, void* buffer, size_t capacity,
                                     size_t* size);
// Loads a snapshot into a set with the same max_bodies and gravity, whatever bodies it holds now: those of
// the snapshot come back under their ids, others are removed. It allocates nothing. On failure nothing has
// changed. TARN_ERR_DATA: the snapshot is damaged, belongs to another def, or contains a span shape whose
// body, and callback, was removed. TARN_ERR_VERSION: another version of the format. Rollback:
// docs/determinism.md
TARN_API TarnResult tarn_bodies_load(TarnBodies* bodies, const void* buffer, size_t size);

#ifdef __cplusplus
}
#endif
