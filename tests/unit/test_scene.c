// Scenes: every file in scenes/, what a scene says arrives, every way to be refused with its exact
// sentence, overrides, failing memory, damaged texts.

#include "scene_common.h"
#include "tests/sanitized.h"
#include <dirent.h>

static char* read_whole(const char* path, size_t* size)
{
    FILE* file = fopen(path, "rb");
    if (file == NULL) fail_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char* text = malloc(*size + 1);
    assert_int_equal(fread(text, 1, *size, file), *size);
    text[*size] = '\0';
    fclose(file);
    return text;
}

// ---- The files in scenes/ ------------------------------------------------------------------------

static void test_scene_files(void** state)
{
    (void)state;
    DIR* folder = opendir(TARN_SCENES_DIR);
    assert_non_null(folder);
    int n = 0;
    for (struct dirent* entry; (entry = readdir(folder)) != NULL;) {
        char path[1024];
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".json") != 0) continue;
        snprintf(path, sizeof path, "%s/%s", TARN_SCENES_DIR, entry->d_name);
        TarnScene* scene;
        if (tarn_scene_create_from_file(ctx, path, NULL, 0, &scene) != TARN_OK)
            fail_msg("%s", tarn_last_error(ctx));
        assert_true(strlen(tarn_scene_title(scene)) > 3 && strlen(tarn_scene_about(scene)) > 20);
        assert_true(tarn_scene_run(scene).seconds >= 5.0f);
        TarnStepReport report;
        for (int i = 0; i < (is_short_run() ? 1 : 12); ++i) {
            int before = memory.calls;
            TarnResult result =
                tarn_world_step(tarn_scene_world(scene), tarn_scene_run(scene).dt, &report);
            assert_int_equal(result, TARN_OK);
            assert_int_equal(memory.calls, before); // a step allocates nothing
            assert_int_equal(report.flags, 0);
        }
        assert_true(is_finite_world(tarn_scene_world(scene)));
        tarn_scene_destroy(scene);
        ++n;
    }
    closedir(folder);
    assert_true(n >= 6);
}

// Every parameter has a sentence, a default within its range, and a place in the docs.
static void test_tables(void** state)
{
    (void)state;
    size_t size;
    char* docs = read_whole(TARN_SCENES_DIR "/../docs/scenes.md", &size);
    const TarnParamTable* tables[96];
    int n = tarn_scene_tables(ctx, tables, 96);
    assert_in_range(n, 40, 96);
    assert_int_equal(tarn_scene_tables(NULL, NULL, 0), n);
    for (int t = 0; t < n; ++t) {
        for (int i = 0; i < tables[t]->count; ++i) {
            const TarnParam* p = &tables[t]->params[i];
            char quoted[80];
            assert_true(strlen(p->help) > 6);
            for (int c = 0; c < (p->type == TARN_PARAM_VEC3   ? 3
                                 : p->type == TARN_PARAM_VEC2 ? 2
                                                              : 1);
                 ++c)
                assert_true(p->value[c] >= p->min && p->value[c] <= p->max);
            snprintf(quoted, sizeof quoted, "`%s`", p->name);
            if (strstr(docs, quoted) == NULL)
                fail_msg("docs/scenes.md lacks %s of %s", quoted, tables[t]->name);
        }
    }
    free(docs);
}

// ---- What a scene says arrives -------------------------------------------------------------------

static void test_content(void** state)
{
    (void)state;
    TarnScene* scene = create(everything);
    TarnWorld* world = tarn_scene_world(scene);
    TarnWave* wave = tarn_world_wave(world, 0);
    TarnBodies* bodies = tarn_world_bodies(world);
    assert_string_equal(tarn_scene_title(scene), "T");
    assert_string_equal(tarn_scene_about(scene), "A.");
    assert_float_equal(tarn_scene_run(scene).seconds, 2, 0);
    assert_float_equal(tarn_scene_view(scene).yaw, 10, 0);
    assert_float_equal(tarn_wave_params(wave).damping, 0.1, 1e-6);
    assert_float_equal(tarn_wave_def(wave)->gravity, 9.81, 1e-5);
    assert_true(tarn_wave_def(wave)->use_bodies); // because there are bodies

    // Walls: 4 cells along each side of the box, and the disc around (4, 3).
    assert_true(tarn_wave_is_wall(wave, 0, 0) && tarn_wave_is_wall(wave, 3, 3));
    assert_false(tarn_wave_is_wall(wave, 4, 0) || tarn_wave_is_wall(wave, 0, 4));
    assert_true(tarn_wave_is_wall(wave, 40, 32));
    assert_false(tarn_wave_is_wall(wave, 40, 36));
    // Bed: nearly 1 m shallower on the mound, half a meter behind the slope, 2 m elsewhere.
    assert_float_equal(tarn_wave_bed_depth(wave, 12, 28), 1.0, 0.05);
    assert_float_equal(tarn_wave_bed_depth(wave, 24 + 12, 5), 2.0 - 0.25 - 0.5 * 0.125 / 6, 0.001);
    assert_float_equal(tarn_wave_bed_depth(wave, 10, 10), 2.0, 1e-6);

    assert_int_equal(tarn_bodies_count(bodies), 7);
    TarnBodyState s;
    tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, 4), &s); // the last box of the grid
    assert_float_equal(s.position.x, -1, 0);
    assert_float_equal(s.position.z, -1, 0);
    assert_float_equal(tarn_scene_body_color(scene, tarn_bodies_at(bodies, 0)).x, 1, 0);
    assert_float_equal(tarn_scene_body_color(scene, tarn_bodies_at(bodies, 4)).y, 1, 0);
    assert_float_equal(tarn_scene_body_color(scene, (TarnBodyId){ 0 }).y, 0.5, 0);
    tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, 5), &s); // yaw 90: +x looks along -z
    assert_float_equal(s.rotation.y, sqrt(0.5), 1e-6);
    assert_float_equal(s.rotation.w, sqrt(0.5), 1e-6);
    tarn_scene_destroy(scene);
}

static void test_land(void** state)
{
    (void)state;
    TarnScene* scene = create(flowing);
    TarnWorld* world = tarn_scene_world(scene);
    TarnShallow* water = tarn_world_shallow(world, 0);
    assert_non_null(water);
    assert_null(tarn_world_wave(world, 0));
    assert_true(tarn_shallow_def(water)->use_bodies); // because there are bodies
    assert_float_equal(tarn_shallow_params(water).drag, 0.01, 1e-6);
    assert_int_equal(tarn_shallow_gate_count(water), 1);
    assert_int_equal(tarn_shallow_span_count(water), 1);
    TarnView2 bed = tarn_shallow_bed(water), depth = tarn_shallow_depth(water);
    float wall = bed.data[21 + bed.stride * 4]; // x = -5.25, z = -9.75
    assert_float_equal(wall, 4, 1e-4);
    assert_float_equal(bed.data[21 + bed.stride * 24], 4, 1e-4); // the gate, closed
    size_t left = 8 + (size_t)depth.stride * 24, right = 40 + (size_t)depth.stride * 10;
    assert_float_equal(bed.data[left] + depth.data[left], 2, 1e-3);
    float surface = bed.data[right] + depth.data[right];
    if (depth.data[right] > 0.0f) assert_float_equal(surface, 0.4, 1e-3);
    // The house is turned by 30 degrees about (7.5, -5): 3 m long, 2 m wide, 3 m over the ground.
    float ground;
    assert_true(tarn_scene_is_built(scene, 7.5f, -5.0f, &ground));
    assert_true(tarn_scene_is_built(scene, 8.7f, -5.69f, NULL));
    assert_false(tarn_scene_is_built(scene, 8.7f, -4.31f, NULL));
    assert_false(tarn_scene_is_built(scene, 10.0f, 5.0f, NULL)); // no color: it is ground
    int i = (int)((7.5f + 16) / 0.5f), k = (int)((-5.0f + 12) / 0.5f);
    assert_float_equal(bed.data[i + bed.stride * k], ground + 3, 0.02);
    assert_int_equal(tarn_scene_block_count(scene), 2); // and the gate
    TarnSceneBlock house = tarn_scene_block_at(scene, 0), gate = tarn_scene_block_at(scene, 1);
    assert_float_equal(house.yaw, 0.5236, 1e-4);
    assert_float_equal(house.size.x, 1.5, 1e-6);
    assert_float_equal(house.center.y + house.size.y, ground + 3, 0.02);
    assert_float_equal(gate.center.y + gate.size.y, 4, 1e-5);
    step(world, 1.0f / 60, 80); // open by now
    assert_float_equal(tarn_shallow_gate_opening(water, 0), 1, 1e-6);
    assert_true(tarn_scene_block_at(scene, 1).size.y < 0.01f);
    step(world, 1.0f / 60, 60);
    assert_float_equal(tarn_shallow_gate_opening(water, 0), 0, 1e-6);
    assert_true(is_finite_world(world));
    tarn_scene_destroy(scene);

    scene = create(carving);
    assert_non_null(tarn_world_pipes(tarn_scene_world(scene), 0));
    step(tarn_scene_world(scene), 1.0f / 60, 10);
    assert_true(is_finite_world(tarn_scene_world(scene)));
    tarn_scene_destroy(scene);
}

// A scene in a file, with a terrain file beside it: the grid is that of the file unless it is given.
static void write_text(const char* path, const char* text)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void test_files(void** state)
{
    (void)state;
    TarnScene* scene;
    write_text("scene_hill.asc", "ncols 5\nnrows 4\nxllcorner 0\nyllcorner 0\ncellsize 10\n"
                                 "1 2 3 4 5\n6 7 8 9 10\n11 12 13 14 15\n16 17 18 19 20\n");
    write_text("scene_hill.json", "{\"tarn\":1, \"solvers\":[{\"kind\":\"shallow\",\n"
                                  "\"terrain\":{\"file\":\"scene_hill.asc\"}}]}");
    if (tarn_scene_create_from_file(ctx, "scene_hill.json", NULL, 0, &scene) != TARN_OK)
        fail_msg("%s", tarn_last_error(ctx));
    TarnShallow* water = tarn_world_shallow(tarn_scene_world(scene), 0);
    const TarnShallowDef* def = tarn_shallow_def(water);
    assert_int_equal(def->nx, 5);
    assert_int_equal(def->nz, 4);
    assert_float_equal(def->dx, 10, 0);
    TarnView2 bed = tarn_shallow_bed(water);
    for (int k = 0; k < 4; ++k)
        for (int i = 0; i < 5; ++i)
            assert_float_equal(bed.data[i + bed.stride * k], 1 + i + 5 * k, 1e-3);
    tarn_scene_destroy(scene);

    TarnSceneOverride finer = { "shallow.dx", "2.5" };
    assert_int_equal(tarn_scene_create_from_file(ctx, "./scene_hill.json", &finer, 1, &scene),
                     TARN_OK);
    def = tarn_shallow_def(tarn_world_shallow(tarn_scene_world(scene), 0));
    assert_int_equal(def->nx, 20);
    assert_int_equal(def->nz, 16);
    tarn_scene_destroy(scene);

    assert_int_equal(remove("scene_hill.asc"), 0);
    assert_int_equal(tarn_scene_create_from_file(ctx, "scene_hill.json", NULL, 0, &scene),
                     TARN_ERR_DATA);
    assert_memory_equal(tarn_last_error(ctx), "scene_hill.json:2:19: shallow.terrain: ", 39);
    assert_null(scene);
    assert_int_equal(remove("scene_hill.json"), 0);
    assert_int_equal(tarn_scene_create_from_file(ctx, "scene_hill.json", NULL, 0, &scene),
                     TARN_ERR_IO);
    assert_int_equal(tarn_scene_create_from_file(ctx, ".", NULL, 0, &scene), TARN_ERR_IO);
    assert_int_equal(tarn_scene_create_from_file(ctx, NULL, NULL, 0, &scene), TARN_ERR_ARG);
    assert_int_equal(tarn_scene_create_from_file(ctx, "x", NULL, 1, &scene), TARN_ERR_ARG);
}

static void test_minimal(void** state)
{
    (void)state;
    TarnScene* scene = create("{\"tarn\":1}");
    assert_string_equal(tarn_scene_title(scene), "t.json"); // for want of a title
    assert_string_equal(tarn_scene_about(scene), "");
    assert_null(tarn_world_wave(tarn_scene_world(scene), 0));
    assert_null(tarn_world_surface(tarn_scene_world(scene)).query);
    step(tarn_scene_world(scene), 0.1f, 3);
    tarn_scene_destroy(scene);
    tarn_scene_destroy(NULL);
    assert_string_equal(tarn_scene_title(NULL), "");
    assert_null(tarn_scene_world(NULL));
}

// Room for bodies and emitters grows with the scene unless the scene says how much.
static void test_room(void** state)
{
    (void)state;
    TarnScene* scene = create("{\"tarn\":1, \"bodies\":[{\"size\":0.1,"
                              "\"grid\":{\"count\":[10,10,1]}}]}");
    assert_int_equal(tarn_bodies_count(tarn_world_bodies(tarn_scene_world(scene))), 100);
    tarn_scene_destroy(scene);
}

// ---- Refused -------------------------------------------------------------------------------------

static const struct {
    const char* text;
    TarnResult code;
    const char* message;
} refused[] = {
    { "[1]", TARN_ERR_DATA, "t.json:1:1: expected an object, found an array" },
    { "{", TARN_ERR_DATA,
      "t.json:1:2: expected a key in double quotes or '}', found the end of the text" },
    { "{ }", TARN_ERR_VERSION, "t.json:1:1: not a Tarn scene: the key \"tarn\": 1 is missing" },
    { "{\"tarn\": 2, \"new\": 1}", TARN_ERR_VERSION,
      "t.json:1:10: scene format 2; this version of Tarn reads format 1" },
    { "{\"tarn\": \"1\"}", TARN_ERR_VERSION, "t.json:1:10: tarn: expected 1, found a string" },
    { HEAD " \"solver\": {} }", TARN_ERR_DATA,
      "t.json:2:2: unknown key 'solver' in the scene; did you mean 'solvers'?" },
    { HEAD "\"solvers\": {}}", TARN_ERR_DATA,
      "t.json:2:12: solvers: expected an array, found an object" },
    { HEAD "\"solvers\": [4]}", TARN_ERR_DATA,
      "t.json:2:13: solvers[0]: expected an object, found a number" },
    { HEAD "\"solvers\": [{}]}", TARN_ERR_DATA,
      "t.json:2:13: solvers[0]: \"kind\" is missing; one of: wave, shallow, pipes, "
      "wave_particles, ripple, flow_ripples, ocean, liquid, particles, gas, lattice, spray, "
      "breakers, fire, linkage" },
    { SOLVER "7}]}", TARN_ERR_DATA,
      "t.json:2:22: solvers[0].kind: expected a string, found a number" },
    { SOLVER "\"waves\"}]}", TARN_ERR_DATA,
      "t.json:2:22: solvers[0].kind: 'waves' is not one of: wave, shallow, pipes, "
      "wave_particles, ripple, flow_ripples, ocean, liquid, particles, gas, lattice, spray, "
      "breakers, fire, linkage; did you mean 'wave'?" },
    { SOLVER "\"wave\", \"name\": 3}]}", TARN_ERR_DATA,
      "t.json:2:38: solvers[0].name: expected a string, found a number" },
    { SOLVER "\"wave\", \"name\": \"my pond\"}]}", TARN_ERR_DATA,
      "t.json:2:38: solvers[0].name: 'my pond' is no name; allowed: 1 to 31 letters, digits and "
      "_" },
    { SOLVER "\"wave\", \"name\": \"bodies\"}]}", TARN_ERR_DATA,
      "t.json:2:38: solvers[0].name: 'bodies' is a reserved section name; allowed: 1 to 31 "
      "letters, "
      "digits and _" },
    { SOLVER "\"wave\", \"name\": \"pond\"}, {\"kind\": \"pipes\", \"name\": \"pond\"}]}",
      TARN_ERR_DATA,
      "t.json:2:73: solvers[1].name: solvers[0] is called 'pond' too; choose another name" },
    { SOLVER "\"wave\", \"name\": \"wave2\"}, {\"kind\": \"wave\"}, {\"kind\": \"wave\"}]}",
      TARN_ERR_DATA,
      "t.json:2:66: solvers[2].name: solvers[0] is called 'wave2' too; choose another name" },
    { SOLVER "\"wave\", \"cosmetic\": 1}]}", TARN_ERR_DATA,
      "t.json:2:42: wave.cosmetic: expected true or false, found a number" },
    { HEAD " \"xyzzy\": {} }", TARN_ERR_DATA,
      "t.json:2:2: unknown key 'xyzzy' in the scene; docs/scenes.md lists the keys" },
    { HEAD "\"title\": 7}", TARN_ERR_DATA,
      "t.json:2:10: title: expected a string, found a number" },
    { HEAD "\"about\": null}", TARN_ERR_DATA, "t.json:2:10: about: expected a string, found null" },
    { HEAD "\"run\": 5}", TARN_ERR_DATA, "t.json:2:8: run: expected an object, found a number" },
    { HEAD "\"run\": {\"seconds\": -1}}", TARN_ERR_DATA,
      "t.json:2:20: run.seconds: -1 s is out of range; allowed: 0 to 86400 s" },
    { HEAD "\"run\": {\n  \"second\": 1}}", TARN_ERR_DATA,
      "t.json:3:3: unknown key 'second' in run; did you mean 'seconds'?" },
    { HEAD "\"run\": {\"dt\": \"fast\"}}", TARN_ERR_DATA,
      "t.json:2:15: run.dt: expected a number, found a string" },
    { HEAD "\"view\": {\"mode\": 1}}", TARN_ERR_DATA,
      "t.json:2:18: view.mode: expected a string, found a number" },
    { HEAD "\"view\": {\"mode\": \"bar\"}}", TARN_ERR_DATA,
      "t.json:2:18: view.mode: 'bar' is not one of: water, bars; did you mean 'bars'?" },
    { HEAD "\"view\": {\"target\": 3}}", TARN_ERR_DATA,
      "t.json:2:20: view.target: expected an array, found a number" },
    { HEAD "\"view\": {\"target\": [1,2,3]}}", TARN_ERR_DATA,
      "t.json:2:20: view.target: takes 2 numbers, got 3" },
    { HEAD "\"view\": {\"target\": []}}", TARN_ERR_DATA,
      "t.json:2:20: view.target: takes 2 numbers, got 0" },
    { HEAD "\"view\": {\"sun\": [1, \"2\", 3]}}", TARN_ERR_DATA,
      "t.json:2:21: view.sun: expected a number, found a string" },
    { HEAD "\"view\": {\"water_color\": [0, 0, 2]}}", TARN_ERR_DATA,
      "t.json:2:25: view.water_color: 2 is out of range; allowed: 0 to 1" },
    { HEAD "\"world\": {\"seed\": 1.5}}", TARN_ERR_DATA,
      "t.json:2:19: world.seed: 1.5 must be a whole number" },
    { HEAD "\"world\": {\"max_bodies\": 2}, \"bodies\": [{},{},{}]}", TARN_ERR_DATA,
      "t.json:2:39: bodies: 3 are more than world.max_bodies allows, 2" },
    { SOLVER "\"wave\"}],\n\"world\": {\"max_emitters\": 1}, \"emitters\": [{},{}]}", TARN_ERR_DATA,
      "t.json:3:43: emitters: 2 are more than world.max_emitters allows, 1" },
    { HEAD
      "\"world\": {\"max_solvers\": 1},\n\"solvers\": [{\"kind\": \"wave\"},{\"kind\": \"wave\"}]}",
      TARN_ERR_DATA, "t.json:3:12: solvers: 2 are more than world.max_solvers allows, 1" },
    { HEAD "\"emitters\": [{}]}", TARN_ERR_DATA,
      "t.json:2:14: emitters[0].kind: no solver of this scene supports 'drop' emitters" },
    { SOLVER "\"wave\", \"dampng\": 0.5}]}", TARN_ERR_DATA,
      "t.json:2:30: unknown key 'dampng' in wave; did you mean 'damping'?" },
    { SOLVER "\"wave\", \"nx\": 8,\n \"damping\": -0.5}]}", TARN_ERR_DATA,
      "t.json:3:13: wave.damping: -0.5 1/s is out of range; allowed: 0 to 1000 1/s" },
    { SOLVER "\"shallow\", \"edge_z1\": \"discharge\"}]}", TARN_ERR_DATA,
      "t.json:2:44: shallow.edge_z1: 'discharge' is not one of: reflecting, open, fall, absorbing, "
      "periodic; use a span: \"spans\": [ { \"side\": \"z1\", \"kind\": \"discharge\", \"value\": "
      "10 } ]" },
    { SOLVER "\"wave\", \"edge_x0\": \"absorbin\"}]}", TARN_ERR_DATA,
      "t.json:2:41: wave.edge_x0: 'absorbin' is not one of: reflecting, fixed, periodic, "
      "absorbing; did you mean 'absorbing'?" },
    { SOLVER "\"wave\", \"use_bodies\": 1}]}", TARN_ERR_DATA,
      "t.json:2:44: wave.use_bodies: expected true or false, found a number" },
    { SOLVER "\"wave\", \"nx\": 8, \"nz\": 8, \"edge_x0\": \"periodic\"}]}", TARN_ERR_DATA, NULL },
    { SOLVER "\"wave\", \"walls\": {}}]}", TARN_ERR_DATA,
      "t.json:2:39: wave.walls: expected an array, found an object" },
    { SOLVER "\"wave\", \"walls\": [{\"shape\": \"round\"}]}]}", TARN_ERR_DATA,
      "t.json:2:50: wave.walls[0].shape: 'round' is not one of: disc, box" },
    { SOLVER "\"wave\", \"walls\": [{\"min\":[0,0],\"max\":[1,0]}]}]}", TARN_ERR_DATA,
      "t.json:2:40: wave.walls[0]: min [0, 0] must be below max [1, 0]" },
    { SOLVER "\"wave\", \"walls\": [{},{\"raduis\":1}]}]}", TARN_ERR_DATA,
      "t.json:2:44: unknown key 'raduis' in wave.walls[1]; did you mean 'radius'?" },
    { SOLVER "\"wave\", \"bed\": [{\"kind\":\"slope\",\"from\":[1,1],\"to\":[1,1]}]}]}",
      TARN_ERR_DATA, "t.json:2:38: wave.bed[0]: from and to must not be the same point" },
    { SOLVER "\"wave\", \"bed\": [4]}]}", TARN_ERR_DATA,
      "t.json:2:38: wave.bed[0]: expected an object, found a number" },
    { HEAD "\"bodies\": [{}, {\"density\": 0}]}", TARN_ERR_DATA,
      "t.json:2:28: bodies[1].density: 0 kg/m^3 is out of range; allowed: 1 to 100000 kg/m^3" },
    { HEAD "\"bodies\": [{\"driven\": \"yes\"}]}", TARN_ERR_DATA,
      "t.json:2:23: bodies[0].driven: expected true or false, found a string" },
    { HEAD "\"bodies\": [{\"size\": [0.3, 0.4]}]}", TARN_ERR_DATA,
      "t.json:2:21: bodies[0].size: a sphere takes its radius" },
    { HEAD "\"bodies\": [{\"shape\": \"capsule\", \"size\": 1}]}", TARN_ERR_DATA,
      "t.json:2:41: bodies[0].size: a capsule takes [radius, half length]" },
    { HEAD "\"bodies\": [{\"shape\": \"box\", \"size\": [1, 1]}]}", TARN_ERR_DATA,
      "t.json:2:37: bodies[0].size: a box takes [x, y, z] half extents, or a number for a cube" },
    { HEAD "\"bodies\": [{\"shape\": \"hull\"}]}", TARN_ERR_DATA,
      "t.json:2:12: bodies[0]: a hull needs \"points\", 4 to 64 of them" },
    { HEAD "\"bodies\": [{\"points\": []}]}", TARN_ERR_DATA,
      "t.json:2:13: bodies[0].points: only hulls have points" },
    { HEAD "\"bodies\": [{\"shape\": \"hull\", \"points\": [[0,0,0],[1,0,0],[0,1,0]]}]}",
      TARN_ERR_DATA, "t.json:2:40: bodies[0].points: expected an array of 4 to 64 points" },
    { HEAD "\"bodies\": [{\"shape\": \"hull\", \"points\": [[0,0,0],[1,0,0],[0,1,0],[0,1]]}]}",
      TARN_ERR_DATA, "t.json:2:65: bodies[0].points: expected [x, y, z], each -1000 to 1000 m" },
    { HEAD "\"bodies\": [{\"shape\": \"hull\", \"points\": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]}]}",
      TARN_ERR_DATA, NULL }, // flat: the sentence is that of tarn_bodies_add
    { HEAD "\"bodies\": [{\"name\": 3}]}", TARN_ERR_DATA,
      "t.json:2:21: bodies[0].name: expected a string, found a number" },
    { HEAD "\"bodies\": [{\"grid\": {\"count\": [1.5, 1, 1]}}]}", TARN_ERR_DATA,
      "t.json:2:21: bodies[0].grid.count: expected whole numbers" },
    { HEAD "\"bodies\": [{\"grid\": {\"count\": [100, 100, 1]}}]}", TARN_ERR_DATA,
      "t.json:2:12: bodies[0].grid.count: 10000 bodies from this entry make more than 4096 in all; "
      "allowed: at most 4096" },
    { HEAD "\"bodies\": [{\"driver\": {\"kind\": \"circle\"}}]}", TARN_ERR_DATA,
      "t.json:2:12: bodies[0]: driver.kind: circle needs a driven body; make it driven, or use "
      "thrust" },
    { HEAD "\"bodies\": [{\"driver\": {\"sped\": 2}}]}", TARN_ERR_DATA,
      "t.json:2:24: unknown key 'sped' in bodies[0].driver; did you mean 'speed'?" },
    { HEAD "\"emitters\": [{\"kind\": \"rain\", \"rate\": 1e9}]}", TARN_ERR_DATA,
      "t.json:2:39: emitters[0].rate: 1e+09 1/s is out of range; allowed: 0 to 10000 1/s" },
    { HEAD "\"emitters\": [{\"edge\": \"left\"}]}", TARN_ERR_DATA,
      "t.json:2:23: emitters[0].edge: 'left' is not one of: x0, x1, z0, z1" },
    { SOLVER "\"wave\"}],\n\"emitters\": [{\"start\": 2, \"stop\": 1}]}", TARN_ERR_DATA,
      "t.json:3:14: emitters[0]: emitter.stop: 1 s is before emitter.start, 2 s" },
    { SOLVER "\"shallow\", \"drg\": 0.5}]}", TARN_ERR_DATA,
      "t.json:2:33: unknown key 'drg' in shallow; did you mean 'drag'?" },
    { SOLVER "\"shallow\", \"terrain\": 3}]}", TARN_ERR_DATA,
      "t.json:2:44: shallow.terrain: expected an object, found a number" },
    { SOLVER "\"shallow\", \"terrain\": {\"kind\": \"rigded\"}}]}", TARN_ERR_DATA, NULL },
    { SOLVER "\"shallow\", \"terrain\": {\"nx\": 5}}]}", TARN_ERR_DATA,
      "t.json:2:45: unknown key 'nx' in shallow.terrain; docs/scenes.md lists the keys" },
    { SOLVER "\"shallow\", \"terrain\": {\"file\": 7}}]}", TARN_ERR_DATA,
      "t.json:2:53: shallow.terrain.file: expected a string, found a number" },
    { SOLVER "\"shallow\", \"terrain\": {\"file\": \"a.asc\"}}]}", TARN_ERR_DATA,
      "t.json:2:53: shallow.terrain.file: a scene from text has no folder; use "
      "tarn_scene_create_from_file" },
    { SOLVER "\"shallow\", \"terrain\": {\"file\": \"../a.asc\"}}]}", TARN_ERR_DATA,
      "t.json:2:53: shallow.terrain.file: expected the name of a file in the folder of the scene "
      "or below it" },
    { SOLVER "\"shallow\", \"terrain\": {\"file\": \"x/../../a.asc\"}}]}", TARN_ERR_DATA,
      "t.json:2:53: shallow.terrain.file: expected the name of a file in the folder of the scene "
      "or below it" },
    { SOLVER "\"shallow\", \"terrain\": {\"file\": \"/etc/passwd\"}}]}", TARN_ERR_DATA,
      "t.json:2:53: shallow.terrain.file: expected the name of a file in the folder of the scene "
      "or below it" },
    { SOLVER "\"shallow\", \"terrain\": {\"file\": \"a.asc\", \"low\": \"x\"}}]}", TARN_ERR_DATA,
      NULL },
    { SOLVER "\"shallow\", \"walls\": [{\"min\":[0,0],\"max\":[1,0]}]}]}", TARN_ERR_DATA,
      "t.json:2:43: shallow.walls[0]: min [0, 0] must be below max [1, 0]" },
    { SOLVER "\"shallow\", \"bed\": [{\"kind\":\"slope\",\"from\":[1,1],\"to\":[1,1]}]}]}",
      TARN_ERR_DATA, "t.json:2:41: shallow.bed[0]: from and to must not be the same point" },
    { SOLVER "\"shallow\", \"pools\": [{\"levl\": 1}]}]}", TARN_ERR_DATA,
      "t.json:2:44: unknown key 'levl' in shallow.pools[0]; did you mean 'level'?" },
    { SOLVER "\"shallow\", \"spans\": [{\"hydrograph\": 3}]}]}", TARN_ERR_DATA,
      "t.json:2:58: shallow.spans[0].hydrograph: expected an array of 1 to 1024 pairs [time, "
      "value]" },
    { SOLVER "\"shallow\", \"spans\": [{\"hydrograph\": [[0,1],[2]]}]}]}", TARN_ERR_DATA,
      "t.json:2:65: shallow.spans[0].hydrograph: expected [time, value]" },
    { SOLVER "\"shallow\", \"nx\":16,\"nz\":16,\"spans\": [{\"kind\":\"discharge\",\"hydrograph\": "
             "[[1,1],[0,2]]}]}]}",
      TARN_ERR_DATA, NULL }, // the sentence is that of the solver
    { SOLVER "\"shallow\", \"nx\":16,\"nz\":16}],\"emitters\": [{\"kind\":\"gate\"}]}",
      TARN_ERR_DATA,
      "t.json:2:64: emitters[0].gate: there is no gate 0; shallow has 0, counted from 0" },
    { SOLVER "\"shallow\", \"nx\":16,\"nz\":16}],\"emitters\": [{\"kind\":\"rain\"}]}",
      TARN_ERR_DATA,
      "t.json:2:64: emitters[0].kind: no solver of this scene supports 'rain' emitters; "
      "use the solver's parameter rain [mm/h] instead" },
    { SOLVER "\"shallow\", \"nx\":16,\"nz\":16}],\"emitters\": [{\"kind\":\"maker\"}]}",
      TARN_ERR_DATA,
      "t.json:2:64: emitters[0].kind: no solver of this scene supports 'maker' emitters; "
      "use a span with a wave_height to send waves in" },
    { SOLVER "\"wave\", \"nx\":16,\"nz\":16}],\"emitters\": [{},{\"kind\":\"source\"}]}",
      TARN_ERR_DATA,
      "t.json:2:64: emitters[1].kind: no solver of this scene supports 'source' emitters" },
    { SOLVER "\"pipes\", \"nx\":16,\"nz\":16}],\"emitters\": [{\"kind\":\"jet\"}]}", TARN_ERR_DATA,
      "t.json:2:62: emitters[0].kind: no solver of this scene supports 'jet' emitters" },
    { SOLVER "\"pipes\", \"gates\": []}]}", TARN_ERR_DATA, NULL },
    { SOLVER "\"liquid\", \"spacng\": 0.1}]}", TARN_ERR_DATA,
      "t.json:2:32: unknown key 'spacng' in liquid; did you mean 'spacing'?" },
    { SOLVER "\"liquid\", \"method\": \"flip\"}]}", TARN_ERR_DATA, NULL },
    { SOLVER "\"liquid\", \"kinds\": [{},{},{},{},{},{},{},{},{}]}]}", TARN_ERR_DATA,
      "t.json:2:41: liquid.kinds: 9 are too many; allowed: at most 8" },
    { SOLVER "\"liquid\", \"max_particles\": 10, \"fill\": [{}]}]}", TARN_ERR_DATA, NULL },
    { SOLVER "\"liquid\", \"sources\": [{\"attach\": \"x\"}]}]}", TARN_ERR_DATA,
      "t.json:2:55: liquid.sources[0].attach: no body is called 'x'" },
    { SOLVER
      "\"liquid\", \"sources\": [{\"attach\": \"boot\"}]}],\n\"bodies\": [{\"name\": \"boat\"}]}",
      TARN_ERR_DATA,
      "t.json:2:55: liquid.sources[0].attach: no body is called 'boot'; did you mean 'boat'?" },
    { SOLVER "\"liquid\", \"sources\": [{\"draws\": {}}]}]}", TARN_ERR_DATA,
      "t.json:2:54: liquid.sources[0].draws: the name of a solver is missing: \"from\"" },
    { SOLVER "\"liquid\", \"sources\": [{\"draws\": {\"from\": \"pond\"}}]}]}", TARN_ERR_DATA,
      "t.json:2:63: liquid.sources[0].draws.from: no solver is called 'pond'; there are: liquid" },
    { SOLVER "\"liquid\", \"regions\": [{\"attach\": \"x\"}]}]}", TARN_ERR_DATA, NULL },
    { SOLVER "\"particles\", \"emitters\": [{\"throttle\": \"scales\"}]}]}", TARN_ERR_DATA,
      "t.json:2:61: particles.emitters[0].throttle: 'scales' is not one of: none, steady, "
      "change" },
    { SOLVER "\"liquid\", \"sources\": [{\"attach\": 3}]}]}", TARN_ERR_DATA,
      "t.json:2:55: liquid.sources[0].attach: expected a string, found a number" },
    { SOLVER "\"particles\", \"emitters\": [{\"direction\": [0,0,0]}]}]}", TARN_ERR_DATA,
      "t.json:2:48: particles.emitters[0].direction: it must not be zero" },
    { SOLVER "\"fire\"}]}", TARN_ERR_DATA, NULL }, // it needs a liquid and particles
    { HEAD "\"engine\": \"havok\"}", TARN_ERR_DATA,
      "t.json:2:11: engine: expected one of: builtin, chipmunk, ode" },
    { HEAD "\"solids\": [{\"shape\": \"sphere\", \"size\": [1, 2]}]}", TARN_ERR_DATA,
      "t.json:2:40: solids[0].size: a sphere takes its radius" },
    { HEAD "\"solids\": [{\"shape\": \"path\"}]}", TARN_ERR_DATA,
      "t.json:2:12: solids[0]: this shape needs \"points\"" },
    { HEAD "\"solids\": [{\"shape\": \"path\", \"points\": [[1,2,3],[1,2]]}]}", TARN_ERR_DATA,
      "t.json:2:40: solids[0].points: expected 2 to 4096 items, each [x, y] in meters" },
    { HEAD "\"solids\": [{\"points\": [[1,2],[1,2]]}]}", TARN_ERR_DATA,
      "t.json:2:13: solids[0].points: this shape takes none" },
    { HEAD "\"solids\": [{\"shape\": \"mesh\", \"points\": [[0,0,0],[1,0,0],[0,1,0]],\n"
           "\"triangles\": [[0,1,3]]}]}",
      TARN_ERR_DATA,
      "t.json:3:20: solids[0].triangles: 3; the solid has 3 points, counted from 0" },
    { HEAD "\"solids\": [{\"shape\": \"wheel\", \"size\": [0.1, 0.2]}]}", TARN_ERR_DATA, NULL },
    { HEAD "\"solids\": [{\"driver\": {\"kind\": \"circle\"}}]}", TARN_ERR_DATA, NULL },
    { HEAD "\"bodies\": [{\"freedom\": \"hinge\", \"axis\": [0,0,0]}]}", TARN_ERR_DATA, NULL },
    { HEAD "\"bodies\": [{\"solid\": {\"shape\": \"cone\"}}]}", TARN_ERR_DATA, NULL },
    { SOLVER "\"wave\", \"window\": {\"bdy\": \"x\"}}]}", TARN_ERR_DATA,
      "t.json:2:41: unknown key 'bdy' in wave.window; did you mean 'body'?" },
    { SOLVER "\"wave\", \"window\": {\"body\": 3}}]}", TARN_ERR_DATA,
      "t.json:2:49: wave.window.body: expected a string, found a number" },
    { SOLVER "\"wave\", \"window\": {\"kind\": \"body\"}}]}", TARN_ERR_DATA,
      "t.json:2:40: wave.window: a window that follows a body needs its name: \"body\"" },
    { SOLVER "\"wave\", \"window\": {\"body\": \"x\"}}], \"bodies\": [{\"name\":\"y\"}]}",
      TARN_ERR_DATA, "t.json:2:49: wave.window.body: no body is called 'x'; there are: y" },
    { SOLVER "\"liquid\", \"window\": {}}]}", TARN_ERR_DATA,
      "t.json:2:32: liquid.window: the liquid solver cannot move; remove the window" },
    { HEAD
      "\"view\": {\"solver\": \"pnd\"}, \"solvers\": [{\"kind\": \"wave\", \"name\": \"pond\"}]}",
      TARN_ERR_DATA, "t.json:2:20: view.solver: no solver is called 'pnd'; did you mean 'pond'?" },
    { "{\"tarn\": 1,\n"
      "\"view\": {\"body\": \"bord\"}, \"bodies\": [{\"name\": \"board\"}]}",
      TARN_ERR_DATA, "t.json:2:18: view.body: no body is called 'bord'; did you mean 'board'?" },
    { SOLVER "\"wave\"}], \"emitters\": [{\"in\": \"wavy\"}]}", TARN_ERR_DATA,
      "t.json:2:52: emitters[0].in: no solver is called 'wavy'; did you mean 'wave'?" },
    { SOLVER "\"wave\"}, {\"kind\": \"shallow\"}],\n\"emitters\": [{\"in\": \"shallow\", \"kind\": "
             "\"rain\"}]}",
      TARN_ERR_DATA,
      "t.json:3:14: emitters[0].kind: the shallow solver does not support 'rain' emitters; "
      "use the solver's parameter rain [mm/h] instead" },
    { HEAD "\"curl_noise\": {}}", TARN_ERR_DATA,
      "t.json:2:1: curl_noise: it carries particles, but the scene has none; add a solver of kind "
      "particles or remove curl_noise" },
    { HEAD "\"bodies\": [{\"driven\": true, \"flight\": {}, \"driver\": {\"kind\": \"circle\"}}]}",
      TARN_ERR_DATA,
      "t.json:2:29: bodies[0].flight: a body can have a driver or a flight, not both" },
    { HEAD "\"bodies\": [{\"flight\": {}}]}", TARN_ERR_DATA, NULL }, // it is not driven
    { HEAD "\"run\": {\"dt\": 0.1, \"dt\": 0.2}}", TARN_ERR_DATA,
      "t.json:2:20: expected each key once in an object, found \"dt\" again (first at 2:9)" },
    { HEAD "\"a\\u00e9\\u0007b\": 1}", TARN_ERR_DATA, NULL },
};

static void test_refused(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; ++i) {
        TarnScene* scene;
        size_t before = memory.bytes;
        const char* text = refused[i].text;
        TarnResult result = create_with(text, strlen(text), NULL, 0, &scene);
        if (result != refused[i].code)
            fail_msg("%s\n%s: %s", text, tarn_result_name(result), tarn_last_error(ctx));
        if (refused[i].message) assert_string_equal(tarn_last_error(ctx), refused[i].message);
        assert_memory_equal(tarn_last_error(ctx), "t.json:", 7);
        assert_null(scene);
        assert_int_equal(memory.bytes, before);
    }
}

static void test_limits(void** state)
{
    (void)state;
    static const struct {
        const char *head, *item, *tail, *message;
        int most;
    } lists[] = {
        { HEAD "\"bodies\":[", "{}", "]}",
          "t.json:2:10: bodies: 4097 are too many; allowed: at most 4096", 4096 },
        { SOLVER "\"wave\",\"nx\":8,\"nz\":8}],\n\"emitters\":[", "{}", "]}",
          "t.json:3:12: emitters: 1025 are too many; allowed: at most 1024", 1024 },
        { SOLVER "\"wave\",\n\"nx\":8,\"nz\":8,\"walls\":[", "{\"min\":[9,9],\"max\":[10,10]}",
          "]}]}", "t.json:3:23: wave.walls: 1025 are too many; allowed: at most 1024", 1024 },
    };
    for (int l = 0; l < 3; ++l) {
        for (int extra = 0; extra < 2; ++extra) {
            int n = lists[l].most + extra;
            size_t item = strlen(lists[l].item) + 1;
            char* text = malloc(strlen(lists[l].head) + (size_t)n * item + 8);
            char* at = text + sprintf(text, "%s", lists[l].head);
            for (int i = 0; i < n; ++i) at += sprintf(at, "%s%s", i ? "," : "", lists[l].item);
            sprintf(at, "%s", lists[l].tail);
            TarnScene* scene;
            TarnResult result = create_with(text, strlen(text), NULL, 0, &scene);
            assert_int_equal(result, extra ? TARN_ERR_DATA : TARN_OK);
            if (extra) assert_string_equal(tarn_last_error(ctx), lists[l].message);
            tarn_scene_destroy(scene);
            free(text);
        }
    }
}

// Every beginning of a good text, and many damaged ones: refused or created, never more.
static void damage(const char* good, uint64_t rounds)
{
    size_t size = strlen(good), before = memory.bytes;
    char* text = malloc(size);
    TarnScene* scene;
    for (size_t n = 0; n < size - 2; ++n) // without the last line break and brace
        assert_int_not_equal(create_with(good, n, NULL, 0, &scene), TARN_OK);
    for (uint64_t n = 0; n < rounds; ++n) {
        memcpy(text, good, size);
        for (uint64_t k = 0; k < 1 + n % 3; ++k) {
            size_t at = tarn__random(n, 2 * k, 0) % size;
            text[at] = good[tarn__random(n, 2 * k + 1, 0) % size];
        }
        if (create_with(text, size, NULL, 0, &scene) == TARN_OK) {
            step(tarn_scene_world(scene), 1.0f / 60, 1);
            assert_true(is_finite_world(tarn_scene_world(scene)));
        }
        tarn_scene_destroy(scene);
    }
    free(text);
    assert_int_equal(memory.bytes, before);
}

static void test_damaged_texts(void** state)
{
    (void)state;
    damage(everything, 2000);
    damage(flowing, 1000);
    damage(carving, 500);
}

static void test_bad_arguments(void** state)
{
    (void)state;
    TarnScene* scene;
    TarnSceneOverride none = { NULL, NULL };
    assert_int_equal(tarn_scene_create(NULL, "{}", 2, "n", NULL, 0, &scene), TARN_ERR_ARG);
    assert_int_equal(tarn_scene_create(ctx, "{}", 2, "n", NULL, 0, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_scene_create(ctx, NULL, 2, "n", NULL, 0, &scene), TARN_ERR_ARG);
    assert_int_equal(tarn_scene_create(ctx, "{}", 2, "n", NULL, 1, &scene), TARN_ERR_ARG);
    assert_int_equal(tarn_scene_create(ctx, "{}", 2, "n", NULL, -1, &scene), TARN_ERR_ARG);
    assert_int_equal(tarn_scene_create(ctx, "{}", 2, "n", &none, 1, &scene), TARN_ERR_ARG);
    assert_int_equal(tarn_scene_create(ctx, NULL, 0, NULL, NULL, 0, &scene), TARN_ERR_DATA);
    assert_memory_equal(tarn_last_error(ctx), "scene:1:1: ", 11);
}

// ---- Overrides -----------------------------------------------------------------------------------

// Things of one section that make no sense with another one are refused with the field, the value and the remedy;
// the same with the remedy is fine.
static void test_sections_fit_together(void** state)
{
    (void)state;
#define RIVER                                                                                      \
    "\"solvers\": [ { \"kind\": \"shallow\", \"nx\": 64, \"nz\": 32, \"dx\": 1, \"terrain\": { "   \
    "\"kind\": "
#define WATER(kind)                                                                                \
    "\"solvers\": [ { \"kind\": \"" kind "\", \"nx\": 64, \"nz\": 32, \"dx\": 1 } ], "
#define SOURCE "\"emitters\": [ { \"kind\": \"source\", \"radius\": 2, \"flow\": 1, \"a\": "
#define SPARKS "\"solvers\": [ { \"kind\": \"particles\", \"emitters\": [ { \"kind_of_particle\": "
#define FLAMES                                                                                     \
    "\"solvers\": [ { \"kind\": \"liquid\" }, { \"kind\": \"particles\" }, { \"kind\": \"fire\""
    static const struct {
        const char *text, *sentence; // NULL: fine
    } cases[] = {
        { RIVER "\"river_valley\" } } ]",
          "shallow.terrain.center: [128, 128]: the river at z = 128 m" },
        { RIVER "\"river_valley\", \"center\": [128, 16] } } ]", NULL },
        { RIVER "\"beach\" } } ]",
          "the beach at x = 130 m lies outside the grid, which covers x from 0 to 64" },
        { RIVER "\"beach\", \"center\": [40, 128] } } ]", NULL },
        { WATER("shallow") SOURCE "[10, 40] } ]",
          "emitters[0].a: the source at [10, 40] m lies outside the grid of shallow" },
        { WATER("shallow") SOURCE "[10, 33] } ]", NULL },
        { WATER("pipes") SOURCE "[-9, 4] } ]", "lies outside the grid of pipes" },
        { SPARKS "3 } ] } ]",
          "particles.emitters[0].kind_of_particle: particles of kind 3 cannot" },
        { SPARKS "2 } ] } ]", NULL },
        { SPARKS "1 } ], \"looks\": [ {} ] } ]", "kind 1 has no look; particles.looks has 1" },
        { SPARKS "1 } ], \"looks\": [ {}, {} ] } ]", NULL },
        { FLAMES ", \"kind_of_flame\": 3 } ]", "fire.kind_of_flame: particles of kind 3 cannot" },
        { FLAMES " } ]", NULL },
        { "\"solvers\": [ { \"kind\": \"wave\", \"nx\": 32, \"nz\": 32 }, { \"kind\": \"liquid\" } "
          "], "
          "\"bodies\": [ { \"density\": 300 } ]",
          NULL }, // it floats in both
        { "\"solvers\": [ { \"kind\": \"pipes\", \"nx\": 8, \"nz\": 8, \"use_erosion\": false, "
          "\"max_depth\": 1 } ]",
          NULL },
        { "\"bodies\": [ {}, { \"grid\": { \"count\": [4096, 2, 1] } } ]",
          "bodies[1].grid.count: 8192 bodies" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[600];
        TarnScene* scene;
        snprintf(text, sizeof text, "{ \"tarn\": 1, %s }", cases[i].text);
        TarnResult result = create_with(text, strlen(text), NULL, 0, &scene);
        if (cases[i].sentence == NULL && result != TARN_OK)
            fail_msg("%s: %s", cases[i].text, tarn_last_error(ctx));
        if (cases[i].sentence != NULL) {
            if (result != TARN_ERR_DATA || !strstr(tarn_last_error(ctx), cases[i].sentence))
                fail_msg("%s: %s", cases[i].text, tarn_last_error(ctx));
        }
        tarn_scene_destroy(scene);
    }
}

static void test_overrides(void** state)
{
    (void)state;
    const TarnSceneOverride overrides[] = {
        { "wave.damping", "0.75" },
        { "solvers[0].nx", "64" },
        { "ball.density", "300" },
        { "bodies[1].size", "0.25" },
        { "bodies[1].grid.count", "3,1,1" },
        { "bodies[3].driver.speed", "3" },
        { "emitters[0].rate", "5" },
        { "view.yaw", "45" },
        { "view.mode", "bars" },
        { "run.seconds", "30" },
        { "run.seconds", "40" },
        { "wave.walls[1].radius", "0.1" },
        { "wave.bed[0].height", "0.5" },
        { "wave.use_bodies", "true" },
        { "bodies[0].position", "0,2,1" },
    };
    TarnScene* scene;
    int n = (int)(sizeof overrides / sizeof overrides[0]);
    if (create_with(everything, strlen(everything), overrides, n, &scene) != TARN_OK)
        fail_msg("%s", tarn_last_error(ctx));
    TarnWorld* world = tarn_scene_world(scene);
    TarnBodies* bodies = tarn_world_bodies(world);
    assert_float_equal(tarn_wave_params(tarn_world_wave(world, 0)).damping, 0.75, 0);
    assert_int_equal(tarn_wave_def(tarn_world_wave(world, 0))->nx, 64);
    assert_int_equal(tarn_bodies_count(bodies), 6);
    float mass, volume;
    tarn_bodies_get_mass(bodies, tarn_bodies_at(bodies, 0), &mass, &volume);
    assert_float_equal(mass / volume, 300, 0.01);
    tarn_bodies_get_mass(bodies, tarn_bodies_at(bodies, 1), &mass, &volume);
    assert_float_equal(volume, 0.125, 1e-6); // half a meter each way
    TarnBodyState s;
    tarn_bodies_get_state(bodies, tarn_bodies_at(bodies, 0), &s);
    assert_float_equal(s.position.y, 2, 0);
    assert_float_equal(tarn_scene_view(scene).yaw, 45, 0);
    assert_int_equal(tarn_scene_view(scene).mode, 1);
    assert_float_equal(tarn_scene_run(scene).seconds, 40, 0); // the last one counts
    tarn_scene_destroy(scene);
}

static void test_overrides_of_land(void** state)
{
    (void)state;
    const TarnSceneOverride overrides[] = {
        { "shallow.drag", "0.02" },        { "shallow.terrain.seed", "9" },
        { "shallow.walls[0].top", "5" },   { "shallow.pools[1].level", "0.5" },
        { "shallow.spans[0].from", "-2" }, { "shallow.gates[0].top", "5" },
        { "shallow.bed[0].height", "2" },  { "shallow.window.slack", "0.1" },
        { "emitters[1].flow", "3" },       { "shallow.terrain.kind", "slope" },
    };
    TarnScene* scene;
    int n = (int)(sizeof overrides / sizeof overrides[0]);
    if (create_with(flowing, strlen(flowing), overrides, n, &scene) != TARN_OK)
        fail_msg("%s", tarn_last_error(ctx));
    TarnShallow* water = tarn_world_shallow(tarn_scene_world(scene), 0);
    TarnView2 bed = tarn_shallow_bed(water);
    assert_float_equal(bed.data[21 + bed.stride * 4], 5, 1e-4);
    assert_float_equal(tarn_shallow_params(water).drag, 0.02, 1e-6);
    tarn_scene_destroy(scene);
    static const struct {
        const char *path, *message;
    } bad[] = {
        { "shallow.walls[4].top",
          "override 'shallow.walls[4].top': shallow.walls has 4 items, counted from 0" },
        { "shallow.terrain.sed", "unknown key 'sed' in shallow.terrain; did you mean 'seed'?" },
        { "shallow.terrain",
          "shallow.terrain: an override can only set a single value; change this in the file" },
        { "shalow.drag",
          "override 'shalow.drag': nothing in this scene is called 'shalow'; did you "
          "mean 'shallow'?" },
    };
    for (int i = 0; i < 4; ++i) {
        TarnSceneOverride o = { bad[i].path, "1" };
        assert_int_equal(create_with(flowing, strlen(flowing), &o, 1, &scene), TARN_ERR_ARG);
        assert_string_equal(tarn_last_error(ctx), bad[i].message);
    }
}

// Sections that the file does not have start from their defaults; solvers come from the file alone.
static void test_overrides_of_absent(void** state)
{
    (void)state;
    const TarnSceneOverride overrides[] = { { "view.yaw", "12" }, { "world.gravity", "3.7" } };
    const TarnSceneOverride wave = { "wave.nx", "16" };
    TarnScene* scene;
    const char* text = SOLVER "\"wave\", \"nx\": 16, \"nz\": 24}]}";
    assert_int_equal(create_with(text, strlen(text), overrides, 2, &scene), TARN_OK);
    assert_float_equal(tarn_scene_view(scene).yaw, 12, 0);
    const TarnWaveDef* def = tarn_wave_def(tarn_world_wave(tarn_scene_world(scene), 0));
    assert_float_equal(def->gravity, 3.7, 1e-6); // the world's, as no other was given
    tarn_scene_destroy(scene);
    assert_int_equal(create_with("{\"tarn\":1}", 10, &wave, 1, &scene), TARN_ERR_ARG);
    assert_string_equal(
        tarn_last_error(ctx),
        "override 'wave.nx': nothing in this scene is called 'wave'; there are: "
        "run, view, world, curl_noise, wind, solvers, bodies, solids, emitters, channels");
}

static const struct {
    const char *path, *value, *message;
} refused_overrides[] = {
    { "wave.dampng", "1", "unknown key 'dampng' in wave; did you mean 'damping'?" },
    { "wave.damping", "-1", "wave.damping: -1 1/s is out of range; allowed: 0 to 1000 1/s" },
    { "wave.damping", "much", "wave.damping: 'much' is not a number" },
    { "wave.damping", "nan", "wave.damping: 'nan' is not a number" },
    { "wave.walls", "1",
      "wave.walls: an override can only set a single value; change this in the file" },
    { "wave", "1", "override 'wave': write it like wave.key=value" },
    { "wave.foo.bar", "1", "unknown key 'foo' in wave; docs/scenes.md lists the keys" },
    { "wave.nx[1]", "1", "wave.nx[1]: this is a single value; write it like wave.nx=value" },
    { "wav.damping", "1",
      "override 'wav.damping': nothing in this scene is called 'wav'; did you mean 'wave'?" },
    { "", "1",
      "override '': nothing in this scene is called ''; there are: wave, run, view, world, "
      "curl_noise, wind, solvers, bodies, solids, emitters, channels" },
    { "solvers[1].nx", "1", "override 'solvers[1].nx': solvers has 1 items, counted from 0" },
    { "solvers[0].nix", "1", "unknown key 'nix' in wave; did you mean 'nx'?" },
    { "solids[0].size", "1", "override 'solids[0].size': solids has 0 items, counted from 0" },
    { "bodies[9].density", "1",
      "override 'bodies[9].density': bodies has 4 items, counted from 0" },
    { "bodies[0].solid.size", "1",
      "override 'bodies[0].solid.size': there is no such value in the scene" },
    { "ball.densty", "1", "unknown key 'densty' in bodies[0]; did you mean 'density'?" },
    { "emitters[5].rate", "1",
      "override 'emitters[5].rate': emitters has 5 items, counted from 0" },
    { "wave.walls[2].radius", "1",
      "override 'wave.walls[2].radius': wave.walls has 2 items, counted from 0" },
    { "bodies.density", "1", "override 'bodies.density': write it like bodies[0].key=value" },
    { "bodies", "1", "override 'bodies': write it like bodies[0].key=value" },
    { "bodies[1]", "1", "override 'bodies[1]': write it like bodies[0].key=value" },
    { "bodies[-1].density", "1",
      "override 'bodies[-1].density': bodies has 4 items, counted from 0" },
    { "bodies[1].densty", "1", "unknown key 'densty' in bodies[1]; did you mean 'density'?" },
    { "bodies[1].drivr.speed", "1", "unknown key 'drivr' in bodies[1]; did you mean 'driver'?" },
    { "bodies[1].size", "0", "bodies[1].size: 0 m is out of range; allowed: 0.001 to 1000 m" },
    { "emitters[0].kind", "snow",
      "emitters[0].kind: 'snow' is not one of: drop, rain, stroke, line, maker, source, gate, "
      "dig, jet" },
};

static void test_refused_overrides(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused_overrides / sizeof refused_overrides[0]; ++i) {
        TarnSceneOverride o = { refused_overrides[i].path, refused_overrides[i].value };
        TarnScene* scene;
        size_t before = memory.bytes;
        TarnResult result = create_with(everything, strlen(everything), &o, 1, &scene);
        if (result != TARN_ERR_ARG) fail_msg("%s: %s", o.path, tarn_result_name(result));
        assert_string_equal(tarn_last_error(ctx), refused_overrides[i].message);
        assert_int_equal(memory.bytes, before);
    }
}

// ---- Memory --------------------------------------------------------------------------------------

static void run_out(const char* text, const char* path, int least)
{
    const TarnSceneOverride override = { path, "0.5" };
    size_t before = memory.bytes;
    TarnScene* scene = NULL;
    int n = 0;
    for (;; ++n) {
        memory.calls = 0;
        memory.fail_at = n + 1;
        TarnResult result = create_with(text, strlen(text), &override, 1, &scene);
        memory.fail_at = 0;
        if (result == TARN_OK) break;
        assert_int_equal(result, TARN_ERR_MEMORY);
        assert_null(scene);
        assert_int_equal(memory.bytes, before);
    }
    assert_true(n >= least);

    // Loading allocates, too, and changes nothing if it cannot.
    TarnWorld* world = tarn_scene_world(scene);
    size_t size;
    assert_int_equal(tarn_world_save(world, NULL, 0, &size), TARN_ERR_CAPACITY);
    char* snapshot = malloc(size);
    assert_int_equal(tarn_world_save(world, snapshot, size, &size), TARN_OK);
    step(world, 1.0f / 60, 5);
    uint64_t hash = tarn_world_hash(world);
    memory.calls = 0;
    memory.fail_at = 1;
    assert_int_equal(tarn_world_load(world, snapshot, size), TARN_ERR_MEMORY);
    memory.fail_at = 0;
    assert_true(tarn_world_hash(world) == hash);
    assert_int_equal(tarn_world_load(world, snapshot, size), TARN_OK);
    free(snapshot);
    tarn_scene_destroy(scene);
}

static void test_no_memory(void** state)
{
    (void)state;
    run_out(everything, "wave.damping",
            10); // flags, text, walls, bed, bodies, emitters, scene, ...
    run_out(flowing, "shallow.drag", 14);
    run_out(carving, "pipes.friction", 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scene_files),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_content),
        cmocka_unit_test(test_land),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_minimal),
        cmocka_unit_test(test_room),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_damaged_texts),
        cmocka_unit_test(test_bad_arguments),
        cmocka_unit_test(test_sections_fit_together),
        cmocka_unit_test(test_overrides),
        cmocka_unit_test(test_overrides_of_land),
        cmocka_unit_test(test_overrides_of_absent),
        cmocka_unit_test(test_refused_overrides),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
