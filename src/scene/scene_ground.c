// The ground of a scene as a function of (x, z): terrain, parts of a bed, walls. Solvers ask it when
// they are made and when their window moves, so it is one pure function, and not an array.

#include "scene/scene_internal.h"
#include "base/maths.h"
#include <math.h>

// A raised cosine: level at the top and where it meets the ground.
static float mound_at(const SceneBed* bed, double x, double z)
{
    double dx = x - bed->center.x, dz = z - bed->center.y, r = bed->radius;
    double s2 = (dx * dx + dz * dz) / (r * r);
    if (s2 >= 1.0) return 0.0f;
    return bed->height * (0.5f + 0.5f * tarn_cos((float)(3.141592653589793 * sqrt(s2))));
}

static float slope_at(const SceneBed* bed, double x, double z)
{
    double ax = bed->from.x, az = bed->from.y, ux = bed->to.x - ax, uz = bed->to.y - az;
    double s = ((x - ax) * ux + (z - az) * uz) / (ux * ux + uz * uz);
    return (float)((s < 0.0 ? 0.0 : s > 1.0 ? 1.0 : s) * bed->rise);
}

float tarn__scene_bare_ground(float x, float z, void* user)
{
    SceneLand* land = user;
    float y = 0.0f;
    if (land->terrain)
        y = tarn_terrain_sample(land->terrain, x, z);
    else if (land->has_terrain)
        y = tarn_terrain_made_ground(x, z, &land->made);
    for (int n = 0; n < land->n_parts; ++n) {
        const SceneBed* part = &land->parts[n];
        y += part->kind == SCENE_BED_MOUND ? mound_at(part, x, z) : slope_at(part, x, z);
    }
    return y;
}

bool tarn__scene_is_in_block(const SceneBlock* block, float x, float z)
{
    if (block->shape == SCENE_WALL_DISC) {
        double dx = (double)x - block->center.x, dz = (double)z - block->center.y;
        return dx * dx + dz * dz <= (double)block->radius * block->radius;
    }
    double dx = x - 0.5 * ((double)block->min.x + block->max.x);
    double dz = z - 0.5 * ((double)block->min.y + block->max.y);
    if (block->yaw != 0.0f) { // seen from the box itself
        float s, c;
        double u = dx, w = dz;
        tarn_sincos(block->yaw * 0.017453292519943295f, &s, &c);
        dx = c * u - s * w;
        dz = s * u + c * w;
    }
    return fabs(dx) <= 0.5 * ((double)block->max.x - block->min.x) &&
           fabs(dz) <= 0.5 * ((double)block->max.y - block->min.y);
}

float tarn__scene_ground(float x, float z, void* user)
{
    const SceneLand* land = user;
    float y = tarn__scene_bare_ground(x, z, user);
    for (int n = 0; n < land->n_blocks; ++n) {
        const SceneBlock* block = &land->blocks[n];
        if (block->top > y && tarn__scene_is_in_block(block, x, z)) y = block->top;
    }
    return y;
}

void tarn__scene_free_land(SceneLand* land)
{
    TarnContext* ctx = land->ctx;
    tarn_terrain_destroy(land->terrain);
    tarn__free(ctx, land->parts, (size_t)land->n_parts * sizeof(SceneBed));
    tarn__free(ctx, land->blocks, (size_t)land->n_blocks * sizeof(SceneBlock));
    tarn__free(ctx, land->pools, (size_t)land->n_pools * sizeof(ScenePool));
    tarn__free(ctx, land->spans, (size_t)land->n_spans * sizeof(SceneSpan));
    tarn__free(ctx, land->gates, (size_t)land->n_gates * sizeof(TarnShallowGateDef));
    *land = (SceneLand){ .ctx = ctx };
}
