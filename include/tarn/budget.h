// tarn/budget.h: which detail to compute, from what it cost: among discrete settings, with hysteresis.
//
// It reads no clock: the host (or `tarn run --budget`) says what a step took. A world applies it to every solver that
// can compute less (tarn_world_set_budget); a host may apply it to a gas by itself. All fields may be read; none is
// hidden.
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnBudget {
    float target_ms;    // for one step
    float shrink_at;    // times the target: cheaper from here on. Default 1.1
    float grow_at;      // times the target: dearer below. Default 0.75
    float dwell;        // shortest time between changes [s]. Default 1
    int max_level;      // coarsest grid. Default 1
    int max_skip;       // largest update_every. Default 3
    float min_emission; // smallest share of particles. Default 0.25
    // What it came to:
    int setting;      // 0: everything; larger is cheaper
    int level;        // of grids: 0 the finest
    int update_every; // steps per update of a grid
    float emission;   // share of the particles that emitters may keep alive
    float mean_ms;    // smoothed over 0.3 s
    float since;      // the last change [s]
    int changes;      // so far
    float left_ms;    // mean when it left the last setting; 0: the change has been judged
    bool has_grown;   // the last change was to a dearer setting
    float dearer
        [16]; // how many times a setting costs less than the one before it, as seen; 0: not known
} TarnBudget;
TARN_API TarnBudget tarn_budget_default(float target_ms);
// After each step: what it took [ms] and how much time it advanced [s]. True: the setting changed.
TARN_API bool tarn_budget_update(TarnBudget* budget, float step_ms, float dt);

#ifdef __cplusplus
}
#endif
