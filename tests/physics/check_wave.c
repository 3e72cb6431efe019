// Checks of the wave solver against theory and the promises of the header.

#include "check.h"
#include "base/base.h"
#include "waves/wave_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static TarnWaveParams undamped(void)
{
    TarnWaveParams params = tarn_wave_default_params();
    params.damping = 0.0f;
    return params;
}

static double at(TarnView2 v, int i, int k)
{
    return (double)v.data[i + (ptrdiff_t)v.stride * k];
}

// ---- Stability ---------------------------------------------------------------------------------

// The bare sweep on a periodic 64 x 64 grid, 2000 steps from noise; returns the largest height.
static double blow(double courant, bool is_nine)
{
    enum { N = 64, S = N + 16 };
    static float a[S * (N + 2)], b[S * (N + 2)], sponge[N + 8];
    float *u = a + S + 8, *prev = b + S + 8;
    for (int c = 0; c < N + 8; ++c) sponge[c] = 1.0f;
    for (int k = 0; k < N; ++k) {
        for (int i = 0; i < N; ++i)
            u[i + S * k] = prev[i + S * k] = tarn__random01(1, 0, (uint64_t)(i + N * k)) - 0.5f;
    }
    for (int n = 0; n < 2000; ++n) {
        for (int k = 0; k < N; ++k) u[-1 + S * k] = u[N - 1 + S * k], u[N + S * k] = u[S * k];
        memcpy(u - S - 1, u + S * (N - 1) - 1, (N + 2) * sizeof(float));
        memcpy(u + S * N - 1, u - 1, (N + 2) * sizeof(float));
        WaveSweep sweep = { .u = u,
                            .prev = prev,
                            .stride = S,
                            .keep = 1.0f,
                            .is_nine = is_nine,
                            .gain = (float)(courant * courant / (is_nine ? 6.0 : 1.0)),
                            .sponge_x = sponge,
                            .sponge_z = sponge };
        tarn__wave_kernels__baseline.sweep(&sweep, WAVE_TILE_PLAIN, 0, N, 0, N);
        float* t = u;
        u = prev;
        prev = t;
    }
    double high = 0.0;
    for (int k = 0; k < N; ++k) {
        for (int i = 0; i < N; ++i) {
            double v = fabs((double)u[i + S * k]);
            high = v > high || isnan(v) ? (isnan(v) ? 1e30 : v) : high;
        }
    }
    return high;
}

// At the limit noise grows linearly (about 0.3 per 100 steps), beyond it exponentially.
static void check_stability(CheckRun* run)
{
    check_add(run, "wave.stability.five.0.7070", blow(0.7070, false), 0.0, 20.0);
    check_add(run, "wave.stability.five.0.7072_grows", blow(0.7072, false) > 1e10, 1.0, 0.0);
    check_add(run, "wave.stability.nine.0.865", blow(0.865, true), 0.0, 20.0);
    check_add(run, "wave.stability.nine.0.867_grows", blow(0.867, true) > 1e10, 1.0, 0.0);
    // Through the API no dt gets beyond the limit.
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = def.nz = 64;
    def.courant = 0.99f;
    TarnWave* wave = check_wave_create(run, &def);
    tarn_wave_add_drop(wave, (TarnVec2){ 1.6f, 1.6f }, 0.3f, 0.5f);
    double high = 0.0;
    for (int n = 0; n < 300; ++n) {
        TarnStepReport report;
        tarn_wave_step(wave, n % 3 == 0 ? 10.0f : n % 3 == 1 ? 0.3f : 1e-5f, &report);
        for (int c = 0; c < 64 * 64; ++c)
            high = fmax(high, fabs(at(tarn_wave_height(wave), c % 64, c / 64)));
    }
    check_add(run, "wave.stability.any_dt", high, 0.0, 1.0);
    tarn_wave_destroy(wave);
}

// ---- Standing waves ----------------------------------------------------------------------------

static TarnWave* make_mode(CheckRun* run, int n, int m, int l, float* height)
{
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = def.nz = n;
    def.dx = 1.0f / (float)n;
    def.speed = 1.0f;
    def.courant = 0.99f;
    def.laplacian = TARN_LAPLACIAN_FIVE;
    def.sleep_speed = 0.0f;
    for (int k = 0; k < n; ++k) {
        for (int i = 0; i < n; ++i)
            height[i + n * k] = (float)(cos(m * pi * (i + 0.5) / n) * cos(l * pi * (k + 0.5) / n));
    }
    def.height = height;
    TarnWave* wave = check_wave_create(run, &def);
    TarnWaveParams params = undamped();
    tarn_wave_set_params(wave, &params);
    return wave;
}

static double project(const TarnWave* wave, const float* mode, int n)
{
    double sum = 0.0, norm = 0.0;
    for (int c = 0; c < n * n; ++c) {
        sum += at(tarn_wave_height(wave), c % n, c / n) * (double)mode[c];
        norm += (double)mode[c] * (double)mode[c];
    }
    return sum / norm;
}

// Started from rest the mode's amplitude is cos(omega n dt), so its phase gives omega. The phase is
// followed through zero crossings, where it is sharpest.
static double measure_omega(CheckRun* run, int n, int m, int l, double courant, double guess)
{
    float* mode = malloc((size_t)(n * n) * sizeof(float));
    TarnWave* wave = make_mode(run, n, m, l, mode);
    double dt = (double)(float)(courant / n), last = 1.0, crossing = 0.0;
    int steps = (int)(10.25 * 2.0 * pi / (guess * dt)), count = 0;
    for (int s = 1; s <= steps + 2; ++s) {
        tarn_wave_step(wave, (float)dt, NULL);
        double now = project(wave, mode, n);
        if ((now < 0.0) != (last < 0.0)) {
            ++count; // cos crosses zero at (count - 1/2) pi; the way into this step by its sinusoid
            double a = guess * dt,
                   into = atan2(fabs(last) * sin(a), fabs(now) + fabs(last) * cos(a)) / a;
            crossing = (s - 1 + into) * dt;
        }
        last = now;
    }
    tarn_wave_destroy(wave);
    free(mode);
    return (count - 0.5) * pi / crossing;
}

static void check_standing(CheckRun* run)
{
    FILE* file = check_open_reference("04_wave/discrete_standing_wave.csv");
    char line[256];
    int rows = 0;
    const double built_in[][3] = { { 0.5, 1, 0 }, { 0.5, 4, 3 }, { 0.7, 1, 1 }, { 0.7, 16, 16 } };
    if (file && fgets(line, sizeof line, file) == NULL) rows = 0; // the heading
    for (;;) {
        double courant, m, l, exact, discrete;
        if (file) {
            if (!fgets(line, sizeof line, file)) break;
            if (sscanf(line, "%lf,%lf,%lf,%lf,%lf", &courant, &m, &l, &exact, &discrete) != 5)
                break;
        } else {
            if (rows == 4) break;
            courant = built_in[rows][0], m = built_in[rows][1], l = built_in[rows][2];
            double s = sqrt(pow(sin(m * pi / 128.0), 2) + pow(sin(l * pi / 128.0), 2));
            discrete = 2.0 * 64.0 / courant * asin(courant * s);
        }
        char name[64];
        snprintf(name, sizeof name, "wave.standing.cfl%.1f.m%d.n%d", courant, (int)m, (int)l);
        check_add(run, name, measure_omega(run, 64, (int)m, (int)l, courant, discrete), discrete,
                  2e-5);
        ++rows;
    }
    if (file) fclose(file);
}

// Error against the exact solution of the differential equation falls with dx^2.
static double exact_error(CheckRun* run, int n)
{
    float* mode = malloc((size_t)(n * n) * sizeof(float));
    TarnWave* wave = make_mode(run, n, 3, 2, mode);
    int steps = n; // to t = 0.5
    for (int s = 0; s < steps; ++s) tarn_wave_step(wave, 0.5f / (float)n, NULL);
    double omega = pi * sqrt(13.0), expected = cos(omega * 0.5), worst = 0.0;
    for (int c = 0; c < n * n; ++c) {
        worst = fmax(worst,
                     fabs(at(tarn_wave_height(wave), c % n, c / n) - expected * (double)mode[c]));
    }
    tarn_wave_destroy(wave);
    free(mode);
    return worst;
}

static void check_order(CheckRun* run)
{
    double coarse = exact_error(run, 64), fine = exact_error(run, 128);
    check_add(run, "wave.order.five", log2(coarse / fine), 2.0, 0.05);
    check_add(run, "wave.order.error_128", fine, 0.0, 3e-3);
}

// ---- Invariants --------------------------------------------------------------------------------

static TarnWave* noisy_pool(CheckRun* run, TarnLaplacian laplacian, bool has_islands, float* height)
{
    enum { N = 64 };
    TarnWaveDef def = tarn_wave_default_def();
    static uint8_t wall[N * N];
    def.nx = def.nz = N;
    def.dx = 0.1f;
    def.speed = 2.0f;
    def.laplacian = laplacian;
    def.sleep_speed = 0.0f;
    memset(wall, 0, sizeof wall);
    for (int c = 0; c < N * N; ++c) {
        int i = c % N, k = c / N;
        wall[c] = has_islands && ((i > 20 && i < 30 && k > 10 && k < 40) ||
                                  (i - 50) * (i - 50) + (k - 50) * (k - 50) < 30);
        height[c] = (float)(0.1 * sin(0.3 * i) * cos(0.2 * k) + 0.05 * sin(0.7 * i + 0.4 * k));
    }
    def.wall = has_islands ? wall : NULL;
    def.height = height;
    TarnWave* wave = check_wave_create(run, &def);
    TarnWaveParams params = undamped();
    tarn_wave_set_params(wave, &params);
    return wave;
}

// Ten minutes at 60 Hz, undamped: the mean height may move by rounding only.
static void check_level(CheckRun* run)
{
    float height[64 * 64];
    for (int variant = 0; variant < 3; ++variant) {
        TarnWave* wave = noisy_pool(run, variant == 0 ? TARN_LAPLACIAN_FIVE : TARN_LAPLACIAN_NINE,
                                    variant == 2, height);
        double before = tarn_wave_volume(wave);
        for (int n = 0; n < 36000; ++n) tarn_wave_step(wave, 1.0f / 60.0f, NULL);
        double area = 6.4 * 6.4,
               drift = (tarn_wave_volume(wave) - before) / area / 0.1; // of the amplitude
        const char* names[] = { "wave.level.five", "wave.level.nine", "wave.level.islands" };
        check_add(run, names[variant], drift, 0.0, 2e-6);
        tarn_wave_destroy(wave);
    }
}

// E = 1/2 sum v^2 + c^2 / (2 h^2) sum grad u(n) . grad u(n+1): constant for leapfrog.
static double energy(TarnView2 a, const float* before, double dt, double c, double h)
{
    double e = 0.0;
    for (int k = 0; k < a.nz; ++k) {
        for (int i = 0; i < a.nx; ++i) {
            double now = at(a, i, k), old = (double)before[i + a.nx * k];
            e += 0.5 * (now - old) * (now - old) / (dt * dt);
            if (i + 1 < a.nx)
                e += 0.5 * c * c / (h * h) * (at(a, i + 1, k) - now) *
                     ((double)before[i + 1 + a.nx * k] - old);
            if (k + 1 < a.nz)
                e += 0.5 * c * c / (h * h) * (at(a, i, k + 1) - now) *
                     ((double)before[i + a.nx * (k + 1)] - old);
        }
    }
    return e;
}

static void check_energy(CheckRun* run)
{
    float height[64 * 64], before[64 * 64];
    TarnWave* wave = noisy_pool(run, TARN_LAPLACIAN_FIVE, false, height);
    double first = 0.0, worst = 0.0, dt = 1.0 / 60.0;
    for (int n = 0; n < 6000; ++n) {
        TarnView2 v = tarn_wave_height(wave);
        for (int c = 0; c < 64 * 64; ++c) before[c] = (float)at(v, c % 64, c / 64);
        tarn_wave_step(wave, (float)dt, NULL);
        double e = energy(tarn_wave_height(wave), before, dt, 2.0, 0.1);
        if (n == 0) first = e;
        worst = fmax(worst, fabs(e / first - 1.0));
    }
    check_add(run, "wave.energy.drift", worst, 0.0, 2e-5);
    tarn_wave_destroy(wave);
}

// Mirrored input gives mirrored output, bit for bit, and with five points transposed input too.
static int asymmetry(CheckRun* run, TarnLaplacian laplacian, bool is_transposed)
{
    enum { N = 50 };
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = def.nz = N;
    def.laplacian = laplacian;
    def.edge_x0 = def.edge_z0 = def.edge_x1 = def.edge_z1 = TARN_EDGE_ABSORBING;
    static float height[N * N], turned[N * N];
    for (int c = 0; c < N * N; ++c) {
        int i = c % N, k = c / N, to = is_transposed ? k + N * i : (N - 1 - i) + N * (N - 1 - k);
        height[c] = (float)(0.1 * sin(0.4 * i) + 0.07 * cos(0.31 * k + 0.1 * i));
        turned[to] = height[c];
    }
    def.height = height;
    TarnWave* a = check_wave_create(run, &def);
    def.height = turned;
    TarnWave* b = check_wave_create(run, &def);
    for (int n = 0; n < 200; ++n) tarn_wave_step(a, 0.01f, NULL), tarn_wave_step(b, 0.01f, NULL);
    int different = 0;
    for (int c = 0; c < N * N; ++c) {
        int i = c % N, k = c / N;
        double other = is_transposed ? at(tarn_wave_height(b), k, i)
                                     : at(tarn_wave_height(b), N - 1 - i, N - 1 - k);
        different += at(tarn_wave_height(a), i, k) != other;
    }
    tarn_wave_destroy(a);
    tarn_wave_destroy(b);
    return different;
}

static void check_symmetry(CheckRun* run)
{
    check_add(run, "wave.symmetry.five.mirror", asymmetry(run, TARN_LAPLACIAN_FIVE, false), 0.0,
              0.0);
    check_add(run, "wave.symmetry.five.transpose", asymmetry(run, TARN_LAPLACIAN_FIVE, true), 0.0,
              0.0);
    check_add(run, "wave.symmetry.nine.mirror", asymmetry(run, TARN_LAPLACIAN_NINE, false), 0.0,
              0.0);
}

// ---- Absorbing edges ---------------------------------------------------------------------------

// A plane packet, periodic along z, splits in two that leave through +x and -x at the given angle.
// The same in a domain five times as wide has no edge to meet yet: the difference is reflection.
static double reflection(CheckRun* run, double wavelength_cells, double degrees)
{
    double kx = 2.0 * pi / wavelength_cells * cos(degrees * pi / 180.0);
    double kz = 2.0 * pi / wavelength_cells * sin(degrees * pi / 180.0);
    int nz = degrees == 0.0 ? 8 : (int)lround(2.0 * pi / kz);
    if (kz > 0.0) { // the period along z must fit whole cells
        kz = 2.0 * pi / nz;
        kx = kz / tan(degrees * pi / 180.0);
    }
    enum { NEAR = 600, FAR = 3000 };
    TarnWave* waves[2];
    const int widths[2] = { NEAR, FAR };
    for (int w = 0; w < 2; ++w) {
        int nx = widths[w];
        TarnWaveDef def = tarn_wave_default_def();
        def.nx = nx;
        def.nz = nz;
        def.dx = 0.1f;
        def.speed = 1.0f;
        def.sleep_speed = 0.0f;
        def.edge_x0 = def.edge_x1 = TARN_EDGE_ABSORBING;
        def.edge_z0 = def.edge_z1 = TARN_EDGE_PERIODIC;
        float* height = malloc((size_t)(nx * nz) * sizeof(float));
        for (int k = 0; k < nz; ++k) {
            for (int i = 0; i < nx; ++i) {
                double x = i + 0.5 - 0.5 * nx,
                       envelope = exp(-x * x / (2.0 * 60.0 * 60.0)); // narrow in angle
                height[i + nx * k] = (float)(envelope * cos(kx * x + kz * k));
            }
        }
        def.height = height;
        waves[w] = check_wave_create(run, &def);
        TarnWaveParams params = undamped();
        tarn_wave_set_params(waves[w], &params);
        free(height);
    }
    double worst = 0.0;
    int steps = (int)(620.0 / cos(degrees * pi / 180.0) / 0.5); // until the echo has crossed
    for (int n = 0; n < steps; ++n) {
        for (int w = 0; w < 2; ++w) tarn_wave_step(waves[w], 0.05f, NULL);
        if (n % 10 != 0) continue;
        for (int k = 0; k < nz; ++k) {
            for (int i = 45; i < NEAR / 3; ++i) { // where the two echoes do not meet
                double d = at(tarn_wave_height(waves[0]), i, k) -
                           at(tarn_wave_height(waves[1]), i + (FAR - NEAR) / 2, k);
                worst = fmax(worst, fabs(d));
            }
        }
    }
    tarn_wave_destroy(waves[0]);
    tarn_wave_destroy(waves[1]);
    return worst / 0.5; // each packet carries half the height
}

static void check_reflection(CheckRun* run)
{
    check_add(run, "wave.reflection.normal.10_cells", reflection(run, 10.0, 0.0), 0.0, 0.01);
    check_add(run, "wave.reflection.normal.20_cells", reflection(run, 20.0, 0.0), 0.0, 0.01);
    check_add(run, "wave.reflection.normal.32_cells", reflection(run, 32.0, 0.0), 0.0, 0.01);
    check_add(run, "wave.reflection.45deg.10_cells", reflection(run, 10.0, 45.0), 0.0, 0.05);
    check_add(run, "wave.reflection.45deg.20_cells", reflection(run, 20.0, 45.0), 0.0, 0.05);
    check_add(run, "wave.reflection.45deg.32_cells", reflection(run, 32.0, 45.0), 0.0, 0.05);
}

// ---- Moving sources, depth, makers -------------------------------------------------------------

// A source faster than the waves: its wake is a Mach cone of half angle asin(c / U).
static void check_cone(CheckRun* run)
{
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = 512;
    def.nz = 384;
    def.dx = 0.1f;
    def.speed = 2.0f;
    def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_EDGE_ABSORBING;
    TarnWave* wave = check_wave_create(run, &def);
    TarnWaveParams params = undamped();
    tarn_wave_set_params(wave, &params);
    const double speed = 4.0, dt = 1.0 / 60.0;
    double x = 4.0, z = 19.2;
    for (; x < 44.0; x += speed * dt) {
        tarn_wave_add_drop(wave, (TarnVec2){ (float)x, (float)z }, 1.0f, 0.02f);
        tarn_wave_step(wave, (float)dt, NULL);
    }
    // The crest of the front on lines x = const behind the source, by least squares.
    double sx = 0.0, sz = 0.0, sxx = 0.0, sxz = 0.0;
    int n = 0;
    for (int i = 250; i < 400; i += 4) {
        int best = 193;
        for (int k = 194; k < 350; ++k) {
            if (fabs(at(tarn_wave_height(wave), i, k)) > fabs(at(tarn_wave_height(wave), i, best)))
                best = k;
        }
        double dx = x - (i + 0.5) * 0.1, dz = (best + 0.5) * 0.1 - z;
        sx += dx, sz += dz, sxx += dx * dx, sxz += dx * dz, ++n;
    }
    double slope = (n * sxz - sx * sz) / (n * sxx - sx * sx);
    check_add(run, "wave.cone.half_angle_deg", atan(slope) * 180.0 / pi,
              asin(2.0 / speed) * 180.0 / pi, 0.05);
    tarn_wave_destroy(wave);
}

// A long wave from deep water climbs a slope: it runs at sqrt(g depth) and grows by Green's law.
static void check_depth(CheckRun* run)
{
    enum { NX = 1600, NZ = 4 };
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = NX;
    def.nz = NZ;
    def.dx = 0.1f;
    static float bed[NX * NZ], height[NX * NZ];
    double travel = 0.0; // from x = 20 m to 140 m [s]
    for (int i = 0; i < NX; ++i) {
        double x = (i + 0.5) * 0.1, s = fmin(fmax((x - 40.0) / 80.0, 0.0), 1.0);
        double depth = 4.0 - 3.0 * s * s * (3.0 - 2.0 * s);
        if (x > 20.0 && x < 140.0) travel += 0.1 / sqrt(9.81 * depth);
        for (int k = 0; k < NZ; ++k) {
            bed[i + NX * k] = (float)-depth;
            height[i + NX * k] = (float)(0.1 * exp(-pow((x - 20.0) / 3.0, 2)));
        }
    }
    def.bed = bed;
    def.height = height;
    TarnWave* wave = check_wave_create(run, &def);
    TarnWaveParams params = undamped();
    tarn_wave_set_params(wave, &params);
    double best = 0.0, when = 0.0;
    for (int n = 1; n < 3000; ++n) { // before the packet that went the other way arrives
        tarn_wave_step(wave, 0.01f, NULL);
        double u = at(tarn_wave_height(wave), 1400, 2);
        if (u > best) best = u, when = n * 0.01;
    }
    check_add(run, "wave.depth.travel_time", when, travel, 0.01);
    check_add(run, "wave.depth.green_law", best, 0.05 * pow(4.0, 0.25), 0.03);
    tarn_wave_destroy(wave);
}

// Wave makers and lines send waves of the height they promise.
static void check_maker(CheckRun* run)
{
    for (int is_line = 0; is_line < 2; ++is_line) {
        TarnWaveDef def = tarn_wave_default_def();
        def.nx = 400;
        def.nz = 8;
        def.dx = 0.1f;
        def.speed = 2.0f;
        def.edge_x1 = TARN_EDGE_ABSORBING;
        if (is_line) def.edge_x0 = TARN_EDGE_ABSORBING;
        def.edge_z0 = def.edge_z1 = TARN_EDGE_PERIODIC;
        TarnWave* wave = check_wave_create(run, &def);
        TarnWaveParams params = undamped();
        tarn_wave_set_params(wave, &params);
        double high = 0.0, start = tarn_wave_ledger(wave).sourced;
        for (int n = 0; n < 1800; ++n) {
            float height = 0.05f * (float)sin(2.0 * pi * n / 60.0);
            if (is_line)
                tarn_wave_add_line(wave, (TarnVec2){ 20.0f, -1.0f }, (TarnVec2){ 20.0f, 2.0f },
                                   height, 1.0f / 60.0f);
            else
                tarn_wave_drive_edge(wave, 0, height, 1.0f / 60.0f);
            tarn_wave_step(wave, 1.0f / 60.0f, NULL);
            if (n > 1500) high = fmax(high, at(tarn_wave_height(wave), 260, 4));
        }
        check_add(run, is_line ? "wave.maker.line_height" : "wave.maker.edge_height", high, 0.05,
                  0.03);
        check_add(run, is_line ? "wave.maker.line_sourced" : "wave.maker.edge_sourced",
                  tarn_wave_ledger(wave).sourced - start, 0.0, 1e-5);
        tarn_wave_destroy(wave);
    }
}

// ---- Window, sleep, queries --------------------------------------------------------------------

// A ripple in a window that moves stays where it is in the world.
static void check_window(CheckRun* run)
{
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = def.nz = 160;
    def.edge_x0 = def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_EDGE_ABSORBING;
    TarnWave* still = check_wave_create(run, &def);
    TarnWave* moving = check_wave_create(run, &def);
    TarnWave* both[2] = { still, moving };
    for (int w = 0; w < 2; ++w) tarn_wave_add_drop(both[w], (TarnVec2){ 4.0f, 4.0f }, 0.3f, 0.05f);
    for (int n = 0; n < 20; ++n) {
        tarn_wave_step(still, 1.0f / 60.0f, NULL);
        tarn_wave_step(moving, 1.0f / 60.0f, NULL);
        tarn_wave_shift(moving, 1, -1);
    }
    double worst = 0.0;
    for (int n = 0; n < 200; ++n) {
        float x = 3.0f + 0.01f * (float)n, z = 4.0f + 0.005f * (float)n;
        worst = fmax(worst, fabs((double)(tarn_surface_height(tarn_wave_surface(still), x, z) -
                                          tarn_surface_height(tarn_wave_surface(moving), x, z))));
    }
    check_add(run, "wave.window.difference", worst, 0.0, 1e-6);
    check_add(run, "wave.window.origin", (double)tarn_wave_origin(moving).x, 1.0, 1e-6);
    tarn_wave_destroy(still);
    tarn_wave_destroy(moving);
}

// Sleep changes nothing that is visible, calm water computes nothing, a touch wakes it.
static void check_sleep(CheckRun* run)
{
    TarnWaveDef def = tarn_wave_default_def();
    def.nx = def.nz = 512;
    TarnWave* sleepy = check_wave_create(run, &def);
    def.sleep_speed = 0.0f;
    TarnWave* waking = check_wave_create(run, &def);
    TarnWave* both[2] = { sleepy, waking };
    TarnStepReport report;
    tarn_wave_step(waking, 1.0f / 60.0f, &report);
    tarn_wave_step(sleepy, 1.0f / 60.0f, &report);
    check_add(run, "wave.sleep.calm_tiles", report.tiles_awake, 0.0, 0.0);
    double worst = 0.0;
    int early = 0;
    for (int n = 0; n < 1200; ++n) {
        for (int w = 0; w < 2; ++w) {
            if (n == 0) tarn_wave_add_drop(both[w], (TarnVec2){ 6.0f, 5.0f }, 0.3f, 0.05f);
            tarn_wave_step(both[w], 1.0f / 60.0f, &report);
            if (w == 0 && n == 5) early = report.tiles_awake;
        }
        if (n % 100 != 99) continue;
        for (int c = 0; c < 512 * 512; ++c) {
            worst = fmax(worst, fabs(at(tarn_wave_height(sleepy), c % 512, c / 512) -
                                     at(tarn_wave_height(waking), c % 512, c / 512)));
        }
    }
    check_add(run, "wave.sleep.difference_m", worst, 0.0, 1e-6);
    check_add(run, "wave.sleep.early_tiles_of_256", early, 0.0, 100.0);
    TarnWaveParams params = tarn_wave_default_params();
    params.damping = 3.0f;
    tarn_wave_set_params(sleepy, &params);
    for (int n = 0; n < 1200; ++n) tarn_wave_step(sleepy, 1.0f / 60.0f, &report);
    check_add(run, "wave.sleep.asleep_again", report.tiles_awake, 0.0, 0.0);
    check_add(run, "wave.sleep.volume", tarn_wave_volume(sleepy) / (25.6 * 25.6) / 0.05, 0.0, 2e-6);
    tarn_wave_destroy(sleepy);
    tarn_wave_destroy(waking);
}

// A query gives the height of the drawn triangle and the slope of the wave.
static void check_query(CheckRun* run)
{
    float height[64 * 64];
    TarnWave* wave = noisy_pool(run, TARN_LAPLACIAN_NINE, false, height);
    for (int n = 0; n < 50; ++n) tarn_wave_step(wave, 1.0f / 60.0f, NULL);
    TarnView2 v = tarn_wave_height(wave);
    double worst = 0.0, slope = 0.0;
    for (int n = 0; n < 20000; ++n) {
        float x = 6.4f * tarn__random01(7, 0, (uint64_t)n),
              z = 6.4f * tarn__random01(7, 1, (uint64_t)n);
        double fx = fmin(fmax((double)x / 0.1 - 0.5, 0.0), 63.0),
               fz = fmin(fmax((double)z / 0.1 - 0.5, 0.0), 63.0);
        int i = (int)fmin(fx, 62.0), k = (int)fmin(fz, 62.0);
        double s = fx - i, t = fz - k;
        double expected = s + t <= 1.0 ? at(v, i, k) + s * (at(v, i + 1, k) - at(v, i, k)) +
                                             t * (at(v, i, k + 1) - at(v, i, k))
                                       : at(v, i + 1, k + 1) +
                                             (1 - s) * (at(v, i, k + 1) - at(v, i + 1, k + 1)) +
                                             (1 - t) * (at(v, i + 1, k) - at(v, i + 1, k + 1));
        float y;
        TarnVec3 normal;
        tarn_surface_query(tarn_wave_surface(wave), 1, &x, &z,
                           &(TarnSurfaceSamples){ .height = &y, .normal = &normal });
        worst = fmax(worst, fabs((double)y - expected));
        slope = fmax(slope, fabs(sqrt((double)(normal.x * normal.x + normal.y * normal.y +
                                               normal.z * normal.z)) -
                                 1.0));
    }
    check_add(run, "wave.query.height_m", worst, 0.0, 2e-6);
    check_add(run, "wave.query.normal_length", slope, 0.0, 1e-6);
    tarn_wave_destroy(wave);
}

void check_wave(CheckRun* run, const char* group)
{
    static const struct {
        const char* name;
        void (*fn)(CheckRun*);
    } parts[] = {
        { "wave.stability", check_stability },   { "wave.standing", check_standing },
        { "wave.order", check_order },           { "wave.level", check_level },
        { "wave.energy", check_energy },         { "wave.symmetry", check_symmetry },
        { "wave.reflection", check_reflection }, { "wave.cone", check_cone },
        { "wave.depth", check_depth },           { "wave.maker", check_maker },
        { "wave.window", check_window },         { "wave.sleep", check_sleep },
        { "wave.query", check_query },
    };
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; ++p) {
        if (strcmp(parts[p].name, group) == 0) parts[p].fn(run);
    }
}
