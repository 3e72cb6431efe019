// The color of hot matter.
//
// Method   Planck's law times the color matching functions of the CIE 1931 standard observer, summed over the visible
//          light in steps of 10 nm; adapted from the white point below to that of sRGB (D65) as Bradford's cone responses
//          do; then linear sRGB. What sRGB cannot show (reds below 1500 K) loses its negative part; mixed with gray it
//          would be pink.
// White    FLAME_WHITE: a black body of this temperature is white. It is that of film for lamp light. With D65, the white of
//          daylight, all flames are a deep red; an eye that looks into a fire at night does not see them so.
// Differs  from nature: luminance goes with T^4 only. That of a black body grows by 10^4 from 1000 to 2000 K,
//          which no picture can show.
// Sources  color matching functions: CIE 15:2004, table T.4, every second line of it (5 nm), last places rounded. Bradford's
//          matrix, the white of D65 (ASTM E308) and the matrix of sRGB (IEC 61966-2-1) as published.
// Checked  tests/render/test_black_body.c: the locus of Robertson (1968), standard illuminant A, published values from
//          1000 to 6500 K, the white point. Steps of 10 nm are within 2e-4 of them.

#include "liquids.h"

static const double FLAME_WHITE = 3200.0; // [K]

// CIE 1931 2 degree observer: x, y, z from 380 nm on (CIE 15:2004, table T.4).
enum { FIRST_NM = 380, STEP_NM = 10, N_MATCH = 41 };
static const double match[N_MATCH][3] = {
    { 0.001368, 0.000039, 0.00645 },
    { 0.004243, 0.00012, 0.02005 },
    { 0.01431, 0.000396, 0.06785 },
    { 0.04351, 0.00121, 0.2074 },
    { 0.13438, 0.004, 0.6456 },
    { 0.2839, 0.0116, 1.3856 },
    { 0.34828, 0.023, 1.74706 },
    { 0.3362, 0.038, 1.77211 },
    { 0.2908, 0.06, 1.6692 },
    { 0.19536, 0.09098, 1.28764 },
    { 0.09564, 0.13902, 0.81295 },
    { 0.03201, 0.20802, 0.46518 },
    { 0.0049, 0.323, 0.272 },
    { 0.0093, 0.503, 0.1582 },
    { 0.06327, 0.71, 0.07825 },
    { 0.1655, 0.862, 0.04216 },
    { 0.2904, 0.954, 0.0203 },
    { 0.43345, 0.99495, 0.00875 },
    { 0.5945, 0.995, 0.0039 },
    { 0.7621, 0.952, 0.0021 },
    { 0.9163, 0.87, 0.00165 },
    { 1.0263, 0.757, 0.0011 },
    { 1.0622, 0.631, 0.0008 },
    { 1.0026, 0.503, 0.00034 },
    { 0.85445, 0.381, 0.00019 },
    { 0.6424, 0.265, 0.00005 },
    { 0.4479, 0.175, 0.00002 },
    { 0.2835, 0.107, 0 },
    { 0.1649, 0.061, 0 },
    { 0.0874, 0.032, 0 },
    { 0.04677, 0.017, 0 },
    { 0.0227, 0.00821, 0 },
    { 0.011359, 0.004102, 0 },
    { 0.00579, 0.002091, 0 },
    { 0.002899, 0.001047, 0 },
    { 0.00144, 0.00052, 0 },
    { 0.00069, 0.000249, 0 },
    { 0.000332, 0.00012, 0 },
    { 0.000166, 0.00006, 0 },
    { 0.000083, 0.00003, 0 },
    { 0.000042, 0.000015, 0 },
};

typedef struct Triple {
    double v[3];
} Triple;

static Triple times(const double m[3][3], Triple a)
{
    Triple r;
    for (int i = 0; i < 3; ++i) r.v[i] = m[i][0] * a.v[0] + m[i][1] * a.v[1] + m[i][2] * a.v[2];
    return r;
}

// X, Y, Z of a black body, with Y = 1.
static Triple planckian(double kelvin)
{
    Triple sum = { { 0 } };
    for (int i = 0; i < N_MATCH; ++i) {
        double nm = FIRST_NM + STEP_NM * i, x = 1.438777e7 / (nm * kelvin), u = 560.0 / nm;
        double power = u * u * u * u * u / expm1(fmin(x, 600.0));
        for (int k = 0; k < 3; ++k) sum.v[k] += power * match[i][k];
    }
    return (Triple){ { sum.v[0] / sum.v[1], 1.0, sum.v[2] / sum.v[1] } };
}

TarnVec2 tarn__planckian_xy(float kelvin)
{
    Triple c = planckian((double)kelvin);
    double sum = c.v[0] + c.v[1] + c.v[2];
    return (TarnVec2){ (float)(c.v[0] / sum), (float)(c.v[1] / sum) };
}

static Triple adapted(Triple c)
{
    static const double cones[3][3] = { { 0.8951, 0.2664, -0.1614 },
                                        { -0.7502, 1.7135, 0.0367 },
                                        { 0.0389, -0.0685, 1.0296 } };
    static const double back[3][3] = { { 0.9869929, -0.1470543, 0.1599627 },
                                       { 0.4323053, 0.5183603, 0.0492912 },
                                       { -0.0085287, 0.0400428, 0.9684867 } };
    const Triple d65 = { { 0.95047, 1.0, 1.08883 } };
    Triple from = times(cones, planckian(FLAME_WHITE)), to = times(cones, d65);
    c = times(cones, c);
    for (int k = 0; k < 3; ++k) c.v[k] *= to.v[k] / from.v[k];
    return times(back, c);
}

TarnVec3 tarn__black_body(float kelvin)
{
    static const double srgb[3][3] = { { 3.2406, -1.5372, -0.4986 },
                                       { -0.9689, 1.8758, 0.0415 },
                                       { 0.0557, -0.2040, 1.0570 } };
    if (!(kelvin > 300.0f)) return vec3(0, 0, 0); // NaN too
    double k = fmin((double)kelvin, 20000.0);
    Triple c = times(srgb, adapted(planckian(k)));
    for (int i = 0; i < 3; ++i) c.v[i] = fmax(c.v[i], 0.0);
    double luminance = 0.2126 * c.v[0] + 0.7152 * c.v[1] + 0.0722 * c.v[2];
    double t = k / 1500.0, seen = smoothf(600.0f, 1150.0f, (float)k);
    double scale = t * t * t * t * seen / luminance;
    return vec3((float)(c.v[0] * scale), (float)(c.v[1] * scale), (float)(c.v[2] * scale));
}

void tarn__heat_table(TarnVec3 table[HEAT_TEXELS])
{
    for (int i = 0; i < HEAT_TEXELS; ++i)
        table[i] = tarn__black_body(TARN_HOTTEST * (float)i / (HEAT_TEXELS - 1));
}

TarnVec3 tarn__heat_color(const TarnVec3* table, float kelvin)
{
    float x = clampf(kelvin / TARN_HOTTEST, 0.0f, 1.0f) * (HEAT_TEXELS - 1);
    int i = mini((int)x, HEAT_TEXELS - 2);
    float t = x - (float)i;
    return vec3_add(vec3_scale(table[i], 1.0f - t), vec3_scale(table[i + 1], t));
}
