// Ripples on flowing water: steps on a host's river, queries.

#include "bench/bench.h"
#include <math.h>
#include <stdlib.h>

typedef struct RipplesBench {
    TarnContext* ctx;
    TarnFlowRipples* ripples;
    TarnSurface river;
} RipplesBench;

static void flow(const void* self, int n, const float* x, const float* z,
                 const TarnSurfaceSamples* out)
{
    (void)self;
    for (int i = 0; i < n; ++i) {
        if (out->height) out->height[i] = 0.0f;
        if (out->depth) out->depth[i] = 1.0f;
        if (out->normal) out->normal[i] = (TarnVec3){ 0, 1, 0 };
        if (out->velocity) out->velocity[i] = (TarnVec3){ 1.0f + 0.01f * z[i], 0, 0.01f * x[i] };
    }
}

static void one_step(void* data)
{
    RipplesBench* b = data;
    tarn_flow_ripples_step(b->ripples, &b->river, 1.0f / 60.0f, NULL);
}

void bench_flow_ripples(BenchRun* run)
{
    TarnFlowRipplesDef def = tarn_flow_ripples_default_def();
    def.nx = def.nz = 256;
    double cells = 256.0 * 256.0;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        bool has_step = bench_wants(run, "flow_ripples.step.256");
        bool has_query = workers == 1 && bench_wants(run, "flow_ripples.query.100000");
        if (!has_step && !has_query) continue;
        RipplesBench b = { .ctx = bench_context(workers), .river = { .query = flow } };
        if (tarn_flow_ripples_create(b.ctx, &def, &b.ripples) != TARN_OK) exit(1);
        double seconds = has_step ? bench_best(run->is_quick ? 20 : 100, one_step, &b) : 0.0;
        if (has_step)
            bench_rate(run, "flow_ripples.step.256", workers, seconds, cells, "cell",
                       (double)tarn_flow_ripples_memory(&def) / cells, 0.0);
        if (has_query)
            bench_queries(run, "flow_ripples.query.100000", tarn_flow_ripples_surface(b.ripples),
                          128.0f);
        tarn_flow_ripples_destroy(b.ripples);
        tarn_context_destroy(b.ctx);
    }
}
