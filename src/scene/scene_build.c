// From what a scene says to a world, in the order in which things need each other.

#include "scene/scene_internal.h"
#include <stdio.h>

static TarnResult build_noise(SceneReader* r, TarnWorld* world)
{
    if (!r->has_noise) return TARN_OK;
    TarnResult result = tarn_world_set_curl_noise(world, &r->noise);
    if (result == TARN_OK) return TARN_OK;
    return tarn__scene_refuse_made(r, tarn__json_get(r->doc.root, "curl_noise"), "curl_noise",
                                   result);
}

static TarnResult build_wind(SceneReader* r, TarnWorld* world)
{
    if (!r->has_wind) return TARN_OK;
    TarnResult result = tarn_world_set_wind(world, &r->wind);
    if (result == TARN_OK) return TARN_OK;
    return tarn__scene_refuse_made(r, tarn__json_get(r->doc.root, "wind"), "wind", result);
}

static TarnResult build_emitters(SceneReader* r, TarnWorld* world)
{
    for (int i = 0; i < r->n_emitters; ++i) {
        SceneEmitter* emitter = &r->emitters[i];
        char path[SCENE_ITEM];
        emitter->def.solver = tarn_world_number(world, emitter->solver->solver);
        TarnResult result = tarn_world_add_emitter(world, &emitter->def, NULL);
        snprintf(path, sizeof path, "emitters[%d]", i);
        if (result != TARN_OK) return tarn__scene_refuse_made(r, emitter->node, path, result);
    }
    return TARN_OK;
}

static TarnResult build_channels(SceneReader* r, TarnWorld* world)
{
    for (int i = 0; i < r->n_channels; ++i) {
        SceneChannel* channel = &r->channels[i];
        char path[SCENE_ITEM];
        channel->def.from = channel->from->solver;
        channel->def.to = channel->to->solver;
        TarnResult result = tarn_world_add_channel(world, &channel->def);
        snprintf(path, sizeof path, "channels[%d]", i);
        if (result != TARN_OK) return tarn__scene_refuse_made(r, channel->node, path, result);
    }
    return TARN_OK;
}

TarnResult tarn__scene_build(SceneReader* r, TarnScene* scene)
{
    TarnWorld* world = scene->world;
    TARN_TRY(tarn__scene_build_solids(r, scene));
    TARN_TRY(tarn__scene_build_solvers(r, world));
    TARN_TRY(build_noise(r, world));
    TARN_TRY(build_wind(r, world));
    TARN_TRY(tarn__scene_build_bodies(r, scene));
    TARN_TRY(tarn__scene_build_parts(r, world)); // bodies may carry them
    TARN_TRY(build_emitters(r, world));
    return build_channels(r, world);
}
