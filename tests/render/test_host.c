// The renderer in a context of the host's: the same pictures as headless, whatever state the host has left,
// on GL ES and on desktop GL, read back or drawn into a framebuffer of the host's; and what it refuses.

#define _POSIX_C_SOURCE 200809L // setenv
#include "tests/render/liquid_frames.h"

enum { N_FRAMES = 3, CELLS = 48 };

typedef struct Frames { // a basin with a ball, land with a lake, a liquid with sparks
    float heights[CELLS * CELLS], ground[CELLS * CELLS], depth[CELLS * CELLS];
    TarnFrameWater waters[2];
    TarnFrameBody ball;
    TarnFrameLiquid liquid;
    TarnFrameParticles sparks;
    TarnFrame list[N_FRAMES];
} Frames;

static void make_frames(Fixture* f, Frames* o)
{
    memset(o, 0, sizeof *o);
    for (int k = 0; k < CELLS; ++k)
        for (int i = 0; i < CELLS; ++i) {
            float r = sqrtf((float)((i - 16) * (i - 16) + (k - 20) * (k - 20)));
            int c = i + CELLS * k;
            o->heights[c] = 0.06f * cosf(0.6f * r) * expf(-0.08f * r);
            o->ground[c] = 1.2f * sinf(0.13f * (float)i) * cosf(0.11f * (float)k);
            o->depth[c] = fmaxf(0.1f - o->ground[c], 0.0f);
        }
    o->ball = (TarnFrameBody){ .shape = { .kind = TARN_SHAPE_SPHERE, .size = { 0.5f, 0, 0 } },
                               .position = { 3, 0.1f, 2.5f },
                               .rotation = { 0, 0, 0, 1 },
                               .color = { 0.8f, 0.1f, 0.05f } };
    TarnView2 all = { o->heights, CELLS, CELLS, CELLS };
    o->waters[0] = (TarnFrameWater){ .height = all, .dx = 0.1f, .bed_level = -1.0f };
    for (int e = 0; e < 4; ++e) o->waters[0].has_rim[e] = true;
    for (int i = 0; i < 2; ++i)
        o->list[i] = (TarnFrame){
            .waters = &o->waters[i], .n_waters = 1, .bodies = &o->ball, .n_bodies = 1
        };
    o->waters[1] = (TarnFrameWater){ .dx = 0.1f };
    o->waters[1].land.ground = (TarnView2){ o->ground, CELLS, CELLS, CELLS };
    o->waters[1].land.depth = (TarnView2){ o->depth, CELLS, CELLS, CELLS };
    pool(&f->liquid, 3, 0.06f, 0.4f, 0);
    o->liquid = liquid_of(&f->liquid, 3, 0.06f);
    f->sprites.n = 0;
    for (int i = 0; i < 40; ++i)
        add(&f->sprites, 0.05f * (float)i, 0.6f + 0.3f * random01((uint32_t)i), 0.5f, i & 1);
    o->sparks = (TarnFrameParticles){ .view = sprites_of(&f->sprites) };
    o->list[2] = (TarnFrame){
        .liquids = &o->liquid, .n_liquids = 1, .particles = &o->sparks, .n_particles = 1
    };
    for (int i = 0; i < N_FRAMES; ++i) tarn_frame_defaults(&o->list[i]);
}

// Everything a careless host may have left that could spoil a picture.
static void leave_a_mess(GLuint sampler)
{
    glEnable(GL_BLEND);
    glBlendFunc(GL_ZERO, GL_ONE);
    glBlendEquation(GL_FUNC_REVERSE_SUBTRACT);
    glEnable(GL_CULL_FACE);
    glCullFace(GL_FRONT_AND_BACK);
    glFrontFace(GL_CW);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_NEVER);
    glDepthMask(GL_FALSE);
    glClearDepthf(0.0f);
    glColorMask(GL_FALSE, GL_FALSE, GL_TRUE, GL_FALSE);
    glEnable(GL_SCISSOR_TEST);
    glScissor(0, 0, 7, 7);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 11);
    glPixelStorei(GL_UNPACK_SKIP_PIXELS, 3);
    glPixelStorei(GL_PACK_ROW_LENGTH, 1000);
    for (GLuint unit = 0; unit < 16; ++unit) glBindSampler(unit, sampler);
    if (tarn__gl_is_es()) return;
    glEnable(GL_FRAMEBUFFER_SRGB);
    glEnable(GL_COLOR_LOGIC_OP);
    glLogicOp(GL_INVERT);
    glEnable(GL_DEPTH_CLAMP);
    glEnable(GL_CLIP_DISTANCE0);
    glEnable(GL_SAMPLE_MASK);
    glSampleMaski(0, 0);
    glPixelStorei(GL_UNPACK_SWAP_BYTES, 1);
    glDisable(GL_PROGRAM_POINT_SIZE);
    glPolygonMode(GL_FRONT_AND_BACK, GL_LINE);
}

static void expect_fresh_state(GLuint framebuffer)
{
    static const GLenum off[] = { GL_BLEND, GL_CULL_FACE, GL_DEPTH_TEST, GL_SCISSOR_TEST };
    for (int i = 0; i < 4; ++i) assert_false(glIsEnabled(off[i]));
    static const GLenum none[] = { GL_CURRENT_PROGRAM,    GL_VERTEX_ARRAY_BINDING,
                                   GL_TEXTURE_BINDING_2D, GL_TEXTURE_BINDING_3D,
                                   GL_SAMPLER_BINDING,    GL_UNPACK_ROW_LENGTH,
                                   GL_PACK_ROW_LENGTH,    GL_UNIFORM_BUFFER_BINDING };
    GLint value = -1;
    for (int i = 0; i < (int)(sizeof none / sizeof *none); ++i) {
        glGetIntegerv(none[i], &value);
        assert_int_equal(value, 0);
    }
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &value);
    assert_int_equal(value, framebuffer);
    GLint viewport[4];
    glGetIntegerv(GL_VIEWPORT, viewport);
    assert_true(viewport[2] == WIDTH && viewport[3] == HEIGHT);
    assert_int_equal(glGetError(), GL_NO_ERROR);
}

typedef struct Host {
    GlPlatform* platform;
    GLuint framebuffer, texture, sampler;
} Host;

static bool host_open(TarnContext* ctx, const char* api, Host* h)
{
    setenv("TARN_GL", api, 1);
    TarnResult result = tarn__platform_create(ctx, &h->platform);
    unsetenv("TARN_GL");
    if (result != TARN_OK) {
        print_message("no %s: %s\n", api, tarn_last_error(ctx));
        return false;
    }
    assert_true(tarn__platform_bind(h->platform));
    assert_int_equal(tarn__gl_is_es(), strcmp(api, "es") == 0);
    h->texture = tarn__texture_create(WIDTH, HEIGHT, GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE, NULL,
                                      false, GL_CLAMP_TO_EDGE);
    glGenFramebuffers(1, &h->framebuffer);
    glBindFramebuffer(GL_FRAMEBUFFER, h->framebuffer);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, h->texture, 0);
    assert_int_equal(glCheckFramebufferStatus(GL_FRAMEBUFFER), GL_FRAMEBUFFER_COMPLETE);
    glGenSamplers(1, &h->sampler); // its minification wants mips that our textures do not have
    return true;
}

// The picture in the host's framebuffer, top row first.
static void read_host(uint8_t* rgb)
{
    static uint8_t rgba[PIXELS * 4];
    glReadPixels(0, 0, WIDTH, HEIGHT, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
    for (int p = 0; p < PIXELS; ++p) {
        const uint8_t* from = rgba + 4 * (p % WIDTH + WIDTH * (HEIGHT - 1 - p / WIDTH));
        memcpy(rgb + 3 * p, from, 3);
        assert_int_equal(from[3], 255);
    }
}

static void draws_as_headless(Fixture* f, const char* api, int n)
{
    static Frames frames;
    static uint8_t expected[N_FRAMES][PIXELS * 3];
    make_frames(f, &frames);
    for (int i = 0; i < n; ++i) draw(f, &frames.list[i], expected[i]);
    Host h;
    TarnRenderer* r;
    if (!host_open(f->ctx, api, &h)) skip();
    leave_a_mess(h.sampler);
    assert_int_equal(tarn_renderer_create_in_current_context(f->ctx, WIDTH, HEIGHT, &r), TARN_OK);
    for (int i = 0; i < n; ++i) {
        leave_a_mess(h.sampler);
        glEnable(0xdead); // an error of the host's is not ours
        assert_int_equal(tarn_renderer_draw(r, &frames.list[i], f->a), TARN_OK);
        leave_a_mess(h.sampler);
        assert_int_equal(tarn_renderer_draw_to(r, &frames.list[i], h.framebuffer), TARN_OK);
        expect_fresh_state(h.framebuffer);
        read_host(f->b);
        double back = mean_difference(expected[i], f->a), to = mean_difference(expected[i], f->b);
        print_message("%s, frame %d: read back %.4f, drawn to %.4f of 255 off\n", api, i, back, to);
        assert_true(back < 0.1 && to < 0.15); // points are cut a little otherwise on desktop GL
    }
    tarn_renderer_destroy(r);
    assert_true(glIsFramebuffer(h.framebuffer)); // the context is alive and the host's still
    tarn__platform_destroy(f->ctx, h.platform);
}

static void test_in_an_es_context(void** state)
{
    need_gl(*state);
    draws_as_headless(*state, "es", 1); // compiling takes long: the others in the other context
}

static void test_in_a_desktop_context(void** state)
{
    need_gl(*state);
    draws_as_headless(*state, "desktop", N_FRAMES);
}

static void test_refuses(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    static Frames frames;
    make_frames(f, &frames);
    assert_int_equal(tarn_renderer_draw_to(NULL, &frames.list[0], 0), TARN_ERR_ARG);
    assert_int_equal(tarn_renderer_draw_to(f->renderer, NULL, 0), TARN_ERR_ARG);
    assert_int_equal(tarn_renderer_draw_to(f->renderer, &frames.list[0], 0), TARN_ERR_ARG);
    assert_non_null(strstr(tarn_last_error(f->ctx), "tarn_renderer_create_in_current_context"));
    GlPlatform* platform;
    assert_int_equal(tarn__platform_create(f->ctx, &platform), TARN_OK);
    tarn__platform_destroy(f->ctx, platform); // no context is current now
    TarnRenderer* r = f->renderer;
    assert_int_equal(tarn_renderer_create_in_current_context(f->ctx, WIDTH, HEIGHT, &r),
                     TARN_ERR_UNSUPPORTED);
    assert_null(r);
    assert_non_null(strstr(tarn_last_error(f->ctx), "current"));
    setenv("TARN_GL", "glide", 1);
    assert_int_equal(tarn_renderer_create(f->ctx, WIDTH, HEIGHT, &r), TARN_ERR_ARG);
    unsetenv("TARN_GL");
    assert_non_null(strstr(tarn_last_error(f->ctx), "glide"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_an_es_context),
        cmocka_unit_test(test_in_a_desktop_context),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
