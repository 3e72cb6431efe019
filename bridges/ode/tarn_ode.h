// tarn_ode.h: lets ODE move the bodies of Tarn, in 3-D.
//
//     TarnOde* engine;
//     tarn_ode_create(tarn_world_bodies(world), &engine);
//     tarn_world_set_body_engine(world, tarn_ode_step, engine);
//     ... tarn_world_step(world, dt, NULL) ...
//     tarn_ode_destroy(engine); // before the world
//
// Each body of the set has a dBody and a dGeom: sphere, box, capsule, or a trimesh of the hull; planar bodies
// have a plane-2D joint, hinged ones a hinge. Before a step the bridge applies the forces of the water;
// after it, it writes states back (tarn_bodies_set_state). It adopts states that the host or a driver sets.
// The box of the set (tarn_bodies_def) has walls. Bodies may be added and removed at any time. tarn_ode_world
// and tarn_ode_space return ODE's own objects, for your own joints and geoms.
// Grounds (tarn_bodies_set_ground) and span shapes are not supported, and a snapshot does not contain ODE's own
// state. Results depend on ODE's build, so no golden hash contains them. ODE has global state: create and
// destroy engines on one thread.
#pragma once

#include "tarn/body.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnOde TarnOde;
struct dxWorld;
struct dxSpace;
struct dxBody;

// TARN_ERR_MEMORY. The bodies must outlive it.
TarnResult tarn_ode_create(TarnBodies* bodies, TarnOde** out);
void tarn_ode_destroy(TarnOde* engine); // NULL is fine
// A TarnBodyEngineFn; engine is the TarnOde. TARN_ERR_UNSUPPORTED: a body has a span shape.
TarnResult tarn_ode_step(TarnBodies* bodies, float dt, void* engine);
struct dxWorld* tarn_ode_world(TarnOde* engine);
struct dxSpace* tarn_ode_space(TarnOde* engine);
struct dxBody* tarn_ode_body(TarnOde* engine, TarnBodyId id); // NULL: none yet

#ifdef __cplusplus
}
#endif
