// What the checks of the shallow-water solver share: making water, running it, reading a row of it.
#pragma once

#include "check.h"
#include "plot.h"
#include "shallow/shallow_internal.h"
#include "tarn/shallow.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double g = 9.81; // the default of the solver, and of the references

enum { CHANNEL_WIDTH = 4 }; // cells across a channel that is one-dimensional

// A channel along x with walls, frictionless water, and nothing asleep. scale: its greatest depth.
static inline TarnShallowDef channel_def(int nx, double x0, double length, double scale)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = nx;
    def.nz = CHANNEL_WIDTH;
    def.dx = (float)(length / nx);
    def.origin = (TarnVec2){ (float)x0, 0.0f };
    def.max_depth = (float)scale;
    def.dry_depth = (float)(1e-4 * scale);
    def.max_substeps = 64;
    def.sleep_speed = 0.0f;
    return def;
}

static inline TarnShallow* make_water(CheckRun* run, const TarnShallowDef* def)
{
    TarnShallow* water;
    if (tarn_shallow_create(run->ctx, def, &water) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    TarnShallowParams params = tarn_shallow_default_params();
    params.drag = params.damping = 0.0f;
    tarn_shallow_set_params(water, &params);
    return water;
}

static inline void must(CheckRun* run, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: check: %s: %s\n", tarn_result_name(result), tarn_last_error(run->ctx));
    exit(1);
}

// To a time [s], in steps of dt. Stops the run if time is dropped on the way.
static inline void run_to(CheckRun* run, TarnShallow* water, double time, double dt)
{
    for (double left; (left = time - tarn_shallow_time(water)) > 1e-6;) {
        TarnStepReport report;
        must(run, tarn_shallow_step(water, (float)fmin(left, dt), &report));
        if ((report.flags & TARN_STEP_TIME_CUT) == 0 && report.time_advanced > 0.0) continue;
        fprintf(stderr, "tarn: check: shallow water dropped time: substeps of %g s\n",
                report.stable_dt);
        exit(1);
    }
}

static inline double view_at(TarnView2 v, int i, int k)
{
    return (double)v.data[i + (ptrdiff_t)v.stride * k];
}
static inline double depth_at(const TarnShallow* water, int i, int k)
{
    return view_at(tarn_shallow_depth(water), i, k);
}
static inline double level_at(const TarnShallow* water, int i, int k)
{
    return depth_at(water, i, k) + view_at(tarn_shallow_bed(water), i, k);
}
// Speed along x in the middle of a cell [m/s].
static inline double speed_at(const TarnShallow* water, int i, int k)
{
    TarnView2 u = tarn_shallow_velocity_x(water);
    return 0.5 * (view_at(u, i, k) + view_at(u, i + 1, k));
}
static inline double center_x(const TarnShallowDef* def, int i)
{
    return (double)def->origin.x + (i + 0.5) * (double)def->dx;
}

// After a check wrote into u or w: the next step finds out anew how fast the water is.
static inline void speeds_written(TarnShallow* water)
{
    water->is_unknown = true;
}

// What has the largest error of some values, and that error: rows show the worst place.
typedef struct Worst {
    double value, reference, error;
} Worst;
static inline void worst_of(Worst* worst, double value, double reference)
{
    double error = fabs(value - reference) / fabs(reference);
    if (error <= worst->error) return; // false for NaN
    *worst = (Worst){ value, reference, error };
}
static inline void add_worst(CheckRun* run, const char* name, const Worst* worst, double tolerance)
{
    check_add(run, name, worst->value, worst->reference, tolerance);
}

static const char* const advection_names[4] = { "none", "semi_lagrangian", "maccormack",
                                                "momentum" };
