// Shallow water against exact solutions along a channel: dam breaks, order, waves, jumps, flow over a
// bump.

#include "check_shallow.h"

enum { MOST_CELLS = 800 };

// Values along a channel, for rows and plots.
typedef struct Profile {
    int n;
    double x[MOST_CELLS], h[MOST_CELLS], u[MOST_CELLS], exact[MOST_CELLS], exact_u[MOST_CELLS];
} Profile;

static void read_profile(Profile* p, const TarnShallow* water)
{
    const TarnShallowDef* def = tarn_shallow_def(water);
    p->n = def->nx;
    for (int i = 0; i < p->n; ++i) {
        p->x[i] = center_x(def, i);
        p->h[i] = depth_at(water, i, 1);
        p->u[i] = speed_at(water, i, 1);
    }
}

// Where the depth falls through a value, seen from the right [m].
static double front_position(const Profile* p, double depth)
{
    for (int i = p->n - 2; i >= 0; --i) {
        if (p->h[i] < depth || p->h[i + 1] >= depth) continue;
        double share = (p->h[i] - depth) / (p->h[i] - p->h[i + 1]);
        return p->x[i] + share * (p->x[i + 1] - p->x[i]);
    }
    return NAN;
}

// ---- Dam breaks -------------------------------------------------------------------------------------

// A dam at x = 0 between two depths breaks at t = 0. Ritter: right = 0. Stoker: right > 0.
typedef struct Dam {
    double left, right;
    double middle, speed, shock; // of the plateau [m], [m/s], and its front [m/s]
} Dam;

// On the plateau the rarefaction from the left and the shock to the right have the same speed.
static Dam solve_dam(double left, double right)
{
    Dam dam = { .left = left, .right = right };
    if (right == 0.0) return dam;
    double low = right, high = left;
    for (int n = 0; n < 100; ++n) {
        double h = 0.5 * (low + high);
        double expanding = 2.0 * (sqrt(g * left) - sqrt(g * h));
        double pushing = (h - right) * sqrt(0.5 * g * (h + right) / (h * right));
        if (expanding > pushing)
            low = h;
        else
            high = h;
    }
    dam.middle = 0.5 * (low + high);
    dam.speed = 2.0 * (sqrt(g * left) - sqrt(g * dam.middle));
    dam.shock = dam.speed * dam.middle / (dam.middle - right);
    return dam;
}

static double dam_tail(const Dam* dam) // of the rarefaction [m/s]
{
    return dam->right > 0.0 ? dam->speed - sqrt(g * dam->middle) : 2.0 * sqrt(g * dam->left);
}

// Depth and speed where x / t = s.
static void dam_state(const Dam* dam, double s, double* h, double* u)
{
    double c = sqrt(g * dam->left);
    *u = 0.0;
    if (s <= -c) {
        *h = dam->left;
    } else if (s <= dam_tail(dam)) {
        *h = (2.0 * c - s) * (2.0 * c - s) / (9.0 * g);
        *u = 2.0 / 3.0 * (c + s);
    } else if (s <= dam->shock) {
        *h = dam->middle;
        *u = dam->speed;
    } else {
        *h = dam->right;
    }
}

static TarnShallow* make_dam(CheckRun* run, const Dam* dam, int nx)
{
    static float depth[MOST_CELLS * CHANNEL_WIDTH];
    TarnShallowDef def = channel_def(nx, -5.0, 10.0, 2.0);
    for (int c = 0; c < nx * CHANNEL_WIDTH; ++c)
        depth[c] = (float)(c % nx < nx / 2 ? dam->left : dam->right);
    def.depth = depth;
    return make_water(run, &def);
}

// Exact values are means over the cells, so that a shock inside of one is no error.
static double dam_error(const Dam* dam, double t, Profile* p)
{
    enum { SAMPLES = 32 };
    double error = 0.0, dx = p->x[1] - p->x[0];
    for (int i = 0; i < p->n; ++i) {
        p->exact[i] = p->exact_u[i] = 0.0;
        for (int s = 0; s < SAMPLES; ++s) {
            double h, u, x = p->x[i] + ((s + 0.5) / SAMPLES - 0.5) * dx;
            dam_state(dam, x / t, &h, &u);
            p->exact[i] += h / SAMPLES;
            p->exact_u[i] += u / SAMPLES;
        }
        error += fabs(p->h[i] - p->exact[i]);
    }
    return error / p->n / dam->left;
}

static double dam_error_at(CheckRun* run, const Dam* dam, int nx)
{
    static Profile p;
    TarnShallow* water = make_dam(run, dam, nx);
    run_to(run, water, 0.7, 1.0 / 60.0);
    read_profile(&p, water);
    tarn_shallow_destroy(water);
    return dam_error(dam, 0.7, &p);
}

static void plot_dam(CheckRun* run, const char* name, const Profile* p, double error)
{
    char file[64], note[96];
    snprintf(note, sizeof note, "200 cells, t = 0.7 s, L1 error of the depth %.2f %%",
             100.0 * error);
    snprintf(file, sizeof file, "shallow.%s", name);
    Plot* plot = check_plot(run, file, "x [m]", "depth [m]");
    plot_note(plot, note);
    plot_line(plot, "exact", p->x, p->exact, p->n);
    plot_points(plot, "Tarn", p->x, p->h, p->n);
    plot_done(plot);
    snprintf(file, sizeof file, "shallow.%s.speed", name);
    plot = check_plot(run, file, "x [m]", "speed [m/s]");
    plot_note(plot, note);
    plot_line(plot, "exact", p->x, p->exact_u, p->n);
    plot_points(plot, "Tarn", p->x, p->u, p->n);
    plot_done(plot);
}

// The table of the reference has points at our cell centers: the same error against it.
static void check_dam_table(CheckRun* run, const char* row, int column, const Profile* p)
{
    FILE* file = check_open_reference("02_dambreak/exact_profiles_t0.7.csv");
    if (file == NULL) return;
    char line[256];
    double v[5], error = 0.0;
    int n = 0;
    while (fgets(line, sizeof line, file)) {
        if (sscanf(line, "%lf,%lf,%lf,%lf,%lf", v, v + 1, v + 2, v + 3, v + 4) != 5) continue;
        for (int i = 0; i < p->n; ++i) {
            if (fabs(p->x[i] - v[0]) > 1e-4) continue;
            error += fabs(p->h[i] - v[column]);
            ++n;
        }
    }
    fclose(file);
    check_add(run, row, n == p->n ? error / n : NAN, 0.0, 0.01);
}

static void check_stoker(CheckRun* run)
{
    static Profile early, p;
    Dam dam = solve_dam(1.0, 0.1);
    TarnShallow* water = make_dam(run, &dam, 200);
    run_to(run, water, 0.35, 1.0 / 60.0);
    read_profile(&early, water);
    run_to(run, water, 0.7, 1.0 / 60.0);
    read_profile(&p, water);
    tarn_shallow_destroy(water);
    double error = dam_error(&dam, 0.7, &p), half = 0.5 * (dam.middle + dam.right);
    double run_length = front_position(&p, half) - front_position(&early, half);
    check_add(run, "shallow.stoker.l1", error, 0.0, 0.01);
    check_dam_table(run, "shallow.stoker.l1_table", 3, &p);
    check_add(run, "shallow.stoker.shock_speed", run_length / 0.35, dam.shock, 0.01);
    check_add(run, "shallow.stoker.shock_position", front_position(&p, half), 0.7 * dam.shock,
              0.01);
    Worst depth = { 0 }, speed = { 0 }; // over the inner 80 % of the plateau
    double from = 0.7 * (dam_tail(&dam) + 0.1 * (dam.shock - dam_tail(&dam)));
    double to = 0.7 * (dam_tail(&dam) + 0.9 * (dam.shock - dam_tail(&dam)));
    for (int i = 0; i < p.n; ++i) {
        if (p.x[i] < from || p.x[i] > to) continue;
        worst_of(&depth, p.h[i], dam.middle);
        worst_of(&speed, p.u[i], dam.speed);
    }
    add_worst(run, "shallow.stoker.plateau_depth", &depth, 0.01);
    add_worst(run, "shallow.stoker.plateau_speed", &speed, 0.01);
    plot_dam(run, "stoker", &p, error);
    double coarse = dam_error_at(run, &dam, 100), fine = dam_error_at(run, &dam, 400);
    check_add(run, "shallow.stoker.order", 0.5 * log2(coarse / fine), 1.0, 0.4);
}

static void check_ritter(CheckRun* run)
{
    static Profile p;
    Dam dam = solve_dam(1.0, 0.0);
    TarnShallow* water = make_dam(run, &dam, 200);
    run_to(run, water, 0.7, 1.0 / 60.0);
    read_profile(&p, water);
    double error = dam_error(&dam, 0.7, &p);
    check_add(run, "shallow.ritter.l1", error, 0.0, 0.01);
    check_dam_table(run, "shallow.ritter.l1_table", 1, &p);
    check_add(run, "shallow.ritter.depth_at_dam", 0.5 * (p.h[99] + p.h[100]), 4.0 / 9.0, 0.01);
    check_add(run, "shallow.ritter.speed_at_dam", view_at(tarn_shallow_velocity_x(water), 100, 1),
              2.0 / 3.0 * sqrt(g), 0.02);
    // Where it is 1 mm deep. Finite volumes of this size reach 80 to 90 % of the exact front.
    check_add(run, "shallow.ritter.front", front_position(&p, 1e-3),
              0.7 * (2.0 * sqrt(g) - sqrt(0.009 * g)), 0.2);
    tarn_shallow_destroy(water);
    plot_dam(run, "ritter", &p, error);
    double coarse = dam_error_at(run, &dam, 100), fine = dam_error_at(run, &dam, 400);
    check_add(run, "shallow.ritter.order", 0.5 * log2(coarse / fine), 1.0, 0.4);
}

// ---- Order on a smooth wave ---------------------------------------------------------------------------

// A simple wave to the right in a periodic channel of 10 m: every depth h keeps its own speed
// 3 sqrt(g h) - 2 sqrt(g h0), exactly, until it breaks (here after 6.8 s).
static double simple_wave(double x, double t)
{
    double h = 1.0;
    for (int n = 0; n < 60; ++n) {
        double from = x - (3.0 * sqrt(g * h) - 2.0 * sqrt(g)) * t;
        h = 1.0 + 0.05 * cos(0.2 * pi * from);
    }
    return h;
}

static double simple_wave_error(CheckRun* run, int nx, Profile* p)
{
    static float depth[MOST_CELLS * CHANNEL_WIDTH];
    TarnShallowDef def = channel_def(nx, 0.0, 10.0, 2.0);
    def.edge_x0 = def.edge_x1 = TARN_SHALLOW_PERIODIC;
    for (int c = 0; c < nx * CHANNEL_WIDTH; ++c)
        depth[c] = (float)simple_wave(center_x(&def, c % nx), 0.0);
    def.depth = depth;
    TarnShallow* water = make_water(run, &def);
    // Speeds are those of half a substep later, as in any leapfrog. Steps short enough to be substeps.
    double dt = 0.06 * (double)def.dx;
    for (int c = 0; c < (nx + 1) * CHANNEL_WIDTH; ++c) {
        int i = c % (nx + 1), k = c / (nx + 1);
        double h = simple_wave(i * (double)def.dx, 0.5 * dt);
        water->u[shallow_cell(water, i, k)] = (float)(2.0 * (sqrt(g * h) - sqrt(g)));
    }
    speeds_written(water);
    run_to(run, water, 2.0, dt);
    read_profile(p, water);
    tarn_shallow_destroy(water);
    double error = 0.0;
    for (int i = 0; i < nx; ++i) {
        p->exact[i] = simple_wave(p->x[i], 2.0);
        error += fabs(p->h[i] - p->exact[i]);
    }
    return error / nx / 0.05; // of the amplitude
}

static void check_order(CheckRun* run)
{
    static Profile p;
    double fine = simple_wave_error(run, 400, &p), middle = simple_wave_error(run, 200, &p);
    double coarse = simple_wave_error(run, 100, &p);
    check_add(run, "shallow.order.l1_100", coarse, 0.0, 0.02);
    check_add(run, "shallow.order.100_to_200", log2(coarse / middle), 2.0, 0.1); // at least 1.8
    check_add(run, "shallow.order.200_to_400", log2(middle / fine), 2.0, 0.1);
    Plot* plot = check_plot(run, "shallow.order", "x [m]", "depth [m]");
    plot_note(plot, "a simple wave, 100 cells, t = 2 s");
    plot_line(plot, "exact", p.x, p.exact, p.n);
    plot_points(plot, "Tarn", p.x, p.h, p.n);
    plot_done(plot);
}

// ---- Speed of small waves -----------------------------------------------------------------------------

// Center of what runs to the right [m].
static double pulse_center(const Profile* p, double still)
{
    double sum = 0.0, moment = 0.0;
    for (int i = p->n / 2; i < p->n; ++i) {
        double weight = (p->h[i] - still) * (p->h[i] - still);
        sum += weight;
        moment += weight * p->x[i];
    }
    return moment / sum;
}

static void check_speed(CheckRun* run)
{
    static Profile p[2];
    static float depth[400 * CHANNEL_WIDTH];
    Plot* plot = check_plot(run, "shallow.speed", "x [m]", "depth [m]");
    for (int a = 0; a < 4; ++a) {
        TarnShallowDef def = channel_def(400, -20.0, 40.0, 2.0);
        def.advection = a;
        for (int c = 0; c < 400 * CHANNEL_WIDTH; ++c) {
            double x = center_x(&def, c % 400);
            depth[c] = (float)(1.0 + 0.002 * exp(-x * x));
        }
        def.depth = depth;
        TarnShallow* water = make_water(run, &def);
        for (int n = 0; n < 2; ++n) {
            run_to(run, water, n == 0 ? 2.0 : 4.0, 1.0 / 60.0);
            read_profile(&p[n], water);
        }
        double speed = (pulse_center(&p[1], 1.0) - pulse_center(&p[0], 1.0)) / 2.0;
        char name[64];
        snprintf(name, sizeof name, "shallow.speed.%s", advection_names[a]);
        check_add(run, name, speed, sqrt(g), 0.01);
        if (a == 0) { // each half of the hump, where sqrt(g h) takes it
            for (int i = 0; i < 400; ++i) {
                double x = fabs(p[1].x[i]) - 4.0 * sqrt(g);
                p[1].exact[i] = 1.0 + 0.001 * exp(-x * x);
            }
            plot_line(plot, "theory", p[1].x, p[1].exact, 400);
        }
        plot_points(plot, advection_names[a], p[1].x, p[1].h, 400);
        tarn_shallow_destroy(water);
    }
    plot_done(plot);
}

// ---- Hydraulic jumps ----------------------------------------------------------------------------------

// A fast shallow stream meets a wall: a jump runs back up the stream. Seen from the jump, depths are
// conjugate: h2 / h1 = (sqrt(1 + 8 Fr^2) - 1) / 2.
static void check_jump(CheckRun* run)
{
    const double h1 = 0.2, u1 = 3.0;
    static Profile early, p;
    static float depth[400 * CHANNEL_WIDTH];
    TarnShallowDef def = channel_def(400, 0.0, 20.0, 2.0);
    for (int c = 0; c < 400 * CHANNEL_WIDTH; ++c) depth[c] = (float)h1;
    def.depth = depth;
    TarnShallow* water = make_water(run, &def);
    for (int c = 0; c < 400 * CHANNEL_WIDTH; ++c) {
        if (c % 400 > 0) water->u[shallow_cell(water, c % 400, c / 400)] = (float)u1;
    }
    speeds_written(water);
    run_to(run, water, 1.5, 1.0 / 60.0);
    read_profile(&early, water);
    run_to(run, water, 3.0, 1.0 / 60.0);
    read_profile(&p, water);
    tarn_shallow_destroy(water);
    double low = h1, high = 2.0; // behind the jump the water stands: u1 is all that it takes away
    for (int n = 0; n < 100; ++n) {
        double h = 0.5 * (low + high);
        if ((h - h1) * sqrt(0.5 * g * (h + h1) / (h * h1)) < u1)
            low = h;
        else
            high = h;
    }
    double speed = u1 * h1 / (low - h1), at[2] = { 0 };
    for (int n = 0; n < 2; ++n) { // the jump rises to the right
        const Profile* q = n ? &p : &early;
        for (int i = 100; i + 1 < q->n && at[n] == 0.0; ++i) {
            double half = 0.5 * (h1 + low);
            if (q->h[i + 1] > half)
                at[n] = q->x[i] + 0.05 * (half - q->h[i]) / (q->h[i + 1] - q->h[i]);
        }
    }
    double measured = (at[0] - at[1]) / 1.5, mean = 0.0;
    double froude = (u1 + measured) / sqrt(g * h1);
    Worst ripple = { 0 };
    int cells = 0;
    for (int i = 0; i < p.n; ++i) {
        p.exact[i] = p.x[i] < 20.0 - 3.0 * speed ? h1 : low;
        if (p.x[i] < at[1] + 0.3) continue; // six cells behind the front
        worst_of(&ripple, p.h[i], low);
        mean += p.h[i];
        ++cells;
    }
    mean /= cells;
    check_add(run, "shallow.jump.conjugate_ratio", mean / h1,
              0.5 * (sqrt(1.0 + 8.0 * froude * froude) - 1.0), 0.02);
    check_add(run, "shallow.jump.depth", mean, low, 0.02);
    check_add(run, "shallow.jump.speed", measured, speed, 0.02);
    add_worst(run, "shallow.jump.ripple", &ripple, 0.05);
    Plot* plot = check_plot(run, "shallow.jump", "x [m]", "depth [m]");
    plot_note(plot, "a stream of 3 m/s against a wall at 20 m, t = 3 s");
    plot_x_range(plot, 13.0, 20.0);
    plot_line(plot, "exact", p.x + 260, p.exact + 260, 140);
    plot_points(plot, "Tarn", p.x + 260, p.h + 260, 140);
    plot_done(plot);
}

// ---- Flow over a bump ---------------------------------------------------------------------------------

static double bump(double x)
{
    return fmax(0.0, 0.2 - 0.05 * (x - 10.0) * (x - 10.0));
}

// Depth of steady flow q [m^2/s] with this head above the ground [m]: the deep, slow one or the
// shallow, fast one.
static double steady_depth(double q, double head, bool is_fast)
{
    double critical = cbrt(q * q / g); // answered as well if no flow has so little head
    double low = is_fast ? 1e-3 : critical, high = is_fast ? critical : fmax(head, critical);
    for (int n = 0; n < 100; ++n) {
        double h = 0.5 * (low + high);
        bool is_above = h + q * q / (2.0 * g * h * h) > head;
        if (is_above == is_fast)
            low = h;
        else
            high = h;
    }
    return 0.5 * (low + high);
}

typedef struct BumpCase {
    const char* name;
    double q, outlet; // [m^2/s], [m]
    int edge;         // at the outlet: level, or a fall where the water leaves fast
    bool is_fast;     // passes the crest critically
} BumpCase;

static const BumpCase bump_cases[] = {
    { "subcritical", 4.42, 2.0, TARN_SHALLOW_LEVEL, false },
    { "transcritical", 1.53, 0.66, TARN_SHALLOW_FALL, true },
    { "shock", 0.18, 0.33, TARN_SHALLOW_LEVEL, true },
};

// Where fast water jumps up to the slow water that the outlet holds; beyond the channel: nowhere.
static double bump_jump(const BumpCase* c, double head)
{
    if (c->edge != TARN_SHALLOW_LEVEL || !c->is_fast) return 100.0;
    double out = c->outlet + c->q * c->q / (2.0 * g * c->outlet * c->outlet), low = 10.0,
           high = 12.0;
    for (int n = 0; n < 100; ++n) {
        double x = 0.5 * (low + high);
        double fast = steady_depth(c->q, head - bump(x), true);
        double slow = steady_depth(c->q, out - bump(x), false);
        double push = c->q * c->q / (g * fast) + 0.5 * fast * fast;
        double hold = c->q * c->q / (g * slow) + 0.5 * slow * slow;
        if (push > hold) // swept down to where the outlet holds it
            low = x;
        else
            high = x;
    }
    return 0.5 * (low + high);
}

static double bump_exact(const BumpCase* c, double x)
{
    double out = c->outlet + c->q * c->q / (2.0 * g * c->outlet * c->outlet);
    if (!c->is_fast) return steady_depth(c->q, out - bump(x), false);
    double head = 0.2 + 1.5 * cbrt(c->q * c->q / g);
    if (x > bump_jump(c, head)) return steady_depth(c->q, out - bump(x), false);
    return steady_depth(c->q, head - bump(x), x > 10.0);
}

static TarnShallow* run_bump(CheckRun* run, const BumpCase* c, int nx)
{
    static float bed[MOST_CELLS * CHANNEL_WIDTH];
    TarnShallowDef def = channel_def(nx, 0.0, 25.0, 4.0);
    for (int n = 0; n < nx * CHANNEL_WIDTH; ++n) bed[n] = (float)bump(center_x(&def, n % nx));
    def.bed = bed;
    def.level = (float)c->outlet;
    def.has_level = true;
    if (c->edge == TARN_SHALLOW_FALL) def.edge_x1 = TARN_SHALLOW_FALL;
    TarnShallow* water = make_water(run, &def);
    TarnShallowSpanDef span = tarn_shallow_default_span();
    span.side = TARN_SIDE_X0;
    span.kind = TARN_SHALLOW_DISCHARGE;
    span.value = (float)(c->q * CHANNEL_WIDTH * (double)def.dx);
    must(run, tarn_shallow_add_span(water, &span, NULL));
    if (c->edge == TARN_SHALLOW_LEVEL) {
        span = tarn_shallow_default_span();
        span.side = TARN_SIDE_X1;
        span.kind = TARN_SHALLOW_LEVEL;
        span.value = (float)c->outlet;
        must(run, tarn_shallow_add_span(water, &span, NULL));
    }
    run_to(run, water, 600.0, 0.05);
    return water;
}

static void plot_bump(CheckRun* run, const char* name, const Profile* p)
{
    static double bed[MOST_CELLS], level[MOST_CELLS], exact[MOST_CELLS];
    for (int i = 0; i < p->n; ++i) {
        bed[i] = bump(p->x[i]);
        level[i] = bed[i] + p->h[i];
        exact[i] = bed[i] + p->exact[i];
    }
    Plot* plot = check_plot(run, name, "x [m]", "y [m]");
    plot_ground(plot, "bed", p->x, bed, p->n);
    plot_line(plot, "exact", p->x, exact, p->n);
    plot_points(plot, "Tarn", p->x, level, p->n);
    plot_done(plot);
}

// The largest relative error of depth and discharge over all cells but the five on either side of a
// jump, at 200 cells. At 100 the mean error: there the kinks of the bed at 8 and 12 m are coarse.
static void compare_bump(CheckRun* run, const BumpCase* c, Profile* p, double jump)
{
    Worst depth = { 0 }, flow = { 0 };
    double mean = 0.0, mean_flow = 0.0, dx = 25.0 / p->n;
    int n = 0;
    for (int i = 0; i < p->n; ++i) {
        p->exact[i] = bump_exact(c, p->x[i]);
        if (fabs(p->x[i] - jump) < 5.5 * dx) continue;
        worst_of(&depth, p->h[i], p->exact[i]);
        worst_of(&flow, p->h[i] * p->u[i], c->q);
        mean += fabs(p->h[i] / p->exact[i] - 1.0);
        mean_flow += fabs(p->h[i] * p->u[i] / c->q - 1.0);
        ++n;
    }
    char name[64];
    if (p->n == 100) {
        snprintf(name, sizeof name, "shallow.bump.%s.100.mean_depth_error", c->name);
        check_add(run, name, mean / n, 0.0, 0.01);
        snprintf(name, sizeof name, "shallow.bump.%s.100.mean_discharge_error", c->name);
        check_add(run, name, mean_flow / n, 0.0, 0.01);
    } else {
        snprintf(name, sizeof name, "shallow.bump.%s.%d.depth", c->name, p->n);
        add_worst(run, name, &depth, 0.01);
        snprintf(name, sizeof name, "shallow.bump.%s.%d.discharge", c->name, p->n);
        add_worst(run, name, &flow, 0.01);
    }
}

// From the crest to the second cell before the jump, where the flow is fast: the jump is hardly felt there.
static void compare_before_jump(CheckRun* run, const Profile* p, double jump)
{
    Worst depth = { 0 };
    double dx = 25.0 / p->n;
    for (int i = 0; i < p->n; ++i) {
        if (p->x[i] > 10.0 && p->x[i] < jump - 1.5 * dx) worst_of(&depth, p->h[i], p->exact[i]);
    }
    char name[64];
    snprintf(name, sizeof name, "shallow.bump.shock.%d.before_jump", p->n);
    add_worst(run, name, &depth, 0.02);
    check_not_reached(run); // 2.2 %
}

static void check_bump(CheckRun* run)
{
    static Profile p;
    for (int n = 0; n < 6; ++n) {
        const BumpCase* c = &bump_cases[n / 2];
        int nx = n % 2 ? 200 : 100;
        TarnShallow* water = run_bump(run, c, nx);
        read_profile(&p, water);
        tarn_shallow_destroy(water);
        double jump = bump_jump(c, 0.2 + 1.5 * cbrt(c->q * c->q / g));
        compare_bump(run, c, &p, jump);
        char name[64];
        snprintf(name, sizeof name, "shallow.bump.%s.%d", c->name, nx);
        plot_bump(run, name, &p);
        if (jump > 25.0) continue;
        if (nx == 200) compare_before_jump(run, &p, jump);
        int at = 0; // where it is steepest
        for (int i = nx * 10 / 25 + 1; i + 1 < nx; ++i) {
            if (p.h[i + 1] - p.h[i] > p.h[at + 1] - p.h[at]) at = i;
        }
        snprintf(name, sizeof name, "shallow.bump.%s.%d.position", c->name, nx);
        check_add(run, name, 0.5 * (p.x[at] + p.x[at + 1]), jump, 0.02);
    }
}

void check_shallow_waves(CheckRun* run, const char* group)
{
    static const struct {
        const char* name;
        void (*fn)(CheckRun*);
    } parts[] = {
        { "shallow.stoker", check_stoker }, { "shallow.ritter", check_ritter },
        { "shallow.order", check_order },   { "shallow.speed", check_speed },
        { "shallow.jump", check_jump },     { "shallow.bump", check_bump },
    };
    for (size_t p = 0; p < sizeof parts / sizeof parts[0]; ++p) {
        if (strcmp(parts[p].name, group) == 0) parts[p].fn(run);
    }
}
