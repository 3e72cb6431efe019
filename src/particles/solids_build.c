// Solids: what a def may hold, and the shape that is made of it.
//
// Everything is checked before anything is written; arrays go to the free end of the shape memory,
// which also serves as scratch for meshes. Checked: tests/unit/test_solids.c.

#include "particles/solids_parts.h"
#include "base/def.h"
#include "base/param.h"

static const char* const kind_names[] = { "sphere",   "box",      "capsule", "convex", "mesh",
                                          "distance", "function", "terrain", NULL };
static const char* const touch_names[] = { "bounce", "stick", "kill", NULL };

#define D TarnSolidDef
static const TarnParam solid_params[] = {
    P_ENUM(D, kind, kind_names, 8, TARN_SOLID_BOX, "Shape."),
    P_VEC3(D, size, "m", 0, 1e6, 0.5, 0.5, 0.5,
           "Half extents of a box; radius of a sphere in x; radius and half length of a capsule in "
           "x and y."),
    P_BOOL(D, is_inside_out, 0, "Solid is what lies outside of the shape: a tank, a bowl."),
    P_FLOAT(D, friction, "", 0, 1, 0.1, "0 slides freely, 1 does not slip."),
    P_FLOAT(D, restitution, "", 0, 1, 0.2,
            "Share of the speed that particles keep when they bounce."),
    P_ENUM(D, touch, touch_names, 3, TARN_TOUCH_BOUNCE, "What happens to a particle that touches."),
    P_FLOAT(D, thickness, "m", 0, 1e3, 0, "Of an open mesh, to both sides."),
    P_FLOAT(D, dx, "m", 1e-4, 1e4, 0.1, "Distance of the values of a distance grid or a terrain."),
    P_VEC3(D, origin, "m", -1e6, 1e6, 0, 0, 0,
           "First value of a distance grid; corner of a terrain in x and z."),
    P_FLOAT(D, radius, "m", 1e-4, 1e6, 1, "Sphere around the position that holds a function."),
};
#undef D
static const TarnParamTable solid_table = PARAM_TABLE("solid", TarnSolidDef, solid_params);

static const TarnParam solids_params[] = {
    P_INT(TarnSolidsDef, max_solids, "", 1, 4096, 64, "How many solids the set can hold."),
};
static const TarnParamTable solids_table = PARAM_TABLE("solids", TarnSolidsDef, solids_params);

static const TarnParam motion_params[] = {
    P_VEC3(TarnMotion, position, "m", -1e6, 1e6, 0, 0, 0, "Position."),
    P_VEC3(TarnMotion, velocity, "m/s", -1000, 1000, 0, 0, 0, "Velocity."),
    P_VEC3(TarnMotion, angular_velocity, "rad/s", -200, 200, 0, 0, 0, "Angular velocity."),
};
static const TarnParamTable motion_table = PARAM_TABLE("motion", TarnMotion, motion_params);

const TarnParamTable* tarn_solid_def_table(void)
{
    return &solid_table;
}
const TarnParamTable* tarn__solids_table(void)
{
    return &solids_table;
}

void tarn_solids_init_def(TarnSolidsDef* out, size_t size)
{
    TarnSolidsDef def = { .shape_memory = 4u << 20 };
    tarn_param_defaults(&solids_table, &def);
    TARN_INIT_DEF(TarnSolidsDef, out, size, &def);
}

void tarn_solid_init_def(TarnSolidDef* out, size_t size)
{
    TarnSolidDef def = { 0 };
    tarn_param_defaults(&solid_table, &def);
    def.motion.rotation.w = 1.0f;
    TARN_INIT_DEF(TarnSolidDef, out, size, &def);
}

TarnResult tarn__solid_check_motion(TarnContext* ctx, const TarnMotion* motion)
{
    if (motion == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "motion: NULL; give a motion");
    TARN_TRY(tarn_param_validate(ctx, &motion_table, motion));
    TarnQuat q = motion->rotation;
    const float c[4] = { q.x, q.y, q.z, q.w };
    float most = 0.0f;
    for (int i = 0; i < 4; ++i) most = tarn_maxf(most, fabsf(c[i]));
    if (tarn__all_within(c, 4, 1e18f) && most > 1e-18f) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "motion.rotation: (%g, %g, %g, %g) is no rotation; give a quaternion of "
                      "length 1, (0, 0, 0, 1) for none",
                      (double)q.x, (double)q.y, (double)q.z, (double)q.w);
}

static TarnResult no_room(TarnSolids* set, size_t needed)
{
    return tarn__fail(set->ctx, TARN_ERR_CAPACITY,
                      "the shape needs %zu bytes, %zu of shape_memory are left; raise "
                      "solids.shape_memory to %zu or more",
                      needed, set->def.shape_memory - set->shapes_used, set->shapes_used + needed);
}

static size_t room_left(const TarnSolids* set)
{
    return set->def.shape_memory - set->shapes_used;
}

static void set_bounds(Solid* s, TarnVec3 low, TarnVec3 high)
{
    s->low = low;
    s->high = high;
}

// ---- Plain shapes -------------------------------------------------------------------------------

static TarnResult check_size(TarnContext* ctx, float value, const char* name, float least)
{
    if (value >= least) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "solid.size.%s: %g m is out of range; allowed: %g to 1e6 m", name,
                      (double)value, (double)least);
}

static TarnResult build_plain(TarnContext* ctx, const TarnSolidDef* def, Solid* s)
{
    TarnVec3 size = def->size;
    TARN_TRY(check_size(ctx, size.x, "x", 1e-5f));
    if (def->kind == TARN_SOLID_BOX) {
        TARN_TRY(check_size(ctx, size.y, "y", 1e-5f));
        TARN_TRY(check_size(ctx, size.z, "z", 1e-5f));
    } else {
        float y = def->kind == TARN_SOLID_CAPSULE ? size.y + size.x : size.x;
        size = (TarnVec3){ size.x, y, size.x };
    }
    set_bounds(s, vec3_scale(size, -1.0f), size);
    return TARN_OK;
}

// ---- Convex -------------------------------------------------------------------------------------

// The part of the line in which planes i and k meet that lies in all the others. False: none.
static bool find_edge(const TarnPlane* planes, int n, int i, int k, SolidEdge* out)
{
    TarnVec3 a = planes[i].normal, b = planes[k].normal, u = vec3_cross(a, b);
    double u2 = (double)u.x * u.x + (double)u.y * u.y + (double)u.z * u.z;
    if (!(u2 > 1e-8)) return false; // parallel
    TarnVec3 ub = vec3_cross(b, u), ua = vec3_cross(u, a);
    double oa = planes[i].offset / u2, ob = planes[k].offset / u2, l = sqrt(u2);
    double p[3] = { oa * ub.x + ob * ua.x, oa * ub.y + ob * ua.y, oa * ub.z + ob * ua.z };
    double d[3] = { u.x / l, u.y / l, u.z / l }, lo = -1e6, hi = 1e6;
    double slack = 1e-6 * (fabs(p[0]) + fabs(p[1]) + fabs(p[2])) + 1e-7;
    for (int m = 0; m < n; ++m) {
        if (m == i || m == k) continue;
        TarnVec3 c = planes[m].normal;
        double gap = planes[m].offset - (c.x * p[0] + c.y * p[1] + c.z * p[2]);
        double rate = c.x * d[0] + c.y * d[1] + c.z * d[2];
        if (fabs(rate) < 1e-6) {
            if (gap < -slack) return false;
        } else if (rate > 0.0) {
            hi = gap / rate < hi ? gap / rate : hi;
        } else {
            lo = gap / rate > lo ? gap / rate : lo;
        }
    }
    if (!(hi - lo > slack)) return false;
    out->point = (TarnVec3){ (float)p[0], (float)p[1], (float)p[2] };
    out->along = (TarnVec3){ (float)d[0], (float)d[1], (float)d[2] };
    out->low = (float)lo;
    out->high = (float)hi;
    return true;
}

static int find_edges(const TarnPlane* planes, int n, SolidEdge* out)
{
    int count = 0;
    SolidEdge edge;
    for (int i = 0; i < n; ++i) {
        for (int k = i + 1; k < n; ++k) {
            if (!find_edge(planes, n, i, k, &edge)) continue;
            if (out != NULL) out[count] = edge;
            ++count;
        }
    }
    return count;
}

// Whether a point satisfies all planes, by going back to the worst one again and again.
static bool has_inside(const TarnPlane* planes, int n)
{
    double p[3] = { 0.0, 0.0, 0.0 }, worst = 0.0, size = 0.0;
    for (int round = 0; round < 2000; ++round) {
        int which = -1;
        worst = 1e-6 * (1.0 + size);
        for (int i = 0; i < n; ++i) {
            TarnVec3 a = planes[i].normal;
            double over = a.x * p[0] + a.y * p[1] + a.z * p[2] - planes[i].offset;
            if (over > worst) worst = over, which = i;
        }
        if (which < 0) return true;
        p[0] -= planes[which].normal.x * worst;
        p[1] -= planes[which].normal.y * worst;
        p[2] -= planes[which].normal.z * worst;
        size = fabs(p[0]) + fabs(p[1]) + fabs(p[2]);
    }
    return false;
}

static TarnResult normalize_planes(TarnContext* ctx, const TarnSolidDef* def, TarnPlane* planes)
{
    if (def->planes == NULL || def->n_planes < 1 || def->n_planes > MAX_PLANES) {
        return tarn__fail(ctx, TARN_ERR_ARG, "solid.n_planes: %d%s; a convex takes 1 to %d planes",
                          def->n_planes, def->planes ? "" : " and planes is NULL", MAX_PLANES);
    }
    for (int i = 0; i < def->n_planes; ++i) {
        TarnPlane p = def->planes[i];
        double l = vec3__length(p.normal);
        bool is_good = tarn__is_finite3(p.normal) && tarn__is_finite(p.offset) && l > 1e-12 &&
                       fabs(p.offset) <= 1e6 * l;
        if (!is_good) {
            return tarn__fail(ctx, TARN_ERR_ARG,
                              "solid.planes[%d]: normal (%g, %g, %g), offset %g is no plane within "
                              "1e6 m; give a normal that is not 0",
                              i, (double)p.normal.x, (double)p.normal.y, (double)p.normal.z,
                              (double)p.offset);
        }
        planes[i] = (TarnPlane){ vec3_normalize(p.normal), (float)(p.offset / l) };
    }
    return TARN_OK;
}

static void bound_convex(Solid* s)
{
    TarnVec3 low = { solid_far, solid_far, solid_far };
    TarnVec3 high = { -solid_far, -solid_far, -solid_far };
    bool is_bounded = s->n_edges >= 6;
    for (int e = 0; e < s->n_edges; ++e) {
        const SolidEdge* edge = &s->edges[e];
        const TarnVec3 ends[2] = { vec3_add(edge->point, vec3_scale(edge->along, edge->low)),
                                   vec3_add(edge->point, vec3_scale(edge->along, edge->high)) };
        for (int i = 0; i < 2; ++i) {
            low.x = tarn_minf(low.x, ends[i].x), high.x = tarn_maxf(high.x, ends[i].x);
            low.y = tarn_minf(low.y, ends[i].y), high.y = tarn_maxf(high.y, ends[i].y);
            low.z = tarn_minf(low.z, ends[i].z), high.z = tarn_maxf(high.z, ends[i].z);
            is_bounded = is_bounded && vec3_length(ends[i]) < 0.9e6f;
        }
    }
    if (is_bounded) set_bounds(s, low, high);
}

static TarnResult build_convex(TarnSolids* set, const TarnSolidDef* def, Solid* s)
{
    TarnPlane planes[MAX_PLANES];
    TARN_TRY(normalize_planes(set->ctx, def, planes));
    int n_edges = find_edges(planes, def->n_planes, NULL);
    if (n_edges == 0 && !has_inside(planes, def->n_planes)) {
        return tarn__fail(set->ctx, TARN_ERR_ARG,
                          "solid.planes: no point lies behind all %d planes; turn the normals so "
                          "that they point out of the solid",
                          def->n_planes);
    }
    TarnLayout l = { 0 };
    tarn__layout_add(&l, (size_t)def->n_planes * sizeof(TarnPlane));
    tarn__layout_add(&l, (size_t)n_edges * sizeof(SolidEdge));
    if (l.size > room_left(set)) return no_room(set, l.size);
    s->data_size = l.size;
    s->n_edges = n_edges;
    tarn__solid_bind(set, s);
    memcpy(set->shapes + s->data, planes, (size_t)def->n_planes * sizeof(TarnPlane));
    find_edges(planes, def->n_planes, (SolidEdge*)(uintptr_t)s->edges);
    bound_convex(s);
    return TARN_OK;
}

// ---- Meshes, grids, functions, terrain ----------------------------------------------------------

static TarnResult build_mesh(TarnSolids* set, const TarnSolidDef* def, Solid* s)
{
    enum { MOST = 1 << 24 };
    if (def->points == NULL || def->n_points < 3 || def->n_points > MOST ||
        def->triangles == NULL || def->n_triangles < 1 || def->n_triangles > MOST) {
        return tarn__fail(set->ctx, TARN_ERR_ARG,
                          "solid: a mesh of %d points and %d triangles; give 3 to %d points and 1 "
                          "to %d triangles, and both arrays",
                          def->n_points, def->n_triangles, MOST, MOST);
    }
    if (!tarn__all_within(def->points, 3 * (size_t)def->n_points, 1e6f))
        return tarn__fail(set->ctx, TARN_ERR_DATA,
                          "solid.points: holds a NaN or a coordinate beyond +-1e6 m");
    for (int i = 0; i < 3 * def->n_triangles; ++i) {
        if (def->triangles[i] >= 0 && def->triangles[i] < def->n_points) continue;
        return tarn__fail(set->ctx, TARN_ERR_DATA,
                          "solid.triangles[%d]: %d is no point; allowed: 0 to %d", i,
                          def->triangles[i], def->n_points - 1);
    }
    size_t size = tarn__mesh_size(def->n_points, def->n_triangles);
    size_t scratch = tarn__mesh_scratch(def->n_points, def->n_triangles);
    if (size + scratch > room_left(set)) return no_room(set, size + scratch);
    s->data_size = size;
    TARN_TRY(tarn__mesh_build(set->ctx, def, set->shapes + s->data, s));
    if (!s->is_closed) {
        TarnVec3 t = { def->thickness, def->thickness, def->thickness };
        set_bounds(s, vec3_sub(s->low, t), vec3_add(s->high, t));
    }
    return TARN_OK;
}

static TarnResult build_grid(TarnSolids* set, const TarnSolidDef* def, Solid* s)
{
    bool is_sized = def->nx >= 2 && def->ny >= 2 && def->nz >= 2 && def->nx <= 4096 &&
                    def->ny <= 4096 && def->nz <= 4096;
    if (!is_sized || def->distances == NULL) {
        return tarn__fail(
            set->ctx, TARN_ERR_ARG,
            "solid.nx, ny, nz: %d x %d x %d%s; a distance grid takes 2 to 4096 values "
            "each way",
            def->nx, def->ny, def->nz, def->distances ? "" : ", distances is NULL");
    }
    size_t n = (size_t)def->nx * (size_t)def->ny * (size_t)def->nz;
    if (!tarn__all_within(def->distances, n, 1e6f))
        return tarn__fail(set->ctx, TARN_ERR_DATA,
                          "solid.distances: holds a NaN or a distance beyond +-1e6 m");
    TarnLayout l = { 0 };
    tarn__layout_add(&l, n * sizeof(float));
    if (l.size > room_left(set)) return no_room(set, l.size);
    s->data_size = l.size;
    tarn__solid_bind(set, s);
    memcpy(set->shapes + s->data, def->distances, n * sizeof(float));
    TarnVec3 size = { (float)(def->nx - 1) * def->dx, (float)(def->ny - 1) * def->dx,
                      (float)(def->nz - 1) * def->dx };
    set_bounds(s, def->origin, vec3_add(def->origin, size));
    return TARN_OK;
}

static TarnResult build_function(TarnContext* ctx, const TarnSolidDef* def, Solid* s)
{
    if (def->distance == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "solid.distance: NULL; give the function");
    TarnVec3 r = { def->radius, def->radius, def->radius };
    set_bounds(s, vec3_scale(r, -1.0f), r);
    return TARN_OK;
}

static TarnResult check_terrain(TarnContext* ctx, const TarnSolidDef* def)
{
    TarnView2 v = def->heights;
    if (v.data == NULL || v.nx < 2 || v.nz < 2 || v.nx > 16384 || v.nz > 16384 || v.stride < v.nx) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "solid.heights: %d x %d values, stride %d%s; give 2 to 16384 values each "
                          "way and a stride of at least nx",
                          v.nx, v.nz, v.stride, v.data ? "" : ", data is NULL");
    }
    if (def->is_inside_out) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "solid.is_inside_out: a terrain has no inside; turn its motion for a "
                          "ceiling");
    }
    for (int k = 0; k < v.nz; ++k) {
        if (tarn__all_within(v.data + (size_t)k * (size_t)v.stride, (size_t)v.nx, 1e6f)) continue;
        return tarn__fail(ctx, TARN_ERR_DATA,
                          "solid.heights: row %d holds a NaN or a height beyond +-1e6 m", k);
    }
    return TARN_OK;
}

// ---- All ----------------------------------------------------------------------------------------

void tarn__solid_bind(TarnSolids* set, Solid* s)
{
    char* data = set->shapes + s->data;
    if (s->def.kind == TARN_SOLID_CONVEX) {
        TarnLayout l = { 0 };
        tarn__layout_add(&l, (size_t)s->def.n_planes * sizeof(TarnPlane));
        s->def.planes = (const TarnPlane*)data;
        s->edges = (const SolidEdge*)(data + l.size);
    }
    if (s->def.kind == TARN_SOLID_MESH) tarn__mesh_bind(data, s);
    if (s->def.kind == TARN_SOLID_DISTANCE) s->def.distances = (const float*)data;
}

static TarnResult build_shape(TarnSolids* set, const TarnSolidDef* def, Solid* s)
{
    switch (def->kind) {
    case TARN_SOLID_CONVEX:
        return build_convex(set, def, s);
    case TARN_SOLID_MESH:
        return build_mesh(set, def, s);
    case TARN_SOLID_DISTANCE:
        return build_grid(set, def, s);
    case TARN_SOLID_FUNCTION:
        return build_function(set->ctx, def, s);
    case TARN_SOLID_TERRAIN:
        return check_terrain(set->ctx, def);
    default:
        return build_plain(set->ctx, def, s);
    }
}

// All that does not change about a solid. Of functions and terrain only what is copied.
static uint64_t hash_shape(const TarnSolids* set, const Solid* s)
{
    const TarnSolidDef* d = &s->def;
    const int32_t counts[] = { d->n_planes, d->n_points, d->n_triangles, d->nx,
                               d->ny,       d->nz,       d->heights.nx,  d->heights.nz };
    uint64_t hash = tarn__param_hash(&solid_table, d, d->user);
    hash = tarn_hash(counts, sizeof counts, hash);
    return tarn_hash(set->shapes + s->data, s->data_size, hash);
}

// Leaves what a kind does not use out of the copy, so that nothing points where it may not.
static void keep_own(TarnSolidDef* d)
{
    TarnSolidDef own = *d;
    if (d->kind != TARN_SOLID_CONVEX) own.n_planes = 0;
    if (d->kind != TARN_SOLID_MESH) own.n_points = own.n_triangles = 0;
    if (d->kind != TARN_SOLID_DISTANCE) own.nx = own.ny = own.nz = 0;
    if (d->kind != TARN_SOLID_FUNCTION) own.distance = NULL, own.distance_user = NULL;
    if (d->kind != TARN_SOLID_TERRAIN) own.heights = (TarnView2){ 0 };
    own.planes = NULL;
    own.points = NULL;
    own.triangles = NULL;
    own.distances = NULL;
    *d = own;
}

TarnResult tarn__solid_build(TarnSolids* set, const TarnSolidDef* def, Solid* out)
{
    TARN_TRY(TARN_CHECK_DEF(set->ctx, "solid", "tarn/solids.h", TarnSolidDef,
                            tarn_solid_default_def, def));
    TARN_TRY(tarn_param_validate(set->ctx, &solid_table, def));
    TARN_TRY(tarn__solid_check_motion(set->ctx, &def->motion));
    Solid s = { .def = *def, .data = set->shapes_used };
    keep_own(&s.def);
    set_bounds(&s, (TarnVec3){ -solid_far, -solid_far, -solid_far },
               (TarnVec3){ solid_far, solid_far, solid_far });
    TARN_TRY(build_shape(set, def, &s));
    if (def->is_inside_out) {
        set_bounds(&s, (TarnVec3){ -solid_far, -solid_far, -solid_far },
                   (TarnVec3){ solid_far, solid_far, solid_far });
    }
    double x = tarn_maxf(fabsf(s.low.x), fabsf(s.high.x));
    double y = tarn_maxf(fabsf(s.low.y), fabsf(s.high.y));
    double z = tarn_maxf(fabsf(s.low.z), fabsf(s.high.z));
    s.reach = (float)sqrt(x * x + y * y + z * z);
    if (def->kind == TARN_SOLID_SPHERE && !def->is_inside_out) s.reach = def->size.x;
    if (s.reach > 1e15f) s.reach = solid_far;
    s.shape_hash = hash_shape(set, &s);
    *out = s;
    return TARN_OK;
}
