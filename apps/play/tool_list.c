// The tools. Each asks for a capability: a Surface, a kind of emitter, a list of parts with certain parameters, free bodies.

#include "tools.h"
#include "base/maths.h"
#include "base/param.h"
#include "tarn/show.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const float pi = 3.14159265f;
static const TarnVec3 up = { 0.0f, 1.0f, 0.0f }, down = { 0.0f, -1.0f, 0.0f };

bool tool_emits(const TarnSolverClass* of, int kind)
{
    return of->emit && (of->emitters >> kind & 1u);
}

// An emitter that acts in the coming step, without being part of the world.
static void emit(TarnPlay* play, void* solver, const TarnEmitterDef* def, float dt)
{
    const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
    double now = tarn_world_time(play->world);
    TarnEmission e = {
        .def = def, .begin = now, .from = now, .to = now + (double)dt, .is_first = true
    };
    of->emit(solver, &e);
}

static bool has_parameter(const TarnListClass* list, const char* name)
{
    return list && tarn_param_find(list->table(), name) != NULL;
}

// ---- Waves: any surface that can be pushed -----------------------------------------------------------------

static bool waves_suit(const TarnPlay* play, void* solver, const TarnSolverClass* of)
{
    (void)play;
    return (of->surface && of->surface(solver).push) || tool_emits(of, TARN_EMITTER_DROP);
}

// Not on the sea that is drawn around a water, which belongs to no solver.
static bool is_on(const TarnPlay* play, const Grip* g)
{
    const TarnSolverClass* of = tarn_world_class_of(play->world, g->solver);
    return of->surface == NULL || tarn_surface_covers(of->surface(g->solver), g->at.x, g->at.z);
}

// The tool at any place of a water that is seen; for tools that are chosen, also where the ground is dry.
static bool begin_on_water(TarnPlay* play, Grip* g, bool is_auto)
{
    if (g->pick.kind != TARN_PICK_WATER && (is_auto || g->pick.kind != TARN_PICK_GROUND))
        return false;
    g->solver = tool_solver(play, g->tool, &g->pick, g->pick.solver != NULL);
    if (g->solver == NULL) return false;
    const TarnSolverClass* of = tarn_world_class_of(play->world, g->solver);
    return of->surface == NULL || tarn_surface_covers(of->surface(g->solver), g->at.x,
                                                      g->at.z); // not what is drawn beyond
}

// 0 also beyond the water.
static float depth_at(TarnSurface surface, float x, float z)
{
    float depth = 0.0f;
    if (tarn_surface_covers(surface, x, z))
        tarn_surface_query(surface, 1, &x, &z, &(TarnSurfaceSamples){ .depth = &depth });
    return depth;
}

// On the water that is seen, or on one that lies on top of it: ripples on a sea.
static bool begin_waves(TarnPlay* play, Grip* g, bool is_auto)
{
    void* solver;
    bool is_here = begin_on_water(play, g, true);
    (void)is_auto;
    for (int i = 0; !is_here && (solver = tarn_world_get(play->world, NULL, i)) != NULL; ++i) {
        if (g->pick.kind != TARN_PICK_WATER) return false;
        if (waves_suit(play, solver, tarn_world_class_of(play->world, solver)))
            g->solver = solver, is_here = true;
    }
    if (!is_here) return false;
    const TarnSolverClass* of = tarn_world_class_of(play->world, g->solver);
    return of->surface == NULL || depth_at(of->surface(g->solver), g->at.x, g->at.z) > 0.0f;
}

// A click presses the water down; a drag takes water from behind the pointer to the front, and along. Both must be on the
// water: at its edge a push goes to the few cells that are left, and would heap them up to the sky.
static void make_waves(TarnPlay* play, Grip* g, float dt)
{
    const TarnSolverClass* of = tarn_world_class_of(play->world, g->solver);
    TarnSurface surface = of->surface ? of->surface(g->solver) : (TarnSurface){ 0 };
    float r = tool_radius(play, g), depth = depth_at(surface, g->at.x, g->at.z);
    float height = play->tools.strength * 0.35f * (depth < r ? depth : r);
    TarnVec3 way = vec3_sub(g->at, g->before);
    way.y = 0.0f;
    float far = vec3_length(way), share = far < r ? far / r : 1.0f;
    if (surface.push == NULL) {
        TarnEmitterDef drop = tarn_emitter_default_def();
        drop.kind = TARN_EMITTER_DROP;
        drop.a = (TarnVec2){ g->at.x, g->at.z };
        drop.radius = r, drop.height = height;
        if (g->is_fresh || far > 0.3f * r) emit(play, g->solver, &drop, dt);
        return;
    }
    TarnSurfacePush push = { .center = { g->at.x, g->at.z },
                             .from = { g->at.x, g->at.z },
                             .radius = r,
                             .from_radius = 2.2f * r,
                             .dt = dt };
    if (g->is_fresh) {
        push.volume = -pi * r * r * height;
    } else {
        TarnVec3 d = vec3_scale(vec3_normalize(way), 0.8f * r);
        push.center.x += d.x, push.center.y += d.z;
        push.from.x -= d.x, push.from.y -= d.z;
        push.from_radius = r;
        push.volume = pi * r * r * height * share;
        float mass = 1000.0f * pi * r * r * (depth < r ? depth : r);
        push.impulse = vec3_scale((TarnVec3){ g->velocity.x, 0.0f, g->velocity.z },
                                  0.1f * play->tools.strength * mass * share);
    }
    bool is_wet = depth_at(surface, push.center.x, push.center.y) > 0.0f &&
                  depth_at(surface, push.from.x, push.from.y) > 0.0f;
    if (push.volume != 0.0f && is_wet) tarn_surface_push(surface, &push, NULL);
}

// ---- Bodies --------------------------------------------------------------------------------------------------

static bool has_free_body(const TarnPlay* play)
{
    TarnBodies* bodies = tarn_world_bodies(play->world);
    for (int i = 0; i < tarn_bodies_count(bodies); ++i)
        if (!tarn_bodies_is_driven(bodies, tarn_bodies_at(bodies, i))) return true;
    return false;
}

static TarnBodyId body_of(const TarnPlay* play, const TarnPick* pick)
{
    if (pick->kind == TARN_PICK_BODY) return pick->body;
    if (pick->kind != TARN_PICK_SOLID) return (TarnBodyId){ 0 };
    return tarn_couple_body_of(tarn_world_bodies(play->world),
                               pick->solid); // a solid that stands for it
}

static bool begin_grab(TarnPlay* play, Grip* g, bool is_auto)
{
    TarnBodies* bodies = tarn_world_bodies(play->world);
    TarnBodyId id = body_of(play, &g->pick);
    TarnBodyState state;
    (void)is_auto;
    if (id.value == 0 || tarn_bodies_is_driven(bodies, id)) return false;
    if (tarn_bodies_get_state(bodies, id, &state) != TARN_OK) return false;
    g->body = id;
    g->at = g->pick.position;
    g->local = quat_rotate_inverse(state.rotation, vec3_sub(g->at, state.position));
    return true;
}

// A damped spring between the pointer and the body, taken at the end of the step so that any dt is stable. It holds the
// body by its center, at the place where it was caught; one on a hinge is turned by its rim.
static void pull_body(TarnPlay* play, Grip* g, float dt)
{
    TarnBodies* bodies = tarn_world_bodies(play->world);
    TarnBodyState s;
    float mass, w = 14.0f;
    int freedom = 0;
    if (tarn_bodies_get_state(bodies, g->body, &s) != TARN_OK ||
        tarn_bodies_get_mass(bodies, g->body, &mass, NULL) != TARN_OK)
        return;
    tarn_bodies_get_freedom(bodies, g->body, &freedom, NULL);
    TarnVec3 arm = quat_rotate(s.rotation, g->local);
    bool is_hinge = freedom == TARN_BODY_HINGE;
    TarnVec3 velocity = is_hinge ? vec3_cross(s.angular_velocity, arm) : s.velocity;
    TarnVec3 off = vec3_sub(g->at, vec3_add(s.position, arm));
    float stiff = w * w / (1.0f + 2.0f * w * dt + w * w * dt * dt);
    float damp = 2.0f * w / (1.0f + 2.0f * w * dt + w * w * dt * dt);
    TarnVec3 pull = vec3_sub(vec3_scale(off, stiff), vec3_scale(velocity, damp));
    float most = 120.0f * play->tools.strength, size = vec3_length(pull);
    if (size > most) pull = vec3_scale(pull, most / size);
    if (!is_hinge) pull.y += tarn_world_def(play->world)->gravity;
    // A force lasts for the first substep only.
    int substeps = play->clock.report.substeps > 1 ? play->clock.report.substeps : 1;
    TarnVec3 force = vec3_scale(pull, mass * (float)substeps);
    TarnVec3 torque = vec3_cross(arm, force);
    tarn_bodies_add_force(bodies, g->body, is_hinge ? (TarnVec3){ 0 } : force,
                          is_hinge ? torque : (TarnVec3){ 0 });
}

// Something in which a body floats or sinks, and room for one more.
static bool can_drop(const TarnPlay* play)
{
    void* solver;
    if (tarn_bodies_count(tarn_world_bodies(play->world)) >=
        tarn_world_def(play->world)->max_bodies)
        return false;
    for (int i = 0; (solver = tarn_world_get(play->world, NULL, i)) != NULL; ++i) {
        const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
        bool is_liquid = of->surface ? tool_has_surface(of, solver) : of->floats_bodies;
        if (is_liquid && (of->has_bodies == NULL || of->has_bodies(solver))) return true;
    }
    return false;
}

static bool begin_drop(TarnPlay* play, Grip* g, bool is_auto)
{
    (void)is_auto;
    return play->is_flat || g->pick.kind != TARN_PICK_NONE;
}

// One body per click, of several shapes in turn.
static void drop_body(TarnPlay* play, Grip* g, float dt)
{
    TarnBodies* bodies = tarn_world_bodies(play->world);
    TarnBodyDef def = tarn_body_default_def();
    float r = 0.8f * tool_radius(play, g);
    int n = tarn_bodies_count(bodies);
    (void)dt;
    if (!g->is_fresh) return;
    def.shape = n % 2 == 0 ? tarn_shape_box(r, r, r) : tarn_shape_sphere(r);
    def.state.position = g->at;
    if (!play->is_flat) def.state.position.y += 3.0f * r;
    if (play->is_flat) def.state.position.z = 0.0f, def.freedom = TARN_BODY_PLANAR;
    def.density = 400.0f;
    TarnBodyId id;
    if (tarn_world_add_body(play->world, &def, &id) != TARN_OK)
        play_note(play, "%s", tarn_last_error(play->ctx));
}

// ---- Pouring: surfaces that take water, lists of sources that give liquid ----------------------------------------

// Volumes that are kept full of liquid: sources of lattices, which may also give smoke.
static bool is_spout(const TarnListClass* list)
{
    return has_parameter(list, "is_liquid");
}

static const TarnListClass* nozzles(const TarnSolverClass* of)
{
    const TarnListClass* list = tool_find_list(of, "sources");
    return list && list->add && (list->given || is_spout(list)) ? list : NULL;
}

static bool pour_suits(const TarnPlay* play, void* solver, const TarnSolverClass* of)
{
    (void)play;
    if (is_spout(nozzles(of))) return tool_def_value(of, solver, "use_surface", 0.0) != 0.0;
    if (of->holding == NULL) return false; // nothing to fill: windows of wakes
    return (of->surface && of->surface(solver).pour) || nozzles(of);
}

// The point of a ray's way through a box that is nearest to its middle; false: the ray misses it.
static bool in_box(const TarnPlay* play, void* solver, TarnVec3* at)
{
    TarnVec3 min, max;
    if (!tool_box(play->world, solver, &min, &max)) return false;
    TarnVec3 eye = play->shown.eye, way = vec3_sub(*at, eye);
    TarnVec3 middle = vec3_scale(vec3_add(min, max), 0.5f);
    float square = vec3_dot(way, way);
    if (!(square > 0.0f)) return false;
    float t = vec3_dot(vec3_sub(middle, eye), way) / square;
    if (t <= 0.0f) return false;
    TarnVec3 p = vec3_add(eye, vec3_scale(way, t));
    if (play->is_flat) p = *at;
    bool is_flat = play->is_flat;
    bool is_inside = p.x >= min.x && p.x <= max.x && p.y >= min.y && p.y <= max.y &&
                     (is_flat || (p.z >= min.z && p.z <= max.z));
    if (is_inside) *at = p;
    return is_inside;
}

// In space a nozzle is held above what is seen, where that is in the box of the liquid.
static bool above_pick(const TarnPlay* play, Grip* g)
{
    TarnVec3 min, max, p = g->pick.position;
    if (play->is_flat || g->pick.kind == TARN_PICK_NONE) return false;
    if (!tool_box(play->world, g->solver, &min, &max)) return false;
    if (p.x < min.x || p.x > max.x || p.z < min.z || p.z > max.z || p.y > max.y) return false;
    float top = max.y - 0.05f * (max.y - min.y);
    p.y += 5.0f * tool_radius(play, g);
    g->at = (TarnVec3){ p.x, p.y < top ? p.y : top, p.z };
    return true;
}

static bool begin_pour(TarnPlay* play, Grip* g, bool is_auto)
{
    g->solver = tool_solver(play, g->tool, &g->pick, false);
    if (g->solver == NULL) return false;
    const TarnSolverClass* of = tarn_world_class_of(play->world, g->solver);
    g->list = nozzles(of);
    bool is_open = play->is_flat && g->pick.kind == TARN_PICK_NONE;
    bool is_spouted = is_spout(g->list) && g->pick.solver == g->solver; // no other tool is for it
    if (is_auto && !is_open && !is_spouted) return false;
    if (g->list == NULL)
        return is_on(play, g) &&
               (g->pick.kind == TARN_PICK_WATER || g->pick.kind == TARN_PICK_GROUND);
    return above_pick(play, g) || in_box(play, g->solver, &g->at);
}

static void pour(TarnPlay* play, Grip* g, float dt)
{
    const TarnSolverClass* of = tarn_world_class_of(play->world, g->solver);
    float r = tool_radius(play, g), strength = play->tools.strength;
    if (g->list == NULL) {
        TarnSurfacePour water = { .center = { g->at.x, g->at.z }, .radius = 1.5f * r };
        water.volume = strength * 2.0f * pi * r * r * r * dt;
        tarn_surface_pour(of->surface(g->solver), &water, NULL);
        return;
    }
    _Alignas(max_align_t) unsigned char def[TARN_LIST_MAX_DEF];
    float spacing =
        (float)tool_def_value(of, g->solver, is_spout(g->list) ? "dx" : "spacing", 0.05);
    float nozzle = 0.6f * r > 1.5f * spacing ? 0.6f * r : 1.5f * spacing;
    g->list->init(def);
    tool_set(play, g->list, def, "radius", (double)nozzle);
    // A layer per step at least, so that it pours at once.
    float speed = strength * sqrtf(2.0f * 9.81f * 4.0f * nozzle), least = spacing / dt;
    tool_set(play, g->list, def, "speed", (double)(speed > least ? speed : least));
    tool_set3(play, g->list, def, "direction", down);
    tool_set3(play, g->list, def, "position", (TarnVec3){ 0 });
    if (is_spout(g->list)) {
        tool_set(play, g->list, def, "is_liquid", 1.0);
        tool_set3(play, g->list, def, "size", (TarnVec3){ nozzle, nozzle, nozzle });
        tool_set3(play, g->list, def, "flow", vec3_scale(down, speed));
    }
    TarnVec3 at = g->at;
    tool_hold_part(play, g, def, at, up, (TarnVec3){ 0 });
}

// ---- Stirring: liquids with regions --------------------------------------------------------------------------------

static bool stir_suits(const TarnPlay* play, void* solver, const TarnSolverClass* of)
{
    const TarnListClass* list = tool_find_list(of, "regions");
    (void)play, (void)solver;
    return has_parameter(list, "action") && has_parameter(list, "push");
}

static bool begin_stir(TarnPlay* play, Grip* g, bool is_auto)
{
    (void)is_auto;
    if (g->pick.kind != TARN_PICK_LIQUID && g->pick.kind != TARN_PICK_MESH) return false;
    g->solver = tool_solver(play, g->tool, &g->pick, true);
    if (g->solver == NULL) return false;
    g->list = tool_find_list(tarn_world_class_of(play->world, g->solver), "regions");
    return true;
}

static void stir(TarnPlay* play, Grip* g, float dt)
{
    _Alignas(max_align_t) unsigned char def[TARN_LIST_MAX_DEF];
    float r = 2.0f * tool_radius(play, g);
    TarnVec3 velocity = vec3_scale(g->velocity, play->tools.strength);
    (void)dt;
    if (g->is_fresh) velocity = vec3_scale(down, 2.0f * play->tools.strength); // a click taps it
    g->list->init(def);
    tarn_param_set_text(play->ctx, g->list->table(), def, "shape", "sphere");
    tarn_param_set_text(play->ctx, g->list->table(), def, "action", "drag");
    tool_set3(play, g->list, def, "size", (TarnVec3){ r, r, r });
    tool_set3(play, g->list, def, "push", velocity);
    tool_set(play, g->list, def, "rate", 20.0);
    tool_hold_part(play, g, def, g->at, up, (TarnVec3){ 0 });
}

// ---- Gases: smoke, fire and wind --------------------------------------------------------------------------------

// What a source of smoke gives: gases call it density. NULL: it is none.
static const char* amount_of(const TarnListClass* list)
{
    return has_parameter(list, "density") ? "density"
           : has_parameter(list, "smoke") ? "smoke"
                                          : NULL;
}

static const TarnListClass* gas_sources(const TarnSolverClass* of)
{
    const TarnListClass* list = tool_find_list(of, "sources");
    return of->flow && amount_of(list) && list->carry ? list : NULL;
}

static bool smoke_suits(const TarnPlay* play, void* solver, const TarnSolverClass* of)
{
    (void)play;
    return gas_sources(of) && tool_def_value(of, solver, "use_density", 1.0) != 0.0 &&
           tool_def_value(of, solver, "use_smoke", 1.0) != 0.0;
}

static bool fire_suits(const TarnPlay* play, void* solver, const TarnSolverClass* of)
{
    (void)play;
    if (of == tarn_fire_class()) return true;
    return gas_sources(of) && tool_def_value(of, solver, "use_temperature", 0.0) != 0.0;
}

static bool blow_suits(const TarnPlay* play, void* solver, const TarnSolverClass* of)
{
    const TarnListClass* list = tool_find_list(of, "jets");
    (void)play, (void)solver;
    return has_parameter(list, "speed") && list->carry;
}

static bool is_thing(const TarnPick* pick)
{
    return pick->kind == TARN_PICK_BODY || pick->kind == TARN_PICK_SOLID;
}

// In the first box of a gas that the line of sight goes through.
static bool begin_in_gas(TarnPlay* play, Grip* g, const char* list)
{
    void* solver;
    TarnVec3 seen = g->at;
    for (int i = 0; (solver = tarn_world_get(play->world, NULL, i)) != NULL; ++i) {
        const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
        TarnVec3 at = seen;
        if (!g->tool->suits(play, solver, of) || !in_box(play, solver, &at)) continue;
        g->solver = solver;
        g->list = tool_find_list(of, list);
        // In front of a thing that is in the way, in the middle of the box otherwise.
        TarnVec3 way = vec3_sub(seen, play->shown.eye);
        float far = vec3_length(way), r = 2.0f * tool_radius(play, g);
        if (is_thing(&g->pick) && far < vec3_length(vec3_sub(at, play->shown.eye)) && far > r)
            at = vec3_sub(seen, vec3_scale(way, r / far));
        g->at = at;
        return g->list != NULL;
    }
    return false;
}

static bool begin_source(TarnPlay* play, Grip* g, bool is_auto)
{
    return !(is_auto && is_thing(&g->pick)) && begin_in_gas(play, g, "sources");
}
static bool begin_jet(TarnPlay* play, Grip* g, bool is_auto)
{
    return !(is_auto && is_thing(&g->pick)) && begin_in_gas(play, g, "jets");
}

static void hold_source(TarnPlay* play, Grip* g, bool is_hot)
{
    _Alignas(max_align_t) unsigned char def[TARN_LIST_MAX_DEF];
    const TarnSolverClass* of = tarn_world_class_of(play->world, g->solver);
    float dx = (float)tool_def_value(of, g->solver, "dx", 0.1), r = 1.3f * tool_radius(play, g);
    if (r < 1.5f * dx) r = 1.5f * dx;
    g->list->init(def);
    tool_set3(play, g->list, def, "size", (TarnVec3){ r, r, r });
    tool_set(play, g->list, def, amount_of(g->list),
             is_hot ? 0.3 : 1.5 * (double)play->tools.strength);
    tool_set(play, g->list, def, "temperature", is_hot ? 1400.0 : 30.0);
    bool has_fuel = tool_def_value(of, g->solver, "use_fuel", 0.0) != 0.0;
    if (is_hot && has_fuel)
        tool_set(play, g->list, def, "fuel", 1.0 * (double)play->tools.strength);
    tool_set(play, g->list, def, "noise", 0.5);
    tool_set(play, g->list, def, "rate", 12.0);
    tool_hold_part(play, g, def, g->at, up, (TarnVec3){ 0 });
}

static void blow_smoke(TarnPlay* play, Grip* g, float dt)
{
    (void)dt;
    hold_source(play, g, false);
}

// A fire of the game kind burns again; in a gas a flame is held up.
static bool begin_fire(TarnPlay* play, Grip* g, bool is_auto)
{
    void* solver;
    float nearest = INFINITY;
    for (int i = 0; (solver = tarn_world_get(play->world, tarn_fire_class(), i)) != NULL; ++i) {
        const TarnFireDef* def = tarn_fire_class()->def(solver);
        float far = vec3_length(vec3_sub(def->position, g->at));
        if (far < nearest) nearest = far, g->solver = solver;
    }
    return g->solver != NULL || begin_source(play, g, is_auto);
}

static void light_fire(TarnPlay* play, Grip* g, float dt)
{
    (void)dt;
    const TarnSolverClass* of = tarn_world_class_of(play->world, g->solver);
    if (of != tarn_fire_class())
        hold_source(play, g, true);
    else if (g->is_fresh)
        of->reset(g->solver);
}

static void blow(TarnPlay* play, Grip* g, float dt)
{
    _Alignas(max_align_t) unsigned char def[TARN_LIST_MAX_DEF];
    const TarnSolverClass* of = tarn_world_class_of(play->world, g->solver);
    float dx = (float)tool_def_value(of, g->solver, "dx", 0.1), r = 2.0f * tool_radius(play, g);
    if (r < 2.0f * dx) r = 2.0f * dx;
    (void)dt;
    float speed = vec3_length(g->velocity);
    TarnVec3 way = speed > 1e-3f ? vec3_scale(g->velocity, 1.0f / speed) : up;
    if (speed < 4.0f * r) speed = 4.0f * r; // held still it is a fan that blows upwards
    g->list->init(def);
    tool_set(play, g->list, def, "radius", (double)r);
    tool_set(play, g->list, def, "length", (double)(2.0f * r));
    tool_set(play, g->list, def, "speed", (double)(play->tools.strength * speed));
    tool_set(play, g->list, def, "rate", 15.0);
    tool_hold_part(play, g, def, vec3_sub(g->at, vec3_scale(way, r)), way, (TarnVec3){ 0 });
}

// ---- Particle systems ------------------------------------------------------------------------------------------

static bool sparks_suit(const TarnPlay* play, void* solver, const TarnSolverClass* of)
{
    const TarnListClass* list = tool_find_list(of, "emitters");
    (void)play, (void)solver;
    return has_parameter(list, "lifetime") && list->carry;
}

static bool attract_suits(const TarnPlay* play, void* solver, const TarnSolverClass* of)
{
    const TarnListClass* list = tool_find_list(of, "attractors");
    (void)play, (void)solver;
    return has_parameter(list, "strength") && has_parameter(list, "position");
}

static bool begin_particles(TarnPlay* play, Grip* g, const char* list)
{
    g->solver = tool_solver(play, g->tool, &g->pick, false);
    if (g->solver == NULL) return false;
    g->list = tool_find_list(tarn_world_class_of(play->world, g->solver), list);
    if (g->list == NULL) return false;
    TarnVec3 min, max; // particles that leave their box are gone
    return !tool_box(play->world, g->solver, &min, &max) || in_box(play, g->solver, &g->at);
}

static bool begin_sparks(TarnPlay* play, Grip* g, bool is_auto)
{
    (void)is_auto;
    return begin_particles(play, g, "emitters");
}

static bool begin_attract(TarnPlay* play, Grip* g, bool is_auto)
{
    // By itself only in worlds of nothing but particles; elsewhere they decorate something else.
    if (is_auto && tarn_world_count(play->world, NULL) > tarn_world_particles_count(play->world))
        return false;
    return begin_particles(play, g, "attractors");
}

static void throw_sparks(TarnPlay* play, Grip* g, float dt)
{
    _Alignas(max_align_t) unsigned char def[TARN_LIST_MAX_DEF];
    float r = tool_radius(play, g);
    (void)dt;
    g->list->init(def);
    tool_set(play, g->list, def, "rate", 600.0 * (double)play->tools.strength);
    tool_set(play, g->list, def, "speed", 12.0 * (double)r);
    tool_set(play, g->list, def, "spread", 40.0);
    tool_set(play, g->list, def, "lifetime", 1.2);
    tool_set(play, g->list, def, "radius", 0.06 * (double)r);
    tool_set(play, g->list, def, "kind_of_particle", 1.0);
    tool_hold_part(play, g, def, g->at, up, g->velocity);
}

static void attract(TarnPlay* play, Grip* g, float dt)
{
    _Alignas(max_align_t) unsigned char def[TARN_LIST_MAX_DEF];
    float r = 3.0f * tool_radius(play, g);
    (void)dt;
    g->list->init(def);
    tool_set(play, g->list, def, "strength", 60.0 * (double)(play->tools.strength * r));
    tool_set(play, g->list, def, "radius", (double)r);
    tool_hold_part(play, g, def, g->at, up, (TarnVec3){ 0 });
}

// ---- Terrain and gates -----------------------------------------------------------------------------------------

static bool dig_suits(const TarnPlay* play, void* solver, const TarnSolverClass* of)
{
    (void)play, (void)solver;
    return tool_emits(of, TARN_EMITTER_DIG);
}

static void move_ground(TarnPlay* play, Grip* g, float dt, float sign)
{
    TarnEmitterDef def = tarn_emitter_default_def();
    def.kind = TARN_EMITTER_DIG;
    def.a = (TarnVec2){ g->at.x, g->at.z };
    def.radius = 1.5f * tool_radius(play, g);
    def.height = sign * play->tools.strength * def.radius * dt;
    def.period = dt; // all of it in this step
    emit(play, g->solver, &def, dt);
}
static void dig(TarnPlay* play, Grip* g, float dt)
{
    move_ground(play, g, dt, -1.0f);
}
static void heap(TarnPlay* play, Grip* g, float dt)
{
    move_ground(play, g, dt, 1.0f);
}

static bool always(const TarnPlay* play)
{
    (void)play;
    return true;
}

// Auto tries them in this order: what is small and in front comes first.
const Tool tool_list[] = {
    { "grab", "Grab", "Drag a body to move it; let go while it moves to throw it.", PLANE_FACING,
      true, "a body", NULL, has_free_body, begin_grab, pull_body },
    { "gate", "Open gates", "Click a gate to open or close it.", PLANE_PICKED, true, "a gate", NULL,
      tool_has_gates, tool_begin_gate, tool_turn_gate },
    { "waves", "Make waves", "Drag on the water to make waves; click for a ripple.", PLANE_LEVEL,
      true, "the water", waves_suit, NULL, begin_waves, make_waves },
    { "stir", "Stir", "Drag through the liquid to stir it; click to tap it.", PLANE_FACING, true,
      "the liquid", stir_suits, NULL, begin_stir, stir },
    { "blow", "Blow", "Drag to blow the gas along; hold still for a fan.", PLANE_FACING, true,
      "the gas", blow_suits, NULL, begin_jet, blow },
    { "pour", "Pour", "Hold to pour liquid where you point.", PLANE_FACING, true, NULL, pour_suits,
      NULL, begin_pour, pour },
    { "smoke", "Smoke", "Hold to let smoke rise where you point.", PLANE_FACING, true, "the gas",
      smoke_suits, NULL, begin_source, blow_smoke },
    { "fire", "Light fire",
      "Hold to keep a flame where you point; click a fire that is out to light it.", PLANE_FACING,
      false, NULL, fire_suits, NULL, begin_fire, light_fire },
    { "attract", "Attract", "Hold to pull the particles to where you point.", PLANE_FACING, true,
      NULL, attract_suits, NULL, begin_attract, attract },
    { "sparks", "Sparks", "Hold to throw sparks from where you point.", PLANE_FACING, false, NULL,
      sparks_suit, NULL, begin_sparks, throw_sparks },
    { "dig", "Dig", "Hold on the ground to dig; the water follows.", PLANE_PICKED, false, NULL,
      dig_suits, NULL, begin_on_water, dig },
    { "heap", "Heap up", "Hold on the ground to heap up a dam.", PLANE_PICKED, false, NULL,
      dig_suits, NULL, begin_on_water, heap },
    { "drop", "Drop a body", "Click to drop a crate or a ball.", PLANE_FACING, false, NULL, NULL,
      can_drop, begin_drop, drop_body },
    { "look", "Look around", "Drag to orbit, Shift-drag to pan, scroll to zoom.", PLANE_FACING,
      false, NULL, NULL, always, NULL, NULL },
};
const int n_tools = sizeof tool_list / sizeof tool_list[0];
