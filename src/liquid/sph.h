// Inside src only: what the sph methods share (sph_common.c).
#pragma once

#include "liquid/sph_kernels.h"

enum { SPH_SCRATCH = 16, SPH_PRESSURE_SCRATCH = 31 }; // arrays of the sweep, of pressure solves
// Chosen by runs of pools (2 m deep, 2-D and 3-D) and dam breaks.
#define SPH_RELAX                                                                                  \
    0.4f // of the iterations: with momentum at most 1 over the largest eigenvalue, 2.4
#define SPH_WARM      0.99f // share of the last pressures to begin with: 1 keeps idle ones for too long
#define SPH_TAKE      0.1f // share of a density error that is taken back per substep: more makes noise
// Times the rows of particles that rest on one another, at most this: the highest one goes all their ways.
#define SPH_TAKE_ROWS 2.0f
#define SPH_MAX_TAKE  0.05f // most of c that is
// Times max_error, where there is weight: what the density solve may leave of it. At 1 it takes twice the iterations, for
// as dense a liquid. Without weight it alone keeps particles in order: at 2 a vortex decays 6 % too fast.
#define SPH_LEFT      2.0f
#define SPH_GROWTH                                                                                 \
    0.05f // share of max_error by which c may grow per substep: more lets deep pools clump
// In 3-D with weight, where errors of more neighbors cancel, this over the rows times as much, but not more than twice.
#define SPH_GROWTH_ROWS 80.0f
#define SPH_APART                                                                                  \
    100.0f // max_error times this: growth of volume by idle pressure that is let pass [1/s]

// Fills in a sweep for a kernel and a substep: c is 1 on the lattice of a liquid at rest.
SphSweep tarn__sph_sweep(TarnLiquid* l, int kind, float dt);
// All particles at a glance: one pass.
typedef struct SphSurvey {
    float fastest; // speed [m/s]
    float head;    // see tarn__sph_head, of the pressures that were reported last
    float
        energy2; // speed^2 of a particle that has twice the mean energy, of height and motion [m^2/s^2]
} SphSurvey;
SphSurvey tarn__sph_survey(const TarnLiquid* l);
// Longest substep in which the fastest particle goes `courant` spacings, gravity counted [s].
float tarn__sph_courant_dt(const TarnLiquid* l, const SphSurvey* survey, float left);
// The same for pressure solves, with a survey of its own: one of 200 particles may be faster, up to 2.5 times.
float tarn__sph_stable_dt(const TarnLiquid* l, float left);
float tarn__sph_gravity(const TarnLiquid* l); // its strength [m/s^2]
// Pressure over density at the foot of the liquid, twice the mean [m^2/s^2]. Under pressure a particle swings in
// the cage of its neighbors, as fast as a wave in water of that depth: the square of the speed of a pool,
// even when it is at rest.
float tarn__sph_head(const TarnLiquid* l, const float* pressure);
float tarn__sph_rows(const TarnLiquid* l); // of particles that rest on one another
// 1: drops that nothing holds, 0: a row or more rests on the others, or liquid is at a wall.
float tarn__sph_freedom(const TarnLiquid* l, float rows);
// Density from c to kg/m^3.
void tarn__sph_report_density(TarnLiquid* l);
// Packs the particles, the ghost too.
void tarn__sph_pack(const SphSweep* s);
// Volume of a particle [m^3]: spacing^2 thickness or spacing^3.
float tarn__sph_volume(const TarnLiquid* l);

// Viscosity, tension, vorticity.
void tarn__sph_parts(TarnLiquid* l, float dt);
// XSPH [Monaghan1989] mingles the velocities themselves, by a share for 1/60 s at any dt. It is part of loops that
// have the neighbors at hand, gradients, forces and attract: its factor.
float tarn__sph_mingle(TarnLiquid* l, float dt);
// A substep of dfsph or pcisph in two parts. First all forces but the pressure, and the gradients; then the density solve
// and that of velocities, whose errors `error` sums up, contacts, and what is reported.
SphSweep tarn__sph_begin(TarnLiquid* l, float dt);
void tarn__sph_both_solves(SphSweep* s, SphLoop* error);
// Breaks up lattices that the flow draws out along their rows, where s->p is above 0.
// `way`: of the fastest particle in the substep [m]. The others: see SphSweep.
void tarn__sph_unlock(SphSweep* s, int turns, float mirrored, float way);

// ---- Bodies ----

enum { SPH_MAX_BODIES = 64, SPH_MAX_SOLIDS = 4096 }; // more stand still in the solve
typedef struct SphBody {
    int solid;    // slot
    int contacts; // particles that its surface is near
    SolidMass mass;
    TarnVec3 v0, spin0; // before the solve
    TarnVec3 v, spin;   // with the pressures as they are
} SphBody;
typedef struct SphBodies {
    int n;
    SphBody at[SPH_MAX_BODIES];
    uint8_t of[SPH_MAX_SOLIDS]; // 1 + index by slot; 0: does not react
} SphBodies;
// Between the gradients and the solve of velocities: the bodies that react, if any, to s->bodies; pressures
// at them learn that they give way.
void tarn__sph_find_bodies(SphSweep* s, SphBodies* bodies);
// Their velocities with the pressures s->p, and those of their surfaces at the contacts.
void tarn__sph_move_bodies(const SphSweep* s);

// ---- Explicit methods ----

float tarn__sph_spacing_volume(const TarnLiquid* l); // spacing^dims
// Longest substep for a speed of sound and an artificial viscosity alpha [s].
float tarn__sph_sound_dt(const TarnLiquid* l, float sound, float alpha);
// Largest change of a velocity: half a spacing per substep [m/s].
float tarn__sph_limit(const TarnLiquid* l, float dt);
typedef float SphPressureFn(const void* data, float c, float rest_density); // [Pa]
// One step with s->slope set: density, pressure by fn, forces. viscous: alpha times the speed of sound.
// fastest: speed of a particle [m/s].
void tarn__sph_explicit(SphSweep* s, SphPressureFn* fn, const void* data, float viscous,
                        float fastest);
