// What a step reports when values were limited: what, where, by which parameter; the same for any number
// of workers. Time that was dropped: test_world.c.

#include "counting.h"
#include "base/base.h"
#include "tarn/scene.h"
#include <stdlib.h>
#include <string.h>

static void assert_same_limit(const TarnStepLimit* a, const TarnStepLimit* b)
{
    assert_string_equal(a->what, b->what);
    assert_string_equal(a->solver, b->solver);
    assert_int_equal(a->index, b->index);
    assert_memory_equal(&a->position, &b->position, sizeof a->position);
    assert_true(a->limit == b->limit);
}

typedef struct Case {
    const char *text, *solver, *what, *parameter;
    float limit;
    TarnVec3 lo, hi; // the place lies between
} Case;

// The first step of a scene that limits something.
static TarnStepLimit first_limit(const Case* c, int workers)
{
    TarnContextDef def = tarn_context_default_def();
    TarnContext* own;
    TarnScene* scene;
    def.workers = workers;
    assert_int_equal(tarn_context_create(&def, &own), TARN_OK);
    if (tarn_scene_create(own, c->text, strlen(c->text), "t.json", NULL, 0, &scene) != TARN_OK)
        fail_msg("%s", tarn_last_error(own));
    TarnStepReport report = { 0 };
    for (int s = 0; s < 120 && report.limited.what == NULL; ++s) {
        assert_int_equal(tarn_world_step(tarn_scene_world(scene), 1.0f / 60, &report), TARN_OK);
        assert_int_equal((report.flags & TARN_STEP_CLAMPED) != 0, report.limited.what != NULL);
    }
    tarn_scene_destroy(scene);
    tarn_context_destroy(own);
    return report.limited;
}

static void test_what_was_limited(void** state)
{
    (void)state;
    static const Case cases[] = {
        { "{\"tarn\":1,\"solvers\":[{\"kind\":\"shallow\",\"nx\":64,\"nz\":48,"
          "\"dx\":0.5,\"max_speed\":2,\"terrain\":{\"kind\":\"flat\"},"
          "\"pools\":[{\"a\":[20,0],\"b\":[32,24],\"level\":4}]}]}",
          "shallow",
          "speed",
          "shallow.max_speed",
          2,
          { 10, 0, 0 },
          { 21, 4.1f, 24 } },
        { "{\"tarn\":1,\"solvers\":[{\"kind\":\"liquid\",\"spacing\":0.05,"
          "\"max_speed\":1,\"fill\":[{\"size\":[0.15,0.15,0.1],\"position\":[0.25,0.75,0.1]}]}]}",
          "liquid",
          "speed",
          "liquid.max_speed",
          1,
          { 0, 0, 0 },
          { 0.5f, 0.95f, 0.5f } },
        { "{\"tarn\":1,\"solvers\":[{\"kind\":\"particles\",\"max_speed\":3,"
          "\"emitters\":[{\"position\":[2,5,1],\"rate\":500,\"speed\":8,"
          "\"spread\":10}]}]}",
          "particles",
          "speed",
          "particles.max_speed",
          3,
          { 1, 4, 0 },
          { 3, 6, 2 } },
        { "{\"tarn\":1,\"solvers\":[{\"kind\":\"gas\",\"nx\":32,\"ny\":32,\"nz\":32,"
          "\"center\":[5,5,5],\"max_speed\":1,\"jets\":[{\"position\":[5,5,5],"
          "\"direction\":[0,1,0],\"speed\":6}]}]}",
          "gas",
          "speed",
          "gas.max_speed",
          1,
          { 4.5f, 4.5f, 4.5f },
          { 5.5f, 6.5f, 5.5f } },
        { "{\"tarn\":1,\"world\":{\"gravity\":100},\"bodies\":[{\"position\":[9,5000,"
          "9]},{\"position\":[3,6000,3],\"velocity\":[0,-999.9,0]}]}",
          "bodies",
          "speed",
          NULL,
          1000,
          { 2.9f, 5900, 2.9f },
          { 3.1f, 6001, 3.1f } },
    };
    for (int i = 0; i < (int)(sizeof cases / sizeof cases[0]); ++i) {
        const Case* c = &cases[i];
        TarnStepLimit first = first_limit(c, 1);
        if (first.what == NULL) fail_msg("%s: nothing was limited", c->solver);
        assert_string_equal(first.solver, c->solver);
        assert_string_equal(first.what, c->what);
        if (c->parameter != NULL)
            assert_string_equal(first.parameter, c->parameter);
        else
            assert_null(first.parameter);
        assert_true(first.limit == c->limit);
        assert_true(first.index >= 0);
        TarnVec3 p = first.position;
        if (!(p.x >= c->lo.x && p.x <= c->hi.x && p.y >= c->lo.y && p.y <= c->hi.y &&
              p.z >= c->lo.z && p.z <= c->hi.z))
            fail_msg("%s: limited at (%g, %g, %g)", c->solver, (double)p.x, (double)p.y,
                     (double)p.z);
        for (int workers = 2; workers <= 4; workers += 2) {
            TarnStepLimit other = first_limit(c, workers);
            assert_same_limit(&first, &other);
        }
    }
}

// Noise at the bounds: the wave solver names a cell, and the place is that of its middle.
static void test_wave_limit(void** state)
{
    (void)state;
    enum { N = 64 };
    TarnWaveDef def = tarn_wave_default_def();
    float* height = calloc(N * N, sizeof *height);
    for (int c = 0; c < N * N; ++c) height[c] = tarn__random(3, 3, (uint64_t)c) % 2 ? 1e5f : -1e5f;
    def.nx = def.nz = N, def.dx = 1.0f, def.height = height, def.origin = (TarnVec2){ -10, 100 };
    TarnWave* wave;
    assert_int_equal(tarn_wave_create(ctx, &def, &wave), TARN_OK);
    free(height);
    TarnStepReport report = { 0 };
    for (int s = 0; s < 100 && !(report.flags & TARN_STEP_CLAMPED); ++s)
        assert_int_equal(tarn_wave_step(wave, 0.2f, &report), TARN_OK);
    assert_true(report.flags & TARN_STEP_CLAMPED);
    assert_string_equal(report.limited.what, "height");
    assert_string_equal(report.limited.solver, "wave");
    assert_true(report.limited.limit == 1e5f);
    int i = report.limited.index % N, k = report.limited.index / N;
    assert_true(i >= 0 && k >= 0 && k < N);
    assert_true(report.limited.position.x == -10.0f + (float)i + 0.5f);
    assert_true(report.limited.position.z == 100.0f + (float)k + 0.5f);
    tarn_wave_destroy(wave);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_was_limited),
        cmocka_unit_test(test_wave_limit),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
