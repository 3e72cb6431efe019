// Inside src only: names, checks and insides of shapes, for all who have one.
#pragma once

#include "tarn/shape.h"
#include "base/base.h"
#include "base/param.h"

// The names of all kinds, in their order; those of scenes may go on behind them.
#define SHAPE_NAMES                                                                                \
    "point", "line", "disc", "sphere", "box", "capsule", "cylinder", "hull", "convex", "mesh",     \
        "distance", "function", "terrain", "span", "surface"
extern const char* const tarn__shape_names[]; // NULL-terminated

// Kinds that an owner takes: one bit each.
enum {
    SHAPES_VOLUMES = 1 << TARN_SHAPE_SPHERE | 1 << TARN_SHAPE_BOX | 1 << TARN_SHAPE_CAPSULE |
                     1 << TARN_SHAPE_CYLINDER,
    SHAPES_OF_BODIES = 1 << TARN_SHAPE_SPHERE | 1 << TARN_SHAPE_BOX | 1 << TARN_SHAPE_CAPSULE |
                       1 << TARN_SHAPE_HULL | 1 << TARN_SHAPE_SPAN,
    SHAPES_OF_SOLIDS = SHAPES_VOLUMES | 1 << TARN_SHAPE_CONVEX | 1 << TARN_SHAPE_MESH |
                       1 << TARN_SHAPE_DISTANCE | 1 << TARN_SHAPE_FUNCTION |
                       1 << TARN_SHAPE_TERRAIN,
    SHAPES_OF_EMITTERS = SHAPES_VOLUMES | 1 << TARN_SHAPE_POINT | 1 << TARN_SHAPE_LINE |
                         1 << TARN_SHAPE_DISC | 1 << TARN_SHAPE_SURFACE,
    SHAPES_OF_FRAMES = 1 << TARN_SHAPE_SPHERE | 1 << TARN_SHAPE_BOX | 1 << TARN_SHAPE_CAPSULE |
                       1 << TARN_SHAPE_MESH,
};

// The field `shape` of a def in its parameter table, under the keys "shape" and "size".
#define P_SHAPE(T, allowed, first, help)                                                           \
    {                                                                                              \
        "shape", TARN_PARAM_ENUM, offsetof(T, shape.kind), "", 0, TARN_SHAPE_KINDS - 1, { first }, \
            tarn__shape_names, help, 0, allowed                                                    \
    }
#define P_SHAPE_SIZE(T, hi, x, y, z, help)                                                         \
    {                                                                                              \
        "size", TARN_PARAM_VEC3, offsetof(T, shape.size), "m", 0, hi, { x, y, z }, NULL, help, 0,  \
            0                                                                                      \
    }

// Is the kind one of those allowed? owner: the name of its table, "body".
TarnResult tarn__shape_check_kind(TarnContext* ctx, const char* owner, int kind, unsigned allowed);
// Are the numbers of size that a plain kind uses from low to high [m]? The half length of a capsule may be 0.
TarnResult tarn__shape_check_size(TarnContext* ctx, const char* owner, const TarnShape* shape,
                                  float low, float high);
TarnResult tarn__pose_check(TarnContext* ctx, const char* owner, const TarnPose* pose);

// ---- Volumes: sphere, box, capsule, cylinder --------------------------------------------------------

// Half extents of the box around it, radius of the sphere around it [m], and what it holds [m^3].
TarnVec3 tarn__shape_extent(const TarnShape* shape);
float tarn__shape_reach(const TarnShape* shape);
double tarn__shape_volume(const TarnShape* shape);
// How far a local point is inside, as a share of the size: 1 in the middle, 0 at the surface, negative outside.
float tarn__shape_depth(const TarnShape* shape, TarnVec3 local);

// A volume at a place, for asking about many points.
typedef struct PlacedShape {
    TarnShape shape;
    TarnPose pose;
    TarnVec3 low, high;  // of the upright box around it [m]
    bool is_upright_box; // that box is all there is to it
} PlacedShape;
PlacedShape tarn__shape_place(const TarnShape* shape, const TarnPose* pose);
bool tarn__shape_holds_near(const PlacedShape* placed, TarnVec3 p);

TARN_INLINE bool shape__holds(const PlacedShape* s, TarnVec3 p)
{
    bool is_near = p.x >= s->low.x && p.x <= s->high.x && p.y >= s->low.y && p.y <= s->high.y &&
                   p.z >= s->low.z && p.z <= s->high.z;
    return is_near && (s->is_upright_box || tarn__shape_holds_near(s, p));
}
