// What the sph methods share: the sweep over neighbors, time steps, units of density.
//
// Method   Number density: c = sum of the kernel over the neighbors, divided by the same sum over a
//          lattice at rest, and the share that walls fill. It is 1 at rest for every kind, so liquids of
//          different density meet in a sharp surface. A particle of pressure p has the virtual work
//          volume * p * dc, which gives forces -volume (p_i + p_j) grad c: equal and opposite.
// Differs  from [Solenthaler2008]: pressures and forces per volume, not per density.
// Checked  tests/unit/test_sph.c: density of lattices, momentum, hydrostatic pressure.
// Cost     bench/bench_liquid.c.

#include "liquid/sph.h"

const SphKernels* tarn__sph_kernels(const TarnLiquid* l)
{
    return TARN_KERNELS_PICK(l->ctx->isa, tarn__sph_kernels);
}

typedef struct Run {
    SphLoop* loop;
    const SphSweep* s;
} Run;

static void run_block(int block, void* data)
{
    const Run* run = data;
    run->loop(run->s, block * LIQUID_BLOCK, tarn__liquid_block_end(run->s->l, block));
}

void tarn__sph_run(SphLoop* loop, const SphSweep* s)
{
    Run run = { loop, s };
    tarn__parallel_for(s->l->ctx, tarn__liquid_blocks(s->l), run_block, &run);
}

double tarn__sph_sum(const SphSweep* s, int which)
{
    double sum = 0.0;
    for (int b = 0; b < tarn__liquid_blocks(s->l); ++b)
        sum += s->sums[(size_t)b * LIQUID_BLOCK / 2 + (size_t)which];
    return sum;
}

float tarn__sph_volume(const TarnLiquid* l)
{
    double s = l->def.spacing;
    return (float)(l->def.dimensions == 2 ? s * s * (double)l->def.thickness : s * s * s);
}

// Rows of particles are not quite a half space: half a spacing from the first row a plane would fill
// more of the kernel than the rows behind it do, and with less of a slope. So much farther away it fills
// the same [spacings], and with slopes so much steeper a particle of the first row is in balance in a
// liquid of even pressure, as it is among the rows of a lattice.
static void fit_walls(SphSweep* s, int kind, int dims)
{
    float offset = dims == 2 ? 0.048f : 0.053f,
          steeper = dims == 2 ? 1.149f : 1.155f; // poly6, spiky
    if (kind == SMOOTHING_CUBIC)
        offset = dims == 2 ? 0.084f : 0.088f, steeper = dims == 2 ? 1.193f : 1.209f;
    if (kind == SMOOTHING_WENDLAND) offset = 0.098f, steeper = dims == 2 ? 1.241f : 1.222f;
    s->wall_offset = offset * s->l->def.spacing;
    s->wall_steeper = steeper;
}

SphSweep tarn__sph_sweep(TarnLiquid* l, int kind, float dt)
{
    const Smoothing* smoothing = tarn__liquid_smoothing(l, kind);
    SphSweep s = { .l = l, .smoothing = smoothing, .dt = dt };
    double self = (double)tarn__smoothing_w(smoothing, 0.0f);
    double rest = self + tarn__smoothing_lattice_sum(smoothing, l->def.spacing);
    s.shape = (SphShape){ .kind = kind,
                          .inverse_h = 1.0f / l->support,
                          .w = (float)((double)smoothing->w / rest),
                          .dw = (float)((double)smoothing->dw / rest) };
    s.w_self = (float)(self / rest);
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k) s.inverse_mass[k] = 1.0f / l->mass[k];
    s.gain = dt * tarn__sph_volume(l);
    s.pairs = l->pair_scratch;
    s.mingle = tarn__sph_mingle(l, dt);
    fit_walls(&s, kind, l->def.dimensions);
    s.max_p = 1e12f;
    s.growth = SPH_GROWTH;
    s.max_take = SPH_MAX_TAKE;
    s.limit = l->params.max_speed;
    s.packed = l->scratch[0];
    s.own = l->scratch[8];
    s.factor = l->scratch[12];
    s.p_next = l->scratch[13];
    s.sums = (double*)(void*)l->scratch[14];
    s.p_last = l->scratch[15];
    return s;
}

void tarn__sph_pack(const SphSweep* s)
{
    const TarnLiquid* l = s->l;
    tarn__sph_run(tarn__sph_kernels(l)->pack, s);
    float* ghost = s->packed + SPH_PACK * (size_t)l->n;
    memset(ghost, 0, SPH_PACK * sizeof(float));
    for (int a = 0; a < l->def.dimensions; ++a) ghost[a] = liquid_ghost_at;
}

float tarn__sph_gravity(const TarnLiquid* l)
{
    return vec3_length(l->params.gravity);
}

// Of all that lies above the lowest particle.
static float highest_head(const TarnLiquid* l)
{
    TarnVec3 g = l->params.gravity;
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < l->n; ++i) {
        float at = (l->x[i] * g.x + l->y[i] * g.y) + l->z[i] * g.z;
        low = tarn_minf(low, at), high = tarn_maxf(high, at);
    }
    return l->n > 0 ? high - low : 0.0f;
}

float tarn__sph_head(const TarnLiquid* l, const float* pressure)
{
    double sum = 0.0;
    for (int i = 0; i < l->n; ++i)
        sum += (double)(tarn_maxf(pressure[i], 0.0f) / l->kinds[l->kind[i]].density);
    return sum > 0.0 ? (float)(2.0 * sum / (double)l->n) : highest_head(l); // nothing is known yet
}

float tarn__sph_rows(const TarnLiquid* l)
{
    float weight = tarn__sph_gravity(l) * l->def.spacing;
    if (!(weight > 0.0f)) return 0.0f; // blows make pressure, too: not more than there are
    return tarn_minf(tarn__sph_head(l, l->memory_a), highest_head(l)) / weight;
}

// What mends drops that nothing holds is not for liquid under weight, which shimmers twice as much with it, nor for liquid
// between walls, which keep its volume: a vortex there decays a sixth too fast.
float tarn__sph_freedom(const TarnLiquid* l, float rows)
{
    if (!(rows < 1.0f)) return 0.0f;
    int touching = 0;
    for (int i = 0; i < l->n; ++i) touching += l->contact_count[i] > 0;
    return touching == 0 ? 1.0f - rows : 0.0f;
}

// The shortest waves of surface tension [Brackbill1992], in the lightest kind.
static float capillary_dt(const TarnLiquid* l)
{
    float s = l->def.spacing, lightest = l->kinds[0].density;
    if (!(l->params.surface_tension > 0.0f)) return INFINITY;
    for (int k = 1; k < TARN_LIQUID_KINDS; ++k) lightest = tarn_minf(lightest, l->kinds[k].density);
    return 0.25f * sqrtf(lightest * s * s * s / (6.2832f * l->params.surface_tension));
}

// The longest way down in the box, and the place of its lowest corner along gravity, both times gravity.
static float fall_of_box(const TarnLiquid* l, double* lowest)
{
    TarnVec3 g = l->params.gravity, low = l->def.box_min, high = l->def.box_max;
    float depth = 0.0f, pull[3] = { g.x, g.y, l->def.dimensions == 3 ? g.z : 0.0f };
    float ends[3][2] = { { low.x, high.x }, { low.y, high.y }, { low.z, high.z } };
    *lowest = 0.0;
    for (int a = 0; a < 3; ++a) {
        depth += (ends[a][1] - ends[a][0]) * fabsf(pull[a]);
        *lowest += (double)(ends[a][pull[a] > 0.0f ? 1 : 0] * pull[a]);
    }
    return depth;
}

typedef struct Survey {
    const TarnLiquid* l;
    SphGlance* glances; // one per block, in scratch that nobody needs then
} Survey;

static void survey_block(int block, void* data)
{
    const Survey* s = data;
    tarn__sph_kernels(s->l)->survey(s->l, block * LIQUID_BLOCK, tarn__liquid_block_end(s->l, block),
                                    &s->glances[block]);
}

// Energy that all share is kept until friction takes it, so the speed of sound of wcsph and the stiffness of sph, which
// come from it, change slowly. Of the mean energy it is twice, as a column of liquid is twice as high as its
// middle: a few drops that fly do not stiffen a pool, and neither does a box that is higher than its liquid.
SphSurvey tarn__sph_survey(const TarnLiquid* l)
{
    if (l->n == 0) return (SphSurvey){ 0 };
    Survey s = { l, (SphGlance*)(void*)l->scratch[14] };
    int blocks = tarn__liquid_blocks(l);
    tarn__parallel_for(l->ctx, blocks, survey_block, &s);
    SphGlance all = { 0 };
    for (int b = 0; b < blocks; ++b) {
        const SphGlance* part = &s.glances[b];
        all.speed2 += part->speed2, all.fall += part->fall, all.head += part->head;
        all.fastest2 = tarn_maxf(all.fastest2, part->fastest2);
    }
    double lowest, n = (double)l->n;
    float depth = fall_of_box(l, &lowest), fall = (float)(2.0 * (lowest - all.fall / n));
    fall = tarn_minf(tarn_maxf(fall, 0.0f), depth);
    return (SphSurvey){ .fastest = sqrtf(all.fastest2),
                        .head = all.head > 0.0 ? (float)(2.0 * all.head / n) : highest_head(l),
                        .energy2 = 2.0f * (fall + (float)(all.speed2 / n)) };
}

float tarn__sph_courant_dt(const TarnLiquid* l, const SphSurvey* survey, float left)
{
    // way = v dt + g dt^2, solved for dt without a difference.
    float way = l->params.courant * l->def.spacing, g = tarn__sph_gravity(l);
    float v = tarn_maxf(survey->fastest, sqrtf(survey->head));
    float sum = v + sqrtf(v * v + 4.0f * g * way);
    left = tarn_minf(left, capillary_dt(l));
    return sum > 0.0f ? tarn_minf(2.0f * way / sum, left) : left;
}

enum { TRIED = 4, FEW_OF = 200, MANY = 1000 }; // of fewer each one counts: heaps calm down slower
typedef struct Count {
    const TarnLiquid* l;
    float limit[TRIED]; // of the square of the speed
    int* faster;        // than each of these, TRIED per block, in scratch that nobody needs then
} Count;

static void count_block(int block, void* data)
{
    const Count* c = data;
    const TarnLiquid* l = c->l;
    int faster[TRIED] = { 0 };
    for (int i = block * LIQUID_BLOCK; i < tarn__liquid_block_end(l, block); ++i) {
        float v2 = (l->vx[i] * l->vx[i] + l->vy[i] * l->vy[i]) + l->vz[i] * l->vz[i];
        for (int k = 0; k < TRIED; ++k) faster[k] += v2 > c->limit[k];
    }
    memcpy(c->faster + (size_t)block * TRIED, faster, sizeof faster);
}

// A few drops that fly ahead do not set the pace of all: one of 200 particles may be faster, up to a spacing per substep
// with the default of courant. Speeds are tried in steps.
static float common_speed(const TarnLiquid* l, float fastest)
{
    static const float shares[TRIED] = { 0.4f, 0.5f, 0.63f, 0.8f };
    int blocks = tarn__liquid_blocks(l), few = l->n >= MANY ? l->n / FEW_OF : 0;
    Count c = { .l = l, .faster = (int*)(void*)l->scratch[14] };
    for (int k = 0; k < TRIED; ++k) c.limit[k] = shares[k] * shares[k] * (fastest * fastest);
    tarn__parallel_for(l->ctx, blocks, count_block, &c);
    for (int k = 0; k < TRIED; ++k) {
        int faster = 0;
        for (int b = 0; b < blocks; ++b) faster += c.faster[(size_t)b * TRIED + (size_t)k];
        if (faster <= few) return shares[k] * fastest;
    }
    return fastest;
}

float tarn__sph_stable_dt(const TarnLiquid* l, float left)
{
    SphSurvey survey = tarn__sph_survey(l);
    survey.fastest = common_speed(l, survey.fastest);
    return tarn__sph_courant_dt(l, &survey, left);
}

// A share of the way of the fastest, per substep: breaking up takes as long for any length of substeps. More of
// either makes dam breaks of dfsph denser.
void tarn__sph_unlock(SphSweep* s, int turns, float mirrored, float way)
{
    s->turns = turns;
    s->mirrored = mirrored;
    s->aside = tarn_minf(0.1f * (float)turns * way, 0.05f * s->l->def.spacing);
    tarn__sph_run(tarn__sph_kernels(s->l)->unlock, s);
}

static void report_block(int block, void* data)
{
    TarnLiquid* l = data;
    for (int i = block * LIQUID_BLOCK; i < tarn__liquid_block_end(l, block); ++i)
        l->density[i] *= l->kinds[l->kind[i]].density;
}

void tarn__sph_report_density(TarnLiquid* l)
{
    tarn__parallel_for(l->ctx, tarn__liquid_blocks(l), report_block, l);
}

void tarn__sph_parts(TarnLiquid* l, float dt)
{
    memset(l->pressure, 0, (size_t)l->n * sizeof(float)); // tension puts its own there
    tarn__liquid_viscosity(l, dt);
    tarn__liquid_tension(l, dt);
    tarn__liquid_vorticity(l, dt);
    tarn__liquid_calm(l, dt);
}

float tarn__sph_mingle(TarnLiquid* l, float dt)
{
    if (!(l->params.xsph > 0.0f)) return 0.0f;
    float left = 1.0f - tarn_minf(l->params.xsph, 0.999f);
    float share = 1.0f - tarn_pow(left, 60.0f * tarn_minf(dt, 1.0f));
    return share * tarn__liquid_smoothing(l, SMOOTHING_CUBIC)->w * tarn__sph_spacing_volume(l);
}

// ---- Explicit methods --------------------------------------------------------------------------------

float tarn__sph_spacing_volume(const TarnLiquid* l)
{
    float s = l->def.spacing;
    return l->def.dimensions == 2 ? s * s : s * s * s;
}

float tarn__sph_sound_dt(const TarnLiquid* l, float sound, float alpha)
{
    return 0.46f * l->def.spacing / (sound * (1.0f + 0.6f * alpha));
}

float tarn__sph_limit(const TarnLiquid* l, float dt)
{
    return tarn_minf(l->params.max_speed, 0.5f * l->def.spacing / tarn_maxf(dt, 1e-9f));
}

typedef struct Explicit {
    SphSweep* s;
    SphPressureFn* fn;
    const void* data;
} Explicit;

// Density with walls, and p / c^2, which is what acts.
static void pressure_block(int block, void* data)
{
    const Explicit* e = data;
    const SphSweep* s = e->s;
    TarnLiquid* l = s->l;
    for (int i = block * LIQUID_BLOCK; i < tarn__liquid_block_end(l, block); ++i) {
        LiquidContact* c = l->contacts + l->contact_begin[i];
        float slope[LIQUID_MAX_CONTACTS];
        if (l->contact_count[i] > 0)
            l->density[i] +=
                tarn__liquid_wall_parts(l, s->smoothing, s->wall_offset, s->wall_steeper, i, slope);
        for (int k = 0; k < l->contact_count[i]; ++k)
            c[k].impulse = vec3_scale(c[k].at.normal, slope[k]);
        float density = l->density[i];
        float p = e->fn(e->data, density, l->kinds[l->kind[i]].density);
        l->pressure[i] += p;
        p /= density * density;
        s->p[i] = p;
        s->packed[SPH_PACK * (size_t)i + SPH_VELOCITY + 3] = p; // for the neighbors
    }
}

static void impulse_block(int block, void* data)
{
    const SphSweep* s = data;
    TarnLiquid* l = s->l;
    for (int i = block * LIQUID_BLOCK; i < tarn__liquid_block_end(l, block); ++i) {
        LiquidContact* c = l->contacts + l->contact_begin[i];
        for (int k = 0; k < l->contact_count[i]; ++k)
            c[k].impulse = vec3_scale(c[k].impulse, -2.0f * s->gain * s->p[i]);
    }
}

void tarn__sph_explicit(SphSweep* s, SphPressureFn* fn, const void* data, float viscous,
                        float fastest)
{
    TarnLiquid* l = s->l;
    const SphKernels* k = tarn__sph_kernels(l);
    int blocks = tarn__liquid_blocks(l);
    // Density of a pair: the mass that two particles have in common, 2 / (1/m + 1/m), per volume.
    s->viscous = 2.0f * viscous * l->support / tarn__sph_volume(l);
    s->p = s->p_next;
    s->limit = tarn__sph_limit(l, s->dt);
    tarn__sph_pack(s);
    tarn__sph_run(k->density, s);
    Explicit e = { s, fn, data };
    tarn__parallel_for(l->ctx, blocks, pressure_block, &e);
    s->p[l->n] = 0.0f;
    tarn__sph_run(k->forces, s);
    tarn__sph_unlock(s, 16, 0.06f, s->dt * fastest);
    tarn__parallel_for(l->ctx, blocks, impulse_block, s);
    tarn__liquid_gravity(l, s->dt);
    tarn__liquid_contacts(l, s->dt);
    tarn__sph_report_density(l);
    tarn__liquid_still(l, s->dt);
    l->iterations = 1;
}
