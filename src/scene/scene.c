// A scene: JSON text to a running world. Here is the order in which a file is read, section by
// section; scene_read.c knows how keys, values and overrides work, scene_build.c makes the world.
//
// Everything is read and checked before anything is built, so that a refused text costs nothing.

#include "scene/scene_internal.h"
#include "base/param.h"

// ---- Sections ----------------------------------------------------------------------------------------

static TarnResult check_format(SceneReader* r)
{
    const TarnJson* root = r->doc.root;
    if (root->type != TARN_JSON_OBJECT)
        return tarn__scene_refuse_value(r, root, "expected an object, found %s",
                                        tarn__json_type_name(root->type));
    const TarnJson* format = tarn__json_get(root, "tarn");
    if (format == NULL)
        return tarn__fail(r->ctx, TARN_ERR_VERSION,
                          "%s:%d:%d: not a Tarn scene: the key \"tarn\": %d is missing", r->name,
                          root->line, root->column, TARN_SCENE_FORMAT);
    if (format->type != TARN_JSON_NUMBER)
        return tarn__fail(r->ctx, TARN_ERR_VERSION, "%s:%d:%d: tarn: expected %d, found %s",
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
    SceneObject root = { .path = "the scene",
                         .node = r->doc.root,
                         .others = { "tarn", "title", "about", "run", "view", "world", "solvers",
                                     "curl_noise", "wind", "solids", "bodies", "emitters",
                                     "channels", "engine" } };
    TARN_TRY(tarn__scene_read_object(r, &root));
    for (int i = 1; i <= 2; ++i) { // title, about
        const TarnJson* text = tarn__json_get(r->doc.root, root.others[i]);
        if (text && text->type != TARN_JSON_STRING)
            return tarn__scene_refuse_value(r, text, "%s: expected a string, found %s",
                                            root.others[i], tarn__json_type_name(text->type));
    }
    return read_engine(r);
}

static TarnResult read_section(SceneReader* r, const char* name, const TarnParamTable* table,
                               void* target)
{
    return tarn__scene_read_plain(r, name, tarn__json_get(r->doc.root, name), table, target);
}

static TarnResult read_view(SceneReader* r)
{
    const TarnJson *node = tarn__json_get(r->doc.root, "view"), *solver;
    SceneObject view = { .path = "view", .node = node, .others = { "solver", "body" } };
    tarn__scene_add_table(&view, tarn_scene_view_table(), &r->view);
    TARN_TRY(tarn__scene_read_object(r, &view));
    TARN_TRY(tarn__scene_read_string(r, node, "view", "solver", &solver));
    return solver ? tarn__scene_find_solver(r, solver, "view", "solver", &r->framed) : TARN_OK;
}

static TarnResult read_watched(SceneReader* r)
{
    const TarnJson* body;
    r->watched = -1;
    TARN_TRY(
        tarn__scene_read_string(r, tarn__json_get(r->doc.root, "view"), "view", "body", &body));
    return body ? tarn__scene_find_body(r, body, "view", "body", &r->watched) : TARN_OK;
}

static TarnResult read_noise(SceneReader* r)
{
    const TarnJson* node = tarn__json_get(r->doc.root, "curl_noise");
    bool is_carrying = false;
    r->noise = tarn_curl_noise_default(r->ctx);
    r->has_noise = node != NULL || tarn__scene_is_overridden(r, "curl_noise");
    for (int i = 0; i < r->n_solvers; ++i) is_carrying |= r->solvers[i].of->set_flow != NULL;
    if (node && !is_carrying)
        return tarn__scene_refuse_key(r, node,
                                      "curl_noise: it carries particles, but the scene has none; "
                                      "add a solver of kind particles or remove curl_noise");
    return r->has_noise
               ? tarn__scene_read_plain(r, "curl_noise", node, tarn_curl_noise_table(), &r->noise)
               : TARN_OK;
}

static TarnResult read_wind(SceneReader* r)
{
    r->has_wind =
        tarn__json_get(r->doc.root, "wind") != NULL || tarn__scene_is_overridden(r, "wind");
    r->wind = tarn_wind_default_def();
    return read_section(r, "wind", tarn_wind_def_table(), &r->wind);
}

// ---- The whole file ----------------------------------------------------------------------------------

static TarnResult read_sections(SceneReader* r)
{
    TARN_TRY(check_format(r));
    TARN_TRY(check_root(r));
    TARN_TRY(tarn__scene_name_solvers(r));
    tarn__scene_resolve_overrides(r);
    TARN_TRY(read_section(r, "run", tarn_scene_run_table(), &r->run));
    TARN_TRY(read_view(r));
    TARN_TRY(read_section(r, "world", tarn_world_def_table(), &r->world));
    TARN_TRY(tarn__scene_read_bodies(r));
    TARN_TRY(read_watched(r));
    TARN_TRY(tarn__scene_read_solids(r));
    TARN_TRY(tarn__scene_read_solvers(r));
    TARN_TRY(read_noise(r));
    TARN_TRY(read_wind(r));
    TARN_TRY(tarn__scene_read_emitters(r));
    TARN_TRY(tarn__scene_read_channels(r));
    TARN_TRY(tarn__scene_check_overrides(r));
    for (int i = 0; i < r->n_solvers; ++i) {
        SceneSolver* s = &r->solvers[i];
        if (s->kind->check) TARN_TRY(s->kind->check(r, s));
    }
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
    int n = tarn__scene_count_bodies(r), n_solids = r->n_solids;
    TarnLayout layout = { 0 };
    size_t at_colors = tarn__layout_add(&layout, (size_t)n * sizeof(SceneColor));
    size_t at_solids = tarn__layout_add(&layout, (size_t)n_solids * sizeof(SceneColor));
    size_t at_trim =
        tarn__layout_add(&layout, (size_t)tarn__scene_count_trim(r) * sizeof(TarnSceneTrim));
    size_t at_title = tarn__layout_add(&layout, strlen(title) + 1);
    size_t at_about = tarn__layout_add(&layout, strlen(about) + 1);
    char* block = tarn__alloc(r->ctx, layout.size);
    if (block == NULL)
        return tarn__fail(r->ctx, TARN_ERR_MEMORY, "%s: out of memory for a scene of %zu bytes",
                          r->name, layout.size);
    scene->memory = layout.size;
    scene->block = block;
    scene->run = r->run;
    scene->view = r->view;
    scene->n_colors = n;
    scene->n_solid_colors = n_solids;
    scene->colors = (SceneColor*)(block + at_colors);
    scene->solid_colors = (SceneColor*)(block + at_solids);
    scene->trim = (TarnSceneTrim*)(block + at_trim);
    scene->engine = r->engine;
    scene->title = strcpy(block + at_title, title);
    scene->about = strcpy(block + at_about, about);
    return TARN_OK;
}

static TarnResult make_world(SceneReader* r, TarnScene* scene)
{
    TARN_TRY(tarn_world_create(r->ctx, &r->world, &scene->world));
    TARN_TRY(tarn__scene_build(r, scene));
    if (r->framed) scene->view.solver = tarn_world_number(scene->world, r->framed->solver);
    if (r->watched >= 0) scene->view.body = r->bodies[r->watched].first;
    sort_colors(scene->colors, scene->n_colors);
    sort_colors(scene->solid_colors, scene->n_solid_colors);
    return TARN_OK;
}

static TarnResult read_and_make(SceneReader* r, const char* text, size_t size,
                                const TarnSceneOverride* overrides, int n, TarnScene* scene)
{
    TARN_TRY(tarn__scene_make_room(r, n, sizeof(SceneSet), &r->sets));
    r->n_sets = n;
    for (int i = 0; i < n; ++i)
        r->sets[i] = (SceneSet){ .given = &overrides[i], .rest = overrides[i].path };
    TARN_TRY(tarn__json_parse(r->ctx, r->name, text, size, &r->doc));
    TarnResult result = read_sections(r);
    scene->solvers = r->solvers; // what their kinds staged lives as long as the scene
    scene->n_solvers = r->n_solvers;
    if (result == TARN_OK) result = fill_scene(r, scene);
    if (result != TARN_OK || (r->visitor && !r->visitor->builds)) return result;
    return make_world(r, scene);
}

static void free_reader(SceneReader* r)
{
    TarnContext* ctx = r->ctx;
    for (int i = 0; i < r->n_solvers; ++i) tarn__scene_free_solver(ctx, &r->solvers[i]);
    for (int i = 0; r->bodies && i < r->n_bodies; ++i) {
        SceneBodyEntry* entry = &r->bodies[i];
        tarn__free(ctx, entry->solid, sizeof(SceneSolidEntry));
        tarn__free(ctx, entry->trim, (size_t)entry->n_trim * sizeof(SceneTrim));
    }
    tarn__free(ctx, r->bodies, (size_t)r->n_bodies * sizeof(SceneBodyEntry));
    tarn__free(ctx, r->solids, (size_t)r->n_solids * sizeof(SceneSolidEntry));
    tarn__free(ctx, r->emitters, (size_t)r->n_emitters * sizeof(SceneEmitter));
    tarn__free(ctx, r->channels, (size_t)r->n_channels * sizeof(SceneChannel));
    tarn__free(ctx, r->sets, (size_t)r->n_sets * sizeof(SceneSet));
    tarn__json_free(ctx, &r->doc);
    pthread_mutex_destroy(&r->quiet.error_lock);
}

TarnResult tarn__scene_create(TarnContext* ctx, const char* text, size_t size, const char* name,
                              const char* folder, const TarnSceneOverride* overrides,
                              int n_overrides, const SceneVisitor* visitor, TarnScene** out)
{
    TarnScene* scene = tarn__alloc(ctx, sizeof(TarnScene));
    if (scene == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY, "%s: out of memory for a scene", name);
    scene->ctx = ctx;
    SceneReader r = { .ctx = ctx, .name = name, .folder = folder, .visitor = visitor };
    pthread_mutex_init(&r.quiet.error_lock, NULL);
    tarn_param_defaults(tarn_scene_run_table(), &r.run);
    tarn_param_defaults(tarn_scene_view_table(), &r.view);
    r.world = tarn_world_default_def();
    TarnResult result = read_and_make(&r, text, size, overrides, n_overrides, scene);
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
    tarn_flights_destroy(scene->flights);
    tarn_world_destroy(scene->world);
    for (int i = 0; i < scene->n_solvers; ++i)
        tarn__scene_free_staged(scene->ctx, &scene->solvers[i]);
    tarn__free(scene->ctx, scene->solvers, (size_t)scene->n_solvers * sizeof(SceneSolver));
    tarn__free(scene->ctx, scene->block, scene->memory);
    tarn__free(scene->ctx, scene, sizeof(TarnScene));
}
