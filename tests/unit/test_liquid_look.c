// Sprinkle's look as data: edges, what faces up, size, orientation, bubbles, splashes; and that nothing
// flickers.

#include "liquid_common.h"

static void stand_still(TarnLiquid* l, float dt)
{
    (void)dt;
    for (int p = 0; p < l->n; ++p) {
        l->vx[p] = l->vy[p] = l->vz[p] = 0.0f;
        l->density[p] = l->kinds[l->kind[p]].density;
    }
}
static const LiquidMethod still = {
    .name = "still", .needs_lists = true, .stable_dt = falling_dt, .solve = stand_still
};
static const LiquidMethod still_cells = { .name = "still",
                                          .stable_dt = falling_dt,
                                          .solve = stand_still };

static TarnLiquid* make_still(int dims, bool has_lists)
{
    TarnLiquidDef def = tank_def(dims);
    def.use_look = true;
    def.max_particles = 10000;
    TarnLiquid* l = make_liquid(ctx, &def);
    l->method = has_lists ? &still : &still_cells;
    return l;
}

// A pool from wall to wall: only its upper row is an edge, and faces up.
static void test_pool(void** state)
{
    (void)state;
    for (int n = 0; n < 4; ++n) {
        int dims = 2 + n % 2;
        TarnLiquid* l = make_still(dims, n < 2);
        fill_box(l, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 1, 0.5f, 1 });
        run_liquid(l, 120);
        TarnLiquidView v = tarn_liquid_view(l);
        for (int p = 0; p < v.n; ++p) {
            bool is_top = v.y[p] > 0.46f;
            bool is_edge = v.flags[p] & TARN_LIQUID_EDGE, is_up = v.flags[p] & TARN_LIQUID_UP;
            assert_true(is_edge == is_top && is_up == is_top);
            assert_true(v.size[p] > 0.9f && v.size[p] <= 1.0001f);
            float along = dims == 2 ? fabsf(v.along_x[p]) : v.along_y[p]; // along it; its normal
            if (is_top) assert_true(v.stretch[p] > 1.2f && along > 0.97f);
            if (!is_top && v.y[p] < 0.4f) assert_true(v.stretch[p] < 1.2f);
        }
        tarn_liquid_destroy(l);
    }
}

// A free drop: its rim is the edge, the upper part of it faces up, orientation follows the rim. A lone
// particle is small.
static void test_drop(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        TarnLiquid* l = make_still(dims, true);
        TarnLiquidFill fill = tarn_liquid_fill_default();
        fill.shape = tarn_shape_sphere(0.25f);
        fill.pose.position = (TarnVec3){ 0.5f, 0.5f, 0.5f };
        assert_ok(tarn_liquid_fill(l, &fill, NULL));
        TarnVec3 lone = { 0.85f, 0.95f, 0.85f };
        uint32_t id;
        assert_ok(tarn_liquid_add(l, 1, &lone, NULL, 0, 0, &id));
        run_liquid(l, 120);
        TarnLiquidView v = tarn_liquid_view(l);
        int wrong = 0, rim = 0;
        for (int p = 0; p < v.n; ++p) {
            if (v.id[p] == id) continue;
            TarnVec3 from = { v.x[p] - 0.5f, v.y[p] - 0.5f, dims == 3 ? v.z[p] - 0.5f : 0.0f };
            float r = vec3_length(from);
            TarnVec3 out = vec3_normalize(from);
            bool is_edge = v.flags[p] & TARN_LIQUID_EDGE;
            if (r > 0.225f) wrong += !is_edge;
            if (r < 0.15f) wrong += is_edge;
            if (r < 0.225f) continue;
            ++rim;
            float cosine = out.x * v.along_x[p] + out.y * v.along_y[p] + out.z * v.along_z[p];
            wrong += dims == 2 ? fabsf(cosine) > 0.4f : cosine < 0.9f;
            if (out.y > 0.8f) wrong += !(v.flags[p] & TARN_LIQUID_UP);
            if (out.y < 0.2f) wrong += (v.flags[p] & TARN_LIQUID_UP) != 0;
        }
        if (wrong > rim / 10) print_error("%d of %d\n", wrong, rim);
        assert_true(rim > 8 && wrong <= rim / 10); // the lattice has corners
        int p = tarn_liquid_find(l, id);
        assert_true(v.size[p] < 0.05f && (v.flags[p] & TARN_LIQUID_EDGE));
        tarn_liquid_destroy(l);
    }
}

static void test_bubbles(void** state)
{
    (void)state;
    TarnLiquid* l = make_still(2, true);
    fill_box(l, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 1, 0.9f, 0 });
    run_liquid(l, 10);
    int n = 0;
    for (int p = 0; p < l->n; ++p) {
        bool is_bubble = l->flags[p] & TARN_LIQUID_BUBBLE;
        n += is_bubble;
        if (is_bubble) assert_true(l->y[p] < 0.86f && !(l->flags[p] & TARN_LIQUID_EDGE));
    }
    assert_in_range(n, 2, l->n / 15); // a few
    tarn_liquid_destroy(l);
}

// ---- No flicker ----------------------------------------------------------------------------------

typedef struct Before {
    uint8_t flags[10001];
    float x[10001], y[10001], z[10001];
} Before;

// On a pool that settled: flags that changed, per particle, and the largest turn at the edge [deg].
static void measure_flicker(TarnLiquid* l, int frames, double* changed, double* turn)
{
    static Before b;
    *changed = *turn = 0.0;
    double total = 0.0;
    for (int s = 0; s <= frames; ++s) {
        run_liquid(l, 1);
        TarnLiquidView v = tarn_liquid_view(l);
        for (int p = 0; p < v.n; ++p) {
            uint32_t id = v.id[p];
            uint8_t flags = v.flags[p] & LIQUID_LOOK_FLAGS;
            if (s > 0) {
                *changed += b.flags[id] != flags;
                total += 1.0;
                double c = (double)(b.x[id] * v.along_x[p] + b.y[id] * v.along_y[p] +
                                    b.z[id] * v.along_z[p]);
                double angle = acos(c < 1.0 ? c : 1.0) * 180.0 / pi;
                bool is_edge = b.flags[id] & flags & TARN_LIQUID_EDGE;
                if (is_edge && angle > *turn) *turn = angle;
            }
            b.flags[id] = flags;
            b.x[id] = v.along_x[p], b.y[id] = v.along_y[p], b.z[id] = v.along_z[p];
        }
    }
    *changed /= total;
}

static void test_no_flicker(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        TarnLiquidDef def = tank_def(dims);
        def.use_look = true;
        def.max_particles = 10000;
        TarnLiquid* l = make_liquid(ctx, &def);
        fill_box(l, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 1, 0.5f, 1 });
        run_liquid(l, is_short_run() ? 60 : 600);
        double changed, turn;
        measure_flicker(l, is_short_run() ? 6 : 60, &changed, &turn);
        if (!is_short_run() && (changed > 0.005 || turn > 2.0))
            print_error("%d-D: %.3f %% changed, %.2f degrees\n", dims, 100 * changed, turn);
        if (!is_short_run())
            assert_true(changed < 0.005 && turn < 2.0); // at rest after ten seconds
        tarn_liquid_destroy(l);
    }
}

// ---- Splashes ------------------------------------------------------------------------------------

// Thin and upwards.
static void spray(TarnLiquid* l, float dt)
{
    falling_solve(l, dt);
    for (int p = 0; p < l->n; ++p)
        l->density[p] = (l->group[p] == 1 ? 0.5f : 1.0f) * l->kinds[l->kind[p]].density;
}

static void test_splashes(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        TarnLiquidDef def = tank_def(dims);
        def.max_splashes = 1000;
        TarnLiquid* l = make_liquid(ctx, &def);
        LiquidMethod method = falling;
        method.solve = spray;
        l->method = &method;
        TarnSolids* solids = make_solids(ctx);
        add_box(solids, (TarnVec3){ 0.5f, 0.7f, 0.5f }, (TarnVec3){ 0.6f, 0.02f, 1 }, 0, 0);
        assert_ok(tarn_liquid_set_solids(l, solids));
        TarnLiquidFill fill = tarn_liquid_fill_default();
        fill.shape = tarn_shape_box_between((TarnVec3){ 0, 0, 0 }, (TarnVec3){ 1, 0.1f, 1 },
                                            &fill.pose.position);
        assert_ok(tarn_liquid_fill(l, &fill, NULL)); // at rest and dense: makes none
        assert_ok(tarn_solids_advance(solids, frame));
        run_liquid(l, 10);
        assert_int_equal(tarn_particles_view(tarn_liquid_splashes(l)).n, 0);
        fill.pose.position.y = 0.25f, fill.velocity.y = 3.0f, fill.group = 1;
        assert_ok(tarn_liquid_fill(l, &fill, NULL));
        int most = 0;
        for (int s = 0; s < 120; ++s) {
            assert_ok(tarn_solids_advance(solids, frame));
            run_liquid(l, 1);
            TarnParticlesView v = tarn_particles_view(tarn_liquid_splashes(l));
            most = v.n > most ? v.n : most;
            for (int i = 0; i < v.n; ++i) { // none gets through the shelf
                assert_true(v.y[i] < 0.681f);
                if (dims == 2) assert_true(v.z[i] == 0.0f);
            }
        }
        assert_true(most > 20);
        assert_int_equal(tarn_particles_view(tarn_liquid_splashes(l)).n, 0); // all came back
        // Switched off, and there is none without room.
        TarnLiquidParams params = tarn_liquid_params(l);
        params.splash_rate = 0.0f;
        assert_ok(tarn_liquid_set_params(l, &params));
        assert_ok(tarn_liquid_push_group(l, 1, (TarnVec3){ 0, 3, 0 }));
        run_liquid(l, 5);
        assert_int_equal(tarn_particles_view(tarn_liquid_splashes(l)).n, 0);
        tarn_liquid_destroy(l);
        tarn_solids_destroy(solids);
    }
    TarnLiquidDef def = tank_def(2);
    TarnLiquid* l = make_falling(&def);
    assert_null(tarn_liquid_splashes(l));
    assert_null(tarn_liquid_view(l).size);
    tarn_liquid_destroy(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_pool), TEST(test_drop), TEST(test_bubbles),
                                        TEST(test_no_flicker), TEST(test_splashes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
