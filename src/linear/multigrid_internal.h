// Inside src/linear only: the grids of a multigrid solver and what its kernels work on.
//
// Red and black cells lie in arrays of their own. Of color c the row (j, k) holds the cells i = 2 m + s with
// s = (j + k + c) mod 2, one after the other. Neighbors along y and z are then at the same m of the other
// color, those along x at m + s - 1 and m + s: whole vectors without a shuffle, and no lane computes what it
// does not keep. A cell of the next coarser grid covers place m = I of both colors in four rows.
//
// Ghosts are 0 and stay 0: a closed face leaves its neighbor out of the diagonal, and p = 0 on an open face,
// half a cell away, counts twice in it.
#pragma once

#include "base/kernels.h"
#include "linear/multigrid.h"

enum { MG_MAX_LEVELS = 16, MG_MAX_STAGES = 12, MG_SIDES = 9 };

// The equation is solved as diag p - sum of (weight * neighbor) = f: positive, and f = -rhs.
typedef struct MgLevel {
    int nx, ny, nz;
    int half;      // places in a row: (nx + 1) / 2
    int row, slab; // floats from one row, and one slab, to the next
    uint8_t edge[6];
    float omega;        // over-relaxation
    int sweeps;         // that solve, there and back; coarsest grid only
    float *p[2], *f[2]; // by color, at place (0, 0, 0)
    // Without weights: tables over the places of a row for each parity s.
    float* gain; // omega / diagonal, also for each count of sides along y and z; 0 beyond the row
    float* sides_x; // what x adds to the diagonal
    float* inside;  // 1, and 0 beyond the row
    // With weights, as p: of the faces towards -x, -y, -z; and the diagonal, 0 in solids.
    float *w[3][2], *diag[2];
} MgLevel;

// What row j (or slab k) of n adds to the diagonal by its two faces.
TARN_INLINE int tarn__mg_sides(int n, int j, const uint8_t* edge)
{
    int sides = 2;
    if (j == 0) sides += edge[0] == POISSON_OPEN ? 1 : -1;
    if (j == n - 1) sides += edge[1] == POISSON_OPEN ? 1 : -1;
    return sides;
}

// What lets less through is closed: the inverse of such a diagonal would drown all else.
#define MG_LEAST_WEIGHT 1e-3f

typedef struct MgKernels {
    // Half a sweep: the cells of one color in slab k.
    void (*relax)(const MgLevel* l, int color, int k);
    // Residual of slabs 2 K and 2 K + 1 into f of the coarser grid. Sums of its squares are added if asked for.
    void (*restrict_to)(const MgLevel* l, const MgLevel* coarse, int K, double* squares);
    void (*restrict_f)(const MgLevel* l, const MgLevel* coarse, int K); // the same of p = 0
    void (*prolong)(const MgLevel* l, const MgLevel* coarse, int k);    // adds to slab k
    double (*residual)(const MgLevel* l, int k);                        // sum of squares of slab k
    double (*square_f)(const MgLevel* l, int k);                        // the same of p = 0
    // out = A in for slab k, returns in . out
    double (*apply)(const MgLevel* l, float* const in[2], float* const out[2], int k);
    // x += a d, r -= a q; returns r . r. Then d = z + b d.
    double (*advance)(const MgLevel* l, float a, float* const x[2], float* const d[2],
                      float* const q[2], int k);
    void (*turn)(const MgLevel* l, float b, float* const d[2], int k);
    double (*dot)(const MgLevel* l, float shift, int k); // takes shift off p in the air, then p . f
    // Weights of slab k along an axis from the caller's, NULL: 1.
    void (*weigh)(const MgLevel* l, int axis, const float* from, int k);
    // Weights of the coarser grid's slab K from those of l; then the diagonal of a slab.
    void (*coarsen)(const MgLevel* l, const MgLevel* coarse, int K);
    void (*diagonal)(const MgLevel* l, int k);
    float (*largest_air)(const MgLevel* l, const float* from, int k);  // of the caller's field
    double (*sum_air)(const MgLevel* l, float* const field[2], int k); // solids and pads have 0
    // Takes shift off in the air, 0 in solids.
    void (*shift_air)(const MgLevel* l, float* const field[2], float shift, int k);
    // Rows of the caller's fields, with natural order along x.
    void (*split)(const MgLevel* l, const float* from, float scale, float shift, float* const to[2],
                  int k);
    void (*join)(const MgLevel* l, float* const from[2], float scale, float shift, float* to,
                 int to_row, int to_slab, int k);
} MgKernels;
TARN_KERNELS(MgKernels, tarn__multigrid_kernels);

typedef enum MgKind { MG_ZERO, MG_PROLONG, MG_RED, MG_BLACK, MG_RESTRICT, MG_NORM } MgKind;

struct Multigrid {
    TarnContext* ctx;
    const MgKernels* kernels;
    PoissonDef def;
    Grid3 grid; // of the caller's fields
    int n_levels;
    MgLevel level[MG_MAX_LEVELS];
    double* sums;              // per slab of the finest grid
    float *x[2], *d[2], *q[2]; // of conjugate gradients, with weights only
    // Parts that solids cut off: see multigrid_weights.c.
    int32_t* part;
    int32_t* part_size; // cells of each
    int n_sealed;       // parts without an open face
    bool is_single;     // one part, all of the air: part is not used
    int64_t n_air;      // cells that are not solid
};
