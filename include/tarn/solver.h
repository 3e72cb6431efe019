// tarn/solver.h: the interface between a solver and everything that works with solvers of any kind.
//
// A solver is a plain object with its own header. Its TarnSolverClass says how to create, step, save and read
// it, which plugs it offers, and which tables describe it. Worlds, scenes, `tarn describe`, CSV columns,
// snapshots and fuzzers use nothing but this struct, and the list of classes is the one place that knows
// which solvers exist. A host can register classes of its own: docs/adding_a_solver.md
#pragma once

#include "tarn/base.h"
#include "tarn/body.h"
#include "tarn/emitter.h"
#include "tarn/flow.h"
#include "tarn/member.h"
#include "tarn/solids.h"
#include "tarn/surface.h"
#include "tarn/throw.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a world passes to its solvers.
typedef struct TarnAround {
    TarnWorld* world;
    TarnBodies* bodies;
    TarnSolids* solids;
    float gravity; // downward [m/s^2]
    double time;   // world time at the beginning of the substep [s]
    // In a step: the water that the solver is part of, with all that lies on it (tarn_world_set_on); its own
    // surface if it stands alone. query NULL: it offers none.
    TarnSurface water;
    // In a step: of the water it lies on, alone; query NULL: it lies on none. What it pours is counted in the ledger.
    TarnSurface base;
    bool is_closed[4]; // in a step: whether there is a wall at -x, +x, -z, +z of that water
} TarnAround;

// A number that a solver reports: a column of `tarn run --csv` and a line of the run's summary.
typedef struct TarnStat {
    const char *name, *unit, *help;
    double (*value)(const void* solver);
} TarnStat;

// The body that carries a part of a solver: a nozzle, an emitter, a jet.
typedef struct TarnCarrier {
    TarnMotion motion;
    float throttle;      // strength of the part, 0 to 1
    uint32_t solid_user; // user number of the solid that stands for the body; 0: none
} TarnCarrier;

// A list of parts that are added to a solver one by one: sources, jets, regions, emitters.
typedef struct TarnListClass {
    const char* name;                     // key in scenes and for tarn_world_attach: "sources"
    const TarnParamTable* (*table)(void); // of its def
    void (*init)(void* def);              // sets defaults and cookie
    TarnResult (*add)(void* solver, const void* def, uint64_t* id);
    TarnResult (*set)(void* solver, uint64_t id, const void* def); // NULL: parts cannot be changed
    TarnResult (*remove)(void* solver, uint64_t id);               // NULL: parts cannot be removed
    // Turns a def given in the axes of a body into one in world axes. NULL: bodies cannot carry these parts.
    void (*carry)(void* def, const TarnCarrier* carrier);
    // Moves a carried part to where the def says, sweeping the path since the last step. NULL: set is used
    // instead.
    TarnResult (*move)(void* solver, uint64_t id, const void* def, const TarnCarrier* carrier);
    // For parts that emit liquid, so that a spout can feed them from a height field: the volume emitted since
    // the part was added [m^3], and a way to pause it. NULL: the part cannot be fed by a spout.
    double (*given)(const void* solver, uint64_t id);
    void (*pause)(void* solver, uint64_t id, bool is_paused);
    // Converts an id from a snapshot of another process to an id of this solver with the same slot and
    // generation. NULL: ids are the same everywhere.
    uint64_t (*renew)(const void* solver, uint64_t id);
} TarnListClass;

enum { TARN_LIST_MAX_DEF = 512 }; // largest def of a list [bytes]

// The basin of a solver: the ground and walls that bodies rest on, and the rectangle of its window.
typedef struct TarnBasin {
    TarnVec2 min, max; // current x and z of its corners [m]
    bool is_closed[4]; // whether there is a wall at -x, +x, -z, +z
    float floor;       // y of a level floor [m]; -1e4: none
    float dx;          // cell size, by which windows shift [m]; 0: no cells
    TarnView2 ground;  // y of the ground in each cell [m]; data NULL: only the floor
    // Instead of ground: depth of the bed below rest_level in each cell [m], negative on land; data NULL:
    // none
    TarnView2 depth;
    float rest_level; // [m]
} TarnBasin;

// How much liquid a solver holds, and how it got there [m^3]: held = brought - taken + edits + error.
typedef struct TarnHolding {
    double held;    // volume it holds now
    double brought; // gained by itself since creation: initial volume, edges, rain
    double taken;   // lost the same way
    double edits;   // added minus removed by calls: sources, fills, pours
    double error;   // what is missing
    bool is_exact;  // the error is 0 to the last bit
} TarnHolding;

// Particles that can leave their solver for another one: the drops of a liquid.
typedef struct TarnDrops {
    void* self;
    int n;
    const float *x, *y, *z, *vx, *vy, *vz; // [m], [m/s]; valid until take is called
    float volume, radius;                  // of one drop [m^3], [m]
    float density;                         // [kg/m^3]
    // Removes n drops, given by their indices in ascending order.
    void (*take)(void* self, int n, const int* indices);
} TarnDrops;

// How much detail to compute: tarn/budget.h.
typedef struct TarnDetail {
    int level;        // 0 is the finest grid; larger is coarser
    int update_every; // steps per update of a grid
    float emission;   // share of their particles that emitters may keep alive, 0 to 1
} TarnDetail;

// Blocks of cells that sleep while nothing moves in them. Valid until the next step or edit.
typedef struct TarnTiles {
    const uint8_t*
        awake;  // nx * nz values, x fastest: nonzero if the tile was computed in the last substep
    int nx, nz; // tiles
    int cells_x, cells_z; // of one tile; those at the upper edges may hold fewer
    TarnVec2 origin;      // x, z of the first one [m]
    float dx;             // of a cell [m]
} TarnTiles;

struct TarnSolverClass {
    size_t size;       // sizeof(TarnSolverClass) in the program that defines the class
    const char* name;  // "wave": kind in scenes, path of --set, prefix of CSV columns
    const char* about; // one sentence
    int phase;         // TarnPhase in which it steps: TARN_PHASE_LIQUIDS to TARN_PHASE_PARTICLES

    // Whether its def begins with the cookie of TARN_DEFAULT_DEF, so that a def of another version is
    // rejected.
    bool has_cookie;

    // ---- Required -------------------------------------------------------------------------------
    const TarnParamTable* (*def_table)(void); // its struct_size is the size of the def
    void (*init_def)(void* def);
    TarnResult (*create)(TarnContext* ctx, const void* def, void** out);
    void (*destroy)(void* solver); // must accept NULL
    // Couples the solver with bodies and solids, if it does that itself, and steps it.
    TarnResult (*step)(void* solver, const TarnAround* around, float dt, TarnStepReport* report);
    uint64_t (*hash)(const void* solver);
    TarnResult (*save)(const void* solver, void* buffer, size_t capacity, size_t* size);
    TarnResult (*load)(void* solver, const void* buffer, size_t size);
    void (*reset)(void* solver);
    size_t (*memory)(const void* def);      // bytes that create allocates; 0: the def is invalid
    const void* (*def)(const void* solver); // the def it was created with

    // ---- Parameters that may change every frame; NULL: none --------------------------------------
    const TarnParamTable* (*params_table)(void);
    void (*get_params)(const void* solver, void* params);
    TarnResult (*set_params)(void* solver, const void* params);

    // ---- Lists ----------------------------------------------------------------------------------
    const TarnStat* stats;
    int n_stats;
    const TarnListClass* lists;
    int n_lists;

    // ---- Plugs; NULL: the solver does not offer this ------------------------------------------------
    TarnSurface (*surface)(const void* solver);
    TarnFlow (*flow)(const void* solver);
    bool
        carries_particles; // whether its flow carries particles by default (tarn_world_set_carrier)
    // Whether its flow is air, which pushes free bodies: jets, blasts. Other flows are water (tarn_world_water)
    bool pushes_bodies;
    float flow_density; // density of the flow where it does not report one [kg/m^3]
    // Whether its step moves bodies by itself; otherwise bodies float in its surface, if it has one.
    bool floats_bodies;
    bool (*has_bodies)(const void* solver); // whether bodies interact with it; NULL: yes
    bool (*is_flat)(const void* solver);    // whether it is 2-D, so bodies are planar; NULL: no
    void (*basin)(const void* solver, TarnBasin* out);
    TarnResult (*shift)(void* solver, int di, int dk); // moves its window by whole cells
    // Moves its box, which follows a target.
    TarnResult (*follow)(void* solver, TarnVec3 center, TarnVec3 velocity);
    bool (*drops)(void* solver, TarnDrops* out);
    // Returns what it threw since the last call, at most `capacity` items, and forgets it; what does not fit
    // stays with it for the next call.
    int (*throws)(void* solver, int capacity, TarnThrow* out);
    // Takes what other members of its water threw, before its step. It must keep all of their volume.
    void (*catches)(void* solver, int n, const TarnThrow* throws);
    // Finds the curl of a breaking wave that is nearest to a place; false: there is none within reach [m].
    bool (*curl)(const void* solver, TarnVec3 near, float reach, TarnCurl* out);
    void (*holding)(const void* solver, TarnHolding* out);
    void (*set_detail)(void* solver, const TarnDetail* detail);
    // Sets the flow that carries it; query NULL: none.
    TarnResult (*set_flow)(void* solver, TarnFlow flow);
    TarnResult (*join)(void* solver, const TarnAround* around); // called once it is in a world
    bool (*tiles)(const void* solver,
                  TarnTiles* out); // which parts of it sleep; false: none ever do

    // ---- Emitters ---------------------------------------------------------------------------------
    uint32_t emitters; // bits 1 << TarnEmitterKind of the kinds it supports
    void (*emit)(void* solver, const TarnEmission* emission);
    // Returns what to use instead of an emitter kind it does not support, or NULL.
    const char* (*instead)(int kind);
};

// ---- What exists ---------------------------------------------------------------------------------

// Returns the n-th class in a fixed order: those of the library, then registered ones; NULL if there are
// fewer. With ctx NULL only the classes of the library count.
TARN_API const TarnSolverClass* tarn_solver_class_at(const TarnContext* ctx, int n);
// Returns the class with this name, or NULL.
TARN_API const TarnSolverClass* tarn_solver_class_find(const TarnContext* ctx, const char* name);
// Registers a class of the host with a context: worlds, scenes and tools then treat it like any other. The
// struct is kept, not copied. Register classes before creating worlds, not while anything steps.
// TARN_ERR_ARG: a required member is missing, or the name is taken. TARN_ERR_CAPACITY: 16 classes are
// registered already.
TARN_API TarnResult tarn_solver_register(TarnContext* ctx, const TarnSolverClass* solver_class);

// Returns the world pose and velocity of something fixed to a body, given its pose in the body's axes.
TARN_API TarnMotion tarn_motion_carried(const TarnMotion* body, const TarnMotion* local);

#ifdef __cplusplus
}
#endif
