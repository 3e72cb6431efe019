// Two substeps in one pass give the same bits as one by one, for every kind of edge and ground.

#include "test_common.h"

static uint64_t run(int workers, TarnWaveDef def, int per_step)
{
    TarnContext* where = make_context(workers, TARN_ISA_AUTO);
    TarnWave* wave;
    assert_int_equal(tarn_wave_create(where, &def, &wave), TARN_OK);
    const float each = 0.5f * wave->stable_dt;
    for (int n = 0; n < 24; n += per_step) { // through three checks for calm
        TarnStepReport report;
        assert_int_equal(tarn_wave_step(wave, 1.6f * each * (float)per_step, &report), TARN_OK);
        assert_int_equal(report.substeps, per_step);
    }
    uint64_t hash = tarn_wave_hash(wave);
    tarn_wave_destroy(wave);
    tarn_context_destroy(where);
    return hash;
}

static void test_pairs(void** state)
{
    (void)state;
    enum { NX = 1024, NZ = 1037 }; // the last block is cut, the last row of tiles too
    float* height = malloc(NX * NZ * sizeof(float));
    uint8_t* wall = calloc(NX * NZ, 1);
    for (int c = 0; c < NX * NZ; ++c) {
        height[c] = uniform(-0.1f, 0.1f);
        wall[c] = c % 997 == 0 || (c % NX > 300 && c % NX < 400 && c / NX > 200 && c / NX < 260);
    }
    for (int n = 0; n < 4 * 2 * 2; n += is_short_run() ? 5 : 1) {
        TarnWaveDef def = tarn_wave_default_def();
        def.nx = NX;
        def.nz = NZ;
        def.speed = 2.0f;
        def.sleep_speed = 0.0f;
        def.height = height;
        def.edge_x0 = def.edge_x1 = n % 4;
        def.edge_z0 = def.edge_z1 = (n + n / 4) % 4;
        def.laplacian = n / 4 % 2;
        if (n / 8) def.wall = wall;
        uint64_t one_by_one = run(1, def, 1);
        assert_true(run(1, def, 2) == one_by_one);
        assert_true(run(3, def, 4) == one_by_one);
    }
    free(wall);
    free(height);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_pairs) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
