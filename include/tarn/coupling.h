// tarn/coupling.h: where families meet. Bodies with water.
#pragma once

#include "tarn/body.h"
#include "tarn/shallow.h"
#include "tarn/wave.h"

#ifdef __cplusplus
extern "C" {
#endif

// Both ways, once per frame before tarn_wave_step: bodies push the water they displace aside, and
// get buoyancy, drag and torque (tarn_bodies_get_force) for the coming dt [s]. The wave solver must
// be created with use_bodies. One set of bodies per solver.
TARN_API TarnResult tarn_couple_wave_bodies(TarnWave* wave, TarnBodies* bodies, float dt);

// The same for shallow water, once per frame before tarn_shallow_step: bodies float, drift with the
// current, make bow waves and wakes, and block the flow where they stand on the ground. The water
// must be created with use_bodies; its volume is not changed. For bodies that rest on the terrain,
// call tarn_bodies_set_ground with tarn_shallow_bed before tarn_bodies_step.
TARN_API TarnResult tarn_couple_shallow_bodies(TarnShallow* water, TarnBodies* bodies, float dt);

#ifdef __cplusplus
}
#endif
