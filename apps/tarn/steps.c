// Stepping a world to a time.

#include "steps.h"
#include "interrupt.h"
#include "message.h"
#include "progress.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

StepPlan steps_plan(double seconds, double dt)
{
    StepPlan plan = { .dt = (float)dt, .last = (float)dt };
    if (!(seconds > 1e-3 * dt)) return plan; // a smaller rest is a rounding error
    plan.n = (int64_t)ceil(seconds / dt - 0.01);
    if (plan.n < 1) plan.n = 1;
    double last = seconds - (double)(plan.n - 1) * dt;
    if (last < 0.99 * dt) plan.last = (float)last;
    return plan;
}

double plan_seconds(const StepPlan* plan)
{
    if (plan->n == 0) return 0.0;
    return (double)(plan->n - 1) * (double)plan->dt + (double)plan->last;
}

int64_t frames_in(const StepPlan* plan, double fps, double lapse)
{
    int64_t n = llround(plan_seconds(plan) * fps / lapse);
    return n > 0 ? n : 1;
}

int64_t step_of_frame(int64_t frame, const StepPlan* plan, double fps, double lapse)
{
    int64_t step = llround((double)frame * lapse / (fps * (double)plan->dt));
    return step < plan->n ? step : plan->n;
}

// Joins the report of one more call for the same step.
static void join(TarnStepReport* sum, const TarnStepReport* one)
{
    TarnStepReport both = *one;
    both.substeps += sum->substeps;
    both.flags |= sum->flags;
    both.time_advanced += sum->time_advanced;
    if (sum->limited.what != NULL) both.limited = sum->limited;
    *sum = both;
}

// What a call did not advance: the world is called again, bodies and gases that lag are not waited for.
static void note_drop(Steps* steps, const TarnStepReport* report, double missing)
{
    if (missing > 0.0 && steps->split_limit == NULL) steps->split_limit = report->time_limit;
    double lag = report->time_dropped - missing;
    if (!(lag > 1e-6 * report->time_dropped)) return;
    steps->lag += lag;
    steps->lag_limit = report->time_limit;
}

bool steps_advance(Steps* steps, TarnContext* ctx, TarnWorld* world, const StepPlan* plan,
                   TarnStepReport* report)
{
    double dt = (double)(steps->done + 1 == plan->n ? plan->last : plan->dt), left = dt;
    int calls = 0;
    *report = (TarnStepReport){ 0 };
    for (; calls == 0 || left > 1e-7 * dt; ++calls) {
        TarnStepReport one = { 0 };
        if (calls > 0 && is_interrupted()) return false;
        double start = clock_seconds();
        TarnResult result = tarn_world_step(world, (float)left, &one);
        steps->clock += clock_seconds() - start;
        if (result != TARN_OK) {
            say("the step at %g s failed: %s", tarn_world_time(world), tarn_last_error(ctx));
            return false;
        }
        if (left > 0.0 && !(one.time_advanced > 0.0)) {
            say("the world cannot advance beyond %g s; raise %s", tarn_world_time(world),
                one.time_limit ? one.time_limit : "max_substeps");
            return false;
        }
        for (int p = 0; p < TARN_PHASES; ++p) steps->phase_ms[p] += (double)one.phase_ms[p];
        left = (double)(float)left - one.time_advanced;
        note_drop(steps, &one, left);
        if (steps->limited.what == NULL) {
            steps->limited = one.limited;
            steps->limited_time = tarn_world_time(world);
        }
        join(report, &one);
    }
    ++steps->done;
    steps->n_split += calls > 1;
    for (int f = 0; f < N_STEP_FLAGS; ++f) steps->n_flagged[f] += (report->flags >> f) & 1u;
    return true;
}

bool steps_run(Steps* steps, TarnContext* ctx, TarnWorld* world, const StepPlan* plan,
               bool is_quiet)
{
    Progress progress = progress_begin(plan->n, (double)plan->dt, is_quiet);
    bool is_good = true;
    while (is_good && steps->done < plan->n && !is_interrupted()) {
        TarnStepReport report;
        is_good = steps_advance(steps, ctx, world, plan, &report);
        progress_update(&progress, steps->done);
    }
    progress_end(&progress);
    return is_good && !is_interrupted();
}

static void say_time(const Steps* steps)
{
    if (steps->n_split > 0)
        say("%lld of %lld steps took several calls to reach their time; the limit was %s",
            (long long)steps->n_split, (long long)steps->done,
            steps->split_limit ? steps->split_limit : "max_substeps");
    if (!(steps->lag > 0.0)) return;
    const char* limit = steps->lag_limit ? steps->lag_limit : "max_substeps";
    bool is_gas = strncmp(limit, "gas.", 4) == 0;
    say("%s fell %.3g s behind; %s %s", is_gas ? "a gas" : "bodies", steps->lag,
        is_gas ? "raise" : "lower", limit);
}

// What was limited first, and where.
static void say_limit(const Steps* steps)
{
    enum { CLAMPED = 3 }; // place of TARN_STEP_CLAMPED in n_flagged
    const TarnStepLimit* l = &steps->limited;
    if (steps->n_flagged[CLAMPED] == 0 || l->what == NULL) return;
    char place[128] = "";
    if (l->index >= 0)
        snprintf(place, sizeof place, " at (%.4g, %.4g, %.4g) m", (double)l->position.x,
                 (double)l->position.y, (double)l->position.z);
    say("%lld of %lld steps limited values to keep the state finite; the first: %s of %s%s to %.4g "
        "%s, before %.3f s%s%s",
        (long long)steps->n_flagged[CLAMPED], (long long)steps->done, l->what, l->solver, place,
        (double)l->limit, l->unit, steps->limited_time, l->parameter ? "; the limit is " : "",
        l->parameter ? l->parameter : "");
}

void steps_say_flags(const Steps* steps)
{
    static const char* const sentences[N_STEP_FLAGS] = {
        NULL, // time: say_time
        "stopped before a solve converged",
        "could not add something because a pool was full",
        NULL, // limits: say_limit
        "ended with a liquid compressed by more than 10 %; raise its pressure or sound_speed",
    };
    say_time(steps);
    say_limit(steps);
    for (int f = 0; f < N_STEP_FLAGS; ++f) {
        if (steps->n_flagged[f] == 0 || sentences[f] == NULL) continue;
        say("%lld of %lld steps %s", (long long)steps->n_flagged[f], (long long)steps->done,
            sentences[f]);
    }
}
