// Inside src only: the state of the pipe solver and what its kernels work on.
#pragma once

#include "tarn/pipes.h"
#include "base/base.h"
#include "base/kernels.h"

// Floats left of a row: one ghost cell, and alignment of the first cell.
enum { PIPES_PAD = 8 };
// Rows of a block, the unit of work, and rows of it that are in work at a time.
enum { PIPES_ROWS = 32, PIPES_RING = 4 };
// Substeps between slips: slopes give way slowly, and visiting eight neighbors is expensive.
enum { PIPES_SLIP_EVERY = 8 };
// Water thinner than this drops all it carries; less than this beyond the talus does not slip [grains].
enum { PIPES_DRY_GRAINS = 16, PIPES_STICK_GRAINS = 64 };
// The highest and deepest ground [grains]: differences stay below 2^31.
enum { PIPES_LIMIT = 63 * (1 << 24) };
enum { PIPES_ARRAYS = 12 }; // most arrays of nx * nz cells that a solver has

// One substep as the kernels see it. All fields point at cell (0, 0) and have the same stride; the step
// reads one set and writes the other, then they are swapped.
typedef struct PipesSweep {
    int nx, nz, stride;
    bool has_erosion, is_last; // is_last: the heights that are drawn are written
    bool is_open_x0, is_open_x1, is_open_z0, is_open_z1; // edges
    const int32_t* ground;                               // top of the ground [grains]
    const float *d, *s, *fx, *fz; // water and sediment [m], multiples of the grain; discharge
    int32_t* ground1;             // through the faces at -x and -z [m^2/s]
    float *d1, *s1, *fx1, *fz1;   // the next of each
    float *soil, *soil1;          // soil [m], in place; soil1 only when slopes slip
    float* height;                // ground to be drawn [m]
    float grain, per_grain;       // [m], [1/m]

    float push;          // dt g / dx [m/s per m^2]
    float pipe;          // constant depth of a pipe [m]; 0: that of the water
    float keep;          // what linear friction leaves of the flow
    float drag4, steep4; // 4 dt drag [s]; more per rise of the ground [s/m]
    float still;         // less than this is no flow [m^2/s]
    float move;          // dt / dx, from discharge to depth [s/m]
    float rain, drying;  // [m], multiples of the grain
    float dither_water, dither_sediment, dither_ground; // -0.5 to 0.5

    float min_depth;             // for speeds [m]
    float max_speed2;            // [m^2/s^2]
    float tilt, min_tilt2;       // from the sum of eight differences [m] to a slope
    float capacity, ramp;        // [s/m], [m]
    float thickest, most;        // sediment per water; in a column [m]
    float soil_rate, rock_ratio; // share of what is missing, dissolved in a substep; rock per soil
    float deposit_rate;          // share of what is too much, dropped in a substep

    float slip;                   // share of what is too steep that moves to one neighbor
    float creep;                  // share of the difference of two cells side by side that moves
    float soil_steep, rock_steep; // largest difference of two cells side by side [grains]
} PipesSweep;

// Rows in work around row k. They are few, so that they stay in the cache.
typedef struct PipesRows {
    float* fx;                                // flow wanted at -x of row k [m^2/s]
    float *south, *north;                     // and at -z of rows k and k + 1
    float *share_south, *share, *share_north; // of the flow out of a cell that it can give, 0 to 1;
                                              // 1: and there is some to spare
    float *load_south, *load, *load_north;    // sediment per water; negative: all of it may leave
    float *cross_flow, *cross_water, *cross_sediment; // what crosses at -z of row k, then of k + 1
} PipesRows;
// The same for the ground: power of the flow [m^2/s] and surface of the water [m] of rows k - 1 to k + 1.
typedef struct PipesGround {
    float *power_south, *power, *power_north;
    float *surface_south, *surface, *surface_north;
} PipesGround;
enum { PIPES_WORK_ROWS = 6 * PIPES_RING + 3 }; // of a block, all together

// What rows report, to be added up in the order of blocks.
typedef struct PipesTally {
    int64_t dried, edge_water, edge_sediment; // [grains], the latter two came in
    double deepest;                           // [m]
} PipesTally;

typedef struct PipesKernels {
    // Flow through the faces at -x of row k, and at -z.
    void (*flow_x)(const PipesSweep* sweep, int k, float* out);
    void (*flow_z)(const PipesSweep* sweep, int k, float* out);
    // What the cells of row k can give: share and load.
    void (*limit)(const PipesSweep* sweep, int k, const PipesRows* rows);
    // What crosses at -z of row k, for the first row of a block.
    void (*cross_south)(const PipesSweep* sweep, const PipesRows* rows);
    // Water of row k after the substep, and its sediment as far as it was carried.
    void (*advance)(const PipesSweep* sweep, int k, const PipesRows* rows, PipesTally* tally);
    // What the flow of row k can carry, and its surface; then what it dissolves and drops. These read
    // the new d, fx, fz and change s1 in place.
    void (*power)(const PipesSweep* sweep, int k, float* out, float* surface);
    void (*erode)(const PipesSweep* sweep, int k, const PipesGround* rows);
    // Steep slopes of row k; has_south, has_north: there are rows before and after.
    void (*slip)(const PipesSweep* sweep, int k, bool has_south, bool has_north);
} PipesKernels;

TARN_KERNELS(PipesKernels, tarn__pipes_kernels);

struct TarnPipes {
    TarnContext* ctx;
    size_t memory;
    TarnPipesDef def; // validated copy, its array pointers cleared
    TarnPipesParams params;
    const PipesKernels* kernels;

    int stride, blocks;
    float grain, per_grain; // [m], a power of two, and its inverse
    int32_t *ground, *ground1;
    float *height, *d, *s, *soil, *fx, *fz; // see PipesSweep
    float *d1, *s1, *fx1, *fz1;
    float* work;         // per block PIPES_WORK_ROWS rows
    PipesTally* tallies; // per block

    double time;
    double dt;           // of the last substep [s]
    uint32_t tick;       // substeps so far: the dither's counter
    double rain, drying; // fallen and dried, too little for a grain yet [m]
    double slip_time;    // since slopes last slipped, times erosion_speed [s]
    float deepest;       // water [m]
    int64_t initial, rained, dried, edges, sources; // [grains], see TarnPipesLedger
    int64_t ground_initial, carried_out;
};

TARN_INLINE size_t pipes_cell(const TarnPipes* pipes, int i, int k)
{
    return (size_t)k * (size_t)pipes->stride + (size_t)i;
}
// Ghost cells of the ground copy their neighbors; after every change of it.
void tarn__pipes_fill_ghosts(TarnPipes* pipes);
// After water changed from outside.
void tarn__pipes_find_deepest(TarnPipes* pipes);
// The heights that are drawn, from the ground.
void tarn__pipes_draw_ground(TarnPipes* pipes);
// Sums over all cells [grains].
int64_t tarn__pipes_count(const TarnPipes* pipes, const float* field);
int64_t tarn__pipes_count_ground(const TarnPipes* pipes);

// Of the Surface plug.
bool tarn__pipes_area(const void* self, TarnVec2* min, TarnVec2* max);
TarnResult tarn__pipes_push(void* self, const TarnSurfacePush* push, TarnSurfaceTaken* taken);
TarnResult tarn__pipes_pour(void* self, const TarnSurfacePour* pour, TarnSurfaceTaken* taken);
