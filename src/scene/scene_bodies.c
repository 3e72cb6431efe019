// Bodies of a scene: their keys, grids of them, and what moves them.

#include "scene/scene_internal.h"
#include "base/maths.h"
#include "tarn/coupling.h"
#include <stdio.h>

// ---- Reading -----------------------------------------------------------------------------------------

static TarnResult check_points(SceneReader* r, const SceneBodyEntry* entry, const char* path)
{
    const TarnJson* points = tarn__json_get(entry->node, "points");
    if (entry->body.shape != TARN_SHAPE_HULL) {
        if (points == NULL) return TARN_OK;
        return tarn__scene_refuse_key(r, points, "%s.points: only hulls have points", path);
    }
    if (points == NULL)
        return tarn__scene_refuse_value(r, entry->node,
                                        "%s: a hull needs \"points\", 4 to 64 of them", path);
    if (points->type != TARN_JSON_ARRAY || points->count < 4 || points->count > 64)
        return tarn__scene_refuse_value(r, points, "%s.points: expected an array of 4 to 64 points",
                                        path);
    for (const TarnJson* point = points->child; point; point = point->next) {
        bool is_good = point->type == TARN_JSON_ARRAY && point->count == 3;
        for (const TarnJson* x = is_good ? point->child : NULL; x; x = x->next)
            is_good =
                is_good && x->type == TARN_JSON_NUMBER && x->number >= -1e3 && x->number <= 1e3;
        if (!is_good)
            return tarn__scene_refuse_value(
                r, point, "%s.points: expected [x, y, z], each -1000 to 1000 m", path);
    }
    return TARN_OK;
}

static TarnResult read_grid(SceneReader* r, SceneBodyEntry* entry, const char* body_path)
{
    char path[SCENE_PATH];
    const TarnJson* node = tarn__json_get(entry->node, "grid");
    snprintf(path, sizeof path, "%s.grid", body_path);
    tarn_param_defaults(tarn__scene_grid_table(), &entry->grid);
    TARN_TRY(tarn__scene_read_plain(r, path, node, tarn__scene_grid_table(), &entry->grid));
    TarnVec3 n = entry->grid.count; // 1 to 4096 each: the table saw to it
    if (n.x == (float)(int)n.x && n.y == (float)(int)n.y && n.z == (float)(int)n.z) return TARN_OK;
    return tarn__scene_refuse_value(r, node ? node : entry->node,
                                    "%s.count: expected whole numbers", path);
}

static TarnResult read_body_solid(SceneReader* r, SceneBodyEntry* entry, const char* body_path)
{
    char path[SCENE_PATH];
    const TarnJson* node = tarn__json_get(entry->node, "solid");
    snprintf(path, sizeof path, "%s.solid", body_path);
    if (node == NULL) return TARN_OK;
    TARN_TRY(tarn__scene_make_room(r, 1, sizeof(SceneSolidEntry), &entry->solid));
    entry->solid->node = node;
    return tarn__scene_read_solid(r, entry->solid, path);
}

// A driver of the world, or a flight.
static TarnResult read_motion(SceneReader* r, SceneBodyEntry* entry, const char* body_path)
{
    char path[SCENE_PATH];
    const TarnJson* flight = tarn__json_get(entry->node, "flight");
    snprintf(path, sizeof path, "%s.driver", body_path);
    entry->driver = tarn_driver_default_def();
    TARN_TRY(tarn__scene_read_plain(r, path, tarn__json_get(entry->node, "driver"),
                                    tarn_driver_def_table(), &entry->driver));
    snprintf(path, sizeof path, "%s.flight", body_path);
    entry->has_flight = flight != NULL;
    if (flight == NULL) return TARN_OK;
    if (entry->driver.kind != TARN_DRIVER_NONE)
        return tarn__scene_refuse_key(r, flight,
                                      "%s: a body can have a driver or a flight, not both", path);
    entry->flight = tarn_flight_default_def();
    return tarn__scene_read_plain(r, path, flight, tarn_flight_def_table(), &entry->flight);
}

static TarnResult read_foils(SceneReader* r, SceneBodyEntry* entry, const char* body_path)
{
    char path[SCENE_PATH], item[SCENE_PATH + SCENE_ITEM];
    const TarnJson* list = tarn__json_get(entry->node, "foils");
    snprintf(path, sizeof path, "%s.foils", body_path);
    TARN_TRY(tarn__scene_read_list(r, list, path, TARN_BODY_FOILS, &entry->n_foils));
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < entry->n_foils; ++i, node = node->next) {
        entry->foils[i] = tarn_foil_default_def();
        snprintf(item, sizeof item, "%s[%d]", path, i);
        TARN_TRY(tarn__scene_read_plain(r, item, node, tarn_foil_def_table(), &entry->foils[i]));
    }
    return TARN_OK;
}

static TarnResult read_one_trim(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    SceneTrim* trim = item;
    SceneObject object = { .path = path, .node = node, .stretched = "size" };
    tarn_param_defaults(tarn__scene_trim_table(), trim);
    tarn__scene_add_table(&object, tarn__scene_trim_table(), trim);
    TARN_TRY(tarn__scene_read_object(r, &object));
    return tarn__scene_check_size(r, node, path, trim->shape);
}

static TarnResult read_body(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    SceneBodyEntry* entry = item;
    SceneObject body = { .path = path,
                         .node = node,
                         .others = { "points", "driver", "flight", "grid", "name", "solid", "foils",
                                     "trim" },
                         .stretched = "size" };
    const TarnJson* name;
    entry->node = node;
    tarn_param_defaults(tarn__scene_body_table(), &entry->body);
    tarn__scene_add_table(&body, tarn__scene_body_table(), &entry->body);
    TARN_TRY(tarn__scene_read_object(r, &body));
    TARN_TRY(tarn__scene_check_size(r, node, path, entry->body.shape));
    TARN_TRY(check_points(r, entry, path));
    TARN_TRY(tarn__scene_read_string(r, node, path, "name", &name));
    entry->name = name ? name->string : NULL;
    TARN_TRY(read_grid(r, entry, path));
    TARN_TRY(read_body_solid(r, entry, path));
    TARN_TRY(read_foils(r, entry, path));
    const SceneList trim = { path,         "trim", node, TARN_SCENE_MAX_TRIM, sizeof(SceneTrim),
                             read_one_trim };
    TARN_TRY(tarn__scene_read_items(r, &trim, &entry->n_trim, &entry->trim));
    return read_motion(r, entry, path);
}

// Names the entry that asks for most.
static TarnResult refuse_grids(SceneReader* r)
{
    double most = -1.0;
    int which = 0;
    for (int i = 0; i < r->n_bodies; ++i) {
        TarnVec3 n = r->bodies[i].grid.count;
        double all = (double)n.x * n.y * n.z;
        if (all > most) most = all, which = i;
    }
    return tarn__scene_refuse_value(r, r->bodies[which].node,
                                    "bodies[%d].grid.count: %.0f bodies from this entry make more "
                                    "than %d in all; allowed: at most %d",
                                    which, most, SCENE_MAX_BODIES, SCENE_MAX_BODIES);
}

TarnResult tarn__scene_read_bodies(SceneReader* r)
{
    const TarnJson* root = r->doc.root;
    const SceneList list = {
        "", "bodies", root, SCENE_MAX_BODIES, sizeof(SceneBodyEntry), read_body
    };
    SceneObject world = { .path = "world", .node = tarn__json_get(root, "world") };
    TARN_TRY(tarn__scene_read_items(r, &list, &r->n_bodies, &r->bodies));
    int total = tarn__scene_count_bodies(r);
    if (total > SCENE_MAX_BODIES) return refuse_grids(r);
    tarn__scene_add_table(&world, tarn_world_def_table(), &r->world);
    return tarn__scene_grow(r, &world, "max_bodies", total, tarn__json_get(root, "bodies"),
                            "bodies");
}

// ---- Building ----------------------------------------------------------------------------------------

int tarn__scene_count_bodies(const SceneReader* r)
{
    double n = 0.0;
    for (int i = 0; i < r->n_bodies; ++i) {
        TarnVec3 count = r->bodies[i].grid.count;
        n += (double)count.x * count.y * count.z;
    }
    return n <= SCENE_MAX_BODIES ? (int)n : SCENE_MAX_BODIES + 1;
}

int tarn__scene_count_trim(const SceneReader* r)
{
    int n = 0;
    for (int i = 0; i < r->n_bodies; ++i) n += r->bodies[i].n_trim;
    return n;
}

TarnQuat tarn__scene_rotation(float yaw, float pitch, float roll)
{
    const float radians = 0.017453292519943295f;
    TarnQuat y = quat_from_axis_angle((TarnVec3){ 0.0f, 1.0f, 0.0f }, yaw * radians);
    TarnQuat p = quat_from_axis_angle((TarnVec3){ 0.0f, 0.0f, 1.0f }, pitch * radians);
    TarnQuat r = quat_from_axis_angle((TarnVec3){ 1.0f, 0.0f, 0.0f }, roll * radians);
    return quat_normalize(quat_multiply(y, quat_multiply(p, r)));
}

// The points were checked when the entry was read: 4 to 64 triples of numbers.
static int hull_points(const SceneBodyEntry* entry, TarnVec3* points)
{
    int n = 0;
    const TarnJson* list = tarn__json_get(entry->node, "points");
    for (const TarnJson* point = list ? list->child : NULL; point; point = point->next, ++n) {
        const TarnJson *x = point->child, *y = x->next, *z = y->next;
        points[n] = (TarnVec3){ (float)x->number, (float)y->number, (float)z->number };
    }
    return n;
}

static TarnShape plain_shape(int kind, TarnVec3 size)
{
    if (kind == TARN_SHAPE_SPHERE) return tarn_shape_sphere(size.x);
    if (kind == TARN_SHAPE_CAPSULE) return tarn_shape_capsule(size.x, size.y);
    return tarn_shape_box(size.x, size.y, size.z);
}

static TarnShape shape_of(const SceneBodyEntry* entry, TarnVec3* points)
{
    if (entry->body.shape == TARN_SHAPE_HULL)
        return tarn_shape_hull(points, hull_points(entry, points));
    return plain_shape(entry->body.shape, entry->body.size);
}

static TarnBodyDef body_def(const SceneBodyEntry* entry, TarnVec3* points)
{
    const SceneBody* body = &entry->body;
    TarnBodyDef def = tarn_body_default_def();
    def.shape = shape_of(entry, points);
    def.state.position = body->position;
    def.state.rotation = tarn__scene_rotation(body->yaw, body->pitch, body->roll);
    def.state.velocity = body->velocity;
    def.state.angular_velocity = body->spin;
    def.density = body->density;
    def.friction = body->friction;
    def.restitution = body->restitution;
    def.is_driven = body->driven;
    def.freedom = body->freedom;
    def.axis = body->axis;
    return def;
}

// The n-th body of an entry's grid, x fastest.
static TarnVec3 grid_offset(const SceneGrid* grid, int n)
{
    int nx = (int)grid->count.x, ny = (int)grid->count.y;
    return (TarnVec3){ (float)(n % nx) * grid->spacing.x, (float)(n / nx % ny) * grid->spacing.y,
                       (float)(n / nx / ny) * grid->spacing.z };
}

// All flights are one script of the world.
static TarnResult add_flight(TarnScene* scene, TarnBodyId body, const TarnFlightDef* def)
{
    if (scene->flights == NULL)
        TARN_TRY(tarn_flights_create(scene->ctx, scene->world, &scene->flights));
    return tarn_flights_add(scene->flights, body, def);
}

static void build_trim(const SceneBodyEntry* entry, TarnSceneTrim* to)
{
    for (int i = 0; i < entry->n_trim; ++i) {
        const SceneTrim* t = &entry->trim[i];
        to[i] = (TarnSceneTrim){ .shape = plain_shape(t->shape, t->size),
                                 .position = t->position,
                                 .rotation = tarn__scene_rotation(t->yaw, t->pitch, t->roll),
                                 .color = t->color,
                                 .glow = t->glow };
    }
}

static TarnResult build_entry(TarnScene* scene, SceneBodyEntry* entry, const SceneShape* shape,
                              SceneColor* colors, const TarnSceneTrim* trim)
{
    TarnWorld* world = scene->world;
    TarnVec3 points[64];
    TarnBodyDef def = body_def(entry, points);
    TarnVec3 first = def.state.position;
    const SceneGrid* grid = &entry->grid;
    int count = (int)grid->count.x * (int)grid->count.y * (int)grid->count.z;
    for (int n = 0; n < count; ++n) {
        TarnBodyId id;
        def.state.position = vec3_add(first, grid_offset(grid, n));
        TARN_TRY(tarn_world_add_body(world, &def, &id));
        if (n == 0) entry->first = id;
        if (entry->driver.kind != TARN_DRIVER_NONE)
            TARN_TRY(tarn_world_set_driver(world, id, &entry->driver));
        for (int f = 0; f < entry->n_foils; ++f)
            TARN_TRY(tarn_world_set_foil(world, id, f, &entry->foils[f]));
        if (entry->has_flight) TARN_TRY(add_flight(scene, id, &entry->flight));
        if (shape)
            TARN_TRY(tarn_couple_solid_shape(tarn_world_solids(world), tarn_world_bodies(world), id,
                                             &shape->def));
        colors[n] = (SceneColor){ .body = id.value,
                                  .color = entry->body.color,
                                  .glow = entry->body.glow,
                                  .is_hidden = shape != NULL,
                                  .n_trim = entry->n_trim,
                                  .trim = trim };
    }
    return TARN_OK;
}

TarnResult tarn__scene_build_bodies(SceneReader* r, TarnScene* scene)
{
    SceneColor* colors = scene->colors;
    TarnSceneTrim* trim = scene->trim;
    for (int i = 0; i < r->n_bodies; ++i) {
        SceneBodyEntry* entry = &r->bodies[i];
        TarnVec3 count = entry->grid.count;
        char path[SCENE_ITEM];
        SceneShape shape = { 0 };
        if (entry->solid) TARN_TRY(tarn__scene_make_solid(r, entry->solid, &shape));
        build_trim(entry, trim);
        TarnResult result = build_entry(scene, entry, entry->solid ? &shape : NULL, colors, trim);
        tarn__scene_free_shape(r, &shape);
        snprintf(path, sizeof path, "bodies[%d]", i);
        if (result != TARN_OK) return tarn__scene_refuse_made(r, entry->node, path, result);
        colors += (int)count.x * (int)count.y * (int)count.z;
        trim += entry->n_trim;
    }
    return TARN_OK;
}
