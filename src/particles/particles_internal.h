// Inside src only: the pool of a particle system and what its files share.
#pragma once

#include "tarn/particles.h"
#include "base/handles.h"
#include "base/kernels.h"

enum {
    PARTICLE_BLOCK = 2048,  // particles of a block of work
    PARTICLE_BATCH = 256,   // of a batch inside a block: what is looked up fits on the stack
    PARTICLE_MIN_HITS = 64, // hits that a block can note in one step, at least
    PARTICLE_NO_EMITTER = 0xffff,
};

static const float particle_forever = 3.4e38f; // lifetime of those that do not die of age [s]
static const float particle_reach = 1e6f;      // farthest coordinate of anything [m]
static const float particle_max_dt = 0.1f;     // longest substep where the way matters [s]

// What became of a particle in the last pass. 0: it lives.
enum {
    FATE_DIED = 1 + TARN_PARTICLE_DIED,
    FATE_LEFT = 1 + TARN_PARTICLE_LEFT,
    FATE_KILLED = 1 + TARN_PARTICLE_KILLED
};

// The motion of some particles in one pass: v' = keep v + a1 f, x' = x + a1 v + a2 f with f all that
// pushes, which is exact for constant f and linear drag. Arrays begin at the first particle.
typedef struct ParticleMove {
    float *x, *y, *z, *vx, *vy, *vz, *age;
    const float* lifetime;
    uint8_t* fate;                         // written where it is not 0
    const float *dt, *keep, *a1, *a2;      // [s], [], [s], [s^2]: eight values, or one per particle
    int timing_step;                       // 0: eight for all; 8: one per particle
    TarnVec3 push;                         // gravity, and drag times wind [m/s^2]
    const float *flow_x, *flow_y, *flow_z; // more push by a flow, or NULL [m/s^2]
    const TarnAttractorDef* attractors;
    int n_attractors;
    bool has_drag;
    bool has_bounds; // also compute the box of all paths
    TarnVec3 box_min, box_max;
    float max_speed;

    int n_dead; // out, added to
    bool is_clamped;
    float lo[3], hi[3]; // widened
} ParticleMove;

typedef struct ParticleKernels {
    void (*move)(ParticleMove* move, int n); // arrays are readable and writable to a multiple of 8
} ParticleKernels;
TARN_KERNELS(ParticleKernels, tarn__particle_kernels);

typedef struct ParticleEmitter {
    TarnParticleEmitterDef def;
    TarnMotion from;       // at the end of the last step; def.motion: at the end of the next
    double begin;          // when it began, for the times of its bursts [s]
    double carry;          // particles due, the fraction that is left, [0, 1)
    uint64_t bursts, due;  // so far
    int head, tail, alive; // its particles, oldest first; -1: none
    float throttle;        // 0 to 1
} ParticleEmitter;

typedef struct ParticleHit {
    int particle, solid, kind; // kind: TARN_PARTICLE_HIT or TARN_PARTICLE_KILLED
    TarnVec3 position, velocity, normal;
} ParticleHit;

typedef struct ParticleBlock {
    int n_dead, n_hits, n_lost; // n_lost: hits that did not fit
    int n_glued;                // more than before
    bool is_clamped;
} ParticleBlock;

struct TarnParticles {
    TarnContext* ctx;
    size_t memory;
    TarnParticlesDef def;
    TarnParticlesParams params;
    const ParticleKernels* kernels;
    TarnFlow flow;
    const TarnSolids* solids;
    uint32_t wanted;
    TarnParticleEventFn* event_fn;
    void* event_user;
    bool is_stepping;

    float throttle;             // of all emitters, 0 to 1
    int n, n_stuck;             // alive; of them glued to a solid, at most
    double time;                // [s]
    TarnParticlesLedger ledger; // alive is n
    float *x, *y, *z, *vx, *vy, *vz, *age, *lifetime, *radius;
    uint32_t* id;
    int *prev, *next;          // particles of the same emitter, by age; -1: none
    uint16_t *emitter, *stuck; // slot of the emitter; 1 + slot of the solid, 0: free
    uint8_t *kind, *fate;

    TarnHandles emitter_ids, attractor_ids;
    ParticleEmitter* emitters;
    TarnAttractorDef* attractors;
    TarnAttractorDef* pulls; // the attractors in use, for the kernels
    int n_pulls;
    TarnParticleEvent* events;
    int n_events;
    int n_blocks, max_hits; // max_hits: per block
    ParticleBlock* blocks;
    ParticleHit* hits;
};

// The factors of a step of dt under drag k.
typedef struct ParticleFactors {
    float dt, keep, a1, a2;
} ParticleFactors;
ParticleFactors tarn__particle_factors(float drag, double dt);

// For presences of a flow from 0 to 1, where drag in a flow is another.
enum { PRESENCE_STEPS = 64 };
typedef struct PresenceFactors {
    ParticleFactors at[PRESENCE_STEPS + 1];
} PresenceFactors;

// One pass over particles [begin, begin + count), the last of the pool: moves, collides, notes events,
// removes the dead. t0 to t1: which part of this frame's way the solids go meanwhile.
typedef struct ParticlePass {
    TarnParticles* set;
    int begin, count;
    float longest; // dt of the whole pass [s]
    float t0, t1;
    const ParticleFactors* all; // NULL: newborns; the age of each is its own dt, and starts at 0
    const PresenceFactors* by_presence; // NULL: drag is the same everywhere, or newborns
    bool is_clamped;                    // out
} ParticlePass;
void tarn__particles_pass(ParticlePass* pass);

// Collides particles [first, first + count), whose state before the pass is in `before`.
typedef struct ParticleBefore {
    float x[PARTICLE_BATCH], y[PARTICLE_BATCH], z[PARTICLE_BATCH];
    float vx[PARTICLE_BATCH], vy[PARTICLE_BATCH], vz[PARTICLE_BATCH];
    float dt[PARTICLE_BATCH];
} ParticleBefore;
void tarn__particles_collide(const ParticlePass* pass, int block, int first, int count,
                             const ParticleBefore* before, const float lo[3], const float hi[3]);

// Emits what is due between the fractions f0 and f1 of a frame of dt that began at time t [s].
void tarn__particles_emit(TarnParticles* set, double t, float dt, float f0, float f1);
bool tarn__particles_is_emitting(const TarnParticles* set, double t, float dt);
void tarn__particles_settle_emitters(TarnParticles* set); // ends their paths of this frame

void tarn__particles_remove(TarnParticles* set, int i); // moves the last one there
void tarn__particles_gather_pulls(TarnParticles* set);
TarnResult tarn__particles_check_emitter(TarnContext* ctx, const TarnParticleEmitterDef* def);
int tarn__particles_free_emitters(const TarnParticles* set); // places for more of them
