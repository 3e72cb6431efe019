// Solids: hash and snapshots. All that moves: ways, velocities, pushes. Shapes are only compared.

#include "particles/solids_parts.h"
#include "base/param.h"
#include "base/snapshot.h"

enum { MOVING_FLOATS = 30 };

static float* put3(float* f, TarnVec3 v)
{
    f[0] = v.x, f[1] = v.y, f[2] = v.z;
    return f + 3;
}
static float* put4(float* f, TarnQuat q)
{
    f[0] = q.x, f[1] = q.y, f[2] = q.z, f[3] = q.w;
    return f + 4;
}

// In the order of snapshots: two poses, the turn between them, velocities as given and as
// predicted.
static void gather(const Solid* s, float* f)
{
    f = put3(f, s->start.position);
    f = put4(f, s->start.rotation);
    f = put3(f, s->def.motion.position);
    f = put4(f, s->def.motion.rotation);
    f = put3(f, s->axis);
    *f++ = s->angle;
    f = put3(f, s->def.motion.velocity);
    f = put3(f, s->def.motion.angular_velocity);
    f = put3(f, s->velocity);
    put3(f, s->spin);
}

static TarnVec3 vec3_of(const float* f)
{
    return (TarnVec3){ f[0], f[1], f[2] };
}
static TarnQuat quat_of(const float* f)
{
    return (TarnQuat){ f[0], f[1], f[2], f[3] };
}

static void scatter(Solid* s, const float* f)
{
    s->start = (SolidPose){ vec3_of(f), quat_of(f + 3) };
    s->def.motion.position = vec3_of(f + 7);
    s->def.motion.rotation = quat_of(f + 10);
    s->axis = vec3_of(f + 14);
    s->angle = f[17];
    s->def.motion.velocity = vec3_of(f + 18);
    s->def.motion.angular_velocity = vec3_of(f + 21);
    s->velocity = vec3_of(f + 24);
    s->spin = vec3_of(f + 27);
    tarn__solid_update_bounds(s);
}

// Def and shapes: snapshots fit sets that agree in this.
static uint64_t hash_def(const TarnSolids* set)
{
    uint64_t hash = tarn__param_hash(tarn__solids_table(), &set->def, 0);
    for (int i = 0; i < set->count; ++i) {
        int slot = set->order[i];
        uint64_t key[2] = { (uint64_t)slot, set->solid[slot].shape_hash };
        hash = tarn_hash(key, sizeof key, hash);
    }
    return hash;
}

uint64_t tarn_solids_hash(const TarnSolids* set)
{
    if (set == NULL) return 0;
    uint64_t hash = tarn_hash(&set->dt, sizeof set->dt, hash_def(set));
    for (int i = 0; i < set->count; ++i) {
        const Solid* s = &set->solid[set->order[i]];
        float moving[MOVING_FLOATS];
        gather(s, moving);
        int32_t touching = s->touching;
        hash = tarn_hash(moving, sizeof moving, hash);
        hash = tarn_hash(s->push, sizeof s->push, hash);
        hash = tarn_hash(&touching, sizeof touching, hash);
    }
    return hash;
}

TarnResult tarn_solids_save(const TarnSolids* set, void* buffer, size_t capacity, size_t* size)
{
    if (size != NULL) *size = 0;
    if (set == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(set->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    tarn__write(&w, &set->dt, sizeof set->dt);
    tarn__write_u32(&w, (uint32_t)set->count);
    for (int i = 0; i < set->count; ++i) {
        const Solid* s = &set->solid[set->order[i]];
        float moving[MOVING_FLOATS];
        gather(s, moving);
        tarn__write_u32(&w, (uint32_t)set->order[i]);
        tarn__write(&w, moving, sizeof moving);
        for (int c = 0; c < 6; ++c) tarn__write_f64(&w, s->push[c]);
        tarn__write_u32(&w, (uint32_t)s->touching);
    }
    return tarn__snapshot_end(set->ctx, &w, "solids", hash_def(set), size);
}

static bool is_unit(const float* f, int n, double tolerance)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) sum += (double)f[i] * f[i];
    return fabs(sum - 1.0) < tolerance; // false for NaN
}

static bool is_good_state(const float* f)
{
    return tarn__all_within(f, 3, solid_max_position) && is_unit(f + 3, 4, 1e-5) &&
           tarn__all_within(f + 7, 3, solid_max_position) && is_unit(f + 10, 4, 1e-5) &&
           is_unit(f + 14, 3, 1e-5) && f[17] >= 0.0f && f[17] < 13.0f &&
           tarn__all_within(f + 18, 3, solid_max_speed) &&
           tarn__all_within(f + 21, 3, solid_max_spin) &&
           tarn__all_within(f + 24, 6, solid_max_predicted);
}

static bool read_solid(TarnSolids* set, int slot, TarnReader* r, bool is_change)
{
    float moving[MOVING_FLOATS];
    double push[6];
    uint32_t found = tarn__read_u32(r);
    tarn__read(r, moving, sizeof moving);
    bool is_good = true;
    for (int c = 0; c < 6; ++c) {
        push[c] = tarn__read_f64(r);
        is_good = is_good && fabs(push[c]) <= 1e30; // false for NaN
    }
    uint32_t touching = tarn__read_u32(r);
    is_good = is_good && !r->is_bad && found == (uint32_t)slot && touching <= INT32_MAX &&
              is_good_state(moving);
    if (!is_good || !is_change) return is_good;
    Solid* s = &set->solid[slot];
    scatter(s, moving);
    memcpy(s->push, push, sizeof push);
    s->touching = (int)touching;
    return true;
}

TarnResult tarn_solids_load(TarnSolids* set, const void* buffer, size_t size)
{
    if (set == NULL) return TARN_ERR_ARG;
    TarnReader begin;
    TARN_TRY(tarn__snapshot_open(set->ctx, buffer, size, "solids", hash_def(set), &begin));
    for (int pass = 0; pass < 2; ++pass) { // look at everything, then change everything
        TarnReader r = begin;
        float dt;
        tarn__read(&r, &dt, sizeof dt);
        bool is_good = tarn__read_u32(&r) == (uint32_t)set->count && dt >= 0.0f && dt <= 10.0f;
        for (int i = 0; i < set->count && is_good; ++i)
            is_good = read_solid(set, set->order[i], &r, pass == 1);
        if (!is_good || r.is_bad || r.at != r.size) {
            return tarn__fail(set->ctx, TARN_ERR_DATA,
                              "the snapshot holds what no run can have made; nothing was loaded");
        }
        set->dt = pass == 1 ? dt : set->dt;
    }
    return TARN_OK;
}
