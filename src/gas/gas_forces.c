// What pushes the air, and what burns in it.
//
// Method   buoyancy of an ideal gas, -gravity T / T_ambient; vorticity confinement [Steinhoff1994]
//          [Fedkiw2001]; viscosity by explicit passes within their limit; wind, drag, decay and cooling by
//          exact exponentials. Fire: fuel burns above its ignition temperature, heat fades with the fourth
//          power, gas expands where it burns (simplified from [Nguyen2002]).
// Differs  confinement uses the curl in units of 1 / dx, so that its strength does not depend on the grid.
// Checked  tests/physics/check_gas.c, tests/unit/test_gas.c.
// Cost     one pass per component; confinement two more, viscosity one per pass.

#include "base/maths.h"
#include "gas/gas_kernels.h"
#include "grid/curl.h"

typedef struct Forces {
    TarnGas* gas;
    float dt;
    GasPush push[3];
    float *from, *to; // of diffusion
    float gain;
    int component;
    Curl curl;
} Forces;

// ---- Accelerations of cells: confinement, the host's force -----------------------------------------

static void curl_block(int block, void* data)
{
    Forces* f = data;
    TarnGas* gas = f->gas;
    int k0, k1;
    gas_block_slabs(gas, block, false, &k0, &k1);
    gas->kernels->curl(&gas->grid, gas->velocity, gas->next, gas->first[0], k0, k1);
    tarn__gas_fill_slabs(gas, -1, gas->first[0], k0, k1);
}

// The host's force, in runs of up to 256 cells.
static void add_callback(const TarnGas* gas, int j, int k)
{
    enum { RUN = 256 };
    float x[RUN], y[RUN], z[RUN];
    TarnVec3 a[RUN];
    for (int i0 = 0; i0 < gas->grid.nx; i0 += RUN) {
        int n = gas->grid.nx - i0 < RUN ? gas->grid.nx - i0 : RUN;
        for (int i = 0; i < n; ++i) {
            x[i] = gas->origin.x + ((float)(i0 + i) + 0.5f) * gas->dx;
            y[i] = gas->origin.y + ((float)j + 0.5f) * gas->dx;
            z[i] = gas->origin.z + ((float)k + 0.5f) * gas->dx;
            a[i] = (TarnVec3){ 0.0f, 0.0f, 0.0f };
        }
        gas->force(n, x, y, z, gas->time, a, gas->force_user);
        ptrdiff_t c = tarn__grid3_at(&gas->grid, i0, j, k);
        for (int i = 0; i < n; ++i) { // what is not finite is no force
            const float limit = 1e6f;
            if (!tarn__is_finite3(a[i])) continue;
            gas->way[0][c + i] += tarn_clampf(a[i].x, -limit, limit);
            gas->way[1][c + i] += tarn_clampf(a[i].y, -limit, limit);
            gas->way[2][c + i] += tarn_clampf(a[i].z, -limit, limit);
        }
    }
}

// Curl noise, strong enough to bring still air to its speed within one turn of an eddy.
static void add_noise(const TarnGas* gas, const Curl* curl, int j, int k)
{
    enum { RUN = 64 };
    float x[RUN], y[RUN], z[RUN], u[RUN], v[RUN], w[RUN];
    const float* density = gas->scalar[GAS_DENSITY];
    float rate = gas->params.turbulence / gas->params.turbulence_size;
    for (int i0 = 0; i0 < gas->grid.nx; i0 += RUN) {
        int n = gas->grid.nx - i0 < RUN ? gas->grid.nx - i0 : RUN;
        ptrdiff_t c = tarn__grid3_at(&gas->grid, i0, j, k);
        float most = 0.0f;
        for (int i = 0; i < n; ++i) {
            x[i] = gas->origin.x + ((float)(i0 + i) + 0.5f) * gas->dx;
            y[i] = gas->origin.y + ((float)j + 0.5f) * gas->dx;
            z[i] = gas->origin.z + ((float)k + 0.5f) * gas->dx;
            most = tarn_maxf(most, density[c + i]);
        }
        if (!(most > 1e-4f)) continue;
        tarn__curl_kernels(gas->ctx->isa)->velocity(curl, n, x, y, z, u, v, w);
        for (int i = 0; i < n; ++i) {
            float share = rate * tarn_clampf(density[c + i], 0.0f, 1.0f);
            gas->way[0][c + i] += share * u[i];
            gas->way[1][c + i] += share * v[i];
            gas->way[2][c + i] += share * w[i];
        }
    }
}

static bool has_noise(const TarnGas* gas)
{
    return gas->params.turbulence > 0.0f && gas->scalar[GAS_DENSITY] != NULL;
}

static void cell_block(int block, void* data)
{
    Forces* f = data;
    TarnGas* gas = f->gas;
    const Grid3* g = &gas->grid;
    int k0, k1;
    gas_block_slabs(gas, block, false, &k0, &k1);
    if (gas->params.vorticity > 0.0f) {
        float gain = gas->params.vorticity / gas->dx; // curl is times dx, and the force times dx
        gas->kernels->confine(g, gas->next, gas->first[0], gain, gas->way, k0, k1);
    } else {
        for (int a = 0; a < 3; ++a) gas->kernels->scale(g, gas->way[a], 0.0f, k0, k1);
    }
    for (int k = k0; k < k1 && gas->force; ++k) {
        for (int j = 0; j < g->ny; ++j) add_callback(gas, j, k);
    }
    for (int k = k0; k < k1 && has_noise(gas); ++k) {
        for (int j = 0; j < g->ny; ++j) add_noise(gas, &f->curl, j, k);
    }
    for (int a = 0; a < 3; ++a) tarn__gas_fill_slabs(gas, -1, gas->way[a], k0, k1);
}

// ---- Viscosity -----------------------------------------------------------------------------------

static void diffuse_block(int block, void* data)
{
    Forces* f = data;
    int k0, k1;
    gas_block_slabs(f->gas, block, f->component == 2, &k0, &k1);
    f->gas->kernels->diffuse(&f->gas->grid, f->from, f->to, f->gain, f->component, k0, k1);
    tarn__gas_fill_slabs(f->gas, f->component, f->to, k0, k1);
}

// Explicit passes, each within its limit of 1 / 6; beyond 64 of them the air is as viscous as they reach.
static void diffuse(TarnGas* gas, float dt)
{
    const float most = 0.125f;
    float total = gas->params.viscosity * dt / (gas->dx * gas->dx);
    int passes = total < most * 64.0f ? (int)(total / most) + 1 : 64;
    Forces f = { .gas = gas, .gain = tarn_minf(total / (float)passes, most) };
    for (int c = 0; c < 3; ++c) {
        for (int p = 0; p < passes; ++p) {
            f.component = c;
            f.from = gas->velocity[c];
            f.to = gas->next[c];
            tarn__parallel_for(gas->ctx, gas_blocks(gas), diffuse_block, &f);
            gas->next[c] = f.from;
            gas->velocity[c] = f.to;
        }
    }
}

// ---- All forces ------------------------------------------------------------------------------------

static void push_block(int block, void* data)
{
    Forces* f = data;
    int k0, k1;
    double peak = 0.0;
    for (int c = 0; c < 3; ++c) {
        gas_block_slabs(f->gas, block, c == 2, &k0, &k1);
        double speed = (double)f->gas->kernels->push(&f->push[c], k0, k1);
        peak = speed > peak ? speed : peak;
    }
    f->gas->sums[block] = peak;
}

// The first face that is as fast as allowed: by component, then row by row.
static void note_limited(TarnGas* gas)
{
    const Grid3* g = &gas->grid;
    float limit = gas->params.max_speed;
    gas->limited = (TarnStepLimit){ .what = "speed",
                                    .solver = "gas",
                                    .parameter = "gas.max_speed",
                                    .unit = "m/s",
                                    .limit = limit,
                                    .index = -1 };
    for (int c = 0; c < 3; ++c) {
        int nx = g->nx + (c == 0), ny = g->ny + (c == 1), nz = g->nz + (c == 2);
        for (int n = 0; n < nx * ny * nz; ++n) {
            int i = n % nx, j = n / nx % ny, k = n / (nx * ny);
            float v = gas->velocity[c][tarn__grid3_at(g, i, j, k)];
            if (v < limit && v > -limit) continue;
            int last_i = i < g->nx ? i : i - 1, last_j = j < g->ny ? j : j - 1;
            int last_k = k < g->nz ? k : k - 1;
            gas->limited.index = last_i + g->nx * (last_j + g->ny * last_k);
            TarnVec3 at = { (float)i + (c == 0 ? 0.0f : 0.5f), (float)j + (c == 1 ? 0.0f : 0.5f),
                            (float)k + (c == 2 ? 0.0f : 0.5f) };
            gas->limited.position = vec3_add(gas->origin, vec3_scale(at, gas->dx));
            return;
        }
    }
}

void tarn__gas_forces(TarnGas* gas, float dt)
{
    const TarnGasParams* p = &gas->params;
    Forces f = { .gas = gas, .dt = dt };
    bool has_waves = gas->def.pressure == TARN_GAS_TRANSFORM; // on which viscosity works later
    if (p->viscosity > 0.0f && !has_waves) diffuse(gas, dt);
    TarnVec3 air = gas_wind(gas);
    bool has_cell_forces = p->vorticity > 0.0f || gas->force != NULL || has_noise(gas);
    if (has_noise(gas))
        f.curl = tarn__curl(p->turbulence, p->turbulence_size, 3, 0.6f, 0.5f, air, gas->def.seed,
                            gas->time);
    if (p->vorticity > 0.0f) tarn__parallel_for(gas->ctx, gas_blocks(gas), curl_block, &f);
    if (has_cell_forces) tarn__parallel_for(gas->ctx, gas_blocks(gas), cell_block, &f);
    const float g[3] = { p->gravity.x, p->gravity.y, p->gravity.z };
    const float wind[3] = { air.x, air.y, air.z };
    for (int c = 0; c < 3; ++c) {
        float lift = -g[c] * p->buoyancy / p->ambient_temperature, weight = g[c] * p->smoke_weight;
        f.push[c] = (GasPush){ .grid = gas->grid,
                               .component = c,
                               .velocity = gas->velocity[c],
                               .acceleration = has_cell_forces ? gas->way[c] : NULL,
                               .temperature = lift != 0.0f ? gas->scalar[GAS_TEMPERATURE] : NULL,
                               .density = weight != 0.0f ? gas->scalar[GAS_DENSITY] : NULL,
                               .dt = dt,
                               .lift = lift,
                               .weight = weight,
                               .wind = wind[c],
                               .keep = tarn_exp(-(p->wind_rate + p->drag) * dt),
                               .max_speed = p->max_speed };
    }
    tarn__parallel_for(gas->ctx, gas_blocks(gas), push_block, &f);
    double peak = 0.0;
    for (int b = 0; b < gas_blocks(gas); ++b) peak = gas->sums[b] > peak ? gas->sums[b] : peak;
    if (!(peak > (double)p->max_speed)) return;
    gas->step_flags |= TARN_STEP_CLAMPED;
    if (gas->limited.what == NULL) note_limited(gas);
}

// ---- Fire, decay ---------------------------------------------------------------------------------

typedef struct Burning {
    TarnGas* gas;
    GasBurn burn;
} Burning;

static void burn_block(int block, void* data)
{
    Burning* b = data;
    int k0, k1;
    gas_block_slabs(b->gas, block, false, &k0, &k1);
    b->gas->kernels->burn(&b->burn, k0, k1);
}

// A burst makes room for itself: its volume, shared by the cells of its ball.
static void expand(TarnGas* gas, const GasBurst* burst, float dt)
{
    const Grid3* g = &gas->grid;
    TarnVec3 at = vec3_scale(vec3_sub(burst->center, gas->origin), 1.0f / gas->dx);
    float r = tarn_maxf(burst->radius / gas->dx, 1.0f);
    int cells = 0;
    for (int pass = 0; pass < 2; ++pass) {
        float each = (float)(burst->volume /
                             ((double)gas->dx * gas->dx * dt * tarn_maxf((float)cells, 1.0f)));
        each = tarn_minf(each, gas->params.max_speed);
        for (int k = 0; k < g->nz; ++k) {
            for (int j = 0; j < g->ny; ++j) {
                float y = (float)j + 0.5f - at.y, z = (float)k + 0.5f - at.z;
                if (y * y + z * z > r * r) continue;
                for (int i = 0; i < g->nx; ++i) {
                    float x = (float)i + 0.5f - at.x;
                    if ((x * x + y * y) + z * z > r * r) continue;
                    if (pass == 1) gas->expansion[tarn__grid3_at(g, i, j, k)] += each;
                    cells += pass == 0;
                }
            }
        }
    }
}

void tarn__gas_burn(TarnGas* gas, float dt)
{
    const TarnGasParams* p = &gas->params;
    float t2 = p->max_temperature * p->max_temperature;
    bool has_fire = gas->scalar[GAS_FUEL] != NULL && p->burn_rate > 0.0f;
    gas->has_expansion = gas->n_bursts > 0 || (has_fire && p->expansion > 0.0f);
    Burning b = { .gas = gas,
                  .burn = { .grid = gas->grid,
                            .expansion = gas->has_expansion ? gas->expansion : NULL,
                            .keep_density = tarn_exp(-p->density_decay * dt),
                            .keep_heat = tarn_exp(-p->cooling * dt),
                            .share = has_fire ? 1.0f - tarn_exp(-p->burn_rate * dt) : 0.0f,
                            .ignition = p->ignition,
                            .heat = p->burn_heat,
                            .smoke = p->burn_smoke,
                            .soot = 0.1f * p->burn_smoke, // the color of soot
                            .volume = p->expansion * gas->dx / dt,
                            .max_temperature = p->max_temperature,
                            .fire_cooling = 3.0f * dt * p->fire_cooling / (t2 * t2) } };
    memcpy(b.burn.scalar, gas->scalar, sizeof b.burn.scalar);
    bool has_heat = gas->scalar[GAS_TEMPERATURE] && (p->cooling > 0.0f || p->fire_cooling > 0.0f);
    bool has_decay = gas->scalar[GAS_DENSITY] && p->density_decay > 0.0f;
    if (gas->has_expansion || has_fire || has_heat || has_decay)
        tarn__parallel_for(gas->ctx, gas_blocks(gas), burn_block, &b);
    for (int n = 0; n < gas->n_bursts; ++n) expand(gas, &gas->bursts[n], dt);
    gas->n_bursts = 0;
}
