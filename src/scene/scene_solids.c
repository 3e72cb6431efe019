// Solids of a scene: their keys, and the meshes of those shapes that a file describes in fewer words: a
// path drawn out along z, a profile turned around y, a wheel.

#include "scene/scene_internal.h"
#include "base/maths.h"
#include "base/param.h"
#include <math.h>
#include <stdio.h>

// ---- Reading ---------------------------------------------------------------------------------------

// What each shape takes.
typedef struct ShapeFacts {
    int width;       // numbers of a point; 0: it takes no points
    int least, most; // points
    bool has_planes, has_triangles;
} ShapeFacts;

static const ShapeFacts shape_facts[SCENE_SOLID_SHAPES] = {
    [TARN_SHAPE_CONVEX] = { .has_planes = true },
    [TARN_SHAPE_MESH] = { .width = 3, .least = 3, .most = SCENE_MAX_MESH, .has_triangles = true },
    [SCENE_SOLID_PATH] = { .width = 2, .least = 2, .most = 4096 },
    [SCENE_SOLID_REVOLVE] = { .width = 2, .least = 2, .most = 512 },
};

// How many numbers "size" has.
typedef struct SizeFacts {
    int sizes;         // bits 1 << n: it may have n numbers
    const char* takes; // for the message
} SizeFacts;

static SizeFacts size_facts(int shape)
{
    switch (shape) {
    case TARN_SHAPE_LINE:
        return (SizeFacts){ 1 << 1, "a line takes its half length" };
    case TARN_SHAPE_DISC:
        return (SizeFacts){ 1 << 1, "a disc takes its radius" };
    case TARN_SHAPE_SPHERE:
        return (SizeFacts){ 1 << 1, "a sphere takes its radius" };
    case TARN_SHAPE_BOX:
        return (SizeFacts){ 1 << 1 | 1 << 3,
                            "a box takes [x, y, z] half extents, or a number for a cube" };
    case TARN_SHAPE_CAPSULE:
        return (SizeFacts){ 1 << 2, "a capsule takes [radius, half length]" };
    case TARN_SHAPE_CYLINDER:
        return (SizeFacts){ 1 << 2, "a cylinder takes [radius, half length]" };
    case SCENE_SOLID_WHEEL:
        return (SizeFacts){ 1 << 2, "a wheel takes [radius, hub radius]" };
    default:
        return (SizeFacts){ 0, "this shape takes no size" };
    }
}

TarnResult tarn__scene_check_size(SceneReader* r, const TarnJson* node, const char* path, int shape)
{
    const TarnJson* size = tarn__json_get(node, "size");
    if (size == NULL) return TARN_OK;
    SizeFacts facts = size_facts(shape);
    int n = size->type == TARN_JSON_NUMBER ? 1 : size->count;
    if (facts.sizes >> n & 1) return TARN_OK;
    return tarn__scene_refuse_value(r, size, "%s.size: %s", path, facts.takes);
}

// Is it a list of rows, each with so many numbers in a range?
static bool is_rows(const TarnJson* list, int width, double most)
{
    for (const TarnJson* row = list->child; row; row = row->next) {
        if (row->type != TARN_JSON_ARRAY || row->count != width) return false;
        for (const TarnJson* x = row->child; x; x = x->next) {
            if (x->type != TARN_JSON_NUMBER || !(x->number >= -most && x->number <= most))
                return false;
        }
    }
    return true;
}

// One of the lists "points", "triangles", "planes": it is there if and only if the shape takes it.
typedef struct RowList {
    const char *key, *what;
    bool is_wanted;
    int width, least, most;
} RowList;

static TarnResult check_rows(SceneReader* r, const SceneSolidEntry* entry, const char* path,
                             const RowList* rows)
{
    const TarnJson* list = tarn__json_get(entry->node, rows->key);
    if (!rows->is_wanted) {
        if (list == NULL) return TARN_OK;
        return tarn__scene_refuse_key(r, list, "%s.%s: this shape takes none", path, rows->key);
    }
    if (list == NULL)
        return tarn__scene_refuse_value(r, entry->node, "%s: this shape needs \"%s\"", path,
                                        rows->key);
    bool is_good = list->type == TARN_JSON_ARRAY && list->count >= rows->least &&
                   list->count <= rows->most && is_rows(list, rows->width, 1e5);
    if (is_good) return TARN_OK;
    return tarn__scene_refuse_value(r, list, "%s.%s: expected %d to %d items, each %s", path,
                                    rows->key, rows->least, rows->most, rows->what);
}

static TarnResult check_triangles(SceneReader* r, const SceneSolidEntry* entry, const char* path)
{
    const TarnJson* list = tarn__json_get(entry->node, "triangles");
    int n = tarn__json_get(entry->node, "points")->count;
    for (const TarnJson* row = list->child; row; row = row->next) {
        for (const TarnJson* x = row->child; x; x = x->next) {
            bool is_good = x->number >= 0.0 && x->number < n && x->number == floor(x->number);
            if (!is_good)
                return tarn__scene_refuse_value(
                    r, x, "%s.triangles: %g; the solid has %d points, counted from 0", path,
                    x->number, n);
        }
    }
    return TARN_OK;
}

static TarnResult check_lists(SceneReader* r, const SceneSolidEntry* entry, const char* path)
{
    const ShapeFacts* facts = &shape_facts[entry->solid.shape];
    bool has_points = facts->width > 0;
    const RowList points = {
        "points",     facts->width == 3 ? "[x, y, z] in meters" : "[x, y] in meters",
        has_points,   facts->width,
        facts->least, facts->most
    };
    const RowList triangles = {
        "triangles", "[a, b, c], indices of points", facts->has_triangles, 3, 1, SCENE_MAX_MESH
    };
    const RowList planes = { "planes", "[nx, ny, nz, offset]", facts->has_planes, 4, 1, 64 };
    TARN_TRY(check_rows(r, entry, path, &points));
    TARN_TRY(check_rows(r, entry, path, &triangles));
    TARN_TRY(check_rows(r, entry, path, &planes));
    return facts->has_triangles ? check_triangles(r, entry, path) : TARN_OK;
}

static TarnResult check_shape(SceneReader* r, const SceneSolidEntry* entry, const char* path)
{
    const SceneSolid* s = &entry->solid;
    TARN_TRY(tarn__scene_check_size(r, entry->node, path, s->shape));
    bool is_wheel = s->shape == SCENE_SOLID_WHEEL;
    if (is_wheel && !(s->size.y < s->size.x && s->thickness < s->size.y && s->thickness > 0.0f))
        return tarn__scene_refuse_value(
            r, entry->node,
            "%s: a wheel needs thickness < hub radius < radius, and has %g, %g and %g m", path,
            (double)s->thickness, (double)s->size.y, (double)s->size.x);
    float room = 2.0f * s->size.y * tarn_sin(3.1415926f / (float)s->blades);
    if (is_wheel && s->blades > 1 && !(2.0f * s->thickness < room))
        return tarn__scene_refuse_value(r, entry->node,
                                        "%s: %d blades of %g m do not fit around the hub", path,
                                        s->blades, 2.0 * (double)s->thickness);
    return check_lists(r, entry, path);
}

TarnResult tarn__scene_read_solid(SceneReader* r, SceneSolidEntry* entry, const char* path)
{
    SceneObject object = { .path = path,
                           .node = entry->node,
                           .others = { "points", "triangles", "planes", "driver", "name" },
                           .stretched = "size" };
    tarn_param_defaults(tarn__scene_solid_table(), &entry->solid);
    tarn__scene_add_table(&object, tarn__scene_solid_table(), &entry->solid);
    TARN_TRY(tarn__scene_read_object(r, &object));
    TARN_TRY(check_shape(r, entry, path));
    char driver_path[SCENE_PATH + 8];
    snprintf(driver_path, sizeof driver_path, "%s.driver", path);
    entry->driver = tarn_driver_default_def();
    return tarn__scene_read_plain(r, driver_path, tarn__json_get(entry->node, "driver"),
                                  tarn_driver_def_table(), &entry->driver);
}

static TarnResult read_entry(SceneReader* r, const TarnJson* node, const char* path, void* item)
{
    SceneSolidEntry* entry = item;
    entry->node = node;
    return tarn__scene_read_solid(r, entry, path);
}

TarnResult tarn__scene_read_solids(SceneReader* r)
{
    const TarnJson* root = r->doc.root;
    const SceneList list = { "",        "solids", root, SCENE_MAX_SOLIDS, sizeof(SceneSolidEntry),
                             read_entry };
    SceneObject world = { .path = "world", .node = tarn__json_get(root, "world") };
    TARN_TRY(tarn__scene_read_items(r, &list, &r->n_solids, &r->solids));
    tarn__scene_add_table(&world, tarn_world_def_table(), &r->world);
    return tarn__scene_grow(r, &world, "max_solids", r->n_solids, tarn__json_get(root, "solids"),
                            "solids");
}

// ---- Meshes ----------------------------------------------------------------------------------------

typedef struct Mesh {
    TarnVec3* points;
    int* triangles;
    int n_points, n_triangles;
} Mesh;

static void put_triangle(Mesh* mesh, int a, int b, int c)
{
    int* t = &mesh->triangles[3 * mesh->n_triangles++];
    t[0] = a, t[1] = b, t[2] = c;
}

static void put_quad(Mesh* mesh, int a, int b, int c, int d)
{
    put_triangle(mesh, a, b, c);
    put_triangle(mesh, a, c, d);
}

static double number(const TarnJson* row, int n)
{
    const TarnJson* x = row->child;
    while (n-- > 0) x = x->next;
    return x->number;
}

static void make_given(const SceneSolidEntry* entry, Mesh* mesh)
{
    const TarnJson* row = tarn__json_get(entry->node, "points")->child;
    for (; row; row = row->next)
        mesh->points[mesh->n_points++] =
            (TarnVec3){ (float)number(row, 0), (float)number(row, 1), (float)number(row, 2) };
    for (row = tarn__json_get(entry->node, "triangles")->child; row; row = row->next)
        put_triangle(mesh, (int)number(row, 0), (int)number(row, 1), (int)number(row, 2));
}

static void make_path(const SceneSolidEntry* entry, Mesh* mesh)
{
    float depth = entry->solid.depth;
    for (const TarnJson* row = tarn__json_get(entry->node, "points")->child; row; row = row->next) {
        float x = (float)number(row, 0), y = (float)number(row, 1);
        mesh->points[mesh->n_points++] = (TarnVec3){ x, y, -depth };
        mesh->points[mesh->n_points++] = (TarnVec3){ x, y, depth };
    }
    for (int i = 0; i + 2 < mesh->n_points; i += 2) put_quad(mesh, i, i + 2, i + 3, i + 1);
}

static void make_revolve(const SceneSolidEntry* entry, Mesh* mesh)
{
    int n = entry->solid.segments, rows = 0;
    for (const TarnJson* row = tarn__json_get(entry->node, "points")->child; row; row = row->next) {
        float radius = (float)fabs(number(row, 0)), y = (float)number(row, 1), s, c;
        for (int i = 0; i < n; ++i) {
            tarn_sincos(6.2831853f * (float)i / (float)n, &s, &c);
            mesh->points[mesh->n_points++] = (TarnVec3){ radius * c, y, radius * s };
        }
        ++rows;
    }
    for (int k = 0; k + 1 < rows; ++k) { // a point on the axis would make triangles of no area
        bool is_tip = mesh->points[k * n].x == 0.0f,
             is_next_tip = mesh->points[(k + 1) * n].x == 0.0f;
        for (int i = 0; i < n; ++i) {
            int a = k * n + i, b = k * n + (i + 1) % n;
            if (!is_tip) put_triangle(mesh, a, a + n, b);
            if (!is_next_tip) put_triangle(mesh, b, a + n, b + n);
        }
    }
}

// The outline is a star around the center, so that fans from there close it at both ends.
static void make_wheel(const SceneSolidEntry* entry, Mesh* mesh)
{
    const SceneSolid* s = &entry->solid;
    float half = s->thickness, hub = s->size.y;
    float foot = sqrtf(hub * hub - half * half);
    int ring = 4 * s->blades;
    for (int side = -1; side <= 1; side += 2) {
        for (int i = 0; i < ring; ++i) {
            float sine, cosine;
            tarn_sincos(6.2831853f * (float)(i / 4) / (float)s->blades, &sine, &cosine);
            float out = i % 4 == 1 || i % 4 == 2 ? s->size.x : foot;
            float across = i % 4 < 2 ? -half : half;
            mesh->points[mesh->n_points++] =
                (TarnVec3){ out * cosine - across * sine, out * sine + across * cosine,
                            (float)side * s->depth };
        }
        mesh->points[mesh->n_points++] = (TarnVec3){ 0.0f, 0.0f, (float)side * s->depth };
    }
    for (int i = 0; i < ring; ++i) {
        int next = (i + 1) % ring, far = ring + 1;
        put_quad(mesh, i, next, far + next, far + i);
        put_triangle(mesh, ring, next, i);
        put_triangle(mesh, far + ring, far + i, far + next);
    }
}

// At most so many points and triangles.
static void count_mesh(const SceneSolidEntry* entry, size_t* points, size_t* triangles)
{
    const TarnJson *p = tarn__json_get(entry->node, "points"),
                   *t = tarn__json_get(entry->node, "triangles");
    size_t n = p ? (size_t)p->count : 0;
    switch (entry->solid.shape) {
    case TARN_SHAPE_MESH:
        *points = n;
        *triangles = (size_t)t->count;
        break;
    case SCENE_SOLID_PATH:
        *points = 2 * n;
        *triangles = 2 * n;
        break;
    case SCENE_SOLID_REVOLVE:
        *points = n * (size_t)entry->solid.segments;
        *triangles = 2 * *points;
        break;
    default: // a wheel
        *points = 2 * (4 * (size_t)entry->solid.blades + 1);
        *triangles = 16 * (size_t)entry->solid.blades;
    }
}

static TarnResult make_mesh(SceneReader* r, const SceneSolidEntry* entry, SceneShape* out)
{
    size_t points, triangles;
    count_mesh(entry, &points, &triangles);
    TarnLayout layout = { 0 };
    size_t at_points = tarn__layout_add(&layout, points * sizeof(TarnVec3));
    size_t at_triangles = tarn__layout_add(&layout, 3 * triangles * sizeof(int));
    out->block = tarn__alloc(r->ctx, layout.size);
    if (out->block == NULL)
        return tarn__fail(r->ctx, TARN_ERR_MEMORY, "%s: out of memory for a mesh of %zu triangles",
                          r->name, triangles);
    out->size = layout.size;
    Mesh mesh = { .points = (TarnVec3*)((char*)out->block + at_points),
                  .triangles = (int*)((char*)out->block + at_triangles) };
    switch (entry->solid.shape) {
    case TARN_SHAPE_MESH:
        make_given(entry, &mesh);
        break;
    case SCENE_SOLID_PATH:
        make_path(entry, &mesh);
        break;
    case SCENE_SOLID_REVOLVE:
        make_revolve(entry, &mesh);
        break;
    default:
        make_wheel(entry, &mesh);
    }
    out->def.shape = tarn_shape_mesh(mesh.points, mesh.n_points, mesh.triangles, mesh.n_triangles);
    if (entry->solid.shape != SCENE_SOLID_WHEEL) out->def.shape.thickness = entry->solid.thickness;
    return TARN_OK;
}

static TarnResult make_convex(SceneReader* r, const SceneSolidEntry* entry, SceneShape* out)
{
    const TarnJson* list = tarn__json_get(entry->node, "planes");
    out->size = (size_t)list->count * sizeof(TarnPlane);
    out->block = tarn__alloc(r->ctx, out->size);
    if (out->block == NULL)
        return tarn__fail(r->ctx, TARN_ERR_MEMORY, "%s: out of memory for planes", r->name);
    TarnPlane* planes = out->block;
    int n = 0;
    for (const TarnJson* row = list->child; row; row = row->next)
        planes[n++] =
            (TarnPlane){ { (float)number(row, 0), (float)number(row, 1), (float)number(row, 2) },
                         (float)number(row, 3) };
    out->def.shape = tarn_shape_convex(planes, n);
    return TARN_OK;
}

TarnResult tarn__scene_make_solid(SceneReader* r, const SceneSolidEntry* entry, SceneShape* out)
{
    const SceneSolid* s = &entry->solid;
    *out = (SceneShape){ .def = tarn_solid_default_def() };
    TarnSolidDef* def = &out->def;
    def->is_inside_out = s->inside_out;
    def->motion = (TarnMotion){ s->position, tarn__scene_rotation(s->yaw, s->pitch, s->roll),
                                s->velocity, s->spin };
    def->friction = s->friction;
    def->user = (uint32_t)s->tag;
    def->restitution = s->restitution;
    def->touch = s->touch;
    if (s->shape == TARN_SHAPE_CONVEX) return make_convex(r, entry, out);
    if (s->shape > TARN_SHAPE_CONVEX) return make_mesh(r, entry, out);
    def->shape.kind = s->shape;
    def->shape.size = s->size;
    return TARN_OK;
}

void tarn__scene_free_shape(SceneReader* r, SceneShape* shape)
{
    tarn__free(r->ctx, shape->block, shape->size);
    shape->block = NULL;
}

// ---- Building ----------------------------------------------------------------------------------------

static TarnResult build_solid(SceneReader* r, TarnWorld* world, const SceneSolidEntry* entry,
                              SceneColor* color)
{
    SceneShape shape;
    TarnSolidId id = { 0 };
    TARN_TRY(tarn__scene_make_solid(r, entry, &shape));
    TarnResult result = tarn_world_add_solid(world, &shape.def, &id);
    tarn__scene_free_shape(r, &shape);
    if (result == TARN_OK && entry->driver.kind != TARN_DRIVER_NONE)
        result = tarn_world_set_solid_driver(world, id, &entry->driver);
    *color = (SceneColor){ .body = id.value,
                           .color = entry->solid.color,
                           .glow = entry->solid.glow,
                           .is_hidden = entry->solid.hidden,
                           .is_glass = entry->solid.glass };
    return result;
}

TarnResult tarn__scene_build_solids(SceneReader* r, TarnScene* scene)
{
    for (int n = 0; n < r->n_solids; ++n) {
        const SceneSolidEntry* entry = &r->solids[n];
        char path[SCENE_ITEM];
        TarnResult result = build_solid(r, scene->world, entry, &scene->solid_colors[n]);
        snprintf(path, sizeof path, "solids[%d]", n);
        if (result != TARN_OK) return tarn__scene_refuse_made(r, entry->node, path, result);
    }
    return TARN_OK;
}
