// The surface of 50,000 particles of a dam break: field and mesh, with each method.

#include "bench/bench.h"
#include "tarn/particle_surface.h"
#include <stdlib.h>
#include <string.h>

enum { STEPS = 45, ARRAYS = 6 }; // the front has met the wall and shoots up

typedef struct Dam {
    int n;
    float spacing;
    float* data[ARRAYS];
} Dam;

static void stop_if(TarnContext* ctx, TarnResult result)
{
    if (result == TARN_OK) return;
    fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(ctx));
    exit(1);
}

static Dam make_dam(int workers)
{
    TarnContext* ctx = bench_context(workers);
    TarnLiquidDef def = tarn_liquid_default_def();
    def.dimensions = 3;
    def.spacing = 0.027f;
    def.max_particles = 60000;
    def.walls = TARN_LIQUID_BOX;
    def.box_min = (TarnVec3){ 0.0f, 0.0f, 0.0f };
    def.box_max = (TarnVec3){ 3.0f, 2.0f, 1.0f };
    TarnLiquid* liquid;
    stop_if(ctx, tarn_liquid_create(ctx, &def, &liquid));
    TarnLiquidFill fill = tarn_liquid_fill_default();
    fill.shape =
        tarn_shape_box_between(def.box_min, (TarnVec3){ 1.0f, 1.0f, 1.0f }, &fill.pose.position);
    stop_if(ctx, tarn_liquid_fill(liquid, &fill, NULL));
    for (int s = 0; s < STEPS; ++s) stop_if(ctx, tarn_liquid_step(liquid, 1.0f / 60.0f, NULL));
    TarnLiquidView view = tarn_liquid_view(liquid);
    Dam dam = { .n = view.n, .spacing = def.spacing };
    const float* const from[ARRAYS] = { view.x, view.y, view.z, view.vx, view.vy, view.vz };
    for (int a = 0; a < ARRAYS; ++a) {
        dam.data[a] = malloc((size_t)view.n * sizeof(float));
        memcpy(dam.data[a], from[a], (size_t)view.n * sizeof(float));
    }
    tarn_liquid_destroy(liquid);
    tarn_context_destroy(ctx);
    return dam;
}

typedef struct Surfacing {
    TarnContext* ctx;
    TarnParticleSurface* surface;
    TarnPoints points;
    TarnMesh mesh;
    size_t memory;
    double field, mesh_only, both; // best [s]
} Surfacing;

static void run_once(Surfacing* b)
{
    double start = bench_seconds();
    stop_if(b->ctx, tarn_particle_surface_update(b->surface, &b->points, NULL));
    double middle = bench_seconds();
    stop_if(b->ctx, tarn_particle_surface_mesh(b->surface, &b->mesh));
    double end = bench_seconds();
    if (middle - start < b->field) b->field = middle - start;
    if (end - middle < b->mesh_only) b->mesh_only = end - middle;
    if (end - start < b->both) b->both = end - start;
}

static Surfacing make(const Dam* dam, int method, int workers)
{
    Surfacing b = { .ctx = bench_context(workers), .field = 1e30, .mesh_only = 1e30, .both = 1e30 };
    TarnParticleSurfaceDef def = tarn_particle_surface_default_def();
    def.max_particles = dam->n;
    def.spacing = dam->spacing;
    stop_if(b.ctx, tarn_particle_surface_create(b.ctx, &def, &b.surface));
    TarnParticleSurfaceParams params = tarn_particle_surface_default_params();
    params.method = method;
    stop_if(b.ctx, tarn_particle_surface_set_params(b.surface, &params));
    b.memory = tarn_particle_surface_memory(&def);
    b.points = (TarnPoints){ .n = dam->n, .x = dam->data[0], .y = dam->data[1], .z = dam->data[2] };
    run_once(&b); // without buffers: counts
    b.mesh.max_vertices = b.mesh.n_vertices, b.mesh.max_triangles = b.mesh.n_triangles;
    b.mesh.position = malloc((size_t)b.mesh.n_vertices * sizeof(TarnVec3));
    b.mesh.normal = malloc((size_t)b.mesh.n_vertices * sizeof(TarnVec3));
    b.mesh.index = malloc((size_t)b.mesh.n_triangles * 3 * sizeof(uint32_t));
    run_once(&b);
    b.field = b.mesh_only = b.both = 1e30;
    return b;
}
static void drop(Surfacing* b)
{
    free(b->mesh.position), free(b->mesh.normal), free(b->mesh.index);
    tarn_particle_surface_destroy(b->surface);
    tarn_context_destroy(b->ctx);
}

static void add_row(BenchRun* run, const char* name, int workers, const Surfacing* b)
{
    double n = b->points.n;
    bench_rate(run, name, workers, b->both, n, "particle", (double)b->memory / n, 0.0);
    bench_note(run, "field %.1f ms, mesh %.1f ms, %d triangles", 1e3 * b->field, 1e3 * b->mesh_only,
               b->mesh.n_triangles);
}

void bench_mesh_particles(BenchRun* run)
{
    static const char* const methods[] = { "density", "zhu_bridson", "anisotropic" };
    Dam dam = { 0 };
    for (int method = 0; method < 3; ++method) {
        char name[48];
        snprintf(name, sizeof name, "mesh.particles.%s", methods[method]);
        if (!bench_wants(run, name)) continue;
        if (dam.n == 0) dam = make_dam(run->max_workers);
        Surfacing one = make(&dam, method, 1), two = make(&dam, method, 2);
        for (int r = 0; r < (run->is_quick ? 5 : 40); ++r) { // in turns
            run_once(&one);
            if (run->max_workers > 1) run_once(&two);
        }
        add_row(run, name, 1, &one);
        if (run->max_workers > 1) add_row(run, name, 2, &two);
        drop(&one), drop(&two);
    }
    for (int a = 0; a < ARRAYS; ++a) free(dam.data[a]);
}
