// Inside src/lattice only: the free surface.
#pragma once

#include "lattice/lattice_internal.h"
#include "lattice/lattice_surface_kernels.h"

enum { LATTICE_BUBBLES = 64 }; // with a pressure of their own; number 0 is the atmosphere

struct LatticeSurface {
    uint8_t* type; // LatticeCell; cells beyond the faces, a slab below the first too, are solid
    float* mass;   // of interface cells
    float* fill;   // mass / density, 0 to 1
    float* next;   // the fill that an exchange leads to
    int32_t*
        parent; // of gas cells: a cell of the same region, for finding regions; in conversions a list
    uint8_t* bubble; // number of the region of gas of a cell
    int32_t* list;   // interface cells; between calls of step in the order of cells
    uint8_t* marks;  // of each in the list: LATTICE_TO_FLUID, LATTICE_TO_GAS or 0
    float* swelling; // per block of the list and bubble: change of its volume [cells]
    LatticeBubble bubbles[LATTICE_BUBBLES];
    int n_bubbles;
    double ledger; // mass that there should be [cells]
    double debt;   // to spread over the interface [cells]
    int n_list;
};

void tarn__lattice_lay_out_surface(TarnLayout* layout, char* base, const LatticeGrid* grid,
                                   const TarnLatticeDef* def, LatticeSurface** out);
void tarn__lattice_reset_surface(TarnLattice* l);
void tarn__lattice_exchange(TarnLattice* l); // before the collisions: mass, and what gas returns
void tarn__lattice_convert(TarnLattice* l);  // after the step: cells that fill and empty
void tarn__lattice_surface_sources(TarnLattice* l);
void tarn__lattice_surface_solids(TarnLattice* l); // after solids moved
// is_kept: with the gas that they had
void tarn__lattice_find_bubbles(TarnLattice* l, bool is_kept);
void tarn__lattice_balance(TarnLattice* l);                  // compares the mass with the ledger
const float* tarn__lattice_fill_field(const TarnLattice* l); // NULL: none
void tarn__lattice_surface_stats(const TarnLattice* l, TarnLatticeStats* stats);
void tarn__lattice_set_bits(TarnLattice* l); // of all rows
void tarn__lattice_list(TarnLattice* l);     // of interface cells, in their order
// Curvature of the surface in an interface cell [1/cells], positive where the liquid bulges.
float tarn__lattice_curvature(const TarnLattice* l, int i, int j, int k);
// A cell that begins with this density and velocity, as if the step before had left it so.
void tarn__lattice_begin_cell(TarnLattice* l, int i, int j, int k, float rho, const float u[3]);
// Every fluid cell beside gas becomes interface.
void tarn__lattice_close(TarnLattice* l);

TARN_INLINE bool lattice_is_wet(const TarnLattice* l, ptrdiff_t c)
{
    uint8_t type = l->surface->type[c];
    return type != LATTICE_GAS && type != LATTICE_SOLID;
}

// The neighbor of a cell along a direction (2 pair + 1: against it); false: outside of the box or in a solid.
TARN_INLINE bool lattice_neighbor(const TarnLattice* l, int i, int j, int k, int way,
                                  ptrdiff_t* out)
{
    const signed char* e = l->kind->e[way / 2];
    int s = way & 1 ? -1 : 1;
    int x = i + s * e[0], y = j + s * e[1], z = k + s * e[2];
    if (x < 0 || y < 0 || z < 0 || x >= l->grid.nx || y >= l->grid.ny || z >= l->grid.nz)
        return false;
    *out = lattice_at(&l->grid, x, y, z);
    return l->solid == NULL || l->solid[*out] == 0;
}

// An array of the state, as it is hashed and saved.
enum { LATTICE_FLOATS, LATTICE_HALVES, LATTICE_BYTES };
typedef struct LatticeArray {
    void* data;
    size_t n;
    int kind;
    float limit; // of its values
} LatticeArray;
int tarn__lattice_surface_arrays(const TarnLattice* l, LatticeArray* out);
uint64_t tarn__lattice_surface_hash(const TarnLattice* l, uint64_t hash);
void tarn__lattice_surface_save(const TarnLattice* l, TarnWriter* w);
bool tarn__lattice_surface_load(const TarnLattice* l, TarnReader* r,
                                TarnLattice* out); // out NULL: only checks
