// Solids as fields of signed distances. Grids ask many points of one solid, so that its pose is worked out
// once, and balls that are clear of the surface answer for all points in them.

#include "particles/solids_distance.h"
#include "particles/solids_parts.h"

void tarn__solid_probe(const TarnSolids* set, int slot, float t, SolidProbe* out)
{
    const Solid* s = &set->solid[slot];
    SolidPose pose = tarn__solid_pose(s, t);
    *out = (SolidProbe){ .solid = s, .box_min = s->box_min, .box_max = s->box_max };
    out->motion = (TarnMotion){ pose.position, pose.rotation, s->velocity, s->spin };
    const TarnVec3 axis[3] = { { 1.0f, 0.0f, 0.0f }, { 0.0f, 1.0f, 0.0f }, { 0.0f, 0.0f, 1.0f } };
    for (int a = 0; a < 3; ++a) {
        TarnVec3 local = quat_rotate_inverse(pose.rotation, axis[a]);
        out->to_local[a] = local.x;
        out->to_local[3 + a] = local.y;
        out->to_local[6 + a] = local.z;
    }
    out->key = tarn_hash(&s->shape_hash, sizeof s->shape_hash, tarn__solids_id(set, slot).value);
    out->key = tarn_hash(&pose, sizeof pose, out->key);
}

static TarnVec3 local_of(const SolidProbe* probe, TarnVec3 p)
{
    const float* m = probe->to_local;
    TarnVec3 d = vec3_sub(p, probe->motion.position);
    return (TarnVec3){ m[0] * d.x + m[1] * d.y + m[2] * d.z, m[3] * d.x + m[4] * d.y + m[5] * d.z,
                       m[6] * d.x + m[7] * d.y + m[8] * d.z };
}

float tarn__solid_distance(const SolidProbe* probe, TarnVec3 p, float reach)
{
    return tarn__solid_nearest(probe->solid, local_of(probe, p), NULL, reach).d;
}

float tarn__solid_distance_normal(const SolidProbe* probe, TarnVec3 p, float reach,
                                  TarnVec3* normal)
{
    LocalContact c = tarn__solid_nearest(probe->solid, local_of(probe, p), NULL, reach);
    const float* m = probe->to_local; // its transpose turns back
    normal->x = m[0] * c.n.x + m[3] * c.n.y + m[6] * c.n.z;
    normal->y = m[1] * c.n.x + m[4] * c.n.y + m[7] * c.n.z;
    normal->z = m[2] * c.n.x + m[5] * c.n.y + m[8] * c.n.z;
    return c.d;
}

SolidSide tarn__solid_side(const SolidProbe* probe, TarnVec3 center, float radius)
{
    const Solid* s = probe->solid;
    TarnVec3 q = local_of(probe, center);
    float r = 1.0001f * radius;
    if (s->def.shape.kind == TARN_SHAPE_TERRAIN) { // its distances look straight down only
        bool is_above = q.y - r > tarn__terrain_highest(s, q.x - r, q.x + r, q.z - r, q.z + r);
        if (!is_above) return SOLID_UNKNOWN;
        return s->def.is_inside_out ? SOLID_INSIDE : SOLID_OUTSIDE;
    }
    float d = tarn__solid_nearest(s, q, NULL, r).d;
    return d > r ? SOLID_OUTSIDE : d < -r ? SOLID_INSIDE : SOLID_UNKNOWN;
}

bool tarn__solid_is_between(const SolidProbe* probe, TarnVec3 a, TarnVec3 b, float clearance)
{
    TarnVec3 from = local_of(probe, a), to = local_of(probe, b);
    return tarn__solid_cast(probe->solid, from, to, NULL, clearance) < 1.0f;
}

float tarn__solid_half_thickness(const SolidProbe* probe)
{
    const TarnSolidDef* def = &probe->solid->def;
    if (def->shape.kind == TARN_SHAPE_TERRAIN) return solid_far; // down to where it has no bottom
    if (def->is_inside_out) return def->shape.kind <= TARN_SHAPE_CONVEX ? solid_far : 0.0f;
    switch (def->shape.kind) {
    case TARN_SHAPE_SPHERE:
    case TARN_SHAPE_CAPSULE:
        return def->shape.size.x;
    case TARN_SHAPE_CYLINDER:
        return tarn_minf(def->shape.size.x, def->shape.size.y);
    case TARN_SHAPE_BOX:
        return tarn_minf(def->shape.size.x, tarn_minf(def->shape.size.y, def->shape.size.z));
    default:
        return 0.0f;
    }
}

bool tarn__solid_is_upright_ground(const SolidProbe* probe)
{
    const float* m = probe->to_local;
    bool is_upright = m[1] == 0.0f && m[4] == 1.0f && m[7] == 0.0f;
    return probe->solid->def.shape.kind == TARN_SHAPE_TERRAIN && is_upright;
}
