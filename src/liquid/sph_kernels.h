// Inside src only: the loops over neighbors of the sph methods and of the parts, compiled once per
// instruction set.
#pragma once

#include "base/kernels.h"
#include "liquid/liquid_parts.h"

// Kernels divided by the sum of the kernel over a lattice at rest, so that the density c of a liquid at
// rest is 1, whatever the kernel: w f(q) and dw f'(q) with q = r / h.
typedef struct SphShape {
    int kind; // SMOOTHING_CUBIC, _WENDLAND or _SPIKY
    float inverse_h, w, dw;
} SphShape;

// Particles as the loops over neighbors read them: x y z inverse_mass vx vy vz 0, so that a neighbor is
// one half of a cache line.
enum { SPH_PACK = 8, SPH_VELOCITY = 4 };

// A density below 1 by this much belongs to the surface; within the second the inside is closed.
#define SPH_GAP          0.1f
#define SPH_CLOSE        0.03f

// Lattices that are drawn out, see unlock in sph_kernels.c: how far the weights of neighbors may be from being the same
// in all directions. 0.11: twice as much along one axis of two as along the other.
#define SPH_CROWDED      0.11f
// From this density on particles lie on top of one another, where gradients vanish: they go aside, too.
#define SPH_HEAP         1.5f

// Most of a density that disorder can have made, see disorder_of in sph_kernels.c.
#define SPH_MAX_DISORDER 0.035f

struct SphBodies;

// Everything that the loops read and write.
typedef struct SphSweep {
    TarnLiquid* l;
    SphShape shape;
    const Smoothing* smoothing;                // the same kernel, for walls
    float w_self;                              // its value at r = 0, in c
    float wall_offset, wall_steeper;           // see sph_common.c [m], -
    float inverse_mass[TARN_LIQUID_KINDS + 1]; // of each kind [1/kg]; the last, of the frozen, is 0
    float dt;
    float disorder; // square of the length by which slopes of the density count [m^2]; 0: not
    float mingle;   // of XSPH within the loop over gradients; 0: none there
    float* packed;  // SPH_PACK floats per particle; element n is the ghost
    float* pairs;   // per slot: the gradient of c by the place of i is pairs * (x_i - x_j) [1/m^2]
    float* own; // four per particle: the sum of these gradients with twice that of walls [1/m], and
                // what moving walls take from the growth [1/s]
    float* factor;            // pressure that takes an error of 1 away [Pa]
    double* sums;             // one per block: see tarn__sph_sum
    struct SphBodies* bodies; // that react, or NULL: see sph_bodies.c
    // Of the pressure solve that runs.
    float *p, *p_next; // [Pa]; with the momentum of the iteration
    float* p_last;     // without
    float *residual,
        *active; // what each particle lacks (0 where its pressure is not needed), and 1 or 0
    float momentum;
    float weigh_pressed, weigh_apart; // of the errors
    bool is_shift;    // density solve: velocities are displacements. Else: nothing gets denser
    bool has_tension; // the pressure that is reported is that of the forces
    float push_gain;  // of the pressures on velocities [s m^3], or on displacements [s^2 m^3]
    float gain;       // dt times the volume of a particle [s m^3]
    float relax, max_p;
    float rows;   // that rest on one another
    float growth; // share of max_error by which c may grow per substep
    float take,
        max_take; // share of the density error, and most of it, that the density solve takes back
    float delta[TARN_LIQUID_KINDS]; // of pcisph: pressure that takes an error of 1 away [Pa]
    // Of explicit forces (sph, wcsph, lennard_jones).
    float slope;   // factor of the gradients, see the methods
    float viscous; // artificial viscosity times inverse mass [Pa s/kg]
    float limit;   // largest change of a velocity [m/s]
    // Of lattices that are drawn out: substeps in which each particle has its turn, what the sum of the directions
    // to the neighbors may be of that of their weights, and how far a particle goes aside [m].
    int turns;
    float mirrored, aside;
    float strength, r0_2, shift, damping, least_r2; // of lennard_jones
} SphSweep;

// Inside the liquid and under pressure, where gaps have no place: the density solve may also pull together.
// (What has no pressure flies freely, and pulling would take its spin.)
TARN_INLINE bool tarn__sph_is_inside(const SphSweep* s, int i)
{
    return s->is_shift && s->l->density[i] > 1.0f - SPH_GAP && s->l->memory_a[i] > 0.0f;
}
TARN_INLINE float tarn__sph_least_p(const SphSweep* s, int i)
{
    return tarn__sph_is_inside(s, i) ? -s->max_p : 0.0f;
}

// Sums over a block: of speed^2, of gravity times place (how far down it is), of pressure over density, all in
// [m^2/s^2]; and the largest speed^2.
typedef struct SphGlance {
    double speed2, fall, head;
    float fastest2;
} SphGlance;

// Particles begin to end - 1 of a block.
typedef void SphLoop(const SphSweep* s, int begin, int end);
typedef struct SphKernels {
    SphLoop* pack;
    SphLoop* density; // c without walls -> l->density
    SphLoop*
        gradients; // c with walls -> l->density; pairs, own, factor; leaves contacts[].impulse used;
                   // XSPH where `mingle` is above 0
    SphLoop* push;   // packed velocity = v - push_gain / m * (gradient of p)
    SphLoop* error;  // p_next from the error of c, residual, active; sums: errors^2 that count, p^2
    SphLoop* virial; // l->pressure += that of the forces of p
    SphLoop* predicted; // the same, from the density where the particles will be
    SphLoop* forces;    // v += pressure by spiky or Wendland's gradients, and artificial viscosity
    SphLoop* unlock;    // moves particles aside on lattices that are drawn out
    SphLoop* attract;   // v += lennard_jones; density and pressure
    void (*survey)(const TarnLiquid* l, int begin, int end, SphGlance* out);
} SphKernels;

TARN_KERNELS(SphKernels, tarn__sph_kernels);
const SphKernels* tarn__sph_kernels(const TarnLiquid* l);

// Runs a loop over all blocks.
void tarn__sph_run(SphLoop* loop, const SphSweep* s);
// Sum of `sums` of all blocks, in their order: the first or the second of each.
double tarn__sph_sum(const SphSweep* s, int which);
