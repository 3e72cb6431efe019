// tarn/coupling.h: where families meet. Bodies with water, solids and flows.
#pragma once

#include "tarn/body.h"
#include "tarn/flow.h"
#include "tarn/liquid.h"
#include "tarn/push.h"
#include "tarn/shallow.h"
#include "tarn/surface.h"
#include "tarn/wave.h"

#ifdef __cplusplus
extern "C" {
#endif

// The user number of the solid that stands for a body is this plus a number of its own.
enum { TARN_COUPLE_SOLID_USER = 0x40000000 };

// Both ways, once per frame before tarn_wave_step: bodies push the water they displace aside, and
// get buoyancy, drag and torque (tarn_bodies_get_force) for the coming dt [s]. The wave solver must
// be created with use_bodies. One set of bodies per solver.
TARN_API TarnResult tarn_couple_wave_bodies(TarnWave* wave, TarnBodies* bodies, float dt);

// The same for shallow water, once per frame before tarn_shallow_step: bodies float, drift with the
// current, make bow waves and wakes, and block the flow where they stand on the ground. The water
// must be created with use_bodies; its volume is not changed. For bodies that rest on the terrain,
// call tarn_bodies_set_ground with tarn_shallow_bed before tarn_bodies_step.
TARN_API TarnResult tarn_couple_shallow_bodies(TarnShallow* water, TarnBodies* bodies, float dt);

// Bodies in anything that offers a Surface: waves, shallow water, pipes, an ocean of the host, sums and
// patchworks of these. Once per frame before the water steps. Bodies get buoyancy, drag and torque for the
// coming dt [s], as with the two above; water that can be pushed (TarnSurface.push) is, so that bodies
// make waves and wakes, and else they float one way. The two above are better where they apply: they hold
// up the level that bodies displace and block the flow. Do not use one of them and this for the same water.
// Bodies outside the area of the surface are left alone. Equations and limits: docs/coupling.md
typedef struct TarnFloatParams {
    float density;    // of the water [kg/m^3], 1 to 1e5. Default 1000
    float damping;    // linear drag, as a rate of the displaced mass [1/s], 0 to 1e3. Default 0.5
    float drag;       // quadratic drag coefficient, 0 to 100. Default 0.5
    float added_mass; // water that moves along, per displaced mass, 0 to 10. Default 0.5
    float push;       // share of its displacement and drag that the water feels, 0 to 1. Default 1
} TarnFloatParams;

TARN_API TarnFloatParams tarn_float_default_params(void);
TARN_API const TarnParamTable* tarn_float_params_table(void);
// params NULL: the defaults. TARN_ERR_ARG: a value out of range; nothing has changed.
TARN_API TarnResult tarn_couple_surface_bodies(const TarnSurface* surface,
                                               const TarnFloatParams* params, TarnBodies* bodies,
                                               float dt);

// Bodies in a liquid of particles. Per frame:
//
//     tarn_solids_advance(solids, dt);                            // the set given to the liquid
//     tarn_couple_liquid_bodies(liquid, bodies, dt, &report);     // steps the liquid by dt
//     tarn_bodies_step(bodies, report.time_advanced, NULL);       // or the host's engine
//
// Each body has a solid in the liquid's set (tarn_liquid_set_solids), as below. The liquid solves its
// contacts for bodies of their mass, with gravity and added forces already in their velocity, and
// what it did is their force (tarn_bodies_get_force). Driven bodies push and are not moved. In a 2-D
// liquid a body counts as its section at z = 0, as thick as the liquid. submerged_volume is estimated
// from the wet share of the surface. TARN_ERR_UNSUPPORTED: a body has a span shape and no other for
// liquids; nothing is stepped. TARN_ERR_CAPACITY: the set of solids is full.
TARN_API TarnResult tarn_couple_liquid_bodies(TarnLiquid* liquid, TarnBodies* bodies, float dt,
                                              TarnStepReport* report);

// Free bodies rest on, slide along and are pushed by solids of any kind, in every tarn_bodies_step from now on. Solids
// that stand for bodies, and drains (TARN_TOUCH_KILL), do not count. Per frame:
//
//     tarn_solids_advance(solids, dt);       // and tarn_solids_move for what an engine moves
//     tarn_bodies_step(bodies, dt, NULL);    // solids go their way of this frame meanwhile
//
// Friction of a contact is the geometric mean of both, restitution the larger one, as between bodies. Solids do
// not react. The set must live while bodies are stepped; NULL: none. Not part of hashes and snapshots.
TARN_API TarnResult tarn_couple_bodies_solids(TarnBodies* bodies, const TarnSolids* solids);

// Flows that push bodies, sails, keels and wings: tarn/push.h

// Bodies as solids, for particle systems: after tarn_solids_advance, before tarn_particles_step. A solid
// is made when a body is first seen, follows it, and is removed after it; the set needs room for all
// bodies. Span shapes are left out. Do not call it for a set that tarn_couple_liquid_bodies serves.
TARN_API TarnResult tarn_couple_solids_bodies(TarnSolids* solids, TarnBodies* bodies, float dt);
// What of it can be done ahead: makes and removes the solids of bodies. So hashes and snapshots of the
// set know them before the first step.
TARN_API TarnResult tarn_couple_solids_prepare(TarnSolids* solids, TarnBodies* bodies);
// Another shape for particles than the convex one of the body, in the body's axes: a wheel with
// paddles, a hollow boat. shape->motion is not looked at.
TARN_API TarnResult tarn_couple_solid_shape(TarnSolids* solids, TarnBodies* bodies, TarnBodyId body,
                                            const TarnSolidDef* shape);
// The solid of a body (0: none yet), and the body of a solid (0: of none).
TARN_API TarnSolidId tarn_couple_solid_of(TarnBodies* bodies, TarnBodyId body);
TARN_API TarnBodyId tarn_couple_body_of(TarnBodies* bodies, TarnSolidId solid);

#ifdef __cplusplus
}
#endif
