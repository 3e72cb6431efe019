// Random points on the surface of a solid, for particles that are born there.
//
// Spheres, boxes, capsules, cylinders and meshes are drawn from evenly, by area. Of other shapes a random point of the
// bounds goes to the nearest point of the surface, which favors what sticks out.

#include "particles/solids_parts.h"

// A stream of numbers of one particle.
typedef struct Draws {
    uint64_t seed, stream, at;
} Draws;

static float next(Draws* d)
{
    return tarn__random01(d->seed, d->stream, d->at++);
}

static TarnVec3 unit_vector(Draws* d)
{
    float s, c, y = 2.0f * next(d) - 1.0f, r = sqrtf(tarn_maxf(0.0f, 1.0f - y * y));
    tarn_sincos(6.2831853f * next(d), &s, &c);
    return (TarnVec3){ r * c, y, r * s };
}

static void on_box(TarnVec3 half, Draws* d, TarnVec3* p, TarnVec3* n)
{
    float xy = half.x * half.y, yz = half.y * half.z, zx = half.z * half.x;
    float pick = next(d) * (xy + yz + zx), side = next(d) < 0.5f ? -1.0f : 1.0f;
    float u = 2.0f * next(d) - 1.0f, v = 2.0f * next(d) - 1.0f;
    *p = (TarnVec3){ u * half.x, v * half.y, side * half.z }; // of the faces towards z
    *n = (TarnVec3){ 0.0f, 0.0f, side };
    if (pick < yz) {
        *p = (TarnVec3){ side * half.x, u * half.y, v * half.z };
        *n = (TarnVec3){ side, 0.0f, 0.0f };
    } else if (pick < yz + zx) {
        *p = (TarnVec3){ v * half.x, side * half.y, u * half.z };
        *n = (TarnVec3){ 0.0f, side, 0.0f };
    }
}

static void on_capsule(float radius, float half, Draws* d, TarnVec3* p, TarnVec3* n)
{
    bool is_side = next(d) * (half + radius) < half; // 4 pi r half of 4 pi r (half + r)
    *n = unit_vector(d);
    float along = half;
    if (is_side) {
        float s, c;
        tarn_sincos(6.2831853f * next(d), &s, &c);
        *n = (TarnVec3){ c, 0.0f, s };
        along = half * (2.0f * next(d) - 1.0f);
    } else if (n->y < 0.0f) {
        along = -half;
    }
    *p = vec3_scale(*n, radius);
    p->y += along;
}

static void on_cylinder(float radius, float half, Draws* d, TarnVec3* p, TarnVec3* n)
{
    float s, c, pick = next(d) * (2.0f * half + radius), side = next(d) < 0.5f ? -1.0f : 1.0f;
    float u = next(d);
    tarn_sincos(6.2831853f * next(d), &s, &c);
    if (pick < 2.0f * half) { // 4 pi r half of 4 pi r half + 2 pi r^2
        *n = (TarnVec3){ c, 0.0f, s };
        *p = (TarnVec3){ radius * c, half * (2.0f * u - 1.0f), radius * s };
    } else {
        float r = radius * sqrtf(u);
        *n = (TarnVec3){ 0.0f, side, 0.0f };
        *p = (TarnVec3){ r * c, side * half, r * s };
    }
}

// Triangles by chance, kept with a chance that goes with their area: no table is needed. After some tries
// any will do.
static void on_mesh(const Solid* s, Draws* d, TarnVec3* p, TarnVec3* n)
{
    const TarnVec3* points = s->def.shape.points;
    for (int tries = 0; tries < 64; ++tries) {
        int t = (int)(next(d) * (float)s->def.shape.n_triangles);
        t = t < s->def.shape.n_triangles ? t : s->def.shape.n_triangles - 1;
        const int* c = s->def.shape.triangles + 3 * (size_t)t;
        TarnVec3 a = points[c[0]], ab = vec3_sub(points[c[1]], a), ac = vec3_sub(points[c[2]], a);
        float area = vec3_length(vec3_cross(ab, ac)), chance = next(d) * s->largest_area;
        float u = next(d), v = next(d);
        if (u + v > 1.0f) u = 1.0f - u, v = 1.0f - v;
        *p = vec3_add(a, vec3_add(vec3_scale(ab, u), vec3_scale(ac, v)));
        *n = solid__face_normal(s, t);
        if (chance <= area) return;
    }
}

// Terrain, functions, grids, convex shapes.
static void on_nearest(const Solid* s, Draws* d, TarnVec3* p, TarnVec3* n)
{
    TarnVec3 low = s->low, high = s->high;
    if (!(high.x < solid_far && low.x > -solid_far)) { // a terrain goes on forever
        low = (TarnVec3){ -s->reach, -s->reach, -s->reach };
        high = (TarnVec3){ s->reach, s->reach, s->reach };
    }
    TarnVec3 q = { low.x + next(d) * (high.x - low.x), low.y + next(d) * (high.y - low.y),
                   low.z + next(d) * (high.z - low.z) };
    for (int step = 0; step < 4; ++step) { // distances of functions may be too short
        LocalContact c = tarn__solid_nearest(s, q, NULL, solid_far);
        *n = c.n;
        q = vec3_sub(q, vec3_scale(c.n, c.d));
    }
    *p = q;
}

bool tarn__solids_surface(const TarnSolids* set, int slot, float t, uint64_t seed, uint64_t stream,
                          uint64_t first, SurfacePoint* out)
{
    const Solid* s = &set->solid[slot];
    Draws d = { seed, stream, first };
    TarnVec3 p = { 0.0f, 0.0f, 0.0f }, n = { 0.0f, 1.0f, 0.0f };
    switch (s->def.shape.kind) {
    case TARN_SHAPE_SPHERE:
        n = unit_vector(&d);
        p = vec3_scale(n, s->def.shape.size.x);
        break;
    case TARN_SHAPE_BOX:
        on_box(s->def.shape.size, &d, &p, &n);
        break;
    case TARN_SHAPE_CAPSULE:
        on_capsule(s->def.shape.size.x, s->def.shape.size.y, &d, &p, &n);
        break;
    case TARN_SHAPE_CYLINDER:
        on_cylinder(s->def.shape.size.x, s->def.shape.size.y, &d, &p, &n);
        break;
    case TARN_SHAPE_MESH:
        on_mesh(s, &d, &p, &n);
        break;
    default:
        on_nearest(s, &d, &p, &n);
        break;
    }
    bool is_turned =
        s->def.shape.kind <= TARN_SHAPE_CYLINDER || s->def.shape.kind == TARN_SHAPE_MESH;
    if (s->def.is_inside_out && is_turned) n = vec3_scale(n, -1.0f);
    SolidPose pose = tarn__solid_pose(s, t);
    TarnVec3 arm = quat_rotate(pose.rotation, p);
    out->position = vec3_add(pose.position, arm);
    out->normal = quat_rotate(pose.rotation, n);
    out->velocity =
        vec3_add(s->def.motion.velocity, vec3_cross(s->def.motion.angular_velocity, arm));
    return tarn__all_within(&out->position, 3, solid_max_position);
}

int tarn__solids_by_user(const TarnSolids* set, uint32_t user)
{
    for (int i = 0; i < set->ids.count; ++i) {
        if (set->solid[set->ids.order[i]].def.user == user) return set->ids.order[i];
    }
    return -1;
}
