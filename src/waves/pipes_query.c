// Reading the pipe solver: views, surface queries, ledger, hash, snapshots.

#include "waves/pipes_internal.h"
#include "base/maths.h"
#include "base/param.h"
#include "base/snapshot.h"

static TarnView2 view(const TarnPipes* pipes, const float* field, int more_x, int more_z)
{
    if (field == NULL) return (TarnView2){ 0 };
    return (TarnView2){ field, pipes->def.nx + more_x, pipes->def.nz + more_z, pipes->stride };
}
TarnView2 tarn_pipes_depth(const TarnPipes* pipes)
{
    return view(pipes, pipes->d, 0, 0);
}
TarnView2 tarn_pipes_ground(const TarnPipes* pipes)
{
    return view(pipes, pipes->height, 0, 0);
}
TarnView2 tarn_pipes_soil(const TarnPipes* pipes)
{
    return view(pipes, pipes->soil, 0, 0);
}
TarnView2 tarn_pipes_sediment(const TarnPipes* pipes)
{
    return view(pipes, pipes->s, 0, 0);
}
TarnView2 tarn_pipes_discharge_x(const TarnPipes* pipes)
{
    return view(pipes, pipes->fx, 1, 0);
}
TarnView2 tarn_pipes_discharge_z(const TarnPipes* pipes)
{
    return view(pipes, pipes->fz, 0, 1);
}
TarnVec2 tarn_pipes_origin(const TarnPipes* pipes)
{
    return pipes->def.origin;
}
const TarnPipesDef* tarn_pipes_def(const TarnPipes* pipes)
{
    return &pipes->def;
}
double tarn_pipes_time(const TarnPipes* pipes)
{
    return pipes->time;
}

// The flow is that of the last substep, the depth what it left, in a draining cell next to nothing: no
// faster than a cell per substep, and thin water is taken for a little deeper.
static TarnVec2 cell_velocity(const TarnPipes* pipes, size_t c)
{
    float d = pipes->d[c], least = 1e-3f * pipes->def.dx;
    if (!(d > 0.0f) || !(pipes->dt > 0.0)) return (TarnVec2){ 0.0f, 0.0f };
    float scale = 0.5f / tarn_maxf(d, least), most = (float)((double)pipes->def.dx / pipes->dt);
    float u = (pipes->fx[c] + pipes->fx[c + 1]) * scale;
    float w = (pipes->fz[c] + pipes->fz[c + (size_t)pipes->stride]) * scale;
    return (TarnVec2){ tarn_clampf(u, -most, most), tarn_clampf(w, -most, most) };
}

TarnResult tarn_pipes_velocity(const TarnPipes* pipes, TarnVec2* out)
{
    if (pipes == NULL || out == NULL) return TARN_ERR_ARG;
    for (int k = 0; k < pipes->def.nz; ++k) {
        for (int i = 0; i < pipes->def.nx; ++i)
            *out++ = cell_velocity(pipes, pipes_cell(pipes, i, k));
    }
    return TARN_OK;
}

// ---- Surface -----------------------------------------------------------------------------------

// The surface is the triangle mesh over the cell centers, each square cut from (i + 1, k) to (i, k + 1),
// the same as of the other water; on dry land it is the ground. Normals are smooth: central differences
// at the centers, blended between them.

typedef struct Place {
    int i, k; // the square's first center
    float s, t;
} Place;

static int clamp_int(int i, int last)
{
    return i < 0 ? 0 : i > last ? last : i;
}

static Place locate(const TarnPipes* pipes, float x, float z)
{
    const TarnPipesDef* def = &pipes->def;
    float fx = tarn_clampf((x - def->origin.x) / def->dx - 0.5f, 0.0f, (float)(def->nx - 1));
    float fz = tarn_clampf((z - def->origin.y) / def->dx - 0.5f, 0.0f, (float)(def->nz - 1));
    Place at = { clamp_int((int)fx, def->nx - 2), clamp_int((int)fz, def->nz - 2), 0.0f, 0.0f };
    at.s = fx - (float)at.i;
    at.t = fz - (float)at.k;
    return at;
}

static float surface_at(const TarnPipes* pipes, int i, int k) // clamped to the grid
{
    size_t c = pipes_cell(pipes, clamp_int(i, pipes->def.nx - 1), clamp_int(k, pipes->def.nz - 1));
    return pipes->height[c] + pipes->d[c];
}
static float depth_at(const TarnPipes* pipes, int i, int k)
{
    return pipes->d[pipes_cell(pipes, i, k)];
}

static float on_triangle(const TarnPipes* pipes, const Place* p,
                         float (*field)(const TarnPipes*, int, int))
{
    float f10 = field(pipes, p->i + 1, p->k), f01 = field(pipes, p->i, p->k + 1);
    bool is_far = p->s + p->t > 1.0f;
    float corner = is_far ? field(pipes, p->i + 1, p->k + 1) : field(pipes, p->i, p->k);
    float along_x = is_far ? 1.0f - p->t : p->s, along_z = is_far ? 1.0f - p->s : p->t;
    return corner + along_x * (f10 - corner) + along_z * (f01 - corner);
}

static float blend(const float f[4], const Place* p)
{
    float low = f[0] + p->s * (f[1] - f[0]), high = f[2] + p->s * (f[3] - f[2]);
    return low + p->t * (high - low);
}

static TarnVec3 normal_at(const TarnPipes* pipes, const Place* p)
{
    float gx[4], gz[4], slope = 0.5f / pipes->def.dx;
    for (int n = 0; n < 4; ++n) {
        int i = p->i + n % 2, k = p->k + n / 2;
        gx[n] = slope * (surface_at(pipes, i + 1, k) - surface_at(pipes, i - 1, k));
        gz[n] = slope * (surface_at(pipes, i, k + 1) - surface_at(pipes, i, k - 1));
    }
    return vec3_normalize((TarnVec3){ -blend(gx, p), 1.0f, -blend(gz, p) });
}

static TarnVec3 velocity_at(const TarnPipes* pipes, const Place* p)
{
    float u[4], w[4];
    for (int n = 0; n < 4; ++n) {
        TarnVec2 v = cell_velocity(pipes, pipes_cell(pipes, p->i + n % 2, p->k + n / 2));
        u[n] = v.x;
        w[n] = v.y;
    }
    return (TarnVec3){ blend(u, p), 0.0f, blend(w, p) };
}

static void query(const void* self, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    const TarnPipes* pipes = self;
    for (int p = 0; p < n; ++p) {
        Place at = locate(pipes, x[p], z[p]);
        if (out->height) out->height[p] = on_triangle(pipes, &at, surface_at);
        if (out->depth) out->depth[p] = on_triangle(pipes, &at, depth_at);
        if (out->normal) out->normal[p] = normal_at(pipes, &at);
        if (out->velocity) out->velocity[p] = velocity_at(pipes, &at);
    }
}

TarnSurface tarn_pipes_surface(const TarnPipes* pipes)
{
    double area = (double)pipes->def.dx * (double)pipes->def.dx;
    return (TarnSurface){ .self = pipes,
                          .query = query,
                          .area = tarn__pipes_area,
                          .push = tarn__pipes_push,
                          .pour = tarn__pipes_pour,
                          .grain = (double)pipes->grain * area };
}

// ---- Ledger ------------------------------------------------------------------------------------

TarnPipesLedger tarn_pipes_ledger(const TarnPipes* pipes)
{
    double each = (double)pipes->grain * (double)pipes->def.dx * (double)pipes->def.dx; // a grain's
    int64_t water = tarn__pipes_count(pipes, pipes->d), ground = tarn__pipes_count_ground(pipes);
    int64_t sediment = pipes->s ? tarn__pipes_count(pipes, pipes->s) : 0;
    int64_t known = pipes->initial + pipes->rained - pipes->dried + pipes->edges + pipes->sources;
    int64_t was = pipes->ground_initial;
    return (TarnPipesLedger){
        .volume = (double)water * each,
        .initial = (double)pipes->initial * each,
        .rain = (double)pipes->rained * each,
        .evaporated = -(double)pipes->dried * each,
        .edges = (double)pipes->edges * each,
        .sources = (double)pipes->sources * each,
        .water_error = (double)(water - known) * each,
        .ground = (double)ground * each,
        .sediment = (double)sediment * each,
        .carried_out = (double)pipes->carried_out * each,
        .ground_error = (double)(ground + sediment + pipes->carried_out - was) * each,
    };
}

// ---- Hash and snapshots ------------------------------------------------------------------------

// What is state, with how many columns and rows of it.
typedef struct StateField {
    void* data;
    int nx, nz;
} StateField;

static int state_fields(const TarnPipes* pipes, StateField fields[6])
{
    int nx = pipes->def.nx, nz = pipes->def.nz, n = 0;
    fields[n++] = (StateField){ pipes->ground, nx, nz };
    fields[n++] = (StateField){ pipes->d, nx, nz };
    fields[n++] = (StateField){ pipes->fx, nx + 1, nz };
    fields[n++] = (StateField){ pipes->fz, nx, nz + 1 };
    if (pipes->s) fields[n++] = (StateField){ pipes->s, nx, nz };
    if (pipes->s) fields[n++] = (StateField){ pipes->soil, nx, nz };
    return n;
}
static char* field_row(const TarnPipes* pipes, const StateField* field, int k)
{
    return (char*)field->data + pipes_cell(pipes, 0, k) * 4;
}

enum { SCALARS = 5, COUNTS = 8 };

static void get_scalars(const TarnPipes* pipes, double scalars[SCALARS], int64_t counts[COUNTS])
{
    scalars[0] = pipes->time;
    scalars[1] = pipes->rain;
    scalars[2] = pipes->drying;
    scalars[3] = pipes->slip_time;
    scalars[4] = pipes->dt;
    counts[0] = pipes->initial;
    counts[1] = pipes->rained;
    counts[2] = pipes->dried;
    counts[3] = pipes->edges;
    counts[4] = pipes->sources;
    counts[5] = pipes->ground_initial;
    counts[6] = pipes->carried_out;
    counts[7] = pipes->tick;
}

uint64_t tarn_pipes_hash(const TarnPipes* pipes)
{
    StateField fields[6];
    int n = state_fields(pipes, fields);
    double scalars[SCALARS];
    int64_t counts[COUNTS];
    get_scalars(pipes, scalars, counts);
    uint64_t h = tarn_hash(counts, sizeof counts, tarn_hash(scalars, sizeof scalars, 0));
    for (int f = 0; f < n; ++f) {
        for (int k = 0; k < fields[f].nz; ++k)
            h = tarn_hash(field_row(pipes, &fields[f], k), (size_t)fields[f].nx * 4, h);
    }
    return tarn__param_hash(tarn_pipes_params_table(), &pipes->params, h);
}

static uint64_t def_hash(const TarnPipes* pipes)
{
    return tarn__param_hash(tarn_pipes_def_table(), &pipes->def, 0);
}

TarnResult tarn_pipes_save(const TarnPipes* pipes, void* buffer, size_t capacity, size_t* size)
{
    if (size != NULL) *size = 0;
    if (pipes == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(pipes->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    double scalars[SCALARS];
    int64_t counts[COUNTS];
    get_scalars(pipes, scalars, counts);
    tarn__write(&w, scalars, sizeof scalars);
    tarn__write(&w, counts, sizeof counts);
    tarn__write(&w, &pipes->params, sizeof pipes->params);
    StateField fields[6];
    int n = state_fields(pipes, fields);
    for (int f = 0; f < n; ++f) {
        for (int k = 0; k < fields[f].nz; ++k)
            tarn__write(&w, field_row(pipes, &fields[f], k), (size_t)fields[f].nx * 4);
    }
    return tarn__snapshot_end(pipes->ctx, &w, "pipes", def_hash(pipes), size);
}

// Whole numbers of grains from 0 to the most, which sums of a run can have reached.
static bool is_grains(const TarnPipes* pipes, const char* values, size_t n, float most)
{
    bool is_good = true;
    for (size_t c = 0; c < n; ++c) {
        float v;
        memcpy(&v, values + 4 * c, sizeof v);
        is_good = is_good && v >= 0.0f && v <= most &&
                  floorf(v * pipes->per_grain) == v * pipes->per_grain;
    }
    return is_good;
}
static bool is_ground(const char* values, size_t n)
{
    bool is_good = true;
    for (size_t c = 0; c < n; ++c) {
        int32_t v;
        memcpy(&v, values + 4 * c, sizeof v);
        is_good = is_good && v >= -(1 << 30) && v <= 1 << 30;
    }
    return is_good;
}

static bool is_loadable(const TarnPipes* pipes, const double* scalars, const int64_t* counts,
                        const StateField* fields, const char* const* sources, int n_fields)
{
    const float deep = 1e8f, full = 0x1p24f * pipes->grain; // water may pile up beyond max_depth
    bool is_good = true;
    for (int s = 0; s < SCALARS; ++s) is_good = is_good && scalars[s] >= 0.0 && scalars[s] <= 1e15;
    for (int n = 0; n < COUNTS - 1; ++n)
        is_good = is_good && counts[n] >= -((int64_t)1 << 60) && counts[n] <= (int64_t)1 << 60;
    is_good = is_good && counts[COUNTS - 1] >= 0 && counts[COUNTS - 1] <= UINT32_MAX;
    for (int f = 0; is_good && f < n_fields; ++f) {
        size_t n = (size_t)fields[f].nx * (size_t)fields[f].nz;
        void* data = fields[f].data;
        if (data == pipes->ground)
            is_good = is_ground(sources[f], n);
        else if (data == pipes->fx || data == pipes->fz)
            is_good = tarn__all_within(sources[f], n, 1e12f);
        else
            is_good = is_grains(pipes, sources[f], n, data == pipes->soil ? full : deep);
    }
    return is_good;
}

TarnResult tarn_pipes_load(TarnPipes* pipes, const void* buffer, size_t size)
{
    if (pipes == NULL) return TARN_ERR_ARG;
    TarnReader r;
    TARN_TRY(tarn__snapshot_open(pipes->ctx, buffer, size, "pipes", def_hash(pipes), &r));
    double scalars[SCALARS];
    int64_t counts[COUNTS];
    TarnPipesParams params;
    tarn__read(&r, scalars, sizeof scalars);
    tarn__read(&r, counts, sizeof counts);
    tarn__read(&r, &params, sizeof params);
    StateField fields[6];
    const char* sources[6];
    int n = state_fields(pipes, fields);
    for (int f = 0; f < n; ++f)
        sources[f] = tarn__read_view(&r, (size_t)fields[f].nx * (size_t)fields[f].nz * 4);
    bool is_good =
        !r.is_bad && r.at == r.size && is_loadable(pipes, scalars, counts, fields, sources, n);
    if (!is_good || tarn_param_validate(NULL, tarn_pipes_params_table(), &params) != TARN_OK) {
        return tarn__fail(
            pipes->ctx, TARN_ERR_DATA,
            "pipes: the snapshot is damaged: it contains values that no run can produce");
    }
    pipes->params = params;
    pipes->time = scalars[0], pipes->rain = scalars[1], pipes->drying = scalars[2];
    pipes->slip_time = scalars[3], pipes->dt = scalars[4];
    pipes->initial = counts[0], pipes->rained = counts[1], pipes->dried = counts[2];
    pipes->edges = counts[3], pipes->sources = counts[4], pipes->ground_initial = counts[5];
    pipes->carried_out = counts[6], pipes->tick = (uint32_t)counts[7];
    for (int f = 0; f < n; ++f) {
        size_t bytes = (size_t)fields[f].nx * 4;
        for (int k = 0; k < fields[f].nz; ++k)
            memcpy(field_row(pipes, &fields[f], k), sources[f] + (size_t)k * bytes, bytes);
    }
    tarn__pipes_fill_ghosts(pipes);
    tarn__pipes_draw_ground(pipes);
    tarn__pipes_find_deepest(pipes);
    return TARN_OK;
}
