// compare_pictures: do two pictures look the same?
//
//     compare_pictures PICTURE REFERENCE [--mean D] [--most D] [--tile D] [--show FILE.png]
//
// Prints how far apart they are, in steps of color of which 2 are just seen (picture.h). Exit code 0: within
// the limits, 1: not, and --show has the picture, the reference and where they differ side by side;
// 2: cannot be read.

#include "picture.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Limits {
    double mean, most, tile;
    const char* show;
} Limits;

static bool parse(int argc, char** argv, Limits* out)
{
    *out = (Limits){ .mean = 0.5, .most = 3.0, .tile = 4.0 };
    for (int i = 3; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--mean") == 0)
            out->mean = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--most") == 0)
            out->most = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--tile") == 0)
            out->tile = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--show") == 0)
            out->show = argv[i + 1];
        else
            return false;
    }
    return argc >= 3 && argc % 2 == 1;
}

// Black where they agree, red to white where they do not.
static void paint(float distance, uint8_t* rgb)
{
    float x = distance / 20.0f;
    for (int c = 0; c < 3; ++c) {
        float y = 3.0f * x - (float)c;
        rgb[c] = (uint8_t)(255.0f * (y < 0.0f ? 0.0f : y > 1.0f ? 1.0f : y));
    }
}

static bool show(const char* path, const Picture* a, const Picture* b, const float* distance)
{
    Picture out = { 3 * a->width, a->height, NULL };
    size_t row = 3 * (size_t)a->width;
    out.rgb = malloc(3 * row * (size_t)a->height);
    if (!out.rgb) return false;
    for (int y = 0; y < a->height; ++y) {
        uint8_t* to = out.rgb + 3 * row * (size_t)y;
        memcpy(to, a->rgb + row * (size_t)y, row);
        memcpy(to + row, b->rgb + row * (size_t)y, row);
        for (int x = 0; x < a->width; ++x)
            paint(distance[x + a->width * y], to + 2 * row + 3 * (size_t)x);
    }
    bool is_good = picture_save(path, &out);
    picture_free(&out);
    return is_good;
}

static int compare(const Picture* a, const Picture* b, const Limits* limits)
{
    if (a->width != b->width || a->height != b->height) {
        printf("%d x %d and %d x %d\n", a->width, a->height, b->width, b->height);
        return 1;
    }
    Look x = { 0 }, y = { 0 };
    Difference d = { 0 };
    float* distance = malloc((size_t)a->width * (size_t)a->height * sizeof *distance);
    bool is_good =
        distance && look_create(a, &x) && look_create(b, &y) && look_compare(&x, &y, distance, &d);
    look_free(&x);
    look_free(&y);
    bool is_same = d.mean <= limits->mean && d.most <= limits->most && d.tile <= limits->tile;
    if (is_good)
        printf("mean %.3f (%g), 99 %% below %.2f (%g), worst tile %.2f (%g) at %d, %d\n", d.mean,
               limits->mean, d.most, limits->most, d.tile, limits->tile, d.tile_x, d.tile_y);
    else
        fprintf(stderr, "no memory\n");
    if (is_good && !is_same && limits->show) is_good = show(limits->show, a, b, distance);
    free(distance);
    return !is_good ? 2 : is_same ? 0 : 1;
}

int main(int argc, char** argv)
{
    Limits limits;
    if (!parse(argc, argv, &limits)) {
        fprintf(stderr,
                "usage: compare_pictures PICTURE REFERENCE [--mean D] [--most D] [--tile D] "
                "[--show FILE.png]\n");
        return 2;
    }
    Picture a = { 0 }, b = { 0 };
    int code =
        picture_load(argv[1], &a) && picture_load(argv[2], &b) ? compare(&a, &b, &limits) : 2;
    picture_free(&a);
    picture_free(&b);
    return code;
}
