// Inside src only: the neighbor search, one for all particle methods.
//
// Particles are sorted into cubic cells of the size of the support radius, rows of cells along x, then y,
// then z, so that the three cells next to one another along x are one run of particles. The grid
// covers the particles' bounding box; where that would need more cells than there is memory for, cell
// coordinates wrap around (a torus): a spatial hash that keeps neighboring cells next to one another. It
// brings strangers into a cell, and the distance test sends them away again. So the domain has no bounds.
//
// Per step:  tarn__neighbors_sort  -> the owner permutes its arrays by order[]
//            tarn__neighbors_find  -> lists of all neighbors closer than the support
#pragma once

#include "base/base.h"

typedef struct Neighbors {
    int dims;  // 2 (z is ignored) or 3
    int slots; // neighbors kept per particle, a multiple of 8, at most NEIGHBOR_MAX_SLOTS. Beyond it
               // the nearest are kept
    int room;  // slots that there is memory for per particle: as many, or fewer if lists are packed
    int max_particles, max_cells;
    float support; // search radius [m], 1e-12 to 1e12. Cells are larger by 1/65536, see neighbors.c

    // The grid of the last sort.
    float origin[3]; // of cell (0, 0, 0) [m]; 0 along an axis that wraps
    int cells[3];    // along x, y, z; cells[2] == 1 in 2-D
    bool wraps
        [3]; // cells of this axis wrap around; then cells is a multiple of 6, so that colors by
             // cell modulo 2 or 3 go around as well
    double cells_per_m;
    int n;           // particles that were sorted
    int* cell_begin; // cells[0] * cells[1] * cells[2] + 1: first particle of each cell
    int* cell_of;    // of each particle, before the sort: scratch
    int* order;      // order[new] = old

    // The lists of the last find, until the next sort. Ascending indices, self not included; the rest of
    // the last group of eight is filled with the index n, a ghost: owners keep a far-away particle at
    // rest there. What lies behind that group means nothing.
    // Packed lists take as many groups of eight as they have, anywhere in the memory. If that is too small for all of
    // them, each particle keeps the nearest `room` neighbors in that step.
    int* list;          // of particle i from neighbors_at(nb, i) on
    uint8_t* count;     // of each particle
    int* begin;         // of each packed list; NULL: `slots` per particle
    int overflowed;     // particles that had more than slots neighbors or NEIGHBOR_MAX_LOOK around
    double mean;        // neighbors per particle
    int* block_scratch; // per-block results
} Neighbors;

enum {
    NEIGHBOR_MAX_SLOTS = 248,
    NEIGHBOR_MAX_PACKED = 24, // slots of packed lists
    // Where the cells around a particle hold more than this many, a fixed choice of eight times the slots
    // is looked at, spread over the cells and, in its own, next to it in the order of the sort: a heap of
    // any number of particles in one point costs no more than this per particle.
    NEIGHBOR_MAX_LOOK = 1024,
};

// Adds the arrays to a layout; base NULL only counts. max_particles includes no ghost. room: a multiple of 8, at most
// slots; fewer of them pack the lists.
void tarn__neighbors_lay_out(Neighbors* nb, TarnLayout* layout, char* base, int dims, int slots,
                             int room, int max_particles, float support);
// Where the list of a particle begins in `list`, and what an owner keeps of its pairs in an array of its own.
TARN_INLINE size_t neighbors_at(const Neighbors* nb, int i)
{
    return nb->begin != NULL ? (size_t)nb->begin[i] : (size_t)i * (size_t)nb->slots;
}
// Sorts by (cell, place before): a total order that does not depend on the number of workers. x, y, z
// must be finite; z is NULL in 2-D.
void tarn__neighbors_sort(TarnContext* ctx, Neighbors* nb, int n, const float* x, const float* y,
                          const float* z);
// The first part of it: chooses the grid. For other orders over the same cells.
void tarn__neighbors_grid(TarnContext* ctx, Neighbors* nb, int n, const float* x, const float* y,
                          const float* z);
// Smallest and largest of n >= 1 finite values.
void tarn__neighbors_bounds(const TarnContext* ctx, const float* v, int n, float* min, float* max);
// After the arrays were permuted. x, y, z have n + 8 readable values.
void tarn__neighbors_find(TarnContext* ctx, Neighbors* nb, const float* x, const float* y,
                          const float* z);

// Runs of particles that may be closer than the support to a point: at most 18 of [begin, end), none
// empty, ascending.
typedef struct NeighborRun {
    int begin, end;
} NeighborRun;
enum { NEIGHBOR_MAX_RUNS = 18 };
int tarn__neighbors_runs(const Neighbors* nb, float x, float y, float z, NeighborRun* out);
// The same for the points of a cell.
int tarn__neighbors_runs_of_cell(const Neighbors* nb, const int cell[3], NeighborRun* out);
// Cell coordinates of a point within the grid (wrapped, clamped).
void tarn__neighbors_cell(const Neighbors* nb, float x, float y, float z, int cell[3]);

// new[i] = old[order[i]] for several arrays of 4-byte and 1-byte elements, on all workers; scratch has
// room for n + 8 4-byte elements per array (less is slower: as many arrays at a time as it holds, and
// it must hold the largest). Results are copied back into the arrays.
typedef struct NeighborArray {
    void* data;
    int size; // bytes per element: 1, 4 or 16
} NeighborArray;
void tarn__neighbors_permute(TarnContext* ctx, const Neighbors* nb, const NeighborArray* arrays,
                             int n_arrays, void* scratch, size_t scratch_size);
