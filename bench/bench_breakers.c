// Breaking waves: the whole step of a wave with its sheets, and their share of the step of their water.

#include "bench/bench.h"
#include <stdlib.h>

static void one_step(void* world)
{
    tarn_world_step(world, 1.0f / 60.0f, NULL);
}

// What the sheets take of the step of their water: both are stepped by turns, as in a world, and timed one by one over
// two seconds, in which the wave breaks along the whole reef and fronts are searched for as often as in a game.
typedef struct Shares {
    double water, sheets,
        mesh;  // means [ms]; mesh: building the mesh of the sheets, which a host asks for
    int nodes; // at the end
} Shares;

static Shares share_of_sheets(TarnWorld* world)
{
    enum { STEPS = 120, ROOM = 1 << 16 };
    Shares s = { 0 };
    TarnMesh mesh = { .max_vertices = ROOM, .max_triangles = ROOM };
    mesh.position = malloc(ROOM * sizeof *mesh.position);
    mesh.normal = malloc(ROOM * sizeof *mesh.normal);
    mesh.index = malloc(3 * ROOM * sizeof *mesh.index);
    TarnShallow* water = tarn_world_shallow(world, 0);
    TarnBreakers* sheets = tarn_world_breakers(world, 0);
    TarnSurface surface = tarn_shallow_surface(water);
    const float dt = 1.0f / 60.0f;
    for (int n = 0; n < STEPS; ++n) {
        double begin = bench_seconds();
        tarn_shallow_step(water, dt, NULL);
        double wet = bench_seconds();
        tarn_breakers_step(sheets, &surface, tarn_world_bodies(world), dt, NULL);
        double thrown = bench_seconds();
        tarn_breakers_mesh(sheets, &mesh);
        s.water += 1e3 * (wet - begin) / STEPS;
        s.sheets += 1e3 * (thrown - wet) / STEPS;
        s.mesh += 1e3 * (bench_seconds() - thrown) / STEPS;
        tarn_bodies_clear_forces(tarn_world_bodies(world));
    }
    s.nodes = tarn_breakers_node_count(sheets);
    free(mesh.position), free(mesh.normal), free(mesh.index);
    return s;
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
        double seconds = bench_best(run->is_quick ? 12 : 30, one_step, world);
        Shares s = share_of_sheets(world);
        bench_rate(run, "spray.surfer", workers, seconds, 200.0 * 100.0, "cell", -1.0, 0.0);
        bench_note(run, "%d nodes; sheets %.3f ms, %.0f %% of the water's %.3f ms; mesh %.3f ms",
                   s.nodes, s.sheets, 100.0 * s.sheets / s.water, s.water, s.mesh);
        tarn_scene_destroy(scene);
        tarn_context_destroy(ctx);
    }
}
