// Breaking waves: what is refused, full pools, snapshots, any input, bodies that a sheet hits, worlds that hold them.

#include "test_common.h"
#include "tarn/world.h"
#include <math.h>

// A bore that runs along +x at 4 m/s, as a host's own water; push counts what is moved.
typedef struct Bore {
    double time, pushed;
    bool is_wild; // answers nonsense
} Bore;

static void bore_query(const void* self, int n, const float* x, const float* z,
                       const TarnSurfaceSamples* out)
{
    const Bore* bore = self;
    const float nonsense[4] = { NAN, INFINITY, -1e30f, 5.0f };
    (void)z;
    for (int i = 0; i < n; ++i) {
        float s = (x[i] - 2.0f - 4.0f * (float)bore->time) / 0.4f;
        float t = s < -1.0f ? 1.0f : s > 1.0f ? 0.0f : 0.5f - 0.5f * s;
        float wild = nonsense[(i * 7 + (int)(bore->time * 60.0)) % 4];
        if (out->height) out->height[i] = bore->is_wild ? wild : 1.0f * t;
        if (out->depth) out->depth[i] = bore->is_wild ? wild : 1.0f + t;
        if (out->velocity) out->velocity[i] = (TarnVec3){ 2.0f * t, 3.0f * t * (1.0f - t), 0.0f };
        if (out->normal) out->normal[i] = (TarnVec3){ bore->is_wild ? wild : 0.6f, 0.8f, 0.0f };
    }
}

static TarnResult bore_push(void* self, const TarnSurfacePush* push, TarnSurfaceTaken* taken)
{
    ((Bore*)self)->pushed += (double)push->volume;
    taken->volume = (double)push->volume;
    return TARN_OK;
}

static TarnBreakersDef small(void)
{
    TarnBreakersDef def = tarn_breakers_default_def();
    def.nx = 64, def.nz = 32, def.dx = 0.25f;
    def.max_points = 256, def.max_rows = 128, def.max_nodes = 2048;
    return def;
}

static TarnBreakers* make(const TarnBreakersDef* def)
{
    TarnBreakers* breakers;
    assert_ok(tarn_breakers_create(ctx, def, &breakers));
    return breakers;
}

static void run(TarnBreakers* breakers, Bore* bore, TarnBodies* bodies, int steps)
{
    TarnSurface water = { .self = bore, .query = bore_query, .push = bore_push };
    for (int s = 0; s < steps; ++s) {
        bore->time += 1.0 / 60.0;
        assert_ok(tarn_breakers_step(breakers, &water, bodies, 1.0f / 60.0f, NULL));
    }
}

static void refuses(void** state)
{
    (void)state;
    TarnBreakersDef def = small();
    TarnBreakers* breakers = (TarnBreakers*)&def;
    def.nx = 1;
    assert_int_equal(tarn_breakers_create(ctx, &def, &breakers), TARN_ERR_ARG);
    assert_null(breakers);
    assert_non_null(strstr(tarn_last_error(ctx), "breakers.nx"));
    assert_int_equal(tarn_breakers_memory(&def), 0);
    def = small();
    breakers = make(&def);
    assert_true(tarn_breakers_memory(&def) > 0);
    assert_int_equal(tarn_breakers_step(breakers, NULL, NULL, -1.0f, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_breakers_step(breakers, NULL, NULL, NAN, NULL), TARN_ERR_ARG);
    assert_ok(tarn_breakers_step(breakers, NULL, NULL, 10.0f, NULL));
    TarnBreakersParams params = tarn_breakers_default_params();
    params.row_time = 0.0f;
    assert_int_equal(tarn_breakers_set_params(breakers, &params), TARN_ERR_ARG);
    int n;
    assert_int_equal(tarn_breakers_line(breakers, 0, 0, NULL, &n, NULL), TARN_ERR_ARG);
    assert_int_equal(tarn_breakers_mesh(breakers, NULL), TARN_ERR_ARG);
    TarnMesh mesh = { .n_attributes = -1 };
    assert_int_equal(tarn_breakers_mesh(breakers, &mesh), TARN_ERR_ARG);
    tarn_breakers_destroy(breakers);
    tarn_breakers_destroy(NULL);
}

// One line across the grid, a sheet in front of it, water that is pushed aside.
static void breaks(void** state)
{
    (void)state;
    TarnBreakersDef def = small();
    TarnBreakers* breakers = make(&def);
    Bore bore = { 0 };
    run(breakers, &bore, NULL, 120);
    static TarnBreakerPoint points[256];
    int n;
    assert_int_equal(tarn_breakers_line_count(breakers), 1);
    assert_ok(tarn_breakers_line(breakers, 0, 256, points, &n, NULL));
    assert_true(n > 20);
    assert_int_equal(tarn_breakers_line(breakers, 0, 3, points, &n, NULL), TARN_ERR_CAPACITY);
    for (int i = 3; i < n - 3; ++i) {
        assert_true(fabs((double)points[i].position.x - (2.0 + 4.0 * bore.time)) < 0.25);
        assert_true(fabsf(points[i].speed - 4.0f) < 0.5f);
        assert_true(points[i].direction.x > 0.99f);
    }
    assert_true(tarn_breakers_node_count(breakers) > 100);
    assert_true(bore.pushed > 0.0);
    assert_true(fabs(bore.pushed - tarn_breakers_moved(breakers)) < 1e-6);

    TarnMesh counted = { 0 };
    assert_ok(tarn_breakers_mesh(breakers, &counted));
    assert_true(counted.n_triangles > 200);
    static TarnVec3 position[8192];
    static uint32_t index[3 * 16384];
    TarnMesh mesh = { .position = position, .index = index, .max_vertices = 8, .max_triangles = 8 };
    assert_int_equal(tarn_breakers_mesh(breakers, &mesh), TARN_ERR_CAPACITY);
    assert_int_equal(mesh.n_vertices, counted.n_vertices);
    mesh.max_vertices = 8192, mesh.max_triangles = 16384;
    assert_ok(tarn_breakers_mesh(breakers, &mesh));
    TarnMeshStats stats;
    assert_ok(tarn_mesh_stats(ctx, &mesh, &stats));
    assert_int_equal(stats.open_edges + stats.crowded_edges + stats.flipped_edges, 0);
    assert_true(stats.volume > 0.0);

    // The bore is gone: sheets fall, lines end.
    bore.time += 100.0;
    run(breakers, &bore, NULL, 240);
    assert_int_equal(tarn_breakers_line_count(breakers), 0);
    assert_int_equal(tarn_breakers_node_count(breakers), 0);
    tarn_breakers_destroy(breakers);
}

static void full_pools_are_reported(void** state)
{
    (void)state;
    TarnBreakersDef def = small();
    def.max_points = 16, def.max_rows = 16, def.max_nodes = 64, def.max_lines = 1;
    TarnBreakers* breakers = make(&def);
    Bore bore = { 0 };
    TarnSurface water = { .self = &bore, .query = bore_query };
    uint32_t flags = 0;
    for (int s = 0; s < 90; ++s) {
        TarnStepReport report;
        bore.time += 1.0 / 60.0;
        assert_ok(tarn_breakers_step(breakers, &water, NULL, 1.0f / 60.0f, &report));
        flags |= report.flags;
    }
    assert_true(flags & TARN_STEP_CAPACITY_FULL);
    tarn_breakers_destroy(breakers);
}

static void same_after_load(void** state)
{
    (void)state;
    TarnBreakersDef def = small();
    TarnBreakers *a = make(&def), *b = make(&def);
    Bore bore = { 0 };
    run(a, &bore, NULL, 80);
    size_t size = 0;
    assert_int_equal(tarn_breakers_save(a, NULL, 0, &size), TARN_ERR_CAPACITY);
    void* bytes = malloc(size);
    assert_ok(tarn_breakers_save(a, bytes, size, &size));
    assert_ok(tarn_breakers_load(b, bytes, size));
    assert_true(tarn_breakers_hash(a) == tarn_breakers_hash(b));
    Bore other = bore;
    run(a, &bore, NULL, 40);
    run(b, &other, NULL, 40);
    assert_true(tarn_breakers_hash(a) == tarn_breakers_hash(b));
    for (size_t cut = 0; cut < size; cut += 97) // damaged: refused, nothing changes
        assert_true(tarn_breakers_load(b, bytes, cut) != TARN_OK);
    assert_true(tarn_breakers_hash(a) == tarn_breakers_hash(b));
    tarn_breakers_reset(a);
    assert_int_equal(tarn_breakers_line_count(a), 0);
    free(bytes);
    tarn_breakers_destroy(a);
    tarn_breakers_destroy(b);
}

static void any_input_stays_finite(void** state)
{
    (void)state;
    TarnBreakersDef def = small();
    TarnBreakers* breakers = make(&def);
    static TarnVec3 position[8192], velocity[8192];
    Bore bore = { 0 };
    TarnSurface water = { .self = &bore, .query = bore_query };
    for (int s = 0; s < 200; ++s) {
        const float dts[] = { 1.0f / 60.0f, 0.5f, 1e-6f, 10.0f };
        bore.is_wild = s % 20 > 14;
        bore.time += 1.0 / 60.0;
        assert_ok(tarn_breakers_step(breakers, &water, NULL, dts[s % 7 == 6 ? s % 4 : 0], NULL));
        TarnMesh mesh = { .position = position, .velocity = velocity };
        mesh.max_vertices = 8192, mesh.max_triangles = 1 << 20;
        assert_ok(tarn_breakers_mesh(breakers, &mesh));
        for (int i = 0; i < mesh.n_vertices; ++i) {
            TarnVec3 p = position[i], v = velocity[i];
            assert_true(isfinite(p.x) && isfinite(p.y) && isfinite(p.z));
            assert_true(isfinite(v.x) && isfinite(v.y) && isfinite(v.z));
        }
    }
    tarn_breakers_destroy(breakers);
}

// A sheet that falls on a crate pushes it on and splashes.
static void hits_bodies(void** state)
{
    (void)state;
    TarnBreakersDef def = small();
    TarnBreakers* breakers = make(&def);
    TarnBodiesDef bodies_def = tarn_bodies_default_def();
    TarnBodies* bodies;
    assert_ok(tarn_bodies_create(ctx, &bodies_def, &bodies));
    TarnBodyDef crate = tarn_body_default_def();
    crate.shape = tarn_shape_box(0.5f, 0.5f, 1.5f);
    crate.density = 500.0f;
    crate.state.position = (TarnVec3){ 9.0f, 0.4f, 4.0f };
    TarnBodyId id;
    assert_ok(tarn_bodies_add(bodies, &crate, &id));
    Bore bore = { 0 };
    int hits = 0;
    float push = 0.0f;
    for (int s = 0; s < 120; ++s) {
        const TarnBreakerSplash* splashes;
        TarnVec3 force, torque;
        run(breakers, &bore, bodies, 1);
        int n = tarn_breakers_splashes(breakers, &splashes);
        for (int i = 0; i < n; ++i) hits += splashes[i].is_impact == 2;
        assert_ok(tarn_bodies_get_added_force(bodies, id, &force, &torque));
        push += force.x;
        tarn_bodies_clear_forces(bodies);
    }
    assert_true(hits > 0);
    assert_true(push > 0.0f);
    tarn_bodies_destroy(bodies);
    tarn_breakers_destroy(breakers);
}

// In a world it lies on a water; alone it has none and does nothing.
static void lies_on_a_water(void** state)
{
    (void)state;
    TarnWorldDef world_def = tarn_world_default_def();
    TarnWorld* world;
    assert_ok(tarn_world_create(ctx, &world_def, &world));
    TarnShallowDef water = tarn_shallow_default_def();
    TarnShallow* shallow;
    TarnBreakers* breakers;
    static float depth[64 * 32];
    water.nx = 64, water.nz = 32, water.dx = 0.25f;
    for (int c = 0; c < 64 * 32; ++c) depth[c] = c % 64 < 20 ? 2.5f : 1.0f;
    water.depth = depth;
    TarnBreakersDef def = small();
    assert_ok(tarn_world_add_shallow(world, &water, &shallow));
    assert_ok(tarn_world_add_breakers(world, &def, &breakers));
    for (int s = 0; s < 10; ++s) assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));
    assert_int_equal(tarn_breakers_line_count(breakers), 0);
    assert_ok(tarn_world_set_on(world, breakers, shallow));
    for (int s = 0; s < 40; ++s) assert_ok(tarn_world_step(world, 1.0f / 60.0f, NULL));
    assert_true(tarn_breakers_line_count(breakers) > 0);
    assert_true(tarn_shallow_ledger(shallow).error == 0.0);
    tarn_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(refuses),
        TEST(breaks),
        TEST(full_pools_are_reported),
        TEST(same_after_load),
        TEST(any_input_stays_finite),
        TEST(hits_bodies),
        TEST(lies_on_a_water),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
