// The sections "gases" and "curl_noise": keys into structs, and gases into a world.

#include "scene/scene_internal.h"
#include "base/param.h"
#include <stdio.h>

// ---- Reading ---------------------------------------------------------------------------------------

static const char* const attach_only[] = { "attach", NULL };

// A source or a jet: its own table, that of nozzles, and the body that carries it.
static TarnResult read_part(SceneReader* r, const TarnJson* node, const char* path,
                            const TarnParamTable* table, void* def, SceneNozzle* nozzle,
                            const TarnJson** attach)
{
    SceneObject object = { .path = path, .node = node, .others = attach_only, .stretched = "size" };
    tarn_param_defaults(tarn__scene_nozzle_table(), nozzle);
    object.tables[0] = table;
    object.targets[0] = def;
    object.tables[1] = tarn__scene_nozzle_table();
    object.targets[1] = nozzle;
    TARN_TRY(tarn__scene_read_object(r, &object));
    TarnVec3 d = nozzle->direction;
    if (d.x == 0.0f && d.y == 0.0f && d.z == 0.0f)
        return tarn__scene_refuse_value(r, node, "%s.direction: [0, 0, 0] points nowhere", path);
    return tarn__scene_read_attach(r, node, path, attach);
}

static TarnResult read_parts(SceneReader* r, const char* gas_path, SceneGas* gas, bool is_jets)
{
    char path[SCENE_PATH];
    const char* key = is_jets ? "jets" : "sources";
    const TarnJson* list = tarn__json_get(gas->node, key);
    int n = 0;
    if (list == NULL && gas->start.preset > 0) return TARN_OK; // those of the preset
    snprintf(path, sizeof path, "%s.%s", gas_path, key);
    TARN_TRY(tarn__scene_read_list(r, list, path, SCENE_MAX_GAS_PARTS, &n));
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < n; ++i, node = node->next) {
        snprintf(path, sizeof path, "%s.%s[%d]", gas_path, key, i);
        if (is_jets) {
            SceneGasJet* jet = &gas->jets[i];
            jet->def = tarn_gas_jet_default_def();
            TARN_TRY(read_part(r, node, path, tarn_gas_jet_def_table(), &jet->def, &jet->nozzle,
                               &jet->attach));
        } else {
            SceneGasSource* source = &gas->sources[i];
            source->def = tarn_gas_source_default_def();
            TARN_TRY(read_part(r, node, path, tarn_gas_source_def_table(), &source->def,
                               &source->nozzle, &source->attach));
        }
    }
    *(is_jets ? &gas->n_jets : &gas->n_sources) = n;
    return TARN_OK;
}

static TarnResult read_follow(SceneReader* r, const char* gas_path, SceneGas* gas)
{
    static const char* const others[] = { "body", NULL };
    const TarnJson* node = tarn__json_get(gas->node, "around");
    char path[SCENE_PATH];
    tarn_param_defaults(tarn__scene_follow_table(), &gas->follow);
    if (node == NULL) return TARN_OK;
    snprintf(path, sizeof path, "%s.around", gas_path);
    SceneObject object = { .path = path, .node = node, .others = others };
    object.tables[0] = tarn__scene_follow_table();
    object.targets[0] = &gas->follow;
    TARN_TRY(tarn__scene_read_object(r, &object));
    gas->body = tarn__json_get(node, "body");
    if (gas->body != NULL && gas->body->type == TARN_JSON_STRING) return TARN_OK;
    return tarn__scene_refuse_value(r, gas->body ? gas->body : node,
                                    "%s.body: the name of a body is needed", path);
}

// ---- Presets ---------------------------------------------------------------------------------------

static SceneNozzle nozzle_at(TarnVec3 place, float up)
{
    SceneNozzle nozzle;
    tarn_param_defaults(tarn__scene_nozzle_table(), &nozzle);
    nozzle.position = place;
    nozzle.direction = (TarnVec3){ 0.0f, up, 0.0f };
    return nozzle;
}

// How the smoke of a preset looks; it swallows as much light over its size at any size.
static TarnSceneGasLook look_of(int preset, float size)
{
    static const TarnSceneGasLook looks[TARN_GAS_PRESETS] = {
        [TARN_GAS_PRESET_SMOKE] = { { 0.4f, 0.4f, 0.42f }, 3.0f, 0.0f },
        [TARN_GAS_PRESET_FIRE] = { { 0.16f, 0.14f, 0.13f }, 1.5f, 1.0f },
        [TARN_GAS_PRESET_EXPLOSION] = { { 0.12f, 0.11f, 0.1f }, 6.0f, 1.0f },
        [TARN_GAS_PRESET_JET_EXHAUST] = { { 0.75f, 0.75f, 0.77f }, 1.5f, 1.0f },
        [TARN_GAS_PRESET_CHIMNEY] = { { 0.5f, 0.5f, 0.52f }, 1.5f, 0.0f },
        [TARN_GAS_PRESET_DUST] = { { 0.55f, 0.45f, 0.32f }, 10.0f, 0.0f },
    };
    TarnSceneGasLook look = looks[preset];
    look.opacity /= size;
    return look;
}

// The preset of a gas in place of the defaults. A list of sources or jets in the scene takes the place of its
// own.
static TarnResult start_from_preset(SceneReader* r, SceneGas* gas)
{
    int preset = gas->start.preset - 1;
    float size = gas->start.preset_size;
    if (size == 0.0f) size = tarn_gas_preset_size(preset);
    TarnGasSourceDef* source = &gas->sources[0].def;
    TarnGasJetDef* jet = &gas->jets[0].def;
    TARN_TRY(tarn_gas_preset_at(r->ctx, preset, size, gas->start.preset_place, &gas->def,
                                &gas->params, source, jet));
    gas->sources[0].nozzle = nozzle_at(source->motion.position, 1.0f);
    gas->jets[0].nozzle = nozzle_at(jet->motion.position, -1.0f); // jets of presets blow down
    gas->n_sources = 1;
    gas->n_jets = jet->speed > 0.0f ? 1 : 0;
    gas->look = look_of(preset, size);
    return TARN_OK;
}

static TarnResult read_gas(SceneReader* r, const TarnJson* node, const char* path, SceneGas* gas)
{
    static const char* const others[] = { "sources", "jets", "around", "look", NULL };
    char look[SCENE_PATH];
    gas->node = node;
    gas->def = tarn_gas_default_def();
    gas->params = tarn_gas_default_params();
    tarn_param_defaults(tarn_scene_gas_look_table(), &gas->look);
    SceneObject object = { .path = path, .node = node, .others = others };
    object.tables[0] = tarn_gas_def_table();
    object.targets[0] = &gas->def;
    object.tables[1] = tarn_gas_params_table();
    object.targets[1] = &gas->params;
    object.tables[2] = tarn__scene_gas_preset_table();
    object.targets[2] = &gas->start;
    tarn_param_defaults(object.tables[2], &gas->start);
    TARN_TRY(tarn__scene_read_object(r, &object));
    if (gas->start.preset > 0) { // once more, on top of it
        if (start_from_preset(r, gas) != TARN_OK)
            return tarn__scene_refuse_made(r, node, path, TARN_ERR_ARG);
        TARN_TRY(tarn__scene_read_object(r, &object));
    }
    if (!tarn__scene_is_given(r, path, node, "gravity"))
        gas->params.gravity = (TarnVec3){ 0.0f, -r->world.gravity, 0.0f };
    snprintf(look, sizeof look, "%s.look", path);
    TARN_TRY(tarn__scene_read_plain(r, look, tarn__json_get(node, "look"),
                                    tarn_scene_gas_look_table(), &gas->look));
    TARN_TRY(read_follow(r, path, gas));
    TARN_TRY(read_parts(r, path, gas, false));
    TARN_TRY(read_parts(r, path, gas, true));
    bool has_room = tarn__scene_is_given(r, path, node, "max_sources");
    if (!has_room && gas->n_sources > gas->def.max_sources) gas->def.max_sources = gas->n_sources;
    has_room = tarn__scene_is_given(r, path, node, "max_jets");
    if (!has_room && gas->n_jets > gas->def.max_jets) gas->def.max_jets = gas->n_jets;
    return TARN_OK;
}

static TarnResult read_noise(SceneReader* r)
{
    SceneFluids* f = &r->fluids;
    const TarnJson* node = tarn__json_get(r->doc.root, "curl_noise");
    f->noise = tarn_curl_noise_default(r->ctx);
    f->has_noise = node != NULL || tarn__scene_is_overridden(r, "curl_noise");
    if (!f->has_noise) return TARN_OK;
    if (!f->has_particles && node)
        return tarn__scene_refuse_key(r, node,
                                      "curl_noise: it carries \"particles\", and there are none");
    return tarn__scene_read_plain(r, "curl_noise", node, tarn_curl_noise_table(), &f->noise);
}

TarnResult tarn__scene_read_gases(SceneReader* r)
{
    SceneFluids* f = &r->fluids;
    const TarnJson* list = tarn__json_get(r->doc.root, "gases");
    int n = 0;
    TARN_TRY(tarn__scene_read_list(r, list, "gases", TARN_WORLD_MAX_GASES, &n));
    TARN_TRY(tarn__scene_make_room(r, n, sizeof *f->gases, &f->gases));
    f->n_gases = n;
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < n; ++i, node = node->next) {
        char path[SCENE_ITEM];
        snprintf(path, sizeof path, "gases[%d]", i);
        TARN_TRY(read_gas(r, node, path, &f->gases[i]));
    }
    return read_noise(r);
}

// ---- Building --------------------------------------------------------------------------------------

TarnResult tarn__scene_build_gases(SceneReader* r, TarnWorld* world)
{
    SceneFluids* f = &r->fluids;
    for (int n = 0; n < f->n_gases; ++n) {
        char path[SCENE_ITEM];
        TarnGas* gas;
        TarnResult result = tarn_world_add_gas(world, &f->gases[n].def, &gas);
        if (result == TARN_OK) result = tarn_gas_set_params(gas, &f->gases[n].params);
        snprintf(path, sizeof path, "gases[%d]", n);
        if (result != TARN_OK) return tarn__scene_refuse_made(r, f->gases[n].node, path, result);
    }
    if (!f->has_noise) return TARN_OK;
    TarnResult result = tarn_world_set_curl_noise(world, &f->noise);
    if (result == TARN_OK) return TARN_OK;
    return tarn__scene_refuse_made(r, tarn__json_get(r->doc.root, "curl_noise"), "curl_noise",
                                   result);
}

static TarnResult build_source(SceneReader* r, TarnWorld* world, int n, SceneGasSource* source,
                               const SceneColor* colors)
{
    TarnGasSourceId id;
    TarnBodyId body;
    source->def.motion = tarn__scene_nozzle_motion(&source->nozzle);
    TARN_TRY(tarn_gas_add_source(tarn_world_gas(world, n), &source->def, &id));
    if (source->attach == NULL) return TARN_OK;
    TARN_TRY(tarn__scene_find_body(r, source->attach, "attach", colors, &body));
    return tarn_world_attach_gas_source(world, n, id, &source->def, body, source->nozzle.power);
}

static TarnResult build_jet(SceneReader* r, TarnWorld* world, int n, SceneGasJet* jet,
                            const SceneColor* colors)
{
    TarnGasJetId id;
    TarnBodyId body;
    jet->def.motion = tarn__scene_nozzle_motion(&jet->nozzle);
    TARN_TRY(tarn_gas_add_jet(tarn_world_gas(world, n), &jet->def, &id));
    if (jet->attach == NULL) return TARN_OK;
    TARN_TRY(tarn__scene_find_body(r, jet->attach, "attach", colors, &body));
    return tarn_world_attach_gas_jet(world, n, id, &jet->def, body, jet->nozzle.power);
}

// A failure of a part, with the part in front.
static TarnResult said_of_part(SceneReader* r, int n, const char* list, int i, TarnResult result)
{
    char path[SCENE_PATH];
    if (result == TARN_OK || result == TARN_ERR_DATA) return result; // the latter has its place
    const TarnJson* node = tarn__json_get(r->fluids.gases[n].node, list);
    node = node ? node->child : NULL;
    for (int k = 0; node && k < i; ++k) node = node->next;
    snprintf(path, sizeof path, "gases[%d].%s[%d]", n, list, i);
    tarn__scene_refuse_made(r, node, path, result);
    return result == TARN_ERR_MEMORY ? result : TARN_ERR_DATA;
}

static TarnResult build_parts(SceneReader* r, TarnWorld* world, int n, const SceneColor* colors)
{
    SceneGas* gas = &r->fluids.gases[n];
    TarnBodyId body;
    if (gas->body) {
        TARN_TRY(tarn__scene_find_body(r, gas->body, "around.body", colors, &body));
        TARN_TRY(tarn_world_follow(world, n, body, gas->follow.offset));
    }
    for (int i = 0; i < gas->n_sources; ++i)
        TARN_TRY(
            said_of_part(r, n, "sources", i, build_source(r, world, n, &gas->sources[i], colors)));
    for (int i = 0; i < gas->n_jets; ++i)
        TARN_TRY(said_of_part(r, n, "jets", i, build_jet(r, world, n, &gas->jets[i], colors)));
    return TARN_OK;
}

TarnResult tarn__scene_build_gas_parts(SceneReader* r, TarnWorld* world, const SceneColor* colors)
{
    for (int n = 0; n < r->fluids.n_gases; ++n) {
        char path[SCENE_ITEM];
        TarnResult result = build_parts(r, world, n, colors);
        snprintf(path, sizeof path, "gases[%d]", n);
        if (result == TARN_OK) continue;
        if (result == TARN_ERR_DATA) return result; // its sentence has its place already
        return tarn__scene_refuse_made(r, r->fluids.gases[n].node, path, result);
    }
    return TARN_OK;
}
