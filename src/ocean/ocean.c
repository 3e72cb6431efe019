// The open sea: parameters, creation, time. Spectra are in ocean_spectrum.c, fields in ocean_fields.c.
//
// Method   [Tessendorf2001]: random amplitudes of a wind spectrum, each wave at its own speed, by Fourier transforms on
//          square tiles, with points moved towards crests. Cascades of tiles whose bands do not overlap.
// Differs  phases are whole turns and a rest within blocks of 16 s, so that floats suffice at any time; foam forms
//          where the surface is squeezed most, with a limit set by measured whitecap coverage [Monahan1980].
// Checked  tests/physics/check_ocean.c, tests/unit/test_ocean.c, tests/golden
// Cost     bench/bench_ocean.c, docs/performance.md

#include "ocean/ocean_internal.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"

static const char* const method_names[] = { "fft", "gerstner", "sines", NULL };
static const char* const spectrum_names[] = { "phillips", "pierson_moskowitz", "jonswap", "tma",
                                              NULL };
static const char* const spreading_names[] = { "cos2", "cos2s", "donelan_banner", NULL };

#define D TarnOceanDef
static const TarnParam def_params[] = {
    P_ENUM(D, method, method_names, 3, TARN_OCEAN_FFT,
           "All waves of the spectrum by Fourier transforms, or a fit by a number of waves."),
    P_INT(D, size, "", 64, 1024, 256,
          "Samples along each side of a cascade: 64, 128, 256, 512 or 1024."),
    P_INT(D, cascades, "", 1, 4, 3,
          "Tiles of falling size that together hold all waves; more reach shorter ones."),
    P_FLOAT(D, length, "m", 0, 1e5, 0,
            "Side of the largest tile; 0 is 12 wavelengths of the highest waves."),
    P_INT(D, waves, "", 1, 256, 24, "Number of waves of the methods gerstner and sines."),
    P_FLOAT(D, level, "m", -1e5, 1e5, 0, "Height y of calm water."),
    P_FLOAT(D, depth, "m", 0.1, 1e5, 200,
            "Depth of the water; waves longer than twice the depth are slower."),
    P_FLOAT(D, gravity, "m/s^2", 1e-3, 1e3, 9.81, "Gravity, which drives the waves."),
    P_INT(D, beaufort, "", -1, 12, 4,
          "Strength of the wind, which sets wind and fetch; -1 uses those given."),
    P_FLOAT(D, wind, "m/s", 0, 100, 7, "Wind 10 m above the water, if beaufort is -1."),
    P_FLOAT(D, fetch, "m", 100, 1e7, 1e5,
            "Distance over which the wind has blown, if beaufort is -1; more gives longer, higher "
            "waves."),
    P_ANGLE(D, direction, "degrees", -360, 360, 0,
            "Direction in which the wind blows, from +x towards +z."),
    P_ENUM(D, spectrum, spectrum_names, 4, TARN_OCEAN_JONSWAP, "Spectrum of the wind's waves."),
    P_ENUM(D, spreading, spreading_names, 3, TARN_OCEAN_COS2S,
           "How the waves spread around the direction of the wind."),
    P_FLOAT(D, swell_height, "m", 0, 30, 0,
            "Significant height of a swell from a distant storm; 0 is none."),
    P_FLOAT(D, swell_period, "s", 2, 40, 12, "Period of the swell's highest waves."),
    P_ANGLE(D, swell_direction, "degrees", -360, 360, 60,
            "Direction in which the swell runs, from +x towards +z."),
    P_FLOAT(D, loop, "s", 0, 3600, 0, "All but foam repeats after this time; 0 is never."),
    P_INT(D, seed, "", 0, 1e9, 1, "Seed of the random amplitudes."),
    P_BOOL(D, use_velocity, 1, "Computes the velocity of the water, which floating bodies need."),
    P_BOOL(D, use_foam, 1,
           "Keeps foam, and what pictures need for the normals of sharpened crests."),
    P_INT(D, warm_steps, "", 0, 256, 24,
          "Steps of 0.25 s that build foam at creation and after a seek."),
};
#undef D
#define P TarnOceanParams
static const TarnParam params_params[] = {
    P_FLOAT(P, choppiness, "", 0, 2, 1,
            "Displacement of points towards crests as a share of linear theory; larger values "
            "sharpen crests until they fold."),
    P_FLOAT(P, foam, "", 0, 10, 1,
            "Area covered by whitecaps, as a multiple of what is measured at this wind."),
    P_FLOAT(P, foam_time, "s", 0.05, 1000, 6, "Time after which foam has faded to a third."),
    P_FLOAT(P, foam_drift, "", 0, 1, 0.02, "Speed of foam as a share of the wind's."),
};
#undef P
static const TarnParamTable def_table = PARAM_TABLE("ocean", TarnOceanDef, def_params);
static const TarnParamTable params_table = PARAM_TABLE("ocean", TarnOceanParams, params_params);

const TarnParamTable* tarn_ocean_def_table(void)
{
    return &def_table;
}
const TarnParamTable* tarn_ocean_params_table(void)
{
    return &params_table;
}
void tarn_ocean_init_def(TarnOceanDef* def, size_t size)
{
    TarnOceanDef full = { 0 };
    tarn_param_defaults(&def_table, &full);
    TARN_INIT_DEF(TarnOceanDef, def, size, &full);
}
TarnOceanParams tarn_ocean_default_params(void)
{
    TarnOceanParams params = { 0 };
    tarn_param_defaults(&params_table, &params);
    return params;
}

static TarnResult check_def(TarnContext* ctx, const TarnOceanDef* def)
{
    TARN_TRY(
        TARN_CHECK_DEF(ctx, "ocean", "tarn/ocean.h", TarnOceanDef, tarn_ocean_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &def_table, def));
    if (tarn__fft_size(def->size, 0) == 0)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "ocean.size is %d; it must be a power of two: 64, 128, 256, 512 or 1024",
                          def->size);
    if (def->length > 0.0f && def->length < 1.0f)
        return tarn__fail(ctx, TARN_ERR_ARG, "ocean.length is %g m; it must be 0, or at least 1 m",
                          (double)def->length);
    return TARN_OK;
}

// ---- Memory --------------------------------------------------------------------------------------

static size_t lay_out(const TarnOceanDef* def, TarnOcean* ocean)
{
    TarnLayout layout = { 0 };
    TarnOcean none, *o = ocean ? ocean : &none;
    char* base = (char*)ocean;
    size_t cells = (size_t)def->size * (size_t)def->size;
    tarn__layout_add(&layout, sizeof(TarnOcean));
#define FLOATS(count) tarn__layout_place(&layout, base, count, sizeof(float))
    o->row = (def->size + 1) * OCEAN_SAMPLE;
    o->n_foams = def->use_foam ? (def->cascades < 2 ? def->cascades : 2) : 0;
    o->n_transforms = (def->use_foam ? 4 : 3) + (def->use_velocity ? 2 : 0);
    o->n_bases = (def->use_foam ? 5 : 4) + (def->use_velocity ? 3 : 0);
    for (int i = 0; i < def->cascades; ++i) {
        OceanCascade* c = &o->cascade[i];
        for (int p = 0; p < 4; ++p) c->wave[p] = FLOATS(cells / 2);
        c->turns = FLOATS(cells / 2), c->base = FLOATS(cells / 2);
        for (int p = 0; p < 3; ++p) c->fold[p] = def->use_foam ? FLOATS(cells) : NULL;
        c->sample = FLOATS((size_t)o->row * ((size_t)def->size + 1));
        c->foam = i < o->n_foams ? FLOATS(cells) : NULL;
    }
    o->inverse = FLOATS(cells / 2);
    o->fold = def->use_foam ? FLOATS(cells) : NULL;
    for (int t = 0; t < o->n_transforms; ++t) o->tiles[t] = FLOATS(2 * cells);
#undef FLOATS
    o->fft_memory = tarn__layout_place(&layout, base, tarn__fft_size(def->size, o->n_bases), 1);
    return layout.size;
}

size_t tarn_ocean_memory(const TarnOceanDef* def)
{
    return check_def(NULL, def) == TARN_OK ? lay_out(def, NULL) : 0;
}

// ---- Creation ------------------------------------------------------------------------------------

// Each tile is a share of the one before that is no simple fraction, so that their repetitions do not meet. The band of a
// tile begins where its waves fit in five times: fewer directions would show.
static void place_bands(TarnOcean* ocean)
{
    static const float mix[3] = { 1.0f, 0.937f, 1.058f };
    const TarnOceanDef* def = &ocean->def;
    const OceanSea* sea = &ocean->sea;
    const float two_pi = 6.2831853f;
    float longest = 1.0f;
    if (sea->wind > 0.0f) longest = two_pi / (float)tarn__ocean_wave_number(sea, sea->peak);
    if (sea->swell_scale > 0.0)
        longest = tarn_maxf(longest, two_pi / (float)tarn__ocean_wave_number(sea, sea->swell_peak));
    float length = def->length > 0.0f ? def->length : tarn_clampf(12.0f * longest, 1.0f, 1e5f);
    float ratio = tarn_clampf((float)def->size / 24.0f, 2.5f, 8.3f), k_min = 0.0f;
    for (int i = 0; i < def->cascades; ++i) {
        OceanCascade* c = &ocean->cascade[i];
        float next = i < 3 ? length / (ratio * mix[i]) : length;
        c->length = length;
        c->k_min = k_min;
        c->k_max = i + 1 < def->cascades ? 5.0f * two_pi / next
                                         : 0.5f * two_pi * (float)def->size / length;
        k_min = c->k_max, length = next;
    }
}

static void fill_inverse(TarnOcean* ocean)
{
    int n = ocean->def.size, half = n / 2;
    for (int ix = -half; ix < half; ++ix) {
        for (int iz = 0; iz < half; ++iz) {
            float r = sqrtf((float)(ix * ix + iz * iz));
            ocean->inverse[ocean_at(n, ix, iz)] = r > 0.0f ? 1.0f / r : 0.0f;
        }
    }
}

TarnResult tarn_ocean_create(TarnContext* ctx, const TarnOceanDef* def, TarnOcean** out)
{
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "tarn_ocean_create: out is NULL");
    *out = NULL;
    if (ctx == NULL) return TARN_ERR_ARG;
    TARN_TRY(check_def(ctx, def));
    size_t size = lay_out(def, NULL);
    TarnOcean* ocean = tarn__alloc(ctx, size);
    if (ocean == NULL)
        return tarn__fail(ctx, TARN_ERR_MEMORY,
                          "ocean: out of memory for %d cascades of %d x %d (%zu bytes)",
                          def->cascades, def->size, def->size, size);
    ocean->ctx = ctx;
    ocean->memory = size;
    ocean->def = *def;
    ocean->params = tarn_ocean_default_params();
    ocean->kernels = TARN_KERNELS_PICK(ctx->isa, tarn__ocean_kernels);
    lay_out(def, ocean);
    ocean->fft = tarn__fft_place(ctx, def->size, ocean->n_bases, ocean->fft_memory);
    ocean->sea = tarn__ocean_sea(def);
    place_bands(ocean);
    fill_inverse(ocean);
    tarn__ocean_make_waves(ocean);
    ocean->n_long = tarn_ocean_waves(ocean, 1.4f / def->depth, ocean->long_wave, OCEAN_LONG);
    for (int i = 0; i < def->cascades; ++i) ocean->cascade[i].block = INT64_MIN;
    tarn_ocean_reset(ocean);
    *out = ocean;
    return TARN_OK;
}

void tarn_ocean_destroy(TarnOcean* ocean)
{
    if (ocean != NULL) tarn__free(ocean->ctx, ocean, ocean->memory);
}

TarnResult tarn_ocean_set_params(TarnOcean* ocean, const TarnOceanParams* params)
{
    if (ocean == NULL || params == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_param_validate(ocean->ctx, &params_table, params));
    ocean->params = *params;
    tarn__ocean_evaluate(ocean, -1.0f);
    return TARN_OK;
}
TarnOceanParams tarn_ocean_params(const TarnOcean* ocean)
{
    return ocean->params;
}

// ---- Time ----------------------------------------------------------------------------------------

TarnResult tarn_ocean_step(TarnOcean* ocean, float dt, TarnStepReport* report)
{
    if (report) *report = (TarnStepReport){ 0 };
    if (ocean == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f))
        return tarn__fail(ocean->ctx, TARN_ERR_ARG, "tarn_ocean_step: dt is %g s; allowed: 0 to 10",
                          (double)dt);
    ocean->time += (double)dt;
    if (ocean->time > 1e9) ocean->time = 1e9; // centuries
    tarn__ocean_evaluate(ocean, dt);
    if (report) *report = (TarnStepReport){ .substeps = 1, .time_advanced = (double)dt };
    return TARN_OK;
}

static const double WARM_STEP = 0.25; // [s]

TarnResult tarn_ocean_seek(TarnOcean* ocean, double time)
{
    if (ocean == NULL) return TARN_ERR_ARG;
    if (!(time >= -1e9 && time <= 1e9))
        return tarn__fail(ocean->ctx, TARN_ERR_ARG,
                          "tarn_ocean_seek: time is %g s; allowed: -1e9 to 1e9", time);
    size_t bytes = (size_t)ocean->def.size * (size_t)ocean->def.size * sizeof(float);
    for (int i = 0; i < ocean->n_foams; ++i) memset(ocean->cascade[i].foam, 0, bytes);
    int n = ocean->n_foams > 0 ? ocean->def.warm_steps : 0;
    for (int i = n; i > 0; --i) {
        ocean->time = time - WARM_STEP * i;
        tarn__ocean_evaluate(ocean, (float)WARM_STEP);
    }
    ocean->time = time;
    tarn__ocean_evaluate(ocean, n > 0 ? (float)WARM_STEP : -1.0f);
    return TARN_OK;
}
void tarn_ocean_reset(TarnOcean* ocean)
{
    if (ocean != NULL) tarn_ocean_seek(ocean, 0.0);
}
double tarn_ocean_time(const TarnOcean* ocean)
{
    return ocean->time;
}
const TarnOceanDef* tarn_ocean_def(const TarnOcean* ocean)
{
    return &ocean->def;
}
