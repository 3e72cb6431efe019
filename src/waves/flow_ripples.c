// Ripples that flow along: parameters, creation, the tile, the step.
//
// Method   [Chentanez2010] Coordinates of a periodic tile of waves are advected with the water, in three sets that are
//          set back a third of a period apart, and blended by triangular weights.
// Blend    Three independent copies: weights are divided by the root of the sum of their squares, so that the variance of
//          the ripples is the same at all times. Each new copy reads the tile at another offset.
// Stretch  exp(-stretching mu), mu the larger eigenvalue of Green's strain (F^T F - 1) / 2 of the coordinates, F = 1 + grad
//          shift.
// Tile     Waves of random phases around one length, k^-3 beyond it, that turn at omega^2 = (g k + s k^3): a pure function of
//          time, by one Fourier transform per step for heights and slopes.
// Checked  tests/physics/check_flow_ripples.c, tests/robust/test_wave_window_storms.c, tests/golden

#include "waves/flow_ripples_internal.h"
#include "base/def.h"
#include "base/param.h"
#include <math.h>

#define D TarnFlowRipplesDef
static const TarnParam def_params[] = {
    P_INT(D, nx, "cells", 2, 2048, 128, "Cells along x in which the flow is followed."),
    P_INT(D, nz, "cells", 2, 2048, 128, "Cells along z in which the flow is followed."),
    P_FLOAT(D, dx, "m", 1e-3, 1e3, 0.5,
            "Size of a cell; that of the water below is a good choice."),
    P_INT(D, detail, "", 1, 16, 4, "Samples of the ripples along a side of a cell when drawn."),
    P_VEC2(D, origin, "m", -1e6, 1e6, 0, 0, "World x and z of the corner of cell (0, 0)."),
    P_INT(D, tile, "samples", 64, 256, 128, "Samples along each side of the tile: 64, 128 or 256."),
    P_FLOAT(D, tile_size, "m", 1e-2, 1e4, 12, "Side of the tile; larger ones repeat less visibly."),
    P_FLOAT(D, wavelength, "m", 1e-3, 1e3, 1.2, "Length of the highest ripples."),
    P_FLOAT(D, gravity, "m/s^2", 1e-3, 1e3, 9.81, "Gravity, for the speed of ripples."),
    P_INT(D, seed, "", 0, 1000000000, 1, "Seed of the tile."),
};
#undef D
#define P TarnFlowRipplesParams
static const TarnParam params_params[] = {
    P_FLOAT(P, height, "m", 0, 10, 0.012, "Root mean square of the ripples in fast water."),
    P_FLOAT(P, calm, "", 0, 1, 0.25, "Share of the height that still water has, from the wind."),
    P_FLOAT(P, fast, "m/s", 0.01, 100, 2, "Speed at which the ripples are full."),
    P_FLOAT(P, shallow, "m", 1e-3, 100, 0.3, "Depth at which the ripples are full."),
    P_FLOAT(P, period, "s", 0.1, 100, 4, "Time that a copy is carried before it begins anew."),
    P_FLOAT(P, stretching, "", 0, 100, 1.2,
            "How fast ripples fade where the flow stretches them; 0 never."),
    P_ANGLE(P, direction, "degrees", -360, 360, 0,
            "Direction in which ripples run over calm water, from +x towards +z."),
    P_FLOAT(P, spread, "", 0, 1, 0.7, "0 lets all run that way, 1 in all directions alike."),
};
#undef P
static const TarnParamTable def_table = PARAM_TABLE("flow_ripples", TarnFlowRipplesDef, def_params);
static const TarnParamTable params_table =
    PARAM_TABLE("flow_ripples", TarnFlowRipplesParams, params_params);

const TarnParamTable* tarn_flow_ripples_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_flow_ripples_params_table(void)
{
    return &params_table;
}
void tarn_flow_ripples_init_def(TarnFlowRipplesDef* out, size_t size)
{
    TarnFlowRipplesDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnFlowRipplesDef, out, size, &def);
}
TarnFlowRipplesParams tarn_flow_ripples_default_params(void)
{
    TarnFlowRipplesParams params;
    tarn_param_defaults(&params_table, &params);
    return params;
}

// ---- Create ------------------------------------------------------------------------------------

static TarnResult check_def(TarnContext* ctx, const TarnFlowRipplesDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "flow_ripples", "tarn/flow_ripples.h", TarnFlowRipplesDef,
                            tarn_flow_ripples_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &def_table, def));
    if ((def->tile & (def->tile - 1)) != 0)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "flow_ripples.tile: %d is not a power of two; use 64, 128 or 256",
                          def->tile);
    float shortest = 4.0f * def->tile_size / (float)def->tile;
    if (def->wavelength >= shortest && def->wavelength <= 0.5f * def->tile_size) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "flow_ripples.wavelength: %g m does not fit the tile; allowed: %g to %g m, "
                      "or change tile or tile_size",
                      (double)def->wavelength, (double)shortest, (double)(0.5f * def->tile_size));
}

// Places all arrays; with base NULL it only counts.
static size_t lay_out(const TarnFlowRipplesDef* def, TarnFlowRipples* r, char* base)
{
    TarnLayout layout = { 0 };
    size_t cells = (size_t)def->nx * (size_t)def->nz, tile = (size_t)def->tile * (size_t)def->tile;
    size_t f = sizeof(float);
    tarn__layout_place(&layout, base, 1, sizeof(TarnFlowRipples));
    for (int c = 0; c < RIPPLE_COPIES; ++c) {
        for (int a = 0; a < 2; ++a) r->shift[c][a] = tarn__layout_place(&layout, base, cells, f);
        r->fade[c] = tarn__layout_place(&layout, base, cells, f);
    }
    for (int a = 0; a < 2; ++a) r->next[a] = tarn__layout_place(&layout, base, cells, f);
    r->strength = tarn__layout_place(&layout, base, cells, f);
    r->velocity = tarn__layout_place(&layout, base, cells, sizeof(TarnVec3));
    r->depth = tarn__layout_place(&layout, base, cells, f);
    float** planes[] = { &r->start_re, &r->start_im, &r->omega };
    for (int i = 0; i < 3; ++i) *planes[i] = tarn__layout_place(&layout, base, tile, f);
    for (int i = 0; i < RIPPLE_FIELDS; ++i) {
        r->spec[i].re = tarn__layout_place(&layout, base, tile, f);
        r->spec[i].im = tarn__layout_place(&layout, base, tile, f);
        r->tile[i] = tarn__layout_place(&layout, base, tile, f);
    }
    void* fft = tarn__layout_place(&layout, base, 1, tarn__fft_size(def->tile, 0));
    if (base) r->fft = tarn__fft_place(r->ctx, def->tile, 0, fft);
    return layout.size;
}

size_t tarn_flow_ripples_memory(const TarnFlowRipplesDef* def)
{
    TarnFlowRipples counted = { 0 };
    return check_def(NULL, def) == TARN_OK ? lay_out(def, &counted, NULL) : 0;
}

TarnResult tarn_flow_ripples_create(TarnContext* ctx, const TarnFlowRipplesDef* def,
                                    TarnFlowRipples** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "tarn_flow_ripples_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    TarnFlowRipples counted = { 0 };
    size_t size = lay_out(def, &counted, NULL);
    TarnFlowRipples* r = tarn__alloc(ctx, size);
    if (r == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY,
                          "flow_ripples: out of memory for %d x %d cells (%zu bytes)", def->nx,
                          def->nz, size);
    r->ctx = ctx;
    r->memory = size;
    r->def = *def;
    r->params = tarn_flow_ripples_default_params();
    r->kernels = TARN_KERNELS_PICK(ctx->isa, tarn__flow_ripples_kernels);
    lay_out(def, r, (char*)r);
    tarn__flow_ripples_make_spectrum(r);
    tarn_flow_ripples_reset(r);
    *out = r;
    return TARN_OK;
}

void tarn_flow_ripples_destroy(TarnFlowRipples* r)
{
    if (r != NULL) tarn__free(r->ctx, r, r->memory);
}

TarnResult tarn_flow_ripples_set_params(TarnFlowRipples* r, const TarnFlowRipplesParams* params)
{
    if (r == NULL || params == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_param_validate(r->ctx, &params_table, params));
    r->params = *params;
    tarn__flow_ripples_make_spectrum(r);
    tarn__flow_ripples_make_tile(r);
    return TARN_OK;
}
TarnFlowRipplesParams tarn_flow_ripples_params(const TarnFlowRipples* r)
{
    return r->params;
}

void tarn_flow_ripples_reset(TarnFlowRipples* r)
{
    if (r == NULL) return;
    size_t cells = ripple_field_cells(r);
    r->time = 0.0;
    for (int c = 0; c < RIPPLE_COPIES; ++c) {
        r->born[c] = 0;
        r->age[c] = (float)c / (float)RIPPLE_COPIES;
        for (int a = 0; a < 2; ++a) memset(r->shift[c][a], 0, cells * sizeof(float));
        for (size_t i = 0; i < cells; ++i) r->fade[c][i] = 1.0f;
    }
    for (size_t i = 0; i < cells; ++i) r->strength[i] = r->params.calm * r->params.height;
    tarn__flow_ripples_make_tile(r);
}

// ---- The tile ------------------------------------------------------------------------------------

static float gauss(uint64_t seed, uint64_t n)
{
    float u = tarn__random01(seed, 77, 2 * n), v = tarn__random01(seed, 77, 2 * n + 1);
    return sqrtf(-2.0f * tarn_log(u + 1e-7f)) * tarn_cos(6.2831853f * v);
}

// Amplitudes of waves that run along +k. The sum of their squares is 1/2, so that heights have a variance of 1.
void tarn__flow_ripples_make_spectrum(TarnFlowRipples* r)
{
    int n = r->def.tile;
    double unit = 6.283185307179586 / (double)r->def.tile_size, sum = 0.0;
    double peak = 6.283185307179586 / (double)r->def.wavelength;
    float cx, cz;
    tarn_sincos(r->params.direction, &cz, &cx);
    for (int a = 0; a < n; ++a) {
        for (int b = 0; b < n; ++b) {
            size_t c = (size_t)a * (size_t)n + (size_t)b;
            double kx = unit * (a < n / 2 ? a : a - n), kz = unit * (b < n / 2 ? b : b - n);
            double k = sqrt(kx * kx + kz * kz), size = 0.0;
            bool is_edge = a == n / 2 || b == n / 2 || k == 0.0;
            if (!is_edge) {
                double along = (kx * (double)cx + kz * (double)cz) / k, q = peak / k;
                double toward = along > 0.0 ? along * along : 0.0;
                double share = (double)r->params.spread + (1.0 - (double)r->params.spread) * toward;
                size = share * (double)tarn_exp((float)(-1.25 * q * q)) * q * q * q;
            }
            r->omega[c] = (float)sqrt((double)r->def.gravity * k + 7.4e-5 * k * k * k);
            r->start_re[c] = (float)size * gauss((uint64_t)r->def.seed, 2 * c);
            r->start_im[c] = (float)size * gauss((uint64_t)r->def.seed, 2 * c + 1);
            sum +=
                (double)r->start_re[c] * r->start_re[c] + (double)r->start_im[c] * r->start_im[c];
        }
    }
    float scale = (float)(1.0 / sqrt(2.0 * sum + 1e-30));
    for (size_t c = 0; c < (size_t)n * (size_t)n; ++c) {
        r->start_re[c] *= scale;
        r->start_im[c] *= scale;
    }
}

// A row kx of all spectra: h(k) = h0(k) e^(-i w t) + conj h0(-k) e^(i w t), and i k h.
static void turn_row(int a, void* data)
{
    TarnFlowRipples* r = data;
    int n = r->def.tile;
    double unit = 6.283185307179586 / (double)r->def.tile_size;
    float angle[256] = { 0 }, sine[256], cosine[256];
    for (int b = 0; b < n; ++b) {
        double turns =
            (double)r->omega[(size_t)a * (size_t)n + (size_t)b] * r->time / 6.283185307179586;
        angle[b] = (float)(6.283185307179586 * (turns - floor(turns)));
    }
    r->kernels->turn(angle, n, sine, cosine);
    for (int b = 0; b < n; ++b) {
        size_t c = (size_t)a * (size_t)n + (size_t)b;
        size_t m = (size_t)((n - a) % n) * (size_t)n + (size_t)((n - b) % n);
        float s = sine[b], co = cosine[b];
        float re =
            r->start_re[c] * co + r->start_im[c] * s + r->start_re[m] * co + r->start_im[m] * s;
        float im =
            r->start_im[c] * co - r->start_re[c] * s - r->start_im[m] * co + r->start_re[m] * s;
        bool is_edge = a == n / 2 || b == n / 2;
        float kx = is_edge ? 0.0f : (float)(unit * (a < n / 2 ? a : a - n));
        float kz = is_edge ? 0.0f : (float)(unit * (b < n / 2 ? b : b - n));
        r->spec[0].re[c] = re, r->spec[0].im[c] = im;
        r->spec[1].re[c] = -kx * im, r->spec[1].im[c] = kx * re;
        r->spec[2].re[c] = -kz * im, r->spec[2].im[c] = kz * re;
        r->spec[3].re[c] = r->spec[3].im[c] = 0.0f; // transforms take pairs
    }
}

void tarn__flow_ripples_make_tile(TarnFlowRipples* r)
{
    tarn__parallel_for(r->ctx, r->def.tile, turn_row, r);
    tarn__fft_inverse_real(r->fft, RIPPLE_FIELDS, r->spec, r->tile);
}

// ---- Step ----------------------------------------------------------------------------------------

typedef struct CarryJob {
    TarnFlowRipples* r;
    int copy;
    float dt;
} CarryJob;

// shift'(x) = shift(x - v dt) - v dt: what is here was there.
static void carry_row(int k, void* data)
{
    const CarryJob* job = data;
    TarnFlowRipples* r = job->r;
    int nx = r->def.nx, nz = r->def.nz;
    float reach = 0.45f * r->def.tile_size; // no copy is of use beyond
    for (int i = 0; i < nx; ++i) {
        size_t c = (size_t)k * (size_t)nx + (size_t)i;
        TarnVec3 v = r->velocity[c];
        float x = tarn_clampf((float)i - v.x * job->dt / r->def.dx, 0.0f, (float)(nx - 1) - 1e-3f);
        float z = tarn_clampf((float)k - v.z * job->dt / r->def.dx, 0.0f, (float)(nz - 1) - 1e-3f);
        int ix = (int)x, iz = (int)z;
        float fx = x - (float)ix, fz = z - (float)iz;
        size_t at = (size_t)iz * (size_t)nx + (size_t)ix, up = at + (size_t)nx;
        for (int a = 0; a < 2; ++a) {
            const float* s = r->shift[job->copy][a];
            float near = s[at] + fx * (s[at + 1] - s[at]), far = s[up] + fx * (s[up + 1] - s[up]);
            float way = (a ? v.z : v.x) * job->dt;
            r->next[a][c] =
                tarn_clampf(near + fz * (far - near) - way, -reach * 8.0f, reach * 8.0f);
        }
    }
}

// A row with eight values before and behind it, its ends repeated.
static const float* padded(const float* row, int n, float* to)
{
    memcpy(to + 8, row, (size_t)n * sizeof *to);
    for (int i = 0; i < 8; ++i) to[i] = row[0], to[8 + n + i] = row[n - 1];
    return to + 8;
}

static void fade_row(int k, void* data)
{
    const CarryJob* job = data;
    TarnFlowRipples* r = job->r;
    int nx = r->def.nx, nz = r->def.nz, k0 = k > 0 ? k - 1 : k, k1 = k < nz - 1 ? k + 1 : k;
    const int rows[3] = { k0, k, k1 };
    float lines[6][RIPPLE_ROW], per_x[RIPPLE_ROW], out[RIPPLE_ROW];
    RippleFade f = { .n = nx,
                     .per_x = per_x,
                     .per_z = 1.0f / ((float)(k1 - k0) * r->def.dx),
                     .stretching = r->params.stretching,
                     .out = out };
    for (int i = 0; i < nx + 8; ++i) per_x[i] = 0.5f / r->def.dx;
    per_x[0] = per_x[nx - 1] = 1.0f / r->def.dx;
    for (int t = 0; t < 3; ++t) {
        size_t at = (size_t)rows[t] * (size_t)nx;
        f.x[t] = padded(r->shift[job->copy][0] + at, nx, lines[t]);
        f.z[t] = padded(r->shift[job->copy][1] + at, nx, lines[3 + t]);
    }
    r->kernels->fade(&f);
    memcpy(r->fade[job->copy] + (size_t)k * (size_t)nx, out, (size_t)nx * sizeof *out);
}

static void ask_row(int k, void* data)
{
    const TarnFlowRipples* r = ((CarryJob*)data)->r;
    const TarnSurface* water = r->water;
    float x[256], z[256];
    for (int from = 0; from < r->def.nx; from += 256) {
        int n = r->def.nx - from < 256 ? r->def.nx - from : 256;
        size_t c = (size_t)k * (size_t)r->def.nx + (size_t)from;
        for (int i = 0; i < n; ++i) {
            x[i] = r->def.origin.x + ((float)(from + i) + 0.5f) * r->def.dx;
            z[i] = r->def.origin.y + ((float)k + 0.5f) * r->def.dx;
            r->velocity[c + (size_t)i] = (TarnVec3){ 0.0f, 0.0f, 0.0f };
            r->depth[c + (size_t)i] = 1e6f;
        }
        TarnSurfaceSamples out = { .velocity = r->velocity + c, .depth = r->depth + c };
        if (water && water->query) water->query(water->self, n, x, z, &out);
        for (int i = 0; i < n; ++i) {
            TarnVec3* v = &r->velocity[c + (size_t)i];
            v->x = v->x == v->x ? tarn_clampf(v->x, -1e3f, 1e3f) : 0.0f;
            v->z = v->z == v->z ? tarn_clampf(v->z, -1e3f, 1e3f) : 0.0f;
            float speed = sqrtf(v->x * v->x + v->z * v->z), depth = r->depth[c + (size_t)i];
            float full =
                r->params.calm + (1.0f - r->params.calm) * tarn_minf(speed / r->params.fast, 1.0f);
            float deep = tarn_clampf(depth / r->params.shallow, 0.0f, 1.0f);
            r->strength[c + (size_t)i] = r->params.height * full * deep;
        }
    }
}

static void carry_copy(TarnFlowRipples* r, int c, float dt)
{
    CarryJob job = { r, c, dt };
    size_t bytes = ripple_field_cells(r) * sizeof(float);
    r->age[c] += dt / r->params.period;
    if (r->age[c] >= 1.0f) { // it is not seen: its weight is 0
        r->age[c] -= floorf(r->age[c]);
        r->born[c] = (r->born[c] + 1) & 0xffffff;
        for (int a = 0; a < 2; ++a) memset(r->shift[c][a], 0, bytes);
        dt *= r->age[c] * r->params.period < dt ? r->age[c] * r->params.period / dt : 1.0f;
        job.dt = dt;
    }
    tarn__parallel_for(r->ctx, r->def.nz, carry_row, &job);
    for (int a = 0; a < 2; ++a) memcpy(r->shift[c][a], r->next[a], bytes);
    tarn__parallel_for(r->ctx, r->def.nz, fade_row, &job);
}

TarnResult tarn_flow_ripples_step(TarnFlowRipples* r, const TarnSurface* water, float dt,
                                  TarnStepReport* report)
{
    if (report) *report = (TarnStepReport){ 0 };
    if (r == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f))
        return tarn__fail(r->ctx, TARN_ERR_ARG,
                          "tarn_flow_ripples_step: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    if (report) *report = (TarnStepReport){ .substeps = 1, .time_advanced = (double)dt };
    if (dt == 0.0f) return TARN_OK;
    CarryJob ask = { .r = r };
    r->water = water;
    tarn__parallel_for(r->ctx, r->def.nz, ask_row, &ask);
    r->water = NULL;
    for (int c = 0; c < RIPPLE_COPIES; ++c) carry_copy(r, c, dt);
    r->time += (double)dt;
    tarn__flow_ripples_make_tile(r);
    return TARN_OK;
}
