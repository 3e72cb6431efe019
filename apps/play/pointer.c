// Pointer events: which gesture begins, and what its motion means.

#include "play_internal.h"
#include <math.h>

static Pointer* find(TarnPlay* play, int id)
{
    for (int i = 0; i < MAX_POINTERS; ++i)
        if (play->pointers[i].is_down && play->pointers[i].id == id) return &play->pointers[i];
    return NULL;
}

static int count_down(const TarnPlay* play)
{
    int n = 0;
    for (int i = 0; i < MAX_POINTERS; ++i) n += play->pointers[i].is_down;
    return n;
}

static void end_gesture(TarnPlay* play)
{
    if (play->gesture == GESTURE_TOOL) tools_end(play);
    play->gesture = GESTURE_NONE;
}

static Gesture camera_gesture(const TarnPlay* play, bool is_pan)
{
    return is_pan || play->is_flat ? GESTURE_PAN : GESTURE_ORBIT;
}

static void begin(TarnPlay* play, const Pointer* p)
{
    bool has_shift = (p->modifiers & TARN_PLAY_SHIFT) != 0;
    if (count_down(play) > 1) {
        end_gesture(play);
        play->gesture = GESTURE_PINCH;
    } else if (p->button == TARN_PLAY_RIGHT) {
        play->gesture = camera_gesture(play, has_shift);
    } else if (p->button == TARN_PLAY_MIDDLE) {
        play->gesture = GESTURE_PAN;
    } else if ((p->modifiers & TARN_PLAY_ALT) == 0 &&
               tools_begin(play, p->x, p->y, play->tools.chosen)) {
        play->gesture = GESTURE_TOOL;
    } else {
        play->gesture = camera_gesture(play, has_shift);
    }
}

// Two fingers: their distance zooms, their middle pans, their angle orbits.
typedef struct Pair {
    float x, y, distance, angle;
} Pair;

static bool pair_of(const TarnPlay* play, Pair* out)
{
    const Pointer* p[2];
    int n = 0;
    for (int i = 0; i < MAX_POINTERS && n < 2; ++i)
        if (play->pointers[i].is_down) p[n++] = &play->pointers[i];
    if (n < 2) return false;
    float aspect = (float)play->def.width / (float)play->def.height;
    float dx = aspect * (p[1]->x - p[0]->x), dy = p[1]->y - p[0]->y;
    *out = (Pair){ 0.5f * aspect * (p[0]->x + p[1]->x), 0.5f * (p[0]->y + p[1]->y),
                   sqrtf(dx * dx + dy * dy), atan2f(dy, dx) };
    return true;
}

static void pinch(TarnPlay* play, const Pair* a, const Pair* b)
{
    const float pi = 3.14159265f;
    if (a->distance > 1e-3f && b->distance > 1e-3f) tarn_play_zoom(play, b->distance / a->distance);
    tarn_play_pan(play, b->x - a->x, b->y - a->y);
    float turn = b->angle - a->angle;
    if (turn > pi) turn -= 2.0f * pi;
    if (turn < -pi) turn += 2.0f * pi;
    tarn_play_orbit(play, turn, 0.0f);
}

static void move(TarnPlay* play, Pointer* p, float x, float y)
{
    Pair before, after;
    bool is_pair = pair_of(play, &before);
    float aspect = (float)play->def.width / (float)play->def.height;
    float dx = aspect * (x - p->x), dy = y - p->y; // in heights of the picture
    p->x = x, p->y = y;
    switch (play->gesture) {
    case GESTURE_TOOL:
        tools_move(play, x, y);
        break;
    case GESTURE_ORBIT:
        tarn_play_orbit(play, -3.2f * dx, 2.4f * dy);
        break;
    case GESTURE_PAN:
        tarn_play_pan(play, dx, dy);
        break;
    case GESTURE_PINCH:
        if (is_pair && pair_of(play, &after)) pinch(play, &before, &after);
        break;
    case GESTURE_NONE:
        break;
    }
}

static void press(TarnPlay* play, int id, float x, float y, int button, int modifiers)
{
    Pointer* p = find(play, id);
    for (int i = 0; p == NULL && i < MAX_POINTERS; ++i)
        if (!play->pointers[i].is_down) p = &play->pointers[i];
    if (p == NULL) return;
    if (p->is_down) end_gesture(play); // a second button takes over
    *p = (Pointer){ id, true, x, y, button, modifiers };
    begin(play, p);
}

void tarn_play_pointer(TarnPlay* play, int pointer, int event, float x, float y, int button,
                       int modifiers)
{
    if (play->world == NULL || !isfinite(x) || !isfinite(y)) return;
    x = x < -1.0f ? -1.0f : x > 2.0f ? 2.0f : x; // beyond the window while it is dragged
    y = y < -1.0f ? -1.0f : y > 2.0f ? 2.0f : y;
    Pointer* p = find(play, pointer);
    switch (event) {
    case TARN_PLAY_DOWN:
        press(play, pointer, x, y, button, modifiers);
        break;
    case TARN_PLAY_MOVE:
        if (p)
            move(play, p, x, y);
        else
            tools_hover(play, x, y);
        break;
    case TARN_PLAY_UP:
    case TARN_PLAY_CANCEL:
        if (p == NULL || (event == TARN_PLAY_UP && button != p->button)) break;
        move(play, p, x, y);
        p->is_down = false;
        // One of two fingers is left: it does nothing until it is lifted.
        if (play->gesture != GESTURE_PINCH || count_down(play) == 0) end_gesture(play);
        break;
    default:
        break;
    }
}
