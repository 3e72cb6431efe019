// PLY: a header of text that names elements and their properties, then their values.
//
//     ply                                       Written: binary, little endian; x y z, nx ny nz, vx vy vz, then
//     format binary_little_endian 1.0           the attributes under their names, all float; triangles as lists of
//     element vertex 8                          a uchar and three ints.
//     property float x                          Read: also text and big endian, any order, any type of number, other
//     ...                                       elements and lists passed over, polygons as fans.
//     element face 12
//     property list uchar int vertex_indices
//     end_header

#include "io/mesh_internal.h"
#include <limits.h>

// ---- Writing -------------------------------------------------------------------------------------

static void put_properties(Output* out, const char* x, const char* y, const char* z)
{
    char text[80];
    snprintf(text, sizeof text, "property float %s\nproperty float %s\nproperty float %s\n", x, y,
             z);
    tarn__put_text(out, text);
}

static void put_header(const TarnMeshInfo* info, Output* out)
{
    char text[160];
    snprintf(text, sizeof text,
             "ply\nformat binary_little_endian 1.0\ncomment Tarn %s: meters, y is up\n"
             "element vertex %d\n",
             tarn_version(), info->n_vertices);
    tarn__put_text(out, text);
    put_properties(out, "x", "y", "z");
    if (info->has_normal) put_properties(out, "nx", "ny", "nz");
    if (info->has_velocity) put_properties(out, "vx", "vy", "vz");
    for (int a = 0; a < info->n_attributes; ++a) {
        snprintf(text, sizeof text, "property float %s\n", info->attribute_name[a]);
        tarn__put_text(out, text);
    }
    snprintf(text, sizeof text,
             "element face %d\nproperty list uchar int vertex_indices\nend_header\n",
             info->n_triangles);
    tarn__put_text(out, text);
}

void tarn__write_ply(const TarnMesh* mesh, const TarnMeshInfo* info, Output* out)
{
    // Every target we build for is little endian.
    put_header(info, out);
    size_t attributes = (size_t)info->n_attributes;
    for (size_t v = 0; v < (size_t)info->n_vertices; ++v) {
        tarn__put(out, &mesh->position[v], sizeof(TarnVec3));
        if (info->has_normal) tarn__put(out, &mesh->normal[v], sizeof(TarnVec3));
        if (info->has_velocity) tarn__put(out, &mesh->velocity[v], sizeof(TarnVec3));
        if (attributes > 0)
            tarn__put(out, mesh->attribute + attributes * v, attributes * sizeof(float));
    }
    for (size_t t = 0; t < (size_t)info->n_triangles; ++t) {
        uint8_t row[13] = { 3 };
        memcpy(row + 1, mesh->index + 3 * t, 12);
        tarn__put(out, row, sizeof row);
    }
}

// ---- What the header says ------------------------------------------------------------------------

enum { MAX_ELEMENTS = 16, MAX_PROPERTIES = 128 };
enum { NOT_USED = -1, ATTRIBUTES = 9, CORNERS = 100 }; // 0 to 8: x y z nx ny nz vx vy vz

typedef enum NumberType { I8, U8, I16, U16, I32, U32, F32, F64, N_NUMBER_TYPES } NumberType;

typedef struct Property {
    NumberType type;
    NumberType count_type; // of a list; else N_NUMBER_TYPES
    int role;
} Property;

typedef enum ElementKind { OTHERS, VERTICES, FACES } ElementKind;

typedef struct Element {
    ElementKind kind;
    int64_t count;
    int first, n_properties;
} Element;

typedef enum Encoding { TEXT, LITTLE, BIG } Encoding;

typedef struct PlyReader {
    const MeshInput* in;
    MeshText text; // the header, and what follows it if that is text
    Encoding encoding;
    Element element[MAX_ELEMENTS];
    Property property[MAX_PROPERTIES];
    int n_elements, n_properties;
    TarnMeshInfo* info;
    int64_t n_triangles;
    TarnMesh* mesh; // NULL in the first pass
} PlyReader;

static TarnResult refuse(const PlyReader* r, const char* what)
{
    return tarn__fail(r->in->ctx, TARN_ERR_DATA, "%s:%d: %s, found '%.40s'", r->in->name,
                      r->text.line, what, r->text.word);
}

static bool is_word(const PlyReader* r, const char* word)
{
    return strcmp(r->text.word, word) == 0;
}

static TarnResult read_format(PlyReader* r)
{
    static const char* const names[] = { "ascii", "binary_little_endian", "binary_big_endian" };
    tarn__mesh_word(&r->text);
    for (int e = 0; e < 3; ++e) {
        if (!is_word(r, names[e])) continue;
        r->encoding = (Encoding)e;
        tarn__mesh_word(&r->text);
        return is_word(r, "1.0") ? TARN_OK : refuse(r, "expected version 1.0");
    }
    return refuse(r, "expected ascii, binary_little_endian or binary_big_endian");
}

static TarnResult read_element(PlyReader* r)
{
    if (r->n_elements == MAX_ELEMENTS) return refuse(r, "expected at most 16 elements");
    Element* e = &r->element[r->n_elements++];
    *e = (Element){ .first = r->n_properties };
    tarn__mesh_word(&r->text);
    e->kind = is_word(r, "vertex") ? VERTICES : is_word(r, "face") ? FACES : OTHERS;
    for (Element* other = r->element; e->kind != OTHERS && other < e; ++other)
        if (other->kind == e->kind) return refuse(r, "expected each element once");
    tarn__mesh_word(&r->text);
    double count;
    if (!tarn__word_number(r->text.word, &count) || !(count >= 0 && count < 1e15) ||
        (double)(int64_t)count != count || (e->kind != OTHERS && count > INT_MAX))
        return refuse(r, "expected a whole number of elements, at most 2147483647");
    e->count = (int64_t)count;
    return TARN_OK;
}

static bool read_type(PlyReader* r, NumberType* out)
{
    static const char* const names[2][N_NUMBER_TYPES] = {
        { "char", "uchar", "short", "ushort", "int", "uint", "float", "double" },
        { "int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64" },
    };
    for (int t = 0; t < N_NUMBER_TYPES; ++t) {
        if (!is_word(r, names[0][t]) && !is_word(r, names[1][t])) continue;
        *out = (NumberType)t;
        return true;
    }
    return false;
}

// What a property of a vertex is for, by its name.
static int vertex_role(PlyReader* r)
{
    static const char* const names[] = { "x", "y", "z", "nx", "ny", "nz", "vx", "vy", "vz" };
    for (int n = 0; n < ATTRIBUTES; ++n)
        if (is_word(r, names[n])) return n;
    if (r->info->n_attributes == TARN_MESH_MAX_ATTRIBUTES) return NOT_USED;
    tarn__mesh_add_name(r->info, r->text.word);
    return ATTRIBUTES + r->info->n_attributes - 1;
}

static TarnResult read_property(PlyReader* r)
{
    if (r->n_elements == 0) return refuse(r, "expected an element before its properties");
    if (r->n_properties == MAX_PROPERTIES) return refuse(r, "expected at most 128 properties");
    Element* e = &r->element[r->n_elements - 1];
    Property* p = &r->property[r->n_properties++];
    *p = (Property){ .count_type = N_NUMBER_TYPES, .role = NOT_USED };
    ++e->n_properties;
    tarn__mesh_word(&r->text);
    bool is_list = is_word(r, "list");
    if (is_list) {
        tarn__mesh_word(&r->text);
        if (!read_type(r, &p->count_type)) return refuse(r, "expected the type of a number");
        tarn__mesh_word(&r->text);
    }
    if (!read_type(r, &p->type)) return refuse(r, "expected the type of a number");
    if (!tarn__mesh_word(&r->text)) return refuse(r, "expected the name of a property");
    if (e->kind == VERTICES && !is_list) p->role = vertex_role(r);
    if (e->kind == FACES && is_list && (is_word(r, "vertex_indices") || is_word(r, "vertex_index")))
        p->role = CORNERS;
    return TARN_OK;
}

// Vectors count when all three of their components are there.
static TarnResult finish_header(PlyReader* r)
{
    int n_of[3] = { 0 };
    for (int p = 0; p < r->n_properties; ++p) {
        int role = r->property[p].role;
        if (role >= 0 && role < ATTRIBUTES) n_of[role / 3] |= 1 << role % 3;
    }
    for (int p = 0; p < r->n_properties; ++p) {
        int role = r->property[p].role;
        if (role >= 0 && role < ATTRIBUTES && n_of[role / 3] != 7) r->property[p].role = NOT_USED;
    }
    if (n_of[0] != 7) return refuse(r, "expected an element vertex with x, y and z before");
    r->info->has_normal = n_of[1] == 7;
    r->info->has_velocity = n_of[2] == 7;
    for (int e = 0; e < r->n_elements; ++e)
        if (r->element[e].kind == VERTICES) r->info->n_vertices = (int)r->element[e].count;
    return TARN_OK;
}

static TarnResult read_header(PlyReader* r)
{
    bool has_format = false;
    tarn__mesh_word(&r->text);
    if (!is_word(r, "ply")) return refuse(r, "expected 'ply' at the beginning");
    while (tarn__mesh_next_line(&r->text)) {
        if (!tarn__mesh_word(&r->text)) continue;
        if (is_word(r, "comment") || is_word(r, "obj_info")) continue;
        if (is_word(r, "end_header")) {
            if (!has_format) return refuse(r, "expected a line 'format' before");
            tarn__mesh_next_line(&r->text);
            return finish_header(r);
        }
        if (is_word(r, "format")) {
            TARN_TRY(read_format(r));
            has_format = true;
        } else if (is_word(r, "element"))
            TARN_TRY(read_element(r));
        else if (is_word(r, "property"))
            TARN_TRY(read_property(r));
        else
            return refuse(r, "expected element, property, comment or end_header");
    }
    return refuse(r, "expected 'end_header'");
}

// ---- The values ----------------------------------------------------------------------------------

static double decode(NumberType type, const uint8_t bytes[8])
{
    int8_t i8;
    int16_t i16;
    int32_t i32;
    uint16_t u16;
    uint32_t u32;
    float f32;
    double f64;
    switch (type) {
    case I8:
        return memcpy(&i8, bytes, 1), (double)i8;
    case U8:
        return (double)bytes[0];
    case I16:
        return memcpy(&i16, bytes, 2), (double)i16;
    case U16:
        return memcpy(&u16, bytes, 2), (double)u16;
    case I32:
        return memcpy(&i32, bytes, 4), (double)i32;
    case U32:
        return memcpy(&u32, bytes, 4), (double)u32;
    case F32:
        return memcpy(&f32, bytes, 4), (double)f32;
    default:
        return memcpy(&f64, bytes, 8), f64;
    }
}

// False: the file ends here, or it is text and this is no number.
static bool take(PlyReader* r, NumberType type, double* out)
{
    static const int sizes[] = { 1, 1, 2, 2, 4, 4, 4, 8 };
    if (r->encoding == TEXT) {
        while (!tarn__mesh_word(&r->text))
            if (!tarn__mesh_next_line(&r->text)) return false;
        return tarn__word_number(r->text.word, out);
    }
    int n = sizes[type];
    if (r->text.end - r->text.at < n) return false;
    uint8_t bytes[8] = { 0 };
    for (int i = 0; i < n; ++i) bytes[i] = (uint8_t)r->text.at[r->encoding == BIG ? n - 1 - i : i];
    r->text.at += n;
    *out = decode(type, bytes);
    return true;
}

static TarnResult refuse_value(const PlyReader* r, const Element* e, int64_t row, const char* what)
{
    static const char* const names[] = { "element", "vertex", "face" };
    return tarn__fail(r->in->ctx, TARN_ERR_DATA, "%s: %s %lld %s", r->in->name, names[e->kind],
                      (long long)row, what);
}

static void store(PlyReader* r, int64_t vertex, int role, float value)
{
    TarnVec3* vectors[3] = { r->mesh->position, r->mesh->normal, r->mesh->velocity };
    int a = role - ATTRIBUTES;
    if (a >= 0) {
        if (r->mesh->attribute != NULL && a < r->mesh->n_attributes)
            r->mesh->attribute[vertex * r->mesh->n_attributes + a] = value;
    } else if (vectors[role / 3] != NULL)
        (&vectors[role / 3][vertex].x)[role % 3] = value;
}

// A list of numbers; of the corners of a face, triangles.
static TarnResult read_list(PlyReader* r, const Element* e, int64_t row, const Property* p)
{
    double count, number;
    uint32_t first = 0, last = 0, corner = 0;
    if (!take(r, p->count_type, &count)) return refuse_value(r, e, row, "is cut off");
    if (!(count >= (p->role == CORNERS ? 3 : 0) && count <= UINT_MAX))
        return refuse_value(r, e, row, "has a list with too few or too many numbers");
    for (int64_t i = 0; i < (int64_t)count; ++i, last = corner) {
        if (!take(r, p->type, &number)) return refuse_value(r, e, row, "is cut off");
        if (p->role != CORNERS) continue;
        if (!(number >= 0 && number < r->info->n_vertices))
            return refuse_value(r, e, row, "refers to a vertex that does not exist");
        corner = (uint32_t)number;
        if (i == 0) first = corner;
        if (i < 2) continue;
        if (r->mesh != NULL && r->mesh->index != NULL) {
            uint32_t* to = r->mesh->index + 3 * r->n_triangles;
            to[0] = first, to[1] = last, to[2] = corner;
        }
        if (++r->n_triangles > INT_MAX) return refuse_value(r, e, row, "is one too many");
    }
    return TARN_OK;
}

static TarnResult read_row(PlyReader* r, const Element* e, int64_t row)
{
    for (int n = 0; n < e->n_properties; ++n) {
        const Property* p = &r->property[e->first + n];
        double number;
        if (p->count_type != N_NUMBER_TYPES) {
            TARN_TRY(read_list(r, e, row, p));
            continue;
        }
        if (!take(r, p->type, &number)) return refuse_value(r, e, row, "is cut off");
        if (p->role == NOT_USED) continue;
        if (!tarn__is_finite((float)number)) return refuse_value(r, e, row, "is not finite");
        if (r->mesh != NULL) store(r, row, p->role, (float)number);
    }
    return TARN_OK;
}

TarnResult tarn__read_ply(const MeshInput* in, TarnMeshInfo* info, TarnMesh* mesh)
{
    const char* begin = (const char*)in->bytes;
    TarnMeshInfo again = { .n_meshes = 1 };
    PlyReader r = { .in = in, .mesh = mesh, .info = &again };
    r.text = (MeshText){ begin, begin + in->size, 1, "" };
    TARN_TRY(read_header(&r));
    for (int e = 0; e < r.n_elements; ++e) {
        // A row takes a byte at least: a count that lies ends with the file. Rows of nothing are not counted.
        int64_t count = r.element[e].n_properties > 0 ? r.element[e].count : 0;
        for (int64_t row = 0; row < count; ++row) TARN_TRY(read_row(&r, &r.element[e], row));
    }
    again.n_triangles = (int)r.n_triangles;
    *info = again;
    return TARN_OK;
}
