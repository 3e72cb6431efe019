// tarn/emitter.h: scripted disturbances of height-field water: drops, rain, wave makers, sources, gates.
//
// Emitters belong to a world (tarn_world_add_emitter). Each is a function of time only, so steps of any
// length produce the same drops, and a snapshot need not store what has already fallen. Sources of particles
// are in tarn/liquid.h and tarn/particles.h, those of gas in tarn/gas.h.
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Each solver supports some of these kinds (TarnSolverClass.emitters); `tarn describe SOLVER` lists them.
typedef enum TarnEmitterKind {
    TARN_EMITTER_DROP,   // one drop at a, at time start
    TARN_EMITTER_RAIN,   // `rate` drops per second at random places in the box from a to b
    TARN_EMITTER_STROKE, // a brush stroke from a to b that takes `period` and repeats
    TARN_EMITTER_LINE,   // an oscillating line from a to b
    TARN_EMITTER_MAKER,  // a wave maker along an edge
    TARN_EMITTER_SOURCE, // water flows in over a disc at a; negative flow: a drain
    TARN_EMITTER_GATE,   // a gate that begins to open at start and to close at stop
    TARN_EMITTER_DIG,    // raises a mound at a, or digs a pit, within `period`
    TARN_EMITTER_JET,    // pushes the water in a disc at a
    TARN_EMITTER_KINDS   // number of kinds
} TarnEmitterKind;

// One struct for all kinds; each kind uses the fields it needs. Times are world time.
typedef struct TarnEmitterDef {
    uint32_t cookie; // set by tarn_emitter_default_def; leave it alone
    int kind;        // TarnEmitterKind
    int solver; // number of the solver it acts on (tarn_world_number); 0: the first that supports its kind
    float start, stop; // when it is active [s]
    TarnVec2 a, b;     // x, z [m]
    float radius;      // of drops, brushes, sources, mounds and jets [m]
    float height; // amplitude of waves, size of a drop, height of a mound (negative: a pit) [m]
    float rate;   // drops of rain per second [1/s]
    // Period of lines and makers, duration of a stroke, time that a gate or a mound takes [s]
    float period;
    int edge;          // edge of a maker: 0 -x, 1 +x, 2 -z, 3 +z (x0, x1, z0, z1 in scenes)
    float flow;        // of a source [m^3/s]; negative: a drain
    int gate;          // index of a gate of the shallow water
    TarnVec2 velocity; // velocity that a jet adds to free water within one period [m/s]
} TarnEmitterDef;

typedef struct TarnEmitterId {
    uint64_t value;
} TarnEmitterId; // 0: the null id

TARN_API const TarnParamTable* tarn_emitter_def_table(void);
TARN_DEFAULT_DEF(TarnEmitterDef, tarn_emitter);
TARN_API const char* tarn_emitter_kind_name(int kind); // "drop"; "?" if there is no such kind

// What an emitter does in one substep; passed to TarnSolverClass.emit.
typedef struct TarnEmission {
    const TarnEmitterDef* def;
    double begin;          // its start, or the time it was added if that is later [s]
    double from, to;       // the part of the substep in which it is active [s]
    bool is_first;         // whether it begins in this substep
    uint64_t seed, stream; // random seed of the world, random stream of this emitter
} TarnEmission;

#ifdef __cplusplus
}
#endif
