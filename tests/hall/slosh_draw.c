// How the sloshing plane is drawn: as a basin with a level floor. Without this file it is drawn from its Surface; here a few
// cells are enough, since the surface is a plane, and its water is as muddy as in a trough.

#include "slosh_draw.h"
#include "slosh.h"

enum { CELLS = 16 }; // along x; square cells, so z may have more or fewer

static TarnResult update(TarnDrawing* d)
{
    const TarnSloshDef* def = tarn_slosh_def(d->solver);
    TarnDrawingBlock* heights = d->memory;
    float dx = def->size.x / CELLS, level = def->floor + tarn_slosh_depth(d->solver);
    int nz = (int)(def->size.y / dx + 0.5f) > 1 ? (int)(def->size.y / dx + 0.5f) : 2;
    TarnResult result =
        tarn_drawing_reserve(d->ctx, heights, (size_t)CELLS * (size_t)nz * sizeof(float));
    if (result != TARN_OK) return result;
    TarnVec2 slope = tarn_slosh_slope(d->solver);
    float* y = heights->data;
    for (int k = 0; k < nz; ++k)
        for (int i = 0; i < CELLS; ++i)
            y[i + CELLS * k] = level + slope.x * (((float)i + 0.5f) * dx - 0.5f * def->size.x) +
                               slope.y * (((float)k + 0.5f) * dx - 0.5f * def->size.y);
    TarnFrameWater water = { .height = { y, CELLS, nz, CELLS },
                             .origin = def->origin,
                             .dx = dx,
                             .rest_level = level,
                             .bed_level = def->floor,
                             .wall_top = level + d->look->wall_height,
                             .has_rim = { true, true, true, true },
                             .water_color = { 0.05f, 0.04f, 0.02f },
                             .clarity = 0.3f };
    return tarn_drawing_add_water(d, &water);
}

static void destroy(TarnDrawing* d)
{
    tarn_drawing_free(d->ctx, d->memory);
}

const TarnDrawer slosh_drawer = { .size = sizeof(TarnDrawer),
                                  .kind = "slosh",
                                  .memory = sizeof(TarnDrawingBlock),
                                  .update = update,
                                  .destroy = destroy };
