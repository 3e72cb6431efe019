// Shallow water: what holds exactly (rest, symmetry, the ledger), and edges and friction.

#include "check_shallow.h"

// ---- Lakes at rest -------------------------------------------------------------------------------------

// 1000 steps. Counts depths that changed by a bit and speeds that are not zero.
static int unrest(CheckRun* run, TarnShallow* water)
{
    const TarnShallowDef* def = tarn_shallow_def(water);
    int nx = def->nx, nz = def->nz, n_bad = 0;
    float* before = malloc((size_t)(nx * nz) * sizeof(float));
    for (int c = 0; c < nx * nz; ++c) before[c] = (float)depth_at(water, c % nx, c / nx);
    for (int n = 0; n < 1000; ++n) must(run, tarn_shallow_step(water, 1.0f / 60.0f, NULL));
    for (int c = 0; c < nx * nz; ++c) n_bad += (float)depth_at(water, c % nx, c / nx) != before[c];
    for (int k = 0; k <= nz; ++k) {
        for (int i = 0; i <= nx; ++i) {
            if (k < nz) n_bad += view_at(tarn_shallow_velocity_x(water), i, k) != 0.0;
            if (i < nx) n_bad += view_at(tarn_shallow_velocity_z(water), i, k) != 0.0;
        }
    }
    free(before);
    return n_bad;
}

static void set_edges(TarnShallowDef* def, int edge)
{
    def->edge_x0 = def->edge_x1 = def->edge_z0 = def->edge_z1 = edge;
}

// The bump of the reference, under water and out of it.
static TarnShallow* make_bump_lake(CheckRun* run, int advection, float level)
{
    enum { NX = 250 };
    static float bed[NX * CHANNEL_WIDTH];
    TarnShallowDef def = channel_def(NX, 0.0, 25.0, 1.0);
    for (int c = 0; c < NX * CHANNEL_WIDTH; ++c) {
        double x = center_x(&def, c % NX) - 10.0;
        bed[c] = (float)fmax(0.0, 0.2 - 0.05 * x * x);
    }
    def.bed = bed;
    def.advection = advection;
    def.level = level;
    def.has_level = true;
    return make_water(run, &def);
}

// Every cell at a height of its own, +-2 m: cliffs, islands, holes. One lake, or ponds at levels of
// their own between high ridges.
static TarnShallow* make_rough_lake(CheckRun* run, int advection, int edge, bool is_ponds)
{
    enum { NX = 150, NZ = 90 };
    static float bed[NX * NZ];
    TarnShallowDef def = tarn_shallow_default_def();
    for (int c = 0; c < NX * NZ; ++c) {
        bool is_ridge = is_ponds && (c % NX % 50 == 49 || c / NX % 30 == 29);
        bed[c] = is_ridge ? 7.0f : 4.0f * tarn__random01(11, 0, (uint64_t)c) - 2.0f;
    }
    def.nx = NX, def.nz = NZ;
    def.dx = 0.5f;
    def.bed = bed;
    def.advection = advection;
    def.sleep_speed = 0.0f;
    def.level = 0.37f;
    def.has_level = !is_ponds;
    set_edges(&def, edge);
    TarnShallow* water = make_water(run, &def);
    for (int p = 0; p < 9 && is_ponds; ++p) {
        TarnVec2 a = { 25.0f * (float)(p % 3), 15.0f * (float)(p / 3) };
        must(run, tarn_shallow_fill(water, a, (TarnVec2){ a.x + 24.5f, a.y + 14.5f },
                                    0.71f * (float)p - 1.3f));
    }
    return water;
}

// The lake around a bump that stands out of it, after all those steps, against its level.
static void plot_rest(CheckRun* run, const TarnShallow* water)
{
    enum { NX = 250 };
    static double x[NX], bed[NX], surface[NX];
    for (int i = 0; i < NX; ++i) {
        x[i] = center_x(tarn_shallow_def(water), i);
        bed[i] = view_at(tarn_shallow_bed(water), i, 1);
        double h = depth_at(water, i, 1);
        surface[i] = h > 0.0 ? bed[i] + h : NAN;
    }
    Plot* plot = check_plot(run, "shallow.rest", "x [m]", "height [m]");
    plot_ground(plot, "ground", x, bed, NX);
    plot_level(plot, "level", 0.1);
    plot_points(plot, "Tarn", x, surface, NX);
    plot_done(plot);
}

static void check_rest(CheckRun* run)
{
    static const char* const edge_names[5] = { "reflecting", "open", "fall", "absorbing",
                                               "periodic" };
    char name[64];
    for (int a = 0; a < 4; ++a) {
        for (int emerged = 0; emerged < 2; ++emerged) {
            TarnShallow* water = make_bump_lake(run, a, emerged ? 0.1f : 0.5f);
            snprintf(name, sizeof name, "shallow.rest.%s.%s", emerged ? "emerged" : "immersed",
                     advection_names[a]);
            check_add(run, name, unrest(run, water), 0.0, 0.0);
            if (emerged && a == TARN_ADVECTION_MOMENTUM) plot_rest(run, water);
            double width = CHANNEL_WIDTH * 0.1;
            if (emerged && a == 0)
                check_add(run, "shallow.rest.emerged.volume",
                          tarn_shallow_ledger(water).volume / width, 2.155228474908345, 1e-3);
            tarn_shallow_destroy(water);
        }
        for (int ponds = 0; ponds < 2; ++ponds) {
            TarnShallow* water = make_rough_lake(run, a, TARN_SHALLOW_REFLECTING, ponds != 0);
            snprintf(name, sizeof name, "shallow.rest.%s.%s", ponds ? "ponds" : "random",
                     advection_names[a]);
            check_add(run, name, unrest(run, water), 0.0, 0.0);
            tarn_shallow_destroy(water);
        }
    }
    for (int edge = TARN_SHALLOW_OPEN; edge <= TARN_SHALLOW_PERIODIC; ++edge) {
        if (edge == TARN_SHALLOW_FALL) continue; // nothing rests there
        TarnShallow* water = make_rough_lake(run, TARN_ADVECTION_MOMENTUM, edge, false);
        snprintf(name, sizeof name, "shallow.rest.edge.%s", edge_names[edge]);
        check_add(run, name, unrest(run, water), 0.0, 0.0);
        tarn_shallow_destroy(water);
    }
}

// ---- Symmetry --------------------------------------------------------------------------------------------

enum { SYM_X = 93, SYM_Z = 70 }; // no multiples of anything

typedef enum Turn { MIRROR_X, MIRROR_Z, TRANSPOSE } Turn;

static void turn_cell(Turn turn, int* i, int* k)
{
    int a = *i, b = *k;
    if (turn == MIRROR_X) *i = SYM_X - 1 - a;
    if (turn == MIRROR_Z) *k = SYM_Z - 1 - b;
    if (turn == TRANSPOSE) *i = b, *k = a;
}

static void turn_def(Turn turn, TarnShallowDef* def)
{
    int x0 = def->edge_x0, x1 = def->edge_x1, z0 = def->edge_z0, z1 = def->edge_z1;
    if (turn == MIRROR_X) def->edge_x0 = x1, def->edge_x1 = x0;
    if (turn == MIRROR_Z) def->edge_z0 = z1, def->edge_z1 = z0;
    if (turn == TRANSPOSE) {
        def->nx = SYM_Z, def->nz = SYM_X;
        def->edge_x0 = z0, def->edge_x1 = z1, def->edge_z0 = x0, def->edge_z1 = x1;
    }
}

// Hills, some walls, columns of water up to 3 m that fall down, every edge another.
static TarnShallow* make_turned(CheckRun* run, int advection, bool is_turned, Turn turn)
{
    static float bed[SYM_X * SYM_Z], depth[SYM_X * SYM_Z];
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = SYM_X, def.nz = SYM_Z;
    def.dx = 0.25f;
    def.advection = advection;
    def.sleep_speed = 0.0f;
    def.max_substeps = 64;
    def.sponge_cells = 8;
    def.edge_x0 = TARN_SHALLOW_REFLECTING, def.edge_x1 = TARN_SHALLOW_OPEN;
    def.edge_z0 = TARN_SHALLOW_ABSORBING, def.edge_z1 = TARN_SHALLOW_FALL;
    if (is_turned) turn_def(turn, &def);
    for (int c = 0; c < SYM_X * SYM_Z; ++c) {
        int i = c % SYM_X, k = c / SYM_X;
        uint32_t block = tarn__random(3, 0, (uint64_t)(i / 9 + 20 * (k / 7)));
        float b = (float)(0.5 * sin(0.2 * i) * cos(0.3 * k)) +
                  (tarn__random(3, 1, (uint64_t)c) % 29 == 0 ? 4.0f : 0.0f);
        float h = block % 3 == 0 ? 3.0f * tarn__random01(3, 2, block) : 0.0f;
        if (is_turned) turn_cell(turn, &i, &k);
        bed[i + def.nx * k] = b;
        depth[i + def.nx * k] = h;
    }
    def.bed = bed;
    def.depth = depth;
    TarnShallow* water = make_water(run, &def);
    TarnShallowParams params = tarn_shallow_default_params();
    params.rain = 50.0f;
    params.evaporation = 20.0f;
    tarn_shallow_set_params(water, &params);
    return water;
}

// Depth along the middle, in the run and in its mirror image.
static void plot_mirrored(CheckRun* run, const TarnShallow* a, const TarnShallow* b)
{
    static double x[SYM_X], depth[SYM_X], mirrored[SYM_X];
    for (int i = 0; i < SYM_X; ++i) {
        x[i] = i;
        depth[i] = depth_at(a, i, SYM_Z / 2);
        mirrored[i] = depth_at(b, SYM_X - 1 - i, SYM_Z / 2);
    }
    Plot* plot = check_plot(run, "shallow.symmetry", "cell", "depth [m]");
    plot_line(plot, "run", x, depth, SYM_X);
    plot_points(plot, "its mirror image", x, mirrored, SYM_X);
    plot_done(plot);
}

static int asymmetry(CheckRun* run, int advection, Turn turn)
{
    TarnShallow* a = make_turned(run, advection, false, turn);
    TarnShallow* b = make_turned(run, advection, true, turn);
    for (int n = 0; n < 300; ++n) {
        must(run, tarn_shallow_step(a, 1.0f / 60.0f, NULL));
        must(run, tarn_shallow_step(b, 1.0f / 60.0f, NULL));
    }
    TarnView2 ux = tarn_shallow_velocity_x(a), uz = tarn_shallow_velocity_z(a);
    TarnView2 vx = tarn_shallow_velocity_x(b), vz = tarn_shallow_velocity_z(b);
    int different = 0;
    for (int c = 0; c < SYM_X * SYM_Z; ++c) {
        int i = c % SYM_X, k = c / SYM_X, ti = i, tk = k;
        turn_cell(turn, &ti, &tk);
        different += depth_at(a, i, k) != depth_at(b, ti, tk);
        // The face at -x of a cell is at its +x side in the mirror, and runs the other way.
        double u = view_at(ux, i, k), w = view_at(uz, i, k), tu, tw;
        tu = turn == MIRROR_X    ? -view_at(vx, ti + 1, tk)
             : turn == TRANSPOSE ? view_at(vz, ti, tk)
                                 : view_at(vx, ti, tk);
        tw = turn == MIRROR_Z    ? -view_at(vz, ti, tk + 1)
             : turn == TRANSPOSE ? view_at(vx, ti, tk)
                                 : view_at(vz, ti, tk);
        different += (u != tu) + (w != tw);
    }
    if (advection == TARN_ADVECTION_MOMENTUM && turn == MIRROR_X) plot_mirrored(run, a, b);
    tarn_shallow_destroy(a);
    tarn_shallow_destroy(b);
    return different;
}

// Rows that are equal stay equal, to the bit: a river along x that is periodic in z, or the other way
// round. Counts the depths and speeds that differ from the first row.
static int uneven_rows(CheckRun* run, int advection, int edge, bool is_along_z)
{
    enum { LONG = 70, WIDE = 40 };
    static float bed[LONG * WIDE];
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = is_along_z ? WIDE : LONG, def.nz = is_along_z ? LONG : WIDE;
    def.advection = advection;
    def.sponge_cells = 8;
    def.level = 1.0f, def.has_level = true;
    set_edges(&def, TARN_SHALLOW_PERIODIC);
    *(is_along_z ? &def.edge_z0 : &def.edge_x0) = TARN_SHALLOW_REFLECTING;
    *(is_along_z ? &def.edge_z1 : &def.edge_x1) = edge;
    for (int c = 0; c < LONG * WIDE; ++c) {
        double along = is_along_z ? c / WIDE : c % LONG;
        bed[c] = (float)(0.4 * sin(0.3 * along) - 0.01 * along);
    }
    def.bed = bed;
    TarnShallow* water = make_water(run, &def);
    TarnShallowSpanDef in = tarn_shallow_default_span();
    in.side = is_along_z ? TARN_SIDE_Z0 : TARN_SIDE_X0, in.value = 30.0f;
    must(run, tarn_shallow_add_span(water, &in, NULL));
    for (int n = 0; n < 600; ++n) must(run, tarn_shallow_step(water, 1.0f / 60.0f, NULL));
    TarnView2 h = tarn_shallow_depth(water), u = tarn_shallow_velocity_x(water);
    TarnView2 w = tarn_shallow_velocity_z(water);
    int different = 0;
    for (int c = 0; c < LONG * WIDE; ++c) {
        int i = c % def.nx, k = c / def.nx, i0 = is_along_z ? 0 : i, k0 = is_along_z ? k : 0;
        different += (view_at(h, i, k) != view_at(h, i0, k0)) +
                     (view_at(u, i, k) != view_at(u, i0, k0)) +
                     (view_at(w, i, k) != view_at(w, i0, k0));
    }
    tarn_shallow_destroy(water);
    return different;
}

static void check_rows(CheckRun* run)
{
    static const int edges[4] = { TARN_SHALLOW_REFLECTING, TARN_SHALLOW_OPEN, TARN_SHALLOW_FALL,
                                  TARN_SHALLOW_ABSORBING };
    for (int n = 0; n < 8; ++n) {
        int different = 0, advection = n / 2;
        for (int e = 0; e < 4; ++e) different += uneven_rows(run, advection, edges[e], n % 2 != 0);
        char name[64];
        snprintf(name, sizeof name, "shallow.symmetry.equal_%s.%s", n % 2 ? "columns" : "rows",
                 advection_names[advection]);
        check_add(run, name, different, 0.0, 0.0);
    }
}

static void check_symmetry(CheckRun* run)
{
    check_rows(run);
    static const char* const turn_names[3] = { "mirror_x", "mirror_z", "transpose" };
    for (int n = 0; n < 12; ++n) {
        char name[64];
        snprintf(name, sizeof name, "shallow.symmetry.%s.%s", turn_names[n % 3],
                 advection_names[n / 3]);
        check_add(run, name, asymmetry(run, n / 3, (Turn)(n % 3)), 0.0, 0.0);
    }
}

// ---- The ledger ------------------------------------------------------------------------------------------

enum { PLAY_X = 96, PLAY_Z = 64 };

// A valley with a river that swells, an open end, a gate, rain and sun.
static TarnShallow* make_play(CheckRun* run)
{
    static float bed[PLAY_X * PLAY_Z];
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = PLAY_X, def.nz = PLAY_Z;
    def.dx = 1.0f;
    def.edge_x1 = TARN_SHALLOW_OPEN;
    def.edge_z0 = TARN_SHALLOW_ABSORBING;
    def.level = -0.5f;
    for (int c = 0; c < PLAY_X * PLAY_Z; ++c) {
        double x = c % PLAY_X, z = c / PLAY_X;
        bed[c] = (float)(1.5 - 0.02 * x + 1.2 * sin(0.13 * x) * cos(0.21 * z) +
                         0.002 * (z - 32.0) * (z - 32.0));
    }
    def.bed = bed;
    TarnShallow* water = make_water(run, &def);
    const float times[5] = { 0.0f, 100.0f, 200.0f, 400.0f, 600.0f };
    const float values[5] = { 1.0f, 15.0f, 2.0f, 20.0f, 0.0f };
    TarnShallowSpanDef span = tarn_shallow_default_span();
    span.side = TARN_SIDE_X0;
    span.kind = TARN_SHALLOW_DISCHARGE;
    span.from = 20.0f, span.to = 44.0f;
    span.times = times, span.values = values, span.n_times = 5;
    must(run, tarn_shallow_add_span(water, &span, NULL));
    TarnShallowGateDef gate = tarn_shallow_default_gate();
    gate.a = (TarnVec2){ 60.0f, 0.0f }, gate.b = (TarnVec2){ 63.0f, 64.0f };
    gate.top = 3.0f;
    must(run, tarn_shallow_add_gate(water, &gate, NULL));
    must(run, tarn_shallow_fill(water, (TarnVec2){ 0, 0 }, (TarnVec2){ 60, 64 }, 1.5f));
    return water;
}

static void play(CheckRun* run, TarnShallow* water, int n)
{
    float t = (float)n / 60.0f;
    TarnVec2 well = { 30.0f + 20.0f * sinf(0.05f * t), 30.0f }, hole = { 80.0f, 40.0f };
    double done;
    must(run, tarn_shallow_add_water(water, well, 3.0f, 0.05f, &done));
    must(run, tarn_shallow_add_water(water, hole, 4.0f, -0.04f, &done));
    if (n % 600 == 0) {
        TarnShallowParams params = tarn_shallow_default_params();
        params.rain = n % 1200 == 0 ? 60.0f : 0.0f;
        params.evaporation = 8.0f;
        must(run, tarn_shallow_set_params(water, &params));
    }
    if (n % 900 < 120) {
        float share = (float)(n % 900) / 119.0f;
        must(run, tarn_shallow_set_gate(water, 0, n / 900 % 2 ? 1.0f - share : share));
    }
    if (n % 700 == 0)
        must(run, tarn_shallow_dig(water, (TarnVec2){ 10.0f + (float)(n % 77), 32.0f }, 5.0f,
                                   n % 1400 ? -0.3f : 0.25f));
    must(run, tarn_shallow_step(water, 1.0f / 60.0f, NULL));
}

static double ledger_gap(const TarnShallow* water)
{
    TarnShallowLedger l = tarn_shallow_ledger(water);
    return l.volume - (l.initial + l.edges + l.sources + l.rain + l.evaporated + l.window);
}

static void check_ledger(CheckRun* run)
{
    enum { FRAMES = 36000, EVERY = 360 }; // ten minutes
    static double minutes[FRAMES / EVERY], volume[FRAMES / EVERY], entries[FRAMES / EVERY];
    TarnShallow* water = make_play(run);
    double worst = 0.0, off = 0.0;
    for (int n = 0; n < FRAMES; ++n) {
        play(run, water, n);
        if (n % EVERY != 0) continue;
        TarnShallowLedger l = tarn_shallow_ledger(water);
        double sum = 0.0;
        for (int c = 0; c < PLAY_X * PLAY_Z; ++c) sum += depth_at(water, c % PLAY_X, c / PLAY_X);
        worst = fmax(worst, fabs(ledger_gap(water)) / l.volume);
        off = fmax(off, fabs(sum - l.volume) / l.volume);
        minutes[n / EVERY] = n / 3600.0;
        volume[n / EVERY] = sum;
        entries[n / EVERY] = l.volume - ledger_gap(water);
    }
    TarnShallowLedger l = tarn_shallow_ledger(water);
    check_add(run, "shallow.ledger.gap", worst, 0.0, 1e-6);
    check_add(run, "shallow.ledger.counted_volume", off, 0.0, 1e-6);
    // A ledger of zeros would close as well: each entry must have moved much of the water.
    check_add(run, "shallow.ledger.edges_used", fabs(l.edges) > 0.1 * l.volume, 1.0, 0.0);
    check_add(run, "shallow.ledger.sources_used", fabs(l.sources) > 0.1 * l.volume, 1.0, 0.0);
    check_add(run, "shallow.ledger.rain_used", l.rain > 0.01 * l.volume, 1.0, 0.0);
    check_add(run, "shallow.ledger.evaporation_used", l.evaporated < -0.001 * l.volume, 1.0, 0.0);
    tarn_shallow_destroy(water);
    Plot* plot = check_plot(run, "shallow.ledger", "t [min]", "volume [m^3]");
    plot_line(plot, "ledger", minutes, entries, FRAMES / EVERY);
    plot_points(plot, "water in the grid", minutes, volume, FRAMES / EVERY);
    plot_done(plot);
}

// ---- Calm ------------------------------------------------------------------------------------------

// Ten liters fall into a calm lake; five minutes later nobody can tell. Counting water in grains
// must not stir it. What is left is measured cell by cell, as rms of depth and speed.
static void check_calm(CheckRun* run)
{
    enum { NX = 192, NZ = 96 };
    static double x[NX], level[NX], zero[NX];
    TarnShallowDef def = tarn_shallow_default_def();
    def.nx = NX, def.nz = NZ;
    def.level = 1.0f, def.has_level = true;
    def.sleep_speed = 0.0f;
    TarnShallow* water = make_water(run, &def);
    TarnShallowParams params = tarn_shallow_default_params();
    must(run, tarn_shallow_set_params(water, &params));
    must(run, tarn_shallow_add_water(water, (TarnVec2){ 48.0f, 24.0f }, 3.0f, 0.01f, NULL));
    for (int n = 0; n < 18000; ++n) must(run, tarn_shallow_step(water, 1.0f / 60.0f, NULL));
    double depth = 0.0, speed = 0.0, mean = tarn_shallow_ledger(water).volume / (NX * NZ * 0.25);
    for (int c = 0; c < NX * NZ; ++c) {
        double h = depth_at(water, c % NX, c / NX) - mean, u = speed_at(water, c % NX, c / NX);
        depth += h * h / (NX * NZ);
        speed += u * u / (NX * NZ);
    }
    check_add(run, "shallow.calm.rms_depth_mm", 1e3 * sqrt(depth), 0.0, 0.2);
    check_add(run, "shallow.calm.rms_speed_mm_s", 1e3 * sqrt(speed), 0.0, 1.0);
    for (int i = 0; i < NX; ++i)
        x[i] = center_x(&def, i), level[i] = 1e3 * (depth_at(water, i, NZ / 2) - mean);
    Plot* plot = check_plot(run, "shallow.calm", "x [m]", "height [mm]");
    plot_note(plot, "five minutes after ten liters fell into a lake of 1 m");
    plot_line(plot, "calm", x, zero, NX);
    plot_line(plot, "Tarn", x, level, NX);
    plot_done(plot);
    tarn_shallow_destroy(water);
}

// ---- Friction ----------------------------------------------------------------------------------------------

// Down a slope S the drag holds the water at u = sqrt(g S h / drag), whatever it came in with.
static void check_friction(CheckRun* run)
{
    enum { NX = 200 };
    static float bed[NX * CHANNEL_WIDTH];
    static double x[NX], h[NX], exact[NX];
    const double slope = 0.005, drag = 0.01, q = 1.0, normal = cbrt(q * q * drag / (g * slope));
    TarnShallowDef def = channel_def(NX, 0.0, 200.0, 4.0);
    for (int c = 0; c < NX * CHANNEL_WIDTH; ++c) bed[c] = (float)(-slope * center_x(&def, c % NX));
    def.bed = bed;
    TarnShallow* water = make_water(run, &def);
    TarnShallowParams params = tarn_shallow_default_params();
    params.drag = (float)drag;
    params.damping = 0.0f;
    must(run, tarn_shallow_set_params(water, &params));
    TarnShallowSpanDef in = tarn_shallow_default_span(), out = tarn_shallow_default_span();
    in.side = TARN_SIDE_X0, in.kind = TARN_SHALLOW_DISCHARGE;
    in.value = (float)(q * CHANNEL_WIDTH * (double)def.dx);
    out.side = TARN_SIDE_X1, out.kind = TARN_SHALLOW_DEPTH;
    out.value = (float)normal;
    must(run, tarn_shallow_add_span(water, &in, NULL));
    must(run, tarn_shallow_add_span(water, &out, NULL));
    run_to(run, water, 900.0, 0.1);
    Worst depth = { 0 }, speed = { 0 };
    for (int i = 0; i < NX; ++i) {
        x[i] = center_x(&def, i), h[i] = depth_at(water, i, 1), exact[i] = normal;
        if (i < 20 || i >= NX - 20) continue;
        worst_of(&depth, h[i], normal);
        worst_of(&speed, speed_at(water, i, 1), q / normal);
    }
    add_worst(run, "shallow.friction.slope.depth", &depth, 0.01);
    add_worst(run, "shallow.friction.slope.speed", &speed, 0.01);
    tarn_shallow_destroy(water);
    Plot* plot = check_plot(run, "shallow.friction", "x [m]", "depth [m]");
    plot_line(plot, "normal depth", x, exact, NX);
    plot_points(plot, "Tarn", x, h, NX);
    plot_y_range(plot, 0.0, 2.0 * normal);
    plot_done(plot);

    // The same without a slope: the wind pushes, the drag holds, all advections.
    for (int a = 0; a < 4; ++a) {
        def = channel_def(32, 0.0, 32.0, 4.0);
        def.edge_x0 = def.edge_x1 = TARN_SHALLOW_PERIODIC;
        def.advection = a;
        def.level = 0.5f, def.has_level = true;
        water = make_water(run, &def);
        params.wind = (TarnVec2){ 0.05f, 0.0f };
        must(run, tarn_shallow_set_params(water, &params));
        run_to(run, water, 300.0, 0.1);
        char name[64];
        snprintf(name, sizeof name, "shallow.friction.wind.%s", advection_names[a]);
        check_add(run, name, speed_at(water, 16, 1), sqrt(0.05 * 0.5 / drag), 0.01);
        tarn_shallow_destroy(water);
    }
}

void check_shallow(CheckRun* run, const char* group)
{
    if (strcmp(group, "shallow.rest") == 0) check_rest(run);
    if (strcmp(group, "shallow.symmetry") == 0) check_symmetry(run);
    if (strcmp(group, "shallow.ledger") == 0) check_ledger(run);
    if (strcmp(group, "shallow.calm") == 0) check_calm(run);
    if (strcmp(group, "shallow.friction") == 0) check_friction(run);
}
