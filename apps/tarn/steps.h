// Stepping a world to a time, with the cost and the warnings of its steps.
#pragma once

#include "tarn/world.h"

enum { N_STEP_FLAGS = 5 };

// Equal steps up to a time; the last one is shorter where the time is no multiple of dt.
typedef struct StepPlan {
    int64_t n;
    float dt, last; // [s], last <= dt
} StepPlan;

typedef struct Steps {
    int64_t done;
    double clock;                    // spent inside tarn_world_step [s]
    double phase_ms[TARN_PHASES];    // of it, where the context measures them
    int64_t n_flagged[N_STEP_FLAGS]; // steps with TARN_STEP_*, in that order
    int64_t n_split;                 // steps that took several calls to reach their time
    const char* split_limit;         // the parameter that made the first of them short
    double lag;                      // of bodies or gases that fell behind the world [s]
    const char* lag_limit;           // the parameter that made them
    TarnStepLimit limited;           // the first value that was limited
    double limited_time;             // when [s]
} Steps;

// Steps to a time [s]. Within a hundredth of dt the time counts as a multiple of dt.
StepPlan steps_plan(double seconds, double dt);
double plan_seconds(const StepPlan* plan);
// Frames of a film over a plan, at least one, and the step that the n-th of them shows. lapse: simulated seconds
// in a second of the film.
int64_t frames_in(const StepPlan* plan, double fps, double lapse);
int64_t step_of_frame(int64_t frame, const StepPlan* plan, double fps, double lapse);
// Does the next step of a plan completely: if the world drops time, it is called again for the rest. Returns false
// after a failed step (reported) or a signal.
bool steps_advance(Steps* steps, TarnContext* ctx, TarnWorld* world, const StepPlan* plan,
                   TarnStepReport* report);
// Does all steps, with a progress bar. Returns false after a failed step (reported) or a signal.
bool steps_run(Steps* steps, TarnContext* ctx, TarnWorld* world, const StepPlan* plan,
               bool is_quiet);
// Prints which flags were raised, and what to do about them.
void steps_say_flags(const Steps* steps);
