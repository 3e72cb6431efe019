// What apps/play promises besides tools: parameters by path, rebuilding, errors with their place, time, the camera, JSON,
// debug views, snapshots, the command line.

#include "play_common.h"

static const char tiny[] =
    "{ \"tarn\": 1, \"title\": \"Tiny\",\n"
    "  \"solvers\": [ { \"kind\": \"wave\", \"nx\": 32, \"nz\": 32, \"dx\": 0.1 } ],\n"
    "  \"bodies\": [ { \"shape\": \"sphere\", \"size\": [0.2], \"position\": [1.6, 0.2, 1.6] } ],\n"
    "  \"emitters\": [ { \"kind\": \"drop\", \"a\": [1, 1], \"height\": 0.05, \"radius\": 0.2 } ] "
    "}\n";

static TarnPlay* open_tiny(void)
{
    TarnPlay* play = tarn_play_new(1, 320, 180);
    assert_non_null(play);
    if (!tarn_play_open_text(play, tiny, "tiny")) fail_msg("%s", tarn_play_error(play));
    assert_non_null(tarn_play_frame(play, 0.0));
    return play;
}

static void sets_parameters(void** state)
{
    TarnPlay *a = open_tiny(), *b = open_tiny();
    TarnPlayParam p;
    (void)state;
    for (int i = 0; i < 5; ++i) assert_true(tarn_play_step(a) && tarn_play_step(b));
    assert_int_equal(tarn_play_hash(a), tarn_play_hash(b));
    // A live one changes the next step and nothing before it.
    assert_true(tarn_play_set(a, "wave.damping", "2"));
    assert_int_equal(tarn_play_step_count(a), 5);
    assert_true(tarn_play_step(a) && tarn_play_step(b));
    assert_int_not_equal(tarn_play_hash(a), tarn_play_hash(b));
    assert_true(tarn_play_param_at(a, tarn_play_param_find(a, "wave.damping"), &p));
    assert_int_equal(p.kind, TARN_PLAY_LIVE);
    assert_true(p.is_changed && p.value[0] == 2.0 && p.start[0] != 2.0);
    assert_string_equal(p.unit, "1/s");
    assert_true(p.help[0] != '\0' && p.max > p.min);
    assert_string_equal(tarn_play_changes(a), "wave.damping=2");
    // A fixed one starts over and says so, and keeps the other change.
    assert_true(tarn_play_set(a, "wave.nx", "48"));
    assert_int_equal(tarn_play_step_count(a), 0);
    assert_non_null(strstr(tarn_play_notice(a), "wave.nx"));
    assert_string_equal(tarn_play_notice(a), "");
    assert_string_equal(tarn_play_value(a, "wave.nx"), "48");
    assert_string_equal(tarn_play_value(a, "wave.damping"), "2");
    // Both go back to what the scene says.
    assert_true(tarn_play_reset(a, "wave.damping"));
    assert_true(tarn_play_reset(a, "wave.nx"));
    assert_string_equal(tarn_play_value(a, "wave.nx"), "32");
    assert_string_equal(tarn_play_changes(a), "");
    assert_true(tarn_play_set_changes(a, "wave.damping=1\nemitters[0].height=0.1"));
    assert_string_equal(tarn_play_value(a, "emitters[0].height"), "0.1");
    assert_true(tarn_play_reset_all(a));
    for (int i = 0; i < 6; ++i) assert_true(tarn_play_step(a));
    assert_int_equal(tarn_play_hash(a), tarn_play_hash(b));
    tarn_play_destroy(a);
    tarn_play_destroy(b);
}

static void view_parameters_keep_the_state(void** state)
{
    TarnPlay* play = open_tiny();
    (void)state;
    for (int i = 0; i < 4; ++i) assert_true(tarn_play_step(play));
    uint64_t hash = tarn_play_hash(play);
    assert_true(tarn_play_set(play, "view.sky", "dusk"));
    assert_int_equal(tarn_play_hash(play), hash);
    assert_int_equal(tarn_play_step_count(play), 4);
    const TarnFrame* frame = tarn_play_redraw(play);
    assert_non_null(frame);
    assert_int_equal(frame->sky.kind, TARN_SKY_DUSK);
    tarn_play_destroy(play);
}

static void refuses(void** state)
{
    TarnPlay* play = open_tiny();
    (void)state;
    uint64_t hash = tarn_play_hash(play);
    assert_false(tarn_play_set(play, "wave.damping", "-1"));
    assert_non_null(strstr(tarn_play_error(play), "wave.damping"));
    assert_false(tarn_play_set(play, "wave.dampin", "1"));
    assert_non_null(strstr(tarn_play_error(play), "did you mean 'damping'"));
    assert_false(tarn_play_set(play, "wave.nx", "many"));
    assert_false(tarn_play_set_changes(play, "wave.damping=1\nwave.nx=0"));
    assert_string_equal(tarn_play_changes(play), "");
    // The place of an error, as the command line words it; the scene goes on.
    assert_false(
        tarn_play_edit(play, "{ \"tarn\": 1,\n  \"solvers\": [ { \"kind\": \"wav\" } ] }"));
    assert_int_equal(tarn_play_error_line(play), 2);
    assert_int_equal(tarn_play_error_column(play), 26);
    assert_non_null(strstr(tarn_play_error(play), "tiny:2:26: "));
    assert_null(strstr(tarn_play_error_text(play), "tiny:2"));
    assert_false(tarn_play_check(play, "{", "x"));
    assert_true(tarn_play_check(play, tiny, "x"));
    assert_int_equal(tarn_play_hash(play), hash);
    assert_false(tarn_play_load(play, "nonsense", 8));
    assert_false(tarn_play_set_tool(play, "hammer"));
    assert_false(tarn_play_set_debug(play, "neighbors", true)); // no liquid
    assert_false(tarn_play_set_camera(play, "1,2,3"));
    assert_false(tarn_play_open_file(play, "/nowhere/at_all.json"));
    assert_string_equal(tarn_play_name(play), "tiny");
    tarn_play_destroy(play);
}

static void keeps_camera_when_edited(void** state)
{
    TarnPlay* play = open_tiny();
    (void)state;
    tarn_play_orbit(play, 0.4f, 0.1f);
    tarn_play_zoom(play, 1.5f);
    char camera[160];
    snprintf(camera, sizeof camera, "%s", tarn_play_camera(play));
    assert_true(camera[0] != '\0');
    assert_true(tarn_play_set(play, "wave.nz", "40"));
    assert_string_equal(tarn_play_camera(play), camera);
    assert_true(tarn_play_edit(play, tiny));
    assert_string_equal(tarn_play_camera(play), camera);
    assert_string_equal(tarn_play_value(play, "wave.nz"), "40");
    tarn_play_camera_reset(play);
    assert_string_equal(tarn_play_camera(play), "");
    assert_true(tarn_play_set_camera(play, camera));
    assert_string_equal(tarn_play_camera(play), camera);
    assert_non_null(strstr(tarn_play_command(play), camera));
    assert_non_null(strstr(tarn_play_command(play), "--set wave.nz=40"));
    tarn_play_destroy(play);
}

static void moves_the_camera(void** state)
{
    TarnPlay* play = open_tiny();
    (void)state;
    TarnCamera before = play->shown;
    tarn_play_pointer(play, 0, TARN_PLAY_DOWN, 0.5f, 0.5f, TARN_PLAY_RIGHT, 0);
    tarn_play_pointer(play, 0, TARN_PLAY_MOVE, 0.6f, 0.5f, 0, 0);
    tarn_play_pointer(play, 0, TARN_PLAY_UP, 0.6f, 0.5f, TARN_PLAY_RIGHT, 0);
    TarnCamera turned = tarn_play_redraw(play)->camera;
    assert_true(turned.eye.x != before.eye.x && turned.target.x == before.target.x);
    // Two fingers that move apart: closer.
    tarn_play_pointer(play, 1, TARN_PLAY_DOWN, 0.45f, 0.5f, TARN_PLAY_LEFT, 0);
    tarn_play_pointer(play, 2, TARN_PLAY_DOWN, 0.55f, 0.5f, TARN_PLAY_LEFT, 0);
    tarn_play_pointer(play, 2, TARN_PLAY_MOVE, 0.65f, 0.5f, 0, 0);
    TarnVec3 e = play->camera.eye, t = play->camera.target;
    float far =
        sqrtf((e.x - t.x) * (e.x - t.x) + (e.y - t.y) * (e.y - t.y) + (e.z - t.z) * (e.z - t.z));
    e = turned.eye, t = turned.target;
    float was =
        sqrtf((e.x - t.x) * (e.x - t.x) + (e.y - t.y) * (e.y - t.y) + (e.z - t.z) * (e.z - t.z));
    assert_true(fabsf(was / far - 2.0f) < 0.01f);
    tarn_play_pointer(play, 1, TARN_PLAY_UP, 0.45f, 0.5f, TARN_PLAY_LEFT, 0);
    tarn_play_pointer(play, 2, TARN_PLAY_UP, 0.65f, 0.5f, TARN_PLAY_LEFT, 0);
    tarn_play_fly(play, 0.0f, 0.0f, 1.0f);
    TarnVec3 old = play->camera.eye;
    tarn_play_frame(play, 0.1);
    assert_true(play->camera.eye.y < old.y); // it looks down, and flies ahead
    tarn_play_destroy(play);
}

static void keeps_time(void** state)
{
    TarnPlay* play = open_tiny();
    (void)state;
    double dt = tarn_play_dt(play);
    for (int i = 0; i < 10; ++i) assert_non_null(tarn_play_frame(play, 0.5 * dt));
    assert_int_equal(tarn_play_step_count(play), 5);
    tarn_play_set_speed(play, 0.25);
    for (int i = 0; i < 8; ++i) assert_non_null(tarn_play_frame(play, dt));
    assert_in_range(tarn_play_step_count(play), 6, 7);
    tarn_play_set_speed(play, 1.0);
    // A machine that is too slow drops time, and says so.
    play->def.max_step_ms = 0.0;
    int steps = tarn_play_step_count(play);
    for (int i = 0; i < 30; ++i) tarn_play_frame(play, 4.0 * dt);
    assert_in_range(tarn_play_step_count(play) - steps, 25, 31);
    TarnPlayStatus status;
    tarn_play_status(play, &status);
    assert_true(status.dropped > 80.0 * dt && status.real_time < 0.5);
    assert_non_null(strstr(tarn_play_words(play), "% of the wanted speed"));
    tarn_play_pause(play, true);
    steps = tarn_play_step_count(play);
    assert_non_null(tarn_play_frame(play, 1.0));
    assert_int_equal(tarn_play_step_count(play), steps);
    tarn_play_destroy(play);
}

static void history_is_bounded(void** state)
{
    TarnPlayDef def = tarn_play_default_def();
    def.workers = 1;
    def.history_bytes = 200000;
    TarnPlay* play = tarn_play_create(&def);
    (void)state;
    assert_true(tarn_play_open_text(play, tiny, "tiny"));
    for (int i = 0; i < 200; ++i) {
        assert_true(tarn_play_step(play));
        if (i % 3 == 0)
            assert_true(tarn_play_set(play, "wave.damping",
                                      i % 2 ? "0.1" : "0.2")); // each needs a snapshot
    }
    TarnPlayStatus status;
    tarn_play_status(play, &status);
    assert_true(status.history_bytes <= 200000);
    assert_true(tarn_play_steps_back(play) > 1);
    int n = 0;
    while (tarn_play_step_back(play)) ++n;
    assert_true(n > 1);
    assert_non_null(strstr(tarn_play_error(play), "beginning"));
    tarn_play_destroy(play);
}

// A part that a tool holds is in the snapshots of its time; going back must not leave it there for ever.
static void tools_leave_nothing_behind(void** state)
{
    TarnPlay* play = open_scene("dam_break_2d");
    (void)state;
    assert_true(tarn_play_set_tool(play, "pour"));
    tarn_play_pointer(play, 0, TARN_PLAY_DOWN, 0.7f, 0.4f, TARN_PLAY_LEFT, 0);
    for (int i = 0; i < 6; ++i) assert_true(tarn_play_step(play));
    assert_true(play->tools.grip.part != 0);
    tarn_play_pointer(play, 0, TARN_PLAY_UP, 0.7f, 0.4f, TARN_PLAY_LEFT, 0);
    assert_true(tarn_play_step(play));
    uint64_t hash = tarn_play_hash(play);
    for (int i = 0; i < 3; ++i) assert_true(tarn_play_step_back(play));
    TarnLiquid* liquid = tarn_world_liquid(play->world, 0);
    assert_true(tarn_play_step(play)); // forgets the nozzle
    int n = tarn_liquid_view(liquid).n;
    for (int i = 0; i < 5; ++i) assert_true(tarn_play_step(play));
    assert_int_equal(tarn_liquid_view(liquid).n, n);
    assert_int_not_equal(tarn_play_hash(play), hash);
    tarn_play_destroy(play);
}

static void writes_json(void** state)
{
    static const char* const names[] = { "flagship", "campfire", "sprinkle_level", "lake_gate" };
    (void)state;
    for (int n = 0; n < 4; ++n) {
        if (is_short_run() && n > 1) continue;
        TarnPlay* play = open_scene(names[n]);
        assert_true(tarn_play_step(play));
        const char* texts[] = { tarn_play_params_json(play), tarn_play_status_json(play),
                                tarn_play_tools_json(play), tarn_play_debug_json(play) };
        for (int i = 0; i < 4; ++i) {
            TarnJsonDoc doc = { 0 };
            if (tarn__json_parse(play->ctx, "json", texts[i], strlen(texts[i]), &doc) != TARN_OK)
                fail_msg("%s: %s", names[n], tarn_last_error(play->ctx));
            assert_true(doc.root->count > 0);
            tarn__json_free(play->ctx, &doc);
        }
        assert_true(tarn_play_family_of(play, tarn_play_text(play))[0] != '\0');
        tarn_play_destroy(play);
    }
}

// Every debug view of every kind of scene draws lines, and only lines that are finite.
static void draws_debug_views(void** state)
{
    // Waves, floods, liquids, gases; the sea, its wakes, ponds, spray and surf; lattices of air, smoke and liquid, sparks.
    static const struct {
        const char *name, *views;
        int steps; // until there is something to see
    } scenes[] = {
        { "pool_drops", "velocity depth tiles grids forces", 30 },
        { "lake_gate", "velocity divergence depth tiles grids forces", 30 },
        { "dam_break_2d", "velocity pressure divergence neighbors grids", 30 },
        { "campfire", "velocity pressure divergence grids levels", 30 },
        { "open_sea", "velocity depth forces", 30 },
        { "rain_lake", "velocity depth grids forces", 30 },
        { "duck_race", "velocity depth grids forces", 30 },
        { "storm_pier", "velocity depth grids forces", 30 },
        { "beach_surf", "velocity divergence depth tiles grids forces", 30 },
        { "surfer", "velocity divergence depth tiles fronts grids forces", 270 },
        { "wind_tunnel", "velocity divergence grids", 30 },
        { "karman_street", "velocity divergence grids", 30 },
        { "dam_break_lattice", "velocity divergence depth grids forces", 30 },
        { "sparks", "velocity", 30 },
    };
    (void)state;
    for (size_t n = 0; n < sizeof scenes / sizeof *scenes; ++n) {
        if (is_short_run() && n % 2 == 1) continue;
        char offered[200] = "";
        TarnPlay* play = open_scene_small(scenes[n].name);
        int steps = is_short_run() ? scenes[n].steps / 3 : scenes[n].steps;
        for (int i = 0; i < steps; ++i) assert_true(tarn_play_step(play));
        for (int i = 0; i < tarn_play_debug_count(play); ++i) {
            const char* id = tarn_play_debug_id(play, i);
            assert_true(tarn_play_set_debug(play, id, true));
            const TarnFrame* frame = tarn_play_redraw(play);
            assert_non_null(frame);
            if (frame->lines.n == 0) fail_msg("%s: %s draws nothing", scenes[n].name, id);
            snprintf(offered + strlen(offered), sizeof offered - strlen(offered), "%s%s",
                     i > 0 ? " " : "", id);
            for (int k = 0; k < 2 * frame->lines.n; ++k)
                assert_true(isfinite(frame->lines.points[k].x + frame->lines.points[k].y +
                                     frame->lines.points[k].z));
            assert_true(tarn_play_set_debug(play, id, false));
            assert_int_equal(tarn_play_redraw(play)->lines.n, 0);
        }
        assert_string_equal(offered, scenes[n].views);
        tarn_play_destroy(play);
    }
}

// Where the pointer is on nothing, the hint names what there is to point at.
static void hints_name_what_there_is(void** state)
{
    TarnPlay* play = open_scene_small("lake_gate");
    (void)state;
    tarn_play_pointer(play, 0, TARN_PLAY_MOVE, -0.5f, 0.5f, 0, 0);
    assert_string_equal(tarn_play_hint(play),
                        "Drag to look around; point at a body, a gate or the water to touch it.");
    tarn_play_destroy(play);
    play =
        open_scene_small("storm_pier"); // nothing makes waves on a sea that is a function of time
    tarn_play_pointer(play, 0, TARN_PLAY_MOVE, -0.5f, 0.5f, 0, 0);
    assert_string_equal(tarn_play_hint(play), "Drag to look around; point at a body to touch it.");
    tarn_play_destroy(play);
}

static void saves_and_loads(void** state)
{
    TarnPlay* play = open_tiny();
    size_t size;
    (void)state;
    for (int i = 0; i < 4; ++i) assert_true(tarn_play_step(play));
    const void* bytes = tarn_play_save(play, &size);
    assert_non_null(bytes);
    uint64_t hash = tarn_play_hash(play);
    void* copy = malloc(size);
    memcpy(copy, bytes, size);
    for (int i = 0; i < 4; ++i) assert_true(tarn_play_step(play));
    assert_true(tarn_play_load(play, copy, size));
    assert_int_equal(tarn_play_hash(play), hash);
    assert_int_equal(tarn_play_step_count(play), 4);
    free(copy);
    tarn_play_destroy(play);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sets_parameters),
        cmocka_unit_test(view_parameters_keep_the_state),
        cmocka_unit_test(refuses),
        cmocka_unit_test(keeps_camera_when_edited),
        cmocka_unit_test(moves_the_camera),
        cmocka_unit_test(keeps_time),
        cmocka_unit_test(history_is_bounded),
        cmocka_unit_test(tools_leave_nothing_behind),
        cmocka_unit_test(writes_json),
        cmocka_unit_test(draws_debug_views),
        cmocka_unit_test(hints_name_what_there_is),
        cmocka_unit_test(saves_and_loads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
