// Inside src/bodies only: the set of bodies, and what its files need of each other.
#pragma once

#include "bodies/bodies.h"
#include "base/handles.h"
#include "base/maths.h"

enum {
    CONTACTS_PER_BODY = 12, // size of the pool of contacts, per body of def.max_bodies
    CONTACT_MAX_POINTS = 8, // between two bodies, or a body and a wall
    GROUND_MAX_POINTS = 6,  // between a body and the ground
};

// Limits that keep every state finite. States that the host gives are refused beyond them.
static const float body_max_position = 1e6f; // [m], each coordinate
static const float body_max_speed = 1000.0f; // [m/s]
static const float body_max_spin = 200.0f;   // [rad/s]
static const float body_max_force = 1e20f;   // [N], [N m], each coordinate

// ---- Shapes and states --------------------------------------------------------------------------

// Checks the shape; fills shape, points, planes, triangles, radius and mass properties of the body. The
// points of a hull are moved to its center of mass, unless they come from a body that was built before: then
// all is made anew to the bit.
TarnResult tarn__body_build(TarnContext* ctx, const TarnShape* shape, float density,
                            bool is_centered, TarnBody* body);
void tarn__body_update_rotation(TarnBody* body); // the matrix, after state.rotation has changed
// After shape and rotation: sets freedom, axis and spin_ease, and drops the velocity that has no place.
void tarn__body_set_freedom(TarnBody* body, int freedom, TarnVec3 axis);
void tarn__body_drop_velocity(TarnBody* body);

TARN_INLINE TarnVec3 body_to_world(const TarnBody* body, TarnVec3 v) // directions
{
    const float* m = body->rotation;
    return (TarnVec3){ m[0] * v.x + m[1] * v.y + m[2] * v.z, m[3] * v.x + m[4] * v.y + m[5] * v.z,
                       m[6] * v.x + m[7] * v.y + m[8] * v.z };
}
TARN_INLINE TarnVec3 body_to_local(const TarnBody* body, TarnVec3 v)
{
    const float* m = body->rotation;
    return (TarnVec3){ m[0] * v.x + m[3] * v.y + m[6] * v.z, m[1] * v.x + m[4] * v.y + m[7] * v.z,
                       m[2] * v.x + m[5] * v.y + m[8] * v.z };
}

// ---- Contacts -----------------------------------------------------------------------------------

typedef struct ContactPoint {
    TarnVec3 point;  // relative to the position of a, halfway between the surfaces [m]
    TarnVec3 normal; // unit, from b to a
    float distance;  // negative: the bodies overlap [m]
} ContactPoint;

// A box or hull relative to the position of a body, in world axes.
enum { BODY_MAX_EDGES = 3 * BODY_MAX_TRIANGLES / 2 };
typedef struct Poly {
    TarnVec3 v[BODY_MAX_POINTS];
    BodyPlane face[BODY_MAX_PLANES];
    uint8_t edge[BODY_MAX_EDGES][2];
    int n_points, n_faces, n_edges;
    int n_directions; // the first edges that have all directions
    const TarnBody* body;
} Poly;
void tarn__poly_make(Poly* poly, const TarnBody* body, TarnVec3 offset);
int tarn__poly_polygon(const Poly* poly, int face, TarnVec3* out); // its corners in order
TarnVec3 tarn__closest_on_triangle(TarnVec3 p, TarnVec3 a, TarnVec3 b, TarnVec3 c);
// Few points that span much: the deepest, then always the one farthest from those taken. Normals that differ
// by 1 count as `by_normal` times the radius.
int tarn__spread_points(const ContactPoint* found, int n, float radius, float by_normal,
                        ContactPoint* out, int max);

// Points where the bodies are closer than margin, at most CONTACT_MAX_POINTS. Returns how many.
int tarn__collide(const TarnBody* a, const TarnBody* b, float margin, ContactPoint* out);
// The same against a wall at the given height below the body's position, measured along normal.
int tarn__collide_wall(const TarnBody* a, TarnVec3 normal, float height, float margin,
                       ContactPoint* out);
// How far the shape reaches from its position along a unit vector [m].
float tarn__body_reach(const TarnBody* body, TarnVec3 direction);
// Of the largest ball around the position that lies in the shape [m].
float tarn__body_inner_radius(const TarnBody* body);

// ---- Basins ---------------------------------------------------------------------------------------

// Height and normal of the ground of a basin. Walls do not count: beside them the ground goes on level.
float tarn__ground_height(const BodyBasin* basin, float x, float z, TarnVec3* normal);
// Contacts of a body with the ground, at most GROUND_MAX_POINTS.
int tarn__collide_ground(const BodyBasin* basin, const TarnBody* body, float margin,
                         ContactPoint* out);
void tarn__keep_above_ground(const BodyBasin* basin, TarnBody* body, float slop);
// Contacts with an obstacle, at most CONTACT_MAX_POINTS: those nearer than margin, and those nearer than
// reach that the body will meet within h [s]. obstacles may be NULL for shapes.
int tarn__collide_obstacle(const BodyObstacles* obstacles, const BodyObstacle* obstacle,
                           const TarnBody* body, float margin, float reach, float h,
                           ContactPoint* out);
// Is the center of the body in the basin?
bool tarn__basin_holds(const BodyBasin* basin, const TarnBody* body);

// One direction in which a contact acts.
typedef struct ContactRow {
    TarnVec3 direction;
    TarnVec3 arm_a, arm_b;   // arm x direction [m]
    TarnVec3 spin_a, spin_b; // change of angular velocity per unit impulse [1/(kg m)]
    TarnVec3 push_a, push_b; // the direction, as far as the bodies may go along it
    float drift;             // speed of an obstacle's surface along it [m/s]
    float mass;              // effective [kg]
    float impulse;           // in one small step [N s]
} ContactRow;

typedef struct Contact {
    TarnBody *a, *b;
    TarnBodyState *moved_a, *moved_b;
    float mass_inv_a, mass_inv_b; // 0: driven, or the world [1/kg]
    float distance, slop;         // [m]
    float approach;               // normal velocity before the solve, negative: closing [m/s]
    bool is_blow, is_hit;         // closing fast; carried an impulse in this substep
    float friction, restitution;
    TarnVec3 point;              // relative to the position of a [m]
    TarnVec3 surface;            // velocity of an obstacle there; b is the world then [m/s]
    ContactRow normal, slide[2]; // normal points from b to a
} Contact;

// How the distance along a row changes with the velocities of the bodies, or with their displacements.
TARN_INLINE float body_row_change(const ContactRow* row, const TarnBodyState* a,
                                  const TarnBodyState* b)
{
    return vec3_dot(row->direction, vec3_sub(a->velocity, b->velocity)) +
           vec3_dot(row->arm_a, a->angular_velocity) - vec3_dot(row->arm_b, b->angular_velocity);
}

TARN_INLINE float body_row_speed(const Contact* c, const ContactRow* row)
{
    return body_row_change(row, &c->a->state, &c->b->state) - row->drift;
}

// Small bodies have small tolerances.
TARN_INLINE float body_slop(float radius)
{
    return tarn_minf(0.5e-3f, 0.02f * radius); // [m] overlap that is left alone
}
TARN_INLINE float body_margin(float radius)
{
    return tarn_minf(2e-3f, 0.1f * radius); // [m] gap at which bodies at rest count as touching
}

// What a contact carried, the first guess for the next substep. Part of the state.
typedef struct Touch {
    int a, b;       // slots, a < b; b = -1: floor or walls
    TarnVec3 point; // relative to the position of a [m]
    float normal;   // force along the normal [N]
    TarnVec3 slide; // friction, from b on a [N]
} Touch;

// ---- The set ------------------------------------------------------------------------------------

struct TarnBodies {
    TarnContext* ctx;
    size_t memory;
    TarnBodiesDef def;
    TarnHandles ids;
    bool adds_forces;      // the host has called tarn_bodies_begin_forces; not part of the state
    TarnBody* body;        // def.max_bodies slots
    uint64_t* shape_hash;  // of each slot: all that never changes about the body
    BodySolid* solid;      // of each slot
    uint16_t solids_owner; // of the ids in there; 0: not known yet
    int* order;            // the used slots, sorted along x by the broad phase
    float *x_min, *x_max;  // of each slot, with the way it goes in a substep [m]
    int* n_pairs;          // of each slot: bodies that were held against it in this substep
    int n_tests;           // all of them, each pair once
    TarnBodyState*
        moved; // of each slot, and of the world: its displacement in this substep [m], [rad]
    Contact* contacts;
    Touch* touches;
    int *first_touch, *next_touch; // lists of touches by slot a, -1: end
    int n_contacts, n_touches, max_contacts;
    TarnBody world; // floor and walls as one driven body that stands still
    BodyBasin basins[BODY_MAX_BASINS];
    int n_basins;
    BodyObstacles obstacles; // near NULL: none
    float step_t0, step_t1;  // shares of the running step at which the substep begins and ends
    float elapsed;           // of the running substep [s]
    uint64_t* inside; // of each slot: bit b is set for a body that began the substep in basin b
    uint32_t flags;   // TARN_STEP_* of the running step
    BodiesChangeFn* changed; // NULL: no callback
    void* changed_user;
    TarnStepLimit limited; // of the running step, its first
};

extern const TarnParamTable tarn__bodies_table;       // of TarnBodiesDef
uint64_t tarn__body_hash_fixed(const TarnBody* body); // of all that does not change about it

void tarn__find_contacts(TarnBodies* set, float h); // touch.c
void tarn__limit_speeds(TarnBodies* set, TarnBody* body);
// After a substep that the body began at `from`.
void tarn__keep_inside(TarnBodies* set, TarnBody* body, TarnVec3 from);

// Moves all free bodies by h [s].
void tarn__bodies_substep(TarnBodies* set, float h);
