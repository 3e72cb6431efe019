// Shallow water in two dimensions and against measurement: Thacker's bowls, waves running up a beach
// [Synolakis1987], the Monai valley in the laboratory [Matsuyama2001].

#include "check_shallow.h"

// ---- Thacker's bowls ------------------------------------------------------------------------------------

enum { BOWL = 100, MOST_SAMPLES = 1000 };
static const double bowl_depth = 0.1;   // h0 [m]; the bowl is 1 m wide where it is at y = 0
static const double planar_shift = 0.5; // eta [m]: the pool circles this far from the center
static const double radial_amount = 0.36 / 1.64; // A, for a pool of 0.8 m at its deepest

static double bowl_bed(double x, double z)
{
    return bowl_depth * (x * x + z * z - 1.0);
}
static double planar_depth(double x, double z, double phase)
{
    double level =
        planar_shift * bowl_depth * (2.0 * x * cos(phase) + 2.0 * z * sin(phase) - planar_shift);
    return fmax(0.0, level - bowl_bed(x, z));
}
static double radial_depth(double x, double z, double phase)
{
    double a = radial_amount, q = 1.0 - a * cos(phase), rr = x * x + z * z;
    double level =
        bowl_depth * (sqrt(1.0 - a * a) / q - 1.0 - rr * ((1.0 - a * a) / (q * q) - 1.0));
    return fmax(0.0, level - bowl_bed(x, z));
}

typedef double DepthFn(double x, double z, double phase);

static double bowl_x(int i)
{
    return (i + 0.5) * 4.0 / BOWL - 2.0;
}

static TarnShallow* make_bowl(CheckRun* run, DepthFn* exact)
{
    static float bed[BOWL * BOWL], depth[BOWL * BOWL];
    TarnShallowDef def = channel_def(BOWL, -2.0, 4.0, 1.0);
    def.nz = BOWL;
    def.origin.y = -2.0f;
    for (int c = 0; c < BOWL * BOWL; ++c) {
        double x = bowl_x(c % BOWL), z = bowl_x(c / BOWL);
        bed[c] = (float)bowl_bed(x, z);
        depth[c] = (float)exact(x, z, 0.0);
    }
    def.bed = bed;
    def.depth = depth;
    return make_water(run, &def);
}

// Sum of h, h x, h z, h r^2 over the bowl.
static void bowl_moments(const TarnShallow* water, double m[4])
{
    m[0] = m[1] = m[2] = m[3] = 0.0;
    for (int c = 0; c < BOWL * BOWL; ++c) {
        double x = bowl_x(c % BOWL), z = bowl_x(c / BOWL), h = depth_at(water, c % BOWL, c / BOWL);
        m[0] += h;
        m[1] += h * x;
        m[2] += h * z;
        m[3] += h * (x * x + z * z);
    }
}

// Mean |h - exact| over the pool, as a part of h0, and the middle row for a plot.
static double bowl_error(CheckRun* run, const TarnShallow* water, DepthFn* exact, double phase,
                         const char* name)
{
    double sum = 0.0, x[BOWL], bed[BOWL], level[BOWL], want[BOWL];
    for (int c = 0; c < BOWL * BOWL; ++c) {
        sum += fabs(depth_at(water, c % BOWL, c / BOWL) -
                    exact(bowl_x(c % BOWL), bowl_x(c / BOWL), phase));
    }
    int k = BOWL / 2;
    for (int i = 0; i < BOWL; ++i) {
        double h = depth_at(water, i, k), e = exact(bowl_x(i), bowl_x(k), phase);
        x[i] = bowl_x(i);
        bed[i] = bowl_bed(x[i], bowl_x(k));
        level[i] = h > 1e-4 ? bed[i] + h : NAN;
        want[i] = e > 0.0 ? bed[i] + e : NAN;
    }
    Plot* plot = check_plot(run, name, "x [m]", "y [m]");
    plot_note(plot, "through the middle after three periods, 100 x 100 cells");
    plot_y_range(plot, -0.12, 0.3);
    plot_ground(plot, "bed", x, bed, BOWL);
    plot_line(plot, "exact", x, want, BOWL);
    plot_points(plot, "Tarn", x, level, BOWL);
    plot_done(plot);
    return sum * (4.0 / BOWL) * (4.0 / BOWL) / (pi * bowl_depth);
}

// The pool circles around the bowl without changing its shape: the angle of its center of mass grows
// evenly. Least squares over three periods.
static void check_planar(CheckRun* run)
{
    double omega = sqrt(2.0 * g * bowl_depth), period = 2.0 * pi / omega;
    TarnShallow* water = make_bowl(run, planar_depth);
    float speed = (float)(planar_shift * omega);
    for (int c = 0; c < BOWL * BOWL; ++c) {
        int i = c % BOWL, k = c / BOWL;
        if (k > 0 && planar_depth(bowl_x(i), bowl_x(k) - 2.0 / BOWL, 0.0) > 0.0)
            water->w[shallow_cell(water, i, k)] = speed;
    }
    speeds_written(water);
    double m[4], turned = 0.0, last = 0.0, st = 0, sa = 0, stt = 0, sta = 0, start;
    static double times[MOST_SAMPLES], x[MOST_SAMPLES], exact[MOST_SAMPLES];
    int n = 0;
    bowl_moments(water, m);
    start = m[0];
    for (; n <= 240; ++n) {
        double t = 3.0 * period * n / 240.0;
        run_to(run, water, t, 1.0 / 60.0);
        bowl_moments(water, m);
        double angle = atan2(m[2], m[1]), step = angle - last;
        turned += step - 2.0 * pi * floor(step / (2.0 * pi) + 0.5);
        last = angle;
        st += t, sa += turned, stt += t * t, sta += t * turned;
        times[n] = t, x[n] = m[1] / m[0], exact[n] = planar_shift * cos(omega * t);
    }
    double rate = (n * sta - st * sa) / (n * stt - st * st);
    check_add(run, "shallow.thacker.planar.period", 2.0 * pi / rate, period, 0.01);
    check_add(run, "shallow.thacker.planar.amplitude_97", hypot(m[1], m[2]) / m[0] / planar_shift,
              1.0, 0.03);
    check_add(run, "shallow.thacker.planar.volume", m[0] * 0.0016, 0.5 * pi * bowl_depth, 0.001);
    check_add(run, "shallow.thacker.planar.volume_kept", m[0] / start, 1.0, 1e-12);
    double error = bowl_error(run, water, planar_depth, 6.0 * pi, "shallow.thacker.planar.section");
    check_add(run, "shallow.thacker.planar.l1_h0", error, 0.0, 0.1);
    tarn_shallow_destroy(water);
    Plot* plot = check_plot(run, "shallow.thacker.planar", "t [s]", "center of mass, x [m]");
    plot_line(plot, "exact", times, exact, n);
    plot_points(plot, "Tarn", times, x, n);
    plot_done(plot);
}

// The pool spreads and gathers. Its moment of inertia is a pure cosine in the exact solution, so the
// times at which it passes its mean are half a period apart.
static void check_radial(CheckRun* run)
{
    double omega = sqrt(8.0 * g * bowl_depth), period = 2.0 * pi / omega, m[4];
    TarnShallow* water = make_bowl(run, radial_depth);
    static double times[MOST_SAMPLES], inertia[MOST_SAMPLES], middle[MOST_SAMPLES],
        exact[MOST_SAMPLES];
    int n = 0;
    double low = 1e30, high = 0.0, last_low = 1e30, last_high = 0.0;
    for (; n <= 300; ++n) {
        times[n] = 3.0 * period * n / 300.0;
        run_to(run, water, times[n], 1.0 / 60.0);
        bowl_moments(water, m);
        inertia[n] = m[3];
        middle[n] = depth_at(water, BOWL / 2, BOWL / 2);
        exact[n] = radial_depth(0.02, 0.02, omega * times[n]);
        low = fmin(low, m[3]), high = fmax(high, m[3]);
        if (n >= 200) last_low = fmin(last_low, m[3]), last_high = fmax(last_high, m[3]);
    }
    double mean = 0.5 * (low + high), sj = 0, st = 0, sjj = 0, sjt = 0;
    int crossings = 0;
    for (int s = 1; s < n; ++s) {
        double before = inertia[s - 1] - mean, after = inertia[s] - mean;
        if ((before > 0.0) == (after > 0.0)) continue;
        double t = times[s - 1] + (times[s] - times[s - 1]) * before / (before - after);
        sj += crossings, st += t, sjj += (double)crossings * crossings, sjt += crossings * t;
        ++crossings;
    }
    double half = (crossings * sjt - sj * st) / (crossings * sjj - sj * sj);
    check_add(run, "shallow.thacker.radial.crossings", crossings, 6.0, 0.0);
    check_add(run, "shallow.thacker.radial.period", 2.0 * half, period, 0.01);
    check_add(run, "shallow.thacker.radial.amplitude_97", (last_high - last_low) / (high - low),
              1.0, 0.03);
    double error = bowl_error(run, water, radial_depth, 6.0 * pi, "shallow.thacker.radial.section");
    check_add(run, "shallow.thacker.radial.l1_h0", error, 0.0, 0.1);
    tarn_shallow_destroy(water);
    Plot* plot = check_plot(run, "shallow.thacker.radial", "t [s]", "depth in the middle [m]");
    plot_line(plot, "exact", times, exact, n);
    plot_points(plot, "Tarn", times, middle, n);
    plot_done(plot);
}

static void check_thacker(CheckRun* run)
{
    check_planar(run);
    check_radial(run);
}

// ---- Run-up of solitary waves ----------------------------------------------------------------------------

static const double beach_slope = 1.0 / 19.85; // from the shore at x = 0 down to 1 m of depth

static double beach(double x)
{
    return fmax(-1.0, -beach_slope * x);
}

// A solitary wave of height H in 1 m of water comes over the toe of the beach; returns the highest
// place where the water is deeper than 1 mm [m], and draws the moment when it is there.
static double run_up(CheckRun* run, double height, double drag)
{
    enum { NX = 1500 };
    static float bed[NX * CHANNEL_WIDTH], depth[NX * CHANNEL_WIDTH];
    static double x[NX], level[NX], ground[NX];
    double gamma = sqrt(0.75 * height), from = 19.85 + acosh(sqrt(20.0)) / gamma;
    TarnShallowDef def = channel_def(NX, -17.0, 75.0, 4.0);
    for (int c = 0; c < NX * CHANNEL_WIDTH; ++c) {
        double at = center_x(&def, c % NX), sech = 1.0 / cosh(gamma * (at - from));
        bed[c] = (float)beach(at);
        depth[c] = (float)fmax(0.0, -beach(at) + (at > 0.0 ? height * sech * sech : 0.0));
    }
    def.bed = bed;
    def.depth = depth;
    TarnShallow* water = make_water(run, &def);
    for (int c = 0; c < NX * CHANNEL_WIDTH; ++c) {
        double at = center_x(&def, c % NX) - 0.5 * (double)def.dx;
        double sech = 1.0 / cosh(gamma * (at - from));
        if (at > 0.0) // to the left, at sqrt(g d) per depth
            water->u[shallow_cell(water, c % NX, c / NX)] =
                (float)(-sqrt(g) * height * sech * sech);
    }
    speeds_written(water);
    TarnShallowParams params = tarn_shallow_default_params();
    params.drag = (float)drag;
    params.damping = 0.0f;
    must(run, tarn_shallow_set_params(water, &params));
    double highest = 0.0;
    for (int n = 1; n <= 80; ++n) {
        run_to(run, water, n * 0.25, 1.0 / 60.0);
        int i = 0;
        while (i + 1 < NX && depth_at(water, i, 1) < 1e-3) ++i;
        double share = i > 0 ? (depth_at(water, i, 1) - 1e-3) /
                                   (depth_at(water, i, 1) - depth_at(water, i - 1, 1))
                             : 0.0;
        double y = beach(center_x(&def, i) - share * (double)def.dx);
        if (y <= highest) continue;
        highest = y;
        for (int c = 0; c < NX; ++c) {
            x[c] = center_x(&def, c);
            ground[c] = beach(x[c]);
            level[c] = depth_at(water, c, 1) > 1e-3 ? level_at(water, c, 1) : NAN;
        }
    }
    tarn_shallow_destroy(water);
    char name[64];
    snprintf(name, sizeof name, "shallow.runup.%g", height);
    Plot* plot = check_plot(run, name, "x [m]", "y [m]");
    plot_title(plot, "Solitary wave on a beach, at its highest");
    plot_x_range(plot, -17.0, 25.0);
    plot_y_range(plot, -0.3, fmax(0.3, 1.5 * highest));
    plot_ground(plot, "beach", x, ground, NX);
    plot_line(plot, "Tarn", x, level, NX);
    if (height < 0.03) plot_level(plot, "law", 2.831 * sqrt(19.85) * pow(height, 1.25));
    plot_done(plot);
    return highest;
}

// Mean of the measured R / d with H / d between two values, 0 if there are none.
static double measured_run_up(double low, double high)
{
    FILE* file = check_open_reference("03_swe/synolakis_runup.csv");
    if (file == NULL) return 0.0;
    char line[128];
    double sum = 0.0, h, r, d;
    int n = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lf,%lf,%lf", &h, &r, &d) != 3 || h < low || h > high) continue;
        sum += r, ++n;
    }
    fclose(file);
    return n > 0 ? sum / n : 0.0;
}

static void check_runup(CheckRun* run)
{
    // Waves that do not break: the law R/d = 2.831 sqrt(cot beta) (H/d)^1.25 of [Synolakis1987].
    double law = 2.831 * sqrt(19.85) * pow(0.0185, 1.25), r = run_up(run, 0.0185, 0.0);
    check_add(run, "shallow.runup.0.0185.law", r, law, 0.02);
    // The laboratory has a bed with drag, here the default; the law does not.
    double drag = (double)tarn_shallow_default_params().drag;
    double data = measured_run_up(0.0175, 0.0195);
    r = run_up(run, 0.0185, drag);
    if (data > 0.0) check_add(run, "shallow.runup.0.0185.measured", r, data, 0.1);
    data = measured_run_up(0.27, 0.29);
    r = run_up(run, 0.28, drag); // breaks, and a thin bore climbs the beach
    if (data > 0.0) check_add(run, "shallow.runup.0.28.measured", r, data, 0.1);
}

// ---- The Monai valley --------------------------------------------------------------------------------------

enum { MONAI_X = 393, MONAI_Z = 244, MONAI_TIMES = 451 };

// Bed with rows from south to north, as z runs. false: the file is not here, or not as it should be.
static bool read_monai_bed(float* bed)
{
    FILE* file = check_open_reference("03_swe/monai_bathymetry.asc");
    if (file == NULL) return false;
    int nx = 0, nz = 0, n = 0;
    double cell = 0.0, none, x, y;
    bool is_good = fscanf(file, "ncols %d nrows %d xllcenter %lf yllcenter %lf cellsize %lf", &nx,
                          &nz, &x, &y, &cell) == 5 &&
                   fscanf(file, " NODATA_value %lf", &none) == 1 && nx == MONAI_X &&
                   nz == MONAI_Z && fabs(cell - 0.014) < 1e-9;
    for (; is_good && n < MONAI_X * MONAI_Z; ++n) {
        int row = MONAI_Z - 1 - n / MONAI_X;
        is_good = fscanf(file, "%f", &bed[n % MONAI_X + MONAI_X * row]) == 1;
    }
    fclose(file);
    return is_good;
}

// Columns of a CSV file of numbers; returns how many rows were read.
static int read_columns(const char* name, int columns, int capacity, double* out)
{
    FILE* file = check_open_reference(name);
    if (file == NULL) return 0;
    char line[256];
    int n = 0;
    while (n < capacity && fgets(line, sizeof line, file)) {
        char* at = line;
        int c = 0;
        for (; c < columns; ++c) {
            char* end;
            double value = strtod(at, &end);
            if (end == at) break;
            out[n * columns + c] = value;
            at = *end == ',' ? end + 1 : end;
        }
        n += c == columns;
    }
    fclose(file);
    return n;
}

// The level between the centers of cells, bilinear [m].
static double gauge(const TarnShallow* water, double x, double z)
{
    double fx = x / 0.014, fz = z / 0.014; // cell (0, 0) is centered at 0, 0
    int i = (int)fx, k = (int)fz;
    double s = fx - i, t = fz - k;
    return (1 - s) * (1 - t) * level_at(water, i, k) + s * (1 - t) * level_at(water, i + 1, k) +
           (1 - s) * t * level_at(water, i, k + 1) + s * t * level_at(water, i + 1, k + 1);
}

static TarnShallow* make_monai(CheckRun* run, const float* bed, const double* wave, int n_times)
{
    static float depth[MONAI_X * MONAI_Z], times[MONAI_TIMES], values[MONAI_TIMES];
    TarnShallowDef def = channel_def(MONAI_X, -0.007, 0.014 * MONAI_X, 1.0);
    def.nz = MONAI_Z;
    def.origin.y = -0.007f;
    def.bed = bed;
    for (int c = 0; c < MONAI_X * MONAI_Z; ++c) depth[c] = fmaxf(0.0f, -bed[c]);
    def.depth = depth;
    TarnShallow* water = make_water(run, &def);
    TarnShallowSpanDef span = tarn_shallow_default_span();
    for (int n = 0; n < n_times; ++n) {
        times[n] = (float)wave[2 * n];
        values[n] = (float)wave[2 * n + 1];
    }
    span.side = TARN_SIDE_X0;
    span.kind = TARN_SHALLOW_LEVEL;
    span.times = times;
    span.values = values;
    span.n_times = n_times;
    must(run, tarn_shallow_add_span(water, &span, NULL));
    return water;
}

// A gauge's series [cm]: how high, and when it first gets to half the measured peak.
static void compare_gauge(CheckRun* run, const char* name, const double* t, const double* measured,
                          const double* simulated, int n)
{
    double high[2] = { 0 }, when[2] = { NAN, NAN };
    const double* series[2] = { measured, simulated };
    for (int s = 0; s < 2; ++s) {
        for (int j = 0; j < n; ++j) high[s] = fmax(high[s], series[s][j]);
        for (int j = 1; j < n && isnan(when[s]); ++j) {
            double half = 0.5 * high[0], a = series[s][j - 1], b = series[s][j];
            if (b >= half) when[s] = t[j - 1] + (t[j] - t[j - 1]) * (half - a) / (b - a);
        }
    }
    char row[64];
    snprintf(row, sizeof row, "shallow.monai.%s.peak_cm", name);
    check_add(run, row, high[1], high[0], 0.15);
    snprintf(row, sizeof row, "shallow.monai.%s.late_s", name);
    check_add(run, row, when[1] - when[0], 0.0, 0.3);
    snprintf(row, sizeof row, "shallow.monai.%s", name);
    Plot* plot = check_plot(run, row, "t [s]", "level [cm]");
    plot_line(plot, "measured", t, measured, n);
    plot_line(plot, "Tarn", t, simulated, n);
    plot_done(plot);
}

static void check_monai(CheckRun* run)
{
    static float bed[MONAI_X * MONAI_Z];
    static double wave[2 * MONAI_TIMES], table[4 * MONAI_TIMES], t[MONAI_TIMES],
        measured[3][MONAI_TIMES], simulated[3][MONAI_TIMES];
    int n_wave = read_columns("03_swe/monai_input_wave.csv", 2, MONAI_TIMES, wave);
    int n = read_columns("03_swe/monai_gauges_cm.csv", 4, MONAI_TIMES, table);
    if (!read_monai_bed(bed) || n_wave < 2 || n < 2) return; // said on stderr
    TarnShallow* water = make_monai(run, bed, wave, n_wave);
    const double z[3] = { 1.196, 1.696, 2.196 };
    double climbed = 0.0, start = tarn_shallow_ledger(water).volume;
    for (int j = 0; j < n; ++j) {
        t[j] = table[4 * j];
        run_to(run, water, t[j], 1.0 / 60.0);
        for (int c = 0; c < 3; ++c) {
            measured[c][j] = table[4 * j + 1 + c];
            simulated[c][j] = 100.0 * gauge(water, 4.521, z[c]);
        }
        for (int k = 120; k < 150; ++k) { // the narrow gully around (5.16, 1.88)
            for (int i = 355; i < 380; ++i) {
                if (depth_at(water, i, k) > 1e-3) climbed = fmax(climbed, level_at(water, i, k));
            }
        }
    }
    const char* names[3] = { "ch5", "ch7", "ch9" };
    for (int c = 0; c < 3; ++c) compare_gauge(run, names[c], t, measured[c], simulated[c], n);
    check_add(run, "shallow.monai.runup_m", climbed, 0.09, 0.25); // measured: 0.08 to 0.1
    TarnShallowLedger ledger = tarn_shallow_ledger(water);
    check_add(run, "shallow.monai.ledger", (ledger.volume - start - ledger.edges) / start, 0.0,
              1e-9);
    tarn_shallow_destroy(water);
}

void check_shallow_field(CheckRun* run, const char* group)
{
    if (strcmp(group, "shallow.thacker") == 0) check_thacker(run);
    if (strcmp(group, "shallow.runup") == 0) check_runup(run);
    if (strcmp(group, "shallow.monai") == 0) check_monai(run);
}
