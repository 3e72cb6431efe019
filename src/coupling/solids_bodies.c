// Solids as obstacles of bodies. Solids that stand for bodies, and drains, are left out.

#include "tarn/coupling.h"
#include "base/maths.h"
#include "bodies/bodies.h"
#include "particles/solids_internal.h"

static TarnVec3 ball_corner(TarnVec3 center, float r)
{
    return (TarnVec3){ center.x + r, center.y + r, center.z + r };
}

// Only shapes that a body can have, and that are solid inside. In the plane a shape is what its section is. Balls and
// capsules that are level ground to a body of this reach [m] are not: a face would rock on the one point in which it
// touches them. As a field they carry all of its corners, and the face bends into them by reach / 200 at most.
static bool find_shape(const TarnSolidDef* def, float reach, bool is_planar, BodyObstacle* out)
{
    int kind = def->shape.kind;
    bool is_shape =
        kind == TARN_SHAPE_SPHERE || kind == TARN_SHAPE_BOX || kind == TARN_SHAPE_CAPSULE;
    bool is_level = kind != TARN_SHAPE_BOX && def->shape.size.x > 100.0f * reach;
    if (is_planar || is_level || def->is_inside_out || !is_shape) return false;
    out->kind = BODY_OBSTACLE_SHAPE;
    out->shape = kind;
    out->size = def->shape.size;
    return true;
}

static bool find_ground(const TarnSolidDef* def, BodyObstacle* out)
{
    TarnQuat q = out->motion.rotation;
    bool is_upright = q.x == 0.0f && q.y == 0.0f && q.z == 0.0f;
    if (def->shape.kind != TARN_SHAPE_TERRAIN || def->is_inside_out || !is_upright) return false;
    out->kind = BODY_OBSTACLE_GROUND;
    out->ground = (BodyBasin){ .nx = def->shape.heights.nx,
                               .nz = def->shape.heights.nz,
                               .dx = def->shape.dx };
    out->ground.origin = (TarnVec2){ def->shape.origin.x + out->motion.position.x,
                                     def->shape.origin.z + out->motion.position.z };
    out->ground.ground = def->shape.heights;
    out->ground.level = out->motion.position.y;
    out->ground.is_endless = true;
    return true;
}

static int near(const void* self, TarnVec3 center, float radius, float t, bool is_planar,
                BodyObstacle* out, int max)
{
    enum { MOST = 128 };
    const TarnSolids* solids = self;
    int slots[MOST], n = 0;
    int found = tarn__solids_near(solids, ball_corner(center, -radius), ball_corner(center, radius),
                                  slots, MOST);
    for (int i = 0; i < found && n < max; ++i) {
        const TarnSolidDef* def = tarn__solids_def(solids, slots[i]);
        if (tarn__solids_is_body(solids, slots[i]) || def->touch == TARN_TOUCH_KILL) continue;
        BodyObstacle* o = &out[n++];
        *o = (BodyObstacle){ .kind = BODY_OBSTACLE_FIELD, .key = slots[i], .t = t };
        o->motion = tarn__solids_motion(solids, slots[i], t);
        o->friction = def->friction;
        o->restitution = def->restitution;
        o->is_sheet = tarn__solids_is_sheet(solids, slots[i]);
        o->thickness = def->shape.thickness;
        if (!find_shape(def, radius, is_planar, o)) find_ground(def, o);
    }
    return n;
}

static int walls(const void* self, const BodyObstacle* obstacle, TarnVec3 p, float reach,
                 bool is_planar, BodyWall* out, int max)
{
    enum { MOST = 8 };
    SolidContact c[MOST];
    int n = tarn__solids_contacts(self, &obstacle->key, 1, obstacle->t, is_planar ? 2 : 3, p, reach,
                                  c, max < MOST ? max : MOST);
    for (int i = 0; i < n; ++i) out[i] = (BodyWall){ c[i].distance, c[i].normal };
    return n;
}

static bool sweep(const void* self, float t0, float t1, bool is_planar, TarnVec3 a, TarnVec3 b,
                  float radius, TarnVec3* end, BodyHit* hit)
{
    enum { MOST = 128 };
    const TarnSolids* solids = self;
    int slots[MOST], n = 0, slot = -1;
    TarnVec3 lo = { tarn_minf(a.x, b.x), tarn_minf(a.y, b.y), tarn_minf(a.z, b.z) };
    TarnVec3 hi = { tarn_maxf(a.x, b.x), tarn_maxf(a.y, b.y), tarn_maxf(a.z, b.z) };
    int found =
        tarn__solids_near(solids, ball_corner(lo, -radius), ball_corner(hi, radius), slots, MOST);
    for (int i = 0; i < found; ++i) {
        bool is_drain = tarn__solids_touch(solids, slots[i]) == TARN_TOUCH_KILL;
        if (!is_drain && !tarn__solids_is_body(solids, slots[i])) slots[n++] = slots[i];
    }
    if (n == 0) return false;
    float at = 1.0f; // where it goes on from there is the business of contacts
    tarn__solids_sweep(solids, slots, n, t0, t1, is_planar ? 2 : 3, a, b, radius, &slot,
                       &hit->normal, &at);
    if (slot < 0) return false;
    *end = vec3_add(a, vec3_scale(vec3_sub(b, a), at));
    TarnMotion m = tarn__solids_motion(solids, slot, t1);
    TarnVec3 turn = vec3_cross(m.angular_velocity, vec3_sub(*end, m.position));
    hit->velocity = vec3_add(m.velocity, turn);
    hit->restitution = tarn__solids_restitution(solids, slot);
    return true;
}

TarnResult tarn_couple_bodies_solids(TarnBodies* bodies, const TarnSolids* solids)
{
    if (bodies == NULL) return TARN_ERR_ARG;
    BodyObstacles obstacles = { .self = solids, .near = near, .walls = walls, .sweep = sweep };
    tarn__bodies_set_obstacles(bodies, solids ? &obstacles : NULL);
    return TARN_OK;
}
