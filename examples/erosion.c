// Rain carves a mountain: pipes with erosion, and the ground before and after as 16-bit PNG files.
#include "tarn/tarn.h"
#include <math.h>
#include <stdio.h>

enum { SIDE = 128 };

// Generated hills on a cone, so that the rain runs off to all sides.
static TarnResult make_mountain(TarnContext* ctx, float dx, TarnTerrain** out)
{
    TarnTerrainDef hills = tarn_terrain_kind_def(TARN_TERRAIN_FLAT);
    hills.nx = hills.nz = SIDE, hills.dx = dx, hills.seed = 12;
    hills.noise = 100.0f, hills.noise_size = 450.0f, hills.roughness = 0.5f;
    static float heights[SIDE * SIDE];
    for (int k = 0; k < SIDE; ++k) {
        for (int i = 0; i < SIDE; ++i) {
            float x = ((float)i + 0.5f) * dx, z = ((float)k + 0.5f) * dx;
            float middle = 0.5f * SIDE * dx, way = hypotf(x - middle, z - middle);
            float cone = way < middle ? 250.0f * (1.0f - way / middle) : 0.0f;
            heights[k * SIDE + i] = cone + tarn_terrain_made_ground(x, z, &hills);
        }
    }
    TarnView2 view = { heights, SIDE, SIDE, SIDE };
    return tarn_terrain_create_from(ctx, view, dx, (TarnVec2){ 0.0f, 0.0f }, out);
}

// How far the rain has cut into the ground, at most [m].
static float deepest_cut(const TarnTerrain* before, const TarnPipes* pipes)
{
    TarnView2 was = tarn_terrain_heights(before), is = tarn_pipes_ground(pipes);
    float soil = tarn_pipes_def(pipes)->soil, most = 0.0f;
    for (int k = 0; k < SIDE; ++k) {
        for (int i = 0; i < SIDE; ++i) {
            float cut = was.data[k * was.stride + i] + soil - is.data[k * is.stride + i];
            most = cut > most ? cut : most;
        }
    }
    return most;
}

int main(void)
{
    const float dx = 8.0f;
    TarnContext* ctx;
    TarnContextDef context_def = tarn_context_default_def();
    context_def.workers = 0; // one per core
    if (tarn_context_create(&context_def, &ctx) != TARN_OK) return 1;
    TarnTerrain *before, *after;
    if (make_mountain(ctx, dx, &before) != TARN_OK) return puts(tarn_last_error(ctx)), 1;

    TarnPipesDef def = tarn_pipes_default_def(); // open edges, erosion, two meters of soil
    def.nx = def.nz = SIDE, def.dx = dx;
    def.bed = tarn_terrain_heights(before).data;
    TarnPipes* pipes;
    if (tarn_pipes_create(ctx, &def, &pipes) != TARN_OK) return puts(tarn_last_error(ctx)), 1;
    TarnPipesParams params = tarn_pipes_params(pipes);
    params.rain = 1000.0f; // [mm/h]: the storms of an age in one
    tarn_pipes_set_params(pipes, &params);

    for (int step = 0; step < 1600; ++step) {
        tarn_pipes_step(pipes, 0.5f, NULL);
        if (step % 400 != 399) continue;
        TarnPipesLedger ledger = tarn_pipes_ledger(pipes);
        printf("%3.0f s  %6.0f m^3 of water on the ground, gorges up to %4.1f m, %6.0f m^3 washed "
               "away\n",
               tarn_pipes_time(pipes), ledger.volume, (double)deepest_cut(before, pipes),
               ledger.carried_out);
    }
    TarnPipesLedger ledger = tarn_pipes_ledger(pipes);
    printf("missing: %g m^3 of water, %g m^3 of ground\n", ledger.water_error, ledger.ground_error);

    if (tarn_terrain_create_from(ctx, tarn_pipes_ground(pipes), dx, tarn_pipes_origin(pipes),
                                 &after) != TARN_OK)
        return puts(tarn_last_error(ctx)), 1;
    TarnTerrainFileDef file = tarn_terrain_default_file_def();
    tarn_terrain_range(before, &file.low, &file.high); // both with the same black and white,
    file.low -= 50.0f, file.high += 2.0f * def.soil;   // with room for gorges and soil
    if (tarn_terrain_write_file(before, "mountain_before.png", &file) != TARN_OK ||
        tarn_terrain_write_file(after, "mountain_after.png", &file) != TARN_OK)
        return puts(tarn_last_error(ctx)), 1;
    puts("wrote mountain_before.png and mountain_after.png; to view them as maps:\n"
         "  tarn terrain convert mountain_after.png after.asc --preview after_map.png");

    tarn_terrain_destroy(after);
    tarn_terrain_destroy(before);
    tarn_pipes_destroy(pipes);
    tarn_context_destroy(ctx);
    return ledger.water_error == 0.0 && ledger.ground_error == 0.0 && ledger.carried_out > 0.0 ? 0
                                                                                               : 1;
}
