// The driver of a surfboard: it asks the members that have breaking waves for the nearest curl (TarnSolverClass.curl)
// and keeps the board on the face there. A rider's weight and turns are proportional controllers with caps, as the engine
// and helm of a boat are.

#include "world/world_internal.h"
#include "base/maths.h"

static const float hold_gain = 30.0f,
                   hold_damping = 11.0f; // towards the place on the face [1/s^2], [1/s]
static const float hold_cap = 40.0f;     // [m/s^2]
static const float turn_gain = 220.0f, turn_damping = 26.0f; // [1/s^2], [1/s]
static const float nose_down = 0.35f; // of the course: down the face, to one along the crest
static const float turn_cap = 800.0f; // [rad/s^2]

static bool find_curl(const TarnWorld* world, TarnVec3 board, float reach, TarnCurl* out)
{
    bool is_found = false;
    *out = (TarnCurl){ .distance = reach };
    for (int i = 0; i < world->def.max_solvers; ++i) {
        const Member* member = &world->members[i];
        TarnCurl curl;
        if (member->class == NULL || member->class->curl == NULL) continue;
        if (!member->class->curl(member->solver, board, reach, &curl)) continue;
        *out = curl;
        reach = curl.distance;
        is_found = true;
    }
    return is_found;
}

static TarnVec3 capped(TarnVec3 v, float cap)
{
    float length = vec3_length(v);
    return length > cap ? vec3_scale(v, cap / length) : v;
}

void tarn__surf_ride(const TarnWorld* world, const TarnDriverDef* def, TarnBody* body)
{
    const TarnBodyState* state = &body->state;
    TarnCurl curl;
    if (!find_curl(world, state->position, def->radius, &curl)) return;
    TarnVec3 down = { curl.direction.x, 0.0f, curl.direction.y };
    TarnVec3 place = vec3_add(curl.position, vec3_scale(down, 0.3f * curl.height));
    // It lies on the water where it is, not where it should be: a rider cannot lift the board.
    place.y = tarn_surface_height(tarn_world_surface(world), state->position.x, state->position.z);
    TarnVec3 pull = vec3_add(vec3_scale(vec3_sub(place, state->position), hold_gain),
                             vec3_scale(vec3_sub(curl.velocity, state->velocity), hold_damping));
    body->added_force = vec3_add(body->added_force, vec3_scale(capped(pull, hold_cap), body->mass));

    // The board lies flatter than the face. Its nose points along the crest and a little down the face: the wave carries
    // it sideways.
    float steep = 0.5f * tarn_clampf(curl.slope, 0.0f, 1.5f);
    TarnVec3 up = vec3_normalize((TarnVec3){ down.x * steep, 1.0f, down.z * steep });
    TarnVec3 top = quat_rotate(state->rotation, (TarnVec3){ 0.0f, 1.0f, 0.0f });
    TarnVec3 nose = quat_rotate(state->rotation, (TarnVec3){ 1.0f, 0.0f, 0.0f });
    TarnVec3 along = vec3_sub(curl.velocity, vec3_scale(down, vec3_dot(curl.velocity, down)));
    TarnVec3 course = vec3_normalize(vec3_add(vec3_normalize(along), vec3_scale(down, nose_down)));
    float yaw = vec3_dot(up, vec3_cross(nose, course));
    if (vec3_dot(nose, course) < 0.0f) yaw = yaw < 0.0f ? -1.0f : 1.0f;
    TarnVec3 error = vec3_add(vec3_cross(top, up), vec3_scale(up, yaw));
    TarnVec3 turn =
        vec3_sub(vec3_scale(error, turn_gain), vec3_scale(state->angular_velocity, turn_damping));
    turn = capped(turn, turn_cap);
    for (int axis = 0; axis < 3; ++axis) {
        TarnVec3 unit = { axis == 0, axis == 1, axis == 2 };
        float ease = vec3_dot(unit, tarn__body_inertia_inv(body, unit)); // [1/(kg m^2)]
        float wish = vec3_dot(unit, turn);
        if (ease > 0.0f)
            body->added_torque = vec3_add(body->added_torque, vec3_scale(unit, wish / ease));
    }
}
