// The Flow plug: checks arguments and calls the object behind it.

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

// ---- Several as one -----------------------------------------------------------------------------

enum { BLEND_BATCH = 128 };

typedef struct BlendSum {
    TarnVec3 velocity;
    float presence, density, temperature;
} BlendSum;

// Velocities and temperatures are those of the fluid, whatever its presence; densities fade with it.
static void add_flow(TarnFlow flow, int n, const float* x, const float* y, const float* z,
                     BlendSum* sums)
{
    TarnVec3 velocity[BLEND_BATCH];
    float presence[BLEND_BATCH], density[BLEND_BATCH], temperature[BLEND_BATCH];
    TarnFlowSamples samples = { velocity, presence, density, temperature };
    if (flow.query == NULL) return;
    flow.query(flow.self, n, x, y, z, &samples);
    for (int i = 0; i < n; ++i) {
        float p = presence[i];
        if (!(p > 0.0f)) continue;
        sums[i].presence += p;
        sums[i].velocity.x += p * velocity[i].x;
        sums[i].velocity.y += p * velocity[i].y;
        sums[i].velocity.z += p * velocity[i].z;
        sums[i].density += density[i];
        sums[i].temperature += p * temperature[i];
    }
}

static void write_blend(const BlendSum* sums, int n, int at, const TarnFlowSamples* out)
{
    for (int i = 0; i < n; ++i) {
        const BlendSum* s = &sums[i];
        float mean = s->presence > 0.0f ? 1.0f / s->presence : 0.0f;
        bool is_much = s->presence > 1.0f;
        if (out->velocity) {
            out->velocity[at + i] =
                (TarnVec3){ s->velocity.x * mean, s->velocity.y * mean, s->velocity.z * mean };
        }
        if (out->presence) out->presence[at + i] = is_much ? 1.0f : s->presence;
        if (out->density) out->density[at + i] = is_much ? s->density * mean : s->density;
        if (out->temperature) out->temperature[at + i] = s->temperature * mean;
    }
}

static void query_blend(const void* self, int n, const float* x, const float* y, const float* z,
                        const TarnFlowSamples* out)
{
    const TarnFlowBlend* blend = self;
    int flows = blend->n < TARN_FLOW_BLEND_MAX ? blend->n : TARN_FLOW_BLEND_MAX;
    for (int at = 0; at < n; at += BLEND_BATCH) {
        int count = n - at < BLEND_BATCH ? n - at : BLEND_BATCH;
        BlendSum sums[BLEND_BATCH];
        memset(sums, 0, (size_t)count * sizeof *sums);
        for (int f = 0; f < flows; ++f)
            add_flow(blend->flows[f], count, x + at, y + at, z + at, sums);
        write_blend(sums, count, at, out);
    }
}

TarnFlow tarn_flow_blend(const TarnFlowBlend* blend)
{
    return (TarnFlow){ blend, blend ? query_blend : NULL };
}
