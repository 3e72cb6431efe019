// From a scene to what the renderer draws: heights, bed, walls, bodies, camera, light.

#include "frame.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_TRIANGLES = 2 * 64 - 4 }; // of a convex hull of 64 points

#if defined(TARN_HAS_RENDER)

// ---- Water -------------------------------------------------------------------------------------

static bool is_closed(int edge)
{
    return edge == TARN_EDGE_REFLECTING || edge == TARN_EDGE_FIXED;
}

static size_t n_cells(const TarnWave* wave)
{
    const TarnWaveDef* def = tarn_wave_def(wave);
    return (size_t)def->nx * (size_t)def->nz;
}

static void copy_heights(const TarnWave* wave, float* out)
{
    TarnView2 u = tarn_wave_height(wave);
    float level = tarn_wave_level(wave);
    for (int k = 0; k < u.nz; ++k) {
        for (int i = 0; i < u.nx; ++i) {
            *out++ = level + u.data[i + (size_t)u.stride * (size_t)k];
        }
    }
}

// Land is drawn as the bed that rises out of the water; only what stands in deep water is a wall.
static void copy_ground(SceneFrame* f, const TarnWave* wave)
{
    const TarnWaveDef* def = tarn_wave_def(wave);
    TarnFrameWater* water = &f->frame.water;
    // A wall has depth 0 and stands on the floor; land has a negative depth and is drawn as ground.
    bool is_flat = true, has_walls = false;
    size_t c = 0;
    for (int k = 0; k < def->nz; ++k) {
        for (int i = 0; i < def->nx; ++i, ++c) {
            float depth = tarn_wave_bed_depth(wave, i, k);
            f->is_wall[c] = depth == 0.0f;
            if (f->is_wall[c]) depth = def->depth;
            f->bed[c] = def->level - depth;
            is_flat = is_flat && depth == def->depth;
            has_walls = has_walls || f->is_wall[c];
        }
    }
    water->bed = (TarnView2){ is_flat ? NULL : f->bed, def->nx, def->nz, def->nx };
    water->bed_level = def->level - def->depth;
    water->is_wall = has_walls ? f->is_wall : NULL;
    f->origin = water->origin;
}

static void update_water(SceneFrame* f, const TarnWave* wave, float wall_height)
{
    const TarnWaveDef* def = tarn_wave_def(wave);
    TarnFrameWater* water = &f->frame.water;
    bool is_first = water->height.data == NULL;
    copy_heights(wave, f->height);
    water->height = (TarnView2){ f->height, def->nx, def->nz, def->nx };
    water->origin = tarn_wave_origin(wave);
    water->dx = def->dx;
    water->rest_level = def->level;
    water->wall_top = def->level + wall_height;
    const int edges[4] = { def->edge_x0, def->edge_x1, def->edge_z0, def->edge_z1 };
    for (int e = 0; e < 4; ++e) water->has_rim[e] = is_closed(edges[e]);
    bool has_moved = f->origin.x != water->origin.x || f->origin.y != water->origin.y;
    if (is_first || has_moved) copy_ground(f, wave);
}

// ---- Bodies ------------------------------------------------------------------------------------

static void copy_shape(const TarnBodies* bodies, TarnBodyId id, int* triangles, TarnFrameBody* out)
{
    const TarnShape* shape = tarn_bodies_shape(bodies, id);
    out->size = shape->size;
    switch (shape->kind) {
    case TARN_SHAPE_SPHERE:
        out->shape = TARN_FRAME_SPHERE;
        break;
    case TARN_SHAPE_BOX:
        out->shape = TARN_FRAME_BOX;
        break;
    case TARN_SHAPE_CAPSULE:
        out->shape = TARN_FRAME_CAPSULE;
        break;
    case TARN_SHAPE_HULL:
        out->shape = TARN_FRAME_MESH;
        out->vertices = shape->points;
        out->n_vertices = shape->n_points;
        out->triangles = triangles;
        out->n_triangles = tarn_bodies_hull_triangles(bodies, id, triangles, 3 * MAX_TRIANGLES);
        break;
    case TARN_SHAPE_SPAN: // its form is the host's secret
        out->shape = TARN_FRAME_SPHERE;
        out->size.x = shape->span_radius;
        break;
    }
}

// Room for n bodies; they may have become more since the last frame.
static bool reserve_bodies(SceneFrame* f, int n)
{
    if (n <= f->n_bodies) return true;
    size_t count = (size_t)n;
    TarnFrameBody* bodies = realloc(f->bodies, count * sizeof *bodies);
    if (bodies != NULL) f->bodies = bodies;
    int* triangles = realloc(f->triangles, count * 3 * MAX_TRIANGLES * sizeof *triangles);
    if (triangles != NULL) f->triangles = triangles;
    if (bodies == NULL || triangles == NULL) return false;
    f->n_bodies = n;
    return true;
}

static bool update_bodies(SceneFrame* f, TarnScene* scene)
{
    const TarnBodies* bodies = tarn_world_bodies(tarn_scene_world(scene));
    int n = tarn_bodies_count(bodies);
    if (!reserve_bodies(f, n)) return false;
    for (int b = 0; b < n; ++b) {
        TarnBodyId id = tarn_bodies_at(bodies, b);
        TarnBodyState state;
        tarn_bodies_get_state(bodies, id, &state);
        f->bodies[b] = (TarnFrameBody){ .position = state.position,
                                        .rotation = state.rotation,
                                        .color = tarn_scene_body_color(scene, id) };
        copy_shape(bodies, id, f->triangles + (size_t)b * 3 * MAX_TRIANGLES, &f->bodies[b]);
    }
    f->frame.bodies = f->bodies;
    f->frame.n_bodies = n;
    return true;
}

// ---- View --------------------------------------------------------------------------------------

static bool is_set(TarnVec3 v)
{
    return v.x != 0.0f || v.y != 0.0f || v.z != 0.0f;
}

// What the scene leaves at zero is the renderer's choice, which suits the depth of the water.
static void update_view(SceneFrame* f, const TarnSceneView* view, float aspect)
{
    static const float radians = 3.14159265f / 180.0f;
    TarnFrame* frame = &f->frame;
    frame->mode = view->mode == 1 ? TARN_RENDER_BARS : TARN_RENDER_WATER;
    tarn_frame_defaults(frame);
    if (is_set(view->sun)) frame->sun = view->sun;
    if (is_set(view->water_color)) frame->water_color = view->water_color;
    if (view->clarity > 0.0f) frame->clarity = view->clarity;

    TarnCamera camera =
        tarn_frame_camera(&frame->water, view->yaw * radians, view->pitch * radians, aspect);
    TarnVec3 target = camera.target, eye = camera.eye;
    target.x += view->target.x;
    target.z += view->target.y;
    camera.eye.x = target.x + view->distance * (eye.x - camera.target.x);
    camera.eye.y = target.y + view->distance * (eye.y - camera.target.y);
    camera.eye.z = target.z + view->distance * (eye.z - camera.target.z);
    camera.target = target;
    frame->camera = camera;
}

// ---- The frame ---------------------------------------------------------------------------------

TarnResult scene_frame_create(TarnScene* scene, SceneFrame* out)
{
    *out = (SceneFrame){ 0 };
    const TarnWave* wave = tarn_world_wave(tarn_scene_world(scene));
    if (wave == NULL) return TARN_ERR_UNSUPPORTED;
    size_t n = n_cells(wave);
    out->height = malloc(n * sizeof *out->height);
    out->bed = malloc(n * sizeof *out->bed);
    out->is_wall = malloc(n * sizeof *out->is_wall);
    if (out->height != NULL && out->bed != NULL && out->is_wall != NULL) return TARN_OK;
    scene_frame_destroy(out);
    return TARN_ERR_MEMORY;
}

void scene_frame_destroy(SceneFrame* frame)
{
    free(frame->height);
    free(frame->bed);
    free(frame->is_wall);
    free(frame->bodies);
    free(frame->triangles);
    *frame = (SceneFrame){ 0 };
}

TarnResult scene_frame_update(SceneFrame* frame, TarnScene* scene, float aspect)
{
    TarnWorld* world = tarn_scene_world(scene);
    TarnSceneView view = tarn_scene_view(scene);
    update_water(frame, tarn_world_wave(world), view.wall_height);
    if (!update_bodies(frame, scene)) return TARN_ERR_MEMORY;
    frame->frame.time = tarn_world_time(world);
    update_view(frame, &view, aspect);
    return TARN_OK;
}

#endif
