// Spray: the whole step of its two heavy scenes, when their pools are full.

#include "bench/bench.h"
#include <stdlib.h>
#include <string.h>

static void one_step(void* world)
{
    tarn_world_step(world, 1.0f / 60.0f, NULL);
}

static void bench_scene(BenchRun* run, const char* row, const char* name, int warm)
{
    char path[512];
    const char* folder = getenv("TARN_SCENES");
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        if (!bench_wants(run, row)) return;
        TarnContext* ctx = bench_context(workers);
        TarnScene* scene;
        snprintf(path, sizeof path, "%s/%s.json", folder ? folder : "scenes", name);
        if (tarn_scene_create_from_file(ctx, path, NULL, 0, &scene) != TARN_OK) {
            fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(ctx));
            tarn_context_destroy(ctx);
            return;
        }
        TarnWorld* world = tarn_scene_world(scene);
        for (int n = 0; n < warm; ++n) one_step(world);
        const TarnSpray* spray = tarn_world_spray(world, 0);
        double seconds = bench_best(run->is_quick ? 10 : 60, one_step, world);
        int drops = tarn_spray_drops(spray).n, foam = tarn_spray_foam_particles(spray).n;
        bench_rate(run, row, workers, seconds, (double)(drops + foam), "particle", -1.0, 0.0);
        bench_note(run, "%d drops, %d particles of foam", drops, foam);
        tarn_scene_destroy(scene);
        tarn_context_destroy(ctx);
    }
}

void bench_spray(BenchRun* run)
{
    bench_scene(run, "spray.beach_surf", "beach_surf", run->is_quick ? 600 : 1200);
    bench_scene(run, "spray.speedboat", "speedboat", run->is_quick ? 600 : 1200);
}
