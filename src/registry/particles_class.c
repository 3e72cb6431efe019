// Particle systems as a class: how worlds, scenes and tools reach tarn/particles.h.

#include "registry/registry.h"
#include "particles/particles_internal.h"
#include "tarn/particles.h"

CLASS_CALLS(TarnParticles, particles)

static TarnResult particles_join(void* solver, const TarnAround* around)
{
    return tarn_particles_set_solids(solver, around->solids);
}
static TarnResult particles_step(void* solver, const TarnAround* around, float dt,
                                 TarnStepReport* report)
{
    (void)around;
    TARN_TRY(tarn_particles_step(solver, dt, report));
    report->stable_dt = 0.0; // any dt is stable
    return TARN_OK;
}
static TarnResult particles_set_flow(void* solver, TarnFlow flow)
{
    return tarn_particles_set_flow(solver, flow);
}
static void particles_set_detail(void* solver, const TarnDetail* detail)
{
    tarn_particles_throttle(solver, detail->emission);
}

// ---- Emitters and attractors -------------------------------------------------------------------------

LIST_CALLS(particles, TarnParticleEmitter, emitter, particle_emitter)
LIST_CALLS(particles, TarnAttractor, attractor, attractor)

static uint64_t emitter_renew(const void* solver, uint64_t id)
{
    return tarn__handles_renew(&((const TarnParticles*)solver)->emitter_ids, id);
}

// An emitter of kind surface sits on the solid that stands for its body.
static void carry_emitter(void* def, const TarnCarrier* carrier)
{
    TarnParticleEmitterDef* emitter = def;
    emitter->motion = tarn_motion_carried(&carrier->motion, &emitter->motion);
    if (emitter->shape.kind == TARN_SHAPE_SURFACE) emitter->shape.solid = (int)carrier->solid_user;
}
static TarnResult move_emitter(void* solver, uint64_t id, const void* def,
                               const TarnCarrier* carrier)
{
    const TarnParticleEmitterDef* emitter = def;
    TarnParticleEmitterId emitter_id = { id };
    TARN_TRY(tarn_particles_move_emitter(solver, emitter_id, &emitter->motion));
    return tarn_particles_throttle_emitter(solver, emitter_id, carrier->throttle);
}

static const TarnListClass lists[] = {
    { .name = "emitters",
      .table = tarn_particle_emitter_def_table,
      .init = particle_emitter_init,
      .add = particle_emitter_add,
      .set = particle_emitter_set,
      .remove = particle_emitter_remove,
      .carry = carry_emitter,
      .move = move_emitter,
      .renew = emitter_renew },
    { .name = "attractors",
      .table = tarn_attractor_def_table,
      .init = attractor_init,
      .add = attractor_add,
      .set = attractor_set,
      .remove = attractor_remove },
};

// ---- Stats ---------------------------------------------------------------------------------------

static double count(const void* solver)
{
    return tarn_particles_view(solver).n;
}
static const TarnStat stats[] = { { "count", "", "Number of particles alive.", count } };

static const TarnSolverClass particles_class = {
    CLASS_FIELDS(particles),
    .about = "Particle systems: sparks, dust, spray, puffs of smoke, anything that a flow carries.",
    .phase = TARN_PHASE_PARTICLES,
    .step = particles_step,
    .join = particles_join,
    .stats = stats,
    .n_stats = COUNT_OF(stats),
    .lists = lists,
    .n_lists = COUNT_OF(lists),
    .set_flow = particles_set_flow,
    .set_detail = particles_set_detail,
};

const TarnSolverClass* tarn_particles_class(void)
{
    return &particles_class;
}
