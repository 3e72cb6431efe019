// tarn/surface.h: the Surface plug. Height, normal, velocity and depth of a water surface at many
// points, on the CPU, now, equal to the surface that is drawn; and, where the water can answer, a way
// to push it and to pour into it.
//
// Every water solver gives one (tarn_wave_surface ...), and a host may write its own. What consumes
// a surface (buoyancy, cameras, boats, sound) works with all of them.
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where to write. Each array has n values; any of them may be NULL.
typedef struct TarnSurfaceSamples {
    float* height;      // y of the surface [m]
    TarnVec3* normal;   // unit length, y > 0
    TarnVec3* velocity; // of the surface [m/s]
    float* depth;       // of the water below [m], 0 on dry land
} TarnSurfaceSamples;

// Something moves the water without adding any: a volume goes from one disc to another. A body that
// dives lifts the water at its place, at the cost of a wider disc around it; a body that travels takes
// water from behind its stern to the front of its bow.
typedef struct TarnSurfacePush {
    TarnVec2 center;   // x and z of the disc that the volume goes to [m], within +-1e6
    TarnVec2 from;     // and of the disc that it comes from [m]
    float radius;      // of the first disc [m], above 0 to 1e6
    float from_radius; // and of the second [m]
    float volume;      // [m^3], within +-1e12; negative: the other way
    TarnVec3 impulse;  // given to the water in the first disc [N s], within +-1e15
    float dt;          // of the frame [s], 0 to 10
} TarnSurfacePush;

// Water comes in, or goes out: rain from a cloud, particles that fall back, a spout, a drain.
typedef struct TarnSurfacePour {
    TarnVec2 center;  // x and z of the disc [m], within +-1e6
    float radius;     // [m], above 0 to 1e6
    float volume;     // [m^3], within +-1e12; negative: is taken out
    TarnVec3 impulse; // that it brings along [N s], within +-1e15; not looked at when taken out
} TarnSurfacePour;

// What really passed from the giver to the water: less than asked where a disc leaves the water, where
// it would run dry, or where a limit of the solver is met.
typedef struct TarnSurfaceTaken {
    double volume;    // moved or poured [m^3], with its sign
    TarnVec3 impulse; // [N s]. Water that is taken out carries its own along, so that this is the
                      // opposite of it: divide both by the volume for the velocity of what came out
} TarnSurfaceTaken;

typedef void TarnSurfaceQueryFn(const void* self, int n, const float* x, const float* z,
                                const TarnSurfaceSamples* out);
typedef bool TarnSurfaceAreaFn(const void* self, TarnVec2* min, TarnVec2* max);
typedef TarnResult TarnSurfacePushFn(void* self, const TarnSurfacePush* push,
                                     TarnSurfaceTaken* taken);
typedef TarnResult TarnSurfacePourFn(void* self, const TarnSurfacePour* pour,
                                     TarnSurfaceTaken* taken);

// Valid as long as the object that gave it. Copy it freely. Only self and query must be there; push and
// pour change the object behind self.
typedef struct TarnSurface {
    const void* self;
    TarnSurfaceQueryFn* query;
    TarnSurfaceAreaFn* area; // NULL: the water is everywhere
    TarnSurfacePushFn* push; // NULL: nothing moves this water
    TarnSurfacePourFn* pour; // NULL: nothing can be poured in or taken out
} TarnSurface;

// Samples n points (x[i], z[i]) [m]. Points outside take the value of the nearest edge; a NaN is
// taken for the lowest coordinate, so that the answer is always finite. Any thread, not during step.
TARN_API TarnResult tarn_surface_query(TarnSurface surface, int n, const float* x, const float* z,
                                       const TarnSurfaceSamples* out);
// One height [m], for convenience.
TARN_API float tarn_surface_height(TarnSurface surface, float x, float z);

// The rectangle of x and z in which the water is now; windows move. False: it is everywhere, and min
// and max are left alone.
TARN_API bool tarn_surface_area(TarnSurface surface, TarnVec2* min, TarnVec2* max);
// True where the water may be: inside the rectangle, or everywhere.
TARN_API bool tarn_surface_covers(TarnSurface surface, float x, float z);

// Between steps, by one thread at a time. taken may be NULL; it is zero unless the result is TARN_OK.
// TARN_ERR_UNSUPPORTED: the surface does not offer this. TARN_ERR_ARG: a value out of the range above;
// nothing has changed.
TARN_API TarnResult tarn_surface_push(TarnSurface surface, const TarnSurfacePush* push,
                                      TarnSurfaceTaken* taken);
TARN_API TarnResult tarn_surface_pour(TarnSurface surface, const TarnSurfacePour* pour,
                                      TarnSurfaceTaken* taken);

// ---- Several as one ------------------------------------------------------------------------------

// Both keep the pointer; the struct may change between steps, n is taken as 0 to the maximum. Members whose
// query is NULL count as absent.
enum { TARN_SURFACE_MAX = 8 };

// An ocean with wakes and ripples on it. The first member is the water: its area and depth count, and where
// it is dry the sum is. Of each further one what it is over its own level is added to height and depth, and
// its slopes and velocity; inside of its area, from nothing at the rim to all of it `rim` further in. A
// push or pour goes to the first member that takes it there.
typedef struct TarnSurfaceSum {
    TarnSurface members[TARN_SURFACE_MAX];
    float
        level[TARN_SURFACE_MAX]; // y of each member at rest [m]; that of the first is not looked at
    int n;
    float rim; // [m], >= 0
} TarnSurfaceSum;
TARN_API TarnSurface tarn_surface_sum(const TarnSurfaceSum* sum);

// Windows over a wider water: fine patches where they matter. Each lies over the base and the patches before
// it, and hides them: at the rim of its area not at all, `rim` further in entirely, smoothly between.
// Height, normal, velocity and depth are blended, and the normal is that of the blended heights. A
// push or pour goes to the uppermost patch that takes it there, else to the base. The area is the base's.
typedef struct TarnSurfacePatchwork {
    TarnSurface base;
    TarnSurface patches[TARN_SURFACE_MAX];
    int n;
    float rim; // [m], >= 0
} TarnSurfacePatchwork;
TARN_API TarnSurface tarn_surface_patchwork(const TarnSurfacePatchwork* patchwork);

#ifdef __cplusplus
}
#endif
