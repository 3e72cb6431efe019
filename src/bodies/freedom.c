// Which motions a body has: all, those of the plane z = 0, or the turn about a fixed axis.
//
// A planar body has no mass along z and turns about z only; a hinged one has no way to go at all. Both
// follow from two questions that forces, contacts and couplings ask: which part of a push moves the
// body (tarn__body_free_part), and what a torque makes of its spin (tarn__body_inertia_inv).

#include "bodies/bodies_internal.h"

TarnVec3 tarn__body_free_part(const TarnBody* body, TarnVec3 v)
{
    if (body->freedom == TARN_BODY_FREE) return v;
    if (body->freedom == TARN_BODY_PLANAR) return (TarnVec3){ v.x, v.y, 0.0f };
    return (TarnVec3){ 0.0f, 0.0f, 0.0f };
}

void tarn__body_drop_velocity(TarnBody* body)
{
    if (body->freedom == TARN_BODY_FREE) return;
    TarnBodyState* s = &body->state;
    s->velocity = tarn__body_free_part(body, s->velocity);
    s->angular_velocity = vec3_scale(body->axis, vec3_dot(body->axis, s->angular_velocity));
}

// Inertia about a local unit axis, from the inverse tensor [1/(kg m^2)]. The axis of a planar or hinged
// body is fixed in the body, too, so this never changes. It is not a^T I^-1 a: a body that may turn
// freely gives way more easily than one on a hinge, unless the axis is a principal one.
static float ease_about(const TarnBody* body, TarnVec3 axis)
{
    const float* m = body->inertia_inv; // I = m^-1, so a^T I a = a^T adj(m) a / det(m)
    double a = m[0], b = m[1], c = m[2], d = m[4], e = m[5], f = m[8]; // symmetric
    double adj[6] = { d * f - e * e, c * e - b * f, b * e - c * d,
                      a * f - c * c, b * c - a * e, a * d - b * b }; // xx, xy, xz, yy, yz, zz
    double det = a * adj[0] + b * adj[1] + c * adj[2], x = axis.x, y = axis.y, z = axis.z;
    double about = adj[0] * x * x + adj[3] * y * y + adj[5] * z * z +
                   2.0 * (adj[1] * x * y + adj[2] * x * z + adj[4] * y * z);
    return about > 0.0 ? (float)(det / about) : 0.0f;
}

void tarn__body_set_freedom(TarnBody* body, int freedom, TarnVec3 axis)
{
    if (freedom == TARN_BODY_PLANAR) axis = (TarnVec3){ 0.0f, 0.0f, 1.0f };
    body->freedom = freedom;
    body->axis = vec3_normalize(axis);
    const float* m = body->inertia_inv; // no axis is easier than their sum, however thin the body
    float ease = ease_about(body, body_to_local(body, body->axis));
    body->spin_ease = tarn_clampf(ease, 0.0f, m[0] + m[4] + m[8]);
    tarn__body_drop_velocity(body);
}
