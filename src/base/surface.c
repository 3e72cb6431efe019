// The Surface plug: checks its arguments, then asks whoever gave it.

#include "tarn/surface.h"
#include "base/surface.h"

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

bool tarn_surface_area(TarnSurface surface, TarnVec2* min, TarnVec2* max)
{
    if (surface.area == NULL || min == NULL || max == NULL) return false;
    return surface.area(surface.self, min, max);
}

bool tarn_surface_covers(TarnSurface surface, float x, float z)
{
    TarnVec2 min, max;
    if (surface.query == NULL) return false;
    if (!tarn_surface_area(surface, &min, &max)) return true;
    return x >= min.x && x <= max.x && z >= min.y && z <= max.y;
}

// ---- Push and pour -------------------------------------------------------------------------------

static const float push_far = 1e6f, push_volume = 1e12f, push_impulse = 1e15f; // see the header

static TarnResult check_disc(TarnContext* ctx, const char* name, TarnVec2 center, float radius)
{
    bool is_good = tarn__all_within(&center, 2, push_far) && radius > 0.0f && radius <= push_far;
    if (is_good) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG,
                      "%s: center (%g, %g) m, radius %g m; allowed: +-1e6 m, above 0 to 1e6 m",
                      name, (double)center.x, (double)center.y, (double)radius);
}

static TarnResult check_amounts(TarnContext* ctx, const char* name, float volume, TarnVec3 impulse)
{
    if (tarn__all_within(&volume, 1, push_volume) && tarn__all_within(&impulse, 3, push_impulse))
        return TARN_OK;
    return tarn__fail(
        ctx, TARN_ERR_ARG,
        "%s: volume %g m^3, impulse (%g, %g, %g) N s; allowed: +-1e12 m^3, +-1e15 N s", name,
        (double)volume, (double)impulse.x, (double)impulse.y, (double)impulse.z);
}

TarnResult tarn__surface_check_push(TarnContext* ctx, const TarnSurfacePush* push)
{
    if (push == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "push: NULL; say what is pushed");
    TARN_TRY(check_disc(ctx, "push.center", push->center, push->radius));
    TARN_TRY(check_disc(ctx, "push.from", push->from, push->from_radius));
    TARN_TRY(check_amounts(ctx, "push", push->volume, push->impulse));
    if (push->dt >= 0.0f && push->dt <= 10.0f) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG, "push.dt: %g s is out of range; allowed: 0 to 10 s",
                      (double)push->dt);
}

TarnResult tarn__surface_check_pour(TarnContext* ctx, const TarnSurfacePour* pour)
{
    if (pour == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "pour: NULL; say what is poured");
    TARN_TRY(check_disc(ctx, "pour.center", pour->center, pour->radius));
    return check_amounts(ctx, "pour", pour->volume, pour->impulse);
}

// Whoever gave the surface checks as well, and can say what is wrong: a surface has no context.
TarnResult tarn_surface_push(TarnSurface surface, const TarnSurfacePush* push,
                             TarnSurfaceTaken* taken)
{
    TarnSurfaceTaken unused;
    if (taken == NULL) taken = &unused;
    *taken = (TarnSurfaceTaken){ 0 };
    if (push == NULL) return TARN_ERR_ARG;
    if (surface.push == NULL) return TARN_ERR_UNSUPPORTED;
    return surface.push((void*)surface.self, push, taken);
}

TarnResult tarn_surface_pour(TarnSurface surface, const TarnSurfacePour* pour,
                             TarnSurfaceTaken* taken)
{
    TarnSurfaceTaken unused;
    if (taken == NULL) taken = &unused;
    *taken = (TarnSurfaceTaken){ 0 };
    if (pour == NULL) return TARN_ERR_ARG;
    if (surface.pour == NULL) return TARN_ERR_UNSUPPORTED;
    return surface.pour((void*)surface.self, pour, taken);
}
