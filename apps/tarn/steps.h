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
// False: the world refused, which has been said.
bool steps_advance(Steps* steps, TarnContext* ctx, TarnWorld* world, float dt,
                   TarnStepReport* report);
// Says which flags were raised, and what to do about it.
void steps_say_flags(const Steps* steps);
