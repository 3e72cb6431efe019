// Wave particles: reading, hash, snapshots.

#include "waves/wave_particles_internal.h"
#include "base/param.h"
#include "base/snapshot.h"
#include <math.h>
#include <stdlib.h>

static TarnView2 view_of(const TarnWaveParticles* w, int f)
{
    return (TarnView2){
        .data = w->levels[0].field[f], .nx = w->def.nx, .nz = w->def.nz, .stride = w->def.nx
    };
}
TarnView2 tarn_wave_particles_height(const TarnWaveParticles* w)
{
    return view_of(w, 0);
}
TarnView2 tarn_wave_particles_shift_x(const TarnWaveParticles* w)
{
    return view_of(w, 1);
}
TarnView2 tarn_wave_particles_shift_z(const TarnWaveParticles* w)
{
    return view_of(w, 2);
}
TarnView2 tarn_wave_particles_slope_x(const TarnWaveParticles* w)
{
    return view_of(w, 3);
}
TarnView2 tarn_wave_particles_slope_z(const TarnWaveParticles* w)
{
    return view_of(w, 4);
}

TarnVec2 tarn_wave_particles_origin(const TarnWaveParticles* w)
{
    return (TarnVec2){ (float)((double)w->def.origin.x + (double)w->shift_i * w->def.dx),
                       (float)((double)w->def.origin.y + (double)w->shift_k * w->def.dx) };
}
const TarnWaveParticlesDef* tarn_wave_particles_def(const TarnWaveParticles* w)
{
    return &w->def;
}
int tarn_wave_particles_count(const TarnWaveParticles* w)
{
    return w->n;
}
float tarn_wave_particles_speed(const TarnWaveParticles* w, int radius)
{
    return radius >= 0 && radius < w->def.radii ? w->levels[radius].speed : 0.0f;
}
double tarn_wave_particles_time(const TarnWaveParticles* w)
{
    return w->time;
}

TarnResult tarn_wave_particles_get(const TarnWaveParticles* w, int n, TarnWaveParticle* out)
{
    if (w == NULL || out == NULL) return TARN_ERR_ARG;
    *out = (TarnWaveParticle){ 0 };
    if (n < 0 || n >= w->n)
        return tarn__fail(w->ctx, TARN_ERR_ARG, "wave particle %d: there are %d of them", n, w->n);
    const WaveMote* m = &w->motes[n];
    float now = (float)(w->time - w->epoch);
    *out = (TarnWaveParticle){ .position = wave_mote_at(w, m, now),
                               .direction = { m->dx, m->dz },
                               .amplitude = m->a,
                               .angle = m->angle,
                               .distance = m->s + w->levels[m->radius].speed * (now - m->t0),
                               .radius = m->radius };
    return TARN_OK;
}

double tarn_wave_particles_volume(const TarnWaveParticles* w)
{
    double sum = 0.0;
    float now = (float)(w->time - w->epoch);
    for (int i = 0; i < w->n; ++i) {
        double r = w->levels[w->motes[i].radius].radius;
        sum += (double)wave_mote_height(w, &w->motes[i], now) * r * r;
    }
    return sum;
}

// ---- Surface -------------------------------------------------------------------------------------

static void query(const void* self, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    const TarnWaveParticles* w = self;
    TarnVec2 origin = tarn_wave_particles_origin(w);
    float* const* f = w->levels[0].field;
    WaveQueryGrid q = { .height = f[0],
                        .shift_x = f[1],
                        .shift_z = f[2],
                        .slope_x = f[3],
                        .slope_z = f[4],
                        .was_height = w->was[0],
                        .was_x = w->was[1],
                        .was_z = w->was[2],
                        .nx = w->def.nx,
                        .nz = w->def.nz,
                        .x0 = origin.x,
                        .z0 = origin.y,
                        .per_cell = 1.0f / w->def.dx,
                        .level = w->def.level,
                        .depth = w->def.depth,
                        .choppiness = w->params.choppiness,
                        .per_dt = w->dt > 0.0f ? 1.0f / w->dt : 0.0f };
    w->kernels->query(&q, n, x, z, out);
}

static bool area(const void* self, TarnVec2* min, TarnVec2* max)
{
    const TarnWaveParticles* w = self;
    *min = tarn_wave_particles_origin(w);
    max->x = min->x + (float)w->def.nx * w->def.dx;
    max->y = min->y + (float)w->def.nz * w->def.dx;
    return true;
}

TarnSurface tarn_wave_particles_surface(const TarnWaveParticles* w)
{
    return (TarnSurface){ .self = w, .query = query, .area = area };
}

// ---- Hash and snapshots --------------------------------------------------------------------------

typedef struct WaveScalars {
    double time, epoch;
    float dt;
    int32_t n, shift_i, shift_k, is_stale;
} WaveScalars;

static WaveScalars scalars_of(const TarnWaveParticles* w)
{
    return (WaveScalars){ w->time, w->epoch, w->dt, w->n, w->shift_i, w->shift_k, w->is_stale };
}

static void list_fields(const TarnWaveParticles* w, float* out[8])
{
    for (int f = 0; f < 5; ++f) out[f] = w->levels[0].field[f];
    for (int f = 0; f < 3; ++f) out[5 + f] = w->was[f];
}

static uint64_t hash_walls(const TarnWaveParticles* w, uint64_t h)
{
    h = tarn__handles_hash(&w->partition_ids, h);
    for (int n = 0; n < w->partition_ids.count; ++n)
        h = tarn__param_hash(tarn_wave_partition_def_table(),
                             &w->partitions[w->partition_ids.order[n]].def, h);
    return h;
}

uint64_t tarn_wave_particles_hash(const TarnWaveParticles* w)
{
    WaveScalars s = scalars_of(w);
    const double numbers[] = { s.time,    s.epoch,   (double)s.dt,      s.n,
                               s.shift_i, s.shift_k, (double)s.is_stale };
    float* fields[8];
    size_t cells = (size_t)w->def.nx * (size_t)w->def.nz;
    uint64_t h = tarn_hash(numbers, sizeof numbers, 0);
    h = tarn_hash(w->motes, (size_t)w->n * sizeof(WaveMote), h);
    list_fields(w, fields);
    for (int f = 0; f < 8; ++f) h = tarn_hash(fields[f], cells * sizeof(float), h);
    return tarn__param_hash(tarn_wave_particles_params_table(), &w->params, hash_walls(w, h));
}

static uint64_t def_hash(const TarnWaveParticles* w)
{
    return tarn__param_hash(tarn_wave_particles_def_table(), &w->def, 0);
}

TarnResult tarn_wave_particles_save(const TarnWaveParticles* w, void* buffer, size_t capacity,
                                    size_t* size)
{
    if (size != NULL) *size = 0;
    if (w == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(w->ctx);
    TarnWriter out = tarn__snapshot_begin(buffer, capacity);
    WaveScalars s = scalars_of(w);
    const int32_t ints[] = { s.n, s.shift_i, s.shift_k, s.is_stale };
    tarn__write_f64(&out, s.time);
    tarn__write_f64(&out, s.epoch);
    tarn__write_f64(&out, (double)s.dt);
    tarn__write(&out, ints, sizeof ints);
    tarn__write_table(&out, tarn_wave_particles_params_table(), &w->params);
    tarn__handles_save(&w->partition_ids, &out);
    for (int n = 0; n < w->partition_ids.count; ++n)
        tarn__write_table(&out, tarn_wave_partition_def_table(),
                          &w->partitions[w->partition_ids.order[n]].def);
    tarn__write(&out, w->motes, (size_t)w->n * sizeof(WaveMote));
    tarn__write(&out, w->queue, (size_t)w->n * sizeof(int));
    float* fields[8];
    list_fields(w, fields);
    for (int f = 0; f < 8; ++f)
        tarn__write(&out, fields[f], (size_t)w->def.nx * (size_t)w->def.nz * sizeof(float));
    return tarn__snapshot_end(w->ctx, &out, "wavepart", def_hash(w), size);
}

static bool is_good_mote(const TarnWaveParticles* w, const WaveMote* m, int n)
{
    const float places[] = { m->x, m->z, m->s, m->t0, m->born };
    float length = m->dx * m->dx + m->dz * m->dz;
    return tarn__all_within(places, 5, 1e9f) && length > 0.9f && length < 1.1f &&
           fabsf(m->a) <= 1e6f && m->angle >= 0.0f && m->angle <= 7.0f && m->next >= -1e9f &&
           m->next <= 2e30f && m->radius >= 0 && m->radius < w->def.radii && m->spare == 0 &&
           m->wall >= WP_EDGE - 3 && m->wall < (w->def.max_walls > 0 ? w->def.max_walls : 1) &&
           m->last >= WP_NO_WALL && m->last < (w->def.max_walls > 0 ? w->def.max_walls : 1) &&
           m->at >= 0 && m->at < n;
}

// Particles and queue point to each other, and the walls that particles run at are there.
static bool are_good_motes(const TarnWaveParticles* w, const uint8_t* motes, const uint8_t* queue,
                           int n, const SavedHandles* walls)
{
    for (int i = 0; i < n; ++i) {
        WaveMote m, other;
        int32_t slot;
        memcpy(&m, motes + (size_t)i * sizeof m, sizeof m);
        memcpy(&slot, queue + (size_t)i * sizeof slot, sizeof slot);
        if (!is_good_mote(w, &m, n) || slot < 0 || slot >= n) return false;
        if (m.wall >= 0 && !tarn__saved_is_used(walls, m.wall)) return false;
        memcpy(&other, motes + (size_t)slot * sizeof other, sizeof other);
        if (other.at != i) return false;
    }
    return true;
}

typedef struct WaveSaved {
    double time, epoch, dt;
    int32_t ints[4];
    TarnWaveParticlesParams params;
    SavedHandles walls;
    size_t walls_at; // in the reader's data
    const void *motes, *queue, *fields[8];
} WaveSaved;

static bool read_saved(const TarnWaveParticles* w, TarnReader* r, WaveSaved* s)
{
    s->time = tarn__read_f64(r), s->epoch = tarn__read_f64(r), s->dt = tarn__read_f64(r);
    tarn__read(r, s->ints, sizeof s->ints);
    bool is_good = tarn__read_table(r, tarn_wave_particles_params_table(), &s->params);
    int walls = w->def.max_walls > 0 ? w->def.max_walls : 1;
    is_good = is_good && tarn__handles_read(r, walls, &s->walls);
    s->walls_at = r->at;
    for (int slot = 0; is_good && slot < s->walls.n; ++slot) {
        TarnWavePartitionDef def = tarn_wave_partition_default_def();
        if (!tarn__saved_is_used(&s->walls, slot)) continue;
        is_good = tarn__read_table(r, tarn_wave_partition_def_table(), &def);
        float x = def.b.x - def.a.x, z = def.b.y - def.a.y;
        is_good = is_good && x * x + z * z > 0.0f;
    }
    int n = s->ints[0];
    if (!is_good || n < 0 || n > w->def.max_particles) return false;
    size_t cells = (size_t)w->def.nx * (size_t)w->def.nz;
    s->motes = tarn__read_view(r, (size_t)n * sizeof(WaveMote));
    s->queue = tarn__read_view(r, (size_t)n * sizeof(int));
    for (int f = 0; f < 8; ++f) s->fields[f] = tarn__read_view(r, cells * sizeof(float));
    if (r->is_bad || r->at != r->size) return false;
    is_good = s->time >= 0.0 && s->time <= 1e12 && s->epoch >= 0.0 && s->epoch <= s->time &&
              s->time - s->epoch <= 100.0 && s->dt >= 0.0 && s->dt <= 10.0 &&
              (s->ints[3] & ~1) == 0 && abs(s->ints[1]) <= 1 << 24 && abs(s->ints[2]) <= 1 << 24;
    for (int f = 0; is_good && f < 8; ++f) is_good = tarn__all_within(s->fields[f], cells, 1e9f);
    return is_good && are_good_motes(w, s->motes, s->queue, n, &s->walls);
}

static void apply_walls(TarnWaveParticles* w, TarnReader r, const WaveSaved* s)
{
    r.at = s->walls_at;
    tarn__handles_load(&w->partition_ids, &s->walls);
    for (int slot = 0; slot < s->walls.n; ++slot) {
        WavePartition wall = { .def = tarn_wave_partition_default_def() };
        if (!tarn__saved_is_used(&s->walls, slot)) continue;
        tarn__read_table(&r, tarn_wave_partition_def_table(), &wall.def);
        double x = (double)wall.def.b.x - wall.def.a.x, z = (double)wall.def.b.y - wall.def.a.y;
        double length = sqrt(x * x + z * z);
        wall.nx = (float)(-z / length), wall.nz = (float)(x / length);
        w->partitions[slot] = wall;
    }
}

TarnResult tarn_wave_particles_load(TarnWaveParticles* w, const void* buffer, size_t size)
{
    if (w == NULL) return TARN_ERR_ARG;
    TarnReader r;
    WaveSaved s = { .params = w->params };
    TARN_TRY(tarn__snapshot_open(w->ctx, buffer, size, "wavepart", def_hash(w), &r));
    if (!read_saved(w, &r, &s))
        return tarn__fail(w->ctx, TARN_ERR_DATA,
                          "wave_particles: the snapshot is damaged: it contains values that no run "
                          "can produce");
    w->time = s.time, w->epoch = s.epoch, w->dt = (float)s.dt;
    w->n = s.ints[0], w->shift_i = s.ints[1], w->shift_k = s.ints[2];
    w->is_stale = s.ints[3] != 0;
    w->was_full = false;
    w->params = s.params;
    apply_walls(w, r, &s);
    memcpy(w->motes, s.motes, (size_t)w->n * sizeof(WaveMote));
    memcpy(w->queue, s.queue, (size_t)w->n * sizeof(int));
    float* fields[8];
    list_fields(w, fields);
    for (int f = 0; f < 8; ++f)
        memcpy(fields[f], s.fields[f], (size_t)w->def.nx * (size_t)w->def.nz * sizeof(float));
    return TARN_OK;
}
