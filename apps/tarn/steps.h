// Stepping a world, with an account of time and of what did not go as asked.
#pragma once

#include "tarn/world.h"

enum { N_STEP_FLAGS = 4 };

typedef struct Steps {
    int64_t done;
    double clock;                    // spent inside tarn_world_step [s]
    int64_t n_flagged[N_STEP_FLAGS]; // steps with TARN_STEP_*, in that order
} Steps;

// Whole steps that come closest to a time [s]; one at least unless the time is as good as 0.
int64_t steps_in(double seconds, double dt);
// Frames of a film over so many steps, at least one, and the step that the n-th of them shows. lapse: simulated
// seconds in a second of the film.
int64_t frames_in(int64_t n_steps, double dt, double fps, double lapse);
int64_t step_of_frame(int64_t frame, int64_t n_steps, double dt, double fps, double lapse);
// False: the world refused, which has been said.
bool steps_advance(Steps* steps, TarnContext* ctx, TarnWorld* world, float dt,
                   TarnStepReport* report);
// Many of them, with a progress bar. False: the world refused, which has been said, or a signal came.
bool steps_run(Steps* steps, TarnContext* ctx, TarnWorld* world, float dt, int64_t n,
               bool is_quiet);
// Says which flags were raised, and what to do about it.
void steps_say_flags(const Steps* steps);
