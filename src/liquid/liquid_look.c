// Sprinkle's look as data: size, orientation along the edge, edges that face up, bubbles, splashes.
//
// Method   Each particle sums its neighbors with a weight, and the offsets to them: the sum tells how much
//          liquid is around it, the offset where from, so edges and their direction. Solids and walls
//          count as liquid, so that what lies against them is no edge. The direction of an edge is the
//          same either way along it, hence kept as the doubled angle, mixed with that of the neighbors
//          and followed slowly in time. Flags have two thresholds, one to come and one to go. In 3-D
//          the direction is that of the surface's normal.
// Differs  from the "average neighbor vector" of [Gustafsson2014]: with walls, in 3-D too, and its length is
//          measured against that of a flat surface, where it is known.
// Checked  tests/unit/test_liquid_look.c: still pools keep their flags and directions.
// Cost     bench/bench_liquid.c.

#include "liquid/liquid_look_kernels.h"
#include "particles/particles_internal.h"

// A half space of liquid whose surface is d supports away, where one particle stands for spacing^dims:
// its part of the sum of weights and of the sum of offsets. Exact but for the first in 2-D, which is a fit
// within 1 % of the whole.
static float wall_weight(bool is_3d, float d)
{
    if (is_3d) {
        float d3 = d * d * d;
        return 8.0f * 1.57079633f * (0.53333333f - d + 0.66666667f * d3 - 0.2f * d3 * d * d);
    }
    float rest = 1.0f - d;
    return 4.0f * 1.57079633f * rest * rest * sqrtf(rest) * (0.5f + 0.401f * d);
}
static float wall_offset(bool is_3d, float d)
{
    float rest = 1.0f - d * d;
    if (is_3d) return 8.0f * 0.26179939f * rest * rest * rest;
    return 4.0f * 0.26666667f * rest * rest * sqrtf(rest);
}

// In float, where sizes are about 1.
TARN_INLINE float length_of(TarnVec3 v)
{
    return sqrtf(vec3_dot(v, v));
}

typedef struct Seen {
    float full;       // liquid around, 1 inside
    float edge;       // 0 inside, 1 at a flat surface
    TarnVec3 outward; // unit, out of the liquid; 0: nowhere
} Seen;

// A wall adds the offset of the liquid that would be in its place. Where the liquid beside it reaches only so
// high, as at the rim of a pool, it is mirrored: the wall counts as far as it balances that liquid, and
// doubles what lies along it. Where there is little liquid, as in a film on a floor, the wall counts in full.
// What is pressed against a wall is no edge towards it, however dense the liquid is.
static TarnVec3 add_wall(TarnVec3 offset, const LiquidPlace* contact, bool is_3d, float d,
                         float liquid)
{
    float part = wall_offset(is_3d, d), away = vec3_dot(offset, contact->normal);
    if (!(away > 0.0f)) return vec3_sub(offset, vec3_scale(contact->normal, part));
    float share = 0.5f * wall_weight(is_3d, d) / wall_weight(is_3d, 0.0f);
    TarnVec3 along = vec3_sub(offset, vec3_scale(contact->normal, away));
    float over = tarn_maxf(0.0f, part - away) * tarn_maxf(0.0f, 1.0f - 2.0f * liquid);
    float most = part * (1.0f + 4.0f * tarn_maxf(0.0f, 1.0f - 1.5f * d));
    float left = tarn_maxf(0.0f, away - most) - over;
    return vec3_add(vec3_scale(along, 1.0f / (1.0f - share)), vec3_scale(contact->normal, left));
}

static Seen see(const TarnLiquid* l, const LookKernels* kernels, int p)
{
    bool is_3d = l->def.dimensions == 3;
    LookSums s = kernels->around(l, p);
    Seen seen;
    TarnVec3 offset = { s.ox, s.oy, s.oz };
    float flat = wall_offset(is_3d, 0.0f), liquid = length_of(offset) / flat;
    for (int c = 0; c < l->contact_count[p]; ++c) {
        const LiquidPlace* contact = &l->contacts[l->contact_begin[p] + c].at;
        float d = tarn_clampf(contact->distance / l->support, 0.0f, 1.0f);
        s.w += wall_weight(is_3d, d);
        offset = add_wall(offset, contact, is_3d, d, liquid);
    }
    float whole =
        is_3d ? 12.404f : 5.283f; // wall_weight of both half spaces, less the particle itself
    seen.full = s.w / whole;
    float length = length_of(offset);
    seen.edge = length / flat;
    seen.outward = vec3_scale(offset, length > 1e-12f ? -1.0f / length : 0.0f);
    return seen;
}

// Unit vector of the half angle, on the side of `old`.
static TarnVec3 halve(float c, float s, TarnVec3 old)
{
    float n = sqrtf(c * c + s * s);
    if (!(n > 1e-6f)) return old;
    c /= n, s /= n;
    TarnVec3 half;
    if (c > -0.5f) {
        half.x = sqrtf(0.5f * (1.0f + c));
        half.y = s / (2.0f * half.x);
    } else {
        half.y = sqrtf(0.5f * (1.0f - c));
        half.x = s / (2.0f * half.y);
    }
    half.z = 0.0f;
    return vec3_dot(half, old) < 0.0f ? vec3_scale(half, -1.0f) : half;
}

typedef struct Look {
    TarnLiquid* l;
    const LookKernels* kernels;
    float follow; // share of the way to the new value in this step
    TarnVec3 up;
} Look;

// Mean direction of the neighbors that are at an edge, too, as it is kept. Without lists: none.
static TarnVec3 mean_along(const TarnLiquid* l, int p)
{
    const LiquidDriver* d = l->driver;
    const Neighbors* nb = &l->neighbors;
    TarnVec3 sum = { 0.0f, 0.0f, 0.0f };
    int n = 0, count = l->method->needs_lists ? nb->count[p] : 0;
    for (int i = 0; i < count; ++i) {
        int q = nb->list[neighbors_at(nb, p) + (size_t)i];
        float x = d->along_x[q], y = d->along_y[q], z = d->along_z[q];
        if (d->stretch[q] < 1.2f) continue; // inside, it remembers some edge of long ago
        TarnVec3 kept = { x, y, z };
        if (l->def.dimensions == 2) kept = (TarnVec3){ x * x - y * y, 2.0f * x * y, 0.0f };
        sum = vec3_add(sum, kept);
        ++n;
    }
    return n > 0 ? vec3_scale(sum, 1.0f / (float)n) : sum;
}

static bool is_inside(const Seen* seen)
{
    return seen->edge < 0.2f && seen->full > 0.5f;
}
static bool is_level(const Look* k, TarnVec3 along)
{
    float up = vec3_dot(along, k->up);
    return k->l->def.dimensions == 3 ? up > 0.999f : fabsf(up) < 0.02f;
}

// The direction of an edge with this normal, as it is kept: in 2-D the edge is at right angles to it, which
// turns the doubled angle about.
static TarnVec3 edge_along(const TarnLiquid* l, TarnVec3 n, float weight)
{
    if (l->def.dimensions == 3) return vec3_scale(n, weight);
    return (TarnVec3){ weight * (n.y * n.y - n.x * n.x), -2.0f * weight * n.x * n.y, 0.0f };
}

// The direction that is aimed at, as it is kept (2-D: doubled angle), times how much it counts.
static TarnVec3 aim(const Look* k, int p, const Seen* seen)
{
    const TarnLiquid* l = k->l;
    float edge = tarn_minf(seen->edge, 1.0f);
    // Inside it slowly becomes level, so that what comes up in a calm pool is right from the start.
    if (is_inside(seen)) return edge_along(l, k->up, 0.2f);
    TarnVec3 relaxed = vec3_scale(mean_along(l, p), 0.5f);
    TarnVec3 sum = edge_along(l, seen->outward, edge);
    if (l->def.dimensions == 3) return vec3_add(sum, relaxed);
    TarnVec3 v = liquid_velocity(l, p), way = vec3_normalize(v);
    float speed = tarn_minf(vec3_length(v) / (30.0f * l->def.spacing), 1.0f);
    float lone = speed * tarn_maxf(0.0f, 1.0f - 2.0f * seen->full);
    sum.x += lone * (way.x * way.x - way.y * way.y);
    sum.y += lone * 2.0f * way.x * way.y;
    return vec3_add(sum, relaxed);
}

static TarnVec3 turn(const Look* k, TarnVec3 old, TarnVec3 to)
{
    float f = k->follow;
    if (k->l->def.dimensions == 3) {
        TarnVec3 mixed = vec3_add(vec3_scale(old, 1.0f - f), vec3_scale(to, f));
        return vec3_length(mixed) > 1e-6f ? vec3_normalize(mixed) : old;
    }
    float c = (1.0f - f) * (old.x * old.x - old.y * old.y) + f * to.x;
    float s = (1.0f - f) * 2.0f * old.x * old.y + f * to.y;
    return halve(c, s, old);
}

static uint8_t flags_of(const Look* k, int p, const Seen* seen)
{
    const TarnLiquid* l = k->l;
    uint8_t was = l->flags[p], now = was & (uint8_t)~LIQUID_LOOK_FLAGS;
    bool was_edge = was & TARN_LIQUID_EDGE, was_up = was & TARN_LIQUID_UP;
    bool is_edge = seen->edge > (was_edge ? 0.35f : 0.6f) || seen->full < (was_edge ? 0.5f : 0.4f);
    bool is_up = is_edge && vec3_dot(seen->outward, k->up) > (was_up ? 0.4f : 0.6f);
    // A few of them, always the same, where the liquid is thick.
    bool is_chosen = l->id[p] * 2654435761u >> 27 == 0; // one of 32, spread over the ids
    bool is_bubble =
        is_chosen && !is_edge && seen->full > (was & TARN_LIQUID_BUBBLE ? 0.85f : 0.95f);
    if (is_edge) now |= TARN_LIQUID_EDGE;
    if (is_up) now |= TARN_LIQUID_UP;
    if (is_bubble) now |= TARN_LIQUID_BUBBLE;
    return now;
}

static void look_block(int block, void* data)
{
    const Look* k = data;
    TarnLiquid* l = k->l;
    LiquidDriver* d = l->driver;
    for (int p = block * LIQUID_BLOCK, end = liquid_block_end(l, block); p < end; ++p) {
        Seen seen = see(l, k->kernels, p);
        TarnVec3 old = { d->along_x[p], d->along_y[p], d->along_z[p] };
        bool is_done = is_inside(&seen) && is_level(k, old); // most of them
        TarnVec3 along = is_done ? old : turn(k, old, aim(k, p, &seen));
        // Others still look at the old ones: the new wait in the method's scratch.
        l->scratch[0][p] = along.x, l->scratch[1][p] = along.y, l->scratch[2][p] = along.z;
        float size = tarn_minf(seen.full / 0.6f, 1.0f);
        float stretch = 1.0f + 0.5f * tarn_minf(seen.edge, 1.0f) * size;
        if (size < 1.0f) {
            float speed = length_of(liquid_velocity(l, p)) / (240.0f * l->def.spacing);
            stretch += (1.0f - size) * tarn_minf(speed, 1.5f);
        }
        d->size[p] += k->follow * (size - d->size[p]);
        l->scratch[3][p] = d->stretch[p] + k->follow * (stretch - d->stretch[p]);
        l->flags[p] = flags_of(k, p, &seen);
    }
}

static void keep_block(int block, void* data)
{
    const Look* k = data;
    TarnLiquid* l = k->l;
    const LiquidDriver* d = l->driver;
    float* const to[LIQUID_LOOK_SCRATCH] = { d->along_x, d->along_y, d->along_z, d->stretch };
    int begin = block * LIQUID_BLOCK, end = liquid_block_end(l, block);
    for (int a = 0; a < LIQUID_LOOK_SCRATCH; ++a)
        memcpy(to[a] + begin, l->scratch[a] + begin, (size_t)(end - begin) * sizeof(float));
}

static TarnVec3 up_of(const TarnLiquid* l)
{
    TarnVec3 up = vec3_scale(vec3_normalize(l->params.gravity), -1.0f);
    return vec3_length(up) > 0.5f ? up : (TarnVec3){ 0.0f, 1.0f, 0.0f };
}

void tarn__liquid_look(TarnLiquid* l, float dt)
{
    if (l->driver->size == NULL) return;
    Look k = { .l = l,
               .kernels = TARN_KERNELS_PICK(l->ctx->isa, tarn__look_kernels),
               .up = up_of(l),
               .follow = 1.0f };
    if (l->params.look_time > 0.0f) k.follow = 1.0f - tarn_exp(-dt / l->params.look_time);
    tarn__parallel_for(l->ctx, liquid_blocks(l->n), look_block, &k);
    tarn__parallel_for(l->ctx, liquid_blocks(l->n), keep_block, &k);
}

// ---- Splashes ----------------------------------------------------------------------------------

// A number in [0, 1) that depends on the particle and the step.
static float random_of(const TarnLiquid* l, int p, unsigned which)
{
    return tarn__random01((uint64_t)l->def.seed + which, l->id[p], l->driver->steps);
}

static void emit_from(TarnLiquid* l, int p)
{
    float spread[3] = { 0.0f, 0.0f, 0.0f };
    TarnVec3 at = liquid_position(l, p), v = liquid_velocity(l, p);
    float speed = vec3_length(v);
    for (unsigned a = 0; a < (unsigned)l->def.dimensions; ++a)
        spread[a] = 0.3f * speed * (2.0f * random_of(l, p, 101 + a) - 1.0f);
    v = vec3_scale(v, 1.0f + 0.2f * random_of(l, p, 104));
    v = vec3_add(v, (TarnVec3){ spread[0], spread[1], spread[2] });
    float lifetime = 4.0f, radius = (0.1f + 0.2f * random_of(l, p, 105)) * l->def.spacing;
    tarn_particles_add(l->driver->splashes, 1, &at, &v, &lifetime, radius, l->kind[p]);
}

// Drops of thin liquid that goes up.
static void emit_splashes(TarnLiquid* l, float dt)
{
    const TarnParticles* splashes = l->driver->splashes;
    float share = tarn_minf(1.0f, l->params.splash_rate * dt);
    TarnVec3 up = up_of(l);
    if (!(share > 0.0f)) return;
    for (int p = 0; p < l->n && splashes->n < splashes->def.max_particles; ++p) {
        bool is_thin = l->density[p] < 0.75f * l->kinds[l->kind[p]].density;
        bool is_rising = vec3_dot(liquid_velocity(l, p), up) > l->params.splash_speed;
        if (!is_thin || !is_rising || (l->flags[p] & TARN_LIQUID_FROZEN)) continue;
        if (random_of(l, p, 100) < share) emit_from(l, p);
    }
}

// Those that hit a solid or fell back into the liquid: they die in the next step.
static void end_splashes(TarnLiquid* l)
{
    TarnParticles* s = l->driver->splashes;
    enum { BATCH = 256 };
    float distance[BATCH], presence[BATCH];
    const float over = 1e-6f; // lifetime of what ends [s]
    float reach = 2.0f * s->params.radius + 1e-6f;
    TarnFlow flow = tarn_liquid_flow(l);
    TarnFlowSamples samples = { .presence = presence };
    for (int first = 0; first < s->n; first += BATCH) {
        int n = s->n - first < BATCH ? s->n - first : BATCH;
        const float *x = s->x + first, *y = s->y + first, *z = s->z + first;
        flow.query(flow.self, n, x, y, z, &samples);
        for (int i = 0; i < n; ++i) distance[i] = reach;
        if (l->solids) tarn_solids_query(l->solids, n, x, y, z, reach, distance, NULL, NULL);
        for (int i = 0; i < n; ++i) {
            bool is_back = presence[i] > 0.8f && s->age[first + i] > 0.1f;
            if (is_back || distance[i] < 0.99f * reach) s->lifetime[first + i] = over;
        }
    }
}

void tarn__liquid_splash(TarnLiquid* l, float dt)
{
    TarnParticles* splashes = l->driver->splashes;
    if (splashes == NULL) return;
    TarnParticlesParams params = splashes->params;
    params.gravity = l->params.gravity;
    params.wind = l->params.wind;
    params.drag = l->params.drag;
    params.radius = 0.1f * l->def.spacing;
    params.box_min = l->driver->domain_min;
    params.box_max = l->driver->domain_max;
    if (l->def.dimensions == 2) params.box_min.z = -1.0f, params.box_max.z = 1.0f;
    tarn_particles_set_params(splashes, &params);
    tarn_particles_step(splashes, dt, NULL);
    emit_splashes(l, dt);
    end_splashes(l);
}
