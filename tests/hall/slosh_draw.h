// The drawer of the sloshing plane.
#pragma once

#include "tarn/view.h"

extern const TarnDrawer slosh_drawer;
