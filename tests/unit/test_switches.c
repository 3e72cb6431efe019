// The chain of scenes/sprinkle_switches.json: water tips the lever, the lever lifts the gate, the tank fills the
// bucket, the bucket hoists the weight, in this order and in time, with the same bits for any number of workers.
// And each link is needed: without its water nothing behind it moves.

#include "test_common.h"
#include "counting.h"
#include "tarn/liquid_regions.h"
#include "tarn/show.h"

#ifndef TARN_SCENES_DIR
#define TARN_SCENES_DIR "scenes"
#endif

typedef struct Level {
    TarnScene* scene;
    TarnWorld* world;
    TarnLiquid* liquid;
    TarnLinkage *lever, *hoist;
    TarnBodyId gate, bucket, weight;
} Level;

static Level make_level(TarnContext* where, const TarnSceneOverride* overrides, int n)
{
    Level l;
    TarnResult result = tarn_scene_create_from_file(
        where, TARN_SCENES_DIR "/sprinkle_switches.json", overrides, n, &l.scene);
    if (result != TARN_OK) fail_msg("%s", tarn_last_error(where));
    l.world = tarn_scene_world(l.scene);
    l.liquid = tarn_world_liquid(l.world, 0);
    l.lever = tarn_world_linkage(l.world, 0);
    l.hoist = tarn_world_linkage(l.world, 1);
    const TarnBodies* bodies = tarn_world_bodies(l.world); // in the order of the file
    l.gate = tarn_bodies_at(bodies, 5);
    l.bucket = tarn_bodies_at(bodies, 9);
    l.weight = tarn_bodies_at(bodies, 10);
    return l;
}

static TarnVec3 place_of(const Level* l, TarnBodyId id)
{
    TarnBodyState state;
    assert_ok(tarn_bodies_get_state(tarn_world_bodies(l->world), id, &state));
    return state.position;
}

// Liquid in the bucket [kg].
static double in_bucket(const Level* l)
{
    TarnLiquidView v = tarn_liquid_view(l->liquid);
    TarnVec3 at = place_of(l, l->bucket);
    int n = 0;
    for (int i = 0; i < v.n; ++i) n += fabsf(v.x[i] - at.x) < 0.45f && fabsf(v.y[i] - at.y) < 0.28f;
    return n * (double)tarn_liquid_particle_mass(l->liquid, 0);
}

typedef struct Times {
    double lever, gate, bucket, weight; // when each is half done [s]; 1e9: never
    uint64_t hash;
} Times;

static void note(double* time, bool is_done, double now)
{
    if (is_done && *time > now) *time = now;
}

static Times run(TarnContext* where, const TarnSceneOverride* overrides, int n, int steps)
{
    Times t = { 1e9, 1e9, 1e9, 1e9, 0 };
    Level l = make_level(where, overrides, n);
    float gate = place_of(&l, l.gate).y, weight = place_of(&l, l.weight).y;
    for (int s = 0; s < steps; ++s) {
        TarnStepReport report;
        assert_ok(tarn_world_step(l.world, 1.0f / 60.0f, &report));
        assert_int_equal(report.flags & (TARN_STEP_CLAMPED | TARN_STEP_TIME_CUT), 0);
        double now = tarn_world_time(l.world);
        note(&t.lever, tarn_linkage_share(l.lever) > 0.05f, now);
        note(&t.gate, place_of(&l, l.gate).y > gate + 0.2f, now);
        note(&t.bucket, in_bucket(&l) > 100.0, now);
        note(&t.weight, place_of(&l, l.weight).y > weight + 0.45f, now);
    }
    t.hash = tarn_world_hash(l.world);
    tarn_scene_destroy(l.scene);
    return t;
}

static void test_chain(void** state)
{
    (void)state;
    Times t = run(ctx, NULL, 0, is_short_run() ? 40 : 420);
    if (is_short_run()) return; // the last link moves after five seconds
    print_message("lever %.2f s, gate %.2f s, bucket %.2f s, weight %.2f s\n", t.lever, t.gate,
                  t.bucket, t.weight);
    assert_true(t.lever > 0.5 && t.lever < t.gate && t.gate < t.bucket && t.bucket < t.weight);
    assert_true(t.weight < 6.0);
}

static void test_workers(void** state)
{
    (void)state;
    uint64_t first = 0;
    for (int workers = 1; workers <= 4; workers += 3) {
        TarnContext* where = make_context(workers, TARN_ISA_AUTO);
        uint64_t hash = run(where, NULL, 0, is_short_run() ? 60 : 240).hash;
        if (workers == 1) first = hash;
        assert_true(hash == first);
        tarn_context_destroy(where);
    }
}

static void test_links_needed(void** state)
{
    (void)state;
    const TarnSceneOverride dry = { "liquid.sources[0].stop", "0.5" };
    int frames = is_short_run() ? 40 : 240;
    Times t = run(ctx, &dry, 1, frames);
    assert_true(t.lever == 1e9 && t.gate == 1e9 && t.weight == 1e9);
    const TarnSceneOverride stuck = { "lever_and_gate.friction", "1e6" };
    t = run(ctx, &stuck, 1, frames);
    assert_true(t.lever == 1e9 && t.bucket == 1e9 && t.weight == 1e9);
    if (is_short_run()) return;
    const TarnSceneOverride heavy = { "weight.density", "10000" };
    t = run(ctx, &heavy, 1, 420);
    assert_true(t.bucket < 1e9 && t.weight == 1e9);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST_ALONE(test_chain), TEST(test_workers),
                                        TEST_ALONE(test_links_needed) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
