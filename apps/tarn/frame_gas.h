// From the gases and looks of a scene to what the renderer draws. For frame*.c.
#pragma once

#include "tarn/render.h"
#include "tarn/scene.h"

enum { FRAME_MAX_GASES = TARN_WORLD_MAX_GASES, FRAME_MAX_LOOKS = 16 };

// The gases of the scene's world as they are now, up to FRAME_MAX_GASES; returns how many. All have the box
// of frame_gas_box. Valid until the next step.
int frame_gases(TarnScene* scene, TarnFrameGas* out);
// How the scene says that its particles look, up to FRAME_MAX_LOOKS; returns how many, 0: it does not.
int frame_looks(const TarnScene* scene, TarnParticleLook* out);
// What the camera frames: the scene's box, else that of all gases. With follow it goes along with the first
// gas, but for the floor. False: neither is there.
bool frame_gas_box(TarnScene* scene, TarnVec3* lo, TarnVec3* hi);
