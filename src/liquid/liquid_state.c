// State of a liquid: statistics, ledger, hash, snapshots.

#include "liquid/liquid_driver.h"

// ---- Statistics --------------------------------------------------------------------------------

TarnLiquidLedger tarn_liquid_ledger(const TarnLiquid* l)
{
    TarnLiquidLedger ledger = l->driver->ledger;
    ledger.alive = (uint64_t)l->n;
    return ledger;
}

// Sums of one block, so that rounding does not grow with the number of particles.
static void sum_block(const TarnLiquid* l, int block, TarnLiquidStats* out)
{
    TarnLiquidStats b = { 0 };
    for (int p = block * LIQUID_BLOCK, end = liquid_block_end(l, block); p < end; ++p) {
        double m = l->mass[l->kind[p]], rest = l->kinds[l->kind[p]].density;
        double x = l->x[p], y = l->y[p], z = l->z[p];
        double mx = m * (double)l->vx[p], my = m * (double)l->vy[p], mz = m * (double)l->vz[p];
        double speed2 = (mx * mx + my * my + mz * mz) / (m * m);
        double compression = (double)l->density[p] / rest - 1.0;
        if (compression > 0.0) b.mean_compression += compression;
        if (compression > out->max_compression) out->max_compression = compression;
        if (speed2 > out->max_speed) out->max_speed = speed2;
        b.kinetic_energy += 0.5 * m * speed2;
        b.momentum[0] += mx, b.momentum[1] += my, b.momentum[2] += mz;
        b.angular_momentum[0] += y * mz - z * my;
        b.angular_momentum[1] += z * mx - x * mz;
        b.angular_momentum[2] += x * my - y * mx;
    }
    out->mean_compression += b.mean_compression;
    out->kinetic_energy += b.kinetic_energy;
    for (int a = 0; a < 3; ++a) {
        out->momentum[a] += b.momentum[a];
        out->angular_momentum[a] += b.angular_momentum[a];
    }
}

TarnLiquidStats tarn_liquid_stats(const TarnLiquid* l)
{
    TarnLiquidStats stats = { .neighbors = l->neighbors.mean,
                              .iterations = l->iterations,
                              .overflowed = l->neighbors.overflowed };
    for (int b = 0; b < liquid_blocks(l->n); ++b) sum_block(l, b, &stats);
    if (l->n > 0) stats.mean_compression /= l->n;
    stats.max_speed = sqrt(stats.max_speed);
    return stats;
}

// ---- Hash --------------------------------------------------------------------------------------

enum { COUNTS = 9 };

static void get_counts(const TarnLiquid* l, uint64_t out[COUNTS])
{
    const LiquidDriver* d = l->driver;
    const uint64_t counts[COUNTS] = { (uint64_t)l->n,  l->next_id,        d->steps,
                                      d->ledger.added, d->ledger.removed, d->ledger.drained,
                                      d->ledger.left,  d->ledger.boiled,  d->ledger.refused };
    memcpy(out, counts, sizeof counts);
}

static uint64_t hash_sources(const TarnLiquid* l, uint64_t hash)
{
    const TarnHandles* ids = &l->driver->source_ids;
    hash = tarn__handles_hash(ids, hash);
    for (int n = 0; n < ids->count; ++n) {
        const LiquidSource* source = &l->driver->sources[ids->order[n]];
        uint64_t counts[3] = { source->layers, source->emitted, source->given };
        hash = tarn_hash(counts, sizeof counts, hash);
        hash = tarn_hash(&source->way, sizeof source->way, hash);
        hash = tarn_hash(&source->carry, sizeof source->carry, hash);
        hash = tarn__param_hash(tarn_liquid_source_def_table(), &source->def, hash);
    }
    return hash;
}

static uint64_t hash_regions(const TarnLiquid* l, uint64_t hash)
{
    const TarnHandles* ids = &l->driver->region_ids;
    hash = tarn__handles_hash(ids, hash);
    for (int n = 0; n < ids->count; ++n) {
        const TarnRegionDef* def = &l->driver->regions[ids->order[n]].def;
        hash = tarn_hash(&def->user, sizeof def->user, hash);
        hash = tarn_hash(&def->pose, sizeof def->pose, hash);
        hash = tarn__param_hash(tarn_region_def_table(), def, hash);
    }
    return hash;
}

uint64_t tarn_liquid_hash(const TarnLiquid* l)
{
    uint64_t counts[COUNTS];
    NeighborArray arrays[LIQUID_MAX_ARRAYS];
    int n_arrays = tarn__liquid_arrays(l, arrays);
    get_counts(l, counts);
    uint64_t hash = tarn_hash(counts, sizeof counts, 0);
    hash = tarn_hash(&l->time, sizeof l->time, hash);
    for (int a = 0; a < n_arrays; ++a)
        hash = tarn_hash(arrays[a].data, (size_t)l->n * (size_t)arrays[a].size, hash);
    hash = hash_regions(l, hash_sources(l, hash));
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k)
        hash = tarn__param_hash(tarn_liquid_kind_def_table(), &l->kinds[k], hash);
    if (l->driver->splashes) {
        uint64_t splashes = tarn_particles_hash(l->driver->splashes);
        hash = tarn_hash(&splashes, sizeof splashes, hash);
    }
    return tarn__param_hash(tarn_liquid_params_table(), &l->params, hash);
}

// ---- Saving ------------------------------------------------------------------------------------

static uint64_t def_hash(const TarnLiquid* l)
{
    return tarn__param_hash(tarn_liquid_def_table(), &l->def, 0);
}

static void write_sources(const TarnLiquid* l, TarnWriter* w)
{
    const TarnHandles* ids = &l->driver->source_ids;
    for (int n = 0; n < ids->count; ++n) {
        const LiquidSource* source = &l->driver->sources[ids->order[n]];
        tarn__write_f64(w, source->way);
        tarn__write_f64(w, source->carry);
        tarn__write_u64(w, source->layers);
        tarn__write_u64(w, source->emitted);
        tarn__write_u64(w, source->given);
        tarn__write_table(w, tarn_liquid_source_def_table(), &source->def);
    }
}

static void write_regions(const TarnLiquid* l, TarnWriter* w)
{
    const TarnHandles* ids = &l->driver->region_ids;
    for (int n = 0; n < ids->count; ++n) {
        const TarnRegionDef* def = &l->driver->regions[ids->order[n]].def;
        tarn__write_u32(w, def->user);
        tarn__write(w, &def->pose, sizeof def->pose);
        tarn__write_table(w, tarn_region_def_table(), def);
    }
}

TarnResult tarn_liquid_save(const TarnLiquid* l, void* buffer, size_t capacity, size_t* size)
{
    if (size != NULL) *size = 0;
    if (l == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(l->ctx);
    const LiquidDriver* d = l->driver;
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    uint64_t counts[COUNTS];
    get_counts(l, counts);
    tarn__write(&w, counts, sizeof counts);
    tarn__write_f64(&w, l->time);
    tarn__write_f64(&w, l->neighbors.mean);
    tarn__write_u32(&w, (uint32_t)l->neighbors.overflowed);
    tarn__write_u32(&w, (uint32_t)l->iterations);
    tarn__write_u32(&w, d->wanted);
    tarn__write_u32(&w, (uint32_t)d->is_warm | (uint32_t)(d->n_sorted == l->n) << 1);
    tarn__write_table(&w, tarn_liquid_params_table(), &l->params);
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k)
        tarn__write_table(&w, tarn_liquid_kind_def_table(), &l->kinds[k]);
    tarn__handles_save(&d->source_ids, &w);
    tarn__handles_save(&d->region_ids, &w);
    write_sources(l, &w);
    write_regions(l, &w);
    NeighborArray arrays[LIQUID_MAX_ARRAYS];
    int n_arrays = tarn__liquid_arrays(l, arrays);
    for (int a = 0; a < n_arrays; ++a)
        tarn__write(&w, arrays[a].data, (size_t)l->n * (size_t)arrays[a].size);
    if (d->splashes) { // a snapshot in the snapshot
        size_t inner = 0, at = w.size + sizeof(uint64_t);
        tarn_particles_save(d->splashes, NULL, 0, &inner);
        tarn__write_u64(&w, inner);
        bool has_room = w.data && w.capacity >= at && w.capacity - at >= inner;
        if (has_room) TARN_TRY(tarn_particles_save(d->splashes, w.data + at, inner, &inner));
        w.size += inner;
    }
    return tarn__snapshot_end(l->ctx, &w, "liquid", def_hash(l), size);
}

// ---- Loading -----------------------------------------------------------------------------------

// Everything before the particles.
typedef struct Head {
    uint64_t counts[COUNTS];
    double time, mean;
    uint32_t overflowed, iterations, wanted, bits;
    TarnLiquidParams params;
    TarnLiquidKindDef kinds[TARN_LIQUID_KINDS];
    SavedHandles source_ids, region_ids;
    TarnReader sources, regions; // at their beginnings
    const uint8_t* arrays[LIQUID_MAX_ARRAYS];
    const void* splashes;
    size_t splashes_size;
} Head;

static bool read_source(const TarnLiquid* l, TarnReader* r, LiquidSource* out)
{
    *out = (LiquidSource){ .def = tarn_liquid_source_default_def() };
    out->way = tarn__read_f64(r);
    out->carry = tarn__read_f64(r);
    out->layers = tarn__read_u64(r);
    out->emitted = tarn__read_u64(r);
    out->given = tarn__read_u64(r);
    if (!tarn__read_table(r, tarn_liquid_source_def_table(), &out->def)) return false;
    bool is_sane = out->way >= 0.0 && out->way <= 1e9 && out->carry >= 0.0 && out->carry < 1.0;
    return is_sane && out->emitted < UINT64_MAX / 2 && out->given <= out->emitted &&
           tarn__liquid_check_source(l, &out->def) == TARN_OK;
}

static bool read_region(const TarnLiquid* l, TarnReader* r, LiquidRegion* out)
{
    TarnRegionDef def = tarn_region_default_def();
    *out = (LiquidRegion){ .count = 0 };
    def.user = tarn__read_u32(r);
    tarn__read(r, &def.pose, sizeof def.pose);
    if (!tarn__read_table(r, tarn_region_def_table(), &def) || r->is_bad ||
        tarn__liquid_check_region(l, &def) != TARN_OK)
        return false;
    tarn__liquid_put_region(l, out, &def);
    return true;
}

static bool check_counts(const TarnLiquid* l, const Head* h)
{
    const uint64_t* c = h->counts;
    uint64_t gone = 0;
    for (int i = 2; i < COUNTS; ++i) {
        if (c[i] > UINT64_MAX / 16) return false;
        if (i > 3 && i < COUNTS - 1) gone += c[i];
    }
    return c[0] <= (uint64_t)l->def.max_particles && c[1] >= 1 && c[1] <= UINT32_MAX &&
           c[3] == c[0] + gone;
}

static bool read_children(const TarnLiquid* l, TarnReader* r, Head* h)
{
    LiquidSource source;
    LiquidRegion region;
    bool is_good = tarn__handles_read(r, l->def.max_sources, &h->source_ids) &&
                   tarn__handles_read(r, l->def.max_regions, &h->region_ids);
    h->sources = *r;
    for (int s = 0; is_good && s < h->source_ids.n; ++s)
        is_good = !tarn__saved_is_used(&h->source_ids, s) || read_source(l, r, &source);
    h->regions = *r;
    for (int n = 0; is_good && n < h->region_ids.n; ++n)
        is_good = !tarn__saved_is_used(&h->region_ids, n) || read_region(l, r, &region);
    return is_good;
}

static bool read_head(const TarnLiquid* l, TarnReader* r, Head* h)
{
    tarn__read(r, h->counts, sizeof h->counts);
    h->time = tarn__read_f64(r);
    h->mean = tarn__read_f64(r);
    h->overflowed = tarn__read_u32(r);
    h->iterations = tarn__read_u32(r);
    h->wanted = tarn__read_u32(r);
    h->bits = tarn__read_u32(r);
    if (r->is_bad || !check_counts(l, h)) return false;
    bool is_good = h->time >= 0.0 && h->time <= 1e15 && h->mean >= 0.0 && h->mean <= 1e3;
    is_good = is_good && h->overflowed <= (uint32_t)l->def.max_particles;
    is_good = is_good && h->iterations <= 1000000 && h->bits <= 3;
    is_good = is_good && h->wanted >> (TARN_LIQUID_DRAINED + 1) == 0;
    h->params = tarn_liquid_default_params();
    is_good = is_good && tarn__read_table(r, tarn_liquid_params_table(), &h->params);
    for (int k = 0; k < TARN_LIQUID_KINDS; ++k) {
        h->kinds[k] = tarn_liquid_kind_default_def();
        is_good = is_good && tarn__read_table(r, tarn_liquid_kind_def_table(), &h->kinds[k]) &&
                  h->kinds[k].freezing_point < h->kinds[k].boiling_point;
    }
    return is_good && read_children(l, r, h);
}

// The largest value that an array may hold.
static float limit_of(const TarnLiquid* l, const void* array)
{
    const LiquidDriver* d = l->driver;
    if (array == l->x || array == l->y || array == l->z) return liquid_max_place;
    if (array == l->vx || array == l->vy || array == l->vz) return 1e5f;
    if (array == l->temperature) return 1e6f;
    if (array == d->along_x || array == d->along_y || array == d->along_z) return 1.01f;
    if (array == d->size || array == d->stretch) return 100.0f;
    return liquid_max_kept;
}

static bool check_array(const TarnLiquid* l, const Head* h, const NeighborArray* array,
                        const uint8_t* from)
{
    size_t n = (size_t)h->counts[0];
    bool is_good = true;
    uint32_t regions = 0; // that are there
    for (int s = 0; s < h->region_ids.n; ++s)
        regions |= (uint32_t)tarn__saved_is_used(&h->region_ids, s) << s;
    for (size_t p = 0; array->size == 1 && p < n; ++p) {
        if (array->data == l->kind) is_good = is_good && from[p] < TARN_LIQUID_KINDS;
        if (array->data == l->flags) is_good = is_good && (from[p] & LIQUID_INNER_FLAGS) == 0;
    }
    if (array->size == 1 || array->data == l->user) return is_good;
    if (array->data != l->id && array->data != l->inside)
        return tarn__all_within(from, n, limit_of(l, array->data));
    for (size_t p = 0; p < n; ++p) {
        uint32_t value;
        memcpy(&value, from + p * sizeof value, sizeof value);
        if (array->data == l->id) is_good = is_good && value > 0 && value < h->counts[1];
        if (array->data == l->inside) is_good = is_good && (value & ~regions) == 0;
    }
    return is_good;
}

static bool read_particles(const TarnLiquid* l, TarnReader* r, Head* h)
{
    NeighborArray arrays[LIQUID_MAX_ARRAYS];
    int n_arrays = tarn__liquid_arrays(l, arrays);
    for (int a = 0; a < n_arrays; ++a) {
        h->arrays[a] = tarn__read_view(r, (size_t)h->counts[0] * (size_t)arrays[a].size);
        if (r->is_bad || !check_array(l, h, &arrays[a], h->arrays[a])) return false;
    }
    if (l->driver->splashes) {
        uint64_t inner = tarn__read_u64(r);
        if (r->is_bad || inner > r->size) return false;
        h->splashes_size = (size_t)inner;
        h->splashes = tarn__read_view(r, h->splashes_size);
    }
    return !r->is_bad && r->at == r->size;
}

// After the particles.
static void apply_children(TarnLiquid* l, Head* h)
{
    LiquidDriver* d = l->driver;
    tarn__handles_load(&d->source_ids, &h->source_ids);
    tarn__handles_load(&d->region_ids, &h->region_ids);
    for (int n = 0; n < d->source_ids.count; ++n)
        read_source(l, &h->sources, &d->sources[d->source_ids.order[n]]);
    memset(d->regions, 0, (size_t)l->def.max_regions * sizeof *d->regions);
    for (int n = 0; n < d->region_ids.count; ++n) {
        int r = d->region_ids.order[n];
        read_region(l, &h->regions, &d->regions[r]);
        for (int p = 0; p < l->n; ++p) d->regions[r].count += (int)(l->inside[p] >> r & 1u);
    }
}

static void apply(TarnLiquid* l, Head* h)
{
    LiquidDriver* d = l->driver;
    const uint64_t* c = h->counts;
    NeighborArray arrays[LIQUID_MAX_ARRAYS];
    int n_arrays = tarn__liquid_arrays(l, arrays);
    l->n = (int)c[0];
    l->next_id = (uint32_t)c[1];
    d->steps = c[2];
    d->ledger = (TarnLiquidLedger){ .added = c[3],
                                    .removed = c[4],
                                    .drained = c[5],
                                    .left = c[6],
                                    .boiled = c[7],
                                    .refused = c[8] };
    l->time = h->time;
    l->iterations = (int)h->iterations;
    l->params = h->params;
    memcpy(l->kinds, h->kinds, sizeof l->kinds);
    tarn__liquid_set_masses(l);
    d->wanted = h->wanted;
    d->is_warm = h->bits & 1u;
    d->n_events = d->n_events_lost = 0;
    for (int a = 0; a < n_arrays; ++a)
        memcpy(arrays[a].data, h->arrays[a], (size_t)l->n * (size_t)arrays[a].size);
    for (int p = 0; p < l->n && l->def.dimensions == 2; ++p) l->z[p] = l->vz[p] = 0.0f;
    apply_children(l, h);
    tarn__liquid_ghosts(l);
    d->is_indexed = false;
    d->n_sorted = -1;
    if (h->bits & 2u) tarn__liquid_sort(l); // moves nothing: it is sorted. Makes the cells again
    l->neighbors.mean = h->mean;
    l->neighbors.overflowed = (int)h->overflowed;
}

TarnResult tarn_liquid_load(TarnLiquid* l, const void* buffer, size_t size)
{
    if (l == NULL) return TARN_ERR_ARG;
    TarnReader r;
    TARN_TRY(tarn__snapshot_open(l->ctx, buffer, size, "liquid", def_hash(l), &r));
    Head h = { 0 };
    if (!read_head(l, &r, &h) || !read_particles(l, &r, &h)) {
        return tarn__fail(
            l->ctx, TARN_ERR_DATA,
            "liquid: the snapshot is damaged: it contains values that no run can produce");
    }
    if (h.splashes) TARN_TRY(tarn_particles_load(l->driver->splashes, h.splashes, h.splashes_size));
    apply(l, &h);
    return TARN_OK;
}
