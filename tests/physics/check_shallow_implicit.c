// Shallow water with the implicit gravity step: against the theory of its scheme, exact solutions, the explicit step, and
// what holds exactly.

#include "check_shallow.h"

// 100 m of water over cells of 1 m: what the implicit step is for. Waves run 3 cells per step of 1/10 s.
static const double deep = 100.0, deep_dt = 0.1;

static TarnShallowDef implicit_def(int nx, int nz, double dx, double max_depth, double theta)
{
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = nx, def.nz = nz;
    def.dx = (float)dx;
    def.max_depth = (float)max_depth;
    def.sleep_speed = 0.0f;
    def.max_substeps = 64;
    def.gravity_step = TARN_GRAVITY_IMPLICIT;
    def.implicitness = (float)theta;
    return def;
}

static void set_edges(TarnShallowDef* def, int edge)
{
    def->edge_x0 = def->edge_x1 = def->edge_z0 = def->edge_z1 = edge;
}

static void must_converge(CheckRun* run, TarnShallow* water, double dt, int* substeps)
{
    TarnStepReport report;
    must(run, tarn_shallow_step(water, (float)dt, &report));
    *substeps = report.substeps > *substeps ? report.substeps : *substeps;
    if ((report.flags & (TARN_STEP_NOT_CONVERGED | TARN_STEP_TIME_CUT)) == 0) return;
    fprintf(stderr, "tarn: check: implicit step: flags %u\n", report.flags);
    exit(1);
}

// ---- Rest --------------------------------------------------------------------------------------------------

// Random ground with islands and holes; what changes in 300 steps.
static double unrest(CheckRun* run, int advection, int edge)
{
    enum { NX = 93, NZ = 70 };
    static float bed[NX * NZ], before[NX * NZ];
    TarnShallowDef def = implicit_def(NX, NZ, 0.5, 16.0, 0.6);
    for (int c = 0; c < NX * NZ; ++c) bed[c] = 4.0f * tarn__random01(11, 0, (uint64_t)c) - 2.0f;
    def.bed = bed;
    def.level = 0.37f;
    def.has_level = true;
    def.advection = advection;
    set_edges(&def, edge);
    TarnShallow* water = make_water(run, &def);
    for (int c = 0; c < NX * NZ; ++c) before[c] = (float)depth_at(water, c % NX, c / NX);
    for (int n = 0; n < 300; ++n) must(run, tarn_shallow_step(water, 0.1f, NULL));
    int n_bad = 0;
    for (int c = 0; c < NX * NZ; ++c) {
        n_bad += (float)depth_at(water, c % NX, c / NX) != before[c];
        n_bad += view_at(tarn_shallow_velocity_x(water), c % NX, c / NX) != 0.0;
        n_bad += view_at(tarn_shallow_velocity_z(water), c % NX, c / NX) != 0.0;
    }
    tarn_shallow_destroy(water);
    return n_bad;
}

static void check_rest(CheckRun* run)
{
    static const char* const edges[5] = { "reflecting", "open", "fall", "absorbing", "periodic" };
    char name[64];
    for (int a = 0; a < 4; ++a) {
        snprintf(name, sizeof name, "shallow.implicit.rest.%s", advection_names[a]);
        check_add(run, name, unrest(run, a, TARN_SHALLOW_REFLECTING), 0.0, 0.0);
    }
    for (int edge = TARN_SHALLOW_OPEN; edge <= TARN_SHALLOW_PERIODIC; ++edge) {
        if (edge == TARN_SHALLOW_FALL) continue; // nothing rests there
        snprintf(name, sizeof name, "shallow.implicit.rest.%s", edges[edge]);
        check_add(run, name, unrest(run, TARN_ADVECTION_MOMENTUM, edge), 0.0, 0.0);
    }
}

// ---- Seiche ------------------------------------------------------------------------------------------------

typedef struct Seiche {
    double period, kept; // per period
} Seiche;

// What the scheme must do: the factor of a substep is (1 - i (1 - theta) s) / (1 + i theta s).
static Seiche seiche_theory(double omega, double theta)
{
    double s = omega * deep_dt, turn = atan(theta * s) + atan((1.0 - theta) * s);
    double size =
        sqrt((1.0 + (1.0 - theta) * (1.0 - theta) * s * s) / (1.0 + theta * theta * s * s));
    double steps = 2.0 * pi / turn;
    return (Seiche){ steps * deep_dt, pow(size, steps) };
}

// cos(mode pi x / L) in a basin of 64 m. Its part in the surface, from one falling zero to the next ones.
static Seiche measure_seiche(CheckRun* run, int mode, double theta)
{
    enum { NX = 64, NZ = 4 };
    static float depth[NX * NZ];
    TarnShallowDef def = implicit_def(NX, NZ, 1.0, deep + 1.0, theta);
    def.tolerance = 1e-5f;
    for (int c = 0; c < NX * NZ; ++c)
        depth[c] = (float)(deep + 0.5 * cos(mode * pi * (c % NX + 0.5) / NX));
    def.depth = depth;
    TarnShallow* water = make_water(run, &def);
    // Zeros with a straight line between steps, and the sum of squares over whole periods, by least effort: the last
    // falling zero of the run against the first; heights from the quarter where the speed is 0.
    double before = 0.0, first = -1.0, last = -1.0, top[2] = { 0.0, 0.0 }, high = 0.0;
    int falls = 0, n_substeps = 0;
    for (int n = 0; n < 4000 && falls < 4; ++n) {
        double now = 0.0;
        for (int i = 0; i < NX; ++i)
            now += (depth_at(water, i, 1) - deep) * cos(mode * pi * (i + 0.5) / NX);
        now *= 2.0 / NX;
        high = fmax(high, fabs(now));
        if (n > 0 && before > 0.0 && now <= 0.0) {
            double at = (n - 1 + before / (before - now)) * deep_dt;
            if (falls == 0) first = at;
            last = at;
            if (falls >= 1) top[falls > 1] = high;
            high = 0.0;
            ++falls;
        }
        before = now;
        must_converge(run, water, deep_dt, &n_substeps);
    }
    tarn_shallow_destroy(water);
    return (Seiche){ (last - first) / 3.0, pow(top[1] / top[0], 0.5) };
}

static void check_seiche(CheckRun* run)
{
    static const double thetas[3] = { 0.5, 0.6, 1.0 };
    char name[64];
    for (int t = 0; t < 3; ++t) {
        for (int mode = 1; mode <= 3; mode += 2) {
            double omega = 2.0 * sqrt(g * deep) * sin(mode * pi / 128.0);
            Seiche theory = seiche_theory(omega, thetas[t]);
            Seiche found = measure_seiche(run, mode, thetas[t]);
            snprintf(name, sizeof name, "shallow.implicit.seiche.%g.mode%d.period", thetas[t],
                     mode);
            check_add(run, name, found.period, theory.period, 0.005);
            snprintf(name, sizeof name, "shallow.implicit.seiche.%g.mode%d.kept", thetas[t], mode);
            check_add(run, name, found.kept, theory.kept, 0.03);
        }
    }
}

// ---- Dam break -----------------------------------------------------------------------------------------------

// Stoker's, 1 m against 0.1 m: the middle state, and its shock.
static double stoker(double x)
{
    const double middle = 0.396170, speed = 2.320634,
                 shock = 3.105087; // 0.1 shock = middle (shock - speed)
    double c = 2.0 * sqrt(g) - x;
    if (x < -sqrt(g)) return 1.0;
    if (x < speed - sqrt(g * middle)) return c * c / (9.0 * g);
    return x < shock ? middle : 0.1;
}

static double stoker_error(CheckRun* run, double dt)
{
    enum { NX = 200 };
    static float depth[NX * CHANNEL_WIDTH];
    TarnShallowDef def = channel_def(NX, -5.0, 10.0, 1.0);
    def.gravity_step = TARN_GRAVITY_IMPLICIT;
    for (int c = 0; c < NX * CHANNEL_WIDTH; ++c)
        depth[c] = center_x(&def, c % NX) < 0.0 ? 1.0f : 0.1f;
    def.depth = depth;
    TarnShallow* water = make_water(run, &def);
    run_to(run, water, 0.7, dt);
    double error = 0.0;
    for (int i = 0; i < NX; ++i)
        error += fabs(depth_at(water, i, 1) - stoker(center_x(&def, i) / 0.7)) / NX;
    tarn_shallow_destroy(water);
    return error;
}

// ---- Against the explicit step -------------------------------------------------------------------------------

enum { BAY_X = 80, BAY_Z = 60 };

// A hump of water in a bay with an island and a beach.
static TarnShallow* make_bay(CheckRun* run, bool is_implicit)
{
    static float bed[BAY_X * BAY_Z], depth[BAY_X * BAY_Z];
    TarnShallowDef def = implicit_def(BAY_X, BAY_Z, 0.5, 16.0, 0.6);
    if (!is_implicit) def.gravity_step = TARN_GRAVITY_EXPLICIT;
    for (int c = 0; c < BAY_X * BAY_Z; ++c) {
        double x = (c % BAY_X + 0.5) * 0.5, z = (c / BAY_X + 0.5) * 0.5;
        double island = 2.5 * exp(-((x - 25) * (x - 25) + (z - 12) * (z - 12)) / 12.0);
        bed[c] = (float)(-2.0 + island + 0.15 * fmax(0.0, x - 22.0));
        double hump = 0.5 * exp(-((x - 10) * (x - 10) + (z - 17) * (z - 17)) / 8.0);
        depth[c] = (float)fmax(0.0, hump - (double)bed[c]);
    }
    def.bed = bed;
    def.depth = depth;
    return make_water(run, &def);
}

static double bay_distance(const TarnShallow* a, const TarnShallow* b)
{
    double far = 0.0;
    for (int c = 0; c < BAY_X * BAY_Z; ++c)
        far += fabs(depth_at(a, c % BAY_X, c / BAY_X) - depth_at(b, c % BAY_X, c / BAY_X));
    return far / (BAY_X * BAY_Z);
}

static void check_limit(CheckRun* run)
{
    double far[3];
    TarnShallow* exact = make_bay(run, false);
    run_to(run, exact, 2.0, 1.0 / 800.0);
    for (int n = 0; n < 3; ++n) {
        TarnShallow* water = make_bay(run, true);
        run_to(run, water, 2.0, 1.0 / (50 << 2 * n));
        far[n] = bay_distance(water, exact);
        tarn_shallow_destroy(water);
    }
    TarnShallow* calm = make_bay(run, false);
    double moved = bay_distance(calm, exact);
    tarn_shallow_destroy(calm);
    tarn_shallow_destroy(exact);
    // Of what the explicit step moved, at steps of 1/50, 1/200, 1/800 s.
    check_add(run, "shallow.implicit.limit.50", far[0] / moved, 0.0, 0.15);
    check_add(run, "shallow.implicit.limit.200", far[1] / moved, 0.0, 0.05);
    check_add(run, "shallow.implicit.limit.800", far[2] / moved, 0.0, 0.02);
    check_add(run, "shallow.implicit.limit.order", 0.5 * log2(far[0] / far[1]), 1.0, 0.35);
}

// ---- Volume --------------------------------------------------------------------------------------------------

// Ten minutes of gusts over a bay with islands, in steps of 1/10 s: the volume, and depths below 0.
static void check_volume(CheckRun* run)
{
    TarnShallow* water = make_bay(run, true);
    double before = tarn_shallow_ledger(water).volume, lowest = 0.0, fastest = 0.0;
    TarnShallowParams params = tarn_shallow_params(water);
    for (int n = 0; n < 6000; ++n) {
        params.wind = (TarnVec2){ n % 260 < 130 ? 0.2f : -0.2f, n % 340 < 170 ? -0.1f : 0.1f };
        must(run, tarn_shallow_set_params(water, &params));
        must(run, tarn_shallow_step(water, (float)deep_dt, NULL));
        if (n % 50) continue;
        for (int c = 0; c < BAY_X * BAY_Z; ++c) {
            lowest = fmin(lowest, depth_at(water, c % BAY_X, c / BAY_X));
            fastest = fmax(fastest, fabs(speed_at(water, c % BAY_X, c / BAY_X)));
        }
    }
    double gap = tarn_shallow_ledger(water).volume - before;
    tarn_shallow_destroy(water);
    check_add(run, "shallow.implicit.volume.gap", gap, 0.0, 0.0);
    check_add(run, "shallow.implicit.volume.lowest", lowest, 0.0, 0.0);
    check_add(run, "shallow.implicit.volume.moves", fastest > 0.3, 1.0, 0.0);
}

// ---- Deep water ------------------------------------------------------------------------------------------------

enum { DEEP = 96 };

static TarnShallow* make_deep(CheckRun* run, bool is_implicit)
{
    static float depth[DEEP * DEEP];
    TarnShallowDef def = implicit_def(DEEP, DEEP, 1.0, deep + 8.0, 0.6);
    if (!is_implicit) def.gravity_step = TARN_GRAVITY_EXPLICIT;
    for (int c = 0; c < DEEP * DEEP; ++c) {
        double x = c % DEEP - 20.0, z = c / DEEP - 48.0;
        depth[c] = (float)(deep + 2.0 * exp(-(x * x + z * z) / 200.0));
    }
    def.depth = depth;
    return make_water(run, &def);
}

// Water beyond the middle, of what the hump brought [m^3].
static double right_half(const TarnShallow* water)
{
    double sum = 0.0;
    for (int c = 0; c < DEEP * DEEP; ++c)
        if (c % DEEP >= DEEP / 2) sum += depth_at(water, c % DEEP, c / DEEP) - deep;
    return sum;
}

static void check_deep(CheckRun* run)
{
    TarnShallow *water = make_deep(run, true), *exact = make_deep(run, false);
    double before = tarn_shallow_ledger(water).volume, off = 0.0, most = 0.0, highest = 0.0;
    int n_substeps = 0;
    for (int n = 0; n < 600; ++n) {
        must_converge(run, water, deep_dt, &n_substeps);
        for (int c = 0; c < DEEP * DEEP; ++c)
            highest = fmax(highest, fabs(depth_at(water, c % DEEP, c / DEEP) - deep));
        if (n >= 40) continue; // the first run through the basin and back
        run_to(run, exact, (n + 1) * deep_dt, deep_dt / 8.0);
        off = fmax(off, fabs(right_half(water) - right_half(exact)));
        most = fmax(most, fabs(right_half(exact)));
    }
    double left = 0.0, mean = (before / (DEEP * DEEP)) - deep;
    for (int c = 0; c < DEEP * DEEP; ++c)
        left = fmax(left, fabs(depth_at(water, c % DEEP, c / DEEP) - deep - mean));
    check_add(run, "shallow.implicit.deep.substeps", n_substeps, 1.0, 0.0);
    check_add(run, "shallow.implicit.deep.moved", off / most, 0.0, 0.15);
    check_add(run, "shallow.implicit.deep.highest", fmax(highest, 2.0), 2.0, 0.0);
    check_add(run, "shallow.implicit.deep.calm", left, 0.0, 0.2);
    check_add(run, "shallow.implicit.deep.volume", tarn_shallow_ledger(water).volume - before, 0.0,
              0.0);
    tarn_shallow_destroy(water);
    tarn_shallow_destroy(exact);
}

// ---- Edges -----------------------------------------------------------------------------------------------------

// A long hump in a deep channel, one half of it after the other through both ends. What is left of it when it
// should be gone.
static double left_behind(CheckRun* run, int edge)
{
    enum { NX = 200, NZ = 4 };
    static float depth[NX * NZ];
    TarnShallowDef def = implicit_def(NX, NZ, 1.0, deep + 8.0, 0.6);
    for (int c = 0; c < NX * NZ; ++c) {
        double x = c % NX - 99.5;
        depth[c] = (float)(deep + exp(-x * x / 800.0));
    }
    def.depth = depth;
    def.edge_x0 = def.edge_x1 = edge;
    def.level = (float)deep;
    TarnShallow* water = make_water(run, &def);
    double before = 0.5, most = 0.0; // each half
    for (int n = 0; n < 80; ++n) {   // 250 m
        must(run, tarn_shallow_step(water, (float)deep_dt, NULL));
        for (int i = 0; i < NX && n >= 60; ++i)
            most = fmax(most, fabs(depth_at(water, i, 1) - deep));
    }
    TarnShallowLedger l = tarn_shallow_ledger(water);
    if (fabs(l.volume - (l.initial + l.edges)) > 1e-9 * l.volume) most = 1.0;
    tarn_shallow_destroy(water);
    return most / before;
}

// A canal fed with 20 m^3/s and held at a level: what comes out at last.
static void check_canal(CheckRun* run)
{
    enum { NX = 120, NZ = 8 };
    TarnShallowDef def = implicit_def(NX, NZ, 1.0, 8.0, 0.6);
    def.level = 2.0f;
    def.has_level = true;
    TarnShallow* water = make_water(run, &def);
    TarnShallowSpanDef in = tarn_shallow_default_span(), out = in;
    in.side = TARN_SIDE_X0, in.kind = TARN_SHALLOW_DISCHARGE, in.value = 20.0f;
    out.side = TARN_SIDE_X1, out.kind = TARN_SHALLOW_LEVEL, out.value = 2.0f;
    must(run, tarn_shallow_add_span(water, &in, NULL));
    must(run, tarn_shallow_add_span(water, &out, NULL));
    TarnShallowParams params = tarn_shallow_default_params();
    must(run, tarn_shallow_set_params(water, &params));
    for (int n = 0; n < 6000; ++n) must(run, tarn_shallow_step(water, (float)deep_dt, NULL));
    Worst flow = { 0 }, level = { 0 };
    for (int i = 2; i < NX - 1; ++i) {
        double sum = 0.0;
        for (int k = 0; k < NZ; ++k) {
            double u = view_at(tarn_shallow_velocity_x(water), i, k);
            sum += u * (u > 0.0 ? depth_at(water, i - 1, k) : depth_at(water, i, k));
        }
        worst_of(&flow, sum, 20.0);
        if (i == NX - 2) worst_of(&level, level_at(water, i, 2), 2.0);
    }
    tarn_shallow_destroy(water);
    add_worst(run, "shallow.implicit.canal.discharge", &flow, 0.02);
    add_worst(run, "shallow.implicit.canal.level", &level, 0.02);
}

static void check_edges(CheckRun* run)
{
    check_add(run, "shallow.implicit.edge.absorbing", left_behind(run, TARN_SHALLOW_ABSORBING), 0.0,
              0.1);
    check_add(run, "shallow.implicit.edge.open", left_behind(run, TARN_SHALLOW_OPEN), 0.0, 0.1);
    check_canal(run);
}

// ---- Growth ----------------------------------------------------------------------------------------------------

// Noise of 1e-4 m in uniform flow over a minute, doubly periodic, at steps that let waves cross cells: height at the end
// over that at the start.
static double growth(CheckRun* run, int advection, double u, double w, double dt)
{
    enum { N = 64 };
    static float depth[N * N];
    TarnShallowDef def = implicit_def(N, N, 0.1, 1.0, 0.6);
    for (int c = 0; c < N * N; ++c)
        depth[c] = 0.33f + 2e-4f * (tarn__random01(5, 1, (uint64_t)c) - 0.5f);
    def.depth = depth;
    def.advection = advection;
    set_edges(&def, TARN_SHALLOW_PERIODIC);
    TarnShallow* water = make_water(run, &def);
    for (int c = 0; c < N * N; ++c) {
        water->u[shallow_cell(water, c % N, c / N)] = (float)u;
        water->w[shallow_cell(water, c % N, c / N)] = (float)w;
    }
    speeds_written(water);
    run_to(run, water, 60.0, dt);
    double most = 0.0;
    for (int c = 0; c < N * N; ++c) most = fmax(most, fabs(depth_at(water, c % N, c / N) - 0.33));
    tarn_shallow_destroy(water);
    return most / 1e-4;
}

static void check_noise(CheckRun* run)
{
    static const struct {
        const char* name;
        double u, w;
    } flows[] = { { "rest", 0, 0 }, { "x", 0.545, 0 }, { "z", 0, 1.2 }, { "diagonal", 0.8, 0.5 } };
    char name[64];
    for (int a = 0; a < 4; ++a) {
        double most = 0.0;
        for (size_t f = 0; f < sizeof flows / sizeof flows[0]; ++f)
            most = fmax(most, growth(run, a, flows[f].u, flows[f].w, 0.1));
        snprintf(name, sizeof name, "shallow.implicit.growth.%s", advection_names[a]);
        check_add(run, name, fmax(most, 1.0), 1.0, 1e-6); // above 1: it grew
    }
}

void check_shallow_implicit(CheckRun* run, const char* group)
{
    if (strcmp(group, "shallow.implicit.rest") == 0) check_rest(run);
    if (strcmp(group, "shallow.implicit.seiche") == 0) check_seiche(run);
    if (strcmp(group, "shallow.implicit.stoker") == 0) {
        check_add(run, "shallow.implicit.stoker.l1.1000", stoker_error(run, 1e-3), 0.0, 0.01);
        check_add(run, "shallow.implicit.stoker.l1.60", stoker_error(run, 1.0 / 60.0), 0.0, 0.03);
    }
    if (strcmp(group, "shallow.implicit.limit") == 0) check_limit(run);
    if (strcmp(group, "shallow.implicit.volume") == 0) check_volume(run);
    if (strcmp(group, "shallow.implicit.deep") == 0) check_deep(run);
    if (strcmp(group, "shallow.implicit.edge") == 0) check_edges(run);
    if (strcmp(group, "shallow.implicit.growth") == 0) check_noise(run);
}
