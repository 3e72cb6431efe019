// What the tests of base, waves and coupling share: random numbers, wave solvers over every kind of
// ground, and ways to disturb and to damage them. Include it first.
#pragma once

#include "results.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/snapshot.h"
#include "tarn/tarn.h"
#include "waves/wave_internal.h"

// ---- Random numbers ------------------------------------------------------------------------------

static uint64_t random_at; // the counter behind these
static inline float uniform(float lo, float hi)
{
    return lo + (hi - lo) * tarn__random01(7, 1, random_at++);
}
static inline int pick(int n) // 0 .. n - 1
{
    return (int)(tarn__random(7, 1, random_at++) % (uint32_t)n);
}
static inline float scale(float lo, float hi) // a positive number of any size between
{
    return lo * powf(hi / lo, uniform(0.0f, 1.0f));
}

// ---- Parameters ----------------------------------------------------------------------------------

// Past the checks, as a host would write into the struct.
static inline void poke(const TarnParam* p, void* object, int component, double value)
{
    char* at = (char*)object + p->offset;
    if (p->type == TARN_PARAM_BOOL)
        *(bool*)at = value != 0.0;
    else if (p->type == TARN_PARAM_INT || p->type == TARN_PARAM_ENUM)
        *(int*)at = (int)value;
    else
        ((float*)at)[component] = (float)value;
}

// ---- Snapshots -----------------------------------------------------------------------------------

// Gives damaged content good hashes again, so that only the range checks stand in its way.
static inline void seal(uint8_t* snapshot, size_t size)
{
    uint64_t hash = tarn_hash(snapshot + TARN_SNAPSHOT_HEADER, size - TARN_SNAPSHOT_HEADER, 0);
    memcpy(snapshot + TARN_SNAPSHOT_HEADER - 16, &hash, sizeof hash);
    hash = tarn_hash(snapshot, TARN_SNAPSHOT_HEADER - 8, 1);
    memcpy(snapshot + TARN_SNAPSHOT_HEADER - 8, &hash, sizeof hash);
}

static inline uint8_t* save_wave(const TarnWave* wave, size_t* size)
{
    assert_int_equal(tarn_wave_save(wave, NULL, 0, size), TARN_ERR_CAPACITY);
    uint8_t* snapshot = malloc(*size);
    assert_ok(tarn_wave_save(wave, snapshot, *size, size));
    return snapshot;
}

// ---- Wave solvers --------------------------------------------------------------------------------

// 100 x 40 cells of 5 cm: two by three tiles, the last of them not full.
static inline TarnWaveDef small_def(void)
{
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = 100, def.nz = 40;
    return def;
}

static inline void set_edges(TarnWaveDef* def, int x0, int x1, int z0, int z1)
{
    def->edge_x0 = x0, def->edge_x1 = x1, def->edge_z0 = z0, def->edge_z1 = z1;
}

typedef enum Ground {
    GROUND_FLAT,
    GROUND_WALLS,    // at random, many of them touching with their corners
    GROUND_BED,      // hills, some of them islands
    GROUND_BED_FN,   // the same from a function, and walls
    GROUND_ONE_SPEED // a bed of islands under waves of one speed
} Ground;
enum { GROUNDS = 5 };

static inline float hills(float x, float z, void* user)
{
    (void)user;
    return -0.6f + 0.7f * sinf(2.1f * x + 1.0f) * cosf(1.7f * z);
}

static uint8_t walls[200 * 200];
static float beds[200 * 200];

static inline TarnWave* make_wave(TarnContext* where, TarnWaveDef def, Ground ground)
{
    for (int c = 0; c < def.nx * def.nz && ground != GROUND_FLAT; ++c) {
        float x = def.origin.x + ((float)(c % def.nx) + 0.5f) * def.dx;
        float z = def.origin.y + ((float)(c / def.nx) + 0.5f) * def.dx;
        walls[c] = tarn__random(1, 2, (uint64_t)c) % 5 == 0;
        beds[c] = hills(x, z, NULL);
    }
    if (ground == GROUND_WALLS || ground == GROUND_BED_FN) def.wall = walls;
    if (ground == GROUND_BED || ground == GROUND_ONE_SPEED) def.bed = beds;
    if (ground == GROUND_BED_FN) def.bed_fn = hills;
    if (ground == GROUND_ONE_SPEED) def.speed = 2.0f;
    TarnWave* wave;
    TarnResult result = tarn_wave_create(where, &def, &wave);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(where));
    assert_int_equal(result, TARN_OK);
    return wave;
}

static inline float height_of(const TarnWave* wave, int i, int k)
{
    TarnView2 view = tarn_wave_height(wave);
    return view.data[i + view.stride * k];
}

static inline float highest(const TarnWave* wave) // |u|, NaN if there is one
{
    float peak = 0.0f;
    for (int k = 0; k < wave->def.nz; ++k) {
        for (int i = 0; i < wave->def.nx; ++i) {
            float u = fabsf(height_of(wave, i, k));
            if (!(u <= peak)) peak = u;
        }
    }
    return peak;
}

// Everything is finite, walls are dry.
static inline void assert_sane(const TarnWave* wave)
{
    int n_bad = 0;
    for (int k = 0; k < wave->def.nz; ++k) {
        for (int i = 0; i < wave->def.nx; ++i) {
            size_t c = wave_cell(wave, i, k);
            bool is_dry = tarn_wave_is_wall(wave, i, k);
            n_bad += !tarn__is_finite(wave->u[c]) || !tarn__is_finite(wave->prev[c]);
            n_bad += is_dry && (wave->u[c] != 0.0f || wave->prev[c] != 0.0f);
        }
    }
    assert_int_equal(n_bad, 0);
    assert_true(isfinite(tarn_wave_volume(wave)) && isfinite(tarn_wave_level(wave)));
}

static const float frame = 1.0f / 60.0f; // [s]

static inline TarnStepReport step(TarnWave* wave, float dt)
{
    TarnStepReport report;
    assert_ok(tarn_wave_step(wave, dt, &report));
    return report;
}
static inline void steps(TarnWave* wave, int n)
{
    for (int s = 0; s < n; ++s) step(wave, frame);
}

// A disturbance of any kind and any size that is allowed, somewhere in or around the basin.
static inline void disturb(TarnWave* wave, float largest)
{
    float sizes[2] = { (float)wave->def.nx * wave->def.dx, (float)wave->def.nz * wave->def.dx };
    TarnVec2 o = tarn_wave_origin(wave);
    TarnVec2 a = { o.x + uniform(-0.3f, 1.3f) * sizes[0], o.y + uniform(-0.3f, 1.3f) * sizes[1] };
    TarnVec2 b = { o.x + uniform(-0.3f, 1.3f) * sizes[0], o.y + uniform(-0.3f, 1.3f) * sizes[1] };
    float radius = scale(0.3f * wave->def.dx, 100.0f * wave->def.dx);
    float height = pick(2) ? largest : scale(1e-3f, largest);
    if (pick(2)) height = -height;
    float dt = scale(1e-3f, largest > 1.0f ? 10.0f : 0.1f);
    int kind = pick(4), edge = pick(4);
    if (kind == 0) assert_ok(tarn_wave_add_drop(wave, a, radius, height));
    if (kind == 1) assert_ok(tarn_wave_add_stroke(wave, a, b, radius, height));
    if (kind == 2) assert_ok(tarn_wave_add_line(wave, a, b, height, dt));
    if (kind == 3) assert_ok(tarn_wave_drive_edge(wave, edge, height, dt));
}
