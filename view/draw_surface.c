// Any solver that offers a Surface and has no drawer of its own: water sampled from the Surface over its basin.

#include "height_field.h"
#include <math.h>
#include <string.h>

// Samples along the longer side: the cells of the water and of what lies on it, whichever are smaller, or 128.
enum { LONGER_SIDE = 128, MOST_SIDE = 768 };
enum { X, Z, N_EXTRA }; // extra fields

// The rectangle to draw: the basin, else the area of the surface. False: it is everywhere.
static bool area_of(const TarnDrawing* d, TarnSurface surface, TarnBasin* basin)
{
    const TarnSolverClass* of = tarn_world_class_of(d->world, d->solver);
    *basin = (TarnBasin){ .floor = -1e4f };
    if (of->basin != NULL) of->basin(d->solver, basin);
    bool is_empty = !(basin->max.x > basin->min.x && basin->max.y > basin->min.y);
    return !is_empty || tarn_surface_area(surface, &basin->min, &basin->max);
}

// Heights, and the bed below them; mean level of the water.
static float sample(HeightField* f, TarnSurface surface, TarnVec2 origin, float dx)
{
    float *x = f->extra[X], *z = f->extra[Z];
    size_t n = field_cell(f, 0, f->nz);
    for (size_t c = 0; c < n; ++c) {
        x[c] = origin.x + ((float)(c % (size_t)f->nx) + 0.5f) * dx;
        z[c] = origin.y + ((float)(c / (size_t)f->nx) + 0.5f) * dx;
    }
    TarnSurfaceSamples out = { .height = f->height, .depth = f->depth };
    tarn_surface_query(surface, (int)n, x, z, &out);
    double sum = 0.0;
    for (size_t c = 0; c < n; ++c) {
        f->bed[c] = f->height[c] - f->depth[c];
        sum += (double)f->height[c];
    }
    return (float)(sum / (double)n);
}

static bool is_level(const HeightField* f, float slack)
{
    for (size_t c = 1, n = field_cell(f, 0, f->nz); c < n; ++c)
        if (!(fabsf(f->bed[c] - f->bed[0]) <= slack)) return false;
    return true;
}

// The smallest cells of a water and what lies on it [m]; 0: there are none.
static float finest_cell(const TarnDrawing* d)
{
    float finest = 0.0f;
    void* solver;
    for (int i = 0; (solver = tarn_world_get(d->world, NULL, i)) != NULL; ++i) {
        const TarnSolverClass* of = tarn_world_class_of(d->world, solver);
        TarnBasin basin = { 0 };
        bool is_part = solver == d->solver || tarn_world_on(d->world, solver) == d->solver;
        if (!is_part || of->basin == NULL) continue;
        of->basin(solver, &basin);
        if (basin.dx > 0.0f && (finest == 0.0f || basin.dx < finest)) finest = basin.dx;
    }
    return finest;
}

static TarnResult update(TarnDrawing* d)
{
    const TarnSolverClass* of = tarn_world_class_of(d->world, d->solver);
    TarnSurface surface = tarn_world_water_surface(d->world, d->solver);
    HeightField* f = d->memory;
    TarnBasin basin;
    if (surface.query == NULL || !area_of(d, surface, &basin))
        return tarn__fail(d->ctx, TARN_ERR_UNSUPPORTED,
                          "%s (%s) has neither a basin nor an area, so it cannot be drawn from its "
                          "Surface; give TarnViewerDef.drawers a drawer of kind '%s'",
                          tarn_world_name_of(d->world, d->solver), of->name, of->name);
    float wx = basin.max.x - basin.min.x, wz = basin.max.y - basin.min.y;
    float side = fmaxf(wx, wz), dx = finest_cell(d);
    if (!(dx > 0.0f)) dx = side / (float)LONGER_SIDE;
    dx = fmaxf(dx, side / (float)MOST_SIDE);
    int nx = (int)fmaxf(lroundf(wx / dx), 2.0f), nz = (int)fmaxf(lroundf(wz / dx), 2.0f);
    TARN_TRY(tarn__view_field_reserve(d->ctx, f, nx, nz, N_EXTRA));
    float level = sample(f, surface, basin.min, dx);
    TarnFrameWater water = { .height = field_view(f, f->height),
                             .origin = basin.min,
                             .dx = dx,
                             .rest_level = level,
                             .bed_level = f->bed[0],
                             .wall_top = level + d->look->wall_height,
                             .is_block = d->look->is_vessel };
    if (!is_level(f, 1e-3f * dx)) water.bed = field_view(f, f->bed);
    memcpy(water.has_rim, basin.is_closed, sizeof water.has_rim);
    tarn__view_field_look(d, &water);
    return tarn_drawing_add_water(d, &water);
}

const TarnDrawer tarn__view_draw_surface = { .size = sizeof(TarnDrawer),
                                             .kind = "",
                                             .memory = sizeof(HeightField),
                                             .update = update,
                                             .destroy = tarn__view_field_destroy };
