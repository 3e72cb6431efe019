// The open sea: the fields of its cascades, as they are.

#include "viewer.h"
#include "tarn/ocean.h"
#include <math.h>

static TarnResult update(TarnDrawing* d)
{
    const TarnOcean* ocean = d->solver;
    const TarnOceanDef* def = tarn_ocean_def(ocean);
    TarnOceanState state = tarn_ocean_state(ocean);
    TarnFrameSea sea = { .n = def->cascades,
                         .level = def->level,
                         .wind = { state.wind * cosf(def->direction),
                                   state.wind * sinf(def->direction) },
                         .significant_height = state.significant_height,
                         .color = d->look->color };
    for (int i = 0; i < sea.n; ++i) TARN_TRY(tarn_ocean_cascade(ocean, i, &sea.cascades[i]));
    bool is_set = sea.color.x + sea.color.y + sea.color.z > 0.0f;
    if (!is_set) sea.color = (TarnVec3){ 0.004f, 0.022f, 0.040f };
    return tarn_drawing_add_sea(d, &sea);
}

const TarnDrawer tarn__view_draw_ocean = { .size = sizeof(TarnDrawer),
                                           .kind = "ocean",
                                           .update = update };
