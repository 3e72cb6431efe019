// A river falls over a ledge into a basin: drops carry the water down, and it all arrives. How loud is it, and where?
#include "tarn/tarn.h"
#include <stdio.h>

static float ground(float x, float z, void* user)
{
    (void)z, (void)user;
    return x < 12.0f ? 4.0f : 0.0f;
}

int main(void)
{
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnWorld* world;
    TarnWorldDef world_def = tarn_world_default_def();
    tarn_world_create(ctx, &world_def, &world);

    TarnShallowDef water = tarn_shallow_default_def();
    water.nx = 96, water.nz = 32, water.dx = 0.25f;
    water.bed_fn = ground;
    water.fall_drop = 1.0f; // water that flows over a higher edge falls
    water.edge_x1 = TARN_SHALLOW_FALL;
    TarnShallow* river;
    if (tarn_world_add_shallow(world, &water, &river) != TARN_OK)
        return puts(tarn_last_error(ctx)), 1;
    TarnShallowSpanDef inflow = tarn_shallow_default_span();
    inflow.side = TARN_SIDE_X0, inflow.kind = TARN_SHALLOW_DISCHARGE, inflow.value = 3.0f;
    tarn_shallow_add_span(river, &inflow, NULL);

    TarnSprayDef spray_def = tarn_spray_default_def(); // cells of about two of the water
    spray_def.nx = 48, spray_def.nz = 16, spray_def.dx = 0.5f;
    TarnSpray* spray;
    if (tarn_world_add_spray(world, &spray_def, &spray) != TARN_OK)
        return puts(tarn_last_error(ctx)), 1;
    tarn_world_set_on(world, spray, river);

    for (int frame = 0; frame < 20 * 60; ++frame) tarn_world_step(world, 1.0f / 60.0f, NULL);

    TarnView2 power = tarn_spray_power(spray);
    TarnVec2 origin = tarn_spray_origin(spray);
    float loudest = 0.0f, x = 0.0f, sum = 0.0f;
    for (int c = 0; c < power.nx * power.nz; ++c) {
        float watts = power.data[c % power.nx + power.stride * (c / power.nx)];
        sum += watts;
        if (watts > loudest) loudest = watts, x = origin.x + ((float)(c % power.nx) + 0.5f) * 0.5f;
    }
    TarnSprayLedger ledger = tarn_spray_ledger(spray);
    printf("%.1f m^3 fell, %.2f m^3 are in the air in %d drops; %.0f kW of noise, loudest at x = "
           "%.1f m\n",
           ledger.caught, ledger.held, tarn_spray_drops(spray).n, (double)sum * 1e-3, (double)x);
    tarn_world_destroy(world);
    tarn_context_destroy(ctx);
    return 0;
}
