// Solids: what a def may hold, and the shape that is made of it.
//
// Everything is checked before anything is written; arrays go to the free end of the shape memory,
// which also serves as scratch for meshes. Checked: tests/unit/test_solids.c.

#include "particles/solids_parts.h"
#include "base/def.h"
#include "base/shape.h"

static const char* const touch_names[] = { "bounce", "stick", "kill", NULL };

#define D TarnSolidDef
static const TarnParam solid_params[] = {
    P_SHAPE(D, SHAPES_OF_SOLIDS, TARN_SHAPE_BOX, "Shape."),
    P_SHAPE_SIZE(D, 1e6, 0.5, 0.5, 0.5,
                 "Half extents of a box; radius of a sphere in x; radius and half length of a "
                 "capsule or cylinder in x and y."),
    P_BOOL(D, is_inside_out, 0, "Solid is what lies outside of the shape: a tank, a bowl."),
    P_FLOAT(D, friction, "", 0, 1, 0.1, "0 slides freely, 1 does not slip."),
    P_FLOAT(D, restitution, "", 0, 1, 0.2,
            "Share of the speed that particles keep when they bounce."),
    P_ENUM(D, touch, touch_names, 3, TARN_TOUCH_BOUNCE, "What happens to a particle that touches."),
    P_FLOAT_IN(D, shape, thickness, "m", 0, 1e3, 0, "Of an open mesh, to both sides."),
    P_FLOAT_IN(D, shape, dx, "m", 0, 1e4, 0.1,
               "Distance of the values of a distance grid or a terrain, at least 1e-4."),
    P_VEC3_IN(D, shape, origin, "m", -1e6, 1e6, 0, 0, 0,
              "First value of a distance grid; corner of a terrain in x and z."),
    P_FLOAT_IN(D, shape, radius, "m", 0, 1e6, 1,
               "Sphere around the position that holds a function, at least 1e-4."),
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

// The free end of the shape memory. Its bytes may be those of a shape that has gone, and what lies between
// arrays is part of the hash.
static TarnResult take_room(TarnSolids* set, Solid* s, size_t size, size_t scratch)
{
    if (size + scratch > room_left(set)) return no_room(set, size + scratch);
    s->data_size = size;
    memset(set->shapes + s->data, 0, size);
    return TARN_OK;
}

// ---- Lengths ------------------------------------------------------------------------------------

// What a field of the shape must be at least for its kind.
static TarnResult check_least(TarnContext* ctx, const char* name, float value)
{
    if (value >= 1e-4f) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "solid.shape.%s: %g m is out of range; allowed: 1e-4 m and more", name,
                      (double)value);
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
    if (def->shape.planes == NULL || def->shape.n_planes < 1 || def->shape.n_planes > MAX_PLANES) {
        return tarn__fail(
            ctx, TARN_ERR_ARG, "solid.shape.n_planes: %d%s; a convex takes 1 to %d planes",
            def->shape.n_planes, def->shape.planes ? "" : " and planes is NULL", MAX_PLANES);
    }
    for (int i = 0; i < def->shape.n_planes; ++i) {
        TarnPlane p = def->shape.planes[i];
        double l = vec3__length(p.normal);
        bool is_good = tarn__is_finite3(p.normal) && tarn__is_finite(p.offset) && l > 1e-12 &&
                       fabs(p.offset) <= 1e6 * l;
        if (!is_good) {
            return tarn__fail(
                ctx, TARN_ERR_ARG,
                "solid.shape.planes[%d]: normal (%g, %g, %g), offset %g is no plane within "
                "1e6 m; give a normal that is not 0",
                i, (double)p.normal.x, (double)p.normal.y, (double)p.normal.z, (double)p.offset);
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

static size_t convex_size(int n_planes, int n_edges)
{
    TarnLayout l = { 0 };
    tarn__layout_add(&l, (size_t)n_planes * sizeof(TarnPlane));
    tarn__layout_add(&l, (size_t)n_edges * sizeof(SolidEdge));
    return l.size;
}

static TarnResult build_convex(TarnSolids* set, const TarnSolidDef* def, Solid* s)
{
    TarnPlane planes[MAX_PLANES];
    TARN_TRY(normalize_planes(set->ctx, def, planes));
    int n_edges = find_edges(planes, def->shape.n_planes, NULL);
    if (n_edges == 0 && !has_inside(planes, def->shape.n_planes)) {
        return tarn__fail(
            set->ctx, TARN_ERR_ARG,
            "solid.shape.planes: no point lies behind all %d planes; turn the normals so "
            "that they point out of the solid",
            def->shape.n_planes);
    }
    TARN_TRY(take_room(set, s, convex_size(def->shape.n_planes, n_edges), 0));
    s->n_edges = n_edges;
    tarn__solid_bind(set, s);
    memcpy(set->shapes + s->data, planes, (size_t)def->shape.n_planes * sizeof(TarnPlane));
    find_edges(planes, def->shape.n_planes, (SolidEdge*)(uintptr_t)s->edges);
    return TARN_OK;
}

// ---- Meshes, grids, functions, terrain ----------------------------------------------------------

enum { MESH_MOST = 1 << 24 };

static bool is_mesh_sized(const TarnSolidDef* def)
{
    return def->shape.n_points >= 3 && def->shape.n_points <= MESH_MOST &&
           def->shape.n_triangles >= 1 && def->shape.n_triangles <= MESH_MOST;
}

static TarnResult build_mesh(TarnSolids* set, const TarnSolidDef* def, Solid* s)
{
    if (def->shape.points == NULL || def->shape.triangles == NULL || !is_mesh_sized(def)) {
        return tarn__fail(set->ctx, TARN_ERR_ARG,
                          "solid: a mesh of %d points and %d triangles; give 3 to %d points and 1 "
                          "to %d triangles, and both arrays",
                          def->shape.n_points, def->shape.n_triangles, MESH_MOST, MESH_MOST);
    }
    if (!tarn__all_within(def->shape.points, 3 * (size_t)def->shape.n_points, 1e6f))
        return tarn__fail(set->ctx, TARN_ERR_DATA,
                          "solid.shape.points: holds a NaN or a coordinate beyond +-1e6 m");
    for (int i = 0; i < 3 * def->shape.n_triangles; ++i) {
        if (def->shape.triangles[i] >= 0 && def->shape.triangles[i] < def->shape.n_points) continue;
        return tarn__fail(set->ctx, TARN_ERR_DATA,
                          "solid.shape.triangles[%d]: %d is no point; allowed: 0 to %d", i,
                          def->shape.triangles[i], def->shape.n_points - 1);
    }
    size_t size = tarn__mesh_size(def->shape.n_points, def->shape.n_triangles);
    size_t scratch = tarn__mesh_scratch(def->shape.n_points, def->shape.n_triangles);
    TARN_TRY(take_room(set, s, size, scratch));
    return tarn__mesh_build(set->ctx, def, set->shapes + s->data, s);
}

static bool is_grid_sized(const TarnSolidDef* def)
{
    return def->shape.nx >= 2 && def->shape.ny >= 2 && def->shape.nz >= 2 &&
           def->shape.nx <= 4096 && def->shape.ny <= 4096 && def->shape.nz <= 4096;
}

static size_t grid_values(const TarnSolidDef* def)
{
    return (size_t)def->shape.nx * (size_t)def->shape.ny * (size_t)def->shape.nz;
}

static size_t grid_size(const TarnSolidDef* def)
{
    TarnLayout l = { 0 };
    tarn__layout_add(&l, grid_values(def) * sizeof(float));
    return l.size;
}

static TarnResult build_grid(TarnSolids* set, const TarnSolidDef* def, Solid* s)
{
    if (!is_grid_sized(def) || def->shape.distances == NULL) {
        return tarn__fail(
            set->ctx, TARN_ERR_ARG,
            "solid.shape.nx, ny, nz: %d x %d x %d%s; a distance grid takes 2 to 4096 values "
            "each way",
            def->shape.nx, def->shape.ny, def->shape.nz,
            def->shape.distances ? "" : ", distances is NULL");
    }
    size_t n = grid_values(def);
    TARN_TRY(check_least(set->ctx, "dx", def->shape.dx));
    if (!tarn__all_within(def->shape.distances, n, 1e6f))
        return tarn__fail(set->ctx, TARN_ERR_DATA,
                          "solid.shape.distances: holds a NaN or a distance beyond +-1e6 m");
    TARN_TRY(take_room(set, s, grid_size(def), 0));
    tarn__solid_bind(set, s);
    memcpy(set->shapes + s->data, def->shape.distances, n * sizeof(float));
    return TARN_OK;
}

static TarnResult check_function(TarnContext* ctx, const TarnSolidDef* def)
{
    if (def->shape.distance == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "solid.shape.distance: NULL; give the function");
    return check_least(ctx, "radius", def->shape.radius);
}

static TarnResult check_terrain(TarnContext* ctx, const TarnSolidDef* def)
{
    TarnView2 v = def->shape.heights;
    if (v.data == NULL || v.nx < 2 || v.nz < 2 || v.nx > 16384 || v.nz > 16384 || v.stride < v.nx) {
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "solid.shape.heights: %d x %d values, stride %d%s; give 2 to 16384 values each "
            "way and a stride of at least nx",
            v.nx, v.nz, v.stride, v.data ? "" : ", data is NULL");
    }
    TARN_TRY(check_least(ctx, "dx", def->shape.dx));
    if (def->is_inside_out) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "solid.is_inside_out: a terrain has no inside; turn its motion for a "
                          "ceiling");
    }
    for (int k = 0; k < v.nz; ++k) {
        if (tarn__all_within(v.data + (size_t)k * (size_t)v.stride, (size_t)v.nx, 1e6f)) continue;
        return tarn__fail(ctx, TARN_ERR_DATA,
                          "solid.shape.heights: row %d holds a NaN or a height beyond +-1e6 m", k);
    }
    return TARN_OK;
}

// ---- All ----------------------------------------------------------------------------------------

void tarn__solid_bind(TarnSolids* set, Solid* s)
{
    char* data = set->shapes + s->data;
    if (s->def.shape.kind == TARN_SHAPE_CONVEX) {
        TarnLayout l = { 0 };
        tarn__layout_add(&l, (size_t)s->def.shape.n_planes * sizeof(TarnPlane));
        s->def.shape.planes = (const TarnPlane*)data;
        s->edges = (const SolidEdge*)(data + l.size);
    }
    if (s->def.shape.kind == TARN_SHAPE_MESH) tarn__mesh_bind(data, s);
    if (s->def.shape.kind == TARN_SHAPE_DISTANCE) s->def.shape.distances = (const float*)data;
}

static TarnResult build_shape(TarnSolids* set, const TarnSolidDef* def, Solid* s)
{
    switch (def->shape.kind) {
    case TARN_SHAPE_CONVEX:
        return build_convex(set, def, s);
    case TARN_SHAPE_MESH:
        return build_mesh(set, def, s);
    case TARN_SHAPE_DISTANCE:
        return build_grid(set, def, s);
    case TARN_SHAPE_FUNCTION:
        return check_function(set->ctx, def);
    case TARN_SHAPE_TERRAIN:
        return check_terrain(set->ctx, def);
    default:
        return tarn__shape_check_size(set->ctx, "solid", &def->shape, 1e-5f, 1e6f);
    }
}

// All that does not change about a solid. Of functions and terrain only what is copied.
static uint64_t hash_shape(const TarnSolids* set, const Solid* s)
{
    const TarnSolidDef* d = &s->def;
    const int32_t counts[] = { d->shape.n_planes,   d->shape.n_points,  d->shape.n_triangles,
                               d->shape.nx,         d->shape.ny,        d->shape.nz,
                               d->shape.heights.nx, d->shape.heights.nz };
    uint64_t hash = tarn__param_hash(&solid_table, d, d->user);
    hash = tarn_hash(counts, sizeof counts, hash);
    return tarn_hash(set->shapes + s->data, s->data_size, hash);
}

void tarn__solid_keep_own(TarnSolidDef* d)
{
    TarnShape own = d->shape;
    if (own.kind != TARN_SHAPE_CONVEX) own.n_planes = 0;
    if (own.kind != TARN_SHAPE_MESH) own.n_points = own.n_triangles = 0;
    if (own.kind != TARN_SHAPE_DISTANCE) own.nx = own.ny = own.nz = 0;
    if (own.kind != TARN_SHAPE_FUNCTION) own.distance = NULL, own.user = NULL;
    if (own.kind != TARN_SHAPE_TERRAIN) own.heights = (TarnView2){ 0 };
    own.planes = NULL;
    own.points = NULL;
    own.triangles = NULL;
    own.distances = NULL;
    own.span = NULL;
    own.volume = 0.0f;
    own.solid = 0;
    d->shape = own;
}

TarnResult tarn__solid_build(TarnSolids* set, const TarnSolidDef* def, Solid* out)
{
    TARN_TRY(TARN_CHECK_DEF(set->ctx, "solid", "tarn/solids.h", TarnSolidDef,
                            tarn_solid_default_def, def));
    TARN_TRY(tarn_param_validate(set->ctx, &solid_table, def));
    TARN_TRY(tarn__solid_check_motion(set->ctx, &def->motion));
    Solid s = { .def = *def, .data = set->shapes_used };
    tarn__solid_keep_own(&s.def);
    TARN_TRY(build_shape(set, def, &s));
    tarn__solid_finish(set, &s);
    *out = s;
    return TARN_OK;
}

static void find_bounds(Solid* s)
{
    const TarnSolidDef* d = &s->def;
    TarnVec3 half = { d->shape.radius, d->shape.radius, d->shape.radius };
    set_bounds(s, (TarnVec3){ -solid_far, -solid_far, -solid_far },
               (TarnVec3){ solid_far, solid_far, solid_far });
    switch (d->shape.kind) {
    case TARN_SHAPE_CONVEX:
        bound_convex(s);
        return;
    case TARN_SHAPE_MESH:
        tarn__mesh_finish(s);
        half = (TarnVec3){ d->shape.thickness, d->shape.thickness, d->shape.thickness };
        if (!s->is_closed) set_bounds(s, vec3_sub(s->low, half), vec3_add(s->high, half));
        return;
    case TARN_SHAPE_DISTANCE:
        half = (TarnVec3){ (float)(d->shape.nx - 1) * d->shape.dx,
                           (float)(d->shape.ny - 1) * d->shape.dx,
                           (float)(d->shape.nz - 1) * d->shape.dx };
        set_bounds(s, d->shape.origin, vec3_add(d->shape.origin, half));
        return;
    case TARN_SHAPE_TERRAIN:
        return;
    default:
        if (d->shape.kind != TARN_SHAPE_FUNCTION) half = tarn__shape_extent(&d->shape);
        set_bounds(s, vec3_scale(half, -1.0f), half);
    }
}

void tarn__solid_finish(const TarnSolids* set, Solid* s)
{
    find_bounds(s);
    if (s->def.is_inside_out) {
        set_bounds(s, (TarnVec3){ -solid_far, -solid_far, -solid_far },
                   (TarnVec3){ solid_far, solid_far, solid_far });
    }
    double x = tarn_maxf(fabsf(s->low.x), fabsf(s->high.x));
    double y = tarn_maxf(fabsf(s->low.y), fabsf(s->high.y));
    double z = tarn_maxf(fabsf(s->low.z), fabsf(s->high.z));
    s->reach = (float)sqrt(x * x + y * y + z * z);
    if (s->def.shape.kind == TARN_SHAPE_SPHERE && !s->def.is_inside_out)
        s->reach = s->def.shape.size.x;
    if (s->reach > 1e15f) s->reach = solid_far;
    s->shape_hash = hash_shape(set, s);
}

// ---- From snapshots -----------------------------------------------------------------------------

static bool is_unit(TarnVec3 v)
{
    return fabs((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z - 1.0) < 1e-4; // not NaN
}

static bool are_planes_good(const Solid* s, const uint8_t* data)
{
    const uint8_t* edges = data + convex_size(s->def.shape.n_planes, 0);
    bool is_good = true;
    for (int i = 0; is_good && i < s->def.shape.n_planes; ++i) {
        TarnPlane p;
        memcpy(&p, data + (size_t)i * sizeof p, sizeof p);
        is_good = is_unit(p.normal) && fabsf(p.offset) <= 1.001e6f;
    }
    for (int e = 0; is_good && e < s->n_edges; ++e) {
        SolidEdge edge;
        memcpy(&edge, edges + (size_t)e * sizeof edge, sizeof edge);
        is_good = tarn__all_within(&edge.point, 3, 1e12f) && is_unit(edge.along) &&
                  edge.low >= -1e6f && edge.high <= 1e6f && edge.low < edge.high;
    }
    return is_good;
}

bool tarn__solid_check_saved(Solid* s, const uint8_t* data, size_t size)
{
    const TarnSolidDef* d = &s->def;
    s->data_size = size;
    switch (d->shape.kind) {
    case TARN_SHAPE_CONVEX:
        return d->shape.n_planes >= 1 && d->shape.n_planes <= MAX_PLANES && s->n_edges >= 0 &&
               s->n_edges <= MAX_PLANES * MAX_PLANES &&
               size == convex_size(d->shape.n_planes, s->n_edges) && are_planes_good(s, data);
    case TARN_SHAPE_MESH:
        return is_mesh_sized(d) &&
               size == tarn__mesh_size(d->shape.n_points, d->shape.n_triangles) &&
               tarn__mesh_check_saved(d, data);
    case TARN_SHAPE_DISTANCE:
        return is_grid_sized(d) && size == grid_size(d) &&
               check_least(NULL, "dx", d->shape.dx) == TARN_OK &&
               tarn__all_within(data, grid_values(d), 1e6f);
    case TARN_SHAPE_FUNCTION:
        return size == 0 && check_least(NULL, "radius", d->shape.radius) == TARN_OK;
    case TARN_SHAPE_TERRAIN:
        return size == 0 && !d->is_inside_out && check_least(NULL, "dx", d->shape.dx) == TARN_OK;
    default:
        return size == 0 &&
               tarn__shape_check_size(NULL, "solid", &d->shape, 1e-5f, 1e6f) == TARN_OK;
    }
}
