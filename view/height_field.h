// What the drawers of height fields share: fields that no solver holds in that form, and land with buildings on it.
#pragma once

#include "base/base.h"
#include "tarn/view.h"

enum { MAX_EXTRA = 5 };

// The memory of such a drawer. nx * nz values each, x fastest.
typedef struct HeightField {
    TarnDrawingBlock floats, walls;
    int nx, nz;
    float* height;           // y of the surface
    float* bed;              // y of the floor of a basin, or of the ground that is drawn
    float* depth;            // of water over land
    float* extra[MAX_EXTRA]; // what else a drawer asks for
    uint8_t* is_wall;        // of a basin: a wall; over land: a building
    TarnVec2 built_origin;   // for which buildings were looked up [m]
    bool is_built;           // were they?
} HeightField;

// Makes room for a grid, with so many extra fields. TARN_ERR_MEMORY.
TarnResult tarn__view_field_reserve(TarnContext* ctx, HeightField* f, int nx, int nz, int n_extra);
void tarn__view_field_destroy(TarnDrawing* drawing); // as TarnDrawer.destroy
void tarn__view_field_copy(const HeightField* f, TarnView2 from, float* to);
// Sets the color of a water that has a look of its own.
void tarn__view_field_look(const TarnDrawing* d, TarnFrameWater* water);
// Completes a water over land from height, bed and depth of the field: buildings stand in the solver as raised
// ground, but are drawn as solid things, on the ground that lies under them.
void tarn__view_field_land(TarnDrawing* d, HeightField* f, TarnFrameWater* water);

static inline TarnView2 field_view(const HeightField* f, const float* data)
{
    return (TarnView2){ data, f->nx, f->nz, f->nx };
}
static inline size_t field_cell(const HeightField* f, int i, int k)
{
    return (size_t)k * (size_t)f->nx + (size_t)i;
}
static inline float view_at(TarnView2 view, int i, int k)
{
    return view.data[(size_t)i + (size_t)view.stride * (size_t)k];
}
