// Liquids: the same bits for any number of workers and instruction set, snapshots, statistics.

#include "liquid_common.h"
#include "tests/robust/damaged.h"
#include "tests/sanitized.h"

// A bit of everything: two kinds, a source, regions, moving solids, splashes, look.
typedef struct Scene {
    TarnLiquid* liquid;
    TarnSolids* solids;
    TarnSolidId paddle;
} Scene;

static Scene make_scene(TarnContext* where, int dims, int method)
{
    Scene s;
    TarnLiquidDef def = tank_def(dims);
    def.method = method;
    def.use_look = true;
    def.max_splashes = 500;
    s.liquid = make_liquid(where, &def);
    s.solids = make_solids(where);
    s.paddle = add_box(s.solids, (TarnVec3){ 0.7f, 0.3f, 0.5f }, (TarnVec3){ 0.25f, 0.01f, 0.3f },
                       TARN_TOUCH_BOUNCE, 3);
    assert_int_equal(tarn_solids_set_velocity(s.solids, s.paddle, (TarnVec3){ 0, 0, 0 },
                                              (TarnVec3){ 0, 0, 6.0f }),
                     TARN_OK);
    assert_int_equal(tarn_liquid_set_solids(s.liquid, s.solids), TARN_OK);
    TarnLiquidKindDef oil = tarn_liquid_kind_default_def();
    oil.density = 700.0f, oil.viscosity = 1e-3f;
    assert_int_equal(tarn_liquid_set_kind(s.liquid, 1, &oil), TARN_OK);
    TarnLiquidParams params = tarn_liquid_params(s.liquid);
    params.splash_speed = 0.2f, params.viscosity = 1e-3f, params.cohesion = 0.1f;
    assert_int_equal(tarn_liquid_set_params(s.liquid, &params), TARN_OK);
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape = tarn_shape_box_between((TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.4f, 0.5f, 0.4f },
                                        &fill.pose.position),
    fill.jitter = 0.1f;
    assert_int_equal(tarn_liquid_fill(s.liquid, &fill, NULL), TARN_OK);
    fill.shape.size.y = 0.15f, fill.pose.position.y = 0.65f, fill.kind = 1,
    fill.temperature = 20.0f;
    assert_int_equal(tarn_liquid_fill(s.liquid, &fill, NULL), TARN_OK);
    TarnLiquidSourceDef source = tarn_liquid_source_default_def();
    source.position = (TarnVec3){ 0.1f, 0.9f, 0.5f }, source.spread = 0.2f;
    assert_int_equal(tarn_liquid_add_source(s.liquid, &source, NULL), TARN_OK);
    TarnRegionDef region = tarn_region_default_def();
    region.shape = tarn_shape_box_between((TarnVec3){ 0.8f, 0, 0 }, (TarnVec3){ 1, 0.2f, 1 },
                                          &region.pose.position);
    region.action = TARN_REGION_DELETE, region.start = 0.3f;
    assert_int_equal(tarn_liquid_add_region(s.liquid, &region, NULL), TARN_OK);
    region.action = TARN_REGION_PUSH, region.start = 0.0f, region.push.y = 20.0f;
    assert_int_equal(tarn_liquid_add_region(s.liquid, &region, NULL), TARN_OK);
    assert_int_equal(tarn_liquid_want_events(s.liquid, 31), TARN_OK);
    return s;
}

static void run_scene(Scene* s, int n)
{
    for (int i = 0; i < n; ++i) {
        float dt = i % 5 == 4 ? 0.03f : frame;
        assert_int_equal(tarn_solids_advance(s->solids, dt), TARN_OK);
        assert_int_equal(tarn_liquid_step(s->liquid, dt, NULL), TARN_OK);
    }
}

static void destroy_scene(Scene* s)
{
    tarn_liquid_destroy(s->liquid);
    tarn_solids_destroy(s->solids);
}

static uint64_t hash_scene(const Scene* s)
{
    int n;
    const TarnLiquidEvent* events = tarn_liquid_events(s->liquid, &n);
    uint64_t hash = tarn_liquid_hash(s->liquid);
    for (int e = 0; e < n; ++e) { // not the ids of solids and regions: they tell the owner
        hash = tarn_hash(&events[e].kind, sizeof events[e].kind, hash);
        hash = tarn_hash(&events[e].id, sizeof events[e].id, hash);
        hash = tarn_hash(&events[e].position, sizeof(TarnVec3), hash);
    }
    TarnSolidPush push;
    assert_int_equal(tarn_solids_get_push(s->solids, s->paddle, &push), TARN_OK);
    return tarn_hash(&push, sizeof push, hash);
}

static void test_workers(void** state)
{
    (void)state;
    const int workers[] = { 1, 2, 3, 8 };
    for (int n = 0; n < n_methods * 2; n += is_sanitized ? 2 : 1) { // then only in 2-D
        uint64_t first = 0;
        for (int w = 0; w < 8; ++w) {
            TarnIsa isa = w < 4 ? TARN_ISA_AUTO : TARN_ISA_BASELINE;
            if (w > 4 && w < 7) continue; // baseline with one and with eight
            TarnContext* where = make_context(workers[w % 4], isa);
            Scene s = make_scene(where, 2 + n % 2, n / 2);
            run_scene(&s, is_sanitized ? 2 : n % 2 ? 6 : 20);
            uint64_t hash = hash_scene(&s);
            if (w == 0) first = hash;
            if (hash != first) print_error("%s, %d-D\n", s.liquid->method->name, 2 + n % 2);
            assert_true(hash == first);
            if (w == 0) assert_sane_liquid(s.liquid);
            destroy_scene(&s);
            tarn_context_destroy(where);
        }
    }
}

// A pipe so narrow that all its particles touch several walls: there are not places for all contacts. Each
// keeps its nearest, and the bits stay the same.
static void test_narrow_pipe(void** state)
{
    (void)state;
    uint64_t first = 0;
    for (int w = 1; w <= 4; ++w) {
        TarnContext* where = make_context(w, TARN_ISA_AUTO);
        TarnLiquidDef def = tank_def(3);
        def.box_max = (TarnVec3){ 2.0f, 0.12f, 0.12f };
        def.max_particles = 200;
        def.walls = TARN_LIQUID_BOX;
        TarnLiquid* l = make_liquid(where, &def);
        l->method = &falling;
        int n = fill_box(l, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 2, 1, 1 });
        assert_int_equal(n, 160);
        run_liquid(l, 20);
        assert_true(l->n_contacts_lost > 0);
        Substep s = { .l = l, .dt = frame, .t1 = 1.0f };
        tarn__liquid_find_contacts(&s);
        for (int p = 0; p < l->n; ++p) {
            const LiquidContact* c = &l->contacts[l->contact_begin[p]];
            assert_in_range(l->contact_count[p], 1, LIQUID_MAX_CONTACTS);
            float y = l->y[p], z = l->z[p], nearest = fminf(fminf(y, 0.12f - y), z);
            nearest = fminf(nearest, fminf(0.12f - z, fminf(l->x[p], 2.0f - l->x[p])));
            assert_float_equal(c[0].at.distance, nearest, 1e-6f);
            for (int i = 1; i < l->contact_count[p]; ++i)
                assert_true(c[i].at.distance >= c[i - 1].at.distance);
        }
        uint64_t hash = tarn_liquid_hash(l);
        if (w == 1) first = hash;
        assert_true(hash == first);
        tarn_liquid_destroy(l);
        tarn_context_destroy(where);
    }
}

// ---- Snapshots -----------------------------------------------------------------------------------

static uint8_t* save(const TarnLiquid* l, size_t* size)
{
    assert_int_equal(tarn_liquid_save(l, NULL, 0, size), TARN_ERR_CAPACITY);
    uint8_t* snapshot = malloc(*size);
    assert_result(tarn_liquid_save(l, snapshot, *size - 1, size), TARN_ERR_CAPACITY, "bytes");
    assert_ok(tarn_liquid_save(l, snapshot, *size, size));
    return snapshot;
}

static void load_solids(const TarnSolids* from, TarnSolids* to)
{
    size_t size;
    tarn_solids_save(from, NULL, 0, &size);
    uint8_t* snapshot = malloc(size);
    assert_ok(tarn_solids_save(from, snapshot, size, &size));
    assert_ok(tarn_solids_load(to, snapshot, size));
    free(snapshot);
}

static void test_snapshots(void** state)
{
    (void)state;
    for (int n = 0; n < n_methods * 2; ++n) {
        int dims = 2 + n % 2, half = is_sanitized ? 3 : n % 2 ? 4 : 25;
        Scene a = make_scene(ctx, dims, n / 2), b = make_scene(ctx, dims, n / 2);
        run_scene(&a, half);
        size_t size;
        uint8_t* snapshot = save(a.liquid, &size);
        run_scene(&b, 3); // something else is in it
        assert_ok(tarn_liquid_load(b.liquid, snapshot, size));
        load_solids(a.solids, b.solids);
        assert_true(tarn_liquid_hash(a.liquid) == tarn_liquid_hash(b.liquid));
        TarnVec3 at = { 0.5f, 0.95f, 0.5f }; // behind the sorted ones, in both
        assert_ok(tarn_liquid_add(a.liquid, 1, &at, NULL, 0, 0, NULL));
        assert_ok(tarn_liquid_add(b.liquid, 1, &at, NULL, 0, 0, NULL));
        run_scene(&a, half);
        run_scene(&b, half);
        if (hash_scene(&a) != hash_scene(&b)) print_error("%s\n", a.liquid->method->name);
        assert_true(hash_scene(&a) == hash_scene(&b));
        free(snapshot);
        destroy_scene(&a);
        destroy_scene(&b);
    }
}

// Snapshots of 2-D liquids hold no z: solids that move along it must not give any to particles that they throw past.
static void test_flat(void** state)
{
    (void)state;
    for (int method = 0; method < n_methods; ++method) {
        Scene s = make_scene(ctx, 2, method);
        for (int n = 0; n < 8; ++n) {
            TarnVec3 at = { 0.05f + 0.1f * (float)(n % 4), 0.1f + 0.2f * (float)(n / 4), 0.0f };
            TarnSolidId id =
                add_box(s.solids, at, (TarnVec3){ 0.03f, 0.01f, 0.3f }, TARN_TOUCH_BOUNCE, 1);
            assert_ok(tarn_solids_set_velocity(s.solids, id, (TarnVec3){ 90.0f, 70.0f, 800.0f },
                                               (TarnVec3){ 20.0f, 30.0f, 40.0f }));
        }
        run_scene(&s, 4);
        TarnLiquidView v = tarn_liquid_view(s.liquid);
        for (int p = 0; p < v.n; ++p) assert_true(v.vz[p] == 0.0f && v.z[p] == 0.0f);
        destroy_scene(&s);
    }
}

LOADS(TarnLiquid, liquid)

static void test_damaged(void** state)
{
    (void)state;
    TarnLiquidDef def = tank_def(2);
    def.max_particles = 100, def.max_splashes = 8, def.max_sources = def.max_regions = 2;
    TarnLiquid* l = make_falling(&def);
    TarnLiquidSourceDef source = tarn_liquid_source_default_def();
    TarnRegionDef region = tarn_region_default_def();
    assert_ok(tarn_liquid_add_source(l, &source, NULL));
    assert_ok(tarn_liquid_add_region(l, &region, NULL));
    fill_box(l, (TarnVec3){ 0, 0, 0 }, (TarnVec3){ 0.2f, 0.2f, 0 });
    run_liquid(l, 3);
    size_t size;
    uint8_t* good = save(l, &size);
    run_liquid(l, 2);
    assert_damage_refused((Loader){ l, load_object, hash_object }, good, size);
    // Any one word wrong, with good hashes: refused, or a state that runs.
    uint8_t* bad = malloc(size);
    int refused = 0;
    for (size_t at = TARN_SNAPSHOT_HEADER; at + 4 <= size; at += 4) {
        const uint32_t words[] = { 0xffffffffu, 0x7fc00000u, 0x7f800000u, 0x80000000u, 77u };
        for (int w = 0; w < 5; ++w) {
            memcpy(bad, good, size);
            memcpy(bad + at, &words[w], 4);
            seal(bad, size);
            TarnResult result = tarn_liquid_load(l, bad, size);
            assert_true(result == TARN_OK || result == TARN_ERR_DATA || result == TARN_ERR_VERSION);
            refused += result != TARN_OK;
            if (result == TARN_OK) step_liquid(l, 1e-3f);
        }
    }
    assert_true(refused > (int)size / 10);
    // Made with another def.
    TarnLiquidDef other_def = def;
    other_def.seed = 99;
    TarnLiquid* other = make_falling(&other_def);
    assert_result(tarn_liquid_load(other, good, size), TARN_ERR_DATA, "another def");
    tarn_liquid_destroy(other);
    free(bad);
    free(good);
    tarn_liquid_destroy(l);
}

// ---- Statistics ----------------------------------------------------------------------------------

static void test_stats(void** state)
{
    (void)state;
    TarnLiquidDef def = tank_def(3);
    TarnLiquid* l = make_falling(&def);
    TarnVec3 at[2] = { { 0.2f, 0.5f, 0.5f }, { 0.8f, 0.5f, 0.5f } };
    TarnVec3 v[2] = { { 0, 0, 2 }, { 0, 0, -2 } };
    TarnLiquidStats none = tarn_liquid_stats(l);
    assert_true(none.kinetic_energy == 0.0 && none.mean_compression == 0.0);
    assert_ok(tarn_liquid_add(l, 2, at, v, 0, 0, NULL));
    TarnLiquidStats s = tarn_liquid_stats(l);
    double m = tarn_liquid_particle_mass(l, 0);
    assert_float_equal(m, 1000.0 * 0.05 * 0.05 * 0.05, 1e-6);
    assert_float_equal(s.kinetic_energy, m * 4.0, 1e-6);
    assert_float_equal(s.momentum[2], 0.0, 1e-9);
    assert_float_equal(s.angular_momentum[1], m * (0.8 * 2 - 0.2 * 2), 1e-6);
    assert_float_equal(s.max_speed, 2.0, 1e-9);
    l->density[0] = 1100.0f, l->density[1] = 900.0f;
    s = tarn_liquid_stats(l);
    assert_float_equal(s.mean_compression, 0.05, 1e-6);
    assert_float_equal(s.max_compression, 0.1, 1e-6);
    assert_float_equal(tarn_liquid_particle_mass(l, -1), 0.0f, 0.0f);
    tarn_liquid_destroy(l);
}

int main(void)
{
    const struct CMUnitTest tests[] = { TEST(test_workers),         TEST(test_narrow_pipe),
                                        TEST_ALONE(test_snapshots), TEST_ALONE(test_flat),
                                        TEST_ALONE(test_damaged),   TEST_ALONE(test_stats) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
