// libFuzzer target for mesh files. The first byte chooses how the rest is used:
//   0  as an .obj file
//   1  as a .ply file
//   2  as a .glb file
//   3  as the text of a .glb, up to a zero, and its data: lengths are set right, so that what lies behind them is
//      reached
// Refused: a sentence, and no buffer is touched. Read: all is finite, indices have vertices, and the mesh is the
// same after writing and reading it once more.

#include "base/base.h"
#include "tarn/mesh_file.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

enum { ROOM = 2048 };

typedef struct Arrays {
    TarnVec3 position[ROOM], normal[ROOM], velocity[ROOM];
    float attribute[ROOM * TARN_MESH_MAX_ATTRIBUTES];
    uint32_t index[3 * ROOM];
} Arrays;

static Arrays first, second;

static void require(bool condition)
{
    if (!condition) abort();
}

static TarnMesh mesh_in(Arrays* a)
{
    return (TarnMesh){
        a->position, a->normal, a->velocity, a->attribute, a->index, TARN_MESH_MAX_ATTRIBUTES, ROOM,
        ROOM,        0,         0,           NULL
    };
}

static void write_again(TarnContext* ctx, const TarnMesh* mesh, TarnMeshFormat format)
{
    size_t size, vertices = (size_t)mesh->n_vertices * sizeof(TarnVec3);
    require(tarn_mesh_write(ctx, mesh, format, NULL, 0, &size) == TARN_ERR_CAPACITY);
    void* bytes = malloc(size);
    require(tarn_mesh_write(ctx, mesh, format, bytes, size, &size) == TARN_OK);
    TarnMesh back = mesh_in(&second);
    require(tarn_mesh_read(ctx, bytes, size, NULL, format, &back, NULL) == TARN_OK);
    free(bytes);
    if (format == TARN_MESH_GLB && mesh->n_triangles == 0) return; // it has no place for points
    require(back.n_vertices == mesh->n_vertices && back.n_triangles == mesh->n_triangles);
    require(memcmp(first.position, second.position, vertices) == 0);
    require(memcmp(first.index, second.index, 12 * (size_t)mesh->n_triangles) == 0);
    if (format != TARN_MESH_OBJ) require(memcmp(first.velocity, second.velocity, vertices) == 0);
}

static void try_file(TarnContext* ctx, const uint8_t* bytes, size_t size, TarnMeshFormat format)
{
    TarnMesh mesh = mesh_in(&first);
    TarnMeshInfo info;
    memset(&first, 0x55, sizeof first);
    TarnResult result = tarn_mesh_read(ctx, bytes, size, NULL, format, &mesh, &info);
    if (result != TARN_OK) {
        const uint8_t* byte = (const uint8_t*)&first;
        for (size_t i = 0; i < sizeof first; ++i) require(byte[i] == 0x55);
        require(tarn_last_error(ctx)[0] != '\0');
        require(result == TARN_ERR_CAPACITY || (mesh.n_vertices == 0 && info.n_vertices == 0));
        return;
    }
    size_t n = (size_t)mesh.n_vertices;
    require(tarn__all_within(first.position, 3 * n, 3.4028235e38f));
    require(tarn__all_within(first.normal, 3 * n, 3.4028235e38f));
    require(tarn__all_within(first.velocity, 3 * n, 3.4028235e38f));
    require(tarn__all_within(first.attribute, TARN_MESH_MAX_ATTRIBUTES * n, 3.4028235e38f));
    for (int i = 0; i < 3 * mesh.n_triangles; ++i)
        require(first.index[i] < (uint32_t)mesh.n_vertices);
    require(info.n_vertices == mesh.n_vertices && info.n_attributes <= TARN_MESH_MAX_ATTRIBUTES);
    write_again(ctx, &mesh, format);
}

static void try_glb(TarnContext* ctx, const uint8_t* data, size_t size)
{
    const uint8_t* zero = memchr(data, 0, size);
    size_t text = zero ? (size_t)(zero - data) : size, bin = zero ? size - text - 1 : 0;
    size_t whole = 28 + text + bin;
    uint8_t* bytes = malloc(whole);
    uint32_t head[5] = { 0x46546c67, 2, (uint32_t)whole, (uint32_t)text, 0x4e4f534a };
    uint32_t next[2] = { (uint32_t)bin, 0x004e4942 };
    memcpy(bytes, head, sizeof head);
    memcpy(bytes + 20, data, text);
    memcpy(bytes + 20 + text, next, sizeof next);
    if (bin > 0) memcpy(bytes + 28 + text, zero + 1, bin);
    try_file(ctx, bytes, whole, TARN_MESH_GLB);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static TarnContext* ctx;
    TarnContextDef context = tarn_context_default_def();
    if (ctx == NULL) require(tarn_context_create(&context, &ctx) == TARN_OK);
    if (size == 0) return 0;
    int how = data[0] % 4;
    if (how == 3)
        try_glb(ctx, data + 1, size - 1);
    else
        try_file(ctx, data + 1, size - 1, (TarnMeshFormat)how);
    return 0;
}
