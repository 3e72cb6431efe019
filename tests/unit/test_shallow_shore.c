// The shallow solver as it is drawn: the surface, and the shore line on it. Queries of it:
// test_shallow_query.c.

#include "shore_common.h"

// ---- Lines ---------------------------------------------------------------------------------------

enum { MOST_POINTS = 1 << 18, MOST_LINES = 1 << 16 };
static TarnVec3 points[MOST_POINTS];
static int ends[MOST_LINES];
static int n_points, n_lines;

static void trace_shore(const TarnShallow* water)
{
    size_t bytes = tarn_shallow_shore_work(water);
    char* work = malloc(bytes);
    memset(work, 0x5a, bytes);
    TarnResult result =
        tarn_shallow_shore(water, work, points, MOST_POINTS, ends, MOST_LINES, &n_points, &n_lines);
    assert_int_equal(result, TARN_OK);
    assert_true(n_lines == 0 ? n_points == 0 : ends[n_lines - 1] == n_points);
    free(work);
}

static int line_start(int line)
{
    return line == 0 ? 0 : ends[line - 1];
}
static bool is_closed(int line)
{
    return memcmp(&points[line_start(line)], &points[ends[line] - 1], sizeof points[0]) == 0;
}

// Area on the left of a closed line, seen from above: x to the right, z toward the viewer.
static double area_left(int line)
{
    double sum = 0.0;
    for (int p = line_start(line); p + 1 < ends[line]; ++p) {
        double x0 = (double)points[p].x, z0 = (double)points[p].z;
        double x1 = (double)points[p + 1].x, z1 = (double)points[p + 1].z;
        sum += 0.5 * (x1 * z0 - x0 * z1);
    }
    return sum;
}

static double sharpest_turn(int line) // [rad]
{
    double most = 0.0;
    for (int p = line_start(line) + 1; p + 1 < ends[line]; ++p) {
        double ax = (double)(points[p].x - points[p - 1].x);
        double az = (double)(points[p].z - points[p - 1].z);
        double bx = (double)(points[p + 1].x - points[p].x);
        double bz = (double)(points[p + 1].z - points[p].z);
        most = fmax(most, fabs(atan2(ax * bz - az * bx, ax * bx + az * bz)));
    }
    return most;
}

// ---- Shores of calm water ------------------------------------------------------------------------

static void dig_cone(const TarnShallowDef* def, float x, float z, float slope, float deep)
{
    for (int k = 0; k < def->nz; ++k) {
        for (int i = 0; i < def->nx; ++i) {
            float r = hypotf(cell_x(def, i) - x, cell_z(def, k) - z);
            float y = slope * r - deep;
            float* at = &ground[k * def->nx + i];
            *at = fminf(*at, y);
        }
    }
}

static void test_round_pond(void** state)
{
    (void)state;
    const float slopes[] = { 0.02f, 0.1f, 0.5f, 3.0f };
    for (int n = 0; n < 4; ++n) {
        TarnShallowDef def = shore_def(80, 64);
        const float x = 15.1f, z = 22.7f, radius = 11.3f;
        for (int c = 0; c < 80 * 64; ++c) ground[c] = 1e3f;
        dig_cone(&def, x, z, slopes[n], slopes[n] * radius - 5.0f);
        fill_to(&def, 5.0f);
        TarnShallow* water = make_shallow(ctx, def);
        trace_shore(water);
        assert_int_equal(n_lines, 1);
        assert_true(is_closed(0));
        double off = 0.0, low = 0.0;
        for (int p = 0; p < n_points; ++p) {
            double r = hypot((double)(points[p].x - x), (double)(points[p].z - z));
            off = fmax(off, fabs(r - (double)radius));
            low = fmax(low, fabs((double)points[p].y - 5.0));
        }
        assert_true(off <= 0.02 * (double)def.dx && low <= 2e-4);
        assert_true(sharpest_turn(0) <= 0.08); // a regular polygon of its 300 points: 0.02
        double disc = 3.14159265 * (double)(radius * radius);
        assert_true(fabs(area_left(0) / disc - 1.0) <= 0.01); // positive: the water is on the left
        tarn_shallow_destroy(water);
    }
}

static void test_two_ponds(void** state)
{
    (void)state;
    TarnShallowDef def = shore_def(96, 48);
    for (int c = 0; c < 96 * 48; ++c) ground[c] = 8.0f;
    dig_cone(&def, 9.0f, 18.0f, 0.5f, -4.0f);
    dig_cone(&def, 33.0f, 20.0f, 0.5f, -1.0f);
    for (int k = 0; k < def.nz; ++k) {
        for (int i = 0; i < def.nx; ++i) {
            float level = i < 48 ? 7.0f : 4.5f; // radii 6 and 7
            depth[k * 96 + i] = fmaxf(level - ground[k * 96 + i], 0.0f);
        }
    }
    TarnShallow* water = make_shallow(ctx, def);
    trace_shore(water);
    assert_int_equal(n_lines, 2);
    for (int line = 0; line < 2; ++line) {
        assert_true(is_closed(line) && area_left(line) > 0.0);
        bool is_west = points[line_start(line)].x < 21.0f;
        double radius = sqrt(area_left(line) / 3.14159265);
        assert_float_equal(radius, (is_west ? 6.0 : 7.0), 0.05);
        for (int p = line_start(line); p < ends[line]; ++p) {
            assert_float_equal(points[p].y, (is_west ? 7.0 : 4.5), 2e-3);
        }
    }
    tarn_shallow_destroy(water);
}

// A plane beach that rises in a direction; the shore runs through a point near the middle.
static void lay_beach(const TarnShallowDef* def, double degrees, float slope, double* distance)
{
    double ax = cos(degrees / 57.29577951308232), az = sin(degrees / 57.29577951308232);
    double x0 = (double)cell_x(def, def->nx / 2) + 0.1234;
    double z0 = (double)cell_z(def, def->nz / 2) - 0.077;
    for (int k = 0; k < def->nz; ++k) {
        for (int i = 0; i < def->nx; ++i) {
            double way = ax * ((double)cell_x(def, i) - x0) + az * ((double)cell_z(def, k) - z0);
            ground[k * def->nx + i] = (float)((double)slope * way);
        }
    }
    *distance = 0.0;
    for (int p = 1; p < n_points; ++p) { // the water, down the slope, is on the left
        float x = points[p].x - points[p - 1].x, z = points[p].z - points[p - 1].z;
        assert_true((double)z * ax - (double)x * az < 0.0);
    }
    for (int p = 0; p < n_points; ++p) {
        double way = ax * ((double)points[p].x - x0) + az * ((double)points[p].z - z0);
        *distance = fmax(*distance, fabs(way));
    }
}

static void test_straight_beach(void** state)
{
    (void)state;
    const double angles[] = { 0.0, 30.0, 45.0, 73.0, 135.0, 200.0, 270.0 };
    const float slopes[] = { 0.02f, 0.1f, 1.0f };
    for (int n = 0; n < 7 * 3; ++n) {
        TarnShallowDef def = shore_def(70, 60);
        double off;
        n_points = 0;
        lay_beach(&def, angles[n / 3], slopes[n % 3], &off);
        fill_to(&def, 0.0f);
        TarnShallow* water = make_shallow(ctx, def);
        trace_shore(water);
        assert_int_equal(n_lines, 1);
        assert_false(is_closed(0));
        lay_beach(&def, angles[n / 3], slopes[n % 3], &off);
        assert_true(off <= 0.02 * (double)def.dx);
        assert_true(sharpest_turn(0) <= 0.03); // stairs would turn by 0.8 and more
        tarn_shallow_destroy(water);
    }
}

// Under a hull the floor is the hull and the water above it is less: the drawn surface stays, and
// there is no shore around a boat, not even where it fills a column.
static void test_hull(void** state)
{
    (void)state;
    TarnShallowDef def = shore_def(40, 30);
    def.use_bodies = true;
    for (int c = 0; c < 40 * 30; ++c) ground[c] = c % 40 < 30 ? -1.0f : 1.0f;
    fill_to(&def, 0.0f);
    TarnShallow* water = make_shallow(ctx, def);
    for (int k = 10; k < 16; ++k) {
        for (int i = 5; i < 15; ++i) {
            size_t c = shallow_cell(water, i, k);
            float load = k > 11 && k < 14 ? 1.0f : 0.5f;
            water->b[c] += load, water->h[c] -= load;
        }
    }
    assert_ok(tarn_shallow_drawn_surface(water, drawn));
    for (int c = 0; c < 40 * 30; ++c) {
        if (c % 40 < 30) assert_float_equal(drawn[c], 0.0, 1e-4);
    }
    trace_shore(water);
    assert_int_equal(n_lines, 1);
    TarnVec2 at = { 2.0f, 13.4f };
    float deep;
    TarnSurfaceSamples out = { .depth = &deep };
    assert_ok(tarn_surface_query(tarn_shallow_surface(water), 1, &at.x, &at.y, &out));
    assert_float_equal(deep, 1.0, 1e-4);
    tarn_shallow_destroy(water);
}

// ---- Moving water --------------------------------------------------------------------------------

static float shore_x(const TarnShallow* water) // of a shore along z
{
    trace_shore(water);
    assert_int_equal(n_lines, 1);
    for (int p = 1; p < n_points; ++p) assert_float_equal(points[p].x, points[0].x, 1e-4);
    return points[0].x;
}

// A surface that slopes by `tilt` where it meets a beach: the line is where the planes meet. Less
// sharply so where water falls toward land: ground that it could flow onto counts as reached.
static void test_sloping_water(void** state)
{
    (void)state;
    const float tilts[] = { -0.01f, 0.0f, 0.04f };
    const double tolerances[] = { 0.1, 0.02, 0.02 }; // [cells]
    for (int n = 0; n < 3 * 40; ++n) {
        TarnShallowDef def = shore_def(64, 8);
        float want = def.origin.x + 15.0f + 0.025f * (float)(n / 3); // 20 to a cell
        for (int c = 0; c < 64 * 8; ++c) {
            float way = cell_x(&def, c % 64) - want;
            ground[c] = 0.1f * way;
            depth[c] = fmaxf(tilts[n % 3] * way - ground[c], 0.0f);
        }
        TarnShallow* water = make_shallow(ctx, def);
        assert_float_equal(shore_x(water), want, tolerances[n % 3] * (double)def.dx);
        tarn_shallow_destroy(water);
    }
}

// The tip of a dam break over dry ground, flat or falling: h grows with the square of the distance
// behind the tip [Ritter1892]. The line follows it evenly, though whole cells get wet at a time.
static void test_running_front(void** state)
{
    (void)state;
    for (int is_falling = 0; is_falling < 2; ++is_falling) {
        double least = 1e9, most = -1e9, before = 0.0;
        for (int n = 0; n < 160; ++n) { // 40 steps to a cell
            TarnShallowDef def = shore_def(96, 6);
            double tip = (double)def.origin.x + 30.0 + (double)def.dx * n / 40.0;
            for (int c = 0; c < 96 * 6; ++c) {
                double sum = 0.0;
                for (int q = 0; q < 32; ++q) { // mean over the cell
                    double x =
                        (double)cell_x(&def, c % 96) + (double)def.dx * ((q + 0.5) / 32 - 0.5);
                    double speed = fmax(tip - x, 0.0) / 3.0; // 3 s after the break
                    sum += speed * speed / (9.0 * 9.81) / 32.0;
                }
                depth[c] = (float)sum;
                ground[c] = is_falling ? -0.1f * cell_x(&def, c % 96) : 0.0f;
            }
            TarnShallow* water = make_shallow(ctx, def);
            double x = (double)shore_x(water), behind = (x - tip) / (double)def.dx;
            least = fmin(least, behind), most = fmax(most, behind);
            if (n > 0) assert_true(x > before - 1e-4 && x - before < 0.1 * (double)def.dx);
            before = x;
            tarn_shallow_destroy(water);
        }
        assert_true(most - least < 0.35 && least > -2.0 && most < 0.0);
    }
}

// Whatever cell gets wet or dry, nothing that is drawn jumps.
static void test_no_flicker(void** state)
{
    (void)state;
    TarnShallowDef def = shore_def(24, 20);
    float old[24 * 20];
    for (int n = 0; n < (is_short_run() ? 6 : 60); ++n) {
        random_at = (uint64_t)(1000 * n);
        for (int c = 0; c < 24 * 20; ++c) {
            ground[c] = uniform(0.0f, 0.3f) + 0.05f * (float)(c % 24);
            depth[c] = pick(3) ? 0.0f : scale(1e-5f, 0.3f);
        }
        int cell = pick(24 * 20);
        const int parts = 2000;
        // One for all: what is drawn follows from depth and ground alone.
        TarnShallow* water = make_shallow(ctx, def);
        for (int part = 0; part <= parts; ++part) {
            float deep = 3e-3f * (float)part / (float)parts; // 1/70 of the dry depth at a time
            water->h[shallow_cell(water, cell % 24, cell / 24)] = deep;
            assert_ok(tarn_shallow_drawn_surface(water, drawn));
            for (int c = 0; c < 24 * 20 && part > 0; ++c) {
                if (!(fabsf(drawn[c] - old[c]) <= 0.02f))
                    print_error("%d %d: %g %g\n", n, part, (double)drawn[c], (double)old[c]);
                assert_true(fabsf(drawn[c] - old[c]) <= 0.02f);
            }
            memcpy(old, drawn, sizeof old);
        }
        tarn_shallow_destroy(water);
    }
}

// ---- Any water -----------------------------------------------------------------------------------

static void test_drawn_surface(void** state)
{
    (void)state;
    for (int n = 0; n < 100; ++n) {
        TarnShallowDef def = shore_def(4 + n % 45, 4 + n * 7 % 31);
        if (n % 3 == 0) def.edge_x0 = def.edge_x1 = TARN_SHALLOW_PERIODIC;
        if (n % 4 == 0) def.edge_z0 = def.edge_z1 = TARN_SHALLOW_PERIODIC;
        rough_water(&def, n);
        TarnShallow* water = make_shallow(ctx, def);
        TarnView2 h = tarn_shallow_depth(water), b = tarn_shallow_bed(water);
        assert_ok(tarn_shallow_drawn_surface(water, drawn));
        for (int c = 0; c < def.nx * def.nz; ++c) {
            int i = c % def.nx, k = c / def.nx;
            float deep = h.data[i + h.stride * k], floor = b.data[i + b.stride * k];
            assert_true(tarn__is_finite(drawn[c]));
            if (deep >= 0.005f * def.dx) assert_true(drawn[c] == floor + deep); // more than a film
            if (deep <= water->dry_depth) assert_true(drawn[c] <= floor);
            assert_true(drawn[c] <= floor + deep);
        }
        tarn_shallow_destroy(water);
    }
}

static bool is_at_border(const TarnShallowDef* def, TarnVec3 p)
{
    float e = 1e-3f * def->dx;
    return fabsf(p.x - cell_x(def, 0)) < e || fabsf(p.x - cell_x(def, def->nx - 1)) < e ||
           fabsf(p.z - cell_z(def, 0)) < e || fabsf(p.z - cell_z(def, def->nz - 1)) < e;
}

// Lines are closed or end at the border, do not leave cells out, and lie where the depth is 0.
static void test_any_shore(void** state)
{
    (void)state;
    int most = 0;
    for (int n = 0; n < 200; ++n) {
        TarnShallowDef def = shore_def(4 + n % 45, 4 + n * 7 % 31);
        float relief = rough_water(&def, n);
        TarnShallow* water = make_shallow(ctx, def);
        TarnSurface surface = tarn_shallow_surface(water);
        trace_shore(water);
        most = n_lines > most ? n_lines : most;
        for (int line = 0; line < n_lines; ++line) {
            int first = line_start(line), last = ends[line] - 1;
            assert_true(last - first >= (is_closed(line) ? 3 : 1));
            if (!is_closed(line)) {
                assert_true(is_at_border(&def, points[first]) && is_at_border(&def, points[last]));
            }
            for (int p = first; p <= last; ++p) {
                TarnVec3 at = points[p];
                assert_true(tarn__is_finite3(at));
                float left, rounding = 1e-5f * relief / def.dx; // of x and z times the slope
                TarnSurfaceSamples out = { .depth = &left };
                assert_ok(tarn_surface_query(surface, 1, &at.x, &at.z, &out));
                assert_true(left <= rounding);
                if (p == first) continue;
                float x = at.x - points[p - 1].x, z = at.z - points[p - 1].z;
                assert_true(x * x + z * z <= 2.2f * def.dx * def.dx);
            }
        }
        tarn_shallow_destroy(water);
    }
    assert_true(most > 50);
}

static void test_no_shore(void** state)
{
    (void)state;
    for (int n = 0; n < 4; ++n) { // dry, a film that counts as dry, wet, deep
        TarnShallowDef def = shore_def(33, 29);
        const float depths[] = { 0.0f, 5e-5f, 0.01f, 50.0f };
        for (int c = 0; c < 33 * 29; ++c) ground[c] = uniform(0.0f, 1.0f), depth[c] = depths[n];
        TarnShallow* water = make_shallow(ctx, def);
        trace_shore(water);
        assert_true(n_lines == 0 && n_points == 0);
        tarn_shallow_destroy(water);
    }
}

static void test_capacity(void** state)
{
    (void)state;
    TarnShallowDef def = shore_def(40, 30);
    rough_water(&def, 3);
    TarnShallow* water = make_shallow(ctx, def);
    trace_shore(water);
    int all_points = n_points, all_lines = n_lines;
    assert_true(all_lines > 3 && all_points > 30);
    TarnVec3* some = malloc((size_t)all_points * sizeof *some);
    int* marks = malloc((size_t)all_lines * sizeof *marks);
    char* work = malloc(tarn_shallow_shore_work(water) + 3);
    const int gaps[][2] = { { 0, 0 }, { 1, 0 }, { 0, 1 }, { all_points, all_lines } };
    for (int n = 0; n < 4; ++n) { // the buffers have just that size: the sanitizer watches
        int has_points = all_points - gaps[n][0], has_lines = all_lines - gaps[n][1];
        int got_points = -1, got_lines = -1;
        TarnVec3* to = has_points ? some + gaps[n][0] : NULL;
        int* to_ends = has_lines ? marks + gaps[n][1] : NULL;
        TarnResult result = tarn_shallow_shore(water, work + n, to, has_points, to_ends, has_lines,
                                               &got_points, &got_lines);
        assert_result(result, n == 0 ? TARN_OK : TARN_ERR_CAPACITY, "enlarge");
        assert_true(got_points == all_points && got_lines == all_lines);
    }
    int np = 9, nl = 9;
    assert_result(tarn_shallow_shore(water, NULL, some, 1, marks, 1, &np, &nl), TARN_ERR_ARG,
                  "work");
    assert_true(np == 0 && nl == 0);
    assert_result(tarn_shallow_shore(water, work, NULL, 1, marks, 1, &np, &nl), TARN_ERR_ARG,
                  "point_capacity");
    assert_result(tarn_shallow_shore(water, work, some, -1, marks, 1, &np, &nl), TARN_ERR_ARG,
                  "point_capacity is -1");
    assert_result(tarn_shallow_shore(water, work, some, 1, NULL, 1, &np, &nl), TARN_ERR_ARG,
                  "line_capacity");
    assert_int_equal(tarn_shallow_shore(water, work, some, 1, marks, 1, NULL, &nl), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_shore(water, work, some, 1, marks, 1, &np, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_shore(NULL, work, some, 1, marks, 1, &np, &nl), TARN_ERR_ARG);
    assert_int_equal(tarn_shallow_drawn_surface(NULL, drawn), TARN_ERR_ARG);
    assert_result(tarn_shallow_drawn_surface(water, NULL), TARN_ERR_ARG, "out");
    assert_true(tarn_shallow_shore_work(NULL) == 0);
    free(some);
    free(marks);
    free(work);
    tarn_shallow_destroy(water);
}

// Mirrored or transposed water is drawn mirrored or transposed, to the bit.
static void test_symmetry(void** state)
{
    (void)state;
    enum { N = 41 };
    static float straight[N * N], first_ground[N * N], first_depth[N * N];
    TarnShallowDef def = shore_def(N, N);
    rough_water(&def, 11);
    memcpy(first_ground, ground, sizeof first_ground);
    memcpy(first_depth, depth, sizeof first_depth);
    for (int turn = 0; turn < 8; ++turn) {
        for (int c = 0; c < N * N; ++c) {
            int i = turn & 1 ? N - 1 - c % N : c % N, k = turn & 2 ? N - 1 - c / N : c / N;
            int from = turn & 4 ? i * N + k : k * N + i;
            ground[c] = first_ground[from], depth[c] = first_depth[from];
        }
        TarnShallow* water = make_shallow(ctx, def);
        assert_ok(tarn_shallow_drawn_surface(water, drawn));
        if (turn == 0) memcpy(straight, drawn, sizeof straight);
        for (int c = 0; c < N * N; ++c) {
            int i = turn & 1 ? N - 1 - c % N : c % N, k = turn & 2 ? N - 1 - c / N : c / N;
            assert_true(drawn[c] == straight[turn & 4 ? i * N + k : k * N + i]);
        }
        tarn_shallow_destroy(water);
    }
}

static void test_same_bits(void** state)
{
    (void)state;
    enum { POINTS = 501 };
    uint64_t want = 0;
    for (int n = 0; n < 2 * (TARN_ISA_COUNT - TARN_ISA_BASELINE); ++n) {
        // One or three workers, each instruction set.
        TarnContext* where = make_context(n & 1 ? 3 : 1, (TarnIsa)(TARN_ISA_BASELINE + n / 2));
        if (where == NULL) continue;
        TarnShallowDef def = shore_def(203, 77);
        rough_water(&def, 5);
        TarnShallow* water = make_shallow(where, def);
        assert_ok(tarn_shallow_drawn_surface(water, drawn));
        trace_shore(water);
        uint64_t hash = tarn_hash(drawn, sizeof(float) * 203 * 77, 0);
        hash = tarn_hash(points, sizeof points[0] * (size_t)n_points, hash);
        hash = tarn_hash(ends, sizeof ends[0] * (size_t)n_lines, hash);
        float x[POINTS], z[POINTS], y[POINTS], deep[POINTS];
        TarnVec3 normal[POINTS], velocity[POINTS];
        for (int p = 0; p < POINTS; ++p) x[p] = uniform(-5.0f, 100.0f), z[p] = uniform(5.0f, 50.0f);
        TarnSurfaceSamples out = { y, normal, velocity, deep };
        assert_ok(tarn_surface_query(tarn_shallow_surface(water), POINTS, x, z, &out));
        hash = tarn_hash(y, sizeof y, tarn_hash(deep, sizeof deep, hash));
        hash = tarn_hash(normal, sizeof normal, tarn_hash(velocity, sizeof velocity, hash));
        if (n == 0) want = hash;
        assert_true(hash == want);
        tarn_shallow_destroy(water);
        tarn_context_destroy(where);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_round_pond),
        TEST_ALONE(test_two_ponds),
        TEST_ALONE(test_straight_beach),
        TEST_ALONE(test_hull),
        TEST_ALONE(test_sloping_water),
        TEST_ALONE(test_running_front),
        TEST_ALONE(test_no_flicker),
        TEST_ALONE(test_drawn_surface),
        TEST_ALONE(test_any_shore),
        TEST_ALONE(test_no_shore),
        TEST_ALONE(test_capacity),
        TEST_ALONE(test_symmetry),
        TEST(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
