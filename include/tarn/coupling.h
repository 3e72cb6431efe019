// tarn/coupling.h: forces between bodies and water, liquids, flows and solids.
//
// A world calls these in the right order; a host that steps solvers itself calls them once per frame. What
// couples both ways and what one way only, with equations and limits: docs/coupling.md
#pragma once

#include "tarn/body.h"
#include "tarn/flow.h"
#include "tarn/lattice.h"
#include "tarn/liquid.h"
#include "tarn/ocean.h"
#include "tarn/push.h"
#include "tarn/shallow.h"
#include "tarn/surface.h"
#include "tarn/wave.h"
#include "tarn/wave_particles.h"

#ifdef __cplusplus
extern "C" {
#endif

// The user number of a solid that stands for a body is this plus a number of its own.
enum { TARN_COUPLE_SOLID_USER = 0x40000000 };

// Couples bodies and waves both ways for the coming dt [s]: bodies push aside the water they displace, and
// receive buoyancy, drag and torque (tarn_bodies_get_force). Call it once per frame before tarn_wave_step. A
// wave solver couples with one set of bodies only. TARN_ERR_ARG: the solver was created without use_bodies,
// or dt is out of range.
TARN_API TarnResult tarn_couple_wave_bodies(TarnWave* wave, TarnBodies* bodies, float dt);

// Couples bodies and shallow water both ways for the coming dt [s]: bodies float, drift with the current,
// make bow waves and wakes, and block the flow where they stand on the ground. The volume of the water does
// not change. Call it once per frame before tarn_shallow_step; for bodies that rest on the terrain also call
// tarn_bodies_set_ground with tarn_shallow_bed before tarn_bodies_step. TARN_ERR_ARG: the solver was created
// without use_bodies, or dt is out of range.
TARN_API TarnResult tarn_couple_shallow_bodies(TarnShallow* water, TarnBodies* bodies, float dt);

// Sends the long waves of the sea into a window of shallow water through its absorbing edges, for the coming step; what
// comes out is absorbed. Only waves that are long for the depth of the sea enter (k depth below 0.7, fading out up to 1.4):
// shallow water would carry shorter ones too fast. Give the sea the depth that the window has at these edges. A window with
// a level that has not been stepped yet is filled with these waves. Call it once per frame before tarn_shallow_step; worlds
// that hold both do.
TARN_API TarnResult tarn_couple_ocean_shallow(const TarnOcean* ocean, TarnShallow* water);

// Parameters for bodies in anything that offers a Surface: waves, shallow water, pipes, the host's own ocean,
// and sums and patchworks of these.
typedef struct TarnFloatParams {
    float density;    // of the water [kg/m^3], 1 to 1e5. Default 1000
    float damping;    // linear drag per displaced mass [1/s], 0 to 1e3. Default 0.5
    float drag;       // quadratic drag coefficient, 0 to 100. Default 0.5
    float added_mass; // water that moves with the body, per displaced mass, 0 to 10. Default 0.5
    float push;       // share of displacement and drag that acts on the water, 0 to 1. Default 1
} TarnFloatParams;

TARN_API TarnFloatParams tarn_float_default_params(void);
TARN_API const TarnParamTable* tarn_float_params_table(void);
// Gives bodies buoyancy, drag and torque for the coming dt [s]. Water that can be pushed (TarnSurface.push)
// reacts with waves and wakes; other water acts on the bodies only. Call it once per frame before the water
// steps, and not together with one of the two calls above for the same water; those are better where they
// apply, since they also raise the water level by what bodies displace and block the flow. Bodies outside the
// area of the surface are left alone. params NULL: the defaults. TARN_ERR_ARG: a value is out of range;
// nothing has changed.
TARN_API TarnResult tarn_couple_surface_bodies(const TarnSurface* surface,
                                               const TarnFloatParams* params, TarnBodies* bodies,
                                               float dt);

// Makes the waves of bodies for the coming dt [s], 0 to 10: each sheds particles around its waterline, as much as that
// part of it displaces, whenever those of its size have moved on by half a radius. `surface` is the water that the
// bodies float in; NULL: these waves alone. Call it once per frame before tarn_wave_particles_step, and
// tarn_couple_surface_bodies with the same surface for the forces. TARN_ERR_ARG: dt is out of range.
TARN_API TarnResult tarn_couple_wave_particles_bodies(TarnWaveParticles* waves,
                                                      const TarnSurface* surface,
                                                      TarnBodies* bodies, float dt);

// Bodies in a liquid of particles. Per frame:
//
//     tarn_solids_advance(solids, dt);                            // the set given to the liquid
//     tarn_couple_liquid_bodies(liquid, bodies, dt, &report);     // steps the liquid by dt
//     tarn_bodies_step(bodies, report.time_advanced, NULL);       // or the host's engine
//
// Each body has a solid in the liquid's set (tarn_liquid_set_solids), see below. The liquid solves its
// contacts with the masses of the bodies and with velocities that already include gravity and added forces;
// the result is the force on each body (tarn_bodies_get_force). Driven bodies push the liquid and are not
// moved by it. In a 2-D liquid a body is its cross-section at z = 0, as thick as the liquid. submerged_volume
// is estimated from the particles around the body, to about a twentieth of its volume. Bodies with a span shape are left out unless
// tarn_couple_solid_shape gave them another shape for liquids. TARN_ERR_CAPACITY: the set of solids is full.
TARN_API TarnResult tarn_couple_liquid_bodies(TarnLiquid* liquid, TarnBodies* bodies, float dt,
                                              TarnStepReport* report);

// Bodies in a lattice (tarn/lattice.h): obstacles that it carries and pushes. Steps the lattice by dt, between
// tarn_solids_advance and tarn_bodies_step. Each body has a solid in the lattice's set (tarn_lattice_set_solids), as in
// tarn_couple_liquid_bodies; in a 2-D lattice it is the section at z = 0. TARN_ERR_CAPACITY: the set of solids is full.
TARN_API TarnResult tarn_couple_lattice_bodies(TarnLattice* lattice, TarnBodies* bodies, float dt,
                                               TarnStepReport* report);

// Makes free bodies collide with solids of any kind in every tarn_bodies_step from now on: they rest on them,
// slide along them and are pushed by them. Solids that stand for bodies, and drains (TARN_TOUCH_KILL), are
// ignored. Per frame:
//
//     tarn_solids_advance(solids, dt);       // and tarn_solids_move for solids that an engine moves
//     tarn_bodies_step(bodies, dt, NULL);    // solids move over the frame while the bodies step
//
// The friction of a contact is the geometric mean of both, the restitution the larger one, as between bodies.
// Solids do not react. The set must stay alive while bodies are stepped; NULL ends the coupling. It is not
// part of hashes and snapshots.
TARN_API TarnResult tarn_couple_bodies_solids(TarnBodies* bodies, const TarnSolids* solids);

// Flows that push bodies, sails, keels and wings: tarn/push.h

// Represents bodies by solids, so that particle systems collide with them. Call it after tarn_solids_advance
// and before tarn_particles_step. Each body gets a solid, which follows it and is removed with it; span
// shapes get none. Do not use it on a set that is used with tarn_couple_liquid_bodies. TARN_ERR_CAPACITY: the
// set has no room for all bodies.
TARN_API TarnResult tarn_couple_solids_bodies(TarnSolids* solids, TarnBodies* bodies, float dt);
// Only adds and removes the solids of bodies, so that hashes and snapshots of the set include them before the
// first step.
TARN_API TarnResult tarn_couple_solids_prepare(TarnSolids* solids, TarnBodies* bodies);
// Sets the shape that particles collide with instead of the convex shape of the body, in the body's axes: a
// paddle wheel, a hollow boat. shape->motion is ignored.
TARN_API TarnResult tarn_couple_solid_shape(TarnSolids* solids, TarnBodies* bodies, TarnBodyId body,
                                            const TarnSolidDef* shape);
// Returns the solid of a body, or the body of a solid; the null id if it has none.
TARN_API TarnSolidId tarn_couple_solid_of(TarnBodies* bodies, TarnBodyId body);
TARN_API TarnBodyId tarn_couple_body_of(TarnBodies* bodies, TarnSolidId solid);

#ifdef __cplusplus
}
#endif
