// A set of bodies: slots, ids, states. Shapes: shapes.c; motion: contacts.c; hash and snapshots:
// bodies_state.c.
//
// A new body takes the lowest free slot, so the same calls give the same slots.

#include "bodies/bodies_internal.h"
#include "base/def.h"
#include "base/param.h"

static const TarnParam bodies_params[] = {
    P_INT(TarnBodiesDef, max_bodies, "", 1, 4096, 64, "Most bodies of the set."),
    P_VEC3(TarnBodiesDef, gravity, "m/s^2", -1000, 1000, 0, -9.81, 0,
           "Downward acceleration of gravity."),
    P_VEC3(TarnBodiesDef, box_min, "m", -1e6, 1e6, -1e4, -1e4, -1e4,
           "Lower corner of the box that bodies stay in: the floor and two walls."),
    P_VEC3(TarnBodiesDef, box_max, "m", -1e6, 1e6, 1e4, 1e4, 1e4,
           "Upper corner of the box: the other two walls; the top is open."),
};
const TarnParamTable tarn__bodies_table = PARAM_TABLE("bodies", TarnBodiesDef, bodies_params);

static const char* const freedom_names[] = { "free", "planar", "hinge", NULL };

static const TarnParam body_params[] = {
    P_FLOAT(TarnBodyDef, density, "kg/m^3", 1, 1e5, 500, "Mass per volume; water has 1000."),
    P_FLOAT(TarnBodyDef, friction, "", 0, 1, 0.3, "Coefficient of friction at contacts."),
    P_FLOAT(TarnBodyDef, restitution, "", 0, 1, 0.2,
            "Share of the speed that is kept in a bounce."),
    P_ENUM(TarnBodyDef, freedom, freedom_names, 3, TARN_BODY_FREE,
           "Motions that the body is free to make."),
    P_VEC3(TarnBodyDef, axis, "", -1e6, 1e6, 0, 0, 1, "Axis of a hinge, in world axes."),
};
static const TarnParamTable body_table = PARAM_TABLE("body", TarnBodyDef, body_params);

static const TarnParam state_params[] = {
    P_VEC3(TarnBodyState, position, "m", -1e6, 1e6, 0, 0, 0, "Position of the center of mass."),
    P_VEC3(TarnBodyState, velocity, "m/s", -1000, 1000, 0, 0, 0, "Velocity of the center of mass."),
    P_VEC3(TarnBodyState, angular_velocity, "rad/s", -200, 200, 0, 0, 0,
           "Angular velocity, about world axes."),
};
static const TarnParamTable state_table = PARAM_TABLE("state", TarnBodyState, state_params);

void tarn_bodies_init_def(TarnBodiesDef* out, size_t size)
{
    TarnBodiesDef def = { 0 };
    tarn_param_defaults(&tarn__bodies_table, &def);
    TARN_INIT_DEF(TarnBodiesDef, out, size, &def);
}

void tarn_body_init_def(TarnBodyDef* out, size_t size)
{
    TarnBodyDef def = { .shape = tarn_shape_box(0.5f, 0.5f, 0.5f) };
    tarn_param_defaults(&body_table, &def);
    def.state.rotation.w = 1.0f;
    TARN_INIT_DEF(TarnBodyDef, out, size, &def);
}

// ---- Create and destroy -------------------------------------------------------------------------

static TarnResult check_def(TarnContext* ctx, const TarnBodiesDef* def)
{
    TARN_TRY(
        TARN_CHECK_DEF(ctx, "bodies", "tarn/body.h", TarnBodiesDef, tarn_bodies_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &tarn__bodies_table, def));
    const float lo[3] = { def->box_min.x, def->box_min.y, def->box_min.z };
    const float hi[3] = { def->box_max.x, def->box_max.y, def->box_max.z };
    for (int i = 0; i < 3; ++i) {
        if (lo[i] < hi[i]) continue;
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "bodies.box_min.%c: %g m is not below box_max.%c, %g m; lower it",
                          'x' + i, lo[i], 'x' + i, hi[i]);
    }
    return TARN_OK;
}

// Sets the arrays if there is a block, and tells its size.
static size_t lay_out(const TarnBodiesDef* def, TarnBodies* set)
{
    size_t n = (size_t)def->max_bodies, contacts = n * CONTACTS_PER_BODY;
    TarnLayout layout = { 0 };
    TarnBodies only_counts;
    char* base = (char*)set;
    TarnBodies* s = set ? set : &only_counts;
    tarn__layout_add(&layout, sizeof *s);
    s->body = tarn__layout_place(&layout, base, n, sizeof *s->body);
    tarn__handles_place(&s->ids, &layout, base, def->max_bodies);
    s->shape_hash = tarn__layout_place(&layout, base, n, sizeof *s->shape_hash);
    s->solid = tarn__layout_place(&layout, base, n, sizeof *s->solid);
    s->order = tarn__layout_place(&layout, base, n, sizeof *s->order);
    s->x_min = tarn__layout_place(&layout, base, n, sizeof *s->x_min);
    s->x_max = tarn__layout_place(&layout, base, n, sizeof *s->x_max);
    s->n_pairs = tarn__layout_place(&layout, base, n, sizeof *s->n_pairs);
    s->inside = tarn__layout_place(&layout, base, n, sizeof *s->inside);
    s->moved = tarn__layout_place(&layout, base, n + 1, sizeof *s->moved);
    s->contacts = tarn__layout_place(&layout, base, contacts, sizeof *s->contacts);
    s->touches = tarn__layout_place(&layout, base, contacts, sizeof *s->touches);
    s->next_touch = tarn__layout_place(&layout, base, contacts, sizeof *s->next_touch);
    s->first_touch = tarn__layout_place(&layout, base, n, sizeof *s->first_touch);
    s->max_contacts = (int)contacts;
    return layout.size;
}

size_t tarn_bodies_memory(const TarnBodiesDef* def)
{
    return check_def(NULL, def) == TARN_OK ? lay_out(def, NULL) : 0;
}

TarnResult tarn_bodies_create(TarnContext* ctx, const TarnBodiesDef* def, TarnBodies** out)
{
    if (out == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "out: it is NULL; pass a place for the set");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    size_t size = lay_out(def, NULL);
    TarnBodies* set = tarn__alloc(ctx, size);
    if (set == NULL) {
        return tarn__fail(ctx, TARN_ERR_MEMORY,
                          "out of memory for %d bodies (%zu bytes); lower bodies.max_bodies",
                          def->max_bodies, size);
    }
    lay_out(def, set);
    set->ctx = ctx;
    set->memory = size;
    set->def = *def;
    tarn__handles_begin(&set->ids, "body", "set of bodies", "tarn_bodies_add");
    set->world.is_driven = true;
    *out = set;
    return TARN_OK;
}

void tarn_bodies_destroy(TarnBodies* set)
{
    if (set != NULL) tarn__free(set->ctx, set, set->memory);
}

// ---- Ids ----------------------------------------------------------------------------------------

static TarnBody* find(const TarnBodies* set, TarnBodyId id) // NULL: an error was reported
{
    int slot = set ? tarn__handles_find(set->ctx, &set->ids, id.value) : -1;
    return slot >= 0 ? &set->body[slot] : NULL;
}

int tarn_bodies_count(const TarnBodies* set)
{
    return set ? set->ids.count : 0;
}

TarnBodyId tarn_bodies_at(const TarnBodies* set, int n)
{
    return (TarnBodyId){ set ? tarn__handles_at(&set->ids, n) : 0 };
}

// ---- Bodies -------------------------------------------------------------------------------------

void tarn__body_update_rotation(TarnBody* body)
{
    TarnQuat q = body->state.rotation;
    float xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z, xy = q.x * q.y, yz = q.y * q.z;
    float zx = q.z * q.x, wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    const float m[9] = {
        1.0f - 2.0f * (yy + zz), 2.0f * (xy - wz),        2.0f * (zx + wy),
        2.0f * (xy + wz),        1.0f - 2.0f * (xx + zz), 2.0f * (yz - wx),
        2.0f * (zx - wy),        2.0f * (yz + wx),        1.0f - 2.0f * (xx + yy)
    };
    memcpy(body->rotation, m, sizeof m);
}

static TarnResult check_state(TarnContext* ctx, const TarnBodyState* state)
{
    TARN_TRY(tarn_param_validate(ctx, &state_table, state));
    TarnQuat q = state->rotation;
    const float c[4] = { q.x, q.y, q.z, q.w };
    float most = 0.0f;
    for (int i = 0; i < 4; ++i) most = tarn_maxf(most, fabsf(c[i]));
    if (tarn__all_within(c, 4, 1e18f) && most > 1e-18f) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "state.rotation: (%g, %g, %g, %g) is not a rotation; use a quaternion of "
                      "length 1, such as (0, 0, 0, 1) for no rotation",
                      q.x, q.y, q.z, q.w);
}

static void set_state(TarnBody* body, const TarnBodyState* state)
{
    TarnQuat q = state->rotation;
    double length2 = (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w;
    body->state = *state;
    // A unit quaternion stays as it is, bit for bit, so that get and set of a state change nothing.
    if (fabs(length2 - 1.0) > 1e-6) body->state.rotation = quat_normalize(q);
    tarn__body_update_rotation(body);
    tarn__body_drop_velocity(body);
}

TarnResult tarn_bodies_add(TarnBodies* set, const TarnBodyDef* def, TarnBodyId* out)
{
    if (out != NULL) *out = (TarnBodyId){ 0 };
    if (set == NULL) return TARN_ERR_ARG;
    if (out == NULL)
        return tarn__fail(set->ctx, TARN_ERR_ARG, "out: it is NULL; pass a place for the id");
    TARN_TRY(
        TARN_CHECK_DEF(set->ctx, "body", "tarn/body.h", TarnBodyDef, tarn_body_default_def, def));
    TARN_TRY(tarn_param_validate(set->ctx, &body_table, def));
    TARN_TRY(check_state(set->ctx, &def->state));
    if (def->freedom == TARN_BODY_HINGE && !(vec3_length(def->axis) > 0.0f))
        return tarn__fail(set->ctx, TARN_ERR_ARG,
                          "body.axis: it must not be zero; set the direction of the hinge");
    TarnBody made = { .is_used = true, .is_driven = def->is_driven };
    TARN_TRY(tarn__body_build(set->ctx, &def->shape, def->density, false, &made));
    int slot = tarn__handles_add(&set->ids);
    if (slot < 0) {
        return tarn__fail(set->ctx, TARN_ERR_CAPACITY,
                          "there are %d bodies already; raise bodies.max_bodies or remove some",
                          set->def.max_bodies);
    }
    TarnBody* body = &set->body[slot];
    made.generation = set->ids.generation[slot];
    made.friction = def->friction;
    made.restitution = def->restitution;
    set_state(&made, &def->state);
    tarn__body_set_freedom(&made, def->freedom, def->axis);
    *body = made;
    if (body->shape.kind == TARN_SHAPE_HULL) body->shape.points = body->points;
    set->shape_hash[slot] = tarn__body_hash_fixed(body);
    set->order[set->ids.count - 1] = slot;
    *out = tarn__bodies_id(set, slot);
    if (set->changed) set->changed(set->changed_user);
    return TARN_OK;
}

TarnResult tarn_bodies_remove(TarnBodies* set, TarnBodyId id)
{
    TarnBody* body = find(set, id);
    if (body == NULL) return TARN_ERR_ARG;
    int slot = (int)(body - set->body), kept = 0;
    for (int i = 0; i < set->ids.count; ++i) {
        if (set->order[i] != slot) set->order[kept++] = set->order[i];
    }
    tarn__handles_remove(&set->ids, slot);
    kept = 0;
    for (int t = 0; t < set->n_touches; ++t) {
        const Touch* touch = &set->touches[t];
        if (touch->a != slot && touch->b != slot) set->touches[kept++] = *touch;
    }
    set->n_touches = kept;
    *body = (TarnBody){ .generation = set->ids.generation[slot] };
    if (set->changed) set->changed(set->changed_user);
    return TARN_OK;
}

void tarn__bodies_take_back(TarnBodies* set, TarnBodyId id)
{
    int slot = tarn__bodies_slot_of(set, id);
    tarn_bodies_remove(set, id);
    set->ids.generation[slot] -= 2; // one for the body that came, one for the one that went
    set->body[slot].generation = set->ids.generation[slot];
}

TarnResult tarn_bodies_get_state(const TarnBodies* set, TarnBodyId id, TarnBodyState* out)
{
    if (out != NULL) *out = (TarnBodyState){ 0 };
    const TarnBody* body = find(set, id);
    if (body == NULL) return TARN_ERR_ARG;
    if (out == NULL)
        return tarn__fail(set->ctx, TARN_ERR_ARG, "out: it is NULL; pass a state to fill");
    *out = body->state;
    return TARN_OK;
}

TarnResult tarn_bodies_set_state(TarnBodies* set, TarnBodyId id, const TarnBodyState* state)
{
    TarnBody* body = find(set, id);
    if (body == NULL) return TARN_ERR_ARG;
    if (state == NULL) return tarn__fail(set->ctx, TARN_ERR_ARG, "state: it is NULL; pass a state");
    TARN_TRY(check_state(set->ctx, state));
    set_state(body, state);
    return TARN_OK;
}

TarnResult tarn_bodies_get_force(const TarnBodies* set, TarnBodyId id, TarnBodyForce* out)
{
    if (out != NULL) *out = (TarnBodyForce){ 0 };
    const TarnBody* body = find(set, id);
    if (body == NULL) return TARN_ERR_ARG;
    if (out == NULL)
        return tarn__fail(set->ctx, TARN_ERR_ARG, "out: it is NULL; pass a force to fill");
    *out = body->force;
    return TARN_OK;
}

static void drop_forces(TarnBodies* set)
{
    for (int slot = 0; slot < set->def.max_bodies; ++slot)
        set->body[slot].force = (TarnBodyForce){ 0 };
}

void tarn_bodies_begin_forces(TarnBodies* set)
{
    if (set == NULL) return;
    set->adds_forces = true;
    drop_forces(set);
}

void tarn__bodies_open_forces(TarnBodies* set)
{
    if (!set->adds_forces) drop_forces(set);
}

void tarn__body_add_force(TarnBody* body, TarnBodyForce more)
{
    TarnBodyForce* sum = &body->force;
    float* all[6] = { &sum->force.x,  &sum->force.y,  &sum->force.z,
                      &sum->torque.x, &sum->torque.y, &sum->torque.z };
    const float each[6] = { more.force.x,  more.force.y,  more.force.z,
                            more.torque.x, more.torque.y, more.torque.z };
    for (int i = 0; i < 6; ++i)
        *all[i] = tarn_clampf(*all[i] + each[i], -body_max_force, body_max_force);
    // Waters that overlap share the body; it has no more volume than its own.
    sum->submerged_volume = tarn_minf(sum->submerged_volume + more.submerged_volume, body->volume);
}

static TarnResult check_force(TarnContext* ctx, const char* field, TarnVec3 sum)
{
    const float c[3] = { sum.x, sum.y, sum.z };
    if (tarn__all_within(c, 3, body_max_force)) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "%s: the sum for the next step would be (%g, %g, %g), which is out of range; "
                      "allowed: -%g to %g",
                      field, sum.x, sum.y, sum.z, body_max_force, body_max_force);
}

TarnResult tarn_bodies_add_force(TarnBodies* set, TarnBodyId id, TarnVec3 force, TarnVec3 torque)
{
    TarnBody* body = find(set, id);
    if (body == NULL) return TARN_ERR_ARG;
    force = vec3_add(body->added_force, force);
    torque = vec3_add(body->added_torque, torque);
    TARN_TRY(check_force(set->ctx, "force", force));
    TARN_TRY(check_force(set->ctx, "torque", torque));
    body->added_force = force;
    body->added_torque = torque;
    return TARN_OK;
}

TarnResult tarn_bodies_get_added_force(const TarnBodies* set, TarnBodyId id, TarnVec3* force,
                                       TarnVec3* torque)
{
    if (force != NULL) *force = (TarnVec3){ 0, 0, 0 };
    if (torque != NULL) *torque = (TarnVec3){ 0, 0, 0 };
    const TarnBody* body = find(set, id);
    if (body == NULL) return TARN_ERR_ARG;
    if (force != NULL) *force = body->added_force;
    if (torque != NULL) *torque = body->added_torque;
    return TARN_OK;
}

void tarn_bodies_clear_forces(TarnBodies* set)
{
    for (int slot = 0; set != NULL && slot < set->def.max_bodies; ++slot) {
        set->body[slot].added_force = (TarnVec3){ 0, 0, 0 };
        set->body[slot].added_torque = (TarnVec3){ 0, 0, 0 };
    }
}

TarnResult tarn_bodies_get_mass(const TarnBodies* set, TarnBodyId id, float* mass, float* volume)
{
    if (mass != NULL) *mass = 0.0f;
    if (volume != NULL) *volume = 0.0f;
    const TarnBody* body = find(set, id);
    if (body == NULL) return TARN_ERR_ARG;
    if (mass != NULL) *mass = body->mass;
    if (volume != NULL) *volume = body->volume;
    return TARN_OK;
}

TarnResult tarn_bodies_get_freedom(const TarnBodies* set, TarnBodyId id, int* freedom,
                                   TarnVec3* axis)
{
    if (freedom != NULL) *freedom = TARN_BODY_FREE;
    if (axis != NULL) *axis = (TarnVec3){ 0, 0, 0 };
    const TarnBody* body = find(set, id);
    if (body == NULL) return TARN_ERR_ARG;
    if (freedom != NULL) *freedom = body->freedom;
    if (axis != NULL) *axis = body->axis;
    return TARN_OK;
}

TarnResult tarn_bodies_get_surface(const TarnBodies* set, TarnBodyId id, float* friction,
                                   float* restitution)
{
    if (friction != NULL) *friction = 0.0f;
    if (restitution != NULL) *restitution = 0.0f;
    const TarnBody* body = find(set, id);
    if (body == NULL) return TARN_ERR_ARG;
    if (friction != NULL) *friction = body->friction;
    if (restitution != NULL) *restitution = body->restitution;
    return TARN_OK;
}

bool tarn_bodies_is_driven(const TarnBodies* set, TarnBodyId id)
{
    const TarnBody* body = find(set, id);
    return body != NULL && body->is_driven;
}

TarnBodiesDef tarn_bodies_def(const TarnBodies* set)
{
    return set ? set->def : (TarnBodiesDef){ 0 };
}

const TarnShape* tarn_bodies_shape(const TarnBodies* set, TarnBodyId id)
{
    const TarnBody* body = find(set, id);
    return body ? &body->shape : NULL;
}

int tarn_bodies_hull_triangles(const TarnBodies* set, TarnBodyId id, int* out, int capacity)
{
    const TarnBody* body = find(set, id);
    if (body == NULL) return 0;
    for (int i = 0; out != NULL && i < 3 * body->n_triangles && i < capacity; ++i) {
        out[i] = body->triangles[i];
    }
    return body->n_triangles;
}

// ---- Step ---------------------------------------------------------------------------------------

TarnResult tarn_bodies_step(TarnBodies* set, float dt, TarnStepReport* report)
{
    const double longest = 1.0 / 60.0; // substep [s]
    const int most = 8;
    if (report != NULL) *report = (TarnStepReport){ 0 };
    if (set == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f)) {
        return tarn__fail(set->ctx, TARN_ERR_ARG, "dt: %g s is out of range; allowed: 0 to 10 s",
                          dt);
    }
    set->flags = 0;
    set->limited = (TarnStepLimit){ 0 };
    int n = dt > 0.0f ? 1 : 0;
    while (n > 0 && n < most && dt > n * longest * 1.00001) ++n;
    bool is_cut = dt > n * longest * 1.00001;
    float h = n > 0 ? (float)(is_cut ? longest : (double)dt / n) : 0.0f;
    for (int i = 0; i < n; ++i) {
        set->step_t0 = (float)i * h / dt;
        set->step_t1 = (float)(i + 1) * h / dt;
        tarn__bodies_substep(set, h);
    }
    if (n > 0) tarn_bodies_clear_forces(set);
    if (report != NULL) {
        report->substeps = n;
        report->time_advanced = is_cut ? n * longest : (double)dt;
        report->time_dropped = (double)dt - report->time_advanced;
        report->time_limit = is_cut ? "bodies" : NULL;
        report->stable_dt = longest;
        report->limited = set->limited;
        report->flags = set->flags | (is_cut ? TARN_STEP_TIME_CUT : 0);
    }
    return TARN_OK;
}

// ---- For couplings and worlds -------------------------------------------------------------------

int tarn__bodies_slot_of(const TarnBodies* set, TarnBodyId id)
{
    return tarn__handles_slot(&set->ids, id.value);
}
TarnBodyId tarn__bodies_id(const TarnBodies* set, int slot)
{
    return (TarnBodyId){ tarn__handles_id(&set->ids, slot) };
}
void tarn__bodies_on_change(TarnBodies* set, BodiesChangeFn* changed, void* user)
{
    set->changed = changed;
    set->changed_user = user;
}
BodySolid* tarn__bodies_solid(TarnBodies* set, int slot)
{
    return &set->solid[slot];
}
void tarn__bodies_use_solids(TarnBodies* set, uint16_t owner)
{
    for (int slot = 0; set->solids_owner != owner && slot < set->def.max_bodies; ++slot) {
        BodySolid* solid = &set->solid[slot];
        bool is_open = solid->id != 0 && set->solids_owner == 0; // it came with a snapshot
        solid->id = is_open ? (uint64_t)owner << 48 | solid->id : 0;
    }
    set->solids_owner = owner;
}
void tarn__bodies_make_planar(TarnBodies* set, int slot)
{
    TarnBody* body = &set->body[slot];
    if (!body->is_used || body->freedom != TARN_BODY_FREE) return;
    tarn__body_set_freedom(body, TARN_BODY_PLANAR, body->axis);
    set->shape_hash[slot] = tarn__body_hash_fixed(body);
}
int tarn__bodies_capacity(const TarnBodies* set)
{
    return set->def.max_bodies;
}
TarnBody* tarn__bodies_slot(TarnBodies* set, int slot)
{
    return &set->body[slot];
}
TarnVec3 tarn__bodies_gravity(const TarnBodies* set)
{
    return set->def.gravity;
}
TarnContext* tarn__bodies_context(const TarnBodies* set)
{
    return set->ctx;
}
void tarn__bodies_set_obstacles(TarnBodies* set, const BodyObstacles* obstacles)
{
    set->obstacles = obstacles ? *obstacles : (BodyObstacles){ 0 };
}
void tarn__bodies_set_box(TarnBodies* set, TarnVec3 box_min, TarnVec3 box_max)
{
    set->def.box_min = box_min;
    set->def.box_max = box_max;
}

TarnVec3 tarn__body_inertia_inv(const TarnBody* body, TarnVec3 torque)
{
    const float* i = body->inertia_inv;
    if (body->freedom != TARN_BODY_FREE)
        return vec3_scale(body->axis, body->spin_ease * vec3_dot(body->axis, torque));
    TarnVec3 t = body_to_local(body, torque);
    TarnVec3 w = { i[0] * t.x + i[1] * t.y + i[2] * t.z, i[3] * t.x + i[4] * t.y + i[5] * t.z,
                   i[6] * t.x + i[7] * t.y + i[8] * t.z };
    return body_to_world(body, w);
}

void tarn__body_moved(const TarnBody* body, TarnVec3 way, TarnVec3 angle, TarnBody* out)
{
    *out = *body;
    TarnBodyState* s = &out->state;
    if (body->shape.kind == TARN_SHAPE_HULL) out->shape.points = out->points;
    s->position = vec3_add(s->position, way);
    TarnQuat half = { 0.5f * angle.x, 0.5f * angle.y, 0.5f * angle.z, 0.0f };
    TarnQuat turn = quat_multiply(half, s->rotation);
    s->rotation = quat_normalize((TarnQuat){ s->rotation.x + turn.x, s->rotation.y + turn.y,
                                             s->rotation.z + turn.z, s->rotation.w + turn.w });
    tarn__body_update_rotation(out);
}

TarnVec3 tarn__body_velocity_at(const TarnBody* body, TarnVec3 point)
{
    TarnVec3 arm = vec3_sub(point, body->state.position);
    return vec3_add(body->state.velocity, vec3_cross(body->state.angular_velocity, arm));
}
