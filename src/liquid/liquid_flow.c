// The Flow plug of liquids: a weighted mean over the particles around a point.

#include "liquid/liquid_driver.h"

typedef struct FlowSum {
    float w, vx, vy, vz, density, temperature;
} FlowSum;

static void add_run(const TarnLiquid* l, TarnVec3 at, int begin, int end, FlowSum* sum)
{
    float inv = 1.0f / (l->support * l->support);
    for (int p = begin; p < end; ++p) {
        float dx = l->x[p] - at.x, dy = l->y[p] - at.y, dz = l->z[p] - at.z;
        float near = 1.0f - (dx * dx + dy * dy + dz * dz) * inv;
        if (!(near > 0.0f)) continue;
        float w = near * near * near;
        sum->w += w;
        sum->vx += w * l->vx[p];
        sum->vy += w * l->vy[p];
        sum->vz += w * l->vz[p];
        sum->density += w * l->density[p];
        sum->temperature += w * l->temperature[p];
    }
}

static FlowSum sum_at(const TarnLiquid* l, TarnVec3 at)
{
    FlowSum sum = { 0 };
    if (!tarn__all_within(&at, 3, 2.0f * liquid_max_place)) return sum;
    if (l->def.dimensions == 2) at.z = 0.0f; // a slice of a liquid that is the same for all z
    NeighborRun runs[NEIGHBOR_MAX_RUNS];
    int sorted = l->driver->n_sorted > 0 ? l->driver->n_sorted : 0;
    int n = sorted > 0 ? tarn__neighbors_runs(&l->neighbors, at.x, at.y, at.z, runs) : 0;
    for (int r = 0; r < n; ++r) add_run(l, at, runs[r].begin, runs[r].end, &sum);
    add_run(l, at, sorted, l->n, &sum); // what the host added since the last step
    return sum;
}

// The sum of the weights inside: their integral over the volume of a particle.
static float full_sum(const TarnLiquid* l)
{
    return l->def.dimensions == 2 ? 3.14159265f : 5.10614f; // pi h^2 / 4 s^2, 64 pi h^3 / 315 s^3
}

static void query(const void* self, int n, const float* x, const float* y, const float* z,
                  const TarnFlowSamples* out)
{
    const TarnLiquid* l = self;
    float half = 0.5f * full_sum(l);
    for (int i = 0; i < n; ++i) {
        FlowSum sum = sum_at(l, (TarnVec3){ x[i], y[i], z[i] });
        float inv = sum.w > 0.0f ? 1.0f / sum.w : 0.0f;
        float presence = tarn_minf(sum.w / half, 1.0f);
        if (out->velocity)
            out->velocity[i] = (TarnVec3){ sum.vx * inv, sum.vy * inv, sum.vz * inv };
        if (out->presence) out->presence[i] = presence;
        if (out->density) out->density[i] = sum.density * inv * presence;
        if (out->temperature) out->temperature[i] = sum.temperature * inv;
    }
}

TarnFlow tarn_liquid_flow(const TarnLiquid* l)
{
    return (TarnFlow){ l, query };
}
