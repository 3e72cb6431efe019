// A state that is kept: copies of all layers with everything they point to, so that the world may step on. Meshes of
// liquids are left out: they are made anew from what is shown.

#include "viewer.h"
#include <string.h>

enum {
    SMALL_MESH = 64
}; // points of a thing whose shape is copied; larger ones belong to solids that rarely vanish

// ---- Copies of arrays: counted first, then made ------------------------------------------------------

static void* copy(Arena* a, const void* from, size_t bytes)
{
    if (from == NULL || bytes == 0) return NULL;
    void* to = tarn__view_arena_take(a, bytes);
    if (to != NULL) memcpy(to, from, bytes);
    return to;
}

static TarnView2 copy_view2(Arena* a, TarnView2 v)
{
    if (v.data == NULL) return v;
    size_t row = (size_t)v.nx * sizeof *v.data;
    float* to = tarn__view_arena_take(a, row * (size_t)v.nz);
    for (int k = 0; to != NULL && k < v.nz; ++k)
        memcpy(to + (size_t)k * (size_t)v.nx, v.data + (ptrdiff_t)v.stride * k, row);
    return (TarnView2){ to, v.nx, v.nz, v.nx };
}

static TarnView3 copy_view3(Arena* a, TarnView3 v)
{
    if (v.data == NULL) return v;
    size_t row = (size_t)v.nx * sizeof *v.data;
    float* to = tarn__view_arena_take(a, row * (size_t)v.ny * (size_t)v.nz);
    for (int k = 0; to != NULL && k < v.nz; ++k)
        for (int j = 0; j < v.ny; ++j)
            memcpy(to + ((size_t)k * (size_t)v.ny + (size_t)j) * (size_t)v.nx,
                   v.data + (ptrdiff_t)v.row * j + (ptrdiff_t)v.slab * k, row);
    TarnView3 out = v;
    out.data = to, out.row = v.nx, out.slab = v.nx * v.ny;
    return out;
}

// ---- Layers ----------------------------------------------------------------------------------------

static void keep_water(Arena* a, TarnFrameWater* w)
{
    TarnFrameLand* l = &w->land;
    size_t cells = (size_t)w->height.nx * (size_t)w->height.nz;
    TarnView2* views[] = { &w->height,     &w->bed,        &w->foam, &l->ground,   &l->depth,
                           &l->velocity_x, &l->velocity_z, &l->foam, &l->sediment, &l->soil };
    for (size_t i = 0; i < sizeof views / sizeof *views; ++i) *views[i] = copy_view2(a, *views[i]);
    w->is_wall = copy(a, w->is_wall, cells);
}

static const float* keep_floats(Arena* a, const float* from, int n)
{
    return copy(a, from, (size_t)n * sizeof *from);
}

static void keep_sparks(Arena* a, TarnParticlesView* v)
{
    const float** floats[] = { &v->x,  &v->y,   &v->z,        &v->vx,    &v->vy,
                               &v->vz, &v->age, &v->lifetime, &v->radius };
    for (size_t i = 0; i < sizeof floats / sizeof *floats; ++i)
        *floats[i] = keep_floats(a, *floats[i], v->n);
    v->id = copy(a, v->id, (size_t)v->n * sizeof *v->id);
    v->kind = copy(a, v->kind, (size_t)v->n);
}

static void keep_liquid(Arena* a, TarnFrameLiquid* l)
{
    TarnLiquidView* v = &l->view;
    const float** floats[] = { &v->x,       &v->y,       &v->z,       &v->vx,       &v->vy,
                               &v->vz,      &v->size,    &v->density, &v->pressure, &v->temperature,
                               &v->along_x, &v->along_y, &v->along_z, &v->stretch };
    for (size_t i = 0; i < sizeof floats / sizeof *floats; ++i)
        *floats[i] = keep_floats(a, *floats[i], v->n);
    size_t n = (size_t)v->n;
    v->id = copy(a, v->id, n * sizeof *v->id);
    v->user = copy(a, v->user, n * sizeof *v->user);
    v->kind = copy(a, v->kind, n);
    v->group = copy(a, v->group, n);
    v->flags = copy(a, v->flags, n);
    keep_sparks(a, &l->splashes);
    l->mesh = NULL;
}

// Velocities, fuel and pressure are not drawn.
static void keep_gas(Arena* a, TarnFrameGas* g)
{
    TarnGasView* v = &g->view;
    TarnView3* drawn[] = { &v->density, &v->temperature, &v->red, &v->green, &v->blue };
    for (size_t i = 0; i < sizeof drawn / sizeof *drawn; ++i) *drawn[i] = copy_view3(a, *drawn[i]);
    v->u = v->v = v->w = v->fuel = v->pressure = (TarnView3){ 0 };
}

static void keep_thing(Arena* a, TarnFrameBody* b)
{
    TarnShape* s = &b->shape;
    if (s->kind != TARN_SHAPE_MESH || s->n_points > SMALL_MESH) return;
    s->points = copy(a, s->points, (size_t)s->n_points * sizeof *s->points);
    s->triangles = copy(a, s->triangles, 3 * (size_t)s->n_triangles * sizeof *s->triangles);
}

// Copies what the layers point to; with an arena that only counts, *l stays as it is.
static void keep_all(Arena* a, Layers* l)
{
    bool is_real = a->base != NULL;
#define KEEP(list, Type, keep)                                                                     \
    for (int i = 0; i < l->list.n; ++i) {                                                          \
        Type layer = *LAYER(Type, &l->list, i);                                                    \
        keep(a, &layer);                                                                           \
        if (is_real) *LAYER(Type, &l->list, i) = layer;                                            \
    }
    KEEP(waters, TarnFrameWater, keep_water)
    KEEP(liquids, TarnFrameLiquid, keep_liquid)
    KEEP(gases, TarnFrameGas, keep_gas)
    KEEP(bodies, TarnFrameBody, keep_thing)
    KEEP(solids, TarnFrameBody, keep_thing)
#undef KEEP
    for (int i = 0; i < l->particles.n; ++i) {
        TarnFrameParticles layer = *LAYER(TarnFrameParticles, &l->particles, i);
        keep_sparks(a, &layer.view);
        if (is_real) *LAYER(TarnFrameParticles, &l->particles, i) = layer;
    }
}

static TarnResult copy_list(TarnContext* ctx, const LayerList* from, size_t size, LayerList* to)
{
    size_t n = (size_t)from->n;
    to->n = 0;
    TARN_TRY(tarn_drawing_reserve(ctx, &to->items, n * size));
    TARN_TRY(tarn_drawing_reserve(ctx, &to->owners, n * sizeof(uint64_t)));
    if (n > 0) {
        memcpy(to->items.data, from->items.data, n * size);
        memcpy(to->owners.data, from->owners.data, n * sizeof(uint64_t));
    }
    to->n = from->n;
    return TARN_OK;
}

TarnResult tarn__view_keep_layers(TarnContext* ctx, const Layers* now, Kept* kept)
{
    Layers* l = &kept->layers;
    kept->is_there = false;
    TARN_TRY(copy_list(ctx, &now->waters, sizeof(TarnFrameWater), &l->waters));
    TARN_TRY(copy_list(ctx, &now->liquids, sizeof(TarnFrameLiquid), &l->liquids));
    TARN_TRY(copy_list(ctx, &now->particles, sizeof(TarnFrameParticles), &l->particles));
    TARN_TRY(copy_list(ctx, &now->gases, sizeof(TarnFrameGas), &l->gases));
    TARN_TRY(copy_list(ctx, &now->bodies, sizeof(TarnFrameBody), &l->bodies));
    TARN_TRY(copy_list(ctx, &now->solids, sizeof(TarnFrameBody), &l->solids));
    Arena count = { 0 };
    keep_all(&count, l);
    TARN_TRY(tarn_drawing_reserve(ctx, &kept->memory, count.used + 64));
    Arena arena = { kept->memory.data, 0 };
    keep_all(&arena, l);
    kept->is_there = true;
    return TARN_OK;
}
