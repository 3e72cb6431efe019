// The gas whose pressure and viscosity work on sine and cosine waves.

#include "test_common.h"
#include "base/maths.h"
#include "gas/gas_internal.h"

static const double pi = 3.14159265358979323846;

static TarnGas* make_box(TarnContext* where, int pressure, int nx, int ny, int nz)
{
    TarnGasDef def = tarn_gas_default_def();
    def.nx = nx, def.ny = ny, def.nz = nz;
    def.dx = 0.1f;
    def.pressure = pressure;
    def.obstacles = TARN_GAS_NO_OBSTACLES;
    def.edge_x0 = def.edge_x1 = def.edge_y0 = def.edge_y1 = def.edge_z0 = def.edge_z1 =
        TARN_GAS_CLOSED;
    TarnGas* gas;
    assert_ok(tarn_gas_create(where, &def, &gas));
    TarnGasParams params = tarn_gas_params(gas);
    params.gravity = (TarnVec3){ 0 };
    params.vorticity = 0.0f;
    params.drag = 0.0f;
    params.viscosity = 0.0f;
    params.tolerance = 1e-6f;
    params.max_cycles = 30;
    assert_ok(tarn_gas_set_params(gas, &params));
    return gas;
}

// A wave without divergence: u = sin(a x) cos(b y), v = -(a / b) cos(a x) sin(b y), in the discrete sense.
static void set_wave(TarnGas* gas, int l, int m)
{
    const Grid3* g = &gas->grid;
    double sx = 2.0 * sin(0.5 * pi * l / g->nx), sy = 2.0 * sin(0.5 * pi * m / g->ny);
    for (int k = 0; k < g->nz; ++k) {
        for (int j = 0; j <= g->ny; ++j) {
            for (int i = 0; i <= g->nx; ++i) {
                ptrdiff_t c = tarn__grid3_at(g, i, j, k);
                double fx = pi * l * i / g->nx, cx = pi * l * (i + 0.5) / g->nx;
                double fy = pi * m * j / g->ny, cy = pi * m * (j + 0.5) / g->ny;
                if (j < g->ny) gas->velocity[0][c] = (float)(sin(fx) * cos(cy));
                if (i < g->nx) gas->velocity[1][c] = (float)(-sx / sy * cos(cx) * sin(fy));
            }
        }
    }
}
static double largest_change(const TarnGas* gas, int component, const float* before)
{
    const Grid3* g = &gas->grid;
    double most = 0.0;
    for (int k = 0; k < g->nz; ++k)
        for (int j = 0; j < g->ny; ++j)
            for (int i = 0; i < g->nx; ++i) {
                ptrdiff_t c = tarn__grid3_at(g, i, j, k);
                double d = fabs((double)gas->velocity[component][c] - (double)before[c]);
                most = d > most ? d : most;
            }
    return most;
}
static void stir(TarnGas* gas)
{
    const Grid3* g = &gas->grid;
    int n = g->nx * g->ny * g->nz;
    TarnVec3* v = malloc((size_t)n * sizeof *v);
    for (int i = 0; i < n; ++i) v[i] = (TarnVec3){ uniform(-1, 1), uniform(-1, 1), uniform(-1, 1) };
    assert_ok(tarn_gas_set_fields(gas, v, NULL, NULL, NULL));
    free(v);
}

// A wave of the box decays by exp(-nu k^2 t), whatever the step and the viscosity.
static void single_waves_decay(void** state)
{
    (void)state;
    TarnGas* gas = make_box(ctx, TARN_GAS_TRANSFORM, 32, 24, 16);
    gas->params.viscosity = 0.05f;
    const int waves[3][2] = { { 1, 1 }, { 3, 2 }, { 20, 11 } };
    for (int w = 0; w < 3; ++w) {
        for (int c = 0; c < 3; ++c)
            memset(gas->velocity[c] - tarn__grid3_first(&gas->grid), 0,
                   tarn__grid3_floats(&gas->grid) * sizeof(float));
        set_wave(gas, waves[w][0], waves[w][1]);
        ptrdiff_t c = tarn__grid3_at(&gas->grid, 5, 3, 7);
        double before = (double)gas->velocity[0][c];
        float dt = w == 2 ? 2.0f : 0.1f;
        tarn__gas_project_waves(gas, dt);
        double kx = pi * waves[w][0] / 3.2, ky = pi * waves[w][1] / 2.4;
        double wanted = before * exp(-0.05 * (kx * kx + ky * ky) * (double)dt);
        assert_true(fabs((double)gas->velocity[0][c] - wanted) < 2e-6);
    }
    tarn_gas_destroy(gas);
}

static void twice_is_once_and_walls_hold(void** state)
{
    (void)state;
    TarnGas* gas = make_box(ctx, TARN_GAS_TRANSFORM, 24, 40, 16);
    stir(gas);
    tarn__gas_set_edges(gas);
    tarn__gas_project_waves(gas, 0.01f);
    double divergence = tarn__gas_divergence(gas) * (double)gas->dx;
    assert_true(divergence < 1e-5); // of differences of about 2 before
    size_t floats = tarn__grid3_floats(&gas->grid), first = tarn__grid3_first(&gas->grid);
    float* before = malloc(floats * sizeof(float));
    memcpy(before, gas->velocity[1] - first, floats * sizeof(float));
    tarn__gas_project_waves(gas, 0.01f);
    assert_true(largest_change(gas, 1, before + first) < 1e-5);
    for (int k = 0; k < 16; ++k)
        for (int j = 0; j < 40; ++j) {
            assert_true(gas->velocity[0][tarn__grid3_at(&gas->grid, 0, j, k)] == 0.0f);
            assert_true(gas->velocity[0][tarn__grid3_at(&gas->grid, 24, j, k)] == 0.0f);
        }
    free(before);
    tarn_gas_destroy(gas);
}

static void the_same_flow_as_multigrid(void** state)
{
    (void)state;
    TarnGas* waves = make_box(ctx, TARN_GAS_TRANSFORM, 32, 32, 32);
    TarnGas* grids = make_box(ctx, TARN_GAS_MULTIGRID, 32, 32, 32);
    random_at = 5;
    stir(waves);
    random_at = 5;
    stir(grids);
    for (int step = 0; step < 5; ++step) {
        assert_ok(tarn_gas_step(waves, 0.01f, NULL));
        assert_ok(tarn_gas_step(grids, 0.01f, NULL));
    }
    for (int c = 0; c < 3; ++c)
        assert_true(largest_change(waves, c, grids->velocity[c]) < 1e-3); // of speeds of about 1
    tarn_gas_destroy(waves);
    tarn_gas_destroy(grids);
}

static void any_viscosity_any_step(void** state)
{
    (void)state;
    TarnGas* gas = make_box(ctx, TARN_GAS_TRANSFORM, 16, 16, 16);
    TarnGasParams params = tarn_gas_params(gas);
    const float viscosity[] = { 0.0f, 1e-5f, 1.0f, 100.0f };
    const float steps[] = { 1e-6f, 0.02f, 1.0f, 10.0f };
    for (int v = 0; v < 4; ++v) {
        params.viscosity = viscosity[v];
        assert_ok(tarn_gas_set_params(gas, &params));
        stir(gas);
        double before = tarn_gas_stats(gas).kinetic_energy;
        for (int s = 0; s < 4; ++s) {
            assert_ok(tarn_gas_step(gas, steps[s], NULL));
            double now = tarn_gas_stats(gas).kinetic_energy;
            assert_true(now >= 0.0 && now <= before * 1.0001);
            before = now;
        }
    }
    tarn_gas_destroy(gas);
}

static void what_it_cannot_do_is_refused(void** state)
{
    (void)state;
    TarnGas* gas;
    TarnGasDef def = tarn_gas_default_def();
    def.pressure = TARN_GAS_TRANSFORM;
    def.obstacles = TARN_GAS_ITERATED;
    assert_result(tarn_gas_create(ctx, &def, &gas), TARN_ERR_ARG, "transform");
    def.obstacles = TARN_GAS_NO_OBSTACLES;
    def.edge_x0 = TARN_GAS_OPEN;
    assert_result(tarn_gas_create(ctx, &def, &gas), TARN_ERR_ARG, "transform");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(single_waves_decay),           TEST(twice_is_once_and_walls_hold),
        TEST(the_same_flow_as_multigrid),   TEST(any_viscosity_any_step),
        TEST(what_it_cannot_do_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
