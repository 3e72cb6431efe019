// Inside src only: what the parts of liquids and the sph methods share.
#pragma once

#include "liquid/liquid_internal.h"

int tarn__liquid_blocks(const TarnLiquid* l); // of LIQUID_BLOCK particles

TARN_INLINE int tarn__liquid_block_end(const TarnLiquid* l, int block)
{
    int end = (block + 1) * LIQUID_BLOCK;
    return end < l->n ? end : l->n;
}

// The share that all contacts of a particle fill (see tarn__liquid_wall_share), and its slope along the
// normal of each contact [1/m]. offset: by which walls count as farther away [m]; steeper: factor of the
// slopes.
float tarn__liquid_wall_parts(const TarnLiquid* l, const Smoothing* s, float offset, float steeper,
                              int p, float slope[LIQUID_MAX_CONTACTS]);
