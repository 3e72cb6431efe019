// Unbounded liquids: they run as far as solids let them, far from the origin as near it, for any number of
// workers, through snapshots, regions and the ledger.

#include "liquid_common.h"
#include "tests/sanitized.h"

static TarnLiquidDef unbounded_def(int dims, int method)
{
    TarnLiquidDef def = tank_def(dims);
    def.walls = TARN_LIQUID_UNBOUNDED;
    def.method = method;
    return def;
}

// Water poured on a wide table leaves the box on all sides, and stays.
static void test_puddle(void** state)
{
    (void)state;
    for (int n = 0; n < 2 * n_methods; ++n) {
        int dims = 2 + n % 2;
        TarnLiquidDef def = unbounded_def(dims, n / 2);
        for (int is_open = 0; is_open < 2; ++is_open) {
            if (is_open) def.walls = TARN_LIQUID_OPEN;
            TarnLiquid* l = make_liquid(ctx, &def);
            TarnSolids* solids = make_solids(ctx);
            add_box(solids, (TarnVec3){ 0, -1, 0 }, (TarnVec3){ 100, 1, 100 }, TARN_TOUCH_BOUNCE,
                    0);
            assert_ok(tarn_liquid_set_solids(l, solids));
            int filled = fill_box(l, (TarnVec3){ 0.1f, 0, 0.3f }, (TarnVec3){ 0.9f, 0.5f, 0.7f });
            run_liquid(l, is_short_run() ? 6 : 40);
            assert_sane_liquid(l);
            float lo = 0.0f, hi = 0.0f, bottom = 1.0f;
            for (int p = 0; p < l->n; ++p) {
                lo = fminf(lo, l->x[p]), hi = fmaxf(hi, l->x[p]);
                bottom = fminf(bottom, l->y[p]);
            }
            assert_true(bottom > 0.0f); // not through the table
            if (is_short_run()) {
                assert_int_equal(l->n, filled); // none has come to the edge of the box yet
            } else if (is_open) {
                assert_true(l->n < filled && lo >= 0.0f && hi <= 1.0f);
            } else {
                assert_int_equal(l->n, filled);
                assert_true(lo < -0.02f && hi > 1.02f);
            }
            tarn_liquid_destroy(l);
            tarn_solids_destroy(solids);
        }
    }
}

// ---- Far away --------------------------------------------------------------------------------------

// Places that a float far away holds exactly, so that nothing is rounded on the way there: a block in which
// every particle has a jitter of its own, in whole sixteenths.
static int add_block(TarnLiquid* l, float x, int side)
{
    TarnVec3 at[512];
    int n = 0, layers = l->def.dimensions == 3 ? side : 1;
    for (int k = 0; k < layers; ++k) {
        for (int j = 0; j < side; ++j) {
            for (int i = 0; i < side; ++i, ++n) {
                float s = l->def.spacing, jitter = s * (float)((i * 7 + j * 3 + k * 5) % 3) / 16.0f;
                at[n] = (TarnVec3){ x + s * (float)i + jitter, x + s * (float)j - jitter,
                                    l->def.dimensions == 3 ? x + s * (float)k + jitter : 0.0f };
            }
        }
    }
    assert_ok(tarn_liquid_add(l, n, at, NULL, 0, 0, NULL));
    return n;
}

// 131 km away, where floats are 1/64 m apart, a liquid with a spacing of 8 m is as near the origin: it
// has the same neighbors and spreads to the same size.
static void test_far_block(void** state)
{
    (void)state;
    for (int n = 0; n < 2 * n_methods; ++n) {
        double width[2], neighbors[2];
        for (int far = 0; far < 2; ++far) {
            TarnLiquidDef def = unbounded_def(2 + n % 2, n / 2);
            def.spacing = 8.0f;
            def.box_max = (TarnVec3){ 160, 160, 160 };
            TarnLiquid* l = make_liquid(ctx, &def);
            TarnLiquidParams params = tarn_liquid_params(l);
            params.gravity = (TarnVec3){ 0, 0, 0 };
            assert_ok(tarn_liquid_set_params(l, &params));
            float x = far ? 131144.0f : 0.0f; // whole cells of the pressure grid
            int added = add_block(l, x, 8);
            run_liquid(l, 1);
            neighbors[far] = tarn_liquid_stats(l).neighbors;
            run_liquid(l, 29);
            assert_sane_liquid(l);
            assert_int_equal(l->n, added);
            width[far] = 0.0;
            for (int p = 0; p < l->n; ++p) width[far] += fabs((double)l->x[p] - (double)x - 28.0);
            tarn_liquid_destroy(l);
        }
        if (fabs(neighbors[1] - neighbors[0]) > 0.01 * neighbors[0] ||
            fabs(width[1] - width[0]) > 0.03 * width[0])
            print_error("method %d, %d-D: neighbors %g, %g, width %g, %g\n", n / 2, 2 + n % 2,
                        neighbors[0], neighbors[1], width[0], width[1]);
        assert_true(fabs(neighbors[1] - neighbors[0]) <= 0.01 * neighbors[0]);
        assert_true(fabs(width[1] - width[0]) <= 0.03 * width[0]);
    }
}

// Drops strewn over the whole range, fast ones, on top of each other and next to a pool on a table.
typedef struct Strewn {
    TarnLiquid* liquid;
    TarnSolids* solids;
} Strewn;

static Strewn make_strewn(TarnContext* where, int dims, int method)
{
    TarnLiquidDef def = unbounded_def(dims, method);
    def.use_look = true;
    def.max_splashes = 100;
    Strewn s = { make_liquid(where, &def), make_solids(where) };
    add_box(s.solids, (TarnVec3){ 0, -1, 0 }, (TarnVec3){ 3, 1, 3 }, TARN_TOUCH_BOUNCE, 0);
    assert_ok(tarn_liquid_set_solids(s.liquid, s.solids));
    fill_box(s.liquid, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.4f, 0.4f, 0.4f });
    random_at = 0;
    for (int i = 0; i < 60; ++i) {
        float reach = scale(1.0f, 9e5f);
        TarnVec3 at[2] = { { uniform(-reach, reach), uniform(-reach, reach), 0.0f } };
        if (dims == 3) at[0].z = uniform(-reach, reach);
        at[1] = at[0]; // two in one place
        TarnVec3 v = { uniform(-300, 300), uniform(-300, 300), uniform(-300, 300) },
                 both[2] = { v, v };
        assert_ok(tarn_liquid_add(s.liquid, 2, at, both, 0, 0, NULL));
    }
    return s;
}
static void drop_strewn(Strewn* s)
{
    tarn_liquid_destroy(s->liquid);
    tarn_solids_destroy(s->solids);
}

static void test_strewn(void** state)
{
    (void)state;
    for (int n = 0; n < 2 * n_methods; n += is_short_run() ? 3 : 1) {
        uint64_t first = 0;
        for (int w = 0; w < 4; w += is_short_run() ? 2 : 1) {
            TarnContext* where =
                make_context(w < 3 ? 1 + 2 * w : 1, w == 3 ? TARN_ISA_BASELINE : TARN_ISA_AUTO);
            Strewn s = make_strewn(where, 2 + n % 2, n / 2);
            int filled = s.liquid->n;
            run_liquid(s.liquid, is_sanitized ? 2 : 4);
            const Neighbors* nb = &s.liquid->neighbors;
            assert_true(nb->wraps[0] && nb->wraps[1]);
            assert_sane_liquid(s.liquid);
            assert_int_equal(s.liquid->n, filled);
            uint64_t hash = tarn_liquid_hash(s.liquid);
            if (w == 0) first = hash;
            assert_true(hash == first);
            drop_strewn(&s);
            tarn_context_destroy(where);
        }
    }
}

static void test_snapshot(void** state)
{
    (void)state;
    for (int n = 0; n < 2 * n_methods; ++n) {
        Strewn s = make_strewn(ctx, 2 + n % 2, n / 2);
        int frames = is_short_run() ? 1 : 2;
        run_liquid(s.liquid, frames);
        size_t size;
        assert_int_equal(tarn_liquid_save(s.liquid, NULL, 0, &size), TARN_ERR_CAPACITY);
        uint8_t* snapshot = malloc(size);
        assert_ok(tarn_liquid_save(s.liquid, snapshot, size, &size));
        run_liquid(s.liquid, frames);
        uint64_t hash = tarn_liquid_hash(s.liquid);
        assert_ok(tarn_liquid_load(s.liquid, snapshot, size));
        assert_int_equal(tarn_liquid_def(s.liquid)->walls, TARN_LIQUID_UNBOUNDED);
        run_liquid(s.liquid, frames);
        assert_true(tarn_liquid_hash(s.liquid) == hash);
        free(snapshot);
        drop_strewn(&s);
    }
}

// ---- The end of the world ----------------------------------------------------------------------------

static void test_end(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        TarnLiquidDef def = unbounded_def(dims, TARN_LIQUID_CONSTRAINT);
        TarnLiquid* l = make_liquid(ctx, &def);
        assert_ok(tarn_liquid_want_events(l, 1u << TARN_LIQUID_DRAINED));
        TarnVec3 at[2] = { { 999990.0f, 5.0f, 0.0f }, { -999900.0f, 0.0f, 0.0f } };
        TarnVec3 v[2] = { { 90.0f, 0.0f, 0.0f }, { 90.0f, 0.0f, 0.0f } };
        assert_ok(tarn_liquid_add(l, 2, at, v, 0, 0, NULL));
        int drained = 0, n;
        for (int s = 0; s < 30; ++s) {
            step_liquid(l, frame);
            tarn_liquid_events(l, &n);
            drained += n;
        }
        assert_sane_liquid(l);
        assert_int_equal(l->n, 1);
        assert_int_equal((int)tarn_liquid_ledger(l).left, 1);
        assert_int_equal(drained, 1);
        tarn_liquid_destroy(l);
    }
}

// Regions, drains, sources, the flow and fills work far from the box.
static void test_parts(void** state)
{
    (void)state;
    TarnLiquidDef def = unbounded_def(2, TARN_LIQUID_CONSTRAINT);
    TarnLiquid* l = make_liquid(ctx, &def);
    TarnSolids* solids = make_solids(ctx);
    add_box(solids, (TarnVec3){ 500, -1, 0 }, (TarnVec3){ 3, 1, 3 }, TARN_TOUCH_BOUNCE, 0);
    assert_ok(tarn_liquid_set_solids(l, solids));
    assert_true(fill_box(l, (TarnVec3){ 499, 0, 0 }, (TarnVec3){ 500, 0.3f, 0 }) == 120);
    TarnRegionDef region = tarn_region_default_def();
    region.shape = tarn_shape_box(0.5f, 0.5f, 1.0f);
    region.pose.position = (TarnVec3){ 502.5f, 0.5f, 0.0f };
    region.action = TARN_REGION_DELETE;
    assert_ok(tarn_liquid_add_region(l, &region, NULL));
    TarnLiquidSourceDef source = tarn_liquid_source_default_def();
    source.position = (TarnVec3){ 501.0f, 0.2f, 0.0f }, source.direction = (TarnVec3){ 1, 0, 0 };
    source.speed = 2.0f, source.radius = 0.1f;
    assert_ok(tarn_liquid_add_source(l, &source, NULL));
    run_liquid(l, 90);
    assert_sane_liquid(l);
    TarnLiquidLedger g = tarn_liquid_ledger(l);
    assert_true(g.added > 200 && g.drained > 50 && g.left == 0);
    TarnFlow flow = tarn_liquid_flow(l);
    float presence[2];
    const float x[2] = { 501.3f, 0.5f }, y[2] = { 0.1f, 0.1f }, z[2] = { 0.0f, 0.0f };
    TarnFlowSamples samples = { .presence = presence };
    flow.query(flow.self, 2, x, y, z, &samples);
    assert_true(presence[0] > 0.5f && presence[1] == 0.0f);
    tarn_liquid_destroy(l);
    tarn_solids_destroy(solids);
}

// What falls for ever costs the pool nothing: the solve takes as many iterations as without it.
static void test_lost_drop(void** state)
{
    (void)state;
    for (int method = 0; method <= TARN_LIQUID_DFSPH; ++method) {
        int iterations[2] = { 0, 0 };
        for (int is_falling = 0; is_falling < 2; ++is_falling) {
            TarnLiquidDef def = unbounded_def(2, method);
            TarnLiquid* l = make_liquid(ctx, &def);
            TarnSolids* solids = make_solids(ctx);
            add_box(solids, (TarnVec3){ 0, -1, 0 }, (TarnVec3){ 3, 1, 3 }, TARN_TOUCH_BOUNCE, 0);
            assert_ok(tarn_liquid_set_solids(l, solids));
            fill_box(l, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.8f, 0.2f, 0 });
            TarnVec3 deep = { 7.0f, -3e5f, 0.0f };
            if (is_falling) assert_ok(tarn_liquid_add(l, 1, &deep, NULL, 0, 0, NULL));
            for (int s = 0; s < 40; ++s) {
                TarnStepReport report = step_liquid(l, frame);
                iterations[is_falling] += report.substeps * tarn_liquid_stats(l).iterations;
            }
            tarn_liquid_destroy(l);
            tarn_solids_destroy(solids);
        }
        // dfsph limits its substeps by the speed of the drop; constraint does not.
        if (method == TARN_LIQUID_CONSTRAINT) assert_int_equal(iterations[0], iterations[1]);
        assert_true(iterations[1] <= 20 * iterations[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST_ALONE(test_puddle),   TEST_ALONE(test_far_block),
                                        TEST(test_strewn),         TEST_ALONE(test_snapshot),
                                        TEST_ALONE(test_end),      TEST_ALONE(test_parts),
                                        TEST_ALONE(test_lost_drop) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
