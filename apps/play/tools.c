// Holding a tool: picking what it acts on, following the pointer, acting before each step.

#include "tools.h"
#include "base/maths.h"
#include "base/param.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- Rays and picks ----------------------------------------------------------------------------------------

// There is no frame to look into after a step that was not drawn.
static bool has_frame(TarnPlay* play)
{
    TarnVec3 eye, along;
    if (tarn_viewer_ray(play->viewer, 0.5f, 0.5f, &eye, &along) == TARN_OK) return true;
    camera_apply(play, 0.0);
    const TarnFrame* frame;
    if (tarn_viewer_update(play->viewer, &frame) != TARN_OK) return false;
    camera_note(play, frame);
    return true;
}

static float in_picture(float v)
{
    return v < 0.0f ? 0.0f : v > 1.0f ? 1.0f : v;
}

static bool look(TarnPlay* play, float x, float y, TarnPick* pick, TarnVec3* eye, TarnVec3* along)
{
    x = in_picture(x), y = in_picture(y);
    if (!has_frame(play) || !play_ray(play, x, y, eye, along)) return false;
    return pick == NULL || tarn_viewer_pick(play->viewer, x, y, pick) == TARN_OK;
}

static TarnVec3 forward_of(const TarnPlay* play)
{
    return vec3_normalize(vec3_sub(play->shown.target, play->shown.eye));
}

// Where the pointer is in the world, by the plane of its tool; false: nowhere, as beyond the horizon.
static bool place(TarnPlay* play, const Grip* g, float x, float y, TarnVec3* out)
{
    TarnVec3 eye, along;
    TarnPick pick;
    bool picks = g->tool->plane == PLANE_PICKED;
    if (!look(play, x, y, picks ? &pick : NULL, &eye, &along)) return false;
    if (picks) {
        if (pick.kind == TARN_PICK_NONE || !(pick.distance < 1e5f)) return false;
        *out = pick.position;
        return true;
    }
    float t = -1.0f, far = 4.0f * g->depth + 1.0f;
    if (g->tool->plane == PLANE_LEVEL && !play->is_flat)
        t = along.y != 0.0f ? (g->pick.position.y - eye.y) / along.y : -1.0f;
    else if (play->is_flat)
        t = along.z != 0.0f ? -eye.z / along.z : -1.0f;
    else
        t = g->depth / fmaxf(0.05f, vec3_dot(along, forward_of(play)));
    if (!(t > 0.0f && t < far)) return false;
    *out = (TarnVec3){ eye.x + t * along.x, eye.y + t * along.y, eye.z + t * along.z };
    return true;
}

// ---- Help for tools ----------------------------------------------------------------------------------------

float tool_radius(const TarnPlay* play, const Grip* g)
{
    float height = 2.0f * tanf(0.5f * play->shown.fov) * g->depth;
    return 0.04f * height * play->tools.size;
}

void* tool_solver(const TarnPlay* play, const Tool* tool, const TarnPick* pick, bool only_picked)
{
    void* solver = pick->solver;
    const TarnSolverClass* of = solver ? tarn_world_class_of(play->world, solver) : NULL;
    if (of && tool->suits(play, solver, of)) return solver;
    for (int i = 0; !only_picked && (solver = tarn_world_get(play->world, NULL, i)) != NULL; ++i)
        if (tool->suits(play, solver, tarn_world_class_of(play->world, solver))) return solver;
    return NULL;
}

double tool_def_value(const TarnSolverClass* of, const void* solver, const char* name,
                      double otherwise)
{
    const TarnParam* p = tarn_param_find(of->def_table(), name);
    return p ? tarn__param_get(p, of->def(solver), 0) : otherwise;
}

// A vector of the def, or else of the params.
static bool vector_of(const TarnSolverClass* of, const void* solver, const char* name,
                      TarnVec3* out)
{
    _Alignas(max_align_t) unsigned char room[2048];
    const void* values = of->def(solver);
    const TarnParam* p = tarn_param_find(of->def_table(), name);
    const TarnParamTable* live = of->params_table ? of->params_table() : NULL;
    if (p == NULL && live && live->struct_size <= sizeof room) {
        p = tarn_param_find(live, name);
        of->get_params(solver, room);
        values = room;
    }
    if (p == NULL || p->type != TARN_PARAM_VEC3) return false;
    *out = (TarnVec3){ (float)tarn__param_get(p, values, 0), (float)tarn__param_get(p, values, 1),
                       (float)tarn__param_get(p, values, 2) };
    return true;
}

bool tool_box(const TarnWorld* world, void* solver, TarnVec3* min, TarnVec3* max)
{
    const TarnSolverClass* of = tarn_world_class_of(world, solver);
    TarnVec3 center;
    if (vector_of(of, solver, "box_min", min) && vector_of(of, solver, "box_max", max)) return true;
    if (vector_of(of, solver, "center", &center)) { // a grid in space, which may have moved
        float dx = (float)tool_def_value(of, solver, "dx", 1.0);
        TarnVec3 half = { 0.5f * dx * (float)tool_def_value(of, solver, "nx", 0.0),
                          0.5f * dx * (float)tool_def_value(of, solver, "ny", 0.0),
                          0.5f * dx * (float)tool_def_value(of, solver, "nz", 0.0) };
        for (int i = 0; i < of->n_stats; ++i) {
            double v = of->stats[i].name[1] == '\0' ? of->stats[i].value(solver) : 0.0;
            if (strcmp(of->stats[i].name, "x") == 0) center.x = (float)v;
            if (strcmp(of->stats[i].name, "y") == 0) center.y = (float)v;
            if (strcmp(of->stats[i].name, "z") == 0) center.z = (float)v;
        }
        *min = vec3_sub(center, half), *max = vec3_add(center, half);
        return true;
    }
    // Cells on a water: its own, or that below.
    TarnVec2 a, b;
    TarnBasin basin = { 0 };
    TarnSurface surface = of->surface ? of->surface(solver) : tarn_world_surface(world);
    if (of->surface == NULL && of->basin) of->basin(solver, &basin);
    a = basin.min, b = basin.max;
    if (of->surface ? !tarn_surface_area(surface, &a, &b) : !(basin.dx > 0.0f)) return false;
    float y = tarn_surface_height(surface, 0.5f * (a.x + b.x), 0.5f * (a.y + b.y));
    *min = (TarnVec3){ a.x, y, a.y }, *max = (TarnVec3){ b.x, y, b.y };
    return true;
}

bool tool_has_surface(const TarnSolverClass* of, const void* solver)
{
    return of->surface && tool_def_value(of, solver, "use_surface", 1.0) != 0.0;
}

const TarnListClass* tool_find_list(const TarnSolverClass* of, const char* name)
{
    for (int i = 0; i < of->n_lists; ++i)
        if (strcmp(of->lists[i].name, name) == 0) return &of->lists[i];
    return NULL;
}

void tool_set(TarnPlay* play, const TarnListClass* list, void* def, const char* name, double value)
{
    if (tarn_param_find(list->table(), name))
        tarn_param_set(play->ctx, list->table(), def, name, &value, 1);
}

void tool_set3(TarnPlay* play, const TarnListClass* list, void* def, const char* name,
               TarnVec3 value)
{
    double v[3] = { (double)value.x, (double)value.y, (double)value.z };
    if (tarn_param_find(list->table(), name))
        tarn_param_set(play->ctx, list->table(), def, name, v, 3);
}

// The turn that brings +y to a direction.
static TarnQuat turn_to(TarnVec3 d)
{
    TarnVec3 axis = vec3_cross((TarnVec3){ 0.0f, 1.0f, 0.0f }, d);
    if (d.y < -0.99999f) return (TarnQuat){ 1.0f, 0.0f, 0.0f, 0.0f };
    return quat_normalize((TarnQuat){ axis.x, axis.y, axis.z, 1.0f + d.y });
}

static void note_part(Tools* t, const Grip* g)
{
    if (t->n_stale == MAX_STALE) {
        memmove(t->stale, t->stale + 1, (MAX_STALE - 1) * sizeof *t->stale);
        --t->n_stale;
    }
    t->stale[t->n_stale++] = (Stale){ g->solver, g->list, g->part };
}

void tool_hold_part(TarnPlay* play, Grip* g, void* def, TarnVec3 at, TarnVec3 up, TarnVec3 velocity)
{
    TarnCarrier carrier = {
        .motion = { at, turn_to(vec3_normalize(up)), velocity, { 0.0f, 0.0f, 0.0f } },
        .throttle = 1.0f
    };
    if (g->list->carry)
        g->list->carry(def, &carrier);
    else if (g->list->table() == tarn_region_def_table())
        ((TarnRegionDef*)def)->pose.position = at;
    else
        tool_set3(play, g->list, def, "position", at);
    if (g->part != 0) {
        if (g->list->set) g->list->set(g->solver, g->part, def);
        return;
    }
    TarnResult result = g->list->add(g->solver, def, &g->part);
    if (result == TARN_OK) note_part(&play->tools, g);
    if (result != TARN_OK) {
        g->part = 0;
        play_note(play, "%s", tarn_last_error(play->ctx));
    }
}

// ---- What a scene has ----------------------------------------------------------------------------------------

static bool suits_any(const TarnPlay* play, const Tool* tool)
{
    void* solver;
    for (int i = 0; (solver = tarn_world_get(play->world, NULL, i)) != NULL; ++i)
        if (tool->suits(play, solver, tarn_world_class_of(play->world, solver))) return true;
    return false;
}

static void find_scale(TarnPlay* play)
{
    TarnVec3 min, max;
    void* solver;
    play->tools.scale = 1.0f;
    for (int i = 0; (solver = tarn_world_get(play->world, NULL, i)) != NULL; ++i) {
        if (!tool_box(play->world, solver, &min, &max)) continue;
        float side = fmaxf(max.x - min.x, max.z - min.z);
        if (!(side < 1e5f)) continue; // without bounds
        play->tools.scale = fmaxf(1e-3f, side);
        return;
    }
}

// What the automatic tool acts on here, for the hint where there is nothing under the pointer.
static void write_hint(Tools* t)
{
    const char* targets[16];
    int n = 0;
    for (int i = 0; i < n_tools && n < 16; ++i) {
        const char* target = t->available >> i & 1u ? tool_list[i].target : NULL;
        if (target && (n == 0 || strcmp(targets[n - 1], target) != 0)) targets[n++] = target;
    }
    size_t at = 0, room = sizeof t->hint;
    at += (size_t)snprintf(t->hint, room, "Drag to look around");
    for (int i = 0; i < n; ++i)
        at += (size_t)snprintf(t->hint + at, room - at, "%s%s",
                               i == 0       ? "; point at "
                               : i + 1 == n ? " or "
                                            : ", ",
                               targets[i]);
    snprintf(t->hint + at, room - at, n > 0 ? " to touch it." : "; choose a tool for more.");
}

void tools_find(TarnPlay* play)
{
    Tools* t = &play->tools;
    t->available = 0;
    t->active = NULL;
    t->n_stale = 0;
    t->has_to_clean = false;
    for (int i = 0; i < n_tools; ++i) {
        const Tool* tool = &tool_list[i];
        bool is_there = tool->offers ? tool->offers(play) : suits_any(play, tool);
        if (is_there) t->available |= 1u << i;
    }
    if (t->chosen && !(t->available >> (t->chosen - tool_list) & 1u)) t->chosen = NULL;
    write_hint(t);
    find_scale(play);
}

// ---- Holding -------------------------------------------------------------------------------------------------

static bool try_tool(TarnPlay* play, const Tool* tool, const TarnPick* pick, TarnVec3 eye,
                     TarnVec3 along, bool is_auto, Grip* out)
{
    if (!(play->tools.available >> (tool - tool_list) & 1u)) return false;
    *out = (Grip){ .tool = tool, .pick = *pick };
    bool is_hit = pick->kind != TARN_PICK_NONE && pick->distance < 1e5f;
    float middle = vec3_length(vec3_sub(play->shown.target, eye));
    out->depth = is_hit ? pick->distance : middle;
    out->at = (TarnVec3){ eye.x + out->depth * along.x, eye.y + out->depth * along.y,
                          eye.z + out->depth * along.z };
    if (play->is_flat && along.z != 0.0f) {
        float t = -eye.z / along.z;
        out->at = (TarnVec3){ eye.x + t * along.x, eye.y + t * along.y, 0.0f };
        out->depth = t;
    }
    if (!tool->begin(play, out, is_auto)) return false;
    out->depth = vec3_dot(vec3_sub(out->at, eye), forward_of(play)); // across the picture plane
    if (!(out->depth > 1e-4f)) out->depth = middle;
    out->before = out->at;
    return true;
}

static bool choose(TarnPlay* play, float x, float y, const Tool* tool, Grip* out)
{
    TarnPick pick;
    TarnVec3 eye, along;
    if (tool && tool->begin == NULL) return false; // only looks
    if (!look(play, x, y, &pick, &eye, &along)) return false;
    if (tool) return try_tool(play, tool, &pick, eye, along, false, out);
    for (int i = 0; i < n_tools; ++i)
        if (tool_list[i].is_automatic &&
            try_tool(play, &tool_list[i], &pick, eye, along, true, out))
            return true;
    return false;
}

bool tools_begin(TarnPlay* play, float x, float y, const Tool* tool)
{
    Grip grip;
    if (!choose(play, x, y, tool, &grip)) return false;
    tools_end(play);
    grip.is_down = grip.is_fresh = true;
    play->tools.grip = grip;
    play->tools.active = grip.tool;
    return true;
}

void tools_move(TarnPlay* play, float x, float y)
{
    Grip* g = &play->tools.grip;
    TarnVec3 at;
    if (g->tool && place(play, g, x, y, &at)) g->at = at;
}

// A click that was shorter than a step still acts once.
void tools_end(TarnPlay* play)
{
    Grip* g = &play->tools.grip;
    g->is_down = false;
}

void tools_hover(TarnPlay* play, float x, float y)
{
    Grip grip;
    Tools* t = &play->tools;
    bool is_inside = x >= 0.0f && x <= 1.0f && y >= 0.0f && y <= 1.0f;
    if (t->grip.tool) return;
    t->active = is_inside && choose(play, x, y, t->chosen, &grip) ? grip.tool : NULL;
}

void tools_release(TarnPlay* play)
{
    play->tools.grip = (Grip){ 0 };
}

void tools_forget(TarnPlay* play)
{
    Tools* t = &play->tools;
    tools_release(play);
    t->has_to_clean = t->n_stale > 0;
    t->gate.is_moving = false;
    if (play->gesture == GESTURE_TOOL) play->gesture = GESTURE_NONE;
}

bool tools_has_edits(const TarnPlay* play)
{
    const Tools* t = &play->tools;
    return t->grip.tool != NULL || t->has_to_clean || t->gate.is_moving;
}

// ---- Before a step ---------------------------------------------------------------------------------------------

static void clean(TarnPlay* play)
{
    Tools* t = &play->tools;
    for (int i = 0; i < t->n_stale; ++i) {
        Stale* s = &t->stale[i];
        bool is_there = tarn_world_class_of(play->world, s->solver) != NULL;
        if (is_there && s->part != t->grip.part && s->list->remove)
            s->list->remove(s->solver, s->part);
    }
    t->has_to_clean = false;
}

static void let_go(Grip* g)
{
    if (g->part != 0 && g->list->remove) g->list->remove(g->solver, g->part);
    *g = (Grip){ 0 };
}

void tools_before_step(TarnPlay* play, float dt)
{
    Tools* t = &play->tools;
    Grip* g = &t->grip;
    if (t->has_to_clean) clean(play);
    tool_move_gate(play, dt);
    if (g->tool == NULL) return;
    if (!g->is_down && !g->is_fresh) {
        let_go(g);
        return;
    }
    TarnVec3 now = vec3_scale(vec3_sub(g->at, g->before), 1.0f / dt);
    float most = 60.0f * tool_radius(play, g), speed = vec3_length(now);
    if (speed > most) now = vec3_scale(now, most / speed);
    g->velocity = vec3_add(vec3_scale(g->velocity, 0.6f), vec3_scale(now, 0.4f));
    g->tool->act(play, g, dt);
    g->before = g->at;
    g->is_fresh = false;
}

// ---- The list --------------------------------------------------------------------------------------------------

static const Tool* nth(const TarnPlay* play, int n)
{
    for (int i = 0; i < n_tools; ++i)
        if ((play->tools.available >> i & 1u) && n-- == 0) return &tool_list[i];
    return NULL;
}

static TarnPlayTool automatic(const TarnPlay* play)
{
    return (TarnPlayTool){ "auto", "Automatic", play->tools.hint };
}

int tarn_play_tool_count(const TarnPlay* play)
{
    int n = 1;
    while (play->world && nth(play, n - 1)) ++n;
    return play->world ? n : 0;
}

bool tarn_play_tool_at(const TarnPlay* play, int n, TarnPlayTool* out)
{
    *out = (TarnPlayTool){ 0 };
    if (play->world == NULL || n < 0) return false;
    if (n == 0) *out = automatic(play);
    const Tool* tool = n > 0 ? nth(play, n - 1) : NULL;
    if (tool) *out = (TarnPlayTool){ tool->id, tool->name, tool->hint };
    return out->id != NULL;
}

bool tarn_play_set_tool(TarnPlay* play, const char* id)
{
    TarnPlayTool tool;
    play_clear_error(play);
    for (int n = 0; tarn_play_tool_at(play, n, &tool); ++n) {
        if (strcmp(tool.id, id) != 0) continue;
        play->tools.chosen = n == 0 ? NULL : nth(play, n - 1);
        play->tools.active = NULL;
        return true;
    }
    return play_fail(play, "this scene has nothing for the tool '%.40s'", id);
}

const char* tarn_play_tool(const TarnPlay* play)
{
    return play->tools.chosen ? play->tools.chosen->id : automatic(play).id;
}

static const Tool* active(const TarnPlay* play)
{
    return play->tools.active ? play->tools.active : play->tools.chosen;
}

const char* tarn_play_active_tool(const TarnPlay* play)
{
    const Tool* tool = active(play);
    return tool ? tool->id : play->gesture != GESTURE_NONE ? "look" : automatic(play).id;
}

const char* tarn_play_hint(const TarnPlay* play)
{
    const Tool* tool = active(play);
    return tool ? tool->hint : automatic(play).hint;
}

void tarn_play_set_tool_size(TarnPlay* play, float size)
{
    if (size >= 0.1f && size <= 10.0f) play->tools.size = size;
}
void tarn_play_set_tool_strength(TarnPlay* play, float strength)
{
    if (strength >= 0.1f && strength <= 10.0f) play->tools.strength = strength;
}
float tarn_play_tool_size(const TarnPlay* play)
{
    return play->tools.size;
}
float tarn_play_tool_strength(const TarnPlay* play)
{
    return play->tools.strength;
}
