// Inside src/world only: the state of a world and the parts of its step.
#pragma once

#include "tarn/world.h"
#include "base/base.h"
#include "bodies/bodies.h"

enum {
    WORLD_COOKIE = 0x70a1d001,
    EMITTER_COOKIE = 0x70a1d002,
    DRIVER_COOKIE = 0x70a1d003,
};

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
    TarnBodyId body;     // that it was given to
    uint32_t generation; // of that body; another one in its slot is not driven
} Driver;

struct TarnWorld {
    TarnContext* ctx;
    size_t memory;
    uint16_t owner; // part of the ids of emitters, so that a world knows its own; in no result
    TarnWorldDef def;
    TarnWave* wave; // NULL: no water yet
    TarnBodies* bodies;
    Emitter* emitters; // def.max_emitters slots
    Driver* drivers;   // one per slot of bodies
    double time;       // [s]
    double emitted;    // emitters have run up to here: ahead of time if a solver dropped some [s]
    float floor;       // y of the deepest bed [m]
    TarnVec2 origin;   // of the wave's window when the box of the bodies was set [m]
};

// Disturbs the water with all that falls due before t1 [s].
void tarn__emitters_step(TarnWorld* world, double t1);
// Moves or pushes the driven bodies for dt [s].
TarnResult tarn__drivers_step(TarnWorld* world, float dt);
// The body that a driver still drives, or NULL.
TarnBody* tarn__driver_body(const TarnWorld* world, int slot);
// Does the body of a circle turn slowly enough for tarn/body.h?
bool tarn__driver_is_slow(const TarnDriverDef* def);
// Puts the free bodies into the basin of the wave solver when its window is at this origin.
void tarn__world_set_box(TarnWorld* world, TarnVec2 origin);
