// Dispersive waves in a window: parameters, creation, the step.
//
// Method   Linear water waves: heights eta and the potential phi at the surface. In Fourier space each wave is an
//          oscillator with omega^2 = (g k + s k^3) tanh(k depth) [Lamb1932], which is advanced exactly:
//              eta' = cos(omega dt) eta + K / omega sin(omega dt) phi,   K = k tanh(k depth),
//              phi' = cos(omega dt) phi - omega / K sin(omega dt) eta.
//          eta + i phi is one complex field, so that a step is one transform there and one back.
// Rim      The transforms join opposite sides. In the rim both fields decay, heights at a rate that grows to the middle
//          between the joined sides, potentials at a smaller one (make_sponge).
// Land     A shore or pier is a lid on the water: there eta is 0 and the lid presses on the water that would rise. Both
//          lower the energy, in this order: phi -= tau d eta/dt on land, one step down the gradient of the energy of motion
//          1/2 <phi, K phi>, whose largest curvature is pi sqrt(2) / dx; then eta = 0.
// Differs  from height fields that are convolved (Tessendorf's iWave): exact for any dt, and any depth.
// Checked  tests/physics/check_ripple.c, tests/robust/test_wave_window_storms.c, tests/golden.
// Cost     bench/bench_ripple.c

#include "waves/ripple_internal.h"
#include "base/def.h"
#include "base/param.h"
#include <math.h>

#define D TarnRippleDef
static const TarnParam def_params[] = {
    P_INT(D, n, "cells", 64, 1024, 256, "Cells along each side of the window; a power of two."),
    P_FLOAT(D, dx, "m", 1e-4, 1e3, 0.25, "Size of a cell; the shortest wave has about four."),
    P_VEC2(D, origin, "m", -1e6, 1e6, 0, 0, "World x and z of the corner of cell (0, 0)."),
    P_FLOAT(D, level, "m", -1e5, 1e5, 0, "Height y of calm water."),
    P_FLOAT(D, depth, "m", 1e-3, 1e4, 20,
            "Depth of the water; waves longer than twice the depth feel the bottom."),
    P_FLOAT(D, gravity, "m/s^2", 1e-3, 1e3, 9.81, "Gravity, for the speed of waves."),
    P_FLOAT(D, tension, "m^3/s^2", 0, 1, 7.4e-5,
            "Surface tension per density; it makes waves shorter than 2 cm faster."),
    P_INT(D, rim, "cells", 0, 256, 32,
          "Width of the absorbing rim, at most a quarter of the window; 0 joins opposite sides."),
    P_BOOL(D, use_bodies, 0, "Whether bodies float in it and make waves."),
};
#undef D
#define P TarnRippleParams
static const TarnParam params_params[] = {
    P_FLOAT(P, damping, "1/s", 0, 100, 0.02, "How fast waves decay."),
    P_FLOAT(P, density, "kg/m^3", 1, 1e5, 1000,
            "Density of the water, for pressures and impulses."),
    P_FLOAT(P, wave_gain, "", 0, 10, 1, "Share of what bodies displace and push that makes waves."),
    P_FLOAT(P, max_slope, "", 0.01, 10, 0.6,
            "Steepest slope that pushes may build up; real waves break at 0.44."),
};
#undef P
static const TarnParamTable def_table = PARAM_TABLE("ripple", TarnRippleDef, def_params);
static const TarnParamTable params_table = PARAM_TABLE("ripple", TarnRippleParams, params_params);

const TarnParamTable* tarn_ripple_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_ripple_params_table(void)
{
    return &params_table;
}
void tarn_ripple_init_def(TarnRippleDef* out, size_t size)
{
    TarnRippleDef def = { 0 };
    tarn_param_defaults(&def_table, &def);
    TARN_INIT_DEF(TarnRippleDef, out, size, &def);
}
TarnRippleParams tarn_ripple_default_params(void)
{
    TarnRippleParams params;
    tarn_param_defaults(&params_table, &params);
    return params;
}

// ---- Create ------------------------------------------------------------------------------------

static TarnResult check_def(TarnContext* ctx, const TarnRippleDef* def)
{
    TARN_TRY(TARN_CHECK_DEF(ctx, "ripple", "tarn/ripple.h", TarnRippleDef, tarn_ripple_default_def,
                            def));
    TARN_TRY(tarn_param_validate(ctx, &def_table, def));
    if ((def->n & (def->n - 1)) != 0)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "ripple.n: %d is not a power of two; use 64, 128, 256, 512 or 1024",
                          def->n);
    if (def->rim <= def->n / 4) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "ripple.rim: %d cells on each side leave too little of %d; allowed: 0 to %d",
                      def->rim, def->n, def->n / 4);
}

static int row_blocks(int n)
{
    return (n / 2 + 1 + RIPPLE_BLOCK - 1) / RIPPLE_BLOCK;
}

// Places all arrays; with base NULL it only counts.
static size_t lay_out(const TarnRippleDef* def, TarnRipple* r, char* base)
{
    TarnLayout layout = { 0 };
    size_t n = (size_t)def->n, cells = n * n, half = (n / 2 + 1) * n, f = sizeof(float);
    tarn__layout_place(&layout, base, 1, sizeof(TarnRipple));
    float** planes[] = { &r->eta, &r->was, &r->phi, &r->spec_re, &r->spec_im };
    for (int i = 0; i < 5; ++i) *planes[i] = tarn__layout_place(&layout, base, cells, f);
    float** tables[] = { &r->c, &r->p, &r->q };
    for (int i = 0; i < 3; ++i) *tables[i] = tarn__layout_place(&layout, base, half, f);
    for (int i = 0; i < 2; ++i) {
        r->sponge[i] = tarn__layout_place(&layout, base, n, f);
        r->keep[i] = tarn__layout_place(&layout, base, n, f);
    }
    r->work = tarn__layout_place(&layout, base, (size_t)row_blocks(def->n) * 4 * (n + 8), f);
    if (def->land) {
        r->rise = tarn__layout_place(&layout, base, half, f);
        r->rate = tarn__layout_place(&layout, base, cells, f);
        r->rate_im = tarn__layout_place(&layout, base, cells, f);
        r->lift = tarn__layout_place(&layout, base, cells, f);
        r->land = tarn__layout_place(&layout, base, cells, 1);
    }
    void* fft = tarn__layout_place(&layout, base, 1, tarn__fft_size(def->n, 0));
    if (base) r->fft = tarn__fft_place(r->ctx, def->n, 0, fft);
    return layout.size;
}

size_t tarn_ripple_memory(const TarnRippleDef* def)
{
    TarnRipple counted = { 0 };
    return check_def(NULL, def) == TARN_OK ? lay_out(def, &counted, NULL) : 0;
}

// Rates grow with the way s into the rim, 0 to 1, in units of the group speed of waves as long as the rim is wide, per width.
// Shorter ones are slower and lose more. Found by a search over factors, powers and shapes in a model in one dimension with
// a fixed wave number across it, for waves of 0.25 to 1 widths that come straight and at 20 and 45 degrees, in deep and
// shallow water. At 45 degrees and a length of one width 7 % returns; by an estimate no rates return less than about 1 %:
// what passes both rims is small only if almost all is lost within the first, and what grows so fast reflects waves whose
// length across the rim is 1.4 widths.
static void make_sponge(TarnRipple* r)
{
    const TarnRippleDef* def = &r->def;
    float wide = (float)(def->rim > 1 ? def->rim : 1) * def->dx, k = 6.2831853f / wide;
    float q = tarn_minf(k * def->depth, 10.0f), t = tarn_tanh(q);
    float group = 0.5f * (1.0f + q * (1.0f - t * t) / t) * sqrtf(def->gravity * t / k);
    for (int i = 0; i < def->n; ++i) {
        int from_edge = i < def->n - 1 - i ? i : def->n - 1 - i;
        float s = tarn_maxf(((float)def->rim - (float)from_edge - 0.5f) * def->dx / wide, 0.0f);
        float s2 = s * s, unit = group / wide;
        float heights = 15.8f * tarn_pow(s, 2.45f) * (1.0f + s2 * (0.73f * s2 - 0.53f));
        float potentials = 1.7f * tarn_pow(s, 0.8f) * (1.0f + s2 * (0.24f * s2 + 0.1f));
        r->sponge[0][i] = s > 0.0f ? heights * unit : 0.0f;
        r->sponge[1][i] = s > 0.0f ? potentials * unit : 0.0f;
    }
}

TarnResult tarn_ripple_create(TarnContext* ctx, const TarnRippleDef* def, TarnRipple** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "tarn_ripple_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    TarnRipple counted = { 0 };
    size_t size = lay_out(def, &counted, NULL);
    TarnRipple* r = tarn__alloc(ctx, size);
    if (r == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY,
                          "ripple: out of memory for %d x %d cells (%zu bytes)", def->n, def->n,
                          size);
    r->ctx = ctx;
    r->memory = size;
    r->def = *def;
    r->params = tarn_ripple_default_params();
    r->kernels = TARN_KERNELS_PICK(ctx->isa, tarn__ripple_kernels);
    lay_out(def, r, (char*)r);
    r->def.land = NULL;
    if (def->land) tarn_ripple_set_land(r, def->land);
    r->made_for = -1.0f;
    make_sponge(r);
    *out = r;
    return TARN_OK;
}

void tarn_ripple_destroy(TarnRipple* r)
{
    if (r != NULL) tarn__free(r->ctx, r, r->memory);
}

TarnResult tarn_ripple_set_params(TarnRipple* r, const TarnRippleParams* params)
{
    if (r == NULL || params == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_param_validate(r->ctx, &params_table, params));
    if (params->damping != r->params.damping) r->made_for = -1.0f;
    r->params = *params;
    return TARN_OK;
}
TarnRippleParams tarn_ripple_params(const TarnRipple* r)
{
    return r->params;
}

void tarn_ripple_reset(TarnRipple* r)
{
    if (r == NULL) return;
    float* planes[] = { r->eta, r->was, r->phi };
    for (int i = 0; i < 3; ++i) memset(planes[i], 0, ripple_cells(r) * sizeof(float));
    r->time = 0.0;
    r->dt = 0.0f;
}

TarnResult tarn_ripple_set_land(TarnRipple* r, const uint8_t* land)
{
    if (r == NULL) return TARN_ERR_ARG;
    if (land == NULL && r->land == NULL) return TARN_OK;
    if (r->land == NULL)
        return tarn__fail(r->ctx, TARN_ERR_UNSUPPORTED,
                          "ripple: it was created without land; give TarnRippleDef.land an array, "
                          "which may be all zero");
    for (size_t c = 0; c < ripple_cells(r); ++c) {
        r->land[c] = land && land[c];
        if (r->land[c]) r->eta[c] = r->was[c] = 0.0f;
    }
    return TARN_OK;
}

// ---- Step ----------------------------------------------------------------------------------------

typedef struct CoefficientJob {
    TarnRipple* r;
    float dt;
} CoefficientJob;

static void make_row(int kx, void* data)
{
    const CoefficientJob* job = data;
    TarnRipple* r = job->r;
    const TarnRippleDef* def = &r->def;
    int n = def->n;
    double unit = 6.283185307179586 / (n * (double)def->dx);
    float* row[] = { r->c + (size_t)kx * (size_t)n, r->p + (size_t)kx * (size_t)n,
                     r->q + (size_t)kx * (size_t)n };
    float keep = tarn_exp(-r->params.damping * job->dt); // both fields decay alike
    for (int j = 0; j < n; ++j) {
        double kz = j <= n / 2 ? j : j - n;
        double k = unit * sqrt((double)kx * kx + kz * kz);
        double rise = k * (double)tarn_tanh((float)(k * (double)def->depth)); // K
        double stiff = (double)def->gravity + (double)def->tension * k * k;
        double omega = sqrt(rise * stiff), turns = omega * (double)job->dt / 6.283185307179586;
        float s, c; // few waves turn more than once in a step, but any dt may come
        tarn_sincos((float)(6.283185307179586 * (turns - floor(turns))), &s, &c);
        double b = omega > 0.0 ? rise / omega * (double)s : 0.0;
        double d = omega > 0.0 ? omega / rise * (double)s : 0.0;
        row[0][j] = c * keep;
        row[1][j] = (float)(0.5 * (b + d)) * keep;
        row[2][j] = (float)(0.5 * (d - b)) * keep;
        if (r->rise) r->rise[(size_t)kx * (size_t)n + (size_t)j] = (float)rise;
    }
}

void tarn__ripple_make_coefficients(TarnRipple* r, float dt)
{
    if (r->made_for == dt) return;
    CoefficientJob job = { r, dt };
    tarn__parallel_for(r->ctx, r->def.n / 2 + 1, make_row, &job);
    for (int f = 0; f < 2; ++f)
        for (int i = 0; i < r->def.n; ++i) r->keep[f][i] = tarn_exp(-r->sponge[f][i] * dt);
    r->made_for = dt;
}

static void advance_block(int block, void* data)
{
    TarnRipple* r = data;
    int n = r->def.n, first = block * RIPPLE_BLOCK;
    for (int kx = first; kx < first + RIPPLE_BLOCK && kx <= n / 2; ++kx) {
        size_t at = (size_t)kx * (size_t)n, mirror = (size_t)((n - kx) % n) * (size_t)n;
        RippleRows rows = { .n = n,
                            .re = r->spec_re + at,
                            .im = r->spec_im + at,
                            .mirror_re = r->spec_re + mirror,
                            .mirror_im = r->spec_im + mirror,
                            .c = r->c + at,
                            .p = r->p + at,
                            .q = r->q + at,
                            .work = r->work + (size_t)block * 4 * (size_t)(n + 8) };
        if (r->land) {
            rows.rise = r->rise + at;
            rows.rate = r->rate + at, rows.mirror_rate = r->rate + mirror;
            rows.rate_im = r->rate_im + at, rows.mirror_rate_im = r->rate_im + mirror;
        }
        r->kernels->advance(&rows);
    }
}

// The rim, and the factor that the transforms leave.
static void fade_row(int k, void* data)
{
    TarnRipple* r = data;
    size_t at = ripple_cell(r, 0, k);
    float scale = 1.0f / ((float)r->def.n * (float)r->def.n);
    r->kernels->fade(r->eta + at, r->keep[0], r->keep[0][k] * scale, r->def.n);
    r->kernels->fade(r->phi + at, r->keep[1], r->keep[1][k] * scale, r->def.n);
}

// Lids on the water. Less than 2 / curvature lowers the energy, whatever the water does.
static void cover_row(int k, void* data)
{
    TarnRipple* r = data;
    float scale = 1.0f / ((float)r->def.n * (float)r->def.n);
    float tau = 1.5f * r->def.dx / 4.4428829f;
    size_t at = ripple_cell(r, 0, k);
    for (size_t c = at; c < at + (size_t)r->def.n; ++c) {
        if (!r->land[c]) continue;
        r->phi[c] -= tau * scale * r->lift[c];
        r->eta[c] = 0.0f;
    }
}

TarnResult tarn_ripple_step(TarnRipple* r, float dt, TarnStepReport* report)
{
    if (report) *report = (TarnStepReport){ 0 };
    if (r == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f))
        return tarn__fail(r->ctx, TARN_ERR_ARG,
                          "tarn_ripple_step: dt %g s is out of range; allowed: 0 to 10 s",
                          (double)dt);
    if (report) *report = (TarnStepReport){ .substeps = 1, .time_advanced = (double)dt };
    if (dt == 0.0f) return TARN_OK;
    float* was = r->was;
    FftField space = { r->eta, r->phi }, spec = { r->spec_re, r->spec_im };
    tarn__ripple_make_coefficients(r, dt);
    tarn__fft_forward(r->fft, 1, &space, &spec);
    tarn__parallel_for(r->ctx, row_blocks(r->def.n), advance_block, r);
    r->was = r->eta;
    r->eta = was;
    space.re = r->eta;
    tarn__fft_inverse(r->fft, 1, &spec, &space);
    if (r->land) { // the rates are real: what comes out beside them is nothing
        FftField rate = { r->rate, r->rate_im }, lift = { r->lift, r->spec_re };
        tarn__fft_inverse(r->fft, 1, &rate, &lift);
    }
    tarn__parallel_for(r->ctx, r->def.n, fade_row, r);
    if (r->land) tarn__parallel_for(r->ctx, r->def.n, cover_row, r);
    r->time += (double)dt;
    r->dt = dt;
    return TARN_OK;
}

// ---- Energy --------------------------------------------------------------------------------------

double tarn_ripple_energy(TarnRipple* r)
{
    int n = r->def.n;
    double unit = 6.283185307179586 / (n * (double)r->def.dx), sum = 0.0;
    FftField space = { r->eta, r->phi }, spec = { r->spec_re, r->spec_im };
    tarn__fft_forward(r->fft, 1, &space, &spec);
    for (int kx = 0; kx < n; ++kx) {
        for (int kz = 0; kz < n; ++kz) {
            size_t at = (size_t)kx * (size_t)n + (size_t)kz;
            size_t mirror = (size_t)((n - kx) % n) * (size_t)n + (size_t)((n - kz) % n);
            double x = kx <= n / 2 ? kx : kx - n, z = kz <= n / 2 ? kz : kz - n;
            double k = unit * sqrt(x * x + z * z);
            double rise = k * (double)tarn_tanh((float)(k * (double)r->def.depth));
            double stiff = (double)r->def.gravity + (double)r->def.tension * k * k;
            double re = r->spec_re[at], im = r->spec_im[at];
            double cre = r->spec_re[mirror], cim = -(double)r->spec_im[mirror];
            double eta = 0.25 * ((re + cre) * (re + cre) + (im + cim) * (im + cim));
            double phi = 0.25 * ((re - cre) * (re - cre) + (im - cim) * (im - cim));
            sum += 0.5 * (stiff * eta + rise * phi);
        }
    }
    double area = (double)r->def.dx * (double)r->def.dx;
    return sum * area / ((double)n * n);
}
