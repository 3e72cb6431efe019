// Shapes: what all owners of shapes share.

#include "base/shape.h"
#include "base/maths.h"

const char* const tarn__shape_names[] = { SHAPE_NAMES, NULL };

const char* tarn_shape_name(int kind)
{
    return kind >= 0 && kind < TARN_SHAPE_KINDS ? tarn__shape_names[kind] : "none";
}

// ---- Making them ------------------------------------------------------------------------------------

TarnShape tarn_shape_point(void)
{
    return (TarnShape){ .kind = TARN_SHAPE_POINT };
}
TarnShape tarn_shape_line(float half_length)
{
    return (TarnShape){ .kind = TARN_SHAPE_LINE, .size = { half_length, 0.0f, 0.0f } };
}
TarnShape tarn_shape_disc(float radius)
{
    return (TarnShape){ .kind = TARN_SHAPE_DISC, .size = { radius, 0.0f, 0.0f } };
}
TarnShape tarn_shape_sphere(float radius)
{
    return (TarnShape){ .kind = TARN_SHAPE_SPHERE, .size = { radius, 0.0f, 0.0f } };
}
TarnShape tarn_shape_box(float half_x, float half_y, float half_z)
{
    return (TarnShape){ .kind = TARN_SHAPE_BOX, .size = { half_x, half_y, half_z } };
}
TarnShape tarn_shape_box_between(TarnVec3 low, TarnVec3 high, TarnVec3* position)
{
    *position = vec3_scale(vec3_add(high, low), 0.5f);
    return (TarnShape){ .kind = TARN_SHAPE_BOX, .size = vec3_scale(vec3_sub(high, low), 0.5f) };
}
TarnShape tarn_shape_capsule(float radius, float half_length)
{
    return (TarnShape){ .kind = TARN_SHAPE_CAPSULE, .size = { radius, half_length, 0.0f } };
}
TarnShape tarn_shape_cylinder(float radius, float half_length)
{
    return (TarnShape){ .kind = TARN_SHAPE_CYLINDER, .size = { radius, half_length, 0.0f } };
}
TarnShape tarn_shape_hull(const TarnVec3* points, int n_points)
{
    return (TarnShape){ .kind = TARN_SHAPE_HULL, .points = points, .n_points = n_points };
}
TarnShape tarn_shape_convex(const TarnPlane* planes, int n_planes)
{
    return (TarnShape){ .kind = TARN_SHAPE_CONVEX, .planes = planes, .n_planes = n_planes };
}
TarnShape tarn_shape_mesh(const TarnVec3* points, int n_points, const int* triangles,
                          int n_triangles)
{
    return (TarnShape){ .kind = TARN_SHAPE_MESH,
                        .points = points,
                        .n_points = n_points,
                        .triangles = triangles,
                        .n_triangles = n_triangles };
}
TarnShape tarn_shape_distance(const float* distances, int nx, int ny, int nz, float dx,
                              TarnVec3 origin)
{
    return (TarnShape){ .kind = TARN_SHAPE_DISTANCE,
                        .distances = distances,
                        .nx = nx,
                        .ny = ny,
                        .nz = nz,
                        .dx = dx,
                        .origin = origin };
}
TarnShape tarn_shape_function(TarnDistanceFn* distance, void* user, float radius)
{
    return (TarnShape){
        .kind = TARN_SHAPE_FUNCTION, .distance = distance, .user = user, .radius = radius
    };
}
TarnShape tarn_shape_terrain(TarnView2 heights, float dx, TarnVec3 origin)
{
    return (
        TarnShape){ .kind = TARN_SHAPE_TERRAIN, .heights = heights, .dx = dx, .origin = origin };
}
TarnShape tarn_shape_span(TarnSpanFn* span, void* user, float radius, float volume)
{
    return (TarnShape){
        .kind = TARN_SHAPE_SPAN, .span = span, .user = user, .radius = radius, .volume = volume
    };
}
TarnShape tarn_shape_surface(int solid)
{
    return (TarnShape){ .kind = TARN_SHAPE_SURFACE, .solid = solid };
}

// ---- Checks -----------------------------------------------------------------------------------------

TarnResult tarn__shape_check_kind(TarnContext* ctx, const char* owner, int kind, unsigned allowed)
{
    const TarnParam shape = { .name = "shape",
                              .type = TARN_PARAM_ENUM,
                              .max = TARN_SHAPE_KINDS - 1,
                              .names = tarn__shape_names,
                              .allowed = allowed };
    return tarn__param_check_enum(ctx, owner, &shape, kind);
}

TarnResult tarn__shape_check_size(TarnContext* ctx, const char* owner, const TarnShape* shape,
                                  float low, float high)
{
    static const int numbers[TARN_SHAPE_KINDS] = {
        [TARN_SHAPE_LINE] = 1, [TARN_SHAPE_DISC] = 1,    [TARN_SHAPE_SPHERE] = 1,
        [TARN_SHAPE_BOX] = 3,  [TARN_SHAPE_CAPSULE] = 2, [TARN_SHAPE_CYLINDER] = 2,
    };
    const float size[3] = { shape->size.x, shape->size.y, shape->size.z };
    for (int i = 0; i < numbers[shape->kind]; ++i) {
        float least = shape->kind == TARN_SHAPE_CAPSULE && i == 1 ? 0.0f : low;
        if (size[i] >= least && size[i] <= high) continue; // not NaN
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "%s.shape.size.%c: %g m is out of range; allowed: %g to %g m", owner,
                          "xyz"[i], (double)size[i], (double)least, (double)high);
    }
    return TARN_OK;
}

TarnResult tarn__pose_check(TarnContext* ctx, const char* owner, const TarnPose* pose)
{
    TarnVec3 p = pose->position;
    TarnQuat q = pose->rotation;
    double length2 = (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w;
    if (!tarn__all_within(&p, 3, 1e6f))
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "%s.pose.position: (%g, %g, %g) m is out of range; allowed: -1e6 to 1e6 m", owner,
            (double)p.x, (double)p.y, (double)p.z);
    if (length2 > 0.81 && length2 < 1.21) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "%s.pose.rotation: (%g, %g, %g, %g) is not a unit quaternion; no rotation is "
                      "(0, 0, 0, 1)",
                      owner, (double)q.x, (double)q.y, (double)q.z, (double)q.w);
}

// ---- Volumes ----------------------------------------------------------------------------------------

TarnVec3 tarn__shape_extent(const TarnShape* s)
{
    TarnVec3 size = s->size;
    if (s->kind == TARN_SHAPE_BOX) return size;
    float y = s->kind == TARN_SHAPE_CAPSULE    ? size.y + size.x
              : s->kind == TARN_SHAPE_CYLINDER ? size.y
                                               : size.x;
    return (TarnVec3){ size.x, y, size.x };
}

float tarn__shape_reach(const TarnShape* s)
{
    TarnVec3 size = s->size;
    if (s->kind == TARN_SHAPE_SPHERE) return size.x;
    if (s->kind == TARN_SHAPE_CAPSULE) return size.x + size.y;
    if (s->kind == TARN_SHAPE_CYLINDER) return sqrtf(size.x * size.x + size.y * size.y);
    return vec3_length(size);
}

double tarn__shape_volume(const TarnShape* s)
{
    double x = (double)s->size.x, y = (double)s->size.y, z = (double)s->size.z;
    double ball = 4.18879 * x * x * x, pipe = 6.28319 * x * x * y;
    return s->kind == TARN_SHAPE_SPHERE     ? ball
           : s->kind == TARN_SHAPE_BOX      ? 8.0 * x * y * z
           : s->kind == TARN_SHAPE_CYLINDER ? pipe
                                            : pipe + ball;
}

float tarn__shape_depth(const TarnShape* s, TarnVec3 p)
{
    if (s->kind == TARN_SHAPE_CAPSULE) p.y -= tarn_clampf(p.y, -s->size.y, s->size.y);
    if (s->kind == TARN_SHAPE_SPHERE || s->kind == TARN_SHAPE_CAPSULE)
        return 1.0f - vec3_length(p) / s->size.x;
    if (s->kind == TARN_SHAPE_CYLINDER) {
        float r = 1.0f - sqrtf(p.x * p.x + p.z * p.z) / s->size.x;
        return tarn_minf(r, 1.0f - fabsf(p.y) / s->size.y);
    }
    float x = 1.0f - fabsf(p.x) / s->size.x, z = 1.0f - fabsf(p.z) / s->size.z;
    return tarn_minf(tarn_minf(x, z), 1.0f - fabsf(p.y) / s->size.y);
}

// From the middle to one side, in double: the bounds of an upright box are as near to what was meant as
// floats are.
static float beside(float middle, double by)
{
    return (float)((double)middle + by);
}

PlacedShape tarn__shape_place(const TarnShape* shape, const TarnPose* pose)
{
    PlacedShape s = { .shape = *shape, .pose = *pose };
    s.pose.rotation = quat_normalize(pose->rotation);
    TarnQuat q = s.pose.rotation;
    TarnVec3 half = tarn__shape_extent(shape), p = pose->position;
    bool is_upright = q.x == 0.0f && q.y == 0.0f && q.z == 0.0f;
    s.is_upright_box = is_upright && shape->kind == TARN_SHAPE_BOX;
    if (!is_upright) { // a little more than the sphere around it
        float r = 1.00001f * tarn__shape_reach(shape);
        half = (TarnVec3){ r, r, r };
    }
    s.low = (TarnVec3){ beside(p.x, -(double)half.x), beside(p.y, -(double)half.y),
                        beside(p.z, -(double)half.z) };
    s.high = (TarnVec3){ beside(p.x, (double)half.x), beside(p.y, (double)half.y),
                         beside(p.z, (double)half.z) };
    return s;
}

bool tarn__shape_holds_near(const PlacedShape* s, TarnVec3 p)
{
    TarnVec3 local = quat_rotate_inverse(s->pose.rotation, vec3_sub(p, s->pose.position));
    return tarn__shape_depth(&s->shape, local) >= 0.0f;
}
