// Height-field meshes: rings around a camera over a lake with islands and over open water, with the time that
// the queries of as many points take alone, from the same run.

#include "bench/bench.h"
#include <math.h>
#include <stdlib.h>

typedef struct HeightBench {
    TarnContext* ctx;
    TarnShallow* lake;
    TarnWave* sea;
    TarnHeightMesh* heights;
    TarnHeightMeshSource source;
    TarnMesh mesh;
    float *x, *z, *height, *depth;
    TarnVec3 *normal, *velocity;
} HeightBench;

enum { SIZE = 1024, BATCH = 512 };
static const float dx = 0.5f;

static float hills(float x, float z, void* user)
{
    (void)user;
    return 1.5f * sinf(0.06f * x) * cosf(0.05f * z) - 0.5f;
}

static void stop(const HeightBench* b)
{
    fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b->ctx));
    exit(1);
}

static void make_water(HeightBench* b, bool has_shore)
{
    TarnShallowDef lake = tarn_shallow_default_def();
    lake.nx = lake.nz = SIZE;
    lake.dx = dx;
    lake.has_level = true;
    lake.bed_fn = hills;
    TarnWaveDef sea = tarn_wave_default_def();
    sea.nx = sea.nz = SIZE;
    sea.dx = dx;
    TarnResult result = has_shore ? tarn_shallow_create(b->ctx, &lake, &b->lake)
                                  : tarn_wave_create(b->ctx, &sea, &b->sea);
    if (result != TARN_OK) stop(b);
    b->source = has_shore ? tarn_height_mesh_source_of_shallow(b->lake)
                          : tarn_height_mesh_source_of_wave(b->sea);
    b->source.camera = (TarnVec3){ 0.49f * SIZE * dx, 2.0f, 0.51f * SIZE * dx };
}

static void make_bench(HeightBench* b, int workers, const TarnHeightMeshDef* def, bool has_shore)
{
    b->ctx = bench_context(workers);
    make_water(b, has_shore);
    if (tarn_height_mesh_create(b->ctx, def, &b->heights) != TARN_OK) stop(b);
    tarn_height_mesh_max_size(def, &b->mesh.max_vertices, &b->mesh.max_triangles);
    size_t n = (size_t)b->mesh.max_vertices;
    b->mesh.n_attributes = TARN_HEIGHT_MESH_ATTRIBUTES;
    b->mesh.position = malloc(n * sizeof(TarnVec3));
    b->mesh.normal = malloc(n * sizeof(TarnVec3));
    b->mesh.velocity = malloc(n * sizeof(TarnVec3));
    b->mesh.attribute = malloc(n * TARN_HEIGHT_MESH_ATTRIBUTES * sizeof(float));
    b->mesh.index = malloc((size_t)b->mesh.max_triangles * 3 * sizeof(uint32_t));
    b->x = malloc(n * sizeof(float));
    b->z = malloc(n * sizeof(float));
    b->height = malloc(n * sizeof(float));
    b->depth = malloc(n * sizeof(float));
    b->normal = malloc(n * sizeof(TarnVec3));
    b->velocity = malloc(n * sizeof(TarnVec3));
}

static void drop_bench(HeightBench* b)
{
    void* arrays[] = { b->mesh.position,
                       b->mesh.normal,
                       b->mesh.velocity,
                       b->mesh.attribute,
                       b->mesh.index,
                       b->x,
                       b->z,
                       b->height,
                       b->depth,
                       b->normal,
                       b->velocity };
    for (size_t a = 0; a < sizeof arrays / sizeof arrays[0]; ++a) free(arrays[a]);
    tarn_height_mesh_destroy(b->heights);
    tarn_shallow_destroy(b->lake);
    tarn_wave_destroy(b->sea);
    tarn_context_destroy(b->ctx);
}

static void one_run(void* data)
{
    HeightBench* b = data;
    if (tarn_height_mesh_run(b->heights, &b->source, &b->mesh) != TARN_OK) stop(b);
}

// The vertices again, on one thread.
static void one_query(void* data)
{
    HeightBench* b = data;
    for (int v = 0; v < b->mesh.n_vertices; v += BATCH) {
        int left = b->mesh.n_vertices - v;
        TarnSurfaceSamples out = { b->height + v, b->normal + v, b->velocity + v, b->depth + v };
        tarn_surface_query(b->source.surface, left < BATCH ? left : BATCH, b->x + v, b->z + v,
                           &out);
    }
}

static void bench_rings(BenchRun* run, const char* name, int cells, int levels, bool has_shore)
{
    if (!bench_wants(run, name)) return;
    TarnHeightMeshDef def = tarn_height_mesh_default_def();
    def.cells = cells, def.levels = levels;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        HeightBench b = { 0 };
        make_bench(&b, workers, &def, has_shore);
        double seconds = bench_best(run->is_quick ? 20 : 100, one_run, &b);
        for (int v = 0; v < b.mesh.n_vertices; ++v)
            b.x[v] = b.mesh.position[v].x, b.z[v] = b.mesh.position[v].z;
        double queries = bench_best(run->is_quick ? 20 : 100, one_query, &b);
        double n = (double)b.mesh.n_vertices;
        bench_rate(run, name, workers, seconds, n, "vertex",
                   (double)tarn_height_mesh_memory(&def) / n, 0.0);
        bench_note(run, "%d triangles; queries alone, one thread: %.2f ms", b.mesh.n_triangles,
                   1e3 * queries);
        drop_bench(&b);
    }
}

void bench_mesh_height(BenchRun* run)
{
    bench_rings(run, "mesh.height.lake.5x64", 64, 5, true);
    bench_rings(run, "mesh.height.sea.5x64", 64, 5, false);
    bench_rings(run, "mesh.height.lake.4x192", 192, 4, true);
    bench_rings(run, "mesh.height.sea.4x192", 192, 4, false);
}
