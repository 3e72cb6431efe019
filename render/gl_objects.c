// Textures and framebuffers of the renderer, with readable error messages.

#include "objects.h"

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
