// Solitary waves around a conical island, against the laboratory [Briggs1995]: run-up along the shore and the
// level at four gauges, for waves of 4, 9 and 18 % of the depth.

#include "check_shallow.h"

enum { ISLAND_TIMES = 1600, ISLAND_GAUGES = 8, ISLAND_ANGLES = 24, ISLAND_POINTS = 16384 };
static const double island_x = 12.96, still_depth = 0.32; // the center is at z = 0 here
static const double toe_radius = 3.6, crest_height = 0.625, island_slope = 0.25;

// The waves: x of the gauges 1 to 4 in front of the island, half a wave before its toe.
typedef struct IslandCase {
    char name;
    double gauge_x;
} IslandCase;
static const IslandCase island_cases[3] = { { 'a', 5.76 }, { 'b', 6.82 }, { 'c', 7.56 } };

// What was measured: levels [m] over the mean before the wave, run-up [m] by angle [degrees]. 270 faces
// the wave, 90 is the lee.
typedef struct Measured {
    int n_times, n_angles;
    double t[ISLAND_TIMES], level[ISLAND_GAUGES][ISLAND_TIMES]; // gauges 1, 2, 3, 4, 6, 9, 16, 22
    double angle[ISLAND_ANGLES], runup[ISLAND_ANGLES];
    double height, crest_time; // of the wave at gauges 1 to 4
} Measured;

static float island_bed(float x, float z, void* user)
{
    (void)user;
    double r = hypot((double)x - island_x, (double)z);
    double over = fmin(fmax(0.0, island_slope * (toe_radius - r)), crest_height);
    return (float)(over - still_depth);
}

// ---- Measurements --------------------------------------------------------------------------------

// Numbers of a CSV file, row by row; the first line is its head. Returns how many rows were read.
static int read_numbers(const char* name, int columns, int capacity, double* out)
{
    FILE* file = check_open_reference(name);
    if (file == NULL) return 0;
    char line[256];
    int n = 0;
    while (n < capacity && fgets(line, sizeof line, file)) {
        char* at = line;
        int c = 0;
        for (char* end; c < columns; ++c, at = *end == ',' ? end + 1 : end) {
            out[n * columns + c] = strtod(at, &end);
            if (end == at) break;
        }
        n += c == columns;
    }
    fclose(file);
    return n;
}

// The crest at gauges 1 to 4, of the mean of the four, smoothed over three samples.
static void find_wave(Measured* m)
{
    m->height = 0.0;
    for (int j = 1; j + 1 < m->n_times && m->t[j] < 30.0; ++j) {
        double sum = 0.0;
        for (int s = 0; s < 4; ++s)
            sum += m->level[s][j - 1] + 2.0 * m->level[s][j] + m->level[s][j + 1];
        if (sum / 16.0 > m->height) m->height = sum / 16.0, m->crest_time = m->t[j];
    }
}

static bool read_measured(char name, Measured* m)
{
    static double table[ISLAND_TIMES * (1 + ISLAND_GAUGES)], around[2 * ISLAND_ANGLES];
    char path[80];
    snprintf(path, sizeof path, "03_swe/conical_island/gauges_%c.csv", name);
    m->n_times = read_numbers(path, 1 + ISLAND_GAUGES, ISLAND_TIMES, table);
    snprintf(path, sizeof path, "03_swe/conical_island/runup_%c.csv", name);
    m->n_angles = read_numbers(path, 2, ISLAND_ANGLES, around);
    if (m->n_times < 1000 || m->n_angles != ISLAND_ANGLES) return false; // said on stderr
    for (int s = 0; s < ISLAND_GAUGES; ++s) {
        double rest = 0.0; // gauges are off by up to 3 mm; the first 4 s are calm
        for (int j = 0; j < 100; ++j) rest += table[j * 9 + 1 + s] / 100.0;
        for (int j = 0; j < m->n_times; ++j) m->level[s][j] = table[j * 9 + 1 + s] - rest;
    }
    for (int j = 0; j < m->n_times; ++j) m->t[j] = table[j * 9];
    for (int a = 0; a < m->n_angles; ++a)
        m->angle[a] = around[2 * a], m->runup[a] = 0.01 * around[2 * a + 1];
    find_wave(m);
    return true;
}

// ---- Simulation ----------------------------------------------------------------------------------

// A solitary wave of the measured height, its crest at the gauges 1 to 4 at time 0. 5 cm cells; 16 m of the
// basin's 27.6 m: what gets to the sides there is gone.
static TarnShallow* make_island(CheckRun* run, const Measured* m, double crest_x)
{
    enum { NX = 500, NZ = 320 };
    static float depth[NX * NZ], speed[NX * NZ];
    TarnShallowDef def = channel_def(NX, 0.0, 25.0, 1.0);
    def.nz = NZ;
    def.origin.y = -8.0f;
    def.edge_x1 = def.edge_z0 = def.edge_z1 = TARN_SHALLOW_OPEN;
    def.bed_fn = island_bed;
    double k = sqrt(0.75 * m->height / (still_depth * still_depth * still_depth));
    double c = sqrt(g * (still_depth + m->height));
    for (int n = 0; n < NX * NZ; ++n) {
        double x = center_x(&def, n % NX), z = -8.0 + (n / NX + 0.5) * (double)def.dx;
        double bed = (double)island_bed((float)x, (float)z, NULL);
        double sech = 1.0 / cosh(k * (x - crest_x)),
               at_face = 1.0 / cosh(k * (x - 0.5 * (double)def.dx - crest_x));
        double over = m->height * sech * sech, over_face = m->height * at_face * at_face;
        depth[n] = (float)fmax(0.0, (bed < 0.0 ? over : 0.0) - bed);
        speed[n] = (float)(c * over_face / (still_depth + over_face));
    }
    def.depth = depth;
    def.velocity_x = speed;
    TarnShallow* water = make_water(run, &def);
    TarnShallowParams params = tarn_shallow_params(water);
    params.drag = tarn_shallow_default_params().drag; // of smooth concrete, about
    must(run, tarn_shallow_set_params(water, &params));
    return water;
}

// How high the shore line reaches now along each ray from the center of the island; kept if higher.
static void note_shore(CheckRun* run, const TarnShallow* water, const Measured* m, void* work,
                       double* highest)
{
    static TarnVec3 points[ISLAND_POINTS];
    static int ends[ISLAND_POINTS];
    int n_points, n_lines;
    must(run, tarn_shallow_shore(water, work, points, ISLAND_POINTS, ends, ISLAND_POINTS, &n_points,
                                 &n_lines));
    for (int l = 0, p = 0; l < n_lines; p = ends[l++]) {
        for (int q = p + 1; q < ends[l]; ++q) {
            double x0 = (double)points[q - 1].x - island_x, x1 = (double)points[q].x - island_x;
            double z0 = (double)points[q - 1].z, z1 = (double)points[q].z;
            if (hypot(x0, z0) > toe_radius) continue;
            for (int a = 0; a < m->n_angles; ++a) {
                double ex = sin(m->angle[a] * pi / 180.0), ez = cos(m->angle[a] * pi / 180.0);
                double s0 = x0 * ez - z0 * ex, s1 = x1 * ez - z1 * ex; // beside the ray
                if ((s0 > 0.0) == (s1 > 0.0) || x0 * ex + z0 * ez < 0.0) continue;
                double y = (double)points[q - 1].y +
                           s0 / (s0 - s1) * ((double)points[q].y - (double)points[q - 1].y);
                highest[a] = fmax(highest[a], y);
            }
        }
    }
}

static double level_between(const TarnShallow* water, double x, double z)
{
    double dx = (double)water->def.dx, fx = x / dx - 0.5, fz = (z + 8.0) / dx - 0.5;
    int i = (int)fx, k = (int)fz;
    double s = fx - i, t = fz - k;
    return (1 - s) * (1 - t) * level_at(water, i, k) + s * (1 - t) * level_at(water, i + 1, k) +
           (1 - s) * t * level_at(water, i, k + 1) + s * t * level_at(water, i + 1, k + 1);
}

// ---- Rows ----------------------------------------------------------------------------------------

// A row that the equations do not reach: see docs/solvers/shallow.md.
static void mark_open(CheckRun* run, bool is_open)
{
    if (is_open) check_not_reached(run);
}

static void compare_runup(CheckRun* run, char name, const Measured* m, const double* highest)
{
    Worst front = { 0 }, around = { 0 };
    double angle[ISLAND_ANGLES], measured[ISLAND_ANGLES], simulated[ISLAND_ANGLES];
    for (int a = 0; a < m->n_angles; ++a) {
        worst_of(&around, 100.0 * highest[a], 100.0 * m->runup[a]);
        if (fabs(m->angle[a] - 270.0) < 23.0)
            worst_of(&front, 100.0 * highest[a], 100.0 * m->runup[a]);
        angle[a] = m->angle[a];
        measured[a] = 100.0 * m->runup[a], simulated[a] = 100.0 * highest[a];
    }
    char row[64];
    snprintf(row, sizeof row, "shallow.island.%c.front_cm", name);
    add_worst(run, row, &front, name == 'c' ? 0.2 : 0.1);
    mark_open(run, name != 'c');
    snprintf(row, sizeof row, "shallow.island.%c.around_cm", name);
    add_worst(run, row, &around, 0.2);
    mark_open(run, true);
    snprintf(row, sizeof row, "shallow.island.%c", name);
    Plot* plot = check_plot(run, row, "angle [degrees]; 270 faces the wave", "run-up [cm]");
    plot_title(plot, "Run-up around a conical island");
    plot_points(plot, "measured", angle, measured, m->n_angles);
    plot_line(plot, "Tarn", angle, simulated, m->n_angles);
    plot_done(plot);
}

// Height of the first crest, and when the level first gets to half of the measured one.
static void compare_island_gauge(CheckRun* run, char name, int gauge, const double* t,
                                 const double* const series[2], int n)
{
    double high[2] = { 0 }, when[2] = { NAN, NAN };
    for (int s = 0; s < 2; ++s) {
        for (int j = 0; j < n; ++j) high[s] = fmax(high[s], series[s][j]);
        for (int j = 1; j < n && isnan(when[s]); ++j) {
            double half = 0.5 * high[0], a = series[s][j - 1], b = series[s][j];
            if (b >= half) when[s] = t[j - 1] + (t[j] - t[j - 1]) * (half - a) / (b - a);
        }
    }
    char row[64];
    snprintf(row, sizeof row, "shallow.island.%c.g%d.peak_cm", name, gauge);
    check_add(run, row, high[1], high[0], 0.2);
    mark_open(run, name == 'b' && gauge == 22);
    snprintf(row, sizeof row, "shallow.island.%c.g%d.late_s", name, gauge);
    check_add(run, row, when[1] - when[0], 0.0, 0.3);
    snprintf(row, sizeof row, "shallow.island.%c.g%d", name, gauge);
    Plot* plot = check_plot(run, row, "t [s]", "level [cm]");
    plot_line(plot, "measured", t, series[0], n);
    plot_line(plot, "Tarn", t, series[1], n);
    plot_done(plot);
}

static void check_case(CheckRun* run, const IslandCase* wave)
{
    enum { STEPS = 275 }; // of the gauges' 1/25 s
    static Measured m;
    static double t[STEPS], level[4][2][STEPS];
    static const int gauges[4] = { 6, 9, 16, 22 };
    static const double x[4] = { 9.36, 10.36, 12.96, 15.56 }, z[4] = { 0.0, 0.0, -2.58, 0.0 };
    if (!read_measured(wave->name, &m)) return;
    TarnShallow* water = make_island(run, &m, wave->gauge_x);
    void* work = malloc(tarn_shallow_shore_work(water));
    double highest[ISLAND_ANGLES] = { 0 };
    int first = 0;
    while (m.t[first] < m.crest_time) ++first;
    for (int j = 0; j < STEPS; ++j) {
        t[j] = m.t[first + j] - m.crest_time;
        run_to(run, water, t[j], 0.02);
        note_shore(run, water, &m, work, highest);
        for (int s = 0; s < 4; ++s) {
            level[s][0][j] = 100.0 * m.level[4 + s][first + j];
            level[s][1][j] = 100.0 * level_between(water, x[s], z[s]);
        }
    }
    compare_runup(run, wave->name, &m, highest);
    for (int s = 0; s < 4; ++s) {
        const double* const series[2] = { level[s][0], level[s][1] };
        compare_island_gauge(run, wave->name, gauges[s], t, series, STEPS);
    }
    free(work);
    tarn_shallow_destroy(water);
}

void check_shallow_island(CheckRun* run, const char* group)
{
    (void)group;
    for (int n = 0; n < 3; ++n) check_case(run, &island_cases[n]);
}
