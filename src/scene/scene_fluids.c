// The sections "liquid", "particles", "fires" and "solids": keys into structs. Shapes of solids:
// scene_solids.c; making it all: scene_build_fluids.c.

#include "scene/scene_internal.h"
#include "base/param.h"
#include <stdio.h>

// ---- Lists -----------------------------------------------------------------------------------------

// A list of objects that one table reads, or its own function.
typedef TarnResult ReadItemFn(SceneReader* r, const TarnJson* node, const char* path, void* item);

typedef struct FluidList {
    const char *section, *key; // section NULL: the list stands in the scene itself
    int most;
    size_t size; // of an item
    ReadItemFn* read;
    int* count;
    void* items; // address of the pointer to the objects
} FluidList;

static TarnResult read_list(SceneReader* r, const FluidList* list)
{
    char path[SCENE_PATH];
    const TarnJson* section =
        list->section ? tarn__json_get(r->doc.root, list->section) : r->doc.root;
    const TarnJson* array = tarn__json_get(section, list->key);
    const char *name = list->section ? list->section : "", *dot = list->section ? "." : "";
    snprintf(path, sizeof path, "%s%s%s", name, dot, list->key);
    int n = 0;
    TARN_TRY(tarn__scene_read_list(r, array, path, list->most, &n));
    TARN_TRY(tarn__scene_make_room(r, n, list->size, list->items));
    *list->count = n;
    char* items;
    memcpy(&items, list->items, sizeof items);
    const TarnJson* node = array ? array->child : NULL;
    for (int i = 0; i < n; ++i, node = node->next) {
        snprintf(path, sizeof path, "%s%s%s[%d]", name, dot, list->key, i);
        TARN_TRY(list->read(r, node, path, items + (size_t)i * list->size));
    }
    return TARN_OK;
}

TarnResult tarn__scene_read_attach(SceneReader* r, const TarnJson* node, const char* path,
                                   const TarnJson** out)
{
    *out = tarn__json_get(node, "attach");
    if (*out == NULL || (*out)->type == TARN_JSON_STRING) return TARN_OK;
    return tarn__scene_refuse_value(r, *out, "%s.attach: expected a string, found %s", path,
                                    tarn__json_type_name((*out)->type));
}

static const char* const attach_only[] = { "attach", NULL };

static TarnResult read_kind(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    static const char* const others[] = { "name", NULL };
    *(TarnLiquidKindDef*)item = tarn_liquid_kind_default_def();
    SceneObject object = { .path = path, .node = node, .others = others };
    object.tables[0] = tarn_liquid_kind_def_table();
    object.targets[0] = item;
    return tarn__scene_read_object(r, &object);
}

static TarnResult read_fill(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    *(TarnLiquidFill*)item = tarn_liquid_fill_default();
    return tarn__scene_read_plain(r, path, node, tarn_liquid_fill_table(), item);
}

static TarnResult read_source(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    SceneLiquidSource* source = item;
    SceneObject object = { .path = path, .node = node, .others = attach_only };
    source->def = tarn_liquid_source_default_def();
    object.tables[0] = tarn_liquid_source_def_table();
    object.targets[0] = &source->def;
    TARN_TRY(tarn__scene_read_object(r, &object));
    return tarn__scene_read_attach(r, node, path, &source->attach);
}

static TarnResult read_region(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    *(TarnRegionDef*)item = tarn_region_default_def();
    return tarn__scene_read_plain(r, path, node, tarn_region_def_table(), item);
}

static TarnResult read_emitter(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    SceneParticleEmitter* emitter = item;
    SceneObject object = { .path = path, .node = node, .others = attach_only, .stretched = "size" };
    emitter->def = tarn_particle_emitter_default_def();
    tarn_param_defaults(tarn__scene_nozzle_table(), &emitter->nozzle);
    object.tables[0] = tarn_particle_emitter_def_table();
    object.targets[0] = &emitter->def;
    object.tables[1] = tarn__scene_nozzle_table();
    object.targets[1] = &emitter->nozzle;
    TARN_TRY(tarn__scene_read_object(r, &object));
    TarnVec3 d = emitter->nozzle.direction;
    if (d.x == 0.0f && d.y == 0.0f && d.z == 0.0f)
        return tarn__scene_refuse_value(r, node, "%s.direction: [0, 0, 0] points nowhere", path);
    return tarn__scene_read_attach(r, node, path, &emitter->attach);
}

static TarnResult read_attractor(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    *(TarnAttractorDef*)item = tarn_attractor_default_def();
    return tarn__scene_read_plain(r, path, node, tarn_attractor_def_table(), item);
}

static TarnResult read_look(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    tarn_param_defaults(tarn_scene_look_table(), item);
    return tarn__scene_read_plain(r, path, node, tarn_scene_look_table(), item);
}

static TarnResult read_fire(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    *(TarnFireDef*)item = tarn_fire_default_def();
    return tarn__scene_read_plain(r, path, node, tarn_fire_def_table(), item);
}

static TarnResult read_solid(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    SceneSolidEntry* entry = item;
    entry->node = node;
    return tarn__scene_read_solid(r, entry, path);
}

// ---- Sections --------------------------------------------------------------------------------------

// Room that the file does not mention grows with what it holds.
static void grow(const SceneReader* r, const char* section, const char* key, int needed, int* room)
{
    const TarnJson* node = tarn__json_get(r->doc.root, section);
    if (needed > *room && !tarn__scene_is_given(r, section, node, key)) *room = needed;
}

static TarnResult read_liquid(SceneReader* r)
{
    static const char* const others[] = { "kinds", "fill", "sources", "regions", NULL };
    SceneFluids* f = &r->fluids;
    const TarnJson* node = tarn__json_get(r->doc.root, "liquid");
    f->has_liquid = node != NULL || tarn__scene_is_overridden(r, "liquid");
    if (!f->has_liquid) return TARN_OK;
    SceneObject object = { .path = "liquid", .node = node, .others = others };
    object.tables[0] = tarn_liquid_def_table();
    object.targets[0] = &f->liquid;
    object.tables[1] = tarn_liquid_params_table();
    object.targets[1] = &f->liquid_params;
    TARN_TRY(tarn__scene_read_object(r, &object));
    if (!tarn__scene_is_given(r, "liquid", node, "gravity"))
        f->liquid_params.gravity = (TarnVec3){ 0.0f, -r->world.gravity, 0.0f };
    const FluidList lists[] = {
        { "liquid", "kinds", TARN_LIQUID_KINDS, sizeof *f->kinds, read_kind, &f->n_kinds,
          &f->kinds },
        { "liquid", "fill", SCENE_MAX_FILLS, sizeof *f->fills, read_fill, &f->n_fills, &f->fills },
        { "liquid", "sources", 256, sizeof *f->sources, read_source, &f->n_sources, &f->sources },
        { "liquid", "regions", 32, sizeof *f->regions, read_region, &f->n_regions, &f->regions },
    };
    for (int l = 0; l < 4; ++l) TARN_TRY(read_list(r, &lists[l]));
    grow(r, "liquid", "max_sources", f->n_sources, &f->liquid.max_sources);
    return TARN_OK;
}

static TarnResult read_flow(SceneReader* r, const TarnJson* node)
{
    const TarnJson* flow = tarn__json_get(node, "flow");
    if (flow == NULL) return TARN_OK;
    bool is_text = flow->type == TARN_JSON_STRING;
    r->fluids.use_flow = is_text && strcmp(flow->string, "liquid") == 0;
    if (r->fluids.use_flow || (is_text && strcmp(flow->string, "none") == 0)) return TARN_OK;
    return tarn__scene_refuse_value(r, flow, "particles.flow: expected \"none\" or \"liquid\"");
}

static TarnResult read_particles(SceneReader* r)
{
    static const char* const others[] = { "emitters", "attractors", "looks", "flow", NULL };
    SceneFluids* f = &r->fluids;
    const TarnJson* node = tarn__json_get(r->doc.root, "particles");
    f->has_particles = node != NULL || tarn__scene_is_overridden(r, "particles");
    if (!f->has_particles) return TARN_OK;
    SceneObject object = { .path = "particles", .node = node, .others = others };
    object.tables[0] = tarn_particles_def_table();
    object.targets[0] = &f->particles;
    object.tables[1] = tarn_particles_params_table();
    object.targets[1] = &f->particles_params;
    TARN_TRY(tarn__scene_read_object(r, &object));
    if (!tarn__scene_is_given(r, "particles", node, "gravity"))
        f->particles_params.gravity = (TarnVec3){ 0.0f, -r->world.gravity, 0.0f };
    const FluidList lists[] = {
        { "particles", "emitters", 4096, sizeof *f->emitters, read_emitter, &f->n_emitters,
          &f->emitters },
        { "particles", "attractors", 256, sizeof *f->attractors, read_attractor, &f->n_attractors,
          &f->attractors },
        { "particles", "looks", SCENE_MAX_LOOKS, sizeof *f->looks, read_look, &f->n_looks,
          &f->looks },
    };
    for (int l = 0; l < 3; ++l) TARN_TRY(read_list(r, &lists[l]));
    grow(r, "particles", "max_attractors", f->n_attractors, &f->particles.max_attractors);
    return read_flow(r, node);
}

TarnResult tarn__scene_read_fluids(SceneReader* r)
{
    SceneFluids* f = &r->fluids;
    f->liquid = tarn_liquid_default_def();
    f->liquid_params = tarn_liquid_default_params();
    f->particles = tarn_particles_default_def();
    f->particles_params = tarn_particles_default_params();
    TARN_TRY(read_liquid(r));
    TARN_TRY(read_particles(r));
    const FluidList fires = {
        NULL, "fires", TARN_WORLD_MAX_FIRES, sizeof *f->fires, read_fire, &f->n_fires, &f->fires
    };
    const FluidList solids = { NULL,       "solids",     SCENE_MAX_SOLIDS, sizeof *f->solids,
                               read_solid, &f->n_solids, &f->solids };
    TARN_TRY(read_list(r, &fires));
    TARN_TRY(read_list(r, &solids));
    const TarnJson* list = tarn__json_get(r->doc.root, "fires");
    if (f->n_fires > 0 && !(f->has_liquid && f->has_particles))
        return tarn__scene_refuse_key(
            r, list, "fires: they need a \"liquid\" to be put out and \"particles\" as flames");
    grow(r, "liquid", "max_regions", f->n_regions + f->n_fires, &f->liquid.max_regions);
    grow(r, "particles", "max_emitters", f->n_emitters + 2 * f->n_fires,
         &f->particles.max_emitters);
    grow(r, "world", "max_solids", f->n_solids, &r->world.max_solids);
    return tarn__scene_read_gases(r);
}

void tarn__scene_free_fluids(SceneReader* r)
{
    SceneFluids* f = &r->fluids;
    TarnContext* ctx = r->ctx;
    tarn__free(ctx, f->kinds, (size_t)f->n_kinds * sizeof *f->kinds);
    tarn__free(ctx, f->fills, (size_t)f->n_fills * sizeof *f->fills);
    tarn__free(ctx, f->sources, (size_t)f->n_sources * sizeof *f->sources);
    tarn__free(ctx, f->regions, (size_t)f->n_regions * sizeof *f->regions);
    tarn__free(ctx, f->emitters, (size_t)f->n_emitters * sizeof *f->emitters);
    tarn__free(ctx, f->attractors, (size_t)f->n_attractors * sizeof *f->attractors);
    tarn__free(ctx, f->fires, (size_t)f->n_fires * sizeof *f->fires);
    tarn__free(ctx, f->looks, (size_t)f->n_looks * sizeof *f->looks);
    tarn__free(ctx, f->gases, (size_t)f->n_gases * sizeof *f->gases);
    tarn__free(ctx, f->solids, (size_t)f->n_solids * sizeof *f->solids);
}
