// Screen-space meshes: 50,000 particles of a wave in a box with drops over it, seen so that it fills the picture,
// from afar, and from close to its surface.

#include "bench/bench.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 50000, WIDTH = 1280, HEIGHT = 720 };

typedef struct ScreenBench {
    TarnContext* ctx;
    TarnScreenMesh* screen;
    TarnPoints points;
    TarnScreenCamera camera;
    TarnScreenMeshParams params;
    TarnMesh mesh;
    float* at;
} ScreenBench;

static float noise(int i)
{
    uint32_t h = (uint32_t)i * 2654435761u;
    h = (h ^ (h >> 15)) * 2246822519u;
    return (float)((h ^ (h >> 13)) >> 8) * 0x1p-24f;
}

// 50 x 20 x 50 jittered particles 5 cm apart, one in a hundred of them in the air.
static void pour(ScreenBench* b)
{
    float *x = b->at, *y = b->at + N, *z = b->at + 2 * N;
    for (int n = 0; n < N; ++n) {
        float i = (float)(n % 50 - 25), j = (float)(n / 50 % 20), k = (float)(n / 1000 - 25);
        x[n] = 0.05f * (i + 0.4f * noise(3 * n));
        z[n] = 0.05f * (k + 0.4f * noise(3 * n + 1));
        y[n] = 0.05f * (j + 0.3f * noise(3 * n + 2)) *
               (1.0f + 0.3f * sinf(0.2f * i) * cosf(0.15f * k));
        if (n % 100 == 0) y[n] += noise(n);
    }
    b->points = (TarnPoints){ .n = N, .x = x, .y = y, .z = z, .vx = x, .vy = y, .vz = z };
}

// Looks from a point at the middle of the liquid; 57 degrees high.
static void aim(TarnScreenCamera* c, float ex, float ey, float ez)
{
    float fx = -ex, fy = 0.4f - ey, fz = -ez, n = sqrtf(fx * fx + fy * fy + fz * fz);
    fx /= n, fy /= n, fz /= n;
    float s = sqrtf(fx * fx + fz * fz), rx = -fz / s, rz = fx / s; // right
    const float up[3] = { -rz * fy, rz * fx - rx * fz, rx * fy };
    const float rows[3][3] = { { rx, 0.0f, rz }, { up[0], up[1], up[2] }, { -fx, -fy, -fz } };
    *c = (TarnScreenCamera){ .width = WIDTH, .height = HEIGHT };
    for (int r = 0; r < 3; ++r) {
        for (int k = 0; k < 3; ++k) c->view[r + 4 * k] = rows[r][k];
        c->view[r + 12] = -(rows[r][0] * ex + rows[r][1] * ey + rows[r][2] * ez);
    }
    c->view[15] = 1.0f;
    c->projection[0] = 1.83f * HEIGHT / WIDTH, c->projection[5] = 1.83f;
    c->projection[10] = -1.0f, c->projection[11] = -1.0f, c->projection[14] = -0.1f;
}

static void run_mesh(void* data)
{
    ScreenBench* b = data;
    if (tarn_screen_mesh_run(b->screen, &b->points, &b->camera, &b->params, &b->mesh, NULL) !=
        TARN_OK) {
        fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b->ctx));
        exit(1);
    }
}

static ScreenBench make(int workers)
{
    ScreenBench b = { .ctx = bench_context(workers), .at = malloc(3 * N * sizeof(float)) };
    pour(&b);
    TarnScreenMeshDef def = tarn_screen_mesh_default_def();
    def.max_particles = N, def.max_width = WIDTH, def.max_height = HEIGHT;
    if (tarn_screen_mesh_create(b.ctx, &def, &b.screen) != TARN_OK) {
        fprintf(stderr, "tarn: bench: %s\n", tarn_last_error(b.ctx));
        exit(1);
    }
    b.params = tarn_screen_mesh_default_params();
    b.params.radius = 0.05f;
    int vertices = 1000000, triangles = 1500000;
    b.mesh = (TarnMesh){ .position = malloc((size_t)vertices * sizeof(TarnVec3)),
                         .normal = malloc((size_t)vertices * sizeof(TarnVec3)),
                         .velocity = malloc((size_t)vertices * sizeof(TarnVec3)),
                         .index = malloc(3 * (size_t)triangles * sizeof(uint32_t)),
                         .max_vertices = vertices,
                         .max_triangles = triangles };
    return b;
}
static void drop(ScreenBench* b)
{
    free(b->at), free(b->mesh.position), free(b->mesh.normal), free(b->mesh.velocity);
    free(b->mesh.index);
    tarn_screen_mesh_destroy(b->screen);
    tarn_context_destroy(b->ctx);
}

typedef struct Shot {
    const char* name;
    float eye[3];
    int layers;
} Shot;

static void bench_shot(BenchRun* run, const Shot* shot)
{
    char name[48];
    snprintf(name, sizeof name, "mesh.screen.%s", shot->name);
    if (!bench_wants(run, name)) return;
    TarnScreenMeshDef def = tarn_screen_mesh_default_def();
    def.max_particles = 1, def.max_width = WIDTH, def.max_height = HEIGHT;
    double nodes = (WIDTH / 2 + 1) * (HEIGHT / 2 + 1);
    double per_node = (double)tarn_screen_mesh_memory(&def) / nodes;
    for (int workers = 1; workers <= run->max_workers; workers *= 2) {
        ScreenBench b = make(workers);
        aim(&b.camera, shot->eye[0], shot->eye[1], shot->eye[2]);
        b.params.layers = shot->layers;
        double seconds = bench_best(run->is_quick ? 5 : 40, run_mesh, &b);
        bench_rate(run, name, workers, seconds, N, "particle", 68.0, 0.0);
        bench_note(run, "641 x 361 nodes, %.0f bytes each; %d vertices, %d triangles", per_node,
                   b.mesh.n_vertices, b.mesh.n_triangles);
        drop(&b);
    }
}

void bench_mesh_screen(BenchRun* run)
{
    static const Shot shots[] = {
        { "50000", { 1.5f, 1.3f, 2.0f }, 1 },        // all of it fills the picture
        { "50000.layers", { 1.5f, 1.3f, 2.0f }, 2 }, // including its back
        { "50000.far", { 4.8f, 4.0f, 6.4f }, 1 },
        { "50000.near", { 0.9f, 1.1f, 1.2f }, 1 }, // beyond the edges of the picture
    };
    for (size_t s = 0; s < sizeof shots / sizeof shots[0]; ++s) bench_shot(run, &shots[s]);
}
