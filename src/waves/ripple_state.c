// Dispersive waves: reading, hash, snapshots.

#include "waves/ripple_internal.h"
#include "base/param.h"
#include "base/snapshot.h"
#include <math.h>
#include <stdlib.h>

static TarnView2 view_of(const TarnRipple* r, const float* data)
{
    return (TarnView2){ .data = data, .nx = r->def.n, .nz = r->def.n, .stride = r->def.n };
}
TarnView2 tarn_ripple_height(const TarnRipple* r)
{
    return view_of(r, r->eta);
}
TarnView2 tarn_ripple_potential(const TarnRipple* r)
{
    return view_of(r, r->phi);
}
TarnVec2 tarn_ripple_origin(const TarnRipple* r)
{
    return (TarnVec2){ (float)((double)r->def.origin.x + (double)r->shift_i * r->def.dx),
                       (float)((double)r->def.origin.y + (double)r->shift_k * r->def.dx) };
}
const TarnRippleDef* tarn_ripple_def(const TarnRipple* r)
{
    return &r->def;
}
bool tarn_ripple_is_land(const TarnRipple* r, int i, int k)
{
    bool is_in = i >= 0 && i < r->def.n && k >= 0 && k < r->def.n;
    return r->land && is_in && r->land[ripple_cell(r, i, k)];
}
double tarn_ripple_time(const TarnRipple* r)
{
    return r->time;
}
double tarn_ripple_volume(const TarnRipple* r)
{
    double sum = 0.0;
    for (size_t c = 0; c < ripple_cells(r); ++c) sum += (double)r->eta[c];
    return sum * (double)r->def.dx * (double)r->def.dx;
}

// ---- Hash and snapshots --------------------------------------------------------------------------

uint64_t tarn_ripple_hash(const TarnRipple* r)
{
    const double numbers[] = { r->time, (double)r->dt, r->shift_i, r->shift_k };
    const float* planes[] = { r->eta, r->was, r->phi };
    uint64_t h = tarn_hash(numbers, sizeof numbers, 0);
    for (int f = 0; f < 3; ++f) h = tarn_hash(planes[f], ripple_cells(r) * sizeof(float), h);
    if (r->land) h = tarn_hash(r->land, ripple_cells(r), h);
    return tarn__param_hash(tarn_ripple_params_table(), &r->params, h);
}

static uint64_t def_hash(const TarnRipple* r)
{
    return tarn__param_hash(tarn_ripple_def_table(), &r->def, 0) ^ (r->land ? 1 : 0);
}

TarnResult tarn_ripple_save(const TarnRipple* r, void* buffer, size_t capacity, size_t* size)
{
    if (size != NULL) *size = 0;
    if (r == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(r->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    const int32_t ints[] = { r->shift_i, r->shift_k };
    const float* planes[] = { r->eta, r->was, r->phi };
    tarn__write_f64(&w, r->time);
    tarn__write_f64(&w, (double)r->dt);
    tarn__write(&w, ints, sizeof ints);
    tarn__write_table(&w, tarn_ripple_params_table(), &r->params);
    for (int f = 0; f < 3; ++f) tarn__write(&w, planes[f], ripple_cells(r) * sizeof(float));
    if (r->land) tarn__write(&w, r->land, ripple_cells(r));
    return tarn__snapshot_end(r->ctx, &w, "ripple", def_hash(r), size);
}

TarnResult tarn_ripple_load(TarnRipple* r, const void* buffer, size_t size)
{
    if (r == NULL) return TARN_ERR_ARG;
    TarnReader in;
    TARN_TRY(tarn__snapshot_open(r->ctx, buffer, size, "ripple", def_hash(r), &in));
    double time = tarn__read_f64(&in), dt = tarn__read_f64(&in);
    int32_t ints[2];
    TarnRippleParams params = r->params;
    const void* sources[3];
    size_t cells = ripple_cells(r);
    tarn__read(&in, ints, sizeof ints);
    bool is_good = tarn__read_table(&in, tarn_ripple_params_table(), &params);
    for (int f = 0; f < 3; ++f) sources[f] = tarn__read_view(&in, cells * sizeof(float));
    const uint8_t* land = r->land ? tarn__read_view(&in, cells) : NULL;
    is_good = is_good && !in.is_bad && in.at == in.size && time >= 0.0 && time <= 1e12 &&
              dt >= 0.0 && dt <= 10.0 && abs(ints[0]) <= 1 << 24 && abs(ints[1]) <= 1 << 24;
    for (int f = 0; is_good && f < 3; ++f) is_good = tarn__all_within(sources[f], cells, 1e20f);
    for (size_t c = 0; is_good && land && c < cells; ++c) is_good = land[c] <= 1;
    if (!is_good)
        return tarn__fail(r->ctx, TARN_ERR_DATA,
                          "ripple: the snapshot is damaged: it contains values that no run can "
                          "produce");
    r->time = time, r->dt = (float)dt;
    r->shift_i = ints[0], r->shift_k = ints[1];
    if (params.damping != r->params.damping) r->made_for = -1.0f;
    r->params = params;
    float* planes[] = { r->eta, r->was, r->phi };
    for (int f = 0; f < 3; ++f) memcpy(planes[f], sources[f], cells * sizeof(float));
    if (land) memcpy(r->land, land, cells);
    return TARN_OK;
}
