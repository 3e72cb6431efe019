// The bodies, solids and meshes of a frame, ready to be drawn.

#include "renderer.h"
#include <string.h>

static TarnResult reserve_bodies(TarnRenderer* r, int n)
{
    if (n <= r->body_capacity) return TARN_OK;
    int capacity = maxi(n, 2 * r->body_capacity);
    Mesh* meshes = tarn__alloc(r->ctx, (size_t)capacity * sizeof *meshes);
    BodyDraw* draws = tarn__alloc(r->ctx, (size_t)capacity * sizeof *draws);
    if (!meshes || !draws) {
        tarn__free(r->ctx, meshes, (size_t)capacity * sizeof *meshes);
        tarn__free(r->ctx, draws, (size_t)capacity * sizeof *draws);
        return tarn__fail(r->ctx, TARN_ERR_MEMORY, "renderer: no memory for %d bodies", n);
    }
    memset(meshes, 0, (size_t)capacity * sizeof *meshes);
    if (r->n_body_meshes) memcpy(meshes, r->body_meshes, (size_t)r->n_body_meshes * sizeof *meshes);
    tarn__free(r->ctx, r->body_meshes, (size_t)r->body_capacity * sizeof *meshes);
    tarn__free(r->ctx, r->body_draws, (size_t)r->body_capacity * sizeof *draws);
    r->body_meshes = meshes;
    r->body_draws = draws;
    r->body_capacity = capacity;
    return TARN_OK;
}

static TarnResult upload_body_mesh(TarnRenderer* r, const TarnFrameBody* b, Mesh* mesh)
{
    MeshData data = { .ctx = r->ctx };
    for (int v = 0; v < b->shape.n_points; ++v)
        tarn__mesh_vertex(&data, b->shape.points[v], vec3_unit(b->shape.points[v]));
    for (int t = 0; t < b->shape.n_triangles; ++t)
        tarn__mesh_triangle(&data, b->shape.triangles[3 * t], b->shape.triangles[3 * t + 1],
                            b->shape.triangles[3 * t + 2]);
    TarnResult result = tarn__mesh_upload(&data, mesh);
    tarn__mesh_free(&data);
    return result;
}

// The water over whose plan it is; outside of all what it all stands on.
static void find_water(const TarnRenderer* r, const TarnFrame* frame, BodyDraw* d)
{
    d->water = r->ground_water;
    float x = d->middle.x, z = d->middle.z;
    for (int i = 0; i < frame->n_waters; ++i) {
        const TarnFrameWater* w = &frame->waters[i];
        const TarnView2* grid = w->land.ground.data ? &w->land.ground : &w->height;
        float u = (x - w->origin.x) / (w->dx * (float)grid->nx);
        float v = (z - w->origin.y) / (w->dx * (float)grid->nz);
        bool is_low = !w->is_block || d->low < w->rest_level;
        if (u > 0.0f && u < 1.0f && v > 0.0f && v < 1.0f && is_low) d->water = i;
    }
}

TarnResult tarn__frame_bodies(TarnRenderer* r, const TarnFrame* frame)
{
    TARN_TRY(reserve_bodies(r, frame->n_bodies + frame->n_solids + frame->n_meshes));
    int n_meshes = 0;
    r->n_body_draws = 0;
    for (int i = 0; i < frame->n_bodies + frame->n_solids; ++i) {
        bool is_body = i < frame->n_bodies;
        const TarnFrameBody* b = is_body ? &frame->bodies[i] : &frame->solids[i - frame->n_bodies];
        BodyDraw d = { .model = mat4_pose(b->position, b->rotation),
                       .color = { b->color.x, b->color.y, b->color.z, 0 },
                       .glow = { b->glow.x, b->glow.y, b->glow.z, 0 },
                       .param = { tarn__shader_shape(b->is_plain ? TARN_SHAPE_MESH : b->shape.kind),
                                  b->shape.size.x, b->shape.size.y, is_body ? 0.0f : 1.0f },
                       .is_glass = b->is_glass };
        float bound = tarn__body_bound(b);
        d.middle = b->position;
        d.low = b->position.y - bound;
        d.high = b->position.y + bound;
        float least = fminf(b->shape.size.x, fminf(b->shape.size.y, b->shape.size.z));
        float edge = 0.10f * least;
        switch (b->shape.kind) {
        case TARN_SHAPE_SPHERE:
            d.mesh = &r->sphere;
            d.core_size[3] = b->shape.size.x;
            break;
        case TARN_SHAPE_BOX:
            d.mesh = &r->box;
            d.core_size[0] = b->shape.size.x - edge;
            d.core_size[1] = b->shape.size.y - edge;
            d.core_size[2] = b->shape.size.z - edge;
            d.core_size[3] = edge;
            break;
        case TARN_SHAPE_CAPSULE:
            d.mesh = &r->capsule;
            d.core_size[1] = b->shape.size.y;
            d.core_size[3] = b->shape.size.x;
            break;
        default:
            TARN_TRY(upload_body_mesh(r, b, &r->body_meshes[n_meshes]));
            d.mesh = &r->body_meshes[n_meshes++];
            r->n_body_meshes = maxi(r->n_body_meshes, n_meshes);
            d.core_size[0] = d.core_size[1] = d.core_size[2] = 1.0f;
            d.color[3] = 1.0f;
        }
        r->body_draws[r->n_body_draws++] = d;
    }
    TARN_TRY(tarn__add_meshes(r, frame, n_meshes));
    for (int i = 0; i < r->n_body_draws; ++i) find_water(r, frame, &r->body_draws[i]);
    return TARN_OK;
}
