// Checks of the sea around shallow water: waves keep their height across the seam, and the level stays.

#include "check.h"
#include "ocean/ocean_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void stop(CheckRun* run)
{
    fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
    exit(1);
}

// A swell over a level floor, through a window with four open edges.
static void check_swell(CheckRun* run, float period)
{
    TarnOceanDef sea = tarn_ocean_default_def();
    sea.size = 64, sea.cascades = 1, sea.beaufort = 0, sea.depth = 4.0f;
    sea.swell_height = 0.25f, sea.swell_period = period, sea.swell_direction = 0.2f;
    sea.use_foam = sea.use_velocity = false;
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = 128, def.nz = 96, def.dx = 2.0f, def.has_level = true, def.level = 4.0f;
    def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_SHALLOW_ABSORBING;
    TarnOcean* ocean;
    TarnShallow* water;
    TarnShallowParams params = tarn_shallow_default_params();
    params.drag = 0.0f;
    sea.level = 4.0f;
    if (tarn_ocean_create(run->ctx, &sea, &ocean) != TARN_OK ||
        tarn_shallow_create(run->ctx, &def, &water) != TARN_OK ||
        tarn_shallow_set_params(water, &params) != TARN_OK)
        stop(run);
    double inside = 0.0, outside = 0.0, sum = 0.0, error = 0.0;
    int steps = run->is_quick ? 120 * 15 : 200 * 15;
    for (int i = 0; i < steps; ++i) {
        tarn_ocean_step(ocean, 1.0f / 15.0f, NULL);
        tarn_couple_ocean_shallow(ocean, water);
        tarn_shallow_step(water, 1.0f / 15.0f, NULL);
        if (i < steps / 4) continue;  // waves have crossed the window
        for (int s = 0; s < 6; ++s) { // a few cells behind the seam
            int k = 16 + 12 * s, at = 6;
            TarnView2 h = tarn_shallow_depth(water);
            double y = (double)h.data[at + (ptrdiff_t)h.stride * k] - 4.0;
            float x = def.origin.x + ((float)at + 0.5f) * def.dx, z = ((float)k + 0.5f) * def.dx;
            double eta = 0.0, sent = 0.0;
            for (int w = 0; w < ocean->n_long; ++w) {
                const TarnOceanWave* v = &ocean->long_wave[w];
                double kx = (double)v->kx, kz = (double)v->kz;
                double wave = (double)v->amplitude *
                              cos(kx * (double)x + kz * (double)z -
                                  (double)v->frequency * tarn_ocean_time(ocean) + (double)v->phase);
                eta += wave, sent += wave * fmin(1.0, (1.4 - 4.0 * sqrt(kx * kx + kz * kz)) / 0.7);
            }
            inside += y * y, outside += eta * eta;
            sum += sent * sent, error += (y - sent) * (y - sent);
        }
    }
    TarnShallowLedger ledger = tarn_shallow_ledger(water);
    char name[56];
    snprintf(name, sizeof name, "coast.swell.height_%gs", (double)period);
    check_add(run, name, sqrt(inside / outside), 1.0, 0.05);
    snprintf(name, sizeof name, "coast.swell.shape_%gs", (double)period);
    check_add(run, name, sqrt(error / sum), 0.0, 0.2);
    snprintf(name, sizeof name, "coast.swell.ledger_%gs", (double)period);
    check_add(run, name, ledger.error, 0.0, 0.0);
    tarn_shallow_destroy(water), tarn_ocean_destroy(ocean);
}

// The mean level of a window in a swell, against the one at rest.
static void check_level(CheckRun* run)
{
    TarnOceanDef sea = tarn_ocean_default_def();
    sea.size = 64, sea.cascades = 1, sea.beaufort = 0, sea.depth = 4.0f, sea.level = 4.0f;
    sea.swell_height = 0.1f, sea.swell_period = 12.0f, sea.swell_direction = 0.0f;
    sea.use_foam = sea.use_velocity = false;
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = 128, def.nz = 64, def.dx = 2.0f, def.has_level = true, def.level = 4.0f;
    def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_SHALLOW_ABSORBING;
    TarnOcean* ocean;
    TarnShallow* water;
    if (tarn_ocean_create(run->ctx, &sea, &ocean) != TARN_OK ||
        tarn_shallow_create(run->ctx, &def, &water) != TARN_OK)
        stop(run);
    double first = 0.0, last = 0.0;
    enum { SPAN = 60 * 15 };
    for (int i = 0; i < 3 * SPAN; ++i) { // a minute to fill, then the means of two minutes
        tarn_ocean_step(ocean, 1.0f / 15.0f, NULL);
        tarn_couple_ocean_shallow(ocean, water);
        tarn_shallow_step(water, 1.0f / 15.0f, NULL);
        double level = tarn_shallow_ledger(water).volume / (128.0 * 2.0 * 64.0 * 2.0) - 4.0;
        if (i >= SPAN && i < 2 * SPAN) first += level / SPAN;
        if (i >= 2 * SPAN) last += level / SPAN;
    }
    check_add(run, "coast.level.mean", last, 0.0, 2e-3);
    check_add(run, "coast.level.drift", last - first, 0.0, 1e-3);
    tarn_shallow_destroy(water), tarn_ocean_destroy(ocean);
}

void check_coast(CheckRun* run, const char* group)
{
    if (strcmp(group, "coast.swell") == 0) check_swell(run, 10.0f), check_swell(run, 14.0f);
    if (strcmp(group, "coast.level") == 0) check_level(run);
}
