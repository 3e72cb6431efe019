// The native viewer: a GLFW window around apps/play.

#define _POSIX_C_SOURCE 200809L
#include "view.h"
#include "context.h"
#include "message.h"
#include "output.h"
#include "scene_file.h"
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <epoxy/gl.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double view_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void view_message(View* v, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(v->ui.message, sizeof v->ui.message, format, args);
    va_end(args);
    v->ui.message_left = 5.0;
}

// ---- Engines of bodies ---------------------------------------------------------------------------

static bool start_engine(TarnScene* scene, void* user)
{
    View* v = user;
    for (int i = 0; i < 4; ++i) {
        if (v->engines[i].scene != NULL) continue;
        if (!engine_open(&v->engines[i].engine, scene, v->engine, true)) return false;
        v->engines[i].scene = scene;
        return true;
    }
    return true;
}

static void stop_engine(TarnScene* scene, void* user)
{
    View* v = user;
    for (int i = 0; i < 4; ++i) {
        if (v->engines[i].scene != scene) continue;
        engine_close(&v->engines[i].engine);
        v->engines[i].scene = NULL;
    }
}

// ---- Scenes --------------------------------------------------------------------------------------

static int compare_scenes(const void* a, const void* b)
{
    static const char* const order[] = { "Several together", "Waves",
                                         "Flowing water",    "Liquids in 2-D",
                                         "Liquids in 3-D",   "Smoke and fire",
                                         "Particles",        "More" };
    const UiScene *x = a, *y = b;
    int rank[2] = { 99, 99 };
    for (int i = 0; i < 8; ++i) {
        if (strcmp(x->family, order[i]) == 0) rank[0] = i;
        if (strcmp(y->family, order[i]) == 0) rank[1] = i;
    }
    return rank[0] != rank[1] ? rank[0] - rank[1] : strcmp(x->name, y->name);
}

// Only what the files say; none of them is built. After the first picture, which need not wait for it.
bool view_list_scenes(View* v)
{
    SceneList list;
    if (v->ui.scenes != NULL) return true;
    if (!scene_list_create(&list)) return false;
    v->ui.scenes = calloc((size_t)list.count + 1, sizeof *v->ui.scenes);
    for (int i = 0; v->ui.scenes && i < list.count; ++i) {
        UiScene* scene = &v->ui.scenes[v->ui.n_scenes];
        size_t size;
        char* text = read_whole_file(list.entries[i].path, &size);
        if (text == NULL) continue;
        snprintf(scene->name, sizeof scene->name, "%s", list.entries[i].name);
        snprintf(scene->path, sizeof scene->path, "%s", list.entries[i].path);
        snprintf(scene->family, sizeof scene->family, "%s", tarn_play_family_of(v->play, text));
        snprintf(scene->title, sizeof scene->title, "%s", tarn_play_title_of(v->play, text));
        if (scene->family[0]) ++v->ui.n_scenes;
        free(text);
    }
    scene_list_destroy(&list);
    if (v->ui.scenes)
        qsort(v->ui.scenes, (size_t)v->ui.n_scenes, sizeof *v->ui.scenes, compare_scenes);
    return v->ui.scenes != NULL;
}

bool view_open_scene(View* v, int n)
{
    if (v->recorder.is_on) recorder_end(v);
    v->ui.error[0] = '\0';
    if (tarn_play_open_file(v->play, v->ui.scenes[n].path)) {
        glfwSetWindowTitle(v->window, tarn_play_title(v->play));
        return true;
    }
    snprintf(v->ui.error, sizeof v->ui.error, "%s", tarn_play_error(v->play));
    return false;
}

static unsigned make_texture(int width, int height, const void* rgba)
{
    unsigned id;
    glGenTextures(1, &id);
    glBindTexture(GL_TEXTURE_2D, id);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    return id;
}

// The reference pictures of the tests serve, beside the scenes or in the source tree. NULL: there is none.
static unsigned char* read_thumbnail(const char* scene_path, const char* name, int* w, int* h)
{
    const char* slash = strrchr(scene_path, '/');
    int folder = slash ? (int)(slash - scene_path) : 0;
    static const char* const places[] = { "../tests/pictures", "../thumbnails" };
    unsigned char* pixels = NULL;
    for (int i = 0; i < 2 && pixels == NULL; ++i) {
        char path[1280];
        snprintf(path, sizeof path, "%.*s%s%s/%s.png", folder, scene_path, folder ? "/" : "",
                 places[i], name);
        pixels = thumbnail_read(path, w, h);
    }
    return pixels;
}

// As many per frame as 10 ms allow, one at least.
static void load_thumbnails(View* v)
{
    int w, h;
    double begun = view_now();
    while (v->next_thumbnail < v->ui.n_scenes) {
        UiScene* scene = &v->ui.scenes[v->next_thumbnail++];
        unsigned char* pixels = read_thumbnail(scene->path, scene->name, &w, &h);
        if (pixels) scene->texture = make_texture(w, h, pixels);
        free(pixels);
        if (view_now() - begun > 0.010) break;
    }
}

// Stands in for the picture until shaders are compiled, which takes seconds where a processor draws: the part of the
// thumbnail that has the shape of the canvas, bottom row first.
static void show_poster(View* v, const char* scene_path, float aspect)
{
    int w, h;
    unsigned char* pixels = read_thumbnail(scene_path, tarn_play_name(v->play), &w, &h);
    if (pixels == NULL) return;
    int cw = aspect * (float)h < (float)w ? (int)(aspect * (float)h) : w;
    int ch = cw < w ? h : (int)((float)w / aspect);
    cw = cw < 1 ? 1 : cw, ch = ch < 1 ? 1 : ch > h ? h : ch;
    unsigned char* cut = malloc((size_t)cw * (size_t)ch * 4);
    for (int k = 0; cut && k < ch; ++k)
        memcpy(cut + 4 * (size_t)cw * (size_t)(ch - 1 - k),
               pixels + 4 * ((size_t)w * (size_t)(k + (h - ch) / 2) + (size_t)((w - cw) / 2)),
               4 * (size_t)cw);
    if (cut) v->ui.picture = make_texture(cw, ch, cut);
    free(cut);
    free(pixels);
}

// ---- The canvas ----------------------------------------------------------------------------------

static bool make_canvas(View* v, int width, int height)
{
    if (v->framebuffer) glDeleteFramebuffers(1, &v->framebuffer);
    if (v->canvas) glDeleteTextures(1, &v->canvas);
    if (v->ui.picture == v->canvas) v->ui.picture = 0; // else it is the poster
    v->canvas = make_texture(width, height, NULL);
    glGenFramebuffers(1, &v->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, v->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, v->canvas, 0);
    bool is_good = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    v->width = width, v->height = height;
    TarnContext* ctx = tarn_play_context(v->play);
    if (is_good && v->renderer)
        is_good = tarn_renderer_resize(v->renderer, width, height) == TARN_OK;
    else if (is_good)
        is_good =
            tarn_renderer_create_in_current_context(ctx, width, height, &v->renderer) == TARN_OK;
    if (!is_good) say("cannot draw: %s", tarn_last_error(ctx));
    return is_good && tarn_play_resize(v->play, width, height);
}

// There is something on it now.
static void show_canvas(View* v)
{
    if (v->ui.picture != v->canvas && v->ui.picture) glDeleteTextures(1, &v->ui.picture);
    v->ui.picture = v->canvas;
}

// The old picture is stretched while the window changes; a new one is made when it has come to rest.
static void follow_size(View* v)
{
    int w = (int)v->ui.canvas_width, h = (int)v->ui.canvas_height;
    double now = view_now();
    if (w < 16 || h < 16) return; // not laid out yet
    if (w != v->wanted_width || h != v->wanted_height) {
        v->wanted_width = w, v->wanted_height = h;
        v->resized_at = now;
    }
    bool rests = v->renderer == NULL || now - v->resized_at > 0.12;
    if ((w != v->width || h != v->height) && rests && !make_canvas(v, w, h)) v->quits = true;
}

// ---- Requests ------------------------------------------------------------------------------------

static bool next_name(const View* v, const char* extension, char* path, size_t size)
{
    for (int i = 1; i < 10000; ++i) {
        snprintf(path, size, "%s_%03d%s", tarn_play_name(v->play), i, extension);
        if (access(path, F_OK) != 0) return true;
    }
    return false;
}

static void save_state(View* v)
{
    char path[256];
    size_t size;
    const void* bytes = tarn_play_save(v->play, &size);
    snprintf(path, sizeof path, "%s.snapshot", tarn_play_name(v->play));
    if (bytes && output_write(path, bytes, size)) view_message(v, "Saved to %s; F9 loads it", path);
}

static void load_state(View* v)
{
    char path[256];
    size_t size;
    snprintf(path, sizeof path, "%s.snapshot", tarn_play_name(v->play));
    char* bytes = access(path, R_OK) == 0 ? read_whole_file(path, &size) : NULL;
    if (bytes == NULL)
        view_message(v, "There is no %s; F5 saves one", path);
    else if (tarn_play_load(v->play, bytes, size))
        view_message(v, "Loaded %s", path);
    else
        view_message(v, "%s", tarn_play_error(v->play));
    free(bytes);
}

static void toggle_full_screen(View* v)
{
    int* w = v->windowed;
    if (v->is_full) {
        glfwSetWindowMonitor(v->window, NULL, w[0], w[1], w[2], w[3], 0);
    } else {
        GLFWmonitor* monitor = glfwGetPrimaryMonitor();
        const GLFWvidmode* mode = monitor ? glfwGetVideoMode(monitor) : NULL;
        if (mode == NULL) return;
        glfwGetWindowPos(v->window, &w[0], &w[1]);
        glfwGetWindowSize(v->window, &w[2], &w[3]);
        glfwSetWindowMonitor(v->window, monitor, 0, 0, mode->width, mode->height,
                             mode->refreshRate);
    }
    v->is_full = !v->is_full;
}

void view_request(View* v, UiRequest request, int argument)
{
    char path[256];
    switch (request) {
    case UI_OPEN:
        view_open_scene(v, argument);
        break;
    case UI_PICTURE:
        if (next_name(v, ".png", path, sizeof path)) view_write_picture(v, path, false);
        break;
    case UI_RECORD:
        if (v->recorder.is_on)
            recorder_end(v);
        else if (next_name(v, ".mp4", path, sizeof path) && recorder_start(v, path))
            view_message(v, "Recording %s", path);
        break;
    case UI_SAVE:
        save_state(v);
        break;
    case UI_LOAD:
        load_state(v);
        break;
    case UI_COPY:
        glfwSetClipboardString(v->window, tarn_play_command(v->play));
        view_message(v, "Copied: %s", tarn_play_command(v->play));
        break;
    case UI_FULL_SCREEN:
        toggle_full_screen(v);
        break;
    case UI_QUIT:
        v->quits = true;
        break;
    case UI_NOTHING:
        break;
    }
}

// ---- Events --------------------------------------------------------------------------------------

static void to_canvas(const View* v, double x, double y, float* cx, float* cy)
{
    int w, h, fw, fh;
    glfwGetWindowSize(v->window, &w, &h);
    glfwGetFramebufferSize(v->window, &fw, &fh);
    x *= w > 0 ? (double)fw / w : 1.0;
    y *= h > 0 ? (double)fh / h : 1.0;
    *cx = (float)((x - (double)v->ui.canvas_x) / (double)v->ui.canvas_width);
    *cy = (float)((y - (double)v->ui.canvas_y) / (double)v->ui.canvas_height);
}

static int modifiers_of(int mods)
{
    return (mods & GLFW_MOD_SHIFT ? TARN_PLAY_SHIFT : 0) |
           (mods & GLFW_MOD_CONTROL ? TARN_PLAY_CTRL : 0) |
           (mods & GLFW_MOD_ALT ? TARN_PLAY_ALT : 0);
}

static void keep_for_later(View* v, const Late* event)
{
    if (v->n_late < (int)(sizeof v->late / sizeof *v->late)) v->late[v->n_late++] = *event;
}

static void press_button(View* v, int button, int action, int mods, double x, double y)
{
    static const int buttons[] = { TARN_PLAY_LEFT, TARN_PLAY_RIGHT, TARN_PLAY_MIDDLE };
    float cx, cy;
    to_canvas(v, x, y, &cx, &cy);
    bool is_down = action == GLFW_PRESS;
    if (is_down && (ui_wants_mouse() || cx < 0.0f || cy < 0.0f || cx > 1.0f || cy > 1.0f)) return;
    if (!is_down && !v->is_dragging) return;
    v->is_dragging = is_down;
    tarn_play_pointer(v->play, 0, is_down ? TARN_PLAY_DOWN : TARN_PLAY_UP, cx, cy, buttons[button],
                      modifiers_of(mods));
}

static void on_button(GLFWwindow* window, int button, int action, int mods)
{
    View* v = glfwGetWindowUserPointer(window);
    double x, y;
    if (button < 0 || button > 2) return;
    glfwGetCursorPos(window, &x, &y);
    if (v->is_drawing)
        keep_for_later(v,
                       &(Late){ .what = button, .action = action, .mods = mods, .x = x, .y = y });
    else
        press_button(v, button, action, mods, x, y);
}

static void on_move(GLFWwindow* window, double x, double y)
{
    View* v = glfwGetWindowUserPointer(window);
    float cx, cy;
    if (!v->is_dragging || v->is_drawing) return; // hover() sees it
    to_canvas(v, x, y, &cx, &cy);
    tarn_play_pointer(v->play, 0, TARN_PLAY_MOVE, cx, cy, 0, 0);
}

// What the mouse would do here, after every frame and not only when it moves: the water moves below it, a scene that
// begins anew has nothing to point at before its first frame, and the panels know one frame late that it has left them.
static void hover(View* v)
{
    double x, y;
    float cx, cy;
    if (v->is_dragging || ui_wants_mouse()) return;
    glfwGetCursorPos(v->window, &x, &y);
    to_canvas(v, x, y, &cx, &cy);
    tarn_play_pointer(v->play, 0, TARN_PLAY_MOVE, cx, cy, 0, 0);
}

static void on_scroll(GLFWwindow* window, double dx, double dy)
{
    View* v = glfwGetWindowUserPointer(window);
    double x, y;
    float cx, cy;
    (void)dx;
    glfwGetCursorPos(window, &x, &y);
    to_canvas(v, x, y, &cx, &cy);
    if (!ui_wants_mouse() && !v->is_drawing) tarn_play_wheel(v->play, cx, cy, (float)dy);
}

static void change_speed(View* v, double factor)
{
    double speed = tarn_play_speed(v->play) * factor;
    tarn_play_set_speed(v->play, fmin(4.0, fmax(0.01, speed)));
    view_message(v, "Speed %g", tarn_play_speed(v->play));
}

static void choose_tool(View* v, int n)
{
    TarnPlayTool tool;
    if (tarn_play_tool_at(v->play, n, &tool)) tarn_play_set_tool(v->play, tool.id);
}

static void press_key(View* v, int key, int action, int mods)
{
    TarnPlay* p = v->play;
    if (key == GLFW_KEY_C && (mods & GLFW_MOD_CONTROL)) view_request(v, UI_COPY, 0);
    if (mods & (GLFW_MOD_CONTROL | GLFW_MOD_ALT | GLFW_MOD_SUPER)) return;
    if (key == GLFW_KEY_PERIOD) tarn_play_step(p);
    if (key == GLFW_KEY_COMMA) tarn_play_step_back(p);
    if (action != GLFW_PRESS) return;
    if (key >= GLFW_KEY_1 && key <= GLFW_KEY_9) choose_tool(v, key - GLFW_KEY_1);
    switch (key) {
    case GLFW_KEY_SPACE:
        tarn_play_pause(p, !tarn_play_is_paused(p));
        break;
    case GLFW_KEY_R:
        tarn_play_restart(p);
        break;
    case GLFW_KEY_HOME:
        tarn_play_camera_reset(p);
        break;
    case GLFW_KEY_LEFT_BRACKET:
        change_speed(v, 0.5);
        break;
    case GLFW_KEY_RIGHT_BRACKET:
        change_speed(v, 2.0);
        break;
    case GLFW_KEY_TAB:
        v->ui.has_panels = !v->ui.has_panels;
        break;
    case GLFW_KEY_H:
    case GLFW_KEY_F1:
        v->ui.has_help = !v->ui.has_help;
        break;
    case GLFW_KEY_P:
        view_request(v, UI_PICTURE, 0);
        break;
    case GLFW_KEY_V:
        view_request(v, UI_RECORD, 0);
        break;
    case GLFW_KEY_F5:
        view_request(v, UI_SAVE, 0);
        break;
    case GLFW_KEY_F9:
        view_request(v, UI_LOAD, 0);
        break;
    case GLFW_KEY_F11:
        view_request(v, UI_FULL_SCREEN, 0);
        break;
    case GLFW_KEY_ESCAPE:
        if (v->is_full) view_request(v, UI_FULL_SCREEN, 0);
        break;
    default:
        break;
    }
}

static void on_key(GLFWwindow* window, int key, int scancode, int action, int mods)
{
    View* v = glfwGetWindowUserPointer(window);
    (void)scancode;
    if (action == GLFW_RELEASE || ui_wants_keys()) return;
    if (v->is_drawing)
        keep_for_later(v, &(Late){ .is_key = true, .what = key, .action = action, .mods = mods });
    else
        press_key(v, key, action, mods);
}

static void catch_up(View* v)
{
    for (int i = 0; i < v->n_late; ++i) {
        const Late* e = &v->late[i];
        if (e->is_key)
            press_key(v, e->what, e->action, e->mods);
        else
            press_button(v, e->what, e->action, e->mods, e->x, e->y);
    }
    v->n_late = 0;
}

static float axis(GLFWwindow* w, int minus, int plus)
{
    return (float)(glfwGetKey(w, plus) == GLFW_PRESS) - (float)(glfwGetKey(w, minus) == GLFW_PRESS);
}

static void fly(View* v)
{
    GLFWwindow* w = v->window;
    bool is_typing = ui_wants_keys();
    tarn_play_fly(v->play, is_typing ? 0.0f : axis(w, GLFW_KEY_A, GLFW_KEY_D),
                  is_typing ? 0.0f : axis(w, GLFW_KEY_Q, GLFW_KEY_E),
                  is_typing ? 0.0f : axis(w, GLFW_KEY_S, GLFW_KEY_W));
}

// ---- The loop ------------------------------------------------------------------------------------

static void reload(View* v, double now)
{
    if (now - v->last_reload < 0.25) return;
    v->last_reload = now;
    int result = tarn_play_reload(v->play);
    if (result > 0) v->ui.error[0] = '\0';
    if (result < 0) snprintf(v->ui.error, sizeof v->ui.error, "%s", tarn_play_error(v->play));
}

static void draw_window(View* v, double seconds)
{
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glfwGetFramebufferSize(v->window, &v->ui.width, &v->ui.height);
    glViewport(0, 0, v->ui.width, v->ui.height);
    glClearColor(0.06f, 0.065f, 0.07f, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    ui_draw(&v->ui, seconds);
}

// After glfwSwapBuffers.
static void note_shown(View* v)
{
    double now = view_now();
    if (v->shown_at > 0.0) v->still_ms = fmax(v->still_ms, 1e3 * (now - v->shown_at));
    v->shown_at = now;
}

// While shaders are compiled the window is drawn between them, with the last picture or the poster, and can be moved, resized
// and closed; what is clicked and typed has to wait, because the frame that is being drawn points into the play.
static void while_compiling(const char* program, int n, void* user)
{
    View* v = user;
    GLint draws, reads, viewport[4], scissor[4];
    GLfloat color[4];
    GLboolean mask[4], has_scissor = glIsEnabled(GL_SCISSOR_TEST);
    (void)program, (void)n;
    ++v->n_shaders;
    if (v->quits || view_now() - v->shown_at < 0.06) return;
    glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &draws);
    glGetIntegerv(GL_READ_FRAMEBUFFER_BINDING, &reads);
    glGetIntegerv(GL_VIEWPORT, viewport);
    glGetIntegerv(GL_SCISSOR_BOX, scissor);
    glGetFloatv(GL_COLOR_CLEAR_VALUE, color);
    glGetBooleanv(GL_COLOR_WRITEMASK, mask);
    glDisable(GL_SCISSOR_TEST);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);

    glfwPollEvents();
    if (glfwWindowShouldClose(v->window)) {
        glfwHideWindow(v->window); // gone at once, though the draw has to end
        v->quits = true;
    }
    v->ui.n_shaders = v->n_shaders;
    draw_window(v, view_now() - v->shown_at);
    glfwSwapBuffers(v->window);
    note_shown(v);
    ++v->n_between;

    glColorMask(mask[0], mask[1], mask[2], mask[3]);
    glClearColor(color[0], color[1], color[2], color[3]);
    glScissor(scissor[0], scissor[1], scissor[2], scissor[3]);
    if (has_scissor) glEnable(GL_SCISSOR_TEST);
    glViewport(viewport[0], viewport[1], viewport[2], viewport[3]);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, (GLuint)draws);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, (GLuint)reads);
}

static void draw_frame(View* v, double seconds)
{
    // A recording shows every thirtieth of a second, however long it takes to draw.
    const TarnFrame* frame = NULL;
    if (v->renderer) frame = tarn_play_frame(v->play, v->recorder.is_on ? 1.0 / 30.0 : seconds);
    double simulated = view_now();
    if (frame == NULL && v->renderer) view_message(v, "%s", tarn_play_error(v->play));
    v->is_drawing = true;
    v->n_shaders = 0;
    if (frame) tarn_renderer_on_compiling(v->renderer, while_compiling, v);
    if (frame && tarn_renderer_draw_to(v->renderer, frame, v->framebuffer) != TARN_OK)
        view_message(v, "%s", tarn_last_error(tarn_play_context(v->play)));
    v->is_drawing = false;
    v->ui.n_shaders = 0;
    if (frame) show_canvas(v);
    catch_up(v);
    recorder_add(v);
    const char* notice = tarn_play_notice(v->play);
    if (notice[0]) view_message(v, "%s", notice);
    v->ui.is_recording = v->recorder.is_on;
    draw_window(v, seconds);
    double ms = 1e3 * (view_now() - simulated);
    v->ui.draw_ms += 0.1 * (ms - v->ui.draw_ms);
    v->frame_seconds += 0.1 * (seconds - v->frame_seconds);
    if (v->frame_seconds > 0.0) v->ui.fps = 1.0 / v->frame_seconds;
}

static void run(View* v)
{
    double last = view_now();
    while (!v->quits && !glfwWindowShouldClose(v->window)) {
        glfwPollEvents();
        double now = view_now(), seconds = now - last;
        last = now;
        fly(v);
        reload(v, now);
        follow_size(v);
        draw_frame(v, seconds);
        hover(v);
        script_run(v); // before the swap, so that it can read the window
        glfwSwapBuffers(v->window);
        note_shown(v);
        double ms = 1e3 * (view_now() - v->begun);
        if (v->frames == 0) v->started_ms = ms;
        if (v->frames == 1) v->picture_ms = ms;
        if (v->n_shaders > 0) last = view_now(); // the time of compiling them is not simulated
        ++v->frames;
        view_request(v, v->ui.request, v->ui.argument);
        v->ui.request = UI_NOTHING;
        if (v->frames == 3) view_list_scenes(v);
        if (v->frames > 3) load_thumbnails(v);
    }
}

// ---- Opening -------------------------------------------------------------------------------------

static bool open_window(View* v, const ViewOptions* o)
{
    float sx = 1.0f, sy = 1.0f;
    if (!glfwInit()) {
        const char* reason = NULL;
        glfwGetError(&reason);
        say("cannot open a window: %s", reason ? reason : "there is no display");
        return false;
    }
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    v->window = glfwCreateWindow(o->size.width, o->size.height, "Tarn", NULL, NULL);
    if (v->window == NULL) {
        say("cannot open a window with OpenGL 3.3; the driver is too old or missing");
        return false;
    }
    glfwMakeContextCurrent(v->window);
    glfwSwapInterval(1);
    glfwSetWindowUserPointer(v->window, v);
    glfwSetMouseButtonCallback(v->window, on_button);
    glfwSetCursorPosCallback(v->window, on_move);
    glfwSetScrollCallback(v->window, on_scroll);
    glfwSetKeyCallback(v->window, on_key);
    glfwGetWindowContentScale(v->window, &sx, &sy);
    v->ui.scale = sx > 1.0f ? sx : 1.0f;
    return ui_open(v->window, v->ui.scale);
}

static bool open_play(View* v, const ViewOptions* o)
{
    TarnPlayDef def = tarn_play_default_def();
    def.workers = o->threads;
    def.on_scene = start_engine;
    def.before_scene_ends = stop_engine;
    def.user = v;
    v->engine = o->engine;
    v->play = tarn_play_create(&def);
    if (v->play == NULL) say("%s", tarn_last_error(NULL));
    v->ui.play = v->play;
    return v->play != NULL;
}

static bool set_up_scene(View* v, const ViewOptions* o)
{
    char changes[8192] = "";
    char* path = scene_find(o->scene ? o->scene : "flagship");
    bool is_good = path != NULL && tarn_play_open_file(v->play, path);
    if (path != NULL && !is_good) say("%s", tarn_play_error(v->play));
    if (is_good) snprintf(v->path, sizeof v->path, "%s", path);
    free(path);
    for (int i = 0; i < o->overrides.count; ++i) {
        size_t at = strlen(changes);
        snprintf(changes + at, sizeof changes - at, "%s%s=%s", i > 0 ? "\n" : "",
                 o->overrides.items[i].path, o->overrides.items[i].value);
    }
    is_good = is_good && (changes[0] == '\0' || tarn_play_set_changes(v->play, changes)) &&
              (o->camera == NULL || tarn_play_set_camera(v->play, o->camera)) &&
              (!(o->at > 0.0) || tarn_play_run_to(v->play, o->at, 1 << 30) >= 0);
    if (path != NULL && !is_good && tarn_play_scene(v->play)) say("%s", tarn_play_error(v->play));
    if (o->is_paused) tarn_play_pause(v->play, true);
    return is_good;
}

int view_run(const ViewOptions* o, double begun)
{
    static View view;
    View* v = &view;
    v->begun = begun;
    v->ui.has_panels = !o->is_bare;
    bool is_good = open_play(v, o) && set_up_scene(v, o) && open_window(v, o);
    if (is_good && o->script && !script_open(&v->script, o->script)) {
        say("cannot read the script '%s'", o->script);
        is_good = false;
    }
    if (is_good) {
        glfwSetWindowTitle(v->window, tarn_play_title(v->play));
        glfwGetFramebufferSize(v->window, &v->ui.width, &v->ui.height);
        float side = v->ui.has_panels ? 590.0f * v->ui.scale : 0.0f,
              bar = v->ui.has_panels ? 100.0f * v->ui.scale : 0.0f;
        show_poster(v, v->path,
                    fmaxf(16.0f, (float)v->ui.width - side) /
                        fmaxf(16.0f, (float)v->ui.height - bar));
        run(v);
        is_good = v->renderer != NULL;
    }
    recorder_end(v);
    script_close(&v->script);
    tarn_renderer_destroy(v->renderer);
    if (v->window) ui_close();
    tarn_play_destroy(v->play);
    glfwTerminate();
    free(v->ui.scenes);
    return is_good ? EXIT_OK : EXIT_FAILED;
}
