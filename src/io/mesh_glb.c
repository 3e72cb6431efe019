// glTF 2.0 in one binary file, .glb: what is written. [Khronos2021]
//
//     "glTF", version 2, length | length, "JSON", text padded with blanks | length, "BIN\0", arrays
//
// The arrays of a mesh lie one after the other: positions, normals, velocities, attributes (of a vertex side by
// side), indices; all of 4 bytes, so that everything is aligned. A film has a node for each frame whose scale is 0
// but in its time: scales are what every viewer can animate. Behind the meshes are then the times of the frames
// and one short array of scales that all of them share.

#include "io/mesh_internal.h"
#include <math.h>
#include <stdarg.h>

enum { TYPE_FLOAT = 5126, TYPE_UINT = 5125, TARGET_ARRAY = 34962, TARGET_INDEX = 34963 };
enum { KEY_BYTES = 12 }; // of a key of scales, and of the times of a frame

// ---- Arrays --------------------------------------------------------------------------------------

static bool is_empty(const GlbMesh* mesh)
{
    return mesh->n_triangles == 0;
}

GlbMesh tarn__glb_mesh(const TarnMesh* mesh, uint64_t offset)
{
    GlbMesh to = { offset, mesh->n_vertices, mesh->n_triangles, { 0, 0, 0 }, { 0, 0, 0 } };
    if (is_empty(&to)) return to;
    to.min = to.max = mesh->position[0];
    for (int v = 1; v < mesh->n_vertices; ++v) {
        TarnVec3 p = mesh->position[v];
        to.min.x = p.x < to.min.x ? p.x : to.min.x, to.max.x = p.x > to.max.x ? p.x : to.max.x;
        to.min.y = p.y < to.min.y ? p.y : to.min.y, to.max.y = p.y > to.max.y ? p.y : to.max.y;
        to.min.z = p.z < to.min.z ? p.z : to.min.z, to.max.z = p.z > to.max.z ? p.z : to.max.z;
    }
    return to;
}

static uint64_t vertex_bytes(const TarnMeshInfo* parts)
{
    int vectors = 1 + (parts->has_normal ? 1 : 0) + (parts->has_velocity ? 1 : 0);
    return 12 * (uint64_t)vectors + 4 * (uint64_t)parts->n_attributes;
}

uint64_t tarn__glb_mesh_bytes(const TarnMeshInfo* parts, const GlbMesh* mesh)
{
    if (is_empty(mesh)) return 0;
    return vertex_bytes(parts) * (uint64_t)mesh->n_vertices + 12 * (uint64_t)mesh->n_triangles;
}

// A normal of a .glb must be a unit vector; one that is not (of a vertex without triangles) points up.
static void put_normals(Output* out, const TarnVec3* normal, int n)
{
    for (int v = 0; v < n; ++v) {
        TarnVec3 to = normal[v];
        float square = to.x * to.x + to.y * to.y + to.z * to.z;
        if (!(square > 0.998f && square < 1.002f)) {
            float s = square > 1e-30f && square < 1e30f ? 1.0f / sqrtf(square) : 0.0f;
            to = s > 0.0f ? (TarnVec3){ s * to.x, s * to.y, s * to.z }
                          : (TarnVec3){ 0.0f, 1.0f, 0.0f };
        }
        tarn__put(out, &to, sizeof to);
    }
}

void tarn__glb_put_arrays(const TarnMesh* mesh, const TarnMeshInfo* parts, Output* out)
{
    if (mesh->n_triangles == 0) return;
    size_t n = (size_t)mesh->n_vertices; // every target we build for is little endian
    tarn__put(out, mesh->position, n * sizeof *mesh->position);
    if (parts->has_normal) put_normals(out, mesh->normal, mesh->n_vertices);
    if (parts->has_velocity) tarn__put(out, mesh->velocity, n * sizeof *mesh->velocity);
    if (parts->n_attributes > 0)
        tarn__put(out, mesh->attribute, n * (size_t)parts->n_attributes * sizeof(float));
    tarn__put(out, mesh->index, 3 * (size_t)mesh->n_triangles * sizeof *mesh->index);
}

// ---- The text: meshes ----------------------------------------------------------------------------

// Text, and whole numbers only: those do not ask the locale.
__attribute__((format(printf, 2, 3))) static void put(Output* out, const char* format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tarn__put_text(out, text);
}

static void put_numbers(Output* out, const char* before, const float* values, int n)
{
    for (int i = 0; i < n; ++i) {
        char text[NUMBER_TEXT];
        tarn__float_text(values[i], text);
        put(out, "%s%s", i == 0 ? before : ",", text);
    }
    tarn__put_text(out, "]");
}

// Accessors and views are in the order of the meshes, those of a mesh in the order of its arrays.
static int views_per_mesh(const TarnMeshInfo* p)
{
    return 2 + (p->has_normal ? 1 : 0) + (p->has_velocity ? 1 : 0) + (p->n_attributes > 0 ? 1 : 0);
}

static int accessors_per_mesh(const TarnMeshInfo* p)
{
    return 2 + (p->has_normal ? 1 : 0) + (p->has_velocity ? 1 : 0) + p->n_attributes;
}

static int count_meshes(const Glb* glb) // that are not empty
{
    int n = 0;
    for (int m = 0; m < glb->n_meshes; ++m) n += !is_empty(&glb->meshes[m]);
    return n;
}

static void put_mesh(Output* out, const TarnMeshInfo* parts, int accessor, const char* name)
{
    put(out, "{\"name\":\"%s\",\"primitives\":[{\"attributes\":{\"POSITION\":%d", name, accessor++);
    if (parts->has_normal) put(out, ",\"NORMAL\":%d", accessor++);
    if (parts->has_velocity) put(out, ",\"_VELOCITY\":%d", accessor++);
    for (int a = 0; a < parts->n_attributes; ++a) {
        char upper[TARN_MESH_MAX_NAME];
        const char* p = parts->attribute_name[a];
        for (int i = 0; i < TARN_MESH_MAX_NAME; ++i)
            upper[i] = p[i] >= 'a' && p[i] <= 'z' ? (char)(p[i] - 32) : p[i];
        put(out, ",\"_%s\":%d", upper, accessor++);
    }
    put(out, "},\"indices\":%d,\"material\":0}]}", accessor);
}

static void put_view(Output* out, uint64_t* offset, uint64_t bytes, int stride, int target)
{
    put(out, "{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu", (unsigned long long)*offset,
        (unsigned long long)bytes);
    if (stride > 0) put(out, ",\"byteStride\":%d", stride);
    if (target > 0) put(out, ",\"target\":%d", target);
    put(out, "}");
    *offset += bytes;
}

static void put_mesh_views(Output* out, const TarnMeshInfo* parts, const GlbMesh* mesh)
{
    uint64_t offset = mesh->offset, n = (uint64_t)mesh->n_vertices;
    int vectors = 1 + (parts->has_normal ? 1 : 0) + (parts->has_velocity ? 1 : 0);
    for (int i = 0; i < vectors; ++i) {
        put_view(out, &offset, 12 * n, 0, TARGET_ARRAY);
        put(out, ",");
    }
    int stride = 4 * parts->n_attributes;
    if (stride > 0) {
        put_view(out, &offset, (uint64_t)stride * n, stride, TARGET_ARRAY);
        put(out, ",");
    }
    put_view(out, &offset, 12 * (uint64_t)mesh->n_triangles, 0, TARGET_INDEX);
}

static void put_mesh_accessors(Output* out, const TarnMeshInfo* parts, const GlbMesh* mesh,
                               int view)
{
    int n = mesh->n_vertices;
    put(out, "{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"VEC3\"", view++,
        TYPE_FLOAT, n);
    put_numbers(out, ",\"min\":[", &mesh->min.x, 3);
    put_numbers(out, ",\"max\":[", &mesh->max.x, 3);
    for (int i = (parts->has_normal ? 1 : 0) + (parts->has_velocity ? 1 : 0); i > 0; --i)
        put(out, "},{\"bufferView\":%d,\"componentType\":%d,\"count\":%d,\"type\":\"VEC3\"", view++,
            TYPE_FLOAT, n);
    for (int a = 0; a < parts->n_attributes; ++a)
        put(out,
            "},{\"bufferView\":%d,\"byteOffset\":%d,\"componentType\":%d,\"count\":%d,"
            "\"type\":\"SCALAR\"",
            view, 4 * a, TYPE_FLOAT, n);
    if (parts->n_attributes > 0) ++view;
    put(out, "},{\"bufferView\":%d,\"componentType\":%d,\"count\":%lld,\"type\":\"SCALAR\"}", view,
        TYPE_UINT, 3 * (long long)mesh->n_triangles);
}

// Clear water: what light goes through is an extension that a viewer may know, the rest all of them do.
static void put_material(Output* out)
{
    put(out, "\"materials\":[{\"name\":\"water\",\"doubleSided\":true,\"pbrMetallicRoughness\":{"
             "\"baseColorFactor\":[0.55,0.8,0.87,1],\"metallicFactor\":0,\"roughnessFactor\":0.05},"
             "\"extensions\":{\"KHR_materials_ior\":{\"ior\":1.333},"
             "\"KHR_materials_transmission\":{\"transmissionFactor\":0.9}}}],");
    put(out, "\"extensionsUsed\":[\"KHR_materials_ior\",\"KHR_materials_transmission\"],");
}

// ---- The text: a film ----------------------------------------------------------------------------

// The keys of scales, 0 1 0 1 1, and where the four kinds of frames find theirs. A frame in the middle is off, on,
// off at its three times; the first begins on; the last stays on to its end.
static const float keys[5] = { 0, 1, 0, 1, 1 };
typedef enum FrameKind { MIDDLE, FIRST, LAST, ONLY, N_FRAME_KINDS } FrameKind;
static const int first_key[N_FRAME_KINDS] = { 0, 1, 2, 3 };
static const int n_keys[N_FRAME_KINDS] = { 3, 2, 3, 2 };

static FrameKind kind_of(const Glb* glb, int frame)
{
    bool is_first = frame == 0, is_last = frame == glb->n_meshes - 1;
    return is_first && is_last ? ONLY : is_first ? FIRST : is_last ? LAST : MIDDLE;
}

// Three times per frame, of which the first of a film leaves out the last.
static void frame_times(const Glb* glb, int frame, float to[3])
{
    float begin = (float)(frame * glb->seconds_per_frame);
    float end = (float)((frame + 1) * glb->seconds_per_frame);
    to[0] = 0.0f;
    to[1] = frame == 0 ? end : begin;
    to[2] = end;
}

static bool is_film(const Glb* glb)
{
    return glb->seconds_per_frame > 0.0 && count_meshes(glb) > 0;
}

static uint64_t times_bytes(const Glb* glb)
{
    return is_film(glb) ? (uint64_t)KEY_BYTES * (uint64_t)(count_meshes(glb) + 5) : 0;
}

void tarn__glb_put_times(const Glb* glb, Output* out)
{
    if (!is_film(glb)) return;
    for (int f = 0; f < glb->n_meshes; ++f) {
        float times[3];
        frame_times(glb, f, times);
        if (!is_empty(&glb->meshes[f])) tarn__put(out, times, sizeof times);
    }
    for (int k = 0; k < 5; ++k) {
        const float scale[3] = { keys[k], keys[k], keys[k] };
        tarn__put(out, scale, sizeof scale);
    }
}

// The accessor of the scales of a kind, behind all others; -1: no frame is of this kind.
static void scale_accessors(const Glb* glb, int accessor, int to[N_FRAME_KINDS])
{
    for (int k = 0; k < N_FRAME_KINDS; ++k) to[k] = -1;
    for (int f = 0; f < glb->n_meshes; ++f)
        if (!is_empty(&glb->meshes[f])) to[kind_of(glb, f)] = 0;
    for (int k = 0; k < N_FRAME_KINDS; ++k)
        if (to[k] == 0) to[k] = accessor++;
}

static void put_animation(Output* out, const Glb* glb)
{
    int n = count_meshes(glb), first = n * accessors_per_mesh(glb->parts), scales[N_FRAME_KINDS];
    scale_accessors(glb, first + n, scales);
    put(out, "\"animations\":[{\"name\":\"film\",\"channels\":[");
    for (int f = 0, m = 0; f < glb->n_meshes; ++f) {
        if (is_empty(&glb->meshes[f])) continue;
        put(out, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"scale\"}}", m > 0 ? "," : "",
            m, f + 1);
        ++m;
    }
    put(out, "],\"samplers\":[");
    for (int f = 0, m = 0; f < glb->n_meshes; ++f) {
        if (is_empty(&glb->meshes[f])) continue;
        put(out, "%s{\"input\":%d,\"output\":%d,\"interpolation\":\"STEP\"}", m > 0 ? "," : "",
            first + m, scales[kind_of(glb, f)]);
        ++m;
    }
    put(out, "]}],");
}

static void put_film_accessors(Output* out, const Glb* glb, int view)
{
    int scales[N_FRAME_KINDS];
    for (int f = 0, m = 0; f < glb->n_meshes; ++f) {
        if (is_empty(&glb->meshes[f])) continue;
        float times[3];
        int n = n_keys[kind_of(glb, f)];
        frame_times(glb, f, times);
        put(out,
            ",{\"bufferView\":%d,\"byteOffset\":%d,\"componentType\":%d,\"count\":%d,"
            "\"type\":\"SCALAR\"",
            view, KEY_BYTES * m++, TYPE_FLOAT, n);
        put_numbers(out, ",\"min\":[", &times[0], 1);
        put_numbers(out, ",\"max\":[", &times[n - 1], 1);
        put(out, "}");
    }
    scale_accessors(glb, 0, scales);
    for (int k = 0; k < N_FRAME_KINDS; ++k) {
        if (scales[k] < 0) continue;
        put(out,
            ",{\"bufferView\":%d,\"byteOffset\":%d,\"componentType\":%d,\"count\":%d,"
            "\"type\":\"VEC3\"}",
            view + 1, KEY_BYTES * first_key[k], TYPE_FLOAT, n_keys[k]);
    }
}

// ---- The text ------------------------------------------------------------------------------------

static void put_nodes(Output* out, const Glb* glb)
{
    bool is_one = glb->seconds_per_frame <= 0.0;
    put(out, "\"nodes\":[{\"name\":\"%s\"", is_one ? "surface" : "film");
    if (is_one && count_meshes(glb) > 0) put(out, ",\"mesh\":0");
    for (int f = 0; f < glb->n_meshes && !is_one; ++f)
        put(out, "%s%d", f == 0 ? ",\"children\":[" : ",", f + 1);
    put(out, is_one ? "}" : "]}");
    for (int f = 0, m = 0; f < glb->n_meshes && !is_one; ++f) {
        put(out, ",{\"name\":\"frame_%04d\"", f);
        if (!is_empty(&glb->meshes[f])) put(out, ",\"mesh\":%d", m++);
        if (f > 0) put(out, ",\"scale\":[0,0,0]"); // as it is before the film begins
        put(out, "}");
    }
    put(out, "],");
}

static void put_meshes(Output* out, const Glb* glb)
{
    put(out, "\"meshes\":[");
    for (int f = 0, m = 0; f < glb->n_meshes; ++f) {
        char name[32] = "surface";
        if (is_empty(&glb->meshes[f])) continue;
        if (glb->seconds_per_frame > 0.0) snprintf(name, sizeof name, "frame_%04d", f);
        if (m > 0) put(out, ",");
        put_mesh(out, glb->parts, m++ * accessors_per_mesh(glb->parts), name);
    }
    put(out, "],");
}

static void put_data(Output* out, const Glb* glb, uint64_t arrays, uint64_t times)
{
    int per_mesh = views_per_mesh(glb->parts), n = count_meshes(glb);
    put(out, "\"accessors\":[");
    for (int f = 0, m = 0; f < glb->n_meshes; ++f) {
        if (is_empty(&glb->meshes[f])) continue;
        if (m > 0) put(out, ",");
        put_mesh_accessors(out, glb->parts, &glb->meshes[f], m++ * per_mesh);
    }
    if (times > 0) put_film_accessors(out, glb, n * per_mesh);
    put(out, "],\"bufferViews\":[");
    for (int f = 0, m = 0; f < glb->n_meshes; ++f) {
        if (is_empty(&glb->meshes[f])) continue;
        if (m++ > 0) put(out, ",");
        put_mesh_views(out, glb->parts, &glb->meshes[f]);
    }
    if (times > 0) {
        uint64_t offset = arrays;
        put(out, ",");
        put_view(out, &offset, times - 5 * KEY_BYTES, 0, 0);
        put(out, ",");
        put_view(out, &offset, 5 * KEY_BYTES, 0, 0);
    }
    put(out, "],\"buffers\":[{\"byteLength\":%llu}],", (unsigned long long)(arrays + times));
}

static void put_json(Output* out, const Glb* glb, uint64_t arrays, uint64_t times)
{
    put(out, "{\"asset\":{\"version\":\"2.0\",\"generator\":\"Tarn %s\"},", tarn_version());
    put_nodes(out, glb);
    if (count_meshes(glb) > 0) { // lists of glTF are not empty
        put_meshes(out, glb);
        put_material(out);
        if (times > 0) put_animation(out, glb);
        put_data(out, glb, arrays, times);
    }
    put(out, "\"scenes\":[{\"nodes\":[0]}],\"scene\":0}");
}

// ---- The file ------------------------------------------------------------------------------------

static void put_words(Output* out, uint32_t a, uint32_t b)
{
    const uint32_t words[2] = { a, b };
    tarn__put(out, words, sizeof words);
}

TarnResult tarn__glb_put_head(TarnContext* ctx, const Glb* glb, Output* out)
{
    enum { MAGIC = 0x46546c67, BIN = 0x004e4942 }; // "glTF", "BIN\0"
    uint64_t arrays = 0, times = times_bytes(glb);
    for (int m = 0; m < glb->n_meshes; ++m)
        arrays += tarn__glb_mesh_bytes(glb->parts, &glb->meshes[m]);
    Output count = { 0 };
    put_json(&count, glb, arrays, times);
    uint64_t text = (count.n + 3) / 4 * 4, data = arrays + times;
    uint64_t total = 20 + text + (data > 0 ? 8 + data : 0);
    if (total > UINT32_MAX)
        return tarn__fail(ctx, TARN_ERR_CAPACITY,
                          "a .glb has at most 4 GiB, but this one would have %llu bytes; write "
                          "numbered frames, or fewer frames",
                          (unsigned long long)total);
    put_words(out, MAGIC, 2);
    put_words(out, (uint32_t)total, (uint32_t)text);
    tarn__put_text(out, "JSON");
    put_json(out, glb, arrays, times);
    tarn__put(out, "   ", (size_t)(text - count.n));
    if (data > 0) put_words(out, (uint32_t)data, BIN);
    return TARN_OK;
}

TarnResult tarn__write_glb(TarnContext* ctx, const TarnMesh* mesh, const TarnMeshInfo* info,
                           Output* out)
{
    GlbMesh one = tarn__glb_mesh(mesh, 0);
    Glb glb = { info, &one, 1, 0.0 };
    TARN_TRY(tarn__glb_put_head(ctx, &glb, out));
    tarn__glb_put_arrays(mesh, info, out);
    return TARN_OK;
}
