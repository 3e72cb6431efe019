// The open sea as a class: how worlds, scenes and tools reach tarn/ocean.h.

#include "registry/registry.h"
#include "tarn/ocean.h"
#include <math.h>

CLASS_CALLS(TarnOcean, ocean)

static TarnResult ocean_step(void* solver, const TarnAround* around, float dt,
                             TarnStepReport* report)
{
    (void)around;
    return tarn_ocean_step(solver, dt, report);
}
static TarnSurface ocean_surface(const void* solver)
{
    return tarn_ocean_surface(solver);
}

// ---- Stats ---------------------------------------------------------------------------------------

static double significant_height(const void* solver)
{
    return (double)tarn_ocean_state(solver).significant_height;
}
static double height_rms(const void* solver)
{
    TarnOceanCascade c;
    double sum = 0.0;
    for (int i = 0; tarn_ocean_cascade(solver, i, &c) == TARN_OK; ++i) {
        double part = 0.0;
        for (int k = 0; k < c.n; ++k) {
            for (int s = 0; s < c.n; ++s) {
                double y = (double)c.moved[c.row * k + c.stride * s + 1];
                part += y * y;
            }
        }
        sum += part / ((double)c.n * c.n);
        if (i + 1 == tarn_ocean_def(solver)->cascades) break;
    }
    return sqrt(sum);
}
static double foam_cover(const void* solver)
{
    TarnOceanCascade c;
    double sum = 0.0;
    if (tarn_ocean_cascade(solver, 0, &c) != TARN_OK || c.foam == NULL) return 0.0;
    for (int s = 0; s < c.n * c.n; ++s) sum += (double)c.foam[s];
    return sum / ((double)c.n * c.n);
}

static const TarnStat stats[] = {
    { "significant_height", "m", "Mean height of the highest third of the waves.",
      significant_height },
    { "height_rms", "m", "Root mean square of the heights of all waves.", height_rms },
    { "foam", "", "Mean foam of the long waves.", foam_cover },
};

static const TarnSolverClass ocean_class = {
    CLASS_FIELDS(ocean),
    .about = "The open sea: waves of wind and swell to the horizon, at any time.",
    .phase = TARN_PHASE_WATERS,
    .step = ocean_step,
    .stats = stats,
    .n_stats = COUNT_OF(stats),
    .surface = ocean_surface,
};

const TarnSolverClass* tarn_ocean_class(void)
{
    return &ocean_class;
}
