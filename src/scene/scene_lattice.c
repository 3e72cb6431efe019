// Lattices of a scene: how their smoke looks, and where their sources and fills are.

#include "scene/scene_internal.h"
#include "tarn/lattice.h"
#include <stdio.h>

static TarnResult start(SceneReader* r, SceneSolver* s)
{
    (void)r;
    tarn_param_defaults(tarn_scene_gas_look_table(), s->staged);
    return TARN_OK;
}

static TarnResult read_look(SceneReader* r, SceneSolver* s)
{
    char path[SCENE_PATH];
    snprintf(path, sizeof path, "%s.look", s->name);
    return tarn__scene_read_plain(r, path, tarn__json_get(s->node, "look"),
                                  tarn_scene_gas_look_table(), s->staged);
}

static const char* const keys[] = { "look", NULL };
static const ScenePartKind parts[] = {
    { .list = "sources", .has_motion = true, .place = offsetof(TarnLatticeSourceDef, motion) },
    { .list = "fills", .has_motion = true, .place = offsetof(TarnLatticeFillDef, motion) },
};
static const TarnParamTable* (*const tables[])(void) = { tarn_scene_gas_look_table };
const SceneKind tarn__scene_lattice = { .name = "lattice",
                                        .size = sizeof(TarnSceneGasLook),
                                        .keys = keys,
                                        .parts = parts,
                                        .n_parts = 2,
                                        .tables = tables,
                                        .n_tables = 1,
                                        .start = start,
                                        .read = read_look };
