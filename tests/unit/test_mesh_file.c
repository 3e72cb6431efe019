// Mesh files: what is written against the formats byte by byte, back and forth to the same bits, files of others,
// damage, films.

#include "counting.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include "base/base.h"
#include "tarn/mesh_file.h"

#define TEST(name)                      cmocka_unit_test_setup_teardown(name, begin, end)

#define assert_ok(call)                 assert_result(call, TARN_OK, "")
#define assert_result(call, code, word) check_result(call, code, word, __FILE__, __LINE__)
static void check_result(TarnResult result, TarnResult code, const char* word, const char* file,
                         int line)
{
    if (result == code && (code == TARN_OK || strstr(tarn_last_error(ctx), word))) return;
    print_error("gave %s, not %s, and says '%s', not '%s'\n", tarn_result_name(result),
                tarn_result_name(code), tarn_last_error(ctx), word);
    _fail(file, line);
}

// ---- Meshes --------------------------------------------------------------------------------------

enum { ROOM = 512, ATTRIBUTES = 3 };

typedef struct Arrays {
    TarnVec3 position[ROOM], normal[ROOM], velocity[ROOM];
    float attribute[ROOM * ATTRIBUTES];
    uint32_t index[3 * ROOM];
} Arrays;

static TarnMesh mesh_in(Arrays* a, int vertices, int triangles)
{
    return (TarnMesh){ .position = a->position,
                       .normal = a->normal,
                       .velocity = a->velocity,
                       .attribute = a->attribute,
                       .index = a->index,
                       .n_attributes = ATTRIBUTES,
                       .max_vertices = ROOM,
                       .max_triangles = ROOM,
                       .n_vertices = vertices,
                       .n_triangles = triangles };
}

static uint64_t random_at;
static float any_float(void) // of any size, with a few that are hard to write
{
    static const float hard[] = { -0.0f, 0.0f,   FLT_MAX,     -FLT_MAX,    FLT_MIN, 1e-45f,
                                  0.1f,  1e-10f, 16777217.0f, 1.0f / 3.0f, 1e30f,   -8.5e-39f };
    uint32_t bits = tarn__random(3, 1, random_at++);
    float value;
    if (bits % 8 == 0) return hard[bits / 8 % 12];
    if (bits % 2 == 0) return (float)(bits % 2000001) * 1e-4f - 100.0f;
    memcpy(&value, &bits, sizeof value);
    return tarn__is_finite(value) ? value : 1.5f;
}

static TarnMesh random_mesh(Arrays* a, int vertices, int triangles)
{
    static const char* const names[ATTRIBUTES] = { "depth", "foam", "heat_2" };
    for (int v = 0; v < vertices; ++v) {
        float u = 0.01f * (float)v, s = sinf(u), c = cosf(u);
        a->position[v] = (TarnVec3){ any_float(), any_float(), any_float() };
        a->normal[v] = (TarnVec3){ s * c, s * s, c };
        a->velocity[v] = (TarnVec3){ any_float(), any_float(), any_float() };
        for (int i = 0; i < ATTRIBUTES; ++i) a->attribute[v * ATTRIBUTES + i] = any_float();
    }
    for (int i = 0; i < 3 * triangles;
         ++i) { // each vertex is a corner: of an .obj only those have normals
        uint32_t any = tarn__random(4, 1, random_at++) % (uint32_t)vertices;
        a->index[i] = i < vertices ? (uint32_t)i : any;
    }
    TarnMesh mesh = mesh_in(a, vertices, triangles);
    mesh.attribute_names = names;
    return mesh;
}

static TarnMesh tetrahedron(Arrays* a)
{
    static const TarnVec3 p[4] = { { 0, 0, 0 }, { 1, 0, 0 }, { 0, 0.5f, 0 }, { 0, 0, -0.1f } };
    static const uint32_t index[12] = { 0, 1, 2, 0, 2, 3, 0, 3, 1, 1, 3, 2 };
    memcpy(a->position, p, sizeof p);
    memcpy(a->index, index, sizeof index);
    for (int v = 0; v < 4; ++v) {
        a->normal[v] = (TarnVec3){ 0, 1, 0 };
        a->velocity[v] = (TarnVec3){ (float)v, -2, 0 };
        a->attribute[v] = 0.25f * (float)v;
    }
    TarnMesh mesh = mesh_in(a, 4, 4);
    mesh.n_attributes = 1;
    return mesh;
}

static uint8_t* written(const TarnMesh* mesh, TarnMeshFormat format, size_t* size)
{
    assert_result(tarn_mesh_write(ctx, mesh, format, NULL, 0, size), TARN_ERR_CAPACITY, "needed");
    uint8_t* bytes = malloc(*size + 1); // and a zero, for strstr
    size_t again;
    assert_ok(tarn_mesh_write(ctx, mesh, format, bytes, *size, &again));
    assert_int_equal(again, *size);
    bytes[*size] = 0;
    return bytes;
}

// ---- What is written, byte by byte ---------------------------------------------------------------

static void test_obj_text(void** state)
{
    (void)state;
    static Arrays a;
    static const char expected[] =
        "# Tarn 0.1.0: meters, y is up\no surface\n"
        "v 0 0 0\nv 1 0 0\nv 0 0.5 0\nv 0 0 -0.1\n"
        "vn 0 1 0\nvn 0 1 0\nvn 0 1 0\nvn 0 1 0\n"
        "f 1//1 2//2 3//3\nf 1//1 3//3 4//4\nf 1//1 4//4 2//2\nf 2//2 4//4 3//3\n";
    TarnMesh mesh = tetrahedron(&a);
    size_t size;
    uint8_t* bytes = written(&mesh, TARN_MESH_OBJ, &size);
    assert_string_equal((char*)bytes, expected);
    free(bytes);
    mesh.normal = NULL;
    bytes = written(&mesh, TARN_MESH_OBJ, &size);
    assert_non_null(strstr((char*)bytes, "v 0 0 -0.1\nf 1 2 3\n"));
    free(bytes);
}

static void test_ply_bytes(void** state)
{
    (void)state;
    static Arrays a;
    static const char header[] = "ply\nformat binary_little_endian 1.0\n"
                                 "comment Tarn 0.1.0: meters, y is up\nelement vertex 4\n"
                                 "property float x\nproperty float y\nproperty float z\n"
                                 "property float nx\nproperty float ny\nproperty float nz\n"
                                 "property float vx\nproperty float vy\nproperty float vz\n"
                                 "property float attribute_0\n"
                                 "element face 4\nproperty list uchar int vertex_indices\n"
                                 "end_header\n";
    // Vertex 3: 0 0 -0.1, 0 1 0, 3 -2 0, 0.75; then the first face.
    static const uint8_t end[] = { 0,    0, 0, 0, 0,    0,    0,    0,    0xcd, 0xcc, 0xcc,
                                   0xbd, 0, 0, 0, 0,    0,    0,    0x80, 0x3f, 0,    0,
                                   0,    0, 0, 0, 0x40, 0x40, 0,    0,    0,    0xc0, 0,
                                   0,    0, 0, 0, 0,    0x40, 0x3f, 3,    0,    0,    0,
                                   0,    1, 0, 0, 0,    2,    0,    0,    0 };
    TarnMesh mesh = tetrahedron(&a);
    size_t size, n = sizeof header - 1;
    uint8_t* bytes = written(&mesh, TARN_MESH_PLY, &size);
    assert_int_equal(size, n + 4 * 40 + 4 * 13);
    assert_memory_equal(bytes, header, n);
    assert_memory_equal(bytes + n + 3 * 40, end, sizeof end);
    free(bytes);
}

static uint32_t word(const uint8_t* bytes)
{
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void test_glb_bytes(void** state)
{
    (void)state;
    static Arrays a;
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Tarn 0.1.0\"},"
        "\"nodes\":[{\"name\":\"surface\",\"mesh\":0}],"
        "\"meshes\":[{\"name\":\"surface\",\"primitives\":[{\"attributes\":{\"POSITION\":0,"
        "\"NORMAL\":1,"
        "\"_VELOCITY\":2,\"_ATTRIBUTE_0\":3},\"indices\":4,\"material\":0}]}],"
        "\"materials\":[{\"name\":\"water\",\"doubleSided\":true,\"pbrMetallicRoughness\":{"
        "\"baseColorFactor\":[0.55,0.8,0.87,1],\"metallicFactor\":0,\"roughnessFactor\":0.05},"
        "\"extensions\":{\"KHR_materials_ior\":{\"ior\":1.333},"
        "\"KHR_materials_transmission\":{\"transmissionFactor\":0.9}}}],"
        "\"extensionsUsed\":[\"KHR_materials_ior\",\"KHR_materials_transmission\"],"
        "\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\","
        "\"min\":[0,0,-0.1],\"max\":[1,0.5,0]},"
        "{\"bufferView\":1,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
        "{\"bufferView\":2,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
        "{\"bufferView\":3,\"byteOffset\":0,\"componentType\":5126,\"count\":4,\"type\":\"SCALAR\"}"
        ","
        "{\"bufferView\":4,\"componentType\":5125,\"count\":12,\"type\":\"SCALAR\"}],"
        "\"bufferViews\":["
        "{\"buffer\":0,\"byteOffset\":0,\"byteLength\":48,\"target\":34962},"
        "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":48,\"target\":34962},"
        "{\"buffer\":0,\"byteOffset\":96,\"byteLength\":48,\"target\":34962},"
        "{\"buffer\":0,\"byteOffset\":144,\"byteLength\":16,\"byteStride\":4,\"target\":34962},"
        "{\"buffer\":0,\"byteOffset\":160,\"byteLength\":48,\"target\":34963}],"
        "\"buffers\":[{\"byteLength\":208}],\"scenes\":[{\"nodes\":[0]}],\"scene\":0}";
    TarnMesh mesh = tetrahedron(&a);
    size_t size, n = sizeof json - 1, padded = (n + 3) / 4 * 4;
    uint8_t* bytes = written(&mesh, TARN_MESH_GLB, &size);
    assert_memory_equal(bytes, "glTF\2\0\0\0", 8);
    assert_int_equal(word(bytes + 8), size);
    assert_int_equal(word(bytes + 12), padded);
    assert_memory_equal(bytes + 16, "JSON", 4);
    assert_memory_equal(bytes + 20, json, n);
    for (size_t i = n; i < padded; ++i) assert_int_equal(bytes[20 + i], ' ');
    const uint8_t* bin = bytes + 20 + padded;
    assert_int_equal(word(bin), 208);
    assert_memory_equal(bin + 4, "BIN", 4);
    assert_int_equal(size, 28 + padded + 208);
    assert_memory_equal(bin + 8, a.position, 48);
    assert_memory_equal(bin + 8 + 48, a.normal, 48);
    assert_memory_equal(bin + 8 + 96, a.velocity, 48);
    assert_memory_equal(bin + 8 + 144, a.attribute, 16);
    assert_memory_equal(bin + 8 + 160, a.index, 48);
    free(bytes);
}

// ---- Back and forth ------------------------------------------------------------------------------

static void assert_back(const TarnMesh* mesh, TarnMeshFormat format, const TarnMesh* back)
{
    size_t n = (size_t)mesh->n_vertices;
    assert_int_equal(back->n_vertices, mesh->n_vertices);
    assert_int_equal(back->n_triangles, mesh->n_triangles);
    assert_memory_equal(back->position, mesh->position, n * sizeof(TarnVec3));
    assert_memory_equal(back->normal, mesh->normal, n * sizeof(TarnVec3));
    assert_memory_equal(back->index, mesh->index, 12 * (size_t)mesh->n_triangles);
    if (format == TARN_MESH_OBJ) return;
    assert_memory_equal(back->velocity, mesh->velocity, n * sizeof(TarnVec3));
    assert_memory_equal(back->attribute, mesh->attribute, n * ATTRIBUTES * sizeof(float));
}

static void test_same_bits(void** state)
{
    (void)state;
    static Arrays a, b;
    static const int sizes[][2] = { { 500, 400 }, { 3, 1 }, { 100, 500 } };
    for (int f = 0; f < 3; ++f) {
        for (int s = 0; s < 3; ++s) {
            TarnMesh mesh = random_mesh(&a, sizes[s][0], sizes[s][1]), back = mesh_in(&b, 0, 0);
            TarnMeshInfo info;
            size_t size;
            uint8_t* bytes = written(&mesh, (TarnMeshFormat)f, &size);
            memset(&b, 0x55, sizeof b);
            assert_ok(tarn_mesh_read(ctx, bytes, size, NULL, (TarnMeshFormat)f, &back, &info));
            assert_back(&mesh, (TarnMeshFormat)f, &back);
            assert_true(info.has_normal && info.has_velocity == (f != TARN_MESH_OBJ));
            assert_int_equal(info.n_attributes, f == TARN_MESH_OBJ ? 0 : ATTRIBUTES);
            if (f != TARN_MESH_OBJ) assert_string_equal(info.attribute_name[2], "heat_2");
            // Twice the same bytes.
            size_t again;
            back.attribute_names = mesh.attribute_names;
            if (f == TARN_MESH_OBJ) back.velocity = NULL, back.attribute = NULL;
            uint8_t* second = written(&back, (TarnMeshFormat)f, &again);
            assert_int_equal(again, size);
            assert_memory_equal(second, bytes, size);
            free(second);
            free(bytes);
        }
    }
}

static void test_less_and_empty(void** state)
{
    (void)state;
    static Arrays a, b;
    for (int f = 0; f < 3; ++f) {
        TarnMesh mesh = tetrahedron(&a), back = mesh_in(&b, 0, 0);
        mesh.normal = mesh.velocity = NULL;
        mesh.attribute = NULL;
        size_t size;
        TarnMeshInfo info;
        uint8_t* bytes = written(&mesh, (TarnMeshFormat)f, &size);
        memset(&b, 0x55, sizeof b);
        assert_ok(tarn_mesh_read(ctx, bytes, size, NULL, (TarnMeshFormat)f, &back, &info));
        assert_true(!info.has_normal && !info.has_velocity && info.n_attributes == 0);
        assert_memory_equal(b.position, a.position, 48);
        for (int v = 0; v < 4; ++v) // what is not there is 0
            assert_true(b.normal[v].x == 0 && b.velocity[v].y == 0 && b.attribute[3 * v + 2] == 0);
        // Nothing is asked for: counts only.
        TarnMesh none = { 0 };
        assert_ok(tarn_mesh_read(ctx, bytes, size, NULL, (TarnMeshFormat)f, &none, NULL));
        assert_int_equal(none.n_triangles, 4);
        free(bytes);
        TarnMesh empty = mesh_in(&a, 0, 0);
        bytes = written(&empty, (TarnMeshFormat)f, &size);
        assert_ok(tarn_mesh_read(ctx, bytes, size, NULL, (TarnMeshFormat)f, &back, &info));
        assert_true(back.n_vertices == 0 && back.n_triangles == 0);
        free(bytes);
    }
}

static void test_capacity(void** state)
{
    (void)state;
    static Arrays a, b, untouched;
    memset(&untouched, 0x55, sizeof untouched);
    for (int f = 0; f < 3; ++f) {
        TarnMesh mesh = random_mesh(&a, 50, 60), back = mesh_in(&b, 7, 7);
        size_t size;
        uint8_t* bytes = written(&mesh, (TarnMeshFormat)f, &size);
        for (int narrow = 0; narrow < 2; ++narrow) {
            b = untouched;
            back.max_vertices = narrow ? 49 : 50, back.max_triangles = narrow ? 60 : 59;
            assert_result(tarn_mesh_read(ctx, bytes, size, NULL, (TarnMeshFormat)f, &back, NULL),
                          TARN_ERR_CAPACITY, "room for");
            assert_true(back.n_vertices == 50 && back.n_triangles == 60);
            assert_memory_equal(&b, &untouched, sizeof b);
        }
        size_t needed;
        uint8_t* small = malloc(size);
        assert_result(tarn_mesh_write(ctx, &mesh, (TarnMeshFormat)f, small, size - 1, &needed),
                      TARN_ERR_CAPACITY, "needed");
        assert_int_equal(needed, size);
        free(small);
        free(bytes);
    }
}

// ---- Files of others -----------------------------------------------------------------------------

static TarnResult read_text(TarnMeshFormat format, const char* text, TarnMesh* mesh,
                            TarnMeshInfo* info)
{
    size_t n = strlen(text);
    char* exact = malloc(n + 1); // so that reading behind it is found
    memcpy(exact, text, n);
    char* bytes = realloc(exact, n > 0 ? n : 1);
    TarnResult result = tarn_mesh_read(ctx, bytes, n, NULL, format, mesh, info);
    free(bytes);
    return result;
}

static void assert_indices(const TarnMesh* mesh, const uint32_t* expected, int n_triangles)
{
    assert_int_equal(mesh->n_triangles, n_triangles);
    assert_memory_equal(mesh->index, expected, 12 * (size_t)n_triangles);
}

static void test_obj_of_others(void** state)
{
    (void)state;
    static Arrays a;
    TarnMesh mesh = mesh_in(&a, 0, 0);
    TarnMeshInfo info;
    assert_ok(read_text(TARN_MESH_OBJ,
                        "# words\r\nmtllib x.mtl\r\no cube\r\nv 0 0 0 1 0 0\r\n v\t1. .5 +2e0 \r\n"
                        "v 1 1 0\nvt 0 0\nvn 0 0 1\nvn 1 0 \\\n 0\ns off\n\n"
                        "f -3/1/-1 2/1/1 3/1/2\nv 4 5 6\nl 1 2\nf 1 2 3 4\nf 1/1 2/1 -1/1",
                        &mesh, &info));
    static const uint32_t expected[] = { 0, 1, 2, 0, 1, 2, 0, 2, 3, 0, 1, 3 };
    assert_indices(&mesh, expected, 4);
    assert_int_equal(mesh.n_vertices, 4);
    assert_true(a.position[1].x == 1 && a.position[1].y == 0.5f && a.position[1].z == 2);
    assert_true(a.normal[0].x == 1 && a.normal[1].z == 1 && a.normal[2].x == 1);
    assert_true(info.has_normal && !info.has_velocity);
}

static void test_ply_of_others(void** state)
{
    (void)state;
    static Arrays a, b;
    TarnMesh mesh = mesh_in(&a, 0, 0), other = mesh_in(&b, 0, 0);
    TarnMeshInfo info;
    // Text: another order, lists and elements in between, a quad, colors as attributes.
    static const char text[] =
        "ply\r\nformat ascii 1.0\r\ncomment by hand\r\nelement camera 1\nproperty float fov\n"
        "property list uchar int ids\nelement vertex 4\nproperty uchar red\nproperty double z\n"
        "property float32 y\nproperty list uint8 float32 weights\nproperty float x\n"
        "property float nx\nelement face 2\nproperty uchar flags\n"
        "property list uchar uint vertex_index\nelement none 99999999\nend_header\n"
        "50 2 7 8\n255 0 0 1 0.5 0 9\n0 0 0 0 1 9\n 0 0 1\n0 1 9\n7 -0.5 1 2 1 2 0 9\n"
        "1 4 0 1 2 3\n1 3 0 2 3\n";
    assert_ok(read_text(TARN_MESH_PLY, text, &mesh, &info));
    static const uint32_t expected[] = { 0, 1, 2, 0, 2, 3, 0, 2, 3 };
    assert_indices(&mesh, expected, 3);
    assert_true(a.position[3].z == -0.5f && a.position[1].x == 1 && a.position[3].y == 1);
    assert_true(info.n_attributes == 1 && !info.has_normal);
    assert_string_equal(info.attribute_name[0], "red");
    assert_true(a.attribute[0] == 255 && a.attribute[9] == 7);
    // Big endian: x y z of short, a face of ushort.
    static const char head[] = "ply\nformat binary_big_endian 1.0\nelement vertex 3\n"
                               "property short x\nproperty short y\nproperty short z\n"
                               "element face 1\nproperty list int ushort vertex_indices\n"
                               "end_header\n";
    static const uint8_t data[] = { 0, 1, 0xff, 0xfe, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                    0, 2, 0,    0,    0, 0, 0, 3, 0, 2, 0, 1, 0, 0 };
    uint8_t* bytes = malloc(sizeof head - 1 + sizeof data);
    memcpy(bytes, head, sizeof head - 1);
    memcpy(bytes + sizeof head - 1, data, sizeof data);
    assert_ok(tarn_mesh_read(ctx, bytes, sizeof head - 1 + sizeof data, NULL, TARN_MESH_PLY, &other,
                             NULL));
    free(bytes);
    assert_true(b.position[0].x == 1 && b.position[0].y == -2 && b.position[0].z == 256);
    static const uint32_t back[] = { 2, 1, 0 };
    assert_indices(&other, back, 1);
}

// A .glb of a text and data, in memory of exactly its size.
static uint8_t* make_glb(const char* json, const void* data, size_t n_data, size_t* size)
{
    size_t n = strlen(json), padded = (n + 3) / 4 * 4;
    *size = 28 + padded + n_data;
    uint8_t* bytes = malloc(*size);
    uint32_t head[5] = { 0x46546c67, 2, (uint32_t)*size, (uint32_t)padded, 0x4e4f534a };
    uint32_t second[2] = { (uint32_t)n_data, 0x004e4942 };
    memcpy(bytes, head, 20);
    memset(bytes + 20, ' ', padded);
    memcpy(bytes + 20, json, n);
    memcpy(bytes + 20 + padded, second, 8);
    memcpy(bytes + 28 + padded, data, n_data);
    return bytes;
}

static void test_glb_of_others(void** state)
{
    (void)state;
    static Arrays a;
    TarnMesh mesh = mesh_in(&a, 0, 0);
    TarnMeshInfo info;
    // Positions and a scalar side by side, stride 16; indices of 2 bytes; a second primitive without indices,
    // and without the scalar.
    struct {
        float vertex[4][4];
        uint16_t index[6];
    } data = { { { 0, 0, 0, 5 }, { 1, 0, 0, 6 }, { 0, 1, 0, 7 }, { 0, 0, 1, 8 } },
               { 0, 1, 2, 2, 1, 3 } };
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":76}],\"bufferViews\":["
        "{\"buffer\":0,\"byteLength\":64,\"byteStride\":16},"
        "{\"buffer\":0,\"byteOffset\":64,\"byteLength\":12}],\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
        "{\"bufferView\":0,\"byteOffset\":12,\"componentType\":5126,\"count\":4,\"type\":"
        "\"SCALAR\"},"
        "{\"bufferView\":1,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"},"
        "{\"bufferView\":0,\"byteOffset\":16,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}]"
        ","
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"_HEAT\":1,\"POSITION\":0,\"TEXCOORD_0\":0}"
        ","
        "\"indices\":2},{\"attributes\":{\"POSITION\":3}}]}]}";
    size_t size;
    uint8_t* bytes = make_glb(json, &data, sizeof data, &size);
    assert_ok(tarn_mesh_read(ctx, bytes, size, NULL, TARN_MESH_GLB, &mesh, &info));
    free(bytes);
    static const uint32_t expected[] = { 0, 1, 2, 2, 1, 3, 4, 5, 6 };
    assert_indices(&mesh, expected, 3);
    assert_int_equal(mesh.n_vertices, 7);
    assert_true(a.position[3].z == 1 && a.position[4].x == 1);
    assert_true(info.n_meshes == 1 && info.n_attributes == 1);
    assert_string_equal(info.attribute_name[0], "heat");
    assert_true(a.attribute[0] == 5 && a.attribute[9] == 8 && a.attribute[12] == 0);
}

// A mesh of nothing, in a file that is only text.
static void test_glb_without_data(void** state)
{
    (void)state;
    static Arrays a;
    TarnMesh mesh = mesh_in(&a, 0, 0);
    static const char json[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":0}],\"bufferViews\":["
        "{\"buffer\":0,\"byteLength\":0}],\"accessors\":["
        "{\"bufferView\":0,\"componentType\":5126,\"count\":0,\"type\":\"VEC3\"}],"
        "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}";
    size_t size;
    uint8_t* bytes = make_glb(json, "", 0, &size);
    const uint32_t length = (uint32_t)size - 8; // without the chunk
    memcpy(bytes + 8, &length, sizeof length);
    assert_ok(tarn_mesh_read(ctx, bytes, length, NULL, TARN_MESH_GLB, &mesh, NULL));
    assert_int_equal(mesh.n_vertices + mesh.n_triangles, 0);
    free(bytes);
}

// ---- Refused -------------------------------------------------------------------------------------

#define PLY_HEAD "ply\nformat ascii 1.0\n"
#define PLY_XYZ  "property float x\nproperty float y\nproperty float z\n"

static void test_bad_text(void** state)
{
    (void)state;
    static Arrays a, untouched;
    static const struct {
        TarnMeshFormat format;
        const char *text, *word;
    } bad[] = {
        { TARN_MESH_OBJ, "", "no vertex line" },
        { TARN_MESH_OBJ, "hello", "no vertex line" },
        { TARN_MESH_OBJ, "v 0 0", ":1: expected three numbers" },
        { TARN_MESH_OBJ, "v 0 0 nan", "'nan'" },
        { TARN_MESH_OBJ, "v 0 0 1e39", "'1e39'" },
        { TARN_MESH_OBJ, "v 0 0 0\nf 1 1", ":2: expected at least three" },
        { TARN_MESH_OBJ, "v 0 0 0\nf 1 1 2",
          ":2: expected a corner that refers to an earlier vertex" },
        { TARN_MESH_OBJ, "v 0 0 0\nf 1 1 0", "'0'" },
        { TARN_MESH_OBJ, "v 0 0 0\nf 1 1 -2", "'-2'" },
        { TARN_MESH_OBJ, "v 0 0 0\nf 1 1 99999999999999999999", "'9999" },
        { TARN_MESH_OBJ, "v 0 0 0\nf 1//1 1 1", "an earlier normal" },
        { TARN_MESH_OBJ, "v 0 0 0\nf 1/1/x 1 1", "an earlier normal" },
        { TARN_MESH_OBJ, "v 0 0 0\nf 1x 1 1", "such as 7" },
        { TARN_MESH_PLY, "", "expected 'ply'" },
        { TARN_MESH_PLY, "ply\n", "expected 'end_header'" },
        { TARN_MESH_PLY, "ply\nend_header\n", "expected a line 'format'" },
        { TARN_MESH_PLY, "ply\nformat utf8 1.0\n", ":2: expected ascii" },
        { TARN_MESH_PLY, "ply\nformat ascii 2.0\n", "expected version 1.0" },
        { TARN_MESH_PLY, PLY_HEAD "element vertex -1\n", "whole number" },
        { TARN_MESH_PLY, PLY_HEAD "element vertex 3000000000\n", "whole number" },
        { TARN_MESH_PLY, PLY_HEAD "element vertex 1.5\n", "whole number" },
        { TARN_MESH_PLY, PLY_HEAD "element face 1e99\n", "whole number" },
        { TARN_MESH_PLY, PLY_HEAD "property float x\n", "an element before" },
        { TARN_MESH_PLY, PLY_HEAD "element vertex 1\nproperty half x\n", "the type" },
        { TARN_MESH_PLY, PLY_HEAD "element vertex 1\nproperty float\n", "the name" },
        { TARN_MESH_PLY, PLY_HEAD "element vertex 1\nelement vertex 1\n", "each element once" },
        { TARN_MESH_PLY, PLY_HEAD "element vertex 1\nproperty float x\nend_header\n0\n",
          "x, y and z" },
        { TARN_MESH_PLY, PLY_HEAD "elephant 1\n", "expected element" },
        { TARN_MESH_PLY, PLY_HEAD "element vertex 2\n" PLY_XYZ "end_header\n0 0 0 0 0",
          "vertex 1 is cut off" },
        { TARN_MESH_PLY, PLY_HEAD "element vertex 2000000000\n" PLY_XYZ "end_header\n0 0 0",
          "vertex 1 is cut off" },
        { TARN_MESH_PLY, PLY_HEAD "element vertex 1\n" PLY_XYZ "end_header\n0 0 nan",
          "vertex 0 is cut off" },
        { TARN_MESH_PLY, PLY_HEAD "element vertex 1\n" PLY_XYZ "end_header\n0 0 1e40",
          "vertex 0 is not finite" },
        { TARN_MESH_PLY,
          PLY_HEAD
          "element vertex 1\n" PLY_XYZ
          "element face 1\nproperty list int int vertex_indices\nend_header\n0 0 0 3 0 0 1",
          "face 0 refers to a vertex" },
        { TARN_MESH_PLY,
          PLY_HEAD "element vertex 1\n" PLY_XYZ
                   "element face 1\nproperty list int int vertex_indices\nend_header\n0 0 0 2 0 0",
          "face 0 has a list" },
    };
    memset(&untouched, 0x55, sizeof untouched);
    a = untouched;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        TarnMesh mesh = mesh_in(&a, 7, 8);
        TarnMeshInfo info;
        assert_result(read_text(bad[i].format, bad[i].text, &mesh, &info), TARN_ERR_DATA,
                      bad[i].word);
        assert_true(mesh.n_vertices == 7 && mesh.n_triangles == 8 && info.n_vertices == 0);
        assert_memory_equal(&a, &untouched, sizeof a);
    }
}

// A tetrahedron's .glb with one piece of its text replaced by another of the same length.
static void test_bad_glb(void** state)
{
    (void)state;
    static Arrays a, b, untouched;
    static const struct {
        const char *from, *to, *word;
    } bad[] = {
        { "glTF", "glTf", "expected 'glTF'" },
        { "JSON", "JSOM", "a JSON chunk first" },
        { "{\"asset\"", "[\"asset\"", "expected" },
        { "\"meshes\":[{", "\"meshes\":[1", "expected" },
        { "\"POSITION\"", "\"PISITION\"", "POSITION" },
        { "\"POSITION\":0", "\"POSITION\":9", "the number of an accessor" },
        { "\"POSITION\":0", "\"POSITION\":3", "three floats" },
        { "\"NORMAL\":1", "\"NORMAL\":4", "three floats" },
        { "\"indices\":4", "\"indices\":0", "indices of 1, 2 or 4" },
        { "\"bufferView\":0", "\"bufferView\":7", "bufferView that does not exist" },
        { "\"bufferView\":0", "\"bufferVieh\":0", "with a bufferView" },
        { "\"count\":4", "\"count\":5", "beyond its bufferView" },
        { "\"count\":4", "\"count\":3", "as many as there are" },
        { "\"count\":4", "\"count\":x", "a value" },
        { "\"count\":12", "\"count\":11", "three indices" },
        { "\"byteOffset\":160", "\"byteOffset\":161", "beyond the data" },
        { "\"byteLength\":48", "\"byteLength\":47", "beyond its bufferView" },
        { "\"byteStride\":4", "\"byteStride\":3", "byteStride" },
        { "\"buffer\":0", "\"buffer\":1", "not in this file" },
        { "\"byteLength\":208", "\"uri\":\"abc.binx\"", "not in this file" },
        { "\"material\":0", "\"mode\":5    ", "mode 4" },
        { "\"primitives\"", "\"primatives\"", "primitives" },
    };
    TarnMesh mesh = tetrahedron(&a);
    size_t size;
    uint8_t* good = written(&mesh, TARN_MESH_GLB, &size);
    memset(&untouched, 0x55, sizeof untouched);
    b = untouched;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; ++i) {
        size_t n = strlen(bad[i].from), at = 0;
        uint8_t* bytes = malloc(size);
        memcpy(bytes, good, size);
        while (memcmp(bytes + at, bad[i].from, n) != 0) ++at;
        memcpy(bytes + at, bad[i].to, n);
        TarnMesh back = mesh_in(&b, 7, 8);
        assert_result(tarn_mesh_read(ctx, bytes, size, NULL, TARN_MESH_GLB, &back, NULL),
                      TARN_ERR_DATA, bad[i].word);
        assert_true(back.n_vertices == 7 && memcmp(&b, &untouched, sizeof b) == 0);
        free(bytes);
    }
    TarnMesh back = mesh_in(&b, 0, 0);
    good[4] = 1;
    assert_result(tarn_mesh_read(ctx, good, size, NULL, TARN_MESH_GLB, &back, NULL),
                  TARN_ERR_VERSION, "glTF 1");
    good[4] = 2;
    memset(good + size - 4, 0xff, 4); // an index
    assert_result(tarn_mesh_read(ctx, good, size, NULL, TARN_MESH_GLB, &back, NULL), TARN_ERR_DATA,
                  "refers to a vertex");
    memset(good + size - 208, 0xff, 4); // a position
    assert_result(tarn_mesh_read(ctx, good, size, NULL, TARN_MESH_GLB, &back, NULL), TARN_ERR_DATA,
                  "not finite");
    assert_result(tarn_mesh_read_frame(ctx, good, size, NULL, 1, &back, NULL), TARN_ERR_ARG,
                  "no mesh 1");
    free(good);
}

// Any byte of a good file, cut anywhere: read or refused, never worse.
static void test_damage(void** state)
{
    (void)state;
    static Arrays a, b;
    for (int f = 0; f < 3; ++f) {
        TarnMesh mesh = random_mesh(&a, 20, 20);
        size_t size;
        uint8_t* good = written(&mesh, (TarnMeshFormat)f, &size);
        for (int n = 0; n < 1500; ++n) {
            size_t cut = n % 3 == 0 ? tarn__random(5, 1, random_at++) % size : size;
            uint8_t* bytes = malloc(cut > 0 ? cut : 1);
            memcpy(bytes, good, cut);
            for (int i = 0; i < n % 4 && cut > 0; ++i) {
                size_t at = tarn__random(5, 2, random_at++) % cut;
                bytes[at] = (uint8_t)tarn__random(5, 3, random_at++);
            }
            TarnMesh back = mesh_in(&b, 0, 0);
            TarnResult result =
                tarn_mesh_read(ctx, bytes, cut, NULL, (TarnMeshFormat)f, &back, NULL);
            if (result != TARN_OK) assert_true(tarn_last_error(ctx)[0] != '\0');
            for (int i = 0; i < 3 * back.n_triangles && result == TARN_OK; ++i)
                assert_true(b.index[i] < (uint32_t)back.n_vertices);
            free(bytes);
        }
        free(good);
    }
}

// ---- What cannot be written ----------------------------------------------------------------------

static void test_bad_meshes(void** state)
{
    (void)state;
    static Arrays a;
    size_t size;
    TarnMesh mesh = tetrahedron(&a);
    assert_result(tarn_mesh_write(ctx, NULL, TARN_MESH_PLY, NULL, 0, &size), TARN_ERR_ARG, "NULL");
    assert_result(tarn_mesh_write(ctx, &mesh, (TarnMeshFormat)7, NULL, 0, &size), TARN_ERR_ARG,
                  "7");
    assert_result(tarn_mesh_write(ctx, &mesh, TARN_MESH_PLY, NULL, 0, NULL), TARN_ERR_ARG, "size");
    a.index[5] = 4;
    assert_result(tarn_mesh_write(ctx, &mesh, TARN_MESH_GLB, NULL, 0, &size), TARN_ERR_DATA,
                  "vertex 4");
    mesh = tetrahedron(&a);
    a.position[2].y = NAN;
    assert_result(tarn_mesh_write(ctx, &mesh, TARN_MESH_OBJ, NULL, 0, &size), TARN_ERR_DATA,
                  "position of vertex 2");
    mesh = tetrahedron(&a);
    a.velocity[3].z = INFINITY;
    assert_result(tarn_mesh_write(ctx, &mesh, TARN_MESH_GLB, NULL, 0, &size), TARN_ERR_DATA,
                  "velocity of vertex 3");
    mesh = tetrahedron(&a);
    static const char* const names[][1] = { { "" },   { "a b" }, { "vx" },  { "Velocity" },
                                            { NULL }, { "a\"" }, { "\xc3" } };
    for (int i = 0; i < 7; ++i) {
        mesh.attribute_names = names[i];
        assert_result(tarn_mesh_write(ctx, &mesh, TARN_MESH_PLY, NULL, 0, &size), TARN_ERR_ARG,
                      "attribute 0");
    }
    static const char* const twice[] = { "foam", "FOAM" };
    mesh.attribute_names = twice, mesh.n_attributes = 2;
    assert_result(tarn_mesh_write(ctx, &mesh, TARN_MESH_GLB, NULL, 0, &size), TARN_ERR_ARG,
                  "used twice");
    mesh.n_attributes = 17;
    assert_result(tarn_mesh_write(ctx, &mesh, TARN_MESH_GLB, NULL, 0, &size), TARN_ERR_ARG,
                  "n_attributes 17");
    TarnMeshFormat format;
    assert_result(tarn_mesh_format(ctx, "a.stl", &format), TARN_ERR_ARG, ".obj, .ply or .glb");
    assert_ok(tarn_mesh_format(ctx, "a.PLY", &format));
    assert_int_equal(format, TARN_MESH_PLY);
}

// Of .glb files normals must be unit vectors.
static void test_normals(void** state)
{
    (void)state;
    static Arrays a, b;
    TarnMesh mesh = tetrahedron(&a), back = mesh_in(&b, 0, 0);
    size_t size;
    a.normal[0] = (TarnVec3){ 0, 0, 0 };
    a.normal[1] = (TarnVec3){ 3, 0, 4 };
    uint8_t* bytes = written(&mesh, TARN_MESH_GLB, &size);
    assert_ok(tarn_mesh_read(ctx, bytes, size, NULL, TARN_MESH_GLB, &back, NULL));
    assert_true(b.normal[0].y == 1 && fabsf(b.normal[1].x - 0.6f) < 1e-6f && b.normal[2].y == 1);
    free(bytes);
}

// ---- Files and films -----------------------------------------------------------------------------

static bool exists(const char* path)
{
    FILE* file = fopen(path, "rb");
    if (file != NULL) fclose(file);
    return file != NULL;
}

static void test_files(void** state)
{
    (void)state;
    static Arrays a, b;
    static const char* const paths[] = { "test_mesh_file.obj", "test_mesh_file.ply",
                                         "test_mesh_file.glb" };
    for (int f = 0; f < 3; ++f) {
        TarnMesh mesh = tetrahedron(&a), back = mesh_in(&b, 0, 0);
        assert_ok(tarn_mesh_save(ctx, &mesh, paths[f]));
        TarnMeshInfo info;
        assert_ok(tarn_mesh_load(ctx, paths[f], &back, &info));
        assert_memory_equal(b.position, a.position, 48);
        assert_int_equal(info.n_triangles, 4);
        remove(paths[f]);
    }
    TarnMesh mesh = tetrahedron(&a), back = mesh_in(&b, 0, 0);
    assert_result(tarn_mesh_save(ctx, &mesh, "no_such_folder/a.ply"), TARN_ERR_IO,
                  "no_such_folder");
    assert_result(tarn_mesh_load(ctx, "no_such.ply", &back, NULL), TARN_ERR_IO, "no_such.ply");
    assert_result(tarn_mesh_save(ctx, &mesh, "a.stl"), TARN_ERR_ARG, ".glb");
    assert_result(tarn_mesh_save(ctx, &mesh, NULL), TARN_ERR_ARG, "NULL");
}

static void test_film(void** state)
{
    (void)state;
    static Arrays frames[4], b;
    static const char path[] = "test_mesh_film.glb";
    TarnMeshFilm* film;
    assert_ok(tarn_mesh_film_create(ctx, path, 0.04, &film));
    TarnMesh mesh[4];
    for (int f = 0; f < 4; ++f) {
        mesh[f] = random_mesh(&frames[f], 30 + f, 40 - f);
        if (f == 2) mesh[f].n_vertices = mesh[f].n_triangles = 0; // nothing is left of it
        assert_ok(tarn_mesh_film_add(film, &mesh[f]));
    }
    TarnMesh bare = mesh[0];
    bare.velocity = NULL;
    assert_result(tarn_mesh_film_add(film, &bare), TARN_ERR_ARG, "frame 4 has other arrays");
    assert_true(!exists(path) && exists("test_mesh_film.glb.bin"));
    assert_ok(tarn_mesh_film_finish(film));
    assert_result(tarn_mesh_film_add(film, &mesh[0]), TARN_ERR_ARG, "finished");
    assert_result(tarn_mesh_film_finish(film), TARN_ERR_ARG, "finished");
    tarn_mesh_film_destroy(film);
    assert_true(exists(path) && !exists("test_mesh_film.glb.bin"));

    static uint8_t bytes[1 << 16];
    FILE* file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    remove(path);
    int read = 0;
    for (int f = 0; f < 4; ++f) {
        TarnMesh back = mesh_in(&b, 0, 0);
        TarnMeshInfo info;
        if (f == 2) continue;
        assert_ok(tarn_mesh_read_frame(ctx, bytes, size, NULL, read++, &back, &info));
        assert_back(&mesh[f], TARN_MESH_GLB, &back);
        assert_int_equal(info.n_meshes, 3);
    }
    // The first is shown at once, the others when their time comes; the last one stays.
    const char* text = (const char*)bytes + 20;
    assert_non_null(strstr(text, "{\"name\":\"frame_0000\",\"mesh\":0},"));
    assert_non_null(strstr(text, "{\"name\":\"frame_0002\",\"scale\":[0,0,0]}"));
    assert_non_null(strstr(text, "{\"name\":\"frame_0003\",\"mesh\":2,\"scale\":[0,0,0]}"));
    const uint8_t* times = bytes + size - 5 * 12 - 3 * 12;
    const float expected[] = { 0, 0.04f, 0.04f, 0, 0.04f, 0.08f, 0, 0.12f, 0.16f, 0, 0, 0,
                               1, 1,     1,     0, 0,     0,     1, 1,     1,     1, 1, 1 };
    assert_memory_equal(times, expected, sizeof expected);
}

static void test_film_failures(void** state)
{
    (void)state;
    static Arrays a;
    TarnMesh mesh = tetrahedron(&a);
    TarnMeshFilm* film;
    assert_result(tarn_mesh_film_create(ctx, "a.ply", 0.04, &film), TARN_ERR_ARG, ".glb");
    assert_result(tarn_mesh_film_create(ctx, "a.glb", NAN, &film), TARN_ERR_ARG,
                  "seconds_per_frame");
    assert_result(tarn_mesh_film_create(ctx, "no_such_folder/a.glb", 1, &film), TARN_ERR_IO,
                  "a.glb");
    assert_null(film);
    tarn_mesh_film_destroy(NULL);
    assert_int_equal(tarn_mesh_film_add(NULL, &mesh), TARN_ERR_ARG);

    // Without an end, or without a frame, no file stays.
    assert_ok(tarn_mesh_film_create(ctx, "test_mesh_half.glb", 1, &film));
    assert_ok(tarn_mesh_film_add(film, &mesh));
    tarn_mesh_film_destroy(film);
    assert_ok(tarn_mesh_film_create(ctx, "test_mesh_half.glb", 1, &film));
    assert_result(tarn_mesh_film_finish(film), TARN_ERR_ARG, "no frame");
    tarn_mesh_film_destroy(film);
    assert_true(!exists("test_mesh_half.glb") && !exists("test_mesh_half.glb.bin"));

    // A file of that name beside is not ours to overwrite.
    FILE* other = fopen("test_mesh_half.glb.bin", "wb");
    fclose(other);
    assert_result(tarn_mesh_film_create(ctx, "test_mesh_half.glb", 1, &film), TARN_ERR_IO,
                  "test_mesh_half.glb.bin");
    assert_true(exists("test_mesh_half.glb.bin"));
    remove("test_mesh_half.glb.bin");
}

// Every allocation fails once: an error, and nothing stays, neither memory nor files.
static void test_no_memory(void** state)
{
    (void)state;
    static Arrays a, b;
    TarnMesh mesh = tetrahedron(&a);
    for (int f = 0; f < 3; ++f) {
        size_t size;
        uint8_t* bytes = written(&mesh, (TarnMeshFormat)f, &size);
        TarnResult result = TARN_ERR_MEMORY;
        for (int n = 1; result == TARN_ERR_MEMORY; ++n) {
            TarnMesh back = mesh_in(&b, 0, 0);
            memory.calls = 0, memory.fail_at = n;
            result = tarn_mesh_read(ctx, bytes, size, NULL, (TarnMeshFormat)f, &back, NULL);
            assert_true(n < 20);
        }
        memory.fail_at = 0;
        assert_int_equal(result, TARN_OK);
        free(bytes);
    }
    TarnResult result = TARN_ERR_MEMORY;
    for (int n = 1; result == TARN_ERR_MEMORY; ++n) {
        TarnMeshFilm* film;
        memory.calls = 0, memory.fail_at = n;
        result = tarn_mesh_film_create(ctx, "test_mesh_memory.glb", 1, &film);
        for (int i = 0; i < 70 && result == TARN_OK; ++i) result = tarn_mesh_film_add(film, &mesh);
        if (result == TARN_OK) result = tarn_mesh_film_finish(film);
        tarn_mesh_film_destroy(film);
        assert_int_equal(exists("test_mesh_memory.glb"), result == TARN_OK);
        assert_true(!exists("test_mesh_memory.glb.bin") && n < 20);
    }
    memory.fail_at = 0;
    assert_int_equal(result, TARN_OK);
    remove("test_mesh_memory.glb");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_obj_text),       TEST(test_ply_bytes),
        TEST(test_glb_bytes),      TEST(test_same_bits),
        TEST(test_less_and_empty), TEST(test_capacity),
        TEST(test_obj_of_others),  TEST(test_ply_of_others),
        TEST(test_glb_of_others),  TEST(test_glb_without_data),
        TEST(test_bad_text),       TEST(test_bad_glb),
        TEST(test_damage),         TEST(test_bad_meshes),
        TEST(test_normals),        TEST(test_files),
        TEST(test_film),           TEST(test_film_failures),
        TEST(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
