// Which textures the samplers of the programs read.

#include "renderer.h"

static void bind(int unit, GLenum kind, GLuint id)
{
    glActiveTexture(GL_TEXTURE0 + (GLenum)unit);
    glBindTexture(kind, id);
}

// It is bound to the unit that the current program has for it, or to the last one, which no program needs.
static void set(const TarnRenderer* r, Slot slot, GLenum kind, GLuint id)
{
    r->bound->texture[slot] = id;
    const Program* p = r->bound->program;
    int unit = MAX_UNITS - 1;
    for (int i = 0; p && i < p->gl->n_samplers; ++i)
        if ((p->gl->samplers[i] & ~VOLUME_BIT) == (int)slot) unit = i;
    bind(unit, kind, id);
}

void tarn__bind_texture(const TarnRenderer* r, Slot slot, GLuint id)
{
    set(r, slot, GL_TEXTURE_2D, id);
}

void tarn__bind_volume(const TarnRenderer* r, Slot slot, GLuint id)
{
    set(r, slot, GL_TEXTURE_3D, id);
}

void tarn__use(const TarnRenderer* r, const Program* program, const float param[4])
{
    const GlProgram* p = program->gl;
    tarn__program_link(r->shelf, program->gl);
    glUseProgram(p->id);
    for (int i = 0; i < p->n_samplers; ++i) {
        bool is_volume = p->samplers[i] & VOLUME_BIT;
        bind(i, is_volume ? GL_TEXTURE_3D : GL_TEXTURE_2D,
             r->bound->texture[p->samplers[i] & ~VOLUME_BIT]);
    }
    r->bound->program = program;
    if (p->emitted >= 0) glUniform4f(p->emitted, 0, 0, 0, 0);
    if (p->param >= 0 && param) glUniform4fv(p->param, 1, param);
}

void tarn__slots_clear(const TarnRenderer* r)
{
    *r->bound = (Bound){ 0 };
    for (int i = 0; i < MAX_UNITS; ++i) {
        bind(i, GL_TEXTURE_2D, 0);
        bind(i, GL_TEXTURE_3D, 0);
    }
    glActiveTexture(GL_TEXTURE0);
}
