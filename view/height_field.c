// Fields of height-field waters, and land with buildings on it.

#include "height_field.h"
#include <string.h>

TarnResult tarn__view_field_reserve(TarnContext* ctx, HeightField* f, int nx, int nz, int n_extra)
{
    size_t n = (size_t)nx * (size_t)nz;
    TARN_TRY(tarn_drawing_reserve(ctx, &f->floats, (size_t)(3 + n_extra) * n * sizeof(float)));
    TARN_TRY(tarn_drawing_reserve(ctx, &f->walls, n));
    float* at = f->floats.data;
    f->nx = nx, f->nz = nz;
    f->height = at, f->bed = at + n, f->depth = at + 2 * n;
    for (int i = 0; i < n_extra; ++i) f->extra[i] = at + (size_t)(3 + i) * n;
    f->is_wall = f->walls.data;
    return TARN_OK;
}

void tarn__view_field_destroy(TarnDrawing* d)
{
    HeightField* f = d->memory;
    tarn_drawing_free(d->ctx, &f->floats);
    tarn_drawing_free(d->ctx, &f->walls);
}

void tarn__view_field_copy(const HeightField* f, TarnView2 from, float* to)
{
    for (int k = 0; k < f->nz; ++k)
        memcpy(to + field_cell(f, 0, k), from.data + (size_t)from.stride * (size_t)k,
               (size_t)f->nx * sizeof *to);
}

void tarn__view_field_look(const TarnDrawing* d, TarnFrameWater* water)
{
    water->water_color = d->look->color;
    water->clarity = d->look->clarity;
}

// ---- Buildings -----------------------------------------------------------------------------------

// Which cells are built on. Buildings do not move, but the window may.
static void find_buildings(const TarnScene* scene, HeightField* f, const TarnFrameWater* water)
{
    bool is_here =
        f->is_built && f->built_origin.x == water->origin.x && f->built_origin.y == water->origin.y;
    if (is_here || scene == NULL || tarn_scene_block_count(scene) == 0) return;
    for (int k = 0; k < f->nz; ++k) {
        for (int i = 0; i < f->nx; ++i) {
            float x = water->origin.x + ((float)i + 0.5f) * water->dx;
            float z = water->origin.y + ((float)k + 0.5f) * water->dx;
            f->is_wall[field_cell(f, i, k)] = tarn_scene_is_built(scene, x, z, NULL);
        }
    }
    f->built_origin = water->origin;
    f->is_built = true;
}

// Mean surface of the wet cells around a built one, so that water reaches the wall; false: none is.
static bool surface_around(const HeightField* f, int i, int k, float* out)
{
    float sum = 0.0f;
    int n = 0;
    for (int dk = -1; dk <= 1; ++dk) {
        for (int di = -1; di <= 1; ++di) {
            if (i + di < 0 || i + di >= f->nx || k + dk < 0 || k + dk >= f->nz) continue;
            size_t c = field_cell(f, i + di, k + dk);
            if (f->is_wall[c] || !(f->depth[c] > 0.0f)) continue;
            sum += f->height[c];
            ++n;
        }
    }
    *out = n > 0 ? sum / (float)n : 0.0f;
    return n > 0;
}

// Inside a building the ground goes on as if it were not there, and so does the water at its walls.
static void clear_buildings(const TarnScene* scene, HeightField* f, const TarnFrameWater* water)
{
    for (int k = 0; k < f->nz; ++k) {
        for (int i = 0; i < f->nx; ++i) {
            size_t c = field_cell(f, i, k);
            if (!f->is_wall[c] || f->depth[c] > 0.0f) continue; // or a gate under water
            float x = water->origin.x + ((float)i + 0.5f) * water->dx;
            float z = water->origin.y + ((float)k + 0.5f) * water->dx, surface;
            tarn_scene_is_built(scene, x, z, &f->bed[c]);
            bool is_wet = surface_around(f, i, k, &surface) && surface > f->bed[c];
            f->height[c] = is_wet ? surface : f->bed[c] - 0.25f * water->dx;
        }
    }
    for (size_t c = 0, n = field_cell(f, 0, f->nz); c < n; ++c) {
        bool is_dry = f->is_wall[c] && !(f->depth[c] > 0.0f);
        float depth = f->height[c] - f->bed[c];
        if (is_dry && depth > 0.0f) f->depth[c] = depth;
    }
}

void tarn__view_field_land(TarnDrawing* d, HeightField* f, TarnFrameWater* water)
{
    find_buildings(d->scene, f, water);
    if (f->is_built) clear_buildings(d->scene, f, water);
    water->height = field_view(f, f->height);
    water->land.ground = field_view(f, f->bed);
    water->land.depth = field_view(f, f->depth);
    water->land.has_beach = d->look->has_beach;
    water->land.sand = d->look->sand;
    tarn__view_field_look(d, water);
}
