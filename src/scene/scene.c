// A scene: JSON text to a running world. Here is the order in which a file is read, section by
// section; scene_read.c knows how keys, values and overrides work, scene_build.c makes the world.
//
// Everything is read and checked before anything is built, so that a refused text costs nothing.

#include "scene/scene_inside.h"
#include "base/param.h"
#include <stdio.h>

struct TarnScene {
    TarnContext* ctx;
    size_t memory;
    TarnWorld* world;
    TarnSceneRun run;
    TarnSceneView view;
    int n_colors;
    SceneColor* colors; // sorted by id
    const char *title, *about;
};

// ---- Sections ----------------------------------------------------------------------------------------

static TarnResult check_format(SceneReader* r)
{
    const TarnJson* root = r->doc.root;
    if (root->type != TARN_JSON_OBJECT)
        return tarn__scene_refuse_value(r, root, "expected an object, found %s",
                                        tarn__json_type_name(root->type));
    const TarnJson* format = tarn__json_get(root, "tarn_scene");
    if (format == NULL)
        return tarn__fail(r->ctx, TARN_ERR_VERSION,
                          "%s:%d:%d: not a Tarn scene: the key \"tarn_scene\": %d is missing",
                          r->name, root->line, root->column, TARN_SCENE_FORMAT);
    if (format->type != TARN_JSON_NUMBER)
        return tarn__fail(r->ctx, TARN_ERR_VERSION, "%s:%d:%d: tarn_scene: expected %d, found %s",
                          r->name, format->line, format->column, TARN_SCENE_FORMAT,
                          tarn__json_type_name(format->type));
    if (format->number != TARN_SCENE_FORMAT)
        return tarn__fail(r->ctx, TARN_ERR_VERSION,
                          "%s:%d:%d: scene format %g; this version of Tarn reads format %d",
                          r->name, format->line, format->column, format->number, TARN_SCENE_FORMAT);
    return TARN_OK;
}

static TarnResult check_root(SceneReader* r)
{
    static const char* const keys[] = { "tarn_scene", "title", "about",  "run",      "view",
                                        "world",      "wave",  "bodies", "emitters", NULL };
    SceneObject root = { .path = "the scene", .node = r->doc.root, .others = keys };
    TARN_TRY(tarn__scene_read_object(r, &root));
    for (int i = 1; i <= 2; ++i) {
        const TarnJson* text = tarn__json_get(r->doc.root, keys[i]);
        if (text && text->type != TARN_JSON_STRING)
            return tarn__scene_refuse_value(r, text, "%s: expected a string, found %s", keys[i],
                                            tarn__json_type_name(text->type));
    }
    return TARN_OK;
}

// An object with one table and nothing else.
static TarnResult read_plain(SceneReader* r, const char* path, const TarnJson* node,
                             const TarnParamTable* table, void* target)
{
    SceneObject object = { .path = path, .node = node };
    object.tables[0] = table;
    object.targets[0] = target;
    return tarn__scene_read_object(r, &object);
}

static TarnResult read_section(SceneReader* r, const char* name, const TarnParamTable* table,
                               void* target)
{
    return read_plain(r, name, tarn__json_get(r->doc.root, name), table, target);
}

// Memory for n objects of a list; *out stays NULL if there are none.
static TarnResult make_room(SceneReader* r, int n, size_t size, void* out)
{
    void* room = n > 0 ? tarn__alloc(r->ctx, (size_t)n * size) : NULL;
    if (n > 0 && room == NULL)
        return tarn__fail(r->ctx, TARN_ERR_MEMORY, "%s: no memory for %d objects", r->name, n);
    memcpy(out, &room, sizeof room);
    return TARN_OK;
}

static TarnResult read_walls(SceneReader* r, const TarnJson* list)
{
    TARN_TRY(tarn__scene_read_list(r, list, "wave.walls", SCENE_MAX_WALLS, &r->n_walls));
    TARN_TRY(make_room(r, r->n_walls, sizeof(SceneWall), &r->walls));
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < r->n_walls; ++i, node = node->next) {
        SceneWall* wall = &r->walls[i];
        char path[SCENE_ITEM];
        snprintf(path, sizeof path, "wave.walls[%d]", i);
        tarn_param_defaults(tarn__scene_wall_table(), wall);
        TARN_TRY(read_plain(r, path, node, tarn__scene_wall_table(), wall));
        bool is_upright = wall->min.x < wall->max.x && wall->min.y < wall->max.y;
        if (wall->shape == SCENE_WALL_BOX && !is_upright)
            return tarn__scene_refuse_value(r, node, "%s: min [%g, %g] must be below max [%g, %g]",
                                            path, (double)wall->min.x, (double)wall->min.y,
                                            (double)wall->max.x, (double)wall->max.y);
    }
    return TARN_OK;
}

static TarnResult read_bed(SceneReader* r, const TarnJson* list)
{
    TARN_TRY(tarn__scene_read_list(r, list, "wave.bed", SCENE_MAX_BED, &r->n_bed));
    TARN_TRY(make_room(r, r->n_bed, sizeof(SceneBed), &r->bed));
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < r->n_bed; ++i, node = node->next) {
        SceneBed* bed = &r->bed[i];
        char path[SCENE_ITEM];
        snprintf(path, sizeof path, "wave.bed[%d]", i);
        tarn_param_defaults(tarn__scene_bed_table(), bed);
        TARN_TRY(read_plain(r, path, node, tarn__scene_bed_table(), bed));
        if (bed->kind == SCENE_BED_SLOPE && bed->from.x == bed->to.x && bed->from.y == bed->to.y)
            return tarn__scene_refuse_value(r, node, "%s: from and to are the same point", path);
    }
    return TARN_OK;
}

static TarnResult read_wave(SceneReader* r)
{
    static const char* const others[] = { "walls", "bed", NULL };
    const TarnJson* node = tarn__json_get(r->doc.root, "wave");
    r->has_wave = node != NULL || tarn__scene_is_overridden(r, "wave");
    if (!r->has_wave) return TARN_OK;
    SceneObject wave = { .path = "wave", .node = node, .others = others };
    wave.tables[0] = tarn_wave_def_table();
    wave.targets[0] = &r->wave;
    wave.tables[1] = tarn_wave_params_table();
    wave.targets[1] = &r->wave_params;
    TARN_TRY(tarn__scene_read_object(r, &wave));
    TARN_TRY(read_walls(r, tarn__json_get(node, "walls")));
    return read_bed(r, tarn__json_get(node, "bed"));
}

// ---- Bodies ------------------------------------------------------------------------------------------

static TarnResult check_points(SceneReader* r, const SceneBodyEntry* entry, const char* path)
{
    const TarnJson* points = tarn__json_get(entry->node, "points");
    if (entry->body.shape != TARN_SHAPE_HULL) {
        if (points == NULL) return TARN_OK;
        return tarn__scene_refuse_key(r, points, "%s.points: only a hull takes points", path);
    }
    if (points == NULL)
        return tarn__scene_refuse_value(r, entry->node,
                                        "%s: a hull needs \"points\", 4 to 64 of them", path);
    if (points->type != TARN_JSON_ARRAY || points->count < 4 || points->count > 64)
        return tarn__scene_refuse_value(r, points, "%s.points: expected an array of 4 to 64 points",
                                        path);
    for (const TarnJson* point = points->child; point; point = point->next) {
        bool is_good = point->type == TARN_JSON_ARRAY && point->count == 3;
        for (const TarnJson* x = is_good ? point->child : NULL; x; x = x->next)
            is_good =
                is_good && x->type == TARN_JSON_NUMBER && x->number >= -1e3 && x->number <= 1e3;
        if (!is_good)
            return tarn__scene_refuse_value(
                r, point, "%s.points: expected [x, y, z], each -1000 to 1000 m", path);
    }
    return TARN_OK;
}

// How many numbers "size" takes depends on the shape.
static TarnResult check_size(SceneReader* r, const SceneBodyEntry* entry, const char* path)
{
    static const char* const takes[] = {
        "a sphere takes its radius", "a box takes [x, y, z] half extents, or a number for a cube",
        "a capsule takes [radius, half length]", "a hull takes points, no size"
    };
    const TarnJson* size = tarn__json_get(entry->node, "size");
    if (size == NULL) return TARN_OK;
    int n = size->type == TARN_JSON_NUMBER ? 1 : size->count;
    int shape = entry->body.shape;
    bool is_good = (shape == TARN_SHAPE_SPHERE && n == 1) ||
                   (shape == TARN_SHAPE_CAPSULE && n == 2) ||
                   (shape == TARN_SHAPE_BOX && (n == 1 || n == 3));
    return is_good ? TARN_OK : tarn__scene_refuse_value(r, size, "%s.size: %s", path, takes[shape]);
}

static TarnResult read_grid(SceneReader* r, SceneBodyEntry* entry, const char* body_path)
{
    char path[SCENE_PATH];
    const TarnJson* node = tarn__json_get(entry->node, "grid");
    snprintf(path, sizeof path, "%s.grid", body_path);
    tarn_param_defaults(tarn__scene_grid_table(), &entry->grid);
    TARN_TRY(read_plain(r, path, node, tarn__scene_grid_table(), &entry->grid));
    TarnVec3 n = entry->grid.count; // 1 to 4096 each: the table saw to it
    if (n.x == (float)(int)n.x && n.y == (float)(int)n.y && n.z == (float)(int)n.z) return TARN_OK;
    return tarn__scene_refuse_value(r, node ? node : entry->node, "%s.count: takes whole numbers",
                                    path);
}

static TarnResult read_body(SceneReader* r, SceneBodyEntry* entry, const char* path)
{
    static const char* const others[] = { "points", "driver", "grid", "name", NULL };
    tarn_param_defaults(tarn__scene_body_table(), &entry->body);
    SceneObject body = { .path = path, .node = entry->node, .others = others, .stretched = "size" };
    body.tables[0] = tarn__scene_body_table();
    body.targets[0] = &entry->body;
    TARN_TRY(tarn__scene_read_object(r, &body));
    TARN_TRY(check_size(r, entry, path));
    TARN_TRY(check_points(r, entry, path));
    const TarnJson* name = tarn__json_get(entry->node, "name");
    if (name && name->type != TARN_JSON_STRING)
        return tarn__scene_refuse_value(r, name, "%s.name: expected a string, found %s", path,
                                        tarn__json_type_name(name->type));
    TARN_TRY(read_grid(r, entry, path));

    char driver_path[SCENE_PATH];
    snprintf(driver_path, sizeof driver_path, "%s.driver", path);
    entry->driver = tarn_driver_default_def();
    return read_plain(r, driver_path, tarn__json_get(entry->node, "driver"),
                      tarn_driver_def_table(), &entry->driver);
}

static TarnResult read_bodies(SceneReader* r)
{
    const TarnJson* list = tarn__json_get(r->doc.root, "bodies");
    TARN_TRY(tarn__scene_read_list(r, list, "bodies", SCENE_MAX_BODIES, &r->n_bodies));
    TARN_TRY(make_room(r, r->n_bodies, sizeof(SceneBodyEntry), &r->bodies));
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < r->n_bodies; ++i, node = node->next) {
        char path[SCENE_ITEM];
        snprintf(path, sizeof path, "bodies[%d]", i);
        r->bodies[i].node = node;
        TARN_TRY(read_body(r, &r->bodies[i], path));
    }
    int total = tarn__scene_count_bodies(r), most = r->world.max_bodies;
    if (total > SCENE_MAX_BODIES)
        return tarn__scene_refuse_value(r, list, "bodies: their grids make more than %d bodies",
                                        SCENE_MAX_BODIES);
    bool is_fixed =
        tarn__scene_is_given(r, "world", tarn__json_get(r->doc.root, "world"), "max_bodies");
    if (is_fixed && total > most)
        return tarn__scene_refuse_value(r, list, "bodies: %d are more than world.max_bodies, %d",
                                        total, most);
    if (total > most) r->world.max_bodies = total;
    return TARN_OK;
}

// ---- Emitters ----------------------------------------------------------------------------------------

static TarnResult read_emitters(SceneReader* r)
{
    const TarnJson* list = tarn__json_get(r->doc.root, "emitters");
    TARN_TRY(tarn__scene_read_list(r, list, "emitters", SCENE_MAX_EMITTERS, &r->n_emitters));
    TARN_TRY(make_room(r, r->n_emitters, sizeof(TarnEmitterDef), &r->emitters));
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < r->n_emitters; ++i, node = node->next) {
        char path[SCENE_ITEM];
        snprintf(path, sizeof path, "emitters[%d]", i);
        r->emitters[i] = tarn_emitter_default_def();
        TARN_TRY(read_plain(r, path, node, tarn_emitter_def_table(), &r->emitters[i]));
    }
    int most = r->world.max_emitters;
    bool is_fixed =
        tarn__scene_is_given(r, "world", tarn__json_get(r->doc.root, "world"), "max_emitters");
    if (is_fixed && r->n_emitters > most)
        return tarn__scene_refuse_value(
            r, list, "emitters: %d are more than world.max_emitters, %d", r->n_emitters, most);
    if (r->n_emitters > most) r->world.max_emitters = r->n_emitters;
    return TARN_OK;
}

// ---- The whole file ----------------------------------------------------------------------------------

static TarnResult read_sections(SceneReader* r)
{
    TARN_TRY(check_format(r));
    TARN_TRY(check_root(r));
    TARN_TRY(read_section(r, "run", tarn_scene_run_table(), &r->run));
    TARN_TRY(read_section(r, "view", tarn_scene_view_table(), &r->view));
    TARN_TRY(read_section(r, "world", tarn_world_def_table(), &r->world));
    TARN_TRY(read_wave(r));
    TARN_TRY(read_bodies(r));
    TARN_TRY(read_emitters(r));
    TARN_TRY(tarn__scene_check_overrides(r));

    // What the wave section leaves open follows from the others.
    const TarnJson* wave = tarn__json_get(r->doc.root, "wave");
    if (!tarn__scene_is_given(r, "wave", wave, "gravity")) r->wave.gravity = 0.0f; // the world's
    if (r->n_bodies > 0 && !tarn__scene_is_given(r, "wave", wave, "use_bodies"))
        r->wave.use_bodies = true;
    return TARN_OK;
}

static const char* text_or(const TarnJson* root, const char* key, const char* otherwise)
{
    const TarnJson* text = tarn__json_get(root, key);
    return text ? text->string : otherwise;
}

static void sort_colors(SceneColor* colors, int n) // ids mostly come in order
{
    for (int i = 1; i < n; ++i) {
        SceneColor c = colors[i];
        int k = i;
        for (; k > 0 && colors[k - 1].body > c.body; --k) colors[k] = colors[k - 1];
        colors[k] = c;
    }
}

static TarnResult make_scene(SceneReader* r, TarnScene** out)
{
    const char* title = text_or(r->doc.root, "title", r->name);
    const char* about = text_or(r->doc.root, "about", "");
    int n = tarn__scene_count_bodies(r);
    TarnLayout layout = { 0 };
    tarn__layout_add(&layout, sizeof(TarnScene));
    size_t at_colors = tarn__layout_add(&layout, (size_t)n * sizeof(SceneColor));
    size_t at_title = tarn__layout_add(&layout, strlen(title) + 1);
    size_t at_about = tarn__layout_add(&layout, strlen(about) + 1);
    char* block = tarn__alloc(r->ctx, layout.size);
    if (block == NULL)
        return tarn__fail(r->ctx, TARN_ERR_MEMORY, "%s: no memory for a scene of %zu bytes",
                          r->name, layout.size);
    TarnScene* scene = (TarnScene*)block;
    *scene = (TarnScene){ .ctx = r->ctx, .memory = layout.size, .run = r->run, .view = r->view };
    scene->n_colors = n;
    scene->colors = (SceneColor*)(block + at_colors);
    scene->title = strcpy(block + at_title, title);
    scene->about = strcpy(block + at_about, about);

    TarnResult result = tarn_world_create(r->ctx, &r->world, &scene->world);
    if (result == TARN_OK) result = tarn__scene_build(r, scene->world, scene->colors);
    if (result != TARN_OK) {
        tarn_scene_destroy(scene);
        return result;
    }
    sort_colors(scene->colors, n);
    *out = scene;
    return TARN_OK;
}

static TarnResult read_and_make(SceneReader* r, const char* text, size_t size, TarnScene** out)
{
    TARN_TRY(make_room(r, r->n_overrides, sizeof(bool), &r->is_used));
    TARN_TRY(tarn__json_parse(r->ctx, r->name, text, size, &r->doc));
    TARN_TRY(read_sections(r));
    return make_scene(r, out);
}

static void free_reader(SceneReader* r)
{
    TarnContext* ctx = r->ctx;
    tarn__free(ctx, r->is_used, (size_t)r->n_overrides * sizeof(bool));
    tarn__free(ctx, r->walls, (size_t)r->n_walls * sizeof(SceneWall));
    tarn__free(ctx, r->bed, (size_t)r->n_bed * sizeof(SceneBed));
    tarn__free(ctx, r->bodies, (size_t)r->n_bodies * sizeof(SceneBodyEntry));
    tarn__free(ctx, r->emitters, (size_t)r->n_emitters * sizeof(TarnEmitterDef));
    tarn__json_free(ctx, &r->doc);
    pthread_mutex_destroy(&r->quiet.error_lock);
}

TarnResult tarn_scene_create(TarnContext* ctx, const char* text, size_t size, const char* name,
                             const TarnSceneOverride* overrides, int n_overrides, TarnScene** out)
{
    if (out) *out = NULL;
    bool is_good =
        ctx && out && (text || size == 0) && n_overrides >= 0 && (overrides || n_overrides == 0);
    for (int i = 0; is_good && i < n_overrides; ++i)
        is_good = overrides[i].path && overrides[i].value;
    if (!is_good)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "tarn_scene_create: a pointer is NULL or n_overrides is negative");

    SceneReader r = { .ctx = ctx, .name = name ? name : "scene" };
    r.overrides = overrides;
    r.n_overrides = n_overrides;
    pthread_mutex_init(&r.quiet.error_lock, NULL);
    tarn_param_defaults(tarn_scene_run_table(), &r.run);
    tarn_param_defaults(tarn_scene_view_table(), &r.view);
    r.world = tarn_world_default_def();
    r.wave = tarn_wave_default_def();
    r.wave_params = tarn_wave_default_params();
    TarnResult result = read_and_make(&r, text, size, out);
    free_reader(&r);
    return result;
}

void tarn_scene_destroy(TarnScene* scene)
{
    if (scene == NULL) return;
    tarn_world_destroy(scene->world);
    tarn__free(scene->ctx, scene, scene->memory);
}

// ---- Access ------------------------------------------------------------------------------------------

TarnWorld* tarn_scene_world(TarnScene* scene)
{
    return scene ? scene->world : NULL;
}
const char* tarn_scene_title(const TarnScene* scene)
{
    return scene ? scene->title : "";
}
const char* tarn_scene_about(const TarnScene* scene)
{
    return scene ? scene->about : "";
}
TarnSceneRun tarn_scene_run(const TarnScene* scene)
{
    TarnSceneRun run;
    tarn_param_defaults(tarn_scene_run_table(), &run);
    return scene ? scene->run : run;
}
TarnSceneView tarn_scene_view(const TarnScene* scene)
{
    TarnSceneView view;
    tarn_param_defaults(tarn_scene_view_table(), &view);
    return scene ? scene->view : view;
}

TarnVec3 tarn_scene_body_color(const TarnScene* scene, TarnBodyId body)
{
    int lo = 0, hi = scene ? scene->n_colors : 0;
    while (lo < hi) {
        int middle = (lo + hi) / 2;
        if (scene->colors[middle].body < body.value)
            lo = middle + 1;
        else
            hi = middle;
    }
    bool is_found = scene && lo < scene->n_colors && scene->colors[lo].body == body.value;
    return is_found ? scene->colors[lo].color : (TarnVec3){ 0.5f, 0.5f, 0.5f };
}
