// tarn/body.h: solid bodies that float, sink and push water.
//
// A body is a convex shape with pose and velocity in, and force, torque and submerged volume out.
// The host's engine moves its own bodies: add them as driven, set their state each frame, read the
// forces. For demos and games without an engine, tarn_bodies_step moves the free ones: gravity,
// floor, walls, contacts between bodies, and with solids of any kind (tarn_couple_bodies_solids). It is
// small and robust, not a physics engine: no joints but hinges that are fixed in the world, and stacks
// of a few bodies at most. Bridges to engines: bridges/.
//
// A body gets through no ground, wall or solid, however thin, up to the limit of 1000 m/s: its way is swept by the
// largest ball that it holds. Two fast bodies may pass through one another. Convex, mesh, distance
// and function solids that carry bodies should be 2 mm thick or more; use an open mesh for less.
#pragma once

#include "tarn/base.h"
#include "tarn/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef TarnMotion TarnBodyState;

// Which of its motions a body has. The rest of a velocity that it is given is dropped.
typedef enum TarnBodyFreedom {
    TARN_BODY_FREE,
    TARN_BODY_PLANAR, // moves along x and y and turns about z only: 2-D games
    TARN_BODY_HINGE,  // turns about `axis` through its position only: wheels, flaps, gates
} TarnBodyFreedom;

typedef struct TarnBodyDef {
    uint32_t cookie; // set by tarn_body_default_def, leave alone
    TarnShape shape;
    TarnBodyState state;
    float density; // [kg/m^3], 1 to 1e5. Water has 1000. Default 500
    bool
        is_driven; // moved by the host (tarn_bodies_set_state), not by tarn_bodies_step. Its density
                   // still counts: forces are made stable for a body of this mass
    float friction;    // at contacts, 0 to 1. Default 0.3
    float restitution; // at contacts, 0 to 1. Default 0.2
    int freedom;       // TarnBodyFreedom. Default TARN_BODY_FREE
    TarnVec3 axis;     // of a hinge, world axes, any length but 0. Default (0, 0, 1)
} TarnBodyDef;

// What water did to a body in the last step of a coupling, or in all of a frame that
// tarn_bodies_begin_forces began. Apply at the center of mass.
typedef struct TarnBodyForce {
    TarnVec3 force;         // buoyancy and drag [N], gravity not included
    TarnVec3 torque;        // about the center of mass [N m]
    float submerged_volume; // [m^3]
} TarnBodyForce;

typedef struct TarnBodyId {
    uint64_t value;
} TarnBodyId; // 0 is none

// Where free bodies may go. All edges of the box but the top are walls.
typedef struct TarnBodiesDef {
    uint32_t cookie;           // set by tarn_bodies_default_def, leave alone
    int max_bodies;            // 1 to 4096. Default 64
    TarnVec3 gravity;          // [m/s^2]. Default (0, -9.81, 0)
    TarnVec3 box_min, box_max; // inner faces of floor and walls [m]. Default +-1e4
} TarnBodiesDef;

typedef struct TarnBodies TarnBodies;

TARN_DEFAULT_DEF(TarnBodiesDef, tarn_bodies);
TARN_DEFAULT_DEF(TarnBodyDef, tarn_body);
TARN_API size_t tarn_bodies_memory(const TarnBodiesDef* def);
TARN_API TarnResult tarn_bodies_create(TarnContext* ctx, const TarnBodiesDef* def,
                                       TarnBodies** out);
TARN_API void tarn_bodies_destroy(TarnBodies* bodies); // NULL is fine

// TARN_ERR_ARG: a bad shape or value. TARN_ERR_CAPACITY: max_bodies are there already.
TARN_API TarnResult tarn_bodies_add(TarnBodies* bodies, const TarnBodyDef* def, TarnBodyId* out);
// A stale id, or one of another set, gives TARN_ERR_ARG everywhere.
TARN_API TarnResult tarn_bodies_remove(TarnBodies* bodies, TarnBodyId id);
TARN_API TarnResult tarn_bodies_get_state(const TarnBodies* bodies, TarnBodyId id,
                                          TarnBodyState* out);
TARN_API TarnResult tarn_bodies_set_state(TarnBodies* bodies, TarnBodyId id,
                                          const TarnBodyState* state);
TARN_API TarnResult tarn_bodies_get_force(const TarnBodies* bodies, TarnBodyId id,
                                          TarnBodyForce* out);
// For bodies in several waters, or in water and a liquid: call it once per frame, before the first
// coupling. It clears the forces, and from then on those of all couplings add up, each one stable with
// what the others have done before it. Without a call, each coupling replaces the forces of the last.
TARN_API void tarn_bodies_begin_forces(TarnBodies* bodies); // NULL is fine
// Adds to what the next step applies, on top of the water: thrust, wind, a rope [N], [N m].
TARN_API TarnResult tarn_bodies_add_force(TarnBodies* bodies, TarnBodyId id, TarnVec3 force,
                                          TarnVec3 torque);
TARN_API TarnResult tarn_bodies_get_mass(const TarnBodies* bodies, TarnBodyId id, float* mass,
                                         float* volume);
TARN_API TarnResult tarn_bodies_get_freedom(const TarnBodies* bodies, TarnBodyId id, int* freedom,
                                            TarnVec3* axis); // axis may be NULL
// Friction and restitution, for engines that stand in for tarn_bodies_step; either may be NULL.
TARN_API TarnResult tarn_bodies_get_surface(const TarnBodies* bodies, TarnBodyId id,
                                            float* friction, float* restitution);
TARN_API bool tarn_bodies_is_driven(const TarnBodies* bodies, TarnBodyId id); // false: stale, too
// What tarn_bodies_add_force added since the last step, for such engines. After their step they call
// tarn_bodies_clear_forces, as tarn_bodies_step does itself.
TARN_API TarnResult tarn_bodies_get_added_force(const TarnBodies* bodies, TarnBodyId id,
                                                TarnVec3* force, TarnVec3* torque);
TARN_API void tarn_bodies_clear_forces(TarnBodies* bodies);       // NULL is fine
TARN_API TarnBodiesDef tarn_bodies_def(const TarnBodies* bodies); // gravity, box
TARN_API int tarn_bodies_count(const TarnBodies* bodies);
// Id of the n-th body in a fixed order, 0 <= n < count; the null id otherwise.
TARN_API TarnBodyId tarn_bodies_at(const TarnBodies* bodies, int n);
TARN_API const TarnShape* tarn_bodies_shape(const TarnBodies* bodies, TarnBodyId id); // NULL: stale
// Faces of a hull as triangles over its points, for drawing: three indices each, counter-clockwise
// seen from outside. Returns the number of triangles; writes as many as fit into capacity ints
// (out may be NULL).
TARN_API int tarn_bodies_hull_triangles(const TarnBodies* bodies, TarnBodyId id, int* out,
                                        int capacity);

// Ground that free bodies rest and slide on, besides the floor of the box: value (i, k) is its height
// y [m] at origin + ((i, k) + 0.5) * dx (x and z), linear between, flat beyond. The heights are not
// copied: they must live while bodies are stepped; give them again when the view or the origin
// changes. data NULL: no ground, as at the start. Not part of hashes and snapshots.
TARN_API TarnResult tarn_bodies_set_ground(TarnBodies* bodies, TarnView2 heights, TarnVec2 origin,
                                           float dx);

// Moves the free bodies by dt [s], 0 to 10: forces of the last coupling, added forces, gravity,
// contacts. Long dt is cut in substeps of at most 1/60 s, at most 8. No allocation.
TARN_API TarnResult tarn_bodies_step(TarnBodies* bodies, float dt, TarnStepReport* report);

// Equal hashes: equal futures, with the same ground.
TARN_API uint64_t tarn_bodies_hash(const TarnBodies* bodies);
// Writes the whole set to buffer: bodies with shapes, states and ids, contacts, the box. *size: bytes needed,
// also when TARN_ERR_CAPACITY is returned.
TARN_API TarnResult tarn_bodies_save(const TarnBodies* bodies, void* buffer, size_t capacity,
                                     size_t* size);
// Loads into a set of the same max_bodies and gravity, whatever bodies are in it now: those of the snapshot
// come back under their ids, others go. Or refuses and changes nothing: TARN_ERR_DATA (damaged, another def, or
// a span shape whose callback went with its body), TARN_ERR_VERSION. No allocation. Rollback: docs/determinism.md
TARN_API TarnResult tarn_bodies_load(TarnBodies* bodies, const void* buffer, size_t size);

#ifdef __cplusplus
}
#endif
