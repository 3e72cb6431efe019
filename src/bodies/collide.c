// Where two bodies touch: contact points between convex shapes.
//
// Method   Spheres and capsules are segments with a radius; two of them touch at the closest points
//          of the segments. Against a box or hull, the segment's distance to it is a convex
//          function along the segment, so a search by thirds finds the closest point. Two
//          polytopes: the axis of largest separation among face normals and products of edges,
//          then the face of one is cut by the planes of the other.
// Limits   Pairs of hulls with more than 32 x 32 edges are tested along face normals only: they
//          may touch a little early where edges cross. Span shapes touch as spheres.
// Checked  tests/unit/test_bodies.c

#include "bodies/bodies_internal.h"

enum { MAX_CLIP = BODY_MAX_POINTS + BODY_MAX_PLANES };

static TarnVec3 lerp(TarnVec3 a, TarnVec3 b, float t)
{
    return vec3_add(a, vec3_scale(vec3_sub(b, a), t));
}

// ---- Spheres and capsules -----------------------------------------------------------------------

typedef struct Segment {
    TarnVec3 p, q; // ends; equal for a sphere
    float radius;
    bool is_point;
} Segment;

static bool is_round(const TarnBody* body)
{
    return body->shape.kind != TARN_SHAPE_BOX && body->shape.kind != TARN_SHAPE_HULL;
}

// Relative to an origin that lies at -offset from the body's position.
static Segment body_segment(const TarnBody* body, TarnVec3 offset)
{
    if (body->shape.kind != TARN_SHAPE_CAPSULE) {
        return (Segment){ offset, offset, body->radius, true };
    }
    TarnVec3 axis = body_to_world(body, (TarnVec3){ 0.0f, body->shape.size.y, 0.0f });
    return (Segment){ vec3_sub(offset, axis), vec3_add(offset, axis), body->shape.size.x, false };
}

static float closest_on_segment(const Segment* s, TarnVec3 point)
{
    TarnVec3 d = vec3_sub(s->q, s->p);
    float dd = vec3_dot(d, d);
    return dd > 0.0f ? tarn_clampf(vec3_dot(vec3_sub(point, s->p), d) / dd, 0.0f, 1.0f) : 0.0f;
}

// Parameters of the closest points of two segments. For parallel ones, the middle of a is tried.
static void closest_of_segments(const Segment* a, const Segment* b, float* s, float* t)
{
    TarnVec3 u = vec3_sub(a->q, a->p), v = vec3_sub(b->q, b->p), w = vec3_sub(a->p, b->p);
    float uu = vec3_dot(u, u), vv = vec3_dot(v, v), uv = vec3_dot(u, v);
    float det = uu * vv - uv * uv;
    *s = 0.5f;
    if (det > 1e-5f * uu * vv) {
        float f = (uv * vec3_dot(v, w) - vv * vec3_dot(u, w)) / det;
        *s = tarn_clampf(f, 0.0f, 1.0f);
    }
    *t = closest_on_segment(b, lerp(a->p, a->q, *s));
    *s = closest_on_segment(a, lerp(b->p, b->q, *t));
}

// Balls around x and y, relative to the position of a.
static int add_balls(ContactPoint* out, int n, TarnVec3 x, float rx, TarnVec3 y, float ry,
                     float margin)
{
    TarnVec3 d = vec3_sub(x, y);
    float length = vec3_length(d), distance = length - rx - ry;
    if (distance > margin) return n;
    TarnVec3 normal = length > 1e-9f ? vec3_scale(d, 1.0f / length) : (TarnVec3){ 0, 1, 0 };
    TarnVec3 point = vec3_sub(x, vec3_scale(normal, rx + 0.5f * distance));
    out[n] = (ContactPoint){ point, normal, distance };
    return n + 1;
}

static int collide_round(const TarnBody* a, const TarnBody* b, float margin, ContactPoint* out)
{
    TarnVec3 between = vec3_sub(b->state.position, a->state.position);
    Segment sa = body_segment(a, (TarnVec3){ 0, 0, 0 }), sb = body_segment(b, between);
    float s, t;
    closest_of_segments(&sa, &sb, &s, &t);
    int n =
        add_balls(out, 0, lerp(sa.p, sa.q, s), sa.radius, lerp(sb.p, sb.q, t), sb.radius, margin);
    if (n == 0 || sa.is_point || sb.is_point) return n;
    for (int end = 0; end < 2; ++end) { // capsules side by side touch at their ends as well
        TarnVec3 x = end ? sa.q : sa.p, y = end ? sb.q : sb.p;
        t = closest_on_segment(&sb, x);
        n = add_balls(out, n, x, sa.radius, lerp(sb.p, sb.q, t), sb.radius, margin);
        s = closest_on_segment(&sa, y);
        n = add_balls(out, n, lerp(sa.p, sa.q, s), sa.radius, y, sb.radius, margin);
    }
    return n;
}

// ---- Round against polytope ---------------------------------------------------------------------

TarnVec3 tarn__closest_on_triangle(TarnVec3 p, TarnVec3 a, TarnVec3 b, TarnVec3 c)
{
    TarnVec3 ab = vec3_sub(b, a), ac = vec3_sub(c, a), n = vec3_cross(ab, ac);
    const TarnVec3 corner[3] = { a, b, c };
    float nn = vec3_dot(n, n);
    bool is_inside = nn > 0.0f;
    for (int i = 0; i < 3 && is_inside; ++i) {
        TarnVec3 edge = vec3_sub(corner[(i + 1) % 3], corner[i]);
        is_inside = vec3_dot(vec3_cross(edge, vec3_sub(p, corner[i])), n) >= 0.0f;
    }
    if (is_inside) return vec3_sub(p, vec3_scale(n, vec3_dot(vec3_sub(p, a), n) / nn));
    TarnVec3 best = a;
    float nearest = INFINITY;
    for (int i = 0; i < 3; ++i) {
        Segment s = { corner[i], corner[(i + 1) % 3], 0.0f, false };
        TarnVec3 q = lerp(s.p, s.q, closest_on_segment(&s, p)), d = vec3_sub(p, q);
        if (vec3_dot(d, d) >= nearest) continue;
        nearest = vec3_dot(d, d);
        best = q;
    }
    return best;
}

// Signed distance of a local point to a box: exact outside and inside.
static float box_distance(const TarnBody* body, TarnVec3 p, TarnVec3* normal)
{
    const float x[3] = { p.x, p.y, p.z };
    const float half[3] = { body->shape.size.x, body->shape.size.y, body->shape.size.z };
    float out[3], n[3] = { 0 }, most = -INFINITY, sum = 0.0f;
    int axis = 0;
    for (int i = 0; i < 3; ++i) {
        float d = fabsf(x[i]) - half[i];
        if (d > most) most = d, axis = i;
        out[i] = d > 0.0f ? d : 0.0f;
        sum += out[i] * out[i];
    }
    float length = sqrtf(sum);
    if (length > 1e-6f * half[axis]) {
        for (int i = 0; i < 3; ++i) n[i] = (x[i] < 0.0f ? -out[i] : out[i]) / length;
        most = length;
    } else {
        n[axis] = x[axis] < 0.0f ? -1.0f : 1.0f;
    }
    *normal = (TarnVec3){ n[0], n[1], n[2] };
    return most;
}

// To the planes of a hull: right inside and in front of faces, too small outside of edges and corners.
static float plane_distance(const TarnBody* body, TarnVec3 p, TarnVec3* normal)
{
    float most = -INFINITY;
    for (int i = 0; i < body->n_planes; ++i) {
        float d = vec3_dot(body->planes[i].normal, p) - body->planes[i].offset;
        if (d > most) most = d, *normal = body->planes[i].normal;
    }
    return most;
}

static float poly_distance(const TarnBody* body, TarnVec3 p, TarnVec3* normal)
{
    if (body->shape.kind == TARN_SHAPE_BOX) return box_distance(body, p, normal);
    float distance = plane_distance(body, p, normal);
    if (distance <= 1e-6f * body->radius) return distance;
    float nearest = INFINITY;
    TarnVec3 away = { 0, 0, 0 };
    for (int t = 0; t < body->n_triangles; ++t) {
        const int* c = body->triangles + 3 * t;
        TarnVec3 q = tarn__closest_on_triangle(p, body->points[c[0]], body->points[c[1]],
                                               body->points[c[2]]);
        TarnVec3 d = vec3_sub(p, q);
        if (vec3_dot(d, d) >= nearest) continue;
        nearest = vec3_dot(d, d);
        away = d;
    }
    float length = sqrtf(nearest);
    *normal = vec3_scale(away, 1.0f / length);
    return length;
}

static float segment_distance(const TarnBody* poly, const Segment* s, float t)
{
    TarnVec3 normal;
    return poly_distance(poly, lerp(s->p, s->q, t), &normal);
}

// Where the segment is closest to the polytope, and how far to both sides it stays that close.
static int touching_part(const TarnBody* poly, const Segment* s, float tolerance, float t[5])
{
    float lo = 0.0f, hi = 1.0f;
    for (int i = 0; i < 24; ++i) {
        float third = (hi - lo) / 3.0f;
        bool is_left =
            segment_distance(poly, s, lo + third) < segment_distance(poly, s, hi - third);
        if (is_left)
            hi -= third;
        else
            lo += third;
    }
    float best = 0.5f * (lo + hi), limit = segment_distance(poly, s, best) + tolerance;
    int n = 0;
    t[n++] = 0.0f;
    t[n++] = 1.0f;
    t[n++] = best;
    for (int side = 0; side < 2; ++side) {
        float in = best, out = side ? 1.0f : 0.0f;
        if (segment_distance(poly, s, out) <= limit) continue; // that end is in already
        for (int i = 0; i < 16; ++i) {
            float mid = 0.5f * (in + out);
            if (segment_distance(poly, s, mid) <= limit)
                in = mid;
            else
                out = mid;
        }
        t[n++] = in;
    }
    return n;
}

// a is round. Normals from b to a.
static int collide_round_poly(const TarnBody* a, const TarnBody* b, float margin, ContactPoint* out)
{
    TarnVec3 between = vec3_sub(a->state.position, b->state.position);
    Segment world = body_segment(a, (TarnVec3){ 0, 0, 0 });
    Segment local = body_segment(a, between);
    local.p = body_to_local(b, local.p);
    local.q = body_to_local(b, local.q);
    float t[5] = { 0.0f };
    int tries = world.is_point ? 1 : touching_part(b, &local, 0.01f * world.radius, t);
    int n = 0;
    for (int i = 0; i < tries; ++i) {
        TarnVec3 normal;
        float center = poly_distance(b, lerp(local.p, local.q, t[i]), &normal);
        float distance = center - world.radius;
        if (distance > margin) continue;
        normal = body_to_world(b, normal);
        TarnVec3 point = vec3_sub(lerp(world.p, world.q, t[i]),
                                  vec3_scale(normal, world.radius + 0.5f * distance));
        out[n++] = (ContactPoint){ point, normal, distance };
    }
    return n;
}

// ---- Polytopes ----------------------------------------------------------------------------------

// Corner c of a box has bit 0, 1, 2 for the positive side along x, y, z.
static const uint8_t box_edges[12][2] = { { 0, 1 }, { 0, 2 }, { 0, 4 }, { 2, 3 },
                                          { 4, 5 }, { 6, 7 }, { 1, 3 }, { 4, 6 },
                                          { 5, 7 }, { 1, 5 }, { 2, 6 }, { 3, 7 } };
static const uint8_t box_faces[6][4] = { { 0, 4, 6, 2 }, { 1, 3, 7, 5 }, { 0, 1, 5, 4 },
                                         { 2, 6, 7, 3 }, { 0, 2, 3, 1 }, { 4, 5, 7, 6 } };

static void make_box(Poly* poly, const TarnBody* body, TarnVec3 offset)
{
    TarnVec3 half = body->shape.size;
    poly->n_points = 8;
    for (int c = 0; c < 8; ++c) {
        TarnVec3 p = { c & 1 ? half.x : -half.x, c & 2 ? half.y : -half.y,
                       c & 4 ? half.z : -half.z };
        poly->v[c] = vec3_add(offset, body_to_world(body, p));
    }
    const float size[3] = { half.x, half.y, half.z };
    poly->n_faces = 6;
    for (int f = 0; f < 6; ++f) {
        const float* m = body->rotation + f / 2;
        float sign = f & 1 ? 1.0f : -1.0f;
        TarnVec3 n = { sign * m[0], sign * m[3], sign * m[6] };
        poly->face[f] = (BodyPlane){ n, vec3_dot(n, offset) + size[f / 2] };
    }
    poly->n_edges = 12;
    poly->n_directions = 3;
    memcpy(poly->edge, box_edges, sizeof box_edges);
}

void tarn__poly_make(Poly* poly, const TarnBody* body, TarnVec3 offset)
{
    poly->body = body;
    if (body->shape.kind == TARN_SHAPE_BOX) {
        make_box(poly, body, offset);
        return;
    }
    poly->n_points = body->shape.n_points;
    for (int i = 0; i < poly->n_points; ++i) {
        poly->v[i] = vec3_add(offset, body_to_world(body, body->points[i]));
    }
    poly->n_faces = body->n_planes;
    for (int f = 0; f < poly->n_faces; ++f) {
        TarnVec3 n = body_to_world(body, body->planes[f].normal);
        poly->face[f] = (BodyPlane){ n, vec3_dot(n, offset) + body->planes[f].offset };
    }
    poly->n_edges = 0;
    for (int i = 0; i < 3 * body->n_triangles; ++i) { // each edge is there in both directions
        int p = body->triangles[i], q = body->triangles[i % 3 == 2 ? i - 2 : i + 1];
        if (p > q || poly->n_edges == BODY_MAX_EDGES) continue;
        poly->edge[poly->n_edges][0] = (uint8_t)p;
        poly->edge[poly->n_edges++][1] = (uint8_t)q;
    }
    poly->n_directions = poly->n_edges;
}

int tarn__poly_polygon(const Poly* poly, int face, TarnVec3* out)
{
    if (poly->body->shape.kind == TARN_SHAPE_BOX) {
        for (int i = 0; i < 4; ++i) out[i] = poly->v[box_faces[face][i]];
        return 4;
    }
    const int* t = poly->body->triangles; // fans in the order of the faces (shapes.c, triangulate)
    int n = 0;
    for (int i = 0, f = -1; i < poly->body->n_triangles && f <= face; ++i, t += 3) {
        bool goes_on = i > 0 && t[0] == t[-3] && t[1] == t[-1];
        if (!goes_on) ++f;
        if (f != face) continue;
        if (!goes_on) {
            out[n++] = poly->v[t[0]];
            out[n++] = poly->v[t[1]];
        }
        out[n++] = poly->v[t[2]];
    }
    return n;
}

static float lowest(const Poly* poly, TarnVec3 n)
{
    float least = INFINITY;
    for (int i = 0; i < poly->n_points; ++i) least = tarn_minf(least, vec3_dot(n, poly->v[i]));
    return least;
}

typedef struct Axis {
    float gap;  // separation along the axis, negative: overlap [m]
    int face;   // the reference face, or -1
    TarnVec3 n; // of edges: from a to b
} Axis;

static Axis best_face(const Poly* a, const Poly* b, float margin)
{
    Axis best = { -INFINITY, -1, { 0, 0, 0 } };
    for (int f = 0; f < a->n_faces && best.gap <= margin; ++f) {
        float gap = lowest(b, a->face[f].normal) - a->face[f].offset;
        if (gap > best.gap) best = (Axis){ gap, f, a->face[f].normal };
    }
    return best;
}

static Axis best_edges(const Poly* a, const Poly* b, TarnVec3 between, float margin)
{
    Axis best = { -INFINITY, -1, { 0, 0, 0 } };
    if (a->n_directions * b->n_directions > 1024) return best;
    for (int i = 0; i < a->n_directions; ++i) {
        TarnVec3 u = vec3_sub(a->v[a->edge[i][1]], a->v[a->edge[i][0]]);
        float uu = vec3_dot(u, u);
        for (int j = 0; j < b->n_directions && best.gap <= margin; ++j) {
            TarnVec3 v = vec3_sub(b->v[b->edge[j][1]], b->v[b->edge[j][0]]);
            TarnVec3 n = vec3_cross(u, v);
            float nn = vec3_dot(n, n);
            if (nn < 1e-4f * uu * vec3_dot(v, v)) continue; // parallel: a face does better
            n = vec3_scale(n, (vec3_dot(n, between) < 0.0f ? -1.0f : 1.0f) / sqrtf(nn));
            float gap = lowest(b, n) + lowest(a, vec3_scale(n, -1.0f));
            if (gap > best.gap) best = (Axis){ gap, -1, n };
        }
    }
    return best;
}

// The edge that reaches farthest along n.
static Segment supporting_edge(const Poly* poly, TarnVec3 n)
{
    float most = -INFINITY;
    int best = 0;
    for (int i = 0; i < poly->n_edges; ++i) {
        float d = vec3_dot(n, vec3_add(poly->v[poly->edge[i][0]], poly->v[poly->edge[i][1]]));
        if (d > most) most = d, best = i;
    }
    return (Segment){ poly->v[poly->edge[best][0]], poly->v[poly->edge[best][1]], 0.0f, false };
}

static int cross_edges(const Poly* a, const Poly* b, Axis axis, ContactPoint* out)
{
    TarnVec3 down = vec3_scale(axis.n, -1.0f);
    Segment ea = supporting_edge(a, axis.n), eb = supporting_edge(b, down);
    float s, t;
    closest_of_segments(&ea, &eb, &s, &t);
    TarnVec3 point = lerp(lerp(ea.p, ea.q, s), lerp(eb.p, eb.q, t), 0.5f);
    out[0] = (ContactPoint){ point, down, axis.gap };
    return 1;
}

static int clip_polygon(const TarnVec3* in, int n, BodyPlane plane, TarnVec3* out)
{
    int m = 0;
    for (int i = 0; i < n; ++i) {
        TarnVec3 p = in[i], q = in[i + 1 < n ? i + 1 : 0];
        float dp = vec3_dot(plane.normal, p) - plane.offset;
        float dq = vec3_dot(plane.normal, q) - plane.offset;
        if (dp <= 0.0f) out[m++] = p;
        if ((dp <= 0.0f) != (dq <= 0.0f) && m < MAX_CLIP) out[m++] = lerp(p, q, dp / (dp - dq));
        if (m >= MAX_CLIP) break;
    }
    return m;
}

static float area_with(const ContactPoint* p, int i, int j, int k) // signed, seen along the normal
{
    TarnVec3 u = vec3_sub(p[j].point, p[i].point), v = vec3_sub(p[k].point, p[i].point);
    return vec3_dot(vec3_cross(u, v), p[i].normal);
}

// Of many points with one normal: the deepest, and three that span the most.
static int keep_four(ContactPoint* p, int n)
{
    if (n <= 4) return n;
    int keep[4] = { 0 };
    float most = -1.0f, largest = 0.0f, smallest = 0.0f;
    for (int i = 1; i < n; ++i) keep[0] = p[i].distance < p[keep[0]].distance ? i : keep[0];
    for (int i = 0; i < n; ++i) {
        TarnVec3 d = vec3_sub(p[i].point, p[keep[0]].point);
        if (vec3_dot(d, d) > most) most = vec3_dot(d, d), keep[1] = i;
    }
    keep[2] = keep[3] = keep[0];
    for (int i = 0; i < n; ++i) {
        float area = area_with(p, keep[0], keep[1], i);
        if (area > largest) largest = area, keep[2] = i;
        if (area < smallest) smallest = area, keep[3] = i;
    }
    ContactPoint kept[4];
    int m = 0;
    for (int i = 0; i < 4; ++i) {
        if (i >= 2 && keep[i] == keep[0]) continue;
        kept[m++] = p[keep[i]];
    }
    memcpy(p, kept, (size_t)m * sizeof *p);
    return m;
}

// The face of the other polytope that looks most against the reference face, cut by the planes
// around that. sign 1: the reference belongs to b, so its normal points to a.
static int clip_faces(const Poly* ref, const Poly* other, int face, float sign, float margin,
                      ContactPoint* out)
{
    TarnVec3 polygon[2][MAX_CLIP + 1];
    ContactPoint found[MAX_CLIP + 1];
    BodyPlane plane = ref->face[face];
    float least = INFINITY;
    int against = 0, now = 0;
    for (int f = 0; f < other->n_faces; ++f) {
        float d = vec3_dot(plane.normal, other->face[f].normal);
        if (d < least) least = d, against = f;
    }
    int m = tarn__poly_polygon(other, against, polygon[0]);
    for (int f = 0; f < ref->n_faces && m > 0; ++f) {
        if (f == face) continue;
        m = clip_polygon(polygon[now], m, ref->face[f], polygon[1 - now]);
        now = 1 - now;
    }
    if (m == 0) { // no overlap seen from above: the corner that is deepest
        float deepest = INFINITY;
        for (int i = 0; i < other->n_points; ++i) {
            float d = vec3_dot(plane.normal, other->v[i]);
            if (d < deepest) deepest = d, polygon[now][0] = other->v[i];
        }
        m = 1;
    }
    int n = 0;
    for (int i = 0; i < m; ++i) {
        float distance = vec3_dot(plane.normal, polygon[now][i]) - plane.offset;
        if (distance > margin) continue;
        TarnVec3 point = vec3_sub(polygon[now][i], vec3_scale(plane.normal, 0.5f * distance));
        found[n++] = (ContactPoint){ point, vec3_scale(plane.normal, sign), distance };
    }
    n = keep_four(found, n);
    memcpy(out, found, (size_t)n * sizeof *out);
    return n;
}

static int collide_polys(const TarnBody* a, const TarnBody* b, float margin, ContactPoint* out)
{
    Poly pa, pb;
    TarnVec3 between = vec3_sub(b->state.position, a->state.position);
    tarn__poly_make(&pa, a, (TarnVec3){ 0, 0, 0 });
    tarn__poly_make(&pb, b, between);
    Axis face_a = best_face(&pa, &pb, margin);
    if (face_a.gap > margin) return 0;
    Axis face_b = best_face(&pb, &pa, margin);
    if (face_b.gap > margin) return 0;
    Axis edges = best_edges(&pa, &pb, between, margin);
    if (edges.gap > margin) return 0;
    // A lead of one percent, so that rounding does not make the choice flip from step to step.
    float lead = 0.01f * tarn_minf(a->radius, b->radius);
    if (edges.gap > tarn_maxf(face_a.gap, face_b.gap) + lead) {
        return cross_edges(&pa, &pb, edges, out);
    }
    if (face_b.gap > face_a.gap + lead) return clip_faces(&pb, &pa, face_b.face, 1.0f, margin, out);
    return clip_faces(&pa, &pb, face_a.face, -1.0f, margin, out);
}

// ---- Entry points -------------------------------------------------------------------------------

int tarn__collide(const TarnBody* a, const TarnBody* b, float margin, ContactPoint* out)
{
    if (is_round(a) && is_round(b)) return collide_round(a, b, margin, out);
    if (is_round(a)) return collide_round_poly(a, b, margin, out);
    if (!is_round(b)) return collide_polys(a, b, margin, out);
    int n = collide_round_poly(b, a, margin, out);
    TarnVec3 between = vec3_sub(b->state.position, a->state.position);
    for (int i = 0; i < n; ++i) {
        out[i].point = vec3_add(out[i].point, between);
        out[i].normal = vec3_scale(out[i].normal, -1.0f);
    }
    return n;
}

int tarn__collide_wall(const TarnBody* a, TarnVec3 normal, float height, float margin,
                       ContactPoint* out)
{
    Poly poly;
    ContactPoint found[BODY_MAX_POINTS];
    float radius = 0.0f;
    if (is_round(a)) {
        Segment s = body_segment(a, (TarnVec3){ 0, 0, 0 });
        poly.v[0] = s.p, poly.v[1] = s.q;
        poly.n_points = s.is_point ? 1 : 2;
        radius = s.radius;
    } else {
        tarn__poly_make(&poly, a, (TarnVec3){ 0, 0, 0 });
    }
    int n = 0;
    for (int i = 0; i < poly.n_points; ++i) {
        float distance = vec3_dot(normal, poly.v[i]) + height - radius;
        if (distance > margin) continue;
        TarnVec3 point = vec3_sub(poly.v[i], vec3_scale(normal, radius + 0.5f * distance));
        found[n++] = (ContactPoint){ point, normal, distance };
    }
    n = keep_four(found, n);
    memcpy(out, found, (size_t)n * sizeof *out);
    return n;
}

float tarn__body_reach(const TarnBody* body, TarnVec3 direction)
{
    TarnVec3 d = body_to_local(body, direction), size = body->shape.size;
    float most = 0.0f;
    switch (body->shape.kind) {
    case TARN_SHAPE_BOX:
        return fabsf(d.x) * size.x + fabsf(d.y) * size.y + fabsf(d.z) * size.z;
    case TARN_SHAPE_CAPSULE:
        return size.x + fabsf(d.y) * size.y;
    case TARN_SHAPE_HULL:
        for (int i = 0; i < body->shape.n_points; ++i) {
            most = tarn_maxf(most, vec3_dot(d, body->points[i]));
        }
        return most;
    default:
        return body->radius;
    }
}
