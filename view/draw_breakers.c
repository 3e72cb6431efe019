// Breaking waves: their sheets as a mesh, part of the water that they lie on.

#include "viewer.h"
#include "tarn/breakers.h"

typedef struct Sheets {
    TarnMesh mesh;
    Block positions, normals, velocities, attributes, indices;
} Sheets;

static TarnResult grow(TarnContext* ctx, Sheets* s)
{
    TarnMesh* m = &s->mesh;
    int v = m->n_vertices + m->n_vertices / 4 + 1024, t = m->n_triangles + m->n_triangles / 4 + 2048;
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
                                              .destroy = destroy };
