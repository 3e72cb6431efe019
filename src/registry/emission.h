// Inside src/registry only: what emitters of several waters have in common.
#pragma once

#include "tarn/emitter.h"
#include "base/base.h"

TARN_INLINE TarnVec2 emission_between(TarnVec2 a, TarnVec2 b, double s)
{
    return (TarnVec2){ (float)(a.x + s * ((double)b.x - a.x)),
                       (float)(a.y + s * ((double)b.y - a.y)) };
}

// Volume added [m^3]: all of a drop, or what a source emits in this time.
TARN_INLINE float emission_volume(const TarnEmission* e)
{
    if (e->def->kind == TARN_EMITTER_SOURCE) return (float)(e->def->flow * (e->to - e->from));
    return e->is_first ? 3.14159265f * e->def->radius * e->def->radius * e->def->height : 0.0f;
}
