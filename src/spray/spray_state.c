// Hash and snapshots of spray.

#include "base/param.h"
#include "base/snapshot.h"
#include "spray/spray_internal.h"
#include <math.h>

enum { SCALARS = 15, INTS = 8, ARRAYS = 11 };

static void get_scalars(const TarnSpray* s, double* out)
{
    const SpraySums* l = &s->sums;
    const double scalars[SCALARS] = { s->time,
                                      s->rest,
                                      s->owed,
                                      s->foam_owed,
                                      s->rain_owed,
                                      l->thrown,
                                      l->landed,
                                      l->caught,
                                      l->from_sea,
                                      l->to_sea,
                                      l->left,
                                      (double)s->anchor.x,
                                      (double)s->anchor.y,
                                      s->grain,
                                      s->loose };
    memcpy(out, scalars, sizeof scalars);
}
static void get_ints(const TarnSpray* s, int32_t* out)
{
    const int32_t ints[INTS] = { s->shift_i,      s->shift_k,  s->is_anchored, s->drops.n,
                                 s->foam_parts.n, s->n_throws, s->n_rain,      s->turn };
    memcpy(out, ints, sizeof ints);
}

static int arrays_of(const SprayPool* p, float* out[ARRAYS])
{
    float* arrays[ARRAYS] = { p->x,   p->y,    p->z,      p->vx,     p->vy,  p->vz,
                              p->age, p->life, p->radius, p->grains, p->drag };
    memcpy(out, arrays, sizeof arrays);
    return p->grains ? 11 : 9;
}

static uint64_t hash_pool(const SprayPool* p, uint64_t h)
{
    float* arrays[ARRAYS];
    int n = arrays_of(p, arrays);
    for (int a = 0; a < n; ++a) h = tarn_hash(arrays[a], (size_t)p->n * sizeof(float), h);
    h = tarn_hash(p->id, (size_t)p->n * sizeof *p->id, h);
    return tarn_hash(p->kind, (size_t)p->n, h);
}

uint64_t tarn_spray_hash(const TarnSpray* s)
{
    double scalars[SCALARS];
    int32_t ints[INTS];
    get_scalars(s, scalars);
    get_ints(s, ints);
    uint64_t h = tarn_hash(scalars, sizeof scalars, 0);
    h = tarn_hash(ints, sizeof ints, h);
    h = tarn_hash(&s->births, sizeof s->births, h);
    h = hash_pool(&s->drops, h);
    h = hash_pool(&s->foam_parts, h);
    h = tarn_hash(s->foam, spray_cells(s) * sizeof(float), h);
    for (int n = 0; n < s->n_throws; ++n) {
        const TarnThrow* t = &s->throws[n];
        h = tarn_hash(&t->position, 9 * sizeof(float), h);
        h = tarn_hash(&t->volume, sizeof t->volume, h);
        h = tarn_hash(&t->power, sizeof t->power, h);
        h = tarn_hash(&t->kind, sizeof t->kind, h);
    }
    h = tarn_hash(s->rain, (size_t)s->n_rain * sizeof *s->rain, h);
    return tarn__param_hash(tarn_spray_params_table(), &s->params, h);
}

static uint64_t def_hash(const TarnSpray* s)
{
    return tarn__param_hash(tarn_spray_def_table(), &s->def, 0);
}

// ---- Save ----------------------------------------------------------------------------------------

static void write_pool(TarnWriter* w, const SprayPool* p)
{
    float* arrays[ARRAYS];
    int n = arrays_of(p, arrays);
    for (int a = 0; a < n; ++a) tarn__write(w, arrays[a], (size_t)p->n * sizeof(float));
    tarn__write(w, p->id, (size_t)p->n * sizeof *p->id);
    tarn__write(w, p->kind, (size_t)p->n);
}

TarnResult tarn_spray_save(const TarnSpray* s, void* buffer, size_t capacity, size_t* size)
{
    if (size != NULL) *size = 0;
    if (s == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(s->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    double scalars[SCALARS];
    int32_t ints[INTS];
    get_scalars(s, scalars);
    get_ints(s, ints);
    tarn__write(&w, scalars, sizeof scalars);
    tarn__write(&w, ints, sizeof ints);
    tarn__write_u64(&w, s->births);
    tarn__write_table(&w, tarn_spray_params_table(), &s->params);
    for (int n = 0; n < s->n_throws; ++n) {
        const TarnThrow* t = &s->throws[n];
        tarn__write(&w, &t->position, 9 * sizeof(float));
        tarn__write_f64(&w, t->volume);
        tarn__write_f64(&w, (double)t->power);
        tarn__write_u32(&w, (uint32_t)t->kind);
    }
    tarn__write(&w, s->rain, (size_t)s->n_rain * sizeof *s->rain);
    tarn__write(&w, s->foam, spray_cells(s) * sizeof(float));
    write_pool(&w, &s->drops);
    write_pool(&w, &s->foam_parts);
    return tarn__snapshot_end(s->ctx, &w, "spray", def_hash(s), size);
}

// ---- Load ----------------------------------------------------------------------------------------

// A pool of a snapshot, in place.
typedef struct SavedPool {
    const char* arrays[ARRAYS];
    const char *id, *kind;
} SavedPool;

static float float_at(const char* floats, int p)
{
    float x;
    memcpy(&x, floats + (size_t)p * sizeof x, sizeof x); // any alignment
    return x;
}

static bool read_pool(TarnReader* r, const SprayPool* pool, int n, SavedPool* out)
{
    float* arrays[ARRAYS];
    int count = arrays_of(pool, arrays);
    if (n < 0 || n > pool->capacity) return false;
    static const float limits[ARRAYS] = { 1e6f, 1e6f, 1e6f, 200.0f,  200.0f, 200.0f,
                                          1e7f, 1e7f, 1e3f, 0x1p44f, 1e3f };
    bool is_good = true;
    for (int a = 0; a < count; ++a) {
        out->arrays[a] = tarn__read_view(r, (size_t)n * sizeof(float));
        is_good = is_good && !r->is_bad && tarn__all_within(out->arrays[a], (size_t)n, limits[a]);
    }
    out->id = tarn__read_view(r, (size_t)n * sizeof(uint32_t));
    out->kind = tarn__read_view(r, (size_t)n);
    for (int p = 0; is_good && !r->is_bad && p < n; ++p) {
        is_good = out->kind[p] >= 0 && out->kind[p] <= TARN_SPRAY_RAIN &&
                  float_at(out->arrays[8], p) >= 0.0f;
        if (count < ARRAYS) continue;
        double grains = (double)float_at(out->arrays[9], p);
        is_good = is_good && grains >= 0.0 && grains == floor(grains) &&
                  float_at(out->arrays[10], p) >= 0.0f;
    }
    return is_good && !r->is_bad;
}

static void apply_pool(SprayPool* pool, int n, const SavedPool* saved)
{
    float* arrays[ARRAYS];
    int count = arrays_of(pool, arrays);
    for (int a = 0; a < count; ++a) memcpy(arrays[a], saved->arrays[a], (size_t)n * sizeof(float));
    memcpy(pool->id, saved->id, (size_t)n * sizeof *pool->id);
    memcpy(pool->kind, saved->kind, (size_t)n);
    pool->n = n;
}

typedef struct Saved {
    double scalars[SCALARS];
    int32_t ints[INTS];
    uint64_t births;
    TarnSprayParams params;
    const char *throws, *rain, *foam;
    SavedPool drops, foam_parts;
} Saved;

enum { THROW_BYTES = 9 * 4 + 8 + 8 + 4 };

static TarnThrow throw_at(const char* bytes, int n)
{
    TarnReader r = { .data = (const uint8_t*)bytes + (size_t)n * THROW_BYTES, .size = THROW_BYTES };
    TarnThrow t = { 0 };
    tarn__read(&r, &t.position, sizeof t.position);
    tarn__read(&r, &t.half, sizeof t.half);
    tarn__read(&r, &t.velocity, sizeof t.velocity);
    t.volume = tarn__read_f64(&r);
    t.power = (float)tarn__read_f64(&r);
    t.kind = (int)tarn__read_u32(&r);
    return t;
}

static bool are_scalars_good(const Saved* v)
{
    bool is_good = v->scalars[0] >= 0.0;
    for (int n = 0; n < SCALARS; ++n) is_good = is_good && fabs(v->scalars[n]) <= 1e18;
    is_good = is_good && v->scalars[1] == floor(v->scalars[1]);
    for (int n = 5; n < 11; ++n)
        is_good = is_good && v->scalars[n] >= 0.0 && v->scalars[n] == floor(v->scalars[n]);
    for (int n = 2; n < 5; ++n) is_good = is_good && v->scalars[n] >= 0.0 && v->scalars[n] <= 1.0;
    for (int n = 11; n < 13; ++n) is_good = is_good && fabs(v->scalars[n]) <= 1e6;
    is_good = is_good && v->scalars[13] >= 0.0 && v->scalars[13] <= 1e9;
    is_good = is_good && fabs(v->scalars[14]) <= v->scalars[13];
    for (int n = 0; n < 2; ++n)
        is_good = is_good && v->ints[n] > -SPRAY_FAR && v->ints[n] < SPRAY_FAR;
    return is_good && (v->ints[2] & ~1) == 0 && (v->ints[7] & ~1) == 0;
}

static bool read_all(const TarnSpray* s, TarnReader* r, Saved* v)
{
    tarn__read(r, v->scalars, sizeof v->scalars);
    tarn__read(r, v->ints, sizeof v->ints);
    v->births = tarn__read_u64(r);
    v->params = tarn_spray_default_params();
    bool is_good = tarn__read_table(r, tarn_spray_params_table(), &v->params) && !r->is_bad &&
                   are_scalars_good(v) && v->ints[5] >= 0 && v->ints[5] <= TARN_SPRAY_MAX_THROWS &&
                   v->ints[6] >= 0 && v->ints[6] <= SPRAY_MAX_RAIN;
    if (!is_good) return false;
    v->throws = tarn__read_view(r, (size_t)v->ints[5] * THROW_BYTES);
    v->rain = tarn__read_view(r, (size_t)v->ints[6] * sizeof(TarnVec2));
    v->foam = tarn__read_view(r, spray_cells(s) * sizeof(float));
    if (r->is_bad) return false;
    for (int n = 0; is_good && n < v->ints[5]; ++n) {
        TarnThrow t = throw_at(v->throws, n);
        is_good = tarn__spray_is_throw(&t);
    }
    is_good = is_good && tarn__all_within(v->rain, 2 * (size_t)v->ints[6], spray_reach) &&
              tarn__all_within(v->foam, spray_cells(s), 1e3f);
    for (size_t c = 0; is_good && c < spray_cells(s); ++c)
        is_good = float_at(v->foam, (int)c) >= 0.0f;
    return is_good && read_pool(r, &s->drops, v->ints[3], &v->drops) &&
           read_pool(r, &s->foam_parts, v->ints[4], &v->foam_parts) && r->at == r->size;
}

TarnResult tarn_spray_load(TarnSpray* s, const void* buffer, size_t size)
{
    if (s == NULL) return TARN_ERR_ARG;
    TarnReader r;
    Saved v = { 0 };
    TARN_TRY(tarn__snapshot_open(s->ctx, buffer, size, "spray", def_hash(s), &r));
    if (!read_all(s, &r, &v))
        return tarn__fail(
            s->ctx, TARN_ERR_DATA,
            "spray: the snapshot is damaged: it contains values that no run can produce");
    const double* d = v.scalars;
    s->time = d[0], s->rest = d[1], s->owed = d[2], s->foam_owed = d[3], s->rain_owed = d[4];
    s->sums = (SpraySums){ .thrown = d[5],
                           .landed = d[6],
                           .caught = d[7],
                           .from_sea = d[8],
                           .to_sea = d[9],
                           .left = d[10] };
    s->anchor = (TarnVec2){ (float)d[11], (float)d[12] };
    s->grain = d[13], s->loose = d[14];
    s->shift_i = v.ints[0], s->shift_k = v.ints[1], s->is_anchored = v.ints[2];
    s->n_throws = v.ints[5], s->n_rain = v.ints[6], s->turn = v.ints[7];
    s->births = v.births;
    s->params = v.params;
    for (int n = 0; n < s->n_throws; ++n) s->throws[n] = throw_at(v.throws, n);
    memcpy(s->rain, v.rain, (size_t)s->n_rain * sizeof *s->rain);
    memcpy(s->foam, v.foam, spray_cells(s) * sizeof(float));
    memset(s->power, 0, spray_cells(s) * sizeof(float));
    apply_pool(&s->drops, v.ints[3], &v.drops);
    apply_pool(&s->foam_parts, v.ints[4], &v.foam_parts);
    return TARN_OK;
}
