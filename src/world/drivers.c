// Drivers move bodies by themselves. A circle moves a driven body, and so do spin, shake and slide
// (animations.c); thrust turns a free body into a boat. Boats have an engine, a keel, a helm and ballast,
// each a proportional controller with a cap, so that it stays within what a real boat could do and is stable
// at any substep. Boats under sail have a helm and ballast, and foils (foils.c) instead of the other two.

#include "world/world_internal.h"
#include "base/def.h"
#include "base/maths.h"
#include "base/param.h"

static const char* const kind_names[] = { "none",  "circle", "thrust", "spin", "shake",
                                          "slide", "sail",   "surf",   NULL };
enum { N_KINDS = 8 };

static const TarnParam driver_params[] = {
    P_ENUM(
        TarnDriverDef, kind, kind_names, N_KINDS, TARN_DRIVER_NONE,
        "Kind of motion. circle moves a driven body around a circle; thrust turns a free body "
        "into a boat; sail steers a free body with sails back and forth between two points; surf "
        "keeps "
        "a free body on the face of a breaking wave; spin, shake and slide move driven bodies and "
        "solids."),
    P_VEC2(TarnDriverDef, center, "m", -1e5, 1e5, 0, 0, "x and z of the center of the circle."),
    P_FLOAT(TarnDriverDef, radius, "m", 0.1, 1e4, 5,
            "Radius of the circle; of a sail: how near to a point it turns back; of surf: how far "
            "away a wave may break to be caught."),
    P_FLOAT(
        TarnDriverDef, speed, "m/s", -100, 100, 2,
        "Speed along the circle, counter-clockwise seen from above if positive, or of a slide."),
    P_VEC3(TarnDriverDef, axis, "", -1e3, 1e3, 0, 0, 1,
           "Axis of a spin, through the position of the body or solid."),
    P_ANGLE(TarnDriverDef, turn, "deg/s", -5730, 5730, 1 / PARAM_DEGREE,
            "Angular speed of a spin, right-handed about the axis."),
    P_VEC3(TarnDriverDef, amplitude, "m", -1e3, 1e3, 0.1, 0, 0,
           "How far a shake goes to each side."),
    P_FLOAT(TarnDriverDef, period, "s", 0.01, 10000, 1, "Period of a shake."),
    P_FLOAT(TarnDriverDef, phase, "", 0, 1, 0,
            "Phase of a shake or slide, as a share of its period."),
    P_VEC3(TarnDriverDef, from, "m", -1e5, 1e5, 0, 0, 0,
           "Point at which a slide begins, or where a sail turns back."),
    P_VEC3(TarnDriverDef, to, "m", -1e5, 1e5, 1, 0, 0,
           "Point at which a slide turns back, or where a sail goes first."),
    P_FLOAT(TarnDriverDef, start, "s", 0, 1e9, 0,
            "World time at which a spin, shake or slide begins."),
    P_FLOAT(TarnDriverDef, stop, "s", 0, 1e9, 1e9,
            "World time at which the motion ends; not before start."),
    P_FLOAT(TarnDriverDef, ramp, "s", 0, 10000, 0,
            "Time that a spin or shake takes to reach full strength."),
};
static const TarnParamTable driver_table = PARAM_TABLE("driver", TarnDriverDef, driver_params);

const TarnParamTable* tarn_driver_def_table(void)
{
    return &driver_table;
}

void tarn_driver_init_def(TarnDriverDef* out, size_t size)
{
    TarnDriverDef def = { 0 };
    tarn_param_defaults(&driver_table, &def);
    TARN_INIT_DEF(TarnDriverDef, out, size, &def);
}

static bool is_boat(int kind) // of free bodies
{
    return kind == TARN_DRIVER_THRUST || kind == TARN_DRIVER_SAIL || kind == TARN_DRIVER_SURF;
}

static const float max_turn = 100.0f; // [rad/s]; bodies are refused beyond 200

static bool is_slow(const TarnDriverDef* def)
{
    return tarn__driver_is_animation(def->kind) || def->kind == TARN_DRIVER_SAIL ||
           def->kind == TARN_DRIVER_SURF || fabsf(def->speed) <= max_turn * def->radius;
}

TarnResult tarn__driver_check(TarnContext* ctx, const TarnDriverDef* def)
{
    const float most = 500.0f; // [m/s]
    TARN_TRY(
        TARN_CHECK_DEF(ctx, "driver", "tarn/world.h", TarnDriverDef, tarn_driver_default_def, def));
    TARN_TRY(tarn_param_validate(ctx, &driver_table, def));
    if (!is_slow(def))
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "driver.speed: %g m/s around a radius of %g m turns faster than %g rad/s; "
            "lower the speed or raise the radius",
            (double)def->speed, (double)def->radius, (double)max_turn);
    if (!tarn__driver_is_animation(def->kind)) return TARN_OK;
    if (def->stop < def->start)
        return tarn__fail(ctx, TARN_ERR_ARG, "driver.stop: %g s is before driver.start, %g s",
                          (double)def->stop, (double)def->start);
    if (def->kind == TARN_DRIVER_SPIN && !(vec3_length(def->axis) > 0.0f))
        return tarn__fail(ctx, TARN_ERR_ARG, "driver.axis: it must not be zero; set a direction");
    float reach = vec3_length(def->amplitude), swell = def->ramp > 0.0f ? reach / def->ramp : 0.0f;
    float fastest = reach * 6.2831853f / def->period + swell;
    bool is_swinging = def->kind == TARN_DRIVER_SHAKE;
    if (is_swinging && fastest > most)
        return tarn__fail(
            ctx, TARN_ERR_ARG,
            "driver.amplitude: with a period of %g s and a ramp of %g s the speed reaches %g m/s; "
            "allowed: at most %g m/s; lower the amplitude or raise the period",
            (double)def->period, (double)def->ramp, (double)fastest, (double)most);
    return TARN_OK;
}

// ---- Which body ----------------------------------------------------------------------------------

TarnBody* tarn__driver_body(const TarnWorld* world, int slot)
{
    const Driver* driver = &world->drivers[slot];
    TarnBody* body = tarn__bodies_slot(world->bodies, slot);
    bool is_mine = driver->def.kind != TARN_DRIVER_NONE &&
                   tarn__world_slot_of(world, driver->body) == slot &&
                   body->is_driven == !is_boat(driver->def.kind);
    return is_mine ? body : NULL;
}

TarnResult tarn_world_set_driver(TarnWorld* world, TarnBodyId id, const TarnDriverDef* def)
{
    if (world == NULL) return TARN_ERR_ARG;
    TarnContext* ctx = world->ctx;
    TARN_TRY(tarn__driver_check(ctx, def));
    int slot = tarn__world_slot_of(world, id);
    if (slot < 0)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "driver: the body's id is null, stale or belongs to another set");
    const TarnBody* body = tarn__bodies_slot(world->bodies, slot);
    bool is_carrying = def->kind == TARN_DRIVER_CIRCLE || tarn__driver_is_animation(def->kind);
    if (is_carrying && !body->is_driven)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "driver.kind: %s needs a driven body; make it driven, or use thrust",
                          kind_names[def->kind]);
    if (is_boat(def->kind) && body->is_driven)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "driver.kind: %s needs a free body; make it free, or use circle",
                          kind_names[def->kind]);

    TarnVec3 at = body->state.position;
    Driver driver = { .def = *def, .body = id };
    driver.rest = body->state;
    bool is_sail = def->kind == TARN_DRIVER_SAIL;
    driver.angle =
        is_sail ? 0.0 : (double)tarn_atan2(-(at.z - def->center.y), at.x - def->center.x);
    world->drivers[slot] = driver;
    return TARN_OK;
}

// ---- Circle --------------------------------------------------------------------------------------

// Where the body is at the end of the substep. Looking down on the xz plane with x to the right, z
// points down: counter-clockwise is a right-handed turn about y, from +x towards -z.
static TarnBodyState on_circle(const Driver* driver, float y)
{
    const TarnDriverDef* def = &driver->def;
    float s, c, way = def->speed < 0.0f ? -1.0f : 1.0f;
    tarn_sincos((float)driver->angle, &s, &c);
    TarnBodyState state = { .position = { def->center.x + def->radius * c, y,
                                          def->center.y - def->radius * s } };
    state.velocity = (TarnVec3){ -def->speed * s, 0.0f, -def->speed * c };
    state.angular_velocity.y = def->speed / def->radius;
    float yaw = (float)(driver->angle + way * 1.5707963267948966); // local +x along the velocity
    state.rotation = quat_from_axis_angle((TarnVec3){ 0.0f, 1.0f, 0.0f }, yaw);
    return state;
}

static TarnBodyState move_on_circle(Driver* driver, const TarnBody* body, float dt)
{
    const double turn = 6.283185307179586;
    double angle = driver->angle + (double)driver->def.speed / driver->def.radius * dt;
    driver->angle = angle - turn * floor(angle / turn + 0.5); // small angles keep their digits
    return on_circle(driver, body->state.position.y);
}

// ---- Thrust --------------------------------------------------------------------------------------

// Gains [1/s] and limits of a nimble small boat.
static const float engine_gain = 2.0f, engine_cap = 6.0f; // towards the speed [m/s^2]
static const float keel_gain = 3.0f, keel_cap = 6.0f;     // against slipping sideways [m/s^2]
static const float helm_gain = 1.5f, helm_cap = 1.5f; // from course error to rate of turn [rad/s]
static const float sail_helm_cap = 0.6f;              // a sail boat turns at leisure [rad/s]
static const float rudder_gain = 5.0f, rudder_cap = 5.0f; // towards that rate [rad/s^2]
static const float ballast_gain = 15.0f, ballast_damping = 4.0f, ballast_cap = 15.0f; // [rad/s^2]

static float capped(float x, float cap)
{
    return tarn_clampf(x, -cap, cap);
}

static TarnVec3 level(TarnVec3 v) // its horizontal direction
{
    v.y = 0.0f;
    return vec3_normalize(v);
}

// Rate of turn [rad/s] that leads onto the circle and around it: along the tangent, leaning inward
// or outward depending on how far off the boat is.
static float helm(const TarnDriverDef* def, const TarnBodyState* state, TarnVec3 nose, float ahead)
{
    const TarnVec3 up = { 0.0f, 1.0f, 0.0f };
    TarnVec3 arm = { state->position.x - def->center.x, 0.0f, state->position.z - def->center.y };
    float distance = vec3_length(arm), way = def->speed < 0.0f ? -1.0f : 1.0f;
    TarnVec3 out = distance > 0.0f ? vec3_scale(arm, 1.0f / distance) : nose;
    TarnVec3 course = vec3_scale(vec3_cross(up, out), way);
    float off = capped(4.0f * (distance - def->radius) / def->radius, 1.5f);
    course = vec3_sub(course, vec3_scale(out, off));

    float error = tarn_atan2(vec3_dot(up, vec3_cross(nose, course)), vec3_dot(nose, course));
    float round = way * ahead / tarn_maxf(distance, def->radius);
    return capped(round + helm_gain * error, helm_cap);
}

// Torque that turns a body with this angular acceleration about a unit axis [N m].
static TarnVec3 torque_about(const TarnBody* body, TarnVec3 axis, float acceleration)
{
    float ease = vec3_dot(axis, tarn__body_inertia_inv(body, axis)); // [1/(kg m^2)]
    return vec3_scale(axis, ease > 0.0f ? acceleration / ease : 0.0f);
}

// Ballast rights a boat that heels or pitches: a hull of one density would roll over in its own wake.
static float ballast(const TarnBodyState* state, TarnVec3 axis)
{
    const TarnVec3 up = { 0.0f, 1.0f, 0.0f };
    TarnVec3 mast = quat_rotate(state->rotation, up);
    float lean = vec3_dot(vec3_cross(mast, up), axis);    // sine of the angle
    if (mast.y < 0.0f) lean = lean < 0.0f ? -1.0f : 1.0f; // capsized
    float rate = vec3_dot(state->angular_velocity, axis);
    return capped(ballast_gain * lean - ballast_damping * rate, ballast_cap);
}

// A boat on an even keel that turns at this rate [rad/s].
static void steer(TarnBody* body, TarnVec3 nose, TarnVec3 side, float rate)
{
    const TarnVec3 up = { 0.0f, 1.0f, 0.0f };
    const TarnBodyState* state = &body->state;
    float rudder = capped(rudder_gain * (rate - state->angular_velocity.y), rudder_cap);
    TarnVec3 torque = vec3_add(torque_about(body, nose, ballast(state, nose)),
                               torque_about(body, side, ballast(state, side)));
    torque = vec3_add(torque, torque_about(body, up, rudder));
    body->added_torque = vec3_add(body->added_torque, torque);
}

// Its foils drive it (foils.c); the helm points it at one point and then at the other.
static void sail_boat(Driver* driver, TarnBody* body)
{
    const TarnVec3 up = { 0.0f, 1.0f, 0.0f };
    const TarnBodyState* state = &body->state;
    TarnVec3 nose = level(quat_rotate(state->rotation, (TarnVec3){ 1.0f, 0.0f, 0.0f }));
    bool is_afloat = body->force.submerged_volume > 0.0f;
    if (!is_afloat || vec3_dot(nose, nose) == 0.0f) return; // in the air, or standing on end
    TarnVec3 course =
        vec3_sub(driver->angle == 0.0 ? driver->def.to : driver->def.from, state->position);
    course.y = 0.0f;
    if (vec3_length(course) < driver->def.radius) driver->angle = driver->angle == 0.0 ? 1.0 : 0.0;
    float error = tarn_atan2(vec3_dot(up, vec3_cross(nose, course)), vec3_dot(nose, course));
    steer(body, nose, vec3_cross(up, nose), capped(helm_gain * error, sail_helm_cap));
}

static void push_boat(const Driver* driver, TarnBody* body)
{
    const TarnVec3 up = { 0.0f, 1.0f, 0.0f };
    const TarnBodyState* state = &body->state;
    TarnVec3 nose = level(quat_rotate(state->rotation, (TarnVec3){ 1.0f, 0.0f, 0.0f }));
    bool is_afloat = body->force.submerged_volume > 0.0f;
    if (!is_afloat || vec3_dot(nose, nose) == 0.0f) return; // in the air, or standing on end

    TarnVec3 side = vec3_cross(up, nose);
    float ahead = vec3_dot(state->velocity, nose), slip = vec3_dot(state->velocity, side);
    float wish =
        engine_gain * (fabsf(driver->def.speed) - ahead); // and as much as the water brakes
    float engine = capped(wish - vec3_dot(body->force.force, nose) / body->mass, engine_cap);
    float keel = capped(-keel_gain * slip, keel_cap);
    TarnVec3 acceleration = vec3_add(vec3_scale(nose, engine), vec3_scale(side, keel));

    steer(body, nose, side, helm(&driver->def, state, nose, ahead));
    body->added_force = vec3_add(body->added_force, vec3_scale(acceleration, body->mass));
}

TarnResult tarn__drivers_step(TarnWorld* world, float dt, double t1)
{
    for (int slot = 0; slot < tarn__bodies_capacity(world->bodies); ++slot) {
        Driver* driver = &world->drivers[slot];
        TarnBody* body = tarn__driver_body(world, slot);
        if (body && body->is_driven) {
            TarnBodyState state = tarn__driver_is_animation(driver->def.kind)
                                      ? tarn__driver_motion(&driver->def, &driver->rest, t1)
                                      : move_on_circle(driver, body, dt);
            TARN_TRY(tarn_bodies_set_state(world->bodies, driver->body, &state));
        } else if (body && driver->def.kind == TARN_DRIVER_SAIL) {
            sail_boat(driver, body);
        } else if (body && driver->def.kind == TARN_DRIVER_SURF) {
            tarn__surf_ride(world, &driver->def, body);
        } else if (body) {
            push_boat(driver, body);
        }
    }
    return TARN_OK;
}
