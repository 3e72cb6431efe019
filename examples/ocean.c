// The sea by the clock: two machines that agree on the time agree on every wave, without sending any of them. A buoy
// floats in it.

#include "tarn/tarn.h"
#include <stdio.h>

int main(void)
{
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;

    TarnOceanDef def = tarn_ocean_default_def();
    def.size = 128;
    def.beaufort = 5;     // waves of two meters
    def.swell_height = 1; // and what is left of yesterday's storm
    def.swell_period = 11;

    // The other machine: it joins late, and goes to the time directly.
    TarnOcean* other;
    if (tarn_ocean_create(ctx, &def, &other) != TARN_OK) return puts(tarn_last_error(ctx)), 1;

    TarnWorld* world;
    TarnWorldDef world_def = tarn_world_default_def();
    tarn_world_create(ctx, &world_def, &world);
    TarnOcean* ocean;
    if (tarn_world_add_ocean(world, &def, &ocean) != TARN_OK) return puts(tarn_last_error(ctx)), 1;

    TarnBodyDef buoy = tarn_body_default_def();
    buoy.shape = tarn_shape_sphere(0.8f);
    buoy.density = 400.0f;
    TarnBodyId id;
    tarn_world_add_body(world, &buoy, &id);
    for (int frame = 0; frame < 20 * 60; ++frame) tarn_world_step(world, 1.0f / 60.0f, NULL);

    TarnOceanState sea = tarn_ocean_state(ocean);
    printf("wind %.1f m/s, waves of %.1f m, %.0f m long\n", (double)sea.wind,
           (double)sea.significant_height, (double)sea.peak_length);

    TarnBodyState state;
    tarn_bodies_get_state(tarn_world_bodies(world), id, &state);
    float x = state.position.x, z = state.position.z;
    tarn_ocean_seek(other, tarn_ocean_time(ocean));
    float here = tarn_surface_height(tarn_ocean_surface(ocean), x, z),
          there = tarn_surface_height(tarn_ocean_surface(other), x, z);
    printf("buoy at %.2f m, water at %.2f m; on the other machine %s\n", (double)state.position.y,
           (double)here, here == there ? "the same" : "another");
    tarn_ocean_destroy(other);
    tarn_world_destroy(world);
    tarn_context_destroy(ctx);
    return here == there ? 0 : 1;
}
