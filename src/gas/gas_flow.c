// The Flow plug of gases: velocities between the faces, fading out at the rim of the box.

#include "gas/gas_kernels.h"

static void query(const void* self, int n, const float* x, const float* y, const float* z,
                  const TarnFlowSamples* out)
{
    const TarnGas* gas = self;
    GasFlowQuery q = { .grid = gas->grid,
                       .velocity = { gas->velocity[0], gas->velocity[1], gas->velocity[2] },
                       .density = gas->scalar[GAS_DENSITY],
                       .temperature = gas->scalar[GAS_TEMPERATURE],
                       .origin = gas->origin,
                       .per_cell = 1.0f / gas->dx,
                       .per_blend = 1.0f / gas->params.blend };
    // At a wall and at the ground the air goes along it: dust there is carried like everywhere.
    for (int e = 0; e < 6; ++e)
        q.wall[e] = (&gas->def.edge_x0)[e] == TARN_GAS_CLOSED ? gas->params.blend : 0.0f;
    gas->advect_kernels->query(&q, n, x, y, z, out);
}

TarnFlow tarn_gas_flow(const TarnGas* gas)
{
    return (TarnFlow){ gas, gas ? query : NULL };
}
