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
    TarnFrameWater* water = &f->water;
    // A wall has depth 0 and stands on the floor; land has a negative depth and is drawn as ground.
    bool is_flat = true, has_walls = false;
    size_t c = 0;
    for (int k = 0; k < def->nz; ++k) {
        for (int i = 0; i < def->nx; ++i, ++c) {
            float depth = tarn_wave_bed_depth(wave, i, k);
            bool is_wall = depth == 0.0f;
            if (is_wall) depth = def->depth;
            f->fields.is_wall[c] = is_wall;
            f->fields.bed[c] = def->level - depth;
            is_flat = is_flat && depth == def->depth;
            has_walls = has_walls || is_wall;
        }
    }
    water->bed = (TarnView2){ is_flat ? NULL : f->fields.bed, def->nx, def->nz, def->nx };
    water->bed_level = def->level - def->depth;
    water->is_wall = has_walls ? f->fields.is_wall : NULL;
    f->origin = water->origin;
}

static void update_wave(SceneFrame* f, const TarnWave* wave, float wall_height)
{
    const TarnWaveDef* def = tarn_wave_def(wave);
    TarnFrameWater* water = &f->water;
    bool is_first = water->height.data == NULL;
    copy_heights(wave, f->fields.height);
    water->height = (TarnView2){ f->fields.height, def->nx, def->nz, def->nx };
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
    out->shape = *shape;
    if (shape->kind == TARN_SHAPE_HULL) {
        int n = tarn_bodies_hull_triangles(bodies, id, triangles, 3 * MAX_TRIANGLES);
        out->shape = tarn_shape_mesh(shape->points, shape->n_points, triangles, n);
    } else if (shape->kind == TARN_SHAPE_SPAN) { // only the host knows its form
        out->shape = tarn_shape_sphere(shape->radius);
    }
}

// Draws the sails of a body as thin white plates.
static int add_sails(TarnScene* scene, TarnBodyId id, TarnFrameBody* out)
{
    int n = 0;
    for (int i = 0; i < TARN_BODY_FOILS; ++i) {
        TarnFoilDef def;
        TarnFoilState s;
        const TarnWorld* world = tarn_scene_world(scene);
        if (tarn_world_get_foil(world, id, i, &def, &s) != TARN_OK) continue;
        if (def.medium != TARN_FOIL_AIR) continue;
        out[n++] = (TarnFrameBody){ .shape = tarn_shape_box(0.5f * s.chord, 0.5f * s.span, 0.02f),
                                    .position = s.position,
                                    .rotation = s.rotation,
                                    .color = { 0.85f, 0.83f, 0.76f } };
    }
    return n;
}

// Makes room for n bodies; there may be more than in the last frame.
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
    int count = tarn_bodies_count(bodies), n = 0;
    // One more than needed, so that the array exists even if there are none.
    if (!reserve_bodies(f, (1 + TARN_BODY_FOILS) * count + BLOCK_BODIES * f->n_blocks + 1))
        return false;
    for (int i = 0; i < count; ++i) {
        TarnBodyId id = tarn_bodies_at(bodies, i);
        TarnMotion state;
        if (tarn_scene_body_is_hidden(scene, id)) continue;
        int b = n++;
        tarn_bodies_get_state(bodies, id, &state);
        f->bodies[b] = (TarnFrameBody){ .position = state.position,
                                        .rotation = state.rotation,
                                        .color = tarn_scene_body_color(scene, id) };
        copy_shape(bodies, id, f->triangles + (size_t)b * 3 * MAX_TRIANGLES, &f->bodies[b]);
        n += add_sails(scene, id, f->bodies + n);
    }
    f->frame.bodies = f->bodies;
    f->frame.n_bodies = n + frame_add_blocks(f, scene, f->bodies + n);
    return true;
}

// ---- View --------------------------------------------------------------------------------------

static bool is_set(TarnVec3 v)
{
    return v.x != 0.0f || v.y != 0.0f || v.z != 0.0f;
}

// How far the camera is from looking at the target of a window that follows. The window moves by jumps
// of whole cells; the camera does not.
static TarnVec3 drift(const SceneFrame* f, TarnVec3 look, TarnScene* scene)
{
    TarnVec3 target;
    if (!tarn_world_window_target(tarn_scene_world(scene), f->pick.water, &target))
        return (TarnVec3){ 0.0f, 0.0f, 0.0f };
    return (TarnVec3){ target.x - look.x, f->water.rest_level - look.y, target.z - look.z };
}

// The camera that frames everything. Land is framed once: ground that is dug, carved or entered by
// the window would make the picture swim.
static TarnCamera frame_all(SceneFrame* f, const TarnSceneView* view, float aspect)
{
    static const float radians = 3.14159265f / 180.0f;
    const TarnFrameWater* water = &f->water;
    bool is_land = water->land.ground.data != NULL;
    if (!is_land || f->camera_aspect != aspect) {
        f->camera = tarn_frame_camera(water, view->yaw * radians, view->pitch * radians, aspect);
        f->camera_origin = water->origin;
        f->camera_aspect = aspect;
    }
    TarnCamera camera = f->camera;
    float x = water->origin.x - f->camera_origin.x, z = water->origin.y - f->camera_origin.y;
    camera.eye.x += x;
    camera.eye.z += z;
    camera.target.x += x;
    camera.target.z += z;
    return camera;
}

// Values that the scene leaves at zero are chosen by the renderer to suit the depth of the water.
static void update_view(SceneFrame* f, TarnScene* scene, float aspect)
{
    TarnSceneView wish = tarn_scene_view(scene);
    const TarnSceneView* view = &wish;
    TarnFrame* frame = &f->frame;
    frame->mode = view->mode == 1 ? TARN_RENDER_BARS : TARN_RENDER_WATER;
    tarn_frame_defaults(frame);
    if (is_set(view->sun)) frame->sky.sun = view->sun;
    if (is_set(view->water_color)) frame->water_color = view->water_color;
    if (view->clarity > 0.0f) frame->clarity = view->clarity;

    TarnCamera camera = frame_all(f, view, aspect);
    TarnVec3 target = camera.target, eye = camera.eye;
    TarnVec3 off = drift(f, target, scene);
    target.x += view->target.x + off.x;
    target.y += off.y;
    target.z += view->target.y + off.z;
    camera.eye.x = target.x + view->distance * (eye.x - camera.target.x);
    camera.eye.y = target.y + view->distance * (eye.y - camera.target.y);
    camera.eye.z = target.z + view->distance * (eye.z - camera.target.z);
    camera.target = target;
    frame->camera = camera;
}

// A camera that the scene places explicitly.
static void place_camera(TarnFrame* frame, const TarnScene* scene)
{
    TarnSceneView view = tarn_scene_view(scene);
    TarnVec3 e = view.eye, t = view.look_at;
    if (e.x == t.x && e.y == t.y && e.z == t.z) return;
    frame->camera.eye = e;
    frame->camera.target = t;
    if (view.fov > 1.0f) frame->camera.fov = view.fov * (3.14159265f / 180.0f);
}

// ---- The frame ---------------------------------------------------------------------------------

// The grid that is drawn, 0 x 0 where there is none.
static void size_of(const FramePick* pick, int* nx, int* nz)
{
    *nx = *nz = 0;
    if (pick->wave) *nx = tarn_wave_def(pick->wave)->nx, *nz = tarn_wave_def(pick->wave)->nz;
    if (pick->shallow)
        *nx = tarn_shallow_def(pick->shallow)->nx, *nz = tarn_shallow_def(pick->shallow)->nz;
    if (pick->pipes) *nx = tarn_pipes_def(pick->pipes)->nx, *nz = tarn_pipes_def(pick->pipes)->nz;
}

TarnResult scene_frame_create(TarnScene* scene, SceneFrame* out)
{
    *out = (SceneFrame){ 0 };
    const FramePick* pick = &out->pick;
    out->pick = frame_pick(tarn_scene_world(scene), tarn_scene_view(scene).solver);
    if (!pick->water && !pick->liquid && !pick->particles && pick->n_gases == 0)
        return TARN_ERR_UNSUPPORTED;
    size_of(pick, &out->nx, &out->nz);
    SceneFields* fields = &out->fields;
    size_t n = (size_t)out->nx * (size_t)out->nz + 1; // not 0: some have no grid
    bool is_good = true, is_flowing = pick->wave == NULL;
    is_good = (fields->height = malloc(n * sizeof(float))) && is_good;
    is_good = (fields->bed = malloc(n * sizeof(float))) && is_good;
    is_good = (fields->is_wall = calloc(n, 1)) && is_good;
    if (is_flowing) is_good = (fields->depth = malloc(n * sizeof(float))) && is_good;
    if (pick->pipes) {
        is_good = (fields->flow = malloc(n * sizeof(TarnVec2))) && is_good;
        is_good = (fields->flow_x = malloc(n * sizeof(float))) && is_good;
        is_good = (fields->flow_z = malloc(n * sizeof(float))) && is_good;
        is_good = (fields->mud = malloc(n * sizeof(float))) && is_good;
    }
    out->n_blocks = tarn_scene_block_count(scene);
    size_t vertices = (size_t)out->n_blocks * BLOCK_VERTICES + 1;
    is_good = (out->vertices = malloc(vertices * sizeof *out->vertices)) && is_good;
    if (is_good) return TARN_OK;
    scene_frame_destroy(out);
    return TARN_ERR_MEMORY;
}

void scene_frame_destroy(SceneFrame* frame)
{
    SceneFields* fields = &frame->fields;
    free(fields->height);
    free(fields->bed);
    free(fields->depth);
    free(fields->flow);
    free(fields->flow_x);
    free(fields->flow_z);
    free(fields->mud);
    free(fields->is_wall);
    free(frame->bodies);
    free(frame->triangles);
    free(frame->vertices);
    free(frame->ground);
    liquid_mesh_free(&frame->liquid_mesh);
    frame_free_fades(frame->fades);
    frame_free_solids(frame);
    *frame = (SceneFrame){ 0 };
}

TarnResult scene_frame_update(SceneFrame* frame, TarnScene* scene, float aspect)
{
    const FramePick* pick = &frame->pick;
    bool is_stage = pick->water == NULL;
    frame->frame.waters = &frame->water;
    frame->frame.n_waters = is_stage ? 0 : 1;
    if (is_stage) {
        if (!frame_update_stage(frame, scene)) return TARN_ERR_MEMORY;
    } else if (pick->wave)
        update_wave(frame, pick->wave, tarn_scene_view(scene).wall_height);
    else if (pick->shallow)
        frame_update_shallow(frame, scene, pick->shallow);
    else
        frame_update_pipes(frame, scene, pick->pipes);
    if (!update_bodies(frame, scene)) return TARN_ERR_MEMORY;
    frame->frame.time = tarn_world_time(tarn_scene_world(scene));
    if (is_stage)
        frame_view_stage(frame, scene, aspect);
    else
        update_view(frame, scene, aspect);
    place_camera(&frame->frame, scene);
    return is_stage ? frame_mesh_stage(frame, scene) : TARN_OK;
}

#endif
