// The Surface plug: checks its arguments, then asks whoever gave it.

#include "tarn/surface.h"

TarnResult tarn_surface_query(TarnSurface surface, int n, const float* x, const float* z,
                              const TarnSurfaceSamples* out)
{
    if (surface.query == NULL || n < 0 || out == NULL || (n > 0 && (x == NULL || z == NULL))) {
        return TARN_ERR_ARG;
    }
    surface.query(surface.self, n, x, z, out);
    return TARN_OK;
}

float tarn_surface_height(TarnSurface surface, float x, float z)
{
    float height = 0.0f;
    tarn_surface_query(surface, 1, &x, &z, &(TarnSurfaceSamples){ .height = &height });
    return height;
}
