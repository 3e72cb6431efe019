// Shaded relief as on maps: one sun from the upper left, a little sky light from
// all around, green lowlands to white summits.

#include "shade.h"
#include <math.h>

typedef struct Rgb {
    double r, g, b;
} Rgb;

static Rgb mix(Rgb a, Rgb b, double t)
{
    t = fmin(fmax(t, 0.0), 1.0);
    return (Rgb){ a.r + t * (b.r - a.r), a.g + t * (b.g - a.g), a.b + t * (b.b - a.b) };
}

static Rgb tint(double t) // of a height between the lowest, 0, and the highest, 1
{
    static const Rgb stops[] = { { 0.52, 0.62, 0.45 }, { 0.70, 0.73, 0.52 }, { 0.82, 0.75, 0.56 },
                                 { 0.72, 0.60, 0.47 }, { 0.76, 0.72, 0.69 }, { 0.96, 0.96, 0.97 } };
    double at = fmin(fmax(t, 0.0), 1.0) * 5.0;
    int i = at < 4.0 ? (int)at : 4;
    return mix(stops[i], stops[i + 1], at - i);
}

PixelSize shade_size(const TarnTerrain* terrain)
{
    TarnView2 v = tarn_terrain_heights(terrain);
    double longer = v.nx > v.nz ? v.nx : v.nz;
    double scale = longer < 256.0 ? ceil(256.0 / longer) : longer > 2048.0 ? 2048.0 / longer : 1.0;
    int width = (int)(v.nx * scale), height = (int)(v.nz * scale);
    return (PixelSize){ width > 1 ? width : 1, height > 1 ? height : 1 };
}

void shade_terrain(const TarnTerrain* terrain, bool has_water, double level, PixelSize size,
                   uint8_t* rgb)
{
    TarnView2 v = tarn_terrain_heights(terrain);
    TarnVec2 origin = tarn_terrain_origin(terrain);
    float dx = tarn_terrain_dx(terrain), low, high;
    tarn_terrain_range(terrain, &low, &high);
    double range = fmax((double)high - (double)low, 1e-9);
    if (has_water && level > low) low = (float)fmin(level, high);
    double step_x = (double)dx * v.nx / size.width, step_z = (double)dx * v.nz / size.height;
    for (int p = 0; p < size.width * size.height; ++p) {
        float x = origin.x + (float)((p % size.width + 0.5) * step_x);
        float z = origin.y + (float)((p / size.width + 0.5) * step_z);
        float h = (float)(0.5 * fmax(step_x, (double)dx)); // slopes over a cell at least
        double y = tarn_terrain_sample_smooth(terrain, x, z);
        double gx = ((double)tarn_terrain_sample_smooth(terrain, x + h, z) -
                     (double)tarn_terrain_sample_smooth(terrain, x - h, z)) /
                    (2.0 * h);
        double gz = ((double)tarn_terrain_sample_smooth(terrain, x, z + h) -
                     (double)tarn_terrain_sample_smooth(terrain, x, z - h)) /
                    (2.0 * h);
        // Sun at 45 degrees over the north west; z points south.
        double sun = (0.5 * gx + 0.5 * gz + 0.7071) / sqrt(1.0 + gx * gx + gz * gz);
        double light = 0.32 + 0.95 * fmax(sun, 0.0);
        Rgb color = tint((y - low) / fmax((double)high - low, 0.05 * range));
        if (has_water && y < level) {
            double deep = 1.0 - exp(-(level - y) / (0.08 * range));
            Rgb water = mix((Rgb){ 0.45, 0.68, 0.76 }, (Rgb){ 0.10, 0.28, 0.46 }, deep);
            color = mix(color, water, 0.55 + 0.4 * deep);
            light = 1.0 + (light - 1.0) * (0.5 - 0.3 * deep);
        }
        const double c[3] = { color.r * light, color.g * light, color.b * light };
        for (int n = 0; n < 3; ++n)
            rgb[3 * p + n] = (uint8_t)(fmin(fmax(c[n], 0.0), 1.0) * 255.0 + 0.5);
    }
}
