// Rollback: save a frame, continue, find out that the other player pressed a key, go back and replay.
// The hashes show that the replay is the same, bit for bit, also on other machines.
#include "tarn/tarn.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t play(TarnWave* wave, int frames, bool is_key_pressed)
{
    for (int frame = 0; frame < frames; ++frame) {
        if (is_key_pressed && frame == 3)
            tarn_wave_add_drop(wave, (TarnVec2){ 2.0f, 2.0f }, 0.2f, 0.05f);
        tarn_wave_step(wave, 1.0f / 60.0f, NULL);
    }
    return tarn_wave_hash(wave);
}

int main(void)
{
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    context_def.workers = 0; // one per core
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnWaveDef water = tarn_wave_default_def();
    TarnWave* wave;
    if (tarn_wave_create(ctx, &water, &wave) != TARN_OK) return puts(tarn_last_error(ctx)), 1;
    tarn_wave_add_drop(wave, (TarnVec2){ 6.0f, 5.0f }, 0.3f, 0.1f);
    play(wave, 30, false);

    size_t size;
    tarn_wave_save(wave, NULL, 0, &size); // asks for the size
    void* frame_30 = malloc(size);
    tarn_wave_save(wave, frame_30, size, &size);

    uint64_t guessed = play(wave, 10, false); // we guessed that no key was pressed
    tarn_wave_load(wave, frame_30, size);
    uint64_t truth = play(wave, 10, true); // the packet arrived: it was
    tarn_wave_load(wave, frame_30, size);
    uint64_t again = play(wave, 10, true);

    printf("snapshot of %zu bytes\nguessed  %016" PRIx64 "\ntruth    %016" PRIx64
           "\nreplayed %016" PRIx64 "\n",
           size, guessed, truth, again);
    free(frame_30);
    tarn_wave_destroy(wave);
    tarn_context_destroy(ctx);
    return truth == again && truth != guessed ? 0 : 1;
}
