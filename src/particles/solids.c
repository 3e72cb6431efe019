// A set of solids: slots, ids, motion, pushes, hash, snapshots. Shapes: solids_shapes.c and beside
// it; what particles ask: solids_sweep.c.
//
// A new solid takes the lowest free slot. Shapes lie one behind the other in the shape memory; those
// behind a removed one move up.

#include "particles/solids_parts.h"
#include "base/def.h"

// ---- Create and destroy -------------------------------------------------------------------------

static TarnResult check_def(TarnContext* ctx, const TarnSolidsDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "solids", "tarn/solids.h", TarnSolidsDef, tarn_solids_default_def,
                            def));
    TARN_TRY(tarn_param_validate(ctx, tarn__solids_table(), def));
    if (def->shape_memory > (size_t)1 << 31) {
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "solids.shape_memory: %zu bytes is out of range; allowed: 0 to 2 GiB",
                          def->shape_memory);
    }
    return TARN_OK;
}

static size_t lay_out(const TarnSolidsDef* def, TarnSolids* set)
{
    TarnLayout layout = { 0 };
    TarnSolids only_counts;
    char* base = (char*)set;
    TarnSolids* s = set ? set : &only_counts;
    tarn__layout_add(&layout, sizeof *s);
    s->solid = tarn__layout_place(&layout, base, (size_t)def->max_solids, sizeof *s->solid);
    tarn__handles_place(&s->ids, &layout, base, def->max_solids);
    s->shapes = tarn__layout_place(&layout, base, def->shape_memory, 1);
    return layout.size;
}

size_t tarn_solids_memory(const TarnSolidsDef* def)
{
    return check_def(NULL, def) == TARN_OK ? lay_out(def, NULL) : 0;
}

TarnResult tarn_solids_create(TarnContext* ctx, const TarnSolidsDef* def, TarnSolids** out)
{
    if (out == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "out: it is NULL; pass a place for the set");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    size_t size = lay_out(def, NULL);
    TarnSolids* set = tarn__alloc(ctx, size);
    if (set == NULL) {
        return tarn__fail(ctx, TARN_ERR_MEMORY,
                          "out of memory for %d solids (%zu bytes); lower solids.max_solids or "
                          "solids.shape_memory",
                          def->max_solids, size);
    }
    lay_out(def, set);
    set->ctx = ctx;
    set->memory = size;
    set->def = *def;
    tarn__handles_begin(&set->ids, "solid", "set of solids", "tarn_solids_add");
    *out = set;
    return TARN_OK;
}

void tarn_solids_destroy(TarnSolids* set)
{
    if (set != NULL) tarn__free(set->ctx, set, set->memory);
}

// ---- Ids ----------------------------------------------------------------------------------------

TarnSolidId tarn__solids_id(const TarnSolids* set, int slot)
{
    return (TarnSolidId){ tarn__handles_id(&set->ids, slot) };
}

uint16_t tarn__solids_owner(const TarnSolids* set)
{
    return set->ids.owner;
}

int tarn__solids_slot(const TarnSolids* set, TarnSolidId id)
{
    return tarn__handles_slot(&set->ids, id.value);
}

static Solid* find(const TarnSolids* set, TarnSolidId id) // NULL: an error was reported
{
    int slot = set ? tarn__handles_find(set->ctx, &set->ids, id.value) : -1;
    return slot >= 0 ? &set->solid[slot] : NULL;
}

int tarn_solids_count(const TarnSolids* set)
{
    return set ? set->ids.count : 0;
}

TarnSolidId tarn_solids_at(const TarnSolids* set, int n)
{
    return (TarnSolidId){ set ? tarn__handles_at(&set->ids, n) : 0 };
}

// ---- Motion -------------------------------------------------------------------------------------

static const float two_pi = 6.2831853f;

static TarnQuat turned(TarnQuat q, TarnVec3 axis, float angle)
{
    return angle != 0.0f ? quat_normalize(quat_multiply(quat_from_axis_angle(axis, angle), q)) : q;
}

// A unit quaternion stays as it is, bit for bit, so that get and move of a motion change nothing.
static TarnQuat clean(TarnQuat q)
{
    double length2 = (double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w;
    return fabs(length2 - 1.0) > 1e-6 ? quat_normalize(q) : q;
}

// From where it is, without a way.
static void stand(Solid* s)
{
    s->start = (SolidPose){ s->def.motion.position, s->def.motion.rotation };
    s->axis = (TarnVec3){ 0.0f, 1.0f, 0.0f };
    s->angle = 0.0f;
    s->velocity = s->def.motion.velocity;
    s->spin = s->def.motion.angular_velocity;
    tarn__solid_update_bounds(s);
}

static float within(float x, float limit)
{
    return tarn_clampf(x, -limit, limit);
}

// Along its velocity. Turns beyond two leave no trace: whole ones of them are left out.
static void travel(Solid* s, float dt)
{
    TarnMotion* m = &s->def.motion;
    TarnVec3 x = vec3_add(m->position, vec3_scale(m->velocity, dt));
    float spin = vec3_length(m->angular_velocity), angle = spin * dt;
    float turns = floorf(angle / two_pi);
    if (turns >= 2.0f) angle -= (turns - 1.0f) * two_pi;
    m->position = (TarnVec3){ within(x.x, solid_max_position), within(x.y, solid_max_position),
                              within(x.z, solid_max_position) };
    if (angle > 0.0f) {
        s->axis = vec3_normalize(m->angular_velocity);
        s->angle = angle;
        m->rotation = turned(m->rotation, s->axis, angle);
    }
    tarn__solid_update_bounds(s);
}

TarnResult tarn_solids_advance(TarnSolids* set, float dt)
{
    if (set == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f)) {
        return tarn__fail(set->ctx, TARN_ERR_ARG, "dt: %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    }
    set->dt = dt;
    for (int i = 0; i < set->ids.count; ++i) {
        Solid* s = &set->solid[set->ids.order[i]];
        stand(s);
        travel(s, dt);
        memset(s->push, 0, sizeof s->push);
        s->touching = 0;
        s->wet = 0.0;
    }
    return TARN_OK;
}

// The turn from the start to a rotation: the short way, unless the angular velocity says that it
// took the long one or went around more than once.
static void find_turn(Solid* s, TarnQuat to, float dt)
{
    TarnQuat q = s->start.rotation;
    TarnQuat d = quat_multiply(to, (TarnQuat){ -q.x, -q.y, -q.z, q.w });
    if (d.w < 0.0f) d = (TarnQuat){ -d.x, -d.y, -d.z, -d.w };
    TarnVec3 axis = { d.x, d.y, d.z };
    float sine = vec3_length(axis), angle = 2.0f * tarn_atan2(sine, d.w);
    TarnVec3 w = s->def.motion.angular_velocity;
    bool is_big = vec3_length(w) * dt > 0.5f * two_pi;
    axis = vec3_normalize(sine > 1e-6f ? axis : w);
    if (!(vec3_dot(axis, axis) > 0.0f)) axis = (TarnVec3){ 0.0f, 0.0f, 1.0f }; // it does not turn
    if (is_big) {
        float around = floorf((vec3_dot(w, axis) * dt - angle) / two_pi + 0.5f);
        angle += tarn_clampf(around, -2.0f, 1.0f) * two_pi;
    } else if (!(sine > 1e-6f)) {
        angle = 0.0f;
    }
    s->axis = angle < 0.0f ? vec3_scale(axis, -1.0f) : axis;
    s->angle = fabsf(angle);
}

TarnResult tarn_solids_move(TarnSolids* set, TarnSolidId id, const TarnMotion* motion)
{
    Solid* s = find(set, id);
    if (s == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__solid_check_motion(set->ctx, motion));
    s->def.motion = *motion;
    s->def.motion.rotation = clean(motion->rotation);
    s->velocity = motion->velocity;
    s->spin = motion->angular_velocity;
    find_turn(s, s->def.motion.rotation, set->dt);
    tarn__solid_update_bounds(s);
    return TARN_OK;
}

TarnResult tarn_solids_place(TarnSolids* set, TarnSolidId id, const TarnMotion* motion)
{
    Solid* s = find(set, id);
    if (s == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn__solid_check_motion(set->ctx, motion));
    s->def.motion = *motion;
    s->def.motion.rotation = clean(motion->rotation);
    stand(s);
    return TARN_OK;
}

TarnResult tarn_solids_set_velocity(TarnSolids* set, TarnSolidId id, TarnVec3 velocity,
                                    TarnVec3 angular_velocity)
{
    Solid* s = find(set, id);
    if (s == NULL) return TARN_ERR_ARG;
    TarnMotion motion = s->def.motion;
    motion.velocity = velocity;
    motion.angular_velocity = angular_velocity;
    TARN_TRY(tarn__solid_check_motion(set->ctx, &motion));
    s->def.motion = motion;
    s->velocity = velocity;
    s->spin = angular_velocity;
    return TARN_OK;
}

// ---- Solids -------------------------------------------------------------------------------------

TarnResult tarn_solids_add(TarnSolids* set, const TarnSolidDef* def, TarnSolidId* out)
{
    if (out != NULL) *out = (TarnSolidId){ 0 };
    if (set == NULL) return TARN_ERR_ARG;
    if (set->ids.count == set->def.max_solids) {
        return tarn__fail(set->ctx, TARN_ERR_CAPACITY,
                          "there are %d solids already; raise solids.max_solids or remove some",
                          set->ids.count);
    }
    Solid made;
    TARN_TRY(tarn__solid_build(set, def, &made));
    int slot = tarn__handles_add(&set->ids);
    made.def.motion.rotation = clean(made.def.motion.rotation);
    set->solid[slot] = made;
    stand(&set->solid[slot]);
    set->shapes_used += made.data_size;
    if (out != NULL) *out = tarn__solids_id(set, slot);
    return TARN_OK;
}

TarnResult tarn_solids_remove(TarnSolids* set, TarnSolidId id)
{
    Solid* s = find(set, id);
    if (s == NULL) return TARN_ERR_ARG;
    size_t from = s->data + s->data_size, gap = s->data_size;
    tarn__handles_remove(&set->ids, (int)(s - set->solid));
    *s = (Solid){ 0 };
    if (gap == 0) return TARN_OK;
    memmove(set->shapes + from - gap, set->shapes + from, set->shapes_used - from);
    set->shapes_used -= gap;
    for (int i = 0; i < set->ids.count; ++i) {
        Solid* other = &set->solid[set->ids.order[i]];
        if (other->data < from) continue;
        other->data -= gap;
        tarn__solid_bind(set, other);
    }
    return TARN_OK;
}

TarnResult tarn_solids_get(const TarnSolids* set, TarnSolidId id, TarnSolidDef* out)
{
    if (out != NULL) *out = (TarnSolidDef){ 0 };
    const Solid* s = find(set, id);
    if (s == NULL) return TARN_ERR_ARG;
    if (out == NULL)
        return tarn__fail(set->ctx, TARN_ERR_ARG, "out: it is NULL; pass a def to fill");
    *out = s->def;
    return TARN_OK;
}

TarnResult tarn_solids_get_push(const TarnSolids* set, TarnSolidId id, TarnSolidPush* out)
{
    if (out != NULL) *out = (TarnSolidPush){ 0 };
    const Solid* s = find(set, id);
    if (s == NULL) return TARN_ERR_ARG;
    if (out == NULL)
        return tarn__fail(set->ctx, TARN_ERR_ARG, "out: it is NULL; pass a push to fill");
    const double* p = s->push;
    out->impulse = (TarnVec3){ (float)p[0], (float)p[1], (float)p[2] };
    out->angular_impulse = (TarnVec3){ (float)p[3], (float)p[4], (float)p[5] };
    out->touching = s->touching;
    return TARN_OK;
}

// ---- For liquids, particle systems and couplings ------------------------------------------------

int tarn__solids_capacity(const TarnSolids* set)
{
    return set->def.max_solids;
}
bool tarn__solids_is_used(const TarnSolids* set, int slot)
{
    return tarn__handles_is_used(&set->ids, slot);
}
float tarn__solids_friction(const TarnSolids* set, int slot)
{
    return set->solid[slot].def.friction;
}
float tarn__solids_restitution(const TarnSolids* set, int slot)
{
    return set->solid[slot].def.restitution;
}
int tarn__solids_touch(const TarnSolids* set, int slot)
{
    return set->solid[slot].def.touch;
}
const TarnSolidDef* tarn__solids_def(const TarnSolids* set, int slot)
{
    return &set->solid[slot].def;
}
TarnMotion tarn__solids_motion(const TarnSolids* set, int slot, float t)
{
    const Solid* s = &set->solid[slot];
    SolidPose pose = tarn__solid_pose(s, t);
    return (TarnMotion){ pose.position, pose.rotation, s->velocity, s->spin };
}
bool tarn__solids_is_body(const TarnSolids* set, int slot)
{
    return set->solid[slot].is_body;
}
bool tarn__solids_is_sheet(const TarnSolids* set, int slot)
{
    return set->solid[slot].def.shape.kind == TARN_SHAPE_MESH && !set->solid[slot].is_closed;
}
void tarn__solids_set_body(TarnSolids* set, int slot)
{
    set->solid[slot].is_body = true;
}
const SolidMass* tarn__solids_mass(const TarnSolids* set, int slot)
{
    return &set->solid[slot].mass;
}
void tarn__solids_get_velocity(const TarnSolids* set, int slot, TarnVec3* velocity,
                               TarnVec3* angular_velocity)
{
    *velocity = set->solid[slot].velocity;
    *angular_velocity = set->solid[slot].spin;
}
void tarn__solids_set_mass(TarnSolids* set, int slot, const SolidMass* mass)
{
    set->solid[slot].mass = *mass;
}
void tarn__solids_predict(TarnSolids* set, int slot, TarnVec3 velocity, TarnVec3 angular_velocity)
{
    set->solid[slot].velocity = velocity;
    set->solid[slot].spin = angular_velocity;
    set->solid[slot].wet = 0.0;
}
void tarn__solids_release(TarnSolids* set, int slot)
{
    Solid* s = &set->solid[slot];
    s->mass = (SolidMass){ 0 };
    s->velocity = s->def.motion.velocity;
    s->spin = s->def.motion.angular_velocity;
}
void tarn__solids_accelerate(TarnSolids* set, float dt)
{
    for (int i = 0; i < set->ids.count; ++i) {
        Solid* s = &set->solid[set->ids.order[i]];
        if (!(s->mass.inverse_mass > 0.0f)) continue;
        TarnVec3 velocity = vec3_add(s->velocity, vec3_scale(s->mass.acceleration, dt));
        TarnVec3 spin = vec3_add(s->spin, vec3_scale(s->mass.angular_acceleration, dt));
        const float motion[6] = { velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z };
        if (!tarn__all_within(motion, 6, solid_max_predicted)) continue;
        s->velocity = velocity;
        s->spin = spin;
    }
}
void tarn__solids_add_push(TarnSolids* set, int slot, const double impulse[3],
                           const double angular_impulse[3], int touching)
{
    Solid* s = &set->solid[slot];
    for (int i = 0; i < 3; ++i) {
        s->push[i] += impulse[i];
        s->push[3 + i] += angular_impulse[i];
    }
    s->touching += touching;
    // What comes after in this frame meets a body that has been pushed already.
    TarnVec3 j = { (float)impulse[0], (float)impulse[1], (float)impulse[2] };
    TarnVec3 l = { (float)angular_impulse[0], (float)angular_impulse[1],
                   (float)angular_impulse[2] };
    const float* inverse = s->mass.inverse_inertia;
    TarnVec3 turn = { inverse[0] * l.x + inverse[1] * l.y + inverse[2] * l.z,
                      inverse[3] * l.x + inverse[4] * l.y + inverse[5] * l.z,
                      inverse[6] * l.x + inverse[7] * l.y + inverse[8] * l.z };
    TarnVec3 velocity = vec3_add(s->velocity, vec3_scale(j, s->mass.inverse_mass));
    TarnVec3 spin = vec3_add(s->spin, turn);
    const float motion[6] = { velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z };
    if (!(s->mass.inverse_mass > 0.0f) || !tarn__all_within(motion, 6, solid_max_predicted)) return;
    s->velocity = velocity;
    s->spin = spin;
}
void tarn__solids_add_wet(TarnSolids* set, int slot, double volume)
{
    set->solid[slot].wet += volume;
}
double tarn__solids_wet(const TarnSolids* set, int slot)
{
    return set->solid[slot].wet;
}
