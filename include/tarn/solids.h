// tarn/solids.h: solids that particles and bodies collide with: walls, tanks, cups, paddles, terrain, meshes.
//
// One set of solids serves any number of liquids (tarn/liquid.h), particle systems (tarn/particles.h) and
// gases (tarn/gas.h). A solid has a shape, a pose, a velocity and a surface: friction, bounciness, and what
// happens to particles that touch it. Thin solids are safe: particles are swept along their whole path
// relative to the moving, rotating solid, so nothing passes through, however fast.
//
// Solids do not react to forces. Bodies that float and react are in tarn/body.h; tarn_couple_liquid_bodies
// (tarn/coupling.h) adds them to the liquid's set, and tarn_couple_bodies_solids makes free bodies collide
// with all other solids. 2-D liquids use the cross-section at z = 0.
#pragma once

#include "tarn/base.h"
#include "tarn/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TarnTouch {
    TARN_TOUCH_BOUNCE, // particles slide and bounce
    TARN_TOUCH_STICK,  // particle systems stick where they hit; liquids do not slip
    TARN_TOUCH_KILL,   // particles that touch it are removed: a drain
} TarnTouch;

// Start from tarn_solid_default_def(). tarn_solids_add copies everything but terrain heights and user
// pointers.
typedef struct TarnSolidDef {
    uint32_t cookie;    // set by tarn_solid_default_def; leave it alone
    TarnShape shape;    // default: a box
    bool is_inside_out; // the outside of the shape is solid: a tank, a bowl, a pipe
    TarnMotion motion;  // pose and velocity
    float friction;     // 0 slides freely, 1 does not slip. Default 0.1
    float restitution;  // 0 to 1, for particle systems, single drops and bodies. Default 0.2
    int touch;          // TarnTouch
    uint32_t user;      // for the host; returned in events
} TarnSolidDef;

typedef struct TarnSolidId {
    uint64_t value;
} TarnSolidId; // 0: the null id

typedef struct TarnSolidsDef {
    uint32_t cookie;     // set by tarn_solids_default_def; leave it alone
    int max_solids;      // 1 to 4096. Default 64
    size_t shape_memory; // for planes, triangles and distances of all solids [bytes]. Default 4 MiB
} TarnSolidsDef;

typedef struct TarnSolids TarnSolids;

TARN_API const TarnParamTable* tarn_solid_def_table(void); // of the plain fields
TARN_DEFAULT_DEF(TarnSolidsDef, tarn_solids);
TARN_DEFAULT_DEF(TarnSolidDef, tarn_solid);
// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_solids_memory(const TarnSolidsDef* def);
TARN_API TarnResult tarn_solids_create(TarnContext* ctx, const TarnSolidsDef* def,
                                       TarnSolids** out);
TARN_API void tarn_solids_destroy(TarnSolids* solids); // NULL is fine

// Adds a solid. out may be NULL if it is never moved or removed. TARN_ERR_ARG: an invalid shape or a value
// out of range. TARN_ERR_CAPACITY: max_solids or shape_memory is used up.
TARN_API TarnResult tarn_solids_add(TarnSolids* solids, const TarnSolidDef* def, TarnSolidId* out);
// All calls return TARN_ERR_ARG for an id that is stale or belongs to another set.
TARN_API TarnResult tarn_solids_remove(TarnSolids* solids, TarnSolidId id);
TARN_API int tarn_solids_count(const TarnSolids* solids);
TARN_API TarnSolidId tarn_solids_at(const TarnSolids* solids, int n); // in a fixed order
TARN_API TarnResult tarn_solids_get(const TarnSolids* solids, TarnSolidId id, TarnSolidDef* out);

// Moves every solid by its velocity over dt [s], 0 to 10, and clears the swept paths of the last frame. Call
// it once per frame, before stepping what collides with the solids.
TARN_API TarnResult tarn_solids_advance(TarnSolids* solids, float dt);
// Moves a solid from where it was before tarn_solids_advance to this pose instead, with this velocity. Call
// it after tarn_solids_advance, for solids that an engine or an animation moves.
TARN_API TarnResult tarn_solids_move(TarnSolids* solids, TarnSolidId id, const TarnMotion* motion);
// Teleports a solid (no swept motion): particles inside it afterwards are pushed out the shortest way.
TARN_API TarnResult tarn_solids_place(TarnSolids* solids, TarnSolidId id, const TarnMotion* motion);
// Sets the velocity only; the pose follows with tarn_solids_advance.
TARN_API TarnResult tarn_solids_set_velocity(TarnSolids* solids, TarnSolidId id, TarnVec3 velocity,
                                             TarnVec3 angular_velocity);

// What liquids did to a solid since the last tarn_solids_advance: impulse [N s], and angular impulse about
// its position [N m s]. Use it for switches, wheels and scales.
typedef struct TarnSolidPush {
    TarnVec3 impulse, angular_impulse;
    int touching; // number of particles within half a spacing
} TarnSolidPush;
TARN_API TarnResult tarn_solids_get_push(const TarnSolids* solids, TarnSolidId id,
                                         TarnSolidPush* out);

// Writes the signed distance of n points to the nearest solid [m], and its outward normal and surface
// velocity there. Points farther away than reach get distance = reach and normal 0. Any output may be NULL.
TARN_API TarnResult tarn_solids_query(const TarnSolids* solids, int n, const float* x,
                                      const float* y, const float* z, float reach, float* distance,
                                      TarnVec3* normal, TarnVec3* velocity);

// Returns a hash of the state. Equal hashes mean equal futures, given the same terrain heights and distance
// functions.
TARN_API uint64_t tarn_solids_hash(const TarnSolids* solids);
// Writes the whole set to buffer: solids with shapes, paths, velocities, pushes and ids. *size is the number
// of bytes needed, also when TARN_ERR_CAPACITY is returned.
TARN_API TarnResult tarn_solids_save(const TarnSolids* solids, void* buffer, size_t capacity,
                                     size_t* size);
// Loads a snapshot into a set with the same max_solids, whatever solids it holds now: those of the snapshot
// come back under their ids, others are removed. It allocates nothing. On failure nothing has changed.
// TARN_ERR_DATA: the snapshot is damaged, belongs to another def, or contains a terrain or function whose
// solid was removed. TARN_ERR_CAPACITY: shape_memory is too small. TARN_ERR_VERSION: another version of the
// format.
TARN_API TarnResult tarn_solids_load(TarnSolids* solids, const void* buffer, size_t size);

#ifdef __cplusplus
}
#endif
