// Worlds with gases: boxes that follow bodies, flights and their power, blended flows, curl noise, budgets,
// snapshots, arguments.

#include "scene_common.h"
#include "base/maths.h"
#include "tarn/show.h"
#include "world/world_internal.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

static const char flying[] =
    "{\"tarn\": 1, \"bodies\": [{\"name\": \"pilot\", \"shape\": \"capsule\","
    " \"size\": [0.2, 0.4], \"position\": [0, 1, 0], \"driven\": true,"
    " \"flight\": {\"amplitude\": [3, 4, 2], \"period\": 1.2, \"phase\": 0.4,"
    " \"start\": 0.5, \"stop\": 4, \"ramp\": 1}}],"
    " \"solvers\": [{\"kind\": \"particles\", \"max_particles\": 2000,"
    " \"drag\": 1, \"flow_drag\": 6, \"flow_gravity\": 0,"
    " \"emitters\": [{\"attach\": \"pilot\", \"throttle\": \"steady\","
    " \"rate\": 400, \"lifetime\": 2}]}, {\"kind\": \"gas\", \"nx\": 16,"
    " \"ny\": 16, \"nz\": 16, \"dx\": 0.15, \"use_temperature\": true,"
    " \"window\": {\"body\": \"pilot\", \"offset\": [0, -0.5, 0]},"
    " \"sources\": [{\"attach\": \"pilot\", \"throttle\": \"steady\","
    " \"size\": 0.3, \"temperature\": 100}], \"jets\": [{\"attach\": \"pilot\","
    " \"throttle\": \"steady\", \"direction\": [0, -1, 0], \"speed\": 5}]}]}";

static TarnBodyState pilot(TarnWorld* world)
{
    TarnBodyState s;
    TarnBodies* bodies = tarn_world_bodies(world);
    assert_int_equal(tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, 0), &s), TARN_OK);
    return s;
}

// ---- Flight --------------------------------------------------------------------------------------

// Smooth: positions follow from velocities, and the lean from the spin; on the ground before and after.
static void flights_are_smooth_and_land(void** state)
{
    (void)state;
    TarnWorldDef world_def = tarn_world_default_def();
    TarnBodyDef body = tarn_body_default_def();
    TarnFlightDef def = tarn_flight_default_def();
    const TarnVec3 rest = { 1.0f, 2.0f, 3.0f };
    TarnWorld* world;
    TarnFlights* flights;
    TarnBodyId id;
    def.amplitude = (TarnVec3){ 3.0f, 4.0f, 2.0f };
    def.period = 1.2f, def.start = 1.0f, def.stop = 9.0f, def.ramp = 1.5f;
    body.state.position = rest, body.is_driven = true;
    assert_int_equal(tarn_world_create(ctx, &world_def, &world), TARN_OK);
    assert_int_equal(tarn_flights_create(ctx, world, &flights), TARN_OK);
    assert_int_equal(tarn_world_add_body(world, &body, &id), TARN_OK);
    assert_int_equal(tarn_flights_add(flights, id, &def), TARN_OK);
    const float dt = 1.0f / 500.0f;
    float highest = 0.0f, widest = 0.0f, slip = 0.0f;
    while (tarn_world_time(world) < 9.5) {
        TarnMotion a = pilot(world), b;
        step(world, dt, 1);
        b = pilot(world);
        TarnVec3 v = vec3_scale(vec3_add(a.velocity, b.velocity), 0.5f * dt);
        assert_true(vec3_length(vec3_sub(vec3_sub(b.position, a.position), v)) < 5e-4f);
        float turn = vec3_length(vec3_add(a.angular_velocity, b.angular_velocity)) * 0.5f * dt;
        TarnQuat back = { -a.rotation.x, -a.rotation.y, -a.rotation.z, a.rotation.w };
        TarnQuat q = quat_multiply(b.rotation, back);
        float turned = 2.0f * vec3_length((TarnVec3){ q.x, q.y, q.z });
        slip = tarn_maxf(slip, fabsf(turned - turn));
        assert_true(a.position.y >= 2.0f - 1e-4f);
        highest = tarn_maxf(highest, a.position.y);
        widest = tarn_maxf(widest, fabsf(a.position.x - 1.0f));
        float power = world->throttle[0][TARN_THROTTLE_STEADY];
        double t = tarn_world_time(world);
        assert_true(power >= 0.0f && power <= 1.0f);
        if (t < 0.95 || t > 9.05) { // it stands, and its engine is off
            assert_memory_equal(&b.position, &rest, sizeof rest);
            assert_true(power == 0.0f);
        }
        if (fabs(t - 5.0) < 0.001) assert_true(power > 0.2f);
    }
    if (slip > 0.005f) print_error("slip %g rad in 2 ms\n", (double)slip);
    assert_true(slip < 0.005f);
    assert_true(highest > 4.0f && highest < 6.01f && widest > 0.8f && widest < 4.6f);
    tarn_flights_destroy(flights);
    tarn_world_destroy(world);
}

static void the_box_follows_and_power_counts(void** state)
{
    (void)state;
    TarnScene* scene = create(flying);
    TarnWorld* world = tarn_scene_world(scene);
    TarnGas* gas = tarn_world_gas(world, 0);
    assert_int_equal(tarn_world_gas_count(world), 1);
    step(world, 1.0f / 60, 20); // still on the ground: the engine is off
    assert_int_equal(tarn_particles_view(tarn_world_particles(world, 0)).n, 0);
    assert_true(tarn_gas_stats(gas).max_temperature == 0.0);
    for (int i = 0; i < 120; ++i) {
        step(world, 1.0f / 60, 1);
        TarnVec3 off = vec3_sub(tarn_gas_center(gas), pilot(world).position);
        off.y += 0.5f;
        assert_true(vec3_length(off) < 0.26f); // within a cell along each axis
    }
    assert_true(pilot(world).position.y > 1.4f);
    assert_true(tarn_particles_view(tarn_world_particles(world, 0)).n > 100);
    assert_true(tarn_gas_stats(gas).max_temperature > 1.0);
    assert_true(tarn_gas_stats(gas).max_speed > 1.0);
    step(world, 1.0f / 60, 60 * 5); // it has landed, and all has gone out
    assert_int_equal(tarn_particles_view(tarn_world_particles(world, 0)).n, 0);
    tarn_scene_destroy(scene);
}

static void snapshots(void** state)
{
    (void)state;
    TarnScene *a = create(flying), *b = create(flying);
    TarnWorld *wa = tarn_scene_world(a), *wb = tarn_scene_world(b);
    step(wa, 1.0f / 60, 70);
    size_t size;
    assert_int_equal(tarn_world_save(wa, NULL, 0, &size), TARN_ERR_CAPACITY);
    char* snapshot = malloc(size);
    assert_int_equal(tarn_world_save(wa, snapshot, size, &size), TARN_OK);
    assert_int_equal(tarn_world_load(wb, snapshot, size), TARN_OK);
    assert_true(tarn_world_hash(wa) == tarn_world_hash(wb));
    step(wa, 1.0f / 60, 40);
    step(wb, 1.0f / 60, 40);
    assert_true(tarn_world_hash(wa) == tarn_world_hash(wb));
    free(snapshot);
    tarn_scene_destroy(a);
    tarn_scene_destroy(b);
}

// Two boxes of wind over one another: what is in both is carried as by one.
static void overlapping_gases_count_once(void** state)
{
    (void)state;
    TarnWorld* world;
    TarnWorldDef world_def = tarn_world_default_def();
    assert_int_equal(tarn_world_create(ctx, &world_def, &world), TARN_OK);
    TarnGasDef def = tarn_gas_default_def();
    def.nx = def.ny = def.nz = 24;
    def.dx = 0.25f;
    for (int n = 0; n < 2; ++n) {
        TarnGas* gas;
        def.center = (TarnVec3){ 1.5f * (float)n, 0.0f, 0.0f };
        assert_int_equal(tarn_world_add_gas(world, &def, &gas), TARN_OK);
        TarnVec3* wind = malloc(sizeof *wind * 24 * 24 * 24);
        for (int i = 0; i < 24 * 24 * 24; ++i) wind[i] = (TarnVec3){ 2.0f, 0.0f, 0.0f };
        assert_int_equal(tarn_gas_set_fields(gas, wind, NULL, NULL, NULL), TARN_OK);
        free(wind);
    }
    TarnFlow flow = tarn_flow_blend(&world->flows);
    float x[3] = { 0.75f, -1.5f, 20.0f }, y[3] = { 0 }, z[3] = { 0 }, presence[3];
    TarnVec3 v[3];
    TarnFlowSamples out = { .velocity = v, .presence = presence };
    assert_int_equal(tarn_flow_query(flow, 3, x, y, z, &out), TARN_OK);
    assert_float_equal(v[0].x, 2.0f, 1e-3f);
    assert_float_equal(v[1].x, 2.0f, 1e-3f);
    assert_float_equal(presence[0], 1.0f, 1e-5f);
    assert_float_equal(presence[2], 0.0f, 1e-5f);
    tarn_world_destroy(world);
}

// The whole solver by transforms, too, which knows no obstacles: solids of the world are for others.
static void gases_without_obstacles_pass_solids_by(void** state)
{
    (void)state;
    TarnScene* scene =
        create("{\"tarn\": 1, \"solids\": [{\"size\": 0.5}],"
               " \"solvers\": [{\"kind\": \"gas\", \"nx\": 16, \"ny\": 16, \"nz\": 16,"
               " \"obstacles\": \"none\", \"pressure\": \"transform\","
               " \"edge_x0\": \"closed\", \"edge_x1\": \"closed\","
               " \"edge_y0\": \"closed\", \"edge_y1\": \"closed\","
               " \"edge_z0\": \"closed\", \"edge_z1\": \"closed\","
               " \"sources\": [{\"temperature\": 100}]}]}");
    TarnWorld* world = tarn_scene_world(scene);
    step(world, 1.0f / 60, 5);
    TarnGasStats stats = tarn_gas_stats(tarn_world_gas(world, 0));
    assert_true(stats.solid_cells == 0 && stats.max_speed > 0.01);
    tarn_scene_destroy(scene);
}

static void curl_noise_carries_particles(void** state)
{
    (void)state;
    TarnScene* scene = create("{\"tarn\": 1, \"world\": {\"gravity\": 0.001},"
                              " \"curl_noise\": {\"speed\": 2, \"size\": 0.8},"
                              " \"solvers\": [{\"kind\": \"particles\", \"drag\": 20,"
                              " \"emitters\": [{\"shape\": \"box\", \"size\": 2, \"rate\": 0,"
                              " \"burst\": 2000, \"speed\": 0, \"lifetime\": 9}]}]}");
    TarnWorld* world = tarn_scene_world(scene);
    step(world, 1.0f / 60, 30);
    TarnParticlesView v = tarn_particles_view(tarn_world_particles(world, 0));
    double sum = 0.0;
    for (int i = 0; i < v.n; ++i) {
        double x = (double)v.vx[i], y = (double)v.vy[i], z = (double)v.vz[i];
        sum += x * x + y * y + z * z;
    }
    double rms = sqrt(sum / v.n);
    assert_true(rms > 1.5 && rms < 2.3);
    assert_int_equal(tarn_world_set_curl_noise(world, NULL), TARN_OK);
    step(world, 1.0f / 60, 60); // still air
    assert_true(fabsf(v.vx[7]) < 0.01f);
    tarn_scene_destroy(scene);
}

static void a_budget_is_kept_and_given_back(void** state)
{
    (void)state;
    TarnScene* scene = create(flying);
    TarnWorld* world = tarn_scene_world(scene);
    TarnBudget budget = tarn_budget_default(5.0f);
    budget.max_level = 0; // the gas has one level
    assert_int_equal(tarn_world_set_budget(world, &budget), TARN_OK);
    for (int i = 0; i < 900; ++i) {
        if (i % 10 == 0)
            step(world, 1.0f / 60, 1); // which uses the setting; the costs alone choose it
        // It costs twice as much as it may at full detail, and less with every setting.
        float cost = 10.0f / (1.0f + (float)tarn_world_budget(world)->setting);
        assert_int_equal(tarn_world_note_cost(world, cost, 1.0f / 60), TARN_OK);
    }
    const TarnBudget* now = tarn_world_budget(world);
    assert_true(now->setting >= 1 && now->mean_ms <= 5.5f);
    int changes = now->changes;
    for (int i = 0; i < 600; ++i)
        assert_int_equal(tarn_world_note_cost(world, 4.6f, 1.0f / 60), TARN_OK);
    assert_int_equal(now->changes, changes); // no swinging to and fro
    for (int i = 0; i < 1200; ++i)
        assert_int_equal(tarn_world_note_cost(world, 0.5f, 1.0f / 60), TARN_OK);
    assert_int_equal(now->setting, 0);
    assert_int_equal(tarn_gas_params(tarn_world_gas(world, 0)).update_every, 1);
    tarn_scene_destroy(scene);
}

static void arguments(void** state)
{
    (void)state;
    TarnScene* scene = create(flying);
    TarnWorld* world = tarn_scene_world(scene);
    TarnGas* gas = tarn_world_gas(world, 0);
    TarnWindowDef window = tarn_window_default_def();
    assert_int_equal(tarn_world_set_window(world, gas, &window), TARN_OK);
    window.kind = TARN_WINDOW_BODY; // a null id
    assert_int_equal(tarn_world_set_window(world, gas, &window), TARN_ERR_ARG);
    window.body = (TarnBodyId){ 12345 };
    assert_int_equal(tarn_world_set_window(world, gas, &window), TARN_ERR_ARG);
    window.body = tarn_bodies_at(tarn_world_bodies(world), 0);
    window.offset.x = NAN;
    assert_int_equal(tarn_world_set_window(world, gas, &window), TARN_ERR_ARG);
    window.offset.x = 0.0f;
    assert_int_equal(tarn_world_set_window(world, gas, &window), TARN_OK);
    assert_int_equal(tarn_world_set_window(world, tarn_world_particles(world, 0), &window),
                     TARN_ERR_UNSUPPORTED);
    TarnGasJetDef jet = tarn_gas_jet_default_def();
    TarnBodyId body = window.body;
    assert_int_equal(tarn_world_attach(world, gas, "jets", 77, &jet, body, 0), TARN_ERR_ARG);
    assert_int_equal(tarn_world_attach(world, world, "jets", 77, &jet, body, 0), TARN_ERR_ARG);
    assert_int_equal(tarn_world_attach(world, gas, "jets", 77, &jet, body, 9), TARN_ERR_ARG);
    assert_int_equal(tarn_world_throttle(world, body, TARN_THROTTLE_NONE, 1), TARN_ERR_ARG);
    assert_int_equal(tarn_world_throttle(world, body, TARN_THROTTLE_STEADY, NAN), TARN_ERR_ARG);
    assert_null(tarn_world_gas(world, 1));
    assert_null(tarn_world_gas(world, -1));
    TarnGasDef def = tarn_gas_default_def();
    def.nx = def.ny = def.nz = 8;
    int room = tarn_world_def(world)->max_solvers;
    for (int n = tarn_world_count(world, NULL); n < room; ++n)
        assert_int_equal(tarn_world_add_gas(world, &def, NULL), TARN_OK);
    assert_int_equal(tarn_world_add_gas(world, &def, NULL), TARN_ERR_CAPACITY);
    tarn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(flights_are_smooth_and_land),
        TEST(the_box_follows_and_power_counts),
        TEST(snapshots),
        TEST(overlapping_gases_count_once),
        TEST(gases_without_obstacles_pass_solids_by),
        TEST(curl_noise_carries_particles),
        TEST(a_budget_is_kept_and_given_back),
        TEST(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
