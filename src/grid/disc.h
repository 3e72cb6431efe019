// Inside src only: discs of cells that water is moved from, to, or poured into.
#pragma once

#include "tarn/base.h"
#include "base/base.h"

// A field of columns over the cells of a grid.
typedef struct DiscField {
    float* h; // column (0, 0)
    int nx, nz, stride;
    float dx;        // [m]
    TarnVec2 origin; // x, z of the corner of the grid [m]
    float grain;     // all heights are multiples of it [m]
    float full;      // columns up to this height are counted to the last grain [m]
} DiscField;

// Cells [i0, i1) x [k0, k1) around it; weight: the sum of its bump over them. 0: it is not in the grid.
typedef struct Disc {
    int i0, i1, k0, k1;
    float x, z, radius; // in cells: cell (i, k) is at i, k
    double weight;
} Disc;

// A disc narrower than 1.5 cells is made as wide. What of it lies outside the grid does not count.
Disc tarn__disc(const DiscField* field, TarnVec2 center, float radius);
// A smooth bump: 1 in the middle, 0 from the radius on.
TARN_INLINE float disc_bump(const Disc* d, int i, int k)
{
    float x = ((float)i - d->x) / d->radius, z = ((float)k - d->z) / d->radius;
    float left = 1.0f - (x * x + z * z);
    return left > 0.0f ? left * left : 0.0f;
}

// Adds a height, summed over the cells [m], to the disc, as its bump says; negative: takes it, from no
// column more than the given share of what it has. In whole grains; what rounding leaves over in one
// column goes to the next. Returns what was added.
double tarn__disc_pour(const DiscField* field, const Disc* d, double sum, float share);
// Moves a height, summed over the cells [m], from one disc to another, to the last grain and no more than
// half of any column. Returns what was moved.
double tarn__disc_move(const DiscField* field, const Disc* from, const Disc* to, double sum);
