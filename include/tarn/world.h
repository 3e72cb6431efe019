// tarn/world.h: solvers, bodies, solids and emitters that step together.
//
// The host may call solvers one by one; a world does it for them in the right order, any number of any solver in any
// mix: one call per frame, one hash, one snapshot, one ledger. The order: docs/architecture.md
#pragma once

#include "tarn/body.h"
#include "tarn/budget.h"
#include "tarn/curl_noise.h"
#include "tarn/driver.h"
#include "tarn/emitter.h"
#include "tarn/member.h"
#include "tarn/push.h"
#include "tarn/solids.h"
#include "tarn/solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnWorldDef {
    uint32_t cookie; // set by tarn_world_default_def, leave alone
    float gravity;   // downwards [m/s^2]. Also of solvers that are added with gravity 0
    int max_solvers;
    int max_bodies;
    int max_emitters;
    int max_attached; // sources, jets and emitters that bodies carry
    int seed;         // of everything random
    float max_step;   // longer steps are cut, so that bodies and water stay in touch [s]
    int max_substeps; // per tarn_world_step; time beyond is dropped and reported
    int max_solids;   // besides those of bodies
    int solid_memory; // for the shapes of all solids [bytes]
} TarnWorldDef;

TARN_API const TarnParamTable* tarn_world_def_table(void);
TARN_DEFAULT_DEF(TarnWorldDef, tarn_world);
TARN_API TarnResult tarn_world_create(TarnContext* ctx, const TarnWorldDef* def, TarnWorld** out);
TARN_API void tarn_world_destroy(TarnWorld* world); // with all that was added; NULL is fine
TARN_API TarnContext* tarn_world_context(const TarnWorld* world);
TARN_API const TarnWorldDef* tarn_world_def(const TarnWorld* world);

// ---- Solvers -----------------------------------------------------------------------------------

// Adding and typed access: tarn/member.h and the header of each solver. A solver is named by its pointer everywhere
// below; TARN_ERR_ARG: it is none of this world.
TARN_API const TarnSolverClass* tarn_world_class_of(const TarnWorld* world,
                                                    const void* solver); // NULL: not here
TARN_API const char* tarn_world_name_of(const TarnWorld* world,
                                        const void* solver); // NULL: not here
// TARN_ERR_ARG: another solver has this name, or it is not made of 1 to 31 letters, digits and _.
TARN_API TarnResult tarn_world_set_name(TarnWorld* world, const void* solver, const char* name);
TARN_API void* tarn_world_find(const TarnWorld* world,
                               const char* name); // NULL: none has this name
// 1 for the first; the same as long as the solver is in the world. 0: it is none of this world.
TARN_API int tarn_world_number(const TarnWorld* world, const void* solver);
// Takes a solver out. It is kept until the world has taken out max_solvers more, or tarn_world_forget, so
// that a snapshot from before can bring it back; do not use the pointer until then.
TARN_API TarnResult tarn_world_remove(TarnWorld* world, void* solver);
TARN_API void tarn_world_forget(TarnWorld* world); // frees what was taken out; NULL is fine
// Cosmetic solvers (smoke that nothing depends on) step with the others and are in no hash and no snapshot of the
// world. A load leaves them as they are, unless a solver that comes back needs their number: then they go.
TARN_API TarnResult tarn_world_set_cosmetic(TarnWorld* world, const void* solver, bool is_cosmetic);
TARN_API bool tarn_world_is_cosmetic(const TarnWorld* world, const void* solver);
// Does the flow of this solver carry the particles of the world? Flows that overlap are blended. Gases do by default.
TARN_API TarnResult tarn_world_set_carrier(TarnWorld* world, const void* solver, bool is_carrier);
// Lets its window or box follow a target. TARN_ERR_UNSUPPORTED: it cannot move.
TARN_API TarnResult tarn_world_set_window(TarnWorld* world, const void* solver,
                                          const TarnWindowDef* def);
// Where the window's target is now [m]; false: it is fixed, or its body is gone.
TARN_API bool tarn_world_window_target(const TarnWorld* world, const void* solver, TarnVec3* out);
// The surface of the first solver that offers one; query NULL: none does.
TARN_API TarnSurface tarn_world_surface(const TarnWorld* world);

// How the flow of this solver pushes the free bodies of the world. Gases push like air unless this says otherwise: a blast
// needs more density (tarn/push.h), cosmetic smoke none at all (density 0). Other solvers with a flow push
// only if told to: a liquid moves bodies by itself already. NULL: as its class does.
// TARN_ERR_UNSUPPORTED: it offers no flow.
TARN_API TarnResult tarn_world_set_push(TarnWorld* world, const void* solver,
                                        const TarnFlowPush* push);

// Wind over the whole world, above its waters and outside of its gases. It pushes free bodies, fills sails and carries
// particles. It swells and dies down by itself: velocity (1 + gusts g), g from -1 to 1, never quite the
// same from gust to gust and the same in each run.
typedef struct TarnWindDef {
    uint32_t cookie;   // set by tarn_wind_default_def, leave alone
    TarnVec3 velocity; // [m/s]
    float gusts;       // share by which it swells and dies down, 0 to 1
    float gust_period; // from gust to gust [s]
} TarnWindDef;
TARN_API const TarnParamTable* tarn_wind_def_table(void);
TARN_DEFAULT_DEF(TarnWindDef, tarn_wind);
TARN_API TarnResult tarn_world_set_wind(TarnWorld* world, const TarnWindDef* wind); // NULL: none
// All air of the world as one flow, wind and gases; and all of its water, below the surfaces of height fields and in
// liquids. Valid as long as the world; not during a step.
TARN_API TarnFlow tarn_world_air(const TarnWorld* world);
TARN_API TarnFlow tarn_world_water(const TarnWorld* world);

// Curl noise that carries the particles where no flow does, on top of the wind. A copy is kept, with the time and the solids of the
// world. NULL: none.
TARN_API TarnResult tarn_world_set_curl_noise(TarnWorld* world, const TarnCurlNoise* noise);
// A budget for solvers that can compute less detail. It changes what is computed, and so the bits: for games, not for
// replays. NULL: none. The host tells what each step took.
TARN_API TarnResult tarn_world_set_budget(TarnWorld* world, const TarnBudget* budget);
TARN_API TarnResult tarn_world_note_cost(TarnWorld* world, float step_ms, float dt);
TARN_API const TarnBudget* tarn_world_budget(const TarnWorld* world); // NULL: none

// ---- Bodies and solids ---------------------------------------------------------------------------

// Free bodies rest on solids, on beds and walls of basins, and float in every solver that was made for them.
TARN_API TarnBodies* tarn_world_bodies(TarnWorld* world); // never NULL
TARN_API TarnSolids* tarn_world_solids(TarnWorld* world); // never NULL
TARN_API TarnResult tarn_world_add_body(TarnWorld* world, const TarnBodyDef* def, TarnBodyId* out);
TARN_API TarnResult tarn_world_add_solid(TarnWorld* world, const TarnSolidDef* def,
                                         TarnSolidId* out);
TARN_API TarnResult tarn_world_set_driver(TarnWorld* world, TarnBodyId body,
                                          const TarnDriverDef* def);
// Of a solid: spin, shake, slide, or none.
TARN_API TarnResult tarn_world_set_solid_driver(TarnWorld* world, TarnSolidId solid,
                                                const TarnDriverDef* def);
// Gives a body a sail, a keel, a fin: foil 0 to TARN_BODY_FOILS - 1 of it, in the air or the water of the world. NULL: takes
// it away. It goes with its body. TARN_ERR_CAPACITY: the world has 64 foils.
enum { TARN_BODY_FOILS = 4 };
TARN_API TarnResult tarn_world_set_foil(TarnWorld* world, TarnBodyId body, int foil,
                                        const TarnFoilDef* def);
// Either may be NULL. state: where it is and what it does now, for drawing. TARN_ERR_ARG: there is none.
TARN_API TarnResult tarn_world_get_foil(const TarnWorld* world, TarnBodyId body, int foil,
                                        TarnFoilDef* def, TarnFoilState* state);
// Moves the free bodies by dt [s] instead of tarn_bodies_step: a physics engine. It reads forces
// (tarn_bodies_get_force, _get_added_force) and writes states (tarn_bodies_set_state). bridges/ has some.
// NULL: tarn_bodies_step.
typedef TarnResult TarnBodyEngineFn(TarnBodies* bodies, float dt, void* user);
TARN_API TarnResult tarn_world_set_body_engine(TarnWorld* world, TarnBodyEngineFn* engine,
                                               void* user);
// Game code that runs in each substep, before anything moves: from the world's time to time + dt [s]. It may move
// driven bodies, add forces, set params and throttles; it must not step the world. NULL: none.
typedef void TarnScriptFn(TarnWorld* world, float dt, void* user);
TARN_API TarnResult tarn_world_set_script(TarnWorld* world, TarnScriptFn* script, void* user);

// Lets a body carry a part of a solver: list is "sources", "jets", "emitters" ..., id that of the part, and def says
// where it sits and points in the body's axes, from its center. When the body is removed, it stays where it is.
// channel: TarnThrottle. TARN_ERR_UNSUPPORTED: parts of this list cannot be carried.
// TARN_ERR_CAPACITY: world.max_attached are.
typedef enum TarnThrottle {
    TARN_THROTTLE_NONE,   // it works all the time
    TARN_THROTTLE_STEADY, // with what a body's engine gives
    TARN_THROTTLE_CHANGE, // with how fast that changes: smoke of an engine that is revved
    TARN_THROTTLES
} TarnThrottle;
TARN_API TarnResult tarn_world_attach(TarnWorld* world, void* solver, const char* list, uint64_t id,
                                      const void* def, TarnBodyId body, int channel);
// Share of their strength that the parts on a body work with, 0 to 1; 1 unless it is set.
TARN_API TarnResult tarn_world_throttle(TarnWorld* world, TarnBodyId body, int channel,
                                        float share);

// ---- Emitters ----------------------------------------------------------------------------------

// TARN_ERR_ARG: a value out of range, or no solver of this world understands its kind.
TARN_API TarnResult tarn_world_add_emitter(TarnWorld* world, const TarnEmitterDef* def,
                                           TarnEmitterId* out);
TARN_API TarnResult tarn_world_remove_emitter(TarnWorld* world, TarnEmitterId id);
TARN_API int tarn_world_emitter_count(const TarnWorld* world);
// Id of the n-th emitter in a fixed order, 0 <= n < count; the null id otherwise.
TARN_API TarnEmitterId tarn_world_emitter_at(const TarnWorld* world, int n);
TARN_API TarnResult tarn_world_get_emitter(const TarnWorld* world, TarnEmitterId id,
                                           TarnEmitterDef* out);

// ---- Liquid that passes between solvers ------------------------------------------------------------

// Drops of a liquid that fall into a height field hand their volume and impulse over to it. A spout is the way back: a
// source of a liquid that takes what it gives out of a water, from a disc of this radius [m] at (x, z).
// It gives no more than the water has.
typedef struct TarnSpoutDef {
    void* liquid;    // solver that the source belongs to
    uint64_t source; // id in its list "sources"
    void* water;     // solver with a Surface that can be poured
    TarnVec2 place;  // [m]
    float radius;    // [m]
} TarnSpoutDef;
TARN_API TarnResult tarn_world_add_spout(TarnWorld* world, const TarnSpoutDef* def);
// A channel carries water from one surface to another: over a weir, through a pipe, from a pond into a stream. It takes
// what is there, at most its flow, and all of it arrives.
typedef struct TarnChannelDef {
    uint32_t cookie;               // set by tarn_channel_default_def, leave alone
    void *from, *to;               // solvers with a Surface that can be poured
    TarnVec2 from_place, to_place; // x and z of the discs [m]
    float from_radius, to_radius;  // [m]
    float flow;                    // most that passes [m^3/s]
    TarnVec3 velocity;             // with which it arrives [m/s]
} TarnChannelDef;
TARN_API const TarnParamTable* tarn_channel_def_table(void); // of the plain fields
TARN_DEFAULT_DEF(TarnChannelDef, tarn_channel);
TARN_API TarnResult tarn_world_add_channel(TarnWorld* world, const TarnChannelDef* def);

// Who holds how much liquid, and where it came from and went [m^3]. For each solver held = brought - taken + got - given
// + error; error is 0 for exact solvers and rounding for others.
typedef struct TarnLedgerEntry {
    const char* name;      // of the solver
    double held;           // now
    double brought, taken; // through its own edges, sources, losses, and at the start
    double got, given;     // from and to other solvers of the world
    double error;
    bool is_exact;
} TarnLedgerEntry;
typedef struct TarnLedger {
    int n; // solvers that hold liquid, in the order of their numbers; also when capacity is less
    double held;    // by all of them
    double transit; // on its way from one to another: taken here and not given there yet
    double brought, taken;
    double error; // of all solvers, and of what passed between them
} TarnLedger;
// entries may be NULL; capacity of them are written.
TARN_API TarnResult tarn_world_ledger(const TarnWorld* world, TarnLedger* out,
                                      TarnLedgerEntry* entries, int capacity);

// ---- Stepping and state ----------------------------------------------------------------------------

TARN_API double tarn_world_time(const TarnWorld* world); // [s]
// Advance by dt [s], 0 to 10. No allocation. The same bits for any number of workers.
TARN_API TarnResult tarn_world_step(TarnWorld* world, float dt, TarnStepReport* report);

// Of everything but cosmetic solvers.
TARN_API uint64_t tarn_world_hash(const TarnWorld* world);
// Writes the state to buffer. *size: bytes needed, also when TARN_ERR_CAPACITY is returned.
TARN_API TarnResult tarn_world_save(const TarnWorld* world, void* buffer, size_t capacity,
                                    size_t* size);
// Brings back what was in the world then: bodies, solids, emitters, parts and solvers that were added since go, those
// that were removed come back, and ids that were valid then are valid again. Solvers come back if the world
// still keeps them (tarn_world_remove); or it refuses and changes nothing: TARN_ERR_DATA, TARN_ERR_VERSION. It
// allocates one block, for the way back should a part be refused, and frees it before it returns.
TARN_API TarnResult tarn_world_load(TarnWorld* world, const void* buffer, size_t size);

#ifdef __cplusplus
}
#endif
