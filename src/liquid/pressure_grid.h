// Inside src/liquid only: a coarse grid that carries the pressure of a liquid of particles, so that water of
// any depth stands after one cycle. See pressure_grid.c.
#pragma once

#include "base/kernels.h"
#include "base/maths.h"
#include "linear/free_surface.h"
#include "liquid/liquid_internal.h"

enum {
    GRID_BLOCK = 128,        // cells per block of work
    GRID_MAX_BODIES = 64,    // solids that move or answer; more are as if they stood still
    GRID_MAX_SLOTS = 4096,   // solids
    GRID_TOUCH_BLOCK = 16,   // cells at solids per block of work
    GRID_FARTHEST = 1000000, // coordinates of cells are within
    GRID_KEY_BITS = 21,      // of a coordinate in a key
    GRID_KEY_ZERO = 1 << 20, // what is added to it there
};

// A cell at solids.
typedef struct GridTouch {
    int cell;
    int solid[6],
        body[6]; // that closes a part of each face: its slot, and where it is in bodies; -1: none
    float distance[8]; // of the corners that it measures, and their nearest solids
    int nearest[8];
    uint8_t held; // bit per face whose liquid moves with the solid
} GridTouch;

// A solid in this step. Velocities are v and spin; inverse: of its mass, with the liquid that it holds.
typedef struct GridBody {
    int solid;
    TarnVec3 center; // position of the solid, which arms begin at [m]
    double v[SURFACE_DOFS], inverse[SURFACE_DOFS * SURFACE_DOFS];
    double impulse[SURFACE_DOFS]; // on it [N s], [N m s]
} GridBody;

typedef struct PressureGrid {
    TarnLiquid* l;
    FreeSurface surface; // its level 0 has the cells
    int dims, max_cells, n;
    float origin[3], width[3], per_m[3]; // of the cells [m], [1/m]
    int last[3];                         // coordinate of the cells at the upper wall; INT_MAX: none
    bool has_wall[3][2];
    float volume; // of a cell [m^3]
    float unit;   // mass of a cell of the first kind [kg]
    float dt;
    float kept_dt;             // of the step, for what particles carry on [s]
    float warm;                // [s] that pressures of the last step are the first guess for
    float mingling;            // share of the difference to the grid's velocity that is taken off
    float calming, still2;     // how much more at rest; below the root of which water is [m^2/s^2]
    float stiffness, max_rate; // share of the density error removed; at most [1/s]
    float part;                // of a cell that a particle fills at rest
    float lightness_of[TARN_LIQUID_KINDS]; // density of the first kind over that of each
    bool is_even;                          // all of these are 1
    const float* ratio;                    // density over that at rest, of each particle

    // Per particle.
    int* cell_of; // -1: on its own; scratch that the method gives
    int* list;    // particles by cell; in the memory of neighbors.order
    int* boxes;   // of the particles of each block: lower and upper corner, in cells
    // Per cell.
    int* begin;  // of its particles, n + 1
    int* around; // 3^dims numbers of cells, n: none; itself in the middle
    // By its own particles: volume and flow for the lower and the upper face of each axis, in its own row and
    // the 2 (3-D: 8) beside it. Their memory is that of the solve's coarse levels afterwards, then of du, dw and grip, and
    // then of the rows' velocities
    float* sums;
    float* lightness; // mean of its particles
    float* fill;      // per face: how full of liquid a cell around it would be
    float* u;         // per face: velocity before [m/s]
    float* du;        // per face: change by the pressure, of the first kind [m/s]
    float* dw;        // per face: change by solids [m/s]
    float*
        grip; // per face: share of the way to its velocity that particles go. Where it is pressed only
    float* opening; // per face: 0 closed .. 1 open
    float* target;  // per face: velocity of what closes it [m/s]
    int* touch_of;  // its touch, -1: none
    // Solids.
    GridTouch* touches;
    int n_touches, max_touches;
    GridBody* bodies;
    int n_bodies;
    int16_t* body_of; // per slot of a solid
} PressureGrid;

void tarn__pressure_grid_lay_out(PressureGrid* g, TarnLayout* layout, char* base, int dims,
                                 int max_particles);
// Changes the velocities of all particles, and of bodies, so that no cell is pressed together: what is
// pressed has pressure. ratio: density of each particle over that at rest. Takes memory_a as the guess of
// p / rho of each particle [m^2/s^2] and puts the answer there. is_calm: water that hardly moves comes to rest.
void tarn__pressure_grid_project(TarnLiquid* l, const float* ratio, float dt, float stiffness,
                                 float max_rate, bool is_calm);

typedef struct GridKernels {
    // Of particles begin .. end - 1: cell_of is the place in the plain table, -1: it is on its own.
    void (*places)(PressureGrid* g, int begin, int end);
    // The same where the table is a hash: the cell's three coordinates in the bits of cell_of and list.
    void (*keys)(PressureGrid* g, int begin, int end);
    // Particles of the cells begin .. end - 1.
    void (*splat)(PressureGrid* g, int begin, int end);
    void (*gather)(PressureGrid* g, int begin, int end); // fill and velocity of faces
    void (*apply)(PressureGrid* g, int begin, int end);
} GridKernels;
TARN_KERNELS(GridKernels, tarn__grid_kernels);

// Is the face of a cell a wall of the box?
TARN_INLINE bool grid_is_wall(const PressureGrid* g, int c, int face)
{
    int axis = face / 2, at = g->surface.level[0].at[3 * c + axis];
    return face % 2 == 0 ? g->has_wall[axis][0] && at == 0 : at == g->last[axis];
}

// How far the liquid at a face moves with the solid that closes it, by the part that is open: where a good part
// is, liquid goes along the solid there, and what goes into it is for the divergence to forbid.
TARN_INLINE float grid_held_part(float open)
{
    return tarn_maxf(1.0f - 4.0f * open, 0.0f);
}

// ---- pressure_grid_solids.c ----------------------------------------------------------------------

// Sets opening of all faces of cells at solids, the walls of the box not counted.
void tarn__pressure_grid_close(PressureGrid* g);
// After fill and u: bodies take up the liquid they hold; sets targets, and what the solve needs.
void tarn__pressure_grid_hold(PressureGrid* g);
// After the solve: targets by the bodies' new velocities, and their impulses.
void tarn__pressure_grid_release(PressureGrid* g);
