// Moves free bodies: gravity, forces, floor, walls, contacts between bodies.
//
// Method   Contacts are found once per substep, a little ahead: bodies may close the gap between
//          them, not more. Then four small steps of semi-implicit Euler: forces, sequential
//          impulses with accumulated clamping [Catto2006] in which overlap pushes apart like
//          a stiff damped spring, positions, and the impulses again without the spring, so that
//          pushing apart leaves no speed behind [Catto2024]. Restitution comes last,
//          from the closing speeds before.
//          Contacts start from the forces they carried in the substep before (Touch).
// Differs  No gyroscopic term: bodies spin about fixed axes unless something turns them.
// Tried    Whole steps of 1/60 s without a first guess: three boxes fall within 5 s at 12 iterations
//          and creep 3 cm in 30 s at 120. With the guess three stand, six sway and fall. With the
//          small steps ten stand, at the same cost.
// Checked  tests/unit/test_bodies.c: rest, stacks, rolling, momentum, random kicks.
// Cost     20 boxes in a pile: 70 us per step of 1/60 s; 4096 boxes, 16384 contacts: 22 ms (one core
//          of an AMD EPYC, gcc 12 -O2). test_cost prints the first number anew.

#include "bodies/bodies_internal.h"

enum { SMALL_STEPS = 4, SOLVE_ITERATIONS = 2, BLOW_ITERATIONS = 8 };

static const float push_speed = 3.0f; // at which overlap goes away, at most [m/s]

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
    tarn__limit_speeds(set, body);
}

// Driven bodies stay where they are, but contacts see them go on.
static void integrate_position(TarnBodies* set, TarnBody* body, float h)
{
    TarnBodyState *s = &body->state, *moved = &set->moved[body - set->body];
    if (!body->is_driven) tarn__limit_speeds(set, body);
    TarnVec3 way = vec3_scale(s->velocity, h), angle = vec3_scale(s->angular_velocity, h);
    moved->velocity =
        vec3_add(moved->velocity, way); // summed up, so that body_row_change makes the
    moved->angular_velocity = vec3_add(moved->angular_velocity, angle); // change of a distance
    if (body->is_driven) return;
    s->position = vec3_add(s->position, way);
    TarnQuat half = { 0.5f * angle.x, 0.5f * angle.y, 0.5f * angle.z, 0.0f };
    TarnQuat turn = quat_multiply(half, s->rotation);
    s->rotation = quat_normalize((TarnQuat){ s->rotation.x + turn.x, s->rotation.y + turn.y,
                                             s->rotation.z + turn.z, s->rotation.w + turn.w });
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
    float speed = body_row_speed(c, row);
    set_impulse(c, row, tarn_maxf(row->impulse + row->mass * (target - speed), 0.0f));
    c->is_hit |= row->impulse > 0.0f;
}

static void solve_friction(Contact* c)
{
    float most = c->friction * c->normal.impulse;
    for (int i = 0; i < 2; ++i) {
        ContactRow* row = &c->slide[i];
        float speed = body_row_speed(c, row);
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

// elapsed: since contacts were found [s].
static void solve_contact(Contact* c, float h, float elapsed, const Spring* spring)
{
    ContactRow* row = &c->normal;
    float distance = c->distance + body_row_change(row, c->moved_a, c->moved_b);
    distance -= row->drift * elapsed;
    float overlap = -distance - c->slop;
    solve_friction(c);
    if (distance > 0.0f) {
        solve_normal(c, -distance / h);
    } else if (overlap > 0.0f && spring != NULL) {
        float target = tarn_minf(spring->rate * overlap, push_speed);
        float speed = body_row_speed(c, row);
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
        for (int i = 0; i < set->n_contacts; ++i)
            solve_contact(in_turn(set, i, k), h, set->elapsed, spring);
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
    set->elapsed += h;
    solve(set, h, NULL, 1);
}

void tarn__bodies_substep(TarnBodies* set, float h)
{
    float small = h / SMALL_STEPS;
    Spring spring = make_spring(small);
    tarn__find_contacts(set, h);
    set->elapsed = 0.0f;
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
        tarn__limit_speeds(set, body);
        tarn__body_update_rotation(body);
        tarn__keep_inside(set, body, vec3_sub(body->state.position, set->moved[slot].velocity));
    }
}
