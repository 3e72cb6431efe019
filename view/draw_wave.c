// Waves: a basin, or open water, with walls and a floor that may rise out of it.

#include "height_field.h"
#include "tarn/wave.h"

static bool is_closed(int edge)
{
    return edge == TARN_EDGE_REFLECTING || edge == TARN_EDGE_FIXED;
}

static void copy_heights(const TarnWave* wave, float* out)
{
    TarnView2 u = tarn_wave_height(wave);
    float level = tarn_wave_level(wave);
    for (int k = 0; k < u.nz; ++k)
        for (int i = 0; i < u.nx; ++i) *out++ = level + u.data[i + (size_t)u.stride * (size_t)k];
}

// Land is drawn as the bed that rises out of the water; only what stands in deep water is a wall: it has depth 0
// and stands on the floor.
static void copy_ground(HeightField* f, const TarnWave* wave, TarnFrameWater* water)
{
    const TarnWaveDef* def = tarn_wave_def(wave);
    bool is_flat = true, has_walls = false;
    size_t c = 0;
    for (int k = 0; k < def->nz; ++k) {
        for (int i = 0; i < def->nx; ++i, ++c) {
            float depth = tarn_wave_bed_depth(wave, i, k);
            bool is_wall = depth == 0.0f;
            if (is_wall) depth = def->depth;
            f->is_wall[c] = is_wall;
            f->bed[c] = def->level - depth;
            is_flat = is_flat && depth == def->depth;
            has_walls = has_walls || is_wall;
        }
    }
    if (!is_flat) water->bed = field_view(f, f->bed);
    water->bed_level = def->level - def->depth;
    water->is_wall = has_walls ? f->is_wall : NULL;
}

static TarnResult update(TarnDrawing* d)
{
    const TarnWave* wave = d->solver;
    const TarnWaveDef* def = tarn_wave_def(wave);
    HeightField* f = d->memory;
    TARN_TRY(tarn__view_field_reserve(d->ctx, f, def->nx, def->nz, 0));
    copy_heights(wave, f->height);
    TarnFrameWater water = { .height = field_view(f, f->height),
                             .origin = tarn_wave_origin(wave),
                             .dx = def->dx,
                             .rest_level = def->level,
                             .wall_top = def->level + d->look->wall_height,
                             .is_block = d->look->is_vessel };
    tarn__view_field_look(d, &water);
    const int edges[4] = { def->edge_x0, def->edge_x1, def->edge_z0, def->edge_z1 };
    for (int e = 0; e < 4; ++e) water.has_rim[e] = is_closed(edges[e]);
    copy_ground(f, wave, &water);
    return tarn_drawing_add_water(d, &water);
}

const TarnDrawer tarn__view_draw_wave = { .size = sizeof(TarnDrawer),
                                          .kind = "wave",
                                          .memory = sizeof(HeightField),
                                          .update = update,
                                          .destroy = tarn__view_field_destroy };
