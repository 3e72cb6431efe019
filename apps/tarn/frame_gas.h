// From the gases and looks of a scene to what the renderer draws. For frame*.c.
#pragma once

#include "frame_pick.h"
#include "tarn/render.h"
#include "tarn/scene.h"

enum { FRAME_MAX_LOOKS = 16 };

// A gas that changes its level gains or loses detail at once. What was drawn last fades out while the new fades
// in: absorption and glow add up, so the two together are the mean of both. Only gases with levels keep copies.
typedef struct GasFade {
    TarnFrameGas last, old; // as drawn last; what fades out. Their fields lie in the memory below
    float *last_memory, *old_memory;
    size_t last_room, old_room; // floats
    int level;                  // of last
    double since;               // world time at which it began [s]
    bool has_last, is_fading;
} GasFade;
void frame_free_fades(GasFade* fades); // FRAME_MAX_GASES of them

// The gases of the scene's world as they are now, with those that fade out: up to 2 * FRAME_MAX_GASES; returns
// how many. All have the box of frame_gas_box. Valid until the next step.
int frame_gases(TarnScene* scene, GasFade* fades, TarnFrameGas* out);
// How the scene says that its particles look, up to FRAME_MAX_LOOKS; returns how many, 0: it does not.
int frame_looks(const TarnScene* scene, TarnParticleLook* out);
// The box that the camera frames: the scene's box, else that of all gases. With follow it moves with the first
// gas, except for the floor. Returns false if there is neither.
bool frame_gas_box(TarnScene* scene, TarnVec3* lo, TarnVec3* hi);
