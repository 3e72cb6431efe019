// Checks of the time step of gases: what fast flow loses by splitting advection and pressure, and what
// reflection keeps.

#include "check.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

// The vortex of Taylor and Green in a plane: u = U sin(kx) cos(ky), v = -U cos(kx) sin(ky). It keeps its shape;
// its energy goes as exp(-4 nu k^2 t). Splitting loses dt |grad p|^2 / 2 besides, which is dE/dt = -dt k^2 U^2 E / 2:
// a rate of 20 % per second at 1 m/s, waves of 1 m and steps of 0.01 s. As U^2 goes with E, without viscosity
// 1 / (1 + dt k^2 U^2 t / 2) of the energy is left.
typedef struct Vortex {
    double speed, k;
} Vortex;

static void vortex_flow(int n, const float* x, const float* y, const float* z, TarnVec3* out,
                        void* user)
{
    const Vortex* v = user;
    (void)z;
    for (int i = 0; i < n; ++i) {
        double kx = v->k * (double)x[i], ky = v->k * (double)y[i];
        out[i] = (TarnVec3){ (float)(v->speed * sin(kx) * cos(ky)),
                             (float)(-v->speed * cos(kx) * sin(ky)), 0.0f };
    }
}

static const TarnVec3 everywhere_lo = { -INFINITY, -INFINITY, -INFINITY };
static const TarnVec3 everywhere_hi = { INFINITY, INFINITY, INFINITY };

// A closed box of air without anything in it, nor any force.
static TarnGas* make_box(CheckRun* run, TarnGasDef def, float viscosity, TarnGasVelocityFn* flow,
                         void* user)
{
    def.center = (TarnVec3){ 0.5f * def.dx * (float)def.nx, 0.5f * def.dx * (float)def.ny,
                             0.5f * def.dx * (float)def.nz };
    for (int e = 0; e < 6; ++e) (&def.edge_x0)[e] = TARN_GAS_CLOSED;
    def.use_density = def.use_temperature = false;
    TarnGasParams p = tarn_gas_default_params();
    p.vorticity = p.buoyancy = 0.0f;
    p.viscosity = viscosity;
    p.tolerance = 1e-5f, p.max_cycles = 30, p.max_step = 1.0f;
    TarnGas* gas = NULL;
    if (tarn_gas_create(run->ctx, &def, &gas) != TARN_OK ||
        tarn_gas_set_params(gas, &p) != TARN_OK ||
        tarn_gas_set_velocity(gas, everywhere_lo, everywhere_hi, flow, user) != TARN_OK) {
        fprintf(stderr, "tarn: check: %s\n", tarn_last_error(run->ctx));
        exit(1);
    }
    return gas;
}

static TarnGasDef box_of(int nx, int ny, int nz, float dx, int step)
{
    TarnGasDef def = tarn_gas_default_def();
    def.nx = nx, def.ny = ny, def.nz = nz;
    def.dx = dx;
    def.step = step;
    def.obstacles = TARN_GAS_NO_OBSTACLES;
    return def;
}

// Energy left after a turn, 1 m at the speed of the vortex, over that of the exact decay.
static double energy_left(CheckRun* run, int step, double speed, double dt, double viscosity)
{
    Vortex vortex = { speed, 2.0 * pi };
    TarnGasDef def = box_of(64, 64, 8, 1.0f / 64.0f, step);
    TarnGas* gas = make_box(run, def, (float)viscosity, vortex_flow, &vortex);
    double start = tarn_gas_stats(gas).kinetic_energy, time = 1.0 / speed;
    for (int n = 0; n < (int)(time / dt + 0.5); ++n) tarn_gas_step(gas, (float)dt, NULL);
    double left = tarn_gas_stats(gas).kinetic_energy / start;
    tarn_gas_destroy(gas);
    return left / exp(-4.0 * viscosity * vortex.k * vortex.k * time);
}

static void check_fast(CheckRun* run)
{
    static const double steps[3] = { 0.01, 0.005, 0.0025 };
    char name[56];
    for (int n = 0; n < 3; ++n) { // what the splitting loses, and no less
        snprintf(name, sizeof name, "gas.fast.split.dt_%g", steps[n]);
        check_add(run, name, energy_left(run, TARN_GAS_SPLIT, 1.0, steps[n], 0.0),
                  1.0 / (1.0 + 2.0 * pi * pi * steps[n]), 0.02);
    }
    for (int n = 0; n < 3; ++n) {
        snprintf(name, sizeof name, "gas.fast.reflection.dt_%g", steps[n]);
        check_add(run, name, energy_left(run, TARN_GAS_REFLECTION, 1.0, steps[n], 0.0), 1.0, 0.01);
    }
    check_add(run, "gas.fast.reflection.viscous",
              energy_left(run, TARN_GAS_REFLECTION, 1.0, 0.01, 1e-3), 1.0, 0.01);
    // 2.56 cells per step.
    check_add(run, "gas.fast.split.4_m_s", energy_left(run, TARN_GAS_SPLIT, 4.0, 0.01, 0.0),
              1.0 / (1.0 + 2.0 * pi * pi * 0.04), 0.02);
    check_add(run, "gas.fast.reflection.4_m_s",
              energy_left(run, TARN_GAS_REFLECTION, 4.0, 0.01, 0.0), 1.0, 0.01);
}

// ---- Tolerance -----------------------------------------------------------------------------------

// A flow that has divergence: one long wave across the box, or noise.
static void wave_flow(int n, const float* x, const float* y, const float* z, TarnVec3* out,
                      void* user)
{
    (void)y, (void)z, (void)user;
    for (int i = 0; i < n; ++i) out[i] = (TarnVec3){ (float)sin(pi * (double)x[i]), 0.0f, 0.0f };
}
static void noise_flow(int n, const float* x, const float* y, const float* z, TarnVec3* out,
                       void* user)
{
    (void)user;
    for (int i = 0; i < n; ++i) {
        double s = sin(1234.5 * (double)x[i] + 777.7 * (double)y[i] + 4321.1 * (double)z[i]);
        float q = (float)(s * 43758.5 - floor(s * 43758.5));
        out[i] = (TarnVec3){ q, 1.0f - q, 0.5f - q };
    }
}

// What floats can reach, however many cycles there are: tolerance 1e-6, the smallest that is allowed.
static void check_tolerance(CheckRun* run)
{
    static const char* const names[4] = { "wave", "noise", "wave.weights", "noise.weights" };
    int flags = 0;
    for (int size = 8; size <= (run->is_quick ? 32 : 128); size *= size == 8 ? 4 : 2) {
        for (int kind = 0; kind < 4; ++kind) {
            TarnGasDef def = box_of(size, size, size, 1.0f / (float)size, TARN_GAS_SPLIT);
            if (kind >= 2) def.obstacles = TARN_GAS_DIRECT;
            TarnGas* gas = make_box(run, def, 0.0f, kind % 2 ? noise_flow : wave_flow, NULL);
            TarnGasParams p = tarn_gas_params(gas);
            p.tolerance = 1e-6f, p.max_cycles = 60;
            tarn_gas_set_params(gas, &p);
            TarnStepReport report;
            tarn_gas_step(gas, 1e-4f, &report);
            char name[56];
            snprintf(name, sizeof name, "gas.tolerance.%s.%d", names[kind], size);
            double most = kind % 2 ? 1.5e-7 * size : size * size / 2.5e7;
            check_add(run, name, tarn_gas_stats(gas).residual, 0.0, fmax(most, 1e-6));
            flags |= (int)report.flags;
            tarn_gas_destroy(gas);
        }
    }
    check_add(run, "gas.tolerance.flags", flags, 0.0, 0.0); // the end of floats is no failure
    // Too few cycles are.
    TarnGasDef def = box_of(32, 32, 32, 1.0f / 32.0f, TARN_GAS_SPLIT);
    TarnGas* gas = make_box(run, def, 0.0f, noise_flow, NULL);
    TarnGasParams p = tarn_gas_params(gas);
    p.max_cycles = 1;
    tarn_gas_set_params(gas, &p);
    TarnStepReport report;
    tarn_gas_step(gas, 1e-4f, &report);
    check_add(run, "gas.tolerance.few_cycles", report.flags, TARN_STEP_NOT_CONVERGED, 0.0);
    tarn_gas_destroy(gas);
}

// ---- Order ---------------------------------------------------------------------------------------

// Vortices of two sizes that deform one another.
static void pair_flow(int n, const float* x, const float* y, const float* z, TarnVec3* out,
                      void* user)
{
    (void)z, (void)user;
    for (int i = 0; i < n; ++i) {
        double a = pi * (double)x[i], b = pi * (double)y[i];
        double u = sin(a) * cos(b) + 0.8 * sin(2.0 * a) * cos(b);
        double v = -cos(a) * sin(b) - 1.6 * cos(2.0 * a) * sin(b);
        out[i] = (TarnVec3){ (float)u, (float)v, 0.0f };
    }
}

// The flow of vortices after 0.4 s, in steps of dt.
static TarnGas* run_pair(CheckRun* run, int step, double dt)
{
    TarnGasDef def = box_of(128, 128, 8, 1.0f / 128.0f, step);
    def.pressure = TARN_GAS_SPECTRAL;
    TarnGas* gas = make_box(run, def, 0.0f, pair_flow, NULL);
    for (int n = 0; n < (int)(0.4 / dt + 0.5); ++n) tarn_gas_step(gas, (float)dt, NULL);
    return gas;
}

static double distance(const TarnGas* a, const TarnGas* b)
{
    TarnView3 u = tarn_gas_view(a).u, v = tarn_gas_view(b).u;
    double sum = 0.0;
    for (int j = 0; j < u.ny; ++j) {
        for (int i = 0; i < u.nx; ++i) {
            double d = (double)u.data[i + u.row * j] - (double)v.data[i + v.row * j];
            sum += d * d;
        }
    }
    return sqrt(sum / (u.nx * u.ny));
}

// Half the step, and the difference to the last one is a quarter as large.
static void check_order(CheckRun* run)
{
    TarnGas *gas[3], *split[2];
    for (int n = 0; n < 3; ++n) gas[n] = run_pair(run, TARN_GAS_REFLECTION, 0.04 / (1 << n));
    for (int n = 0; n < 2; ++n) split[n] = run_pair(run, TARN_GAS_SPLIT, 0.02 / (1 << n));
    double a = distance(gas[0], gas[1]), b = distance(gas[1], gas[2]);
    check_add(run, "gas.order.reflection", log2(a / b), 2.0, 0.1);
    check_add(run, "gas.order.over_split", b / distance(split[0], split[1]), 0.0, 0.05);
    for (int n = 0; n < 3; ++n) tarn_gas_destroy(gas[n]);
    for (int n = 0; n < 2; ++n) tarn_gas_destroy(split[n]);
}

// ---- Energy --------------------------------------------------------------------------------------

static void taylor_green(int n, const float* x, const float* y, const float* z, TarnVec3* out,
                         void* user)
{
    (void)user;
    for (int i = 0; i < n; ++i) {
        double a = (double)x[i], b = (double)y[i], c = (double)z[i];
        out[i] = (TarnVec3){ (float)(sin(a) * cos(b) * cos(c)), (float)(-cos(a) * sin(b) * cos(c)),
                             0.0f };
    }
}

// In three dimensions, Re 1600, in steps of 0.05 s in which splitting loses 5 %: against the spectral run of
// case C3.5 (512^3) of the International Workshop on High-Order CFD Methods.
static void check_three(CheckRun* run)
{
    static const double reference[5] = { 0.124515, 0.123917, 0.123024, 0.121508, 0.118436 };
    int n = run->is_quick ? 32 : 64;
    TarnGasDef def = box_of(n, n, n, (float)(2.0 * pi / n), TARN_GAS_REFLECTION);
    TarnGas* gas = make_box(run, def, 1.0f / 1600.0f, taylor_green, NULL);
    double volume = pow(2.0 * pi, 3.0);
    for (int t = 0; t < 5; ++t) {
        for (int s = 0; s < 20; ++s) tarn_gas_step(gas, 0.05f, NULL);
        char name[56];
        snprintf(name, sizeof name, "gas.reflection.taylor_green.%d.t%d", n, t + 1);
        check_add(run, name, tarn_gas_stats(gas).kinetic_energy / volume, reference[t],
                  n == 64 ? 0.03 : 0.1);
    }
    tarn_gas_destroy(gas);
}

// Nothing makes energy: noise, and vortices that break up without viscosity, in steps of two lengths.
static double energy_gain(CheckRun* run, TarnGasVelocityFn* flow, float dx, float dt, int steps)
{
    TarnGasDef def = box_of(32, 32, 32, dx, TARN_GAS_REFLECTION);
    TarnGas* gas = make_box(run, def, 0.0f, flow, NULL);
    tarn_gas_step(gas, dt, NULL);
    double before = tarn_gas_stats(gas).kinetic_energy, start = before, gain = 0.0;
    for (int n = 0; n < steps; ++n) {
        tarn_gas_step(gas, dt, NULL);
        before = tarn_gas_stats(gas).kinetic_energy;
        gain = fmax(gain, before / start - 1.0);
    }
    tarn_gas_destroy(gas);
    return gain;
}

static void check_reflection(CheckRun* run)
{
    float dx = (float)(2.0 * pi / 32.0);
    check_add(run, "gas.reflection.gain.noise",
              energy_gain(run, noise_flow, 1.0f / 32.0f, 1.0f / 60.0f, 120), 0.0, 1e-4);
    check_add(run, "gas.reflection.gain.vortex", energy_gain(run, taylor_green, dx, 0.05f, 100),
              0.0, 1e-3);
    check_add(run, "gas.reflection.gain.short_steps",
              energy_gain(run, taylor_green, dx, 0.0125f, run->is_quick ? 100 : 400), 0.0, 1e-3);
    check_three(run);
}

void check_gas_step(CheckRun* run, const char* group)
{
    const struct {
        const char* name;
        void (*fn)(CheckRun*);
    } checks[] = {
        { "gas.fast", check_fast },
        { "gas.order", check_order },
        { "gas.reflection", check_reflection },
        { "gas.tolerance", check_tolerance },
    };
    for (size_t n = 0; n < sizeof checks / sizeof checks[0]; ++n) {
        if (strcmp(group, checks[n].name) == 0) checks[n].fn(run);
    }
}
