// Virtual pipes: rain, rivers and mud over ground that erodes.

#include "height_field.h"
#include "tarn/pipes.h"

enum {
    FLOW_X,
    FLOW_Z,
    MUD,
    FLOW,
    N_EXTRA = FLOW + 2
}; // extra fields; FLOW has two floats per cell

// Rain wets every slope. A film that is thin against the cells is not seen as water.
static void hide_film(HeightField* f, float film)
{
    for (size_t c = 0, n = field_cell(f, 0, f->nz); c < n; ++c) {
        float depth = f->depth[c] - film;
        f->depth[c] = depth > 0.0f ? depth : 0.0f;
    }
}

// Pipes have no drawn surface of their own: on land it lies just under the ground, near water as high
// as the water beside it at most.
static void draw_surface(HeightField* f, float dx)
{
    for (int k = 0; k < f->nz; ++k) {
        for (int i = 0; i < f->nx; ++i) {
            size_t c = field_cell(f, i, k);
            float ground = f->bed[c], lowest = ground - 0.1f * dx;
            for (int n = 0; n < 4; ++n) {
                int j = i + (n == 0) - (n == 1), l = k + (n == 2) - (n == 3);
                if (j < 0 || j >= f->nx || l < 0 || l >= f->nz) continue;
                size_t e = field_cell(f, j, l);
                float surface = f->bed[e] + f->depth[e];
                if (f->depth[e] > 0.0f && surface < ground && surface > lowest) lowest = surface;
            }
            float depth = f->depth[c];
            f->height[c] = depth > 0.0f ? ground + depth : lowest;
        }
    }
}

// How muddy the water is, from what it carries: a tenth of its volume is mud.
static void mix_mud(HeightField* f, TarnView2 sediment)
{
    for (int k = 0; k < f->nz; ++k) {
        for (int i = 0; i < f->nx; ++i) {
            size_t c = field_cell(f, i, k);
            float share = 10.0f * view_at(sediment, i, k) / (f->depth[c] + 0.01f);
            f->extra[MUD][c] = share < 1.0f ? share : 1.0f;
        }
    }
}

static void split_velocity(HeightField* f, const TarnPipes* pipes)
{
    TarnVec2* flow = (TarnVec2*)f->extra[FLOW];
    if (tarn_pipes_velocity(pipes, flow) != TARN_OK) return;
    for (size_t c = 0, n = field_cell(f, 0, f->nz); c < n; ++c) {
        f->extra[FLOW_X][c] = flow[c].x;
        f->extra[FLOW_Z][c] = flow[c].y;
    }
}

static TarnResult update(TarnDrawing* d)
{
    TarnPipes* pipes = d->solver;
    const TarnPipesDef* def = tarn_pipes_def(pipes);
    HeightField* f = d->memory;
    TARN_TRY(tarn__view_field_reserve(d->ctx, f, def->nx, def->nz, N_EXTRA));
    tarn__view_field_copy(f, tarn_pipes_ground(pipes), f->bed);
    tarn__view_field_copy(f, tarn_pipes_depth(pipes), f->depth);
    split_velocity(f, pipes);
    TarnView2 sediment = tarn_pipes_sediment(pipes);
    if (sediment.data) mix_mud(f, sediment);
    hide_film(f, 0.02f * def->dx);
    draw_surface(f, def->dx);
    TarnFrameWater water = { .origin = tarn_pipes_origin(pipes),
                             .dx = def->dx,
                             .rest_level = def->level };
    tarn__view_field_land(d, f, &water);
    water.land.velocity_x = field_view(f, f->extra[FLOW_X]);
    water.land.velocity_z = field_view(f, f->extra[FLOW_Z]);
    if (sediment.data) {
        water.land.sediment = field_view(f, f->extra[MUD]);
        water.land.soil = tarn_pipes_soil(pipes);
    }
    return tarn_drawing_add_water(d, &water);
}

const TarnDrawer tarn__view_draw_pipes = { .size = sizeof(TarnDrawer),
                                           .kind = "pipes",
                                           .memory = sizeof(HeightField),
                                           .update = update,
                                           .destroy = tarn__view_field_destroy };
