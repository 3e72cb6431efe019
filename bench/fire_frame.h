// A frame's gas: a burning column in a cube, for benchmarks and tests that need some smoke.
#pragma once

#include "tarn/render.h"

// smoke and heat hold n x n x n cells and outlive the frame.
static inline TarnFrameGas fire_frame(const float* smoke, const float* heat, int n, TarnVec3 from,
                                      float size)
{
    TarnFrameGas gas = { .color = { 0.8f, 0.8f, 0.8f },
                         .opacity = 8.0f,
                         .glow = 1.0f,
                         .ambient_temperature = 300.0f,
                         .box_min = from,
                         .box_max = { from.x + size, from.y + size, from.z + size } };
    gas.view.dx = size / (float)n;
    gas.view.origin = from;
    gas.view.density = (TarnView3){ smoke, n, n, n, n, n * n };
    gas.view.temperature = gas.view.density;
    gas.view.temperature.data = heat;
    return gas;
}
