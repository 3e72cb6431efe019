// Solvers of a scene: keys by the tables of their class, parts by its lists; what a kind has besides (SceneKind) is in a
// file of its own, and one table here lists those.

#include "scene/scene_internal.h"
#include "tarn/coupling.h"
#include "tarn/ocean.h"
#include "base/maths.h"
#include "base/param.h"
#include <stdio.h>

const SceneKind* tarn__scene_kind_of(const TarnSolverClass* of)
{
    static const SceneKind plain = { 0 };
#define KIND(name, keys, drawer) SOLVER_IF(keys, &tarn__scene_##name, )
    static const SceneKind* const kinds[] = { SOLVERS(KIND) };
#undef KIND
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i) {
        if (strcmp(kinds[i]->name, of->name) == 0) return kinds[i];
    }
    return &plain;
}

static bool has_key(const SceneKind* kind, const char* key)
{
    for (int i = 0; kind->keys && kind->keys[i]; ++i) {
        if (strcmp(kind->keys[i], key) == 0) return true;
    }
    return false;
}

static const ScenePartKind* part_kind(const SceneKind* kind,
                                      const char* list) // NULL: nothing special
{
    for (int i = 0; i < kind->n_parts; ++i) {
        if (strcmp(kind->parts[i].list, list) == 0) return &kind->parts[i];
    }
    return NULL;
}

// ---- Reading: parts ----------------------------------------------------------------------------------

static TarnResult read_part(SceneReader* r, const SceneSolver* s, const TarnListClass* list,
                            ScenePart* part, const char* path)
{
    const ScenePartKind* kind = part_kind(s->kind, list->name);
    SceneObject object = { .path = path, .node = part->node, .stretched = "size" };
    int n = 0;
    tarn__scene_add_table(&object, list->table(), part->def);
    if (kind && (kind->has_pose || kind->has_motion))
        tarn__scene_add_table(&object, tarn__scene_pose_table(), &part->pose);
    if (kind && kind->has_motion)
        tarn__scene_add_table(&object, tarn__scene_nozzle_table(), &part->nozzle);
    if (list->carry) {
        tarn__scene_add_table(&object, tarn__scene_part_table(), part);
        object.others[n++] = "attach";
    }
    if (kind && kind->key) object.others[n++] = kind->key;
    TARN_TRY(tarn__scene_read_object(r, &object));
    const TarnParam* shape = tarn_param_find(list->table(), "shape");
    if (shape && part->node)
        TARN_TRY(
            tarn__scene_check_size(r, part->node, path, (int)tarn__param_get(shape, part->def, 0)));
    TarnVec3 d = part->nozzle.direction;
    if (kind && kind->has_motion && d.x == 0.0f && d.y == 0.0f && d.z == 0.0f)
        return tarn__scene_refuse_value(r, part->node ? part->node : s->node,
                                        "%s.direction: it must not be zero", path);
    const TarnJson* attach;
    TARN_TRY(tarn__scene_read_string(r, part->node, path, "attach", &attach));
    part->body = -1;
    if (attach) TARN_TRY(tarn__scene_find_body(r, attach, path, "attach", &part->body));
    return TARN_OK;
}

// A list in the file takes the place of what the kind has put there already.
static TarnResult read_parts(SceneReader* r, SceneSolver* s, int l, const SceneObject* owner)
{
    const TarnListClass* list = &s->of->lists[l];
    SceneParts* parts = &s->lists[l];
    const TarnJson* array = tarn__json_get(s->node, list->name);
    char path[SCENE_PATH], key[SCENE_PATH];
    snprintf(path, sizeof path, "%s.%s", s->name, list->name);
    if (array || parts->n == 0) {
        int n;
        TARN_TRY(tarn__scene_read_list(r, array, path, SCENE_MAX_PARTS, &n));
        tarn__free(r->ctx, parts->parts, (size_t)parts->n * sizeof(ScenePart));
        *parts = (SceneParts){ 0 };
        TARN_TRY(tarn__scene_make_room(r, n, sizeof(ScenePart), &parts->parts));
        parts->n = n;
        const TarnJson* node = array ? array->child : NULL;
        for (int i = 0; i < n; ++i, node = node->next) {
            ScenePart* part = &parts->parts[i];
            part->node = node;
            list->init(part->def);
            tarn_param_defaults(tarn__scene_pose_table(), &part->pose);
            tarn_param_defaults(tarn__scene_nozzle_table(), &part->nozzle);
        }
    }
    TARN_TRY(tarn__scene_check_items(r, path, parts->n));
    for (int i = 0; i < parts->n; ++i) {
        snprintf(path, sizeof path, "%s.%s[%d]", s->name, list->name, i);
        TARN_TRY(read_part(r, s, list, &parts->parts[i], path));
    }
    snprintf(path, sizeof path, "%s.%s", s->name, list->name);
    snprintf(key, sizeof key, "max_%s", list->name);
    return tarn__scene_grow(r, owner, key, parts->n, array, path);
}

// ---- Reading: a solver ---------------------------------------------------------------------------------

static TarnResult read_window(SceneReader* r, SceneSolver* s)
{
    char path[SCENE_PATH];
    const TarnJson *node = tarn__json_get(s->node, "window"), *body;
    snprintf(path, sizeof path, "%s.window", s->name);
    bool can_move = s->of->shift != NULL || s->of->follow != NULL;
    if (node && !can_move)
        return tarn__scene_refuse_key(r, node, "%s: the %s solver cannot move; remove the window",
                                      path, s->of->name);
    if (!can_move) return TARN_OK;
    SceneObject window = { .path = path, .node = node, .others = { "body" } };
    tarn__scene_add_table(&window, tarn_window_def_table(), &s->window);
    TARN_TRY(tarn__scene_read_object(r, &window));
    TARN_TRY(tarn__scene_read_string(r, node, path, "body", &body));
    if (body) TARN_TRY(tarn__scene_find_body(r, body, path, "body", &s->follows));
    if (body && !tarn__scene_is_given(r, path, node, "kind")) s->window.kind = TARN_WINDOW_BODY;
    if (s->window.kind != TARN_WINDOW_BODY || body) return TARN_OK;
    const char* text = "%s: a window that follows a body needs its name: \"body\"";
    if (node) return tarn__scene_refuse_value(r, node, text, path);
    return tarn__fail(r->ctx, TARN_ERR_ARG, text, path);
}

// How its flow pushes bodies.
static TarnResult read_push(SceneReader* r, SceneSolver* s)
{
    char path[SCENE_PATH];
    const TarnJson* node = tarn__json_get(s->node, "push");
    snprintf(path, sizeof path, "%s.push", s->name);
    if (node && s->of->flow == NULL)
        return tarn__scene_refuse_key(
            r, node, "%s: the %s solver offers no flow that could push bodies; remove the push",
            path, s->of->name);
    if (s->of->flow == NULL) return TARN_OK;
    s->push = tarn_flow_push_default();
    if (s->of->flow_density > 0.0f) s->push.density = s->of->flow_density;
    s->has_push = node != NULL || tarn__scene_is_overridden(r, path);
    return tarn__scene_read_plain(r, path, node, tarn_flow_push_table(), &s->push);
}

// The water that it lies on, by name. It may come later in the list.
static TarnResult read_on(SceneReader* r, SceneSolver* s)
{
    const TarnJson* name;
    TARN_TRY(tarn__scene_read_string(r, s->node, s->name, "on", &name));
    return name ? tarn__scene_find_solver(r, name, s->name, "on", &s->on) : TARN_OK;
}

// What the file leaves open follows from the rest of the scene: the world's gravity, and bodies float if there are any.
static void fill_in(SceneReader* r, SceneSolver* s)
{
    const TarnParamTable* table = s->of->def_table();
    const TarnParam* gravity = tarn_param_find(table, "gravity");
    const TarnParam* bodies = tarn_param_find(table, "use_bodies");
    if (gravity && gravity->type == TARN_PARAM_FLOAT &&
        !tarn__scene_is_given(r, s->name, s->node, "gravity"))
        *(float*)((char*)s->def + gravity->offset) = 0.0f; // the world's
    if (bodies && bodies->type == TARN_PARAM_BOOL && r->n_bodies > 0 &&
        !tarn__scene_is_given(r, s->name, s->node, "use_bodies"))
        *(bool*)((char*)s->def + bodies->offset) = true;
}

// Keys that are no values.
static void list_keys(const SceneSolver* s, SceneObject* object)
{
    int n = 0;
    object->others[n++] = "kind";
    object->others[n++] = "name";
    object->others[n++] = "window";
    object->others[n++] = "push";
    object->others[n++] = "on";
    for (int i = 0; s->kind->keys && s->kind->keys[i] && n < SCENE_MAX_KEYS - 1; ++i)
        object->others[n++] = s->kind->keys[i];
    for (int l = 0; l < s->of->n_lists && n < SCENE_MAX_KEYS - 1; ++l)
        if (!has_key(s->kind, s->of->lists[l].name)) object->others[n++] = s->of->lists[l].name;
}

static TarnResult make_room(SceneReader* r, SceneSolver* s)
{
    const TarnParamTable* params = s->of->params_table ? s->of->params_table() : NULL;
    TARN_TRY(tarn__scene_make_room(r, 1, s->of->def_table()->struct_size, &s->def));
    s->of->init_def(s->def);
    if (params) {
        TARN_TRY(tarn__scene_make_room(r, 1, params->struct_size, &s->params));
        tarn_param_defaults(params, s->params);
    }
    TARN_TRY(tarn__scene_make_room(r, s->of->n_lists, sizeof(SceneParts), &s->lists));
    if (s->kind->size > 0) TARN_TRY(tarn__scene_make_room(r, 1, s->kind->size, &s->staged));
    if (s->kind->table) tarn_param_defaults(s->kind->table(), s->staged);
    tarn_param_defaults(tarn__scene_member_table(), &s->member);
    s->member.carries = s->of->carries_particles;
    s->window = tarn_window_default_def();
    s->follows = -1;
    return TARN_OK;
}

static TarnResult read_solver(SceneReader* r, SceneSolver* s)
{
    const SceneKind* kind = s->kind;
    SceneObject object = { .path = s->name, .node = s->node, .hint = kind->hint };
    TARN_TRY(make_room(r, s));
    list_keys(s, &object);
    tarn__scene_add_table(&object, s->of->def_table(), s->def);
    if (s->params) tarn__scene_add_table(&object, s->of->params_table(), s->params);
    if (kind->table) tarn__scene_add_table(&object, kind->table(), s->staged);
    tarn__scene_add_table(&object, tarn__scene_member_table(), &s->member);
    TARN_TRY(tarn__scene_read_object(r, &object));
    if (kind->start) {
        TARN_TRY(kind->start(r, s));
        TARN_TRY(tarn__scene_read_object(r, &object));
    }
    if (kind->read) TARN_TRY(kind->read(r, s));
    TARN_TRY(read_window(r, s));
    TARN_TRY(read_push(r, s));
    TARN_TRY(read_on(r, s));
    for (int l = 0; l < s->of->n_lists; ++l) {
        if (!has_key(kind, s->of->lists[l].name)) TARN_TRY(read_parts(r, s, l, &object));
    }
    fill_in(r, s);
    return TARN_OK;
}

TarnResult tarn__scene_read_solvers(SceneReader* r)
{
    const TarnJson* list = tarn__json_get(r->doc.root, "solvers");
    SceneObject world = { .path = "world", .node = tarn__json_get(r->doc.root, "world") };
    int n, n_carried = 0;
    TARN_TRY(tarn__scene_read_list(r, list, "solvers", r->n_solvers, &n));
    for (int i = 0; i < n; ++i) {
        SceneSolver* s = &r->solvers[i];
        TARN_TRY(read_solver(r, s));
        for (int l = 0; l < s->of->n_lists; ++l) {
            for (int k = 0; k < s->lists[l].n; ++k) n_carried += s->lists[l].parts[k].body >= 0;
        }
    }
    tarn__scene_add_table(&world, tarn_world_def_table(), &r->world);
    TARN_TRY(tarn__scene_grow(r, &world, "max_solvers", n, list, "solvers"));
    return tarn__scene_grow(r, &world, "max_attached", n_carried, list,
                            "sources, jets and emitters on bodies");
}

bool tarn__scene_area(const SceneSolver* s, TarnVec2* min, TarnVec2* max)
{
    static const char* const keys[] = { "nx", "nz", "dx", "origin" };
    const TarnParam* p[4];
    for (int i = 0; i < 4; ++i) p[i] = tarn_param_find(s->of->def_table(), keys[i]);
    if (!p[0] || !p[1] || !p[2] || !p[3] || p[3]->type != TARN_PARAM_VEC2) return false;
    double dx = tarn__param_get(p[2], s->def, 0);
    double x = tarn__param_get(p[3], s->def, 0), z = tarn__param_get(p[3], s->def, 1);
    *min = (TarnVec2){ (float)x, (float)z };
    *max = (TarnVec2){ (float)(x + dx * tarn__param_get(p[0], s->def, 0)),
                       (float)(z + dx * tarn__param_get(p[1], s->def, 0)) };
    return true;
}

// ---- Building ----------------------------------------------------------------------------------------

// All params but a gravity that the file does not give: the world has set its own.
static TarnResult set_params(SceneReader* r, const SceneSolver* s)
{
    const TarnParamTable* table = s->of->params_table();
    void* now;
    TARN_TRY(tarn__scene_make_room(r, 1, table->struct_size, &now));
    s->of->get_params(s->solver, now);
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        double value[3] = { 0 };
        bool is_open = strcmp(p->name, "gravity") == 0 && p->type == TARN_PARAM_VEC3 &&
                       !tarn__scene_is_given(r, s->name, s->node, p->name);
        if (is_open) continue;
        for (int c = 0; c < tarn__param_components(p->type); ++c)
            value[c] = tarn__param_get(p, s->params, c);
        tarn__param_restore(p, now, value); // in range, as it was read
    }
    TarnResult result = s->of->set_params(s->solver, now);
    tarn__free(r->ctx, now, table->struct_size);
    return result;
}

TarnResult tarn__scene_make_solver(SceneReader* r, SceneSolver* s, TarnWorld* world)
{
    TarnResult result = tarn_world_add(world, s->of, s->name, s->def, &s->solver);
    if (result == TARN_OK && s->params) result = set_params(r, s);
    if (result == TARN_OK && s->member.cosmetic)
        result = tarn_world_set_cosmetic(world, s->solver, true);
    if (result == TARN_OK && tarn__scene_is_given(r, s->name, s->node, "carries"))
        result = tarn_world_set_carrier(world, s->solver, s->member.carries);
    if (result == TARN_OK && s->has_push) result = tarn_world_set_push(world, s->solver, &s->push);
    return result == TARN_OK ? TARN_OK : tarn__scene_refuse_made(r, s->node, s->name, result);
}

TarnResult tarn__scene_build_solvers(SceneReader* r, TarnWorld* world)
{
    for (int i = 0; i < r->n_solvers; ++i) {
        SceneSolver* s = &r->solvers[i];
        TARN_TRY((s->kind->build ? s->kind->build : tarn__scene_make_solver)(r, s, world));
    }
    return TARN_OK;
}

// The turn that brings +y to a direction.
static TarnQuat turn_to(TarnVec3 direction)
{
    const TarnVec3 up = { 0.0f, 1.0f, 0.0f };
    TarnVec3 d = vec3_normalize(direction), axis = vec3_cross(up, d);
    if (d.y < -0.99999f) return (TarnQuat){ 1.0f, 0.0f, 0.0f, 0.0f };
    return quat_normalize((TarnQuat){ axis.x, axis.y, axis.z, 1.0f + d.y });
}

TarnPose tarn__scene_pose(const ScenePose* pose)
{
    return (TarnPose){ pose->position, tarn__scene_rotation(pose->yaw, pose->pitch, pose->roll) };
}

static void place_part(const ScenePartKind* kind, ScenePart* part)
{
    TarnPose pose = tarn__scene_pose(&part->pose);
    if (kind->has_pose) memcpy(part->def + kind->place, &pose, sizeof pose);
    if (!kind->has_motion) return;
    TarnQuat q = pose.rotation, turn = turn_to(part->nozzle.direction);
    bool is_turned = q.x != 0.0f || q.y != 0.0f || q.z != 0.0f;
    TarnMotion motion = { .position = pose.position,
                          .rotation = is_turned ? quat_normalize(quat_multiply(turn, q)) : turn,
                          .velocity = part->nozzle.velocity };
    memcpy(part->def + kind->place, &motion, sizeof motion);
}

static TarnResult build_part(SceneReader* r, const SceneSolver* s, const TarnListClass* list,
                             ScenePart* part, TarnWorld* world)
{
    const ScenePartKind* kind = part_kind(s->kind, list->name);
    if (kind) place_part(kind, part);
    TARN_TRY(list->add(s->solver, part->def, &part->id));
    if (part->body < 0) return TARN_OK;
    return tarn_world_attach(world, s->solver, list->name, part->id, part->def,
                             r->bodies[part->body].first, part->throttle);
}

static TarnResult build_parts(SceneReader* r, SceneSolver* s, TarnWorld* world)
{
    for (int l = 0; l < s->of->n_lists; ++l) {
        for (int i = 0; i < s->lists[l].n; ++i) {
            char path[SCENE_PATH];
            ScenePart* part = &s->lists[l].parts[i];
            TarnResult result = build_part(r, s, &s->of->lists[l], part, world);
            snprintf(path, sizeof path, "%s.%s[%d]", s->name, s->of->lists[l].name, i);
            if (result != TARN_OK)
                return tarn__scene_refuse_made(r, part->node ? part->node : s->node, path, result);
        }
    }
    return TARN_OK;
}

static TarnResult build_window(SceneReader* r, SceneSolver* s, TarnWorld* world)
{
    char path[SCENE_PATH];
    if (s->window.kind == TARN_WINDOW_FIXED) return TARN_OK;
    if (s->follows >= 0) s->window.body = r->bodies[s->follows].first;
    TarnResult result = tarn_world_set_window(world, s->solver, &s->window);
    snprintf(path, sizeof path, "%s.window", s->name);
    if (result == TARN_OK) return TARN_OK;
    return tarn__scene_refuse_made(r, tarn__json_get(s->node, "window"), path, result);
}

TarnResult tarn__scene_build_parts(SceneReader* r, TarnWorld* world)
{
    for (int i = 0; i < r->n_solvers; ++i) {
        TARN_TRY(build_parts(r, &r->solvers[i], world));
        TARN_TRY(build_window(r, &r->solvers[i], world));
    }
    for (int i = 0; i < r->n_solvers; ++i) {
        SceneSolver* s = &r->solvers[i];
        if (s->kind->build_late) TARN_TRY(s->kind->build_late(r, s, world));
        if (s->on == NULL) continue;
        TarnResult result = tarn_world_set_on(world, s->solver, s->on->solver);
        if (result != TARN_OK) return tarn__scene_refuse_made(r, s->node, s->name, result);
    }
    const TarnOcean* sea = tarn_world_ocean(world, 0); // its waves are in the first picture, too
    for (int i = 0; sea && i < r->n_solvers; ++i)
        if (r->solvers[i].of == tarn_shallow_class())
            TARN_TRY(tarn_couple_ocean_shallow(sea, r->solvers[i].solver));
    return TARN_OK;
}

void tarn__scene_free_solver(TarnContext* ctx, SceneSolver* s)
{
    if (s->of == NULL) return;
    for (int l = 0; s->lists && l < s->of->n_lists; ++l)
        tarn__free(ctx, s->lists[l].parts, (size_t)s->lists[l].n * sizeof(ScenePart));
    tarn__free(ctx, s->lists, (size_t)s->of->n_lists * sizeof(SceneParts));
    tarn__free(ctx, s->def, s->of->def_table()->struct_size);
    tarn__free(ctx, s->params, s->params ? s->of->params_table()->struct_size : 0);
    s->lists = NULL;
    s->def = s->params = NULL;
    s->node = NULL;
}

void tarn__scene_free_staged(TarnContext* ctx, SceneSolver* s)
{
    if (s->staged == NULL) return;
    if (s->kind->free) s->kind->free(ctx, s->staged);
    tarn__free(ctx, s->staged, s->kind->size);
    s->staged = NULL;
}
