// The step of a liquid: substeps as the method asks for, each of them the same sequence.

#include "liquid/liquid_driver.h"

static void substep(const Substep* s, bool is_last)
{
    TarnLiquid* l = s->l;
    bool is_3d = l->def.dimensions == 3;
    if (l->driver->n_sorted != l->n) tarn__liquid_sort(l);
    if (l->method->needs_lists)
        tarn__neighbors_find(l->ctx, &l->neighbors, l->x, l->y, is_3d ? l->z : NULL);
    l->driver->is_indexed = false; // its memory is used from here on
    if (l->solids) tarn__solids_accelerate(l->solids, s->dt);
    l->solids_at = s->t0;
    tarn__liquid_find_contacts(s);
    tarn__liquid_prepare(s);
    l->method->solve(l, s->dt);
    if (is_last) tarn__liquid_look(l, s->dt);
    tarn__liquid_move(s);
    tarn__liquid_find_regions(s);
    tarn__liquid_settle(s);
    if (!tarn__liquid_emit(s)) l->flags_of_step |= TARN_STEP_CAPACITY_FULL;
    tarn__liquid_sort(l);
}

// The next substep: what is left in equal parts, none longer than stable.
static double next_dt(const TarnLiquid* l, double left, double* stable)
{
    *stable = (double)l->method->stable_dt(l, (float)left);
    *stable = (double)tarn__liquid_viscous_dt(l, (float)*stable);
    if (!(*stable > 1e-7)) *stable = 1e-7; // nothing in a game is that fast
    double parts = left / *stable;
    if (parts <= 1.0 + 1e-6) return left;
    double whole = (double)(int64_t)parts;
    return left / (whole < parts ? whole + 1.0 : whole);
}

static TarnResult check_dt(const TarnLiquid* l, float dt)
{
    if (dt >= 0.0f && dt <= 10.0f) return TARN_OK; // written so that NaN fails it
    return tarn__fail(l->ctx, TARN_ERR_ARG,
                      "tarn_liquid_step: dt %g s is out of range; allowed: 0 to 10 s", (double)dt);
}

static const double soft_limit = 0.1; // see TARN_STEP_COMPRESSED

TarnResult tarn_liquid_step(TarnLiquid* l, float dt, TarnStepReport* report)
{
    if (report) *report = (TarnStepReport){ 0 };
    if (l == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_dt(l, dt));
    LiquidDriver* d = l->driver;
    d->n_events = d->n_events_lost = 0;
    l->flags_of_step = 0;
    l->limited = (TarnStepLimit){ 0 };
    double left = dt, done = 0.0, stable = 0.0;
    int n = 0;
    while (left > 0.0 && n < l->params.max_substeps) {
        double h = next_dt(l, left, &stable);
        // If time is dropped, the solids move the rest of their path in the last substep, so that they never
        // jump over particles.
        bool is_last = h >= left || n + 1 == l->params.max_substeps;
        Substep s = { .l = l, .dt = (float)h, .begin = done };
        s.t0 = (float)(done / (double)dt);
        s.t1 = is_last ? 1.0f : (float)((done + h) / (double)dt);
        l->turn = (int)((d->steps + (uint64_t)n) & 1u);
        substep(&s, is_last);
        done += h;
        left = is_last && h >= left ? 0.0 : left - h;
        l->time += h;
        ++n;
    }
    if (left > 0.0) l->flags_of_step |= TARN_STEP_TIME_CUT;
    if (n > 0) tarn__liquid_splash(l, (float)done);
    if (n > 0 && l->method->is_soft && tarn_liquid_stats(l).mean_compression > soft_limit)
        l->flags_of_step |= TARN_STEP_COMPRESSED;
    ++d->steps;
    if (report) {
        *report = (TarnStepReport){ .substeps = n, .flags = l->flags_of_step };
        report->time_advanced = left > 0.0 ? done : (double)dt;
        report->time_dropped = left;
        report->time_limit = left > 0.0 ? "liquid.max_substeps" : NULL;
        report->stable_dt = stable;
        report->limited = l->limited;
    }
    return TARN_OK;
}
