// tarn/show.h: small pieces of game logic that scenes and demos use, on top of worlds: fires that water puts out,
// flights of driven bodies with an engine that is throttled. Nothing below knows of them; write your own the same way.
#pragma once

#include "tarn/gas.h"
#include "tarn/gas_presets.h"
#include "tarn/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Presets of gas ------------------------------------------------------------------------------

// A preset of tarn/gas_presets.h at a place, with its parameters, source and jet, under the gravity of the world.
TARN_API TarnResult tarn_world_add_gas_preset(TarnWorld* world, int preset, float size,
                                              TarnVec3 place, TarnGas** out);

// ---- Fires ---------------------------------------------------------------------------------------

// A fire that a liquid puts out: flames are particles of an emitter, and what flows through the ball takes their
// strength. A solver of its own (kind "fire"); add it after the first liquid and the first particles of the world,
// which it uses.
typedef struct TarnFire TarnFire;
typedef struct TarnFireDef {
    uint32_t cookie;   // set by tarn_fire_default_def, leave alone
    TarnVec3 position; // of the base of the flames [m]
    float radius;      // of the ball around it that water must get into [m]
    float water;       // what puts it out: liquid in the ball times the time it is there [kg s]
    float recovery;    // share of its strength that a fire that still burns wins back per second
    float rate;        // of flames at full strength [1/s]
    float speed;       // of flames [m/s]
    float lifetime;    // of flames [s]
    float size;        // of a flame [m]
    int kind_of_flame, kind_of_smoke; // kinds of particles, 0 to 255
} TarnFireDef;
TARN_API const TarnParamTable* tarn_fire_def_table(void);
TARN_DEFAULT_DEF(TarnFireDef, tarn_fire);
TARN_API float tarn_fire_strength(const TarnFire* fire); // 1 to 0: it is out
TARN_MEMBER(TarnFire, fire)

// ---- Flights ---------------------------------------------------------------------------------------

// A driven body takes off, wanders about erratically and lands again, as with a jetpack: a function of time around
// where it stood when it was added. Its power, 0 on the ground to 1, throttles what the body carries
// (TARN_THROTTLE_STEADY), and so does how fast the power changes (TARN_THROTTLE_CHANGE).
typedef struct TarnFlightDef {
    uint32_t cookie;    // set by tarn_flight_default_def, leave alone
    TarnVec3 amplitude; // how far and, y, how high it goes [m]
    float period;       // how long it goes one way [s]
    float phase;        // another one is another flight, 0 to 1
    float start, stop;  // world time; before and after it stands [s]
    float ramp;         // how long it takes to take off and to land [s]
} TarnFlightDef;
TARN_API const TarnParamTable* tarn_flight_def_table(void);
TARN_DEFAULT_DEF(TarnFlightDef, tarn_flight);

// All flights of a world, as its script (tarn_world_set_script). Destroy it before the world, or after.
typedef struct TarnFlights TarnFlights;
enum { TARN_MAX_FLIGHTS = 64 };
TARN_API TarnResult tarn_flights_create(TarnContext* ctx, TarnWorld* world, TarnFlights** out);
TARN_API void
tarn_flights_destroy(TarnFlights* flights); // NULL is fine; the world's script is none then
// TARN_ERR_ARG: a value out of range, or the body is not a driven one of the world.
TARN_API TarnResult tarn_flights_add(TarnFlights* flights, TarnBodyId body,
                                     const TarnFlightDef* def);

#ifdef __cplusplus
}
#endif
