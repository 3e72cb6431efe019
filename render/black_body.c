// The color of hot matter.
//
// Method   Planck's law times the color matching functions of the eye, summed over the visible light, to
//          linear sRGB. The functions are lobes of our own, each a bell with two widths, laid through the
//          CIE 1931 values at their peaks and halves.
// Differs  from nature: luminance goes with T^4 only. That of a black body grows by 10^4 from 1000 to 2000 K,
//          which no picture can show.
// Checked  tests/render/test_gas.c: chromaticity at 2000 and 6500 K, hotter is brighter and bluer.

#include "liquids.h"

static double bell(double x, double middle, double left, double right)
{
    double t = (x - middle) / (x < middle ? left : right);
    return exp(-0.5 * t * t);
}

static double planck(double nm, double kelvin) // relative
{
    double x = 1.4388e7 / (nm * kelvin), u = 560.0 / nm;
    return u * u * u * u * u / expm1(fmin(x, 600.0));
}

TarnVec3 tarn__black_body(float kelvin)
{
    if (!(kelvin > 300.0f)) return vec3(0, 0, 0); // NaN too
    double k = fmin((double)kelvin, 20000.0), x = 0.0, y = 0.0, z = 0.0, area[3] = { 0 };
    for (double nm = 385.0; nm < 750.0; nm += 5.0) {
        double p = planck(nm, k);
        double red = bell(nm, 599.0, 36.6, 31.4) + 0.33 * bell(nm, 445.0, 18.0, 22.0);
        double green = bell(nm, 557.0, 40.0, 44.4), blue = bell(nm, 446.0, 18.2, 27.2);
        x += p * red, y += p * green, z += p * blue;
        area[0] += red, area[1] += green, area[2] += blue;
    }
    if (!(y > 0.0)) return vec3(0, 0, 0);
    x *= area[1] / (area[0] * y), z *= area[1] / (area[2] * y); // white light: 1, 1, 1
    double r = 3.2406 * x - 1.5372 - 0.4986 * z;
    double g = -0.9689 * x + 1.8758 + 0.0415 * z;
    double b = 0.0557 * x - 0.2040 + 1.0570 * z;
    r = fmax(r, 0.0), g = fmax(g, 0.0), b = fmax(b, 0.0);
    double luminance = 0.2126 * r + 0.7152 * g + 0.0722 * b, t = k / 1500.0;
    const double white = 0.10; // an eye or a camera sees what is far too bright as white
    r += white * luminance, g += white * luminance, b += white * luminance;
    luminance *= 1.0 + white;
    double seen = smoothf(600.0f, 1150.0f, (float)k), scale = t * t * t * t * seen / luminance;
    return vec3((float)(r * scale), (float)(g * scale), (float)(b * scale));
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
