// Solids: hash and snapshots. A snapshot holds the whole set: who is there, with shapes, ways, velocities
// and pushes. The heights of terrain and distance functions are the host's: they are taken from the same
// solid as it is in the set now.

#include "particles/solids_parts.h"

enum { MOVING_FLOATS = 24, COUNTS = 9 };

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

// In the order of snapshots: two poses, the turn between them, and velocities. Masses and predicted velocities are
// there only while a coupling steps a liquid, and never between steps.
static void gather(const Solid* s, float* f)
{
    f = put3(f, s->start.position);
    f = put4(f, s->start.rotation);
    f = put3(f, s->def.motion.position);
    f = put4(f, s->def.motion.rotation);
    f = put3(f, s->axis);
    *f++ = s->angle;
    f = put3(f, s->def.motion.velocity);
    put3(f, s->def.motion.angular_velocity);
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
    s->velocity = s->def.motion.velocity;
    s->spin = s->def.motion.angular_velocity;
}

static void get_counts(const Solid* s, int32_t out[COUNTS])
{
    const TarnSolidDef* d = &s->def;
    const int32_t counts[COUNTS] = {
        d->shape.n_planes, s->n_edges,  d->shape.n_points,   d->shape.n_triangles, d->shape.nx,
        d->shape.ny,       d->shape.nz, d->shape.heights.nx, d->shape.heights.nz
    };
    memcpy(out, counts, sizeof counts);
}

static void set_counts(Solid* s, const int32_t c[COUNTS])
{
    TarnSolidDef* d = &s->def;
    d->shape.n_planes = c[0], s->n_edges = c[1], d->shape.n_points = c[2],
    d->shape.n_triangles = c[3];
    d->shape.nx = c[4], d->shape.ny = c[5], d->shape.nz = c[6], d->shape.heights.nx = c[7],
    d->shape.heights.nz = c[8];
}

static uint64_t hash_def(const TarnSolids* set)
{
    return tarn__param_hash(tarn__solids_table(), &set->def, 0);
}

uint64_t tarn_solids_hash(const TarnSolids* set)
{
    if (set == NULL) return 0;
    uint64_t hash = tarn_hash(&set->dt, sizeof set->dt, hash_def(set));
    hash = tarn__handles_hash(&set->ids, hash);
    for (int i = 0; i < set->ids.count; ++i) {
        const Solid* s = &set->solid[set->ids.order[i]];
        float moving[MOVING_FLOATS];
        gather(s, moving);
        int32_t touching = s->touching;
        hash = tarn_hash(&s->shape_hash, sizeof s->shape_hash, hash);
        hash = tarn_hash(moving, sizeof moving, hash);
        hash = tarn_hash(s->push, sizeof s->push, hash);
        hash = tarn_hash(&touching, sizeof touching, hash);
    }
    return hash;
}

// ---- Save ---------------------------------------------------------------------------------------

TarnResult tarn_solids_save(const TarnSolids* set, void* buffer, size_t capacity, size_t* size)
{
    if (size != NULL) *size = 0;
    if (set == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(set->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    tarn__write(&w, &set->dt, sizeof set->dt);
    tarn__handles_save(&set->ids, &w);
    for (int i = 0; i < set->ids.count; ++i) {
        const Solid* s = &set->solid[set->ids.order[i]];
        float moving[MOVING_FLOATS];
        int32_t counts[COUNTS];
        gather(s, moving);
        get_counts(s, counts);
        tarn__write(&w, moving, sizeof moving);
        for (int c = 0; c < 6; ++c) tarn__write_f64(&w, s->push[c]);
        tarn__write_u32(&w, (uint32_t)s->touching);
        tarn__write_u32(&w, s->def.user);
        tarn__write_u32(&w, s->is_body);
        tarn__write_table(&w, tarn_solid_def_table(), &s->def);
        tarn__write(&w, counts, sizeof counts);
        tarn__write_u64(&w, s->data_size);
        tarn__write(&w, set->shapes + s->data, s->data_size);
    }
    return tarn__snapshot_end(set->ctx, &w, "solids", hash_def(set), size);
}

// ---- Load ---------------------------------------------------------------------------------------

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
           tarn__all_within(f + 21, 3, solid_max_spin);
}

// Everything about a solid in a snapshot, and where its data lie there. False: damaged.
static bool read_solid(TarnReader* r, Solid* s, const uint8_t** data)
{
    float moving[MOVING_FLOATS];
    int32_t counts[COUNTS];
    tarn__read(r, moving, sizeof moving);
    bool is_good = is_good_state(moving);
    *s = (Solid){ .def = tarn_solid_default_def() };
    for (int c = 0; c < 6; ++c) {
        s->push[c] = tarn__read_f64(r);
        is_good = is_good && fabs(s->push[c]) <= 1e30; // false for NaN
    }
    uint32_t touching = tarn__read_u32(r);
    s->def.user = tarn__read_u32(r);
    uint32_t is_body = tarn__read_u32(r);
    is_good = is_body <= 1 && is_good;
    is_good = tarn__read_table(r, tarn_solid_def_table(), &s->def) && is_good;
    tarn__read(r, counts, sizeof counts);
    uint64_t size = tarn__read_u64(r);
    if (r->is_bad || !is_good || touching > INT32_MAX || size > r->size) return false;
    *data = tarn__read_view(r, (size_t)size);
    if (*data == NULL) return false;
    s->touching = (int)touching;
    s->is_body = is_body;
    set_counts(s, counts);
    tarn__solid_keep_own(&s->def);
    if (s->def.shape.kind != TARN_SHAPE_CONVEX) s->n_edges = 0;
    if (!tarn__solid_check_saved(s, *data, (size_t)size)) return false;
    scatter(s, moving);
    return true;
}

// Takes over what only the host has, from the same solid as it is in the set now. False: it is not there.
static bool take_host_part(const TarnSolids* set, int slot, uint32_t generation, Solid* s)
{
    TarnSolidDef* d = &s->def;
    if (d->shape.kind != TARN_SHAPE_TERRAIN && d->shape.kind != TARN_SHAPE_FUNCTION) return true;
    const TarnSolidDef* now = &set->solid[slot].def;
    bool is_same = set->ids.generation[slot] == generation && now->shape.kind == d->shape.kind &&
                   now->shape.heights.nx == d->shape.heights.nx &&
                   now->shape.heights.nz == d->shape.heights.nz;
    if (!is_same) return false;
    d->shape.heights = now->shape.heights;
    d->shape.distance = now->shape.distance;
    d->shape.user = now->shape.user;
    return true;
}

static TarnResult check_solids(const TarnSolids* set, TarnReader* r, const SavedHandles* ids)
{
    size_t used = 0;
    bool is_good = true;
    for (int slot = 0; slot < ids->n && is_good; ++slot) {
        Solid s;
        const uint8_t* data;
        uint32_t generation = tarn__saved_generation(ids, slot);
        if (!tarn__saved_is_used(ids, slot)) continue;
        is_good = read_solid(r, &s, &data);
        if (!is_good) break;
        used += s.data_size;
        if (take_host_part(set, slot, generation, &s)) continue;
        return tarn__fail(
            set->ctx, TARN_ERR_DATA,
            "solid %d: the %s of the host is not in the snapshot, and the solid that had "
            "it was removed; keep such solids while there are snapshots with them, or "
            "build the set by the same calls before the load",
            slot, s.def.shape.kind == TARN_SHAPE_TERRAIN ? "terrain" : "distance function");
    }
    if (!is_good || r->is_bad || r->at != r->size) {
        return tarn__fail(set->ctx, TARN_ERR_DATA,
                          "the snapshot is damaged: it contains values that no run can produce");
    }
    if (used <= set->def.shape_memory) return TARN_OK;
    return tarn__fail(set->ctx, TARN_ERR_CAPACITY,
                      "the shapes in the snapshot need %zu bytes of shape_memory, there are %zu; "
                      "raise solids.shape_memory",
                      used, set->def.shape_memory);
}

// Shapes come to lie in the order of their slots.
static void take_solids(TarnSolids* set, TarnReader* r, const SavedHandles* ids)
{
    set->shapes_used = 0;
    for (int slot = 0; slot < set->def.max_solids; ++slot) {
        Solid s = { 0 };
        const uint8_t* data = NULL;
        if (tarn__saved_is_used(ids, slot)) {
            read_solid(r, &s, &data);
            take_host_part(set, slot, tarn__saved_generation(ids, slot), &s);
            s.data = set->shapes_used;
            memcpy(set->shapes + s.data, data, s.data_size);
            tarn__solid_bind(set, &s);
            tarn__solid_finish(set, &s);
            tarn__solid_update_bounds(&s);
            set->shapes_used += s.data_size;
        }
        set->solid[slot] = s;
    }
    tarn__handles_load(&set->ids, ids);
}

TarnResult tarn_solids_load(TarnSolids* set, const void* buffer, size_t size)
{
    if (set == NULL) return TARN_ERR_ARG;
    TarnReader r;
    SavedHandles ids;
    float dt;
    TARN_TRY(tarn__snapshot_open(set->ctx, buffer, size, "solids", hash_def(set), &r));
    tarn__read(&r, &dt, sizeof dt);
    if (!(dt >= 0.0f && dt <= 10.0f) || !tarn__handles_read(&r, set->def.max_solids, &ids)) {
        return tarn__fail(set->ctx, TARN_ERR_DATA,
                          "the snapshot is damaged: it contains values that no run can produce");
    }
    TarnReader again = r;
    TARN_TRY(check_solids(set, &r, &ids)); // look at everything, then change everything
    take_solids(set, &again, &ids);
    set->dt = dt;
    return TARN_OK;
}
