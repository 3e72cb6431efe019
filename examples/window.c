// Water everywhere, computed only around the player: a window that moves by whole cells.
#include "tarn/tarn.h"
#include <math.h>
#include <stdio.h>

// The ground of a large world: low hills, islands where they rise above the water at y = 0.
static float ground(float x, float z, void* user)
{
    (void)user;
    return -1.0f + 1.3f * sinf(0.11f * x) * sinf(0.13f * z);
}

int main(void)
{
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnWaveDef water = tarn_wave_default_def();
    water.nx = water.nz = 128;
    water.dx = 0.1f;
    water.bed_fn = ground; // asked again for the cells that come in
    water.edge_x0 = water.edge_x1 = water.edge_z0 = water.edge_z1 = TARN_EDGE_ABSORBING;
    TarnWave* wave;
    if (tarn_wave_create(ctx, &water, &wave) != TARN_OK) return puts(tarn_last_error(ctx)), 1;

    float x = 6.4f, z = 6.4f;
    for (int frame = 0; frame < 600; ++frame) {
        x += 5.0f / 60.0f; // the player wades along x at 5 m/s
        TarnVec2 feet = { x, z };
        tarn_wave_add_stroke(wave, feet, feet, 0.3f, 0.03f);
        TarnVec2 origin = tarn_wave_origin(wave);
        int behind = (int)((x - 6.4f - origin.x) / water.dx);
        if (behind >= 8) tarn_wave_shift(wave, behind, 0);
        tarn_wave_step(wave, 1.0f / 60.0f, NULL);
    }
    float height, depth, px = x - 1.0f;
    TarnSurfaceSamples out = { .height = &height, .depth = &depth };
    tarn_surface_query(tarn_wave_surface(wave), 1, &px, &z, &out);
    printf("window from x = %.1f m; one meter behind the player the water stands at %+.4f m, %.2f "
           "m deep\n",
           (double)tarn_wave_origin(wave).x, (double)height, (double)depth);
    tarn_wave_destroy(wave);
    tarn_context_destroy(ctx);
    return 0;
}
