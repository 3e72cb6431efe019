// tarn/show.h: small pieces of game logic on top of worlds, for scenes and demos: fires that water puts out,
// levers, gates and ropes that water moves, and flights of driven bodies with a throttled engine. The rest of the library does not depend on them;
// write your own the same way.
#pragma once

#include "tarn/gas.h"
#include "tarn/gas_presets.h"
#include "tarn/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Gas presets ---------------------------------------------------------------------------------

// Adds a gas to the world from a preset of tarn/gas_presets.h, with its parameters, source and jet, at a
// place [m]. size is the width of what emits the gas, 0.05 to 100 m; tarn_gas_preset_size is the one the
// preset was tuned for. Errors as tarn_gas_preset and tarn_world_add.
TARN_API TarnResult tarn_world_add_gas_preset(TarnWorld* world, int preset, float size,
                                              TarnVec3 place, TarnGas** out);

// ---- Fires ---------------------------------------------------------------------------------------

// A fire that a liquid puts out. Its flames are particles, and liquid inside a ball around it takes away its
// strength. It is a solver (kind "fire") that uses the first liquid and the first particle system of the
// world; add it after them.
typedef struct TarnFire TarnFire;
typedef struct TarnFireDef {
    uint32_t cookie;   // set by tarn_fire_default_def; leave it alone
    TarnVec3 position; // base of the flames [m]
    float radius;      // radius of the ball that liquid must enter [m]
    float water;       // liquid mass in the ball times its time there that puts the fire out [kg s]
    float recovery;    // share of its strength that a burning fire regains per second [1/s]
    float rate;        // flames per second at full strength [1/s]
    float speed;       // initial speed of flames [m/s]
    float lifetime;    // of flames [s]
    float size;        // of a flame [m]
    int kind_of_flame, kind_of_smoke; // particle kinds, 0 to 255
} TarnFireDef;
TARN_API const TarnParamTable* tarn_fire_def_table(void);
TARN_DEFAULT_DEF(TarnFireDef, tarn_fire);
// Returns the strength of the fire, from 1 to 0 when it is out.
TARN_API float tarn_fire_strength(const TarnFire* fire);
TARN_MEMBER(TarnFire, fire)

// ---- Linkages --------------------------------------------------------------------------------------

// Driven bodies that move together along one way, pushed by all liquids around them and by their own weight: a
// lever that opens a gate, a bucket that lifts a weight over a pulley. Where they are is one number, the share
// of the way, from 0, where the bodies were when they were added, to 1. It is a solver (kind "linkage"); it steps
// after the liquids. Free bodies that lean on a part do not push it. A linkage should weigh at least as much
// as the liquid that it carries.
typedef struct TarnLinkage TarnLinkage;
typedef struct TarnLinkageDef {
    uint32_t cookie; // set by tarn_linkage_default_def; leave it alone
    float friction;  // work of dry friction along the whole way [J]; smaller forces do not move it
    float damping;   // rate at which its motion decays [1/s]
} TarnLinkageDef;
typedef struct TarnLinkagePartDef {
    uint32_t cookie; // set by tarn_linkage_part_default_def; leave it alone
    TarnBodyId body; // a driven body of the world
    TarnVec3 move;   // how far it moves along the whole way [m]
    float turn;      // how far it turns about z along the whole way [rad]
} TarnLinkagePartDef;
enum { TARN_LINKAGE_PARTS = 8 }; // most parts of one linkage
TARN_API const TarnParamTable* tarn_linkage_def_table(void);
TARN_API const TarnParamTable* tarn_linkage_part_def_table(void);
TARN_DEFAULT_DEF(TarnLinkageDef, tarn_linkage);
TARN_DEFAULT_DEF(TarnLinkagePartDef, tarn_linkage_part);
// Adds a part to a linkage of a world. TARN_ERR_ARG: a value is out of range, the body is not a driven body of the
// world, or the part neither moves nor turns. TARN_ERR_CAPACITY: there are TARN_LINKAGE_PARTS already.
TARN_API TarnResult tarn_linkage_add_part(TarnLinkage* linkage, const TarnLinkagePartDef* def);
// Returns the share of the way that it has gone, 0 to 1.
TARN_API float tarn_linkage_share(const TarnLinkage* linkage);
TARN_MEMBER(TarnLinkage, linkage)

// ---- Flights ---------------------------------------------------------------------------------------

// A flight, as with a jetpack: a driven body takes off, wanders erratically and lands again. The path is a
// function of time relative to where the body stood when the flight was added. The engine's power, 0 on the
// ground to 1, throttles the parts that the body carries (TARN_THROTTLE_STEADY), and so does the rate at
// which it changes (TARN_THROTTLE_CHANGE).
typedef struct TarnFlightDef {
    uint32_t cookie;    // set by tarn_flight_default_def; leave it alone
    TarnVec3 amplitude; // how far it flies along x and z, and how high along y [m]
    float period;       // average time between changes of direction [s]
    float phase;        // 0 to 1; each value gives a different flight
    float start, stop;  // world times of takeoff and landing [s]
    float ramp;         // duration of takeoff and of landing [s]
} TarnFlightDef;
TARN_API const TarnParamTable* tarn_flight_def_table(void);
TARN_DEFAULT_DEF(TarnFlightDef, tarn_flight);

// All flights of a world. They run as its script (tarn_world_set_script).
typedef struct TarnFlights TarnFlights;
enum { TARN_MAX_FLIGHTS = 64 };
// Creates a set of flights and makes it the script of the world.
TARN_API TarnResult tarn_flights_create(TarnContext* ctx, TarnWorld* world, TarnFlights** out);
// Destroys the flights and clears the world's script; call it before the world is destroyed. NULL is fine.
TARN_API void tarn_flights_destroy(TarnFlights* flights);
// Adds a flight. TARN_ERR_ARG: a value is out of range, or the body is not a driven body of the world.
// TARN_ERR_CAPACITY: there are TARN_MAX_FLIGHTS already.
TARN_API TarnResult tarn_flights_add(TarnFlights* flights, TarnBodyId body,
                                     const TarnFlightDef* def);

#ifdef __cplusplus
}
#endif
