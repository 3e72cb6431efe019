// Inside src/lattice only: the free surface.
#pragma once

#include "lattice/lattice_internal.h"

void tarn__lattice_lay_out_surface(TarnLayout* layout, char* base, const LatticeGrid* grid, const TarnLatticeDef* def,
                                   LatticeSurface** out);
void tarn__lattice_reset_surface(TarnLattice* l);
void tarn__lattice_exchange(TarnLattice* l); // before the collisions: mass, and what gas returns
void tarn__lattice_convert(TarnLattice* l);  // after the step: cells that fill and empty
void tarn__lattice_surface_sources(TarnLattice* l);
void tarn__lattice_surface_solids(TarnLattice* l); // after solids moved
bool tarn__lattice_is_wet(const TarnLattice* l, ptrdiff_t c);
const float* tarn__lattice_fill_field(const TarnLattice* l); // NULL: none
void tarn__lattice_surface_stats(const TarnLattice* l, TarnLatticeStats* stats);
void tarn__lattice_set_bits(TarnLattice* l, int r);

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
bool tarn__lattice_surface_load(const TarnLattice* l, TarnReader* r, TarnLattice* out); // out NULL: only checks
