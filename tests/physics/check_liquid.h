// What the checks of particle liquids share: making one, filling it, running it, reading it.
#pragma once

#include "check.h"
#include "tarn/liquid_regions.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double g = 9.81;
static const float frame = 1.0f / 60.0f;

static inline void must(CheckRun* run, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: check: %s: %s\n", tarn_result_name(result), tarn_last_error(run->ctx));
    exit(1);
}

static inline const char* method_name(int method)
{
    const TarnParam* param = tarn_param_find(tarn_liquid_def_table(), "method");
    return param->names[method];
}

// What is asked of these and not reached yet; docs/solvers/liquid.md says how far off they are.
static const char* const open_rows[] = {
    "liquid.laplace.2d.dfsph", "liquid.layers.apart.wcsph",       "liquid.calm.worst.constraint",
    "liquid.calm.worst.dfsph", "liquid.calm.worst.pcisph",        "liquid.calm.worst.wcsph",
    "liquid.calm.worst.sph",   "liquid.calm.worst.lennard_jones", "liquid.calm.mean.constraint",
    "liquid.calm.mean.dfsph",  "liquid.calm.mean.pcisph",         "liquid.calm.mean.wcsph",
    "liquid.calm.mean.sph",
};

// A row "liquid.group.method", or "liquid.group.what.method".
static inline void add_row(CheckRun* run, const char* group, const char* what, int method,
                           double value, double reference, double tolerance)
{
    char name[56];
    snprintf(name, sizeof name, "%s%s%s.%s", group, *what ? "." : "", what, method_name(method));
    check_add(run, name, value, reference, tolerance);
    for (size_t i = 0; i < sizeof open_rows / sizeof *open_rows; ++i)
        if (strcmp(name, open_rows[i]) == 0) check_not_reached(run);
}

// A def for a box from (0, 0, 0), and params that let time pass whole.
static inline TarnLiquidDef box_def(int dimensions, int method, double spacing, double width,
                                    double height, double depth, int max_particles)
{
    TarnLiquidDef def = tarn_liquid_default_def();
    def.dimensions = dimensions;
    def.method = method;
    def.spacing = (float)spacing;
    def.max_particles = max_particles;
    def.box_min = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    def.box_max = (TarnVec3){ (float)width, (float)height, (float)depth };
    def.walls = TARN_LIQUID_BOX;
    def.max_splashes = 0;
    return def;
}

static inline TarnLiquid* make_liquid(CheckRun* run, const TarnLiquidDef* def)
{
    TarnLiquid* liquid;
    must(run, tarn_liquid_create(run->ctx, def, &liquid));
    TarnLiquidParams params = tarn_liquid_default_params();
    params.max_substeps = 1000;
    must(run, tarn_liquid_set_params(liquid, &params));
    return liquid;
}

static inline int fill_box(CheckRun* run, TarnLiquid* liquid, TarnVec3 min, TarnVec3 max)
{
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape = tarn_shape_box_between(min, max, &fill.pose.position);
    int added = 0;
    must(run, tarn_liquid_fill(liquid, &fill, &added));
    return added;
}

// So many seconds in steps of dt. Stops the run if time is dropped on the way.
static inline void run_liquid(CheckRun* run, TarnLiquid* liquid, double seconds, float dt)
{
    int steps = (int)(seconds / (double)dt + 0.5);
    for (int s = 0; s < steps; ++s) {
        TarnStepReport report;
        must(run, tarn_liquid_step(liquid, dt, &report));
        if ((report.flags & TARN_STEP_TIME_CUT) == 0) continue;
        fprintf(stderr, "tarn: check: %s dropped time: substeps of %g s\n",
                method_name(tarn_liquid_def(liquid)->method), report.stable_dt);
        exit(1);
    }
}

static inline double mean_of(const float* values, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += (double)values[i];
    return n > 0 ? sum / n : 0.0;
}

static inline double mean_speed(const TarnLiquid* liquid)
{
    TarnLiquidView v = tarn_liquid_view(liquid);
    double sum = 0.0;
    for (int i = 0; i < v.n; ++i) {
        double x = (double)v.vx[i], y = (double)v.vy[i], z = (double)v.vz[i];
        sum += sqrt(x * x + y * y + z * z);
    }
    return v.n > 0 ? sum / v.n : 0.0;
}
