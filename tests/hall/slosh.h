// slosh.h: water in a box whose surface stays a plane and tilts to and fro. The smallest solver that a world can hold.
//
//     a'' + 2 damping a' + w^2 (a - tilt) = 0,     w^2 = g k tanh(k h),  k = pi / length
//
// One slope a along x and one along z, each a damped oscillator with the frequency of the first sloshing mode of a
// basin of that length and depth. It stands for buckets, troughs and tank trucks; it has no waves, and water
// that would leave the box stays in it. It lives in the tests only, to show what a solver needs:
// docs/adding_a_solver.md
#pragma once

#include "tarn/base.h"
#include "tarn/member.h"
#include "tarn/surface.h"

typedef struct TarnSlosh TarnSlosh;

// Start from tarn_slosh_default_def().
typedef struct TarnSloshDef {
    uint32_t cookie; // set by tarn_slosh_default_def, leave alone
    TarnVec2 origin; // x, z of the corner of the box [m]
    TarnVec2 size;   // along x and z [m]
    float floor;     // y of the bottom [m]
    float depth;     // of calm water at the start [m]
    float gravity;   // [m/s^2]
} TarnSloshDef;

// What may change every frame.
typedef struct TarnSloshParams {
    float damping; // rate at which the sloshing dies down [1/s]
    float density; // of the water [kg/m^3]
    TarnVec2 tilt; // slope of calm water along x and z: of a box that leans or is accelerated
} TarnSloshParams;

const TarnParamTable* tarn_slosh_def_table(void);
const TarnParamTable* tarn_slosh_params_table(void);
TARN_DEFAULT_DEF(TarnSloshDef, tarn_slosh);
TarnSloshParams tarn_slosh_default_params(void);
size_t tarn_slosh_memory(const TarnSloshDef* def); // 0: the def is not valid
TarnResult tarn_slosh_create(TarnContext* ctx, const TarnSloshDef* def, TarnSlosh** out);
void tarn_slosh_destroy(TarnSlosh* slosh); // NULL is fine
TarnResult tarn_slosh_set_params(TarnSlosh* slosh, const TarnSloshParams* params);
TarnSloshParams tarn_slosh_params(const TarnSlosh* slosh);
const TarnSloshDef* tarn_slosh_def(const TarnSlosh* slosh);

// Advance by dt [s], 0 to 10, in one go: it is stable for any dt. TARN_STEP_CLAMPED: the slope would have bared the
// floor.
TarnResult tarn_slosh_step(TarnSlosh* slosh, float dt, TarnStepReport* report);
void tarn_slosh_reset(TarnSlosh* slosh); // as it was made; params stay

TarnVec2 tarn_slosh_slope(const TarnSlosh* slosh); // along x and z
float tarn_slosh_depth(const TarnSlosh* slosh);    // mean [m]
double tarn_slosh_volume(const TarnSlosh* slosh);  // [m^3]
double tarn_slosh_poured(const TarnSlosh* slosh);  // since the start, less what was taken [m^3]
TarnSurface tarn_slosh_surface(const TarnSlosh* slosh); // with push and pour

uint64_t tarn_slosh_hash(const TarnSlosh* slosh);
TarnResult tarn_slosh_save(const TarnSlosh* slosh, void* buffer, size_t capacity, size_t* size);
TarnResult tarn_slosh_load(TarnSlosh* slosh, const void* buffer, size_t size);

TARN_MEMBER(TarnSlosh, slosh)
