// Pictures for tests, through stb.

#include "picture.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wall"
#pragma GCC diagnostic ignored "-Wextra"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#endif
#define STBI_ONLY_PNG
#define STBI_ONLY_PNM
#define STB_IMAGE_IMPLEMENTATION
#include <stb/stb_image.h>
#define STB_IMAGE_WRITE_IMPLEMENTATION
#include <stb/stb_image_write.h>
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

bool picture_load(const char* path, Picture* out)
{
    *out = (Picture){ 0 };
    out->rgb = stbi_load(path, &out->width, &out->height, NULL, 3);
    if (out->rgb) return true;
    fprintf(stderr, "%s: %s\n", path, stbi_failure_reason());
    return false;
}

bool picture_save(const char* path, const Picture* p)
{
    if (stbi_write_png(path, p->width, p->height, 3, p->rgb, 3 * p->width)) return true;
    fprintf(stderr, "%s: cannot be written\n", path);
    return false;
}

void picture_free(Picture* p)
{
    free(p->rgb);
    *p = (Picture){ 0 };
}

// ---- Colors --------------------------------------------------------------------------------------

static float linear_of(uint8_t byte) // of sRGB
{
    float x = (float)byte / 255.0f;
    return x <= 0.04045f ? x / 12.92f : powf((x + 0.055f) / 1.055f, 2.4f);
}

static float lab_curve(float t)
{
    return t > 0.008856f ? cbrtf(t) : 7.787f * t + 16.0f / 116.0f;
}

static void lab_of(const float rgb[3], float lab[3]) // of linear sRGB, white is that of daylight
{
    float x = (0.4124f * rgb[0] + 0.3576f * rgb[1] + 0.1805f * rgb[2]) / 0.9505f;
    float y = 0.2126f * rgb[0] + 0.7152f * rgb[1] + 0.0722f * rgb[2];
    float z = (0.0193f * rgb[0] + 0.1192f * rgb[1] + 0.9505f * rgb[2]) / 1.089f;
    float fx = lab_curve(x), fy = lab_curve(y), fz = lab_curve(z);
    lab[0] = 116.0f * fy - 16.0f;
    lab[1] = 500.0f * (fx - fy);
    lab[2] = 200.0f * (fy - fz);
}

// A binomial filter over five pixels along a line; what lies beyond is as its end.
static void blur_line(const float* from, float* to, int n, int stride)
{
    static const float weights[5] = { 1 / 16.0f, 4 / 16.0f, 6 / 16.0f, 4 / 16.0f, 1 / 16.0f };
    for (int i = 0; i < n; ++i)
        for (int c = 0; c < 3; ++c) {
            float sum = 0.0f;
            for (int k = -2; k <= 2; ++k) {
                int j = i + k < 0 ? 0 : i + k >= n ? n - 1 : i + k;
                sum += weights[k + 2] * from[stride * j + c];
            }
            to[stride * i + c] = sum;
        }
}

bool look_create(const Picture* p, Look* out)
{
    size_t n = (size_t)p->width * (size_t)p->height * 3;
    *out = (Look){ p->width, p->height, malloc(n * sizeof(float)) };
    float* work = malloc(n * sizeof *work);
    if (!out->lab || !work) {
        free(work);
        look_free(out);
        return false;
    }
    float table[256];
    for (int i = 0; i < 256; ++i) table[i] = linear_of((uint8_t)i);
    for (size_t i = 0; i < n; ++i) out->lab[i] = table[p->rgb[i]];
    for (int y = 0; y < p->height; ++y)
        blur_line(out->lab + 3 * p->width * y, work + 3 * p->width * y, p->width, 3);
    for (int x = 0; x < p->width; ++x)
        blur_line(work + 3 * x, out->lab + 3 * x, p->height, 3 * p->width);
    for (size_t i = 0; i < n; i += 3) {
        const float rgb[3] = { out->lab[i], out->lab[i + 1], out->lab[i + 2] };
        lab_of(rgb, out->lab + i);
    }
    free(work);
    return true;
}

void look_free(Look* look)
{
    free(look->lab);
    *look = (Look){ 0 };
}

// ---- Differences ---------------------------------------------------------------------------------

static void worst_tile(const float* distance, int width, int height, Difference* out)
{
    for (int y = 0; y < height;
         y += TILE / 2) // half overlapping, so that no thing falls between two
        for (int x = 0; x < width; x += TILE / 2) {
            double sum = 0.0;
            int n = 0;
            for (int b = y; b < y + TILE && b < height; ++b)
                for (int a = x; a < x + TILE && a < width; ++a, ++n)
                    sum += (double)distance[a + width * b];
            if (n == 0 || sum / n <= out->tile) continue;
            out->tile = sum / n;
            out->tile_x = x, out->tile_y = y;
        }
}

static int by_value(const void* a, const void* b)
{
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

bool look_compare(const Look* a, const Look* b, float* distance, Difference* out)
{
    *out = (Difference){ 0 };
    if (a->width != b->width || a->height != b->height) return false;
    size_t n = (size_t)a->width * (size_t)a->height;
    float* own = malloc(n * sizeof *own);
    if (!own) return false;
    double sum = 0.0;
    for (size_t i = 0; i < n; ++i) {
        float l = a->lab[3 * i] - b->lab[3 * i], u = a->lab[3 * i + 1] - b->lab[3 * i + 1];
        float v = a->lab[3 * i + 2] - b->lab[3 * i + 2];
        own[i] = sqrtf(l * l + u * u + v * v);
        sum += (double)own[i];
    }
    if (distance) memcpy(distance, own, n * sizeof *own);
    out->mean = sum / (double)n;
    worst_tile(own, a->width, a->height, out);
    qsort(own, n, sizeof *own, by_value);
    out->most = (double)own[n * 99 / 100];
    free(own);
    return true;
}
