// Inside src only: what every water that is pushed or poured into checks first.
#pragma once

#include "tarn/surface.h"
#include "base/base.h"

// TARN_ERR_ARG, with a message that says why: a value out of the range in tarn/surface.h.
TarnResult tarn__surface_check_push(TarnContext* ctx, const TarnSurfacePush* push);
TarnResult tarn__surface_check_pour(TarnContext* ctx, const TarnSurfacePour* pour);
