// tarn/coupling.h: where families meet. Bodies with water.
#pragma once

#include "tarn/body.h"
#include "tarn/wave.h"

#ifdef __cplusplus
extern "C" {
#endif

// Both ways, once per frame before tarn_wave_step: bodies push the water they displace aside, and
// get buoyancy, drag and torque (tarn_bodies_get_force) for the coming dt [s]. The wave solver must
// be created with use_bodies. One set of bodies per solver.
TARN_API TarnResult tarn_couple_wave_bodies(TarnWave* wave, TarnBodies* bodies, float dt);

#ifdef __cplusplus
}
#endif
