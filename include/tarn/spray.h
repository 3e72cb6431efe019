// tarn/spray.h: white water. Drops that breaking waves, waterfalls and bodies throw, mist, and foam on the water.
//
// Spray lies on another water of a world (tarn_world_set_on), or on any TarnSurface of a host. It looks at that surface,
// throws drops where it breaks, takes their volume out of the water, and pours it back with its momentum where they
// land [Chentanez2010]. What it throws follows from the energy that a bore loses, so it depends neither on the time
// step nor on the cells of the water. Foam is left where water was thrown, hit or aerated: as particles, and as a
// density on a grid, both carried by the surface.
//
// Drops run off bodies and solids without pushing them, and do not meet one another. Method, limits, cost: docs/solvers/spray.md
#pragma once

#include "tarn/base.h"
#include "tarn/body.h"
#include "tarn/member.h"
#include "tarn/particles.h"
#include "tarn/solids.h"
#include "tarn/surface.h"
#include "tarn/throw.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct TarnSpray TarnSpray;

// What a drop is: the kind in TarnParticlesView.
typedef enum TarnSprayKind {
    TARN_SPRAY_FALL,   // carries volume, from the edge of a waterfall: drawn as a sheet
    TARN_SPRAY_SPLASH, // carries volume
    TARN_SPRAY_FINE,   // fine drops, slowed down by the air
    TARN_SPRAY_MIST,   // floats
    TARN_SPRAY_RAIN,   // falls, and makes a crown where it hits the water
} TarnSprayKind;

// Start from tarn_spray_default_def(). Ranges and defaults are in the parameter table (tarn describe spray).
typedef struct TarnSprayDef {
    uint32_t cookie; // set by tarn_spray_default_def; leave it alone
    int nx, nz;      // cells along x and z in which the water is looked at and foam is kept
    float dx;        // their size [m]; about two cells of the water
    TarnVec2 origin; // x, z of the grid corner [m]
    int max_drops;   // in the air: all kinds together
    int max_foam;    // particles of foam
    float gravity;   // [m/s^2]
    int seed;        // of all that is random
} TarnSprayDef;

// Parameters that may change every frame.
typedef struct TarnSprayParams {
    float radius;     // of a splash drop, a lump of water [m]
    float steepness;  // slope of the surface at which a crest breaks
    float rising;     // the surface of a breaking front rises at least as fast [m/s]
    float crests;     // share of the energy that a bore loses which throws water
    float walls;      // share of the water that hits a shore or a rock which is thrown up
    float wall_speed; // slower water does not splash there [m/s]
    float bodies;     // share of the water that bodies push aside at the waterline which is thrown
    float body_speed; // slower bodies do not splash [m/s]
    float fine;       // fine drops per splash drop
    float mist;       // clouds of mist per splash drop that lands hard
    float foam;       // foam that white water leaves; 1 is natural
    float foam_life;  // time in which two thirds of the foam fade [s]
    float fine_life;  // longest life of a fine drop [s]
    float drag;       // of the air on fine drops [1/s]; on mist eight times as much
    TarnVec3 wind;    // of the air [m/s]
    float jitter;     // spread of the speed of drops, as a share of it
    float rain;       // drops of rain per second and m^2
} TarnSprayParams;

TARN_API const TarnParamTable* tarn_spray_def_table(void);
TARN_API const TarnParamTable* tarn_spray_params_table(void);
TARN_DEFAULT_DEF(TarnSprayDef, tarn_spray);
TARN_API TarnSprayParams tarn_spray_default_params(void);

// Returns the bytes that create will allocate; 0 if the def is invalid.
TARN_API size_t tarn_spray_memory(const TarnSprayDef* def);
// Creates spray without drops or foam. TARN_ERR_ARG: a value is out of range. TARN_ERR_MEMORY. On failure *out is NULL.
TARN_API TarnResult tarn_spray_create(TarnContext* ctx, const TarnSprayDef* def, TarnSpray** out);
TARN_API void tarn_spray_destroy(TarnSpray* spray); // NULL is fine
// Sets the parameters from the next step on. TARN_ERR_ARG: a value is out of range; nothing has changed.
TARN_API TarnResult tarn_spray_set_params(TarnSpray* spray, const TarnSprayParams* params);
TARN_API TarnSprayParams tarn_spray_params(const TarnSpray* spray);

// What is around it in a step.
typedef struct TarnSprayAround {
    TarnSurface water;  // what drops and foam see; query NULL: deep water at y = 0, without bodies
    TarnSurface base;   // what volume is taken from and poured into; pour NULL: an unlimited sea
    TarnBodies* bodies; // that splash, and that drops run off; may be NULL
    TarnSolids* solids; // that drops run off; may be NULL
    bool is_closed[4];  // drops bounce off the edge of the water at -x, +x, -z, +z
} TarnSprayAround;

// Advances by dt [s], 0 to 10. around NULL: nothing is there. report may be NULL. It allocates nothing and gives the same
// bits for any number of workers. TARN_STEP_CAPACITY_FULL: there was no room for all drops. TARN_ERR_ARG: dt is out of
// range.
TARN_API TarnResult tarn_spray_step(TarnSpray* spray, const TarnSprayAround* around, float dt,
                                    TarnStepReport* report);
TARN_API void tarn_spray_reset(TarnSpray* spray); // no drops, no foam

// Turns thrown water into drops at the next step. All of its volume is kept; what is less than a grain
// waits for the next. TARN_ERR_ARG: a value is not finite or
// beyond 1e6, or a volume or power is negative; nothing has changed. TARN_ERR_CAPACITY: too many at once, or too much.
enum { TARN_SPRAY_MAX_THROWS = 16384 };
TARN_API TarnResult tarn_spray_throw(TarnSpray* spray, int n, const TarnThrow* throws);
// A drop of rain that hits the water at x, z in the next step: a crown of fine drops.
TARN_API TarnResult tarn_spray_add_rain(TarnSpray* spray, TarnVec2 place);
// Adds foam over a disc, as much as 1 covers all of it.
TARN_API TarnResult tarn_spray_add_foam(TarnSpray* spray, TarnVec2 center, float radius,
                                        float amount);

// ---- Reading ------------------------------------------------------------------------------------

// Drops in the air; kind is a TarnSprayKind. Valid until the next step.
TARN_API TarnParticlesView tarn_spray_drops(const TarnSpray* spray);
// Water that each drop carries, in whole grains, and the volume of a grain [m^3]: that of the water below, if it counts
// in such. It is known after the first step.
TARN_API const float* tarn_spray_grains(const TarnSpray* spray);
TARN_API double tarn_spray_grain(const TarnSpray* spray);
// Foam on the water; kind is 0. Valid until the next step.
TARN_API TarnParticlesView tarn_spray_foam_particles(const TarnSpray* spray);
// Per cell, valid until the next step: how much of the water the foam covers, 0 and up; what fell onto it in the last
// step and what broke there, for sounds [W].
TARN_API TarnView2 tarn_spray_foam(const TarnSpray* spray);
TARN_API TarnView2 tarn_spray_power(const TarnSpray* spray);
TARN_API TarnVec2
tarn_spray_origin(const TarnSpray* spray); // of the grid now: it moves with the water
TARN_API const TarnSprayDef* tarn_spray_def(const TarnSpray* spray);
TARN_API double tarn_spray_time(const TarnSpray* spray); // simulated so far [s]

// How the volume in the air came there [m^3]: held = thrown + caught + from_sea - landed - to_sea - left + error.
typedef struct TarnSprayLedger {
    double held;
    double thrown, landed;   // taken from, and poured into, the water
    double caught;           // of tarn_spray_throw, and what is less than a grain
    double from_sea, to_sea; // of a water without a pour
    double left;             // beyond open edges
    double error;            // counted in whole grains: exactly 0 unless something is wrong
} TarnSprayLedger;
TARN_API TarnSprayLedger tarn_spray_ledger(const TarnSpray* spray);

// ---- State --------------------------------------------------------------------------------------

// Moves the grid by whole cells; foam that leaves it is gone. A grid on a water that moves does so by itself.
TARN_API TarnResult tarn_spray_shift(TarnSpray* spray, int di, int dk);
TARN_API uint64_t tarn_spray_hash(const TarnSpray* spray);
TARN_API TarnResult tarn_spray_save(const TarnSpray* spray, void* buffer, size_t capacity,
                                    size_t* size);
// Loads a state into a solver created with the same def. On failure nothing has changed.
TARN_API TarnResult tarn_spray_load(TarnSpray* spray, const void* buffer, size_t size);

// ---- In a world ---------------------------------------------------------------------------------

TARN_MEMBER(TarnSpray, spray)

#ifdef __cplusplus
}
#endif
