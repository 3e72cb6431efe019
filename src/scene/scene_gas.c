// Gases of a scene: presets and how they look, besides their tables and lists.

#include "scene/scene_internal.h"
#include "tarn/gas.h"
#include "tarn/gas_presets.h"
#include <stdio.h>

// ---- Presets -----------------------------------------------------------------------------------------

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

// The part that a preset brings to a list. A list in the file takes its place.
static TarnResult put_part(SceneReader* r, SceneSolver* s, const char* list, const void* def,
                           size_t size, TarnVec3 place, float up)
{
    for (int l = 0; l < s->of->n_lists; ++l) {
        SceneParts* parts = &s->lists[l];
        if (strcmp(s->of->lists[l].name, list) != 0) continue;
        TARN_TRY(tarn__scene_make_room(r, 1, sizeof(ScenePart), &parts->parts));
        parts->n = 1;
        ScenePart* part = &parts->parts[0];
        memcpy(part->def, def, size);
        tarn_param_defaults(tarn__scene_pose_table(), &part->pose);
        tarn_param_defaults(tarn__scene_nozzle_table(), &part->nozzle);
        part->pose.position = place;
        part->nozzle.direction = (TarnVec3){ 0.0f, up, 0.0f };
    }
    return TARN_OK;
}

static TarnResult start_from_preset(SceneReader* r, SceneSolver* s)
{
    SceneGas* gas = s->staged;
    int preset = gas->start.preset - 1;
    float size = gas->start.preset_size;
    TarnGasSourceDef source;
    TarnGasJetDef jet;
    tarn_param_defaults(tarn_scene_gas_look_table(), &gas->look);
    if (preset < 0) return TARN_OK;
    if (size == 0.0f) size = tarn_gas_preset_size(preset);
    TarnResult result = tarn_gas_preset_at(r->ctx, preset, size, gas->start.preset_place, s->def,
                                           s->params, &source, &jet);
    if (result != TARN_OK) return tarn__scene_refuse_made(r, s->node, s->name, result);
    gas->look = look_of(preset, size);
    TARN_TRY(put_part(r, s, "sources", &source, sizeof source, source.motion.position, 1.0f));
    if (!(jet.speed > 0.0f)) return TARN_OK;
    return put_part(r, s, "jets", &jet, sizeof jet, jet.motion.position, -1.0f); // they blow down
}

static TarnResult read_gas(SceneReader* r, SceneSolver* s)
{
    SceneGas* gas = s->staged;
    char path[SCENE_PATH];
    snprintf(path, sizeof path, "%s.look", s->name);
    return tarn__scene_read_plain(r, path, tarn__json_get(s->node, "look"),
                                  tarn_scene_gas_look_table(), &gas->look);
}

static const char* const keys[] = { "look", NULL };
static const ScenePartKind parts[] = {
    { .list = "sources", .has_motion = true, .place = offsetof(TarnGasSourceDef, motion) },
    { .list = "jets", .has_motion = true, .place = offsetof(TarnGasJetDef, motion) },
};
static const TarnParamTable* (*const tables[])(void) = { tarn_scene_gas_look_table };
const SceneKind tarn__scene_gas = { .name = "gas",
                                    .size = sizeof(SceneGas),
                                    .keys = keys,
                                    .parts = parts,
                                    .n_parts = 2,
                                    .table = tarn__scene_gas_preset_table,
                                    .tables = tables,
                                    .n_tables = 1,
                                    .start = start_from_preset,
                                    .read = read_gas };
