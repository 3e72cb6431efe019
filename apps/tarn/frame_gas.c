// Frames of gases: smoke, fire, jets, and the looks of particles.

#include "frame_gas.h"
#include <math.h>

#if defined(TARN_HAS_RENDER)

static TarnVec3 size_of(const TarnGas* gas)
{
    const TarnGasDef* d = tarn_gas_def(gas);
    return (TarnVec3){ d->dx * (float)d->nx, d->dx * (float)d->ny, d->dx * (float)d->nz };
}

static TarnVec3 corner_of(const TarnGas* gas, float side) // side -1: the lowest, 1: the highest
{
    TarnVec3 c = tarn_gas_center(gas), s = size_of(gas);
    float h = 0.5f * side;
    return (TarnVec3){ c.x + h * s.x, c.y + h * s.y, c.z + h * s.z };
}

static bool is_zero(TarnVec3 v)
{
    return v.x == 0.0f && v.y == 0.0f && v.z == 0.0f;
}

bool frame_gas_box(TarnScene* scene, TarnVec3* lo, TarnVec3* hi)
{
    TarnWorld* world = tarn_scene_world(scene);
    TarnSceneView view = tarn_scene_view(scene);
    int n = tarn_world_gas_count(world);
    if (is_zero(view.box_min) && is_zero(view.box_max)) {
        for (int i = 0; i < n; ++i) {
            TarnVec3 a = corner_of(tarn_world_gas(world, i), -1.0f);
            TarnVec3 b = corner_of(tarn_world_gas(world, i), 1.0f);
            *lo = i ? (TarnVec3){ fminf(lo->x, a.x), fminf(lo->y, a.y), fminf(lo->z, a.z) } : a;
            *hi = i ? (TarnVec3){ fmaxf(hi->x, b.x), fmaxf(hi->y, b.y), fmaxf(hi->z, b.z) } : b;
        }
        return n > 0;
    }
    *lo = view.box_min;
    *hi = view.box_max;
    if (!view.follow || n == 0) return true;
    const TarnGas* first = tarn_world_gas(world, 0);
    TarnVec3 now = tarn_gas_center(first), then = tarn_gas_def(first)->center;
    TarnVec3 way = { now.x - then.x, now.y - then.y, now.z - then.z };
    lo->x += way.x, lo->z += way.z;
    hi->x += way.x, hi->z += way.z;
    hi->y += fmaxf(way.y, 0.0f);
    return true;
}

int frame_gases(TarnScene* scene, TarnFrameGas* out)
{
    TarnWorld* world = tarn_scene_world(scene);
    TarnVec3 lo = { 0 }, hi = { 0 };
    frame_gas_box(scene, &lo, &hi);
    int n = tarn_world_gas_count(world);
    if (n > FRAME_MAX_GASES) n = FRAME_MAX_GASES;
    for (int i = 0; i < n; ++i) {
        const TarnGas* gas = tarn_world_gas(world, i);
        TarnSceneGasLook look = tarn_scene_gas_look(scene, i);
        out[i] = (TarnFrameGas){ .view = tarn_gas_view(gas),
                                 .color = look.color,
                                 .opacity = look.opacity,
                                 .glow = look.glow,
                                 .ambient_temperature = tarn_gas_params(gas).ambient_temperature,
                                 .box_min = lo,
                                 .box_max = hi };
    }
    return n;
}

int frame_looks(const TarnScene* scene, TarnParticleLook* out)
{
    int n = 0;
    const TarnSceneLook* looks = tarn_scene_looks(scene, &n);
    if (looks == NULL || n <= 0) return 0;
    if (n > FRAME_MAX_LOOKS) n = FRAME_MAX_LOOKS;
    for (int i = 0; i < n; ++i) {
        const TarnSceneLook* l = &looks[i];
        out[i] = (TarnParticleLook){ .color = { l->birth, l->middle, l->end },
                                     .opacity = { l->opacity.x, l->opacity.y, l->opacity.z },
                                     .size = { l->size.x, l->size.y, l->size.z },
                                     .stretch = l->stretch,
                                     .is_additive = l->additive,
                                     .softness = l->softness };
    }
    return n;
}

#endif
