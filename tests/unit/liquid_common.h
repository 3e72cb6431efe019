// What the tests of liquids share: small liquids, and a method that only falls, so that the driver can be
// told from the physics.
#pragma once

#include "test_common.h"
#include "liquid/liquid_driver.h"

static inline float falling_dt(const TarnLiquid* l, float left)
{
    (void)l;
    return left < 0.05f ? left : 0.05f;
}
// Gravity, and contacts that stop the motion into them.
static inline void falling_solve(TarnLiquid* l, float dt)
{
    for (int p = 0; p < l->n; ++p) {
        if (l->flags[p] & TARN_LIQUID_FROZEN) continue;
        l->vx[p] += dt * l->params.gravity.x;
        l->vy[p] += dt * l->params.gravity.y;
        l->vz[p] += l->def.dimensions == 3 ? dt * l->params.gravity.z : 0.0f;
        l->density[p] = l->kinds[l->kind[p]].density;
        for (int c = 0; c < l->contact_count[p]; ++c) {
            LiquidContact* contact = &l->contacts[l->contact_begin[p] + c];
            TarnVec3 v = vec3_sub(liquid_velocity(l, p),
                                  tarn__liquid_contact_velocity(l, l->contact_begin[p] + c));
            float gap = contact->at.distance - 0.5f * l->def.spacing;
            float lack = -gap / dt - vec3_dot(v, contact->at.normal);
            if (!(lack > 0.0f)) continue;
            TarnVec3 change = vec3_scale(contact->at.normal, lack);
            l->vx[p] += change.x, l->vy[p] += change.y, l->vz[p] += change.z;
            contact->impulse = vec3_scale(change, l->mass[l->kind[p]]);
        }
    }
}
static const LiquidMethod falling = {
    .name = "falling", .needs_lists = true, .stable_dt = falling_dt, .solve = falling_solve
};

static const double pi = 3.14159265358979323846;
static const int n_methods = TARN_LIQUID_LENNARD_JONES + 1;

// A tank of 1 x 1 (x 1) m, particles 5 cm apart.
static inline TarnLiquidDef tank_def(int dims)
{
    TarnLiquidDef def = tarn_liquid_default_def();
    def.dimensions = dims;
    def.spacing = 0.05f;
    def.max_particles = 4000;
    def.box_min = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    def.box_max = (TarnVec3){ 1.0f, 1.0f, 1.0f };
    return def;
}

static inline TarnLiquid* make_liquid(TarnContext* where, const TarnLiquidDef* def)
{
    TarnLiquid* l;
    TarnResult result = tarn_liquid_create(where, def, &l);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(where));
    assert_int_equal(result, TARN_OK);
    return l;
}
// The same, but it only falls.
static inline TarnLiquid* make_falling(const TarnLiquidDef* def)
{
    TarnLiquid* l = make_liquid(ctx, def);
    l->method = &falling;
    return l;
}

static inline int fill_box(TarnLiquid* l, TarnVec3 min, TarnVec3 max)
{
    TarnLiquidFill fill = tarn_liquid_fill_default();
    int n = -1;
    fill.shape = tarn_shape_box_between(min, max, &fill.pose.position);
    assert_ok(tarn_liquid_fill(l, &fill, &n));
    return n;
}

static inline TarnStepReport step_liquid(TarnLiquid* l, float dt)
{
    TarnStepReport report;
    assert_ok(tarn_liquid_step(l, dt, &report));
    return report;
}
static inline void run_liquid(TarnLiquid* l, int n)
{
    for (int s = 0; s < n; ++s) step_liquid(l, frame);
}

// Finite, inside where there are walls, in order; the ledger closes.
// The hash of a liquid that is done with, and its context.
static inline uint64_t end_with_hash(TarnLiquid* l, TarnContext* where)
{
    uint64_t hash = tarn_liquid_hash(l);
    tarn_liquid_destroy(l);
    tarn_context_destroy(where);
    return hash;
}

static inline void assert_sane_liquid(const TarnLiquid* l)
{
    const float slack = 1e-4f;
    TarnVec3 lo = l->driver->domain_min, hi = l->driver->domain_max;
    int n_bad = 0;
    for (int p = 0; p < l->n; ++p) {
        TarnVec3 x = liquid_position(l, p), v = liquid_velocity(l, p);
        n_bad += !tarn__is_finite3(x) || !tarn__is_finite3(v) || !tarn__is_finite(l->density[p]) ||
                 !tarn__is_finite(l->pressure[p]);
        n_bad += !(vec3_length(v) <= l->params.max_speed * 1.001f);
        n_bad += (l->flags[p] & LIQUID_INNER_FLAGS) != 0;
        n_bad += l->def.dimensions == 2 && (x.z != 0.0f || v.z != 0.0f);
        n_bad += !(x.x >= lo.x - slack && x.x <= hi.x + slack && x.y >= lo.y - slack &&
                   x.y <= hi.y + slack);
    }
    assert_int_equal(n_bad, 0);
    TarnLiquidLedger g = tarn_liquid_ledger(l);
    assert_true(g.alive == (uint64_t)l->n);
    assert_true(g.added == g.alive + g.removed + g.drained + g.left + g.boiled);
}

static inline TarnSolids* make_solids(TarnContext* where)
{
    TarnSolidsDef def = tarn_solids_default_def();
    TarnSolids* solids;
    def.shape_memory = 65536;
    assert_int_equal(tarn_solids_create(where, &def, &solids), TARN_OK);
    return solids;
}
static inline TarnSolidId add_box(TarnSolids* solids, TarnVec3 center, TarnVec3 half, int touch,
                                  uint32_t user)
{
    TarnSolidDef def = tarn_solid_default_def();
    TarnSolidId id;
    def.shape.kind = TARN_SHAPE_BOX;
    def.shape.size = half;
    def.motion.position = center;
    def.touch = touch;
    def.user = user;
    assert_ok(tarn_solids_add(solids, &def, &id));
    return id;
}
