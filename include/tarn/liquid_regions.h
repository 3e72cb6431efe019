// tarn/liquid_regions.h: sources, regions and events of particle liquids.
//
// Sources emit liquid. Regions sense, remove, push, warm, freeze or slow down the particles of a liquid
// (tarn/liquid.h) inside them. Events report the particles that hit a solid, entered or left a region, boiled
// or were drained in the last step.
#pragma once

#include "tarn/base.h"
#include "tarn/liquid.h"
#include "tarn/shape.h"
#include "tarn/solids.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Sources -------------------------------------------------------------------------------------

// A nozzle. Liquid leaves a disc (a line in 2-D) in layers one spacing apart, so that it starts at its rest
// density.
typedef struct TarnLiquidSourceDef {
    uint32_t cookie;    // set by tarn_liquid_source_default_def; leave it alone
    TarnVec3 position;  // center of the nozzle [m]
    TarnVec3 direction; // of the jet; any length but 0
    TarnVec3 velocity;  // of the nozzle itself [m/s]
    float radius;       // of the nozzle [m]
    float speed;        // of the jet, relative to the nozzle [m/s]
    float spread;       // largest random angle from the direction [rad]
    float start, stop;  // active between these times of the liquid [s]
    int limit;          // total number of particles to emit; 0: no limit
    int kind, group;    // given to the particles
    float temperature;  // of the particles, above ambient [K]
} TarnLiquidSourceDef;
typedef struct TarnLiquidSourceId {
    uint64_t value;
} TarnLiquidSourceId;
TARN_API const TarnParamTable* tarn_liquid_source_def_table(void);
TARN_DEFAULT_DEF(TarnLiquidSourceDef, tarn_liquid_source);
// Add, change and remove sources. TARN_ERR_ARG: a value is out of range, or the id is stale or of another liquid.
// TARN_ERR_CAPACITY: max_sources are in use. out may be NULL.
TARN_API TarnResult tarn_liquid_add_source(TarnLiquid* liquid, const TarnLiquidSourceDef* def,
                                           TarnLiquidSourceId* out);
TARN_API TarnResult tarn_liquid_set_source(TarnLiquid* liquid, TarnLiquidSourceId id,
                                           const TarnLiquidSourceDef* def);
TARN_API TarnResult tarn_liquid_remove_source(TarnLiquid* liquid, TarnLiquidSourceId id);

// ---- Regions -------------------------------------------------------------------------------------

typedef enum TarnRegionAction {
    TARN_REGION_SENSE,  // only reports events
    TARN_REGION_DELETE, // removes particles: a drain
    TARN_REGION_PUSH,   // accelerates particles by `push`
    TARN_REGION_HEAT,   // warms or cools particles toward `temperature`
    TARN_REGION_FREEZE, // does the same and holds the particles in place at once
    TARN_REGION_DRAG,   // slows particles down toward the velocity `push`
} TarnRegionAction;
typedef struct TarnRegionDef {
    uint32_t cookie;   // set by tarn_region_default_def; leave it alone
    TarnShape shape;   // default: a box
    TarnPose pose;     // position and rotation; a 2-D liquid ignores z and uses the cross-section
    int action;        // TarnRegionAction
    TarnVec3 push;     // acceleration [m/s^2]; for drag the target velocity [m/s]
    float rate;        // of heat, freeze and drag [1/s]; larger values act faster
    float temperature; // target of heat and freeze, above ambient [K]
    int kind;          // kind of liquid that it acts on; -1: all
    float start, stop; // active between these times of the liquid [s]
    uint32_t user;     // for the host; returned in events
} TarnRegionDef;
typedef struct TarnRegionId {
    uint64_t value;
} TarnRegionId;
TARN_API const TarnParamTable* tarn_region_def_table(void);
TARN_DEFAULT_DEF(TarnRegionDef, tarn_region);
// Add, change and remove regions. Errors as for sources; max_regions is the capacity.
TARN_API TarnResult tarn_liquid_add_region(TarnLiquid* liquid, const TarnRegionDef* def,
                                           TarnRegionId* out);
TARN_API TarnResult tarn_liquid_set_region(TarnLiquid* liquid, TarnRegionId id,
                                           const TarnRegionDef* def);
TARN_API TarnResult tarn_liquid_remove_region(TarnLiquid* liquid, TarnRegionId id);
// Returns the number of particles inside a region; -1 if the id is stale.
TARN_API int tarn_liquid_region_count(const TarnLiquid* liquid, TarnRegionId id);

// ---- Events --------------------------------------------------------------------------------------

typedef enum TarnLiquidEventKind {
    TARN_LIQUID_HIT,    // a particle began to touch a solid
    TARN_LIQUID_ENTER,  // a particle entered a region
    TARN_LIQUID_LEAVE,  // a particle left a region
    TARN_LIQUID_BOILED, // a particle reached the boiling point and was removed
    TARN_LIQUID_DRAINED, // a particle was removed by a region, by a solid that kills, or outside the box
} TarnLiquidEventKind;
typedef struct TarnLiquidEvent {
    int kind;    // TarnLiquidEventKind
    uint32_t id; // of the particle
    TarnVec3 position, velocity;
    TarnSolidId solid;   // of a hit; 0: the box
    TarnRegionId region; // of enter, leave and drained
    uint32_t user;       // that of the solid or region
} TarnLiquidEvent;
// Chooses which events are recorded, as bits 1 << TarnLiquidEventKind. The default is none.
TARN_API TarnResult tarn_liquid_want_events(TarnLiquid* liquid, uint32_t wanted);
// Returns the events of the last step, in a fixed order.
TARN_API const TarnLiquidEvent* tarn_liquid_events(const TarnLiquid* liquid, int* n);

#ifdef __cplusplus
}
#endif
