// State of a set of bodies: hash, save, load. A snapshot holds what moves, by slots, and what contacts carried.

#include "bodies/bodies_internal.h"
#include "base/param.h"
#include "base/snapshot.h"

// ---- Hashes -------------------------------------------------------------------------------------

enum { MOVING_FLOATS = 27, TOUCH_FLOATS = 7 };

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

uint64_t tarn__body_hash_fixed(const TarnBody* body)
{
    const TarnShape* s = &body->shape;
    const float f[] = { s->size.x,      s->size.y,     s->size.z,      s->span_radius,
                        s->span_volume, body->density, body->friction, body->restitution };
    uint32_t kind[2] = { (uint32_t)s->kind, body->is_driven };
    uint64_t hash = tarn_hash(kind, sizeof kind, 0);
    hash = tarn_hash(f, sizeof f, hash);
    if (body->freedom != TARN_BODY_FREE) { // free bodies hash as they always did
        const float turn[4] = { (float)body->freedom, body->axis.x, body->axis.y, body->axis.z };
        hash = tarn_hash(turn, sizeof turn, hash);
    }
    return tarn_hash(body->points, (size_t)s->n_points * sizeof *body->points, hash);
}

// Def and bodies, without what moves: snapshots fit sets that agree in this.
static uint64_t hash_def(const TarnBodies* set)
{
    uint64_t hash = tarn__param_hash(&tarn__bodies_table, &set->def, 0);
    for (int slot = 0; slot < set->def.max_bodies; ++slot) {
        if (!set->body[slot].is_used) continue;
        uint64_t key[2] = { (uint64_t)slot, set->shape_hash[slot] };
        hash = tarn_hash(key, sizeof key, hash);
    }
    return hash;
}

uint64_t tarn_bodies_hash(const TarnBodies* set)
{
    if (set == NULL) return 0;
    uint64_t hash = hash_def(set);
    for (int slot = 0; slot < set->def.max_bodies; ++slot) {
        if (!set->body[slot].is_used) continue;
        float moving[MOVING_FLOATS];
        gather(&set->body[slot], moving);
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

// ---- Snapshots ----------------------------------------------------------------------------------

TarnResult tarn_bodies_save(const TarnBodies* set, void* buffer, size_t capacity, size_t* size)
{
    if (size != NULL) *size = 0;
    if (set == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(set->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    for (int slot = 0; slot < set->def.max_bodies; ++slot) {
        if (!set->body[slot].is_used) continue;
        float moving[MOVING_FLOATS];
        gather(&set->body[slot], moving);
        tarn__write_u32(&w, (uint32_t)slot);
        tarn__write(&w, moving, sizeof moving);
    }
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

static bool is_good_touch(const TarnBodies* set, const Touch* t, const float* f)
{
    bool is_slot_good =
        t->a >= 0 && t->a < set->def.max_bodies && set->body[t->a].is_used &&
        (t->b == -1 || (t->b > t->a && t->b < set->def.max_bodies && set->body[t->b].is_used));
    return is_slot_good && tarn__all_within(f, 3, body_max_position) &&
           tarn__all_within(f + 3, 4, body_max_force) && f[3] > 0.0f;
}

static TarnResult read_bodies(TarnBodies* set, TarnReader* r, bool is_change)
{
    for (int slot = 0; slot < set->def.max_bodies; ++slot) {
        if (!set->body[slot].is_used) continue;
        float moving[MOVING_FLOATS];
        uint32_t found = tarn__read_u32(r);
        tarn__read(r, moving, sizeof moving);
        if (r->is_bad || found != (uint32_t)slot || !is_good_state(moving)) {
            return tarn__fail(set->ctx, TARN_ERR_DATA,
                              "the snapshot holds no good state for body %d; nothing was loaded",
                              slot);
        }
        if (is_change) scatter(&set->body[slot], moving);
    }
    return TARN_OK;
}

static TarnResult read_touches(TarnBodies* set, TarnReader* r, bool is_change)
{
    uint32_t n = tarn__read_u32(r);
    bool is_good = !r->is_bad && n <= (uint32_t)set->max_contacts;
    for (uint32_t t = 0; is_good && t < n; ++t) {
        float f[TOUCH_FLOATS];
        Touch touch = { .a = (int32_t)tarn__read_u32(r), .b = (int32_t)tarn__read_u32(r) };
        tarn__read(r, f, sizeof f);
        is_good = !r->is_bad && is_good_touch(set, &touch, f);
        touch.point = (TarnVec3){ f[0], f[1], f[2] };
        touch.normal = f[3];
        touch.slide = (TarnVec3){ f[4], f[5], f[6] };
        if (is_good && is_change) set->touches[t] = touch;
    }
    if (!is_good || r->at != r->size) {
        return tarn__fail(set->ctx, TARN_ERR_DATA,
                          "the snapshot holds no good list of contacts; nothing was loaded");
    }
    if (is_change) set->n_touches = (int)n;
    return TARN_OK;
}

TarnResult tarn_bodies_load(TarnBodies* set, const void* buffer, size_t size)
{
    if (set == NULL) return TARN_ERR_ARG;
    if (buffer == NULL) {
        return tarn__fail(set->ctx, TARN_ERR_ARG, "buffer: NULL; give what tarn_bodies_save wrote");
    }
    TarnReader begin;
    TARN_TRY(tarn__snapshot_open(set->ctx, buffer, size, "bodies", hash_def(set), &begin));
    for (int pass = 0; pass < 2; ++pass) { // look at everything, then change everything
        TarnReader r = begin;
        TARN_TRY(read_bodies(set, &r, pass == 1));
        TARN_TRY(read_touches(set, &r, pass == 1));
    }
    return TARN_OK;
}
