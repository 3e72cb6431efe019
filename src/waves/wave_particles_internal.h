// Inside src only: the state of wave particles.
#pragma once

#include "tarn/wave_particles.h"
#include "base/handles.h"
#include "base/kernels.h"
#include "base/maths.h"

enum {
    WP_RADII = TARN_WAVE_PARTICLES_RADII,
    WP_MAX_REACH = 8, // half width of a bump in cells of its own grid
    WP_PAD = 16,      // zeros around a grid of splats, so that filters need no tests
    WP_ROWS = 16,     // rows per block of a filter
    WP_BLOCK = 1024,  // particles per block
    WP_NO_WALL = -1,  // what a particle meets next: a partition 0 .., nothing,
    WP_EDGE = -2,     // or an edge: -2 - (0 to 3)
};

// A particle between two events. Its place at a time t is p + d v (t - t0); what it has traveled from where its front
// began is s + v (t - t0).
typedef struct WaveMote {
    float x, z, dx, dz; // [m], unit
    float a;            // amplitude [m]
    float angle;        // to its neighbors on the front [rad]
    float s;            // [m]
    float t0;           // [s] from the epoch
    float born;         // when its wave was added [s] from the epoch
    float next;         // time of its next event [s] from the epoch
    int16_t wall;       // what it meets then; WP_NO_WALL: it splits, or nothing happens
    int16_t last;       // the partition it met last, or WP_NO_WALL: it cannot meet it again at once
    int16_t radius;     // class
    int16_t spare;      // always 0: no padding in snapshots
    int32_t at;         // place in the queue
} WaveMote;

typedef struct WavePartition {
    TarnWavePartitionDef def;
    float nx, nz; // unit normal
} WavePartition;

// A grid of splats of one class, with cells twice as large as those of the class before.
typedef struct WaveLevel {
    int nx, nz, stride;
    float dx;     // [m]
    float radius; // of bumps [m]
    float speed;  // [m/s]
    float per_dx; // cells in a meter
    float rise;   // share of its amplitude that a new wave gains [1/s]
    int reach;    // taps to either side
    // Filters over -reach .. reach: bump, its slope [1/m], displacement along and across.
    float bump[2 * WP_MAX_REACH + 1], slope[2 * WP_MAX_REACH + 1];
    float along[2 * WP_MAX_REACH + 1], across[2 * WP_MAX_REACH + 1];
    float* splats;   // cell (0, 0); WP_PAD cells of padding around it
    float* field[5]; // height, displacement x and z, slopes x and z, nx * nz each
} WaveLevel;

typedef struct WaveRow {
    const WaveLevel* level;
    const float* rows[2 * WP_MAX_REACH + 1]; // rows of splats, the lowest first
    float* work;                             // four rows of stride
    float* out[5];
} WaveRow;

typedef struct WaveQueryGrid {
    const float *height, *shift_x, *shift_z, *slope_x, *slope_z, *was_height, *was_x, *was_z;
    int nx, nz;
    float x0, z0, per_cell, level, depth, choppiness, per_dt, dx;
} WaveQueryGrid;

typedef struct WaveParticlesKernels {
    void (*filter_row)(const WaveRow* row);
    // Adds a coarser level to a row of the finer one: rows at a quarter cell from the row, the nearer first.
    void (*refine_row)(const float* const rows[4], const float weights[4], int nx_coarse, int nx,
                       float* work, float* out);
    void (*query)(const WaveQueryGrid* q, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out);
} WaveParticlesKernels;
TARN_KERNELS(WaveParticlesKernels, tarn__wave_particles_kernels);

struct TarnWaveParticles {
    TarnContext* ctx;
    size_t memory;
    TarnWaveParticlesDef def;
    TarnWaveParticlesParams params;
    const WaveParticlesKernels* kernels;
    int shift_i, shift_k;
    double time;  // [s]
    double epoch; // from which particles count, so that a float is exact enough [s]
    float dt;     // of the last step [s]; 0: there was none
    WaveMote* motes;
    int* queue;              // heap of particles by their next event
    int n;                   // particles: in use are 0 .. n - 1
    bool was_full, is_stale; // since the last step; fields are behind the particles
    TarnHandles partition_ids;
    WavePartition* partitions;
    WaveLevel levels[WP_RADII];
    float* was[3]; // height and displacement in the step before
    float* work;   // rows for filters, one set per block
    uint64_t* merge_keys;
    int* merge_slots;
    int merge_mask;
    int n_blocks;
};

TARN_INLINE TarnVec2 wave_mote_at(const TarnWaveParticles* w, const WaveMote* m, float t)
{
    float way = w->levels[m->radius].speed * (t - m->t0);
    return (TarnVec2){ m->x + m->dx * way, m->z + m->dz * way };
}

// Amplitude that is drawn at t. A new wave rises while it travels half a radius, which is also how often bodies shed one: what
// they push aside then rises steadily. One that is too small to split sinks before it ends.
TARN_INLINE float wave_mote_height(const TarnWaveParticles* w, const WaveMote* m, float t)
{
    const WaveLevel* level = &w->levels[m->radius];
    float share = (t - m->born) * level->rise;
    bool is_last = m->wall == WP_NO_WALL && !(fabsf(m->a / 3.0f) >= w->params.least);
    if (is_last) share = tarn_minf(share, (m->next - t) * level->rise);
    return m->a * tarn_clampf(share, 0.0f, 1.0f);
}

// ---- wave_particles_events.c ----------------------------------------------------------------------

// Adds a particle as it is at m->t0, with its next event; false: there is no room.
bool tarn__wave_mote_add(TarnWaveParticles* w, const WaveMote* m);
void tarn__wave_mote_remove(TarnWaveParticles* w, int slot);
// Runs all events until t [s from the epoch].
void tarn__wave_events_run(TarnWaveParticles* w, float t);
// Moves the epoch to now, and all particles with it: the queue is built anew.
void tarn__wave_rebase(TarnWaveParticles* w);
void tarn__wave_queue_build(TarnWaveParticles* w);
// Joins particles of a class that are close together and run the same way, until a quarter is free or none is left.
void tarn__wave_merge(TarnWaveParticles* w);

// ---- wave_particles_grid.c ------------------------------------------------------------------------

void tarn__wave_levels_begin(TarnWaveParticles* w); // filters
void tarn__wave_draw(TarnWaveParticles* w);         // splats all particles and filters
