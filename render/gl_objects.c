// Programs, textures and framebuffers of the renderer, with readable error messages.

#include "objects.h"
#include <stdio.h>
#include <string.h>

static TarnResult compile(TarnContext* ctx, const char* name, GLenum kind, const char* defines,
                          const char* const* parts, GLuint* out)
{
    enum { MAX_PARTS = 14 };
    const char* text[MAX_PARTS + 2] = { tarn__gl_prelude(), defines };
    int n = 2;
    for (int i = 0; parts[i] && n < MAX_PARTS + 2; ++i) text[n++] = parts[i];

    GLuint shader = glCreateShader(kind);
    glShaderSource(shader, n, text, NULL);
    glCompileShader(shader);
    GLint is_ok = 0;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &is_ok);
    if (!is_ok) {
        char log[400] = "";
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        glDeleteShader(shader);
        return tarn__fail(ctx, TARN_ERR_UNSUPPORTED,
                          "renderer: the driver does not compile the %s shader of %s: %s",
                          kind == GL_VERTEX_SHADER ? "vertex" : "fragment", name, log);
    }
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

static TarnResult set_units(TarnContext* ctx, const char* name, Program* p)
{
    GLint n = 0;
    glGetProgramiv(p->id, GL_ACTIVE_UNIFORMS, &n);
    glUseProgram(p->id);
    for (GLint i = 0; i < n; ++i) {
        char uniform[64];
        GLint size;
        GLenum type;
        glGetActiveUniform(p->id, (GLuint)i, sizeof uniform, NULL, &size, &type, uniform);
        if (type != GL_SAMPLER_2D && type != GL_SAMPLER_3D) continue;
        int slot = slot_of(uniform);
        if (slot < 0 || p->n_samplers == MAX_UNITS - 1)
            return tarn__fail(ctx, TARN_ERR_UNSUPPORTED, "renderer: no texture unit for %s of %s",
                              uniform, name);
        glUniform1i(glGetUniformLocation(p->id, uniform), p->n_samplers);
        p->samplers[p->n_samplers++] = (uint8_t)(slot | (type == GL_SAMPLER_3D ? VOLUME_BIT : 0));
    }
    GLuint block = glGetUniformBlockIndex(p->id, "Frame");
    if (block != GL_INVALID_INDEX) glUniformBlockBinding(p->id, block, 0);
    return TARN_OK;
}

TarnResult tarn__program_create(TarnContext* ctx, const char* name, const char* defines,
                                const char* const* vertex, const char* const* fragment,
                                Program* out)
{
    GLuint vs = 0, fs = 0;
    TARN_TRY(compile(ctx, name, GL_VERTEX_SHADER, defines, vertex, &vs));
    TarnResult result = compile(ctx, name, GL_FRAGMENT_SHADER, defines, fragment, &fs);
    if (result != TARN_OK) {
        glDeleteShader(vs);
        return result;
    }
    GLuint id = glCreateProgram();
    glAttachShader(id, vs);
    glAttachShader(id, fs);
    glBindAttribLocation(id, 0, "a_core");
    glBindAttribLocation(id, 1, "a_normal");
    glLinkProgram(id);
    glDeleteShader(vs);
    glDeleteShader(fs);
    GLint is_ok = 0;
    glGetProgramiv(id, GL_LINK_STATUS, &is_ok);
    if (!is_ok) {
        char log[400] = "";
        glGetProgramInfoLog(id, sizeof log, NULL, log);
        glDeleteProgram(id);
        return tarn__fail(ctx, TARN_ERR_UNSUPPORTED, "renderer: the driver does not link %s: %s",
                          name, log);
    }
    *out = (Program){ .id = id,
                      .model = glGetUniformLocation(id, "u_model"),
                      .core_size = glGetUniformLocation(id, "u_core_size"),
                      .color = glGetUniformLocation(id, "u_color"),
                      .emitted = glGetUniformLocation(id, "u_emitted"),
                      .param = glGetUniformLocation(id, "u_param") };
    return set_units(ctx, name, out);
}

TarnResult tarn__programs_create(TarnContext* ctx, const ProgramDef* list, int n)
{
    for (int i = 0; i < n; ++i)
        TARN_TRY(tarn__program_create(ctx, list[i].name, list[i].defines, list[i].vertex,
                                      list[i].fragment, list[i].program));
    return TARN_OK;
}

void tarn__program_destroy(Program* program)
{
    if (program->id) glDeleteProgram(program->id);
    *program = (Program){ 0 };
}

GLuint tarn__texture_create(int width, int height, GLenum internal, GLenum format, GLenum type,
                            const void* data, bool has_mips, GLenum wrap)
{
    GLuint id;
    glGenTextures(1, &id);
    glBindTexture(GL_TEXTURE_2D, id);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)internal, width, height, 0, format, type, data);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER,
                    has_mips ? GL_LINEAR_MIPMAP_LINEAR : GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, (GLint)wrap);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, (GLint)wrap);
    if (has_mips && data) glGenerateMipmap(GL_TEXTURE_2D);
    return id;
}

static GLuint color_texture(const TargetDef* def, GLenum internal)
{
    GLenum format = GL_RGBA, type = GL_HALF_FLOAT;
    if (internal == GL_RGBA8) type = GL_UNSIGNED_BYTE;
    if (internal == GL_R16F) format = GL_RED;
    if (internal == GL_RG32F) format = GL_RG, type = GL_FLOAT;
    return tarn__texture_create(def->width, def->height, internal, format, type, NULL, false,
                                GL_CLAMP_TO_EDGE);
}

static GLuint depth_texture(const TargetDef* def)
{
    GLuint id =
        tarn__texture_create(def->width, def->height, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT,
                             GL_UNSIGNED_INT, NULL, false, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    return id;
}

static GLuint renderbuffer(const TargetDef* def, GLenum internal)
{
    GLuint id;
    glGenRenderbuffers(1, &id);
    glBindRenderbuffer(GL_RENDERBUFFER, id);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, def->samples, internal, def->width,
                                     def->height);
    return id;
}

TarnResult tarn__target_create(TarnContext* ctx, const TargetDef* def, Target* out)
{
    Target t = { .width = def->width,
                 .height = def->height,
                 .samples = def->samples,
                 .is_depth_texture = def->is_depth_texture };
    glGenFramebuffers(1, &t.fbo);
    glBindFramebuffer(GL_FRAMEBUFFER, t.fbo);
    GLenum buffers[2] = { GL_NONE, GL_NONE };
    int n = 0;
    for (; n < 2 && def->color[n]; ++n) {
        GLenum slot = GL_COLOR_ATTACHMENT0 + (GLenum)n;
        buffers[n] = slot;
        if (def->samples) {
            t.color[n] = renderbuffer(def, def->color[n]);
            glFramebufferRenderbuffer(GL_FRAMEBUFFER, slot, GL_RENDERBUFFER, t.color[n]);
        } else {
            t.color[n] = color_texture(def, def->color[n]);
            glFramebufferTexture2D(GL_FRAMEBUFFER, slot, GL_TEXTURE_2D, t.color[n], 0);
        }
    }
    glDrawBuffers(n ? n : 1, buffers);
    if (n == 0) glReadBuffer(GL_NONE); // else desktop GL calls it incomplete
    if (def->is_depth_texture) {
        t.depth = depth_texture(def);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, t.depth, 0);
    } else if (def->has_depth) {
        t.depth = renderbuffer(def, GL_DEPTH_COMPONENT24);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, t.depth);
    }
    GLenum status = glCheckFramebufferStatus(GL_FRAMEBUFFER);
    *out = t;
    if (status == GL_FRAMEBUFFER_COMPLETE) return TARN_OK;
    tarn__target_destroy(out);
    return tarn__fail(ctx, TARN_ERR_UNSUPPORTED,
                      "renderer: the driver refuses a %d x %d framebuffer of format 0x%04x with %d "
                      "samples (status 0x%04x); try a smaller picture",
                      def->width, def->height, def->color[0], def->samples, status);
}

void tarn__target_destroy(Target* target)
{
    if (!target->fbo) return;
    glDeleteFramebuffers(1, &target->fbo);
    for (int i = 0; i < 2; ++i) {
        if (!target->color[i]) continue;
        if (target->samples)
            glDeleteRenderbuffers(1, &target->color[i]);
        else
            glDeleteTextures(1, &target->color[i]);
    }
    if (target->depth) {
        if (target->is_depth_texture)
            glDeleteTextures(1, &target->depth);
        else
            glDeleteRenderbuffers(1, &target->depth);
    }
    *target = (Target){ 0 };
}

void tarn__target_bind(const Target* target)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target->fbo);
    glViewport(0, 0, target->width, target->height);
}
