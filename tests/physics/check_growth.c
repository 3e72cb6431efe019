// Do pipes and waves amplify noise? The growth of every wave per substep, from the solvers' own substep: a wave of
// each kind of state goes in, its parts in what comes out are a column of the amplification matrix, and no eigenvalue of
// that may be above 1. Then a minute of noise, also in a window that moves.

#include "check.h"
#include "waves/pipes_internal.h"
#include "waves/wave_internal.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// ---- Spectral radius ---------------------------------------------------------------------------------------

enum { MOST_STATES = 3 };
typedef double complex Matrix[MOST_STATES][MOST_STATES];

// |M^n|^(1/n) for n = 2^30, by squaring.
static double spectral_radius(Matrix m, int n)
{
    double log_size = 0.0, power = 1.0;
    for (int squaring = 0; squaring < 30; ++squaring) {
        double size = 0.0;
        for (int c = 0; c < n * n; ++c) size = fmax(size, cabs(m[c / n][c % n]));
        if (!(size > 0.0)) return 0.0;
        log_size += log(size) / power;
        Matrix next = { { 0 } };
        for (int r = 0; r < n; ++r)
            for (int c = 0; c < n; ++c)
                for (int j = 0; j < n; ++j) next[r][c] += m[r][j] / size * (m[j][c] / size);
        memcpy(m, next, sizeof next);
        power *= 2.0;
    }
    return exp(log_size);
}

static void must(CheckRun* run, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: check: %s: %s\n", tarn_result_name(result), tarn_last_error(run->ctx));
    exit(1);
}

// ---- Waves: amplification ------------------------------------------------------------------------------------

enum { WAVE_N = 32 };

static TarnWaveDef wave_def(int laplacian, int edge, int n, double courant)
{
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = def.nz = n;
    def.dx = 1.0f;
    def.speed = 1.0f;
    def.laplacian = laplacian;
    def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = edge;
    def.courant = (float)courant;
    def.sleep_speed = 0.0f;
    return def;
}
static TarnWave* make_wave(CheckRun* run, const TarnWaveDef* def)
{
    TarnWave* wave = check_wave_create(run, def);
    TarnWaveParams params = tarn_wave_default_params();
    params.damping = 0.0f;
    must(run, tarn_wave_set_params(wave, &params));
    return wave;
}

// exp(2 pi i phase / N) for each phase of a wave in a cell.
static double complex turns[WAVE_N];
static void make_turns(void)
{
    for (int t = 0; t < WAVE_N; ++t) turns[t] = cexp(I * (2.0 * pi / WAVE_N) * t);
}
static double complex turn(int m, int n, int i, int k)
{
    unsigned phase = (unsigned)(m * i + n * k); // N is a power of two: right for negative ones, too
    return turns[phase % WAVE_N];
}

// Part of exp(i (m x + n z) 2 pi / N) in a periodic field.
static double complex part_of(const TarnWave* wave, const float* field, int m, int n)
{
    double complex sum = 0.0;
    for (int k = 0; k < WAVE_N; ++k)
        for (int i = 0; i < WAVE_N; ++i)
            sum += (double)field[wave_cell(wave, i, k)] * conj(turn(m, n, i, k));
    bool is_real = (2 * m) % WAVE_N == 0 && (2 * n) % WAVE_N == 0; // its own mirror image
    return sum * (is_real ? 1.0 : 2.0) / (WAVE_N * WAVE_N);
}

// One substep of cos(m x + n z) in u (state 0) or prev (state 1).
static void wave_column(CheckRun* run, TarnWave* wave, int m, int n, int state, Matrix out)
{
    for (int k = 0; k < WAVE_N; ++k) {
        for (int i = 0; i < WAVE_N; ++i) {
            float x = (float)creal(turn(m, n, i, k));
            wave->u[wave_cell(wave, i, k)] = state == 0 ? x : 0.0f;
            wave->prev[wave_cell(wave, i, k)] = state == 1 ? x : 0.0f;
        }
    }
    wave->is_edited = true;
    wave->ticks = 0; // no correction of the level
    wave->dt = wave->stable_dt;
    tarn__wave_touch(wave, 0, WAVE_N, 0, WAVE_N);
    TarnStepReport report;
    must(run, tarn_wave_step(wave, wave->stable_dt, &report));
    if (report.substeps != 1) exit(1);
    out[0][state] = part_of(wave, wave->u, m, n);
    out[1][state] = part_of(wave, wave->prev, m, n);
}

// Over all wave numbers and directions but the mean, and the range of courant.
static double wave_growth(CheckRun* run, int laplacian)
{
    static const double courants[] = { 0.01, 0.1, 0.5, 0.9, 0.99 };
    double most = 0.0;
    make_turns();
    for (size_t c = 0; c < sizeof courants / sizeof courants[0]; ++c) {
        TarnWaveDef def = wave_def(laplacian, TARN_EDGE_PERIODIC, WAVE_N, courants[c]);
        TarnWave* wave = make_wave(run, &def);
        for (int m = 0; m <= WAVE_N / 2; ++m) {
            for (int n = -WAVE_N / 2 + 1; n <= WAVE_N / 2; ++n) {
                Matrix matrix = { { 0 } };
                if (m == 0 && n == 0) continue;
                for (int state = 0; state < 2; ++state) wave_column(run, wave, m, n, state, matrix);
                most = fmax(most, spectral_radius(matrix, 2));
            }
        }
        tarn_wave_destroy(wave);
    }
    return most;
}

// ---- Waves: a window that moves --------------------------------------------------------------------------------

static double slopes(const TarnWave* wave, size_t from, size_t to)
{
    return ((double)wave->u[to] - (double)wave->u[from]) *
           ((double)wave->prev[to] - (double)wave->prev[from]);
}

// What leapfrog keeps between walls: (u - prev)^2 and the product of the slopes of both, times gain. And a thousandth of
// u^2, because a level that rises has no energy of its own.
static double wave_energy(const TarnWave* wave)
{
    double gain = pow((double)wave->wave_speed * (double)wave->dt / (double)wave->def.dx, 2.0);
    bool is_nine = wave->def.laplacian == TARN_LAPLACIAN_NINE;
    double side = is_nine ? 4.0 / 6.0 : 1.0, corner = 1.0 / 6.0, sum = 0.0;
    int nx = wave->def.nx, nz = wave->def.nz;
    size_t up = (size_t)wave->stride;
    for (int k = 0; k < nz; ++k) {
        bool is_first = k == 0, is_last = k == nz - 1;
        for (int i = 0; i < nx; ++i) {
            size_t c = wave_cell(wave, i, k);
            bool is_end = i == nx - 1;
            double sides = 0.0, corners = 0.0;
            if (!is_end) sides += slopes(wave, c, c + 1);
            if (!is_last) sides += slopes(wave, c, c + up);
            if (is_nine && !is_end && !is_last) corners += slopes(wave, c, c + up + 1);
            if (is_nine && !is_end && !is_first) corners += slopes(wave, c, c - up + 1);
            double change = (double)wave->u[c] - (double)wave->prev[c];
            sum += change * change + 1e-3 * (double)wave->u[c] * (double)wave->u[c] +
                   gain * (side * sides + corner * corners);
        }
    }
    return sum;
}

typedef struct Growth {
    double most; // energy at any time, over that at the start
    double late; // in the last second, over that in the middle
} Growth;

// A minute of noise; the window goes by (di, dk) every few steps of 1/60 s.
static Growth window_growth(CheckRun* run, int laplacian, int edge, int di, int dk, int every)
{
    enum { N = 96, STEPS = 3600 };
    static float height[N * N];
    TarnWaveDef def = wave_def(laplacian, edge, N, 0.9);
    def.dx = 0.05f, def.speed = 1.0f; // a third of a cell per step
    for (int c = 0; c < N * N; ++c) height[c] = 0.02f * (tarn__random01(3, 9, (uint64_t)c) - 0.5f);
    def.height = height;
    TarnWave* wave = make_wave(run, &def);
    must(run, tarn_wave_step(wave, 1.0f / 60.0f, NULL));
    double start = wave_energy(wave), middle = 0.0, last = 0.0;
    Growth growth = { 1.0, 0.0 };
    for (int n = 0; n < STEPS; ++n) {
        must(run, tarn_wave_step(wave, 1.0f / 60.0f, NULL));
        if (every > 0 && n % every == every - 1) must(run, tarn_wave_shift(wave, di, dk));
        double energy = wave_energy(wave);
        growth.most = fmax(growth.most, energy / start);
        if (n >= STEPS / 2 - 60 && n < STEPS / 2) middle += energy;
        if (n >= STEPS - 60) last += energy;
    }
    growth.late = middle > 1e-12 * start ? last / middle : 0.0;
    tarn_wave_destroy(wave);
    return growth;
}

static void check_window(CheckRun* run)
{
    static const struct {
        const char* name;
        int di, dk, every;
    } moves[] = { { "still", 0, 0, 0 },     { "slow", 1, 0, 9 },     { "waves", -1, 0, 3 },
                  { "diagonal", 1, -1, 5 }, { "oblique", 2, 1, 7 },  { "fast", 0, 1, 1 },
                  { "jumps", -16, 8, 60 },  { "very_fast", 5, 3, 1 } };
    for (int laplacian = 0; laplacian < 2; ++laplacian) {
        for (int closed = 0; closed < 2; ++closed) {
            Growth worst = { 0 };
            for (size_t m = 0; m < sizeof moves / sizeof moves[0]; ++m) {
                Growth growth = window_growth(run, laplacian,
                                              closed ? TARN_EDGE_REFLECTING : TARN_EDGE_ABSORBING,
                                              moves[m].di, moves[m].dk, moves[m].every);
                worst.most = fmax(worst.most, growth.most);
                worst.late = fmax(worst.late, growth.late);
            }
            char name[64];
            const char* points = laplacian ? "nine" : "five";
            const char* edge = closed ? "reflecting" : "absorbing";
            snprintf(name, sizeof name, "wave.growth.window.%s.%s.energy", points, edge);
            check_add(run, name, worst.most, 1.0, 0.02);
            snprintf(name, sizeof name, "wave.growth.window.%s.%s.late", points, edge);
            check_add(run, name, fmax(worst.late, 1.0), 1.0, 1e-4);
        }
    }
}

// ---- Pipes -------------------------------------------------------------------------------------------------------

enum { PIPES_N = 64, DITHERS = 16 }; // DITHERS: roundings to average over

static TarnPipes* make_pipes(CheckRun* run, double area, double courant, const float* depth)
{
    TarnPipesDef def = tarn_pipes_default_def();
    def.nx = def.nz = PIPES_N;
    def.dx = 1.0f;
    def.pipe_area = (float)area;
    def.courant = (float)courant;
    def.max_depth = 16.0f;
    def.max_substeps = 1000;
    def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_PIPES_CLOSED;
    def.use_erosion = false;
    def.depth = depth;
    TarnPipes* pipes;
    must(run, tarn_pipes_create(run->ctx, &def, &pipes));
    TarnPipesParams params = tarn_pipes_default_params();
    params.friction = params.drag = params.steep_drag = params.rain = params.evaporation = 0.0f;
    must(run, tarn_pipes_set_params(pipes, &params));
    return pipes;
}

static const double pipes_depth = 8.0;

// sin(pi j / 2N), from which come the waves of all numbers; cosines are N further.
static double quarters[4 * PIPES_N];
static void make_quarters(void)
{
    for (int j = 0; j < 4 * PIPES_N; ++j) quarters[j] = sin(pi * j / (2.0 * PIPES_N));
}
static double wave_at_face(int m, int i)
{
    return quarters[2 * m * i % (4 * PIPES_N)];
}
static double wave_at_center(int m, int i)
{
    return quarters[(m * (2 * i + 1) + PIPES_N) % (4 * PIPES_N)];
}

// The wave (m, n) between walls: of depths, and of flow through the faces at -x and -z.
static double pipes_mode(int state, int m, int n, int i, int k)
{
    double a = state == 1 ? wave_at_face(m, i) : wave_at_center(m, i);
    double b = state == 2 ? wave_at_face(n, k) : wave_at_center(n, k);
    return a * b;
}
static float* pipes_field(const TarnPipes* pipes, int state)
{
    return state == 0 ? pipes->d : state == 1 ? pipes->fx : pipes->fz;
}
static double pipes_part(const TarnPipes* pipes, int state, int m, int n)
{
    double sum = 0.0, norm = 0.0, rest = state == 0 ? pipes_depth : 0.0;
    const float* field = pipes_field(pipes, state);
    for (int k = 0; k < PIPES_N; ++k) {
        for (int i = 0; i < PIPES_N; ++i) {
            double mode = pipes_mode(state, m, n, i, k);
            sum += mode * ((double)field[(ptrdiff_t)pipes->stride * k + i] - rest);
            norm += mode * mode;
        }
    }
    return norm > 0.0 ? sum / norm : 0.0;
}

// Waves of half a meter, half a million grains, so that rounding is 1e-7 of them after the sum over all cells. The
// water is not linear at that height, but what grows is the determinant, and that does not depend on how
// hard the surface pulls. Flow is scaled such that both states have the same energy.
static void pipes_column(CheckRun* run, TarnPipes* pipes, int m, int n, int state, Matrix out)
{
    double size = 0.5, pipe = (double)pipes->def.pipe_area / (double)pipes->def.dx;
    double flow = sqrt((double)pipes->def.gravity * (pipe > 0.0 ? pipe : pipes_depth));
    double scale[MOST_STATES] = { 1.0, flow, flow };
    for (int k = 0; k < PIPES_N; ++k) {
        for (int i = 0; i < PIPES_N; ++i) {
            ptrdiff_t c = (ptrdiff_t)pipes->stride * k + i;
            for (int s = 0; s < MOST_STATES; ++s) {
                double x = s == state ? size * scale[s] * pipes_mode(s, m, n, i, k) : 0.0;
                if (s == 0)
                    x = floor((pipes_depth + x) / (double)pipes->grain + 0.5) *
                        (double)pipes->grain;
                pipes_field(pipes, s)[c] = (float)x;
            }
        }
    }
    // What went in, as it was rounded.
    double in = pipes_part(pipes, state, m, n) / scale[state];
    pipes->deepest = (float)(pipes_depth + size);
    TarnStepReport report;
    double dt = (double)pipes->def.courant * (double)pipes->def.dx /
                sqrt(2.0 * (double)pipes->def.gravity * (pipe > 0.0 ? pipe : pipes_depth + size));
    must(run, tarn_pipes_step(pipes, (float)(dt * (1.0 - 1e-6)), &report));
    if (report.substeps != 1) exit(1);
    for (int s = 0; s < MOST_STATES; ++s)
        out[s][state] += pipes_part(pipes, s, m, n) / scale[s] / in / DITHERS;
}

static double pipes_growth(CheckRun* run, double area)
{
    static const double courants[] = { 0.05, 0.4, 0.8, 0.99 };
    double most = 0.0;
    make_quarters();
    for (size_t c = 0; c < sizeof courants / sizeof courants[0]; ++c) {
        TarnPipes* pipes = make_pipes(run, area, courants[c], NULL);
        for (int m = 0; m < PIPES_N; m += 7) { // 0 to 63: from the mean to cell by cell
            for (int n = 0; n < PIPES_N; n += 7) {
                Matrix matrix = { { 0 } };
                if (m == 0 && n == 0) continue;
                for (int state = 0; state < MOST_STATES; ++state) {
                    bool is_there = state == 0 || (state == 1 ? m : n) > 0;
                    for (int dither = 0; dither < DITHERS && is_there; ++dither)
                        pipes_column(run, pipes, m, n, state, matrix);
                }
                most = fmax(most, spectral_radius(matrix, MOST_STATES));
            }
        }
        tarn_pipes_destroy(pipes);
    }
    return most;
}

// g eta^2 and f^2 / h, over all cells and faces.
static double pipes_energy(const TarnPipes* pipes)
{
    double sum = 0.0, area = (double)pipes->def.pipe_area;
    double h = area > 0.0 ? area / (double)pipes->def.dx : 1.0;
    for (int k = 0; k < PIPES_N; ++k) {
        for (int i = 0; i < PIPES_N; ++i) {
            ptrdiff_t c = (ptrdiff_t)pipes->stride * k + i;
            double d = (double)pipes->d[c] - 1.0, x = (double)pipes->fx[c],
                   z = (double)pipes->fz[c];
            sum += (double)pipes->def.gravity * d * d + (x * x + z * z) / h;
        }
    }
    return sum;
}

// A minute of noise between walls: energy of the last ten seconds over that of the first.
static double pipes_noise(CheckRun* run, double area, double courant, double size)
{
    static float depth[PIPES_N * PIPES_N];
    double mean = 0.0;
    for (int c = 0; c < PIPES_N * PIPES_N; ++c) {
        depth[c] = (float)(1.0 + size * (2.0 * (double)tarn__random01(3, 4, (uint64_t)c) - 1.0));
        mean += (double)depth[c] / (PIPES_N * PIPES_N);
    }
    for (int c = 0; c < PIPES_N * PIPES_N; ++c) depth[c] -= (float)(mean - 1.0);
    TarnPipes* pipes = make_pipes(run, area, courant, depth);
    double first = 0.0, last = 0.0;
    for (int n = 0; n < 240; ++n) { // steps of 1/4 s: one or more substeps of the longest
        must(run, tarn_pipes_step(pipes, 0.25f, NULL));
        if (n < 40) first += pipes_energy(pipes);
        if (n >= 200) last += pipes_energy(pipes);
    }
    tarn_pipes_destroy(pipes);
    return last / first;
}

void check_growth(CheckRun* run, const char* group)
{
    if (strcmp(group, "wave.growth") == 0) {
        check_add(run, "wave.growth.five", wave_growth(run, TARN_LAPLACIAN_FIVE), 1.0, 1e-6);
        check_add(run, "wave.growth.nine", wave_growth(run, TARN_LAPLACIAN_NINE), 1.0, 1e-6);
    }
    if (strcmp(group, "wave.growth.window") == 0) check_window(run);
    if (strcmp(group, "pipes.growth") == 0) {
        check_add(run, "pipes.growth.depth", pipes_growth(run, 0.0), 1.0, 1e-6);
        check_add(run, "pipes.growth.pipe", pipes_growth(run, 2.0), 1.0, 1e-6);
        static const double courants[2] = { 0.4, 0.99 };
        for (int c = 0; c < 2; ++c) {
            for (int law = 0; law < 2; ++law) {
                char name[64];
                snprintf(name, sizeof name, "pipes.growth.noise.%s.%g", law ? "pipe" : "depth",
                         courants[c]);
                double energy = pipes_noise(run, law, courants[c], 0.01);
                check_add(run, name, fmax(energy, 1.0), 1.0, 1e-3); // above 1: it grew
            }
        }
    }
}
