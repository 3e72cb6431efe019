// Particles in flows that hold them otherwise than still air does, and particles born on solids.

#include "solids_common.h"
#include "tarn/particles.h"

// A flow upwards, present below y = 0, with a rim of one meter.
static void rising(const void* self, int n, const float* x, const float* y, const float* z,
                   const TarnFlowSamples* out)
{
    (void)self, (void)x, (void)z;
    for (int i = 0; i < n; ++i) {
        if (out->velocity) out->velocity[i] = (TarnVec3){ 0.0f, 2.0f, 0.0f };
        if (out->presence) out->presence[i] = tarn_clampf(-y[i], 0.0f, 1.0f);
    }
}
static TarnParticles* make_particles(TarnContext* where, int max_particles)
{
    TarnParticlesDef def = tarn_particles_default_def();
    def.max_particles = max_particles;
    TarnParticles* set;
    assert_ok(tarn_particles_create(where, &def, &set));
    return set;
}
static void run(TarnParticles* set, int steps, float dt)
{
    for (int s = 0; s < steps; ++s) assert_ok(tarn_particles_step(set, dt, NULL));
}

static void drag_and_gravity_of_a_flow(void** state)
{
    (void)state;
    TarnParticles* set = make_particles(ctx, 100);
    TarnParticlesParams params = tarn_particles_params(set);
    params.drag = 0.5f, params.flow_drag = 20.0f, params.flow_gravity = 0.0f;
    assert_ok(tarn_particles_set_params(set, &params));
    assert_ok(tarn_particles_set_flow(set, (TarnFlow){ NULL, rising }));
    TarnVec3 at[3] = { { 0, -50, 0 }, { 0, 500, 0 }, { 0, -0.5f, 0 } };
    assert_int_equal(tarn_particles_add(set, 3, at, NULL, NULL, 0.1f, 0), 3);
    run(set, 30, 1.0f / 60.0f);
    TarnParticlesView v = tarn_particles_view(set);
    // Inside: no weight, and the flow's speed but for exp(-20 t). Outside: v = g / k (1 - exp(-k t)).
    assert_float_equal(v.vy[0], 2.0f * (1.0f - expf(-10.0f)), 1e-4f);
    assert_float_equal(v.vy[1], -9.81f / 0.5f * (1.0f - expf(-0.25f)), 2e-3f);
    // In the rim something between.
    assert_true(v.vy[2] > -4.0f && v.vy[2] < 2.0f);
    // The same for one long step as for many short ones, where nothing depends on the place.
    TarnParticles* other = make_particles(ctx, 100);
    assert_ok(tarn_particles_set_params(other, &params));
    assert_ok(tarn_particles_set_flow(other, (TarnFlow){ NULL, rising }));
    assert_int_equal(tarn_particles_add(other, 2, at, NULL, NULL, 0.1f, 0), 2);
    run(other, 5, 0.1f);
    TarnParticlesView w = tarn_particles_view(other);
    assert_float_equal(w.vy[0], v.vy[0], 1e-4f);
    assert_float_equal(w.y[0], v.y[0], 1e-3f);
    assert_float_equal(w.y[1], v.y[1], 2e-3f);
    tarn_particles_destroy(set);
    tarn_particles_destroy(other);
}

static void a_flow_with_the_drag_of_the_air_is_as_before(void** state)
{
    (void)state;
    uint64_t hash[2];
    for (int n = 0; n < 2; ++n) {
        TarnParticles* set = make_particles(ctx, 1000);
        TarnParticlesParams params = tarn_particles_params(set);
        params.drag = 3.0f;
        params.flow_drag = n ? 3.0f : 0.0f;
        assert_ok(tarn_particles_set_params(set, &params));
        assert_ok(tarn_particles_set_flow(set, (TarnFlow){ NULL, rising }));
        TarnParticleEmitterDef emitter = tarn_particle_emitter_default_def();
        emitter.motion.position.y = -1.0f;
        assert_ok(tarn_particles_add_emitter(set, &emitter, NULL));
        run(set, 60, 1.0f / 60.0f);
        TarnParticlesView v = tarn_particles_view(set);
        hash[n] = tarn_hash(v.y, (size_t)v.n * sizeof(float), (uint64_t)v.n);
        tarn_particles_destroy(set);
    }
    assert_true(hash[0] == hash[1]);
}

// ---- Surfaces ------------------------------------------------------------------------------------

static TarnSolids* make_shapes(void)
{
    static const TarnVec3 points[] = { { 0, 0, 0 }, { 3, 0, 0 }, { 0, 2, 0 }, { 0, 0, 1 } };
    static const int triangles[] = { 0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3 };
    static const TarnPlane planes[] = { { { 1, 0, 0 }, 1 }, { { -1, 0, 0 }, 1 },
                                        { { 0, 1, 0 }, 1 }, { { 0, -1, 0 }, 1 },
                                        { { 0, 0, 1 }, 1 }, { { 0, 0, -1 }, 1 } };
    TarnSolids* set = make_set();
    for (int kind = TARN_SHAPE_SPHERE; kind <= TARN_SHAPE_MESH; ++kind) {
        if (kind == TARN_SHAPE_HULL) continue; // bodies only
        TarnSolidDef def = make(kind, (TarnVec3){ 0.8f, 1.2f, 0.5f });
        def.user = (uint32_t)kind + 10u;
        def.shape.points = points, def.shape.n_points = 4;
        def.shape.triangles = triangles, def.shape.n_triangles = 4;
        def.shape.planes = planes, def.shape.n_planes = 6;
        def.motion.position = (TarnVec3){ 10.0f * (float)kind, 1.0f, -2.0f };
        def.motion.rotation = uniform_rotation();
        def.motion.velocity = (TarnVec3){ 0.0f, 0.0f, 3.0f };
        add(set, def);
    }
    return set;
}

static void particles_are_born_on_surfaces(void** state)
{
    (void)state;
    TarnSolids* solids = make_shapes();
    for (int kind = TARN_SHAPE_SPHERE; kind <= TARN_SHAPE_MESH; ++kind) {
        if (kind == TARN_SHAPE_HULL) continue; // bodies only
        TarnParticles* set = make_particles(ctx, 2000);
        TarnParticlesParams params = tarn_particles_params(set);
        params.gravity = (TarnVec3){ 0 };
        params.use_collisions = false;
        params.radius = 0.0f;
        assert_ok(tarn_particles_set_params(set, &params));
        assert_ok(tarn_particles_set_solids(set, solids));
        TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
        def.shape.kind = TARN_SHAPE_SURFACE;
        def.shape.solid = kind + 10;
        def.rate = 0.0f, def.burst = 1000;
        def.speed = 1.0f, def.speed_jitter = 0.0f, def.spread = 0.0f, def.inherit = 0.0f;
        assert_ok(tarn_particles_add_emitter(set, &def, NULL));
        run(set, 1, 0.01f); // born at its beginning, they are 1 cm off the surface now
        TarnParticlesView v = tarn_particles_view(set);
        assert_int_equal(v.n, 1000);
        float distance[1000];
        assert_ok(tarn_solids_query(solids, v.n, v.x, v.y, v.z, 1.0f, distance, NULL, NULL));
        for (int i = 0; i < v.n; ++i) {
            if (fabsf(distance[i] - 0.01f) > 2e-4f)
                print_error("kind %d: %g m off\n", kind, (double)distance[i]);
            assert_true(fabsf(distance[i] - 0.01f) <= 2e-4f);
        }
        tarn_particles_destroy(set);
    }
    tarn_solids_destroy(solids);
}

// Of the tetrahedron above the faces have areas 3, 1.5, 1 and 3.5.
static void by_area(void** state)
{
    (void)state;
    TarnSolids* solids = make_shapes();
    int slot = tarn__solids_by_user(solids, TARN_SHAPE_MESH + 10);
    TarnSolidDef def;
    assert_ok(tarn_solids_get(solids, tarn__solids_id(solids, slot), &def));
    int count[4] = { 0 };
    for (uint64_t i = 0; i < 4000; ++i) {
        SurfacePoint p;
        assert_true(tarn__solids_surface(solids, slot, 0.0f, 3, 5, i << 9, &p));
        TarnQuat back = { -def.motion.rotation.x, -def.motion.rotation.y, -def.motion.rotation.z,
                          def.motion.rotation.w };
        TarnVec3 n = quat_rotate(back, p.normal);
        int face = n.z < -0.9f ? 0 : n.y < -0.9f ? 1 : n.x < -0.9f ? 2 : 3;
        ++count[face];
    }
    const float share[4] = { 3.0f / 9.0f, 1.5f / 9.0f, 1.0f / 9.0f, 3.5f / 9.0f };
    for (int f = 0; f < 4; ++f) // four standard deviations
        assert_float_equal((float)count[f] / 4000.0f, share[f], 0.032f);
    tarn_solids_destroy(solids);
}

static void a_solid_that_is_gone_emits_nothing(void** state)
{
    (void)state;
    TarnSolids* solids = make_shapes();
    TarnParticles* set = make_particles(ctx, 100);
    TarnParticleEmitterDef def = tarn_particle_emitter_default_def();
    def.shape.kind = TARN_SHAPE_SURFACE;
    def.shape.solid = TARN_SHAPE_BOX + 10;
    def.rate = 600.0f;
    assert_ok(tarn_particles_add_emitter(set, &def, NULL));
    run(set, 1, 0.01f); // no set yet
    assert_int_equal(tarn_particles_view(set).n, 0);
    assert_ok(tarn_particles_set_solids(set, solids));
    run(set, 1, 0.01f);
    int n = tarn_particles_view(set).n;
    assert_in_range(n, 5, 7);
    int slot = tarn__solids_by_user(solids, TARN_SHAPE_BOX + 10);
    assert_ok(tarn_solids_remove(solids, tarn__solids_id(solids, slot)));
    run(set, 1, 0.01f);
    assert_int_equal(tarn_particles_view(set).n, n);
    def.shape.solid = -1;
    assert_result(tarn_particles_add_emitter(set, &def, NULL), TARN_ERR_ARG, "solid");
    tarn_particles_destroy(set);
    tarn_solids_destroy(solids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(drag_and_gravity_of_a_flow),
        TEST(a_flow_with_the_drag_of_the_air_is_as_before),
        TEST(particles_are_born_on_surfaces),
        TEST(by_area),
        TEST(a_solid_that_is_gone_emits_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
