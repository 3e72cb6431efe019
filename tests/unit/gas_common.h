// What the tests of gases share: a small box with everything in it.
#pragma once

#include "test_common.h"
#include "gas/gas_kernels.h"

static inline TarnGasDef small_gas(void)
{
    TarnGasDef def = tarn_gas_default_def();
    def.nx = 24, def.ny = 32, def.nz = 16;
    def.dx = 0.1f;
    def.use_fuel = def.use_color = true;
    def.levels = 2;
    def.edge_x0 = TARN_GAS_CLOSED;
    def.edge_z1 = TARN_GAS_WIND;
    return def;
}

static inline TarnGas* make_gas(TarnContext* where, TarnGasDef def)
{
    TarnGas* gas;
    TarnResult result = tarn_gas_create(where, &def, &gas);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(where));
    assert_int_equal(result, TARN_OK);
    return gas;
}

// A fire, a jet through it, wind: all that a step can do.
static inline void kindle(TarnGas* gas)
{
    TarnGasSourceDef source = tarn_gas_source_default_def();
    source.motion.position = (TarnVec3){ 0.1f, -1.0f, 0.0f };
    source.shape.size.x = 0.4f;
    source.temperature = 800.0f, source.fuel = 1.0f;
    source.rate = 10.0f, source.noise = 0.6f, source.inherit = 0.5f, source.speed = 1.0f;
    source.color = (TarnVec3){ 1.0f, 0.5f, 0.2f };
    assert_ok(tarn_gas_add_source(gas, &source, NULL));
    TarnGasJetDef jet = tarn_gas_jet_default_def();
    assert_ok(tarn_gas_add_jet(gas, &jet, NULL));
    TarnGasParams params = tarn_gas_params(gas);
    params.wind = (TarnVec3){ 0.5f, 0.0f, 0.3f };
    params.wind_rate = 0.2f, params.viscosity = 0.01f, params.turbulence = 0.3f;
    params.density_decay = 0.1f, params.smoke_weight = 0.05f;
    assert_ok(tarn_gas_set_params(gas, &params));
}

static inline void gas_steps(TarnGas* gas, int n)
{
    for (int s = 0; s < n; ++s) assert_ok(tarn_gas_step(gas, 1.0f / 60.0f, NULL));
}

static inline void assert_gas_sane(const TarnGas* gas)
{
    const Grid3* g = &gas->grid;
    for (int f = 0; f < 3 + GAS_SCALARS + 1; ++f) {
        const float* field = f < 3 ? gas->velocity[f] : f < 9 ? gas->scalar[f - 3] : gas->pressure;
        float most = f < 9 ? 1e8f : 1e12f;
        for (int k = 0; field && k < g->nz; ++k) {
            for (int j = 0; j < g->ny; ++j) {
                const float* row = field + tarn__grid3_at(g, 0, j, k);
                bool is_good = tarn__all_within(row, (size_t)g->nx, most);
                if (!is_good) print_error("field %d, row %d %d: %g ...\n", f, j, k, (double)row[0]);
                assert_true(is_good);
            }
        }
    }
}
