// Particles against solids: bounce, slide, rest, stick, die.
//
// Most particles are nowhere near a solid. Boxes around the paths of a batch, of eight, of one are tested
// against the solids first; only particles in a box that touches one are swept along their path. A particle
// that hits flies on from there for the rest of the step, a few times if it must.
//
// The speed at the surface is not the one at the end of the step but follows from the way fallen,
// u^2 = u0^2 + 2 a d: bounces neither gain nor lose energy by the time step. A bounce that would be over
// within half a step is none: the particle rests or slides, with friction by what presses it on.

#include "particles/particles_internal.h"
#include "particles/solids_internal.h"
#include "base/maths.h"

enum { MAX_BOUNCES = 4, MAX_NEAR = 1024 }; // MAX_NEAR: solids near one particle's way

typedef struct Collide {
    const ParticlePass* pass;
    TarnParticles* set;
    ParticleBlock* block;
    ParticleHit* hits; // of the block
    int* slots;        // solids that touch the box around the path of the particle
    int n_slots;
    TarnVec3 lo, hi; // that box
} Collide;

// A particle on its path through the step.
typedef struct Flight {
    int i;         // in the pool
    TarnVec3 x, v; // now
    TarnVec3 a;    // mean acceleration of the step [m/s^2]
    TarnVec3 to;   // where it would be at the end
    float left;    // of the step [s]
    float t;       // share of the frame
    float dt;      // of the whole step [s]
    int last;      // solid it met last, -1: none
} Flight;

static void note_hit(Collide* c, const Flight* f, int kind, int slot, TarnVec3 x, TarnVec3 v,
                     TarnVec3 normal)
{
    if ((c->set->wanted & 1u << kind) == 0) return;
    if (c->block->n_hits == c->set->max_hits) {
        c->block->n_lost++;
        return;
    }
    c->hits[c->block->n_hits++] = (ParticleHit){ f->i, slot, kind, x, v, normal };
}

static void set_fate(Collide* c, int i, int fate)
{
    uint8_t* was = &c->set->fate[i];
    c->block->n_dead += (fate != 0) - (*was != 0);
    *was = (uint8_t)fate;
}

// Ends the step of a particle there.
static void put(Collide* c, const Flight* f, TarnVec3 x, TarnVec3 v)
{
    TarnParticles* set = c->set;
    const TarnParticlesParams* p = &set->params;
    if (!tarn__is_finite3(x) || !tarn__is_finite3(v)) x = f->x, v = (TarnVec3){ 0 };
    float speed = vec3_length(v);
    if (speed > set->def.max_speed) v = vec3_scale(v, set->def.max_speed / speed);
    set->x[f->i] = x.x, set->y[f->i] = x.y, set->z[f->i] = x.z;
    set->vx[f->i] = v.x, set->vy[f->i] = v.y, set->vz[f->i] = v.z;
    int fate = set->fate[f->i];
    if (fate == FATE_DIED || fate == FATE_KILLED) return;
    bool has_left = x.x < p->box_min.x || x.x > p->box_max.x || x.y < p->box_min.y ||
                    x.y > p->box_max.y || x.z < p->box_min.z || x.z > p->box_max.z;
    set_fate(c, f->i, has_left ? FATE_LEFT : 0);
}

static TarnVec3 along(TarnVec3 x, TarnVec3 v, TarnVec3 a, float t)
{
    return vec3_add(x, vec3_add(vec3_scale(v, t), vec3_scale(a, 0.5f * t * t)));
}

// Speed of a solid's surface at a point next to it.
static TarnVec3 surface_velocity(const Collide* c, int slot, float t, TarnVec3 x)
{
    SolidContact contact;
    float reach = 2.0f * c->set->params.radius + 0.1f;
    if (tarn__solids_contacts(c->set->solids, &slot, 1, t, 3, x, reach, &contact, 1) == 1)
        return contact.velocity;
    TarnVec3 v, turn;
    tarn__solids_get_velocity(c->set->solids, slot, &v, &turn);
    return v;
}

// Friction from 0 to 1 as a coefficient: what share of a push into the surface acts along it at most.
static float grip(float friction)
{
    return friction < 1.0f ? friction / (1.0f - friction) : 1e30f;
}

static TarnVec3 slowed_along(TarnVec3 slip, float most)
{
    float speed = vec3_length(slip);
    return speed <= most ? (TarnVec3){ 0.0f, 0.0f, 0.0f } : vec3_scale(slip, 1.0f - most / speed);
}

// What is left of the acceleration of a particle that lies on a surface, with friction by its weight. The
// friction acts on the speed that it would have at the end, so that on a slope it can hold.
static TarnVec3 rubbed(const Flight* f, TarnVec3 n, float a_n, TarnVec3 slip, float mu)
{
    TarnVec3 a = vec3_sub(f->a, vec3_scale(n, a_n));
    TarnVec3 end = vec3_add(slip, vec3_scale(a, f->left));
    end = slowed_along(end, -mu * a_n * f->left);
    return vec3_scale(vec3_sub(end, slip), 1.0f / f->left);
}

// Into the surface of `slot` at the share `at` of the way to f->to. f goes on from there.
static void bounce(Collide* c, Flight* f, int slot, TarnVec3 n, float at, TarnVec3 hit,
                   TarnVec3 surface)
{
    const TarnParticlesParams* p = &c->set->params;
    const TarnSolids* solids = c->set->solids;
    float e = tarn_maxf(p->restitution, tarn__solids_restitution(solids, slot));
    float mu = grip(tarn_maxf(p->friction, tarn__solids_friction(solids, slot)));
    TarnVec3 way = vec3_scale(vec3_sub(f->to, f->x), at);
    float a_n = vec3_dot(f->a, n), u0 = vec3_dot(vec3_sub(f->v, surface), n);
    float d = vec3_dot(way, n) - vec3_dot(surface, n) * at * f->left;
    float u = -sqrtf(tarn_maxf(0.0f, u0 * u0 + 2.0f * a_n * d)); // at the surface
    if (at == 0.0f) u = tarn_minf(u0, 0.0f);                     // it has been there before
    float t = u0 + u < -1e-6f ? 2.0f * d / (u0 + u) : at * f->left;
    t = tarn_clampf(t, 0.0f, f->left);

    TarnVec3 v = vec3_add(f->v, vec3_scale(f->a, t));
    TarnVec3 rel = vec3_sub(v, surface), slip = vec3_sub(rel, vec3_scale(n, vec3_dot(rel, n)));
    v = vec3_add(vec3_add(surface, slip), vec3_scale(n, u));
    float rest = 0.5f * f->dt * tarn_maxf(0.0f, -a_n), back = -e * u;
    f->t += (c->pass->t1 - f->t) * at;
    f->left -= t;
    if (-u > rest) note_hit(c, f, TARN_PARTICLE_HIT, slot, hit, v, n);
    if (back <= rest) back = 0.0f; // it stays on the surface
    slip = slowed_along(slip, mu * (back - u));
    if (back == 0.0f && a_n < 0.0f && f->left > 0.0f) f->a = rubbed(f, n, a_n, slip, mu);
    f->x = hit;
    f->v = vec3_add(vec3_add(surface, slip), vec3_scale(n, back));
    f->to = along(f->x, f->v, f->a, f->left);
    f->last = slot;
}

static void stick(Collide* c, Flight* f, int slot, TarnVec3 normal, TarnVec3 hit, float at,
                  TarnVec3 surface)
{
    TarnVec3 v = vec3_add(f->v, vec3_scale(f->a, at * f->left));
    note_hit(c, f, TARN_PARTICLE_HIT, slot, hit, v, normal);
    c->set->stuck[f->i] = (uint16_t)(slot + 1);
    c->block->n_glued++;
    put(c, f, vec3_add(hit, vec3_scale(surface, (1.0f - at) * f->left)), surface);
}

// Where the way ends without another bounce: nothing goes on into the surface.
static void stop_at(Collide* c, Flight* f, TarnVec3 end, TarnVec3 n, TarnVec3 surface)
{
    TarnVec3 v = vec3_add(f->v, vec3_scale(f->a, f->left));
    float into = vec3_dot(vec3_sub(v, surface), n);
    put(c, f, end, into < 0.0f ? vec3_sub(v, vec3_scale(n, into)) : v);
}

static float margin(const TarnParticles* set) // between paths and their boxes [m]
{
    return set->params.radius * 1.001f + 1e-3f;
}

// Bounces and solids that push lead out of the box that was looked at first. Returns true if there are more
// solids in the wider one.
static bool widen(Collide* c, TarnVec3 p)
{
    float r = margin(c->set);
    TarnVec3 lo = { p.x - r, p.y - r, p.z - r }, hi = { p.x + r, p.y + r, p.z + r };
    if (lo.x >= c->lo.x && lo.y >= c->lo.y && lo.z >= c->lo.z && hi.x <= c->hi.x &&
        hi.y <= c->hi.y && hi.z <= c->hi.z)
        return false;
    c->lo =
        (TarnVec3){ tarn_minf(lo.x, c->lo.x), tarn_minf(lo.y, c->lo.y), tarn_minf(lo.z, c->lo.z) };
    c->hi =
        (TarnVec3){ tarn_maxf(hi.x, c->hi.x), tarn_maxf(hi.y, c->hi.y), tarn_maxf(hi.z, c->hi.z) };
    int before = c->n_slots;
    c->n_slots = tarn__solids_near(c->set->solids, c->lo, c->hi, c->slots, MAX_NEAR);
    return c->n_slots > before;
}

// The first solid on the way to f->to, or -1. A sweep that starts at a surface slides along it and does
// not call that a hit; here it is one, at 0.
static int find_hit(Collide* c, const Flight* f, TarnVec3* end, TarnVec3* normal, float* at)
{
    const TarnSolids* solids = c->set->solids;
    float radius = c->set->params.radius;
    int slot, tries = 0;
    widen(c, f->to);
    do {
        *end = tarn__solids_sweep(solids, c->slots, c->n_slots, f->t, c->pass->t1, 3, f->x, f->to,
                                  radius, &slot, normal, at);
    } while (widen(c, *end) && ++tries < MAX_BOUNCES);
    *at = tarn_clampf(*at, 0.0f, 1.0f);
    if (slot >= 0) return slot;
    TarnVec3 off = vec3_sub(*end, f->to);
    float size = fabsf(f->x.x) + fabsf(f->x.y) + fabsf(f->x.z);
    float slack = 1e-6f + 4e-7f * size, reach = 1.1f * radius + 1e-4f + 4e-6f * size;
    SolidContact contact;
    if (vec3_dot(off, off) <= slack * slack ||
        tarn__solids_contacts(solids, c->slots, c->n_slots, f->t, 3, f->x, reach, &contact, 1) == 0)
        return -1;
    *normal = contact.normal;
    *at = 0.0f;
    return contact.solid;
}

// Where it hits. Not always on the straight way: a solid may have pushed it before.
static TarnVec3 hit_point(const Collide* c, const Flight* f, float at)
{
    TarnVec3 n, to = vec3_add(f->x, vec3_scale(vec3_sub(f->to, f->x), at));
    float t = f->t + (c->pass->t1 - f->t) * at, when;
    int slot;
    if (at == 0.0f) return f->x;
    return tarn__solids_sweep(c->set->solids, c->slots, c->n_slots, f->t, t, 3, f->x, to,
                              c->set->params.radius, &slot, &n, &when);
}

// One that lies on a surface already is pressed onto it first, and then slides: half the price of finding
// that out on the way.
static void start_at_rest(Collide* c, Flight* f)
{
    const TarnSolids* solids = c->set->solids;
    float reach = 1.05f * c->set->params.radius + 2e-5f;
    SolidContact contact;
    if (tarn__solids_contacts(solids, c->slots, c->n_slots, f->t, 3, f->x, reach, &contact, 1) ==
            0 ||
        tarn__solids_touch(solids, contact.solid) != TARN_TOUCH_BOUNCE)
        return;
    float a_n = vec3_dot(f->a, contact.normal);
    float u = vec3_dot(vec3_sub(f->v, contact.velocity), contact.normal);
    if (u <= 0.0f && u >= 0.5f * a_n * f->dt)
        bounce(c, f, contact.solid, contact.normal, 0.0f, f->x, contact.velocity);
}

static void fly(Collide* c, Flight* f)
{
    TarnParticles* set = c->set;
    start_at_rest(c, f);
    for (int round = f->last >= 0;; ++round) {
        TarnVec3 n, end;
        float at;
        int slot = find_hit(c, f, &end, &n, &at);
        if (slot < 0) { // untouched: the kernel's velocity stands
            TarnVec3 v = { set->vx[f->i], set->vy[f->i], set->vz[f->i] };
            if (round > 0) v = vec3_add(f->v, vec3_scale(f->a, f->left));
            put(c, f, end, v);
            return;
        }
        TarnVec3 hit = hit_point(c, f, at);
        int touch = tarn__solids_touch(set->solids, slot);
        if (touch == TARN_TOUCH_KILL) {
            TarnVec3 v = vec3_add(f->v, vec3_scale(f->a, at * f->left));
            note_hit(c, f, TARN_PARTICLE_KILLED, slot, hit, v, n);
            set_fate(c, f->i, FATE_KILLED);
            put(c, f, hit, v);
            return;
        }
        TarnVec3 surface = surface_velocity(c, slot, f->t + (c->pass->t1 - f->t) * at, hit);
        if (touch == TARN_TOUCH_STICK) {
            stick(c, f, slot, n, hit, at, surface);
            return;
        }
        bool is_away = slot == f->last && vec3_dot(vec3_sub(f->v, surface), n) > -1e-4f;
        if (is_away || round == MAX_BOUNCES) {
            stop_at(c, f, end, n, surface);
            return;
        }
        bounce(c, f, slot, n, at, hit, surface);
    }
}

// Moves a stuck particle with its solid. Returns false if that solid no longer exists.
static bool ride(Collide* c, Flight* f)
{
    const TarnSolids* solids = c->set->solids;
    int slot = c->set->stuck[f->i] - 1;
    SolidContact contact;
    float radius = c->set->params.radius, reach = 2.0f * radius + 0.05f;
    bool is_there = tarn__solids_is_used(solids, slot) &&
                    tarn__solids_touch(solids, slot) == TARN_TOUCH_STICK &&
                    tarn__solids_contacts(solids, &slot, 1, f->t, 3, f->x, reach, &contact, 1) == 1;
    if (!is_there) {
        c->set->stuck[f->i] = 0;
        c->block->n_glued--;
        return false;
    }
    TarnVec3 v = contact.velocity, x = vec3_add(f->x, vec3_scale(v, f->dt));
    reach += vec3_length(v) * f->dt;
    if (tarn__solids_contacts(solids, &slot, 1, c->pass->t1, 3, x, reach, &contact, 1) == 1) {
        x = vec3_add(x, vec3_scale(contact.normal, radius - contact.distance));
        v = contact.velocity;
    }
    put(c, f, x, v);
    return true;
}

static Flight take_off(const Collide* c, const ParticleBefore* b, int first, int j)
{
    const TarnParticles* set = c->set;
    const ParticlePass* pass = c->pass;
    int i = first + j;
    Flight f = { .i = i, .left = b->dt[j], .dt = b->dt[j], .last = -1 };
    f.x = (TarnVec3){ b->x[j], b->y[j], b->z[j] };
    f.v = (TarnVec3){ b->vx[j], b->vy[j], b->vz[j] };
    f.to = (TarnVec3){ set->x[i], set->y[i], set->z[i] };
    TarnVec3 v1 = { set->vx[i], set->vy[i], set->vz[i] };
    if (f.dt > 0.0f) f.a = vec3_scale(vec3_sub(v1, f.v), 1.0f / f.dt);
    if (!tarn__is_finite3(f.a)) f.a = (TarnVec3){ 0 };
    f.t =
        pass->longest > 0.0f ? pass->t1 - (pass->t1 - pass->t0) * (f.dt / pass->longest) : pass->t1;
    return f;
}

// Boxes around the path of each, with room for the distance kept between particles and solids.
typedef struct Boxes {
    float lo[3][PARTICLE_BATCH], hi[3][PARTICLE_BATCH];
} Boxes;

static void box_ways(const TarnParticles* set, const ParticleBefore* b, int first, int n,
                     Boxes* out)
{
    const float* const from[3] = { b->x, b->y, b->z };
    const float* const to[3] = { set->x + first, set->y + first, set->z + first };
    float r = margin(set);
    for (int d = 0; d < 3; ++d) {
        for (int j = 0; j < n; ++j) {
            out->lo[d][j] = tarn_minf(from[d][j], to[d][j]) - r;
            out->hi[d][j] = tarn_maxf(from[d][j], to[d][j]) + r;
        }
    }
}

// Box around the paths of particles j0 to j1 - 1 of a batch.
static void join(const Boxes* b, int j0, int j1, TarnVec3* low, TarnVec3* high)
{
    float lo[3], hi[3];
    for (int d = 0; d < 3; ++d) {
        lo[d] = b->lo[d][j0], hi[d] = b->hi[d][j0];
        for (int j = j0 + 1; j < j1; ++j) {
            lo[d] = tarn_minf(b->lo[d][j], lo[d]);
            hi[d] = tarn_maxf(b->hi[d][j], hi[d]);
        }
    }
    *low = (TarnVec3){ lo[0], lo[1], lo[2] };
    *high = (TarnVec3){ hi[0], hi[1], hi[2] };
}

static void collide_one(Collide* c, const ParticleBefore* before, const Boxes* boxes, int first,
                        int j, bool is_near)
{
    int i = first + j;
    bool is_stuck = c->set->stuck[i] != 0;
    if (c->set->fate[i] == FATE_DIED) return;
    if (is_stuck) {
        Flight f = take_off(c, before, first, j);
        if (ride(c, &f)) return;
    }
    if (!is_near || !(before->dt[j] > 0.0f)) return;
    join(boxes, j, j + 1, &c->lo, &c->hi); // the eight may be strangers
    c->n_slots = tarn__solids_near(c->set->solids, c->lo, c->hi, c->slots, MAX_NEAR);
    if (c->n_slots == 0) return;
    Flight f = take_off(c, before, first, j);
    fly(c, &f);
}

void tarn__particles_collide(const ParticlePass* pass, int block, int first, int count,
                             const ParticleBefore* before, const float lo[3], const float hi[3])
{
    TarnParticles* set = pass->set;
    int slots[MAX_NEAR];
    float r = margin(set);
    int n = tarn__solids_near(set->solids, (TarnVec3){ lo[0] - r, lo[1] - r, lo[2] - r },
                              (TarnVec3){ hi[0] + r, hi[1] + r, hi[2] + r }, slots, 1);
    if (n == 0 && set->n_stuck == 0) return;
    Boxes boxes;
    box_ways(set, before, first, count, &boxes);
    Collide c = { .pass = pass, .set = set, .slots = slots };
    c.block = &set->blocks[block];
    c.hits = set->hits + (size_t)block * (size_t)set->max_hits;
    for (int j0 = 0; j0 < count; j0 += TARN_LANES) {
        int j1 = j0 + TARN_LANES < count ? j0 + TARN_LANES : count;
        join(&boxes, j0, j1, &c.lo, &c.hi);
        bool is_near = n > 0 && tarn__solids_near(set->solids, c.lo, c.hi, slots, 1) > 0;
        if (!is_near && set->n_stuck == 0) continue;
        for (int j = j0; j < j1; ++j) collide_one(&c, before, &boxes, first, j, is_near);
    }
}
