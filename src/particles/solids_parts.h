// Inside solids*.c only: how a set of solids is kept, and what a shape answers in its own frame.
#pragma once

#include "particles/solids_internal.h"
#include "base/handles.h"
#include "base/maths.h"

enum { MAX_PLANES = 64, LOCAL_CONTACTS = 8 };

static const float solid_far = 1e30f;         // beyond everything [m]
static const float solid_max_position = 1e6f; // [m]
static const float solid_max_speed = 1000.0f; // [m/s]
static const float solid_max_spin = 200.0f;   // [rad/s]
// Of the velocities that pushes lead to within a frame [m/s], [rad/s]: those that go beyond do not count.
static const float solid_max_predicted = 1e6f;

typedef struct SolidPose {
    TarnVec3 position;
    TarnQuat rotation;
} SolidPose;

// Of a convex: point + s * along, s from low to high. Not two ends, for they may be a million away.
typedef struct SolidEdge {
    TarnVec3 point, along; // along: unit
    float low, high;       // [m]
} SolidEdge;

// A node of a mesh's tree: a leaf holds n > 0 triangles from first on, others two nodes there.
typedef struct SolidNode {
    TarnVec3 low, high;
    int first, n;
} SolidNode;

typedef struct Solid {
    bool is_closed;   // a mesh that is filled
    bool is_body;     // it stands for a body
    TarnSolidDef def; // checked; its arrays lie in the shape memory, motion is the end of the way
    size_t data, data_size; // where in the shape memory
    uint64_t shape_hash;
    TarnVec3 low, high; // local bounds; solid_far where there are none
    float reach;        // radius of the bounds about the position

    SolidPose start;           // of this frame's way
    TarnVec3 axis;             // of the turn on this way, unit
    float angle;               // [rad], at most two turns
    TarnVec3 box_min, box_max; // world bounds over the way

    TarnVec3 velocity, spin; // as constraints see them
    SolidMass mass;
    double push[6]; // impulse, angular impulse
    int touching;
    double wet; // see tarn__solids_add_wet

    const SolidEdge* edges; // of a convex
    int n_edges;
    const SolidNode* nodes; // of a mesh
    int n_nodes;
    const int* beside;       // of a mesh: for each edge the triangle on its other side, -1: none
    const TarnVec3* normals; // of a mesh: at its points, weighted by angles
    float largest_area;      // of a mesh: twice that of its largest triangle [m^2]
} Solid;

struct TarnSolids {
    TarnContext* ctx;
    size_t memory;
    TarnSolidsDef def;
    TarnHandles ids;
    float dt; // of the last advance [s]
    Solid* solid;
    char* shapes;
    size_t shapes_used;
};

// In the frame of a solid.
typedef struct LocalContact {
    float d;    // distance, negative inside
    TarnVec3 n; // unit, out of the solid
} LocalContact;

// ---- solids_build.c -----------------------------------------------------------------------------

// Checks a def and fills in everything about the shape; its arrays go to the end of the shape
// memory, of which *data_size was used.
TarnResult tarn__solid_build(TarnSolids* set, const TarnSolidDef* def, Solid* out);
// Leaves what a kind does not use out of the copy, so that nothing points where it may not.
void tarn__solid_keep_own(TarnSolidDef* def);
void tarn__solid_bind(TarnSolids* set, Solid* solid); // after its data have moved
// Bounds and hash of a solid whose def and data are there.
void tarn__solid_finish(const TarnSolids* set, Solid* solid);
// What a snapshot says of a solid: a def without motion and pointers, and its data, which lie unaligned
// in the snapshot. False: no solid of this def can have such data. Nothing is placed; data_size is set.
bool tarn__solid_check_saved(Solid* solid, const uint8_t* data, size_t size);
TarnResult tarn__solid_check_motion(TarnContext* ctx, const TarnMotion* motion);
const TarnParamTable* tarn__solids_table(void);

// ---- solids_tree.c ------------------------------------------------------------------------------

size_t tarn__mesh_size(int n_points, int n_triangles);    // of the data of a mesh
size_t tarn__mesh_scratch(int n_points, int n_triangles); // needed while building, behind the data
void tarn__mesh_bind(char* data, Solid* solid);
TarnResult tarn__mesh_build(TarnContext* ctx, const TarnSolidDef* def, char* data, Solid* solid);
void tarn__mesh_finish(Solid* solid); // what follows from its data: bounds, is it closed, and so on
bool tarn__mesh_check_saved(const TarnSolidDef* def, const uint8_t* data);

// ---- solids_mesh.c ------------------------------------------------------------------------------

int tarn__mesh_contacts(const Solid* s, TarnVec3 q, const TarnVec3* m, float reach,
                        LocalContact* out, int max);
LocalContact tarn__mesh_nearest(const Solid* s, TarnVec3 q, const TarnVec3* m, float reach);
float tarn__mesh_cast(const Solid* s, TarnVec3 q0, TarnVec3 q1, const TarnVec3* m, float r);

// ---- solids_grid.c ------------------------------------------------------------------------------

LocalContact tarn__grid_nearest(const Solid* s, TarnVec3 q);
LocalContact tarn__function_nearest(const Solid* s, TarnVec3 q);
LocalContact tarn__terrain_nearest(const Solid* s, TarnVec3 q);
float tarn__terrain_cast(const Solid* s, TarnVec3 q0, TarnVec3 q1, float r);
// Highest ground under a rectangle, or solid_far if it is too large to look at.
float tarn__terrain_highest(const Solid* s, float x0, float x1, float z0, float z1);

// ---- solids_shapes.c ----------------------------------------------------------------------------

// m is NULL in 3-D; in 2-D it is the world's z axis in the frame of the solid, and distances are
// those within the section through q.

// The nearest point of the surface. Where it is farther than reach, only d > reach is right.
LocalContact tarn__solid_nearest(const Solid* s, TarnVec3 q, const TarnVec3* m, float reach);
// All walls nearer than reach, at most max; not sorted.
int tarn__solid_contacts(const Solid* s, TarnVec3 q, const TarnVec3* m, float reach,
                         LocalContact* out, int max);
// The share of the straight way from q0 to q1 that keeps a clearance: r for what starts farther
// off, r / 2 for what starts at r, and no less than at the start for what starts nearer. May be too
// small, never too large.
float tarn__solid_cast(const Solid* s, TarnVec3 q0, TarnVec3 q1, const TarnVec3* m, float r);

// Clearance to be kept by what starts at the distance d.
TARN_INLINE float solid__stop(float d, float r)
{
    return d > 1.02f * r ? r : tarn_minf(0.5f * r, d);
}
TARN_INLINE TarnVec3 solid__lerp(TarnVec3 a, TarnVec3 b, float s)
{
    return (TarnVec3){ a.x + s * (b.x - a.x), a.y + s * (b.y - a.y), a.z + s * (b.z - a.z) };
}
TARN_INLINE TarnVec3 solid__lower(TarnVec3 a, TarnVec3 b)
{
    return (TarnVec3){ tarn_minf(a.x, b.x), tarn_minf(a.y, b.y), tarn_minf(a.z, b.z) };
}
TARN_INLINE TarnVec3 solid__upper(TarnVec3 a, TarnVec3 b)
{
    return (TarnVec3){ tarn_maxf(a.x, b.x), tarn_maxf(a.y, b.y), tarn_maxf(a.z, b.z) };
}
// Of triangle t of a mesh.
TARN_INLINE TarnVec3 solid__face_normal(const Solid* s, int t)
{
    const int* c = s->def.shape.triangles + 3 * (size_t)t;
    TarnVec3 a = s->def.shape.points[c[0]];
    return vec3_normalize(
        vec3_cross(vec3_sub(s->def.shape.points[c[1]], a), vec3_sub(s->def.shape.points[c[2]], a)));
}

// A unit vector in the section, for points where all directions are as good.
TARN_INLINE TarnVec3 solid__any_normal(const TarnVec3* m)
{
    if (m == NULL || fabsf(m->y) < 0.7f) {
        TarnVec3 up = { 0.0f, 1.0f, 0.0f };
        return m ? vec3_normalize(vec3_sub(up, vec3_scale(*m, m->y))) : up;
    }
    TarnVec3 side = { 1.0f, 0.0f, 0.0f };
    return vec3_normalize(vec3_sub(side, vec3_scale(*m, m->x)));
}

// ---- solids_sweep.c -----------------------------------------------------------------------------

SolidPose tarn__solid_pose(const Solid* s, float t);
void tarn__solid_update_bounds(Solid* s); // after its way has changed
