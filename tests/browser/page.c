// A page with a picture of a scene, made as the command line makes it: the scene's text is read, stepped to a
// moment and drawn with WebGL 2. tests/browser/run.mjs opens it in a browser and compares what comes out.

#include "tarn/view.h"
#include <emscripten/emscripten.h>
#include <emscripten/html5.h>
#include <GLES3/gl3.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Returns "" or what went wrong.
EMSCRIPTEN_KEEPALIVE const char* page_draw(const char* text, double at, int width, int height,
                                           uint8_t* rgb);
// Mean difference between the picture that was read back and the one on the canvas, of 255.
EMSCRIPTEN_KEEPALIVE double page_canvas_difference(const uint8_t* rgb, int width, int height);

static char trouble[600];

static bool open_webgl(int width, int height)
{
    EmscriptenWebGLContextAttributes wish;
    emscripten_webgl_init_context_attributes(&wish); // extensions are enabled
    wish.majorVersion = 2;
    wish.antialias = false; // the renderer smooths edges itself
    wish.depth = wish.stencil = false;
    emscripten_set_canvas_element_size("#picture", width, height);
    EMSCRIPTEN_WEBGL_CONTEXT_HANDLE gl = emscripten_webgl_create_context("#picture", &wish);
    return gl > 0 && emscripten_webgl_make_context_current(gl) == EMSCRIPTEN_RESULT_SUCCESS;
}

static TarnResult step_to(TarnScene* scene, double at)
{
    float dt = tarn_scene_run(scene).dt;
    TarnResult result = TARN_OK;
    for (int64_t n = llround(at / (double)dt); n > 0 && result == TARN_OK; --n) {
        TarnStepReport report;
        result = tarn_world_step(tarn_scene_world(scene), dt, &report);
    }
    return result;
}

// Twice: read back, and onto the canvas.
static TarnResult draw(TarnContext* ctx, TarnScene* scene, int width, int height, uint8_t* rgb)
{
    TarnViewerDef def = tarn_viewer_default_def();
    TarnViewer* viewer;
    TarnRenderer* renderer = NULL;
    const TarnFrame* frame;
    def.scene = scene;
    def.width = width, def.height = height;
    TarnResult result = tarn_viewer_create(ctx, &def, &viewer);
    if (result == TARN_OK) result = tarn_viewer_update(viewer, &frame);
    if (result == TARN_OK)
        result = tarn_renderer_create_in_current_context(ctx, width, height, &renderer);
    if (result == TARN_OK) result = tarn_renderer_draw(renderer, frame, rgb);
    if (result == TARN_OK) result = tarn_renderer_draw_to(renderer, frame, 0);
    tarn_renderer_destroy(renderer);
    tarn_viewer_destroy(viewer);
    return result;
}

const char* page_draw(const char* text, double at, int width, int height, uint8_t* rgb)
{
    TarnContextDef def = tarn_context_default_def();
    TarnContext* ctx = NULL;
    TarnScene* scene = NULL;
    if (!open_webgl(width, height)) return "there is no WebGL 2 here";
    if (tarn_context_create(&def, &ctx) != TARN_OK) return "no context";
    TarnResult result = tarn_scene_create(ctx, text, strlen(text), "scene", NULL, 0, &scene);
    if (result == TARN_OK) result = step_to(scene, at);
    if (result == TARN_OK) result = draw(ctx, scene, width, height, rgb);
    trouble[0] = '\0';
    if (result != TARN_OK)
        snprintf(trouble, sizeof trouble, "%s: %s", tarn_result_name(result), tarn_last_error(ctx));
    tarn_scene_destroy(scene);
    tarn_context_destroy(ctx);
    return trouble;
}

double page_canvas_difference(const uint8_t* rgb, int width, int height)
{
    uint8_t* rgba = malloc((size_t)width * (size_t)height * 4);
    if (!rgba) return -1.0;
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    double sum = 0.0;
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int c = 0; c < 3; ++c)
                sum += abs(rgba[4 * (x + width * y) + c] -
                           rgb[3 * (x + width * (height - 1 - y)) + c]);
    free(rgba);
    return sum / (3.0 * width * height);
}
