// Flows that push the bodies of a world: the blast of `explosion`, the wash of `helicopter_dust`, wind, and what of it is
// hashed, saved and refused.

#include "scene_common.h"
#include "results.h"
#include "base/maths.h"
#include "tarn/coupling.h"
#include "tests/sanitized.h"

static const float frame = 1.0f / 60.0f; // [s]

static TarnScene* open_scene(const char* name, const TarnSceneOverride* overrides, int n)
{
    char path[256];
    TarnScene* scene;
    snprintf(path, sizeof path, "%s/%s.json", TARN_SCENES_DIR, name);
    assert_ok(tarn_scene_create_from_file(ctx, path, overrides, n, &scene));
    return scene;
}

static TarnBodyState state_of(TarnWorld* world, int n)
{
    TarnBodyState s;
    TarnBodies* bodies = tarn_world_bodies(world);
    assert_ok(tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, n), &s));
    return s;
}

static float distance(TarnVec3 a, TarnVec3 b)
{
    return vec3_length(vec3_sub(a, b));
}

// ---- Scenes ----------------------------------------------------------------------------------------

// A coarser fireball than the scene has: what throws the crates is the gas called blast.
#define COARSE                                                                                     \
    { "gas.nx", "40" }, { "gas.ny", "40" }, { "gas.nz", "40" },                                    \
    {                                                                                              \
        "gas.dx", "0.25"                                                                           \
    }

// Crates are thrown out of the fire, turn over, and lie on the ground in the end. With a gain of 1 the same gas leaves them.
static void test_explosion(void** state)
{
    (void)state;
    const TarnSceneOverride weak[] = { COARSE, { "blast.push.gain", "1" } };
    for (int is_weak = 0; is_weak < 2; ++is_weak) {
        enum { CRATES = 5 };
        TarnScene* scene = open_scene("explosion", weak, is_weak ? 5 : 4);
        TarnWorld* world = tarn_scene_world(scene);
        TarnVec3 begin[CRATES];
        float highest = 0.0f, fastest = 0.0f;
        int turned = 0;
        assert_int_equal(tarn_bodies_count(tarn_world_bodies(world)), CRATES);
        for (int n = 0; n < CRATES; ++n) begin[n] = state_of(world, n).position;
        for (int i = 0; i < (is_short_run() ? 8 : 180); ++i) {
            step(world, frame, 1);
            for (int n = 0; n < CRATES; ++n) {
                TarnBodyState s = state_of(world, n);
                highest = tarn_maxf(highest, s.position.y - begin[n].y);
                fastest = tarn_maxf(fastest, vec3_length(s.velocity));
            }
        }
        for (int n = 0; n < CRATES && !is_short_run(); ++n) {
            TarnBodyState s = state_of(world, n);
            TarnVec3 up = quat_rotate(s.rotation, (TarnVec3){ 0, 1, 0 });
            float way = distance(s.position, begin[n]), from_fire = vec3_length(s.position);
            assert_true(tarn__is_finite3(s.position));
            assert_true(vec3_length(s.velocity) < 0.05f && s.position.y > 0.2f);
            if (is_weak) assert_true(way < 0.5f);
            if (is_weak) continue;
            assert_true(s.position.y < 0.5f);            // on the ground, on one of its sides
            assert_true(way > 1.5f && from_fire > 4.0f); // it began 2 to 2.6 m from the fire
            assert_true(from_fire < 14.0f);              // still in the yard
            turned += fabsf(up.y) < 0.5f || up.y < 0.0f;
        }
        if (is_weak) assert_true(fastest < 2.0f);
        bool is_thrown = !is_weak && !is_short_run();
        if (is_thrown) assert_true(turned >= 1 && highest > 0.05f);
        if (is_thrown) assert_true(fastest > 4.0f && fastest < 30.0f);
        tarn_scene_destroy(scene);
    }
}

// The carton drifts away under a rotor that turns, and stays under one that does not.
static void test_helicopter(void** state)
{
    (void)state;
    // Air that stands need not be fine.
    const TarnSceneOverride off[] = { { "gas.jets[0].speed", "0" },
                                      { "gas.nx", "48" },
                                      { "gas.ny", "24" },
                                      { "gas.nz", "48" },
                                      { "gas.dx", "0.4" } };
    for (int is_off = 0; is_off < 2; ++is_off) {
        TarnScene* scene = open_scene("helicopter_dust", off, is_off ? 5 : 0);
        TarnWorld* world = tarn_scene_world(scene);
        int carton = tarn_bodies_count(tarn_world_bodies(world)) - 1;
        TarnVec3 begin = state_of(world, carton).position;
        step(world, frame, is_short_run() ? 8 : 180);
        TarnVec3 end = state_of(world, carton).position;
        float out =
            sqrtf(end.x * end.x + end.z * end.z) - sqrtf(begin.x * begin.x + begin.z * begin.z);
        assert_true(end.y > 0.2f && end.y < 0.6f);
        if (is_off || is_short_run())
            assert_true(distance(begin, end) < 0.02f);
        else
            assert_true(out > 0.7f); // away from the rotor
        tarn_scene_destroy(scene);
    }
}

// ---- Wind ------------------------------------------------------------------------------------------

static const char windy[] =
    "{\"tarn\": 1, \"world\": {\"gravity\": 0}, \"wind\": {\"velocity\": [8, 0, 0]},"
    " \"bodies\": [{\"shape\": \"box\", \"size\": 0.2, \"density\": 5, \"position\": [0, 1, 0]},"
    " {\"shape\": \"box\", \"size\": 0.2, \"density\": 5, \"position\": [20, 1, 0]}],"
    " \"solvers\": [{\"kind\": \"gas\", \"nx\": 16, \"ny\": 16, \"nz\": 16, \"dx\": 0.5,"
    " \"center\": [20, 1, 0], \"use_density\": false, \"obstacles\": \"none\"},"
    " {\"kind\": \"particles\", \"max_particles\": 100, \"flow_drag\": 10, \"flow_gravity\": 0,"
    " \"emitters\": [{\"shape\": \"point\", \"position\": [-5, 3, 0], \"rate\": 60, \"speed\": 0,"
    " \"lifetime\": 5}]}]}";

// It blows over the world and not into a gas, carries particles, comes to the speed that it has, and swells in gusts.
static void test_wind(void** state)
{
    (void)state;
    TarnScene* scene = create(windy);
    TarnWorld* world = tarn_scene_world(scene);
    const float x[3] = { 0, 20, NAN }, y[3] = { 5, 1, 0 }, z[3] = { 0, 0, 0 };
    TarnVec3 v[3];
    float p[3];
    TarnFlowSamples out = { .velocity = v, .presence = p };
    assert_ok(tarn_flow_query(tarn_world_air(world), 3, x, y, z, &out));
    assert_true(v[0].x == 8.0f && p[0] == 1.0f);
    assert_true(v[1].x == 0.0f && p[1] > 0.99f); // the air of the gas stands
    assert_true(p[2] == 0.0f);
    step(world, frame, 90); // before it comes to the gas
    assert_true(state_of(world, 0).velocity.x > 5.0f && state_of(world, 0).velocity.x < 8.0f);
    assert_true(state_of(world, 1).velocity.x < 0.5f);
    TarnParticles* particles = tarn_world_particles(world, 0);
    TarnParticlesView view = tarn_particles_view(particles);
    float farthest = -1e9f;
    for (int i = 0; i < view.n; ++i) farthest = tarn_maxf(farthest, view.x[i]);
    assert_true(view.n > 20 && farthest > 2.0f);
    TarnWindDef wind = tarn_wind_default_def();
    wind.velocity.x = 8.0f, wind.gusts = 0.5f, wind.gust_period = 2.0f;
    assert_ok(tarn_world_set_wind(world, &wind));
    float lo = 1e9f, hi = -1e9f;
    for (int i = 0; i < 600; ++i) {
        step(world, frame, 1);
        assert_ok(tarn_flow_query(tarn_world_air(world), 1, x, y, z, &out));
        lo = tarn_minf(lo, v[0].x), hi = tarn_maxf(hi, v[0].x);
    }
    assert_true(lo > 3.99f && lo < 5.5f && hi < 12.01f && hi > 10.5f);
    assert_ok(tarn_world_set_wind(world, NULL));
    assert_ok(tarn_flow_query(tarn_world_air(world), 1, x, y, z, &out));
    assert_true(p[0] == 0.0f);
    tarn_scene_destroy(scene);
}

// ---- A liquid and a host's flow --------------------------------------------------------------------

// Water of a world: below the surface of a height field and in a liquid, nowhere else; and it pushes through the same
// call as a flow that a host writes.
static void test_water(void** state)
{
    (void)state;
    TarnScene* scene = create(
        "{\"tarn\": 1, \"solvers\": [{\"kind\": \"shallow\", \"nx\": 16, \"nz\": 16, \"dx\": 1,"
        " \"origin\": [0, 0], \"level\": 2, \"velocity\": [1.5, 0],"
        " \"edge_x0\": \"absorbing\", \"edge_x1\": \"absorbing\"},"
        " {\"kind\": \"liquid\", \"dimensions\": 3, \"spacing\": 0.1, \"max_particles\": 4000,"
        " \"box_min\": [30, 0, 0], \"box_max\": [32, 2, 1],"
        " \"fill\": [{\"size\": [0.5, 0.5, 0.5], \"position\": [30.5, 0.5, 0.5], \"velocity\": [2, "
        "0, 0]}]}],"
        " \"wind\": {\"velocity\": [0, 0, 4]}}");
    TarnWorld* world = tarn_scene_world(scene);
    const float x[4] = { 8, 8, 8, 30.5f }, y[4] = { 1, 3, -1, 0.5f }, z[4] = { 8, 8, 8, 0.5f };
    TarnVec3 v[4];
    float p[4], rho[4];
    TarnFlowSamples out = { .velocity = v, .presence = p, .density = rho };
    assert_ok(tarn_flow_query(tarn_world_water(world), 4, x, y, z, &out));
    assert_true(p[0] == 1.0f && rho[0] == 1000.0f && p[1] == 0.0f && p[2] == 0.0f);
    assert_true(p[3] > 0.5f && rho[3] > 100.0f);
    assert_ok(tarn_flow_query(tarn_world_air(world), 4, x, y, z, &out));
    assert_true(p[0] == 0.0f && p[1] == 1.0f && v[1].z == 4.0f); // no wind under water
    // A box in the liquid: its flow pushes through tarn_couple_flow_bodies like any other.
    TarnBodies* bodies;
    TarnBodiesDef def = tarn_bodies_default_def();
    def.gravity = (TarnVec3){ 0, 0, 0 };
    assert_ok(tarn_bodies_create(ctx, &def, &bodies));
    TarnBodyDef box = tarn_body_default_def();
    box.shape = tarn_shape_box(0.1f, 0.1f, 0.1f),
    box.state.position = (TarnVec3){ 30.5f, 0.5f, 0.5f };
    TarnBodyId id;
    assert_ok(tarn_bodies_add(bodies, &box, &id));
    TarnFlowPush push = tarn_flow_push_default();
    TarnVec3 force, torque;
    TarnFlow flow = tarn_liquid_flow(tarn_world_liquid(world, 0));
    assert_ok(tarn_couple_flow_bodies(flow, &push, bodies, frame));
    assert_ok(tarn_bodies_get_added_force(bodies, id, &force, &torque));
    // q A v^2 C of water at 2 m/s is 80 N; over a frame its speed falls. Air would give 0.1 N.
    assert_true(force.x > 10.0f && force.x < 100.0f);
    tarn_bodies_destroy(bodies);
    tarn_scene_destroy(scene);
}

// ---- State and arguments ---------------------------------------------------------------------------

static TarnWorld* make_world(TarnGas** gas, TarnBodyId* body)
{
    TarnWorldDef def = tarn_world_default_def();
    TarnWorld* world;
    assert_ok(tarn_world_create(ctx, &def, &world));
    TarnGasDef g = tarn_gas_default_def();
    g.nx = g.ny = g.nz = 16, g.dx = 0.5f, g.use_density = false, g.center.x = 40.0f;
    assert_ok(tarn_world_add_gas(world, &g, gas));
    TarnBodyDef b = tarn_body_default_def();
    assert_ok(tarn_world_add_body(world, &b, body));
    return world;
}

static void save(const TarnWorld* world, void** data, size_t* size)
{
    tarn_world_save(world, NULL, 0, size);
    *data = malloc(*size);
    assert_ok(tarn_world_save(world, *data, *size, size));
}

// Each of push, wind and foil is in the hash and the snapshot: a load brings back what was set, and takes away what was not.
static void test_state(void** state)
{
    (void)state;
    TarnGas* gas;
    TarnBodyId body;
    TarnWorld* world = make_world(&gas, &body);
    TarnFlowPush push = tarn_flow_push_default();
    TarnWindDef wind = tarn_wind_default_def();
    TarnFoilDef sail = tarn_foil_default_def(), got;
    push.gain = 9.0f, wind.velocity.z = 3.0f, sail.area = 7.0f;
    uint64_t plain = tarn_world_hash(world), hash[4];
    void *before, *after;
    size_t before_size, after_size;
    save(world, &before, &before_size);
    assert_ok(tarn_world_set_push(world, gas, &push));
    hash[0] = tarn_world_hash(world);
    assert_ok(tarn_world_set_wind(world, &wind));
    hash[1] = tarn_world_hash(world);
    assert_ok(tarn_world_set_foil(world, body, 2, &sail));
    hash[2] = tarn_world_hash(world);
    sail.area = 8.0f;
    assert_ok(tarn_world_set_foil(world, body, 2, &sail));
    hash[3] = tarn_world_hash(world);
    assert_true(plain != hash[0] && hash[0] != hash[1] && hash[1] != hash[2] && hash[2] != hash[3]);
    save(world, &after, &after_size);
    step(world, frame, 30);
    uint64_t future = tarn_world_hash(world);
    TarnVec3 moved = state_of(world, 0).velocity;
    assert_true(moved.z > 0.01f);

    assert_ok(tarn_world_load(world, before, before_size));
    assert_true(tarn_world_hash(world) == plain);
    assert_result(tarn_world_get_foil(world, body, 2, &got, NULL), TARN_ERR_ARG, "foil");
    step(world, frame, 30);
    assert_true(fabsf(state_of(world, 0).velocity.z) < 1e-3f);
    assert_ok(tarn_world_load(world, after, after_size));
    assert_true(tarn_world_hash(world) == hash[3]);
    assert_ok(tarn_world_get_foil(world, body, 2, &got, NULL));
    assert_true(got.area == 8.0f);
    step(world, frame, 30);
    assert_true(tarn_world_hash(world) == future);
    // What goes with its body is in no hash, and its place is free.
    assert_ok(tarn_bodies_remove(tarn_world_bodies(world), body));
    assert_ok(tarn_world_set_wind(world, NULL));
    assert_ok(tarn_world_set_push(world, gas, NULL));
    assert_result(tarn_world_get_foil(world, body, 2, &got, NULL), TARN_ERR_ARG, "stale");
    free(before), free(after);
    tarn_world_destroy(world);
}

static void test_arguments(void** state)
{
    (void)state;
    TarnGas* gas;
    TarnBodyId body;
    TarnWorld* world = make_world(&gas, &body);
    TarnWaveDef def = tarn_wave_default_def();
    TarnWave* wave;
    assert_ok(tarn_world_add_wave(world, &def, &wave));
    uint64_t hash = tarn_world_hash(world);
    TarnFlowPush push = tarn_flow_push_default(), no_push = { 0 };
    TarnWindDef wind = tarn_wind_default_def(), no_wind = { 0 };
    TarnFoilDef sail = tarn_foil_default_def(), no_sail = { 0 };
    TarnBodyId null = { 0 };
    assert_int_equal(tarn_world_set_push(NULL, gas, &push), TARN_ERR_ARG);
    assert_result(tarn_world_set_push(world, NULL, &push), TARN_ERR_ARG, "solver");
    assert_result(tarn_world_set_push(world, gas, &no_push), TARN_ERR_ARG, "default");
    assert_result(tarn_world_set_push(world, wave, &push), TARN_ERR_UNSUPPORTED, "flow");
    push.gain = -1.0f;
    assert_result(tarn_world_set_push(world, gas, &push), TARN_ERR_ARG, "gain");
    push.gain = NAN;
    assert_result(tarn_world_set_push(world, gas, &push), TARN_ERR_ARG, "gain");
    assert_int_equal(tarn_world_set_wind(NULL, &wind), TARN_ERR_ARG);
    assert_result(tarn_world_set_wind(world, &no_wind), TARN_ERR_ARG, "default");
    wind.gusts = 1.5f;
    assert_result(tarn_world_set_wind(world, &wind), TARN_ERR_ARG, "gusts");
    wind.gusts = 0.0f, wind.velocity.y = INFINITY;
    assert_result(tarn_world_set_wind(world, &wind), TARN_ERR_ARG, "velocity");
    assert_int_equal(tarn_world_set_foil(NULL, body, 0, &sail), TARN_ERR_ARG);
    assert_result(tarn_world_set_foil(world, null, 0, &sail), TARN_ERR_ARG, "stale");
    assert_result(tarn_world_set_foil(world, body, 4, &sail), TARN_ERR_ARG, "foil 4");
    assert_result(tarn_world_set_foil(world, body, -1, &sail), TARN_ERR_ARG, "0 to 3");
    assert_result(tarn_world_set_foil(world, body, 0, &no_sail), TARN_ERR_ARG, "default");
    sail.stall = 2.0f;
    assert_result(tarn_world_set_foil(world, body, 0, &sail), TARN_ERR_ARG, "stall");
    assert_ok(tarn_world_set_foil(world, body, 0, NULL)); // there is none: nothing to do
    assert_null(tarn_world_air(NULL).query);
    assert_null(tarn_world_water(NULL).query);
    assert_true(tarn_world_hash(world) == hash);
    sail = tarn_foil_default_def();
    for (int n = 0; n < 64; ++n) { // 16 bodies with 4 each
        TarnBodyDef b = tarn_body_default_def();
        TarnBodyId id = tarn_bodies_at(tarn_world_bodies(world), n / 4);
        if (id.value == 0) assert_ok(tarn_world_add_body(world, &b, &id));
        assert_ok(tarn_world_set_foil(world, id, n % 4, &sail));
    }
    TarnBodyDef b = tarn_body_default_def();
    TarnBodyId last;
    assert_ok(tarn_world_add_body(world, &b, &last));
    assert_result(tarn_world_set_foil(world, last, 0, &sail), TARN_ERR_CAPACITY, "64");
    assert_ok(tarn_bodies_remove(tarn_world_bodies(world), body)); // frees four
    assert_ok(tarn_world_set_foil(world, last, 0, &sail));
    tarn_world_destroy(world);
}

static void refuse(const char* text, const char* word)
{
    TarnScene* scene;
    TarnResult result = create_with(text, strlen(text), NULL, 0, &scene);
    assert_true(result != TARN_OK && scene == NULL);
    if (strstr(tarn_last_error(ctx), word) == NULL) fail_msg("%s", tarn_last_error(ctx));
}

static void test_scene_keys(void** state)
{
    (void)state;
#define WAVE "{\"kind\": \"wave\", \"nx\": 16, \"nz\": 16"
#define BALL "\"bodies\": [{\"shape\": \"sphere\", \"size\": 0.5, "
    refuse("{\"tarn\": 1, \"solvers\": [" WAVE ", \"push\": {}}]}", "no flow");
    refuse("{\"tarn\": 1, \"solvers\": [{\"kind\": \"gas\", \"push\": {\"gian\": 2}}]}", "'gain'");
    refuse("{\"tarn\": 1, \"solvers\": [{\"kind\": \"gas\", \"push\": 3}]}", "object");
    refuse("{\"tarn\": 1, \"wind\": {\"velocity\": [1, 2]}}", "wind.velocity");
    refuse("{\"tarn\": 1, \"wind\": {\"speed\": 2}}", "speed");
    refuse("{\"tarn\": 1, \"wind\": [1, 0, 0]}", "wind");
    refuse("{\"tarn\": 1, \"solvers\": [{\"kind\": \"wave\", \"name\": \"wind\"}]}", "wind");
    refuse("{\"tarn\": 1, " BALL "\"foils\": {}}]}", "foils");
    refuse("{\"tarn\": 1, " BALL "\"foils\": [{\"area\": 0}]}]}", "bodies[0].foils[0].area");
    refuse("{\"tarn\": 1, " BALL "\"foils\": [{\"medium\": \"honey\"}]}]}", "medium");
    refuse("{\"tarn\": 1, " BALL "\"foils\": [{}, {}, {}, {}, {}]}]}", "at most 4");
    TarnScene* scene = create(
        "{\"tarn\": 1, " BALL "\"foils\": [{\"area\": 3}, {\"medium\": \"water\", \"sheet\": 0}]}],"
        " \"solvers\": [{\"kind\": \"gas\", \"nx\": 16, \"ny\": 16, \"nz\": 16,"
        " \"push\": {\"density\": 0}}]}");
    TarnWorld* world = tarn_scene_world(scene);
    TarnFoilDef foil;
    TarnBodyId id = tarn_bodies_at(tarn_world_bodies(world), 0);
    assert_ok(tarn_world_get_foil(world, id, 1, &foil, NULL));
    assert_true(foil.medium == TARN_FOIL_WATER && foil.sheet == 0.0f);
    tarn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_explosion), TEST(test_helicopter), TEST(test_wind),       TEST(test_water),
        TEST(test_state),     TEST(test_arguments),  TEST(test_scene_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
