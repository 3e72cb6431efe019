// Emitters of a scene: their keys, and the solver that each disturbs; channels, and the two that each joins.

#include "scene/scene_internal.h"
#include <stdio.h>

static bool understands(const TarnSolverClass* of, int kind)
{
    return of->emitters >> kind & 1u;
}

static const char* instead_of(const TarnSolverClass* of, int kind) // NULL: nothing
{
    return of->instead ? of->instead(kind) : NULL;
}

// The one that the file names, or the first that understands the kind.
static TarnResult find_target(SceneReader* r, SceneEmitter* emitter, const char* path)
{
    const TarnJson* in;
    const char *hint = NULL, *word = tarn_emitter_kind_name(emitter->def.kind);
    int kind = emitter->def.kind;
    TARN_TRY(tarn__scene_read_string(r, emitter->node, path, "in", &in));
    if (in) {
        TARN_TRY(tarn__scene_find_solver(r, in, path, "in", &emitter->solver));
        const TarnSolverClass* of = emitter->solver->of;
        if (understands(of, kind)) return TARN_OK;
        hint = instead_of(of, kind);
        return tarn__scene_refuse_value(r, emitter->node,
                                        "%s.kind: the %s solver does not support '%s' emitters%s%s",
                                        path, of->name, word, hint ? "; " : "", hint ? hint : "");
    }
    for (int i = 0; i < r->n_solvers; ++i) {
        const TarnSolverClass* of = r->solvers[i].of;
        emitter->solver = &r->solvers[i];
        if (understands(of, kind)) return TARN_OK;
        if (hint == NULL) hint = instead_of(of, kind);
    }
    return tarn__scene_refuse_value(r, emitter->node,
                                    "%s.kind: no solver of this scene supports '%s' emitters%s%s",
                                    path, word, hint ? "; " : "", hint ? hint : "");
}

// Gates are counted, so an emitter that opens one that is not there is a mistake.
static TarnResult check_gate(SceneReader* r, const SceneEmitter* emitter, const char* path)
{
    const SceneSolver* s = emitter->solver;
    int n = s->kind == &tarn__scene_shallow ? ((const SceneLand*)s->staged)->n_gates : INT32_MAX;
    if (emitter->def.kind != TARN_EMITTER_GATE || emitter->def.gate < n) return TARN_OK;
    return tarn__scene_refuse_value(r, emitter->node,
                                    "%s.gate: there is no gate %d; %s has %d, counted from 0", path,
                                    emitter->def.gate, s->name, n);
}

// A source off the grid would silently do nothing. A window that moves may come to it.
static TarnResult check_source(SceneReader* r, const SceneEmitter* emitter, const char* path)
{
    const SceneSolver* s = emitter->solver;
    TarnVec2 a = emitter->def.a, min, max;
    float reach = emitter->def.radius;
    if (emitter->def.kind != TARN_EMITTER_SOURCE || s->window.kind != TARN_WINDOW_FIXED)
        return TARN_OK;
    if (!tarn__scene_area(s, &min, &max)) return TARN_OK;
    bool is_on = a.x >= min.x - reach && a.x <= max.x + reach && a.y >= min.y - reach &&
                 a.y <= max.y + reach;
    if (is_on) return TARN_OK;
    return tarn__scene_refuse_value(
        r, emitter->node,
        "%s.a: the source at [%g, %g] m lies outside the grid of %s, which covers x from %g to %g "
        "m and z from %g to %g m; move it inside",
        path, (double)a.x, (double)a.y, s->name, (double)min.x, (double)max.x, (double)min.y,
        (double)max.y);
}

static TarnResult read_emitter(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    SceneEmitter* emitter = item;
    SceneObject object = { .path = path, .node = node, .others = { "in" } };
    emitter->node = node;
    emitter->def = tarn_emitter_default_def();
    tarn__scene_add_table(&object, tarn_emitter_def_table(), &emitter->def);
    TARN_TRY(tarn__scene_read_object(r, &object));
    TARN_TRY(find_target(r, emitter, path));
    TARN_TRY(check_gate(r, emitter, path));
    return check_source(r, emitter, path);
}

TarnResult tarn__scene_read_emitters(SceneReader* r)
{
    const TarnJson* root = r->doc.root;
    const SceneList list = {
        "", "emitters", root, SCENE_MAX_EMITTERS, sizeof(SceneEmitter), read_emitter
    };
    SceneObject world = { .path = "world", .node = tarn__json_get(root, "world") };
    TARN_TRY(tarn__scene_read_items(r, &list, &r->n_emitters, &r->emitters));
    tarn__scene_add_table(&world, tarn_world_def_table(), &r->world);
    return tarn__scene_grow(r, &world, "max_emitters", r->n_emitters,
                            tarn__json_get(root, "emitters"), "emitters");
}

// ---- Channels ----------------------------------------------------------------------------------------

static TarnResult read_channel(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    SceneChannel* channel = item;
    SceneObject object = { .path = path, .node = node, .others = { "from", "to" } };
    channel->node = node;
    channel->def = tarn_channel_default_def();
    tarn__scene_add_table(&object, tarn_channel_def_table(), &channel->def);
    TARN_TRY(tarn__scene_read_object(r, &object));
    TARN_TRY(tarn__scene_need_solver(r, node, path, "from", &channel->from));
    return tarn__scene_need_solver(r, node, path, "to", &channel->to);
}

TarnResult tarn__scene_read_channels(SceneReader* r)
{
    const SceneList list = {
        "", "channels", r->doc.root, SCENE_MAX_CHANNELS, sizeof(SceneChannel), read_channel
    };
    return tarn__scene_read_items(r, &list, &r->n_channels, &r->channels);
}
