// What is drawn is what a query answers: the renderer's samples against tarn_surface_query.

#include "render/renderer.h"
#include "tarn/tarn.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <cmocka.h>

static void check_grid(TarnContext* ctx, int nx, int nz, int expected_fine)
{
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = nx;
    def.nz = nz;
    def.origin = (TarnVec2){ -3.0f, 2.0f };
    TarnWave* wave;
    assert_int_equal(tarn_wave_create(ctx, &def, &wave), TARN_OK);
    TarnVec2 center = { -3.0f + 0.4f * (float)nx * def.dx, 2.0f + 0.6f * (float)nz * def.dx };
    tarn_wave_add_drop(wave, center, 0.5f, 0.2f);
    for (int n = 0; n < 30; ++n) tarn_wave_step(wave, 1.0f / 60.0f, NULL);

    TarnFrameWater water = { .height = tarn_wave_height(wave),
                             .origin = def.origin,
                             .dx = def.dx,
                             .bed_level = -def.depth };
    Field field = { 0 };
    assert_int_equal(tarn__field_resize(ctx, &field, nx, nz), TARN_OK);
    assert_int_equal(field.fine, expected_fine);
    tarn__field_update(&field, &water);
    float worst = 0.0f, high = 0.0f;
    for (int k = 0; k < field.nz; ++k) {
        for (int i = 0; i < field.nx; ++i) {
            float x = def.origin.x + ((float)i + 0.5f) * def.dx / (float)field.fine;
            float z = def.origin.y + ((float)k + 0.5f) * def.dx / (float)field.fine;
            float asked = tarn_surface_height(tarn_wave_surface(wave), x, z);
            worst = fmaxf(worst, fabsf(asked - field.surface[4 * (i + field.nx * k)]));
            high = fmaxf(high, fabsf(asked));
        }
    }
    assert_true(high > 1e-3f);
    assert_true(worst < 1e-4f * high);
    tarn__field_free(ctx, &field);
    tarn_wave_destroy(wave);
}

static void test_drawn_is_asked(void** state)
{
    (void)state;
    TarnContext* ctx;
    TarnContextDef def = tarn_context_default_def();
    assert_int_equal(tarn_context_create(&def, &ctx), TARN_OK);
    check_grid(ctx, 512, 300, 1);
    check_grid(ctx, 128, 128, 4);
    check_grid(ctx, 40, 64, 8);
    tarn_context_destroy(ctx);
}

// The last channel of the bed falls from 1 at a wall to 0 within a few cells, also over a flat floor.
static void test_foam_knows_walls(void** state)
{
    (void)state;
    TarnContext* ctx;
    TarnContextDef def = tarn_context_default_def();
    assert_int_equal(tarn_context_create(&def, &ctx), TARN_OK);
    enum { N = 32 };
    static float height[N * N];
    static uint8_t is_wall[N * N];
    is_wall[16 + N * 16] = 1;
    TarnFrameWater water = {
        .height = { height, N, N, N }, .dx = 1.0f, .bed_level = -2.0f, .is_wall = is_wall
    };
    Field field = { 0 };
    assert_int_equal(tarn__field_resize(ctx, &field, N, N), TARN_OK);
    tarn__field_update(&field, &water);
    float last = 2.0f;
    for (int cell = 16; cell < 24; ++cell) {
        int i = cell * field.fine + field.fine / 2, k = 16 * field.fine + field.fine / 2;
        const float* bed = field.bed + 4 * (i + field.nx * k);
        assert_true(bed[0] == -2.0f);
        assert_true(bed[3] <= last && bed[3] >= 0.0f);
        if (cell == 16) assert_true(bed[3] > 0.6f);
        if (cell > 22) assert_true(bed[3] < 0.01f);
        last = bed[3];
    }
    tarn__field_free(ctx, &field);
    tarn_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drawn_is_asked),
        cmocka_unit_test(test_foam_knows_walls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
