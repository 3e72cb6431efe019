// tarn/world.h: solvers, bodies and emitters that step together.
//
// The host may call solvers one by one; a world does it for them in the right order: emitters,
// drivers, solids, coupling and liquid, other waters, gases, particles, bodies. One call per frame, one hash,
// one snapshot.
#pragma once

#include "tarn/body.h"
#include "tarn/curl_noise.h"
#include "tarn/gas.h"
#include "tarn/gas_presets.h"
#include "tarn/liquid.h"
#include "tarn/particles.h"
#include "tarn/pipes.h"
#include "tarn/shallow.h"
#include "tarn/solids.h"
#include "tarn/wave.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnWorld TarnWorld;

typedef struct TarnWorldDef {
    uint32_t cookie; // set by tarn_world_default_def, leave alone
    float gravity;   // downwards [m/s^2]. Also of solvers that are added with gravity 0
    int max_bodies;
    int max_emitters;
    int seed;         // of everything random
    float max_step;   // longer steps are cut, so that bodies and water stay in touch [s]
    int max_substeps; // per tarn_world_step; time beyond is dropped and reported
    int max_solids;   // besides those of bodies
    int solid_memory; // for the shapes of all solids [bytes]
} TarnWorldDef;

// Each kind is for the waters in brackets; in a world with several the first of wave, shallow, pipes
// that knows the kind gets it.
typedef enum TarnEmitterKind {
    TARN_EMITTER_DROP,   // one drop at start, at a                                   [all]
    TARN_EMITTER_RAIN,   // drops at random, rate per second, in the box from a to b  [wave]
    TARN_EMITTER_STROKE, // a brush from a to b within period seconds, again and again [wave]
    TARN_EMITTER_LINE,   // a swinging line from a to b                               [wave]
    TARN_EMITTER_MAKER,  // a wave maker along an edge                                [wave]
    TARN_EMITTER_SOURCE, // water flows in over a disc at a; negative: a drain [shallow, pipes]
    TARN_EMITTER_GATE,   // a gate opens from start on, and closes from stop on    [shallow]
    TARN_EMITTER_DIG,    // ground heaps up at a, or a pit opens, within period    [shallow]
    TARN_EMITTER_JET,    // pushes the water in a disc at a                        [shallow]
} TarnEmitterKind;

// One struct for all kinds; each uses what it needs. Times are seconds of the world.
typedef struct TarnEmitterDef {
    uint32_t cookie;   // set by tarn_emitter_default_def, leave alone
    int kind;          // TarnEmitterKind
    float start, stop; // [s]
    TarnVec2 a, b;     // x, z [m]
    float radius;      // of drops, brushes, sources, mounds and jets [m]
    float height;      // amplitude [m]; of a mound, negative: a pit; of the water of a drop
    float rate;        // of rain [1/s]
    float period; // of lines and makers, of one stroke, and how long a gate or a mound takes [s]
    int edge;     // of a maker: 0 -x, 1 +x, 2 -z, 3 +z (enum, written x0, x1, z0, z1)
    float flow;   // of a source [m^3/s], negative: a drain
    int gate;     // index of a gate of the shallow water
    TarnVec2 velocity; // of a jet: what it adds to free water within one period [m/s]
} TarnEmitterDef;

typedef enum TarnDriverKind {
    TARN_DRIVER_NONE,
    TARN_DRIVER_CIRCLE, // carries a driven body around a circle at constant speed and height, nose first (+x)
    TARN_DRIVER_THRUST, // pushes a free body along its own +x to a speed and steers it round the circle
    // Driven bodies and solids, as functions of time around where they were when they got the driver:
    TARN_DRIVER_SPIN,   // turns about an axis
    TARN_DRIVER_SHAKE,  // swings to and fro
    TARN_DRIVER_SLIDE,  // goes back and forth between two points
    TARN_DRIVER_FLIGHT, // takes off, wanders about erratically and lands again, as with a jetpack
} TarnDriverKind;

typedef struct TarnDriverDef {
    uint32_t cookie;    // set by tarn_driver_default_def, leave alone
    int kind;           // TarnDriverKind
    TarnVec2 center;    // x, z [m]
    float radius;       // [m]
    float speed;        // [m/s], negative: clockwise seen from above; of a slide
    TarnVec3 axis;      // of a spin, world axes, any length but 0
    float turn;         // of a spin [rad/s]
    TarnVec3 amplitude; // of a shake; how far and how high a flight goes [m]
    float period;       // of a shake; how long a flight goes one way [s]
    float phase;        // of a shake or slide, in periods, 0 to 1; another one is another flight
    TarnVec3 from, to;  // of a slide [m]
    float start, stop;  // of animations: world time; before and after it stands [s]
    float ramp; // how long spin and shake take to swell, a flight to take off and to land [s]
} TarnDriverDef;

typedef enum TarnWindowKind {
    TARN_WINDOW_FIXED,
    TARN_WINDOW_BODY, // follows a body
    TARN_WINDOW_PATH, // follows a point that goes from a to b at a speed, and stays there
} TarnWindowKind;

// A water whose window moves over a larger world, by whole cells.
typedef struct TarnWindowDef {
    uint32_t cookie; // set by tarn_window_default_def, leave alone
    int kind;        // TarnWindowKind
    TarnBodyId body; // that it follows; when it is removed, the window stands
    TarnVec2 a, b;   // of a path, x, z [m]
    float speed;     // along the path [m/s]
    float slack;     // how far the target goes from the middle before the window follows, as a
                     // share of the window
} TarnWindowDef;

// A fire that a liquid puts out: flames are particles of an emitter, and what flows through the ball
// takes their strength. Needs a liquid and particles.
typedef struct TarnFireDef {
    uint32_t cookie;   // set by tarn_fire_default_def, leave alone
    TarnVec3 position; // of the base of the flames [m]
    float radius;      // of the ball around it that water must get into [m]
    float water;       // what puts it out: liquid in the ball times the time it is there [kg s]
    float recovery;    // share of its strength that a fire that still burns wins back per second
    float rate;        // of flames at full strength [1/s]
    float speed;       // of flames [m/s]
    float lifetime;    // of flames [s]
    float size;        // of a flame [m]
    int kind_of_flame, kind_of_smoke; // kinds of particles, 0 to 255
} TarnFireDef;

enum { TARN_WORLD_MAX_ATTACHED = 64, TARN_WORLD_MAX_FIRES = 32, TARN_WORLD_MAX_GASES = 4 };

// What a flight's power does to something its body carries.
typedef enum TarnPowerUse {
    TARN_POWER_NONE,    // nothing: it works all the time
    TARN_POWER_SCALES,  // rates and speeds go with the power, 0 on the ground to 1
    TARN_POWER_CHANGES, // and with how fast it changes: smoke of an engine that is revved
} TarnPowerUse;

// Moves the free bodies by dt [s] instead of tarn_bodies_step: a physics engine. It reads forces
// (tarn_bodies_get_force, _get_added_force) and writes states (tarn_bodies_set_state). bridges/ has some.
typedef TarnResult TarnBodyEngineFn(TarnBodies* bodies, float dt, void* user);

typedef struct TarnEmitterId {
    uint64_t value;
} TarnEmitterId; // 0 is none

TARN_API const TarnParamTable* tarn_world_def_table(void);
TARN_API const TarnParamTable* tarn_emitter_def_table(void);
TARN_API const TarnParamTable* tarn_driver_def_table(void);
TARN_API const TarnParamTable* tarn_window_def_table(void);
TARN_API const TarnParamTable* tarn_fire_def_table(void);
TARN_DEFAULT_DEF(TarnWorldDef, tarn_world);
TARN_DEFAULT_DEF(TarnEmitterDef, tarn_emitter);
TARN_DEFAULT_DEF(TarnDriverDef, tarn_driver);
TARN_DEFAULT_DEF(TarnWindowDef, tarn_window);
TARN_DEFAULT_DEF(TarnFireDef, tarn_fire);

TARN_API TarnResult tarn_world_create(TarnContext* ctx, const TarnWorldDef* def, TarnWorld** out);
TARN_API void tarn_world_destroy(TarnWorld* world); // with all that was added; NULL is fine

// The world owns what it makes. One solver of each kind per world, and one of them with use_bodies
// (TARN_ERR_CAPACITY); a liquid always has the bodies. Free bodies get the basin of the first one as their
// box: its floor or its terrain, and walls at closed edges; in a world without them the box of the liquid.
TARN_API TarnResult tarn_world_add_wave(TarnWorld* world, const TarnWaveDef* def, TarnWave** out);
TARN_API TarnResult tarn_world_add_shallow(TarnWorld* world, const TarnShallowDef* def,
                                           TarnShallow** out);
TARN_API TarnResult tarn_world_add_pipes(TarnWorld* world, const TarnPipesDef* def,
                                         TarnPipes** out);
// Liquid and particles collide with the solids of the world and have its gravity. Bodies do not touch solids:
// what they shall rest on is a driven body. In a world with a 2-D liquid free bodies are planar.
TARN_API TarnResult tarn_world_add_liquid(TarnWorld* world, const TarnLiquidDef* def,
                                          TarnLiquid** out);
TARN_API TarnResult tarn_world_add_particles(TarnWorld* world, const TarnParticlesDef* def,
                                             TarnParticles** out);
TARN_API TarnResult tarn_world_add_solid(TarnWorld* world, const TarnSolidDef* def,
                                         TarnSolidId* out);
// Lets a body carry a source of the liquid or an emitter of the particles: their position, direction and
// velocity as they are now are those in the body's axes, from its center. At most
// TARN_WORLD_MAX_ATTACHED in all. When the body is removed they stay where they are.
TARN_API TarnResult tarn_world_attach_source(TarnWorld* world, TarnLiquidSourceId source,
                                             const TarnLiquidSourceDef* def, TarnBodyId body);
TARN_API TarnResult tarn_world_attach_emitter(TarnWorld* world, TarnParticleEmitterId emitter,
                                              const TarnParticleEmitterDef* def, TarnBodyId body);
// The same for the power of its body, if that flies (TARN_DRIVER_FLIGHT). TARN_ERR_ARG: it is not attached.
TARN_API TarnResult tarn_world_power_emitter(TarnWorld* world, TarnParticleEmitterId emitter,
                                             int use);

// Gases: up to TARN_WORLD_MAX_GASES grids of smoke and fire. Solids and bodies are obstacles to those that were
// made for them, and all of them carry the particles of the world, blended where they overlap.
TARN_API TarnResult tarn_world_add_gas(TarnWorld* world, const TarnGasDef* def, TarnGas** out);
// A preset of tarn/gas_presets.h at a place, with its parameters, source and jet, under the gravity of the world.
TARN_API TarnResult tarn_world_add_gas_preset(TarnWorld* world, int preset, float size,
                                              TarnVec3 place, TarnGas** out);
TARN_API int tarn_world_gas_count(const TarnWorld* world);
TARN_API TarnGas* tarn_world_gas(TarnWorld* world, int n); // in the order of adding; NULL: none
// Keeps the box of the n-th gas around a body, its center at that of the body plus the offset [m]. The null
// id: it stands. When the body is removed it stands where it is.
TARN_API TarnResult tarn_world_follow(TarnWorld* world, int n, TarnBodyId body, TarnVec3 offset);
// As tarn_world_attach_source, for the n-th gas.
TARN_API TarnResult tarn_world_attach_gas_source(TarnWorld* world, int n, TarnGasSourceId source,
                                                 const TarnGasSourceDef* def, TarnBodyId body,
                                                 int power);
TARN_API TarnResult tarn_world_attach_gas_jet(TarnWorld* world, int n, TarnGasJetId jet,
                                              const TarnGasJetDef* def, TarnBodyId body, int power);
// Curl noise that carries the particles where no gas does. A copy is kept, with the time and the solids of the
// world. NULL: none.
TARN_API TarnResult tarn_world_set_curl_noise(TarnWorld* world, const TarnCurlNoise* noise);
// A budget for the gases and particles: among discrete settings, see tarn/gas.h. It changes what is computed, and
// so the bits: for games, not for replays. NULL: none. The host tells what each step took.
TARN_API TarnResult tarn_world_set_budget(TarnWorld* world, const TarnGasBudget* budget);
TARN_API TarnResult tarn_world_note_cost(TarnWorld* world, float step_ms, float dt);
TARN_API const TarnGasBudget* tarn_world_budget(const TarnWorld* world); // NULL: none
// *index counts from 0 in the order of adding. TARN_ERR_UNSUPPORTED: no liquid or no particles.
TARN_API TarnResult tarn_world_add_fire(TarnWorld* world, const TarnFireDef* def, int* index);
TARN_API int tarn_world_fire_count(const TarnWorld* world);
TARN_API float tarn_world_fire_strength(const TarnWorld* world, int index); // 1 to 0: it is out
// Who moves the bodies. NULL: tarn_bodies_step.
TARN_API TarnResult tarn_world_set_body_engine(TarnWorld* world, TarnBodyEngineFn* engine,
                                               void* user);
// Lets the first water that can move its window follow a target. TARN_ERR_UNSUPPORTED: none can.
TARN_API TarnResult tarn_world_set_window(TarnWorld* world, const TarnWindowDef* def);
// Where the window's target is now, x and z [m]; false: it is fixed, or its body is gone.
TARN_API bool tarn_world_window_target(const TarnWorld* world, TarnVec2* out);
TARN_API TarnResult tarn_world_add_body(TarnWorld* world, const TarnBodyDef* def, TarnBodyId* out);
TARN_API TarnResult tarn_world_set_driver(TarnWorld* world, TarnBodyId body,
                                          const TarnDriverDef* def);
// Of a solid: spin, shake, slide, or none.
TARN_API TarnResult tarn_world_set_solid_driver(TarnWorld* world, TarnSolidId solid,
                                                const TarnDriverDef* def);
TARN_API TarnResult tarn_world_add_emitter(TarnWorld* world, const TarnEmitterDef* def,
                                           TarnEmitterId* out);
TARN_API TarnResult tarn_world_remove_emitter(TarnWorld* world, TarnEmitterId id);
TARN_API int tarn_world_emitter_count(const TarnWorld* world);
// Id of the n-th emitter in a fixed order, 0 <= n < count; the null id otherwise.
TARN_API TarnEmitterId tarn_world_emitter_at(const TarnWorld* world, int n);
TARN_API TarnResult tarn_world_get_emitter(const TarnWorld* world, TarnEmitterId id,
                                           TarnEmitterDef* out);

TARN_API TarnWave* tarn_world_wave(TarnWorld* world);            // NULL: none
TARN_API TarnShallow* tarn_world_shallow(TarnWorld* world);      // NULL: none
TARN_API TarnPipes* tarn_world_pipes(TarnWorld* world);          // NULL: none
TARN_API TarnLiquid* tarn_world_liquid(TarnWorld* world);        // NULL: none
TARN_API TarnParticles* tarn_world_particles(TarnWorld* world);  // NULL: none
TARN_API TarnSolids* tarn_world_solids(TarnWorld* world);        // NULL: none yet
TARN_API TarnBodies* tarn_world_bodies(TarnWorld* world);        // never NULL
TARN_API TarnSurface tarn_world_surface(const TarnWorld* world); // of the first; query NULL: none
TARN_API double tarn_world_time(const TarnWorld* world);         // [s]

// Advance by dt [s], 0 to 10. No allocation. The same bits for any number of workers.
TARN_API TarnResult tarn_world_step(TarnWorld* world, float dt, TarnStepReport* report);

TARN_API uint64_t tarn_world_hash(const TarnWorld* world);
TARN_API TarnResult tarn_world_save(const TarnWorld* world, void* buffer, size_t capacity,
                                    size_t* size);
// Into a world that was built the same way (the same scene), or refuses and changes nothing.
TARN_API TarnResult tarn_world_load(TarnWorld* world, const void* buffer, size_t size);

#ifdef __cplusplus
}
#endif
