// A 3-D field: cells with one layer of ghosts, x fastest, rows that begin on 32 bytes.
//
// Cell (i, j, k) is data[i + row j + slab k] of a pointer to cell (0, 0, 0), and -1 and nx (ny, nz) are
// ghosts. Velocities on faces use the same places: u(i) is the face towards -x of cell i, and u(nx) the
// last one, in the ghost. Eight floats between rows hold the ghosts of both.
#pragma once

#include "base/base.h"

enum { GRID3_PAD = 8 }; // floats before the first cell of a row

typedef struct Grid3 {
    int nx, ny, nz;
    int row, slab; // floats from one row, and one slab, to the next
} Grid3;

TARN_INLINE Grid3 tarn__grid3(int nx, int ny, int nz)
{
    int row = (nx + 7) / 8 * 8 + GRID3_PAD;
    return (Grid3){ nx, ny, nz, row, row * (ny + 2) };
}
// Floats to allocate for one field, and where cell (0, 0, 0) is in it.
TARN_INLINE size_t tarn__grid3_floats(const Grid3* g)
{
    return (size_t)g->slab * (size_t)(g->nz + 2) + 2 * GRID3_PAD;
}
TARN_INLINE size_t tarn__grid3_first(const Grid3* g)
{
    return (size_t)g->slab + (size_t)g->row + GRID3_PAD;
}
TARN_INLINE ptrdiff_t tarn__grid3_at(const Grid3* g, int i, int j, int k)
{
    return i + (ptrdiff_t)g->row * j + (ptrdiff_t)g->slab * k;
}
