// The pressure: makes the velocity free of divergence, but for what expands.
//
// Method   lap p = div u - expansion on the cells, u -= grad p on the faces, by multigrid or cosine
//          transforms. p is kept times dt / dx, so that neither appears. Iterated orthogonal projection
//          [Molemaker2008]: jets push, solids take their faces, edges are set, then the pressure as if there
//          were no solids; a few times over. Direct: weights of faces in the equation, once.
// Differs  [Cruz2010] starts from p = 0; here the first solve of a step starts from the last one.
// Checked  tests/physics/check_gas.c: divergence, twice, multigrid against spectral, net flux.
// Cost     the multigrid, plus two passes.

#include "gas/gas_kernels.h"

typedef struct Projection {
    TarnGas* gas;
    float* p;
} Projection;

static float* const* weights_of(const TarnGas* gas)
{
    bool is_direct = gas->def.obstacles == TARN_GAS_DIRECT && gas->n_solid_faces > 0;
    return is_direct ? gas->weight : NULL;
}

static void divergence_block(int block, void* data)
{
    Projection* job = data;
    TarnGas* gas = job->gas;
    int k0, k1;
    gas_block_slabs(gas, block, false, &k0, &k1);
    const float* expansion = gas->has_expansion ? gas->expansion : NULL;
    gas->sums[block] = (double)gas->kernels->divergence(&gas->grid, gas->velocity, weights_of(gas),
                                                        expansion, gas->divergence, k0, k1);
}
static void subtract_block(int block, void* data)
{
    Projection* job = data;
    TarnGas* gas = job->gas;
    float* const* weight = weights_of(gas);
    for (int c = 0; c < 3; ++c) {
        int k0, k1;
        gas_block_slabs(gas, block, c == 2, &k0, &k1);
        gas->kernels->subtract(&gas->grid, job->p, gas->velocity[c], weight ? weight[c] : NULL, c,
                               k0, k1);
    }
}

// Largest |div u - expansion| [1/s]; leaves the right-hand side in divergence.
double tarn__gas_divergence(TarnGas* gas)
{
    Projection job = { .gas = gas };
    tarn__parallel_for(gas->ctx, gas_blocks(gas), divergence_block, &job);
    double peak = 0.0;
    for (int b = 0; b < gas_blocks(gas); ++b) peak = gas->sums[b] > peak ? gas->sums[b] : peak;
    return peak / (double)gas->dx;
}

// Ghosts of a guess, which may come from a snapshot or have been shifted: p = 0 at open faces, dp/dn = 0 at
// the others.
static void fill_pressure(const TarnGas* gas, float* p)
{
    const Grid3* g = &gas->grid;
    const int n[3] = { g->nx, g->ny, g->nz };
    for (int e = 0; e < 6; ++e) {
        int axis = e / 2, side = e % 2, a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
        ptrdiff_t step = gas_stride(g, axis), step_a = gas_stride(g, a), step_b = gas_stride(g, b);
        float* inside = p + (side ? (n[axis] - 1) * step : 0);
        ptrdiff_t out = side ? step : -step;
        float sign = gas_edge(gas, axis, side) == TARN_GAS_OPEN ? -1.0f : 1.0f;
        for (int j = 0; j < n[b]; ++j) {
            float* row = inside + j * step_b;
            for (int i = 0; i < n[a]; ++i) row[i * step_a + out] = sign * row[i * step_a];
        }
    }
}

static void solve(TarnGas* gas, float* p, bool has_guess)
{
    GasLevel* level = &gas->levels[gas->level];
    if (level->cosine) {
        tarn__poisson_spectral(level->cosine, &level->poisson, gas->divergence, p);
        gas->last.cycles += 1;
        gas->last.residual = 0.0;
        return;
    }
    if (has_guess) fill_pressure(gas, p);
    MultigridResult result = { 0 };
    tarn__multigrid_solve(level->multigrid, gas->divergence, p, gas->params.tolerance,
                          gas->params.max_cycles, !has_guess, &result);
    gas->last.cycles += result.cycles;
    gas->last.residual = (double)result.residual;
    if (!result.is_converged && !result.is_exhausted) gas->step_flags |= TARN_STEP_NOT_CONVERGED;
}

static void project_once(TarnGas* gas, float* p, bool has_guess)
{
    gas->last.divergence_before = tarn__gas_divergence(gas);
    if (weights_of(gas)) tarn__gas_add_solid_flux(gas, gas->divergence);
    solve(gas, p, has_guess);
    Projection job = { gas, p };
    tarn__parallel_for(gas->ctx, gas_blocks(gas), subtract_block, &job);
}

// With its ghosts: smoothing may read them before it has set them.
static void clear_block(int block, void* data)
{
    Projection* job = data;
    const Grid3* g = &job->gas->grid;
    int k0, k1;
    gas_block_slabs(job->gas, block, false, &k0, &k1);
    if (k0 == 0) k0 = -1;
    if (k1 == g->nz) k1 += 1;
    memset(job->p + tarn__grid3_at(g, -1, -1, k0), 0,
           (size_t)g->slab * (size_t)(k1 - k0) * sizeof(float));
}

static void add_block(int block, void* data)
{
    Projection* job = data;
    const Grid3* g = &job->gas->grid;
    int k0, k1;
    gas_block_slabs(job->gas, block, false, &k0, &k1);
    job->gas->kernels->add(g, job->p, job->gas->pressure, k0, k1);
}

static bool has_solids(const TarnGas* gas)
{
    return gas->solid != NULL && gas->n_solid_faces > 0;
}

static void update_weights(TarnGas* gas)
{
    if (gas->def.obstacles != TARN_GAS_DIRECT || !gas->has_new_solids) return;
    Multigrid* mg = gas->levels[gas->level].multigrid;
    tarn__multigrid_set_weights(mg, gas->weight[0], gas->weight[1], gas->weight[2]);
    gas->has_new_solids = false;
}

// Obstacles, edges, pressure; p is a guess, or cleared.
static void pass(TarnGas* gas, float* p, bool has_guess)
{
    if (has_solids(gas)) tarn__gas_enforce_obstacles(gas);
    tarn__gas_set_edges(gas);
    Projection job = { gas, p };
    if (p != gas->pressure) tarn__parallel_for(gas->ctx, gas_blocks(gas), clear_block, &job);
    project_once(gas, p, has_guess);
}

void tarn__gas_project(TarnGas* gas, float dt)
{
    bool is_iterated = has_solids(gas) && gas->def.obstacles != TARN_GAS_DIRECT;
    bool has_pushes = dt > 0.0f && gas->jet_ids.count > 0;
    int n = is_iterated || has_pushes ? gas->params.iterations : 1;
    update_weights(gas);
    if (gas->def.pressure == TARN_GAS_TRANSFORM) {
        if (has_pushes) tarn__gas_jets(gas, dt, 1);
        tarn__gas_set_edges(gas);
        gas->has_expansion = false; // a closed box has no room
        gas->last.divergence_before = tarn__gas_divergence(gas);
        tarn__gas_project_waves(gas, dt);
        return;
    }
    // Corrections have a pressure of their own: the first stays the guess for the next step. The end of a
    // reflected substep is such a correction, too.
    bool is_correction = gas->def.step == TARN_GAS_REFLECTION;
    for (int loop = 0; loop < n; ++loop) {
        if (has_pushes) tarn__gas_jets(gas, dt, n);
        if (loop > 0 || is_correction) {
            pass(gas, gas->first[2], false);
        } else {
            pass(gas, gas->pressure, gas->has_guess);
            gas->has_guess = true;
        }
    }
}

// ---- Reflection ----------------------------------------------------------------------------------

static void start_block(int block, void* data)
{
    TarnGas* gas = data;
    int k0, k1;
    gas_block_slabs(gas, block, false, &k0, &k1);
    gas->kernels->divergence(&gas->grid, gas->start, weights_of(gas), NULL, gas->expansion, k0, k1);
}

void tarn__gas_project_middle(TarnGas* gas)
{
    bool is_iterated = has_solids(gas) && gas->def.obstacles != TARN_GAS_DIRECT;
    int n = is_iterated ? gas->params.iterations : 1;
    update_weights(gas);
    tarn__parallel_for(gas->ctx, gas_blocks(gas), start_block, gas);
    if (weights_of(gas)) tarn__gas_add_solid_flux(gas, gas->expansion);
    gas->has_expansion = true;
    pass(gas, gas->pressure, gas->has_guess);
    gas->has_guess = true;
    for (int loop = 1; loop < n; ++loop) {
        Projection job = { gas, gas->first[2] };
        pass(gas, job.p, false);
        tarn__parallel_for(gas->ctx, gas_blocks(gas), add_block, &job);
    }
    gas->has_expansion = false;
}

void tarn__gas_subtract_pressure(TarnGas* gas)
{
    Projection job = { gas, gas->pressure };
    fill_pressure(gas, gas->pressure);
    tarn__parallel_for(gas->ctx, gas_blocks(gas), subtract_block, &job);
}
