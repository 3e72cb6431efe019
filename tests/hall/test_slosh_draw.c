// A solver that no file of view names is drawn: from its Surface, or by the one file that is written for it.

#include "slosh.h"
#include "slosh_draw.h"
#include "../unit/hall_common.h"

static int begin_slosh(void** state)
{
    begin(state);
    return tarn_solver_register(ctx, tarn_slosh_class()) == TARN_OK ? 0 : -1;
}
#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin_slosh, end)

static TarnWorld* knocked(TarnSlosh** slosh)
{
    TarnWorld* world = new_world(2);
    TarnSloshDef def = tarn_slosh_default_def();
    def.origin = (TarnVec2){ -1.0f, -0.5f };
    assert_ok(tarn_world_add_slosh(world, &def, slosh));
    TarnSurfacePush push = { .center = { 0.9f, 0.1f },
                             .from = { -0.9f, 0.0f },
                             .radius = 0.1f,
                             .from_radius = 0.1f,
                             .volume = 0.02f,
                             .dt = frame };
    assert_ok(tarn_surface_push(tarn_slosh_surface(*slosh), &push, NULL));
    assert_ok(tarn_world_step(world, frame, NULL));
    return world;
}

// Every cell of what is drawn is as high as the Surface says.
static void assert_drawn(const TarnFrame* shown, const TarnSlosh* slosh, int nx)
{
    assert_int_equal(shown->n_waters, 1);
    const TarnFrameWater* w = &shown->waters[0];
    const TarnSloshDef* def = tarn_slosh_def(slosh);
    assert_int_equal(w->height.nx, nx);
    assert_true(w->has_rim[0] && w->has_rim[1] && w->has_rim[2] && w->has_rim[3]);
    assert_float_equal(w->dx * (float)nx, def->size.x, 1e-4f);
    assert_float_equal(w->bed_level, def->floor, 1e-5f);
    float low = 1e9f, high = -1e9f;
    for (int k = 0; k < w->height.nz; ++k)
        for (int i = 0; i < nx; ++i) {
            float x = w->origin.x + ((float)i + 0.5f) * w->dx;
            float z = w->origin.y + ((float)k + 0.5f) * w->dx;
            float y = w->height.data[i + w->height.stride * k];
            assert_float_equal(y, tarn_surface_height(tarn_slosh_surface(slosh), x, z), 1e-5f);
            low = y < low ? y : low, high = y > high ? y : high;
        }
    assert_true(high - low > 0.01f); // it was knocked
}

// A viewer of a knocked slosh, drawn by these drawers beside Tarn's own.
static TarnViewer* shown_slosh(TarnWorld* world, const TarnDrawer* const* drawers, int n,
                               const TarnFrame** shown)
{
    TarnViewerDef def = tarn_viewer_default_def();
    TarnViewer* viewer;
    def.world = world;
    def.drawers = drawers, def.n_drawers = n;
    assert_ok(tarn_viewer_create(ctx, &def, &viewer));
    assert_ok(tarn_viewer_update(viewer, shown));
    return viewer;
}

static void test_from_its_surface(void** state)
{
    (void)state;
    TarnSlosh* slosh;
    TarnWorld* world = knocked(&slosh);
    const TarnFrame* shown;
    TarnViewer* viewer = shown_slosh(world, NULL, 0, &shown);
    assert_drawn(shown, slosh, 128);
    TarnPick pick;
    assert_ok(tarn_viewer_pick(viewer, 0.5f, 0.5f, &pick));
    assert_true(pick.kind == TARN_PICK_WATER && pick.solver == slosh);
    tarn_viewer_destroy(viewer);
    tarn_world_destroy(world);
}

static void test_by_one_file(void** state)
{
    (void)state;
    TarnSlosh* slosh;
    TarnWorld* world = knocked(&slosh);
    const TarnDrawer* drawers[] = { &slosh_drawer };
    const TarnFrame* shown;
    TarnViewer* viewer = shown_slosh(world, drawers, 1, &shown);
    assert_drawn(shown, slosh, 16);
    assert_float_equal(shown->waters[0].clarity, 0.3f, 1e-6f);
    // Interpolation comes with the layers.
    float before = shown->waters[0].height.data[0];
    assert_ok(tarn_viewer_keep(viewer));
    assert_ok(tarn_world_step(world, frame, NULL));
    assert_ok(tarn_viewer_update(viewer, &shown));
    float after = shown->waters[0].height.data[0];
    assert_ok(tarn_viewer_update_between(viewer, 0.5f, &shown));
    assert_true(after != before);
    assert_float_equal(shown->waters[0].height.data[0], 0.5f * (before + after), 1e-6f);
    tarn_viewer_destroy(viewer);
    tarn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_from_its_surface), TEST(test_by_one_file) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
