// Particles of a scene: how each kind looks, besides their tables and lists.

#include "scene/scene_internal.h"
#include "tarn/particles.h"
#include <stdio.h>

static TarnResult read_look(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    tarn_param_defaults(tarn_scene_look_table(), item);
    return tarn__scene_read_plain(r, path, node, tarn_scene_look_table(), item);
}

static TarnResult read_looks(SceneReader* r, SceneSolver* s)
{
    SceneParticles* particles = s->staged;
    const SceneList list = { s->name,  "looks", s->node, SCENE_MAX_LOOKS, sizeof(TarnSceneLook),
                             read_look };
    return tarn__scene_read_items(r, &list, &particles->n_looks, &particles->looks);
}

// ---- Kinds that have no look ---------------------------------------------------------------------------

static TarnResult check_kind(SceneReader* r, const SceneSolver* s, const TarnJson* node,
                             const char* path, int kind)
{
    int n = ((const SceneParticles*)s->staged)->n_looks;
    if (kind < (n > 0 ? n : 3)) return TARN_OK;
    if (n == 0)
        return tarn__scene_refuse_value(
            r, node,
            "%s: particles of kind %d cannot be drawn; without %s.looks the kinds are 0 spray, 1 "
            "fire and 2 smoke: choose one of these, or add looks",
            path, kind, s->name);
    return tarn__scene_refuse_value(r, node,
                                    "%s: kind %d has no look; %s.looks has %d, counted from 0: add "
                                    "a look, or choose a kind that has one",
                                    path, kind, s->name, n);
}

static TarnResult check_emitters(SceneReader* r, const SceneSolver* s)
{
    for (int l = 0; l < s->of->n_lists; ++l) {
        if (strcmp(s->of->lists[l].name, "emitters") != 0) continue;
        for (int i = 0; i < s->lists[l].n; ++i) {
            const ScenePart* part = &s->lists[l].parts[i];
            TarnParticleEmitterDef def;
            char path[SCENE_PATH];
            memcpy(&def, part->def, sizeof def);
            snprintf(path, sizeof path, "%s.emitters[%d].kind_of_particle", s->name, i);
            TARN_TRY(check_kind(r, s, part->node, path, def.kind_of_particle));
        }
    }
    return TARN_OK;
}

// Flames and smoke of fires are particles of the first solver of that kind.
static TarnResult check_looks(SceneReader* r, SceneSolver* s)
{
    TARN_TRY(check_emitters(r, s));
    for (const SceneSolver* other = r->solvers; other < s; ++other) {
        if (other->of == s->of) return TARN_OK;
    }
    for (int i = 0; i < r->n_solvers; ++i) {
        const SceneSolver* fire = &r->solvers[i];
        char path[SCENE_PATH];
        if (fire->of != tarn_fire_class()) continue;
        const TarnFireDef* def = fire->def;
        snprintf(path, sizeof path, "%s.kind_of_flame", fire->name);
        TARN_TRY(check_kind(r, s, fire->node, path, def->kind_of_flame));
        snprintf(path, sizeof path, "%s.kind_of_smoke", fire->name);
        TARN_TRY(check_kind(r, s, fire->node, path, def->kind_of_smoke));
    }
    return TARN_OK;
}

static void free_looks(TarnContext* ctx, void* staged)
{
    SceneParticles* particles = staged;
    tarn__free(ctx, particles->looks, (size_t)particles->n_looks * sizeof(TarnSceneLook));
}

static const char* const keys[] = { "looks", NULL };
static const ScenePartKind parts[] = {
    { .list = "emitters", .has_motion = true, .place = offsetof(TarnParticleEmitterDef, motion) },
};
static const TarnParamTable* (*const tables[])(void) = { tarn_scene_look_table };
const SceneKind tarn__scene_particles = { .name = "particles",
                                          .size = sizeof(SceneParticles),
                                          .keys = keys,
                                          .parts = parts,
                                          .n_parts = 1,
                                          .tables = tables,
                                          .n_tables = 1,
                                          .read = read_looks,
                                          .check = check_looks,
                                          .free = free_looks };
