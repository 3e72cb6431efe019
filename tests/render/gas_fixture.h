// What the tests of gases and of the looks of particles share: fields, frames, pixels.
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

static const TarnVec3 middle = { 0.5f, 0.6f, 0.5f };

enum { WIDTH = 320, HEIGHT = 180, PIXELS = WIDTH * HEIGHT, N = 24, CELLS = N * N * N, MAX = 4000 };

typedef struct Fields { // of a gas of N^3 cells in a box of 1 m
    float density[CELLS], temperature[CELLS], color[3][CELLS];
} Fields;

typedef struct Fixture {
    TarnContext* ctx;
    TarnRenderer* renderer; // NULL where there is no GL
    uint8_t a[PIXELS * 3], b[PIXELS * 3];
    Fields one, two;
    uint32_t id[MAX];
    float x[MAX], y[MAX], z[MAX], vx[MAX], vy[MAX], vz[MAX], age[MAX], life[MAX], radius[MAX];
    uint8_t kind[MAX];
    int n;
} Fixture;

static inline void need_gl(const Fixture* f)
{
    if (!f->renderer) skip();
}

static inline void draw(Fixture* f, const TarnFrame* frame, uint8_t* to)
{
    TarnResult result = tarn_renderer_draw(f->renderer, frame, to);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(f->ctx));
    assert_int_equal(result, TARN_OK);
}

// ---- Gases -----------------------------------------------------------------------------------------

static inline float ball(float x, float y, float z, TarnVec3 c, float r) // 1 inside, soft
{
    float d = vec3_length(vec3_sub(vec3(x, y, z), c));
    return clampf((r - d) * N + 0.5f, 0.0f, 1.0f);
}

// A ball of smoke and heat.
static inline void puff(Fields* f, TarnVec3 c, float r, float density, float temperature)
{
    int n = 0;
    for (int k = 0; k < N; ++k)
        for (int j = 0; j < N; ++j)
            for (int i = 0; i < N; ++i, ++n) {
                float in =
                    ball(((float)i + 0.5f) / N, ((float)j + 0.5f) / N, ((float)k + 0.5f) / N, c, r);
                f->density[n] = density * in;
                f->temperature[n] = temperature * in;
            }
}

static inline TarnView3 view_of(const float* data)
{
    return (TarnView3){ data, N, N, N, N, N * N };
}

static inline TarnFrameGas gas_of(const Fields* f)
{
    TarnFrameGas g = { .color = { 0.8f, 0.8f, 0.8f },
                       .opacity = 30.0f,
                       .glow = 1.0f,
                       .ambient_temperature = 300.0f,
                       .box_max = { 1, 1, 1 } };
    g.view.dx = 1.0f / N;
    g.view.density = view_of(f->density);
    g.view.temperature = view_of(f->temperature);
    return g;
}

static inline TarnFrame frame_of(const TarnFrameGas* g, int n)
{
    TarnFrame frame = { .gases = g, .n_gases = n };
    tarn_frame_defaults(&frame);
    return frame;
}

// ---- Pixels ----------------------------------------------------------------------------------------

typedef struct Color {
    double r, g, b;
} Color;

// Mean of a square around the pixel of a point.
static inline Color color_at(const TarnFrame* frame, const uint8_t* rgb, TarnVec3 p, int half)
{
    const TarnCamera* c = &frame->camera;
    TarnVec3 f = vec3_unit(vec3_sub(c->target, c->eye)), d = vec3_sub(p, c->eye);
    TarnVec3 right = vec3_unit(vec3_cross(f, vec3(0, 1, 0))), up = vec3_cross(right, f);
    float z = vec3_dot(d, f), s = 0.5f * HEIGHT / tanf(0.5f * c->fov) / z;
    int x = (int)(0.5f * WIDTH + s * vec3_dot(d, right)),
        y = (int)(0.5f * HEIGHT - s * vec3_dot(d, up));
    assert_true(x >= half && y >= half && x < WIDTH - half && y < HEIGHT - half);
    Color sum = { 0 };
    int n = 0;
    for (int k = y - half; k <= y + half; ++k)
        for (int i = x - half; i <= x + half; ++i, ++n) {
            const uint8_t* q = rgb + 3 * (i + WIDTH * k);
            sum.r += q[0], sum.g += q[1], sum.b += q[2];
        }
    return (Color){ sum.r / n, sum.g / n, sum.b / n };
}

static inline double brightness(Color c)
{
    return (c.r + c.g + c.b) / 3.0;
}

static inline int count_black(const uint8_t* rgb) // what a NaN in a shader becomes
{
    int n = 0;
    for (int i = 0; i < PIXELS; ++i) n += rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2] < 3;
    return n;
}

static inline double mean_difference(const uint8_t* a, const uint8_t* b)
{
    double sum = 0.0;
    for (int i = 0; i < PIXELS * 3; ++i) sum += abs(a[i] - b[i]);
    return sum / (PIXELS * 3);
}

static inline void refuse(Fixture* f, const TarnFrame* frame, const char* word)
{
    assert_int_equal(tarn_renderer_draw(f->renderer, frame, f->a), TARN_ERR_ARG);
    if (!strstr(tarn_last_error(f->ctx), word)) print_error("%s\n", tarn_last_error(f->ctx));
    assert_non_null(strstr(tarn_last_error(f->ctx), word));
}

// ---- Setup -----------------------------------------------------------------------------------------

static inline int setup(void** state)
{
    Fixture* f = calloc(1, sizeof *f);
    if (!f) return -1;
    TarnContextDef def = tarn_context_default_def();
    assert_int_equal(tarn_context_create(&def, &f->ctx), TARN_OK);
    if (tarn_renderer_create(f->ctx, WIDTH, HEIGHT, &f->renderer) != TARN_OK)
        print_message("no pictures: %s\n", tarn_last_error(f->ctx));
    *state = f;
    return 0;
}

static inline int teardown(void** state)
{
    Fixture* f = *state;
    tarn_renderer_destroy(f->renderer);
    tarn_context_destroy(f->ctx);
    free(f);
    return 0;
}
