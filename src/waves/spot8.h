// Inside src/waves only: what queries of dispersive waves and of wave particles share, eight points at a time.
#pragma once

#include "grid/query8.h"
#include "tarn/surface.h"

typedef struct Spot { // between four cells
    TarnI8 c;         // the first
    TarnF8 wx, wz;
} Spot;

// fx, fz: in cells from the center of the first, within the grid. Points on the last column or row, which are numbered
// last_x and last_z, belong to the cell before.
TARN_INLINE Spot spot_in(TarnF8 fx, TarnF8 fz, int row, int last_x, int last_z)
{
    TarnI8 i = __builtin_convertvector(fx, TarnI8), k = __builtin_convertvector(fz, TarnI8);
    i = i - (i8_equal(i, i8_set(last_x)) & 1);
    k = k - (i8_equal(k, i8_set(last_z)) & 1);
    return (Spot){ .c = i + k * row,
                   .wx = fx - __builtin_convertvector(i, TarnF8),
                   .wz = fz - __builtin_convertvector(k, TarnF8) };
}

TARN_INLINE TarnF8 blend(const float* field, int row, const Spot* s)
{
    TarnF8 a = gather(field, s->c), b = gather(field, s->c + 1);
    TarnF8 c = gather(field, s->c + row), d = gather(field, s->c + row + 1);
    TarnF8 near = a + s->wx * (b - a), far = c + s->wx * (d - c);
    return near + s->wz * (far - near);
}

// Eight places, or as many as there are, in cells from the center of the first.
TARN_INLINE TarnF8 load_places(const float* at, int lanes, float origin, float per_cell)
{
    float p[8] = { 0 };
    memcpy(p, at, (size_t)lanes * sizeof(float));
    return (f8_load(p) - origin) * per_cell - 0.5f;
}

typedef struct SpotSamples {
    float height[8], slope_x[8], slope_z[8], velocity[3][8]; // what is not asked for is not read
} SpotSamples;

TARN_INLINE void write_samples(const SpotSamples* s, int at, int lanes, float level, float depth,
                               const TarnSurfaceSamples* out)
{
    for (int l = 0; l < lanes; ++l) {
        float deep = depth + s->height[l];
        if (out->height) out->height[at + l] = level + s->height[l];
        if (out->depth) out->depth[at + l] = deep > 0.0f ? deep : 0.0f;
        if (out->normal) {
            float sx = s->slope_x[l], sz = s->slope_z[l];
            float up = 1.0f / __builtin_sqrtf(1.0f + sx * sx + sz * sz);
            out->normal[at + l] = (TarnVec3){ -sx * up, up, -sz * up };
        }
        if (out->velocity)
            out->velocity[at + l] =
                (TarnVec3){ s->velocity[0][l], s->velocity[1][l], s->velocity[2][l] };
    }
}
