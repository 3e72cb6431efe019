// tarn/emitter.h: what disturbs water by itself, as a function of time: drops, rain, wave makers, sources, gates.
//
// Emitters belong to a world (tarn_world_add_emitter). Each is a function of time alone, so that steps of any length
// make the same drops and a snapshot need not remember what has fallen.
#pragma once

#include "tarn/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// The kinds that each solver understands are those of its class (tarn/solver.h); `tarn describe SOLVER` lists them.
typedef enum TarnEmitterKind {
    TARN_EMITTER_DROP,   // one drop at start, at a
    TARN_EMITTER_RAIN,   // drops at random, rate per second, in the box from a to b
    TARN_EMITTER_STROKE, // a brush from a to b within period seconds, again and again
    TARN_EMITTER_LINE,   // a swinging line from a to b
    TARN_EMITTER_MAKER,  // a wave maker along an edge
    TARN_EMITTER_SOURCE, // water flows in over a disc at a; negative: a drain
    TARN_EMITTER_GATE,   // a gate opens from start on, and closes from stop on
    TARN_EMITTER_DIG,    // ground heaps up at a, or a pit opens, within period
    TARN_EMITTER_JET,    // pushes the water in a disc at a
    TARN_EMITTER_KINDS   // how many there are
} TarnEmitterKind;

// One struct for all kinds; each uses what it needs. Times are seconds of the world.
typedef struct TarnEmitterDef {
    uint32_t cookie; // set by tarn_emitter_default_def, leave alone
    int kind;        // TarnEmitterKind
    int solver;      // number of the solver that it disturbs (tarn_world_number); 0: the first that
                     // understands its kind
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

typedef struct TarnEmitterId {
    uint64_t value;
} TarnEmitterId; // 0 is none

TARN_API const TarnParamTable* tarn_emitter_def_table(void);
TARN_DEFAULT_DEF(TarnEmitterDef, tarn_emitter);
TARN_API const char* tarn_emitter_kind_name(int kind); // "drop"; "?" for no kind

// What an emitter does between two times of a substep. Solvers get it (TarnSolverClass.emit).
typedef struct TarnEmission {
    const TarnEmitterDef* def;
    double begin;          // its start, or the time at which it was added if that was later [s]
    double from, to;       // the part of the substep in which it works [s]
    bool is_first;         // it begins here
    uint64_t seed, stream; // for random places: those of the world and of this emitter
} TarnEmission;

#ifdef __cplusplus
}
#endif
