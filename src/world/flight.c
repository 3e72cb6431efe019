// The flight of a jetpack: an erratic path that takes off, wanders about and lands, as a function of time
// alone like the other animations. It leans into its accelerations, and its power is what they take.

#include "world/world_internal.h"
#include "base/maths.h"
#include "grid/noise.h"
#include <math.h>

static const double gravity = 9.81;
static const double nod = 1.0 / 120.0; // differences are taken over this to both sides [s]

static double smooth(double x) // 0 to 1 with flat ends, twice differentiable
{
    x = x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
    return x * x * x * (x * (x * 6.0 - 15.0) + 10.0);
}

static double ramp_of(const TarnDriverDef* def)
{
    double half = 0.5 * ((double)def->stop - (double)def->start);
    double ramp = (double)def->ramp > 0.2 ? (double)def->ramp : 0.2;
    return ramp < half || !(half > 0.0) ? ramp : half;
}

// 0 on the ground, 1 in free flight.
static double lift_at(const TarnDriverDef* def, double time)
{
    double ramp = ramp_of(def);
    return smooth((time - (double)def->start) / ramp) * smooth(((double)def->stop - time) / ramp);
}

static void place_at(const TarnDriverDef* def, const TarnMotion* rest, double time, double out[3])
{
    uint64_t seed = (uint64_t)((double)def->phase * 1e6);
    const Noise noise = { .seed = seed, .stream = 0x666c79, .octaves = 2, .gain = 0.4 };
    double lift = lift_at(def, time), at = (time - (double)def->start) / (double)def->period;
    double n[3];
    for (int a = 0; a < 3; ++a) n[a] = tarn__noise_fractal(&noise, at, 7.3 * (a + 1) + 0.5);
    // Sideways to both sides, in height from a tenth to all of it.
    out[0] = (double)rest->position.x + lift * 1.5 * (double)def->amplitude.x * n[0];
    out[1] = (double)rest->position.y + lift * (double)def->amplitude.y * (0.55 + 0.45 * n[1]);
    out[2] = (double)rest->position.z + lift * 1.5 * (double)def->amplitude.z * n[2];
}

// Acceleration and weight, over the time `half` to both sides: whoever flies does not lean at once.
static void push_at(const TarnDriverDef* def, const TarnMotion* rest, double time, double half,
                    double out[3])
{
    double before[3], now[3], after[3];
    place_at(def, rest, time - half, before);
    place_at(def, rest, time, now);
    place_at(def, rest, time + half, after);
    for (int a = 0; a < 3; ++a) out[a] = (after[a] - 2.0 * now[a] + before[a]) / (half * half);
    out[1] += gravity;
}

static TarnQuat lean_at(const TarnDriverDef* def, const TarnMotion* rest, double time)
{
    double push[3];
    push_at(def, rest, time, 0.12, push);
    // Twice the weight: whoever flies leans less than a rocket would.
    TarnVec3 up = { (float)push[0], (float)(tarn_maxf((float)push[1], 0.0f) + 9.81f),
                    (float)push[2] };
    up = vec3_normalize(up);
    TarnQuat lean = quat_normalize((TarnQuat){ up.z, 0.0f, -up.x, 1.0f + up.y });
    return quat_normalize(quat_multiply(lean, rest->rotation));
}

void tarn__flight_motion(const TarnDriverDef* def, const TarnMotion* rest, double time,
                         TarnMotion* out)
{
    double before[3], now[3], after[3];
    place_at(def, rest, time - nod, before);
    place_at(def, rest, time, now);
    place_at(def, rest, time + nod, after);
    out->position = (TarnVec3){ (float)now[0], (float)now[1], (float)now[2] };
    double per = 0.5 / nod;
    out->velocity =
        (TarnVec3){ (float)((after[0] - before[0]) * per), (float)((after[1] - before[1]) * per),
                    (float)((after[2] - before[2]) * per) };
    out->rotation = lean_at(def, rest, time);
    TarnQuat a = lean_at(def, rest, time - nod), b = lean_at(def, rest, time + nod);
    TarnQuat back = { -a.x, -a.y, -a.z, a.w }, turn = quat_multiply(b, back);
    float sign = turn.w < 0.0f ? -2.0f : 2.0f; // a small turn by w t is (w t / 2, 1)
    out->angular_velocity = vec3_scale((TarnVec3){ turn.x, turn.y, turn.z }, sign * (float)per);
}

float tarn__flight_power(const TarnDriverDef* def, const TarnMotion* rest, double time)
{
    double since = time - (double)def->start, left = (double)def->stop - time;
    double on = smooth(since / 0.15) * smooth(left / 0.15), push[3];
    if (!(on > 0.0)) return 0.0f;
    push_at(def, rest, time, 0.04, push);
    double full = sqrt(push[0] * push[0] + push[1] * push[1] + push[2] * push[2]);
    double power = full / (1.6 * gravity);
    return (float)(on * (power < 1.0 ? power : 1.0));
}

float tarn__flight_change(const TarnDriverDef* def, const TarnMotion* rest, double time)
{
    const double half = 0.05; // [s]
    float before = tarn__flight_power(def, rest, time - half);
    float after = tarn__flight_power(def, rest, time + half);
    return fabsf(after - before) / (float)(2.0 * half);
}
