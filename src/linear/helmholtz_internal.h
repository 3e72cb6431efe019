// Inside src/linear only: the grids of the Helmholtz solver and what its kernels work on.
//
// Red and black cells lie in arrays of their own, as in multigrid_internal.h: of color c row k holds the cells
// i = 2 m + s with s = (k + c) mod 2. Neighbors along z are at the same place m of the other color, those along x at
// m + s - 1 and m + s. A cell of the next coarser grid covers place m = I of both colors in two rows.
//
// Beyond the cells of a row there are zeros, and at periodic edges copies of the cells of the other side.
#pragma once

#include "base/kernels.h"
#include "linear/helmholtz.h"

enum { HH_MAX_LEVELS = 16, HH_PAD = 8, HH_ROWS = 16 }; // HH_ROWS: rows of a block of work

typedef struct HhLevel {
    int nx, nz;
    int half; // places in a row: (nx + 1) / 2
    int row;  // floats from one row to the next
    int colors; // 1: black cells have red neighbors only, so that after black only red has a residual, and
                // black follows from red. 2: around a periodic edge of odd length black meets black
    float last_x, last_z; // width of the last column and row, in cells of this grid
    float *p[2], *f[2];   // by color, at place (0, 0)
    float* a[2][2];       // by axis and color: of the faces towards -x and -z
    float* mass[2];       // 0 in closed cells
} HhLevel;

typedef struct HhKernels {
    // Rows [k0, k1) of l. relax: half a sweep; from_zero: all else counts as 0.
    void (*relax)(const HhLevel* l, int color, bool from_zero, int k0, int k1);
    // After a sweep that ended with black: the residual of l->colors, into rows of the coarser grid.
    void (*restrict_to)(const HhLevel* l, const HhLevel* coarse, int k0, int k1);
    void (*prolong)(const HhLevel* l, const HhLevel* coarse, int k0, int k1); // adds to l->colors
    // Conjugate gradients; sums has a value per row. q = A d, d . q; x += s d, f -= s q, f . f; p . f; d = p + s d.
    void (*apply)(const HhLevel* l, float* const d[2], float* const q[2], double* sums, int k0,
                  int k1);
    void (*advance)(const HhLevel* l, float s, float* const x[2], float* const d[2],
                    float* const q[2], double* sums, int k0, int k1);
    void (*dot)(const HhLevel* l, double* sums, int k0, int k1);
    void (*turn)(const HhLevel* l, float s, float* const d[2], int k0, int k1);
    // Mass and faces of rows of the coarser grid.
    void (*coarsen)(const HhLevel* l, const HhLevel* coarse, int k0, int k1);
    void (*close_faces)(const HhLevel* l, int k0, int k1); // of closed cells
    // Rows of a caller's field, in natural order along x. from NULL: 1.
    void (*split)(const HhLevel* l, const float* from, int stride, float scale, float* const to[2],
                  int k0, int k1);
    void (*clear_closed)(const HhLevel* l, float* const field[2], int k0, int k1);
    void (*join)(const HhLevel* l, float* const from[2], float scale, float* to, int stride, int k0,
                 int k1);
    float (*largest)(const HhLevel* l, const float* from, int stride, int k0, int k1);
} HhKernels;
TARN_KERNELS(HhKernels, tarn__helmholtz_kernels);

struct Helmholtz {
    TarnContext* ctx;
    const HhKernels* kernels;
    HelmholtzDef def;
    int n_levels;
    HhLevel level[HH_MAX_LEVELS];
    float *x[2], *d[2], *q[2]; // of conjugate gradients
    double* sums;              // per row of the finest grid
};
