// The playground's canvas: a WebGL 2 context, a play (apps/play) and a renderer. site/js/engine.js calls this, and the
// functions of play.h by name; everything that mouse, keys and panels do is in apps/play.

#include "apps/play/play.h"
#include "tarn/render.h"
#include <emscripten/emscripten.h>
#include <emscripten/html5.h>
#include <stdio.h>

#define JS EMSCRIPTEN_KEEPALIVE

static TarnPlay* play;
static TarnRenderer* renderer;
static EMSCRIPTEN_WEBGL_CONTEXT_HANDLE gl;
static char trouble[600];
static double step_ms, draw_ms; // of the last frame

// Opens the canvas with this selector. NULL: page_error says what is missing.
JS TarnPlay* page_open(const char* canvas, int workers, int width, int height);
JS const char* page_error(void);
// Sizes the picture [pixels].
JS int page_resize(int width, int height);
// Advances by real seconds and draws. Returns 0 if there is nothing to draw or it failed: page_error is "" or says why.
JS int page_frame(double seconds);
JS int page_redraw(void);
JS double page_step_ms(void); // of the last frame: simulation
JS double page_draw_ms(void); // and the calls that draw; a GPU works on after that

static bool report(TarnResult result, TarnContext* ctx)
{
    trouble[0] = '\0';
    if (result != TARN_OK) snprintf(trouble, sizeof trouble, "%s", tarn_last_error(ctx));
    return result == TARN_OK;
}

static bool make_renderer(int width, int height)
{
    TarnContext* ctx = tarn_play_context(play);
    if (renderer) return report(tarn_renderer_resize(renderer, width, height), ctx);
    return report(tarn_renderer_create_in_current_context(ctx, width, height, &renderer), ctx);
}

static bool open_webgl(const char* canvas, int width, int height)
{
    EmscriptenWebGLContextAttributes wish;
    emscripten_webgl_init_context_attributes(&wish); // extensions are enabled
    wish.majorVersion = 2;
    wish.antialias = false; // the renderer smooths edges itself
    wish.alpha = wish.depth = wish.stencil = false;
    wish.powerPreference = EM_WEBGL_POWER_PREFERENCE_HIGH_PERFORMANCE;
    emscripten_set_canvas_element_size(canvas, width, height);
    gl = emscripten_webgl_create_context(canvas, &wish);
    return gl > 0 && emscripten_webgl_make_context_current(gl) == EMSCRIPTEN_RESULT_SUCCESS;
}

TarnPlay* page_open(const char* canvas, int workers, int width, int height)
{
    snprintf(trouble, sizeof trouble, "%s", "the browser gave no WebGL 2 context");
    if (!open_webgl(canvas, width, height)) return NULL;
    snprintf(trouble, sizeof trouble, "%s", "there is not enough memory");
    TarnPlayDef def = tarn_play_default_def();
    def.workers = workers, def.width = width, def.height = height;
    def.history_bytes = (size_t)96 << 20; // phones have little memory
    play = tarn_play_create(&def);
    return play && make_renderer(width, height) ? play : NULL;
}

const char* page_error(void)
{
    return trouble;
}

int page_resize(int width, int height)
{
    return make_renderer(width, height) && tarn_play_resize(play, width, height);
}

static int draw(const TarnFrame* frame)
{
    if (frame == NULL) {
        snprintf(trouble, sizeof trouble, "%s", tarn_play_error(play));
        return 0;
    }
    return renderer && report(tarn_renderer_draw_to(renderer, frame, 0), tarn_play_context(play));
}

int page_frame(double seconds)
{
    double start = emscripten_get_now();
    const TarnFrame* frame = tarn_play_frame(play, seconds);
    double stepped = emscripten_get_now();
    int is_drawn = draw(frame);
    step_ms = stepped - start;
    draw_ms = emscripten_get_now() - stepped;
    return is_drawn;
}

int page_redraw(void)
{
    return draw(tarn_play_redraw(play));
}

double page_step_ms(void)
{
    return step_ms;
}

double page_draw_ms(void)
{
    return draw_ms;
}
