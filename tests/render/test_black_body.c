// The color of heat: chromaticities of black bodies as published, the white point, and luminance.

#include "render/renderer.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static float luminance_of(TarnVec3 c)
{
    return 0.2126f * c.x + 0.7152f * c.y + 0.0722f * c.z;
}

// The Planckian locus for the CIE 1931 observer, to four places.
static void test_chromaticities(void** state)
{
    (void)state;
    static const float published[][3] = {
        { 1000, 0.6528f, 0.3444f }, { 1500, 0.5857f, 0.3931f }, { 2000, 0.5267f, 0.4133f },
        { 2500, 0.4770f, 0.4137f }, { 3000, 0.4369f, 0.4041f }, { 3500, 0.4053f, 0.3907f },
        { 4000, 0.3805f, 0.3768f }, { 5000, 0.3451f, 0.3516f }, { 6000, 0.3221f, 0.3318f },
        { 6500, 0.3135f, 0.3237f },
    };
    for (size_t i = 0; i < sizeof published / sizeof *published; ++i) {
        TarnVec2 c = tarn__planckian_xy(published[i][0]);
        assert_true(fabsf(c.x - published[i][1]) < 3e-4f);
        assert_true(fabsf(c.y - published[i][2]) < 3e-4f);
    }
}

static void test_white_point(void** state)
{
    (void)state;
    TarnVec3 white = tarn__black_body(3200.0f), day = tarn__black_body(6500.0f);
    assert_true(fabsf(white.x / white.y - 1.0f) < 0.002f);
    assert_true(fabsf(white.z / white.y - 1.0f) < 0.002f);
    assert_true(day.z > 2.0f * day.x); // beside lamps daylight is blue
}

// From red over orange to yellow: blue is never more than green, which would be pink.
static void test_flames(void** state)
{
    (void)state;
    for (float k = 700.0f; k < 3100.0f; k += 50.0f) {
        TarnVec3 c = tarn__black_body(k);
        assert_true(c.x > c.y && c.y >= c.z && c.z >= 0.0f);
    }
    TarnVec3 fire = tarn__black_body(1500.0f);
    assert_true(fire.x > 4.0f * fire.y && fire.y > 4.0f * fire.z); // orange
}

static void test_luminance(void** state)
{
    (void)state;
    float before = 0.0f, blue = 0.0f;
    for (float k = 800.0f; k < 5000.0f; k += 100.0f) {
        TarnVec3 c = tarn__black_body(k);
        assert_true(luminance_of(c) > before && c.z / c.x >= blue);
        before = luminance_of(c), blue = c.z / c.x;
    }
    assert_true(fabsf(luminance_of(tarn__black_body(1500.0f)) - 1.0f) < 0.001f);
    const float dark[] = { 0.0f, -5.0f, 500.0f, NAN };
    for (int i = 0; i < 4; ++i) assert_true(vec3_length(tarn__black_body(dark[i])) == 0.0f);
    assert_true(vec3_is_finite(tarn__black_body(INFINITY)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chromaticities),
        cmocka_unit_test(test_white_point),
        cmocka_unit_test(test_flames),
        cmocka_unit_test(test_luminance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
