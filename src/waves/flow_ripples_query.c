// Ripples that flow along: reading, hash, snapshots.

#include "waves/flow_ripples_internal.h"
#include "base/param.h"
#include "base/snapshot.h"
#include <math.h>

const TarnFlowRipplesDef* tarn_flow_ripples_def(const TarnFlowRipples* r)
{
    return &r->def;
}
double tarn_flow_ripples_time(const TarnFlowRipples* r)
{
    return r->time;
}

static TarnView2 cells_of(const TarnFlowRipples* r, const float* data)
{
    return (TarnView2){ .data = data, .nx = r->def.nx, .nz = r->def.nz, .stride = r->def.nx };
}
TarnView2 tarn_flow_ripples_tile(const TarnFlowRipples* r)
{
    return (TarnView2){
        .data = r->tile[0], .nx = r->def.tile, .nz = r->def.tile, .stride = r->def.tile
    };
}
TarnView2 tarn_flow_ripples_strength(const TarnFlowRipples* r)
{
    return cells_of(r, r->strength);
}

// Triangles, a third of a period apart, over the root of the sum of their squares.
static float weight_of(const TarnFlowRipples* r, int n)
{
    float w[RIPPLE_COPIES], sum = 0.0f;
    for (int c = 0; c < RIPPLE_COPIES; ++c) {
        w[c] = 1.0f - fabsf(2.0f * r->age[c] - 1.0f);
        sum += w[c] * w[c];
    }
    return w[n] / sqrtf(sum + 1e-12f);
}

static TarnVec2 offset_of(const TarnFlowRipples* r, int n)
{
    uint64_t born = (uint64_t)r->born[n], stream = 1000 + (uint64_t)n;
    return (TarnVec2){ r->def.tile_size * tarn__random01((uint64_t)r->def.seed, stream, 2 * born),
                       r->def.tile_size *
                           tarn__random01((uint64_t)r->def.seed, stream, 2 * born + 1) };
}

TarnResult tarn_flow_ripples_copy(const TarnFlowRipples* r, int n, TarnFlowRipplesCopy* out)
{
    if (r == NULL || out == NULL) return TARN_ERR_ARG;
    *out = (TarnFlowRipplesCopy){ 0 };
    if (n < 0 || n >= RIPPLE_COPIES)
        return tarn__fail(r->ctx, TARN_ERR_ARG,
                          "flow_ripples: there is no copy %d; they are 0 to %d", n,
                          RIPPLE_COPIES - 1);
    *out = (TarnFlowRipplesCopy){ .weight = weight_of(r, n),
                                  .offset = offset_of(r, n),
                                  .shift_x = cells_of(r, r->shift[n][0]),
                                  .shift_z = cells_of(r, r->shift[n][1]),
                                  .fade = cells_of(r, r->fade[n]) };
    return TARN_OK;
}

// ---- Surface -------------------------------------------------------------------------------------

// Four samples of a field around a place and what each counts.
typedef struct Patch {
    size_t at[4];
    float w[4];
} Patch;

static Patch patch_of(float fx, float fz, int ix, int iz, int jx, int jz, int stride)
{
    size_t a = (size_t)iz * (size_t)stride, b = (size_t)jz * (size_t)stride;
    return (
        Patch){ .at = { a + (size_t)ix, a + (size_t)jx, b + (size_t)ix, b + (size_t)jx },
                .w = { (1.0f - fx) * (1.0f - fz), fx * (1.0f - fz), (1.0f - fx) * fz, fx * fz } };
}

static float read_patch(const float* field, const Patch* p)
{
    return field[p->at[0]] * p->w[0] + field[p->at[1]] * p->w[1] + field[p->at[2]] * p->w[2] +
           field[p->at[3]] * p->w[3];
}

static Patch in_cells(const TarnFlowRipples* r, float x, float z)
{
    float gx = tarn_clampf((x - r->def.origin.x) / r->def.dx - 0.5f, 0.0f, (float)(r->def.nx - 1));
    float gz = tarn_clampf((z - r->def.origin.y) / r->def.dx - 0.5f, 0.0f, (float)(r->def.nz - 1));
    int ix = (int)gx, iz = (int)gz;
    int jx = ix + 1 < r->def.nx ? ix + 1 : ix, jz = iz + 1 < r->def.nz ? iz + 1 : iz;
    return patch_of(gx - (float)ix, gz - (float)iz, ix, iz, jx, jz, r->def.nx);
}

static Patch in_tile(const TarnFlowRipples* r, float x, float z)
{
    int n = r->def.tile;
    float gx = x / r->def.tile_size, gz = z / r->def.tile_size;
    gx = (gx - floorf(gx)) * (float)n, gz = (gz - floorf(gz)) * (float)n;
    int ix = (int)gx & (n - 1), iz = (int)gz & (n - 1);
    return patch_of(gx - floorf(gx), gz - floorf(gz), ix, iz, (ix + 1) & (n - 1),
                    (iz + 1) & (n - 1), n);
}

// Slopes turn and stretch with the coordinates, but where they are stretched much they have faded: that is left out.
static void query(const void* self, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    const TarnFlowRipples* r = self;
    float weight[RIPPLE_COPIES];
    TarnVec2 offset[RIPPLE_COPIES];
    for (int c = 0; c < RIPPLE_COPIES; ++c)
        weight[c] = weight_of(r, c), offset[c] = offset_of(r, c);
    for (int i = 0; i < n; ++i) {
        float px = tarn_clampf(x[i], -1e7f, 1e7f), pz = tarn_clampf(z[i], -1e7f, 1e7f);
        Patch here = in_cells(r, px, pz);
        float strength = read_patch(r->strength, &here), h = 0.0f, sx = 0.0f, sz = 0.0f;
        for (int c = 0; c < RIPPLE_COPIES && strength > 0.0f; ++c) {
            float share = strength * weight[c] * read_patch(r->fade[c], &here);
            if (!(share > 0.0f)) continue;
            Patch t = in_tile(r, px + read_patch(r->shift[c][0], &here) + offset[c].x,
                              pz + read_patch(r->shift[c][1], &here) + offset[c].y);
            h += share * read_patch(r->tile[0], &t);
            if (out->normal == NULL) continue;
            sx += share * read_patch(r->tile[1], &t);
            sz += share * read_patch(r->tile[2], &t);
        }
        if (out->height) out->height[i] = h;
        if (out->depth) out->depth[i] = 1e6f;
        if (out->velocity) out->velocity[i] = (TarnVec3){ 0.0f, 0.0f, 0.0f };
        if (out->normal) out->normal[i] = vec3_normalize((TarnVec3){ -sx, 1.0f, -sz });
    }
}

static bool area(const void* self, TarnVec2* min, TarnVec2* max)
{
    const TarnFlowRipples* r = self;
    *min = r->def.origin;
    max->x = min->x + (float)r->def.nx * r->def.dx;
    max->y = min->y + (float)r->def.nz * r->def.dx;
    return true;
}

TarnSurface tarn_flow_ripples_surface(const TarnFlowRipples* r)
{
    return (TarnSurface){ .self = r, .query = query, .area = area };
}

// ---- Hash and snapshots --------------------------------------------------------------------------

// Per cell: shifts of all copies, then the strength. Fades follow from the shifts, but of the step before a change of
// parameters: they are saved, too.
enum { STATE_FIELDS = 3 * RIPPLE_COPIES + 1 };
static void list_fields(const TarnFlowRipples* r, float* out[STATE_FIELDS])
{
    int n = 0;
    for (int c = 0; c < RIPPLE_COPIES; ++c) {
        out[n++] = r->shift[c][0];
        out[n++] = r->shift[c][1];
        out[n++] = r->fade[c];
    }
    out[n] = r->strength;
}

uint64_t tarn_flow_ripples_hash(const TarnFlowRipples* r)
{
    float* fields[STATE_FIELDS];
    list_fields(r, fields);
    uint64_t h = tarn_hash(&r->time, sizeof r->time, 0);
    h = tarn_hash(r->age, sizeof r->age, h);
    h = tarn_hash(r->born, sizeof r->born, h);
    for (int f = 0; f < STATE_FIELDS; ++f)
        h = tarn_hash(fields[f], ripple_field_cells(r) * sizeof(float), h);
    for (int f = 0; f < 3; ++f) // a function of time: so that a hash covers it on other machines
        h = tarn_hash(r->tile[f], (size_t)r->def.tile * (size_t)r->def.tile * sizeof(float), h);
    return tarn__param_hash(tarn_flow_ripples_params_table(), &r->params, h);
}

static uint64_t def_hash(const TarnFlowRipples* r)
{
    return tarn__param_hash(tarn_flow_ripples_def_table(), &r->def, 0);
}

TarnResult tarn_flow_ripples_save(const TarnFlowRipples* r, void* buffer, size_t capacity,
                                  size_t* size)
{
    if (size != NULL) *size = 0;
    if (r == NULL) return TARN_ERR_ARG;
    if (size == NULL) return tarn__snapshot_no_size(r->ctx);
    TarnWriter w = tarn__snapshot_begin(buffer, capacity);
    float* fields[STATE_FIELDS];
    tarn__write_f64(&w, r->time);
    tarn__write(&w, r->age, sizeof r->age);
    tarn__write(&w, r->born, sizeof r->born);
    tarn__write_table(&w, tarn_flow_ripples_params_table(), &r->params);
    list_fields(r, fields);
    for (int f = 0; f < STATE_FIELDS; ++f)
        tarn__write(&w, fields[f], ripple_field_cells(r) * sizeof(float));
    return tarn__snapshot_end(r->ctx, &w, "flowripp", def_hash(r), size);
}

TarnResult tarn_flow_ripples_load(TarnFlowRipples* r, const void* buffer, size_t size)
{
    if (r == NULL) return TARN_ERR_ARG;
    TarnReader in;
    TARN_TRY(tarn__snapshot_open(r->ctx, buffer, size, "flowripp", def_hash(r), &in));
    double time = tarn__read_f64(&in);
    float age[RIPPLE_COPIES];
    int32_t born[RIPPLE_COPIES];
    TarnFlowRipplesParams params = r->params;
    const void* sources[STATE_FIELDS];
    size_t cells = ripple_field_cells(r);
    tarn__read(&in, age, sizeof age);
    tarn__read(&in, born, sizeof born);
    bool is_good = tarn__read_table(&in, tarn_flow_ripples_params_table(), &params);
    for (int f = 0; f < STATE_FIELDS; ++f) sources[f] = tarn__read_view(&in, cells * sizeof(float));
    is_good = is_good && !in.is_bad && in.at == in.size && time >= 0.0 && time <= 1e12;
    for (int c = 0; c < RIPPLE_COPIES; ++c)
        is_good =
            is_good && age[c] >= 0.0f && age[c] <= 1.0f && born[c] >= 0 && born[c] <= 0xffffff;
    for (int f = 0; is_good && f < STATE_FIELDS; ++f)
        is_good = tarn__all_within(sources[f], cells, 1e6f);
    if (!is_good)
        return tarn__fail(
            r->ctx, TARN_ERR_DATA,
            "flow_ripples: the snapshot is damaged: it contains values that no run can "
            "produce");
    float* fields[STATE_FIELDS];
    list_fields(r, fields);
    for (int f = 0; f < STATE_FIELDS; ++f) memcpy(fields[f], sources[f], cells * sizeof(float));
    memcpy(r->age, age, sizeof age);
    memcpy(r->born, born, sizeof born);
    r->time = time;
    r->params = params;
    tarn__flow_ripples_make_spectrum(r);
    tarn__flow_ripples_make_tile(r);
    return TARN_OK;
}
