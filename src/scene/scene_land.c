// Flowing water of a scene, shallow water and pipes: the land that it runs over, besides its tables: terrain, bed,
// walls, pools, spans, gates.

#include "scene/scene_internal.h"
#include "base/maths.h"
#include "tarn/pipes.h"
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
    SceneObject object = { .path = path, .node = node, .others = { "file" } };
    land->file_def = tarn_terrain_default_file_def();
    tarn__scene_add_table(&object, tarn_terrain_file_table(), &land->file_def);
    TARN_TRY(tarn__scene_read_object(r, &object));

    const TarnJson* file = tarn__json_get(node, "file");
    if (file->type != TARN_JSON_STRING)
        return tarn__scene_refuse_value(r, file, "%s.file: expected a string, found %s", path,
                                        tarn__json_type_name(file->type));
    if (!is_inside(file->string))
        return tarn__scene_refuse_value(
            r, file, "%s.file: expected the name of a file in the folder of the scene or below it",
            path);
    if (r->folder == NULL)
        return tarn__scene_refuse_value(
            r, file, "%s.file: a scene from text has no folder; use tarn_scene_create_from_file",
            path);
    char full[1024];
    int n = snprintf(full, sizeof full, "%s/%s", r->folder, file->string);
    if (n < 0 || n >= (int)sizeof full)
        return tarn__scene_refuse_value(r, file, "%s.file: the path is too long", path);
    TarnResult result = tarn_terrain_read_file(r->ctx, full, &land->file_def, &land->terrain);
    if (result != TARN_OK) return tarn__scene_refuse_made(r, file, path, result);
    land->is_file = true;
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

static TarnResult read_terrain(SceneReader* r, SceneLand* land, const SceneSolver* s)
{
    char path[SCENE_PATH];
    const TarnJson* node = tarn__json_get(s->node, "terrain");
    snprintf(path, sizeof path, "%s.terrain", s->name);
    land->has_terrain = node != NULL || tarn__scene_is_overridden(r, path);
    if (!land->has_terrain) return TARN_OK;
    return tarn__json_get(node, "file") ? read_file(r, land, path, node)
                                        : read_made(r, land, path, node);
}

// The grid of a file is that of the water, as far as the scene says nothing else.
static void take_grid(SceneReader* r, const SceneSolver* s, int* nx, int* nz, float* dx,
                      TarnVec2* origin)
{
    const SceneLand* land = s->staged;
    if (land->terrain == NULL) return;
    TarnView2 heights = tarn_terrain_heights(land->terrain);
    float file_dx = tarn_terrain_dx(land->terrain);
    if (!tarn__scene_is_given(r, s->name, s->node, "dx")) *dx = file_dx;
    if (!tarn__scene_is_given(r, s->name, s->node, "origin"))
        *origin = tarn_terrain_origin(land->terrain);
    double cells = (double)file_dx / *dx; // of the water per cell of the file
    double x = heights.nx * cells + 0.5, z = heights.nz * cells + 0.5; // solvers refuse too many
    if (!tarn__scene_is_given(r, s->name, s->node, "nx")) *nx = x < 1e6 ? (int)x : 1000000;
    if (!tarn__scene_is_given(r, s->name, s->node, "nz")) *nz = z < 1e6 ? (int)z : 1000000;
}

// ---- Lists ---------------------------------------------------------------------------------------

static TarnResult read_bed(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    SceneBed* bed = item;
    tarn_param_defaults(tarn__scene_bed_table(), bed);
    TARN_TRY(tarn__scene_read_plain(r, path, node, tarn__scene_bed_table(), bed));
    if (bed->kind == SCENE_BED_SLOPE && bed->from.x == bed->to.x && bed->from.y == bed->to.y)
        return tarn__scene_refuse_value(r, node, "%s: from and to must not be the same point",
                                        path);
    return TARN_OK;
}

TarnResult tarn__scene_read_parts_of_bed(SceneReader* r, const SceneSolver* s, int* n,
                                         SceneBed** out)
{
    const SceneList list = { s->name, "bed", s->node, SCENE_MAX_BED, sizeof(SceneBed), read_bed };
    return tarn__scene_read_items(r, &list, n, out);
}

static TarnResult read_block(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    SceneBlock* block = item;
    tarn_param_defaults(tarn__scene_block_table(), block);
    TARN_TRY(tarn__scene_read_plain(r, path, node, tarn__scene_block_table(), block));
    block->has_top = tarn__scene_is_given(r, path, node, "top");
    bool is_upright = block->min.x < block->max.x && block->min.y < block->max.y;
    if (block->shape == TARN_SHAPE_BOX && !is_upright)
        return tarn__scene_refuse_value(r, node, "%s: min [%g, %g] must be below max [%g, %g]",
                                        path, (double)block->min.x, (double)block->min.y,
                                        (double)block->max.x, (double)block->max.y);
    return TARN_OK;
}

static TarnResult read_pool(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    ScenePool* pool = item;
    tarn_param_defaults(tarn__scene_pool_table(), pool);
    TARN_TRY(tarn__scene_read_plain(r, path, node, tarn__scene_pool_table(), pool));
    pool->has_velocity = tarn__scene_is_given(r, path, node, "velocity");
    return TARN_OK;
}

static TarnResult read_gate(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    TarnShallowGateDef* gate = item;
    *gate = tarn_shallow_default_gate();
    return tarn__scene_read_plain(r, path, node, tarn_shallow_gate_table(), gate);
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
    SceneSpan* span = item;
    SceneObject object = { .path = path, .node = node, .others = { "hydrograph" } };
    span->def = tarn_shallow_default_span();
    span->node = node;
    tarn__scene_add_table(&object, tarn_shallow_span_table(), &span->def);
    TARN_TRY(tarn__scene_read_object(r, &object));
    return check_hydrograph(r, tarn__json_get(node, "hydrograph"), path);
}

// ---- Reading -------------------------------------------------------------------------------------

// How high walls are follows from the ground under them.
static void raise_blocks(SceneLand* land)
{
    for (int n = 0; n < land->n_blocks; ++n) {
        SceneBlock* block = &land->blocks[n];
        bool is_disc = block->shape == TARN_SHAPE_DISC;
        float x = is_disc ? block->center.x : 0.5f * (block->min.x + block->max.x);
        float z = is_disc ? block->center.y : 0.5f * (block->min.y + block->max.y);
        if (!block->has_top) block->top = tarn__scene_bare_ground(x, z, land) + block->height;
    }
}

static TarnResult read_land(SceneReader* r, SceneSolver* s)
{
    SceneLand* land = s->staged;
    const SceneList blocks = { s->name,   "walls", s->node, SCENE_MAX_WALLS, sizeof(SceneBlock),
                               read_block };
    TARN_TRY(tarn__scene_read_water_look(r, s, &land->look));
    TARN_TRY(read_terrain(r, land, s));
    TARN_TRY(tarn__scene_read_parts_of_bed(r, s, &land->n_parts, &land->parts));
    TARN_TRY(tarn__scene_read_items(r, &blocks, &land->n_blocks, &land->blocks));
    raise_blocks(land);
    return TARN_OK;
}

static TarnResult read_shallow(SceneReader* r, SceneSolver* s)
{
    SceneLand* land = s->staged;
    TarnShallowDef* def = s->def;
    const SceneList pools = { s->name,         "pools",           s->node,
                              SCENE_MAX_POOLS, sizeof(ScenePool), read_pool };
    const SceneList spans = { s->name,           "spans",  s->node, TARN_SHALLOW_MAX_SPANS,
                              sizeof(SceneSpan), read_span };
    const SceneList gates = {
        s->name, "gates", s->node, TARN_SHALLOW_MAX_GATES, sizeof(TarnShallowGateDef), read_gate
    };
    TARN_TRY(read_land(r, s));
    TARN_TRY(tarn__scene_read_items(r, &pools, &land->n_pools, &land->pools));
    TARN_TRY(tarn__scene_read_items(r, &spans, &land->n_spans, &land->spans));
    TARN_TRY(tarn__scene_read_items(r, &gates, &land->n_gates, &land->gates));
    for (int n = 0; n < land->n_pools; ++n) {
        if (!land->pools[n].has_velocity) land->pools[n].velocity = def->velocity;
    }
    take_grid(r, s, &def->nx, &def->nz, &def->dx, &def->origin);
    if (tarn__scene_is_given(r, s->name, s->node, "level") &&
        !tarn__scene_is_given(r, s->name, s->node, "has_level"))
        def->has_level = true;
    return TARN_OK;
}

static TarnResult read_pipes(SceneReader* r, SceneSolver* s)
{
    TarnPipesDef* def = s->def;
    TARN_TRY(read_land(r, s));
    take_grid(r, s, &def->nx, &def->nz, &def->dx, &def->origin);
    return TARN_OK;
}

// A river or a beach that lies off the grid would silently not be there. A window that moves may come to it.
static TarnResult check_land(SceneReader* r, SceneSolver* s)
{
    const SceneLand* land = s->staged;
    const TarnTerrainDef* t = &land->made;
    TarnVec2 min, max;
    bool is_river = t->kind == TARN_TERRAIN_RIVER_VALLEY, is_beach = t->kind == TARN_TERRAIN_BEACH;
    if (!land->has_terrain || land->is_file || !(is_river || is_beach)) return TARN_OK;
    if (s->window.kind != TARN_WINDOW_FIXED || !tarn__scene_area(s, &min, &max)) return TARN_OK;
    float at = is_river ? t->center.y : t->center.x;
    float lo = is_river ? min.y : min.x, hi = is_river ? max.y : max.x;
    if (at >= lo && at <= hi) return TARN_OK;
    const TarnJson* node = tarn__json_get(s->node, "terrain");
    char axis = is_river ? 'z' : 'x';
    return tarn__scene_refuse_value(
        r, node ? node : s->node,
        "%s.terrain.center: [%g, %g]: the %s at %c = %g m lies outside the grid, which covers %c "
        "from %g to %g m; move center, or the grid with origin",
        s->name, (double)t->center.x, (double)t->center.y, is_river ? "river" : "beach", axis,
        (double)at, axis, (double)lo, (double)hi);
}

// A level, depth or discharge is given to a span of an edge, not to the whole of it.
static void hint_span(const char* key, const char* word, char* out, size_t size)
{
    const TarnParam* kind = tarn_param_find(tarn_shallow_span_table(), "kind");
    for (int i = 0; strncmp(key, "edge_", 5) == 0 && kind->names[i] != NULL; ++i) {
        if (strcmp(kind->names[i], word) != 0) continue;
        snprintf(out, size,
                 "; use a span: \"spans\": [ { \"side\": \"%s\", \"kind\": \"%s\", \"value\": "
                 "10 } ]",
                 key + 5, word);
    }
}

// ---- Building ------------------------------------------------------------------------------------

typedef TarnResult AddFn(TarnShallow* water, const SceneLand* land, int n);

static TarnResult add_span(TarnShallow* water, const SceneLand* land, int n)
{
    float times[TARN_SHALLOW_MAX_HYDROGRAPH], values[TARN_SHALLOW_MAX_HYDROGRAPH];
    TarnShallowSpanDef def = land->spans[n].def;
    const TarnJson* list = tarn__json_get(land->spans[n].node, "hydrograph");
    for (const TarnJson* pair = list ? list->child : NULL; pair; pair = pair->next) {
        times[def.n_times] = (float)pair->child->number;
        values[def.n_times++] = (float)pair->child->next->number;
    }
    def.times = def.n_times > 0 ? times : NULL;
    def.values = def.n_times > 0 ? values : NULL;
    return tarn_shallow_add_span(water, &def, NULL);
}

static TarnResult add_gate(TarnShallow* water, const SceneLand* land, int n)
{
    return tarn_shallow_add_gate(water, &land->gates[n], NULL);
}

// A river falls, and a fill is level: it is filled column by column.
static TarnResult fill_pool(TarnShallow* water, const ScenePool* pool)
{
    const TarnShallowDef* def = tarn_shallow_def(water);
    if (pool->fall == 0.0f) return tarn_shallow_fill(water, pool->a, pool->b, pool->level);
    double x0 = tarn_minf(pool->a.x, pool->b.x), x1 = tarn_maxf(pool->a.x, pool->b.x);
    SceneCells columns = tarn__scene_cells(x0, x1, def->origin.x, def->dx, def->nx);
    if (x0 < (double)def->origin.x) x0 = def->origin.x; // a box without end begins at the grid
    for (int i = columns.first; i < columns.end; ++i) {
        double x = tarn__scene_center(i, def->origin.x, def->dx), half = 0.25 * def->dx;
        TarnVec2 a = { (float)(x - half), pool->a.y }, b = { (float)(x + half), pool->b.y };
        TARN_TRY(tarn_shallow_fill(water, a, b, (float)(pool->level - pool->fall * (x - x0))));
    }
    return TARN_OK;
}

static TarnResult add_pool(TarnShallow* water, const SceneLand* land, int n)
{
    const ScenePool* pool = &land->pools[n];
    TARN_TRY(fill_pool(water, pool));
    return tarn_shallow_set_velocity(water, pool->a, pool->b, pool->velocity);
}

static TarnResult add_list(SceneReader* r, const SceneSolver* s, const char* key, int count,
                           AddFn* add)
{
    const TarnJson* list = tarn__json_get(s->node, key);
    const TarnJson* node = list ? list->child : NULL;
    for (int n = 0; n < count; ++n, node = node->next) {
        char path[SCENE_PATH];
        TarnResult result = add(s->solver, s->staged, n);
        snprintf(path, sizeof path, "%s.%s[%d]", s->name, key, n);
        if (result != TARN_OK) return tarn__scene_refuse_made(r, node, path, result);
    }
    return TARN_OK;
}

static TarnResult build_shallow(SceneReader* r, SceneSolver* s, TarnWorld* world)
{
    const SceneLand* land = s->staged;
    TarnShallowDef* def = s->def;
    def->bed_fn = tarn__scene_ground;
    def->bed_user = s->staged;
    TARN_TRY(tarn__scene_make_solver(r, s, world));
    TARN_TRY(add_list(r, s, "spans", land->n_spans, add_span));
    TARN_TRY(add_list(r, s, "gates", land->n_gates, add_gate)); // and pools fill up to them
    return add_list(r, s, "pools", land->n_pools, add_pool);
}

static TarnResult build_pipes(SceneReader* r, SceneSolver* s, TarnWorld* world)
{
    SceneLand* land = s->staged;
    TarnPipesDef* def = s->def;
    size_t bytes = (size_t)def->nx * (size_t)def->nz * sizeof(float);
    float* bed = NULL;
    if (land->has_terrain || land->n_parts > 0 || land->n_blocks > 0) {
        bed = tarn__alloc(r->ctx, bytes);
        if (bed == NULL)
            return tarn__fail(r->ctx, TARN_ERR_MEMORY,
                              "%s: out of memory for a bed of %d x %d cells", r->name, def->nx,
                              def->nz);
        float* out = bed;
        for (int k = 0; k < def->nz; ++k) {
            float z = (float)tarn__scene_center(k, def->origin.y, def->dx);
            for (int i = 0; i < def->nx; ++i) {
                float x = (float)tarn__scene_center(i, def->origin.x, def->dx);
                *out++ = tarn__scene_ground(x, z, land);
            }
        }
    }
    def->bed = bed;
    TarnResult result = tarn__scene_make_solver(r, s, world);
    tarn__free(r->ctx, bed, bytes);
    return result;
}

static void free_land(TarnContext* ctx, void* staged)
{
    SceneLand* land = staged;
    tarn_terrain_destroy(land->terrain);
    tarn__free(ctx, land->parts, (size_t)land->n_parts * sizeof(SceneBed));
    tarn__free(ctx, land->blocks, (size_t)land->n_blocks * sizeof(SceneBlock));
    tarn__free(ctx, land->pools, (size_t)land->n_pools * sizeof(ScenePool));
    tarn__free(ctx, land->spans, (size_t)land->n_spans * sizeof(SceneSpan));
    tarn__free(ctx, land->gates, (size_t)land->n_gates * sizeof(TarnShallowGateDef));
}

// ---- The two kinds -------------------------------------------------------------------------------

static const char* const shallow_keys[] = { "terrain", "bed",   "walls", "pools",
                                            "spans",   "gates", "look",  NULL };
static const char* const pipes_keys[] = { "terrain", "bed", "walls", "look", NULL };
// Those that pipes have, too, come first.
static const TarnParamTable* (*const tables[])(void) = {
    tarn__scene_terrain_table, tarn_terrain_file_table,     tarn__scene_block_table,
    tarn__scene_bed_table,     tarn_scene_water_look_table, tarn__scene_pool_table,
    tarn_shallow_span_table,   tarn_shallow_gate_table
};

const SceneKind tarn__scene_shallow = { .name = "shallow",
                                        .size = sizeof(SceneLand),
                                        .keys = shallow_keys,
                                        .tables = tables,
                                        .n_tables = 8,
                                        .hint = hint_span,
                                        .read = read_shallow,
                                        .check = check_land,
                                        .build = build_shallow,
                                        .free = free_land };
const SceneKind tarn__scene_pipes = { .name = "pipes",
                                      .size = sizeof(SceneLand),
                                      .keys = pipes_keys,
                                      .tables = tables,
                                      .n_tables = 5,
                                      .read = read_pipes,
                                      .check = check_land,
                                      .build = build_pipes,
                                      .free = free_land };
