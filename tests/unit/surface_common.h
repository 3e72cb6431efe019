// A few small waters for tests of surfaces and what floats in them.
#pragma once

#include "test_common.h"
#include "tarn/coupling.h"

// 48 x 32 cells of 0.25 m, 2 m deep over flat ground at y = 0, between walls.
enum { CELLS_X = 48, CELLS_Z = 32 };
static const float cell = 0.25f, deep = 2.0f;

static inline TarnWave* small_wave(TarnContext* where, TarnVec2 origin, bool use_bodies)
{
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = CELLS_X, def.nz = CELLS_Z, def.dx = cell, def.origin = origin;
    def.depth = def.level = deep, def.use_bodies = use_bodies;
    TarnWave* wave;
    assert_ok(tarn_wave_create(where, &def, &wave));
    return wave;
}

static inline TarnShallow* small_shallow(TarnContext* where, TarnVec2 origin, bool use_bodies)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = CELLS_X, def.nz = CELLS_Z, def.dx = cell, def.origin = origin;
    def.level = deep, def.has_level = true, def.use_bodies = use_bodies;
    def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_SHALLOW_REFLECTING;
    TarnShallow* water;
    assert_ok(tarn_shallow_create(where, &def, &water));
    return water;
}

static inline TarnPipes* small_pipes(TarnContext* where, TarnVec2 origin)
{
    TarnPipesDef def = tarn_pipes_default_def();
    def.nx = CELLS_X, def.nz = CELLS_Z, def.dx = cell, def.origin = origin;
    def.level = deep, def.has_level = true, def.use_erosion = false, def.soil = 0.0f;
    def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_PIPES_CLOSED;
    TarnPipes* pipes;
    assert_ok(tarn_pipes_create(where, &def, &pipes));
    return pipes;
}

// A surface of a host: y = level + slope_x x + slope_z z + amplitude sin(k x), moving at a velocity.
typedef struct Host {
    float level, slope_x, slope_z, amplitude, k, depth;
    TarnVec3 velocity;
    bool is_bounded;
    TarnVec2 min, max;
    int pushes, pours;
} Host;

static inline void host_query(const void* self, int n, const float* x, const float* z,
                              const TarnSurfaceSamples* out)
{
    const Host* h = self;
    for (int i = 0; i < n; ++i) {
        float sx = h->slope_x + h->amplitude * h->k * cosf(h->k * x[i]);
        float length = sqrtf(1.0f + sx * sx + h->slope_z * h->slope_z);
        if (out->height)
            out->height[i] =
                h->level + h->slope_x * x[i] + h->slope_z * z[i] + h->amplitude * sinf(h->k * x[i]);
        if (out->normal)
            out->normal[i] = (TarnVec3){ -sx / length, 1.0f / length, -h->slope_z / length };
        if (out->velocity) out->velocity[i] = h->velocity;
        if (out->depth) out->depth[i] = h->depth;
    }
}
static inline bool host_area(const void* self, TarnVec2* min, TarnVec2* max)
{
    const Host* h = self;
    if (h->is_bounded) *min = h->min, *max = h->max;
    return h->is_bounded;
}
static inline TarnResult host_push(void* self, const TarnSurfacePush* push, TarnSurfaceTaken* taken)
{
    ++((Host*)self)->pushes;
    taken->volume = (double)push->volume;
    return TARN_OK;
}
static inline TarnResult host_pour(void* self, const TarnSurfacePour* pour, TarnSurfaceTaken* taken)
{
    ++((Host*)self)->pours;
    taken->volume = (double)pour->volume;
    return TARN_OK;
}
static inline TarnSurface host_surface(Host* host)
{
    return (TarnSurface){
        .self = host, .query = host_query, .area = host_area, .push = host_push, .pour = host_pour
    };
}
