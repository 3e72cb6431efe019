// Programs of the renderer. Each is compiled when it is used for the first time: a picture needs about twenty of more than
// a hundred, and a processor that draws takes a tenth of a second for each. A renderer of another size takes them over.

#include "renderer.h"
#include <stdio.h>
#include <string.h>

TarnResult tarn__shelf_create(TarnContext* ctx, Shelf** out)
{
    *out = tarn__alloc(ctx, sizeof **out);
    if (!*out) return tarn__fail(ctx, TARN_ERR_MEMORY, "renderer: no memory for its programs");
    **out = (Shelf){ .ctx = ctx };
    return TARN_OK;
}

void tarn__shelf_destroy(Shelf* shelf, bool is_current)
{
    if (!shelf) return;
    for (GlProgram* p = shelf->first; p;) {
        GlProgram* next = p->next;
        if (p->id && is_current) glDeleteProgram(p->id);
        tarn__free(shelf->ctx, p, sizeof *p);
        p = next;
    }
    tarn__free(shelf->ctx, shelf, sizeof *shelf);
}

void tarn__shelf_take(Shelf* shelf, bool is_taken)
{
    for (GlProgram* p = shelf->first; p; p = p->next) p->is_taken = is_taken;
}

// ---- Taking ------------------------------------------------------------------------------------

static bool is_same(const char* const* a, const char* const* b)
{
    while (*a && *a == *b) ++a, ++b;
    return *a == *b;
}

static bool copy_parts(const char* const* parts, const char* out[MAX_PARTS + 1])
{
    int n = 0;
    while (n < MAX_PARTS && parts[n]) out[n] = parts[n], ++n;
    out[n] = NULL;
    return parts[n] == NULL;
}

TarnResult tarn__program_create(Shelf* shelf, const char* name, const char* defines,
                                const char* const* vertex, const char* const* fragment,
                                Program* out)
{
    for (GlProgram* p = shelf->first; p; p = p->next) {
        if (p->is_taken || strcmp(p->defines, defines) != 0) continue;
        if (!is_same(p->vertex, vertex) || !is_same(p->fragment, fragment)) continue;
        p->is_taken = true;
        out->gl = p;
        return TARN_OK;
    }
    GlProgram* p = tarn__alloc(shelf->ctx, sizeof *p);
    if (!p) return tarn__fail(shelf->ctx, TARN_ERR_MEMORY, "renderer: no memory for %s", name);
    *p = (GlProgram){ .name = name, .is_taken = true, .next = shelf->first };
    shelf->first = p;
    bool has_room = strlen(defines) < sizeof p->defines;
    has_room = copy_parts(vertex, p->vertex) && copy_parts(fragment, p->fragment) && has_room;
    if (!has_room)
        return tarn__fail(shelf->ctx, TARN_ERR_ARG, "renderer: %s has more than %d parts", name,
                          MAX_PARTS);
    memcpy(p->defines, defines, strlen(defines) + 1);
    out->gl = p;
    return TARN_OK;
}

TarnResult tarn__programs_create(Shelf* shelf, const ProgramDef* list, int n)
{
    for (int i = 0; i < n; ++i)
        TARN_TRY(tarn__program_create(shelf, list[i].name, list[i].defines, list[i].vertex,
                                      list[i].fragment, list[i].program));
    return TARN_OK;
}

// ---- Compiling ---------------------------------------------------------------------------------

// What the driver says about a shader or a program that it refused; that is deleted. what: "compile the vertex shader of".
static TarnResult refused(TarnContext* ctx, const GlProgram* p, const char* what, GLuint id)
{
    char log[400] = "";
    if (glIsShader(id)) {
        glGetShaderInfoLog(id, sizeof log, NULL, log);
        glDeleteShader(id);
    } else {
        glGetProgramInfoLog(id, sizeof log, NULL, log);
        glDeleteProgram(id);
    }
    return tarn__fail(ctx, TARN_ERR_UNSUPPORTED, "renderer: the driver does not %s %s: %s", what,
                      p->name, log);
}

static TarnResult compile(TarnContext* ctx, const GlProgram* p, GLenum kind, GLuint* out)
{
    const char* text[MAX_PARTS + 2] = { tarn__gl_prelude(), p->defines };
    const char* const* parts = kind == GL_VERTEX_SHADER ? p->vertex : p->fragment;
    int n = 2;
    for (int i = 0; parts[i]; ++i) text[n++] = parts[i];

    GLuint shader = glCreateShader(kind);
    glShaderSource(shader, n, text, NULL);
    glCompileShader(shader);
    GLint is_ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &is_ok);
    if (!is_ok)
        return refused(ctx, p,
                       kind == GL_VERTEX_SHADER ? "compile the vertex shader of"
                                                : "compile the fragment shader of",
                       shader);
    *out = shader;
    return TARN_OK;
}

static int slot_of(const char* name)
{
    static const char* const names[] = {
#define SLOT(slot, text) text,
        SLOTS(SLOT)
#undef SLOT
    };
    for (int i = 0; i < N_SLOTS; ++i)
        if (strcmp(names[i], name) == 0) return i;
    return -1;
}

static TarnResult set_units(TarnContext* ctx, GlProgram* p)
{
    GLint n = 0;
    glGetProgramiv(p->id, GL_ACTIVE_UNIFORMS, &n);
    glUseProgram(p->id);
    p->n_samplers = 0;
    for (GLint i = 0; i < n; ++i) {
        char uniform[64];
        GLint size;
        GLenum type;
        glGetActiveUniform(p->id, (GLuint)i, sizeof uniform, NULL, &size, &type, uniform);
        if (type != GL_SAMPLER_2D && type != GL_SAMPLER_3D) continue;
        int slot = slot_of(uniform);
        if (slot < 0 || p->n_samplers == MAX_UNITS - 1)
            return tarn__fail(ctx, TARN_ERR_UNSUPPORTED, "renderer: no texture unit for %s of %s",
                              uniform, p->name);
        glUniform1i(glGetUniformLocation(p->id, uniform), p->n_samplers);
        p->samplers[p->n_samplers++] = (uint8_t)(slot | (type == GL_SAMPLER_3D ? VOLUME_BIT : 0));
    }
    GLuint block = glGetUniformBlockIndex(p->id, "Frame");
    if (block != GL_INVALID_INDEX) glUniformBlockBinding(p->id, block, 0);
    return TARN_OK;
}

static TarnResult link_shaders(TarnContext* ctx, GlProgram* p, GLuint vs, GLuint fs)
{
    GLuint id = glCreateProgram();
    glAttachShader(id, vs);
    glAttachShader(id, fs);
    glBindAttribLocation(id, 0, "a_core");
    glBindAttribLocation(id, 1, "a_normal");
    glBindAttribLocation(id, 2, "a_more");
    glLinkProgram(id);
    GLint is_ok = 0;
    glGetProgramiv(id, GL_LINK_STATUS, &is_ok);
    if (!is_ok) return refused(ctx, p, "link", id);
    p->id = id;
    p->model = glGetUniformLocation(id, "u_model");
    p->core_size = glGetUniformLocation(id, "u_core_size");
    p->color = glGetUniformLocation(id, "u_color");
    p->emitted = glGetUniformLocation(id, "u_emitted");
    p->area = glGetUniformLocation(id, "u_area");
    p->param = glGetUniformLocation(id, "u_param");
    return set_units(ctx, p);
}

void tarn__program_link(Shelf* shelf, GlProgram* p)
{
    GLuint vs = 0, fs = 0;
    if (p->id) return;
    if (shelf->on_compiling) shelf->on_compiling(p->name, shelf->n_compiled, shelf->user);
    ++shelf->n_compiled;
    TarnResult result = compile(shelf->ctx, p, GL_VERTEX_SHADER, &vs);
    if (result == TARN_OK) result = compile(shelf->ctx, p, GL_FRAGMENT_SHADER, &fs);
    if (result == TARN_OK) result = link_shaders(shelf->ctx, p, vs, fs);
    glDeleteShader(vs);
    glDeleteShader(fs);
    if (result != TARN_OK) shelf->result = result;
}

TarnResult tarn__shelf_link(Shelf* shelf)
{
    for (GlProgram* p = shelf->first; p; p = p->next) tarn__program_link(shelf, p);
    return shelf->result;
}
