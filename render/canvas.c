// The canvas: two pictures of linear light and one depth for both. What covers things is drawn into the
// current picture with the depth; what shows things behind it, like water, reads the current picture and the
// depth, and writes the other picture, which is then the current one.

#include "renderer.h"

static GLuint half_floats(int w, int h)
{
    return tarn__texture_create(w, h, GL_RGBA16F, GL_RGBA, GL_HALF_FLOAT, NULL, false,
                                GL_CLAMP_TO_EDGE);
}

static bool is_complete(GLuint fbo, GLuint color, GLuint depth, GLuint flags)
{
    glBindFramebuffer(GL_FRAMEBUFFER, fbo);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, color, 0);
    if (depth) glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, depth, 0);
    if (flags)
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, flags);
    return glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
}

TarnResult tarn__canvas_create(TarnRenderer* r)
{
    Canvas* c = &r->canvas;
    int w = r->width, h = r->height;
    c->depth = tarn__texture_create(w, h, GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT,
                                    NULL, false, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glGenRenderbuffers(1, &c->flags);
    glBindRenderbuffer(GL_RENDERBUFFER, c->flags);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, w, h);
    bool is_ok = true;
    for (int i = 0; i < 2; ++i) {
        c->color[i] = half_floats(w, h);
        glGenFramebuffers(3, c->fbo[i]);
        is_ok = is_complete(c->fbo[i][CANVAS_SOLID], c->color[i], c->depth, 0) && is_ok;
        is_ok = is_complete(c->fbo[i][CANVAS_OVER], c->color[i], 0, 0) && is_ok;
        is_ok = is_complete(c->fbo[i][CANVAS_FLAGS], c->color[i], 0, c->flags) && is_ok;
    }
    if (is_ok) return TARN_OK;
    return tarn__fail(r->ctx, TARN_ERR_UNSUPPORTED,
                      "renderer: the driver refuses a %d x %d framebuffer of half floats; try a "
                      "smaller picture",
                      w, h);
}

void tarn__canvas_destroy(TarnRenderer* r)
{
    Canvas* c = &r->canvas;
    for (int i = 0; i < 2; ++i) {
        glDeleteFramebuffers(3, c->fbo[i]);
        glDeleteTextures(1, &c->color[i]);
    }
    glDeleteTextures(1, &c->depth);
    glDeleteRenderbuffers(1, &c->flags);
    *c = (Canvas){ 0 };
}

void tarn__canvas_bind(const TarnRenderer* r, CanvasPart part)
{
    const Canvas* c = &r->canvas;
    glBindFramebuffer(GL_FRAMEBUFFER, c->fbo[c->now][part]);
    glViewport(0, 0, r->width, r->height);
}

void tarn__canvas_read(const TarnRenderer* r)
{
    tarn__bind_texture(r, SLOT_SCENE, r->canvas.color[r->canvas.now]);
    tarn__bind_texture(r, SLOT_SCENE_DEPTH, r->canvas.depth);
}

void tarn__canvas_turn(TarnRenderer* r, CanvasPart part)
{
    tarn__canvas_read(r);
    r->canvas.now = 1 - r->canvas.now;
    tarn__canvas_bind(r, part);
}
