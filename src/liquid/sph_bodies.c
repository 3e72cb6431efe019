// Bodies in the pressure solve of dfsph and pcisph: they give way to the pressures while these are found.
//
// Method   After each iteration a body has the velocity that all pressures at its surface give it, and the
//          next one sees its surface move so. A pressure's own part of that is in the factor of its
//          row, with each of n contacts counting 1 / n of the mass [Tonge2012]: they all act at once, and
//          together they do not throw a light body. Particles and bodies get the same impulses, after
//          any number of iterations.
// Differs  from pushing a body by the pressures around one that goes straight on: the water that a body
//          must move weighs as much as the water it displaces, and more between walls. What is lighter
//          than that then overshoots in every substep, the other way each time, and is flung: a box of
//          20 kg/m^3 let go 0.7 m under water jumped to 2.5 m (dfsph) and 3.6 m (pcisph).
// Checked  tests/unit/test_liquid_bodies.c, tests/physics/check_liquid_solids.c.
// Cost     one look at the contacts per iteration, and none where no body reacts.

#include "liquid/sph.h"

static SphBody* body_at(const SphSweep* s, int solid)
{
    SphBodies* b = s->bodies;
    if (solid < 0 || solid >= SPH_MAX_SOLIDS || b->of[solid] == 0) return NULL;
    return &b->at[b->of[solid] - 1];
}

static TarnVec3 turned(const SolidMass* mass, TarnVec3 t)
{
    const float* m = mass->inverse_inertia;
    return (TarnVec3){ m[0] * t.x + m[1] * t.y + m[2] * t.z, m[3] * t.x + m[4] * t.y + m[5] * t.z,
                       m[6] * t.x + m[7] * t.y + m[8] * t.z };
}

// What pressure at the contacts takes from its own error through bodies that give way.
static void soften_block(int block, void* data)
{
    const SphSweep* s = data;
    const TarnLiquid* l = s->l;
    for (int i = block * LIQUID_BLOCK; i < tarn__liquid_block_end(l, block); ++i) {
        const LiquidContact* c = l->contacts + l->contact_begin[i];
        float sum = 0.0f;
        for (int k = 0; k < l->contact_count[i]; ++k) {
            const SphBody* body = body_at(s, c[k].at.solid);
            if (body == NULL) continue;
            TarnVec3 g = c[k].impulse, t = vec3_cross(c[k].at.arm, g); // the wall's gradient
            float give =
                vec3_dot(g, g) * body->mass.inverse_mass + vec3_dot(t, turned(&body->mass, t));
            sum += 4.0f * give * (float)body->contacts; // the wall counts twice on either side
        }
        s->factor[i] /= 1.0f + s->factor[i] * (s->gain * s->dt * sum);
    }
}

void tarn__sph_find_bodies(SphSweep* s, SphBodies* b)
{
    const TarnLiquid* l = s->l;
    int slots = l->solids != NULL ? tarn__solids_capacity(l->solids) : 0;
    b->n = 0;
    s->bodies = NULL;
    if (slots > SPH_MAX_SOLIDS) slots = SPH_MAX_SOLIDS;
    for (int slot = 0; slot < slots; ++slot) {
        b->of[slot] = 0;
        if (b->n == SPH_MAX_BODIES || !tarn__solids_is_used(l->solids, slot)) continue;
        const SolidMass* mass = tarn__solids_mass(l->solids, slot);
        if (!(mass->inverse_mass > 0.0f)) continue;
        SphBody* body = &b->at[b->n++];
        *body = (SphBody){ .solid = slot, .mass = *mass };
        tarn__solids_get_velocity(l->solids, slot, &body->v0, &body->spin0);
        b->of[slot] = (uint8_t)b->n;
    }
    if (b->n == 0) return;
    memset(b->of + slots, 0, (size_t)(SPH_MAX_SOLIDS - slots));
    s->bodies = b;
    for (int i = 0; i < l->n; ++i) {
        const LiquidContact* c = l->contacts + l->contact_begin[i];
        for (int k = 0; k < l->contact_count[i]; ++k) {
            SphBody* body = body_at(s, c[k].at.solid);
            if (body != NULL) ++body->contacts;
        }
    }
    tarn__parallel_for(l->ctx, tarn__liquid_blocks(l), soften_block, s);
}

// The impulses of all pressures, in the order of the particles.
static void push_bodies(const SphSweep* s, double sum[][6])
{
    const TarnLiquid* l = s->l;
    for (int i = 0; i < l->n; ++i) {
        if (l->contact_count[i] == 0) continue;
        const LiquidContact* c = l->contacts + l->contact_begin[i];
        for (int k = 0; k < l->contact_count[i]; ++k) {
            const SphBody* body = body_at(s, c[k].at.solid);
            if (body == NULL) continue;
            double* to = sum[body - s->bodies->at];
            TarnVec3 on = vec3_scale(c[k].impulse, 2.0f * s->gain * s->p[i]);
            TarnVec3 turn = vec3_cross(c[k].at.arm, on);
            to[0] += on.x, to[1] += on.y, to[2] += on.z;
            to[3] += turn.x, to[4] += turn.y, to[5] += turn.z;
        }
    }
}

static void surfaces_block(int block, void* data)
{
    const SphSweep* s = data;
    const TarnLiquid* l = s->l;
    for (int i = block * LIQUID_BLOCK; i < tarn__liquid_block_end(l, block); ++i) {
        if (l->contact_count[i] == 0) continue;
        const LiquidContact* c = l->contacts + l->contact_begin[i];
        TarnVec3* velocity = l->contact_velocity + l->contact_begin[i];
        float rate = 0.0f;
        for (int k = 0; k < l->contact_count[i]; ++k) {
            const SphBody* body = body_at(s, c[k].at.solid);
            if (body != NULL) velocity[k] = vec3_add(body->v, vec3_cross(body->spin, c[k].at.arm));
            rate += vec3_dot(c[k].impulse, velocity[k]);
        }
        s->own[4 * (size_t)i + 3] = 2.0f * rate;
    }
}

void tarn__sph_move_bodies(const SphSweep* s)
{
    SphBodies* b = s->bodies;
    double sum[SPH_MAX_BODIES][6];
    memset(sum, 0, (size_t)b->n * sizeof *sum);
    push_bodies(s, sum);
    for (int n = 0; n < b->n; ++n) {
        SphBody* body = &b->at[n];
        TarnVec3 on = { (float)sum[n][0], (float)sum[n][1], (float)sum[n][2] };
        TarnVec3 turn = { (float)sum[n][3], (float)sum[n][4], (float)sum[n][5] };
        TarnVec3 v = vec3_add(body->v0, vec3_scale(on, body->mass.inverse_mass));
        TarnVec3 spin = vec3_add(body->spin0, turned(&body->mass, turn));
        const float motion[6] = { v.x, v.y, v.z, spin.x, spin.y, spin.z };
        bool is_sane = tarn__all_within(motion, 6, 1e6f); // as in tarn__solids_add_push
        body->v = is_sane ? v : body->v0;
        body->spin = is_sane ? spin : body->spin0;
    }
    tarn__parallel_for(s->l->ctx, tarn__liquid_blocks(s->l), surfaces_block, (void*)s);
}
