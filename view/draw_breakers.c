// Breaking waves: their sheets as a mesh, part of the water that they lie on.

#include "viewer.h"
#include "tarn/breakers.h"
#include <math.h>

typedef struct Sheets {
    TarnMesh mesh;
    Block positions, normals, velocities, attributes, indices;
} Sheets;

static TarnResult grow(TarnContext* ctx, Sheets* s)
{
    TarnMesh* m = &s->mesh;
    int v = m->n_vertices + m->n_vertices / 4 + 1024,
        t = m->n_triangles + m->n_triangles / 4 + 2048;
    m->max_vertices = m->max_triangles = 0;
    m->n_attributes = TARN_BREAKERS_ATTRIBUTES;
    TARN_TRY(tarn_drawing_reserve(ctx, &s->positions, (size_t)v * sizeof *m->position));
    TARN_TRY(tarn_drawing_reserve(ctx, &s->normals, (size_t)v * sizeof *m->normal));
    TARN_TRY(tarn_drawing_reserve(ctx, &s->velocities, (size_t)v * sizeof *m->velocity));
    TARN_TRY(tarn_drawing_reserve(ctx, &s->attributes,
                                  (size_t)(v * m->n_attributes) * sizeof *m->attribute));
    TARN_TRY(tarn_drawing_reserve(ctx, &s->indices, 3 * (size_t)t * sizeof *m->index));
    m->position = s->positions.data, m->normal = s->normals.data;
    m->velocity = s->velocities.data, m->attribute = s->attributes.data;
    m->index = s->indices.data;
    m->max_vertices = v, m->max_triangles = t;
    return TARN_OK;
}

static TarnResult update(TarnDrawing* d)
{
    Sheets* s = d->memory;
    if (s->mesh.index == NULL) TARN_TRY(grow(d->ctx, s));
    TarnResult result = tarn_breakers_mesh(d->solver, &s->mesh);
    if (result == TARN_ERR_CAPACITY) {
        TARN_TRY(grow(d->ctx, s));
        result = tarn_breakers_mesh(d->solver, &s->mesh);
    }
    return result;
}

// Water in the air by itself, where the water below is no land: a liquid of the same color.
static TarnResult add_liquid(TarnDrawing* d, const TarnMesh* mesh)
{
    const TarnBreakersDef* def = tarn_breakers_def(d->solver);
    TarnFrameLiquid l = { .dimensions = 3,
                          .spacing = def->dx,
                          .mode = TARN_FRAME_SURFACE,
                          .walls = TARN_LIQUID_OPEN,
                          .mesh = mesh };
    for (int i = 0; i < mesh->n_vertices; ++i) {
        TarnVec3 p = mesh->position[i];
        bool is_first = i == 0;
        l.box_min.x = is_first ? p.x : fminf(l.box_min.x, p.x);
        l.box_min.y = is_first ? p.y : fminf(l.box_min.y, p.y);
        l.box_min.z = is_first ? p.z : fminf(l.box_min.z, p.z);
        l.box_max.x = is_first ? p.x : fmaxf(l.box_max.x, p.x);
        l.box_max.y = is_first ? p.y : fmaxf(l.box_max.y, p.y);
        l.box_max.z = is_first ? p.z : fmaxf(l.box_max.z, p.z);
    }
    l.color[0] = d->look->color;
    return mesh->n_triangles > 0 ? tarn_drawing_add_liquid(d, &l) : TARN_OK;
}

// Between two steps every vertex moves by its velocity.
static TarnResult finish(TarnDrawing* d)
{
    Sheets* s = d->memory;
    const void* base = tarn_world_on(d->world, d->solver);
    LayerList* waters = &d->viewer->target->waters;
    float ahead = (float)(d->frame->time - tarn_world_time(d->world));
    for (int i = 0; i < s->mesh.n_vertices && ahead != 0.0f; ++i) {
        TarnVec3 *p = &s->mesh.position[i], v = s->mesh.velocity[i];
        *p = (TarnVec3){ p->x + v.x * ahead, p->y + v.y * ahead, p->z + v.z * ahead };
    }
    for (int n = 0; base && n < waters->n; ++n) {
        TarnFrameWater* w = LAYER(TarnFrameWater, waters, n);
        if (layer_owner(waters, n) != (uint64_t)tarn_world_number(d->world, base)) continue;
        if (w->land.ground.data == NULL) break;
        w->sheets = &s->mesh;
        return TARN_OK;
    }
    return add_liquid(d, &s->mesh);
}

static void destroy(TarnDrawing* d)
{
    Sheets* s = d->memory;
    Block* blocks[] = { &s->positions, &s->normals, &s->velocities, &s->attributes, &s->indices };
    for (int i = 0; i < 5; ++i) tarn_drawing_free(d->ctx, blocks[i]);
}

const TarnDrawer tarn__view_draw_breakers = { .size = sizeof(TarnDrawer),
                                              .kind = "breakers",
                                              .memory = sizeof(Sheets),
                                              .update = update,
                                              .finish = finish,
                                              .destroy = destroy };
