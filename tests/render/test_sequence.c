// One renderer draws frames of all kinds in turn: each looks as if it were the only one, whatever was drawn
// before it.

#include "tests/render/liquid_frames.h"

enum { CELLS = 20, GAS = 12, GAS_CELLS = GAS * GAS * GAS, MAX_FRAMES = 20 };
enum {
    SMALL_WIDTH = 67,
    SMALL_HEIGHT = 41,
    SMALL_BYTES = SMALL_WIDTH * SMALL_HEIGHT * 3
}; // odd, too

typedef struct Album { // the frames, and all that they point to
    float calm[CELLS * CELLS], waves[CELLS * CELLS], slope[CELLS * CELLS];
    float ground[CELLS * CELLS], depth[CELLS * CELLS], soil[CELLS * CELLS];
    uint8_t walls[CELLS * CELLS];
    float smoke[GAS_CELLS], heat[GAS_CELLS];
    TarnVec3 corner[4];
    uint32_t index[12];
    TarnMesh mesh;
    TarnFrameBody ball;
    TarnFrameLiquid liquid[5];
    TarnFrameParticles sparks;
    TarnFrameGas gas;
    TarnFrameMesh wired;
    TarnFrameWater water[MAX_FRAMES]; // of the frames that have one
    TarnFrame list[MAX_FRAMES];
    const char* name[MAX_FRAMES];
    int n;
} Album;

static TarnView2 grid(const float* data)
{
    return (TarnView2){ data, CELLS, CELLS, CELLS };
}

static TarnFrame* add_frame(Album* a, const char* name, TarnFrame frame)
{
    assert_true(a->n < MAX_FRAMES);
    if (frame.n_waters > 0) {
        a->water[a->n] = *frame.waters;
        frame.waters = &a->water[a->n];
    }
    tarn_frame_defaults(&frame);
    a->name[a->n] = name;
    a->list[a->n] = frame;
    return &a->list[a->n++];
}

static void look_from(TarnFrame* frame, float y)
{
    frame->camera.eye = vec3(1.0f, y, 1.2f);
    frame->camera.target = vec3(2.5f, y + 0.1f, 2.4f);
}

static void fill_fields(Album* a)
{
    for (int k = 0; k < CELLS; ++k)
        for (int i = 0; i < CELLS; ++i) {
            int c = i + CELLS * k;
            float r = sqrtf((float)((i - 7) * (i - 7) + (k - 9) * (k - 9)));
            a->waves[c] = 0.06f * cosf(1.2f * r) * expf(-0.16f * r);
            a->slope[c] = -1.4f + 0.1f * (float)i;
            a->ground[c] = 1.2f * sinf(0.26f * (float)i) * cosf(0.22f * (float)k);
            a->depth[c] = fmaxf(0.1f - a->ground[c], 0.0f);
            a->soil[c] = 0.02f * (float)(k % 7);
            a->walls[c] = i > 12 && i < 15 && k > 5;
        }
    for (int c = 0; c < GAS_CELLS; ++c) {
        bool is_in = abs(c % GAS - 6) < 3 && abs(c / GAS % GAS - 5) < 4;
        a->smoke[c] = is_in ? 0.8f : 0.0f;
        a->heat[c] = is_in ? 1300.0f : 300.0f;
    }
}

// ---- Frames --------------------------------------------------------------------------------------

static void add_basins(Album* a)
{
    TarnFrameWater water = { .height = grid(a->waves), .dx = 0.2f, .bed_level = -1.0f };
    TarnFrame basin = { .waters = &water, .n_waters = 1, .bodies = &a->ball, .n_bodies = 1 };
    for (int e = 0; e < 4; ++e) water.has_rim[e] = true;
    water.wall_top = 0.4f;
    add_frame(a, "pool", basin);
    look_from(add_frame(a, "pool from under water", basin), -0.5f);
    TarnFrame bars = basin;
    bars.mode = TARN_RENDER_BARS;
    add_frame(a, "bars", bars);
    TarnFrameWater slope = water;
    TarnFrame sloping = basin;
    sloping.waters = &slope;
    slope.bed = grid(a->slope);
    add_frame(a, "sloping floor", sloping);
    slope.is_wall = a->walls;
    add_frame(a, "sloping floor with walls", sloping);
    water.is_wall = a->walls;
    add_frame(a, "walls", basin);
    water.bed_level = -1.8f;
    water.has_rim[1] = false;
    add_frame(a, "walls in deeper water", basin);
}

static void add_lands(Album* a)
{
    TarnFrameWater water = { .dx = 0.2f };
    TarnFrame land = { .waters = &water, .n_waters = 1, .bodies = &a->ball, .n_bodies = 1 };
    water.land.ground = grid(a->ground);
    water.land.depth = grid(a->depth);
    add_frame(a, "land", land);
    TarnFrameWater large = water;
    TarnFrame larger = land;
    larger.waters = &large;
    large.dx = 0.6f;
    add_frame(a, "the same land, larger", larger);
    TarnFrame bars = land;
    bars.mode = TARN_RENDER_BARS;
    add_frame(a, "bars of land", bars);
    look_from(add_frame(a, "land from under water", land), -0.4f);
    large.land.soil = grid(a->soil);
    large.land.has_beach = large.land.has_sea = true;
    add_frame(a, "soil and sea", larger);
}

static void add_liquids(Fixture* f, Album* a)
{
    static const TarnVec3 corner[4] = {
        { 0.4f, 0.1f, 0.2f }, { 1.6f, 0.1f, 0.2f }, { 1.0f, 0.1f, 0.9f }, { 1.0f, 0.9f, 0.5f }
    };
    static const uint32_t index[12] = { 0, 1, 2, 0, 3, 1, 1, 3, 2, 2, 3, 0 };
    memcpy(a->corner, corner, sizeof corner);
    memcpy(a->index, index, sizeof index);
    a->mesh =
        (TarnMesh){ .position = a->corner, .index = a->index, .n_vertices = 4, .n_triangles = 4 };
    static const char* const names[4] = { "screen space", "mesh", "screen mesh", "balls" };
    pool(&f->liquid, 3, 0.07f, 0.3f, 0);
    for (int mode = 0; mode < 4; ++mode) {
        a->liquid[mode] = liquid_of(&f->liquid, 3, 0.07f);
        a->liquid[mode].mode = mode;
        a->liquid[mode].mesh = &a->mesh;
        add_frame(a, names[mode], (TarnFrame){ .liquids = &a->liquid[mode], .n_liquids = 1 });
    }
    a->liquid[4] = liquid_of(&f->liquid, 2, 0.07f);
    add_frame(a, "2-D", (TarnFrame){ .liquids = &a->liquid[4], .n_liquids = 1 });
    a->wired =
        (TarnFrameMesh){ .mesh = &a->mesh, .color = { 0.7f, 0.6f, 0.2f }, .has_wires = true };
    f->sprites.n = 0;
    for (int i = 0; i < 40; ++i)
        add(&f->sprites, 0.05f * (float)i, 0.6f + 0.3f * random01((uint32_t)i), 0.5f, i % 3);
    a->sparks =
        (TarnFrameParticles){ .view = sprites_of(&f->sprites), .box_max = { 2.0f, 1.0f, 1.0f } };
    TarnView3 smoke = { a->smoke, GAS, GAS, GAS, GAS, GAS * GAS };
    a->gas = (TarnFrameGas){ .color = { 0.8f, 0.8f, 0.8f },
                             .opacity = 20.0f,
                             .glow = 1.0f,
                             .ambient_temperature = 300.0f,
                             .box_max = { 2.0f, 1.0f, 1.0f } };
    a->gas.view.dx = 1.0f / GAS;
    a->gas.view.density = smoke;
    a->gas.view.temperature = smoke;
    a->gas.view.temperature.data = a->heat;
    add_frame(a, "sparks and wires",
              (TarnFrame){
                  .particles = &a->sparks, .n_particles = 1, .meshes = &a->wired, .n_meshes = 1 });
    add_frame(
        a, "gas",
        (TarnFrame){ .gases = &a->gas, .n_gases = 1, .particles = &a->sparks, .n_particles = 1 });
}

static void make_album(Fixture* f, Album* a)
{
    memset(a, 0, sizeof *a);
    fill_fields(a);
    a->ball = (TarnFrameBody){ .shape = { .kind = TARN_SHAPE_SPHERE, .size = { 0.4f, 0, 0 } },
                               .position = { 2.2f, 0.1f, 2.5f },
                               .rotation = { 0, 0, 0, 1 },
                               .color = { 0.8f, 0.1f, 0.05f } };
    add_basins(a);
    add_lands(a);
    add_liquids(f, a);
}

// ---- Tests ---------------------------------------------------------------------------------------

// All frames and their pictures, for all tests: drawn when the first one asks for them.
static Album album;
static uint8_t forward[MAX_FRAMES][SMALL_BYTES];

static void need_album(Fixture* f)
{
    need_gl(f);
    if (album.n > 0) return;
    make_album(f, &album);
    for (int i = 0; i < album.n; ++i) draw(f, &album.list[i], forward[i]);
}

// Forward and then backward: what comes before a frame differs.
static void test_no_frame_leaves_a_trace(void** state)
{
    Fixture* f = *state;
    need_album(f);
    int n_bad = 0;
    for (int i = album.n - 2; i >= 0; --i) {
        draw(f, &album.list[i], f->a);
        if (memcmp(f->a, forward[i], SMALL_BYTES) == 0) continue;
        print_error("%s: not the same picture\n", album.name[i]);
        ++n_bad;
    }
    assert_int_equal(n_bad, 0);
}

// Those that no frame needed, too: programs are compiled when they are first used.
static void test_all_programs_compile(void** state)
{
    Fixture* f = *state;
    need_album(f);
    TarnResult result = tarn__shelf_link(f->renderer->shelf);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(f->ctx));
    assert_int_equal(result, TARN_OK);
    tarn__gl_reset();
}

// To another size and back: the same pictures, without compiling anything again.
static void test_resizes(void** state)
{
    Fixture* f = *state;
    need_album(f);
    GlProgram* last = f->renderer->shelf->first;
    assert_int_equal(tarn_renderer_resize(f->renderer, 33, 20), TARN_OK);
    for (int i = 0; i < album.n; ++i) draw(f, &album.list[i], f->a);
    assert_int_equal(tarn_renderer_resize(f->renderer, SMALL_WIDTH, SMALL_HEIGHT), TARN_OK);
    assert_int_equal(tarn_renderer_resize(f->renderer, 15, SMALL_HEIGHT), TARN_ERR_ARG);
    for (int i = 0; i < album.n; ++i) {
        draw(f, &album.list[i], f->a);
        if (memcmp(f->a, forward[i], SMALL_BYTES) != 0) print_error("%s\n", album.name[i]);
        assert_memory_equal(f->a, forward[i], SMALL_BYTES);
    }
    assert_ptr_equal(f->renderer->shelf->first, last);
}

// ---- Frames of a hostile host --------------------------------------------------------------------

static void refuse(Fixture* f, const TarnFrame* frame, const char* word)
{
    assert_int_equal(tarn_renderer_draw(f->renderer, frame, f->a), TARN_ERR_ARG);
    if (!strstr(tarn_last_error(f->ctx), word)) print_error("%s\n", tarn_last_error(f->ctx));
    assert_non_null(strstr(tarn_last_error(f->ctx), word));
}

static void test_refuses_places(void** state)
{
    static const float bad[] = { NAN, INFINITY, -INFINITY, 1e30f, -3e38f };
    Fixture* f = *state;
    need_album(f);
    for (int i = 0; i < album.n; ++i)
        for (int b = 0; b < 5; ++b) {
            TarnFrame frame = album.list[i];
            frame.camera.eye.x = bad[b];
            refuse(f, &frame, "camera");
            frame = album.list[i], frame.camera.target.y = bad[b];
            refuse(f, &frame, "camera");
            frame = album.list[i], frame.camera.fov = bad[b];
            refuse(f, &frame, "fov");
            if (album.list[i].n_waters == 0) continue;
            TarnFrameWater water = *album.list[i].waters;
            frame = album.list[i], frame.waters = &water;
            water.origin.y = bad[b];
            refuse(f, &frame, "origin");
            water.origin.y = 5e6f, water.dx = 2e-6f;
            refuse(f, &frame, "origin");
        }
}

// Places that are allowed, and make no sense.
static void test_draws_from_anywhere(void** state)
{
    static const TarnVec3 eyes[] = {
        { 9e8f, 1, 0 }, { 1, -9e8f, 1 }, { 2.2f, 0.1f, 2.5f }, { 1e-20f, 1e-20f, 0 }
    };
    Fixture* f = *state;
    need_album(f);
    const int kinds[] = { 0, 7, 12 }; // a pool, land, a liquid
    for (int i = 0; i < 12; ++i) {
        TarnFrame frame = album.list[kinds[i % 3]];
        frame.camera.eye = eyes[i / 3];
        frame.camera.target = i / 3 == 3 ? vec3(0, 0, 0) : vec3(1, 0, 1);
        frame.camera.fov = i & 1 ? 3.09f : 0.011f;
        if (vec3_length(vec3_sub(frame.camera.target, frame.camera.eye)) > 0.0f)
            draw(f, &frame, f->a);
        else
            refuse(f, &frame, "apart");
    }
}

// ---- Objects -------------------------------------------------------------------------------------

static int count_objects(void)
{
    int n = 0;
    for (GLuint id = 1; id < 5000; ++id)
        n += glIsTexture(id) + glIsBuffer(id) + glIsFramebuffer(id) + glIsRenderbuffer(id) +
             glIsVertexArray(id) + glIsProgram(id) + glIsShader(id);
    return n;
}

static void test_nothing_is_left(void** state) // the last one: it destroys the renderer
{
    Fixture* f = *state;
    need_gl(f);
    assert_true(count_objects() > 300);
    tarn_renderer_destroy(f->renderer);
    f->renderer = NULL;
    assert_int_equal(count_objects(), 0);
}

static GlPlatform* platform; // a context that outlives the renderer

static int setup_small(void** state)
{
    Fixture* f = calloc(1, sizeof *f);
    if (!f) return -1;
    TarnContextDef def = tarn_context_default_def();
    assert_int_equal(tarn_context_create(&def, &f->ctx), TARN_OK);
    *state = f;
    if (tarn__platform_create(f->ctx, &platform) != TARN_OK || !tarn__platform_bind(platform) ||
        tarn_renderer_create_in_current_context(f->ctx, SMALL_WIDTH, SMALL_HEIGHT, &f->renderer) !=
            TARN_OK)
        print_message("no pictures: %s\n", tarn_last_error(f->ctx));
    return 0;
}

static int teardown_small(void** state)
{
    Fixture* f = *state;
    tarn_renderer_destroy(f->renderer);
    tarn__platform_destroy(f->ctx, platform);
    f->renderer = NULL;
    return teardown(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_frame_leaves_a_trace),
        cmocka_unit_test(test_all_programs_compile),
        cmocka_unit_test(test_resizes),
        cmocka_unit_test(test_refuses_places),
        cmocka_unit_test(test_draws_from_anywhere),
        cmocka_unit_test(test_nothing_is_left),
    };
    return cmocka_run_group_tests(tests, setup_small, teardown_small);
}
