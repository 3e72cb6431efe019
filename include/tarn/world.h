// tarn/world.h: solvers, bodies, solids and emitters that step together.
//
// A host may step solvers one by one; a world steps any number of any solvers in the right order, and couples
// them: one call per frame, one hash, one snapshot, one ledger. The order of a step: docs/architecture.md
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

// Start from tarn_world_default_def(). Ranges and defaults are in the parameter table (tarn describe world).
typedef struct TarnWorldDef {
    uint32_t cookie; // set by tarn_world_default_def; leave it alone
    float gravity;   // downward [m/s^2]; solvers added with gravity 0 use it too
    int max_solvers;
    int max_bodies;
    int max_emitters;
    int max_attached; // most sources, jets and emitters that bodies can carry
    int seed;         // seed of everything random
    float max_step;   // longest substep [s]; shorter ones couple bodies and water more tightly
    int max_substeps; // per tarn_world_step; time beyond these is dropped and reported
    int max_solids;   // not counting the solids that stand for bodies
    int solid_memory; // memory for the shapes of all solids [bytes]
} TarnWorldDef;

TARN_API const TarnParamTable* tarn_world_def_table(void);
TARN_DEFAULT_DEF(TarnWorldDef, tarn_world);
// Creates an empty world. TARN_ERR_ARG: a value is out of range. On failure *out is NULL.
TARN_API TarnResult tarn_world_create(TarnContext* ctx, const TarnWorldDef* def, TarnWorld** out);
// Destroys the world with everything that was added to it. NULL is fine.
TARN_API void tarn_world_destroy(TarnWorld* world);
TARN_API TarnContext* tarn_world_context(const TarnWorld* world);
TARN_API const TarnWorldDef* tarn_world_def(const TarnWorld* world);

// ---- Solvers -----------------------------------------------------------------------------------

// Solvers are added, and found by type, through tarn/member.h and the header of each solver. The calls below
// identify a solver by its pointer and return TARN_ERR_ARG if it is not in this world.

// Returns the class of a solver, or NULL if it is not in this world.
TARN_API const TarnSolverClass* tarn_world_class_of(const TarnWorld* world, const void* solver);
// Returns the name of a solver, or NULL if it is not in this world.
TARN_API const char* tarn_world_name_of(const TarnWorld* world, const void* solver);
// Renames a solver. TARN_ERR_ARG: another solver has this name, or it does not consist of 1 to 31 letters,
// digits and underscores.
TARN_API TarnResult tarn_world_set_name(TarnWorld* world, const void* solver, const char* name);
// Returns the solver with this name, or NULL.
TARN_API void* tarn_world_find(const TarnWorld* world, const char* name);
// Returns the number of a solver, from 1, which stays the same while the solver is in the world; 0 if it is
// not in this world.
TARN_API int tarn_world_number(const TarnWorld* world, const void* solver);
// Removes a solver. The world keeps it, so that an earlier snapshot can bring it back, until max_solvers more
// have been removed or tarn_world_forget is called. Do not use the pointer unless a load has brought the
// solver back. Its channels, its spouts and the parts of it that bodies carry are removed with it.
TARN_API TarnResult tarn_world_remove(TarnWorld* world, void* solver);
// Frees all removed solvers. NULL is fine.
TARN_API void tarn_world_forget(TarnWorld* world);
// Marks a solver as cosmetic: smoke, say, that nothing depends on. Cosmetic solvers step with the others but
// are left out of hashes and snapshots of the world. A load leaves them as they are, except that one whose
// number is needed by a restored solver is removed.
TARN_API TarnResult tarn_world_set_cosmetic(TarnWorld* world, const void* solver, bool is_cosmetic);
TARN_API bool tarn_world_is_cosmetic(const TarnWorld* world, const void* solver);
// Sets whether the flow of this solver carries the particle systems of the world. Overlapping flows are
// blended. Gases are carriers by default.
TARN_API TarnResult tarn_world_set_carrier(TarnWorld* world, const void* solver, bool is_carrier);
// Makes the window or box of a solver follow a target. TARN_ERR_UNSUPPORTED: the solver cannot move.
TARN_API TarnResult tarn_world_set_window(TarnWorld* world, const void* solver,
                                          const TarnWindowDef* def);
// Writes the current position of the window's target [m]. Returns false if the window is fixed or its body
// has been removed.
TARN_API bool tarn_world_window_target(const TarnWorld* world, const void* solver, TarnVec3* out);
// Lays a water on top of another: a window of wakes on an ocean, ripples on a river. Its height over its own level, its
// slopes and velocities are added to those of `base` within its area (tarn_surface_sum), bodies float in the sum, and one
// water is drawn. Bodies still float by the coupling of wave and shallow water where these are the base, without the
// waves on top. base NULL: it stands alone again. TARN_ERR_UNSUPPORTED: one of them offers no surface. TARN_ERR_ARG:
// one is not in this world, or base itself lies on another.
TARN_API TarnResult tarn_world_set_on(TarnWorld* world, const void* solver, const void* base);
// Returns the solver that this one lies on, or NULL.
TARN_API void* tarn_world_on(const TarnWorld* world, const void* solver);
// Returns the surface of the water that a solver is part of: its own and all that lie on it, or the one it lies on with
// those. Its query is NULL if it offers none. Valid until solvers are added, removed or laid anew.
TARN_API TarnSurface tarn_world_water_surface(const TarnWorld* world, const void* solver);
// Returns the surface of the first water, with all that lies on it; its query is NULL if there is none.
TARN_API TarnSurface tarn_world_surface(const TarnWorld* world);

// Sets how the flow of a solver pushes the free bodies of the world. Gases push like air by default; a blast
// needs a larger gain (tarn/push.h), cosmetic smoke a density of 0. Other solvers with a flow push only if
// this is set, because a liquid already moves bodies by itself. NULL: the default of its class.
// TARN_ERR_UNSUPPORTED: the solver offers no flow.
TARN_API TarnResult tarn_world_set_push(TarnWorld* world, const void* solver,
                                        const TarnFlowPush* push);

// Wind over the whole world, above its waters and outside its gases. It pushes free bodies, fills sails and
// carries particles. Its velocity is velocity * (1 + gusts * g), where g varies smoothly from -1 to 1; gusts
// differ from one another but are the same in every run.
typedef struct TarnWindDef {
    uint32_t cookie;   // set by tarn_wind_default_def; leave it alone
    TarnVec3 velocity; // [m/s]
    float gusts;       // share of the velocity by which it varies, 0 to 1
    float gust_period; // mean time between gusts [s]
} TarnWindDef;
TARN_API const TarnParamTable* tarn_wind_def_table(void);
TARN_DEFAULT_DEF(TarnWindDef, tarn_wind);
TARN_API TarnResult tarn_world_set_wind(TarnWorld* world, const TarnWindDef* wind); // NULL: no wind
// Return all air of the world, wind and gases, as one flow, and all of its water, below the surfaces of height
// fields and in liquids, as another. They are valid as long as the world; do not query them during a step.
TARN_API TarnFlow tarn_world_air(const TarnWorld* world);
TARN_API TarnFlow tarn_world_water(const TarnWorld* world);

// Sets the curl noise that carries particles where no flow does, on top of the wind. The world keeps a copy
// and sets its time and solids. NULL: no noise.
TARN_API TarnResult tarn_world_set_curl_noise(TarnWorld* world, const TarnCurlNoise* noise);
// Sets a time budget: solvers that can compute less detail do so to meet it. This changes results, so use it
// for games and not for replays. NULL: no budget.
TARN_API TarnResult tarn_world_set_budget(TarnWorld* world, const TarnBudget* budget);
// Tells the budget what the last step of dt [s] took [ms]. Call it after each step.
TARN_API TarnResult tarn_world_note_cost(TarnWorld* world, float step_ms, float dt);
TARN_API const TarnBudget* tarn_world_budget(const TarnWorld* world); // NULL: no budget

// ---- Bodies and solids ---------------------------------------------------------------------------

// Free bodies rest on solids and on the beds and walls of basins, and float in every solver that was created
// to hold bodies.
TARN_API TarnBodies* tarn_world_bodies(TarnWorld* world); // never NULL
TARN_API TarnSolids* tarn_world_solids(TarnWorld* world); // never NULL
// Adds a body or a solid. Errors as tarn_bodies_add and tarn_solids_add.
TARN_API TarnResult tarn_world_add_body(TarnWorld* world, const TarnBodyDef* def, TarnBodyId* out);
TARN_API TarnResult tarn_world_add_solid(TarnWorld* world, const TarnSolidDef* def,
                                         TarnSolidId* out);
// Sets the driver of a body. TARN_ERR_ARG: a value is out of range, or the body does not exist.
TARN_API TarnResult tarn_world_set_driver(TarnWorld* world, TarnBodyId body,
                                          const TarnDriverDef* def);
// Sets the driver of a solid: spin, shake, slide or none.
TARN_API TarnResult tarn_world_set_solid_driver(TarnWorld* world, TarnSolidId solid,
                                                const TarnDriverDef* def);
// Gives a body a sail, a keel or a fin as its foil 0 to TARN_BODY_FOILS - 1, in the air or the water of the
// world. NULL removes it. It is removed with its body. TARN_ERR_CAPACITY: the world already has 64 foils.
enum { TARN_BODY_FOILS = 4 };
TARN_API TarnResult tarn_world_set_foil(TarnWorld* world, TarnBodyId body, int foil,
                                        const TarnFoilDef* def);
// Reads a foil and its current state, for drawing; either output may be NULL. TARN_ERR_ARG: the body has no
// such foil.
TARN_API TarnResult tarn_world_get_foil(const TarnWorld* world, TarnBodyId body, int foil,
                                        TarnFoilDef* def, TarnFoilState* state);
// A physics engine that moves the free bodies by dt [s] instead of tarn_bodies_step. It reads forces
// (tarn_bodies_get_force, _get_added_force) and writes states (tarn_bodies_set_state); bridges/ has two
// examples.
typedef TarnResult TarnBodyEngineFn(TarnBodies* bodies, float dt, void* user);
// Sets the engine. NULL: tarn_bodies_step.
TARN_API TarnResult tarn_world_set_body_engine(TarnWorld* world, TarnBodyEngineFn* engine,
                                               void* user);
// Game code that runs at the start of each substep, which goes from the world's time to time + dt [s]. It may
// move driven bodies, add forces, and set params and throttles; it must not step the world.
typedef void TarnScriptFn(TarnWorld* world, float dt, void* user);
// Sets the script. NULL: no script.
TARN_API TarnResult tarn_world_set_script(TarnWorld* world, TarnScriptFn* script, void* user);

// How the throttle of a body controls the parts it carries.
typedef enum TarnThrottle {
    TARN_THROTTLE_NONE,   // the part always works at full strength
    TARN_THROTTLE_STEADY, // strength follows the power of the body's engine
    TARN_THROTTLE_CHANGE, // strength follows how fast that power changes: smoke of a revving engine
    TARN_THROTTLES
} TarnThrottle;
// Attaches a part of a solver to a body, which then carries it. list is the kind of part ("sources", "jets",
// "emitters" ...), id is the part, and def holds its position and direction in the body's axes, relative to
// its center. channel is a TarnThrottle. When the body is removed, the part stays where it is.
// TARN_ERR_UNSUPPORTED: parts of this list cannot be carried. TARN_ERR_CAPACITY: world.max_attached parts are
// attached already.
TARN_API TarnResult tarn_world_attach(TarnWorld* world, void* solver, const char* list, uint64_t id,
                                      const void* def, TarnBodyId body, int channel);
// Sets the strength, 0 to 1, of the parts that a body carries on a channel. It is 1 unless set.
TARN_API TarnResult tarn_world_throttle(TarnWorld* world, TarnBodyId body, int channel,
                                        float share);

// ---- Emitters ----------------------------------------------------------------------------------

// Adds an emitter. TARN_ERR_ARG: a value is out of range, or no solver of this world supports its kind.
// TARN_ERR_CAPACITY: world.max_emitters exist already.
TARN_API TarnResult tarn_world_add_emitter(TarnWorld* world, const TarnEmitterDef* def,
                                           TarnEmitterId* out);
TARN_API TarnResult tarn_world_remove_emitter(TarnWorld* world, TarnEmitterId id);
TARN_API int tarn_world_emitter_count(const TarnWorld* world);
// Returns the id of the n-th emitter in a fixed order, or the null id unless 0 <= n < count.
TARN_API TarnEmitterId tarn_world_emitter_at(const TarnWorld* world, int n);
TARN_API TarnResult tarn_world_get_emitter(const TarnWorld* world, TarnEmitterId id,
                                           TarnEmitterDef* out);

// ---- Liquid that passes between solvers ------------------------------------------------------------

// Particles of a liquid that fall into a height field hand their volume and impulse over to it. A spout is
// the way back: it feeds a source of a liquid from a disc of a height field. It gives no more than the height
// field holds.
typedef struct TarnSpoutDef {
    void* liquid;    // the solver that the source belongs to
    uint64_t source; // id of the source in its list "sources"
    void* water;     // a solver whose Surface supports pour
    TarnVec2 place;  // x and z of the disc [m]
    float radius;    // of the disc [m]
} TarnSpoutDef;
// Adds a spout; there is room for 32. TARN_ERR_UNSUPPORTED: the liquid has no sources, or the water cannot be
// poured. TARN_ERR_ARG: a value is out of range, or the source does not exist. TARN_ERR_CAPACITY: there is no
// room.
TARN_API TarnResult tarn_world_add_spout(TarnWorld* world, const TarnSpoutDef* def);
// A channel carries water from one surface to another: over a weir, through a pipe, from a pond into a
// stream. It takes at most its flow, or what is there, and all of it arrives.
typedef struct TarnChannelDef {
    uint32_t cookie;               // set by tarn_channel_default_def; leave it alone
    void *from, *to;               // solvers whose Surface supports pour
    TarnVec2 from_place, to_place; // x and z of the discs [m]
    float from_radius, to_radius;  // radii of the discs [m]
    float flow;                    // largest flow [m^3/s]
    TarnVec3 velocity;             // velocity of the water on arrival [m/s]
} TarnChannelDef;
TARN_API const TarnParamTable* tarn_channel_def_table(void); // of the plain fields
TARN_DEFAULT_DEF(TarnChannelDef, tarn_channel);
// Adds a channel; there is room for 32. Errors as tarn_world_add_spout.
TARN_API TarnResult tarn_world_add_channel(TarnWorld* world, const TarnChannelDef* def);

// How much liquid a solver holds, and where it came from and went [m^3]: held = brought - taken + got - given
// + error. The error is 0 for exact solvers and rounding for others. Exact solvers are exact for water up to
// their max_depth.
typedef struct TarnLedgerEntry {
    const char* name;      // of the solver
    double held;           // volume it holds now
    double brought, taken; // in and out by itself: initial volume, edges, sources, losses
    double got, given;     // from and to other solvers of the world
    double error;
    bool is_exact;
} TarnLedgerEntry;
typedef struct TarnLedger {
    int n;          // number of solvers that hold liquid, even if capacity is less
    double held;    // by all solvers together
    double transit; // on its way: taken from one solver and not yet given to another
    double brought, taken;
    double error; // of all solvers, and of the transfers between them
} TarnLedger;
// Writes the totals to *out and up to capacity entries, in the order of the solvers' numbers. entries may be
// NULL.
TARN_API TarnResult tarn_world_ledger(const TarnWorld* world, TarnLedger* out,
                                      TarnLedgerEntry* entries, int capacity);

// ---- Stepping and state ----------------------------------------------------------------------------

TARN_API double tarn_world_time(const TarnWorld* world); // simulated so far [s]
// Advances the world by dt [s], 0 to 10. report may be NULL. It allocates nothing and gives the same bits for
// any number of workers. TARN_ERR_ARG: dt is out of range.
TARN_API TarnResult tarn_world_step(TarnWorld* world, float dt, TarnStepReport* report);

// Returns a hash of everything but cosmetic solvers.
TARN_API uint64_t tarn_world_hash(const TarnWorld* world);
// Writes the state to buffer. *size is the number of bytes needed, also when TARN_ERR_CAPACITY is returned.
TARN_API TarnResult tarn_world_save(const TarnWorld* world, void* buffer, size_t capacity,
                                    size_t* size);
// Restores a snapshot. Bodies, solids, emitters, parts and solvers that were added since are removed, those
// that were removed come back, and the ids of that time are valid again. Removed solvers can only come back
// while the world keeps them (tarn_world_remove). On failure nothing has changed. TARN_ERR_DATA: the snapshot
// is damaged or does not fit this world. TARN_ERR_VERSION: another version of the format. TARN_ERR_MEMORY:
// the temporary block for what is read, which is checked as a whole first, could not be allocated.
TARN_API TarnResult tarn_world_load(TarnWorld* world, const void* buffer, size_t size);

#ifdef __cplusplus
}
#endif
