// Presets: grids, parameters, sources and jets for effects of a size.
//
// Method   Each is a row of numbers that were found by eye at one size. Hot air rises by gravity, so that
//          speeds go with the root of the size and rates with its inverse; temperatures, shares and angles
//          stay.
// Checked  tests/unit/test_gas_presets.c.

#include "tarn/gas_presets.h"
#include "base/base.h"
#include "base/maths.h"
#include <math.h>

typedef struct Preset {
    const char* name;
    float size;     // at which the numbers hold [m]
    int nx, ny, nz; // cells
    float dx;       // in sizes
    float middle;   // height of the middle of the box where there is no ground, in sizes
    bool has_fuel, has_ground;
    float lift; // of the source over the ground, in sizes
    float buoyancy, vorticity, cooling, density_decay;
    TarnVec3 wind; // [m/s]
    float wind_turn, wind_rate;
    float turbulence, turbulence_size; // [m/s], in sizes
    float ignition, burn_rate, burn_heat, burn_smoke, expansion, max_temperature, fire_cooling;
    TarnGasSourceDef source; // sizes in sizes; its cookie is that of the default
    TarnGasJetDef jet;       // the same; speed 0: none
} Preset;

#define NEVER 1e9f
static const Preset presets[TARN_GAS_PRESETS] = {
    [TARN_GAS_PRESET_SMOKE] = { .name = "smoke",
                                .size = 0.6f,
                                .nx = 48,
                                .ny = 80,
                                .nz = 48,
                                .dx = 0.1f,
                                .has_ground = true,
                                .lift = 0.2f,
                                .buoyancy = 1.0f,
                                .vorticity = 0.08f, // more tears the slow column apart
                                .cooling = 0.25f,
                                .density_decay = 0.08f,
                                .source = { .shape = { .kind = TARN_SHAPE_CYLINDER,
                                                       .size = { 0.5f, 0.12f, 0.5f } },
                                            .softness = 0.5f,
                                            .density = 1.2f,
                                            .temperature = 90.0f,
                                            .rate = 10.0f,
                                            .noise = 0.6f,
                                            .stop = NEVER } },
    [TARN_GAS_PRESET_FIRE] = { .name = "fire",
                               .size = 0.6f,
                               .nx = 48,
                               .ny = 80,
                               .nz = 48,
                               .dx = 0.0667f,
                               .has_fuel = true,
                               .has_ground = true,
                               .lift = 0.25f,
                               .buoyancy = 0.35f,
                               .vorticity = 0.25f,
                               .cooling = 0.6f,
                               .density_decay = 0.12f,
                               .ignition = 120.0f,
                               .burn_rate = 5.0f,
                               .burn_heat = 1700.0f,
                               .burn_smoke = 0.35f,
                               .expansion = 0.6f,
                               .max_temperature = 1700.0f,
                               .fire_cooling = 7000.0f,
                               .source = { .shape = { .kind = TARN_SHAPE_CYLINDER,
                                                      .size = { 0.45f, 0.09f, 0.45f } },
                                           .softness = 0.5f,
                                           .temperature = 500.0f,
                                           .fuel = 1.8f,
                                           .rate = 12.0f,
                                           .speed = 0.4f,
                                           .inherit = 0.2f,
                                           .noise = 0.75f,
                                           .stop = NEVER } },
    [TARN_GAS_PRESET_EXPLOSION] = { .name = "explosion",
                                    .size = 1.5f,
                                    .nx = 80,
                                    .ny = 80,
                                    .nz = 80,
                                    .dx = 0.0833f,
                                    .has_fuel = true,
                                    .has_ground = true,
                                    .lift = 0.53f,
                                    .buoyancy = 0.17f,
                                    .vorticity = 0.5f,
                                    .cooling = 0.35f,
                                    .density_decay = 0.1f,
                                    .ignition = 100.0f,
                                    .burn_rate = 3.0f,
                                    .burn_heat = 1500.0f,
                                    .burn_smoke = 0.65f,
                                    .expansion = 1.2f,
                                    .max_temperature = 1700.0f,
                                    .fire_cooling = 2400.0f,
                                    .turbulence = 1.6f,
                                    .turbulence_size = 0.47f,
                                    .source = { .shape = { .kind = TARN_SHAPE_SPHERE,
                                                           .size = { 0.5f, 0.5f, 0.5f } },
                                                .softness = 0.5f,
                                                .density = 0.5f,
                                                .temperature = 900.0f,
                                                .fuel = 1.6f,
                                                .rate = 50.0f,
                                                .expansion = 16.0f,
                                                .noise = 0.8f,
                                                .start = 0.25f,
                                                .stop = 0.4f } },
    [TARN_GAS_PRESET_JET_EXHAUST] = { .name = "jet_exhaust",
                                      .size = 0.28f,
                                      .nx = 48,
                                      .ny = 48,
                                      .nz = 48,
                                      .dx = 0.32f,
                                      .middle = -5.0f,
                                      .buoyancy = 0.6f,
                                      .vorticity = 0.3f,
                                      .cooling = 1.2f,
                                      .density_decay = 0.5f,
                                      .source = { .shape = { .kind = TARN_SHAPE_SPHERE,
                                                             .size = { 0.5f, 0.5f, 0.5f } },
                                                  .softness = 0.3f,
                                                  .density = 0.6f,
                                                  .temperature = 400.0f,
                                                  .rate = 40.0f,
                                                  .stop = NEVER },
                                      .jet = { .radius = 0.5f,
                                               .length = 1.8f,
                                               .speed = 11.0f,
                                               .wobble = 0.25f,
                                               .flutter = 0.35f,
                                               .frequency = 9.0f,
                                               .stop = NEVER } },
    [TARN_GAS_PRESET_CHIMNEY] = { .name = "chimney",
                                  .size = 0.6f,
                                  .nx = 80,
                                  .ny = 64,
                                  .nz = 80,
                                  .dx = 0.267f,
                                  .has_ground = true,
                                  .lift = 6.25f,
                                  .buoyancy = 1.0f,
                                  .vorticity = 0.3f,
                                  .cooling = 0.15f,
                                  .density_decay = 0.06f,
                                  .wind = { 1.2f, 0.0f, 0.0f },
                                  .wind_turn = 0.25f,
                                  .wind_rate = 0.4f,
                                  .source = { .shape = { .kind = TARN_SHAPE_CYLINDER,
                                                         .size = { 0.5f, 0.4f, 0.5f } },
                                              .softness = 0.4f,
                                              .density = 2.5f,
                                              .temperature = 90.0f,
                                              .rate = 30.0f,
                                              .speed = 1.8f,
                                              .inherit = 0.6f,
                                              .noise = 0.5f,
                                              .stop = NEVER } },
    [TARN_GAS_PRESET_DUST] = { .name = "dust",
                               .size = 5.4f,
                               .nx = 96,
                               .ny = 40,
                               .nz = 96,
                               .dx = 0.037f,
                               .has_ground = true,
                               .vorticity = 0.12f,
                               .density_decay = 0.15f,
                               .source = { .shape = { .kind = TARN_SHAPE_CYLINDER,
                                                      .size = { 0.9f, 0.05f, 0.9f } },
                                           .softness = 0.3f,
                                           .density = 0.5f,
                                           .rate = 2.0f,
                                           .noise = 0.9f,
                                           .stop = NEVER },
                               .jet = { .radius = 0.5f,
                                        .length = 0.15f,
                                        .speed = 12.0f,
                                        .rate = 15.0f,
                                        .wobble = 0.05f,
                                        .flutter = 0.15f,
                                        .frequency = 4.0f,
                                        .stop = NEVER } },
};

const char* tarn_gas_preset_name(int preset)
{
    return preset >= 0 && preset < TARN_GAS_PRESETS ? presets[preset].name : NULL;
}

float tarn_gas_preset_size(int preset)
{
    return preset >= 0 && preset < TARN_GAS_PRESETS ? presets[preset].size : 0.0f;
}

// ---- At a size -----------------------------------------------------------------------------------

static const TarnQuat down = { 1.0f, 0.0f, 0.0f, 0.0f }; // half a turn about x: +y points down

static void fill_def(const Preset* p, float size, TarnGasDef* def)
{
    *def = tarn_gas_default_def();
    def->nx = p->nx, def->ny = p->ny, def->nz = p->nz;
    def->dx = p->dx * size;
    def->center.y = p->has_ground ? 0.5f * def->dx * (float)p->ny : p->middle * size;
    def->use_fuel = p->has_fuel;
    def->use_temperature = p->buoyancy != 0.0f;
    if (p->has_ground) def->edge_y0 = TARN_GAS_CLOSED;
}

static void fill_params(const Preset* p, float size, float slow, TarnGasParams* out)
{
    *out = tarn_gas_default_params();
    out->buoyancy = p->buoyancy;
    out->vorticity = p->vorticity;
    out->cooling = p->cooling / slow;
    out->density_decay = p->density_decay / slow;
    out->wind = vec3_scale(p->wind, slow);
    out->wind_turn = p->wind_turn / slow;
    out->wind_rate = p->wind_rate / slow;
    out->turbulence = p->turbulence * slow;
    if (p->turbulence > 0.0f) out->turbulence_size = p->turbulence_size * size;
    if (!p->has_fuel) return;
    out->ignition = p->ignition;
    out->burn_rate = p->burn_rate / slow;
    out->burn_heat = p->burn_heat;
    out->burn_smoke = p->burn_smoke;
    out->expansion = p->expansion;
    out->max_temperature = p->max_temperature;
    out->fire_cooling = p->fire_cooling / slow;
}

static void fill_source(const Preset* p, float size, float slow, TarnGasSourceDef* out)
{
    uint32_t cookie = tarn_gas_source_default_def().cookie;
    *out = p->source;
    out->cookie = cookie;
    out->shape.size = vec3_scale(out->shape.size, size);
    out->color = (TarnVec3){ 1.0f, 1.0f, 1.0f };
    out->motion = (TarnMotion){ .position.y = p->lift * size, .rotation.w = 1.0f };
    out->rate /= slow;
    out->speed *= slow;
    out->expansion /= slow;
    out->start *= slow;
    if (out->stop < NEVER) out->stop *= slow;
}

static void fill_jet(const Preset* p, float size, float slow, TarnGasJetDef* out)
{
    TarnGasJetDef plain = tarn_gas_jet_default_def();
    *out = plain;
    if (p->jet.speed == 0.0f) {
        out->speed = out->stop = 0.0f; // never
        return;
    }
    *out = p->jet;
    out->cookie = plain.cookie;
    out->pulse_share = plain.pulse_share;
    out->motion = (TarnMotion){ .rotation = down };
    if (p->has_ground) out->motion.position.y = 0.6f * p->dx * (float)p->ny * size;
    out->radius *= size, out->length *= size;
    out->speed *= slow;
    out->rate /= slow;
    out->frequency /= slow;
}

TarnResult tarn_gas_preset(TarnContext* ctx, int preset, float size, TarnGasDef* def,
                           TarnGasParams* params, TarnGasSourceDef* source, TarnGasJetDef* jet)
{
    if (preset < 0 || preset >= TARN_GAS_PRESETS)
        return tarn__fail(ctx, TARN_ERR_ARG, "no preset %d; valid presets are 0 to %d", preset,
                          TARN_GAS_PRESETS - 1);
    if (!(size >= 0.05f && size <= 100.0f))
        return tarn__fail(ctx, TARN_ERR_ARG, "size: %g m is out of range; allowed: 0.05 to 100 m",
                          (double)size);
    const Preset* p = &presets[preset];
    float slow = sqrtf(size / p->size);
    if (def) fill_def(p, size, def);
    if (params) fill_params(p, size, slow, params);
    if (source) fill_source(p, size, slow, source);
    if (jet) fill_jet(p, size, slow, jet);
    return TARN_OK;
}

TarnResult tarn_gas_preset_at(TarnContext* ctx, int preset, float size, TarnVec3 place,
                              TarnGasDef* def, TarnGasParams* params, TarnGasSourceDef* source,
                              TarnGasJetDef* jet)
{
    TARN_TRY(tarn_gas_preset(ctx, preset, size, def, params, source, jet));
    if (def) def->center = vec3_add(def->center, place);
    if (source) source->motion.position = vec3_add(source->motion.position, place);
    if (jet) jet->motion.position = vec3_add(jet->motion.position, place);
    return TARN_OK;
}

TarnResult tarn_gas_create_preset(TarnContext* ctx, int preset, float size, TarnVec3 place,
                                  TarnGas** out)
{
    TarnGasDef def;
    TarnGasParams params;
    TarnGasSourceDef source;
    TarnGasJetDef jet;
    TarnGas* gas;
    if (out == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "out: it is NULL");
    *out = NULL;
    TARN_TRY(tarn_gas_preset_at(ctx, preset, size, place, &def, &params, &source, &jet));
    TARN_TRY(tarn_gas_create(ctx, &def, &gas));
    TarnResult result = tarn_gas_set_params(gas, &params);
    if (result == TARN_OK) result = tarn_gas_add_source(gas, &source, NULL);
    if (result == TARN_OK && jet.speed > 0.0f) result = tarn_gas_add_jet(gas, &jet, NULL);
    if (result == TARN_OK)
        *out = gas;
    else
        tarn_gas_destroy(gas);
    return result;
}
