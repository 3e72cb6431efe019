// From a scene to what the renderer draws. Shared by the command line and a viewer.
#pragma once

#include "tarn/render.h"
#include "tarn/scene.h"

typedef struct SceneFrame {
    TarnFrame frame;  // valid after scene_frame_update, until the next one
    float* height;    // nx * nz: y of the surface, the solver has it relative to the level
    float* bed;       // nx * nz: y of the floor, NULL where it is flat
    uint8_t* is_wall; // nx * nz, NULL: none
    TarnFrameBody* bodies;
    int* triangles;  // of all hulls, side by side
    int n_bodies;    // room in bodies and triangles
    TarnVec2 origin; // for which bed and is_wall were made [m]
} SceneFrame;

// TARN_ERR_UNSUPPORTED: the scene has no water to draw. TARN_ERR_MEMORY.
TarnResult scene_frame_create(TarnScene* scene, SceneFrame* out);
void scene_frame_destroy(SceneFrame* frame);
// The scene as it is now, seen as its view says. aspect: width / height of the picture.
TarnResult scene_frame_update(SceneFrame* frame, TarnScene* scene, float aspect);
