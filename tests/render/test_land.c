// Water over land: what the shaders are given, and what the pictures show.

#include "land_frames.h"
#include "tests/sanitized.h"

// A NaN in a shader comes out black, and nothing else here is that dark.
static int count_black(const uint8_t* rgb)
{
    int n = 0;
    for (int i = 0; i < PIXELS; ++i) n += rgb[3 * i] + rgb[3 * i + 1] + rgb[3 * i + 2] < 3;
    return n;
}

// ---- Fields --------------------------------------------------------------------------------------

// Along rays from the middle of the lake the drawn surface meets the ground where the true one does,
// far more exactly than the cells are wide.
static void test_shore_is_where_it_is(void** state)
{
    Fixture* f = *state;
    const int n = 64;
    const float dx = 0.5f, level = 1.7f;
    Scene s = bowl(n, dx, level);
    TarnFrame frame = frame_of(&s);
    Land land = { 0 };
    assert_int_equal(tarn__land_resize(f->ctx, &land, n, n), TARN_OK);
    tarn__land_update(&land, frame.waters, vec3(0.6f, 0.8f, 0.0f));
    const Field* g = &land.field;
    float size = 0.5f * (float)n * dx, center = 0.487f * (float)n * dx;
    float radius = size * sqrtf(level / (0.3f * size)), worst = 0.0f;
    for (int a = 0; a < 360; ++a) {
        float c = cosf((float)a * 0.0174533f), d = sinf((float)a * 0.0174533f), last = 1.0f,
              r = 0.0f;
        for (r = 0.5f * radius; last > 0.0f && r < 2.0f * radius; r += 0.01f * dx) {
            int i = (int)((center + r * c) / dx * (float)g->fine);
            int k = (int)((center + r * d) / dx * (float)g->fine);
            assert_true(i >= 0 && k >= 0 && i < g->nx && k < g->nz);
            last = g->surface[4 * (i + g->nx * k) + 3];
        }
        worst = fmaxf(worst, fabsf(r - radius));
    }
    assert_true(worst < 0.25f * dx); // sampled with 1/8 of a cell
    tarn__land_free(f->ctx, &land);
    scene_destroy(&s);
}

// A film that dries and a cell that floods change the drawn surface little by little.
static void test_flooding_is_gradual(void** state)
{
    Fixture* f = *state;
    Scene s = scene_create(32, 32, 1.0f);
    for (int c = 0; c < 32 * 32; ++c) {
        s.ground[c] = 0.05f * (float)(c % 32);
        s.depth[c] = fmaxf(0.4f - s.ground[c], 0.0f);
    }
    TarnFrame frame = frame_of(&s);
    Land land = { 0 };
    assert_int_equal(tarn__land_resize(f->ctx, &land, 32, 32), TARN_OK);
    int probe = 20 + 32 * 16; // dry, five cells above the shore
    size_t samples = (size_t)land.field.nx * (size_t)land.field.nz;
    float* last = malloc(samples * sizeof *last);
    float worst = 0.0f;
    for (int step = 0; step <= 120; ++step) {
        s.depth[probe] = 1e-4f * (float)step; // from dry to a puddle
        tarn__land_update(&land, frame.waters, vec3(0.6f, 0.8f, 0.0f));
        for (size_t c = 0; c < samples; ++c) {
            float thick = land.field.surface[4 * c + 3];
            if (step > 0) worst = fmaxf(worst, fabsf(thick - last[c]));
            last[c] = thick;
        }
    }
    assert_true(worst > 5e-5f);
    assert_true(worst < 0.03f); // a switch from land to water would be ten times that
    free(last);
    tarn__land_free(f->ctx, &land);
    scene_destroy(&s);
}

// A wall throws a shadow as long as the sun is low.
static void test_shadow_has_its_length(void** state)
{
    Fixture* f = *state;
    const int n = 512;
    Scene s = scene_create(n, n, 1.0f);
    for (int k = 0; k < n; ++k)
        for (int i = 200; i < 204; ++i) s.ground[i + n * k] = 40.0f;
    TarnFrame frame = frame_of(&s);
    Land land = { 0 };
    assert_int_equal(tarn__land_resize(f->ctx, &land, n, n), TARN_OK);
    const float tilt[3] = { 0.5f, 1.0f, 2.0f };
    for (int t = 0; t < 3; ++t) {
        TarnVec3 sun = vec3_unit(vec3(-1.0f, tilt[t], 0.3f)); // from -x
        tarn__land_update(&land, frame.waters, sun);
        int end = 210;
        while (end < n - 1 && land.shade[4 * (end + n * 256)] > 0.0f - land.base) ++end;
        float length = 40.0f / (tilt[t] / sqrtf(1.09f)) / sqrtf(1.09f);
        assert_true(fabsf((float)(end - 204) - length) < 3.0f);
        assert_true(land.shade[4 * (190 + n * 256)] < 0.0f - land.base); // lit before the wall
    }
    tarn__land_free(f->ctx, &land);
    scene_destroy(&s);
}

// ---- Pictures --------------------------------------------------------------------------------------

static void test_same_frame_same_bytes(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    Scene s = bowl(96, 0.5f, 2.5f), other = bowl(40, 1.0f, 3.0f);
    TarnFrame frame = frame_of(&s), second = frame_of(&other);
    TarnFrameBody ball = { .shape = { .kind = TARN_SHAPE_SPHERE, .size = { 1, 0, 0 } },
                           .position = { 24, 3, 20 },
                           .rotation = { 0, 0, 0, 1 },
                           .color = { 0.8f, 0.1f, 0.1f } };
    frame.bodies = &ball;
    frame.n_bodies = 1;
    frame.time = 3.0;
    draw(f, &frame, f->a);
    draw(f, &frame, f->b);
    assert_memory_equal(f->a, f->b, sizeof f->a);
    // Whatever was drawn in between.
    draw(f, &second, f->b);
    second.mode = TARN_RENDER_BARS;
    draw(f, &second, f->b);
    assert_true(mean_difference(f->a, f->b) > 5.0);
    other.water =
        (TarnFrameWater){ .height = { other.depth, 40, 40, 40 }, .dx = 1.0f, .bed_level = -2 };
    second.mode = TARN_RENDER_WATER;
    draw(f, &second, f->b);
    draw(f, &frame, f->b);
    assert_memory_equal(f->a, f->b, sizeof f->a);
    scene_destroy(&s);
    scene_destroy(&other);
}

static void test_next_frame_is_near(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    Scene s = bowl(64, 1.0f, 3.5f), foam = scene_create(64, 64, 1.0f);
    for (int c = 0; c < 65 * 64; ++c) s.u[c] = 1.5f; // it drifts
    for (int c = 0; c < 64 * 64; ++c) foam.depth[c] = 0.5f;
    TarnFrame frame = frame_of(&s);
    s.water.land.foam = (TarnView2){ foam.depth, 64, 64, 64 };
    frame.camera = (TarnCamera){ .eye = { 34, 8, 50 }, .target = { 30, 3, 28 }, .fov = 0.8f };
    // Many frames, so they are small: a quarter of the pixels, which come first; the others are all black.
    memset(f->a, 0, sizeof f->a);
    memset(f->b, 0, sizeof f->b);
    assert_int_equal(tarn_renderer_resize(f->renderer, WIDTH / 2, HEIGHT / 2), TARN_OK);
    const int frames = is_short_run() ? 5 : 50; // more than a period of the drift
    for (int t = 0; t < frames; ++t) {
        frame.time = (double)t / 60.0;
        draw(f, &frame, t & 1 ? f->b : f->a);
        if (t == 0) continue;
        double d = 4.0 * mean_difference(f->a, f->b);
        assert_true(d > 0.05); // it moves
        assert_true(d < 3.0);  // of 255
        assert_true(4 * count_jumps(f->a, f->b) < 20);
    }
    assert_int_equal(tarn_renderer_resize(f->renderer, WIDTH, HEIGHT), TARN_OK);
    scene_destroy(&foam);
    scene_destroy(&s);
}

// Seen from straight above, a straight shore across the cells is a straight line.
static void test_shore_is_straight(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    Scene s = scene_create(48, 48, 1.0f);
    for (int k = 0; k < 48; ++k)
        for (int i = 0; i < 48; ++i) {
            int c = i + 48 * k;
            s.ground[c] = 0.10f * ((float)i + 0.43f * (float)k - 34.0f);
            s.depth[c] = fmaxf(-s.ground[c], 0.0f);
        }
    TarnFrame frame = frame_of(&s);
    s.water.land.has_beach = true; // sand: brighter than water, everywhere
    frame.camera = (TarnCamera){ .eye = { 24, 60, 24.01f }, .target = { 24, 0, 24 }, .fov = 0.6f };
    draw(f, &frame, f->a);
    double sx = 0, sy = 0, sxx = 0, sxy = 0;
    float at[HEIGHT];
    int n = 0;
    for (int y = 20; y < HEIGHT - 20; ++y) {
        int x = WIDTH / 2 - 60; // from the water on
        while (x < WIDTH - 40 && pixel_at(f->a, x, y)[0] < pixel_at(f->a, x, y)[2]) ++x;
        assert_true(x > WIDTH / 2 - 60 && x < WIDTH - 40);
        at[n++] = (float)x;
        sx += y, sy += x, sxx += (double)y * y, sxy += (double)x * y;
    }
    double slope = (n * sxy - sx * sy) / (n * sxx - sx * sx), start = (sy - slope * sx) / n;
    double worst = 0.0;
    for (int j = 0; j < n; ++j) worst = fmax(worst, fabs(at[j] - start - slope * (20 + j)));
    double cell = HEIGHT / (2.0 * 60.0 * tan(0.3)); // in pixels
    assert_true(cell > 4.0);
    assert_true(worst < 0.4 * cell);
    assert_true(fabs(slope + 0.43) < 0.05 || fabs(slope - 0.43) < 0.05);
    scene_destroy(&s);
}

static void test_deep_water_is_dark_and_blue(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    Scene s = scene_create(64, 64, 1.0f);
    TarnFrame frame = frame_of(&s);
    s.water.land.has_beach = true;
    frame.camera = (TarnCamera){ .eye = { 32, 50, 60 }, .target = { 32, 0, 32 }, .fov = 0.5f };
    float last = 1e9f;
    const float depth[5] = { 0.0f, 0.3f, 1.0f, 3.0f, 12.0f };
    for (int d = 0; d < 5; ++d) {
        for (int c = 0; c < 64 * 64; ++c) {
            s.ground[c] = -depth[d];
            s.depth[c] = depth[d];
        }
        draw(f, &frame, f->a);
        assert_int_equal(count_black(f->a), 0);
        double mean[3] = { 0 };
        for (int y = 60; y < 120; ++y)
            for (int x = 130; x < 190; ++x)
                for (int c = 0; c < 3; ++c) mean[c] += pixel_at(f->a, x, y)[c] / 3600.0;
        float red = (float)mean[0];
        assert_true(red < last - 3.0f); // red goes first
        if (depth[d] >= 1.0f) assert_true(mean[2] > mean[0] + 20.0);
        last = red;
    }
    scene_destroy(&s);
}

// A film of less than half a millimeter is wet ground, not water: no mirror, no flicker.
// The same land looks the same at any altitude, its cut faces too. Light in the cut was once reckoned
// from a datum that may lie below the foot of the block: white faces for land around -1 m.
static double column_mean(const uint8_t* rgb, int x) // of a band around the middle
{
    double sum = 0.0;
    int n = 0;
    for (int y = HEIGHT / 2 - 50; y < HEIGHT / 2 + 50; ++y)
        for (int i = x - 3; i <= x + 3; ++i, ++n) sum += pixel_at(rgb, i, y)[1];
    return sum / n;
}

// Seen from above with the sun overhead, the ground is bright below crests, which are lenses, and dark below troughs.
static void test_waves_focus_light(void** state)
{
    Fixture* f = *state;
    if (!f->renderer) skip();
    const int n = 64;
    const float dx = 0.25f, wavelength = 4.0f, middle = 0.5f * (float)n * dx;
    Scene s = scene_create(n, n, dx);
    for (int c = 0; c < n * n; ++c) {
        float x = ((float)(c % n) + 0.5f) * dx - middle;
        s.depth[c] = 4.0f + 0.15f * cosf(6.2831853f / wavelength * x);
    }
    TarnFrame frame = frame_of(&s);
    s.water.rest_level = 4.0f;
    frame.sky.sun = vec3(0.01f, 1.0f, 0.01f);
    frame.clarity = 60.0f;
    frame.camera.eye = vec3(middle, 24.0f, middle - 0.2f);
    frame.camera.target = vec3(middle, 0.0f, middle);
    frame.camera.fov = 0.6f;
    draw(f, &frame, f->a);
    float pixels = 0.5f * HEIGHT / tanf(0.5f * frame.camera.fov) / 21.0f; // per meter
    int half = (int)(0.5f * wavelength * pixels);
    double crest = column_mean(f->a, WIDTH / 2);
    double trough =
        0.5 * (column_mean(f->a, WIDTH / 2 - half) + column_mean(f->a, WIDTH / 2 + half));
    print_message("crest %.1f, trough %.1f of 255\n", crest, trough);
    assert_true(crest > trough + 25.0); // 14 without it: crests scatter light, too
    scene_destroy(&s);
}

static int brightness_at(const TarnFrame* frame, const uint8_t* rgb, TarnVec3 p)
{
    const TarnCamera* c = &frame->camera;
    Mat4 view = mat4_look_at(c->eye, c->target);
    Mat4 proj = mat4_perspective(c->fov, (float)WIDTH / HEIGHT, 0.1f, 1000.0f);
    Mat4 both = mat4_mul(&proj, &view);
    const float* m = both.m;
    float x = m[0] * p.x + m[4] * p.y + m[8] * p.z + m[12];
    float y = m[1] * p.x + m[5] * p.y + m[9] * p.z + m[13];
    float w = m[3] * p.x + m[7] * p.y + m[11] * p.z + m[15];
    const uint8_t* at =
        pixel_at(rgb, (int)((0.5f + 0.5f * x / w) * WIDTH), (int)((0.5f - 0.5f * y / w) * HEIGHT));
    return at[0] + at[1] + at[2];
}

// The shadow of a wall begins at its foot, though the map of shadows is coarse: it spans a valley.
static void test_no_light_at_the_foot_of_walls(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    Scene s = scene_create(64, 64, 3.0f);
    TarnFrame frame = frame_of(&s);
    TarnFrameBody wall[3] = { { .shape = tarn_shape_box(4.0f, 2.0f, 0.2f),
                                .position = { 96, 2, 100 },
                                .rotation = { 0, 0, 0, 1 },
                                .color = { 0.6f, 0.6f, 0.6f } } };
    wall[1] = wall[2] = wall[0]; // the valley
    wall[1].position = vec3(20, 8, 180), wall[2].position = vec3(170, 8, 180);
    wall[1].shape = wall[2].shape = tarn_shape_box(8.0f, 8.0f, 8.0f);
    frame.bodies = wall, frame.n_bodies = 3;
    frame.sky.sun = vec3_unit(vec3(0.05f, 0.75f, 0.7f)); // from behind the wall
    frame.camera = (TarnCamera){ { 96, 3, 75 }, { 96, 1, 100 }, 0.3f };
    draw(f, &frame, f->a);
    int sum[3] = { 0 }, brightest = 0; // along the wall: at its foot, in its shadow, in the sun
    for (int i = -10; i <= 10; ++i) {
        float x = 96.0f + 0.15f * (float)i;
        const float away[3] = { 0.35f, 2.0f, 6.0f };
        for (int k = 0; k < 3; ++k) {
            int b = brightness_at(&frame, f->a, vec3(x, 0.0f, 99.8f - away[k]));
            sum[k] += b;
            if (k == 0) brightest = maxi(brightest, b);
        }
    }
    print_message("at the foot %d, in the shadow %d, in the sun %d; brightest at the foot %d\n",
                  sum[0] / 21, sum[1] / 21, sum[2] / 21, brightest);
    assert_true(2 * sum[1] < sum[2] + sum[1] / 2);
    assert_true(sum[0] < sum[1] + (sum[2] - sum[1]) / 5);
    scene_destroy(&s);
}

static void test_altitude_does_not_matter(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    const float altitudes[] = { 20.0f, -20.0f, -1.0f };
    int white[3];
    for (int a = 0; a < 3; ++a) {
        Scene s = bowl(64, 0.5f, -1.0f);
        for (int c = 0; c < 64 * 64; ++c) s.ground[c] += altitudes[a];
        TarnFrame frame = frame_of(&s);
        draw(f, &frame, f->a);
        white[a] = 0;
        for (int p = 0; p < PIXELS; ++p)
            white[a] += f->a[3 * p] > 235 && f->a[3 * p + 1] > 235 && f->a[3 * p + 2] > 235;
        scene_destroy(&s);
    }
    assert_true(white[0] < PIXELS / 100);
    assert_true(white[1] < PIXELS / 100);
    assert_true(white[2] < PIXELS / 100);
}

static void test_film_is_not_seen(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    Scene s = bowl(64, 0.1f, -1.0f);
    TarnFrame frame = frame_of(&s);
    for (int c = 0; c < 64 * 64; ++c) s.depth[c] = 1e-4f + 1e-4f * (float)(c % 3);
    draw(f, &frame, f->a);
    frame.time += 1.0; // ripples would move
    draw(f, &frame, f->b);
    assert_true(mean_difference(f->a, f->b) < 0.15); // clouds in the background
    scene_destroy(&s);
}

static void test_bad_numbers_are_drawn(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    const float bad[5] = { NAN, INFINITY, -INFINITY, 1e30f, -3e38f };
    Scene s = bowl(50, 0.7f, 2.0f);
    TarnFrame frame = frame_of(&s);
    TarnFrameLand* land = &s.water.land;
    land->foam = land->sediment = land->soil = land->depth;
    draw(f, &frame, f->b);
    for (int j = 0; j < 40; ++j) {
        s.ground[(j * 911) % 2500] = bad[j % 5];
        s.depth[(j * 577 + 5) % 2500] = bad[(j + 1) % 5];
        s.u[(j * 313) % 2500] = bad[(j + 2) % 5];
        s.w[(j * 701) % 2500] = bad[(j + 3) % 5];
    }
    TarnCamera camera = tarn_frame_camera(frame.waters, 0.4f, 0.5f, 16.0f / 9.0f);
    assert_true(vec3_is_finite(camera.eye) && vec3_is_finite(camera.target));
    draw(f, &frame, f->a);
    assert_true(count_black(f->a) < 3);
    assert_true(mean_difference(f->a, f->b) < 12.0); // what is sane still shows
    for (int c = 0; c < 2500; ++c) s.ground[c] = s.depth[c] = NAN;
    draw(f, &frame, f->a);
    scene_destroy(&s);
}

static void test_sizes(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    const int sizes[5][2] = { { 2, 2 }, { 3, 90 }, { 1024, 700 }, { 1100, 40 }, { 64, 64 } };
    const float dx[3] = { 0.01f, 1.0f, 50.0f };
    for (int t = 0; t < 5; ++t) {
        Scene s = scene_create(sizes[t][0], sizes[t][1], dx[t % 3]);
        float size = dx[t % 3] * (float)sizes[t][0];
        for (int c = 0; c < s.nx * s.nz; ++c) {
            s.ground[c] = 0.05f * size * sinf(6.0f * (float)(c % s.nx) / (float)s.nx);
            s.depth[c] = fmaxf(-s.ground[c], 0.0f);
        }
        TarnFrame frame = frame_of(&s);
        draw(f, &frame, f->a);
        assert_int_equal(count_black(f->a), 0);
        scene_destroy(&s);
    }
}

static void test_refuses(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    Scene s = bowl(16, 1.0f, 1.0f);
    TarnFrame frame = frame_of(&s);
    const TarnFrameWater good = s.water;
    s.water.land.depth.nx = 15;
    assert_int_equal(tarn_renderer_draw(f->renderer, &frame, f->a), TARN_ERR_ARG);
    assert_non_null(strstr(tarn_last_error(f->ctx), "land.depth is 15 x 16"));
    s.water = good;
    s.water.land.velocity_z.nx = 17; // faces of x, not of z
    s.water.land.velocity_z.stride = 17;
    assert_int_equal(tarn_renderer_draw(f->renderer, &frame, f->a), TARN_ERR_ARG);
    assert_non_null(strstr(tarn_last_error(f->ctx), "velocity_z"));
    s.water = good;
    s.water.land.ground.nx = 1;
    assert_int_equal(tarn_renderer_draw(f->renderer, &frame, f->a), TARN_ERR_ARG);
    s.water = good;
    s.water.dx = NAN;
    assert_int_equal(tarn_renderer_draw(f->renderer, &frame, f->a), TARN_ERR_ARG);
    s.water = good;
    draw(f, &frame, f->a);
    scene_destroy(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shore_is_where_it_is),
        cmocka_unit_test(test_flooding_is_gradual),
        cmocka_unit_test(test_shadow_has_its_length),
        cmocka_unit_test(test_same_frame_same_bytes),
        cmocka_unit_test(test_next_frame_is_near),
        cmocka_unit_test(test_shore_is_straight),
        cmocka_unit_test(test_deep_water_is_dark_and_blue),
        cmocka_unit_test(test_waves_focus_light),
        cmocka_unit_test(test_no_light_at_the_foot_of_walls),
        cmocka_unit_test(test_film_is_not_seen),
        cmocka_unit_test(test_altitude_does_not_matter),
        cmocka_unit_test(test_bad_numbers_are_drawn),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_refuses),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
