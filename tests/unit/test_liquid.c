// The driver of liquids: defs, memory, bad arguments, filling, ids, groups, sources, time, walls, solids.
// Regions and events: test_liquid_regions.c. Snapshots and determinism: test_liquid_state.c.

#include "liquid_common.h"
#include <limits.h>

// ---- Defs and memory -----------------------------------------------------------------------------

static void assert_bad_def(const TarnLiquidDef* def, TarnResult code, const char* word)
{
    TarnLiquid* out = (TarnLiquid*)(void*)&memory;
    int calls = memory.calls;
    assert_result(tarn_liquid_create(ctx, def, &out), code, word);
    assert_null(out);
    assert_true(memory.calls == calls && tarn_liquid_memory(def) == 0);
}

static void test_bad_defs(void** state)
{
    (void)state;
    const TarnParamTable* table = tarn_liquid_def_table();
    for (int i = 0; i < table->count; ++i) {
        const TarnParam* p = &table->params[i];
        bool is_whole = p->type == TARN_PARAM_INT || p->type == TARN_PARAM_ENUM;
        double bad[] = { p->min - 1, p->max * 2 + 1, -2e9, 2e9, NAN, INFINITY, -INFINITY };
        char word[64];
        snprintf(word, sizeof word, "liquid.%s: ", p->name);
        for (int n = 0; n < (is_whole ? 4 : 7) && p->type != TARN_PARAM_BOOL; ++n) {
            TarnLiquidDef def = tank_def(3);
            poke(p, &def, p->type == TARN_PARAM_VEC3 ? n % 3 : 0, bad[n]);
            assert_bad_def(&def, TARN_ERR_ARG, word);
        }
    }
    TarnLiquidDef def = tank_def(2);
    def.box_max.x = 0.09f;
    assert_bad_def(&def, TARN_ERR_ARG, "along x; it must be at least two spacings");
    def = tank_def(2);
    def.box_max.z = -5.0f; // is not looked at
    TarnLiquid* l = make_liquid(ctx, &def);
    tarn_liquid_destroy(l);
    assert_int_equal(tarn_liquid_create(NULL, &def, &l), TARN_ERR_ARG);
    assert_result(tarn_liquid_create(ctx, &def, NULL), TARN_ERR_ARG, "out");
    assert_bad_def(NULL, TARN_ERR_ARG, "tarn_liquid_default_def");
    def.cookie ^= 1;
    assert_bad_def(&def, TARN_ERR_ARG, "tarn_liquid_default_def");
}

static void test_memory(void** state)
{
    (void)state;
    for (int n = 0; n < n_methods * 8; ++n) {
        TarnLiquidDef def = tank_def(n & 1 ? 3 : 2);
        def.method = n / 8;
        def.use_look = n & 2;
        def.max_splashes = n & 4 ? 1000 : 0;
        def.max_particles = 50000;
        size_t before = memory.bytes, said = tarn_liquid_memory(&def);
        int calls = memory.calls;
        TarnLiquid* l = make_liquid(ctx, &def);
        assert_true(memory.bytes - before == said);
        assert_int_equal(memory.calls - calls, def.max_splashes ? 2 : 1);
        double per_particle = (double)said / def.max_particles;
        double most = n & 1 ? 1024.0 : 512.0;
        if (!def.use_look && !def.max_splashes && per_particle > most)
            print_error("%s: %.1f bytes per particle\n", l->method->name, per_particle);
        if (!def.use_look && !def.max_splashes) assert_true(per_particle <= most);
        tarn_liquid_destroy(l);
        assert_true(memory.bytes == before);
    }
    TarnLiquidDef def = tank_def(2);
    def.max_splashes = 10;
    for (int fail = 1; fail <= 2; ++fail) { // each of the two allocations
        TarnLiquid* l = (TarnLiquid*)(void*)&memory;
        size_t before = memory.bytes;
        memory.fail_at = memory.calls + fail;
        assert_result(tarn_liquid_create(ctx, &def, &l), TARN_ERR_MEMORY, "memory");
        memory.fail_at = 0;
        assert_true(l == NULL && memory.bytes == before);
    }
    tarn_liquid_destroy(NULL);
    tarn_liquid_reset(NULL);
}

// ---- Bad arguments -------------------------------------------------------------------------------

#define assert_bad(call, word)                                                                     \
    do {                                                                                           \
        assert_result(call, TARN_ERR_ARG, word);                                                   \
        assert_true(tarn_liquid_hash(l) == hash);                                                  \
    } while (0)

static void test_bad_arguments(void** state)
{
    (void)state;
    TarnLiquidDef def = tank_def(3);
    TarnLiquid* l = make_falling(&def);
    fill_box(l, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.5f, 0.5f, 0.5f });
    run_liquid(l, 3);
    uint64_t hash = tarn_liquid_hash(l);
    const float dts[] = { NAN, INFINITY, -INFINITY, -1e-9f, 10.001f };
    for (int n = 0; n < 5; ++n) {
        TarnStepReport report = { .substeps = 99 };
        assert_bad(tarn_liquid_step(l, dts[n], &report), "dt");
        assert_int_equal(report.substeps, 0);
    }
    const TarnParamTable* table = tarn_liquid_params_table();
    for (int i = 0; i < table->count * 4; ++i) {
        TarnLiquidParams params = tarn_liquid_default_params();
        const TarnParam* p = &table->params[i / 4];
        const double bad[] = { p->min - 1.0, p->max * 2.0 + 1.0, NAN, INFINITY };
        bool is_whole = p->type == TARN_PARAM_INT;
        poke(p, &params, 0, is_whole && i % 4 > 1 ? -5.0 : bad[i % 4]);
        assert_bad(tarn_liquid_set_params(l, &params), p->name);
    }
    TarnLiquidKindDef kind = tarn_liquid_kind_default_def();
    assert_bad(tarn_liquid_set_kind(l, -1, &kind), "kind -1");
    assert_bad(tarn_liquid_set_kind(l, TARN_LIQUID_KINDS, &kind), "kind 8");
    kind.boiling_point = kind.freezing_point;
    assert_bad(tarn_liquid_set_kind(l, 1, &kind), "boiling");
    kind = (TarnLiquidKindDef){ .density = 1000.0f };
    assert_bad(tarn_liquid_set_kind(l, 1, &kind), "tarn_liquid_kind_default_def");
    TarnVec3 at = { 0.7f, 0.5f, 0.5f }, far[] = { at, { 0.0f, 1.1e6f, 0.0f }, at };
    TarnVec3 wild[] = { at, at, { 0.0f, 0.0f, NAN } };
    uint32_t id = 5;
    assert_bad(tarn_liquid_add(l, -1, &at, NULL, 0, 0, &id), "n is -1");
    assert_int_equal(id, 0);
    assert_bad(tarn_liquid_add(l, 1, NULL, NULL, 0, 0, NULL), "positions");
    assert_bad(tarn_liquid_add(l, 1, &at, NULL, 8, 0, NULL), "kind 8");
    assert_bad(tarn_liquid_add(l, 1, &at, NULL, 0, 256, NULL), "group 256");
    assert_result(tarn_liquid_add(l, 3, far, NULL, 0, 0, NULL), TARN_ERR_DATA, "position 1");
    assert_result(tarn_liquid_add(l, 3, wild, NULL, 0, 0, NULL), TARN_ERR_DATA, "position 2");
    far[1] = at;
    assert_result(tarn_liquid_add(l, 3, far, wild, 0, 0, NULL), TARN_ERR_DATA, "velocity 2");
    assert_result(tarn_liquid_add(l, INT_MAX, &at, NULL, 0, 0, NULL), TARN_ERR_CAPACITY,
                  "max_particles");
    assert_bad(tarn_liquid_push_group(l, 256, at), "group 256");
    assert_bad(tarn_liquid_push_group(l, 0, wild[2]), "velocity");
    assert_bad(tarn_liquid_remove(l, 0), "no particle 0");
    assert_bad(tarn_liquid_remove(l, 123456), "no particle 123456");
    assert_bad(tarn_liquid_set_user(l, 0, 1), "no particle");
    assert_bad(tarn_liquid_want_events(l, 1u << 5), "unknown bits");
    assert_bad(tarn_liquid_remove_source(l, (TarnLiquidSourceId){ 0 }), "null id");
    assert_bad(tarn_liquid_remove_region(l, (TarnRegionId){ 1 }), "another liquid");
    assert_int_equal(tarn_liquid_region_count(l, (TarnRegionId){ 1 }), -1);
    assert_true(tarn_liquid_hash(l) == hash);
    tarn_liquid_destroy(l);
}

static void test_bad_parts(void** state) // fills, sources, regions
{
    (void)state;
    TarnLiquidDef def = tank_def(3);
    def.max_sources = def.max_regions = 1;
    TarnLiquid* l = make_falling(&def);
    uint64_t hash = tarn_liquid_hash(l);
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.cookie = 0;
    assert_bad(tarn_liquid_fill(l, &fill, NULL), "tarn_liquid_fill_default");
    fill = tarn_liquid_fill_default(), fill.shape.size.z = -1.0f;
    assert_bad(tarn_liquid_fill(l, &fill, NULL), "fill.size");
    fill = tarn_liquid_fill_default(), fill.kind = 8;
    assert_bad(tarn_liquid_fill(l, &fill, NULL), "fill.kind");
    fill = tarn_liquid_fill_default(), fill.shape.size.y = NAN;
    assert_bad(tarn_liquid_fill(l, &fill, NULL), "fill.size");
    fill = tarn_liquid_fill_default(), fill.shape.size.x = 0.0f;
    assert_bad(tarn_liquid_fill(l, &fill, NULL), "fill.shape.size.x");
    fill = tarn_liquid_fill_default(), fill.pose.position.y = NAN;
    assert_bad(tarn_liquid_fill(l, &fill, NULL), "fill.pose.position");
    fill = tarn_liquid_fill_default(), fill.pose.rotation.w = 0.0f;
    assert_bad(tarn_liquid_fill(l, &fill, NULL), "fill.pose.rotation");
    TarnLiquidSourceDef source = tarn_liquid_source_default_def();
    source.direction = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    assert_bad(tarn_liquid_add_source(l, &source, NULL), "direction");
    source = tarn_liquid_source_default_def(), source.start = 2.0f, source.stop = 1.0f;
    assert_bad(tarn_liquid_add_source(l, &source, NULL), "is before liquid_source.start");
    source.cookie = 1;
    assert_bad(tarn_liquid_add_source(l, &source, NULL), "tarn_liquid_source_default_def");
    TarnRegionDef region = tarn_region_default_def();
    region.shape.size.x = 0.0f;
    assert_bad(tarn_liquid_add_region(l, &region, NULL), "region.shape.size.x");
    region = tarn_region_default_def(), region.action = 6;
    assert_bad(tarn_liquid_add_region(l, &region, NULL), "region.action");

    TarnLiquidSourceId source_id, stale_source;
    TarnRegionId region_id;
    source = tarn_liquid_source_default_def();
    region = tarn_region_default_def();
    assert_ok(tarn_liquid_add_source(l, &source, &source_id));
    assert_result(tarn_liquid_add_source(l, &source, &stale_source), TARN_ERR_CAPACITY,
                  "max_sources");
    assert_true(stale_source.value == 0);
    assert_ok(tarn_liquid_add_region(l, &region, &region_id));
    assert_result(tarn_liquid_add_region(l, &region, NULL), TARN_ERR_CAPACITY, "max_regions");
    assert_ok(tarn_liquid_remove_source(l, source_id));
    hash = tarn_liquid_hash(l);
    assert_bad(tarn_liquid_remove_source(l, source_id), "stale");
    assert_bad(tarn_liquid_set_source(l, source_id, &source), "stale");
    TarnLiquidDef other_def = tank_def(2);
    TarnLiquid* other = make_falling(&other_def);
    assert_result(tarn_liquid_remove_region(other, region_id), TARN_ERR_ARG, "another liquid");
    tarn_liquid_destroy(other);
    tarn_liquid_destroy(l);
}

// ---- Filling -------------------------------------------------------------------------------------

static void test_fill(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        TarnLiquidDef def = tank_def(dims);
        TarnLiquid* l = make_falling(&def);
        int side = 10, expected = dims == 2 ? side * side : side * side * side;
        assert_int_equal(fill_box(l, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.5f, 0.5f, 0.5f }),
                         expected);
        TarnLiquidView view = tarn_liquid_view(l);
        assert_int_equal(view.n, expected);
        float low = 1.0f;
        for (int p = 0; p < view.n; ++p) low = view.y[p] < low ? view.y[p] : low;
        assert_float_equal(low, 0.025f, 1e-6f); // half a spacing from the floor
        // What lies outside of the box is not filled, and nothing at all where it does not reach.
        tarn_liquid_reset(l);
        assert_int_equal(fill_box(l, (TarnVec3){ -3, -3, -3 }, (TarnVec3){ 0.5f, 0.5f, 0.5f }),
                         expected);
        assert_int_equal(fill_box(l, (TarnVec3){ 3, 3, 3 }, (TarnVec3){ 4, 4, 4 }), 0);
        // A ball has its share of the box, and not what a solid takes.
        tarn_liquid_reset(l);
        TarnLiquidFill fill = tarn_liquid_fill_default();
        fill.shape = tarn_shape_sphere(0.35f);
        fill.pose.position = (TarnVec3){ 0.35f, 0.35f, 0.35f };
        int n, m;
        assert_ok(tarn_liquid_fill(l, &fill, &n));
        double share = dims == 2 ? pi / 4 : pi / 6, cells = pow(14.0, dims);
        assert_true(fabs(n / cells - share) < 0.02);
        TarnSolids* solids = make_solids(ctx);
        add_box(solids, (TarnVec3){ 0, 0.35f, 0.35f }, (TarnVec3){ 0.35f, 1, 1 }, 0, 0);
        assert_ok(tarn_liquid_set_solids(l, solids));
        tarn_liquid_reset(l);
        assert_ok(tarn_liquid_fill(l, &fill, &m));
        assert_int_equal(m, n / 2);
        tarn_liquid_destroy(l);
        tarn_solids_destroy(solids);
    }
}

static void test_capacity(void** state)
{
    (void)state;
    TarnLiquidDef def = tank_def(2);
    def.max_particles = 150;
    TarnLiquid* l = make_falling(&def);
    fill_box(l, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.5f, 0.5f, 0 });
    uint64_t hash = tarn_liquid_hash(l);
    TarnLiquidFill fill = tarn_liquid_fill_default();
    int n = 7;
    for (int k = 0; k < 2; ++k) {
        fill.shape.kind = k ? TARN_SHAPE_SPHERE : TARN_SHAPE_BOX;
        fill.pose.position = (TarnVec3){ 0.5f, 0.5f, 0.0f };
        assert_result(tarn_liquid_fill(l, &fill, &n), TARN_ERR_CAPACITY, "max_particles");
        assert_int_equal(n, 0);
    }
    TarnVec3 at[51] = { { 0.7f, 0.5f, 0 } };
    assert_result(tarn_liquid_add(l, 51, at, NULL, 0, 0, NULL), TARN_ERR_CAPACITY, "50 of 150");
    assert_true(tarn_liquid_hash(l) == hash);
    assert_ok(tarn_liquid_add(l, 50, at, NULL, 0, 0, NULL)); // exactly
    TarnLiquidSourceDef source = tarn_liquid_source_default_def();
    assert_ok(tarn_liquid_add_source(l, &source, NULL));
    TarnStepReport report = step_liquid(l, 0.05f);
    assert_true(report.flags & TARN_STEP_CAPACITY_FULL);
    assert_true(tarn_liquid_ledger(l).refused > 0);
    assert_sane_liquid(l);
    // A lattice of any size is refused at once.
    def = tank_def(3);
    def.spacing = 1e-4f;
    def.box_min = (TarnVec3){ -1e5f, -1e5f, -1e5f };
    def.box_max = (TarnVec3){ 1e5f, 1e5f, 1e5f };
    TarnLiquid* fine = make_falling(&def);
    fill.shape = tarn_shape_box_between(def.box_min, def.box_max, &fill.pose.position);
    assert_result(tarn_liquid_fill(fine, &fill, &n), TARN_ERR_CAPACITY, "max_particles");
    tarn_liquid_destroy(fine);
    tarn_liquid_destroy(l);
}

// ---- Ids, groups ---------------------------------------------------------------------------------

static void test_ids(void** state)
{
    (void)state;
    TarnLiquidDef def = tank_def(2);
    def.walls = TARN_LIQUID_BOX;
    TarnLiquid* l = make_falling(&def);
    fill_box(l, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 1, 0.5f, 0 });
    TarnVec3 at = { 0.5f, 0.8f, 0.3f }, v = { 1.0f, 2.0f, 3.0f };
    uint32_t id;
    assert_ok(tarn_liquid_add(l, 1, &at, &v, 3, 9, &id));
    int p = tarn_liquid_find(l, id);
    TarnLiquidView view = tarn_liquid_view(l);
    assert_true(view.x[p] == 0.5f && view.y[p] == 0.8f && view.z[p] == 0.0f);
    assert_true(view.vx[p] == 1.0f && view.vz[p] == 0.0f && view.kind[p] == 3 &&
                view.group[p] == 9);
    for (uint32_t i = 1; i <= id; ++i) assert_ok(tarn_liquid_set_user(l, i, 1000 + i));
    for (int s = 0; s < 60; ++s) {
        run_liquid(l, 1);
        assert_ok(tarn_liquid_push_group(l, -1, (TarnVec3){ uniform(-1, 1), uniform(-1, 1), 0 }));
        if (s % 7 == 0) assert_ok(tarn_liquid_remove(l, 1 + (uint32_t)s));
        if (s % 9 == 0) assert_ok(tarn_liquid_set_user(l, id, 1000 + id)); // makes an index
    }
    view = tarn_liquid_view(l);
    assert_int_equal(view.n, 201 - 9);
    for (int q = 0; q < view.n; ++q) {
        assert_int_equal(tarn_liquid_find(l, view.id[q]), q);
        assert_int_equal(view.user[q], 1000 + view.id[q]);
        assert_int_equal(view.group[q], view.id[q] == id ? 9 : 0);
    }
    assert_int_equal(tarn_liquid_find(l, 1), -1);
    assert_int_equal(tarn_liquid_find(l, id + 1), -1);
    // Groups: pushed and removed on their own.
    p = tarn_liquid_find(l, id);
    float before = view.vx[p], other = view.vx[p ? 0 : 1];
    assert_ok(tarn_liquid_push_group(l, 9, (TarnVec3){ 0.5f, 0, 0 }));
    assert_true(tarn_liquid_view(l).vx[p] == before + 0.5f);
    assert_true(tarn_liquid_view(l).vx[p ? 0 : 1] == other);
    assert_int_equal(tarn_liquid_remove_group(l, 9), 1);
    assert_int_equal(tarn_liquid_remove_group(l, 9), 0);
    assert_int_equal(tarn_liquid_find(l, id), -1);
    assert_int_equal(tarn_liquid_remove_group(l, 0), 191);
    assert_int_equal(tarn_liquid_view(l).n, 0);
    run_liquid(l, 2); // nothing is fine, too
    assert_sane_liquid(l);
    assert_true(tarn_liquid_ledger(l).removed == 201);
    assert_ok(tarn_liquid_add(l, 1, &at, NULL, 0, 0, &id));
    assert_int_equal(id, 202); // never used twice
    tarn_liquid_destroy(l);
}

// ---- Sources -------------------------------------------------------------------------------------

static TarnLiquidDef jet_def(int dims)
{
    TarnLiquidDef def = tank_def(dims);
    def.spacing = 0.02f;
    def.walls = TARN_LIQUID_OPEN;
    def.box_min = (TarnVec3){ -10, -10, -10 };
    def.box_max = (TarnVec3){ 10, 10, 10 };
    def.max_particles = 50000;
    return def;
}

static void test_source_rate(void** state)
{
    (void)state;
    for (int dims = 2; dims <= 3; ++dims) {
        for (int radius = 0; radius < 3; ++radius) {
            TarnLiquidDef def = jet_def(dims);
            TarnLiquid* l = make_falling(&def);
            TarnLiquidSourceDef source = tarn_liquid_source_default_def();
            const float radii[] = { 0.013f, 0.055f, 0.1f };
            source.radius = radii[radius], source.speed = 2.7f, source.stop = 0.9f;
            assert_ok(tarn_liquid_add_source(l, &source, NULL));
            double t = 0.0;
            while (t < 0.8) t += (double)step_liquid(l, uniform(1e-3f, 0.06f)).time_advanced;
            step_liquid(l, 1.0f);
            double r = source.radius, s = def.spacing;
            double area = dims == 2 ? 2 * r : pi * r * r;
            double expected = area * (double)source.speed * 0.9 / pow(s, dims);
            double added = (double)tarn_liquid_ledger(l).added; // some have left the box
            assert_true(fabs(added / expected - 1.0) < 0.02);
            assert_sane_liquid(l);
            tarn_liquid_destroy(l);
        }
    }
}

static int compare_floats(const void* a, const void* b)
{
    float x = *(const float*)a, y = *(const float*)b;
    return (x > y) - (x < y);
}

static void test_source_layers(void** state)
{
    (void)state;
    TarnLiquidDef def = jet_def(2);
    TarnLiquid* l = make_falling(&def);
    TarnLiquidParams params = tarn_liquid_params(l);
    params.gravity = (TarnVec3){ 0, 0, 0 };
    assert_ok(tarn_liquid_set_params(l, &params));
    TarnLiquidSourceDef source = tarn_liquid_source_default_def();
    source.radius = 0.01f, source.speed = 3.0f; // one particle per layer
    assert_ok(tarn_liquid_add_source(l, &source, NULL));
    for (int s = 0; s < 60; ++s) step_liquid(l, s % 3 ? 0.0111f : 0.0003f);
    float x[1000];
    assert_in_range(l->n, 50, 1000);
    memcpy(x, l->x, (size_t)l->n * sizeof(float));
    qsort(x, (size_t)l->n, sizeof(float), compare_floats);
    for (int p = 1; p < l->n; ++p) assert_float_equal(x[p] - x[p - 1], 0.02f, 1e-5f);
    assert_true(x[0] >= 0.0f && x[0] <= 0.0201f);
    // A limit, and a source that is moved: what leaves it moves along.
    tarn_liquid_reset(l);
    source.limit = 17, source.velocity = (TarnVec3){ 0, 1.5f, 0 };
    TarnLiquidSourceId id;
    assert_ok(tarn_liquid_add_source(l, &source, &id));
    run_liquid(l, 60);
    int n = 0;
    for (int p = 0; p < l->n; ++p) n += l->vy[p] == 1.5f;
    assert_int_equal(n, 17);
    tarn_liquid_destroy(l);
}

// ---- Time ----------------------------------------------------------------------------------------

static void test_time(void** state)
{
    (void)state;
    TarnLiquidDef def = tank_def(2);
    TarnLiquid* l = make_falling(&def);
    fill_box(l, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.5f, 0.5f, 0 });
    TarnStepReport report = step_liquid(l, 0.0f);
    assert_true(report.substeps == 0 && report.time_advanced == 0.0 && report.flags == 0);
    TarnLiquidView view = tarn_liquid_view(l);
    assert_true(view.n == 100 && tarn_liquid_time(l) == 0.0);
    report = step_liquid(l, 0.12f); // falling takes 0.05 s at most: three of 0.04
    assert_int_equal(report.substeps, 3);
    assert_true(report.flags == 0 && report.time_advanced == (double)0.12f);
    TarnLiquidParams params = tarn_liquid_params(l);
    params.max_substeps = 4;
    assert_ok(tarn_liquid_set_params(l, &params));
    report = step_liquid(l, 1.0f);
    assert_int_equal(report.substeps, 4);
    assert_true(report.flags == TARN_STEP_TIME_CUT && fabs(report.time_advanced - 0.2) < 1e-9);
    assert_true(fabs(tarn_liquid_time(l) - 0.32) < 1e-6);
    tarn_liquid_reset(l);
    assert_true(tarn_liquid_view(l).n == 0 && tarn_liquid_time(l) == 0.0);
    tarn_liquid_destroy(l);
}

static void test_no_allocation(void** state)
{
    (void)state;
    for (int m = 0; m < n_methods; ++m) {
        TarnLiquidDef def = tank_def(2);
        def.method = m;
        def.use_look = true;
        def.max_splashes = 100;
        TarnLiquid* l = make_liquid(ctx, &def);
        TarnLiquidSourceDef source = tarn_liquid_source_default_def();
        assert_ok(tarn_liquid_add_source(l, &source, NULL));
        fill_box(l, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.5f, 0.5f, 0 });
        int calls = memory.calls;
        run_liquid(l, 10);
        tarn_liquid_stats(l);
        tarn_liquid_hash(l);
        tarn_liquid_remove_group(l, 0);
        run_liquid(l, 2);
        assert_int_equal(memory.calls, calls);
        tarn_liquid_destroy(l);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_bad_defs),  TEST(test_memory),        TEST(test_bad_arguments),
        TEST(test_bad_parts), TEST(test_fill),          TEST(test_capacity),
        TEST(test_ids),       TEST(test_source_rate),   TEST(test_source_layers),
        TEST(test_time),      TEST(test_no_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
