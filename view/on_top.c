// Waves that lie on top of a water, as a map for its layer. Waters that are drawn from their Surface have them already.

#include "viewer.h"
#include <math.h>

enum { MOST_CELLS = 1024 }; // along a side of the map

// Calm water everywhere, for the sum of what lies on it.
static void calm(const void* self, int n, const float* x, const float* z,
                 const TarnSurfaceSamples* out)
{
    (void)self, (void)x, (void)z;
    for (int i = 0; i < n; ++i) {
        if (out->height) out->height[i] = 0.0f;
        if (out->normal) out->normal[i] = (TarnVec3){ 0.0f, 1.0f, 0.0f };
        if (out->velocity) out->velocity[i] = (TarnVec3){ 0.0f, 0.0f, 0.0f };
        if (out->depth) out->depth[i] = 1e6f;
    }
}

// What lies on a water: the sum, the rectangle around all, the smallest cells. False: nothing does.
static bool add_up(const TarnViewer* v, const void* base, TarnSurfaceSum* sum, TarnFrameWaves* map,
                   TarnVec2* max)
{
    *sum = (TarnSurfaceSum){ .n = 1, .members[0] = { .query = calm } };
    void* solver;
    for (int i = 0; (solver = tarn_world_get(v->world, NULL, i)) != NULL; ++i) {
        const TarnSolverClass* of = tarn_world_class_of(v->world, solver);
        TarnBasin basin = { 0 };
        if (tarn_world_on(v->world, solver) != base || of->basin == NULL || of->surface == NULL ||
            sum->n == TARN_SURFACE_MAX)
            continue;
        of->basin(solver, &basin);
        if (!(basin.max.x > basin.min.x && basin.max.y > basin.min.y && basin.dx > 0.0f)) continue;
        bool is_first = sum->n == 1;
        sum->level[sum->n] = basin.rest_level;
        sum->members[sum->n++] = of->surface(solver);
        sum->rim = fmaxf(sum->rim, 2.0f * basin.dx);
        map->dx = is_first ? basin.dx : fminf(map->dx, basin.dx);
        map->origin.x = is_first ? basin.min.x : fminf(map->origin.x, basin.min.x);
        map->origin.y = is_first ? basin.min.y : fminf(map->origin.y, basin.min.y);
        max->x = is_first ? basin.max.x : fmaxf(max->x, basin.max.x);
        max->y = is_first ? basin.max.y : fmaxf(max->y, basin.max.y);
    }
    return sum->n > 1;
}

static void fill_row(const TarnFrameWaves* map, TarnSurface surface, int k, float* to)
{
    float x[MOST_CELLS], z[MOST_CELLS], height[MOST_CELLS];
    TarnVec3 normal[MOST_CELLS];
    for (int i = 0; i < map->nx; ++i) {
        x[i] = map->origin.x + ((float)i + 0.5f) * map->dx;
        z[i] = map->origin.y + ((float)k + 0.5f) * map->dx;
    }
    TarnSurfaceSamples out = { .height = height, .normal = normal };
    tarn_surface_query(surface, map->nx, x, z, &out);
    for (int i = 0; i < map->nx; ++i, to += 4) {
        float up = fmaxf(normal[i].y, 0.1f);
        to[0] = height[i];
        to[1] = -normal[i].x / up, to[2] = -normal[i].z / up;
        to[3] = to[1] * to[1] + to[2] * to[2];
    }
}

TarnResult tarn__view_waves_on(TarnViewer* v, SolverView* s, TarnFrameWaves* map)
{
    TarnSurfaceSum sum;
    TarnVec2 max = { 0.0f, 0.0f };
    *map = (TarnFrameWaves){ 0 };
    if (!add_up(v, s->solver, &sum, map, &max)) return TARN_OK;
    float wx = max.x - map->origin.x, wz = max.y - map->origin.y;
    map->dx = fmaxf(map->dx, fmaxf(wx, wz) / (float)MOST_CELLS);
    map->nx = (int)fminf(fmaxf(roundf(wx / map->dx), 2.0f), (float)MOST_CELLS);
    map->nz = (int)fminf(fmaxf(roundf(wz / map->dx), 2.0f), (float)MOST_CELLS);
    TARN_TRY(tarn_drawing_reserve(v->ctx, &s->waves,
                                  (size_t)map->nx * (size_t)map->nz * 4 * sizeof(float)));
    float* texels = s->waves.data;
    for (int k = 0; k < map->nz; ++k)
        fill_row(map, tarn_surface_sum(&sum), k, texels + (size_t)k * (size_t)map->nx * 4);
    map->texels = texels;
    return TARN_OK;
}
