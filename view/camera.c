// Cameras, sun and sky, and the colors of waters that nobody has chosen.

#include "viewer.h"
#include "tarn/gas.h"
#include <math.h>

static const float radians_per_degree = 3.14159265f / 180.0f;

static bool is_set(TarnVec3 v)
{
    return v.x != 0.0f || v.y != 0.0f || v.z != 0.0f;
}

static TarnVec3 sum(TarnVec3 a, TarnVec3 b)
{
    return (TarnVec3){ a.x + b.x, a.y + b.y, a.z + b.z };
}

static TarnVec3 difference(TarnVec3 a, TarnVec3 b)
{
    return (TarnVec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}

// ---- What the camera frames ------------------------------------------------------------------------------

typedef struct Box {
    TarnVec3 min, max;
    bool is_there;
} Box;

static void join(Box* box, TarnVec3 lo, TarnVec3 hi)
{
    if (!box->is_there) {
        *box = (Box){ lo, hi, true };
        return;
    }
    box->min =
        (TarnVec3){ fminf(box->min.x, lo.x), fminf(box->min.y, lo.y), fminf(box->min.z, lo.z) };
    box->max =
        (TarnVec3){ fmaxf(box->max.x, hi.x), fmaxf(box->max.y, hi.y), fmaxf(box->max.z, hi.z) };
}

static void join_water(Box* box, const TarnFrameWater* w)
{
    const TarnView2* land = &w->land.ground;
    float low = land->data ? w->rest_level : w->bed_level, high = w->rest_level;
    for (int k = 0; land->data && k < land->nz; ++k)
        for (int i = 0; i < land->nx; ++i) {
            float y = land->data[i + (ptrdiff_t)land->stride * k];
            if (fabsf(y) < 1e6f) low = fminf(low, y), high = fmaxf(high, y);
        }
    float x = w->origin.x + w->dx * (float)w->height.nx,
          z = w->origin.y + w->dx * (float)w->height.nz;
    join(box, (TarnVec3){ w->origin.x, low, w->origin.y }, (TarnVec3){ x, high, z });
}

static void join_gas(Box* box, const TarnGas* gas) // where it is, whatever level is drawn
{
    const TarnGasDef* d = tarn_gas_def(gas);
    TarnVec3 c = tarn_gas_center(gas),
             s = { d->dx * (float)d->nx, d->dx * (float)d->ny, d->dx * (float)d->nz };
    join(box, (TarnVec3){ c.x - 0.5f * s.x, c.y - 0.5f * s.y, c.z - 0.5f * s.z },
         (TarnVec3){ c.x + 0.5f * s.x, c.y + 0.5f * s.y, c.z + 0.5f * s.z });
}

static void join_gas_layer(const TarnViewer* v, Box* box, int n)
{
    uint64_t owner = layer_owner(&v->now.gases, n);
    for (int i = 0; i < tarn_world_gas_count(v->world); ++i) {
        const TarnGas* gas = tarn_world_gas(v->world, i);
        if ((uint64_t)tarn_world_number(v->world, gas) == owner) {
            join_gas(box, gas);
            return;
        }
    }
    const TarnGasView* g = &LAYER(TarnFrameGas, &v->now.gases, n)->view; // of another drawer
    TarnVec3 size = { g->dx * (float)g->density.nx, g->dx * (float)g->density.ny,
                      g->dx * (float)g->density.nz };
    join(box, g->origin, sum(g->origin, size));
}

static void join_thing(Box* box, const TarnFrameBody* b)
{
    const TarnShape* s = &b->shape;
    float r = s->kind == TARN_SHAPE_MESH ? 0.0f : s->size.x + s->size.y + s->size.z;
    for (int i = 0; s->kind == TARN_SHAPE_MESH && i < s->n_points; ++i) {
        TarnVec3 p = s->points[i];
        r = fmaxf(r, sqrtf(p.x * p.x + p.y * p.y + p.z * p.z));
    }
    TarnVec3 p = b->position;
    join(box, (TarnVec3){ p.x - r, p.y - r, p.z - r }, (TarnVec3){ p.x + r, p.y + r, p.z + r });
}

// All layers of a solver, 0: of all solvers. Particles count only where nothing else does: their box just catches what
// is lost. Bodies and solids count where there is nothing but them.
static Box box_of_layers(const TarnViewer* v, uint64_t owner)
{
    const Layers* l = &v->now;
    Box box = { 0 };
#define IS_MEANT(list, i) (owner == 0 || layer_owner(&l->list, i) == owner)
    for (int i = 0; i < l->waters.n; ++i)
        if (IS_MEANT(waters, i)) join_water(&box, LAYER(TarnFrameWater, &l->waters, i));
    for (int i = 0; i < l->liquids.n; ++i) {
        const TarnFrameLiquid* liquid = LAYER(TarnFrameLiquid, &l->liquids, i);
        if (IS_MEANT(liquids, i)) join(&box, liquid->box_min, liquid->box_max);
    }
    for (int i = 0; i < l->gases.n; ++i)
        if (IS_MEANT(gases, i)) join_gas_layer(v, &box, i);
    for (int i = 0; i < l->meshes.n; ++i) {
        const TarnMesh* mesh = LAYER(TarnFrameMesh, &l->meshes, i)->mesh;
        for (int j = 0; IS_MEANT(meshes, i) && j < mesh->n_vertices; ++j)
            join(&box, mesh->position[j], mesh->position[j]);
    }
    bool is_empty = !box.is_there;
    for (int i = 0; is_empty && i < l->particles.n; ++i) {
        const TarnFrameParticles* p = LAYER(TarnFrameParticles, &l->particles, i);
        if (IS_MEANT(particles, i)) join(&box, p->box_min, p->box_max);
    }
#undef IS_MEANT
    for (int i = 0; !box.is_there && owner == 0 && i < l->bodies.n + l->solids.n; ++i)
        join_thing(&box, i < l->bodies.n ? LAYER(TarnFrameBody, &l->bodies, i)
                                         : LAYER(TarnFrameBody, &l->solids, i - l->bodies.n));
    return box;
}

// The scene's box; it may move with the first gas, except for its floor.
static Box box_of_scene(const TarnViewer* v)
{
    Box box = { v->view.box_min, v->view.box_max, true };
    const TarnGas* first = tarn_world_gas(v->world, 0);
    if (!v->view.follow || first == NULL) return box;
    TarnVec3 way = difference(tarn_gas_center(first), tarn_gas_def(first)->center);
    box.min.x += way.x, box.min.z += way.z;
    box.max.x += way.x, box.max.z += way.z;
    box.max.y += fmaxf(way.y, 0.0f);
    return box;
}

// The water that is framed as such; -1: a box is framed.
static int framed_water(const TarnViewer* v)
{
    const Layers* l = &v->now;
    uint64_t named = (uint64_t)v->view.solver;
    for (int i = 0; named != 0 && i < l->waters.n; ++i)
        if (layer_owner(&l->waters, i) == named) return i;
    bool is_alone = l->waters.n == 1 && l->liquids.n + l->gases.n + l->meshes.n == 0;
    bool has_box = is_set(v->view.box_min) || is_set(v->view.box_max);
    return is_alone && !has_box ? 0 : -1;
}

static Box framed_box(const TarnViewer* v)
{
    bool has_box = is_set(v->view.box_min) || is_set(v->view.box_max);
    Box named = { 0 };
    if (v->view.solver != 0) named = box_of_layers(v, (uint64_t)v->view.solver);
    if (named.is_there) return named;
    return has_box ? box_of_scene(v) : box_of_layers(v, 0);
}

// ---- Cameras ---------------------------------------------------------------------------------------------

// Land is framed once, and the camera then moves with the window.
static TarnCamera frame_water(TarnViewer* v, int n, float yaw, float pitch, float aspect)
{
    ViewCamera* c = &v->camera;
    const TarnFrameWater* water = LAYER(TarnFrameWater, &v->now.waters, n);
    uint64_t owner = layer_owner(&v->now.waters, n);
    bool is_land = water->land.ground.data != NULL;
    bool is_known = c->has_land && c->land_owner == owner && c->land_aspect == aspect &&
                    c->land_yaw == yaw && c->land_pitch == pitch;
    if (!is_land) return tarn_frame_camera(water, yaw, pitch, aspect);
    if (!is_known) {
        c->land = tarn_frame_camera(water, yaw, pitch, aspect);
        c->land_origin = water->origin;
        c->land_owner = owner;
        c->land_aspect = aspect, c->land_yaw = yaw, c->land_pitch = pitch;
        c->has_land = true;
    }
    TarnCamera camera = c->land;
    TarnVec3 way = { water->origin.x - c->land_origin.x, 0.0f, water->origin.y - c->land_origin.y };
    camera.eye = sum(camera.eye, way);
    camera.target = sum(camera.target, way);
    return camera;
}

// How far the camera is from looking at the target of a window that follows. The window moves by jumps
// of whole cells; the camera does not.
static TarnVec3 drift(const TarnViewer* v, int water, TarnVec3 look)
{
    const TarnFrameWater* w = LAYER(TarnFrameWater, &v->now.waters, water);
    SolverView* const* solvers = v->solvers.data;
    TarnVec3 target;
    for (int i = 0; i < v->n_solvers; ++i) {
        if ((uint64_t)solvers[i]->number != layer_owner(&v->now.waters, water)) continue;
        if (tarn_world_window_target(v->world, solvers[i]->solver, &target))
            return (TarnVec3){ target.x - look.x, w->rest_level - look.y, target.z - look.z };
    }
    return (TarnVec3){ 0 };
}

// Moves the camera to a point next to its target, at a multiple of its distance.
static TarnCamera moved(TarnCamera c, TarnVec3 by, float distance)
{
    TarnVec3 back = difference(c.eye, c.target);
    c.target = sum(c.target, by);
    c.eye = (TarnVec3){ c.target.x + distance * back.x, c.target.y + distance * back.y,
                        c.target.z + distance * back.z };
    return c;
}

// From a yaw and a pitch [radians], at a multiple of the distance that frames everything.
static TarnCamera frame_all(TarnViewer* v, const TarnFrame* frame, float yaw, float pitch,
                            float distance, TarnVec2 aside)
{
    float aspect = (float)v->def.width / (float)v->def.height;
    int water = framed_water(v);
    if (water >= 0) {
        TarnCamera c = frame_water(v, water, yaw, pitch, aspect);
        TarnVec3 off = drift(v, water, c.target);
        return moved(c, sum((TarnVec3){ aside.x, 0.0f, aside.y }, off), distance);
    }
    bool is_flat =
        tarn__view_is_flat(&v->now); // then there is nothing to turn, and aside is x and y
    Box box = framed_box(v);
    if (!box.is_there) return frame->camera;
    TarnCamera c = tarn_frame_camera_box(box.min, box.max, is_flat, yaw, pitch, aspect);
    TarnVec3 by = { aside.x, is_flat ? aside.y : 0.0f, is_flat ? 0.0f : aside.y };
    return moved(c, by, distance);
}

static TarnCamera scene_camera(TarnViewer* v, const TarnFrame* frame)
{
    const TarnSceneView* view = &v->view;
    TarnVec3 e = view->eye, t = view->look_at;
    TarnCamera c = frame_all(v, frame, view->yaw * radians_per_degree,
                             view->pitch * radians_per_degree, view->distance, view->target);
    if (e.x == t.x && e.y == t.y && e.z == t.z) return c;
    TarnMotion body = { 0 };
    if (view->body.value != 0)
        tarn_bodies_get_state(tarn_world_bodies(v->world), view->body, &body);
    TarnVec3 along = { body.position.x, 0.0f, body.position.z };
    c.eye = sum(e, along);
    c.target = sum(t, along);
    if (view->fov > 1.0f) c.fov = view->fov * radians_per_degree;
    return c;
}

static TarnVec3 followed(const TarnViewer* v)
{
    TarnMotion state = { 0 };
    if (v->camera.wish.follow.value != 0)
        tarn_bodies_get_state(tarn_world_bodies(v->world), v->camera.wish.follow, &state);
    return state.position;
}

// Where the camera is, and what it moves with.
static TarnCamera camera_of(TarnViewer* v, const TarnFrame* frame)
{
    const TarnViewerCamera* w = &v->camera.wish;
    bool has_body = w->follow.value != 0;
    TarnVec3 body = followed(v);
    TarnCamera c = { .fov = w->fov > 0.0f ? w->fov : 0.45f };
    v->camera.anchor = body;
    if (w->mode == TARN_CAMERA_PLACED) {
        c.eye = sum(w->eye, body);
        c.target = sum(w->target, body);
        return c;
    }
    if (w->mode == TARN_CAMERA_ORBIT && (w->has_target || has_body)) {
        TarnVec3 back = { sinf(w->yaw) * cosf(w->pitch), sinf(w->pitch),
                          cosf(w->yaw) * cosf(w->pitch) };
        c.target = sum(w->target, body);
        c.eye = (TarnVec3){ c.target.x + w->distance * back.x, c.target.y + w->distance * back.y,
                            c.target.z + w->distance * back.z };
        return c;
    }
    c = w->mode == TARN_CAMERA_ORBIT
            ? frame_all(v, frame, w->yaw, w->pitch, w->distance, (TarnVec2){ 0 })
            : scene_camera(v, frame);
    v->camera.anchor = c.target;
    return c;
}

static bool is_finite(TarnVec3 p)
{
    return fabsf(p.x) <= 1e6f && fabsf(p.y) <= 1e6f && fabsf(p.z) <= 1e6f;
}

TarnResult tarn_viewer_set_camera(TarnViewer* v, const TarnViewerCamera* c)
{
    if (v == NULL) return TARN_ERR_ARG;
    if (c == NULL)
        return tarn__fail(v->ctx, TARN_ERR_ARG, "tarn_viewer_set_camera: camera is NULL");
    if (c->mode < TARN_CAMERA_SCENE || c->mode > TARN_CAMERA_PLACED)
        return tarn__fail(v->ctx, TARN_ERR_ARG, "camera.mode is %d, not a TarnViewerCameraMode",
                          c->mode);
    if (!is_finite(c->target) || !is_finite(c->eye))
        return tarn__fail(v->ctx, TARN_ERR_ARG, "camera.eye or camera.target is beyond +-1e6 m");
    if (!(c->fov == 0.0f || (c->fov >= 0.01f && c->fov <= 3.0f)))
        return tarn__fail(v->ctx, TARN_ERR_ARG,
                          "camera.fov is %g; allowed: 0, or 0.01 to 3 radians", (double)c->fov);
    if (c->mode == TARN_CAMERA_PLACED && c->eye.x == c->target.x && c->eye.y == c->target.y &&
        c->eye.z == c->target.z)
        return tarn__fail(v->ctx, TARN_ERR_ARG, "camera.eye and camera.target must differ");
    if (c->mode == TARN_CAMERA_ORBIT) {
        if (!(fabsf(c->yaw) <= 1e3f) || !(c->pitch >= 0.03f && c->pitch <= 1.55f))
            return tarn__fail(v->ctx, TARN_ERR_ARG,
                              "camera.yaw is %g and camera.pitch %g; allowed: any yaw, and a pitch "
                              "of 0.03 to 1.55 radians",
                              (double)c->yaw, (double)c->pitch);
        if (!(c->distance >= 0.01f && c->distance <= 1e5f))
            return tarn__fail(v->ctx, TARN_ERR_ARG, "camera.distance is %g; allowed: 0.01 to 1e5",
                              (double)c->distance);
    }
    v->camera.wish = *c;
    v->kept.has_anchor = false; // it does not glide over from another one
    v->camera.has_land = false;
    return TARN_OK;
}

// ---- Light and colors ------------------------------------------------------------------------------------

// Waters without a color of their own get what suits them: a pool, a lake, a river.
static void color_waters(TarnViewer* v, TarnFrame* frame)
{
    for (int i = 0; i < v->now.waters.n; ++i) {
        TarnFrameWater* w = LAYER(TarnFrameWater, &v->now.waters, i);
        TarnFrame alone = { .mode = frame->mode, .waters = w, .n_waters = 1 };
        tarn_frame_defaults(&alone);
        if (!is_set(w->water_color)) w->water_color = alone.water_color;
        if (!(w->clarity > 0.0f)) w->clarity = alone.clarity;
        if (i > 0) continue;
        frame->water_color = w->water_color;
        frame->clarity = w->clarity;
    }
}

// The scene's names of skies are in the order of TarnSky.
static void set_sky(const TarnViewer* v, TarnFrameSky* sky)
{
    const TarnSceneView* view = &v->view;
    TarnVec3 sun = is_set(view->sun) ? view->sun : sky->sun;
    *sky = (TarnFrameSky){ .kind = (TarnSky)view->sky,
                           .sun = sun,
                           .exposure = view->exposure,
                           .fog = view->fog,
                           .background = view->background,
                           .hides_floor = !view->floor,
                           .hides_tank = !view->tank,
                           .is_transparent = view->transparent };
    if (v->has_sky) *sky = v->sky;
    if (v->has_sky && !is_set(sky->sun)) sky->sun = sun;
}

// Gases, particles and the studio stand in what the camera frames.
static void place_layers(TarnViewer* v, TarnFrame* frame)
{
    Box box = framed_box(v);
    if (!box.is_there) return;
    if (framed_water(v) < 0) frame->box_min = box.min, frame->box_max = box.max;
    for (int i = 0; i < v->now.gases.n; ++i) {
        TarnFrameGas* g = LAYER(TarnFrameGas, &v->now.gases, i);
        g->box_min = box.min, g->box_max = box.max;
    }
    for (int i = 0; i < v->now.particles.n && v->now.liquids.n == 0; ++i) {
        TarnFrameParticles* p = LAYER(TarnFrameParticles, &v->now.particles, i);
        p->box_min = box.min, p->box_max = box.max;
    }
}

void tarn__view_set_camera(TarnViewer* v, TarnFrame* frame)
{
    place_layers(v, frame);
    tarn_frame_defaults(frame);
    set_sky(v, &frame->sky);
    color_waters(v, frame);
    frame->camera = camera_of(v, frame);
}

TarnResult tarn_viewer_set_sky(TarnViewer* v, const TarnFrameSky* sky)
{
    if (v == NULL) return TARN_ERR_ARG;
    if (sky != NULL) {
        TarnVec3 b = sky->background;
        if ((int)sky->kind < TARN_SKY_AUTO || (int)sky->kind > TARN_SKY_NONE)
            return tarn__fail(v->ctx, TARN_ERR_ARG, "sky.kind is %d, not a TarnSky",
                              (int)sky->kind);
        if (!is_finite(sky->sun)) return tarn__fail(v->ctx, TARN_ERR_ARG, "sky.sun is not finite");
        if (!(sky->exposure >= 0.0f && sky->exposure <= 1e3f) ||
            !(sky->fog >= 0.0f && sky->fog <= 1e3f))
            return tarn__fail(v->ctx, TARN_ERR_ARG,
                              "sky.exposure is %g and sky.fog %g; allowed: 0 to 1000",
                              (double)sky->exposure, (double)sky->fog);
        if (!(b.x >= 0.0f && b.x <= 1.0f && b.y >= 0.0f && b.y <= 1.0f && b.z >= 0.0f &&
              b.z <= 1.0f))
            return tarn__fail(v->ctx, TARN_ERR_ARG,
                              "sky.background is (%g, %g, %g); allowed: 0 to 1", (double)b.x,
                              (double)b.y, (double)b.z);
    }
    v->has_sky = sky != NULL;
    if (sky != NULL) v->sky = *sky;
    return TARN_OK;
}
