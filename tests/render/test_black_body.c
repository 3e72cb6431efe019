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

// The Planckian locus for the CIE 1931 observer, to four places. 2856 K is standard illuminant A, whose chromaticity the CIE
// states itself (CIE 15:2004, table T.3); 3200 K is the white of tungsten film.
static void test_chromaticities(void** state)
{
    (void)state;
    static const float published[][3] = {
        { 1000, 0.6528f, 0.3444f }, { 1600, 0.5732f, 0.3993f },   { 2000, 0.5267f, 0.4133f },
        { 2400, 0.4862f, 0.4147f }, { 2856, 0.44757f, 0.40745f }, { 3000, 0.4369f, 0.4041f },
        { 3200, 0.4234f, 0.3990f }, { 3600, 0.3999f, 0.3879f },   { 4200, 0.3720f, 0.3714f },
        { 5200, 0.3397f, 0.3472f }, { 6500, 0.3135f, 0.3237f },
    };
    for (size_t i = 0; i < sizeof published / sizeof *published; ++i) {
        TarnVec2 c = tarn__planckian_xy(published[i][0]);
        assert_true(fabsf(c.x - published[i][1]) < 2e-4f);
        assert_true(fabsf(c.y - published[i][2]) < 2e-4f);
    }
}

// A. R. Robertson, Computation of correlated color temperature and distribution temperature, J. Opt. Soc. Am. 58 (1968),
// table 1: u and v of the CIE 1960 diagram, by the reciprocal temperature in 1/MK.
static void test_robertson(void** state)
{
    (void)state;
    static const float locus[][3] = {
        { 100, 0.19032f, 0.29326f }, { 150, 0.19962f, 0.30921f }, { 200, 0.21142f, 0.32312f },
        { 250, 0.22511f, 0.33439f }, { 300, 0.24010f, 0.34308f }, { 350, 0.25591f, 0.34951f },
        { 400, 0.27218f, 0.35407f }, { 450, 0.28863f, 0.35714f }, { 500, 0.30505f, 0.35907f },
        { 550, 0.32129f, 0.36011f }, { 600, 0.33724f, 0.36051f },
    };
    for (size_t i = 0; i < sizeof locus / sizeof *locus; ++i) {
        TarnVec2 c = tarn__planckian_xy(1e6f / locus[i][0]);
        float below = 12.0f * c.y - 2.0f * c.x + 3.0f;
        assert_true(fabsf(4.0f * c.x / below - locus[i][1]) < 1e-4f);
        assert_true(fabsf(6.0f * c.y / below - locus[i][2]) < 1e-4f);
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
        cmocka_unit_test(test_chromaticities), cmocka_unit_test(test_robertson),
        cmocka_unit_test(test_white_point),    cmocka_unit_test(test_flames),
        cmocka_unit_test(test_luminance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
