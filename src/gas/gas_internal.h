// Inside src only: the state of a gas, for its own files and for couplings.
//
// A substep, in gas_step.c: window, sources, advect, forces, fire, then the loop of [Cruz2010]: jets,
// obstacles, edges, pressure.
#pragma once

#include "tarn/gas.h"
#include "grid/grid3.h"
#include "linear/cosine.h"
#include "linear/multigrid.h"
#include "base/handles.h"
#include "base/maths.h"

enum { GAS_DENSITY, GAS_TEMPERATURE, GAS_FUEL, GAS_RED, GAS_GREEN, GAS_BLUE, GAS_SCALARS };
enum { GAS_MAX_LEVELS = 3 };

enum { GAS_MAX_BURSTS = 16 };
typedef struct GasBurst {
    TarnVec3 center; // [m]
    float radius;    // [m]
    double volume;   // [m^3]
} GasBurst;

// A grid of one level: the solvers are made for its size. All levels share the arrays of the finest.
typedef struct GasLevel {
    Grid3 grid;
    float dx;
    PoissonDef poisson;
    Multigrid* multigrid;
    CosinePlan* cosine; // NULL unless the pressure is spectral
} GasLevel;

struct TarnGas {
    TarnContext* ctx;
    size_t memory;
    TarnGasDef def;
    TarnGasParams params;
    const struct GasKernels* kernels;
    const struct GasAdvectKernels* advect_kernels;
    GasLevel levels[GAS_MAX_LEVELS];
    int level;
    // As of the level, for the passes.
    Grid3 grid;
    float dx;
    TarnVec3 origin; // corner of cell (0, 0, 0) [m]

    float* velocity[3];         // on faces [m/s], absolute: also in a box that moves
    float* scalar[GAS_SCALARS]; // NULL: not used; colors are times density
    float* next[3];             // scratch of advection: the coming velocities
    float* first[3];            // scratch: the first pass of MacCormack's scheme, and much else
    float* next_scalar;         // scratch: first[2]
    float* way[3];   // scratch: how far the air at cell centers came in the substep [cells]
    float* start[3]; // TARN_GAS_REFLECTION: velocities at the start of the substep, then at its end
    float* pressure; // times dt / dx, in m/s: u -= difference of p. Kept as the first guess
    float* divergence;  // right-hand side; is first[0]
    float* expansion;   // of cells in the substep, as div u * dx [m/s]; is first[1]
    bool has_expansion; // false: none in this substep
    bool has_guess;     // the pressure is worth something

    // Obstacles (gas_obstacles.c); NULL without.
    const TarnSolids* solids;
    uint8_t*
        solid; // per face of x, y, z, three arrays in a row: 0 air, else 1 + index in solid_motion
    float* weight[3];         // open share of each face; direct obstacles only
    TarnMotion* solid_motion; // of the solids that touch the box, at the end of the substep
    int n_solid_motions;
    int n_solid_faces;     // 0: nothing to do
    uint64_t solids_key;   // 0: nothing has been rasterized yet
    void* obstacle_memory; // of tarn__gas_obstacle_bytes, see tarn__gas_place_obstacles
    uint8_t* solid_cell;   // per cell: 0 air, 1 inside a solid, 2 inside since this substep
    struct GasSolidRecord* solid_record; // what solid_motion came from
    int n_solid_cells;
    TarnVec3 solid_origin; // of the grid as it was rasterized
    int solid_shift[3];    // cells by which the window has moved since, with the flags
    bool has_new_solids;   // weights and flags changed; the reader of the weights clears it
    bool has_old_flags; // from a snapshot, of solids elsewhere: they hold until all is done again

    TarnHandles source_ids, jet_ids;
    TarnGasSourceDef* sources;
    TarnGasJetDef* jets;
    TarnGasForceFn* force;
    void* force_user;

    // Moving (gas_window.c).
    TarnVec3 target, target_velocity; // of the center
    bool is_moving;
    TarnVec3 frame_velocity; // of the grid in this substep: 0 unless it translates [m/s]
    // Shares of the way of the whole tarn_gas_step that are done when this substep begins and ends, set by
    // gas_step.c; both 0: one substep, 0 to 1. For the poses of solids and for the window.
    float way_begin, way_end;

    double time, carry;
    int steps;   // of tarn_gas_step, for update_every
    double held; // time that skipped updates still owe [s]
    uint64_t substeps;
    double energy;       // closed boxes: sum of squares after the last advection, see gas_advect.c
    double density_owed; // keeps_density: what the sum still lacks, in cells of density 1
    GasBurst bursts[GAS_MAX_BURSTS]; // that the next substep must make room for
    int n_bursts;
    uint32_t step_flags;   // TARN_STEP_* of the running step
    TarnStepLimit limited; // of the running step, its first
    double* sums;          // three per slab, for ordered sums
    TarnGasStats last;     // what the last step noted down: cycles, residual, divergences
};

// How work is cut: slabs per block, the same for any number of workers.
enum { GAS_SLABS = 4 };
TARN_INLINE int gas_blocks(const TarnGas* gas)
{
    return (gas->grid.nz + GAS_SLABS - 1) / GAS_SLABS;
}
// Slabs [k0, k1) of a block; is_faces: the last one has the faces at nz too.
TARN_INLINE void gas_block_slabs(const TarnGas* gas, int block, bool is_faces, int* k0, int* k1)
{
    *k0 = block * GAS_SLABS;
    *k1 = *k0 + GAS_SLABS < gas->grid.nz ? *k0 + GAS_SLABS : gas->grid.nz;
    if (is_faces && *k1 == gas->grid.nz) *k1 += 1;
}
TARN_INLINE int gas_edge(const TarnGas* gas, int axis, int side) // TarnGasEdge
{
    return (&gas->def.edge_x0)[2 * axis + side];
}
TARN_INLINE ptrdiff_t gas_stride(const Grid3* g, int axis)
{
    return axis == 0 ? 1 : axis == 1 ? g->row : g->slab;
}
bool tarn__gas_is_closed(const TarnGas* gas); // all six edges
// The ambient air now [m/s]: the wind may turn.
TARN_INLINE TarnVec3 gas_wind(const TarnGas* gas)
{
    TarnVec3 w = gas->params.wind;
    float turn = gas->params.wind_turn, s, c;
    if (turn == 0.0f) return w;
    double angle = (double)turn * gas->time * 0.15915494309189535; // in whole turns
    tarn_sincos((float)((angle - floor(angle)) * 6.283185307179586), &s, &c);
    return (TarnVec3){ c * w.x + s * w.z, w.y, c * w.z - s * w.x };
}

// gas_step.c / gas.c
void tarn__gas_use_level(TarnGas* gas, int level); // grid, dx and pointers as of the level
// gas_advect.c: velocities and scalars along (velocity - frame_velocity); ambient air comes in.
void tarn__gas_advect(TarnGas* gas, float dt);
// Its parts, along another velocity `by` with its ghosts: the way first, which the others share.
void tarn__gas_find_way(TarnGas* gas, float* const by[3], float dt);
void tarn__gas_advect_scalars(TarnGas* gas, float* const by[3], float dt);
void tarn__gas_advect_velocities(TarnGas* gas, float* const by[3], float dt);
// gas_reflect.c: a substep of TARN_GAS_REFLECTION.
void tarn__gas_reflected_substep(TarnGas* gas, float dt);
// gas_forces.c
void tarn__gas_forces(TarnGas* gas,
                      float dt);             // buoyancy, wind, drag, viscosity, vorticity, callback
void tarn__gas_burn(TarnGas* gas, float dt); // fire, decay, cooling; fills expansion
// gas_sources.c
void tarn__gas_sources(TarnGas* gas, float dt);
TarnResult tarn__gas_check_source(const TarnGas* gas, const TarnGasSourceDef* def);
// gas_jets.c: one call per iteration of the loop, which runs n_loops times in this substep. The file also has
// all of tarn_gas_*_jet and their table.
void tarn__gas_jets(TarnGas* gas, float dt, int n_loops);
TarnResult tarn__gas_check_jet(const TarnGas* gas, const TarnGasJetDef* def);
// Checks the ranges of a pose and its velocity; `what` precedes the names of the fields in the message.
TarnResult tarn__gas_check_motion(TarnContext* ctx, const char* what, const TarnMotion* motion);
// gas_obstacles.c; also tarn_gas_set_solids.
size_t tarn__gas_obstacle_bytes(const TarnGasDef* def); // 0: none
// At create, and with memory NULL again after the level has changed: sets the pointers and forgets
// everything.
void tarn__gas_place_obstacles(TarnGas* gas, void* memory);
// Once per substep, rasterizes what moved; next[] is scratch. It comes after tarn__gas_moved: the advection
// before it sees the obstacles of the substep before, which are in the places the air comes from.
void tarn__gas_find_obstacles(TarnGas* gas, float dt);
void tarn__gas_enforce_obstacles(TarnGas* gas); // solid faces get the velocity of the solid
void tarn__gas_clear_obstacles(TarnGas* gas, float* scalar); // nothing is inside a solid
double tarn__gas_leak(const TarnGas* gas);                   // see TarnGasStats
// gas_obstacles_state.c: what is closed in a row of cells, j 0..ny, k 0..nz. Returns the bytes of a row. A
// row that was loaded may be of solids that have moved on since.
enum { GAS_CLOSED_ROW = 1025 };
size_t tarn__gas_closed_row(const TarnGas* gas, int j, int k, uint8_t row[GAS_CLOSED_ROW]);
bool tarn__gas_is_closed_row(const Grid3* grid, int j, int k, const uint8_t* row); // can it be one?
void tarn__gas_set_closed_row(TarnGas* gas, int j, int k, const uint8_t* row);
// Direct obstacles: rhs is the sum of weight * velocity over the faces of each cell [m/s], out minus in; this
// adds what the solids push through the rest of the faces, (1 - weight) * their velocity.
void tarn__gas_add_solid_flux(const TarnGas* gas, float* rhs);
// Flags of faces of a component 0..2, in the places of velocities (Grid3).
TARN_INLINE uint8_t* tarn__gas_solid_faces(const TarnGas* gas, int component)
{
    size_t floats = tarn__grid3_floats(&gas->grid);
    return gas->solid + (size_t)component * floats + tarn__grid3_first(&gas->grid);
}
// gas_edges.c: faces of the rim and ghosts.
void tarn__gas_set_edges(TarnGas* gas); // prescribed faces, zero net flux
void tarn__gas_fill_ghosts(TarnGas* gas, int component, float* field); // 0..2 velocity, 3 + scalar
// The same of the slabs [k0, k1) only, and of the ends behind them. component -1: copies all around.
void tarn__gas_fill_slabs(const TarnGas* gas, int component, float* field, int k0, int k1);
void tarn__gas_fill_velocities(TarnGas* gas);
void tarn__gas_fill_all(TarnGas* gas); // velocities and scalars
// gas_project.c: the loop.
void tarn__gas_project(TarnGas* gas, float dt);
// In the middle of a reflected substep: leaves the divergence that `start` has, pushes no jets. `pressure`
// gets all that was subtracted.
void tarn__gas_project_middle(TarnGas* gas);
void tarn__gas_subtract_pressure(TarnGas* gas); // once more
// gas_step.c: nothing stays in solids; the sum of the density, and making it what it was.
void tarn__gas_clear_scalars(TarnGas* gas);
bool tarn__gas_keeps_density(const TarnGas* gas);
double tarn__gas_density_sum(TarnGas* gas);
void tarn__gas_keep_density(TarnGas* gas, double before);
void tarn__gas_project_waves(TarnGas* gas, float dt); // gas_transform.c: of pressure transform
double
tarn__gas_divergence(TarnGas* gas); // largest |div u - expansion| [1/s]; overwrites divergence
// gas_window.c; also tarn_gas_move and tarn_gas_center.
// At the begin of each substep. SHIFT: all fields move by whole cells. TRANSLATE: sets frame_velocity for the
// advection of this substep; the origin is moved by tarn__gas_moved, which comes right after the advection.
// Sources may come before (where the box was) or after both (where it is).
void tarn__gas_follow(TarnGas* gas, float dt);
void tarn__gas_moved(TarnGas* gas, float dt);
