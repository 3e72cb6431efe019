// tarn/surface.h: the Surface plug. Height, normal, velocity and depth of a water surface at any number of
// points, on the CPU and without delay, equal to the surface that is drawn; and, where the water supports it,
// calls that push it or pour water in.
//
// Every height-field solver offers a surface (tarn_wave_surface ...), and a host may write its own.
// Everything that uses surfaces (buoyancy, cameras, boats, sound) works with all of them. A surface has one
// height per point: it cannot overhang.
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Output arrays of n values each; any of them may be NULL.
typedef struct TarnSurfaceSamples {
    float* height;      // y of the surface [m]
    TarnVec3* normal;   // unit length, y > 0
    TarnVec3* velocity; // of the surface [m/s]
    float* depth;       // of the water below [m]; 0 on dry land
} TarnSurfaceSamples;

// Moves water without adding any: a volume goes from one disc to another. A diving body raises the water
// above it, at the expense of a wider disc around it; a moving body takes water from behind its stern to the
// front of its bow.
typedef struct TarnSurfacePush {
    TarnVec2 center;   // x and z of the disc that gains the volume [m], within +-1e6
    TarnVec2 from;     // x and z of the disc that loses it [m], within +-1e6
    float radius;      // of the gaining disc [m], above 0 up to 1e6
    float from_radius; // of the losing disc [m], above 0 up to 1e6
    float volume;      // [m^3], within +-1e12; negative: moves the other way
    TarnVec3 impulse;  // given to the water in the gaining disc [N s], within +-1e15
    float dt;          // length of the frame [s], 0 to 10
} TarnSurfacePush;

// Adds or removes water: rain, particles that fall back, a spout, a drain.
typedef struct TarnSurfacePour {
    TarnVec2 center;  // x and z of the disc [m], within +-1e6
    float radius;     // [m], above 0 up to 1e6
    float volume;     // [m^3], within +-1e12; negative: removes water
    TarnVec3 impulse; // of the added water [N s], within +-1e15; ignored when water is removed
} TarnSurfacePour;

// What the water accepted: less than asked where a disc extends beyond the water, where it would run dry, or
// at a limit of the solver.
typedef struct TarnSurfaceTaken {
    double volume; // moved or poured [m^3], with its sign
    // Impulse the water gained [N s]. Removed water takes its own impulse along, so this is then the negative
    // of that impulse.
    TarnVec3 impulse;
} TarnSurfaceTaken;

typedef void TarnSurfaceQueryFn(const void* self, int n, const float* x, const float* z,
                                const TarnSurfaceSamples* out);
typedef bool TarnSurfaceAreaFn(const void* self, TarnVec2* min, TarnVec2* max);
typedef TarnResult TarnSurfacePushFn(void* self, const TarnSurfacePush* push,
                                     TarnSurfaceTaken* taken);
typedef TarnResult TarnSurfacePourFn(void* self, const TarnSurfacePour* pour,
                                     TarnSurfaceTaken* taken);

// A handle, valid as long as the object it came from, and free to copy. Only query is required; push and pour
// change the object behind self.
typedef struct TarnSurface {
    const void* self;
    TarnSurfaceQueryFn* query;
    TarnSurfaceAreaFn* area; // NULL: the water is everywhere
    TarnSurfacePushFn* push; // NULL: the water cannot be pushed
    TarnSurfacePourFn* pour; // NULL: water can be neither added nor removed
    // What pour adds and removes is a whole number of these [m^3]; 0: any volume. A solver that keeps such water
    // can count it without rounding.
    double grain;
} TarnSurface;

// Samples n points (x[i], z[i]) [m]. Points outside the water get the value at the nearest edge, and NaN
// counts as the lowest coordinate, so the result is always finite. Any thread may call it, but not during a
// step. TARN_ERR_ARG: query, an input array or out is NULL, or n is negative.
TARN_API TarnResult tarn_surface_query(TarnSurface surface, int n, const float* x, const float* z,
                                       const TarnSurfaceSamples* out);
// Returns the height y of one point [m]; 0 if there is no surface.
TARN_API float tarn_surface_height(TarnSurface surface, float x, float z);

// Writes the rectangle of x and z that the water covers now; it changes when a window moves. Returns false if
// the water is everywhere; min and max are then left alone.
TARN_API bool tarn_surface_area(TarnSurface surface, TarnVec2* min, TarnVec2* max);
// Returns whether a point lies within that rectangle, or the water is everywhere.
TARN_API bool tarn_surface_covers(TarnSurface surface, float x, float z);

// Pushes the water, or pours water in. Call these between steps, from one thread at a time. *taken (may be
// NULL) is zero unless the result is TARN_OK. TARN_ERR_UNSUPPORTED: the surface does not offer this.
// TARN_ERR_ARG: a value is out of the range above; nothing has changed.
TARN_API TarnResult tarn_surface_push(TarnSurface surface, const TarnSurfacePush* push,
                                      TarnSurfaceTaken* taken);
TARN_API TarnResult tarn_surface_pour(TarnSurface surface, const TarnSurfacePour* pour,
                                      TarnSurfaceTaken* taken);

// ---- Combining surfaces --------------------------------------------------------------------------

// Both functions keep the pointer, so the struct must stay alive; it may change between steps. n is clamped
// to 0 to TARN_SURFACE_MAX, and surfaces whose query is NULL are skipped.
enum { TARN_SURFACE_MAX = 8 };

// An ocean with wakes and ripples on top. The first member is the water itself: its area and depth are those
// of the sum, and where it is dry, so is the sum. Each further member adds its height above its own level,
// its slopes and its velocity within its area, fading in from its rim over a width of `rim`. A push or pour
// goes to the first member that accepts it at that place.
typedef struct TarnSurfaceSum {
    TarnSurface members[TARN_SURFACE_MAX];
    float level[TARN_SURFACE_MAX]; // y of each member at rest [m]; the first is ignored
    int n;                         // members
    float rim;                     // width of the fade at the rims of members [m], >= 0
} TarnSurfaceSum;
TARN_API TarnSurface tarn_surface_sum(const TarnSurfaceSum* sum);

// Detailed patches within a wider water. Each patch covers the base and the patches before it, blending
// smoothly from nothing at the rim of its area to full cover `rim` further in. Height, velocity and depth are
// blended, and the normal is that of the blended heights. A push or pour goes to the topmost patch that
// accepts it there, otherwise to the base. The area is that of the base.
typedef struct TarnSurfacePatchwork {
    TarnSurface base;
    TarnSurface patches[TARN_SURFACE_MAX];
    int n;     // patches
    float rim; // width of the blend at the rims of patches [m], >= 0
} TarnSurfacePatchwork;
TARN_API TarnSurface tarn_surface_patchwork(const TarnSurfacePatchwork* patchwork);

#ifdef __cplusplus
}
#endif
