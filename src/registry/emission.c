// What emitters of several waters have in common.

#include "registry/emission.h"
#include "base/maths.h"
#include <math.h>

void tarn__emission_rain(const TarnEmission* e, void* solver, TarnEmissionDropFn* drop)
{
    const TarnEmitterDef* def = e->def;
    uint64_t n0 = (uint64_t)floor(def->rate * (e->from - e->begin)),
             n1 = (uint64_t)floor(def->rate * (e->to - e->begin));
    for (uint64_t n = n0; n < n1; ++n) {
        TarnVec2 at;
        at.x = emission_between(def->a, def->b, tarn__random01(e->seed, e->stream, 2 * n)).x;
        at.y = emission_between(def->a, def->b, tarn__random01(e->seed, e->stream, 2 * n + 1)).y;
        drop(solver, at, def->radius, def->height);
    }
}

void tarn__emission_stroke(const TarnEmission* e, void* solver, float finest,
                           TarnEmissionStrokeFn* stroke)
{
    const TarnEmitterDef* def = e->def;
    float radius = tarn_maxf(def->radius, finest);
    double s0 = (e->from - e->begin) / def->period, s1 = (e->to - e->begin) / def->period;
    while (s0 < s1) {
        double lap = floor(s0), end = s1 < lap + 1.0 ? s1 : lap + 1.0;
        TarnVec2 from = emission_between(def->a, def->b, s0 - lap),
                 to = emission_between(def->a, def->b, end - lap);
        float length = vec3_length((TarnVec3){ to.x - from.x, 0.0f, to.y - from.y });
        float share = length / (length + 0.8f * radius); // 0.8: the dip less the ring around it
        stroke(solver, from, to, def->radius, def->height * share);
        s0 = end;
    }
}
