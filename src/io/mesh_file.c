// Mesh files: what can be written, which format it is, and the order in which a file is read: first all of it
// is checked and counted, then the buffers of the host are looked at, then they are filled.

#include "io/mesh_internal.h"
#include "mesh/mesh_check.h"

// ---- What goes to a file -------------------------------------------------------------------------

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool is_same_name(const char* a, const char* b) // case does not matter: glTF has upper only
{
    for (; *a != '\0' && lower(*a) == lower(*b); ++a, ++b) {}
    return *a == '\0' && *b == '\0';
}

static bool is_name(const char* name)
{
    size_t n = 0;
    for (; name[n] != '\0' && n < TARN_MESH_MAX_NAME; ++n) {
        char c = lower(name[n]);
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) return false;
    }
    return n > 0 && n < TARN_MESH_MAX_NAME;
}

static bool is_taken(const TarnMeshInfo* info, const char* name)
{
    static const char* const own[] = { "x",  "y",  "z",  "nx",       "ny",     "nz",
                                       "vx", "vy", "vz", "position", "normal", "velocity" };
    for (size_t i = 0; i < sizeof own / sizeof own[0]; ++i)
        if (is_same_name(name, own[i])) return true;
    for (int a = 0; a < info->n_attributes; ++a)
        if (is_same_name(name, info->attribute_name[a])) return true;
    return false;
}

static TarnResult name_attributes(TarnContext* ctx, const TarnMesh* mesh, TarnMeshInfo* info)
{
    if (mesh->attribute == NULL) return TARN_OK;
    if (mesh->n_attributes < 0 || mesh->n_attributes > TARN_MESH_MAX_ATTRIBUTES)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "mesh: n_attributes %d is out of range; allowed in a file: 0 to %d",
                          mesh->n_attributes, TARN_MESH_MAX_ATTRIBUTES);
    while (info->n_attributes < mesh->n_attributes) {
        char* name = info->attribute_name[info->n_attributes];
        if (mesh->attribute_names == NULL) {
            snprintf(name, TARN_MESH_MAX_NAME, "attribute_%d", info->n_attributes++);
            continue;
        }
        const char* given = mesh->attribute_names[info->n_attributes];
        if (given == NULL || !is_name(given))
            return tarn__fail(ctx, TARN_ERR_ARG,
                              "mesh: the name '%.40s' of attribute %d is invalid; allowed: 1 to %d "
                              "letters, digits and _",
                              given ? given : "(NULL)", info->n_attributes, TARN_MESH_MAX_NAME - 1);
        if (is_taken(info, given))
            return tarn__fail(ctx, TARN_ERR_ARG,
                              "mesh: the name '%s' of attribute %d is used twice; choose another",
                              given, info->n_attributes);
        snprintf(name, TARN_MESH_MAX_NAME, "%s", given);
        ++info->n_attributes;
    }
    return TARN_OK;
}

// values: per values for each vertex.
static TarnResult check_finite(TarnContext* ctx, const float* values, int n_vertices, int per,
                               const char* what)
{
    for (size_t i = 0; i < (size_t)n_vertices * (size_t)per; ++i) {
        if (!tarn__is_finite(values[i]))
            return tarn__fail(ctx, TARN_ERR_DATA, "mesh: the %s of vertex %zu is not finite", what,
                              i / (size_t)per);
    }
    return TARN_OK;
}

TarnResult tarn__mesh_describe(TarnContext* ctx, const TarnMesh* mesh, TarnMeshInfo* info)
{
    *info = (TarnMeshInfo){ .n_meshes = 1 };
    if (mesh == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "mesh: it is NULL");
    TARN_TRY(tarn__mesh_check(ctx, mesh));
    if (mesh->position == NULL && mesh->n_vertices > 0)
        return tarn__fail(ctx, TARN_ERR_ARG, "mesh: position is NULL, but there are vertices");
    TARN_TRY(name_attributes(ctx, mesh, info));
    info->n_vertices = mesh->n_vertices;
    info->n_triangles = mesh->n_triangles;
    info->has_normal = mesh->normal != NULL;
    info->has_velocity = mesh->velocity != NULL;
    int n = mesh->n_vertices;
    if (n > 0) TARN_TRY(check_finite(ctx, &mesh->position->x, n, 3, "position"));
    if (n > 0 && info->has_normal) TARN_TRY(check_finite(ctx, &mesh->normal->x, n, 3, "normal"));
    if (n > 0 && info->has_velocity)
        TARN_TRY(check_finite(ctx, &mesh->velocity->x, n, 3, "velocity"));
    if (info->n_attributes > 0)
        TARN_TRY(check_finite(ctx, mesh->attribute, n, info->n_attributes, "attribute"));
    return TARN_OK;
}

// ---- Writing -------------------------------------------------------------------------------------

TarnResult tarn_mesh_format(TarnContext* ctx, const char* path, TarnMeshFormat* out)
{
    static const char* const endings[] = { ".obj", ".ply", ".glb" };
    if (path == NULL || out == NULL)
        return tarn__fail(ctx, TARN_ERR_ARG, "mesh_format: path or out is NULL");
    for (int f = 0; f < 3; ++f) {
        if (!tarn__ends_with(path, endings[f])) continue;
        *out = (TarnMeshFormat)f;
        return TARN_OK;
    }
    return tarn__fail(ctx, TARN_ERR_ARG, "'%s' should end in .obj, .ply or .glb", path);
}

static TarnResult write_mesh(TarnContext* ctx, const TarnMesh* mesh, TarnMeshFormat format,
                             const TarnMeshInfo* info, Output* out)
{
    if (format == TARN_MESH_GLB) return tarn__write_glb(ctx, mesh, info, out);
    if (format == TARN_MESH_PLY)
        tarn__write_ply(mesh, info, out);
    else
        tarn__write_obj(mesh, info, out);
    return TARN_OK;
}

static TarnResult check_format(TarnContext* ctx, TarnMeshFormat format)
{
    if ((unsigned)format <= TARN_MESH_GLB) return TARN_OK;
    return tarn__fail(ctx, TARN_ERR_ARG, "mesh: there is no format %d", (int)format);
}

TarnResult tarn_mesh_write(TarnContext* ctx, const TarnMesh* mesh, TarnMeshFormat format,
                           void* buffer, size_t capacity, size_t* size)
{
    if (size == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "mesh_write: size is NULL");
    *size = 0;
    TarnMeshInfo info;
    TARN_TRY(check_format(ctx, format));
    TARN_TRY(tarn__mesh_describe(ctx, mesh, &info));
    Output out = { .bytes = buffer, .capacity = buffer ? capacity : 0 };
    TARN_TRY(write_mesh(ctx, mesh, format, &info, &out));
    *size = out.n;
    if (out.n > out.capacity)
        return tarn__fail(ctx, TARN_ERR_CAPACITY,
                          "mesh_write: %zu bytes are needed, but the buffer has %zu", out.n,
                          out.capacity);
    return TARN_OK;
}

TarnResult tarn_mesh_save(TarnContext* ctx, const TarnMesh* mesh, const char* path)
{
    TarnMeshFormat format;
    TarnMeshInfo info;
    Output out;
    TARN_TRY(tarn_mesh_format(ctx, path, &format));
    TARN_TRY(tarn__mesh_describe(ctx, mesh, &info));
    TARN_TRY(tarn__open_output(ctx, path, &out));
    TarnResult result = write_mesh(ctx, mesh, format, &info, &out);
    if (result == TARN_OK) return tarn__close_output(ctx, path, &out);
    fclose(out.file);
    remove(path);
    return result;
}

// ---- Reading -------------------------------------------------------------------------------------

void tarn__mesh_add_name(TarnMeshInfo* info, const char* name)
{
    char* to = info->attribute_name[info->n_attributes++];
    int n = 0;
    for (; name[n] != '\0' && n < TARN_MESH_MAX_NAME - 1; ++n)
        to[n] = name[n] > ' ' && name[n] <= '~' ? name[n] : '?';
    to[n] = '\0';
}

bool tarn__mesh_word(MeshText* text)
{
    int n = 0;
    // A backslash at the end of a line goes on in the next.
    for (; text->at < text->end; ++text->at) {
        bool is_joined = *text->at == '\\' && text->end - text->at > 1 && text->at[1] == '\n';
        if (is_joined) ++text->at, ++text->line;
        if (!is_joined && *text->at != ' ' && *text->at != '\t' && *text->at != '\r') break;
    }
    for (; text->at < text->end && (unsigned char)*text->at > ' '; ++text->at)
        if (n < MAX_WORD) text->word[n++] = *text->at;
    text->word[n] = '\0';
    return n > 0;
}

bool tarn__mesh_next_line(MeshText* text)
{
    while (text->at < text->end && *text->at != '\n') ++text->at;
    if (text->at == text->end) return false;
    ++text->at, ++text->line;
    return true;
}

static TarnResult read_any(const MeshInput* in, TarnMeshFormat format, TarnMeshInfo* info,
                           TarnMesh* mesh)
{
    if (format == TARN_MESH_GLB) return tarn__read_glb(in, info, mesh);
    return format == TARN_MESH_PLY ? tarn__read_ply(in, info, mesh)
                                   : tarn__read_obj(in, info, mesh);
}

static void clear(const TarnMesh* mesh)
{
    size_t n = (size_t)mesh->n_vertices;
    if (mesh->normal) memset(mesh->normal, 0, n * sizeof *mesh->normal);
    if (mesh->velocity) memset(mesh->velocity, 0, n * sizeof *mesh->velocity);
    if (mesh->attribute)
        memset(mesh->attribute, 0, n * (size_t)mesh->n_attributes * sizeof *mesh->attribute);
}

static TarnResult read_bytes(TarnContext* ctx, const void* data, size_t size, const char* name,
                             TarnMeshFormat format, int frame, TarnMesh* mesh, TarnMeshInfo* info)
{
    int64_t memo = 0;
    MeshInput in = { ctx, name ? name : "mesh", data ? data : "", size, frame, &memo };
    TarnMeshInfo found;
    if (info == NULL) info = &found;
    *info = (TarnMeshInfo){ 0 };
    TARN_TRY(check_format(ctx, format));
    if (data == NULL && size > 0)
        return tarn__fail(ctx, TARN_ERR_ARG, "mesh_read: the bytes of the file are NULL");
    if (mesh == NULL) return tarn__fail(ctx, TARN_ERR_ARG, "mesh_read: mesh is NULL");
    if (mesh->attribute != NULL && mesh->n_attributes < 0)
        return tarn__fail(ctx, TARN_ERR_ARG,
                          "mesh_read: n_attributes is %d; it must not be negative",
                          mesh->n_attributes);
    TarnMeshInfo whole = { .n_meshes = 1 };
    TARN_TRY(read_any(&in, format, &whole, NULL));
    *info = whole;
    TARN_TRY(tarn__mesh_room(ctx, in.name, mesh, whole.n_vertices, whole.n_triangles));
    clear(mesh);
    return read_any(&in, format, &whole, mesh);
}

TarnResult tarn_mesh_read(TarnContext* ctx, const void* data, size_t size, const char* name,
                          TarnMeshFormat format, TarnMesh* mesh, TarnMeshInfo* info)
{
    return read_bytes(ctx, data, size, name, format, 0, mesh, info);
}

TarnResult tarn_mesh_read_frame(TarnContext* ctx, const void* data, size_t size, const char* name,
                                int n, TarnMesh* mesh, TarnMeshInfo* info)
{
    return read_bytes(ctx, data, size, name, TARN_MESH_GLB, n, mesh, info);
}

TarnResult tarn_mesh_load(TarnContext* ctx, const char* path, TarnMesh* mesh, TarnMeshInfo* info)
{
    TarnMeshFormat format;
    TARN_TRY(tarn_mesh_format(ctx, path, &format));
    uint8_t* bytes;
    size_t size, allocated;
    TARN_TRY(tarn__load_bytes(ctx, path, &bytes, &size, &allocated));
    TarnResult result = read_bytes(ctx, bytes, size, path, format, 0, mesh, info);
    tarn__free(ctx, bytes, allocated);
    return result;
}
