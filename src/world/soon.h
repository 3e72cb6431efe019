#pragma once
// Stands in for what is being written elsewhere.
#include "world/world_internal.h"
TARN_INLINE double tarn__clock_ms(const TarnContext* ctx)
{
    (void)ctx;
    return 0.0;
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
