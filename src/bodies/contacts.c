// Moves free bodies: gravity, forces, floor, walls, contacts between bodies.
//
// Method   Contacts are found once per substep, a little ahead: bodies may close the gap between
//          them, not more. Then four small steps of semi-implicit Euler: forces, sequential
//          impulses with accumulated clamping (Catto, GDC 2006) in which overlap pushes apart like
//          a stiff damped spring, positions, and the impulses again without the spring, so that
//          pushing apart leaves no speed behind (Catto, Solver2D, 2024). Restitution comes last,
//          from the closing speeds before.
//          Contacts start from the forces they carried in the substep before (Touch).
// Differs  No gyroscopic term: bodies spin about fixed axes unless something turns them.
// Tried    Whole steps of 1/60 s without a first guess: three boxes fall within 5 s at 12 iterations
//          and creep 3 cm in 30 s at 120. With the guess three stand, six sway and fall. With the
//          small steps ten stand, at the same cost.
// Seed     the talk and the article above; the text is ours.
// Checked  tests/unit/test_bodies.c: rest, stacks, rolling, momentum, random kicks.
// Cost     20 boxes in a pile: 70 us per step of 1/60 s; 4096 boxes, 16384 contacts: 22 ms (one core
//          of an AMD EPYC, gcc 12 -O2). test_cost prints the first number anew.

#include "bodies/bodies_internal.h"

enum { SMALL_STEPS = 4, SOLVE_ITERATIONS = 2, BLOW_ITERATIONS = 8 };

// A pair of which both bodies have been held against so many others is left out: so work grows with the number of
// bodies, not with its square, however many are in one place. A raft may carry more. Of one body at most MAX_PAIRS.
enum { CROWD = 64, MAX_PAIRS = 1024 };

static const float bounce_speed = 0.5f; // slower contacts do not bounce [m/s]
static const float push_speed = 3.0f;   // at which overlap goes away, at most [m/s]

// Small bodies have small tolerances.
static float slop_of(float radius)
{
    return tarn_minf(0.5e-3f, 0.02f * radius); // [m] overlap that is left alone
}
static float margin_of(float radius)
{
    return tarn_minf(2e-3f, 0.1f * radius); // [m] gap at which bodies at rest count as touching
}

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

static void limit_speeds(TarnBodies* set, TarnBody* body)
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

// What contacts could not hold, in one move. They leave slop, so this does too. A wall is left out by an infinite limit.
static void keep_along_x(TarnBody* body, float lo, float hi)
{
    float* x = &body->state.position.x;
    if (!(*x - body->radius < lo || *x + body->radius > hi)) return;
    float slop = slop_of(body->radius);
    float below = tarn__body_reach(body, (TarnVec3){ -1, 0, 0 }) - slop;
    float above = tarn__body_reach(body, (TarnVec3){ 1, 0, 0 }) - slop;
    *x = keep_between(*x, below, above, lo, hi);
}

static void keep_along_z(TarnBody* body, float lo, float hi)
{
    float* z = &body->state.position.z;
    if (body->freedom == TARN_BODY_PLANAR) return;
    if (!(*z - body->radius < lo || *z + body->radius > hi)) return;
    float slop = slop_of(body->radius);
    float below = tarn__body_reach(body, (TarnVec3){ 0, 0, -1 }) - slop;
    float above = tarn__body_reach(body, (TarnVec3){ 0, 0, 1 }) - slop;
    *z = keep_between(*z, below, above, lo, hi);
}

static void keep_above(TarnBody* body, float floor)
{
    float* y = &body->state.position.y;
    if (!(*y - body->radius < floor)) return;
    float below = tarn__body_reach(body, (TarnVec3){ 0, -1, 0 }) - slop_of(body->radius);
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
            tarn__keep_above_ground(basin, body, slop_of(body->radius));
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

// ---- Motion -------------------------------------------------------------------------------------

static void integrate_velocity(TarnBodies* set, TarnBody* body, float h)
{
    TarnBodyState* s = &body->state;
    TarnVec3 force = vec3_add(body->force.force, body->added_force);
    TarnVec3 torque = vec3_add(body->force.torque, body->added_torque);
    TarnVec3 acceleration = vec3_add(set->def.gravity, vec3_scale(force, 1.0f / body->mass));
    acceleration = tarn__body_free_part(body, acceleration);
    TarnVec3 spin_up = tarn__body_inertia_inv(body, torque);
    s->velocity = vec3_add(s->velocity, vec3_scale(acceleration, h));
    s->angular_velocity = vec3_add(s->angular_velocity, vec3_scale(spin_up, h));
    limit_speeds(set, body);
}

// Driven bodies stay where they are, but contacts see them go on.
static void integrate_position(TarnBodies* set, TarnBody* body, float h)
{
    TarnBodyState *s = &body->state, *moved = &set->moved[body - set->body];
    if (!body->is_driven) limit_speeds(set, body);
    TarnVec3 way = vec3_scale(s->velocity, h), angle = vec3_scale(s->angular_velocity, h);
    moved->velocity = vec3_add(moved->velocity, way); // summed up, so that row_speed makes the
    moved->angular_velocity = vec3_add(moved->angular_velocity, angle); // change of a distance
    if (body->is_driven) return;
    s->position = vec3_add(s->position, way);
    TarnQuat half = { 0.5f * angle.x, 0.5f * angle.y, 0.5f * angle.z, 0.0f };
    TarnQuat turn = quat_multiply(half, s->rotation);
    s->rotation = quat_normalize((TarnQuat){ s->rotation.x + turn.x, s->rotation.y + turn.y,
                                             s->rotation.z + turn.z, s->rotation.w + turn.w });
}

// ---- Finding contacts ---------------------------------------------------------------------------

// Inverse mass along a direction, of which the body may follow the given part.
static float linear_ease(const TarnBody* body, float mass_inv, TarnVec3 part)
{
    return body->freedom == TARN_BODY_FREE ? mass_inv : mass_inv * vec3_dot(part, part);
}

static void set_row(ContactRow* row, const Contact* c, TarnVec3 direction, TarnVec3 ra, TarnVec3 rb)
{
    TarnVec3 zero = { 0, 0, 0 };
    row->direction = direction;
    row->arm_a = vec3_cross(ra, direction);
    row->arm_b = vec3_cross(rb, direction);
    row->push_a = tarn__body_free_part(c->a, direction);
    row->push_b = tarn__body_free_part(c->b, direction);
    row->spin_a = c->mass_inv_a > 0.0f ? tarn__body_inertia_inv(c->a, row->arm_a) : zero;
    row->spin_b = c->mass_inv_b > 0.0f ? tarn__body_inertia_inv(c->b, row->arm_b) : zero;
    float inverse = linear_ease(c->a, c->mass_inv_a, row->push_a) +
                    linear_ease(c->b, c->mass_inv_b, row->push_b) +
                    vec3_dot(row->arm_a, row->spin_a) + vec3_dot(row->arm_b, row->spin_b);
    row->mass = inverse > 0.0f ? 1.0f / inverse : 0.0f;
    row->impulse = 0.0f;
}

static float row_speed(const ContactRow* row, const TarnBodyState* a, const TarnBodyState* b)
{
    return vec3_dot(row->direction, vec3_sub(a->velocity, b->velocity)) +
           vec3_dot(row->arm_a, a->angular_velocity) - vec3_dot(row->arm_b, b->angular_velocity);
}

// Two directions along the surface, the first the way the bodies slide.
static void slide_directions(TarnVec3 n, TarnVec3 velocity, TarnVec3 out[2])
{
    TarnVec3 along = vec3_sub(velocity, vec3_scale(n, vec3_dot(n, velocity)));
    if (vec3_dot(along, along) < 1e-6f) {
        TarnVec3 axis = fabsf(n.x) < 0.6f ? (TarnVec3){ 1, 0, 0 } : (TarnVec3){ 0, 1, 0 };
        along = vec3_cross(axis, n);
    }
    out[0] = vec3_normalize(along);
    out[1] = vec3_cross(n, out[0]);
}

static void add_contact(TarnBodies* set, TarnBody* a, TarnBody* b, const ContactPoint* p)
{
    if (set->n_contacts == set->max_contacts) {
        set->flags |= TARN_STEP_CAPACITY_FULL;
        return;
    }
    Contact* c = &set->contacts[set->n_contacts++];
    bool is_world = b == &set->world;
    int slot_b = is_world ? set->def.max_bodies : (int)(b - set->body);
    *c = (Contact){ .a = a, .b = b, .distance = p->distance, .point = p->point };
    c->moved_a = &set->moved[a - set->body];
    c->moved_b = &set->moved[slot_b];
    c->mass_inv_a = a->is_driven ? 0.0f : 1.0f / a->mass;
    c->mass_inv_b = b->is_driven ? 0.0f : 1.0f / b->mass;
    c->slop = slop_of(is_world ? a->radius : tarn_minf(a->radius, b->radius));
    c->friction = is_world ? a->friction : sqrtf(a->friction * b->friction);
    c->restitution = is_world ? a->restitution : tarn_maxf(a->restitution, b->restitution);
    TarnVec3 ra = p->point;
    TarnVec3 rb = is_world ? (TarnVec3){ 0, 0, 0 }
                           : vec3_sub(ra, vec3_sub(b->state.position, a->state.position));
    set_row(&c->normal, c, p->normal, ra, rb);
    c->approach = row_speed(&c->normal, &a->state, &b->state);
    c->is_blow = c->approach < -bounce_speed;
    TarnVec3 va = vec3_add(a->state.velocity, vec3_cross(a->state.angular_velocity, ra));
    TarnVec3 vb = vec3_add(b->state.velocity, vec3_cross(b->state.angular_velocity, rb));
    TarnVec3 slide[2];
    slide_directions(p->normal, vec3_sub(va, vb), slide);
    set_row(&c->slide[0], c, slide[0], ra, rb);
    set_row(&c->slide[1], c, slide[1], ra, rb);
}

// How far a body looks for walls and ground, so that it cannot pass them in one substep.
static float reach_of(const TarnBodies* set, const TarnBody* body, float h)
{
    float speed = vec3_length(body->state.velocity) + h * vec3_length(set->def.gravity);
    float turn = tarn_minf(h * vec3_length(body->state.angular_velocity), 1.0f);
    return margin_of(body->radius) + h * speed + turn * body->radius;
}

static void touch_wall(TarnBodies* set, TarnBody* body, TarnVec3 normal, float height, float h)
{
    float reach = reach_of(set, body, h);
    if (height > body->radius + reach) return;
    ContactPoint p[CONTACT_MAX_POINTS];
    int n = tarn__collide_wall(body, normal, height, reach, p);
    for (int i = 0; i < n; ++i) add_contact(set, body, &set->world, &p[i]);
}

static void touch_box(TarnBodies* set, TarnBody* body, float h)
{
    TarnVec3 p = body->state.position, lo = set->def.box_min, hi = set->def.box_max;
    touch_wall(set, body, (TarnVec3){ 0, 1, 0 }, p.y - lo.y, h);
    touch_wall(set, body, (TarnVec3){ 1, 0, 0 }, p.x - lo.x, h);
    touch_wall(set, body, (TarnVec3){ -1, 0, 0 }, hi.x - p.x, h);
    if (body->freedom == TARN_BODY_PLANAR) return;
    touch_wall(set, body, (TarnVec3){ 0, 0, 1 }, p.z - lo.z, h);
    touch_wall(set, body, (TarnVec3){ 0, 0, -1 }, hi.z - p.z, h);
}

static void touch_ground(TarnBodies* set, const BodyBasin* basin, TarnBody* body, float h)
{
    ContactPoint p[GROUND_MAX_POINTS];
    int n = tarn__collide_ground(basin, body, reach_of(set, body, h), p);
    for (int i = 0; i < n; ++i) add_contact(set, body, &set->world, &p[i]);
}

static void touch_edges(TarnBodies* set, const BodyBasin* basin, TarnBody* body, float h)
{
    TarnVec3 p = body->state.position;
    float x = p.x - basin->origin.x, z = p.z - basin->origin.y;
    float width = basin->size.x, depth = basin->size.y;
    if (basin->is_closed[0]) touch_wall(set, body, (TarnVec3){ 1, 0, 0 }, x, h);
    if (basin->is_closed[1]) touch_wall(set, body, (TarnVec3){ -1, 0, 0 }, width - x, h);
    if (body->freedom == TARN_BODY_PLANAR) return;
    if (basin->is_closed[2]) touch_wall(set, body, (TarnVec3){ 0, 0, 1 }, z, h);
    if (basin->is_closed[3]) touch_wall(set, body, (TarnVec3){ 0, 0, -1 }, depth - z, h);
}

static void touch_basins(TarnBodies* set, TarnBody* body, float h)
{
    uint64_t inside = 0;
    for (int b = 0; b < set->n_basins; ++b) {
        const BodyBasin* basin = &set->basins[b];
        if (!tarn__basin_holds(basin, body)) continue;
        inside |= (uint64_t)1 << b;
        touch_edges(set, basin, body, h);
        float height = body->state.position.y - basin->floor;
        if (basin->ground.data != NULL)
            touch_ground(set, basin, body, h);
        else
            touch_wall(set, body, (TarnVec3){ 0, 1, 0 }, height, h);
    }
    set->inside[body - set->body] = inside;
}

static void touch_pair(TarnBodies* set, TarnBody* a, TarnBody* b, float h)
{
    if (a->is_driven && b->is_driven) return;
    TarnVec3 between = vec3_sub(b->state.position, a->state.position);
    float closing = h * vec3_length(vec3_sub(b->state.velocity, a->state.velocity));
    float smaller = tarn_minf(a->radius, b->radius);
    // Looking far ahead would stop bodies that pass each other, so a quarter of a radius it is.
    float margin = margin_of(smaller) + tarn_minf(closing, 0.25f * smaller);
    float near = a->radius + b->radius + margin;
    if (!(vec3_dot(between, between) <= near * near)) return;
    int *pairs_a = &set->n_pairs[a - set->body], *pairs_b = &set->n_pairs[b - set->body];
    bool is_crowd = *pairs_a >= CROWD && *pairs_b >= CROWD;
    if (is_crowd || *pairs_a >= MAX_PAIRS || *pairs_b >= MAX_PAIRS) {
        set->flags |= TARN_STEP_CAPACITY_FULL;
        return;
    }
    ++*pairs_a, ++*pairs_b, ++set->n_tests;
    ContactPoint p[CONTACT_MAX_POINTS];
    int n = tarn__collide(a, b, margin, p);
    for (int i = 0; i < n; ++i) add_contact(set, a, b, &p[i]);
}

// Sweep along x. The order is total (x, then slot): the same whatever it was before.
static bool is_before(const TarnBodies* set, int p, int q)
{
    return set->x_min[p] != set->x_min[q] ? set->x_min[p] < set->x_min[q] : p < q;
}

static void sort_along_x(TarnBodies* set, float h)
{
    for (int i = 0; i < set->count; ++i) {
        int slot = set->order[i];
        const TarnBody* body = &set->body[slot];
        float reach =
            body->radius + margin_of(body->radius) + h * vec3_length(body->state.velocity);
        set->x_min[slot] = body->state.position.x - reach;
        set->x_max[slot] = body->state.position.x + reach;
    }
    for (int i = 1; i < set->count; ++i) { // nearly sorted from the last time
        int slot = set->order[i], at = i;
        for (; at > 0 && is_before(set, slot, set->order[at - 1]); --at) {
            set->order[at] = set->order[at - 1];
        }
        set->order[at] = slot;
    }
}

static void find_contacts(TarnBodies* set, float h)
{
    set->n_contacts = 0;
    for (int slot = 0; slot < set->def.max_bodies; ++slot) { // walls first: they get their contacts
        TarnBody* body = &set->body[slot];
        if (!body->is_used || body->is_driven) continue;
        touch_box(set, body, h);
        touch_basins(set, body, h);
    }
    sort_along_x(set, h);
    memset(set->n_pairs, 0, (size_t)set->def.max_bodies * sizeof *set->n_pairs);
    set->n_tests = 0;
    for (int i = 0; i < set->count; ++i) {
        int p = set->order[i];
        for (int j = i + 1; j < set->count; ++j) {
            int q = set->order[j];
            if (set->x_min[q] > set->x_max[p]) break;
            if (set->flags & TARN_STEP_CAPACITY_FULL && set->n_contacts == set->max_contacts)
                return;
            touch_pair(set, &set->body[p < q ? p : q], &set->body[p < q ? q : p], h);
        }
    }
}

// ---- Solving contacts ---------------------------------------------------------------------------

static int slot_of(const TarnBodies* set, const TarnBody* body)
{
    return body == &set->world ? -1 : (int)(body - set->body);
}

static void apply(Contact* c, const ContactRow* row, float impulse)
{
    TarnBodyState *a = &c->a->state, *b = &c->b->state;
    if (c->mass_inv_a > 0.0f) {
        a->velocity = vec3_add(a->velocity, vec3_scale(row->push_a, impulse * c->mass_inv_a));
        a->angular_velocity = vec3_add(a->angular_velocity, vec3_scale(row->spin_a, impulse));
    }
    if (c->mass_inv_b > 0.0f) {
        b->velocity = vec3_sub(b->velocity, vec3_scale(row->push_b, impulse * c->mass_inv_b));
        b->angular_velocity = vec3_sub(b->angular_velocity, vec3_scale(row->spin_b, impulse));
    }
}

static void set_impulse(Contact* c, ContactRow* row, float impulse)
{
    apply(c, row, impulse - row->impulse);
    row->impulse = impulse;
}

// Brings the normal speed to the target or above; the sum of impulses never pulls.
static void solve_normal(Contact* c, float target)
{
    ContactRow* row = &c->normal;
    float speed = row_speed(row, &c->a->state, &c->b->state);
    set_impulse(c, row, tarn_maxf(row->impulse + row->mass * (target - speed), 0.0f));
    c->is_hit |= row->impulse > 0.0f;
}

static void solve_friction(Contact* c)
{
    float most = c->friction * c->normal.impulse;
    for (int i = 0; i < 2; ++i) {
        ContactRow* row = &c->slide[i];
        float speed = row_speed(row, &c->a->state, &c->b->state);
        set_impulse(c, row, tarn_clampf(row->impulse - row->mass * speed, -most, most));
    }
}

// The touch of the same two bodies that was closest to the contact.
static const Touch* find_touch(const TarnBodies* set, const Contact* c)
{
    int b = slot_of(set, c->b);
    float radius = b < 0 ? c->a->radius : tarn_minf(c->a->radius, c->b->radius);
    float nearest = 0.04f * radius * radius;
    const Touch* best = NULL;
    for (int t = set->first_touch[slot_of(set, c->a)]; t >= 0; t = set->next_touch[t]) {
        const Touch* touch = &set->touches[t];
        TarnVec3 d = vec3_sub(touch->point, c->point);
        if (touch->b != b || !(vec3_dot(d, d) < nearest)) continue;
        nearest = vec3_dot(d, d);
        best = touch;
    }
    return best;
}

static void start_from_touches(TarnBodies* set, float h)
{
    for (int slot = 0; slot < set->def.max_bodies; ++slot) set->first_touch[slot] = -1;
    for (int t = set->n_touches - 1; t >= 0; --t) {
        set->next_touch[t] = set->first_touch[set->touches[t].a];
        set->first_touch[set->touches[t].a] = t;
    }
    for (int i = 0; i < set->n_contacts; ++i) {
        Contact* c = &set->contacts[i];
        const Touch* touch = find_touch(set, c);
        if (touch == NULL) continue;
        c->normal.impulse = touch->normal * h;
        for (int k = 0; k < 2; ++k) {
            c->slide[k].impulse = vec3_dot(touch->slide, c->slide[k].direction) * h;
        }
    }
}

static float force_within_limits(float impulse, float h)
{
    return tarn_clampf(impulse / h, -body_max_force, body_max_force);
}

// Blows are not kept: the next substep has nothing to hold against them.
static void keep_touches(TarnBodies* set, float h)
{
    set->n_touches = 0;
    for (int i = 0; i < set->n_contacts; ++i) {
        const Contact* c = &set->contacts[i];
        if (!(c->normal.impulse > 0.0f) || c->is_blow) continue;
        TarnVec3 slide = vec3_add(vec3_scale(c->slide[0].direction, c->slide[0].impulse),
                                  vec3_scale(c->slide[1].direction, c->slide[1].impulse));
        set->touches[set->n_touches++] =
            (Touch){ slot_of(set, c->a),
                     slot_of(set, c->b),
                     c->point,
                     force_within_limits(c->normal.impulse, h),
                     { force_within_limits(slide.x, h), force_within_limits(slide.y, h),
                       force_within_limits(slide.z, h) } };
    }
}

// Forward and backward by turns, so that errors do not always push the same way.
static Contact* in_turn(TarnBodies* set, int i, int iteration)
{
    return &set->contacts[iteration & 1 ? set->n_contacts - 1 - i : i];
}

// Starts from the impulses of the small step before; a blow is over by then.
static void start(TarnBodies* set)
{
    for (int i = 0; i < set->n_contacts; ++i) {
        Contact* c = &set->contacts[i];
        if (c->is_blow) c->normal.impulse = c->slide[0].impulse = c->slide[1].impulse = 0.0f;
        apply(c, &c->normal, c->normal.impulse);
        for (int k = 0; k < 2; ++k) apply(c, &c->slide[k], c->slide[k].impulse);
    }
}

// How overlap is pushed apart: a spring with damping, solved implicitly. [rate] 1/s
typedef struct Spring {
    float rate, mass_share, impulse_share;
} Spring;

static Spring make_spring(float h)
{
    float frequency = tarn_minf(30.0f, 0.25f / h), omega = 6.2831853f * frequency;
    float a = 20.0f + h * omega, b = h * omega * a; // damping ratio 10
    return (Spring){ omega / a, b / (1.0f + b), 1.0f / (1.0f + b) };
}

static void solve_contact(Contact* c, float h, const Spring* spring)
{
    ContactRow* row = &c->normal;
    float distance = c->distance + row_speed(row, c->moved_a, c->moved_b);
    float overlap = -distance - c->slop;
    solve_friction(c);
    if (distance > 0.0f) {
        solve_normal(c, -distance / h);
    } else if (overlap > 0.0f && spring != NULL) {
        float target = tarn_minf(spring->rate * overlap, push_speed);
        float speed = row_speed(row, &c->a->state, &c->b->state);
        float sum = row->impulse + row->mass * spring->mass_share * (target - speed) -
                    spring->impulse_share * row->impulse;
        set_impulse(c, row, tarn_maxf(sum, 0.0f));
        c->is_hit |= row->impulse > 0.0f;
    } else {
        solve_normal(c, 0.0f);
    }
}

static void solve(TarnBodies* set, float h, const Spring* spring, int iterations)
{
    for (int k = 0; k < iterations; ++k) {
        for (int i = 0; i < set->n_contacts; ++i) solve_contact(in_turn(set, i, k), h, spring);
    }
}

static bool has_blows(const TarnBodies* set)
{
    for (int i = 0; i < set->n_contacts; ++i) {
        if (set->contacts[i].is_blow) return true;
    }
    return false;
}

// After the positions have moved: contacts that were hit fast give back a share of their speed.
static void bounce(TarnBodies* set)
{
    for (int k = 0; k < BLOW_ITERATIONS; ++k) {
        for (int i = 0; i < set->n_contacts; ++i) {
            Contact* c = in_turn(set, i, k);
            if (!c->is_hit) continue;
            solve_normal(c, c->is_blow ? -c->restitution * c->approach : 0.0f);
        }
    }
}

static bool is_free(const TarnBody* body)
{
    return body->is_used && !body->is_driven;
}

static void small_step(TarnBodies* set, float h, const Spring* spring, int iterations)
{
    TarnBody *begin = set->body, *end = set->body + set->def.max_bodies;
    for (TarnBody* body = begin; body < end; ++body) {
        if (is_free(body)) integrate_velocity(set, body, h);
    }
    start(set);
    solve(set, h, spring, iterations);
    for (TarnBody* body = begin; body < end; ++body) {
        if (body->is_used) integrate_position(set, body, h);
    }
    solve(set, h, NULL, 1);
}

void tarn__bodies_substep(TarnBodies* set, float h)
{
    float small = h / SMALL_STEPS;
    Spring spring = make_spring(small);
    find_contacts(set, h);
    start_from_touches(set, small);
    memset(set->moved, 0, ((size_t)set->def.max_bodies + 1) * sizeof *set->moved);
    bool is_hit = has_blows(set); // there is no first guess for blows, so they take longer
    int iterations = is_hit ? BLOW_ITERATIONS : SOLVE_ITERATIONS;
    for (int i = 0; i < SMALL_STEPS; ++i) small_step(set, small, &spring, iterations);
    keep_touches(set, small);
    if (is_hit) bounce(set);
    for (int slot = 0; slot < set->def.max_bodies; ++slot) {
        TarnBody* body = &set->body[slot];
        if (!is_free(body)) continue;
        limit_speeds(set, body);
        tarn__body_update_rotation(body);
        if (body->freedom == TARN_BODY_HINGE) continue;
        keep_in_basins(set, body);
        keep_in_box(set, body);
        keep_in_limits(set, body);
    }
}
