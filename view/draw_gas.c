// Gases. One that changes its level gains or loses detail at once: what was drawn last fades out while the new fades in.
// Absorption and glow add up, so the two together are the mean of both. Only gases with levels keep copies.

#include "tarn/gas.h"
#include "tarn/view.h"
#include "base/base.h"
#include <string.h>

static const double fade_time = 0.3; // [s]

typedef struct GasMemory {
    TarnFrameGas last, old;                   // as drawn last; what fades out
    TarnDrawingBlock last_memory, old_memory; // of their fields
    int level;                                // of last
    double since;                             // world time at which it began to fade [s]
    bool has_last, is_fading;
} GasMemory;

static float* copy_field(TarnView3* v, float* to)
{
    if (v->data == NULL) return to;
    for (int k = 0; k < v->nz; ++k) {
        for (int j = 0; j < v->ny; ++j) {
            const float* row = v->data + (ptrdiff_t)v->row * j + (ptrdiff_t)v->slab * k;
            memcpy(to + ((size_t)k * (size_t)v->ny + (size_t)j) * (size_t)v->nx, row,
                   (size_t)v->nx * sizeof *to);
        }
    }
    v->data = to;
    v->row = v->nx;
    v->slab = v->nx * v->ny;
    return to + (size_t)v->nx * (size_t)v->ny * (size_t)v->nz;
}

// Keeps what is drawn now for when the level changes.
static TarnResult keep(TarnContext* ctx, GasMemory* m, const TarnFrameGas* now)
{
    TarnGasView* v = &m->last.view;
    m->last = *now;
    TarnView3* fields[] = { &v->density, &v->temperature, &v->red, &v->green, &v->blue };
    size_t n = 0;
    for (int i = 0; i < 5; ++i) {
        const TarnView3* field = fields[i];
        if (field->data) n += (size_t)field->nx * (size_t)field->ny * (size_t)field->nz;
    }
    m->has_last = false;
    TARN_TRY(tarn_drawing_reserve(ctx, &m->last_memory, n * sizeof(float)));
    float* at = m->last_memory.data;
    for (int i = 0; i < 5; ++i) at = copy_field(fields[i], at);
    v->u = v->v = v->w = v->fuel = v->pressure = (TarnView3){ 0 }; // not drawn, and not copied
    m->has_last = true;
    return TARN_OK;
}

static void begin_fade(GasMemory* m, double time)
{
    TarnDrawingBlock memory = m->old_memory;
    m->old = m->last;
    m->old_memory = m->last_memory;
    m->last_memory = memory;
    m->since = time;
    m->is_fading = true;
}

static TarnResult add_fading(TarnDrawing* d, int level, TarnFrameGas* now)
{
    GasMemory* m = d->memory;
    double time = tarn_world_time(d->world);
    if (m->has_last && level != m->level) begin_fade(m, time);
    m->level = level;
    TARN_TRY(keep(d->ctx, m, now));
    double share = (time - m->since) / fade_time;
    if (!(share >= 0.0 && share < 1.0)) m->is_fading = false;
    if (!m->is_fading) return tarn_drawing_add_gas(d, now);
    float s = (float)(share * share * (3.0 - 2.0 * share));
    TarnFrameGas old = m->old;
    now->opacity *= s, now->glow *= s;
    old.opacity *= 1.0f - s, old.glow *= 1.0f - s;
    TARN_TRY(tarn_drawing_add_gas(d, now));
    return tarn_drawing_add_gas(d, &old);
}

static TarnResult update(TarnDrawing* d)
{
    const TarnGas* gas = d->solver;
    TarnFrameGas now = { .view = tarn_gas_view(gas),
                         .color = d->look->color,
                         .opacity = d->look->opacity,
                         .glow = d->look->glow,
                         .ambient_temperature = tarn_gas_params(gas).ambient_temperature };
    if (tarn_gas_def(gas)->levels > 1) return add_fading(d, tarn_gas_level(gas), &now);
    return tarn_drawing_add_gas(d, &now);
}

static void destroy(TarnDrawing* d)
{
    GasMemory* m = d->memory;
    tarn_drawing_free(d->ctx, &m->last_memory);
    tarn_drawing_free(d->ctx, &m->old_memory);
}

const TarnDrawer tarn__view_draw_gas = { .size = sizeof(TarnDrawer),
                                         .kind = "gas",
                                         .memory = sizeof(GasMemory),
                                         .update = update,
                                         .destroy = destroy };
