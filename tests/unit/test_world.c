// Worlds: snapshots, steps of any length, emitters, drivers, handles. Built from scenes, because that is
// the shortest way to say what is in them.

#include "scene_common.h"
#include "base/snapshot.h"

static float height_at(TarnWorld* world, float x, float z)
{
    return tarn_surface_height(tarn_world_surface(world), x, z);
}

// ---- Snapshots -----------------------------------------------------------------------------------

static char* save(const TarnWorld* world, size_t* size)
{
    assert_int_equal(tarn_world_save(world, NULL, 0, size), TARN_ERR_CAPACITY);
    char* buffer = malloc(*size);
    assert_int_equal(tarn_world_save(world, buffer, *size - 1, size), TARN_ERR_CAPACITY);
    assert_int_equal(tarn_world_save(world, buffer, *size, size), TARN_OK);
    return buffer;
}

static void save_and_load(const char* text)
{
    TarnScene *a = create(text), *b = create(text);
    TarnWorld *wa = tarn_scene_world(a), *wb = tarn_scene_world(b);
    assert_true(tarn_world_hash(wa) == tarn_world_hash(wb));
    step(wa, 1.0f / 60, 50);
    size_t size;
    char* snapshot = save(wa, &size);
    uint64_t hash = tarn_world_hash(wa);
    step(wa, 1.0f / 60, 50);
    uint64_t future = tarn_world_hash(wa);

    step(wb, 1.0f / 30, 7); // somewhere else
    assert_int_equal(tarn_world_load(wb, snapshot, size), TARN_OK);
    assert_true(tarn_world_hash(wb) == hash);
    assert_float_equal(tarn_world_time(wb), 50.0 / 60, 1e-6);
    step(wb, 1.0f / 60, 50);
    assert_true(tarn_world_hash(wb) == future);

    assert_int_equal(tarn_world_load(wa, snapshot, size), TARN_OK); // back in time
    assert_true(tarn_world_hash(wa) == hash);
    step(wa, 1.0f / 60, 50);
    assert_true(tarn_world_hash(wa) == future);
    free(snapshot);
    tarn_scene_destroy(a);
    tarn_scene_destroy(b);
}

// A world with every kind of water at once.
static const char* const all_waters =
    HEAD "\"solvers\":[{\"kind\":\"wave\",\"nx\":32,\"nz\":24},"
         "{\"kind\":\"shallow\",\"nx\":32,\"nz\":32,\"dx\":1,\"rain\":50,"
         "\"level\":2,\"use_bodies\":false},{\"kind\":\"pipes\",\"nx\":32,\"nz\":24,"
         "\"rain\":100}],\"bodies\":[{\"size\":0.2,\"density\":200,"
         "\"position\":[0.5,0.5,0.5]}],\"emitters\":[{\"kind\":\"rain\",\"b\":[1,"
         "1]},{\"kind\":\"source\",\"a\":[8,8]},{\"kind\":\"jet\",\"a\":[8,8]}]}";

static void test_save_and_load(void** state)
{
    (void)state;
    save_and_load(everything);
    save_and_load(flowing);
    save_and_load(carving);
    save_and_load(all_waters);
}

// Emitters come and go with the snapshot; their ids, too.
static void test_load_emitters(void** state)
{
    (void)state;
    TarnScene* scene = create(everything);
    TarnWorld* world = tarn_scene_world(scene);
    TarnEmitterDef def = tarn_emitter_default_def();
    TarnEmitterId id, later;
    assert_int_equal(tarn_world_add_emitter(world, &def, &id), TARN_OK);
    size_t size;
    uint64_t hash = tarn_world_hash(world);
    char* snapshot = save(world, &size);
    assert_int_equal(tarn_world_remove_emitter(world, id), TARN_OK);
    assert_true(tarn_world_hash(world) != hash);
    assert_int_equal(tarn_world_add_emitter(world, &def, &later), TARN_OK);
    assert_int_equal(tarn_world_load(world, snapshot, size), TARN_OK);
    assert_true(tarn_world_hash(world) == hash);
    assert_int_equal(tarn_world_remove_emitter(world, later), TARN_ERR_ARG);
    assert_int_equal(tarn_world_remove_emitter(world, id), TARN_OK);
    free(snapshot);
    tarn_scene_destroy(scene);
}

// The hashes of the outer header again, so that the damage inside is reached.
static void repair(char* snapshot, size_t size)
{
    uint64_t payload = size - TARN_SNAPSHOT_HEADER;
    uint64_t hash = tarn_hash(snapshot + TARN_SNAPSHOT_HEADER, payload, 0);
    memcpy(snapshot + 32, &payload, 8);
    memcpy(snapshot + 40, &hash, 8);
    hash = tarn_hash(snapshot, 48, 1);
    memcpy(snapshot + 48, &hash, 8);
}

static void damage_snapshots(const char* text)
{
    TarnScene* scene = create(text);
    TarnWorld* world = tarn_scene_world(scene);
    step(world, 1.0f / 60, 30);
    size_t size;
    char* good = save(world, &size);
    char* bad = malloc(size + 64);
    step(world, 1.0f / 60, 5);
    uint64_t hash = tarn_world_hash(world);

    for (size_t n = 0; n < size; n += n < 200 ? 1 : 4099) { // cut short
        assert_int_not_equal(tarn_world_load(world, good, n), TARN_OK);
        memcpy(bad, good, n);
        if (n >= TARN_SNAPSHOT_HEADER) {
            repair(bad, n);
            assert_int_equal(tarn_world_load(world, bad, n), TARN_ERR_DATA);
        }
    }
    memcpy(bad, good, size);
    memset(bad + size, 0, 64); // too long
    repair(bad, size + 64);
    assert_int_equal(tarn_world_load(world, bad, size + 64), TARN_ERR_DATA);
    for (uint64_t n = 0; n < 400; ++n) { // one bit turned
        size_t at = n < 100 ? n : tarn__random(1, 2, n) % size;
        memcpy(bad, good, size);
        bad[at] ^= (char)(1 << n % 8);
        assert_int_not_equal(tarn_world_load(world, bad, size), TARN_OK);
    }
    assert_true(tarn_world_hash(world) == hash);

    // The bodies are good and the last water is not: the bodies must come back.
    memcpy(bad, good, size);
    bad[size - 5] ^= 16;
    repair(bad, size);
    assert_int_equal(tarn_world_load(world, bad, size), TARN_ERR_DATA);
    assert_true(tarn_world_hash(world) == hash);
    // Damage in the world's own part: accepted only if it is a state that a run could have.
    for (uint64_t n = 0; n < 600; ++n) {
        memcpy(bad, good, size);
        bad[TARN_SNAPSHOT_HEADER + n] ^= (char)(1 << n % 8);
        repair(bad, size);
        if (tarn_world_load(world, bad, size) != TARN_OK) continue;
        step(world, 1.0f / 60, 1);
        assert_true(is_finite_world(world));
    }
    assert_int_equal(tarn_world_load(world, NULL, 0), TARN_ERR_DATA);
    free(good);
    free(bad);
    tarn_scene_destroy(scene);
}

static void test_damaged_snapshots(void** state)
{
    (void)state;
    damage_snapshots(everything);
    damage_snapshots(flowing);
    damage_snapshots(all_waters); // the last water refuses: all that was loaded comes back
}

static void test_load_elsewhere(void** state)
{
    (void)state;
    TarnScene *a = create(everything),
              *b = create(HEAD "\"solvers\":[{\"kind\":\"wave\",\"nx\":8,\"nz\":8}]}");
    size_t size;
    char* snapshot = save(tarn_scene_world(a), &size);
    uint64_t hash = tarn_world_hash(tarn_scene_world(b));
    assert_int_equal(tarn_world_load(tarn_scene_world(b), snapshot, size), TARN_ERR_DATA);
    assert_true(tarn_world_hash(tarn_scene_world(b)) == hash);
    free(snapshot);
    tarn_scene_destroy(a);
    tarn_scene_destroy(b);
}

// A window that has moved: the walls of the bodies go with it, also through a snapshot.
static void test_shifted_window(void** state)
{
    (void)state;
    TarnScene* scene =
        create(HEAD "\"solvers\":[{\"kind\":\"wave\",\"nx\":32,\"nz\":32,\"dx\":0.5}],"
                    "\"bodies\":[{\"size\":0.5,\"position\":[1,0.2,8]}]}");
    TarnWorld* world = tarn_scene_world(scene);
    TarnBodies* bodies = tarn_world_bodies(world);
    size_t size, after_size;
    step(world, 1.0f / 60, 3);
    char* before = save(world, &size);
    uint64_t hash = tarn_world_hash(world);
    assert_int_equal(tarn_wave_shift(tarn_world_wave(world, 0), 4, 0), TARN_OK); // walls at x = 2
    step(world, 1.0f / 60, 120);
    TarnBodyState s;
    tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, 0), &s);
    assert_true(s.position.x < 2.0f); // it is outside now, and walls do not carry it along
    uint64_t moved = tarn_world_hash(world);
    char* after = save(world, &after_size);
    assert_int_equal(tarn_world_load(world, before, size), TARN_OK);
    assert_true(tarn_world_hash(world) == hash);
    assert_int_equal(tarn_world_load(world, after, after_size), TARN_OK);
    assert_true(tarn_world_hash(world) == moved);
    free(before);
    free(after);
    tarn_scene_destroy(scene);
}

// A window that follows a body over endless ground, also through a snapshot, until the body is gone.
static void test_window(void** state)
{
    (void)state;
    TarnScene* scene =
        create(HEAD "\"solvers\":[{\"kind\":\"shallow\",\"nx\":32,\"nz\":32,\"dx\":1,"
                    "\"origin\":[-16,-16],\"level\":0,\"terrain\":{\"kind\":\"slope\","
                    "\"slope\":0.001,\"base\":-2},\"edge_x0\":\"open\",\"edge_x1\":\"open\","
                    "\"edge_z0\":\"open\",\"edge_z1\":\"open\",\"window\":{\"body\":\"tug\","
                    "\"slack\":0.1}}],\"bodies\":[{\"size\":0.5},{\"name\":\"tug\","
                    "\"driven\":true,\"size\":0.5,\"position\":[0,0,20],"
                    "\"driver\":{\"kind\":\"circle\",\"radius\":20,\"speed\":10}}]}");
    TarnWorld* world = tarn_scene_world(scene);
    TarnShallow* water = tarn_world_shallow(world, 0);
    TarnVec3 target;
    size_t size;
    step(world, 1.0f / 60, 60);
    char* snapshot = save(world, &size);
    uint64_t hash = tarn_world_hash(world);
    for (int n = 0; n < 300; ++n) {
        step(world, 1.0f / 60, 1);
        TarnVec2 origin = tarn_shallow_origin(water);
        assert_true(tarn_world_window_target(world, water, &target));
        assert_true(fabsf(target.x - origin.x - 16) < 0.1f * 32 + 0.7f);
        assert_true(fabsf(target.z - origin.y - 16) < 0.1f * 32 + 0.7f);
        assert_true(origin.x == floorf(origin.x) && origin.y == floorf(origin.y));
    }
    assert_int_equal(tarn_world_load(world, snapshot, size), TARN_OK);
    assert_true(tarn_world_hash(world) == hash);
    assert_true(tarn_world_window_target(world, water, &target));
    step(world, 1.0f / 60, 30);
    TarnBodyId tug = tarn_bodies_at(tarn_world_bodies(world), 1);
    assert_int_equal(tarn_bodies_remove(tarn_world_bodies(world), tug), TARN_OK);
    assert_false(tarn_world_window_target(world, water, &target));
    TarnVec2 before = tarn_shallow_origin(water);
    step(world, 1.0f / 60, 10);
    TarnVec2 after = tarn_shallow_origin(water);
    assert_true(before.x == after.x && before.y == after.y);
    free(snapshot);

    TarnWindowDef def = tarn_window_default_def();
    def.kind = TARN_WINDOW_PATH;
    def.a = (TarnVec2){ 100, 0 };
    def.b = (TarnVec2){ 100, 50 };
    def.speed = 10;
    assert_int_equal(tarn_world_set_window(world, water, &def), TARN_OK);
    step(world, 1.0f / 60, 120); // t = 3 s
    assert_true(tarn_world_window_target(world, water, &target));
    assert_float_equal(target.x, 100, 1e-4);
    assert_float_equal(target.z, 10 * tarn_world_time(world), 1e-3);
    step(world, 1.0f / 60, 300);
    assert_true(tarn_world_window_target(world, water, &target));
    assert_float_equal(target.z, 50, 1e-4); // the end
    def.kind = TARN_WINDOW_BODY;
    assert_int_equal(tarn_world_set_window(world, water, &def), TARN_ERR_ARG); // a null id
    def.cookie = 0;
    assert_int_equal(tarn_world_set_window(world, water, &def), TARN_ERR_ARG);
    assert_int_equal(tarn_world_set_window(NULL, water, &def), TARN_ERR_ARG);
    assert_int_equal(tarn_world_set_window(world, scene, &def), TARN_ERR_ARG); // no solver of it
    assert_false(tarn_world_window_target(NULL, water, &target));
    assert_false(tarn_world_window_target(world, scene, &target));
    tarn_scene_destroy(scene);
}

// ---- Steps ---------------------------------------------------------------------------------------

static void test_steps_of_any_length(void** state)
{
    (void)state;
    static const struct {
        float dt;
        double advanced;
        int least_substeps;
        bool is_cut;
    } steps[] = {
        { 0.0f, 0.0, 0, false },           { 1e-6f, 1e-6, 1, false },
        { 1.0f / 60, 1.0 / 60, 1, false }, { 1.0f / 30, 1.0 / 30, 2, false },
        { 1.0f / 15, 1.0 / 15, 4, false }, { 0.1f, 0.1, 6, false },
        { 1.0f, 8.0 / 60, 8, true },       { 10.0f, 8.0 / 60, 8, true },
    };
    TarnScene* scene = create(everything);
    TarnWorld* world = tarn_scene_world(scene);
    double time = 0.0;
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < 8; ++i) {
            TarnStepReport report;
            assert_int_equal(tarn_world_step(world, steps[i].dt, &report), TARN_OK);
            time += report.time_advanced;
            assert_float_equal(report.time_advanced, steps[i].advanced, 1e-8);
            assert_float_equal(tarn_world_time(world), time, 1e-9);
            assert_true(report.substeps >= steps[i].least_substeps);
            assert_int_equal((report.flags & TARN_STEP_TIME_CUT) != 0, steps[i].is_cut);
            assert_float_equal(report.time_dropped, (double)steps[i].dt - steps[i].advanced, 1e-7);
            if (steps[i].is_cut)
                assert_string_equal(report.time_limit, "world.max_substeps");
            else
                assert_null(report.time_limit);
            assert_true(is_finite_world(world));
        }
    }
    const float bad[] = { NAN, -1.0f / 60, -0.001f, INFINITY, -INFINITY, 10.001f, 1e30f };
    uint64_t hash = tarn_world_hash(world);
    for (int i = 0; i < 7; ++i) {
        TarnStepReport report;
        assert_int_equal(tarn_world_step(world, bad[i], &report), TARN_ERR_ARG);
        assert_int_equal(report.substeps, 0);
    }
    assert_int_equal(tarn_world_step(world, 0.0f, NULL), TARN_OK);
    assert_true(tarn_world_hash(world) == hash);
    for (int i = 0; i < 40; ++i) // very short ones, down to the smallest float
        assert_int_equal(tarn_world_step(world, ldexpf(1.0f, -3 * i - 20), NULL), TARN_OK);
    assert_true(is_finite_world(world));
    tarn_scene_destroy(scene);
}

// One call per frame of 1/60 s is one substep for a world that allows 1/60 s, in float, too.
static void test_substep_count(void** state)
{
    (void)state;
    TarnScene* scene =
        create(HEAD "\"solvers\":[{\"kind\":\"wave\",\"nx\":16,\"nz\":16,\"dx\":1}]}");
    TarnStepReport report;
    for (int n = 1; n <= 8; ++n) {
        tarn_world_step(tarn_scene_world(scene), (float)n / 60.0f, &report);
        assert_int_equal(report.substeps, n);
        assert_int_equal(report.flags, 0);
    }
    tarn_scene_destroy(scene);

    // Time that the solver cannot keep up with is missing in the world, too.
    scene = create(HEAD "\"solvers\":[{\"kind\":\"wave\",\"nx\":64,\"nz\":64,\"dx\":0.01,"
                        "\"speed\":100,\"max_substeps\":4}]}");
    assert_int_equal(tarn_world_step(tarn_scene_world(scene), 1.0f / 60, &report), TARN_OK);
    assert_int_equal(report.flags, TARN_STEP_TIME_CUT);
    assert_true(report.time_advanced > 0.0 && report.time_advanced < 0.001);
    assert_float_equal(tarn_world_time(tarn_scene_world(scene)), report.time_advanced, 1e-12);
    assert_float_equal(report.time_dropped, 1.0 / 60 - report.time_advanced, 1e-8);
    assert_string_equal(report.time_limit, "wave.max_substeps");
    tarn_scene_destroy(scene);
}

// Whoever drops time says how much and by which parameter.
static void test_who_drops_time(void** state)
{
    (void)state;
    static const struct {
        const char *text, *limit;
        bool is_lag; // the world itself goes on
    } cases[] = {
        { HEAD "\"solvers\":[{\"kind\":\"shallow\",\"nx\":16,\"nz\":16,\"dx\":0.1,"
               "\"level\":5,\"max_substeps\":1,\"terrain\":{\"kind\":\"flat\"}}]}",
          "shallow.max_substeps", false },
        { HEAD "\"solvers\":[{\"kind\":\"pipes\",\"nx\":16,\"nz\":16,\"dx\":0.01,"
               "\"pipe_area\":1,\"max_substeps\":1,\"terrain\":{\"kind\":\"flat\"}}]}",
          "pipes.max_substeps", false },
        { HEAD "\"solvers\":[{\"kind\":\"liquid\",\"method\":\"wcsph\",\"spacing\":0.05,"
               "\"max_substeps\":1,\"fill\":[{\"size\":0.15,\"position\":[0.25,0.25,"
               "0.25]}]}]}",
          "liquid.max_substeps", false },
        { HEAD "\"solvers\":[{\"kind\":\"gas\",\"nx\":8,\"ny\":8,\"nz\":8,"
               "\"max_step\":0.002,\"max_substeps\":2}]}",
          "gas.max_substeps", true },
        { "{\"tarn\":1,\"world\":{\"max_step\":0.5},\"bodies\":[{}]}", "world.max_step", true },
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); ++i) {
        TarnScene* scene = create(cases[i].text);
        float dt = i == 4 ? 0.4f : 1.0f / 60.0f;
        TarnStepReport report;
        assert_int_equal(tarn_world_step(tarn_scene_world(scene), dt, &report), TARN_OK);
        assert_true(report.flags & TARN_STEP_TIME_CUT);
        assert_non_null(report.time_limit);
        assert_string_equal(report.time_limit, cases[i].limit);
        assert_true(report.time_dropped > 1e-3);
        double missing = (double)dt - report.time_advanced;
        assert_float_equal(missing, cases[i].is_lag ? 0.0 : report.time_dropped, 1e-7);
        tarn_scene_destroy(scene);
    }
}

static void same_for_any_workers(const char* text)
{
    uint64_t hashes[3];
    for (int w = 0; w < 3; ++w) {
        TarnContextDef def = tarn_context_default_def();
        TarnContext* own;
        def.workers = 1 << w;
        assert_int_equal(tarn_context_create(&def, &own), TARN_OK);
        TarnScene* scene;
        TarnResult result = tarn_scene_create(own, text, strlen(text), "t.json", NULL, 0, &scene);
        assert_int_equal(result, TARN_OK);
        step(tarn_scene_world(scene), 1.0f / 60, 60);
        hashes[w] = tarn_world_hash(tarn_scene_world(scene));
        tarn_scene_destroy(scene);
        tarn_context_destroy(own);
    }
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
}

static void test_same_for_any_workers(void** state)
{
    (void)state;
    same_for_any_workers(everything);
    same_for_any_workers(flowing);
    same_for_any_workers(carving);
}

// ---- Emitters ------------------------------------------------------------------------------------

// Water that does not move: what emitters do adds up where they do it.
#define STILL                                                                                      \
    HEAD "\"solvers\":[{\"kind\":\"wave\",\"nx\":64,\"nz\":64,\"dx\":0.25,"                        \
         "\"speed\":1e-4,\"damping\":0,\"sleep_speed\":0}],\"emitters\":["

static float sum_at(const char* emitter, float dt, int n, float x, float z)
{
    char text[1024];
    snprintf(text, sizeof text, STILL "%s]}", emitter);
    TarnScene* scene = create(text);
    step(tarn_scene_world(scene), dt, n);
    float height = height_at(tarn_scene_world(scene), x, z);
    tarn_scene_destroy(scene);
    return height;
}

// A drop at a cell center digs its full height there, so the depth counts the drops.
#define AT "\"a\":[8.125,8.125],\"b\":[8.125,8.125],\"radius\":1,\"height\":0.01"

static void test_drops(void** state)
{
    (void)state;
    static const char once[] = "{\"kind\":\"drop\",\"start\":0.5," AT "}";
    assert_float_equal(sum_at(once, 1.0f / 60, 29, 8.125f, 8.125f), 0.0, 1e-7);
    assert_float_equal(sum_at(once, 1.0f / 60, 31, 8.125f, 8.125f), -0.01, 1e-5);
    assert_float_equal(sum_at(once, 1.0f / 60, 300, 8.125f, 8.125f), -0.01, 1e-5);
    assert_float_equal(sum_at(once, 0.1f, 20, 8.125f, 8.125f), -0.01, 1e-5);
    static const char at_zero[] = "{\"kind\":\"drop\",\"start\":0,\"stop\":0," AT "}";
    assert_float_equal(sum_at(at_zero, 1.0f / 60, 1, 8.125f, 8.125f), -0.01, 1e-5);

    static const char rain[] =
        "{\"kind\":\"rain\",\"rate\":10,\"start\":0.25,\"stop\":2.29," AT "}";
    const float steps[] = { 1.0f / 240, 1.0f / 60, 1.0f / 37, 0.1f, 0.13f };
    for (int i = 0; i < 5; ++i) { // drops fall 0.1, 0.2 ... s after the start
        int n = (int)ceilf(1.26f / steps[i]);
        int expected = (int)floor(10.0 * ((double)steps[i] * n - 0.25));
        assert_float_equal(sum_at(rain, steps[i], n, 8.125f, 8.125f), -0.01 * expected, 1e-5);
        assert_float_equal(sum_at(rain, steps[i], (int)(3.0f / steps[i]), 8.125f, 8.125f), -0.2,
                           1e-5);
    }
}

// A solver that drops time holds the world back; what has fallen does not fall again.
static void test_drops_when_time_is_cut(void** state)
{
    (void)state;
    TarnScene* scene =
        create(HEAD "\"solvers\":[{\"kind\":\"wave\",\"nx\":64,\"nz\":64,\"dx\":0.01,"
                    "\"speed\":0.1,\"damping\":0,\"courant\":0.02,\"max_substeps\":1,"
                    "\"sleep_speed\":0}],\"emitters\":[{\"a\":[0.325,0.325],\"radius\":0.15,"
                    "\"height\":0.01,\"start\":0.01},{\"kind\":\"rain\",\"a\":[0.325,0.325],"
                    "\"b\":[0.325,0.325],\"radius\":0.15,\"height\":0.01,\"rate\":50}]}");
    TarnWorld* world = tarn_scene_world(scene);
    TarnStepReport report;
    while (tarn_world_time(world) < 0.08) { // one drop, and four of rain
        assert_int_equal(tarn_world_step(world, 1.0f / 60, &report), TARN_OK);
        assert_int_equal(report.flags, TARN_STEP_TIME_CUT);
    }
    assert_float_equal(height_at(world, 0.325f, 0.325f), -0.05, 0.001);
    tarn_scene_destroy(scene);
}

static uint64_t rain_hash(int seed, float dt, int n)
{
    char text[512];
    snprintf(text, sizeof text,
             "{\"tarn\":1,\"world\":{\"seed\":%d},\"solvers\":[{\"kind\":\"wave\","
             "\"nx\":64,\"nz\":64}],\"emitters\":[{\"kind\":\"rain\",\"b\":[3,3],"
             "\"rate\":60}]}",
             seed);
    TarnScene* scene = create(text);
    step(tarn_scene_world(scene), dt, n);
    uint64_t hash = tarn_wave_hash(tarn_world_wave(tarn_scene_world(scene), 0));
    tarn_scene_destroy(scene);
    return hash;
}

static void test_rain_is_seeded(void** state)
{
    (void)state;
    uint64_t hash = rain_hash(1, 1.0f / 60, 60);
    assert_true(rain_hash(1, 1.0f / 60, 60) == hash);
    assert_true(rain_hash(2, 1.0f / 60, 60) != hash);
    assert_true(rain_hash(1, 2.0f / 60, 30) == hash); // cut in the same substeps
}

static void test_stroke(void** state)
{
    (void)state;
    static const char stroke[] = "{\"kind\":\"stroke\",\"a\":[4,8.125],\"b\":[12,8.125],"
                                 "\"radius\":1,\"height\":0.05,\"period\":2,\"stop\":3}";
    const float steps[] = { 1.0f / 240, 1.0f / 60, 1.0f / 37, 0.1f };
    for (int i = 0; i < 4; ++i) { // the furrow has the height of the brush, for any step
        int n = (int)ceilf(2.0f / steps[i]);
        assert_float_equal(sum_at(stroke, steps[i], n, 8.125f, 8.125f), -0.05, 0.004);
        assert_float_equal(sum_at(stroke, steps[i], 2 * n, 6.125f, 8.125f), -0.1, 0.008);   // twice
        assert_float_equal(sum_at(stroke, steps[i], 2 * n, 10.125f, 8.125f), -0.05, 0.004); // stop
        assert_true(sum_at(stroke, steps[i], n, 8.125f, 9.6f) > 0.0f); // pushed aside
    }
}

// A maker sends waves of its height into calm water; so does a line, to both sides.
static void test_makers(void** state)
{
    (void)state;
    static const char* const kinds[] = {
        "{\"kind\":\"maker\",\"edge\":\"x0\",\"height\":0.1,\"period\":1}",
        "{\"kind\":\"line\",\"a\":[10,-1],\"b\":[10,3],\"height\":0.1,\"period\":1}"
    };
    for (int i = 0; i < 2; ++i) {
        char text[1024];
        snprintf(text, sizeof text,
                 HEAD "\"solvers\":[{\"kind\":\"wave\",\"nx\":400,\"nz\":16,\"dx\":0.05,"
                      "\"speed\":2,\"damping\":0,\"edge_x1\":\"absorbing\",\"edge_x0\":\"%s\"}],"
                      "\"emitters\":[%s]}",
                 i == 0 ? "reflecting" : "absorbing", kinds[i]);
        TarnScene* scene = create(text);
        float highest = 0.0f, lowest = 0.0f;
        for (int n = 0; n < 60 * 8; ++n) {
            step(tarn_scene_world(scene), 1.0f / 60, 1);
            float h = height_at(tarn_scene_world(scene), i == 0 ? 8.0f : 2.0f, 0.4f);
            if (n < 60 * 3) assert_true(fabsf(h) < 0.01f); // 4 s away
            if (n > 60 * 5 && h > highest) highest = h;
            if (n > 60 * 5 && h < lowest) lowest = h;
        }
        assert_float_equal(highest, 0.1, 0.015);
        assert_float_equal(lowest, -0.1, 0.015);
        tarn_scene_destroy(scene);
    }
}

// ---- Emitters of flowing water ---------------------------------------------------------------------

#define BASIN                                                                                      \
    HEAD "\"solvers\":[{\"kind\":\"shallow\",\"nx\":32,\"nz\":32,\"dx\":1,"                        \
         "\"level\":2,\"gates\":[{\"a\":[10,0],\"b\":[12,32],\"top\":5}]}],"                       \
         "\"emitters\":["

// What came in by sources after n steps [m^3].
static double sourced(const char* emitter, float dt, int n)
{
    char text[1024];
    snprintf(text, sizeof text, BASIN "%s]}", emitter);
    TarnScene* scene = create(text);
    TarnShallow* water = tarn_world_shallow(tarn_scene_world(scene), 0);
    double before = tarn_shallow_ledger(water).sources;
    step(tarn_scene_world(scene), dt, n);
    TarnShallowLedger l = tarn_shallow_ledger(water);
    double in = l.initial + l.edges + l.sources + l.rain + l.evaporated + l.window;
    assert_float_equal(l.volume, in, 1e-6);
    tarn_scene_destroy(scene);
    return l.sources - before;
}

static void test_sources(void** state)
{
    (void)state;
    const float steps[] = { 1.0f / 240, 1.0f / 60, 1.0f / 37, 0.1f };
    for (int i = 0; i < 4; ++i) {
        int n = (int)ceilf(3.0f / steps[i]);
        static const char spring[] = "{\"kind\":\"source\",\"a\":[20,16],\"radius\":3,\"flow\":5,"
                                     "\"start\":0.5,\"stop\":2.5}";
        static const char drain[] = "{\"kind\":\"source\",\"a\":[20,16],\"radius\":3,\"flow\":-5,"
                                    "\"start\":0.5,\"stop\":2.5}";
        static const char drop[] =
            "{\"kind\":\"drop\",\"a\":[20,16],\"radius\":2,\"height\":0.5,\"start\":1}";
        assert_float_equal(sourced(spring, steps[i], n), 10, 0.02);
        assert_float_equal(sourced(drain, steps[i], n), -10, 0.02);
        assert_float_equal(sourced(drop, steps[i], n), 0.5 * 3.14159265 * 4, 0.01);
    }
}

// A gate opens over its period, stays, and closes; told to close too early it closes from there.
static void test_gates(void** state)
{
    (void)state;
    static const struct {
        float stop, time, opening;
    } moments[] = {
        { 5, 0.9f, 0 },     { 5, 2, 0.5f },    { 5, 3.1f, 1 },     { 5, 4.9f, 1 },
        { 5, 6, 0.5f },     { 5, 7.2f, 0 },    { 2, 1.5f, 0.25f }, { 2, 2, 0.5f },
        { 2, 2.5f, 0.25f }, { 2, 3.2f, 0.0f }, { 2, 9, 0 },
    };
    for (size_t m = 0; m < sizeof moments / sizeof moments[0]; ++m) {
        char text[1024];
        snprintf(text, sizeof text,
                 BASIN "{\"kind\":\"gate\",\"start\":1,\"stop\":%g,\"period\":2}]}",
                 (double)moments[m].stop);
        TarnScene* scene = create(text);
        TarnShallow* water = tarn_world_shallow(tarn_scene_world(scene), 0);
        step(tarn_scene_world(scene), 0.05f, (int)lroundf(moments[m].time / 0.05f));
        assert_float_equal(tarn_shallow_gate_opening(water, 0), moments[m].opening, 0.002);
        tarn_scene_destroy(scene);
    }
}

static void test_dig_and_jet(void** state)
{
    (void)state;
    TarnScene* scene =
        create(BASIN "{\"kind\":\"dig\",\"a\":[20.5,16.5],\"radius\":4,\"height\":1.5,"
                     "\"period\":2,\"start\":0.5},{\"kind\":\"jet\",\"a\":[5,16],"
                     "\"radius\":3,\"velocity\":[0,1],\"period\":1}]}");
    TarnWorld* world = tarn_scene_world(scene);
    TarnShallow* water = tarn_world_shallow(world, 0);
    const struct {
        int steps;
        float height;
    } moments[] = { { 30, 0 }, { 60, 0.75f }, { 90, 1.5f }, { 60, 1.5f } };
    for (int m = 0; m < 4; ++m) {
        step(world, 1.0f / 60, moments[m].steps);
        TarnView2 bed = tarn_shallow_bed(water);
        assert_float_equal(bed.data[20 + bed.stride * 16], moments[m].height, 0.02);
    }
    TarnView2 w = tarn_shallow_velocity_z(water);
    assert_true(w.data[5 + w.stride * 16] > 0.2f);
    tarn_scene_destroy(scene);
}

// What a world has decides which emitters it takes, in either order.
static void test_emitters_fit(void** state)
{
    (void)state;
    TarnWorldDef def = tarn_world_default_def();
    TarnWorld* world;
    assert_int_equal(tarn_world_create(ctx, &def, &world), TARN_OK);
    TarnEmitterDef emitter = tarn_emitter_default_def();
    TarnEmitterId id;
    emitter.kind = TARN_EMITTER_LINE;
    assert_int_equal(tarn_world_add_emitter(world, &emitter, &id), TARN_ERR_ARG); // no water yet
    TarnShallowDef shallow = tarn_shallow_default_def();
    TarnShallow* water;
    shallow.nx = shallow.nz = 16;
    assert_int_equal(tarn_world_add_shallow(world, NULL, &water), TARN_ERR_ARG);
    assert_null(water);
    assert_null(tarn_world_shallow(world, 0));
    shallow.use_bodies = true;
    assert_int_equal(tarn_world_add_shallow(world, &shallow, &water), TARN_OK);
    assert_ptr_equal(tarn_world_shallow(world, 0), water);
    assert_int_equal(tarn_world_add_shallow(world, &shallow, NULL), TARN_OK); // another one
    assert_int_equal(tarn_world_add_emitter(world, &emitter, &id), TARN_ERR_ARG);
    TarnWaveDef wave = tarn_wave_default_def();
    wave.nx = wave.nz = 16;
    wave.use_bodies = true;
    assert_int_equal(tarn_world_add_wave(world, &wave, NULL), TARN_OK); // beside it
    wave.use_bodies = false;
    assert_int_equal(tarn_world_add_wave(world, &wave, NULL), TARN_OK);
    assert_int_equal(tarn_world_add_emitter(world, &emitter, &id), TARN_OK);
    step(world, 1.0f / 60, 3);
    TarnPipesDef pipes = tarn_pipes_default_def();
    pipes.nx = pipes.nz = 16;
    assert_int_equal(tarn_world_add_pipes(world, &pipes, NULL), TARN_OK);
    assert_non_null(tarn_world_pipes(world, 0));
    step(world, 1.0f / 60, 3);
    assert_true(is_finite_world(world));
    tarn_world_destroy(world);
    assert_int_equal(tarn_world_add_shallow(NULL, &shallow, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_world_add_pipes(NULL, &pipes, NULL), TARN_ERR_ARG);
}

static void test_emitter_handles(void** state)
{
    (void)state;
    TarnScene *a = create(everything), *b = create(everything);
    TarnWorld *wa = tarn_scene_world(a), *wb = tarn_scene_world(b);
    TarnEmitterDef def = tarn_emitter_default_def();
    TarnEmitterId id, other;
    assert_int_equal(tarn_world_add_emitter(wa, &def, &id), TARN_OK);
    assert_int_equal(tarn_world_add_emitter(wb, &def, &other), TARN_OK);
    assert_int_equal(tarn_world_remove_emitter(wa, (TarnEmitterId){ 0 }), TARN_ERR_ARG);
    assert_int_equal(tarn_world_remove_emitter(wa, (TarnEmitterId){ ~0ull }), TARN_ERR_ARG);
    assert_int_equal(tarn_world_remove_emitter(wa, other), TARN_ERR_ARG); // another world's
    assert_int_equal(tarn_world_remove_emitter(wa, id), TARN_OK);
    assert_int_equal(tarn_world_remove_emitter(wa, id), TARN_ERR_ARG); // stale
    TarnEmitterId next;
    assert_int_equal(tarn_world_add_emitter(wa, &def, &next), TARN_OK); // into the same slot
    assert_int_equal(tarn_world_remove_emitter(wa, id), TARN_ERR_ARG);

    def.height = NAN;
    assert_int_equal(tarn_world_add_emitter(wa, &def, &id), TARN_ERR_ARG);
    assert_true(id.value == 0);
    def = tarn_emitter_default_def();
    def.cookie = 0;
    assert_int_equal(tarn_world_add_emitter(wa, &def, NULL), TARN_ERR_ARG);
    def = tarn_emitter_default_def();
    TarnResult result = TARN_OK;
    for (int n = 0; result == TARN_OK; ++n) {
        assert_true(n <= 64);
        result = tarn_world_add_emitter(wa, &def, NULL);
    }
    assert_int_equal(result, TARN_ERR_CAPACITY);
    tarn_scene_destroy(a);
    tarn_scene_destroy(b);
}

// ---- Bodies and drivers --------------------------------------------------------------------------

static TarnBodyState state_of(TarnWorld* world, int n)
{
    TarnBodyState s;
    TarnBodies* bodies = tarn_world_bodies(world);
    assert_int_equal(tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, n), &s), TARN_OK);
    return s;
}

static TarnVec3 nose_of(const TarnBodyState* s) // local +x in the world
{
    TarnQuat q = s->rotation;
    return (TarnVec3){ 1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z),
                       2 * (q.z * q.x - q.w * q.y) };
}

static void test_circle(void** state)
{
    (void)state;
    for (int way = -1; way <= 1; way += 2) {
        char text[512];
        snprintf(text, sizeof text,
                 HEAD "\"bodies\":[{\"driven\":true,\"position\":[5,0.5,1],\"driver\":{\"kind\":"
                      "\"circle\",\"center\":[1,1],\"radius\":4,\"speed\":%d}}]}",
                 2 * way);
        TarnScene* scene = create(text);
        TarnWorld* world = tarn_scene_world(scene);
        for (int n = 1; n <= 200; ++n) {
            TarnBodyState before = state_of(world, 0);
            step(world, 1.0f / 60, 1);
            TarnBodyState s = state_of(world, 0);
            double angle = way * 2.0 / 4.0 * tarn_world_time(world);
            assert_float_equal(s.position.x, 1 + 4 * cos(angle), 1e-4);
            assert_float_equal(s.position.z, 1 - 4 * sin(angle), 1e-4);
            assert_float_equal(s.position.y, 0.5, 0);
            assert_float_equal(s.angular_velocity.y, way * 0.5, 1e-6);
            TarnVec3 nose = nose_of(&s); // along the velocity
            assert_float_equal(nose.x * 2, s.velocity.x, 1e-4);
            assert_float_equal(nose.z * 2, s.velocity.z, 1e-4);
            if (n > 1) { // the mean of the velocities is what it moved by
                double vx = 0.5 * (before.velocity.x + s.velocity.x);
                double vz = 0.5 * (before.velocity.z + s.velocity.z);
                assert_float_equal((s.position.x - before.position.x) * 60, vx, 1e-3);
                assert_float_equal((s.position.z - before.position.z) * 60, vz, 1e-3);
            }
        }
        tarn_scene_destroy(scene);
    }
}

// A boat comes up to speed, onto its circle, and stays upright and on the water.
static void test_thrust(void** state)
{
    (void)state;
    for (int way = -1; way <= 1; way += 2) {
        char text[2048];
        snprintf(text, sizeof text,
                 HEAD "\"solvers\":[{\"kind\":\"wave\",\"nx\":160,\"nz\":160,\"dx\":0.25,"
                      "\"origin\":[-20,-20],\"depth\":3,\"speed\":2,\"body_drag\":0.1,"
                      "\"body_damping\":0.1,\"edge_x0\":\"absorbing\",\"edge_x1\":\"absorbing\","
                      "\"edge_z0\":\"absorbing\",\"edge_z1\":\"absorbing\"}],"
                      "\"bodies\":[{\"shape\":\"hull\",\"density\":320,\"position\":[4,0.1,2],"
                      "\"points\":[[2,0.5,0],[1,0.45,0.62],[1,0.45,-0.62],[-1.6,0.4,0.66],[-1.6,"
                      "0.4,-0.66],[1.3,-0.3,0],[0.6,-0.38,0.3],[0.6,-0.38,-0.3],[-1.5,-0.38,"
                      "0.42],[-1.5,-0.38,-0.42]],\"driver\":{\"kind\":\"thrust\",\"radius\":10,"
                      "\"speed\":%d}}]}",
                 4 * way);
        TarnScene* scene = create(text);
        TarnWorld* world = tarn_scene_world(scene);
        step(world, 1.0f / 60, 60 * 15);
        for (int n = 0; n < 60 * 15; ++n) {
            step(world, 1.0f / 60, 1);
            TarnBodyState s = state_of(world, 0);
            TarnVec3 p = s.position, v = s.velocity;
            assert_float_equal(sqrt(p.x * p.x + p.z * p.z), 10, 1.5);
            assert_float_equal(sqrt(v.x * v.x + v.z * v.z), 4, 0.8);
            assert_true((p.z * v.x - p.x * v.z) * (float)way > 0); // the right way round
            assert_true(fabsf(p.y) < 0.8f && fabsf(nose_of(&s).y) < 0.35f);
        }
        tarn_scene_destroy(scene);
    }
}

static void test_driver_handles(void** state)
{
    (void)state;
    TarnScene* scene = create(everything);
    TarnWorld* world = tarn_scene_world(scene);
    TarnBodies* bodies = tarn_world_bodies(world);
    TarnDriverDef def = tarn_driver_default_def();
    TarnBodyId ball = tarn_bodies_at(bodies, 0), capsule = tarn_bodies_at(bodies, 6);
    assert_int_equal(tarn_world_set_driver(world, (TarnBodyId){ 0 }, &def), TARN_ERR_ARG);
    assert_int_equal(tarn_world_set_driver(world, ball, NULL), TARN_ERR_ARG);
    def.kind = TARN_DRIVER_CIRCLE;
    assert_int_equal(tarn_world_set_driver(world, ball, &def), TARN_ERR_ARG); // it is free
    def.kind = TARN_DRIVER_THRUST;
    assert_int_equal(tarn_world_set_driver(world, capsule, &def), TARN_ERR_ARG); // it is driven
    def.kind = TARN_DRIVER_CIRCLE;
    def.radius = 0.1f;
    def.speed = 50.0f; // too fast a turn
    assert_int_equal(tarn_world_set_driver(world, capsule, &def), TARN_ERR_ARG);
    def.speed = NAN;
    assert_int_equal(tarn_world_set_driver(world, capsule, &def), TARN_ERR_ARG);
    def = tarn_driver_default_def();
    assert_int_equal(tarn_world_set_driver(world, capsule, &def), TARN_OK); // none: it stands still
    TarnVec3 before = state_of(world, 6).position;
    step(world, 1.0f / 60, 5);
    assert_float_equal(state_of(world, 6).position.x, before.x, 0);

    // A new body in the slot of a removed one does not inherit its driver.
    def.kind = TARN_DRIVER_CIRCLE;
    assert_int_equal(tarn_world_set_driver(world, capsule, &def), TARN_OK);
    assert_int_equal(tarn_bodies_remove(bodies, capsule), TARN_OK);
    step(world, 1.0f / 60, 2);
    TarnBodyDef body = tarn_body_default_def();
    TarnBodyId next;
    body.is_driven = true;
    assert_int_equal(tarn_world_add_body(world, &body, &next), TARN_OK);
    step(world, 1.0f / 60, 2);
    TarnBodyState s;
    tarn_bodies_get_state(bodies, next, &s);
    assert_float_equal(s.position.x, 0, 0);
    assert_int_equal(tarn_world_set_driver(world, capsule, &def), TARN_ERR_ARG); // stale
    tarn_scene_destroy(scene);
}

// Free bodies stay between floor and closed edges, and may leave over open ones, down to a floor a meter deeper.
static void test_box(void** state)
{
    (void)state;
    static const char* const edges[] = { "reflecting", "fixed", "absorbing" };
    for (int e = 0; e < 3; ++e) {
        char text[512];
        snprintf(text, sizeof text,
                 HEAD "\"solvers\":[{\"kind\":\"wave\",\"nx\":16,\"nz\":16,\"dx\":0.5,"
                      "\"origin\":[-4,-4],\"depth\":2,\"level\":1,\"edge_x1\":\"%s\"}],"
                      "\"bodies\":[{\"size\":0.25,\"density\":3000,\"position\":[3,1,0],"
                      "\"velocity\":[12,0,0]}]}",
                 edges[e]);
        TarnScene* scene = create(text);
        step(tarn_scene_world(scene), 1.0f / 60, 120);
        TarnVec3 at = state_of(tarn_scene_world(scene), 0).position;
        assert_float_equal(at.y, (e < 2 ? -1 : -2) + 0.25, 0.03); // it has sunk to the floor
        if (e < 2)
            assert_true(at.x < 4.0f);
        else
            assert_true(at.x > 4.0f);
        tarn_scene_destroy(scene);
    }
}

// Bodies rest on terrain, slide down slopes, and lie against walls.
static void test_ground(void** state)
{
    (void)state;
    TarnScene* scene =
        create(HEAD "\"solvers\":[{\"kind\":\"shallow\",\"nx\":32,\"nz\":32,\"dx\":1,"
                    "\"bed\":[{\"kind\":\"slope\",\"from\":[0,0],\"to\":[16,0],\"rise\":-12}],"
                    "\"walls\":[{\"min\":[24,0],\"max\":[26,32],\"height\":5}]}],"
                    "\"bodies\":[{\"size\":0.5,\"density\":2000,\"position\":[20,-8,8]},"
                    "{\"shape\":\"sphere\",\"size\":0.5,\"position\":[4,-1,16],"
                    "\"density\":2000,\"friction\":0}]}");
    TarnWorld* world = tarn_scene_world(scene);
    step(world, 1.0f / 60, 60 * 6);
    TarnBodyState still = state_of(world, 0), slid = state_of(world, 1);
    assert_float_equal(still.position.y, -12 + 0.5, 0.05);
    assert_float_equal(still.position.x, 20, 0.5);
    assert_true(slid.position.x > 15.0f &&
                slid.position.x < 24.0f); // down, and not through the wall
    assert_true(slid.position.y > -12.1f);
    tarn_scene_destroy(scene);
}

static void test_world_arguments(void** state)
{
    (void)state;
    TarnWorldDef def = tarn_world_default_def();
    TarnWorld* world;
    assert_int_equal(tarn_world_create(NULL, &def, &world), TARN_ERR_ARG);
    assert_int_equal(tarn_world_create(ctx, NULL, &world), TARN_ERR_ARG);
    assert_int_equal(tarn_world_create(ctx, &def, NULL), TARN_ERR_ARG);
    def.max_step = 0.0f;
    assert_int_equal(tarn_world_create(ctx, &def, &world), TARN_ERR_ARG);
    assert_null(world);
    assert_string_equal(tarn_last_error(ctx),
                        "world.max_step: 0 s is out of range; allowed: 0.0001 to 1 s");
    def = tarn_world_default_def();
    assert_int_equal(tarn_world_create(ctx, &def, &world), TARN_OK);
    TarnWaveDef wave_def = tarn_wave_default_def();
    TarnWave *wave, *second;
    wave_def.nx = wave_def.nz = 16;
    assert_int_equal(tarn_world_add_wave(world, NULL, &wave), TARN_ERR_ARG);
    assert_int_equal(tarn_world_add_wave(world, &wave_def, &wave), TARN_OK);
    assert_int_equal(tarn_world_add_wave(world, &wave_def, &second), TARN_OK); // as many as fit
    assert_ptr_equal(tarn_world_wave(world, 1), second);
    assert_ptr_equal(tarn_world_wave(world, 0), wave);
    tarn_world_destroy(world);
    tarn_world_destroy(NULL);

    assert_int_equal(tarn_world_step(NULL, 0.1f, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_world_save(NULL, NULL, 0, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_world_load(NULL, "", 0), TARN_ERR_ARG);
    assert_int_equal(tarn_world_add_emitter(NULL, NULL, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_world_set_driver(NULL, (TarnBodyId){ 1 }, NULL), TARN_ERR_ARG);
    assert_true(tarn_world_hash(NULL) == 0 && tarn_world_time(NULL) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        UNIT_TEST_ALONE(test_save_and_load),
        UNIT_TEST_ALONE(test_load_emitters),
        UNIT_TEST_ALONE(test_damaged_snapshots),
        UNIT_TEST_ALONE(test_load_elsewhere),
        UNIT_TEST_ALONE(test_shifted_window),
        UNIT_TEST_ALONE(test_window),
        UNIT_TEST_ALONE(test_steps_of_any_length),
        UNIT_TEST_ALONE(test_who_drops_time),
        UNIT_TEST_ALONE(test_substep_count),
        cmocka_unit_test(test_same_for_any_workers),
        UNIT_TEST_ALONE(test_drops),
        UNIT_TEST_ALONE(test_drops_when_time_is_cut),
        UNIT_TEST_ALONE(test_rain_is_seeded),
        UNIT_TEST_ALONE(test_stroke),
        UNIT_TEST_ALONE(test_makers),
        UNIT_TEST_ALONE(test_sources),
        UNIT_TEST_ALONE(test_gates),
        UNIT_TEST_ALONE(test_dig_and_jet),
        UNIT_TEST_ALONE(test_emitters_fit),
        UNIT_TEST_ALONE(test_emitter_handles),
        UNIT_TEST_ALONE(test_circle),
        UNIT_TEST_ALONE(test_thrust),
        UNIT_TEST_ALONE(test_driver_handles),
        UNIT_TEST_ALONE(test_box),
        UNIT_TEST_ALONE(test_ground),
        UNIT_TEST_ALONE(test_world_arguments),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
