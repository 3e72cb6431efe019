// Wavefront OBJ: lines of text.
//
//     v 1 0.5 -2          a position [m]                  f 1//1 2//2 3//3     a polygon: position/texture/normal,
//     vn 0 1 0            a normal                                             counted from 1, or back from -1
//
// Here a vertex is a position of the file, in its order, so that a closed surface stays closed. The normal
// that a corner names goes to its vertex; where corners disagree the last one has it. Other lines are passed
// over.

#include "io/mesh_internal.h"
#include <limits.h>

// ---- Writing -------------------------------------------------------------------------------------

static void put_number(Output* out, float value)
{
    char text[NUMBER_TEXT + 2] = " ";
    int n = value == 0.0f && 1.0f / value < 0.0f ? 1 : 0; // -0, which tarn__float_text writes as 0
    if (n) text[1] = '-';
    n += 1 + tarn__float_text(value, text + 1 + n);
    tarn__put(out, text, (size_t)n);
}

static void put_vectors(Output* out, const char* key, const TarnVec3* v, int n)
{
    for (int i = 0; i < n; ++i) {
        tarn__put_text(out, key);
        put_number(out, v[i].x);
        put_number(out, v[i].y);
        put_number(out, v[i].z);
        tarn__put(out, "\n", 1);
    }
}

void tarn__write_obj(const TarnMesh* mesh, const TarnMeshInfo* info, Output* out)
{
    tarn__put_text(out, "# Tarn ");
    tarn__put_text(out, tarn_version());
    tarn__put_text(out, ": meters, y is up\no surface\n");
    put_vectors(out, "v", mesh->position, info->n_vertices);
    if (info->has_normal) put_vectors(out, "vn", mesh->normal, info->n_vertices);
    for (size_t t = 0; t < (size_t)info->n_triangles; ++t) {
        const uint32_t* i = mesh->index + 3 * t;
        unsigned a = i[0] + 1, b = i[1] + 1, c = i[2] + 1;
        char line[96];
        int n = info->has_normal
                    ? snprintf(line, sizeof line, "f %u//%u %u//%u %u//%u\n", a, a, b, b, c, c)
                    : snprintf(line, sizeof line, "f %u %u %u\n", a, b, c);
        tarn__put(out, line, (size_t)n);
    }
}

// ---- Reading -------------------------------------------------------------------------------------

typedef struct ObjReader {
    const MeshInput* in;
    MeshText text;
    int64_t n_positions, n_normals, n_triangles;
    bool is_obj;       // there was a line that such a file has
    TarnMesh* mesh;    // NULL in the first pass
    TarnVec3* normals; // of the file; NULL in the first pass
} ObjReader;

static TarnResult refuse(const ObjReader* r, const char* what)
{
    return tarn__fail(r->in->ctx, TARN_ERR_DATA, "%s:%d: %s, found '%.40s'", r->in->name,
                      r->text.line, what, r->text.word);
}

static TarnResult read_vector(ObjReader* r, TarnVec3* out)
{
    float value[3];
    for (int i = 0; i < 3; ++i) {
        double number;
        if (!tarn__mesh_word(&r->text) || !tarn__word_number(r->text.word, &number) ||
            !tarn__is_finite((float)number))
            return refuse(r, "expected three numbers");
        value[i] = (float)number;
    }
    *out = (TarnVec3){ value[0], value[1], value[2] };
    return TARN_OK;
}

// A number of a corner, from 1 or back from -1, as an index from 0. False: there is no such thing before.
static bool take_index(const char** at, int64_t n_before, int64_t* out)
{
    const char* p = *at;
    bool is_negative = *p == '-';
    int64_t value = 0;
    p += is_negative;
    if (*p < '0' || *p > '9') return false;
    for (; *p >= '0' && *p <= '9'; ++p) {
        value = 10 * value + (*p - '0');
        if (value > INT_MAX) return false;
    }
    *at = p;
    *out = is_negative ? n_before - value : value - 1;
    return *out >= 0 && *out < n_before;
}

// "7", "7/2", "7//3" or "7/2/3". Texture coordinates are ignored.
static TarnResult read_corner(ObjReader* r, uint32_t* vertex)
{
    const char* p = r->text.word;
    int64_t position, normal = -1;
    if (!take_index(&p, r->n_positions, &position))
        return refuse(r, "expected a corner that refers to an earlier vertex");
    if (*p == '/') {
        ++p;
        if (*p == '-') ++p;
        while (*p >= '0' && *p <= '9') ++p;
        if (*p == '/') {
            ++p;
            if (!take_index(&p, r->n_normals, &normal))
                return refuse(r, "expected a corner that refers to an earlier normal");
        }
    }
    if (*p != '\0') return refuse(r, "expected a corner such as 7, 7/2, 7//3 or 7/2/3");
    *vertex = (uint32_t)position;
    if (r->normals != NULL && normal >= 0 && r->mesh->normal != NULL)
        r->mesh->normal[position] = r->normals[normal];
    return TARN_OK;
}

static TarnResult read_face(ObjReader* r)
{
    uint32_t first = 0, last = 0, corner = 0;
    int n = 0;
    for (; tarn__mesh_word(&r->text); last = corner, ++n) {
        TARN_TRY(read_corner(r, &corner));
        if (n == 0) first = corner;
        if (n < 2) continue;
        if (r->mesh != NULL && r->mesh->index != NULL) {
            uint32_t* to = r->mesh->index + 3 * r->n_triangles;
            to[0] = first, to[1] = last, to[2] = corner;
        }
        ++r->n_triangles;
    }
    return n >= 3 ? TARN_OK : refuse(r, "expected at least three corners");
}

static TarnResult read_line(ObjReader* r)
{
    if (!tarn__mesh_word(&r->text)) return TARN_OK;
    TarnVec3 v;
    r->is_obj = r->is_obj || strcmp(r->text.word, "v") == 0 || strcmp(r->text.word, "o") == 0;
    if (strcmp(r->text.word, "v") == 0) {
        TARN_TRY(read_vector(r, &v));
        if (r->mesh != NULL && r->mesh->position != NULL) r->mesh->position[r->n_positions] = v;
        ++r->n_positions;
    } else if (strcmp(r->text.word, "vn") == 0) {
        TARN_TRY(read_vector(r, &v));
        if (r->normals != NULL) r->normals[r->n_normals] = v;
        ++r->n_normals;
    } else if (strcmp(r->text.word, "f") == 0) {
        return read_face(r);
    }
    return TARN_OK;
}

static TarnResult read_lines(ObjReader* r)
{
    const char* begin = (const char*)r->in->bytes;
    r->text = (MeshText){ begin, begin + r->in->size, 1, "" };
    do TARN_TRY(read_line(r));
    while (tarn__mesh_next_line(&r->text));
    return TARN_OK;
}

static TarnResult count_lines(const MeshInput* in, TarnMeshInfo* info)
{
    ObjReader r = { .in = in };
    TARN_TRY(read_lines(&r));
    if (!r.is_obj)
        return tarn__fail(in->ctx, TARN_ERR_DATA,
                          "%s: it has no vertex line, \"v x y z\"; is it an .obj file?", in->name);
    if (r.n_positions > INT_MAX || r.n_triangles > INT_MAX)
        return tarn__fail(in->ctx, TARN_ERR_DATA, "%s: more than %d vertices or triangles",
                          in->name, INT_MAX);
    info->n_vertices = (int)r.n_positions;
    info->n_triangles = (int)r.n_triangles;
    info->has_normal = r.n_normals > 0;
    *in->memo = r.n_normals;
    return TARN_OK;
}

TarnResult tarn__read_obj(const MeshInput* in, TarnMeshInfo* info, TarnMesh* mesh)
{
    if (mesh == NULL) return count_lines(in, info);
    ObjReader r = { .in = in, .mesh = mesh };
    size_t bytes = ((size_t)*in->memo + 1) * sizeof(TarnVec3);
    r.normals = tarn__alloc(in->ctx, bytes);
    if (r.normals == NULL)
        return tarn__fail(in->ctx, TARN_ERR_MEMORY, "%s: out of memory for %lld normals", in->name,
                          (long long)*in->memo);
    TarnResult result = read_lines(&r);
    tarn__free(in->ctx, r.normals, bytes);
    return result;
}
