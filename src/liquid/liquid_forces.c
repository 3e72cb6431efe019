// Forces between particles that every method may have: viscosity, surface tension and cohesion, vorticity.
//
// Viscosity   Implicit: (M + dt L) v = M v*, with a symmetric L of couplings between pairs, solved by
//             conjugate gradients. They begin with v* and are preconditioned by the masses: since L
//             knows no common velocity, every direction of the search has momentum 0, and the momentum
//             is kept after any number of iterations. A pair feels d + 2 times what of its difference
//             lies along the line between the two [Monaghan1992, Weiler2018]: central, so spin is kept, too. (The
//             couplings of whole differences [Brookshaw1985] were tried: they hold what turns back, and
//             a thread of honey stood on its foot instead of coiling.) The couplings come from
//             Wendland's kernel, whose sum over lattices of any kind is the same within 2 % (the
//             viscosity kernel of [Mueller2003]: 14 %), divided by that sum. A cubic lattice that lies
//             along the shear still has 0.55 of it, across 1.45; liquids that have moved have none.
// Tension     A force between pairs that pushes near neighbors and pulls far ones [Tartakovsky2005]. Central:
//             keeps momentum and spin. Inside it pulls a little, which the liquid's pressure takes up;
//             that part (the virial) is taken off the pressure that is reported, so that the rest is the
//             pressure of the drop, (d - 1) sigma / R. dfsph and pcisph report the virial of their own
//             forces then, too: p is up to 5 % off it, as much as the difference of the two. Cohesion is
//             the same force, as strong as `cohesion` times the weight of the particles. (Tried before:
//             the stress of [Lafaurie1994] in pairs tore drops apart; curvature times normal
//             [Morris2000] threw single particles out; an energy of missing neighbors only moved the
//             surface's particles together.)
// Calm        Takes out what single particles do and those around them do not. S: three rounds, in each of which a particle
//             goes 0.7 of the way towards its neighbors, as viscosity would. Of what S takes away (1 - S) v, what S
//             takes away again is noise: (1 - S)^2 v. On wavelengths of 6 spacings that is a fifth, on 16
//             less than a hundredth, and a slosh of 80 does not know of it, while XSPH strong enough
//             to calm a pool halves a slosh within a second. Central and symmetric: keeps momentum and spin.
//             Noise never ends by itself: particles that slip past one another under pressure are pressed
//             together by a little, and what pushes them apart lifts the liquid, which then falls again.
// Still       Where liquid is about to rest, its waves lower than a spacing or so, (1 - S) v is taken off: what shimmers
//             there is groups of six to ten spacings that slip past one another.
// Vorticity   Confinement [Steinhoff1994], the mean taken out so that it keeps the momentum.
// Checked     tests/unit/test_sph.c: momentum, spin, decay of a shear wave; liquid.laplace in
//             tests/physics/check_liquid_flow.c: pressure of drops; liquid.calm: noise and slosh.
// Cost        bench/bench_liquid.c.

#include "liquid/liquid_parts_kernels.h"

enum { MAX_VISCOUS_ITERATIONS = 100 };

static const PartKernels* kernels(const TarnLiquid* l)
{
    return TARN_KERNELS_PICK(l->ctx->isa, tarn__part_kernels);
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
    TARN_ASSERT(l->ctx, l->is_lean || l->method->scratch >= LIQUID_PARTS_SCRATCH);
    PartSweep s = { .l = l, .dims = l->def.dimensions, .dt = dt, .inverse_h = 1.0f / l->support };
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k) s.inverse_mass[k] = 1.0f / l->mass[k];
    s.packed = l->scratch[0];
    s.sums = (double*)(void*)(l->is_lean ? (float*)(void*)l->neighbors.order : l->scratch[14]);
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
    if (!s->is_whole) s->w *= (float)(s->dims + 2);
    s->least_r2 = 1e-4f * l->def.spacing * l->def.spacing;
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
    // Where diffusion takes a minute from one particle to the next it is invisible: water.
    float least = l->method->least_viscosity > 0.0f ? l->method->least_viscosity : 0.02f;
    float reach = least * l->def.spacing * l->def.spacing; // [m^2/s]
    if (l->n == 0 || all_below(&s, reach)) return;
    // Full lists know one side of some pairs only. Whole differences still calm what is so dense, along
    // lines it would be driven.
    s.is_whole = l->neighbors.overflowed > 0;
    fill_couplings(&s);
    pack(&s);
    run(kernels(l)->couple, &s);
    for (int a = 0; a < 3; ++a) {
        s.r[a] = l->scratch[8 + a];
        s.a_way[a] = l->scratch[l->is_lean ? 10 + a : 11 + a];
    }
    if (l->is_lean) s.r[2] = s.a_way[2]; // nothing but zeros
    solve_viscosity(&s);
}

// The lines between pairs are those of the begin of a substep, and what turns on while they stand tears
// thick threads apart: the fastest may go half a spacing. (A rope of honey at 0.5 m/s, spacing 6 mm, sprays
// at 1.6 spacings and coils at 0.4.) Not shorter than a sixteenth of 1/60 s.
float tarn__liquid_viscous_dt(const TarnLiquid* l, float left)
{
    float thickest = 0.0f;
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k)
        thickest = tarn_maxf(thickest, l->kinds[k].viscosity);
    float nu = l->params.viscosity + thickest, d = l->def.spacing;
    if (l->n == 0 || nu * tarn_minf(left, 1.0f / 60.0f) < d * d) return left;
    float fastest2 = 0.0f;
    for (int i = 0; i < l->n; ++i) {
        float v2 = (l->vx[i] * l->vx[i] + l->vy[i] * l->vy[i]) + l->vz[i] * l->vz[i];
        fastest2 = tarn_maxf(fastest2, v2);
    }
    float dt = 0.5f * d / tarn_maxf(sqrtf(fastest2), 1e-6f);
    return tarn_minf(left, tarn_maxf(dt, 1.0f / 960.0f));
}

// ---- Tension and cohesion ----------------------------------------------------------------------------

// Where the force of a pair turns, and its strength per tension and width, so that drops of 6 to 10 spacings
// have the pressure (d - 1) sigma / R, on average. Single drops differ, since cold ones are stiff: under
// the pull inside, which is up to 17 times the pressure sought, the particles are a lattice that keeps the
// stress it was made with. liquid.laplace in 3-D, drops of 6.7, 7.3, 8 and 8.9 spacings: 1.5, 0.8, 1.0, 1.0
// times 2 sigma / R. In 2-D the lattice holds more: between none and 2.5 times sigma / R, with gains from 50
// to 100, and after 8 s still 0.4 to 1.7, so no other gain would mend it.
static const float tension_zero[2] = { 0.53f, 0.59f };
static const float tension_gain[2] = { 100.0f, 122.0f };

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

// ---- Calm --------------------------------------------------------------------------------------------

enum { CALM_ROUNDS = 3 }; // odd: see smooth_rounds
static const float calm_relax = 0.7f;
// Turns per second, whatever the substeps: while the liquid flows, and at rest, where nothing else is to be seen.
// More of them while it flows would leave a lattice too still to yield: a slosh 2 cm high swings 5 % too fast.
static const double flow_turns = 20.0, rest_turns = 240.0;
// Root of the mean square of all that counts as rest [sqrt(gravity spacing)], of pressure solves, whose own noise is larger,
// and of explicit methods.
static const float rest_speed[2] = { 0.1f, 0.05f };

// Beginning with the packed velocities; the result is in the first of the two arrays.
static void smooth_rounds(PartSweep* s, float* first, float* second)
{
    s->rough = s->packed + SPH_VELOCITY;
    s->wide = SPH_PACK;
    for (int n = 0; n < CALM_ROUNDS; ++n) {
        s->smooth = n % 2 == 0 ? first : second;
        run(kernels(s->l)->smooth, s);
        s->rough = s->smooth;
        s->wide = 4;
    }
}

// Half a turn off, so that rounding does not decide whether steps of 1/60 s have one each.
static bool is_turn(const TarnLiquid* l, float dt, double per_s)
{
    return floor((l->time + (double)dt) * per_s + 0.5) > floor(l->time * per_s + 0.5);
}

// 1 where nothing moves, 0 from this speed on.
static float rest_part(PartSweep* s, float speed)
{
    run(kernels(s->l)->motion, s);
    const TarnLiquid* l = s->l;
    float limit = speed * speed * vec3_length(l->params.gravity) * l->def.spacing;
    double all = (double)limit * (double)l->n, left = all - sum(s, 0);
    return left > 0.0 ? (float)(left / all) : 0.0f;
}

bool tarn__liquid_has_bodies(const TarnLiquid* l)
{
    int slots = l->solids != NULL ? tarn__solids_capacity(l->solids) : 0;
    for (int s = 0; s < slots; ++s)
        if (tarn__solids_is_used(l->solids, s) &&
            tarn__solids_mass(l->solids, s)->inverse_mass > 0.0f)
            return true;
    return false;
}

// One density, and no bodies that give way. Liquids of several hardly begin to part where they are made still, and bodies
// float up to 3 % too deep.
static bool is_made_still(const TarnLiquid* l)
{
    if (!(l->method->still_speed > 0.0f)) return false;
    for (int k = 1; k < TARN_LIQUID_KINDS; ++k)
        if (l->mass[k] != l->mass[0]) return false;
    return !tarn__liquid_has_bodies(l);
}

static void begin_calm(PartSweep* s, float** first, float** second)
{
    TarnLiquid* l = s->l;
    const Smoothing* w = tarn__liquid_smoothing(l, SMOOTHING_WENDLAND);
    float sp = l->def.spacing, volume = s->dims == 2 ? sp * sp : sp * sp * sp;
    s->w = -calm_relax * volume * w->dw * s->inverse_h;
    *first = l->scratch[8], *second = l->scratch[12];
    memset(*first + 4 * (size_t)l->n, 0, 4 * sizeof(float)); // the ghost
    memset(*second + 4 * (size_t)l->n, 0, 4 * sizeof(float));
    pack(s);
    run(kernels(l)->crowd, s);
    run(kernels(l)->bind, s);
}

void tarn__liquid_calm(TarnLiquid* l, float dt)
{
    // Full lists know one side of some pairs only.
    bool is_due = is_turn(l, dt, flow_turns), is_due_at_rest = is_turn(l, dt, rest_turns);
    if (l->n == 0 || l->neighbors.overflowed > 0 || !(is_due || is_due_at_rest)) return;
    TARN_ASSERT(l->ctx, l->method->scratch >= LIQUID_CALM_SCRATCH);
    PartSweep s = make_sweep(l, dt);
    float rest = rest_speed[l->method->forgets ? 1 : 0];
    if (!is_due && (is_made_still(l) || !(rest_part(&s, rest) > 0.0f))) return;
    float *first, *second;
    begin_calm(&s, &first, &second);
    smooth_rounds(&s, first, second);
    run(kernels(l)->keep_off, &s);
    smooth_rounds(&s, first, second);
    s.share = 1.0f;
    run(kernels(l)->take_off, &s);
}

void tarn__liquid_still(TarnLiquid* l, float dt)
{
    if (l->n == 0 || l->neighbors.overflowed > 0 || !is_turn(l, dt, rest_turns)) return;
    if (!is_made_still(l)) return;
    TARN_ASSERT(l->ctx, l->method->scratch >= LIQUID_CALM_SCRATCH);
    PartSweep s = make_sweep(l, dt);
    s.share = sqrtf(rest_part(&s, l->method->still_speed));
    if (!(s.share > 0.0f)) return;
    float *first, *second;
    begin_calm(&s, &first, &second);
    smooth_rounds(&s, first, second);
    run(kernels(l)->take_off, &s);
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
    // An eddy of a few particles gains its own speed in a second at full strength.
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
