// Reading the wave solver: views, surface queries, ledger, hash, snapshots.
//

#include "waves/wave_internal.h"
#include "base/maths.h"
#include "base/param.h"
#include "base/snapshot.h"
#include <math.h>

TarnView2 tarn_wave_height(const TarnWave* wave)
{
    return (TarnView2){ wave->u, wave->def.nx, wave->def.nz, wave->stride };
}
float tarn_wave_level(const TarnWave* wave)
{
    return wave->def.level + wave->lift;
}
const TarnWaveDef* tarn_wave_def(const TarnWave* wave)
{
    return &wave->def;
}
double tarn_wave_time(const TarnWave* wave)
{
    return wave->time + wave->carry;
}

// ---- Surface -----------------------------------------------------------------------------------

// The surface is the triangle mesh over the cell centers, each square cut from (i + 1, k) to
// (i, k + 1), so that a query gives exactly what is drawn. Normals are smooth: central differences
// at the centers, blended between them.

static void query(const void* self, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    const TarnWave* wave = self;
    const TarnWaveDef* def = &wave->def;
    TarnVec2 origin = tarn_wave_origin(wave);
    WaveQuery q = {
        .u = wave->u,
        .prev = wave->prev,
        .depth = wave->depth,
        .stride = wave->stride,
        .x0 = origin.x,
        .z0 = origin.y,
        .per_cell = 1.0f / def->dx,
        .last_x = def->nx - 1,
        .last_z = def->nz - 1,
        .wrap_x = def->edge_x0 == TARN_EDGE_PERIODIC ? (float)def->nx : 0.0f,
        .wrap_z = def->edge_z0 == TARN_EDGE_PERIODIC ? (float)def->nz : 0.0f,
        .level = tarn_wave_level(wave),
        .lift = wave->lift,
        .flat_depth = def->depth,
        .per_dt = wave->dt > 0.0f ? 1.0f / wave->dt : 0.0f,
        .slope = 0.5f / def->dx,
    };
    wave->kernels->query(&q, n, x, z, out);
}

TarnSurface tarn_wave_surface(const TarnWave* wave)
{
    return (TarnSurface){ .self = wave,
                          .query = query,
                          .area = tarn__wave_area,
                          .push = tarn__wave_push,
                          .pour = tarn__wave_pour };
}

// ---- Ledger ------------------------------------------------------------------------------------

static void sum_tile_row(int tz, void* data)
{
    const TarnWave* wave = data;
    int k1 = (tz + 1) * WAVE_TILE_Z < wave->def.nz ? (tz + 1) * WAVE_TILE_Z : wave->def.nz;
    const float* first = wave->u + wave_cell(wave, 0, tz * WAVE_TILE_Z);
    double unused;
    wave->kernels->sums(first, first, wave->stride, wave->def.nx, k1 - tz * WAVE_TILE_Z,
                        &wave->row_sums[tz], &unused);
}

TarnWaveLedger tarn_wave_ledger(const TarnWave* wave)
{
    double area = (double)wave->def.dx * (double)wave->def.dx;
    tarn__parallel_for(wave->ctx, wave->tiles_z, sum_tile_row, (void*)wave);
    double sum = tarn__sum(wave->row_sums, wave->tiles_z);
    return (TarnWaveLedger){ .surface = (sum + (double)wave->lift * wave->wet_cells) * area,
                             .displaced = wave->displaced_sum * area,
                             .sourced = wave->sourced * area };
}

double tarn_wave_volume(const TarnWave* wave)
{
    TarnWaveLedger ledger = tarn_wave_ledger(wave);
    return ledger.surface - ledger.displaced;
}

// ---- Hash and snapshots ------------------------------------------------------------------------

static uint64_t hash_field(const TarnWave* wave, const float* field, uint64_t seed)
{
    for (int k = -1; k <= wave->def.nz; ++k) { // with ghosts: those of absorbing edges are state
        const float* row = field + (ptrdiff_t)k * wave->stride - 1;
        seed = tarn_hash(row, (size_t)(wave->def.nx + 2) * sizeof(float), seed);
    }
    return seed;
}

uint64_t tarn_wave_hash(const TarnWave* wave)
{
    uint64_t h = hash_field(wave, wave->prev, hash_field(wave, wave->u, 0));
    if (wave->displaced) h = hash_field(wave, wave->calm, hash_field(wave, wave->displaced, h));
    if (wave->depth) h = hash_field(wave, wave->depth, h);
    h = tarn_hash(wave->quiet, 3 * (size_t)wave->tiles_x * (size_t)wave->tiles_z, h);
    const double scalars[] = {
        wave->injected,        wave->displaced_sum, wave->sourced,      wave->time,
        wave->carry,           (double)wave->dt,    (double)wave->lift, (double)wave->shift_i,
        (double)wave->shift_k, (double)wave->ticks, wave->expected,     (double)wave->is_expected
    };
    h = tarn_hash(scalars, sizeof scalars, h);
    return tarn__param_hash(tarn_wave_params_table(), &wave->params, h);
}

static uint64_t def_hash(const TarnWave* wave)
{
    uint64_t h = tarn__param_hash(tarn_wave_def_table(), &wave->def, 0);
    return h ^ (wave->depth ? 1 : 0);
}

// Fields with their ghosts, each in one piece from the ghost row on.
static int state_fields(const TarnWave* wave, float* fields[5])
{
    int n = 0;
    fields[n++] = wave->u;
    fields[n++] = wave->prev;
    if (wave->displaced) fields[n++] = wave->displaced, fields[n++] = wave->calm;
    if (wave->depth) fields[n++] = wave->depth;
    return n;
}
static size_t field_floats(const TarnWave* wave)
{
    return (size_t)wave->stride * (size_t)(wave->def.nz + 2);
}

TarnResult tarn_wave_save(const TarnWave* wave, void* buffer, size_t capacity, size_t* size)
{
    if (size != NULL) *size = 0;
    if (wave == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(wave->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    const double scalars[] = { wave->injected, wave->displaced_sum, wave->sourced,
                               wave->time,     wave->carry,         wave->expected };
    const float floats[] = { wave->dt, wave->lift };
    const int32_t ints[] = { wave->shift_i, wave->shift_k, wave->ticks, wave->is_expected };
    tarn__write(&w, scalars, sizeof scalars);
    tarn__write(&w, floats, sizeof floats);
    tarn__write(&w, ints, sizeof ints);
    tarn__write(&w, &wave->params, sizeof wave->params);
    tarn__write(&w, wave->quiet, 3 * (size_t)wave->tiles_x * (size_t)wave->tiles_z);
    float* fields[5];
    int n = state_fields(wave, fields);
    for (int f = 0; f < n; ++f) {
        tarn__write(&w, fields[f] - wave->stride - WAVE_PAD, field_floats(wave) * sizeof(float));
    }
    return tarn__snapshot_end(wave->ctx, &w, "wave", def_hash(wave), size);
}

// Waves that meet, and many bodies in one place, go beyond the limit of one push for a while.
static const float wave_load_limit = 1e8f; // [m]

static bool is_loadable(const TarnWave* wave, const double* scalars, const float* floats,
                        const int32_t* ints, const uint8_t* tiles)
{
    bool is_good = floats[0] >= 0.0f && floats[0] <= 10.0f && floats[1] >= -wave_load_limit &&
                   floats[1] <= wave_load_limit;
    for (int s = 0; s < 6; ++s) is_good = is_good && scalars[s] >= -1e15 && scalars[s] <= 1e15;
    is_good = is_good && scalars[3] >= 0.0 && scalars[4] >= 0.0 && scalars[4] <= 10.0;
    for (int s = 0; s < 2; ++s) is_good = is_good && ints[s] > -(1 << 24) && ints[s] < 1 << 24;
    is_good = is_good && ints[2] >= 0 && ints[2] < WAVE_LEVEL_EVERY && (ints[3] & ~1) == 0;
    size_t n = (size_t)wave->tiles_x * (size_t)wave->tiles_z;
    for (size_t t = 0; t < n; ++t) {
        is_good =
            is_good && tiles[t] <= WAVE_CALM_CHECKS && tiles[n + t] <= 1 && tiles[2 * n + t] <= 1;
    }
    return is_good;
}

static void count_loud(TarnWave* wave)
{
    for (int tz = 0; tz < wave->tiles_z; ++tz) {
        wave->row_loud[tz] = 0;
        for (int tx = 0; tx < wave->tiles_x; ++tx) {
            wave->row_loud[tz] +=
                wave->quiet[(size_t)tz * (size_t)wave->tiles_x + (size_t)tx] < WAVE_CALM_CHECKS;
        }
    }
}

TarnResult tarn_wave_load(TarnWave* wave, const void* buffer, size_t size)
{
    if (wave == NULL) return TARN_ERR_ARG;
    TarnReader r;
    TARN_TRY(tarn__snapshot_open(wave->ctx, buffer, size, "wave", def_hash(wave), &r));
    double scalars[6];
    float floats[2];
    int32_t ints[4];
    TarnWaveParams params;
    size_t tile_bytes = 3 * (size_t)wave->tiles_x * (size_t)wave->tiles_z;
    tarn__read(&r, scalars, sizeof scalars);
    tarn__read(&r, floats, sizeof floats);
    tarn__read(&r, ints, sizeof ints);
    tarn__read(&r, &params, sizeof params);
    const uint8_t* tiles = tarn__read_view(&r, tile_bytes);
    float* fields[5];
    const void* sources[5];
    int n = state_fields(wave, fields);
    size_t floats_each = field_floats(wave);
    for (int f = 0; f < n; ++f) sources[f] = tarn__read_view(&r, floats_each * sizeof(float));
    bool is_good = !r.is_bad && r.at == r.size && is_loadable(wave, scalars, floats, ints, tiles);
    for (int f = 0; is_good && f < n; ++f) {
        float limit = fields[f] == wave->depth ? 2.0f * wave_limit : wave_load_limit;
        is_good = tarn__all_within(sources[f], floats_each, limit);
    }
    if (!is_good || tarn_param_validate(NULL, tarn_wave_params_table(), &params) != TARN_OK) {
        return tarn__fail(
            wave->ctx, TARN_ERR_DATA,
            "wave: the snapshot is damaged: it contains values that no run can produce");
    }
    wave->params = params;
    wave->injected = scalars[0], wave->displaced_sum = scalars[1], wave->sourced = scalars[2];
    wave->time = scalars[3], wave->carry = scalars[4], wave->expected = scalars[5];
    wave->dt = floats[0], wave->lift = floats[1];
    wave->shift_i = ints[0], wave->shift_k = ints[1], wave->ticks = ints[2],
    wave->is_expected = ints[3];
    memcpy(wave->quiet, tiles, tile_bytes);
    for (int f = 0; f < n; ++f) {
        memcpy(fields[f] - wave->stride - WAVE_PAD, sources[f], floats_each * sizeof(float));
    }
    count_loud(wave);
    wave->is_edited = true;
    if (wave->depth) tarn__wave_update_bed(wave);
    return TARN_OK;
}
