// Shallow water over terrain: surface, depth, velocity and the land.

#include "height_field.h"
#include "tarn/shallow.h"

static TarnResult update(TarnDrawing* d)
{
    TarnShallow* shallow = d->solver;
    const TarnShallowDef* def = tarn_shallow_def(shallow);
    HeightField* f = d->memory;
    TARN_TRY(tarn__view_field_reserve(d->ctx, f, def->nx, def->nz, 0));
    tarn_shallow_drawn_surface(shallow, f->height);
    tarn__view_field_copy(f, tarn_shallow_bed(shallow), f->bed);
    tarn__view_field_copy(f, tarn_shallow_depth(shallow), f->depth);
    TarnFrameWater water = { .origin = tarn_shallow_origin(shallow),
                             .dx = def->dx,
                             .rest_level = def->level };
    tarn__view_field_land(d, f, &water);
    water.land.velocity_x = tarn_shallow_velocity_x(shallow);
    water.land.velocity_z = tarn_shallow_velocity_z(shallow);
    water.land.has_sea =
        def->edge_x0 == TARN_SHALLOW_ABSORBING && def->edge_x1 == TARN_SHALLOW_ABSORBING &&
        def->edge_z0 == TARN_SHALLOW_ABSORBING && def->edge_z1 == TARN_SHALLOW_ABSORBING;
    return tarn_drawing_add_water(d, &water);
}

const TarnDrawer tarn__view_draw_shallow = { .size = sizeof(TarnDrawer),
                                             .kind = "shallow",
                                             .memory = sizeof(HeightField),
                                             .update = update,
                                             .destroy = tarn__view_field_destroy };
