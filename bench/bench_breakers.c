// Breaking waves: the whole step of a wave with its sheets, and their share of the step of their water.

#include "bench/bench.h"
#include <math.h>
#include <stdlib.h>

static void one_step(void* world)
{
    tarn_world_step(world, 1.0f / 60.0f, NULL);
}

// What the sheets take of the step of their water: both are stepped by turns, as in a world, and timed one by one over
// two seconds, in which the wave breaks along the whole reef and fronts are searched for as often as in a game. The same
// two seconds run several times; of each step the shortest time counts, so that what else the machine does is left out.
enum { STEPS = 120, ROOM = 1 << 16 };
typedef struct Shares {
    double water, sheets,
        mesh; // [ms]; mesh: building the mesh of the sheets, which a host asks for
} Shares;

static void time_steps(TarnWorld* world, TarnMesh* mesh, Shares* best)
{
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
        tarn_breakers_mesh(sheets, mesh);
        double meshed = bench_seconds();
        tarn_bodies_clear_forces(tarn_world_bodies(world));
        best[n].water = fmin(best[n].water, 1e3 * (wet - begin));
        best[n].sheets = fmin(best[n].sheets, 1e3 * (thrown - wet));
        best[n].mesh = fmin(best[n].mesh, 1e3 * (meshed - thrown));
    }
}

static Shares share_of_sheets(TarnWorld* world, int repeats)
{
    Shares best[STEPS], mean = { 0 };
    TarnMesh mesh = { .max_vertices = ROOM, .max_triangles = ROOM };
    size_t size = 0;
    tarn_world_save(world, NULL, 0, &size);
    void* state = malloc(size);
    mesh.position = malloc(ROOM * sizeof *mesh.position);
    mesh.normal = malloc(ROOM * sizeof *mesh.normal);
    mesh.index = malloc(3 * ROOM * sizeof *mesh.index);
    tarn_world_save(world, state, size, &size);
    for (int n = 0; n < STEPS; ++n) best[n] = (Shares){ 1e9, 1e9, 1e9 };
    for (int r = 0; r < repeats && tarn_world_load(world, state, size) == TARN_OK; ++r)
        time_steps(world, &mesh, best);
    for (int n = 0; n < STEPS; ++n) {
        mean.water += best[n].water / STEPS, mean.sheets += best[n].sheets / STEPS;
        mean.mesh += best[n].mesh / STEPS;
    }
    free(mesh.position), free(mesh.normal), free(mesh.index), free(state);
    return mean;
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
        int nodes = tarn_breakers_node_count(tarn_world_breakers(world, 0));
        Shares s = share_of_sheets(world, run->is_quick ? 5 : 15);
        bench_rate(run, "spray.surfer", workers, seconds, 200.0 * 100.0, "cell", -1.0, 0.0);
        bench_note(run, "%d nodes; sheets %.3f ms, %.0f %% of the water's %.3f ms; mesh %.3f ms",
                   nodes, s.sheets, 100.0 * s.sheets / s.water, s.water, s.mesh);
        tarn_scene_destroy(scene);
        tarn_context_destroy(ctx);
    }
}
