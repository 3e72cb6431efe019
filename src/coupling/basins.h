// Inside src only: what bodies need to know of the grids they float in.
#pragma once

#include "tarn/pipes.h"
#include "tarn/shallow.h"
#include "tarn/wave.h"
#include "bodies/bodies.h"

// Edges, beds, islands and walls as they are now, for tarn__bodies_set_basins. Valid until the solver is stepped,
// shifted or destroyed.
BodyBasin tarn__wave_basin(const TarnWave* wave);
BodyBasin tarn__shallow_basin(const TarnShallow* water);
BodyBasin tarn__pipes_basin(const TarnPipes* pipes);
