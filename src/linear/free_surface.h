// Pressure under a free surface, on any set of cells of a lattice:
//     A phi >= rhs,  phi >= 0,  and where phi > 0 the first holds as an equation.
// A = -div(w grad) with a weight per face, beyond the cells is air with phi = 0, and bodies that float in the
// cells answer to the pressure at once. Water may part from water and from solids, as it is never pulled.
//
// The cells are a list with neighbors, not a box: what is far apart costs nothing in between. The method is
// described in free_surface.c. Used by liquids of particles; a liquid on a grid lists its wet cells.
#pragma once

#include "base/base.h"

enum {
    SURFACE_LEVELS = 16,
    SURFACE_DOFS = 6, // of a body: velocity and spin
};

// A cell that touches a body: moving the body by its velocities q drives k . q out of the cell per volume
// [1/m, 1]. Several for a cell with several bodies.
typedef struct SurfaceHold {
    int cell, body;
    float k[SURFACE_DOFS];
} SurfaceHold;

// answer: change of the body's velocities by the sum of k phi over its cells, symmetric, row by row.
// velocity: that change now.
typedef struct SurfaceBody {
    float answer[SURFACE_DOFS * SURFACE_DOFS];
    float velocity[SURFACE_DOFS];
} SurfaceBody;

// One list of cells. Faces of a cell: -x, +x, -y, +y, -z, +z.
typedef struct SurfaceLevel {
    int n;
    int* at;       // three coordinates of each cell
    int* next;     // 2 dims per cell: the cell beyond the face, itself: closed, n: air
    float* weight; // 2 dims per cell, 0 where closed
    float* open;   // what leaks into the air, on top of the weights
    float* inverse;
    float* phi;  // n + 1: the last is the air's 0
    float* step; // n + 1: what the next coarser level adds
    float* rhs;
    int* parent; // in the next level, -1: phi is 0 there
    int* order;  // cells by color: red, black, held by a body
    int n_color[3];
    SurfaceHold* holds;
    int n_holds;
    int* first_hold; // per cell; n_holds: none. Holds of a cell are neighbors in the list
} SurfaceLevel;

typedef struct FreeSurface {
    TarnContext* ctx;
    int dims, max_cells, max_holds, max_bodies;
    int n_levels; // of the last cycle
    SurfaceLevel level[SURFACE_LEVELS];
    SurfaceBody* bodies;
    int n_bodies;
    void* spare;
    double* sums; // two for each block of cells
    int* table;   // numbers of cells by their coordinates
    int table_size, table_mask;
    bool is_plain;       // the table is an array over a box, else a hash
    int low[3], side[3]; // of that box
    int box[2][3];       // around all cells of level 0
} FreeSurface;

// The owner may use spare_size bytes at `spare` for its own between one solve and the next: coarse levels lie there.
void tarn__free_surface_lay_out(FreeSurface* s, TarnLayout* layout, char* base, int dims,
                                int max_cells, int max_holds, int max_bodies, size_t spare_size);

// An empty list of cells, all of which will lie in the box low .. high.
void tarn__free_surface_clear(FreeSurface* s, const int low[3], const int high[3]);
// The number of the cell at some coordinates, which is new behind the others if it was not there; -1: the list
// is full.
int tarn__free_surface_cell(FreeSurface* s, const int at[3]);
// The same by its place in the table, if that is plain.
int tarn__free_surface_number(FreeSurface* s, int place);
TARN_INLINE int free_surface_place(const FreeSurface* s, const int at[3])
{
    int row = (at[2] - s->low[2]) * s->side[1] + at[1] - s->low[1];
    return row * s->side[0] + at[0] - s->low[0];
}
// Of each cell in turn the numbers of the 3^dims cells around it, itself in the middle; n: not there.
void tarn__free_surface_around(FreeSurface* s, int* out);

// After at, next, weight, open, rhs, holds (by cell, ascending), bodies[].answer and a first guess of phi are set in
// level 0. cycles: V-cycles; one is enough where the guess is that of the last step.
void tarn__free_surface_solve(FreeSurface* s, int cycles);
// Largest violation of the three conditions, over the largest rhs: for tests and reports.
float tarn__free_surface_error(const FreeSurface* s);
