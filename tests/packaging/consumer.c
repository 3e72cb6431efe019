// The first program of a user: a pool, a drop, a second of waves.
#include <stdio.h>
#include "tarn/tarn.h"

#if defined(TARN_SHARED)
_Static_assert(EXPECT_SHARED == 1,
               "TARN_SHARED is defined for a program that links the static library");
#else
_Static_assert(EXPECT_SHARED == 0, "TARN_SHARED is missing");
#endif

int main(void)
{
    TarnContextDef context_def = tarn_context_default_def();
    context_def.workers = 2;
    TarnContext* ctx;
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;

    TarnWaveDef def = tarn_wave_default_def();
    def.nx = 64;
    def.nz = 64;
    TarnWave* wave;
    if (tarn_wave_create(ctx, &def, &wave) != TARN_OK) {
        fprintf(stderr, "%s\n", tarn_last_error(ctx));
        return 1;
    }
    TarnVec2 center = { def.origin.x + 32 * def.dx, def.origin.y + 32 * def.dx };
    if (tarn_wave_add_drop(wave, center, 4 * def.dx, 0.1f) != TARN_OK) return 1;
    for (int n = 0; n < 60; ++n)
        if (tarn_wave_step(wave, 1.0f / 60.0f, NULL) != TARN_OK) return 1;

    float height = tarn_surface_height(tarn_wave_surface(wave), center.x, center.y);
    printf("tarn %s: hash %016llx, height %.6f m\n", tarn_version(),
           (unsigned long long)tarn_wave_hash(wave), (double)height);
    tarn_wave_destroy(wave);
    tarn_context_destroy(ctx);
    return 0;
}
