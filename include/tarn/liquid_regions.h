// tarn/liquid_regions.h: what is placed in a liquid and acts on it, and what happened in its last step.
//
// Sources give liquid. Regions sense, remove, push, warm, freeze or slow down the particles of a liquid (tarn/liquid.h) that are
// inside. Events tell which particles hit a solid, entered or left a region, boiled or were removed.
#pragma once

#include "tarn/base.h"
#include "tarn/liquid.h"
#include "tarn/shape.h"
#include "tarn/solids.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Sources -------------------------------------------------------------------------------------

// A nozzle: liquid leaves a disc (a line in 2-D) in layers one spacing apart, so that it is neither
// thin nor pressed.
typedef struct TarnLiquidSourceDef {
    uint32_t cookie;              // set by tarn_liquid_source_default_def, leave alone
    TarnVec3 position, direction; // direction: any length but 0
    TarnVec3 velocity;            // of the nozzle itself [m/s]
    float radius, speed;          // [m], [m/s]
    float spread;                 // random half angle [rad]
    float start, stop;            // seconds of the liquid
    int limit;                    // particles in all; 0: no limit
    int kind, group;
    float temperature;
} TarnLiquidSourceDef;
typedef struct TarnLiquidSourceId {
    uint64_t value;
} TarnLiquidSourceId;
TARN_API const TarnParamTable* tarn_liquid_source_def_table(void);
TARN_DEFAULT_DEF(TarnLiquidSourceDef, tarn_liquid_source);
TARN_API TarnResult tarn_liquid_add_source(TarnLiquid* liquid, const TarnLiquidSourceDef* def,
                                           TarnLiquidSourceId* out);
TARN_API TarnResult tarn_liquid_set_source(TarnLiquid* liquid, TarnLiquidSourceId id,
                                           const TarnLiquidSourceDef* def);
TARN_API TarnResult tarn_liquid_remove_source(TarnLiquid* liquid, TarnLiquidSourceId id);

// ---- Regions -------------------------------------------------------------------------------------

typedef enum TarnRegionAction {
    TARN_REGION_SENSE,  // events only
    TARN_REGION_DELETE, // a sink
    TARN_REGION_PUSH,   // accelerates
    TARN_REGION_HEAT,   // warms (or, negative, cools) towards `temperature`
    TARN_REGION_FREEZE, // the same, and what is in it stands still at once
    TARN_REGION_DRAG,   // slows down towards `push` as a velocity
} TarnRegionAction;
typedef struct TarnRegionDef {
    uint32_t cookie;   // set by tarn_region_default_def, leave alone
    TarnShape shape;   // Default a box
    TarnPose pose;     // where it is. In 2-D its section counts, whatever its z
    int action;        // TarnRegionAction
    TarnVec3 push;     // [m/s^2], or [m/s] of drag
    float rate;        // of heat and drag [1/s]
    float temperature; // [K over the ambient]
    int kind;          // of liquid it acts on; -1: all
    float start, stop; // seconds of the liquid
    uint32_t user;     // the host's, comes back in events
} TarnRegionDef;
typedef struct TarnRegionId {
    uint64_t value;
} TarnRegionId;
TARN_API const TarnParamTable* tarn_region_def_table(void);
TARN_DEFAULT_DEF(TarnRegionDef, tarn_region);
TARN_API TarnResult tarn_liquid_add_region(TarnLiquid* liquid, const TarnRegionDef* def,
                                           TarnRegionId* out);
TARN_API TarnResult tarn_liquid_set_region(TarnLiquid* liquid, TarnRegionId id,
                                           const TarnRegionDef* def);
TARN_API TarnResult tarn_liquid_remove_region(TarnLiquid* liquid, TarnRegionId id);
TARN_API int tarn_liquid_region_count(const TarnLiquid* liquid,
                                      TarnRegionId id); // inside now, -1: stale

// ---- Events --------------------------------------------------------------------------------------

typedef enum TarnLiquidEventKind {
    TARN_LIQUID_HIT,   // a particle began to touch a solid
    TARN_LIQUID_ENTER, // a region
    TARN_LIQUID_LEAVE, // a region
    TARN_LIQUID_BOILED,
    TARN_LIQUID_SUNK, // removed by a region, a solid that kills, or outside the box
} TarnLiquidEventKind;
typedef struct TarnLiquidEvent {
    int kind; // TarnLiquidEventKind
    uint32_t id;
    TarnVec3 position, velocity;
    TarnSolidId solid;   // of a hit; 0: the box
    TarnRegionId region; // of enter, leave, sunk
    uint32_t user;       // of the solid or region
} TarnLiquidEvent;
// Of the last step, in a fixed order. wanted: bits 1 << TarnLiquidEventKind; none by default.
TARN_API TarnResult tarn_liquid_want_events(TarnLiquid* liquid, uint32_t wanted);
TARN_API const TarnLiquidEvent* tarn_liquid_events(const TarnLiquid* liquid, int* n);

#ifdef __cplusplus
}
#endif
