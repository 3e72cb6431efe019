#pragma once
// Stands in for what is being written elsewhere.
#include "world/world_internal.h"
TARN_INLINE double tarn__clock_ms(const TarnContext* ctx)
{
    (void)ctx;
    return 0.0;
}
TARN_INLINE void tarn_couple_bodies_solids(TarnBodies* bodies, TarnSolids* solids)
{
    (void)bodies, (void)solids;
}
typedef struct TarnFlowPush {
    float density;
} TarnFlowPush;
TARN_INLINE TarnFlowPush tarn_flow_push_default(void)
{
    return (TarnFlowPush){ 0 };
}
TARN_INLINE TarnResult tarn_couple_flow_bodies(TarnFlow flow, const TarnFlowPush* push,
                                               TarnBodies* bodies, float dt)
{
    (void)flow, (void)push, (void)bodies, (void)dt;
    return TARN_OK;
}
TARN_INLINE void tarn_floating_destroy(TarnFloating* f)
{
    (void)f;
}
TARN_INLINE TarnResult tarn_floating_create(TarnContext* ctx, TarnBodies* bodies, TarnFloating** out)
{
    (void)ctx, (void)bodies;
    *out = NULL;
    return TARN_OK;
}
TARN_INLINE uint64_t tarn_floating_hash(const TarnFloating* f)
{
    (void)f;
    return 0;
}
TARN_INLINE TarnResult tarn_floating_save(const void* f, void* b, size_t c, size_t* s)
{
    (void)f, (void)b, (void)c, (void)s;
    return TARN_OK;
}
TARN_INLINE TarnResult tarn_floating_load(void* f, const void* b, size_t s)
{
    (void)f, (void)b, (void)s;
    return TARN_OK;
}
TARN_INLINE TarnResult tarn_couple_surface_bodies(TarnFloating* f, const TarnSurface* s,
                                                  TarnBodies* bodies, float dt)
{
    (void)f, (void)s, (void)bodies, (void)dt;
    return TARN_OK;
}
