// tarn/shape.h: one vocabulary of shapes, for bodies, solids, sources, emitters, regions, fills and pictures.
//
// A shape is given in the local axes of its owner, around the owner's position; capsules and cylinders stand
// along local y. Make one with a call below, or start from the default def of its owner and set kind and size.
// A kind that an owner does not support is an error that names the field, the kind and the kinds to use
// instead. Each owner supports (tests/unit/test_shape.c checks this table):
//
//     | kind     | body | solid | gas source | emitter | region, fill | frame |
//     |----------|------|-------|------------|---------|--------------|-------|
//     | point    |      |       |            | x       |              |       |
//     | line     |      |       |            | x       |              |       |
//     | disc     |      |       |            | x       |              |       |
//     | sphere   | x    | x     | x          | x       | x            | x     |
//     | box      | x    | x     | x          | x       | x            | x     |
//     | capsule  | x    | x     | x          | x       | x            | x     |
//     | cylinder |      | x     | x          | x       | x            |       |
//     | hull     | x    |       |            |         |              |       |
//     | convex   |      | x     |            |         |              |       |
//     | mesh     |      | x     |            |         |              | x     |
//     | distance |      | x     |            |         |              |       |
//     | function |      | x     |            |         |              |       |
//     | terrain  |      | x     |            |         |              |       |
//     | span     | x    |       |            |         |              |       |
//     | surface  |      |       |            | x       |              |       |
//
// Scene files use the same words: "shape", "size", "position", "yaw", "pitch", "roll".
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum TarnShapeKind {
    TARN_SHAPE_POINT,
    TARN_SHAPE_LINE,     // size.x: half length along local x
    TARN_SHAPE_DISC,     // size.x: radius, in the local xz plane
    TARN_SHAPE_SPHERE,   // size.x: radius
    TARN_SHAPE_BOX,      // size: half extents
    TARN_SHAPE_CAPSULE,  // size.x: radius, size.y: half length of the axis along local y
    TARN_SHAPE_CYLINDER, // size.x: radius, size.y: half length along local y
    TARN_SHAPE_HULL, // convex hull of 4 to 64 points, which are moved so that its center of mass is
                     // their origin (tarn_bodies_shape returns them)
    TARN_SHAPE_CONVEX,   // the points p with normal.p <= offset for each of the planes
    TARN_SHAPE_MESH,     // triangles; closed meshes are filled, open ones are shells
    TARN_SHAPE_DISTANCE, // a grid of signed distances, negative inside
    TARN_SHAPE_FUNCTION, // a callback that returns signed distances
    TARN_SHAPE_TERRAIN, // the ground below a height field, which continues at the height of its border
    TARN_SHAPE_SPAN,    // a callback that returns the solid part of vertical lines
    TARN_SHAPE_SURFACE, // the surface of a solid, which may move
    TARN_SHAPE_KINDS,   // number of kinds
} TarnShapeKind;

typedef struct TarnPlane {
    TarnVec3 normal; // any length but 0, pointing out of the solid
    float offset;    // [m] times the length of the normal
} TarnPlane;

// Returns the distance from a local point to the surface, negative inside [m]. It may be smaller than the true
// distance but never larger (its slope is at most 1). It must be a pure function, callable from any thread.
typedef float TarnDistanceFn(TarnVec3 local, void* user);

// Writes the solid part of the vertical line through (x, z), lo < hi, in world coordinates. Returns false if the
// line misses the shape. It must be a pure function.
typedef bool TarnSpanFn(float x, float z, TarnVec3 position, TarnQuat rotation, float* lo,
                        float* hi, void* user);

// The owner copies all arrays but terrain heights.
typedef struct TarnShape {
    int kind;               // TarnShapeKind
    TarnVec3 size;          // of the kinds from line to cylinder [m]
    const TarnVec3* points; // of a hull or a mesh, local [m]
    int n_points;
    const int* triangles; // of a mesh: three points each, counter-clockwise seen from outside
    int n_triangles;
    float thickness;         // of an open mesh, to both sides [m]; 0: the surface itself
    const TarnPlane* planes; // of a convex [m], 1 to 64
    int n_planes;
    const float* distances; // of a distance grid [m]: nx * ny * nz values, x fastest
    int nx, ny, nz;
    float dx;          // of the distance grid and of the terrain [m]
    TarnVec3 origin;   // local point of the first value of a distance grid; of a terrain x and z
    TarnView2 heights; // of a terrain: y [m] at origin + (i + 0.5, k + 0.5) dx. Not copied
    TarnDistanceFn* distance; // of a function
    TarnSpanFn* span;         // of a span
    void* user;               // passed to distance or span
    float radius; // of a sphere around the position that contains a function or a span [m]
    float volume; // of a span [m^3]
    int solid;    // of a surface: the `user` number of the solid's def
} TarnShape;

// Position and rotation of a shape.
typedef struct TarnPose {
    TarnVec3 position; // [m]
    TarnQuat rotation; // unit length
} TarnPose;

TARN_API TarnShape tarn_shape_point(void);
TARN_API TarnShape tarn_shape_line(float half_length);
TARN_API TarnShape tarn_shape_disc(float radius);
TARN_API TarnShape tarn_shape_sphere(float radius);
TARN_API TarnShape tarn_shape_box(float half_x, float half_y, float half_z);
// Returns the upright box between two corners and writes its center to *position.
TARN_API TarnShape tarn_shape_box_between(TarnVec3 low, TarnVec3 high, TarnVec3* position);
TARN_API TarnShape tarn_shape_capsule(float radius, float half_length);
TARN_API TarnShape tarn_shape_cylinder(float radius, float half_length);
TARN_API TarnShape tarn_shape_hull(const TarnVec3* points, int n_points);
TARN_API TarnShape tarn_shape_convex(const TarnPlane* planes, int n_planes);
TARN_API TarnShape tarn_shape_mesh(const TarnVec3* points, int n_points, const int* triangles,
                                   int n_triangles);
TARN_API TarnShape tarn_shape_distance(const float* distances, int nx, int ny, int nz, float dx,
                                       TarnVec3 origin);
TARN_API TarnShape tarn_shape_function(TarnDistanceFn* distance, void* user, float radius);
TARN_API TarnShape tarn_shape_terrain(TarnView2 heights, float dx, TarnVec3 origin);
TARN_API TarnShape tarn_shape_span(TarnSpanFn* span, void* user, float radius, float volume);
TARN_API TarnShape tarn_shape_surface(int solid);

// Returns the name of a kind as in scene files, "sphere"; "none" if it is not a TarnShapeKind.
TARN_API const char* tarn_shape_name(int kind);

#ifdef __cplusplus
}
#endif
