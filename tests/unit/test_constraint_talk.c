// The kernel of the talk, w = 1 - d: a lattice at rest is at rest, walls count as liquid, pools stand.

#include "liquid_common.h"
#include "liquid/constraint_talk.h"

// Against sums over small pieces of the half space.
static void test_walls(void** state)
{
    (void)state;
    enum { N = 400 };
    for (int dims = 2; dims <= 3; ++dims) {
        for (int i = 0; i < 10; ++i) {
            double a = 0.1 * i, sum = 0.0, h = (1.0 - a) / N;
            for (int k = 0; k < N; ++k) { // slices parallel to the plane
                double x = a + (k + 0.5) * h, edge = sqrt(1.0 - x * x), slice = 0.0, dy = edge / N;
                for (int j = 0; j < N; ++j) {
                    double y = (j + 0.5) * dy, w = 1.0 - sqrt(x * x + y * y);
                    slice += w * dy * (dims == 2 ? 2.0 : 2.0 * pi * y);
                }
                sum += slice * h;
            }
            float slope, more, less, none, share = constraint_talk_share(dims, (float)a, &slope);
            assert_true(fabs((double)share - sum / constraint_talk_integral) < 2e-4);
            if (i == 0) continue;
            more = constraint_talk_share(dims, (float)a + 0.01f, &none);
            less = constraint_talk_share(dims, (float)a - 0.01f, &none);
            assert_true(fabsf(slope - (more - less) / 0.02f) < 2e-3f);
        }
    }
}

static TarnLiquid* make_pool(int dims, int kernel)
{
    TarnLiquidDef def = tank_def(dims);
    def.kernel = kernel;
    TarnLiquid* l = make_liquid(ctx, &def);
    fill_box(l, def.box_min, (TarnVec3){ 1.0f, dims == 2 ? 0.6f : 0.3f, 1.0f });
    return l;
}

static double mean_height(const TarnLiquid* l)
{
    double sum = 0.0;
    for (int p = 0; p < l->n; ++p) sum += (double)l->y[p];
    return sum / l->n;
}

static void test_pool(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        TarnLiquid* l = make_pool(dims, TARN_LIQUID_KERNEL_TALK);
        double before = mean_height(l);
        step_liquid(l, 1e-4f); // as it was filled
        double first = tarn_liquid_stats(l).mean_compression;
        print_message("%d-D: as filled %.3f\n", dims, first);
        assert_true(first < (dims == 2 ? 0.01 : 0.05));
        run_liquid(l, 240);
        assert_sane_liquid(l);
        TarnLiquidStats stats = tarn_liquid_stats(l);
        print_message("%d-D: height %.3f, compressed %.3f, fastest %.2f m/s\n", dims,
                      mean_height(l) / before, stats.mean_compression, stats.max_speed);
        assert_true(mean_height(l) > 0.85 * before && mean_height(l) < 1.05 * before);
        assert_true(stats.mean_compression < 0.1);
        tarn_liquid_destroy(l);
    }
}

// It is another kernel: the same pool goes another way. And it is refused where there is none such.
static void test_choice(void** state)
{
    (void)state;
    uint64_t hash[2];
    for (int kernel = 0; kernel < 2; ++kernel) {
        TarnLiquid* l = make_pool(2, kernel);
        run_liquid(l, 2);
        hash[kernel] = tarn_liquid_hash(l);
        tarn_liquid_destroy(l);
    }
    assert_true(hash[0] != hash[1]);
    TarnLiquidDef def = tank_def(2);
    def.kernel = 2;
    TarnLiquid* l;
    assert_result(tarn_liquid_create(ctx, &def, &l), TARN_ERR_ARG, "kernel");
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_walls), TEST(test_pool), TEST(test_choice) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
