// The driver of a surfboard: it looks for the curl of a breaking wave, the place where its sheet ends, and keeps the
// board on the face there, a little inside of the barrel. A rider's weight and turns are proportional controllers with
// caps, as the engine and helm of a boat are.

#include "world/world_internal.h"
#include "base/maths.h"
#include "tarn/breakers.h"

enum { MAX_POINTS = 512 }; // of a line that are looked at
static const float hold_gain = 12.0f,
                   hold_damping = 7.0f; // towards the place on the face [1/s^2], [1/s]
static const float hold_cap = 40.0f;    // [m/s^2]
static const float turn_gain = 220.0f, turn_damping = 26.0f; // [1/s^2], [1/s]
static const float turn_cap = 800.0f;                        // [rad/s^2]
static const float inside = 1.2f; // of the barrel, in heights of the wave

typedef struct Curl {
    TarnBreakerPoint at; // a little inside
    TarnVec3 velocity;   // of that place [m/s]
    float distance;      // of the board from it [m]
} Curl;

static float apart(const TarnBreakerPoint* p, TarnVec3 from)
{
    return vec3_length((TarnVec3){ p->position.x - from.x, 0.0f, p->position.z - from.z });
}

// Ends of the sheet in the middle of a line: on one side it is there, on the other not yet.
static void look_along(const TarnBreakerPoint* p, int n, float spread, TarnVec3 board, Curl* best)
{
    for (int i = 0; i + 1 < n; ++i) {
        bool is_here = p[i].strength > 0.5f, is_next = p[i + 1].strength > 0.5f;
        if (is_here == is_next) continue;
        int side = is_here ? 1 : -1, j = is_here ? i : i + 1; // breaking goes on towards `side`
        if ((side > 0 && n - 1 - i < 6) || (side < 0 && i < 6)) continue; // the end of the line
        float way = 0.0f;
        while (j - side >= 0 && j - side < n && way < inside * p[j].height) {
            way += apart(&p[j], p[j - side].position);
            j -= side;
        }
        float distance = apart(&p[j], board);
        if (!(distance < best->distance)) continue;
        TarnVec2 d = p[j].direction;
        float along = (float)side * spread; // lines run along (-d.y, d.x)
        best->at = p[j];
        best->distance = distance;
        best->velocity =
            (TarnVec3){ d.x * p[j].speed - d.y * along, 0.0f, d.y * p[j].speed + d.x * along };
    }
}

static bool find_curl(const TarnWorld* world, TarnVec3 board, float reach, Curl* out)
{
    TarnBreakerPoint points[MAX_POINTS];
    *out = (Curl){ .distance = reach };
    for (int s = 0; s < tarn_world_breakers_count(world); ++s) {
        const TarnBreakers* breakers = tarn_world_breakers(world, s);
        float spread = tarn_breakers_params(breakers).spread;
        for (int l = 0; l < tarn_breakers_line_count(breakers); ++l) {
            int n;
            if (tarn_breakers_line(breakers, l, MAX_POINTS, points, &n, NULL) == TARN_OK)
                look_along(points, n, spread, board, out);
        }
    }
    return out->distance < reach;
}

static TarnVec3 capped(TarnVec3 v, float cap)
{
    float length = vec3_length(v);
    return length > cap ? vec3_scale(v, cap / length) : v;
}

void tarn__surf_ride(const TarnWorld* world, const TarnDriverDef* def, TarnBody* body)
{
    const TarnBodyState* state = &body->state;
    Curl curl;
    if (!find_curl(world, state->position, def->radius, &curl)) return;
    const TarnBreakerPoint* p = &curl.at;
    TarnVec3 down = { p->direction.x, 0.0f, p->direction.y };
    TarnVec3 place = vec3_add(p->position, vec3_scale(down, 0.3f * p->height));
    place.y -= 0.15f * p->height;
    TarnVec3 pull = vec3_add(vec3_scale(vec3_sub(place, state->position), hold_gain),
                             vec3_scale(vec3_sub(curl.velocity, state->velocity), hold_damping));
    body->added_force = vec3_add(body->added_force, vec3_scale(capped(pull, hold_cap), body->mass));

    // The board lies much flatter than the face, and its nose points where it goes.
    float steep = 0.25f * tarn_clampf(p->slope, 0.0f, 1.5f);
    TarnVec3 up = vec3_normalize((TarnVec3){ down.x * steep, 1.0f, down.z * steep });
    TarnVec3 top = quat_rotate(state->rotation, (TarnVec3){ 0.0f, 1.0f, 0.0f });
    TarnVec3 nose = quat_rotate(state->rotation, (TarnVec3){ 1.0f, 0.0f, 0.0f });
    TarnVec3 course = vec3_normalize(curl.velocity);
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
