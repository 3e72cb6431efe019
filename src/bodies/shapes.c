// Shapes: checks, mass properties, convex hulls, vertical spans.
//
// Method   Closed forms for sphere, box and capsule. A hull is found by trying all triples of its
//          points: a plane with all points on one side is a face. That is slow (a few ms for 64
//          points, once, in tarn_bodies_add) and has no hard cases but flat hulls, which are
//          refused. Its mass properties are sums over the tetrahedra from one point to all faces.
// Spans    The vertical line in local space is o + t d, with t counted from the body's height.
//          Convex shapes cut it by planes; the capsule is the union of two spheres and a cylinder.
// Checked  tests/unit/test_bodies.c: mass against closed forms, hulls of random points, spans
//          against bisection of a signed distance.

#include "bodies/bodies_internal.h"
#include "base/shape.h"
#include <math.h>

static const double pi = 3.14159265358979323846;
static const float min_size = 1e-3f, max_size = 1e3f; // [m]
static const double min_volume = 1e-9;                // a cube of min_size [m^3]

// ---- Mass ---------------------------------------------------------------------------------------

typedef struct Vec3d {
    double x, y, z;
} Vec3d;

static Vec3d sub(Vec3d a, Vec3d b)
{
    return (Vec3d){ a.x - b.x, a.y - b.y, a.z - b.z };
}
static double larger(double a, double b) // not fmax: the library needs no libm
{
    return a > b ? a : b;
}
static double dot(Vec3d a, Vec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
static Vec3d cross(Vec3d a, Vec3d b)
{
    return (Vec3d){ a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x };
}
static Vec3d scaled(Vec3d a, double s)
{
    return (Vec3d){ a.x * s, a.y * s, a.z * s };
}
static double length(Vec3d a)
{
    return sqrt(dot(a, a));
}
static Vec3d widen(TarnVec3 p)
{
    return (Vec3d){ p.x, p.y, p.z };
}

// Inertia about the principal axes, for unit density: x, y, z [m^5].
static void set_diagonal_mass(TarnBody* body, double volume, float density, double ix, double iy,
                              double iz)
{
    double inertia[3] = { ix, iy, iz };
    body->volume = (float)volume;
    body->mass = (float)(volume * density);
    for (int i = 0; i < 3; ++i) body->inertia_inv[4 * i] = (float)(1.0 / (density * inertia[i]));
}

static void set_sphere_mass(TarnBody* body, double r, double volume, float density)
{
    double i = 0.4 * volume * r * r;
    set_diagonal_mass(body, volume, density, i, i, i);
}

static void set_box_mass(TarnBody* body, float density)
{
    double x = body->shape.size.x, y = body->shape.size.y, z = body->shape.size.z;
    double volume = 8.0 * x * y * z;
    set_diagonal_mass(body, volume, density, volume / 3.0 * (y * y + z * z),
                      volume / 3.0 * (x * x + z * z), volume / 3.0 * (x * x + y * y));
}

static void set_capsule_mass(TarnBody* body, float density)
{
    double r = body->shape.size.x, l = body->shape.size.y;
    double cylinder = 2.0 * pi * r * r * l, ball = 4.0 / 3.0 * pi * r * r * r;
    double along = cylinder * 0.5 * r * r + ball * 0.4 * r * r;
    // The half balls sit 3/8 r outside of the ends of the axis.
    double across =
        cylinder * (0.25 * r * r + l * l / 3.0) + ball * (0.4 * r * r + l * l + 0.75 * l * r);
    set_diagonal_mass(body, cylinder + ball, density, across, along, across);
}

// ---- Convex hulls -------------------------------------------------------------------------------

typedef struct Face {
    uint64_t points; // bit i: point i lies on it
    Vec3d normal;    // outward, unit
} Face;

typedef struct Hull {
    Vec3d p[BODY_MAX_POINTS];
    int n;
    double size;      // largest distance of two points [m]
    double tolerance; // points this close to a plane lie on it [m]
    Face faces[BODY_MAX_PLANES];
    int n_faces;
} Hull;

// The plane through three points, if it has all others on one side.
static bool find_face(const Hull* h, int i, int j, int k, Face* out)
{
    Vec3d a = sub(h->p[j], h->p[i]), b = sub(h->p[k], h->p[i]), c = sub(h->p[k], h->p[j]);
    Vec3d n = cross(a, b);
    double area = length(n);
    double longest = sqrt(larger(dot(a, a), larger(dot(b, b), dot(c, c))));
    if (area <= 4.0 * h->tolerance * longest) return false; // nearly on one line
    n = scaled(n, 1.0 / area);
    bool has_above = false, has_below = false;
    uint64_t points = 0;
    for (int q = 0; q < h->n; ++q) {
        double d = dot(n, sub(h->p[q], h->p[i]));
        if (d > h->tolerance)
            has_above = true;
        else if (d < -h->tolerance)
            has_below = true;
        else
            points |= (uint64_t)1 << q;
        if (has_above && has_below) return false;
    }
    *out = (Face){ points, has_above ? scaled(n, -1.0) : n };
    return has_above != has_below; // neither: all points lie in one plane
}

// The same face through the three of its points that span the largest triangle.
static void sharpen_face(const Hull* h, Face* face)
{
    double largest = 0.0;
    int best[3] = { -1, 0, 0 };
    for (int i = 0; i < h->n; ++i) {
        if (!(face->points >> i & 1)) continue;
        for (int j = i + 1; j < h->n; ++j) {
            if (!(face->points >> j & 1)) continue;
            for (int k = j + 1; k < h->n; ++k) {
                if (!(face->points >> k & 1)) continue;
                Vec3d n = cross(sub(h->p[j], h->p[i]), sub(h->p[k], h->p[i]));
                if (dot(n, n) <= largest) continue;
                largest = dot(n, n);
                best[0] = i, best[1] = j, best[2] = k;
            }
        }
    }
    Face sharper;
    if (best[0] >= 0 && find_face(h, best[0], best[1], best[2], &sharper)) *face = sharper;
}

// Keeps the larger of two faces of which one has all the points of the other.
static bool add_face(Hull* h, Face face)
{
    int kept = 0;
    for (int f = 0; f < h->n_faces; ++f) {
        uint64_t both = h->faces[f].points & face.points;
        if (both == face.points) return true;
        if (both != h->faces[f].points) h->faces[kept++] = h->faces[f];
    }
    h->n_faces = kept;
    if (h->n_faces == BODY_MAX_PLANES) return false;
    h->faces[h->n_faces++] = face;
    return true;
}

static bool is_known(const Hull* h, uint64_t points)
{
    for (int f = 0; f < h->n_faces; ++f) {
        if ((h->faces[f].points & points) == points) return true;
    }
    return false;
}

static bool find_faces(Hull* h)
{
    for (int i = 0; i < h->n; ++i) {
        for (int j = i + 1; j < h->n; ++j) {
            for (int k = j + 1; k < h->n; ++k) {
                uint64_t triple = (uint64_t)1 << i | (uint64_t)1 << j | (uint64_t)1 << k;
                Face face;
                if (is_known(h, triple) || !find_face(h, i, j, k, &face)) continue;
                sharpen_face(h, &face);
                if (!add_face(h, face)) return false;
            }
        }
    }
    return h->n_faces >= 4;
}

typedef struct Corner {
    double u, v;
    int point;
} Corner; // in the plane of a face

static bool is_before(Corner a, Corner b)
{
    if (a.u != b.u) return a.u < b.u;
    if (a.v != b.v) return a.v < b.v;
    return a.point < b.point;
}

static bool is_left_turn(const Hull* h, Corner a, Corner b, Corner c)
{
    double turn = (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u);
    return turn > 1e-12 * h->size * h->size;
}

// Corners of a face, counter-clockwise seen from outside: lower chain, then upper chain.
static int face_polygon(const Hull* h, const Face* face, int* polygon)
{
    Vec3d n = face->normal;
    Vec3d side = fabs(n.x) < 0.6 ? (Vec3d){ 1, 0, 0 } : (Vec3d){ 0, 1, 0 };
    Vec3d u = cross(side, n), v = cross(n, u);
    Corner c[BODY_MAX_POINTS], chain[2 * BODY_MAX_POINTS];
    int m = 0;
    for (int i = 0; i < h->n; ++i) {
        if (!(face->points >> i & 1)) continue;
        Corner corner = { dot(u, h->p[i]), dot(v, h->p[i]), i };
        int at = m++;
        for (; at > 0 && is_before(corner, c[at - 1]); --at) c[at] = c[at - 1];
        c[at] = corner;
    }
    int count = 0;
    for (int i = 0; i < m; ++i) {
        while (count >= 2 && !is_left_turn(h, chain[count - 2], chain[count - 1], c[i])) --count;
        chain[count++] = c[i];
    }
    int lower = count + 1;
    for (int i = m - 2; i >= 0; --i) {
        while (count >= lower && !is_left_turn(h, chain[count - 2], chain[count - 1], c[i])) {
            --count;
        }
        chain[count++] = c[i];
    }
    --count; // the first corner came back
    for (int i = 0; i < count; ++i) polygon[i] = chain[i].point;
    return count;
}

// Fans, one after the other in the order of the planes. No fan starts as if it went on with the
// one before, so that collide.c can tell them apart.
static bool triangulate(const Hull* h, TarnBody* body)
{
    int* t = body->triangles;
    for (int f = 0; f < h->n_faces; ++f) {
        int polygon[BODY_MAX_POINTS];
        int m = face_polygon(h, &h->faces[f], polygon);
        if (m < 3 || body->n_triangles + m - 2 > BODY_MAX_TRIANGLES) return false;
        const int* last = t + 3 * (body->n_triangles - 1);
        bool goes_on = f > 0 && polygon[0] == last[0] && polygon[1] == last[2];
        int start = goes_on ? 1 : 0;
        for (int i = 1; i + 1 < m; ++i) {
            int* triangle = t + 3 * body->n_triangles++;
            triangle[0] = polygon[start];
            triangle[1] = polygon[(start + i) % m];
            triangle[2] = polygon[(start + i + 1) % m];
        }
    }
    return true;
}

// Volume, centroid and second moments by tetrahedra from point 0; false if the surface has a hole.
static bool sum_tetrahedra(const Hull* h, const TarnBody* body, double* volume, Vec3d* center,
                           double moment[6])
{
    Vec3d first = { 0, 0, 0 }, hole = { 0, 0, 0 };
    double area = 0.0;
    for (int t = 0; t < body->n_triangles; ++t) {
        const int* corner = body->triangles + 3 * t;
        Vec3d a = sub(h->p[corner[0]], h->p[0]);
        Vec3d b = sub(h->p[corner[1]], h->p[0]);
        Vec3d c = sub(h->p[corner[2]], h->p[0]);
        Vec3d n = cross(sub(b, a), sub(c, a)); // twice the area
        double v = dot(a, cross(b, c)) / 6.0;
        Vec3d s = { a.x + b.x + c.x, a.y + b.y + c.y, a.z + b.z + c.z };
        hole = (Vec3d){ hole.x + n.x, hole.y + n.y, hole.z + n.z };
        area += length(n);
        *volume += v;
        first =
            (Vec3d){ first.x + 0.25 * v * s.x, first.y + 0.25 * v * s.y, first.z + 0.25 * v * s.z };
        v /= 20.0;
        moment[0] += v * (a.x * a.x + b.x * b.x + c.x * c.x + s.x * s.x);
        moment[1] += v * (a.y * a.y + b.y * b.y + c.y * c.y + s.y * s.y);
        moment[2] += v * (a.z * a.z + b.z * b.z + c.z * c.z + s.z * s.z);
        moment[3] += v * (a.x * a.y + b.x * b.y + c.x * c.y + s.x * s.y);
        moment[4] += v * (a.y * a.z + b.y * b.z + c.y * c.z + s.y * s.z);
        moment[5] += v * (a.z * a.x + b.z * b.x + c.z * c.x + s.z * s.x);
    }
    if (!(*volume > 0.0)) return true; // flat; the caller refuses it
    Vec3d g = scaled(first, 1.0 / *volume);
    moment[0] -= *volume * g.x * g.x, moment[3] -= *volume * g.x * g.y;
    moment[1] -= *volume * g.y * g.y, moment[4] -= *volume * g.y * g.z;
    moment[2] -= *volume * g.z * g.z, moment[5] -= *volume * g.z * g.x;
    *center = (Vec3d){ g.x + h->p[0].x, g.y + h->p[0].y, g.z + h->p[0].z };
    return length(hole) < 1e-3 * area;
}

static void set_hull_mass(TarnBody* body, double volume, float density, const double c[6])
{
    double xx = c[1] + c[2], yy = c[0] + c[2], zz = c[0] + c[1]; // inertia from second moments
    double xy = -c[3], yz = -c[4], zx = -c[5];
    double m0 = yy * zz - yz * yz, m1 = yz * zx - xy * zz, m2 = xy * yz - yy * zx;
    double s = 1.0 / (density * (xx * m0 + xy * m1 + zx * m2));
    double inv[9] = { m0,
                      m1,
                      m2, //
                      m1,
                      xx * zz - zx * zx,
                      xy * zx - xx * yz, //
                      m2,
                      xy * zx - xx * yz,
                      xx * yy - xy * xy };
    for (int i = 0; i < 9; ++i) body->inertia_inv[i] = (float)(s * inv[i]);
    body->volume = (float)volume;
    body->mass = (float)(volume * density);
}

// The points, and planes that hold them all.
static void place_hull(const Hull* h, TarnBody* body)
{
    double radius = 0.0;
    for (int i = 0; i < h->n; ++i) {
        body->points[i] = body->shape.points[i];
        radius = larger(radius, length(h->p[i]));
    }
    body->radius = (float)radius;
    body->n_planes = h->n_faces;
    for (int f = 0; f < h->n_faces; ++f) {
        Vec3d n = h->faces[f].normal;
        double offset = 0.0;
        for (int i = 0; i < h->n; ++i) offset = larger(offset, dot(n, h->p[i]));
        body->planes[f] = (BodyPlane){ { (float)n.x, (float)n.y, (float)n.z }, (float)offset };
    }
}

// Faces, triangles and moments of the points of body->shape.
static TarnResult measure_hull(TarnContext* ctx, Hull* h, TarnBody* body, double* volume,
                               Vec3d* center, double moment[6])
{
    body->n_triangles = 0;
    for (int i = 0; i < h->n; ++i) h->p[i] = widen(body->shape.points[i]);
    for (int i = 0; i < h->n; ++i) {
        for (int j = 0; j < i; ++j) h->size = larger(h->size, length(sub(h->p[i], h->p[j])));
    }
    h->tolerance = 2e-6 * h->size;
    bool is_whole =
        find_faces(h) && triangulate(h, body) && sum_tetrahedra(h, body, volume, center, moment);
    double needed = larger(min_volume, 1e-6 * h->size * h->size * h->size);
    if (h->n_faces < 4 || (is_whole && !(*volume >= needed))) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "body.shape.points: the hull is flat, its volume of %g m^3 is below %g; "
                          "give points that do not lie in one plane",
                          *volume, needed);
    }
    if (!is_whole) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "body.shape.points: no closed hull, some points are closer together than "
                          "rounding allows (%g m); remove those",
                          h->tolerance);
    }
    return TARN_OK;
}

static TarnResult center_hull(TarnContext* ctx, TarnBody* body)
{
    Hull h = { .n = body->shape.n_points };
    double volume = 0.0, moment[6] = { 0 };
    Vec3d center = { 0, 0, 0 };
    TARN_TRY(measure_hull(ctx, &h, body, &volume, &center, moment));
    for (int i = 0; i < h.n; ++i) {
        Vec3d p = sub(h.p[i], center);
        body->points[i] = (TarnVec3){ (float)p.x, (float)p.y, (float)p.z };
    }
    body->shape.points = body->points;
    return TARN_OK;
}

// Of points around the center of mass: the same points give the same body, to the bit.
static TarnResult build_hull(TarnContext* ctx, float density, TarnBody* body)
{
    Hull h = { .n = body->shape.n_points };
    double volume = 0.0, moment[6] = { 0 };
    Vec3d center = { 0, 0, 0 };
    TARN_TRY(measure_hull(ctx, &h, body, &volume, &center, moment));
    set_hull_mass(body, volume, density, moment);
    place_hull(&h, body);
    body->shape.points = body->points;
    return TARN_OK;
}

// ---- Checks -------------------------------------------------------------------------------------

static TarnResult check_size(TarnContext* ctx, const char* field, float value)
{
    if (value >= min_size && value <= max_size) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG, "body.shape.%s: %g m is out of range; allowed: %g to %g m",
                      field, value, min_size, max_size);
}

static TarnResult check_points(TarnContext* ctx, const TarnShape* shape)
{
    if (shape->points == NULL) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "body.shape.points: NULL; a hull needs n_points points");
    }
    if (shape->n_points < 4 || shape->n_points > BODY_MAX_POINTS) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "body.shape.n_points: %d is out of range; allowed: 4 to %d",
                          shape->n_points, BODY_MAX_POINTS);
    }
    for (int i = 0; i < shape->n_points; ++i) {
        TarnVec3 p = shape->points[i];
        if (fabsf(p.x) <= max_size && fabsf(p.y) <= max_size && fabsf(p.z) <= max_size) continue;
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "body.shape.points[%d]: (%g, %g, %g) m is out of range; allowed: -%g to "
                          "%g m",
                          i, p.x, p.y, p.z, max_size, max_size);
    }
    return TARN_OK;
}

static TarnResult check_span(TarnContext* ctx, const TarnShape* shape)
{
    if (shape->span == NULL) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "body.shape.span: NULL; a span shape needs the callback");
    }
    TARN_TRY(check_size(ctx, "radius", shape->radius));
    double r = shape->radius, most = 4.0 / 3.0 * pi * r * r * r * 1.0001;
    if (shape->volume >= (float)min_volume && shape->volume <= most) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "body.shape.volume: %g m^3 is out of range; allowed: %g to %g, the "
                      "volume of the sphere of its radius",
                      shape->volume, min_volume, most);
}

TarnResult tarn__body_build(TarnContext* ctx, const TarnShape* shape, float density,
                            bool is_centered, TarnBody* body)
{
    TarnShape* s = &body->shape; // only what its kind uses
    TarnVec3 size = shape->size;
    TARN_TRY(tarn__shape_check_kind(ctx, "body", shape->kind, SHAPES_OF_BODIES));
    *s = (TarnShape){ .kind = shape->kind };
    body->density = density;
    switch (shape->kind) {
    case TARN_SHAPE_SPHERE:
        TARN_TRY(check_size(ctx, "size.x (radius)", size.x));
        s->size.x = body->radius = size.x;
        set_sphere_mass(body, size.x, 4.0 / 3.0 * pi * size.x * size.x * size.x, density);
        return TARN_OK;
    case TARN_SHAPE_BOX:
        TARN_TRY(check_size(ctx, "size.x (half extent)", size.x));
        TARN_TRY(check_size(ctx, "size.y (half extent)", size.y));
        TARN_TRY(check_size(ctx, "size.z (half extent)", size.z));
        s->size = size;
        body->radius = vec3_length(size);
        set_box_mass(body, density);
        return TARN_OK;
    case TARN_SHAPE_CAPSULE:
        TARN_TRY(check_size(ctx, "size.x (radius)", size.x));
        TARN_TRY(check_size(ctx, "size.y (half length)", size.y));
        s->size = (TarnVec3){ size.x, size.y, 0.0f };
        body->radius = size.x + size.y;
        set_capsule_mass(body, density);
        return TARN_OK;
    case TARN_SHAPE_HULL:
        TARN_TRY(check_points(ctx, shape));
        s->points = shape->points;
        s->n_points = shape->n_points;
        if (!is_centered) TARN_TRY(center_hull(ctx, body));
        return build_hull(ctx, density, body);
    default: // a span
        TARN_TRY(check_span(ctx, shape));
        s->span = shape->span, s->user = shape->user;
        s->radius = body->radius = shape->radius;
        s->volume = shape->volume;
        set_sphere_mass(body, shape->radius, shape->volume, density);
        return TARN_OK;
    }
}

// ---- Spans --------------------------------------------------------------------------------------

// An interval of t on the vertical line.
typedef struct Range {
    float lo, hi;
} Range;

// Keeps the part with o + t d <= limit. A line along the plane is all in or all out.
static bool clip(Range* r, float o, float d, float limit)
{
    if (fabsf(d) < 1e-7f) return o <= limit;
    float t = (limit - o) / d;
    if (d > 0.0f)
        r->hi = tarn_minf(r->hi, t);
    else
        r->lo = tarn_maxf(r->lo, t);
    return r->lo < r->hi;
}

static bool box_span(const TarnBody* body, float dx, float dz, Range* r)
{
    const float* m = body->rotation;
    const float half[3] = { body->shape.size.x, body->shape.size.y, body->shape.size.z };
    for (int i = 0; i < 3; ++i) {
        float o = m[i] * dx + m[6 + i] * dz, d = m[3 + i];
        if (!clip(r, o, d, half[i]) || !clip(r, -o, -d, half[i])) return false;
    }
    return true;
}

static bool hull_span(const TarnBody* body, float dx, float dz, Range* r)
{
    const float* m = body->rotation;
    TarnVec3 o = { m[0] * dx + m[6] * dz, m[1] * dx + m[7] * dz, m[2] * dx + m[8] * dz };
    TarnVec3 d = { m[3], m[4], m[5] };
    for (int i = 0; i < body->n_planes; ++i) {
        TarnVec3 n = body->planes[i].normal;
        if (!clip(r, vec3_dot(n, o), vec3_dot(n, d), body->planes[i].offset)) return false;
    }
    return true;
}

static void join(Range* r, float lo, float hi)
{
    r->lo = tarn_minf(r->lo, lo);
    r->hi = tarn_maxf(r->hi, hi);
}

static void join_ball(Range* r, float dx, float y, float dz, float radius)
{
    float d2 = radius * radius - (dx * dx + dz * dz);
    if (!(d2 > 0.0f)) return;
    float half = sqrtf(d2);
    join(r, y - half, y + half);
}

// The two ends, and where the line cuts the cylinder between them.
static bool capsule_span(const TarnBody* body, float dx, float dz, Range* r)
{
    float radius = body->shape.size.x, l = body->shape.size.y;
    float ax = body->rotation[1], ay = body->rotation[4], az = body->rotation[7]; // the axis
    *r = (Range){ INFINITY, -INFINITY };
    join_ball(r, dx - l * ax, l * ay, dz - l * az, radius);
    join_ball(r, dx + l * ax, -l * ay, dz + l * az, radius);

    // |m + t e|^2 - (m.a + t a_y)^2 = radius^2 with m = (dx, 0, dz), e upward
    float a = ax * ax + az * az, ma = ax * dx + az * dz;
    float off = ax * dz - az * dx;                 // distance of the lines, times sqrt(a)
    float root2 = a * radius * radius - off * off; // a quarter of the discriminant
    if (a > 1e-12f && root2 > 0.0f) {
        float root = sqrtf(root2);
        float t0 = (ma * ay - root) / a, t1 = (ma * ay + root) / a;
        if (fabsf(ma + t0 * ay) <= l) join(r, t0, t0);
        if (fabsf(ma + t1 * ay) <= l) join(r, t1, t1);
    }
    return r->lo < r->hi;
}

bool tarn__body_span(const TarnBody* body, float x, float z, float* lo, float* hi)
{
    TarnVec3 p = body->state.position;
    float dx = x - p.x, dz = z - p.z, reach = body->radius;
    if (!(dx * dx + dz * dz < reach * reach)) return false;
    Range r = { -2.0f * reach, 2.0f * reach };
    bool is_hit = false;
    switch (body->shape.kind) {
    case TARN_SHAPE_SPHERE:
        r = (Range){ INFINITY, -INFINITY };
        join_ball(&r, dx, 0.0f, dz, reach);
        is_hit = r.lo < r.hi;
        break;
    case TARN_SHAPE_BOX:
        is_hit = box_span(body, dx, dz, &r);
        break;
    case TARN_SHAPE_CAPSULE:
        is_hit = capsule_span(body, dx, dz, &r);
        break;
    case TARN_SHAPE_HULL:
        is_hit = hull_span(body, dx, dz, &r);
        break;
    default: // a span
        if (!body->shape.span(x, z, p, body->state.rotation, lo, hi, body->shape.user)) {
            return false;
        }
        return tarn__is_finite(*lo) && tarn__is_finite(*hi) && *lo < *hi;
    }
    if (!is_hit) return false;
    *lo = p.y + r.lo;
    *hi = p.y + r.hi;
    return *lo < *hi; // a speck far from the origin may round to nothing
}
