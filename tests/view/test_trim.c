// Trim of bodies: parts that are only drawn, where their body is, and that a pointer takes for the body.

#include "tarn/view.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#define SCENE(trim)                                                                                \
    "{\"tarn\":1,\"solvers\":[{\"kind\":\"wave\",\"nx\":64,\"nz\":64,\"use_bodies\":true}],"       \
    "\"bodies\":[{\"shape\":\"box\",\"size\":0.2,\"position\":[1,5,1],\"yaw\":90,"                 \
    "\"grid\":{\"count\":[2,1,1],\"spacing\":[1,0,0]},\"trim\":[" trim "]}]}"

static TarnContext* ctx;
static int setup(void** state)
{
    (void)state;
    TarnContextDef def = tarn_context_default_def();
    return tarn_context_create(&def, &ctx) == TARN_OK ? 0 : -1;
}
static int teardown(void** state)
{
    (void)state;
    tarn_context_destroy(ctx);
    return 0;
}

static TarnScene* make_scene(const char* text)
{
    TarnScene* scene;
    TarnResult result = tarn_scene_create(ctx, text, strlen(text), "test.json", NULL, 0, &scene);
    if (result != TARN_OK) print_message("%s\n", tarn_last_error(ctx));
    assert_int_equal(result, TARN_OK);
    return scene;
}

static bool is_at(TarnVec3 p, float x, float y, float z)
{
    return fabsf(p.x - x) < 1e-5f && fabsf(p.y - y) < 1e-5f && fabsf(p.z - z) < 1e-5f;
}

static void test_moves_along(void** state)
{
    (void)state;
    TarnScene* scene = make_scene(
        SCENE("{\"shape\":\"sphere\",\"size\":0.1,\"position\":[0.5,0.25,0],\"color\":[1,0,0]},"
              "{\"shape\":\"capsule\",\"size\":[0.05,0.3],\"position\":[0,1,0],\"glow\":[0,3,0]}"));
    TarnViewerDef def = tarn_viewer_default_def();
    TarnViewer* viewer;
    const TarnFrame* frame;
    def.scene = scene;
    assert_int_equal(tarn_viewer_create(ctx, &def, &viewer), TARN_OK);
    assert_int_equal(tarn_viewer_update(viewer, &frame), TARN_OK);
    assert_int_equal(frame->n_bodies, 6); // two bodies with two parts each
    for (int b = 0; b < 2; ++b) {
        const TarnFrameBody* of = frame->bodies + 3 * b;
        float x = 1.0f + (float)b;
        assert_true(is_at(of[0].position, x, 5.0f, 1.0f));
        assert_int_equal(of[1].shape.kind, TARN_SHAPE_SPHERE);
        assert_true(is_at(of[1].position, x, 5.25f, 0.5f)); // yaw 90 turns x to -z
        assert_true(is_at(of[1].color, 1.0f, 0.0f, 0.0f));
        assert_int_equal(of[2].shape.kind, TARN_SHAPE_CAPSULE);
        assert_true(is_at(of[2].position, x, 6.0f, 1.0f));
        assert_true(is_at(of[2].glow, 0.0f, 3.0f, 0.0f));
    }

    // Who points at a part points at the body.
    TarnBodies* bodies = tarn_world_bodies(tarn_scene_world(scene));
    TarnBodyId id = tarn_bodies_at(bodies, 0);
    TarnViewerCamera camera = { .mode = TARN_CAMERA_PLACED,
                                .eye = { 1.0f, 6.0f, 6.0f },
                                .target = { 1.0f, 6.0f, 1.0f } };
    TarnPick pick;
    assert_int_equal(tarn_viewer_set_camera(viewer, &camera), TARN_OK);
    assert_int_equal(tarn_viewer_update(viewer, &frame), TARN_OK);
    assert_int_equal(tarn_viewer_pick(viewer, 0.5f, 0.5f, &pick), TARN_OK);
    assert_int_equal(pick.kind, TARN_PICK_BODY);
    assert_true(pick.body.value == id.value);

    // A body that turns over takes its parts along.
    TarnMotion motion;
    assert_int_equal(tarn_bodies_get_state(bodies, id, &motion), TARN_OK);
    motion.rotation = (TarnQuat){ 1.0f, 0.0f, 0.0f, 0.0f }; // half a turn about x
    assert_int_equal(tarn_bodies_set_state(bodies, id, &motion), TARN_OK);
    assert_int_equal(tarn_viewer_update(viewer, &frame), TARN_OK);
    assert_true(is_at(frame->bodies[2].position, 1.0f, 4.0f, 1.0f));
    tarn_viewer_destroy(viewer);
    tarn_scene_destroy(scene);
}

// Neither mass nor state: with and without it the world is the same.
static void test_weighs_nothing(void** state)
{
    (void)state;
    uint64_t hash[2];
    static const char* const texts[] = { SCENE(""), SCENE("{\"size\":[3,3,3]}") };
    for (int i = 0; i < 2; ++i) {
        TarnScene* scene = make_scene(texts[i]);
        for (int n = 0; n < 90; ++n)
            assert_int_equal(tarn_world_step(tarn_scene_world(scene), 1.0f / 60.0f, NULL), TARN_OK);
        hash[i] = tarn_world_hash(tarn_scene_world(scene));
        tarn_scene_destroy(scene);
    }
    assert_true(hash[0] == hash[1]);
}

static void test_refused(void** state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        { SCENE("{\"shape\":\"hull\"}"), "bodies[0].trim[0].shape" },
        { SCENE("{\"size\":0}"), "bodies[0].trim[0].size" },
        { SCENE("{},{\"weight\":2}"), "unknown key 'weight' in bodies[0].trim[1]" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        TarnScene* scene;
        assert_int_not_equal(tarn_scene_create(ctx, cases[i].text, strlen(cases[i].text),
                                               "test.json", NULL, 0, &scene),
                             TARN_OK);
        assert_null(scene);
        if (!strstr(tarn_last_error(ctx), cases[i].message)) fail_msg("%s", tarn_last_error(ctx));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_moves_along),
                                        cmocka_unit_test(test_weighs_nothing),
                                        cmocka_unit_test(test_refused) };
    return cmocka_run_group_tests(tests, setup, teardown);
}
