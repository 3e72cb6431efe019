// Gases as things to draw: what was seen fades when the grid becomes coarser or finer.

#include "tarn/view.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static const char text[] =
    "{\"tarn\":1,\"solvers\":[{\"kind\":\"gas\",\"nx\":16,\"ny\":16,\"nz\":16,"
    "\"dx\":0.1,\"levels\":2,\"look\":{\"opacity\":8,\"glow\":2},"
    "\"sources\":[{\"size\":0.3,\"temperature\":500}]},{\"kind\":\"gas\","
    "\"nx\":8,\"ny\":8,\"nz\":8,\"dx\":0.1}]}";

static double sum_of(const TarnView3* v)
{
    double sum = 0.0;
    for (int k = 0; k < v->nz; ++k)
        for (int j = 0; j < v->ny; ++j)
            for (int i = 0; i < v->nx; ++i)
                sum += (double)v->data[i + (ptrdiff_t)v->row * j + (ptrdiff_t)v->slab * k];
    return sum;
}

static const TarnFrameGas* gases(TarnViewer* viewer, int n)
{
    const TarnFrame* frame;
    assert_int_equal(tarn_viewer_update(viewer, &frame), TARN_OK);
    assert_int_equal(frame->n_gases, n);
    return frame->gases;
}

static void levels_fade_into_one_another(void** state)
{
    (void)state;
    TarnContext* ctx;
    TarnScene* scene;
    TarnContextDef def = tarn_context_default_def();
    assert_int_equal(tarn_context_create(&def, &ctx), TARN_OK);
    assert_int_equal(tarn_scene_create(ctx, text, sizeof text - 1, "t", NULL, 0, &scene), TARN_OK);
    TarnWorld* world = tarn_scene_world(scene);
    TarnViewer* viewer;
    TarnViewerDef view = tarn_viewer_default_def();
    view.scene = scene;
    assert_int_equal(tarn_viewer_create(ctx, &view, &viewer), TARN_OK);
    const TarnFrameGas* out = NULL;
    for (int n = 0; n < 10; ++n) {
        assert_int_equal(tarn_world_step(world, 1.0f / 60, NULL), TARN_OK);
        out = gases(viewer, 2);
        assert_true(out[0].opacity == 8.0f && out[0].glow == 2.0f && out[0].view.density.nx == 16);
    }
    double before = sum_of(&out[0].view.density), heat = sum_of(&out[0].view.temperature);
    assert_true(before > 10.0 && heat > 1000.0);
    assert_int_equal(tarn_gas_set_level(tarn_world_gas(world, 0), 1), TARN_OK);
    float share = -1.0f;
    for (int n = 0; n < 17; ++n) { // 0.28 s
        out = gases(viewer, 3);
        assert_int_equal(out[0].view.density.nx, 8);
        assert_int_equal(out[1].view.density.nx, 16);
        assert_true(out[0].opacity >= 0.0f && out[0].opacity > share); // in
        share = out[0].opacity;
        assert_float_equal(out[0].opacity + out[1].opacity, 8.0f, 1e-5f); // and out
        assert_float_equal(out[0].glow + out[1].glow, 2.0f, 1e-5f);
        // What fades is a copy of what was drawn last, whatever the gas does now.
        assert_true(sum_of(&out[1].view.density) == before);
        assert_true(sum_of(&out[1].view.temperature) == heat);
        if (n == 0) assert_true(out[0].opacity == 0.0f);
        assert_int_equal(tarn_world_step(world, 1.0f / 60, NULL), TARN_OK);
    }
    for (int n = 0; n < 3; ++n) assert_int_equal(tarn_world_step(world, 1.0f / 60, NULL), TARN_OK);
    out = gases(viewer, 2);
    assert_true(out[0].opacity == 8.0f);
    tarn_viewer_destroy(viewer);
    tarn_scene_destroy(scene);
    tarn_context_destroy(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(levels_fade_into_one_another) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
