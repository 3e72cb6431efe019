// State of a lattice: hash and snapshots. Populations are written as they lie in memory, with what is on its way through
// faces.

#include "lattice/lattice_surface.h"
#include "base/maths.h"

enum { MAX_ARRAYS = 16 };

static int list_arrays(const TarnLattice* l, LatticeArray out[MAX_ARRAYS])
{
    size_t cells = l->grid.stride;
    int n = 0;
    out[n++] = (LatticeArray){ l->f, cells * (size_t)l->kind->slots,
                               l->is_half ? LATTICE_HALVES : LATTICE_FLOATS, 64.0f };
    float* const fields[] = { l->u[0], l->u[1], l->u[2], l->smoke, l->temperature, l->fuel };
    for (int f = 0; f < 6; ++f)
        if (fields[f]) out[n++] = (LatticeArray){ fields[f], cells, LATTICE_FLOATS, 1e9f };
    if (l->heat)
        out[n++] =
            (LatticeArray){ l->heat, cells * (l->kind->dims == 3 ? 7u : 5u), LATTICE_FLOATS, 1e9f };
    if (l->solid) out[n++] = (LatticeArray){ l->solid, cells, LATTICE_BYTES, 254.0f };
    return n + tarn__lattice_surface_arrays(l, out + n);
}

static size_t bytes_of(const LatticeArray* a)
{
    return a->n * (a->kind == LATTICE_FLOATS ? 4u : a->kind == LATTICE_HALVES ? 2u : 1u);
}

enum { NUMBERS = 6 };
static void get_numbers(const TarnLattice* l, double out[NUMBERS])
{
    const double numbers[NUMBERS] = { (double)l->steps,   l->time,      l->carry, 0.0,
                                      l->solids_key != 0, l->force_time };
    memcpy(out, numbers, sizeof numbers);
}

static uint64_t hash_parts(const TarnLattice* l, uint64_t hash)
{
    hash = tarn__handles_hash(&l->fill_ids, tarn__handles_hash(&l->source_ids, hash));
    for (int n = 0; n < l->source_ids.count; ++n) {
        const TarnLatticeSourceDef* s = &l->sources[l->source_ids.order[n]];
        hash = tarn__param_hash(tarn_lattice_source_def_table(), s,
                                tarn_hash(&s->motion, sizeof s->motion, hash));
    }
    for (int n = 0; n < l->fill_ids.count; ++n) {
        const TarnLatticeFillDef* s = &l->fills[l->fill_ids.order[n]];
        hash = tarn__param_hash(tarn_lattice_fill_def_table(), s,
                                tarn_hash(&s->motion, sizeof s->motion, hash));
    }
    return hash;
}

uint64_t tarn_lattice_hash(const TarnLattice* l)
{
    double numbers[NUMBERS];
    get_numbers(l, numbers);
    uint64_t hash = tarn_hash(numbers, sizeof numbers, 0);
    LatticeArray arrays[MAX_ARRAYS];
    int n = list_arrays(l, arrays);
    for (int a = 0; a < n; ++a) hash = tarn_hash(arrays[a].data, bytes_of(&arrays[a]), hash);
    hash = tarn__lattice_surface_hash(l, hash);
    return tarn__param_hash(tarn_lattice_params_table(), &l->params, hash_parts(l, hash));
}

// ---- Saving --------------------------------------------------------------------------------------

static uint64_t def_hash(const TarnLattice* l)
{
    return tarn__param_hash(tarn_lattice_def_table(), &l->def, 0);
}

static void write_parts(const TarnLattice* l, TarnWriter* w)
{
    tarn__handles_save(&l->source_ids, w);
    tarn__handles_save(&l->fill_ids, w);
    for (int n = 0; n < l->source_ids.count; ++n) {
        const TarnLatticeSourceDef* s = &l->sources[l->source_ids.order[n]];
        tarn__write(w, &s->motion, sizeof s->motion);
        tarn__write_table(w, tarn_lattice_source_def_table(), s);
    }
    for (int n = 0; n < l->fill_ids.count; ++n) {
        const TarnLatticeFillDef* s = &l->fills[l->fill_ids.order[n]];
        tarn__write(w, &s->motion, sizeof s->motion);
        tarn__write_table(w, tarn_lattice_fill_def_table(), s);
    }
}

TarnResult tarn_lattice_save(const TarnLattice* l, void* buffer, size_t capacity, size_t* size)
{
    if (size != NULL) *size = 0;
    if (l == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(l->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    double numbers[NUMBERS];
    get_numbers(l, numbers);
    for (int n = 0; n < NUMBERS; ++n) tarn__write_f64(&w, numbers[n]);
    tarn__write_table(&w, tarn_lattice_params_table(), &l->params);
    write_parts(l, &w);
    tarn__lattice_surface_save(l, &w);
    LatticeArray arrays[MAX_ARRAYS];
    int n = list_arrays(l, arrays);
    for (int a = 0; a < n; ++a) tarn__write(&w, arrays[a].data, bytes_of(&arrays[a]));
    return tarn__snapshot_end(l->ctx, &w, "lattice", def_hash(l), size);
}

// ---- Loading -------------------------------------------------------------------------------------

static bool read_source(const TarnLattice* l, TarnReader* r, TarnLatticeSourceDef* out)
{
    *out = tarn_lattice_source_default_def();
    tarn__read(r, &out->motion, sizeof out->motion);
    return tarn__read_table(r, tarn_lattice_source_def_table(), out) &&
           tarn__lattice_check_source(l, out) == TARN_OK;
}
static bool read_fill(const TarnLattice* l, TarnReader* r, TarnLatticeFillDef* out)
{
    *out = tarn_lattice_fill_default_def();
    tarn__read(r, &out->motion, sizeof out->motion);
    return tarn__read_table(r, tarn_lattice_fill_def_table(), out) &&
           tarn__lattice_check_fill(l, out) == TARN_OK;
}

// Checks sources and fills; with `out` set they take the place of those that are there.
static bool read_parts(const TarnLattice* l, TarnReader* r, TarnLattice* out)
{
    SavedHandles sources, fills;
    TarnLatticeSourceDef source;
    TarnLatticeFillDef fill;
    if (!tarn__handles_read(r, l->def.max_sources, &sources) ||
        !tarn__handles_read(r, l->def.max_fills, &fills))
        return false;
    for (int n = 0; n < sources.n; ++n) {
        if (!tarn__saved_is_used(&sources, n)) continue;
        if (!read_source(l, r, out ? &out->sources[n] : &source)) return false;
    }
    for (int n = 0; n < fills.n; ++n) {
        if (!tarn__saved_is_used(&fills, n)) continue;
        if (!read_fill(l, r, out ? &out->fills[n] : &fill)) return false;
    }
    if (out) tarn__handles_load(&out->source_ids, &sources);
    if (out) tarn__handles_load(&out->fill_ids, &fills);
    return true;
}

static bool are_good(const LatticeArray* a, const void* data)
{
    if (a->kind == LATTICE_FLOATS) return tarn__all_within(data, a->n, a->limit);
    const uint8_t* bytes = data;
    for (size_t i = 0; i < a->n; ++i) {
        if (a->kind == LATTICE_BYTES && bytes[i] > (int)a->limit) return false;
        if (a->kind == LATTICE_HALVES && (bytes[2 * i + 1] & 0x7c) == 0x7c)
            return false; // infinite or NaN
    }
    return true;
}

static bool read_arrays(const TarnLattice* l, TarnReader* r, bool is_taken)
{
    LatticeArray arrays[MAX_ARRAYS];
    int n = list_arrays(l, arrays);
    for (int a = 0; a < n; ++a) {
        const void* data = tarn__read_view(r, bytes_of(&arrays[a]));
        if (data == NULL || !are_good(&arrays[a], data)) return false;
        if (is_taken) memcpy(arrays[a].data, data, bytes_of(&arrays[a]));
    }
    return r->at == r->size;
}

typedef struct Head {
    double numbers[NUMBERS];
    TarnLatticeParams params;
    TarnReader parts, solids, surface, arrays; // at their beginnings
} Head;

static bool is_whole(double x, double lo, double hi)
{
    return x >= lo && x <= hi && x == (double)(int64_t)x;
}

static bool read_head(const TarnLattice* l, TarnReader* r, Head* h)
{
    double* n = h->numbers;
    for (int i = 0; i < NUMBERS; ++i) n[i] = tarn__read_f64(r);
    h->params = tarn_lattice_default_params();
    bool is_good = !r->is_bad && is_whole(n[0], 0.0, 1e15) && n[1] >= 0.0 && n[1] <= 1e15 &&
                   n[2] >= -1.0 && n[2] <= 1e4 &&
                   is_whole(n[3], 0, l->solid ? LATTICE_MAX_SOLIDS : 0) && is_whole(n[4], 0, 1) &&
                   n[5] >= 0.0 && n[5] <= 1e4 &&
                   tarn__read_table(r, tarn_lattice_params_table(), &h->params);
    if (!is_good) return false;
    h->parts = *r;
    if (!read_parts(l, r, NULL)) return false;
    h->solids = *r;
    for (int i = 0; i < 6 * (int)n[3]; ++i) {
        double value = tarn__read_f64(r);
        if (!(value >= -1e18 && value <= 1e18)) return false;
    }
    h->surface = *r;
    if (!tarn__lattice_surface_load(l, r, NULL)) return false;
    h->arrays = *r;
    return read_arrays(l, r, false);
}

static void apply(TarnLattice* l, Head* h)
{
    const double* n = h->numbers;
    tarn_lattice_reset(l);
    l->steps = (uint64_t)n[0];
    l->time = n[1], l->carry = n[2], l->force_time = n[5];
    l->params = h->params;
    read_parts(l, &h->parts, l);
    // The next step looks for all solids anew; until then the cells are covered as they were.
    l->solids_key = n[4] != 0.0 ? 1 : 0;
    read_arrays(l, &h->arrays, true);
    tarn__lattice_surface_load(l, &h->surface, l);
    if (l->cells) tarn__lattice_set_bits(l);
}

TarnResult tarn_lattice_load(TarnLattice* l, const void* buffer, size_t size)
{
    if (l == NULL) return TARN_ERR_ARG;
    TarnReader reader;
    TARN_TRY(tarn__snapshot_open(l->ctx, buffer, size, "lattice", def_hash(l), &reader));
    Head head;
    if (!read_head(l, &reader, &head))
        return tarn__fail(
            l->ctx, TARN_ERR_DATA,
            "lattice: the snapshot is damaged: it contains a value that no run can produce");
    apply(l, &head);
    return TARN_OK;
}
