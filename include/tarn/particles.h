// tarn/particles.h: particle systems: sparks, rain, spray, dust, leaves, debris.
//
//     dx/dt = v        dv/dt = gravity + attractors - drag (v - wind or flow)
//
// The motion is solved exactly for constant forces, so it does not depend on the frame rate; forces that
// depend on position (attractors, flows) are second order. Particles do not interact with each other (for
// liquids use tarn/liquid.h). Emitters of many shapes fill one pool and recycle the dead; any Flow carries
// the particles; solids stop, bounce, stick or kill them. A million particles are fine. Method, limits, cost:
// docs/solvers/particles.md
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
    uint32_t cookie; // set by tarn_particles_default_def; leave it alone
    int max_particles;
    int max_emitters;
    int max_attractors;
    int max_events;  // most events kept per step; more are counted and dropped
    int seed;        // seed of everything random
    float max_speed; // faster particles are slowed down to this [m/s]
} TarnParticlesDef;

// Parameters that may change every frame.
typedef struct TarnParticlesParams {
    TarnVec3 gravity;   // [m/s^2]
    TarnVec3 wind;      // [m/s]
    float drag;         // rate at which a particle takes on the velocity of air or flow [1/s]
    float flow_drag;    // drag where a flow is present [1/s]; 0: same as drag
    float flow_gravity; // share of gravity where a flow is present; 0 for smoke, which floats
    float radius;       // distance kept between particles and solids [m]
    float restitution;  // bounciness; the larger of this and the solid's counts
    float friction;     // the larger of this and the solid's counts
    bool use_collisions;
    TarnVec3 box_min, box_max; // particles outside this box die [m]
} TarnParticlesParams;

// Particles are born in a shape: anywhere on a line, on a disc or in a volume, or on the surface of a solid of
// the set, wherever that goes. From a sphere and off a surface they fly outwards, else along local +y.
typedef struct TarnParticleEmitterDef {
    uint32_t cookie;    // set by tarn_particle_emitter_default_def; leave it alone
    TarnShape shape;    // default: a point
    TarnMotion motion;  // pose, and velocity to inherit; it does not move by itself
    float start, stop;  // active between these times of the system [s]
    float rate;         // particles per second [1/s]
    int burst;          // number of particles emitted at once, at start and every burst_period
    float burst_period; // [s]; 0: a single burst
    float speed;        // along local +y, or outwards from a sphere [m/s]
    float speed_jitter; // share of the speed, 0 to 1
    float spread;       // half angle around local +y [rad]
    bool is_flared; // of a disc: particles farther out leave at larger angles, up to the spread; if
                    // false, angles are random
    float inherit;  // share of the emitter's own velocity that particles inherit
    float lifetime; // [s]
    float lifetime_jitter; // share of the lifetime, 0 to 1
    float radius;          // of a particle, for drawing [m]
    int limit;             // most particles alive from this emitter; 0: no limit but the pool
    bool is_recycling;     // at the limit, the oldest are replaced; otherwise it pauses
    int kind_of_particle;  // 0 to 255, for the host's use: how they look
} TarnParticleEmitterDef;

typedef struct TarnAttractorDef {
    uint32_t cookie; // set by tarn_attractor_default_def; leave it alone
    TarnVec3 position;
    float strength; // acceleration at distance radius [m/s^2]; negative pushes away
    float
        radius; // distance of the strongest pull [m]; it is 0 at the center, and falls as 1 / r^2 outside
    float reach; // distance beyond which there is no pull [m]
    float swirl; // share of the pull that goes around the y axis instead, -1 to 1
} TarnAttractorDef;

typedef struct TarnParticleEmitterId {
    uint64_t value;
} TarnParticleEmitterId; // 0: the null id
typedef struct TarnAttractorId {
    uint64_t value;
} TarnAttractorId; // 0: the null id

TARN_API const TarnParamTable* tarn_particles_def_table(void);
TARN_API const TarnParamTable* tarn_particles_params_table(void);
TARN_API const TarnParamTable* tarn_particle_emitter_def_table(void);
TARN_API const TarnParamTable* tarn_attractor_def_table(void);
TARN_DEFAULT_DEF(TarnParticlesDef, tarn_particles);
TARN_API TarnParticlesParams tarn_particles_default_params(void);
TARN_DEFAULT_DEF(TarnParticleEmitterDef, tarn_particle_emitter);
TARN_DEFAULT_DEF(TarnAttractorDef, tarn_attractor);

// Returns the bytes that create will allocate, about 56 per particle; 0 if the def is invalid.
TARN_API size_t tarn_particles_memory(const TarnParticlesDef* def);
// Creates a particle system. TARN_ERR_ARG: a value is out of range. TARN_ERR_MEMORY. On failure *out is NULL
// and nothing stays allocated.
TARN_API TarnResult tarn_particles_create(TarnContext* ctx, const TarnParticlesDef* def,
                                          TarnParticles** out);
TARN_API void tarn_particles_destroy(TarnParticles* particles); // NULL is fine
TARN_API TarnResult tarn_particles_set_params(TarnParticles* particles,
                                              const TarnParticlesParams* params);
TARN_API TarnParticlesParams tarn_particles_params(const TarnParticles* particles);
TARN_API const TarnParticlesDef* tarn_particles_def(const TarnParticles* particles);

// Emitters and attractors. out may be NULL. An emitter added after its start begins at once. Its particles
// outlive it. TARN_ERR_ARG: a value is out of range, or an id is stale or belongs to another system.
// TARN_ERR_CAPACITY: all max_emitters or max_attractors are in use.
TARN_API TarnResult tarn_particles_add_emitter(TarnParticles* particles,
                                               const TarnParticleEmitterDef* def,
                                               TarnParticleEmitterId* out);
TARN_API TarnResult tarn_particles_remove_emitter(TarnParticles* particles,
                                                  TarnParticleEmitterId id);
// Sets where a moving emitter will be at the end of the next step. Call it once per frame; particles are
// spread along its path, however fast it moves.
TARN_API TarnResult tarn_particles_move_emitter(TarnParticles* particles, TarnParticleEmitterId id,
                                                const TarnMotion* motion);
// Replaces the def of an emitter and teleports it (no swept motion). A new start or burst_period restarts its
// bursts; the fraction of a particle that is due is kept.
TARN_API TarnResult tarn_particles_set_emitter(TarnParticles* particles, TarnParticleEmitterId id,
                                               const TarnParticleEmitterDef* def);
// Scales the rate, bursts and limit of an emitter by a share, 0 to 1: idling engines, level of detail.
TARN_API TarnResult tarn_particles_throttle_emitter(TarnParticles* particles,
                                                    TarnParticleEmitterId id, float share);
// Scales all emitters by a share, on top of their own.
TARN_API TarnResult tarn_particles_throttle(TarnParticles* particles, float share);
TARN_API TarnResult tarn_particles_add_attractor(TarnParticles* particles,
                                                 const TarnAttractorDef* def, TarnAttractorId* out);
TARN_API TarnResult tarn_particles_set_attractor(TarnParticles* particles, TarnAttractorId id,
                                                 const TarnAttractorDef* def);
TARN_API TarnResult tarn_particles_remove_attractor(TarnParticles* particles, TarnAttractorId id);
// Adds single particles and returns how many were added. velocity NULL: at rest. lifetime NULL: forever.
// Particles are skipped if the pool is full, a value is not finite, the position is beyond 1e6 m, or the
// lifetime is 0. Particles faster than max_speed are slowed down.
TARN_API int tarn_particles_add(TarnParticles* particles, int n, const TarnVec3* position,
                                const TarnVec3* velocity, const float* lifetime, float radius,
                                int kind);
// Sets the flow that carries the particles; query NULL: none. Drag pulls toward the flow where its presence
// is 1 and toward the wind where it is 0. All workers query it, for up to 256 points at a time.
TARN_API TarnResult tarn_particles_set_flow(TarnParticles* particles, TarnFlow flow);
// Sets the solids that particles collide with; NULL: none. The set is neither owned nor changed; call
// tarn_solids_advance before each step. Particles that stick move with their solid, and are released when it
// or the set is removed.
TARN_API TarnResult tarn_particles_set_solids(TarnParticles* particles, const TarnSolids* solids);

// What happened to a particle in the last step.
typedef enum TarnParticleEventKind {
    TARN_PARTICLE_DIED,   // its lifetime ended
    TARN_PARTICLE_LEFT,   // it left the box
    TARN_PARTICLE_HIT,    // it hit a solid
    TARN_PARTICLE_KILLED, // a solid removed it
} TarnParticleEventKind;
typedef struct TarnParticleEvent {
    int kind; // TarnParticleEventKind
    uint32_t id;
    TarnVec3 position, velocity; // before the hit
    TarnVec3 normal;
    TarnSolidId solid;
    int kind_of_particle;
} TarnParticleEvent;
// Called at the end of a step, on its thread, for each event in a fixed order. It may add particles, emitters
// and attractors, but not step, load or reset.
typedef void TarnParticleEventFn(TarnParticles* particles, const TarnParticleEvent* event,
                                 void* user);
// Selects events: wanted has bits 1 << TarnParticleEventKind. fn may be NULL; read the events with
// tarn_particles_events instead.
TARN_API TarnResult tarn_particles_set_events(TarnParticles* particles, uint32_t wanted,
                                              TarnParticleEventFn* fn, void* user);
TARN_API const TarnParticleEvent* tarn_particles_events(const TarnParticles* particles, int* n);

// Advances by dt [s], 0 to 10, in substeps of at most 0.1 s if there are emitters, attractors, a flow or
// solids. TARN_STEP_CAPACITY_FULL: particles or events were dropped, see the ledger. TARN_STEP_CLAMPED: some
// particles were faster than max_speed. It allocates nothing and gives the same bits for any number of
// workers. TARN_ERR_ARG: dt is out of range.
TARN_API TarnResult tarn_particles_step(TarnParticles* particles, float dt, TarnStepReport* report);
// Removes all particles and sets the time to 0; emitters and attractors stay. NULL is fine.
TARN_API void tarn_particles_reset(TarnParticles* particles);

// Pictures of particles, for scenes and renderers.
typedef enum TarnParticleTexture {
    TARN_TEXTURE_AUTO,
    TARN_TEXTURE_PUFF,  // soft and round
    TARN_TEXTURE_SMOKE, // three kinds of smoke: billows, threads, a whorl
    TARN_TEXTURE_WISP,
    TARN_TEXTURE_CURL,
    TARN_TEXTURE_STEAM,  // fainter than a puff
    TARN_TEXTURE_FLAME,  // a ball of fire with a ragged outline
    TARN_TEXTURE_TONGUE, // pointed along its motion
    TARN_TEXTURE_SPARK,  // a bright point in a halo
    TARN_TEXTURE_STREAK, // the same for stretched particles
    TARN_TEXTURE_DROP,   // with a bright rim
    TARN_TEXTURE_SPLASH, // many small drops
    TARN_TEXTURE_FOAM,   // bubbles that stick together
    TARN_TEXTURE_DUST,   // grains in a haze
    TARN_TEXTURE_STAR,
    TARN_TEXTURE_SNOW, // a flake
    TARN_TEXTURES,
} TarnParticleTexture;

// The living particles. Valid until the next step, edit or destroy.
typedef struct TarnParticlesView {
    int n;
    const float *x, *y, *z;      // [m]
    const float *vx, *vy, *vz;   // [m/s]
    const float *age, *lifetime; // [s]
    const float* radius;         // [m]
    const uint32_t* id;          // counts up from 0; repeats only after 2^32 particles
    const uint8_t* kind;
} TarnParticlesView;
TARN_API TarnParticlesView tarn_particles_view(const TarnParticles* particles);
TARN_API double tarn_particles_time(const TarnParticles* particles);
// Counts particles: added = alive + died + left + killed + recycled.
typedef struct TarnParticlesLedger {
    uint64_t added, alive, died, left, killed, recycled;
    uint64_t refused;     // emitted or added while the pool was full
    uint64_t lost_events; // dropped beyond max_events
} TarnParticlesLedger;
TARN_API TarnParticlesLedger tarn_particles_ledger(const TarnParticles* particles);

// Returns a hash of the state. Equal hashes mean equal futures, given the same flow and solids.
TARN_API uint64_t tarn_particles_hash(const TarnParticles* particles);
// Save and load as tarn_wave_save and tarn_wave_load. After a load, emitters and attractors are those of the
// snapshot, under their ids. The flow, the solids and the event function belong to the host and are not
// included. Nothing is allocated. Rollback: docs/determinism.md
TARN_API TarnResult tarn_particles_save(const TarnParticles* particles, void* buffer,
                                        size_t capacity, size_t* size);
TARN_API TarnResult tarn_particles_load(TarnParticles* particles, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnParticles, particles)

#ifdef __cplusplus
}
#endif
