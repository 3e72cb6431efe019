// glTF 2.0 in one binary file, .glb: what is read. [Khronos2021]
//
// All triangles of one mesh: positions, normals, _VELOCITY and other attributes of one float per vertex, in the
// axes of the mesh. Several primitives become one mesh; names of attributes are those of the first. Not read:
// strips, points and lines, arrays in other files, sparse, quantized and compressed ones.

#include "base/json.h"
#include "io/mesh_internal.h"
#include <limits.h>

typedef struct GlbReader {
    const MeshInput* in;
    const TarnJson* root;
    const uint8_t* bin; // the binary chunk; without one nothing, of size 0
    int64_t bin_size;
    const TarnJson** lists; // one block: accessors, then views
    int n_accessors, n_views;
    TarnMeshInfo* info;
    const char* keys[TARN_MESH_MAX_ATTRIBUTES]; // of the attributes, as the file writes them
    int64_t n_vertices, n_triangles;            // of the primitives so far
    TarnMesh* mesh;                             // NULL in the first pass
} GlbReader;

static TarnResult refuse(const GlbReader* r, const char* what)
{
    return tarn__fail(r->in->ctx, TARN_ERR_DATA, "%s: %s", r->in->name, what);
}

static TarnResult refuse_at(const GlbReader* r, const TarnJson* at, const char* what)
{
    return tarn__fail(r->in->ctx, TARN_ERR_DATA, "%s: line %d, column %d of its text: %s",
                      r->in->name, at->line, at->column, what);
}

// ---- Chunks --------------------------------------------------------------------------------------

static uint32_t word_at(const MeshInput* in, size_t at)
{
    uint32_t word;
    memcpy(&word, in->bytes + at, sizeof word);
    return word;
}

// The text of the first chunk, and the second.
static TarnResult find_chunks(GlbReader* r, const char** text, size_t* n_text)
{
    const MeshInput* in = r->in;
    if (in->size < 20 || memcmp(in->bytes, "glTF", 4) != 0)
        return refuse(r, "expected 'glTF' at the beginning; is it a .glb file?");
    if (word_at(in, 4) != 2)
        return tarn__fail(in->ctx, TARN_ERR_VERSION,
                          "%s: it is glTF %u; only version 2 is supported", in->name,
                          word_at(in, 4));
    uint64_t length = word_at(in, 8), first = word_at(in, 12);
    if (length > in->size || length < 20) return refuse(r, "is cut off");
    if (memcmp(in->bytes + 16, "JSON", 4) != 0) return refuse(r, "expected a JSON chunk first");
    if (first > length - 20) return refuse(r, "its JSON chunk is longer than the file");
    *text = (const char*)in->bytes + 20;
    *n_text = (size_t)first;
    uint64_t at = 20 + first;
    if (length - at < 8) return TARN_OK;
    uint64_t second = word_at(in, (size_t)at);
    if (memcmp(in->bytes + at + 4, "BIN", 4) != 0) return TARN_OK; // of a kind that one may skip
    if (second > length - at - 8) return refuse(r, "its BIN chunk is longer than the file");
    r->bin = in->bytes + at + 8;
    r->bin_size = (int64_t)second;
    return TARN_OK;
}

// ---- Arrays --------------------------------------------------------------------------------------

// A whole number of an object, not below 0; without one, the fallback. False: it is something else.
static bool get_whole(const TarnJson* object, const char* key, int64_t fallback, int64_t* out)
{
    const TarnJson* node = tarn__json_get(object, key);
    *out = fallback;
    if (node == NULL) return fallback >= 0;
    if (node->type != TARN_JSON_NUMBER || !(node->number >= 0 && node->number <= 0x1p40))
        return false;
    *out = (int64_t)node->number;
    return (double)*out == node->number;
}

static bool is_text(const TarnJson* object, const char* key, const char* text)
{
    const TarnJson* node = tarn__json_get(object, key);
    return node != NULL && node->type == TARN_JSON_STRING && strcmp(node->string, text) == 0;
}

static TarnResult list_children(GlbReader* r)
{
    const TarnJson* accessors = tarn__json_get(r->root, "accessors");
    const TarnJson* views = tarn__json_get(r->root, "bufferViews");
    r->n_accessors = accessors && accessors->type == TARN_JSON_ARRAY ? accessors->count : 0;
    r->n_views = views && views->type == TARN_JSON_ARRAY ? views->count : 0;
    size_t n = (size_t)r->n_accessors + (size_t)r->n_views;
    r->lists = tarn__alloc(r->in->ctx, (n + 1) * sizeof *r->lists);
    if (r->lists == NULL)
        return tarn__fail(r->in->ctx, TARN_ERR_MEMORY, "%s: out of memory for %zu arrays",
                          r->in->name, n);
    const TarnJson** to = r->lists;
    for (const TarnJson* a = r->n_accessors > 0 ? accessors->child : NULL; a; a = a->next)
        *to++ = a;
    for (const TarnJson* v = r->n_views > 0 ? views->child : NULL; v; v = v->next) *to++ = v;
    return TARN_OK;
}

enum { U8 = 5121, U16 = 5123, U32 = 5125, F32 = 5126 };

typedef struct Array {
    const uint8_t* data;
    int64_t count, stride;
    int type, width; // of its numbers, and how many of them are one item
} Array;

static TarnResult find_view(const GlbReader* r, const TarnJson* accessor, const TarnJson** out)
{
    int64_t view, buffer;
    if (!get_whole(accessor, "bufferView", -1, &view))
        return refuse_at(r, accessor,
                         "expected an array with a bufferView; compressed files are not supported");
    if (view >= r->n_views)
        return refuse_at(r, accessor, "refers to a bufferView that does not exist");
    *out = r->lists[r->n_accessors + view];
    if (!get_whole(*out, "buffer", -1, &buffer))
        return refuse_at(r, *out, "expected a bufferView with a buffer");
    const TarnJson* buffers = tarn__json_get(r->root, "buffers");
    const TarnJson* first = buffers && buffers->type == TARN_JSON_ARRAY ? buffers->child : NULL;
    if (buffer != 0 || first == NULL || tarn__json_get(first, "uri") != NULL)
        return refuse_at(r, *out, "is not in this file; arrays in other files are not supported");
    return TARN_OK;
}

static TarnResult find_array(const GlbReader* r, const TarnJson* number, Array* out)
{
    int64_t type, at, view_at, length;
    *out = (Array){ 0 };
    if (number->type != TARN_JSON_NUMBER ||
        !(number->number >= 0 && number->number < r->n_accessors))
        return refuse_at(r, number, "expected the number of an accessor");
    const TarnJson *accessor = r->lists[(int)number->number], *view = NULL;
    if (tarn__json_get(accessor, "sparse") != NULL)
        return refuse_at(r, accessor, "is sparse, which is not supported");
    TARN_TRY(find_view(r, accessor, &view));
    if (!get_whole(accessor, "count", -1, &out->count) || out->count > INT_MAX ||
        !get_whole(accessor, "componentType", -1, &type) ||
        !get_whole(accessor, "byteOffset", 0, &at))
        return refuse_at(r, accessor, "expected whole numbers count, componentType, byteOffset");
    out->type = (int)type;
    out->width = is_text(accessor, "type", "SCALAR") ? 1
                 : is_text(accessor, "type", "VEC3") ? 3
                                                     : 0;
    int64_t item = out->width * (out->type == U8 ? 1 : out->type == U16 ? 2 : 4);
    if (!get_whole(view, "byteOffset", 0, &view_at) ||
        !get_whole(view, "byteLength", -1, &length) ||
        !get_whole(view, "byteStride", item, &out->stride))
        return refuse_at(r, view, "expected whole numbers byteOffset, byteLength, byteStride");
    bool is_inside = view_at <= r->bin_size && length <= r->bin_size - view_at;
    if (!is_inside) return refuse_at(r, view, "reaches beyond the data of the file");
    if (out->stride < item || out->stride > 252)
        return refuse_at(r, view,
                         "byteStride is out of range; allowed: the size of one item to 252");
    int64_t needed = out->count > 0 ? (out->count - 1) * out->stride + item : 0;
    if (at > length || needed > length - at)
        return refuse_at(r, accessor, "reaches beyond its bufferView");
    out->data = r->bin + view_at + at;
    return TARN_OK;
}

static bool is_kind(const Array* a, int type, int width)
{
    return a->type == type && a->width == width;
}

// Item i of an array of floats. False: it is not finite.
static bool take_floats(const Array* a, int64_t i, float* to)
{
    bool is_good = true;
    memcpy(to, a->data + i * a->stride, (size_t)a->width * sizeof *to);
    for (int c = 0; c < a->width; ++c) is_good = is_good && tarn__is_finite(to[c]);
    return is_good;
}

// ---- Primitives ----------------------------------------------------------------------------------

static TarnResult read_vectors(const GlbReader* r, const TarnJson* attributes, const char* key,
                               int64_t n, TarnVec3* to)
{
    const TarnJson* number = tarn__json_get(attributes, key);
    if (number == NULL) return TARN_OK;
    Array a;
    TARN_TRY(find_array(r, number, &a));
    if (!is_kind(&a, F32, 3)) return refuse_at(r, number, "expected vectors of three floats");
    if (a.count != n) return refuse_at(r, number, "expected as many as there are positions");
    for (int64_t i = 0; i < n; ++i) {
        float v[3];
        if (!take_floats(&a, i, v))
            return refuse_at(r, number, "contains a number that is not finite");
        if (to != NULL) to[r->n_vertices + i] = (TarnVec3){ v[0], v[1], v[2] };
    }
    return TARN_OK;
}

static TarnResult read_attribute(const GlbReader* r, const TarnJson* attributes, int attribute,
                                 int64_t n)
{
    const TarnJson* number = tarn__json_get(attributes, r->keys[attribute]);
    if (number == NULL) return TARN_OK;
    Array a;
    TARN_TRY(find_array(r, number, &a));
    if (!is_kind(&a, F32, 1)) return TARN_OK; // of another kind here than in the first
    if (a.count != n) return refuse_at(r, number, "expected as many as there are positions");
    bool has_room =
        r->mesh != NULL && r->mesh->attribute != NULL && attribute < r->mesh->n_attributes;
    for (int64_t i = 0; i < n; ++i) {
        float value;
        if (!take_floats(&a, i, &value))
            return refuse_at(r, number, "contains a number that is not finite");
        if (has_room)
            r->mesh->attribute[(r->n_vertices + i) * r->mesh->n_attributes + attribute] = value;
    }
    return TARN_OK;
}

static TarnResult read_indices(GlbReader* r, const TarnJson* primitive, int64_t n_vertices)
{
    const TarnJson* number = tarn__json_get(primitive, "indices");
    Array a = { .count = n_vertices };
    if (number != NULL) TARN_TRY(find_array(r, number, &a));
    if (number != NULL && !is_kind(&a, U8, 1) && !is_kind(&a, U16, 1) && !is_kind(&a, U32, 1))
        return refuse_at(r, number, "expected indices of 1, 2 or 4 bytes");
    if (a.count % 3 != 0) return refuse_at(r, primitive, "expected three indices per triangle");
    size_t bytes = a.type == U8 ? 1 : a.type == U16 ? 2 : 4;
    for (int64_t i = 0; i < a.count; ++i) {
        uint32_t index = (uint32_t)i; // without indices: in order
        if (number != NULL) index = 0, memcpy(&index, a.data + i * a.stride, bytes);
        if ((int64_t)index >= n_vertices)
            return refuse_at(r, primitive, "refers to a vertex that does not exist");
        if (r->mesh != NULL && r->mesh->index != NULL)
            r->mesh->index[3 * r->n_triangles + i] = (uint32_t)r->n_vertices + index;
    }
    r->n_triangles += a.count / 3;
    return TARN_OK;
}

// What the first primitive has, all shall have.
static TarnResult name_attributes(GlbReader* r, const TarnJson* attributes)
{
    TarnMeshInfo* info = r->info;
    info->has_normal = tarn__json_get(attributes, "NORMAL") != NULL;
    info->has_velocity = tarn__json_get(attributes, "_VELOCITY") != NULL;
    for (const TarnJson* a = attributes->child; a; a = a->next) {
        if (a->key[0] != '_' || strcmp(a->key, "_VELOCITY") == 0) continue;
        Array array;
        TARN_TRY(find_array(r, a, &array));
        if (!is_kind(&array, F32, 1) || info->n_attributes == TARN_MESH_MAX_ATTRIBUTES) continue;
        r->keys[info->n_attributes] = a->key;
        tarn__mesh_add_name(info, a->key + 1);
        for (char* c = info->attribute_name[info->n_attributes - 1]; *c != '\0'; ++c)
            if (*c >= 'A' && *c <= 'Z') *c = (char)(*c + 32);
    }
    return TARN_OK;
}

static TarnResult read_primitive(GlbReader* r, const TarnJson* primitive, bool is_first)
{
    const TarnJson* attributes = tarn__json_get(primitive, "attributes");
    const TarnJson* position = tarn__json_get(attributes, "POSITION");
    int64_t mode;
    if (!get_whole(primitive, "mode", 4, &mode) || mode != 4)
        return refuse_at(r, primitive,
                         "is not made of triangles (mode 4); other modes are not supported");
    if (position == NULL) return refuse_at(r, primitive, "expected attributes with POSITION");
    if (is_first) TARN_TRY(name_attributes(r, attributes));
    Array a;
    TARN_TRY(find_array(r, position, &a));
    int64_t n = a.count;
    if (r->n_vertices + n > INT_MAX) return refuse_at(r, primitive, "has too many vertices");
    const TarnMesh none = { 0 }, *mesh = r->mesh ? r->mesh : &none;
    TARN_TRY(read_vectors(r, attributes, "POSITION", n, mesh->position));
    TARN_TRY(read_vectors(r, attributes, "NORMAL", n, mesh->normal));
    TARN_TRY(read_vectors(r, attributes, "_VELOCITY", n, mesh->velocity));
    for (int i = 0; i < r->info->n_attributes; ++i) TARN_TRY(read_attribute(r, attributes, i, n));
    TARN_TRY(read_indices(r, primitive, n));
    if (r->n_triangles > INT_MAX) return refuse_at(r, primitive, "has too many triangles");
    r->n_vertices += n;
    return TARN_OK;
}

// ---- The file ------------------------------------------------------------------------------------

static TarnResult read_meshes(GlbReader* r)
{
    const TarnJson* meshes = tarn__json_get(r->root, "meshes");
    if (meshes != NULL && meshes->type != TARN_JSON_ARRAY)
        return refuse_at(r, meshes, "expected an array of meshes");
    r->info->n_meshes = meshes ? meshes->count : 0;
    if (r->info->n_meshes == 0 && r->in->frame == 0) return TARN_OK;
    if (r->in->frame < 0 || r->in->frame >= r->info->n_meshes)
        return tarn__fail(r->in->ctx, TARN_ERR_ARG,
                          "%s: there is no mesh %d; the file has %d, counted from 0", r->in->name,
                          r->in->frame, r->info->n_meshes);
    const TarnJson* mesh = meshes->child;
    for (int m = 0; m < r->in->frame; ++m) mesh = mesh->next;
    const TarnJson* primitives = tarn__json_get(mesh, "primitives");
    if (primitives == NULL || primitives->type != TARN_JSON_ARRAY)
        return refuse_at(r, mesh, "expected a mesh with an array of primitives");
    TARN_TRY(list_children(r));
    for (const TarnJson* p = primitives->child; p; p = p->next)
        TARN_TRY(read_primitive(r, p, p == primitives->child));
    r->info->n_vertices = (int)r->n_vertices;
    r->info->n_triangles = (int)r->n_triangles;
    return TARN_OK;
}

TarnResult tarn__read_glb(const MeshInput* in, TarnMeshInfo* info, TarnMesh* mesh)
{
    TarnMeshInfo again = { 0 };
    GlbReader r = { .in = in, .bin = in->bytes, .info = &again, .mesh = mesh };
    const char* text = NULL;
    size_t n_text = 0;
    TarnJsonDoc doc;
    TARN_TRY(find_chunks(&r, &text, &n_text));
    TARN_TRY(tarn__json_parse(in->ctx, in->name, text, n_text, &doc));
    r.root = doc.root;
    TarnResult result = read_meshes(&r);
    size_t n = (size_t)r.n_accessors + (size_t)r.n_views + 1;
    if (r.lists != NULL) tarn__free(in->ctx, r.lists, n * sizeof *r.lists);
    tarn__json_free(in->ctx, &doc);
    if (result == TARN_OK) *info = again;
    return result;
}
