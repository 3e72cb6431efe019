// Random numbers, and random values of parameters within their tables. A seed makes them all: the same one gives the
// same values, so that a failure can be repeated.
#pragma once

#include "base/base.h"
#include "base/param.h"
#include <math.h>
#include <string.h>

// ---- Random numbers ------------------------------------------------------------------------------

static uint64_t draw_seed, draw_at;
static inline int draw(int n) // 0 .. n - 1
{
    return (int)(tarn__random(draw_seed, 1, draw_at++) % (uint32_t)n);
}
static inline double draw_between(double lo, double hi)
{
    return lo + (hi - lo) * (double)tarn__random01(draw_seed, 1, draw_at++);
}

// ---- Parameters ----------------------------------------------------------------------------------

// Sizes are chosen by whoever draws, and what makes a step take long is left to the sweep. Cosmetic solvers are in no
// snapshot by choice: what they push has another future after a load.
static inline bool is_costly_param(const char* name)
{
    static const char* const names[] = {
        "cosmetic",         "nx",           "ny",         "nz",         "dx",         "spacing",
        "max_particles",    "max_substeps", "max_cycles", "iterations", "max_solids", "max_bodies",
        "max_drops",        "max_points",   "max_rows",   "max_nodes",  "max_lines",  "max_foam",
        "max_splashes",     "solid_memory", "rate",       "burst",      "max_step",   "loops",
        "levels",           "tolerance",    "count",      "box_min",    "box_max",    "octaves",
        "smoothing_radius", "cascades",     "warm_steps", "waves"
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return strstr(name, "iterations") != NULL;
}

static inline double draw_value(const TarnParam* p, int component)
{
    double def = p->value[component], lo = p->min, hi = p->max;
    int way = draw(8);
    if (way == 0) return lo;
    if (way == 1) return hi;
    if (p->type == TARN_PARAM_INT || p->type == TARN_PARAM_BOOL || p->type == TARN_PARAM_ENUM) {
        double most = hi - lo < 8.0 ? hi : lo + 8.0;
        return floor(draw_between(lo, most + 0.999));
    }
    double size = fabs(def) > 0.0 ? fabs(def) : fabs(hi) < 1.0 ? fabs(hi) : 1.0;
    double value = way < 6 ? def + size * draw_between(-1.0, 1.0)
                           : size * exp(draw_between(-6.0, 6.0)) * (draw(2) ? 1.0 : -1.0);
    return value < lo ? lo : value > hi ? hi : value;
}
