// A shaded map of a terrain: light from the north west, colors by height, north at the top.
#pragma once

#include "command.h"
#include "tarn/terrain.h"

// rgb: 3 bytes per pixel, size.width * size.height pixels, the whole terrain in them. With
// has_water everything below level is shown under water.
void shade_terrain(const TarnTerrain* terrain, bool has_water, double level, PixelSize size,
                   uint8_t* rgb);
// One pixel per cell, but neither smaller than 256 nor larger than 2048 along the longer side.
PixelSize shade_size(const TarnTerrain* terrain);
