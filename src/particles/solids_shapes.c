// Shapes of solids in their own frame: distance, normal, walls near a point, ways that stay clear.
//
// Method   Distances are exact: to the nearest face, edge or corner outside, to the nearest face
//          inside. Along a straight way the distance to a convex is a convex function, so that
//          Newton's method from the start never passes the first touch; for what is inside of a
//          convex the distance is concave and the secant to the end does not. Fields known by
//          samples only are marched with their distance as the step.
// Differs  a convex keeps its edges, found once, so that corners are round at the distance of a
//          particle and not spikes, as the largest distance to a plane would make them.
// Checked  tests/unit/test_solids.c against brute force, tests/robust/test_solids_storms.c.
// Cost     contacts with one solid 0.04 to 0.11 us.

#include "particles/solids_parts.h"

static const LocalContact nowhere = { 1e30f, { 0.0f, 1.0f, 0.0f } };

// Distances in space, used in a section: their direction counts, and they are too small at most.
static LocalContact flatten(LocalContact c, const TarnVec3* m)
{
    if (m == NULL) return c;
    TarnVec3 flat = vec3_sub(c.n, vec3_scale(*m, vec3_dot(c.n, *m)));
    float l = sqrtf(vec3_dot(flat, flat));
    if (!(l > 0.02f)) return nowhere;
    return (LocalContact){ c.d, vec3_scale(flat, 1.0f / l) };
}

// ---- Round shapes -------------------------------------------------------------------------------

static LocalContact around(TarnVec3 from_center, float radius, const TarnVec3* m)
{
    float l = sqrtf(vec3_dot(from_center, from_center));
    if (!(l > 1e-12f)) return (LocalContact){ -radius, solid__any_normal(m) };
    return (LocalContact){ l - radius, vec3_scale(from_center, 1.0f / l) };
}

static LocalContact sphere_nearest(const Solid* s, TarnVec3 q, const TarnVec3* m)
{
    float radius = s->def.shape.size.x;
    if (m == NULL) return around(q, radius, NULL);
    float off = vec3_dot(*m, q); // of the section from the center
    if (!(fabsf(off) < radius)) return nowhere;
    return around(vec3_sub(q, vec3_scale(*m, off)), sqrtf(radius * radius - off * off), m);
}

static LocalContact capsule_nearest(const Solid* s, TarnVec3 q, const TarnVec3* m)
{
    float half = s->def.shape.size.y;
    q.y -= tarn_clampf(q.y, -half, half);
    return around(q, s->def.shape.size.x, m);
}

// Over its flat ends and over its side: the farther one counts inside and beside, both at the rim.
static LocalContact cylinder_nearest(TarnVec3 size, TarnVec3 q)
{
    float r = sqrtf(q.x * q.x + q.z * q.z), sign = q.y < 0.0f ? -1.0f : 1.0f;
    float over_side = r - size.x, over_end = fabsf(q.y) - size.y;
    TarnVec3 out =
        r > 1e-12f ? (TarnVec3){ q.x / r, 0.0f, q.z / r } : (TarnVec3){ 1.0f, 0.0f, 0.0f };
    if (over_side > 0.0f && over_end > 0.0f) {
        float l = sqrtf(over_side * over_side + over_end * over_end), s = over_side / l;
        return (LocalContact){ l, { s * out.x, sign * over_end / l, s * out.z } };
    }
    if (over_side > over_end) return (LocalContact){ over_side, out };
    return (LocalContact){ over_end, { 0.0f, sign, 0.0f } };
}

// Returns how many there are now; where there is no room a farther one makes some.
static int add_wall(LocalContact* out, int n, int max, LocalContact wall)
{
    int at = n < max ? n++ : -1;
    for (int k = 0; k < n && at < 0; ++k) {
        if (out[k].d > wall.d) at = k;
    }
    if (at >= 0) out[at] = wall;
    return n;
}

// The side and both ends of a hollow one are walls of their own.
static int hollow_cylinder_contacts(const Solid* s, TarnVec3 q, const TarnVec3* m, float reach,
                                    LocalContact* out, int max)
{
    TarnVec3 size = s->def.shape.size, in = { -1.0f, 0.0f, 0.0f };
    float r = sqrtf(q.x * q.x + q.z * q.z);
    if (r > 1e-12f) in = (TarnVec3){ -q.x / r, 0.0f, -q.z / r };
    const LocalContact walls[3] = { { size.x - r, in },
                                    { size.y - q.y, { 0.0f, -1.0f, 0.0f } },
                                    { size.y + q.y, { 0.0f, 1.0f, 0.0f } } };
    int n = 0;
    for (int i = 0; i < 3; ++i) {
        LocalContact wall = flatten(walls[i], m);
        if (wall.d < reach) n = add_wall(out, n, max, wall);
    }
    return n;
}

// ---- Boxes --------------------------------------------------------------------------------------

static LocalContact box_nearest(TarnVec3 size, TarnVec3 q)
{
    TarnVec3 over = { fabsf(q.x) - size.x, fabsf(q.y) - size.y, fabsf(q.z) - size.z };
    TarnVec3 sign = { q.x < 0.0f ? -1.0f : 1.0f, q.y < 0.0f ? -1.0f : 1.0f,
                      q.z < 0.0f ? -1.0f : 1.0f };
    float most = tarn_maxf(over.x, tarn_maxf(over.y, over.z));
    TarnVec3 n = { 0.0f, 0.0f, 0.0f };
    if (most > 0.0f) {
        TarnVec3 out = { sign.x * tarn_maxf(over.x, 0.0f), sign.y * tarn_maxf(over.y, 0.0f),
                         sign.z * tarn_maxf(over.z, 0.0f) };
        float l2 = vec3_dot(out, out), l = sqrtf(l2);
        if (l2 > 1e-24f) return (LocalContact){ l, vec3_scale(out, 1.0f / l) };
    }
    if (over.x == most)
        n.x = sign.x;
    else if (over.y == most)
        n.y = sign.y;
    else
        n.z = sign.z;
    return (LocalContact){ most, n };
}

// ---- Convex sets of planes ----------------------------------------------------------------------

typedef struct Convex {
    const TarnPlane* planes;
    const SolidEdge* edges;
    int n_planes, n_edges;
} Convex;

static void box_planes(TarnVec3 h, TarnPlane planes[6])
{
    planes[0] = (TarnPlane){ { 1.0f, 0.0f, 0.0f }, h.x };
    planes[1] = (TarnPlane){ { -1.0f, 0.0f, 0.0f }, h.x };
    planes[2] = (TarnPlane){ { 0.0f, 1.0f, 0.0f }, h.y };
    planes[3] = (TarnPlane){ { 0.0f, -1.0f, 0.0f }, h.y };
    planes[4] = (TarnPlane){ { 0.0f, 0.0f, 1.0f }, h.z };
    planes[5] = (TarnPlane){ { 0.0f, 0.0f, -1.0f }, h.z };
}

static void box_edges(TarnVec3 h, SolidEdge edges[12])
{
    const float half[3] = { h.x, h.y, h.z };
    for (int e = 0; e < 12; ++e) {
        float a[3] = { 0.0f, 0.0f, 0.0f }, along[3] = { 0.0f, 0.0f, 0.0f };
        int axis = e / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
        a[u] = e & 1 ? half[u] : -half[u];
        a[v] = e & 2 ? half[v] : -half[v];
        along[axis] = 1.0f;
        edges[e] = (SolidEdge){
            { a[0], a[1], a[2] }, { along[0], along[1], along[2] }, -half[axis], half[axis]
        };
    }
}

// Distance to a plane, within the section if there is one. False: parallel to the section.
static bool plane_distance(const TarnPlane* plane, TarnVec3 q, const TarnVec3* m, LocalContact* out)
{
    *out = (LocalContact){ vec3_dot(plane->normal, q) - plane->offset, plane->normal };
    if (m == NULL) return true;
    TarnVec3 flat = vec3_sub(plane->normal, vec3_scale(*m, vec3_dot(plane->normal, *m)));
    float l = sqrtf(vec3_dot(flat, flat));
    if (!(l > 1e-3f)) return false;
    *out = (LocalContact){ out->d / l, vec3_scale(flat, 1.0f / l) };
    return true;
}

// The point of an edge that is nearest, or its point in the section. False: not in the section.
static bool edge_point(const SolidEdge* edge, TarnVec3 q, const TarnVec3* m, TarnVec3* out)
{
    TarnVec3 to = vec3_sub(q, edge->point);
    float at = vec3_dot(to, edge->along);
    if (m != NULL) {
        float up = vec3_dot(*m, edge->along);
        if (!(fabsf(up) > 1e-6f)) return false;
        at = vec3_dot(*m, to) / up;
        if (at < edge->low || at > edge->high) return false;
    }
    *out = vec3_add(edge->point, vec3_scale(edge->along, tarn_clampf(at, edge->low, edge->high)));
    return true;
}

static LocalContact convex_corner(const Convex* c, TarnVec3 q, const TarnVec3* m, LocalContact best)
{
    float nearest = 1e30f;
    TarnVec3 way = { 0.0f, 0.0f, 0.0f };
    for (int e = 0; e < c->n_edges; ++e) {
        TarnVec3 point;
        if (!edge_point(&c->edges[e], q, m, &point)) continue;
        TarnVec3 to = vec3_sub(q, point);
        float d2 = vec3_dot(to, to);
        if (d2 >= nearest) continue;
        nearest = d2;
        way = to;
    }
    float d = sqrtf(nearest);
    if (!(d > 1e-6f && d < 1e15f && d >= best.d)) return best;
    return (LocalContact){ d, vec3_scale(way, 1.0f / d) };
}

static LocalContact convex_nearest(const Convex* c, TarnVec3 q, const TarnVec3* m)
{
    LocalContact best = { -1e30f, { 0.0f, 1.0f, 0.0f } };
    for (int i = 0; i < c->n_planes; ++i) {
        LocalContact plane;
        if (!plane_distance(&c->planes[i], q, m, &plane)) {
            if (plane.d > 0.0f) return nowhere; // the section misses it
            continue;
        }
        if (plane.d > best.d) best = plane;
    }
    if (!(best.d > 0.0f)) return best.d > -1e29f ? best : nowhere;
    TarnVec3 foot = vec3_sub(q, vec3_scale(best.n, best.d));
    float slack = 1e-6f * (fabsf(foot.x) + fabsf(foot.y) + fabsf(foot.z)) + 1e-6f;
    for (int i = 0; i < c->n_planes; ++i) {
        if (vec3_dot(c->planes[i].normal, foot) - c->planes[i].offset > slack)
            return convex_corner(c, q, m, best);
    }
    return best;
}

// The flat sides alone; planes has room for those of a box.
static Convex sides_of(const Solid* s, TarnPlane planes[6])
{
    if (s->def.shape.kind != TARN_SHAPE_BOX)
        return (Convex){ s->def.shape.planes, s->edges, s->def.shape.n_planes, s->n_edges };
    box_planes(s->def.shape.size, planes);
    return (Convex){ planes, NULL, 6, 0 };
}

// A box in a section that is not along its axes.
static LocalContact skew_box_nearest(TarnVec3 size, TarnVec3 q, const TarnVec3* m)
{
    TarnPlane planes[6];
    SolidEdge edges[12];
    box_planes(size, planes);
    box_edges(size, edges);
    return convex_nearest(&(Convex){ planes, edges, 6, 12 }, q, m);
}

// ---- Any shape ----------------------------------------------------------------------------------

static LocalContact right_side_out(const Solid* s, TarnVec3 q, const TarnVec3* m, float reach)
{
    switch (s->def.shape.kind) {
    case TARN_SHAPE_SPHERE:
        return sphere_nearest(s, q, m);
    case TARN_SHAPE_CAPSULE:
        return flatten(capsule_nearest(s, q, m), m);
    case TARN_SHAPE_CYLINDER:
        if (m != NULL && fabsf(m->y) > 0.9997f) { // the section across the axis: a disc
            if (!(fabsf(q.y) < s->def.shape.size.y)) return nowhere;
            return around(vec3_sub(q, vec3_scale(*m, vec3_dot(*m, q))), s->def.shape.size.x, m);
        }
        return flatten(cylinder_nearest(s->def.shape.size, q), m);
    case TARN_SHAPE_BOX:
        if (m == NULL) return box_nearest(s->def.shape.size, q);
        if (fabsf(m->z) > 0.99999f) { // the usual section: a rectangle
            if (!(fabsf(q.z) < s->def.shape.size.z)) return nowhere;
            TarnVec3 flat = { s->def.shape.size.x, s->def.shape.size.y, 1e30f };
            return box_nearest(flat, (TarnVec3){ q.x, q.y, 0.0f });
        }
        return skew_box_nearest(s->def.shape.size, q, m);
    case TARN_SHAPE_CONVEX:
        return convex_nearest(
            &(Convex){ s->def.shape.planes, s->edges, s->def.shape.n_planes, s->n_edges }, q, m);
    case TARN_SHAPE_MESH:
        return tarn__mesh_nearest(s, q, m, reach);
    case TARN_SHAPE_DISTANCE:
        return flatten(tarn__grid_nearest(s, q), m);
    case TARN_SHAPE_FUNCTION:
        return flatten(tarn__function_nearest(s, q), m);
    default:
        return flatten(tarn__terrain_nearest(s, q), m);
    }
}

LocalContact tarn__solid_nearest(const Solid* s, TarnVec3 q, const TarnVec3* m, float reach)
{
    LocalContact c = right_side_out(s, q, m, reach);
    if (!s->def.is_inside_out) return c;
    if (c.d >= 1e29f) return (LocalContact){ -c.d, c.n }; // a section that misses it is all solid
    return (LocalContact){ -c.d, vec3_scale(c.n, -1.0f) };
}

static bool is_flat_sided(const Solid* s)
{
    return s->def.shape.kind == TARN_SHAPE_BOX || s->def.shape.kind == TARN_SHAPE_CONVEX;
}

int tarn__solid_contacts(const Solid* s, TarnVec3 q, const TarnVec3* m, float reach,
                         LocalContact* out, int max)
{
    if (s->def.shape.kind == TARN_SHAPE_MESH) return tarn__mesh_contacts(s, q, m, reach, out, max);
    if (s->def.is_inside_out && s->def.shape.kind == TARN_SHAPE_CYLINDER)
        return hollow_cylinder_contacts(s, q, m, reach, out, max);
    if (!s->def.is_inside_out || !is_flat_sided(s)) {
        *out = tarn__solid_nearest(s, q, m, reach);
        return out->d < reach && out->d > -1e29f;
    }
    TarnPlane planes[6];
    Convex c = sides_of(s, planes);
    int n = 0;
    for (int i = 0; i < c.n_planes; ++i) { // each side is a wall of its own
        LocalContact plane;
        if (!plane_distance(&c.planes[i], q, m, &plane) || !(-plane.d < reach)) continue;
        LocalContact wall = { -plane.d, vec3_scale(plane.n, -1.0f) };
        n = add_wall(out, n, max, wall);
    }
    return n;
}

// ---- Ways ---------------------------------------------------------------------------------------

static float cast_convex(const Solid* s, TarnVec3 q0, TarnVec3 q1, const TarnVec3* m, float r)
{
    TarnVec3 way = vec3_sub(q1, q0), q = q0;
    float length = sqrtf(vec3_dot(way, way)), at = 0.0f, stop = 0.0f;
    for (int i = 0; i < 24; ++i) {
        LocalContact c = tarn__solid_nearest(s, q, m, solid_far);
        if (i == 0) stop = solid__stop(c.d, r);
        float rate = vec3_dot(c.n, way);
        if (!(c.d + rate * (1.0f - at) < stop - 1e-3f * r)) return 1.0f; // the tangent stays clear
        float step = (c.d - stop) / -rate;
        if (!(step * length > 1e-3f * r)) return at;
        at += step;
        q = solid__lerp(q0, q1, at);
    }
    return at;
}

// Inside of flat walls: each one by itself.
static float cast_room(const Solid* s, TarnVec3 q0, TarnVec3 q1, const TarnVec3* m, float r)
{
    TarnPlane planes[6];
    Convex c = sides_of(s, planes);
    float at = 1.0f;
    for (int i = 0; i < c.n_planes; ++i) {
        LocalContact from, to;
        if (!plane_distance(&c.planes[i], q0, m, &from)) continue;
        plane_distance(&c.planes[i], q1, m, &to);
        float d0 = -from.d, d1 = -to.d, stop = solid__stop(d0, r);
        if (!(d1 < stop - 1e-3f * r)) continue;
        at = tarn_minf(at, tarn_maxf(0.0f, (d0 - stop) / (d0 - d1)));
    }
    return at;
}

static float cast_hollow(const Solid* s, TarnVec3 q0, TarnVec3 q1, const TarnVec3* m, float r)
{
    TarnVec3 way = vec3_sub(q1, q0);
    float length = sqrtf(vec3_dot(way, way)), at = 0.0f;
    float d = tarn__solid_nearest(s, q0, m, solid_far).d, stop = solid__stop(d, r);
    float end = tarn__solid_nearest(s, q1, m, solid_far).d;
    if (!(end < stop - 1e-3f * r)) return 1.0f;
    for (int i = 0; i < 16; ++i) {
        float step = (1.0f - at) * (d - stop) / (d - end);
        if (!(step * length > 1e-3f * r)) return at;
        at += step;
        d = tarn__solid_nearest(s, solid__lerp(q0, q1, at), m, solid_far).d;
    }
    return at;
}

// Fields: steps as long as the distance allows, with a margin because samples may be a little
// steep. Steps of r / 8 are always allowed, for the clearance they start from is larger or has been
// checked.
static float cast_field(const Solid* s, TarnVec3 q0, TarnVec3 q1, const TarnVec3* m, float r)
{
    TarnVec3 way = vec3_sub(q1, q0);
    float length = sqrtf(vec3_dot(way, way)), at = 0.0f;
    float d = tarn__solid_nearest(s, q0, m, solid_far).d, stop = solid__stop(d, r);
    if (!(length > 0.0f)) return 1.0f;
    for (int i = 0; i < 64; ++i) {
        float step = tarn_maxf(0.6f * (d - stop), 0.125f * r);
        float next = tarn_minf(1.0f, at + step / length);
        d = tarn__solid_nearest(s, solid__lerp(q0, q1, next), m, solid_far).d;
        if (!(d >= stop - 1e-3f * r)) return at;
        at = next;
        if (at >= 1.0f) return 1.0f;
    }
    return at;
}

float tarn__solid_cast(const Solid* s, TarnVec3 q0, TarnVec3 q1, const TarnVec3* m, float r)
{
    switch (s->def.shape.kind) {
    case TARN_SHAPE_SPHERE:
    case TARN_SHAPE_CAPSULE:
    case TARN_SHAPE_CYLINDER:
        return s->def.is_inside_out ? cast_hollow(s, q0, q1, m, r) : cast_convex(s, q0, q1, m, r);
    case TARN_SHAPE_BOX:
    case TARN_SHAPE_CONVEX:
        return s->def.is_inside_out ? cast_room(s, q0, q1, m, r) : cast_convex(s, q0, q1, m, r);
    case TARN_SHAPE_MESH:
        return tarn__mesh_cast(s, q0, q1, m, r);
    case TARN_SHAPE_TERRAIN:
        return tarn__terrain_cast(s, q0, q1, r);
    default:
        return cast_field(s, q0, q1, m, r);
    }
}
