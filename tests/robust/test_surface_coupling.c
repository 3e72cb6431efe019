// Bodies in any Surface, as rough as it gets: every shape, from a millimeter to a kilometer, thrown,
// driven, teleported, with steps and parameters of any size, on waves, shallow water, pipes, sums and
// patchworks of them, and on a surface of a host that answers nonsense.

#include "tests/robust/rough_bodies.h"
#include "tests/unit/surface_common.h"

static const float dts[] = { 1.0f / 60.0f, 1.0f / 240.0f, 1e-3f, 0.05f, 0.1f, 0.5f, 1e-6f, 0.0f };
static const Arena arena = { 6.0f, 4.0f, 8.0f, 6.0f, -1.0f, 4.0f, 300.0f, 3.0f };

static TarnBodies* make_bodies(void)
{
    TarnBodiesDef def = tarn_bodies_default_def();
    TarnBodies* bodies;
    assert_ok(tarn_bodies_create(ctx, &def, &bodies));
    return bodies;
}

static void add_body(TarnBodies* bodies, TarnShape shape, float density, bool is_driven)
{
    TarnBodyDef def = tarn_body_default_def();
    def.shape = shape, def.density = density, def.is_driven = is_driven;
    TarnBodyId id;
    assert_ok(tarn_bodies_add(bodies, &def, &id));
    throw_body(bodies, id, &arena);
}

static TarnFloatParams any_params(void)
{
    TarnFloatParams p = tarn_float_default_params();
    p.density = scale(1.0f, 1e5f);
    p.drag = pick(3) ? scale(1e-3f, 100.0f) : 0.0f;
    p.damping = pick(3) ? scale(1e-3f, 1e3f) : 0.0f;
    p.added_mass = pick(3) ? scale(1e-3f, 10.0f) : 0.0f;
    p.push = pick(3) ? uniform(0.0f, 1.0f) : 1.0f;
    return p;
}

static void assert_finite_surface(TarnSurface surface)
{
    for (int n = 0; n < 50; ++n) {
        float x = uniform(-2.0f, 14.0f), z = uniform(-2.0f, 10.0f), height, depth;
        TarnVec3 normal, velocity;
        TarnSurfaceSamples out = { &height, &normal, &velocity, &depth };
        assert_ok(tarn_surface_query(surface, 1, &x, &z, &out));
        assert_true(tarn__is_finite(height) && tarn__is_finite(depth) && depth >= 0.0f);
        assert_true(tarn__is_finite3(normal) && tarn__is_finite3(velocity));
    }
}

static void test_storms(void** state)
{
    (void)state;
    for (int size = 0; size < SIZES; ++size) {
        for (int kind = 0; kind < SHAPES; ++kind) {
            TarnVec2 corner = { 0.0f, 0.0f };
            TarnWave* wave = small_wave(ctx, corner, false);
            TarnShallow* shallow = small_shallow(ctx, corner, false);
            TarnPipes* pipes = small_pipes(ctx, corner);
            TarnSurfacePatchwork work = { .base = tarn_pipes_surface(pipes),
                                          .patches = { tarn_shallow_surface(shallow) },
                                          .n = 1,
                                          .rim = 1.0f };
            TarnSurfaceSum sum = { .members = { tarn_surface_patchwork(&work),
                                                tarn_wave_surface(wave) },
                                   .level = { 0.0f, deep },
                                   .n = 2 };
            TarnSurface all[] = { tarn_wave_surface(wave), tarn_shallow_surface(shallow),
                                  tarn_pipes_surface(pipes), tarn_surface_sum(&sum) };
            TarnBodies* bodies = make_bodies();
            for (int b = 0; b < 3; ++b)
                add_body(bodies, make_shape(kind, size), scale(1.0f, 9e3f), b == 1);
            for (int n = 0; n < 40; ++n) {
                float dt = dts[pick(8)];
                TarnFloatParams params = any_params();
                if (n % 5 == 0) throw_body(bodies, tarn_bodies_at(bodies, n % 3), &arena);
                if (n % 2) tarn_bodies_begin_forces(bodies);
                for (int w = n % 4; w < 4; ++w)
                    assert_ok(tarn_couple_surface_bodies(&all[w], &params, bodies, dt));
                assert_finite_bodies(bodies);
                assert_ok(tarn_wave_step(wave, dt, NULL));
                assert_ok(tarn_shallow_step(shallow, dt, NULL));
                assert_ok(tarn_pipes_step(pipes, dt, NULL));
                assert_ok(tarn_bodies_step(bodies, dt, NULL));
                assert_finite_bodies(bodies);
            }
            for (int w = 0; w < 4; ++w) assert_finite_surface(all[w]);
            assert_true(tarn_shallow_ledger(shallow).sources == 0.0);
            assert_true(fabs(tarn_pipes_ledger(pipes).water_error) <= 1e-4);
            tarn_bodies_destroy(bodies);
            tarn_wave_destroy(wave);
            tarn_shallow_destroy(shallow);
            tarn_pipes_destroy(pipes);
        }
    }
}

// Every answer is nonsense of its own.
static float nonsense(void)
{
    static const float values[] = { NAN, INFINITY, -INFINITY, 1e38f, -1e38f, 0.0f, 1e-38f, -3.0f };
    return pick(3) ? uniform(-5.0f, 5.0f) : values[pick(8)];
}

static void wild_query(const void* self, int n, const float* x, const float* z,
                       const TarnSurfaceSamples* out)
{
    (void)self, (void)x, (void)z;
    for (int i = 0; i < n; ++i) {
        if (out->height && pick(9)) out->height[i] = nonsense();
        if (out->depth && pick(9)) out->depth[i] = nonsense();
        if (out->normal) out->normal[i] = (TarnVec3){ nonsense(), nonsense(), nonsense() };
        if (out->velocity) out->velocity[i] = (TarnVec3){ nonsense(), nonsense(), nonsense() };
    }
}

static TarnResult wild_push(void* self, const TarnSurfacePush* push, TarnSurfaceTaken* taken)
{
    const float all[] = { push->center.x, push->center.y,    push->from.x, push->from.y,
                          push->radius,   push->from_radius, push->volume, push->dt };
    (void)self, (void)taken;
    assert_true(tarn__all_within(all, 8, 1e12f) && tarn__is_finite3(push->impulse));
    assert_true(push->radius > 0.0f && push->from_radius > 0.0f);
    return pick(2) ? TARN_OK : TARN_ERR_UNSUPPORTED;
}

static void test_nonsense(void** state)
{
    (void)state;
    TarnSurface wild = { .query = wild_query, .push = wild_push };
    TarnBodies* bodies = make_bodies();
    for (int b = 0; b < SHAPES * SIZES; ++b)
        add_body(bodies, make_shape(b % SHAPES, b / SHAPES), scale(1.0f, 9e3f), b % 7 == 3);
    for (int n = 0; n < 300; ++n) {
        TarnFloatParams params = any_params();
        float dt = dts[pick(8)];
        throw_body(bodies, tarn_bodies_at(bodies, n % (SHAPES * SIZES)), &arena);
        assert_ok(tarn_couple_surface_bodies(&wild, &params, bodies, dt));
        assert_finite_bodies(bodies);
        assert_ok(tarn_bodies_step(bodies, dt, NULL));
        assert_finite_bodies(bodies);
    }
    tarn_bodies_destroy(bodies);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_storms), TEST(test_nonsense) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
