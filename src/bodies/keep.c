// What contacts could not hold: limits of states, walls and grounds that a body was too fast for.

#include "bodies/bodies_internal.h"

// ---- Limits -------------------------------------------------------------------------------------

static void note_limited(TarnBodies* set, const TarnBody* body, const char* what, const char* unit,
                         float limit)
{
    set->flags |= TARN_STEP_CLAMPED;
    if (set->limited.what != NULL) return;
    TarnVec3 p = body->state.position;
    set->limited = (TarnStepLimit){ .what = what,
                                    .solver = "bodies",
                                    .unit = unit,
                                    .limit = limit,
                                    .index = (int)(body - set->body),
                                    .position = tarn__is_finite3(p) ? p : (TarnVec3){ 0 } };
}

// Into the ball of radius limit; NaN gives zero.
static TarnVec3 limit_length(TarnVec3 v, float limit, bool* is_limited)
{
    double x = v.x, y = v.y, z = v.z;
    double length = sqrt(x * x + y * y + z * z);
    if (length <= limit) return v;
    *is_limited = true;
    if (tarn__is_finite3(v)) {
        double s = limit / length;
        return (TarnVec3){ (float)(x * s), (float)(y * s), (float)(z * s) };
    }
    float c[3] = { v.x, v.y, v.z };
    for (int i = 0; i < 3; ++i) {
        c[i] = c[i] != c[i] ? 0.0f : tarn_clampf(c[i], -0.5f * limit, 0.5f * limit);
    }
    return (TarnVec3){ c[0], c[1], c[2] };
}

void tarn__limit_speeds(TarnBodies* set, TarnBody* body)
{
    TarnBodyState* s = &body->state;
    bool is_fast = false, is_spinning = false;
    s->velocity = limit_length(s->velocity, body_max_speed, &is_fast);
    s->angular_velocity = limit_length(s->angular_velocity, body_max_spin, &is_spinning);
    if (is_fast) note_limited(set, body, "speed", "m/s", body_max_speed);
    if (is_spinning) note_limited(set, body, "spin", "rad/s", body_max_spin);
}

// One coordinate of the position, so that [x - below, x + above] lies in [lo, hi].
static float keep_between(float x, float below, float above, float lo, float hi)
{
    if (below + above > hi - lo) return 0.5f * (lo + hi + below - above); // too wide: in the middle
    return tarn_clampf(x, lo + below, hi - above);
}

static void keep_in_limits(TarnBodies* set, TarnBody* body)
{
    TarnVec3* p = &body->state.position;
    const float most = body_max_position;
    TarnVec3 kept = { tarn_clampf(p->x, -most, most), tarn_clampf(p->y, -most, most),
                      tarn_clampf(p->z, -most, most) };
    bool is_kept = kept.x == p->x && kept.y == p->y && kept.z == p->z;
    *p = kept;
    if (!is_kept) note_limited(set, body, "position", "m", most);
}

// What contacts could not hold, in one move. They leave slop, so this does too. A wall is left out by an
// infinite limit.
static void keep_along_x(TarnBody* body, float lo, float hi)
{
    float* x = &body->state.position.x;
    if (!(*x - body->radius < lo || *x + body->radius > hi)) return;
    float slop = body_slop(body->radius);
    float below = tarn__body_reach(body, (TarnVec3){ -1, 0, 0 }) - slop;
    float above = tarn__body_reach(body, (TarnVec3){ 1, 0, 0 }) - slop;
    *x = keep_between(*x, below, above, lo, hi);
}

static void keep_along_z(TarnBody* body, float lo, float hi)
{
    float* z = &body->state.position.z;
    if (body->freedom == TARN_BODY_PLANAR) return;
    if (!(*z - body->radius < lo || *z + body->radius > hi)) return;
    float slop = body_slop(body->radius);
    float below = tarn__body_reach(body, (TarnVec3){ 0, 0, -1 }) - slop;
    float above = tarn__body_reach(body, (TarnVec3){ 0, 0, 1 }) - slop;
    *z = keep_between(*z, below, above, lo, hi);
}

static void keep_above(TarnBody* body, float floor)
{
    float* y = &body->state.position.y;
    if (!(*y - body->radius < floor)) return;
    float below = tarn__body_reach(body, (TarnVec3){ 0, -1, 0 }) - body_slop(body->radius);
    *y = tarn_maxf(*y, floor + below);
}

// In the basins that it began the substep in, however fast it is, and above the ground of those it is in now.
static void keep_in_basins(TarnBodies* set, TarnBody* body)
{
    uint64_t inside = set->inside[body - set->body];
    for (int b = 0; b < set->n_basins; ++b) {
        const BodyBasin* basin = &set->basins[b];
        const bool* closed = basin->is_closed;
        bool began_inside = inside >> b & 1;
        if (began_inside) {
            TarnVec2 lo = basin->origin, hi = { lo.x + basin->size.x, lo.y + basin->size.y };
            keep_along_x(body, closed[0] ? lo.x : -INFINITY, closed[1] ? hi.x : INFINITY);
            keep_along_z(body, closed[2] ? lo.y : -INFINITY, closed[3] ? hi.y : INFINITY);
        }
        if (!began_inside && !tarn__basin_holds(basin, body)) continue;
        if (basin->ground.data != NULL)
            tarn__keep_above_ground(basin, body, body_slop(body->radius));
        else
            keep_above(body, basin->floor);
    }
}

static void keep_in_box(TarnBodies* set, TarnBody* body)
{
    keep_along_x(body, set->def.box_min.x, set->def.box_max.x);
    keep_along_z(body, set->def.box_min.z, set->def.box_max.z);
    keep_above(body, set->def.box_min.y);
}

// ---- Obstacles ----------------------------------------------------------------------------------

float tarn__body_inner_radius(const TarnBody* body)
{
    TarnVec3 size = body->shape.size;
    float least = body->radius;
    switch (body->shape.kind) {
    case TARN_SHAPE_BOX:
        return tarn_minf(size.x, tarn_minf(size.y, size.z));
    case TARN_SHAPE_CAPSULE:
        return size.x;
    case TARN_SHAPE_HULL:
        for (int f = 0; f < body->n_planes; ++f) least = tarn_minf(least, body->planes[f].offset);
        return least;
    default:
        return least;
    }
}

// A body that moved far is swept along its path as its inscribed ball, so that it passes through nothing,
// however thin. Slow ones are held by contacts.
static void keep_outside(TarnBodies* set, TarnBody* body, TarnVec3 from)
{
    TarnBodyState* s = &body->state;
    const BodyObstacles* o = &set->obstacles;
    TarnVec3 way = vec3_sub(s->position, from), end;
    float core = 0.8f * tarn__body_inner_radius(body);
    BodyHit hit;
    if (!(vec3_dot(way, way) > 0.25f * core * core)) return;
    bool is_planar = body->freedom == TARN_BODY_PLANAR;
    if (!o->sweep(o->self, set->step_t0, set->step_t1, is_planar, from, s->position, core, &end,
                  &hit))
        return;
    if (!tarn__is_finite3(end) || !tarn__is_finite3(hit.normal)) return; // a callback gave nonsense
    s->position = end;
    float speed = vec3_dot(hit.normal, vec3_sub(s->velocity, hit.velocity));
    float bounce = tarn_maxf(body->restitution, hit.restitution);
    if (speed < 0.0f)
        s->velocity = vec3_sub(s->velocity, vec3_scale(hit.normal, (1.0f + bounce) * speed));
    tarn__body_drop_velocity(body);
    tarn__limit_speeds(set, body);
}

void tarn__keep_inside(TarnBodies* set, TarnBody* body, TarnVec3 from)
{
    if (body->freedom == TARN_BODY_HINGE) return;
    if (set->obstacles.sweep != NULL) keep_outside(set, body, from);
    keep_in_basins(set, body);
    keep_in_box(set, body);
    keep_in_limits(set, body);
}
