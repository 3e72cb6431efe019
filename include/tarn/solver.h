// tarn/solver.h: what a world, a scene and the tools ask of a solver. One TarnSolverClass per solver.
//
// A solver is a plain object with its own header; its class says how to make, step, save and read it, which plugs it
// offers, and which tables describe it. Everything that works with solvers of any kind (worlds, scenes, `tarn
// describe`, CSV columns, snapshots, fuzzers) goes through this struct, and the list of classes is
// the one place that knows what exists. A host may register classes of its own: docs/adding_a_solver.md
#pragma once

#include "tarn/base.h"
#include "tarn/body.h"
#include "tarn/emitter.h"
#include "tarn/flow.h"
#include "tarn/member.h"
#include "tarn/solids.h"
#include "tarn/surface.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a world gives to its solvers.
typedef struct TarnAround {
    TarnWorld* world;
    TarnBodies* bodies;
    TarnSolids* solids;
    float gravity; // downwards [m/s^2]
    double time;   // of the world, at the beginning of the substep [s]
} TarnAround;

// A number that a solver tells about itself: a column of `tarn run --csv` and a line of its summary.
typedef struct TarnStat {
    const char *name, *unit, *help;
    double (*value)(const void* solver);
} TarnStat;

// The body that carries a part of a solver: a nozzle, an emitter, a jet.
typedef struct TarnCarrier {
    TarnMotion motion;
    float throttle;      // share of its strength that the part works with, 0 to 1
    uint32_t solid_user; // of the solid that stands for the body; 0: none does
} TarnCarrier;

// A list of parts that are added to a solver one by one: sources, jets, regions, emitters.
typedef struct TarnListClass {
    const char* name;                     // key in scenes and of tarn_world_attach: "sources"
    const TarnParamTable* (*table)(void); // of its def
    void (*init)(void* def);              // defaults, cookie and all
    TarnResult (*add)(void* solver, const void* def, uint64_t* id);
    TarnResult (*set)(void* solver, uint64_t id, const void* def); // NULL: fixed once it is there
    TarnResult (*remove)(void* solver, uint64_t id);               // NULL: it stays
    // Turns a def that is given in the axes of a body into one in the world's. NULL: bodies cannot carry it.
    void (*carry)(void* def, const TarnCarrier* carrier);
    // Brings a carried part to where the def says, over the way it went since the last step. NULL: set does.
    TarnResult (*move)(void* solver, uint64_t id, const void* def, const TarnCarrier* carrier);
    // For parts that give liquid, so that a spout can take it out of a water: volume that this one has given since it
    // was added [m^3], and holding it back. NULL: it cannot be a spout.
    double (*given)(const void* solver, uint64_t id);
    void (*pause)(void* solver, uint64_t id, bool is_paused);
    // An id of this solver with the slot and generation of another one's: for snapshots that come from another
    // process. NULL: ids are the same everywhere.
    uint64_t (*renew)(const void* solver, uint64_t id);
} TarnListClass;

enum { TARN_LIST_MAX_DEF = 512 }; // bytes of a def in a list

// A basin: what holds bodies and where a window is.
typedef struct TarnBasin {
    TarnVec2 min, max; // x, z of its corners now [m]
    bool is_closed[4]; // a wall at -x, +x, -z, +z
    float floor;       // y of a level floor [m]; -1e4: there is none
    float dx;          // cell size of its fields, and of windows that shift [m]; 0: it has no cells
    TarnView2 ground;  // y of the ground of its cells [m]; data NULL: the floor alone
    TarnView2
        depth; // of a bed below rest_level instead of ground [m], below 0: land; data NULL: none
    float rest_level; // [m]
} TarnBasin;

// What liquid a solver holds, and how it came there [m^3]: held = brought - taken + edits + error.
typedef struct TarnHolding {
    double held;    // now
    double brought; // since it was made, by itself: at the start, through edges, rain
    double taken;   // and what it lost that way
    double edits;   // what calls brought, less what they took: sources, fills, pours
    double error;   // what is missing
    bool is_exact;  // the error is 0 to the last bit
} TarnHolding;

// Particles that can leave their solver for another one: the drops of a liquid.
typedef struct TarnDrops {
    void* self;
    int n;
    const float *x, *y, *z, *vx, *vy, *vz; // [m], [m/s]; valid until something is taken
    float volume, radius;                  // of one [m^3], [m]
    float density;                         // [kg/m^3]
    // Takes n drops out, by their indices in rising order.
    void (*take)(void* self, int n, const int* indices);
} TarnDrops;

// How much detail to compute: tarn/budget.h.
typedef struct TarnDetail {
    int level;        // coarser grids: 0 the finest
    int update_every; // steps per update of a grid
    float emission;   // share of the particles that emitters may keep alive
} TarnDetail;

struct TarnSolverClass {
    size_t size;       // sizeof(TarnSolverClass): that of the host that wrote it
    const char* name;  // "wave": kind in scenes, path of --set, prefix of CSV columns
    const char* about; // one sentence
    int phase;         // TarnPhase in which it steps: TARN_PHASE_LIQUIDS to TARN_PHASE_PARTICLES

    bool
        has_cookie; // its def begins with the cookie of TARN_DEFAULT_DEF: one of another version is refused

    // ---- Needed ---------------------------------------------------------------------------------
    const TarnParamTable* (*def_table)(void); // its struct_size is that of the def
    void (*init_def)(void* def);
    TarnResult (*create)(TarnContext* ctx, const void* def, void** out);
    void (*destroy)(void* solver); // NULL is fine
    // Couples it with what is around, where it does that by itself, and steps it.
    TarnResult (*step)(void* solver, const TarnAround* around, float dt, TarnStepReport* report);
    uint64_t (*hash)(const void* solver);
    TarnResult (*save)(const void* solver, void* buffer, size_t capacity, size_t* size);
    TarnResult (*load)(void* solver, const void* buffer, size_t size);
    void (*reset)(void* solver);
    size_t (*memory)(const void* def);      // bytes that create allocates, 0: the def is not valid
    const void* (*def)(const void* solver); // as it was made

    // ---- What may change every frame; NULL: nothing ---------------------------------------------
    const TarnParamTable* (*params_table)(void);
    void (*get_params)(const void* solver, void* params);
    TarnResult (*set_params)(void* solver, const void* params);

    // ---- Lists ----------------------------------------------------------------------------------
    const TarnStat* stats;
    int n_stats;
    const TarnListClass* lists;
    int n_lists;

    // ---- Plugs, NULL: it does not offer this ------------------------------------------------------
    TarnSurface (*surface)(const void* solver);
    TarnFlow (*flow)(const void* solver);
    bool carries_particles; // its flow does, unless told otherwise (tarn_world_set_carrier)
    bool pushes_bodies;     // its flow pushes free bodies: wind, jets, blasts
    float flow_density;     // where the flow does not tell one [kg/m^3]
    bool
        floats_bodies; // its step moves bodies by itself; else they float in its surface, if it has one
    bool (*has_bodies)(const void* solver); // do bodies meet this one? NULL: yes
    bool (*is_flat)(const void* solver);    // 2-D: bodies of its world are planar. NULL: no
    void (*basin)(const void* solver, TarnBasin* out);
    TarnResult (*shift)(void* solver, int di, int dk); // moves its window by whole cells
    TarnResult (*follow)(void* solver, TarnVec3 center, TarnVec3 velocity); // or its box
    bool (*drops)(void* solver, TarnDrops* out);
    void (*holding)(const void* solver, TarnHolding* out); // of liquid [m^3]
    void (*set_detail)(void* solver, const TarnDetail* detail);
    TarnResult (*set_flow)(void* solver,
                           TarnFlow flow); // what carries it; query NULL: nothing does
    TarnResult (*join)(void* solver, const TarnAround* around); // after it was created in a world

    // ---- Emitters ---------------------------------------------------------------------------------
    uint32_t emitters; // bits 1 << TarnEmitterKind that it understands
    void (*emit)(void* solver, const TarnEmission* emission);
    const char* (*instead)(int kind); // of an emitter it does not know: what to use; NULL: nothing
};

// ---- What exists ---------------------------------------------------------------------------------

// Classes in a fixed order: those of the library, then those that were registered. NULL: there are fewer. ctx may be
// NULL: those of the library alone.
TARN_API const TarnSolverClass* tarn_solver_class_at(const TarnContext* ctx, int n);
TARN_API const TarnSolverClass* tarn_solver_class_find(const TarnContext* ctx, const char* name);
// Makes a class of the host known to a context: worlds, scenes and tools then treat it like any other. The struct
// is kept, not copied. TARN_ERR_ARG: something needed is missing, or its name is taken. TARN_ERR_CAPACITY: 16 are
// registered. Before worlds are made, not while anything steps.
TARN_API TarnResult tarn_solver_register(TarnContext* ctx, const TarnSolverClass* solver_class);

// A pose in the axes of a body, as that body carries it now.
TARN_API TarnMotion tarn_motion_carried(const TarnMotion* body, const TarnMotion* local);

#ifdef __cplusplus
}
#endif
