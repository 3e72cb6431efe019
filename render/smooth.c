// Read-out, with smoothing of edges where the driver draws in software and more samples per pixel
// would cost more than all the rest.
//
// For a pixel on an edge, both ends of the edge are searched along it; their distances
// tell how far the true line is from the pixel's center, and the neighbor across the edge is
// mixed in accordingly. On a CPU this is cheap, because few pixels are on edges.

#include "fields.h"
#include <stdlib.h>

typedef struct Image {
    const uint8_t* rgba;
    int width, height;
} Image;

static const uint8_t* pixel(const Image* m, int x, int y)
{
    x = mini(maxi(x, 0), m->width - 1);
    y = mini(maxi(y, 0), m->height - 1);
    return m->rgba + 4 * ((size_t)y * (size_t)m->width + (size_t)x);
}

static int bright(const Image* m, int x, int y)
{
    return pixel(m, x, y)[3];
}

enum { MAX_SEARCH = 16 };

// Steps from (x, y) along (dx, dy) to where the edge to the pixel beside, at (+ax, +ay), ends.
// *end: what the pair's mean brightness differs by there.
static int edge_end(const Image* m, int x, int y, int dx, int dy, int ax, int ay, int middle,
                    int limit, int* end)
{
    int n = 1;
    for (; n < MAX_SEARCH; ++n) {
        int px = x + n * dx, py = y + n * dy;
        *end = bright(m, px, py) + bright(m, px + ax, py + ay) - middle;
        if (*end >= limit || *end <= -limit) break;
    }
    return n;
}

static void smooth_pixel(const Image* im, int x, int y, uint8_t* to)
{
    int m = bright(im, x, y);
    int n = bright(im, x, y + 1), s = bright(im, x, y - 1);
    int e = bright(im, x + 1, y), w = bright(im, x - 1, y);
    int ne = bright(im, x + 1, y + 1), nw = bright(im, x - 1, y + 1);
    int se = bright(im, x + 1, y - 1), sw = bright(im, x - 1, y - 1);
    int flat = 2 * abs(n + s - 2 * m) + abs(ne + se - 2 * e) + abs(nw + sw - 2 * w);
    int steep = 2 * abs(e + w - 2 * m) + abs(ne + nw - 2 * n) + abs(se + sw - 2 * s);
    bool is_flat = flat >= steep; // the edge runs along x
    int a = is_flat ? n : e, b = is_flat ? s : w;
    int sign = abs(b - m) > abs(a - m) ? -1 : 1;
    int other = sign > 0 ? a : b;
    int ax = is_flat ? 0 : sign, ay = is_flat ? sign : 0;
    int dx = is_flat ? 1 : 0, dy = is_flat ? 0 : 1;
    int middle = m + other, limit = maxi(abs(other - m) / 2, 1); // both doubled: sums of two
    int end_p, end_q;
    int p = edge_end(im, x, y, dx, dy, ax, ay, middle, limit, &end_p);
    int q = edge_end(im, x, y, -dx, -dy, ax, ay, middle, limit, &end_q);
    int end = p < q ? end_p : end_q;
    bool is_ours = (end < 0) != (2 * m < middle);
    float share = is_ours ? 0.5f - (float)mini(p, q) / (float)(p + q) : 0.0f;

    // Single pixels that stand out are softened, too.
    int hi = maxi(maxi(maxi(n, s), maxi(e, w)), m), lo = mini(mini(mini(n, s), mini(e, w)), m);
    float mean = (float)(2 * (n + s + e + w) + ne + nw + se + sw) / 12.0f;
    float lone = smoothf(0.0f, 1.0f, fabsf(mean - (float)m) / (float)maxi(hi - lo, 1));
    share = fmaxf(share, 0.55f * lone * lone);
    const uint8_t *here = pixel(im, x, y), *beside = pixel(im, x + ax, y + ay);
    for (int c = 0; c < 3; ++c)
        to[c] = (uint8_t)(lerpf((float)here[c], (float)beside[c], share) + 0.5f);
}

void tarn__read_out(const uint8_t* rgba, int width, int height, uint8_t* rgb)
{
    Image image = { rgba, width, height };
    for (int y = 0; y < height; ++y) {
        const uint8_t* row = rgba + (size_t)y * (size_t)width * 4;
        const uint8_t* up = y + 1 < height ? row + 4 * (size_t)width : row;
        const uint8_t* down = y > 0 ? row - 4 * (size_t)width : row;
        uint8_t* to = rgb + (size_t)(height - 1 - y) * (size_t)width * 3;
        for (int x = 0; x < width; ++x, to += 3) {
            int c = 4 * x, left = x > 0 ? c - 4 : c, right = x + 1 < width ? c + 4 : c;
            int m = row[c + 3], n = up[c + 3], s = down[c + 3];
            int e = row[right + 3], w = row[left + 3];
            int hi = maxi(maxi(maxi(n, s), maxi(e, w)), m);
            int lo = mini(mini(mini(n, s), mini(e, w)), m);
            if (hi - lo > maxi(9, hi / 10))
                smooth_pixel(&image, x, y, to);
            else
                to[0] = row[c], to[1] = row[c + 1], to[2] = row[c + 2];
        }
    }
}
