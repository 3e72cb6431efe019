// Inside src only: what couplings need of bodies.
#pragma once

#include "tarn/body.h"
#include "base/base.h"

enum { BODY_MAX_POINTS = 64, BODY_MAX_PLANES = 124, BODY_MAX_TRIANGLES = 124 };

typedef struct BodyPlane {
    TarnVec3 normal;
    float offset;
} BodyPlane; // inside: normal.p <= offset

// The surface of water that a coupling counts displacement from.
typedef struct WaterPlane {
    float x0, z0;                  // a point of it [m]
    float level, slope_x, slope_z; // [m], [-], [-]
    float lowest, highest;         // of the water that it was made of [m]
    int n;                         // columns of water it was made of. 0: there is no water
} WaterPlane;

// Water that a body has moved in a frame: where it went, where from, and how much [m], [m^3].
typedef struct BodyMoved {
    float gained, lost;
    TarnVec2 gained_at, lost_at;
} BodyMoved;

typedef struct TarnBody {
    bool is_used; // as the ids of the set say, for loops over slots
    bool is_driven;
    int freedom;         // TarnBodyFreedom
    TarnVec3 axis;       // unit, world axes, that planar and hinged bodies turn about
    float spin_ease;     // their inverse inertia about it [1/(kg m^2)]
    uint32_t generation; // of the slot, as in its id
    TarnShape shape;     // points point to points below
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
    TarnBodyForce force;                // by the last coupling, or by all of the frame
    float liquid_volume;                // of it in a liquid of particles, in its last step [m^3]
    TarnVec3 added_force, added_torque; // by the host, for the next step
    // Scratch of the coupling that is running; what it left is never read.
    TarnVec3 water_push; // what drag gives the water [N s]
    float water_volume;  // submerged in this water [m^3]
    WaterPlane water_plane;
    float water_mix, water_mix_up;
    BodyMoved water_moved;
} TarnBody;

// The solid that stands for a body where bodies meet liquids: coupling/liquid_bodies.c keeps it here,
// per slot, and finds by the generation that a body has gone. Snapshots hold it, so that bodies and
// solids that are loaded together know each other.
typedef struct BodySolid {
    uint64_t id; // TarnSolidId; 0: none. After a load into a new set its owner is not known yet
    uint32_t generation; // of the body
    bool is_own;         // its shape was given by tarn_couple_solid_shape
    // Scratch of a coupling: what liquids before this one have pushed in this frame [N s], [N m s].
    TarnVec3 impulse, angular_impulse;
    int touching;
} BodySolid;
BodySolid* tarn__bodies_solid(TarnBodies* bodies, int slot);
// Says in which set the solids of the bodies are: the owner of its ids. Links into another set are dropped.
void tarn__bodies_use_solids(TarnBodies* bodies, uint16_t owner);
// Called after a body was added or removed, so that a world keeps solids that stand for bodies in step with
// them.
typedef void BodiesChangeFn(void* user);
// Removes a body that was added just now, as if it had never been: its id will be given again.
void tarn__bodies_take_back(TarnBodies* bodies, TarnBodyId id);
void tarn__bodies_on_change(TarnBodies* bodies, BodiesChangeFn* changed, void* user);
// Slot of a body; -1: the id is stale, null, or of another set.
int tarn__bodies_slot_of(const TarnBodies* bodies, TarnBodyId id);
TarnBodyId tarn__bodies_id(const TarnBodies* bodies, int slot); // of a used slot

// Slots 0 .. capacity-1, some unused. Order is fixed, so loops over it are deterministic.
int tarn__bodies_capacity(const TarnBodies* bodies);
TarnBody* tarn__bodies_slot(TarnBodies* bodies, int slot);
TarnVec3 tarn__bodies_gravity(const TarnBodies* bodies);
TarnContext* tarn__bodies_context(const TarnBodies* bodies);
// At the start of a coupling: clears the forces, unless those of a frame add up. After it every coupling
// adds its own (tarn__body_add_force).
void tarn__bodies_open_forces(TarnBodies* bodies);
void tarn__body_add_force(TarnBody* body, TarnBodyForce force);
// Where bodies live: one per height field of a world. A basin acts on the bodies whose center is over its
// grid; for them the border of its ground goes on level. Values of the ground sit at cell centers, origin +
// ((i, k) + 0.5) dx, linear between. Views are not copied; nothing of it is hashed or saved.
enum { BODY_MAX_BASINS = 64 };
typedef struct BodyBasin {
    int nx, nz;        // cells along x and z, at least 1
    float dx;          // [m]
    TarnVec2 origin;   // x and z of the corner [m]
    TarnVec2 size;     // along x and z [m]; 0: that of the cells
    bool is_closed[4]; // a wall at -x, +x, -z, +z, of any height
    TarnView2 ground;  // nx * nz heights y [m]; data NULL: a level floor
    float floor;       // y of the level floor [m]; -INFINITY: none
    bool is_depth;     // the ground is given as depths: y = level - value
    float level;       // [m]; else y = level + value
    bool has_walls; // cells whose value is exactly wall_value are blocks that reach up to wall_top
    float wall_value, wall_top; // the wave solver marks walls by a depth of 0; [m]
    float
        thickness; // of ground and floor [m]: bodies whose center is deeper pass under the basin. 0: endless
    bool is_endless; // it acts on all bodies, wherever they are
} BodyBasin;
// The basins of the coming steps, replacing the previous ones: the world sets them again whenever one moves.
// At most BODY_MAX_BASINS; further ones are left out.
void tarn__bodies_set_basins(TarnBodies* bodies, const BodyBasin* basins, int n);
// One basin that is its ground: see tarn_bodies_set_ground.
void tarn__bodies_set_ground(TarnBodies* bodies, TarnView2 heights, TarnVec2 origin, float dx);
// What bodies collide with that is no body and no basin: solids, which this layer does not know. A coupling
// gives the functions (coupling/solids_bodies.c); t is the share of the step that has gone by, 0 to 1.
typedef enum BodyObstacleKind {
    BODY_OBSTACLE_SHAPE,  // a sphere, box or capsule
    BODY_OBSTACLE_GROUND, // upright terrain
    BODY_OBSTACLE_FIELD,  // known by its distances
} BodyObstacleKind;
typedef struct BodyObstacle {
    int kind;
    int key;           // key of the giver
    float t;           // at which it was asked for
    int shape;         // TarnShapeKind
    TarnVec3 size;     // of the shape, as in TarnShape [m]
    BodyBasin ground;  // of terrain
    TarnMotion motion; // now
    float friction, restitution;
    bool is_sheet;   // a field without an inside: bodies are on the side that their center is on
    float thickness; // of a sheet, to both sides [m]
} BodyObstacle;
typedef struct BodyWall {
    float distance;  // from a point, negative inside [m]
    TarnVec3 normal; // unit, out of the obstacle
} BodyWall;
typedef struct BodyHit {
    TarnVec3 normal, velocity; // of the surface, [m/s]
    float restitution;
} BodyHit;
typedef struct BodyObstacles {
    const void* self;
    // Those whose bounds meet a ball, in a fixed order; at most max.
    int (*near)(const void* self, TarnVec3 center, float radius, float t, bool is_planar,
                BodyObstacle* out, int max);
    // Walls of a field closer to a point than reach, nearest first; at most max.
    int (*walls)(const void* self, const BodyObstacle* obstacle, TarnVec3 p, float reach,
                 bool is_planar, BodyWall* out, int max);
    // The end of the path of a ball from a to b while t goes from t0 to t1. True: it hit something.
    bool (*sweep)(const void* self, float t0, float t1, bool is_planar, TarnVec3 a, TarnVec3 b,
                  float radius, TarnVec3* end, BodyHit* hit);
} BodyObstacles;
// NULL: none. Copied; neither hashed nor saved.
void tarn__bodies_set_obstacles(TarnBodies* bodies, const BodyObstacles* obstacles);
// Floor and walls around everything.
void tarn__bodies_set_box(TarnBodies* bodies, TarnVec3 box_min, TarnVec3 box_max);

// The solid part of the vertical line through (x, z), in world coordinates; false: it misses.
bool tarn__body_span(const TarnBody* body, float x, float z, float* lo, float* hi);
// Triangles of the surface, relative to the position, in world axes, counter-clockwise seen from
// outside. Returns how many; 0 for a span shape. They hold the body's volume.
enum { BODY_MAX_SURFACE = 160 };
typedef struct BodyTriangle {
    TarnVec3 p[3];
} BodyTriangle;
int tarn__body_surface(const TarnBody* body, BodyTriangle* out);
// A copy of the body, moved along a way [m] and turned by a small angle [rad], world axes.
void tarn__body_moved(const TarnBody* body, TarnVec3 way, TarnVec3 angle, TarnBody* out);
// A free body becomes planar, as bodies in 2-D liquids are.
void tarn__bodies_make_planar(TarnBodies* bodies, int slot);
// The part of a velocity or of a force that the freedom of the body lets through.
TarnVec3 tarn__body_free_part(const TarnBody* body, TarnVec3 v);
// World inverse inertia times a vector; for planar and hinged bodies about their axis only.
TarnVec3 tarn__body_inertia_inv(const TarnBody* body, TarnVec3 torque);
// Velocity of the body's material at a world point.
TarnVec3 tarn__body_velocity_at(const TarnBody* body, TarnVec3 point);
