// What disturbs dispersive waves: drops, strokes, pressures, pushes of bodies, moving windows.
//
// A volume moves heights. An impulse gives the water under its disc, as deep as the disc is wide, a velocity: the potential
// of an even flow, (u . r), under the disc's bump. Its vertical part is a pressure for a moment: phi -= p dt / density.

#include "waves/ripple_internal.h"
#include "base/surface.h"
#include "grid/disc.h"
#include "grid/window.h"
#include <math.h>
#include <stdlib.h>

static Disc disc_of(const TarnRipple* r, TarnVec2 center, float radius)
{
    DiscField field = {
        .nx = r->def.n, .nz = r->def.n, .dx = r->def.dx, .origin = tarn_ripple_origin(r)
    };
    return tarn__disc(&field, center, radius);
}

static bool is_wet(const TarnRipple* r, size_t c)
{
    return r->land == NULL || !r->land[c];
}

static double wet_weight(const TarnRipple* r, const Disc* d)
{
    double sum = 0.0;
    for (int k = d->k0; k < d->k1; ++k) {
        for (int i = d->i0; i < d->i1; ++i)
            if (is_wet(r, ripple_cell(r, i, k))) sum += (double)disc_bump(d, i, k);
    }
    return sum;
}

// The share of a height, added to a disc by its bump, that leaves the water no steeper than it may be.
static double room_for(const TarnRipple* r, const Disc* d, double height)
{
    float most = tarn_minf(r->params.max_slope * d->radius * r->def.dx, ripple_limit);
    double share = 1.0;
    for (int k = d->k0; k < d->k1; ++k) {
        for (int i = d->i0; i < d->i1; ++i) {
            size_t c = ripple_cell(r, i, k);
            double part = (double)disc_bump(d, i, k) * height;
            if (part == 0.0 || !is_wet(r, c)) continue;
            double left =
                part > 0.0 ? (double)most - (double)r->eta[c] : (double)most + (double)r->eta[c];
            double fits = left > 0.0 ? left / fabs(part) : 0.0;
            if (fits < share) share = fits;
        }
    }
    return share;
}

static void lift(TarnRipple* r, const Disc* d, double height)
{
    for (int k = d->k0; k < d->k1; ++k) {
        for (int i = d->i0; i < d->i1; ++i) {
            size_t c = ripple_cell(r, i, k);
            if (is_wet(r, c)) r->eta[c] += (float)(height * (double)disc_bump(d, i, k));
        }
    }
}

// Moves a volume [m^3] from one disc to another, less where it would become too steep. Returns what was moved.
static double move(TarnRipple* r, const Disc* from, const Disc* to, double volume)
{
    double area = (double)r->def.dx * (double)r->def.dx;
    double from_weight = wet_weight(r, from), to_weight = wet_weight(r, to);
    if (!(from_weight > 0.0 && to_weight > 0.0) || volume == 0.0) return 0.0;
    double up = volume / (to_weight * area), down = -volume / (from_weight * area);
    double a = room_for(r, to, up), b = room_for(r, from, down), share = a < b ? a : b;
    lift(r, to, share * up);
    lift(r, from, share * down);
    return share * volume;
}

// ---- Calls of the host ---------------------------------------------------------------------------

static TarnResult check(const TarnRipple* r, const char* what, TarnVec2 a, TarnVec2 b, float radius,
                        float amount, float most)
{
    bool is_good = tarn__all_within(&a, 2, 1e6f) && tarn__all_within(&b, 2, 1e6f) &&
                   radius >= 0.0f && radius <= 1e5f && fabsf(amount) <= most;
    if (is_good) return TARN_OK;
    return tarn__fail(
        r->ctx, TARN_ERR_ARG,
        "%s: (%g, %g) to (%g, %g) m, radius %g m, amount %g; allowed: within +-1e6 m, "
        "0 to 1e5 m, +-%g",
        what, (double)a.x, (double)a.y, (double)b.x, (double)b.y, (double)radius, (double)amount,
        (double)most);
}

static void dip(TarnRipple* r, TarnVec2 center, float radius, float height)
{
    double area = (double)r->def.dx * (double)r->def.dx;
    Disc in = disc_of(r, center, radius), around = disc_of(r, center, 2.0f * in.radius * r->def.dx);
    move(r, &in, &around, (double)height * wet_weight(r, &in) * area);
}

TarnResult tarn_ripple_add_drop(TarnRipple* r, TarnVec2 center, float radius, float height)
{
    if (r == NULL) return TARN_ERR_ARG;
    TARN_TRY(check(r, "drop", center, center, radius, height, 1e4f));
    dip(r, center, radius, height);
    return TARN_OK;
}

TarnResult tarn_ripple_add_stroke(TarnRipple* r, TarnVec2 a, TarnVec2 b, float radius, float height)
{
    if (r == NULL) return TARN_ERR_ARG;
    TARN_TRY(check(r, "stroke", a, b, radius, height, 1e4f));
    float x = b.x - a.x, z = b.y - a.y, length = sqrtf(x * x + z * z);
    float wide = tarn_maxf(radius, 1.5f * r->def.dx);
    int n = (int)tarn_clampf(ceilf(length / (0.5f * wide)), 1.0f, 4096.0f);
    for (int i = 0; i < n; ++i) {
        float at = ((float)i + 0.5f) / (float)n;
        dip(r, (TarnVec2){ a.x + at * x, a.y + at * z }, wide, 0.5f * height);
    }
    return TARN_OK;
}

static void add_potential(TarnRipple* r, size_t c, double amount)
{
    const double most = 1e7;
    double phi = (double)r->phi[c] + amount;
    r->phi[c] = (float)(phi > most ? most : phi < -most ? -most : phi);
}

TarnResult tarn_ripple_add_pressure(TarnRipple* r, TarnVec2 center, float radius, float pressure,
                                    float dt)
{
    if (r == NULL) return TARN_ERR_ARG;
    TARN_TRY(check(r, "pressure", center, center, radius, pressure, 1e9f));
    TARN_TRY(check(r, "pressure.dt", center, center, dt, 0.0f, 10.0f));
    float wide = tarn_maxf(radius, 1.5f * r->def.dx), per = -2.0f / (wide * wide);
    Disc d = disc_of(r, center, 3.0f * wide);
    TarnVec2 origin = tarn_ripple_origin(r);
    for (int k = d.k0; k < d.k1; ++k) {
        float z = origin.y + ((float)k + 0.5f) * r->def.dx - center.y;
        for (int i = d.i0; i < d.i1; ++i) {
            float x = origin.x + ((float)i + 0.5f) * r->def.dx - center.x;
            double bell = (double)tarn_exp(per * (x * x + z * z));
            add_potential(r, ripple_cell(r, i, k),
                          -(double)pressure * (double)dt / (double)r->params.density * bell);
        }
    }
    return TARN_OK;
}

// ---- Windows -------------------------------------------------------------------------------------

TarnResult tarn_ripple_shift(TarnRipple* r, int di, int dk)
{
    const int most = 1 << 24;
    if (r == NULL) return TARN_ERR_ARG;
    if (r->def.rim == 0)
        return tarn__fail(r->ctx, TARN_ERR_UNSUPPORTED,
                          "ripple: a window whose sides are joined cannot move; give it a rim");
    if (!(abs(di) < most && abs(dk) < most && abs(r->shift_i + di) < most &&
          abs(r->shift_k + dk) < most))
        return tarn__fail(r->ctx, TARN_ERR_ARG,
                          "ripple: a shift by (%d, %d) cells leaves the range of +-%d", di, dk,
                          most);
    int n = r->def.n;
    float* planes[] = { r->eta, r->was, r->phi };
    if (di == 0 && dk == 0) return TARN_OK;
    for (int f = 0; f < 3; ++f) tarn__grid_shift(planes[f], n, n, n, di, dk, 0.0f, false);
    if (r->land) { // by rows, so that it works in place
        for (int row = 0; row < n; ++row) {
            int k = dk >= 0 ? row : n - 1 - row, from = k + dk;
            uint8_t* to = r->land + ripple_cell(r, 0, k);
            bool is_in = from >= 0 && from < n && abs(di) < n;
            int count = is_in ? n - abs(di) : 0, at = di < 0 ? -di : 0;
            if (is_in)
                memmove(to + at, r->land + ripple_cell(r, di > 0 ? di : 0, from), (size_t)count);
            memset(to, 0, (size_t)(is_in ? at : n));
            if (is_in) memset(to + at + count, 0, (size_t)(n - at - count));
        }
    }
    r->shift_i += di;
    r->shift_k += dk;
    return TARN_OK;
}

// ---- The plug ------------------------------------------------------------------------------------

static TarnVec3 give_impulse(TarnRipple* r, const Disc* d, TarnVec3 impulse)
{
    double dx = (double)r->def.dx, wide = (double)d->radius * dx, weight = wet_weight(r, d);
    double deep = wide < (double)r->def.depth ? wide : (double)r->def.depth;
    double mass = (double)r->params.density * weight * dx * dx; // per depth [kg/m]
    if (!(mass > 0.0)) return (TarnVec3){ 0.0f, 0.0f, 0.0f };
    double gain = (double)r->params.wave_gain;
    double ux = gain * impulse.x / (mass * deep), uz = gain * impulse.z / (mass * deep);
    for (int k = d->k0; k < d->k1; ++k) {
        for (int i = d->i0; i < d->i1; ++i) {
            size_t c = ripple_cell(r, i, k);
            double bump = (double)disc_bump(d, i, k);
            double x = ((double)i - (double)d->x) * dx, z = ((double)k - (double)d->z) * dx;
            double phi = bump * (ux * x + uz * z + gain * impulse.y / mass);
            if (bump > 0.0 && is_wet(r, c)) add_potential(r, c, phi);
        }
    }
    return impulse;
}

static TarnResult push(void* self, const TarnSurfacePush* p, TarnSurfaceTaken* taken)
{
    TarnRipple* r = self;
    TARN_TRY(tarn__surface_check_push(r->ctx, p));
    Disc to = disc_of(r, p->center, p->radius), from = disc_of(r, p->from, p->from_radius);
    taken->volume = move(r, &from, &to, (double)r->params.wave_gain * (double)p->volume);
    taken->impulse = give_impulse(r, &to, p->impulse);
    return TARN_OK;
}

static TarnResult pour(void* self, const TarnSurfacePour* p, TarnSurfaceTaken* taken)
{
    TarnRipple* r = self;
    TARN_TRY(tarn__surface_check_pour(r->ctx, p));
    Disc d = disc_of(r, p->center, p->radius);
    double weight = wet_weight(r, &d), area = (double)r->def.dx * (double)r->def.dx;
    if (!(weight > 0.0)) return TARN_OK;
    double height = (double)p->volume / (weight * area), share = room_for(r, &d, height);
    lift(r, &d, share * height);
    taken->volume = share * (double)p->volume;
    if (p->volume > 0.0f) taken->impulse = give_impulse(r, &d, p->impulse);
    return TARN_OK;
}

static bool area_of(const void* self, TarnVec2* min, TarnVec2* max)
{
    const TarnRipple* r = self;
    *min = tarn_ripple_origin(r);
    max->x = min->x + (float)r->def.n * r->def.dx;
    max->y = min->y + (float)r->def.n * r->def.dx;
    return true;
}

// Land is dry.
static void query(const void* self, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    const TarnRipple* r = self;
    TarnVec2 origin = tarn_ripple_origin(r);
    RippleQuery q = { .eta = r->eta,
                      .was = r->was,
                      .phi = r->phi,
                      .n = r->def.n,
                      .x0 = origin.x,
                      .z0 = origin.y,
                      .per_cell = 1.0f / r->def.dx,
                      .level = r->def.level,
                      .depth = r->def.depth,
                      .per_dt = r->dt > 0.0f ? 1.0f / r->dt : 0.0f };
    r->kernels->query(&q, n, x, z, out);
    for (int i = 0; r->land && out->depth && i < n; ++i) {
        float last = (float)(r->def.n - 1);
        int a = (int)tarn_clampf((x[i] - origin.x) * q.per_cell, 0.0f, last);
        int b = (int)tarn_clampf((z[i] - origin.y) * q.per_cell, 0.0f, last);
        if (r->land[ripple_cell(r, a, b)]) out->depth[i] = 0.0f;
    }
}

TarnSurface tarn_ripple_surface(const TarnRipple* r)
{
    return (TarnSurface){ .self = r, .query = query, .area = area_of, .push = push, .pour = pour };
}
