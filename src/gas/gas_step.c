// The step of a gas.

#include "gas/gas_kernels.h"

// ---- Keeping the density -----------------------------------------------------------------------

typedef struct Keeping {
    TarnGas* gas;
    float factor;
    int scalar;
} Keeping;

static void sum_block(int block, void* data)
{
    Keeping* job = data;
    TarnGas* gas = job->gas;
    int k0, k1;
    gas_block_slabs(gas, block, false, &k0, &k1);
    gas->sums[block] = gas->kernels->sum(&gas->grid, gas->scalar[GAS_DENSITY], k0, k1);
}
double tarn__gas_density_sum(TarnGas* gas)
{
    Keeping job = { .gas = gas };
    tarn__parallel_for(gas->ctx, gas_blocks(gas), sum_block, &job);
    return tarn__sum(gas->sums, gas_blocks(gas));
}
static void scale_block(int block, void* data)
{
    Keeping* job = data;
    TarnGas* gas = job->gas;
    int k0, k1;
    gas_block_slabs(gas, block, false, &k0, &k1);
    for (int s = 0; s < GAS_SCALARS; ++s) {
        bool is_smoke = s == GAS_DENSITY || s >= GAS_RED;
        if (is_smoke && gas->scalar[s])
            gas->kernels->scale(&gas->grid, gas->scalar[s], job->factor, k0, k1);
    }
}

// Advection neither makes nor loses density, but for its errors: a factor near 1 takes them back.
void tarn__gas_keep_density(TarnGas* gas, double before)
{
    double want = before + gas->density_owed, have = tarn__gas_density_sum(gas);
    double factor = have > 1e-9 && want > 0.0 ? want / have : 1.0;
    factor = factor < 0.99 ? 0.99 : factor > 1.01 ? 1.01 : factor;
    gas->density_owed = want - have * factor;
    Keeping job = { .gas = gas, .factor = (float)factor };
    if (factor != 1.0) tarn__parallel_for(gas->ctx, gas_blocks(gas), scale_block, &job);
}

bool tarn__gas_keeps_density(const TarnGas* gas)
{
    return gas->params.keeps_density && gas->scalar[GAS_DENSITY] && tarn__gas_is_closed(gas);
}

void tarn__gas_clear_scalars(TarnGas* gas)
{
    for (int s = 0; s < GAS_SCALARS && gas->solid && gas->n_solid_faces > 0; ++s) {
        if (gas->scalar[s]) tarn__gas_clear_obstacles(gas, gas->scalar[s]);
    }
}

// ---- The step ----------------------------------------------------------------------------------

static void split_substep(TarnGas* gas, float dt)
{
    bool keeps = tarn__gas_keeps_density(gas);
    tarn__gas_follow(gas, dt);
    tarn__gas_sources(gas, dt);
    tarn__gas_fill_all(gas);
    double before = keeps ? tarn__gas_density_sum(gas) : 0.0;
    tarn__gas_advect(gas, dt);
    tarn__gas_moved(gas, dt);
    if (keeps) tarn__gas_keep_density(gas, before);
    if (gas->solid) tarn__gas_find_obstacles(gas, dt);
    tarn__gas_clear_scalars(gas);
    tarn__gas_forces(gas, dt);
    tarn__gas_burn(gas, dt);
    tarn__gas_project(gas, dt);
    gas->time += (double)dt;
}

TarnResult tarn_gas_step(TarnGas* gas, float dt, TarnStepReport* report)
{
    if (report) *report = (TarnStepReport){ 0 };
    if (gas == NULL) return TARN_ERR_ARG;
    if (!(dt >= 0.0f && dt <= 10.0f))
        return tarn__fail(gas->ctx, TARN_ERR_ARG,
                          "tarn_gas_step: dt %g s is out of range; allowed: 0 to 10 s", (double)dt);
    const TarnGasParams* p = &gas->params;
    gas->held += (double)dt;
    gas->steps += 1;
    if (report) *report = (TarnStepReport){ .stable_dt = (double)p->max_step };
    if (gas->steps < p->update_every) return TARN_OK;
    double total = gas->held;
    gas->steps = 0;
    gas->held = 0.0;
    gas->step_flags = 0;
    gas->limited = (TarnStepLimit){ 0 };
    gas->last.cycles = 0;
    int n = (int)(total / ((double)p->max_step * 1.001)) + 1;
    double part = total / n, done = total;
    if (n > p->max_substeps) {
        n = p->max_substeps;
        part = (double)p->max_step;
        done = part * n;
        gas->step_flags |= TARN_STEP_TIME_CUT;
    }
    for (int s = 0; s < n && (float)part > 0.0f; ++s) {
        gas->way_begin = (float)s / (float)n;
        gas->way_end = (float)(s + 1) / (float)n;
        if (gas->def.step == TARN_GAS_REFLECTION)
            tarn__gas_reflected_substep(gas, (float)part);
        else
            split_substep(gas, (float)part);
        gas->substeps += 1;
    }
    tarn__gas_fill_all(gas);
    if (report) {
        report->substeps = (float)part > 0.0f ? n : 0;
        report->flags = gas->step_flags;
        report->limited = gas->limited;
        report->time_advanced = done;
        report->time_dropped = total - done;
        report->time_limit = total > done ? "gas.max_substeps" : NULL;
    }
    return TARN_OK;
}
