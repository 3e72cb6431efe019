// Stepping a world.

#include "steps.h"
#include "message.h"
#include "progress.h"
#include <math.h>

int64_t steps_in(double seconds, double dt)
{
    int64_t n = llround(seconds / dt);
    if (n >= 1) return n;
    return seconds > 1e-3 * dt ? 1 : 0; // less is a rounding error of what is left
}

bool steps_advance(Steps* steps, TarnContext* ctx, TarnWorld* world, float dt,
                   TarnStepReport* report)
{
    *report = (TarnStepReport){ 0 };
    double start = clock_seconds();
    TarnResult result = tarn_world_step(world, dt, report);
    steps->clock += clock_seconds() - start;
    if (result != TARN_OK) {
        say("the step at %g s failed: %s", tarn_world_time(world), tarn_last_error(ctx));
        return false;
    }
    ++steps->done;
    for (int f = 0; f < N_STEP_FLAGS; ++f) steps->n_flagged[f] += (report->flags >> f) & 1u;
    return true;
}

void steps_say_flags(const Steps* steps)
{
    static const char* const sentences[N_STEP_FLAGS] = {
        "were cut short: the water is too fast for its cells; raise max_substeps or dx",
        "stopped before a solve converged",
        "could not add something because a pool was full",
        "had values limited to keep the state finite; a smaller dt helps",
    };
    for (int f = 0; f < N_STEP_FLAGS; ++f) {
        if (steps->n_flagged[f] == 0) continue;
        say("%lld of %lld steps %s", (long long)steps->n_flagged[f], (long long)steps->done,
            sentences[f]);
    }
}
