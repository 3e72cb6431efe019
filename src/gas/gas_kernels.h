// Inside src/gas only: the passes over the grid, compiled once per instruction set.
#pragma once

#include "base/kernels.h"
#include "gas/gas_internal.h"

enum { GAS_CELLS = 3 }; // not a component: values at cell centers

// Advection of up to three fields that live in the same places.
typedef struct GasAdvect {
    Grid3 grid;
    int component;       // 0..2: faces, GAS_CELLS
    const float* way[3]; // back to the foot, from cell centers [cells]
    const float* from[3];
    float* first[3]; // the value at the foot
    float* to[3];    // the corrected one
    int n_fields;
    const float* velocity[3]; // as it was, for the way forth
    TarnVec3 frame;           // [m/s]
    float scale;              // dt / dx
    // Second order in [lo, hi] along each axis; outside, near edges that air comes through, first.
    int lo[3], hi[3];
    bool keeps_peaks; // velocities may go beyond the points around a foot where they are smooth
    const uint8_t* solid[3]; // flags of faces, laid out as the velocities; NULL: none
} GasAdvect;

// Gravity, wind and drag on faces of one component.
typedef struct GasPush {
    Grid3 grid;
    int component;
    float* velocity;
    const float* acceleration; // at cell centers [m/s^2]; NULL: none
    const float* temperature;  // NULL: none
    const float* density;      // NULL: none
    float dt, lift, weight;    // acceleration by temperature 1 K, by density 1
    float wind, keep;          // v = wind + (v - wind) keep
    float max_speed;
} GasPush;

// Fire, decay and cooling of cells.
typedef struct GasBurn {
    Grid3 grid;
    float* scalar[GAS_SCALARS]; // NULL: not there
    float* expansion;           // NULL: not wanted
    float keep_density, keep_heat;
    float share; // of the fuel that burns in the step
    float ignition, heat, smoke, soot, volume, max_temperature;
    float fire_cooling; // 3 dt c / T_max^4, 0: none
} GasBurn;

typedef struct GasFlowQuery {
    Grid3 grid;
    const float* velocity[3];
    const float *density, *temperature; // NULL: 0
    TarnVec3 origin;
    float per_cell;  // cells per meter
    float per_blend; // 1 / width of the rim [1/cells]
    float wall[6];   // added to the distance to a face: nothing fades at one that is closed [cells]
} GasFlowQuery;

// Slabs [k0, k1) everywhere.
typedef struct GasAdvectKernels {
    // Displacement of cell centers by their own velocity: (u - frame) dt / dx, into first.
    void (*center)(const GasAdvect* a, int k0, int k1);
    // The way back by the midpoint rule: first taken half way, into to.
    void (*back)(const GasAdvect* a, int k0, int k1);
    void (*first)(const GasAdvect* a, int k0, int k1);
    void (*second)(const GasAdvect* a, int k0, int k1);
    void (*query)(const GasFlowQuery* q, int n, const float* x, const float* y, const float* z,
                  const TarnFlowSamples* out);
} GasAdvectKernels;

typedef struct GasKernels {
    float (*push)(const GasPush* p, int k0, int k1); // the largest speed before the limit
    void (*burn)(const GasBurn* b, int k0, int k1);
    // rhs = sum over faces of velocity, out minus in, less the expansion (NULL: none); returns the
    // largest. weight NULL: all 1.
    float (*divergence)(const Grid3* g, float* const velocity[3], float* const weight[3],
                        const float* expansion, float* rhs, int k0, int k1);
    // velocity -= p here - p behind. weight NULL: all 1; where it is 0 nothing is done.
    void (*subtract)(const Grid3* g, const float* p, float* velocity, const float* weight,
                     int component, int k0, int k1);
    double (*sum)(const Grid3* g, const float* field, int k0, int k1);
    double (*sum_squares)(const Grid3* g, const float* field, int k0, int k1);
    void (*scale)(const Grid3* g, float* field, float factor, int k0, int k1);
    void (*add)(const Grid3* g, const float* from, float* to, int k0, int k1);
    // to = from + gain (sum of six neighbors - 6 from); the faces of the rim stay.
    void (*diffuse)(const Grid3* g, const float* from, float* to, float gain, int component, int k0,
                    int k1);
    // Curl of the velocity at cells, times dx, and its length.
    void (*curl)(const Grid3* g, float* const velocity[3], float* const curl[3], float* length,
                 int k0, int k1);
    // acceleration = gain (grad length / |grad length|) x curl
    void (*confine)(const Grid3* g, float* const curl[3], const float* length, float gain,
                    float* const acceleration[3], int k0, int k1);
} GasKernels;

TARN_KERNELS(GasKernels, tarn__gas_kernels);
TARN_KERNELS(GasAdvectKernels, tarn__gas_advect_kernels);
