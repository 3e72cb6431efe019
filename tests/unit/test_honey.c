// A rope of honey on a plate: it holds together, it folds or coils, and nothing sprays.

#include "tests/unit/liquid_common.h"

enum { FRAMES = 150 };

static TarnLiquid* make_rope(TarnSolids* plate, int method)
{
    TarnLiquidDef def = tarn_liquid_default_def();
    def.dimensions = 3, def.method = method;
    def.spacing = 0.009f, def.max_particles = 1500;
    def.walls = TARN_LIQUID_OPEN;
    def.box_min = (TarnVec3){ -0.2f, -0.02f, -0.2f }, def.box_max = (TarnVec3){ 0.2f, 0.4f, 0.2f };
    TarnLiquid* l = make_liquid(ctx, &def);
    TarnLiquidParams params = tarn_liquid_params(l);
    params.viscosity = 0.35f, params.cohesion = 0.3f;
    assert_ok(tarn_liquid_set_params(l, &params));
    TarnSolidDef box = tarn_solid_default_def();
    box.shape.size = (TarnVec3){ 0.2f, 0.02f, 0.2f };
    box.motion.position.y = -0.02f;
    box.friction = 1.0f, box.touch = TARN_TOUCH_STICK;
    assert_ok(tarn_solids_add(plate, &box, NULL));
    assert_ok(tarn_liquid_set_solids(l, plate));
    TarnLiquidSourceDef source = tarn_liquid_source_default_def();
    source.position = (TarnVec3){ 0.0f, 0.26f, 0.0f };
    source.direction = (TarnVec3){ 0.0f, -1.0f, 0.0f };
    source.radius = 0.0135f, source.speed = 0.5f;
    assert_ok(tarn_liquid_add_source(l, &source, NULL));
    TarnRegionDef hold = tarn_region_default_def(); // in the nozzle, which carries the rope
    hold.shape = tarn_shape_box_between((TarnVec3){ -0.03f, 0.18f, -0.03f },
                                        (TarnVec3){ 0.03f, 0.27f, 0.03f }, &hold.pose.position);
    hold.action = TARN_REGION_DRAG, hold.push.y = -0.5f, hold.rate = 1000.0f;
    assert_ok(tarn_liquid_add_region(l, &hold, NULL));
    return l;
}

// Mean place of what is between two heights, from the axis; how many there are.
static float offset_between(const TarnLiquid* l, float low, float high, int* n)
{
    double x = 0.0, z = 0.0;
    *n = 0;
    for (int p = 0; p < l->n; ++p) {
        if (l->y[p] < low || l->y[p] > high) continue;
        x += l->x[p], z += l->z[p], ++*n;
    }
    return *n > 0 ? (float)(sqrt(x * x + z * z) / *n) : 0.0f;
}

// Measured 21 mm from the axis and 1.0 m/s. Viscosity that holds what turns back (couplings of whole
// differences of velocity) keeps the rope within 2.3 mm of its axis; with lines between pairs that stand for
// all of 1/60 s it goes at 1.5 m/s and tears.
static void test_rope(void** state)
{
    (void)state;
    TarnSolids* plate = make_solids(ctx);
    TarnLiquid* l = make_rope(plate, TARN_LIQUID_CONSTRAINT);
    float farthest = 0.0f, fastest = 0.0f;
    int n_gaps = 0;
    for (int s = 0; s < FRAMES; ++s) {
        run_liquid(l, 1);
        fastest = fmaxf(fastest, (float)tarn_liquid_stats(l).max_speed);
        if (s < 45) continue;
        int n;
        farthest = fmaxf(farthest, offset_between(l, 0.05f, 0.09f, &n));
        offset_between(l, 0.10f, 0.13f, &n);
        n_gaps += n == 0;
    }
    print_message("rope: %.1f mm from the axis, %.2f m/s at most, %d particles, %d gaps\n",
                  1e3 * (double)farthest, (double)fastest, l->n, n_gaps);
    assert_true(l->n > 900);
    assert_int_equal(n_gaps, 0);
    assert_true(farthest > 0.01f);
    assert_true(fastest < 1.4f);
    assert_sane_liquid(l);
    tarn_liquid_destroy(l);
    tarn_solids_destroy(plate);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_rope) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
