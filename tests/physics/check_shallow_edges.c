// Shallow water: waves and bores that leave through edges, and what of them comes back.

#include "check_shallow.h"

enum { NEAR = 600, FAR = 3000 };

// Plane waves of a small height in 1 m of water, periodic along z, in an envelope 60 cells wide.
typedef struct Packet {
    double kx, kz; // [1/cell]
    int nz;
} Packet;

static Packet make_packet(double wavelength_cells, double degrees)
{
    double k = 2.0 * pi / wavelength_cells, a = degrees * pi / 180.0;
    if (degrees == 0.0) return (Packet){ k, 0.0, CHANNEL_WIDTH };
    int nz = (int)lround(2.0 * pi / (k * sin(a))); // the period along z must fit whole cells
    return (Packet){ 2.0 * pi / nz / tan(a), 2.0 * pi / nz, nz };
}

static TarnShallow* make_packet_water(CheckRun* run, const Packet* p, int nx, int advection)
{
    TarnShallowDef def = channel_def(nx, 0.0, 0.1 * nx, 2.0);
    def.nz = p->nz;
    def.advection = advection;
    def.edge_x0 = def.edge_x1 = TARN_SHALLOW_ABSORBING;
    def.edge_z0 = def.edge_z1 = TARN_SHALLOW_PERIODIC;
    def.level = 1.0f;
    float* depth = malloc((size_t)(nx * p->nz) * sizeof(float));
    for (int c = 0; c < nx * p->nz; ++c) {
        double x = c % nx + 0.5 - 0.5 * nx, k = c / nx;
        double envelope = exp(-x * x / (2.0 * 60.0 * 60.0));
        depth[c] = (float)(1.0 + 0.01 * envelope * cos(p->kx * x + p->kz * k));
    }
    def.depth = depth;
    TarnShallow* water = make_water(run, &def);
    free(depth);
    return water;
}

// The packet splits in two that leave through -x and +x. In a domain five times as wide there is no
// edge to meet yet: the difference is reflection. As a part of what arrives at the sponge.
static double reflection(CheckRun* run, double wavelength_cells, double degrees, int advection)
{
    Packet p = make_packet(wavelength_cells, degrees);
    TarnShallow* near = make_packet_water(run, &p, NEAR, advection);
    TarnShallow* far = make_packet_water(run, &p, FAR, advection);
    int from = tarn_shallow_def(near)->sponge_cells + 4, shift = (FAR - NEAR) / 2;
    double worst = 0.0, arrived = 0.0, cells_per_second = sqrt(g) / 0.1;
    double end = (NEAR + 20.0) / cells_per_second / cos(degrees * pi / 180.0);
    for (int n = 1; n * 0.1 < end; ++n) {
        run_to(run, near, n * 0.1, 0.02);
        run_to(run, far, n * 0.1, 0.02);
        for (int c = 0; c < p.nz * (NEAR / 3 - from); ++c) { // where the two echoes do not meet
            int i = from + c / p.nz, k = c % p.nz;
            double there = depth_at(far, i + shift, k);
            worst = fmax(worst, fabs(depth_at(near, i, k) - there));
            if (i < from + 10) arrived = fmax(arrived, fabs(there - 1.0));
        }
    }
    tarn_shallow_destroy(near);
    tarn_shallow_destroy(far);
    return worst / arrived;
}

static void check_absorbing(CheckRun* run)
{
    static const double lengths[3] = { 20.0, 40.0, 80.0 }; // of waves, in cells
    double head_on[3];
    for (int n = 0; n < 3; ++n) {
        char name[64];
        snprintf(name, sizeof name, "shallow.absorbing.normal.%.0f_cells", lengths[n]);
        head_on[n] = reflection(run, lengths[n], 0.0, TARN_ADVECTION_MOMENTUM);
        check_add(run, name, head_on[n], 0.0, 0.02);
    }
    check_add(run, "shallow.absorbing.normal.40_cells.none",
              reflection(run, 40.0, 0.0, TARN_ADVECTION_NONE), 0.0, 0.02);
    double slant = reflection(run, 40.0, 45.0, TARN_ADVECTION_MOMENTUM);
    check_add(run, "shallow.absorbing.45deg.40_cells", slant, 0.0, 0.1);
    Plot* plot = check_plot(run, "shallow.absorbing", "length of the wave [cells]", "reflected");
    plot_level(plot, "asked head-on", 0.02);
    plot_points(plot, "head-on", lengths, head_on, 3);
    plot_points(plot, "at 45 degrees", &lengths[1], &slant, 1);
    plot_y_range(plot, 0.0, 0.1);
    plot_done(plot);
}

// A bore runs out of an open edge. The same in a longer channel has no edge: the difference, as a
// part of the bore's height.
static void check_open(CheckRun* run)
{
    enum { SHORT = 200, LONG = 600 };
    static float depth[LONG * CHANNEL_WIDTH];
    static double x[SHORT], h[2][SHORT];
    TarnShallow* water[2];
    for (int w = 0; w < 2; ++w) {
        int nx = w ? LONG : SHORT;
        TarnShallowDef def = channel_def(nx, 0.0, 0.05 * nx, 2.0);
        def.edge_x1 = TARN_SHALLOW_OPEN;
        for (int c = 0; c < nx * CHANNEL_WIDTH; ++c) depth[c] = c % nx < 100 ? 1.0f : 0.4f;
        def.depth = depth;
        water[w] = make_water(run, &def);
    }
    double worst = 0.0, height = 0.68 - 0.4; // of the bore, about
    for (int n = 1; n <= 24; ++n) {          // it leaves after 1.6 s, its echo would be back at 4 s
        for (int w = 0; w < 2; ++w) run_to(run, water[w], 0.1 * n, 0.02);
        for (int i = 0; i < SHORT - 4; ++i)
            worst = fmax(worst, fabs(depth_at(water[0], i, 1) - depth_at(water[1], i, 1)));
    }
    check_add(run, "shallow.open.bore_reflected", worst / height, 0.0, 0.01);
    for (int i = 0; i < SHORT; ++i) {
        x[i] = (i + 0.5) * 0.05;
        h[0][i] = depth_at(water[0], i, 1), h[1][i] = depth_at(water[1], i, 1);
    }
    Plot* plot = check_plot(run, "shallow.open", "x [m]", "depth [m]");
    plot_note(plot, "after a bore has left at 10 m, t = 2.4 s");
    plot_line(plot, "a longer channel", x, h[1], SHORT);
    plot_points(plot, "open edge", x, h[0], SHORT);
    plot_done(plot);
    tarn_shallow_destroy(water[0]);
    tarn_shallow_destroy(water[1]);
}

// Waves sent in have the height and the length they should, and an absorbing edge takes them.
static void check_maker(CheckRun* run)
{
    enum { NX = 600 };
    const double period = 4.0, height = 0.01;
    static double x[NX], h[NX], exact[NX];
    const int kinds[2] = { TARN_SHALLOW_ABSORBING, TARN_SHALLOW_LEVEL };
    for (int n = 0; n < 2; ++n) {
        TarnShallowDef def = channel_def(NX, 0.0, 60.0, 2.0);
        def.level = 1.0f, def.has_level = true;
        def.edge_x1 = TARN_SHALLOW_ABSORBING;
        TarnShallow* water = make_water(run, &def);
        TarnShallowSpanDef span = tarn_shallow_default_span();
        span.side = TARN_SIDE_X0, span.kind = kinds[n];
        span.value = 1.0f;
        span.wave_height = (float)height, span.wave_period = (float)period;
        must(run, tarn_shallow_add_span(water, &span, NULL));
        double crest = 0.0, trough = 0.0;
        for (int s = 1; s <= 400; ++s) {
            run_to(run, water, 0.1 * s, 0.02);
            double y = depth_at(water, 300, 1) - 1.0;
            if (s > 320) crest = fmax(crest, y), trough = fmin(trough, y);
        }
        const char* name = n ? "shallow.maker.level" : "shallow.maker.absorbing";
        check_add(run, name, 0.5 * (crest - trough), height, 0.05);
        for (int i = 0; i < NX; ++i) {
            x[i] = center_x(&def, i), h[i] = depth_at(water, i, 1);
            exact[i] = 1.0 + height * sin(2.0 * pi / period * (40.0 - x[i] / sqrt(g)));
        }
        Plot* plot = check_plot(run, name, "x [m]", "depth [m]");
        plot_line(plot, "theory", x, exact, NX);
        plot_points(plot, "Tarn", x, h, NX);
        plot_done(plot);
        tarn_shallow_destroy(water);
    }
}

void check_shallow_edges(CheckRun* run, const char* group)
{
    if (strcmp(group, "shallow.absorbing") == 0) check_absorbing(run);
    if (strcmp(group, "shallow.open") == 0) check_open(run);
    if (strcmp(group, "shallow.maker") == 0) check_maker(run);
}
