// Balls that attract and repel one another: droplets, goo.
//
// Method   Pair acceleration strength ((r0/r)^4 - (r0/r)^2), shifted so that it ends at the support without
//          a jump. r0 is chosen so that the densest lattice of one particle per spacing^dims is neither
//          pressed nor pulled. Pairs that approach or part are damped. r is not less than 0.3 r0
//          where it divides.
// Differs  from Lennard and Jones: 4 and 2 instead of 13 and 7 as in games: softer, longer steps.
// Source   [Mueller2007] for the force.
// Checked  tests/unit/test_sph.c.
// Cost     bench/bench_liquid.c.

#include "liquid/sph.h"

static const float damping_ratio = 0.15f;

typedef struct Well {
    float r0_2, shift; // [m^2], -
    float strength;    // [m/s^2]
    float stiffness;   // at rest [1/s^2]
} Well;

// Shells of the densest lattice with one particle per spacing^dims: hexagonal, face-centered cubic.
typedef struct Shell {
    int n;
    float r; // [spacings]
} Shell;
static const Shell shells[2][3] = { { { 6, 1.07457f }, { 6, 1.86121f }, { 0, 1.0f } },
                                    { { 12, 1.12246f }, { 6, 1.58740f }, { 24, 1.94416f } } };

// Pressure of the lattice, but for a factor, where r0 is in spacings.
static float lattice_push(int dims, float r0)
{
    float sum = 0.0f, end = r0 * r0 / (liquid_support * liquid_support);
    for (int k = 0; k < 3; ++k) {
        const Shell* shell = &shells[dims - 2][k];
        float a = r0 * r0 / (shell->r * shell->r);
        sum += (float)shell->n * shell->r * ((a * a - a) - (end * end - end));
    }
    return sum;
}

static Well well_of(const TarnLiquid* l)
{
    float low = 0.5f, high = 1.4f; // it pulls at the first and pushes at the second
    for (int k = 0; k < 24; ++k) {
        float middle = 0.5f * (low + high);
        if (lattice_push(l->def.dimensions, middle) > 0.0f)
            high = middle;
        else
            low = middle;
    }
    float r0 = low * l->def.spacing, rest = shells[l->def.dimensions - 2][0].r * l->def.spacing;
    float u = r0 * r0 / (rest * rest), end = r0 * r0 / (l->support * l->support);
    Well w = { .r0_2 = r0 * r0, .shift = end * end - end };
    w.strength = tarn_maxf(l->params.attraction, 1e-3f) / (0.25f + w.shift);
    w.stiffness = w.strength * fabsf(4.0f * u * u - 2.0f * u) / rest;
    return w;
}

// Spring of a particle in a cage of others: about three such pairs along each axis.
static float stable_dt(const TarnLiquid* l, float left)
{
    Well w = well_of(l);
    SphSurvey survey = tarn__sph_survey(l);
    return tarn_minf(tarn__sph_courant_dt(l, &survey, left), 0.35f / sqrtf(3.0f * w.stiffness));
}

// A wall is the mirror image of the particle, without the pull.
static void wall_block(int block, void* data)
{
    const SphSweep* s = data;
    TarnLiquid* l = s->l;
    for (int i = block * LIQUID_BLOCK; i < tarn__liquid_block_end(l, block); ++i) {
        if (l->flags[i] & TARN_LIQUID_FROZEN) continue;
        LiquidContact* c = l->contacts + l->contact_begin[i];
        for (int k = 0; k < l->contact_count[i]; ++k) {
            // Not farther than the support, where the shifted well would push again: particles whose place
            // was just there got a blow in every other step, and flew to and fro at 10 cm/s.
            float r = tarn_minf(2.0f * tarn_maxf(c[k].at.distance, 0.0f), l->support);
            float a = s->r0_2 / tarn_maxf(r * r, s->least_r2);
            float dv = s->dt * s->strength * tarn_maxf((a * a - a) - s->shift, 0.0f);
            dv = tarn_minf(dv, s->limit);
            TarnVec3 n = c[k].at.normal;
            l->vx[i] += dv * n.x;
            l->vy[i] += dv * n.y;
            l->vz[i] += dv * n.z;
            c[k].impulse = vec3_scale(n, dv * l->mass[l->kind[i]]);
        }
    }
}

static void solve_lennard_jones(TarnLiquid* l, float dt)
{
    if (l->n == 0) return;
    tarn__sph_parts(l, dt);
    SphSweep s = tarn__sph_sweep(l, SMOOTHING_CUBIC, dt);
    Well w = well_of(l);
    s.r0_2 = w.r0_2;
    s.shift = w.shift;
    s.strength = w.strength;
    s.least_r2 = 0.09f * w.r0_2;
    s.damping = damping_ratio * 2.0f * sqrtf(w.stiffness);
    s.slope = 0.5f / ((float)l->def.dimensions * tarn__sph_volume(l)); // of the virial
    s.limit = tarn__sph_limit(l, dt);
    tarn__sph_pack(&s);
    tarn__sph_run(tarn__sph_kernels(l)->attract, &s);
    tarn__parallel_for(l->ctx, tarn__liquid_blocks(l), wall_block, &s);
    tarn__liquid_gravity(l, dt);
    tarn__liquid_contacts(l, dt);
    tarn__sph_report_density(l);
    l->iterations = 1;
}

const LiquidMethod tarn__liquid_lennard_jones = { .name = "lennard_jones",
                                                  .scratch = SPH_SCRATCH,
                                                  .forgets = true,
                                                  .needs_lists = true,
                                                  .stable_dt = stable_dt,
                                                  .solve = solve_lennard_jones };
