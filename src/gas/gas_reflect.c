// A substep of second order in time: advection and reflection.
//
// Method   [Zehnder2018], see also [Narain2019]. Splitting takes the velocity off the divergence-free ones by advection and
//          projects it back; what the pressure takes is lost, dt |grad p|^2 of energy per second. Here the
//          pressure is found half way and applied twice, which mirrors the velocity instead:
//              a = advect(u0 + dt/2 f, dt/2 by u0),  h = P(a),  m = h - (a - h),
//              u1 = P(advect(m, dt/2 by 2 h - u0) + dt/2 f)
//          2 h - u0 is the velocity at the end to first order, so that the two halves are carried by the mean
//          of both ends, which is what second order asks for. Scalars go the whole way at once, by h.
// Differs  The first P leaves the divergence that u0 has: what sources, bursts and fire put in, and what the
//          host has set, is no work of the pressure of this substep and must not be mirrored. Jets push at the
//          end only, for the same reason. A box that translates is resampled first, so that all velocities of
//          the substep are of one grid. Viscosity is of first order still: explicit passes in two halves.
// Checked  tests/physics/check_gas_step.c: decay, order in time, energy; tests/unit/test_gas_step.c.
// Cost     two advections of velocities, two projections: about twice a split substep, tarn bench gas.

#include "gas/gas_kernels.h"

typedef struct Copy {
    TarnGas* gas;
    bool is_end; // start = 2 velocity - start, else start = velocity
    bool is_zero;
} Copy;

// Slabs with their ghosts, as they lie in memory.
static void copy_block(int block, void* data)
{
    const Copy* job = data;
    const TarnGas* gas = job->gas;
    size_t first = tarn__grid3_first(&gas->grid), end = tarn__grid3_floats(&gas->grid);
    size_t size = (size_t)gas->grid.slab * GAS_SLABS, from = (size_t)block * size;
    size_t to = from + size < end ? from + size : end;
    for (int a = 0; a < 3; ++a) {
        float* start = gas->start[a] - first;
        const float* now = gas->velocity[a] - first;
        if (job->is_zero)
            memset(start + from, 0, (to - from) * sizeof(float));
        else if (!job->is_end)
            memcpy(start + from, now + from, (to - from) * sizeof(float));
        for (size_t c = from; c < to && job->is_end; ++c) start[c] = 2.0f * now[c] - start[c];
    }
}
static void set_start(TarnGas* gas, bool is_end, bool is_zero)
{
    Copy job = { gas, is_end, is_zero };
    size_t size = (size_t)gas->grid.slab * GAS_SLABS;
    int blocks = (int)((tarn__grid3_floats(&gas->grid) + size - 1) / size);
    tarn__parallel_for(gas->ctx, blocks, copy_block, &job);
}

// A box that translates: its fields as seen from where it is at the end.
static void move_grid(TarnGas* gas, float dt)
{
    const TarnVec3 v = gas->frame_velocity;
    if (v.x == 0.0f && v.y == 0.0f && v.z == 0.0f) return;
    tarn__gas_fill_all(gas);
    set_start(gas, false, true);
    tarn__gas_find_way(gas, gas->start, dt);
    tarn__gas_advect_scalars(gas, gas->start, dt);
    tarn__gas_advect_velocities(gas, gas->start, dt);
    tarn__gas_moved(gas, dt);
    gas->frame_velocity = (TarnVec3){ 0.0f, 0.0f, 0.0f };
}

static void carry_velocities(TarnGas* gas, float dt)
{
    tarn__gas_find_way(gas, gas->start, dt);
    tarn__gas_advect_velocities(gas, gas->start, dt);
}

static void carry_scalars(TarnGas* gas, float dt)
{
    bool keeps = tarn__gas_keeps_density(gas);
    double before = keeps ? tarn__gas_density_sum(gas) : 0.0;
    tarn__gas_find_way(gas, gas->velocity, dt);
    tarn__gas_advect_scalars(gas, gas->velocity, dt);
    if (keeps) tarn__gas_keep_density(gas, before);
    tarn__gas_clear_scalars(gas);
}

void tarn__gas_reflected_substep(TarnGas* gas, float dt)
{
    float half = 0.5f * dt;
    tarn__gas_follow(gas, dt);
    move_grid(gas, dt);
    tarn__gas_sources(gas, dt);
    tarn__gas_fill_all(gas);
    if (gas->solid) tarn__gas_find_obstacles(gas, dt);
    set_start(gas, false, false);
    tarn__gas_forces(gas, half);
    tarn__gas_fill_velocities(gas);
    carry_velocities(gas, half);
    tarn__gas_project_middle(gas);
    tarn__gas_fill_velocities(gas);
    carry_scalars(gas, dt);
    set_start(gas, true, false);
    tarn__gas_subtract_pressure(gas);
    if (gas->solid && gas->n_solid_faces > 0) tarn__gas_enforce_obstacles(gas);
    tarn__gas_set_edges(gas);
    tarn__gas_fill_velocities(gas);
    carry_velocities(gas, half);
    gas->time += (double)dt;
    tarn__gas_forces(gas, half);
    tarn__gas_burn(gas, dt);
    tarn__gas_project(gas, dt);
}
