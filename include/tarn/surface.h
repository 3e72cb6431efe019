// tarn/surface.h: the Surface plug. Height, normal, velocity and depth of a water surface at many
// points, on the CPU, now, equal to the surface that is drawn.
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

typedef void TarnSurfaceQueryFn(const void* self, int n, const float* x, const float* z,
                                const TarnSurfaceSamples* out);

// Valid as long as the object that gave it. Copy it freely.
typedef struct TarnSurface {
    const void* self;
    TarnSurfaceQueryFn* query;
} TarnSurface;

// Samples n points (x[i], z[i]) [m]. Points outside take the value of the nearest edge; a NaN is
// taken for the lowest coordinate, so that the answer is always finite. Any thread, not during step.
TARN_API TarnResult tarn_surface_query(TarnSurface surface, int n, const float* x, const float* z,
                                       const TarnSurfaceSamples* out);
// One height [m], for convenience.
TARN_API float tarn_surface_height(TarnSurface surface, float x, float z);

#ifdef __cplusplus
}
#endif
