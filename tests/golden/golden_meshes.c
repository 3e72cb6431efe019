// Golden hashes of meshes of marching cubes: the same bits for any number of workers, instruction set and compiler,
// also as WebAssembly. Plain main, as golden_scenes.c. A commit that changes bits says [HASH] and writes the new ones.

#include "tarn/mesh.h"
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

// Counts first, then takes exactly that much room.
static uint64_t hash_of(TarnMarching* m, bool is_sparse, const TarnMarchingParams* params)
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
    TarnMesh mesh = { 0 };
    TarnResult result = TARN_OK;
    for (int pass = 0; pass < 2 && result == TARN_OK; ++pass) {
        if (pass == 1) {
            mesh.max_vertices = mesh.n_vertices, mesh.max_triangles = mesh.n_triangles;
            mesh.position = malloc(((size_t)mesh.n_vertices + 1) * sizeof(TarnVec3));
            mesh.normal = malloc(((size_t)mesh.n_vertices + 1) * sizeof(TarnVec3));
            mesh.index = malloc(((size_t)mesh.n_triangles + 1) * 3 * sizeof(uint32_t));
        }
        result = is_sparse ? tarn_marching_run_blocks(m, &blocks, params, &mesh)
                           : tarn_marching_run(m, &field, params, &mesh);
    }
    uint64_t hash = result == TARN_OK ? tarn_mesh_hash(&mesh) : 0;
    free(mesh.position), free(mesh.normal), free(mesh.index);
    return hash;
}

static const struct {
    const char* name;
    bool is_noise, is_sparse, is_closed;
    float snap;
    unsigned long long hash;
} golden[] = {
    { "ball", false, false, false, 0.0f, 0xb8ab1ba601a22743 },
    { "ball, snapped", false, false, false, 0.3f, 0x3f392e06326ba0ef },
    { "noise, open", true, false, false, 0.0f, 0x4bc7c1cfe43af82f },
    { "noise, closed", true, false, true, 0.0f, 0x51e491c607dc6c69 },
    { "noise, closed, snapped", true, false, true, 0.2f, 0x53093c0aec74b782 },
    { "ball in blocks", false, true, false, 0.0f, 0x8b3b9532e542a48d },
    { "noise in blocks", true, true, false, 0.0f, 0x98b514b97a2132a2 },
    { "noise in blocks, snapped", true, true, false, 0.4f, 0x7434dc716aac3e80 },
};

static int check(int g, int workers, TarnIsa isa)
{
    TarnContextDef def = tarn_context_default_def();
    def.workers = workers, def.isa = isa;
    TarnContext* ctx;
    TarnResult result = tarn_context_create(&def, &ctx);
    if (result == TARN_ERR_UNSUPPORTED) return 0;
    TarnMarchingDef marching_def = tarn_marching_default_def();
    marching_def.nx = marching_def.ny = marching_def.nz = N, marching_def.max_blocks = BLOCKS;
    TarnMarching* m = NULL;
    if (result != TARN_OK || tarn_marching_create(ctx, &marching_def, &m) != TARN_OK) return 1;
    TarnMarchingParams params = tarn_marching_default_params();
    params.is_closed = golden[g].is_closed, params.snap = golden[g].snap;
    unsigned long long hash = hash_of(m, golden[g].is_sparse, &params);
    tarn_marching_destroy(m);
    tarn_context_destroy(ctx);
    if (hash == golden[g].hash) return 0;
    printf("%s: %d workers, %s: 0x%016llx, expected 0x%016llx\n", golden[g].name, workers,
           tarn_isa_name(isa), hash, golden[g].hash);
    return 1;
}

int main(void)
{
    int bad = 0, n = (int)(sizeof golden / sizeof golden[0]);
    for (int g = 0; g < n; ++g) {
        make_field(golden[g].is_noise);
        bad += check(g, 1, TARN_ISA_BASELINE);
#if !defined(__EMSCRIPTEN__)
        bad += check(g, 3, TARN_ISA_AVX2);
#endif
    }
    printf("%d of %d meshes with other bits\n", bad, n);
    return bad != 0;
}
