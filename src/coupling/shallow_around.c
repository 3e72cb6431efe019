// The surface that displacement of a body counts from.
//
// Method   A plane through the water around the body, as it was when the body came, and slow from then
//          on (follow_time), but never farther from the present one than a part of the draft.
// Why      Not the surface in the column, which the load lifts itself: dload/dt = (depth - gap) / dt is
//          an integral controller on waves, and unstable. Not the present surface around either: a load
//          that comes a frame late presses more on a swell's way down than on its way up, and
//          feeds it (measured: a box held in a closed basin, noise from 8 to 60 cm/s in two minutes;
//          with a lag of 0.5 s a free one heaves by 6, then 43 cm). A slow one does no work on
//          waves. The limit is for floods and bodies that ride on large waves.
// State    The plane is kept in TarnShallow.calm, in the columns that the body loads.

#include "coupling/shallow_floating.h"
#include <math.h>

static const float follow_time = 10.0f; // [s]

typedef struct Fit { // sums of a least-squares plane
    double n, x, z, y, xx, zz, xz, xy, zy;
} Fit;

static void fit_add(Fit* fit, WaterPlane* a, const Columns* grid, int i, int k, float surface)
{
    double x = (double)(grid->origin.x + ((float)i + 0.5f) * grid->dx - a->x0);
    double z = (double)(grid->origin.y + ((float)k + 0.5f) * grid->dx - a->z0), y = (double)surface;
    fit->n += 1.0, fit->x += x, fit->z += z, fit->y += y;
    fit->xx += x * x, fit->zz += z * z, fit->xz += x * z, fit->xy += x * y, fit->zy += z * y;
    a->lowest = tarn_minf(a->lowest, surface);
    a->highest = tarn_maxf(a->highest, surface);
}

static void fit_solve(const Fit* fit, WaterPlane* a, float dx)
{
    double n = fit->n, mx = fit->x / n, mz = fit->z / n, my = fit->y / n;
    double stiff = 0.01 * n * (double)dx * (double)dx; // few columns in a row have no slope across
    double xx = fit->xx - n * mx * mx + stiff, zz = fit->zz - n * mz * mz + stiff;
    double xz = fit->xz - n * mx * mz, xy = fit->xy - n * mx * my, zy = fit->zy - n * mz * my;
    double det = xx * zz - xz * xz;
    double sx = det > 0.0 ? (xy * zz - zy * xz) / det : 0.0;
    double sz = det > 0.0 ? (zy * xx - xy * xz) / det : 0.0;
    a->slope_x = (float)sx, a->slope_z = (float)sz;
    a->level = (float)(my - sx * mx - sz * mz);
}

// Loads reach one cell beyond the footprint, so the ring is two cells away. In a second pass come the
// columns of dry land below the water, towards which it falls.
static void fit_ring(const TarnShallow* water, const Columns* grid, const Footprint* f,
                     WaterPlane* a)
{
    Fit fit = { 0 };
    for (int pass = 0; pass < 2; ++pass) {
        float level = fit.n > 0.0 ? (float)(fit.y / fit.n) : 0.0f;
        for (int k = f->k0 - 2; k < f->k1 + 2; ++k) {
            bool is_row = k == f->k0 - 2 || k == f->k1 + 1;
            int step = is_row ? 1 : f->i1 - f->i0 + 3;
            if (k < 0 || k >= grid->nz) continue;
            for (int i = f->i0 - 2; i < f->i1 + 2; i += step) {
                float surface;
                if (i < 0 || i >= grid->nx) continue;
                bool is_open = shallow_column_surface(water, shallow_cell(water, i, k), &surface);
                if (is_open == (pass == 1) || (pass == 1 && !(surface < level))) continue;
                fit_add(&fit, a, grid, i, k, surface);
            }
        }
        if (pass == 0) a->n = (int)fit.n;
        if (a->n == 0) return;
    }
    fit_solve(&fit, a, grid->dx);
}

// The plane of the last frame, from the columns that are loaded; returns their mean load [m].
static float fit_last(const TarnShallow* water, const Columns* grid, const Footprint* f,
                      WaterPlane* a)
{
    Fit fit = { 0 };
    double load = 0.0;
    for (int k = f->k0 < 1 ? 0 : f->k0 - 1; k <= f->k1 && k < grid->nz; ++k) {
        for (int i = f->i0 < 1 ? 0 : f->i0 - 1; i <= f->i1 && i < grid->nx; ++i) {
            size_t c = shallow_cell(water, i, k);
            if (!(water->load[c] > 0.0f)) continue;
            fit_add(&fit, a, grid, i, k, water->calm[c]);
            load += (double)water->load[c];
        }
    }
    a->n = (int)fit.n;
    if (a->n == 0) return 0.0f;
    fit_solve(&fit, a, grid->dx);
    return (float)(load / fit.n);
}

// A body that covers a puddle whole, or comes to one: the water under it.
static void fit_under(const TarnShallow* water, const Columns* grid, const Footprint* f,
                      WaterPlane* a)
{
    Fit fit = { 0 };
    for (int k = f->k0 < 1 ? 0 : f->k0 - 1; k <= f->k1 && k < grid->nz; ++k) {
        for (int i = f->i0 < 1 ? 0 : f->i0 - 1; i <= f->i1 && i < grid->nx; ++i) {
            size_t c = shallow_cell(water, i, k);
            float floor = tarn_minf(water->b[c], water->load[c] > 0.0f ? water->calm[c] : INFINITY);
            if (shallow_is_open(water, c)) fit_add(&fit, a, grid, i, k, floor + water->h[c]);
        }
    }
    a->n = (int)fit.n;
    if (a->n > 0) a->level = (float)(fit.y / fit.n);
}

static float approach(float from, float to, float share, float limit)
{
    return tarn_clampf(from + share * (to - from), to - limit, to + limit);
}

WaterPlane tarn__shallow_around(const TarnShallow* water, const Columns* grid, const TarnBody* body,
                                const Footprint* f, float dt)
{
    TarnVec3 at = body->state.position;
    WaterPlane none = { .x0 = at.x, .z0 = at.z, .lowest = INFINITY, .highest = -INFINITY };
    WaterPlane now = none, last = none;
    float load = fit_last(water, grid, f, &last);
    fit_ring(water, grid, f, &now);
    bool has_ring = now.n > 0;
    if (!has_ring) fit_under(water, grid, f, &now);
    if (last.n == 0 || now.n == 0) return now;
    float share = 1.0f - tarn_exp(-dt / follow_time);
    float limit = has_ring ? 0.25f * load + 2e-3f : INFINITY;
    float tilt = limit / (f->wide + grid->dx);
    now.level = approach(last.level, now.level, share, limit);
    now.slope_x = approach(last.slope_x, now.slope_x, share, tilt);
    now.slope_z = approach(last.slope_z, now.slope_z, share, tilt);
    now.lowest = tarn_minf(now.lowest, last.lowest);
    now.highest = tarn_maxf(now.highest, last.highest);
    return now;
}
