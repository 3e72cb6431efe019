// State of a gas: hash and snapshots.

#include "gas/gas_kernels.h"
#include "base/maths.h"

enum { MAX_FIELDS = 3 + GAS_SCALARS + 1 };

// The fields that are state: all cells, and the faces of the rim.
typedef struct StateField {
    float* data;
    int nx, ny, nz;
    float limit;
} StateField;

static int list_fields(const TarnGas* gas, const Grid3* g, StateField out[MAX_FIELDS])
{
    int n = 0;
    for (int a = 0; a < 3; ++a)
        out[n++] = (StateField){ gas->velocity[a], g->nx + (a == 0), g->ny + (a == 1),
                                 g->nz + (a == 2), 1e9f };
    for (int s = 0; s < GAS_SCALARS; ++s) {
        if (gas->scalar[s]) out[n++] = (StateField){ gas->scalar[s], g->nx, g->ny, g->nz, 1e9f };
    }
    // The next guess; in a long box full of explosions it may reach max_speed n^2 / 6.
    out[n++] = (StateField){ gas->pressure, g->nx, g->ny, g->nz, 1e13f };
    return n;
}

static uint64_t hash_motion(const TarnMotion* m, uint64_t hash)
{
    return tarn_hash(m, sizeof *m, hash); // floats only, without padding
}

static uint64_t hash_makers(const TarnGas* gas, uint64_t hash)
{
    hash = tarn__handles_hash(&gas->jet_ids, tarn__handles_hash(&gas->source_ids, hash));
    for (int n = 0; n < gas->source_ids.count; ++n) {
        const TarnGasSourceDef* s = &gas->sources[gas->source_ids.order[n]];
        hash = tarn__param_hash(tarn_gas_source_def_table(), s, hash_motion(&s->motion, hash));
    }
    for (int n = 0; n < gas->jet_ids.count; ++n) {
        const TarnGasJetDef* j = &gas->jets[gas->jet_ids.order[n]];
        hash = tarn__param_hash(tarn_gas_jet_def_table(), j, hash_motion(&j->motion, hash));
    }
    return hash;
}

// Numbers that are state besides the fields.
enum { NUMBERS = 21 };
static void get_numbers(const TarnGas* gas, double out[NUMBERS])
{
    const double numbers[NUMBERS] = { gas->time,
                                      gas->held,
                                      gas->carry,
                                      gas->density_owed,
                                      (double)gas->substeps,
                                      (double)gas->origin.x,
                                      (double)gas->origin.y,
                                      (double)gas->origin.z,
                                      (double)gas->target.x,
                                      (double)gas->target.y,
                                      (double)gas->target.z,
                                      (double)gas->target_velocity.x,
                                      (double)gas->target_velocity.y,
                                      (double)gas->target_velocity.z,
                                      (double)gas->level,
                                      (double)gas->steps,
                                      gas->is_moving,
                                      gas->has_guess,
                                      (double)gas->n_bursts,
                                      gas->energy,
                                      gas->solids_key != 0 };
    memcpy(out, numbers, sizeof numbers);
}

// What solids have closed, in hashes and snapshots behind the fields.
static uint64_t hash_closed(const TarnGas* gas, uint64_t hash)
{
    for (int k = 0; gas->solid && k <= gas->grid.nz; ++k) {
        for (int j = 0; j <= gas->grid.ny; ++j) {
            uint8_t row[GAS_CLOSED_ROW];
            size_t n = tarn__gas_closed_row(gas, j, k, row);
            hash = tarn_hash(row, n, hash);
        }
    }
    return hash;
}

uint64_t tarn_gas_hash(const TarnGas* gas)
{
    double numbers[NUMBERS];
    get_numbers(gas, numbers);
    uint64_t hash = tarn_hash(numbers, sizeof numbers, 0);
    StateField fields[MAX_FIELDS];
    int n = list_fields(gas, &gas->grid, fields);
    for (int f = 0; f < n; ++f) {
        for (int k = 0; k < fields[f].nz; ++k) {
            for (int j = 0; j < fields[f].ny; ++j) {
                const float* row = fields[f].data + tarn__grid3_at(&gas->grid, 0, j, k);
                hash = tarn_hash(row, (size_t)fields[f].nx * sizeof(float), hash);
            }
        }
    }
    hash = hash_closed(gas, hash);
    for (int b = 0; b < gas->n_bursts; ++b) {
        const GasBurst* burst = &gas->bursts[b];
        hash = tarn_hash(&burst->center, sizeof burst->center, hash);
        hash = tarn_hash(&burst->radius, sizeof burst->radius, hash);
        hash = tarn_hash(&burst->volume, sizeof burst->volume, hash);
    }
    return tarn__param_hash(tarn_gas_params_table(), &gas->params, hash_makers(gas, hash));
}

// ---- Saving ------------------------------------------------------------------------------------

static uint64_t def_hash(const TarnGas* gas)
{
    return tarn__param_hash(tarn_gas_def_table(), &gas->def, 0);
}

static void write_makers(const TarnGas* gas, TarnWriter* w)
{
    tarn__handles_save(&gas->source_ids, w);
    tarn__handles_save(&gas->jet_ids, w);
    for (int n = 0; n < gas->source_ids.count; ++n) {
        const TarnGasSourceDef* s = &gas->sources[gas->source_ids.order[n]];
        tarn__write(w, &s->motion, sizeof s->motion);
        tarn__write_table(w, tarn_gas_source_def_table(), s);
    }
    for (int n = 0; n < gas->jet_ids.count; ++n) {
        const TarnGasJetDef* j = &gas->jets[gas->jet_ids.order[n]];
        tarn__write(w, &j->motion, sizeof j->motion);
        tarn__write_table(w, tarn_gas_jet_def_table(), j);
    }
}

TarnResult tarn_gas_save(const TarnGas* gas, void* buffer, size_t capacity, size_t* size)
{
    if (size != NULL) *size = 0;
    if (gas == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(gas->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    double numbers[NUMBERS];
    get_numbers(gas, numbers);
    for (int n = 0; n < NUMBERS; ++n) tarn__write_f64(&w, numbers[n]);
    tarn__write_table(&w, tarn_gas_params_table(), &gas->params);
    write_makers(gas, &w);
    for (int b = 0; b < GAS_MAX_BURSTS; ++b) {
        const GasBurst none = { 0 }, *burst = b < gas->n_bursts ? &gas->bursts[b] : &none;
        tarn__write(&w, &burst->center, sizeof burst->center);
        tarn__write(&w, &burst->radius, sizeof burst->radius);
        tarn__write_f64(&w, burst->volume);
    }
    StateField fields[MAX_FIELDS];
    int n = list_fields(gas, &gas->grid, fields);
    for (int f = 0; f < n; ++f) {
        for (int k = 0; k < fields[f].nz; ++k) {
            for (int j = 0; j < fields[f].ny; ++j)
                tarn__write(&w, fields[f].data + tarn__grid3_at(&gas->grid, 0, j, k),
                            (size_t)fields[f].nx * sizeof(float));
        }
    }
    for (int k = 0; gas->solid && k <= gas->grid.nz; ++k) {
        for (int j = 0; j <= gas->grid.ny; ++j) {
            uint8_t row[GAS_CLOSED_ROW];
            size_t bytes = tarn__gas_closed_row(gas, j, k, row);
            tarn__write(&w, row, bytes);
        }
    }
    return tarn__snapshot_end(gas->ctx, &w, "gas", def_hash(gas), size);
}

// ---- Loading -----------------------------------------------------------------------------------

typedef struct Head {
    double numbers[NUMBERS];
    TarnGasParams params;
    TarnReader makers, bursts, fields, closed; // at their beginnings
} Head;

static bool is_whole(double x, double lo, double hi)
{
    return x >= lo && x <= hi && x == (double)(int64_t)x;
}

static bool check_numbers(const TarnGas* gas, const double* n)
{
    bool is_good = n[0] >= 0.0 && n[0] <= 1e15 && n[1] >= 0.0 && n[1] <= 1e4 && n[2] == 0.0;
    is_good = is_good && n[3] >= -1e18 && n[3] <= 1e18 && is_whole(n[4], 0.0, 1e15);
    for (int i = 5; i < 14; ++i) is_good = is_good && n[i] >= -1e7 && n[i] <= 1e7;
    return is_good && is_whole(n[14], 0, gas->def.levels - 1) && is_whole(n[15], 0, 100) &&
           is_whole(n[16], 0, 1) && is_whole(n[17], 0, 1) && is_whole(n[18], 0, GAS_MAX_BURSTS) &&
           n[19] >= 0.0 && n[19] <= 1e30 && is_whole(n[20], 0, gas->solid != NULL);
}

static bool read_source(const TarnGas* gas, TarnReader* r, TarnGasSourceDef* out)
{
    *out = tarn_gas_source_default_def();
    tarn__read(r, &out->motion, sizeof out->motion);
    return tarn__read_table(r, tarn_gas_source_def_table(), out) &&
           tarn__gas_check_source(gas, out) == TARN_OK;
}

static bool read_jet(const TarnGas* gas, TarnReader* r, TarnGasJetDef* out)
{
    *out = tarn_gas_jet_default_def();
    tarn__read(r, &out->motion, sizeof out->motion);
    return tarn__read_table(r, tarn_gas_jet_def_table(), out) &&
           tarn__gas_check_jet(gas, out) == TARN_OK;
}

// Checks sources and jets; with `out` set they take the place of those that are there.
static bool read_makers(const TarnGas* gas, TarnReader* r, TarnGas* out)
{
    SavedHandles sources, jets;
    TarnGasSourceDef source;
    TarnGasJetDef jet;
    if (!tarn__handles_read(r, gas->def.max_sources, &sources) ||
        !tarn__handles_read(r, gas->def.max_jets, &jets))
        return false;
    for (int n = 0; n < sources.n; ++n) {
        if (!tarn__saved_is_used(&sources, n)) continue;
        if (!read_source(gas, r, out ? &out->sources[n] : &source)) return false;
    }
    for (int n = 0; n < jets.n; ++n) {
        if (!tarn__saved_is_used(&jets, n)) continue;
        if (!read_jet(gas, r, out ? &out->jets[n] : &jet)) return false;
    }
    if (out) tarn__handles_load(&out->source_ids, &sources);
    if (out) tarn__handles_load(&out->jet_ids, &jets);
    return true;
}

static bool read_bursts(TarnReader* r, TarnGas* out)
{
    for (int n = 0; n < GAS_MAX_BURSTS; ++n) {
        GasBurst b = { 0 };
        tarn__read(r, &b.center, sizeof b.center);
        tarn__read(r, &b.radius, sizeof b.radius);
        b.volume = tarn__read_f64(r);
        if (r->is_bad || !tarn__all_within(&b.center, 3, 1e6f) ||
            !(b.radius >= 0.0f && b.radius <= 1e6f) || !(b.volume >= 0.0 && b.volume <= 1e6))
            return false;
        if (out) out->bursts[n] = b;
    }
    return true;
}

// The fields of a level; the pointers are of the level as it is when they are taken over.
static bool read_fields(const TarnGas* gas, const Grid3* g, TarnReader* r, bool is_taken)
{
    StateField fields[MAX_FIELDS];
    int n = list_fields(gas, g, fields);
    for (int f = 0; f < n; ++f) {
        for (int k = 0; k < fields[f].nz; ++k) {
            for (int j = 0; j < fields[f].ny; ++j) {
                size_t nx = (size_t)fields[f].nx;
                const void* row = tarn__read_view(r, nx * sizeof(float));
                if (r->is_bad || !tarn__all_within(row, nx, fields[f].limit)) return false;
                if (is_taken)
                    memcpy(fields[f].data + tarn__grid3_at(g, 0, j, k), row, nx * sizeof(float));
            }
        }
    }
    return true;
}

// Rows of what is closed; with `out` set they are taken over.
static bool read_closed(const TarnGas* gas, const Grid3* g, TarnReader* r, TarnGas* out)
{
    for (int k = 0; gas->solid && k <= g->nz; ++k) {
        for (int j = 0; j <= g->ny; ++j) {
            const uint8_t* row = tarn__read_view(r, (size_t)g->nx + 1);
            if (row == NULL || !tarn__gas_is_closed_row(g, j, k, row)) return false;
            if (out) tarn__gas_set_closed_row(out, j, k, row);
        }
    }
    return r->at == r->size;
}

static bool read_head(const TarnGas* gas, TarnReader* r, Head* h)
{
    for (int n = 0; n < NUMBERS; ++n) h->numbers[n] = tarn__read_f64(r);
    h->params = tarn_gas_default_params();
    if (r->is_bad || !check_numbers(gas, h->numbers) ||
        !tarn__read_table(r, tarn_gas_params_table(), &h->params))
        return false;
    h->makers = *r;
    if (!read_makers(gas, r, NULL)) return false;
    h->bursts = *r;
    if (!read_bursts(r, NULL)) return false;
    h->fields = *r;
    const Grid3* grid = &gas->levels[(int)h->numbers[14]].grid;
    if (!read_fields(gas, grid, r, false)) return false;
    h->closed = *r;
    return read_closed(gas, grid, r, NULL);
}

static void apply(TarnGas* gas, Head* h)
{
    const double* n = h->numbers;
    tarn__gas_use_level(gas, (int)n[14]);
    tarn_gas_reset(gas); // ghosts and scratch, too
    gas->time = n[0], gas->held = n[1], gas->density_owed = n[3], gas->energy = n[19];
    gas->substeps = (uint64_t)n[4];
    gas->origin = (TarnVec3){ (float)n[5], (float)n[6], (float)n[7] };
    gas->target = (TarnVec3){ (float)n[8], (float)n[9], (float)n[10] };
    gas->target_velocity = (TarnVec3){ (float)n[11], (float)n[12], (float)n[13] };
    gas->steps = (int)n[15];
    gas->is_moving = n[16] != 0.0;
    gas->params = h->params;
    read_makers(gas, &h->makers, gas);
    read_bursts(&h->bursts, gas);
    gas->n_bursts = (int)n[18];
    read_fields(gas, &gas->grid, &h->fields, true);
    gas->has_guess = n[17] != 0.0;
    gas->frame_velocity = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    gas->way_begin = gas->way_end = 0.0f;
    if (gas->solid) { // where solids are now, and over it where the air last met them
        tarn__gas_place_obstacles(gas, NULL);
        if (n[20] != 0.0) tarn__gas_find_obstacles(gas, 0.0f);
        read_closed(gas, &gas->grid, &h->closed, gas);
    }
    tarn__gas_fill_all(gas);
}

TarnResult tarn_gas_load(TarnGas* gas, const void* buffer, size_t size)
{
    if (gas == NULL) return TARN_ERR_ARG;
    TarnReader reader;
    TARN_TRY(tarn__snapshot_open(gas->ctx, buffer, size, "gas", def_hash(gas), &reader));
    Head head;
    if (!read_head(gas, &reader, &head))
        return tarn__fail(
            gas->ctx, TARN_ERR_DATA,
            "gas: the snapshot is damaged: it contains a value that no run can produce");
    apply(gas, &head);
    return TARN_OK;
}
