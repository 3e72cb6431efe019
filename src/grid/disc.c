// Discs of cells: water that is moved or poured, in whole grains.

#include "grid/disc.h"
#include "base/maths.h"
#include <math.h>

static void clip(float at, float radius, int n, int* first, int* end)
{
    *first = (int)tarn_clampf(at - radius, 0.0f, (float)n);
    *end = (int)tarn_clampf(at + radius + 2.0f, 0.0f, (float)n);
}

Disc tarn__disc(const DiscField* field, TarnVec2 center, float radius)
{
    Disc d = { .x = (center.x - field->origin.x) / field->dx - 0.5f,
               .z = (center.y - field->origin.y) / field->dx - 0.5f,
               .radius = tarn_maxf(radius / field->dx, 1.5f) };
    clip(d.x, d.radius, field->nx, &d.i0, &d.i1);
    clip(d.z, d.radius, field->nz, &d.k0, &d.k1);
    for (int k = d.k0; k < d.k1; ++k) {
        for (int i = d.i0; i < d.i1; ++i) d.weight += (double)disc_bump(&d, i, k);
    }
    return d;
}

static float* column(const DiscField* field, int i, int k)
{
    return field->h + (ptrdiff_t)k * field->stride + i;
}

// Nearest whole number of grains; a grain is a power of two.
static float snap(const DiscField* field, double height)
{
    return (float)(floor(height / (double)field->grain + 0.5) * (double)field->grain);
}

double tarn__disc_pour(const DiscField* field, const Disc* d, double sum, float share)
{
    double given = 0.0, due = 0.0;
    for (int k = d->k0; k < d->k1; ++k) {
        for (int i = d->i0; i < d->i1; ++i) {
            float part = disc_bump(d, i, k), *h = column(field, i, k);
            if (!(part > 0.0f) || *h > field->full) continue;
            float least = -snap(field, (double)(share * *h)), most = field->full - *h;
            if (-least > *h) least = -*h;
            due += sum * (double)part / d->weight;
            if (sum < 0.0 && due < (double)least) due = (double)least; // the rest is not owed
            float give = due < (double)most ? snap(field, due) : most;
            *h += give;
            due -= (double)give;
            given += (double)give;
        }
    }
    return given;
}

// Puts whole grains into whatever columns of the disc have room. Returns what is left of them.
static double fill_up(const DiscField* field, const Disc* d, double sum)
{
    for (int k = d->k0; k < d->k1 && sum > 0.0; ++k) {
        for (int i = d->i0; i < d->i1 && sum > 0.0; ++i) {
            float* h = column(field, i, k);
            float room = field->full - *h;
            if (!(room > 0.0f) || !(disc_bump(d, i, k) > 0.0f)) continue;
            float give = sum < (double)room ? (float)sum : room;
            *h += give;
            sum -= (double)give;
        }
    }
    return sum;
}

double tarn__disc_move(const DiscField* field, const Disc* from, const Disc* to, double sum)
{
    if (!(sum > 0.0) || !(from->weight > 0.0) || !(to->weight > 0.0)) return 0.0;
    double taken = -tarn__disc_pour(field, from, -sum, 0.5f);
    double put = tarn__disc_pour(field, to, taken, 1.0f);
    double left = fill_up(field, to, taken - put);
    fill_up(field, from, left); // no room there: back to where it was
    return taken - left;
}
