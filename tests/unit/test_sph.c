// The sph methods and the parts of liquids: density of lattices, momentum and spin, viscosity, tension,
// hydrostatic pressure, walls, the same bits everywhere, hostile input.

#include "tests/sanitized.h"
#include "liquid_common.h"
#include "liquid/sph.h"

enum { FIRST = TARN_LIQUID_DFSPH, LAST = TARN_LIQUID_LENNARD_JONES };

static TarnLiquid* make_free(int dims, int method) // no walls, no weight
{
    TarnLiquidDef def = tank_def(dims);
    def.method = method;
    def.walls = TARN_LIQUID_OPEN;
    def.box_min = (TarnVec3){ -5.0f, -5.0f, -5.0f };
    def.box_max = (TarnVec3){ 5.0f, 5.0f, 5.0f };
    TarnLiquid* l = make_liquid(ctx, &def);
    TarnLiquidParams params = tarn_liquid_params(l);
    params.gravity = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    params.sound_speed = 20.0f;
    params.pressure = 100.0f;
    assert_ok(tarn_liquid_set_params(l, &params));
    return l;
}

static int fill_block(TarnLiquid* l, float size, float jitter)
{
    TarnLiquidFill fill = tarn_liquid_fill_default();
    float depth = l->def.dimensions == 3 ? 0.5f * size : 0.0f;
    int n = 0;
    fill.shape =
        tarn_shape_box_between((TarnVec3){ -0.5f * size, -0.5f * size, -depth },
                               (TarnVec3){ 0.5f * size, 0.5f * size, depth }, &fill.pose.position);
    fill.jitter = jitter;
    assert_ok(tarn_liquid_fill(l, &fill, &n));
    return n;
}

static void shake(TarnLiquid* l, float speed)
{
    for (int p = 0; p < l->n; ++p) {
        l->vx[p] = uniform(-speed, speed);
        l->vy[p] = uniform(-speed, speed);
        l->vz[p] = l->def.dimensions == 3 ? uniform(-speed, speed) : 0.0f;
    }
}

// All that comes before a solve; nothing moves.
static void make_ready(TarnLiquid* l, float dt)
{
    Substep s = { .l = l, .dt = dt, .t1 = 1.0f };
    tarn__liquid_sort(l);
    tarn__neighbors_find(l->ctx, &l->neighbors, l->x, l->y, l->def.dimensions == 3 ? l->z : NULL);
    tarn__liquid_find_contacts(&s);
}

// Momentum and spin, and what they are small against.
typedef struct Sums {
    double momentum[3], spin[3], momentum_size, spin_size;
} Sums;

static Sums sums_of(const TarnLiquid* l)
{
    Sums s = { 0 };
    for (int p = 0; p < l->n; ++p) {
        double m = l->mass[l->kind[p]], x[3] = { l->x[p], l->y[p], l->z[p] };
        double v[3] = { m * l->vx[p], m * l->vy[p], m * l->vz[p] };
        for (int a = 0; a < 3; ++a) {
            int b = (a + 1) % 3, c = (a + 2) % 3;
            s.momentum[a] += v[a];
            s.spin[a] += x[b] * v[c] - x[c] * v[b];
            s.momentum_size += fabs(v[a]);
            s.spin_size += fabs(x[b] * v[c]) + fabs(x[c] * v[b]);
        }
    }
    return s;
}

static void assert_kept(const Sums* a, const Sums* b, bool has_spin, const char* what)
{
    double size = fmax(a->momentum_size, b->momentum_size), spin = fmax(a->spin_size, b->spin_size);
    for (int k = 0; k < 3; ++k) {
        double p = fabs(b->momentum[k] - a->momentum[k]) / size;
        double q = fabs(b->spin[k] - a->spin[k]) / spin;
        if (p < 1e-6 && (q < 1e-6 || !has_spin)) continue;
        print_error("%s: momentum changed by %g, spin by %g of all\n", what, p, q);
        fail();
    }
}

// ---- Density -------------------------------------------------------------------------------------

// Inside a lattice of one particle per spacing^dims all methods see the density of rest.
static void test_lattice(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        for (int method = FIRST; method <= LAST; ++method) {
            TarnLiquid* l = make_free(dims, method);
            fill_block(l, 0.6f, 0.0f);
            make_ready(l, 1e-3f);
            l->method->solve(l, 1e-3f);
            int inside = 0;
            for (int p = 0; p < l->n; ++p) {
                bool is_in =
                    fabsf(l->x[p]) < 0.19f && fabsf(l->y[p]) < 0.19f && fabsf(l->z[p]) < 0.19f;
                if (!is_in) continue;
                ++inside;
                assert_true(fabsf(l->density[p] / 1000.0f - 1.0f) < 0.01f);
            }
            assert_true(inside > (dims == 2 ? 30 : 200));
            tarn_liquid_destroy(l);
        }
    }
}

// ---- Momentum ------------------------------------------------------------------------------------

static void test_momentum(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        for (int k = 2 * FIRST; k <= 2 * LAST + 1; ++k) {
            int method = k / 2;
            bool mingles = k % 2 == 1; // XSPH acts along velocities, not along the line between two
            TarnLiquid* l = make_free(dims, method);
            TarnLiquidKindDef oil = tarn_liquid_kind_default_def();
            oil.density = 600.0f;
            assert_ok(tarn_liquid_set_kind(l, 1, &oil));
            TarnLiquidParams params = tarn_liquid_params(l);
            params.xsph = mingles ? 0.5f : 0.0f;
            assert_ok(tarn_liquid_set_params(l, &params));
            fill_block(l, 0.5f, 0.2f);
            for (int p = 0; p < l->n; ++p) l->kind[p] = l->id[p] % 3 == 0;
            shake(l, 1.0f);
            make_ready(l, 1e-3f);
            Sums before = sums_of(l);
            // Some move particles, too: what velocities do is seen where they were.
            static float at[3][4000];
            float* const now[3] = { l->x, l->y, l->z };
            assert_true(l->n <= 4000);
            for (int a = 0; a < 3; ++a) memcpy(at[a], now[a], (size_t)l->n * sizeof(float));
            l->method->solve(l, 1e-3f);
            for (int a = 0; a < 3; ++a) memcpy(now[a], at[a], (size_t)l->n * sizeof(float));
            Sums after = sums_of(l);
            assert_true(fabs(after.momentum_size - before.momentum_size) >
                        1e-4 * before.momentum_size);
            assert_kept(&before, &after, !mingles, l->method->name);
            tarn_liquid_destroy(l);
        }
    }
}

typedef void PartFn(TarnLiquid* l, float dt);

static void test_parts_momentum(void** state)
{
    (void)state;
    PartFn* const parts[] = { tarn__liquid_viscosity, tarn__liquid_tension,
                              tarn__liquid_vorticity };
    const char* const names[] = { "viscosity", "tension", "vorticity" };
    for (int dims = 2; dims <= 3; ++dims) {
        for (int k = 0; k < 3; ++k) {
            TarnLiquid* l = make_free(dims, TARN_LIQUID_DFSPH);
            TarnLiquidParams params = tarn_liquid_params(l);
            TarnLiquidKindDef oil = tarn_liquid_kind_default_def();
            oil.density = 600.0f;
            oil.viscosity = 0.1f;
            assert_ok(tarn_liquid_set_kind(l, 1, &oil));
            params.viscosity = 0.05f, params.surface_tension = 10.0f, params.vorticity = 0.5f;
            assert_ok(tarn_liquid_set_params(l, &params));
            fill_block(l, 0.5f, 0.2f);
            for (int p = 0; p < l->n; ++p) l->kind[p] = l->id[p] % 3 == 0;
            shake(l, 1.0f);
            make_ready(l, 0.01f);
            Sums before = sums_of(l);
            parts[k](l, 0.01f);
            Sums after = sums_of(l);
            assert_true(fabs(after.momentum_size - before.momentum_size) >
                        1e-5 * before.momentum_size);
            assert_kept(&before, &after, k <= 1, names[k]); // viscosity and tension are central
            tarn_liquid_destroy(l);
        }
    }
}

// ---- Viscosity -----------------------------------------------------------------------------------

// A slab twice as long as it is high, on a lattice that is turned about z so that shear along x meets what a
// liquid without a lattice has: sum over the axes of (k_a p_a)^2 = 1/4 in 2-D, 1/5 in 3-D, the means over all directions.
static void fill_turned(TarnLiquid* l, float width, float depth)
{
    int dims = l->def.dimensions, far = (int)(1.2f * width / l->def.spacing), deep = 0;
    if (dims == 3) deep = (int)(depth / l->def.spacing + 0.5f);
    float angle = 0.5f * asinf(sqrtf(dims == 2 ? 0.5f : 0.4f));
    float c = l->def.spacing * cosf(angle), s = l->def.spacing * sinf(angle);
    for (int k = -deep; k <= deep; ++k)
        for (int j = -far; j <= far; ++j)
            for (int i = -far; i <= far; ++i) {
                TarnVec3 at = { c * (float)i - s * (float)j, s * (float)i + c * (float)j,
                                l->def.spacing * (float)k };
                if (fabsf(at.x) > width || fabsf(at.y) > 0.5f * width) continue;
                assert_ok(tarn_liquid_add(l, 1, &at, NULL, 0, 0, NULL));
            }
}

// A wave of shear in a free slab dies as theory says, from syrup to tar, and implicit steps of any size
// are stable.
static void test_viscosity(void** state)
{
    (void)state;
    const double k = 1.5 * 3.14159265358979 / 0.5; // no shear at the free sides, y = +-0.5
    for (int dims = 2; dims <= 3; ++dims) {
        for (int c = 0; c < 2; ++c) {
            TarnLiquid* l = make_free(dims, TARN_LIQUID_DFSPH);
            TarnLiquidParams params = tarn_liquid_params(l);
            params.viscosity = c == 0 ? 0.005f : 1.0f;
            assert_ok(tarn_liquid_set_params(l, &params));
            fill_turned(l, 1.0f, 0.1f);
            float dt = c == 0 ? 0.01f : 0.002f;
            make_ready(l, dt);
            double first = 0.0, last = 0.0;
            const float inside = 0.2f; // the free ends take part of the shear away
            for (int p = 0; p < l->n; ++p) {
                l->vx[p] = (float)sin(k * l->y[p]);
                if (fabsf(l->x[p]) < inside) first += l->vx[p] * sin(k * l->y[p]);
            }
            for (int s = 0; s < 5; ++s) tarn__liquid_viscosity(l, dt);
            for (int p = 0; p < l->n; ++p)
                if (fabsf(l->x[p]) < inside) last += l->vx[p] * sin(k * l->y[p]);
            double rate = log(first / last) / (5.0 * dt);
            double theory = log(1.0 + dt * params.viscosity * k * k) / dt; // of implicit steps
            if (fabs(rate / theory - 1.0) > 0.05) print_error("%g of %g\n", rate, theory);
            assert_true(fabs(rate / theory - 1.0) < 0.05);
            shake(l, 1.0f);
            double before = tarn_liquid_stats(l).kinetic_energy;
            tarn__liquid_viscosity(l, 10.0f);
            assert_true(tarn_liquid_stats(l).kinetic_energy < 0.2 * before);
            tarn_liquid_destroy(l);
        }
    }
}

// ---- Rest ----------------------------------------------------------------------------------------

// Slope of pressure by depth against rho g, the middle eighty percent of a pool.
static double pressure_slope(const TarnLiquid* l)
{
    double n = 0.0, x = 0.0, y = 0.0, xx = 0.0, xy = 0.0;
    for (int p = 0; p < l->n; ++p) {
        if (l->y[p] < 0.08f || l->y[p] > 0.72f) continue;
        n += 1.0, x += l->y[p], y += l->pressure[p];
        xx += (double)l->y[p] * l->y[p], xy += (double)l->y[p] * l->pressure[p];
    }
    return -(n * xy - x * y) / (n * xx - x * x) / 9810.0;
}

static void test_hydrostatic(void** state)
{
    (void)state;
    for (int method = FIRST; method <= TARN_LIQUID_SPH; ++method) {
        TarnLiquidDef def = tank_def(2);
        def.method = method;
        TarnLiquid* l = make_liquid(ctx, &def);
        TarnLiquidParams params = tarn_liquid_params(l);
        params.artificial_viscosity = 0.2f;
        params.max_substeps = 1000;
        assert_ok(tarn_liquid_set_params(l, &params));
        fill_box(l, (TarnVec3){ 0.0f, 0.0f, 0.0f }, (TarnVec3){ 1.0f, 0.8f, 0.0f });
        int added = l->n;
        if (is_short_run()) {
            run_liquid(l, 10);
            tarn_liquid_destroy(l);
            continue;
        }
        run_liquid(l, 180);
        double slope = 0.0, speed = 0.0, height = 0.0, compression = 0.0;
        for (int s = 0; s < 120; ++s) {
            step_liquid(l, frame);
            slope += pressure_slope(l) / 120.0;
            compression += tarn_liquid_stats(l).mean_compression / 120.0;
            for (int p = 0; p < l->n; ++p) {
                speed += vec3_length(liquid_velocity(l, p)) / l->n / 120.0;
                height += 2.0 * l->y[p] / l->n / 120.0;
            }
        }
        print_message("%s: slope %.3f, mean speed %.4f m/s, height %.3f m, compression %.4f\n",
                      l->method->name, slope, speed, height, compression);
        assert_int_equal(l->n, added);
        assert_true(fabs(slope - 1.0) < (method == TARN_LIQUID_SPH ? 0.08 : 0.04));
        assert_true(speed < 0.04 * sqrt(2.0 * 9.81 * 0.8));
        assert_true(fabs(height / 0.8 - 1.0) < (method == TARN_LIQUID_SPH ? 0.05 : 0.03));
        assert_true(compression < (method == TARN_LIQUID_SPH ? 0.03 : 0.01));
        tarn_liquid_destroy(l);
    }
}

// ---- Walls ---------------------------------------------------------------------------------------

// A single particle on a floor that moves: no friction leaves it, a floor that holds takes it along, and
// the floor feels both its weight and its pull.
static void test_contacts(void** state)
{
    (void)state;
    const int touches[] = { TARN_TOUCH_BOUNCE, TARN_TOUCH_STICK };
    for (int t = 0; t < 2; ++t) {
        TarnLiquidDef def = tank_def(3);
        def.method = TARN_LIQUID_DFSPH;
        def.walls = TARN_LIQUID_OPEN;
        TarnLiquid* l = make_liquid(ctx, &def);
        TarnSolids* solids = make_solids(ctx);
        TarnSolidDef floor = tarn_solid_default_def();
        TarnSolidId id;
        floor.shape.kind = TARN_SHAPE_BOX;
        floor.shape.size = (TarnVec3){ 5.0f, 0.1f, 5.0f };
        floor.motion.position = (TarnVec3){ 0.5f, 0.1f, 0.5f };
        floor.motion.velocity = (TarnVec3){ 0.3f, 0.0f, 0.0f };
        floor.friction = 0.0f;
        floor.touch = touches[t];
        assert_ok(tarn_solids_add(solids, &floor, &id));
        assert_ok(tarn_liquid_set_solids(l, solids));
        TarnVec3 at = { 0.5f, 0.2f + 0.25f * def.spacing, 0.5f };
        assert_ok(tarn_liquid_add(l, 1, &at, NULL, 0, 0, NULL));
        make_ready(l, 0.01f);
        l->method->solve(l, 0.01f);
        const LiquidContact* c = &l->contacts[l->contact_begin[0]];
        float weight = 9.81f * 0.01f * l->mass[0];
        assert_int_equal(l->contact_count[0], 1);
        assert_true(l->vy[0] > -1e-6f && l->vy[0] < 0.01f);
        assert_true(c->impulse.y > 0.99f * weight);
        assert_true(fabsf(l->vx[0] - (t == 0 ? 0.0f : 0.3f)) < 1e-6f);
        assert_true(fabsf(c->impulse.x - l->mass[0] * l->vx[0]) < 1e-6f);
        tarn_liquid_destroy(l);
        tarn_solids_destroy(solids);
    }
}

// ---- Compression ---------------------------------------------------------------------------------

// A pool that is too soft for its weight says so; one that chooses its stiffness is not, at rest or in a blow.
static void test_soft(void** state)
{
    (void)state;
    for (int soft = 0; soft < 2; ++soft) {
        TarnLiquidDef def = tank_def(2);
        def.method = TARN_LIQUID_SPH;
        def.walls = TARN_LIQUID_BOX;
        TarnLiquid* l = make_liquid(ctx, &def);
        TarnLiquidParams params = tarn_liquid_params(l);
        params.pressure = soft ? 8.0f : 0.0f;
        assert_ok(tarn_liquid_set_params(l, &params));
        fill_box(l, (TarnVec3){ 0.0f, 0.0f, 0.0f }, (TarnVec3){ 0.5f, 0.8f, 0.0f });
        int flagged = 0;
        for (int s = 0; s < 60; ++s)
            flagged += (step_liquid(l, frame).flags & TARN_STEP_COMPRESSED) != 0;
        assert_true(soft ? flagged > 30 : flagged == 0);
        double mean = tarn_liquid_stats(l).mean_compression;
        assert_true(soft ? mean > 0.1 : mean < 0.1);
        tarn_liquid_destroy(l);
    }
}

// ---- Determinism and hostile input ---------------------------------------------------------------

static uint64_t hash_of(int method, int dims, int workers, TarnIsa isa)
{
    TarnContext* where = make_context(workers, isa);
    if (where == NULL) return 0;
    TarnLiquidDef def = tank_def(dims);
    def.method = method;
    TarnLiquid* l;
    assert_int_equal(tarn_liquid_create(where, &def, &l), TARN_OK);
    TarnLiquidParams params = tarn_liquid_params(l);
    params.viscosity = 0.01f, params.surface_tension = 1.0f, params.cohesion = 0.1f;
    params.xsph = 0.1f, params.vorticity = 0.2f, params.max_substeps = 16;
    assert_int_equal(tarn_liquid_set_params(l, &params), TARN_OK);
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape = tarn_shape_box_between((TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.5f, 0.7f, 0.4f },
                                        &fill.pose.position);
    fill.jitter = 0.2f;
    assert_int_equal(tarn_liquid_fill(l, &fill, NULL), TARN_OK);
    for (int s = 0; s < 6; ++s) assert_int_equal(tarn_liquid_step(l, frame, NULL), TARN_OK);
    return end_with_hash(l, where);
}

static void test_same_bits(void** state)
{
    (void)state;
    static const int workers[] = { 2, 3, 8 };
    for (int method = FIRST; method <= LAST; ++method) {
        for (int dims = 2; dims <= 3; ++dims) {
            uint64_t hash = hash_of(method, dims, 1, TARN_ISA_BASELINE);
            for (int isa = TARN_ISA_AVX2; isa < TARN_ISA_COUNT; ++isa) {
                if (is_thread_sanitized && is_short_run()) continue; // nothing to find: one worker
                uint64_t other = hash_of(method, dims, 1, (TarnIsa)isa);
                assert_true(other == hash || other == 0);
            }
            for (int w = 0; w < 3; ++w) {
                if (is_short_run() && workers[w] != 3) continue;
                assert_true(hash_of(method, dims, workers[w], TARN_ISA_AUTO) == hash);
            }
        }
    }
}

// All in one point, at any speed, for any dt: finite, and calm again after a while.
static void test_hostile(void** state)
{
    (void)state;
    const float steps[] = { 1e-6f, 1e-3f, 1.0f };
    for (int dims = 2; dims <= 3; ++dims) {
        for (int method = FIRST; method <= LAST; ++method) {
            for (int s = is_short_run() ? 2 : 0; s < 3; ++s) {
                TarnLiquidDef def = tank_def(dims);
                def.method = method;
                def.walls = TARN_LIQUID_BOX;
                TarnLiquid* l = make_liquid(ctx, &def);
                TarnLiquidParams params = tarn_liquid_params(l);
                params.max_substeps = 8;
                params.viscosity = 0.05f;
                assert_ok(tarn_liquid_set_params(l, &params));
                TarnVec3 at = { 0.5f, 0.3f, dims == 3 ? 0.5f : 0.0f };
                for (int p = 0; p < 300; ++p) {
                    TarnVec3 v = { p % 3 == 0 ? 90.0f : 0.0f, p % 5 == 0 ? -90.0f : 0.0f, 0.0f };
                    assert_ok(tarn_liquid_add(l, 1, &at, &v, 0, 0, NULL));
                }
                for (int k = 0; k < (is_short_run() ? 4 : 20); ++k) step_liquid(l, steps[s]);
                assert_sane_liquid(l);
                params.max_substeps = 200;
                assert_ok(tarn_liquid_set_params(l, &params));
                run_liquid(l, is_short_run() ? 4 : 120);
                assert_sane_liquid(l);
                double speed =
                    sqrt(2.0 * tarn_liquid_stats(l).kinetic_energy / (300.0 * l->mass[0]));
                if (is_short_run()) speed = 0.0; // it takes two seconds to calm down
                if (speed >= 1.5)
                    print_error("%s %d-D dt %g: %g m/s\n", l->method->name, dims, (double)steps[s],
                                speed);
                assert_true(speed < 1.5);
                tarn_liquid_destroy(l);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_lattice),   TEST_ALONE(test_momentum),    TEST_ALONE(test_parts_momentum),
        TEST_ALONE(test_viscosity), TEST_ALONE(test_hydrostatic), TEST_ALONE(test_contacts),
        TEST_ALONE(test_soft),      TEST(test_same_bits),         TEST_ALONE(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
