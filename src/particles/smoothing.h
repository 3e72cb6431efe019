// Inside src only: smoothing kernels. Support radius h everywhere (W = 0 from r = h on), and the
// constants of the right dimension; tests check every integral.
#pragma once

#include "base/base.h"

typedef enum SmoothingKind {
    SMOOTHING_POLY6,
    SMOOTHING_SPIKY,
    SMOOTHING_VISCOSITY, // W with a Laplacian that is linear in r
    SMOOTHING_CUBIC,
    SMOOTHING_WENDLAND, // C2
    N_SMOOTHINGS
} SmoothingKind;

enum { SMOOTHING_WALL_STEPS = 64 };

// With q = r / h: W = w f(q), dW/dr = dw f'(q), Laplacian = lap (f'' + (dims - 1) f' / q).
typedef struct Smoothing {
    int kind, dims;
    float h;
    float w, dw, lap; // prefactors: c / h^dims, w / h, w / h^2
    // Share beyond a plane at distance i / SMOOTHING_WALL_STEPS of h, and its slope by that ratio.
    float wall[SMOOTHING_WALL_STEPS + 1], wall_slope[SMOOTHING_WALL_STEPS + 1];
} Smoothing;

// Makes the tables by quadrature, 0.1 ms in 3-D and 0.4 to 0.6 ms in 2-D: at creation, not in a step.
Smoothing tarn__smoothing(int kind, int dims, float h);
// The viscosity kernel and the Laplacians of some grow without bound at r = 0: there, as for all, r
// counts as h / 4096 at least where it divides.
float tarn__smoothing_w(const Smoothing* s, float r);   // [1/m^dims]
float tarn__smoothing_dw(const Smoothing* s, float r);  // dW/dr, <= 0
float tarn__smoothing_lap(const Smoothing* s, float r); // Laplacian, dimension dims

// The share of the kernel's integral that lies beyond a plane at distance d from the center: 0.5 at
// d = 0, 0 from d = h on, 1 at d = -h. And its derivative by d [1/m]. A wall acts on a particle like the
// fluid that would be in its place.
float tarn__smoothing_wall(const Smoothing* s, float d);
float tarn__smoothing_wall_slope(const Smoothing* s, float d);

// Sum of W over the other points of the densest lattice (hexagonal in 2-D, face-centered cubic in 3-D)
// with one point per spacing^dims, without the point itself. spacing >= h / 64.
double tarn__smoothing_lattice_sum(const Smoothing* s, float spacing);
