// Divergence-free SPH: two pressure solves per substep, one that stops the liquid from being pressed
// together, one that takes back what already is.
//
// Method   [Bender2015] with the two solves parted. The divergence solve acts on velocities, gravity with
//          it: what is as dense as at rest or denser must not get denser, gaps may close. The density
//          solve moves the particles themselves, by displacements that no velocity knows of. Both are
//          projected Jacobi iterations for pressures p >= 0 with momentum [Beck2009, ODonoghue2015] that
//          begin with those of the last substep, one iteration on; velocities always belong to the
//          pressures as a whole, so momentum is kept whatever the number of iterations. Neither solve
//          needs the other: they share the gradients, and the first look at the neighbors.
// Differs  from [Bender2015]: there the density solve changes velocities, which throws a pool about: to
//          gain 0.4 % within a substep it had to rise at 4 m/s, and nothing but gravity brings it
//          back. Number density instead of mass density (sph_common.c); the pressures are kept at
//          p >= 0, not each of the increments; walls are half spaces of the same pressure, not
//          particles.
// Checked  tests/unit/test_sph.c, tests/physics/check_liquid.c.
// Cost     bench/bench_liquid.c.

#include "liquid/sph.h"

static void solve_dfsph(TarnLiquid* l, float dt)
{
    if (l->n == 0) return;
    SphSweep s = tarn__sph_begin(l, dt);
    tarn__sph_both_solves(&s, tarn__sph_kernels(l)->error);
}

const LiquidMethod tarn__liquid_dfsph = { .name = "dfsph",
                                          .scratch = SPH_PRESSURE_SCRATCH,
                                          .needs_lists = true,
                                          .still_speed = 0.3f,
                                          .stable_dt = tarn__sph_stable_dt,
                                          .solve = solve_dfsph };
