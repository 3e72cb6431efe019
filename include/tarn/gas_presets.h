// tarn/gas_presets.h: smoke, fire, explosions, jets, chimneys and dust that look right without tuning.
//
// A preset consists of a grid, its parameters, one source and one jet for an effect of a given size. These
// are plain defs: change what you like before you create the gas. Times and speeds scale with the square root
// of the size, as in nature: a large fire moves slowly for its size. For how they look see
// scenes/campfire.json, chimney, explosion, ...
#pragma once

#include "tarn/gas.h"

#ifdef __cplusplus
extern "C" {
#endif

// The size is that of what emits the gas. Cells are about a tenth of it.
typedef enum TarnGasPreset {
    TARN_GAS_PRESET_SMOKE, // a smoldering heap; size is its width [m]
    TARN_GAS_PRESET_FIRE, // a camp fire; size is its width [m], flames are two to four times as high
    TARN_GAS_PRESET_EXPLOSION, // a fuel bomb, soon after the start; size is the width of the charge [m]
    TARN_GAS_PRESET_JET_EXHAUST, // a nozzle that blows down; size is its width [m]
    TARN_GAS_PRESET_CHIMNEY,     // smoke in a turning wind; size is the width of the flue [m]
    TARN_GAS_PRESET_DUST,        // a downwash that raises dust; size is the width of the rotor [m]
    TARN_GAS_PRESETS,            // number of presets
} TarnGasPreset;

TARN_API const char* tarn_gas_preset_name(int preset); // "smoke", ...; NULL: no such preset

// Fills the defs; any of the last four pointers may be NULL. The source is at the origin with the box around
// and above it; the bottom of the box is the ground at y = 0, except for the jet. Source and jet may always
// be added: one that a preset does not use ends before it starts. TARN_ERR_ARG: there is no such preset, or
// the size is not within 0.05 to 100 m. In a world use tarn_world_add_gas_preset, in scenes the key "preset"
// of a gas (docs/scenes.md).
TARN_API TarnResult tarn_gas_preset(TarnContext* ctx, int preset, float size, TarnGasDef* def,
                                    TarnGasParams* params, TarnGasSourceDef* source,
                                    TarnGasJetDef* jet);
// Does the same at a place: where the source stands on the ground, or where the nozzle of the jet is.
TARN_API TarnResult tarn_gas_preset_at(TarnContext* ctx, int preset, float size, TarnVec3 place,
                                       TarnGasDef* def, TarnGasParams* params,
                                       TarnGasSourceDef* source, TarnGasJetDef* jet);
// Returns the size that a preset was tuned for [m]; 0 if there is no such preset.
TARN_API float tarn_gas_preset_size(int preset);
// Creates a gas from a preset at a place, with its parameters, source and jet.
TARN_API TarnResult tarn_gas_create_preset(TarnContext* ctx, int preset, float size, TarnVec3 place,
                                           TarnGas** out);

#ifdef __cplusplus
}
#endif
