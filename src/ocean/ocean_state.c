// State of the sea: its time, its parameters and its foam. All else follows from them.

#include "ocean/ocean_internal.h"
#include "base/param.h"
#include "base/snapshot.h"

static size_t foam_floats(const TarnOcean* o)
{
    return (size_t)o->def.size * (size_t)o->def.size;
}

uint64_t tarn_ocean_hash(const TarnOcean* o)
{
    uint64_t h = tarn_hash(&o->time, sizeof o->time, 0);
    for (int i = 0; i < o->n_foams; ++i)
        h = tarn_hash(o->cascade[i].foam, foam_floats(o) * sizeof(float), h);
    size_t sample_bytes = (size_t)o->row * ((size_t)o->def.size + 1) * sizeof(float);
    for (int i = 0; i < o->def.cascades; ++i) // what is drawn, so that golden hashes see it
        h = tarn_hash(o->cascade[i].sample, sample_bytes, h);
    return tarn__param_hash(tarn_ocean_params_table(), &o->params, h);
}

static uint64_t def_hash(const TarnOcean* o)
{
    return tarn__param_hash(tarn_ocean_def_table(), &o->def, 0);
}

TarnResult tarn_ocean_save(const TarnOcean* o, void* buffer, size_t capacity, size_t* size)
{
    if (size != NULL) *size = 0;
    if (o == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(o->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    tarn__write_f64(&w, o->time);
    tarn__write_table(&w, tarn_ocean_params_table(), &o->params);
    for (int i = 0; i < o->n_foams; ++i)
        tarn__write(&w, o->cascade[i].foam, foam_floats(o) * sizeof(float));
    return tarn__snapshot_end(o->ctx, &w, "ocean", def_hash(o), size);
}

TarnResult tarn_ocean_load(TarnOcean* o, const void* buffer, size_t size)
{
    if (o == NULL) return TARN_ERR_ARG;
    TarnReader r;
    TARN_TRY(tarn__snapshot_open(o->ctx, buffer, size, "ocean", def_hash(o), &r));
    double time = tarn__read_f64(&r);
    TarnOceanParams params = o->params;
    bool is_ok = tarn__read_table(&r, tarn_ocean_params_table(), &params);
    const void* foam[TARN_OCEAN_MAX_CASCADES] = { NULL };
    for (int i = 0; i < o->n_foams; ++i) {
        foam[i] = tarn__read_view(&r, foam_floats(o) * sizeof(float));
        is_ok = is_ok && foam[i] && tarn__all_within(foam[i], foam_floats(o), 1.0f);
    }
    if (!is_ok || r.is_bad || r.at != r.size || !(time >= -2e9 && time <= 2e9))
        return tarn__fail(o->ctx, TARN_ERR_DATA, "ocean: the snapshot is damaged");
    o->time = time;
    o->params = params;
    for (int i = 0; i < o->n_foams; ++i)
        memcpy(o->cascade[i].foam, foam[i], foam_floats(o) * sizeof(float));
    tarn__ocean_evaluate(o, -1.0f);
    return TARN_OK;
}
