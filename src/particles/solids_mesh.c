// Triangle meshes as solids: distances with sign, walls near a point, ways that cross no triangle.
// Their building: solids_tree.c.
//
// Method   A tree of boxes, split at the median. The sign of a closed mesh comes from the normal of
//          the nearest feature, weighted by angles at points [Baerentzen2005]. Each triangle is
//          convex, so that a way is followed triangle by triangle as in solids_shapes.c, and none
//          is ever crossed.
// Differs  points in the same place count as one, so that seams of texture maps do not open a mesh.
//          A mesh with an edge that has not exactly one triangle on each side, turned alike, is a
//          shell.
// Checked  tests/unit/test_solids.c against brute force, tests/robust/test_solids_storms.c.
// Cost     56 bytes per triangle and 24 per point; contacts or a way about 2 us (576 triangles).

#include "particles/solids_parts.h"

enum { MAX_DEPTH = 64 }; // of stacks: the tree halves its triangles, and there are 2^24 at most

// ---- Nearest point ------------------------------------------------------------------------------

enum { ON_FACE = 6 }; // 0..2: point, 3..5: edge from point f - 3 on

typedef struct Foot {
    TarnVec3 point;
    int feature;
} Foot;

static Foot on_edge(const TarnVec3 p[3], int e, TarnVec3 q)
{
    TarnVec3 a = p[e], along = vec3_sub(p[(e + 1) % 3], a);
    float l2 = vec3_dot(along, along);
    float s = l2 > 0.0f ? vec3_dot(vec3_sub(q, a), along) / l2 : 0.0f;
    if (!(s > 0.0f)) return (Foot){ a, e };
    if (!(s < 1.0f)) return (Foot){ p[(e + 1) % 3], (e + 1) % 3 };
    return (Foot){ solid__lerp(a, p[(e + 1) % 3], s), 3 + e };
}

static Foot foot_on_triangle(const TarnVec3 p[3], TarnVec3 q)
{
    TarnVec3 n = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
    float n2 = vec3_dot(n, n), best = 1e30f;
    bool is_over = n2 > 0.0f;
    Foot foot = { p[0], 0 };
    for (int e = 0; e < 3; ++e) {
        TarnVec3 along = vec3_sub(p[(e + 1) % 3], p[e]);
        if (is_over && vec3_dot(vec3_cross(n, along), vec3_sub(q, p[e])) > 0.0f) continue;
        is_over = false;
        Foot at = on_edge(p, e, q); // only edges that q lies beyond can hold the nearest point
        TarnVec3 to = vec3_sub(q, at.point);
        float d2 = vec3_dot(to, to);
        if (d2 >= best) continue;
        best = d2;
        foot = at;
    }
    if (!is_over && best < 1e30f) return foot;
    float h = vec3_dot(n, vec3_sub(q, p[0])) / n2;
    return (Foot){ vec3_sub(q, vec3_scale(n, h)), ON_FACE };
}

// The nearest point of the segment in which the section through q cuts a triangle. False: it does
// not.
static bool foot_in_section(const TarnVec3 p[3], TarnVec3 q, TarnVec3 m, Foot* out)
{
    TarnVec3 ends[2];
    int edge[2], n = 0;
    float h[3];
    for (int i = 0; i < 3; ++i) h[i] = vec3_dot(m, vec3_sub(p[i], q));
    for (int e = 0; e < 3 && n < 2; ++e) {
        int f = (e + 1) % 3;
        if ((h[e] < 0.0f) == (h[f] < 0.0f)) continue;
        ends[n] = solid__lerp(p[e], p[f], h[e] / (h[e] - h[f]));
        edge[n++] = 3 + e;
    }
    if (n < 2) return false;
    TarnVec3 along = vec3_sub(ends[1], ends[0]);
    float l2 = vec3_dot(along, along);
    float at = l2 > 0.0f ? vec3_dot(vec3_sub(q, ends[0]), along) / l2 : 0.0f;
    if (!(at > 0.0f))
        *out = (Foot){ ends[0], edge[0] };
    else if (!(at < 1.0f))
        *out = (Foot){ ends[1], edge[1] };
    else
        *out = (Foot){ solid__lerp(ends[0], ends[1], at), ON_FACE };
    return true;
}

static bool find_foot(const TarnVec3 p[3], TarnVec3 q, const TarnVec3* m, Foot* out)
{
    if (m != NULL) return foot_in_section(p, q, *m, out);
    *out = foot_on_triangle(p, q);
    return true;
}

static void corners(const Solid* s, int t, TarnVec3 p[3])
{
    const int* c = s->def.shape.triangles + 3 * (size_t)t;
    for (int i = 0; i < 3; ++i) p[i] = s->def.shape.points[c[i]];
}

static float box_distance2(const SolidNode* node, TarnVec3 q)
{
    float x = tarn_maxf(0.0f, tarn_maxf(node->low.x - q.x, q.x - node->high.x));
    float y = tarn_maxf(0.0f, tarn_maxf(node->low.y - q.y, q.y - node->high.y));
    float z = tarn_maxf(0.0f, tarn_maxf(node->low.z - q.z, q.z - node->high.z));
    return x * x + y * y + z * z;
}

typedef struct Nearest {
    float d2;
    int triangle;
    Foot foot;
} Nearest;

static Nearest find_nearest(const Solid* s, TarnVec3 q, const TarnVec3* m, float reach)
{
    Nearest best = { reach < 1e15f ? reach * reach : 1e30f, -1, { { 0.0f, 0.0f, 0.0f }, 0 } };
    struct {
        int node;
        float d2;
    } stack[MAX_DEPTH];
    int n = 0;
    stack[n].node = 0, stack[n++].d2 = box_distance2(&s->nodes[0], q);
    while (n > 0) {
        const SolidNode* node = &s->nodes[stack[--n].node];
        if (!(stack[n].d2 < best.d2)) continue;
        for (int t = node->first; t < node->first + node->n; ++t) {
            TarnVec3 p[3];
            Foot foot;
            corners(s, t, p);
            if (!find_foot(p, q, m, &foot)) continue;
            TarnVec3 to = vec3_sub(q, foot.point);
            float d2 = vec3_dot(to, to);
            if (d2 < best.d2) best = (Nearest){ d2, t, foot };
        }
        if (node->n > 0) continue;
        float da = box_distance2(&s->nodes[node->first], q);
        float db = box_distance2(&s->nodes[node->first + 1], q);
        int near = db < da; // the nearer one last, to be looked at first
        stack[n].node = node->first + 1 - near, stack[n++].d2 = near ? da : db;
        stack[n].node = node->first + near, stack[n++].d2 = near ? db : da;
    }
    return best;
}

// Normal of the feature that holds the nearest point.
static TarnVec3 feature_normal(const Solid* s, int t, int feature)
{
    if (feature < 3) return s->normals[s->def.shape.triangles[3 * (size_t)t + (size_t)feature]];
    TarnVec3 n = solid__face_normal(s, t);
    int other = feature == ON_FACE ? -1 : s->beside[3 * (size_t)t + (size_t)feature - 3];
    return other < 0 ? n : vec3_add(n, solid__face_normal(s, other));
}

static LocalContact contact_of(const Solid* s, TarnVec3 q, const TarnVec3* m, const Nearest* best)
{
    TarnVec3 to = vec3_sub(q, best->foot.point);
    TarnVec3 n = feature_normal(s, best->triangle, best->foot.feature);
    if (m != NULL) n = vec3_sub(n, vec3_scale(*m, vec3_dot(n, *m)));
    float d = sqrtf(best->d2);
    bool is_inside = s->is_closed && vec3_dot(to, n) < 0.0f;
    TarnVec3 out = d > 1e-7f ? vec3_scale(to, (is_inside ? -1.0f : 1.0f) / d) : vec3_normalize(n);
    if (!(vec3_dot(out, out) > 0.5f)) out = solid__any_normal(m);
    if (s->is_closed) return (LocalContact){ is_inside ? -d : d, out };
    return (LocalContact){ d - s->def.shape.thickness, out };
}

LocalContact tarn__mesh_nearest(const Solid* s, TarnVec3 q, const TarnVec3* m, float reach)
{
    // A closed mesh is asked without a reach: how deep inside a point is matters at any depth.
    float far = s->is_closed ? solid_far : reach + s->def.shape.thickness;
    Nearest best = find_nearest(s, q, m, far);
    if (best.triangle < 0) return (LocalContact){ solid_far, { 0.0f, 1.0f, 0.0f } };
    return contact_of(s, q, m, &best);
}

// ---- Walls near a point -------------------------------------------------------------------------

typedef struct Wall {
    TarnVec3 point, n; // n towards the particle
    float d;
    bool is_face;
} Wall;

enum { MAX_WALLS = 16 };

static void keep_wall(Wall* walls, int* n, Wall wall)
{
    for (int i = 0; i < *n; ++i) {
        if (vec3_dot(walls[i].n, wall.n) < 0.97f) continue;
        if (wall.d < walls[i].d) walls[i] = wall;
        return;
    }
    if (*n < MAX_WALLS) {
        walls[(*n)++] = wall;
        return;
    }
    int farthest = 0;
    for (int i = 1; i < *n; ++i) {
        if (walls[i].d > walls[farthest].d) farthest = i;
    }
    if (wall.d < walls[farthest].d) walls[farthest] = wall;
}

static int find_walls(const Solid* s, TarnVec3 q, const TarnVec3* m, float reach, Wall* walls)
{
    int stack[MAX_DEPTH], top = 0, n = 0;
    stack[top++] = 0;
    while (top > 0) {
        const SolidNode* node = &s->nodes[stack[--top]];
        if (!(box_distance2(node, q) < reach * reach)) continue;
        for (int t = node->first; t < node->first + node->n; ++t) {
            TarnVec3 p[3];
            Foot foot;
            corners(s, t, p);
            if (!find_foot(p, q, m, &foot)) continue;
            TarnVec3 to = vec3_sub(q, foot.point);
            float d = sqrtf(vec3_dot(to, to));
            if (!(d < reach && d > 1e-7f)) continue;
            Wall wall = { foot.point, vec3_scale(to, 1.0f / d), d, foot.feature == ON_FACE };
            keep_wall(walls, &n, wall);
        }
        if (node->n > 0) continue;
        stack[top++] = node->first;
        stack[top++] = node->first + 1;
    }
    return n;
}

// A wall counts beside the ones kept if it stands up from them, as in a corner; the rest of a flat
// floor, seen at a slant, and the far side of a ridge do not.
static bool stands_up(const Wall* wall, const Wall* kept, int n_kept)
{
    for (int i = 0; i < n_kept; ++i) {
        float height = vec3_dot(kept[i].n, vec3_sub(wall->point, kept[i].point));
        if (!(height > (wall->is_face ? 1e-3f : 0.1f) * kept[i].d)) return false;
    }
    return true;
}

int tarn__mesh_contacts(const Solid* s, TarnVec3 q, const TarnVec3* m, float reach,
                        LocalContact* out, int max)
{
    float thick = s->is_closed ? 0.0f : s->def.shape.thickness;
    LocalContact first = tarn__solid_nearest(s, q, m, reach);
    if (!(first.d < reach && first.d > -1e29f) || max < 1) return 0;
    out[0] = first;
    if (!(first.d + thick > 1e-6f) || max == 1) return 1; // inside: out by the shortest way
    Wall walls[MAX_WALLS], kept[LOCAL_CONTACTS];
    int n = 1, n_walls = find_walls(s, q, m, reach + thick, walls);
    float d0 = first.d + thick;
    kept[0] = (Wall){ vec3_sub(q, vec3_scale(first.n, d0)), first.n, d0, true };
    while (n < max && n < LOCAL_CONTACTS) {
        int next = -1;
        for (int i = 0; i < n_walls; ++i) {
            if (!stands_up(&walls[i], kept, n)) continue;
            if (next < 0 || walls[i].d < walls[next].d) next = i;
        }
        if (next < 0) break;
        kept[n] = walls[next];
        walls[next] = walls[--n_walls];
        out[n] = (LocalContact){ kept[n].d - thick, kept[n].n };
        ++n;
    }
    return n;
}

// ---- Ways ---------------------------------------------------------------------------------------

// As cast_convex in solids_shapes.c, for one triangle; looks no farther than at most.
static float cast_triangle(const TarnVec3 p[3], TarnVec3 q0, TarnVec3 q1, const TarnVec3* m,
                           float thick, float r, float most)
{
    TarnVec3 way = vec3_sub(q1, q0), q = q0;
    TarnVec3 face = vec3_cross(vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]));
    if (m != NULL) face = vec3_sub(face, vec3_scale(*m, vec3_dot(face, *m)));
    face = vec3_normalize(face);
    float length = sqrtf(vec3_dot(way, way)), at = 0.0f, stop = 0.0f;
    for (int i = 0; i < 24; ++i) {
        Foot foot;
        if (!find_foot(p, q, m, &foot)) return most;
        TarnVec3 to = vec3_sub(q, foot.point);
        float l = sqrtf(vec3_dot(to, to)), d = l - thick;
        TarnVec3 n = l > 1e-7f ? vec3_scale(to, 1.0f / l) : face;
        if (i == 0) stop = solid__stop(d, r);
        float rate = vec3_dot(n, way);
        if (!(d + rate * (most - at) < stop - 1e-3f * r)) return most;
        float step = (d - stop) / -rate;
        if (!(step * length > 1e-3f * r)) return at;
        at += step;
        q = solid__lerp(q0, q1, at);
    }
    return at;
}

float tarn__mesh_cast(const Solid* s, TarnVec3 q0, TarnVec3 q1, const TarnVec3* m, float r)
{
    float at = 1.0f, thick = s->is_closed ? 0.0f : s->def.shape.thickness;
    float grow = 1.05f * r + thick;
    TarnVec3 low = solid__lower(q0, q1), high = solid__upper(q0, q1);
    int stack[MAX_DEPTH], top = 0;
    stack[top++] = 0;
    while (top > 0) {
        const SolidNode* node = &s->nodes[stack[--top]];
        bool is_apart = node->low.x > high.x + grow || node->high.x < low.x - grow ||
                        node->low.y > high.y + grow || node->high.y < low.y - grow ||
                        node->low.z > high.z + grow || node->high.z < low.z - grow;
        if (is_apart) continue;
        for (int t = node->first; t < node->first + node->n; ++t) {
            TarnVec3 p[3];
            corners(s, t, p);
            float until = cast_triangle(p, q0, q1, m, thick, r, at);
            if (until >= at) continue;
            at = until;
            TarnVec3 end = solid__lerp(q0, q1, at);
            low = solid__lower(q0, end), high = solid__upper(q0, end);
        }
        if (node->n > 0) continue;
        stack[top++] = node->first;
        stack[top++] = node->first + 1;
    }
    return at;
}
