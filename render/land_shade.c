// Light on land, computed over its plan: the visible part of the sky at each point, and the height up to
// which the sun is hidden there. The second is one sweep away from the sun, so it costs the same for any
// length of shadow, and it serves everything that stands or floats above that point.

#include "waters.h"
#include <string.h>

// Mean over a square of 2 r + 1 cells, by running sums along x, then along z.
static void box_blur(const float* from, float* rows, double* sums, float* to, int sx, int sz, int r)
{
    float scale = 1.0f / (float)(2 * r + 1);
    for (int k = 0; k < sz; ++k) {
        const float* a = from + (size_t)sx * (size_t)k;
        double sum = 0.0;
        for (int i = -r; i <= r; ++i) sum += (double)a[mini(maxi(i, 0), sx - 1)];
        for (int i = 0; i < sx; ++i) {
            rows[i + (size_t)sx * (size_t)k] = (float)sum * scale;
            sum += (double)a[mini(i + r + 1, sx - 1)] - (double)a[maxi(i - r, 0)];
        }
    }
    for (int i = 0; i < sx; ++i) sums[i] = 0.0;
    for (int k = -r; k <= r; ++k)
        for (int i = 0; i < sx; ++i)
            sums[i] += (double)rows[i + (size_t)sx * (size_t)mini(maxi(k, 0), sz - 1)];
    for (int k = 0; k < sz; ++k) {
        const float* in = rows + (size_t)sx * (size_t)mini(k + r + 1, sz - 1);
        const float* out = rows + (size_t)sx * (size_t)maxi(k - r, 0);
        float* b = to + (size_t)sx * (size_t)k;
        for (int i = 0; i < sx; ++i) {
            b[i] = (float)sums[i] * scale;
            sums[i] += (double)in[i] - (double)out[i];
        }
    }
}

// Into the fourth channel of the ground: 1 on open land, less in valleys and at the foot of cliffs,
// a little more on ridges. Two sizes of surroundings.
static void light_from_sky(Land* land, float dx)
{
    Field* f = &land->field;
    int sx = f->nx / f->fine, sz = f->nz / f->fine, n = sx * sz;
    float cell = dx * (float)f->fine;
    double sums[1024];
    float* sky = land->work[2];
    for (int c = 0; c < n; ++c) sky[c] = 1.0f;
    for (int size = 0; size < 2; ++size) {
        int r = maxi(maxi(sx, sz) / (size ? 14 : 72), 1);
        box_blur(land->ground, land->work[0], sums, land->work[1], sx, sz, r);
        float scale = (size ? 1.3f : 1.1f) / (cell * ((float)r + 0.5f));
        for (int c = 0; c < n; ++c)
            sky[c] -= clampf((land->work[1][c] - land->ground[c]) * scale, -0.15f, 0.5f);
    }
    for (int c = 0; c < n; ++c) f->source[c] = clampf(sky[c], 0.25f, 1.2f);
    tarn__field_refine(f, f->bed + 3);
}

// One line of the sweep: `up` is the line before it on the side of the sun. Interpolated there, what
// hides the sun, be it ground or a shadow already; it sinks by `drop` on the way here.
typedef struct Sweep {
    const Land* land;
    int n;           // samples in a line
    int stride;      // samples from one to the next in the line
    float shift;     // how far the ray moves along the line from line to line [samples]
    float drop, way; // from line to line [m]
} Sweep;

static void sweep_line(const Sweep* s, int line, int up)
{
    const float* bed = s->land->field.bed;
    float* shade = s->land->shade;
    for (int a = 0; a < s->n; ++a) {
        float x = clampf((float)a + s->shift, 0.0f, (float)(s->n - 1));
        int b = mini((int)x, s->n - 2);
        float t = x - (float)b, top[2], far[2];
        for (int j = 0; j < 2; ++j) {
            int c = 4 * (up + (b + j) * s->stride);
            bool is_ground = bed[c] >= shade[c];
            top[j] = is_ground ? bed[c] : shade[c];
            far[j] = is_ground ? 0.0f : shade[c + 1];
        }
        int c = 4 * (line + a * s->stride);
        shade[c] = lerpf(top[0], top[1], t) - s->drop;
        shade[c + 1] = lerpf(far[0], far[1], t) + s->way;
    }
}

void tarn__land_shade(Land* land, float dx, TarnVec3 sun)
{
    const Field* f = &land->field;
    if (land->is_ground_new) light_from_sky(land, dx);
    float across = sqrtf(sun.x * sun.x + sun.z * sun.z);
    bool is_along_x = fabsf(sun.x) > fabsf(sun.z); // lines lie across the larger part
    float main = is_along_x ? sun.x : sun.z, other = is_along_x ? sun.z : sun.x;
    int lines = is_along_x ? f->nx : f->nz, n = is_along_x ? f->nz : f->nx;
    int line_stride = is_along_x ? 1 : f->nx, stride = is_along_x ? f->nx : 1;
    for (int c = 0; c < f->nx * f->nz; ++c) {
        land->shade[4 * c] = f->bed[4 * c] - 1e4f * dx;
        land->shade[4 * c + 1] = dx;
    }
    if (across < 1e-4f) return; // overhead
    float way = dx * across / fabsf(main);
    Sweep s = { land, n, stride, other / fabsf(main), way * sun.y / across, way };
    for (int j = 1; j < lines; ++j) {
        int at = main > 0.0f ? lines - 1 - j : j, up = main > 0.0f ? at + 1 : at - 1;
        sweep_line(&s, at * line_stride, up * line_stride);
    }
}
