// Flow of shallow water that hosts give and take: velocities at the start, in the def and in scenes, and
// the discharge through faces.

#include "shallow_common.h"
#include "tarn/tarn.h"

// ---- Velocities at the start ---------------------------------------------------------------------

static float u_of(const TarnShallow* water, int i, int k)
{
    return view_value(tarn_shallow_velocity_x(water), i, k);
}
static float w_of(const TarnShallow* water, int i, int k)
{
    return view_value(tarn_shallow_velocity_z(water), i, k);
}

static TarnShallowDef torus_def(void)
{
    TarnShallowDef def = water_def();
    int edge = TARN_SHALLOW_PERIODIC;
    set_water_edges(&def, edge, edge, edge, edge);
    def.level = 1.0f, def.has_level = true;
    return def;
}

// On a periodic plane all faces flow from the start, and without drag they go on.
static void test_uniform(void** state)
{
    (void)state;
    TarnShallowDef def = torus_def();
    def.velocity = (TarnVec2){ 0.5f, -0.25f };
    TarnShallow* water = make_water(&def);
    TarnShallowParams params = tarn_shallow_params(water);
    params.drag = params.damping = 0.0f;
    assert_ok(tarn_shallow_set_params(water, &params));
    for (int n = 0; n < 3; ++n) {
        for (int c = 0; c < 4000; ++c) {
            assert_float_equal(u_of(water, c % 100, c / 100), 0.5f, 1e-5f);
            assert_float_equal(w_of(water, c % 100, c / 100), -0.25f, 1e-5f);
            assert_float_equal(depth_of(water, c % 100, c / 100), 1.0f, 1e-5f);
        }
        advance_frames(water, 10);
    }
    tarn_shallow_destroy(water);
}

// Faces between two wet cells take what the arrays say, to the bit; others and the grid's edges do not flow.
static void test_arrays(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    float u[4000], w[4000];
    for (int c = 0; c < 4000; ++c) u[c] = uniform(-2.0f, 2.0f), w[c] = uniform(-2.0f, 2.0f);
    def.bed_fn = water_hills;
    def.level = 0.5f, def.has_level = true;
    def.velocity = (TarnVec2){ 7.0f, 7.0f }; // arrays go before it
    def.velocity_x = u, def.velocity_z = w;
    TarnShallow* water = make_water(&def);
    int flowing = 0, still = 0;
    for (int c = 0; c < 4000; ++c) {
        int i = c % 100, k = c / 100;
        float dry = water->dry_depth;
        bool is_wet = depth_of(water, i, k) > dry;
        bool has_u = is_wet && i > 0 && depth_of(water, i - 1, k) > dry;
        bool has_w = is_wet && k > 0 && depth_of(water, i, k - 1) > dry;
        assert_true(u_of(water, i, k) == (has_u ? u[c] : 0.0f));
        assert_true(w_of(water, i, k) == (has_w ? w[c] : 0.0f));
        flowing += has_u, still += !has_u;
    }
    assert_true(flowing > 1000 && still > 1000);
    assert_true(!tarn_shallow_def(water)->velocity_x && !tarn_shallow_def(water)->velocity_z);
    TarnStepReport report = advance(water, frame); // the first substep knows how fast it is
    assert_true(report.stable_dt < (double)def.courant * 0.5 / (1.5 * 4.0 * 1.9));
    assert_water_sane(water);
    assert_closed(water, 1000.0);
    tarn_shallow_destroy(water);
}

// As fast as it can be given: finite, bounded, no water lost.
static void test_fast(void** state)
{
    (void)state;
    for (int advection = 0; advection < 4; ++advection) {
        TarnShallowDef def = water_def();
        float u[4000];
        for (int c = 0; c < 4000; ++c) u[c] = c % 3 ? 1e4f : -1e4f;
        def.advection = advection;
        def.bed_fn = water_hills;
        def.level = 0.5f, def.has_level = true;
        def.max_depth = 1024.0f; // it piles up
        def.velocity = (TarnVec2){ 0.0f, -1e4f };
        def.velocity_x = u;
        TarnShallow* water = make_water(&def);
        for (int n = 0; n < 20; ++n) {
            advance(water, frame);
            assert_water_sane(water);
            assert_closed(water, 1e4);
        }
        tarn_shallow_destroy(water);
    }
}

static void test_bad_velocities(void** state)
{
    (void)state;
    const float bad[] = { NAN, INFINITY, -INFINITY, 1.01e4f, -1e30f };
    for (int n = 0; n < 10; ++n) {
        TarnShallowDef def = water_def();
        float speeds[4000] = { 0 };
        speeds[3517] = bad[n / 2];
        *(n % 2 ? &def.velocity_x : &def.velocity_z) = speeds;
        TarnShallow* out = (TarnShallow*)&memory;
        assert_result(tarn_shallow_create(ctx, &def, &out), TARN_ERR_DATA,
                      n % 2 ? "shallow.velocity_x: " : "shallow.velocity_z: ");
        assert_true(strstr(tarn_last_error(ctx), "cell (17, 35)") != NULL);
        assert_null(out);
    }
}

// A reset flows as the def says; a snapshot as it did; another velocity is another def.
static void test_velocity_state(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    def.level = 1.0f, def.has_level = true;
    def.velocity = (TarnVec2){ 0.5f, 0.0f };
    TarnShallow *water = make_water(&def), *copy = make_water(&def);
    uint64_t fresh = tarn_shallow_hash(water);
    advance_frames(water, 20);
    assert_true(u_of(water, 10, 20) != 0.5f);
    size_t size;
    uint8_t* snapshot = save_water(water, &size);
    assert_ok(tarn_shallow_load(copy, snapshot, size));
    assert_true(tarn_shallow_hash(copy) == tarn_shallow_hash(water));
    tarn_shallow_reset(water);
    assert_true(u_of(water, 50, 20) == 0.5f && u_of(water, 0, 20) == 0.0f);
    TarnShallow* other = make_water(&def);
    tarn_shallow_reset(other);
    advance_frames(water, 20), advance_frames(other, 20);
    assert_true(tarn_shallow_hash(water) == tarn_shallow_hash(other));
    tarn_shallow_destroy(other);
    def.velocity.x = 0.25f;
    other = make_water(&def);
    assert_true(tarn_shallow_hash(other) != fresh);
    assert_result(tarn_shallow_load(other, snapshot, size), TARN_ERR_DATA, "another def");
    free(snapshot);
    tarn_shallow_destroy(other);
    tarn_shallow_destroy(copy);
    tarn_shallow_destroy(water);
}

static void test_set_velocity(void** state)
{
    (void)state;
    TarnShallow* water = make_lake(1.0f);
    TarnVec2 a = { 30.0f, 5.0f }, b = { 20.0f, 15.0f }, v = { 0.5f, -0.25f };
    assert_ok(tarn_shallow_set_velocity(water, a, b, v));
    for (int c = 0; c < 4000; ++c) {
        int i = c % 100, k = c / 100;
        bool has_u = i >= 40 && i <= 60 && k >= 10 && k < 30;
        bool has_w = i >= 40 && i < 60 && k >= 10 && k <= 30;
        assert_true(u_of(water, i, k) == (has_u ? 0.5f : 0.0f));
        assert_true(w_of(water, i, k) == (has_w ? -0.25f : 0.0f));
    }
    uint64_t hash = tarn_shallow_hash(water);
    const float far_out[] = { NAN, INFINITY, -INFINITY, 1e30f };
    for (int n = 0; n < 8; ++n) {
        TarnVec2 bad = n < 4 ? (TarnVec2){ far_out[n], 1 } : (TarnVec2){ 1, far_out[n - 4] };
        const char* word = "tarn_shallow_set_velocity";
        assert_result(tarn_shallow_set_velocity(water, bad, b, v), TARN_ERR_ARG, word);
        assert_result(tarn_shallow_set_velocity(water, a, bad, v), TARN_ERR_ARG, word);
        assert_result(tarn_shallow_set_velocity(water, a, b, bad), TARN_ERR_ARG, word);
    }
    assert_true(tarn_shallow_hash(water) == hash);
    assert_int_equal(tarn_shallow_set_velocity(NULL, a, b, v), TARN_ERR_ARG);
    advance_frames(water, 200); // and a sleeping lake wakes up
    TarnVec2 far_away = { 1e6f, 1e6f }, fast = { 1e4f, 0.0f };
    assert_ok(tarn_shallow_set_velocity(water, far_away, far_away, v)); // outside: nothing
    assert_ok(tarn_shallow_set_velocity(water, a, b, fast));
    assert_true(u_of(water, 50, 20) == tarn_shallow_params(water).max_speed);
    advance_frames(water, 20);
    assert_water_sane(water);
    assert_closed(water, 1000.0);
    tarn_shallow_destroy(water);
    TarnShallowDef def = torus_def(); // around the edges, too
    water = make_water(&def);
    assert_ok(tarn_shallow_set_velocity(water, (TarnVec2){ -1e6f, -1e6f }, far_away, v));
    for (int c = 0; c < 4000; ++c)
        assert_true(u_of(water, c % 100, c / 100) == 0.5f &&
                    w_of(water, c % 100, c / 100) == -0.25f);
    tarn_shallow_destroy(water);
}

// ---- In scenes -----------------------------------------------------------------------------------

#define SCENE_HEAD                                                                                 \
    "{\"tarn\": 1, \"solvers\": [{\"kind\": \"shallow\", \"nx\": 100, \"nz\": 40, \"dx\": 0.5, "

static TarnResult make_scene(const char* text, TarnScene** scene)
{
    return tarn_scene_create(ctx, text, strlen(text), "t.json", NULL, 0, scene);
}

static void test_scenes(void** state)
{
    (void)state;
    const char* text = SCENE_HEAD "\"level\": 1, \"velocity\": [0.5, 0.25], \"pools\": ["
                                  "{\"a\": [0, 0], \"b\": [10, 20], \"level\": 2},"
                                  "{\"a\": [40, 0], \"b\": [50, 20], \"level\": 2, \"velocity\": "
                                  "[-1, 0]}]}]}";
    TarnScene* scene;
    assert_ok(make_scene(text, &scene));
    const TarnShallow* water = tarn_world_shallow(tarn_scene_world(scene), 0);
    for (int k = 1; k < 40; ++k) {
        for (int i = 1; i < 100; ++i) {
            bool is_own = i >= 80;
            assert_true(u_of(water, i, k) == (is_own ? -1.0f : 0.5f));
            assert_true(w_of(water, i, k) == (is_own ? 0.0f : 0.25f));
        }
    }
    for (int n = 0; n < 10; ++n) assert_ok(tarn_world_step(tarn_scene_world(scene), frame, NULL));
    assert_water_sane(water);
    tarn_scene_destroy(scene);
    const char* bad[][2] = {
        { SCENE_HEAD "\"velocity\": 1}]}", "shallow.velocity" },
        { SCENE_HEAD "\"velocity\": [1, 2, 3]}]}", "shallow.velocity" },
        { SCENE_HEAD "\"velocity\": [1, 20000]}]}", "shallow.velocity" },
        { SCENE_HEAD "\"pools\": [{\"velocity\": [0, -20000]}]}]}", "shallow.pools[0].velocity" },
        { SCENE_HEAD "\"pools\": [{\"velocity\": \"fast\"}]}]}", "shallow.pools[0].velocity" },
    };
    for (int n = 0; n < 5; ++n)
        assert_result(make_scene(bad[n][0], &scene), TARN_ERR_DATA, bad[n][1]);
}

// ---- Discharge -----------------------------------------------------------------------------------

// Hills, a river that comes in, an open edge, water poured in the middle.
static TarnShallow* make_river(TarnContext* where, int advection, int gravity_step, bool keeps,
                               bool is_torus)
{
    TarnShallowDef def = is_torus ? torus_def() : water_def();
    def.nx = 150;
    def.advection = advection;
    def.gravity_step = gravity_step;
    def.bed_fn = water_hills;
    def.level = 0.5f, def.has_level = true;
    def.use_discharge = keeps;
    if (!is_torus) def.edge_x1 = TARN_SHALLOW_OPEN, def.edge_z1 = TARN_SHALLOW_FALL;
    TarnShallow* water = make_water_in(where, &def);
    TarnShallowSpanDef span = span_of(TARN_SIDE_X0, TARN_SHALLOW_DISCHARGE, 3.0f);
    if (!is_torus) assert_ok(tarn_shallow_add_span(water, &span, NULL));
    assert_ok(tarn_shallow_add_water(water, water_middle, 5.0f, 60.0f, NULL));
    return water;
}

static void copy_depths(const TarnShallow* water, float* out)
{
    int nx = tarn_shallow_def(water)->nx, nz = tarn_shallow_def(water)->nz;
    for (int c = 0; c < nx * nz; ++c) out[c] = depth_of(water, c % nx, c / nx);
}

// The change of the volume in cells [i0, i1) x [k0, k1) is what came through the line around them.
static void assert_balance(const TarnShallow* water, const float* before, double dt, int i0, int i1,
                           int k0, int k1)
{
    const TarnShallowDef* def = tarn_shallow_def(water);
    TarnView2 x = tarn_shallow_discharge_x(water), z = tarn_shallow_discharge_z(water);
    double came = 0.0, passed = 0.0, gained = 0.0, dx = (double)def->dx;
    for (int k = k0; k < k1; ++k) {
        double in = (double)view_value(x, i0, k), out = (double)view_value(x, i1, k);
        came += in - out, passed += fabs(in) + fabs(out);
    }
    for (int i = i0; i < i1; ++i) {
        double in = (double)view_value(z, i, k0), out = (double)view_value(z, i, k1);
        came += in - out, passed += fabs(in) + fabs(out);
    }
    for (int k = k0; k < k1; ++k) {
        for (int i = i0; i < i1; ++i)
            gained += (double)depth_of(water, i, k) - (double)before[k * def->nx + i];
    }
    double gap = fabs(came * dt * dx - gained * dx * dx);
    if (gap <= 2e-7 * passed * dt * dx) return;
    print_error("cells %d to %d, %d to %d: %g m^3 came, %g stayed\n", i0, i1, k0, k1,
                came * dt * dx, gained * dx * dx);
    fail();
}

static void test_discharge_balance(void** state)
{
    (void)state;
    float before[150 * 40];
    for (int n = 0; n < 16; ++n) {
        bool is_torus = n & 4;
        int gravity_step = n & 8 ? TARN_GRAVITY_IMPLICIT : TARN_GRAVITY_EXPLICIT;
        TarnContext* where = make_context(1 + n % 3, n & 1 ? TARN_ISA_BASELINE : TARN_ISA_AUTO);
        TarnShallow* water = make_river(where, n % 4, gravity_step, true, is_torus);
        int most = 0;
        for (int s = 0; s < 60; ++s) {
            copy_depths(water, before);
            TarnStepReport report = advance(water, s % 5 == 4 ? 0.1f : frame);
            most = report.substeps > most ? report.substeps : most;
            assert_balance(water, before, report.time_advanced, 0, 150, 0, 40);
            for (int box = 0; box < 20; ++box) {
                int i0 = (int)uniform(0.0f, 149.0f), k0 = (int)uniform(0.0f, 39.0f);
                int i1 = i0 + 1 + (int)uniform(0.0f, (float)(149 - i0));
                int k1 = k0 + 1 + (int)uniform(0.0f, (float)(39 - k0));
                assert_balance(water, before, report.time_advanced, i0, i1, k0, k1);
            }
        }
        assert_true(most > 1 || gravity_step == TARN_GRAVITY_IMPLICIT);
        for (int k = 0; k < 40 && is_torus; ++k) // periodic: one face in two places
            assert_true(view_value(tarn_shallow_discharge_x(water), 0, k) ==
                        view_value(tarn_shallow_discharge_x(water), 150, k));
        tarn_shallow_destroy(water);
        tarn_context_destroy(where);
    }
}

static double largest(TarnView2 v)
{
    double most = 0.0;
    for (int k = 0; k < v.nz; ++k)
        for (int i = 0; i < v.nx; ++i) most = fmax(most, fabs((double)view_value(v, i, k)));
    return most;
}

// A tile that sleeps discharges nothing, and keeping the discharge changes nothing else.
static void test_discharge_view(void** state)
{
    (void)state;
    TarnShallow *water =
                    make_river(ctx, TARN_ADVECTION_MOMENTUM, TARN_GRAVITY_EXPLICIT, true, false),
                *plain =
                    make_river(ctx, TARN_ADVECTION_MOMENTUM, TARN_GRAVITY_EXPLICIT, false, false);
    TarnView2 x = tarn_shallow_discharge_x(plain), z = tarn_shallow_discharge_z(plain);
    assert_true(!x.data && !z.data && x.nx == 0 && z.nz == 0);
    x = tarn_shallow_discharge_x(water), z = tarn_shallow_discharge_z(water);
    assert_true(x.nx == 151 && x.nz == 40 && z.nx == 150 && z.nz == 41);
    assert_true(largest(x) == 0.0 && largest(z) == 0.0);
    advance_frames(water, 20), advance_frames(plain, 20);
    assert_true(tarn_shallow_hash(water) == tarn_shallow_hash(plain));
    assert_true(largest(x) > 0.1 && largest(z) > 0.1);
    double river = 0.0;
    for (int k = 0; k < 40; ++k) river += (double)view_value(x, 0, k) * 0.5;
    assert_float_equal(river, 3.0, 0.1); // what the span asks for [m^3/s]
    size_t size;
    uint8_t* snapshot = save_water(water, &size);
    assert_ok(tarn_shallow_load(water, snapshot, size));
    assert_true(largest(tarn_shallow_discharge_x(water)) == 0.0);
    advance_frames(water, 1);
    assert_true(largest(tarn_shallow_discharge_x(water)) > 0.1);
    assert_ok(tarn_shallow_shift(water, 1, 0));
    assert_true(largest(tarn_shallow_discharge_x(water)) == 0.0);
    advance_frames(water, 1);
    tarn_shallow_reset(water);
    assert_true(largest(tarn_shallow_discharge_z(water)) == 0.0);
    free(snapshot);
    tarn_shallow_destroy(water);
    tarn_shallow_destroy(plain);
}

static void test_discharge_asleep(void** state)
{
    (void)state;
    TarnShallowDef def = water_def();
    def.nx = 640, def.nz = 100;
    def.level = 1.0f, def.has_level = true;
    def.use_discharge = true;
    TarnShallow* water = make_water(&def);
    assert_ok(tarn_shallow_add_water(water, water_middle, 3.0f, 1.0f, NULL));
    float* before = malloc(640 * 100 * sizeof(float));
    bool slept = false;
    for (int s = 0; s < 200; ++s) {
        copy_depths(water, before);
        TarnStepReport report = advance(water, frame);
        slept |= report.tiles_awake < report.tiles_total;
        for (int tile = 0; tile < 10; ++tile)
            assert_balance(water, before, report.time_advanced, 64 * tile, 64 * tile + 64, 0, 32);
    }
    assert_true(slept);
    free(before);
    tarn_shallow_destroy(water);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ALONE(test_uniform),        TEST_ALONE(test_arrays),
        TEST_ALONE(test_fast),           TEST_ALONE(test_bad_velocities),
        TEST_ALONE(test_velocity_state), TEST_ALONE(test_set_velocity),
        TEST_ALONE(test_scenes),         TEST(test_discharge_balance),
        TEST_ALONE(test_discharge_view), TEST_ALONE(test_discharge_asleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
