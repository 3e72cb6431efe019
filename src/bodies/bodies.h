// Inside src only: what couplings need of bodies.
#pragma once

#include "tarn/body.h"
#include "base/base.h"

enum { BODY_MAX_POINTS = 64, BODY_MAX_PLANES = 124, BODY_MAX_TRIANGLES = 124 };

typedef struct BodyPlane {
    TarnVec3 normal;
    float offset;
} BodyPlane; // inside: normal.p <= offset

typedef struct TarnBody {
    bool is_used, is_driven;
    uint32_t generation;
    TarnShape shape; // points point to points below
    TarnVec3 points[BODY_MAX_POINTS];
    BodyPlane planes[BODY_MAX_PLANES];
    int triangles[3 * BODY_MAX_TRIANGLES];
    int n_planes, n_triangles;
    float density, mass, volume; // [kg/m^3], [kg], [m^3]
    float friction, restitution;
    float radius;         // sphere around the position that holds the shape [m]
    float inertia_inv[9]; // local, row by row [1/(kg m^2)]
    TarnBodyState state;
    float rotation[9];                  // matrix of state.rotation, row by row: world = R local
    TarnBodyForce force;                // by the last coupling
    TarnVec3 added_force, added_torque; // by the host, for the next step
} TarnBody;

// Slots 0 .. capacity-1, some unused. Order is fixed, so loops over it are deterministic.
int tarn__bodies_capacity(const TarnBodies* bodies);
TarnBody* tarn__bodies_slot(TarnBodies* bodies, int slot);
TarnVec3 tarn__bodies_gravity(const TarnBodies* bodies);
TarnContext* tarn__bodies_context(const TarnBodies* bodies);
void tarn__bodies_set_box(TarnBodies* bodies, TarnVec3 box_min, TarnVec3 box_max);

// The solid part of the vertical line through (x, z), in world coordinates; false: it misses.
bool tarn__body_span(const TarnBody* body, float x, float z, float* lo, float* hi);
// World inverse inertia times a vector.
TarnVec3 tarn__body_inertia_inv(const TarnBody* body, TarnVec3 torque);
// Velocity of the body's material at a world point.
TarnVec3 tarn__body_velocity_at(const TarnBody* body, TarnVec3 point);
