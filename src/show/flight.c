// The flight of a jetpack: an erratic path that takes off, wanders about and lands, as a function of time
// alone. It leans into its accelerations, and its power is what they take.

#include "tarn/show.h"
#include "base/base.h"
#include "base/maths.h"
#include "base/def.h"
#include "base/param.h"
#include "grid/noise.h"
#include <math.h>

static const TarnParam flight_params[] = {
    P_VEC3(TarnFlightDef, amplitude, "m", -1e3, 1e3, 2, 2, 2,
           "How far the flight goes to each side along x and z, and how high along y."),
    P_FLOAT(TarnFlightDef, period, "s", 0.01, 10000, 1,
            "Average time between changes of direction."),
    P_FLOAT(TarnFlightDef, phase, "", 0, 1, 0, "Each phase gives a different path."),
    P_FLOAT(TarnFlightDef, start, "s", 0, 1e9, 0, "World time at which the body takes off."),
    P_FLOAT(TarnFlightDef, stop, "s", 0, 1e9, 1e9,
            "World time at which the body has landed; not before start."),
    P_FLOAT(TarnFlightDef, ramp, "s", 0, 10000, 0, "Duration of takeoff and of landing."),
};
static const TarnParamTable flight_table = PARAM_TABLE("flight", TarnFlightDef, flight_params);

const TarnParamTable* tarn_flight_def_table(void)
{
    return &flight_table;
}

void tarn_flight_init_def(TarnFlightDef* out, size_t size)
{
    TarnFlightDef def = { 0 };
    tarn_param_defaults(&flight_table, &def);
    TARN_INIT_DEF(TarnFlightDef, out, size, &def);
}

static const double gravity = 9.81;
static const double nod = 1.0 / 120.0; // differences are taken over this to both sides [s]

static double smooth(double x) // 0 to 1 with flat ends, twice differentiable
{
    x = x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
    return x * x * x * (x * (x * 6.0 - 15.0) + 10.0);
}

static double ramp_of(const TarnFlightDef* def)
{
    double half = 0.5 * ((double)def->stop - (double)def->start);
    double ramp = (double)def->ramp > 0.2 ? (double)def->ramp : 0.2;
    return ramp < half || !(half > 0.0) ? ramp : half;
}

// 0 on the ground, 1 in free flight.
static double lift_at(const TarnFlightDef* def, double time)
{
    double ramp = ramp_of(def);
    return smooth((time - (double)def->start) / ramp) * smooth(((double)def->stop - time) / ramp);
}

static void place_at(const TarnFlightDef* def, const TarnMotion* rest, double time, double out[3])
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

// Acceleration and weight, averaged over `half` to both sides: a pilot does not lean at once.
static void push_at(const TarnFlightDef* def, const TarnMotion* rest, double time, double half,
                    double out[3])
{
    double before[3], now[3], after[3];
    place_at(def, rest, time - half, before);
    place_at(def, rest, time, now);
    place_at(def, rest, time + half, after);
    for (int a = 0; a < 3; ++a) out[a] = (after[a] - 2.0 * now[a] + before[a]) / (half * half);
    out[1] += gravity;
}

static TarnQuat lean_at(const TarnFlightDef* def, const TarnMotion* rest, double time)
{
    double push[3];
    push_at(def, rest, time, 0.12, push);
    // Twice the weight: a pilot leans less than a rocket would.
    TarnVec3 up = { (float)push[0], (float)(tarn_maxf((float)push[1], 0.0f) + 9.81f),
                    (float)push[2] };
    up = vec3_normalize(up);
    TarnQuat lean = quat_normalize((TarnQuat){ up.z, 0.0f, -up.x, 1.0f + up.y });
    return quat_normalize(quat_multiply(lean, rest->rotation));
}

static void flight_motion(const TarnFlightDef* def, const TarnMotion* rest, double time,
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

static float flight_power(const TarnFlightDef* def, const TarnMotion* rest, double time)
{
    double since = time - (double)def->start, left = (double)def->stop - time;
    double on = smooth(since / 0.15) * smooth(left / 0.15), push[3];
    if (!(on > 0.0)) return 0.0f;
    push_at(def, rest, time, 0.04, push);
    double full = sqrt(push[0] * push[0] + push[1] * push[1] + push[2] * push[2]);
    double power = full / (1.6 * gravity);
    return (float)(on * (power < 1.0 ? power : 1.0));
}

static float flight_change(const TarnFlightDef* def, const TarnMotion* rest, double time)
{
    const double half = 0.05; // [s]
    float before = flight_power(def, rest, time - half);
    float after = flight_power(def, rest, time + half);
    return fabsf(after - before) / (float)(2.0 * half);
}

// ---- The flights of a world ------------------------------------------------------------------------

typedef struct Flight {
    TarnBodyId body;
    TarnFlightDef def;
    TarnMotion rest;
} Flight;

struct TarnFlights {
    TarnContext* ctx;
    TarnWorld* world;
    int n;
    Flight flights[TARN_MAX_FLIGHTS];
};

// Bodies that are gone are passed over: their ids are stale.
static void fly(TarnWorld* world, float dt, void* user)
{
    const TarnFlights* all = user;
    double time = tarn_world_time(world);
    for (int i = 0; i < all->n; ++i) {
        const Flight* f = &all->flights[i];
        TarnMotion motion;
        flight_motion(&f->def, &f->rest, time + (double)dt, &motion);
        if (!tarn_bodies_is_driven(tarn_world_bodies(world), f->body)) continue;
        tarn_bodies_set_state(tarn_world_bodies(world), f->body, &motion);
        tarn_world_throttle(world, f->body, TARN_THROTTLE_STEADY,
                            flight_power(&f->def, &f->rest, time));
        tarn_world_throttle(world, f->body, TARN_THROTTLE_CHANGE,
                            tarn_minf(flight_change(&f->def, &f->rest, time), 1.0f));
    }
}

TarnResult tarn_flights_create(TarnContext* ctx, TarnWorld* world, TarnFlights** out)
{
    if (out) *out = NULL;
    if (ctx == NULL || world == NULL || out == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "tarn_flights_create: ctx, world and out must not be NULL");
    TarnFlights* flights = tarn__alloc(ctx, sizeof *flights);
    if (flights == NULL) return tarn__fail(ctx, TARN_ERR_MEMORY, "flights: out of memory");
    flights->ctx = ctx;
    flights->world = world;
    tarn_world_set_script(world, fly, flights);
    *out = flights;
    return TARN_OK;
}

void tarn_flights_destroy(TarnFlights* flights)
{
    if (flights == NULL) return;
    tarn_world_set_script(flights->world, NULL, NULL);
    tarn__free(flights->ctx, flights, sizeof *flights);
}

static TarnResult check(TarnContext* ctx, const TarnFlightDef* def)
{
    const float most = 500.0f; // [m/s]
    TARN_TRY(
        TARN_CHECK_DEF(ctx, "flight", "tarn/show.h", TarnFlightDef, tarn_flight_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &flight_table, def));
    if (def->stop < def->start)
        return tarn__fail(ctx, TARN_ERR_ARG, "flight.stop: %g s is before flight.start, %g s",
                          (double)def->stop, (double)def->start);
    float reach = vec3_length(def->amplitude), swell = def->ramp > 0.0f ? reach / def->ramp : 0.0f;
    float fastest = reach * 6.2831853f / def->period + swell;
    if (fastest <= most) return TARN_OK;
    return tarn__fail(
        ctx, TARN_ERR_ARG,
        "flight.amplitude: with a period of %g s and a ramp of %g s the speed reaches %g m/s; "
        "allowed: at most %g m/s; lower the amplitude or raise the period",
        (double)def->period, (double)def->ramp, (double)fastest, (double)most);
}

TarnResult tarn_flights_add(TarnFlights* flights, TarnBodyId body, const TarnFlightDef* def)
{
    if (flights == NULL) return TARN_ERR_ARG;
    TARN_TRY(check(flights->ctx, def));
    Flight flight = { .body = body, .def = *def };
    TarnBodies* bodies = tarn_world_bodies(flights->world);
    if (!tarn_bodies_is_driven(bodies, body))
        return tarn__fail(flights->ctx, TARN_ERR_ARG,
                          "flight: the body is not a driven body of this world; make it driven");
    if (flights->n == TARN_MAX_FLIGHTS)
        return tarn__fail(flights->ctx, TARN_ERR_CAPACITY,
                          "flight: there are %d flights already, which is the maximum", flights->n);
    TARN_TRY(tarn_bodies_get_state(bodies, body, &flight.rest));
    flights->flights[flights->n++] = flight;
    return TARN_OK;
}
