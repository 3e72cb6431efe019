// Inside gas_obstacles.c and gas_rasterize.c only.
#pragma once

#include "gas/gas_internal.h"
#include "base/maths.h"
#include "particles/solids_distance.h"

enum { GAS_MAX_SOLIDS = 254 }; // in the box at a time
enum { GAS_CELL_AIR, GAS_CELL_SOLID, GAS_CELL_NEW };

// Cells, hi is the first beyond; -1 and n are ghosts. With the faces of all of them.
typedef struct GasBox {
    int lo[3], hi[3];
} GasBox;

typedef struct GasSolidRecord {
    int slot; // in the set of solids, -1: free
    SolidProbe probe;
    GasBox range; // that it may touch
} GasSolidRecord;

// The cells that a solid may touch.
GasBox tarn__gas_range_of(const TarnGas* gas, const SolidProbe* probe);
// Marks cells and faces of a box that a solid closes with `mark`, and for direct obstacles takes its share off
// the weights. next[0] and next[1] of the gas are scratch.
void tarn__gas_rasterize(TarnGas* gas, const GasSolidRecord* record, const GasBox* box,
                         uint8_t mark);

// Center of cell (i, j, k), or with half-cell offsets of a face or a corner [m].
TARN_INLINE TarnVec3 gas_point(const TarnGas* gas, float i, float j, float k)
{
    float dx = gas->dx;
    return (TarnVec3){ gas->origin.x + i * dx, gas->origin.y + j * dx, gas->origin.z + k * dx };
}
