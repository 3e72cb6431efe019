// Spin, shake and slide: motions of driven bodies and of solids that are functions of time alone, so that
// steps of any length end at the same pose and a snapshot needs no more than where they began.

#include "world/world_internal.h"
#include "base/maths.h"
#include <math.h>

static const double two_pi = 6.283185307179586;

bool tarn__driver_is_animation(int kind)
{
    return kind >= TARN_DRIVER_SPIN && kind <= TARN_DRIVER_SLIDE;
}

// Seconds into the motion; before and after, the body is at rest.
typedef struct Clock {
    double t;
    bool is_running;
} Clock;

static Clock clock_of(const TarnDriverDef* def, double time)
{
    double t = time - def->start, length = (double)def->stop - def->start;
    if (t < 0.0) return (Clock){ 0.0, false };
    return t <= length ? (Clock){ t, true } : (Clock){ length, false };
}

// The rate grows linearly over the ramp.
static void spin(const TarnDriverDef* def, Clock clock, TarnMotion* out)
{
    double ramp = def->ramp, t = clock.t;
    double turned = t < ramp ? 0.5 * t * t / ramp : t - 0.5 * ramp;
    double rate = t < ramp ? t / ramp : 1.0;
    double angle = turned * def->turn;
    angle -= two_pi * floor(angle / two_pi + 0.5);
    TarnQuat turn = quat_from_axis_angle(def->axis, (float)angle);
    out->rotation = quat_normalize(quat_multiply(turn, out->rotation));
    double w = clock.is_running ? rate * def->turn : 0.0;
    out->angular_velocity = vec3_scale(vec3_normalize(def->axis), (float)w);
}

static void shake(const TarnDriverDef* def, Clock clock, TarnMotion* out)
{
    double ramp = def->ramp, t = clock.t, turns = t / def->period + def->phase;
    double share = t < ramp ? t / ramp : 1.0, grows = t < ramp ? 1.0 / ramp : 0.0;
    float s, c;
    tarn_sincos((float)(two_pi * (turns - floor(turns))), &s, &c);
    double at = share * s, rate = grows * s + share * c * two_pi / def->period;
    out->position = vec3_add(out->position, vec3_scale(def->amplitude, (float)at));
    if (clock.is_running) out->velocity = vec3_scale(def->amplitude, (float)rate);
}

static void slide(const TarnDriverDef* def, Clock clock, TarnMotion* out)
{
    TarnVec3 way = vec3_sub(def->to, def->from);
    double length = vec3__length(way), speed = fabs((double)def->speed);
    if (!(length > 0.0)) return;
    double laps = clock.t * speed / (2.0 * length) + def->phase;
    double m = 2.0 * (laps - floor(laps));
    bool is_back = m > 1.0;
    out->position = vec3_add(def->from, vec3_scale(way, (float)(is_back ? 2.0 - m : m)));
    double rate = (is_back ? -speed : speed) / length;
    if (clock.is_running) out->velocity = vec3_scale(way, (float)rate);
}

TarnMotion tarn__driver_motion(const TarnDriverDef* def, const TarnMotion* rest, double time)
{
    TarnMotion out = { .position = rest->position, .rotation = rest->rotation };
    Clock clock = clock_of(def, time);
    if (def->kind == TARN_DRIVER_SPIN) spin(def, clock, &out);
    if (def->kind == TARN_DRIVER_SHAKE) shake(def, clock, &out);
    if (def->kind == TARN_DRIVER_SLIDE) slide(def, clock, &out);
    return out;
}

// ---- Of solids -------------------------------------------------------------------------------------

static SolidDriver* find(const TarnWorld* world, TarnSolidId solid)
{
    for (int i = 0; i < world->def.max_solids; ++i) {
        if (world->solid_drivers[i].solid.value == solid.value) return &world->solid_drivers[i];
    }
    return NULL;
}

// Finds an unused place, or that of a removed solid.
static SolidDriver* find_place(const TarnWorld* world)
{
    TarnSolidDef def;
    SolidDriver* empty = find(world, (TarnSolidId){ 0 });
    for (int i = 0; empty == NULL && i < world->def.max_solids; ++i) {
        SolidDriver* place = &world->solid_drivers[i];
        if (tarn_solids_get(world->solids, place->solid, &def) != TARN_OK) empty = place;
    }
    return empty;
}

TarnResult tarn_world_set_solid_driver(TarnWorld* world, TarnSolidId solid,
                                       const TarnDriverDef* def)
{
    if (world == NULL) return TARN_ERR_ARG;
    TarnSolidDef is;
    TARN_TRY(tarn__driver_check(world->ctx, def));
    if (def->kind != TARN_DRIVER_NONE && !tarn__driver_is_animation(def->kind))
        return tarn__fail(
            world->ctx, TARN_ERR_ARG,
            "driver.kind: solids support spin, shake and slide; circle and thrust are for bodies");
    if (tarn_solids_get(world->solids, solid, &is) != TARN_OK)
        return tarn__fail(world->ctx, TARN_ERR_ARG,
                          "driver: the solid's id is null, stale or belongs to another set");
    SolidDriver* place = find(world, solid);
    if (def->kind == TARN_DRIVER_NONE) {
        if (place) *place = (SolidDriver){ 0 };
        return TARN_OK;
    }
    if (place == NULL) place = find_place(world);
    if (place == NULL)
        return tarn__fail(world->ctx, TARN_ERR_CAPACITY,
                          "all %d drivers of solids are in use; raise world.max_solids",
                          world->def.max_solids);
    *place = (SolidDriver){ .solid = solid, .def = *def, .rest = is.motion };
    TarnMotion now = tarn__driver_motion(def, &is.motion, world->time);
    return tarn_solids_place(world->solids, solid, &now);
}

TarnResult tarn__solid_drivers_step(TarnWorld* world, double t1)
{
    TarnSolidDef is;
    for (int i = 0; i < world->def.max_solids; ++i) {
        SolidDriver* driver = &world->solid_drivers[i];
        if (driver->solid.value == 0) continue;
        if (tarn_solids_get(world->solids, driver->solid, &is) != TARN_OK) {
            *driver = (SolidDriver){ 0 }; // the solid was removed
            continue;
        }
        TarnMotion motion = tarn__driver_motion(&driver->def, &driver->rest, t1);
        TARN_TRY(tarn_solids_move(world->solids, driver->solid, &motion));
    }
    return TARN_OK;
}
