// tarn/budget.h: chooses how much detail to compute from the measured cost of steps, among discrete settings
// with hysteresis.
//
// It reads no clock: the host (or `tarn run --budget`) reports what each step took. A world applies the
// budget to every solver that can reduce its detail (tarn_world_set_budget); a host may also apply it to a
// gas directly. All fields may be read.
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnBudget {
    float target_ms;    // time for one step [ms]
    float shrink_at;    // above this multiple of the target it reduces detail. Default 1.1
    float grow_at;      // below this multiple of the target it restores detail. Default 0.75
    float dwell;        // shortest time between changes [s]. Default 1
    int max_level;      // coarsest grid. Default 1
    int max_skip;       // largest update_every. Default 3
    float min_emission; // smallest emission. Default 0.25
    // The current choice:
    int setting;      // 0: full detail; larger is cheaper
    int level;        // of grids; 0 is the finest
    int update_every; // steps per update of a grid
    float emission;   // share of their particles that emitters may keep alive, 0 to 1
    float mean_ms;    // cost of a step, smoothed over 0.3 s [ms]
    float since;      // time since the last change [s]
    int changes;      // number of changes so far
    float left_ms;    // mean_ms just before the last change; 0 once the change has been assessed
    bool has_grown;   // the last change restored detail
    float cost_ratio[16]; // measured cost of the setting before each one over its own; 0: not known
} TarnBudget;
TARN_API TarnBudget tarn_budget_default(float target_ms);
// Call it after each step, with its cost [ms] and the time it advanced [s]. Returns whether the setting
// changed.
TARN_API bool tarn_budget_update(TarnBudget* budget, float step_ms, float dt);

#ifdef __cplusplus
}
#endif
