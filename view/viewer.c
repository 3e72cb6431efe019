// Viewers: from a world to a frame.

#include "viewer.h"
#include "base/def.h"
#include <math.h>
#include <string.h>

void tarn_viewer_init_def(TarnViewerDef* def, size_t size)
{
    TarnViewerDef full = { .width = 1280, .height = 720, .liquid = -1 };
    TARN_INIT_DEF(TarnViewerDef, def, size, &full);
}

// ---- Creating ----------------------------------------------------------------------------------------

static TarnResult check_size(TarnContext* ctx, int width, int height)
{
    if (width >= 1 && width <= 16384 && height >= 1 && height <= 16384) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG, "viewer: the picture is %d x %d; allowed: 1 to 16384",
                      width, height);
}

static TarnResult check_drawers(TarnContext* ctx, const TarnViewerDef* def)
{
    if (def->n_drawers < 0 || def->n_drawers > MAX_DRAWERS ||
        (def->n_drawers > 0 && def->drawers == NULL))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "viewer.n_drawers is %d; allowed: 0 to %d, with drawers", def->n_drawers,
                          MAX_DRAWERS);
    for (int i = 0; i < def->n_drawers; ++i) {
        const TarnDrawer* d = def->drawers[i];
        if (d == NULL || d->size != sizeof(TarnDrawer) || d->kind == NULL || d->update == NULL)
            return tarn__fail(ctx, TARN_ERR_ARG,
                              "viewer.drawers[%d] needs a size, a kind and update; set size to "
                              "sizeof(TarnDrawer)",
                              i);
    }
    return TARN_OK;
}

static TarnResult check_def(TarnContext* ctx, const TarnViewerDef* def)
{
    TARN_TRY(
        TARN_CHECK_DEF(ctx, "viewer", "tarn/view.h", TarnViewerDef, tarn_viewer_default_def, def));
    TARN_TRY(check_size(ctx, def->width, def->height));
    TARN_TRY(check_drawers(ctx, def));
    if (def->world == NULL && def->scene == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "viewer: set world, or scene, or both");
    if (def->world != NULL && def->scene != NULL && tarn_scene_world(def->scene) != def->world)
        return tarn__fail(ctx, TARN_ERR_ARG, "viewer.world is not the world of viewer.scene");
    if (def->liquid < -1 || def->liquid > TARN_FRAME_BALLS)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "viewer.liquid is %d; allowed: -1, or a TarnFrameLiquidMode",
                          def->liquid);
    if ((def->look & ~(uint32_t)TARN_SPRINKLE_ALL) != 0)
        return tarn__fail(ctx, TARN_ERR_ARG, "viewer.look is 0x%x; allowed: TARN_SPRINKLE_*",
                          def->look);
    if (def->surface == NULL) return TARN_OK;
    return tarn_param_validate(ctx, tarn_particle_surface_params_table(), def->surface);
}

static TarnResult read_only(TarnViewer* v, const char* text)
{
    for (const char* at = text; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, ",");
        char* name = v->only[v->n_only];
        if (v->n_only == MAX_ONLY || length == 0 || length >= NAME_SIZE)
            return tarn__fail(v->ctx, TARN_ERR_ARG,
                              "viewer.only is '%s'; allowed: up to %d names of solvers, separated "
                              "by commas",
                              text, MAX_ONLY);
        memcpy(name, at, length);
        name[length] = '\0';
        if (tarn_world_find(v->world, name) == NULL)
            return tarn__fail(v->ctx, TARN_ERR_ARG,
                              "viewer.only names '%s', and the world has no such solver", name);
        ++v->n_only;
        at += length;
        if (*at == ',') ++at;
    }
    return TARN_OK;
}

TarnResult tarn_viewer_create(TarnContext* ctx, const TarnViewerDef* def, TarnViewer** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "tarn_viewer_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    TarnViewer* v = tarn__alloc(ctx, sizeof *v);
    if (v == NULL) return tarn__fail(ctx, TARN_ERR_MEMORY, "viewer: no memory");
    v->ctx = ctx;
    v->def = *def;
    v->world = def->world != NULL ? def->world : tarn_scene_world(def->scene);
    v->scene = def->scene;
    v->view = tarn_scene_view(def->scene);
    if (def->surface != NULL) v->surface = *def->surface;
    for (int i = 0; i < def->n_drawers; ++i) v->drawers[i] = def->drawers[i];
    v->def.only = NULL, v->def.surface = NULL, v->def.drawers = NULL;
    TarnResult result = read_only(v, def->only);
    if (result != TARN_OK) {
        tarn_viewer_destroy(v);
        return result;
    }
    *out = v;
    return TARN_OK;
}

static TarnDrawing drawing_of(TarnViewer* v, SolverView* s)
{
    return (TarnDrawing){ .ctx = v->ctx,
                          .world = v->world,
                          .scene = v->scene,
                          .solver = s->solver,
                          .memory = s->memory,
                          .viewer = v };
}

static void forget_solver(TarnViewer* v, SolverView* s)
{
    TarnDrawing d = drawing_of(v, s);
    if (s->drawer != NULL && s->drawer->destroy != NULL) s->drawer->destroy(&d);
    if (s->drawer != NULL) tarn__free(v->ctx, s->memory, s->drawer->memory);
    tarn_drawing_free(v->ctx, &s->waves);
    tarn__free(v->ctx, s, sizeof *s);
}

void tarn_viewer_destroy(TarnViewer* v)
{
    if (v == NULL) return;
    SolverView** solvers = v->solvers.data;
    for (int i = 0; i < v->n_solvers; ++i) forget_solver(v, solvers[i]);
    tarn__view_solids_free(v);
    tarn__view_layers_free(v->ctx, &v->now);
    tarn__view_layers_free(v->ctx, &v->shown);
    tarn__view_layers_free(v->ctx, &v->kept.layers);
    Block* blocks[] = { &v->solvers,     &v->things.triangles, &v->things.vertices,
                        &v->kept.memory, &v->blended,          &v->ids.block };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; ++i)
        tarn_drawing_free(v->ctx, blocks[i]);
    tarn__free(v->ctx, v, sizeof *v);
}

TarnResult tarn_viewer_resize(TarnViewer* v, int width, int height)
{
    if (v == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_size(v->ctx, width, height));
    v->def.width = width, v->def.height = height;
    return TARN_OK;
}

// ---- Solvers -----------------------------------------------------------------------------------------

static TarnResult add_solver(TarnViewer* v, void* solver)
{
    const TarnDrawer* drawer = tarn__view_drawer_for(v, tarn_world_class_of(v->world, solver));
    TARN_TRY(tarn_drawing_reserve(v->ctx, &v->solvers,
                                  ((size_t)v->n_solvers + 1) * sizeof(SolverView*)));
    SolverView* s = tarn__alloc(v->ctx, sizeof *s);
    void* memory =
        drawer != NULL && drawer->memory > 0 ? tarn__alloc(v->ctx, drawer->memory) : NULL;
    if (s == NULL || (drawer != NULL && drawer->memory > 0 && memory == NULL)) {
        tarn__free(v->ctx, s, sizeof *s);
        return tarn__fail(v->ctx, TARN_ERR_MEMORY, "viewer: no memory for %s",
                          tarn_world_name_of(v->world, solver));
    }
    *s = (SolverView){ .solver = solver,
                       .number = tarn_world_number(v->world, solver),
                       .drawer = drawer,
                       .memory = memory };
    ((SolverView**)v->solvers.data)[v->n_solvers++] = s;
    return TARN_OK;
}

static bool is_known(const TarnViewer* v, const void* solver)
{
    SolverView* const* solvers = v->solvers.data;
    for (int i = 0; i < v->n_solvers; ++i)
        if (solvers[i]->solver == solver) return true;
    return false;
}

TarnResult tarn__view_find_solvers(TarnViewer* v)
{
    SolverView** solvers = v->solvers.data;
    int n = 0;
    for (int i = 0; i < v->n_solvers; ++i) {
        if (tarn_world_number(v->world, solvers[i]->solver) == solvers[i]->number)
            solvers[n++] = solvers[i];
        else
            forget_solver(v, solvers[i]);
    }
    v->n_solvers = n;
    void* solver;
    for (int i = 0; (solver = tarn_world_get(v->world, NULL, i)) != NULL; ++i)
        if (!is_known(v, solver)) TARN_TRY(add_solver(v, solver));
    return TARN_OK;
}

static bool is_wanted(const TarnViewer* v, const SolverView* s)
{
    const char* name = tarn_world_name_of(v->world, s->solver);
    for (int i = 0; i < v->n_only; ++i)
        if (strcmp(v->only[i], name) == 0) return true;
    return v->n_only == 0;
}

// ---- Collecting layers ---------------------------------------------------------------------------------

static TarnResult add_layers(TarnViewer* v, SolverView* s)
{
    const TarnSolverClass* of = tarn_world_class_of(v->world, s->solver);
    TarnSolverLook look = tarn__view_look_of(v, s);
    if (!is_wanted(v, s) || look.is_hidden) return TARN_OK;
    if (of->surface && tarn_world_on(v->world, s->solver))
        return TARN_OK; // drawn with the water that it lies on
    if (s->drawer == NULL && of->phase == TARN_PHASE_EFFECTS) return TARN_OK; // steers others
    if (s->drawer == NULL)
        return tarn__fail(v->ctx, TARN_ERR_UNSUPPORTED,
                          "%s (%s) cannot be drawn: its kind has no drawer and offers no Surface; "
                          "give TarnViewerDef.drawers one, or draw only the others (--only NAMES)",
                          tarn_world_name_of(v->world, s->solver), of->name);
    TarnDrawing d = drawing_of(v, s);
    d.look = &look;
    int n = v->now.waters.n;
    bool had_sea = v->has_sea;
    TARN_TRY(s->drawer->update(&d));
    bool has_sea = v->has_sea && !had_sea;
    if (s->drawer == &tarn__view_draw_surface || (v->now.waters.n == n && !has_sea)) return TARN_OK;
    TarnFrameWaves waves; // what lies on top of it
    TARN_TRY(tarn__view_waves_on(v, s, &waves));
    for (; n < v->now.waters.n; ++n) LAYER(TarnFrameWater, &v->now.waters, n)->waves = waves;
    if (has_sea) v->sea.waves = waves;
    return TARN_OK;
}

bool tarn__view_is_flat(const Layers* l)
{
    for (int i = 0; i < l->liquids.n; ++i)
        if (LAYER(TarnFrameLiquid, &l->liquids, i)->dimensions == 2) return true;
    return false;
}

static const char* name_of_owner(const TarnViewer* v, uint64_t owner)
{
    SolverView* const* solvers = v->solvers.data;
    for (int i = 0; i < v->n_solvers; ++i)
        if ((uint64_t)solvers[i]->number == owner)
            return tarn_world_name_of(v->world, solvers[i]->solver);
    return "a solver";
}

// A 2-D liquid fills the picture: it goes with other 2-D liquids, particles, bodies and solids.
static TarnResult check_mix(const TarnViewer* v)
{
    const Layers* l = &v->now;
    if (!tarn__view_is_flat(l)) return TARN_OK;
    const char *flat = "", *other = NULL;
    for (int i = 0; i < l->liquids.n; ++i) {
        const char* name = name_of_owner(v, layer_owner(&l->liquids, i));
        if (LAYER(TarnFrameLiquid, &l->liquids, i)->dimensions == 2)
            flat = name;
        else
            other = name;
    }
    const LayerList* deep[] = { &l->waters, &l->gases, &l->meshes };
    for (int i = 0; i < 3; ++i)
        if (deep[i]->n > 0) other = name_of_owner(v, layer_owner(deep[i], 0));
    if (other == NULL) return TARN_OK;
    return tarn__fail(v->ctx, TARN_ERR_UNSUPPORTED,
                      "%s is a 2-D liquid, which fills the picture, and cannot be drawn together "
                      "with %s; draw only one of them: --only %s (TarnViewerDef.only)",
                      flat, other, flat);
}

static TarnResult collect(TarnViewer* v)
{
    v->has_frame = false;
    v->target = &v->now;
    v->view = tarn_scene_view(v->scene);
    tarn__view_layers_clear(&v->now);
    v->has_sea = false;
    TARN_TRY(tarn__view_find_solvers(v));
    SolverView** solvers = v->solvers.data;
    for (int i = 0; i < v->n_solvers; ++i) TARN_TRY(add_layers(v, solvers[i]));
    TARN_TRY(check_mix(v));
    TARN_TRY(tarn__view_add_bodies(v));
    TARN_TRY(tarn__view_add_blocks(v));
    bool is_flat = tarn__view_is_flat(&v->now);
    float side = 0.0f;
    if (is_flat) {
        const TarnFrameLiquid* l = LAYER(TarnFrameLiquid, &v->now.liquids, 0);
        side = fmaxf(l->box_max.x - l->box_min.x, l->box_max.y - l->box_min.y);
    }
    TARN_TRY(tarn__view_add_solids(v, is_flat, side));
    const Layers* l = &v->now;
    if (l->waters.n + l->liquids.n + l->particles.n + l->gases.n + l->meshes.n + l->bodies.n +
                l->solids.n ==
            0 &&
        !v->has_sea)
        return tarn__fail(v->ctx, TARN_ERR_UNSUPPORTED, "the world holds nothing to draw");
    v->frame = (TarnFrame){ .mode = v->view.mode == 1 ? TARN_RENDER_BARS : TARN_RENDER_WATER,
                            .sea = v->has_sea ? &v->sea : NULL,
                            .time = tarn_world_time(v->world) };
    tarn__view_layers_show(&v->now, &v->frame);
    tarn__view_set_camera(v, &v->frame);
    return TARN_OK;
}

// What needs the camera, on top of the layers that are shown.
static TarnResult finish(TarnViewer* v, Layers* layers)
{
    SolverView** solvers = v->solvers.data;
    v->target = layers;
    tarn__view_layers_show(layers, &v->frame);
    for (int i = 0; i < v->n_solvers; ++i) {
        SolverView* s = solvers[i];
        if (s->drawer == NULL || s->drawer->finish == NULL || !is_wanted(v, s)) continue;
        TarnSolverLook look = tarn__view_look_of(v, s);
        TarnDrawing d = drawing_of(v, s);
        d.look = &look;
        d.frame = &v->frame;
        if (!look.is_hidden) TARN_TRY(s->drawer->finish(&d));
    }
    tarn__view_layers_show(layers, &v->frame);
    v->has_frame = true;
    return TARN_OK;
}

// ---- Frames ------------------------------------------------------------------------------------------

TarnResult tarn_viewer_update(TarnViewer* v, const TarnFrame** out)
{
    return tarn_viewer_update_between(v, 1.0f, out);
}

TarnResult tarn_viewer_keep(TarnViewer* v)
{
    if (v == NULL) return TARN_ERR_ARG;
    v->kept.is_there = false;
    TARN_TRY(collect(v));
    v->kept.time = tarn_world_time(v->world);
    v->kept.anchor = v->camera.anchor;
    v->kept.has_anchor = true;
    return tarn__view_keep_layers(v->ctx, &v->now, &v->kept);
}

// The camera moves on evenly from where it was when the state was kept.
static void blend_camera(TarnViewer* v, float share)
{
    if (!v->kept.has_anchor) return;
    TarnVec3 from = v->kept.anchor, to = v->camera.anchor;
    float w = 1.0f - share;
    TarnVec3 back = { w * (from.x - to.x), w * (from.y - to.y), w * (from.z - to.z) };
    TarnVec3* points[] = { &v->frame.camera.eye, &v->frame.camera.target };
    for (int i = 0; i < 2; ++i) {
        points[i]->x += back.x;
        points[i]->y += back.y;
        points[i]->z += back.z;
    }
}

TarnResult tarn_viewer_update_between(TarnViewer* v, float share, const TarnFrame** out)
{
    if (out != NULL) *out = NULL;
    if (v == NULL) return TARN_ERR_ARG;
    if (!(share >= 0.0f && share <= 1.0f))
        return tarn__fail(v->ctx, TARN_ERR_ARG, "viewer: share is %g; allowed: 0 to 1",
                          (double)share);
    bool is_between = share < 1.0f && v->kept.is_there;
    TARN_TRY(collect(v));
    if (is_between) {
        double span = v->frame.time - v->kept.time;
        TARN_TRY(tarn__view_blend_layers(v, share, span));
        blend_camera(v, share);
        v->frame.time = v->kept.time + (double)share * span;
    }
    TARN_TRY(finish(v, is_between ? &v->shown : &v->now));
    if (out != NULL) *out = &v->frame;
    return TARN_OK;
}
