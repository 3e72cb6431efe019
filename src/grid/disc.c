// Discs of cells: water that is moved or poured, in whole grains.

#include "grid/disc.h"
#include "base/maths.h"
#include "base/simd.h"
#include <math.h>

static void clip(float at, float radius, int n, int* first, int* end)
{
    *first = (int)tarn_clampf(at - radius, 0.0f, (float)n);
    *end = (int)tarn_clampf(at + radius + 2.0f, 0.0f, (float)n);
}

// What disc_bump says of eight cells side by side, at a quarter of its cost: most of it are divisions.
TARN_INLINE void eight_bumps(const Disc* d, int i, int k, float bump[TARN_LANES])
{
    TarnF8 none = f8_set(0.0f);
    TarnF8 x = (__builtin_convertvector(i8_set(i) + i8_lanes(), TarnF8) - d->x) / d->radius;
    float z = ((float)k - d->z) / d->radius;
    TarnF8 left = 1.0f - (x * x + z * z);
    f8_store(bump, f8_select(f8_less(none, left), left * left, none));
}

Disc tarn__disc(const DiscField* field, TarnVec2 center, float radius)
{
    Disc d = { .x = (center.x - field->origin.x) / field->dx - 0.5f,
               .z = (center.y - field->origin.y) / field->dx - 0.5f,
               .radius = tarn_maxf(radius / field->dx, 1.5f) };
    clip(d.x, d.radius, field->nx, &d.i0, &d.i1);
    clip(d.z, d.radius, field->nz, &d.k0, &d.k1);
    for (int k = d.k0; k < d.k1; ++k) {
        for (int i = d.i0; i < d.i1; i += TARN_LANES) {
            float bump[TARN_LANES];
            int n = d.i1 - i < TARN_LANES ? d.i1 - i : TARN_LANES;
            eight_bumps(&d, i, k, bump);
            for (int l = 0; l < n; ++l) d.weight += (double)bump[l];
        }
    }
    return d;
}

static float* column(const DiscField* field, int i, int k)
{
    return field->h + (ptrdiff_t)k * field->stride + i;
}

// floor(x + 0.5) without a call of the math library: adding 1.5 * 2^52 rounds what is smaller than 2^51 to the nearest
// whole number. The two differ only where x is half way between two of them, or too close to it to tell.
static double nearest(double x)
{
    const double large = 0x1.8p52;
    double n = (x + large) - large;
    return fabs(x) < 0x1p50 && x - n < 0.499999 ? n : floor(x + 0.5);
}

// The columns of a disc that its bump reaches. They are collected without a branch: where a disc begins and ends in a
// row is different for each, and a wrong guess costs as much as pouring into a column.
enum { REACHED = 64 };
typedef struct Reached {
    int n;
    float bump[REACHED];
    float* h[REACHED];
} Reached;

// It counts in grains: a grain is a power of two, so that every number rounds as it would in meters, but the way from
// one column to the next is half as long.
typedef struct Pour {
    const DiscField* field;
    double sum, weight;
    double due, given; // [grains]
    double per_grain;
    float share;
} Pour;

static void pour_columns(Pour* p, Reached* r)
{
    const float full = p->field->full;
    const double grain = (double)p->field->grain, per_grain = p->per_grain;
    double due = p->due, given = p->given;
    for (int m = 0; m < r->n; ++m) {
        float h = *r->h[m];
        if (h > full) continue;
        double most = (double)(full - h) * per_grain;
        due += p->sum * (double)r->bump[m] / p->weight * per_grain;
        if (p->sum < 0.0) {
            double least = -nearest((double)(p->share * h) * per_grain);
            if (least < -(double)h * per_grain) least = -(double)h * per_grain;
            if (due < least) due = least; // the rest is not owed
        }
        double give = due < most ? nearest(due) : most;
        *r->h[m] = h + (float)(give * grain);
        due -= give;
        given += give;
    }
    p->due = due, p->given = given;
    r->n = 0;
}

double tarn__disc_pour(const DiscField* field, const Disc* d, double sum, float share)
{
    Pour p = { .field = field,
               .sum = sum,
               .weight = d->weight,
               .per_grain = 1.0 / (double)field->grain,
               .share = share };
    Reached r;
    r.n = 0;
    for (int k = d->k0; k < d->k1; ++k) {
        for (int i = d->i0; i < d->i1; i += TARN_LANES) {
            float bump[TARN_LANES], *h = column(field, i, k);
            int n = d->i1 - i < TARN_LANES ? d->i1 - i : TARN_LANES;
            eight_bumps(d, i, k, bump);
            for (int l = 0; l < n; ++l) {
                r.bump[r.n] = bump[l];
                r.h[r.n] = h + l;
                r.n += bump[l] > 0.0f;
            }
            if (r.n > REACHED - TARN_LANES) pour_columns(&p, &r);
        }
    }
    pour_columns(&p, &r);
    return p.given * (double)field->grain;
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
