// Linkages: one degree of freedom against theory, stops, friction, snapshots, refusals.

#include "test_common.h"
#include "counting.h"
#include "tarn/show.h"

typedef struct Hoist {
    TarnWorld* world;
    TarnLinkage* linkage;
    TarnBodyId a, b;
} Hoist;

static TarnBodyId add_box(TarnWorld* world, float x, float density)
{
    TarnBodyDef def = tarn_body_default_def();
    def.shape = tarn_shape_box(0.5f, 0.5f, 0.5f);
    def.state.position.x = x;
    def.density = density;
    def.is_driven = true;
    TarnBodyId id;
    assert_ok(tarn_world_add_body(world, &def, &id));
    return id;
}

static TarnResult add_part(TarnLinkage* linkage, TarnBodyId body, float up, float turn)
{
    TarnLinkagePartDef def = tarn_linkage_part_default_def();
    def.body = body;
    def.move.y = up;
    def.turn = turn;
    return tarn_linkage_add_part(linkage, &def);
}

// Boxes of 300 and 200 kg on a rope over a pulley, which may go down and up by 10 m.
static Hoist make_hoist(float friction, float damping)
{
    Hoist h;
    TarnWorldDef def = tarn_world_default_def();
    assert_ok(tarn_world_create(ctx, &def, &h.world));
    TarnLinkageDef linkage = tarn_linkage_default_def();
    linkage.friction = friction, linkage.damping = damping;
    assert_ok(tarn_world_add_linkage(h.world, &linkage, &h.linkage));
    h.a = add_box(h.world, 0.0f, 300.0f), h.b = add_box(h.world, 5.0f, 200.0f);
    assert_ok(add_part(h.linkage, h.a, -10.0f, 0.0f));
    assert_ok(add_part(h.linkage, h.b, 10.0f, 0.0f));
    return h;
}
static void go(Hoist* h, int n)
{
    for (int i = 0; i < n; ++i) assert_ok(tarn_world_step(h->world, 1.0f / 60.0f, NULL));
}
static float height(const Hoist* h, TarnBodyId id)
{
    TarnBodyState state;
    assert_ok(tarn_bodies_get_state(tarn_world_bodies(h->world), id, &state));
    return state.position.y;
}

// Atwood: a = g (300 - 200) / (300 + 200).
static void test_atwood(void** state)
{
    (void)state;
    Hoist h = make_hoist(0.0f, 0.0f);
    go(&h, 60);
    double expected = 0.5 * 9.81 * 0.2 * (1.0 + 1.0 / 60.0); // symplectic Euler
    assert_true(fabs((double)height(&h, h.a) + expected) < 1e-3);
    assert_true(fabs((double)height(&h, h.b) - expected) < 1e-3);
    TarnBodyState body;
    assert_ok(tarn_bodies_get_state(tarn_world_bodies(h.world), h.b, &body));
    assert_true(fabs((double)body.velocity.y - 9.81 * 0.2) < 1e-3);
    go(&h, 600); // to the stop, and no further
    assert_true(tarn_linkage_share(h.linkage) == 1.0f && height(&h, h.a) == -10.0f);
    assert_ok(tarn_bodies_get_state(tarn_world_bodies(h.world), h.b, &body));
    assert_true(body.velocity.y == 0.0f);
    tarn_world_destroy(h.world);
}

// The weight lacks 100 kg: 981 N along 10 m are 9810 J.
static void test_friction(void** state)
{
    (void)state;
    for (int n = 0; n < 2; ++n) {
        Hoist h = make_hoist(n == 0 ? 9900.0f : 9700.0f, 0.0f);
        go(&h, 120);
        if (n == 0) assert_true(tarn_linkage_share(h.linkage) == 0.0f);
        if (n == 1) assert_true(tarn_linkage_share(h.linkage) > 0.003f);
        tarn_world_destroy(h.world);
    }
    Hoist h = make_hoist(0.0f, 10.0f); // ends at g 0.2 / 10
    go(&h, 240);
    TarnBodyState body;
    assert_ok(tarn_bodies_get_state(tarn_world_bodies(h.world), h.b, &body));
    assert_true(fabs((double)body.velocity.y - 9.81 * 0.02) < 1e-3);
    tarn_world_destroy(h.world);
}

// A turning part adds I turn^2: a cube of 1 m has m / 6.
static void test_turn(void** state)
{
    (void)state;
    Hoist h = make_hoist(0.0f, 0.0f);
    TarnBodyId wheel = add_box(h.world, 10.0f, 600.0f);
    assert_ok(add_part(h.linkage, wheel, 0.0f, 20.0f));
    go(&h, 30);
    double rate = 0.5 * 9810.0 / (500.0 * 100.0 + 100.0 * 400.0);
    TarnBodyState body;
    assert_ok(tarn_bodies_get_state(tarn_world_bodies(h.world), wheel, &body));
    assert_true(fabs((double)body.angular_velocity.z - 20.0 * rate) < 1e-3 * 20.0 * rate);
    assert_true(body.rotation.z > 0.0f && height(&h, wheel) == 0.0f);
    tarn_world_destroy(h.world);
}

static void test_snapshot(void** state)
{
    (void)state;
    Hoist h = make_hoist(10.0f, 0.5f);
    go(&h, 20);
    size_t size;
    tarn_world_save(h.world, NULL, 0, &size);
    uint8_t* snapshot = malloc(size);
    assert_ok(tarn_world_save(h.world, snapshot, size, &size));
    uint64_t before = tarn_world_hash(h.world);
    go(&h, 20);
    uint64_t after = tarn_world_hash(h.world);
    assert_true(after != before);
    assert_ok(tarn_world_load(h.world, snapshot, size));
    assert_true(tarn_world_hash(h.world) == before);
    go(&h, 20);
    assert_true(tarn_world_hash(h.world) == after);
    free(snapshot);
    // Without its bodies it stands still.
    float share = tarn_linkage_share(h.linkage);
    assert_ok(tarn_bodies_remove(tarn_world_bodies(h.world), h.a));
    assert_ok(tarn_bodies_remove(tarn_world_bodies(h.world), h.b));
    go(&h, 5);
    assert_true(tarn_linkage_share(h.linkage) == share);
    tarn_world_destroy(h.world);
}

static void test_refusals(void** state)
{
    (void)state;
    Hoist h = make_hoist(0.0f, 0.0f);
    assert_result(add_part(h.linkage, (TarnBodyId){ 0 }, 1.0f, 0.0f), TARN_ERR_ARG, "driven");
    assert_result(add_part(h.linkage, h.a, 0.0f, 0.0f), TARN_ERR_ARG, "neither");
    assert_result(add_part(h.linkage, h.a, 1e4f, 0.0f), TARN_ERR_ARG, "move");
    assert_int_equal(tarn_linkage_add_part(NULL, NULL), TARN_ERR_ARG);
    for (int n = 2; n < TARN_LINKAGE_PARTS; ++n) assert_ok(add_part(h.linkage, h.a, 1.0f, 0.0f));
    assert_result(add_part(h.linkage, h.a, 1.0f, 0.0f), TARN_ERR_CAPACITY, "maximum");
    assert_true(tarn_linkage_share(NULL) == 0.0f);
    tarn_world_destroy(h.world);
}

// Scenes name bodies, and say what is wrong with a part.
static void test_scenes(void** state)
{
    (void)state;
    static const struct {
        const char *part, *word;
    } bad[] = { { "\"move\": [0, 1, 0]", "\"body\" is missing" },
                { "\"body\": \"boxx\", \"move\": [0, 1, 0]", "box" },
                { "\"body\": \"box\"", "neither" },
                { "\"body\": \"free\", \"turn\": 9", "driven" } };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
        char text[512];
        snprintf(
            text, sizeof text,
            "{ \"tarn\": 1, \"solvers\": [ { \"kind\": \"linkage\", \"parts\": [ { %s } ] } ],\n"
            "\"bodies\": [ { \"name\": \"box\", \"driven\": true }, { \"name\": \"free\" } ] }",
            bad[i].part);
        TarnScene* scene;
        TarnResult result = tarn_scene_create(ctx, text, strlen(text), "t.json", NULL, 0, &scene);
        assert_true(result != TARN_OK);
        if (!strstr(tarn_last_error(ctx), bad[i].word)) fail_msg("%s", tarn_last_error(ctx));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_atwood),   TEST(test_friction), TEST(test_turn),
        TEST(test_snapshot), TEST(test_refusals), TEST(test_scenes)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
