// Inside src only: moving windows. A field keeps its place in the world while its grid moves on.
#pragma once

#include "base/base.h"

// field(i, k) becomes field(i + di, k + dk) for nx * nz values in rows of stride floats. What comes
// from outside is fresh, or with is_border the nearest cell.
void tarn__grid_shift(float* field, int stride, int nx, int nz, int di, int dk, float fresh,
                      bool is_border);
