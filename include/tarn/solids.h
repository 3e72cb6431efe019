// tarn/solids.h: what particles and bodies collide with. Walls, tanks, cups, paddles, terrain, meshes.
//
// One set of solids serves any number of liquids (tarn/liquid.h) and particle systems
// (tarn/particles.h). A solid has a shape, a pose, a velocity and a surface: friction, bounce, and
// what it does to a particle that touches it. Shapes are thin-safe: a particle is followed along its
// whole way relative to the moving, turning solid, so that nothing gets through however fast.
//
// Bodies that float and react are tarn/body.h; tarn_couple_liquid_bodies (tarn/coupling.h) puts them
// into the liquid's set by itself. tarn_couple_bodies_solids lets free bodies collide with all others.
//
// For 2-D liquids the section z = 0 counts.
#pragma once

#include "tarn/base.h"
#include "tarn/shape.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TarnTouch {
    TARN_TOUCH_BOUNCE, // slide and bounce
    TARN_TOUCH_STICK,  // particles of a particle system stay where they hit; liquids do not slip
    TARN_TOUCH_KILL,   // particles that touch it are removed: a drain
} TarnTouch;

// Start from tarn_solid_default_def(). Add copies everything but terrain heights and user pointers.
typedef struct TarnSolidDef {
    uint32_t cookie;    // set by tarn_solid_default_def, leave alone
    TarnShape shape;    // Default a box
    bool is_inside_out; // solid is what lies outside the shape: a tank, a bowl, a pipe
    TarnMotion motion;  // pose, velocity
    float friction;     // 0 slides freely, 1 does not slip. Default 0.1
    float restitution;  // 0 to 1, of particle systems, single drops and bodies. Default 0.2
    int touch;          // TarnTouch
    uint32_t user;      // the host's, comes back in events
} TarnSolidDef;

typedef struct TarnSolidId {
    uint64_t value;
} TarnSolidId; // 0 is none

typedef struct TarnSolidsDef {
    uint32_t cookie; // set by tarn_solids_default_def, leave alone
    int max_solids;  // 1 to 4096. Default 64
    size_t
        shape_memory; // for planes, triangles and distance grids, all solids together [bytes]. Default 4 MiB
} TarnSolidsDef;

typedef struct TarnSolids TarnSolids;

TARN_API const TarnParamTable* tarn_solid_def_table(void); // of the plain fields
TARN_DEFAULT_DEF(TarnSolidsDef, tarn_solids);
TARN_DEFAULT_DEF(TarnSolidDef, tarn_solid);
TARN_API size_t tarn_solids_memory(const TarnSolidsDef* def);
TARN_API TarnResult tarn_solids_create(TarnContext* ctx, const TarnSolidsDef* def,
                                       TarnSolids** out);
TARN_API void tarn_solids_destroy(TarnSolids* solids); // NULL is fine

// TARN_ERR_ARG: a bad shape or value. TARN_ERR_CAPACITY: max_solids or shape_memory is used up. out may
// be NULL: for what is never moved or removed.
TARN_API TarnResult tarn_solids_add(TarnSolids* solids, const TarnSolidDef* def, TarnSolidId* out);
// A stale id, or one of another set, gives TARN_ERR_ARG everywhere.
TARN_API TarnResult tarn_solids_remove(TarnSolids* solids, TarnSolidId id);
TARN_API int tarn_solids_count(const TarnSolids* solids);
TARN_API TarnSolidId tarn_solids_at(const TarnSolids* solids, int n); // in a fixed order
TARN_API TarnResult tarn_solids_get(const TarnSolids* solids, TarnSolidId id, TarnSolidDef* out);

// Once per frame, before whatever collides with them is stepped: every solid that has a velocity
// travels on by dt [s], 0 to 10, and the ways of the frame before are forgotten.
TARN_API TarnResult tarn_solids_advance(TarnSolids* solids, float dt);
// After tarn_solids_advance: a solid travels from where it was before it to this pose, with this
// velocity, instead. For solids that an engine or an animation moves.
TARN_API TarnResult tarn_solids_move(TarnSolids* solids, TarnSolidId id, const TarnMotion* motion);
// Puts it there at once, without a way: what is inside afterwards is pushed out by the shortest way.
TARN_API TarnResult tarn_solids_place(TarnSolids* solids, TarnSolidId id, const TarnMotion* motion);
// Velocity only; the pose follows with tarn_solids_advance.
TARN_API TarnResult tarn_solids_set_velocity(TarnSolids* solids, TarnSolidId id, TarnVec3 velocity,
                                             TarnVec3 angular_velocity);

// What liquids did to a solid since the last tarn_solids_advance: impulse [N s] and angular impulse
// about its position [N m s]. For switches, wheels, scales.
typedef struct TarnSolidPush {
    TarnVec3 impulse, angular_impulse;
    int touching; // particles within half a spacing
} TarnSolidPush;
TARN_API TarnResult tarn_solids_get_push(const TarnSolids* solids, TarnSolidId id,
                                         TarnSolidPush* out);

// Signed distance to the nearest solid [m], its outward normal and surface velocity there. Points
// farther than reach get distance = reach and normal 0. Any output may be NULL.
TARN_API TarnResult tarn_solids_query(const TarnSolids* solids, int n, const float* x,
                                      const float* y, const float* z, float reach, float* distance,
                                      TarnVec3* normal, TarnVec3* velocity);

// Equal hashes: equal futures, with the same terrain heights and distance functions.
TARN_API uint64_t tarn_solids_hash(const TarnSolids* solids);
// Writes the whole set to buffer: solids with shapes, ways, velocities, pushes and ids. *size: bytes needed,
// also when TARN_ERR_CAPACITY is returned.
TARN_API TarnResult tarn_solids_save(const TarnSolids* solids, void* buffer, size_t capacity,
                                     size_t* size);
// Loads into a set of the same max_solids, whatever solids are in it now: those of the snapshot come back under
// their ids, others go. Or refuses and changes nothing: TARN_ERR_DATA (damaged, another def, or a terrain or a
// function that went with its solid), TARN_ERR_CAPACITY (shape_memory), TARN_ERR_VERSION. No allocation.
TARN_API TarnResult tarn_solids_load(TarnSolids* solids, const void* buffer, size_t size);

#ifdef __cplusplus
}
#endif
