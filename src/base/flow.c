// The Flow plug: checks its arguments, then asks whoever gave it.

#include "tarn/flow.h"
#include "base/base.h"

TarnResult tarn_flow_query(TarnFlow flow, int n, const float* x, const float* y, const float* z,
                           const TarnFlowSamples* out)
{
    bool has_points = x != NULL && y != NULL && z != NULL;
    if (flow.query == NULL || n < 0 || out == NULL || (n > 0 && !has_points)) return TARN_ERR_ARG;
    flow.query(flow.self, n, x, y, z, out);
    return TARN_OK;
}

static void query_uniform(const void* self, int n, const float* x, const float* y, const float* z,
                          const TarnFlowSamples* out)
{
    const TarnVec3 none = { 0.0f, 0.0f, 0.0f };
    const TarnVec3* wind = self;
    for (int i = 0; i < n; ++i) {
        bool is_inside = tarn__is_finite3((TarnVec3){ x[i], y[i], z[i] });
        if (out->velocity) out->velocity[i] = is_inside ? *wind : none;
        if (out->presence) out->presence[i] = is_inside ? 1.0f : 0.0f;
        if (out->density) out->density[i] = 0.0f;
        if (out->temperature) out->temperature[i] = 0.0f;
    }
}

TarnFlow tarn_flow_uniform(const TarnVec3* velocity)
{
    return (TarnFlow){ velocity, velocity ? query_uniform : NULL };
}
