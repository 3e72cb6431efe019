// Predictive-corrective SPH: moves the particles in mind, looks at the density there, and raises the
// pressures until it fits.
//
// Method   [Solenthaler2009]. The distances of the prediction are computed anew in each iteration; the
//          pressure that takes away an error comes from a full lattice around one particle.
// Differs  from [Solenthaler2009]: pressures begin with those of the last substep and have momentum, as
//          in dfsph.c; the mean error decides, not the largest; density that is there already is taken
//          back by displacements, as in dfsph.c; number density (sph_common.c); walls are half spaces;
//          at walls and surfaces,
//          where the lattice would give too much, the particle's own neighborhood limits the pressure.
// Checked  tests/unit/test_sph.c, tests/physics/check_liquid.c.
// Cost     bench/bench_liquid.c.

#include "liquid/sph.h"

// Sum of the squares of the gradients over a square or cubic lattice [1/m^2].
static float lattice_squares(const SphSweep* s)
{
    const TarnLiquid* l = s->l;
    int reach = (int)(liquid_support + 1.0f), depth = l->def.dimensions == 3 ? reach : 0;
    double sum = 0.0, scale = (double)s->shape.dw / (double)s->smoothing->dw;
    for (int z = -depth; z <= depth; ++z) {
        for (int y = -reach; y <= reach; ++y) {
            for (int x = -reach; x <= reach; ++x) {
                float r = l->def.spacing * sqrtf((float)(x * x + y * y + z * z));
                double g = scale * (double)tarn__smoothing_dw(s->smoothing, r);
                sum += g * g;
            }
        }
    }
    return (float)sum;
}

static void solve_pcisph(TarnLiquid* l, float dt)
{
    if (l->n == 0) return;
    SphSweep s = tarn__sph_begin(l, dt);
    s.growth = 0.5f * SPH_GROWTH; // its substeps are shorter than those of dfsph
    float squares = lattice_squares(&s);
    for (int i = 0; i < TARN_LIQUID_KINDS; ++i)
        s.delta[i] = SPH_RELAX * l->mass[i] / (s.gain * dt * squares);
    tarn__sph_both_solves(&s, tarn__sph_kernels(l)->predicted);
}

// What a straight prediction misses grows with dt^2. The still pool of liquid.pool moves at 0.5 % of free fall in 2-D.
static float stable_dt(const TarnLiquid* l, float left)
{
    return 0.85f * tarn__sph_stable_dt(l, left / 0.85f);
}

const LiquidMethod tarn__liquid_pcisph = { .name = "pcisph",
                                           .scratch = SPH_PRESSURE_SCRATCH,
                                           .needs_lists = true,
                                           .still_speed = 0.3f,
                                           .stable_dt = stable_dt,
                                           .solve = solve_pcisph };
