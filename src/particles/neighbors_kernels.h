// The loops of the neighbor search, once per instruction set.
#pragma once

#include "base/kernels.h"
#include "particles/neighbors.h"
#include <stdatomic.h>

// Cell of a coordinate along an axis: clamped to the grid, or wrapped around it. The comparisons also catch
// what is not finite, so that the conversions are always defined.
TARN_INLINE int neighbor__cell_along(const Neighbors* nb, int axis, float at)
{
    double v = ((double)at - (double)nb->origin[axis]) * nb->cells_per_m;
    double cells = nb->cells[axis], last = cells - 1.0;
    if (!nb->wraps[axis]) {
        v = v > 0.0 ? v : 0.0;
        return (int)(v < last ? v : last);
    }
    const double far = 0x1p40; // beyond it floats that differ are no neighbors
    v = v > -far ? v : -far;
    v = v < far ? v : far;
    double whole = (double)(int64_t)v;
    whole -= whole > v ? 1.0 : 0.0;
    // The rest of a division: its quotient may round away from zero, the product and difference are exact.
    double rest = whole - (double)(int64_t)(whole / cells) * cells;
    return (int)(rest < 0.0 ? rest + cells : rest);
}

// Where packed lists are put: in whatever order their blocks come, as nobody looks at the order.
typedef struct NeighborPool {
    bool is_shared;       // by all blocks; else every particle has `room` slots of its own
    _Atomic int64_t used; // slots; may become larger than the memory
} NeighborPool;

typedef struct NeighborKernels {
    // Smallest and largest of the values, which are finite; n >= 1.
    void (*bounds)(const float* v, int n, float* min, float* max);
    // Cell of each particle begin .. end - 1.
    void (*cells)(const Neighbors* nb, const float* x, const float* y, const float* z, int begin,
                  int end, int* cell_of);
    // Lists of the particles begin .. end - 1; returns how many had too many and adds up all counts.
    int (*find)(const Neighbors* nb, NeighborPool* pool, const float* x, const float* y,
                const float* z, int begin, int end, int* total);
} NeighborKernels;

TARN_KERNELS(NeighborKernels, tarn__neighbor_kernels);
