// Linkages of a scene: their parts, which name bodies.

#include "scene/scene_internal.h"
#include <stdio.h>

typedef struct ScenePartOfLinkage {
    TarnLinkagePartDef def;
    const TarnJson* node;
    int body; // entry
} ScenePartOfLinkage;
typedef struct SceneLinkage {
    int n_parts;
    ScenePartOfLinkage* parts;
} SceneLinkage;

static TarnResult read_part(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    ScenePartOfLinkage* part = item;
    const TarnJson* body;
    SceneObject object = { .path = path, .node = node, .others = { "body" } };
    part->def = tarn_linkage_part_default_def();
    part->node = node;
    tarn__scene_add_table(&object, tarn_linkage_part_def_table(), &part->def);
    TARN_TRY(tarn__scene_read_object(r, &object));
    TARN_TRY(tarn__scene_read_string(r, node, path, "body", &body));
    if (body == NULL)
        return tarn__scene_refuse_value(r, node, "%s: \"body\" is missing; name a driven body",
                                        path);
    return tarn__scene_find_body(r, body, path, "body", &part->body);
}

static TarnResult read_linkage(SceneReader* r, SceneSolver* s)
{
    SceneLinkage* linkage = s->staged;
    const SceneList parts = {
        s->name, "parts", s->node, TARN_LINKAGE_PARTS, sizeof(ScenePartOfLinkage), read_part
    };
    return tarn__scene_read_items(r, &parts, &linkage->n_parts, &linkage->parts);
}

static TarnResult build_parts(SceneReader* r, SceneSolver* s, TarnWorld* world)
{
    SceneLinkage* linkage = s->staged;
    (void)world;
    for (int i = 0; i < linkage->n_parts; ++i) {
        ScenePartOfLinkage* part = &linkage->parts[i];
        char path[SCENE_PATH];
        snprintf(path, sizeof path, "%s.parts[%d]", s->name, i);
        part->def.body = r->bodies[part->body].first;
        TarnResult result = tarn_linkage_add_part(s->solver, &part->def);
        if (result != TARN_OK) return tarn__scene_refuse_made(r, part->node, path, result);
    }
    return TARN_OK;
}

static void free_parts(TarnContext* ctx, void* staged)
{
    SceneLinkage* linkage = staged;
    tarn__free(ctx, linkage->parts, (size_t)linkage->n_parts * sizeof(ScenePartOfLinkage));
}

static const char* const keys[] = { "parts", NULL };
static const TarnParamTable* (*const tables[])(void) = { tarn_linkage_part_def_table };
const SceneKind tarn__scene_linkage = { .name = "linkage",
                                        .size = sizeof(SceneLinkage),
                                        .keys = keys,
                                        .tables = tables,
                                        .n_tables = 1,
                                        .read = read_linkage,
                                        .build_late = build_parts,
                                        .free = free_parts };
