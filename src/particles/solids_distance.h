// Inside src only: one solid as a field of signed distances, for grids that rasterize it.
#pragma once

#include "particles/solids_internal.h"

// A solid where it is at one moment. Valid until the set changes.
typedef struct SolidProbe {
    const struct Solid* solid;
    TarnMotion motion;         // at that moment
    float to_local[9];         // rotation of the world into the frame of the solid, row by row
    TarnVec3 box_min, box_max; // bounds over the way of the frame [m]
    uint64_t key;              // of shape and pose: equal keys, equal distances
} SolidProbe;

typedef enum SolidSide {
    SOLID_OUTSIDE, // all of the ball is
    SOLID_INSIDE,
    SOLID_UNKNOWN, // perhaps at the surface
} SolidSide;

// At the fraction t (0 start .. 1 end) of this frame's way.
void tarn__solid_probe(const TarnSolids* solids, int slot, float t, SolidProbe* out);
// Signed distance [m], negative inside; beyond reach only that it is beyond is right.
float tarn__solid_distance(const SolidProbe* probe, TarnVec3 p, float reach);
// The same, and the unit vector away from the nearest point of the surface, out of the solid.
float tarn__solid_distance_normal(const SolidProbe* probe, TarnVec3 p, float reach,
                                  TarnVec3* normal);
SolidSide tarn__solid_side(const SolidProbe* probe, TarnVec3 center, float radius);
// Is some of the solid on the straight way between two points outside? It counts from `clearance` on [m].
bool tarn__solid_is_between(const SolidProbe* probe, TarnVec3 a, TarnVec3 b, float clearance);
// Half of how thick it is where it is thinnest [m]; 0: not known.
float tarn__solid_half_thickness(const SolidProbe* probe);
// A terrain that is not turned: its distances are linear along y.
bool tarn__solid_is_upright_ground(const SolidProbe* probe);
