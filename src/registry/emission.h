// Inside src/registry only: what emitters of several waters have in common.
#pragma once

#include "tarn/emitter.h"
#include "base/base.h"

TARN_INLINE TarnVec2 emission_between(TarnVec2 a, TarnVec2 b, double s)
{
    return (TarnVec2){ (float)(a.x + s * ((double)b.x - a.x)),
                       (float)(a.y + s * ((double)b.y - a.y)) };
}

// The n-th drop falls 1/rate, 2/rate ... after begin, at a place that depends on the seed, the emitter and n only.
typedef TarnResult TarnEmissionDropFn(void* solver, TarnVec2 center, float radius, float height);
void tarn__emission_rain(const TarnEmission* e, void* solver, TarnEmissionDropFn* drop);
// The brush reaches b after each period and jumps back to a. A step draws only a piece of the stroke, often much shorter
// than the brush is wide, and the pieces overlap. So each digs its share, such that still water would keep a furrow of the
// full height. finest: the narrowest brush [m].
typedef TarnResult TarnEmissionStrokeFn(void* solver, TarnVec2 a, TarnVec2 b, float radius,
                                        float height);
void tarn__emission_stroke(const TarnEmission* e, void* solver, float finest,
                           TarnEmissionStrokeFn* stroke);

// Volume added [m^3]: all of a drop, or what a source emits in this time.
TARN_INLINE float emission_volume(const TarnEmission* e)
{
    if (e->def->kind == TARN_EMITTER_SOURCE) return (float)(e->def->flow * (e->to - e->from));
    return e->is_first ? 3.14159265f * e->def->radius * e->def->radius * e->def->height : 0.0f;
}
