// The reflected step with everything a gas can do, velocities that the host sets, and edges with a flow.

#include "gas_common.h"

// ---- Reflection ----------------------------------------------------------------------------------

static TarnGasDef reflected(int kind)
{
    TarnGasDef def = small_gas();
    def.step = TARN_GAS_REFLECTION;
    def.obstacles = kind % 3;
    def.follow = kind < 3 ? TARN_GAS_SHIFT : TARN_GAS_TRANSLATE;
    def.edge_x0 = TARN_GAS_OPEN, def.edge_y1 = TARN_GAS_FLOW;
    return def;
}

// Fire, a jet, wind, a ball that moves, a box that follows; levels and held updates on the way.
static uint64_t run_reflected(TarnContext* where, int kind, bool has_restore)
{
    TarnGasDef def = reflected(kind);
    TarnSolidsDef solids_def = tarn_solids_default_def();
    TarnSolids* solids;
    assert_ok(tarn_solids_create(where, &solids_def, &solids));
    TarnSolidDef ball = tarn_solid_default_def();
    ball.shape.kind = TARN_SHAPE_SPHERE, ball.shape.size.x = 0.25f;
    TarnSolidId id;
    assert_ok(tarn_solids_add(solids, &ball, &id));
    TarnGas* gas = make_gas(where, def);
    kindle(gas);
    TarnGasParams params = tarn_gas_params(gas);
    params.flow_y1 = (TarnVec3){ 0.3f, 0.5f, 0.0f };
    assert_ok(tarn_gas_set_params(gas, &params));
    if (def.obstacles != TARN_GAS_NO_OBSTACLES) assert_ok(tarn_gas_set_solids(gas, solids));
    for (int n = 0; n < 24; ++n) {
        TarnVec3 at = { 0.02f * (float)n, 0.0f, 0.01f * (float)n };
        TarnMotion motion = { .position = at, .rotation.w = 1.0f, .velocity = { 1.2f, 0, 0.6f } };
        assert_ok(tarn_solids_move(solids, id, &motion));
        tarn_solids_advance(solids, 1.0f / 60.0f);
        assert_ok(tarn_gas_move(gas, at, motion.velocity));
        params = tarn_gas_params(gas);
        params.update_every = n >= 12 && n < 18 ? 3 : 1;
        assert_ok(tarn_gas_set_params(gas, &params));
        if (n == 8) assert_ok(tarn_gas_set_level(gas, 1));
        if (n == 16) assert_ok(tarn_gas_set_level(gas, 0));
        if (n == 20) assert_ok(tarn_gas_burst(gas, at, 0.3f, 1.0f, 900.0f, 1.0f, 0.02f));
        int calls = memory.calls;
        assert_ok(tarn_gas_step(gas, 1.0f / 60.0f, NULL));
        assert_int_equal(memory.calls, calls);
        if (!has_restore || n != 19) continue; // into a gas that has seen nothing
        size_t size;
        assert_int_equal(tarn_gas_save(gas, NULL, 0, &size), TARN_ERR_CAPACITY);
        void* snapshot = malloc(size);
        assert_ok(tarn_gas_save(gas, snapshot, size, &size));
        TarnGas* fresh = make_gas(where, def);
        if (def.obstacles != TARN_GAS_NO_OBSTACLES) assert_ok(tarn_gas_set_solids(fresh, solids));
        assert_ok(tarn_gas_load(fresh, snapshot, size));
        assert_true(tarn_gas_hash(fresh) == tarn_gas_hash(gas));
        free(snapshot);
        tarn_gas_destroy(gas);
        gas = fresh;
    }
    assert_gas_sane(gas);
    assert_true(tarn_gas_stats(gas).density_sum > 0.0 && tarn_gas_stats(gas).max_speed < 100.0);
    uint64_t hash = tarn_gas_hash(gas);
    tarn_gas_destroy(gas);
    tarn_solids_destroy(solids);
    return hash;
}

static void test_reflection(void** state)
{
    (void)state;
    // 0, 2 and 4 have every kind of obstacles and both ways to follow, though not each with each.
    for (int kind = 0; kind < 6; kind += is_short_run() ? 2 : 1) {
        uint64_t hash = run_reflected(ctx, kind, false);
        assert_true(run_reflected(ctx, kind, true) == hash);
        TarnContextDef def = tarn_context_default_def();
        def.workers = 3;
        def.isa = TARN_ISA_BASELINE;
        TarnContext* other;
        assert_int_equal(tarn_context_create(&def, &other), TARN_OK);
        assert_true(run_reflected(other, kind, false) == hash);
        tarn_context_destroy(other);
    }
}

static void test_reflection_memory(void** state)
{
    (void)state;
    TarnGasDef def = small_gas();
    size_t split = tarn_gas_memory(&def);
    def.step = TARN_GAS_REFLECTION;
    Grid3 grid = tarn__grid3(def.nx, def.ny, def.nz);
    size_t more = tarn_gas_memory(&def) - split, floats = tarn__grid3_floats(&grid);
    assert_true(more >= 12 * floats && more < 12 * floats + 256);
    size_t before = memory.bytes;
    TarnGas* gas = make_gas(ctx, def);
    assert_true(memory.bytes - before == split + more);
    tarn_gas_destroy(gas);
    def = tarn_gas_default_def();
    for (int e = 0; e < 6; ++e) (&def.edge_x0)[e] = TARN_GAS_CLOSED;
    def.obstacles = TARN_GAS_NO_OBSTACLES;
    def.pressure = TARN_GAS_TRANSFORM;
    def.step = TARN_GAS_REFLECTION;
    assert_result(tarn_gas_create(ctx, &def, &gas), TARN_ERR_ARG, "gas.step: reflection needs");
}

// A uniform wind passes through a still box and one that moves, to the bit or nearly.
static void test_reflection_wind(void** state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind) {
        TarnGasDef def = small_gas();
        def.step = TARN_GAS_REFLECTION;
        def.obstacles = TARN_GAS_NO_OBSTACLES;
        def.follow = kind % 2;
        for (int e = 0; e < 6; ++e) (&def.edge_x0)[e] = kind < 2 ? TARN_GAS_OPEN : TARN_GAS_WIND;
        TarnGas* gas = make_gas(ctx, def);
        TarnGasParams params = tarn_gas_default_params();
        params.wind = (TarnVec3){ 3.0f, -1.5f, 0.7f };
        params.vorticity = 0.0f;
        assert_ok(tarn_gas_set_params(gas, &params));
        for (int a = 0; a < 3; ++a) {
            float* field = gas->velocity[a] - tarn__grid3_first(&gas->grid);
            size_t n = tarn__grid3_floats(&gas->grid);
            for (size_t c = 0; c < n; ++c) field[c] = (&params.wind.x)[a];
        }
        for (int n = 1; n <= (is_short_run() ? 10 : 30); ++n) {
            float at = 0.3f * (float)n;
            assert_ok(tarn_gas_move(gas, (TarnVec3){ at, 0, 0 }, (TarnVec3){ 18.0f, 0, 0 }));
            gas_steps(gas, 1);
        }
        double off = 0.0;
        for (int a = 0; a < 3; ++a) {
            for (int c = 0; c < 24 * 32 * 16; ++c) {
                ptrdiff_t at = tarn__grid3_at(&gas->grid, c % 24, c / 24 % 32, c / 768);
                off = fmax(off, fabs((double)(gas->velocity[a][at] - (&params.wind.x)[a])));
            }
        }
        if (off > 3e-5) print_error("kind %d: off by %g m/s\n", kind, off);
        assert_true(off <= 3e-5);
        tarn_gas_destroy(gas);
    }
}

// ---- Velocities on faces -------------------------------------------------------------------------

static void shear(int n, const float* x, const float* y, const float* z, TarnVec3* out, void* user)
{
    int* calls = user;
    *calls += 1;
    for (int i = 0; i < n; ++i) out[i] = (TarnVec3){ y[i], z[i], 2.0f * x[i] };
}
static void broken(int n, const float* x, const float* y, const float* z, TarnVec3* out, void* user)
{
    (void)z, (void)user;
    for (int i = 0; i < n; ++i)
        out[i] = (TarnVec3){ 0.0f, x[i] > 1.0f && y[i] > 1.4f ? NAN : 1.0f, 0.0f };
}

static float at_face(const TarnGas* gas, int axis, int i, int j, int k)
{
    return gas->velocity[axis][tarn__grid3_at(&gas->grid, i, j, k)];
}

static void test_face_velocities(void** state)
{
    (void)state;
    TarnGasDef def = small_gas(); // x0 is closed, z1 has wind
    TarnGas* gas = make_gas(ctx, def);
    float* u = malloc(25 * 32 * 16 * sizeof(float));
    float* v = malloc(24 * 33 * 16 * sizeof(float));
    float* w = malloc(24 * 32 * 17 * sizeof(float));
    for (int c = 0; c < 25 * 32 * 16; ++c) u[c] = (float)c;
    for (int c = 0; c < 24 * 33 * 16; ++c) v[c] = (float)-c / 2.0f;
    for (int c = 0; c < 24 * 32 * 17; ++c) w[c] = (float)c / 4.0f;
    u[25 * 32 * 16 - 1] = 9000.0f;
    for (int c = 0; c < 25 * 32 * 16; ++c) u[c] = fminf(u[c], 9000.0f);
    for (int c = 0; c < 24 * 32 * 17; ++c) w[c] = fminf(w[c], 9000.0f);
    assert_ok(tarn_gas_set_face_velocities(gas, u, v, w));
    assert_true(at_face(gas, 0, 0, 3, 2) == 0.0f); // the wall
    assert_true(at_face(gas, 0, 7, 3, 2) == u[7 + 25 * (3 + 32 * 2)]);
    assert_true(at_face(gas, 0, 24, 3, 2) == u[24 + 25 * (3 + 32 * 2)]); // open
    assert_true(at_face(gas, 1, 7, 32, 2) == v[7 + 24 * (32 + 33 * 2)]);
    assert_true(at_face(gas, 2, 7, 3, 0) == w[7 + 24 * 3]);
    assert_true(at_face(gas, 2, 7, 3, 16) == 0.0f); // the wind is still
    uint64_t hash = tarn_gas_hash(gas);
    assert_ok(tarn_gas_set_face_velocities(gas, NULL, NULL, NULL));
    assert_true(tarn_gas_hash(gas) == hash);
    const float bad[3] = { NAN, INFINITY, -10001.0f };
    for (int n = 0; n < 3; ++n) {
        w[24 * 32 * 17 - 1] = bad[n];
        u[5] = 1.0f + (float)n;
        assert_result(tarn_gas_set_face_velocities(gas, u, NULL, w), TARN_ERR_DATA, "w contains");
        assert_true(tarn_gas_hash(gas) == hash);
    }
    assert_int_equal(tarn_gas_set_face_velocities(NULL, u, v, w), TARN_ERR_ARG);
    gas_steps(gas, 2);
    assert_gas_sane(gas);
    free(u);
    free(v);
    free(w);
    tarn_gas_destroy(gas);
}

static void test_velocity_function(void** state)
{
    (void)state;
    TarnGas* gas = make_gas(ctx, small_gas()); // from (-1.2, -1.6, -0.8), cells of 0.1 m
    const TarnVec3 lo = { -INFINITY, -INFINITY, -INFINITY }, hi = { INFINITY, INFINITY, INFINITY };
    int calls = 0;
    assert_ok(tarn_gas_set_velocity(gas, lo, hi, shear, &calls));
    assert_float_equal(at_face(gas, 0, 5, 20, 3), -1.6 + 2.05, 1e-5);
    assert_float_equal(at_face(gas, 1, 5, 20, 3), -0.8 + 0.35, 1e-5);
    assert_float_equal(at_face(gas, 2, 5, 20, 3), 2.0 * (-1.2 + 0.55), 1e-5);
    assert_true(calls > 0);
    uint64_t hash = tarn_gas_hash(gas);
    assert_result(tarn_gas_set_velocity(gas, lo, hi, broken, NULL), TARN_ERR_DATA, "fn returned");
    assert_result(tarn_gas_set_velocity(gas, lo, hi, NULL, NULL), TARN_ERR_ARG, "fn is NULL");
    assert_result(tarn_gas_set_velocity(gas, hi, lo, shear, &calls), TARN_ERR_ARG, "region");
    assert_result(tarn_gas_set_velocity(gas, (TarnVec3){ NAN, 0, 0 }, hi, shear, &calls),
                  TARN_ERR_ARG, "region");
    assert_true(tarn_gas_hash(gas) == hash);
    // A region: faces with their centers in it, no others.
    tarn_gas_reset(gas);
    assert_ok(tarn_gas_set_velocity(gas, (TarnVec3){ -0.21f, 0.1f, -0.3f },
                                    (TarnVec3){ 0.21f, 0.5f, 0.3f }, shear, &calls));
    assert_true(at_face(gas, 0, 10, 18, 8) != 0.0f && at_face(gas, 0, 9, 18, 8) == 0.0f);
    assert_true(at_face(gas, 0, 14, 18, 8) != 0.0f && at_face(gas, 0, 15, 18, 8) == 0.0f);
    assert_true(at_face(gas, 0, 12, 21, 8) == 0.0f && at_face(gas, 0, 12, 16, 8) == 0.0f);
    // It survives a snapshot.
    size_t size;
    assert_int_equal(tarn_gas_save(gas, NULL, 0, &size), TARN_ERR_CAPACITY);
    void* snapshot = malloc(size);
    assert_ok(tarn_gas_save(gas, snapshot, size, &size));
    TarnGas* other = make_gas(ctx, small_gas());
    assert_ok(tarn_gas_load(other, snapshot, size));
    gas_steps(gas, 2);
    gas_steps(other, 2);
    assert_true(tarn_gas_hash(gas) == tarn_gas_hash(other));
    free(snapshot);
    tarn_gas_destroy(gas);
    tarn_gas_destroy(other);
}

// ---- Edges with a flow of their own --------------------------------------------------------------

static void test_flow_edges(void** state)
{
    (void)state;
    TarnGasDef def = small_gas();
    def.obstacles = TARN_GAS_NO_OBSTACLES;
    for (int e = 0; e < 6; ++e) (&def.edge_x0)[e] = TARN_GAS_CLOSED;
    def.edge_x0 = def.edge_y1 = def.edge_z0 = TARN_GAS_FLOW;
    for (int kind = 0; kind < 3;
         ++kind) { // the rest goes out: through x1 open, wind, or all of them
        def.edge_x1 = kind == 0 ? TARN_GAS_OPEN : kind == 1 ? TARN_GAS_WIND : TARN_GAS_CLOSED;
        TarnGas* gas = make_gas(ctx, def);
        TarnGasParams params = tarn_gas_default_params();
        params.flow_x0 = (TarnVec3){ 2.0f, 0.5f, 0.0f };
        params.flow_y1 = (TarnVec3){ 0.0f, -1.0f, 0.0f };
        params.flow_z0 = (TarnVec3){ 0.0f, 0.0f, -0.5f };
        params.wind = (TarnVec3){ 0.25f, 9.0f, 9.0f };
        params.tolerance = 1e-5f, params.max_cycles = 20;
        assert_ok(tarn_gas_set_params(gas, &params));
        gas_steps(gas, 20);
        double in = 2.0 * 32 * 16 + 1.0 * 24 * 16 - 0.5 * 24 * 32, over = 0.0;
        if (kind == 2) over = in / (32 * 16 + 24 * 16 + 24 * 32);
        assert_float_equal(at_face(gas, 0, 0, 7, 5), 2.0 - over, 1e-5);
        assert_float_equal(at_face(gas, 1, 4, 32, 5), -1.0 + over, 1e-5);
        assert_float_equal(at_face(gas, 2, 4, 7, 0), -0.5 - over, 1e-5);
        if (kind == 1) assert_float_equal(at_face(gas, 0, 24, 7, 5), in / (32 * 16), 1e-5);
        // Along the edge, incoming air brings its own velocity.
        assert_float_equal(at_face(gas, 1, -1, 7, 5), 0.5, 1e-6);
        assert_float_equal(tarn_gas_stats(gas).net_flux, 0.0, 1e-4);
        assert_true(tarn_gas_stats(gas).divergence < 1e-2);
        size_t size;
        assert_int_equal(tarn_gas_save(gas, NULL, 0, &size), TARN_ERR_CAPACITY);
        void* snapshot = malloc(size);
        assert_ok(tarn_gas_save(gas, snapshot, size, &size));
        TarnGas* other = make_gas(ctx, def);
        assert_ok(tarn_gas_load(other, snapshot, size));
        assert_true(tarn_gas_params(other).flow_z0.z == -0.5f);
        gas_steps(gas, 3);
        gas_steps(other, 3);
        assert_true(tarn_gas_hash(gas) == tarn_gas_hash(other));
        free(snapshot);
        tarn_gas_destroy(gas);
        tarn_gas_destroy(other);
    }
}

// ---- Tolerance -----------------------------------------------------------------------------------

static void test_tolerance(void** state)
{
    (void)state;
    TarnGas* gas = make_gas(ctx, small_gas());
    TarnGasParams params = tarn_gas_default_params();
    params.tolerance = 1e-7f;
    assert_result(tarn_gas_set_params(gas, &params), TARN_ERR_ARG, "Floats cannot reach less");
    params.tolerance = 1e-6f, params.max_cycles = 60;
    assert_ok(tarn_gas_set_params(gas, &params));
    kindle(gas);
    params = tarn_gas_params(gas);
    params.tolerance = 1e-6f, params.max_cycles = 60;
    assert_ok(tarn_gas_set_params(gas, &params));
    TarnStepReport report;
    for (int n = 0; n < 10; ++n) {
        assert_ok(tarn_gas_step(gas, 1.0f / 60.0f, &report));
        assert_true((report.flags & TARN_STEP_NOT_CONVERGED) == 0);
    }
    params.max_cycles = 1;
    assert_ok(tarn_gas_set_params(gas, &params));
    assert_ok(tarn_gas_step(gas, 1.0f / 60.0f, &report));
    assert_true((report.flags & TARN_STEP_NOT_CONVERGED) != 0);
    tarn_gas_destroy(gas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_reflection),
        TEST_ALONE(test_reflection_memory),
        TEST_ALONE(test_reflection_wind),
        TEST_ALONE(test_face_velocities),
        TEST_ALONE(test_velocity_function),
        TEST_ALONE(test_flow_edges),
        TEST_ALONE(test_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
