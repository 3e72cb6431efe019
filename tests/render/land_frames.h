// Land with water for tests of pictures, and the renderer that draws it.
#pragma once

#include "render/renderer.h"
#include "tarn/tarn.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { WIDTH = 320, HEIGHT = 180, PIXELS = WIDTH * HEIGHT };

typedef struct Fixture {
    TarnContext* ctx;
    TarnRenderer* renderer; // NULL where there is no GL
    uint8_t a[PIXELS * 3], b[PIXELS * 3];
} Fixture;

// A land and the water on it, owned.
typedef struct Scene {
    int nx, nz;
    float dx;
    float *ground, *depth, *u, *w; // u and w at faces
    TarnFrameWater water;          // of the frame that shows it
} Scene;

static inline Scene scene_create(int nx, int nz, float dx)
{
    size_t n = (size_t)nx * (size_t)nz, faces = (size_t)(nx + 1) * (size_t)(nz + 1);
    Scene s = {
        nx, nz, dx, calloc(n, 4), calloc(n, 4), calloc(faces, 4), calloc(faces, 4), { .dx = 0.0f }
    };
    assert_true(s.ground && s.depth && s.u && s.w);
    return s;
}

static inline void scene_destroy(Scene* s)
{
    free(s->ground);
    free(s->depth);
    free(s->u);
    free(s->w);
}

static inline TarnFrame frame_of(Scene* s)
{
    TarnFrameWater* w = &s->water;
    TarnFrame frame = { .waters = w, .n_waters = 1 };
    *w = (TarnFrameWater){ 0 };
    w->dx = s->dx;
    w->land.ground = (TarnView2){ s->ground, s->nx, s->nz, s->nx };
    w->land.depth = (TarnView2){ s->depth, s->nx, s->nz, s->nx };
    w->land.velocity_x = (TarnView2){ s->u, s->nx + 1, s->nz, s->nx + 1 };
    w->land.velocity_z = (TarnView2){ s->w, s->nx, s->nz + 1, s->nx };
    tarn_frame_defaults(&frame);
    return frame;
}

// A hollow with a lake up to `level`, both symmetric around a point that lies on no cell.
static inline Scene bowl(int n, float dx, float level)
{
    Scene s = scene_create(n, n, dx);
    float center = 0.487f * (float)n * dx, size = 0.5f * (float)n * dx;
    for (int k = 0; k < n; ++k)
        for (int i = 0; i < n; ++i) {
            float x = ((float)i + 0.5f) * dx - center, z = ((float)k + 0.5f) * dx - center;
            int c = i + n * k;
            s.ground[c] = 0.3f * size * (x * x + z * z) / (size * size);
            s.depth[c] = fmaxf(level - s.ground[c], 0.0f);
        }
    return s;
}

static inline void draw(Fixture* f, const TarnFrame* frame, uint8_t* to)
{
    TarnResult result = tarn_renderer_draw(f->renderer, frame, to);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(f->ctx));
    assert_int_equal(result, TARN_OK);
}

static inline double mean_difference(const uint8_t* a, const uint8_t* b)
{
    double sum = 0.0;
    for (int i = 0; i < PIXELS * 3; ++i) sum += abs(a[i] - b[i]);
    return sum / (PIXELS * 3);
}

static inline int count_jumps(const uint8_t* a, const uint8_t* b) // pixels that change by a quarter
{
    int n = 0;
    for (int i = 0; i < PIXELS; ++i) n += abs(a[3 * i + 1] - b[3 * i + 1]) > 64;
    return n;
}

static inline const uint8_t* pixel_at(const uint8_t* rgb, int x, int y)
{
    return rgb + 3 * (x + WIDTH * y);
}

static inline void need_gl(const Fixture* f)
{
    if (!f->renderer) skip();
}

static inline int set_up(void** state)
{
    Fixture* f = calloc(1, sizeof *f);
    TarnContextDef def = tarn_context_default_def();
    if (!f || tarn_context_create(&def, &f->ctx) != TARN_OK) return 1;
    TarnResult result = tarn_renderer_create(f->ctx, WIDTH, HEIGHT, &f->renderer);
    if (result != TARN_OK && result != TARN_ERR_UNSUPPORTED) return 1;
    *state = f;
    return 0;
}

static inline int tear_down(void** state)
{
    Fixture* f = *state;
    tarn_renderer_destroy(f->renderer);
    tarn_context_destroy(f->ctx);
    free(f);
    return 0;
}
