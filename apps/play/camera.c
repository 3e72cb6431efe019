// The camera under the user's hand. It starts as the scene's; with the first touch it becomes a placed one. Scenes
// whose picture moves along (a window that follows a boat, a gas around a body) keep doing so.

#include "play_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const float pi = 3.14159265f;

static TarnVec3 add(TarnVec3 a, TarnVec3 b, float s) // a + s b
{
    return (TarnVec3){ a.x + s * b.x, a.y + s * b.y, a.z + s * b.z };
}
static TarnVec3 minus(TarnVec3 a, TarnVec3 b)
{
    return (TarnVec3){ a.x - b.x, a.y - b.y, a.z - b.z };
}
static float length(TarnVec3 a)
{
    return sqrtf(a.x * a.x + a.y * a.y + a.z * a.z);
}

// ---- What the picture moves along with ---------------------------------------------------------------------

static bool find_anchor(const TarnPlay* play, TarnVec3* out)
{
    void* solver;
    TarnBodyId body = tarn_scene_view(play->scene).body;
    TarnMotion state;
    if (body.value != 0 &&
        tarn_bodies_get_state(tarn_world_bodies(play->world), body, &state) == TARN_OK) {
        *out = (TarnVec3){ state.position.x, 0.0f, state.position.z };
        return true;
    }
    for (int i = 0; (solver = tarn_world_get(play->world, NULL, i)) != NULL; ++i)
        if (tarn_world_window_target(play->world, solver, out)) {
            const TarnSolverClass* of = tarn_world_class_of(play->world, solver);
            if (of->surface != NULL || tarn_scene_view(play->scene).follow) return true;
        }
    return false;
}

// The user has touched the camera: it goes on from what is shown.
static bool own(TarnPlay* play)
{
    PlayCamera* c = &play->camera;
    if (play->world == NULL || (!c->is_own && !play->has_shown)) return false;
    if (c->is_own) return true;
    c->eye = play->shown.eye;
    c->target = play->shown.target;
    c->fov = play->shown.fov;
    c->has_anchor = find_anchor(play, &c->anchor);
    c->is_own = true;
    return true;
}

// ---- Motion ------------------------------------------------------------------------------------------------

typedef struct Axes {
    TarnVec3 right, up, forward;
} Axes;

static Axes axes_of(const PlayCamera* c)
{
    Axes a;
    TarnVec3 d = minus(c->target, c->eye);
    float n = length(d), flat = sqrtf(d.x * d.x + d.z * d.z);
    a.forward = (TarnVec3){ d.x / n, d.y / n, d.z / n };
    a.right = flat > 1e-6f * n ? (TarnVec3){ -d.z / flat, 0.0f, d.x / flat }
                               : (TarnVec3){ 1.0f, 0.0f, 0.0f };
    a.up = (TarnVec3){ a.right.y * a.forward.z - a.right.z * a.forward.y,
                       a.right.z * a.forward.x - a.right.x * a.forward.z,
                       a.right.x * a.forward.y - a.right.y * a.forward.x };
    return a;
}

void tarn_play_orbit(TarnPlay* play, float yaw, float pitch)
{
    PlayCamera* c = &play->camera;
    if (!isfinite(yaw) || !isfinite(pitch) || play->is_flat || !own(play)) return;
    TarnVec3 back = minus(c->eye, c->target);
    float r = length(back), flat = sqrtf(back.x * back.x + back.z * back.z);
    float a = atan2f(back.x, back.z) + yaw, b = atan2f(back.y, flat) + pitch;
    if (b > 1.54f) b = 1.54f;
    if (b < -1.54f) b = -1.54f;
    c->eye = add(c->target, (TarnVec3){ sinf(a) * cosf(b), sinf(b), cosf(a) * cosf(b) }, r);
}

static bool is_far(TarnVec3 p)
{
    return !(fabsf(p.x) < 9e5f && fabsf(p.y) < 9e5f && fabsf(p.z) < 9e5f);
}

static void move_both(PlayCamera* c, TarnVec3 by)
{
    TarnVec3 eye = add(c->eye, by, 1.0f), target = add(c->target, by, 1.0f);
    if (is_far(eye) || is_far(target)) return;
    c->eye = eye, c->target = target;
}

void tarn_play_pan(TarnPlay* play, float x, float y)
{
    PlayCamera* c = &play->camera;
    if (!isfinite(x) || !isfinite(y) || !own(play)) return;
    Axes a = axes_of(c);
    float height = 2.0f * tanf(0.5f * c->fov) * length(minus(c->target, c->eye));
    move_both(c, add(add((TarnVec3){ 0 }, a.right, -x * height), a.up, y * height));
}

void tarn_play_zoom(TarnPlay* play, float factor)
{
    PlayCamera* c = &play->camera;
    if (!(factor > 1e-3f && factor < 1e3f) || !own(play)) return;
    TarnVec3 back = minus(c->eye, c->target);
    float r = length(back) / factor, least = 0.02f * play->tools.scale;
    if (r < least) r = least;
    if (r > 2e5f) r = 2e5f;
    c->eye = add(c->target, back, r / length(back));
}

// Zooms so that what is under the pointer stays there.
void tarn_play_wheel(TarnPlay* play, float x, float y, float amount)
{
    PlayCamera* c = &play->camera;
    if (!(fabsf(amount) < 100.0f) || !(fabsf(x) < 10.0f) || !(fabsf(y) < 10.0f) || !own(play))
        return;
    float before = length(minus(c->eye, c->target));
    tarn_play_zoom(play, powf(1.15f, amount));
    float after = length(minus(c->eye, c->target));
    Axes a = axes_of(c);
    float aspect = (float)play->def.width / (float)play->def.height;
    float way = 2.0f * tanf(0.5f * c->fov) * (before - after);
    move_both(
        c, add(add((TarnVec3){ 0 }, a.right, (x - 0.5f) * aspect * way), a.up, (0.5f - y) * way));
}

static float within(float v)
{
    return v >= -1.0f ? (v <= 1.0f ? v : 1.0f) : v < -1.0f ? -1.0f : 0.0f;
}

void tarn_play_fly(TarnPlay* play, float right, float up, float forward)
{
    play->camera.fly = (TarnVec3){ within(right), within(up), within(forward) };
}

void tarn_play_camera_reset(TarnPlay* play)
{
    play->camera = (PlayCamera){ .fly = play->camera.fly };
}

// ---- As text -----------------------------------------------------------------------------------------------

const char* tarn_play_camera(TarnPlay* play)
{
    const PlayCamera* c = &play->camera;
    text_clear(&play->camera_text);
    if (c->is_own)
        text_add(&play->camera_text, "%.6g,%.6g,%.6g,%.6g,%.6g,%.6g,%.4g", (double)c->eye.x,
                 (double)c->eye.y, (double)c->eye.z, (double)c->target.x, (double)c->target.y,
                 (double)c->target.z, (double)(c->fov * 180.0f / pi));
    return text_of(&play->camera_text);
}

bool tarn_play_set_camera(TarnPlay* play, const char* text)
{
    double v[7];
    int end = 0;
    play_clear_error(play);
    if (text == NULL || text[0] == '\0') {
        tarn_play_camera_reset(play);
        return true;
    }
    int n = sscanf(text, "%lf,%lf,%lf,%lf,%lf,%lf,%lf%n", v, v + 1, v + 2, v + 3, v + 4, v + 5,
                   v + 6, &end);
    bool is_good = n == 7 && text[end] == '\0' && v[6] >= 1.0 && v[6] <= 170.0;
    for (int i = 0; is_good && i < 6; ++i) is_good = fabs(v[i]) < 9e5;
    is_good = is_good && (v[0] != v[3] || v[1] != v[4] || v[2] != v[5]);
    if (!is_good)
        return play_fail(play,
                         "camera: '%.80s' is not of the form X,Y,Z,X,Y,Z,FOV: eye and target [m] "
                         "within 9e5, vertical field of view from 1 to 170 degrees",
                         text);
    PlayCamera* c = &play->camera;
    *c = (PlayCamera){ .is_own = true, .fly = c->fly };
    c->eye = (TarnVec3){ (float)v[0], (float)v[1], (float)v[2] };
    c->target = (TarnVec3){ (float)v[3], (float)v[4], (float)v[5] };
    c->fov = (float)v[6] * pi / 180.0f;
    c->has_anchor = play->world && find_anchor(play, &c->anchor);
    return true;
}

// ---- Frames ------------------------------------------------------------------------------------------------

static void fly_on(TarnPlay* play, double seconds)
{
    PlayCamera* c = &play->camera;
    TarnVec3 f = c->fly;
    if ((f.x == 0.0f && f.y == 0.0f && f.z == 0.0f) || !(seconds > 0.0) || !own(play)) return;
    if (play->is_flat) {
        tarn_play_pan(play, -0.6f * f.x * (float)seconds, 0.6f * (f.y + f.z) * (float)seconds);
        return;
    }
    Axes a = axes_of(c);
    float way = 0.7f * (float)seconds * length(minus(c->target, c->eye));
    TarnVec3 by = add(add(add((TarnVec3){ 0 }, a.right, f.x * way), a.forward, f.z * way),
                      (TarnVec3){ 0.0f, 1.0f, 0.0f }, f.y * way);
    move_both(c, by);
}

void camera_apply(TarnPlay* play, double seconds)
{
    PlayCamera* c = &play->camera;
    TarnVec3 anchor;
    fly_on(play, seconds);
    TarnViewerCamera camera = { .mode = TARN_CAMERA_SCENE };
    if (c->is_own) {
        if (c->has_anchor && find_anchor(play, &anchor)) {
            move_both(c, minus(anchor, c->anchor));
            c->anchor = anchor;
        }
        camera.mode = TARN_CAMERA_PLACED;
        camera.eye = c->eye, camera.target = c->target, camera.fov = c->fov;
    }
    // Setting it anew would frame land anew, which has been dug meanwhile.
    if (c->is_own || play->was_own || !play->has_shown)
        tarn_viewer_set_camera(play->viewer, &camera);
    play->was_own = c->is_own;
}

void camera_note(TarnPlay* play, const TarnFrame* frame)
{
    play->shown = frame->camera;
    play->has_shown = true;
}

bool play_ray(const TarnPlay* play, float x, float y, TarnVec3* eye, TarnVec3* direction)
{
    if (!play->has_shown) return false;
    return tarn_viewer_ray(play->viewer, x, y, eye, direction) == TARN_OK;
}
