// tarn/flow.h: the Flow plug. Velocity, density and temperature of a moving liquid or gas at any number of
// points, on the CPU and without delay.
//
// Liquids, gases and curl noise offer a flow (tarn_liquid_flow, tarn_gas_flow, tarn_curl_noise_flow), and a
// host may write its own. Everything that uses flows (particle systems, forces on bodies, sound) works with
// all of them.
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Output arrays of n values each; any of them may be NULL.
typedef struct TarnFlowSamples {
    TarnVec3* velocity; // [m/s]; 0 where there is no fluid
    float* presence;    // 1 inside the fluid, 0 outside, in between near its boundary
    float* density;     // [kg/m^3]; 0 outside, or if it is not known
    float* temperature; // above ambient [K]
} TarnFlowSamples;

typedef void TarnFlowQueryFn(const void* self, int n, const float* x, const float* y,
                             const float* z, const TarnFlowSamples* out);

// A handle, valid as long as the object it came from, and free to copy.
typedef struct TarnFlow {
    const void* self;
    TarnFlowQueryFn* query;
} TarnFlow;

// Samples n points (x[i], y[i], z[i]) [m]. A point that is not finite counts as outside. Any thread may call
// it, but not during a step. TARN_ERR_ARG: query, an input array or out is NULL, or n is negative.
TARN_API TarnResult tarn_flow_query(TarnFlow flow, int n, const float* x, const float* y,
                                    const float* z, const TarnFlowSamples* out);
// Returns a flow with the same velocity everywhere and density 0: wind. It keeps the pointer; the velocity
// may change between steps.
TARN_API TarnFlow tarn_flow_uniform(const TarnVec3* velocity);

// Several flows as one, for grids that overlap. Where their presences add up to more than 1, the result is
// divided by the sum, so that nothing counts twice. tarn_flow_blend keeps the pointer; the struct may change
// between steps.
enum { TARN_FLOW_BLEND_MAX = 65 }; // as many as the solvers of a world, and its wind
typedef struct TarnFlowBlend {
    TarnFlow flows[TARN_FLOW_BLEND_MAX];
    int n;
} TarnFlowBlend;
TARN_API TarnFlow tarn_flow_blend(const TarnFlowBlend* blend);

#ifdef __cplusplus
}
#endif
