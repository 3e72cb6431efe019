// Checks of the pipe model against theory and the promises of the header.

#include "check.h"
#include "base/base.h"
#include "waves/pipes_internal.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static TarnPipes* make_pipes(CheckRun* run, const TarnPipesDef* def, const TarnPipesParams* params)
{
    TarnPipes* pipes;
    if (tarn_pipes_create(run->ctx, def, &pipes) != TARN_OK ||
        tarn_pipes_set_params(pipes, params) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    return pipes;
}

static double at(TarnView2 v, int i, int k)
{
    return (double)v.data[i + (ptrdiff_t)v.stride * k];
}

static TarnPipesParams frictionless(void)
{
    TarnPipesParams params = tarn_pipes_default_params();
    params.friction = params.drag = params.steep_drag = 0.0f;
    return params;
}

static void close_edges(TarnPipesDef* def)
{
    def->edge_x0 = def->edge_x1 = def->edge_z0 = def->edge_z1 = TARN_PIPES_CLOSED;
}

// ---- Speed of waves ------------------------------------------------------------------------------

enum { MODE_CELLS = 64 };

static double project(const TarnPipes* pipes, int m)
{
    double sum = 0.0;
    for (int i = 0; i < MODE_CELLS; ++i)
        sum += at(tarn_pipes_depth(pipes), i, 1) * cos(m * pi * (i + 0.5) / MODE_CELLS);
    return sum;
}

// Frequency of the m-th standing wave in a channel, from its first zero crossing to its last.
static double measure_omega(CheckRun* run, float depth, float area, int m, double dt, double guess)
{
    TarnPipesDef def = tarn_pipes_default_def();
    def.nx = MODE_CELLS, def.nz = 3, def.dx = 1.0f;
    def.use_erosion = false;
    def.pipe_area = area;
    close_edges(&def);
    float d[3 * MODE_CELLS];
    for (int c = 0; c < 3 * MODE_CELLS; ++c)
        d[c] = depth + 0.01f * (float)cos(m * pi * (c % MODE_CELLS + 0.5) / MODE_CELLS);
    def.depth = d;
    TarnPipesParams params = frictionless();
    TarnPipes* pipes = make_pipes(run, &def, &params);
    double last = project(pipes, m), first_time = 0.0, last_time = 0.0;
    int crossings = 0, steps = (int)(10.3 * 2.0 * pi / guess / dt);
    for (int s = 1; s <= steps; ++s) {
        tarn_pipes_step(pipes, (float)dt, NULL);
        double now = project(pipes, m);
        if ((now < 0.0) != (last < 0.0)) {
            last_time = (s - 1 + last / (last - now)) * dt;
            if (crossings++ == 0) first_time = last_time;
        }
        last = now;
    }
    tarn_pipes_destroy(pipes);
    return (crossings - 1) * pi / (last_time - first_time);
}

static void check_speed(CheckRun* run)
{
    const struct {
        const char* name;
        float depth, area;
        int m;
    } cases[] = { { "pipes.speed.depth_2m", 2.0f, 0.0f, 2 },
                  { "pipes.speed.depth_8m", 8.0f, 0.0f, 3 },
                  { "pipes.speed.area_3m2", 2.0f, 3.0f, 2 },
                  { "pipes.speed.area_3m2_deep", 8.0f, 3.0f, 2 } };
    for (int n = 0; n < 4; ++n) {
        // c^2 = g A / l, with A = l d unless it is given; the grid slows it as in any staggered
        // scheme, sin(omega dt / 2) = (c dt / l) sin(k l / 2).
        double deep = cases[n].area > 0.0f ? (double)cases[n].area : (double)cases[n].depth;
        double c = sqrt(9.81 * deep), k = cases[n].m * pi / MODE_CELLS,
               dt = (double)(float)(0.4 / c);
        double discrete = 2.0 / dt * asin(c * dt * sin(0.5 * k));
        double omega = measure_omega(run, cases[n].depth, cases[n].area, cases[n].m, dt, discrete);
        check_add(run, cases[n].name, omega, discrete, 1e-3);
    }
}

// ---- Rest ------------------------------------------------------------------------------------------

// A lake over any ground, with islands: nothing moves, not by one grain.
static void check_lake(CheckRun* run)
{
    enum { N = 70 };
    static float bed[N * N];
    for (int c = 0; c < N * N; ++c) bed[c] = 900.0f + 40.0f * tarn__random01(3, 1, (uint64_t)c);
    TarnPipesDef def = tarn_pipes_default_def();
    def.nx = def.nz = N, def.dx = 4.0f;
    def.bed = bed;
    def.soil = 1.0f;
    def.has_level = true;
    def.level = 931.37f;
    close_edges(&def);
    TarnPipesParams params = tarn_pipes_default_params();
    params.slip_rate = params.creep = 0.0f;
    TarnPipes* pipes = make_pipes(run, &def, &params);
    TarnPipesLedger before = tarn_pipes_ledger(pipes);
    static float depth[N * N];
    int n_wet = 0, n_changed = 0;
    for (int c = 0; c < N * N; ++c) {
        depth[c] = (float)at(tarn_pipes_depth(pipes), c % N, c / N);
        n_wet += depth[c] > 0.0f;
    }
    for (int s = 0; s < 500; ++s) tarn_pipes_step(pipes, s % 3 ? 0.1f : 1.0f, NULL);
    double flow = 0.0;
    for (int c = 0; c < N * N; ++c) {
        n_changed += depth[c] != (float)at(tarn_pipes_depth(pipes), c % N, c / N);
        flow = fmax(flow, fabs(at(tarn_pipes_discharge_x(pipes), c % N, c / N)));
        flow = fmax(flow, fabs(at(tarn_pipes_discharge_z(pipes), c % N, c / N)));
    }
    check_add(run, "pipes.lake.cells_under_water", n_wet / (double)(N * N), 0.75, 0.1);
    check_add(run, "pipes.lake.flow", flow, 0.0, 0.0);
    check_add(run, "pipes.lake.cells_changed", n_changed, 0.0, 0.0);
    check_add(run, "pipes.lake.volume", tarn_pipes_ledger(pipes).volume, before.volume, 0.0);
    tarn_pipes_destroy(pipes);
}

// ---- Ledgers ---------------------------------------------------------------------------------------

static void hilly_bed(float* bed, int n, float height)
{
    for (int c = 0; c < n * n; ++c) {
        double x = c % n / (double)n, z = c / n / (double)n;
        double hills = sin(9.0 * x + 1.0) * cos(7.0 * z) + 0.4 * sin(23.0 * x - 11.0 * z);
        double noise = 0.05 * (double)tarn__random01(4, 2, (uint64_t)c);
        bed[c] = height * (float)(1.0 - x + 0.3 * hills + noise);
    }
}

// A long storm with everything in it: rain, sun, springs, drains, open and closed edges, erosion that
// is much faster than in nature. Every grain is accounted for.
static void check_ledger(CheckRun* run)
{
    enum { N = 96 };
    static float bed[N * N];
    hilly_bed(bed, N, 60.0f);
    TarnPipesDef def = tarn_pipes_default_def();
    def.nx = def.nz = N, def.dx = 4.0f;
    def.bed = bed;
    def.edge_x0 = TARN_PIPES_CLOSED;
    TarnPipesParams params = tarn_pipes_default_params();
    params.erosion_speed = 500.0f, params.capacity = 0.1f;
    TarnPipes* pipes = make_pipes(run, &def, &params);
    TarnPipesLedger first = tarn_pipes_ledger(pipes);
    double lowest = 0.0;
    for (int s = 0; s < 3000; ++s) {
        params.rain = s % 500 < 300 ? 400.0f : 0.0f;
        params.evaporation = s % 500 < 300 ? 20.0f : 300.0f;
        tarn_pipes_set_params(pipes, &params);
        TarnVec2 spring = { 200.0f, 150.0f }, drain = { 100.0f, 300.0f };
        tarn_pipes_add_water(pipes, spring, 10.0f, 5.0f, NULL);
        tarn_pipes_add_water(pipes, drain, 20.0f, -20.0f, NULL);
        tarn_pipes_step(pipes, 0.2f, NULL);
    }
    for (int c = 0; c < N * N; ++c) {
        lowest = fmin(lowest, at(tarn_pipes_depth(pipes), c % N, c / N));
        lowest = fmin(lowest, at(tarn_pipes_sediment(pipes), c % N, c / N));
        lowest = fmin(lowest, at(tarn_pipes_soil(pipes), c % N, c / N));
    }
    TarnPipesLedger l = tarn_pipes_ledger(pipes);
    check_add(run, "pipes.ledger.water_error", l.water_error / l.rain, 0.0, 0.0);
    check_add(run, "pipes.ledger.ground_error", l.ground_error / first.ground, 0.0, 0.0);
    check_add(run, "pipes.ledger.water_sum",
              l.initial + l.rain + l.evaporated + l.edges + l.sources, l.volume, 1e-12);
    check_add(run, "pipes.ledger.ground_sum", l.ground + l.sediment + l.carried_out, first.ground,
              1e-12);
    bool is_carved = l.carried_out > 100.0 && l.sediment > 1.0; // else there was nothing to count
    check_add(run, "pipes.ledger.is_carved", is_carved, 1.0, 0.0);
    check_add(run, "pipes.ledger.lowest", lowest, 0.0, 0.0);
    tarn_pipes_destroy(pipes);
}

// ---- Talus -----------------------------------------------------------------------------------------

// Steepest fall from the top of a cell's ground, or of the rock below its soil, to a neighbor's [deg].
static double steepest(const TarnPipes* pipes, bool is_rock)
{
    TarnView2 ground = tarn_pipes_ground(pipes), soil = tarn_pipes_soil(pipes);
    double most = 0.0, dx = (double)tarn_pipes_def(pipes)->dx;
    for (int k = 1; k < ground.nz - 1; ++k) {
        for (int i = 1; i < ground.nx - 1; ++i) {
            double top = at(ground, i, k) - (is_rock ? at(soil, i, k) : 0.0);
            for (int n = 0; n < 9; ++n) {
                int di = n % 3 - 1, dk = n / 3 - 1;
                double far = dx * sqrt((double)(di * di + dk * dk));
                if (n != 4) most = fmax(most, (top - at(ground, i + di, k + dk)) / far);
            }
        }
    }
    return atan(most) * 180.0 / pi;
}

// A tower falls to a heap of the talus angle, and then nothing moves any more. What breaks off a tower
// of rock is soil and lies at the soil's angle; what stands is rock at its own.
static void talus_case(CheckRun* run, bool is_rock, double degrees, const char* name)
{
    enum { N = 32 };
    static float height[N * N], flat[N * N];
    for (int c = 0; c < N * N; ++c) {
        int i = c % N - N / 2, k = c / N - N / 2;
        height[c] = i * i + k * k < 20 ? 24.0f : 0.0f;
    }
    TarnPipesDef def = tarn_pipes_default_def();
    def.nx = def.nz = N, def.dx = 2.0f;
    def.bed = is_rock ? height : flat;
    def.soil_map = is_rock ? flat : height;
    TarnPipesParams params = tarn_pipes_default_params();
    params.creep = 0.0f;
    params.slip_rate = 1.0f;
    params.erosion_speed = 1.0f;
    params.soil_talus = 33.0f, params.rock_talus = 50.0f;
    TarnPipes* pipes = make_pipes(run, &def, &params);
    for (int s = 0; s < 40000; ++s) tarn_pipes_step(pipes, 2.0f, NULL);
    for (int c = 0; c < N * N; ++c) height[c] = (float)at(tarn_pipes_ground(pipes), c % N, c / N);
    for (int s = 0; s < 1000; ++s) tarn_pipes_step(pipes, 2.0f, NULL);
    int n_moved = 0;
    for (int c = 0; c < N * N; ++c)
        n_moved += height[c] != (float)at(tarn_pipes_ground(pipes), c % N, c / N);
    char row[64];
    snprintf(row, sizeof row, "pipes.talus.%s_deg", name);
    check_add(run, row, steepest(pipes, is_rock), degrees, 0.005);
    snprintf(row, sizeof row, "pipes.talus.%s_cells_moving", name);
    check_add(run, row, n_moved, 0.0, 0.0);
    snprintf(row, sizeof row, "pipes.talus.%s_error", name);
    check_add(run, row, tarn_pipes_ledger(pipes).ground_error, 0.0, 0.0);
    tarn_pipes_destroy(pipes);
}

static void check_talus(CheckRun* run)
{
    talus_case(run, false, 33.0, "soil");
    talus_case(run, true, 50.0, "rock");
}

// ---- Symmetry ----------------------------------------------------------------------------------------

enum { SYM = 61 };

static int turned(int c, int turn) // the cell that cell c goes to
{
    int i = c % SYM, k = c / SYM;
    if (turn & 1) i = SYM - 1 - i;
    if (turn & 2) k = SYM - 1 - k;
    return turn & 4 ? k + SYM * i : i + SYM * k;
}

static TarnPipes* crater(CheckRun* run, int turn)
{
    static float bed[SYM * SYM], soil[SYM * SYM], depth[SYM * SYM];
    for (int c = 0; c < SYM * SYM; ++c) {
        double x = c % SYM - 27.0, z = c / SYM - 33.0, r = sqrt(x * x + z * z);
        double rim = 30.0 * exp(-0.01 * (r - 16.0) * (r - 16.0)) - 15.0 * exp(-0.01 * r * r);
        int to = turned(c, turn);
        bed[to] = (float)rim + 4.0f * tarn__random01(8, 1, (uint64_t)c);
        soil[to] = 3.0f * tarn__random01(8, 2, (uint64_t)c);
        depth[to] = r < 12.0 ? 6.0f : 0.0f;
    }
    TarnPipesDef def = tarn_pipes_default_def();
    def.nx = def.nz = SYM, def.dx = 4.0f;
    def.bed = bed, def.soil_map = soil, def.depth = depth;
    TarnPipesParams params = tarn_pipes_default_params();
    params.rain = 500.0f, params.evaporation = 30.0f;
    params.erosion_speed = 200.0f;
    TarnPipes* pipes = make_pipes(run, &def, &params);
    for (int s = 0; s < 600; ++s) tarn_pipes_step(pipes, 0.25f, NULL);
    return pipes;
}

static void check_symmetry(CheckRun* run)
{
    const char* const names[] = { "", "mirror_x", "mirror_z", "half_turn", "transpose" };
    TarnPipes* plain = crater(run, 0);
    for (int turn = 1; turn <= 4; ++turn) {
        TarnPipes* other = crater(run, turn);
        int n_differ = 0;
        for (int c = 0; c < SYM * SYM; ++c) {
            int to = turned(c, turn);
            TarnView2 (*const views[])(const TarnPipes*) = { tarn_pipes_depth, tarn_pipes_ground,
                                                             tarn_pipes_soil, tarn_pipes_sediment };
            for (int v = 0; v < 4; ++v)
                n_differ += at(views[v](plain), c % SYM, c / SYM) !=
                            at(views[v](other), to % SYM, to / SYM);
        }
        char row[64];
        snprintf(row, sizeof row, "pipes.symmetry.%s", names[turn]);
        check_add(run, row, n_differ, 0.0, 0.0);
        tarn_pipes_destroy(other);
    }
    tarn_pipes_destroy(plain);
}

// ---- Independence of dt ------------------------------------------------------------------------------

// Volume that rain carves out of a hillside in ten minutes [m^3]; speed 1: less than a grain per step.
static double carved(CheckRun* run, float dt, float speed)
{
    enum { N = 64 };
    static float bed[N * N];
    hilly_bed(bed, N, 60.0f);
    TarnPipesDef def = tarn_pipes_default_def();
    def.nx = def.nz = N, def.dx = 4.0f;
    def.bed = bed;
    TarnPipesParams params = tarn_pipes_default_params();
    params.rain = 300.0f;
    params.erosion_speed = speed;
    params.slip_rate = params.creep = 0.0f;
    TarnPipes* pipes = make_pipes(run, &def, &params);
    int steps = (int)(600.0f / dt + 0.5f);
    for (int s = 0; s < steps; ++s) tarn_pipes_step(pipes, dt, NULL);
    double sum = 0.0;
    for (int c = 0; c < N * N; ++c)
        sum += fmax(0.0, (double)bed[c] + 2.0 - at(tarn_pipes_ground(pipes), c % N, c / N));
    tarn_pipes_destroy(pipes);
    return sum * 16.0;
}

static void check_dt(CheckRun* run)
{
    double slow = carved(run, 0.05f, 1.0f), fast = carved(run, 0.05f, 50.0f);
    check_add(run, "pipes.dt.carved_0.1_against_0.05", carved(run, 0.1f, 1.0f), slow, 0.05);
    check_add(run, "pipes.dt.carved_0.2_against_0.05", carved(run, 0.2f, 1.0f), slow, 0.1);
    check_add(run, "pipes.dt.fast_0.1_against_0.05", carved(run, 0.1f, 50.0f), fast, 0.05);
}

// ---- Dam break -----------------------------------------------------------------------------------------

// The front runs out monotonously over a dry bed, no cell goes below zero, none above the dam.
static void check_dam(CheckRun* run)
{
    enum { N = 200 };
    static float depth[N * 3];
    for (int c = 0; c < N * 3; ++c) depth[c] = c % N < N / 2 ? 10.0f : 0.0f;
    TarnPipesDef def = tarn_pipes_default_def();
    def.nx = N, def.nz = 3, def.dx = 1.0f;
    def.use_erosion = false;
    def.depth = depth;
    close_edges(&def);
    TarnPipesParams params = tarn_pipes_default_params();
    TarnPipes* pipes = make_pipes(run, &def, &params);
    double lowest = 0.0, highest = 0.0, before = 0.0, front = 0.0;
    int n_back = 0;
    for (int s = 0; s < 120; ++s) {
        tarn_pipes_step(pipes, 0.05f, NULL);
        front = 0.0;
        for (int i = 0; i < N; ++i) {
            double d = at(tarn_pipes_depth(pipes), i, 1);
            lowest = fmin(lowest, d);
            highest = fmax(highest, d);
            if (d > 1e-3) front = i;
        }
        n_back += front < before;
        before = front;
    }
    check_add(run, "pipes.dam.lowest", lowest, 0.0, 0.0);
    check_add(run, "pipes.dam.highest", highest, 10.0, 0.0);
    check_add(run, "pipes.dam.front_steps_back", n_back, 0.0, 0.0);
    check_add(run, "pipes.dam.front_reached", front > 0.6 * N, 1.0, 0.0);
    check_add(run, "pipes.dam.water_error", tarn_pipes_ledger(pipes).water_error, 0.0, 0.0);
    tarn_pipes_destroy(pipes);
}

void check_pipes(CheckRun* run, const char* group)
{
    static const struct {
        const char* name;
        void (*fn)(CheckRun*);
    } parts[] = { { "pipes.speed", check_speed },
                  { "pipes.lake", check_lake },
                  { "pipes.ledger", check_ledger },
                  { "pipes.talus", check_talus },
                  { "pipes.symmetry", check_symmetry },
                  { "pipes.dt", check_dt },
                  { "pipes.dam", check_dam } };
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; ++p) {
        if (strcmp(group, parts[p].name) == 0) parts[p].fn(run);
    }
}
