// Stepping a world.

#include "steps.h"
#include "interrupt.h"
#include "message.h"
#include "progress.h"
#include <math.h>

int64_t steps_in(double seconds, double dt)
{
    int64_t n = llround(seconds / dt);
    if (n >= 1) return n;
    return seconds > 1e-3 * dt ? 1 : 0; // less is a rounding error of what is left
}

int64_t frames_in(int64_t n_steps, double dt, double fps, double lapse)
{
    int64_t n = llround((double)n_steps * dt * fps / lapse);
    return n > 0 ? n : 1;
}

int64_t step_of_frame(int64_t frame, int64_t n_steps, double dt, double fps, double lapse)
{
    int64_t step = llround((double)frame * lapse / (fps * dt));
    return step < n_steps ? step : n_steps;
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

bool steps_run(Steps* steps, TarnContext* ctx, TarnWorld* world, float dt, int64_t n, bool is_quiet)
{
    Progress progress = progress_begin(n, dt, is_quiet);
    bool is_good = true;
    while (is_good && steps->done < n && !is_interrupted()) {
        TarnStepReport report;
        is_good = steps_advance(steps, ctx, world, dt, &report);
        progress_update(&progress, steps->done);
    }
    progress_end(&progress);
    return is_good && !is_interrupted();
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
