// Liquids of particles in 3-D and particle systems: what the shaders are given, and what the pictures show.

#include "tests/sanitized.h"
#define PICTURE_WIDTH 320
#include "tests/render/liquid_frames.h"

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

// What is drawn of the particle of kind 2: radius of its surface and of its drops, length over width.
static void sizes_of(Fixture* f, LiquidPoints* p, const TarnFrameLiquid* l, float sizes[3])
{
    assert_int_equal(tarn__liquid_points(f->ctx, p, l), TARN_OK);
    for (int i = 0; i < p->n; ++i) {
        const float* t = p->texels + 16 * i;
        if (t[15] != 2.0f) continue;
        sizes[0] = t[3] / l->spacing, sizes[1] = sqrtf(t[13]), sizes[2] = 1.0f / t[7];
        return;
    }
    fail();
}

// A fast particle leaves the pool, upward or along a wall, and becomes drops: in small steps, nothing pops.
static void test_drops_grow_in(void** state)
{
    Fixture* f = *state;
    Cloud* c = &f->liquid;
    enum { STEPS = 1000 };
    const int stride = is_short_run() ? 100 : 1; // all of them take minutes with sanitizers
    const float s = 0.05f, depth = 0.5f;
    LiquidPoints p = { 0 };
    for (int path = 0; path < 2; ++path) {
        // Of the pool no more than what the particle can feel: thousands of surfaces are made of it.
        float west = path ? 0.0f : 0.7f;
        c->n = 0;
        fill(c, vec3(west, 0.2f, 0.2f), vec3(west + 0.6f, depth, 0.8f), s, 0.3f, 0);
        add(c, path ? 1.6f * s : 1.0f, depth, 0.5f, 2);
        int last = c->n - 1;
        c->vy[last] = 2.0f * s * 50.0f; // two spacings while the shutter is open
        TarnFrameLiquid l = liquid_of(c, 3, s);
        float first[3] = { 0 }, before[3] = { 0 }, now[3] = { 0 }, most[3] = { 0 };
        for (int n = 0; n <= STEPS; n += stride) {
            float t = (float)n / STEPS;
            c->y[last] = depth + 3.0f * s * t;
            if (path) c->x[last] = lerpf(1.6f, 0.4f, t) * s;
            sizes_of(f, &p, &l, now);
            for (int i = 0; i < 3 && n > 0; ++i)
                most[i] = fmaxf(most[i], fabsf(now[i] - before[i]));
            memcpy(before, now, sizeof now);
            if (n == 0) memcpy(first, now, sizeof now);
        }
        assert_true(first[0] > 0.8f && first[1] == 0.0f); // surface only
        assert_true(now[0] == 0.0f && now[1] == 1.0f);    // drops only
        assert_true(now[2] > first[2] + 1.0f);            // and long
        for (int i = 0; i < 3 && stride == 1; ++i) assert_true(most[i] < 0.06f);
    }
    tarn__liquid_points_free(f->ctx, &p);
    // Splashes that solvers add grow with their age.
    assert_true(tarn__splash_growth(0.0f) < 0.2f && tarn__splash_growth(0.1f) == 1.0f);
    for (float age = 0.0f; age < 0.12f; age += 0.001f) {
        float more = tarn__splash_growth(age + 0.001f) - tarn__splash_growth(age);
        assert_true(more >= 0.0f && more < 0.02f);
    }
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
    frame.sky.sun = vec3(0.01f, 1.0f, 0.01f); // from above: the shadow is under it
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

// Particles of calm liquid tremble; its picture does not.
static void test_calm_liquid_does_not_flicker(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    Cloud* c = &f->liquid;
    const float s = 0.05f, shake = 0.03f * s;
    TarnFrameLiquid l = liquid_of(c, 3, s);
    TarnFrame frame = frame_of(&l);
    pool(c, 3, s, 0.5f, 0);
    l.view = view_of(c);
    draw(f, &frame, f->a);
    for (int i = 0; i < c->n; ++i) {
        c->x[i] += shake * (random01((uint32_t)(3 * i) + 77) - 0.5f);
        c->y[i] += shake * (random01((uint32_t)(3 * i) + 78) - 0.5f);
        c->z[i] += shake * (random01((uint32_t)(3 * i) + 79) - 0.5f);
    }
    draw(f, &frame, f->b);
    int n = 0;
    for (int i = 0; i < PIXELS * 3; ++i) n += abs(f->a[i] - f->b[i]) > 12;
    double mean = mean_difference(f->a, f->b);
    print_message("trembling: mean change %.3f, %d values of %d by more than 12\n", mean, n,
                  PIXELS * 3);
    assert_true(mean < 0.25);
    assert_true(n < PIXELS * 3 / 1000);
}

// How much redder a red box in a pool makes its surface than it is beside it.
static double red_in_pool(const uint8_t* rgb)
{
    Color box = mean_in(rgb, 134, 84, 186, 88), beside = mean_in(rgb, 200, 84, 215, 88);
    return (box.r - box.b) - (beside.r - beside.b);
}

// A sheet of splashing water does not hide the pool behind it: through the sheet, the surface of the pool mirrors the
// sky and bends the picture of the red box in it as it does beside the sheet.
static void test_pool_behind_a_sheet(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnFrameLiquid l = liquid_of(&f->liquid, 3, 0.05f);
    l.walls = TARN_LIQUID_OPEN;
    l.clarity[0] = 0.8f;
    TarnFrame frame = frame_of(&l);
    TarnFrameBody box = { .shape = { .kind = TARN_SHAPE_BOX, .size = { 0.25f, 0.08f, 0.25f } },
                          .position = { 1.0f, 0.08f, 0.5f },
                          .rotation = { 0, 0, 0, 1 },
                          .color = { 0.8f, 0.05f, 0.05f } };
    frame.solids = &box, frame.n_solids = 1;
    frame.camera = (TarnCamera){ .eye = { 1, 1.1f, 4 }, .target = { 1, 0.35f, 0.5f }, .fov = 0.4f };
    f->liquid.n = 0;
    fill(&f->liquid, vec3(0, 0, 0), vec3(2, 0.4f, 1), 0.05f, 0.3f, 0);
    l.view = view_of(&f->liquid);
    draw(f, &frame, f->a);
    fill(&f->liquid, vec3(0.4f, 0.1f, 1.5f), vec3(1.6f, 0.9f, 1.6f), 0.05f, 0.1f, 0);
    l.view = view_of(&f->liquid);
    draw(f, &frame, f->b);
    double red = red_in_pool(f->a), through = red_in_pool(f->b);
    print_message("a box in a pool is redder by %.1f, through a sheet by %.1f\n", red, through);
    assert_true(red > 15.0);
    assert_true(through > 0.5 * red);
}

// One sees a glass, and through it; it has no shadow, and what stands before it hides it.
static void test_glass(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnFrameLiquid l = liquid_of(&f->liquid, 3, 0.05f);
    pool(&f->liquid, 3, 0.05f, 0.3f, 0);
    l.view = view_of(&f->liquid);
    TarnFrame frame = frame_of(&l);
    TarnFrameBody box[2] = { { .shape = { .kind = TARN_SHAPE_BOX, .size = { 0.3f, 0.4f, 0.3f } },
                               .position = { 1.0f, 0.6f, 0.5f },
                               .rotation = { 0, 0, 0, 1 },
                               .color = { 0.7f, 0.1f, 0.1f } } };
    box[1] = box[0];
    box[1].shape.size = vec3(0.2f, 0.3f, 0.2f);
    box[1].is_glass = true; // inside of the other
    draw(f, &frame, f->a);
    frame.solids = box, frame.n_solids = 1;
    draw(f, &frame, f->b);
    double opaque = mean_difference(f->a, f->b);
    memcpy(f->a, f->b, sizeof f->a);
    frame.n_solids = 2;
    draw(f, &frame, f->b);
    assert_true(mean_difference(f->a, f->b) == 0.0);
    frame.n_solids = 0;
    draw(f, &frame, f->a);
    box[0].is_glass = true, frame.n_solids = 1;
    draw(f, &frame, f->b);
    double clear = mean_difference(f->a, f->b);
    print_message("glass changes %.2f, what is opaque %.2f\n", clear, opaque);
    assert_true(clear > 0.1 && clear < 0.5 * opaque);
    assert_true(count_black(f->b) <= count_black(f->a));
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
        TarnFrame frame = frame_of(&l), other = { .particles = &particles, .n_particles = 1 };
        frame.particles = &particles, frame.n_particles = 1;
        frame.time = 2.0;
        draw(f, &frame, f->a);
        draw(f, &frame, f->b);
        assert_memory_equal(f->a, f->b, sizeof f->a);
        // Whatever was drawn in between.
        tarn_frame_defaults(&other);
        draw(f, &other, f->b);
        assert_true(mean_difference(f->a, f->b) > 3.0);
        float heights[16] = { 0 };
        TarnFrameWater water = { .height = { heights, 4, 4, 4 }, .dx = 1, .bed_level = -1 };
        TarnFrame basin = { .waters = &water, .n_waters = 1 };
        tarn_frame_defaults(&basin);
        draw(f, &basin, f->b);
        draw(f, &frame, f->b);
        assert_memory_equal(f->a, f->b, sizeof f->a);
    }
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
        TarnFrame frame = { .particles = &p, .n_particles = 1 };
        tarn_frame_defaults(&frame);
        if (kind == TARN_FRAME_FIRE) frame.sky.sun.y = -frame.sky.sun.y; // at night
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
    TarnFrame frame = { .particles = &p, .n_particles = 1 };
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
    TarnFrameWater water = { .height = { heights, 4, 4, 4 }, .dx = 1, .bed_level = -1 };
    frame.waters = &water, frame.n_waters = 1;
    draw(f, &frame, f->a);
    l.dimensions = 2;
    refuse(f, &frame, TARN_ERR_UNSUPPORTED, "height field");
    l.dimensions = 3;
    TarnFrameParticles p = { .box_max = { 0, 1, 1 } };
    TarnFrame alone = { .particles = &p,
                        .n_particles = 1,
                        .camera = frame.camera,
                        .sky.sun = frame.sky.sun,
                        .clarity = 1 };
    refuse(f, &alone, TARN_ERR_ARG, "particles");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_surface_is_smoothed),
        cmocka_unit_test(test_drops_grow_in),
        cmocka_unit_test(test_any_particles),
        cmocka_unit_test(test_camera_frames_the_box),
        cmocka_unit_test(test_water_and_honey),
        cmocka_unit_test(test_thickness_counts),
        cmocka_unit_test(test_light_under_liquid),
        cmocka_unit_test(test_calm_liquid_does_not_flicker),
        cmocka_unit_test(test_pool_behind_a_sheet),
        cmocka_unit_test(test_glass),
        cmocka_unit_test(test_same_frame_same_bytes),
        cmocka_unit_test(test_fire_smoke_spray),
        cmocka_unit_test(test_sprites_are_sorted),
        cmocka_unit_test(test_bad_frames),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
