// Bodies against what does not react: solids of a world and walls inside basins.
//
// Method   Spheres, boxes and capsules collide as a body of that shape would (collide.c), upright terrain as
//          ground does (ground.c). Everything else is known by its distances only, asked at points of the body:
//          its corners, the centers of balls, points along its edges and axes, and points of its faces.
//          Along an edge the part that touches is found by bisection, so that a crate stands on the rim of a
//          shelf; on a face the nearest point is found by projecting to and fro between face and solid, so
//          that it stands on a post. The normal of such a contact is brought into the cone of normals
//          of the edge or face: inside a solid the nearest way out of a rim may point anywhere.
//          A contact that is farther than the margin counts if the body would touch it during this substep.
// Limits   tarn/body.h tells them. Bodies faster than half of their inner ball per substep are swept, as that ball, along
//          their way (keep_outside): so nothing gets through anything, but a corner may get in before.
// Source   [Neumann1950] for alternating projections.
// Checked  tests/unit/test_body_solids.c, tests/robust/test_body_storms.c.

#include "bodies/bodies_internal.h"

enum { MAX_FOUND = 96, MAX_WALLS = 6, EDGE_POINTS = 5, BISECTIONS = 7, PROJECTIONS = 4 };

static const TarnVec3 zero = { 0, 0, 0 };

typedef struct Search {
    const BodyObstacles* obstacles; // NULL: shapes only
    const BodyObstacle* obstacle;
    const TarnBody* body;
    TarnVec3 at;  // position of the body
    Poly poly;    // of boxes and hulls, relative to it
    float margin; // gap at which a body at rest touches [m]
    float reach;  // gap that is looked at [m]
    float h;      // of the substep [s]
    ContactPoint found[MAX_FOUND];
    int n;
} Search;

// ---- Asking ---------------------------------------------------------------------------------------

// A sheet has no inside, so the center of the body decides which side is beyond it: a wall whose other side
// the center is on is turned around.
static BodyWall right_side(const Search* s, TarnVec3 arm, BodyWall w)
{
    float thick = s->obstacle->thickness;
    TarnVec3 foot = vec3_sub(arm, vec3_scale(w.normal, w.distance + thick));
    if (!(vec3_dot(w.normal, foot) > 0.0f)) return w; // the center is at 0
    return (BodyWall){ -w.distance - 2.0f * thick, vec3_scale(w.normal, -1.0f) };
}

// Walls near a point of the surface. They are asked for a little way inside the body, at arm + in, and
// continued to the surface as planes: what rests on a solid sinks in a little, and there the nearest way out
// may be another.
static int walls_at(const Search* s, TarnVec3 arm, TarnVec3 in, float reach, BodyWall* out, int max)
{
    bool is_sheet = s->obstacle->is_sheet;
    float far = reach + vec3_length(in) + (is_sheet && max == 1 ? 0.5f * s->body->radius : 0.0f);
    TarnVec3 q = vec3_add(arm, in);
    int n = s->obstacles->walls(s->obstacles->self, s->obstacle, vec3_add(s->at, q), far,
                                s->body->freedom == TARN_BODY_PLANAR, out, max);
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        BodyWall w = is_sheet ? right_side(s, q, out[i]) : out[i];
        w.distance -= vec3_dot(w.normal, in);
        bool is_sane = w.distance > -1e9f && tarn__is_finite3(w.normal); // callbacks may err
        if (is_sane && w.distance < reach) out[kept++] = w;
    }
    return kept;
}

static BodyWall nearest_at(const Search* s, TarnVec3 arm, TarnVec3 in, float reach)
{
    BodyWall wall = { .distance = reach };
    walls_at(s, arm, in, reach, &wall, 1);
    return wall;
}

// The way of a point of the body relative to the obstacle in this substep.
static TarnVec3 way_of(const Search* s, TarnVec3 arm)
{
    TarnVec3 p = vec3_add(s->at, arm), from = vec3_sub(p, s->obstacle->motion.position);
    TarnVec3 turn = vec3_cross(s->obstacle->motion.angular_velocity, from);
    TarnVec3 surface = vec3_add(s->obstacle->motion.velocity, turn);
    return vec3_scale(vec3_sub(tarn__body_velocity_at(s->body, p), surface), s->h);
}

// Does a ball at a point of the body come to touch? Those that pass by must not be stopped. Goes as far as
// the distance lets it, so that it jumps over nothing.
static bool is_coming(const Search* s, TarnVec3 arm, float radius, float distance)
{
    TarnVec3 way = way_of(s, arm);
    float length = vec3_length(way), gone = 0.0f;
    for (int i = 0; i < 12 && distance > s->margin; ++i) {
        gone += distance - 0.5f * s->margin;
        if (!(gone < length)) return false;
        TarnVec3 there = vec3_add(arm, vec3_scale(way, gone / length));
        float limit = radius + s->margin + (length - gone);
        distance = nearest_at(s, there, zero, limit + s->margin).distance - radius;
    }
    return true;
}

static void add(Search* s, TarnVec3 arm, float radius, float distance, TarnVec3 normal)
{
    if (!(distance <= s->reach) || s->n == MAX_FOUND) return;
    if (!is_coming(s, arm, radius, distance)) return;
    TarnVec3 point = vec3_sub(arm, vec3_scale(normal, radius + 0.5f * distance));
    s->found[s->n++] = (ContactPoint){ point, normal, distance };
}

// ---- Points -----------------------------------------------------------------------------------------

static void add_ball(Search* s, TarnVec3 arm, float radius)
{
    BodyWall wall[MAX_WALLS];
    int n = walls_at(s, arm, zero, s->reach + radius, wall, MAX_WALLS);
    for (int i = 0; i < n; ++i) add(s, arm, radius, wall[i].distance - radius, wall[i].normal);
}

static void add_corner(Search* s, TarnVec3 arm)
{
    BodyWall wall[MAX_WALLS];
    TarnVec3 in = vec3_scale(arm, -s->margin / vec3_length(arm));
    int n = walls_at(s, arm, in, s->reach, wall, MAX_WALLS);
    for (int i = 0; i < n; ++i) add(s, arm, 0.0f, wall[i].distance, wall[i].normal);
}

// ---- Edges and axes -----------------------------------------------------------------------------------

typedef struct Line {
    TarnVec3 p, q;
    float radius;    // of a capsule, 0: an edge
    TarnVec3 out[2]; // of an edge: minus the normals of its faces
    TarnVec3 in;     // of an edge: unit, between them
} Line;

static TarnVec3 line_point(const Line* line, float t)
{
    return vec3_add(line->p, vec3_scale(vec3_sub(line->q, line->p), t));
}

// Distance of a point of the line, with a normal that it can have. Far away where it can have none.
static float line_distance(const Search* s, const Line* line, float t, TarnVec3* normal)
{
    const float nothing = 1e30f;
    BodyWall wall = { .distance = nothing };
    TarnVec3 in = vec3_scale(line->in, s->margin);
    if (walls_at(s, line_point(line, t), in, s->reach + line->radius, &wall, 1) < 1) return nothing;
    *normal = wall.normal;
    if (line->radius > 0.0f) return wall.distance - line->radius;
    TarnVec3 along = vec3_normalize(vec3_sub(line->q, line->p));
    TarnVec3 n =
        vec3_sub(wall.normal, vec3_scale(along, vec3_dot(along, wall.normal))); // across the edge
    float a = vec3_dot(n, line->out[0]), b = vec3_dot(n, line->out[1]);
    float fold = vec3_dot(line->out[0], line->out[1]);
    if (a < b * fold) n = line->out[1]; // outside of the cone: to its nearer rim
    if (b < a * fold) n = line->out[0];
    n = vec3_normalize(n);
    float share = vec3_dot(n, wall.normal);
    if (!(share > 0.3f)) return nothing;
    *normal = n;
    return wall.distance < 0.0f ? wall.distance / share : wall.distance;
}

static void add_line_point(Search* s, const Line* line, float t)
{
    TarnVec3 normal;
    float d = line_distance(s, line, t, &normal);
    if (d <= s->reach) add(s, line_point(line, t), line->radius, d, normal);
}

// The point of it that is nearest, and the ends of the part that is as near.
static void add_line(Search* s, const Line* line)
{
    float d[EDGE_POINTS], step = 1.0f / (EDGE_POINTS - 1);
    TarnVec3 normal;
    int best = 0;
    for (int i = 0; i < EDGE_POINTS; ++i) {
        d[i] = line_distance(s, line, step * (float)i, &normal);
        if (d[i] < d[best]) best = i;
    }
    if (!(d[best] <= s->reach)) return;
    float limit = d[best] + 0.25f * s->margin;
    if (best > 0 && best < EDGE_POINTS - 1) add_line_point(s, line, step * (float)best);
    for (int side = -1; side <= 1; side += 2) {
        int last = best;
        while (last + side >= 0 && last + side < EDGE_POINTS && d[last + side] <= limit)
            last += side;
        if (last + side < 0 || last + side >= EDGE_POINTS) continue; // a corner, which has its own
        float in = step * (float)last, out = step * (float)(last + side);
        for (int k = 0; k < BISECTIONS; ++k) {
            float mid = 0.5f * (in + out);
            if (line_distance(s, line, mid, &normal) <= limit)
                in = mid;
            else
                out = mid;
        }
        if (in > 0.0f && in < 1.0f) add_line_point(s, line, in);
    }
}

// The faces on both sides of an edge.
static bool find_sides(const Poly* poly, Line* line, float tolerance)
{
    int n = 0;
    for (int f = 0; f < poly->n_faces && n < 2; ++f) {
        BodyPlane plane = poly->face[f];
        if (fabsf(vec3_dot(plane.normal, line->p) - plane.offset) > tolerance) continue;
        if (fabsf(vec3_dot(plane.normal, line->q) - plane.offset) > tolerance) continue;
        line->out[n++] = vec3_scale(plane.normal, -1.0f);
    }
    line->in = vec3_normalize(vec3_add(line->out[0], line->out[1]));
    return n == 2;
}

static void add_edges(Search* s)
{
    for (int e = 0; e < s->poly.n_edges; ++e) {
        Line line = { .p = s->poly.v[s->poly.edge[e][0]], .q = s->poly.v[s->poly.edge[e][1]] };
        float half = 0.5f * vec3_length(vec3_sub(line.q, line.p)), limit = half + s->reach;
        if (nearest_at(s, line_point(&line, 0.5f), zero, limit).distance >= limit) continue;
        if (find_sides(&s->poly, &line, 1e-4f * s->body->radius)) add_line(s, &line);
    }
}

// ---- Faces --------------------------------------------------------------------------------------------

static TarnVec3 into_polygon(const TarnVec3* p, int n, TarnVec3 q)
{
    TarnVec3 best = p[0];
    float nearest = INFINITY;
    for (int i = 2; i < n; ++i) {
        TarnVec3 on = tarn__closest_on_triangle(q, p[0], p[i - 1], p[i]), d = vec3_sub(q, on);
        if (vec3_dot(d, d) < nearest) nearest = vec3_dot(d, d), best = on;
    }
    return best;
}

// What is nearest beside the face, not before it, is met by its edges.
static void add_face_point(Search* s, const TarnVec3* polygon, int n, TarnVec3 out, TarnVec3 p,
                           float far)
{
    TarnVec3 in = vec3_scale(out, s->margin);
    BodyWall wall = nearest_at(s, p, in, far);
    for (int k = 0; k < PROJECTIONS && wall.distance > 0.0f && wall.distance < far; ++k) {
        TarnVec3 foot = vec3_sub(p, vec3_scale(wall.normal, wall.distance));
        TarnVec3 above = vec3_add(foot, vec3_scale(out, vec3_dot(out, vec3_sub(p, foot))));
        p = into_polygon(polygon, n, foot);
        TarnVec3 aside = vec3_sub(p, above);
        if (vec3_dot(aside, aside) > s->margin * s->margin) return;
        wall = nearest_at(s, p, in, far);
    }
    float share = vec3_dot(out, wall.normal);
    if (!(wall.distance <= s->reach && share > 0.3f)) return;
    add(s, p, 0.0f, wall.distance < 0.0f ? wall.distance / share : wall.distance, out);
}

static void add_faces(Search* s)
{
    TarnVec3 polygon[BODY_MAX_POINTS];
    for (int f = 0; f < s->poly.n_faces; ++f) {
        int n = tarn__poly_polygon(&s->poly, f, polygon);
        TarnVec3 middle = zero, out = vec3_scale(s->poly.face[f].normal, -1.0f);
        for (int i = 0; i < n; ++i)
            middle = vec3_add(middle, vec3_scale(polygon[i], 1.0f / (float)n));
        float size2 = 0.0f;
        for (int i = 0; i < n; ++i) {
            TarnVec3 d = vec3_sub(polygon[i], middle);
            size2 = tarn_maxf(size2, vec3_dot(d, d));
        }
        float far = sqrtf(size2) + s->reach;
        if (nearest_at(s, middle, zero, far).distance >= far) continue;
        add_face_point(s, polygon, n, out, middle, far);
        for (int i = 0; i < n && i < 4; ++i) {
            TarnVec3 p = vec3_scale(vec3_add(middle, polygon[i]), 0.5f);
            add_face_point(s, polygon, n, out, p, far);
        }
    }
}

// ---- Obstacles ------------------------------------------------------------------------------------------

static void search_field(Search* s)
{
    TarnVec3 size = s->body->shape.size;
    float around = s->body->radius + s->reach;
    if (nearest_at(s, zero, zero, around).distance >= around) return;
    if (s->body->shape.kind == TARN_SHAPE_CAPSULE) {
        TarnVec3 end = body_to_world(s->body, (TarnVec3){ 0.0f, size.y, 0.0f });
        Line axis = { .p = vec3_scale(end, -1.0f), .q = end, .radius = size.x };
        add_ball(s, axis.p, size.x);
        add_ball(s, axis.q, size.x);
        add_line(s, &axis);
    } else if (s->body->shape.kind != TARN_SHAPE_BOX && s->body->shape.kind != TARN_SHAPE_HULL) {
        add_ball(s, zero, s->body->radius);
    } else {
        tarn__poly_make(&s->poly, s->body, zero);
        for (int i = 0; i < s->poly.n_points; ++i) add_corner(s, s->poly.v[i]);
        add_edges(s);
        add_faces(s);
    }
}

static void make_stand_in(const BodyObstacle* obstacle, TarnBody* out)
{
    TarnVec3 size = obstacle->size;
    *out = (TarnBody){ .is_used = true, .is_driven = true, .state = obstacle->motion };
    out->shape = (TarnShape){ .kind = obstacle->shape, .size = size };
    out->radius = obstacle->shape == TARN_SHAPE_BOX       ? vec3_length(size)
                  : obstacle->shape == TARN_SHAPE_CAPSULE ? size.x + size.y
                                                          : size.x;
    tarn__body_update_rotation(out);
}

// Far contacts count if the body overlaps somewhere along its path, which is tested in steps that it cannot
// jump over.
static bool is_shape_coming(const Search* s, const TarnBody* stand_in)
{
    TarnVec3 way = way_of(s, zero);
    ContactPoint p[CONTACT_MAX_POINTS];
    TarnBody moved = *s->body;
    if (moved.shape.kind == TARN_SHAPE_HULL) moved.shape.points = moved.points;
    float step = tarn_maxf(tarn__body_inner_radius(s->body), 0.01f * vec3_length(way));
    int n = 1 + (int)(vec3_length(way) / step);
    for (int i = 1; i <= n; ++i) {
        moved.state.position = vec3_add(s->at, vec3_scale(way, (float)i / (float)n));
        if (tarn__collide(&moved, stand_in, s->margin, p) > 0) return true;
    }
    return false;
}

static void search_shape(Search* s)
{
    TarnBody stand_in;
    make_stand_in(s->obstacle, &stand_in);
    TarnVec3 between = vec3_sub(stand_in.state.position, s->at);
    float near = s->body->radius + stand_in.radius + s->reach;
    if (!(vec3_dot(between, between) <= near * near)) return;
    s->n = tarn__collide(s->body, &stand_in, s->reach, s->found);
    float nearest = INFINITY;
    for (int i = 0; i < s->n; ++i) nearest = tarn_minf(nearest, s->found[i].distance);
    if (nearest > s->margin && !is_shape_coming(s, &stand_in)) s->n = 0;
}

int tarn__collide_obstacle(const BodyObstacles* obstacles, const BodyObstacle* obstacle,
                           const TarnBody* body, float margin, float reach, float h,
                           ContactPoint* out)
{
    Search s;
    s.obstacles = obstacles, s.obstacle = obstacle, s.body = body;
    s.at = body->state.position;
    s.margin = margin, s.reach = reach, s.h = h;
    s.n = 0;
    if (obstacle->kind == BODY_OBSTACLE_GROUND)
        return tarn__collide_ground(&obstacle->ground, body, reach, out);
    if (obstacle->kind == BODY_OBSTACLE_SHAPE)
        search_shape(&s);
    else
        search_field(&s);
    // Walls of a corner meet the body at one point: they differ by their normals.
    return tarn__spread_points(s.found, s.n, body->radius, 1.0f, out, CONTACT_MAX_POINTS);
}
