// Golden hashes of meshes of all kinds: the same bits for any number of workers, instruction set and compiler,
// also as WebAssembly. Plain main, as golden_scenes.c. A commit that changes bits says [HASH] and writes the new ones.

#include "tarn/height_mesh.h"
#include "tarn/mesh.h"
#include "tarn/particle_surface.h"
#include "tarn/screen_mesh.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 24, BLOCKS = 27 };

static float value[N * N * N], blocked[N * N * N];
static int32_t place[BLOCKS][3];

static void make_field(bool is_noise)
{
    uint32_t s = 3;
    for (int c = 0; c < N * N * N; ++c) {
        float x = (float)(c % N) - 11.3f, y = (float)(c / N % N) - 11.7f,
              z = (float)(c / N / N) - 12.1f;
        s = s * 1664525u + 1013904223u;
        value[c] =
            is_noise ? (float)(s >> 8) * 0x1p-23f - 1.0f : sqrtf(x * x + y * y + z * z) - 9.4f;
        int b = c % N / 8 + 3 * (c / N % N / 8) + 9 * (c / N / N / 8);
        blocked[512 * b + c % 8 + 8 * (c / N % 8) + 64 * (c / N / N % 8)] = value[c];
        place[b][0] = c % N / 8 - 1, place[b][1] = c / N % N / 8 + 2, place[b][2] = c / N / N / 8;
    }
}

typedef struct Golden Golden;
typedef TarnResult FillFn(TarnContext* ctx, const Golden* golden, TarnMesh* mesh);
struct Golden {
    const char* name;
    FillFn* fill;
    unsigned long long hash;
    bool is_noise, is_sparse, is_closed; // of march
    float snap;
    int method; // of particles
};

static TarnResult march(TarnContext* ctx, const Golden* golden, TarnMesh* mesh)
{
    TarnField3 field = { .value = { value, N, N, N, N, N * N },
                         .origin = { 0.1f, 0.2f, 0.3f },
                         .dx = 0.7f };
    TarnBlocks blocks = { .n_blocks = BLOCKS,
                          .place = (const int32_t(*)[3])place,
                          .value = blocked,
                          .outside = 1.0f,
                          .origin = { 0.1f, 0.2f, 0.3f },
                          .dx = 0.7f };
    TarnMarchingDef def = tarn_marching_default_def();
    def.nx = def.ny = def.nz = N, def.max_blocks = BLOCKS;
    TarnMarchingParams params = tarn_marching_default_params();
    params.is_closed = golden->is_closed, params.snap = golden->snap;
    TarnMarching* m;
    TarnResult result = tarn_marching_create(ctx, &def, &m);
    if (result != TARN_OK) return result;
    make_field(golden->is_noise);
    result = golden->is_sparse ? tarn_marching_run_blocks(m, &blocks, &params, mesh)
                               : tarn_marching_run(m, &field, &params, mesh);
    tarn_marching_destroy(m);
    return result;
}

// ---- Particles ----------------------------------------------------------------------------------

// A pool that is not quite at rest, and drops over it.
enum { POINTS = 12 * 5 * 12 + 40 };
static float at[6][POINTS];
static TarnPoints make_points(void)
{
    uint32_t s = 17;
    for (int p = 0; p < POINTS; ++p) {
        float lattice[3] = { (float)(p % 12), (float)(p / 144), (float)(p / 12 % 12) };
        bool is_drop = p >= 12 * 5 * 12;
        for (int a = 0; a < 6; ++a) {
            s = s * 1664525u + 1013904223u;
            float r = (float)(s >> 8) * 0x1p-24f;
            at[a][p] = a > 2     ? r - 0.5f
                       : is_drop ? 1.2f * r + (a == 1 ? 0.6f : 0.0f)
                                 : 0.1f * (lattice[a] + 0.3f * r);
        }
    }
    return (TarnPoints){
        .n = POINTS, .x = at[0], .y = at[1], .z = at[2], .vx = at[3], .vy = at[4], .vz = at[5]
    };
}

static TarnResult cover(TarnContext* ctx, const Golden* golden, TarnMesh* mesh)
{
    TarnParticleSurfaceDef def = tarn_particle_surface_default_def();
    def.max_particles = POINTS, def.spacing = 0.1f, def.use_velocity = true;
    TarnParticleSurface* surface;
    TarnResult result = tarn_particle_surface_create(ctx, &def, &surface);
    if (result != TARN_OK) return result;
    TarnParticleSurfaceParams params = tarn_particle_surface_params(surface);
    params.method = golden->method, params.snap = golden->snap;
    TarnPoints points = make_points();
    result = tarn_particle_surface_set_params(surface, &params);
    if (result == TARN_OK) result = tarn_particle_surface_update(surface, &points, NULL);
    if (result == TARN_OK) result = tarn_particle_surface_mesh(surface, mesh);
    tarn_particle_surface_destroy(surface);
    return result;
}

// From above, in a picture that is not square.
static TarnResult look(TarnContext* ctx, const Golden* golden, TarnMesh* mesh)
{
    (void)golden;
    TarnScreenMeshDef def = tarn_screen_mesh_default_def();
    def.max_particles = POINTS, def.max_width = 200, def.max_height = 120;
    TarnScreenMeshParams params = tarn_screen_mesh_default_params();
    params.radius = 0.1f, params.layers = 2, params.filter = 6;
    TarnScreenCamera camera = {
        .view = { 1, 0, 0, 0, 0, 0.8f, 0.6f, 0, 0, -0.6f, 0.8f, 0, -0.6f, 0.1f, -2.5f, 1 },
        .projection = { 1.2f, 0, 0, 0, 0, 2, 0, 0, 0, 0, -1, -1, 0, 0, -1, 0 },
        .width = 200,
        .height = 120
    };
    TarnScreenMesh* screen;
    TarnResult result = tarn_screen_mesh_create(ctx, &def, &screen);
    if (result != TARN_OK) return result;
    TarnPoints points = make_points();
    result = tarn_screen_mesh_run(screen, &points, &camera, &params, mesh, NULL);
    tarn_screen_mesh_destroy(screen);
    return result;
}

// ---- Height fields ------------------------------------------------------------------------------

// Waves of parabolas over a bed that rises out of them.
static void query(const void* self, int n, const float* x, const float* z,
                  const TarnSurfaceSamples* out)
{
    (void)self;
    for (int p = 0; p < n; ++p) {
        float u = x[p] - floorf(x[p]) - 0.5f, v = z[p] - floorf(z[p]) - 0.5f;
        float height = 0.4f * (u * u - v * v), bed = 0.05f * (x[p] + 0.7f * z[p]) - 0.8f;
        float slope_x = 0.8f * u, slope_z = -0.8f * v;
        float inverse = 1.0f / sqrtf(1.0f + slope_x * slope_x + slope_z * slope_z);
        if (out->height) out->height[p] = height;
        if (out->depth) out->depth[p] = height > bed ? height - bed : 0.0f;
        if (out->normal)
            out->normal[p] = (TarnVec3){ -slope_x * inverse, inverse, -slope_z * inverse };
        if (out->velocity) out->velocity[p] = (TarnVec3){ u, 0.0f, v };
    }
}

static TarnResult ring(TarnContext* ctx, const Golden* golden, TarnMesh* mesh)
{
    (void)golden;
    TarnHeightMeshDef def = tarn_height_mesh_default_def();
    def.cells = 32, def.levels = 4;
    TarnHeightMeshSource source = tarn_height_mesh_default_source();
    source.surface.query = query;
    source.min = (TarnVec2){ -10.3f, -20.1f }, source.max = (TarnVec2){ 30.7f, 25.9f };
    source.cell = 0.3f, source.skirt = 1.0f;
    source.camera = (TarnVec3){ 3.3f, 2.0f, 4.1f };
    TarnHeightMesh* heights;
    TarnResult result = tarn_height_mesh_create(ctx, &def, &heights);
    if (result != TARN_OK) return result;
    result = tarn_height_mesh_run(heights, &source, mesh);
    tarn_height_mesh_destroy(heights);
    return result;
}

// ---- Hashes -------------------------------------------------------------------------------------

static const Golden golden[] = {
    { .name = "ball", .fill = march, .hash = 0xb8ab1ba601a22743 },
    { .name = "ball, snapped", .fill = march, .hash = 0x3f392e06326ba0ef, .snap = 0.3f },
    { .name = "noise, open", .fill = march, .hash = 0x4bc7c1cfe43af82f, .is_noise = true },
    { .name = "noise, closed",
      .fill = march,
      .hash = 0x51e491c607dc6c69,
      .is_noise = true,
      .is_closed = true },
    { .name = "noise, closed, snapped",
      .fill = march,
      .hash = 0x53093c0aec74b782,
      .is_noise = true,
      .is_closed = true,
      .snap = 0.2f },
    { .name = "ball in blocks", .fill = march, .hash = 0x8b3b9532e542a48d, .is_sparse = true },
    { .name = "noise in blocks",
      .fill = march,
      .hash = 0x98b514b97a2132a2,
      .is_noise = true,
      .is_sparse = true },
    { .name = "noise in blocks, snapped",
      .fill = march,
      .hash = 0x7434dc716aac3e80,
      .is_noise = true,
      .is_sparse = true,
      .snap = 0.4f },
    { .name = "particles, density",
      .fill = cover,
      .hash = 0x222b8540bc777993,
      .method = TARN_PARTICLE_SURFACE_DENSITY },
    { .name = "particles, zhu_bridson",
      .fill = cover,
      .hash = 0xe8f2730764627355,
      .method = TARN_PARTICLE_SURFACE_ZHU_BRIDSON },
    { .name = "particles, anisotropic, snapped",
      .fill = cover,
      .hash = 0xacdc14187729d307,
      .method = TARN_PARTICLE_SURFACE_ANISOTROPIC,
      .snap = 0.3f },
    { .name = "particles on a screen", .fill = look, .hash = 0x0e3b65392f1797ce },
    { .name = "height field", .fill = ring, .hash = 0xf77a76dc0325df5a },
};

// Counts first, then takes exactly that much room.
static uint64_t hash_of(TarnContext* ctx, int g)
{
    TarnMesh mesh = { 0 };
    TarnResult result = TARN_OK;
    for (int pass = 0; pass < 2 && result == TARN_OK; ++pass) {
        size_t v = (size_t)mesh.n_vertices + 1;
        if (pass == 1) {
            mesh.max_vertices = mesh.n_vertices, mesh.max_triangles = mesh.n_triangles;
            mesh.position = malloc(v * sizeof(TarnVec3));
            mesh.normal = malloc(v * sizeof(TarnVec3));
            if (golden[g].fill != march) mesh.velocity = malloc(v * sizeof(TarnVec3));
            mesh.index = malloc(((size_t)mesh.n_triangles + 1) * 3 * sizeof(uint32_t));
        }
        result = golden[g].fill(ctx, &golden[g], &mesh);
    }
    uint64_t hash = result == TARN_OK && mesh.n_triangles > 0 ? tarn_mesh_hash(&mesh) : 0;
    if (result != TARN_OK) printf("%s: %s\n", golden[g].name, tarn_last_error(ctx));
    free(mesh.position), free(mesh.normal), free(mesh.velocity), free(mesh.index);
    return hash;
}

static int check(int g, int workers, TarnIsa isa)
{
    TarnContextDef def = tarn_context_default_def();
    def.workers = workers, def.isa = isa;
    TarnContext* ctx;
    TarnResult result = tarn_context_create(&def, &ctx);
    if (result == TARN_ERR_UNSUPPORTED) return 0;
    if (result != TARN_OK) return 1;
    unsigned long long hash = hash_of(ctx, g);
    tarn_context_destroy(ctx);
    if (hash == golden[g].hash && hash != 0) return 0;
    printf("%s: %d workers, %s: 0x%016llx, expected 0x%016llx\n", golden[g].name, workers,
           tarn_isa_name(isa), hash, golden[g].hash);
    return 1;
}

int main(void)
{
    int bad = 0, n = (int)(sizeof golden / sizeof golden[0]);
    for (int g = 0; g < n; ++g) {
        bad += check(g, 1, TARN_ISA_BASELINE);
#if !defined(__EMSCRIPTEN__)
        for (int isa = TARN_ISA_AVX2; isa < TARN_ISA_COUNT; ++isa) bad += check(g, 3, (TarnIsa)isa);
#endif
    }
    printf("%d of %d meshes with other bits\n", bad, n);
    return bad != 0;
}
