// The small parts that liquids combine: gravity and air, walls as liquid, contacts, smoothing of
// velocities.
//
// Method   A contact counts as a half space full of liquid at rest density that moves with the surface:
//          it fills the share of the kernel that lies beyond the plane, several of them
//          1 - prod(1 - share_i). Contacts are inelastic and speculative: a particle may come as near
//          as the skin within the step, no nearer. Friction is Coulomb's, on the whole normal
//          impulse, that of the pressure included.
// Differs  from boundary particles [Akinci2012]: no samples to place on every solid, none to leak
//          between, and a flat wall feels flat.
// Checked  tests/unit/test_sph.c: momentum, free fall, a block on a slope, impulses on solids.
// Cost     contacts: some 20 ns per particle that has any.

#include "liquid/liquid_parts.h"

int tarn__liquid_blocks(const TarnLiquid* l)
{
    return (l->n + LIQUID_BLOCK - 1) / LIQUID_BLOCK;
}

const Smoothing* tarn__liquid_smoothing(TarnLiquid* l, int kind)
{
    Smoothing* s = &l->smoothing[kind];
    if (s->h != l->support || s->dims != l->def.dimensions)
        *s = tarn__smoothing(kind, l->def.dimensions, l->support);
    return s;
}

// ---- Gravity and air ---------------------------------------------------------------------------------

typedef struct Gravity {
    TarnLiquid* l;
    TarnVec3 dv;   // in this substep [m/s]
    float to_wind; // share of the way to the wind's velocity that a lone particle goes
    int lone;      // fewer neighbors than this: alone
} Gravity;

static void gravity_block(int block, void* data)
{
    const Gravity* g = data;
    TarnLiquid* l = g->l;
    int begin = block * LIQUID_BLOCK, end = tarn__liquid_block_end(l, block);
    for (int i = begin; i < end; ++i) {
        if (l->flags[i] & TARN_LIQUID_FROZEN) continue;
        l->vx[i] += g->dv.x;
        l->vy[i] += g->dv.y;
        l->vz[i] += g->dv.z;
        if (g->to_wind > 0.0f && l->neighbors.count[i] < g->lone) {
            // The fewer neighbors, the more of it meets the air.
            float k = g->to_wind * (float)(g->lone - l->neighbors.count[i]) / (float)g->lone;
            l->vx[i] += k * (l->params.wind.x - l->vx[i]);
            l->vy[i] += k * (l->params.wind.y - l->vy[i]);
            if (l->def.dimensions == 3) l->vz[i] += k * (l->params.wind.z - l->vz[i]);
        }
    }
}

void tarn__liquid_gravity(TarnLiquid* l, float dt)
{
    Gravity g = { .l = l, .dv = vec3_scale(l->params.gravity, dt) };
    if (l->def.dimensions == 2) g.dv.z = 0.0f;
    g.to_wind = l->method->needs_lists ? 1.0f - tarn_exp(-l->params.drag * dt) : 0.0f;
    g.lone = l->def.dimensions == 2 ? 4 : 8;
    tarn__parallel_for(l->ctx, tarn__liquid_blocks(l), gravity_block, &g);
}

// ---- Walls as liquid ---------------------------------------------------------------------------------

float tarn__liquid_wall_parts(const TarnLiquid* l, const Smoothing* s, float offset, float steeper,
                              int p, float slope[LIQUID_MAX_CONTACTS])
{
    const LiquidContact* c = l->contacts + l->contact_begin[p];
    int n = l->contact_count[p];
    float open[LIQUID_MAX_CONTACTS], left = 1.0f;
    for (int i = 0; i < n; ++i) {
        open[i] = 1.0f - tarn__smoothing_wall(s, c[i].at.distance + offset);
        left *= open[i];
    }
    for (int i = 0; i < n; ++i) {
        slope[i] = steeper * tarn__smoothing_wall_slope(s, c[i].at.distance + offset);
        for (int k = 0; k < n; ++k) slope[i] *= k != i ? open[k] : 1.0f;
    }
    return 1.0f - left;
}

float tarn__liquid_wall_share(const TarnLiquid* l, const Smoothing* s, int p, TarnVec3* gradient)
{
    float slope[LIQUID_MAX_CONTACTS];
    float share = tarn__liquid_wall_parts(l, s, 0.0f, 1.0f, p, slope);
    TarnVec3 sum = { 0.0f, 0.0f, 0.0f };
    const LiquidContact* c = l->contacts + l->contact_begin[p];
    for (int i = 0; i < l->contact_count[p]; ++i)
        sum = vec3_add(sum, vec3_scale(c[i].at.normal, slope[i]));
    if (gradient != NULL) *gradient = sum;
    return share;
}

// ---- Contacts ----------------------------------------------------------------------------------------

enum { MAX_SOLIDS = 4096, CONTACT_ROUNDS = 3 };

typedef struct Contacts {
    TarnLiquid* l;
    float dt, skin, near; // skin; nearer than `near` counts as touching [m]
    bool has_reacting;
    int touching[MAX_SOLIDS]; // contacts of each reacting solid
} Contacts;

// How easily the solid gives way along a direction, per unit of impulse [1/kg]. All its contacts act at
// once and none knows of the others: each gets its share of the mass. So the sum of the impulses is at
// most what one body of that mass would take, and a light body is not flung.
static float give(const Contacts* k, const LiquidPlace* at, TarnVec3 along)
{
    if (!k->has_reacting || at->solid < 0) return 0.0f;
    const SolidMass* m = tarn__solids_mass(k->l->solids, at->solid);
    if (!(m->inverse_mass > 0.0f)) return 0.0f;
    const float* i = m->inverse_inertia;
    TarnVec3 t = vec3_cross(at->arm, along);
    TarnVec3 turn = { i[0] * t.x + i[1] * t.y + i[2] * t.z, i[3] * t.x + i[4] * t.y + i[5] * t.z,
                      i[6] * t.x + i[7] * t.y + i[8] * t.z };
    return (m->inverse_mass + vec3_dot(t, turn)) * (float)k->touching[at->solid];
}

static TarnVec3 velocity_at(const Contacts* k, const LiquidContact* c)
{
    return tarn__liquid_contact_velocity(k->l, (int)(c - k->l->contacts));
}

// Impulse of the normal, so that the particle does not come nearer than the skin.
static void push_out(const Contacts* k, LiquidContact* c, float inverse_mass, TarnVec3* v)
{
    TarnVec3 n = c->at.normal;
    float slowest = tarn_minf(0.0f, (k->skin - c->at.distance) / k->dt);
    float speed = vec3_dot(vec3_sub(*v, velocity_at(k, c)), n);
    if (!(speed < slowest)) return;
    float j = (slowest - speed) / (inverse_mass + give(k, &c->at, n));
    *v = vec3_add(*v, vec3_scale(n, j * inverse_mass));
    c->impulse = vec3_add(c->impulse, vec3_scale(n, j));
}

static void rub(const Contacts* k, LiquidContact* c, float inverse_mass, TarnVec3* v)
{
    const TarnLiquid* l = k->l;
    bool is_wall = c->at.solid < 0;
    float friction = is_wall ? l->params.friction : tarn__solids_friction(l->solids, c->at.solid);
    bool sticks = !is_wall && tarn__solids_touch(l->solids, c->at.solid) == TARN_TOUCH_STICK;
    TarnVec3 n = c->at.normal, u = vec3_sub(*v, velocity_at(k, c));
    TarnVec3 slip = vec3_sub(u, vec3_scale(n, vec3_dot(u, n)));
    float speed = vec3_length(slip), pressed = vec3_dot(c->impulse, n);
    if (!(speed > 0.0f)) return;
    TarnVec3 along = vec3_scale(slip, 1.0f / speed);
    float stop = speed / (inverse_mass + give(k, &c->at, along)); // impulse that ends the slip
    bool holds = c->at.distance < k->near && (sticks || (friction >= 1.0f && pressed > 0.0f));
    float j = holds ? stop : tarn_minf(stop, friction * tarn_maxf(pressed, 0.0f));
    *v = vec3_sub(*v, vec3_scale(along, j * inverse_mass));
    c->impulse = vec3_sub(c->impulse, vec3_scale(along, j));
}

static void contacts_block(int block, void* data)
{
    const Contacts* k = data;
    TarnLiquid* l = k->l;
    int begin = block * LIQUID_BLOCK, end = tarn__liquid_block_end(l, block);
    for (int i = begin; i < end; ++i) {
        int n = l->contact_count[i];
        if (n == 0 || (l->flags[i] & TARN_LIQUID_FROZEN)) continue;
        LiquidContact* c = l->contacts + l->contact_begin[i];
        float inverse_mass = 1.0f / l->mass[l->kind[i]];
        TarnVec3 v = { l->vx[i], l->vy[i], l->vz[i] };
        int rounds = n > 1 ? CONTACT_ROUNDS : 1;
        for (int r = 0; r < rounds; ++r)
            for (int s = 0; s < n; ++s) push_out(k, c + s, inverse_mass, &v);
        for (int s = 0; s < n; ++s) rub(k, c + s, inverse_mass, &v);
        if (n > 1) // what friction of one did to the other
            for (int s = 0; s < n; ++s) push_out(k, c + s, inverse_mass, &v);
        l->vx[i] = v.x;
        l->vy[i] = v.y;
        l->vz[i] = v.z;
    }
}

// Serial, and only where something reacts: a few bodies' worth of contacts.
static void count_touching(Contacts* k)
{
    const TarnLiquid* l = k->l;
    int capacity = l->solids != NULL ? tarn__solids_capacity(l->solids) : 0;
    if (capacity > MAX_SOLIDS) capacity = MAX_SOLIDS;
    for (int s = 0; s < capacity; ++s) {
        k->touching[s] = 0;
        k->has_reacting |= tarn__solids_is_used(l->solids, s) &&
                           tarn__solids_mass(l->solids, s)->inverse_mass > 0.0f;
    }
    for (int i = 0; i < l->n && k->has_reacting; ++i) {
        const LiquidContact* c = l->contacts + l->contact_begin[i];
        for (int s = 0; s < l->contact_count[i]; ++s)
            if (c[s].at.solid >= 0 && c[s].at.distance < k->near) ++k->touching[c[s].at.solid];
    }
    for (int s = 0; s < capacity; ++s) k->touching[s] = k->touching[s] > 0 ? k->touching[s] : 1;
}

void tarn__liquid_contacts(TarnLiquid* l, float dt)
{
    Contacts k; // not zeroed as a whole: count_touching fills what is used
    k.l = l;
    k.dt = tarn_maxf(dt, 1e-9f);
    k.skin = liquid_skin * l->def.spacing;
    k.near = 0.75f * l->def.spacing;
    k.has_reacting = false;
    count_touching(&k);
    tarn__parallel_for(l->ctx, tarn__liquid_blocks(l), contacts_block, &k);
}
