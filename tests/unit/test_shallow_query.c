// Reading the shallow solver: surface queries, equal to what is drawn (test_shallow_shore.c), and views.

#include "shore_common.h"

// Height of the mesh over the cell centers at a point, in double.
static double on_mesh(const TarnShallowDef* def, const float* field, float x, float z)
{
    double fx = fmin(fmax((double)(x - cell_x(def, 0)) / (double)def->dx, 0.0), def->nx - 1.0);
    double fz = fmin(fmax((double)(z - cell_z(def, 0)) / (double)def->dx, 0.0), def->nz - 1.0);
    int i = (int)fmin(fx, def->nx - 2.0), k = (int)fmin(fz, def->nz - 2.0);
    const float* f = field + k * def->nx + i;
    double s = fx - i, t = fz - k, a = (double)f[0], b = (double)f[1], c = (double)f[def->nx];
    if (s + t <= 1.0) return a + s * (b - a) + t * (c - a);
    double d = (double)f[def->nx + 1];
    return d + (1.0 - t) * (b - d) + (1.0 - s) * (c - d);
}

// The answer is the surface that is drawn, or the ground where that is higher.
static void test_query_is_drawn(void** state)
{
    (void)state;
    int n_wet = 0, n_dry = 0;
    for (int n = 0; n < 60; ++n) {
        TarnShallowDef def = shore_def(4 + n % 45, 4 + n * 7 % 31);
        rough_water(&def, n);
        TarnShallow* water = make_shallow(ctx, def);
        TarnSurface surface = tarn_shallow_surface(water);
        assert_ok(tarn_shallow_drawn_surface(water, drawn));
        TarnView2 bed = tarn_shallow_bed(water);
        for (int c = 0; c < def.nx * def.nz; ++c) {
            ground[c] = bed.data[c % def.nx + bed.stride * (c / def.nx)];
        }
        float x[37], z[37], y[37], deep[37], y_only[37];
        TarnVec3 normal[37], velocity[37];
        for (int p = 0; p < 37; ++p) {
            x[p] = def.origin.x + uniform(-0.1f, 1.1f) * (float)def.nx * def.dx;
            z[p] = def.origin.y + uniform(-0.1f, 1.1f) * (float)def.nz * def.dx;
        }
        TarnSurfaceSamples out = { y, normal, velocity, deep };
        assert_ok(tarn_surface_query(surface, 37, x, z, &out));
        assert_ok(tarn_surface_query(surface, 37, x, z, &(TarnSurfaceSamples){ .height = y_only }));
        assert_memory_equal(y, y_only, sizeof y);
        for (int p = 0; p < 37; ++p) {
            double top = on_mesh(&def, drawn, x[p], z[p]), land = on_mesh(&def, ground, x[p], z[p]);
            double tolerance = 2e-6 * (200.0 + fabs(top) + fabs(land)) + 1e-3 * fabs(top - land);
            assert_true(fabs((double)y[p] - fmax(top, land)) <= tolerance);
            assert_true(fabs((double)deep[p] - fmax(top - land, 0.0)) <= tolerance);
            assert_true(deep[p] >= 0.0f && y[p] == tarn_surface_height(surface, x[p], z[p]));
            TarnVec3 v = normal[p];
            assert_float_equal(v.x * v.x + v.y * v.y + v.z * v.z, 1.0, 1e-5);
            assert_true(v.y > 0.0f && tarn__is_finite3(velocity[p]));
            n_wet += deep[p] > 0.0f, n_dry += deep[p] == 0.0f;
        }
        tarn_shallow_destroy(water);
    }
    assert_true(n_wet > 300 && n_dry > 300);
}

static void test_odd_points(void** state)
{
    (void)state;
    for (int n = 0; n < 4; ++n) {
        TarnShallowDef def = shore_def(4 + 9 * n, 4 + 5 * n);
        if (n & 1) def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_SHALLOW_PERIODIC;
        rough_water(&def, n);
        TarnShallow* water = make_shallow(ctx, def);
        const float odd[] = { NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-40f, 0.0f };
        for (int p = 0; p < 49; ++p) {
            float y, deep;
            TarnVec3 normal, velocity;
            TarnSurfaceSamples out = { &y, &normal, &velocity, &deep };
            assert_ok(
                tarn_surface_query(tarn_shallow_surface(water), 1, &odd[p / 7], &odd[p % 7], &out));
            assert_true(tarn__is_finite(y) && tarn__is_finite3(normal) && normal.y > 0.0f);
            assert_true(tarn__is_finite3(velocity) && deep >= 0.0f && tarn__is_finite(deep));
        }
        tarn_shallow_destroy(water);
    }
}

// Plane water over a plane bed, and on land: slopes are exact, at the edges too.
static void test_normals(void** state)
{
    (void)state;
    TarnShallowDef def = shore_def(40, 30);
    for (int c = 0; c < 40 * 30; ++c) {
        float x = cell_x(&def, c % 40), z = cell_z(&def, c / 40);
        ground[c] = 0.2f * x - 0.1f * z;
        depth[c] = c % 40 < 20 ? 5.0f + 0.1f * x : 0.0f;
    }
    TarnShallow* water = make_shallow(ctx, def);
    const float xs[] = { -2.9f, 0.33f, 4.0f, 10.0f, 16.9f }, zs[] = { 7.1f, 12.4f, 21.9f };
    for (int p = 0; p < 15; ++p) {
        TarnVec3 normal;
        TarnSurfaceSamples out = { .normal = &normal };
        assert_ok(tarn_surface_query(tarn_shallow_surface(water), 1, &xs[p % 5], &zs[p / 5], &out));
        assert_float_equal(-normal.x / normal.y, (p % 5 < 3 ? 0.3 : 0.2), 1e-4);
        assert_float_equal(-normal.z / normal.y, -0.1, 1e-4);
    }
    tarn_shallow_destroy(water);
}

// Speeds are those of the faces; the surface rises with the water on it and with what flows in.
static void test_velocity(void** state)
{
    (void)state;
    for (int n = 0; n < 3; ++n) {
        TarnShallowDef def = shore_def(40, 30);
        for (int c = 0; c < 40 * 30; ++c) {
            ground[c] = n == 1 ? 0.2f * cell_x(&def, c % 40) : 0.0f;
            depth[c] = 2.0f;
        }
        TarnShallow* water = make_shallow(ctx, def);
        for (int k = 0; k <= 30; ++k) {
            for (int i = 0; i <= 40; ++i) {
                size_t c = shallow_cell(water, i, k);
                if (k < 30) water->u[c] = n == 2 ? 0.1f * (float)i * def.dx : 1.5f;
                if (i < 40) water->w[c] = -0.5f;
            }
        }
        for (int p = 0; p < 100; ++p) {
            float x = uniform(-2.7f, 16.7f), z = uniform(7.3f, 21.7f);
            TarnVec3 v;
            TarnSurfaceSamples out = { .velocity = &v };
            assert_ok(tarn_surface_query(tarn_shallow_surface(water), 1, &x, &z, &out));
            assert_float_equal(v.x, (n == 2 ? 0.1 * (double)(x - def.origin.x) : 1.5), 1e-5);
            assert_float_equal(v.z, -0.5, 1e-6);
            assert_float_equal(v.y, (n == 1 ? 1.5 * 0.2 : n == 2 ? -2.0 * 0.1 : 0.0), 1e-4);
        }
        tarn_shallow_destroy(water);
    }
}

static void test_views(void** state)
{
    (void)state;
    TarnShallowDef def = shore_def(21, 13);
    for (int c = 0; c < 21 * 13; ++c) ground[c] = 0.25f * (float)c, depth[c] = 0.5f;
    TarnShallow* water = make_shallow(ctx, def);
    TarnView2 h = tarn_shallow_depth(water), b = tarn_shallow_bed(water);
    TarnView2 u = tarn_shallow_velocity_x(water), w = tarn_shallow_velocity_z(water);
    assert_true(h.nx == 21 && h.nz == 13 && b.nx == 21 && b.nz == 13);
    assert_true(u.nx == 22 && u.nz == 13 && w.nx == 21 && w.nz == 14);
    for (int c = 0; c < 21 * 13; ++c) {
        int i = c % 21, k = c / 21;
        assert_float_equal(h.data[i + h.stride * k], 0.5, 1e-5);
        assert_float_equal(b.data[i + b.stride * k], (0.25 * c), 1e-5);
        assert_true(u.data[i + u.stride * k] == 0.0f && w.data[i + w.stride * k] == 0.0f);
    }
    TarnVec2 origin = tarn_shallow_origin(water);
    assert_true(origin.x == -3.0f && origin.y == 7.0f && tarn_shallow_time(water) == 0.0);
    const TarnShallowDef* kept = tarn_shallow_def(water);
    assert_true(kept->nx == 21 && kept->nz == 13 && kept->bed == NULL && kept->depth == NULL);
    tarn_shallow_destroy(water);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_query_is_drawn), TEST(test_odd_points), TEST(test_normals),
        TEST(test_velocity),       TEST(test_views),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
