// Contacts of the constraint method: a solid counts as liquid that moves with it, nothing gets through its
// surface, and bodies answer.
//
// Method   The share of the kernel that lies in the solid adds to the density, as if it was full of
//          liquid, and its gradient to the row of the particle: so the first particles stand half a
//          spacing from a wall, the pressure of the row pushes the solid, and nothing is drawn to it.
//          Behind that is a row per contact, v_n >= -(distance - skin) / dt, as for rigid bodies, and
//          Coulomb's friction on all that presses.
// Differs  from the talk [Gustafsson2014], where contacts are solved after the liquid by another solver:
//          the same sweeps, so that stacks and light bodies in deep water stay calm.
// Source   [Gustafsson2014], [Catto2006].
// Checked  tests/unit/test_constraint.c.
// Cost     only for particles nearer than the support to a solid.

#include "liquid/constraint_kernels.h"

// ---- Bodies --------------------------------------------------------------------------------------

void tarn__constraint_find_bodies(ConstraintWork* w, uint8_t* body_of)
{
    const TarnLiquid* l = w->l;
    w->n_bodies = 0;
    w->body_of = NULL;
    if (l->solids == NULL) return;
    int slots = tarn__solids_capacity(l->solids);
    for (int s = 0; s < slots; ++s) {
        body_of[s] = 0;
        if (w->n_bodies == CONSTRAINT_MAX_BODIES || !tarn__solids_is_used(l->solids, s)) continue;
        const SolidMass* mass = tarn__solids_mass(l->solids, s);
        if (!(mass->inverse_mass > 0.0f)) continue;
        ConstraintBody* body = &w->bodies[w->n_bodies++];
        *body = (ConstraintBody){ .solid = s, .mass = *mass };
        body_of[s] = (uint8_t)w->n_bodies;
    }
    if (w->n_bodies == 0) return;
    w->body_of = body_of;
    for (int p = 0; p < l->n; ++p) {
        for (int i = 0; i < l->contact_count[p]; ++i) {
            int solid = l->contacts[l->contact_begin[p] + i].at.solid;
            if (solid >= 0 && body_of[solid] > 0) ++w->bodies[body_of[solid] - 1].contacts;
        }
    }
}

void tarn__constraint_meet_bodies(ConstraintWork* w)
{
    for (int b = 0; b < w->n_bodies; ++b) {
        ConstraintBody* body = &w->bodies[b];
        tarn__solids_get_velocity(w->l->solids, body->solid, &body->v0, &body->spin0);
        body->v = body->v0;
        body->spin = body->spin0;
    }
}

static TarnVec3 turned(const SolidMass* mass, TarnVec3 t)
{
    const float* m = mass->inverse_inertia;
    return (TarnVec3){ m[0] * t.x + m[1] * t.y + m[2] * t.z, m[3] * t.x + m[4] * t.y + m[5] * t.z,
                       m[6] * t.x + m[7] * t.y + m[8] * t.z };
}

// Their velocities are the ones they came with and all impulses since, in the order of the particles.
void tarn__constraint_move_bodies(ConstraintWork* w)
{
    const TarnLiquid* l = w->l;
    double sum[CONSTRAINT_MAX_BODIES][6];
    memset(sum, 0, sizeof sum);
    for (int p = 0; p < l->n; ++p) {
        for (int i = 0; i < l->contact_count[p]; ++i) {
            const LiquidContact* c = &l->contacts[l->contact_begin[p] + i];
            if (c->at.solid < 0 || w->body_of[c->at.solid] == 0) continue;
            double* s = sum[w->body_of[c->at.solid] - 1];
            float slope = l->contact_slope[l->contact_begin[p] + i];
            float pressure = i < CONSTRAINT_MAX_WALLS ? slope * w->lambda[p] : 0.0f;
            TarnVec3 on = vec3_sub(vec3_scale(c->at.normal, pressure), c->impulse);
            TarnVec3 turn = vec3_cross(c->at.arm, on);
            s[0] += on.x, s[1] += on.y, s[2] += on.z;
            s[3] += turn.x, s[4] += turn.y, s[5] += turn.z;
        }
    }
    for (int b = 0; b < w->n_bodies; ++b) {
        ConstraintBody* body = &w->bodies[b];
        TarnVec3 on = { (float)sum[b][0], (float)sum[b][1], (float)sum[b][2] };
        TarnVec3 turn = { (float)sum[b][3], (float)sum[b][4], (float)sum[b][5] };
        body->v = vec3_add(body->v0, vec3_scale(on, body->mass.inverse_mass));
        body->spin = vec3_add(body->spin0, turned(&body->mass, turn));
    }
}

static const ConstraintBody* body_at(const ConstraintWork* w, const LiquidPlace* at)
{
    if (w->body_of == NULL || at->solid < 0 || w->body_of[at->solid] == 0) return NULL;
    return &w->bodies[w->body_of[at->solid] - 1];
}

static TarnVec3 surface_velocity(const ConstraintWork* w, int contact, const ConstraintBody* body)
{
    if (body == NULL) return tarn__liquid_contact_velocity(w->l, contact);
    return vec3_add(body->v, vec3_cross(body->spin, w->l->contacts[contact].at.arm));
}

// How much an impulse along a unit vector changes the body's velocity there [1/kg], if all its contacts
// give as much: each has its part of the mass, so that together they do not throw a light body.
static float body_answer(const ConstraintBody* body, const LiquidPlace* at, TarnVec3 along)
{
    if (body == NULL) return 0.0f;
    TarnVec3 t = vec3_cross(at->arm, along);
    float answer = body->mass.inverse_mass + vec3_dot(t, turned(&body->mass, t));
    return answer * (float)body->contacts;
}

// ---- Walls as liquid -----------------------------------------------------------------------------

// The share of the integral of (1 - q)^2 beyond a plane at the ratio q of the radius, and its slope by q.
// In 3-D exact; in 2-D, where logarithms would come in, fitted to 6e-5.
static float wall_share(int dims, bool is_talk, float q, float* slope)
{
    float a = fabsf(q), share = 0.0f;
    *slope = 0.0f;
    if (a < 1.0f && is_talk) {
        share = constraint_talk_share(dims, a, slope);
    } else if (a < 1.0f && dims == 3) {
        float a2 = a * a;
        share = 0.5f + a * (-1.25f + a2 * (2.5f + a * (-2.5f + 0.75f * a)));
        *slope = -1.25f + a2 * (7.5f + a * (-10.0f + 3.75f * a));
    } else if (a < 1.0f) {
        const float c1 = 0.47167195f, c2 = -0.34349594f, c3 = 0.38988761f, c4 = -0.22078115f;
        float b = 1.0f - a, b25 = b * b * sqrtf(b);
        float f = 0.5f + a * (c1 + a * (c2 + a * (c3 + a * c4)));
        float df = c1 + a * (2.0f * c2 + a * (3.0f * c3 + a * (4.0f * c4)));
        share = b25 * b * f;
        *slope = b25 * (b * df - 3.5f * f);
    }
    return q < 0.0f ? 1.0f - share : share;
}

static int walls_of(const TarnLiquid* l, int p)
{
    int n = l->contact_count[p];
    return n < CONSTRAINT_MAX_WALLS ? n : CONSTRAINT_MAX_WALLS;
}

ConstraintWalls tarn__constraint_walls(const ConstraintWork* w, int p)
{
    const TarnLiquid* l = w->l;
    const LiquidContact* contact = l->contacts + l->contact_begin[p];
    float share[CONSTRAINT_MAX_WALLS], steep[CONSTRAINT_MAX_WALLS], free = 1.0f;
    int n = walls_of(l, p);
    for (int i = 0; i < n; ++i) {
        share[i] =
            wall_share(w->dims, w->is_talk, contact[i].at.distance * w->inverse_h, &steep[i]);
        free *= 1.0f - share[i];
    }
    ConstraintWalls walls = { .share = w->wall * (1.0f - free) };
    for (int i = 0; i < n; ++i) {
        float others = 1.0f; // two walls share their corner
        for (int j = 0; j < n; ++j) others *= j != i ? 1.0f - share[j] : 1.0f;
        const LiquidPlace* at = &contact[i].at;
        float slope = steep[i] * others * (w->wall * w->inverse_h);
        walls.gradient = vec3_add(walls.gradient, vec3_scale(at->normal, slope));
        walls.mass += slope * slope * body_answer(body_at(w, at), at, at->normal);
        l->contact_slope[l->contact_begin[p] + i] = slope;
    }
    return walls;
}

float tarn__constraint_wall_rate(const ConstraintWork* w, int p)
{
    const TarnLiquid* l = w->l;
    float rate = 0.0f;
    for (int i = 0, n = walls_of(l, p); i < n; ++i) {
        int contact = l->contact_begin[p] + i;
        const LiquidPlace* at = &l->contacts[contact].at;
        TarnVec3 v = surface_velocity(w, contact, body_at(w, at));
        rate -= l->contact_slope[contact] * vec3_dot(at->normal, v);
    }
    return rate;
}

// ---- Rows ----------------------------------------------------------------------------------------

static float friction_of(const TarnLiquid* l, int solid)
{
    if (solid < 0) return l->params.friction;
    if (tarn__solids_touch(l->solids, solid) == TARN_TOUCH_STICK) return 1e6f;
    return tarn__solids_friction(l->solids, solid);
}

void tarn__constraint_contacts(const ConstraintWork* w, int p, float lambda)
{
    const TarnLiquid* l = w->l;
    LiquidContact* contact = l->contacts + l->contact_begin[p];
    const float* slope = l->contact_slope + l->contact_begin[p];
    float root = constraint_root(w, p), *u = constraint_u(w, p);
    if (!(root > 0.0f)) return; // frozen
    TarnVec3 v = constraint_velocity(w, p);
    for (int i = 0; i < l->contact_count[p]; ++i) {
        const LiquidPlace* at = &contact[i].at;
        const ConstraintBody* body = body_at(w, at);
        TarnVec3 relative = vec3_sub(v, surface_velocity(w, l->contact_begin[p] + i, body));
        float k = root * root + body_answer(body, at, at->normal);
        float into = vec3_dot(relative, at->normal);
        float push = tarn_minf((w->skin - at->distance) / w->dt, w->max_push);
        float normal = tarn_maxf(0.0f, (push - into) / k);
        TarnVec3 impulse = vec3_scale(at->normal, normal);
        float pressed = normal - (i < CONSTRAINT_MAX_WALLS ? slope[i] * lambda : 0.0f);
        float friction = w->is_last ? friction_of(l, at->solid) : 0.0f;
        // The grid's pressure counts the less the smoother the wall is: with all of it the first row of particles would
        // stand still in any slow flow, and the rest would shimmer along it.
        if (at->distance < 3.0f * w->skin)
            pressed += tarn_minf(friction, 1.0f) * w->wall_area * l->memory_a[p];
        float most = friction * pressed;
        if (most > 0.0f) {
            TarnVec3 slip = vec3_sub(relative, vec3_scale(at->normal, into));
            float speed = vec3_length(slip), stop = speed / k;
            float part = stop > most ? most / speed : 1.0f / k;
            impulse = vec3_sub(impulse, vec3_scale(slip, part));
        }
        v = vec3_add(v, vec3_scale(impulse, root * root));
        contact[i].impulse = vec3_add(contact[i].impulse, impulse);
    }
    u[0] = v.x / root;
    u[1] = v.y / root;
    if (w->dims == 3) u[2] = v.z / root;
}

void tarn__constraint_settle(const ConstraintWork* w, int p)
{
    const TarnLiquid* l = w->l;
    LiquidContact* contact = l->contacts + l->contact_begin[p];
    const float* slope = l->contact_slope + l->contact_begin[p];
    for (int i = 0; i < walls_of(l, p); ++i) {
        TarnVec3 by_pressure = vec3_scale(contact[i].at.normal, -slope[i] * w->lambda[p]);
        contact[i].impulse = vec3_add(contact[i].impulse, by_pressure);
    }
}
