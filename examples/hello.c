// A pool, a floating crate, and the height of the water: the whole library in one page.
#include "tarn/tarn.h"
#include <stdio.h>

int main(void)
{
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;

    TarnWorld* world;
    TarnWorldDef world_def = tarn_world_default_def();
    tarn_world_create(ctx, &world_def, &world);

    TarnWaveDef water = tarn_wave_default_def(); // 256 x 256 cells of 5 cm, 1 m deep
    water.use_bodies = true;
    TarnWave* wave;
    if (tarn_world_add_wave(world, &water, &wave) != TARN_OK) return puts(tarn_last_error(ctx)), 1;

    TarnBodyDef crate = tarn_body_default_def(); // half as dense as water
    crate.shape = tarn_shape_box(0.5f, 0.25f, 0.5f);
    crate.state.position = (TarnVec3){ 6.4f, 0.5f, 6.4f };
    TarnBodyId id;
    tarn_world_add_body(world, &crate, &id);

    for (int frame = 0; frame < 20 * 60; ++frame) {
        if (frame == 60) tarn_wave_add_drop(wave, (TarnVec2){ 3.0f, 3.0f }, 0.3f, 0.1f);
        tarn_world_step(world, 1.0f / 60.0f, NULL);
    }

    TarnBodyState state;
    tarn_bodies_get_state(tarn_world_bodies(world), id, &state);
    float surface =
        tarn_surface_height(tarn_world_surface(world), state.position.x, state.position.z);
    printf("water at %.3f m, crate at %.3f m, %.0f %% of it submerged\n", (double)surface,
           (double)state.position.y, 100.0 * (double)(surface - state.position.y + 0.25f) / 0.5);
    tarn_world_destroy(world);
    tarn_context_destroy(ctx);
    return 0;
}
