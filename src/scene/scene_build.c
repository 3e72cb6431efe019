// From what a scene says to a world: ground and walls, bodies, emitters.

#include "scene/scene_internal.h"
#include "base/maths.h"
#include "tarn/coupling.h"
#include <stdio.h>

// ---- Ground and walls ------------------------------------------------------------------------------

// Cells whose centers lie between lo and hi along one axis: [first, end), cut to the grid.
typedef struct Cells {
    int first, end;
} Cells;

static int cell_after(double x, float origin, float dx, int n) // the first center not below x
{
    double c = ceil((x - (double)origin) / (double)dx - 0.5);
    return c < 0.0 ? 0 : c > n ? n : (int)c;
}

static Cells cells_between(double lo, double hi, float origin, float dx, int n)
{
    Cells cells = { cell_after(lo, origin, dx, n), cell_after(hi, origin, dx, n) };
    double center = (double)origin + (cells.end + 0.5) * (double)dx;
    if (cells.end < n && center == hi) ++cells.end;
    return cells;
}

static double center_of(int i, float origin, float dx)
{
    return (double)origin + (i + 0.5) * (double)dx;
}

static void put_wall(const TarnWaveDef* def, const SceneWall* wall, uint8_t* out)
{
    bool is_disc = wall->shape == SCENE_WALL_DISC;
    double r = wall->radius, cx = wall->center.x, cz = wall->center.y;
    double x0 = is_disc ? cx - r : wall->min.x, x1 = is_disc ? cx + r : wall->max.x;
    double z0 = is_disc ? cz - r : wall->min.y, z1 = is_disc ? cz + r : wall->max.y;
    Cells x = cells_between(x0, x1, def->origin.x, def->dx, def->nx);
    Cells z = cells_between(z0, z1, def->origin.y, def->dx, def->nz);
    for (int k = z.first; k < z.end; ++k) {
        double dz = center_of(k, def->origin.y, def->dx) - cz;
        for (int i = x.first; i < x.end; ++i) {
            double dx = center_of(i, def->origin.x, def->dx) - cx;
            if (is_disc && dx * dx + dz * dz > r * r) continue;
            out[(size_t)k * (size_t)def->nx + (size_t)i] = 1;
        }
    }
}

// A raised cosine: level at the top and where it meets the floor.
static void put_mound(const TarnWaveDef* def, const SceneBed* bed, float* out)
{
    double r = bed->radius, cx = bed->center.x, cz = bed->center.y;
    Cells x = cells_between(cx - r, cx + r, def->origin.x, def->dx, def->nx);
    Cells z = cells_between(cz - r, cz + r, def->origin.y, def->dx, def->nz);
    for (int k = z.first; k < z.end; ++k) {
        double dz = center_of(k, def->origin.y, def->dx) - cz;
        for (int i = x.first; i < x.end; ++i) {
            double dx = center_of(i, def->origin.x, def->dx) - cx;
            double s = sqrt(dx * dx + dz * dz) / r;
            if (s >= 1.0) continue;
            float profile = 0.5f + 0.5f * tarn_cos((float)(3.141592653589793 * s));
            out[(size_t)k * (size_t)def->nx + (size_t)i] += bed->height * profile;
        }
    }
}

static void put_slope(const TarnWaveDef* def, const SceneBed* bed, float* out)
{
    double ax = bed->from.x, az = bed->from.y, ux = bed->to.x - ax, uz = bed->to.y - az;
    double length2 = ux * ux + uz * uz;
    for (int k = 0; k < def->nz; ++k) {
        double dz = center_of(k, def->origin.y, def->dx) - az;
        for (int i = 0; i < def->nx; ++i) {
            double dx = center_of(i, def->origin.x, def->dx) - ax;
            double s = (dx * ux + dz * uz) / length2;
            s = s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s;
            out[(size_t)k * (size_t)def->nx + (size_t)i] += (float)(s * bed->rise);
        }
    }
}

static TarnResult build_wave(SceneReader* r, TarnWorld* world)
{
    TarnWaveDef* def = &r->wave;
    size_t cells = (size_t)def->nx * (size_t)def->nz;
    size_t wall_bytes = r->n_walls ? cells : 0, bed_bytes = r->n_bed ? cells * sizeof(float) : 0;
    uint8_t* wall = wall_bytes ? tarn__alloc(r->ctx, wall_bytes) : NULL;
    float* bed = bed_bytes ? tarn__alloc(r->ctx, bed_bytes) : NULL;
    TarnResult result = TARN_OK;
    if ((wall_bytes && !wall) || (bed_bytes && !bed))
        result =
            tarn__fail(r->ctx, TARN_ERR_MEMORY, "%s: no memory for walls or bed of %d x %d cells",
                       r->name, def->nx, def->nz);
    if (result == TARN_OK) {
        for (int n = 0; n < r->n_walls; ++n) put_wall(def, &r->walls[n], wall);
        for (size_t c = 0; bed && c < cells; ++c) bed[c] = def->level - def->depth;
        for (int n = 0; n < r->n_bed; ++n)
            (r->bed[n].kind == SCENE_BED_MOUND ? put_mound : put_slope)(def, &r->bed[n], bed);
        def->wall = wall;
        def->bed = bed;
        TarnWave* wave;
        result = tarn_world_add_wave(world, def, &wave);
        if (result == TARN_OK) result = tarn_wave_set_params(wave, &r->wave_params);
        if (result != TARN_OK)
            result =
                tarn__scene_refuse_made(r, tarn__json_get(r->doc.root, "wave"), "wave", result);
    }
    tarn__free(r->ctx, wall, wall_bytes);
    tarn__free(r->ctx, bed, bed_bytes);
    return result;
}

// ---- Flowing water -----------------------------------------------------------------------------------

typedef TarnResult AddFn(TarnShallow* water, const SceneLand* land, int n);

static TarnResult add_span(TarnShallow* water, const SceneLand* land, int n)
{
    float times[TARN_SHALLOW_MAX_HYDROGRAPH], values[TARN_SHALLOW_MAX_HYDROGRAPH];
    TarnShallowSpanDef def = land->spans[n].def;
    const TarnJson* list = tarn__json_get(land->spans[n].node, "hydrograph");
    for (const TarnJson* pair = list ? list->child : NULL; pair; pair = pair->next) {
        times[def.n_times] = (float)pair->child->number;
        values[def.n_times++] = (float)pair->child->next->number;
    }
    def.times = def.n_times > 0 ? times : NULL;
    def.values = def.n_times > 0 ? values : NULL;
    return tarn_shallow_add_span(water, &def, NULL);
}

static TarnResult add_gate(TarnShallow* water, const SceneLand* land, int n)
{
    return tarn_shallow_add_gate(water, &land->gates[n], NULL);
}

// A river falls, and a fill is level: it is filled column by column.
static TarnResult fill_pool(TarnShallow* water, const ScenePool* pool)
{
    const TarnShallowDef* def = tarn_shallow_def(water);
    if (pool->fall == 0.0f) return tarn_shallow_fill(water, pool->a, pool->b, pool->level);
    double x0 = tarn_minf(pool->a.x, pool->b.x), x1 = tarn_maxf(pool->a.x, pool->b.x);
    Cells columns = cells_between(x0, x1, def->origin.x, def->dx, def->nx);
    if (x0 < (double)def->origin.x) x0 = def->origin.x; // a box without end begins at the grid
    for (int i = columns.first; i < columns.end; ++i) {
        double x = center_of(i, def->origin.x, def->dx), half = 0.25 * def->dx;
        TarnVec2 a = { (float)(x - half), pool->a.y }, b = { (float)(x + half), pool->b.y };
        TARN_TRY(tarn_shallow_fill(water, a, b, (float)(pool->level - pool->fall * (x - x0))));
    }
    return TARN_OK;
}

static TarnResult add_pool(TarnShallow* water, const SceneLand* land, int n)
{
    const ScenePool* pool = &land->pools[n];
    TARN_TRY(fill_pool(water, pool));
    return tarn_shallow_set_velocity(water, pool->a, pool->b, pool->velocity);
}

static TarnResult add_list(SceneReader* r, TarnShallow* water, const char* key, int count,
                           AddFn* add)
{
    const TarnJson* list = tarn__json_get(tarn__json_get(r->doc.root, "shallow"), key);
    const TarnJson* node = list ? list->child : NULL;
    for (int n = 0; n < count; ++n, node = node->next) {
        char path[SCENE_ITEM];
        TarnResult result = add(water, &r->lands[LAND_SHALLOW], n);
        snprintf(path, sizeof path, "shallow.%s[%d]", key, n);
        if (result != TARN_OK) return tarn__scene_refuse_made(r, node, path, result);
    }
    return TARN_OK;
}

static TarnResult build_shallow(SceneReader* r, TarnWorld* world)
{
    const TarnJson* node = tarn__json_get(r->doc.root, "shallow");
    TarnShallow* water;
    r->shallow.bed_fn = tarn__scene_ground;
    r->shallow.bed_user = &r->lands[LAND_SHALLOW];
    TarnResult result = tarn_world_add_shallow(world, &r->shallow, &water);
    if (result == TARN_OK) result = tarn_shallow_set_params(water, &r->shallow_params);
    if (result != TARN_OK) return tarn__scene_refuse_made(r, node, "shallow", result);
    const SceneLand* land = &r->lands[LAND_SHALLOW];
    TARN_TRY(add_list(r, water, "spans", land->n_spans, add_span));
    TARN_TRY(add_list(r, water, "gates", land->n_gates, add_gate)); // and pools fill up to them
    return add_list(r, water, "pools", land->n_pools, add_pool);
}

static TarnResult build_pipes(SceneReader* r, TarnWorld* world)
{
    TarnPipesDef* def = &r->pipes;
    SceneLand* land = &r->lands[LAND_PIPES];
    const TarnJson* node = tarn__json_get(r->doc.root, "pipes");
    size_t bytes = (size_t)def->nx * (size_t)def->nz * sizeof(float);
    float* bed = NULL;
    if (land->has_terrain || land->n_parts > 0 || land->n_blocks > 0) {
        bed = tarn__alloc(r->ctx, bytes);
        if (bed == NULL)
            return tarn__fail(r->ctx, TARN_ERR_MEMORY, "%s: no memory for a bed of %d x %d cells",
                              r->name, def->nx, def->nz);
        float* out = bed;
        for (int k = 0; k < def->nz; ++k) {
            float z = (float)center_of(k, def->origin.y, def->dx);
            for (int i = 0; i < def->nx; ++i)
                *out++ = tarn__scene_ground((float)center_of(i, def->origin.x, def->dx), z, land);
        }
    }
    TarnPipes* water;
    def->bed = bed;
    TarnResult result = tarn_world_add_pipes(world, def, &water);
    if (result == TARN_OK) result = tarn_pipes_set_params(water, &r->pipes_params);
    tarn__free(r->ctx, bed, bytes);
    return result == TARN_OK ? TARN_OK : tarn__scene_refuse_made(r, node, "pipes", result);
}

// ---- Bodies ------------------------------------------------------------------------------------------

int tarn__scene_count_bodies(const SceneReader* r)
{
    double n = 0.0;
    for (int i = 0; i < r->n_bodies; ++i) {
        TarnVec3 count = r->bodies[i].grid.count;
        n += (double)count.x * count.y * count.z;
    }
    return n <= SCENE_MAX_BODIES ? (int)n : SCENE_MAX_BODIES + 1;
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

static TarnShape shape_of(const SceneBodyEntry* entry, TarnVec3* points)
{
    TarnVec3 size = entry->body.size;
    switch (entry->body.shape) {
    case TARN_SHAPE_SPHERE:
        return tarn_shape_sphere(size.x);
    case TARN_SHAPE_BOX:
        return tarn_shape_box(size.x, size.y, size.z);
    case TARN_SHAPE_CAPSULE:
        return tarn_shape_capsule(size.x, size.y);
    default:
        return tarn_shape_hull(points, hull_points(entry, points));
    }
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

static TarnResult build_entry(TarnWorld* world, const SceneBodyEntry* entry,
                              const SceneShape* shape, SceneColor* colors)
{
    TarnVec3 points[64];
    TarnBodyDef def = body_def(entry, points);
    TarnVec3 first = def.state.position;
    const SceneGrid* grid = &entry->grid;
    int count = (int)grid->count.x * (int)grid->count.y * (int)grid->count.z;
    for (int n = 0; n < count; ++n) {
        TarnBodyId id;
        def.state.position = vec3_add(first, grid_offset(grid, n));
        TARN_TRY(tarn_world_add_body(world, &def, &id));
        if (entry->driver.kind != TARN_DRIVER_NONE)
            TARN_TRY(tarn_world_set_driver(world, id, &entry->driver));
        if (shape && tarn_world_solids(world))
            TARN_TRY(tarn_couple_solid_shape(tarn_world_solids(world), tarn_world_bodies(world), id,
                                             &shape->def));
        colors[n] = (SceneColor){ .body = id.value,
                                  .color = entry->body.color,
                                  .is_hidden = shape != NULL };
    }
    return TARN_OK;
}

static TarnResult build_bodies(SceneReader* r, TarnWorld* world, SceneColor* colors)
{
    for (int i = 0; i < r->n_bodies; ++i) {
        const SceneBodyEntry* entry = &r->bodies[i];
        TarnVec3 count = entry->grid.count;
        char path[SCENE_ITEM];
        SceneShape shape = { 0 };
        if (entry->solid) TARN_TRY(tarn__scene_make_solid(r, entry->solid, &shape));
        TarnResult result = build_entry(world, entry, entry->solid ? &shape : NULL, colors);
        tarn__scene_free_shape(r, &shape);
        snprintf(path, sizeof path, "bodies[%d]", i);
        if (result != TARN_OK) return tarn__scene_refuse_made(r, entry->node, path, result);
        colors += (int)count.x * (int)count.y * (int)count.z;
    }
    return TARN_OK;
}

// ---- Window ------------------------------------------------------------------------------------------

TarnResult tarn__scene_find_body(SceneReader* r, const TarnJson* wanted, const char* what,
                                 const SceneColor* colors, TarnBodyId* out)
{
    for (int i = 0; i < r->n_bodies; ++i) {
        TarnVec3 count = r->bodies[i].grid.count;
        const TarnJson* name = tarn__json_get(r->bodies[i].node, "name");
        *out = (TarnBodyId){ colors->body };
        if (name && strcmp(name->string, wanted->string) == 0) return TARN_OK;
        colors += (int)count.x * (int)count.y * (int)count.z;
    }
    return tarn__scene_refuse_value(r, wanted, "%s: no body has this name", what);
}

static TarnResult build_window(SceneReader* r, TarnWorld* world, const SceneColor* colors)
{
    if (r->window.kind == TARN_WINDOW_BODY)
        TARN_TRY(tarn__scene_find_body(r, r->follow, "window.follow", colors, &r->window.body));
    TarnResult result = tarn_world_set_window(world, &r->window);
    if (result == TARN_OK) return TARN_OK;
    return tarn__scene_refuse_made(r, tarn__json_get(r->doc.root, "window"), "window", result);
}

// ---- All ---------------------------------------------------------------------------------------------

TarnResult tarn__scene_build(SceneReader* r, TarnWorld* world, SceneColor* colors,
                             SceneColor* solid_colors)
{
    if (r->has_wave) TARN_TRY(build_wave(r, world));
    if (r->has_shallow) TARN_TRY(build_shallow(r, world));
    if (r->has_pipes) TARN_TRY(build_pipes(r, world));
    TARN_TRY(tarn__scene_build_fluids(r, world, solid_colors));
    TARN_TRY(build_bodies(r, world, colors));
    TARN_TRY(tarn__scene_build_carried(r, world, colors));
    TARN_TRY(build_window(r, world, colors));
    const TarnJson* list = tarn__json_get(r->doc.root, "emitters");
    const TarnJson* node = list ? list->child : NULL;
    for (int i = 0; i < r->n_emitters; ++i, node = node->next) {
        TarnResult result = tarn_world_add_emitter(world, &r->emitters[i], NULL);
        char path[SCENE_ITEM];
        snprintf(path, sizeof path, "emitters[%d]", i);
        if (result != TARN_OK) return tarn__scene_refuse_made(r, node, path, result);
    }
    return TARN_OK;
}
