// Solvers of scenes: names and references, several of a kind, what passes between them, what bodies carry, and a
// class of the host that no file of the library knows.

#include "scene_common.h"
#include "base/param.h"

// Any number of any solver, found by name; emitters and the camera say which they mean.
static void test_names(void** state)
{
    (void)state;
    TarnScene* scene = create(
        "{\"tarn\":1, \"view\": {\"solver\": \"stream\"}, \"solvers\": [\n"
        "{\"kind\": \"wave\", \"name\": \"pond\", \"nx\": 16, \"nz\": 16, \"damping\": 0.5},\n"
        "{\"kind\": \"wave\", \"nx\": 16, \"nz\": 16},\n"
        "{\"kind\": \"wave\", \"nx\": 16, \"nz\": 16},\n"
        "{\"kind\": \"shallow\", \"name\": \"stream\", \"nx\": 16, \"nz\": 16},\n"
        "{\"kind\": \"gas\", \"cosmetic\": true, \"carries\": false, \"nx\": 8, \"ny\": 8, \"nz\": "
        "8},\n"
        "{\"kind\": \"gas\", \"nx\": 8, \"ny\": 8, \"nz\": 8, \"look\": {\"glow\": 3}} ],\n"
        "\"emitters\": [{\"kind\": \"drop\"}, {\"kind\": \"drop\", \"in\": \"wave2\"},\n"
        "{\"kind\": \"drop\", \"in\": \"stream\"}, {\"kind\": \"source\"}]}");
    TarnWorld* world = tarn_scene_world(scene);
    void* pond = tarn_world_find(world, "pond");
    assert_int_equal(tarn_world_count(world, NULL), 6);
    assert_ptr_equal(pond, tarn_world_wave(world, 0));
    assert_float_equal(tarn_wave_params(pond).damping, 0.5, 0);
    assert_ptr_equal(tarn_world_find(world, "wave"), tarn_world_wave(world, 1));
    assert_ptr_equal(tarn_world_find(world, "wave2"), tarn_world_wave(world, 2));
    void* stream = tarn_world_find(world, "stream");
    assert_int_equal(tarn_scene_view(scene).solver, tarn_world_number(world, stream));
    void* targets[] = { pond, tarn_world_wave(world, 2), stream, stream };
    for (int i = 0; i < 4; ++i) {
        TarnEmitterDef def;
        assert_int_equal(tarn_world_get_emitter(world, tarn_world_emitter_at(world, i), &def),
                         TARN_OK);
        assert_int_equal(def.solver, tarn_world_number(world, targets[i]));
    }
    assert_true(tarn_world_is_cosmetic(world, tarn_world_find(world, "gas")));
    assert_false(tarn_world_is_cosmetic(world, tarn_world_find(world, "gas2")));
    assert_float_equal(tarn_scene_gas_look(scene, 1).glow, 3, 0);
    tarn_world_remove(world, tarn_world_find(world, "gas")); // the other one is the first now
    assert_float_equal(tarn_scene_gas_look(scene, 0).glow, 3, 0);
    assert_float_equal(tarn_scene_gas_look(scene, 1).glow, 0, 0);
    step(world, 1.0f / 60, 3);
    tarn_scene_destroy(scene);
}

// An emitter that names a solver disturbs that one alone; a name that nobody has is refused with the nearest one, and so is a
// number: numbers are for programs, overrides reach solvers by both.
static void test_emitters_by_name(void** state)
{
    (void)state;
    static const char text[] =
        "{\"tarn\":1, \"solvers\": [\n"
        "{\"kind\": \"wave\", \"name\": \"near\", \"nx\": 32, \"nz\": 32},\n"
        "{\"kind\": \"wave\", \"name\": \"far\", \"nx\": 32, \"nz\": 32}],\n"
        "\"emitters\": [{\"kind\": \"drop\", \"in\": %s, \"a\": [0.8, 0.8]}]}";
    static const char* const names[] = { "\"near\"", "\"far\"" };
    char scene_text[512];
    for (int i = 0; i < 2; ++i) {
        snprintf(scene_text, sizeof scene_text, text, names[i]);
        TarnScene* scene = create(scene_text);
        TarnWorld* world = tarn_scene_world(scene);
        step(world, 1.0f / 60, 6);
        for (int n = 0; n < 2; ++n) {
            TarnView2 view = tarn_wave_height(tarn_world_wave(world, n));
            float peak = 0.0f;
            for (int c = 0; c < 32 * 32; ++c)
                peak = fmaxf(peak, fabsf(view.data[c % 32 + view.stride * (c / 32)]));
            assert_true((peak > 1e-4f) == (n == i));
        }
        tarn_scene_destroy(scene);
    }
    static const char* const bad[][3] = { { "\"fat\"", "no solver is called 'fat'", "far" },
                                          { "2", "emitters[0].in", "string" } };
    for (int i = 0; i < 2; ++i) {
        TarnScene* scene;
        snprintf(scene_text, sizeof scene_text, text, bad[i][0]);
        assert_int_equal(create_with(scene_text, strlen(scene_text), NULL, 0, &scene),
                         TARN_ERR_DATA);
        for (int word = 1; word < 3; ++word)
            if (!strstr(tarn_last_error(ctx), bad[i][word])) fail_msg("%s", tarn_last_error(ctx));
    }
}

// Buildings and gates of all lands are found, each on its own ground.
static void test_many_lands(void** state)
{
    (void)state;
    TarnScene* scene = create(
        SOLVER "\"shallow\", \"nx\": 16, \"nz\": 16, \"dx\": 1,\n"
               "\"walls\": [{\"min\": [2, 2], \"max\": [4, 4], \"color\": [1, 0, 0]}],\n"
               "\"gates\": [{\"a\": [8, 0], \"b\": [9, 16], \"top\": 3}]},\n"
               "{\"kind\": \"shallow\", \"nx\": 16, \"nz\": 16, \"dx\": 1, \"origin\": [100, 0],\n"
               "\"terrain\": {\"kind\": \"flat\", \"base\": 5},\n"
               "\"walls\": [{\"min\": [102, 2], \"max\": [104, 4], \"color\": [0, 1, 0]}],\n"
               "\"gates\": [{\"a\": [108, 0], \"b\": [109, 16], \"top\": 9}]}],\n"
               "\"emitters\": [{\"kind\": \"gate\", \"in\": \"shallow2\", \"period\": 0.1}]}");
    TarnWorld* world = tarn_scene_world(scene);
    assert_int_equal(tarn_scene_block_count(scene), 4);
    assert_float_equal(tarn_scene_block_at(scene, 0).color.x, 1, 0);
    assert_float_equal(tarn_scene_block_at(scene, 2).color.y, 1, 0);
    float first = -1, second = -1;
    assert_true(tarn_scene_is_built(scene, 3, 3, &first));
    assert_true(tarn_scene_is_built(scene, 103, 3, &second));
    assert_false(tarn_scene_is_built(scene, 50, 3, NULL));
    assert_float_equal(first, 0, 1e-6);
    assert_float_equal(second, 5, 1e-3);
    step(world, 1.0f / 60, 12);
    assert_float_equal(tarn_shallow_gate_opening(tarn_world_shallow(world, 0), 0), 0, 0);
    assert_float_equal(tarn_shallow_gate_opening(tarn_world_shallow(world, 1), 0), 1, 1e-6);
    assert_true(tarn_scene_block_at(scene, 1).size.y > 1.0f);
    assert_true(tarn_scene_block_at(scene, 3).size.y < 0.01f);
    tarn_world_remove(world, tarn_world_shallow(world, 0));
    assert_int_equal(tarn_scene_block_count(scene), 2);
    assert_false(tarn_scene_is_built(scene, 3, 3, NULL));
    tarn_scene_destroy(scene);
}

// A channel between two waters and a source that draws from one: the world counts what passes.
static void test_water_passes(void** state)
{
    (void)state;
    TarnScene* scene = create(
        SOLVER
        "\"shallow\", \"name\": \"upper\", \"nx\": 24, \"nz\": 24, \"dx\": 0.25, \"level\": 1},\n"
        "{\"kind\": \"shallow\", \"name\": \"lower\", \"nx\": 24, \"nz\": 24, \"dx\": 0.25,\n"
        "\"origin\": [20, 0], \"level\": 0.2},\n"
        "{\"kind\": \"liquid\", \"spacing\": 0.1, \"max_particles\": 2000,\n"
        "\"box_min\": [-10, -1, -10], \"box_max\": [40, 20, 10], \"sources\": [\n"
        "{\"position\": [30, 4, 3], \"direction\": [0, 1, 0], \"radius\": 0.2, \"speed\": 2,\n"
        "\"draws\": {\"from\": \"upper\", \"place\": [3, 3], \"radius\": 1}}]}],\n"
        "\"channels\": [{\"from\": \"upper\", \"to\": \"lower\", \"from_place\": [2, 2],\n"
        "\"to_place\": [23, 3], \"flow\": 0.5}]}");
    TarnWorld* world = tarn_scene_world(scene);
    const TarnShallow *upper = tarn_world_find(world, "upper"),
                      *lower = tarn_world_find(world, "lower");
    double above = tarn_shallow_ledger(upper).volume, below = tarn_shallow_ledger(lower).volume;
    step(world, 1.0f / 60, 60);
    above -= tarn_shallow_ledger(upper).volume;
    below = tarn_shallow_ledger(lower).volume - below;
    assert_float_equal(below, 0.5, 0.02); // m^3 in a second
    assert_true(above > below + 0.03);    // the source takes from there, too
    tarn_scene_destroy(scene);
}

// A flight is the scene's, and what the body carries follows its throttle.
static void test_flight(void** state)
{
    (void)state;
    TarnScene* scene = create(
        SOLVER
        "\"particles\", \"max_particles\": 3000, \"emitters\": [\n"
        "{\"attach\": \"pilot\", \"throttle\": \"steady\", \"rate\": 1000, \"lifetime\": 9}]}],\n"
        "\"bodies\": [{\"name\": \"pilot\", \"driven\": true, \"flight\":\n"
        "{\"amplitude\": [1, 3, 1], \"start\": 0.5, \"stop\": 9, \"ramp\": 0.5}}]}");
    TarnWorld* world = tarn_scene_world(scene);
    const TarnParticles* particles = tarn_world_particles(world, 0);
    step(world, 1.0f / 60, 28);
    assert_int_equal(tarn_particles_view(particles).n, 0); // it stands
    step(world, 1.0f / 60, 60);
    TarnBodyState s;
    tarn_bodies_get_state(tarn_world_bodies(world), tarn_bodies_at(tarn_world_bodies(world), 0),
                          &s);
    assert_true(s.position.y > 0.2f);
    assert_true(tarn_particles_view(particles).n > 50);
    tarn_scene_destroy(scene);
}

// A preset brings a source of its own, which overrides reach like one in the file.
static void test_preset_parts(void** state)
{
    (void)state;
    const TarnSceneOverride good = { "gas.sources[0].temperature", "77" },
                            bad = { "gas.sources[1].temperature", "77" };
    const char* text =
        SOLVER "\"gas\", \"preset\": \"smoke\", \"nx\": 16, \"ny\": 16, \"nz\": 16}]}";
    TarnScene* scene;
    assert_int_equal(create_with(text, strlen(text), &good, 1, &scene), TARN_OK);
    tarn_scene_destroy(scene);
    assert_int_equal(create_with(text, strlen(text), &bad, 1, &scene), TARN_ERR_ARG);
    assert_string_equal(tarn_last_error(ctx),
                        "override 'gas.sources[1].temperature': gas.sources has 1 "
                        "items, counted from 0");
}

// ---- A class of the host -------------------------------------------------------------------------

typedef struct TapDef {
    float flow;
    uint32_t cookie;
} TapDef;
typedef struct TankDef {
    float size, gravity;
    int max_taps;
    uint32_t cookie;
} TankDef;
typedef struct TankParams {
    float leak;
} TankParams;
typedef struct Tank {
    TankDef def;
    TankParams params;
    float level, inflow;
    int n_taps;
} Tank;

static const TarnParam tap_params[] = { P_FLOAT(TapDef, flow, "m/s", 0, 10, 1,
                                                "How fast it fills.") };
static const TarnParam tank_def_params[] = {
    P_FLOAT(TankDef, size, "m", 0.1, 10, 1, "Height of the tank."),
    P_FLOAT(TankDef, gravity, "m/s^2", 0, 100, 9.81, "Downwards."),
    P_INT(TankDef, max_taps, "", 0, 8, 1, "Room for taps."),
};
static const TarnParam tank_params[] = { P_FLOAT(TankParams, leak, "1/s", 0, 10, 0.5,
                                                 "Share that runs out.") };
static const TarnParamTable tap_table = PARAM_TABLE("tap", TapDef, tap_params);
static const TarnParamTable tank_def_table = PARAM_TABLE("tank", TankDef, tank_def_params);
static const TarnParamTable tank_params_table = PARAM_TABLE("tank", TankParams, tank_params);

static const TarnParamTable* tap_table_of(void)
{
    return &tap_table;
}
static const TarnParamTable* tank_table_of(void)
{
    return &tank_def_table;
}
static const TarnParamTable* tank_params_of(void)
{
    return &tank_params_table;
}
static void tap_init(void* def)
{
    *(TapDef*)def = (TapDef){ .flow = 1, .cookie = 7 };
}
static void tank_init(void* def)
{
    *(TankDef*)def = (TankDef){ 1, 9.81f, 1, 8 };
}
static TarnResult tank_create(TarnContext* where, const void* def, void** out)
{
    Tank* tank = tarn__alloc(where, sizeof(Tank));
    if (tank == NULL) return TARN_ERR_MEMORY;
    tank->def = *(const TankDef*)def;
    tank->params.leak = 0.5f;
    *out = tank;
    return tank->def.cookie == 8 ? TARN_OK : TARN_ERR_ARG;
}
static void tank_destroy(void* solver)
{
    if (solver) tarn__free(ctx, solver, sizeof(Tank));
}
static TarnResult tank_step(void* solver, const TarnAround* around, float dt,
                            TarnStepReport* report)
{
    (void)around;
    Tank* tank = solver;
    tank->level += dt * (tank->inflow - tank->params.leak * tank->level);
    *report = (TarnStepReport){ .substeps = 1, .time_advanced = dt, .stable_dt = 10 };
    return TARN_OK;
}
static uint64_t tank_hash(const void* solver)
{
    return tarn_hash(&((const Tank*)solver)->level, sizeof(float), 1);
}
static TarnResult tank_save(const void* solver, void* buffer, size_t capacity, size_t* size)
{
    *size = sizeof(Tank);
    if (capacity < sizeof(Tank)) return TARN_ERR_CAPACITY;
    memcpy(buffer, solver, sizeof(Tank));
    return TARN_OK;
}
static TarnResult tank_load(void* solver, const void* buffer, size_t size)
{
    if (size != sizeof(Tank)) return TARN_ERR_DATA;
    memcpy(solver, buffer, size);
    return TARN_OK;
}
static void tank_reset(void* solver)
{
    ((Tank*)solver)->level = 0;
}
static size_t tank_memory(const void* def)
{
    (void)def;
    return sizeof(Tank);
}
static const void* tank_def_of(const void* solver)
{
    return &((const Tank*)solver)->def;
}
static void tank_get(const void* solver, void* params)
{
    *(TankParams*)params = ((const Tank*)solver)->params;
}
static TarnResult tank_set(void* solver, const void* params)
{
    ((Tank*)solver)->params = *(const TankParams*)params;
    return TARN_OK;
}
static TarnResult tap_add(void* solver, const void* def, uint64_t* id)
{
    Tank* tank = solver;
    if (tank->n_taps == tank->def.max_taps || ((const TapDef*)def)->cookie != 7)
        return TARN_ERR_ARG;
    tank->inflow += ((const TapDef*)def)->flow;
    *id = (uint64_t)++tank->n_taps;
    return TARN_OK;
}

static const TarnListClass tank_lists[] = {
    { .name = "taps", .table = tap_table_of, .init = tap_init, .add = tap_add }
};
static const TarnSolverClass tank_class = { .size = sizeof(TarnSolverClass),
                                            .name = "tank",
                                            .about = "A tank that leaks.",
                                            .phase = TARN_PHASE_WATERS,
                                            .def_table = tank_table_of,
                                            .init_def = tank_init,
                                            .create = tank_create,
                                            .destroy = tank_destroy,
                                            .step = tank_step,
                                            .hash = tank_hash,
                                            .save = tank_save,
                                            .load = tank_load,
                                            .reset = tank_reset,
                                            .memory = tank_memory,
                                            .def = tank_def_of,
                                            .params_table = tank_params_of,
                                            .get_params = tank_get,
                                            .set_params = tank_set,
                                            .lists = tank_lists,
                                            .n_lists = 1 };

static void test_own_class(void** state)
{
    (void)state;
    const char* text =
        SOLVER "\"tank\", \"size\": 2, \"leak\": 0.25, \"taps\": [{\"flow\": 3}, {}]}]}";
    const TarnSceneOverride leak = { "tank.leak", "1.5" }, tap = { "solvers[0].taps[1].flow", "4" };
    const TarnSceneOverride overrides[] = { leak, tap };
    TarnScene* scene;
    assert_int_equal(create_with(text, strlen(text), NULL, 0, &scene), TARN_ERR_DATA);
    assert_non_null(strstr(tarn_last_error(ctx), "solvers[0].kind: 'tank' is not one of: wave, "));
    int n = tarn_scene_tables(ctx, NULL, 0);
    assert_int_equal(tarn_solver_register(ctx, &tank_class), TARN_OK);
    assert_int_equal(tarn_scene_tables(ctx, NULL, 0), n + 3);

    if (create_with(text, strlen(text), overrides, 2, &scene) != TARN_OK)
        fail_msg("%s", tarn_last_error(ctx));
    TarnWorld* world = tarn_scene_world(scene);
    Tank* tank = tarn_world_find(world, "tank");
    assert_float_equal(tank->def.size, 2, 0);
    assert_float_equal(tank->def.gravity, 9.81, 1e-5); // the world's
    assert_float_equal(tank->params.leak, 1.5, 0);
    assert_int_equal(tank->def.max_taps, 2); // grown
    assert_float_equal(tank->inflow, 7, 0);
    step(world, 0.01f, 1000);
    assert_float_equal(tank->level, 7 / 1.5, 1e-3);
    tarn_scene_destroy(scene);

    static const struct {
        const char *text, *message;
    } bad[] = {
        { SOLVER "\"tank\", \"size\": 20}]}",
          "t.json:2:38: tank.size: 20 m is out of range; allowed: 0.1 to 10 m" },
        { SOLVER "\"tank\", \"leek\": 1}]}",
          "t.json:2:30: unknown key 'leek' in tank; did you mean 'leak'?" },
        { SOLVER "\"tank\", \"taps\": [{\"flw\": 1}]}]}",
          "t.json:2:40: unknown key 'flw' in tank.taps[0]; did you mean 'flow'?" },
        { SOLVER "\"tank\", \"taps\": [{\"attach\": \"x\"}]}]}",
          "t.json:2:40: unknown key 'attach' in tank.taps[0]; docs/scenes.md lists the keys" },
        { SOLVER "\"tank\", \"max_taps\": 1,\n\"taps\": [{}, {}]}]}",
          "t.json:3:9: tank.taps: 2 are more than tank.max_taps allows, 1" },
        { SOLVER "\"tank\"}], \"emitters\": [{\"in\": \"tank\"}]}",
          "t.json:2:45: emitters[0].kind: the tank solver does not support 'drop' emitters" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        assert_int_equal(create_with(bad[i].text, strlen(bad[i].text), NULL, 0, &scene),
                         TARN_ERR_DATA);
        assert_string_equal(tarn_last_error(ctx), bad[i].message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),      cmocka_unit_test(test_emitters_by_name),
        cmocka_unit_test(test_many_lands), cmocka_unit_test(test_water_passes),
        cmocka_unit_test(test_flight),     cmocka_unit_test(test_preset_parts),
        cmocka_unit_test(test_own_class),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
