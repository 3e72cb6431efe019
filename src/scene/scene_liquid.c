// Liquids of a scene: kinds, fills, and sources that draw from a water, besides their tables and lists.

#include "scene/scene_internal.h"
#include "base/param.h"
#include "tarn/liquid_regions.h"
#include <stdio.h>

// Where a source takes what it gives.
typedef struct SceneDraws {
    TarnVec2 place;
    float radius;
    int source;        // index in the list "sources"
    SceneSolver* from; // the water
    const TarnJson* node;
} SceneDraws;

// What liquids stage.
typedef struct SceneLiquid {
    int n_kinds, n_fills, n_draws;
    TarnLiquidKindDef* kinds;
    TarnLiquidFill* fills;
    SceneDraws* draws;
} SceneLiquid;

static const TarnParam draws_params[] = {
    P_VEC2(SceneDraws, place, "m", -1e6, 1e6, 0, 0,
           "x and z of the center of the disc that the liquid is taken from."),
    P_FLOAT(SceneDraws, radius, "m", 0.001, 1e4, 0.5,
            "Radius of the disc that the liquid is taken from."),
};
static const TarnParamTable draws = PARAM_TABLE("draws", SceneDraws, draws_params);

static const TarnParamTable* draws_table(void)
{
    return &draws;
}

// ---- Reading -----------------------------------------------------------------------------------------

static TarnResult read_kind(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    *(TarnLiquidKindDef*)item = tarn_liquid_kind_default_def();
    SceneObject object = { .path = path, .node = node, .others = { "name" } };
    tarn__scene_add_table(&object, tarn_liquid_kind_def_table(), item);
    return tarn__scene_read_object(r, &object);
}

static TarnResult read_fill(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    TarnLiquidFill* fill = item;
    ScenePose pose;
    SceneObject object = { .path = path, .node = node, .stretched = "size" };
    *fill = tarn_liquid_fill_default();
    tarn_param_defaults(tarn__scene_pose_table(), &pose);
    tarn__scene_add_table(&object, tarn_liquid_fill_table(), fill);
    tarn__scene_add_table(&object, tarn__scene_pose_table(), &pose);
    TARN_TRY(tarn__scene_read_object(r, &object));
    fill->pose = tarn__scene_pose(&pose);
    return tarn__scene_check_size(r, node, path, fill->shape.kind);
}

static TarnResult read_draws(SceneReader* r, SceneDraws* out, const char* path)
{
    SceneObject object = { .path = path, .node = out->node, .others = { "from" } };
    tarn_param_defaults(&draws, out);
    tarn__scene_add_table(&object, &draws, out);
    TARN_TRY(tarn__scene_read_object(r, &object));
    return tarn__scene_need_solver(r, out->node, path, "from", &out->from);
}

// "draws" in the list "sources", which is read by its class.
static TarnResult read_all_draws(SceneReader* r, SceneSolver* s)
{
    SceneLiquid* liquid = s->staged;
    const TarnJson* list = tarn__json_get(s->node, "sources");
    const TarnJson* node = list && list->type == TARN_JSON_ARRAY ? list->child : NULL;
    int n = 0;
    for (const TarnJson* at = node; at; at = at->next) n += tarn__json_get(at, "draws") != NULL;
    TARN_TRY(tarn__scene_make_room(r, n, sizeof(SceneDraws), &liquid->draws));
    liquid->n_draws = n;
    SceneDraws* next = liquid->draws;
    for (int i = 0; node; ++i, node = node->next) {
        char path[SCENE_PATH];
        const TarnJson* given = tarn__json_get(node, "draws");
        if (given == NULL) continue;
        snprintf(path, sizeof path, "%s.sources[%d].draws", s->name, i);
        *next = (SceneDraws){ .source = i, .node = given };
        TARN_TRY(read_draws(r, next++, path));
    }
    return TARN_OK;
}

static TarnResult read_liquid(SceneReader* r, SceneSolver* s)
{
    SceneLiquid* liquid = s->staged;
    const SceneList kinds = {
        s->name, "kinds", s->node, TARN_LIQUID_KINDS, sizeof(TarnLiquidKindDef), read_kind
    };
    const SceneList fills = { s->name,  "fill", s->node, SCENE_MAX_FILLS, sizeof(TarnLiquidFill),
                              read_fill };
    TARN_TRY(tarn__scene_read_items(r, &kinds, &liquid->n_kinds, &liquid->kinds));
    TARN_TRY(tarn__scene_read_items(r, &fills, &liquid->n_fills, &liquid->fills));
    return read_all_draws(r, s);
}

// ---- Building ----------------------------------------------------------------------------------------

static TarnResult refuse_item(SceneReader* r, const SceneSolver* s, const char* key, int n,
                              TarnResult result)
{
    char path[SCENE_PATH];
    const TarnJson* node = tarn__json_get(s->node, key)->child;
    for (int i = 0; i < n; ++i) node = node->next;
    snprintf(path, sizeof path, "%s.%s[%d]", s->name, key, n);
    return tarn__scene_refuse_made(r, node, path, result);
}

static TarnResult build_liquid(SceneReader* r, SceneSolver* s, TarnWorld* world)
{
    const SceneLiquid* liquid = s->staged;
    TARN_TRY(tarn__scene_make_solver(r, s, world));
    for (int n = 0; n < liquid->n_kinds; ++n) {
        TarnResult result = tarn_liquid_set_kind(s->solver, n, &liquid->kinds[n]);
        if (result != TARN_OK) return refuse_item(r, s, "kinds", n, result);
    }
    return TARN_OK;
}

static uint64_t source_id(const SceneSolver* s, int n)
{
    for (int l = 0; l < s->of->n_lists; ++l) {
        if (strcmp(s->of->lists[l].name, "sources") == 0) return s->lists[l].parts[n].id;
    }
    return 0;
}

// Fills come last: they leave solids and bodies free.
static TarnResult build_late(SceneReader* r, SceneSolver* s, TarnWorld* world)
{
    const SceneLiquid* liquid = s->staged;
    for (int n = 0; n < liquid->n_fills; ++n) {
        TarnResult result = tarn_liquid_fill(s->solver, &liquid->fills[n], NULL);
        if (result != TARN_OK) return refuse_item(r, s, "fill", n, result);
    }
    for (int n = 0; n < liquid->n_draws; ++n) {
        const SceneDraws* d = &liquid->draws[n];
        const TarnSpoutDef def = { .liquid = s->solver,
                                   .source = source_id(s, d->source),
                                   .water = d->from->solver,
                                   .place = d->place,
                                   .radius = d->radius };
        TarnResult result = tarn_world_add_spout(world, &def);
        if (result != TARN_OK) return refuse_item(r, s, "sources", d->source, result);
    }
    return TARN_OK;
}

static void free_liquid(TarnContext* ctx, void* staged)
{
    SceneLiquid* liquid = staged;
    tarn__free(ctx, liquid->kinds, (size_t)liquid->n_kinds * sizeof *liquid->kinds);
    tarn__free(ctx, liquid->fills, (size_t)liquid->n_fills * sizeof *liquid->fills);
    tarn__free(ctx, liquid->draws, (size_t)liquid->n_draws * sizeof *liquid->draws);
}

static const char* const keys[] = { "kinds", "fill", NULL };
static const ScenePartKind parts[] = {
    { .list = "sources", .key = "draws" },
    { .list = "regions", .has_pose = true, .place = offsetof(TarnRegionDef, pose) },
};
static const TarnParamTable* (*const tables[])(void) = { tarn_liquid_kind_def_table,
                                                         tarn_liquid_fill_table, draws_table };
const SceneKind tarn__scene_liquid = { .name = "liquid",
                                       .size = sizeof(SceneLiquid),
                                       .keys = keys,
                                       .parts = parts,
                                       .n_parts = 2,
                                       .tables = tables,
                                       .n_tables = 3,
                                       .read = read_liquid,
                                       .build = build_liquid,
                                       .build_late = build_late,
                                       .free = free_liquid };
