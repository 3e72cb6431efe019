// Forces between particles that every method may have: viscosity, surface tension and cohesion, XSPH,
// vorticity.
//
// Viscosity   Implicit: (M + dt L) v = M v*, with a symmetric L of positive couplings [Brookshaw1985],
//             solved by conjugate gradients. They begin with v* and are preconditioned by the masses:
//             since L knows no common velocity, every direction of the search has momentum 0, and the
//             momentum is kept after any number of iterations. The couplings come from Wendland's kernel,
//             whose sum over lattices of any kind is the same within 2 % (the viscosity kernel of
//             [Mueller2003]: 14 %), divided by that sum.
// Tension     A force between pairs that pushes near neighbors and pulls far ones [Tartakovsky2005]. Central:
//             keeps momentum and spin. Inside it pulls a little, which the liquid's pressure takes up;
//             that part (the virial) is taken off the pressure that is reported, so that the rest is the
//             pressure of the drop, (d - 1) sigma / R. Cohesion is the same force, as strong as
//             `cohesion` times the weight of the particles. (Tried before: the stress of [Lafaurie1994]
//             in pairs tore drops apart; curvature times normal [Morris2000] threw single particles
//             out; an energy of missing neighbors only moved the surface's particles together.)
// XSPH        [Monaghan1989], but it mingles the velocities themselves, by the share for 1/60 s at any dt.
// Vorticity   Confinement [Steinhoff1994], the mean taken out so that it keeps the momentum.
// Seed        written from the papers; no code was taken over.
// Checked     tests/unit/test_sph.c: momentum, spin, decay of a shear wave; liquid.laplace in
//             tests/physics/check_liquid_flow.c: pressure of drops.
// Cost        bench/bench_liquid.c.

#include "liquid/liquid_parts_kernels.h"

enum { MAX_VISCOUS_ITERATIONS = 100 };

static const PartKernels* kernels(const TarnLiquid* l)
{
#ifdef TARN_HAS_AVX2
    if (l->ctx->isa == TARN_ISA_AVX2) return &tarn__part_kernels__avx2;
#else
    (void)l;
#endif
    return &tarn__part_kernels__baseline;
}

typedef struct Run {
    PartLoop* loop;
    const PartSweep* s;
} Run;

static void run_block(int block, void* data)
{
    const Run* run = data;
    run->loop(run->s, block * LIQUID_BLOCK, tarn__liquid_block_end(run->s->l, block));
}

static void run(PartLoop* loop, const PartSweep* s)
{
    Run r = { loop, s };
    tarn__parallel_for(s->l->ctx, tarn__liquid_blocks(s->l), run_block, &r);
}

static double sum(const PartSweep* s, int which)
{
    double total = 0.0;
    for (int b = 0; b < tarn__liquid_blocks(s->l); ++b)
        total += s->sums[(size_t)b * LIQUID_BLOCK / 2 + (size_t)which];
    return total;
}

static PartSweep make_sweep(TarnLiquid* l, float dt)
{
    TARN_ASSERT(l->ctx, l->method->scratch >= LIQUID_PARTS_SCRATCH);
    PartSweep s = { .l = l, .dims = l->def.dimensions, .dt = dt, .inverse_h = 1.0f / l->support };
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k) s.inverse_mass[k] = 1.0f / l->mass[k];
    s.packed = l->scratch[0];
    s.sums = (double*)(void*)l->scratch[10];
    s.limit = l->params.max_speed;
    return s;
}

static void pack(const PartSweep* s)
{
    run(kernels(s->l)->pack, s);
    float* ghost = s->packed + SPH_PACK * (size_t)s->l->n;
    memset(ghost, 0, SPH_PACK * sizeof(float));
    for (int a = 0; a < s->dims; ++a) ghost[a] = liquid_ghost_at;
}

// The mass that two particles have in common: of equal ones theirs, of unequal ones near the lighter.
static float common_mass(const TarnLiquid* l, int a, int b)
{
    return 2.0f * l->mass[a] * l->mass[b] / (l->mass[a] + l->mass[b]);
}

typedef float PairFn(const TarnLiquid* l, int a, int b);

static void fill_pairs(PartSweep* s, PairFn* fn)
{
    s->is_plain = true;
    for (int a = 0; a < TARN_LIQUID_KINDS; ++a) {
        for (int b = 0; b < TARN_LIQUID_KINDS; ++b) {
            float value = fn(s->l, a, b);
            s->pair[a * TARN_LIQUID_KINDS + b] = value;
            s->is_plain = s->is_plain && value == s->pair[0];
        }
    }
}

static bool all_below(const PartSweep* s, float limit)
{
    for (int k = 0; k < TARN_LIQUID_KINDS * TARN_LIQUID_KINDS; ++k)
        if (s->pair[k] > limit) return false;
    return true;
}

// ---- Viscosity ---------------------------------------------------------------------------------------

static float viscosity_of_pair(const TarnLiquid* l, int a, int b)
{
    return l->params.viscosity + 0.5f * (l->kinds[a].viscosity + l->kinds[b].viscosity);
}

// Couplings so that the sum of coupling * (v_j - v_i) is m nu lap v: 2 V (dW/dr)/r for each neighbor.
static void fill_couplings(PartSweep* s)
{
    TarnLiquid* l = s->l;
    const Smoothing* w = tarn__liquid_smoothing(l, SMOOTHING_WENDLAND);
    double sp = l->def.spacing, volume = s->dims == 2 ? sp * sp : sp * sp * sp;
    const double lattice = s->dims == 2 ? 0.955 : 0.93; // of its sum, and of settled liquids
    s->w = (float)(2.0 * volume * (double)w->dw / ((double)l->support * lattice));
    for (int a = 0; a < TARN_LIQUID_KINDS; ++a)
        for (int b = 0; b < TARN_LIQUID_KINDS; ++b)
            s->pair[a * TARN_LIQUID_KINDS + b] *= s->dt * common_mass(l, a, b);
    for (int k = 1; k < TARN_LIQUID_KINDS * TARN_LIQUID_KINDS; ++k)
        s->is_plain = s->is_plain && s->pair[k] == s->pair[0];
}

static void solve_viscosity(PartSweep* s)
{
    TarnLiquid* l = s->l;
    const PartKernels* k = kernels(l);
    const double goal = 1e-3; // of the first residual, in speed
    s->turn = 0.0f;
    run(k->residual, s);
    double now = sum(s, 0), end = now * goal * goal;
    run(k->turn, s);
    for (int n = 0; n < MAX_VISCOUS_ITERATIONS && now > end && now > 0.0; ++n) {
        run(k->apply, s);
        double bend = sum(s, 0), before = now;
        if (!(bend > 0.0 && bend < (double)INFINITY)) return;
        s->step = (float)(now / bend);
        run(k->advance, s);
        now = sum(s, 0);
        s->turn = (float)(now / before);
        if (now > end) run(k->turn, s);
    }
    if (now > end) l->flags_of_step |= TARN_STEP_NOT_CONVERGED;
}

void tarn__liquid_viscosity(TarnLiquid* l, float dt)
{
    PartSweep s = make_sweep(l, dt);
    fill_pairs(&s, viscosity_of_pair);
    // Where it needs a minute to reach from one particle to the next there is nothing to see: water.
    float reach = 0.02f * l->def.spacing * l->def.spacing; // [m^2/s]
    if (l->n == 0 || all_below(&s, reach)) return;
    fill_couplings(&s);
    pack(&s);
    run(kernels(l)->couple, &s);
    s.way = l->scratch[0]; // over what was packed
    for (int a = 0; a < 3; ++a) {
        s.r[a] = l->scratch[4 + a];
        s.a_way[a] = l->scratch[7 + a];
    }
    for (int i = 0; i < l->n; ++i) {
        const float v[4] = { l->vx[i], l->vy[i], l->vz[i], 0.0f };
        memcpy(s.way + 4 * (size_t)i, v, sizeof v);
    }
    memset(s.way + 4 * (size_t)l->n, 0, 4 * sizeof(float));
    solve_viscosity(&s);
}

// ---- Tension and cohesion ----------------------------------------------------------------------------

// Where the force of a pair turns, and its strength per tension and width, so that drops of 6 to 10 spacings
// have the pressure (d - 1) sigma / R, on average. Single drops differ, since cold ones are stiff and keep
// the stress they were made with. liquid.laplace: in 3-D a drop of 8 spacings is within 15 %, in 2-D one
// of 20 spacings has 2.6 to 2.8 times sigma / R. In 2-D the pressure that is reported rises with the
// radius (half, once, 2.8 times sigma / R at 8, 12, 20 spacings), so no other gain would mend it.
static const float tension_zero[2] = { 0.53f, 0.59f };
static const float tension_gain[2] = { 100.0f, 104.0f };

static float tension_of_pair(const TarnLiquid* l, int a, int b)
{
    int d = l->def.dimensions - 2;
    float width = d == 0 ? l->def.thickness : l->def.spacing;
    float force = tension_gain[d] * width * l->params.surface_tension;
    float cohesion = l->params.cohesion + 0.5f * (l->kinds[a].cohesion + l->kinds[b].cohesion);
    // Different kinds hold together less, so that they part. The strongest pull of the shape is 1/50.
    float pull = 50.0f * cohesion * vec3_length(l->params.gravity) * common_mass(l, a, b);
    return (a == b ? 1.0f : 0.5f) * (force + pull);
}

void tarn__liquid_tension(TarnLiquid* l, float dt)
{
    if (l->n == 0) return;
    PartSweep s = make_sweep(l, dt);
    fill_pairs(&s, tension_of_pair);
    if (all_below(&s, 0.0f)) return;
    s.zero = tension_zero[s.dims - 2];
    float sp = l->def.spacing, volume = sp * sp * (s.dims == 2 ? l->def.thickness : sp);
    s.share = 0.5f * s.inverse_h / ((float)s.dims * volume); // of the virial
    pack(&s);
    run(kernels(l)->tension, &s);
}

// ---- XSPH --------------------------------------------------------------------------------------------

void tarn__liquid_xsph(TarnLiquid* l, float dt)
{
    if (l->n == 0 || !(l->params.xsph > 0.0f)) return;
    PartSweep s = make_sweep(l, dt);
    fill_pairs(&s, common_mass);
    float left = 1.0f - tarn_minf(l->params.xsph, 0.999f);
    s.share = 1.0f - tarn_pow(left, 60.0f * tarn_minf(dt, 1.0f));
    const Smoothing* w = tarn__liquid_smoothing(l, SMOOTHING_CUBIC);
    float sp = l->def.spacing;
    s.w = w->w * (s.dims == 2 ? sp * sp : sp * sp * sp);
    pack(&s);
    run(kernels(l)->mingle, &s);
}

// ---- Vorticity ---------------------------------------------------------------------------------------

static void take_changes(int block, void* data)
{
    const PartSweep* s = data;
    TarnLiquid* l = s->l;
    for (int i = block * LIQUID_BLOCK; i < tarn__liquid_block_end(l, block); ++i) {
        if (l->flags[i] & TARN_LIQUID_FROZEN) continue;
        const float* dv = s->packed + SPH_PACK * (size_t)i + SPH_VELOCITY;
        l->vx[i] += dv[0] - s->mean.x;
        l->vy[i] += dv[1] - s->mean.y;
        if (s->dims == 3) l->vz[i] += dv[2] - s->mean.z;
    }
}

void tarn__liquid_vorticity(TarnLiquid* l, float dt)
{
    if (l->n == 0 || !(l->params.vorticity > 0.0f)) return;
    PartSweep s = make_sweep(l, dt);
    const Smoothing* w = tarn__liquid_smoothing(l, SMOOTHING_WENDLAND);
    float sp = l->def.spacing;
    s.w = w->dw * s.inverse_h * (s.dims == 2 ? sp * sp : sp * sp * sp);
    s.curl = l->pair_scratch; // there is room: slots are more than four
    pack(&s);
    memset(s.curl + 4 * (size_t)l->n, 0, 4 * sizeof(float));
    run(kernels(l)->curl, &s);
    // A whirl of a few particles gains its own speed in a second at full strength.
    s.share = l->params.vorticity * dt * l->def.spacing * 10.0f;
    s.share = tarn_minf(s.share, 0.25f * l->def.spacing);
    run(kernels(l)->confine, &s);
    double mass = 0.0;
    for (int i = 0; i < l->n; ++i)
        if (!(l->flags[i] & TARN_LIQUID_FROZEN)) mass += (double)l->mass[l->kind[i]];
    if (!(mass > 0.0)) return;
    s.mean = (TarnVec3){ (float)(sum(&s, 0) / mass), (float)(sum(&s, 1) / mass),
                         (float)(sum(&s, 2) / mass) };
    tarn__parallel_for(l->ctx, tarn__liquid_blocks(l), take_changes, &s);
}
