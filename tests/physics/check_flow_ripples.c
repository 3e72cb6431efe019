// Checks of ripples on flowing water: their height at all times, that they go with the flow, that stretch fades them.

#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct River {
    float speed, shear;
} River;

static void flow(const void* self, int n, const float* x, const float* z,
                 const TarnSurfaceSamples* out)
{
    const River* river = self;
    (void)x;
    for (int i = 0; i < n; ++i) {
        if (out->velocity)
            out->velocity[i] = (TarnVec3){ river->speed + river->shear * z[i], 0, 0 };
        if (out->depth) out->depth[i] = 1.0f;
    }
}

static TarnFlowRipples* make(CheckRun* run, const TarnFlowRipplesDef* def)
{
    TarnFlowRipples* ripples;
    TarnFlowRipplesParams params = tarn_flow_ripples_default_params();
    params.calm = 1.0f, params.height = 0.02f;
    if (tarn_flow_ripples_create(run->ctx, def, &ripples) != TARN_OK ||
        tarn_flow_ripples_set_params(ripples, &params) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    return ripples;
}

// Mean square of the heights in the middle of the grid [m^2].
static double mean_square(const TarnFlowRipples* ripples)
{
    double sum = 0.0;
    TarnSurface surface = tarn_flow_ripples_surface(ripples);
    for (int i = 0; i < 4000; ++i) {
        float x = 8.0f + 0.12f * (float)(i % 389), z = 8.0f + 0.12f * (float)(i * 7 % 401);
        double h = (double)tarn_surface_height(surface, x, z);
        sum += h * h / 4000.0;
    }
    return sum;
}

void check_flow_ripples(CheckRun* run, const char* group)
{
    TarnFlowRipplesDef def = tarn_flow_ripples_default_def();
    TarnFlowRipples* ripples = make(run, &def);
    River river = { 1.5f, 0.0f };
    TarnSurface water = { .self = &river, .query = flow };
    if (strcmp(group, "flow_ripples.variance") == 0) {
        double low = 1e9, high = 0.0, mean = 0.0;
        for (int s = 0; s < 240; ++s) {
            tarn_flow_ripples_step(ripples, &water, 1.0f / 30.0f, NULL);
            double rms = sqrt(mean_square(ripples));
            low = fmin(low, rms), high = fmax(high, rms), mean += rms / 240.0;
        }
        check_add(run, "flow_ripples.variance.mean", mean, 0.02, 0.05);
        check_add(run, "flow_ripples.variance.lowest", low, 0.02, 0.2);
        check_add(run, "flow_ripples.variance.highest", high, 0.02, 0.2);
    }
    if (strcmp(group, "flow_ripples.carried") == 0) { // coordinates go with an even flow, exactly
        for (int s = 0; s < 30; ++s) tarn_flow_ripples_step(ripples, &water, 1.0f / 60.0f, NULL);
        TarnFlowRipplesCopy copy;
        tarn_flow_ripples_copy(ripples, 0, &copy);
        double shift = (double)copy.shift_x.data[64 + 64 * copy.shift_x.stride];
        check_add(run, "flow_ripples.carried.way", shift, -0.75, 1e-3);
    }
    if (strcmp(group, "flow_ripples.stretch") ==
        0) { // simple shear by g: mu = (g^2 + g sqrt(g^2 + 4)) / 4
        river = (River){ 0.0f, 0.5f };
        for (int s = 0; s < 60; ++s) tarn_flow_ripples_step(ripples, &water, 1.0f / 60.0f, NULL);
        TarnFlowRipplesCopy copy;
        tarn_flow_ripples_copy(ripples, 0, &copy);
        double g = 0.5, mu = (g * g + g * sqrt(g * g + 4.0)) / 4.0;
        double fade = (double)copy.fade.data[64 + 64 * copy.fade.stride];
        check_add(run, "flow_ripples.stretch.fade", fade, exp(-1.2 * mu), 0.01);
    }
    tarn_flow_ripples_destroy(ripples);
}
