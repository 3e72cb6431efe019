// Inside src/world only: the state of a world and the parts of its step.
#pragma once

#include "tarn/world.h"
#include "base/base.h"
#include "bodies/bodies.h"

// ---- Waters --------------------------------------------------------------------------------------

typedef enum WaterKind { WATER_WAVE, WATER_SHALLOW, WATER_PIPES, N_WATERS } WaterKind;

// The grid of a water as bodies and windows see it.
typedef struct Basin {
    int nx, nz;
    float dx;          // [m]
    TarnVec2 origin;   // where the window is now [m]
    bool is_closed[4]; // a wall at -x, +x, -z, +z
    TarnView2 ground;  // what bodies rest on, y [m]; data NULL: the floor of the box only
} Basin;

// What a world asks of any water, so that its step, hash and snapshot are written once.
typedef struct WaterClass {
    const char* name;
    void (*destroy)(void* water);
    TarnResult (*step)(void* water, float dt, TarnStepReport* report);
    uint64_t (*hash)(const void* water);
    TarnResult (*save)(const void* water, void* buffer, size_t capacity, size_t* size);
    TarnResult (*load)(void* water, const void* buffer, size_t size);
    TarnSurface (*surface)(const void* water);
    Basin (*basin)(const void* water);
    bool (*has_bodies)(const void* water);                           // was it made for them?
    TarnResult (*couple)(void* water, TarnBodies* bodies, float dt); // NULL: nothing floats in it
    TarnResult (*shift)(void* water, int di, int dk);                // NULL: its window stands
} WaterClass;

extern const WaterClass tarn__water_classes[N_WATERS];

// ---- The world -----------------------------------------------------------------------------------

// An emitter is a function of time, so this is all of its state.
typedef struct Emitter {
    TarnEmitterDef def;
    double begin; // its start, or the moment at which it was added if that was later [s]
    uint32_t generation;
    bool is_used;
} Emitter;

typedef struct Driver {
    TarnDriverDef def;   // kind none: there is no driver
    double angle;        // on the circle, from +x, counter-clockwise seen from above [rad]
    TarnMotion rest;     // where spin and shake began
    TarnBodyId body;     // that it was given to
    uint32_t generation; // of that body; another one in its slot is not driven
} Driver;

typedef struct SolidDriver {
    TarnSolidId solid; // 0: unused; stale: the solid is gone
    TarnDriverDef def;
    TarnMotion rest;
} SolidDriver;

// What a body carries, with its def or pose in the body's axes.
typedef enum CarriedKind {
    CARRIED_SOURCE, // of the liquid
    CARRIED_EMITTER,
    CARRIED_GAS_SOURCE,
    CARRIED_GAS_JET
} CarriedKind;
typedef struct Carried {
    TarnBodyId body;
    CarriedKind kind;
    int power; // TarnPowerUse
    int gas;   // which one
    TarnGasSourceId gas_source_id;
    TarnGasSourceDef gas_source;
    TarnGasJetId jet_id;
    TarnGasJetDef jet;
    TarnLiquidSourceId source_id;
    TarnLiquidSourceDef source;
    TarnParticleEmitterId emitter_id;
    TarnMotion pose; // of an emitter
} Carried;

typedef struct Fire {
    TarnFireDef def;
    TarnRegionId region;
    TarnParticleEmitterId flames, smoke;
    double soaked; // [kg s]; from def.water on it is out
} Fire;

// A gas, and what its box follows.
typedef struct WorldGas {
    TarnGas* gas;
    TarnBodyId body; // 0: it stands
    TarnVec3 offset; // from the body's center [m]
} WorldGas;

struct TarnWorld {
    TarnContext* ctx;
    size_t memory;
    uint16_t owner; // part of the ids of emitters, so that a world knows its own; in no result
    TarnWorldDef def;
    void* waters[N_WATERS]; // TarnWave, TarnShallow, TarnPipes; NULL: none of that kind
    TarnBodies* bodies;
    Emitter* emitters;          // def.max_emitters slots
    Driver* drivers;            // one per slot of bodies
    TarnWindowDef window;       // kind fixed: it follows nothing
    int window_slot;            // of the body that it follows
    uint32_t window_generation; // of that body; another one in its slot is not followed
    double time;                // [s]
    double emitted;  // emitters have run up to here: ahead of time if a solver dropped some [s]
    float floor;     // y of the deepest bed [m]
    TarnVec2 origin; // of the first water's window when the box of the bodies was set [m]

    // Particles. solids is there from the first of them on, or from the first solid.
    TarnSolids* solids;
    TarnLiquid* liquid;
    TarnParticles* particles;
    SolidDriver* solid_drivers; // def.max_solids places
    Carried carried[TARN_WORLD_MAX_ATTACHED];
    Fire fires[TARN_WORLD_MAX_FIRES];
    int n_carried, n_fires;
    WorldGas gases[TARN_WORLD_MAX_GASES];
    int n_gases;
    TarnFlowBlend flows; // of the gases, and curl noise as the last: what carries the particles
    TarnCurlNoise noise;
    bool has_noise, has_budget;
    TarnGasBudget budget;
    TarnBodyEngineFn* engine; // NULL: tarn_bodies_step
    void* engine_user;
};

// The hash of the def: what solids brought counts for worlds that have them, so that others keep theirs.
uint64_t tarn__world_def_hash(const TarnWorld* world);

// The first water of the world, whose basin the bodies live in; -1: there is none.
int tarn__world_first_water(const TarnWorld* world);
// Puts the free bodies into the basin of the first water when its window is at this origin.
void tarn__world_set_box(TarnWorld* world, TarnVec2 origin);
// Slot of a body of this world; -1: the id is stale, null, or of another set.
int tarn__world_slot_of(const TarnWorld* world, TarnBodyId id);

// Disturbs the waters with all that falls due before t1 [s].
void tarn__emitters_step(TarnWorld* world, double t1);
// Is there a water for this kind of emitter, or no water yet? Else the sentence says what to do.
TarnResult tarn__emitter_check_kind(const TarnWorld* world, int kind);
uint64_t tarn__emitter_hash(const TarnEmitterDef* def, uint64_t seed);

// Moves or pushes the driven bodies for dt [s], until t1 [s].
TarnResult tarn__drivers_step(TarnWorld* world, float dt, double t1);
TarnResult tarn__solid_drivers_step(TarnWorld* world, double t1); // after tarn_solids_advance
// Where spin, shake and slide are at a time [s].
TarnMotion tarn__driver_motion(const TarnDriverDef* def, const TarnMotion* rest, double time);
bool tarn__driver_is_animation(int kind);
// flight.c: where it is, its power from 0 to 1, and how fast that changes [1/s].
void tarn__flight_motion(const TarnDriverDef* def, const TarnMotion* rest, double time,
                         TarnMotion* out);
float tarn__flight_power(const TarnDriverDef* def, const TarnMotion* rest, double time);
float tarn__flight_change(const TarnDriverDef* def, const TarnMotion* rest, double time);
TarnResult tarn__driver_check(TarnContext* ctx, const TarnDriverDef* def);
// As far as its kind reads it: older scenes keep their hashes.
uint64_t tarn__driver_hash(const TarnDriverDef* def, uint64_t seed);

// Solids, liquid with bodies, particles: the two halves of a substep of dt [s]. *moved: what the liquid
// managed of it.
TarnResult tarn__world_step_liquid(TarnWorld* world, double t1, float dt, float* moved,
                                   TarnStepReport* report);
TarnResult tarn__world_step_particles(TarnWorld* world, float dt, TarnStepReport* report);
TarnResult tarn__world_step_gases(TarnWorld* world, float dt, TarnStepReport* report);
void tarn__world_set_flow(TarnWorld* world); // of the particles, after gases or noise have changed
TarnResult tarn__world_make_solids(TarnWorld* world);
void tarn__world_drop_solids(TarnWorld* world); // when what they were made for was refused
// Places what bodies carry.
void tarn__carry_sources(TarnWorld* world);
void tarn__carry_emitters(TarnWorld* world);
void tarn__carry_gas_parts(TarnWorld* world);
void tarn__fires_step(TarnWorld* world, float dt);
void tarn__fire_apply(TarnWorld* world, Fire* fire); // its strength, to its emitters
// The body that a driver still drives, or NULL.
TarnBody* tarn__driver_body(const TarnWorld* world, int slot);
// Does the body of a circle turn slowly enough for tarn/body.h?
bool tarn__driver_is_slow(const TarnDriverDef* def);

// The body that the window still follows, or NULL.
const TarnBody* tarn__window_body(const TarnWorld* world);
// Moves the window if its target has gone too far from the middle.
void tarn__window_step(TarnWorld* world);
