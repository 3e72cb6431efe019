// tarn/world.h: solvers, bodies and emitters that step together.
//
// The host may call solvers one by one; a world does it for them in the right order: emitters,
// drivers, coupling, solvers, bodies. One call per frame, one hash, one snapshot.
#pragma once

#include "tarn/body.h"
#include "tarn/pipes.h"
#include "tarn/shallow.h"
#include "tarn/wave.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnWorld TarnWorld;

typedef struct TarnWorldDef {
    float gravity; // downwards [m/s^2]. Also of solvers that are added with gravity 0
    int max_bodies;
    int max_emitters;
    int seed;         // of everything random
    float max_step;   // longer steps are cut, so that bodies and water stay in touch [s]
    int max_substeps; // per tarn_world_step; time beyond is dropped and reported
    uint32_t cookie;  // set by tarn_world_default_def, leave alone
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
    uint32_t cookie;   // set by tarn_emitter_default_def, leave alone
} TarnEmitterDef;

typedef enum TarnDriverKind {
    TARN_DRIVER_NONE,
    TARN_DRIVER_CIRCLE, // carries a driven body around a circle at constant speed and height, nose first (+x)
    TARN_DRIVER_THRUST, // pushes a free body along its own +x to a speed and steers it round the circle
} TarnDriverKind;

typedef struct TarnDriverDef {
    int kind;        // TarnDriverKind
    TarnVec2 center; // x, z [m]
    float radius;    // [m]
    float speed;     // [m/s], negative: clockwise seen from above
    uint32_t cookie; // set by tarn_driver_default_def, leave alone
} TarnDriverDef;

typedef enum TarnWindowKind {
    TARN_WINDOW_FIXED,
    TARN_WINDOW_BODY, // follows a body
    TARN_WINDOW_PATH, // follows a point that goes from a to b at a speed, and stays there
} TarnWindowKind;

// A water whose window moves over a larger world, by whole cells.
typedef struct TarnWindowDef {
    int kind;        // TarnWindowKind
    TarnBodyId body; // that it follows; when it is removed, the window stands
    TarnVec2 a, b;   // of a path, x, z [m]
    float speed;     // along the path [m/s]
    float slack;     // how far the target goes from the middle before the window follows, as a
                     // share of the window
    uint32_t cookie; // set by tarn_window_default_def, leave alone
} TarnWindowDef;

typedef struct TarnEmitterId {
    uint64_t value;
} TarnEmitterId; // 0 is none

TARN_API const TarnParamTable* tarn_world_def_table(void);
TARN_API const TarnParamTable* tarn_emitter_def_table(void);
TARN_API const TarnParamTable* tarn_driver_def_table(void);
TARN_API const TarnParamTable* tarn_window_def_table(void);
TARN_API TarnWorldDef tarn_world_default_def(void);
TARN_API TarnEmitterDef tarn_emitter_default_def(void);
TARN_API TarnDriverDef tarn_driver_default_def(void);
TARN_API TarnWindowDef tarn_window_default_def(void);

TARN_API TarnResult tarn_world_create(TarnContext* ctx, const TarnWorldDef* def, TarnWorld** out);
TARN_API void tarn_world_destroy(TarnWorld* world); // with all that was added; NULL is fine

// The world owns what it makes. One solver of each kind per world, and one of them with use_bodies
// (TARN_ERR_CAPACITY). Free bodies get the basin of the first one as their box: its floor or its
// terrain, and walls at closed edges.
TARN_API TarnResult tarn_world_add_wave(TarnWorld* world, const TarnWaveDef* def, TarnWave** out);
TARN_API TarnResult tarn_world_add_shallow(TarnWorld* world, const TarnShallowDef* def,
                                           TarnShallow** out);
TARN_API TarnResult tarn_world_add_pipes(TarnWorld* world, const TarnPipesDef* def,
                                         TarnPipes** out);
// Lets the first water that can move its window follow a target. TARN_ERR_UNSUPPORTED: none can.
TARN_API TarnResult tarn_world_set_window(TarnWorld* world, const TarnWindowDef* def);
// Where the window's target is now, x and z [m]; false: it is fixed, or its body is gone.
TARN_API bool tarn_world_window_target(const TarnWorld* world, TarnVec2* out);
TARN_API TarnResult tarn_world_add_body(TarnWorld* world, const TarnBodyDef* def, TarnBodyId* out);
TARN_API TarnResult tarn_world_set_driver(TarnWorld* world, TarnBodyId body,
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
