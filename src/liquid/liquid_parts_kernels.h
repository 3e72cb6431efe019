// Inside src only: the loops over neighbors of the parts of liquids, compiled once per instruction set.
#pragma once

#include "base/kernels.h"
#include "liquid/sph_kernels.h"

// packed: see SphSweep. All of it lies in the first LIQUID_PARTS_SCRATCH scratch arrays.
typedef struct PartSweep {
    TarnLiquid* l;
    int dims;
    float dt, inverse_h;
    float inverse_mass[TARN_LIQUID_KINDS + 1];
    float* packed;
    double* sums; // up to four per block, at block * LIQUID_BLOCK / 2
    // What a pair of kinds has, [kind * TARN_LIQUID_KINDS + kind]: of the viscosity dt times coupling
    // [kg], of tension and cohesion the strength [N].
    float pair[TARN_LIQUID_KINDS * TARN_LIQUID_KINDS];
    bool is_plain; // one value for all pairs
    float share;   // strength of vorticity and tension; of calm what is taken off
    float zero;    // of tension: q where it turns from a push to a pull
    float limit;   // largest change of a velocity [m/s]
    float w;       // factor of the kernel
    // Conjugate gradients: the way stands where packed velocities are; r and a_way are x, y, z apart.
    float *r[3], *a_way[3];
    float least_r2; // nearer pairs have weaker couplings [m^2]
    bool is_whole;  // couplings act on whole differences of velocity, not along the line of a pair
    float step, turn; // alpha and beta
    float* curl;      // four per particle: the curl and its length
    TarnVec3 mean;    // change of velocity that keeps the momentum
    // Of calm: a field and the next one, smoother. Three floats per particle and how crowded it is; `rough`
    // is `wide` floats per particle.
    const float* rough;
    float* smooth;
    int wide;
} PartSweep;

typedef void PartLoop(const PartSweep* s, int begin, int end);
typedef struct PartKernels {
    PartLoop* pack;
    PartLoop* tension; // v += push and pull between pairs
    PartLoop* curl;
    PartLoop* confine;  // packed velocity = change; sums: momentum of it
    PartLoop* couple;   // pair_scratch[slot] = viscous coupling [kg]
    PartLoop* residual; // way = v; r = -L v; then way = r / m; sums: r.way
    PartLoop* apply;    // a_way = (M + L) way; sums: way.a_way
    PartLoop* advance;  // v += step way, r -= step a_way; sums: r.r / m
    PartLoop* turn;     // way = r / m + turn way
    PartLoop* motion;   // sums: of v^2
    PartLoop* crowd;    // the fourth of the packed velocity: how crowded it is, at least 1
    PartLoop* bind;     // pair_scratch[slot] = weight of a pair [1/m^2]
    PartLoop* smooth;   // smooth = rough, nearer to what the neighbors have
    PartLoop* keep_off; // packed velocity -= smooth
    PartLoop* take_off; // v -= packed velocity - smooth
} PartKernels;

TARN_KERNELS(PartKernels, tarn__part_kernels);
