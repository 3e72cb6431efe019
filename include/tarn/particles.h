// tarn/particles.h: particle systems. Sparks, rain, spray, dust, leaves, debris.
//
//     dx/dt = v        dv/dt = gravity + attractors - drag (v - wind or flow)
//
// Solved exactly for constant forces, so that nothing depends on the frame rate; what depends on the
// place (attractors, flows) is second order. Particles do not feel one another (liquids that do: tarn/liquid.h). Emitters of many shapes fill one
// pool and recycle the dead; any Flow carries the particles; solids stop, bounce, stick or kill them.
// A million are ordinary. Method, limits, cost: docs/solvers/particles.md
#pragma once

#include "tarn/base.h"
#include "tarn/member.h"
#include "tarn/flow.h"
#include "tarn/shape.h"
#include "tarn/solids.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnParticles TarnParticles;

// Start from tarn_particles_default_def(). Ranges and defaults: tarn describe particles.
typedef struct TarnParticlesDef {
    uint32_t cookie; // set by tarn_particles_default_def, leave alone
    int max_particles;
    int max_emitters;
    int max_attractors;
    int max_events;  // kept per step; more are counted and dropped
    int seed;        // of everything random
    float max_speed; // faster particles are slowed to it [m/s]
} TarnParticlesDef;

// What may change every frame.
typedef struct TarnParticlesParams {
    TarnVec3 gravity;   // [m/s^2]
    TarnVec3 wind;      // [m/s]
    float drag;         // rate at which a particle takes the speed of the air or the flow [1/s]
    float flow_drag;    // that in a flow, where it is present [1/s]; 0: as drag
    float flow_gravity; // share of gravity that is left there: 0 for smoke, which floats
    float radius;       // kept between particles and solids [m]
    float restitution;  // of particles; a hit takes the larger of this and the solid's
    float friction;     // the same
    bool use_collisions;
    TarnVec3 box_min, box_max; // particles that leave it die [m]
} TarnParticlesParams;

// Particles are born in a shape: anywhere on a line, on a disc or in a volume, or on the surface of a solid of
// the set, wherever that goes. From a sphere and off a surface they fly outwards, else along local +y.
typedef struct TarnParticleEmitterDef {
    uint32_t cookie;    // set by tarn_particle_emitter_default_def, leave alone
    TarnShape shape;    // Default a point
    TarnMotion motion;  // pose; velocity to inherit. It stays there unless it is moved
    float start, stop;  // seconds of the system
    float rate;         // [1/s]
    int burst;          // so many at once at the start, and every burst_period
    float burst_period; // [s], 0: once
    float speed;        // along local +y, or outwards from a sphere [m/s]
    float speed_jitter; // share of the speed, 0 to 1
    float spread;       // half angle around local +y [rad]
    bool is_flared;     // of a disc: outer particles leave at larger angles, up to the spread; else
                        // angles are random
    float inherit;      // share of the emitter's own velocity that particles get
    float lifetime;     // [s]
    float lifetime_jitter; // share of the lifetime, 0 to 1
    float radius;          // of a particle, for drawing [m]
    int limit;             // alive at once from this emitter; 0: as many as the pool holds
    bool is_recycling;     // at the limit the oldest make room; else it pauses
    int kind_of_particle;  // 0 to 255, the host's: what they look like
} TarnParticleEmitterDef;

typedef struct TarnAttractorDef {
    uint32_t cookie; // set by tarn_attractor_default_def, leave alone
    TarnVec3 position;
    float strength; // acceleration at the distance radius, negative: pushes away [m/s^2]
    float radius;   // inside it the pull falls to 0 at the center; outside as 1 / r^2 [m]
    float reach;    // beyond it there is none [m]
    float swirl;    // share of the pull that goes around the y axis instead, -1 to 1
} TarnAttractorDef;

typedef struct TarnParticleEmitterId {
    uint64_t value;
} TarnParticleEmitterId; // 0 is none
typedef struct TarnAttractorId {
    uint64_t value;
} TarnAttractorId; // 0 is none

TARN_API const TarnParamTable* tarn_particles_def_table(void);
TARN_API const TarnParamTable* tarn_particles_params_table(void);
TARN_API const TarnParamTable* tarn_particle_emitter_def_table(void);
TARN_API const TarnParamTable* tarn_attractor_def_table(void);
TARN_DEFAULT_DEF(TarnParticlesDef, tarn_particles);
TARN_API TarnParticlesParams tarn_particles_default_params(void);
TARN_DEFAULT_DEF(TarnParticleEmitterDef, tarn_particle_emitter);
TARN_DEFAULT_DEF(TarnAttractorDef, tarn_attractor);

// Bytes that create will allocate, 0 if the def is not valid. About 56 per particle.
TARN_API size_t tarn_particles_memory(const TarnParticlesDef* def);
// TARN_ERR_ARG: a value out of range. On failure *out is NULL and nothing stays allocated.
TARN_API TarnResult tarn_particles_create(TarnContext* ctx, const TarnParticlesDef* def,
                                          TarnParticles** out);
TARN_API void tarn_particles_destroy(TarnParticles* particles); // NULL is fine
TARN_API TarnResult tarn_particles_set_params(TarnParticles* particles,
                                              const TarnParticlesParams* params);
TARN_API TarnParticlesParams tarn_particles_params(const TarnParticles* particles);
TARN_API const TarnParticlesDef* tarn_particles_def(const TarnParticles* particles);

// Emitters and attractors. TARN_ERR_ARG: a value out of range, or an id that is stale or of another
// system. TARN_ERR_CAPACITY: max_emitters or max_attractors are in use. out may be NULL. An emitter that
// is added after its start begins at once. Its particles outlive it.
TARN_API TarnResult tarn_particles_add_emitter(TarnParticles* particles,
                                               const TarnParticleEmitterDef* def,
                                               TarnParticleEmitterId* out);
TARN_API TarnResult tarn_particles_remove_emitter(TarnParticles* particles,
                                                  TarnParticleEmitterId id);
// Once per frame for an emitter that is carried: where it is at the end of the coming step. Particles
// are spread over its way, however fast.
TARN_API TarnResult tarn_particles_move_emitter(TarnParticles* particles, TarnParticleEmitterId id,
                                                const TarnMotion* motion);
// Changes everything at once and puts it there without a way. A new start or period begins its bursts
// anew; the fraction of a particle that is due stays.
TARN_API TarnResult tarn_particles_set_emitter(TarnParticles* particles, TarnParticleEmitterId id,
                                               const TarnParticleEmitterDef* def);
// Share of its rate, its bursts and its limit that an emitter uses, 0 to 1: engines that idle, level of detail.
TARN_API TarnResult tarn_particles_throttle_emitter(TarnParticles* particles,
                                                    TarnParticleEmitterId id, float share);
// The same for all of them, on top of their own.
TARN_API TarnResult tarn_particles_throttle(TarnParticles* particles, float share);
TARN_API TarnResult tarn_particles_add_attractor(TarnParticles* particles,
                                                 const TarnAttractorDef* def, TarnAttractorId* out);
TARN_API TarnResult tarn_particles_set_attractor(TarnParticles* particles, TarnAttractorId id,
                                                 const TarnAttractorDef* def);
TARN_API TarnResult tarn_particles_remove_attractor(TarnParticles* particles, TarnAttractorId id);
// Particles one by one, for hosts and couplings. velocity, lifetime NULL: 0, forever. Returns how
// many were taken: those that find the pool full or have a value that is not finite, a place beyond
// 1e6 m or a lifetime of 0 are left out. Faster ones than max_speed are slowed.
TARN_API int tarn_particles_add(TarnParticles* particles, int n, const TarnVec3* position,
                                const TarnVec3* velocity, const float* lifetime, float radius,
                                int kind);
// query NULL: none. Drag pulls towards the flow where its presence is 1, towards the wind where it is 0. It
// is asked from all workers, for up to 256 points at a time.
TARN_API TarnResult tarn_particles_set_flow(TarnParticles* particles, TarnFlow flow);
// NULL: none. Not owned, and not changed; tarn_solids_advance comes before each step. Particles that stick
// ride along, and are free when their solid or the set goes.
TARN_API TarnResult tarn_particles_set_solids(TarnParticles* particles, const TarnSolids* solids);

// What happened in the last step, in a fixed order.
typedef enum TarnParticleEventKind {
    TARN_PARTICLE_DIED,   // of age
    TARN_PARTICLE_LEFT,   // the box
    TARN_PARTICLE_HIT,    // a solid
    TARN_PARTICLE_KILLED, // by a solid
} TarnParticleEventKind;
typedef struct TarnParticleEvent {
    int kind; // TarnParticleEventKind
    uint32_t id;
    TarnVec3 position, velocity; // before a hit
    TarnVec3 normal;
    TarnSolidId solid;
    int kind_of_particle;
} TarnParticleEvent;
// Called at the end of a step, on its thread, for each event in order. They may add particles, emitters
// and attractors, not step, load or reset.
typedef void TarnParticleEventFn(TarnParticles* particles, const TarnParticleEvent* event,
                                 void* user);
// wanted: bits 1 << TarnParticleEventKind. fn may be NULL: read the buffer instead.
TARN_API TarnResult tarn_particles_set_events(TarnParticles* particles, uint32_t wanted,
                                              TarnParticleEventFn* fn, void* user);
TARN_API const TarnParticleEvent* tarn_particles_events(const TarnParticles* particles, int* n);

// Advance by dt [s], 0 to 10; cut in substeps of at most 0.1 s where there are emitters, attractors, a
// flow or solids. TARN_STEP_CAPACITY_FULL: particles or events were dropped, see the ledger.
// TARN_STEP_CLAMPED: some were faster than max_speed. No allocation. The same bits for any number of
// workers.
TARN_API TarnResult tarn_particles_step(TarnParticles* particles, float dt, TarnStepReport* report);
TARN_API void tarn_particles_reset(
    TarnParticles* particles); // time 0; emitters and attractors stay. NULL is fine

// Valid until the next step, edit or destroy. Dead particles are not in it.
typedef struct TarnParticlesView {
    int n;
    const float *x, *y, *z;      // [m]
    const float *vx, *vy, *vz;   // [m/s]
    const float *age, *lifetime; // [s]
    const float* radius;         // [m]
    const uint32_t* id;          // counts up from 0: never used twice within 2^32
    const uint8_t* kind;
} TarnParticlesView;
TARN_API TarnParticlesView tarn_particles_view(const TarnParticles* particles);
TARN_API double tarn_particles_time(const TarnParticles* particles);
typedef struct TarnParticlesLedger { // added = alive + died + left + killed + recycled
    uint64_t added, alive, died, left, killed, recycled;
    uint64_t refused;     // emitted or added while the pool was full
    uint64_t lost_events; // beyond max_events
} TarnParticlesLedger;
TARN_API TarnParticlesLedger tarn_particles_ledger(const TarnParticles* particles);

// Equal hashes: equal futures, with the same flow and solids.
TARN_API uint64_t tarn_particles_hash(const TarnParticles* particles);
// As tarn_wave_save and _load. Emitters and attractors are those of the snapshot afterwards, under their ids. The
// flow, the solids and the event function are the host's and not in it. No allocation. Rollback: docs/determinism.md
TARN_API TarnResult tarn_particles_save(const TarnParticles* particles, void* buffer,
                                        size_t capacity, size_t* size);
TARN_API TarnResult tarn_particles_load(TarnParticles* particles, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnParticles, particles)

#ifdef __cplusplus
}
#endif
