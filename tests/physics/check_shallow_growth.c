// Shallow water must not make waves of its own: noise on a uniform flow dies out, at every speed, in every
// direction and for every wave number.
//
// The scheme of shallow_kernels.c is written here once more, linearised around a uniform flow. Three things
// are done with it. It is held against the solver itself, one substep on noise, so that it cannot
// drift from the code. With a fixed branch of the slope limiter its response to an impulse gives a 3 x 3
// matrix per wave number, whose largest eigenvalue is the growth per substep. And the solver runs
// for a minute with noise, where all branches mix and nothing is linear.

#include "check_shallow.h"
#include <complex.h>

// ---- The scheme, linearised -------------------------------------------------------------------------------

enum { GRID = 16 }; // cells along x and z, periodic

typedef enum Slope { SLOPE_AHEAD, SLOPE_BEHIND, SLOPE_NONE, SLOPE_LIMITED } Slope;
static const char* const slope_names[3] = { "ahead", "behind", "none" };

typedef struct Flow {
    double depth, u, w;  // of the uniform flow
    double u_max, w_max; // fastest in the grid, of which the shares of slopes are made
    double k;            // dt / dx
    double squeeze;      // theta
    bool has_momentum;
    Slope slope;
} Flow;

typedef struct Waves { // small deviations from the flow: depth, speeds at the faces at -x and -z
    double h[GRID * GRID], u[GRID * GRID], w[GRID * GRID];
} Waves;

typedef struct Axis { // one step along x or z
    int i, k;
} Axis;
static const Axis along_x = { 1, 0 }, along_z = { 0, 1 };

static double at(const double* q, int i, int k)
{
    return q[(i & (GRID - 1)) + GRID * (k & (GRID - 1))];
}
static double at_step(const double* q, int i, int k, Axis a, int n) // n steps from (i, k)
{
    return at(q, i + n * a.i, k + n * a.k);
}

// What a flow carries across, between values number n - 1 and n along an axis.
static double carried(const Flow* f, const double* q, int i, int k, Axis a, int n, double flow,
                      double share)
{
    double left = at_step(q, i, k, a, n - 1), right = at_step(q, i, k, a, n);
    double upwind = flow < 0.0 ? right : left;
    double far = flow < 0.0 ? at_step(q, i, k, a, n + 1) : at_step(q, i, k, a, n - 2);
    double ahead = flow < 0.0 ? left - right : right - left, behind = upwind - far, slope = 0.0;
    if (f->slope == SLOPE_AHEAD) slope = ahead;
    if (f->slope == SLOPE_BEHIND) slope = behind;
    if (f->slope == SLOPE_LIMITED && ahead * behind > 0.0)
        slope = fabs(ahead) < fabs(behind) ? ahead : behind;
    return upwind + share * slope;
}

// Fluxes through the faces at -x, or at -z.
static void fluxes(const Flow* f, const double* squeezed, const double* speed, Axis a, double out[])
{
    double flow = a.i ? f->u : f->w, across = a.i ? f->w_max : f->u_max;
    double share = 0.5 - 0.5 * f->k * (fabs(flow) + across);
    for (int c = 0; c < GRID * GRID; ++c) {
        double depth = carried(f, squeezed, c % GRID, c / GRID, a, 0, flow, share);
        out[c] = f->k * (flow * depth + f->depth * speed[c]);
    }
}

// Momentum of the speed along `a` carried along `by`, from step n - 1 to n, for face (i, k).
static double momentum(const Flow* f, const double* speed, const double* flux, int i, int k, Axis a,
                       Axis by, int n)
{
    double flow = by.i ? f->u : f->w, base = a.i ? f->u : f->w;
    double share = 0.5 - 0.5 * f->k * (f->u_max + f->w_max);
    // Through cell centers along the own axis: the mean of the fluxes of faces n - 1 and n. Through
    // corners along the other: of the fluxes on both sides of the face.
    double flux_1 = at_step(flux, i, k, by, n);
    double flux_0 = a.i == by.i ? at_step(flux, i, k, by, n - 1)
                                : at(flux, i + n * by.i - a.i, k + n * by.k - a.k);
    return 0.5 * (flux_0 + flux_1) * base +
           f->k * f->depth * flow * carried(f, speed, i, k, by, n, flow, share);
}

static void new_speeds(const Flow* f, const Waves* from, const double* fx, const double* fz,
                       const double* h1, Axis a, double out[])
{
    const double* speed = a.i ? from->u : from->w;
    double base = a.i ? f->u : f->w;
    for (int c = 0; c < GRID * GRID; ++c) {
        int i = c % GRID, k = c / GRID;
        double before = 0.5 * (at(from->h, i, k) + at_step(from->h, i, k, a, -1));
        double after = 0.5 * (at(h1, i, k) + at_step(h1, i, k, a, -1));
        double sum = f->depth * speed[c] + base * (f->has_momentum ? before - after : 0.0);
        for (int n = 0; n < 2 && f->has_momentum; ++n) {
            double sign = n == 0 ? 1.0 : -1.0;
            sum += sign * momentum(f, speed, fx, i, k, a, along_x, n);
            sum += sign * momentum(f, speed, fz, i, k, a, along_z, n);
        }
        double step = at(h1, i, k) - at_step(h1, i, k, a, -1);
        out[c] = sum / f->depth - g * f->k * step;
    }
}

static void linear_substep(const Flow* f, const Waves* from, Waves* to)
{
    static double squeezed[GRID * GRID], fx[GRID * GRID], fz[GRID * GRID];
    for (int c = 0; c < GRID * GRID; ++c) {
        int i = c % GRID, k = c / GRID;
        double spread = at(from->u, i + 1, k) - from->u[c] + at(from->w, i, k + 1) - from->w[c];
        squeezed[c] = from->h[c] - f->squeeze * f->k * f->depth * spread;
    }
    fluxes(f, squeezed, from->u, along_x, fx);
    fluxes(f, squeezed, from->w, along_z, fz);
    for (int c = 0; c < GRID * GRID; ++c) {
        int i = c % GRID, k = c / GRID;
        to->h[c] = from->h[c] - (at(fx, i + 1, k) - fx[c]) - (at(fz, i, k + 1) - fz[c]);
    }
    new_speeds(f, from, fx, fz, to->h, along_x, to->u);
    new_speeds(f, from, fx, fz, to->h, along_z, to->w);
}

static Flow make_flow(double froude, double degrees, double courant, int advection, Slope slope)
{
    double depth = 0.33, c = sqrt(g * depth), angle = degrees * pi / 180.0;
    Flow f = { .depth = depth, .u = froude * c * cos(angle), .w = froude * c * sin(angle) };
    f.u_max = fabs(f.u), f.w_max = fabs(f.w);
    // As long as the solver allows: tarn__shallow_stable_dt.
    double waves = 1.4142136 * c + f.u_max + f.w_max, out = 1.5 * (f.u_max + f.w_max);
    f.k = courant / fmax(waves, out);
    f.has_momentum = advection == TARN_ADVECTION_MOMENTUM;
    f.squeeze = f.has_momentum ? 1.0 : 0.5;
    f.slope = slope;
    return f;
}

// ---- Growth per wave number -------------------------------------------------------------------------------

// Largest root of x^3 + a x^2 + b x + c, in size, by Durand and Kerner.
static double largest_root(double complex a, double complex b, double complex c)
{
    double complex x[3] = { 1.0, 0.4 + 0.9 * I, -0.65 + 0.72 * I };
    for (int n = 0; n < 200; ++n) {
        double moved = 0.0;
        for (int r = 0; r < 3; ++r) {
            double complex others = (x[r] - x[(r + 1) % 3]) * (x[r] - x[(r + 2) % 3]);
            if (others == 0.0) others = 1e-30;
            double complex step = (((x[r] + a) * x[r] + b) * x[r] + c) / others;
            x[r] -= step;
            moved = fmax(moved, cabs(step));
        }
        if (moved < 1e-14) break;
    }
    return fmax(cabs(x[0]), fmax(cabs(x[1]), cabs(x[2])));
}

static double largest_eigenvalue(double complex m[3][3])
{
    double complex trace = m[0][0] + m[1][1] + m[2][2];
    double complex minors = m[0][0] * m[1][1] - m[0][1] * m[1][0] + m[0][0] * m[2][2] -
                            m[0][2] * m[2][0] + m[1][1] * m[2][2] - m[1][2] * m[2][1];
    double complex det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
    return largest_root(-trace, minors, -det);
}

// What an impulse in each field becomes, where it is not zero: the matrix of a wave number is the sum of these
// with the phase of their places.
typedef struct Stencil {
    int n, di[GRID * GRID], dk[GRID * GRID];
    double to[GRID * GRID][3][3]; // [field after][field before]
} Stencil;

static void find_stencil(const Flow* f, Stencil* s)
{
    static Waves impulse, response[3];
    for (int q = 0; q < 3; ++q) {
        impulse = (Waves){ 0 };
        (q == 0 ? impulse.h : q == 1 ? impulse.u : impulse.w)[GRID / 2 * (GRID + 1)] = 1.0;
        linear_substep(f, &impulse, &response[q]);
    }
    s->n = 0;
    for (int c = 0; c < GRID * GRID; ++c) {
        double size = 0.0;
        for (int q = 0; q < 3; ++q) {
            const double to[3] = { response[q].h[c], response[q].u[c], response[q].w[c] };
            for (int r = 0; r < 3; ++r) size += fabs(s->to[s->n][r][q] = to[r]);
        }
        s->di[s->n] = c % GRID - GRID / 2, s->dk[s->n] = c / GRID - GRID / 2;
        s->n += size > 0.0;
    }
}

enum { NUMBERS = 32 }; // wave numbers per axis, 2 pi / 32 per cell apart

// The largest growth of all wave numbers, per substep.
static double growth(const Flow* f)
{
    static Stencil s;
    double complex phase[NUMBERS];
    for (int n = 0; n < NUMBERS; ++n) phase[n] = cexp(-2.0 * pi * I * n / NUMBERS);
    find_stencil(f, &s);
    double worst = 0.0;
    for (int n = 1; n < NUMBERS * (NUMBERS / 2 + 1);
         ++n) { // half of them: the others are conjugate
        double complex m[3][3] = { 0 };
        for (int j = 0; j < s.n; ++j) {
            int turn = n % NUMBERS * s.di[j] + n / NUMBERS * s.dk[j];
            double complex p = phase[turn & (NUMBERS - 1)];
            for (int e = 0; e < 9; ++e) m[e / 3][e % 3] += s.to[j][e / 3][e % 3] * p;
        }
        worst = fmax(worst, largest_eigenvalue(m));
    }
    return worst;
}

// The worst of all speeds and directions, for each branch of the limiter and courant number.
static void check_linear_growth(CheckRun* run, int advection)
{
    static const double courants[5] = { 0.1, 0.3, 0.5, 0.7, 0.9 };
    int stride = run->is_quick ? 2 : 1;
    for (int slope = 0; slope < 3; ++slope) {
        double worst = 0.0;
        for (int n = 0; n < 5; n += stride) {
            for (int froude = 0; froude <= 8; froude += stride) {
                for (int turn = 0; turn < 16; turn += stride) {
                    Flow f = make_flow(0.25 * froude, 22.5 * turn, courants[n], advection, slope);
                    worst = fmax(worst, growth(&f) - 1.0);
                }
            }
        }
        char name[64];
        snprintf(name, sizeof name, "shallow.growth.%s.%s", advection_names[advection],
                 slope_names[slope]);
        check_add(run, name, worst, 0.0, 1e-6);
    }
}

// ---- The linearised scheme against the solver -----------------------------------------------------------------

// A periodic grid with a uniform flow over a flat bed.
static TarnShallow* make_flowing(CheckRun* run, int n, int advection, double courant, double depth)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = def.nz = n;
    def.dx = 0.1f;
    def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_SHALLOW_PERIODIC;
    def.level = (float)depth, def.has_level = true;
    def.max_depth = 0.5f;
    def.advection = advection;
    def.courant = (float)courant;
    def.sleep_speed = 0.0f;
    def.max_substeps = 1000;
    return make_water(run, &def);
}

// One substep of the solver from the flow plus (or minus) small waves; what comes of the waves.
static void solver_substep(CheckRun* run, Flow* f, int advection, const Waves* from, double sign,
                           Waves* to)
{
    TarnShallow* water = make_flowing(run, GRID, advection, 0.9, f->depth);
    double u_max = 0.0, w_max = 0.0;
    for (int c = 0; c < GRID * GRID; ++c) {
        size_t to_c = shallow_cell(water, c % GRID, c / GRID);
        water->h[to_c] = tarn__shallow_snap(water, (float)(f->depth + sign * from->h[c]));
        water->u[to_c] = (float)(f->u + sign * from->u[c]);
        water->w[to_c] = (float)(f->w + sign * from->w[c]);
        u_max = fmax(u_max, fabs(f->u + sign * from->u[c]));
        w_max = fmax(w_max, fabs(f->w + sign * from->w[c]));
    }
    speeds_written(water);
    f->u_max += 0.5 * u_max, f->w_max += 0.5 * w_max; // the mean of both signs
    TarnStepReport report;
    must(run, tarn_shallow_step(water, (float)(f->k * 0.1), &report));
    for (int c = 0; c < GRID * GRID; ++c) {
        size_t at_c = shallow_cell(water, c % GRID, c / GRID);
        bool is_one = report.substeps == 1;
        to->h[c] += 0.5 * sign * (is_one ? (double)water->h[at_c] : NAN);
        to->u[c] += 0.5 * sign * (double)water->u[at_c];
        to->w[c] += 0.5 * sign * (double)water->w[at_c];
    }
    tarn_shallow_destroy(water);
}

// Noise of 0.05 % through both: half the difference of two runs with opposite signs is linear up to
// 1e-5. Returns the largest difference as a part of the noise.
static double disagreement(CheckRun* run, double froude, double degrees, int advection)
{
    static Waves noise, solver, linear;
    Flow f = make_flow(froude, degrees, 0.7, advection, SLOPE_LIMITED);
    double size = 5e-4, c = sqrt(g * f.depth), worst = 0.0;
    for (int n = 0; n < GRID * GRID; ++n) {
        noise.h[n] = size * f.depth * (2.0 * (double)tarn__random01(5, 0, (uint64_t)n) - 1.0);
        noise.u[n] = size * c * (2.0 * (double)tarn__random01(5, 1, (uint64_t)n) - 1.0);
        noise.w[n] = size * c * (2.0 * (double)tarn__random01(5, 2, (uint64_t)n) - 1.0);
    }
    solver = (Waves){ 0 };
    f.u_max = f.w_max = 0.0;
    solver_substep(run, &f, advection, &noise, 1.0, &solver);
    solver_substep(run, &f, advection, &noise, -1.0, &solver);
    linear_substep(&f, &noise, &linear);
    for (int n = 0; n < GRID * GRID; ++n) {
        worst = fmax(worst, fabs(solver.h[n] - linear.h[n]) / (size * f.depth));
        worst = fmax(worst, fabs(solver.u[n] - linear.u[n]) / (size * c));
        worst = fmax(worst, fabs(solver.w[n] - linear.w[n]) / (size * c));
        if (isnan(solver.h[n])) worst = INFINITY; // more than one substep
    }
    return worst;
}

static void check_agreement(CheckRun* run, int advection)
{
    double worst = 0.0;
    for (int froude = 1; froude <= 4; ++froude) {
        for (int turn = 0; turn < 8; ++turn)
            worst = fmax(worst, disagreement(run, 0.5 * froude, 10.0 + 45.0 * turn, advection));
    }
    char name[64];
    snprintf(name, sizeof name, "shallow.growth.%s.as_coded", advection_names[advection]);
    check_add(run, name, worst, 0.0, 1e-3);
}

// ---- The solver with noise --------------------------------------------------------------------------------

enum { NOISY = 64 }; // cells along x and z

// The root of the mean energy of what is not uniform, as a height [m].
static double noise_of(const TarnShallow* water)
{
    double sum[3] = { 0 }, squares[3] = { 0 }, n = NOISY * NOISY;
    for (int c = 0; c < NOISY * NOISY; ++c) {
        size_t at_c = shallow_cell(water, c % NOISY, c / NOISY);
        const double q[3] = { (double)water->h[at_c], (double)water->u[at_c],
                              (double)water->w[at_c] };
        for (int f = 0; f < 3; ++f) sum[f] += q[f], squares[f] += q[f] * q[f];
    }
    double part[3];
    for (int f = 0; f < 3; ++f) part[f] = fmax(0.0, squares[f] / n - sum[f] / n * (sum[f] / n));
    return sqrt(part[0] + (part[1] + part[2]) * sum[0] / n / g);
}

static void add_noise(TarnShallow* water, double u, double w)
{
    int nx = tarn_shallow_def(water)->nx, nz = tarn_shallow_def(water)->nz;
    for (int c = 0; c < nx * nz; ++c) {
        size_t to = shallow_cell(water, c % nx, c / nx);
        float noise = 1e-4f * (2.0f * tarn__random01(9, 0, (uint64_t)c) - 1.0f);
        water->h[to] += tarn__shallow_snap(water, noise);
        water->u[to] = (float)u, water->w[to] = (float)w;
    }
    speeds_written(water);
}

// A minute of the flow with noise in the depth. Its energy swings a little, as speeds and depths are half a
// substep apart; so peaks of ten seconds are compared, each with the one before, until rounding is
// all that is left. Returns the largest ratio; left: the last peak, as a part of the noise at the start.
static double noise_growth(CheckRun* run, int advection, double u, double w, double courant,
                           double* left)
{
    const double rounding =
        1.2e-5; // of speeds in floats, at the fastest flow and shortest substeps [m]
    TarnShallow* water = make_flowing(run, NOISY, advection, courant, 0.33);
    add_noise(water, u, w);
    double first = noise_of(water), last = first, worst = 0.0;
    for (int tens = 1; tens <= (run->is_quick ? 2 : 6); ++tens) {
        double peak = 0.0;
        for (int n = 10 * tens - 9; n <= 10 * tens; ++n) {
            run_to(run, water, n, 1.0 / 60.0);
            peak = fmax(peak, noise_of(water));
        }
        if (last > rounding) worst = fmax(worst, peak / last);
        last = peak;
    }
    *left = last / first;
    tarn_shallow_destroy(water);
    return worst;
}

static const double noise_speeds[4] = { 0.545, 2.5, 1.2, 4.0 };

static void check_noise(CheckRun* run, int advection)
{
    static const struct {
        const char* name;
        double u, w;
    } ways[4] = { { "x", 1.0, 0.0 },
                  { "z", 0.0, 1.0 },
                  { "diagonal", 0.7071, 0.7071 },
                  { "slant", -0.9239, 0.3827 } };
    static const double courants[3] = { 0.8, 0.4, 0.1 };
    int n_runs = run->is_quick ? 2 : advection == TARN_ADVECTION_MOMENTUM ? 12 : 4;
    for (int d = 0; d < 4; ++d) {
        double worst = 0.0, most_left = 0.0;
        for (int n = 0; n < n_runs; ++n) {
            double left, v = noise_speeds[n % 4], u = v * ways[d].u, w = v * ways[d].w;
            double ratio = noise_growth(run, advection, u, w, courants[n / 4], &left);
            worst = fmax(worst, ratio), most_left = fmax(most_left, left);
        }
        char name[64];
        snprintf(name, sizeof name, "shallow.growth.%s.noise_%s", advection_names[advection],
                 ways[d].name);
        check_add(run, name, fmax(0.0, worst - 1.0), 0.0, 0.0);
        snprintf(name, sizeof name, "shallow.growth.%s.left_%s", advection_names[advection],
                 ways[d].name);
        check_add(run, name, most_left, 0.0, run->is_quick ? 0.4 : 0.3);
    }
}

// A channel with discharge at one end and a level at the other, between walls or periodic across. The
// largest deviation of the depth from its mean along the channel after a minute, in mm.
static double channel_noise(CheckRun* run, double speed, int edge_z)
{
    enum { NX = 128, NZ = 48 };
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = NX, def.nz = NZ;
    def.dx = 0.1f;
    def.edge_z0 = def.edge_z1 = edge_z;
    def.level = 0.33f, def.has_level = true;
    def.max_depth = 0.5f;
    TarnShallow* water = make_water(run, &def);
    TarnShallowSpanDef in = tarn_shallow_default_span(), out = tarn_shallow_default_span();
    in.side = TARN_SIDE_X0, in.kind = TARN_SHALLOW_DISCHARGE;
    in.value = (float)(speed * 0.33 * NZ * (double)def.dx);
    out.side = TARN_SIDE_X1, out.kind = TARN_SHALLOW_LEVEL;
    out.value = 0.33f;
    must(run, tarn_shallow_add_span(water, &in, NULL));
    must(run, tarn_shallow_add_span(water, &out, NULL));
    add_noise(water, speed, 0.0);
    run_to(run, water, run->is_quick ? 20.0 : 60.0, 1.0 / 60.0);
    double mean = 0.0, worst = 0.0;
    for (int c = 0; c < NX * NZ; ++c) mean += depth_at(water, c % NX, c / NX) / (NX * NZ);
    for (int c = 0; c < NX * NZ; ++c)
        worst = fmax(worst, fabs(depth_at(water, c % NX, c / NX) - mean));
    tarn_shallow_destroy(water);
    return 1e3 * worst;
}

static void check_channels(CheckRun* run)
{
    for (int n = 0; n < 2; ++n) {
        check_add(
            run, n ? "shallow.growth.channel.walls_mm" : "shallow.growth.channel.periodic_mm",
            fmax(channel_noise(run, 0.545, n ? TARN_SHALLOW_REFLECTING : TARN_SHALLOW_PERIODIC),
                 channel_noise(run, 1.2, n ? TARN_SHALLOW_REFLECTING : TARN_SHALLOW_PERIODIC)),
            0.0, 0.1);
    }
}

void check_shallow_growth(CheckRun* run, const char* group)
{
    (void)group;
    static const int advections[2] = { TARN_ADVECTION_MOMENTUM, TARN_ADVECTION_NONE };
    for (int n = 0; n < 2; ++n) {
        check_linear_growth(run, advections[n]);
        check_agreement(run, advections[n]);
        check_noise(run, advections[n]);
    }
    check_channels(run);
}
