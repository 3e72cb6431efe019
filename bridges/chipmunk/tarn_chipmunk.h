// tarn_chipmunk.h: lets Chipmunk 7 move the bodies of Tarn. 2-D: planar and hinged bodies only.
//
//     TarnChipmunk* engine;
//     tarn_chipmunk_create(tarn_world_bodies(world), &engine);
//     tarn_world_set_body_engine(world, tarn_chipmunk_step, engine);
//     ... tarn_world_step(world, dt, NULL) ...
//     tarn_chipmunk_destroy(engine); // before the world
//
// Each body of the set has a cpBody with its shape at z = 0, its mass, friction and elasticity. Before a step
// the bridge applies the forces of the water; after it, it writes states back (tarn_bodies_set_state). It adopts
// states that the host or a driver sets. The box of the set (tarn_bodies_def) has walls. Bodies may be added and
// removed at any time. tarn_chipmunk_space returns the space, for your own joints and shapes.
// Grounds (tarn_bodies_set_ground) are not supported, and a snapshot does not contain Chipmunk's own state: after a
// load, contacts start from scratch. Results depend on Chipmunk's build, so no golden hash contains them.
#pragma once

#include "tarn/body.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnChipmunk TarnChipmunk;
struct cpSpace;
struct cpBody;

// TARN_ERR_MEMORY. The bodies must outlive it.
TarnResult tarn_chipmunk_create(TarnBodies* bodies, TarnChipmunk** out);
void tarn_chipmunk_destroy(TarnChipmunk* engine); // NULL is fine
// A TarnBodyEngineFn; engine is the TarnChipmunk. TARN_ERR_UNSUPPORTED: a body is neither planar nor hinged
// about z nor driven; tarn_chipmunk_refused returns which.
TarnResult tarn_chipmunk_step(TarnBodies* bodies, float dt, void* engine);
int tarn_chipmunk_refused(const TarnChipmunk* engine); // index of that body, -1: none
struct cpSpace* tarn_chipmunk_space(TarnChipmunk* engine);
struct cpBody* tarn_chipmunk_body(TarnChipmunk* engine, TarnBodyId id); // NULL: none yet

#ifdef __cplusplus
}
#endif
