// Presets: each makes what its name says, at any size, and stays finite; arguments.

#include "gas_common.h"
#include "tarn/gas_presets.h"
#include "tests/sanitized.h"

enum { STEPS = 60 };

// Two seconds of the preset at its usual size; time goes with the root of the size. NULL: this is a short run
// (tests/sanitized.h), which ends before anything has risen.
static TarnGas* run_preset(int preset, float size, float usual)
{
    TarnGas* gas;
    float dt = 2.0f * sqrtf(size / usual) / STEPS;
    assert_ok(tarn_gas_create_preset(ctx, preset, size, (TarnVec3){ 3.0f, -1.0f, 2.0f }, &gas));
    for (int s = 0; s < (is_short_run() ? 6 : STEPS); ++s) assert_ok(tarn_gas_step(gas, dt, NULL));
    assert_gas_sane(gas);
    if (!is_short_run()) return gas;
    tarn_gas_destroy(gas);
    return NULL;
}

// Middle of the density, from where the preset stands [m].
static TarnVec3 middle_of(const TarnGas* gas)
{
    TarnGasView view = tarn_gas_view(gas);
    const TarnView3* d = &view.density;
    double sum[4] = { 0 };
    for (int k = 0; k < d->nz; ++k)
        for (int j = 0; j < d->ny; ++j)
            for (int i = 0; i < d->nx; ++i) {
                double w = (double)d->data[i + d->row * j + d->slab * k];
                sum[0] += w * (i + 0.5), sum[1] += w * (j + 0.5), sum[2] += w * (k + 0.5);
                sum[3] += w;
            }
    assert_true(sum[3] > 0.0);
    float dx = view.dx;
    return (TarnVec3){ view.origin.x + dx * (float)(sum[0] / sum[3]) - 3.0f,
                       view.origin.y + dx * (float)(sum[1] / sum[3]) + 1.0f,
                       view.origin.z + dx * (float)(sum[2] / sum[3]) - 2.0f };
}

// Twice the root mean square distance of the density from the vertical axis [m].
static float width_of(const TarnGas* gas)
{
    TarnGasView view = tarn_gas_view(gas);
    const TarnView3* d = &view.density;
    double sum = 0.0, all = 0.0;
    for (int k = 0; k < d->nz; ++k)
        for (int j = 0; j < d->ny; ++j)
            for (int i = 0; i < d->nx; ++i) {
                double w = (double)d->data[i + d->row * j + d->slab * k];
                double x = i + 0.5 - 0.5 * d->nx, z = k + 0.5 - 0.5 * d->nz;
                sum += w * (x * x + z * z), all += w;
            }
    return 2.0f * view.dx * (float)sqrt(sum / all);
}

static void smoke_rises(void** state)
{
    (void)state;
    TarnGas* gas = run_preset(TARN_GAS_PRESET_SMOKE, 0.6f, 0.6f);
    if (!gas) return;
    TarnGasStats s = tarn_gas_stats(gas);
    TarnVec3 m = middle_of(gas);
    if (!(m.y > 0.35f)) print_error("middle at %g m\n", (double)m.y);
    assert_true(m.y > 0.35f && fabsf(m.x) < 0.3f && fabsf(m.z) < 0.3f);
    assert_true(s.density_sum > 0.05 && s.max_temperature < 200.0);
    // After five seconds it is a column, not a ball of wool.
    for (int n = 0; n < 90; ++n) assert_ok(tarn_gas_step(gas, 1.0f / 30.0f, NULL));
    float wide = width_of(gas) / middle_of(gas).y;
    if (!(wide < 0.5f)) print_error("width over height: %g\n", (double)wide);
    assert_true(wide < 0.5f);
    tarn_gas_destroy(gas);
}

static void fire_burns(void** state)
{
    (void)state;
    for (int i = 0; i < 2; ++i) { // a torch and a bonfire: alike in their own size and time
        float size = i == 0 ? 0.2f : 2.0f;
        TarnGas* gas = run_preset(TARN_GAS_PRESET_FIRE, size, 0.6f);
        if (!gas) continue;
        TarnGasStats s = tarn_gas_stats(gas);
        float up = middle_of(gas).y / size;
        if (!(s.max_temperature > 800.0 && up > 1.0f && up < 5.0f))
            print_error("size %g: %g K, middle at %g sizes\n", (double)size, s.max_temperature,
                        (double)up);
        assert_true(s.max_temperature > 800.0 && s.max_temperature <= 1701.0);
        assert_true(up > 1.0f && up < 5.0f);
        assert_true(s.density_sum > 0.0);
        tarn_gas_destroy(gas);
    }
}

// Bright at first; in the end smoke that has risen and spread far beyond the charge.
static void explosions_swell(void** state)
{
    (void)state;
    TarnGas* gas;
    assert_ok(tarn_gas_create_preset(ctx, TARN_GAS_PRESET_EXPLOSION, 1.5f, (TarnVec3){ 0 }, &gas));
    double hottest = 0.0, fastest = 0.0;
    for (int s = 0; s < (is_short_run() ? 15 : STEPS); ++s) {
        assert_ok(tarn_gas_step(gas, 1.0f / 30.0f, NULL));
        TarnGasStats now = tarn_gas_stats(gas);
        hottest = now.max_temperature > hottest ? now.max_temperature : hottest;
        fastest = now.max_speed > fastest ? now.max_speed : fastest;
    }
    assert_gas_sane(gas);
    TarnGasStats end = tarn_gas_stats(gas);
    double charge = 4.19 * 0.75 * 0.75 * 0.75;
    bool is_smoky = end.density_sum > charge || is_short_run();
    if (!(hottest > 1200.0 && fastest > 3.0 && is_smoky))
        print_error("%g K, %g m/s, %g m^3 of smoke\n", hottest, fastest, end.density_sum);
    assert_true(hottest > 1200.0 && fastest > 3.0);
    if (!is_short_run())
        assert_true(end.density_sum > charge && end.max_temperature < hottest - 300.0);
    tarn_gas_destroy(gas);
}

static void jets_blow_down(void** state)
{
    (void)state;
    TarnGas* gas = run_preset(TARN_GAS_PRESET_JET_EXHAUST, 0.28f, 0.28f);
    if (!gas) return;
    float x = 3.0f, y = -1.0f - 0.7f, z = 2.0f;
    TarnVec3 v;
    assert_ok(
        tarn_flow_query(tarn_gas_flow(gas), 1, &x, &y, &z, &(TarnFlowSamples){ .velocity = &v }));
    assert_true(v.y < -2.0f);
    assert_true(tarn_gas_stats(gas).max_speed > 5.0 && middle_of(gas).y < -0.3f);
    tarn_gas_destroy(gas);
}

static void chimneys_smoke_downwind(void** state)
{
    (void)state;
    TarnGas* gas = run_preset(TARN_GAS_PRESET_CHIMNEY, 0.6f, 0.6f);
    if (!gas) return;
    TarnVec3 m = middle_of(gas);
    assert_true(m.x > 0.2f && m.y > 6.25f * 0.6f + 0.2f);
    tarn_gas_destroy(gas);
}

// The downwash goes out along the ground, on all sides.
static void dust_spreads(void** state)
{
    (void)state;
    TarnGas* gas = run_preset(TARN_GAS_PRESET_DUST, 5.4f, 5.4f);
    if (!gas) return;
    for (int side = -1; side <= 1; side += 2) {
        float x = 3.0f + 2.9f * (float)side, y = -1.0f + 0.3f, z = 2.0f;
        TarnVec3 v;
        assert_ok(tarn_flow_query(tarn_gas_flow(gas), 1, &x, &y, &z,
                                  &(TarnFlowSamples){ .velocity = &v }));
        if (!(v.x * (float)side > 0.5f)) print_error("%g m/s at %g m\n", (double)v.x, (double)x);
        assert_true(v.x * (float)side > 0.5f);
    }
    assert_true(middle_of(gas).y < 3.0f && tarn_gas_stats(gas).density_sum > 1.0);
    tarn_gas_destroy(gas);
}

// All that it fills is valid at any size it takes, and may be added as it is.
static void sizes(void** state)
{
    (void)state;
    const float list[] = { 0.05f, 0.5f, 100.0f };
    for (int preset = 0; preset < TARN_GAS_PRESETS; ++preset) {
        assert_non_null(tarn_gas_preset_name(preset));
        for (int i = 0; i < 3; ++i) {
            TarnGasDef def;
            TarnGasParams params;
            TarnGasSourceDef source;
            TarnGasJetDef jet;
            TarnGas* gas;
            assert_ok(tarn_gas_preset(ctx, preset, list[i], &def, &params, &source, &jet));
            def.nx = def.ny = def.nz = 16;
            assert_ok(tarn_gas_create(ctx, &def, &gas));
            assert_ok(tarn_gas_set_params(gas, &params));
            assert_ok(tarn_gas_add_source(gas, &source, NULL));
            assert_ok(tarn_gas_add_jet(gas, &jet, NULL));
            gas_steps(gas, 3);
            assert_gas_sane(gas);
            tarn_gas_destroy(gas);
        }
    }
}

static void arguments(void** state)
{
    (void)state;
    TarnGas* gas;
    const TarnVec3 here = { 0 };
    const float bad[] = { 0.0f, 0.049f, 101.0f, -1.0f, NAN, INFINITY };
    for (int i = 0; i < 6; ++i) {
        assert_result(tarn_gas_create_preset(ctx, 0, bad[i], here, &gas), TARN_ERR_ARG, "size");
        assert_null(gas);
    }
    assert_result(tarn_gas_preset(ctx, -1, 1.0f, NULL, NULL, NULL, NULL), TARN_ERR_ARG, "preset");
    assert_result(tarn_gas_preset(ctx, TARN_GAS_PRESETS, 1.0f, NULL, NULL, NULL, NULL),
                  TARN_ERR_ARG, "preset");
    assert_ok(tarn_gas_preset(ctx, 0, 1.0f, NULL, NULL, NULL, NULL));
    assert_result(tarn_gas_create_preset(ctx, 0, 1.0f, here, NULL), TARN_ERR_ARG, "out");
    assert_result(tarn_gas_create_preset(ctx, 0, 1.0f, (TarnVec3){ NAN, 0, 0 }, &gas), TARN_ERR_ARG,
                  "center");
    assert_null(tarn_gas_preset_name(-1));
    assert_null(tarn_gas_preset_name(TARN_GAS_PRESETS));
}

// ---- In worlds and scenes ------------------------------------------------------------------------

static void in_a_world(void** state)
{
    (void)state;
    TarnWorldDef def = tarn_world_default_def();
    def.gravity = 1.6f;
    TarnWorld* world;
    TarnGas* gas;
    const TarnVec3 place = { 3.0f, 1.0f, -2.0f };
    assert_ok(tarn_world_create(ctx, &def, &world));
    assert_ok(tarn_world_add_gas_preset(world, TARN_GAS_PRESET_FIRE, 0.6f, place, &gas));
    assert_true(tarn_world_gas_count(world) == 1 && tarn_world_gas(world, 0) == gas);
    assert_float_equal(tarn_gas_params(gas).gravity.y, -1.6f, 0.0f);
    assert_float_equal(tarn_gas_params(gas).burn_heat, 1700.0f, 0.0f);
    assert_float_equal(tarn_gas_center(gas).x, 3.0f, 1e-5f);
    uint64_t hash = tarn_world_hash(world);
    assert_result(tarn_world_add_gas_preset(world, 99, 0.6f, place, &gas), TARN_ERR_ARG,
                  "no preset 99; valid presets are 0 to 5");
    assert_null(gas);
    assert_result(tarn_world_add_gas_preset(world, 0, 0.01f, place, &gas), TARN_ERR_ARG, "size");
    assert_true(tarn_world_hash(world) == hash && tarn_world_gas_count(world) == 1);
    for (int n = 0; n < (is_short_run() ? 10 : 30); ++n)
        assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));
    assert_true(tarn_gas_stats(tarn_world_gas(world, 0)).max_temperature > 300.0);
    tarn_world_destroy(world);
}

static TarnScene* scene_of(const char* gas)
{
    char text[512];
    TarnScene* scene;
    snprintf(text, sizeof text, "{ \"tarn\": 1, \"solvers\": [{ \"kind\": \"gas\", %s }]}", gas);
    TarnResult result = tarn_scene_create(ctx, text, strlen(text), "test", NULL, 0, &scene);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(ctx));
    return result == TARN_OK ? scene : NULL;
}

// Each by its name, with the same hash as the one that is added by hand; keys change it.
static void in_a_scene(void** state)
{
    (void)state;
    for (int preset = 0; preset < TARN_GAS_PRESETS; ++preset) {
        char text[128];
        snprintf(text, sizeof text, "\"preset\": \"%s\", \"preset_place\": [1, 0, 2]",
                 tarn_gas_preset_name(preset));
        TarnScene* scene = scene_of(text);
        assert_non_null(scene);
        TarnWorldDef def = tarn_world_default_def();
        TarnWorld* world;
        assert_ok(tarn_world_create(ctx, &def, &world));
        assert_ok(tarn_world_add_gas_preset(world, preset, tarn_gas_preset_size(preset),
                                            (TarnVec3){ 1.0f, 0.0f, 2.0f }, NULL));
        TarnGas *a = tarn_world_gas(tarn_scene_world(scene), 0), *b = tarn_world_gas(world, 0);
        assert_true(memcmp(tarn_gas_def(a), tarn_gas_def(b), sizeof(TarnGasDef)) == 0);
        gas_steps(a, is_short_run() ? 1 : 3);
        gas_steps(b, is_short_run() ? 1 : 3);
        assert_true(tarn_gas_hash(a) == tarn_gas_hash(b));
        assert_true(tarn_scene_gas_look(scene, 0).opacity > 0.0f);
        tarn_world_destroy(world);
        tarn_scene_destroy(scene);
    }
    TarnScene* scene = scene_of("\"vorticity\": 0.9, \"preset\": \"fire\", \"nx\": 24, "
                                "\"preset_size\": 1.2, \"sources\": [], "
                                "\"look\": { \"opacity\": 7 }");
    assert_non_null(scene);
    TarnGas* gas = tarn_world_gas(tarn_scene_world(scene), 0);
    assert_true(tarn_gas_def(gas)->nx == 24 && tarn_gas_def(gas)->ny == 80);
    assert_true(tarn_gas_params(gas).vorticity == 0.9f);
    assert_true(tarn_gas_params(gas).burn_heat == 1700.0f);
    assert_true(gas->source_ids.count == 0);
    assert_float_equal(tarn_gas_def(gas)->dx, 2.0f * 0.04002f, 1e-5f);
    assert_float_equal(tarn_scene_gas_look(scene, 0).opacity, 7.0f, 0.0f);
    tarn_scene_destroy(scene);
    assert_null(scene_of("\"preset\": \"fier\""));
    assert_non_null(strstr(tarn_last_error(ctx), "did you mean 'fire'"));
    assert_null(scene_of("\"preset\": \"fire\", \"preset_size\": 0.01"));
    assert_non_null(strstr(tarn_last_error(ctx), "0.05 to 100 m"));
    assert_null(scene_of("\"preset\": \"fire\", \"burn_heat\": -1"));
    assert_non_null(strstr(tarn_last_error(ctx), "burn_heat"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(smoke_rises),    TEST(fire_burns),   TEST(explosions_swell),
        TEST(jets_blow_down), TEST(dust_spreads), TEST(chimneys_smoke_downwind),
        TEST(sizes),          TEST(arguments),    TEST(in_a_world),
        TEST(in_a_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
