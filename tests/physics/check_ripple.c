// Checks of dispersive waves: rings, wakes, rims and land against theory.
#define _DEFAULT_SOURCE // Bessel functions

#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846, g = 9.81;

static TarnRipple* make(CheckRun* run, const TarnRippleDef* def, float damping)
{
    TarnRipple* ripple;
    TarnRippleParams params = tarn_ripple_default_params();
    params.damping = damping;
    params.max_slope = 10.0f;
    if (tarn_ripple_create(run->ctx, def, &ripple) != TARN_OK ||
        tarn_ripple_set_params(ripple, &params) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    return ripple;
}

static double at(TarnView2 v, int i, int k)
{
    return (double)v.data[i + (ptrdiff_t)v.stride * k];
}

// ---- Rings -----------------------------------------------------------------------------------------

// Heights t [s] after a push of the pressure impulse p0 [m^2/s] with the bell exp(-2 d^2 / r^2): Hankel's integral
// eta(d, t) = -integral of P(k) K / omega sin(omega t) J0(k d) k dk, P = p0 r^2 / 4 exp(-k^2 r^2 / 8).
static double ring_height(double d, double t, double r, double depth, double tension)
{
    double sum = 0.0, most = 9.0 / r, step = most / 4000.0;
    for (int i = 1; i < 4000; ++i) {
        double k = i * step, rise = k * tanh(k * depth);
        double omega = sqrt(rise * (g + tension * k * k));
        sum += 0.25 * r * r * exp(-k * k * r * r / 8.0) * rise / omega * sin(omega * t) *
               j0(k * d) * k * step;
    }
    return -sum;
}

static void check_rings(CheckRun* run, const char* name, double dx, double depth, double t)
{
    TarnRippleDef def = tarn_ripple_default_def();
    def.n = 256, def.dx = (float)dx, def.depth = (float)depth, def.rim = 0;
    def.origin = (TarnVec2){ -(float)(128.5 * dx), -(float)(128.5 * dx) }; // a cell at the middle
    TarnRipple* ripple = make(run, &def, 0.0f);
    double r = 5.0 * dx, worst = 0.0, highest = 0.0;
    tarn_ripple_add_pressure(ripple, (TarnVec2){ 0, 0 }, (float)r, 1000.0f, 1.0f); // 1 m^2/s
    for (int s = 0; s < 8; ++s) tarn_ripple_step(ripple, (float)(t / 8.0), NULL);
    for (int i = 0; i < 100; i += 3) {
        double exact = ring_height(i * dx, t, r, depth, (double)def.tension);
        worst = fmax(worst, fabs(at(tarn_ripple_height(ripple), 128 + i, 128) - exact));
        highest = fmax(highest, fabs(exact));
    }
    check_add(run, name, worst / highest, 0.0, 0.01);
    tarn_ripple_destroy(ripple);
}

// ---- Wakes -----------------------------------------------------------------------------------------

typedef struct Wake {
    double speed, radius, depth, dx, damping;
    int n, ahead; // cells of the window; cells between the patch and its leading edge
} Wake;

// A patch of pressure that has moved along +x at its speed for long; the window goes with it. The patch is then at
// cell (n - ahead, n / 2).
static TarnRipple* draw_wake(CheckRun* run, const Wake* w, double seconds)
{
    TarnRippleDef def = tarn_ripple_default_def();
    def.n = w->n, def.dx = (float)w->dx, def.depth = (float)w->depth, def.rim = w->n / 10;
    def.tension = 0.0f;
    TarnRipple* ripple = make(run, &def, (float)w->damping);
    double dt = w->dx / w->speed; // one cell per step
    int steps = (int)(seconds / dt);
    float z = (float)((w->n / 2 + 0.5) * w->dx);
    for (int s = 0; s < steps; ++s) {
        float x = (float)((s + w->n - w->ahead + 0.5) * w->dx);
        tarn_ripple_add_pressure(ripple, (TarnVec2){ x, z }, (float)w->radius, 1000.0f, (float)dt);
        tarn_ripple_step(ripple, (float)dt, NULL);
        if (s + 1 < steps) tarn_ripple_shift(ripple, 1, 0);
    }
    return ripple;
}

// The steady wake of the patch at (x, z) from it: E = -K P / ((e - i U kx)^2 + g K), summed over waves.
static double wake_height(const Wake* w, double x, double z)
{
    double most = 9.0 / w->radius, step = 2.0 * pi / (4.0 * w->n * w->dx), sum = 0.0;
    int m = (int)(most / step);
    for (int a = -m; a <= m; ++a) {
        double kx = a * step, row = 0.0;
        for (int b = 0; b <= m; ++b) {
            double kz = b * step, k = hypot(kx, kz), rise = k * tanh(k * w->depth);
            double p = 0.5 * pi * w->radius * w->radius * exp(-k * k * w->radius * w->radius / 8.0);
            double e = w->damping, u = w->speed * kx;
            double re = e * e - u * u + g * rise, im = -2.0 * e * u, size = re * re + im * im;
            if (k == 0.0) continue;
            double er = -rise * p * re / size, ei = rise * p * im / size;
            row += (b == 0 ? 1.0 : 2.0) * cos(kz * z) * (er * cos(kx * x) - ei * sin(kx * x));
        }
        sum += row;
    }
    return sum * step * step / (4.0 * pi * pi);
}

static void check_integral(CheckRun* run)
{
    Wake w = {
        .speed = 5.0, .radius = 3.0, .depth = 1e4, .dx = 0.5, .damping = 0.15, .n = 256, .ahead = 60
    };
    TarnRipple* ripple = draw_wake(run, &w, run->is_quick ? 30.0 : 45.0);
    TarnView2 eta = tarn_ripple_height(ripple);
    double off = 0.0, size = 0.0;
    int points = run->is_quick ? 4 : 60;
    for (int i = 0; i < points; ++i) {
        // The last push is a step old: the patch has moved on by a cell.
        int back = 10 + i * 80 / points, side = i * 29 % 31;
        double exact = wake_height(&w, -(back + 1) * w.dx, side * w.dx);
        double value = at(eta, w.n - w.ahead - back, w.n / 2 + side);
        off += (value - exact) * (value - exact);
        size += exact * exact;
    }
    check_add(run, "ripple.wake.integral", sqrt(off / size), 0.0, 0.05);
    tarn_ripple_destroy(ripple);
}

// Where across the wake the waves are highest, at a distance behind the patch [m]: of the mean square over a length. Or
// the outermost wave that is almost as high.
static double strongest_side(TarnView2 eta, const Wake* w, double back, double length,
                             bool is_outermost)
{
    int from = w->n - w->ahead - (int)((back + 0.5 * length) / w->dx), best = 0;
    int columns = (int)(length / w->dx), half = w->n / 2 - w->n / 10 - 2;
    double sums[600] = { 0 }, highest = 0.0;
    for (int side = 2; side < half; ++side)
        for (int i = 0; i < columns; ++i)
            sums[side] += pow(at(eta, from + i, w->n / 2 + side), 2.0);
    for (int side = 3; side < half - 1; ++side)
        if (sums[side] > highest) highest = sums[side], best = side;
    for (int side = half - 2; is_outermost && side > best; --side)
        if (sums[side] > sums[side - 1] && sums[side] > sums[side + 1] &&
            sums[side] > 0.2 * highest)
            best = side;
    double a = sums[best - 1], b = sums[best], c = sums[best + 1], bend = a - 2.0 * b + c;
    return (best + (bend < 0.0 ? 0.5 * (a - c) / bend : 0.0)) * w->dx;
}

typedef enum WakeLine { CUSP, STRAIGHT, FIRST_CREST } WakeLine;

// Angle of the line of highest waves [degrees]. Near a cusp they are highest inside of it by a distance that grows like
// the third root of that from the patch (Airy's function), which is fitted along:
// side = a back + b back^(1/3). A straight line begins beside the patch: side = a back + b.
static double wake_angle(CheckRun* run, const Wake* w, double seconds, double from, double to,
                         double length, WakeLine line)
{
    TarnRipple* ripple = draw_wake(run, w, seconds);
    double m[2][2] = { { 0 } }, v[2] = { 0 };
    for (double back = from; back <= to; back += 0.25 * (to - from) / 5.0) {
        TarnView2 eta = tarn_ripple_height(ripple);
        double side = strongest_side(eta, w, back, length, line == FIRST_CREST);
        double f[2] = { back, line == STRAIGHT ? 1.0 : cbrt(back) };
        for (int a = 0; a < 2; ++a) {
            v[a] += f[a] * side;
            for (int b = 0; b < 2; ++b) m[a][b] += f[a] * f[b];
        }
    }
    tarn_ripple_destroy(ripple);
    double tangent = (v[0] * m[1][1] - v[1] * m[0][1]) / (m[0][0] * m[1][1] - m[0][1] * m[1][0]);
    return atan(tangent) * 180.0 / pi;
}

// Hull Froude number U / sqrt(g L), with L = pi r as in [Rabaud2013].
static Wake hull(double froude, double speed, int n, double dx)
{
    double length = speed * speed / (g * froude * froude);
    return (Wake){ .speed = speed,
                   .radius = length / pi,
                   .depth = 1e4,
                   .dx = dx,
                   .damping = 0.0,
                   .n = n,
                   .ahead = n / 5 };
}

static void check_angles(CheckRun* run)
{
    int n = run->is_quick ? 256 : 512;
    double wave = 2.0 * pi * 25.0 / g, dx = run->is_quick ? 0.7 : 0.5; // 16 m at 5 m/s
    const double low[] = { 0.35, 0.5 };
    for (int i = run->is_quick; i < 2; ++i) {
        char name[56];
        Wake w = hull(low[i], 5.0, n, dx);
        double far = 0.62 * n * dx;
        snprintf(name, sizeof name, "ripple.wake.kelvin.%g", low[i]);
        double angle = wake_angle(run, &w, 2.6 * far / 5.0, 0.4 * far, far, wave, CUSP);
        check_add(run, name, angle, 19.4712, 1.5 / 19.4712);
    }
    const double high[] = { 1.0, 1.5 };
    for (int i = 0; i < (run->is_quick ? 1 : 2); ++i) {
        char name[56];
        Wake w = hull(high[i], 5.0, n, 0.5 * dx);
        double f2 = 2.0 * pi * high[i] * high[i], far = 0.62 * n * 0.5 * dx;
        snprintf(name, sizeof name, "ripple.wake.fast.%g", high[i]);
        double angle = wake_angle(run, &w, 2.6 * far / 5.0, 0.4 * far, far, wave, STRAIGHT);
        check_add(run, name, angle, atan(sqrt(f2 - 1.0) / (2.0 * f2 - 1.0)) * 180.0 / pi, 0.15);
    }
}

// Havelock: cos^2 = 8 (1 - m) / (3 - m)^2 with m = 2 k h / sinh(2 k h), where U^2 / (g h) = tanh(k h) / (k h) (3 - m) / 2.
static double havelock_angle(double froude)
{
    double lo = 1e-3, hi = 30.0;
    for (int i = 0; i < 80; ++i) {
        double kh = 0.5 * (lo + hi), m = 2.0 * kh / sinh(2.0 * kh);
        (tanh(kh) / kh * (3.0 - m) * 0.5 > froude * froude ? (lo = kh) : (hi = kh));
    }
    double m = 2.0 * lo / sinh(2.0 * lo);
    return acos(sqrt(8.0 * (1.0 - m)) / (3.0 - m)) * 180.0 / pi;
}

static void check_depth(CheckRun* run)
{
    int n = run->is_quick ? 256 : 512;
    double depth = 2.5, dx = run->is_quick ? 0.55 : 0.4;
    Wake slow = { .speed = 0.8 * sqrt(g * depth),
                  .radius = 2.0,
                  .depth = depth,
                  .dx = dx,
                  .n = n,
                  .ahead = n / 5 };
    double far = 0.5 * n * dx;
    double angle = wake_angle(run, &slow, 3.0 * far / slow.speed, 0.35 * far, far, 14.0, CUSP);
    check_add(run, "ripple.wake.havelock.0.8", angle, havelock_angle(0.8),
              1.5 / havelock_angle(0.8));
    // Shallower still, so that the front is thin, and a wide patch that makes long waves.
    Wake fast = slow;
    fast.depth = 0.25, fast.speed = 1.2 * sqrt(g * fast.depth), fast.radius = 2.5;
    double cone = asin(1.0 / 1.2) * 180.0 / pi, near = 0.24 * n * dx;
    angle = wake_angle(run, &fast, 3.0 * far / fast.speed, 0.3 * near, near, 2.0 * dx, STRAIGHT);
    check_add(run, "ripple.wake.havelock.1.2", angle, cone, 1.5 / cone);
}

// ---- Rim and land ----------------------------------------------------------------------------------

// Sends a packet of waves of this length [cells] along +x. Returns the energy.
static double start_packet(TarnRipple* ripple, const TarnRippleDef* def, double cells, double from)
{
    float* eta = (float*)tarn_ripple_height(ripple).data;
    float* phi = (float*)tarn_ripple_potential(ripple).data;
    double middle = 2.0 * pi / (cells * (double)def->dx), n = def->n;
    for (int i = 0; i < def->n; ++i) {
        double x = (i - from) * (double)def->dx, height = 0.0, potential = 0.0;
        for (int m = 1; m < def->n / 2; ++m) { // each wave with its own speed: none runs back
            double k = 2.0 * pi * m / (n * (double)def->dx), off = (k - middle) / middle;
            double size = 0.01 * exp(-40.0 * off * off);
            if (size < 1e-8) continue;
            height += size * cos(k * x);
            potential += size * sqrt(g / (k * tanh(k * (double)def->depth))) * sin(k * x);
        }
        for (int row = 0; row < def->n; ++row) {
            eta[row * def->n + i] = (float)height;
            phi[row * def->n + i] = (float)potential;
        }
    }
    return tarn_ripple_energy(ripple);
}

// Energy of waves up to a length [m] in the row in the middle, farthest from the rims along the packet's way.
static double energy_below(TarnRipple* ripple, const TarnRippleDef* def, double longest)
{
    int n = def->n;
    const float *eta = tarn_ripple_height(ripple).data + n / 2 * n,
                *phi = tarn_ripple_potential(ripple).data + n / 2 * n;
    double sum = 0.0;
    for (int m = 1; m <= n / 2; ++m) {
        double k = 2.0 * pi * m / (n * (double)def->dx), a = 0.0, b = 0.0, c = 0.0, d = 0.0;
        if (k < 2.0 * pi / longest) continue;
        for (int i = 0; i < n; ++i) {
            double angle = 2.0 * pi * m * i / n, cs = cos(angle), sn = sin(angle);
            a += cs * (double)eta[i], b += sn * (double)eta[i];
            c += cs * (double)phi[i], d += sn * (double)phi[i];
        }
        sum += g * (a * a + b * b) + k * tanh(k * (double)def->depth) * (c * c + d * d);
    }
    return sum;
}

// What is left of packets that went out, of waves that are no longer than the rim is wide.
static void check_rim(CheckRun* run)
{
    const double cases[][2] = {
        { 1.0, 100.0 }, { 0.8, 100.0 }, { 0.5, 100.0 }, { 0.25, 100.0 }, { 1.0, 0.4 }
    }; // length in widths of the rim; depth [m]
    for (int i = 0; i < 5; ++i) {
        char name[56];
        TarnRippleDef def = tarn_ripple_default_def();
        def.n = 256, def.dx = 0.25f, def.rim = 16, def.tension = 0.0f;
        def.depth = (float)cases[i][1];
        TarnRipple* ripple = make(run, &def, 0.0f);
        double wide = def.rim * (double)def.dx, cells = cases[i][0] * def.rim;
        start_packet(ripple, &def, cells, 0.75 * def.n);
        double before = energy_below(ripple, &def, wide);
        double k = 2.0 * pi / (cases[i][0] * wide), t = tanh(k * cases[i][1]);
        double group =
            0.5 * sqrt(g * t / k) * (1.0 + 2.0 * k * cases[i][1] / sinh(2.0 * k * cases[i][1]));
        double time = 0.5 * def.n * (double)def.dx / group; // out, and back
        for (double at = 0.0; at < time; at += 1.0 / 30.0)
            tarn_ripple_step(ripple, 1.0f / 30.0f, NULL);
        snprintf(name, sizeof name, i < 4 ? "ripple.rim.%g" : "ripple.rim.shallow", cases[i][0]);
        check_add(run, name, sqrt(energy_below(ripple, &def, wide) / before), 0.0, 0.01);
        tarn_ripple_destroy(ripple);
    }
}

// ---- Rim at an angle -------------------------------------------------------------------------------

enum { BEAM = 512, BEAM_RIM = 16, BEAM_TAPER = 8 };

typedef struct Beam { // a window of complex numbers, x fastest
    double re[BEAM * BEAM], im[BEAM * BEAM];
} Beam;

// sum of f(i) exp(-2 pi i m / BEAM), in place: bits of places reversed, then halves joined to wholes.
static void transform_line(double* re, double* im, int stride)
{
    for (int i = 0, j = 0; i < BEAM; ++i) {
        if (i < j) {
            double x = re[i * stride], y = im[i * stride];
            re[i * stride] = re[j * stride], im[i * stride] = im[j * stride];
            re[j * stride] = x, im[j * stride] = y;
        }
        int bit = BEAM / 2;
        for (; j & bit; bit /= 2) j -= bit;
        j += bit;
    }
    for (int half = 1; half < BEAM; half *= 2) {
        for (int m = 0; m < half; ++m) {
            double c = cos(pi * m / half), s = -sin(pi * m / half);
            for (int i = m; i < BEAM; i += 2 * half) {
                int a = i * stride, b = (i + half) * stride;
                double x = re[b] * c - im[b] * s, y = im[b] * c + re[b] * s;
                re[b] = re[a] - x, im[b] = im[a] - y;
                re[a] += x, im[a] += y;
            }
        }
    }
}
static void transform(Beam* b)
{
    for (int i = 0; i < BEAM; ++i) transform_line(b->re + i * BEAM, b->im + i * BEAM, 1);
    for (int i = 0; i < BEAM; ++i) transform_line(b->re + i, b->im + i, BEAM);
}

// Wave number of a place in a spectrum, as a multiple of the window's first.
static int wave_of(int m)
{
    return m < BEAM / 2 ? m : m - BEAM;
}

// Waves around this length [cells] that run at this angle [radians] to the x axis, around (x, z) [cells]. Each has its
// own potential, so that none runs back.
static void start_beam(Beam* b, TarnRipple* ripple, const TarnRippleDef* def, double cells,
                       double angle, double x, double z)
{
    float* to[] = { (float*)tarn_ripple_height(ripple).data,
                    (float*)tarn_ripple_potential(ripple).data };
    double unit = 2.0 * pi / (BEAM * (double)def->dx), middle = BEAM / cells;
    for (int f = 0; f < 2; ++f) {
        for (int m = 0; m < BEAM * BEAM; ++m) {
            int mx = wave_of(m % BEAM), mz = wave_of(m / BEAM);
            double off = hypot(mx - middle * cos(angle), mz - middle * sin(angle)) / middle;
            double k = fmax(unit * hypot(mx, mz), 1e-9),
                   start = 2.0 * pi * (mx * x + mz * z) / BEAM;
            double size = 1e-3 * exp(-90.0 * off * off);
            if (f == 1) size *= sqrt(g / (k * tanh(k * (double)def->depth)));
            b->re[m] = size * cos(start), b->im[m] = size * sin(start); // conjugate: back to space
        }
        transform(b);
        for (int i = 0; i < BEAM * BEAM; ++i) to[f][i] = (float)(f == 0 ? b->re[i] : -b->im[i]);
    }
}

static double inside_rims(int i)
{
    double in = (fmin(i, BEAM - 1 - i) - BEAM_RIM + 0.5) / BEAM_TAPER, s = fmin(fmax(in, 0.0), 1.0);
    return s * s * (3.0 - 2.0 * s);
}

// Energy between the rims of waves up to a length [m].
static double beam_energy(Beam* b, const TarnRipple* ripple, const TarnRippleDef* def,
                          double longest)
{
    const float *eta = tarn_ripple_height(ripple).data, *phi = tarn_ripple_potential(ripple).data;
    for (int i = 0; i < BEAM * BEAM; ++i) {
        double share = inside_rims(i % BEAM) * inside_rims(i / BEAM);
        b->re[i] = share * (double)eta[i], b->im[i] = share * (double)phi[i];
    }
    transform(b);
    double unit = 2.0 * pi / (BEAM * (double)def->dx), sum = 0.0;
    for (int m = 0; m < BEAM * BEAM; ++m) {
        int back = (BEAM - m / BEAM) % BEAM * BEAM + (BEAM - m % BEAM) % BEAM;
        double k = unit * hypot(wave_of(m % BEAM), wave_of(m / BEAM));
        if (k < 2.0 * pi / longest) continue;
        double h = hypot(b->re[m] + b->re[back], b->im[m] - b->im[back]);
        double p = hypot(b->re[m] - b->re[back], b->im[m] + b->im[back]);
        sum += g * h * h + k * tanh(k * (double)def->depth) * p * p;
    }
    return sum;
}

// What comes back from a rim at an angle, of waves that are no longer than it is wide: a beam runs to the rim on the
// right and, as far as there is something left of it, away from it again. It never comes near the rims in front and behind.
// At 45 degrees waves of one width are 1.4 widths long across the rim, and more comes back (docs/solvers/ripple.md).
static void check_rim_angles(CheckRun* run)
{
    const double cases[][4] = {
        { 1.0, 20.0, 100.0, 0.01 }, { 1.0, 45.0, 100.0, 0.08 }, { 0.5, 20.0, 100.0, 0.01 },
        { 0.5, 45.0, 100.0, 0.01 }, { 1.0, 20.0, 0.4, 0.01 },   { 0.5, 45.0, 0.4, 0.01 }
    }; // length in widths of the rim; angle [degrees]; depth [m]; tolerance
    Beam* b = malloc(sizeof *b);
    for (int i = 0; i < (run->is_quick ? 1 : 6); ++i) {
        char name[56];
        double angle = cases[i][1] * pi / 180.0, depth = cases[i][2];
        TarnRippleDef def = tarn_ripple_default_def();
        def.n = BEAM, def.dx = 0.25f, def.rim = BEAM_RIM, def.tension = 0.0f;
        def.depth = (float)depth;
        TarnRipple* ripple = make(run, &def, 0.0f);
        double wide = def.rim * (double)def.dx, k = 2.0 * pi / (cases[i][0] * wide);
        double group = 0.5 * sqrt(g * tanh(k * depth) / k) *
                       (1.0 + 2.0 * k * depth / sinh(fmin(2.0 * k * depth, 700.0)));
        double way = 0.5 * BEAM; // along x
        start_beam(b, ripple, &def, cases[i][0] * def.rim, angle, 0.77 * BEAM,
                   0.5 * (BEAM - way * tan(angle)));
        double before = beam_energy(b, ripple, &def, wide);
        double time = way * (double)def.dx / (group * cos(angle));
        for (double at = 0.0; at < time; at += 1.0 / 15.0)
            tarn_ripple_step(ripple, 1.0f / 15.0f, NULL);
        snprintf(name, sizeof name, "ripple.rim.%s%g.%g", depth < 1.0 ? "shallow." : "",
                 cases[i][0], cases[i][1]);
        check_add(run, name, sqrt(beam_energy(b, ripple, &def, wide) / before), 0.0, cases[i][3]);
        tarn_ripple_destroy(ripple);
    }
    free(b);
}

// A pier across the way of a packet. Energy never grows, from step to step; what comes back is printed by the row of the
// reflection, which is how the page knows it.
static void check_land(CheckRun* run)
{
    TarnRippleDef def = tarn_ripple_default_def();
    def.n = 256, def.dx = 0.25f, def.rim = 0, def.depth = 100.0f, def.tension = 0.0f;
    uint8_t* land = calloc((size_t)def.n * (size_t)def.n, 1);
    for (int c = 0; c < def.n * def.n; ++c) land[c] = c % def.n >= 150 && c % def.n < 190;
    for (int c = 0; c < 2000; ++c) land[(c * 7919) % (def.n * def.n)] = c % 3 == 0; // and posts
    def.land = land;
    TarnRipple* ripple = make(run, &def, 0.0f);
    double last = start_packet(ripple, &def, 16.0, 70.0), grown = 0.0;
    for (int s = 0; s < (run->is_quick ? 200 : 900); ++s) {
        tarn_ripple_step(ripple, s % 3 ? 1.0f / 60.0f : 1.0f / 25.0f, NULL);
        double now = tarn_ripple_energy(ripple);
        grown = fmax(grown, now / last - 1.0);
        last = now;
    }
    check_add(run, "ripple.land.energy", grown, 0.0, 1e-5);
    tarn_ripple_destroy(ripple);
    memset(land, 0, (size_t)def.n * (size_t)def.n);
    for (int c = 0; c < def.n * def.n; ++c) land[c] = c % def.n >= 150 && c % def.n < 230;
    ripple = make(run, &def, 0.0f);
    double before = start_packet(ripple, &def, 10.0, 90.0), k = 2.0 * pi / 2.5;
    double time = 130.0 * 0.25 / (0.5 * sqrt(g / k));
    for (double t = 0.0; t < time; t += 1.0 / 60.0) tarn_ripple_step(ripple, 1.0f / 60.0f, NULL);
    check_add(run, "ripple.land.reflection", sqrt(tarn_ripple_energy(ripple) / before), 0.8, 0.25);
    tarn_ripple_destroy(ripple);
    free(land);
}

static void check_volume(CheckRun* run)
{
    TarnRippleDef def = tarn_ripple_default_def();
    def.rim = 0;
    TarnRipple* ripple = make(run, &def, 0.0f);
    TarnSurfacePush push = { .center = { 30, 30 },
                             .from = { 27, 30 },
                             .radius = 1,
                             .from_radius = 2,
                             .volume = 0.5f,
                             .dt = 1.0f / 60.0f };
    for (int s = 0; s < 60; ++s) {
        tarn_surface_push(tarn_ripple_surface(ripple), &push, NULL);
        tarn_ripple_add_drop(ripple, (TarnVec2){ 10.0f + (float)s * 0.5f, 20 }, 1.0f, 0.1f);
        tarn_ripple_step(ripple, 1.0f / 60.0f, NULL);
    }
    check_add(run, "ripple.volume", tarn_ripple_volume(ripple), 0.0, 1e-3);
    tarn_ripple_destroy(ripple);
}

void check_ripple(CheckRun* run, const char* group)
{
    if (strcmp(group, "ripple.rings") == 0) {
        check_rings(run, "ripple.rings.deep", 0.25, 100.0, 6.0);
        check_rings(run, "ripple.rings.shallow", 0.25, 0.5, 6.0);
        check_rings(run, "ripple.rings.capillary", 0.001, 1.0, 0.25);
    }
    if (strcmp(group, "ripple.wake") == 0) check_integral(run), check_angles(run), check_depth(run);
    if (strcmp(group, "ripple.rim") == 0) check_rim(run), check_rim_angles(run);
    if (strcmp(group, "ripple.land") == 0) check_land(run);
    if (strcmp(group, "ripple.volume") == 0) check_volume(run);
}
