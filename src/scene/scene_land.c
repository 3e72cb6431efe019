// The sections of flowing water, "shallow" and "pipes": the solver's own keys, and the land that it
// runs over: terrain, walls, pools, spans, gates.

#include "scene/scene_internal.h"
#include "base/param.h"
#include <stdio.h>

// ---- Terrain -------------------------------------------------------------------------------------

// Files lie beside the scene or below it. A text from outside must not read anything else.
static bool is_inside(const char* file)
{
    if (file[0] == '\0' || file[0] == '/' || strpbrk(file, "\\:") != NULL) return false;
    for (const char* part = file; part;) {
        size_t n = strcspn(part, "/");
        if (n == 2 && part[0] == '.' && part[1] == '.') return false;
        part = part[n] ? part + n + 1 : NULL;
    }
    return true;
}

static TarnResult read_file(SceneReader* r, SceneLand* land, const char* path, const TarnJson* node)
{
    static const char* const others[] = { "file", NULL };
    SceneObject object = { .path = path, .node = node, .others = others };
    land->file_def = tarn_terrain_default_file_def();
    object.tables[0] = tarn_terrain_file_table();
    object.targets[0] = &land->file_def;
    TARN_TRY(tarn__scene_read_object(r, &object));

    const TarnJson* file = tarn__json_get(node, "file");
    if (file->type != TARN_JSON_STRING)
        return tarn__scene_refuse_value(r, file, "%s.file: expected a string, found %s", path,
                                        tarn__json_type_name(file->type));
    if (!is_inside(file->string))
        return tarn__scene_refuse_value(
            r, file, "%s.file: expected the name of a file beside the scene or below it", path);
    if (r->folder == NULL)
        return tarn__scene_refuse_value(
            r, file, "%s.file: this scene has no folder; use tarn_scene_create_from_file", path);
    char full[1024];
    int n = snprintf(full, sizeof full, "%s/%s", r->folder, file->string);
    if (n < 0 || n >= (int)sizeof full)
        return tarn__scene_refuse_value(r, file, "%s.file: the path is too long", path);
    TarnResult result = tarn_terrain_read_file(r->ctx, full, &land->file_def, &land->terrain);
    if (result != TARN_OK) return tarn__scene_refuse_made(r, file, path, result);
    land->file = file;
    return TARN_OK;
}

// A crater has other sizes than a beach, so the kind is read first, and then everything on top of the
// defaults of that kind.
static TarnResult read_made(SceneReader* r, SceneLand* land, const char* path, const TarnJson* node)
{
    const TarnParamTable* table = tarn__scene_terrain_table();
    TarnTerrainDef first = tarn_terrain_default_def();
    TARN_TRY(tarn__scene_read_plain(r, path, node, table, &first));
    land->made = tarn_terrain_kind_def((TarnTerrainKind)first.kind);
    TARN_TRY(tarn__scene_read_plain(r, path, node, table, &land->made));
    TarnResult result = tarn_terrain_validate(r->ctx, &land->made);
    return result == TARN_OK ? TARN_OK : tarn__scene_refuse_made(r, node, path, result);
}

static TarnResult read_terrain(SceneReader* r, SceneLand* land, const TarnJson* node)
{
    char path[SCENE_ITEM];
    snprintf(path, sizeof path, "%s.terrain", land->path);
    land->has_terrain = node != NULL || tarn__scene_is_overridden(r, path);
    if (!land->has_terrain) return TARN_OK;
    return tarn__json_get(node, "file") ? read_file(r, land, path, node)
                                        : read_made(r, land, path, node);
}

// The grid of a file is that of the water, as far as the scene says nothing else.
static void take_grid(SceneReader* r, const SceneLand* land, const TarnJson* node, int* nx, int* nz,
                      float* dx, TarnVec2* origin)
{
    if (land->terrain == NULL) return;
    TarnView2 heights = tarn_terrain_heights(land->terrain);
    float file_dx = tarn_terrain_dx(land->terrain);
    if (!tarn__scene_is_given(r, land->path, node, "dx")) *dx = file_dx;
    if (!tarn__scene_is_given(r, land->path, node, "origin"))
        *origin = tarn_terrain_origin(land->terrain);
    double cells = (double)file_dx / *dx; // of the water per cell of the file
    double x = heights.nx * cells + 0.5, z = heights.nz * cells + 0.5; // solvers refuse too many
    if (!tarn__scene_is_given(r, land->path, node, "nx")) *nx = x < 1e6 ? (int)x : 1000000;
    if (!tarn__scene_is_given(r, land->path, node, "nz")) *nz = z < 1e6 ? (int)z : 1000000;
}

// ---- Lists ---------------------------------------------------------------------------------------

// A list of the land: its key, how many it may have, and the table that all but spans are read by.
typedef struct LandList {
    const char* key;
    int most;
    size_t size;
    const TarnParamTable* table;
    int* count;
    void* items; // address of the pointer to the objects
} LandList;

typedef TarnResult CheckFn(SceneReader* r, const TarnJson* node, const char* path, void* item);

static TarnResult read_items(SceneReader* r, const SceneLand* land, const TarnJson* section,
                             const LandList* list, CheckFn* check)
{
    char path[SCENE_ITEM];
    const TarnJson* array = tarn__json_get(section, list->key);
    snprintf(path, sizeof path, "%s.%s", land->path, list->key);
    TARN_TRY(tarn__scene_read_list(r, array, path, list->most, list->count));
    int n = *list->count;
    TARN_TRY(tarn__scene_make_room(r, n, list->size, list->items));
    char* items;
    memcpy(&items, list->items, sizeof items);
    const TarnJson* node = array ? array->child : NULL;
    for (int i = 0; i < n; ++i, node = node->next) {
        void* item = items + (size_t)i * list->size;
        snprintf(path, sizeof path, "%s.%s[%d]", land->path, list->key, i);
        tarn_param_defaults(list->table, item);
        TARN_TRY(check(r, node, path, item));
    }
    return TARN_OK;
}

static TarnResult read_part(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    const SceneBed* bed = item;
    TARN_TRY(tarn__scene_read_plain(r, path, node, tarn__scene_bed_table(), item));
    if (bed->kind == SCENE_BED_SLOPE && bed->from.x == bed->to.x && bed->from.y == bed->to.y)
        return tarn__scene_refuse_value(r, node, "%s: from and to are the same point", path);
    return TARN_OK;
}

static TarnResult read_block(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    SceneBlock* block = item;
    TARN_TRY(tarn__scene_read_plain(r, path, node, tarn__scene_block_table(), item));
    block->has_top = tarn__scene_is_given(r, path, node, "top");
    bool is_upright = block->min.x < block->max.x && block->min.y < block->max.y;
    if (block->shape == SCENE_WALL_BOX && !is_upright)
        return tarn__scene_refuse_value(r, node, "%s: min [%g, %g] must be below max [%g, %g]",
                                        path, (double)block->min.x, (double)block->min.y,
                                        (double)block->max.x, (double)block->max.y);
    return TARN_OK;
}

static TarnResult read_pool(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    ScenePool* pool = item;
    pool->velocity = r->shallow.velocity;
    return tarn__scene_read_plain(r, path, node, tarn__scene_pool_table(), item);
}

static TarnResult read_gate(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    TarnShallowGateDef* gate = item;
    *gate = tarn_shallow_default_gate();
    return tarn__scene_read_plain(r, path, node, tarn_shallow_gate_table(), item);
}

// Pairs of numbers; the solver checks their order.
static TarnResult check_hydrograph(SceneReader* r, const TarnJson* list, const char* path)
{
    int most = TARN_SHALLOW_MAX_HYDROGRAPH;
    if (list == NULL) return TARN_OK;
    if (list->type != TARN_JSON_ARRAY || list->count < 1 || list->count > most)
        return tarn__scene_refuse_value(
            r, list, "%s.hydrograph: expected an array of 1 to %d pairs [time, value]", path, most);
    for (const TarnJson* pair = list->child; pair; pair = pair->next) {
        bool is_good = pair->type == TARN_JSON_ARRAY && pair->count == 2;
        for (const TarnJson* x = is_good ? pair->child : NULL; x; x = x->next)
            is_good =
                is_good && x->type == TARN_JSON_NUMBER && x->number >= -1e9 && x->number <= 1e9;
        if (!is_good)
            return tarn__scene_refuse_value(r, pair, "%s.hydrograph: expected [time, value]", path);
    }
    return TARN_OK;
}

static TarnResult read_span(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    static const char* const others[] = { "hydrograph", NULL };
    SceneSpan* span = item;
    SceneObject object = { .path = path, .node = node, .others = others };
    span->def = tarn_shallow_default_span();
    span->node = node;
    object.tables[0] = tarn_shallow_span_table();
    object.targets[0] = &span->def;
    TARN_TRY(tarn__scene_read_object(r, &object));
    return check_hydrograph(r, tarn__json_get(node, "hydrograph"), path);
}

// ---- The land of a section -----------------------------------------------------------------------

// How high walls are follows from the ground under them.
static void raise_blocks(SceneLand* land)
{
    for (int n = 0; n < land->n_blocks; ++n) {
        SceneBlock* block = &land->blocks[n];
        bool is_disc = block->shape == SCENE_WALL_DISC;
        float x = is_disc ? block->center.x : 0.5f * (block->min.x + block->max.x);
        float z = is_disc ? block->center.y : 0.5f * (block->min.y + block->max.y);
        if (!block->has_top) block->top = tarn__scene_bare_ground(x, z, land) + block->height;
    }
}

static TarnResult read_land(SceneReader* r, SceneLand* land, const TarnJson* node)
{
    const LandList parts = {
        "bed",          SCENE_MAX_BED, sizeof(SceneBed), tarn__scene_bed_table(),
        &land->n_parts, &land->parts
    };
    const LandList blocks = {
        "walls",         SCENE_MAX_WALLS, sizeof(SceneBlock), tarn__scene_block_table(),
        &land->n_blocks, &land->blocks
    };
    TARN_TRY(read_terrain(r, land, tarn__json_get(node, "terrain")));
    TARN_TRY(read_items(r, land, node, &parts, read_part));
    TARN_TRY(read_items(r, land, node, &blocks, read_block));
    raise_blocks(land);
    return TARN_OK;
}

// What stands in shallow water only.
static TarnResult read_shallow_lists(SceneReader* r, SceneLand* land, const TarnJson* node)
{
    const LandList pools = { "pools",           SCENE_MAX_POOLS,
                             sizeof(ScenePool), tarn__scene_pool_table(),
                             &land->n_pools,    &land->pools };
    const LandList spans = { "spans",           TARN_SHALLOW_MAX_SPANS,
                             sizeof(SceneSpan), tarn_shallow_span_table(),
                             &land->n_spans,    &land->spans };
    const LandList gates = { "gates",
                             TARN_SHALLOW_MAX_GATES,
                             sizeof(TarnShallowGateDef),
                             tarn_shallow_gate_table(),
                             &land->n_gates,
                             &land->gates };
    TARN_TRY(read_items(r, land, node, &pools, read_pool));
    TARN_TRY(read_items(r, land, node, &spans, read_span));
    return read_items(r, land, node, &gates, read_gate);
}

TarnResult tarn__scene_read_shallow(SceneReader* r)
{
    static const char* const others[] = {
        "terrain", "bed", "walls", "pools", "spans", "gates", NULL
    };
    const TarnJson* node = tarn__json_get(r->doc.root, "shallow");
    SceneLand* land = &r->lands[LAND_SHALLOW];
    r->has_shallow = node != NULL || tarn__scene_is_overridden(r, "shallow");
    if (!r->has_shallow) return TARN_OK;
    SceneObject object = { .path = "shallow", .node = node, .others = others };
    object.tables[0] = tarn_shallow_def_table();
    object.targets[0] = &r->shallow;
    object.tables[1] = tarn_shallow_params_table();
    object.targets[1] = &r->shallow_params;
    TARN_TRY(tarn__scene_read_object(r, &object));
    TARN_TRY(read_land(r, land, node));
    TARN_TRY(read_shallow_lists(r, land, node));
    TarnShallowDef* def = &r->shallow;
    take_grid(r, land, node, &def->nx, &def->nz, &def->dx, &def->origin);
    if (tarn__scene_is_given(r, "shallow", node, "level") &&
        !tarn__scene_is_given(r, "shallow", node, "has_level"))
        def->has_level = true;
    if (!tarn__scene_is_given(r, "shallow", node, "gravity")) def->gravity = 0.0f; // the world's
    return TARN_OK;
}

TarnResult tarn__scene_read_pipes(SceneReader* r)
{
    static const char* const others[] = { "terrain", "bed", "walls", NULL };
    const TarnJson* node = tarn__json_get(r->doc.root, "pipes");
    SceneLand* land = &r->lands[LAND_PIPES];
    r->has_pipes = node != NULL || tarn__scene_is_overridden(r, "pipes");
    if (!r->has_pipes) return TARN_OK;
    SceneObject object = { .path = "pipes", .node = node, .others = others };
    object.tables[0] = tarn_pipes_def_table();
    object.targets[0] = &r->pipes;
    object.tables[1] = tarn_pipes_params_table();
    object.targets[1] = &r->pipes_params;
    TARN_TRY(tarn__scene_read_object(r, &object));
    TARN_TRY(read_land(r, land, node));
    TarnPipesDef* def = &r->pipes;
    take_grid(r, land, node, &def->nx, &def->nz, &def->dx, &def->origin);
    if (!tarn__scene_is_given(r, "pipes", node, "gravity")) def->gravity = 0.0f; // the world's
    return TARN_OK;
}
