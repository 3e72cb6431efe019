// Inside src only: the terrain object, for its own files and the readers.
#pragma once

#include "tarn/terrain.h"
#include "base/base.h"

// Heights beyond this are mistakes [m].
static const float terrain_limit = 1e5f;

struct TarnTerrain {
    TarnContext* ctx;
    size_t memory;
    int nx, nz;
    float dx;
    TarnVec2 origin;
    double east, north; // of the first corner on a map
    bool has_place;
    float lowest, highest;
    float* heights; // nx * nz, x fastest
};

// A terrain of the right size with heights 0, to be filled and finished.
TarnResult tarn__terrain_new(TarnContext* ctx, int nx, int nz, float dx, TarnVec2 origin,
                             TarnTerrain** out);
// After filling: the range. All heights must be within terrain_limit.
void tarn__terrain_finish(TarnTerrain* terrain);
