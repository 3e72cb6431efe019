// What the tests of reading the shallow solver share: ground, depths and solvers made of them.
#pragma once

#include "test_common.h"
#include "tarn/shallow.h"
#include "shallow/shallow_internal.h"

enum { MOST = 256 * 256 };
static float ground[MOST], depth[MOST], drawn[MOST];

static inline TarnShallowDef shore_def(int nx, int nz)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = nx, def.nz = nz, def.dx = 0.5f;
    def.origin = (TarnVec2){ -3.0f, 7.0f };
    return def;
}

static inline float cell_x(const TarnShallowDef* def, int i)
{
    return def->origin.x + ((float)i + 0.5f) * def->dx;
}
static inline float cell_z(const TarnShallowDef* def, int k)
{
    return def->origin.y + ((float)k + 0.5f) * def->dx;
}

// With the ground and the depths as they stand in the arrays.
static inline TarnShallow* make_shallow(TarnContext* where, TarnShallowDef def)
{
    TarnShallow* water;
    def.bed = ground, def.depth = depth;
    TarnResult result = tarn_shallow_create(where, &def, &water);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(where));
    assert_int_equal(result, TARN_OK);
    return water;
}

static inline void fill_to(const TarnShallowDef* def, float level)
{
    for (int c = 0; c < def->nx * def->nz; ++c) depth[c] = fmaxf(level - ground[c], 0.0f);
}

// Depths of all sizes over rough ground; most of it dry, thin or deep. Returns how far heights go
// apart [m].
static inline float rough_water(const TarnShallowDef* def, int seed)
{
    random_at = (uint64_t)seed * 100000;
    float share = uniform(0.0f, 1.0f), steep = scale(1e-3f, 100.0f), deepest = scale(1e-3f, 90.0f);
    for (int c = 0; c < def->nx * def->nz; ++c) {
        ground[c] = uniform(-steep, steep);
        depth[c] = uniform(0.0f, 1.0f) < share ? 0.0f : scale(1e-6f, deepest);
    }
    return 2.0f * steep + deepest;
}
