// A time budget: as much detail as there is time for.
//
// Method   The cost is smoothed over 0.3 s. Over 1.1 of the target the next cheaper of a few discrete settings
//          is taken, below 0.75 the next more expensive one, one step at a time and never sooner than the dwell time
//          after the last. In order of what is seen least: fewer
//          particles, then the grid every second or third step, then coarser grids.
// Differs  A step may halve the cost and so leap over the band from 0.75 to 1.1, back and forth. So it notes
//          by what factor each step changed the cost, and goes back only when that would fit; if in doubt it
//          tries once a minute.
// Checked  tests/unit/test_gas_window.c.
// Cost     nothing.

#include "tarn/budget.h"
#include "base/maths.h"

static const float smoothing = 0.3f; // [s]

TarnBudget tarn_budget_default(float target_ms)
{
    return (TarnBudget){ .target_ms = target_ms > 0.0f ? target_ms : 1.0f,
                         .shrink_at = 1.1f,
                         .grow_at = 0.75f,
                         .dwell = 1.0f,
                         .max_level = 1,
                         .max_skip = 3,
                         .min_emission = 0.25f,
                         .update_every = 1,
                         .emission = 1.0f };
}

// Halvings of the particles down to the smallest share.
static int emission_steps(const TarnBudget* budget)
{
    float share = 1.0f, least = tarn_clampf(budget->min_emission, 1e-3f, 1.0f);
    int n = 0;
    for (; share > least; ++n) share *= 0.5f;
    return n;
}

static int skip_steps(const TarnBudget* budget)
{
    return budget->max_skip > 1 ? (budget->max_skip < 64 ? budget->max_skip : 64) - 1 : 0;
}

static int level_steps(const TarnBudget* budget)
{
    return budget->max_level > 0 ? (budget->max_level < 8 ? budget->max_level : 8) : 0;
}

static void use_setting(TarnBudget* budget, int setting)
{
    int emissions = emission_steps(budget), skips = skip_steps(budget);
    int halvings = setting < emissions ? setting : emissions;
    float share = 1.0f;
    for (int n = 0; n < halvings; ++n) share *= 0.5f;
    budget->emission = tarn_maxf(share, tarn_clampf(budget->min_emission, 1e-3f, 1.0f));
    int left = setting - halvings;
    budget->update_every = 1 + (left < skips ? left : skips);
    left -= budget->update_every - 1;
    budget->level = left;
    budget->setting = setting;
}

static float* factor_of(TarnBudget* budget, int setting)
{
    const int most = (int)(sizeof budget->cost_ratio / sizeof budget->cost_ratio[0]) - 1;
    return &budget->cost_ratio[setting < most ? setting : most];
}

// Measures the effect of the last change, once the mean has followed it.
static void judge(TarnBudget* budget)
{
    if (!(budget->left_ms > 0.0f) || budget->since < budget->dwell || !(budget->mean_ms > 0.0f))
        return;
    float factor =
        budget->has_grown ? budget->mean_ms / budget->left_ms : budget->left_ms / budget->mean_ms;
    int cheaper = budget->setting + (budget->has_grown ? 1 : 0);
    *factor_of(budget, cheaper) = tarn_clampf(factor, 1.0f, 100.0f);
    budget->left_ms = 0.0f;
}

static void change(TarnBudget* budget, int setting)
{
    budget->has_grown = setting < budget->setting;
    budget->left_ms = budget->mean_ms;
    budget->since = 0.0f;
    budget->changes = budget->changes < INT32_MAX ? budget->changes + 1 : budget->changes;
    use_setting(budget, setting);
}

// Would the previous setting fit? Old measurements may no longer apply, so it is tried after a minute.
static bool may_grow(TarnBudget* budget, int setting)
{
    float factor = *factor_of(budget, setting);
    if (!(budget->mean_ms < budget->grow_at * budget->target_ms)) return false;
    return !(factor > 0.0f) || budget->mean_ms * factor < 0.9f * budget->target_ms ||
           budget->since > 60.0f;
}

bool tarn_budget_update(TarnBudget* budget, float step_ms, float dt)
{
    if (budget == NULL || !(step_ms >= 0.0f && step_ms < 1e9f) || !(dt > 0.0f && dt <= 10.0f))
        return false;
    float share = budget->mean_ms > 0.0f ? 1.0f - tarn_exp(-dt / smoothing) : 1.0f;
    budget->mean_ms += share * (step_ms - budget->mean_ms);
    budget->since = tarn_minf(budget->since + dt, 1e6f);
    int last = emission_steps(budget) + skip_steps(budget) + level_steps(budget);
    int setting = budget->setting < 0 ? 0 : budget->setting < last ? budget->setting : last;
    if (setting != budget->setting) use_setting(budget, setting); // the limits have changed
    judge(budget);
    if (budget->since < budget->dwell) return false;
    bool is_over = budget->mean_ms > budget->shrink_at * budget->target_ms;
    int next = setting;
    if (is_over && setting < last) next = setting + 1;
    if (!is_over && setting > 0 && may_grow(budget, setting)) next = setting - 1;
    if (next == setting) return false;
    change(budget, next);
    return true;
}
