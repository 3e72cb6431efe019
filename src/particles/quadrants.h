// Inside src only: Sprinkle's neighbor search, to be compared with neighbors.h. 2-D.
//
// Cells are twice as large as the support, so a particle has neighbors in its own cell and in the three
// next to the quadrant it is in, and there in the facing quadrants only. Each particle carries its place
// in its cell in 8 bits per axis, whose sign tells the quadrant; sixteen candidates at a time are tested by
// these first, on the safe side, and the few that remain by their coordinates.
#pragma once

#include "particles/neighbors.h"

typedef struct Quadrants {
    Neighbors nb; // support, grid of quadrants, order, lists: as there, but lists not ascending
    int cells_x;  // cells, of 2 x 2 quadrants, along x
    int* quadrant_begin; // 4 per cell (-x -y, +x -y, -x +y, +x +y), and one more: first particle
    int8_t *x8, *y8; // of the sorted particles, from the middle of their cell, 1/128 of a quadrant
} Quadrants;

void tarn__quadrants_lay_out(Quadrants* q, TarnLayout* layout, char* base, int slots,
                             int max_particles, float support);
// As tarn__neighbors_sort and _find; tarn__neighbors_permute serves between them.
void tarn__quadrants_sort(TarnContext* ctx, Quadrants* q, int n, const float* x, const float* y);
void tarn__quadrants_find(TarnContext* ctx, Quadrants* q, const float* x, const float* y);
