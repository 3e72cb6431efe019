// Inside src/coupling only: the force of a fluid on one body, stable for any mass and dt.
#pragma once

#include "bodies/bodies.h"

// Velocities and forces as six numbers: linear, then angular about the center of mass.
typedef struct Push {
    double d[6][6], b[6]; // force of the fluid: b - d v
    double rho, area;     // sums over the surface, for the density of the fluid around
} Push;

// Forces at a point of the surface, arm from the center of mass. k [kg/s] times the relative velocity: its part along a
// unit vector e; or all of it.
void tarn__push_along(Push* push, TarnVec3 e, TarnVec3 arm, double k, TarnVec3 fluid);
void tarn__push_any_way(Push* push, TarnVec3 arm, double k, TarnVec3 fluid);
void tarn__push_close(Push* push); // after the last of these, before the first of those below
// Across the relative velocity, in the plane of two unit vectors: its part along f pushes along e, its part along e
// against f.
void tarn__push_across(Push* push, TarnVec3 e, TarnVec3 f, TarnVec3 arm, double k, TarnVec3 fluid);

// Density where a flow tells how present and how dense it is [kg/m^3], and its velocity; whatever it answers.
float tarn__push_density(float given, float presence, float told);
TarnVec3 tarn__push_velocity(TarnVec3 v);

// Adds the force of the coming dt [s] to what the body's next step applies. share: added mass per mass. *out, if it is
// not NULL: that force [N]; left alone if it is not finite, and then nothing was added.
void tarn__push_apply(Push* push, TarnBody* body, TarnVec3 gravity, double share, float dt,
                      TarnVec3* out);
