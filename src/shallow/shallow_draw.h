// Inside src/shallow only: what drawing and reading the surface need to know, and their kernels.
#pragma once

#include "base/kernels.h"
#include "shallow/shallow_internal.h"

typedef struct ShallowDraw {
    const float *h, *u, *w, *b, *ground; // they point at cell (0, 0)
    int stride, nx, nz;
    bool wraps_x, wraps_z;
    float x0, z0, per_cell;  // corner of the grid [m], cells per meter
    float gravity;           // [m/s^2]
    float dry;               // thinner water is land [m]
    float film;              // thinner water shows only where it joins other water [m]
    float quorum;            // neighbors with less than this in all are joined by farther ones [m]
    float cap;               // deeper neighbors have no more say [m]
    float fall;              // neighbors farther than this below the floor count less [m]
    float hair;              // how far below the ground the edge of a front is drawn [m]
    float margin;            // how far below the ground the surface is drawn far away [m]
    float per_film, per_cap; // 1 / (film - dry), 1 / cap [1/m]
    float hair_per_dry;
} ShallowDraw;

typedef struct ShallowDrawKernels {
    // y of the drawn surface in rows [k0, k1); nx values a row, out is row 0.
    void (*rows)(const ShallowDraw* draw, int k0, int k1, float* out);
    void (*query)(const ShallowDraw* draw, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out);
} ShallowDrawKernels;

TARN_KERNELS(ShallowDrawKernels, tarn__shallow_draw_kernels);
