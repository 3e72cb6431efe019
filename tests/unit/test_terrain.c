// Terrain: the generators keep their measures and their promises, the grid reads as it should.

#include "counting.h"
#include <math.h>
#include <stdio.h>
#include "base/base.h"
#include "base/param.h"
#include "grid/noise.h"
#include "tarn/terrain.h"

enum { KINDS = TARN_TERRAIN_RIDGED + 1 };

static TarnTerrain* make(const TarnTerrainDef* def)
{
    TarnTerrain* terrain;
    TarnResult result = tarn_terrain_create(ctx, def, &terrain);
    if (result != TARN_OK) print_error("%s\n", tarn_last_error(ctx));
    assert_int_equal(result, TARN_OK);
    return terrain;
}

static TarnTerrainDef small_def(TarnTerrainKind kind)
{
    TarnTerrainDef def = tarn_terrain_kind_def(kind);
    def.nx = 70, def.nz = 45, def.dx = 3.0f;
    return def;
}

static float at(const TarnTerrainDef* def, float x, float z)
{
    return tarn_terrain_made_ground(x, z, (void*)def);
}

static uint64_t hash_of(const TarnTerrain* terrain)
{
    TarnView2 v = tarn_terrain_heights(terrain);
    return tarn_hash(v.data, (size_t)v.nx * (size_t)v.nz * sizeof(float), 0);
}

// ---- The object ----------------------------------------------------------------------------------

static void every_kind_is_made(void** state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        TarnTerrainDef def = small_def((TarnTerrainKind)kind);
        size_t before = memory.bytes, promised = tarn_terrain_memory(&def);
        TarnTerrain* terrain = make(&def);
        assert_int_equal(memory.bytes - before, promised);
        TarnView2 v = tarn_terrain_heights(terrain);
        assert_int_equal(v.nx, 70);
        assert_int_equal(v.nz, 45);
        assert_int_equal(v.stride, 70);
        assert_true(tarn_terrain_dx(terrain) == 3.0f);
        float low, high, least = INFINITY, most = -INFINITY;
        tarn_terrain_range(terrain, &low, &high);
        for (int c = 0; c < v.nx * v.nz; ++c) {
            float x = ((float)(c % 70) + 0.5f) * 3.0f, z = ((float)(c / 70) + 0.5f) * 3.0f;
            assert_true(v.data[c] == at(&def, x, z)); // the function and the grid are one
            least = fminf(least, v.data[c]), most = fmaxf(most, v.data[c]);
        }
        assert_true(low == least && high == most);
        assert_true(kind <= TARN_TERRAIN_SLOPE || high - low > 5.0f);
        tarn_terrain_destroy(terrain);
    }
}

static void workers_do_not_matter(void** state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        TarnTerrainDef def = small_def((TarnTerrainKind)kind);
        def.rocks = 0.5f;
        uint64_t hashes[3];
        static const int workers[3] = { 1, 3, 8 };
        for (int w = 0; w < 3; ++w) {
            TarnContext* many = make_context(workers[w], TARN_ISA_AUTO);
            TarnTerrain* terrain;
            assert_int_equal(tarn_terrain_create(many, &def, &terrain), TARN_OK);
            hashes[w] = hash_of(terrain);
            tarn_terrain_destroy(terrain);
            tarn_context_destroy(many);
        }
        assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
    }
}

// A window that moved by whole cells sees the same ground in other places of its grid.
static void ground_stays_under_a_window(void** state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; ++kind) {
        TarnTerrainDef def = small_def((TarnTerrainKind)kind), moved = def;
        moved.origin = (TarnVec2){ 3.0f * 20, 3.0f * -7 };
        TarnTerrain *a = make(&def), *b = make(&moved);
        const float *ya = tarn_terrain_heights(a).data, *yb = tarn_terrain_heights(b).data;
        for (int k = 7; k < 45; ++k)
            for (int i = 0; i < 50; ++i) assert_true(ya[i + 20 + 70 * (k - 7)] == yb[i + 70 * k]);
        tarn_terrain_destroy(a);
        tarn_terrain_destroy(b);
    }
}

static void seeds_differ(void** state)
{
    (void)state;
    for (int kind = TARN_TERRAIN_STEPS; kind < KINDS; ++kind) {
        TarnTerrainDef def = small_def((TarnTerrainKind)kind), other = def;
        other.seed = 2;
        TarnTerrain *a = make(&def), *b = make(&def), *c = make(&other);
        assert_true(hash_of(a) == hash_of(b) && hash_of(a) != hash_of(c));
        tarn_terrain_destroy(a);
        tarn_terrain_destroy(b);
        tarn_terrain_destroy(c);
    }
}

static void bad_defs_are_refused(void** state)
{
    (void)state;
    const TarnParamTable* table = tarn_terrain_def_table();
    TarnTerrain* terrain;
    for (int p = 0; p < table->count; ++p) {
        const TarnParam* param = &table->params[p];
        bool is_float = param->type == TARN_PARAM_FLOAT || param->type == TARN_PARAM_VEC2;
        for (int bad = is_float ? 0 : 1; bad < 3; ++bad) {
            TarnTerrainDef def = tarn_terrain_default_def();
            double value = bad == 0 ? (double)NAN : bad == 1 ? param->min - 1 : param->max * 2 + 1;
            if (is_float)
                *(float*)((char*)&def + param->offset) = (float)value;
            else
                *(int*)((char*)&def + param->offset) = (int)value;
            terrain = (TarnTerrain*)&def;
            assert_int_equal(tarn_terrain_create(ctx, &def, &terrain), TARN_ERR_ARG);
            assert_null(terrain);
            assert_non_null(strstr(tarn_last_error(ctx), param->name));
            assert_int_equal(tarn_terrain_memory(&def), 0);
        }
    }
    TarnTerrainDef def = { 0 };
    assert_int_equal(tarn_terrain_create(ctx, &def, &terrain), TARN_ERR_ARG);
    assert_int_equal(tarn_terrain_create(ctx, NULL, &terrain), TARN_ERR_ARG);
    def = tarn_terrain_default_def();
    assert_int_equal(tarn_terrain_create(ctx, &def, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_terrain_create(NULL, &def, &terrain), TARN_ERR_ARG);
    memory.fail_at = memory.calls + 1;
    assert_int_equal(tarn_terrain_create(ctx, &def, &terrain), TARN_ERR_MEMORY);
    assert_null(terrain);
    tarn_terrain_destroy(NULL);
}

// ---- The kinds -----------------------------------------------------------------------------------

// Whatever the table allows, anywhere on the plane: a number, and not an absurd one.
static void any_def_gives_finite_ground(void** state)
{
    (void)state;
    const TarnParamTable* table = tarn_terrain_def_table();
    uint64_t n = 0;
    for (int run = 0; run < 4000; ++run) {
        TarnTerrainDef def = tarn_terrain_default_def();
        for (int p = 0; p < table->count; ++p) {
            const TarnParam* param = &table->params[p];
            double t = (double)tarn__random01(3, 1, n++);
            if (t > 0.9) t = 1.0; // often the ends themselves
            if (t < 0.1) t = 0.0;
            // Small values as often as large ones.
            double span = param->max - param->min, small = tarn__random01(3, 2, n) < 0.5 ? 1e-3 : 1;
            double value = param->min + span * t * small;
            if (param->type == TARN_PARAM_INT || param->type == TARN_PARAM_ENUM)
                *(int*)((char*)&def + param->offset) = (int)value;
            else
                *(float*)((char*)&def + param->offset) = (float)value;
        }
        def.kind = run % KINDS;
        assert_int_equal(tarn_terrain_validate(ctx, &def), TARN_OK);
        float reach = run % 3 == 0 ? 1e7f : run % 3 == 1 ? 1e3f : 1.0f;
        for (int s = 0; s < 20; ++s) {
            float x = def.center.x + reach * (tarn__random01(3, 3, n) - 0.5f);
            float z = def.center.y + reach * (tarn__random01(3, 4, n++) - 0.5f);
            float y = at(&def, x, z);
            assert_true(y >= -1e5f && y <= 1e5f);
        }
    }
}

static void plain_shapes_are_exact(void** state)
{
    (void)state;
    TarnTerrainDef def = tarn_terrain_kind_def(TARN_TERRAIN_FLAT);
    def.base = 3.5f;
    assert_true(at(&def, -700.0f, 12.0f) == 3.5f);
    def = tarn_terrain_kind_def(TARN_TERRAIN_SLOPE);
    def.slope = 0.25f, def.base = 2.0f;
    assert_true(at(&def, def.center.x, 9.0f) == 2.0f);
    assert_true(at(&def, def.center.x + 8.0f, -5.0f) == 0.0f);
    def = tarn_terrain_kind_def(TARN_TERRAIN_BOWL);
    def.base = 1.0f, def.height = 8.0f, def.size = 16.0f;
    assert_true(at(&def, def.center.x, def.center.y) == 1.0f);
    assert_true(at(&def, def.center.x + 16.0f, def.center.y) == 9.0f);
    assert_true(at(&def, def.center.x, def.center.y - 8.0f) == 3.0f);
}

static void a_crater_has_rim_and_floor(void** state)
{
    (void)state;
    for (int seed = 1; seed <= 20; ++seed) {
        TarnTerrainDef def = tarn_terrain_kind_def(TARN_TERRAIN_CRATER);
        def.seed = seed, def.noise = 0.0f;
        double floor_sum = 0.0, rim = 0.0, outside = 0.0;
        for (int a = 0; a < 36; ++a) {
            float c = cosf((float)a * 0.1745f), s = sinf((float)a * 0.1745f);
            floor_sum +=
                at(&def, def.center.x + 0.3f * def.size * c, def.center.y + 0.3f * def.size * s);
            float top = -1e9f;
            for (float r = 0.7f; r < 1.3f; r += 0.01f)
                top = fmaxf(top, at(&def, def.center.x + r * def.size * c,
                                    def.center.y + r * def.size * s));
            rim += top;
            outside +=
                at(&def, def.center.x + 5.0f * def.size * c, def.center.y + 5.0f * def.size * s);
        }
        assert_true(fabs(floor_sum / 36 + def.depth) < 0.15 * def.depth);
        assert_true(fabs(rim / 36 - def.height) < 0.4 * def.height);
        assert_true(fabs(outside / 36) < 0.1 * def.height);
    }
}

static void a_river_runs_down_in_its_channel(void** state)
{
    (void)state;
    for (int seed = 1; seed <= 20; ++seed) {
        TarnTerrainDef def = tarn_terrain_kind_def(TARN_TERRAIN_RIVER_VALLEY);
        def.seed = seed, def.noise = 0.0f;
        float before = 0.0f;
        for (int n = 0; n <= 40; ++n) {
            float x = def.center.x + 25.0f * (float)(n - 20), bed = 1e9f, z_bed = 0.0f;
            for (float z = -60.0f; z <= 60.0f; z += 0.5f) {
                float y = at(&def, x, def.center.y + z);
                if (y < bed) bed = y, z_bed = z;
            }
            // The deepest point lies below the bank by about the depth, and downstream is down.
            float bank = -def.slope * (x - def.center.x);
            assert_true(bank - bed > 0.7f * def.depth && bank - bed < 1.4f * def.depth);
            assert_true(fabsf(z_bed) < 1.5f * def.meander + def.width);
            if (n > 0) assert_true(bed < before + 0.5f * def.depth);
            before = bed;
            // Walls on both sides.
            float left = at(&def, x, def.center.y - 160.0f),
                  right = at(&def, x, def.center.y + 160.0f);
            assert_true(left - bank > 0.35f * def.height && right - bank > 0.35f * def.height);
        }
    }
}

static void a_beach_rises_out_of_the_sea(void** state)
{
    (void)state;
    for (int seed = 1; seed <= 20; ++seed) {
        TarnTerrainDef def = tarn_terrain_kind_def(TARN_TERRAIN_BEACH);
        def.seed = seed, def.noise = 0.0f;
        double bar = 0.0;
        for (int n = 0; n < 30; ++n) {
            float z = 17.0f * (float)n, line = -1.0f;
            assert_true(at(&def, def.center.x - 400.0f, z) < -0.9f * def.depth);
            assert_true(at(&def, def.center.x + 150.0f, z) > 0.3f * def.height);
            for (float x = def.center.x - 60.0f; line < 0.0f; x += 0.25f)
                if (at(&def, x, z) > 0.0f) line = x;
            assert_true(fabsf(line - def.center.x) < def.floor_width);
            // A bar: going out, the bottom falls, and rises again somewhere.
            float lowest = 0.0f, rise = 0.0f;
            for (float s = 0.0f; s < 90.0f; s += 0.5f) {
                float y = at(&def, line - s, z);
                lowest = fminf(lowest, y), rise = fmaxf(rise, y - lowest);
            }
            bar += rise > 0.05f * def.bar;
        }
        assert_true(bar > 8.0);
    }
}

static void islands_and_basins_hold(void** state)
{
    (void)state;
    for (int seed = 1; seed <= 20; ++seed) {
        TarnTerrainDef def = tarn_terrain_kind_def(TARN_TERRAIN_ISLAND);
        def.seed = seed;
        TarnTerrain* island = make(&def);
        TarnView2 v = tarn_terrain_heights(island);
        float low, high;
        tarn_terrain_range(island, &low, &high);
        assert_true(high > 0.5f * def.height && high < 1.8f * def.height);
        int dry = 0;
        for (int c = 0; c < v.nx * v.nz; ++c) dry += v.data[c] > 0.0f;
        assert_true(dry > v.nx * v.nz / 8 && dry < v.nx * v.nz * 3 / 4);
        tarn_terrain_destroy(island);

        def = tarn_terrain_kind_def(TARN_TERRAIN_STEPS);
        def.seed = seed, def.noise = 0.0f;
        float cx = def.center.x, cz = def.center.y, land = def.height + def.depth;
        assert_true(fabsf(at(&def, cx - def.size, cz) - def.height) < 0.1f);
        assert_true(fabsf(at(&def, cx + def.size, cz)) < 0.1f);
        assert_true(fabsf(at(&def, cx, cz + 2.0f * def.floor_width) - land) < 0.1f * def.depth);
        assert_true(fabsf(at(&def, cx, cz) - def.height) < 0.05f * def.depth); // the gap
        assert_true(at(&def, cx - 3.5f * def.size, cz) > land - 0.1f);
    }
}

static void noise_is_smooth_and_centered(void** state)
{
    (void)state;
    double sum = 0.0, most = 0.0, steepest = 0.0;
    for (int n = 0; n < 20000; ++n) {
        double x = 0.137 * n, z = 0.0911 * n * 0.7;
        double a = tarn__noise(5, 6, x, z), b = tarn__noise(5, 6, x + 1e-4, z);
        sum += a;
        most = fmax(most, fabs(a));
        steepest = fmax(steepest, fabs(b - a) / 1e-4);
    }
    assert_true(fabs(sum / 20000) < 0.02);
    assert_true(most > 0.7 && most < 1.0);
    assert_true(steepest < 4.0); // no jumps at the lattice
    assert_true(tarn__noise(5, 6, 3.0, -8.0) == 0.0);
    assert_true(tarn__noise(5, 6, (double)INFINITY, 0.0) == 0.0);
    assert_true(tarn__noise(5, 6, 1e300, (double)NAN) == 0.0);
}

// ---- Reading at points, other grids --------------------------------------------------------------

static TarnTerrain* from_function(int nx, int nz, float dx, TarnVec2 origin,
                                  double (*fn)(double, double))
{
    float* heights = malloc((size_t)nx * (size_t)nz * sizeof(float));
    for (int c = 0; c < nx * nz; ++c)
        heights[c] = (float)fn(origin.x + (c % nx + 0.5) * dx, origin.y + (c / nx + 0.5) * dx);
    TarnTerrain* terrain;
    TarnView2 view = { heights, nx, nz, nx };
    assert_int_equal(tarn_terrain_create_from(ctx, view, dx, origin, &terrain), TARN_OK);
    free(heights);
    return terrain;
}

static double plane(double x, double z)
{
    return 1.0 + 0.5 * x - 0.25 * z;
}
static double parabola(double x, double z)
{
    return 0.1 * x * x - 0.05 * z * z + 0.02 * x * z;
}
static double waves(double x, double z)
{
    return sin(0.5 * x) * cos(0.4 * z);
}

static void samples_lie_between(void** state)
{
    (void)state;
    TarnTerrain* terrain = from_function(20, 12, 0.5f, (TarnVec2){ -2.0f, 3.0f }, plane);
    TarnView2 v = tarn_terrain_heights(terrain);
    for (int c = 0; c < 240; ++c) { // at the centers the heights themselves
        float x = -2.0f + ((float)(c % 20) + 0.5f) * 0.5f,
              z = 3.0f + ((float)(c / 20) + 0.5f) * 0.5f;
        assert_true(tarn_terrain_sample(terrain, x, z) == v.data[c]);
        assert_true(tarn_terrain_sample_smooth(terrain, x, z) == v.data[c]);
        assert_true(tarn_terrain_ground(x, z, terrain) == v.data[c]);
        assert_true(tarn_terrain_smooth_ground(x, z, terrain) == v.data[c]);
    }
    for (int n = 0; n < 1000; ++n) {
        float x = -1.7f + 9.3f * tarn__random01(1, 1, (uint64_t)n);
        float z = 3.3f + 5.3f * tarn__random01(1, 2, (uint64_t)n);
        assert_true(fabs(tarn_terrain_sample(terrain, x, z) - plane(x, z)) < 1e-5);
    }
    // Outside as at the border; what is no number is the low corner.
    assert_true(tarn_terrain_sample(terrain, -1e9f, 3.25f) == v.data[0]);
    assert_true(tarn_terrain_sample(terrain, 1e30f, INFINITY) == v.data[239]);
    assert_true(tarn_terrain_sample(terrain, NAN, NAN) == v.data[0]);
    assert_true(tarn_terrain_sample_smooth(terrain, NAN, 1e30f) == v.data[220]);
    assert_true(tarn_terrain_sample(NULL, 0.0f, 0.0f) == 0.0f);
    tarn_terrain_destroy(terrain);

    terrain = from_function(20, 12, 0.5f, (TarnVec2){ -2.0f, 3.0f }, parabola);
    for (int n = 0; n < 1000; ++n) { // cubics go through parabolas exactly, away from the border
        float x = -1.1f + 8.0f * tarn__random01(1, 3, (uint64_t)n);
        float z = 3.9f + 4.1f * tarn__random01(1, 4, (uint64_t)n);
        assert_true(fabs(tarn_terrain_sample_smooth(terrain, x, z) - parabola(x, z)) < 1e-5);
    }
    tarn_terrain_destroy(terrain);
}

static double mean_of(const TarnTerrain* terrain)
{
    TarnView2 v = tarn_terrain_heights(terrain);
    double sum = 0.0;
    for (int c = 0; c < v.nx * v.nz; ++c) sum += v.data[c];
    return sum / (v.nx * v.nz);
}

static void resampling_keeps_the_ground(void** state)
{
    (void)state;
    TarnVec2 o = { 1.0f, -2.0f };
    TarnTerrain *terrain = from_function(64, 48, 0.25f, o, waves), *other;
    assert_int_equal(tarn_terrain_resample(terrain, 64, 48, 0.25f, o, &other), TARN_OK);
    assert_true(hash_of(other) == hash_of(terrain)); // the same grid: the same bits
    tarn_terrain_destroy(other);
    assert_int_equal(tarn_terrain_resample(terrain, 16, 12, 1.0f, o, &other), TARN_OK);
    assert_true(fabs(mean_of(other) - mean_of(terrain)) < 1e-6); // coarser: the mean stays
    tarn_terrain_destroy(other);
    assert_int_equal(tarn_terrain_resample(terrain, 256, 192, 0.0625f, o, &other), TARN_OK);
    TarnView2 v = tarn_terrain_heights(other);
    double worst = 0.0;
    for (int k = 12; k < 180; ++k)
        for (int i = 12; i < 244; ++i)
            worst = fmax(worst, fabs(v.data[i + 256 * k] -
                                     waves(1.0 + (i + 0.5) * 0.0625, -2.0 + (k + 0.5) * 0.0625)));
    assert_true(worst < 1e-4); // finer: smooth
    tarn_terrain_destroy(other);
    assert_int_equal(tarn_terrain_resample(terrain, 1, 48, 0.25f, o, &other), TARN_ERR_ARG);
    assert_int_equal(tarn_terrain_resample(terrain, 64, 20000, 0.25f, o, &other), TARN_ERR_ARG);
    assert_int_equal(tarn_terrain_resample(terrain, 64, 48, NAN, o, &other), TARN_ERR_ARG);
    assert_int_equal(tarn_terrain_resample(terrain, 64, 48, 1.0f, (TarnVec2){ NAN, 0 }, &other),
                     TARN_ERR_ARG);
    assert_null(other);
    assert_int_equal(tarn_terrain_resample(NULL, 64, 48, 1.0f, o, &other), TARN_ERR_ARG);
    tarn_terrain_destroy(terrain);
}

static void copies_check_their_heights(void** state)
{
    (void)state;
    float heights[8 * 5];
    TarnTerrain* terrain;
    TarnView2 view = { heights, 6, 5, 8 }; // rows are longer than what is looked at
    for (int c = 0; c < 40; ++c) heights[c] = c % 8 < 6 ? (float)c : NAN;
    assert_int_equal(tarn_terrain_create_from(ctx, view, 1.0f, (TarnVec2){ 0, 0 }, &terrain),
                     TARN_OK);
    assert_true(tarn_terrain_heights(terrain).data[6 * 4 + 5] == 37.0f);
    tarn_terrain_destroy(terrain);
    static const float wrong[] = { 1.1e5f, -INFINITY, NAN };
    for (int w = 0; w < 3; ++w) {
        heights[8 * 3 + 2] = wrong[w];
        assert_int_equal(tarn_terrain_create_from(ctx, view, 1.0f, (TarnVec2){ 0, 0 }, &terrain),
                         TARN_ERR_DATA);
        assert_null(terrain);
        assert_non_null(strstr(tarn_last_error(ctx), "row 3"));
    }
    view.data = NULL;
    assert_int_equal(tarn_terrain_create_from(ctx, view, 1.0f, (TarnVec2){ 0, 0 }, &terrain),
                     TARN_ERR_ARG);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_kind_is_made),
        TEST(workers_do_not_matter),
        TEST(ground_stays_under_a_window),
        TEST(seeds_differ),
        TEST(bad_defs_are_refused),
        TEST(any_def_gives_finite_ground),
        TEST(plain_shapes_are_exact),
        TEST(a_crater_has_rim_and_floor),
        TEST(a_river_runs_down_in_its_channel),
        TEST(a_beach_rises_out_of_the_sea),
        TEST(islands_and_basins_hold),
        TEST(noise_is_smooth_and_centered),
        TEST(samples_lie_between),
        TEST(resampling_keeps_the_ground),
        TEST(copies_check_their_heights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
