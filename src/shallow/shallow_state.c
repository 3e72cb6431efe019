// State of the shallow water: ledger, hash, snapshots.

#include "shallow/shallow_kernels.h"
#include "base/maths.h"
#include "base/param.h"
#include "base/snapshot.h"
#include <math.h>

// ---- Ledger -------------------------------------------------------------------------------------

static void sum_tile_row(int tz, void* data)
{
    const TarnShallow* water = data;
    int k0 = tz * SHALLOW_TILE_Z;
    int rows = water->def.nz - k0 < SHALLOW_TILE_Z ? water->def.nz - k0 : SHALLOW_TILE_Z;
    water->row_sums[tz] = water->kernels->sum(water->h + shallow_cell(water, 0, k0), water->stride,
                                              water->def.nx, rows);
}

TarnShallowLedger tarn_shallow_ledger(const TarnShallow* water)
{
    double area = (double)water->def.dx * (double)water->def.dx;
    tarn__parallel_for(water->ctx, water->tiles_z, sum_tile_row, (void*)water);
    const ShallowSums* s = &water->sums;
    // Depths and their sums are whole grains, a power of two: these differences are exact.
    double depths = tarn__sum(water->row_sums, water->tiles_z) + tarn__shallow_thrown(water);
    double known = s->initial + s->edges + s->sources + s->rain + s->evaporated + s->window;
    return (TarnShallowLedger){ .error = (depths - known) * area,
                                .volume = depths * area,
                                .initial = s->initial * area,
                                .edges = s->edges * area,
                                .sources = s->sources * area,
                                .rain = s->rain * area,
                                .evaporated = s->evaporated * area,
                                .window = s->window * area };
}

// ---- Hash ---------------------------------------------------------------------------------------

enum { SCALARS = 10, INTS = 6 };

static void get_scalars(const TarnShallow* water, double* out)
{
    const ShallowSums* s = &water->sums;
    const double scalars[SCALARS] = { s->initial,        s->edges,
                                      s->sources,        s->rain,
                                      s->evaporated,     s->window,
                                      water->rain_due,   water->evaporation_due,
                                      water->source_due, water->time };
    memcpy(out, scalars, sizeof scalars);
}
static void get_ints(const TarnShallow* water, int32_t* out)
{
    const int32_t ints[INTS] = { water->shift_i, water->shift_k, (int32_t)water->ticks,
                                 water->n_spans, water->n_gates, water->is_unknown };
    memcpy(out, ints, sizeof ints);
}

static size_t out_bytes(const TarnShallow* water) // of all four sides, which lie side by side
{
    return 2 * ((size_t)water->def.nx + (size_t)water->def.nz) * sizeof(float);
}

// What the future depends on. u and w are one column and row longer than the cells.
enum { MOST_FIELDS = 8 };
static int state_fields(const TarnShallow* water, float* fields[MOST_FIELDS])
{
    int n = 0;
    fields[n++] = water->h;
    fields[n++] = water->u;
    fields[n++] = water->w;
    fields[n++] = water->natural;
    if (water->load) fields[n++] = water->load, fields[n++] = water->calm;
    if (water->falls) fields[n++] = water->thrown_x, fields[n++] = water->thrown_z;
    return n;
}

uint64_t tarn_shallow_hash(const TarnShallow* water)
{
    uint64_t hash = 0;
    float* fields[MOST_FIELDS];
    int n = state_fields(water, fields);
    for (int f = 0; f < n; ++f) {
        for (int k = 0; k < water->def.nz; ++k) {
            hash = tarn_hash(fields[f] + shallow_cell(water, 0, k),
                             (size_t)water->def.nx * sizeof(float), hash);
        }
    }
    size_t tiles = (size_t)water->tiles_x * (size_t)water->tiles_z;
    hash = tarn_hash(water->quiet, 3 * tiles, hash);
    double scalars[SCALARS];
    int32_t ints[INTS];
    get_scalars(water, scalars);
    get_ints(water, ints);
    hash = tarn_hash(scalars, sizeof scalars, hash);
    hash = tarn_hash(ints, sizeof ints, hash);
    hash = tarn_hash(water->incoming[0], out_bytes(water), hash);
    hash = tarn_hash(&water->known, sizeof water->known, hash);
    hash = tarn_hash(&water->edited, sizeof water->edited, hash);
    for (int g = 0; g < water->n_gates; ++g)
        hash = tarn__param_hash(tarn_shallow_gate_table(), &water->gates[g].def, hash);
    for (int s = 0; s < water->n_spans; ++s) {
        hash = tarn_hash(&water->spans[s].count, sizeof water->spans[s].count, hash);
        hash = tarn__param_hash(tarn_shallow_span_table(), &water->spans[s].def, hash);
    }
    hash = tarn_hash(water->times, (size_t)water->n_times * sizeof(float), hash);
    hash = tarn_hash(water->values, (size_t)water->n_times * sizeof(float), hash);
    return tarn__param_hash(tarn_shallow_params_table(), &water->params, hash);
}

// ---- Snapshots ----------------------------------------------------------------------------------

static uint64_t def_hash(const TarnShallow* water)
{
    uint64_t hash = tarn__param_hash(tarn_shallow_def_table(), &water->def, 0);
    return tarn_hash(&water->grain, sizeof water->grain, hash);
}

// Spans with their hydrographs, and gates with the cells that they had when they were added.
static void write_children(const TarnShallow* water, TarnWriter* w)
{
    for (int s = 0; s < water->n_spans; ++s) {
        const ShallowSpan* span = &water->spans[s];
        size_t bytes = (size_t)span->count * sizeof(float);
        tarn__write_table(w, tarn_shallow_span_table(), &span->def);
        tarn__write_u32(w, (uint32_t)span->count);
        tarn__write(w, water->times + span->first, bytes);
        tarn__write(w, water->values + span->first, bytes);
    }
    for (int g = 0; g < water->n_gates; ++g) {
        const ShallowGate* gate = &water->gates[g];
        const int32_t cells[4] = { gate->i0, gate->i1, gate->k0, gate->k1 };
        tarn__write_table(w, tarn_shallow_gate_table(), &gate->def);
        tarn__write(w, cells, sizeof cells);
    }
}

TarnResult tarn_shallow_save(const TarnShallow* water, void* buffer, size_t capacity, size_t* size)
{
    if (size != NULL) *size = 0;
    if (water == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(water->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    double scalars[SCALARS];
    int32_t ints[INTS];
    get_scalars(water, scalars);
    get_ints(water, ints);
    tarn__write(&w, scalars, sizeof scalars);
    tarn__write(&w, ints, sizeof ints);
    tarn__write_table(&w, tarn_shallow_params_table(), &water->params);
    write_children(water, &w);
    tarn__write(&w, &water->edited, sizeof water->edited);
    tarn__write(&w, &water->known, sizeof water->known);
    tarn__write(&w, water->incoming[0], out_bytes(water));
    tarn__write(&w, water->quiet, 3 * (size_t)water->tiles_x * (size_t)water->tiles_z);
    float* fields[MOST_FIELDS];
    int n = state_fields(water, fields);
    for (int f = 0; f < n; ++f) {
        for (int k = 0; k < water->def.nz; ++k) {
            tarn__write(&w, fields[f] + shallow_cell(water, 0, k),
                        (size_t)water->def.nx * sizeof(float));
        }
    }
    return tarn__snapshot_end(water->ctx, &w, "shallow", def_hash(water), size);
}

// Everything in a snapshot before its fields.
typedef struct Head {
    double scalars[SCALARS];
    int32_t ints[INTS];
    TarnShallowParams params;
    ShallowSpan spans[TARN_SHALLOW_MAX_SPANS];
    const char* hydrographs[TARN_SHALLOW_MAX_SPANS]; // times, then values
    ShallowGate gates[TARN_SHALLOW_MAX_GATES];
    int n_times;
    ShallowExtremes edited, known;
    const char* incoming;
    const uint8_t* tiles;
} Head;

static bool are_between(const char* floats, size_t n, float lo, float hi)
{
    for (size_t c = 0; c < n; ++c) {
        float x;
        memcpy(&x, floats + c * sizeof x, sizeof x); // any alignment
        if (!(x >= lo && x <= hi)) return false;
    }
    return true;
}

static bool are_extremes(const ShallowExtremes* x)
{
    return tarn__all_within(x, sizeof *x / sizeof(float), 1e8f) && x->h >= 0.0f &&
           x->u_min <= 0.0f && x->u_max >= 0.0f && x->w_min <= 0.0f && x->w_max >= 0.0f;
}

static bool is_hydrograph(const char* points, int n)
{
    float last = 0.0f;
    for (int t = 0; t < n; ++t) {
        float time, value; // any alignment
        memcpy(&time, points + (size_t)t * sizeof time, sizeof time);
        memcpy(&value, points + (size_t)(n + t) * sizeof value, sizeof value);
        if (!tarn__shallow_is_point(time, value) || (t > 0 && !(time > last))) return false;
        last = time;
    }
    return true;
}

static bool read_span(const TarnShallow* water, TarnReader* r, Head* head, int s)
{
    ShallowSpan* span = &head->spans[s];
    *span = (ShallowSpan){ .def = tarn_shallow_default_span(), .first = head->n_times };
    bool is_good = tarn__read_table(r, tarn_shallow_span_table(), &span->def);
    uint32_t n = tarn__read_u32(r);
    if (!is_good || r->is_bad || n > TARN_SHALLOW_MAX_HYDROGRAPH ||
        head->n_times + (int)n > SHALLOW_HYDROGRAPHS)
        return false;
    span->count = span->def.n_times = (int)n;
    head->n_times += (int)n;
    head->hydrographs[s] = tarn__read_view(r, 2 * (size_t)n * sizeof(float));
    return head->hydrographs[s] && is_hydrograph(head->hydrographs[s], (int)n) &&
           tarn__shallow_check_span(water, &span->def) == TARN_OK;
}

static bool read_gate(TarnReader* r, ShallowGate* gate)
{
    int32_t cells[4];
    TarnShallowGateDef def = tarn_shallow_default_gate();
    bool is_good = tarn__read_table(r, tarn_shallow_gate_table(), &def);
    tarn__read(r, cells, sizeof cells);
    for (int c = 0; c < 4; ++c)
        is_good = is_good && cells[c] >= -2 * SHALLOW_FAR && cells[c] <= 2 * SHALLOW_FAR;
    *gate = (ShallowGate){ def, cells[0], cells[1], cells[2], cells[3] };
    return is_good && !r->is_bad && cells[0] < cells[1] && cells[2] < cells[3];
}

static bool read_children(const TarnShallow* water, TarnReader* r, Head* head)
{
    bool is_good = head->ints[3] >= 0 && head->ints[3] <= TARN_SHALLOW_MAX_SPANS &&
                   head->ints[4] >= 0 && head->ints[4] <= TARN_SHALLOW_MAX_GATES;
    head->n_times = 0;
    for (int s = 0; is_good && s < head->ints[3]; ++s) is_good = read_span(water, r, head, s);
    for (int g = 0; is_good && g < head->ints[4]; ++g) is_good = read_gate(r, &head->gates[g]);
    return is_good;
}

static bool read_head(const TarnShallow* water, TarnReader* r, Head* head)
{
    tarn__read(r, head->scalars, sizeof head->scalars);
    tarn__read(r, head->ints, sizeof head->ints);
    head->params = tarn_shallow_default_params();
    bool is_good = tarn__read_table(r, tarn_shallow_params_table(), &head->params) &&
                   read_children(water, r, head);
    if (r->is_bad || !is_good) return false;
    size_t tiles = (size_t)water->tiles_x * (size_t)water->tiles_z;
    tarn__read(r, &head->edited, sizeof head->edited);
    tarn__read(r, &head->known, sizeof head->known);
    head->incoming = tarn__read_view(r, out_bytes(water));
    head->tiles = tarn__read_view(r, 3 * tiles);
    if (r->is_bad) return false;
    is_good = are_extremes(&head->edited) && are_extremes(&head->known) &&
              tarn__all_within(head->incoming, out_bytes(water) / sizeof(float), 1e6f);
    for (int s = 0; s < SCALARS; ++s)
        is_good = is_good && head->scalars[s] >= -1e18 && head->scalars[s] <= 1e18;
    is_good = is_good && head->scalars[SCALARS - 1] >= 0.0;
    for (int s = 6; s < 8; ++s) // rain and evaporation that are due are less than a grain
        is_good = is_good && head->scalars[s] >= 0.0 && head->scalars[s] <= (double)water->grain;
    is_good = is_good && fabs(head->scalars[8]) <= 1e6;
    for (int s = 0; s < 2; ++s)
        is_good = is_good && head->ints[s] > -(1 << 24) && head->ints[s] < 1 << 24;
    is_good = is_good && (head->ints[5] & ~1) == 0;
    for (size_t t = 0; t < tiles; ++t) {
        is_good = is_good && head->tiles[t] <= SHALLOW_CALM_CHECKS && head->tiles[tiles + t] <= 1 &&
                  head->tiles[2 * tiles + t] <= 1;
    }
    return is_good;
}

// The solver takes its next substep by what it knows of the speeds, and a cell gives more than it has if they
// are larger. So nothing may flow faster than that but through the boundary faces, which are set anew; a
// hundredth is for rounding.
static bool are_speeds_known(const TarnShallow* water, const Head* head, const char* u,
                             const char* w)
{
    const ShallowExtremes *a = &head->known, *b = &head->edited;
    const float slack = 1.01f, least = 1e-6f;
    float u_min = slack * tarn_minf(a->u_min, b->u_min) - least;
    float u_max = slack * tarn_maxf(a->u_max, b->u_max) + least;
    float w_min = slack * tarn_minf(a->w_min, b->w_min) - least;
    float w_max = slack * tarn_maxf(a->w_max, b->w_max) + least;
    if (head->ints[5]) u_min = w_min = -1e5f, u_max = w_max = 1e5f; // it will look for itself
    size_t nx = (size_t)water->def.nx, nz = (size_t)water->def.nz;
    for (size_t k = 0; k < nz; ++k) {
        if (!are_between(u + (k * nx + 1) * sizeof(float), nx - 1, u_min, u_max)) return false;
    }
    return are_between(w + nx * sizeof(float), (nz - 1) * nx, w_min, w_max);
}

// Fields in the order of state_fields.
static bool are_fields_good(const TarnShallow* water, const Head* head,
                            const char* const sources[MOST_FIELDS])
{
    size_t cells = (size_t)water->def.nx * (size_t)water->def.nz;
    bool is_good = are_between(sources[0], cells, 0.0f, 1e8f) &&
                   are_between(sources[1], cells, -1e5f, 1e5f) &&
                   are_between(sources[2], cells, -1e5f, 1e5f) &&
                   are_between(sources[3], cells, -shallow_limit, shallow_limit);
    if (is_good && water->load)
        is_good = are_between(sources[4], cells, 0.0f, 2.0f * water->def.max_depth) &&
                  are_between(sources[5], cells, -1e8f, 1e8f);
    int thrown = water->load ? 6 : 4;
    if (is_good && water->falls)
        is_good = are_between(sources[thrown], cells, 0.0f, 1e8f) &&
                  are_between(sources[thrown + 1], cells, 0.0f, 1e8f);
    return is_good && are_speeds_known(water, head, sources[1], sources[2]);
}

static void apply_children(TarnShallow* water, const Head* head)
{
    water->n_spans = head->ints[3], water->n_gates = head->ints[4];
    water->n_times = head->n_times;
    memcpy(water->spans, head->spans, (size_t)water->n_spans * sizeof *water->spans);
    memcpy(water->gates, head->gates, (size_t)water->n_gates * sizeof *water->gates);
    for (int s = 0; s < water->n_spans; ++s) {
        const ShallowSpan* span = &water->spans[s];
        size_t bytes = (size_t)span->count * sizeof(float);
        memcpy(water->times + span->first, head->hydrographs[s], bytes);
        memcpy(water->values + span->first, head->hydrographs[s] + bytes, bytes);
    }
}

static void apply_head(TarnShallow* water, const Head* head)
{
    ShallowSums* s = &water->sums;
    const double* d = head->scalars;
    s->initial = d[0], s->edges = d[1], s->sources = d[2], s->rain = d[3], s->evaporated = d[4];
    s->window = d[5], water->rain_due = d[6], water->evaporation_due = d[7];
    water->source_due = d[8], water->time = d[9];
    water->shift_i = head->ints[0], water->shift_k = head->ints[1];
    water->ticks = (uint32_t)head->ints[2], water->is_unknown = head->ints[5];
    water->params = head->params;
    water->edited = head->edited;
    water->known = head->known;
    memcpy(water->incoming[0], head->incoming, out_bytes(water));
    apply_children(water, head);
}

static void put_fields(TarnShallow* water, const char* const sources[MOST_FIELDS])
{
    float* fields[MOST_FIELDS];
    int n = state_fields(water, fields);
    size_t row = (size_t)water->def.nx * sizeof(float);
    for (int f = 0; f < n; ++f) {
        for (int k = 0; k < water->def.nz; ++k)
            memcpy(fields[f] + shallow_cell(water, 0, k), sources[f] + (size_t)k * row, row);
    }
}

TarnResult tarn_shallow_load(TarnShallow* water, const void* buffer, size_t size)
{
    if (water == NULL) return TARN_ERR_ARG;
    TarnReader r;
    TARN_TRY(tarn__snapshot_open(water->ctx, buffer, size, "shallow", def_hash(water), &r));
    Head head;
    bool is_good = read_head(water, &r, &head);
    float* fields[MOST_FIELDS];
    const char* sources[MOST_FIELDS];
    int n = state_fields(water, fields);
    size_t cells = (size_t)water->def.nx * (size_t)water->def.nz;
    for (int f = 0; is_good && f < n; ++f) {
        sources[f] = tarn__read_view(&r, cells * sizeof(float));
        is_good = !r.is_bad;
    }
    is_good = is_good && r.at == r.size && are_fields_good(water, &head, sources);
    if (!is_good) {
        return tarn__fail(
            water->ctx, TARN_ERR_DATA,
            "shallow: the snapshot is damaged: it contains values that no run can produce");
    }
    apply_head(water, &head);
    put_fields(water, sources);
    // Sleeping tiles are equal in both sets of fields.
    size_t bytes = shallow_floats(water) * sizeof(float), first = shallow_first(water);
    memcpy(water->h1 - first, water->h - first, bytes);
    memcpy(water->u1 - first, water->u - first, bytes);
    memcpy(water->w1 - first, water->w - first, bytes);
    tarn__shallow_clear_discharge(water);
    tarn__shallow_map_spans(water);
    tarn__shallow_update_bed(water, 0, water->def.nx, 0, water->def.nz);
    if (water->falls) tarn__shallow_find_falls(water);
    size_t tiles = 3 * (size_t)water->tiles_x * (size_t)water->tiles_z;
    memcpy(water->quiet, head.tiles, tiles);
    tarn__shallow_fill_edges(water); // for readers of the boundary faces
    put_fields(water, sources);      // some of these are state: as they were saved
    memcpy(water->quiet, head.tiles, tiles);
    return TARN_OK;
}
