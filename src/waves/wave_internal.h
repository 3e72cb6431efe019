// Inside src only: the state of the wave solver, for its own files and for couplings.
#pragma once

#include "tarn/wave.h"
#include "base/base.h"
#include "base/kernels.h"

// Tiles are the unit of sleep, rows of tiles the unit of work.
enum { WAVE_TILE_X = 64, WAVE_TILE_Z = 16 };
// Every few substeps tiles are checked for motion; after some calm checks they sleep. A wave crosses
// less than one cell per substep, so between checks it cannot get through a tile.
enum { WAVE_CHECK_EVERY = 8, WAVE_CALM_CHECKS = 4 };
enum {
    WAVE_LEVEL_EVERY = 64
};                     // substeps between corrections of the level, a multiple of the above
enum { WAVE_PAD = 8 }; // floats left of a row: one ghost cell, and alignment of the first cell

// Heights are kept within this, whatever is poured in [m].
static const float wave_limit = 1e5f;

// How a tile is computed.
typedef enum WaveTileKind {
    WAVE_TILE_PLAIN,  // constant speed, no walls, no sponge
    WAVE_TILE_SPONGE, // the same with a sponge
    WAVE_TILE_BED,    // walls or depth, no sponge
    WAVE_TILE_BED_SPONGE,
} WaveTileKind;

// One sweep over a part of the grid: next = u + keep (u - prev) + gain lap(u), written over prev.
typedef struct WaveSweep {
    const float* u;
    float* prev;
    const float* depth; // of calm water per cell [m], <= 0 is land; NULL: no bed, no walls
    int stride;
    float keep, gain;
    bool is_nine;                     // Laplacian
    bool is_speed_from_depth;         // the coefficient of a cell is its depth, not 1
    const float *sponge_x, *sponge_z; // factor of the change per column and row, 1 outside
    const float *pull_x, *pull_z;     // times u, taken from the Laplacian; 0 outside
    // The same for one neighbor each, at i - 1, i + 1, k - 1, k + 1; for beds, where some are walls.
    const float *pull_west, *pull_east, *pull_south, *pull_north;
} WaveSweep;

// What a surface query needs to know.
typedef struct WaveQuery {
    const float *u, *prev, *depth; // depth NULL: flat_depth everywhere
    int stride;
    float x0, z0, per_cell; // corner of the grid [m], cells per meter
    int last_x, last_z;     // the last cells
    float wrap_x, wrap_z;   // cells after which a periodic grid repeats, else 0
    float level, lift;      // y of u = 0 [m], and the part of it that bodies lifted
    float flat_depth, per_dt, slope;
} WaveQuery;

typedef struct WaveKernels {
    // Columns [i0, i1) of rows [k0, k1).
    void (*sweep)(const WaveSweep* sweep, WaveTileKind kind, int i0, int i1, int k0, int k1);
    // Largest |a - b| of n columns in some rows.
    float (*largest_change)(const float* a, const float* b, int stride, int n, int rows);
    // Sums of two fields over n columns in some rows, in one fixed order.
    void (*sums)(const float* a, const float* b, int stride, int n, int rows, double* sum_a,
                 double* sum_b);
    void (*query)(const WaveQuery* query, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out);
} WaveKernels;

TARN_KERNELS(WaveKernels, tarn__wave_kernels);

struct TarnWave {
    TarnContext* ctx;
    size_t memory;
    TarnWaveDef def; // validated copy, its array pointers cleared
    TarnWaveParams params;
    const WaveKernels* kernels;

    int stride;      // floats per row; every field has one ghost row before and after
    float *u, *prev; // height now and one substep ago; both point at cell (0, 0)
    float* depth;    // see WaveSweep; NULL unless there are walls or a bed
    float *sponge_x, *sponge_z, *pull_x, *pull_z; // see WaveSweep
    float *pull_west, *pull_east, *pull_south, *pull_north;
    float sponge_dt;  // that they were made for [s]
    double* row_sums; // two per row of tiles, for ordered sums

    // Bodies (use_bodies). The first two are state, the others scratch of the coupling, else zero.
    float* displaced; // column length that bodies displace and push into waves [m]
    float* calm;      // y of the surface that it is counted from [m]
    float *target, *change;
    double injected;      // sum over cells of what was pushed into u so far [m]
    double displaced_sum; // sum over cells of all that bodies displace [m]

    int tiles_x, tiles_z;
    uint8_t* quiet;   // checks a tile has been calm for, up to WAVE_CALM_CHECKS
    uint8_t* awake;   // computed in the last substep
    uint8_t* pressed; // 1: bodies displace water in this tile
    uint8_t* kind;    // WaveTileKind
    int* row_loud;    // per row of tiles: how many are not calm

    int wet_cells;
    double sourced;        // sum over cells added by lines and makers [m]
    double time, carry;    // simulated [s]; given, but too short to compute yet [s]
    float dt;              // of the last substep [s]: (u - prev) / dt is the speed
    float lift;            // of the level by bodies [m]
    float wave_speed;      // the fastest [m/s]
    float stable_dt;       // [s]
    bool is_edited;        // since the ghosts were filled
    int ticks;             // substeps since the level was last checked
    double expected;       // sum over cells of u, if there were no rounding [m]
    bool is_expected;      // false: take the sum as it is from now on
    int shift_i, shift_k;  // how far the window went [cells]
    bool began_calm;       // it was created without heights
    uint8_t* row_wild;     // per row of tiles: heights had to be limited
    TarnStepLimit limited; // the first of them in this step
};

void tarn__wave_touch(TarnWave* wave, int i0, int i1, int k0, int k1); // wakes tiles of these cells
void tarn__wave_fill_ghosts(TarnWave* wave, float* field);
void tarn__wave_fill_sides(const TarnWave* wave, float* field, int k0, int k1); // of these rows
void tarn__wave_set_sponge(TarnWave* wave, float dt);
// Decay of a wave at the edge in one substep.
float tarn__wave_sponge_decay(const TarnWave* wave, float dt);
void tarn__wave_set_bed(TarnWave* wave, const float* bed, const uint8_t* wall);
void tarn__wave_update_bed(TarnWave* wave); // after depth changed: ghosts, tile kinds, speed
// To one cell, its speed kept. Returns what was added: less if that went beyond the limit.
float tarn__wave_add(TarnWave* wave, size_t c, float amount);
bool tarn__wave_is_closed(const TarnWave* wave); // no fixed or absorbing edge

TARN_INLINE size_t wave_cell(const TarnWave* wave, int i, int k)
{
    return (size_t)k * (size_t)wave->stride + (size_t)i;
}
TARN_INLINE bool wave_is_wet(const TarnWave* wave, size_t c)
{
    return wave->depth == NULL || wave->depth[c] > 0.0f;
}
// Speed of waves in a cell [m/s].
float tarn__wave_cell_speed(const TarnWave* wave, size_t c);

// Of the Surface plug.
bool tarn__wave_area(const void* self, TarnVec2* min, TarnVec2* max);
TarnResult tarn__wave_push(void* self, const TarnSurfacePush* push, TarnSurfaceTaken* taken);
TarnResult tarn__wave_pour(void* self, const TarnSurfacePour* pour, TarnSurfaceTaken* taken);
