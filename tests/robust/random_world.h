// What a storm over a world throws about: solvers of any class, their parts, bodies, solids and links, with random values
// within their tables. Every maker returns what the world said; refusing is allowed, and must change nothing.
#pragma once

#include "tests/unit/hall_common.h"
#include "tests/robust/random_params.h"
#include "base/maths.h"
#include "tarn/coupling.h"

enum { STORM_PARTS = 64 };
static const double storm_flow = 5.0; // most that flows from one place to another [m^3/s]

typedef struct Part { // in a list of a solver
    void* solver;
    const TarnListClass* list;
    uint64_t id;
} Part;

typedef struct Storm {
    TarnContext* ctx;
    TarnWorld* world;
    Part parts[STORM_PARTS];
    int n_parts;
} Storm;

static inline float draw_float(double lo, double hi)
{
    return (float)draw_between(lo, hi);
}
// Mostly where the solvers are, sometimes far away.
static inline float draw_place(void)
{
    return draw(8) ? draw_float(-6, 6) : draw_float(-900, 900);
}
static inline TarnVec3 draw_point(void)
{
    return (TarnVec3){ draw_place(), draw_float(-2, 4), draw_float(-2, 2) };
}
static inline TarnVec3 draw_velocity(void)
{
    float most = draw(4) ? 3.0f : 400.0f;
    return (TarnVec3){ draw_float(-most, most), draw_float(-most, most), draw_float(-most, most) };
}

// ---- Values --------------------------------------------------------------------------------------

// Some values of an object, at random within its table; what places and sizes it stays, and so does the level: water that is
// deeper than max_depth is not counted exactly.
static inline void draw_values(const TarnParamTable* table, void* object, int most)
{
    static const char* const kept[] = { "origin", "center", "position", "gravity", "level" };
    for (int n = draw(most + 1); n > 0; --n) {
        const TarnParam* p = &table->params[draw(table->count)];
        bool is_kept = is_costly_param(p->name);
        for (size_t i = 0; i < sizeof kept / sizeof *kept; ++i)
            is_kept |= strcmp(kept[i], p->name) == 0;
        if (is_kept || strncmp(p->name, "max_", 4) == 0) continue;
        double value[3];
        for (int i = 0; i < 3; ++i) value[i] = draw_value(p, i);
        tarn_param_set(ctx, table, object, p->name, value, tarn__param_components(p->type));
    }
}

static inline void put_at(const TarnParamTable* table, void* object, const char* name, TarnVec3 at)
{
    const TarnParam* p = tarn_param_find(table, name);
    const double value[3] = { (double)at.x, (double)at.y, (double)at.z };
    if (p && p->type == TARN_PARAM_VEC3) tarn_param_set(ctx, table, object, name, value, 3);
}

// ---- Solvers and their parts ---------------------------------------------------------------------

static inline void* draw_solver(const Storm* s) // NULL: there are none
{
    int n = tarn_world_count(s->world, NULL);
    return n > 0 ? tarn_world_get(s->world, NULL, draw(n)) : NULL;
}

static inline TarnResult add_solver(Storm* s)
{
    int n = 0;
    while (tarn_solver_class_at(s->ctx, n)) ++n;
    const TarnSolverClass* of = tarn_solver_class_at(s->ctx, draw(n));
    AnyDef def = small_def(of, draw(4) ? draw_float(-3, 3) : draw_float(-300, 300));
    if (draw(4) == 0) give(of->def_table(), def.bytes, "dimensions", 2, 0, 0);
    draw_values(of->def_table(), def.bytes, 4);
    // Exact solvers count what is less deep than this: half of them can hold all the water of a storm in one column.
    const TarnParam* deepest = tarn_param_find(of->def_table(), "max_depth");
    if (draw(2) && deepest) give(of->def_table(), def.bytes, "max_depth", deepest->max, 0, 0);
    return tarn_world_add(s->world, of, NULL, def.bytes, NULL);
}

static inline TarnResult change_params(Storm* s)
{
    AnyDef params;
    void* solver = draw_solver(s);
    const TarnSolverClass* of = tarn_world_class_of(s->world, solver);
    if (of == NULL || of->params_table == NULL) return TARN_OK;
    of->get_params(solver, params.bytes);
    draw_values(of->params_table(), params.bytes, 4);
    return of->set_params(solver, params.bytes);
}

static inline AnyDef draw_part(const TarnListClass* list)
{
    AnyDef def;
    const TarnParamTable* table = list->table();
    list->init(def.bytes);
    draw_values(table, def.bytes, 5);
    put_at(table, def.bytes, "position", draw_point());
    put_at(table, def.bytes, "center", draw_point());
    return def;
}

static inline TarnResult add_part(Storm* s)
{
    void* solver = draw_solver(s);
    const TarnSolverClass* of = tarn_world_class_of(s->world, solver);
    if (of == NULL || of->n_lists == 0 || s->n_parts == STORM_PARTS) return TARN_OK;
    Part part = { solver, &of->lists[draw(of->n_lists)], 0 };
    AnyDef def = draw_part(part.list);
    TarnResult result = part.list->add(solver, def.bytes, &part.id);
    if (result == TARN_OK) s->parts[s->n_parts++] = part;
    return result;
}

// Solvers that left the world take their parts along: at once, before another one gets their memory.
static inline void drop_parts(Storm* s)
{
    int n = 0;
    for (int i = 0; i < s->n_parts; ++i) {
        if (tarn_world_class_of(s->world, s->parts[i].solver)) s->parts[n++] = s->parts[i];
    }
    s->n_parts = n;
}

// Its id may be stale: a load brought an older list back.
static inline Part* draw_own_part(Storm* s)
{
    return s->n_parts > 0 ? &s->parts[draw(s->n_parts)] : NULL;
}

static inline TarnResult change_part(Storm* s)
{
    Part* part = draw_own_part(s);
    if (part == NULL) return TARN_OK;
    AnyDef def = draw_part(part->list);
    if (part->list->remove && draw(2)) {
        Part gone = *part;
        *part = s->parts[--s->n_parts];
        return gone.list->remove(gone.solver, gone.id);
    }
    return part->list->set ? part->list->set(part->solver, part->id, def.bytes) : TARN_OK;
}

// ---- Bodies --------------------------------------------------------------------------------------

static inline bool storm_egg(float x, float z, TarnVec3 at, TarnQuat q, float* lo, float* hi,
                             void* user)
{
    (void)q, (void)user;
    float dx = x - at.x, dz = z - at.z, rest = 0.16f - dx * dx - dz * dz;
    if (!(rest > 1e-4f)) return false;
    *lo = at.y - 0.5f * sqrtf(rest), *hi = at.y + 0.5f * sqrtf(rest);
    return *hi > *lo;
}

static inline TarnShape draw_shape(void)
{
    static const TarnVec3 gem[] = { { 0.4f, 0, 0 },     { -0.3f, 0, 0 }, { 0, 0.5f, 0 },
                                    { 0, -0.2f, 0.1f }, { 0, 0, 0.4f },  { 0, 0, -0.5f } };
    float r = draw(4) ? draw_float(0.05, 0.6) : draw_float(0.002, 20);
    switch (draw(5)) {
    case 0:
        return tarn_shape_sphere(r);
    case 1:
        return tarn_shape_box(r, draw_float(0.05, 0.5), draw_float(0.05, 0.5));
    case 2:
        return tarn_shape_capsule(r, draw_float(0.05, 0.5));
    case 3:
        return tarn_shape_hull(gem, 6);
    default:
        return tarn_shape_span(storm_egg, NULL, 0.4f, 0.13f);
    }
}

static inline TarnResult add_body(Storm* s)
{
    TarnBodyDef def = tarn_body_default_def();
    def.shape = draw_shape();
    def.state.position = draw_point();
    def.state.velocity = draw_velocity();
    def.state.angular_velocity = (TarnVec3){ draw_float(-9, 9), draw_float(-9, 9), 0 };
    def.state.rotation =
        (TarnQuat){ draw_float(-1, 1), draw_float(-1, 1), draw_float(-1, 1), 0.5f };
    def.density = draw(4) ? draw_float(100, 2000) : draw_float(1, 1e5);
    def.is_driven = draw(4) == 0;
    def.freedom = draw(3) ? TARN_BODY_FREE : draw(3);
    def.friction = draw_float(0, 1), def.restitution = draw_float(0, 1);
    return tarn_world_add_body(s->world, &def, NULL);
}

static inline TarnBodyId draw_body(const Storm* s) // the null id: there are none
{
    TarnBodies* bodies = tarn_world_bodies(s->world);
    int n = tarn_bodies_count(bodies);
    return n > 0 ? tarn_bodies_at(bodies, draw(n)) : (TarnBodyId){ 0 };
}

static inline TarnResult remove_body(Storm* s)
{
    return tarn_bodies_remove(tarn_world_bodies(s->world), draw_body(s));
}

static inline TarnResult push_body(Storm* s)
{
    TarnBodies* bodies = tarn_world_bodies(s->world);
    TarnBodyId id = draw_body(s);
    TarnBodyState state;
    if (id.value == 0) return TARN_OK;
    if (draw(2)) {
        float most = draw(3) ? 1e3f : 1e12f;
        TarnVec3 force = { draw_float(-1, 1) * most, draw_float(-1, 1) * most, draw_float(-1, 1) };
        return tarn_bodies_add_force(bodies, id, force, vec3_scale(force, 0.1f));
    }
    TARN_TRY(tarn_bodies_get_state(bodies, id, &state));
    state.position = draw_point();
    state.velocity = draw_velocity();
    return tarn_bodies_set_state(bodies, id, &state);
}

// ---- Solids --------------------------------------------------------------------------------------

static inline float storm_ball(TarnVec3 p, void* user)
{
    (void)user;
    return sqrtf(p.x * p.x + p.y * p.y + p.z * p.z) - 0.5f;
}

static inline TarnSolidDef draw_solid(void)
{
    static const TarnPlane planes[] = { { { 1, 0, 0 }, 0.3f },  { { -1, 0, 0 }, 0.3f },
                                        { { 0, 1, 0 }, 0.4f },  { { 0, -1, 0.3f }, 0.2f },
                                        { { 0, 0, 1 }, 0.25f }, { { 0, 0, -1 }, 0.25f } };
    static const TarnVec3 points[] = {
        { 0.5f, -0.3f, 0.3f }, { -0.5f, -0.3f, 0.3f }, { 0, -0.3f, -0.5f }, { 0, 0.5f, 0 }
    };
    static const int triangles[] = { 0, 3, 1, 1, 3, 2, 2, 3, 0, 0, 1, 2 };
    static float distances[125], heights[64];
    for (int i = 0; i < 125; ++i) {
        TarnVec3 p = { 0.25f * (float)(i % 5) - 0.5f, 0.25f * (float)(i / 5 % 5) - 0.5f,
                       0.25f * (float)(i / 25) - 0.5f };
        distances[i] = storm_ball(p, NULL) + 0.1f;
    }
    for (int i = 0; i < 64; ++i) heights[i] = 0.1f * (float)(i * 7 % 5);
    static const int kinds[] = { TARN_SHAPE_SPHERE,   TARN_SHAPE_BOX,      TARN_SHAPE_CAPSULE,
                                 TARN_SHAPE_CYLINDER, TARN_SHAPE_CONVEX,   TARN_SHAPE_MESH,
                                 TARN_SHAPE_DISTANCE, TARN_SHAPE_FUNCTION, TARN_SHAPE_TERRAIN };
    TarnSolidDef def = tarn_solid_default_def();
    TarnShape* shape = &def.shape;
    shape->kind = kinds[draw(9)];
    shape->size = (TarnVec3){ draw_float(0.1, 1), draw_float(0.01, 1), draw_float(0.1, 1) };
    def.is_inside_out = draw(6) == 0 && shape->kind <= TARN_SHAPE_CONVEX;
    if (def.is_inside_out) shape->size = (TarnVec3){ 3, 3, 3 };
    def.motion.position = draw_point();
    if (draw(2)) def.motion.velocity = draw_velocity();
    if (draw(3) == 0) def.motion.angular_velocity = (TarnVec3){ 0, draw_float(-20, 20), 1 };
    def.friction = draw_float(0, 1), def.restitution = draw_float(0, 1), def.touch = draw(3);
    shape->planes = planes, shape->n_planes = 6;
    shape->points = points, shape->n_points = 4;
    shape->triangles = triangles, shape->n_triangles = draw(2) ? 4 : 2; // closed, or a shell
    shape->distances = distances, shape->nx = shape->ny = shape->nz = 5, shape->dx = 0.25f;
    shape->origin = (TarnVec3){ -0.5f, -0.5f, -0.5f };
    shape->distance = storm_ball, shape->radius = 0.5f;
    shape->heights = (TarnView2){ .data = heights, .nx = 8, .nz = 8, .stride = 8 };
    return def;
}

static inline TarnResult add_solid(Storm* s)
{
    TarnSolidDef def = draw_solid();
    return tarn_world_add_solid(s->world, &def, NULL);
}

static inline TarnSolidId draw_own_solid(const Storm* s) // not one of a body; the null id: none
{
    TarnSolids* solids = tarn_world_solids(s->world);
    int n = tarn_solids_count(solids);
    TarnSolidId id = n > 0 ? tarn_solids_at(solids, draw(n)) : (TarnSolidId){ 0 };
    bool is_body = tarn_couple_body_of(tarn_world_bodies(s->world), id).value != 0;
    return is_body ? (TarnSolidId){ 0 } : id;
}

static inline TarnResult change_solid(Storm* s)
{
    TarnSolidId id = draw_own_solid(s);
    TarnMotion motion = { draw_point(), { 0, 0, 0, 1 }, draw_velocity(), { 0, 1, 0 } };
    if (id.value == 0) return TARN_OK;
    if (draw(2)) return tarn_solids_remove(tarn_world_solids(s->world), id);
    return tarn_solids_place(tarn_world_solids(s->world), id, &motion);
}

// ---- Links ---------------------------------------------------------------------------------------

static inline TarnResult add_emitter(Storm* s)
{
    TarnEmitterDef def = tarn_emitter_default_def();
    draw_values(tarn_emitter_def_table(), &def, 6);
    def.kind = draw(TARN_EMITTER_KINDS);
    def.solver = draw(2) ? 0 : draw(tarn_world_def(s->world)->max_solvers + 1);
    def.a = (TarnVec2){ draw_place(), draw_float(-2, 2) };
    def.b = (TarnVec2){ draw_place(), draw_float(-2, 2) };
    def.rate = draw_float(0, 200);
    def.flow = draw_float(-storm_flow, storm_flow), def.height = draw_float(-5, 5);
    def.start = draw(2) ? 0.0f : draw_float(0, 3);
    def.stop = def.start + draw_float(0, 9);
    return tarn_world_add_emitter(s->world, &def, NULL);
}

static inline TarnResult remove_emitter(Storm* s)
{
    int n = tarn_world_emitter_count(s->world);
    TarnEmitterId id = tarn_world_emitter_at(s->world, n > 0 ? draw(n) : 0);
    return tarn_world_remove_emitter(s->world, id);
}

static inline TarnResult add_channel(Storm* s)
{
    TarnChannelDef def = tarn_channel_default_def();
    draw_values(tarn_channel_def_table(), &def, 4);
    def.from = draw_solver(s), def.to = draw_solver(s);
    def.from_place = (TarnVec2){ draw_place(), draw_float(-2, 2) };
    def.to_place = (TarnVec2){ draw_place(), draw_float(-2, 2) };
    def.flow = draw_float(0, storm_flow);
    return tarn_world_add_channel(s->world, &def);
}

static inline TarnResult add_spout(Storm* s)
{
    const Part* part = draw_own_part(s);
    if (part == NULL) return TARN_OK;
    TarnSpoutDef def = { .liquid = part->solver, .source = part->id, .water = draw_solver(s) };
    def.place = (TarnVec2){ draw_place(), draw_float(-2, 2) };
    def.radius = draw_float(0.1, 4);
    return tarn_world_add_spout(s->world, &def);
}

static inline TarnResult set_window(Storm* s)
{
    TarnWindowDef def = tarn_window_default_def();
    draw_values(tarn_window_def_table(), &def, 3);
    def.kind = draw(3);
    def.body = draw_body(s);
    def.a = (TarnVec2){ draw_place(), 0 }, def.b = (TarnVec2){ draw_place(), 3 };
    return tarn_world_set_window(s->world, draw_solver(s), &def);
}

static inline TarnResult set_driver(Storm* s)
{
    TarnDriverDef def = tarn_driver_default_def();
    draw_values(tarn_driver_def_table(), &def, 6);
    def.kind = draw(TARN_DRIVER_SURF + 1);
    return draw(2) ? tarn_world_set_driver(s->world, draw_body(s), &def)
                   : tarn_world_set_solid_driver(s->world, draw_own_solid(s), &def);
}

static inline TarnResult attach_part(Storm* s)
{
    const Part* part = draw_own_part(s);
    TarnBodyId body = draw_body(s);
    if (part == NULL) return TARN_OK;
    if (draw(3) == 0)
        return tarn_world_throttle(s->world, body, draw(TARN_THROTTLES), draw_float(0, 1));
    AnyDef def = draw_part(part->list);
    return tarn_world_attach(s->world, part->solver, part->list->name, part->id, def.bytes, body,
                             draw(TARN_THROTTLES));
}

static inline TarnResult set_air(Storm* s)
{
    TarnCurlNoise noise = tarn_curl_noise_default(s->ctx);
    draw_values(tarn_curl_noise_table(), &noise, 3);
    if (draw(2)) return tarn_world_set_carrier(s->world, draw_solver(s), draw(2));
    return tarn_world_set_curl_noise(s->world, draw(2) ? &noise : NULL);
}

static inline TarnResult set_wind(Storm* s)
{
    TarnWindDef def = tarn_wind_default_def();
    draw_values(tarn_wind_def_table(), &def, 2);
    return tarn_world_set_wind(s->world, draw(4) ? &def : NULL);
}

static inline TarnResult set_foil(Storm* s)
{
    TarnFoilDef def = tarn_foil_default_def();
    draw_values(tarn_foil_def_table(), &def, 5);
    return tarn_world_set_foil(s->world, draw_body(s), draw(TARN_BODY_FOILS),
                               draw(5) ? &def : NULL);
}

static inline TarnResult set_push(Storm* s)
{
    TarnFlowPush def = tarn_flow_push_default();
    draw_values(tarn_flow_push_table(), &def, 4);
    return tarn_world_set_push(s->world, draw_solver(s), draw(4) ? &def : NULL);
}
