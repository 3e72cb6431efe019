// Liquids of particles and particle systems: what the shaders are given, and what the pictures show.

#include "render/internal.h"
#include "tarn/tarn.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { WIDTH = 320, HEIGHT = 180, PIXELS = WIDTH * HEIGHT, MAX = 60000 };

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

static void need_gl(const Fixture* f)
{
    if (!f->renderer) skip();
}

static void draw(Fixture* f, const TarnFrame* frame, uint8_t* to)
{
    TarnResult result = tarn_renderer_draw(f->renderer, frame, to);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(f->ctx));
    assert_int_equal(result, TARN_OK);
}

// ---- Clouds --------------------------------------------------------------------------------------

static float random01(uint32_t i)
{
    i = (i ^ (i >> 16)) * 0x7feb352du;
    i = (i ^ (i >> 15)) * 0x846ca68bu;
    return (float)((i ^ (i >> 16)) >> 8) * 0x1p-24f;
}

static void add(Cloud* c, float x, float y, float z, int kind)
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
static void fill(Cloud* c, TarnVec3 lo, TarnVec3 hi, float s, float jitter, int kind)
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

static TarnLiquidView view_of(const Cloud* c)
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

static TarnParticlesView sprites_of(const Cloud* c)
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

static TarnFrameLiquid liquid_of(const Cloud* c, int dimensions, float spacing)
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

static TarnFrame frame_of(const TarnFrameLiquid* l)
{
    TarnFrame frame = { .liquid = l };
    tarn_frame_defaults(&frame);
    return frame;
}

// A pool that fills the lower part of the box.
static void pool(Cloud* c, int dimensions, float spacing, float depth, int kind)
{
    c->n = 0;
    fill(c, vec3(0, 0, 0), vec3(2, depth, dimensions == 3 ? 1.0f : 0.0f), spacing, 0.3f, kind);
}

// ---- Pixels --------------------------------------------------------------------------------------

typedef struct Color {
    double r, g, b;
} Color;

static Color mean_in(const uint8_t* rgb, int x0, int y0, int x1, int y1)
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

static double mean_difference(const uint8_t* a, const uint8_t* b)
{
    double sum = 0.0;
    for (int i = 0; i < PIXELS * 3; ++i) sum += abs(a[i] - b[i]);
    return sum / (PIXELS * 3);
}

static int count_black(const uint8_t* rgb) // what a NaN in a shader becomes
{
    int n = 0;
    for (int i = 0; i < PIXELS; ++i) n += rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2] < 3;
    return n;
}

// Pixel of a point in the plane z = 0 of a flat frame.
static void flat_pixel(const TarnFrame* frame, float x, float y, int* px, int* py)
{
    const TarnCamera* c = &frame->camera;
    float half = vec3_length(vec3_sub(c->target, c->eye)) * tanf(0.5f * c->fov);
    *px = (int)(WIDTH * 0.5f + (x - c->target.x) / half * HEIGHT * 0.5f);
    *py = (int)(HEIGHT * 0.5f - (y - c->target.y) / half * HEIGHT * 0.5f);
}

// ---- Points --------------------------------------------------------------------------------------

// A shaken surface comes out flat and its normals stand upright; what is inside is not drawn.
static void test_surface_is_smoothed(void** state)
{
    Fixture* f = *state;
    const float s = 0.05f, depth = 0.5f;
    pool(&f->liquid, 3, s, depth, 0);
    TarnFrameLiquid l = liquid_of(&f->liquid, 3, s);
    LiquidPoints p = { 0 };
    assert_int_equal(tarn__liquid_points(f->ctx, &p, &l), TARN_OK);
    assert_int_equal(p.n, f->liquid.n);
    assert_true(p.n_surface < 2 * p.n / 3);
    double sum = 0.0, square = 0.0, raw = 0.0, raw_square = 0.0;
    int n = 0;
    for (int i = 0; i < p.n_surface; ++i) { // the top layer, away from the walls
        const float* t = p.texels + 16 * i;
        bool is_top = t[1] > depth - 1.2f * s && t[0] > 0.2f && t[0] < 1.8f && t[2] > 0.2f;
        if (!is_top || t[2] > 0.8f) continue;
        assert_true(fabsf(t[5]) > 0.8f); // y of the normal
        assert_true(t[7] > 1.2f);        // it is flat
        sum += t[1], square += (double)t[1] * t[1];
        ++n;
    }
    assert_true(n > 200);
    int m = 0;
    for (int i = 0; i < f->liquid.n; ++i) {
        float y = f->liquid.y[i];
        if (y < depth - s || f->liquid.x[i] < 0.2f || f->liquid.x[i] > 1.8f) continue;
        raw += y, raw_square += (double)y * y;
        ++m;
    }
    double rough = sqrt(square / n - sum / n * (sum / n));
    double before = sqrt(raw_square / m - raw / m * (raw / m));
    assert_true(before > 0.05 * s);
    assert_true(rough < 0.6 * before);
    tarn__liquid_points_free(f->ctx, &p);
}

// Particles that are not finite are left out, all in one point or none at all are fine.
static void test_any_particles(void** state)
{
    Fixture* f = *state;
    Cloud* c = &f->liquid;
    LiquidPoints p = { 0 };
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        pool(c, dimensions, 0.1f, 0.5f, 0);
        int n = c->n;
        c->x[0] = NAN, c->y[1] = INFINITY, c->vx[2] = NAN, c->x[3] = 1e30f;
        TarnFrameLiquid l = liquid_of(c, dimensions, 0.1f);
        assert_int_equal(tarn__liquid_points(f->ctx, &p, &l), TARN_OK);
        assert_int_equal(p.n, n - 3);
        for (int i = 0; i < p.n * 16; ++i) assert_true(isfinite(p.texels[i]));
        c->n = 0;
        for (int i = 0; i < 500; ++i) add(c, 0.5f, 0.5f, 0.5f, i & 7);
        l.view = view_of(c);
        assert_int_equal(tarn__liquid_points(f->ctx, &p, &l), TARN_OK);
        assert_int_equal(p.n, 500);
        for (int i = 0; i < p.n * 16; ++i) assert_true(isfinite(p.texels[i]));
        if (f->renderer) {
            TarnFrame frame = frame_of(&l);
            draw(f, &frame, f->a);
            l.view.n = 0;
            draw(f, &frame, f->b);
            assert_int_equal(count_black(f->a), 0);
            assert_int_equal(count_black(f->b), 0);
        }
    }
    tarn__liquid_points_free(f->ctx, &p);
}

// ---- Cameras ---------------------------------------------------------------------------------------

static void test_camera_frames_the_box(void** state)
{
    (void)state;
    const TarnVec3 lo = { -3, 1, 2 }, hi = { 4, 3, 9 };
    for (int turn = 0; turn < 12; ++turn) {
        float aspect = turn & 1 ? 16.0f / 9.0f : 0.8f;
        TarnCamera c = tarn_frame_camera_box(lo, hi, false, 0.5f * (float)turn,
                                             0.1f + 0.1f * (float)turn, aspect);
        Mat4 view = mat4_look_at(c.eye, c.target);
        Mat4 proj = mat4_perspective(c.fov, aspect, 0.1f, 1000.0f), m = mat4_mul(&proj, &view);
        float most = 0.0f;
        for (int i = 0; i < 8; ++i) {
            TarnVec3 p = vec3(i & 1 ? hi.x : lo.x, i & 2 ? hi.y : lo.y, i & 4 ? hi.z : lo.z);
            float q[4];
            for (int k = 0; k < 4; ++k)
                q[k] = m.m[k] * p.x + m.m[4 + k] * p.y + m.m[8 + k] * p.z + m.m[12 + k];
            most = fmaxf(most, fmaxf(fabsf(q[0] / q[3]), fabsf(q[1] / q[3])));
        }
        assert_true(most < 1.0f); // all in the picture
        assert_true(most > 0.7f); // and not far away
    }
}

// ---- 3-D -------------------------------------------------------------------------------------------

static void test_water_and_honey(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    const float s = 0.05f;
    TarnFrameLiquid l = liquid_of(&f->liquid, 3, s);
    l.view.n = 0;
    TarnFrame frame = frame_of(&l);
    draw(f, &frame, f->b); // the empty tank
    int x0 = 130, x1 = 190, y0 = 110, y1 = 130;
    Color empty = mean_in(f->b, x0, y0, x1, y1);
    assert_true(fabs(empty.b - empty.r) < 40.0); // a neutral floor

    pool(&f->liquid, 3, s, 0.5f, 0);
    l.view = view_of(&f->liquid);
    draw(f, &frame, f->a);
    assert_int_equal(count_black(f->a), 0);
    Color water = mean_in(f->a, x0, y0, x1, y1);
    assert_true(water.b > water.r + 40.0);
    assert_true(water.g > water.r + 20.0);
    assert_true(mean_difference(f->a, f->b) > 5.0);

    pool(&f->liquid, 3, s, 0.5f, 1);
    l.view = view_of(&f->liquid);
    draw(f, &frame, f->b);
    Color honey = mean_in(f->b, x0, y0, x1, y1);
    assert_true(honey.r > honey.b + 80.0);
    assert_true(honey.r > honey.g + 15.0);
}

// Deeper water is darker and bluer; a red floor of honey is seen through water, not through honey.
static void test_thickness_counts(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnFrameLiquid l = liquid_of(&f->liquid, 3, 0.05f);
    TarnFrame frame = frame_of(&l);
    frame.camera = (TarnCamera){ .eye = { 1, 6, 0.51f }, .target = { 1, 0, 0.5f }, .fov = 0.3f };
    double last = 1e9;
    for (int d = 1; d <= 3; ++d) {
        pool(&f->liquid, 3, 0.05f, 0.3f * (float)d, 0);
        l.view = view_of(&f->liquid);
        draw(f, &frame, f->a);
        Color c = mean_in(f->a, 120, 70, 200, 110);
        assert_true(c.r < last - 5.0);
        last = c.r;
    }
}

static void test_light_under_liquid(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnFrameLiquid l = liquid_of(&f->liquid, 3, 0.05f);
    l.walls = TARN_LIQUID_OPEN;
    f->liquid.n = 0;
    fill(&f->liquid, vec3(0.7f, 0.5f, 0.2f), vec3(1.3f, 0.9f, 0.8f), 0.05f, 0.2f, 1);
    l.view = view_of(&f->liquid);
    TarnFrame frame = frame_of(&l);
    frame.sun = vec3(0.01f, 1.0f, 0.01f); // from above: the shadow is under it
    frame.camera = (TarnCamera){ .eye = { 1, 0.35f, 4 }, .target = { 1, 0.1f, 0.5f }, .fov = 0.5f };
    draw(f, &frame, f->a);
    l.view.n = 0;
    draw(f, &frame, f->b);
    double darker = 0.0;
    for (int y = 90; y < 130; ++y) {
        Color with = mean_in(f->a, 150, y, 170, y + 1), without = mean_in(f->b, 150, y, 170, y + 1);
        darker = fmax(darker, without.b - with.b);
    }
    assert_true(darker > 25.0);
}

static void test_same_frame_same_bytes(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    Cloud* c = &f->liquid;
    f->sprites.n = 0;
    for (int i = 0; i < 300; ++i)
        add(&f->sprites, 1.0f + 0.3f * random01((uint32_t)i), random01((uint32_t)i + 500),
            0.3f * random01((uint32_t)i + 900), i % 5);
    TarnFrameParticles particles = { .view = sprites_of(&f->sprites), .box_max = { 2, 1, 1 } };
    for (int dimensions = 2; dimensions <= 3; ++dimensions) {
        pool(c, dimensions, 0.06f, 0.5f, 0);
        TarnFrameLiquid l = liquid_of(c, dimensions, 0.06f);
        TarnFrame frame = frame_of(&l), other = { .particles = &particles };
        frame.particles = &particles;
        frame.time = 2.0;
        draw(f, &frame, f->a);
        draw(f, &frame, f->b);
        assert_memory_equal(f->a, f->b, sizeof f->a);
        // Whatever was drawn in between.
        tarn_frame_defaults(&other);
        draw(f, &other, f->b);
        assert_true(mean_difference(f->a, f->b) > 3.0);
        float heights[16] = { 0 };
        TarnFrame basin = { .water = { .height = { heights, 4, 4, 4 }, .dx = 1, .bed_level = -1 } };
        tarn_frame_defaults(&basin);
        draw(f, &basin, f->b);
        draw(f, &frame, f->b);
        assert_memory_equal(f->a, f->b, sizeof f->a);
    }
}

// ---- 2-D -------------------------------------------------------------------------------------------

// A pool with a wave on it, drops over it, and the look that a solver gives.
static void wavy(Cloud* c, float s)
{
    pool(c, 2, s, 0.6f, 0);
    int n = 0;
    for (int i = 0; i < c->n; ++i) {
        if (c->y[i] > 0.45f + 0.08f * sinf(4.0f * c->x[i])) continue;
        c->x[n] = c->x[i], c->y[n] = c->y[i];
        ++n;
    }
    c->n = n;
    for (int i = 0; i < 12; ++i) add(c, 0.3f + 0.12f * (float)i, 0.75f, 0, 0);
}

static void test_each_part_of_the_look(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    const float s = 0.03f;
    wavy(&f->liquid, s);
    f->sprites.n = 0;
    for (int i = 0; i < 40; ++i) {
        add(&f->sprites, 0.2f + 0.04f * (float)i, 0.70f + 0.2f * random01((uint32_t)i), 0, 0);
        f->sprites.radius[i] = 0.012f;
    }
    TarnFrameLiquid l = liquid_of(&f->liquid, 2, s);
    l.splashes = sprites_of(&f->sprites);
    TarnFrame frame = frame_of(&l);
    draw(f, &frame, f->a);
    assert_int_equal(count_black(f->a), 0);
    l.look = TARN_SPRINKLE_ALL;
    draw(f, &frame, f->b);
    assert_memory_equal(f->a, f->b, sizeof f->a); // 0 is all of it
    for (int bit = 0; bit < 7; ++bit) {
        l.look = TARN_SPRINKLE_ALL & ~(1u << bit);
        draw(f, &frame, f->b);
        int changed = 0;
        for (int i = 0; i < PIXELS; ++i) changed += memcmp(f->a + 3 * i, f->b + 3 * i, 3) != 0;
        if (changed < 20) print_error("bit %d changes %d pixels\n", bit, changed);
        assert_true(changed >= 20);
        bool is_small = bit == 6 || bit == 5 || bit == 4; // bubbles, splashes, edges
        if (is_small) assert_true(changed < PIXELS / 4);
    }
}

// From the air down: a bright line at the surface, then blue water.
static void test_flat_water_has_a_bright_edge(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    const float s = 0.03f;
    pool(&f->liquid, 2, s, 0.5f, 0);
    TarnFrameLiquid l = liquid_of(&f->liquid, 2, s);
    TarnFrame frame = frame_of(&l);
    draw(f, &frame, f->a);
    l.look = TARN_SPRINKLE_ALL & ~TARN_SPRINKLE_EDGES & ~TARN_SPRINKLE_BUBBLES;
    draw(f, &frame, f->b);
    int px, surface, deep;
    flat_pixel(&frame, 1.0f, 0.5f, &px, &surface);
    flat_pixel(&frame, 1.0f, 0.25f, &px, &deep);
    double bright = 0.0, without = 0.0;
    for (int y = surface - 8; y < surface + 8; ++y) { // whole rows: the painting varies
        Color c = mean_in(f->a, 40, y, 280, y + 1), d = mean_in(f->b, 40, y, 280, y + 1);
        if (c.g - d.g > bright - without) bright = c.g, without = d.g;
    }
    Color water = mean_in(f->a, 60, deep - 5, 260, deep + 5);
    assert_true(bright > without + 25.0);
    assert_true(bright > water.g + 25.0);
    assert_true(water.b > water.r + 40.0);
    // The surface lies where the particles end, within a spacing.
    l.view.n = 0;
    l.look = 0;
    draw(f, &frame, f->b);
    int top = 0;
    while (top < HEIGHT &&
           memcmp(f->a + 3 * (px + WIDTH * top), f->b + 3 * (px + WIDTH * top), 3) == 0)
        ++top;
    int spacing = (int)(s / 1.06f * HEIGHT) + 2;
    assert_in_range(top, surface - spacing, surface + spacing);
}

static void test_flat_kinds_and_solids(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    const float s = 0.03f;
    f->liquid.n = 0;
    fill(&f->liquid, vec3(0, 0, 0), vec3(1, 0.5f, 0), s, 0.3f, 0);
    fill(&f->liquid, vec3(1, 0, 0), vec3(2, 0.5f, 0), s, 0.3f, 1);
    TarnFrameLiquid l = liquid_of(&f->liquid, 2, s);
    TarnFrame frame = frame_of(&l);
    draw(f, &frame, f->a);
    int px, py;
    flat_pixel(&frame, 0.5f, 0.25f, &px, &py);
    Color water = mean_in(f->a, px - 20, py - 8, px + 20, py + 8);
    flat_pixel(&frame, 1.5f, 0.25f, &px, &py);
    Color honey = mean_in(f->a, px - 20, py - 8, px + 20, py + 8);
    assert_true(water.b > water.r + 40.0);
    assert_true(honey.r > honey.b + 60.0);

    // A block given as distances, a crate and a polygon cover what is behind them, and nothing else.
    enum { N = 64 };
    float distance[N * N];
    for (int k = 0; k < N; ++k)
        for (int i = 0; i < N; ++i) {
            float x = -0.2f + 2.4f * (float)i / (N - 1), y = -0.2f + 2.4f * (float)k / (N - 1);
            distance[i + N * k] = fmaxf(fabsf(x - 0.5f), fabsf(y - 0.8f)) - 0.1f;
        }
    l.solid = (TarnView2){ distance, N, N, N };
    l.solid_origin = (TarnVec2){ -0.2f, -0.2f };
    l.solid_dx = 2.4f / (N - 1);
    const TarnVec3 corners[4] = {
        { -0.1f, -0.1f, 0 }, { 0.1f, -0.1f, 0 }, { 0, 0.12f, -0.1f }, { 0, 0.12f, 0.1f }
    };
    const int triangles[12] = { 0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3 };
    TarnFrameBody box = { .shape = TARN_FRAME_BOX,
                          .size = { 0.1f, 0.1f, 0.1f },
                          .position = { 1.0f, 0.8f, 0 },
                          .rotation = { 0, 0, 0, 1 },
                          .color = { 0.6f, 0.04f, 0.04f } };
    TarnFrameBody mesh = { .shape = TARN_FRAME_MESH,
                           .vertices = corners,
                           .n_vertices = 4,
                           .triangles = triangles,
                           .n_triangles = 4,
                           .position = { 1.5f, 0.8f, 0 },
                           .rotation = { 0, 0, 0, 1 },
                           .color = { 0.6f, 0.04f, 0.04f } };
    frame.solids = &box;
    frame.n_solids = 1;
    frame.bodies = &mesh;
    frame.n_bodies = 1;
    draw(f, &frame, f->b);
    for (int i = 0; i < 3; ++i) {
        flat_pixel(&frame, 0.5f + 0.5f * (float)i, 0.8f, &px, &py);
        Color before = mean_in(f->a, px - 5, py - 5, px + 5, py + 5);
        Color after = mean_in(f->b, px - 5, py - 5, px + 5, py + 5);
        assert_true(fabs(after.r - before.r) + fabs(after.g - before.g) + fabs(after.b - before.b) >
                    40.0);
        flat_pixel(&frame, 0.75f + 0.5f * (float)i, 0.8f, &px, &py);
        before = mean_in(f->a, px - 3, py - 3, px + 3, py + 3);
        after = mean_in(f->b, px - 3, py - 3, px + 3, py + 3);
        assert_true(fabs(after.r - before.r) < 12.0);
    }
    // A mesh among the solids gives its color to the part of the distances that lies around it.
    mesh.position.x = 0.5f;
    frame.solids = &mesh;
    frame.n_bodies = 0;
    draw(f, &frame, f->b);
    flat_pixel(&frame, 0.5f, 0.8f, &px, &py);
    Color red = mean_in(f->b, px - 5, py - 5, px + 5, py + 5);
    assert_true(red.r > 2.5 * red.g);
}

// ---- Particle systems --------------------------------------------------------------------------------

static void test_fire_smoke_spray(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    Color seen[3];
    for (int kind = 0; kind < 3; ++kind) {
        f->sprites.n = 0;
        for (int i = 0; i < 400; ++i) {
            float a = 6.2831853f * random01((uint32_t)i), r = 0.2f * random01((uint32_t)i + 999);
            add(&f->sprites, 1.0f + r * cosf(a), 0.3f + 0.4f * random01((uint32_t)i + 7777),
                0.5f + r * sinf(a), kind);
        }
        TarnFrameParticles p = { .view = sprites_of(&f->sprites), .box_max = { 2, 1, 1 } };
        TarnFrame frame = { .particles = &p };
        tarn_frame_defaults(&frame);
        if (kind == TARN_FRAME_FIRE) frame.sun.y = -frame.sun.y; // at night
        draw(f, &frame, f->a);
        seen[kind] = mean_in(f->a, 145, 75, 175, 105);
        p.view.n = 0;
        draw(f, &frame, f->b);
        Color empty = mean_in(f->b, 145, 75, 175, 105);
        if (kind == TARN_FRAME_FIRE) assert_true(seen[1].r > empty.r + 100.0);
        if (kind == TARN_FRAME_SMOKE) assert_true(seen[2].g < empty.g - 20.0);
        assert_true(mean_difference(f->a, f->b) > 0.3);
    }
    assert_true(seen[1].r > seen[1].b + 60.0);       // fire is orange
    assert_true(fabs(seen[2].r - seen[2].b) < 30.0); // smoke is gray
    assert_true(seen[0].g > seen[2].g);              // spray is brighter than smoke
}

// What is nearer covers what is farther, in whatever order they come.
static void test_sprites_are_sorted(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnFrameParticles p = { .box_max = { 2, 1, 1 } };
    TarnFrame frame = { .particles = &p };
    for (int order = 0; order < 2; ++order) {
        Cloud* c = &f->sprites;
        c->n = 0;
        for (int i = 0; i < 40; ++i) {
            bool is_near = (i & 1) == order;
            add(c, 1.0f, 0.5f, is_near ? 0.9f : 0.1f,
                is_near ? TARN_FRAME_SMOKE : TARN_FRAME_SPRAY);
            c->radius[i] = 0.2f;
            c->id[i] = (uint32_t)(i / 2);
        }
        p.view = sprites_of(c);
        tarn_frame_defaults(&frame);
        draw(f, &frame, order ? f->b : f->a);
    }
    assert_memory_equal(f->a, f->b, sizeof f->a);
}

// ---- Bad frames --------------------------------------------------------------------------------------

static void refuse(Fixture* f, const TarnFrame* frame, TarnResult expected, const char* word)
{
    assert_int_equal(tarn_renderer_draw(f->renderer, frame, f->a), expected);
    if (!strstr(tarn_last_error(f->ctx), word)) print_error("%s\n", tarn_last_error(f->ctx));
    assert_non_null(strstr(tarn_last_error(f->ctx), word));
}

static void test_bad_frames(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    pool(&f->liquid, 3, 0.1f, 0.5f, 0);
    const TarnFrameLiquid good = liquid_of(&f->liquid, 3, 0.1f);
    TarnFrameLiquid l = good;
    TarnFrame frame = frame_of(&l);
    draw(f, &frame, f->a);
    l.dimensions = 4;
    refuse(f, &frame, TARN_ERR_ARG, "dimensions");
    l = good, l.spacing = NAN;
    refuse(f, &frame, TARN_ERR_ARG, "spacing");
    l = good, l.box_max.x = l.box_min.x;
    refuse(f, &frame, TARN_ERR_ARG, "box_min");
    l = good, l.view.z = NULL;
    refuse(f, &frame, TARN_ERR_ARG, "NULL");
    l = good, l.view.n = -1;
    refuse(f, &frame, TARN_ERR_ARG, "view");
    l = good, l.color[3].y = NAN;
    refuse(f, &frame, TARN_ERR_ARG, "color[3]");
    l = good, l.solid = (TarnView2){ f->liquid.x, 10, 10, 5 };
    refuse(f, &frame, TARN_ERR_ARG, "solid");
    l = good, frame.n_solids = 1;
    refuse(f, &frame, TARN_ERR_ARG, "solids");
    frame.n_solids = 0;
    float heights[16] = { 0 };
    frame.water = (TarnFrameWater){ .height = { heights, 4, 4, 4 }, .dx = 1, .bed_level = -1 };
    refuse(f, &frame, TARN_ERR_UNSUPPORTED, "height field");
    TarnFrameParticles p = { .box_max = { 0, 1, 1 } };
    TarnFrame alone = { .particles = &p, .camera = frame.camera, .sun = frame.sun, .clarity = 1 };
    refuse(f, &alone, TARN_ERR_ARG, "particles");
}

// ---- Setup -------------------------------------------------------------------------------------------

static int setup(void** state)
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

static int teardown(void** state)
{
    Fixture* f = *state;
    tarn_renderer_destroy(f->renderer);
    tarn_context_destroy(f->ctx);
    free(f);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surface_is_smoothed),
        cmocka_unit_test(test_any_particles),
        cmocka_unit_test(test_camera_frames_the_box),
        cmocka_unit_test(test_water_and_honey),
        cmocka_unit_test(test_thickness_counts),
        cmocka_unit_test(test_light_under_liquid),
        cmocka_unit_test(test_same_frame_same_bytes),
        cmocka_unit_test(test_each_part_of_the_look),
        cmocka_unit_test(test_flat_water_has_a_bright_edge),
        cmocka_unit_test(test_flat_kinds_and_solids),
        cmocka_unit_test(test_fire_smoke_spray),
        cmocka_unit_test(test_sprites_are_sorted),
        cmocka_unit_test(test_bad_frames),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
