// Tarn's pictures in a window of your own: the game makes the GL context, steps at 60 Hz, draws at 144 Hz with
// states in between, and picks what a click meets. Here a context without a window and a framebuffer of our own stand
// in for the window, so that it runs anywhere; with SDL or GLFW only `open_window` differs.
#include "tarn/render.h"
#include "tarn/tarn.h"
#include "tarn/view.h"
#include <epoxy/egl.h>
#include <epoxy/gl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 320, HEIGHT = 180 };

typedef struct Window {
    GLuint framebuffer; // 0 in a real window
    GLuint color, depth;
} Window;

typedef struct Game {
    TarnContext* ctx;
    TarnWorld* world;
    TarnWave* lake;
    TarnBodyId crate;
    TarnViewer* viewer;
    TarnRenderer* renderer;
} Game;

static int failed(const Game* game, const char* what)
{
    fprintf(stderr, "%s: %s\n", what, tarn_last_error(game->ctx));
    return 1;
}

// ---- The window: what SDL_CreateWindow and SDL_GL_CreateContext would do -------------------------

static bool open_window(Window* window)
{
    const EGLint wish[] = { EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 0, EGL_NONE };
    if (!epoxy_has_egl_extension(EGL_NO_DISPLAY, "EGL_MESA_platform_surfaceless")) return false;
    EGLDisplay display =
        eglGetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    if (display == EGL_NO_DISPLAY || !eglInitialize(display, NULL, NULL)) return false;
    if (!eglBindAPI(EGL_OPENGL_ES_API)) return false;
    EGLContext gl = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, wish);
    if (gl == EGL_NO_CONTEXT || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, gl))
        return false;
    glGenTextures(1, &window->color);
    glBindTexture(GL_TEXTURE_2D, window->color);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, WIDTH, HEIGHT);
    glGenRenderbuffers(1, &window->depth);
    glBindRenderbuffer(GL_RENDERBUFFER, window->depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, WIDTH, HEIGHT);
    glGenFramebuffers(1, &window->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, window->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, window->color, 0);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, window->depth);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

// ---- The game ------------------------------------------------------------------------------------

static void look_of_things(TarnBodyId body, TarnSolidId solid, TarnThingLook* look, void* user)
{
    (void)solid, (void)user;
    if (body.value != 0) look->color = (TarnVec3){ 0.75f, 0.25f, 0.05f };
}

static TarnResult make_world(Game* game)
{
    TarnWorldDef def = tarn_world_default_def();
    TarnResult result = tarn_world_create(game->ctx, &def, &game->world);
    if (result != TARN_OK) return result;
    TarnWaveDef lake = tarn_wave_default_def();
    lake.nx = lake.nz = 128;
    lake.use_bodies = true;
    result = tarn_world_add_wave(game->world, &lake, &game->lake);
    if (result != TARN_OK) return result;
    TarnBodyDef crate = tarn_body_default_def();
    crate.shape = tarn_shape_box(0.5f, 0.3f, 0.4f);
    crate.state.position = (TarnVec3){ 3.2f, 1.5f, 3.2f };
    return tarn_world_add_body(game->world, &crate, &game->crate);
}

static TarnResult make_pictures(Game* game)
{
    TarnViewerDef def = tarn_viewer_default_def();
    def.world = game->world;
    def.width = WIDTH, def.height = HEIGHT;
    def.thing_look = look_of_things;
    TarnResult result = tarn_viewer_create(game->ctx, &def, &game->viewer);
    if (result != TARN_OK) return result;
    TarnViewerCamera camera = { .mode = TARN_CAMERA_ORBIT, // [radians], [m]
                                .yaw = 0.6f,
                                .pitch = 0.5f,
                                .distance = 7.0f,
                                .follow = game->crate };
    result = tarn_viewer_set_camera(game->viewer, &camera);
    if (result != TARN_OK) return result;
    return tarn_renderer_create_in_current_context(game->ctx, WIDTH, HEIGHT, &game->renderer);
}

// Two seconds: steps of 1/60 s, pictures every 1/144 s. `owed` is the time that is shown but not yet simulated.
static TarnResult play(Game* game, const Window* window, int* n_pictures)
{
    const double step = 1.0 / 60.0, picture = 1.0 / 144.0;
    double owed = 0.0;
    for (int n = 0; n < 2 * 144; ++n) {
        for (owed += picture; owed > 0.0; owed -= step) {
            TarnResult result = tarn_viewer_keep(game->viewer);
            if (result == TARN_OK) result = tarn_world_step(game->world, (float)step, NULL);
            if (result != TARN_OK) return result;
        }
        if (n % 48 != 47) continue; // six of them: software rendering is slow
        const TarnFrame* frame;
        float share = (float)(1.0 + owed / step); // owed is -step to 0 by now
        TarnResult result = tarn_viewer_update_between(game->viewer, share, &frame);
        if (result == TARN_OK)
            result = tarn_renderer_draw_to(game->renderer, frame, window->framebuffer);
        if (result != TARN_OK) return result;
        ++*n_pictures; // the game draws its own things on top here, and swaps buffers
    }
    return TARN_OK;
}

// What is under the mouse?
static const char* click(const Game* game, float x, float y)
{
    TarnPick pick;
    if (tarn_viewer_pick(game->viewer, x, y, &pick) != TARN_OK) return "an error";
    if (pick.kind == TARN_PICK_BODY && pick.body.value == game->crate.value) return "the crate";
    if (pick.kind == TARN_PICK_WATER && pick.solver == game->lake) {
        TarnVec2 place = { pick.position.x, pick.position.z };
        tarn_wave_add_drop(game->lake, place, 0.2f, 0.05f); // and it ripples
        return "the water";
    }
    return "nothing";
}

// How many pixels are not those of the sky's or the water's blue: the crate.
static int count_orange(void)
{
    uint8_t* rgba = malloc((size_t)WIDTH * HEIGHT * 4);
    int n = 0;
    if (rgba == NULL) return 0;
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    for (int i = 0; i < WIDTH * HEIGHT; ++i) n += rgba[4 * i] > rgba[4 * i + 2] + 60;
    free(rgba);
    return n;
}

int main(void)
{
    Game game = { 0 };
    Window window = { 0 };
    int n_pictures = 0;
    if (!open_window(&window)) return puts("there is no EGL here"), 77; // the tests skip it
    TarnContextDef def = tarn_context_default_def();
    if (tarn_context_create(&def, &game.ctx) != TARN_OK) return failed(&game, "no context");
    if (make_world(&game) != TARN_OK) return failed(&game, "no world");
    if (make_pictures(&game) != TARN_OK) return failed(&game, "no pictures");
    if (play(&game, &window, &n_pictures) != TARN_OK) return failed(&game, "cannot play");
    const char *middle = click(&game, 0.5f, 0.5f), *corner = click(&game, 0.5f, 0.8f);
    int orange = count_orange();
    printf("%d pictures; in the middle %s, in front %s, %d pixels of the crate\n", n_pictures,
           middle, corner, orange);
    tarn_renderer_destroy(game.renderer);
    tarn_viewer_destroy(game.viewer);
    tarn_world_destroy(game.world);
    tarn_context_destroy(game.ctx);
    return orange > 100 && strcmp(middle, "the crate") == 0 && strcmp(corner, "the water") == 0 ? 0
                                                                                                : 1;
}
