// Mesh files: a torus of 98,000 triangles with normals, velocities and one attribute to memory and back.

#include "bench/bench.h"
#include <math.h>
#include <stdlib.h>

enum { AROUND = 350, ACROSS = 140, VERTICES = AROUND * ACROSS, TRIANGLES = 2 * VERTICES };

typedef struct FileBench {
    TarnContext* ctx;
    TarnMesh mesh;
    TarnMeshFormat format;
    void* bytes;
    size_t size;
    bool is_good;
} FileBench;

static TarnMesh make_buffers(void)
{
    return (TarnMesh){ .position = malloc(VERTICES * sizeof(TarnVec3)),
                       .normal = malloc(VERTICES * sizeof(TarnVec3)),
                       .velocity = malloc(VERTICES * sizeof(TarnVec3)),
                       .attribute = malloc(VERTICES * sizeof(float)),
                       .index = malloc(TRIANGLES * 3 * sizeof(uint32_t)),
                       .n_attributes = 1,
                       .max_vertices = VERTICES,
                       .max_triangles = TRIANGLES,
                       .n_vertices = VERTICES,
                       .n_triangles = TRIANGLES };
}

static void fill_torus(TarnMesh* mesh)
{
    for (uint32_t v = 0; v < VERTICES; ++v) {
        uint32_t i = v / ACROSS, j = v % ACROSS;
        float a = 6.2831853f * (float)i / AROUND, b = 6.2831853f * (float)j / ACROSS;
        TarnVec3 n = { cosf(a) * cosf(b), sinf(b), sinf(a) * cosf(b) };
        mesh->normal[v] = n;
        mesh->position[v] = (TarnVec3){ cosf(a) + 0.3f * n.x, 0.3f * n.y, sinf(a) + 0.3f * n.z };
        mesh->velocity[v] = (TarnVec3){ -n.z, 0.1f * n.y, n.x };
        mesh->attribute[v] = b;
        uint32_t right = (i + 1) % AROUND * ACROSS + j, up = i * ACROSS + (j + 1) % ACROSS;
        uint32_t both = (i + 1) % AROUND * ACROSS + (j + 1) % ACROSS;
        uint32_t corners[6] = { v, up, both, v, both, right };
        for (int c = 0; c < 6; ++c) mesh->index[6 * v + (uint32_t)c] = corners[c];
    }
}

static void write_file(void* data)
{
    FileBench* b = data;
    b->is_good &=
        tarn_mesh_write(b->ctx, &b->mesh, b->format, b->bytes, b->size, &b->size) == TARN_OK;
}

static void read_file(void* data)
{
    FileBench* b = data;
    b->is_good &=
        tarn_mesh_read(b->ctx, b->bytes, b->size, NULL, b->format, &b->mesh, NULL) == TARN_OK;
}

void bench_mesh_file(BenchRun* run)
{
    static const char* const names[3][2] = { { "mesh_file.obj.write", "mesh_file.obj.read" },
                                             { "mesh_file.ply.write", "mesh_file.ply.read" },
                                             { "mesh_file.glb.write", "mesh_file.glb.read" } };
    FileBench b = { .ctx = bench_context(1), .is_good = true };
    b.mesh = make_buffers();
    fill_torus(&b.mesh);
    for (int f = 0; f < 3; ++f) {
        b.format = (TarnMeshFormat)f;
        if (!bench_wants(run, names[f][0]) && !bench_wants(run, names[f][1])) continue;
        tarn_mesh_write(b.ctx, &b.mesh, b.format, NULL, 0, &b.size);
        b.bytes = malloc(b.size);
        double per = (double)b.size / TRIANGLES;
        write_file(&b);
        for (int r = 0; r < 2; ++r) {
            if (!bench_wants(run, names[f][r])) continue;
            double seconds = bench_best(run->is_quick ? 2 : 5, r == 0 ? write_file : read_file, &b);
            bench_rate(run, names[f][r], 1, seconds, TRIANGLES, "triangle", per, 0);
            bench_note(run, "%.1f MB, %.0f MB/s%s", (double)b.size * 1e-6,
                       (double)b.size * 1e-6 / seconds, b.is_good ? "" : ", FAILED");
        }
        free(b.bytes);
    }
    free(b.mesh.position);
    free(b.mesh.normal);
    free(b.mesh.velocity);
    free(b.mesh.attribute);
    free(b.mesh.index);
    tarn_context_destroy(b.ctx);
}
