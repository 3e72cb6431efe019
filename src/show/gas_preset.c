// A preset of gas in a world: tarn/gas_presets.h, with its source and jet, at a place.

#include "tarn/show.h"
#include "base/base.h"
#include "tarn/gas.h"
#include "tarn/gas_presets.h"

TarnResult tarn_world_add_gas_preset(TarnWorld* world, int preset, float size, TarnVec3 place,
                                     TarnGas** out)
{
    TarnGasDef def;
    TarnGasParams params;
    TarnGasSourceDef source;
    TarnGasJetDef jet;
    TarnGas* gas;
    if (out) *out = NULL;
    if (world == NULL) return TARN_ERR_ARG;
    TARN_TRY(tarn_gas_preset_at(tarn_world_context(world), preset, size, place, &def, &params,
                                &source, &jet));
    TARN_TRY(tarn_world_add_gas(world, &def, &gas));
    params.gravity = tarn_gas_params(gas).gravity;
    TarnResult result = tarn_gas_set_params(gas, &params);
    if (result == TARN_OK) result = tarn_gas_add_source(gas, &source, NULL);
    if (result == TARN_OK && jet.speed > 0.0f) result = tarn_gas_add_jet(gas, &jet, NULL);
    if (result != TARN_OK) tarn_world_remove(world, gas); // as if it had never been added
    if (result == TARN_OK && out) *out = gas;
    return result;
}
