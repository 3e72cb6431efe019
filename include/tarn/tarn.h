// tarn/tarn.h: the whole public API of the core. The renderer is apart: tarn/render.h
#pragma once

#include "tarn/base.h"
#include "tarn/body.h"
#include "tarn/coupling.h"
#include "tarn/flow.h"
#include "tarn/liquid.h"
#include "tarn/particles.h"
#include "tarn/scene.h"
#include "tarn/pipes.h"
#include "tarn/shallow.h"
#include "tarn/solids.h"
#include "tarn/surface.h"
#include "tarn/terrain.h"
#include "tarn/wave.h"
#include "tarn/world.h"
