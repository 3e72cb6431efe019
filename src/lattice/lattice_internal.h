// Inside src/lattice, its class and its checks only: the struct of a lattice and what its files share.
#pragma once

#include "base/handles.h"
#include "base/shape.h"
#include "lattice/half8.h"
#include "lattice/lattice_kernels.h"
#include "particles/solids_distance.h"
#include "tarn/lattice.h"

TARN_INLINE double lattice_clamp(double x, double lo, double hi)
{
    return x > lo ? (x < hi ? x : hi) : lo;
}

enum { LATTICE_ROWS = 16 }; // rows of cells per block of work
enum { LATTICE_HEAT_SLOTS = 7 };
enum { LATTICE_MAX_SOLIDS = 254, LATTICE_LINK_BLOCK = 1024 };

// A direction that a solid cuts off.
typedef struct LatticeLink {
    int cell; // index c of the fluid cell
    uint16_t i, j, k;
    uint8_t way;   // 2 pair + (0: up, 1: down), out of the cell
    uint8_t solid; // number in lattice->solids_in
    uint16_t at;   // where the wall is, 1/65535 of the way
} LatticeLink;

typedef struct LatticeSolid { // a solid in the box
    int slot;
    uint64_t key;      // of shape and pose when it was rasterized
    TarnMotion motion; // at that time
    int lo[3], hi[3];  // cells around it
    double impulse[3]; // of the fluid on it in this step, in lattice units
    double angular[3];
    int links;
} LatticeSolid;

typedef struct LatticeBubble {
    double amount; // pressure times volume, as density of the lattice times cells
    double volume; // [cells]
    float rho;     // density that its pressure stands for
    bool is_open;  // the atmosphere: pressure of rest
} LatticeBubble;

typedef struct LatticeSurface LatticeSurface; // lattice_surface.h

struct TarnLattice {
    TarnContext* ctx;
    size_t memory;
    TarnLatticeDef def;
    TarnLatticeParams params;
    const LatticeKind* kind;
    const LatticeKernels* kernels;
    LatticeGrid grid;
    bool is_half;
    TarnVec3 origin;   // corner of cell (0, 0, 0) [m]
    double dt;         // of a substep [s]
    double to_lattice; // from m/s: dt / dx
    void* f;
    float* sponge; // nx + ny + nz values
    bool has_sponge;
    float*
        inflow[6]; // of faces that are inflows: velocity of each of their cells, in lattice units
    uint8_t *kinds, *cells; // as in LatticePass; NULL: all collide
    float* u[3];            // velocity [m/s], in the layout of a slot; NULL: without use_flow
    float *smoke, *temperature, *fuel, *scratch[2]; // in the same layout
    int* ranges;        // of a field that is carried: first cell and end of what each row holds
    float* heat;        // populations of the second lattice
    uint64_t steps;     // substeps since the reset
    double time, carry; // [s]; what is left for the next call
    TarnLatticeSourceDef* sources;
    TarnLatticeFillDef* fills;
    TarnHandles source_ids, fill_ids;
    double* sums; // per block
    LatticeLimit* limits;

    // Obstacles
    TarnSolids* solids;
    uint8_t* solid; // per cell in the layout of a slot: 0, or the number of a solid + 1
    LatticeLink* links;
    int n_links, max_links;
    double* link_sums; // six per block of links
    LatticeSolid* solids_in;
    int n_solids;
    uint64_t solids_key;
    double force_time; // over which impulses were summed [s]

    LatticeSurface* surface; // NULL: without use_surface

    uint32_t step_flags;
    int limited;
    TarnStepLimit limit;
};

// ---- Places of populations --------------------------------------------------------------------------

TARN_INLINE ptrdiff_t lattice_offset(const TarnLattice* l, int pair)
{
    const signed char* e = l->kind->e[pair];
    return e[0] + l->grid.row * e[1] + l->grid.slab * e[2];
}
// The place of cell c, which may be beyond the faces. Divisions of 32 bits: a third of the time of longer ones.
TARN_INLINE void lattice_place(const TarnLattice* l, ptrdiff_t c, int at[3])
{
    int o = (int)(c - l->grid.first), slab = (int)l->grid.slab, row = (int)l->grid.row;
    at[2] = o / slab;
    int in = o - at[2] * slab;
    at[1] = in / row;
    at[0] = in - at[1] * row;
}
// Where a step of this parity loads the population of a direction of cell c, as an element of f.
TARN_INLINE ptrdiff_t lattice_in(const TarnLattice* l, bool is_odd, int pair, bool is_up,
                                 ptrdiff_t c)
{
    ptrdiff_t stride = (ptrdiff_t)l->grid.stride;
    if (is_up) return stride * (is_odd ? 2 * pair + 1 : 2 * pair + 2) + c;
    return stride * (is_odd ? 2 * pair + 2 : 2 * pair + 1) + c + lattice_offset(l, pair);
}
// Where it stores what leaves along that direction.
TARN_INLINE ptrdiff_t lattice_out(const TarnLattice* l, bool is_odd, int pair, bool is_up,
                                  ptrdiff_t c)
{
    return lattice_in(l, is_odd, pair, !is_up, c);
}
TARN_INLINE float tarn__lattice_get(const TarnLattice* l, ptrdiff_t at)
{
    if (!l->is_half) return ((const float*)l->f)[at];
    TarnH8 h = { ((const uint16_t*)l->f)[at] };
    return half8_widen(h)[0] * 0x1p-15f;
}
TARN_INLINE void tarn__lattice_put(TarnLattice* l, ptrdiff_t at, float value)
{
    if (l->is_half)
        ((uint16_t*)l->f)[at] = half8_narrow_limited(f8_set(value * 0x1p15f))[0];
    else
        ((float*)l->f)[at] = value;
}

TARN_INLINE TarnVec3 lattice_center(const TarnLattice* l, int i, int j, int k)
{
    return (TarnVec3){ l->origin.x + ((float)i + 0.5f) * l->def.dx,
                       l->origin.y + ((float)j + 0.5f) * l->def.dx,
                       l->origin.z + ((float)k + 0.5f) * l->def.dx };
}

TARN_INLINE bool lattice_is_odd(const TarnLattice* l) // of the next step
{
    return (l->steps & 1u) != 0;
}
TARN_INLINE int lattice_rows(const TarnLattice* l)
{
    return l->grid.ny * l->grid.nz;
}
TARN_INLINE int lattice_blocks(const TarnLattice* l)
{
    return (lattice_rows(l) + LATTICE_ROWS - 1) / LATTICE_ROWS;
}
TARN_INLINE void lattice_block_rows(const TarnLattice* l, int block, int* r0, int* r1)
{
    *r0 = block * LATTICE_ROWS;
    *r1 = *r0 + LATTICE_ROWS < lattice_rows(l) ? *r0 + LATTICE_ROWS : lattice_rows(l);
}
TARN_INLINE bool lattice_is_cell_on(const TarnLattice* l, int i, int r) // does it collide?
{
    int of = l->kinds ? l->kinds[r] : LATTICE_ROW_FULL;
    if (of != LATTICE_ROW_MIXED) return of == LATTICE_ROW_FULL;
    return (l->cells[(ptrdiff_t)(l->grid.nx >> 3) * r + (i >> 3)] >> (i & 7) & 1) != 0;
}

// Density - 1 and velocity in lattice units of what a step of this parity loads, without forces.
typedef struct LatticeState {
    float rho, u[3];
} LatticeState;
LatticeState tarn__lattice_state(const TarnLattice* l, bool is_odd, ptrdiff_t c);
// The same of what the last step stored in it.
LatticeState tarn__lattice_left(const TarnLattice* l, bool is_odd, ptrdiff_t c);
// Equilibrium without its weight, of a direction.
float tarn__lattice_equilibrium(const LatticeKind* kind, int pair, bool is_up, float rho,
                                const float u[3]);
// Sets what a step of this parity loads from cell c to the equilibrium.
void tarn__lattice_set_cell(TarnLattice* l, bool is_odd, ptrdiff_t c, float rho, const float u[3]);

// ---- Faces ------------------------------------------------------------------------------------------

typedef struct LatticeWay { // a direction into the box
    int pair;
    bool is_up;
    int mirrored; // pair of the direction with the opposite part across the face
    bool is_mirrored_up;
    int e[3];
    float w;
} LatticeWay;

enum { LATTICE_FACE_WAYS = 5 };
typedef struct LatticeFace {
    TarnLattice* l;
    int number, axis, side, kind;
    bool is_odd; // the step that is done
    int n[3];
    ptrdiff_t step[3];
    LatticeWay ways[LATTICE_FACE_WAYS];
    int n_ways;
    float wall[3]; // its velocity
    // Of cells at no other face, as elements for cell 0: where the next step loads what enters along a way, where the
    // opposite way left it, and where the mirrored way left it in the cell that it comes from at a slip face
    ptrdiff_t to[LATTICE_FACE_WAYS], bounced[LATTICE_FACE_WAYS], mirrored[LATTICE_FACE_WAYS];
    ptrdiff_t beside[LATTICE_FACE_WAYS]; // to that cell
    float add[LATTICE_FACE_WAYS];        // by the velocity of the wall
} LatticeFace;

// ---- The step, in order -----------------------------------------------------------------------------

void tarn__lattice_find_obstacles(TarnLattice* l, float t); // at the fraction t of the frame
LatticePass tarn__lattice_pass(const TarnLattice* l);
int tarn__lattice_faces(TarnLattice* l, bool is_odd,
                        LatticeFace out[6]); // returns how many there are
void tarn__lattice_fix_rows(const LatticeFace* faces, int n, int r0,
                            int r1);                     // those that need no neighbors
void tarn__lattice_fix_faces(LatticeFace* faces, int n); // all others
void tarn__lattice_fix_links(TarnLattice* l, bool is_odd);
void tarn__lattice_set_faces(TarnLattice* l); // sponge and inflows, once per call of step
void tarn__lattice_read_velocity(TarnLattice* l);
void tarn__lattice_heat(TarnLattice* l);
void tarn__lattice_sources(TarnLattice* l, float dt);
void tarn__lattice_carry(TarnLattice* l, float dt);
void tarn__lattice_burn(TarnLattice* l, float dt);
TarnResult tarn__lattice_check_source(const TarnLattice* l, const TarnLatticeSourceDef* def);
TarnResult tarn__lattice_check_fill(const TarnLattice* l, const TarnLatticeFillDef* def);
TarnResult tarn__lattice_check_volume(const TarnLattice* l, const TarnParamTable* table,
                                      const void* def, const TarnShape* shape,
                                      const TarnMotion* motion); // of a fill or a source
// The cells between two corners and one around them; false: none is in the box.
bool tarn__lattice_cells_between(const TarnLattice* l, TarnVec3 from, TarnVec3 to, int lo[3],
                                 int hi[3]);
void tarn__lattice_push_solids(TarnLattice* l);
float tarn__lattice_tau(const TarnLattice* l); // that is used
