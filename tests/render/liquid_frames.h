// What tests of pictures of liquids share: clouds of particles, frames of them, colors of pictures, a renderer.
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

// Drawing in software takes most of the time of these tests: small pictures, unless a test needs the detail.
#ifndef PICTURE_WIDTH
#define PICTURE_WIDTH 160
#endif
enum { WIDTH = PICTURE_WIDTH, HEIGHT = WIDTH * 9 / 16, PIXELS = WIDTH * HEIGHT, MAX = 60000 };

typedef struct Cloud { // particles of a liquid or a system
    int n;
    float x[MAX], y[MAX], z[MAX], vx[MAX], vy[MAX], vz[MAX], age[MAX], life[MAX], radius[MAX];
    uint8_t kind[MAX];
    uint32_t id[MAX];
} Cloud;

typedef struct Fixture {
    TarnContext* ctx;
    TarnRenderer* renderer; // NULL where there is no GL
    uint8_t a[PIXELS * 3], b[PIXELS * 3];
    Cloud liquid, sprites;
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

// ---- Clouds --------------------------------------------------------------------------------------

static inline float random01(uint32_t i)
{
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return (float)((i ^ (i >> 16)) >> 8) * 0x1p-24f;
}

static inline void add(Cloud* c, float x, float y, float z, int kind)
{
    assert_true(c->n < MAX);
    int i = c->n++;
    c->x[i] = x, c->y[i] = y, c->z[i] = z;
    c->vx[i] = c->vy[i] = c->vz[i] = 0.0f;
    c->age[i] = 0.3f, c->life[i] = 1.0f, c->radius[i] = 0.05f;
    c->kind[i] = (uint8_t)kind;
    c->id[i] = (uint32_t)i;
}

// A lattice in a box, shaken by a share of its spacing.
static inline void fill(Cloud* c, TarnVec3 lo, TarnVec3 hi, float s, float jitter, int kind)
{
    int nx = (int)((hi.x - lo.x) / s), ny = (int)((hi.y - lo.y) / s);
    int nz = hi.z > lo.z ? (int)((hi.z - lo.z) / s) : 1;
    for (int k = 0; k < nz; ++k)
        for (int j = 0; j < ny; ++j)
            for (int i = 0; i < nx; ++i) {
                uint32_t r = 3u * (uint32_t)c->n;
                float u = jitter * s * (random01(r) - 0.5f),
                      v = jitter * s * (random01(r + 1) - 0.5f);
                float w = nz > 1 ? jitter * s * (random01(r + 2) - 0.5f) : 0.0f;
                add(c, lo.x + ((float)i + 0.5f) * s + u, lo.y + ((float)j + 0.5f) * s + v,
                    hi.z > lo.z ? lo.z + ((float)k + 0.5f) * s + w : 0.0f, kind);
            }
}

static inline TarnLiquidView view_of(const Cloud* c)
{
    return (TarnLiquidView){ .n = c->n,
                             .x = c->x,
                             .y = c->y,
                             .z = c->z,
                             .vx = c->vx,
                             .vy = c->vy,
                             .vz = c->vz,
                             .kind = c->kind,
                             .id = c->id };
}

static inline TarnParticlesView sprites_of(const Cloud* c)
{
    return (TarnParticlesView){ .n = c->n,
                                .x = c->x,
                                .y = c->y,
                                .z = c->z,
                                .vx = c->vx,
                                .vy = c->vy,
                                .vz = c->vz,
                                .age = c->age,
                                .lifetime = c->life,
                                .radius = c->radius,
                                .kind = c->kind,
                                .id = c->id };
}

static inline TarnFrameLiquid liquid_of(const Cloud* c, int dimensions, float spacing)
{
    TarnFrameLiquid l = { .dimensions = dimensions,
                          .view = view_of(c),
                          .spacing = spacing,
                          .box_max = { 2.0f, 1.0f, dimensions == 3 ? 1.0f : 0.0f },
                          .walls = TARN_LIQUID_TANK };
    l.color[0] = vec3(0.02f, 0.22f, 0.36f); // water
    l.color[1] = vec3(0.85f, 0.40f, 0.03f); // honey
    l.clarity[1] = 0.04f;
    return l;
}

static inline TarnFrame frame_of(const TarnFrameLiquid* l)
{
    TarnFrame frame = { .liquids = l, .n_liquids = 1 };
    tarn_frame_defaults(&frame);
    return frame;
}

// A pool that fills the lower part of the box.
static inline void pool(Cloud* c, int dimensions, float spacing, float depth, int kind)
{
    c->n = 0;
    fill(c, vec3(0, 0, 0), vec3(2, depth, dimensions == 3 ? 1.0f : 0.0f), spacing, 0.3f, kind);
}

// ---- Pixels --------------------------------------------------------------------------------------

typedef struct Color {
    double r, g, b;
} Color;

static inline Color mean_in(const uint8_t* rgb, int x0, int y0, int x1, int y1)
{
    Color c = { 0 };
    for (int y = y0; y < y1; ++y)
        for (int x = x0; x < x1; ++x) {
            const uint8_t* p = rgb + 3 * (x + WIDTH * y);
            c.r += p[0], c.g += p[1], c.b += p[2];
        }
    double n = (double)(x1 - x0) * (y1 - y0);
    return (Color){ c.r / n, c.g / n, c.b / n };
}

static inline double mean_difference(const uint8_t* a, const uint8_t* b)
{
    double sum = 0.0;
    for (int i = 0; i < PIXELS * 3; ++i) sum += abs(a[i] - b[i]);
    return sum / (PIXELS * 3);
}

static inline int count_black(const uint8_t* rgb) // what a NaN in a shader becomes
{
    int n = 0;
    for (int i = 0; i < PIXELS; ++i) n += rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2] < 3;
    return n;
}

// Pixel of a point in the plane z = 0 of a flat frame.
static inline void flat_pixel(const TarnFrame* frame, float x, float y, int* px, int* py)
{
    const TarnCamera* c = &frame->camera;
    float half = vec3_length(vec3_sub(c->target, c->eye)) * tanf(0.5f * c->fov);
    *px = (int)(WIDTH * 0.5f + (x - c->target.x) / half * HEIGHT * 0.5f);
    *py = (int)(HEIGHT * 0.5f - (y - c->target.y) / half * HEIGHT * 0.5f);
}

// ---- Setup -------------------------------------------------------------------------------------------

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
