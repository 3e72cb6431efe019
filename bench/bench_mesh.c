// Marching cubes with normals and shared vertices: a sphere and a gyroid, with VTK's FlyingEdges3D in the same
// run where it is built in (make peers).

#define _POSIX_C_SOURCE 200809L
#include "bench/bench.h"
#include "tarn/mesh.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#if defined(TARN_HAS_VTK)
#include "bench/peers/flying_edges.h"
#endif

typedef struct MeshBench {
    TarnContext* ctx;
    TarnMarching* marching;
    TarnField3 field;
    const TarnBlocks* blocks; // instead of the field, if not NULL
    TarnMarchingParams params;
    TarnMesh mesh;
    size_t memory;
} MeshBench;

// 97,000 and 626,000 triangles at 128 nodes along each axis.
static float* make_values(int n, bool is_gyroid)
{
    float* value = malloc((size_t)n * (size_t)n * (size_t)n * sizeof(float));
    double h = 1.0 / (n - 1), k = 25.32;
    for (int c = 0; c < n * n * n; ++c) {
        double x = c % n * h - 0.5, y = c / n % n * h - 0.5, z = c / n / n * h - 0.5;
        double gyroid = sin(k * x) * cos(k * y) + sin(k * y) * cos(k * z) + sin(k * z) * cos(k * x);
        value[c] = (float)(is_gyroid ? gyroid : sqrt(x * x + y * y + z * z) - 0.4);
    }
    return value;
}

static void run_marching(void* data)
{
    MeshBench* b = data;
    TarnResult result = b->blocks
                            ? tarn_marching_run_blocks(b->marching, b->blocks, &b->params, &b->mesh)
                            : tarn_marching_run(b->marching, &b->field, &b->params, &b->mesh);
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b->ctx));
    exit(1);
}

static MeshBench make(const float* value, int n, int workers, float snap, const TarnBlocks* blocks)
{
    MeshBench b = { .ctx = bench_context(workers), .params = tarn_marching_default_params() };
    TarnMarchingDef def = tarn_marching_default_def();
    if (blocks)
        def.max_blocks = blocks->n_blocks;
    else
        def.nx = def.ny = def.nz = n;
    if (tarn_marching_create(b.ctx, &def, &b.marching) != TARN_OK) exit(1);
    b.memory = tarn_marching_memory(&def);
    b.field = (TarnField3){ .value = { value, n, n, n, n, n * n }, .dx = 1.0f / (float)(n - 1) };
    b.blocks = blocks;
    b.params.snap = snap;
    run_marching(&b); // without buffers: counts
    b.mesh.max_vertices = b.mesh.n_vertices, b.mesh.max_triangles = b.mesh.n_triangles;
    b.mesh.position = malloc((size_t)b.mesh.n_vertices * sizeof(TarnVec3));
    b.mesh.normal = malloc((size_t)b.mesh.n_vertices * sizeof(TarnVec3));
    b.mesh.index = malloc((size_t)b.mesh.n_triangles * 3 * sizeof(uint32_t));
    return b;
}
static void drop(MeshBench* b)
{
    free(b->mesh.position), free(b->mesh.normal), free(b->mesh.index);
    tarn_marching_destroy(b->marching);
    tarn_context_destroy(b->ctx);
}

// Best wall time and best CPU time of the calling thread; other load of the machine affects only the first.
typedef struct Best {
    double wall, cpu;
} Best;

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
static void take_time(Best* best, void (*fn)(void*), void* data)
{
    double wall = bench_seconds(), cpu = cpu_seconds();
    fn(data);
    wall = bench_seconds() - wall, cpu = cpu_seconds() - cpu;
    if (wall < best->wall) best->wall = wall;
    if (cpu < best->cpu) best->cpu = cpu;
}

#if defined(TARN_HAS_VTK)
static void run_peer(void* data)
{
    peer_flying_edges_run(data);
}
#endif

// All take turns, so that other load of the machine affects all alike.
static void bench_field(BenchRun* run, int n, bool is_gyroid)
{
    const char* shape = is_gyroid ? "gyroid" : "sphere";
    char name[48];
    snprintf(name, sizeof name, "mesh.%s.%d", shape, n);
    if (!bench_wants(run, name)) return;
    float* value = make_values(n, is_gyroid);
    MeshBench one = make(value, n, 1, 0.0f, NULL), two = make(value, n, 2, 0.0f, NULL);
    Best best_one = { 1e30, 1e30 }, best_two = best_one, best_peer = best_one;
    double nodes = (double)n * n * n;
    int repeats = run->is_quick ? 3 : n > 128 ? 12 : 40;
#if defined(TARN_HAS_VTK)
    PeerFlyingEdges* peer = peer_flying_edges_create(value, n, one.field.dx);
    int peer_triangles = peer_flying_edges_run(peer);
#endif
    run_marching(&one), run_marching(&two);
    for (int r = 0; r < repeats; ++r) {
        take_time(&best_one, run_marching, &one);
        if (run->max_workers > 1) take_time(&best_two, run_marching, &two);
#if defined(TARN_HAS_VTK)
        take_time(&best_peer, run_peer, peer);
#endif
    }
    bench_rate(run, name, 1, best_one.wall, nodes, "node", (double)one.memory / nodes, 0.0);
    if (best_peer.cpu < 1e29)
        bench_note(run, "%d triangles, %.2f times FlyingEdges3D (CPU %.2f, %.2f ms)",
                   one.mesh.n_triangles, best_peer.cpu / best_one.cpu, 1e3 * best_one.cpu,
                   1e3 * best_peer.cpu);
    else
        bench_note(run, "%d triangles", one.mesh.n_triangles);
    if (run->max_workers > 1) {
        bench_rate(run, name, 2, best_two.wall, nodes, "node", (double)two.memory / nodes, 0.0);
        bench_note(run, "%.2f times one worker", best_one.wall / best_two.wall);
    }
#if defined(TARN_HAS_VTK)
    snprintf(name, sizeof name, "mesh.%s.%d.flying_edges", shape, n);
    bench_rate(run, name, 1, best_peer.wall, nodes, "node", -1.0, 0.0);
    bench_note(run, "%d triangles", peer_triangles);
    peer_flying_edges_destroy(peer);
#endif
    drop(&one), drop(&two);
    free(value);
}

// The blocks of a field that contain fluid, and their neighbors.
static TarnBlocks make_blocks(const float* value, int n, int32_t (*place)[3], float* out)
{
    int per = n / 8;
    TarnBlocks blocks = { .place = (const int32_t(*)[3])place, .value = out, .outside = 1.0f };
    for (int b = 0; b < per * per * per; ++b) {
        int x = 8 * (b % per), y = 8 * (b / per % per), z = 8 * (b / per / per);
        float *to = out + (size_t)blocks.n_blocks * TARN_BLOCK_NODES, least = 1.0f;
        for (int c = 0; c < TARN_BLOCK_NODES; ++c) {
            to[c] = value[x + c % 8 + n * (y + c / 8 % 8 + n * (z + c / 64))];
            if (to[c] < least) least = to[c];
        }
        if (least > 0.05f) continue;
        int32_t* p = place[blocks.n_blocks++];
        p[0] = x / 8, p[1] = y / 8, p[2] = z / 8;
    }
    blocks.dx = 1.0f / (float)(n - 1);
    return blocks;
}

static void bench_blocks(BenchRun* run, int n)
{
    if (!bench_wants(run, "mesh.blocks.128")) return;
    float* value = make_values(n, false);
    float* out = malloc((size_t)n * (size_t)n * (size_t)n * sizeof(float));
    int32_t(*place)[3] = malloc((size_t)(n / 8 * (n / 8) * (n / 8)) * sizeof *place);
    TarnBlocks blocks = make_blocks(value, n, place, out);
    double nodes = (double)blocks.n_blocks * TARN_BLOCK_NODES;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        MeshBench b = make(value, n, workers, 0.0f, &blocks);
        Best best = { 1e30, 1e30 };
        for (int r = 0; r < (run->is_quick ? 3 : 15); ++r) take_time(&best, run_marching, &b);
        bench_rate(run, "mesh.blocks.128", workers, best.wall, nodes, "node",
                   (double)b.memory / nodes, 0.0);
        bench_note(run, "%d triangles (CPU of the first worker %.2f ms)", b.mesh.n_triangles,
                   1e3 * best.cpu);
        drop(&b);
    }
    free(value), free(out), free(place);
}

// With slivers removed, taking turns with a plain run on as many workers.
static void bench_snap(BenchRun* run, int n, bool is_gyroid)
{
    char name[48];
    snprintf(name, sizeof name, "mesh.snap.%s.%d", is_gyroid ? "gyroid" : "sphere", n);
    if (!bench_wants(run, name)) return;
    float* value = make_values(n, is_gyroid);
    double nodes = (double)n * n * n, one_worker = 0.0;
    for (int workers = 1; workers <= run->max_workers && workers <= 2; workers *= 2) {
        MeshBench plain = make(value, n, workers, 0.0f, NULL);
        MeshBench snapped = make(value, n, workers, 0.3f, NULL);
        Best best_plain = { 1e30, 1e30 }, best = best_plain;
        for (int r = 0; r < (run->is_quick ? 3 : 40); ++r) {
            take_time(&best_plain, run_marching, &plain);
            take_time(&best, run_marching, &snapped);
        }
        bench_rate(run, name, workers, best.wall, nodes, "node", (double)snapped.memory / nodes,
                   0.0);
        if (workers == 1)
            bench_note(run, "%d triangles, CPU %.2f ms, %.2f times a plain run",
                       snapped.mesh.n_triangles, 1e3 * best.cpu, best.cpu / best_plain.cpu);
        else
            bench_note(run, "%.2f times a plain run, %.2f times one worker",
                       best.wall / best_plain.wall, one_worker / best.wall);
        if (workers == 1) one_worker = best.wall;
        drop(&plain), drop(&snapped);
    }
    free(value);
}

void bench_mesh(BenchRun* run)
{
    bench_field(run, 128, false);
    bench_field(run, 128, true);
    bench_field(run, 256, false);
    bench_field(run, 256, true);
    bench_blocks(run, 128);
    bench_snap(run, 128, false);
    bench_snap(run, 128, true);
}
