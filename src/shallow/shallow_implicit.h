// Inside src/shallow only: what the loops of the implicit gravity step need to know, and their table.
#pragma once

#include "base/kernels.h"
#include "shallow/shallow_internal.h"

// Numbers of one substep. Fields point at cell (0, 0).
typedef struct ShallowGravity {
    const float *h, *b; // depth and ground
    const float *u, *w; // speeds after advection
    float *u1, *w1;     // speeds at the end of the substep; before the solve without its part
    float* h1; // first the change of the surface by the flow, then the mass, then the new depth
    float *ax, *az; // coefficients of the Helmholtz equation
    float *gx, *gz; // depth at faces times k, then the depth that passes them [m]
    float* d;       // right side, then rise of the surface [m], then the share that cells can give
    int stride, nx, nz;
    float k;              // dt / dx [s/m]
    float gravity_k;      // g dt / dx [m/s per m]
    float theta;          // weight of the new surface and the new speeds
    float carry;          // how much of the flow's change of the surface gravity feels already
    float resist;         // 1 + damping * dt
    float drag_dt;        // [s]
    float wind_x, wind_z; // added to the speed per substep [m/s]
    float u_far, w_far;   // fastest in the grid [m/s]
    float dry, steep, max_speed;
    float snap, grain; // as in ShallowSweep
} ShallowGravity;

typedef struct ShallowGravityKernels {
    // Rows [k0, k1) of cells; faces and speeds also the faces at -z of row nz when k1 is nz.
    void (*carry)(const ShallowGravity* g, int k0, int k1);  // h1
    void (*faces)(const ShallowGravity* g, int k0, int k1);  // ax, az, gx, gz, u1, w1
    void (*right)(const ShallowGravity* g, int k0, int k1);  // d, and 1 to h1
    void (*speeds)(const ShallowGravity* g, int k0, int k1); // u1, w1, gx, gz from d
    void (*shares)(const ShallowGravity* g, int k0, int k1); // d from gx, gz
    void (*depths)(const ShallowGravity* g, int k0, int k1); // h1, and u1, w1 where less can pass
    // Adds what passes the faces of these rows; the faces at -z of row nz, too, when k1 is nz.
    void (*add_flux)(const ShallowGravity* g, int k0, int k1, float* x, float* z);
    float (*passed)(const ShallowGravity* g, float depth, float share); // what depths uses
} ShallowGravityKernels;

TARN_KERNELS(ShallowGravityKernels, tarn__shallow_gravity_kernels);
