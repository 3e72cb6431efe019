// film_pops: does a film pop or flicker?
//
//     film_pops [--limit R] FRAME.png FRAME.png ...
//
// Between each two frames it measures how much the colors change (picture.h), over the whole picture and in
// tiles of 16 x 16 pixels. Something pops where one change is much larger than those before and after it;
// it flashes where a frame is far from both neighbors, which are near each other. Prints the largest
// ratios of both, and how much all of it flickers: 0.5 moves smoothly, since two steps lead twice as far as
// one; 1 is noise. Exit code 1 if one is above the limit (default: no limit), 2: cannot be read.

#include "picture.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 16, MAX_TILES = 4096, WORST = 2 };

typedef struct Change { // between two frames: the whole picture, then its tiles
    float of[1 + MAX_TILES];
} Change;

typedef struct Film {
    int width, height, tiles_x, tiles_y, n; // frames
    Change *step, *leap;                    // to the next frame, to the one after it
} Film;

typedef struct Event {
    double ratio, change;
    int frame, place; // place: 0 the whole picture, or 1 + tile
} Event;

static bool measure(const Film* f, const Look* a, const Look* b, Change* out)
{
    float* distance = malloc((size_t)f->width * (size_t)f->height * sizeof *distance);
    Difference d;
    bool is_good = distance && look_compare(a, b, distance, &d);
    for (int t = 0; is_good && t < f->tiles_x * f->tiles_y; ++t) {
        int x0 = t % f->tiles_x * BLOCK, y0 = t / f->tiles_x * BLOCK, n = 0;
        float sum = 0.0f;
        for (int y = y0; y < y0 + BLOCK && y < f->height; ++y)
            for (int x = x0; x < x0 + BLOCK && x < f->width; ++x, ++n)
                sum += distance[x + f->width * y];
        out->of[1 + t] = sum / (float)n;
    }
    if (is_good) out->of[0] = (float)d.mean;
    free(distance);
    return is_good;
}

static bool load(const char* path, Film* f, Look* out)
{
    Picture p;
    if (!picture_load(path, &p)) return false;
    bool is_first = f->width == 0;
    if (is_first) {
        f->width = p.width, f->height = p.height;
        f->tiles_x = (p.width + BLOCK - 1) / BLOCK;
        f->tiles_y = (p.height + BLOCK - 1) / BLOCK;
    }
    bool is_good = p.width == f->width && p.height == f->height &&
                   f->tiles_x * f->tiles_y <= MAX_TILES && look_create(&p, out);
    if (!is_good) fprintf(stderr, "%s: of another size, or too large\n", path);
    picture_free(&p);
    return is_good;
}

static bool read_film(Film* f, char** paths, int n)
{
    Look last[2] = { { 0 }, { 0 } }; // the frame before, and the one before that
    bool is_good = true;
    for (int i = 0; is_good && i < n; ++i) {
        Look now = { 0 };
        is_good = load(paths[i], f, &now);
        if (is_good && i > 0) is_good = measure(f, &last[0], &now, &f->step[i - 1]);
        if (is_good && i > 1) is_good = measure(f, &last[1], &now, &f->leap[i - 2]);
        look_free(&last[1]);
        last[1] = last[0];
        last[0] = now;
        f->n = i + 1;
    }
    look_free(&last[0]);
    look_free(&last[1]);
    return is_good;
}

static void keep_worst(Event list[WORST], Event e)
{
    for (int i = 0; i < WORST; ++i)
        if (e.ratio > list[i].ratio) {
            Event next = list[i];
            list[i] = e;
            e = next;
        }
}

// What cannot be seen does not count, and noise does not divide by zero.
static double least(int place)
{
    return place == 0 ? 0.15 : 1.5;
}

static void find(const Film* f, Event pops[2][WORST], Event flashes[2][WORST])
{
    int places = 1 + f->tiles_x * f->tiles_y;
    for (int p = 0; p < places; ++p)
        for (int i = 0; i + 1 < f->n; ++i) {
            double now = (double)f->step[i].of[p], seen = least(p), calm = 0.3 * seen;
            double before = i > 0 ? (double)f->step[i - 1].of[p] : now;
            double after = i + 2 < f->n ? (double)f->step[i + 1].of[p] : now;
            double ratio = now / (fmax(before, after) + calm);
            if (now > seen) keep_worst(pops[p > 0], (Event){ ratio, now, i + 1, p });
            double both = fmin(now, after);
            if (i + 2 >= f->n || both <= seen) continue;
            ratio = both / ((double)f->leap[i].of[p] + calm);
            keep_worst(flashes[p > 0], (Event){ ratio, both, i + 1, p });
        }
}

// Over the whole film, of a place that changes enough to be seen; 0: none does.
static double flicker(const Film* f, int place)
{
    double step = 0.0, leap = 0.0;
    for (int i = 0; i + 2 < f->n; ++i) {
        step += 0.5 * ((double)f->step[i].of[place] + (double)f->step[i + 1].of[place]);
        leap += (double)f->leap[i].of[place];
    }
    double calm = 0.2 * least(place) * (f->n - 2);
    return step > calm ? step / leap : 0.0;
}

static void say_flicker(const Film* f)
{
    int worst = 1;
    for (int p = 2; p <= f->tiles_x * f->tiles_y; ++p)
        if (flicker(f, p) > flicker(f, worst)) worst = p;
    double sum = 0.0;
    for (int i = 0; i + 1 < f->n; ++i) sum += (double)f->step[i].of[0];
    printf("%d frames, a change of %.2f between two on average, flicker %.2f, of a tile up to %.2f "
           "around %d, %d\n",
           f->n, sum / (f->n - 1), flicker(f, 0), flicker(f, worst),
           (worst - 1) % f->tiles_x * BLOCK + BLOCK / 2,
           (worst - 1) / f->tiles_x * BLOCK + BLOCK / 2);
}

static void say(const Film* f, const char* what, const Event list[WORST])
{
    for (int i = 0; i < WORST; ++i) {
        const Event* e = &list[i];
        if (e->ratio <= 0.0) continue;
        printf("  %s %.2f at frame %d, a change of %.2f", what, e->ratio, e->frame, e->change);
        if (e->place > 0)
            printf(" around %d, %d", (e->place - 1) % f->tiles_x * BLOCK + BLOCK / 2,
                   (e->place - 1) / f->tiles_x * BLOCK + BLOCK / 2);
        printf("\n");
    }
}

int main(int argc, char** argv)
{
    double limit = INFINITY;
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "--limit") == 0) limit = atof(argv[2]), first = 3;
    int n = argc - first;
    if (n < 4) {
        fprintf(stderr, "usage: film_pops [--limit R] FRAME.png ..., four at least\n");
        return 2;
    }
    Film film = { .step = calloc((size_t)n, sizeof(Change)),
                  .leap = calloc((size_t)n, sizeof(Change)) };
    Event pops[2][WORST] = { 0 }, flashes[2][WORST] = { 0 };
    int code = film.step && film.leap && read_film(&film, argv + first, n) ? 0 : 2;
    if (code == 0) {
        find(&film, pops, flashes);
        say_flicker(&film);
        for (int k = 0; k < 2; ++k) {
            say(&film, k == 0 ? "all pops" : "tile pops", pops[k]);
            say(&film, k == 0 ? "all flash" : "tile flashes", flashes[k]);
            if (pops[k][0].ratio > limit || flashes[k][0].ratio > limit) code = 1;
        }
    }
    free(film.step);
    free(film.leap);
    return code;
}
