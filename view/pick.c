// Picking: what a line of sight meets first among the layers of the last frame.

#include "viewer.h"
#include <float.h>
#include <math.h>

typedef struct Ray {
    TarnVec3 from, along; // along has unit length
} Ray;

static float dot(TarnVec3 a, TarnVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static TarnVec3 cross(TarnVec3 a, TarnVec3 b)
{
    return (TarnVec3){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}
static TarnVec3 minus(TarnVec3 a, TarnVec3 b)
{
    return (TarnVec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}
static TarnVec3 unit(TarnVec3 a)
{
    float l = sqrtf(dot(a, a));
    return l > 0.0f ? (TarnVec3){ a.x / l, a.y / l, a.z / l } : (TarnVec3){ 0.0f, -1.0f, 0.0f };
}
static TarnVec3 point_at(const Ray* r, float t)
{
    return (TarnVec3){ r->from.x + t * r->along.x, r->from.y + t * r->along.y,
                       r->from.z + t * r->along.z };
}

// ---- Shapes: the distance at which the ray enters them, INFINITY: it does not ---------------------------------

static float hit_sphere(const Ray* r, TarnVec3 center, float radius)
{
    TarnVec3 m = minus(r->from, center);
    float b = dot(m, r->along);
    // The squared distance of the line from the center, without the cancellation of b * b - c.
    TarnVec3 off = { m.x - b * r->along.x, m.y - b * r->along.y, m.z - b * r->along.z };
    float root = radius * radius - dot(off, off);
    if (root < 0.0f) return INFINITY;
    float t = -b - sqrtf(root);
    if (t < 0.0f) t = -b + sqrtf(root); // from inside
    return t >= 0.0f ? t : INFINITY;
}

static float hit_box(const Ray* r, TarnVec3 lo, TarnVec3 hi)
{
    const float from[3] = { r->from.x, r->from.y, r->from.z };
    const float along[3] = { r->along.x, r->along.y, r->along.z };
    const float low[3] = { lo.x, lo.y, lo.z }, high[3] = { hi.x, hi.y, hi.z };
    float t0 = 0.0f, t1 = INFINITY;
    for (int a = 0; a < 3; ++a) {
        if (along[a] == 0.0f) {
            if (from[a] < low[a] || from[a] > high[a]) return INFINITY;
            continue;
        }
        float s = (low[a] - from[a]) / along[a], e = (high[a] - from[a]) / along[a];
        t0 = fmaxf(t0, fminf(s, e));
        t1 = fminf(t1, fmaxf(s, e));
    }
    return t0 <= t1 ? t0 : INFINITY;
}

static float hit_capsule(const Ray* r, float radius, float half)
{
    float t = fminf(hit_sphere(r, (TarnVec3){ 0.0f, half, 0.0f }, radius),
                    hit_sphere(r, (TarnVec3){ 0.0f, -half, 0.0f }, radius));
    float a = r->along.x * r->along.x + r->along.z * r->along.z;
    float b = r->from.x * r->along.x + r->from.z * r->along.z;
    float c = r->from.x * r->from.x + r->from.z * r->from.z - radius * radius;
    if (!(a > 0.0f) || b * b < a * c) return t;
    float side = (-b - sqrtf(b * b - a * c)) / a, y = r->from.y + side * r->along.y;
    return side >= 0.0f && fabsf(y) <= half ? fminf(t, side) : t;
}

// From either side [Moeller1997].
static float hit_triangle(const Ray* r, TarnVec3 a, TarnVec3 b, TarnVec3 c)
{
    TarnVec3 e = minus(b, a), f = minus(c, a), p = cross(r->along, f);
    float det = dot(e, p);
    if (fabsf(det) < FLT_MIN) return INFINITY;
    TarnVec3 s = minus(r->from, a), q = cross(s, e);
    float u = dot(s, p) / det, w = dot(r->along, q) / det, t = dot(f, q) / det;
    return u >= 0.0f && w >= 0.0f && u + w <= 1.0f && t >= 0.0f ? t : INFINITY;
}

static float hit_thing(const Ray* world, const TarnFrameBody* b)
{
    TarnQuat back = { -b->rotation.x, -b->rotation.y, -b->rotation.z, b->rotation.w };
    Ray r = { tarn__view_turn(back, minus(world->from, b->position)),
              tarn__view_turn(back, world->along) };
    const TarnShape* s = &b->shape;
    TarnVec3 size = s->size;
    float t = INFINITY;
    switch (s->kind) {
    case TARN_SHAPE_SPHERE:
        return hit_sphere(&r, (TarnVec3){ 0 }, size.x);
    case TARN_SHAPE_BOX:
        return hit_box(&r, (TarnVec3){ -size.x, -size.y, -size.z }, size);
    case TARN_SHAPE_CAPSULE:
        return hit_capsule(&r, size.x, size.y);
    case TARN_SHAPE_MESH:
        for (int i = 0; i < s->n_triangles; ++i) {
            const int* k = s->triangles + 3 * i;
            t = fminf(t, hit_triangle(&r, s->points[k[0]], s->points[k[1]], s->points[k[2]]));
        }
        return t;
    default:
        return INFINITY;
    }
}

// ---- Height fields ---------------------------------------------------------------------------------------

typedef struct Heights {
    const TarnFrameWater* water;
    TarnView2 view;         // y in each cell; data NULL: level
    float level;            // then
    const uint8_t* is_wall; // NULL: none
} Heights;

static int clamp_cell(int i, int n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

static float height_at(const Heights* h, float x, float z)
{
    const TarnFrameWater* w = h->water;
    int nx = w->height.nx, nz = w->height.nz;
    float u = (x - w->origin.x) / w->dx, v = (z - w->origin.y) / w->dx;
    if (h->is_wall) {
        int i = clamp_cell((int)floorf(u), nx), k = clamp_cell((int)floorf(v), nz);
        if (h->is_wall[(size_t)i + (size_t)nx * (size_t)k]) return w->wall_top;
    }
    if (!h->view.data) return h->level;
    float fu = floorf(u - 0.5f), fv = floorf(v - 0.5f), a = u - 0.5f - fu, b = v - 0.5f - fv;
    int i0 = clamp_cell((int)fu, nx), i1 = clamp_cell((int)fu + 1, nx);
    int k0 = clamp_cell((int)fv, nz), k1 = clamp_cell((int)fv + 1, nz);
    const float *r0 = h->view.data + (ptrdiff_t)h->view.stride * k0,
                *r1 = h->view.data + (ptrdiff_t)h->view.stride * k1;
    float y0 = r0[i0] + a * (r0[i1] - r0[i0]), y1 = r1[i0] + a * (r1[i1] - r1[i0]);
    return y0 + b * (y1 - y0);
}

// How far a point of the ray is above the field.
static float above(const Heights* h, const Ray* r, float t)
{
    TarnVec3 p = point_at(r, t);
    return p.y - height_at(h, p.x, p.z);
}

// Walks along the ray by half cells until it passes through the field, from either side. The faces where land is cut out
// count, too.
static float hit_heights(const Ray* r, const Heights* h, bool has_sides)
{
    const TarnFrameWater* w = h->water;
    float x1 = w->origin.x + w->dx * (float)w->height.nx;
    float z1 = w->origin.y + w->dx * (float)w->height.nz;
    float low = h->level, high = h->is_wall ? fmaxf(w->wall_top, h->level) : h->level;
    for (int k = 0; h->view.data && k < h->view.nz; ++k)
        for (int i = 0; i < h->view.nx; ++i) {
            float y = h->view.data[i + (ptrdiff_t)h->view.stride * k];
            if (fabsf(y) < 1e6f) low = fminf(low, y), high = fmaxf(high, y);
        }
    float slack = 1e-3f * w->dx;
    TarnVec3 lo = { w->origin.x, low - slack, w->origin.y }, hi = { x1, high + slack, z1 };
    float t = hit_box(r, lo, hi);
    if (!(t < INFINITY)) return INFINITY;
    float flat = sqrtf(r->along.x * r->along.x + r->along.z * r->along.z);
    float step = 0.5f * w->dx / fmaxf(flat, 0.05f), last = above(h, r, t);
    if (has_sides && t > 0.0f && last < 0.0f) return t;
    for (int n = 4 * (w->height.nx + w->height.nz) + 64; n > 0; --n) {
        float next = t + step, y = above(h, r, next);
        if ((y < 0.0f) != (last < 0.0f)) {
            for (int i = 0; i < 32; ++i) { // halves the step
                float middle = 0.5f * (t + next);
                if ((above(h, r, middle) < 0.0f) == (last < 0.0f))
                    t = middle;
                else
                    next = middle;
            }
            TarnVec3 p = point_at(r, next);
            bool is_in = p.x >= lo.x && p.x <= hi.x && p.z >= lo.z && p.z <= hi.z;
            return is_in ? next : INFINITY;
        }
        TarnVec3 p = point_at(r, next);
        if (p.x < lo.x || p.x > hi.x || p.z < lo.z || p.z > hi.z || p.y < lo.y - step) break;
        t = next;
        last = y;
    }
    return INFINITY;
}

static float hit_level(const Ray* r, float y)
{
    float t = r->along.y != 0.0f ? (y - r->from.y) / r->along.y : -1.0f;
    return t >= 0.0f ? t : INFINITY;
}

// ---- The nearest -----------------------------------------------------------------------------------------

typedef struct Search {
    const TarnViewer* viewer;
    Ray ray;
    TarnPick pick;
} Search;

static void offer(Search* s, float distance, const TarnPick* pick)
{
    if (!(distance < s->pick.distance)) return;
    s->pick = *pick;
    s->pick.distance = distance;
}

static void* solver_of(const TarnViewer* v, uint64_t owner)
{
    SolverView* const* solvers = v->solvers.data;
    for (int i = 0; i < v->n_solvers; ++i)
        if ((uint64_t)solvers[i]->number == owner) return solvers[i]->solver;
    return NULL;
}

// A body, one of its sails, a part of its trim, or a building.
static TarnPick pick_of_body(const TarnViewer* v, uint64_t key)
{
    const TarnBodies* bodies = tarn_world_bodies(v->world);
    for (int part = 0; part <= TARN_BODY_FOILS + TARN_SCENE_MAX_TRIM; ++part) {
        TarnBodyId id = { tarn__view_thing_key(key, part) };
        if (tarn_bodies_shape(bodies, id) != NULL)
            return (TarnPick){ .kind = TARN_PICK_BODY, .body = id };
    }
    for (int part = -2; part < 0; ++part)
        if (tarn__view_thing_key(key, part) < 0x10000)
            return (TarnPick){ .kind = TARN_PICK_GROUND };
    return (TarnPick){ .kind = TARN_PICK_BODY }; // that is gone by now
}

static TarnPick pick_of_solid(const TarnViewer* v, uint64_t key)
{
    const TarnSolids* solids = tarn_world_solids(v->world);
    for (int part = 0; part < 12; ++part) {
        TarnSolidId id = { tarn__view_thing_key(key, part) };
        TarnSolidDef def;
        if (tarn_solids_get(solids, id, &def) == TARN_OK)
            return (TarnPick){ .kind = TARN_PICK_SOLID, .solid = id };
    }
    return (TarnPick){ .kind = TARN_PICK_SOLID };
}

static void search_things(Search* s)
{
    const Layers* l = s->viewer->target;
    for (int i = 0; i < l->bodies.n; ++i) {
        float t = hit_thing(&s->ray, LAYER(TarnFrameBody, &l->bodies, i));
        if (!(t < s->pick.distance)) continue;
        TarnPick pick = pick_of_body(s->viewer, layer_owner(&l->bodies, i));
        offer(s, t, &pick);
    }
    for (int i = 0; i < l->solids.n; ++i) {
        float t = hit_thing(&s->ray, LAYER(TarnFrameBody, &l->solids, i));
        if (!(t < s->pick.distance)) continue;
        TarnPick pick = pick_of_solid(s->viewer, layer_owner(&l->solids, i));
        offer(s, t, &pick);
    }
}

static void search_water(Search* s, int n)
{
    const LayerList* waters = &s->viewer->target->waters;
    const TarnFrameWater* w = LAYER(TarnFrameWater, waters, n);
    bool is_land = w->land.ground.data != NULL;
    TarnPick pick = { .solver = solver_of(s->viewer, layer_owner(waters, n)) };
    Heights ground = { w, is_land ? w->land.ground : w->bed, w->bed_level,
                       is_land ? NULL : w->is_wall };
    if (ground.view.data) ground.level = ground.view.data[0];
    pick.kind = TARN_PICK_GROUND;
    offer(s, hit_heights(&s->ray, &ground, is_land && !w->land.has_sea), &pick);
    pick.kind = TARN_PICK_WATER;
    Heights surface = { w, w->height, w->height.data[0], NULL };
    float t = hit_heights(&s->ray, &surface, false);
    TarnVec3 p = t < INFINITY ? point_at(&s->ray, t) : (TarnVec3){ 0 };
    if (t < INFINITY && p.y > height_at(&ground, p.x, p.z)) offer(s, t, &pick);
    if (!is_land || !w->land.has_sea) return;
    t = hit_level(&s->ray, w->rest_level); // out at sea
    if (!(t < INFINITY)) return;
    p = point_at(&s->ray, t);
    float x = (p.x - w->origin.x) / w->dx, z = (p.z - w->origin.y) / w->dx;
    if (x < 0.0f || z < 0.0f || x > (float)w->height.nx || z > (float)w->height.nz)
        offer(s, t, &pick);
}

static void search_liquids(Search* s)
{
    const LayerList* liquids = &s->viewer->target->liquids;
    for (int n = 0; n < liquids->n; ++n) {
        const TarnFrameLiquid* l = LAYER(TarnFrameLiquid, liquids, n);
        float radius = (l->dimensions == 2 ? 0.75f : 0.6f) * l->spacing; // no gaps between
        TarnPick pick = { .kind = TARN_PICK_LIQUID,
                          .solver = solver_of(s->viewer, layer_owner(liquids, n)) };
        for (int i = 0; i < l->view.n; ++i) {
            TarnVec3 center = { l->view.x[i], l->view.y[i], l->view.z[i] };
            pick.particle = i;
            offer(s, hit_sphere(&s->ray, center, radius), &pick);
        }
    }
}

static void search_meshes(Search* s)
{
    const LayerList* meshes = &s->viewer->target->meshes;
    for (int n = 0; n < meshes->n; ++n) {
        const TarnMesh* m = LAYER(TarnFrameMesh, meshes, n)->mesh;
        TarnPick pick = { .kind = TARN_PICK_MESH,
                          .solver = solver_of(s->viewer, layer_owner(meshes, n)) };
        for (int i = 0; i < m->n_triangles; ++i) {
            const uint32_t* k = m->index + 3 * (size_t)i;
            offer(s, hit_triangle(&s->ray, m->position[k[0]], m->position[k[1]], m->position[k[2]]),
                  &pick);
        }
    }
}

// The painted ground of a 2-D scene, where the point lies inside of a solid.
static void search_painted(Search* s, TarnVec3 at)
{
    const LayerList* liquids = &s->viewer->target->liquids;
    for (int n = 0; n < liquids->n; ++n) {
        const TarnFrameLiquid* l = LAYER(TarnFrameLiquid, liquids, n);
        if (!l->solid.data) continue;
        int i = (int)lroundf((at.x - l->solid_origin.x) / l->solid_dx);
        int k = (int)lroundf((at.y - l->solid_origin.y) / l->solid_dx);
        if (i < 0 || k < 0 || i >= l->solid.nx || k >= l->solid.nz) continue;
        TarnPick pick = { .kind = TARN_PICK_GROUND };
        if (l->solid.data[i + (ptrdiff_t)l->solid.stride * k] < 0.0f) offer(s, FLT_MAX, &pick);
    }
}

// ---- The calls -------------------------------------------------------------------------------------------

TarnResult tarn_viewer_ray(const TarnViewer* v, float x, float y, TarnVec3* eye,
                           TarnVec3* direction)
{
    if (v == NULL) return TARN_ERR_ARG;
    if (!v->has_frame)
        return tarn__fail(v->ctx, TARN_ERR_ARG,
                          "viewer: there is no frame to look into; call "
                          "tarn_viewer_update first");
    if (!(x >= 0.0f && x <= 1.0f && y >= 0.0f && y <= 1.0f))
        return tarn__fail(v->ctx, TARN_ERR_ARG,
                          "viewer: (%g, %g) is not in the picture; allowed: 0 to 1", (double)x,
                          (double)y);
    const TarnCamera* c = &v->frame.camera;
    TarnVec3 f = unit(minus(c->target, c->eye));
    bool is_steep = fabsf(f.y) > 0.9995f; // as the renderer sees it
    TarnVec3 right = unit(cross(f, is_steep ? (TarnVec3){ 0, 0, -1 } : (TarnVec3){ 0, 1, 0 }));
    TarnVec3 up = cross(right, f);
    float tan_y = tanf(0.5f * c->fov), tan_x = tan_y * (float)v->def.width / (float)v->def.height;
    float a = (2.0f * x - 1.0f) * tan_x, b = (1.0f - 2.0f * y) * tan_y;
    if (eye) *eye = c->eye;
    if (direction)
        *direction = unit((TarnVec3){ f.x + a * right.x + b * up.x, f.y + a * right.y + b * up.y,
                                      f.z + a * right.z + b * up.z });
    return TARN_OK;
}

// In 2-D everything lies in the plane z = 0, and is seen head-on there.
static void search_flat(Search* s)
{
    Ray seen = s->ray;
    float plane = seen.along.z != 0.0f ? -seen.from.z / seen.along.z : -1.0f;
    if (!(plane >= 0.0f)) return;
    TarnVec3 at = point_at(&seen, plane);
    s->ray = (Ray){ { at.x, at.y, 1e3f }, { 0.0f, 0.0f, -1.0f } };
    search_things(s);
    search_liquids(s);
    search_painted(s, at);
    if (s->pick.kind != TARN_PICK_NONE) s->pick.distance = plane;
    s->ray = seen;
}

TarnResult tarn_viewer_pick(const TarnViewer* v, float x, float y, TarnPick* out)
{
    if (out != NULL) *out = (TarnPick){ .distance = INFINITY };
    if (v == NULL) return TARN_ERR_ARG;
    if (out == NULL) return tarn__fail(v->ctx, TARN_ERR_ARG, "tarn_viewer_pick: out is NULL");
    Search s = { .viewer = v, .pick = { .distance = INFINITY } };
    TARN_TRY(tarn_viewer_ray(v, x, y, &s.ray.from, &s.ray.along));
    if (tarn__view_is_flat(v->target)) {
        search_flat(&s);
    } else {
        search_things(&s);
        for (int i = 0; i < v->target->waters.n; ++i) search_water(&s, i);
        search_liquids(&s);
        search_meshes(&s);
        bool has_floor = v->target->waters.n == 0 && !v->has_sea && !v->frame.sky.hides_floor;
        TarnPick sea = { .kind = TARN_PICK_WATER };
        if (v->has_sea) offer(&s, hit_level(&s.ray, v->sea.level), &sea); // calm
        TarnPick floor = { .kind = TARN_PICK_GROUND };
        if (has_floor) offer(&s, hit_level(&s.ray, v->frame.box_min.y), &floor);
    }
    if (s.pick.kind != TARN_PICK_NONE) s.pick.position = point_at(&s.ray, s.pick.distance);
    *out = s.pick;
    return TARN_OK;
}
