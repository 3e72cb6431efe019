// tarn/gas_presets.h: smoke, fire, explosions, jets, chimneys and dust that look right untouched.
//
// A preset is a grid, its parameters, one source and one jet, made for an effect of a size. They are plain
// defs: change what you like before you create. Times and speeds go with the root of the size, as in nature:
// a large fire moves slowly for its size. How each looks: scenes/campfire.json, chimney, explosion, ...
#pragma once

#include "tarn/gas.h"

#ifdef __cplusplus
extern "C" {
#endif

// The size is that of what makes the gas. Boxes are in cells of about a tenth of it.
typedef enum TarnGasPreset {
    TARN_GAS_PRESET_SMOKE,       // a smoldering heap: width [m]
    TARN_GAS_PRESET_FIRE,        // a camp fire: width [m]. Flames are two to four times as high
    TARN_GAS_PRESET_EXPLOSION,   // a fuel bomb, soon after the start: width of the charge [m]
    TARN_GAS_PRESET_JET_EXHAUST, // a nozzle that blows down: its width [m]
    TARN_GAS_PRESET_CHIMNEY,     // smoke in a wind that turns: width of the flue [m]
    TARN_GAS_PRESET_DUST, // a downwash that raises dust from the ground: width of the rotor [m]
    TARN_GAS_PRESETS,     // how many
} TarnGasPreset;

TARN_API const char* tarn_gas_preset_name(int preset); // "smoke", ...; NULL: there is none

// Fills the defs; any of the last four may be NULL. The source lies at the origin, the box around and over
// it, and its lower face is the ground at y = 0 where there is one (all but the jet). What a preset does
// without stops before it starts: both may always be added.
// TARN_ERR_ARG: no such preset, or a size that is not from 0.05 to 100 m.
// In a world: tarn_world_add_gas_preset. In scenes: "preset" of a gas, docs/scenes.md.
TARN_API TarnResult tarn_gas_preset(TarnContext* ctx, int preset, float size, TarnGasDef* def,
                                    TarnGasParams* params, TarnGasSourceDef* source,
                                    TarnGasJetDef* jet);
// The same at a place: where the source of a preset on the ground stands, and the nozzle of the jet is.
TARN_API TarnResult tarn_gas_preset_at(TarnContext* ctx, int preset, float size, TarnVec3 place,
                                       TarnGasDef* def, TarnGasParams* params,
                                       TarnGasSourceDef* source, TarnGasJetDef* jet);
TARN_API float tarn_gas_preset_size(int preset); // at which it was tuned [m]; 0: there is none
// All of it in one call: a gas at a place, with its parameters, source and jet.
TARN_API TarnResult tarn_gas_create_preset(TarnContext* ctx, int preset, float size, TarnVec3 place,
                                           TarnGas** out);

#ifdef __cplusplus
}
#endif
