// Waters on top of waters: sums, bodies, snapshots, what is refused.

#include "test_common.h"
#include "tarn/world.h"

static TarnWorld* make_world(void)
{
    TarnWorld* world;
    TarnWorldDef def = tarn_world_default_def();
    assert_ok(tarn_world_create(ctx, &def, &world));
    return world;
}

static TarnRipple* add_ripple(TarnWorld* world, float level)
{
    TarnRippleDef def = tarn_ripple_default_def();
    TarnRipple* ripple;
    def.n = 64, def.rim = 8, def.level = level, def.use_bodies = true;
    assert_ok(tarn_world_add_ripple(world, &def, &ripple));
    return ripple;
}

static TarnWaveParticles* add_waves(TarnWorld* world)
{
    TarnWaveParticlesDef def = tarn_wave_particles_default_def();
    TarnWaveParticles* waves;
    def.nx = def.nz = 64, def.dx = 0.25f, def.radius = 1.0f, def.level = 2.0f,
    def.use_bodies = true;
    assert_ok(tarn_world_add_wave_particles(world, &def, &waves));
    return waves;
}

// Heights over the levels add up, whoever comes first.
static void heights_add_up(void** state)
{
    (void)state;
    TarnWorld* world = make_world();
    TarnRipple* top = add_ripple(world, 7.0f);
    TarnWaveParticles* base = add_waves(world);
    assert_ok(tarn_world_set_on(world, top, base));
    assert_ptr_equal(tarn_world_on(world, top), base);
    assert_null(tarn_world_on(world, base));
    tarn_ripple_add_drop(top, (TarnVec2){ 8, 8 }, 1.0f, 0.2f);
    tarn_wave_particles_add_drop(base, (TarnVec2){ 7, 8 }, 1.0f, 0.3f);
    for (int s = 0; s < 20; ++s) assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));
    for (int i = 0; i < 50; ++i) {
        float x = 4.0f + 0.17f * (float)i, z = 8.3f;
        float a = tarn_surface_height(tarn_ripple_surface(top), x, z) - 7.0f;
        float b = tarn_surface_height(tarn_wave_particles_surface(base), x, z);
        assert_float_equal(tarn_surface_height(tarn_world_surface(world), x, z), a + b, 1e-5f);
        assert_float_equal(tarn_surface_height(tarn_world_water_surface(world, top), x, z), a + b,
                           1e-5f);
    }
    assert_ok(tarn_world_set_on(world, top, NULL));
    assert_null(tarn_world_on(world, top));
    assert_ok(tarn_world_set_on(world, top, base));
    assert_ok(tarn_world_remove(world, base)); // it stands alone then
    assert_null(tarn_world_on(world, top));
    tarn_world_destroy(world);
}

// The open sea with a wake, wave particles and ripples on top is one Surface: heights, velocities, and what bodies float in.
static void four_waters_are_one(void** state)
{
    (void)state;
    TarnWorld* world = make_world();
    TarnOceanDef sea = tarn_ocean_default_def();
    sea.size = 64, sea.cascades = 2, sea.level = 2.0f, sea.beaufort = 3;
    TarnOcean* ocean;
    assert_ok(tarn_world_add_ocean(world, &sea, &ocean));
    TarnRipple* wake = add_ripple(world, 0.0f);
    TarnWaveParticles* waves = add_waves(world);
    TarnFlowRipplesDef fine = tarn_flow_ripples_default_def();
    fine.nx = fine.nz = 32;
    TarnFlowRipples* ripples;
    assert_ok(tarn_world_add_flow_ripples(world, &fine, &ripples));
    const void* tops[] = { wake, waves, ripples };
    for (int i = 0; i < 3; ++i) assert_ok(tarn_world_set_on(world, tops[i], ocean));
    TarnBodyDef box = tarn_body_default_def();
    box.shape = tarn_shape_box(0.6f, 0.3f, 0.6f);
    box.density = 500.0f;
    box.state.position = (TarnVec3){ 9, 2.0f, 8 };
    box.state.velocity = (TarnVec3){ 1, 0, 0 };
    TarnBodyId id;
    assert_ok(tarn_world_add_body(world, &box, &id));
    tarn_ripple_add_drop(wake, (TarnVec2){ 8, 8 }, 1.0f, 0.2f);
    tarn_wave_particles_add_drop(waves, (TarnVec2){ 7, 8 }, 1.0f, 0.3f);
    for (int s = 0; s < 40; ++s) assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));
    TarnSurface parts[] = { tarn_ocean_surface(ocean), tarn_ripple_surface(wake),
                            tarn_wave_particles_surface(waves),
                            tarn_flow_ripples_surface(ripples) };
    const float level[] = { 2.0f, 0.0f, 2.0f, 0.0f };
    float most[4] = { 0 };
    for (int i = 0; i < 50; ++i) {
        float x = 4.0f + 0.17f * (float)i, z = 8.3f, sum = 2.0f, rise = 0.0f;
        for (int p = 0; p < 4; ++p) {
            float height;
            TarnVec3 velocity;
            TarnSurfaceSamples out = { .height = &height, .velocity = &velocity };
            assert_ok(tarn_surface_query(parts[p], 1, &x, &z, &out));
            sum += height - level[p], rise += velocity.y;
            most[p] = fmaxf(most[p], fabsf(height - level[p]));
        }
        float height;
        TarnVec3 velocity;
        TarnSurfaceSamples out = { .height = &height, .velocity = &velocity };
        assert_ok(tarn_surface_query(tarn_world_surface(world), 1, &x, &z, &out));
        assert_float_equal(height, sum, 1e-5f);
        assert_float_equal(velocity.y, rise, 1e-4f);
    }
    for (int p = 0; p < 4; ++p) assert_true(most[p] > 1e-4f); // each has waves there
    TarnBodyState floating;
    assert_ok(tarn_bodies_get_state(tarn_world_bodies(world), id, &floating));
    float at =
        tarn_surface_height(tarn_world_surface(world), floating.position.x, floating.position.z);
    assert_float_equal(floating.position.y, at, 0.25f);
    tarn_world_destroy(world);
}

// A body floats once, in the sum, and its push reaches the one that can be pushed.
static void bodies_float_in_the_sum(void** state)
{
    (void)state;
    TarnWorld* world = make_world();
    TarnWaveParticles* base = add_waves(world);
    TarnRipple* top = add_ripple(world, 0.0f);
    assert_ok(tarn_world_set_on(world, top, base));
    TarnBodyDef def = tarn_body_default_def();
    def.shape = tarn_shape_box(0.6f, 0.3f, 0.6f);
    def.density = 500.0f;
    def.state.position = (TarnVec3){ 8, 2.0f, 8 };
    TarnBodyId id;
    assert_ok(tarn_world_add_body(world, &def, &id));
    TarnBodyState state_of;
    for (int s = 0; s < 120; ++s) assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));
    assert_ok(tarn_bodies_get_state(tarn_world_bodies(world), id, &state_of));
    assert_float_equal(state_of.position.y, 2.0f, 0.05f); // twice the lift would throw it out
    state_of.velocity = (TarnVec3){ 2, 0, 0 };
    assert_ok(tarn_bodies_set_state(tarn_world_bodies(world), id, &state_of));
    for (int s = 0; s < 10; ++s) assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));
    float highest = 0.0f;
    for (int c = 0; c < 64 * 64; ++c)
        highest = fmaxf(highest, fabsf(tarn_ripple_height(top).data[c]));
    assert_true(highest > 1e-3f);
    tarn_world_destroy(world);
}

static void snapshots_know_it(void** state)
{
    (void)state;
    TarnWorld *a = make_world(), *b = make_world();
    TarnWaveParticles *base_a = add_waves(a), *base_b = add_waves(b);
    TarnRipple *top_a = add_ripple(a, 0.0f), *top_b = add_ripple(b, 0.0f);
    uint64_t apart = tarn_world_hash(a);
    assert_ok(tarn_world_set_on(a, top_a, base_a));
    assert_true(tarn_world_hash(a) != apart);
    size_t size = 0;
    assert_int_equal(tarn_world_save(a, NULL, 0, &size), TARN_ERR_CAPACITY);
    void* saved = malloc(size);
    assert_ok(tarn_world_save(a, saved, size, &size));
    assert_ok(tarn_world_load(b, saved, size));
    assert_ptr_equal(tarn_world_on(b, top_b), base_b);
    assert_true(tarn_world_hash(a) == tarn_world_hash(b));
    free(saved);
    tarn_world_destroy(a);
    tarn_world_destroy(b);
}

static void what_is_refused(void** state)
{
    (void)state;
    TarnWorld* world = make_world();
    TarnWaveParticles* base = add_waves(world);
    TarnRipple *one = add_ripple(world, 0.0f), *two = add_ripple(world, 0.0f);
    TarnParticlesDef def = tarn_particles_default_def();
    TarnParticles* sparks;
    assert_ok(tarn_world_add_particles(world, &def, &sparks));
    assert_result(tarn_world_set_on(world, one, one), TARN_ERR_ARG, "itself");
    assert_result(tarn_world_set_on(world, sparks, base), TARN_ERR_UNSUPPORTED, "no surface");
    assert_result(tarn_world_set_on(world, one, sparks), TARN_ERR_UNSUPPORTED, "no surface");
    assert_result(tarn_world_set_on(world, one, &def), TARN_ERR_ARG, "not in this world");
    assert_ok(tarn_world_set_on(world, one, base));
    assert_result(tarn_world_set_on(world, two, one), TARN_ERR_ARG, "itself lies on");
    assert_result(tarn_world_set_on(world, base, two), TARN_ERR_ARG, "lies on it");
    tarn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(heights_add_up),    TEST(four_waters_are_one), TEST(bodies_float_in_the_sum),
        TEST(snapshots_know_it), TEST(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
