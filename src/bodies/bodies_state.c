// State of a set of bodies: hash, save, load. A snapshot holds the whole set: who is there, with shapes and
// states, the solids that stand for them, and what contacts carried. The callbacks of span shapes are the
// host's: they are taken from the same body as it is in the set now.

#include "bodies/bodies_internal.h"
#include "base/shape.h"

// ---- Hashes -------------------------------------------------------------------------------------

enum { MOVING_FLOATS = 27, FIXED_FLOATS = 12, TOUCH_FLOATS = 7 };

// All that changes about a body, in the order of snapshots.
static void gather(const TarnBody* body, float* f)
{
    const TarnBodyState* s = &body->state;
    const TarnVec3 v[7] = { s->position,       s->velocity,        s->angular_velocity,
                            body->force.force, body->force.torque, body->added_force,
                            body->added_torque };
    for (int i = 0; i < 7; ++i) {
        *f++ = v[i].x;
        *f++ = v[i].y;
        *f++ = v[i].z;
    }
    *f++ = s->rotation.x;
    *f++ = s->rotation.y;
    *f++ = s->rotation.z;
    *f++ = s->rotation.w;
    *f++ = body->force.submerged_volume;
    *f++ = body->liquid_volume;
}

static void scatter(TarnBody* body, const float* f)
{
    TarnBodyState* s = &body->state;
    TarnVec3* v[7] = { &s->position,       &s->velocity,        &s->angular_velocity,
                       &body->force.force, &body->force.torque, &body->added_force,
                       &body->added_torque };
    for (int i = 0; i < 7; ++i, f += 3) *v[i] = (TarnVec3){ f[0], f[1], f[2] };
    s->rotation = (TarnQuat){ f[0], f[1], f[2], f[3] };
    body->force.submerged_volume = f[4];
    body->liquid_volume = f[5];
    tarn__body_update_rotation(body);
}

static void gather_touch(const Touch* t, float* f)
{
    const float values[TOUCH_FLOATS] = { t->point.x, t->point.y, t->point.z, t->normal,
                                         t->slide.x, t->slide.y, t->slide.z };
    memcpy(f, values, sizeof values);
}

// All that does not change about a body, but for the points of a hull.
static void gather_fixed(const TarnBody* body, float* f)
{
    const TarnShape* s = &body->shape;
    const float values[FIXED_FLOATS] = { s->size.x,      s->size.y,         s->size.z,
                                         s->radius,      s->volume,         body->density,
                                         body->friction, body->restitution, body->axis.x,
                                         body->axis.y,   body->axis.z,      body->spin_ease };
    memcpy(f, values, sizeof values);
}

uint64_t tarn__body_hash_fixed(const TarnBody* body)
{
    const TarnShape* s = &body->shape;
    const uint32_t kind[3] = { (uint32_t)s->kind, body->is_driven, (uint32_t)body->freedom };
    float f[FIXED_FLOATS];
    gather_fixed(body, f);
    uint64_t hash = tarn_hash(f, sizeof f, tarn_hash(kind, sizeof kind, 0));
    return tarn_hash(s->points, (size_t)s->n_points * sizeof *s->points, hash);
}

// What is fixed at creation. The box is not: worlds move it.
static uint64_t hash_def(const TarnBodies* set)
{
    const float gravity[3] = { set->def.gravity.x, set->def.gravity.y, set->def.gravity.z };
    return tarn_hash(gravity, sizeof gravity, (uint64_t)set->def.max_bodies);
}

uint64_t tarn_bodies_hash(const TarnBodies* set)
{
    if (set == NULL) return 0;
    uint64_t hash = tarn__param_hash(&tarn__bodies_table, &set->def, 0);
    hash = tarn__handles_hash(&set->ids, hash);
    for (int n = 0; n < set->ids.count; ++n) {
        int slot = set->ids.order[n];
        float moving[MOVING_FLOATS];
        gather(&set->body[slot], moving);
        hash = tarn_hash(&set->shape_hash[slot], sizeof set->shape_hash[slot], hash);
        hash = tarn_hash(moving, sizeof moving, hash);
    }
    for (int t = 0; t < set->n_touches; ++t) {
        float carried[TOUCH_FLOATS];
        int32_t slots[2] = { set->touches[t].a, set->touches[t].b };
        gather_touch(&set->touches[t], carried);
        hash = tarn_hash(slots, sizeof slots, hash);
        hash = tarn_hash(carried, sizeof carried, hash);
    }
    return hash;
}

static const uint64_t solid_id_bits = 0xffffffffffff; // of a solid's id: all but the owner

// ---- Save ---------------------------------------------------------------------------------------

static void write_body(TarnWriter* w, const TarnBody* body)
{
    float fixed[FIXED_FLOATS], moving[MOVING_FLOATS];
    gather_fixed(body, fixed);
    gather(body, moving);
    tarn__write_u32(w, (uint32_t)body->shape.kind);
    tarn__write_u32(w, (uint32_t)body->freedom << 1 | body->is_driven);
    tarn__write_u32(w, (uint32_t)body->shape.n_points);
    tarn__write(w, fixed, sizeof fixed);
    tarn__write(w, body->points, (size_t)body->shape.n_points * sizeof *body->points);
    tarn__write(w, moving, sizeof moving);
}

// The solids of bodies, also of those that have gone since the last coupling. Not who owns them: a snapshot
// may be loaded beside another set of solids.
static void write_solids(TarnWriter* w, const TarnBodies* set)
{
    uint32_t n = 0;
    for (int slot = 0; slot < set->def.max_bodies; ++slot) n += set->solid[slot].id != 0;
    tarn__write_u32(w, n);
    for (int slot = 0; slot < set->def.max_bodies; ++slot) {
        const BodySolid* solid = &set->solid[slot];
        if (solid->id == 0) continue;
        tarn__write_u32(w, (uint32_t)slot << 1 | solid->is_own);
        tarn__write_u32(w, solid->generation);
        tarn__write_u64(w, solid->id & solid_id_bits);
    }
}

TarnResult tarn_bodies_save(const TarnBodies* set, void* buffer, size_t capacity, size_t* size)
{
    if (size != NULL) *size = 0;
    if (set == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(set->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    tarn__write(&w, &set->def.box_min, sizeof set->def.box_min);
    tarn__write(&w, &set->def.box_max, sizeof set->def.box_max);
    tarn__handles_save(&set->ids, &w);
    for (int n = 0; n < set->ids.count; ++n) write_body(&w, &set->body[set->ids.order[n]]);
    write_solids(&w, set);
    tarn__write_u32(&w, (uint32_t)set->n_touches);
    for (int t = 0; t < set->n_touches; ++t) {
        float carried[TOUCH_FLOATS];
        gather_touch(&set->touches[t], carried);
        tarn__write_u32(&w, (uint32_t)set->touches[t].a);
        tarn__write_u32(&w, (uint32_t)set->touches[t].b);
        tarn__write(&w, carried, sizeof carried);
    }
    return tarn__snapshot_end(set->ctx, &w, "bodies", hash_def(set), size);
}

// ---- Load ---------------------------------------------------------------------------------------

// A state as a step leaves it; speeds may exceed their limit by rounding.
static bool is_good_state(const float* f)
{
    const float* q = f + 21;
    double length2 =
        (double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2] + (double)q[3] * q[3];
    return tarn__all_within(f, 3, body_max_position) &&
           tarn__all_within(f + 3, 3, 1.001f * body_max_speed) &&
           tarn__all_within(f + 6, 3, 1.001f * body_max_spin) &&
           tarn__all_within(f + 9, 12, body_max_force) && fabs(length2 - 1.0) < 1e-5 &&
           f[25] >= 0.0f && f[25] <= body_max_force && f[26] >= 0.0f && f[26] <= body_max_force;
}

// What is fixed, as tarn_bodies_add left it. The spin about an axis is as easy as the inertia lets it be.
static bool is_good_fixed(const TarnBody* body, const float* read)
{
    float f[FIXED_FLOATS]; // of a sphere only its radius and so on
    gather_fixed(body, f);
    const float* m = body->inertia_inv;
    double x = body->axis.x, y = body->axis.y, z = body->axis.z, length2 = x * x + y * y + z * z;
    bool has_axis = body->freedom != TARN_BODY_FREE || length2 != 0.0; // a free one needs none
    return memcmp(f, read, sizeof f) == 0 && body->friction >= 0.0f && body->friction <= 1.0f &&
           body->restitution >= 0.0f && body->restitution <= 1.0f &&
           (!has_axis || fabs(length2 - 1.0) < 1e-5) && body->spin_ease >= 0.0f &&
           (double)body->spin_ease <= 1.01 * ((double)m[0] + m[4] + m[8]);
}

// A body that is in the set already need not be built again.
static TarnResult build(const TarnBodies* set, int slot, const TarnShape* shape, TarnBody* out)
{
    const TarnBody* now = &set->body[slot];
    TarnBody read = *out;
    read.shape = *shape;
    if (!now->is_used || set->shape_hash[slot] != tarn__body_hash_fixed(&read))
        return tarn__body_build(NULL, shape, read.density, true, out);
    *out = *now;
    out->generation = read.generation;
    return TARN_OK;
}

// The body of a slot into out, whose points are in there, too. Good for one slot after the other.
static TarnResult read_body(const TarnBodies* set, TarnReader* r, int slot, uint32_t generation,
                            TarnBody* out)
{
    float f[FIXED_FLOATS], moving[MOVING_FLOATS];
    uint32_t kind = tarn__read_u32(r), bits = tarn__read_u32(r), n_points = tarn__read_u32(r);
    *out = (TarnBody){ .is_used = true, .generation = generation };
    bool is_good = kind < TARN_SHAPE_KINDS && (SHAPES_OF_BODIES >> kind & 1) &&
                   bits <= (TARN_BODY_HINGE << 1 | 1) && n_points <= BODY_MAX_POINTS &&
                   (n_points == 0 || kind == TARN_SHAPE_HULL);
    if (!is_good) n_points = 0;
    tarn__read(r, f, sizeof f);
    tarn__read(r, out->points, n_points * sizeof *out->points);
    tarn__read(r, moving, sizeof moving);
    TarnShape shape = { .kind = is_good ? (int)kind : TARN_SHAPE_BOX,
                        .size = { f[0], f[1], f[2] },
                        .points = n_points > 0 ? out->points : NULL,
                        .n_points = (int)n_points,
                        .radius = f[3],
                        .volume = f[4] };
    const TarnBody* now = &set->body[slot];
    if (is_good && kind == TARN_SHAPE_SPAN) {
        if (!now->is_used || now->generation != generation || now->shape.kind != TARN_SHAPE_SPAN)
            return tarn__fail(
                set->ctx, TARN_ERR_DATA,
                "body %d: the callback of its span shape is not in the snapshot, and the body that "
                "had it was removed; keep such bodies as long as snapshots refer to them, or build "
                "the set with the same calls before the load",
                slot);
        shape.span = now->shape.span;
        shape.user = now->shape.user;
    }
    out->is_driven = bits & 1u;
    out->freedom = (int)(bits >> 1);
    out->density = f[5], out->friction = f[6], out->restitution = f[7];
    out->axis = (TarnVec3){ f[8], f[9], f[10] };
    out->spin_ease = f[11];
    is_good = is_good && !r->is_bad && is_good_state(moving) && f[5] >= 1.0f && f[5] <= 1e5f &&
              build(set, slot, &shape, out) == TARN_OK && is_good_fixed(out, f);
    if (!is_good)
        return tarn__fail(
            set->ctx, TARN_ERR_DATA,
            "the snapshot is damaged: the body in slot %d is invalid; nothing was loaded", slot);
    scatter(out, moving);
    return TARN_OK;
}

static TarnResult read_bodies(TarnBodies* set, TarnReader* r, const SavedHandles* ids,
                              bool is_change)
{
    for (int slot = 0; slot < set->def.max_bodies; ++slot) {
        uint32_t generation = tarn__saved_generation(ids, slot);
        TarnBody body = { .generation = generation };
        if (tarn__saved_is_used(ids, slot)) TARN_TRY(read_body(set, r, slot, generation, &body));
        if (!is_change) continue;
        set->body[slot] = body;
        if (body.shape.kind == TARN_SHAPE_HULL)
            set->body[slot].shape.points = set->body[slot].points;
        set->shape_hash[slot] = tarn__body_hash_fixed(&set->body[slot]);
    }
    return TARN_OK;
}

static TarnResult read_solids(TarnBodies* set, TarnReader* r, bool is_change)
{
    uint32_t n = tarn__read_u32(r);
    int last = -1;
    for (int slot = 0; is_change && slot < set->def.max_bodies; ++slot)
        set->solid[slot] = (BodySolid){ 0 };
    for (uint32_t i = 0; i < n; ++i) {
        uint32_t key = tarn__read_u32(r), generation = tarn__read_u32(r);
        uint64_t id = tarn__read_u64(r);
        int slot = (int)(key >> 1);
        if (r->is_bad || slot <= last || slot >= set->def.max_bodies || id == 0 ||
            id > solid_id_bits)
            return tarn__fail(
                set->ctx, TARN_ERR_DATA,
                "the snapshot is damaged: the list of solids is invalid; nothing was loaded");
        last = slot;
        if (is_change)
            set->solid[slot] = (BodySolid){ .id = (uint64_t)set->solids_owner << 48 | id,
                                            .generation = generation,
                                            .is_own = key & 1u };
    }
    return TARN_OK;
}

static bool is_good_touch(const SavedHandles* ids, const Touch* t, const float* f)
{
    bool is_slot_good =
        t->a >= 0 && t->a < ids->n && tarn__saved_is_used(ids, t->a) &&
        (t->b == -1 || (t->b > t->a && t->b < ids->n && tarn__saved_is_used(ids, t->b)));
    return is_slot_good && tarn__all_within(f, 3, body_max_position) &&
           tarn__all_within(f + 3, 4, body_max_force) && f[3] > 0.0f;
}

static TarnResult read_touches(TarnBodies* set, TarnReader* r, const SavedHandles* ids,
                               bool is_change)
{
    uint32_t n = tarn__read_u32(r);
    bool is_good = !r->is_bad && n <= (uint32_t)set->max_contacts;
    for (uint32_t t = 0; is_good && t < n; ++t) {
        float f[TOUCH_FLOATS];
        Touch touch = { .a = (int32_t)tarn__read_u32(r), .b = (int32_t)tarn__read_u32(r) };
        tarn__read(r, f, sizeof f);
        is_good = !r->is_bad && is_good_touch(ids, &touch, f);
        touch.point = (TarnVec3){ f[0], f[1], f[2] };
        touch.normal = f[3];
        touch.slide = (TarnVec3){ f[4], f[5], f[6] };
        if (is_good && is_change) set->touches[t] = touch;
    }
    if (!is_good || r->at != r->size) {
        return tarn__fail(
            set->ctx, TARN_ERR_DATA,
            "the snapshot is damaged: the list of contacts is invalid; nothing was loaded");
    }
    if (is_change) set->n_touches = (int)n;
    return TARN_OK;
}

TarnResult tarn_bodies_load(TarnBodies* set, const void* buffer, size_t size)
{
    if (set == NULL) return TARN_ERR_ARG;
    if (buffer == NULL) {
        return tarn__fail(set->ctx, TARN_ERR_ARG,
                          "buffer: it is NULL; pass what tarn_bodies_save wrote");
    }
    TarnReader begin;
    SavedHandles ids;
    TarnVec3 lo, hi;
    TARN_TRY(tarn__snapshot_open(set->ctx, buffer, size, "bodies", hash_def(set), &begin));
    tarn__read(&begin, &lo, sizeof lo);
    tarn__read(&begin, &hi, sizeof hi);
    bool is_box = tarn__all_within(&lo, 3, 1e9f) && tarn__all_within(&hi, 3, 1e9f) && lo.x < hi.x &&
                  lo.y < hi.y && lo.z < hi.z;
    if (!is_box || !tarn__handles_read(&begin, set->def.max_bodies, &ids)) {
        return tarn__fail(
            set->ctx, TARN_ERR_DATA,
            "the snapshot is damaged: the box or the slots are invalid; nothing was loaded");
    }
    for (int pass = 0; pass < 2; ++pass) { // look at everything, then change everything
        TarnReader r = begin;
        TARN_TRY(read_bodies(set, &r, &ids, pass == 1));
        TARN_TRY(read_solids(set, &r, pass == 1));
        TARN_TRY(read_touches(set, &r, &ids, pass == 1));
    }
    tarn__handles_load(&set->ids, &ids);
    memcpy(set->order, set->ids.order, (size_t)set->ids.count * sizeof *set->order);
    tarn__bodies_set_box(set, lo, hi);
    return TARN_OK;
}
