// What a frame shows and where the camera stands (camera.c). It needs no GL: the view library uses it where there is none.
#pragma once

#include "tarn/render.h"
#include "linear.h"

float tarn__mean_depth(const TarnFrameWater* water);  // of calm water [m], > 0
float tarn__larger_side(const TarnFrameWater* water); // of the grid [m]
typedef struct HeightRange {
    float low, high; // y [m]
} HeightRange;
HeightRange tarn__land_range(const TarnFrameLand* land);  // of the ground
float tarn__land_foot(float side, float low, float high); // y of the foot of the block
float tarn__body_bound(const TarnFrameBody* body);        // radius around its place [m]

typedef struct Stage { // the stage: the box that a picture of liquids and particles shows
    TarnVec3 lo, hi;   // of what is framed [m]
    bool is_flat, is_night;
    float side; // the larger one [m]
} Stage;
Stage tarn__stage_of(const TarnFrame* frame);
bool tarn__is_night(const TarnFrame* frame); // with moon and stars

// The first water of a frame, or an empty one.
static inline const TarnFrameWater* tarn__water_of(const TarnFrame* frame)
{
    static const TarnFrameWater none;
    return frame->n_waters > 0 ? frame->waters : &none;
}
