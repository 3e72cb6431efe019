// A scene: JSON text to a running world. Here is the order in which a file is read, section by
// section; scene_read.c knows how keys, values and overrides work, scene_build.c makes the world.
//
// Everything is read and checked before anything is built, so that a refused text costs nothing.

#include "scene/scene_internal.h"
#include "base/param.h"
#include <stdio.h>

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

static TarnResult read_engine(SceneReader* r)
{
    static const char* const names[] = { "builtin", "chipmunk", "ode" };
    const TarnJson* node = tarn__json_get(r->doc.root, "engine");
    r->engine = names[0];
    if (node == NULL) return TARN_OK;
    for (int i = 0; node->type == TARN_JSON_STRING && i < 3; ++i) {
        if (strcmp(node->string, names[i]) != 0) continue;
        r->engine = names[i];
        return TARN_OK;
    }
    return tarn__scene_refuse_value(r, node, "engine: expected one of: builtin, chipmunk, ode");
}

static TarnResult check_root(SceneReader* r)
{
    static const char* const keys[] = { "tarn_scene", "title",    "about",   "run",        "view",
                                        "world",      "wave",     "shallow", "pipes",      "window",
                                        "bodies",     "emitters", "liquid",  "particles",  "fires",
                                        "solids",     "engine",   "gases",   "curl_noise", NULL };
    SceneObject root = { .path = "the scene", .node = r->doc.root, .others = keys };
    TARN_TRY(tarn__scene_read_object(r, &root));
    for (int i = 1; i <= 2; ++i) {
        const TarnJson* text = tarn__json_get(r->doc.root, keys[i]);
        if (text && text->type != TARN_JSON_STRING)
            return tarn__scene_refuse_value(r, text, "%s: expected a string, found %s", keys[i],
                                            tarn__json_type_name(text->type));
    }
    return read_engine(r);
}

static TarnResult read_section(SceneReader* r, const char* name, const TarnParamTable* table,
                               void* target)
{
    return tarn__scene_read_plain(r, name, tarn__json_get(r->doc.root, name), table, target);
}

static TarnResult read_walls(SceneReader* r, const TarnJson* list)
{
    TARN_TRY(tarn__scene_read_list(r, list, "wave.walls", SCENE_MAX_WALLS, &r->n_walls));
    TARN_TRY(tarn__scene_make_room(r, r->n_walls, sizeof(SceneWall), &r->walls));
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < r->n_walls; ++i, node = node->next) {
        SceneWall* wall = &r->walls[i];
        char path[SCENE_ITEM];
        snprintf(path, sizeof path, "wave.walls[%d]", i);
        tarn_param_defaults(tarn__scene_wall_table(), wall);
        TARN_TRY(tarn__scene_read_plain(r, path, node, tarn__scene_wall_table(), wall));
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
    TARN_TRY(tarn__scene_make_room(r, r->n_bed, sizeof(SceneBed), &r->bed));
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < r->n_bed; ++i, node = node->next) {
        SceneBed* bed = &r->bed[i];
        char path[SCENE_ITEM];
        snprintf(path, sizeof path, "wave.bed[%d]", i);
        tarn_param_defaults(tarn__scene_bed_table(), bed);
        TARN_TRY(tarn__scene_read_plain(r, path, node, tarn__scene_bed_table(), bed));
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
    TARN_TRY(tarn__scene_read_plain(r, path, node, tarn__scene_grid_table(), &entry->grid));
    TarnVec3 n = entry->grid.count; // 1 to 4096 each: the table saw to it
    if (n.x == (float)(int)n.x && n.y == (float)(int)n.y && n.z == (float)(int)n.z) return TARN_OK;
    return tarn__scene_refuse_value(r, node ? node : entry->node, "%s.count: takes whole numbers",
                                    path);
}

static TarnResult read_body_solid(SceneReader* r, SceneBodyEntry* entry, const char* body_path)
{
    char path[SCENE_PATH];
    const TarnJson* node = tarn__json_get(entry->node, "solid");
    snprintf(path, sizeof path, "%s.solid", body_path);
    if (node == NULL) return TARN_OK;
    TARN_TRY(tarn__scene_make_room(r, 1, sizeof(SceneSolidEntry), &entry->solid));
    entry->solid->node = node;
    return tarn__scene_read_solid(r, entry->solid, path);
}

static TarnResult read_body(SceneReader* r, SceneBodyEntry* entry, const char* path)
{
    static const char* const others[] = { "points", "driver", "grid", "name", "solid", NULL };
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
    TARN_TRY(read_body_solid(r, entry, path));

    char driver_path[SCENE_PATH];
    snprintf(driver_path, sizeof driver_path, "%s.driver", path);
    entry->driver = tarn_driver_default_def();
    return tarn__scene_read_plain(r, driver_path, tarn__json_get(entry->node, "driver"),
                                  tarn_driver_def_table(), &entry->driver);
}

// Names the entry that asks for most.
static TarnResult refuse_grids(SceneReader* r)
{
    double most = -1.0;
    int which = 0;
    for (int i = 0; i < r->n_bodies; ++i) {
        TarnVec3 n = r->bodies[i].grid.count;
        double all = (double)n.x * n.y * n.z;
        if (all > most) most = all, which = i;
    }
    return tarn__scene_refuse_value(r, r->bodies[which].node,
                                    "bodies[%d].grid.count: %.0f of this body, and more than %d "
                                    "bodies in all; allowed: at most %d",
                                    which, most, SCENE_MAX_BODIES, SCENE_MAX_BODIES);
}

static TarnResult read_bodies(SceneReader* r)
{
    const TarnJson* list = tarn__json_get(r->doc.root, "bodies");
    TARN_TRY(tarn__scene_read_list(r, list, "bodies", SCENE_MAX_BODIES, &r->n_bodies));
    TARN_TRY(tarn__scene_make_room(r, r->n_bodies, sizeof(SceneBodyEntry), &r->bodies));
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < r->n_bodies; ++i, node = node->next) {
        char path[SCENE_ITEM];
        snprintf(path, sizeof path, "bodies[%d]", i);
        r->bodies[i].node = node;
        TARN_TRY(read_body(r, &r->bodies[i], path));
    }
    int total = tarn__scene_count_bodies(r), most = r->world.max_bodies;
    if (total > SCENE_MAX_BODIES) return refuse_grids(r);
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
    TARN_TRY(tarn__scene_make_room(r, r->n_emitters, sizeof(TarnEmitterDef), &r->emitters));
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < r->n_emitters; ++i, node = node->next) {
        char path[SCENE_ITEM];
        snprintf(path, sizeof path, "emitters[%d]", i);
        r->emitters[i] = tarn_emitter_default_def();
        TARN_TRY(tarn__scene_read_plain(r, path, node, tarn_emitter_def_table(), &r->emitters[i]));
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

// Gates are counted, so an emitter that opens one that is not there is a mistake.
static TarnResult check_gates(SceneReader* r)
{
    const TarnJson* list = tarn__json_get(r->doc.root, "emitters");
    const TarnJson* node = list ? list->child : NULL;
    int n = r->lands[LAND_SHALLOW].n_gates;
    for (int i = 0; i < r->n_emitters; ++i, node = node->next) {
        const TarnEmitterDef* emitter = &r->emitters[i];
        if (emitter->kind == TARN_EMITTER_GATE && emitter->gate >= n)
            return tarn__scene_refuse_value(
                r, node, "emitters[%d].gate: %d; the scene has %d gates, counted from 0", i,
                emitter->gate, n);
    }
    return TARN_OK;
}

// ---- Window ------------------------------------------------------------------------------------------

static TarnResult read_window(SceneReader* r)
{
    static const char* const others[] = { "follow", NULL };
    const TarnJson* node = tarn__json_get(r->doc.root, "window");
    SceneObject window = { .path = "window", .node = node, .others = others };
    window.tables[0] = tarn_window_def_table();
    window.targets[0] = &r->window;
    TARN_TRY(tarn__scene_read_object(r, &window));
    r->follow = tarn__json_get(node, "follow");
    if (r->follow && r->follow->type != TARN_JSON_STRING)
        return tarn__scene_refuse_value(r, r->follow, "window.follow: expected a string, found %s",
                                        tarn__json_type_name(r->follow->type));
    bool is_given = tarn__scene_is_given(r, "window", node, "kind");
    if (r->follow && !is_given) r->window.kind = TARN_WINDOW_BODY;
    bool has_body = r->window.kind == TARN_WINDOW_BODY;
    if (has_body && r->follow == NULL)
        return tarn__fail(
            r->ctx, node ? TARN_ERR_DATA : TARN_ERR_ARG,
            "%s:%d:%d: window: a window that follows a body needs its name: \"follow\"", r->name,
            node ? node->line : 1, node ? node->column : 1);
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
    TARN_TRY(tarn__scene_read_shallow(r));
    TARN_TRY(tarn__scene_read_pipes(r));
    TARN_TRY(read_window(r));
    TARN_TRY(tarn__scene_read_fluids(r));
    TARN_TRY(read_bodies(r));
    TARN_TRY(read_emitters(r));
    TARN_TRY(tarn__scene_check_overrides(r));
    TARN_TRY(check_gates(r));
    TARN_TRY(tarn__scene_check_whole(r));

    // What the wave section leaves open follows from the others.
    const TarnJson* wave = tarn__json_get(r->doc.root, "wave");
    if (!tarn__scene_is_given(r, "wave", wave, "gravity")) r->wave.gravity = 0.0f; // the world's
    bool has_floaters = r->n_bodies > 0 && !r->fluids.has_liquid; // else they are the liquid's
    if (has_floaters && !tarn__scene_is_given(r, "wave", wave, "use_bodies"))
        r->wave.use_bodies = true;
    const TarnJson* shallow = tarn__json_get(r->doc.root, "shallow");
    bool is_first = !r->has_wave || !r->wave.use_bodies; // bodies float in one of them
    if (has_floaters && is_first && !tarn__scene_is_given(r, "shallow", shallow, "use_bodies"))
        r->shallow.use_bodies = true;
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

static TarnResult fill_scene(SceneReader* r, TarnScene* scene)
{
    const char* title = text_or(r->doc.root, "title", r->name);
    const char* about = text_or(r->doc.root, "about", "");
    int n = tarn__scene_count_bodies(r), n_solids = r->fluids.n_solids;
    TarnLayout layout = { 0 };
    size_t at_colors = tarn__layout_add(&layout, (size_t)n * sizeof(SceneColor));
    size_t at_solids = tarn__layout_add(&layout, (size_t)n_solids * sizeof(SceneColor));
    size_t at_title = tarn__layout_add(&layout, strlen(title) + 1);
    size_t at_about = tarn__layout_add(&layout, strlen(about) + 1);
    char* block = tarn__alloc(r->ctx, layout.size);
    if (block == NULL)
        return tarn__fail(r->ctx, TARN_ERR_MEMORY, "%s: no memory for a scene of %zu bytes",
                          r->name, layout.size);
    scene->memory = layout.size;
    scene->block = block;
    scene->run = r->run;
    scene->view = r->view;
    scene->n_colors = n;
    scene->n_solid_colors = n_solids;
    scene->colors = (SceneColor*)(block + at_colors);
    scene->solid_colors = (SceneColor*)(block + at_solids);
    scene->engine = r->engine;
    scene->n_looks = r->fluids.n_looks;
    for (int i = 0; i < scene->n_looks; ++i) scene->looks[i] = r->fluids.looks[i];
    for (int i = 0; i < r->fluids.n_gases; ++i) scene->gas_looks[i] = r->fluids.gases[i].look;
    scene->title = strcpy(block + at_title, title);
    scene->about = strcpy(block + at_about, about);
    TARN_TRY(tarn_world_create(r->ctx, &r->world, &scene->world));
    TARN_TRY(tarn__scene_build(r, scene->world, scene->colors, scene->solid_colors));
    sort_colors(scene->colors, n);
    sort_colors(scene->solid_colors, n_solids);
    return TARN_OK;
}

static TarnResult read_and_make(SceneReader* r, const char* text, size_t size, TarnScene* scene)
{
    TARN_TRY(tarn__scene_make_room(r, r->n_overrides, sizeof(bool), &r->is_used));
    TARN_TRY(tarn__json_parse(r->ctx, r->name, text, size, &r->doc));
    TARN_TRY(read_sections(r));
    return r->visitor ? TARN_OK : fill_scene(r, scene);
}

static void free_reader(SceneReader* r)
{
    TarnContext* ctx = r->ctx;
    tarn__free(ctx, r->is_used, (size_t)r->n_overrides * sizeof(bool));
    tarn__free(ctx, r->walls, (size_t)r->n_walls * sizeof(SceneWall));
    tarn__free(ctx, r->bed, (size_t)r->n_bed * sizeof(SceneBed));
    for (int i = 0; r->bodies && i < r->n_bodies; ++i)
        tarn__free(ctx, r->bodies[i].solid, sizeof(SceneSolidEntry));
    tarn__free(ctx, r->bodies, (size_t)r->n_bodies * sizeof(SceneBodyEntry));
    tarn__scene_free_fluids(r);
    tarn__free(ctx, r->emitters, (size_t)r->n_emitters * sizeof(TarnEmitterDef));
    tarn__json_free(ctx, &r->doc);
    pthread_mutex_destroy(&r->quiet.error_lock);
}

TarnResult tarn__scene_create(TarnContext* ctx, const char* text, size_t size, const char* name,
                              const char* folder, const TarnSceneOverride* overrides,
                              int n_overrides, const SceneVisitor* visitor, TarnScene** out)
{
    TarnScene* scene = tarn__alloc(ctx, sizeof(TarnScene));
    if (scene == NULL) return tarn__fail(ctx, TARN_ERR_MEMORY, "%s: no memory for a scene", name);
    scene->ctx = ctx;
    scene->lands[LAND_SHALLOW] = (SceneLand){ .ctx = ctx, .path = "shallow" };
    scene->lands[LAND_PIPES] = (SceneLand){ .ctx = ctx, .path = "pipes" };

    SceneReader r = { .ctx = ctx, .name = name, .folder = folder, .lands = scene->lands };
    r.overrides = overrides;
    r.n_overrides = n_overrides;
    r.visitor = visitor;
    pthread_mutex_init(&r.quiet.error_lock, NULL);
    tarn_param_defaults(tarn_scene_run_table(), &r.run);
    tarn_param_defaults(tarn_scene_view_table(), &r.view);
    r.world = tarn_world_default_def();
    r.wave = tarn_wave_default_def();
    r.wave_params = tarn_wave_default_params();
    r.shallow = tarn_shallow_default_def();
    r.shallow_params = tarn_shallow_default_params();
    r.pipes = tarn_pipes_default_def();
    r.pipes_params = tarn_pipes_default_params();
    r.window = tarn_window_default_def();
    TarnResult result = read_and_make(&r, text, size, scene);
    free_reader(&r);
    if (result == TARN_OK)
        *out = scene;
    else
        tarn_scene_destroy(scene);
    return result;
}

bool tarn__scene_are_good(const TarnSceneOverride* overrides, int n)
{
    bool is_good = n >= 0 && (overrides || n == 0);
    for (int i = 0; is_good && i < n; ++i) is_good = overrides[i].path && overrides[i].value;
    return is_good;
}

TarnResult tarn_scene_create(TarnContext* ctx, const char* text, size_t size, const char* name,
                             const TarnSceneOverride* overrides, int n_overrides, TarnScene** out)
{
    if (out) *out = NULL;
    if (!ctx || !out || !(text || size == 0) || !tarn__scene_are_good(overrides, n_overrides))
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "tarn_scene_create: a pointer is NULL or n_overrides is negative");
    return tarn__scene_create(ctx, text, size, name ? name : "scene", NULL, overrides, n_overrides,
                              NULL, out);
}

void tarn_scene_destroy(TarnScene* scene)
{
    if (scene == NULL) return;
    tarn_world_destroy(scene->world);
    for (int l = 0; l < N_LANDS; ++l) tarn__scene_free_land(&scene->lands[l]);
    tarn__free(scene->ctx, scene->block, scene->memory);
    tarn__free(scene->ctx, scene, sizeof(TarnScene));
}
