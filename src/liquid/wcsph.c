// Weakly compressible SPH: a stiff equation of state and many small steps. Good for waves and impacts.
//
// Method   [Becker2007]: Tait's pressure rho0 c^2 / 7 ((rho / rho0)^7 - 1), artificial viscosity,
//          symplectic Euler. Surface tension is the part of liquid_forces.c.
// Differs  from [Becker2007]: Wendland's kernel, which does not pair particles; number density
//          (sph_common.c); p >= 0; gradients are divided by their sum over a lattice, so that the
//          pressure is that of the weight above; densities beyond 1.3 count as 1.3, so that a heap of
//          particles does not explode.
// Checked  tests/unit/test_sph.c, tests/physics/check_liquid.c.
// Cost     bench/bench_liquid.c.

#include "liquid/sph.h"

static float sound_speed(const TarnLiquid* l, const SphSurvey* survey)
{
    if (l->params.sound_speed > 0.0f) return l->params.sound_speed;
    return tarn_maxf(10.0f * sqrtf(survey->energy2), 1.0f);
}

static float stable_dt(const TarnLiquid* l, float left)
{
    SphSurvey survey = tarn__sph_survey(l);
    float sound = sound_speed(l, &survey);
    return tarn_minf(tarn__sph_courant_dt(l, &survey, left),
                     tarn__sph_sound_dt(l, sound, l->params.artificial_viscosity));
}

typedef struct State {
    float sound, pull; // [m/s]; share of its pressure that liquid torn apart has
} State;

static float pressure_of(const void* data, float c, float rest_density)
{
    const State* state = data;
    float x = tarn_minf(c, 1.3f), x2 = x * x, x4 = x2 * x2;
    float p = rest_density * state->sound * state->sound / 7.0f * (x4 * x2 * x - 1.0f);
    if (p > 0.0f) return p;
    // Inside, liquid that is torn apart pulls, so that free drops do not swell; not at a surface, where c is below
    // 0.9. Pools slosh 3 to 6 % too fast with anything from half of it to all. In drops that nothing holds it is
    // stronger than the pressure: disorder lets their particles be 2 % farther apart, and 1.8 takes that back.
    return state->pull * p * tarn_minf(tarn_maxf((c - 0.9f) / 0.07f, 0.0f), 1.0f);
}

static void solve_wcsph(TarnLiquid* l, float dt)
{
    if (l->n == 0) return;
    tarn__sph_parts(l, dt);
    SphSweep s = tarn__sph_sweep(l, SMOOTHING_WENDLAND, dt);
    SphSurvey survey = tarn__sph_survey(l);
    float sound = sound_speed(l, &survey), lattice = l->def.dimensions == 2 ? 0.971f : 0.986f;
    State state = { sound, 0.8f };
    state.pull += tarn__sph_freedom(l, tarn__sph_gravity(l) > 0.0f ? 1.0f : 0.0f);
    s.slope = tarn__sph_spacing_volume(l) * s.smoothing->dw * s.shape.inverse_h / lattice;
    tarn__sph_explicit(&s, pressure_of, &state, l->params.artificial_viscosity * sound,
                       survey.fastest);
}

const LiquidMethod tarn__liquid_wcsph = { .name = "wcsph",
                                          .scratch = SPH_SCRATCH,
                                          .forgets = true,
                                          .is_soft = true,
                                          .needs_lists = true,
                                          .stable_dt = stable_dt,
                                          .solve = solve_wcsph };
