// Bodies as things to draw, with their sails and trim.

#include "viewer.h"
#include "base/maths.h"

enum { MAX_TRIANGLES = 2 * 64 - 4 }; // of a convex hull of 64 points

static TarnResult add(TarnViewer* v, TarnBodyId id, int part, const TarnFrameBody* body)
{
    return tarn__view_list_add(v->ctx, &v->now.bodies, body, sizeof *body,
                               tarn__view_thing_key(id.value, part));
}

static TarnShape shape_of(const TarnBodies* bodies, TarnBodyId id, int* triangles)
{
    const TarnShape* shape = tarn_bodies_shape(bodies, id);
    if (shape->kind == TARN_SHAPE_HULL) {
        int n = tarn_bodies_hull_triangles(bodies, id, triangles, 3 * MAX_TRIANGLES);
        return tarn_shape_mesh(shape->points, shape->n_points, triangles, n);
    }
    if (shape->kind == TARN_SHAPE_SPAN) // only the host knows its form
        return tarn_shape_sphere(shape->radius);
    return *shape;
}

// Draws the sails of a body as thin white plates.
static TarnResult add_sails(TarnViewer* v, TarnBodyId id)
{
    for (int i = 0; i < TARN_BODY_FOILS; ++i) {
        TarnFoilDef def;
        TarnFoilState s;
        if (tarn_world_get_foil(v->world, id, i, &def, &s) != TARN_OK) continue;
        if (def.medium != TARN_FOIL_AIR) continue;
        TarnFrameBody sail = { .shape = tarn_shape_box(0.5f * s.chord, 0.5f * s.span, 0.02f),
                               .position = s.position,
                               .rotation = s.rotation,
                               .color = { 0.85f, 0.83f, 0.76f } };
        TARN_TRY(add(v, id, 1 + i, &sail));
    }
    return TARN_OK;
}

static TarnResult add_trim(TarnViewer* v, TarnBodyId id, const TarnMotion* state)
{
    const TarnSceneTrim* trim;
    int n = tarn_scene_body_trim(v->scene, id, &trim);
    for (int i = 0; i < n; ++i) {
        TarnVec3 arm = quat_rotate(state->rotation, trim[i].position);
        TarnFrameBody part = { .shape = trim[i].shape,
                               .position = vec3_add(state->position, arm),
                               .rotation = quat_multiply(state->rotation, trim[i].rotation),
                               .color = trim[i].color,
                               .glow = trim[i].glow,
                               .is_plain = true };
        TARN_TRY(add(v, id, 1 + TARN_BODY_FOILS + i, &part));
    }
    return TARN_OK;
}

TarnResult tarn__view_add_bodies(TarnViewer* v)
{
    const TarnBodies* bodies = tarn_world_bodies(v->world);
    int count = tarn_bodies_count(bodies);
    size_t triangles = (size_t)count * 3 * MAX_TRIANGLES;
    TARN_TRY(tarn_drawing_reserve(v->ctx, &v->things.triangles, triangles * sizeof(int)));
    for (int i = 0; i < count; ++i) {
        TarnBodyId id = tarn_bodies_at(bodies, i);
        TarnThingLook look = tarn__view_look_of_body(v, id);
        TarnMotion state;
        if (look.is_hidden || tarn_bodies_get_state(bodies, id, &state) != TARN_OK) continue;
        int* of_hull = (int*)v->things.triangles.data + (size_t)i * 3 * MAX_TRIANGLES;
        TarnFrameBody body = { .shape = shape_of(bodies, id, of_hull),
                               .position = state.position,
                               .rotation = state.rotation,
                               .color = look.color,
                               .glow = look.glow,
                               .is_glass = look.is_glass };
        TARN_TRY(add(v, id, 0, &body));
        TARN_TRY(add_sails(v, id));
        TARN_TRY(add_trim(v, id, &state));
    }
    return TARN_OK;
}
