// Lattices: cells per second of obstacle-free boxes, of a free surface, and the frames of scenes.
//
//     lattice.d3q19.bgk.128      a closed box of 128^3 cells, one substep. The bound is the bandwidth of the same run over 152
//                                bytes: each population is read and written once. Goal: 160 million cells per second on
//                                one worker, 230 on two (OpenLB on such a machine: 33 and 68)
//     lattice.d3q19.bgk.128.half the same in 16 bits. Goal: 1.3 times that on two workers
//     lattice.d3q19.regular.128  regularised with Smagorinsky's eddies. Goal: 0.8 of BGK on two workers
//     lattice.d2q9.bgk.1024      1024^2 cells. Goal: 400 and 600
//     lattice.free_surface.128   a dam break in 128^3 cells, counting those that are wet. Goal: 60 on one worker
//     lattice.dam.64             a frame of 1/60 s of a dam break in 64^3 cells. Goal: 16.7 ms on two workers
//     lattice.scene.NAME         a step of 1/60 s of each scene with a lattice, over its first second

#include "bench/bench.h"
#include <stdlib.h>

typedef struct LatticeBench {
    TarnContext* ctx;
    TarnLattice* lattice;
    float dt;
} LatticeBench;

static void must(const LatticeBench* b, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b->ctx));
    exit(1);
}

static void one_step(void* data)
{
    LatticeBench* b = data;
    must(b, tarn_lattice_step(b->lattice, b->dt, NULL));
}

static void drop(LatticeBench* b)
{
    tarn_lattice_destroy(b->lattice);
    tarn_context_destroy(b->ctx);
}

static LatticeBench make_box(int workers, int n, int nz, int storage, int collision)
{
    LatticeBench b = { .ctx = bench_context(workers) };
    TarnLatticeDef def = tarn_lattice_default_def();
    def.nx = def.ny = n, def.nz = nz;
    def.dx = 1.0f, def.speed = def.lattice_speed = 0.1f; // one substep is 1 s
    def.storage = storage;
    def.obstacles = TARN_LATTICE_NO_OBSTACLES;
    def.use_flow = false;
    must(&b, tarn_lattice_create(b.ctx, &def, &b.lattice));
    TarnLatticeParams params = tarn_lattice_default_params();
    params.collision = collision;
    params.viscosity = 0.01f;
    params.flow_y1.x = 0.05f;
    if (collision == TARN_LATTICE_BGK) params.smagorinsky = 0.0f;
    must(&b, tarn_lattice_set_params(b.lattice, &params));
    b.dt = 1.0f;
    return b;
}

static void bench_box(BenchRun* run, const char* name, int n, int nz, int storage, int collision)
{
    if (!bench_wants(run, name)) return;
    double cells = (double)n * n * nz, slots = nz > 1 ? 19.0 : 9.0;
    double bytes = 2.0 * slots * (storage == TARN_LATTICE_FLOAT16 ? 2.0 : 4.0);
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        LatticeBench b = make_box(workers, n, nz, storage, collision);
        double held = (double)tarn_lattice_memory(tarn_lattice_def(b.lattice)) / cells;
        double seconds = bench_best(run->is_quick ? 5 : 40, one_step, &b);
        bench_rate(run, name, workers, seconds, cells, "cell", held, bytes);
        drop(&b);
    }
}

static LatticeBench make_dam(int workers, int n)
{
    LatticeBench b = { .ctx = bench_context(workers) };
    TarnLatticeDef def = tarn_lattice_default_def();
    def.nx = def.ny = def.nz = n;
    def.dx = 2.0f / (float)n;
    def.center = (TarnVec3){ 1.0f, 1.0f, 1.0f };
    def.speed = 5.5f, def.lattice_speed = 0.2f;
    def.use_surface = true;
    def.obstacles = TARN_LATTICE_NO_OBSTACLES;
    for (int f = 0; f < 6; ++f) (&def.face_x0)[f] = TARN_LATTICE_SLIP;
    must(&b, tarn_lattice_create(b.ctx, &def, &b.lattice));
    TarnLatticeParams params = tarn_lattice_default_params();
    params.viscosity = 1e-6f, params.density = 1000.0f;
    must(&b, tarn_lattice_set_params(b.lattice, &params));
    TarnLatticeFillDef fill = tarn_lattice_fill_default_def();
    fill.shape = tarn_shape_box_between((TarnVec3){ -1, -1, -1 }, (TarnVec3){ 0.8f, 1.2f, 3 },
                                        &fill.motion.position);
    must(&b, tarn_lattice_add_fill(b.lattice, &fill, NULL));
    b.dt = 1.0f / 60.0f;
    return b;
}

// From the break of the dam on: wet cells per second, over half a second.
static void bench_dam(BenchRun* run, const char* name, int n, bool is_frame)
{
    if (!bench_wants(run, name)) return;
    int frames = run->is_quick ? 3 : 30;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        LatticeBench b = make_dam(workers, n);
        double seconds = 0.0, cells = 0.0, worst = 0.0;
        for (int f = 0; f < frames; ++f) {
            TarnStepReport report;
            double from = bench_seconds();
            must(&b, tarn_lattice_step(b.lattice, b.dt, &report));
            double took = bench_seconds() - from;
            seconds += took;
            worst = took > worst ? took : worst;
            cells += (double)report.substeps * tarn_lattice_stats(b.lattice).fluid_cells;
        }
        double held =
            (double)tarn_lattice_memory(tarn_lattice_def(b.lattice)) / ((double)n * n * n);
        bench_rate(run, name, workers, seconds / frames, is_frame ? 1.0 : cells / frames,
                   is_frame ? "frame" : "cell", held, 0.0);
        bench_note(run, "%d frames, the longest %.1f ms", frames, 1e3 * worst);
        drop(&b);
    }
}

static void bench_scene(BenchRun* run, const char* scene_name)
{
    char name[64], path[512];
    snprintf(name, sizeof name, "lattice.scene.%s", scene_name);
    snprintf(path, sizeof path, "%s/%s.json", TARN_SCENES_DIR, scene_name);
    FILE* file = fopen(path, "r");
    if (file) fclose(file);
    if (file == NULL || !bench_wants(run, name)) return;
    int frames = run->is_quick ? 10 : 60;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        LatticeBench b = { .ctx = bench_context(workers) };
        TarnScene* scene;
        must(&b, tarn_scene_create_from_file(b.ctx, path, NULL, 0, &scene));
        double seconds = 0.0, worst = 0.0;
        for (int f = 0; f < frames; ++f) {
            double from = bench_seconds();
            must(&b, tarn_world_step(tarn_scene_world(scene), 1.0f / 60.0f, NULL));
            double took = bench_seconds() - from;
            seconds += took;
            worst = took > worst ? took : worst;
        }
        bench_rate(run, name, workers, seconds / frames, 1.0, "frame", 0.0, 0.0);
        bench_note(run, "%d frames, the longest %.1f ms", frames, 1e3 * worst);
        tarn_scene_destroy(scene);
        tarn_context_destroy(b.ctx);
    }
}

void bench_lattice(BenchRun* run)
{
    bench_box(run, "lattice.d3q19.bgk.128", 128, 128, TARN_LATTICE_FLOAT32, TARN_LATTICE_BGK);
    bench_box(run, "lattice.d3q19.bgk.128.half", 128, 128, TARN_LATTICE_FLOAT16, TARN_LATTICE_BGK);
    bench_box(run, "lattice.d3q19.regular.128", 128, 128, TARN_LATTICE_FLOAT32,
              TARN_LATTICE_REGULARISED);
    bench_box(run, "lattice.d2q9.bgk.1024", 1024, 1, TARN_LATTICE_FLOAT32, TARN_LATTICE_BGK);
    bench_dam(run, "lattice.free_surface.128", 128, false);
    bench_dam(run, "lattice.dam.64", 64, true);
    static const char* const scenes[] = { "wind_tunnel",      "karman_street", "lid_cavity",
                                          "chimney_city",     "falling_drop",  "mug_pour",
                                          "dam_break_lattice" };
    for (int n = 0; n < (int)(sizeof scenes / sizeof scenes[0]); ++n) bench_scene(run, scenes[n]);
}
