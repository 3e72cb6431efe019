// Particles with looks of their own: what they are over their life, and what the pictures show.

#include "gas_fixture.h"

// ---- Particles with looks --------------------------------------------------------------------------

static void add(Fixture* f, TarnVec3 p, float radius, int kind)
{
    int i = f->n++;
    assert_true(i < MAX);
    f->x[i] = p.x, f->y[i] = p.y, f->z[i] = p.z;
    f->vx[i] = f->vy[i] = f->vz[i] = 0.0f;
    f->age[i] = 0.5f, f->life[i] = 1.0f, f->radius[i] = radius;
    f->kind[i] = (uint8_t)kind;
    f->id[i] = (uint32_t)(i / 2);
}

static TarnParticlesView particles_of(const Fixture* f)
{
    return (TarnParticlesView){ .n = f->n,
                                .x = f->x,
                                .y = f->y,
                                .z = f->z,
                                .vx = f->vx,
                                .vy = f->vy,
                                .vz = f->vz,
                                .age = f->age,
                                .lifetime = f->life,
                                .radius = f->radius,
                                .id = f->id,
                                .kind = f->kind };
}

static TarnParticleLook look_of(TarnVec3 color, bool is_additive)
{
    return (TarnParticleLook){ .color = { color, color, color },
                               .opacity = { 1, 1, 1 },
                               .size = { 1, 1, 1 },
                               .is_additive = is_additive };
}

static void test_looks_over_life(void** state)
{
    Fixture* f = *state;
    TarnParticleLook look = look_of(vec3(1, 1, 1), false);
    for (int i = 0; i < 3; ++i) {
        look.color[i] = vec3((float)i, 0, 1);
        look.opacity[i] = 0.5f * (float)i;
        look.size[i] = 1.0f + (float)i;
    }
    TarnFrameParticles p = { .looks = &look, .n_looks = 1 };
    f->n = 0;
    add(f, vec3(0, 0, 0), 0.1f, 0);
    p.view = particles_of(f);
    const float ages[] = { 0.0f, 0.25f, 0.5f, 1.0f, 7.0f };
    const float expected[] = { 0.0f, 0.5f, 1.0f, 2.0f, 2.0f };
    for (int i = 0; i < 5; ++i) {
        f->age[0] = ages[i];
        LookNow now = tarn__look_now(&p, 0, 1.0f, NULL);
        assert_true(fabsf(now.color.x - expected[i]) < 1e-5f);
        assert_true(fabsf(now.opacity - 0.5f * expected[i]) < 1e-5f);
        assert_true(fabsf(now.radius - 0.1f * (1.0f + expected[i])) < 1e-5f);
    }
    f->life[0] = INFINITY; // it lives forever: the middle
    assert_true(tarn__look_now(&p, 0, 1.0f, NULL).color.x == 1.0f);
    f->kind[0] = 1;
    assert_false(tarn__has_look(&p, 0));
}

// Covers and is lit, or adds light; nearer ones cover farther ones, in whatever order they come.
static void test_looks_cover_and_add(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnParticleLook looks[3] = { look_of(vec3(0.9f, 0.05f, 0.05f), false),
                                  look_of(vec3(0.05f, 0.05f, 0.9f), false),
                                  look_of(vec3(0.5f, 3.0f, 0.5f), true) };
    TarnFrameParticles p = { .looks = looks, .n_looks = 3, .box_max = { 1, 1, 1 } };
    TarnFrame frame = { .particles = &p, .n_particles = 1 };
    tarn_frame_defaults(&frame);
    TarnVec3 to = vec3_unit(vec3_sub(frame.camera.eye, middle));
    TarnVec3 before = vec3_add(middle, vec3_scale(to, 0.2f));
    draw(f, &frame, f->a);
    Color empty = color_at(&frame, f->a, middle, 2);
    for (int order = 0; order < 2; ++order) {
        f->n = 0;
        for (int i = 0; i < 20; ++i) {
            bool is_near = (i & 1) == order;
            add(f, is_near ? before : middle, 0.12f, is_near ? 0 : 1);
        }
        p.view = particles_of(f);
        draw(f, &frame, order ? f->b : f->a);
    }
    Color covered = color_at(&frame, f->a, middle, 2);
    assert_true(covered.r > covered.b + 40.0); // the red ones are nearer
    assert_true(mean_difference(f->a, f->b) < 0.05);
    f->n = 0;
    add(f, middle, 0.12f, 2);
    p.view = particles_of(f);
    draw(f, &frame, f->a);
    Color added = color_at(&frame, f->a, middle, 2);
    assert_true(added.g > empty.g + 10.0 && added.r > empty.r - 2.0 && added.b > empty.b - 2.0);
}

// A quad that stands in the floor fades towards it: the wider, the softer.
static void test_looks_are_soft(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnParticleLook look = look_of(vec3(0.02f, 0.02f, 0.02f), false);
    TarnFrameParticles p = { .looks = &look, .n_looks = 1, .box_max = { 1, 1, 1 } };
    TarnFrame frame = { .particles = &p, .n_particles = 1 };
    tarn_frame_defaults(&frame);
    f->n = 0;
    TarnVec3 foot = vec3(0.5f, 0.04f, 0.5f);
    add(f, foot, 0.25f, 0);
    p.view = particles_of(f);
    double seen[3];
    const float softness[3] = { 0.001f, 0.3f, 3.0f };
    for (int i = 0; i < 3; ++i) {
        look.softness = softness[i];
        draw(f, &frame, f->a);
        seen[i] = brightness(color_at(&frame, f->a, foot, 2));
    }
    assert_true(seen[0] < seen[1] - 10.0 && seen[1] < seen[2] - 3.0);
}

// As long as its way in the time of its stretch.
static void test_looks_are_stretched(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnParticleLook look = look_of(vec3(1.2f, 0.6f, 0.4f), true);
    TarnFrameParticles p = { .looks = &look, .n_looks = 1, .box_max = { 1, 1, 1 } };
    TarnFrame frame = { .particles = &p, .n_particles = 1 };
    tarn_frame_defaults(&frame);
    frame.sky.sun.y = -frame.sky.sun.y;
    f->n = 0;
    add(f, middle, 0.03f, 0);
    f->vy[0] = 2.0f;
    p.view = particles_of(f);
    TarnVec3 over = vec3_add(middle, vec3(0, 0.12f, 0)),
             aside = vec3_add(middle, vec3(0.12f, 0, 0));
    draw(f, &frame, f->a);
    look.stretch = 0.2f; // 0.2 m to both sides
    draw(f, &frame, f->b);
    assert_true(color_at(&frame, f->b, over, 1).r > color_at(&frame, f->a, over, 1).r + 40.0);
    assert_true(fabs(color_at(&frame, f->b, aside, 1).r - color_at(&frame, f->a, aside, 1).r) <
                25.0);
}

// Smoke of particles throws a shadow, hides behind the smoke of a gas, and stands beside the old kinds.
static void test_looks_and_gases(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnParticleLook look = look_of(vec3(0.9f, 0.05f, 0.05f), false);
    TarnFrameParticles p = { .looks = &look, .n_looks = 1 };
    puff(&f->one, middle, 0.2f, 1.0f, 0.0f);
    TarnFrameGas g = gas_of(&f->one);
    g.opacity = 60.0f;
    TarnFrame frame = frame_of(&g, 1);
    TarnVec3 to = vec3_unit(vec3_sub(frame.camera.eye, middle));
    draw(f, &frame, f->a);
    frame.particles = &p, frame.n_particles = 1;
    for (int side = 0; side < 2; ++side) {
        f->n = 0;
        for (int i = 0; i < 30; ++i)
            add(f, vec3_add(middle, vec3_scale(to, side ? -0.35f : 0.35f)), 0.08f, 0);
        p.view = particles_of(f);
        draw(f, &frame, f->b);
        Color c = color_at(&frame, f->b, middle, 2), clear = color_at(&frame, f->a, middle, 2);
        if (side)
            assert_true(fabs(c.r - clear.r) < 25.0 && c.g > clear.g - 25.0);
        else
            assert_true(c.r > c.g + 40.0);
    }
    f->n = 0;
    for (int i = 0; i < 300; ++i) add(f, vec3(0.5f, 0.4f, 0.5f), 0.05f, 0);
    g.opacity = 0.0f;
    frame.sky.sun = vec3(-1, 1, 0);
    p.view = particles_of(f);
    draw(f, &frame, f->a);
    p.view.n = 0;
    draw(f, &frame, f->b);
    TarnVec3 shadow = vec3(0.9f, 0.0f, 0.5f);
    assert_true(brightness(color_at(&frame, f->a, shadow, 1)) <
                brightness(color_at(&frame, f->b, shadow, 1)) - 10.0);
}

// Kinds without a look are drawn as they always were, also beside others.
static void test_kinds_without_looks(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnParticleLook look = look_of(vec3(0.05f, 0.05f, 0.9f), false);
    TarnFrameParticles p = { .box_max = { 1, 1, 1 } };
    TarnFrame frame = { .particles = &p, .n_particles = 1 };
    tarn_frame_defaults(&frame);
    f->n = 0;
    TarnVec3 places[2] = { { 0.3f, 0.5f, 0.5f }, { 0.7f, 0.5f, 0.5f } };
    for (int i = 0; i < 30; ++i) add(f, places[i % 2], 0.08f, i % 2 ? 0 : TARN_FRAME_FIRE);
    p.view = particles_of(f);
    draw(f, &frame, f->a);
    p.looks = &look; // of no kind: nothing changes
    draw(f, &frame, f->b);
    assert_memory_equal(f->a, f->b, sizeof f->a);
    p.n_looks = 1; // of kind 0
    draw(f, &frame, f->b);
    Color fire = color_at(&frame, f->b, places[0], 2), own = color_at(&frame, f->b, places[1], 2);
    assert_true(fire.r > fire.b + 60.0);
    assert_true(own.b > own.r + 40.0);
}

// ---- Pictures, heat ----------------------------------------------------------------------------------

// Halfway between two of the three pictures both are seen; AUTO goes on with the one before.
static void test_textures_over_life(void** state)
{
    Fixture* f = *state;
    TarnParticleLook look = look_of(vec3(1, 1, 1), false);
    look.texture[0] = TARN_TEXTURE_SMOKE, look.texture[2] = TARN_TEXTURE_WISP;
    TarnFrameParticles p = { .looks = &look, .n_looks = 1 };
    f->n = 0;
    add(f, vec3(0, 0, 0), 0.1f, 0);
    p.view = particles_of(f);
    f->age[0] = 0.3f;
    LookNow now = tarn__look_now(&p, 0, 1.0f, NULL);
    assert_int_equal(now.texture[0], TARN_TEXTURE_SMOKE);
    assert_int_equal(now.texture[1], TARN_TEXTURE_SMOKE);
    f->age[0] = 0.75f;
    now = tarn__look_now(&p, 0, 1.0f, NULL);
    assert_int_equal(now.texture[0], TARN_TEXTURE_SMOKE);
    assert_int_equal(now.texture[1], TARN_TEXTURE_WISP);
    assert_true(fabsf(now.mix - 0.5f) < 1e-5f);
    look.texture[0] = TARN_TEXTURE_AUTO;
    assert_int_equal(tarn__look_now(&p, 0, 1.0f, NULL).texture[0], TARN_TEXTURE_PUFF);
    look.stretch = 1.0f;
    assert_int_equal(tarn__look_now(&p, 0, 1.0f, NULL).texture[0], TARN_TEXTURE_STREAK);
}

// Spray that nobody gave a look stays drops: above a speed its streaks do not grow. With a look they do.
static void test_spray_stays_short(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnParticleLook look = look_of(vec3(1, 1, 1), false);
    look.stretch = 0.024f;
    TarnFrameParticles p = { .box_max = { 1, 1, 1 } };
    TarnFrame frame = { .particles = &p, .n_particles = 1 };
    tarn_frame_defaults(&frame);
    f->n = 0;
    add(f, middle, 0.01f, TARN_FRAME_SPRAY);
    for (int has_look = 0; has_look < 2; ++has_look) {
        p.looks = has_look ? &look : NULL, p.n_looks = has_look;
        uint8_t* pictures[2] = { f->a, f->b };
        for (int fast = 0; fast < 2; ++fast) {
            f->vx[0] = fast ? 20.0f : 10.0f; // 48 and 24 radii in the shutter's time
            p.view = particles_of(f);
            draw(f, &frame, pictures[fast]);
        }
        double difference = mean_difference(f->a, f->b);
        assert_true(has_look ? difference > 0.0 : difference == 0.0);
    }
}

// Every picture is seen, and none is like another. A cross-fade is between its two.
static void test_textures_differ(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnParticleLook look = look_of(vec3(0.02f, 0.02f, 0.02f), false);
    TarnFrameParticles p = { .looks = &look, .n_looks = 1, .box_max = { 1, 1, 1 } };
    TarnFrame frame = { .particles = &p, .n_particles = 1 };
    tarn_frame_defaults(&frame);
    f->n = 0;
    add(f, middle, 0.35f, 0);
    static uint8_t pictures[TARN_TEXTURES][PIXELS * 3];
    for (int t = 0; t < TARN_TEXTURES; ++t) { // the first: none
        p.view = particles_of(f);
        p.view.n = t ? 1 : 0;
        for (int k = 0; k < 3; ++k) look.texture[k] = (TarnParticleTexture)t;
        draw(f, &frame, pictures[t]);
        for (int other = 0; other < t; ++other)
            assert_true(mean_difference(pictures[t], pictures[other]) > 0.1);
    }
    look.texture[0] = look.texture[1] = TARN_TEXTURE_DROP, look.texture[2] = TARN_TEXTURE_SNOW;
    double from[3], to[3];
    const float ages[3] = { 0.5f, 0.75f, 1.0f };
    for (int i = 0; i < 3; ++i) {
        f->age[0] = ages[i];
        draw(f, &frame, f->a);
        from[i] = mean_difference(f->a, pictures[TARN_TEXTURE_DROP]);
        to[i] = mean_difference(f->a, pictures[TARN_TEXTURE_SNOW]);
    }
    assert_true(from[0] < 0.01 && from[0] < from[1] && from[1] < from[2]);
    assert_true(to[2] < 0.01 && to[2] < to[1] && to[1] < to[0]);
}

// Particles of several systems are sorted together: a spark inside of smoke is behind half of it.
static void test_systems_sort_together(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnParticleLook looks[2] = { look_of(vec3(0.03f, 0.03f, 0.03f), false),
                                  look_of(vec3(9, 9, 9), true) };
    looks[0].opacity[1] = 0.5f;
    TarnFrameParticles p[2] = { { .looks = looks, .n_looks = 2, .box_max = { 1, 1, 1 } } };
    p[1] = p[0];
    TarnFrame frame = { .particles = p, .n_particles = 2 };
    tarn_frame_defaults(&frame);
    TarnVec3 to = vec3_unit(vec3_sub(frame.camera.eye, middle));
    double seen[3];
    for (int side = -1; side < 2; ++side) {
        f->n = 0;
        for (int i = 0; i < 9; ++i)
            add(f, vec3_add(middle, vec3_scale(to, 0.02f * ((float)i - 4.0f))), 0.3f, 0);
        p[0].view = particles_of(f);
        add(f, vec3_add(middle, vec3_scale(to, 0.2f * (float)side + 0.01f)), 0.05f, 1);
        p[1].view = particles_of(f);
        TarnParticlesView* v = &p[1].view; // the spark alone
        v->x += 9, v->y += 9, v->z += 9, v->vx += 9, v->vy += 9, v->vz += 9;
        v->age += 9, v->lifetime += 9, v->radius += 9, v->id += 9, v->kind += 9, v->n = 1;
        draw(f, &frame, f->a);
        seen[side + 1] = brightness(color_at(&frame, f->a, middle, 0));
    }
    assert_true(seen[0] + 5.0 < seen[1] && seen[1] + 5.0 < seen[2]);
}

// Fire without a look of its own is orange before any sky: red leads, and green is above blue.
static void test_flames_are_not_pink(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnFrameParticles p = { .box_max = { 1, 1, 1 } };
    TarnFrame frame = { .particles = &p, .n_particles = 1 };
    tarn_frame_defaults(&frame);
    const float ages[] = { 0.1f, 0.4f, 0.7f };
    for (int i = 0; i < 3; ++i) {
        f->n = 0;
        for (int k = 0; k < 12; ++k) {
            add(f, middle, 0.1f, TARN_FRAME_FIRE);
            f->age[k] = ages[i], f->vy[k] = 1.0f;
        }
        p.view = particles_of(f);
        draw(f, &frame, f->a);
        Color c = color_at(&frame, f->a, middle, 1);
        assert_true(c.r > c.g + 5.0 && c.g > c.b + 10.0);
    }
}

// Colors by temperature: as the black body, times the color.
static void test_temperatures(void** state)
{
    Fixture* f = *state;
    static TarnVec3 heat[HEAT_TEXELS];
    tarn__heat_table(heat);
    TarnParticleLook look = look_of(vec3(2, 2, 2), true);
    for (int k = 0; k < 3; ++k) look.temperature[k] = 2000.0f - 500.0f * (float)k;
    TarnFrameParticles p = { .looks = &look, .n_looks = 1 };
    f->n = 0;
    add(f, vec3(0, 0, 0), 0.1f, 0);
    p.view = particles_of(f);
    TarnVec3 now = tarn__look_now(&p, 0, 1.0f, heat).color, wanted = tarn__black_body(1500.0f);
    assert_true(vec3_length(vec3_sub(now, vec3_scale(wanted, 2.0f))) < 0.02f);
}

// ---- Bad frames ------------------------------------------------------------------------------------

static void test_bad_looks(void** state)
{
    Fixture* f = *state;
    need_gl(f);
    TarnParticleLook look = look_of(vec3(1, NAN, 1), false);
    TarnFrameParticles p = { .looks = &look, .n_looks = 1, .box_max = { 1, 1, 1 } };
    TarnFrame frame = { .particles = &p, .n_particles = 1 };
    tarn_frame_defaults(&frame);
    refuse(f, &frame, "looks[0]");
    look = look_of(vec3(1, 1, 1), false), look.opacity[1] = 2.0f;
    refuse(f, &frame, "looks[0]");
    look = look_of(vec3(1, 1, 1), false), look.stretch = NAN;
    refuse(f, &frame, "looks[0]");
    look = look_of(vec3(1, 1, 1), false), look.texture[2] = TARN_TEXTURES;
    refuse(f, &frame, "textures 0 to 15");
    look = look_of(vec3(1, 1, 1), false), look.temperature[0] = -1.0f;
    refuse(f, &frame, "temperatures 0 to 5000 K");
    look = look_of(vec3(1, 1, 1), false), look.hides = 1.5f;
    refuse(f, &frame, "hides 0 to 1");
    look = look_of(vec3(1, 1, 1), false), look.turn = NAN;
    refuse(f, &frame, "turn");
    p.n_looks = -1;
    refuse(f, &frame, "n_looks");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_looks_over_life),       cmocka_unit_test(test_looks_cover_and_add),
        cmocka_unit_test(test_looks_are_soft),        cmocka_unit_test(test_looks_are_stretched),
        cmocka_unit_test(test_looks_and_gases),       cmocka_unit_test(test_kinds_without_looks),
        cmocka_unit_test(test_textures_over_life),    cmocka_unit_test(test_textures_differ),
        cmocka_unit_test(test_systems_sort_together), cmocka_unit_test(test_flames_are_not_pink),
        cmocka_unit_test(test_temperatures),          cmocka_unit_test(test_bad_looks),
        cmocka_unit_test(test_spray_stays_short),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
