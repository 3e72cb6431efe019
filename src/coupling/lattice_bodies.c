// Bodies in lattices: each body is a solid of the lattice's set, moved along its way during the step; what bounces off it
// is the force on it.
//
// Method   Momentum exchange at the links (src/lattice/lattice_obstacles.c), summed over the substeps. Buoyancy, drag and
//          the push of a wave need no formula. In 2-D a body counts as its section, and the force is scaled to
//          the body's own volume.
//          A body that is lighter than twice the fluid carries some of it along: explicit forces of the fluid would throw
//          it about otherwise, for near walls it moves as much as that. With its own displaced mass only, the crate of
//          dam_break_lattice changed its velocity by 6 m/s in each frame; now by 0.06. That changes how light
//          bodies speed up, not where they come to rest.
// Checked  tests/unit/test_lattice.c: a crate that floats.

#include "tarn/coupling.h"
#include "base/maths.h"
#include "bodies/bodies.h"
#include "coupling/body_section.h"
#include "lattice/lattice_internal.h"

// The body's inertia over the one with the fluid it carries along, once it is wet.
static float ease_of(const TarnLattice* l, const TarnBody* body, bool is_wet)
{
    float lacking = 2.0f * l->params.density - body->density; // [kg/m^3]
    return is_wet && !body->is_driven && lacking > 0.0f ? body->density / (body->density + lacking)
                                                        : 1.0f;
}

static TarnBodyForce force_of(const TarnLattice* l, const TarnBodies* bodies, const TarnBody* body,
                              const TarnSolidPush* push, float dt)
{
    TarnBodyForce force = { 0 };
    double thick = l->kind->dims == 3 ? 1.0 : 0.0,
           area = thick > 0.0 ? 0.0 : tarn__body_section(body);
    if (area > 0.0) thick = (double)body->volume / area;
    float ease = ease_of(l, body, push->touching > 0), less = ease - 1.0f;
    float scale = (float)(thick * (double)ease / (double)dt);
    TarnVec3 weight = vec3_scale(tarn__bodies_gravity(bodies), body->mass);
    TarnVec3 others = vec3_add(body->added_force, body->force.force);
    TarnVec3 spin = vec3_add(body->added_torque, body->force.torque);
    force.force =
        vec3_add(vec3_scale(push->impulse, scale), vec3_scale(vec3_add(weight, others), less));
    force.torque = vec3_add(vec3_scale(push->angular_impulse, scale), vec3_scale(spin, less));
    // No fluid throws a body faster than the lattice itself can be.
    float most = 0.5f * l->def.speed + vec3_length(body->state.velocity);
    float gain = vec3_length(force.force) * dt / body->mass;
    if (gain > most) {
        force.force = vec3_scale(force.force, most / gain);
        force.torque = vec3_scale(force.torque, most / gain);
    }
    const float f[6] = { force.force.x,  force.force.y,  force.force.z,
                         force.torque.x, force.torque.y, force.torque.z };
    return tarn__all_within(f, 6, 1e20f) ? force : (TarnBodyForce){ 0 };
}

TarnResult tarn_couple_lattice_bodies(TarnLattice* lattice, TarnBodies* bodies, float dt,
                                      TarnStepReport* report)
{
    TarnStepReport own = { 0 };
    if (report == NULL) report = &own;
    *report = own;
    if (lattice == NULL) return TARN_ERR_ARG;
    if (bodies == NULL)
        return tarn__fail(lattice->ctx, TARN_ERR_ARG, "bodies: it is NULL; pass a set of bodies");
    TarnSolids* solids = lattice->solids;
    if (solids == NULL)
        return tarn__fail(
            lattice->ctx, TARN_ERR_ARG,
            "lattice: it has no set of solids for the bodies; call tarn_lattice_set_solids first");
    TARN_TRY(tarn_couple_solids_bodies(solids, bodies, dt));
    tarn__bodies_open_forces(bodies);
    int n = tarn__bodies_capacity(bodies);
    for (int slot = 0; slot < n;
         ++slot) { // several solvers may share the set: each counts what it adds
        BodySolid* solid = tarn__bodies_solid(bodies, slot);
        TarnSolidPush push = { 0 };
        if (solid->id) tarn_solids_get_push(solids, (TarnSolidId){ solid->id }, &push);
        solid->impulse = push.impulse, solid->angular_impulse = push.angular_impulse,
        solid->touching = push.touching;
    }
    TARN_TRY(tarn_lattice_step(lattice, dt, report));
    for (int slot = 0; slot < n && dt > 0.0f; ++slot) {
        TarnBody* body = tarn__bodies_slot(bodies, slot);
        const BodySolid* solid = tarn__bodies_solid(bodies, slot);
        TarnSolidPush push = { 0 };
        if (!body->is_used || solid->id == 0 || solid->generation != body->generation) continue;
        if (tarn_solids_get_push(solids, (TarnSolidId){ solid->id }, &push) != TARN_OK) continue;
        push.impulse = vec3_sub(push.impulse, solid->impulse);
        push.angular_impulse = vec3_sub(push.angular_impulse, solid->angular_impulse);
        push.touching -= solid->touching;
        if (push.touching > 0)
            tarn__body_add_force(body, force_of(lattice, bodies, body, &push, dt));
    }
    return TARN_OK;
}
