// tarn/flow.h: the Flow plug. Velocity (and density, temperature) of a moving volume at many points,
// on the CPU, now.
//
// Liquids give one (tarn_liquid_flow), gases will, and a host may write its own. What consumes a flow
// (particle systems, leaves, sound) works with all of them.
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Where to write. Each array has n values; any of them may be NULL.
typedef struct TarnFlowSamples {
    TarnVec3* velocity; // [m/s], 0 where there is no fluid
    float* presence;    // 1 inside the fluid, 0 outside, between at its rim
    float* density;     // [kg/m^3], 0 outside
    float* temperature; // [K over the ambient]
} TarnFlowSamples;

typedef void TarnFlowQueryFn(const void* self, int n, const float* x, const float* y,
                             const float* z, const TarnFlowSamples* out);

// Valid as long as the object that gave it. Copy it freely.
typedef struct TarnFlow {
    const void* self;
    TarnFlowQueryFn* query;
} TarnFlow;

// Samples n points (x[i], y[i], z[i]) [m]. A point that is not finite is outside. Any thread, not
// during step.
TARN_API TarnResult tarn_flow_query(TarnFlow flow, int n, const float* x, const float* y,
                                    const float* z, const TarnFlowSamples* out);
// The same velocity everywhere, of density 0: wind. Keeps the pointer, which may change between steps.
TARN_API TarnFlow tarn_flow_uniform(const TarnVec3* velocity);

// Several flows as one, for grids that overlap: where their presences sum to more than 1 they are divided by
// the sum, so that nothing counts twice. Keeps the pointer; the struct may change between steps.
enum { TARN_FLOW_BLEND_MAX = 64 }; // as many as a world may have solvers
typedef struct TarnFlowBlend {
    TarnFlow flows[TARN_FLOW_BLEND_MAX];
    int n;
} TarnFlowBlend;
TARN_API TarnFlow tarn_flow_blend(const TarnFlowBlend* blend);

#ifdef __cplusplus
}
#endif
