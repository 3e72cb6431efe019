// Breaking waves: the whole step of a wave with its sheets, and their share of the step of their water.

#include "bench/bench.h"
#include <stdlib.h>

static void one_step(void* world)
{
    tarn_world_step(world, 1.0f / 60.0f, NULL);
}

// What the sheets take of the step of their water: the same water beside it, alone.
typedef struct Surf {
    TarnWorld* world;
    TarnSurface water;
    TarnBreakers* breakers;
} Surf;

static void step_water(void* data)
{
    tarn_shallow_step(tarn_world_shallow(((Surf*)data)->world, 0), 1.0f / 60.0f, NULL);
}
static void step_sheets(void* data)
{
    const Surf* surf = data;
    tarn_breakers_step(surf->breakers, &surf->water, NULL, 1.0f / 60.0f, NULL);
}

// A mean over six steps, because new fronts are searched for in every sixth.
static double mean_ms(void (*step)(void*), void* data, int n)
{
    double sum = 0.0;
    for (int i = 0; i < 6 * n; ++i) sum += bench_best(1, step, data);
    return 1e3 * sum / (6.0 * n);
}

void bench_breakers(BenchRun* run)
{
    char path[512];
    const char* folder = getenv("TARN_SCENES");
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        if (!bench_wants(run, "spray.surfer")) return;
        TarnContext* ctx = bench_context(workers);
        TarnScene* scene;
        snprintf(path, sizeof path, "%s/surfer.json", folder ? folder : "scenes");
        if (tarn_scene_create_from_file(ctx, path, NULL, 0, &scene) != TARN_OK) {
            fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(ctx));
            tarn_context_destroy(ctx);
            return;
        }
        TarnWorld* world = tarn_scene_world(scene);
        for (int n = 0; n < 300; ++n) one_step(world); // 5 s: it breaks
        int nodes = tarn_breakers_node_count(tarn_world_breakers(world, 0));
        double seconds = bench_best(run->is_quick ? 12 : 30, one_step, world);
        Surf surf = { .world = world, .breakers = tarn_world_breakers(world, 0) };
        surf.water = tarn_shallow_surface(tarn_world_shallow(world, 0));
        double water = 0.0, sheets = 0.0;
        for (int n = 0; n < 4; ++n) { // by turns: the sheets need waves that go on
            water += mean_ms(step_water, &surf, 1) / 4.0;
            sheets += mean_ms(step_sheets, &surf, 1) / 4.0;
        }
        bench_rate(run, "spray.surfer", workers, seconds, 200.0 * 100.0, "cell", -1.0, 0.0);
        bench_note(run, "%d nodes; sheets %.3f ms, %.0f %% of the water's %.3f ms", nodes, sheets,
                   100.0 * sheets / water, water);
        tarn_scene_destroy(scene);
        tarn_context_destroy(ctx);
    }
}
