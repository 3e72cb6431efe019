// Smoothed particle hydrodynamics of 2003: soft, springy, cheap per step.
//
// Method   [Mueller2003]: pressure k (rho - rho0), force by the gradient of spiky, all explicit, symplectic
//          Euler. Viscosity and surface tension are the parts of liquid_forces.c.
// Differs  from [Mueller2003]: density by spiky, too. With poly6 the forces are not the slope of any energy, and a
//          still pool goes on stirring. The symmetric form (p_i + p_j), which keeps momentum; no negative pressure,
//          which would clump the surface; number density (sph_common.c); a little artificial viscosity, without
//          which an explicit spring never comes to rest; gradients are divided by their sum over a lattice, so that
//          the pressure is that of the weight above.
// Checked  tests/unit/test_sph.c, tests/physics/check_liquid.c.
// Cost     bench/bench_liquid.c: a step of 19,683 particles in 3-D.

#include "liquid/sph.h"

static const float damping = 0.2f; // artificial viscosity, as alpha of wcsph

// Stiffness k [m^2/s^2]: about 5 % compression at the floor of a pool, and as much by a blow of its speed.
static float stiffness(const TarnLiquid* l, const SphSurvey* survey)
{
    if (l->params.pressure > 0.0f) return l->params.pressure;
    return tarn_maxf(10.0f * survey->energy2, 1.0f);
}

static float stable_dt(const TarnLiquid* l, float left)
{
    SphSurvey survey = tarn__sph_survey(l);
    return tarn_minf(tarn__sph_courant_dt(l, &survey, left),
                     tarn__sph_sound_dt(l, sqrtf(stiffness(l, &survey)), damping));
}

typedef struct State {
    SphSweep* s;
    float k;
} State;

static float pressure_of(const void* data, float c, float rest_density)
{
    const State* state = data;
    return tarn_maxf(rest_density * state->k * (c - 1.0f), 0.0f);
}

static void solve_sph(TarnLiquid* l, float dt)
{
    if (l->n == 0) return;
    tarn__sph_parts(l, dt);
    SphSweep s = tarn__sph_sweep(l, SMOOTHING_SPIKY, dt);
    SphSurvey survey = tarn__sph_survey(l);
    State state = { &s, stiffness(l, &survey) };
    // Spiky: 10 / (pi h^2) (1 - q)^3 in 2-D, 15 / (pi h^3) (1 - q)^3 in 3-D, times the volume.
    const Smoothing* spiky = tarn__liquid_smoothing(l, SMOOTHING_SPIKY);
    float volume = tarn__sph_spacing_volume(l), lattice = l->def.dimensions == 2 ? 0.871f : 0.925f;
    s.slope = volume * spiky->dw * s.shape.inverse_h / lattice;
    tarn__sph_explicit(&s, pressure_of, &state, damping * sqrtf(state.k), survey.fastest);
}

const LiquidMethod tarn__liquid_sph = { .name = "sph",
                                        .scratch = SPH_SCRATCH,
                                        .forgets = true,
                                        .is_soft = true,
                                        .needs_lists = true,
                                        .still_speed = 0.25f,
                                        .stable_dt = stable_dt,
                                        .solve = solve_sph };
