// Inside src/shallow only: what the inner loops need to know, and their table.
#pragma once

#include "base/kernels.h"
#include "shallow/shallow_internal.h"

// Numbers of one substep.
typedef struct ShallowSweep {
    const float *h, *u, *w, *b; // now; they point at cell (0, 0)
    float *h1, *u1, *w1;        // after the substep
    int stride, nx, nz;
    bool holds_x0, holds_z0; // the first face of a row, or column, is a boundary: not of the flow
    int scratch_row;         // floats
    bool has_momentum;       // advection by momentum fluxes; else none is done here
    float k;                 // dt / dx [s/m]
    float squeeze_k;         // theta k [s/m]: 1 with momentum, 1/2 with none, 0 if carried before
    float share_x, share_z;  // of the slope of the depth at x and z faces, at speed 0
    float share;             // of the slope of the momentum
    float gravity_k;         // g dt / dx [m/s per m]
    float snap;   // 1.5 * 2^23 grains: (x + snap) - snap is the nearest multiple of a grain
    float bore_k; // strength of bores times 2 k [s/m]
    float climb;  // 1 / g; by its speed water climbs half of it times u^2 [s^2/m]
    float dry;    // thinner water stands still [m]
    float steep;  // a fall deeper than this, and than the water, pulls no harder [m]
    float fall; // ground that falls by more is an edge that water falls freely over [m]; 0: none is
    float resist;         // 1 + damping * dt
    float half_drag_dt;   // [s]
    float wind_x, wind_z; // added to the speed per substep [m/s]
    float max_speed;      // [m/s]
} ShallowSweep;

enum { SHALLOW_ROWS = 19 }; // of scratch

typedef struct ShallowKernels {
    // Cells [i0, i1) x [k0, k1), a run of tiles within one row of tiles, at most SHALLOW_STRIP wide.
    ShallowExtremes (*sweep)(const ShallowSweep* sweep, int i0, int i1, int k0, int k1,
                             float* scratch);
    // Depth that passes the face between cell c - across and cell c in this substep [m], the very bits
    // that the sweep uses. across: 1 for x, stride for z.
    float (*face_depth)(const ShallowSweep* sweep, const float* speed, ptrdiff_t c,
                        ptrdiff_t across);
    // Depth that passes the faces at -x and -z of cells [i0, i1) x [k0, k1), added to x and z, which have the
    // layout of the fields; the very bits that the sweep uses. scratch: a row of the sweep's.
    void (*add_flux)(const ShallowSweep* sweep, int i0, int i1, int k0, int k1, float* x, float* z,
                     float* scratch);
    // Extremes of some cells, and of the faces they own.
    ShallowExtremes (*extremes)(const float* h, const float* u, const float* w, int stride, int n,
                                int rows);
    double (*sum)(const float* h, int stride, int n, int rows); // in one fixed order
} ShallowKernels;

TARN_KERNELS(ShallowKernels, tarn__shallow_kernels);
